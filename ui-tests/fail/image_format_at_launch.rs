use spirv_runtime::{Device, Image, R8Uint, Rgba8Unorm, spirv_kernel};

spirv_runtime::include_kernel!("kernels/image.hlsl");

spirv_kernel! {
    #[kernel("kernels/image.hlsl")]
    fn declared(src_image: &Image<R8Uint>, dst_image: &mut Image<Rgba8Unorm>);
}

fn main() {
    let device = Device::cpu();
    let src = device.image::<R8Uint>(4, 4).unwrap();
    let mut dst = device.image::<Rgba8Unorm>(4, 4).unwrap();
    let kernel = image::load(&device).unwrap();
    let args = image::Args { src_image: &src, dst_image: &mut dst, threads: [4, 4, 1] };
    kernel.launch(&device.queue(), args).unwrap();
}
