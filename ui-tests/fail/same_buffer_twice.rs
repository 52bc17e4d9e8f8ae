spirv_runtime::include_kernel!("kernels/saxpy.hlsl");

fn main() {
    let device = spirv_runtime::Device::cpu();
    let mut y = device.buffer::<f32>(4).unwrap();
    let params = saxpy::Params { n: 4, a: 2.0 };
    let _ = saxpy::Args { x: &y, y: &mut y, params, threads: [4, 1, 1] };
}
