//! LLVM's intrinsic functions.

use super::arith::int_width;
use super::call::Call;
use super::function::Body;
use super::loops::MAX_SET_TO;
use super::spirv_calls::Postfix;
use crate::ir::{ExtSet, InstData, Op, Opcode, Operand, Type, Value};
use spirv_spec::ClOp as Cl;

/// A row each: name without types, the instruction of `OpenCL.std` on the same operands.
const EXT: &[(&str, Cl)] = &[
    ("fabs", Cl::fabs),
    ("sqrt", Cl::sqrt),
    ("sin", Cl::sin),
    ("cos", Cl::cos),
    ("tan", Cl::tan),
    ("asin", Cl::asin),
    ("acos", Cl::acos),
    ("atan", Cl::atan),
    ("atan2", Cl::atan2),
    ("sinh", Cl::sinh),
    ("cosh", Cl::cosh),
    ("tanh", Cl::tanh),
    ("exp", Cl::exp),
    ("exp2", Cl::exp2),
    ("exp10", Cl::exp10),
    ("log", Cl::log),
    ("log2", Cl::log2),
    ("log10", Cl::log10),
    ("pow", Cl::pow),
    ("powi", Cl::pown),
    ("ldexp", Cl::ldexp),
    ("fma", Cl::fma),
    ("fmuladd", Cl::mad),
    ("floor", Cl::floor),
    ("ceil", Cl::ceil),
    ("trunc", Cl::trunc),
    ("rint", Cl::rint),
    ("nearbyint", Cl::rint),
    ("round", Cl::round),
    ("roundeven", Cl::rint),
    ("minnum", Cl::fmin),
    ("maxnum", Cl::fmax),
    ("minimumnum", Cl::fmin),
    ("maximumnum", Cl::fmax),
    ("copysign", Cl::copysign),
    ("smin", Cl::s_min),
    ("smax", Cl::s_max),
    ("umin", Cl::u_min),
    ("umax", Cl::u_max),
    ("sadd.sat", Cl::s_add_sat),
    ("uadd.sat", Cl::u_add_sat),
    ("ssub.sat", Cl::s_sub_sat),
    ("usub.sat", Cl::u_sub_sat),
];

/// Constrained arithmetic in the default environment.
const CONSTRAINED: &[(&str, Op)] =
    &[("fadd", Op::FAdd), ("fsub", Op::FSub), ("fmul", Op::FMul), ("fdiv", Op::FDiv), ("frem", Op::FRem)];

/// Reductions: name, instruction.
const REDUCTIONS: &[(&str, Opcode)] = &[
    ("add", Opcode::Op(Op::IAdd)),
    ("mul", Opcode::Op(Op::IMul)),
    ("and", Opcode::Op(Op::BitwiseAnd)),
    ("or", Opcode::Op(Op::BitwiseOr)),
    ("xor", Opcode::Op(Op::BitwiseXor)),
    ("smin", Opcode::Ext(ExtSet::OpenCl, Cl::s_min.0)),
    ("smax", Opcode::Ext(ExtSet::OpenCl, Cl::s_max.0)),
    ("umin", Opcode::Ext(ExtSet::OpenCl, Cl::u_min.0)),
    ("umax", Opcode::Ext(ExtSet::OpenCl, Cl::u_max.0)),
    ("fmin", Opcode::Ext(ExtSet::OpenCl, Cl::fmin.0)),
    ("fmax", Opcode::Ext(ExtSet::OpenCl, Cl::fmax.0)),
];

/// What only speaks of other values.
pub(super) fn is_dropped(name: &str) -> bool {
    [
        "dbg.",
        "lifetime.",
        "assume",
        "var.annotation",
        "donothing",
        "experimental.noalias",
        "sideeffect",
        "fake.use",
        "debugtrap",
        "trap",
        "ubsantrap",
        "invariant.",
    ]
    .iter()
    .any(|p| name.starts_with(p))
}

