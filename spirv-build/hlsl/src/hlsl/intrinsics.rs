//! The intrinsic functions of HLSL: one row each.
//!
//! A row says how its overloads are shaped ([`Shape`]), which HIR operation it is ([`Intrinsic`]), which stages have it since which
//! shader model, how wide and of what sign its components are, and what it does. Checker, lowering, the library of intrinsics and
//! the words that ask for it read these columns; the text is for people, and decides nothing.
use super::hir::AtomicOp;
use super::scalar::Scalar;
use super::stages::{self, Gives, Since, StageSet};

/// Kinds of components that an overload takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// Floating point; integers convert to `float`.
    Float,
    /// Floating point or integer.
    Number,
    /// Integer.
    Int,
    /// Anything, `bool` included.
    Any,
    /// `bool`.
    Bool,
    /// `uint`.
    Uint,
}

/// How the operands and the result of an intrinsic relate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// All operands and the result have one type (scalar, vector or matrix).
    Same(Class, u8),
    /// As `Same`, but the result is `bool` of the same shape.
    ToBool(Class, u8),
    /// As `Same`, but the result is `int` of the same shape.
    ToInt(Class, u8),
    /// As `Same`, but the result is `uint` of the same shape.
    ToUint(Class, u8),
    /// Vectors (or scalars) of one type; the result is their component type.
    Reduce(Class, u8),
    /// Any shape to one `bool`.
    ToOneBool,
    /// Vectors of three floats.
    Cross,
    /// No operands; the result has this class (`uint` or `bool`).
    Nullary(Class),
    /// A scalar `bool` to a scalar `bool` or number.
    OneBool,
    /// A square float matrix; `determinant` gives a scalar.
    Matrix,
    /// The value keeps its type; a `uint` lane or so follows.
    ValueAndLane,
    /// A barrier with (group, device, sync).
    Barrier(bool, bool, bool),
    /// An atomic function on a place: least and greatest number of operands.
    Interlocked(AtomicOp, u8, u8),
    /// The bits of the operand as this type, which has as many.
    Bits(Scalar),
    /// Has a checker of its own; takes so many operands.
    Special(u8),
    /// A function of the library ([`super::headers::LIBRARY`]), which has its overloads.
    Library,
    /// Of other stages: least and greatest number of operands, result.
    Foreign(u8, u8, Gives),
    /// Recognised, but not implemented: using it is an error that says so.
    Unsupported,
}

impl Shape {
    /// Least and greatest number of operands.
    pub fn counts(self) -> (usize, usize) {
        let (least, most) = match self {
            Self::Same(_, n) | Self::ToBool(_, n) | Self::ToInt(_, n) | Self::ToUint(_, n) => (n, n),
            Self::Reduce(_, n) | Self::Special(n) => (n, n),
            Self::Nullary(_) | Self::Barrier(..) => (0, 0),
            Self::Cross | Self::ValueAndLane => (2, 2),
            Self::Interlocked(_, least, most) | Self::Foreign(least, most, _) => (least, most),
            Self::ToOneBool | Self::OneBool | Self::Matrix | Self::Bits(_) => (1, 1),
            Self::Library | Self::Unsupported => (0, u8::MAX),
        };
        (least.into(), most.into())
    }
}

/// Widths in bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Widths(u8);

impl Widths {
    /// 16, 32 and 64 bits.
    pub const ALL: Widths = Widths(0b111);
    /// Not 64 bits.
    pub const TO_32: Widths = Widths(0b011);
    /// 32 bits.
    pub const ONLY_32: Widths = Widths(0b010);
    /// 64 bits.
    pub const ONLY_64: Widths = Widths(0b100);

    /// Whether a component has one of the widths.
    pub fn have(self, s: Scalar) -> bool {
        self.0 & (s.bits() / 16) as u8 != 0
    }
}

/// Integers that do not convert when they are operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sign {
    /// All convert.
    Any,
    /// What is no signed integer does not.
    Signed,
    /// What is no unsigned integer does not.
    Unsigned,
}

/// A row of the table.
#[derive(Debug)]
pub struct Row {
    /// Name in HLSL.
    pub name: &'static str,
    /// Overloads.
    pub shape: Shape,
    /// The HIR operation, where there is exactly one.
    pub op: Option<Intrinsic>,
    /// The stages that have it.
    pub since: &'static [Since],
    /// Widths of components that it is an instruction for.
    pub widths: Widths,
    /// Which operands do not convert.
    pub sign: Sign,
    /// Whether the library has it for the other widths.
    pub library: bool,
    /// Whether the last operand is what one shader hands to another: a structure.
    pub payload: bool,
    /// What it does, for people.
    pub doc: &'static str,
}

impl Row {
    const fn new(name: &'static str, shape: Shape, op: Option<Intrinsic>, doc: &'static str) -> Self {
        let since = &[(StageSet::ALL, 0)];
        let (widths, sign) = (Widths::ALL, Sign::Any);
        Row { name, shape, op, since, widths, sign, library: false, payload: false, doc }
    }

