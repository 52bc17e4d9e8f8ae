//! Taking composites apart: a type as a list of scalar leaves, and which leaf of which operand a composite operation moves.

use crate::ir::{Context, Function, Inst, Op, Opcode, Type, TypeKind};
use smallvec::SmallVec;

/// What a leaf is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// 32-bit float.
    Float,
    /// 32-bit integer, signed or not.
    Int,
    /// Truth value; a mask where varying.
    Bool,
    /// 64-bit integer, signed or not.
    Long,
    /// 64-bit float.
    Double,
}

impl Kind {
    /// Words of such a leaf in memory.
    pub fn words(self) -> u32 {
        if self.is_wide() { 2 } else { 1 }
    }

    /// What the names of the preludes call it.
    pub fn letter(self) -> char {
        match self {
            Kind::Float => 'f',
            Kind::Int => 'i',
            Kind::Bool => 'b',
            Kind::Long => 'l',
            Kind::Double => 'd',
        }
    }

    /// Whether such a leaf has 64 bits.
    pub fn is_wide(self) -> bool {
        matches!(self, Kind::Long | Kind::Double)
    }
}

/// Leaves beyond which a value is refused (it would be unrolled into as many variables).
pub const MAX_LEAVES: u32 = 4096;

/// A scalar type as a leaf.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Scalar {
    /// What the leaf is.
    pub kind: Kind,
    /// Bits of the type (bool: 32, which is what it is in memory).
    pub width: u32,
}

impl Scalar {
    /// A half, which is computed with as a float.
    pub fn is_half(self) -> bool {
        self.kind == Kind::Float && self.width == 16
    }

    /// An integer that does not fill its leaf.
    pub fn is_narrow_int(self) -> bool {
        self.kind == Kind::Int && self.width < 32
    }
}

/// The leaf that a scalar type is; None if there is none for it.
pub fn scalar(ctx: &Context, ty: Type) -> Option<Scalar> {
    let (kind, width) = match *ctx.types.kind(ty) {
        TypeKind::Bool => (Kind::Bool, 32),
        TypeKind::Int { width: width @ (8 | 16 | 32), .. } => (Kind::Int, width),
        TypeKind::Int { width: 64, .. } => (Kind::Long, 64),
        TypeKind::Float { width: width @ (16 | 32) } => (Kind::Float, width),
        TypeKind::Float { width: 64 } => (Kind::Double, 64),
        _ => return None,
    };
    Some(Scalar { kind, width: u32::from(width) })
}

/// Number of leaves of a type; None if it has anything but scalars, or too many.
pub fn count(ctx: &Context, ty: Type) -> Option<u32> {
    total(ctx, ty, |_| 1).filter(|n| *n <= MAX_LEAVES)
}

/// Words of an object in packed memory; None if it has no such form.
pub fn words(ctx: &Context, ty: Type) -> Option<u32> {
    total(ctx, ty, |s| s.kind.words())
}

fn total(ctx: &Context, ty: Type, of: fn(Scalar) -> u32) -> Option<u32> {
    total_of(ctx, ty, of, &mut SmallVec::new())
}

/// `known` are structures that were looked into: each may be part of many others.
fn total_of(
    ctx: &Context,
    ty: Type,
    of: fn(Scalar) -> u32,
    known: &mut SmallVec<[(Type, u32); 8]>,
) -> Option<u32> {
    match ctx.types.kind(ty) {
        TypeKind::Vector { elem, len } => total_of(ctx, *elem, of, known)?.checked_mul(u32::from(*len)),
        TypeKind::Matrix { column, columns } => {
            total_of(ctx, *column, of, known)?.checked_mul(u32::from(*columns))
        }
        TypeKind::Array { elem, len, .. } => total_of(ctx, *elem, of, known)?.checked_mul(*len),
        TypeKind::Struct(s) => {
            if let Some((_, n)) = known.iter().find(|k| k.0 == ty) {
                return Some(*n);
            }
            let add = |n: u32, ty| n.checked_add(total_of(ctx, ty, of, known)?);
            let sum = s.members.iter().map(|m| m.ty).try_fold(0, add)?;
            known.push((ty, sum));
            Some(sum)
        }
        _ => scalar(ctx, ty).map(of),
    }
}

/// The leaves of a type, in order.
pub fn scalars(ctx: &Context, ty: Type, out: &mut Vec<Scalar>) {
    match ctx.types.kind(ty) {
        TypeKind::Vector { elem, len } => (0..*len).for_each(|_| scalars(ctx, *elem, out)),
        TypeKind::Matrix { column, columns } => (0..*columns).for_each(|_| scalars(ctx, *column, out)),
        TypeKind::Array { elem, len, .. } => (0..*len).for_each(|_| scalars(ctx, *elem, out)),
        TypeKind::Struct(s) => s.members.iter().for_each(|m| scalars(ctx, m.ty, out)),
        _ => out.extend(scalar(ctx, ty)),
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
        _ => return None,
    })
}
