use spirv_runtime::{Buffer, spirv_kernel};

spirv_kernel! {
    // What the file declares and the kernel does not name may be there or not, but is checked.
    #[kernel("kernels/debugged.hlsl")]
    fn right(input: &Buffer<f32>, output: &mut Buffer<f32>);

    #[kernel("kernels/debugged.hlsl")]
    fn wrong_type(input: &Buffer<f32>, spare: &Buffer<u32>, output: &mut Buffer<f32>);

    #[kernel("kernels/debugged.hlsl")]
    fn wrong_access(input: &Buffer<f32>, spare: &mut Buffer<f32>, output: &mut Buffer<f32>);

    // What is not declared, or is named behind `return`.
    #[kernel("kernels/debugged.hlsl")]
    fn unknown(other: &Buffer<f32>, output: &mut Buffer<f32>);
}

fn main() {}
