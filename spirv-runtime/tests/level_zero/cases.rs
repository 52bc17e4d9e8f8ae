//! What every road to a Level Zero device must do.

#[path = "../common/axpy.rs"]
mod on_buffers;

use crate::setup::{assemble, check_texels, describe};
use spirv_runtime::__private::{
    Arg, Binding, ClArg, ClEntry, CpuEntry, EntryDesc, Loaded, ResourceDesc, ResourceKind,
};
use spirv_runtime::{
    Buffer, Device, DeviceKind, ErrorKind, Queue, R16Uint, R32Float, Rg8Snorm, Rgba8Unorm, Rgba16Float,
    Rgba32Sint,
};

const fn resource(name: &'static str, writable: bool, kind: ResourceKind) -> ResourceDesc {
    ResourceDesc { name, writable, binding: Binding::Descriptor { set: 0, binding: 0 }, kind }
}

const WORDS: ResourceKind = ResourceKind::Buffer { stride: 4 };
const AXPY: &[ResourceDesc] = &[
    resource("x", false, WORDS),
    resource("y", true, WORDS),
    resource("params", false, ResourceKind::Constants { size: 8 }),
];
const AXPY_ARGS: &[ClArg] =
    &[ClArg::Pointer(0), ClArg::Length(0), ClArg::Pointer(1), ClArg::Length(1), ClArg::Constants(2)];
const REVERSE: &[ResourceDesc] =
    &[resource("data", true, WORDS), resource("factor", false, ResourceKind::Constants { size: 4 })];

fn axpy() -> Option<&'static EntryDesc> {
    Some(describe(assemble("axpy")?, "main", [64, 1, 1], AXPY, AXPY_ARGS))
}

/// Runs a test on each device of this binary, with what most tests need.
fn each(test: impl Fn(&Device, &Queue, &Loaded)) {
    for device in crate::devices() {
        let Some(entry) = axpy() else { return };
        let kernel = Loaded::new(&device, entry).unwrap();
        test(&device, &device.queue(), &kernel);
    }
}

fn launch(kernel: &Loaded, queue: &Queue, a: f32, x: &Buffer<f32>, y: &mut Buffer<f32>) {
    let n = x.len() as u32;
    let mut constants = [0; 8];
    constants[..4].copy_from_slice(&n.to_ne_bytes());
    constants[4..].copy_from_slice(&a.to_ne_bytes());
    let args = [x.__arg(), y.__arg_mut(), Arg::constants(&constants)];
    kernel.launch(queue, [n, 1, 1], &args).unwrap();
}

#[test]
fn the_device_has_a_name() {
    for device in crate::devices() {
        assert_eq!((device.id(), device.kind()), ("level-zero:0", DeviceKind::Software));
        assert!(device.name().starts_with("ze-on-opencl"), "{}", device.name());
        assert!(Device::all().iter().any(|d| d.id == "level-zero:0"));
        assert_eq!(Device::from_name(" Level-Zero ").unwrap().id(), "level-zero:0");
        let error = Device::from_name("level-zero:7").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NoDevice);
        assert!(error.to_string().contains("1 Level Zero device"), "{error}");
    }
}

#[test]
fn kernels_get_the_length_of_their_buffers() {
    each(|device, queue, kernel| {
        let x = device.buffer_from(&[1.0f32; 100]).unwrap();
        let mut y = device.buffer::<f32>(70).unwrap();
        launch(kernel, queue, 1.0, &x, &mut y);
        assert_eq!(y.read(queue).unwrap(), [1.0; 70]);
        let mut none = device.buffer::<f32>(0).unwrap();
        launch(kernel, queue, 1.0, &x, &mut none);
        queue.wait().unwrap();
    });
}

#[test]
fn many_launches_without_waiting_do_not_pile_up() {
    each(|device, queue, kernel| {
        let x = device.buffer_from(&[1.0f32; 4]).unwrap();
        let mut y = device.buffer::<f32>(4).unwrap();
        for _ in 0..9000 {
            launch(kernel, queue, 1.0, &x, &mut y);
        }
        assert_eq!(y.read(queue).unwrap(), [9000.0; 4]);
    });
}

