//! The HLSL front end: text in, typed HIR out.
//!
//! A part of `spirv-build`, with no interface for others: it changes with any version.
#![deny(missing_docs)]

pub mod hlsl;

use spirv_build_base::{diag, input, interner, source, stack};
