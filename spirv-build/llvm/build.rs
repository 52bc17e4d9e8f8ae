//! With a feature that reads LLVM IR: links that LLVM, or says what to install.
//!
//! llvm-sys could link it too, but where LLVM is missing its message is of no help, and comes first.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Feature (as cargo tells it), major version, the variable that points to an LLVM elsewhere.
const LLVMS: &[(&str, u32, &str)] = &[
    ("CARGO_FEATURE_LLVM19_1", 19, "LLVM_SYS_191_PREFIX"),
    ("CARGO_FEATURE_LLVM22_1", 22, "LLVM_SYS_221_PREFIX"),
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let wanted: Vec<_> = LLVMS.iter().filter(|l| std::env::var_os(l.0).is_some()).collect();
    if wanted.len() > 1 {
        println!(
            "cargo::error=spirv-build links one LLVM: enable one of the features `llvm19-1` and `llvm22-1`, not both"
        );
        return;
    }
    for &&(_, major, variable) in &wanted {
        println!("cargo::rerun-if-env-changed={variable}");
        println!("cargo::rerun-if-env-changed=PATH");
        match config(major, variable) {
            Some(config) => link(&config),
            None => println!(
                "cargo::error=the feature `llvm{major}-1` of spirv-build needs LLVM {major}.1. Install it (Debian, Ubuntu: apt-get \
                 install llvm-{major}-dev; Fedora: dnf install llvm{major}-devel; macOS: brew install llvm@{major}), or set \
                 {variable} to where it is, or leave the feature out: kernels in HLSL need no LLVM"
            ),
        }
    }
}

/// The `llvm-config` of that version, where llvm-sys looks, too.
fn config(major: u32, variable: &str) -> Option<PathBuf> {
    let names =
        ["llvm-config-M", "llvm-configM", "llvmM-config", "llvm-config-M.1", "llvm-configM1", "llvm-config"];
    let mut candidates = match std::env::var_os(variable) {
        Some(prefix) => vec![PathBuf::from(prefix).join("bin/llvm-config")],
        None => names.map(|name| name.replace('M', &major.to_string()).into()).to_vec(),
    };
    candidates.retain(|c| ask(c, &["--version"]).is_some_and(|v| v.starts_with(&format!("{major}.1."))));
    candidates.into_iter().next()
}

fn ask(config: &Path, question: &[&str]) -> Option<String> {
    let out = Command::new(config).args(question).output().ok().filter(|out| out.status.success())?;
    Some(String::from_utf8_lossy(&out.stdout).trim().to_string())
}

/// Links the shared library, or the static ones and what they need where there is none.
fn link(config: &Path) {
    let mut kind = "dylib";
    let mut libraries = ask(config, &["--link-shared", "--libs"]);
    if libraries.is_none() {
        kind = "static";
        libraries = ask(config, &["--link-static", "--libs"]);
        let system = ask(config, &["--link-static", "--system-libs"]).unwrap_or_default();
        for library in names(&system) {
            println!("cargo::rustc-link-lib=dylib={library}");
        }
        if cfg!(not(target_env = "msvc")) {
            let cpp = if cfg!(target_vendor = "apple") { "c++" } else { "stdc++" };
            println!("cargo::rustc-link-lib=dylib={cpp}");
        }
    }
    let (Some(folder), Some(libraries)) = (ask(config, &["--libdir"]), libraries) else {
        println!("cargo::error=`{}` does not tell its libraries", config.display());
        return;
    };
    println!("cargo::rustc-link-search=native={folder}");
    for library in names(&libraries) {
        println!("cargo::rustc-link-lib={kind}={library}");
    }
}

/// The libraries that `-lLLVM-22 -lz` or `LLVMCore.lib` name.
fn names(flags: &str) -> impl Iterator<Item = &str> {
    flags.split_whitespace().map(|flag| {
        let file = flag.strip_prefix("-l").unwrap_or(flag);
        let file = file.rsplit(['/', '\\']).next().unwrap_or(file);
        file.strip_suffix(".lib").unwrap_or(file)
    })
}
