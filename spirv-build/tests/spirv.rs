//! Programs through the whole compiler to SPIR-V.
//!
//! The first line of `spirv/*.hlsl` is a command line of `spirvc`; what it prints is compared with the `.expect` file
//! beside it (`UPDATE_EXPECT=1` rewrites). Whatever it asks for, the module is also written with and without
//! optimisation, and with robust access, and spirv-val must accept both. Without spirv-val the test says so, unless `SPIRV_REQUIRE_COMPONENTS` is set.

mod common;

use common::cases::{self, command, layout};
use common::{check_expected, validate};
use spirv_build::diag::{Diagnostics, render};
use spirv_build::driver::flags::{Command, Debug, Emit};
use spirv_build::driver::{Output, compile};
use spirv_build::ir::Module;
use spirv_build::passes::Level;
use spirv_build::pipeline;
use spirv_build::source::SourceMap;
use spirv_build::spv::{self, DebugSet};
use spirv_build::stack::on_large_stack;
use spirv_build::target::TargetEnv;
use std::path::Path;

/// Cases of the front end that are not lowered yet. They must say so; one that is lowered must leave this list.
const NOT_LOWERED: &[&str] = &["arrays.hlsl"];

fn run(path: &Path, text: &str, command: &Command) -> Result<Output, String> {
    // The front end's cases include files beside them, by a path from the current folder.
    let own = path.parent().is_some_and(|d| d.ends_with("spirv"));
    let name = if own { path.file_name().unwrap().to_string_lossy() } else { path.to_string_lossy() };
    let (mut sources, mut diags) = (SourceMap::new(), Diagnostics::new());
    let output = on_large_stack(|| compile(&name, text, command, &mut sources, &mut diags));
    output.filter(|_| !diags.has_errors()).ok_or_else(|| render::pictures(&diags, &sources, false))
}

