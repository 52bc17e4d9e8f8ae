//! Typed images.

use crate::argument::Arg;
use crate::cpu::abi::Slot;
use crate::device::{Backend, Device};
use crate::dimension::{D2, Dimension, ImageSize};
use crate::error::{Result, error};
use crate::format::PixelFormat;
use crate::{Queue, cpu};
use std::marker::PhantomData;

/// Memory of an image, by device.
pub(crate) enum Texture {
    Cpu(cpu::Texture),
    /// On the CPU each of several levels has its own memory.
    CpuLevels,
    #[cfg(feature = "vulkan")]
    Vulkan(crate::vulkan::OwnedImage),
    #[cfg(feature = "level-zero")]
    LevelZero(crate::level_zero::OwnedImage),
}

/// What the checks of a launch know of an image.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ImageFacts {
    /// Name of the format.
    pub format: &'static str,
    /// Name of the dimension.
    pub dimension: &'static str,
    /// Whether kernels see floats.
    pub floats: bool,
    /// Whether it has depths, which samplers compare.
    pub depth: bool,
}

/// An image of format `F` and dimension `D` in a device's memory: what a kernel sees as `Texture2D`, `RWTexture3D`, ...
///
/// Made by [`Device::image`], [`Device::image_from`], and for other dimensions than two and for mip levels
/// [`Device::image_of`] and [`Device::image_of_texels`]; lives as long as a launch that uses it.
pub struct Image<F: PixelFormat, D: Dimension = D2> {
    device: Device,
    texture: Texture,
    size: ImageSize<D>,
    /// All levels, if there are several. On the CPU they own the texels, so that each may be borrowed on its own.
    levels: Vec<Image<F, D>>,
    format: PhantomData<F>,
}

impl<F: PixelFormat, D: Dimension> Image<F, D> {
    pub(crate) fn new(
        device: &Device,
        size: ImageSize<D>,
        texels: Option<&[F::Texel]>,
    ) -> Result<Image<F, D>> {
        size.check()?;
        if let Some(texels) = texels {
            check_len("make", &size, texels.len())?;
        }
        let bytes = texels.map(bytemuck::cast_slice);
        let mut levels = Vec::new();
        let texture = match device.backend() {
            Backend::Cpu => {
                if !cpu::abi::IMAGE_FORMATS.contains(&F::CODE) {
                    return Err(error!(
                        Unsupported,
                        "kernels cannot use images of format {} on the CPU yet; take a wider format",
                        F::NAME
                    ));
                }
                if size.levels() > 1 {
                    for level in 0..size.levels() {
                        let texels = texels.filter(|_| level == 0);
                        levels.push(Image::new(device, size.level(level), texels)?);
                    }
                    Texture::CpuLevels
                } else {
                    let [width, height, depth] = size.extent();
                    let slices = if D::SIDES == 3 { depth } else { size.faces() };
                    let texel = size_of::<F::Texel>();
                    let mut texture = cpu::Texture::zeroed([width, height, slices], texel, F::CODE)?;
                    if let Some(bytes) = bytes {
                        texture.write(bytes);
                    }
                    Texture::Cpu(texture)
                }
            }
            #[cfg(feature = "vulkan")]
            Backend::Vulkan(vulkan) => {
                let (whole, parts) = vulkan.image(&crate::vulkan::ImageDesc {
                    sides: D::SIDES,
                    cube: D::FACES > 1,
                    arrayed: D::ARRAYED,
                    extent: size.extent(),
                    layers: size.faces(),
                    levels: size.levels(),
                    format: F::VULKAN,
                    depth: F::DEPTH,
                    name: F::NAME,
                    data: bytes,
                })?;
                for (level, part) in (0..).zip(parts) {
                    levels.push(Image {
                        device: device.clone(),
                        texture: Texture::Vulkan(part),
                        size: size.level(level),
                        levels: Vec::new(),
                        format: PhantomData,
                    });
                }
                Texture::Vulkan(whole)
            }
            #[cfg(feature = "level-zero")]
            Backend::LevelZero(device) => {
                if D::NAME != D2::NAME || size.levels() > 1 || F::DEPTH {
                    return Err(error!(
                        Unsupported,
                        "images on Level Zero have two dimensions, one level, no layers and no depths yet; use Vulkan or the CPU"
                    ));
                }
                let (name, code, components) = (F::NAME, F::CODE, F::COMPONENTS);
                let texel = size_of::<F::Texel>();
                let format = crate::level_zero::TexelFormat { name, code, components, bytes: texel };
                Texture::LevelZero(device.image([size.width(), size.height()], format, bytes)?)
            }
        };
        Ok(Image { device: device.clone(), texture, size, levels, format: PhantomData })
    }

    /// Texels in a row.
    pub fn width(&self) -> u32 {
        self.size.width()
    }

    /// Rows of a slice or layer.
    pub fn height(&self) -> u32 {
        self.size.height()
    }

    /// Slices: 1 unless there are three dimensions.
    pub fn depth(&self) -> u32 {
        self.size.depth()
    }

    /// All of its size: sides, layers, number of levels.
    pub fn size(&self) -> ImageSize<D> {
        self.size
    }

