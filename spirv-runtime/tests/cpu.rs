//! The CPU device, with native code written here in place of compiled kernels.

use spirv_runtime::__private::{
    Arg, Binding, ClEntry, CpuCode, CpuEntry, EntryDesc, KernelDesc, Launch, Loaded, ResourceDesc,
    ResourceKind,
};
use spirv_runtime::{Device, DeviceKind, ErrorKind, R8Snorm, R32Uint};

const DESCRIPTOR: Binding = Binding::Descriptor { set: 0, binding: 0 };

/// Counts how often each group runs, after using all of its scratch memory.
unsafe extern "C" fn count(launch: *const Launch, begin: u64, end: u64, scratch: *mut u8) {
    // SAFETY: the runtime passes a valid launch with two slots and 1000 bytes of scratch memory; group `i` touches
    // element `i` only, where the buffer has one.
    unsafe {
        assert_eq!(scratch as usize % 64, 0);
        scratch.write_bytes(1, 1000);
        let slots = std::slice::from_raw_parts((*launch).slots, (*launch).slot_count as usize);
        let step = slots[0].data.cast::<u32>().read();
        for i in begin..end {
            if (i + 1) * 4 <= slots[1].bytes {
                *slots[1].data.cast::<u32>().add(i as usize) += step + u32::from(*scratch) - 1;
            }
        }
    }
}

/// Writes each texel's position.
unsafe extern "C" fn positions(launch: *const Launch, begin: u64, end: u64, _: *mut u8) {
    // SAFETY: as above; group `i` writes row `i`, if there is one.
    unsafe {
        let slot = &*(*launch).slots;
        assert_eq!((slot.format, slot.depth, slot.data as usize % 64), (33, 1, 0));
        for y in begin..end.min(u64::from(slot.height)) {
            for x in 0..slot.width {
                let at = y as usize * slot.row_pitch as usize + x as usize * 4;
                slot.data.add(at).cast::<u32>().write(y as u32 * 1000 + x);
            }
        }
    }
}

static COUNT: KernelDesc = KernelDesc {
    name: "count",
    source: "tests",
    spirv: None,
    resources: &[
        ResourceDesc {
            name: "step",
            writable: false,
            binding: DESCRIPTOR,
            kind: ResourceKind::Constants { size: 4 },
        },
        ResourceDesc {
            name: "counts",
            writable: true,
            binding: DESCRIPTOR,
            kind: ResourceKind::Buffer { stride: 4 },
        },
    ],
};

static COUNT_ENTRY: EntryDesc = EntryDesc {
    kernel: &COUNT,
    name: "main",
    local_size: [4, 2, 1],
    arguments: &[0, 1],
    resources: &[0, 1],
    cl: ClEntry::Absent,
    cl_memory: ClEntry::Absent,
    samples: &[],
    wave: None,
    cpu: CpuEntry::Code(CpuCode { scratch: 1000, functions: &[("no such isa", count), ("scalar", count)] }),
};

static POSITIONS: KernelDesc = KernelDesc {
    name: "positions",
    source: "tests",
    spirv: None,
    resources: &[ResourceDesc {
        name: "image",
        writable: true,
        binding: DESCRIPTOR,
        kind: ResourceKind::Image { dimension: "D2", storage: true, format: Some("R32Uint"), count: None },
    }],
};

static POSITIONS_ENTRY: EntryDesc = EntryDesc {
    kernel: &POSITIONS,
    name: "main",
    local_size: [64, 1, 1],
    arguments: &[0],
    resources: &[0],
    cl: ClEntry::Absent,
    cl_memory: ClEntry::Absent,
    samples: &[],
    wave: None,
    cpu: CpuEntry::Code(CpuCode { scratch: 0, functions: &[("scalar", positions)] }),
};

