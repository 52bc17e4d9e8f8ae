//! Every Vulkan call of the runtime fails once, and for good, in each way that a driver has: the user gets an error of the
//! right kind or what was asked for, the device goes on, and nothing is left.
//!
//! `tests/driver-faults` makes the calls fail. Under the validation layer where that is installed. Needs a Vulkan device; where
//! it is missing, the tests say so and count as passed, unless `SPIRV_REQUIRE_COMPONENTS` is set.
#![cfg(all(feature = "vulkan", target_os = "linux"))]

#[path = "common/hlsl.rs"]
mod compiled;
#[path = "faults/shim.rs"]
mod shim;

use compiled::{compile, describe, resource};
use shim::Shim;
use spirv_runtime::__private::{
    Arg, Binding, EntryDesc, Loaded, ResourceDesc, ResourceKind, validation_messages,
};
use spirv_runtime::{
    Buffer, D2, Device, Error, ErrorKind, Queue, R32Float, Result, Rgba8Unorm, SamplerOptions,
};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

const OUT_OF_HOST_MEMORY: i32 = -1;
const OUT_OF_DEVICE_MEMORY: i32 = -2;
const INITIALIZATION_FAILED: i32 = -3;
const DEVICE_LOST: i32 = -4;

/// Results, and what they are to a user.
const RESULTS: &[(i32, ErrorKind)] = &[
    (OUT_OF_HOST_MEMORY, ErrorKind::OutOfMemory),
    (OUT_OF_DEVICE_MEMORY, ErrorKind::OutOfMemory),
    (INITIALIZATION_FAILED, ErrorKind::Driver),
    (DEVICE_LOST, ErrorKind::DeviceLost),
];

/// The functions that make the instance, which happens once a process.
const OF_INSTANCE: &[&str] = &[
    "vkEnumerateInstanceVersion",
    "vkEnumerateInstanceLayerProperties",
    "vkEnumerateInstanceExtensionProperties",
    "vkCreateInstance",
    "vkCreateDebugUtilsMessengerEXT",
];

/// What can fail for good without an error: pools are made anew, a launch may have no time, and when it is asked again a device
/// may be done, if it was not before.
const DISPENSABLE: &[&str] = &["vkGetQueryPoolResults", "vkResetCommandPool", "vkResetDescriptorPool"];
const MEMORY: &[&str] = &["vkAllocateMemory", "vkMapMemory", "vkCreateBuffer", "vkBindBufferMemory"];
const WAITS: &[&str] = &["vkWaitSemaphores", "vkWaitForFences"];

const FOREVER: u64 = u64::MAX;
/// More launches than a submission has.
const LAUNCHES: u32 = 70;
const LEN: usize = 256;

fn missing(what: &str) {
    assert!(std::env::var_os("SPIRV_REQUIRE_COMPONENTS").is_none(), "missing: {what}");
    eprintln!("skipped: {what}");
}

/// The library between runtime and loader, for one test at a time. None if there is no Vulkan.
fn shim() -> Option<(&'static Shim, MutexGuard<'static, ()>)> {
    static SHIM: OnceLock<Option<Shim>> = OnceLock::new();
    static ONE: Mutex<()> = Mutex::new(());
    let one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let shim = SHIM.get_or_init(|| {
        let library = shim::build();
        let layers = ["/usr/share/vulkan/explicit_layer.d", "/etc/vulkan/explicit_layer.d"];
        let validation =
            layers.iter().any(|dir| Path::new(dir).join("VkLayer_khronos_validation.json").exists());
        // SAFETY: every test begins here, before anything else reads the environment.
        unsafe { std::env::set_var("SPIRV_VULKAN_LOADER", "/nowhere/libvulkan.so") };
        let error = Device::vulkan(0).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NoDevice, "{error}");
        assert!(error.to_string().contains("`/nowhere/libvulkan.so`"), "{error}");
        // SAFETY: as above.
        unsafe {
            std::env::set_var("SPIRV_VULKAN_LOADER", &library);
            if validation {
                std::env::set_var("SPIRV_VALIDATION", "1");
            } else {
                missing("the Vulkan validation layer is not installed; running without");
            }
        }
        let shim = Shim::open(&library);
        while_no_instance(&shim, validation);
        match Device::__vulkan_for_tests(0, false, false) {
            Ok(_) => Some(shim),
            Err(e) => {
                missing(&e.to_string());
                None
            }
        }
    });
    let shim = shim.as_ref()?;
    // As the test before left it, if it failed.
    shim.disarm();
    shim.slow(false);
    Some((shim, one))
}

