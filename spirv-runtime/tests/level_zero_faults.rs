//! Every Level Zero call of the runtime fails once, and for good, in each way that a driver has: the user gets an error of
//! the right kind or what was asked for, the device goes on, and nothing is left.
//!
//! `tests/driver-faults` makes the calls of the driver of `tests/ze-on-opencl` fail. Components that are missing are said, and
//! the tests count as passed, unless `SPIRV_REQUIRE_COMPONENTS` is set.
#![cfg(all(feature = "level-zero", target_os = "linux"))]

#[path = "level_zero/setup.rs"]
mod setup;
#[path = "faults/shim.rs"]
mod shim;

use shim::Shim;
use spirv_runtime::__private::{Arg, Binding, ClArg, EntryDesc, Loaded, ResourceDesc, ResourceKind};
use spirv_runtime::{Buffer, Device, Error, ErrorKind, Queue, R32Float, Result};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

const DEVICE_LOST: i32 = 0x7000_0001;
const OUT_OF_HOST_MEMORY: i32 = 0x7000_0002;
const OUT_OF_DEVICE_MEMORY: i32 = 0x7000_0003;
const UNKNOWN: i32 = 0x7fff_fffe;

/// Results, and what they are to a user.
const RESULTS: &[(i32, ErrorKind)] = &[
    (OUT_OF_HOST_MEMORY, ErrorKind::OutOfMemory),
    (OUT_OF_DEVICE_MEMORY, ErrorKind::OutOfMemory),
    (UNKNOWN, ErrorKind::Driver),
    (DEVICE_LOST, ErrorKind::DeviceLost),
];

/// The functions that find the drivers, which happens once a process.
const OF_INSTANCE: &[&str] = &["zeInitDrivers", "zeInit", "zeDriverGet", "zeDriverGetApiVersion"];

/// What can fail for good without an error: there is another way, a launch may have no time, a module no log, and when it is
/// asked again a device may be done, if it was not before, so that the host may write itself.
const DISPENSABLE: &[&str] = &[
    "zeCommandListAppendMemoryCopy",
    "zeModuleBuildLogGetString",
    "zeCommandListCreateImmediate",
    "zeCommandListReset",
    "zeEventQueryKernelTimestamp",
    "zeCommandQueueSynchronize",
    "zeCommandListHostSynchronize",
];
/// A device that does not answer these lacks what they ask for.
const QUESTIONS: &[&str] = &["zeDeviceGetImageProperties", "zeDeviceGetModuleProperties"];

const FOREVER: u64 = u64::MAX;
/// More launches than a list has.
const LAUNCHES: u32 = 70;
const LEN: usize = 256;

/// The library between runtime and driver, for one test at a time. None if a component is missing.
fn shim() -> Option<(&'static Shim, MutexGuard<'static, ()>)> {
    static SHIM: OnceLock<Option<Shim>> = OnceLock::new();
    static ONE: Mutex<()> = Mutex::new(());
    let one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let shim = SHIM.get_or_init(|| {
        let library = shim::build();
        // SAFETY: every test begins here, before anything else reads the environment.
        unsafe {
            std::env::set_var("SPIRV_LEVEL_ZERO_LOADER", &library);
            std::env::set_var("FAULTS_LEVEL_ZERO", shim::target().join("debug/libze_on_opencl.so"));
        }
        if let Err(e) = setup::prepare(false) {
            setup::missing(&e);
            return None;
        }
        let shim = Shim::open(&library);
        while_no_instance(&shim);
        (setup::ready(false) && setup::assemble("axpy").is_some()).then_some(shim)
    });
    let shim = shim.as_ref()?;
    // As the test before left it, if it failed.
    shim.disarm();
    Some((shim, one))
}

/// The failures of finding the drivers: none of them is remembered.
fn while_no_instance(shim: &Shim) {
    for call in OF_INSTANCE {
        for (result, kind) in RESULTS {
            shim.arm(call, 0, FOREVER, *result);
            let opened = Device::level_zero(0);
            let fired = shim.disarm();
            match opened {
                Err(e) if fired > 0 => assert_eq!(e.kind(), *kind, "{call}: {e}"),
                // There are two ways to find them.
                _ => {}
            }
        }
    }
}

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

/// The kernel, assembled once.
fn axpy() -> &'static EntryDesc {
    static ENTRY: OnceLock<&EntryDesc> = OnceLock::new();
    ENTRY.get_or_init(|| {
        setup::describe(setup::assemble("axpy").unwrap(), "main", [64, 1, 1], AXPY, AXPY_ARGS)
    })
}

