//! The Vulkan device, under the validation layer with synchronization validation where that is installed.
//!
//! Needs a Vulkan device (a software one will do); where it is missing, the tests say so and count as passed, unless
//! `SPIRV_REQUIRE_COMPONENTS` is set.
#![cfg(feature = "vulkan")]

#[path = "common/hlsl.rs"]
mod compiled;
#[path = "common/axpy.rs"]
mod on_buffers;

use compiled::{compile, compile_text, describe, resource};
use spirv_runtime::__private::{
    Arg, Binding, EntryDesc, Loaded, ResourceDesc, ResourceKind, validation_messages,
};
use spirv_runtime::{
    Device, DeviceKind, ErrorKind, Queue, R32Float, Rgba8Unorm, Rgba16Float, Rgba32Float, SamplerOptions,
};
use std::path::Path;
use std::sync::Once;
use std::time::Duration;

/// Notes that a component is missing; fails where components are required.
fn missing(what: &str) {
    assert!(std::env::var_os("SPIRV_REQUIRE_COMPONENTS").is_none(), "missing: {what}");
    eprintln!("skipped: {what}");
}

/// The ways in which devices differ: as the machine's device is, and as an older discrete one would be.
fn devices() -> Vec<Device> {
    static VALIDATE: Once = Once::new();
    VALIDATE.call_once(|| {
        let layers = ["/usr/share/vulkan/explicit_layer.d", "/etc/vulkan/explicit_layer.d"];
        let installed =
            layers.iter().any(|dir| Path::new(dir).join("VkLayer_khronos_validation.json").exists());
        if installed {
            // SAFETY: every test begins here, before anything else reads the environment.
            unsafe { std::env::set_var("SPIRV_VALIDATION", "1") };
        } else {
            missing("the Vulkan validation layer is not installed; running without");
        }
    });
    match Device::vulkan(0) {
        Ok(device) => vec![device, Device::__vulkan_for_tests(0, true, true).unwrap()],
        Err(e) => {
            missing(&e.to_string());
            Vec::new()
        }
    }
}

fn clean() {
    let messages = validation_messages();
    assert!(messages.is_empty(), "{messages:#?}");
}

fn entry(
    name: &'static str,
    local_size: [u32; 3],
    resources: &'static [ResourceDesc],
) -> Option<&'static EntryDesc> {
    Some(describe(name, compile(name), local_size, resources))
}

const FLOATS: ResourceKind = ResourceKind::Buffer { stride: 4 };

fn axpy() -> Option<&'static EntryDesc> {
    const RESOURCES: &[ResourceDesc] = &[
        ResourceDesc {
            name: "constants",
            writable: false,
            binding: Binding::PushConstant { offset: 0, size: 8 },
            kind: ResourceKind::Constants { size: 8 },
        },
        resource("x", false, (0, 0), FLOATS),
        resource("y", true, (0, 1), FLOATS),
    ];
    entry("axpy", [64, 1, 1], RESOURCES)
}

/// Runs a test on each device, with what most tests need.
fn each(test: impl Fn(&Device, &Queue, &Loaded)) {
    for device in devices() {
        let Some(entry) = axpy() else { return };
        let kernel = Loaded::new(&device, entry).unwrap();
        test(&device, &device.queue(), &kernel);
    }
    clean();
}

fn constants(n: u32, a: f32) -> [u8; 8] {
    let mut out = [0; 8];
    out[..4].copy_from_slice(&n.to_ne_bytes());
    out[4..].copy_from_slice(&a.to_ne_bytes());
    out
}

fn launch(
    kernel: &Loaded,
    queue: &Queue,
    a: f32,
    x: &spirv_runtime::Buffer<f32>,
    y: &mut spirv_runtime::Buffer<f32>,
) {
    let n = x.len() as u32;
    let constants = constants(n, a);
    let args = [Arg::constants(&constants), x.__arg(), y.__arg_mut()];
    kernel.launch(queue, [n, 1, 1], &args).unwrap();
}

