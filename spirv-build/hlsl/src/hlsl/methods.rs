//! The methods of resource objects and ray queries: one row for each list of parameters.
//!
//! A row says which objects have it ([`Objects`]), what it takes ([`Param`]), and what it does ([`Does`]). The checker resolves a
//! call by name, object and number of arguments, converts what is given, and makes what the row says.
use super::hir::{AtomicOp, Query, SampleOp};
use super::stages::Gives;
use super::types::{Dim, Resource, Scalar, TextureShape};
use spirv_spec::Op;

/// Kinds of objects, a bit each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Objects(u16);

impl Objects {
    /// None.
    pub const NONE: Self = Self(0);
    const TYPED_BUFFER: Self = Self(1);
    /// Textures of one or three dimensions.
    const LINES: Self = Self(2);
    /// Textures of two dimensions.
    const PLANES: Self = Self(4);
    const CUBES: Self = Self(8);
    const SAMPLES: Self = Self(0x10);
    /// Textures and typed buffers that can be written.
    const IMAGES: Self = Self(0x20);
    const IMAGE_SAMPLES: Self = Self(0x40);
    const STRUCTURED: Self = Self(0x80);
    const RW_STRUCTURED: Self = Self(0x100);
    const APPEND: Self = Self(0x200);
    const CONSUME: Self = Self(0x400);
    const BYTES: Self = Self(0x800);
    const RW_BYTES: Self = Self(0x1000);
    /// Ray queries.
    pub const QUERY: Self = Self(0x2000);
    /// A ray query's candidate: its name stands before that of the method.
    pub const CANDIDATE: Self = Self(0x4000);
    /// What a ray query has committed to.
    pub const COMMITTED: Self = Self(0x8000);
    const EITHER: Self = Self::CANDIDATE.or(Self::COMMITTED);
    /// What has levels of detail.
    const MIPPED: Self = Self::LINES.or(Self::PLANES).or(Self::CUBES);
    const FLAT: Self = Self::PLANES.or(Self::CUBES);
    const TEXELS: Self =
        Self::TYPED_BUFFER.or(Self::MIPPED).or(Self::SAMPLES).or(Self::IMAGES).or(Self::IMAGE_SAMPLES);
    const ELEMENTS: Self = Self::STRUCTURED.or(Self::RW_STRUCTURED);
    const ANY_BYTES: Self = Self::BYTES.or(Self::RW_BYTES);

    const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether they have a kind in common.
    pub const fn meet(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// The kind of a resource.
    pub fn of(r: Resource) -> Self {
        match r {
            Resource::Structured { writable, .. } => {
                if writable {
                    Self::RW_STRUCTURED
                } else {
                    Self::STRUCTURED
                }
            }
            Resource::Queue { append, .. } => {
                if append {
                    Self::APPEND
                } else {
                    Self::CONSUME
                }
            }
            Resource::ByteAddress { writable } => {
                if writable {
                    Self::RW_BYTES
                } else {
                    Self::BYTES
                }
            }
            Resource::Texture { shape, writable, .. } => match (shape.dim, shape.multisampled) {
                (_, true) => {
                    if writable {
                        Self::IMAGE_SAMPLES
                    } else {
                        Self::SAMPLES
                    }
                }
                _ if writable => Self::IMAGES,
                (Dim::Buffer, _) => Self::TYPED_BUFFER,
                (Dim::D1 | Dim::D3, _) => Self::LINES,
                (Dim::D2, _) => Self::PLANES,
                (Dim::Cube, _) => Self::CUBES,
            },
            _ => Self::NONE,
        }
    }

    /// The kind that can be written of one that can only be read.
    pub fn writable(self) -> Self {
        match self {
            Self::STRUCTURED => Self::RW_STRUCTURED,
            Self::BYTES => Self::RW_BYTES,
            _ => Self::NONE,
        }
    }
}

/// A parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)] // Named after what they are.
pub enum Param {
    /// A sampler that does not compare.
    Sampler,
    /// One that does.
    Comparison,
    /// Either.
    AnySampler,
    /// Where a texture is sampled, with the layer.
    Location,
    /// The same without it.
    Spot,
    Compare,
    Bias,
    Lod,
    /// Level 0, which is not written.
    Zero,
    Derivative,
    Offset,
    /// The least level.
    Clamp,
    /// A residency status.
    Status,
    /// A residency status, which Vulkan has for no buffer.
    NoStatus,
    Index,
    /// A texel, with its level where there are some.
    Texel,
    /// Which sample of a texel.
    Sample,
    /// Which sample, as a function of the library takes it.
    Number,
    /// A number of bytes.
    Bytes,
    /// A level that is asked about.
    Level,
    /// A variable for an answer, where there is one.
    Answer(Query),
    /// The same of type `uint`.
    Count(Query),
    Element,
    Distance,
    Structure,
    Flags,
    Mask,
    Ray,
    /// What the operation looks at itself.
    Value,
}

/// What a parameter takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Takes {
    /// A sampler; whether it compares, if that matters.
    Sampler(Option<bool>),
    /// One number.
    Number(Scalar),
    /// A component for each coordinate of the texture, the layer included.
    Coords(Scalar),
    /// The same without the layer.
    Dims(Scalar),
    /// What converts to the type of numbers.
    Scalar(Scalar),
    /// An index.
    Index,
    /// Integers that select a texel.
    Texel,
    /// A variable of type `uint`.
    Status,
    /// Nothing: it is refused.
    Refused,
    /// A variable that is a number; whether it has to be a `uint`.
    Answer(bool),
    /// An element of the object.
    Element,
    /// `RaytracingAccelerationStructure`.
    Structure,
    /// `RayDesc`.
    Ray,
    /// Anything.
    Anything,
}