#[test]
fn memory_of_the_work_group_scalars_and_several_kernels_in_a_module() {
    for device in crate::devices() {
        let Some(spirv) = assemble("reverse") else { return };
        let args = &[ClArg::Pointer(0), ClArg::Local(256), ClArg::Scalar(1)];
        let reverse = Loaded::new(&device, describe(spirv, "main", [64, 1, 1], REVERSE, args)).unwrap();
        let args = &[ClArg::Pointer(0), ClArg::Scalar(1)];
        let touch = Loaded::new(&device, describe(spirv, "touch", [1, 1, 1], REVERSE, args)).unwrap();
        let queue = device.queue();
        let mut data = device.buffer_from(&(0..128u32).collect::<Vec<_>>()).unwrap();
        let three = 3u32.to_ne_bytes();
        reverse.launch(&queue, [128, 1, 1], &[data.__arg_mut(), Arg::constants(&three)]).unwrap();
        let mut want: Vec<u32> = (0..64).rev().chain((64..128).rev()).map(|v| v * 3).collect();
        assert_eq!(data.read(&queue).unwrap(), want);
        let seven = 7u32.to_ne_bytes();
        touch.launch(&queue, [1, 1, 1], &[data.__arg_mut(), Arg::constants(&seven)]).unwrap();
        want[0] = 7;
        assert_eq!(data.read(&queue).unwrap(), want);
        assert_eq!(touch.code_name(), "level-zero");
    }
}

#[test]
fn launches_are_timed() {
    each(|device, queue, kernel| {
        let x = device.buffer_from(&vec![1.0f32; 100_000]).unwrap();
        let mut y = device.buffer::<f32>(100_000).unwrap();
        launch(kernel, queue, 1.0, &x, &mut y);
        assert_eq!(queue.last_kernel_time(), None);
        queue.set_profiling(true);
        // Long enough for the device's clock to wrap around on the way.
        for _ in 0..30 {
            launch(kernel, queue, 1.0, &x, &mut y);
            let time = queue.last_kernel_time().unwrap();
            assert!(time.as_nanos() > 0 && time.as_secs() < 60, "{time:?}");
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    });
}

fn refused(device: &Device, entry: &'static EntryDesc, kind: ErrorKind, parts: &[&str]) {
    let error = Loaded::new(device, entry).map(|_| ()).unwrap_err();
    assert_eq!(error.kind(), kind, "{error}");
    for part in parts.iter().chain(&["kernel `test::", "ze-on-opencl"]) {
        assert!(error.to_string().contains(part), "`{part}` is not in: {error}");
    }
}

#[test]
fn descriptions_that_do_not_fit_are_refused() {
    for device in crate::devices() {
        let Some(spirv) = assemble("axpy") else { return };
        let axpy = |name, size, args| describe(spirv, name, size, AXPY, args);
        let few = axpy("main", [64, 1, 1], &AXPY_ARGS[..4]);
        refused(&device, few, ErrorKind::Driver, &["5 parameters", "has 4", "cargo clean"]);
        refused(&device, axpy("nope", [64, 1, 1], AXPY_ARGS), ErrorKind::Driver, &["no kernel of this name"]);
        refused(
            &device,
            axpy("main", [32, 1, 1], AXPY_ARGS),
            ErrorKind::Driver,
            &["[64, 1, 1]", "[32, 1, 1]"],
        );
        refused(&device, axpy("main", [2048, 1, 1], AXPY_ARGS), ErrorKind::Limit, &["2048", "[numthreads]"]);
        let wrong = &[ClArg::Constants(0), ClArg::Pointer(9)];
        refused(&device, axpy("main", [64, 1, 1], wrong), ErrorKind::Driver, &["parameter 0"]);
        refused(&device, axpy("main", [64, 1, 1], &wrong[1..]), ErrorKind::Driver, &["parameter 0"]);

        const STORAGE: ResourceKind =
            ResourceKind::Image { dimension: "D2", storage: true, format: None, count: None };
        const IMAGE: &[ResourceDesc] = &[resource("photo", true, STORAGE)];
        let image = describe(spirv, "main", [64, 1, 1], IMAGE, &[ClArg::Image(0)]);
        refused(&device, image, ErrorKind::Driver, &["5 parameters", "has 1"]);
        let image = describe(spirv, "main", [64, 1, 1], IMAGE, &[ClArg::Pointer(0)]);
        refused(&device, image, ErrorKind::Driver, &["parameter 0"]);

        let many = (0..129).map(|_| resource("photo", true, STORAGE)).collect();
        let args = (0..129).map(ClArg::Image).collect();
        let many = describe(spirv, "main", [64, 1, 1], Vec::leak(many), Vec::leak(args));
        refused(&device, many, ErrorKind::Limit, &["129 images that are written", "the device has 128"]);
        let local = Vec::leak([AXPY_ARGS, &[ClArg::Local(1 << 30)]].concat());
        let large = describe(spirv, "main", [64, 1, 1], AXPY, local);
        refused(&device, large, ErrorKind::Limit, &["1073741824 bytes of groupshared memory"]);

        let mut new = spirv.to_vec();
        new[4..8].copy_from_slice(&0x0001_0600u32.to_le_bytes());
        let new = describe(Vec::leak(new), "main", [64, 1, 1], AXPY, AXPY_ARGS);
        refused(&device, new, ErrorKind::Unsupported, &["SPIR-V 1.6", "1.4"]);
        let cut = describe(&spirv[..24], "main", [64, 1, 1], AXPY, AXPY_ARGS);
        refused(&device, cut, ErrorKind::Driver, &["damaged"]);
    }
}

#[test]
fn images_keep_their_texels() {
    for device in crate::devices() {
        let queue = device.queue();
        check_texels::<R32Float>(&device, &queue, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[0.5; 6]);
        check_texels::<Rgba8Unorm>(&device, &queue, &[[1, 2, 3, 4]; 6], &[[255, 0, 9, 7]; 6]);
        check_texels::<Rgba16Float>(&device, &queue, &[[0x3c00, 0, 0x4000, 1]; 6], &[[1; 4]; 6]);
        check_texels::<Rgba32Sint>(&device, &queue, &[[i32::MIN, -1, 0, 7]; 6], &[[3; 4]; 6]);
        check_texels::<Rg8Snorm>(&device, &queue, &[[-128, 127]; 6], &[[0; 2]; 6]);
        check_texels::<R16Uint>(&device, &queue, &[0, 1, 2, 3, 4, 0xffff], &[5; 6]);
        let error = device.image::<R32Float>(1 << 20, 1).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Limit, "{error}");
    }
}

