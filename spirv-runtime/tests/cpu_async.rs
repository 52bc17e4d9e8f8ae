//! Launches on the CPU run behind the host's back: in the order of what they use, without holding up one another, and until
//! somebody ends them.

use spirv_runtime::__private::{
    Arg, Binding, ClEntry, CpuCode, CpuEntry, EntryDesc, Fault, KernelDesc, Launch, Loaded, ResourceDesc,
    ResourceKind, Slot,
};
use spirv_runtime::{Buffer, Device, ErrorKind, Queue, R32Uint};
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::time::{Duration, Instant};

/// Longer than anything here takes on a busy machine, so that a test that hangs fails.
const LONG: Duration = Duration::from_secs(60);

/// Slots of a launch.
///
/// # Safety
/// The runtime passed the launch.
unsafe fn slots<'a>(launch: *const Launch) -> &'a [Slot] {
    // SAFETY: the caller's word.
    unsafe { std::slice::from_raw_parts((*launch).slots, (*launch).slot_count as usize) }
}

/// The number that the constants hold.
///
/// # Safety
/// As above; the first slot is four bytes of constants.
unsafe fn number(launch: *const Launch) -> u32 {
    // SAFETY: the caller's word.
    unsafe { slots(launch)[0].data.cast::<u32>().read() }
}

/// # Safety
/// The runtime passed the launch.
unsafe fn stopped(launch: *const Launch) -> bool {
    // SAFETY: the caller's word.
    unsafe { (*(*launch).control).stop.load(SeqCst) != 0 }
}

/// Element 0 of `to` becomes that of `from` times 3, plus the number.
unsafe extern "C" fn mix(launch: *const Launch, _: u64, _: u64, _: *mut u8) {
    // SAFETY: the resources below; there is one group.
    unsafe {
        let (from, to) = (slots(launch)[1].data.cast::<u32>(), slots(launch)[2].data.cast::<u32>());
        to.write(from.read().wrapping_mul(3).wrapping_add(to.read()).wrapping_add(number(launch)));
    }
}

/// Calls that run `spin`.
static SPINNING: [AtomicU32; 8] = [const { AtomicU32::new(0) }; 8];
/// What `spin` waits for.
static GO: [AtomicU32; 8] = [const { AtomicU32::new(0) }; 8];

/// Runs until it is let go, or stopped; then writes 1.
unsafe extern "C" fn spin(launch: *const Launch, _: u64, _: u64, _: *mut u8) {
    // SAFETY: the resources below; all groups write the same.
    unsafe {
        let which = number(launch) as usize;
        SPINNING[which].fetch_add(1, SeqCst);
        while GO[which].load(SeqCst) == 0 && !stopped(launch) {
            std::thread::sleep(Duration::from_micros(50));
        }
        if !stopped(launch) {
            AtomicU32::from_ptr(slots(launch)[1].data.cast()).store(1, SeqCst);
        }
        SPINNING[which].fetch_sub(1, SeqCst);
    }
}

/// Does what no kernel must, where the number is not 0.
unsafe extern "C" fn fail(launch: *const Launch, _: u64, _: u64, _: *mut u8) {
    static FILE: &[u8] = b"kernels/wrong.hlsl";
    struct Shared(Fault);
    // SAFETY: it is only read.
    unsafe impl Sync for Shared {}
    static FAULT: Shared =
        Shared(Fault { kind: 1, line: 12, column: 5, file_len: FILE.len() as u32, file: FILE.as_ptr() });
    // SAFETY: as in `spin`.
    unsafe {
        if number(launch) != 0 {
            let control = &*(*launch).control;
            control.fault.store((&raw const FAULT.0).cast_mut(), SeqCst);
            control.stop.store(1, SeqCst);
        } else {
            slots(launch)[1].data.cast::<u32>().write(7);
        }
    }
}

/// Writes 5 to the first texel of an image.
unsafe extern "C" fn mark(launch: *const Launch, _: u64, _: u64, _: *mut u8) {
    // SAFETY: the resources below.
    unsafe { slots(launch)[0].data.cast::<u32>().write(5) }
}

const fn resource(name: &'static str, writable: bool, kind: ResourceKind) -> ResourceDesc {
    ResourceDesc { name, writable, binding: Binding::Descriptor { set: 0, binding: 0 }, kind }
}