#[test]
fn images_and_uniform_constants() {
    const RESOURCES: &[ResourceDesc] = &[
        resource("Constants", false, (0, 0), ResourceKind::Constants { size: 24 }),
        resource(
            "src",
            false,
            (0, 1),
            ResourceKind::Image { dimension: "D2", storage: false, format: None, count: None },
        ),
        resource(
            "dst",
            true,
            (1, 0),
            ResourceKind::Image { dimension: "D2", storage: true, format: None, count: None },
        ),
    ];
    for device in devices() {
        let Some(entry) = entry("image", [8, 8, 1], RESOURCES) else { return };
        let (queue, kernel) = (device.queue(), Loaded::new(&device, entry).unwrap());
        for (w, h) in [(1u32, 1u32), (7, 13), (641, 479)] {
            let texel = |i: u32| [(i % 251) as u8, (i % 7) as u8, 255, (i % 3) as u8];
            let texels: Vec<[u8; 4]> = (0..w * h).map(texel).collect();
            let src = device.image_from::<Rgba8Unorm>(w, h, &texels).unwrap();
            let mut dst = device.image::<Rgba8Unorm>(w, h).unwrap();
            assert!(dst.read(&queue).unwrap().iter().all(|t| *t == [0; 4]));
            for scale in [[1.0f32, 1.0, 0.0, 1.0], [1.0, 0.0, 1.0, 1.0]] {
                let mut bytes = [0u8; 24];
                for (to, from) in bytes.chunks_exact_mut(4).zip(scale) {
                    to.copy_from_slice(&from.to_ne_bytes());
                }
                bytes[16..20].copy_from_slice(&w.to_ne_bytes());
                bytes[20..24].copy_from_slice(&h.to_ne_bytes());
                let args = [Arg::constants(&bytes), src.__arg(), dst.__arg_mut()];
                kernel.launch(&queue, [w, h, 1], &args).unwrap();
            }
            let want: Vec<_> = texels.iter().map(|t| [t[0], 0, t[2], t[3]]).collect();
            assert!(dst.read(&queue).unwrap() == want, "{w}x{h}");
        }
    }
    clean();
}

#[test]
fn formats_keep_their_texels() {
    for device in devices() {
        let queue = device.queue();
        let mut image = device.image_from::<R32Float>(3, 2, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
        assert_eq!(image.read(&queue).unwrap(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        image.write(&queue, &[0.5; 6]).unwrap();
        assert_eq!(image.read(&queue).unwrap(), [0.5; 6]);
        let image = device.image_from::<Rgba16Float>(1, 1, &[[0x3c00, 0, 0x4000, 1]]).unwrap();
        assert_eq!(image.read(&queue).unwrap(), [[0x3c00, 0, 0x4000, 1]]);
        let image = device.image_from::<Rgba32Float>(1, 1, &[[1.0, 2.0, 3.0, 4.0]]).unwrap();
        assert_eq!(image.read(&queue).unwrap(), [[1.0, 2.0, 3.0, 4.0]]);
        let error = device.image::<R32Float>(1 << 20, 1).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Limit, "{error}");
    }
    clean();
}

#[test]
fn lengths_are_exact_and_accesses_stay_in_range() {
    const RESOURCES: &[ResourceDesc] = &[
        resource("data", false, (0, 0), ResourceKind::Buffer { stride: 16 }),
        resource("result", true, (0, 1), ResourceKind::Bytes),
    ];
    for device in devices() {
        let Some(entry) = entry("length", [1, 1, 1], RESOURCES) else { return };
        let (queue, kernel) = (device.queue(), Loaded::new(&device, entry).unwrap());
        for n in [0, 1, 5] {
            let data = device.buffer_from(&vec![[7u32; 4]; n]).unwrap();
            let mut result = device.buffer_from(&[99u32; 4]).unwrap();
            kernel.launch(&queue, [1, 1, 1], &[data.__arg(), result.__arg_mut()]).unwrap();
            assert_eq!(result.read(&queue).unwrap(), [n as u32, 0, 99, 99]);
        }
    }
    clean();
}

#[test]
fn timed_launches_take_time() {
    for device in devices() {
        let Some(entry) = axpy() else { return };
        let (queue, kernel) = (device.queue(), Loaded::new(&device, entry).unwrap());
        let x = device.buffer_from(&vec![1.0f32; 1 << 20]).unwrap();
        let mut y = device.buffer::<f32>(1 << 20).unwrap();
        assert_eq!(queue.last_kernel_time(), None);
        queue.set_profiling(true);
        launch(&kernel, &queue, 1.0, &x, &mut y);
        let time = queue.last_kernel_time().expect("the device has timestamps");
        assert!(time.as_nanos() > 0 && time.as_secs() < 10, "{time:?}");
    }
    clean();
}

#[test]
fn mistakes_are_errors() {
    for device in devices() {
        let Some(entry) = axpy() else { return };
        let (queue, kernel) = (device.queue(), Loaded::new(&device, entry).unwrap());
        let (cpu, four) = (Device::cpu(), constants(4, 1.0));
        let x = cpu.buffer_from(&[1.0f32; 4]).unwrap();
        let mut y = device.buffer::<f32>(4).unwrap();
        let args = [Arg::constants(&four), x.__arg(), y.__arg_mut()];
        let error = kernel.launch(&queue, [4, 1, 1], &args).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::WrongDevice);
        assert!(error.to_string().contains("axpy::main") && error.to_string().contains("`x`"), "{error}");
        assert_eq!(x.read(&queue).unwrap_err().kind(), ErrorKind::WrongDevice);
        assert_eq!(Loaded::new(&cpu, entry).err().unwrap().kind(), ErrorKind::Unsupported);

        let x = device.buffer::<f32>(4).unwrap();
        let args = [Arg::constants(&four), x.__arg(), y.__arg()];
        let error = kernel.launch(&queue, [4, 1, 1], &args).unwrap_err();
        assert!(error.to_string().contains("borrowed for reading"), "{error}");
        let args = [Arg::constants(&four), x.__arg(), y.__arg_mut()];
        let error = kernel.launch(&queue, [1, u32::MAX, 1], &args).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Limit, "{error}");

        assert_eq!(device.buffer::<u64>(1 << 40).unwrap_err().kind(), ErrorKind::Limit);
    }
    if std::env::var_os("SPIRV_DEVICE").is_none() {
        assert_ne!(Device::best().unwrap().kind(), DeviceKind::Software);
    }
    let error = Device::from_name("vulkan:77").unwrap_err();
    assert!(error.kind() == ErrorKind::NoDevice && error.to_string().contains("vulkan:77"), "{error}");
    assert!(Device::from_name("quantum").unwrap_err().to_string().contains("`cpu`"));
    clean();
}

