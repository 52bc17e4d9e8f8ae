use spirv_runtime::Buffer;

spirv_runtime::spirv_kernel! {
    #[kernel("kernels/vectors.hlsl")]
    fn double(from: &Buffer<[f32; 4]>, to: &mut Buffer<[f32; 3]>);

    #[kernel("kernels/vectors.hlsl")]
    fn again(from: &Buffer<[f32; 4]>);
}

fn main() {}
