//! What Vulkan's result codes mean to a user.

use super::device::Shared;
use crate::error::{Error, ErrorKind};
use ash::vk;
use gpu_allocator::AllocationError;

/// The error for a failed call.
pub(super) fn failed(call: &str, result: vk::Result) -> Error {
    match result {
        vk::Result::ERROR_OUT_OF_DEVICE_MEMORY
        | vk::Result::ERROR_OUT_OF_POOL_MEMORY
        | vk::Result::ERROR_FRAGMENTED_POOL => {
            Error::new(ErrorKind::OutOfMemory, "the device has not enough memory left")
        }
        vk::Result::ERROR_OUT_OF_HOST_MEMORY => {
            Error::new(ErrorKind::OutOfMemory, "the host has not enough memory left for the driver")
        }
        vk::Result::ERROR_MEMORY_MAP_FAILED => {
            Error::new(ErrorKind::OutOfMemory, "the host has no addresses left for the device's memory")
        }
        vk::Result::ERROR_TOO_MANY_OBJECTS => Error::new(
            ErrorKind::Limit,
            format!("the device has no more objects for {call}; drop some, or make fewer and larger ones"),
        ),
        vk::Result::ERROR_DEVICE_LOST => Error::new(
            ErrorKind::DeviceLost,
            "the device was lost: it was reset or removed, or a kernel ran too long; what it held is gone. Open it \
             again, and make buffers, images and kernels anew",
        ),
        other => Error::new(ErrorKind::Driver, format!("the Vulkan driver failed in {call}: {other:?}")),
    }
}

impl Shared {
    /// The error for a failed call. If it says that the device was lost, all calls will from now on.
    pub fn failed(&self, call: &str, result: vk::Result) -> Error {
        let error = failed(call, result);
        if error.kind() == ErrorKind::DeviceLost {
            let _ = self.lost.set(error.clone());
        }
        error
    }

    /// The error for a failed allocation.
    pub fn not_allocated(&self, bytes: u64, error: AllocationError) -> Error {
        // The allocator has a case for one result; the others are in its text, under the one name or the other.
        const RESULTS: &[vk::Result] = &[
            vk::Result::ERROR_OUT_OF_HOST_MEMORY,
            vk::Result::ERROR_OUT_OF_DEVICE_MEMORY,
            vk::Result::ERROR_TOO_MANY_OBJECTS,
            vk::Result::ERROR_MEMORY_MAP_FAILED,
            vk::Result::ERROR_DEVICE_LOST,
        ];
        let text = match error {
            AllocationError::OutOfMemory => {
                let message = format!("the device has no {bytes} bytes of memory left");
                return Error::new(ErrorKind::OutOfMemory, message);
            }
            AllocationError::Internal(text) | AllocationError::FailedToMap(text) => text,
            other => other.to_string(),
        };
        let says = |result: &&vk::Result| {
            text.contains(&format!("{result:?}")) || text.contains(&result.to_string())
        };
        match RESULTS.iter().find(says) {
            Some(result) => self.failed("vkAllocateMemory", *result).at(format_args!("{bytes} bytes")),
            None => {
                Error::new(ErrorKind::Driver, format!("the device gave no memory for {bytes} bytes: {text}"))
            }
        }
    }
}
