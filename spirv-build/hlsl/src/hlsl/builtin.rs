//! Names of built-in types.
//!
//! The parser asks whether a name is a type; the checker asks which. Both read the tables here.
use super::types::{Dim, Scalar, TextureShape};

/// A built-in type's name, before options and template arguments are known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Builtin {
    /// `void`.
    Void,
    /// `string`.
    String,
    /// A scalar, as it is without 16-bit types ([`Scalar::native`] says what it is with them).
    Scalar(Scalar),
    /// `float3`.
    Vector(Scalar, u8),
    /// `float3x4`: rows, columns.
    Matrix(Scalar, u8, u8),
    /// `vector<T, n>`.
    VectorTemplate,
    /// `matrix<T, r, c>`.
    MatrixTemplate,
    /// A resource object.
    Object(Object),
}

/// Resource object types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Object {
    /// `StructuredBuffer`; true for `RW`.
    Structured(bool),
    /// `ByteAddressBuffer`; true for `RW`.
    ByteAddress(bool),
    /// Buffers and textures with texels; true for `RW`.
    Texture(TextureShape, bool),
    /// `ConstantBuffer`.
    Constant,
    /// `SamplerState`; true for comparison.
    Sampler(bool),
    /// `AppendStructuredBuffer`; false for `ConsumeStructuredBuffer`.
    Queue(bool),
    /// `TextureBuffer`.
    TextureBuffer,
    /// `RaytracingAccelerationStructure`.
    AccelerationStructure,
    /// `RayQuery`.
    RayQuery,
    /// A structure that is there without a declaration.
    Structure(KnownStruct),
    /// An object of another shader stage: [`super::stages::find`] has it.
    Foreign,
    /// Known, not supported.
    Unsupported,
}

/// Structures that are there without a declaration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KnownStruct {
    /// `RayDesc`.
    RayDesc,
    /// `BuiltInTriangleIntersectionAttributes`.
    TriangleAttributes,
    /// `BuiltInTrianglePositions`.
    TrianglePositions,
}

