//! Compiles the same kernel from HLSL and, if there is an LLVM to read it, from LLVM IR.

fn main() {
    spirv_build::compile("kernels/saxpy.hlsl");
    if cfg!(any(feature = "llvm19-1", feature = "llvm22-1")) {
        spirv_build::compile("kernels/saxpy.ll");
    }
}
