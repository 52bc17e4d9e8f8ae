//! Functions of integers, and those that choose bits.

use super::body::Body;
use crate::ir::{GlslOp, Op, Type, TypeKind, Value};
use spirv_spec::ClOp as Cl;

impl Body<'_, '_> {
    /// An integer function by components, on up to four. None: it is none.
    pub fn integer(&mut self, cl: Cl, ty: Type, ids: &[Value]) -> Option<Value> {
        let bools = self.bools_like(ty);
        match (cl, ids) {
            (Cl::bitselect, [a, b, c]) => {
                let width = self.l.new.ctx.types.width_of(ty)?;
                let ints = self.ints_like(ty, width);
                let [a, b, c] = [*a, *b, *c].map(|v| self.cast(v, ints));
                let not = self.b().op(Op::Not, ints, &[c]);
                let (x, y) = (
                    self.b().op(Op::BitwiseAnd, ints, &[a, not]),
                    self.b().op(Op::BitwiseAnd, ints, &[b, c]),
                );
                let v = self.b().op(Op::BitwiseOr, ints, &[x, y]);
                return Some(self.cast(v, ty));
            }
            (Cl::select, [a, b, c]) => {
                // Of vectors the sign chooses, of scalars whether it is 0.
                let condition = self.f.values[*c].ty;
                let (zero, bools) = (self.number(condition, 0), self.bools_like(condition));
                let op =
                    if self.l.new.ctx.types.len_of(condition) > 1 { Op::SLessThan } else { Op::INotEqual };
                let set = self.b().op(op, bools, &[*c, zero]);
                return Some(self.b().op(Op::Select, ty, &[set, *b, *a]));
            }
            _ => {}
        }
        if cl == Cl::ilogb {
            return self.exponent(*ids.first()?);
        }
        if !matches!(self.l.new.ctx.types.kind(self.l.new.ctx.types.scalar_of(ty)), TypeKind::Int { .. }) {
            return None;
        }
        let width = u64::from(self.l.new.ctx.types.width_of(ty)?);
        let one = self.number(ty, 1);
        Some(match (cl, ids) {
            (Cl::u_abs, [x]) => *x,
            (Cl::s_abs_diff | Cl::u_abs_diff, [a, b]) => {
                let op = if cl == Cl::s_abs_diff { Op::SLessThan } else { Op::ULessThan };
                let less = self.b().op(op, bools, &[*a, *b]);
                let (x, y) = (self.b().op(Op::ISub, ty, &[*b, *a]), self.b().op(Op::ISub, ty, &[*a, *b]));
                self.b().op(Op::Select, ty, &[less, x, y])
            }
            (Cl::u_add_sat, [a, b]) => {
                let sum = self.b().op(Op::IAdd, ty, &[*a, *b]);
                let (over, all) = (self.b().op(Op::ULessThan, bools, &[sum, *a]), self.number(ty, u64::MAX));
                self.b().op(Op::Select, ty, &[over, all, sum])
            }
            (Cl::u_sub_sat, [a, b]) => {
                let difference = self.b().op(Op::ISub, ty, &[*a, *b]);
                let (under, zero) = (self.b().op(Op::ULessThan, bools, &[*a, *b]), self.number(ty, 0));
                self.b().op(Op::Select, ty, &[under, zero, difference])
            }
            (Cl::s_add_sat | Cl::s_sub_sat, [a, b]) => {
                self.signed_saturation(cl == Cl::s_add_sat, ty, *a, *b)
            }
            (Cl::s_hadd | Cl::u_hadd | Cl::s_rhadd | Cl::u_rhadd, [a, b]) => {
                let shift = if matches!(cl, Cl::s_hadd | Cl::s_rhadd) {
                    Op::ShiftRightArithmetic
                } else {
                    Op::ShiftRightLogical
                };
                let round = matches!(cl, Cl::s_rhadd | Cl::u_rhadd);
                let (x, y) = (self.b().op(shift, ty, &[*a, one]), self.b().op(shift, ty, &[*b, one]));
                let carry = self.b().op(if round { Op::BitwiseOr } else { Op::BitwiseAnd }, ty, &[*a, *b]);
                let carry = self.b().op(Op::BitwiseAnd, ty, &[carry, one]);
                let sum = self.b().op(Op::IAdd, ty, &[x, y]);
                self.b().op(Op::IAdd, ty, &[sum, carry])
            }
            (Cl::popcount, [x]) => self.bit_count(ty, *x),
            (Cl::clz, [x]) => self.leading(ty, *x),
            (Cl::ctz, [x]) => self.trailing(ty, *x),
            (Cl::rotate, [x, n]) => {
                let (mask, size) = (self.number(ty, width - 1), self.number(ty, width));
                let n = self.b().op(Op::BitwiseAnd, ty, &[*n, mask]);
                let back = self.b().op(Op::ISub, ty, &[size, n]);
                let back = self.b().op(Op::BitwiseAnd, ty, &[back, mask]);
                let left = self.b().op(Op::ShiftLeftLogical, ty, &[*x, n]);
                let right = self.b().op(Op::ShiftRightLogical, ty, &[*x, back]);
                self.b().op(Op::BitwiseOr, ty, &[left, right])
            }
            // Operands have no more than 24 bits.
            (Cl::s_mul24 | Cl::u_mul24, [a, b]) => self.b().op(Op::IMul, ty, &[*a, *b]),
            (Cl::s_mad24 | Cl::u_mad24, [a, b, c]) => {
                let product = self.b().op(Op::IMul, ty, &[*a, *b]);
                self.b().op(Op::IAdd, ty, &[product, *c])
            }
            (Cl::s_mul_hi | Cl::u_mul_hi, [a, b]) => self.high_product(cl == Cl::s_mul_hi, ty, *a, *b),
            (Cl::s_mad_hi | Cl::u_mad_hi, [a, b, c]) => {
                let high = self.high_product(cl == Cl::s_mad_hi, ty, *a, *b);
                self.b().op(Op::IAdd, ty, &[high, *c])
            }
            (Cl::u_mad_sat, [a, b, c]) => {
                let low = self.b().op(Op::IMul, ty, &[*a, *b]);
                let high = self.high_product(false, ty, *a, *b);
                let sum = self.b().op(Op::IAdd, ty, &[low, *c]);
                let (zero, all) = (self.number(ty, 0), self.number(ty, u64::MAX));
                let carry = self.b().op(Op::ULessThan, bools, &[sum, low]);
                let large = self.b().op(Op::INotEqual, bools, &[high, zero]);
                let over = self.b().op(Op::LogicalOr, bools, &[carry, large]);
                self.b().op(Op::Select, ty, &[over, all, sum])
            }
            (Cl::s_mad_sat, [a, b, c]) => {
                // The product in two words, the third operand added with its sign above it.
                let low = self.b().op(Op::IMul, ty, &[*a, *b]);
                let high = self.high_product(true, ty, *a, *b);
                let (top, zero) = (self.number(ty, width - 1), self.number(ty, 0));
                let sign = self.b().op(Op::ShiftRightArithmetic, ty, &[*c, top]);
                let sum = self.b().op(Op::IAdd, ty, &[low, *c]);
                let carry = self.b().op(Op::ULessThan, bools, &[sum, low]);
                let carry = self.b().op(Op::Select, ty, &[carry, one, zero]);
                let high = self.b().op(Op::IAdd, ty, &[high, sign]);
                let high = self.b().op(Op::IAdd, ty, &[high, carry]);
                let fits = self.b().op(Op::ShiftRightArithmetic, ty, &[sum, top]);
                let fits = self.b().op(Op::IEqual, bools, &[fits, high]);
                let negative = self.b().op(Op::SLessThan, bools, &[high, zero]);
                let least = 1u64 << (width - 1);
                let (least, most) = (self.number(ty, least), self.number(ty, least - 1));
                let end = self.b().op(Op::Select, ty, &[negative, least, most]);
                self.b().op(Op::Select, ty, &[fits, sum, end])
            }
            (Cl::s_upsample | Cl::u_upsample, [a, b]) => {
                let high = self.b().op(Op::UConvert, ty, &[*a]);
                let low = self.b().op(Op::UConvert, ty, &[*b]);
                let by = self.number(ty, width / 2);
                let high = self.b().op(Op::ShiftLeftLogical, ty, &[high, by]);
                self.b().op(Op::BitwiseOr, ty, &[high, low])
            }
            _ => return None,
        })
    }

