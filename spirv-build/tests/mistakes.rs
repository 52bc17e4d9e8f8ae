//! Mistakes that people make, and what they are told: `mistakes/*.txt`.
//!
//! A case is a line `== body: title` or `== file: title`, the source, and behind `--` the messages, each as `line:column: severity
//! code: message` with its help. A body stands in a kernel with `RWStructuredBuffer<float> o` and `uint3 id`.
//! `UPDATE_EXPECT=1` rewrites the messages.

mod common;

use common::check_expected;
use spirv_build::diag::render;
use spirv_build::hlsl::FileIncludes;
use spirv_build::pipeline::{Options, Outcome, compile};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

const HEAD: &str = "RWStructuredBuffer<float> o;
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
#line 1
";

/// Words of the inside, which are nobody's business.
const INTERNALS: &[&str] =
    &["Op", "opcode", "HIR", "lvalue", "rvalue", "SSA", "basic block", "value id", "pointer as a value"];

struct Case {
    title: String,
    source: String,
}

fn files() -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mistakes");
    let mut list: Vec<_> = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()).collect();
    list.retain(|p| p.extension().is_some_and(|e| e == "txt"));
    list.sort();
    list
}

fn cases(text: &str) -> Vec<Case> {
    format!("\n{text}")
        .split("\n== ")
        .skip(1)
        .map(|case| {
            let (title, rest) = case.split_once('\n').unwrap();
            let source = rest.split("\n--\n").next().unwrap().trim_end().to_string();
            Case { title: title.to_string(), source }
        })
        .collect()
}

fn outcome(case: &Case) -> Outcome {
    let source = match case.title.strip_prefix("body: ") {
        Some(_) => format!("{HEAD}{}\n}}\n", case.source),
        None => format!("{}\n", case.source),
    };
    let options = Options {
        hlsl: spirv_build::hlsl::Options { profile: "cs_6_6".into(), ..Default::default() },
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
    compile("k.hlsl", source.as_bytes(), &options, &FileIncludes)
}

#[test]
fn mistakes_are_told_as_expected() {
    let mut failures = Vec::new();
    for path in files() {
        let text = std::fs::read_to_string(&path).unwrap();
        let mut out = String::new();
        for case in cases(&text) {
            let outcome = outcome(&case);
            let _ = writeln!(out, "== {}\n{}\n--", case.title, case.source);
            let found = outcome.diagnostics.sorted(&outcome.sources);
            assert!(!found.is_empty(), "{}: nothing is said", case.title);
            for d in found {
                let line = render::one_line(d, &outcome.sources);
                let _ = writeln!(out, "{}", line.strip_prefix("k.hlsl:").unwrap_or(&line));
                d.help.iter().for_each(|h| out += &format!("    help: {h}\n"));
            }
            out.push('\n');
        }
        check_expected(&path, &(out.trim_end().to_string() + "\n"), &mut failures);
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// A word of the inside in a text, if there is one.
fn internal(text: &str) -> Option<&'static str> {
    let is_word = |w: &str| text.split(|c: char| !c.is_alphanumeric()).any(|t| t == w);
    let found = INTERNALS.iter().find(|w| if w.contains(' ') { text.contains(**w) } else { is_word(w) });
    let mut words = text.split(|c: char| !c.is_alphanumeric());
    let op = words
        .any(|w| w.strip_prefix("Op").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase())));
    found.copied().or(op.then_some("an instruction of SPIR-V"))
}

#[test]
fn messages_speak_of_hlsl() {
    for path in files() {
        for case in cases(&std::fs::read_to_string(&path).unwrap()) {
            let outcome = outcome(&case);
            for d in outcome.diagnostics.sorted(&outcome.sources) {
                assert!(d.span.is_some(), "{}: no place", case.title);
                let texts = [&d.message, &d.label].into_iter().chain(&d.notes).chain(&d.help);
                for text in texts.chain(d.secondary.iter().map(|s| &s.1)) {
                    assert_eq!(internal(text), None, "{}: {text}", case.title);
                }
            }
        }
    }
}

#[test]
fn messages_of_all_mistakes_in_the_tests_speak_of_hlsl() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hlsl/err");
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "expect") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        // Lines of the source begin with their number.
        let own = |line: &&str| !line.trim_start().starts_with(|c: char| c.is_ascii_digit());
        for line in text.lines().filter(own) {
            assert_eq!(internal(line), None, "{}: {line}", path.display());
        }
    }
    for &code in spirv_build::diag::Code::ALL {
        assert_eq!(internal(code.explanation()), None, "{}", code.id());
    }
}

#[test]
fn there_are_a_hundred() {
    let all: usize = files().iter().map(|p| cases(&std::fs::read_to_string(p).unwrap()).len()).sum();
    assert!(all >= 100, "{all}");
}