impl KnownStruct {
    /// Its name, and the names of its fields with how many floats each has.
    pub(crate) fn fields(self) -> (&'static str, &'static [(&'static str, u8)]) {
        match self {
            Self::RayDesc => ("RayDesc", &[("Origin", 3), ("TMin", 1), ("Direction", 3), ("TMax", 1)]),
            Self::TriangleAttributes => ("BuiltInTriangleIntersectionAttributes", &[("barycentrics", 2)]),
            Self::TrianglePositions => ("BuiltInTrianglePositions", &[("p0", 3), ("p1", 3), ("p2", 3)]),
        }
    }
}

/// Scalars of which there are no vectors: flags, and bytes in a word.
const WORDS: &[(&str, Scalar)] = &[
    ("BARRIER_SEMANTIC_FLAG", Scalar::U32),
    ("CANDIDATE_TYPE", Scalar::U32),
    ("COMMITTED_STATUS", Scalar::U32),
    ("MEMORY_TYPE_FLAG", Scalar::U32),
    ("RAYQUERY_FLAG", Scalar::U32),
    ("RAY_FLAG", Scalar::U32),
    ("int8_t4_packed", Scalar::PackedS8),
    ("uint8_t4_packed", Scalar::PackedU8),
];

/// Longer names stand before their prefixes.
const SCALARS: &[(&str, Scalar)] = &[
    ("min16float", Scalar::MinF16),
    ("min10float", Scalar::Min10Float),
    ("min16uint", Scalar::MinU16),
    ("min16int", Scalar::MinI16),
    ("min12int", Scalar::Min12Int),
    ("uint16_t", Scalar::U16),
    ("uint32_t", Scalar::U32),
    ("uint64_t", Scalar::U64),
    ("int16_t", Scalar::I16),
    ("int32_t", Scalar::I32),
    ("int64_t", Scalar::I64),
    ("float16_t", Scalar::F16),
    ("float32_t", Scalar::F32),
    ("float64_t", Scalar::F64),
    ("double", Scalar::F64),
    ("dword", Scalar::U32),
    ("float", Scalar::F32),
    ("half", Scalar::Half),
    ("bool", Scalar::Bool),
    ("uint", Scalar::U32),
    ("int", Scalar::I32),
];

const fn texture(dim: Dim, arrayed: bool, multisampled: bool, writable: bool) -> Object {
    Object::Texture(TextureShape { dim, arrayed, multisampled, combined: false }, writable)
}

const OBJECTS: &[(&str, Object)] = &[
    ("StructuredBuffer", Object::Structured(false)),
    ("RWStructuredBuffer", Object::Structured(true)),
    ("ByteAddressBuffer", Object::ByteAddress(false)),
    ("RWByteAddressBuffer", Object::ByteAddress(true)),
    ("ConstantBuffer", Object::Constant),
    ("Buffer", texture(Dim::Buffer, false, false, false)),
    ("RWBuffer", texture(Dim::Buffer, false, false, true)),
    ("Texture1D", texture(Dim::D1, false, false, false)),
    ("Texture1DArray", texture(Dim::D1, true, false, false)),
    ("Texture2D", texture(Dim::D2, false, false, false)),
    ("Texture2DArray", texture(Dim::D2, true, false, false)),
    ("Texture2DMS", texture(Dim::D2, false, true, false)),
    ("Texture2DMSArray", texture(Dim::D2, true, true, false)),
    ("Texture3D", texture(Dim::D3, false, false, false)),
    ("TextureCube", texture(Dim::Cube, false, false, false)),
    ("TextureCubeArray", texture(Dim::Cube, true, false, false)),
    ("RWTexture1D", texture(Dim::D1, false, false, true)),
    ("RWTexture1DArray", texture(Dim::D1, true, false, true)),
    ("RWTexture2D", texture(Dim::D2, false, false, true)),
    ("RWTexture2DArray", texture(Dim::D2, true, false, true)),
    ("RWTexture3D", texture(Dim::D3, false, false, true)),
    ("SamplerState", Object::Sampler(false)),
    ("SamplerComparisonState", Object::Sampler(true)),
    ("sampler", Object::Sampler(false)),
    ("AppendStructuredBuffer", Object::Queue(true)),
    ("ConsumeStructuredBuffer", Object::Queue(false)),
    ("TextureBuffer", Object::TextureBuffer),
    ("RasterizerOrderedBuffer", texture(Dim::Buffer, false, false, true)),
    ("RasterizerOrderedByteAddressBuffer", Object::ByteAddress(true)),
    ("RasterizerOrderedStructuredBuffer", Object::Structured(true)),
    ("RasterizerOrderedTexture1D", texture(Dim::D1, false, false, true)),
    ("RasterizerOrderedTexture1DArray", texture(Dim::D1, true, false, true)),
    ("RasterizerOrderedTexture2D", texture(Dim::D2, false, false, true)),
    ("RasterizerOrderedTexture2DArray", texture(Dim::D2, true, false, true)),
    ("RWTexture2DMS", texture(Dim::D2, false, true, true)),
    ("RWTexture2DMSArray", texture(Dim::D2, true, true, true)),
    ("RasterizerOrderedTexture3D", texture(Dim::D3, false, false, true)),
    ("RaytracingAccelerationStructure", Object::AccelerationStructure),
    ("RayQuery", Object::RayQuery),
    ("RayDesc", Object::Structure(KnownStruct::RayDesc)),
    ("BuiltInTriangleIntersectionAttributes", Object::Structure(KnownStruct::TriangleAttributes)),
    ("BuiltInTrianglePositions", Object::Structure(KnownStruct::TrianglePositions)),
    ("sampler1D", Object::Unsupported),
    ("sampler2D", Object::Unsupported),
    ("sampler3D", Object::Unsupported),
    ("samplerCUBE", Object::Unsupported),
    ("texture", Object::Unsupported),
];

/// The built-in type of this name.
pub fn find(name: &str) -> Option<Builtin> {
    match name {
        "void" => return Some(Builtin::Void),
        "string" => return Some(Builtin::String),
        "vector" => return Some(Builtin::VectorTemplate),
        "matrix" => return Some(Builtin::MatrixTemplate),
        _ => {}
    }
    // Most names are none of these, and their first letter says so.
    let first = *name.as_bytes().first()?;
    for &(word, scalar) in SCALARS.iter().filter(|(word, _)| word.as_bytes()[0] == first) {
        let Some(rest) = name.strip_prefix(word) else { continue };
        let digit = |b: u8| if (b'1'..=b'4').contains(&b) { Some(b - b'0') } else { None };
        return match rest.as_bytes() {
            [] => Some(Builtin::Scalar(scalar)),
            &[n] => Some(Builtin::Vector(scalar, digit(n)?)),
            &[r, b'x', c] => Some(Builtin::Matrix(scalar, digit(r)?, digit(c)?)),
            _ => break,
        };
    }
    if LENGTHS[usize::from(first & 0x7f)] & length_bit(name) == 0 {
        return None;
    }
    if let Some((_, scalar)) = WORDS.iter().find(|w| w.0 == name) {
        return Some(Builtin::Scalar(*scalar));
    }
    let object = OBJECTS.iter().find(|(n, _)| *n == name).map(|&(_, o)| o);
    object.or_else(|| super::stages::find(name).map(|_| Object::Foreign)).map(Builtin::Object)
}

/// By their first letter: how long the names of objects and flags are, a bit each.
static LENGTHS: [u64; 128] = {
    const fn add(list: &mut [u64; 128], name: &str) {
        list[name.as_bytes()[0] as usize] |= length_bit(name);
    }
    let mut list = [0; 128];
    let mut i = 0;
    while i < OBJECTS.len() {
        add(&mut list, OBJECTS[i].0);
        i += 1;
    }
    i = 0;
    while i < WORDS.len() {
        add(&mut list, WORDS[i].0);
        i += 1;
    }
    i = 0;
    while i < super::stages::OBJECTS.len() {
        add(&mut list, super::stages::OBJECTS[i].name);
        i += 1;
    }
    list
};

const fn length_bit(name: &str) -> u64 {
    1 << if name.len() < 64 { name.len() } else { 63 }
}

/// The texture that comes with a sampler, by its name in namespace `vk`: `SampledTexture2D` is made of `Texture2D`.
pub fn sampled_texture(name: &str) -> Option<Object> {
    let plain = match name.strip_prefix("Sampled")? {
        "TextureCUBE" => "TextureCube",
        "TextureCUBEArray" => "TextureCubeArray",
        name if name.contains("Cube") => return None,
        name => name,
    };
    match find(plain) {
        Some(Builtin::Object(Object::Texture(shape, false))) if shape.dim != Dim::Buffer => {
            Some(Object::Texture(TextureShape { combined: true, ..shape }, false))
        }
        _ => None,
    }
}

/// Names of built-in types, for suggestions.
pub fn names() -> impl Iterator<Item = &'static str> {
    let common = [
        "void", "vector", "matrix", "float2", "float3", "float4", "int2", "int3", "int4", "uint2", "uint3",
        "uint4",
    ];
    let more = ["float2x2", "float3x3", "float4x4", "bool2", "bool3", "bool4"];
    common
        .into_iter()
        .chain(more)
        .chain(SCALARS.iter().map(|(n, _)| *n))
        .chain(OBJECTS.iter().filter(|(_, o)| *o != Object::Unsupported).map(|(n, _)| *n))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_shapes_are_read() {
        assert_eq!(find("float16_t3"), Some(Builtin::Vector(Scalar::F16, 3)));
        assert_eq!(find("min16uint"), Some(Builtin::Scalar(Scalar::MinU16)));
        assert_eq!(find("int2x4"), Some(Builtin::Matrix(Scalar::I32, 2, 4)));
        assert_eq!(find("uint8_t4_packed"), Some(Builtin::Scalar(Scalar::PackedU8)));
        assert_eq!(find("uint8_t4_packed2"), None);
        assert_eq!(find("float5"), None);
        assert_eq!(find("floats"), None);
        assert_eq!(find("samplerCUBE"), Some(Builtin::Object(Object::Unsupported)));
        assert_eq!(find("texture"), Some(Builtin::Object(Object::Unsupported)));
        assert_eq!(find(""), None);
        assert!(sampled_texture("SampledTextureCUBEArray").is_some());
        assert_eq!(sampled_texture("SampledBuffer"), None);
        assert_eq!(sampled_texture("Texture2D"), None);
        assert!(matches!(find("RWTexture2D"), Some(Builtin::Object(Object::Texture(_, true)))));
    }
}
