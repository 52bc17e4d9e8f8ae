//! The binary format: the grammar's tables, and writing modules.

pub mod op_table;
pub mod write;

pub use write::{WriteError, WriteOptions, write};

/// The textual form of a binary module, as SPIR-V's own assembly.
pub fn disassemble(words: &[u32]) -> Result<String, String> {
    use rspirv::binary::Disassemble;
    let module = rspirv::dr::load_words(words).map_err(|e| e.to_string())?;
    Ok(module.disassemble() + "\n")
}
