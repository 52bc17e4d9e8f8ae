//! Constants as LLVM writes them.

use super::Export;
use super::types::{Elem, Shape};
use crate::ir::entity::Entity;
use crate::ir::walk::MAX_NESTING;
use crate::ir::{Const, ConstKind, ConstOperand, Op, Type, TypeKind};
use std::fmt::Write;
use std::rc::Rc;

/// A number of a shape's scalar, by its bits.
fn scalar(shape: Shape, bits: u64) -> String {
    match shape.elem {
        Elem::Int(1) => (if bits & 1 != 0 { "true" } else { "false" }).to_string(),
        Elem::Int(w) => {
            let unused = 64 - u32::from(w.clamp(1, 64));
            (((bits << unused) as i64) >> unused).to_string()
        }
        Elem::Float(16) => format!("0xH{bits:04X}"),
        // LLVM writes a float as the double of the same value.
        Elem::Float(32) => format!("0x{:016X}", widened(bits as u32)),
        Elem::Float(_) => format!("0x{bits:016X}"),
    }
}

/// The double of the same value as a float; of a NaN, the one that keeps its bits.
fn widened(bits: u32) -> u64 {
    let x = f32::from_bits(bits);
    if x.is_nan() {
        let (sign, payload) = (u64::from(bits >> 31), u64::from(bits & 0x007f_ffff));
        sign << 63 | 0x7ff << 52 | payload << 29
    } else {
        f64::from(x).to_bits()
    }
}

/// A constant in each component.
pub(super) fn splat(shape: Shape, bits: u64) -> Rc<str> {
    let one = scalar(shape, bits);
    if shape.len == 1 {
        return one.into();
    }
    let parts: Vec<String> = (0..shape.len).map(|_| format!("{} {one}", shape.elem)).collect();
    format!("<{}>", parts.join(", ")).into()
}

/// A float constant in each component, rounded to the shape's width.
pub(super) fn float(shape: Shape, x: f64) -> Rc<str> {
    splat(
        shape,
        match shape.width() {
            16 => u64::from(half(x)),
            32 => u64::from((x as f32).to_bits()),
            _ => x.to_bits(),
        },
    )
}

/// The nearest half of a number. Ties and subnormals as IEEE 754 has them.
fn half(x: f64) -> u16 {
    let sign = if x.is_sign_negative() { 0x8000 } else { 0 };
    let x = x.abs();
    if x.is_nan() {
        return sign | 0x7e00;
    }
    if x == 0.0 {
        return sign;
    }
    let exponent = (((x.to_bits() >> 52) & 0x7ff) as i32 - 1023).max(-14);
    if exponent > 15 {
        return sign | 0x7c00;
    }
    // Units of the last place; the multiplication is by a power of two.
    let steps = x * f64::powi(2.0, 10 - exponent);
    let steps = steps.round_ties_even() as u32;
    let bits = ((exponent + 14) as u32) * 1024 + steps;
    sign | bits.min(0x7c00) as u16
}

