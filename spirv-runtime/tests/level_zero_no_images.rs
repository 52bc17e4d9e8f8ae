//! The Level Zero device where it has no images: they are memory there, and take the same data to and fro.
#![cfg(all(feature = "level-zero", target_os = "linux"))]

#[path = "level_zero/setup.rs"]
mod setup;

use setup::{assemble, check_texels, describe};
use spirv_runtime::__private::{Binding, ClArg, Loaded, ResourceDesc, ResourceKind};
use spirv_runtime::{Device, ErrorKind, R8Uint, R32Float, Rgba8Unorm, Rgba16Float, Rgba32Sint};

/// Memory that the host can reach, and memory that it cannot.
fn devices() -> Vec<Device> {
    // SAFETY: every test of this process does this first, with the same value, and the driver reads it later.
    unsafe { std::env::set_var("ZEOCL_NO_IMAGES", "1") };
    if !setup::ready(false) {
        return Vec::new();
    }
    vec![Device::level_zero(0).unwrap(), Device::__level_zero_for_tests(0, false, true).unwrap()]
}

#[test]
fn images_keep_their_texels_and_have_a_limit() {
    for device in devices() {
        let queue = device.queue();
        check_texels::<R8Uint>(&device, &queue, &[1, 2, 3, 4, 5, 6], &[255; 6]);
        check_texels::<R32Float>(&device, &queue, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[0.5; 6]);
        check_texels::<Rgba8Unorm>(&device, &queue, &[[1, 2, 3, 4]; 6], &[[255, 0, 9, 7]; 6]);
        check_texels::<Rgba16Float>(&device, &queue, &[[0x3c00, 0, 0x4000, 1]; 6], &[[1; 4]; 6]);
        check_texels::<Rgba32Sint>(&device, &queue, &[[i32::MIN, -1, 0, 7]; 6], &[[3; 4]; 6]);
        // No side has a limit, as those of the device's own images have.
        assert_eq!(device.image::<R8Uint>(1 << 20, 1).unwrap().width(), 1 << 20);
        let error = device.image::<R8Uint>(1 << 16, 1 << 16).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Limit, "{error}");
    }
}

#[test]
fn kernels_with_images_of_the_device_are_refused_by_name() {
    const IMAGE: &[ResourceDesc] = &[ResourceDesc {
        name: "photo",
        writable: true,
        binding: Binding::Descriptor { set: 0, binding: 0 },
        kind: ResourceKind::Image { dimension: "D2", storage: true, format: None, count: None },
    }];
    for device in devices() {
        let Some(spirv) = assemble("axpy") else { return };
        let entry = describe(spirv, "main", [64, 1, 1], IMAGE, &[ClArg::Image(0)]);
        let error = Loaded::new(&device, entry).map(|_| ()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
        for part in ["`photo`", "the device has none", "SPIRV_DEVICE=cpu"] {
            assert!(error.to_string().contains(part), "{error}");
        }
    }
}
