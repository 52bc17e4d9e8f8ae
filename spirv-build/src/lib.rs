//! Compiles HLSL compute kernels to SPIR-V and native CPU code.
//!
//! In a build script:
//!
//! ```no_run
//! // build.rs: fn main() { ... }
//! spirv_build::compile("kernels/blur.hlsl");
//! ```
//!
//! and in the crate, `spirv_runtime::include_kernel!("kernels/blur.hlsl")` is the kernel as a typed Rust function. See
//! [`compile`] and [`config`] for the API of build scripts; everything else is the compiler, which `spirvc` drives too.
#![deny(missing_docs)]

pub mod abi;
pub mod analysis;
mod build;
pub mod cpu;
pub mod diag;
pub mod driver;
pub mod hlsl;
pub mod input;
mod interner;
pub mod ir;
pub mod llvm;
pub mod passes;
pub mod pipeline;
pub mod source;
pub mod spmd;
pub mod spv;
pub mod stack;
pub mod target;

pub use build::{Config, MacroValue, compile, config};