const NUMBER: ResourceDesc = resource("number", false, ResourceKind::Constants { size: 4 });
const WORDS: ResourceKind = ResourceKind::Buffer { stride: 4 };

macro_rules! kernel {
    ($entry:ident, $function:ident, $name:literal, [$($resource:expr),*], $used:expr) => {
        static $entry: EntryDesc = EntryDesc {
            kernel: &KernelDesc { name: $name, source: "tests", spirv: None, resources: &[$($resource),*] },
            name: "main",
            local_size: [1, 1, 1],
            arguments: $used,
            resources: $used,
            cl: ClEntry::Absent,
            cl_memory: ClEntry::Absent,
            samples: &[],
            wave: None,
            cpu: CpuEntry::Code(CpuCode { scratch: 64, functions: &[("scalar", $function)] }),
        };
    };
}
kernel!(MIX, mix, "mix", [NUMBER, resource("from", false, WORDS), resource("to", true, WORDS)], &[0, 1, 2]);
kernel!(SPIN, spin, "spin", [NUMBER, resource("done", true, WORDS)], &[0, 1]);
kernel!(FAIL, fail, "fail", [NUMBER, resource("out", true, WORDS)], &[0, 1]);
const TEXELS: ResourceKind =
    ResourceKind::Image { dimension: "D2", storage: true, format: Some("R32Uint"), count: None };
kernel!(MARK, mark, "mark", [resource("image", true, TEXELS)], &[0]);

fn launch(entry: &'static EntryDesc, queue: &Queue, groups: u32, number: u32, to: &mut Buffer<u32>) {
    let kernel = Loaded::new(queue.device(), entry).unwrap();
    let number = number.to_ne_bytes();
    kernel.launch(queue, [groups, 1, 1], &[Arg::constants(&number), to.__arg_mut()]).unwrap();
}

fn mix_into(
    queue: &Queue,
    number: u32,
    from: &Buffer<u32>,
    to: &mut Buffer<u32>,
) -> spirv_runtime::Result<()> {
    let kernel = Loaded::new(queue.device(), &MIX).unwrap();
    let number = number.to_ne_bytes();
    kernel.launch(queue, [1, 1, 1], &[Arg::constants(&number), from.__arg(), to.__arg_mut()])
}

fn until(what: &str, mut f: impl FnMut() -> bool) {
    let start = Instant::now();
    while !f() {
        assert!(start.elapsed() < LONG, "{what}");
        std::thread::sleep(Duration::from_micros(200));
    }
}

#[test]
fn a_launch_returns_before_it_has_run() {
    let queue = Device::cpu().queue();
    let mut done = queue.device().buffer::<u32>(1).unwrap();
    launch(&SPIN, &queue, 1, 0, &mut done);
    // Nobody waits, and it begins.
    until("the launch does not begin", || SPINNING[0].load(SeqCst) == 1);
    assert!(!queue.wait_timeout(Duration::from_millis(20)).unwrap());
    assert!(!done.wait_timeout(Duration::from_millis(20)).unwrap());
    GO[0].store(1, SeqCst);
    assert!(queue.wait_timeout(LONG).unwrap());
    assert!(done.wait_timeout(LONG).unwrap());
    assert_eq!(done.read(&queue).unwrap(), [1]);
}

#[test]
fn launches_have_their_effects_in_order() {
    // Buffers, queues and threads by a sequence of numbers; what comes out by doing the same one after the other.
    let mut seed = 1u32;
    let mut next = move |n: u32| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) % n
    };
    let device = Device::cpu();
    let queues = [device.queue(), device.queue(), device.queue()];
    let mut buffers: Vec<Buffer<u32>> = (0..6).map(|i| device.buffer_from(&[i]).unwrap()).collect();
    let mut want: Vec<u32> = (0..6).collect();
    for round in 0..4000 {
        let (from, to) = (next(6) as usize, next(6) as usize);
        if from == to {
            match next(40) {
                0 => assert_eq!(buffers[to].read(&queues[0]).unwrap(), [want[to]], "round {round}"),
                1 => {
                    buffers[to].write(&queues[1], &[round]).unwrap();
                    want[to] = round;
                }
                2 => {
                    // The launches that use the old one keep it.
                    buffers[to] = device.buffer_from(&[round]).unwrap();
                    want[to] = round;
                }
                _ => {}
            }
            continue;
        }
        let [a, b] = buffers.get_disjoint_mut([from, to]).unwrap();
        mix_into(&queues[next(3) as usize], round, a, b).unwrap();
        want[to] = want[from].wrapping_mul(3).wrapping_add(want[to]).wrapping_add(round);
    }
    for (i, buffer) in buffers.iter().enumerate() {
        assert_eq!(buffer.read(&queues[0]).unwrap(), [want[i]], "buffer {i}");
    }
    queues.iter().for_each(|queue| queue.wait().unwrap());
}