    /// The minor version of shader model 6 that gave it to a stage.
    pub fn since(&self, stage: StageSet) -> Option<u32> {
        self.since.iter().find(|s| s.0.has(stage)).map(|s| s.1)
    }
}

macro_rules! intrinsics {
    (ops { $($(#[doc = $odoc:literal])* $op:ident,)* } rows { $($name:literal $shape:expr, $hir:expr, $doc:literal $(, $column:ident: $value:expr)*;)* }) => {
        /// Operations of the HIR that are neither operators nor control flow. Unless said otherwise all operands have the
        /// result's type.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Intrinsic { $($(#[doc = $odoc])* $op,)* }

        impl Intrinsic {
            /// Name in dumps.
            pub fn name(self) -> &'static str {
                match self { $(Self::$op => stringify!($op),)* }
            }

            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$op,)*];
        }

        /// All intrinsic functions, sorted by name.
        pub static ROWS: &[Row] = {
            use Class::*;
            use Intrinsic as I;
            use Shape::*;
            &[$(Row { $($column: $value,)* ..Row::new($name, $shape, $hir, $doc) },)*]
        };
    };
}

/// By operation, one more than the index of its row.
const ROW_OF: [u8; Intrinsic::ALL.len()] = {
    assert!(ROWS.len() < u8::MAX as usize);
    let mut rows = [0; Intrinsic::ALL.len()];
    let mut i = ROWS.len();
    while i > 0 {
        if let Some(op) = ROWS[i - 1].op {
            rows[op as usize] = i as u8;
        }
        i -= 1;
    }
    rows
};

impl Intrinsic {
    /// Whether it is an instruction for components of this type.
    pub fn takes(self, s: Scalar) -> bool {
        match ROW_OF[self as usize] {
            0 => true,
            i => ROWS[i as usize - 1].widths.have(s),
        }
    }
}

/// The row of an intrinsic function.
pub fn find(name: &str) -> Option<&'static Row> {
    ROWS.binary_search_by(|row| row.name.cmp(name)).ok().map(|i| &ROWS[i])
}

