//! Conversions.

use super::function::Body;
use super::types::{MatrixForm, matrix_form};
use crate::hlsl::hir::Type as Hlsl;
use crate::hlsl::hir::{Conversion, ExprId, Scalar, TypeId};
use crate::ir::{Op, TypeKind, Value};

impl Body<'_, '_> {
    /// One conversion step.
    #[inline(never)]
    pub(super) fn convert(&mut self, how: Conversion, operand: ExprId, to: TypeId) -> Value {
        let from = self.f.expr(operand).ty;
        let value = self.expr(operand);
        let span = self.span;
        match how {
            Conversion::Cast => {
                let (a, b) = (self.component(from, span), self.component(to, span));
                self.map_rows(value, from, to, |s, v| s.cast(v, a, b))
            }
            Conversion::Pointer => value,
            Conversion::Splat => self.splat(value, to),
            Conversion::Truncate => self.truncate(value, from, to),
            Conversion::Reshape => self.reshape(value, from, to),
            Conversion::ToBase => {
                let (mut value, mut ty) = (value, from);
                while ty != to {
                    let Hlsl::Struct(s) = self.l.hlsl(ty) else { break };
                    let Some(field) = self.l.hir.types.structure(s).fields.first() else { break };
                    ty = field.ty;
                    let t = self.l.value_type(ty);
                    value = self.b().extract(value, t, &[0]);
                }
                value
            }
        }
    }

    /// Applies an operation on scalars and vectors to each row of a matrix, or to the value itself.
    pub(super) fn map_rows(
        &mut self,
        value: Value,
        from: TypeId,
        to: TypeId,
        mut f: impl FnMut(&mut Self, Value) -> Value,
    ) -> Value {
        let Hlsl::Matrix(s, r, c) = self.l.hlsl(from) else { return f(self, value) };
        if matches!(matrix_form(s, r, c), MatrixForm::Scalar | MatrixForm::Vector) {
            return f(self, value);
        }
        let rows: Vec<Value> = (0..r)
            .map(|i| {
                let row = self.matrix_row(value, (s, r, c), i);
                f(self, row)
            })
            .collect();
        let to = self.l.component(to).unwrap_or(s);
        self.matrix_from_rows(to, r, c, &rows)
    }

    /// Components to another scalar type.
    pub(super) fn cast(&mut self, v: Value, from: Scalar, to: Scalar) -> Value {
        let n = self.l.out.ctx.types.len_of(self.ty(v));
        let ty = self.l.vector_type(to, n);
        if self.ty(v) == ty {
            return v;
        }
        match (from, to) {
            (Scalar::Bool, _) => self.from_bool(v, to),
            (_, Scalar::Bool) => self.truth_of(v),
            _ if from.is_float() && to.is_float() => self.op(Op::FConvert, ty, &[v]),
            _ if from.is_float() => {
                let op = if to.is_signed_int() { Op::ConvertFToS } else { Op::ConvertFToU };
                self.op(op, ty, &[v])
            }
            _ if to.is_float() => {
                let op = if from.is_signed_int() { Op::ConvertSToF } else { Op::ConvertUToF };
                self.op(op, ty, &[v])
            }
            _ if from.bits() == to.bits() => self.op(Op::Bitcast, ty, &[v]),
            _ => {
                // The width changes by the sign of the source; then the bits are taken as they are.
                let types = &mut self.l.out.ctx.types;
                let signed = from.is_signed_int();
                let same_sign = types.int(to.bits() as u8, signed);
                let wide = types.vector(same_sign, n);
                let wide = self.op(if signed { Op::SConvert } else { Op::UConvert }, wide, &[v]);
                if self.ty(wide) == ty { wide } else { self.op(Op::Bitcast, ty, &[wide]) }
            }
        }
    }

    /// Whether components are not zero.
    pub(super) fn truth_of(&mut self, v: Value) -> Value {
        let ty = self.ty(v);
        let n = self.l.out.ctx.types.len_of(ty);
        let result = self.l.vector_type(Scalar::Bool, n);
        if ty == result {
            return v;
        }
        let op = if self.l.out.ctx.types.is_float(ty) { Op::FUnordNotEqual } else { Op::INotEqual };
        let zero = self.bits(ty, 0);
        self.op(op, result, &[v, zero])
    }