    fn signed_saturation(&mut self, add: bool, ty: Type, a: Value, b: Value) -> Value {
        let bools = self.bools_like(ty);
        let width = u64::from(self.l.new.ctx.types.width_of(ty).unwrap_or(32));
        let v = self.b().op(if add { Op::IAdd } else { Op::ISub }, ty, &[a, b]);
        // Of a sum both operands differ in sign from it, of a difference the operands from each other.
        let other = if add { v } else { a };
        let (x, y) = (self.b().op(Op::BitwiseXor, ty, &[v, a]), self.b().op(Op::BitwiseXor, ty, &[other, b]));
        let both = self.b().op(Op::BitwiseAnd, ty, &[x, y]);
        let zero = self.number(ty, 0);
        let over = self.b().op(Op::SLessThan, bools, &[both, zero]);
        let least = 1u64 << (width - 1);
        let (least, most) = (self.number(ty, least), self.number(ty, least - 1));
        let negative = self.b().op(Op::SLessThan, bools, &[a, zero]);
        let end = self.b().op(Op::Select, ty, &[negative, least, most]);
        self.b().op(Op::Select, ty, &[over, end, v])
    }

    fn leading(&mut self, ty: Type, x: Value) -> Value {
        let words = self.ints_like(ty, 32);
        let width = u64::from(self.l.new.ctx.types.width_of(ty).unwrap_or(32));
        // The number of the highest bit, -1 if there is none.
        let top = |b: &mut Self, x| b.glsl(GlslOp::FindUMsb, words, &[x]);
        let n = if width == 64 {
            let (low, high) = self.halves(x);
            let (bools, zero, by) = (self.bools_like(words), self.number(words, 0), self.number(words, 32));
            let (a, b) = (top(self, low), top(self, high));
            let upper = self.b().op(Op::IAdd, words, &[b, by]);
            let none = self.b().op(Op::IEqual, bools, &[high, zero]);
            self.b().op(Op::Select, words, &[none, a, upper])
        } else {
            let x = self.in_words(x, false);
            top(self, x)
        };
        let last = self.number(words, width - 1);
        let n = self.b().op(Op::ISub, words, &[last, n]);
        if words == ty { n } else { self.b().op(Op::UConvert, ty, &[n]) }
    }

