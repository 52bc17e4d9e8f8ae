//! The table of instruction sets.

use std::borrow::Cow;

/// An instruction set that code is generated for.
#[derive(Debug, PartialEq, Eq)]
pub struct Isa {
    /// Name: suffix of symbols, key of the runtime's choice.
    pub name: &'static str,
    /// `CARGO_CFG_TARGET_ARCH` that it belongs to; None: all.
    pub arch: Option<&'static str>,
    /// Features for `#[target_feature]`.
    pub features: &'static str,
    /// Lanes of a native vector (`NW` of the prelude).
    pub lanes: u32,
    /// Native vectors in a wave.
    pub vectors: u32,
    /// Text of the prelude.
    pub prelude: &'static str,
}

impl Isa {
    /// Lanes of a wave.
    pub fn wave(&self) -> u32 {
        self.lanes * self.vectors
    }
}

/// A prelude for waves of some width: its text, native vectors in a wave, lanes of a wave.
pub(super) struct Width {
    /// Text of the prelude.
    pub prelude: Cow<'static, str>,
    /// Native vectors in a wave.
    pub vectors: u32,
    /// Lanes of a wave.
    pub lanes: u32,
}

impl Isa {
    /// The prelude for waves of so many lanes, a power of two; without a number for the usual ones.
    pub(super) fn width(&self, wave: Option<u32>) -> Width {
        let lanes = wave.unwrap_or(self.wave());
        if lanes >= self.lanes {
            return Width { prelude: Cow::Borrowed(self.prelude), vectors: lanes / self.lanes, lanes };
        }
        // A part of a vector: an array, which rustc makes a vector of.
        let prelude = ARRAY
            .replace("const NW: usize = 8;", &format!("const NW: usize = {lanes};"))
            .replace("align(32)", &format!("align({})", lanes * 4));
        Width { prelude: Cow::Owned(prelude), vectors: 1, lanes }
    }
}

const ARRAY: &str = include_str!("prelude/array.rs");

/// The widths of waves that code can be made for.
pub const WAVES: std::ops::RangeInclusive<u32> = 4..=64;

/// One row an instruction set, best first.
pub const ISAS: &[Isa] = &[
    Isa {
        name: "avx2",
        arch: Some("x86_64"),
        features: "avx2,fma",
        lanes: 8,
        vectors: 2,
        prelude: include_str!("prelude/avx2.rs"),
    },
    Isa { name: "scalar", arch: None, features: "", lanes: 8, vectors: 1, prelude: ARRAY },
];

/// The instruction sets for a target architecture, best first.
pub fn isas_for(arch: &str) -> Vec<&'static Isa> {
    ISAS.iter().filter(|isa| isa.arch.is_none_or(|a| a == arch)).collect()
}