    /// 1 where true, 0 where false.
    #[allow(clippy::wrong_self_convention)]
    pub(super) fn from_bool(&mut self, v: Value, to: Scalar) -> Value {
        let n = self.l.out.ctx.types.len_of(self.ty(v));
        let ty = self.l.vector_type(to, n);
        if self.ty(v) == ty {
            return v;
        }
        let one = self.one(to);
        let (one, zero) = (self.bits(ty, one), self.bits(ty, 0));
        self.op(Op::Select, ty, &[v, one, zero])
    }

    /// The bits of 1.
    pub(super) fn one(&self, s: Scalar) -> u64 {
        match s {
            Scalar::F16 => 0x3c00,
            Scalar::F64 => 1f64.to_bits(),
            s if s.is_float() => u64::from(1f32.to_bits()),
            _ => 1,
        }
    }

    /// A scalar in every component.
    pub(super) fn splat(&mut self, v: Value, to: TypeId) -> Value {
        match self.l.hlsl(to) {
            Hlsl::Vector(s, n) => self.splat_vector(v, s, n),
            Hlsl::Matrix(s, r, c) => {
                let row = self.splat_vector(v, s, c);
                self.matrix_from_rows(s, r, c, &vec![row; usize::from(r)])
            }
            _ => v,
        }
    }

    pub(super) fn splat_vector(&mut self, v: Value, s: Scalar, n: u8) -> Value {
        if n == 1 {
            return v;
        }
        let ty = self.l.vector_type(s, n);
        if let Some(c) = self.func.as_const(v) {
            let c = self.l.out.ctx.constant(ty, crate::ir::ConstKind::Composite(vec![c; usize::from(n)]));
            return self.b().constant(c);
        }
        self.op(Op::CompositeConstruct, ty, &vec![v; usize::from(n)])
    }

    fn truncate(&mut self, v: Value, from: TypeId, to: TypeId) -> Value {
        match (self.l.hlsl(from), self.l.hlsl(to)) {
            (Hlsl::Matrix(s, r, c), Hlsl::Matrix(_, r2, c2)) => {
                let rows: Vec<Value> = (0..r2.min(r))
                    .map(|i| {
                        let row = self.matrix_row(v, (s, r, c), i);
                        self.first_components(row, c2.min(c))
                    })
                    .collect();
                self.matrix_from_rows(s, r2, c2, &rows)
            }
            (Hlsl::Matrix(s, r, c), _) => self.matrix_part(v, (s, r, c), 0, 0),
            (_, Hlsl::Vector(_, n)) => self.first_components(v, n),
            _ => self.first_components(v, 1),
        }
    }

    /// Components of a vector or matrix in row order.
    pub(super) fn components(&mut self, v: Value, ty: TypeId) -> Vec<Value> {
        if let Hlsl::Matrix(s, r, c) = self.l.hlsl(ty) {
            let at = (0..r).flat_map(|i| (0..c).map(move |j| (i, j)));
            return at.map(|(i, j)| self.matrix_part(v, (s, r, c), i, j)).collect();
        }
        let n = match *self.l.out.ctx.types.kind(self.ty(v)) {
            TypeKind::Vector { len, .. } => len,
            _ => 1,
        };
        (0..n).map(|i| self.shuffle(v, &[i])).collect()
    }

    fn reshape(&mut self, v: Value, from: TypeId, to: TypeId) -> Value {
        let parts = self.components(v, from);
        match self.l.hlsl(to) {
            Hlsl::Matrix(s, r, c) => {
                let rows: Vec<Value> = parts.chunks(usize::from(c)).map(|row| self.vector(s, row)).collect();
                if rows.len() != usize::from(r) {
                    self.l.internal(self.span, "a reshape changes the number of components");
                    return self.undef(to);
                }
                self.matrix_from_rows(s, r, c, &rows)
            }
            Hlsl::Vector(s, n) if parts.len() == usize::from(n) => self.vector(s, &parts),
            _ => parts[0],
        }
    }
}