/// What a run made, as far as it came.
#[derive(Default)]
struct Run {
    device: Option<Device>,
    queue: Option<Queue>,
    axpy: Option<Loaded>,
    x: Option<Buffer<f32>>,
    y: Option<Buffer<f32>>,
    /// What each element of `y` is, by the launches that succeeded.
    sum: f32,
}

impl Run {
    fn launch(&mut self) -> Result<()> {
        let (Some(queue), Some(axpy), Some(x), Some(y)) = (&self.queue, &self.axpy, &self.x, &mut self.y)
        else {
            panic!("nothing to launch");
        };
        let mut constants = [0; 8];
        constants[..4].copy_from_slice(&(LEN as u32).to_ne_bytes());
        constants[4..].copy_from_slice(&1.0f32.to_ne_bytes());
        axpy.launch(queue, [LEN as u32, 1, 1], &[x.__arg(), y.__arg_mut(), Arg::constants(&constants)])?;
        self.sum += 1.0;
        Ok(())
    }

    /// Makes what is launched, and launches some.
    fn some(&mut self, open: &dyn Fn() -> Result<Device>) -> Result<()> {
        let device = self.device.insert(open()?).clone();
        self.sum = 0.0;
        self.queue = Some(device.queue());
        if self.axpy.is_none() {
            self.axpy = Some(Loaded::new(&device, axpy())?);
        }
        self.x = Some(device.buffer_from(&[1.0f32; LEN])?);
        self.y = Some(device.buffer::<f32>(LEN)?);
        for _ in 0..3 {
            self.launch()?;
        }
        self.queue.as_ref().map_or(Ok(()), Queue::wait)?;
        self.check()
    }

    /// Uses all that the runtime has.
    fn all(&mut self, open: &dyn Fn() -> Result<Device>) -> Result<()> {
        self.some(open)?;
        let (Some(device), Some(queue)) = (self.device.clone(), &self.queue) else { return Ok(()) };
        queue.set_profiling(true);
        self.launch()?;
        let _ = self.queue.as_ref().map(Queue::last_kernel_time);
        self.queue = Some(device.queue());
        for _ in 0..LAUNCHES {
            self.launch()?;
        }
        let queue = device.queue();
        queue.flush()?;
        self.launch()?;
        if let Some(x) = &mut self.x {
            x.write(&queue, &[1.0; LEN])?;
        }
        self.launch()?;
        self.queue.as_ref().map_or(Ok(()), Queue::wait)?;
        self.check()?;
        let mut image = device.image_from::<R32Float>(2, 2, &[1.0, 2.0, 3.0, 4.0])?;
        assert_eq!(image.read(&queue)?, [1.0, 2.0, 3.0, 4.0]);
        image.write(&queue, &[5.0; 4])?;
        assert_eq!(image.read(&queue)?, [5.0; 4]);
        self.launch()
    }

    /// What the launches wrote, if it can be read.
    fn check(&self) -> Result<()> {
        if let (Some(queue), Some(y)) = (&self.queue, &self.y) {
            assert!(y.read(queue)? == [self.sum; LEN]);
        }
        Ok(())
    }
}

/// One way of a device: with regular lists, with staging.
type Way = (bool, bool);

/// What happens when a call fails.
fn inject(shim: &Shim, way: Way, call: &str, skip: u64, times: u64, (result, kind): (i32, ErrorKind)) {
    let what = format!("{call} after {skip}, {times} times, {result:#x}, {way:?}");
    let open = || Device::__level_zero_for_tests(0, way.0, way.1);
    let mut run = Run::default();
    shim.arm(call, skip, times, result);
    let done = run.all(&open);
    // How often some are called depends on how fast the device is.
    let fired = shim.disarm();
    assert!(fired > 0 || skip > 0 || DISPENSABLE.contains(&call), "{what}: it was not called");
    let unanswered = result == UNKNOWN && QUESTIONS.contains(&call);
    let expect = |e: &Error| {
        let none = unanswered && e.kind() == ErrorKind::NoDevice;
        assert!(e.kind() == kind || none, "{what}: {e}");
    };
    if let Err(e) = &done {
        expect(e);
    } else {
        let may = times == 1 || unanswered || DISPENSABLE.contains(&call);
        assert!(may, "{what}: no error");
    }
    // What is there is right, or nobody can read it.
    if let Err(e) = run.check() {
        expect(&e);
    }
    let lost = done.as_ref().is_err_and(|e| e.kind() == ErrorKind::DeviceLost);
    if let Some(device) = run.device.clone().filter(|_| lost) {
        is_lost(&mut run, &device, &what);
    }
    // The device goes on, or another one can be opened.
    let device = run.device.clone().filter(|_| !lost);
    let axpy = run.axpy.clone().filter(|_| device.is_some());
    let mut next = Run { axpy, ..Run::default() };
    let again = || device.clone().map_or_else(open, Ok);
    next.some(&again).unwrap_or_else(|e| panic!("{what}: the next run: {e}"));
    drop((run, next, device));
    assert_eq!(shim.live(), BTreeMap::new(), "{what}: something is left");
}

