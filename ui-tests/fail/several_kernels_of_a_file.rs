spirv_runtime::include_kernel!("kernels/variants.hlsl");

fn main() {}
