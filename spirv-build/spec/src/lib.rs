//! SPIR-V's specification as data: instructions, operands and enumerants, what each needs, and what instructions do.
//!
//! The tables are made from Khronos' machine-readable grammars (`grammar/`, with the commit they are of) and from decisions that
//! the grammars leave open (`traits.py`) by `generate.py`.
//!
//! Numbers are open: an [`Op`], an enumerant or an [`ExtSet`] may have a value that no table knows, which then has no
//! [`OpRow`] or [`EnumRow`] and is taken to do anything ([`Traits::UNKNOWN`]).
//!
//! ```
//! use spirv_spec::{Capability, Op, StorageClass, Traits};
//!
//! assert!(Op::IAdd.traits().has(Traits::COMMUTATIVE) && Op::IAdd.traits().is_pure());
//! assert!(Op(65000).traits().has(Traits::WRITES));
//! assert_eq!(StorageClass::PushConstant.to_string(), "PushConstant");
//! assert_eq!(Op::SDot.row().unwrap().version(), Some(6));
//! assert_eq!("Shader".parse(), Ok(Capability::Shader));
//! ```
#![deny(missing_docs)]

mod enums;
#[rustfmt::skip]
#[allow(missing_docs, non_upper_case_globals)]
mod generated {
    pub mod enums;
    pub mod ops;
    pub mod tables;
}
mod number;
mod table;
mod traits;

pub use generated::enums::*;
pub use generated::ops::{glsl, op, opencl};
pub use number::{ClOp, ExtSet, GlslOp, Op};
pub use table::{
    Category, EnumRow, Kind, OpRow, OperandRow, Quantifier, enumerant, enumerant_by_name, enumerants,
    extension_since, extensions,
};
pub use traits::Traits;

/// The first word of every module.
pub const MAGIC_NUMBER: u32 = 0x0723_0203;

/// The words of a literal string: UTF-8, closed by a zero.
pub fn string_words(text: &str) -> impl Iterator<Item = u32> + '_ {
    // A zero inside would end it early.
    let text = text.split('\0').next().unwrap_or_default().as_bytes();
    let word = |c: &[u8]| c.iter().enumerate().fold(0, |w, (i, b)| w | u32::from(*b) << (8 * i));
    // A last word that is full leaves no place for the zero.
    text.chunks(4).map(word).chain(text.len().is_multiple_of(4).then_some(0))
}