/// Whether all that can be done with a device says that it was lost.
fn is_lost(run: &mut Run, device: &Device, what: &str) {
    let queue = device.queue();
    let mut calls: Vec<(&str, Result<()>)> = vec![
        ("buffer", device.buffer::<f32>(4).map(drop)),
        ("buffer_from", device.buffer_from(&[1u8; 4]).map(drop)),
        ("image", device.image::<R32Float>(4, 4).map(drop)),
        ("kernel", Loaded::new(device, axpy()).map(drop)),
        ("wait", queue.wait()),
        ("flush", queue.flush()),
    ];
    if run.y.is_some() {
        calls.push(("launch", run.launch()));
        calls.push(("read", run.check()));
    }
    if let Some(y) = &mut run.y {
        calls.push(("write", y.write(&queue, &[0.0; LEN])));
    }
    for (call, result) in calls {
        match result {
            Err(e) if e.kind() == ErrorKind::DeviceLost => {
                assert!(e.to_string().contains("Open it again"), "{what}, {call}: {e}");
            }
            other => panic!("{what}: {call} on a lost device: {other:?}"),
        }
    }
}

fn every_call_fails(way: Way) {
    let Some((shim, _one)) = shim() else { return };
    shim.restart();
    let mut run = Run::default();
    run.all(&|| Device::__level_zero_for_tests(0, way.0, way.1)).unwrap();
    run.check().unwrap();
    let mut calls = shim.calls();
    drop(run);
    assert_eq!(shim.live(), BTreeMap::new(), "something is left");
    // What destroys something cannot fail, but for bugs.
    calls.retain(|call, _| !call.contains("Destroy") && call != "zeMemFree");
    let (start, mut injected) = (std::time::Instant::now(), 0);
    for (call, n) in &calls {
        for expected in RESULTS {
            // The launches are alike: the first ones, and the last.
            let skips = (0..*n as u64).filter(|skip| *skip < 4 || skip + 2 >= *n as u64);
            for skip in skips {
                inject(shim, way, call, skip, 1, *expected);
                injected += 1;
            }
            inject(shim, way, call, 0, FOREVER, *expected);
            injected += 1;
        }
    }
    println!("{way:?}: {injected} faults in {} functions, {:?}", calls.len(), start.elapsed());
    assert!(calls.len() > 20, "{calls:?}");
}

#[test]
fn in_order_unified() {
    every_call_fails((false, false));
}

#[test]
fn in_order_staged() {
    every_call_fails((false, true));
}

#[test]
fn regular_unified() {
    every_call_fails((true, false));
}

#[test]
fn regular_staged() {
    every_call_fails((true, true));
}

#[test]
fn a_lost_device_is_opened_again() {
    let Some((shim, _one)) = shim() else { return };
    let lost = Device::level_zero(0).unwrap();
    let mut run = Run::default();
    run.some(&|| Ok(lost.clone())).unwrap();
    shim.arm("zeCommandListAppendLaunchKernel", 0, 1, DEVICE_LOST);
    assert_eq!(run.launch().unwrap_err().kind(), ErrorKind::DeviceLost);
    is_lost(&mut run, &lost, "zeCommandListAppendLaunchKernel");
    let mut next = Run::default();
    next.some(&|| Device::level_zero(0)).unwrap();
    let error = run.x.as_ref().unwrap().read(next.queue.as_ref().unwrap()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WrongDevice, "{error}");
}

