//! The modules for Level Zero that a build makes: for each entry point one for all devices, and one for those without
//! images if it uses some; for one that has no such form the reason.

mod common;

use common::validate;
use spirv_build::hlsl::FileIncludes;
use spirv_build::hlsl::pp::IncludeHandler;
use spirv_build::pipeline::{Compiled, Options, compile};
use spirv_build::target::TargetEnv;
use spirv_interface::{ClArg, ClEntry, Interface};
use std::path::Path;

/// Numbers of `OpCapability`, and of the capabilities that have to do with images.
const OP_CAPABILITY: u32 = 17;
const IMAGE_CAPABILITIES: [u32; 3] = [13, 14, 15];
/// Capabilities that spirv-val learnt late for OpenCL: before, it refused them in that environment.
const FLOAT16: u32 = 9;

fn compiled(name: &str, text: &str, includes: &dyn IncludeHandler) -> Compiled {
    let options = Options {
        hlsl: spirv_build::hlsl::Options { profile: "cs_6_6".into(), ..Default::default() },
        target: TargetEnv::preset("vulkan1.3").unwrap(),
        cpu_arch: None,
        level_zero: true,
        warnings: Default::default(),
        kernel: "k".into(),
        source: "k.hlsl".into(),
        shared_arguments: false,
        symbol: "k".into(),
        vulkan: Default::default(),
        passes: Default::default(),
        error_limit: None,
    };
    let outcome = compile(name, text.as_bytes(), &options, includes);
    let shown = spirv_build::diag::render::pictures(&outcome.diagnostics, &outcome.sources, false);
    outcome.compiled.unwrap_or_else(|| panic!("{name}:\n{shown}"))
}

fn of_text(text: &str) -> Compiled {
    compiled("k.hlsl", text, &FileIncludes)
}

fn capabilities(words: &[u32]) -> Vec<u32> {
    let mut found = Vec::new();
    let mut rest = &words[5..];
    while let Some(first) = rest.first() {
        if first & 0xffff == OP_CAPABILITY {
            found.push(rest[1]);
        }
        rest = &rest[(first >> 16) as usize..];
    }
    found
}

fn assert_valid(name: &str, words: &[u32]) {
    let target = match words[1] >> 8 & 0xff {
        // Subgroups need a later version than that of any environment of OpenCL.
        3.. => "spv1.3",
        _ if capabilities(words).contains(&FLOAT16) => "spv1.2",
        _ => "opencl2.2",
    };
    match validate(words, target, &[]) {
        None => eprintln!("skipped: there is no spirv-val"),
        Some(Ok(())) => {}
        Some(Err(said)) => panic!("{name}:\n{said}\n{}", spirv_build::spv::disassemble(words).unwrap()),
    }
}

fn entry<'a>(interface: &'a Interface, name: &str) -> &'a spirv_interface::EntryPoint {
    interface.entries.iter().find(|e| e.name == name).unwrap()
}

/// The module of a form.
fn words<'a>(made: &'a Compiled, form: &ClEntry) -> &'a [u32] {
    let ClEntry::Kernel { module, .. } = form else { panic!("no kernel: {form:?}") };
    &made.cl.iter().find(|m| m.0 == *module).unwrap().1
}

#[test]
fn kernels_with_images_have_a_module_without() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/kernels");
    for (file, entries) in [("blur", 1), ("formats", 3), ("images", 3), ("saxpy", 0)] {
        let path = folder.join(format!("{file}.hlsl"));
        let text = std::fs::read_to_string(&path).unwrap();
        let made = compiled(&path.to_string_lossy(), &text, &FileIncludes);
        let has_images = |words| capabilities(words).iter().any(|c| IMAGE_CAPABILITIES.contains(c));
        let mut in_memory = 0;
        for e in &made.interface.entries {
            let objects = words(&made, &e.cl);
            assert_valid(file, objects);
            assert_eq!(has_images(objects), entries > 0, "{file}");
            if e.cl_memory == ClEntry::Absent {
                continue;
            }
            in_memory += 1;
            let memory = words(&made, &e.cl_memory);
            assert_valid(file, memory);
            assert!(!has_images(memory), "{file}");
            let text = spirv_build::spv::disassemble(memory).unwrap();
            assert!(!text.contains("OpTypeImage") && !text.contains("OpImage"), "{file}:\n{text}");
        }
        assert_eq!(in_memory, entries, "{file}");
        // What the host would read is what was made.
        assert_eq!(Interface::from_text(&made.interface.to_text()).unwrap(), made.interface, "{file}");
    }
}

