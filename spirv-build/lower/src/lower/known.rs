//! Conditions that are constant where they stand: of these only one side is lowered.

use super::function::Body;
use crate::hlsl::hir::{
    BinaryOp, Const, Conversion, ExprId, ExprKind, GlobalKind, PlaceId, PlaceKind, Scalar, Type as Hlsl,
    UnaryOp,
};

/// How deeply conditions are looked into.
const MAX_KNOWN_DEPTH: usize = 32;

impl Body<'_, '_> {
    /// Whether a condition is true, if that is known here: constants and parameters that were given constants.
    pub(super) fn known_condition(&self, e: ExprId) -> Option<bool> {
        match self.known_value(e, 0)? {
            Const::Bool(b) => Some(b),
            Const::Int(n) => Some(n != 0),
            _ => None,
        }
    }

    /// An element of a table of constants, or a component of one.
    fn known_element(&self, place: PlaceId, depth: usize) -> Option<&Const> {
        if depth > MAX_KNOWN_DEPTH {
            return None;
        }
        let (base, at) = match &self.f.place(place).kind {
            PlaceKind::Global(g) => {
                let global = self.l.hir.global(*g);
                let fixed = global.is_const && matches!(global.kind, GlobalKind::Static);
                return global.value.as_ref().filter(|_| fixed);
            }
            PlaceKind::Index(base, i) => match self.known_value(*i, depth + 1)? {
                Const::Int(n) => (*base, usize::try_from(n).ok()?),
                _ => return None,
            },
            PlaceKind::Field(base, n) => (*base, *n as usize),
            _ => return None,
        };
        match self.known_element(base, depth + 1)? {
            Const::Composite(list) => list.get(at),
            _ => None,
        }
    }

    pub(super) fn known_value(&self, e: ExprId, depth: usize) -> Option<Const> {
        let expr = self.f.expr(e);
        if depth > MAX_KNOWN_DEPTH {
            return None;
        }
        let int = |e: ExprId| match self.known_value(e, depth + 1)? {
            Const::Int(n) => Some(n),
            Const::Bool(b) => Some(i64::from(b)),
            _ => None,
        };
        match &expr.kind {
            ExprKind::Const(c) => Some(c.clone()),
            ExprKind::Load(place) => match &self.f.place(*place).kind {
                PlaceKind::Local(_) => None,
                _ => self.known_element(*place, depth).cloned(),
            },
            ExprKind::Convert(Conversion::Cast, a) => {
                let n = int(*a)?;
                match self.l.component(expr.ty)? {
                    Scalar::Bool => Some(Const::Bool(n != 0)),
                    Scalar::I32 => Some(Const::Int(i64::from(n as i32))),
                    Scalar::U32 => Some(Const::Int(i64::from(n as u32))),
                    _ => None,
                }
            }
            ExprKind::Unary(UnaryOp::Not, a) => Some(Const::Bool(int(*a)? == 0)),
            ExprKind::ShortCircuit { and, lhs, rhs } => {
                let a = int(*lhs)? != 0;
                Some(Const::Bool(if a == *and { int(*rhs)? != 0 } else { a }))
            }
            ExprKind::Ternary { cond, then, otherwise } => {
                self.known_value(if int(*cond)? != 0 { *then } else { *otherwise }, depth + 1)
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (int(*a)?, int(*b)?);
                Some(match op {
                    BinaryOp::Lt => Const::Bool(a < b),
                    BinaryOp::Le => Const::Bool(a <= b),
                    BinaryOp::Gt => Const::Bool(a > b),
                    BinaryOp::Ge => Const::Bool(a >= b),
                    BinaryOp::Eq => Const::Bool(a == b),
                    BinaryOp::Ne => Const::Bool(a != b),
                    BinaryOp::BitAnd if self.l.hlsl(expr.ty) == Hlsl::Scalar(Scalar::Bool) => {
                        Const::Bool(a != 0 && b != 0)
                    }
                    _ => {
                        let signed = match self.l.hlsl(expr.ty) {
                            Hlsl::Scalar(Scalar::I32) => true,
                            Hlsl::Scalar(Scalar::U32) => false,
                            _ => return None,
                        };
                        Const::Int(integer(*op, a, b, signed)?)
                    }
                })
            }
            _ => None,
        }
    }
}

/// Arithmetic on 32-bit integers; `None` if it has no defined result.
fn integer(op: BinaryOp, a: i64, b: i64, signed: bool) -> Option<i64> {
    let (x, y) = (a as i32, b as i32);
    let (ux, uy) = (x as u32, y as u32);
    let result = match op {
        BinaryOp::Add => x.wrapping_add(y),
        BinaryOp::Sub => x.wrapping_sub(y),
        BinaryOp::Mul => x.wrapping_mul(y),
        BinaryOp::Div if signed => x.checked_div(y)?,
        BinaryOp::Div => ux.checked_div(uy)? as i32,
        BinaryOp::Rem if signed => x.checked_rem(y)?,
        BinaryOp::Rem => ux.checked_rem(uy)? as i32,
        BinaryOp::BitAnd => x & y,
        BinaryOp::BitOr => x | y,
        BinaryOp::BitXor => x ^ y,
        BinaryOp::Shl => x.wrapping_shl(uy),
        BinaryOp::Shr if signed => x.wrapping_shr(uy),
        BinaryOp::Shr => ux.wrapping_shr(uy) as i32,
        _ => return None,
    };
    Some(if signed { i64::from(result) } else { i64::from(result as u32) })
}
