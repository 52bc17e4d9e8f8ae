use spirv_runtime::{Buffer, spirv_kernel};

spirv_kernel! {
    #[kernel("kernels/several.hlsl")]
    fn count(counters: &mut Buffer<u32>);
}

fn main() {}