/// The failures of making the instance: none of them is remembered.
fn while_no_instance(shim: &Shim, validation: bool) {
    for call in OF_INSTANCE {
        for (result, kind) in RESULTS {
            shim.arm(call, 0, FOREVER, *result);
            let opened = Device::vulkan(0);
            let fired = shim.disarm();
            match opened {
                Err(e) if fired > 0 => assert_eq!(e.kind(), *kind, "{call}: {e}"),
                // Not to hear the layers is no reason to fail where none were asked for.
                _ => assert!(fired == 0 || !validation, "{call}: {result} was not noticed"),
            }
        }
    }
}

const FLOATS: ResourceKind = ResourceKind::Buffer { stride: 4 };
const AXPY: &[ResourceDesc] = &[
    ResourceDesc {
        name: "constants",
        writable: false,
        binding: Binding::PushConstant { offset: 0, size: 8 },
        kind: ResourceKind::Constants { size: 8 },
    },
    resource("x", false, (0, 0), FLOATS),
    resource("y", true, (0, 1), FLOATS),
];
const TEXTURE: ResourceKind =
    ResourceKind::Image { dimension: "D2", storage: false, format: None, count: None };
const STORAGE: ResourceKind =
    ResourceKind::Image { dimension: "D2", storage: true, format: None, count: None };
const IMAGE: &[ResourceDesc] = &[
    resource("Constants", false, (0, 0), ResourceKind::Constants { size: 24 }),
    resource("src", false, (0, 1), TEXTURE),
    resource("dst", true, (1, 0), STORAGE),
];
const fn texels(storage: bool) -> ResourceKind {
    // VK_FORMAT_R32_SFLOAT
    ResourceKind::Texels { stride: 4, code: 3, vulkan: 100, storage }
}
const TYPED: &[ResourceDesc] =
    &[resource("src", false, (0, 0), texels(false)), resource("dst", true, (0, 1), texels(true))];

