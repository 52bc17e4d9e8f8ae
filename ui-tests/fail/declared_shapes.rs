use spirv_runtime::{Buffer, Image, Rgba8Unorm, Sampler, spirv_kernel};

spirv_kernel! {
    #[kernel("kernels/shapes.hlsl")]
    fn of_two_dimensions(
        volume: &Image<Rgba8Unorm>,
        smooth: &Sampler,
        colours: &mut Buffer<[f32; 4]>,
        heights: &Buffer<f32>,
    );

    #[kernel("kernels/shapes.hlsl")]
    fn without_sampler(
        volume: &Image<Rgba8Unorm, spirv_runtime::D3>,
        smooth: f32,
        colours: &mut Buffer<[u8; 4]>,
        heights: &Image<Rgba8Unorm>,
    );
}

fn main() {}
