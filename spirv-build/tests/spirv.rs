//! Programs through the whole compiler to SPIR-V.
//!
//! The first line of `spirv/*.hlsl` is a command line of `spirvc`; what it prints is compared with the `.expect` file
//! beside it (`UPDATE_EXPECT=1` rewrites). Whatever it asks for, the module is also written with and without
//! optimisation, and spirv-val must accept both. Without spirv-val the test says so, unless `SPIRV_REQUIRE` is set.

use spirv_build::diag::{Diagnostics, render};
use spirv_build::driver::flags::{self, Command, Emit};
use spirv_build::driver::{Output, compile};
use spirv_build::pipeline::on_large_stack;
use spirv_build::source::SourceMap;
use std::path::{Path, PathBuf};

fn cases() -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/kernels");
    let mut list = Vec::new();
    for dir in [dir.join("spirv"), dir.join("hlsl/ok"), kernels] {
        let Ok(entries) = std::fs::read_dir(dir) else { continue };
        list.extend(
            entries.map(|e| e.unwrap().path()).filter(|p| p.extension().is_some_and(|e| e == "hlsl")),
        );
    }
    list.sort();
    assert!(list.len() > 8, "the cases are gone");
    list
}

fn command(path: &Path, text: &str) -> Command {
    let flags = text.lines().next().and_then(|l| l.strip_prefix("// spirvc: ")).unwrap_or("-T cs_6_0");
    let args = flags.split_whitespace().map(String::from).chain([path.to_string_lossy().into_owned()]);
    flags::parse(args).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn run(path: &Path, text: &str, command: &Command) -> Result<Output, String> {
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let (mut sources, mut diags) = (SourceMap::new(), Diagnostics::new());
    let output = on_large_stack(|| compile(&name, text, command, &mut sources, &mut diags));
    output.filter(|_| !diags.has_errors()).ok_or_else(|| render::pictures(&diags, &sources, false))
}

#[test]
fn programs_give_the_expected_text() {
    let mut failures = Vec::new();
    for path in cases().iter().filter(|p| p.parent().is_some_and(|d| d.ends_with("spirv"))) {
        let text = std::fs::read_to_string(path).unwrap();
        let actual = match run(path, &text, &command(path, &text)) {
            Ok(Output::Text(actual)) => actual,
            Ok(Output::Words(_)) => panic!("{}: --emit is missing", path.display()),
            Err(pictures) => {
                failures.push(format!("{}:\n{pictures}", path.display()));
                continue;
            }
        };
        let expect = path.with_extension("expect");
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(&expect, &actual).unwrap();
            continue;
        }
        let wanted = std::fs::read_to_string(&expect).unwrap_or_default().replace("\r\n", "\n");
        if wanted != actual {
            failures.push(format!("{}:\n--- expected\n{wanted}\n--- actual\n{actual}", path.display()));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// What spirv-val says about a module: None if there is no spirv-val.
fn validate(words: &[u32], target: &str) -> Option<Result<(), String>> {
    use std::io::Write;
    use std::process::Stdio;
    let mut child = match std::process::Command::new("spirv-val")
        .args(["--target-env", target, "--scalar-block-layout", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
    {
        Ok(child) => child,
        Err(e) => {
            assert!(std::env::var_os("SPIRV_REQUIRE").is_none(), "spirv-val is required: {e}");
            return None;
        }
    };
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    child.stdin.take().unwrap().write_all(&bytes).unwrap();
    let out = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr);
    Some(if out.status.success() { Ok(()) } else { Err(said) })
}

#[test]
fn spirv_val_accepts_every_module() {
    let mut failures = Vec::new();
    for path in cases() {
        let text = std::fs::read_to_string(&path).unwrap();
        for optimize in [false, true] {
            let mut command = command(&path, &text);
            command.emit = Emit::Spirv;
            command.optimize = optimize;
            let words = match run(&path, &text, &command) {
                Ok(Output::Words(words)) => words,
                Ok(Output::Text(_)) => unreachable!("a module is words"),
                Err(pictures) => {
                    failures.push(format!("{}:\n{pictures}", path.display()));
                    continue;
                }
            };
            match validate(&words, &command.target.name) {
                None => {
                    eprintln!("skipped: there is no spirv-val");
                    return;
                }
                Some(Ok(())) => {}
                Some(Err(said)) => {
                    let asm = spirv_build::spv::disassemble(&words).unwrap_or_else(|e| e);
                    failures.push(format!("{} (optimize: {optimize}):\n{said}\n{asm}", path.display()));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn equal_programs_give_equal_words() {
    for path in cases() {
        let text = std::fs::read_to_string(&path).unwrap();
        let mut command = command(&path, &text);
        command.emit = Emit::Spirv;
        assert_eq!(run(&path, &text, &command), run(&path, &text, &command), "{}", path.display());
    }
}

/// Programs that use only what kernels have so far.
#[test]
fn kernels_are_valid_too() {
    let mut written = 0;
    for path in cases().into_iter().filter(|p| !p.parent().is_some_and(|d| d.ends_with("ok"))) {
        let text = std::fs::read_to_string(&path).unwrap();
        let mut command = command(&path, &text);
        command.emit = Emit::Spirv;
        command.target = spirv_build::target::TargetEnv::level_zero();
        let words = match run(&path, &text, &command) {
            Ok(Output::Words(words)) => words,
            Ok(Output::Text(_)) => unreachable!("a module is words"),
            Err(pictures) => {
                assert!(
                    pictures.contains("level-zero") || pictures.contains("H0901"),
                    "{}:\n{pictures}",
                    path.display()
                );
                continue;
            }
        };
        written += 1;
        match validate(&words, "opencl2.2") {
            None => {
                eprintln!("skipped: there is no spirv-val");
                return;
            }
            Some(Ok(())) => {}
            Some(Err(said)) => {
                let asm = spirv_build::spv::disassemble(&words).unwrap_or_else(|e| e);
                panic!("{}:\n{said}\n{asm}", path.display());
            }
        }
    }
    assert!(written >= 9, "only {written} programs became kernels");
}
