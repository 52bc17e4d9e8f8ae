//! The examples of `spirvc --explain`: each wrong one has its finding, and each right one has none of it.

use spirv_build::diag::Code;
use spirv_build::diag::examples::{Example, Examples, Kind};
use spirv_build::hlsl::FileIncludes;
use spirv_build::pipeline;
use std::process::Command;

/// What the compiler says of an example: whether it takes it, and the findings by their lines.
fn said(examples: &Examples, example: &Example, dir: &std::path::Path) -> (bool, String) {
    let source = examples.source(example);
    if examples.kind == Kind::Script {
        let options = pipeline::Options {
            hlsl: Default::default(),
            warnings: Default::default(),
            target: Default::default(),
            cpu_arch: None,
            level_zero: false,
            kernel: "k".into(),
            source: "k.hlsl".into(),
            shared_arguments: false,
            vulkan: Default::default(),
            passes: Default::default(),
            error_limit: None,
            symbol: "k".into(),
        };
        let outcome = pipeline::compile("k.hlsl", source.as_bytes(), &options, &FileIncludes);
        let text = spirv_build::diag::render::lines_and_pictures(&outcome.diagnostics, &outcome.sources);
        return (outcome.compiled.is_some(), text);
    }
    std::fs::write(dir.join("k.hlsl"), source).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_spirvc"));
    command.current_dir(dir).args(["k.hlsl", "-Fo", "k.out"]);
    if !example.flags.contains("-T ") {
        command.args(["-T", "cs_6_6"]);
    }
    let output = command.args(example.flags.split_whitespace()).output().unwrap();
    (output.status.success(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn examples_are_what_they_say() {
    let dir = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("explained");
    std::fs::create_dir_all(&dir).unwrap();
    let mut failures = Vec::new();
    for &code in Code::ALL {
        let Some(examples) = code.examples().filter(|e| e.kind != Kind::Words) else { continue };
        let id = format!(" {}: ", code.id());
        let (_, wrong) = said(&examples, &examples.wrong, &dir);
        let errors = wrong.lines().filter(|l| l.contains("error H") && !l.contains(&id)).count();
        if !wrong.contains(&id) || errors > 2 {
            failures.push(format!("{} wrong:\n{wrong}", code.id()));
        }
        let (taken, right) = said(&examples, &examples.right, &dir);
        if !taken || right.contains(&id) {
            failures.push(format!("{} right:\n{right}", code.id()));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
