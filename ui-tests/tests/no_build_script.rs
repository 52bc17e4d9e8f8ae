//! The mistake of having no build script, which trybuild's package has not.

#[test]
fn mistakes_without_a_build_script() {
    // SAFETY: this is the only test of the process. Cargo sets the variable for tests of packages with a build
    // script, and it would reach the compiler that trybuild runs.
    unsafe { std::env::remove_var("OUT_DIR") };
    trybuild::TestCases::new().compile_fail("fail/without_build_script/*.rs");
}
