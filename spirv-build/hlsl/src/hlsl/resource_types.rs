//! Types of resource objects.

use super::types::TypeId;

/// Shape of a typed texture or buffer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Dim {
    /// `Buffer`, `RWBuffer`.
    Buffer,
    /// `Texture1D` and its kind.
    D1,
    /// `Texture2D` and its kind.
    D2,
    /// `Texture3D` and its kind.
    D3,
    /// `TextureCube`.
    Cube,
}

/// Shape of a texture: dimension, layers, samples.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TextureShape {
    /// Dimension.
    pub dim: Dim,
    /// Whether the last coordinate selects a layer.
    pub arrayed: bool,
    /// Whether it holds several samples a texel.
    pub multisampled: bool,
    /// Whether a sampler comes with it (`vk::SampledTexture2D` and its kind).
    pub combined: bool,
}

impl TextureShape {
    /// Number of coordinates that select a texel, the layer included.
    pub fn coords(self) -> u8 {
        let dims = match self.dim {
            Dim::Buffer | Dim::D1 => 1,
            Dim::D2 => 2,
            Dim::D3 | Dim::Cube => 3,
        };
        dims + u8::from(self.arrayed)
    }

    /// Whether the texture has several levels of detail.
    pub fn has_mips(self) -> bool {
        self.dim != Dim::Buffer && !self.multisampled
    }
}

/// Resource object types. `elem` is what one element, texel or block holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Resource {
    /// `StructuredBuffer<T>` or, writable, `RWStructuredBuffer<T>`.
    Structured {
        /// Element type.
        elem: TypeId,
        /// Whether it may be written.
        writable: bool,
    },
    /// `AppendStructuredBuffer<T>` or `ConsumeStructuredBuffer<T>`: a structured buffer whose counter is the index.
    Queue {
        /// Element type.
        elem: TypeId,
        /// Whether elements are appended.
        append: bool,
    },
    /// `ByteAddressBuffer` or `RWByteAddressBuffer`.
    ByteAddress {
        /// Whether it may be written.
        writable: bool,
    },
    /// `Buffer<T>`, `Texture*<T>` or, writable, `RWBuffer<T>`, `RWTexture*<T>`. Elements are scalars or vectors.
    Texture {
        /// Shape.
        shape: TextureShape,
        /// Type of a texel.
        elem: TypeId,
        /// Whether it may be written.
        writable: bool,
    },
    /// `ConstantBuffer<T>`; `cbuffer X {..}` is one of a structure made of its members.
    Constant {
        /// Structure of the block.
        elem: TypeId,
    },
    /// `TextureBuffer<T>`; `tbuffer X {..}` is one of a structure made of its members.
    TextureBuffer {
        /// Structure of the block.
        elem: TypeId,
    },
    /// `RaytracingAccelerationStructure`.
    AccelerationStructure,
    /// `SamplerState` or, with `comparison`, `SamplerComparisonState`.
    Sampler {
        /// Whether it compares.
        comparison: bool,
    },
}

impl Resource {
    /// The same with other elements.
    pub fn with_elem(self, of: impl Fn(TypeId) -> TypeId) -> Self {
        match self {
            Self::Structured { elem, writable } => Self::Structured { elem: of(elem), writable },
            Self::Queue { elem, append } => Self::Queue { elem: of(elem), append },
            Self::Texture { shape, elem, writable } => Self::Texture { shape, elem: of(elem), writable },
            Self::Constant { elem } => Self::Constant { elem: of(elem) },
            Self::TextureBuffer { elem } => Self::TextureBuffer { elem: of(elem) },
            other => other,
        }
    }

    /// The class of its registers.
    pub(crate) fn register_class(self) -> char {
        match self {
            Self::Constant { .. } => 'b',
            Self::Sampler { .. } => 's',
            r if r.is_writable() => 'u',
            _ => 't',
        }
    }

    /// Whether it may have a register of a class. Once a texture and its sampler were one object: each may have that of the other.
    pub(crate) fn takes_register(self, class: char) -> bool {
        let sampled = match self {
            Self::Texture { shape, writable, .. } => !writable && shape.dim != Dim::Buffer,
            r => matches!(r, Self::Sampler { .. }),
        };
        class == self.register_class() || sampled && matches!(class, 's' | 't')
    }

    /// Whether a kernel may write through it.
    pub fn is_writable(self) -> bool {
        match self {
            Self::Structured { writable, .. }
            | Self::ByteAddress { writable }
            | Self::Texture { writable, .. } => writable,
            Self::Queue { .. } => true,
            Self::Constant { .. }
            | Self::TextureBuffer { .. }
            | Self::AccelerationStructure
            | Self::Sampler { .. } => false,
        }
    }
}
