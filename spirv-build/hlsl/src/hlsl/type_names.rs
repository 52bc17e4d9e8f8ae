//! Names of types, as HLSL has them.

use super::types::*;

impl Types {
    /// The resource type as HLSL writes it.
    pub fn resource_name(&self, r: Resource) -> String {
        match r {
            Resource::Structured { elem, writable } => {
                format!("{}StructuredBuffer<{}>", if writable { "RW" } else { "" }, self.name(elem))
            }
            Resource::ByteAddress { writable } => {
                format!("{}ByteAddressBuffer", if writable { "RW" } else { "" })
            }
            Resource::Constant { elem } => format!("ConstantBuffer<{}>", self.name(elem)),
            Resource::TextureBuffer { elem } => format!("TextureBuffer<{}>", self.name(elem)),
            Resource::AccelerationStructure => "RaytracingAccelerationStructure".into(),
            Resource::Queue { elem, append } => {
                let what = if append { "Append" } else { "Consume" };
                format!("{what}StructuredBuffer<{}>", self.name(elem))
            }
            Resource::Sampler { comparison: false } => "SamplerState".into(),
            Resource::Sampler { comparison: true } => "SamplerComparisonState".into(),
            Resource::Texture { shape, elem, writable } => {
                let dim = match shape.dim {
                    Dim::Buffer => "Buffer",
                    Dim::D1 => "Texture1D",
                    Dim::D2 => "Texture2D",
                    Dim::D3 => "Texture3D",
                    Dim::Cube if shape.combined => "TextureCUBE",
                    Dim::Cube => "TextureCube",
                };
                format!(
                    "{}{dim}{}{}<{}>",
                    match (writable, shape.combined) {
                        (true, _) => "RW",
                        (_, true) => "vk::Sampled",
                        _ => "",
                    },
                    if shape.multisampled { "MS" } else { "" },
                    if shape.arrayed { "Array" } else { "" },
                    self.name(elem)
                )
            }
        }
    }
}