#[test]
fn damaged_modules_never_reach_the_driver() {
    for device in devices() {
        for spirv in [&[][..], &[1, 2, 3], &[0; 64]] {
            let error = Loaded::new(&device, describe("bad", spirv, [1; 3], &[])).err().unwrap();
            assert!(error.to_string().contains("damaged"), "{error}");
        }
        // Files that were cut, by a build that was killed or a disk that was full.
        for name in ["axpy", "image", "length"] {
            let whole = compile(name);
            for cut in (0..whole.len()).step_by(4) {
                let error = Loaded::new(&device, describe("cut", &whole[..cut], [64, 1, 1], &[])).err();
                let error = error.unwrap_or_else(|| panic!("{cut} bytes of {name} were taken for a module"));
                assert!(error.to_string().contains("damaged"), "{name}, {cut}: {error}");
            }
        }
        // Module and interface of two builds.
        let error = Loaded::new(&device, describe("old", compile("axpy"), [32, 1, 1], &[])).err().unwrap();
        assert!(error.to_string().contains("[64, 1, 1]"), "{error}");
        let other = describe("old", compile("image"), [8, 8, 1], axpy().unwrap().kernel.resources);
        let error = Loaded::new(&device, other).err().unwrap();
        assert!(error.to_string().contains("no such resource in its interface"), "{error}");
    }
    clean();
}

#[test]
fn capabilities_that_the_device_lacks_are_refused() {
    for device in devices() {
        // Of subgroups; most devices lack some.
        for capability in 61..=68u32 {
            let mut words: Vec<u8> = compile("axpy").to_vec();
            words.splice(20..20, [2 << 16 | 17, capability].into_iter().flat_map(u32::to_le_bytes));
            let entry = describe("axpy", Vec::leak(words), [64, 1, 1], axpy().unwrap().kernel.resources);
            if let Err(error) = Loaded::new(&device, entry) {
                assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
                assert!(error.to_string().contains("capability GroupNonUniform"), "{error}");
            }
        }
    }
    clean();
}

