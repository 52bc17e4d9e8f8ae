//! Programs through the whole pipeline, Vulkan and CPU: whatever the text, there is a result or a diagnostic, never a
//! panic; spirv-val takes every module and rustc every CPU source.

mod common;

use common::cases;
use common::changes::{Numbers, tokens};
use spirv_build::diag::Severity;
use spirv_build::hlsl::FileIncludes;
use spirv_build::pipeline::{Options, Outcome, compile};
use spirv_build::target::TargetEnv;
use spirv_interface::CpuEntry;
use std::path::Path;
use std::process::Command;

/// Compiles a text with the options that the first line of a case asks for.
fn run(path: &Path, case: &str, text: &str) -> Outcome {
    let options = Options {
        hlsl: cases::options(path, case),
        target: TargetEnv::preset("vulkan1.3").unwrap(),
        cpu_arch: Some("x86_64".into()),
        level_zero: true,
        warnings: Default::default(),
        kernel: "k".into(),
        source: "k.hlsl".into(),
        shared_arguments: false,
        symbol: "k".into(),
        vulkan: Default::default(),
        passes: cases::passes(path, case),
        error_limit: None,
    };
    compile(&path.to_string_lossy(), text.as_bytes(), &options, &FileIncludes)
}

#[test]
fn the_outside_world_takes_every_module() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (mut taken, mut refused) = (0, Vec::new());
    for path in cases::all() {
        let text = std::fs::read_to_string(&path).unwrap();
        let outcome = run(&path, &text, &text);
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let Some(compiled) = outcome.compiled else {
            let what: Vec<String> = outcome.diagnostics.iter().map(|d| d.message.clone()).collect();
            assert!(
                outcome
                    .diagnostics
                    .iter()
                    .filter(|d| d.severity == Severity::Error)
                    .all(|d| matches!(d.code.id(), "H0901" | "H0302" | "H0801")),
                "{name}: {what:?}"
            );
            refused.push(format!("{name}: {}", what.join("; ")));
            continue;
        };
        match common::validate(&compiled.spirv, "vulkan1.3", cases::layout(&text)) {
            Some(Err(said)) => panic!("{name}: {said}"),
            Some(Ok(())) => {}
            None => eprintln!("skipped: there is no spirv-val"),
        }
        let Some(code) = compiled.cpu else {
            for entry in &compiled.interface.entries {
                let CpuEntry::Refused(why) = &entry.cpu else {
                    panic!("{name}: `{}` has no code for the CPU, and nothing says why", entry.name);
                };
                refused.push(format!("{name}: {why}"));
            }
            continue;
        };
        let file = dir.join(format!("road_{name}.rs"));
        std::fs::write(&file, code).unwrap();
        let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
        // Unoptimised: this is about types and borrows, and about names that the preludes lack.
        let done = Command::new(rustc)
            .args(["--edition=2024", "--crate-type=rlib", "--emit=metadata", "-Awarnings", "-o"])
            .arg(file.with_extension("rmeta"))
            .arg(&file)
            .output()
            .unwrap();
        assert!(done.status.success(), "{name}:\n{}", String::from_utf8_lossy(&done.stderr));
        taken += 1;
    }
    println!("{taken} taken; not supported on the CPU yet:\n{}", refused.join("\n"));
    assert!(taken > refused.len(), "{refused:?}");
}

#[test]
fn changed_programs_never_make_it_panic() {
    let cases = cases::all();
    let texts: Vec<String> = cases.iter().map(|p| std::fs::read_to_string(p).unwrap()).collect();
    let pool: Vec<&str> =
        texts.iter().flat_map(|t| tokens(t, "_")).filter(|t| !t.trim().is_empty()).collect();
    let mut numbers = Numbers(20);
    let rounds = std::env::var("ROUNDS").ok().and_then(|r| r.parse().ok()).unwrap_or(400);
    let mut accepted = 0;
    for _ in 0..rounds {
        let i = numbers.below(cases.len());
        let mut list = tokens(&texts[i], "_");
        for _ in 0..=numbers.below(3) {
            let at = numbers.below(list.len());
            let new = pool[numbers.below(pool.len())];
            // Mostly a word for a word: what still parses reaches the later stages.
            let like = |t: &str| t.chars().next().is_some_and(char::is_alphanumeric);
            if like(list[at]) == like(new) && !list[at].trim().is_empty() {
                list[at] = new;
            }
        }
        let text = list.concat();
        let outcome = std::panic::catch_unwind(|| run(&cases[i], &texts[i], &text));
        match outcome {
            Ok(outcome) => {
                let internal = outcome.diagnostics.iter().find(|d| d.code.id() == "H0999");
                assert!(internal.is_none(), "{internal:?}\n{text}");
                assert_eq!(outcome.compiled.is_none(), outcome.diagnostics.has_errors(), "{text}");
                accepted += usize::from(outcome.compiled.is_some());
            }
            Err(_) => panic!("{} panicked on:\n{text}", cases[i].display()),
        }
    }
    assert!(accepted * 10 > rounds, "only {accepted} of {rounds} reached the back ends");
}
