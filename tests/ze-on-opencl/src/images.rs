//! Images: OpenCL's, with a book of what is alive.

use crate::lists::{Address, append};
use crate::opencl::{self, Handle, ImageDesc, ImageFormat};
use crate::worker::Action;
use level_zero_sys::*;
use std::collections::BTreeSet;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Texels on each side, where the device has images.
const MAX_SIDE: u32 = 16384;
const READ_WRITE: u64 = 1;
const IMAGE_2D: u32 = 0x10f1;
const FORMAT_NOT_SUPPORTED: i32 = -10;
const TRUE: u32 = 1;

/// One row a layout: Level Zero's, OpenCL's order of channels, bits of a channel.
const LAYOUTS: &[(ze_image_format_layout_t, u32, u32)] = {
    const R: u32 = 0x10b0;
    const RG: u32 = 0x10b2;
    const RGBA: u32 = 0x10b5;
    &[
        (ZE_IMAGE_FORMAT_LAYOUT_8, R, 8),
        (ZE_IMAGE_FORMAT_LAYOUT_16, R, 16),
        (ZE_IMAGE_FORMAT_LAYOUT_32, R, 32),
        (ZE_IMAGE_FORMAT_LAYOUT_8_8, RG, 8),
        (ZE_IMAGE_FORMAT_LAYOUT_16_16, RG, 16),
        (ZE_IMAGE_FORMAT_LAYOUT_32_32, RG, 32),
        (ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8, RGBA, 8),
        (ZE_IMAGE_FORMAT_LAYOUT_16_16_16_16, RGBA, 16),
        (ZE_IMAGE_FORMAT_LAYOUT_32_32_32_32, RGBA, 32),
    ]
};

/// One row a type of channels: Level Zero's, bits, OpenCL's.
const TYPES: &[(ze_image_format_type_t, u32, u32)] = &[
    (ZE_IMAGE_FORMAT_TYPE_SNORM, 8, 0x10d0),
    (ZE_IMAGE_FORMAT_TYPE_SNORM, 16, 0x10d1),
    (ZE_IMAGE_FORMAT_TYPE_UNORM, 8, 0x10d2),
    (ZE_IMAGE_FORMAT_TYPE_UNORM, 16, 0x10d3),
    (ZE_IMAGE_FORMAT_TYPE_SINT, 8, 0x10d7),
    (ZE_IMAGE_FORMAT_TYPE_SINT, 16, 0x10d8),
    (ZE_IMAGE_FORMAT_TYPE_SINT, 32, 0x10d9),
    (ZE_IMAGE_FORMAT_TYPE_UINT, 8, 0x10da),
    (ZE_IMAGE_FORMAT_TYPE_UINT, 16, 0x10db),
    (ZE_IMAGE_FORMAT_TYPE_UINT, 32, 0x10dc),
    (ZE_IMAGE_FORMAT_TYPE_FLOAT, 16, 0x10dd),
    (ZE_IMAGE_FORMAT_TYPE_FLOAT, 32, 0x10de),
];

/// Texels on each side; 0 if the device has no images.
pub fn max_side() -> u32 {
    if std::env::var_os("ZEOCL_NO_IMAGES").is_some_and(|v| v == "1") { 0 } else { MAX_SIDE }
}

/// An image.
struct Image {
    raw: Handle,
    width: usize,
    height: usize,
}

// SAFETY: OpenCL's functions may be called from any thread.
unsafe impl Send for Image {}
// SAFETY: as above.
unsafe impl Sync for Image {}

impl Drop for Image {
    fn drop(&mut self) {
        if let Some(opencl) = opencl::get() {
            // SAFETY: copies that use the image hold it; launches are waited for before it is destroyed.
            unsafe { (opencl.core.clReleaseMemObject)(self.raw) };
        }
    }
}

fn book() -> MutexGuard<'static, BTreeSet<usize>> {
    static BOOK: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());
    BOOK.lock().unwrap_or_else(PoisonError::into_inner)
}

/// OpenCL's image behind a handle; None if it was destroyed or never made.
pub fn opencl_image(handle: usize) -> Option<Handle> {
    // SAFETY: handles in the book come from `Arc::into_raw` and are alive.
    book().contains(&handle).then(|| unsafe { (*(handle as *const Image)).raw })
}

/// # Safety
/// The handle is valid.
unsafe fn image(handle: ze_image_handle_t) -> Arc<Image> {
    let image: *const Image = handle.cast_const().cast();
    // SAFETY: handles of images come from `Arc::into_raw`.
    unsafe {
        Arc::increment_strong_count(image);
        Arc::from_raw(image)
    }
}

