//! Compiles the test kernels.

fn main() {
    for kernel in ["saxpy", "blur", "mandelbrot", "reduce", "flow"] {
        spirv_build::compile(format!("kernels/{kernel}.hlsl"));
    }
}
