//! The modules for Level Zero that a build makes: one for all devices, one for those without images, and for each entry
//! point that is in none of them the reason.

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
        kernel: "k".into(),
        source: "k.hlsl".into(),
        symbol: "k".into(),
    };
    let outcome = compile(name, text.as_bytes(), &options, includes);
    let shown = spirv_build::diag::render::pictures(&outcome.diagnostics, &outcome.sources, false);
    outcome.compiled.unwrap_or_else(|| panic!("{name}:\n{shown}"))
}

/// A function that kernels do not have.
const PACK: &str = "[[vk::ext_instruction(55, \"GLSL.std.450\")]] uint pack(float4 v);\n";

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
    let target = if capabilities(words).contains(&FLOAT16) { "spv1.2" } else { "opencl2.2" };
    match validate(words, target, &[]) {
        None => eprintln!("skipped: there is no spirv-val"),
        Some(Ok(())) => {}
        Some(Err(said)) => panic!("{name}:\n{said}\n{}", spirv_build::spv::disassemble(words).unwrap()),
    }
}

fn entry<'a>(interface: &'a Interface, name: &str) -> &'a spirv_interface::EntryPoint {
    interface.entries.iter().find(|e| e.name == name).unwrap()
}

#[test]
fn kernels_with_images_have_a_module_without() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/kernels");
    for (file, entries) in [("blur", 1), ("formats", 3), ("images", 2), ("saxpy", 0)] {
        let path = folder.join(format!("{file}.hlsl"));
        let text = std::fs::read_to_string(&path).unwrap();
        let made = compiled(&path.to_string_lossy(), &text, &FileIncludes);
        let objects = made.cl_spirv.as_deref().unwrap();
        assert_valid(file, objects);
        let has_images = |words| capabilities(words).iter().any(|c| IMAGE_CAPABILITIES.contains(c));
        assert_eq!(has_images(objects), entries > 0, "{file}");
        let in_memory = made.interface.entries.iter().filter(|e| e.cl_memory != ClEntry::Absent).count();
        assert_eq!(in_memory, entries, "{file}");
        assert_eq!(made.cl_memory_spirv.is_some(), entries > 0, "{file}");
        if let Some(memory) = made.cl_memory_spirv.as_deref() {
            assert_valid(file, memory);
            assert!(!has_images(memory), "{file}");
            let text = spirv_build::spv::disassemble(memory).unwrap();
            assert!(!text.contains("OpTypeImage") && !text.contains("OpImage"), "{file}:\n{text}");
        }
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
    assert_eq!(with.cl, ClEntry::Kernel(vec![ClArg::Image(0), ClArg::Image(1)]));
    use ClArg::{Extent, Texels};
    assert_eq!(with.cl_memory, ClEntry::Kernel(vec![Texels(0), Extent(0), Texels(1), Extent(1)]));
    assert_eq!(without.cl, ClEntry::Kernel(vec![ClArg::Pointer(2), ClArg::Length(2)]));
    assert_eq!(without.cl_memory, ClEntry::Absent);
    let text = spirv_build::spv::disassemble(made.cl_memory_spirv.as_deref().unwrap()).unwrap();
    assert!(text.contains("\"with\"") && !text.contains("\"without\""), "{text}");
    // Only formats of one component are asked for: there are six that read as floats.
    let switch = text.lines().find(|l| l.contains("OpSwitch")).unwrap_or_else(|| panic!("{text}"));
    assert_eq!(switch.split_whitespace().filter(|w| w.starts_with('%')).count(), 1 + 1 + 6, "{switch}");
}

#[test]
fn entry_points_without_a_form_say_why() {
    let made = of_text(&format!(
        "{PACK}\
         RWStructuredBuffer<float> y;\n\
         Texture2D<float4> photo;\n\
         Texture3D<float4> solid;\n\
         [numthreads(1, 1, 1)] void good() {{ y[0] = 1; }}\n\
         [numthreads(1, 1, 1)] void packed() {{\n    y[0] = pack(y[1]);\n}}\n\
         [numthreads(1, 1, 1)] void solids() {{ y[1] = solid[int3(0, 0, 0)].x + photo[int2(0, 0)].x; }}\n\
         [numthreads(1, 1, 1)] void photos() {{ y[2] = photo[int2(0, 0)].x; }}\n",
    ));
    let form = |name: &str| &entry(&made.interface, name).cl;
    assert_eq!(*form("good"), ClEntry::Kernel(vec![ClArg::Pointer(0), ClArg::Length(0)]));
    assert!(matches!(form("photos"), ClEntry::Kernel(_)));
    let ClEntry::Refused(packed) = form("packed") else { panic!("{:?}", form("packed")) };
    assert!(packed.starts_with("k.hlsl:7:"), "{packed}");
    let message = "kernels for level-zero do not have the function PackUnorm4x8 yet";
    assert!(packed.contains(message), "{packed}");
    let ClEntry::Refused(solids) = form("solids") else { panic!("{:?}", form("solids")) };
    assert!(solids.starts_with("k.hlsl:4:") && solids.contains("`solid`"), "{solids}");
    // The other module has its own reasons.
    let memory = |name: &str| &entry(&made.interface, name).cl_memory;
    assert_eq!(*memory("good"), ClEntry::Absent);
    assert_eq!(memory("solids"), form("solids"));
    assert!(matches!(memory("photos"), ClEntry::Kernel(_)));
    for words in [&made.cl_spirv, &made.cl_memory_spirv] {
        let words = words.as_deref().unwrap();
        assert_valid("mixed", words);
        let text = spirv_build::spv::disassemble(words).unwrap();
        assert!(text.contains("\"photos\"") && !text.contains("\"packed\""), "{text}");
        assert!(!text.contains("\"solids\""), "{text}");
    }
    assert_eq!(Interface::from_text(&made.interface.to_text()).unwrap(), made.interface);
}

#[test]
fn a_file_without_any_form_has_no_module() {
    let made = of_text(&format!(
        "{PACK}RWStructuredBuffer<uint> y;\n[numthreads(1, 1, 1)] void main() {{ y[0] = pack(1); }}"
    ));
    assert!(made.cl_spirv.is_none() && made.cl_memory_spirv.is_none());
    assert_eq!((made.interface.cl_spirv, made.interface.cl_memory_spirv), (None, None));
    assert!(matches!(&made.interface.entries[0].cl, ClEntry::Refused(why) if why.contains("PackUnorm4x8")));
}
