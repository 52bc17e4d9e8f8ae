//! Compiles the test kernels.

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
        "waves",
        "endings",
    ] {
        spirv_build::compile(format!("kernels/{kernel}.hlsl"));
    }
    spirv_build::config().enable_16bit_types(true).compile("kernels/widths.hlsl");
    let wide = || spirv_build::config().enable_16bit_types(true);
    wide().compile("kernels/vectors.hlsl");
    wide().rust_type("float3", "glam::Vec4").name("vectors_of_glam").compile("kernels/vectors.hlsl");
    spirv_build::config().target_env("vulkan1.2").compile("kernels/arrays_each.hlsl");
    for layout in ["dx", "scalar"] {
        let config = spirv_build::config().flag(format!("-fvk-use-{layout}-layout"));
        config.name(format!("packed_{layout}")).compile("kernels/packed.hlsl");
    }
    spirv_build::config().cpu(false).compile("kernels/refused.hlsl");
    if cfg!(any(feature = "llvm19-1", feature = "llvm22-1")) {
        spirv_build::config().target_env("vulkan1.2").compile("kernels/opencl/pointers.ll");
        spirv_build::config().target_env("vulkan1.2").compile("kernels/opencl/out_of_range.ll");
    }
}
