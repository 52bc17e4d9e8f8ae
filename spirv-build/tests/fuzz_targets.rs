//! What the fuzz targets do, over their seeds, over programs that are made by rules, and over changes of both, the same in
//! every run. `FUZZ_ROUNDS=2000` makes more of them. spirv-val judges the modules, where it is there.

#[path = "../fuzz/common/mod.rs"]
mod fuzz;

mod common;

use common::cases;
use fuzz::{Numbers, grammar, programs, targets};
use spirv_build::driver::Output;

fn rounds() -> u64 {
    std::env::var("FUZZ_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(24)
}

/// Runs the targets, and has the modules judged. Whether a module was made.
fn run(text: &str) -> bool {
    targets::pp(text.as_bytes());
    targets::parse(text.as_bytes());
    let made = targets::compile(text.as_bytes());
    // An instruction by number means what its author says, right or wrong.
    let meant = text.contains("ext_instruction") || text.contains("Spirv");
    if let (Some(Output::Words(words)), false) = (&made.output, meant) {
        let target = match made.command.target.has_kernels() {
            true => "spv1.4",
            false => made.command.target.name.as_str(),
        };
        if let Some(Err(said)) = common::validate(words, target, &["--scalar-block-layout"]) {
            panic!("{said}\n{text}");
        }
    }
    made.output.is_some()
}

#[test]
fn seeds_pass_the_targets() {
    for text in grammar::SEEDS {
        run(text);
    }
    for path in cases::all() {
        run(&std::fs::read_to_string(path).unwrap());
    }
}

#[test]
fn programs_by_rules_pass_the_targets() {
    let rounds = rounds();
    let valid = (0..rounds).filter(|seed| run(&programs::program(&mut Numbers(*seed)))).count() as u64;
    assert!(valid * 4 > rounds, "the rules make too few valid programs: {valid} of {rounds}");
}

#[test]
fn changes_pass_the_targets() {
    let mut data = vec![0; 1 << 16];
    for seed in 0..rounds() as u32 {
        let start = grammar::SEEDS[seed as usize % grammar::SEEDS.len()];
        let mut size = start.len();
        data[..size].copy_from_slice(start.as_bytes());
        for step in 0..4 {
            size = grammar::mutate(&mut data, size, 1 << 16, seed << 8 | step, |_, size, _| size / 2);
        }
        run(&String::from_utf8_lossy(&data[..size]));
    }
}