fn format(format: &ze_image_format_t) -> Option<ImageFormat> {
    let (_, order, bits) = LAYOUTS.iter().find(|l| l.0 == format.layout)?;
    let (_, _, channel) = TYPES.iter().find(|t| t.0 == format.r#type && t.1 == *bits)?;
    let straight = (format.x, format.y, format.z, format.w)
        == (
            ZE_IMAGE_FORMAT_SWIZZLE_R,
            ZE_IMAGE_FORMAT_SWIZZLE_G,
            ZE_IMAGE_FORMAT_SWIZZLE_B,
            ZE_IMAGE_FORMAT_SWIZZLE_A,
        );
    straight.then_some(ImageFormat { order: *order, channel: *channel })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeImageCreate(
    _context: ze_context_handle_t,
    _device: ze_device_handle_t,
    desc: *const ze_image_desc_t,
    out: *mut ze_image_handle_t,
) -> ze_result_t {
    let Some(opencl) = opencl::get() else { return ZE_RESULT_ERROR_UNINITIALIZED };
    if max_side() == 0 {
        return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    }
    // SAFETY: the structure is valid, by the specification.
    let desc = unsafe { &*desc };
    let Some(format) = format(&desc.format) else { return ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT };
    if desc.r#type != ZE_IMAGE_TYPE_2D || desc.miplevels != 0 {
        return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    }
    let side = u64::from(MAX_SIDE);
    if !(1..=side).contains(&desc.width) || !(1..=MAX_SIDE).contains(&desc.height) {
        return ZE_RESULT_ERROR_UNSUPPORTED_SIZE;
    }
    let (width, height) = (desc.width as usize, desc.height as usize);
    let shape = ImageDesc { kind: IMAGE_2D, width, height, ..ImageDesc::default() };
    let mut error = 0;
    // SAFETY: the context is valid, and so are both structures; there are no texels to copy.
    let raw = unsafe {
        (opencl.core.clCreateImage)(opencl.context, READ_WRITE, &format, &shape, null_mut(), &mut error)
    };
    match error {
        0 => {}
        FORMAT_NOT_SUPPORTED => return ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT,
        _ => return ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY,
    }
    let handle = Arc::into_raw(Arc::new(Image { raw, width, height })).cast_mut();
    book().insert(handle as usize);
    // SAFETY: there is room for the handle, by the specification.
    unsafe { out.write(handle.cast()) };
    ZE_RESULT_SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeImageDestroy(handle: ze_image_handle_t) -> ze_result_t {
    if !book().remove(&(handle as usize)) {
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    // SAFETY: the handle was in the book, so it is valid; it is not used again.
    drop(unsafe { Arc::from_raw(handle.cast_const().cast::<Image>()) });
    ZE_RESULT_SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeImageGetProperties(
    _device: ze_device_handle_t,
    _desc: *const ze_image_desc_t,
    out: *mut ze_image_properties_t,
) -> ze_result_t {
    // SAFETY: there is room for the result, by the specification.
    unsafe { (*out).samplerFilterFlags = ZE_IMAGE_SAMPLER_FILTER_FLAG_POINT };
    ZE_RESULT_SUCCESS
}

/// The origin and size of a region, which may be missing: the whole image.
///
/// # Safety
/// The region is null or valid.
unsafe fn region(image: &Image, region: *const ze_image_region_t) -> Option<[[usize; 3]; 2]> {
    if region.is_null() {
        return Some([[0; 3], [image.width, image.height, 1]]);
    }
    // SAFETY: the caller's promise.
    let r = unsafe { &*region };
    let fits = |origin: u32, size: u32, limit: usize| u64::from(origin) + u64::from(size) <= limit as u64;
    (fits(r.originX, r.width, image.width) && fits(r.originY, r.height, image.height) && r.depth == 1)
        .then_some([[r.originX as usize, r.originY as usize, 0], [r.width as usize, r.height as usize, 1]])
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListAppendImageCopyFromMemory(
    list: ze_command_list_handle_t,
    to: ze_image_handle_t,
    from: *const c_void,
    to_region: *const ze_image_region_t,
    signal: ze_event_handle_t,
    count: u32,
    waits: *mut ze_event_handle_t,
) -> ze_result_t {
    // SAFETY: the handle is valid, and the region is null or valid, by the specification.
    let (image, from) = (unsafe { image(to) }, Address(from.cast_mut()));
    // SAFETY: as above.
    let Some([origin, size]) = (unsafe { region(&image, to_region) }) else {
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    };
    let action: Action = Arc::new(move |queue| {
        let Some(opencl) = opencl::get() else { return Err("no OpenCL".into()) };
        // SAFETY: the region is in the image, and the memory has that many texels, by the specification.
        let error = unsafe {
            let write = opencl.core.clEnqueueWriteImage;
            let (origin, size) = (origin.as_ptr(), size.as_ptr());
            write(queue, image.raw, TRUE, origin, size, 0, 0, from.get(), 0, std::ptr::null(), null_mut())
        };
        if error == 0 { Ok(()) } else { Err(format!("OpenCL error {error} in a copy to an image")) }
    });
    // SAFETY: handles are valid, by the specification.
    unsafe { append(list, false, Some(action), signal, count, waits) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeCommandListAppendImageCopyToMemory(
    list: ze_command_list_handle_t,
    to: *mut c_void,
    from: ze_image_handle_t,
    from_region: *const ze_image_region_t,
    signal: ze_event_handle_t,
    count: u32,
    waits: *mut ze_event_handle_t,
) -> ze_result_t {
    // SAFETY: the handle is valid, and the region is null or valid, by the specification.
    let (image, to) = (unsafe { image(from) }, Address(to));
    // SAFETY: as above.
    let Some([origin, size]) = (unsafe { region(&image, from_region) }) else {
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    };
    let action: Action = Arc::new(move |queue| {
        let Some(opencl) = opencl::get() else { return Err("no OpenCL".into()) };
        // SAFETY: the region is in the image, and the memory has room for that many texels, by the specification.
        let error = unsafe {
            let read = opencl.core.clEnqueueReadImage;
            let (origin, size) = (origin.as_ptr(), size.as_ptr());
            read(queue, image.raw, TRUE, origin, size, 0, 0, to.get(), 0, std::ptr::null(), null_mut())
        };
        if error == 0 { Ok(()) } else { Err(format!("OpenCL error {error} in a copy from an image")) }
    });
    // SAFETY: handles are valid, by the specification.
    unsafe { append(list, false, Some(action), signal, count, waits) }
}
