//! Conversions that saturate or round in a certain way, and bit counts of widths that shaders do not have.

use super::body::Body;
use crate::ir::{GlslOp, InstData, Op, Opcode, Type, Value};
use spirv_spec::{Decoration, FPRoundingMode};

impl Body<'_, '_> {
    /// An integer or vector of integers of another width, of the shape of a type.
    pub fn ints_like(&mut self, shape: Type, width: u8) -> Type {
        let types = &mut self.l.new.ctx.types;
        let (int, len) = (types.int(width, false), types.len_of(shape));
        types.vector(int, len)
    }

    pub fn bools_like(&mut self, shape: Type) -> Type {
        let types = &mut self.l.new.ctx.types;
        let (bool, len) = (types.bool(), types.len_of(shape));
        types.vector(bool, len)
    }

    pub fn glsl(&mut self, op: GlslOp, ty: Type, ids: &[Value]) -> Value {
        self.b().op(Opcode::glsl(op), ty, ids)
    }

    /// A float constant in every component.
    pub fn float(&mut self, ty: Type, x: f64) -> Value {
        let c = self.l.new.ctx.float(ty, x);
        self.b().constant(c)
    }

    /// An integer in 32 bits, with zeros or its sign above.
    pub fn in_words(&mut self, x: Value, signed: bool) -> Value {
        let ty = self.f.values[x].ty;
        let words = self.ints_like(ty, 32);
        if ty == words {
            return x;
        }
        self.b().op(if signed { Op::SConvert } else { Op::UConvert }, words, &[x])
    }

    /// The low and high half of a 64-bit integer.
    pub fn halves(&mut self, x: Value) -> (Value, Value) {
        let ty = self.f.values[x].ty;
        let words = self.ints_like(ty, 32);
        let (low, by) = (self.b().op(Op::UConvert, words, &[x]), self.number(ty, 32));
        let high = self.b().op(Op::ShiftRightLogical, ty, &[x, by]);
        (low, self.b().op(Op::UConvert, words, &[high]))
    }

    pub fn bit_count(&mut self, ty: Type, x: Value) -> Value {
        let words = self.ints_like(ty, 32);
        let n = if self.l.new.ctx.types.width_of(ty) == Some(64) {
            let (low, high) = self.halves(x);
            let (low, high) =
                (self.b().op(Op::BitCount, words, &[low]), self.b().op(Op::BitCount, words, &[high]));
            self.b().op(Op::IAdd, words, &[low, high])
        } else {
            let x = self.in_words(x, false);
            self.b().op(Op::BitCount, words, &[x])
        };
        if words == ty { n } else { self.b().op(Op::UConvert, ty, &[n]) }
    }

    /// None where the instruction itself will do.
    pub fn bit_reverse(&mut self, ty: Type, x: Value) -> Option<Value> {
        let words = self.ints_like(ty, 32);
        let width = u64::from(self.l.new.ctx.types.width_of(ty)?);
        match width {
            32 => None,
            64 => {
                let (low, high) = self.halves(x);
                let low = self.b().op(Op::BitReverse, words, &[low]);
                let high = self.b().op(Op::BitReverse, words, &[high]);
                let (low, high) =
                    (self.b().op(Op::UConvert, ty, &[low]), self.b().op(Op::UConvert, ty, &[high]));
                let by = self.number(ty, 32);
                let up = self.b().op(Op::ShiftLeftLogical, ty, &[low, by]);
                Some(self.b().op(Op::BitwiseOr, ty, &[up, high]))
            }
            _ => {
                let x = self.in_words(x, false);
                let all = self.b().op(Op::BitReverse, words, &[x]);
                let by = self.number(words, 32 - width);
                let all = self.b().op(Op::ShiftRightLogical, words, &[all, by]);
                Some(self.b().op(Op::UConvert, ty, &[all]))
            }
        }
    }

    /// An integer in another width without leaving its range. The source has a sign, or the result has.
    pub fn saturate_int(&mut self, x: Value, ty: Type, from_signed: bool) -> Value {
        let source = self.f.values[x].ty;
        let (a, b) = (
            u32::from(self.l.new.ctx.types.width_of(source).unwrap_or(32)),
            u32::from(self.l.new.ctx.types.width_of(ty).unwrap_or(32)),
        );
        let mut x = x;
        if from_signed {
            let zero = self.number(source, 0);
            x = self.larger(Op::SGreaterThan, x, zero);
            if b < a {
                let top = self.number(source, (1 << b) - 1);
                x = self.larger(Op::SLessThan, x, top);
            }
        } else if b <= a {
            let top = self.number(source, (1 << (b - 1)) - 1);
            x = self.larger(Op::ULessThan, x, top);
        }
        if a == b { x } else { self.b().op(Op::UConvert, ty, &[x]) }
    }

