//! What operations are called in messages: by the words of HLSL, which is what people write.

use super::{ExtSet, GlslOp, Op, Opcode};

/// Operations with a name of their own. A row each: operation, words.
const NAMES: &[(Op, &str)] = &[
    (Op::DPdx, "`ddx`"),
    (Op::DPdxCoarse, "`ddx_coarse`"),
    (Op::DPdxFine, "`ddx_fine`"),
    (Op::DPdy, "`ddy`"),
    (Op::DPdyCoarse, "`ddy_coarse`"),
    (Op::DPdyFine, "`ddy_fine`"),
    (Op::Fwidth, "`fwidth`"),
    (Op::FwidthCoarse, "`fwidth`"),
    (Op::FwidthFine, "`fwidth`"),
    (Op::Dot, "`dot`"),
    (Op::OuterProduct, "a product of two vectors that is a matrix"),
    (Op::Transpose, "`transpose`"),
    (Op::MatrixTimesMatrix, "`mul` of matrices"),
    (Op::MatrixTimesVector, "`mul` of a matrix and a vector"),
    (Op::VectorTimesMatrix, "`mul` of a vector and a matrix"),
    (Op::ControlBarrier, "a barrier"),
    (Op::MemoryBarrier, "a barrier"),
    (Op::ImageQueryLod, "`CalculateLevelOfDetail`"),
    (Op::ImageGather, "`Gather`"),
    (Op::ImageDrefGather, "`GatherCmp`"),
    (Op::ImageSampleImplicitLod, "`Sample`"),
    (Op::ImageSampleExplicitLod, "`SampleLevel` or `SampleGrad`"),
    (Op::ImageSampleDrefImplicitLod, "`SampleCmp`"),
    (Op::ImageSampleDrefExplicitLod, "`SampleCmpLevelZero`"),
    (Op::ImageFetch, "`Load` of a texture"),
    (Op::ImageRead, "a read of a writable texture"),
    (Op::ImageWrite, "a write to a texture"),
    (Op::ImageTexelPointer, "an atomic operation on a texel"),
    (Op::AtomicFAddEXT, "an atomic sum of floats"),
    (Op::AtomicFMinEXT, "an atomic minimum of floats"),
    (Op::AtomicFMaxEXT, "an atomic maximum of floats"),
    (Op::ReadClockKHR, "`vk::ReadClock`"),
    (Op::Kill, "`discard`"),
    (Op::Load, "a read"),
    (Op::Store, "a write"),
    (Op::AccessChain, "an index"),
    (Op::InBoundsAccessChain, "an index"),
    (Op::CopyObject, "a copy"),
    (Op::CopyLogical, "a copy"),
    (Op::Switch, "`switch`"),
    (Op::Select, "`select`"),
    (Op::FunctionCall, "a call"),
];

/// Families by how the names of their members begin, for those that are not in the list.
const FAMILIES: &[(&str, &str)] = &[
    ("Atomic", "this atomic operation"),
    ("CooperativeMatrix", "a cooperative matrix"),
    ("Convert", "this conversion"),
    ("GroupNonUniformQuad", "an operation across a quad"),
    ("GroupNonUniform", "this wave operation"),
    ("Group", "this operation of a group"),
    ("ImageQuery", "`GetDimensions`"),
    ("ImageSparse", "an access that tells its status"),
    ("Image", "this operation on a texture"),
    ("RayQuery", "a ray query"),
    ("Type", "this type"),
];

/// An operation, as a noun phrase.
pub fn operation(op: Op) -> String {
    if let Some((_, words)) = NAMES.iter().find(|r| r.0 == op) {
        return (*words).into();
    }
    let name = format!("{op:?}");
    match FAMILIES.iter().find(|f| name.starts_with(f.0)) {
        Some((_, words)) => (*words).into(),
        None => format!("the operation `{name}`"),
    }
}

/// Any instruction, as a noun phrase.
pub fn instruction(op: Opcode) -> String {
    match op {
        Opcode::Op(op) => operation(op),
        Opcode::Ext(ExtSet::Glsl, n) => match GlslOp::from_u32(n) {
            Some(op) => function(op),
            None => format!("function {n} of an extended set"),
        },
        Opcode::Ext(ExtSet::OpenCl, n) => match spirv_spec::ClOp::from_u32(n) {
            Some(op) => format!("`{op:?}`"),
            None => format!("function {n} of an extended set"),
        },
        _ => "this statement".into(),
    }
}

/// Functions of the extended set of shaders that HLSL calls otherwise.
const FUNCTIONS: &[(GlslOp, &str)] = &[
    (GlslOp::FaceForward, "faceforward"),
    (GlslOp::FMix, "lerp"),
    (GlslOp::FindILsb, "firstbitlow"),
    (GlslOp::FindSMsb, "firstbithigh"),
    (GlslOp::FindUMsb, "firstbithigh"),
    (GlslOp::Fract, "frac"),
    (GlslOp::FrexpStruct, "frexp"),
    (GlslOp::InterpolateAtCentroid, "EvaluateAttributeCentroid"),
    (GlslOp::InterpolateAtOffset, "EvaluateAttributeSnapped"),
    (GlslOp::InterpolateAtSample, "EvaluateAttributeAtSample"),
    (GlslOp::InverseSqrt, "rsqrt"),
    (GlslOp::ModfStruct, "modf"),
    (GlslOp::PackHalf2x16, "f32tof16"),
    (GlslOp::RoundEven, "round"),
    (GlslOp::SmoothStep, "smoothstep"),
    (GlslOp::UnpackHalf2x16, "f16tof32"),
];

/// A function of the extended set of shaders, by its name in HLSL.
pub fn function(op: GlslOp) -> String {
    if let Some((_, name)) = FUNCTIONS.iter().find(|r| r.0 == op) {
        return format!("`{name}`");
    }
    let name = format!("{op:?}");
    // `FAbs` and `SAbs` are `abs`.
    let plain =
        name.strip_prefix(['F', 'S', 'U']).filter(|r| r.starts_with(|c: char| c.is_ascii_uppercase()));
    let plain = plain.unwrap_or(&name);
    // One of several words is none of HLSL's: the source names it by its number.
    let words = plain.bytes().filter(u8::is_ascii_uppercase).count();
    if words > 1 { format!("`{plain}`") } else { format!("`{}`", plain.to_ascii_lowercase()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_have_the_names_that_people_write() {
        assert_eq!(operation(Op::DPdx), "`ddx`");
        assert_eq!(operation(Op::RayQueryProceedKHR), "a ray query");
        assert_eq!(operation(Op::ImageQuerySizeLod), "`GetDimensions`");
        assert_eq!(function(GlslOp::FAbs), "`abs`");
        assert_eq!(function(GlslOp::Sin), "`sin`");
        assert_eq!(function(GlslOp::FindILsb), "`firstbitlow`");
        assert_eq!(function(GlslOp::PackUnorm4x8), "`PackUnorm4x8`");
        for n in 0..=u32::from(u16::MAX) {
            if let Some(op) = Op::from_u32(n) {
                assert!(!operation(op).split(' ').any(|w| w.starts_with("Op")), "{op:?}");
            }
        }
    }
}