/// A name without the types behind it.
fn base(name: &str) -> &str {
    let is_type = |part: &str| {
        let part = part.strip_prefix("nx").unwrap_or(part);
        part.starts_with(['i', 'f', 'v', 'p', 'a', 's']) && part.bytes().any(|b| b.is_ascii_digit())
            || matches!(part, "bfloat")
    };
    let mut base = name;
    while let Some((rest, last)) = base.rsplit_once('.') {
        if !is_type(last) || last == "exp2" || last == "log2" {
            break;
        }
        base = rest;
    }
    base
}

impl<'m> Body<'_, 'm, '_> {
    pub fn intrinsic(&mut self, name: &str, c: &Call<'m>) -> Result<Option<Value>, String> {
        let name = base(name);
        if let Some((_, cl)) = EXT.iter().find(|r| r.0 == name) {
            if self.is_odd(c) {
                return Err("this function on an integer of this width".into());
            }
            let mut args = Vec::new();
            for n in 0..c.args.len() {
                args.push(self.arg(c, n)?);
            }
            // The exponent may be a scalar where the base is a vector.
            if matches!(*cl, Cl::pown | Cl::ldexp) && args.len() == 2 {
                let len = self.i.out.ctx.types.len_of(c.ty);
                let ty = self.type_of(args[1]);
                if self.i.out.ctx.types.len_of(ty) != len {
                    let vector = self.i.out.ctx.types.vector(ty, len);
                    args[1] = self.splat(vector, args[1]);
                }
            }
            return Ok(Some(self.b().op(Opcode::Ext(ExtSet::OpenCl, cl.0), c.ty, &args)));
        }
        if let Some(rest) = name.strip_prefix("experimental.constrained.") {
            return self.constrained(rest, c).map(Some);
        }
        if let Some(rest) = name.strip_prefix("vector.reduce.") {
            return self.reduce(rest, c).map(Some);
        }
        let a = |s: &mut Self, n| s.arg(c, n);
        let v = match name {
            "memcpy" | "memmove" | "memcpy.inline" => {
                let (to, from) = (a(self, 0)?, a(self, 1)?);
                let volatile = c.args.get(3).and_then(|v| v.int()) == Some(1);
                let Some(size) = c.args.get(2) else { return Err("a copy".into()) };
                if size.int() != Some(0) {
                    self.copy_bytes(to, from, *size, volatile)?;
                }
                return Ok(None);
            }
            "memset" | "memset.inline" => {
                let to = a(self, 0)?;
                let (Some(value), Some(size)) = (c.args.get(1), c.args.get(2)) else {
                    return Err("a set".into());
                };
                match (value.int(), size.int()) {
                    (None, Some(n @ 1..=MAX_SET_TO)) => {
                        let byte = a(self, 1)?;
                        self.set_bytes_to(to, byte, n as u32);
                    }
                    _ => self.set_bytes(to, *value, *size)?,
                }
                return Ok(None);
            }
            "expect"
            | "expect.with.probability"
            | "annotation"
            | "ptr.annotation"
            | "arithmetic.fence"
            | "canonicalize"
            | "launder.invariant.group"
            | "strip.invariant.group"
            | "ssa.copy" => a(self, 0)?,
            "is.constant" => self.b().bool(false),
            "ctpop" | "ctlz" | "cttz" | "bitreverse" | "abs" if self.is_odd(c) => self.odd_bits(name, c)?,
            "frexp" | "modf" | "sincos" => self.two_results(name, c)?,
            "lround" | "llround" => self.round_to_int(Cl::round, c)?,
            "lrint" | "llrint" => self.round_to_int(Cl::rint, c)?,
            "is.fpclass" => self.is_class(c)?,
            "ushl.sat" | "sshl.sat" => self.saturated_shift(c, name == "sshl.sat")?,
            "ctpop" => {
                let x = a(self, 0)?;
                self.b().op(Op::BitCount, c.ty, &[x])
            }
            "ctlz" => self.cl(Cl::clz, c, 1)?,
            "cttz" => self.cl(Cl::ctz, c, 1)?,
            "abs" => self.cl(Cl::s_abs, c, 1)?,
            "bitreverse" => {
                let x = a(self, 0)?;
                self.b().op(Op::BitReverse, c.ty, &[x])
            }
            "bswap" => self.swap_bytes(c)?,
            "fshl" | "fshr" => self.funnel(c, name == "fshl")?,
            "scmp" | "ucmp" => self.three_way(c, name == "scmp")?,
            "minimum" | "maximum" => {
                let (x, y) = (a(self, 0)?, a(self, 1)?);
                self.nan_aware(c.ty, x, y, name == "minimum")
            }
            "fptosi.sat" | "fptoui.sat" => {
                let x = a(self, 0)?;
                if int_width(c.inst.ty()).is_none_or(|w| !matches!(w, 8 | 16 | 32 | 64)) {
                    return Err("a conversion to an integer of this width".into());
                }
                let op = if name == "fptosi.sat" { Op::ConvertFToS } else { Op::ConvertFToU };
                let mut data = InstData::new(op, [Operand::Id(x)], self.span);
                data.decorations.extend(Postfix { saturate: true, rounding: None }.decorations());
                let inst = self.b().append(data, &[c.ty]);
                let value = self.f.insts[inst].results[0];
                // Not-a-number is 0, which a saturating conversion does not promise.
                let bools = self.bools_like(c.ty);
                let nan = self.b().op(Op::IsNan, bools, &[x]);
                let zero = self.bits(c.ty, 0);
                self.b().op(Op::Select, c.ty, &[nan, zero, value])
            }
            "uadd.with.overflow" | "usub.with.overflow" | "umul.with.overflow" | "sadd.with.overflow"
            | "ssub.with.overflow" | "smul.with.overflow" => self.overflow(name, c)?,
            _ => return Err("an intrinsic function that is not known".into()),
        };
        Ok(Some(v))
    }

