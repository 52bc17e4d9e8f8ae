//! Transformations of the compiler's intermediate representation.
//!
//! A part of `spirv-build`, with no interface for others: it changes with any version.
#![deny(missing_docs)]

pub mod passes;

use spirv_build_base::{diag, source};
use spirv_build_ir::{analysis, ir};
