//! Operations on scalar constants.

use crate::ir::{ConstKind, Context, Op, Type, TypeKind};

/// What a scalar is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Bool,
    Int(u8),
    Float(u8),
}

/// A scalar by its bits; those above its width are zero.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scalar {
    pub(super) kind: Kind,
    pub(super) bits: u64,
}

impl Scalar {
    /// Of a type, or of the components of a vector.
    pub(super) fn kind_of(ctx: &Context, ty: Type) -> Option<Kind> {
        match *ctx.types.kind(ctx.types.scalar_of(ty)) {
            TypeKind::Bool => Some(Kind::Bool),
            TypeKind::Int { width, .. } => Some(Kind::Int(width)),
            TypeKind::Float { width } => Some(Kind::Float(width)),
            _ => None,
        }
    }

    /// As a number with a sign.
    fn signed(self) -> Option<i64> {
        let Kind::Int(width) = self.kind else { return None };
        let unused = 64 - u32::from(width);
        Some(((self.bits << unused) as i64) >> unused)
    }

    fn unsigned(self) -> Option<u64> {
        matches!(self.kind, Kind::Int(_)).then_some(self.bits)
    }

    fn bool(self) -> Option<bool> {
        (self.kind == Kind::Bool).then_some(self.bits != 0)
    }

    /// As a float that every device takes for the same: neither NaN nor denormal. One of 32 bits is the same number in 64.
    fn float(self) -> Option<f64> {
        match self.kind {
            Kind::Float(32) => usual32(f32::from_bits(self.bits as u32)).map(f64::from),
            Kind::Float(64) => usual64(f64::from_bits(self.bits)),
            _ => None,
        }
    }
}

impl Kind {
    pub(super) fn constant(self, bits: u64) -> ConstKind {
        match self {
            Kind::Bool => ConstKind::Bool(bits != 0),
            Kind::Int(_) | Kind::Float(_) => ConstKind::Bits(bits),
        }
    }

    fn mask(self) -> u64 {
        match self {
            Kind::Bool => 1,
            Kind::Int(width) | Kind::Float(width) => u64::MAX >> (64 - u32::from(width.clamp(1, 64))),
        }
    }
}

fn usual32(x: f32) -> Option<f32> {
    (!x.is_nan() && !x.is_subnormal()).then_some(x)
}

fn usual64(x: f64) -> Option<f64> {
    (!x.is_nan() && !x.is_subnormal()).then_some(x)
}

/// The bits of an operation's result of kind `to`.
pub(super) fn evaluate(op: Op, to: Kind, args: &[Scalar]) -> Option<u64> {
    let arg = |i: usize| args.get(i).copied();
    let bits = integer(op, to, args).or_else(|| match op {
        Op::Bitcast if args.len() == 1 => {
            let from = arg(0)?;
            (from.kind != Kind::Bool && from.kind.mask() == to.mask()).then_some(from.bits)
        }
        Op::LogicalEqual => Some(u64::from(arg(0)?.bool()? == arg(1)?.bool()?)),
        Op::LogicalNotEqual => Some(u64::from(arg(0)?.bool()? != arg(1)?.bool()?)),
        Op::LogicalOr => Some(u64::from(arg(0)?.bool()? | arg(1)?.bool()?)),
        Op::LogicalAnd => Some(u64::from(arg(0)?.bool()? & arg(1)?.bool()?)),
        Op::LogicalNot => Some(u64::from(!arg(0)?.bool()?)),
        _ => float(op, to, args),
    })?;
    Some(bits & to.mask())
}

