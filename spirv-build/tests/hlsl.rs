//! File-driven tests of the HLSL front end.
//!
//! `hlsl/ok/*.hlsl` must compile; the HIR is compared with the `.expect` file beside it (`.hir`). `hlsl/err/*.hlsl` must not
//! compile (or must warn); the caret pictures are compared. `UPDATE_EXPECT=1` rewrites the expectations. A first line
//! `// options: NAME=VALUE …` sets `entry`, `profile`, `16bit` and macros.

mod common;

use common::check_expected;
use spirv_build::diag::{Diagnostics, render};
use spirv_build::hlsl::{self, FileIncludes, Options};
use spirv_build::source::SourceMap;
use std::path::{Path, PathBuf};

fn options(text: &str) -> Options {
    let mut options = Options::default();
    let Some(line) = text.lines().next().and_then(|l| l.strip_prefix("// options:")) else { return options };
    for word in line.split_whitespace() {
        let (name, value) = word.split_once('=').unwrap_or((word, "1"));
        match name {
            "entry" => options.entry = Some(value.into()),
            "profile" => options.profile = value.into(),
            "16bit" => options.enable_16bit_types = true,
            "include" => options.include_dirs.push(value.into()),
            _ => options.defines.push((name.into(), value.into())),
        }
    }
    options
}

fn cases(folder: &str) -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hlsl").join(folder);
    let mut list: Vec<_> = std::fs::read_dir(dir)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "hlsl"))
        .collect();
    list.sort();
    list
}

/// Compiles with paths relative to the folder, so that messages do not depend on where the sources lie.
fn compile(path: &Path) -> (Option<hlsl::hir::Module>, String) {
    let text = std::fs::read_to_string(path).unwrap();
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let mut options = options(&text);
    options.include_dirs.push(path.parent().unwrap().to_string_lossy().into_owned());
    let (mut sources, mut diags) = (SourceMap::new(), Diagnostics::new());
    let module = hlsl::compile_to_hir(&name, &text, &options, &FileIncludes, &mut sources, &mut diags);
    let folder = format!("{}/", path.parent().unwrap().display());
    let pictures = render::pictures(&diags, &sources, false).replace(&folder, "");
    assert_eq!(module.is_none(), diags.has_errors(), "{name}: a module exactly when there are no errors");
    (module, pictures)
}

#[test]
fn programs_give_the_expected_hir() {
    let mut failures = Vec::new();
    for path in cases("ok") {
        let (module, pictures) = compile(&path);
        match module {
            Some(m) => check_expected(
                &path.with_extension("expect"),
                &(pictures + &hlsl::dump_hir(&m)),
                &mut failures,
            ),
            None => failures.push(format!("{}:\n{pictures}", path.display())),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn mistakes_give_the_expected_pictures() {
    let mut failures = Vec::new();
    for path in cases("err") {
        let (_, pictures) = compile(&path);
        assert!(!pictures.is_empty(), "{} has no mistakes", path.display());
        check_expected(&path.with_extension("expect"), &pictures, &mut failures);
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn tokens_and_syntax_tree_can_be_printed() {
    let text = "#define N 4\nfloat f(int a[N]) { return a[0] + 1.5 * N; }\n";
    let (mut sources, mut diags) = (SourceMap::new(), Diagnostics::new());
    let mut names = spirv_build::hlsl::words::interner();
    let options = Options::default();
    let tokens =
        hlsl::preprocess("t.hlsl", text, &options, &FileIncludes, &mut sources, &mut names, &mut diags);
    let printed = hlsl::dump_tokens(&tokens, &names, &sources);
    assert!(printed.starts_with("t.hlsl:2:1 name float\nt.hlsl:2:7 name f\n"), "{printed}");
    assert!(printed.contains("t.hlsl:2:15 number 4\n"), "{printed}");
    let ast = hlsl::parse::parse(tokens, &mut names, &mut diags);
    assert_eq!(hlsl::dump_ast(&ast, &names), "function float f(int a[4])\n  return (a[0] + (1.5 * 4))\n");
}

#[test]
fn every_file_that_was_read_is_listed_once() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hlsl/ok/preprocessor.hlsl");
    let text = std::fs::read_to_string(&path).unwrap();
    let (mut sources, mut diags) = (SourceMap::new(), Diagnostics::new());
    let name = path.to_string_lossy();
    hlsl::compile_to_hir(&name, &text, &options(&text), &FileIncludes, &mut sources, &mut diags).unwrap();
    let include = path.with_file_name("include").join("common.hlsli");
    assert_eq!(sources.files_read(), [name.to_string(), include.to_string_lossy().into_owned()]);
}