    fn is_odd(&self, c: &Call<'m>) -> bool {
        int_width(c.inst.ty()).is_some_and(|w| !matches!(w, 8 | 16 | 32 | 64))
    }

    /// An instruction of `OpenCL.std` on the first arguments.
    fn cl(&mut self, op: Cl, c: &Call<'m>, count: usize) -> Result<Value, String> {
        let mut args = Vec::new();
        for n in 0..count {
            args.push(self.arg(c, n)?);
        }
        Ok(self.b().op(Opcode::Ext(ExtSet::OpenCl, op.0), c.ty, &args))
    }

    fn constrained(&mut self, name: &str, c: &Call<'m>) -> Result<Value, String> {
        if let Some((_, op)) = CONSTRAINED.iter().find(|r| r.0 == name) {
            let (a, b) = (self.arg(c, 0)?, self.arg(c, 1)?);
            return Ok(self.b().op(*op, c.ty, &[a, b]));
        }
        let count = match name {
            "fma" | "fmuladd" => 3,
            "sqrt" => 1,
            "sitofp" | "uitofp" | "fptosi" | "fptoui" => {
                let op = match name {
                    "sitofp" => super::raw::Opcode::LLVMSIToFP,
                    "uitofp" => super::raw::Opcode::LLVMUIToFP,
                    "fptosi" => super::raw::Opcode::LLVMFPToSI,
                    _ => super::raw::Opcode::LLVMFPToUI,
                };
                let (x, from) = (self.arg(c, 0)?, c.args[0].ty());
                return self.convert(op, c.inst, from, c.ty, x);
            }
            "fptrunc" | "fpext" => {
                let x = self.arg(c, 0)?;
                return Ok(self.b().op(Op::FConvert, c.ty, &[x]));
            }
            _ => return Err("an intrinsic function that is not known".into()),
        };
        let Some((_, cl)) = EXT.iter().find(|r| r.0 == name) else {
            return Err("an intrinsic function".into());
        };
        self.cl(*cl, c, count)
    }

