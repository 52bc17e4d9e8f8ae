//! Mistakes, each with the message that a user sees: `fail/*.rs` and, beside them, `*.stderr`.
//!
//! trybuild compiles the cases in a package of its own, which has no build script: the macros are told where the
//! artifacts of this package's build script are.

#[test]
fn mistakes_with_kernels() {
    let cases = trybuild::TestCases::new();
    // SAFETY: this is the only test of the process, and trybuild runs the compiler after it.
    unsafe {
        std::env::set_var("SPIRV_KERNELS_OUT_DIR", concat!(env!("OUT_DIR"), "/spirv"));
        std::env::set_var("SPIRV_KERNELS_PACKAGE", env!("CARGO_MANIFEST_DIR"));
    }
    cases.compile_fail("fail/*.rs");
}
