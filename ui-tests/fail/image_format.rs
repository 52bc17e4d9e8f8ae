use spirv_runtime::{R8Uint, Rgba32Float};

spirv_runtime::include_kernel!("kernels/image.hlsl");

fn main() {
    let device = spirv_runtime::Device::cpu();
    let src = device.image::<R8Uint>(4, 4).unwrap();
    let mut dst = device.image::<Rgba32Float>(4, 4).unwrap();
    let _ = image::Args { src_image: &src, dst_image: &mut dst, threads: [4, 4, 1] };
}
