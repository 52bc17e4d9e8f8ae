//! Taking composites apart: a type as a list of scalar leaves, constants as bits, and which leaf of which operand
//! a composite operation moves.

use crate::ir::{Const, ConstKind, Context, Function, Inst, Op, Opcode, Type, TypeKind};
use crate::spmd::Kind;

/// Leaves beyond which a value is refused (it would be unrolled into as many variables).
pub const MAX_LEAVES: u32 = 4096;

/// Number of leaves of a type; None if it has anything but 32-bit scalars and bools, or too many.
pub fn count(ctx: &Context, ty: Type) -> Option<u32> {
    let n = match ctx.types.kind(ty) {
        TypeKind::Bool | TypeKind::Int { width: 32, .. } | TypeKind::Float { width: 32 } => 1,
        TypeKind::Vector { elem, len } => count(ctx, *elem)? * u32::from(*len),
        TypeKind::Matrix { column, columns } => count(ctx, *column)? * u32::from(*columns),
        TypeKind::Array { elem, len, .. } => count(ctx, *elem)?.checked_mul(*len)?,
        TypeKind::Struct(s) => s.members.iter().try_fold(0u32, |n, m| n.checked_add(count(ctx, m.ty)?))?,
        _ => return None,
    };
    (n <= MAX_LEAVES).then_some(n)
}

/// Kinds of the leaves of a type, in order.
pub fn kinds(ctx: &Context, ty: Type, out: &mut Vec<Kind>) {
    match ctx.types.kind(ty) {
        TypeKind::Bool => out.push(Kind::Bool),
        TypeKind::Int { .. } => out.push(Kind::Int),
        TypeKind::Float { .. } => out.push(Kind::Float),
        TypeKind::Vector { elem, len } => (0..*len).for_each(|_| kinds(ctx, *elem, out)),
        TypeKind::Matrix { column, columns } => (0..*columns).for_each(|_| kinds(ctx, *column, out)),
        TypeKind::Array { elem, len, .. } => (0..*len).for_each(|_| kinds(ctx, *elem, out)),
        TypeKind::Struct(s) => s.members.iter().for_each(|m| kinds(ctx, m.ty, out)),
        _ => {}
    }
}

/// First leaf of component `index` of a composite, and the component's type.
pub fn component(ctx: &Context, ty: Type, index: u32) -> Option<(u32, Type)> {
    let elem = ctx.types.element(ty, index)?;
    let first = match ctx.types.kind(ty) {
        TypeKind::Struct(s) => {
            s.members[..index as usize].iter().try_fold(0u32, |n, m| n.checked_add(count(ctx, m.ty)?))?
        }
        _ => count(ctx, elem)?.checked_mul(index)?,
    };
    Some((first, elem))
}

/// First leaf at the end of a path of indices, and the type there.
pub fn path(ctx: &Context, mut ty: Type, indices: impl Iterator<Item = u32>) -> Option<(u32, Type)> {
    let mut first = 0;
    for index in indices {
        let (offset, elem) = component(ctx, ty, index)?;
        first += offset;
        ty = elem;
    }
    Some((first, ty))
}

/// Bits of a constant's leaves. Undefined ones are zero.
pub fn constant(ctx: &Context, c: Const, out: &mut Vec<u32>) {
    match ctx.consts.kind(c) {
        ConstKind::Bool(b) => out.push(u32::from(*b)),
        ConstKind::Bits(bits) => out.push(*bits as u32),
        ConstKind::Spec { default, .. } => out.push(*default as u32),
        ConstKind::Composite(parts) => parts.iter().for_each(|p| constant(ctx, *p, out)),
        ConstKind::Null | ConstKind::Undef => {
            let n = count(ctx, ctx.consts.ty(c)).unwrap_or(0) as usize;
            out.resize(out.len() + n, 0);
        }
    }
}

/// Where each result leaf of an operation that only moves leaves comes from: (value operand, leaf). None for
/// other operations.
pub fn moves(ctx: &Context, f: &Function, inst: Inst) -> Option<Vec<(usize, u32)>> {
    let data = &f.insts[inst];
    let Opcode::Op(op) = data.op else { return None };
    let ty = f.values[data.result()?].ty;
    let literals =
        |from: usize| data.operands[from..].iter().enumerate().map(move |(i, _)| data.literal(from + i));
    let operand = |i: usize| data.id(i).map(|v| f.values[v].ty);
    Some(match op {
        Op::CopyObject | Op::CopyLogical => (0..count(ctx, ty)?).map(|l| (0, l)).collect(),
        Op::CompositeExtract => {
            let (first, elem) = path(ctx, operand(0)?, literals(1).map_while(|l| l))?;
            (0..count(ctx, elem)?).map(|l| (0, first + l)).collect()
        }
        Op::CompositeInsert => {
            let (first, elem) = path(ctx, ty, literals(2).map_while(|l| l))?;
            let n = count(ctx, elem)?;
            (0..count(ctx, ty)?)
                .map(|l| if (first..first + n).contains(&l) { (0, l - first) } else { (1, l) })
                .collect()
        }
        Op::CompositeConstruct => {
            let mut out = Vec::new();
            for i in 0..data.operands.len() {
                out.extend((0..count(ctx, operand(i)?)?).map(|l| (i, l)));
            }
            out
        }
        Op::VectorShuffle => {
            let first = count(ctx, operand(0)?)?;
            literals(2)
                .map_while(|l| l)
                // 0xffffffff: undefined; any leaf will do.
                .map(|l| {
                    if l == u32::MAX {
                        (0, 0)
                    } else if l < first {
                        (0, l)
                    } else {
                        (1, l - first)
                    }
                })
                .collect()
        }
        Op::Transpose => {
            let TypeKind::Matrix { column, columns } = *ctx.types.kind(ty) else { return None };
            let rows = u32::from(ctx.types.len_of(column));
            // Result column c, row r is column r, row c of the operand, whose columns have `columns` rows.
            let columns = u32::from(columns);
            (0..columns).flat_map(|c| (0..rows).map(move |r| (0, r * columns + c))).collect()
        }
        _ => return None,
    })
}
