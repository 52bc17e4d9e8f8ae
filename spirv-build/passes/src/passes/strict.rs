//! Keeps floating-point operations apart, as `-Gis` and `-ffp-contract=off` ask, in modules that were not made from HLSL: there
//! lowering says so where it makes the operations.

use super::pass::plain_pass;
use crate::analysis::Preserved;
use crate::ir::{Module, Op, Opcode};

/// Operations that another may be made one with.
const CONTRACTED: &[Op] = &[Op::FAdd, Op::FSub, Op::FMul, Op::FDiv, Op::FRem, Op::FNegate, Op::Dot];

plain_pass! {
    /// Keeps floating-point operations apart.
    Strict, "strict", run, Preserved::ALL
}

/// Runs on all functions.
pub fn run(module: &mut Module) -> bool {
    let mut changed = false;
    let kind = spirv_spec::Decoration::NoContraction;
    for (_, f) in module.functions.iter_mut() {
        for (_, data) in f.insts.iter_mut() {
            let fits = matches!(data.op, Opcode::Op(op) if CONTRACTED.contains(&op));
            if fits && !data.decorations.has(kind) {
                data.decorations.mark(kind);
                changed = true;
            }
        }
    }
    changed
}