impl Param {
    /// What it takes, and what messages call it.
    pub fn takes(self) -> (Takes, &'static str) {
        const F: Scalar = Scalar::F32;
        match self {
            Self::Sampler => (Takes::Sampler(Some(false)), "the sampler"),
            Self::Comparison => (Takes::Sampler(Some(true)), "the sampler"),
            Self::AnySampler => (Takes::Sampler(None), "the sampler"),
            Self::Location => (Takes::Coords(F), "the coordinates"),
            Self::Spot => (Takes::Dims(F), "the coordinates"),
            Self::Compare => (Takes::Number(F), "the value compared with"),
            Self::Bias => (Takes::Number(F), "the bias"),
            Self::Lod | Self::Zero => (Takes::Number(F), "the level of detail"),
            Self::Derivative => (Takes::Dims(F), "the derivative"),
            Self::Offset => (Takes::Dims(Scalar::I32), "the offset"),
            Self::Clamp => (Takes::Number(F), "the least level of detail"),
            Self::Status => (Takes::Status, "the residency status"),
            Self::NoStatus => (Takes::Refused, "the residency status"),
            Self::Index => (Takes::Index, "the index"),
            Self::Texel => (Takes::Texel, "the position"),
            Self::Sample => (Takes::Number(Scalar::I32), "the sample"),
            Self::Bytes => (Takes::Number(Scalar::U32), "the offset"),
            Self::Level => (Takes::Number(Scalar::U32), "the level of detail"),
            Self::Answer(_) => (Takes::Answer(false), "the argument"),
            Self::Count(_) => (Takes::Answer(true), "the argument"),
            Self::Element => (Takes::Element, "the element"),
            Self::Distance => (Takes::Scalar(F), "the distance"),
            Self::Structure => (Takes::Structure, "the structure"),
            Self::Flags => (Takes::Scalar(Scalar::U32), "the flags"),
            Self::Mask => (Takes::Scalar(Scalar::U32), "the mask"),
            Self::Ray => (Takes::Ray, "the ray"),
            Self::Value | Self::Number => (Takes::Anything, "the value"),
        }
    }

    /// Whether it is there for textures of this shape.
    pub fn is_of(self, shape: TextureShape) -> bool {
        match self {
            Self::Sampler | Self::Comparison | Self::AnySampler => !shape.combined,
            Self::Offset => shape.dim != Dim::Cube,
            Self::Answer(Query::Height) => !matches!(shape.dim, Dim::Buffer | Dim::D1),
            Self::Answer(Query::Depth) => shape.dim == Dim::D3,
            Self::Answer(Query::Layers) => shape.arrayed,
            Self::Answer(Query::Samples) => shape.multisampled,
            Self::Answer(Query::Width) => shape.dim != Dim::Buffer,
            Self::Answer(Query::Elements) => shape.dim == Dim::Buffer,
            _ => true,
        }
    }
}

