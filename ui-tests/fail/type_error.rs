spirv_runtime::include_kernel!(pub mod convert = "kernels/type_error.hlsl", entry = "main");

fn main() {
    let device = spirv_runtime::Device::cpu();
    let mut data = device.buffer::<f32>(4).unwrap();
    let kernel: convert::Kernel = convert::load(&device).unwrap();
    kernel.launch(&device.queue(), convert::Args { data: &mut data, threads: [4, 1, 1] }).unwrap();
}
