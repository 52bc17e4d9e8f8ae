spirv_runtime::include_kernel!("kernels/forgotten.hlsl");

fn main() {
    let device = spirv_runtime::Device::cpu();
    let _ = forgotten::load(&device).unwrap();
}