impl Export<'_> {
    /// Whether a constant's value is known only when the program runs.
    pub fn has_spec(&self, c: Const) -> bool {
        match self.module.ctx.consts.kind(c) {
            ConstKind::Spec { id, .. } => id.is_some(),
            ConstKind::Composite(parts) => parts.iter().any(|p| self.has_spec(*p)),
            _ => false,
        }
    }

    /// A constant without its type, as a value or (bools are bytes) as it lies in memory.
    pub fn constant(&mut self, c: Const, memory: bool) -> Rc<str> {
        let mut out = String::new();
        self.write_constant(c, memory, 0, &mut out);
        out.into()
    }

    fn write_constant(&mut self, c: Const, memory: bool, depth: usize, out: &mut String) {
        let module = self.module;
        let ty = module.ctx.consts.ty(c);
        let shape = Shape::of(&module.ctx.types, ty);
        let stored = shape.map(|s| if memory && s.is_bool() { s.with(Elem::Int(8)) } else { s });
        if depth > MAX_NESTING {
            out.push_str("undef");
            return;
        }
        match module.ctx.consts.kind(c) {
            ConstKind::Bool(b) => out.push_str(&scalar(stored.unwrap_or(Shape::BOOL), u64::from(*b))),
            ConstKind::Bits(bits) | ConstKind::Spec { default: bits, .. } => {
                out.push_str(&scalar(stored.unwrap_or(Shape::I32), *bits));
            }
            ConstKind::Undef => out.push_str("undef"),
            ConstKind::Address(g) => {
                let _ = write!(out, "@{}", self.global_names[g.index()]);
            }
            ConstKind::Computed(op, parts) => self.write_computed(*op, parts, ty, depth, out),
            ConstKind::Null => out.push_str(&self.null(ty, stored)),
            ConstKind::Composite(parts) => {
                let (open, close) = match module.ctx.types.kind(ty) {
                    TypeKind::Vector { .. } => ("<", ">"),
                    TypeKind::Struct(_) if self.is_packed(ty) => ("<{ ", " }>"),
                    TypeKind::Struct(_) => ("{ ", " }"),
                    _ => ("[", "]"),
                };
                out.push_str(open);
                for (i, p) in parts.iter().enumerate() {
                    let t = module.ctx.consts.ty(*p);
                    let t = if memory { self.memory_ty(t) } else { self.ty(t) };
                    let _ = write!(out, "{}{t} ", if i > 0 { ", " } else { "" });
                    self.write_constant(*p, memory, depth + 1, out);
                }
                out.push_str(close);
            }
        }
    }

    /// A computation on addresses, as a constant expression.
    fn write_computed(
        &mut self,
        op: Op,
        operands: &[ConstOperand],
        ty: Type,
        depth: usize,
        out: &mut String,
    ) {
        let consts = &self.module.ctx.consts;
        let parts: Vec<Const> = operands.iter().filter_map(|o| o.id()).collect();
        let Some(&base) = parts.first() else { return };
        let from = consts.ty(base);
        let word = match op {
            Op::PtrCastToGeneric | Op::GenericCastToPtr => "addrspacecast",
            Op::ConvertPtrToU => "ptrtoint",
            Op::ConvertUToPtr => "inttoptr",
            Op::PtrAccessChain | Op::InBoundsPtrAccessChain => {
                let pointee = self.module.ctx.types.pointee(from).map_or(from, |p| p.0);
                let inbounds = if op == Op::InBoundsPtrAccessChain { "inbounds " } else { "" };
                let _ = write!(out, "getelementptr {inbounds}({}", self.memory_ty(pointee));
                for p in parts {
                    let _ = write!(out, ", {} ", self.ty(consts.ty(p)));
                    self.write_constant(p, true, depth + 1, out);
                }
                out.push(')');
                return;
            }
            // Pointers of LLVM tell no types.
            _ => return self.write_constant(base, true, depth + 1, out),
        };
        let _ = write!(out, "{word} ({} ", self.ty(from));
        self.write_constant(base, true, depth + 1, out);
        let _ = write!(out, " to {})", self.ty(ty));
    }

    fn null(&self, ty: Type, shape: Option<Shape>) -> String {
        match (shape, self.module.ctx.types.kind(ty)) {
            (Some(s), _) if s.len == 1 => scalar(s, 0),
            (_, TypeKind::Pointer { .. } | TypeKind::Sampler | TypeKind::Image(_)) => "null".into(),
            (_, TypeKind::Opaque(_)) if self.flavor == super::Flavor::Host => "null".into(),
            _ => "zeroinitializer".into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_by_their_bits() {
        let f = Shape::float(32);
        assert_eq!(&*float(f, 1.0), "0x3FF0000000000000");
        assert_eq!(&*splat(f, 0x7f80_0001), "0x7FF0000020000000");
        assert_eq!(&*splat(f, 0xff80_0000), "0xFFF0000000000000");
        assert_eq!(&*splat(f, 1), "0x36A0000000000000");
        assert_eq!(&*splat(Shape { len: 2, ..Shape::int(8) }, 255), "<i8 -1, i8 -1>");
        assert_eq!(&*splat(Shape::BOOL, 1), "true");
    }

    #[test]
    fn halves_are_rounded_to_the_nearest() {
        let cases = [
            (0.0, 0x0000),
            (-0.0, 0x8000),
            (1.0, 0x3c00),
            (-2.0, 0xc000),
            (65504.0, 0x7bff),
            (65519.0, 0x7bff),
            (65520.0, 0x7c00),
            (1e9, 0x7c00),
            (f64::INFINITY, 0x7c00),
            (5.960464477539063e-8, 0x0001),
            (2.9e-8, 0x0000),
            (6.103515625e-5, 0x0400),
            (0.1, 0x2e66),
            (1.0 / 3.0, 0x3555),
        ];
        for (x, bits) in cases {
            assert_eq!(half(x), bits, "{x}");
        }
    }
}
