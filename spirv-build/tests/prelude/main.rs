//! Every operation of the CPU preludes against references in f64 and Rust's integers, on each instruction set that
//! this machine has. The preludes are compiled as the build script would, by rustc.

mod wide;
mod words;

use std::path::Path;
use std::process::Command;

use spirv_build::cpu;
use spirv_build::spmd::{Kind, LeafData, Program, Shape};

#[test]
fn words_agree_with_references() {
    check("words", words::CHECKS, &[Program::default()]);
}

#[test]
fn values_of_64_bits_agree_with_references() {
    // The 64-bit operations are only there for programs that have such values.
    let mut program = Program::default();
    program.leaves.push(LeafData { kind: Kind::Long, shape: Shape::Varying, home: None });
    check("wide", wide::CHECKS, &[program]);
}

/// Puts checks beside the operations of each instruction set and runs them.
fn check(name: &str, checks: &str, programs: &[Program]) {
    let isas = cpu::isas_for(std::env::consts::ARCH);
    let symbols = vec!["unused".to_string(); programs.len()];
    let source = cpu::emit(programs, &symbols, &isas, &Default::default());
    let mut text = source.text.replace("#![no_std]\n", "");
    let mut main = String::from("fn main() {\nlet mut failed = 0;\n");
    for isa in &isas {
        let op = match isa.features {
            "" => "#[inline]".to_string(),
            f => format!("#[target_feature(enable = \"{f}\")]"),
        };
        text = text.replace(
            &format!("pub mod {} {{", isa.name),
            &format!("pub mod {} {{{}", isa.name, checks.replace("#[op]", &op)),
        );
        let detected: Vec<String> = isa
            .features
            .split(',')
            .filter(|f| !f.is_empty())
            .map(|f| format!("std::is_x86_feature_detected!({f:?})"))
            .chain(["true".to_string()])
            .collect();
        main.push_str(&format!(
            "if {} {{ println!(\"{}\"); failed += unsafe {{ {}::checks::run() }}; }}\n",
            detected.join(" && "),
            isa.name,
            isa.name
        ));
    }
    main.push_str("if failed != 0 { std::process::exit(1) }\n}\n");
    text.push_str(&main);
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (file, program) = (dir.join(format!("prelude_{name}.rs")), dir.join(format!("prelude_{name}")));
    std::fs::write(&file, text).unwrap();
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let built = Command::new(rustc)
        .args([
            "--edition=2024",
            "-Copt-level=2",
            "-Coverflow-checks=off",
            "-Cdebuginfo=0",
            "-Awarnings",
            "-o",
        ])
        .arg(&program)
        .arg(&file)
        .output()
        .unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let run = Command::new(&program).output().unwrap();
    let out = String::from_utf8_lossy(&run.stdout);
    let shown: Vec<&str> = out.lines().take(60).collect();
    assert!(run.status.success(), "{}", shown.join("\n"));
    for isa in isas.iter().filter(|i| i.features.is_empty()) {
        assert!(out.contains(isa.name), "{} did not run", isa.name);
    }
}
