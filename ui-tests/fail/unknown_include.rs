use spirv_runtime::{Buffer, spirv_kernel};

spirv_kernel! {
    #[kernel("kernels/unknown_include.hlsl")]
    fn fill(data: &mut Buffer<f32>);
}

fn main() {
    let device = spirv_runtime::Device::cpu();
    let mut data = device.buffer::<f32>(4).unwrap();
    let kernel = fill::load(&device).unwrap();
    kernel.launch(&device.queue(), fill::Args { data: &mut data, threads: [4, 1, 1] }).unwrap();
}
