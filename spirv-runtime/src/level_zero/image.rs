//! 2-D images. On devices that have none they are memory: texels row by row without gaps, as the host has them.

use super::device::{Device, Shared};
use super::memory::{Buffer, Place};
use super::transfer::{Queue, on_host};
use crate::error::{Result, error};
use crate::gpu::{Commands, Owned};
use level_zero_sys::*;
use std::ptr::{null, null_mut};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// One row a layout: components of a texel, bits of a component.
const LAYOUTS: &[(u32, usize, ze_image_format_layout_t)] = &[
    (1, 8, ZE_IMAGE_FORMAT_LAYOUT_8),
    (1, 16, ZE_IMAGE_FORMAT_LAYOUT_16),
    (1, 32, ZE_IMAGE_FORMAT_LAYOUT_32),
    (2, 8, ZE_IMAGE_FORMAT_LAYOUT_8_8),
    (2, 16, ZE_IMAGE_FORMAT_LAYOUT_16_16),
    (2, 32, ZE_IMAGE_FORMAT_LAYOUT_32_32),
    (4, 8, ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8),
    (4, 16, ZE_IMAGE_FORMAT_LAYOUT_16_16_16_16),
    (4, 32, ZE_IMAGE_FORMAT_LAYOUT_32_32_32_32),
];

/// One row a format whose components share a word: its name, the layout.
const PACKED: &[(&str, ze_image_format_layout_t)] = &[
    ("Rgb10a2Unorm", ZE_IMAGE_FORMAT_LAYOUT_10_10_10_2),
    ("Rgb10a2Uint", ZE_IMAGE_FORMAT_LAYOUT_10_10_10_2),
    ("Rg11b10Float", ZE_IMAGE_FORMAT_LAYOUT_11_11_10),
];

/// One row a kind of component: how the names of formats end.
const KINDS: &[(&str, ze_image_format_type_t)] = &[
    ("Uint", ZE_IMAGE_FORMAT_TYPE_UINT),
    ("Sint", ZE_IMAGE_FORMAT_TYPE_SINT),
    ("Unorm", ZE_IMAGE_FORMAT_TYPE_UNORM),
    ("Snorm", ZE_IMAGE_FORMAT_TYPE_SNORM),
    ("Float", ZE_IMAGE_FORMAT_TYPE_FLOAT),
];

/// What an image is made of.
pub(super) enum Texels {
    /// An image of the device.
    Object(ze_image_handle_t),
    /// Memory, on devices without images.
    Memory(Arc<Buffer>),
}

/// An image.
pub(crate) struct Image {
    shared: Arc<Shared>,
    pub(super) texels: Texels,
    /// Tells it from all other images, also from later ones with the same handle.
    pub(super) id: u64,
    /// Width, height, depth and the number of the format in SPIR-V, as kernels take them.
    pub(super) extent: [u32; 4],
    pub(super) bytes: usize,
    /// Number of the last command that writes it, and of the last that uses it at all. Guarded by the stream's lock. Memory
    /// has its own.
    last_write: AtomicU64,
    last_use: AtomicU64,
}

impl Image {
    /// Notes a use by a command; called under the stream's lock.
    pub(super) fn used(&self, write: bool, command: u64) {
        if let Texels::Memory(buffer) = &self.texels {
            return buffer.used(write, command);
        }
        self.last_use.store(command, Ordering::Relaxed);
        if write {
            self.last_write.store(command, Ordering::Relaxed);
        }
    }

    pub(super) fn last_write(&self) -> u64 {
        match &self.texels {
            Texels::Memory(buffer) => buffer.last_write(),
            Texels::Object(_) => self.last_write.load(Ordering::Relaxed),
        }
    }

    pub(super) fn last_use(&self) -> u64 {
        match &self.texels {
            Texels::Memory(buffer) => buffer.last_use(),
            Texels::Object(_) => self.last_use.load(Ordering::Relaxed),
        }
    }
}

/// The format of an image's texels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TexelFormat {
    /// Its name.
    pub name: &'static str,
    /// Its number in SPIR-V.
    pub code: u32,
    /// Components of a texel.
    pub components: u32,
    /// Bytes of a texel.
    pub bytes: usize,
}

// SAFETY: images may be used from several threads; what happens to their texels are commands.
unsafe impl Send for Image {}
// SAFETY: as above.
unsafe impl Sync for Image {}

impl Drop for Image {
    fn drop(&mut self) {
        if let Texels::Object(raw) = self.texels {
            // SAFETY: commands that use it hold it until they have completed.
            unsafe { self.shared.api.zeImageDestroy(raw) };
        }
    }
}

