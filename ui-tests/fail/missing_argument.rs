spirv_runtime::include_kernel!("kernels/saxpy.hlsl");

fn main() {
    let device = spirv_runtime::Device::cpu();
    let x = device.buffer::<f32>(4).unwrap();
    let mut y = device.buffer::<f32>(4).unwrap();
    let _ = saxpy::Args { x: &x, y: &mut y, threads: [4, 1, 1] };
}
