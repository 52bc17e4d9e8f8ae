//! Typed images.

use crate::argument::Arg;
use crate::device::{Backend, Device};
use crate::dimension::{D2, Dimension, ImageSize};
use crate::error::{Result, error};
use crate::format::PixelFormat;
use crate::queue::until;
use crate::{Queue, cpu};
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::time::Duration;

/// Memory of an image or of a level, by device.
pub(crate) enum Texture {
    /// The levels, each with its own memory.
    Cpu(Vec<cpu::Texture>),
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
/// [`Device::image_of`] and [`Device::image_of_texels`]; lives as long as a launch that uses it. What can be done with
/// it is what can be done with a view of it, [`ImageView`].
pub struct Image<F: PixelFormat, D: Dimension = D2> {
    whole: View<F, D>,
    /// All levels, if there are several.
    levels: Vec<View<F, D>>,
}

/// An image or one of its mip levels, borrowed: what is read, written, and an argument of launches.
///
/// As `str` and slices it has no size that is known to the compiler, so that the levels of two images cannot be exchanged:
///
/// ```compile_fail,E0277
/// # fn f(a: &mut spirv_runtime::Image<spirv_runtime::R32Float>, b: &mut spirv_runtime::Image<spirv_runtime::R32Float>) {
/// std::mem::swap(a.level_mut(0).unwrap(), b.level_mut(1).unwrap());
/// # }
/// ```
#[repr(transparent)]
pub struct ImageView<F: PixelFormat, D: Dimension = D2>([View<F, D>]);

struct View<F: PixelFormat, D: Dimension> {
    device: Device,
    texture: Texture,
    size: ImageSize<D>,
    format: PhantomData<F>,
}

impl<F: PixelFormat, D: Dimension> View<F, D> {
    fn lend(&self) -> &ImageView<F, D> {
        // SAFETY: `ImageView` is a slice of such, of length one here.
        unsafe { &*(std::ptr::from_ref(std::slice::from_ref(self)) as *const ImageView<F, D>) }
    }

    fn lend_mut(&mut self) -> &mut ImageView<F, D> {
        // SAFETY: as above.
        unsafe { &mut *(std::ptr::from_mut(std::slice::from_mut(self)) as *mut ImageView<F, D>) }
    }
}

impl<F: PixelFormat, D: Dimension> Deref for Image<F, D> {
    type Target = ImageView<F, D>;

    fn deref(&self) -> &ImageView<F, D> {
        self.whole.lend()
    }
}

impl<F: PixelFormat, D: Dimension> DerefMut for Image<F, D> {
    fn deref_mut(&mut self) -> &mut ImageView<F, D> {
        self.whole.lend_mut()
    }
}

impl<F: PixelFormat, D: Dimension> Image<F, D> {
    pub(crate) fn new(
        device: &Device,
        size: ImageSize<D>,
        texels: Option<&[F::Texel]>,
    ) -> Result<Image<F, D>> {
        size.check()?;
        if let Some(texels) = texels {
            check_len::<F, D>("make", &size, texels.len())?;
        }
        // Compressed images are not cleared but written.
        let zeros = match (texels, F::BLOCK) {
            (None, 2..) => crate::buffer::host_memory(elements::<F, D>(&size))?,
            _ => Vec::new(),
        };
        let texels = texels.or((F::BLOCK > 1).then_some(&zeros));
        let bytes = texels.map(bytemuck::cast_slice);
        let (whole, parts) = match device.backend() {
            Backend::Cpu => {
                let levels = cpu_levels::<F, D>(&size, bytes)?;
                let parts: Vec<_> = levels.iter().map(|level| Texture::Cpu(vec![level.clone()])).collect();
                (Texture::Cpu(levels), parts)
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
                    compressed: F::BLOCK > 1,
                    name: F::NAME,
                    data: bytes,
                })?;
                (Texture::Vulkan(whole), parts.into_iter().map(Texture::Vulkan).collect())
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
                let image = device.image([size.width(), size.height()], format, bytes)?;
                (Texture::LevelZero(image), Vec::new())
            }
        };
        let view = |size, texture| View { device: device.clone(), texture, size, format: PhantomData };
        let levels = match size.levels() {
            0 | 1 => Vec::new(),
            _ => (0..).zip(parts).map(|(level, part)| view(size.level(level), part)).collect(),
        };
        Ok(Image { whole: view(size, whole), levels })
    }

    /// A mip level: to read it, or as a launch argument. None if there are not so many.
    pub fn level(&self, level: u32) -> Option<&ImageView<F, D>> {
        match level {
            0 if self.levels.is_empty() => Some(self),
            _ => self.levels.get(level as usize).map(View::lend),
        }
    }

    /// As [`Image::level`], to write it.
    pub fn level_mut(&mut self, level: u32) -> Option<&mut ImageView<F, D>> {
        match level {
            0 if self.levels.is_empty() => Some(self),
            _ => self.levels.get_mut(level as usize).map(View::lend_mut),
        }
    }

    /// All mip levels, the largest first. A launch may read one and write another.
    ///
    /// ```ignore
    /// for level in 1..image.size().levels() as usize {
    ///     let [from, to] = &mut image.levels_mut()[level - 1..=level] else { unreachable!() };
    ///     kernel.launch(&queue, halve::Args { from, threads: [to.width(), to.height(), 1], to })?;
    /// }
    /// ```
    pub fn levels_mut(&mut self) -> Vec<&mut ImageView<F, D>> {
        match self.levels.is_empty() {
            true => vec![self],
            false => self.levels.iter_mut().map(View::lend_mut).collect(),
        }
    }
}

