use spirv_runtime::{Image, R8Uint, Rgba32Float, spirv_kernel};

spirv_kernel! {
    #[kernel("kernels/image.hlsl")]
    fn invert(src_image: &Image<R8Uint>, dst_image: &mut Image<Rgba32Float>);
}

fn main() {}
