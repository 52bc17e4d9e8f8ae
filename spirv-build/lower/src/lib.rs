//! HLSL's typed HIR as the compiler's intermediate representation.
//!
//! A part of `spirv-build`, with no interface for others: it changes with any version.
#![deny(missing_docs)]

pub mod debug;
pub mod lower;

use spirv_build_base::{diag, source};
use spirv_build_hlsl::hlsl;
use spirv_build_ir::ir;
