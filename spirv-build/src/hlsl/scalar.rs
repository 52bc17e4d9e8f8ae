//! Scalar types.

/// Scalar types.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Scalar {
    /// `bool`.
    Bool,
    /// `int16_t`.
    I16,
    /// `uint16_t`.
    U16,
    /// `int`.
    I32,
    /// `uint`.
    U32,
    /// `int64_t`.
    I64,
    /// `uint64_t`.
    U64,
    /// `float16_t`, `half` with 16-bit types enabled.
    F16,
    /// `float`.
    F32,
    /// `double`.
    F64,
    /// `min16int` (and `min12int`): a 32-bit `int` of relaxed precision.
    MinI16,
    /// `min16uint`: a 32-bit `uint` of relaxed precision.
    MinU16,
    /// `min16float` (and `min10float`): a 32-bit `float` of relaxed precision.
    MinF16,
    /// The type of an integer literal without suffix, until its use decides.
    LitInt,
    /// The type of a floating literal without suffix, until its use decides.
    LitFloat,
    // Twins: types that are others by another name, and distinct from those only for overloads and templates. They exist while
    // a program is checked that needs the distinction, and are gone from its module.
    /// `half` without 16-bit types.
    Half,
    /// `min10float`.
    Min10Float,
    /// `min12int`.
    Min12Int,
    /// `min16float` with 16-bit types.
    NativeMin16Float,
    /// `min10float` with 16-bit types.
    NativeMin10Float,
    /// `min16int` with 16-bit types.
    NativeMin16Int,
    /// `min12int` with 16-bit types.
    NativeMin12Int,
    /// `min16uint` with 16-bit types.
    NativeMin16Uint,
    /// `int8_t4_packed`.
    PackedS8,
    /// `uint8_t4_packed`.
    PackedU8,
}

impl Scalar {
    /// What it is once names no longer matter: itself unless it is a twin.
    #[inline]
    pub fn canonical(self) -> Self {
        if self.is_twin() { self.without_name() } else { self }
    }

    fn without_name(self) -> Self {
        match self {
            Self::Half => Self::F32,
            Self::Min10Float => Self::MinF16,
            Self::Min12Int => Self::MinI16,
            Self::NativeMin16Float | Self::NativeMin10Float => Self::F16,
            Self::NativeMin16Int | Self::NativeMin12Int => Self::I16,
            Self::NativeMin16Uint => Self::U16,
            Self::PackedS8 => Self::I32,
            Self::PackedU8 => Self::U32,
            s => s,
        }
    }

    /// Whether it is another type by another name.
    #[inline]
    pub fn is_twin(self) -> bool {
        self > Self::LitFloat
    }

    /// Whether its name asks for at least so many bits only.
    pub fn is_minimum(self) -> bool {
        self.is_relaxed() || self > Self::Half && self < Self::PackedS8
    }

    /// Whether it is a floating-point type.
    pub fn is_float(self) -> bool {
        matches!(self.canonical(), Self::F16 | Self::F32 | Self::F64 | Self::MinF16 | Self::LitFloat)
    }

    /// Whether it is an integer type (not `bool`).
    pub fn is_int(self) -> bool {
        !self.is_float() && self != Self::Bool
    }

    /// Whether it is a signed integer type.
    pub fn is_signed_int(self) -> bool {
        matches!(self.canonical(), Self::I16 | Self::I32 | Self::I64 | Self::MinI16 | Self::LitInt)
    }

    /// Whether it is an unsigned integer type.
    pub fn is_unsigned_int(self) -> bool {
        self.is_int() && !self.is_signed_int()
    }

    /// Bits of a value in registers and memory; `bool` takes 32 in memory.
    pub fn bits(self) -> u32 {
        match self.canonical() {
            Self::I16 | Self::U16 | Self::F16 => 16,
            Self::I64 | Self::U64 | Self::F64 => 64,
            _ => 32,
        }
    }

    /// Whether the value may be computed with reduced precision.
    pub fn is_relaxed(self) -> bool {
        matches!(self.canonical(), Self::MinI16 | Self::MinU16 | Self::MinF16)
    }

    /// The name in HLSL.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::I16 => "int16_t",
            Self::U16 => "uint16_t",
            Self::I32 => "int",
            Self::U32 => "uint",
            Self::I64 => "int64_t",
            Self::U64 => "uint64_t",
            Self::F16 => "half",
            Self::F32 => "float",
            Self::F64 => "double",
            Self::MinI16 => "min16int",
            Self::MinU16 => "min16uint",
            Self::MinF16 => "min16float",
            Self::LitInt => "literal int",
            Self::LitFloat => "literal float",
            Self::Half => "half",
            Self::Min10Float | Self::NativeMin10Float => "min10float",
            Self::Min12Int | Self::NativeMin12Int => "min12int",
            Self::NativeMin16Float => "min16float",
            Self::NativeMin16Int => "min16int",
            Self::NativeMin16Uint => "min16uint",
            Self::PackedS8 => "int8_t4_packed",
            Self::PackedU8 => "uint8_t4_packed",
        }
    }
}