    fn reduce(&mut self, name: &str, c: &Call<'m>) -> Result<Value, String> {
        if let "fminimum" | "fmaximum" = name {
            let vector = self.arg(c, 0)?;
            let len = u32::from(self.i.out.ctx.types.len_of(self.type_of(vector)));
            if len == 1 {
                return Ok(vector);
            }
            let mut all = self.b().extract(vector, c.ty, &[0]);
            for n in 1..len {
                let part = self.b().extract(vector, c.ty, &[n]);
                all = self.nan_aware(c.ty, all, part, name == "fminimum");
            }
            return Ok(all);
        }
        // The ordered ones start with a value.
        let (start, vector) = match name {
            "fadd" | "fmul" => (Some(self.arg(c, 0)?), self.arg(c, 1)?),
            _ => (None, self.arg(c, 0)?),
        };
        let op = match name {
            "fadd" => Opcode::Op(Op::FAdd),
            "fmul" => Opcode::Op(Op::FMul),
            _ => match REDUCTIONS.iter().find(|r| r.0 == name) {
                Some((_, op)) => *op,
                None => return Err("an intrinsic function that is not known".into()),
            },
        };
        let bool_op = match op {
            Opcode::Op(Op::BitwiseAnd | Op::IMul) => Some(Op::LogicalAnd),
            Opcode::Op(Op::BitwiseOr) => Some(Op::LogicalOr),
            Opcode::Op(Op::BitwiseXor | Op::IAdd) => Some(Op::LogicalNotEqual),
            _ => None,
        };
        let op = match (self.is_bool(c.ty), bool_op) {
            (false, _) => op,
            (true, Some(op)) => Opcode::Op(op),
            (true, None) => return Err("this reduction of bits".into()),
        };
        let len = self.i.out.ctx.types.len_of(self.type_of(vector));
        let mut all = start;
        for n in 0..u32::from(len) {
            let part = if len == 1 { vector } else { self.b().extract(vector, c.ty, &[n]) };
            all = Some(match all {
                None => part,
                Some(all) => self.b().op(op, c.ty, &[all, part]),
            });
        }
        all.ok_or_else(|| "a reduction of nothing".into())
    }

    fn swap_bytes(&mut self, c: &Call<'m>) -> Result<Value, String> {
        let x = self.arg(c, 0)?;
        if self.is_odd(c) {
            return Err("this function on an integer of this width".into());
        }
        let width = u64::from(self.i.out.ctx.types.width_of(c.ty).unwrap_or(8));
        let mut all = self.bits(c.ty, 0);
        for at in (0..width).step_by(8) {
            let (down, mask, up) =
                (self.bits(c.ty, at), self.bits(c.ty, 0xff), self.bits(c.ty, width - 8 - at));
            let byte = self.b().op(Op::ShiftRightLogical, c.ty, &[x, down]);
            let byte = self.b().op(Op::BitwiseAnd, c.ty, &[byte, mask]);
            let byte = self.b().op(Op::ShiftLeftLogical, c.ty, &[byte, up]);
            all = self.b().op(Op::BitwiseOr, c.ty, &[all, byte]);
        }
        Ok(all)
    }

    /// Bits of two integers next to each other, shifted.
    fn funnel(&mut self, c: &Call<'m>, left: bool) -> Result<Value, String> {
        let (high, low, n) = (self.arg(c, 0)?, self.arg(c, 1)?, self.arg(c, 2)?);
        if self.is_odd(c) {
            return Err("this function on an integer of this width".into());
        }
        let width = u64::from(self.i.out.ctx.types.width_of(c.ty).unwrap_or(8));
        let (mask, one) = (self.bits(c.ty, width - 1), self.bits(c.ty, 1));
        let n = self.b().op(Op::BitwiseAnd, c.ty, &[n, mask]);
        let rest = self.b().op(Op::ISub, c.ty, &[mask, n]);
        // Two shifts, so that none is by the whole width.
        let (a, b) = if left {
            let a = self.b().op(Op::ShiftLeftLogical, c.ty, &[high, n]);
            let b = self.b().op(Op::ShiftRightLogical, c.ty, &[low, one]);
            (a, self.b().op(Op::ShiftRightLogical, c.ty, &[b, rest]))
        } else {
            let a = self.b().op(Op::ShiftLeftLogical, c.ty, &[high, one]);
            let a = self.b().op(Op::ShiftLeftLogical, c.ty, &[a, rest]);
            (a, self.b().op(Op::ShiftRightLogical, c.ty, &[low, n]))
        };
        Ok(self.b().op(Op::BitwiseOr, c.ty, &[a, b]))
    }

