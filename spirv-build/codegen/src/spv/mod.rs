//! The binary format: writing and disassembling modules.

pub mod disassemble;
pub mod write;

pub use disassemble::disassemble;
pub use write::shader_debug::EXTENSION as DEBUG_EXTENSION;
pub use write::write_needing;
pub use write::{DebugInfo, DebugSet, MAX_ID, WriteOptions, write, write_with};