/// The memory of all levels on the CPU.
fn cpu_levels<F: PixelFormat, D: Dimension>(
    size: &ImageSize<D>,
    texels: Option<&[u8]>,
) -> Result<Vec<cpu::Texture>> {
    if F::BLOCK > 1 {
        return Err(error!(
            Unsupported,
            "the CPU has no compressed images of format {}; decode it, or run on a GPU that has such images",
            F::NAME
        ));
    }
    if !cpu::abi::IMAGE_FORMATS.contains(&F::CODE) {
        return Err(error!(
            Unsupported,
            "kernels cannot use images of format {} on the CPU yet; take a wider format",
            F::NAME
        ));
    }
    let level = |level: u32| {
        let size = if size.levels() > 1 { size.level(level) } else { *size };
        let [width, height, depth] = size.extent();
        let slices = if D::SIDES == 3 { depth } else { size.faces() };
        let texture = cpu::Texture::zeroed([width, height, slices], size_of::<F::Texel>(), F::CODE)?;
        if let Some(texels) = texels.filter(|_| level == 0) {
            // SAFETY: nobody else has it.
            unsafe { texture.write(texels) }?;
        }
        Ok(texture)
    };
    (0..size.levels().max(1)).map(level).collect()
}

impl<F: PixelFormat, D: Dimension> ImageView<F, D> {
    fn view(&self) -> &View<F, D> {
        // `View::lend` makes no others than of length one.
        &self.0[0]
    }

    /// Texels in a row.
    pub fn width(&self) -> u32 {
        self.view().size.width()
    }

    /// Rows of a slice or layer.
    pub fn height(&self) -> u32 {
        self.view().size.height()
    }

    /// Slices: 1 unless there are three dimensions.
    pub fn depth(&self) -> u32 {
        self.view().size.depth()
    }

    /// All of its size: sides, layers, number of levels.
    pub fn size(&self) -> ImageSize<D> {
        self.view().size
    }

    /// The device whose memory this is.
    pub fn device(&self) -> &Device {
        &self.view().device
    }

    /// The texels of the first level, row by row, slice by slice and layer by layer, after all that was launched to write
    /// them has run.
    ///
    /// # Errors
    /// The host has no memory for them, the queue is of another device, a launch that writes them failed, or the device was
    /// lost.
    pub fn read(&self, queue: &Queue) -> Result<Vec<F::Texel>> {
        let mut out = crate::buffer::host_memory(elements::<F, D>(&self.size()))?;
        self.read_into(queue, &mut out)?;
        Ok(out)
    }

