//! What the tests share: the device under test and reproducible inputs.

use spirv_runtime::Device;

pub mod reference;
pub mod stress;

spirv_runtime::include_kernel!(pub mod saxpy = "kernels/saxpy.hlsl");
spirv_runtime::include_kernel!(pub mod samples = "kernels/samples.hlsl");
spirv_runtime::include_kernel!(pub mod shapes = "kernels/shapes.hlsl");
spirv_runtime::include_kernel!(pub mod tables = "kernels/tables.hlsl");
spirv_runtime::include_kernel!(pub mod texels = "kernels/texels.hlsl");
spirv_runtime::include_kernel!(pub mod arrays = "kernels/arrays.hlsl");
spirv_runtime::include_kernel!(pub mod arrays_each = "kernels/arrays_each.hlsl");
spirv_runtime::include_kernel!(pub mod blur = "kernels/blur.hlsl");
spirv_runtime::include_kernel!(pub mod mandelbrot = "kernels/mandelbrot.hlsl");
spirv_runtime::include_kernel!(pub mod reduce = "kernels/reduce.hlsl");
spirv_runtime::include_kernel!(pub mod flow = "kernels/flow.hlsl");
spirv_runtime::include_kernel!(pub mod groups = "kernels/groups.hlsl");
spirv_runtime::include_kernel!(pub mod counters = "kernels/counters.hlsl");
spirv_runtime::include_kernel!(pub mod atomics = "kernels/atomics.hlsl");
spirv_runtime::include_kernel!(pub mod formats = "kernels/formats.hlsl");
spirv_runtime::include_kernel!(pub mod texture_formats = "kernels/texture_formats.hlsl");
spirv_runtime::include_kernel!(pub mod images = "kernels/images.hlsl");
spirv_runtime::include_kernel!(pub mod math = "kernels/math.hlsl");
spirv_runtime::include_kernel!(pub mod matrices = "kernels/matrices.hlsl");
spirv_runtime::include_kernel!(pub mod out_of_range = "kernels/out_of_range.hlsl");
spirv_runtime::include_kernel!(pub mod out_of_range_images = "kernels/out_of_range_images.hlsl");
spirv_runtime::include_kernel!(pub mod precise = "kernels/precise.hlsl");
spirv_runtime::include_kernel!(pub mod parts = "kernels/parts.hlsl");
spirv_runtime::include_kernel!(pub mod packed = "kernels/packed.hlsl");
spirv_runtime::include_kernel!(pub mod packing = "kernels/packing.hlsl");
spirv_runtime::include_kernel!(pub mod packed_dx = "kernels/packed.hlsl", name = "packed_dx");
spirv_runtime::include_kernel!(pub mod packed_scalar = "kernels/packed.hlsl", name = "packed_scalar");
spirv_runtime::include_kernel!(pub mod endings = "kernels/endings.hlsl");
spirv_runtime::include_kernel!(pub mod chosen = "kernels/chosen.hlsl");
spirv_runtime::include_kernel!(pub mod refused = "kernels/refused.hlsl");
spirv_runtime::include_kernel!(pub mod refused_cpu = "kernels/refused_cpu.hlsl");
spirv_runtime::include_kernel!(pub mod waves = "kernels/waves.hlsl");
spirv_runtime::include_kernel!(pub mod wave_sizes = "kernels/wave_sizes.hlsl");
spirv_runtime::include_kernel!(pub mod widths = "kernels/widths.hlsl");
#[cfg(any(feature = "llvm19-1", feature = "llvm22-1"))]
spirv_runtime::include_kernel!(pub mod out_of_range_ir = "kernels/opencl/out_of_range.ll");
#[cfg(any(feature = "llvm19-1", feature = "llvm22-1"))]
spirv_runtime::include_kernel!(pub mod pointers = "kernels/opencl/pointers.ll");

/// The device that `SPIRV_DEVICE` names (`cpu`, `vulkan:0`); without it, the best one.
///
/// # Panics
/// There is no such device: a test that asks for one must not pass without.
pub fn device() -> Device {
    Device::best().unwrap_or_else(|e| panic!("{e}"))
}

/// Element counts around the edges of work-groups, and one that is large and odd.
pub const COUNTS: [usize; 5] = [1, 63, 64, 65, 1_000_003];

/// Sizes of images around the edges of work-groups.
pub const SIZES: [(u32, u32); 3] = [(1, 1), (7, 13), (641, 479)];

/// A number for each index, the same everywhere: well mixed bits.
pub fn mix(i: u32) -> u32 {
    let mut x = i.wrapping_mul(0x9e37_79b1) ^ 0x5bd1_e995;
    x ^= x >> 15;
    x = x.wrapping_mul(0x85eb_ca6b);
    x ^= x >> 13;
    x = x.wrapping_mul(0xc2b2_ae35);
    x ^ (x >> 16)
}

/// A number from 0 to 1 for each index.
pub fn unit(i: u32) -> f32 {
    (mix(i) >> 8) as f32 / 16_777_216.0
}
