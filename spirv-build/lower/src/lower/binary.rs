//! Operators.

use super::function::Body;
use crate::hlsl::hir::{BinaryOp, ExprId, Scalar, TypeId, UnaryOp};
use crate::ir::{ConstKind, Op, Value};

/// How an operator treats its operands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Float,
    Signed,
    Unsigned,
    Bool,
}

/// A row each: operator, then instruction for floats, signed, unsigned integers and bools. `Nop`: not defined.
const ROWS: &[(BinaryOp, [Op; 4])] = {
    use BinaryOp as B;
    &[
        (B::Add, [Op::FAdd, Op::IAdd, Op::IAdd, Op::Nop]),
        (B::Sub, [Op::FSub, Op::ISub, Op::ISub, Op::Nop]),
        (B::Mul, [Op::FMul, Op::IMul, Op::IMul, Op::Nop]),
        (B::Div, [Op::FDiv, Op::SDiv, Op::UDiv, Op::Nop]),
        (B::Rem, [Op::FRem, Op::SRem, Op::UMod, Op::Nop]),
        (B::BitAnd, [Op::Nop, Op::BitwiseAnd, Op::BitwiseAnd, Op::LogicalAnd]),
        (B::BitOr, [Op::Nop, Op::BitwiseOr, Op::BitwiseOr, Op::LogicalOr]),
        (B::BitXor, [Op::Nop, Op::BitwiseXor, Op::BitwiseXor, Op::LogicalNotEqual]),
        (B::Shl, [Op::Nop, Op::ShiftLeftLogical, Op::ShiftLeftLogical, Op::Nop]),
        (B::Shr, [Op::Nop, Op::ShiftRightArithmetic, Op::ShiftRightLogical, Op::Nop]),
        (B::Lt, [Op::FOrdLessThan, Op::SLessThan, Op::ULessThan, Op::Nop]),
        (B::Le, [Op::FOrdLessThanEqual, Op::SLessThanEqual, Op::ULessThanEqual, Op::Nop]),
        (B::Gt, [Op::FOrdGreaterThan, Op::SGreaterThan, Op::UGreaterThan, Op::Nop]),
        (B::Ge, [Op::FOrdGreaterThanEqual, Op::SGreaterThanEqual, Op::UGreaterThanEqual, Op::Nop]),
        (B::Eq, [Op::FOrdEqual, Op::IEqual, Op::IEqual, Op::LogicalEqual]),
        (B::Ne, [Op::FUnordNotEqual, Op::INotEqual, Op::INotEqual, Op::LogicalNotEqual]),
    ]
};

fn class(s: Scalar) -> Class {
    match s {
        Scalar::Bool => Class::Bool,
        s if s.is_float() => Class::Float,
        s if s.is_signed_int() => Class::Signed,
        _ => Class::Unsigned,
    }
}

impl Body<'_, '_> {
    #[inline(never)]
    pub(super) fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId, result: TypeId) -> Value {
        let operand = self.f.expr(a).ty;
        let span = self.span;
        let scalar = self.component(operand, span);
        let (a, b) = (self.expr(a), self.expr(b));
        self.span = span;
        self.zip_rows(a, b, operand, result, |s, a, b| s.binary_op(op, a, b, scalar))
    }

    /// Applies an operation on scalars and vectors to the rows of two matrices, or to the values themselves.
    pub(super) fn zip_rows(
        &mut self,
        a: Value,
        b: Value,
        ty: TypeId,
        result: TypeId,
        mut f: impl FnMut(&mut Self, Value, Value) -> Value,
    ) -> Value {
        use super::types::{MatrixForm, matrix_form};
        let crate::hlsl::hir::Type::Matrix(s, r, c) = self.l.hlsl(ty) else { return f(self, a, b) };
        if matches!(matrix_form(s, r, c), MatrixForm::Scalar | MatrixForm::Vector) {
            return f(self, a, b);
        }
        let rows: Vec<Value> = (0..r)
            .map(|i| {
                let (a, b) = (self.matrix_row(a, (s, r, c), i), self.matrix_row(b, (s, r, c), i));
                f(self, a, b)
            })
            .collect();
        let to = self.l.component(result).unwrap_or(s);
        self.matrix_from_rows(to, r, c, &rows)
    }

    /// An operator on scalars or vectors.
    pub(super) fn binary_op(&mut self, op: BinaryOp, a: Value, b: Value, scalar: Scalar) -> Value {
        let ty = self.ty(a);
        let class = class(scalar);
        let row = ROWS.iter().find(|r| r.0 == op).map_or(Op::Nop, |r| r.1[class as usize]);
        if row == Op::Nop {
            self.l.internal(self.span, format!("`{}` of these operands", op.symbol()));
            return a;
        }
        let result = if op.is_comparison() {
            let n = self.l.out.ctx.types.len_of(ty);
            self.l.vector_type(Scalar::Bool, n)
        } else {
            ty
        };
        let b = if matches!(op, BinaryOp::Shl | BinaryOp::Shr) { self.shift_amount(b, scalar) } else { b };
        self.op(row, result, &[a, b])
    }

    /// The amount of a shift, modulo the width.
    fn shift_amount(&mut self, v: Value, scalar: Scalar) -> Value {
        let mask = u64::from(scalar.bits() - 1);
        let ty = self.ty(v);
        if let Some(c) = self.func.as_const(v) {
            let consts = &self.l.out.ctx.consts;
            let parts = match consts.kind(c) {
                ConstKind::Composite(parts) => parts.clone(),
                _ => vec![c],
            };
            if parts.iter().all(|p| consts.bits(*p).is_some_and(|b| b <= mask)) {
                return v;
            }
        }
        let mask = self.bits(ty, mask);
        self.op(Op::BitwiseAnd, ty, &[v, mask])
    }

    #[inline(never)]
    pub(super) fn unary(&mut self, op: UnaryOp, a: ExprId) -> Value {
        let ty = self.f.expr(a).ty;
        let span = self.span;
        let scalar = self.component(ty, span);
        let a = self.expr(a);
        self.span = span;
        let row = match (op, class(scalar)) {
            (UnaryOp::Neg, Class::Float) => Op::FNegate,
            (UnaryOp::Neg, Class::Signed | Class::Unsigned) => Op::SNegate,
            (UnaryOp::BitNot, Class::Signed | Class::Unsigned) => Op::Not,
            (UnaryOp::Not, Class::Bool) => Op::LogicalNot,
            _ => {
                self.l.internal(span, "an operator of this operand");
                return a;
            }
        };
        self.map_rows(a, ty, ty, |s, v| {
            let t = s.ty(v);
            s.op(row, t, &[v])
        })
    }
}
