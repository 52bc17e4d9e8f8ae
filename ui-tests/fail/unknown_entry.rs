spirv_runtime::include_kernel!("kernels/several.hlsl", entry = "scater");

fn main() {
    let device = spirv_runtime::Device::cpu();
    let _ = several::load(&device).unwrap();
}
