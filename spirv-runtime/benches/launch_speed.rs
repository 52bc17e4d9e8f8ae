//! What a launch on the CPU costs: `cargo bench -p spirv-runtime --bench launch_speed`.
//!
//! The kernels do next to nothing, so that what is measured is the launch itself. Each figure is the median of several
//! rounds; to compare two versions, run them in turns on a quiet machine.

use spirv_runtime::__private::{
    Arg, Binding, ClEntry, CpuCode, CpuEntry, EntryDesc, KernelDesc, Launch, Loaded, ResourceDesc,
    ResourceKind,
};
use spirv_runtime::{Buffer, Device, Queue};
use std::time::{Duration, Instant};

/// Adds a constant to one element a group.
unsafe extern "C" fn add(launch: *const Launch, begin: u64, end: u64, _: *mut u8) {
    // SAFETY: the runtime passes a valid launch with two slots; group `i` touches element `i` only, if there is one.
    unsafe {
        let slots = std::slice::from_raw_parts((*launch).slots, (*launch).slot_count as usize);
        let step = slots[0].data.cast::<u32>().read();
        for i in (begin..end).filter(|i| (i + 1) * 4 <= slots[1].bytes) {
            let to = slots[1].data.cast::<u32>().add(i as usize);
            to.write(to.read().wrapping_add(step));
        }
    }
}

const fn resource(name: &'static str, writable: bool, kind: ResourceKind) -> ResourceDesc {
    ResourceDesc { name, writable, binding: Binding::Descriptor { set: 0, binding: 0 }, kind }
}

static ADD: KernelDesc = KernelDesc {
    name: "add",
    source: "benches",
    spirv: None,
    resources: &[
        resource("step", false, ResourceKind::Constants { size: 4 }),
        resource("sums", true, ResourceKind::Buffer { stride: 4 }),
    ],
};

static ADD_ENTRY: EntryDesc = EntryDesc {
    kernel: &ADD,
    name: "main",
    local_size: [1, 1, 1],
    arguments: &[0, 1],
    resources: &[0, 1],
    cl: ClEntry::Absent,
    cl_memory: ClEntry::Absent,
    samples: &[],
    wave: None,
    cpu: CpuEntry::Code(CpuCode { scratch: 256, functions: &[("scalar", add)] }),
};

const ROUNDS: usize = 15;
const ROUND: Duration = Duration::from_millis(60);

/// Nanoseconds that one of the `times` calls within `f` takes.
fn measure(name: &str, times: u32, mut f: impl FnMut()) {
    let mut rounds: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let (start, mut calls) = (Instant::now(), 0u64);
            while start.elapsed() < ROUND {
                f();
                calls += u64::from(times);
            }
            start.elapsed().as_nanos() as f64 / calls as f64
        })
        .collect();
    rounds.sort_by(f64::total_cmp);
    println!("{name:<44} {:>9.0} ns  (fastest {:.0})", rounds[ROUNDS / 2], rounds[0]);
}

fn main() {
    let device = Device::cpu();
    let queue = device.queue();
    let kernel = Loaded::new(&device, &ADD_ENTRY).expect("the CPU runs it");
    let step = 1u32.to_ne_bytes();
    let launch = |queue: &Queue, groups: u32, sums: &mut Buffer<u32>| {
        let args = [Arg::constants(&step), sums.__arg_mut()];
        kernel.launch(queue, [groups, 1, 1], &args).expect("it is launched");
    };
    let buffer = |groups: u32| device.buffer::<u32>(groups as usize).expect("there is memory");
    for groups in [1, 2, 64, 4096] {
        let mut sums = buffer(groups);
        measure(&format!("launch and wait, {groups} groups"), 1, || {
            launch(&queue, groups, &mut sums);
            queue.wait().expect("it runs");
        });
    }
    for groups in [1, 64] {
        let mut sums = buffer(groups);
        measure(&format!("one of 1000 launches in a row, {groups} groups"), 1000, || {
            (0..1000).for_each(|_| launch(&queue, groups, &mut sums));
            queue.wait().expect("they run");
        });
        let mut many: Vec<_> = (0..16).map(|_| buffer(groups)).collect();
        measure(&format!("one of 1000 on 16 buffers, {groups} groups"), 1000, || {
            (0..1000).for_each(|i| launch(&queue, groups, &mut many[i % 16]));
            queue.wait().expect("they run");
        });
    }
    measure("launch and wait on 4 threads, 1 group", 4000, || {
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let (queue, mut sums) = (device.queue(), buffer(1));
                    for _ in 0..1000 {
                        launch(&queue, 1, &mut sums);
                        queue.wait().expect("it runs");
                    }
                });
            }
        });
    });
}
