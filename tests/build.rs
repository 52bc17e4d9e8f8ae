//! Compiles the test kernels.

mod edits;

use std::fmt::Write;
use std::path::Path;

fn main() {
    for kernel in [
        "arrays",
        "samples",
        "shapes",
        "texels",
        "saxpy",
        "blur",
        "mandelbrot",
        "reduce",
        "flow",
        "groups",
        "counters",
        "atomics",
        "formats",
        "texture_formats",
        "images",
        "math",
        "matrices",
        "out_of_range",
        "out_of_range_images",
        "precise",
        "parts",
        "packed",
        "packing",
        "waves",
        "wave_sizes",
        "endings",
        "refused_cpu",
    ] {
        spirv_build::compile(format!("kernels/{kernel}.hlsl"));
    }
    spirv_build::config().enable_16bit_types(true).compile("kernels/widths.hlsl");
    let wide = || spirv_build::config().enable_16bit_types(true);
    wide().compile("kernels/vectors.hlsl");
    wide().rust_type("float3", "glam::Vec4").name("vectors_of_glam").compile("kernels/vectors.hlsl");
    wide().compile("kernels/chosen.hlsl");
    spirv_build::config().target_env("vulkan1.2").compile("kernels/arrays_each.hlsl");
    spirv_build::config().flag("-fselect-resources").compile("kernels/tables.hlsl");
    for layout in ["dx", "scalar"] {
        let config = spirv_build::config().flag(format!("-fvk-use-{layout}-layout"));
        config.name(format!("packed_{layout}")).compile("kernels/packed.hlsl");
    }
    spirv_build::config().cpu(false).compile("kernels/refused.hlsl");
    if cfg!(any(feature = "llvm19-1", feature = "llvm22-1")) {
        spirv_build::config().target_env("vulkan1.2").compile("kernels/opencl/pointers.ll");
        spirv_build::config().target_env("vulkan1.2").compile("kernels/opencl/out_of_range.ll");
    }
    edited();
}

/// Writes and compiles the edited kernels, and `edits.rs`, which has a module for each by either macro and a list of all:
/// `edits! { module declared { expected } ... }`.
fn edited() {
    let out = std::env::var("OUT_DIR").expect("cargo sets OUT_DIR for build scripts");
    let dir = Path::new(&out).join("edits");
    std::fs::create_dir_all(&dir).expect("OUT_DIR can be written to");
    let text = std::fs::read_to_string("kernels/edits.hlsl").expect("the kernel is there");
    println!("cargo::rerun-if-changed=kernels/edits.hlsl");
    let (mut rust, mut list) = (String::new(), String::new());
    for (name, changes, expected) in edits::EDITS {
        let mut text = text.clone();
        for (from, to) in *changes {
            assert!(text.contains(from), "`{name}` changes `{from}`, which is not there");
            text = text.replace(from, to);
        }
        let file = dir.join(format!("{name}.hlsl"));
        if std::fs::read_to_string(&file).ok().as_ref() != Some(&text) {
            std::fs::write(&file, text).expect("OUT_DIR can be written to");
        }
        spirv_build::config().include_dir("kernels").compile(&file);
        let file = file.display();
        let _ = write!(
            rust,
            "include_kernel!(pub mod {name} = {file:?});\n\
             pub mod declared_{name} {{ use super::*; spirv_kernel! {{ #[kernel({file:?})] pub fn kernel(\
             values: &Buffer<f32>, spare: &Buffer<[f32; 2]>, rows: &Buffer<u32>, photo: &Image<Rgba32Float>, \
             result: &mut Buffer<f32>, marks: &mut Image<R32Float>, seen: &mut Buffer<u32>, tally: &mut Buffer<u32>, \
             settings: Settings, limits: Limits, seen_counter: &mut Buffer<u32>, tally_counter: &mut Buffer<u32>); }} }}\n"
        );
        let _ = writeln!(
            list,
            "    {name} declared_{name} {{ |i: u32, v: f32| {{ let _ = (i, v); {expected} }} }}"
        );
    }
    let _ = write!(rust, "edits! {{\n{list}}}\n");
    std::fs::write(Path::new(&out).join("edits.rs"), rust).expect("OUT_DIR can be written to");
}
