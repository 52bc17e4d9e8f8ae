//! Entry points that Level Zero or the CPU cannot run: their neighbours run there, and loading one says why it does not. For some
//! there is no code for the CPU at all.

use kernel_tests::{device, refused, refused_cpu};
use spirv_runtime::{DeviceKind, ErrorKind};

#[test]
fn the_other_entry_points_of_a_file_run() {
    let device = device();
    let queue = device.queue();
    if device.kind() == DeviceKind::Cpu {
        let error = refused::count::load(&device).map(|_| ()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
        return;
    }
    let mut numbers = device.buffer::<u32>(100).unwrap();
    let kernel = refused::count::load(&device).unwrap();
    kernel.launch(&queue, refused::count::Args { numbers: &mut numbers, threads: [100, 1, 1] }).unwrap();
    assert_eq!(numbers.read(&queue).unwrap(), (0..100).map(|i| i * 3).collect::<Vec<u32>>());
}

#[test]
fn what_has_no_form_is_named_with_its_place() {
    let device = device();
    let queue = device.queue();
    let kernel = match refused::parted::load(&device) {
        Ok(kernel) => {
            assert!(!device.id().starts_with("level-zero"), "this has a form by now: find another case");
            kernel
        }
        Err(_) if device.kind() == DeviceKind::Cpu => return,
        Err(e) => {
            assert!(device.id().starts_with("level-zero"), "{e}");
            let text = e.to_string();
            assert_eq!(e.kind(), ErrorKind::Unsupported, "{text}");
            let line = include_str!("../kernels/refused.hlsl").lines().position(|l| l.contains(" = part("));
            let place = format!("kernels/refused.hlsl:{}:", line.unwrap() + 1);
            for part in ["`refused::parted`", &place, "modf", "SPIRV_DEVICE=cpu"] {
                assert!(text.contains(part), "`{part}` is not in: {text}");
            }
            return;
        }
    };
    let mut numbers = device.buffer::<u32>(64).unwrap();
    kernel.launch(&queue, refused::parted::Args { numbers: &mut numbers, threads: [64, 1, 1] }).unwrap();
    let want: Vec<u32> = (0..64).map(|i| i * 10 + 1).collect();
    assert_eq!(numbers.read(&queue).unwrap(), want);
}

#[test]
fn what_has_no_code_for_the_cpu_is_named_with_its_place() {
    let device = device();
    let queue = device.queue();
    let mut numbers = device.buffer::<u32>(64).unwrap();
    let params = refused_cpu::Params { mode: 3 };
    let args = refused_cpu::count::Args { numbers: &mut numbers, params, threads: [64, 1, 1] };
    refused_cpu::count::load(&device).unwrap().launch(&queue, args).unwrap();
    assert_eq!(numbers.read(&queue).unwrap(), (0..64).map(|i| i * 3).collect::<Vec<u32>>());
    let loaded = refused_cpu::turned::load(&device);
    if device.kind() == DeviceKind::Cpu {
        let error = loaded.map(|_| ()).unwrap_err();
        let text = error.to_string();
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{text}");
        let line = include_str!("../kernels/refused_cpu.hlsl").lines().position(|l| l.contains("switch"));
        let place = format!("kernels/refused_cpu.hlsl:{}:", line.unwrap() + 1);
        for part in ["`refused_cpu::turned`", &place, "a barrier inside a switch", "SPIRV_DEVICE=vulkan"] {
            assert!(text.contains(part), "`{part}` is not in: {text}");
        }
        return;
    }
    let params = refused_cpu::Params { mode: 1 };
    let args = refused_cpu::turned::Args { numbers: &mut numbers, params, threads: [64, 1, 1] };
    loaded.unwrap().launch(&queue, args).unwrap();
    assert_eq!(numbers.read(&queue).unwrap(), (0..64).rev().collect::<Vec<u32>>());
}
