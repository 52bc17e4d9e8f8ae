//! The compiler's intermediate representation, which holds all of SPIR-V, and what is known of values without running them.
//!
//! A part of `spirv-build`, with no interface for others: it changes with any version.
#![deny(missing_docs)]

pub mod analysis;
pub mod ir;

use spirv_build_base::{source, stack};
