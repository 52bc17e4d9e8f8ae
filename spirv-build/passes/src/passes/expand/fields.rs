//! Bit fields: an offset and a number of bits, which may be all or none.

use super::Expansion;
use crate::ir::{Op, Type, Value};

type Result = Option<Value>;

/// An offset or count, in the width of `ty` and in each of its components.
fn like(e: &mut Expansion<'_>, ty: Type, scalar: Value) -> Value {
    let elem = e.scalar(ty);
    let (from, to) = (e.b.ctx.types.width_of(e.b.ty(scalar)), e.b.ctx.types.width_of(elem));
    let v = match e.b.ty(scalar) == elem {
        true => scalar,
        false => e.op(if from == to { Op::Bitcast } else { Op::UConvert }, elem, &[scalar]),
    };
    e.spread(ty, v)
}

/// The lowest `count` bits.
fn mask(e: &mut Expansion<'_>, ty: Type, count: Value) -> Option<Value> {
    let width = u64::from(e.b.ctx.types.width_of(ty)?);
    let (count, truth) = (like(e, ty, count), e.truth(ty));
    let (all, full, none) = (e.int(ty, u64::MAX), e.int(ty, width), e.int(ty, 0));
    // A shift by the width has no meaning, so the mask of no bits is chosen, not shifted.
    let is_none = e.op(Op::IEqual, truth, &[count, none]);
    let unused = e.op(Op::ISub, ty, &[full, count]);
    let unused = e.op(Op::Select, ty, &[is_none, none, unused]);
    let mask = e.op(Op::ShiftRightLogical, ty, &[all, unused]);
    Some(e.op(Op::Select, ty, &[is_none, none, mask]))
}

pub(super) fn insert(e: &mut Expansion<'_>, ty: Type, ids: &[Value]) -> Result {
    let &[base, insert, offset, count] = ids else { return None };
    let (offset, mask) = (like(e, ty, offset), mask(e, ty, count)?);
    let placed = e.op(Op::ShiftLeftLogical, ty, &[mask, offset]);
    let value = e.op(Op::ShiftLeftLogical, ty, &[insert, offset]);
    let value = e.op(Op::BitwiseAnd, ty, &[value, placed]);
    let outside = e.op(Op::Not, ty, &[placed]);
    let kept = e.op(Op::BitwiseAnd, ty, &[base, outside]);
    Some(e.op(Op::BitwiseOr, ty, &[kept, value]))
}

/// The field in the lowest bits, and its mask there.
fn field(e: &mut Expansion<'_>, ty: Type, ids: &[Value]) -> Option<(Value, Value)> {
    let &[base, offset, count] = ids else { return None };
    let (offset, mask) = (like(e, ty, offset), mask(e, ty, count)?);
    let low = e.op(Op::ShiftRightLogical, ty, &[base, offset]);
    Some((e.op(Op::BitwiseAnd, ty, &[low, mask]), mask))
}

pub(super) fn extract(e: &mut Expansion<'_>, ty: Type, ids: &[Value]) -> Result {
    Some(field(e, ty, ids)?.0)
}

/// The highest bit of the field decides: (x ^ sign) - sign, where sign is that bit alone, 0 for no bits.
pub(super) fn extract_signed(e: &mut Expansion<'_>, ty: Type, ids: &[Value]) -> Result {
    let (low, mask) = field(e, ty, ids)?;
    let one = e.int(ty, 1);
    let below = e.op(Op::ShiftRightLogical, ty, &[mask, one]);
    let sign = e.op(Op::BitwiseXor, ty, &[mask, below]);
    let flipped = e.op(Op::BitwiseXor, ty, &[low, sign]);
    Some(e.op(Op::ISub, ty, &[flipped, sign]))
}

/// Swaps halves, quarters, ... single bits.
pub(super) fn reverse(e: &mut Expansion<'_>, ty: Type, ids: &[Value]) -> Result {
    let mut v = *ids.first()?;
    let width = u64::from(e.b.ctx.types.width_of(ty)?);
    let mut step = width / 2;
    while step > 0 {
        let ones = (0..width).filter(|i| i / step % 2 == 0).fold(0, |m, i| m | 1u64 << i);
        let (mask, by) = (e.int(ty, ones), e.int(ty, step));
        let high = e.op(Op::ShiftRightLogical, ty, &[v, by]);
        let high = e.op(Op::BitwiseAnd, ty, &[high, mask]);
        let low = e.op(Op::BitwiseAnd, ty, &[v, mask]);
        let low = e.op(Op::ShiftLeftLogical, ty, &[low, by]);
        v = e.op(Op::BitwiseOr, ty, &[high, low]);
        step /= 2;
    }
    Some(v)
}
