//! Programs made by rules through every pass alone, and through passes in any order: verified after each, and what they compute must
//! stay what it was. `FUZZ_ROUNDS=20000` makes more.

#[path = "../fuzz/common/mod.rs"]
mod fuzz;

use fuzz::Numbers;
use fuzz::passes::{ONE_FUNCTION, Program, items};

/// What `-O1` and above are made of.
const OPTIMISED: &str = "inline(entries),localize,split-handles,sroa,mem2reg,sccp,unroll,legalize-resources(elements),\
                         simplify-cfg,sccp,dce";

#[test]
fn programs_compute_the_same_after_passes() {
    let rounds = std::env::var("FUZZ_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(4);
    let seed = std::env::var("FUZZ_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(0);
    let items = items();
    let mut ran = 0;
    for round in seed..seed + rounds {
        let mut numbers = Numbers(round);
        let Some(program) = Program::new(&mut numbers) else { continue };
        ran += 1;
        for item in &items {
            program.survives(item);
        }
        for _ in 0..4 {
            let mut list = vec![numbers.of(&ONE_FUNCTION).to_string()];
            list.extend((0..3 + numbers.below(10)).map(|_| items[numbers.below(items.len())].clone()));
            program.survives(&list.join(","));
        }
        assert!(program.survives(OPTIMISED));
    }
    assert!(ran * 2 > rounds, "too few programs are defined: {ran} of {rounds}");
}