    /// The device whose memory this is.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// A mip level, as an image of its own: to read it, or as a launch argument. None if there are not so many.
    pub fn level(&self, level: u32) -> Option<&Image<F, D>> {
        match level {
            0 if self.levels.is_empty() => Some(self),
            _ => self.levels.get(level as usize),
        }
    }

    /// As [`Image::level`], to write it.
    pub fn level_mut(&mut self, level: u32) -> Option<&mut Image<F, D>> {
        match level {
            0 if self.levels.is_empty() => Some(self),
            _ => self.levels.get_mut(level as usize),
        }
    }

    /// All mip levels, the largest first. A launch may read one and write another.
    ///
    /// ```ignore
    /// for level in 1..image.size().levels() as usize {
    ///     let [from, to] = &mut image.levels_mut()[level - 1..=level] else { unreachable!() };
    ///     kernel.launch(&queue, halve::Args { from, to, threads: [to.width(), to.height(), 1] })?;
    /// }
    /// ```
    pub fn levels_mut(&mut self) -> &mut [Image<F, D>] {
        match self.levels.is_empty() {
            true => std::slice::from_mut(self),
            false => &mut self.levels,
        }
    }

    /// The texels of the first level, row by row, slice by slice and layer by layer, after all that was launched to write
    /// them has run.
    ///
    /// # Errors
    /// The queue is of another device, or the device was lost.
    pub fn read(&self, queue: &Queue) -> Result<Vec<F::Texel>> {
        let texels = usize::try_from(self.size.texels()).unwrap_or(usize::MAX);
        let mut out = crate::buffer::host_memory(texels)?;
        self.read_into(queue, &mut out)?;
        Ok(out)
    }

    /// Copies the texels of the first level to `out`, in the order of [`Image::read`], after all that was launched to write
    /// them has run.
    ///
    /// # Errors
    /// `out` has not one element a texel, the queue is of another device, or the device was lost.
    pub fn read_into(&self, queue: &Queue, out: &mut [F::Texel]) -> Result<()> {
        check_len("read", &self.size, out.len())?;
        queue.device().check_same(&self.device, "the image")?;
        match &self.texture {
            Texture::CpuLevels => match self.levels.first() {
                Some(first) => first.read_into(queue, out)?,
                None => return Err(error!(InvalidArgument, "an image without levels")),
            },
            Texture::Cpu(texture) => texture.read(bytemuck::cast_slice_mut(out)),
            #[cfg(feature = "vulkan")]
            Texture::Vulkan(image) => queue.vulkan()?.read_image(image, bytemuck::cast_slice_mut(out))?,
            #[cfg(feature = "level-zero")]
            Texture::LevelZero(image) => {
                queue.level_zero()?.read_image(image, bytemuck::cast_slice_mut(out))?
            }
        }
        Ok(())
    }

    /// Replaces all texels of the first level, once all that was launched before has used the old ones.
    ///
    /// # Errors
    /// `texels` has not one element a texel, the queue is of another device, or the device was lost.
    pub fn write(&mut self, queue: &Queue, texels: &[F::Texel]) -> Result<()> {
        check_len("write", &self.size, texels.len())?;
        queue.device().check_same(&self.device, "the image")?;
        let bytes = bytemuck::cast_slice(texels);
        match &mut self.texture {
            Texture::CpuLevels => match self.levels.first_mut() {
                Some(first) => first.write(queue, texels)?,
                None => return Err(error!(InvalidArgument, "an image without levels")),
            },
            Texture::Cpu(texture) => texture.write(bytes),
            #[cfg(feature = "vulkan")]
            Texture::Vulkan(image) => queue.vulkan()?.write_image(image, bytes)?,
            #[cfg(feature = "level-zero")]
            Texture::LevelZero(image) => queue.level_zero()?.write_image(image, bytes)?,
        }
        Ok(())
    }

    const FACTS: ImageFacts = ImageFacts {
        format: F::NAME,
        dimension: D::NAME,
        floats: matches!(F::SCALAR.as_bytes(), b"f32"),
        depth: F::DEPTH,
    };

    /// This image as a launch argument that is only read.
    #[doc(hidden)]
    pub fn __arg(&self) -> Arg<'_> {
        Arg::image(&self.device, &self.texture, self.slots(), Self::FACTS, false)
    }

    /// This image as a launch argument that may be written.
    #[doc(hidden)]
    pub fn __arg_mut(&mut self) -> Arg<'_> {
        Arg::image(&self.device, &self.texture, self.slots(), Self::FACTS, true)
    }

    /// The memory of each level on the CPU; nothing elsewhere.
    fn slots(&self) -> Vec<Slot> {
        match &self.texture {
            Texture::Cpu(texture) => vec![texture.slot()],
            Texture::CpuLevels => self.levels.iter().flat_map(Image::slots).collect(),
            #[cfg(any(feature = "vulkan", feature = "level-zero"))]
            _ => Vec::new(),
        }
    }
}

fn check_len<D: Dimension>(verb: &str, size: &ImageSize<D>, len: usize) -> Result<()> {
    if size.texels() == len as u128 {
        return Ok(());
    }
    Err(error!(
        InvalidArgument,
        "cannot {verb} an image of {size} texels with {len}; {} are needed",
        size.texels()
    ))
}

impl<F: PixelFormat, D: Dimension> std::fmt::Debug for Image<F, D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Image<{}, {}>({} on {})", F::NAME, D::NAME, self.size, self.device.name())
    }
}
