//! The programs of the repository as test cases, with what the first line of each asks for.

use spirv_build::diag::Diagnostics;
use spirv_build::driver::flags::{self, Command};
use spirv_build::hlsl::{self, FileIncludes, lower};
use spirv_build::ir::Module;
use spirv_build::passes::legalize_resources;
use spirv_build::pipeline::{self, Passes};
use spirv_build::source::SourceMap;
use spirv_build::stack::on_large_stack;
use std::path::{Path, PathBuf};

/// Where programs are, beside this package.
const FOLDERS: &[&str] = &[
    "tests/spirv",
    "tests/hlsl/ok",
    "../tests/kernels",
    "../examples/blur/kernels",
    "../examples/saxpy/kernels",
];

/// All programs, in the same order everywhere.
pub fn all() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut list: Vec<PathBuf> = FOLDERS
        .iter()
        .flat_map(|d| std::fs::read_dir(root.join(d)).unwrap())
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "hlsl"))
        .collect();
    list.sort();
    assert!(list.len() > 8, "the cases are gone");
    list
}

/// The command line that the first line of a case asks for.
pub fn command(path: &Path, text: &str) -> Command {
    let first = text.lines().next().unwrap_or_default();
    let mut args: Vec<String> = match first.strip_prefix("// spirvc: ") {
        Some(flags) => flags.split_whitespace().map(String::from).collect(),
        None => vec!["-T".into(), "cs_6_2".into()],
    };
    // The front end's own cases spell their options differently: `tests/hlsl.rs`.
    for word in first.strip_prefix("// options:").unwrap_or_default().split_whitespace() {
        match word.split_once('=') {
            Some(("entry", name)) => args.extend(["-E".into(), name.into()]),
            Some(("profile", name)) => args.extend(["-T".into(), name.into()]),
            None if word == "16bit" => args.push("-enable-16bit-types".into()),
            _ => args.extend(["-D".into(), word.into()]),
        }
    }
    args.push(path.to_string_lossy().into_owned());
    flags::parse(args).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The front end's options of a case, for all its entry points and whatever the language has.
pub fn options(path: &Path, text: &str) -> hlsl::Options {
    hlsl::Options { entry: None, profile: "cs_6_8".into(), ..command(path, text).hlsl }
}

/// The passes that run without an option, told what a case asks for.
pub fn passes(path: &Path, text: &str) -> Passes {
    let select_resources = command(path, text).passes.select_resources;
    Passes { select_resources, ..Passes::default() }
}

/// A case as it is lowered, with its calls, or with all passes run; None if it has mistakes. `text` may be another one
/// than the file's.
pub fn module(path: &Path, text: &str, optimize: bool) -> Option<Module> {
    let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
    let d = &mut diagnostics;
    on_large_stack(|| {
        let options = options(path, text);
        let name = path.to_string_lossy();
        let hir = hlsl::compile_to_hir(&name, text, &options, &FileIncludes, &mut sources, d)?;
        let module = pipeline::lower_hir(&hir, &lower::Options::default(), d)?;
        // As on the road: where resources are values a module is for no target yet.
        let optimize = optimize || legalize_resources::is_needed(&module);
        if optimize { passes(path, text).optimize(false, module, d) } else { Some(module) }
    })
}

/// The layout of buffers that a case asks for, as spirv-val calls it.
pub fn layout(text: &str) -> &'static [&'static str] {
    let first = text.lines().next().unwrap_or_default();
    let packed = ["-fvk-use-dx-layout", "-fvk-use-scalar-layout"].iter().any(|f| first.contains(f));
    if packed { &["--scalar-block-layout"] } else { &[] }
}
