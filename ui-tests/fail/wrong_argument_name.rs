use spirv_runtime::{Buffer, KernelStruct, spirv_kernel};

#[derive(Clone, Copy, KernelStruct)]
#[repr(C)]
struct Params {
    n: u32,
    a: f32,
}

spirv_kernel! {
    #[kernel("kernels/saxpy.hlsl")]
    fn saxpy(x: &Buffer<f32>, z: &mut Buffer<f32>, parms: Params);
}

fn main() {
    let device = spirv_runtime::Device::cpu();
    let _ = saxpy::load(&device).unwrap();
}
