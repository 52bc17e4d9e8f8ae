//! Kernels as Rust for the CPU: masked waves, and the prelude that they are written against.
//!
//! A part of `spirv-build`, with no interface for others: it changes with any version.
#![deny(missing_docs)]

pub mod cpu;
pub mod spmd;

use spirv_build_base::{diag, source};
use spirv_build_ir::{analysis, entity, ir};
