//! Scalar types.
//!
//! Types that are computed in the same way but have names of their own (`half` and `float`, `min10float` and `min16float`) are
//! distinct: overloads and templates tell them apart, and messages say what was written. Lowering takes the names away
//! ([`Scalar::erased`]).

/// What kind of number a scalar is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Bool,
    Signed,
    Unsigned,
    Float,
}

/// What is known of a scalar.
struct Facts {
    name: &'static str,
    kind: Kind,
    bits: u8,
    /// How many bits its name asks for at least, if that is all that it does.
    least: u8,
    erased: Scalar,
    native: Scalar,
}

macro_rules! scalars {
    ($($(#[doc = $doc:literal])* $id:ident $name:literal $kind:ident $bits:literal
        $(least $least:literal)? $(erased $erased:ident)? $(native $native:ident)?;)*) => {
        /// Scalar types.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Scalar { $($(#[doc = $doc])* $id,)* }

        impl Scalar {
            /// All of them, in the order of their numbers.
            pub const ALL: &'static [Scalar] = &[$(Scalar::$id),*];
        }

        static FACTS: [Facts; Scalar::ALL.len()] = [$(Facts {
            name: $name,
            kind: Kind::$kind,
            bits: $bits,
            least: 0 $(+ $least)?,
            erased: scalars!(@or $id $($erased)?),
            native: scalars!(@or $id $($native)?),
        }),*];
    };
    (@or $id:ident) => { Scalar::$id };
    (@or $id:ident $other:ident) => { Scalar::$other };
}

scalars! {
    /// `bool`.
    Bool "bool" Bool 32;
    /// `int16_t`.
    I16 "int16_t" Signed 16;
    /// `uint16_t`.
    U16 "uint16_t" Unsigned 16;
    /// `int`.
    I32 "int" Signed 32;
    /// `uint`.
    U32 "uint" Unsigned 32;
    /// `int64_t`.
    I64 "int64_t" Signed 64;
    /// `uint64_t`.
    U64 "uint64_t" Unsigned 64;
    /// `float16_t`, `half` with 16-bit types enabled.
    F16 "half" Float 16;
    /// `float`.
    F32 "float" Float 32;
    /// `double`.
    F64 "double" Float 64;
    /// `half` without 16-bit types.
    Half "half" Float 32 erased F32 native F16;
    /// `min16int`: a 32-bit `int` of relaxed precision.
    MinI16 "min16int" Signed 32 least 16 native NativeMin16Int;
    /// `min12int`.
    Min12Int "min12int" Signed 32 least 12 erased MinI16 native NativeMin12Int;
    /// `min16uint`: a 32-bit `uint` of relaxed precision.
    MinU16 "min16uint" Unsigned 32 least 16 native NativeMin16Uint;
    /// `min16float`: a 32-bit `float` of relaxed precision.
    MinF16 "min16float" Float 32 least 16 native NativeMin16Float;
    /// `min10float`.
    Min10Float "min10float" Float 32 least 10 erased MinF16 native NativeMin10Float;
    /// `min16float` with 16-bit types.
    NativeMin16Float "min16float" Float 16 least 16 erased F16;
    /// `min10float` with 16-bit types.
    NativeMin10Float "min10float" Float 16 least 10 erased F16;
    /// `min16int` with 16-bit types.
    NativeMin16Int "min16int" Signed 16 least 16 erased I16;
    /// `min12int` with 16-bit types.
    NativeMin12Int "min12int" Signed 16 least 12 erased I16;
    /// `min16uint` with 16-bit types.
    NativeMin16Uint "min16uint" Unsigned 16 least 16 erased U16;
    /// `int8_t4_packed`.
    PackedS8 "int8_t4_packed" Signed 32 erased I32;
    /// `uint8_t4_packed`.
    PackedU8 "uint8_t4_packed" Unsigned 32 erased U32;
    /// The type of an integer literal without suffix, until its use decides.
    LitInt "literal int" Signed 32;
    /// The type of a floating literal without suffix, until its use decides.
    LitFloat "literal float" Float 32;
}

impl Scalar {
    fn facts(self) -> &'static Facts {
        &FACTS[self as usize]
    }

    /// The scalar that is computed with, where names no longer matter.
    pub fn erased(self) -> Self {
        self.facts().erased
    }

    /// What its name means with 16-bit types enabled.
    pub fn native(self) -> Self {
        self.facts().native
    }

    /// How many bits its name asks for at least, if that is all that it says.
    pub fn least_bits(self) -> Option<u32> {
        let least = self.facts().least;
        (least != 0).then_some(least.into())
    }

    /// Whether it is the type of a literal.
    pub fn is_literal(self) -> bool {
        matches!(self, Self::LitInt | Self::LitFloat)
    }

    /// Whether it is a floating-point type.
    pub fn is_float(self) -> bool {
        self.facts().kind == Kind::Float
    }

    /// Whether it is an integer type (not `bool`).
    pub fn is_int(self) -> bool {
        matches!(self.facts().kind, Kind::Signed | Kind::Unsigned)
    }

    /// Whether it is a signed integer type.
    pub fn is_signed_int(self) -> bool {
        self.facts().kind == Kind::Signed
    }

    /// Whether it is an unsigned integer type.
    pub fn is_unsigned_int(self) -> bool {
        self.facts().kind == Kind::Unsigned
    }

    /// Bits of a value in registers and memory; `bool` takes 32 in memory.
    pub fn bits(self) -> u32 {
        self.facts().bits.into()
    }

    /// Whether the value may be computed with reduced precision.
    pub fn is_relaxed(self) -> bool {
        let facts = self.facts();
        facts.least != 0 && facts.bits == 32
    }

    /// The name in HLSL.
    pub fn name(self) -> &'static str {
        self.facts().name
    }
}
