//! Matrices, which kernels do not have: arrays of columns, and arithmetic on those.

use super::body::Body;
use crate::ir::{Op, Type, TypeKind, Value};

impl Body<'_, '_> {
    /// Lowers an instruction on matrices, with a result of this type.
    pub fn matrices(&mut self, op: Op, ty: Type, ids: &[Value]) -> Value {
        match (op, ids) {
            (Op::MatrixTimesVector, [m, v]) => {
                let columns = self.columns(*m);
                self.combined(ty, &columns, *v)
            }
            (Op::VectorTimesMatrix, [v, m]) => {
                let parts: Vec<Value> = self.columns(*m).into_iter().map(|c| self.dot(*v, c)).collect();
                self.b().op(Op::CompositeConstruct, ty, &parts)
            }
            (Op::MatrixTimesMatrix, [a, b]) => {
                let (left, right) = (self.columns(*a), self.columns(*b));
                let column = self.f.values[left[0]].ty;
                let parts: Vec<Value> = right.into_iter().map(|c| self.combined(column, &left, c)).collect();
                self.b().op(Op::CompositeConstruct, ty, &parts)
            }
            (Op::MatrixTimesScalar, [m, s]) => {
                let columns = self.columns(*m);
                let column = self.f.values[columns[0]].ty;
                let parts: Vec<Value> = columns.into_iter().map(|c| self.scaled(column, c, *s)).collect();
                self.b().op(Op::CompositeConstruct, ty, &parts)
            }
            (Op::OuterProduct, [a, b]) => {
                let column = self.f.values[*a].ty;
                let factors = self.components(*b);
                let parts: Vec<Value> = factors.into_iter().map(|f| self.scaled(column, *a, f)).collect();
                self.b().op(Op::CompositeConstruct, ty, &parts)
            }
            (Op::Transpose, [m]) => {
                let columns = self.columns(*m);
                let rows = u32::from(self.l.new.ctx.types.len_of(self.f.values[columns[0]].ty));
                self.turned(ty, &columns, rows)
            }
            _ => {
                self.refuse(crate::ir::words::operation(op));
                self.b().undef(ty)
            }
        }
    }

    /// The columns of a matrix.
    fn columns(&mut self, m: Value) -> Vec<Value> {
        match *self.l.new.ctx.types.kind(self.f.values[m].ty) {
            TypeKind::Array { elem, len, .. } => (0..len).map(|i| self.b().extract(m, elem, &[i])).collect(),
            // What was refused.
            _ => vec![m],
        }
    }

    /// The components of a vector.
    fn components(&mut self, v: Value) -> Vec<Value> {
        match *self.l.new.ctx.types.kind(self.f.values[v].ty) {
            TypeKind::Vector { elem, len } => {
                (0..u32::from(len)).map(|i| self.b().extract(v, elem, &[i])).collect()
            }
            _ => vec![v],
        }
    }

    /// The columns, each times a component of `by`, added up.
    fn combined(&mut self, ty: Type, columns: &[Value], by: Value) -> Value {
        let mut sum = None;
        for (column, factor) in columns.iter().zip(self.components(by)) {
            let part = self.scaled(ty, *column, factor);
            sum = Some(match sum {
                Some(sum) => self.b().op(Op::FAdd, ty, &[sum, part]),
                None => part,
            });
        }
        sum.unwrap_or(by)
    }

    /// The array, of type `ty`, of the vectors that are component by component in `vectors`; there are `count` of them.
    pub fn turned(&mut self, ty: Type, vectors: &[Value], count: u32) -> Value {
        let vector = self.l.new.ctx.types.element(ty, 0).unwrap_or(ty);
        let scalar = self.l.new.ctx.types.scalar_of(vector);
        let parts: Vec<Value> = (0..count)
            .map(|i| {
                let parts: Vec<Value> = vectors.iter().map(|v| self.b().extract(*v, scalar, &[i])).collect();
                self.b().op(Op::CompositeConstruct, vector, &parts)
            })
            .collect();
        self.b().op(Op::CompositeConstruct, ty, &parts)
    }

    /// The rows of a matrix of so many columns.
    pub fn rows(&mut self, m: Value, columns: u32) -> Vec<Value> {
        let parts = self.columns(m);
        let column = self.f.values[parts[0]].ty;
        let (scalar, rows) =
            (self.l.new.ctx.types.scalar_of(column), u32::from(self.l.new.ctx.types.len_of(column)));
        let row = self.l.new.ctx.types.vector(scalar, columns as u8);
        (0..rows)
            .map(|i| {
                let parts: Vec<Value> = parts.iter().map(|c| self.b().extract(*c, scalar, &[i])).collect();
                self.b().op(Op::CompositeConstruct, row, &parts)
            })
            .collect()
    }

    /// The determinant of a square matrix.
    pub fn determinant(&mut self, ty: Type, m: Value) -> Value {
        let columns: Vec<Vec<Value>> = self.columns(m).into_iter().map(|c| self.components(c)).collect();
        if columns.iter().any(|c| c.len() != columns.len()) {
            self.refuse("the determinant of a matrix that is not square");
            return self.b().null(ty);
        }
        let all: Vec<usize> = (0..columns.len()).collect();
        self.minor(ty, &columns, &all, 0)
    }

    /// The determinant of these columns and the rows from `row` on, along the first of those, in the order in which
    /// host code adds it up, too.
    fn minor(&mut self, ty: Type, columns: &[Vec<Value>], chosen: &[usize], row: usize) -> Value {
        let mut sum = None;
        for (i, c) in chosen.iter().enumerate() {
            let cell = columns[*c][row];
            let others: Vec<usize> = chosen.iter().copied().filter(|other| other != c).collect();
            if others.is_empty() {
                return cell;
            }
            let minor = self.minor(ty, columns, &others, row + 1);
            let term = self.b().op(Op::FMul, ty, &[cell, minor]);
            sum = Some(match sum {
                None => term,
                Some(sum) => {
                    let op = if i % 2 == 0 { Op::FAdd } else { Op::FSub };
                    self.b().op(op, ty, &[sum, term])
                }
            });
        }
        sum.unwrap_or_else(|| self.b().null(ty))
    }
}
