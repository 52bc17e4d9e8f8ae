//! Constants.

use super::Lower;
use crate::hlsl::hir::Type as Hlsl;
use crate::hlsl::hir::{Const, Scalar, TypeId};
use crate::ir::{self, ConstKind, Type, TypeKind};
use crate::source::Span;

impl Lower<'_> {
    /// The bits of a scalar constant.
    pub(super) fn scalar_bits(&self, value: &Const, ty: TypeId) -> u64 {
        let scalar = self.component(ty).unwrap_or(Scalar::U32);
        match value {
            Const::Bool(b) => u64::from(*b),
            Const::Int(n) => match scalar.bits() {
                64 => *n as u64,
                16 => *n as u64 & 0xffff,
                _ => *n as u64 & 0xffff_ffff,
            },
            Const::Float(x) => match scalar {
                Scalar::F64 => x.to_bits(),
                Scalar::F16 => ir::float_bits(16, *x),
                _ => u64::from((*x as f32).to_bits()),
            },
            Const::Composite(parts) => parts.first().map_or(0, |p| self.scalar_bits(p, ty)),
        }
    }

    /// A constant in the form of values.
    pub(super) fn constant(&mut self, value: &Const, ty: TypeId, span: Span) -> ir::Const {
        let t = self.value_type(ty);
        if !self.enter(span) {
            self.leave();
            return self.out.ctx.constant(t, ConstKind::Null);
        }
        let parts: &[Const] = if let Const::Composite(parts) = value { parts } else { &[] };
        let kind = match self.hlsl(ty) {
            Hlsl::Scalar(Scalar::Bool) => ConstKind::Bool(matches!(value, Const::Bool(true))),
            Hlsl::Scalar(_) | Hlsl::Enum(_) => ConstKind::Bits(self.scalar_bits(value, ty)),
            Hlsl::Vector(s, _) => {
                let elem = self.hir_scalar(s);
                ConstKind::Composite(parts.iter().map(|p| self.scalar_const(p, s, elem)).collect())
            }
            Hlsl::Matrix(s, r, c) => {
                let c = self.matrix_const(parts, s, r, c);
                self.leave();
                return c;
            }
            Hlsl::Array(elem, _) => {
                ConstKind::Composite(parts.iter().map(|p| self.constant(p, elem, span)).collect())
            }
            Hlsl::Struct(s) => {
                let hir = self.hir;
                let fields = hir.types.structure(s).fields.iter();
                ConstKind::Composite(fields.zip(parts).map(|(f, p)| self.constant(p, f.ty, span)).collect())
            }
            _ => ConstKind::Null,
        };
        self.leave();
        let expected = match self.out.ctx.types.kind(t) {
            TypeKind::Vector { len, .. } => u32::from(*len),
            TypeKind::Array { len, .. } => *len,
            TypeKind::Struct(s) => s.members.len() as u32,
            _ => 0,
        };
        if let ConstKind::Composite(parts) = &kind
            && parts.len() as u32 != expected
        {
            self.internal(span, "a constant has not one part for each part of its type");
            return self.out.ctx.constant(t, ConstKind::Null);
        }
        self.out.ctx.constant(t, kind)
    }

    pub(super) fn hir_scalar(&mut self, s: Scalar) -> Type {
        self.scalar_type(s)
    }

    pub(super) fn scalar_const(&mut self, value: &Const, s: Scalar, ty: Type) -> ir::Const {
        let kind = match (s, value) {
            (Scalar::Bool, v) => ConstKind::Bool(matches!(v, Const::Bool(true))),
            (_, Const::Float(x)) => ConstKind::Bits(match s {
                Scalar::F64 => x.to_bits(),
                Scalar::F16 => ir::float_bits(16, *x),
                _ => u64::from((*x as f32).to_bits()),
            }),
            (_, Const::Int(n)) => {
                let unused = 64 - s.bits();
                ConstKind::Bits((*n as u64) << unused >> unused)
            }
            _ => ConstKind::Null,
        };
        self.out.ctx.constant(ty, kind)
    }

    pub(super) fn matrix_const(&mut self, rows: &[Const], s: Scalar, r: u8, c: u8) -> ir::Const {
        use super::types::{MatrixForm, matrix_form};
        let elem = self.scalar_type(s);
        let mut lists: Vec<Vec<ir::Const>> = Vec::new();
        for row in rows {
            let parts = match row {
                Const::Composite(parts) => &parts[..],
                scalar => std::slice::from_ref(scalar),
            };
            let list = parts.iter().map(|p| self.scalar_const(p, s, elem)).collect();
            lists.push(list);
        }
        let flat: Vec<ir::Const> = lists.iter().flatten().copied().collect();
        let zero = self.out.ctx.constant(elem, ConstKind::Null);
        match matrix_form(s, r, c) {
            MatrixForm::Scalar => flat.first().copied().unwrap_or(zero),
            MatrixForm::Vector => {
                let ty = self.vector_type(s, r.max(c));
                self.out.ctx.constant(ty, ConstKind::Composite(flat))
            }
            form => {
                let row = self.vector_type(s, c);
                let rows: Vec<ir::Const> =
                    lists.into_iter().map(|l| self.out.ctx.constant(row, ConstKind::Composite(l))).collect();
                let ty = if form == MatrixForm::Native {
                    TypeKind::Matrix { column: row, columns: r }
                } else {
                    TypeKind::Array { elem: row, len: u32::from(r), stride: None }
                };
                let ty = self.out.ctx.types.intern(ty);
                self.out.ctx.constant(ty, ConstKind::Composite(rows))
            }
        }
    }
}
