use spirv_runtime::{Buffer, KernelStruct, spirv_kernel};

#[derive(Clone, Copy, KernelStruct)]
#[repr(C)]
struct Params {
    n: u32,
    a: f32,
}

spirv_kernel! {
    #[kernel("kernels/saxpy.hlsl")]
    fn saxpy(x: &mut Buffer<f32>, y: &Buffer<f32>, params: Params);
}

fn main() {}