/// What a method does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Does {
    /// Samples, or asks how.
    Sample(SampleOp),
    /// Reads a texel.
    ReadTexel,
    /// Reads an element.
    ReadElement,
    /// Counts up, or down.
    Count(bool),
    /// Writes where the counter leads.
    Append,
    /// Reads from where the counter leads.
    Consume,
    /// Reads so many words.
    LoadBytes(u8),
    /// Writes so many words.
    StoreBytes(u8),
    /// Changes a number in bytes.
    Atomic(AtomicOp, Word),
    /// Answers questions.
    Query,
    /// Tells where a sample lies.
    SamplePosition,
    /// An instruction on a ray query.
    Ray(Op, Gives),
    /// One that says the opposite.
    NotRay(Op),
    /// Starts a ray query.
    Trace,
    /// Known, but nothing for it yet.
    Unsupported,
    /// Vulkan has nothing for it; what is there instead.
    NotInVulkan(&'static str),
}

/// What an atomic operation on bytes works on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Word {
    /// 32 bits.
    Narrow,
    /// 64 bits.
    Wide,
    /// The bits of a float.
    Float,
}

/// A row of the table.
#[derive(Debug)]
pub struct Method {
    /// Name in HLSL; of a ray query's intersections without `Candidate` and `Committed`.
    pub name: &'static str,
    /// Which objects have it.
    pub of: Objects,
    /// What it takes at least.
    pub params: &'static [Param],
    /// What may follow.
    pub more: &'static [Param],
    /// What it does.
    pub does: Does,
    /// Whether derivatives choose the level, which compute shaders have since shader model 6.6.
    pub derives: bool,
}

impl Method {
    /// Fewest and most arguments for textures of a shape.
    pub fn counts(&self, shape: TextureShape) -> (usize, usize) {
        let count = |list: &[Param]| list.iter().filter(|p| p.is_of(shape) && **p != Param::Zero).count();
        let least = count(self.params);
        (least, least + count(self.more))
    }

    /// Whether what is sampled is compared.
    pub fn compares(&self) -> bool {
        self.params.contains(&Param::Comparison)
    }
}

const fn row(name: &'static str, of: Objects, params: &'static [Param], does: Does) -> Method {
    Method { name, of, params, more: &[], does, derives: false }
}

const fn sample(
    name: &'static str,
    params: &'static [Param],
    more: &'static [Param],
    derives: bool,
) -> Method {
    Method { name, of: Objects::MIPPED, params, more, does: Does::Sample(SampleOp::Sample), derives }
}

const fn gather(
    name: &'static str,
    component: u8,
    params: &'static [Param],
    more: &'static [Param],
) -> Method {
    let does = Does::Sample(SampleOp::Gather(component));
    Method { name, of: Objects::FLAT, params, more, does, derives: false }
}

/// With an offset for each texel.
const fn four(name: &'static str, component: u8, params: &'static [Param]) -> Method {
    Method { of: Objects::PLANES, ..gather(name, component, params, &[Param::Status]) }
}

const fn level(name: &'static str, op: SampleOp) -> Method {
    let params = &[Param::AnySampler, Param::Spot];
    Method { name, of: Objects::MIPPED, params, more: &[], does: Does::Sample(op), derives: true }
}

const fn texel(of: Objects, params: &'static [Param], more: &'static [Param]) -> Method {
    Method { more, ..row("Load", of, params, Does::ReadTexel) }
}

const fn query(of: Objects, params: &'static [Param]) -> Method {
    row("GetDimensions", of, params, Does::Query)
}

const fn load(name: &'static str, words: u8) -> Method {
    Method {
        more: &[Param::NoStatus],
        ..row(name, Objects::ANY_BYTES, &[Param::Bytes], Does::LoadBytes(words))
    }
}

const fn store(name: &'static str, words: u8) -> Method {
    row(name, Objects::RW_BYTES, &[Param::Bytes, Param::Value], Does::StoreBytes(words))
}

/// The original value goes into the last argument, which may be left out.
const fn atomic(name: &'static str, op: AtomicOp, word: Word) -> Method {
    use Param::*;
    Method { more: &[Value], ..row(name, Objects::RW_BYTES, &[Bytes, Value], Does::Atomic(op, word)) }
}

const fn exchange(name: &'static str, params: &'static [Param], op: AtomicOp, word: Word) -> Method {
    row(name, Objects::RW_BYTES, params, Does::Atomic(op, word))
}

const fn ray(name: &'static str, of: Objects, op: Op, gives: Gives) -> Method {
    row(name, of, &[], Does::Ray(op, gives))
}

