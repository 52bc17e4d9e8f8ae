//! How kernels lay out objects in memory: as C does, with vectors of three as large as those of four.

use crate::ir::{Module, Type, TypeKind};

/// Bytes of an address.
const ADDRESS: u64 = 8;

/// The size in bytes of an object.
pub(super) fn size(m: &Module, ty: Type) -> Option<u64> {
    match m.ctx.types.kind(ty) {
        TypeKind::Int { width, .. } | TypeKind::Float { width } => Some(u64::from(*width) / 8),
        TypeKind::Vector { elem, len } => Some(size(m, *elem)? * u64::from(if *len == 3 { 4 } else { *len })),
        TypeKind::Array { elem, len, .. } => size(m, *elem)?.checked_mul(u64::from(*len)),
        TypeKind::Pointer { .. } => Some(ADDRESS),
        TypeKind::Struct(s) => {
            let packed = s.is_packed();
            let (mut end, mut align) = (0u64, 1);
            for member in &s.members {
                let a = if packed { 1 } else { self::align(m, member.ty)? };
                end = end.next_multiple_of(a).checked_add(size(m, member.ty)?)?;
                align = align.max(a);
            }
            Some(end.next_multiple_of(align))
        }
        _ => None,
    }
}

/// The alignment of an object.
pub(super) fn align(m: &Module, ty: Type) -> Option<u64> {
    match m.ctx.types.kind(ty) {
        TypeKind::Array { elem, .. } => align(m, *elem),
        TypeKind::Struct(s) if s.is_packed() => Some(1),
        TypeKind::Struct(s) => {
            s.members.iter().map(|member| align(m, member.ty)).try_fold(1, |a, b| Some(a.max(b?)))
        }
        _ => size(m, ty),
    }
}

/// Where part `index` of an object begins, and its type.
pub(super) fn part(m: &Module, ty: Type, index: u64) -> Option<(u64, Type)> {
    match m.ctx.types.kind(ty) {
        TypeKind::Struct(s) => {
            let packed = s.is_packed();
            let mut at = 0u64;
            for (i, member) in (0u64..).zip(&s.members) {
                at = at.next_multiple_of(if packed { 1 } else { align(m, member.ty)? });
                if i == index {
                    return Some((at, member.ty));
                }
                at += size(m, member.ty)?;
            }
            None
        }
        TypeKind::Array { elem, .. } => Some((size(m, *elem)?.checked_mul(index)?, *elem)),
        TypeKind::Vector { elem, .. } => Some((size(m, *elem)?.checked_mul(index)?, *elem)),
        _ => None,
    }
}

/// Number of parts of a composite; None for scalars and addresses.
pub(super) fn parts(m: &Module, ty: Type) -> Option<u64> {
    match m.ctx.types.kind(ty) {
        TypeKind::Struct(s) => Some(s.members.len() as u64),
        TypeKind::Array { len, .. } => Some(u64::from(*len)),
        TypeKind::Vector { len, .. } => Some(u64::from(*len)),
        _ => None,
    }
}

/// The scalars (and addresses) that an object consists of, each kind once.
pub(super) fn scalars(m: &Module, ty: Type, out: &mut Vec<Type>) {
    match m.ctx.types.kind(ty) {
        TypeKind::Struct(s) => s.members.iter().for_each(|member| scalars(m, member.ty, out)),
        TypeKind::Array { elem, .. } | TypeKind::Vector { elem, .. } => scalars(m, *elem, out),
        _ if out.contains(&ty) => {}
        _ => out.push(ty),
    }
}

/// Where the numbers and vectors of an object are, and their types, at most so many. None if it has others.
pub(super) fn leaves(m: &Module, ty: Type, at: u64, limit: usize, out: &mut Vec<(u64, Type)>) -> Option<()> {
    match m.ctx.types.kind(ty) {
        TypeKind::Struct(_) | TypeKind::Array { .. } => {
            for i in 0..parts(m, ty)? {
                let (offset, part) = part(m, ty, i)?;
                leaves(m, part, at + offset, limit, out)?;
            }
        }
        TypeKind::Int { .. } | TypeKind::Float { .. } if out.len() < limit => out.push((at, ty)),
        TypeKind::Vector { len: 2..=4, .. } if out.len() < limit => out.push((at, ty)),
        _ => return None,
    }
    Some(())
}
