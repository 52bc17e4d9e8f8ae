spirv_runtime::include_kernel!("kernels/syntax_error.hlsl");

fn main() {
    let device = spirv_runtime::Device::cpu();
    let mut data = device.buffer::<f32>(4).unwrap();
    let kernel = syntax_error::load(&device).unwrap();
    let params = syntax_error::Params { n: 4 };
    let args = syntax_error::Args { params, data: &mut data, threads: [4, 1, 1] };
    kernel.launch(&device.queue(), args).unwrap();
}