#[test]
fn memory_in_flight_is_bounded_and_given_back() {
    const BYTES: usize = 48 << 20;
    for regular in [false, true] {
        let Some((shim, _one)) = shim() else { return };
        let device = Device::__level_zero_for_tests(0, regular, true).unwrap();
        let queue = device.queue();
        let data = vec![1u8; BYTES];
        let mut buffer = device.buffer::<u8>(BYTES).unwrap();
        let made = || shim.live().get("memory").copied().unwrap_or_default();
        for _ in 0..20 {
            buffer.write(&queue, &data).unwrap();
            assert!(made() <= (256 << 20) / BYTES as i64 + 3, "{} buffers", made());
        }
        drop(buffer);
        for _ in 0..20 {
            drop(device.buffer::<u8>(4 << 20).unwrap());
        }
        let begin = std::time::Instant::now();
        while made() > 0 {
            assert!(begin.elapsed().as_secs() < 60, "{:?}", shim.live());
            queue.wait().unwrap();
        }
    }
}

#[test]
fn a_device_is_closed_when_it_is_idle() {
    for (result, _) in RESULTS {
        for regular in [false, true] {
            let Some((shim, _one)) = shim() else { return };
            let mut run = Run::default();
            run.some(&|| Device::__level_zero_for_tests(0, regular, true)).unwrap();
            run.launch().unwrap();
            run.queue.as_ref().unwrap().flush().unwrap();
            // As long as it does not say that it is, it is asked again.
            let wait = if regular { "zeCommandQueueSynchronize" } else { "zeCommandListHostSynchronize" };
            shim.arm(wait, 0, 3, *result);
            drop(run);
            shim.disarm();
            assert_eq!(shim.live(), BTreeMap::new(), "something is left");
        }
    }
}

/// Threads use a device while its calls fail now and then: each of them gets its own results, or an error.
#[test]
fn threads_go_on_while_calls_fail() {
    const THREADS: u64 = 8;
    const ROUNDS: usize = 20;
    let calls = [
        "zeCommandListAppendLaunchKernel",
        "zeCommandListClose",
        "zeCommandListCreate",
        "zeCommandQueueExecuteCommandLists",
        "zeCommandQueueSynchronize",
        "zeCommandListHostSynchronize",
        "zeKernelSetArgumentValue",
        "zeMemAllocHost",
        "zeMemAllocDevice",
        "zeCommandListAppendBarrier",
        "zeCommandListAppendMemoryCopy",
        "zeCommandListReset",
    ];
    for way in [(false, true), (true, true)] {
        let Some((shim, _one)) = shim() else { return };
        let device = Device::__level_zero_for_tests(0, way.0, way.1).unwrap();
        let kernel = Loaded::new(&device, axpy()).unwrap();
        let running = AtomicU64::new(THREADS);
        std::thread::scope(|scope| {
            for thread in 0..THREADS {
                let (running, device, kernel) = (&running, &device, &kernel);
                scope.spawn(move || {
                    let rounds = || (0..ROUNDS).for_each(|i| round(device, kernel, thread, i));
                    let ran = std::panic::catch_unwind(std::panic::AssertUnwindSafe(rounds));
                    running.fetch_sub(1, Ordering::Relaxed);
                    ran.unwrap();
                });
            }
            // Failures of one call after another, once and several times.
            for i in 0u64.. {
                if running.load(Ordering::Relaxed) == 0 {
                    break;
                }
                let result = if i % 2 == 0 { OUT_OF_HOST_MEMORY } else { OUT_OF_DEVICE_MEMORY };
                shim.arm(calls[i as usize % calls.len()], i % 5, 1 + i % 3, result);
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
        });
        shim.disarm();
        Run { axpy: Some(kernel), ..Run::default() }.some(&|| Ok(device.clone())).unwrap();
        drop(device);
        assert_eq!(shim.live(), BTreeMap::new(), "something is left");
    }
}

/// What a thread does, over and over.
fn round(device: &Device, kernel: &Loaded, thread: u64, i: usize) {
    let mut run = Run { axpy: Some(kernel.clone()), ..Run::default() };
    let out_of_memory = |e: Error| assert_eq!(e.kind(), ErrorKind::OutOfMemory, "{thread}, {i}: {e}");
    let done = run.some(&|| Ok(device.clone())).and_then(|()| {
        for _ in 0..i % 7 {
            run.launch()?;
        }
        device.queue().flush()?;
        run.check()
    });
    done.unwrap_or_else(out_of_memory);
    run.check().unwrap_or_else(out_of_memory);
}
