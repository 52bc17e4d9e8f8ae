//! Compiles the kernel for Vulkan and for the CPU.

fn main() {
    spirv_build::compile("kernels/saxpy.hlsl");
}
