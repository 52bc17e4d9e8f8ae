use spirv_runtime::{Rgba8Unorm, SamplerOptions};

spirv_runtime::include_kernel!("kernels/shapes.hlsl");

fn main() {
    let device = spirv_runtime::Device::cpu();
    let volume = device.image::<Rgba8Unorm>(4, 4).unwrap();
    let smooth = device.sampler(SamplerOptions::linear()).unwrap();
    let heights = device.buffer::<f32>(4).unwrap();
    let mut colours = device.buffer(4).unwrap();
    let threads = [4, 1, 1];
    let _ = shapes::Args { volume: &volume, smooth: &smooth, heights: &heights, colours: &mut colours, threads };
}
