use spirv_runtime::{D3, Rgba8Unorm, SamplerOptions};

spirv_runtime::include_kernel!("kernels/shapes.hlsl");

fn main() {
    let device = spirv_runtime::Device::cpu();
    let volume = device.image_of::<Rgba8Unorm, _>(D3::size(4, 4, 4)).unwrap();
    let smooth = SamplerOptions::linear();
    let heights = device.buffer::<u32>(4).unwrap();
    let mut colours = device.buffer::<[f32; 4]>(4).unwrap();
    let threads = [4, 1, 1];
    let _ = shapes::Args { volume: &volume, smooth: &smooth, heights: &heights, colours: &mut colours, threads };
}
