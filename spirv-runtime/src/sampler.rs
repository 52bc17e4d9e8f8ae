//! Samplers: how kernels read between texels.

use crate::argument::Arg;
use crate::cpu;
use crate::device::{Backend, Device};
use crate::error::{Result, error};

/// What is made of the texels around a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Filter {
    /// The nearest one.
    #[default]
    Nearest,
    /// All of them, weighted by their distance.
    Linear,
}

/// What is beyond the coordinates from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum AddressMode {
    /// The image again.
    Repeat,
    /// The image again, every other time mirrored.
    MirrorRepeat,
    /// The texel at the edge.
    #[default]
    ClampToEdge,
    /// The border's colour.
    ClampToBorder,
}

/// The colour of a border. Components that an image does not have read as from inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum BorderColor {
    /// All components are 0.
    #[default]
    TransparentBlack,
    /// 0, 0, 0, 1.
    OpaqueBlack,
    /// All components are 1.
    OpaqueWhite,
}

/// How a reference is compared with a texel: `reference OP texel`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CompareFunction {
    /// Never true.
    Never,
    /// `<`
    Less,
    /// `==`
    Equal,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `!=`
    NotEqual,
    /// `>=`
    GreaterEqual,
    /// Always true.
    Always,
}

/// What a [`Sampler`] does. The default takes the nearest texel of the nearest level, and the edge's beyond.
///
/// ```
/// use spirv_runtime::{AddressMode, SamplerOptions};
/// let options = SamplerOptions { address: [AddressMode::Repeat; 3], ..SamplerOptions::linear() };
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SamplerOptions {
    /// Where a texel is larger than what is sampled.
    pub mag_filter: Filter,
    /// Where it is smaller.
    pub min_filter: Filter,
    /// Between mip levels.
    pub mip_filter: Filter,
    /// Beyond the image, for each coordinate. Cubes have no beyond.
    pub address: [AddressMode; 3],
    /// For [`AddressMode::ClampToBorder`].
    pub border: BorderColor,
    /// Some for a `SamplerComparisonState`: samples are the filtered results of these comparisons, 0 or 1.
    pub compare: Option<CompareFunction>,
    /// Lowest level that is sampled.
    pub lod_min: f32,
    /// Highest level that is sampled.
    pub lod_max: f32,
    /// Added to the level that the kernel asks for.
    pub lod_bias: f32,
}

impl Default for SamplerOptions {
    fn default() -> SamplerOptions {
        SamplerOptions {
            mag_filter: Filter::Nearest,
            min_filter: Filter::Nearest,
            mip_filter: Filter::Nearest,
            address: [AddressMode::ClampToEdge; 3],
            border: BorderColor::TransparentBlack,
            compare: None,
            lod_min: 0.0,
            // More than any image has.
            lod_max: 32.0,
            lod_bias: 0.0,
        }
    }
}

impl SamplerOptions {
    /// The nearest texel of the nearest level: the default.
    pub fn nearest() -> SamplerOptions {
        SamplerOptions::default()
    }

    /// Linear between texels and between levels.
    pub fn linear() -> SamplerOptions {
        let linear = Filter::Linear;
        SamplerOptions { mag_filter: linear, min_filter: linear, mip_filter: linear, ..Default::default() }
    }

    /// Whether texels or levels are filtered.
    pub(crate) fn filters(&self) -> bool {
        [self.mag_filter, self.min_filter, self.mip_filter].contains(&Filter::Linear)
    }

    pub(crate) fn has_border(&self) -> bool {
        self.address.contains(&AddressMode::ClampToBorder)
    }

    fn check(&self) -> Result<()> {
        let finite = [self.lod_min, self.lod_max, self.lod_bias].iter().all(|n| n.is_finite());
        if !finite || self.lod_min > self.lod_max {
            return Err(error!(
                InvalidArgument,
                "levels from {} to {}, biased by {}, are no range; give finite numbers in order",
                self.lod_min,
                self.lod_max,
                self.lod_bias
            ));
        }
        Ok(())
    }
}

/// The sampler itself, by device.
pub(crate) enum State {
    Cpu(Box<cpu::abi::Sampler>),
    #[cfg(feature = "vulkan")]
    Vulkan(std::sync::Arc<crate::vulkan::Sampler>),
}

/// How kernels read between the texels of images: what they see as `SamplerState` or `SamplerComparisonState`.
///
/// Made by [`Device::sampler`].
pub struct Sampler {
    device: Device,
    state: State,
    options: SamplerOptions,
}

impl Sampler {
    pub(crate) fn new(device: &Device, options: SamplerOptions) -> Result<Sampler> {
        options.check()?;
        let state = match device.backend() {
            Backend::Cpu => State::Cpu(Box::new(cpu::abi::sampler(&options))),
            #[cfg(feature = "vulkan")]
            Backend::Vulkan(vulkan) => State::Vulkan(vulkan.sampler(&options)?),
            #[cfg(feature = "level-zero")]
            Backend::LevelZero(_) => {
                return Err(error!(
                    Unsupported,
                    "kernels cannot sample images on Level Zero yet; read texels there, or take Vulkan or the CPU"
                ));
            }
        };
        Ok(Sampler { device: device.clone(), state, options })
    }

    /// What it does.
    pub fn options(&self) -> &SamplerOptions {
        &self.options
    }

    /// The device that it is for.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// This sampler as a launch argument.
    #[doc(hidden)]
    pub fn __arg(&self) -> Arg<'_> {
        Arg::sampler(&self.device, &self.state, &self.options)
    }
}

impl std::fmt::Debug for Sampler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Sampler({:?} on {})", self.options, self.device.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_levels_are_checked() {
        let device = Device::cpu();
        for (lod_min, lod_max, ok) in [(0.0, 0.0, true), (2.0, 1.0, false), (0.0, f32::NAN, false)] {
            let options = SamplerOptions { lod_min, lod_max, ..SamplerOptions::linear() };
            assert_eq!(device.sampler(options).is_ok(), ok, "{lod_min} to {lod_max}");
        }
    }
}
