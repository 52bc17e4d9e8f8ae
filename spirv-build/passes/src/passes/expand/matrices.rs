//! Matrices, by their columns.

use super::Expansion;
use crate::ir::{Op, Type, TypeKind, Value};
use smallvec::SmallVec;

type Result = Option<Value>;

/// The columns of a matrix.
fn columns(e: &mut Expansion<'_>, m: Value) -> Option<SmallVec<[Value; 4]>> {
    match *e.b.ctx.types.kind(e.b.ty(m)) {
        TypeKind::Matrix { column, columns } => {
            Some((0..u32::from(columns)).map(|i| e.b.extract(m, column, &[i])).collect())
        }
        _ => None,
    }
}

/// The columns, each times a component of `by`, added up.
fn combined(e: &mut Expansion<'_>, columns: &[Value], by: Value) -> Result {
    let ty = e.b.ty(*columns.first()?);
    let mut sum = None;
    for (column, factor) in columns.iter().zip(e.components(by)) {
        let part = e.scaled(*column, factor, sum.is_none());
        sum = Some(match sum {
            Some(sum) => e.op(Op::FAdd, ty, &[sum, part]),
            None => part,
        });
    }
    sum
}

pub(super) fn times_scalar(e: &mut Expansion<'_>, ty: Type, ids: &[Value]) -> Result {
    let &[m, by] = ids else { return None };
    let parts: Vec<Value> = columns(e, m)?.into_iter().map(|c| e.scaled(c, by, false)).collect();
    Some(e.op(Op::CompositeConstruct, ty, &parts))
}

pub(super) fn times_vector(e: &mut Expansion<'_>, _: Type, ids: &[Value]) -> Result {
    let &[m, v] = ids else { return None };
    let columns = columns(e, m)?;
    combined(e, &columns, v)
}

pub(super) fn vector_times(e: &mut Expansion<'_>, ty: Type, ids: &[Value]) -> Result {
    let &[v, m] = ids else { return None };
    let parts: Vec<Value> = columns(e, m)?.into_iter().map(|c| e.dot(v, c)).collect();
    Some(e.op(Op::CompositeConstruct, ty, &parts))
}

pub(super) fn times_matrix(e: &mut Expansion<'_>, ty: Type, ids: &[Value]) -> Result {
    let &[a, b] = ids else { return None };
    let (left, right) = (columns(e, a)?, columns(e, b)?);
    let parts: Option<Vec<Value>> = right.into_iter().map(|c| combined(e, &left, c)).collect();
    Some(e.op(Op::CompositeConstruct, ty, &parts?))
}

pub(super) fn outer_product(e: &mut Expansion<'_>, ty: Type, ids: &[Value]) -> Result {
    let &[a, b] = ids else { return None };
    let parts: Vec<Value> = e.components(b).into_iter().map(|factor| e.scaled(a, factor, false)).collect();
    Some(e.op(Op::CompositeConstruct, ty, &parts))
}

pub(super) fn transpose(e: &mut Expansion<'_>, ty: Type, ids: &[Value]) -> Result {
    let &[m] = ids else { return None };
    let TypeKind::Matrix { column: row, columns: rows } = *e.b.ctx.types.kind(ty) else { return None };
    let (scalar, columns) = (e.scalar(ty), columns(e, m)?);
    let parts: Vec<Value> = (0..u32::from(rows))
        .map(|i| {
            let parts: Vec<Value> = columns.iter().map(|c| e.b.extract(*c, scalar, &[i])).collect();
            e.op(Op::CompositeConstruct, row, &parts)
        })
        .collect();
    Some(e.op(Op::CompositeConstruct, ty, &parts))
}

/// The components of the columns of a square matrix.
fn cells(e: &mut Expansion<'_>, m: Value) -> Option<Vec<SmallVec<[Value; 4]>>> {
    let cells: Vec<_> = columns(e, m)?.into_iter().map(|c| e.components(c)).collect();
    cells.iter().all(|c| c.len() == cells.len()).then_some(cells)
}

pub(super) fn determinant(e: &mut Expansion<'_>, ty: Type, ids: &[Value]) -> Result {
    let &[m] = ids else { return None };
    let cells = cells(e, m)?;
    let all: SmallVec<[usize; 4]> = (0..cells.len()).collect();
    Some(minor(e, ty, &cells, &all, &all))
}

/// The determinant of these columns and rows, along the first row.
fn minor(
    e: &mut Expansion<'_>,
    ty: Type,
    cells: &[SmallVec<[Value; 4]>],
    columns: &[usize],
    rows: &[usize],
) -> Value {
    let Some((row, rest)) = rows.split_first() else { return e.float(ty, 1.0) };
    let mut sum = None;
    for (i, column) in columns.iter().enumerate() {
        let cell = cells[*column][*row];
        if rest.is_empty() {
            return cell;
        }
        let others: SmallVec<[usize; 4]> = columns.iter().copied().filter(|c| c != column).collect();
        let below = minor(e, ty, cells, &others, rest);
        let term = e.apart(Op::FMul, ty, &[cell, below]);
        sum = Some(match sum {
            None => term,
            Some(sum) => e.op(if i % 2 == 0 { Op::FAdd } else { Op::FSub }, ty, &[sum, term]),
        });
    }
    sum.unwrap_or_else(|| e.float(ty, 1.0))
}

/// The adjugate divided by the determinant.
pub(super) fn inverse(e: &mut Expansion<'_>, ty: Type, ids: &[Value]) -> Result {
    let &[m] = ids else { return None };
    let TypeKind::Matrix { column, .. } = *e.b.ctx.types.kind(ty) else { return None };
    let (scalar, cells) = (e.scalar(ty), cells(e, m)?);
    let all: SmallVec<[usize; 4]> = (0..cells.len()).collect();
    let determinant = minor(e, scalar, &cells, &all, &all);
    let one = e.float(scalar, 1.0);
    let by = e.op(Op::FDiv, scalar, &[one, determinant]);
    let but = |n: usize| -> SmallVec<[usize; 4]> { all.iter().copied().filter(|i| *i != n).collect() };
    let parts: Vec<Value> = all
        .iter()
        .map(|c| {
            let parts: Vec<Value> = all
                .iter()
                .map(|r| {
                    // The cofactor of the transposed place.
                    let mut v = minor(e, scalar, &cells, &but(*r), &but(*c));
                    if (r + c) % 2 == 1 {
                        v = e.op(Op::FNegate, scalar, &[v]);
                    }
                    e.apart(Op::FMul, scalar, &[v, by])
                })
                .collect();
            e.op(Op::CompositeConstruct, column, &parts)
        })
        .collect();
    Some(e.op(Op::CompositeConstruct, ty, &parts))
}
