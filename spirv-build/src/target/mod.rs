//! What a device understands, and what a module asks of it.
//!
//! [`requirements`] computes capabilities, extensions and the version that a module needs from the op table;
//! [`TargetEnv::check`] compares that with a target and answers which source asks for what the target lacks.

mod collect;
pub mod derivatives;
mod env;

pub(crate) use collect::parts;
pub use collect::requirements;
pub use env::{PRESETS, TargetEnv};

use crate::source::Span;
use smallvec::{SmallVec, smallvec};
use spirv::Capability;

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

/// Extensions of SPIR-V that give a capability to versions before the one that has it in its core, which is all that the op
/// table tells of: first and last number, extension.
const PROMOTED: &[(u32, u32, &str)] = &[
    (4433, 4436, "SPV_KHR_16bit_storage"),
    (4441, 4442, "SPV_KHR_variable_pointers"),
    (4448, 4450, "SPV_KHR_8bit_storage"),
    (4464, 4468, "SPV_KHR_float_controls"),
    (5301, 5312, "SPV_EXT_descriptor_indexing"),
    (5345, 5346, "SPV_KHR_vulkan_memory_model"),
    (5347, 5347, "SPV_KHR_physical_storage_buffer"),
    (5379, 5379, "SPV_EXT_demote_to_helper_invocation"),
];

/// Extensions that are not for all versions of SPIR-V: name, least minor version.
const SINCE: &[(&str, u8)] = &[("SPV_KHR_vulkan_memory_model", 3)];

/// The extension that gives a capability where the core does not.
pub fn extension_of(capability: Capability) -> Option<&'static str> {
    use crate::spv::op_table::{Kind, enumerant};
    let n = capability as u32;
    let promoted = PROMOTED.iter().find(|p| (p.0..=p.1).contains(&n)).map(|p| p.2);
    promoted.or_else(|| enumerant(Kind::Capability, n)?.extensions().first().copied())
}

/// A capability and all that it implies.
pub fn implied(capability: Capability) -> SmallVec<[Capability; 8]> {
    use crate::spv::op_table::{Kind, enumerant};
    let mut all: SmallVec<[Capability; 8]> = smallvec![capability];
    let mut at = 0;
    while let Some(c) = all.get(at).copied() {
        at += 1;
        // Where several are listed, a capability implies each of them only in its own environment; the first
        // is that of shaders.
        let first = enumerant(Kind::Capability, c as u32).and_then(|row| row.capabilities().next());
        if let Some(c) = first
            && !all.contains(&c)
        {
            all.push(c);
        }
    }
    all
}