fn integer(op: Op, to: Kind, args: &[Scalar]) -> Option<u64> {
    let width = u32::from(match args.first()?.kind {
        Kind::Int(width) => width,
        _ => return None,
    });
    let u = |i: usize| args.get(i)?.unsigned();
    let s = |i: usize| args.get(i)?.signed();
    let truth = |b: bool| Some(u64::from(b));
    // What overflows has no defined result.
    let divides = || Some(s(1)? != 0 && !(s(1)? == -1 && s(0)? == i64::MIN >> (64 - width)));
    let shift = || u(1).filter(|n| *n < u64::from(width));
    let field = |from: usize| {
        let (offset, count) = (u(from)?, u(from + 1)?);
        (offset.checked_add(count)? <= u64::from(width)).then_some((offset as u32, count as u32))
    };
    let ones = |count: u32| if count == 0 { 0 } else { u64::MAX >> (64 - count) };
    match op {
        Op::IAdd => Some(u(0)?.wrapping_add(u(1)?)),
        Op::ISub => Some(u(0)?.wrapping_sub(u(1)?)),
        Op::IMul => Some(u(0)?.wrapping_mul(u(1)?)),
        Op::SNegate => Some(u(0)?.wrapping_neg()),
        Op::Not => Some(!u(0)?),
        Op::BitwiseAnd => Some(u(0)? & u(1)?),
        Op::BitwiseOr => Some(u(0)? | u(1)?),
        Op::BitwiseXor => Some(u(0)? ^ u(1)?),
        Op::UDiv => u(0)?.checked_div(u(1)?),
        Op::UMod => u(0)?.checked_rem(u(1)?),
        Op::SDiv if divides()? => Some(s(0)?.wrapping_div(s(1)?) as u64),
        Op::SRem if divides()? => Some(s(0)?.wrapping_rem(s(1)?) as u64),
        Op::SMod if divides()? => {
            // The sign is that of the divisor.
            let rest = s(0)?.wrapping_rem(s(1)?);
            Some(if rest != 0 && (rest < 0) != (s(1)? < 0) { rest.wrapping_add(s(1)?) } else { rest } as u64)
        }
        Op::ShiftLeftLogical => Some(u(0)? << shift()?),
        Op::ShiftRightLogical => Some(u(0)? >> shift()?),
        Op::ShiftRightArithmetic => Some((s(0)? >> shift()?) as u64),
        Op::BitFieldInsert => {
            let (offset, count) = field(2)?;
            let mask = ones(count).checked_shl(offset).unwrap_or(0);
            Some(u(0)? & !mask | u(1)?.checked_shl(offset).unwrap_or(0) & mask)
        }
        Op::BitFieldUExtract => {
            let (offset, count) = field(1)?;
            Some(u(0)?.checked_shr(offset).unwrap_or(0) & ones(count))
        }
        Op::BitFieldSExtract => {
            let (offset, count) = field(1)?;
            let bits = u(0)?.checked_shr(offset).unwrap_or(0) & ones(count);
            Some(if count == 0 { 0 } else { ((bits << (64 - count)) as i64 >> (64 - count)) as u64 })
        }
        Op::BitReverse => Some(u(0)?.reverse_bits() >> (64 - width)),
        Op::BitCount => Some(u64::from(u(0)?.count_ones())),
        Op::IEqual => truth(u(0)? == u(1)?),
        Op::INotEqual => truth(u(0)? != u(1)?),
        Op::ULessThan => truth(u(0)? < u(1)?),
        Op::ULessThanEqual => truth(u(0)? <= u(1)?),
        Op::UGreaterThan => truth(u(0)? > u(1)?),
        Op::UGreaterThanEqual => truth(u(0)? >= u(1)?),
        Op::SLessThan => truth(s(0)? < s(1)?),
        Op::SLessThanEqual => truth(s(0)? <= s(1)?),
        Op::SGreaterThan => truth(s(0)? > s(1)?),
        Op::SGreaterThanEqual => truth(s(0)? >= s(1)?),
        Op::UConvert => u(0),
        Op::SConvert => Some(s(0)? as u64),
        // Through 64 bits it would be rounded twice.
        Op::ConvertSToF => float_bits(to, s(0)? as f64, s(0)? as f32),
        Op::ConvertUToF => float_bits(to, u(0)? as f64, u(0)? as f32),
        _ => None,
    }
}

/// The bits of a result that every device has.
fn float_bits(to: Kind, wide: f64, narrow: f32) -> Option<u64> {
    match to {
        Kind::Float(32) => usual32(narrow).map(|x| u64::from(x.to_bits())),
        Kind::Float(64) => usual64(wide).map(f64::to_bits),
        _ => None,
    }
}

fn float(op: Op, to: Kind, args: &[Scalar]) -> Option<u64> {
    let Kind::Float(_) = args.first()?.kind else { return None };
    let f = |i: usize| args.get(i)?.float();
    let n = |i: usize| f(i).map(|x| x as f32);
    let truth = |b: bool| Some(u64::from(b));
    match op {
        Op::FAdd => float_bits(to, f(0)? + f(1)?, n(0)? + n(1)?),
        Op::FSub => float_bits(to, f(0)? - f(1)?, n(0)? - n(1)?),
        Op::FMul => float_bits(to, f(0)? * f(1)?, n(0)? * n(1)?),
        Op::FNegate => float_bits(to, -f(0)?, -n(0)?),
        Op::FConvert => float_bits(to, f(0)?, n(0)?),
        // Rounded toward zero, if the result has room for it.
        Op::ConvertFToS | Op::ConvertFToU => {
            let (x, Kind::Int(width)) = (f(0)?.trunc(), to) else { return None };
            let signed = op == Op::ConvertFToS;
            let end = 2f64.powi(i32::from(width) - i32::from(signed));
            let least = if signed { -end } else { 0.0 };
            let fits = x >= least && x < end;
            fits.then_some(if signed { x as i64 as u64 } else { x as u64 })
        }
        Op::FOrdEqual | Op::FUnordEqual => truth(f(0)? == f(1)?),
        Op::FOrdNotEqual | Op::FUnordNotEqual => truth(f(0)? != f(1)?),
        Op::FOrdLessThan | Op::FUnordLessThan => truth(f(0)? < f(1)?),
        Op::FOrdGreaterThan | Op::FUnordGreaterThan => truth(f(0)? > f(1)?),
        Op::FOrdLessThanEqual | Op::FUnordLessThanEqual => truth(f(0)? <= f(1)?),
        Op::FOrdGreaterThanEqual | Op::FUnordGreaterThanEqual => truth(f(0)? >= f(1)?),
        _ => None,
    }
}
