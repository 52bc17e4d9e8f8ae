//! The Level Zero device on in-order immediate lists: the driver of `tests/ze-on-opencl` stands in for the loader, since
//! the loader of Debian 12 does not know such lists.
#![cfg(all(feature = "level-zero", target_os = "linux"))]

#[path = "level_zero/cases.rs"]
mod cases;
#[path = "level_zero/setup.rs"]
mod setup;

use spirv_runtime::Device;

/// Buffers that the host can reach, and buffers that it cannot.
fn devices() -> Vec<Device> {
    if !setup::ready(false) {
        return Vec::new();
    }
    vec![Device::level_zero(0).unwrap(), Device::__level_zero_for_tests(0, false, true).unwrap()]
}
