//! Intrinsic functions that have two results, and others that are made of several instructions.

use super::arith::int_width;
use super::call::Call;
use super::function::Body;
use crate::ir::{ExtSet, Op, Opcode, Type, Value};
use spirv_spec::ClOp as Cl;

/// Bits of the mask of `llvm.is.fpclass` by what they ask for: class, negative, positive.
const CLASSES: &[(Class, u64, u64)] = &[
    (Class::Infinite, 0x4, 0x200),
    (Class::Normal, 0x8, 0x100),
    (Class::Subnormal, 0x10, 0x80),
    (Class::Zero, 0x20, 0x40),
];

#[derive(Clone, Copy)]
enum Class {
    Infinite,
    Normal,
    Subnormal,
    Zero,
}

impl<'m> Body<'_, 'm, '_> {
    /// `frexp`, `modf`, `sincos`: the first result is the function's, the second what it stores.
    pub fn two_results(&mut self, name: &str, c: &Call<'m>) -> Result<Value, String> {
        let x = self.arg(c, 0)?;
        let types = &self.i.out.ctx.types;
        let (Some(first), Some(second)) = (types.element(c.ty, 0), types.element(c.ty, 1)) else {
            return Err("an intrinsic function of this type".into());
        };
        let cl = match name {
            "frexp" => Cl::frexp,
            "modf" => Cl::modf,
            _ => Cl::sincos,
        };
        let place = self.b().variable(second, None);
        let a = self.b().op(Opcode::Ext(ExtSet::OpenCl, cl.0), first, &[x, place]);
        let b = self.b().load(place);
        Ok(self.b().op(Op::CompositeConstruct, c.ty, &[a, b]))
    }

    /// The nearest integer, as an integer.
    pub fn round_to_int(&mut self, cl: Cl, c: &Call<'m>) -> Result<Value, String> {
        let x = self.arg(c, 0)?;
        let ty = self.type_of(x);
        let whole = self.b().op(Opcode::Ext(ExtSet::OpenCl, cl.0), ty, &[x]);
        Ok(self.b().op(Op::ConvertFToS, c.ty, &[whole]))
    }

    /// Whether a float is of one of several classes.
    pub fn is_class(&mut self, c: &Call<'m>) -> Result<Value, String> {
        let (x, mask) = (self.arg(c, 0)?, u64::from(self.literal_arg(c, 1)?));
        let ty = self.type_of(x);
        let (width, len) = (self.i.out.ctx.types.width_of(ty).unwrap_or(32), self.i.out.ctx.types.len_of(ty));
        let mantissa = match width {
            16 => 10,
            32 => 23,
            _ => 52,
        };
        let int = self.i.out.ctx.types.int(width, false);
        let ints = self.i.out.ctx.types.vector(int, len);
        let sign = 1u64 << (width - 1);
        let (infinite, least) = ((sign - 1) >> mantissa << mantissa, 1u64 << mantissa);
        let bits = self.b().op(Op::Bitcast, ints, &[x]);
        let (rest, zero) = (self.bits(ints, sign - 1), self.bits(ints, 0));
        let size = self.b().op(Op::BitwiseAnd, ints, &[bits, rest]);
        let bools = c.ty;
        let negative = self.b().op(Op::SLessThan, bools, &[bits, zero]);
        let mut found = self.b().null(bools);
        let inf = self.bits(ints, infinite);
        // Quiet NaNs have the highest bit of the mantissa.
        let quiet = self.bits(ints, infinite | least >> 1);
        match mask & 3 {
            0 => {}
            3 => found = self.b().op(Op::UGreaterThan, bools, &[size, inf]),
            2 => found = self.b().op(Op::UGreaterThanEqual, bools, &[size, quiet]),
            _ => {
                let (nan, loud) = (
                    self.b().op(Op::UGreaterThan, bools, &[size, inf]),
                    self.b().op(Op::ULessThan, bools, &[size, quiet]),
                );
                found = self.b().op(Op::LogicalAnd, bools, &[nan, loud]);
            }
        }
        for (class, below, above) in CLASSES {
            let (n, p) = (mask & below != 0, mask & above != 0);
            if !(n || p) {
                continue;
            }
            let mut is = match class {
                Class::Infinite => self.b().op(Op::IEqual, bools, &[size, inf]),
                Class::Zero => self.b().op(Op::IEqual, bools, &[size, zero]),
                Class::Normal => {
                    let (from, count) = (self.bits(ints, least), self.bits(ints, infinite - least));
                    let at = self.b().op(Op::ISub, ints, &[size, from]);
                    self.b().op(Op::ULessThan, bools, &[at, count])
                }
                Class::Subnormal => {
                    let (from, count) = (self.bits(ints, 1), self.bits(ints, least - 1));
                    let at = self.b().op(Op::ISub, ints, &[size, from]);
                    self.b().op(Op::ULessThan, bools, &[at, count])
                }
            };
            if n != p {
                let side = if n { negative } else { self.b().op(Op::LogicalNot, bools, &[negative]) };
                is = self.b().op(Op::LogicalAnd, bools, &[is, side]);
            }
            found = self.b().op(Op::LogicalOr, bools, &[found, is]);
        }
        Ok(found)
    }

