//! How the runtime fills in what native kernel code is called with.

use crate::sampler::SamplerOptions;
pub use spirv_abi::{Control, Fault, KernelFn, Launch, Sampler, Slot};

/// The texel formats, by their number in SPIR-V's `ImageFormat`, that kernel code converts. The runtime makes no
/// images of others, since the code would have to take their texels for something else.
pub(crate) const IMAGE_FORMATS: &[u32] = &[
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28,
    29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 102, 103, 104, 105, 106, 107,
];

/// A sampler as kernel code reads it. The numbers are those of the variants, in their order.
pub(crate) fn sampler(options: &SamplerOptions) -> Sampler {
    Sampler {
        magnify: options.mag_filter as u32,
        minify: options.min_filter as u32,
        mip: options.mip_filter as u32,
        address: options.address.map(|mode| mode as u32),
        border: options.border as u32,
        compare: options.compare.map_or(0, |c| c as u32),
        least: options.lod_min,
        most: options.lod_max,
        bias: options.lod_bias,
    }
}
