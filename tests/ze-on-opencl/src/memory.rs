//! Allocations: OpenCL's unified memory, with a book of what is alive.

use crate::device::device_handle;
use crate::opencl::{self, INVALID_BUFFER_SIZE, OpenCl};
use level_zero_sys::*;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::{Mutex, MutexGuard, PoisonError};

#[derive(Clone, Copy)]
struct Allocation {
    size: usize,
    kind: ze_memory_type_t,
    id: u64,
}

#[derive(Default)]
struct Book {
    live: BTreeMap<usize, Allocation>,
    next: u64,
}

fn book() -> MutexGuard<'static, Book> {
    static BOOK: Mutex<Book> = Mutex::new(Book { live: BTreeMap::new(), next: 1 });
    BOOK.lock().unwrap_or_else(PoisonError::into_inner)
}

fn find(book: &Book, pointer: *const c_void) -> Option<(usize, Allocation)> {
    let address = pointer as usize;
    let (base, allocation) = book.live.range(..=address).next_back()?;
    (address < base + allocation.size).then_some((*base, *allocation))
}

/// Whether the address is in memory that was allocated and not freed.
pub fn is_live(pointer: *const c_void) -> bool {
    find(&book(), pointer).is_some()
}

fn allocate(
    kind: ze_memory_type_t,
    size: usize,
    align: usize,
    out: *mut *mut c_void,
    call: impl FnOnce(&OpenCl, u32, &mut i32) -> *mut c_void,
) -> ze_result_t {
    let Some(opencl) = opencl::get() else { return ZE_RESULT_ERROR_UNINITIALIZED };
    if size == 0 {
        return ZE_RESULT_ERROR_UNSUPPORTED_SIZE;
    }
    if align != 0 && !align.is_power_of_two() {
        return ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT;
    }
    let mut error = 0;
    let pointer = call(opencl, align as u32, &mut error);
    if error != 0 || pointer.is_null() {
        return if error == INVALID_BUFFER_SIZE {
            ZE_RESULT_ERROR_UNSUPPORTED_SIZE
        } else {
            ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY
        };
    }
    let mut book = book();
    book.next += 1;
    let id = book.next;
    book.live.insert(pointer as usize, Allocation { size, kind, id });
    // SAFETY: there is room for the pointer, by the specification. What it points to is not zero: nobody may rely
    // on that.
    unsafe {
        pointer.cast::<u8>().write_bytes(0xcd, size);
        out.write(pointer);
    }
    ZE_RESULT_SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeMemAllocShared(
    _context: ze_context_handle_t,
    _device: *const ze_device_mem_alloc_desc_t,
    _host: *const ze_host_mem_alloc_desc_t,
    size: usize,
    align: usize,
    _handle: ze_device_handle_t,
    out: *mut *mut c_void,
) -> ze_result_t {
    // SAFETY: context and device are valid; no properties.
    allocate(ZE_MEMORY_TYPE_SHARED, size, align, out, |cl, align, error| unsafe {
        (cl.unified.clSharedMemAllocINTEL)(cl.context, cl.device, null(), size, align, error)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeMemAllocDevice(
    _context: ze_context_handle_t,
    _device: *const ze_device_mem_alloc_desc_t,
    size: usize,
    align: usize,
    _handle: ze_device_handle_t,
    out: *mut *mut c_void,
) -> ze_result_t {
    // SAFETY: as above.
    allocate(ZE_MEMORY_TYPE_DEVICE, size, align, out, |cl, align, error| unsafe {
        (cl.unified.clDeviceMemAllocINTEL)(cl.context, cl.device, null(), size, align, error)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeMemAllocHost(
    _context: ze_context_handle_t,
    _host: *const ze_host_mem_alloc_desc_t,
    size: usize,
    align: usize,
    out: *mut *mut c_void,
) -> ze_result_t {
    // SAFETY: as above.
    allocate(ZE_MEMORY_TYPE_HOST, size, align, out, |cl, align, error| unsafe {
        (cl.unified.clHostMemAllocINTEL)(cl.context, null(), size, align, error)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeMemFree(_context: ze_context_handle_t, pointer: *mut c_void) -> ze_result_t {
    let Some(opencl) = opencl::get() else { return ZE_RESULT_ERROR_UNINITIALIZED };
    if book().live.remove(&(pointer as usize)).is_none() {
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    // SAFETY: the pointer is of an allocation that was not freed before.
    match unsafe { (opencl.unified.clMemFreeINTEL)(opencl.context, pointer) } {
        0 => ZE_RESULT_SUCCESS,
        _ => ZE_RESULT_ERROR_INVALID_ARGUMENT,
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeMemGetAllocProperties(
    _context: ze_context_handle_t,
    pointer: *const c_void,
    out: *mut ze_memory_allocation_properties_t,
    device: *mut ze_device_handle_t,
) -> ze_result_t {
    let found = find(&book(), pointer).map(|f| f.1);
    let kind = found.map_or(ZE_MEMORY_TYPE_UNKNOWN, |a| a.kind);
    let of_device = matches!(kind, ZE_MEMORY_TYPE_DEVICE | ZE_MEMORY_TYPE_SHARED);
    // SAFETY: there is room for the results, by the specification; the device may be null.
    unsafe {
        (*out).r#type = kind;
        (*out).id = found.map_or(0, |a| a.id);
        (*out).pageSize = 4096;
        if !device.is_null() {
            device.write(if of_device { device_handle() } else { null_mut() });
        }
    }
    ZE_RESULT_SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeMemGetAddressRange(
    _context: ze_context_handle_t,
    pointer: *const c_void,
    base: *mut *mut c_void,
    size: *mut usize,
) -> ze_result_t {
    let Some((at, allocation)) = find(&book(), pointer) else { return ZE_RESULT_ERROR_INVALID_ARGUMENT };
    // SAFETY: each is null or has room for the result, by the specification.
    unsafe {
        if !base.is_null() {
            base.write(at as *mut c_void);
        }
        if !size.is_null() {
            size.write(allocation.size);
        }
    }
    ZE_RESULT_SUCCESS
}