#[test]
fn threads_that_launch_at_once_do_not_mix() {
    let device = Device::cpu();
    let shared = device.buffer_from(&[1u32]).unwrap();
    std::thread::scope(|scope| {
        for t in 0..8 {
            let (device, shared) = (&device, &shared);
            scope.spawn(move || {
                let queue = device.queue();
                let mut own = device.buffer_from(&[0u32]).unwrap();
                let mut want = 0u32;
                for i in 0..500 {
                    mix_into(&queue, i + t, shared, &mut own).unwrap();
                    want = want.wrapping_add(3 + i + t);
                    if i % 50 == 7 {
                        assert_eq!(own.read(&queue).unwrap(), [want]);
                    }
                }
                queue.wait().unwrap();
                assert_eq!(own.read(&queue).unwrap(), [want]);
            });
        }
    });
}

#[test]
fn what_never_ends_holds_up_nobody_else() {
    let device = Device::cpu();
    let (endless, queue) = (device.queue(), device.queue());
    let mut stuck = device.buffer::<u32>(1).unwrap();
    launch(&SPIN, &endless, 4096, 1, &mut stuck);
    until("no thread runs it", || SPINNING[1].load(SeqCst) > 0);
    std::thread::sleep(Duration::from_millis(5));
    // By who waits, and by a thread of its own where the wait has a limit.
    let from = device.buffer_from(&[1u32]).unwrap();
    let mut to = device.buffer::<u32>(1).unwrap();
    mix_into(&queue, 4, &from, &mut to).unwrap();
    assert_eq!(to.read(&queue).unwrap(), [7]);
    mix_into(&queue, 1, &from, &mut to).unwrap();
    assert!(queue.wait_timeout(LONG).unwrap());
    assert_eq!(to.read(&queue).unwrap(), [11]);
    // What comes after it waits, as long as it may.
    mix_into(&queue, 0, &stuck, &mut to).unwrap();
    assert!(!queue.wait_timeout(Duration::from_millis(30)).unwrap());
    assert!(!stuck.wait_timeout(Duration::from_millis(1)).unwrap());
    // A wait that began before is told.
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| queue.wait());
        std::thread::sleep(Duration::from_millis(10));
        endless.cancel().unwrap();
        assert_eq!(SPINNING[1].load(SeqCst), 0);
        let error = waiting.join().unwrap().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Cancelled, "{error}");
        assert!(
            error.to_string().contains("mix::main") && error.to_string().contains("spin::main"),
            "{error}"
        );
    });
    // Who cancels knows: no errors there.
    endless.wait().unwrap();
    assert_eq!(stuck.read(&endless).unwrap(), [0]);
}

#[test]
fn launches_that_were_not_begun_are_cancelled_too() {
    let device = Device::cpu();
    let (endless, queue) = (device.queue(), device.queue());
    let mut stuck = device.buffer::<u32>(1).unwrap();
    launch(&SPIN, &endless, 1, 2, &mut stuck);
    let mut to = device.buffer::<u32>(1).unwrap();
    mix_into(&queue, 0, &stuck, &mut to).unwrap();
    queue.cancel().unwrap();
    GO[2].store(1, SeqCst);
    endless.wait().unwrap();
    queue.wait().unwrap();
    assert_eq!((stuck.read(&queue).unwrap(), to.read(&queue).unwrap()), (vec![1], vec![0]));
}

#[test]
fn what_nobody_can_see_ends() {
    let device = Device::cpu();
    let queue = device.queue();
    let mut stuck = device.buffer::<u32>(1).unwrap();
    launch(&SPIN, &queue, 1, 3, &mut stuck);
    until("the launch does not begin", || SPINNING[3].load(SeqCst) == 1);
    let mut to = device.buffer::<u32>(1).unwrap();
    mix_into(&queue, 0, &stuck, &mut to).unwrap();
    // Its result is wanted still, for `to`.
    drop(stuck);
    std::thread::sleep(Duration::from_millis(5));
    assert_eq!(SPINNING[3].load(SeqCst), 1);
    drop(to);
    until("it goes on", || SPINNING[3].load(SeqCst) == 0);
    queue.wait().unwrap();
}

