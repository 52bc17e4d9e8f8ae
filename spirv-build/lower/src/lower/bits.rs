//! Bit fields: some bits of a number.
//!
//! Numbers of 32 bits have instructions for them; those for other widths are not in Vulkan's core, where shifts do the same.

use super::function::Body;
use crate::hlsl::hir::{BitRange, Scalar, TypeId};
use crate::ir::{Op, Value};

impl Body<'_, '_> {
    /// The number that some bits of `whole` are.
    pub(super) fn bit_field(&mut self, whole: Value, range: BitRange, ty: TypeId) -> Value {
        let scalar = self.component(ty, self.span);
        let t = self.ty(whole);
        let (offset, width) = (u32::from(range.offset), u32::from(range.width));
        if scalar == Scalar::Bool {
            // It lies in an `uint`, and any bit of it makes it true.
            let bool_type = self.l.scalar_type(Scalar::Bool);
            let (offset, width) = (self.b().u32(offset), self.b().u32(width));
            let bits = self.op(Op::BitFieldUExtract, t, &[whole, offset, width]);
            let zero = self.bits(t, 0);
            return self.op(Op::INotEqual, bool_type, &[bits, zero]);
        }
        if scalar.bits() == 32 {
            let op = if scalar.is_signed_int() { Op::BitFieldSExtract } else { Op::BitFieldUExtract };
            let (offset, width) = (self.b().u32(offset), self.b().u32(width));
            return self.op(op, t, &[whole, offset, width]);
        }
        let above = scalar.bits() - offset - width;
        let up = self.shifted(Op::ShiftLeftLogical, whole, above);
        let down = if scalar.is_signed_int() { Op::ShiftRightArithmetic } else { Op::ShiftRightLogical };
        self.shifted(down, up, above + offset)
    }

    /// `whole` with some bits replaced by the low ones of `value`.
    pub(super) fn with_bit_field(
        &mut self,
        whole: Value,
        value: Value,
        range: BitRange,
        ty: TypeId,
    ) -> Value {
        let scalar = self.component(ty, self.span);
        let t = self.ty(whole);
        let value = match scalar {
            Scalar::Bool => {
                let (yes, no) = (self.bits(t, 1), self.bits(t, 0));
                self.op(Op::Select, t, &[value, yes, no])
            }
            _ => value,
        };
        if scalar.bits() == 32 {
            let (offset, width) =
                (self.b().u32(u32::from(range.offset)), self.b().u32(u32::from(range.width)));
            return self.op(Op::BitFieldInsert, t, &[whole, value, offset, width]);
        }
        let ones = if range.width >= 64 { u64::MAX } else { (1 << range.width) - 1 };
        let all = if scalar == Scalar::I64 || scalar == Scalar::U64 { u64::MAX } else { 0xffff };
        let mask = ones << range.offset & all;
        let (keep, take) = (self.bits(t, !mask & all), self.bits(t, mask));
        let kept = self.op(Op::BitwiseAnd, t, &[whole, keep]);
        let moved = self.shifted(Op::ShiftLeftLogical, value, u32::from(range.offset));
        let taken = self.op(Op::BitwiseAnd, t, &[moved, take]);
        self.op(Op::BitwiseOr, t, &[kept, taken])
    }

    fn shifted(&mut self, op: Op, v: Value, by: u32) -> Value {
        if by == 0 {
            return v;
        }
        let t = self.ty(v);
        let by = self.bits(t, u64::from(by));
        self.op(op, t, &[v, by])
    }
}
