//! What a device understands, and what a module asks of it.
//!
//! [`requirements`] computes capabilities, extensions and the version that a module needs from the specification's tables;
//! [`TargetEnv::check`] compares that with a target and answers which source asks for what the target lacks.

mod collect;
pub mod derivatives;
mod env;

pub use collect::requirements;
pub use env::{PRESETS, TargetEnv};

use crate::source::Span;
use smallvec::{SmallVec, smallvec};
use spirv_spec::{Capability, Kind, enumerant};

/// What a module needs, each with the first source location that needs it.
#[derive(Debug, Clone, Default)]
pub struct Requirements {
    /// Minor version of SPIR-V 1.x.
    pub version: u8,
    /// What needs that version.
    pub version_span: Span,
    /// What must be declared: not those that another one implies. Sorted by number.
    pub capabilities: Vec<(Capability, Span)>,
    /// Extensions to declare, sorted by name.
    pub extensions: Vec<(String, Span)>,
}

/// Something that a target lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lack {
    /// What: `capability Int64`, `extension SPV_KHR_...`, `SPIR-V 1.4`.
    pub what: String,
    /// What could be done about it.
    pub help: String,
    /// The source that needs it.
    pub span: Span,
}

/// The extension that gives a capability where the core does not.
pub fn extension_of(capability: Capability) -> Option<&'static str> {
    enumerant(Kind::Capability, capability.0)?.extensions().next()
}

/// A capability and all that it implies.
pub fn implied(capability: Capability) -> SmallVec<[Capability; 8]> {
    let mut all: SmallVec<[Capability; 8]> = smallvec![capability];
    let mut at = 0;
    while let Some(c) = all.get(at).copied() {
        at += 1;
        // Where several are listed, a capability implies each of them only in its own environment; the first
        // is that of shaders.
        let first = enumerant(Kind::Capability, c.0).and_then(|row| row.capabilities().next());
        if let Some(c) = first
            && !all.contains(&c)
        {
            all.push(c);
        }
    }
    all
}
