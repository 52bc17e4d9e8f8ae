//! Taking composites apart: a type as a list of scalar leaves, constants as bits, and which leaf of which operand
//! a composite operation moves.

use crate::ir::{Const, ConstKind, Context, Function, Inst, Op, Opcode, Type, TypeKind};
use crate::spmd::{Arg, Kind};
use smallvec::SmallVec;

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

/// A constant's leaves. Undefined ones are zero.
pub fn constant(ctx: &Context, c: Const, out: &mut Vec<Arg>) {
    let ty = ctx.consts.ty(c);
    let bits = match ctx.consts.kind(c) {
        ConstKind::Bool(b) => u64::from(*b),
        ConstKind::Bits(bits) => *bits,
        ConstKind::Spec { default, .. } => *default,
        ConstKind::Composite(parts) => return parts.iter().for_each(|p| constant(ctx, *p, out)),
        // Modules whose addressing is logical, as that of all shaders is, have no addresses; what is computed was refused.
        ConstKind::Address(_) | ConstKind::Computed(..) | ConstKind::Null | ConstKind::Undef => {
            let mut all = Vec::new();
            scalars(ctx, ty, &mut all);
            return out.extend(all.into_iter().map(|s| leaf_constant(s, 0)));
        }
    };
    out.extend(scalar(ctx, ty).map(|s| leaf_constant(s, bits)));
}

fn leaf_constant(s: Scalar, bits: u64) -> Arg {
    match s {
        Scalar { kind: Kind::Long | Kind::Double, .. } => Arg::Wide(s.kind, bits),
        _ if s.is_half() => Arg::Const(s.kind, float_of_half(bits as u32).to_bits()),
        _ => Arg::Const(s.kind, bits as u32),
    }
}

/// The value of a half.
fn float_of_half(h: u32) -> f32 {
    let sign = (h & 0x8000) << 16;
    match ((h >> 10) & 31, h & 0x3ff) {
        (31, m) => f32::from_bits(sign | 0x7f80_0000 | m << 13),
        // m * 2^-24
        (0, m) => f32::from_bits(sign | (m as f32 * f32::from_bits(0x3380_0000)).to_bits()),
        (e, m) => f32::from_bits(sign | (e + 112) << 23 | m << 13),
    }
}

/// Whether the host chooses a part of a constant.
pub fn is_chosen(ctx: &Context, c: Const) -> bool {
    match ctx.consts.kind(c) {
        ConstKind::Spec { id, .. } => id.is_some(),
        ConstKind::Composite(parts) => parts.iter().any(|part| is_chosen(ctx, *part)),
        _ => false,
    }
}

/// The words of a constant's leaves.
pub fn constant_words(ctx: &Context, c: Const) -> Vec<u32> {
    let (mut leaves, mut out) = (Vec::new(), Vec::new());
    constant(ctx, c, &mut leaves);
    for leaf in leaves {
        match leaf {
            Arg::Wide(_, bits) => out.extend([bits as u32, (bits >> 32) as u32]),
            Arg::Const(_, bits) => out.push(bits),
            _ => {}
        }
    }
    out
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
