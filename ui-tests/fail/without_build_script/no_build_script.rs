spirv_runtime::include_kernel!("kernels/saxpy.hlsl");

fn main() {
    let device = spirv_runtime::Device::cpu();
    let kernel = saxpy::load(&device).unwrap();
    kernel.launch(&device.queue(), saxpy::Args { threads: [1, 1, 1] }).unwrap();
}
