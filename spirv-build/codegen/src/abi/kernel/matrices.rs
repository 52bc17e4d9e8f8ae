//! Matrices, which kernels do not have: arrays of columns.

use super::body::Body;
use crate::ir::{Op, Type, TypeKind, Value};

impl Body<'_, '_> {
    /// The columns of a matrix.
    fn columns(&mut self, m: Value) -> Vec<Value> {
        match *self.l.new.ctx.types.kind(self.f.values[m].ty) {
            TypeKind::Array { elem, len, .. } => (0..len).map(|i| self.b().extract(m, elem, &[i])).collect(),
            // What was refused.
            _ => vec![m],
        }
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
}
