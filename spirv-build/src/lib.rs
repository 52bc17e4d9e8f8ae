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

mod build;
pub mod driver;
pub mod pipeline;

pub use build::{Config, MacroValue, compile, config};
pub use spirv_build_base::{diag, input, source, stack};
pub use spirv_build_codegen::{abi, interface, spv, target};
pub use spirv_build_cpu::{cpu, spmd};
pub use spirv_build_ir::{analysis, ir};
pub use spirv_build_llvm::llvm;
pub use spirv_build_passes::passes;

/// The HLSL front end, from text to IR.
pub mod hlsl {
    pub use spirv_build_hlsl::hlsl::*;
    pub use spirv_build_lower::{debug, lower};
}
