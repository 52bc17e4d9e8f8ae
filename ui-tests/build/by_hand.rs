//! Artifacts written by hand: interfaces for the good kernels, diagnostics for the bad ones.

use std::fs;
use std::path::Path;

/// One row a kernel: its source, its artifact's extension and text.
const ARTIFACTS: &[(&str, &str, &str)] = &[
    ("kernels/saxpy.hlsl", "interface", include_str!("saxpy.interface")),
    ("kernels/particles.hlsl", "interface", include_str!("particles.interface")),
    ("kernels/image.hlsl", "interface", include_str!("image.interface")),
    ("kernels/several.hlsl", "interface", include_str!("several.interface")),
    ("kernels/syntax_error.hlsl", "diag", include_str!("syntax_error.diag")),
    ("kernels/type_error.hlsl", "diag", include_str!("type_error.diag")),
    ("kernels/unknown_include.hlsl", "diag", include_str!("unknown_include.diag")),
];

/// Stands in for `spirv_build::compile`.
pub fn compile(source: &str) {
    println!("cargo::rerun-if-changed=build");
    let out = std::env::var("OUT_DIR").expect("cargo sets OUT_DIR for build scripts");
    let dir = Path::new(&out).join("spirv");
    fs::create_dir_all(&dir).expect("OUT_DIR is writable");
    let (_, extension, text) = ARTIFACTS.iter().find(|a| a.0 == source).expect("a row for each kernel");
    let name = Path::new(source).file_stem().and_then(|s| s.to_str()).expect("a plain file name");
    fs::write(dir.join(format!("{name}.{extension}")), text).expect("OUT_DIR is writable");
    let mut index: String = fs::read_to_string(dir.join("index")).unwrap_or_default();
    let line = format!("{name}\t{source}\n");
    if !index.contains(&line) {
        index += &line;
        fs::write(dir.join("index"), index).expect("OUT_DIR is writable");
    }
}
