//! What every part of the compiler uses: sources and places in them, names, diagnostics.
//!
//! A part of `spirv-build`, with no interface for others: it changes with any version.
#![deny(missing_docs)]

pub mod diag;
pub mod input;
pub mod interner;
pub mod source;
pub mod stack;
