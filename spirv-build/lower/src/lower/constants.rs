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
                Scalar::F16 => u64::from(half_bits(*x)),
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
                Scalar::F16 => u64::from(half_bits(*x)),
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

/// Bits of the binary16 nearest to a number, ties to even.
pub(super) fn half_bits(x: f64) -> u16 {
    let sign = if x.is_sign_negative() { 0x8000 } else { 0 };
    let a = x.abs();
    if a.is_nan() {
        return 0x7e00;
    }
    if a >= 65520.0 {
        return sign | 0x7c00;
    }
    // The distance between neighbours: 2^-24 below the smallest normal number, else 2^(exponent-10).
    let exponent = if a < 2f64.powi(-14) { -14 } else { a.log2().floor() as i32 };
    let exponent = if exponent > -14 && 2f64.powi(exponent) > a { exponent - 1 } else { exponent };
    let steps = a / 2f64.powi(exponent - 10);
    let mut n = steps.floor();
    let rest = steps - n;
    if rest > 0.5 || (rest == 0.5 && n % 2.0 == 1.0) {
        n += 1.0;
    }
    // Numbers of a binade follow those of the one below, so a carry ends in the right place.
    let base = ((exponent + 14) as u16) << 10;
    sign | (base + n as u16)
}

#[cfg(test)]
mod tests {
    use super::half_bits;

    #[test]
    fn halves_are_rounded_to_nearest_even() {
        let cases = [
            (0.0, 0),
            (-0.0, 0x8000),
            (1.0, 0x3c00),
            (-2.0, 0xc000),
            (65504.0, 0x7bff),
            (65519.9, 0x7bff),
            (65520.0, 0x7c00),
            (f64::INFINITY, 0x7c00),
            (2f64.powi(-24), 1),
            (2f64.powi(-25), 0),
            (2f64.powi(-14), 0x0400),
            (1.0 + 2f64.powi(-11), 0x3c00),
            (1.0 + 3.0 * 2f64.powi(-11), 0x3c02),
            (0.1, 0x2e66),
            (2047.75, 0x67ff + 1),
        ];
        for (x, bits) in cases {
            assert_eq!(half_bits(x), bits, "{x}");
        }
    }
}
