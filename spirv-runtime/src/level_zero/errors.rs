//! What Level Zero's result codes mean to a user.

use super::device::Shared;
use crate::error::{Error, ErrorKind, Result};
use level_zero_sys::*;

/// How messages call a result.
pub(super) fn name(result: ze_result_t) -> String {
    match result_name(result) {
        Some(name) => format!("{name} ({result:#x})"),
        None => format!("result {result:#x}"),
    }
}

/// The error for a failed call.
pub(super) fn failed(call: &str, result: ze_result_t) -> Error {
    match result {
        ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY => {
            Error::new(ErrorKind::OutOfMemory, "the device has not enough memory left")
        }
        ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY => {
            Error::new(ErrorKind::OutOfMemory, "the host has not enough memory left for the driver")
        }
        ZE_RESULT_ERROR_DEVICE_LOST
        | ZE_RESULT_ERROR_DEVICE_REQUIRES_RESET
        | ZE_RESULT_ERROR_DEVICE_IN_LOW_POWER_STATE => Error::new(
            ErrorKind::DeviceLost,
            format!(
                "the device was lost ({}): it was reset or removed, or a kernel ran too long; what it held is gone. Open \
                 it again, and make buffers, images and kernels anew",
                name(result)
            ),
        ),
        ZE_RESULT_ERROR_UNSUPPORTED_FEATURE => Error::new(
            ErrorKind::Unsupported,
            format!("the Level Zero driver or its loader is too old for {call}; update both"),
        ),
        other => {
            Error::new(ErrorKind::Driver, format!("the Level Zero driver failed in {call}: {}", name(other)))
        }
    }
}

/// The error of a call, if it failed.
pub(super) fn check(call: &str, result: ze_result_t) -> Result<()> {
    if result == ZE_RESULT_SUCCESS { Ok(()) } else { Err(failed(call, result)) }
}

/// Whether a device answers a question about something that it may not have.
pub(super) fn answers(call: &str, result: ze_result_t) -> Result<bool> {
    match result {
        ZE_RESULT_SUCCESS => Ok(true),
        ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY
        | ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY
        | ZE_RESULT_ERROR_DEVICE_LOST => Err(failed(call, result)),
        _ => Ok(false),
    }
}

impl Shared {
    /// The error for a failed call. If it says that the device was lost, all calls will from now on.
    pub fn failed(&self, call: &str, result: ze_result_t) -> Error {
        let error = failed(call, result);
        if error.kind() == ErrorKind::DeviceLost {
            let _ = self.lost.set(error.clone());
        }
        error
    }

    /// The error of a call, if it failed.
    pub fn check(&self, call: &str, result: ze_result_t) -> Result<()> {
        if result == ZE_RESULT_SUCCESS { Ok(()) } else { Err(self.failed(call, result)) }
    }

    /// An error if the device was lost.
    pub fn alive(&self) -> Result<()> {
        self.lost.get().map_or(Ok(()), |error| Err(error.clone()))
    }
}
