//! Programs made by rules through every pass alone, and through passes in any order: verified after each, and what they compute must
//! stay what it was. An interpreter of the IR that shares no code with the passes runs them. `FUZZ_ROUNDS=20000` makes more.

#[path = "../fuzz/common/mod.rs"]
mod fuzz;

#[path = "differential/interpreter.rs"]
mod interpreter;
#[path = "differential/scalar.rs"]
mod scalar;

use fuzz::{Numbers, arithmetic};
use interpreter::{Datum, Stop};
use spirv_build::diag::{Diagnostics, Findings, render};
use spirv_build::hlsl::{self, FileIncludes, lower};
use spirv_build::ir::{Module, print};
use spirv_build::passes::{Instruments, Manager, registry};
use spirv_build::pipeline;
use spirv_build::source::SourceMap;
use spirv_build::stack::on_large_stack;

/// Invocations of each program.
const INVOCATIONS: u64 = 3;

/// Passes that keep a module what it is for the interpreter. The others say for a target what is meant already; those run too, where
/// they change nothing that it sees.
fn items() -> Vec<String> {
    let skipped = ["guard-addresses"];
    let rows = registry::REGISTRY.iter().filter(|row| !skipped.contains(&row.name));
    rows.flat_map(|row| match row.options {
        [] => vec![row.name.to_string()],
        options => options.iter().map(|o| format!("{}({o})", row.name)).collect(),
    })
    .collect()
}

fn lowered(text: &str) -> Module {
    let (mut sources, mut d) = (SourceMap::new(), Diagnostics::new());
    let module = on_large_stack(|| {
        let options = hlsl::Options { profile: "cs_6_6".into(), ..Default::default() };
        let hir = hlsl::compile_to_hir("p.hlsl", text, &options, &FileIncludes, &mut sources, &mut d)?;
        pipeline::lower_hir(&hir, &lower::Options::default(), &mut d)
    });
    module.unwrap_or_else(|| panic!("{}\n{text}", render::pictures(&d, &sources, false)))
}

/// Whether a result is the same; of what is undefined before nothing is asked.
fn same(before: &Datum, after: &Datum) -> bool {
    match (before, after) {
        (Datum::Undef, _) => true,
        (Datum::Parts(a), Datum::Parts(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        _ => before == after,
    }
}

fn check(text: &str, module: &Module, before: &[Datum], list: &str) {
    let passes = registry::parse(list).unwrap();
    let mut after = module.clone();
    let mut findings = Findings::new();
    let mut manager = Manager::new(Instruments { verify: true, ..Instruments::default() });
    manager.run(passes.iter().map(Box::as_ref), &mut after, &mut findings);
    let context = || format!("{list}\n{text}\n{}", print::print(&after));
    assert!(!findings.has_errors(), "{:?}\n{}", findings.iter().next(), context());
    match interpreter::run(&after, INVOCATIONS) {
        Ok(now) => {
            let first = before.iter().zip(&now).position(|(a, b)| !same(a, b));
            assert!(first.is_none(), "another result: {:?}\n{:?}\n{}", before, now, context());
        }
        Err(why) => panic!("{why:?}: {}", context()),
    }
}

#[test]
fn programs_compute_the_same_after_passes() {
    let rounds = std::env::var("FUZZ_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(5);
    let seed = std::env::var("FUZZ_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(0);
    let items = items();
    let mut ran = 0;
    for round in seed..seed + rounds {
        let mut numbers = Numbers(round);
        let text = arithmetic::program(&mut numbers);
        let module = lowered(&text);
        let before = match interpreter::run(&module, INVOCATIONS) {
            Ok(before) => before,
            Err(Stop::Undefined) => continue,
            Err(Stop::Unknown(what)) => panic!("the interpreter does not know {what}\n{text}"),
        };
        ran += 1;
        for item in &items {
            check(&text, &module, &before, item);
        }
        // What most passes work on: one function, values in place of variables.
        for _ in 0..4 {
            let mut list = vec![numbers.of(&["inline(all)", "inline(entries)"]).to_string()];
            list.extend((0..3 + numbers.below(10)).map(|_| items[numbers.below(items.len())].clone()));
            check(&text, &module, &before, &list.join(","));
        }
        check(&text, &module, &before, "inline(entries),localize,sroa,mem2reg,sccp,simplify-cfg,sccp,dce");
    }
    assert!(ran * 2 > rounds, "too few programs are defined: {ran} of {rounds}");
}
