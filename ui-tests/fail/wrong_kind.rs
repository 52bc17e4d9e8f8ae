use spirv_runtime::{Image, Buffer, R32Float, spirv_kernel};

spirv_kernel! {
    #[kernel("kernels/saxpy.hlsl")]
    fn saxpy(x: &Image<R32Float>, y: &mut Buffer<[f32; 2]>, params: f32);
}

fn main() {}
