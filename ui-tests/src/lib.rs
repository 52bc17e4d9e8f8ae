//! Tests of what the macros' users see; see `tests` and `fail`.
#![deny(missing_docs)]
