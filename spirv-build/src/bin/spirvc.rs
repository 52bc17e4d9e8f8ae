//! `spirvc`, the command line of `spirv-build`.
fn main() {}
