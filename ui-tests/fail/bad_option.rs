spirv_runtime::include_kernel!("kernels/several.hlsl", entrypoint = "scatter");

fn main() {}
