//! Bit fields: an offset and a number of bits, which may be all or none.

use super::Expansion;
use crate::ir::{Op, Type, Value};

type Result = Option<Value>;

/// Where a field lies, with the width of the number and for each of its components.
struct Place {
    offset: Value,
    /// Bits beside the field, wherever they are.
    rest: Value,
    /// Whether it has no bits. What is computed then is chosen away: a shift by the width has no meaning.
    is_none: Value,
}

impl Place {
    fn of(e: &mut Expansion<'_>, ty: Type, offset: Value, count: Value) -> Option<Place> {
        let width = u64::from(e.b.ctx.types.width_of(ty)?);
        let (offset, count) = (like(e, ty, offset), like(e, ty, count));
        let (full, none, truth) = (e.int(ty, width), e.int(ty, 0), e.truth(ty));
        let rest = e.op(Op::ISub, ty, &[full, count]);
        let is_none = e.op(Op::IEqual, truth, &[count, none]);
        Some(Place { offset, rest, is_none })
    }

    /// As many of the lowest bits as the field has.
    fn mask(&self, e: &mut Expansion<'_>, ty: Type) -> Value {
        let all = e.int(ty, u64::MAX);
        e.op(Op::ShiftRightLogical, ty, &[all, self.rest])
    }
}

/// An offset or count, in the width of `ty` and in each of its components.
fn like(e: &mut Expansion<'_>, ty: Type, scalar: Value) -> Value {
    let v = e.spread(ty, scalar);
    let from = e.b.ty(v);
    let same_width = e.b.ctx.types.width_of(from) == e.b.ctx.types.width_of(ty);
    match from == ty {
        true => v,
        false => e.op(if same_width { Op::Bitcast } else { Op::UConvert }, ty, &[v]),
    }
}

pub(super) fn insert(e: &mut Expansion<'_>, ty: Type, ids: &[Value]) -> Result {
    let &[base, insert, offset, count] = ids else { return None };
    let place = Place::of(e, ty, offset, count)?;
    let mask = place.mask(e, ty);
    let field = e.op(Op::ShiftLeftLogical, ty, &[mask, place.offset]);
    let outside = e.op(Op::Not, ty, &[field]);
    let kept = e.op(Op::BitwiseAnd, ty, &[base, outside]);
    // Bits above the count count for nothing.
    let value = e.op(Op::ShiftLeftLogical, ty, &[insert, place.offset]);
    let value = e.op(Op::BitwiseAnd, ty, &[value, field]);
    let v = e.op(Op::BitwiseOr, ty, &[kept, value]);
    Some(e.op(Op::Select, ty, &[place.is_none, base, v]))
}

pub(super) fn extract(e: &mut Expansion<'_>, ty: Type, ids: &[Value]) -> Result {
    let &[base, offset, count] = ids else { return None };
    let place = Place::of(e, ty, offset, count)?;
    let mask = place.mask(e, ty);
    let low = e.op(Op::ShiftRightLogical, ty, &[base, place.offset]);
    let (v, zero) = (e.op(Op::BitwiseAnd, ty, &[low, mask]), e.int(ty, 0));
    Some(e.op(Op::Select, ty, &[place.is_none, zero, v]))
}

/// The highest bit of the field becomes the highest of the number, and comes back with it.
pub(super) fn extract_signed(e: &mut Expansion<'_>, ty: Type, ids: &[Value]) -> Result {
    let &[base, offset, count] = ids else { return None };
    let place = Place::of(e, ty, offset, count)?;
    let above = e.op(Op::ISub, ty, &[place.rest, place.offset]);
    let high = e.op(Op::ShiftLeftLogical, ty, &[base, above]);
    let (v, zero) = (e.op(Op::ShiftRightArithmetic, ty, &[high, place.rest]), e.int(ty, 0));
    Some(e.op(Op::Select, ty, &[place.is_none, zero, v]))
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