#[test]
fn kernels_without_code_for_the_device_say_so() {
    use spirv_runtime::__private::KernelDesc;
    static KERNEL: KernelDesc = KernelDesc { name: "test", source: "x", spirv: None, resources: &[] };
    static ENTRY: EntryDesc = EntryDesc {
        kernel: &KERNEL,
        name: "main",
        local_size: [1, 1, 1],
        arguments: &[],
        resources: &[],
        cl: ClEntry::Absent,
        cl_memory: ClEntry::Absent,
        samples: &[],
        wave: None,
        cpu: CpuEntry::Absent,
    };
    for device in crate::devices() {
        refused(&device, &ENTRY, ErrorKind::Unsupported, &["no module for Level Zero", "SPIRV_DEVICE=cpu"]);
    }
}

#[test]
fn arguments_of_other_devices_are_refused() {
    each(|device, queue, kernel| {
        let here = device.buffer::<f32>(1).unwrap();
        let mut there = Device::cpu().buffer::<f32>(1).unwrap();
        let constants = [0; 8];
        let args = [here.__arg(), there.__arg_mut(), Arg::constants(&constants)];
        let error = kernel.launch(queue, [1, 1, 1], &args).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::WrongDevice);
        assert!(error.to_string().contains("argument `y`"), "{error}");
        let mut y = device.buffer::<f32>(1).unwrap();
        let error = kernel.launch(queue, [1, 1, 1], &[here.__arg(), y.__arg_mut(), Arg::constants(&[0; 4])]);
        assert!(error.unwrap_err().to_string().contains("argument `params`"));
    });
}
