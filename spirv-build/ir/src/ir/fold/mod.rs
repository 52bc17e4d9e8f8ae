//! Computes operations on constants, exactly as the specification has them. The one place where constants are folded.
//!
//! What has no defined result is not folded: shifts by the width or more, division by zero, conversions out of range, indices
//! out of range, what is undefined already. Nor is what devices may compute differently: results and operands that are NaN or
//! denormal, functions that need not be exact, floats of other widths than 32 and 64. Who runs with another rounding mode than to
//! the nearest even does not ask for floats ([`is_float_arithmetic`]).

mod scalar;

use crate::ir::{Const, ConstKind, Context, Op, Type, TypeKind};
use scalar::Scalar;
use smallvec::SmallVec;

/// Components of an array that is built from one, at most.
const MAX_PARTS: usize = 1024;

/// An operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arg {
    /// A constant.
    Const(Const),
    /// A literal word.
    Literal(u32),
}

/// The result of an operation, of type `ty`, if it is known.
pub fn fold(ctx: &mut Context, op: Op, ty: Type, args: &[Arg]) -> Option<Const> {
    let constant = |i: usize| match args.get(i) {
        Some(Arg::Const(c)) => Some(*c),
        _ => None,
    };
    let literals = |from: usize| {
        args.get(from..).unwrap_or_default().iter().map(|a| match a {
            Arg::Literal(n) => Some(*n),
            Arg::Const(_) => None,
        })
    };
    match op {
        Op::CopyObject => constant(0),
        Op::CompositeConstruct => construct(ctx, ty, args),
        Op::CompositeExtract => {
            let mut at = constant(0)?;
            for index in literals(1) {
                at = part(ctx, at, index?)?;
            }
            Some(at)
        }
        Op::CompositeInsert => {
            let path: Option<SmallVec<[u32; 4]>> = literals(2).collect();
            insert(ctx, constant(1)?, constant(0)?, &path?)
        }
        Op::VectorShuffle => {
            let (a, b) = (constant(0)?, constant(1)?);
            let len = u32::from(ctx.types.len_of(ctx.consts.ty(a)));
            let mut parts = Vec::new();
            for n in literals(2) {
                let n = n?;
                parts.push(if n < len { part(ctx, a, n) } else { part(ctx, b, n - len) }?);
            }
            Some(whole(ctx, ty, parts))
        }
        Op::VectorExtractDynamic => {
            let index = ctx.consts.bits(constant(1)?)?;
            part(ctx, constant(0)?, u32::try_from(index).ok()?)
        }
        Op::VectorInsertDynamic => {
            let index = ctx.consts.bits(constant(2)?)?;
            insert(ctx, constant(0)?, constant(1)?, &[u32::try_from(index).ok()?])
        }
        Op::Select => {
            let (c, a, b) = (constant(0)?, constant(1)?, constant(2)?);
            if let Some(bit) = ctx.consts.bits(c).filter(|_| ctx.types.is_bool(ctx.consts.ty(c))) {
                let one = ctx.types.len_of(ctx.consts.ty(c)) == 1;
                if one || matches!(ctx.consts.kind(c), ConstKind::Null) {
                    return Some(if bit != 0 { a } else { b });
                }
            }
            let mut parts = Vec::new();
            for i in 0..u32::from(ctx.types.len_of(ty)) {
                let c = part(ctx, c, i)?;
                parts.push(part(ctx, if ctx.consts.bits(c)? != 0 { a } else { b }, i)?);
            }
            Some(whole(ctx, ty, parts))
        }
        Op::Any | Op::All => {
            let of = constant(0)?;
            let mut bits = SmallVec::<[bool; 4]>::new();
            for i in 0..u32::from(ctx.types.len_of(ctx.consts.ty(of))) {
                let c = part(ctx, of, i)?;
                bits.push(ctx.consts.bits(c)? != 0);
            }
            let result = if op == Op::Any { bits.contains(&true) } else { !bits.contains(&false) };
            Some(ctx.constant(ty, ConstKind::Bool(result)))
        }
        _ => elementwise(ctx, op, ty, args),
    }
}

/// Whether an operation's result depends on how floats are rounded.
pub fn is_float_arithmetic(op: Op) -> bool {
    matches!(op, Op::FAdd | Op::FSub | Op::FMul | Op::FConvert | Op::ConvertSToF | Op::ConvertUToF)
}

