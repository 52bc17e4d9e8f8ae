//! Compiles HLSL compute kernels to SPIR-V and native CPU code.
#![deny(missing_docs)]

pub mod abi;
pub mod cpu;
pub mod diag;
pub mod hlsl;
pub mod interface;
pub mod ir;
pub mod passes;
pub mod source;
pub mod spmd;
pub mod spv;
pub mod target;
