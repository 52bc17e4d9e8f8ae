//! LLVM IR in, behind a feature for each version, and out as text.
//!
//! A part of `spirv-build`, with no interface for others: it changes with any version.
#![deny(missing_docs)]

pub mod llvm;

use spirv_build_base::{diag, input, source, stack};
use spirv_build_ir::ir;