#[test]
fn an_image_is_its_texels_and_their_extent() {
    let made = of_text(
        "Texture2D<float> a; RWTexture2D<float4> b; RWByteAddressBuffer c;\n\
         [numthreads(1, 1, 1)] void with(uint2 id : SV_DispatchThreadID) { b[id] = a[id]; }\n\
         [numthreads(1, 1, 1)] void without() { c.Store(0, 1); }",
    );
    let (with, without) = (entry(&made.interface, "with"), entry(&made.interface, "without"));
    assert_eq!(with.cl.args(), [ClArg::Image(0), ClArg::Image(1)]);
    use ClArg::{Extent, Texels};
    assert_eq!(with.cl_memory.args(), [Texels(0), Extent(0), Texels(1), Extent(1)]);
    assert_eq!(without.cl.args(), [ClArg::Pointer(2), ClArg::Length(2)]);
    assert_eq!(without.cl_memory, ClEntry::Absent);
    let text = spirv_build::spv::disassemble(words(&made, &with.cl_memory)).unwrap();
    // What is only read may have any number of components: six kinds that read as floats, of one, two and four.
    let switch = text.lines().find(|l| l.contains("OpSwitch")).unwrap_or_else(|| panic!("{text}"));
    assert_eq!(switch.split_whitespace().filter(|w| w.starts_with('%')).count(), 1 + 1 + 18, "{switch}");
}

#[test]
fn entry_points_without_a_form_say_why() {
    let made = of_text(
        "[[vk::ext_instruction(116)]] float quantized(float v);\n\
         RWStructuredBuffer<float> y;\n\
         Texture2D<float4> photo;\n\
         Texture3D<float4> solid;\n\
         [numthreads(1, 1, 1)] void good() { y[0] = 1; }\n\
         [numthreads(1, 1, 1)] void rounded() {\n    y[0] = quantized(y[1]);\n}\n\
         [numthreads(1, 1, 1)] void solids() { y[1] = solid[int3(0, 0, 0)].x + photo[int2(0, 0)].x; }\n\
         [numthreads(1, 1, 1)] void photos() { y[2] = photo[int2(0, 0)].x; }\n",
    );
    let form = |name: &str| &entry(&made.interface, name).cl;
    assert_eq!(form("good").args(), [ClArg::Pointer(0), ClArg::Length(0)]);
    let ClEntry::Refused(rounded) = form("rounded") else { panic!("{:?}", form("rounded")) };
    assert!(rounded.starts_with("k.hlsl:7:"), "{rounded}");
    assert!(rounded.contains("level-zero does not have capability Shader"), "{rounded}");
    let ClEntry::Refused(solids) = form("solids") else { panic!("{:?}", form("solids")) };
    assert!(solids.starts_with("k.hlsl:4:") && solids.contains("`solid`"), "{solids}");
    // The form with images as memory has its own reasons.
    let memory = |name: &str| &entry(&made.interface, name).cl_memory;
    assert_eq!(*memory("good"), ClEntry::Absent);
    assert_eq!(memory("solids"), form("solids"));
    for form in [form("good"), form("photos"), memory("photos")] {
        assert_valid("mixed", words(&made, form));
    }
    assert_eq!(made.cl.len(), 3);
    assert_eq!(Interface::from_text(&made.interface.to_text()).unwrap(), made.interface);
}

/// What only some devices have is asked of them for the kernels that use it.
#[test]
fn kernels_need_what_they_use_and_not_what_others_in_the_file_use() {
    const FLOAT64: u32 = 10;
    let made = of_text(
        "RWStructuredBuffer<double> d; RWStructuredBuffer<uint> y;\n\
         [numthreads(1, 1, 1)] void doubles() { d[0] *= 2; }\n\
         [numthreads(1, 1, 1)] void waves() { y[0] = WaveActiveSum(y[1]); }\n\
         [numthreads(1, 1, 1)] void plain() { y[0] = y[1]; }\n",
    );
    let of = |name: &str| {
        let words = words(&made, &entry(&made.interface, name).cl);
        assert_valid(name, words);
        (words[1] >> 8 & 0xff, capabilities(words).contains(&FLOAT64))
    };
    assert_eq!(of("doubles"), (2, true));
    assert_eq!(of("waves"), (3, false));
    assert_eq!(of("plain"), (2, false));
}