/// An operation on scalars, or on the components of vectors.
fn elementwise(ctx: &mut Context, op: Op, ty: Type, args: &[Arg]) -> Option<Const> {
    let mut operands: SmallVec<[Const; 4]> = SmallVec::new();
    for arg in args {
        match arg {
            Arg::Const(c) => operands.push(*c),
            Arg::Literal(_) => return None,
        }
    }
    let to = Scalar::kind_of(ctx, ty)?;
    let len = ctx.types.len_of(ty);
    // Casts of vectors to others of another length mix components.
    if operands.iter().any(|c| ctx.types.len_of(ctx.consts.ty(*c)) != len)
        && !matches!(op, Op::BitFieldInsert | Op::BitFieldSExtract | Op::BitFieldUExtract)
    {
        return None;
    }
    let scalar_type = ctx.types.scalar_of(ty);
    let mut parts = Vec::with_capacity(usize::from(len));
    for i in 0..u32::from(len) {
        let mut scalars: SmallVec<[Scalar; 4]> = SmallVec::new();
        for &operand in &operands {
            // Offset and count of bit fields are scalars.
            let one = match ctx.types.len_of(ctx.consts.ty(operand)) {
                1 => operand,
                _ => part(ctx, operand, i)?,
            };
            let kind = Scalar::kind_of(ctx, ctx.consts.ty(one))?;
            scalars.push(Scalar { kind, bits: ctx.consts.bits(one)? });
        }
        let bits = scalar::evaluate(op, to, &scalars)?;
        parts.push(ctx.constant(scalar_type, to.constant(bits)));
    }
    Some(whole(ctx, ty, parts))
}

/// A constant of these parts; a scalar is its only part.
fn whole(ctx: &mut Context, ty: Type, parts: Vec<Const>) -> Const {
    match parts[..] {
        [one] if ctx.consts.ty(one) == ty => one,
        _ => ctx.constant(ty, ConstKind::Composite(parts)),
    }
}

/// A part of a composite.
pub fn part(ctx: &mut Context, of: Const, index: u32) -> Option<Const> {
    let ty = ctx.consts.ty(of);
    let elem = ctx.types.element(ty, index);
    match ctx.consts.kind(of) {
        ConstKind::Composite(parts) => parts.get(index as usize).copied(),
        kind @ (ConstKind::Null | ConstKind::Undef) => {
            let kind = kind.clone();
            let elem = elem?;
            // As it is written elsewhere, so that equal constants are the same.
            let kind = match (kind, ctx.types.kind(elem)) {
                (ConstKind::Null, TypeKind::Bool) => ConstKind::Bool(false),
                (ConstKind::Null, TypeKind::Int { .. } | TypeKind::Float { .. }) => ConstKind::Bits(0),
                (kind, _) => kind,
            };
            Some(ctx.constant(elem, kind))
        }
        // A vector operation on scalars.
        _ if index == 0 && ctx.types.len_of(ty) == 1 && elem.is_none() => Some(of),
        _ => None,
    }
}

/// How many parts a composite has.
fn len_of(ctx: &Context, ty: Type) -> Option<usize> {
    match ctx.types.kind(ty) {
        TypeKind::Vector { len, .. } => Some(usize::from(*len)),
        TypeKind::Matrix { columns, .. } => Some(usize::from(*columns)),
        TypeKind::Array { len, .. } => Some(*len as usize),
        TypeKind::Struct(s) => Some(s.members.len()),
        _ => None,
    }
}

/// All parts of a composite.
fn parts(ctx: &mut Context, of: Const) -> Option<Vec<Const>> {
    if let ConstKind::Composite(parts) = ctx.consts.kind(of) {
        return Some(parts.clone());
    }
    let len = len_of(ctx, ctx.consts.ty(of))?;
    if len > MAX_PARTS {
        return None;
    }
    (0..len as u32).map(|i| part(ctx, of, i)).collect()
}

fn insert(ctx: &mut Context, into: Const, new: Const, path: &[u32]) -> Option<Const> {
    let Some((first, rest)) = path.split_first() else { return Some(new) };
    let mut list = parts(ctx, into)?;
    let old = *list.get(*first as usize)?;
    list[*first as usize] = insert(ctx, old, new, rest)?;
    let ty = ctx.consts.ty(into);
    Some(ctx.constant(ty, ConstKind::Composite(list)))
}

fn construct(ctx: &mut Context, ty: Type, args: &[Arg]) -> Option<Const> {
    let vector = matches!(ctx.types.kind(ty), TypeKind::Vector { .. });
    let mut list = Vec::with_capacity(args.len());
    for arg in args {
        let Arg::Const(c) = *arg else { return None };
        // An address is no part of a constant that everything takes.
        if ctx.consts.has_address(c) {
            return None;
        }
        match ctx.types.kind(ctx.consts.ty(c)) {
            TypeKind::Vector { .. } if vector => list.extend(parts(ctx, c)?),
            _ => list.push(c),
        }
    }
    // Other types, such as matrices of several threads, are made of one part and have no such constants.
    let len = len_of(ctx, ty)?;
    (list.len() == len).then(|| ctx.constant(ty, ConstKind::Composite(list)))
}

#[cfg(test)]
mod tests;