    /// A shift to the left that stays in range.
    pub fn saturated_shift(&mut self, c: &Call<'m>, signed: bool) -> Result<Value, String> {
        let (x, n) = (self.arg(c, 0)?, self.arg(c, 1)?);
        if int_width(c.inst.ty()).is_none_or(|w| !matches!(w, 8 | 16 | 32 | 64)) {
            return Err("this function on an integer of this width".into());
        }
        let width = self.i.out.ctx.types.width_of(c.ty).unwrap_or(32);
        let bools = self.bools_like(c.ty);
        let shifted = self.b().op(Op::ShiftLeftLogical, c.ty, &[x, n]);
        let back = if signed { Op::ShiftRightArithmetic } else { Op::ShiftRightLogical };
        let back = self.b().op(back, c.ty, &[shifted, n]);
        let fits = self.b().op(Op::IEqual, bools, &[back, x]);
        let end = if signed {
            let least = 1u64 << (width - 1);
            let (least, most, zero) =
                (self.bits(c.ty, least), self.bits(c.ty, least - 1), self.bits(c.ty, 0));
            let negative = self.b().op(Op::SLessThan, bools, &[x, zero]);
            self.b().op(Op::Select, c.ty, &[negative, least, most])
        } else {
            self.bits(c.ty, u64::MAX)
        };
        Ok(self.b().op(Op::Select, c.ty, &[fits, shifted, end]))
    }

    /// Bit functions of integers of odd widths, which live in wider ones with zeros above.
    pub fn odd_bits(&mut self, name: &str, c: &Call<'m>) -> Result<Value, String> {
        let x = self.arg(c, 0)?;
        let ty = c.ty;
        if self.is_bool(ty) {
            return match name {
                "bitreverse" | "ctpop" | "abs" => Ok(x),
                // Of a single bit either count is whether it is clear.
                _ => Ok(self.b().op(Op::LogicalNot, ty, &[x])),
            };
        }
        let (Some(width), Some(room)) = (int_width(c.inst.ty()), self.i.out.ctx.types.width_of(ty)) else {
            return Err("this function on this type".into());
        };
        let gap = u64::from(room) - u64::from(width);
        let ext = |s: &mut Self, cl: Cl, v| s.b().op(Opcode::Ext(ExtSet::OpenCl, cl.0), ty, &[v]);
        Ok(match name {
            "ctpop" => self.b().op(Op::BitCount, ty, &[x]),
            "ctlz" => {
                let (n, gap) = (ext(self, Cl::clz, x), self.bits(ty, gap));
                self.b().op(Op::ISub, ty, &[n, gap])
            }
            "cttz" => {
                let end = self.bits(ty, 1 << width);
                let x = self.b().op(Op::BitwiseOr, ty, &[x, end]);
                ext(self, Cl::ctz, x)
            }
            "bitreverse" => {
                let (all, gap) = (self.b().op(Op::BitReverse, ty, &[x]), self.bits(ty, gap));
                self.b().op(Op::ShiftRightLogical, ty, &[all, gap])
            }
            _ => {
                let x = self.signed(x, c.args[0].ty());
                let size = ext(self, Cl::s_abs, x);
                let mask = self.bits(ty, (1 << width) - 1);
                self.b().op(Op::BitwiseAnd, ty, &[size, mask])
            }
        })
    }

    /// Sets a constant number of bytes to what is not constant.
    pub fn set_bytes_to(&mut self, to: Value, byte: Value, count: u32) {
        let ty = self.type_of(byte);
        let array: Type =
            self.i.out.ctx.types.intern(crate::ir::TypeKind::Array { elem: ty, len: count, stride: None });
        let all = self.b().op(Op::CompositeConstruct, array, &vec![byte; count as usize]);
        if let Ok(p) = self.pointer_to(to, array) {
            self.b().store(p, all);
        }
    }
}