/// All methods.
pub static METHODS: &[Method] = {
    use AtomicOp as A;
    use Gives as G;
    use Objects as O;
    use Param::*;
    use SampleOp as S;
    use Word::*;
    &[
        sample("Sample", &[Sampler, Location], &[Offset, Clamp, Status], true),
        sample("SampleBias", &[Sampler, Location, Bias], &[Offset, Clamp, Status], true),
        sample("SampleLevel", &[Sampler, Location, Lod], &[Offset, Status], false),
        sample("SampleGrad", &[Sampler, Location, Derivative, Derivative], &[Offset, Clamp, Status], false),
        sample("SampleCmp", &[Comparison, Location, Compare], &[Offset, Clamp, Status], true),
        sample("SampleCmpBias", &[Comparison, Location, Compare, Bias], &[Offset, Clamp, Status], true),
        sample(
            "SampleCmpGrad",
            &[Comparison, Location, Compare, Derivative, Derivative],
            &[Offset, Clamp, Status],
            false,
        ),
        sample("SampleCmpLevel", &[Comparison, Location, Compare, Lod], &[Offset, Status], false),
        sample("SampleCmpLevelZero", &[Comparison, Location, Compare, Zero], &[Offset, Status], false),
        gather("Gather", 0, &[Sampler, Location], &[Offset, Status]),
        gather("GatherRed", 0, &[Sampler, Location], &[Offset, Status]),
        four("GatherRed", 0, &[Sampler, Location, Offset, Offset, Offset, Offset]),
        gather("GatherGreen", 1, &[Sampler, Location], &[Offset, Status]),
        four("GatherGreen", 1, &[Sampler, Location, Offset, Offset, Offset, Offset]),
        gather("GatherBlue", 2, &[Sampler, Location], &[Offset, Status]),
        four("GatherBlue", 2, &[Sampler, Location, Offset, Offset, Offset, Offset]),
        gather("GatherAlpha", 3, &[Sampler, Location], &[Offset, Status]),
        four("GatherAlpha", 3, &[Sampler, Location, Offset, Offset, Offset, Offset]),
        gather("GatherCmp", 0, &[Comparison, Location, Compare], &[Offset, Status]),
        gather("GatherCmpRed", 0, &[Comparison, Location, Compare], &[Offset, Status]),
        four("GatherCmpRed", 0, &[Comparison, Location, Compare, Offset, Offset, Offset, Offset]),
        row("GatherCmpGreen", O::FLAT, &[], Does::NotInVulkan(ONE_RESULT)),
        row("GatherCmpBlue", O::FLAT, &[], Does::NotInVulkan(ONE_RESULT)),
        row("GatherCmpAlpha", O::FLAT, &[], Does::NotInVulkan(ONE_RESULT)),
        row("GatherRaw", O::FLAT, &[], Does::Unsupported),
        level("CalculateLevelOfDetail", S::Level),
        level("CalculateLevelOfDetailUnclamped", S::LevelUnclamped),
        texel(O::LINES.or(O::PLANES), &[Texel], &[Offset, Status]),
        texel(O::SAMPLES, &[Texel, Sample], &[Offset, Status]),
        texel(O::TYPED_BUFFER.or(O::IMAGES), &[Texel], &[Status]),
        texel(O::IMAGE_SAMPLES, &[Texel, Sample], &[Status]),
        row("GetSamplePosition", O::SAMPLES.or(O::IMAGE_SAMPLES), &[Number], Does::SamplePosition),
        Method { more: &[NoStatus], ..row("Load", O::ELEMENTS, &[Index], Does::ReadElement) },
        row("IncrementCounter", O::RW_STRUCTURED, &[], Does::Count(false)),
        row("DecrementCounter", O::RW_STRUCTURED, &[], Does::Count(true)),
        row("Append", O::APPEND, &[Element], Does::Append),
        row("Consume", O::CONSUME, &[], Does::Consume),
        query(O::ELEMENTS.or(O::APPEND).or(O::CONSUME), &[Count(Query::Elements), Count(Query::Stride)]),
        query(O::ANY_BYTES, &[Count(Query::Bytes)]),
        query(O::TEXELS, SIZES),
        query(O::MIPPED, SIZES_OF_LEVEL),
        load("Load", 1),
        load("Load2", 2),
        load("Load3", 3),
        load("Load4", 4),
        store("Store", 1),
        store("Store2", 2),
        store("Store3", 3),
        store("Store4", 4),
        atomic("InterlockedAdd", A::Add, Narrow),
        atomic("InterlockedAdd64", A::Add, Wide),
        atomic("InterlockedAnd", A::And, Narrow),
        atomic("InterlockedAnd64", A::And, Wide),
        atomic("InterlockedOr", A::Or, Narrow),
        atomic("InterlockedOr64", A::Or, Wide),
        atomic("InterlockedXor", A::Xor, Narrow),
        atomic("InterlockedXor64", A::Xor, Wide),
        atomic("InterlockedMin", A::Min, Narrow),
        atomic("InterlockedMin64", A::Min, Wide),
        atomic("InterlockedMax", A::Max, Narrow),
        atomic("InterlockedMax64", A::Max, Wide),
        exchange("InterlockedExchange", &[Bytes, Value, Value], A::Exchange, Narrow),
        exchange("InterlockedExchange64", &[Bytes, Value, Value], A::Exchange, Wide),
        exchange("InterlockedExchangeFloat", &[Bytes, Value, Value], A::Exchange, Float),
        exchange("InterlockedCompareStore", &[Bytes, Value, Value], A::CompareExchange, Narrow),
        exchange("InterlockedCompareStore64", &[Bytes, Value, Value], A::CompareExchange, Wide),
        exchange(
            "InterlockedCompareStoreFloatBitwise",
            &[Bytes, Value, Value],
            A::CompareExchangeFloatBitwise,
            Float,
        ),
        exchange("InterlockedCompareExchange", &[Bytes, Value, Value, Value], A::CompareExchange, Narrow),
        exchange("InterlockedCompareExchange64", &[Bytes, Value, Value, Value], A::CompareExchange, Wide),
        exchange(
            "InterlockedCompareExchangeFloatBitwise",
            &[Bytes, Value, Value, Value],
            A::CompareExchangeFloatBitwise,
            Float,
        ),
        row("TraceRayInline", O::QUERY, &[Structure, Flags, Mask, Ray], Does::Trace),
        row(
            "CommitProceduralPrimitiveHit",
            O::QUERY,
            &[Distance],
            Does::Ray(Op::RayQueryGenerateIntersectionKHR, G::Nothing),
        ),
        row(
            "CandidateProceduralPrimitiveNonOpaque",
            O::QUERY,
            &[],
            Does::NotRay(Op::RayQueryGetIntersectionCandidateAABBOpaqueKHR),
        ),
        ray("Proceed", O::QUERY, Op::RayQueryProceedKHR, G::Bool),
        ray("Abort", O::QUERY, Op::RayQueryTerminateKHR, G::Nothing),
        ray("CommitNonOpaqueTriangleHit", O::QUERY, Op::RayQueryConfirmIntersectionKHR, G::Nothing),
        ray("RayFlags", O::QUERY, Op::RayQueryGetRayFlagsKHR, G::Uint),
        ray("RayTMin", O::QUERY, Op::RayQueryGetRayTMinKHR, G::Float),
        ray("WorldRayDirection", O::QUERY, Op::RayQueryGetWorldRayDirectionKHR, G::Float3),
        ray("WorldRayOrigin", O::QUERY, Op::RayQueryGetWorldRayOriginKHR, G::Float3),
        ray("Type", O::CANDIDATE, Op::RayQueryGetIntersectionTypeKHR, G::Uint),
        ray("Status", O::COMMITTED, Op::RayQueryGetIntersectionTypeKHR, G::Uint),
        ray("TriangleRayT", O::CANDIDATE, Op::RayQueryGetIntersectionTKHR, G::Float),
        ray("RayT", O::COMMITTED, Op::RayQueryGetIntersectionTKHR, G::Float),
        ray("InstanceID", O::EITHER, Op::RayQueryGetIntersectionInstanceCustomIndexKHR, G::Uint),
        ray("InstanceIndex", O::EITHER, Op::RayQueryGetIntersectionInstanceIdKHR, G::Uint),
        ray(
            "InstanceContributionToHitGroupIndex",
            O::EITHER,
            Op::RayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetKHR,
            G::Uint,
        ),
        ray("GeometryIndex", O::EITHER, Op::RayQueryGetIntersectionGeometryIndexKHR, G::Uint),
        ray("PrimitiveIndex", O::EITHER, Op::RayQueryGetIntersectionPrimitiveIndexKHR, G::Uint),
        ray("TriangleBarycentrics", O::EITHER, Op::RayQueryGetIntersectionBarycentricsKHR, G::Float2),
        ray("TriangleFrontFace", O::EITHER, Op::RayQueryGetIntersectionFrontFaceKHR, G::Bool),
        ray("ObjectRayDirection", O::EITHER, Op::RayQueryGetIntersectionObjectRayDirectionKHR, G::Float3),
        ray("ObjectRayOrigin", O::EITHER, Op::RayQueryGetIntersectionObjectRayOriginKHR, G::Float3),
        ray("ObjectToWorld3x4", O::EITHER, Op::RayQueryGetIntersectionObjectToWorldKHR, G::Float3x4),
        ray("ObjectToWorld4x3", O::EITHER, Op::RayQueryGetIntersectionObjectToWorldKHR, G::Float4x3),
        ray("WorldToObject3x4", O::EITHER, Op::RayQueryGetIntersectionWorldToObjectKHR, G::Float3x4),
        ray("WorldToObject4x3", O::EITHER, Op::RayQueryGetIntersectionWorldToObjectKHR, G::Float4x3),
        row("ClusterID", O::EITHER, &[], Does::Unsupported),
        row("TriangleObjectPositions", O::EITHER, &[], Does::Unsupported),
    ]
};