    /// -1, 0 or 1.
    fn three_way(&mut self, c: &Call<'m>, signed: bool) -> Result<Value, String> {
        let (mut a, mut b) = (self.arg(c, 0)?, self.arg(c, 1)?);
        let from = c.args[0].ty();
        if self.is_bool(self.type_of(a)) || self.is_odd(c) {
            return Err("this function on an integer of this width".into());
        }
        if signed {
            (a, b) = (self.signed(a, from), self.signed(b, from));
        }
        let (less, greater) =
            if signed { (Op::SLessThan, Op::SGreaterThan) } else { (Op::ULessThan, Op::UGreaterThan) };
        let bools = self.bools_like(c.ty);
        let (less, greater) = (self.b().op(less, bools, &[a, b]), self.b().op(greater, bools, &[a, b]));
        let (minus, zero, one) = (self.bits(c.ty, u64::MAX), self.bits(c.ty, 0), self.bits(c.ty, 1));
        let upper = self.b().op(Op::Select, c.ty, &[greater, one, zero]);
        Ok(self.b().op(Op::Select, c.ty, &[less, minus, upper]))
    }

    /// The lesser or greater; not-a-number if one of them is. Zeros are not told apart.
    fn nan_aware(&mut self, ty: Type, a: Value, b: Value, least: bool) -> Value {
        let cl = if least { Cl::fmin } else { Cl::fmax };
        let v = self.b().op(Opcode::Ext(ExtSet::OpenCl, cl.0), ty, &[a, b]);
        let bools = self.bools_like(ty);
        let nan = self.b().op(Op::Unordered, bools, &[a, b]);
        let sum = self.b().op(Op::FAdd, ty, &[a, b]);
        self.b().op(Op::Select, ty, &[nan, sum, v])
    }

    /// The result and whether it did not fit.
    fn overflow(&mut self, name: &str, c: &Call<'m>) -> Result<Value, String> {
        let (a, b) = (self.arg(c, 0)?, self.arg(c, 1)?);
        let ty = self.type_of(a);
        if int_width(c.args[0].ty()).is_none_or(|w| !matches!(w, 8 | 16 | 32 | 64)) {
            return Err("this function on an integer of this width".into());
        }
        let bools = self.bools_like(ty);
        let zero = self.bits(ty, 0);
        let (value, over) = match name {
            "uadd.with.overflow" => {
                let v = self.b().op(Op::IAdd, ty, &[a, b]);
                (v, self.b().op(Op::ULessThan, bools, &[v, a]))
            }
            "usub.with.overflow" => {
                let v = self.b().op(Op::ISub, ty, &[a, b]);
                (v, self.b().op(Op::ULessThan, bools, &[a, b]))
            }
            "sadd.with.overflow" | "ssub.with.overflow" => {
                let add = name == "sadd.with.overflow";
                let v = self.b().op(if add { Op::IAdd } else { Op::ISub }, ty, &[a, b]);
                let (x, y) = (self.b().op(Op::BitwiseXor, ty, &[v, a]), {
                    // Of a sum both operands differ in sign from it, of a difference the operands from each other.
                    let other = if add { v } else { a };
                    self.b().op(Op::BitwiseXor, ty, &[other, b])
                });
                let both = self.b().op(Op::BitwiseAnd, ty, &[x, y]);
                (v, self.b().op(Op::SLessThan, bools, &[both, zero]))
            }
            "umul.with.overflow" => {
                let v = self.b().op(Op::IMul, ty, &[a, b]);
                let high = self.b().op(Opcode::Ext(ExtSet::OpenCl, Cl::u_mul_hi.0), ty, &[a, b]);
                (v, self.b().op(Op::INotEqual, bools, &[high, zero]))
            }
            _ => {
                let v = self.b().op(Op::IMul, ty, &[a, b]);
                let high = self.b().op(Opcode::Ext(ExtSet::OpenCl, Cl::s_mul_hi.0), ty, &[a, b]);
                let width = u64::from(self.i.out.ctx.types.width_of(ty).unwrap_or(8));
                let top = self.bits(ty, width - 1);
                let sign = self.b().op(Op::ShiftRightArithmetic, ty, &[v, top]);
                (v, self.b().op(Op::INotEqual, bools, &[high, sign]))
            }
        };
        Ok(self.b().op(Op::CompositeConstruct, c.ty, &[value, over]))
    }
}