    /// The first if it compares so with the second, otherwise the second.
    fn larger(&mut self, compare: Op, a: Value, b: Value) -> Value {
        let ty = self.f.values[a].ty;
        let bools = self.bools_like(ty);
        let is = self.b().op(compare, bools, &[a, b]);
        self.b().op(Op::Select, ty, &[is, a, b])
    }

    /// A conversion that saturates or rounds in a certain way. None: as the instruction does by itself.
    pub fn decorated_conversion(&mut self, op: Op, d: &InstData, x: Value, ty: Type) -> Option<Value> {
        let saturate = d.decorations.has(Decoration::SaturatedConversion);
        let rounding = d.decorations.word(Decoration::FPRoundingMode).and_then(FPRoundingMode::from_u32);
        let source = self.f.values[x].ty;
        let signed = matches!(op, Op::ConvertFToS | Op::SConvert);
        match op {
            Op::ConvertFToS | Op::ConvertFToU => {
                let x = match rounding {
                    Some(FPRoundingMode::RTE) => self.glsl(GlslOp::RoundEven, source, &[x]),
                    Some(FPRoundingMode::RTP) => self.glsl(GlslOp::Ceil, source, &[x]),
                    Some(FPRoundingMode::RTN) => self.glsl(GlslOp::Floor, source, &[x]),
                    _ => x,
                };
                Some(if saturate { self.saturate_float(op, x, ty) } else { self.b().op(op, ty, &[x]) })
            }
            Op::UConvert | Op::SConvert if saturate => {
                let (a, b) = (self.l.new.ctx.types.width_of(source)?, self.l.new.ctx.types.width_of(ty)?);
                if b >= a {
                    return Some(if a == b { x } else { self.b().op(op, ty, &[x]) });
                }
                let mut x = x;
                if signed {
                    let top = (1u64 << (b - 1)) - 1;
                    let (low, high) = (self.number(source, !top), self.number(source, top));
                    x = self.larger(Op::SGreaterThan, x, low);
                    x = self.larger(Op::SLessThan, x, high);
                } else {
                    let high = self.number(source, (1 << b) - 1);
                    x = self.larger(Op::ULessThan, x, high);
                }
                Some(self.b().op(op, ty, &[x]))
            }
            // Shaders round to the nearest, mostly.
            _ if rounding.is_none_or(|r| r == FPRoundingMode::RTE) => Some(self.b().op(op, ty, &[x])),
            _ => {
                self.refuse("a conversion to a float that does not round to the nearest");
                Some(self.b().undef(ty))
            }
        }
    }

    /// The nearest integer in range, 0 for NaN.
    fn saturate_float(&mut self, op: Op, x: Value, ty: Type) -> Value {
        let source = self.f.values[x].ty;
        let width = i32::from(self.l.new.ctx.types.width_of(ty).unwrap_or(32));
        let signed = op == Op::ConvertFToS;
        let bits = if signed { width - 1 } else { width };
        let bools = self.bools_like(source);
        // 2^bits is the first number above the range; a half may not have it, and then nothing is above.
        let above = 2f64.powi(bits);
        let low = if signed { -above } else { 0.0 };
        let (top, bottom) = (self.float(source, above), self.float(source, low));
        let over = self.b().op(Op::FOrdGreaterThanEqual, bools, &[x, top]);
        let under = self.b().op(Op::FOrdLessThanEqual, bools, &[x, bottom]);
        let nan = self.b().op(Op::IsNan, bools, &[x]);
        let zero = self.float(source, 0.0);
        let outside = self.b().op(Op::LogicalOr, bools, &[over, under]);
        let outside = self.b().op(Op::LogicalOr, bools, &[outside, nan]);
        let safe = self.b().op(Op::Select, source, &[outside, zero, x]);
        let mut n = self.b().op(op, ty, &[safe]);
        let top = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
        let (most, least) = (self.number(ty, top), self.number(ty, if signed { !top } else { 0 }));
        n = self.b().op(Op::Select, ty, &[over, most, n]);
        self.b().op(Op::Select, ty, &[under, least, n])
    }
}
