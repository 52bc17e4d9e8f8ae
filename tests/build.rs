//! Compiles the test kernels.

fn main() {
    for kernel in ["saxpy", "blur", "mandelbrot", "reduce", "flow", "groups", "formats"] {
        spirv_build::compile(format!("kernels/{kernel}.hlsl"));
    }
}
