//! The table of instruction sets.

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
    Isa {
        name: "scalar",
        arch: None,
        features: "",
        lanes: 8,
        vectors: 1,
        prelude: include_str!("prelude/array.rs"),
    },
];

/// The instruction sets for a target architecture, best first.
pub fn isas_for(arch: &str) -> Vec<&'static Isa> {
    ISAS.iter().filter(|isa| isa.arch.is_none_or(|a| a == arch)).collect()
}