/// What Level Zero calls a format.
fn format(of: TexelFormat) -> Option<ze_image_format_t> {
    let layout = match PACKED.iter().find(|p| p.0 == of.name) {
        Some((_, layout)) => *layout,
        None => {
            let bits = of.bytes * 8 / of.components.max(1) as usize;
            let row = LAYOUTS.iter().find(|l| is_plain(of.code) && (l.0, l.1) == (of.components, bits));
            row?.2
        }
    };
    let (_, kind) = KINDS.iter().find(|k| of.name.ends_with(k.0))?;
    Some(ze_image_format_t {
        layout,
        r#type: *kind,
        x: ZE_IMAGE_FORMAT_SWIZZLE_R,
        // Components that the format has not read as 0, 0 and 1.
        y: ZE_IMAGE_FORMAT_SWIZZLE_G,
        z: ZE_IMAGE_FORMAT_SWIZZLE_B,
        w: ZE_IMAGE_FORMAT_SWIZZLE_A,
    })
}

/// Whether the components of a format with this number lie side by side, red first, as numbers.
fn is_plain(code: u32) -> bool {
    !matches!(code, 0 | 8 | 11 | 34 | 100..)
}

impl Device {
    /// An image with these texels, or zeros.
    pub(crate) fn image(
        self: &Arc<Device>,
        size: [u32; 2],
        format: TexelFormat,
        data: Option<&[u8]>,
    ) -> Result<Owned<Device, Image>> {
        self.throttle()?;
        self.with_memory(|| self.new_image(size, format, data)).map(|image| Owned::new(self, image))
    }

    fn new_image(
        &self,
        [width, height]: [u32; 2],
        format: TexelFormat,
        data: Option<&[u8]>,
    ) -> Result<Arc<Image>> {
        let shared = &self.shared;
        let extent = [width, height, 1, format.code];
        let made = |texels, bytes| {
            static NEXT: AtomicU64 = AtomicU64::new(1);
            let id = NEXT.fetch_add(1, Ordering::Relaxed);
            let (last_write, last_use) = (AtomicU64::new(0), AtomicU64::new(0));
            Arc::new(Image { shared: shared.clone(), texels, id, extent, bytes, last_write, last_use })
        };
        let limit = shared.max_image_side;
        if limit == 0 {
            if !is_plain(format.code) {
                return Err(error!(
                    Unsupported,
                    "the device has no images, and in memory there is no form of format {}; take a format whose components \
                     are numbers side by side, such as Rgba8Unorm",
                    format.name
                ));
            }
            let bytes = memory_bytes([width, height], format.bytes)?;
            return Ok(made(Texels::Memory(self.filled(bytes, data)?), bytes));
        }
        if width > limit || height > limit {
            return Err(error!(
                Limit,
                "an image of {width}x{height} texels exceeds the device's {limit} texels a side; split it"
            ));
        }
        let unsupported = || {
            error!(
                Unsupported,
                "Level Zero has no images of format {} on this device; take another format", format.name
            )
        };
        let mut desc = ze_image_desc_t::new();
        desc.flags = ZE_IMAGE_FLAG_KERNEL_WRITE;
        desc.r#type = ZE_IMAGE_TYPE_2D;
        desc.format = self::format(format).ok_or_else(unsupported)?;
        (desc.width, desc.height, desc.depth) = (u64::from(width), height, 1);
        let mut raw = null_mut();
        // SAFETY: the structure has its tag, and the sides are within the limits.
        match unsafe { shared.api.zeImageCreate(shared.context, shared.raw, &desc, &mut raw) } {
            ZE_RESULT_SUCCESS => {}
            ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT => return Err(unsupported()),
            other => return Err(shared.failed("zeImageCreate", other)),
        }
        let image = made(Texels::Object(raw), width as usize * height as usize * format.bytes);
        self.fill_image(&image, raw, data)?;
        Ok(image)
    }

    /// Replaces all texels of an image of the device, by zeros without data. Returns the number of the command.
    fn fill_image(&self, image: &Arc<Image>, raw: ze_image_handle_t, data: Option<&[u8]>) -> Result<u64> {
        let shared = &self.shared;
        let staging = Arc::new(Buffer::new(shared, image.bytes, Place::Host)?);
        let to = on_host(&staging)?;
        // SAFETY: the buffer has the bytes of the image, which are those of the data, and nobody else knows of it.
        unsafe {
            match data {
                Some(data) => to.copy_from_nonoverlapping(data.as_ptr(), data.len().min(image.bytes)),
                None => to.write_bytes(0, image.bytes),
            }
        }
        let mut stream = self.stream();
        let (list, command) = stream.begin(shared)?;
        // SAFETY: the buffer has the bytes of the whole image, and both are kept.
        let result = unsafe {
            shared.api.zeCommandListAppendImageCopyFromMemory(
                list,
                raw,
                staging.pointer(),
                null(),
                null_mut(),
                0,
                null_mut(),
            )
        };
        shared.check("zeCommandListAppendImageCopyFromMemory", result)?;
        image.used(true, command);
        stream.keep(image.bytes, (staging, image.clone()));
        stream.submit_if_long(shared)?;
        Ok(command)
    }
}