    /// Copies the texels of the first level to `out`, in the order of [`ImageView::read`], after all that was launched to write
    /// them has run.
    ///
    /// # Errors
    /// `out` has not one element a texel, the queue is of another device, a launch that writes them failed, or the device
    /// was lost.
    pub fn read_into(&self, queue: &Queue, out: &mut [F::Texel]) -> Result<()> {
        let view = self.check(queue, "read", out.len())?;
        let out = bytemuck::cast_slice_mut(out);
        match &view.texture {
            Texture::Cpu(levels) => first(levels)?.read(out)?,
            #[cfg(feature = "vulkan")]
            Texture::Vulkan(image) => queue.vulkan()?.read_image(image, out)?,
            #[cfg(feature = "level-zero")]
            Texture::LevelZero(image) => queue.level_zero()?.read_image(image, out)?,
        }
        Ok(())
    }

    /// Replaces all texels of the first level, once all that was launched before has used the old ones.
    ///
    /// # Errors
    /// `texels` has not one element a texel, the queue is of another device, or the device was lost.
    pub fn write(&mut self, queue: &Queue, texels: &[F::Texel]) -> Result<()> {
        let view = self.check(queue, "write", texels.len())?;
        let bytes = bytemuck::cast_slice(texels);
        match &view.texture {
            // SAFETY: an exclusive borrow of the image, or of this level of it.
            Texture::Cpu(levels) => unsafe { first(levels)?.write(bytes) }?,
            #[cfg(feature = "vulkan")]
            Texture::Vulkan(image) => queue.vulkan()?.write_image(image, bytes)?,
            #[cfg(feature = "level-zero")]
            Texture::LevelZero(image) => queue.level_zero()?.write_image(image, bytes)?,
        }
        Ok(())
    }

    /// Waits until all that was launched to use this image has run, for no longer than this; whether it has. If so, reading
    /// and writing wait for nothing. On a GPU that is all that was launched on the device: it does it in order.
    ///
    /// # Errors
    /// The device was lost.
    pub fn wait_timeout(&self, timeout: Duration) -> Result<bool> {
        let view = self.view();
        view.device.check_process()?;
        match &view.texture {
            Texture::Cpu(levels) => {
                let until = until(timeout);
                for level in levels {
                    if !level.memory().wait_until(Some(until))? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            #[cfg(any(feature = "vulkan", feature = "level-zero"))]
            _ => view.device.wait_timeout(timeout),
        }
    }

    fn check(&self, queue: &Queue, verb: &str, len: usize) -> Result<&View<F, D>> {
        let view = self.view();
        check_len::<F, D>(verb, &view.size, len)?;
        view.device.check_process()?;
        queue.device().check_same(&view.device, "the image")?;
        Ok(view)
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
        Arg::image(&self.view().device, &self.view().texture, Self::FACTS, false)
    }

    /// This image as a launch argument that may be written.
    #[doc(hidden)]
    pub fn __arg_mut(&mut self) -> Arg<'_> {
        Arg::image(&self.view().device, &self.view().texture, Self::FACTS, true)
    }
}

fn first(levels: &[cpu::Texture]) -> Result<&cpu::Texture> {
    levels.first().ok_or_else(|| error!(InvalidArgument, "an image without levels"))
}

/// Texels of the first level, or of compressed formats blocks of them.
fn elements<F: PixelFormat, D: Dimension>(size: &ImageSize<D>) -> usize {
    if F::BLOCK == 1 {
        return usize::try_from(size.texels()).unwrap_or(usize::MAX);
    }
    let [width, height, depth] = size.extent();
    let blocks = [width.div_ceil(F::BLOCK), height.div_ceil(F::BLOCK), depth, size.faces()];
    blocks.into_iter().fold(1, |all, n| all.saturating_mul(n as usize))
}

fn check_len<F: PixelFormat, D: Dimension>(verb: &str, size: &ImageSize<D>, len: usize) -> Result<()> {
    let needed = elements::<F, D>(size);
    if needed == len {
        return Ok(());
    }
    let what = if F::BLOCK > 1 { " blocks" } else { "" };
    Err(error!(
        InvalidArgument,
        "cannot {verb} an image of {size} texels with {len}{what}; {needed} are needed"
    ))
}

impl<F: PixelFormat, D: Dimension> std::fmt::Debug for Image<F, D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Image<{}, {}>({} on {})", F::NAME, D::NAME, self.size(), self.device().name())
    }
}

impl<F: PixelFormat, D: Dimension> std::fmt::Debug for ImageView<F, D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ImageView<{}, {}>({} on {})", F::NAME, D::NAME, self.size(), self.device().name())
    }
}
