//! Compiles HLSL compute kernels to SPIR-V and native CPU code.
#![deny(missing_docs)]
