//! Programs through the whole pipeline, Vulkan and CPU: whatever the text, there is a result or a diagnostic, never a
//! panic; spirv-val takes every module and rustc every CPU source.

use spirv_build::diag::Severity;
use spirv_build::driver::flags;
use spirv_build::hlsl::FileIncludes;
use spirv_build::pipeline::{Options, Outcome, compile};
use spirv_build::target::TargetEnv;
use std::path::{Path, PathBuf};
use std::process::Command;

fn cases() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = [
        "tests/spirv",
        "tests/hlsl/ok",
        "../tests/kernels",
        "../examples/blur/kernels",
        "../examples/saxpy/kernels",
    ];
    let mut list: Vec<PathBuf> = folders
        .iter()
        .flat_map(|d| std::fs::read_dir(root.join(d)).unwrap())
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "hlsl"))
        .collect();
    list.sort();
    list
}

/// Compiles a text with the options that the first line of a case asks for.
fn run(path: &Path, case: &str, text: &str) -> Outcome {
    let first = case.lines().next().unwrap_or_default();
    // Cases for `spirvc` name its flags; those of the front end have words of their own.
    let words = first.strip_prefix("// spirvc: ").unwrap_or_default().split_whitespace().map(String::from);
    let command = flags::parse(words.chain(["k.hlsl".into()])).unwrap();
    let mut hlsl = command.hlsl;
    hlsl.entry = None;
    hlsl.profile = "cs_6_6".into();
    hlsl.enable_16bit_types |= first.starts_with("// options: 16bit");
    if first.starts_with("// options: N=3") {
        hlsl.defines.push(("N".into(), "3".into()));
    }
    let options = Options {
        hlsl,
        target: TargetEnv::preset("vulkan1.3").unwrap(),
        cpu_arch: Some("x86_64".into()),
        level_zero: true,
        kernel: "k".into(),
        source: "k.hlsl".into(),
        symbol: "k".into(),
    };
    compile(&path.to_string_lossy(), text.as_bytes(), &options, &FileIncludes)
}

/// The embedded module, by spirv-val where it is installed.
fn validate(name: &str, case: &str, words: &[u32]) {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("road_{name}.spv"));
    std::fs::write(&file, words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>()).unwrap();
    // Layouts that the case asks for and that need a feature of the device.
    let first = case.lines().next().unwrap_or_default();
    let packed = ["-fvk-use-dx-layout", "-fvk-use-scalar-layout"].iter().any(|f| first.contains(f));
    let layout = if packed { &["--scalar-block-layout"][..] } else { &[] };
    match Command::new("spirv-val").args(["--target-env", "vulkan1.3"]).args(layout).arg(&file).output() {
        Ok(done) => assert!(done.status.success(), "{name}: {}", String::from_utf8_lossy(&done.stderr)),
        Err(e) => {
            assert!(std::env::var_os("SPIRV_REQUIRE_COMPONENTS").is_none(), "spirv-val is required: {e}");
            eprintln!("skipped: there is no spirv-val");
        }
    }
}

#[test]
fn the_outside_world_takes_every_module() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (mut taken, mut refused) = (0, Vec::new());
    for path in cases() {
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
        validate(&name, &text, &compiled.spirv);
        let file = dir.join(format!("road_{name}.rs"));
        std::fs::write(&file, compiled.cpu.unwrap()).unwrap();
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

/// Small numbers that are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n.max(1)
    }
}

/// Words, numbers and signs of a text, with the white space between.
fn tokens(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let end = match first {
            c if word(c) => rest.find(|c| !word(c)).unwrap_or(rest.len()),
            c if c.is_whitespace() => rest.find(|c: char| !c.is_whitespace()).unwrap_or(rest.len()),
            c => c.len_utf8(),
        };
        out.push(&rest[..end]);
        rest = &rest[end..];
    }
    out
}

#[test]
fn changed_programs_never_make_it_panic() {
    let cases = cases();
    let texts: Vec<String> = cases.iter().map(|p| std::fs::read_to_string(p).unwrap()).collect();
    let pool: Vec<&str> = texts.iter().flat_map(|t| tokens(t)).filter(|t| !t.trim().is_empty()).collect();
    let mut numbers = Numbers(20);
    let rounds = std::env::var("ROUNDS").ok().and_then(|r| r.parse().ok()).unwrap_or(400);
    let mut accepted = 0;
    for _ in 0..rounds {
        let i = numbers.below(cases.len());
        let mut list = tokens(&texts[i]);
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
