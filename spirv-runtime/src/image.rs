//! Typed 2-D images.

use crate::device::{Backend, Device};
use crate::error::{Result, error};
use crate::format::PixelFormat;
use crate::kernel::Arg;
use crate::{Queue, cpu};
use std::marker::PhantomData;

/// Memory of an image, by device.
pub(crate) enum Texture {
    Cpu(cpu::Texture),
    #[cfg(feature = "vulkan")]
    Vulkan(std::sync::Arc<crate::vulkan::Image>),
    #[cfg(feature = "level-zero")]
    LevelZero(std::sync::Arc<crate::level_zero::Image>),
}

/// A 2-D image of format `F` in a device's memory: what a kernel sees as `Texture2D` or `RWTexture2D`.
///
/// Made by [`Device::image`] and [`Device::image_from`]; lives as long as a launch that uses it.
pub struct Image<F: PixelFormat> {
    device: Device,
    texture: Texture,
    width: u32,
    height: u32,
    format: PhantomData<F>,
}

impl<F: PixelFormat> Image<F> {
    pub(crate) fn new(
        device: &Device,
        width: u32,
        height: u32,
        texels: Option<&[F::Texel]>,
    ) -> Result<Image<F>> {
        if width == 0 || height == 0 {
            return Err(error!(
                InvalidArgument,
                "an image of {width}x{height} texels is empty; both sides must be at least 1"
            ));
        }
        if let Some(texels) = texels {
            check_len("make", width, height, texels.len())?;
        }
        let bytes = texels.map(bytemuck::cast_slice);
        let texture = match device.backend() {
            Backend::Cpu => {
                if !cpu::abi::IMAGE_FORMATS.contains(&F::CODE) {
                    return Err(error!(
                        Unsupported,
                        "kernels cannot use images of format {} on the CPU yet; take a wider format",
                        F::NAME
                    ));
                }
                let mut texture = cpu::Texture::zeroed(width, height, size_of::<F::Texel>(), F::CODE)?;
                if let Some(bytes) = bytes {
                    texture.write(bytes);
                }
                Texture::Cpu(texture)
            }
            #[cfg(feature = "vulkan")]
            Backend::Vulkan(vulkan) => {
                Texture::Vulkan(vulkan.image(width, height, F::VULKAN, F::NAME, bytes)?)
            }
            #[cfg(feature = "level-zero")]
            Backend::LevelZero(device) => {
                let (name, code, components) = (F::NAME, F::CODE, F::COMPONENTS);
                let texel = size_of::<F::Texel>();
                let format = crate::level_zero::TexelFormat { name, code, components, bytes: texel };
                Texture::LevelZero(device.image([width, height], format, bytes)?)
            }
        };
        Ok(Image { device: device.clone(), texture, width, height, format: PhantomData })
    }

    /// Texels in a row.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Number of rows.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// The device whose memory this is.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The texels row by row, after all that was launched to write them has run.
    ///
    /// # Errors
    /// The queue is of another device, or the device was lost.
    pub fn read(&self, queue: &Queue) -> Result<Vec<F::Texel>> {
        let mut out = vec![bytemuck::Zeroable::zeroed(); self.width as usize * self.height as usize];
        self.read_into(queue, &mut out)?;
        Ok(out)
    }

    /// Copies the texels row by row to `out`, after all that was launched to write them has run.
    ///
    /// # Errors
    /// `out` has not one element a texel, the queue is of another device, or the device was lost.
    pub fn read_into(&self, queue: &Queue, out: &mut [F::Texel]) -> Result<()> {
        check_len("read", self.width, self.height, out.len())?;
        queue.device().check_same(&self.device, "the image")?;
        let out = bytemuck::cast_slice_mut(out);
        match &self.texture {
            Texture::Cpu(texture) => texture.read(out),
            #[cfg(feature = "vulkan")]
            Texture::Vulkan(image) => queue.vulkan()?.read_image(image, out)?,
            #[cfg(feature = "level-zero")]
            Texture::LevelZero(image) => queue.level_zero()?.read_image(image, out)?,
        }
        Ok(())
    }

    /// Replaces all texels, once all that was launched before has used the old ones.
    ///
    /// # Errors
    /// `texels` has not one element a texel, the queue is of another device, or the device was lost.
    pub fn write(&mut self, queue: &Queue, texels: &[F::Texel]) -> Result<()> {
        check_len("write", self.width, self.height, texels.len())?;
        queue.device().check_same(&self.device, "the image")?;
        let bytes = bytemuck::cast_slice(texels);
        match &mut self.texture {
            Texture::Cpu(texture) => texture.write(bytes),
            #[cfg(feature = "vulkan")]
            Texture::Vulkan(image) => queue.vulkan()?.write_image(image, bytes)?,
            #[cfg(feature = "level-zero")]
            Texture::LevelZero(image) => queue.level_zero()?.write_image(image, bytes)?,
        }
        Ok(())
    }

    /// This image as a launch argument that is only read.
    #[doc(hidden)]
    pub fn __arg(&self) -> Arg<'_> {
        Arg::image(&self.device, &self.texture, F::NAME, false)
    }

    /// This image as a launch argument that may be written.
    #[doc(hidden)]
    pub fn __arg_mut(&mut self) -> Arg<'_> {
        Arg::image(&self.device, &self.texture, F::NAME, true)
    }
}

fn check_len(verb: &str, width: u32, height: u32, len: usize) -> Result<()> {
    if u64::from(width) * u64::from(height) == len as u64 {
        return Ok(());
    }
    Err(error!(
        InvalidArgument,
        "cannot {verb} an image of {width}x{height} texels with {len}; {} are needed",
        u64::from(width) * u64::from(height)
    ))
}

impl<F: PixelFormat> std::fmt::Debug for Image<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Image<{}>({}x{} on {})", F::NAME, self.width, self.height, self.device.name())
    }
}
