//! Tests of what the macros' users see: `tests/pass.rs` for stubs that work, `fail` for mistakes.
#![deny(missing_docs)]