intrinsics! {
    ops {
        /// Absolute value of floats or signed integers.
        Abs,
        /// Arc cosine.
        Acos,
        /// `bool`: every component of the operand (of any `bool` shape) is true.
        All,
        /// `bool`: some component of the operand (of any `bool` shape) is true.
        Any,
        /// Arc sine.
        Asin,
        /// Arc tangent.
        Atan,
        /// Arc tangent of y/x with the quadrant of both.
        Atan2,
        /// The bits as another scalar of the same width, component by component; operand and result differ in type.
        Bitcast,
        /// Round up.
        Ceil,
        /// `bool`: whether a residency status (a `uint`) tells that all memory was there.
        CheckAccessFullyMapped,
        /// (value, low, high): `min(max(value, low), high)`; floats or integers.
        Clamp,
        /// Cosine.
        Cos,
        /// Stops in a debugger; void, no operands.
        DebugBreak,
        /// `uint`: the index of this wave in its group.
        GroupWaveIndex,
        /// `uint`: the number of waves in a group.
        GroupWaveCount,
        /// Hyperbolic cosine.
        Cosh,
        /// Number of one bits; operand of any integer type, result `uint` of that shape.
        CountBits,
        /// Cross product of two vectors of three.
        Cross,
        /// Derivative in x, over the threads of a quad.
        Ddx,
        /// Derivative in x, one for the whole quad.
        DdxCoarse,
        /// Derivative in x, for each row of the quad.
        DdxFine,
        /// Derivative in y, over the threads of a quad.
        Ddy,
        /// Derivative in y, one for the whole quad.
        DdyCoarse,
        /// Derivative in y, for each column of the quad.
        DdyFine,
        /// Sum of the absolute derivatives.
        Fwidth,
        /// Radians to degrees.
        Degrees,
        /// Determinant: a square float matrix to its scalar.
        Determinant,
        /// Distance between two points: two vectors to a scalar.
        Distance,
        /// Dot product: two vectors (float or integer, or scalars) to a scalar.
        Dot,
        /// e to the power.
        Exp,
        /// 2 to the power.
        Exp2,
        /// `uint` whose low 16 bits are a half: to `float`.
        F16ToF32,
        /// `float` to `uint` whose low 16 bits are a half.
        F32ToF16,
        /// (n, i, ng): n if dot(i, ng) < 0, else -n.
        FaceForward,
        /// Highest bit that is one (for negative signed: zero), from the low end; -1 if none. Result `uint`.
        FirstBitHigh,
        /// Lowest bit that is one; -1 if none. Result `uint`.
        FirstBitLow,
        /// Round down.
        Floor,
        /// a*b+c without intermediate rounding (doubles).
        Fma,
        /// Remainder of floats; sign follows the dividend.
        Fmod,
        /// x - floor(x).
        Frac,
        /// Exponent of a float, as a float: value = significand * 2^exponent, significand in [0.5, 1).
        FrexpExponent,
        /// Significand of a float.
        FrexpSignificand,
        /// Fraction of a float, with its sign: what `trunc` leaves.
        ModfFraction,
        /// `bool`s: neither infinite nor NaN.
        IsFinite,
        /// `bool`s: infinite.
        IsInf,
        /// `bool`s: NaN.
        IsNan,
        /// x * 2^exponent, both floats.
        Ldexp,
        /// Length of a vector, a scalar.
        Length,
        /// (a, b, t): a + t * (b - a).
        Lerp,
        /// Natural logarithm.
        Log,
        /// Decimal logarithm.
        Log10,
        /// Binary logarithm.
        Log2,
        /// a*b+c, may be fused; floats or integers.
        Mad,
        /// The larger of two; floats or integers.
        Max,
        /// The smaller of two; floats or integers.
        Min,
        /// (matrix r×k, matrix k×c): matrix r×c.
        MulMatrixMatrix,
        /// (matrix r×c, vector c): vector r.
        MulMatrixVector,
        /// (vector r, matrix r×c): vector c.
        MulVectorMatrix,
        /// The operand, marked as possibly different between threads of a wave (resource indices).
        NonUniform,
        /// A vector of length 1.
        Normalize,
        /// Power of floats.
        Pow,
        /// (value): the value of the quad's other lane in x.
        QuadReadAcrossX,
        /// (value): the value of the quad's other lane in y.
        QuadReadAcrossY,
        /// (value): the value of the quad's diagonal lane.
        QuadReadAcrossDiagonal,
        /// (value, uint lane).
        QuadReadLaneAt,
        /// Degrees to radians.
        Radians,
        /// Reciprocal.
        Rcp,
        /// (i, n): i - 2 * n * dot(i, n).
        Reflect,
        /// (i, n, eta scalar): refraction vector.
        Refract,
        /// Reverse the order of bits.
        ReverseBits,
        /// Round to nearest, ties to even.
        Round,
        /// 1 / sqrt(x).
        Rsqrt,
        /// Clamp to 0..1.
        Saturate,
        /// (bool condition of the result's shape, a, b): a where true, b where false; all operands are evaluated.
        Select,
        /// -1, 0 or 1; operand float or signed integer, result `int` of that shape.
        Sign,
        /// Sine.
        Sin,
        /// Hyperbolic sine.
        Sinh,
        /// (low, high, x): Hermite interpolation.
        SmoothStep,
        /// Square root.
        Sqrt,
        /// (edge, x): 1 where x >= edge.
        Step,
        /// Tangent.
        Tan,
        /// Hyperbolic tangent.
        Tanh,
        /// Transposes a matrix.
        Transpose,
        /// Round towards zero.
        Trunc,
        /// `uint`, number of lanes.
        WaveGetLaneCount,
        /// `uint`, this lane.
        WaveGetLaneIndex,
        /// `bool`: this is the first active lane.
        WaveIsFirstLane,
        /// (bool): true on all active lanes.
        WaveActiveAllTrue,
        /// (bool): true on any active lane.
        WaveActiveAnyTrue,
        /// (value): `bool`s of its shape, equal on all active lanes.
        WaveActiveAllEqual,
        /// (bool): `uint4` of bits.
        WaveActiveBallot,
        /// (bool): `uint`, active lanes where true.
        WaveActiveCountBits,
        /// Sum over active lanes.
        WaveActiveSum,
        /// Product over active lanes.
        WaveActiveProduct,
        /// Bitwise and over active lanes.
        WaveActiveBitAnd,
        /// Bitwise or over active lanes.
        WaveActiveBitOr,
        /// Bitwise exclusive or over active lanes.
        WaveActiveBitXor,
        /// Smallest over active lanes.
        WaveActiveMin,
        /// Largest over active lanes.
        WaveActiveMax,
        /// (bool): `uint`, lanes before this one where true.
        WavePrefixCountBits,
        /// Sum over active lanes before this one.
        WavePrefixSum,
        /// Product over active lanes before this one.
        WavePrefixProduct,
        /// (value, uint lane): the value there.
        WaveReadLaneAt,
        /// (value): that of the first active lane.
        WaveReadLaneFirst,
    }
    rows {
        "AcceptHitAndEndSearch" Foreign(0, 0, Gives::Nothing), None, "takes the hit and ends the search", since: stages::RAYS;
        "AddUint64" Library, None, "sum of 64-bit numbers, as pairs of uint";
        "AllMemoryBarrier" Barrier(true, true, false), None, "orders all memory accesses of the group";
        "AllMemoryBarrierWithGroupSync" Barrier(true, true, true), None, "orders all memory accesses and waits for the group";
        "Barrier" Special(2), None, "orders accesses to memory and waits, as its flags say", since: stages::MODEL_8;
        "CallShader" Foreign(2, 2, Gives::Nothing), None, "calls a callable shader", since: stages::RAYS, payload: true;
        "CheckAccessFullyMapped" Special(1), Some(I::CheckAccessFullyMapped), "whether all of a read was resident";
        "ClusterID" Foreign(0, 0, Gives::Uint), None, "the cluster that was hit", since: stages::RAYS;
        "D3DCOLORtoUBYTE4" Library, None, "a colour as bytes";
        "DebugBreak" Special(0), Some(I::DebugBreak), "stops in a debugger", since: stages::MODEL_10;
        "DeviceMemoryBarrier" Barrier(false, true, false), None, "orders accesses to buffers and textures";
        "DeviceMemoryBarrierWithGroupSync" Barrier(false, true, true), None, "orders accesses to buffers and textures and waits for the group";
        "DispatchMesh" Foreign(4, 4, Gives::Nothing), None, "starts mesh shaders", since: stages::AMPLIFICATION, payload: true;
        "DispatchRaysDimensions" Foreign(0, 0, Gives::Uint3), None, "size of the launch", since: stages::RAYS;
        "DispatchRaysIndex" Foreign(0, 0, Gives::Uint3), None, "index in the launch", since: stages::RAYS;
        "EvaluateAttributeAtSample" Foreign(2, 2, Gives::First), None, "an attribute at a sample", since: stages::PIXEL;
        "EvaluateAttributeCentroid" Foreign(1, 1, Gives::First), None, "an attribute at the centroid", since: stages::PIXEL;
        "EvaluateAttributeSnapped" Foreign(2, 2, Gives::First), None, "an attribute at an offset", since: stages::PIXEL;
        "GeometryIndex" Foreign(0, 0, Gives::Uint), None, "the geometry that was hit", since: stages::RAYS;
        "GetAttributeAtVertex" Foreign(2, 2, Gives::First), None, "an attribute of a vertex", since: stages::PIXEL;
        "GetGroupWaveCount" Nullary(Uint), Some(I::GroupWaveCount), "number of waves in the group", since: stages::MODEL_10;
        "GetGroupWaveIndex" Nullary(Uint), Some(I::GroupWaveIndex), "index of this wave in the group", since: stages::MODEL_10;
        "GetRemainingRecursionLevels" Foreign(0, 0, Gives::Uint), None, "how often a node may start itself", since: stages::NODES;
        "GetRenderTargetSampleCount" Foreign(0, 0, Gives::Uint), None, "number of samples", since: stages::PIXEL;
        "GetRenderTargetSamplePosition" Foreign(1, 1, Gives::Float2), None, "position of a sample", since: stages::PIXEL;
        "GroupMemoryBarrier" Barrier(true, false, false), None, "orders accesses to groupshared memory";
        "GroupMemoryBarrierWithGroupSync" Barrier(true, false, true), None, "orders accesses to groupshared memory and waits for the group";
        "HitKind" Foreign(0, 0, Gives::Uint), None, "kind of the hit", since: stages::RAYS;
        "IgnoreHit" Foreign(0, 0, Gives::Nothing), None, "goes on as if nothing was hit", since: stages::RAYS;
        "InstanceID" Foreign(0, 0, Gives::Uint), None, "number that the instance was given", since: stages::RAYS;
        "InstanceIndex" Foreign(0, 0, Gives::Uint), None, "index of the instance", since: stages::RAYS;
        "InterlockedAdd" Interlocked(AtomicOp::Add, 2, 3), None, "adds atomically";
        "InterlockedAnd" Interlocked(AtomicOp::And, 2, 3), None, "bitwise and, atomically";
        "InterlockedCompareExchange" Interlocked(AtomicOp::CompareExchange, 4, 4), None, "replaces atomically if equal, and gives the original value";
        "InterlockedCompareExchangeFloatBitwise" Interlocked(AtomicOp::CompareExchangeFloatBitwise, 4, 4), None, "replaces a float atomically if its bits are equal, and gives the original value";
        "InterlockedCompareStore" Interlocked(AtomicOp::CompareExchange, 3, 3), None, "replaces atomically if equal";
        "InterlockedCompareStoreFloatBitwise" Interlocked(AtomicOp::CompareExchangeFloatBitwise, 3, 3), None, "replaces a float atomically if its bits are equal";
        "InterlockedExchange" Interlocked(AtomicOp::Exchange, 3, 3), None, "replaces atomically and gives the original value";
        "InterlockedMax" Interlocked(AtomicOp::Max, 2, 3), None, "keeps the larger, atomically";
        "InterlockedMin" Interlocked(AtomicOp::Min, 2, 3), None, "keeps the smaller, atomically";
        "InterlockedOr" Interlocked(AtomicOp::Or, 2, 3), None, "bitwise or, atomically";
        "InterlockedXor" Interlocked(AtomicOp::Xor, 2, 3), None, "bitwise exclusive or, atomically";
        "IsHelperLane" Special(0), None, "whether this lane only helps with the derivatives of others: never here";
        "NonUniformResourceIndex" Same(Int, 1), Some(I::NonUniform), "marks a resource index as different between threads";
        "ObjectRayDirection" Foreign(0, 0, Gives::Float3), None, "direction in object space", since: stages::RAYS;
        "ObjectRayOrigin" Foreign(0, 0, Gives::Float3), None, "origin in object space", since: stages::RAYS;
        "ObjectToWorld" Foreign(0, 0, Gives::Float3x4), None, "matrix to world space", since: stages::RAYS;
        "ObjectToWorld3x4" Foreign(0, 0, Gives::Float3x4), None, "matrix to world space", since: stages::RAYS;
        "ObjectToWorld4x3" Foreign(0, 0, Gives::Float4x3), None, "matrix to world space", since: stages::RAYS;
        "PrimitiveIndex" Foreign(0, 0, Gives::Uint), None, "the primitive that was hit", since: stages::RAYS;
        "Process2DQuadTessFactorsAvg" Foreign(5, 5, Gives::Nothing), None, "tessellation factors", since: stages::HULL;
        "Process2DQuadTessFactorsMax" Foreign(5, 5, Gives::Nothing), None, "tessellation factors", since: stages::HULL;
        "Process2DQuadTessFactorsMin" Foreign(5, 5, Gives::Nothing), None, "tessellation factors", since: stages::HULL;
        "ProcessIsolineTessFactors" Foreign(4, 4, Gives::Nothing), None, "tessellation factors", since: stages::HULL;
        "ProcessQuadTessFactorsAvg" Foreign(5, 5, Gives::Nothing), None, "tessellation factors", since: stages::HULL;
        "ProcessQuadTessFactorsMax" Foreign(5, 5, Gives::Nothing), None, "tessellation factors", since: stages::HULL;
        "ProcessQuadTessFactorsMin" Foreign(5, 5, Gives::Nothing), None, "tessellation factors", since: stages::HULL;
        "ProcessTriTessFactorsAvg" Foreign(5, 5, Gives::Nothing), None, "tessellation factors", since: stages::HULL;
        "ProcessTriTessFactorsMax" Foreign(5, 5, Gives::Nothing), None, "tessellation factors", since: stages::HULL;
        "ProcessTriTessFactorsMin" Foreign(5, 5, Gives::Nothing), None, "tessellation factors", since: stages::HULL;
        "QuadAll" Library, None, "whether the condition holds on the quad";
        "QuadAny" Library, None, "whether the condition holds anywhere in the quad";
        "QuadReadAcrossDiagonal" Same(Any, 1), Some(I::QuadReadAcrossDiagonal), "the value of the quad's diagonal lane";
        "QuadReadAcrossX" Same(Any, 1), Some(I::QuadReadAcrossX), "the value of the quad's neighbour in x";
        "QuadReadAcrossY" Same(Any, 1), Some(I::QuadReadAcrossY), "the value of the quad's neighbour in y";
        "QuadReadLaneAt" ValueAndLane, Some(I::QuadReadLaneAt), "the value of a lane of the quad";
        "RayFlags" Foreign(0, 0, Gives::Uint), None, "flags of the ray", since: stages::RAYS;
        "RayTCurrent" Foreign(0, 0, Gives::Float), None, "where the ray is", since: stages::RAYS;
        "RayTMin" Foreign(0, 0, Gives::Float), None, "where the ray begins", since: stages::RAYS;
        "ReportHit" Foreign(3, 3, Gives::Bool), None, "reports a hit", since: stages::RAYS, payload: true;
        "SetMeshOutputCounts" Foreign(2, 2, Gives::Nothing), None, "how many vertices and primitives there are", since: stages::MESH;
        "TraceRay" Foreign(8, 8, Gives::Nothing), None, "traces a ray", since: stages::RAYS, payload: true;
        "TriangleObjectPositions" Foreign(0, 0, Gives::Positions), None, "corners of the triangle that was hit", since: stages::RAYS;
        "WaveActiveAllEqual" ToBool(Any, 1), Some(I::WaveActiveAllEqual), "whether the value is equal on all active lanes";
        "WaveActiveAllTrue" OneBool, Some(I::WaveActiveAllTrue), "whether the condition holds on all active lanes";
        "WaveActiveAnyTrue" OneBool, Some(I::WaveActiveAnyTrue), "whether the condition holds on any active lane";
        "WaveActiveBallot" OneBool, Some(I::WaveActiveBallot), "a bit for each active lane where the condition holds";
        "WaveActiveBitAnd" Same(Int, 1), Some(I::WaveActiveBitAnd), "bitwise and over active lanes", sign: Sign::Unsigned;
        "WaveActiveBitOr" Same(Int, 1), Some(I::WaveActiveBitOr), "bitwise or over active lanes", sign: Sign::Unsigned;
        "WaveActiveBitXor" Same(Int, 1), Some(I::WaveActiveBitXor), "bitwise exclusive or over active lanes", sign: Sign::Unsigned;
        "WaveActiveCountBits" OneBool, Some(I::WaveActiveCountBits), "number of active lanes where the condition holds";
        "WaveActiveMax" Same(Number, 1), Some(I::WaveActiveMax), "largest value over active lanes";
        "WaveActiveMin" Same(Number, 1), Some(I::WaveActiveMin), "smallest value over active lanes";
        "WaveActiveProduct" Same(Number, 1), Some(I::WaveActiveProduct), "product over active lanes";
        "WaveActiveSum" Same(Number, 1), Some(I::WaveActiveSum), "sum over active lanes";
        "WaveGetLaneCount" Nullary(Uint), Some(I::WaveGetLaneCount), "number of lanes of a wave";
        "WaveGetLaneIndex" Nullary(Uint), Some(I::WaveGetLaneIndex), "index of this lane";
        "WaveIsFirstLane" Nullary(Bool), Some(I::WaveIsFirstLane), "whether this is the first active lane";
        "WaveMatch" Library, None, "the lanes that have the same value";
        "WaveMultiPrefixBitAnd" Library, None, "bitwise and over the lanes of a mask before this one";
        "WaveMultiPrefixBitOr" Library, None, "bitwise or over the lanes of a mask before this one";
        "WaveMultiPrefixBitXor" Library, None, "bitwise exclusive or over the lanes of a mask before this one";
        "WaveMultiPrefixCountBits" Library, None, "number of lanes of a mask before this one where the condition holds";
        "WaveMultiPrefixProduct" Library, None, "product over the lanes of a mask before this one";
        "WaveMultiPrefixSum" Library, None, "sum over the lanes of a mask before this one";
        "WavePrefixCountBits" OneBool, Some(I::WavePrefixCountBits), "number of lanes before this one where the condition holds";
        "WavePrefixProduct" Same(Number, 1), Some(I::WavePrefixProduct), "product over active lanes before this one";
        "WavePrefixSum" Same(Number, 1), Some(I::WavePrefixSum), "sum over active lanes before this one";
        "WaveReadLaneAt" ValueAndLane, Some(I::WaveReadLaneAt), "the value of another lane";
        "WaveReadLaneFirst" Same(Any, 1), Some(I::WaveReadLaneFirst), "the value of the first active lane";
        "WorldRayDirection" Foreign(0, 0, Gives::Float3), None, "direction in world space", since: stages::RAYS;
        "WorldRayOrigin" Foreign(0, 0, Gives::Float3), None, "origin in world space", since: stages::RAYS;
        "WorldToObject" Foreign(0, 0, Gives::Float3x4), None, "matrix to object space", since: stages::RAYS;
        "WorldToObject3x4" Foreign(0, 0, Gives::Float3x4), None, "matrix to object space", since: stages::RAYS;
        "WorldToObject4x3" Foreign(0, 0, Gives::Float4x3), None, "matrix to object space", since: stages::RAYS;
        "abort" Unsupported, None, "ends the program";
        "abs" Same(Number, 1), Some(I::Abs), "absolute value";
        "acos" Same(Float, 1), Some(I::Acos), "arc cosine", widths: Widths::TO_32;
        "all" ToOneBool, Some(I::All), "whether all components are non-zero";
        "and" Same(Bool, 2), None, "logical and, component by component";
        "any" ToOneBool, Some(I::Any), "whether any component is non-zero";
        "asdouble" Library, None, "two halves of the bits as a double";
        "asfloat" Bits(Scalar::F32), None, "the bits as float";
        "asfloat16" Bits(Scalar::F16), None, "the bits as float16_t";
        "asin" Same(Float, 1), Some(I::Asin), "arc sine", widths: Widths::TO_32;
        "asint" Bits(Scalar::I32), None, "the bits as int";
        "asint16" Bits(Scalar::I16), None, "the bits as int16_t";
        "asuint" Bits(Scalar::U32), None, "the bits as uint", library: true;
        "asuint16" Bits(Scalar::U16), None, "the bits as uint16_t";
        "atan" Same(Float, 1), Some(I::Atan), "arc tangent", widths: Widths::TO_32;
        "atan2" Same(Float, 2), Some(I::Atan2), "arc tangent of y and x", widths: Widths::TO_32;
        "ceil" Same(Float, 1), Some(I::Ceil), "rounds up";
        "clamp" Same(Number, 3), Some(I::Clamp), "limits a value to a range";
        "clip" Foreign(1, 1, Gives::Nothing), None, "discards a pixel if negative", since: stages::PIXEL;
        "cos" Same(Float, 1), Some(I::Cos), "cosine", widths: Widths::TO_32;
        "cosh" Same(Float, 1), Some(I::Cosh), "hyperbolic cosine", widths: Widths::TO_32;
        "countbits" ToUint(Int, 1), Some(I::CountBits), "number of bits that are set", widths: Widths::ONLY_32, library: true;
        "cross" Cross, Some(I::Cross), "cross product";
        "ddx" Same(Float, 1), Some(I::Ddx), "partial derivative in x", widths: Widths::ONLY_32, since: stages::DERIVATIVES;
        "ddx_coarse" Same(Float, 1), Some(I::DdxCoarse), "partial derivative in x", widths: Widths::ONLY_32, since: stages::DERIVATIVES;
        "ddx_fine" Same(Float, 1), Some(I::DdxFine), "partial derivative in x", widths: Widths::ONLY_32, since: stages::DERIVATIVES;
        "ddy" Same(Float, 1), Some(I::Ddy), "partial derivative in y", widths: Widths::ONLY_32, since: stages::DERIVATIVES;
        "ddy_coarse" Same(Float, 1), Some(I::DdyCoarse), "partial derivative in y", widths: Widths::ONLY_32, since: stages::DERIVATIVES;
        "ddy_fine" Same(Float, 1), Some(I::DdyFine), "partial derivative in y", widths: Widths::ONLY_32, since: stages::DERIVATIVES;
        "degrees" Same(Float, 1), Some(I::Degrees), "radians to degrees", widths: Widths::TO_32;
        "determinant" Matrix, Some(I::Determinant), "determinant of a square matrix";
        "distance" Reduce(Float, 2), Some(I::Distance), "distance between two points";
        "dot" Reduce(Number, 2), Some(I::Dot), "dot product";
        "dot2add" Library, None, "dot product of pairs, added";
        "dot4add_i8packed" Library, None, "dot product of packed signed bytes, added";
        "dot4add_u8packed" Library, None, "dot product of packed unsigned bytes, added";
        "dst" Library, None, "distance vector";
        "dx::HitObject::FromRayQuery" Foreign(1, 3, Gives::Object(stages::HIT)), None, "the hit of a query", since: stages::RAYS;
        "dx::HitObject::Invoke" Foreign(2, 2, Gives::Nothing), None, "runs the shader of the hit", since: stages::RAYS, payload: true;
        "dx::HitObject::MakeMiss" Foreign(3, 3, Gives::Object(stages::HIT)), None, "a miss", since: stages::RAYS;
        "dx::HitObject::MakeNop" Foreign(0, 0, Gives::Object(stages::HIT)), None, "neither hit nor miss", since: stages::RAYS;
        "dx::HitObject::TraceRay" Foreign(8, 8, Gives::Object(stages::HIT)), None, "traces a ray", since: stages::RAYS, payload: true;
        "dx::MaybeReorderThread" Foreign(1, 3, Gives::Nothing), None, "may sort the threads", since: stages::RAYS;
        "errorf" Unsupported, None, "reports an error";
        "exp" Same(Float, 1), Some(I::Exp), "e to the power", widths: Widths::TO_32;
        "exp2" Same(Float, 1), Some(I::Exp2), "2 to the power", widths: Widths::TO_32;
        "f16tof32" Special(1), None, "a half in the low 16 bits to float";
        "f32tof16" Special(1), None, "a float to a half in the low 16 bits";
        "faceforward" Same(Float, 3), Some(I::FaceForward), "turns a normal towards the viewer";
        "firstbithigh" ToUint(Int, 1), Some(I::FirstBitHigh), "highest bit that is set", widths: Widths::ONLY_32, library: true;
        "firstbitlow" ToUint(Int, 1), Some(I::FirstBitLow), "lowest bit that is set", widths: Widths::ONLY_32, library: true;
        "floor" Same(Float, 1), Some(I::Floor), "rounds down";
        "fma" Same(Float, 3), Some(I::Fma), "a*b+c with one rounding", widths: Widths::ONLY_64;
        "fmod" Same(Float, 2), Some(I::Fmod), "remainder";
        "frac" Same(Float, 1), Some(I::Frac), "fractional part";
        "frexp" Special(2), None, "splits into significand and exponent";
        "fwidth" Same(Float, 1), Some(I::Fwidth), "sum of absolute partial derivatives", widths: Widths::ONLY_32, since: stages::DERIVATIVES;
        "isfinite" ToBool(Float, 1), Some(I::IsFinite), "whether neither infinite nor NaN";
        "isinf" ToBool(Float, 1), Some(I::IsInf), "whether infinite";
        "isnan" ToBool(Float, 1), Some(I::IsNan), "whether not a number";
        "isnormal" Library, None, "whether neither zero, subnormal, infinite nor NaN";
        "ldexp" Same(Float, 2), Some(I::Ldexp), "x times 2 to the power";
        "length" Reduce(Float, 1), Some(I::Length), "length of a vector";
        "lerp" Same(Float, 3), Some(I::Lerp), "linear interpolation";
        "lit" Library, None, "lighting coefficients";
        "log" Same(Float, 1), Some(I::Log), "natural logarithm", widths: Widths::TO_32;
        "log10" Same(Float, 1), Some(I::Log10), "decimal logarithm", widths: Widths::TO_32;
        "log2" Same(Float, 1), Some(I::Log2), "binary logarithm", widths: Widths::TO_32;
        "mad" Same(Number, 3), Some(I::Mad), "a*b+c";
        "max" Same(Number, 2), Some(I::Max), "the larger";
        "min" Same(Number, 2), Some(I::Min), "the smaller";
        "modf" Special(2), None, "splits into whole and fractional part";
        "msad4" Library, None, "masked sums of absolute differences";
        "mul" Special(2), None, "product of matrices, vectors and scalars";
        "normalize" Same(Float, 1), Some(I::Normalize), "the vector with length 1";
        "or" Same(Bool, 2), None, "logical or, component by component";
        "pack_clamp_s8" Library, None, "packs limited signed bytes", sign: Sign::Signed;
        "pack_clamp_u8" Library, None, "packs limited unsigned bytes", sign: Sign::Signed;
        "pack_s8" Library, None, "packs signed bytes";
        "pack_u8" Library, None, "packs unsigned bytes";
        "pow" Same(Float, 2), Some(I::Pow), "power", widths: Widths::TO_32;
        "printf" Unsupported, None, "prints";
        "radians" Same(Float, 1), Some(I::Radians), "degrees to radians", widths: Widths::TO_32;
        "rcp" Same(Float, 1), Some(I::Rcp), "reciprocal";
        "reflect" Same(Float, 2), Some(I::Reflect), "reflection vector";
        "refract" Special(3), Some(I::Refract), "refraction vector";
        "reversebits" Same(Int, 1), Some(I::ReverseBits), "reverses the order of bits", widths: Widths::ONLY_32, library: true;
        "round" Same(Float, 1), Some(I::Round), "rounds to nearest, ties to even";
        "rsqrt" Same(Float, 1), Some(I::Rsqrt), "reciprocal square root";
        "saturate" Same(Float, 1), Some(I::Saturate), "limits to 0..1";
        "select" Special(3), None, "one of two values by a condition, component by component";
        "sign" ToInt(Number, 1), Some(I::Sign), "sign";
        "sin" Same(Float, 1), Some(I::Sin), "sine", widths: Widths::TO_32;
        "sincos" Special(3), None, "sine and cosine";
        "sinh" Same(Float, 1), Some(I::Sinh), "hyperbolic sine", widths: Widths::TO_32;
        "smoothstep" Same(Float, 3), Some(I::SmoothStep), "smooth interpolation between 0 and 1";
        "sqrt" Same(Float, 1), Some(I::Sqrt), "square root";
        "step" Same(Float, 2), Some(I::Step), "0 or 1 by an edge";
        "tan" Same(Float, 1), Some(I::Tan), "tangent", widths: Widths::TO_32;
        "tanh" Same(Float, 1), Some(I::Tanh), "hyperbolic tangent", widths: Widths::TO_32;
        "tex1D" Unsupported, None, "samples a texture (Direct3D 9)";
        "tex2D" Unsupported, None, "samples a texture (Direct3D 9)";
        "tex3D" Unsupported, None, "samples a texture (Direct3D 9)";
        "texCUBE" Unsupported, None, "samples a texture (Direct3D 9)";
        "transpose" Special(1), Some(I::Transpose), "transposes a matrix";
        "trunc" Same(Float, 1), Some(I::Trunc), "rounds towards zero";
        "unpack_s8s16" Library, None, "packed bytes as int16_t4";
        "unpack_s8s32" Library, None, "packed bytes as int4";
        "unpack_u8u16" Library, None, "packed bytes as uint16_t4";
        "unpack_u8u32" Library, None, "packed bytes as uint4";
    }
}

