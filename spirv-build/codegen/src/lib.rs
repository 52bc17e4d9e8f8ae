//! Modules for their hosts, and as SPIR-V binaries.
//!
//! A part of `spirv-build`, with no interface for others: it changes with any version.
#![deny(missing_docs)]

pub mod abi;
pub mod interface;
pub mod spv;
pub mod target;

use spirv_build_base::{diag, source};
use spirv_build_ir::ir;
use spirv_build_passes::passes;
