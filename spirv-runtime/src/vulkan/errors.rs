//! What Vulkan's result codes mean to a user.

use crate::error::{Error, ErrorKind};
use ash::vk;
use gpu_allocator::AllocationError;

/// The error for a failed call.
pub(super) fn failed(call: &str, result: vk::Result) -> Error {
    match result {
        vk::Result::ERROR_OUT_OF_DEVICE_MEMORY => {
            Error::new(ErrorKind::OutOfMemory, "the device has not enough memory left")
        }
        vk::Result::ERROR_OUT_OF_HOST_MEMORY => {
            Error::new(ErrorKind::OutOfMemory, "the host has not enough memory left for the driver")
        }
        vk::Result::ERROR_DEVICE_LOST => Error::new(
            ErrorKind::DeviceLost,
            "the device was lost: it was reset or removed, or a kernel ran too long; what it held is gone",
        ),
        other => Error::new(ErrorKind::Driver, format!("the Vulkan driver failed in {call}: {other}")),
    }
}

/// The error for a failed allocation.
pub(super) fn not_allocated(bytes: u64, error: AllocationError) -> Error {
    match error {
        AllocationError::OutOfMemory => {
            Error::new(ErrorKind::OutOfMemory, format!("the device has no {bytes} bytes of memory left"))
        }
        other => {
            Error::new(ErrorKind::Driver, format!("the device gave no memory for {bytes} bytes: {other}"))
        }
    }
}
