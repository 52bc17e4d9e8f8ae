//! Memory of the device, and of the host for copies.

use super::device::Shared;
use crate::error::{Result, error};
use level_zero_sys::*;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Alignment of allocations: a cache line, and the widest vector.
const ALIGN: usize = 128;

/// Where an allocation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Memory of the device only.
    Device,
    /// Memory that both reach.
    Shared,
    /// Memory of the host that the device can copy from and to.
    Host,
}

/// An allocation.
pub(crate) struct Buffer {
    shared: Arc<Shared>,
    pointer: *mut c_void,
    place: Place,
    /// Bytes that were asked for.
    pub(super) bytes: usize,
    /// Tells it from all other allocations, also from later ones at the same address.
    pub(super) id: u64,
    /// Number of the last command that writes it, and of the last that uses it at all. Guarded by the stream's lock.
    last_write: AtomicU64,
    last_use: AtomicU64,
}

// SAFETY: the memory is reached through commands, and by the host as the module's invariants say.
unsafe impl Send for Buffer {}
// SAFETY: as above.
unsafe impl Sync for Buffer {}

impl Buffer {
    pub(super) fn new(shared: &Arc<Shared>, bytes: usize, place: Place) -> Result<Buffer> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let api = &shared.api;
        // Nothing can be allocated in no bytes; kernels get the true length.
        let size = bytes.max(1);
        let mut relaxed = ze_relaxed_allocation_limits_exp_desc_t::new();
        relaxed.flags = ZE_RELAXED_ALLOCATION_LIMITS_EXP_FLAG_MAX_SIZE;
        let mut device = ze_device_mem_alloc_desc_t::new();
        let mut host = ze_host_mem_alloc_desc_t::new();
        let is_large = size as u64 > shared.max_allocation;
        if is_large {
            device.pNext = (&raw const relaxed).cast();
            host.pNext = if place == Place::Host { (&raw const relaxed).cast() } else { null() };
        }
        let (context, mut pointer) = (shared.context, null_mut());
        // SAFETY: the structures have their tags and live until the call returns.
        let result = unsafe {
            match place {
                Place::Device => {
                    api.zeMemAllocDevice(context, &device, size, ALIGN, shared.raw, &mut pointer)
                }
                Place::Shared => {
                    api.zeMemAllocShared(context, &device, &host, size, ALIGN, shared.raw, &mut pointer)
                }
                Place::Host => api.zeMemAllocHost(context, &host, size, ALIGN, &mut pointer),
            }
        };
        match result {
            ZE_RESULT_SUCCESS if !pointer.is_null() => Ok(Buffer {
                shared: shared.clone(),
                pointer,
                place,
                bytes,
                id: NEXT.fetch_add(1, Ordering::Relaxed),
                last_write: AtomicU64::new(0),
                last_use: AtomicU64::new(0),
            }),
            ZE_RESULT_ERROR_UNSUPPORTED_SIZE | ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION if is_large => {
                Err(error!(
                    Limit,
                    "{bytes} bytes exceed the {} that the device allows in one buffer; split the data",
                    shared.max_allocation
                ))
            }
            ZE_RESULT_SUCCESS | ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY | ZE_RESULT_ERROR_UNSUPPORTED_SIZE => {
                Err(error!(OutOfMemory, "the device has no {bytes} bytes of memory left"))
            }
            ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY => {
                Err(error!(OutOfMemory, "the host has no {bytes} bytes of memory left for the device"))
            }
            other => Err(shared.failed("allocating memory", other)),
        }
    }

    pub fn pointer(&self) -> *mut c_void {
        self.pointer
    }

    /// The memory, if the host can reach it.
    pub fn on_host(&self) -> Option<*mut u8> {
        (self.place != Place::Device).then_some(self.pointer.cast())
    }

    /// Notes a use by a command; called under the stream's lock.
    pub fn used(&self, write: bool, command: u64) {
        self.last_use.store(command, Ordering::Relaxed);
        if write {
            self.last_write.store(command, Ordering::Relaxed);
        }
    }

    /// All of it was written by the host, which waited for the device.
    pub fn renewed(&self) {
        self.last_write.store(0, Ordering::Relaxed);
    }

    pub fn last_write(&self) -> u64 {
        self.last_write.load(Ordering::Relaxed)
    }

    pub fn last_use(&self) -> u64 {
        self.last_use.load(Ordering::Relaxed)
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: commands that use it hold it until they have completed.
        unsafe { self.shared.api.zeMemFree(self.shared.context, self.pointer) };
    }
}