#[test]
fn programs_give_the_expected_text() {
    let mut failures = Vec::new();
    for path in cases::all().iter().filter(|p| p.parent().is_some_and(|d| d.ends_with("spirv"))) {
        let text = std::fs::read_to_string(path).unwrap();
        let actual = match run(path, &text, &command(path, &text)) {
            Ok(Output::Text(actual)) => actual,
            Ok(Output::Words(_)) => panic!("{}: --emit is missing", path.display()),
            Err(pictures) => {
                failures.push(format!("{}:\n{pictures}", path.display()));
                continue;
            }
        };
        check_expected(&path.with_extension("expect"), &actual, &mut failures);
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn spirv_val_accepts_every_module() {
    let mut failures = Vec::new();
    for path in cases::all() {
        let text = std::fs::read_to_string(&path).unwrap();
        for (optimize, robust_access) in [(false, false), (true, false), (true, true)] {
            let mut command = command(&path, &text);
            command.emit = Emit::Spirv;
            command.passes.level = if optimize { Level::O3 } else { Level::O0 };
            command.robust_access = robust_access;
            let words = match run(&path, &text, &command) {
                Ok(Output::Words(words)) => words,
                Ok(Output::Text(_)) => unreachable!("a module is words"),
                Err(pictures) => {
                    let known = NOT_LOWERED.iter().any(|n| path.ends_with(Path::new("hlsl/ok").join(n)));
                    if !(known
                        && pictures.lines().filter(|l| l.starts_with("error")).all(|l| l.contains("H0901")))
                    {
                        failures.push(format!("{}:\n{pictures}", path.display()));
                    }
                    continue;
                }
            };
            match validate(&words, &command.target.name, layout(&text)) {
                None => {
                    eprintln!("skipped: there is no spirv-val");
                    return;
                }
                Some(Ok(())) => {}
                Some(Err(said)) => {
                    let asm = spirv_build::spv::disassemble(&words).unwrap_or_else(|e| e);
                    let how = format!("optimize: {optimize}, robust access: {robust_access}");
                    failures.push(format!("{} ({how}):\n{said}\n{asm}", path.display()));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn debug_information_of_every_module_is_valid() {
    let sets = [DebugSet::Shader, DebugSet::OpenCl].map(|set| Debug {
        source: true,
        lines: set == DebugSet::OpenCl,
        program: Some(set),
    });
    // Every other program is optimised: with one set, then with the other.
    let ways = [(sets[0], false), (sets[1], true), (sets[0], true), (sets[1], false)];
    let mut failures = Vec::new();
    for (path, pair) in cases::all().iter().zip(ways.chunks(2).cycle()) {
        let text = std::fs::read_to_string(path).unwrap();
        for (debug, optimize) in pair {
            let mut command = Command { debug: Some(*debug), ..command(path, &text) };
            command.passes.level = if *optimize { Level::O3 } else { Level::O0 };
            command.emit = Emit::Spirv;
            // What is not lowered has its own test.
            let Ok(Output::Words(words)) = run(path, &text, &command) else { continue };
            match validate(&words, &command.target.name, layout(&text)) {
                None => {
                    eprintln!("skipped: there is no spirv-val");
                    return;
                }
                Some(Ok(())) => {}
                Some(Err(said)) => failures.push(format!("{}, {debug:?}: {said}", path.display())),
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn equal_programs_give_equal_words() {
    for path in cases::all() {
        let text = std::fs::read_to_string(&path).unwrap();
        let mut command = command(&path, &text);
        command.emit = Emit::Spirv;
        assert_eq!(run(&path, &text, &command), run(&path, &text, &command), "{}", path.display());
    }
}

/// Changes that leave many programs valid: tokens replaced by others of the same program.
fn changed(text: &str, seed: u64) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut random = move |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as usize % n.max(1)
    };
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut tokens: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c| is_word(c) != is_word(first)).unwrap_or(rest.len());
        let end = if is_word(first) { end } else { first.len_utf8() };
        tokens.push(&rest[..end]);
        rest = &rest[end..];
    }
    let words: Vec<usize> = (0..tokens.len()).filter(|i| tokens[*i].chars().all(is_word)).collect();
    let operators = ["+", "-", "*", "/", "<", "&", "|", "%"];
    for _ in 0..1 + random(3) {
        let at = words[random(words.len())];
        match random(3) {
            0 => tokens[at] = tokens[words[random(words.len())]],
            1 => tokens[at] = ["0", "1", "x", "float3", "uint", "int2", "bool", "2.5", "float2x3"][random(9)],
            _ => {
                let at = random(tokens.len());
                if operators.contains(&tokens[at]) {
                    tokens[at] = operators[random(operators.len())];
                }
            }
        }
    }
    tokens.concat()
}

#[test]
fn changed_programs_are_rejected_or_valid() {
    let rounds = std::env::var("FUZZ_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(12);
    let (mut accepted, mut failures) = (0, Vec::new());
    for (n, path) in cases::all().iter().enumerate() {
        let text = std::fs::read_to_string(path).unwrap();
        // An instruction by number means what its author says, right or wrong, and so does a scope.
        if text.contains("ext_instruction") || text.contains("ext_decorate_id") {
            continue;
        }
        let mut command = command(path, &text);
        command.emit = Emit::Spirv;
        let layout = layout(&text);
        for round in 0..rounds {
            let text = changed(&text, (n as u64) << 32 | round);
            command.passes.level = if round % 2 == 0 { Level::O3 } else { Level::O0 };
            match run(path, &text, &command) {
                Ok(Output::Words(words)) => {
                    accepted += 1;
                    if let Some(Err(said)) = validate(&words, &command.target.name, layout) {
                        failures.push(format!("{said}\n{text}"));
                    }
                }
                Ok(Output::Text(_)) => unreachable!("a module is words"),
                Err(pictures) if pictures.contains("[H0999]") => failures.push(pictures + &text),
                Err(_) => {}
            }
        }
    }
    assert!(accepted > 0, "no changed program was accepted");
    assert!(failures.is_empty(), "{} failures, the first:\n{}", failures.len(), failures[0]);
}

/// What to validate a kernel for. Halves and atomics of 64 bits are extensions of OpenCL (cl_khr_fp16,
/// cl_khr_int64_base_atomics), which spirv-val learnt late or not: it refuses them in that environment. Level Zero has them where the
/// device says so. Subgroups need a later version than that of any environment of OpenCL.
fn environment(words: &[u32]) -> &'static str {
    const OP_CAPABILITY: u32 = 2 << 16 | 17;
    const FLOAT16: u32 = 9;
    const INT64_ATOMICS: u32 = 12;
    let extended = words.windows(2).any(|w| w[0] == OP_CAPABILITY && matches!(w[1], FLOAT16 | INT64_ATOMICS));
    match words[1] >> 8 & 0xff {
        3.. => "spv1.3",
        _ if extended => "spv1.2",
        _ => "opencl2.2",
    }
}

/// Programs that use only what kernels have so far.
#[test]
fn kernels_are_valid_too() {
    let mut written = 0;
    for path in cases::all().into_iter().filter(|p| !p.parent().is_some_and(|d| d.ends_with("ok"))) {
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
        match validate(&words, environment(&words), &[]) {
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
    assert!(written >= 10, "only {written} programs became kernels");
}

/// Bodies with one call are moved to it where only entry points count, and copied otherwise: the entry points are the same.
#[test]
fn moved_bodies_are_what_copies_are() {
    let mut compared = 0;
    for path in cases::all() {
        let text = std::fs::read_to_string(&path).unwrap();
        let Some(module) = cases::module(&path, &text, false) else { continue };
        let written = |optimize: fn(Module, &mut Diagnostics) -> Option<Module>| {
            let mut diagnostics = Diagnostics::new();
            let module = optimize(module.clone(), &mut diagnostics)?;
            let words = spv::write(&module, &TargetEnv::default(), spv::WriteOptions::default()).ok()?;
            Some(without_ids(&spv::disassemble(&words).unwrap()))
        };
        let [copied, moved] =
            on_large_stack(|| [pipeline::optimize, pipeline::optimize_entries].map(written));
        assert!(copied == moved, "{}", path.display());
        compared += usize::from(moved.is_some());
    }
    assert!(compared > 100, "{compared} modules were written");
}

/// The instructions without the numbers of their operands, and declarations in an order of their own: types may be met in another.
fn without_ids(text: &str) -> Vec<String> {
    let blank = |line: &str| {
        let words = line.split(' ').map(|w| if w.starts_with('%') { "%" } else { w });
        words.collect::<Vec<_>>().join(" ")
    };
    let mut lines: Vec<String> = text.lines().map(blank).collect();
    let body = lines.iter().position(|l| l.contains("OpFunction ")).unwrap_or(lines.len());
    lines[..body].sort();
    lines
}
