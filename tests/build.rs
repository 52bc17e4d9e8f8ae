//! Compiles the test kernels.

fn main() {
    for kernel in [
        "saxpy",
        "blur",
        "mandelbrot",
        "reduce",
        "flow",
        "groups",
        "formats",
        "images",
        "math",
        "parts",
        "waves",
    ] {
        spirv_build::compile(format!("kernels/{kernel}.hlsl"));
    }
    spirv_build::config().enable_16bit_types(true).compile("kernels/widths.hlsl");
}
