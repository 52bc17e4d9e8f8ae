//! Programs that are large in one way: what they cost grows as they do, and no faster.
//!
//! Costs are allocations, which are the same in every run, and on Linux the processor time of the compiling thread, which does not
//! depend on what else runs. It is compared with itself only, with room to spare, and measured again where it is too much.

mod growth_shapes;

use growth_shapes::{SHAPES, Shape};
use spirv_build::diag::Diagnostics;
use spirv_build::driver::{self, flags};
use spirv_build::hlsl::{self, MemoryIncludes};
use spirv_build::pipeline::{self, Options};
use spirv_build::source::SourceMap;
use spirv_build::target::TargetEnv;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator, which counts.
struct Counting;

thread_local! {
    /// Bytes that this thread has asked for, and how often.
    static ASKED: Cell<(u64, u64)> = const { Cell::new((0, 0)) };
}

fn count(bytes: usize) {
    // A thread that ends has no counter any more.
    let _ = ASKED.try_with(|a| a.set((a.get().0 + bytes as u64, a.get().1 + 1)));
}

// SAFETY: all is left to the system's allocator, whose requirements are the same.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(ptr, layout) }
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size);
        // SAFETY: as the caller promises.
        unsafe { System.realloc(ptr, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Nanoseconds that this thread has run.
#[cfg(target_os = "linux")]
fn processor_time() -> u64 {
    #[repr(C)]
    struct Time {
        seconds: std::ffi::c_long,
        nanoseconds: std::ffi::c_long,
    }
    unsafe extern "C" {
        fn clock_gettime(clock: std::ffi::c_int, time: *mut Time) -> std::ffi::c_int;
    }
    /// `CLOCK_THREAD_CPUTIME_ID`.
    const THREAD: std::ffi::c_int = 3;
    let mut time = Time { seconds: 0, nanoseconds: 0 };
    // SAFETY: the structure is that of C, and is written while it is borrowed.
    assert_eq!(unsafe { clock_gettime(THREAD, &mut time) }, 0);
    time.seconds as u64 * 1_000_000_000 + time.nanoseconds as u64
}

#[cfg(not(target_os = "linux"))]
fn processor_time() -> u64 {
    0
}

/// What a compilation costs.
#[derive(Clone, Copy, Debug)]
struct Cost {
    bytes: u64,
    allocations: u64,
    time: u64,
}

/// What some work costs, on a thread that has a large stack, where the compiler stays.
fn cost(work: impl Fn() + Sync) -> Cost {
    pipeline::on_large_stack(|| {
        let (asked, time) = (ASKED.get(), processor_time());
        work();
        let (now, end) = (ASKED.get(), processor_time());
        Cost { bytes: now.0 - asked.0, allocations: now.1 - asked.1, time: end - time }
    })
}

/// Compiles a program for all devices. It may have mistakes.
fn for_all_devices(text: &str) {
    let options = Options {
        hlsl: hlsl::Options { profile: "cs_6_6".into(), ..Default::default() },
        target: TargetEnv::preset("vulkan1.3").unwrap(),
        cpu_arch: Some("x86_64".into()),
        level_zero: true,
        kernel: "k".into(),
        source: "k.hlsl".into(),
        shared_arguments: false,
        symbol: "k".into(),
        vulkan: Default::default(),
        passes: Default::default(),
        error_limit: None,
        warnings: Default::default(),
    };
    pipeline::compile("k.hlsl", text.as_bytes(), &options, &MemoryIncludes::default());
}

/// Compiles a program with all that a debugger can be told.
fn for_debuggers(text: &str) {
    for set in ["-fspv-debug=vulkan-with-source", "-fspv-debug=rich-with-source"] {
        let args = ["-T", "cs_6_6", "-E", "main", "-fspv-target-env=vulkan1.3", set, "k.hlsl"];
        let command = flags::parse(args.map(String::from)).unwrap();
        let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
        driver::compile("k.hlsl", text, &command, &mut sources, &mut diagnostics);
    }
}

/// The smallest size; the others are two and four times that.
const SIZE: usize = 200;
/// What twice the size may allocate, in hundredths: what is linear but for a logarithm, and what is rounded up to a power of two,
/// is below; what is quadratic comes to 400.
const ALLOCATED: u64 = 270;
/// The time that four times the size may take, in hundredths: what is quadratic comes to 1600. What is linear comes to 400 on a
/// quiet machine, and on a busy one to 670 when others have the caches that the largest program needs.
const TIME: u64 = 1000;
/// Times below are not judged.
const LEAST_TIME: u64 = 10_000_000;
/// How often a time that is too long is measured again.
const ATTEMPTS: usize = 6;

/// What is wrong with how the costs of a shape grow.
fn judge((name, shape): &Shape, compile: fn(&str)) -> Option<String> {
    let texts = [SIZE, 2 * SIZE, 4 * SIZE].map(shape);
    let mut costs = [&texts[0], &texts[1], &texts[2]].map(|t| cost(|| compile(t)));
    let grows = |a: u64, b: u64, most: u64| b * 100 > a.max(1) * most;
    let [_, half, whole] = costs;
    if grows(half.bytes, whole.bytes, ALLOCATED) || grows(half.allocations, whole.allocations, ALLOCATED) {
        return Some(format!("{name}: allocations grow too fast: {costs:?}"));
    }
    for _ in 0..ATTEMPTS {
        let [quarter, _, whole] = costs;
        if whole.time < LEAST_TIME || !grows(quarter.time, whole.time, TIME) {
            return None;
        }
        for (c, t) in costs.iter_mut().zip(&texts) {
            c.time = c.time.min(cost(|| compile(t)).time);
        }
    }
    Some(format!("{name}: time grows too fast: {costs:?}"))
}

#[test]
fn costs_grow_as_programs_do() {
    assert!(SHAPES.len() >= 40);
    let wrong: Vec<String> = SHAPES.iter().filter_map(|s| judge(s, for_all_devices)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Shapes of which debuggers are told more than of others.
const FOR_DEBUGGERS: &[&str] = &[
    "a chain of calls",
    "functions",
    "overloads",
    "parameters",
    "methods",
    "templates",
    "namespaces",
    "locals",
];

#[test]
fn debug_information_grows_as_programs_do() {
    let shapes: Vec<&Shape> = SHAPES.iter().filter(|s| FOR_DEBUGGERS.contains(&s.0)).collect();
    assert_eq!(shapes.len(), FOR_DEBUGGERS.len());
    let wrong: Vec<String> = shapes.into_iter().filter_map(|s| judge(s, for_debuggers)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