impl Queue {
    pub(crate) fn read_image(&self, image: &Arc<Image>, out: &mut [u8]) -> Result<()> {
        let (device, shared) = (&self.device, &self.device.shared);
        let raw = match &image.texels {
            Texels::Object(raw) => *raw,
            Texels::Memory(buffer) => return self.read_buffer(buffer, out),
        };
        device.with_memory(|| {
            let staging = Arc::new(Buffer::new(shared, image.bytes, Place::Host)?);
            let command = {
                let mut stream = device.stream();
                stream.check_writer(image.last_write())?;
                let (list, command) = stream.begin(shared)?;
                // SAFETY: the buffer has room for the whole image, and both are kept.
                let result = unsafe {
                    shared.api.zeCommandListAppendImageCopyToMemory(
                        list,
                        staging.pointer(),
                        raw,
                        null(),
                        null_mut(),
                        0,
                        null_mut(),
                    )
                };
                shared.check("zeCommandListAppendImageCopyToMemory", result)?;
                image.used(false, command);
                stream.keep(image.bytes, (staging.clone(), image.clone()));
                command
            };
            device.finish(command)?;
            // SAFETY: the buffer has the bytes of the image, which the completed copy wrote.
            unsafe {
                on_host(&staging)?.copy_to_nonoverlapping(out.as_mut_ptr(), out.len().min(image.bytes))
            };
            Ok(())
        })
    }

    pub(crate) fn write_image(&self, image: &Arc<Image>, data: &[u8]) -> Result<()> {
        let raw = match &image.texels {
            Texels::Object(raw) => *raw,
            Texels::Memory(buffer) => return self.write_buffer(buffer, data),
        };
        let device = &self.device;
        device.throttle()?;
        let command = device.with_memory(|| device.fill_image(image, raw, Some(data)))?;
        self.ran(command);
        Ok(())
    }
}

/// Bytes of an image in memory. Kernels count its texels in 32 bits.
fn memory_bytes([width, height]: [u32; 2], texel: usize) -> Result<usize> {
    let texels = width.checked_mul(height).ok_or_else(|| {
        error!(
            Limit,
            "an image of {width}x{height} texels exceeds the {} that it may have on a device without images; split it",
            u32::MAX
        )
    })?;
    let too_large =
        || error!(OutOfMemory, "{width}x{height} texels of {texel} bytes exceed the address space");
    usize::try_from(texels).ok().and_then(|n| n.checked_mul(texel)).ok_or_else(too_large)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_in_memory_have_a_limit() {
        assert_eq!(memory_bytes([3, 5], 16).unwrap(), 240);
        assert_eq!(memory_bytes([65535, 65537], 1).unwrap(), u32::MAX as usize);
        let error = memory_bytes([65536, 65536], 1).unwrap_err();
        assert_eq!(error.kind(), crate::ErrorKind::Limit, "{error}");
    }

    #[test]
    fn formats_are_found_by_name_and_size() {
        fn texel<F: PixelFormat>() -> TexelFormat {
            let (name, code, components) = (F::NAME, F::CODE, F::COMPONENTS);
            TexelFormat { name, code, components, bytes: size_of::<F::Texel>() }
        }
        fn of<F: PixelFormat>() -> (u32, u32) {
            let format = format(texel::<F>()).unwrap();
            (format.layout, format.r#type)
        }
        use crate::*;
        assert_eq!(of::<Rgba8Unorm>(), (ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8, ZE_IMAGE_FORMAT_TYPE_UNORM));
        assert_eq!(of::<Rg16Snorm>(), (ZE_IMAGE_FORMAT_LAYOUT_16_16, ZE_IMAGE_FORMAT_TYPE_SNORM));
        assert_eq!(of::<R32Float>(), (ZE_IMAGE_FORMAT_LAYOUT_32, ZE_IMAGE_FORMAT_TYPE_FLOAT));
        assert_eq!(of::<R8Sint>(), (ZE_IMAGE_FORMAT_LAYOUT_8, ZE_IMAGE_FORMAT_TYPE_SINT));
        assert_eq!(of::<Rgba32Uint>(), (ZE_IMAGE_FORMAT_LAYOUT_32_32_32_32, ZE_IMAGE_FORMAT_TYPE_UINT));
        let three = TexelFormat { name: "Rgb8Unorm", code: 0, components: 3, bytes: 3 };
        assert!(format(three).is_none());
    }
}
