use spirv_runtime::{Buffer, spirv_kernel};

#[derive(Clone, Copy)]
struct Constants {
    n: u32,
    a: f32,
}

spirv_kernel! {
    #[kernel("kernels/saxpy.hlsl")]
    fn saxpy(x: &Buffer<f32>, y: &mut Buffer<f32>, params: Constants);
}

fn main() {}
