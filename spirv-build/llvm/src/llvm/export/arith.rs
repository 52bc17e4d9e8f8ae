//! Arithmetic, comparisons, conversions, bits: the tables of the conversion manual, and what it leaves out.

use super::function::{Body, Text, emit};
use super::types::{Elem, Shape};
use crate::ir::{InstData, Op, TypeKind};
use spirv_spec::Decoration;

/// How an instruction is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `name type a, b`.
    Binary(&'static str),
    /// `icmp name type a, b`.
    Icmp(&'static str),
    /// `fcmp name type a, b`.
    Fcmp(&'static str),
    /// `name type a to type`.
    Cast(&'static str),
    /// An intrinsic on one operand.
    Intrinsic(&'static str),
}

/// A row each: instruction, how it is written.
pub(super) const DIRECT: &[(Op, Form)] = {
    use Form::*;
    use Op as O;
    &[
        (O::FAdd, Binary("fadd")),
        (O::FDiv, Binary("fdiv")),
        (O::FMul, Binary("fmul")),
        (O::FRem, Binary("frem")),
        (O::FSub, Binary("fsub")),
        (O::IAdd, Binary("add")),
        (O::IMul, Binary("mul")),
        (O::ISub, Binary("sub")),
        (O::SDiv, Binary("sdiv")),
        (O::SRem, Binary("srem")),
        (O::UDiv, Binary("udiv")),
        (O::UMod, Binary("urem")),
        (O::BitwiseAnd, Binary("and")),
        (O::BitwiseOr, Binary("or")),
        (O::BitwiseXor, Binary("xor")),
        (O::LogicalAnd, Binary("and")),
        (O::LogicalOr, Binary("or")),
        (O::LogicalEqual, Icmp("eq")),
        (O::LogicalNotEqual, Icmp("ne")),
        (O::IEqual, Icmp("eq")),
        (O::INotEqual, Icmp("ne")),
        (O::SGreaterThan, Icmp("sgt")),
        (O::SGreaterThanEqual, Icmp("sge")),
        (O::SLessThan, Icmp("slt")),
        (O::SLessThanEqual, Icmp("sle")),
        (O::UGreaterThan, Icmp("ugt")),
        (O::UGreaterThanEqual, Icmp("uge")),
        (O::ULessThan, Icmp("ult")),
        (O::ULessThanEqual, Icmp("ule")),
        (O::FOrdEqual, Fcmp("oeq")),
        (O::FOrdGreaterThan, Fcmp("ogt")),
        (O::FOrdGreaterThanEqual, Fcmp("oge")),
        (O::FOrdLessThan, Fcmp("olt")),
        (O::FOrdLessThanEqual, Fcmp("ole")),
        (O::FOrdNotEqual, Fcmp("one")),
        (O::FUnordEqual, Fcmp("ueq")),
        (O::FUnordGreaterThan, Fcmp("ugt")),
        (O::FUnordGreaterThanEqual, Fcmp("uge")),
        (O::FUnordLessThan, Fcmp("ult")),
        (O::FUnordLessThanEqual, Fcmp("ule")),
        (O::FUnordNotEqual, Fcmp("une")),
        (O::LessOrGreater, Fcmp("one")),
        (O::Ordered, Fcmp("ord")),
        (O::Unordered, Fcmp("uno")),
        (O::ConvertFToS, Cast("fptosi")),
        (O::ConvertFToU, Cast("fptoui")),
        (O::ConvertSToF, Cast("sitofp")),
        (O::ConvertUToF, Cast("uitofp")),
        (O::BitReverse, Intrinsic("bitreverse")),
    ]
};

/// `FPRoundingMode`: what rounds so to an integral value.
const ROUNDINGS: &[&str] = &["roundeven", "trunc", "ceil", "floor"];

impl Body<'_, '_> {
    /// An instruction of the table.
    pub fn direct(&mut self, form: Form, data: &InstData) -> Option<Text> {
        let a = data.id(0)?;
        let (from, to) = (self.shape_of(a)?, self.result_shape(data)?);
        let ids = self.ids(data);
        let flags = self.flags(data);
        Some(match (form, &ids[..]) {
            (Form::Binary(op), [a, b]) => emit!(self, "{op}{flags} {to} {a}, {b}"),
            (Form::Icmp(is), [a, b]) => emit!(self, "icmp {is} {from} {a}, {b}"),
            (Form::Fcmp(is), [a, b]) => emit!(self, "fcmp{flags} {is} {from} {a}, {b}"),
            (Form::Cast(op), [a]) => self.number_cast(op, data, from, a, to)?,
            (Form::Intrinsic(name), [a]) => self.intrinsic(name, to, &[a]),
            _ => return None,
        })
    }

    /// Conversions between floats and integers, with the decorations that kernels put on them.
    fn number_cast(&mut self, op: &str, data: &InstData, from: Shape, v: &Text, to: Shape) -> Option<Text> {
        let mut v = v.clone();
        let rounding = data.decorations.word(Decoration::FPRoundingMode);
        let saturates = data.decorations.has(Decoration::SaturatedConversion);
        if from.is_float() {
            // Towards zero is what LLVM does.
            if let Some(name) = rounding.filter(|n| *n != 1).and_then(|n| ROUNDINGS.get(n as usize)) {
                v = self.intrinsic(name, from, &[&v]);
            }
            if saturates {
                let name = format!("llvm.{op}.sat.{}.{}", to.mangled(), from.mangled());
                return Some(self.call_intrinsic(&name, to, &[(from, v)]));
            }
        } else if rounding.is_some_and(|n| n != 0) {
            self.refuse("a conversion to float that rounds otherwise than to the nearest");
            return None;
        }
        Some(self.cast(op, from, &v, to))
    }

    /// `FConvert`, `SConvert`, `UConvert`, and the saturating ones of kernels.
    pub fn resize_cast(&mut self, op: Op, data: &InstData) -> Option<Text> {
        let a = data.id(0)?;
        let (from, to) = (self.shape_of(a)?, self.result_shape(data)?);
        let v = self.value(a);
        let saturates = data.decorations.has(Decoration::SaturatedConversion);
        let wider = from.width() < to.width();
        match op {
            Op::FConvert => {
                let rounding = data.decorations.word(Decoration::FPRoundingMode);
                let mode = rounding.unwrap_or(0);
                if mode != 0 && !wider {
                    self.refuse("a conversion to float that rounds otherwise than to the nearest");
                    return None;
                }
                Some(self.cast(if wider { "fpext" } else { "fptrunc" }, from, &v, to))
            }
            Op::SConvert | Op::UConvert if saturates && !wider => {
                let signed = op == Op::SConvert;
                let (low, high) = limits(to.width(), signed);
                let v = self.clamp_int(from, &v, signed, low, high);
                Some(self.cast("trunc", from, &v, to))
            }
            Op::SConvert => Some(self.cast(if wider { "sext" } else { "trunc" }, from, &v, to)),
            Op::UConvert => Some(self.cast(if wider { "zext" } else { "trunc" }, from, &v, to)),
            Op::SatConvertSToU => {
                let zero = self.int(from, 0);
                let v = self.intrinsic("smax", from, &[&v, &zero]);
                let v = if wider || from.width() == to.width() {
                    v
                } else {
                    let high = self.int(from, limits(to.width(), false).1);
                    self.intrinsic("umin", from, &[&v, &high])
                };
                Some(self.resize(from, &v, to))
            }
            _ => {
                // From unsigned to signed: only what is too large must be caught.
                let v = if wider {
                    v
                } else {
                    let high = self.int(from, limits(to.width(), true).1);
                    self.intrinsic("umin", from, &[&v, &high])
                };
                Some(self.resize(from, &v, to))
            }
        }
    }

    fn clamp_int(&mut self, shape: Shape, v: &Text, signed: bool, low: i64, high: i64) -> Text {
        let (min, max) = if signed { ("smin", "smax") } else { ("umin", "umax") };
        let (low, high) = (self.int(shape, low), self.int(shape, high));
        let v = if signed { self.intrinsic(max, shape, &[v, &low]) } else { v.clone() };
        self.intrinsic(min, shape, &[&v, &high])
    }

    /// `Bitcast`.
    pub fn bitcast(&mut self, data: &InstData) -> Option<Text> {
        let v = data.id(0)?;
        let ty = self.type_of(data.result()?);
        let pointer = |t| matches!(self.kind(t), TypeKind::Pointer { .. });
        let (from, to) = (pointer(self.type_of(v)), pointer(ty));
        let text = self.value(v);
        if from && to {
            return Some(text);
        }
        let (source, target) = (self.type_of(v), ty);
        let (source, target) = (self.x.ty(source), self.x.ty(target));
        let op = match (from, to) {
            (true, false) => "ptrtoint",
            (false, true) => "inttoptr",
            _ => "bitcast",
        };
        // Signs are no difference in LLVM.
        if source == target {
            return Some(text);
        }
        Some(emit!(self, "{op} {source} {text} to {target}"))
    }

    /// What the tables do not have.
    pub fn arithmetic(&mut self, op: Op, data: &InstData) -> Option<Text> {
        let shape = self.result_shape(data);
        let ids = self.ids(data);
        let first = data.id(0).and_then(|v| self.shape_of(v));
        match (op, shape, first, &ids[..]) {
            (Op::FNegate, Some(s), _, [a]) => {
                let flags = self.flags(data);
                Some(emit!(self, "fneg{flags} {s} {a}"))
            }
            (Op::SNegate, Some(s), _, [a]) => {
                let (zero, flags) = (self.int(s, 0), self.flags(data));
                Some(emit!(self, "sub{flags} {s} {zero}, {a}"))
            }
            (Op::Not | Op::LogicalNot, Some(s), _, [a]) => {
                let ones = self.int(s, -1);
                Some(self.bin("xor", s, a, &ones))
            }
            (Op::SMod | Op::FMod, Some(s), _, [a, b]) => Some(self.modulo(op, s, a, b)),
            (Op::ShiftLeftLogical | Op::ShiftRightLogical | Op::ShiftRightArithmetic, Some(s), _, [a, b]) => {
                let amount = data.id(1)?;
                let b = self.shift_amount(amount, b, s)?;
                let name = match op {
                    Op::ShiftLeftLogical => "shl",
                    Op::ShiftRightLogical => "lshr",
                    _ => "ashr",
                };
                let flags = self.flags(data);
                Some(emit!(self, "{name}{flags} {s} {a}, {b}"))
            }
            (Op::Select, _, _, [c, a, b]) => {
                let condition = self.shape_of(data.id(0)?)?;
                let ty = self.type_of(data.result()?);
                let ty = self.x.ty(ty);
                Some(emit!(self, "select {condition} {c}, {ty} {a}, {ty} {b}"))
            }
            (Op::BitCount, Some(s), Some(from), [a]) => {
                let n = self.intrinsic("ctpop", from, &[a]);
                Some(self.resize(from, &n, s))
            }
            (Op::IsNan, _, Some(s), [a]) => Some(emit!(self, "fcmp uno {s} {a}, {a}")),
            (Op::IsInf | Op::IsFinite | Op::IsNormal, _, Some(s), [a]) => {
                let magnitude = self.intrinsic("fabs", s, &[a]);
                let infinity = self.float(s, f64::INFINITY);
                let is = if op == Op::IsInf { "oeq" } else { "olt" };
                let v = emit!(self, "fcmp {is} {s} {magnitude}, {infinity}");
                if op != Op::IsNormal {
                    return Some(v);
                }
                let least = self.float(s, smallest_normal(s.width()));
                let large = emit!(self, "fcmp oge {s} {magnitude}, {least}");
                Some(self.bin("and", s.bools(), &v, &large))
            }
            (Op::SignBitSet, _, Some(s), [a]) => {
                let bits = self.cast("bitcast", s, a, s.ints());
                let zero = self.int(s.ints(), 0);
                Some(emit!(self, "icmp slt {} {bits}, {zero}", s.ints()))
            }
            (Op::Any | Op::All, _, Some(s), [a]) => {
                let name = if op == Op::Any { "or" } else { "and" };
                let name = format!("llvm.vector.reduce.{name}.{}", s.mangled());
                Some(self.call_intrinsic(&name, Shape::BOOL, &[(s, a.clone())]))
            }
            (Op::Dot, _, Some(s), [a, b]) => Some(self.dot_product(s, a, b)),
            (Op::IAddCarry | Op::ISubBorrow, _, Some(s), [a, b]) => {
                let name = if op == Op::IAddCarry { "uadd" } else { "usub" };
                let pair = format!("{{ {s}, {} }}", s.bools());
                let name = format!("llvm.{name}.with.overflow.{}", s.mangled());
                self.x.declare(&name, &format!("declare {pair} @{name}({s}, {s})"));
                let both = emit!(self, "call {pair} @{name}({s} {a}, {s} {b})");
                let low = emit!(self, "extractvalue {pair} {both}, 0");
                let carry = emit!(self, "extractvalue {pair} {both}, 1");
                let carry = self.cast("zext", s.bools(), &carry, s);
                self.two_parts(data, &low, &carry)
            }
            (Op::UMulExtended | Op::SMulExtended, _, Some(s), [a, b]) => {
                let (low, high) = self.wide_product(s, a, b, op == Op::SMulExtended);
                self.two_parts(data, &low, &high)
            }
            _ => None,
        }
    }

    /// A struct of two.
    pub fn two_parts(&mut self, data: &InstData, a: &Text, b: &Text) -> Option<Text> {
        let ty = self.type_of(data.result()?);
        self.matrix_of(ty, &[a.clone(), b.clone()])
    }

    /// Low and high half of a product.
    pub fn wide_product(&mut self, s: Shape, a: &Text, b: &Text, signed: bool) -> (Text, Text) {
        let wide = s.with(Elem::Int(s.width() * 2));
        let extend = if signed { "sext" } else { "zext" };
        let (x, y) = (self.cast(extend, s, a, wide), self.cast(extend, s, b, wide));
        let product = self.bin("mul", wide, &x, &y);
        let shift = self.int(wide, i64::from(s.width()));
        let high = self.bin("lshr", wide, &product, &shift);
        (self.cast("trunc", wide, &product, s), self.cast("trunc", wide, &high, s))
    }

    /// The remainder with the sign of the divisor.
    fn modulo(&mut self, op: Op, s: Shape, a: &Text, b: &Text) -> Text {
        if op == Op::SMod {
            let r = self.bin("srem", s, a, b);
            let sum = self.bin("add", s, &r, b);
            let zero = self.int(s, 0);
            let mixed = self.bin("xor", s, &r, b);
            let mixed = emit!(self, "icmp slt {s} {mixed}, {zero}");
            let some = emit!(self, "icmp ne {s} {r}, {zero}");
            let both = self.bin("and", s.bools(), &mixed, &some);
            return self.select(&both, s, &sum, &r);
        }
        let r = self.bin("frem", s, a, b);
        let sum = self.bin("fadd", s, &r, b);
        let zero = self.float(s, 0.0);
        let (x, y) = (emit!(self, "fcmp olt {s} {r}, {zero}"), emit!(self, "fcmp olt {s} {b}, {zero}"));
        let mixed = self.bin("xor", s.bools(), &x, &y);
        let some = emit!(self, "fcmp une {s} {r}, {zero}");
        let both = self.bin("and", s.bools(), &mixed, &some);
        self.select(&both, s, &sum, &r)
    }

    /// An amount to shift by, with the width of what is shifted.
    fn shift_amount(&mut self, amount: crate::ir::Value, v: &Text, to: Shape) -> Option<Text> {
        let from = self.shape_of(amount)?;
        let signed = self.x.module.ctx.types.int_signed(self.type_of(amount)) == Some(true);
        let op = match from.width() < to.width() {
            true if signed => "sext",
            true => "zext",
            false => "trunc",
        };
        Some(self.cast(op, from, v, to))
    }
}

/// The least and the greatest integer of a width.
fn limits(width: u8, signed: bool) -> (i64, i64) {
    match (width, signed) {
        (64.., true) => (i64::MIN, i64::MAX),
        (64.., false) => (0, -1),
        (w, true) => (-(1 << (w - 1)), (1 << (w - 1)) - 1),
        (w, false) => (0, (1 << w) - 1),
    }
}

/// The smallest normal float of a width.
fn smallest_normal(width: u8) -> f64 {
    match width {
        16 => 6.103515625e-5,
        32 => f64::from(f32::MIN_POSITIVE),
        _ => f64::MIN_POSITIVE,
    }
}