const ONE_RESULT: &str = "a comparison has one result: use `GatherCmp`";

const SIZES: &[Param] = &[
    Param::Answer(Query::Elements),
    Param::Answer(Query::Width),
    Param::Answer(Query::Height),
    Param::Answer(Query::Depth),
    Param::Answer(Query::Layers),
    Param::Answer(Query::Samples),
];

const SIZES_OF_LEVEL: &[Param] = &[
    Param::Level,
    Param::Answer(Query::Width),
    Param::Answer(Query::Height),
    Param::Answer(Query::Depth),
    Param::Answer(Query::Layers),
    Param::Answer(Query::Levels),
];

/// The methods of this name that such objects have, and the kind that has them: an intersection of a ray query names itself.
pub fn find(name: &str, of: Objects) -> (Objects, impl Iterator<Item = &'static Method> + Clone + use<'_>) {
    let own = |of: Objects, name: &str| METHODS.iter().any(|m| m.name == name && m.of.meet(of));
    let (mut of, mut name) = (of, name);
    if of == Objects::QUERY && !own(of, name) {
        for (prefix, which) in [("Candidate", Objects::CANDIDATE), ("Committed", Objects::COMMITTED)] {
            if let Some(rest) = name.strip_prefix(prefix) {
                (of, name) = (which, rest);
            }
        }
    }
    (of, METHODS.iter().filter(move |m| m.name == name && m.of.meet(of)))
}

