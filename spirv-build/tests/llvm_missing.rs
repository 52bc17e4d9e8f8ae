//! What a user reads who enables a feature for LLVM IR without having that LLVM: the build script says what to install.

use std::path::Path;
use std::process::Command;

/// Compiles the package's build script and runs it as cargo does, with these variables set.
fn build_script(name: &str, set: &[(&str, &str)]) -> String {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let program = dir.join(format!("build_script_{name}"));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("llvm/build.rs");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let made =
        Command::new(rustc).args(["--edition", "2024", "-o"]).args([&program, &source]).status().unwrap();
    assert!(made.success());
    let mut run = Command::new(&program);
    for variable in
        ["CARGO_FEATURE_LLVM19_1", "CARGO_FEATURE_LLVM22_1", "LLVM_SYS_191_PREFIX", "LLVM_SYS_221_PREFIX"]
    {
        run.env_remove(variable);
    }
    let out = run.envs(set.iter().copied()).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}

#[test]
fn nothing_is_wanted_without_the_features() {
    let text = build_script("plain", &[]);
    assert!(!text.contains("cargo::error"), "{text}");
}

#[test]
fn the_error_names_the_package_to_install() {
    let set = [("CARGO_FEATURE_LLVM22_1", "1"), ("LLVM_SYS_221_PREFIX", "/there/is/none")];
    let text = build_script("missing", &set);
    assert_eq!(text.matches("cargo::error").count(), 1, "{text}");
    assert!(text.contains("apt-get install llvm-22-dev") && text.contains("LLVM_SYS_221_PREFIX"), "{text}");
}

#[test]
fn two_versions_at_once_are_an_error() {
    let set = [
        ("CARGO_FEATURE_LLVM19_1", "1"),
        ("CARGO_FEATURE_LLVM22_1", "1"),
        ("LLVM_SYS_191_PREFIX", "/there/is/none"),
        ("LLVM_SYS_221_PREFIX", "/there/is/none"),
    ];
    let text = build_script("both", &set);
    assert!(text.contains("enable one of the features"), "{text}");
}