/// The kernels, compiled once.
fn entries() -> [&'static EntryDesc; 3] {
    static ENTRIES: OnceLock<[&EntryDesc; 3]> = OnceLock::new();
    *ENTRIES.get_or_init(|| {
        [
            describe("axpy", compile("axpy"), [64, 1, 1], AXPY),
            describe("image", compile("image"), [8, 8, 1], IMAGE),
            describe("typed", compile("typed"), [64, 1, 1], TYPED),
        ]
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
    /// Whether to use large buffers, which take longer.
    large: bool,
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
        axpy.launch(queue, [LEN as u32, 1, 1], &[Arg::constants(&constants), x.__arg(), y.__arg_mut()])?;
        self.sum += 1.0;
        Ok(())
    }

    /// Uses all that the runtime has.
    fn all(&mut self, open: &dyn Fn() -> Result<Device>) -> Result<()> {
        let [axpy, image, typed] = entries();
        let device = self.device.insert(open()?).clone();
        self.queue = Some(device.queue());
        self.axpy = Some(Loaded::new(&device, axpy)?);
        self.x = Some(device.buffer_from(&[1.0f32; LEN])?);
        self.y = Some(device.buffer::<f32>(LEN)?);
        let queue = device.queue();
        for _ in 0..LAUNCHES {
            self.launch()?;
        }
        queue.flush()?;
        self.launch()?;
        if let Some(x) = &mut self.x {
            x.write(&queue, &[1.0; LEN])?;
        }
        self.launch()?;
        queue.wait()?;
        if let Some(queue) = &self.queue {
            queue.wait()?;
        }
        self.check()?;
        if self.large {
            // More than comes from a block of the allocator.
            drop(device.buffer::<u8>(17 << 20)?);
        }
        queue.set_profiling(true);
        images(&device, &queue, image)?;
        let _ = queue.last_kernel_time();
        let (queue, typed) = (device.queue(), Loaded::new(&device, typed)?);
        let (src, mut dst) = (device.buffer_from(&[3.0f32; 64])?, device.buffer::<f32>(64)?);
        typed.launch(&queue, [64, 1, 1], &[src.__arg(), dst.__arg_mut()])?;
        drop(src);
        assert_eq!(dst.read(&queue)?, [6.0; 64]);
        device.sampler(SamplerOptions::linear())?;
        self.launch()
    }

    /// Uses some of it.
    fn some(&mut self, open: &dyn Fn() -> Result<Device>) -> Result<()> {
        let device = self.device.insert(open()?).clone();
        self.sum = 0.0;
        self.queue = Some(device.queue());
        self.axpy = Some(Loaded::new(&device, entries()[0])?);
        self.x = Some(device.buffer_from(&[1.0f32; LEN])?);
        self.y = Some(device.buffer::<f32>(LEN)?);
        for _ in 0..3 {
            self.launch()?;
        }
        self.queue.as_ref().map_or(Ok(()), Queue::wait)?;
        self.check()
    }

    /// What the launches wrote, if it can be read.
    fn check(&self) -> Result<()> {
        if let (Some(queue), Some(y)) = (&self.queue, &self.y) {
            assert_eq!(y.read(queue)?, [self.sum; LEN]);
        }
        Ok(())
    }
}

fn images(device: &Device, queue: &Queue, entry: &'static EntryDesc) -> Result<()> {
    let kernel = Loaded::new(device, entry)?;
    let src = device.image_from::<Rgba8Unorm>(8, 8, &[[9, 8, 7, 255]; 64])?;
    let mut dst = device.image::<Rgba8Unorm>(8, 8)?;
    let mut constants = [0u8; 24];
    for (to, from) in constants.chunks_exact_mut(4).zip([1.0f32, 0.0, 1.0, 1.0]) {
        to.copy_from_slice(&from.to_ne_bytes());
    }
    constants[16..20].copy_from_slice(&8u32.to_ne_bytes());
    constants[20..].copy_from_slice(&8u32.to_ne_bytes());
    kernel.launch(queue, [8, 8, 1], &[Arg::constants(&constants), src.__arg(), dst.__arg_mut()])?;
    assert_eq!(dst.read(queue)?, [[9, 0, 7, 255]; 64]);
    let mut levels = device.image_of::<R32Float, _>(D2::size(4, 4).with_levels(2))?;
    levels.write(queue, &[2.0; 16])?;
    assert_eq!(levels.read(queue)?, [2.0; 16]);
    Ok(())
}

/// One way of a device: with fences, with staging.
type Way = (bool, bool);

/// What happens when a call fails.
fn inject(shim: &Shim, way: Way, call: &str, skip: u64, times: u64, (result, kind): (i32, ErrorKind)) {
    let what = format!("{call} after {skip}, {times} times, {result}, {way:?}");
    let open = || Device::__vulkan_for_tests(0, way.0, way.1);
    let before = validation_messages().len();
    let mut run = Run { large: MEMORY.contains(&call), ..Run::default() };
    shim.arm(call, skip, times, result);
    let done = run.all(&open);
    // How often some are called depends on how fast the device is.
    let fired = shim.disarm();
    assert!(fired > 0 || skip > 0 || WAITS.contains(&call), "{what}: it was not called");
    let expect = |e: &Error| assert_eq!(e.kind(), kind, "{what}: {e}");
    if let Err(e) = &done {
        expect(e);
    } else {
        let may = [DISPENSABLE, WAITS].concat().contains(&call);
        assert!(times == 1 || may, "{what}: no error");
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
    let mut next = Run::default();
    let again = || device.clone().map_or_else(open, Ok);
    next.some(&again).unwrap_or_else(|e| panic!("{what}: the next run: {e}"));
    drop((run, next, device));
    shim.disarm();
    assert_eq!(shim.live(), lasting(), "{what}: something is left");
    let messages = validation_messages();
    assert!(messages.len() == before, "{what}: {:#?}", &messages[before..]);
}

/// What lives as long as the process.
fn lasting() -> BTreeMap<String, i64> {
    [("VkInstance", 1), ("VkDebugUtilsMessengerEXT", 1)].map(|(kind, n)| (kind.to_string(), n)).into()
}

/// Whether all that can be done with a device says that it was lost.
fn is_lost(run: &mut Run, device: &Device, what: &str) {
    let queue = device.queue();
    let mut calls: Vec<(&str, Result<()>)> = vec![
        ("buffer", device.buffer::<f32>(4).map(drop)),
        ("buffer_from", device.buffer_from(&[1u8; 4]).map(drop)),
        ("image", device.image::<R32Float>(4, 4).map(drop)),
        ("sampler", device.sampler(SamplerOptions::nearest()).map(drop)),
        ("kernel", Loaded::new(device, entries()[0]).map(drop)),
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

/// The functions that a run calls, and how often.
fn calls(shim: &Shim, way: Way) -> BTreeMap<String, u64> {
    shim.restart();
    let mut run = Run { large: true, ..Run::default() };
    run.all(&|| Device::__vulkan_for_tests(0, way.0, way.1)).unwrap();
    run.check().unwrap();
    drop(run);
    assert_eq!(shim.live(), lasting(), "something is left");
    shim.calls().into_iter().map(|(call, n)| (call, n as u64)).collect()
}

fn every_call_fails(way: Way) {
    let Some((shim, _one)) = shim() else { return };
    let calls = calls(shim, way);
    let (start, mut injected) = (std::time::Instant::now(), 0);
    for (call, n) in &calls {
        for expected in RESULTS {
            for skip in 0..*n {
                inject(shim, way, call, skip, 1, *expected);
            }
            inject(shim, way, call, 0, FOREVER, *expected);
            injected += n + 1;
        }
    }
    println!("{way:?}: {injected} faults in {} functions, {:?}", calls.len(), start.elapsed());
    assert!(calls.len() > 30, "{calls:?}");
}

#[test]
fn timeline_unified() {
    every_call_fails((false, false));
}

#[test]
fn timeline_staged() {
    every_call_fails((false, true));
}

#[test]
fn fences_unified() {
    every_call_fails((true, false));
}

#[test]
fn fences_staged() {
    every_call_fails((true, true));
}

/// All ways of a device, for tests that do not look at each call.
fn each(test: impl Fn(&Shim, &Device)) {
    let Some((shim, _one)) = shim() else { return };
    let before = validation_messages().len();
    for way in [(false, false), (false, true), (true, false), (true, true)] {
        let device = Device::__vulkan_for_tests(0, way.0, way.1).unwrap();
        test(shim, &device);
        drop(device);
        assert_eq!(shim.live(), lasting(), "something is left");
        shim.disarm();
    }
    let messages = validation_messages();
    assert!(messages.len() == before, "{:#?}", &messages[before..]);
}

fn made(shim: &Shim, kind: &str) -> i64 {
    shim.live().get(kind).copied().unwrap_or_default()
}

#[test]
fn a_launch_that_fails_leaves_nothing_in_the_command_buffer() {
    each(|shim, device| {
        let mut run = Run::default();
        run.some(&|| Ok(device.clone())).unwrap();
        run.launch().unwrap();
        // Another kernel, whose launch fails, and which is gone before what is recorded is submitted.
        shim.arm("vkAllocateDescriptorSets", 0, FOREVER, OUT_OF_DEVICE_MEMORY);
        let (src, mut dst) = (device.buffer::<f32>(64).unwrap(), device.buffer::<f32>(64).unwrap());
        let typed = Loaded::new(device, entries()[2]).unwrap();
        let error = typed.launch(&device.queue(), [64, 1, 1], &[src.__arg(), dst.__arg_mut()]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OutOfMemory, "{error}");
        shim.disarm();
        drop((typed, src, dst));
        run.launch().unwrap();
        run.check().unwrap();
    });
}

#[test]
fn a_lost_device_is_opened_again() {
    let Some((shim, _one)) = shim() else { return };
    let lost = Device::vulkan(0).unwrap();
    let mut run = Run::default();
    run.some(&|| Ok(lost.clone())).unwrap();
    shim.arm("vkQueueSubmit", 0, 1, DEVICE_LOST);
    run.launch().unwrap();
    assert_eq!(run.check().unwrap_err().kind(), ErrorKind::DeviceLost);
    is_lost(&mut run, &lost, "vkQueueSubmit");
    // The old one is still there, and so is what was made on it.
    let fresh = Device::vulkan(0).unwrap();
    let mut next = Run::default();
    next.some(&|| Ok(fresh.clone())).unwrap();
    let error = run.x.as_ref().unwrap().read(&fresh.queue()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WrongDevice, "{error}");
    assert_eq!(made(shim, "VkDevice"), 2);
    drop((lost, run));
    assert_eq!(made(shim, "VkDevice"), 1);
    next.some(&|| Device::vulkan(0)).unwrap();
}

#[test]
fn dropped_memory_is_given_back_without_another_launch() {
    each(|shim, device| {
        let queue = device.queue();
        for _ in 0..20 {
            drop(device.buffer::<u8>(4 << 20).unwrap());
            drop(device.image::<R32Float>(1024, 1024).unwrap());
        }
        queue.wait().unwrap();
        // Nothing was launched, so there is nothing that this queue waits for; the device is done some time.
        let begin = std::time::Instant::now();
        while made(shim, "VkBuffer") + made(shim, "VkImage") > 0 {
            assert!(begin.elapsed().as_secs() < 60, "{:?}", shim.live());
            queue.wait().unwrap();
        }
    });
}

#[test]
fn allocations_that_fail_wait_for_what_is_in_flight() {
    each(|shim, device| {
        let mut run = Run::default();
        run.some(&|| Ok(device.clone())).unwrap();
        run.launch().unwrap();
        // What the launch uses is the only thing that could be given back.
        (run.x, run.axpy) = (None, None);
        for (call, n) in [("vkAllocateMemory", 32 << 20), ("vkCreateBuffer", 4)] {
            shim.arm(call, 0, 1, OUT_OF_DEVICE_MEMORY);
            let buffer = device.buffer::<u8>(n).unwrap();
            assert_eq!((shim.disarm(), buffer.len()), (1, n), "{call}");
        }
        assert_eq!(made(shim, "VkPipeline"), 0);
        run.check().unwrap();
    });
}

#[test]
fn work_in_flight_is_bounded() {
    const BYTES: usize = 48 << 20;
    let Some((shim, _one)) = shim() else { return };
    let device = Device::__vulkan_for_tests(0, false, true).unwrap();
    let queue = device.queue();
    let data = vec![1u8; BYTES];
    let mut buffer = device.buffer::<u8>(BYTES).unwrap();
    shim.slow(true);
    for _ in 0..20 {
        buffer.write(&queue, &data).unwrap();
        // Those that fit what commands may hold, the one that is recorded, the buffer.
        let there = made(shim, "VkBuffer");
        assert!(there <= (256 << 20) / BYTES as i64 + 3, "{there} buffers");
    }
    shim.slow(false);
    assert!(buffer.read(&queue).unwrap() == data);
    drop(buffer);
    // Memory that was dropped counts, too.
    shim.slow(true);
    for _ in 0..20 {
        drop(device.buffer::<u8>(BYTES).unwrap());
        let there = made(shim, "VkBuffer");
        assert!(there <= (256 << 20) / BYTES as i64 + 3, "{there} buffers");
    }
    // And launches, which hold next to nothing.
    let mut run = Run::default();
    run.some(&|| Ok(device.clone())).unwrap();
    for _ in 0..10_000 {
        run.launch().unwrap();
    }
    let there = made(shim, "VkCommandPool");
    assert!(there < 80, "{there} command buffers");
    shim.slow(false);
    run.check().unwrap();
}

#[test]
fn results_have_their_kinds() {
    const MEMORY_MAP_FAILED: i32 = -5;
    const TOO_MANY_OBJECTS: i32 = -10;
    const FORMAT_NOT_SUPPORTED: i32 = -11;
    each(|shim, device| {
        let buffer = || device.buffer::<u8>(32 << 20).map(drop);
        let image = || device.image::<R32Float>(4, 4).map(drop);
        let sampler = || device.sampler(SamplerOptions::nearest()).map(drop);
        type Make<'a> = &'a dyn Fn() -> Result<()>;
        let rows: [(&str, i32, Make<'_>, ErrorKind); 8] = [
            ("vkMapMemory", MEMORY_MAP_FAILED, &buffer, ErrorKind::OutOfMemory),
            ("vkMapMemory", OUT_OF_HOST_MEMORY, &buffer, ErrorKind::OutOfMemory),
            ("vkAllocateMemory", OUT_OF_HOST_MEMORY, &buffer, ErrorKind::OutOfMemory),
            ("vkAllocateMemory", TOO_MANY_OBJECTS, &buffer, ErrorKind::Limit),
            ("vkCreateSampler", TOO_MANY_OBJECTS, &sampler, ErrorKind::Limit),
            (
                "vkGetPhysicalDeviceImageFormatProperties",
                FORMAT_NOT_SUPPORTED,
                &image,
                ErrorKind::Unsupported,
            ),
            ("vkGetPhysicalDeviceImageFormatProperties", OUT_OF_HOST_MEMORY, &image, ErrorKind::OutOfMemory),
            ("vkAllocateMemory", DEVICE_LOST, &buffer, ErrorKind::DeviceLost),
        ];
        for (call, result, make, kind) in rows {
            shim.arm(call, 0, FOREVER, result);
            let error = make().unwrap_err();
            assert_eq!(error.kind(), kind, "{call}, {result}: {error}");
            shim.disarm();
        }
    });
}

#[test]
fn a_device_is_closed_when_it_is_idle() {
    for (result, _) in RESULTS {
        each(|shim, device| {
            let mut run = Run::default();
            run.some(&|| Ok(device.clone())).unwrap();
            run.launch().unwrap();
            device.queue().flush().unwrap();
            // As long as it does not say that it is, it is asked again.
            shim.arm("vkDeviceWaitIdle", 0, 3, *result);
        });
    }
}

/// Threads use a device while its calls fail now and then: each of them gets its own results, or an error.
#[test]
fn threads_go_on_while_calls_fail() {
    const THREADS: u64 = 8;
    const ROUNDS: usize = 40;
    let calls = [
        "vkQueueSubmit",
        "vkEndCommandBuffer",
        "vkBeginCommandBuffer",
        "vkCreateBuffer",
        "vkAllocateDescriptorSets",
        "vkCreateDescriptorPool",
        "vkCreateFence",
        "vkWaitForFences",
        "vkWaitSemaphores",
        "vkGetSemaphoreCounterValue",
        "vkGetFenceStatus",
        "vkResetCommandPool",
        "vkCreateCommandPool",
    ];
    each(|shim, device| {
        let running = AtomicU64::new(THREADS);
        std::thread::scope(|scope| {
            for thread in 0..THREADS {
                let running = &running;
                scope.spawn(move || {
                    let ran = std::panic::catch_unwind(|| (0..ROUNDS).for_each(|i| round(device, thread, i)));
                    running.fetch_sub(1, Ordering::Relaxed);
                    ran.unwrap();
                });
            }
            // Failures of one call after another, once and several times.
            for i in 0u64.. {
                if running.load(Ordering::Relaxed) == 0 {
                    break;
                }
                let call = calls[i as usize % calls.len()];
                shim.arm(
                    call,
                    i % 5,
                    1 + i % 3,
                    if i % 2 == 0 { OUT_OF_HOST_MEMORY } else { OUT_OF_DEVICE_MEMORY },
                );
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
        });
        shim.disarm();
        Run::default().some(&|| Ok(device.clone())).unwrap();
    });
}

/// What a thread does, over and over.
fn round(device: &Device, thread: u64, i: usize) {
    let mut run = Run::default();
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
