//! The intrinsic functions of HLSL: one row each.
//!
//! A row says how its overloads are shaped ([`Shape`]), which HIR operation it is ([`Intrinsic`]), where it may be used, and
//! what it does. The checker (`sema::intrinsics`) reads nothing but these rows, except for [`Shape::Special`].

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
    /// An atomic function on a place.
    Interlocked,
    /// Has a checker of its own.
    Special,
    /// Recognised, but only pixel shaders have it: using it is an error that says so.
    PixelOnly,
    /// Recognised, but not implemented: using it is an error that says so.
    Unsupported,
}

/// A row of the table. What the compiler does is in its columns: the text decides nothing.
#[derive(Debug)]
pub struct Row {
    /// Name in HLSL.
    pub name: &'static str,
    /// Overloads.
    pub shape: Shape,
    /// The HIR operation, where there is exactly one.
    pub op: Option<Intrinsic>,
    /// What it does, for people.
    pub doc: &'static str,
}

macro_rules! intrinsics {
    (ops { $($(#[doc = $odoc:literal])* $op:ident,)* } rows { $($name:literal $shape:expr, $hir:expr, $doc:literal;)* }) => {
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
            use Shape::*;
            use Intrinsic as I;
            &[$(Row { name: $name, shape: $shape, op: $hir, doc: $doc },)*]
        };
    };
}

impl Intrinsic {
    /// Whether it is a difference between threads of a quad; of 32-bit floats.
    pub fn is_derivative(self) -> bool {
        use Intrinsic::*;
        matches!(self, Ddx | DdxCoarse | DdxFine | Ddy | DdyCoarse | DdyFine | Fwidth)
    }

    /// Whether an operation on floats is one on doubles too.
    pub fn takes_doubles(self) -> bool {
        use Intrinsic::*;
        let narrow = matches!(
            self,
            Acos | Asin
                | Atan
                | Atan2
                | Cos
                | Cosh
                | Degrees
                | Exp
                | Exp2
                | Log
                | Log2
                | Log10
                | Pow
                | Radians
                | Sin
                | Sinh
                | Tan
                | Tanh
        );
        !narrow && !self.is_derivative()
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
        "AllMemoryBarrier" Barrier(true, true, false), None, "orders all memory accesses of the group";
        "AllMemoryBarrierWithGroupSync" Barrier(true, true, true), None, "orders all memory accesses and waits for the group";
        "Barrier" Special, None, "orders accesses to memory and waits, as its flags say";
        "CheckAccessFullyMapped" Special, Some(I::CheckAccessFullyMapped), "whether all of a read was resident";
        "DebugBreak" Special, Some(I::DebugBreak), "stops in a debugger";
        "DeviceMemoryBarrier" Barrier(false, true, false), None, "orders accesses to buffers and textures";
        "DeviceMemoryBarrierWithGroupSync" Barrier(false, true, true), None, "orders accesses to buffers and textures and waits for the group";
        "GetGroupWaveCount" Nullary(Uint), Some(I::GroupWaveCount), "number of waves in the group";
        "GetGroupWaveIndex" Nullary(Uint), Some(I::GroupWaveIndex), "index of this wave in the group";
        "GroupMemoryBarrier" Barrier(true, false, false), None, "orders accesses to groupshared memory";
        "GroupMemoryBarrierWithGroupSync" Barrier(true, false, true), None, "orders accesses to groupshared memory and waits for the group";
        "InterlockedAdd" Interlocked, None, "adds atomically";
        "InterlockedAnd" Interlocked, None, "bitwise and, atomically";
        "InterlockedCompareExchange" Interlocked, None, "replaces atomically if equal, and gives the original value";
        "InterlockedCompareExchangeFloatBitwise" Interlocked, None, "replaces a float atomically if its bits are equal, and gives the original value";
        "InterlockedCompareStore" Interlocked, None, "replaces atomically if equal";
        "InterlockedCompareStoreFloatBitwise" Interlocked, None, "replaces a float atomically if its bits are equal";
        "InterlockedExchange" Interlocked, None, "replaces atomically and gives the original value";
        "InterlockedMax" Interlocked, None, "keeps the larger, atomically";
        "InterlockedMin" Interlocked, None, "keeps the smaller, atomically";
        "InterlockedOr" Interlocked, None, "bitwise or, atomically";
        "InterlockedXor" Interlocked, None, "bitwise exclusive or, atomically";
        "IsHelperLane" Special, None, "whether this lane only helps with the derivatives of others: never here";
        "NonUniformResourceIndex" Same(Int, 1), Some(I::NonUniform), "marks a resource index as different between threads";
        "QuadReadAcrossDiagonal" Same(Any, 1), Some(I::QuadReadAcrossDiagonal), "the value of the quad's diagonal lane";
        "QuadReadAcrossX" Same(Any, 1), Some(I::QuadReadAcrossX), "the value of the quad's neighbour in x";
        "QuadReadAcrossY" Same(Any, 1), Some(I::QuadReadAcrossY), "the value of the quad's neighbour in y";
        "QuadReadLaneAt" ValueAndLane, Some(I::QuadReadLaneAt), "the value of a lane of the quad";
        "WaveActiveAllEqual" ToBool(Any, 1), Some(I::WaveActiveAllEqual), "whether the value is equal on all active lanes";
        "WaveActiveAllTrue" OneBool, Some(I::WaveActiveAllTrue), "whether the condition holds on all active lanes";
        "WaveActiveAnyTrue" OneBool, Some(I::WaveActiveAnyTrue), "whether the condition holds on any active lane";
        "WaveActiveBallot" OneBool, Some(I::WaveActiveBallot), "a bit for each active lane where the condition holds";
        "WaveActiveBitAnd" Same(Int, 1), Some(I::WaveActiveBitAnd), "bitwise and over active lanes";
        "WaveActiveBitOr" Same(Int, 1), Some(I::WaveActiveBitOr), "bitwise or over active lanes";
        "WaveActiveBitXor" Same(Int, 1), Some(I::WaveActiveBitXor), "bitwise exclusive or over active lanes";
        "WaveActiveCountBits" OneBool, Some(I::WaveActiveCountBits), "number of active lanes where the condition holds";
        "WaveActiveMax" Same(Number, 1), Some(I::WaveActiveMax), "largest value over active lanes";
        "WaveActiveMin" Same(Number, 1), Some(I::WaveActiveMin), "smallest value over active lanes";
        "WaveActiveProduct" Same(Number, 1), Some(I::WaveActiveProduct), "product over active lanes";
        "WaveActiveSum" Same(Number, 1), Some(I::WaveActiveSum), "sum over active lanes";
        "WaveGetLaneCount" Nullary(Uint), Some(I::WaveGetLaneCount), "number of lanes of a wave";
        "WaveGetLaneIndex" Nullary(Uint), Some(I::WaveGetLaneIndex), "index of this lane";
        "WaveIsFirstLane" Nullary(Bool), Some(I::WaveIsFirstLane), "whether this is the first active lane";
        "WavePrefixCountBits" OneBool, Some(I::WavePrefixCountBits), "number of lanes before this one where the condition holds";
        "WavePrefixProduct" Same(Number, 1), Some(I::WavePrefixProduct), "product over active lanes before this one";
        "WavePrefixSum" Same(Number, 1), Some(I::WavePrefixSum), "sum over active lanes before this one";
        "WaveReadLaneAt" ValueAndLane, Some(I::WaveReadLaneAt), "the value of another lane";
        "WaveReadLaneFirst" Same(Any, 1), Some(I::WaveReadLaneFirst), "the value of the first active lane";
        "abort" Unsupported, None, "ends the program";
        "abs" Same(Number, 1), Some(I::Abs), "absolute value";
        "acos" Same(Float, 1), Some(I::Acos), "arc cosine";
        "all" ToOneBool, Some(I::All), "whether all components are non-zero";
        "and" Same(Bool, 2), None, "logical and, component by component";
        "any" ToOneBool, Some(I::Any), "whether any component is non-zero";
        "asfloat" Special, None, "the bits as float";
        "asfloat16" Special, None, "the bits as float16_t";
        "asin" Same(Float, 1), Some(I::Asin), "arc sine";
        "asint" Special, None, "the bits as int";
        "asint16" Special, None, "the bits as int16_t";
        "asuint" Special, None, "the bits as uint";
        "asuint16" Special, None, "the bits as uint16_t";
        "atan" Same(Float, 1), Some(I::Atan), "arc tangent";
        "atan2" Same(Float, 2), Some(I::Atan2), "arc tangent of y and x";
        "ceil" Same(Float, 1), Some(I::Ceil), "rounds up";
        "clamp" Same(Number, 3), Some(I::Clamp), "limits a value to a range";
        "clip" PixelOnly, None, "discards a pixel if negative";
        "cos" Same(Float, 1), Some(I::Cos), "cosine";
        "cosh" Same(Float, 1), Some(I::Cosh), "hyperbolic cosine";
        "countbits" ToUint(Int, 1), Some(I::CountBits), "number of bits that are set";
        "cross" Cross, Some(I::Cross), "cross product";
        "ddx" Same(Float, 1), Some(I::Ddx), "partial derivative in x";
        "ddx_coarse" Same(Float, 1), Some(I::DdxCoarse), "partial derivative in x";
        "ddx_fine" Same(Float, 1), Some(I::DdxFine), "partial derivative in x";
        "ddy" Same(Float, 1), Some(I::Ddy), "partial derivative in y";
        "ddy_coarse" Same(Float, 1), Some(I::DdyCoarse), "partial derivative in y";
        "ddy_fine" Same(Float, 1), Some(I::DdyFine), "partial derivative in y";
        "degrees" Same(Float, 1), Some(I::Degrees), "radians to degrees";
        "determinant" Matrix, Some(I::Determinant), "determinant of a square matrix";
        "distance" Reduce(Float, 2), Some(I::Distance), "distance between two points";
        "dot" Reduce(Number, 2), Some(I::Dot), "dot product";
        "errorf" Unsupported, None, "reports an error";
        "exp" Same(Float, 1), Some(I::Exp), "e to the power";
        "exp2" Same(Float, 1), Some(I::Exp2), "2 to the power";
        "f16tof32" Special, None, "a half in the low 16 bits to float";
        "f32tof16" Special, None, "a float to a half in the low 16 bits";
        "faceforward" Same(Float, 3), Some(I::FaceForward), "turns a normal towards the viewer";
        "firstbithigh" ToUint(Int, 1), Some(I::FirstBitHigh), "highest bit that is set";
        "firstbitlow" ToUint(Int, 1), Some(I::FirstBitLow), "lowest bit that is set";
        "floor" Same(Float, 1), Some(I::Floor), "rounds down";
        "fma" Same(Float, 3), Some(I::Fma), "a*b+c with one rounding";
        "fmod" Same(Float, 2), Some(I::Fmod), "remainder";
        "frac" Same(Float, 1), Some(I::Frac), "fractional part";
        "frexp" Special, None, "splits into significand and exponent";
        "fwidth" Same(Float, 1), Some(I::Fwidth), "sum of absolute partial derivatives";
        "isfinite" ToBool(Float, 1), Some(I::IsFinite), "whether neither infinite nor NaN";
        "isinf" ToBool(Float, 1), Some(I::IsInf), "whether infinite";
        "isnan" ToBool(Float, 1), Some(I::IsNan), "whether not a number";
        "ldexp" Same(Float, 2), Some(I::Ldexp), "x times 2 to the power";
        "length" Reduce(Float, 1), Some(I::Length), "length of a vector";
        "lerp" Same(Float, 3), Some(I::Lerp), "linear interpolation";
        "log" Same(Float, 1), Some(I::Log), "natural logarithm";
        "log10" Same(Float, 1), Some(I::Log10), "decimal logarithm";
        "log2" Same(Float, 1), Some(I::Log2), "binary logarithm";
        "mad" Same(Number, 3), Some(I::Mad), "a*b+c";
        "max" Same(Number, 2), Some(I::Max), "the larger";
        "min" Same(Number, 2), Some(I::Min), "the smaller";
        "modf" Special, None, "splits into whole and fractional part";
        "mul" Special, None, "product of matrices, vectors and scalars";
        "normalize" Same(Float, 1), Some(I::Normalize), "the vector with length 1";
        "or" Same(Bool, 2), None, "logical or, component by component";
        "pow" Same(Float, 2), Some(I::Pow), "power";
        "printf" Unsupported, None, "prints";
        "radians" Same(Float, 1), Some(I::Radians), "degrees to radians";
        "rcp" Same(Float, 1), Some(I::Rcp), "reciprocal";
        "reflect" Same(Float, 2), Some(I::Reflect), "reflection vector";
        "refract" Special, None, "refraction vector";
        "reversebits" Same(Int, 1), Some(I::ReverseBits), "reverses the order of bits";
        "round" Same(Float, 1), Some(I::Round), "rounds to nearest, ties to even";
        "rsqrt" Same(Float, 1), Some(I::Rsqrt), "reciprocal square root";
        "saturate" Same(Float, 1), Some(I::Saturate), "limits to 0..1";
        "select" Special, None, "one of two values by a condition, component by component";
        "sign" Special, None, "sign";
        "sin" Same(Float, 1), Some(I::Sin), "sine";
        "sincos" Special, None, "sine and cosine";
        "sinh" Same(Float, 1), Some(I::Sinh), "hyperbolic sine";
        "smoothstep" Same(Float, 3), Some(I::SmoothStep), "smooth interpolation between 0 and 1";
        "sqrt" Same(Float, 1), Some(I::Sqrt), "square root";
        "step" Same(Float, 2), Some(I::Step), "0 or 1 by an edge";
        "tan" Same(Float, 1), Some(I::Tan), "tangent";
        "tanh" Same(Float, 1), Some(I::Tanh), "hyperbolic tangent";
        "tex1D" Unsupported, None, "samples a texture (Direct3D 9)";
        "tex2D" Unsupported, None, "samples a texture (Direct3D 9)";
        "tex3D" Unsupported, None, "samples a texture (Direct3D 9)";
        "texCUBE" Unsupported, None, "samples a texture (Direct3D 9)";
        "transpose" Special, None, "transposes a matrix";
        "trunc" Same(Float, 1), Some(I::Trunc), "rounds towards zero";
    }
}

#[cfg(test)]
mod tests {
    use super::{Intrinsic, ROWS, Shape};

    #[test]
    fn columns_and_not_texts_say_what_other_stages_have() {
        let names = |f: &dyn Fn(&super::Row) -> bool| -> Vec<_> {
            ROWS.iter().filter(|r| f(r)).map(|r| r.name).collect()
        };
        assert_eq!(names(&|r| r.shape == Shape::PixelOnly), ["clip"]);
        let derivatives = ["ddx", "ddx_coarse", "ddx_fine", "ddy", "ddy_coarse", "ddy_fine", "fwidth"];
        assert_eq!(names(&|r| r.op.is_some_and(Intrinsic::is_derivative)), derivatives);
    }

    #[test]
    fn rows_are_sorted_so_that_binary_search_finds_them() {
        assert!(super::ROWS.windows(2).all(|w| w[0].name < w[1].name));
        assert!(super::ROWS.iter().all(|r| std::ptr::eq(super::find(r.name).unwrap(), r)));
    }
}