#[test]
fn there_are_no_more_samplers_than_the_device_has() {
    for device in devices() {
        let made: Vec<_> =
            (0..100_000).map_while(|_| device.sampler(SamplerOptions::nearest()).ok()).collect();
        if made.len() < 100_000 {
            let error = device.sampler(SamplerOptions::nearest()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Limit, "{error}");
            drop(made);
            device.sampler(SamplerOptions::nearest()).unwrap();
        }
    }
    clean();
}

#[test]
fn what_exceeds_the_device_is_refused_when_it_is_loaded() {
    const TEXTURES: u32 = 600;
    const TEXTURE: ResourceKind =
        ResourceKind::Image { dimension: "D2", storage: false, format: None, count: None };
    let textures = || {
        let names = (0..TEXTURES).map(|i| format!("t{i}"));
        let declared = names.clone().map(|name| format!("Texture2D<float> {name};\n")).collect::<String>();
        let sum = names.map(|name| format!("sum += {name}[uint2(0, 0)]; ")).collect::<String>();
        let text = format!(
            "{declared}[[vk::binding(1000)]] RWStructuredBuffer<float> result;\n\
             [numthreads(1, 1, 1)] void main() {{ float sum = 0; {sum}result[0] = sum; }}"
        );
        let mut resources: Vec<_> = (0..TEXTURES).map(|i| resource("t", false, (0, i), TEXTURE)).collect();
        resources.push(resource("result", true, (0, 1000), FLOATS));
        describe("textures", compile_text("textures.hlsl", &text), [1, 1, 1], Vec::leak(resources))
    };
    let shared = || {
        let text = "RWStructuredBuffer<float> result; groupshared float g[20480];\n\
            [numthreads(64, 1, 1)] void main(uint3 id : SV_GroupThreadID) { g[id.x * 320] = id.x; \
            GroupMemoryBarrierWithGroupSync(); result[id.x] = g[(63 - id.x) * 320]; }";
        let resources = Vec::leak(vec![resource("result", true, (0, 0), FLOATS)]);
        describe("shared", compile_text("shared.hlsl", text), [64, 1, 1], resources)
    };
    for device in devices() {
        for (entry, parts) in [
            (textures(), ["kernel `textures::main`", "600 textures", "the device has"]),
            (shared(), ["kernel `shared::main`", "81920 bytes of groupshared memory", "the device has"]),
        ] {
            let error = Loaded::new(&device, entry).err().unwrap();
            assert_eq!(error.kind(), ErrorKind::Limit, "{error}");
            for part in parts {
                assert!(error.to_string().contains(part), "`{part}` is not in: {error}");
            }
        }
    }
    clean();
}

#[test]
fn waits_have_time_limits() {
    let text = "RWStructuredBuffer<uint> result; [numthreads(64, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {\n\
        uint x = id.x; for (uint i = 0; i < 60000; i++) x = x * 1664525 + (x >> 7); result[id.x & 63] = x | 1; }";
    // Some software devices leave every loop after 65,535 rounds: many groups take longer than a wait of this length.
    let words = ResourceKind::Buffer { stride: 4 };
    let resources = Vec::leak(vec![resource("result", true, (0, 0), words)]);
    let entry = describe("slow", compile_text("slow.hlsl", text), [64, 1, 1], resources);
    for device in devices() {
        let (queue, other) = (device.queue(), device.queue());
        let kernel = Loaded::new(&device, entry).unwrap();
        let mut result = device.buffer::<u32>(64).unwrap();
        kernel.launch(&queue, [64 * 100, 1, 1], &[result.__arg_mut()]).unwrap();
        let short = Duration::from_micros(100);
        assert!(!queue.wait_timeout(short).unwrap());
        assert!(!result.wait_timeout(short).unwrap());
        assert!(other.wait_timeout(short).unwrap(), "nothing was launched there");
        assert!(queue.wait_timeout(Duration::MAX).unwrap());
        assert!(result.wait_timeout(Duration::MAX).unwrap());
        assert!(result.read(&queue).unwrap().iter().all(|x| x & 1 == 1));
        assert_eq!(queue.cancel().unwrap_err().kind(), ErrorKind::Unsupported);
    }
    clean();
}