/// The names of what such objects have.
pub fn names(of: Objects) -> impl Iterator<Item = String> {
    let whole = METHODS.iter().filter(move |m| m.of.meet(of)).map(|m| m.name.to_string());
    let parts = [("Candidate", Objects::CANDIDATE), ("Committed", Objects::COMMITTED)];
    let parts = parts.into_iter().filter(move |_| of == Objects::QUERY).flat_map(|(prefix, which)| {
        METHODS.iter().filter(move |m| m.of.meet(which)).map(move |m| format!("{prefix}{}", m.name))
    });
    whole.chain(parts)
}

/// Whether any object has a method of this name.
pub fn is_one(name: &str) -> bool {
    METHODS.iter().any(|m| m.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Resolution goes by the number of arguments: for no shape may two lists take the same.
    #[test]
    fn counts_of_one_name_do_not_overlap() {
        let dims = [Dim::Buffer, Dim::D1, Dim::D2, Dim::D3, Dim::Cube];
        let flags = [false, true];
        for (dim, arrayed, multisampled, combined, writable) in dims.iter().flat_map(|&d| {
            flags.into_iter().flat_map(move |a| {
                flags.into_iter().flat_map(move |m| {
                    flags.into_iter().flat_map(move |c| flags.into_iter().map(move |w| (d, a, m, c, w)))
                })
            })
        }) {
            let shape = TextureShape { dim, arrayed, multisampled, combined };
            let of =
                Objects::of(Resource::Texture { shape, elem: crate::hlsl::types::Types::ERROR, writable });
            for a in METHODS.iter().filter(|m| m.of.meet(of)) {
                for b in METHODS.iter().filter(|b| b.of.meet(of) && b.name == a.name && !std::ptr::eq(a, *b))
                {
                    let (x, y) = (a.counts(shape), b.counts(shape));
                    assert!(x.1 < y.0 || y.1 < x.0, "{} of {shape:?}: {x:?} and {y:?}", a.name);
                }
            }
        }
    }
}
