//! Indices are unsigned in HLSL; a negative constant, which is far out of bounds, must not look negative either: SPIR-V
//! forbids it.

use super::pass::plain_pass;
use crate::analysis::Preserved;
use crate::ir::{ConstKind, Module, Op, Opcode, Operand, TypeKind, walk};

plain_pass! {
    /// Makes negative constant indices unsigned ones.
    UnsignedIndices, "unsigned-indices", run, Preserved::STRUCTURE
}

fn run(module: &mut Module) -> bool {
    let mut changed = false;
    let Module { ctx, functions, .. } = module;
    for (_, f) in functions.iter_mut() {
        let mut found = Vec::new();
        for inst in walk::insts(f) {
            let data = &f.insts[inst];
            if !matches!(data.op, Opcode::Op(Op::AccessChain | Op::InBoundsAccessChain)) {
                continue;
            }
            for (i, o) in data.operands.iter().enumerate().skip(1) {
                let Operand::Id(v) = *o else { continue };
                let Some(c) = f.as_const(v) else { continue };
                let ty = ctx.consts.ty(c);
                let (TypeKind::Int { width, signed: true }, Some(bits)) =
                    (ctx.types.kind(ty), ctx.consts.bits(c))
                else {
                    continue;
                };
                if bits >> (width - 1) & 1 != 0 {
                    found.push((inst, i, *width, bits));
                }
            }
        }
        changed |= !found.is_empty();
        for (inst, i, width, bits) in found {
            let ty = ctx.types.int(width, false);
            let c = ctx.constant(ty, ConstKind::Bits(bits));
            f.insts[inst].operands[i] = Operand::Id(f.const_value(c, ty));
        }
    }
    changed
}
