spirv_runtime::include_kernel!("kernels/saxpi.hlsl");

fn main() {
    let device = spirv_runtime::Device::cpu();
    let _ = saxpi::load(&device).unwrap();
}