    fn trailing(&mut self, ty: Type, x: Value) -> Value {
        let words = self.ints_like(ty, 32);
        let width = u64::from(self.l.new.ctx.types.width_of(ty).unwrap_or(32));
        let bools = self.bools_like(words);
        let zero = self.number(words, 0);
        let n = if width == 64 {
            let (low, high) = self.halves(x);
            let (a, b) =
                (self.glsl(GlslOp::FindILsb, words, &[low]), self.glsl(GlslOp::FindILsb, words, &[high]));
            let (by, all) = (self.number(words, 32), self.number(words, 64));
            let upper = self.b().op(Op::IAdd, words, &[b, by]);
            let none = self.b().op(Op::IEqual, bools, &[high, zero]);
            let upper = self.b().op(Op::Select, words, &[none, all, upper]);
            let empty = self.b().op(Op::IEqual, bools, &[low, zero]);
            self.b().op(Op::Select, words, &[empty, upper, a])
        } else {
            let x = self.in_words(x, false);
            let n = self.glsl(GlslOp::FindILsb, words, &[x]);
            let (none, all) = (self.b().op(Op::IEqual, bools, &[x, zero]), self.number(words, width));
            self.b().op(Op::Select, words, &[none, all, n])
        };
        if words == ty { n } else { self.b().op(Op::UConvert, ty, &[n]) }
    }

    /// The high half of a product.
    fn high_product(&mut self, signed: bool, ty: Type, a: Value, b: Value) -> Value {
        let width = u64::from(self.l.new.ctx.types.width_of(ty).unwrap_or(32));
        if width < 32 {
            let (x, y) = (self.in_words(a, signed), self.in_words(b, signed));
            let words = self.f.values[x].ty;
            let (all, by) = (self.b().op(Op::IMul, words, &[x, y]), self.number(words, width));
            let high = self.b().op(Op::ShiftRightLogical, words, &[all, by]);
            return self.b().op(Op::UConvert, ty, &[high]);
        }
        // By halves: no partial sum overflows.
        let half = width / 2;
        let (mask, by) = (self.number(ty, (1 << half) - 1), self.number(ty, half));
        let low = |s: &mut Self, v| s.b().op(Op::BitwiseAnd, ty, &[v, mask]);
        let high = |s: &mut Self, v| s.b().op(Op::ShiftRightLogical, ty, &[v, by]);
        let times = |s: &mut Self, x, y| s.b().op(Op::IMul, ty, &[x, y]);
        let plus = |s: &mut Self, x, y| s.b().op(Op::IAdd, ty, &[x, y]);
        let (a0, a1, b0, b1) = (low(self, a), high(self, a), low(self, b), high(self, b));
        let first = times(self, a0, b0);
        let middle = times(self, a1, b0);
        let carry = high(self, first);
        let middle = plus(self, middle, carry);
        let other = times(self, a0, b1);
        let rest = low(self, middle);
        let other = plus(self, other, rest);
        let top = times(self, a1, b1);
        let (x, y) = (high(self, middle), high(self, other));
        let top = plus(self, top, x);
        let mut top = plus(self, top, y);
        if signed {
            // A negative operand counts as itself plus two to its width.
            let last = self.number(ty, width - 1);
            for (sign, value) in [(a, b), (b, a)] {
                let all = self.b().op(Op::ShiftRightArithmetic, ty, &[sign, last]);
                let less = self.b().op(Op::BitwiseAnd, ty, &[all, value]);
                top = self.b().op(Op::ISub, ty, &[top, less]);
            }
        }
        top
    }
}
