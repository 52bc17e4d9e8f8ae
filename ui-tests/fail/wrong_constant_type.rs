spirv_runtime::include_kernel!("kernels/saxpy.hlsl");

fn main() {
    let _ = saxpy::Params { n: 4.0, a: 2.0 };
}
