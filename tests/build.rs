//! Compiles the test kernels.

fn main() {
    for kernel in ["saxpy", "blur", "mandelbrot", "reduce", "flow", "groups", "formats", "images"] {
        spirv_build::compile(format!("kernels/{kernel}.hlsl"));
    }
}
