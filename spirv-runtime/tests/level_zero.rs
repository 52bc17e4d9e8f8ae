//! The Level Zero device through the loader, under its validation layer, on the driver of `tests/ze-on-opencl`.
//!
//! Debian 12's loader is of an API without in-order lists, so this goes the way of regular lists; the driver reverses
//! what no barrier separates (`ZEOCL_SHUFFLE=0` switches that off). Components that are missing are said, and the tests
//! count as passed, unless `SPIRV_REQUIRE_COMPONENTS` is set.
#![cfg(all(feature = "level-zero", target_os = "linux"))]

#[path = "level_zero/cases.rs"]
mod cases;
#[path = "level_zero/setup.rs"]
mod setup;

use spirv_runtime::Device;
use std::process::Command;

/// Buffers that the host can reach, and buffers that it cannot.
fn devices() -> Vec<Device> {
    if !setup::ready(true) {
        return Vec::new();
    }
    vec![Device::level_zero(0).unwrap(), Device::__level_zero_for_tests(0, true, true).unwrap()]
}

/// The error of opening a device in a process of its own, with these variables.
fn error_with(variables: &[(&str, &str)]) -> String {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "act_as_process_without_device", "--nocapture"]);
    child.env_remove("ZE_ENABLE_ALT_DRIVERS").env(ACT, "1").envs(variables.iter().copied());
    let out = child.output().unwrap();
    assert!(out.status.success(), "{out:?}");
    String::from_utf8_lossy(&out.stdout).into_owned()
}

/// Only set in the process that [`error_with`] starts.
const ACT: &str = "SPIRV_TEST_ACT";

#[test]
fn act_as_process_without_device() {
    if std::env::var_os(ACT).is_none() {
        return;
    }
    match Device::level_zero(0) {
        Ok(device) => println!("opened {}", device.name()),
        Err(e) => println!("{:?}: {e}", e.kind()),
    }
    assert!(Device::all().iter().any(|d| d.id == "cpu"));
}

#[test]
fn without_a_loader_the_error_says_what_is_missing() {
    let error = error_with(&[("SPIRV_LEVEL_ZERO_LOADER", "/nowhere/libze_loader.so")]);
    assert!(error.contains("NoDevice") && error.contains("/nowhere/libze_loader.so"), "{error}");
}

#[test]
fn without_a_driver_the_error_says_what_to_install() {
    if !setup::ready(true) {
        return;
    }
    let driver = std::env::var("ZE_ENABLE_ALT_DRIVERS").unwrap();
    let variables = [("ZE_ENABLE_ALT_DRIVERS", driver.as_str()), ("ZEOCL_OPENCL", "/nowhere/libOpenCL.so")];
    let error = error_with(&variables);
    for part in ["NoDevice", "libze-intel-gpu1", "render"] {
        assert!(error.contains(part), "{error}");
    }
}
