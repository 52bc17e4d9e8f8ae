//! Tests of what the macros' users see: `tests/pass.rs` for stubs that work, `fail` for mistakes.
//!
//! The library holds the native code of the kernels, written by hand, so that the tests themselves can forbid
//! unsafe code as a user may.
#![deny(missing_docs)]

mod native;
