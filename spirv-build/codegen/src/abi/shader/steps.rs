//! How an instruction computes an address from another.

use super::layout;
use crate::ir::{Function, InstData, Module, Op, TypeKind, Value};

/// What is added to an address.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step {
    /// Bytes.
    Constant(i64),
    /// An index, signed, of so many bytes each.
    Term(Value, u64),
}

/// What an instruction that computes an address adds. None if the layout of what it goes into is not known.
pub(super) fn of(m: &Module, f: &Function, d: &InstData) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    let first = match d.op {
        crate::ir::Opcode::Op(Op::PtrAccessChain | Op::InBoundsPtrAccessChain) => 0,
        crate::ir::Opcode::Op(Op::AccessChain | Op::InBoundsAccessChain) => 1,
        _ => return Some(steps),
    };
    let (mut object, _) = m.ctx.types.pointee(f.values[d.id(0)?].ty)?;
    for (n, index) in (first..).zip(d.ids().skip(1)) {
        let known = f.as_const(index).and_then(|c| m.ctx.consts.bits(c));
        if n > 0 {
            if let TypeKind::Struct(_) = m.ctx.types.kind(object) {
                let (at, member) = layout::part(m, object, known?)?;
                steps.push(Step::Constant(at as i64));
                object = member;
                continue;
            }
            object = m.ctx.types.element(object, 0)?;
        }
        let size = layout::size(m, object)?;
        match known {
            Some(k) => {
                let shift = 64 - u32::from(m.ctx.types.width_of(f.values[index].ty).unwrap_or(64));
                let k = (k << shift) as i64 >> shift;
                steps.push(Step::Constant(k.wrapping_mul(size as i64)));
            }
            None => steps.push(Step::Term(index, size)),
        }
    }
    Some(steps)
}
