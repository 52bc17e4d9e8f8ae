spirv_runtime::include_kernel!("kernels/variants.hlsl", name = "variant5");
spirv_runtime::include_kernel!("kernels/saxpy.hlsl", name = "saxpy_fast");

fn main() {}