#[test]
fn every_group_runs_once_a_launch() {
    let device = Device::cpu();
    let queue = device.queue();
    let kernel = Loaded::new(&device, &COUNT_ENTRY).unwrap();
    let step = 3u32.to_ne_bytes();
    for threads in [[1u32, 1, 1], [4, 2, 1], [5, 3, 2], [400, 200, 3], [0, 5, 5]] {
        let groups = threads[0].div_ceil(4) * threads[1].div_ceil(2) * threads[2];
        let mut counts = device.buffer::<u32>(groups as usize).unwrap();
        for _ in 0..2 {
            kernel.launch(&queue, threads, &[Arg::constants(&step), counts.__arg_mut()]).unwrap();
        }
        assert!(counts.read(&queue).unwrap().iter().all(|c| *c == 6), "{threads:?}");
    }
    queue.wait().unwrap();
}

#[test]
fn images_have_rows_and_formats() {
    let device = Device::cpu();
    let queue = device.queue();
    let kernel = Loaded::new(&device, &POSITIONS_ENTRY).unwrap();
    for (w, h) in [(1, 1), (7, 13), (641, 479)] {
        let mut image = device.image::<R32Uint>(w, h).unwrap();
        kernel.launch(&queue, [64 * h, 1, 1], &[image.__arg_mut()]).unwrap();
        let want: Vec<u32> = (0..h).flat_map(|y| (0..w).map(move |x| y * 1000 + x)).collect();
        assert!(image.read(&queue).unwrap() == want, "{w}x{h}");
    }
    let mut other = device.image::<R8Snorm>(1, 1).unwrap();
    let error = kernel.launch(&queue, [64, 1, 1], &[other.__arg_mut()]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
    for part in ["argument `image`", "R32Uint", "R8Snorm"] {
        assert!(error.to_string().contains(part), "{error}");
    }
}

#[test]
fn launches_are_timed_on_demand() {
    let device = Device::cpu();
    let queue = device.queue();
    let kernel = Loaded::new(&device, &COUNT_ENTRY).unwrap();
    let mut counts = device.buffer::<u32>(10).unwrap();
    let step = 3u32.to_ne_bytes();
    kernel.launch(&queue, [40, 2, 1], &[Arg::constants(&step), counts.__arg_mut()]).unwrap();
    assert_eq!(queue.last_kernel_time(), None);
    queue.set_profiling(true);
    kernel.launch(&queue, [40, 2, 1], &[Arg::constants(&step), counts.__arg_mut()]).unwrap();
    assert!(queue.last_kernel_time().unwrap().as_secs() < 10);
}

#[test]
fn arguments_of_the_wrong_kind_are_errors() {
    let device = Device::cpu();
    let queue = device.queue();
    let kernel = Loaded::new(&device, &COUNT_ENTRY).unwrap();
    let mut counts = device.buffer::<u32>(10).unwrap();
    let step = 3u32.to_ne_bytes();
    let launch = |args: &[Arg<'_>]| kernel.launch(&queue, [1, 1, 1], args).unwrap_err();
    assert_eq!(launch(&[Arg::constants(&step)]).kind(), ErrorKind::InvalidArgument);
    assert!(launch(&[Arg::constants(&step[..2]), counts.__arg_mut()]).to_string().contains("`step`"));
    let error = launch(&[Arg::constants(&step), counts.__arg()]).to_string();
    assert!(error.contains("count::main") && error.contains("`counts`"), "{error}");
    let error = kernel.launch(&queue, [u32::MAX; 3], &[Arg::constants(&step), counts.__arg_mut()]);
    assert_eq!(error.unwrap_err().kind(), ErrorKind::Limit);
}

#[test]
fn the_cpu_is_always_there() {
    let cpu = Device::from_name("CPU").unwrap();
    assert_eq!((cpu.id(), cpu.kind()), ("cpu", DeviceKind::Cpu));
    assert!(cpu.name().contains("thread"), "{}", cpu.name());
    assert_eq!(Device::all().last().unwrap().id, "cpu");
    // Handles of the CPU are all the same device.
    let buffer = Device::cpu().buffer_from(&[1u8]).unwrap();
    assert_eq!(buffer.read(&cpu.queue()).unwrap(), [1]);
    // Its code knows every format.
    assert!(cpu.image::<R8Snorm>(1, 1).is_ok());
}