#[cfg(test)]
mod tests {
    use super::{ROWS, Row, Shape, Sign, Widths};
    use crate::hlsl::headers;
    use crate::hlsl::stages::StageSet;

    /// What is looked at to say what compiles: one list for each column.
    #[test]
    fn columns_say_who_has_what() {
        let names =
            |f: &dyn Fn(&Row) -> bool| -> Vec<_> { ROWS.iter().filter(|r| f(r)).map(|r| r.name).collect() };
        let later = names(&|r| r.since(StageSet::COMPUTE).is_some_and(|minor| minor > 6));
        assert_eq!(later, ["Barrier", "DebugBreak", "GetGroupWaveCount", "GetGroupWaveIndex"]);
        let derivatives = ["ddx", "ddx_coarse", "ddx_fine", "ddy", "ddy_coarse", "ddy_fine", "fwidth"];
        assert_eq!(names(&|r| r.since(StageSet::COMPUTE) == Some(6)), derivatives);
        let by_width = ["asuint", "countbits", "firstbithigh", "firstbitlow", "reversebits"];
        assert_eq!(names(&|r| r.library), by_width);
        assert_eq!(names(&|r| r.widths == Widths::ONLY_64), ["fma"]);
        let bits = ["WaveActiveBitAnd", "WaveActiveBitOr", "WaveActiveBitXor"];
        assert_eq!(names(&|r| r.sign == Sign::Unsigned), bits);
        assert_eq!(names(&|r| r.sign == Sign::Signed), ["pack_clamp_s8", "pack_clamp_u8"]);
        // What no compute shader has is declared only.
        let foreign = |r: &Row| matches!(r.shape, Shape::Foreign(..));
        assert!(ROWS.iter().all(|r| r.since(StageSet::COMPUTE).is_none() == foreign(r)));
    }

    #[test]
    fn the_library_has_what_the_rows_say() {
        for row in ROWS.iter().filter(|r| r.shape == Shape::Library || r.library) {
            assert!(headers::LIBRARY.contains(&format!("{}(", row.name)), "{}", row.name);
        }
    }

    #[test]
    fn rows_are_sorted_so_that_binary_search_finds_them() {
        assert!(ROWS.windows(2).all(|w| w[0].name < w[1].name));
        assert!(ROWS.iter().all(|r| std::ptr::eq(super::find(r.name).unwrap(), r)));
    }
}