#[test]
fn dropping_a_queue_keeps_its_launches() {
    let device = Device::cpu();
    let mut done = device.buffer::<u32>(1).unwrap();
    launch(&SPIN, &device.queue(), 1, 4, &mut done);
    GO[4].store(1, SeqCst);
    assert_eq!(done.read(&device.queue()).unwrap(), [1]);
}

#[test]
fn faults_come_out_of_the_next_wait_and_read() {
    let device = Device::cpu();
    let queue = device.queue();
    let mut out = device.buffer::<u32>(1).unwrap();
    let check = |error: spirv_runtime::Error| {
        assert_eq!(error.kind(), ErrorKind::Fault, "{error}");
        for part in ["fail::main", "kernels/wrong.hlsl:12:5", "barrier"] {
            assert!(error.to_string().contains(part), "{error}");
        }
    };
    launch(&FAIL, &queue, 3, 1, &mut out);
    check(queue.wait().unwrap_err());
    queue.wait().unwrap();
    check(out.read(&queue).unwrap_err());
    assert_eq!(out.read(&queue).unwrap(), [0]);
    // What another launch makes of it is as wrong.
    launch(&FAIL, &queue, 1, 1, &mut out);
    let mut to = device.buffer::<u32>(1).unwrap();
    let launched = mix_into(&queue, 0, &out, &mut to);
    match launched {
        Err(error) => check(error),
        Ok(()) => check(to.read(&queue).unwrap_err()),
    }
    check(queue.wait().unwrap_err());
    // Written anew it is right again.
    out.write(&queue, &[3]).unwrap();
    launch(&FAIL, &queue, 1, 0, &mut out);
    assert_eq!(out.read(&queue).unwrap(), [7]);
    queue.wait().unwrap();
}

#[test]
fn images_are_waited_for() {
    let device = Device::cpu();
    let queue = device.queue();
    let size = spirv_runtime::D2::size(4, 4).with_levels(2);
    let mut image = device.image_of::<R32Uint, _>(size).unwrap();
    let kernel = Loaded::new(&device, &MARK).unwrap();
    for level in 0..2 {
        kernel.launch(&queue, [1, 1, 1], &[image.level_mut(level).unwrap().__arg_mut()]).unwrap();
        assert_eq!(image.level(level).unwrap().read(&queue).unwrap()[0], 5);
        kernel.launch(&queue, [1, 1, 1], &[image.level_mut(level).unwrap().__arg_mut()]).unwrap();
        let texels = [16, 4][level as usize];
        image.level_mut(level).unwrap().write(&queue, &vec![8; texels]).unwrap();
        assert!(image.wait_timeout(LONG).unwrap());
        assert_eq!(image.level(level).unwrap().read(&queue).unwrap()[0], 8);
    }
}

#[test]
fn many_launches_are_bounded() {
    let device = Device::cpu();
    let queue = device.queue();
    let from = device.buffer_from(&[0u32]).unwrap();
    let mut to = device.buffer::<u32>(1).unwrap();
    for _ in 0..20_000 {
        mix_into(&queue, 1, &from, &mut to).unwrap();
    }
    assert_eq!(to.read(&queue).unwrap(), [20_000]);
}

#[test]
fn launches_have_the_limits_of_a_gpu() {
    let device = Device::cpu();
    let queue = device.queue();
    let kernel = Loaded::new(&device, &FAIL).unwrap();
    let mut out = device.buffer::<u32>(1).unwrap();
    let mut threads = |threads| kernel.launch(&queue, threads, &[Arg::constants(&[0; 4]), out.__arg_mut()]);
    for (wrong, axis) in [([1, u32::MAX, 1], "in y"), ([1, 1, 65_536], "in z"), ([1 << 31, 1, 1], "in x")] {
        let error = threads(wrong).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Limit, "{error}");
        assert!(error.to_string().contains(axis) && error.to_string().contains("fail::main"), "{error}");
    }
    threads([1, 65_535, 1]).unwrap();
}
