//! Unary and binary operators.
use super::scope::Entity;
use super::{Checked, Refuse, Reported, Sema, Val, convert, fold};
use crate::diag::Code;
use crate::hlsl::ast;
use crate::hlsl::ast::{BinOp, PrefixOp};
use crate::hlsl::hir::{BinaryOp, Const, ExprId, ExprKind, PlaceKind, Scalar, Type, TypeId, UnaryOp, Yields};
use crate::source::Span;

/// What takes two operands, for messages.
#[derive(Clone, Copy)]
pub(super) enum Taker<'a> {
    Operator(BinaryOp),
    Other(&'a str),
}

impl<'a> Sema<'a> {
    pub(super) fn prefix(&mut self, op: PrefixOp, a: ast::ExprId, span: Span) -> Checked<Val> {
        match op {
            PrefixOp::Inc | PrefixOp::Dec => {
                let e = self.step(a, op == PrefixOp::Dec, Yields::New, span)?;
                return Ok(self.as_place_after(e, span));
            }
            _ => {}
        }
        let v = self.expr(a);
        let value = self.load(v);
        Ok(Val::Value(self.unary(op, value, span)?))
    }

    fn unary(&mut self, op: PrefixOp, value: ExprId, span: Span) -> Checked {
        let ty = self.ty(value);
        if self.is_error(ty) {
            return Err(Reported);
        }
        let Some(scalar) = self.types.component(ty).filter(|_| !self.is_scoped_enum(ty)) else {
            let name = self.type_name(ty);
            return self.report(Code::BadOperands, span, format!("operator does not take `{name}`")).refuse();
        };
        let (hir_op, scalar) = match op {
            PrefixOp::Not => (UnaryOp::Not, Scalar::Bool),
            PrefixOp::BitNot => (UnaryOp::BitNot, if scalar == Scalar::Bool { Scalar::I32 } else { scalar }),
            _ => (UnaryOp::Neg, if scalar == Scalar::Bool { Scalar::I32 } else { scalar }),
        };
        if hir_op == UnaryOp::BitNot && !scalar.is_int() {
            let name = self.type_name(ty);
            return self
                .report(Code::BadOperands, span, format!("`~` needs integers, not `{name}`"))
                .refuse();
        }
        let value = self.cast_components(value, scalar);
        if op == PrefixOp::Plus {
            return Ok(value);
        }
        let ty = self.ty(value);
        if let Some(c) = self.const_of(value).and_then(|c| fold::unary(hir_op, scalar, c)) {
            return Ok(self.constant(c, ty, span));
        }
        let value = self.settle(value);
        let ty = self.ty(value);
        Ok(self.node(ExprKind::Unary(hir_op, value), ty, span))
    }

    fn is_scoped_enum(&self, ty: TypeId) -> bool {
        matches!(self.types.get(ty), Type::Enum(e) if self.types.enumeration(e).scoped)
    }

    pub(super) fn binary(&mut self, op: BinOp, a: ast::ExprId, b: ast::ExprId, span: Span) -> Checked {
        Ok(match op {
            BinOp::Plain(op) => {
                let left = self.expr(a);
                let right = self.expr(b);
                if let Some(result) = self.overloaded(op, left, right, span) {
                    return Ok(result);
                }
                let (left, right) = (self.load(left), self.load(right));
                self.arith(op, left, right, span)?
            }
            BinOp::And | BinOp::Or if self.options.hlsl_version < 2021 => {
                // Before 2021 both operands are always evaluated, component by component.
                let (left, right) = (self.rvalue(a), self.rvalue(b));
                for side in [left, right] {
                    let ty = self.ty(side);
                    if self.types.component(ty).is_none() && !self.is_error(ty) {
                        let name = self.type_name(ty);
                        return self
                            .report(Code::BadOperands, span, format!("operator does not take `{name}`"))
                            .refuse();
                    }
                }
                if self.is_error(self.ty(left)) || self.is_error(self.ty(right)) {
                    return Err(Reported);
                }
                let left = self.cast_components(left, Scalar::Bool);
                let right = self.cast_components(right, Scalar::Bool);
                // As in dxc, the right one counts for nothing where the left one is constant and decides.
                let ty = self.scalar_ty(Scalar::Bool);
                if let Some(&Const::Bool(known)) = self.const_of(left)
                    && known == (op == BinOp::Or)
                    && self.ty(right) == ty
                {
                    return Ok(self.constant(Const::Bool(known), ty, span));
                }
                let op = if op == BinOp::And { BinaryOp::BitAnd } else { BinaryOp::BitOr };
                self.arith(op, left, right, span)?
            }
            BinOp::And | BinOp::Or => {
                let lhs = self.condition(a);
                let rhs = self.condition(b);
                if self.is_error(self.ty(lhs)) || self.is_error(self.ty(rhs)) {
                    return Err(Reported);
                }
                let and = op == BinOp::And;
                let ty = self.scalar_ty(Scalar::Bool);
                match (self.const_of(lhs), self.const_of(rhs)) {
                    (Some(Const::Bool(l)), _) if *l != and => {
                        let value = Const::Bool(*l);
                        self.constant(value, ty, span)
                    }
                    (Some(Const::Bool(_)), _) => rhs,
                    _ => self.node(ExprKind::ShortCircuit { and, lhs, rhs }, ty, span),
                }
            }
        })
    }

    /// Reports operators that cannot be defined; says whether this one can.
    pub(super) fn operator_allowed(&mut self, f: &'a ast::Function, member: bool) -> bool {
        const DEFINABLE: &[&str] = &[
            "+", "-", "*", "/", "%", "^", "&", "|", "~", "!", "<", ">", "==", "!=", "<=", ">=", "&&", "||",
            ",", "()", "[]",
        ];
        let name = self.text(f.name.last().text).to_string();
        let Some(symbol) = name.strip_prefix("operator").map(str::trim) else { return true };
        let definable = DEFINABLE.contains(&symbol);
        if definable && member {
            return true;
        }
        let span = f.name.span;
        let d = if definable {
            self.report(Code::BadDeclaration, span, format!("`{name}` must be a method"))
        } else {
            self.report(Code::BadDeclaration, span, format!("`{name}` cannot be defined"))
        };
        d.label(if definable { "not in a structure" } else { "not among the operators that can be" });
        d.help(match definable {
            true => "declare it in the structure of the left operand, with the right one as its parameter",
            false => "write a method with a name",
        });
        false
    }

    /// `operator+` of a structure.
    fn overloaded(&mut self, op: BinaryOp, left: Val, right: Val, span: Span) -> Option<ExprId> {
        let ty = self.val_ty(left);
        let Type::Struct(s) = self.types.get(ty) else { return None };
        let name = self.names.intern(&format!("operator{}", op.symbol()));
        let Some(Entity::Functions(set)) = self.lookup_in(self.structs[s.index()].scope, name) else {
            return None;
        };
        let v = self.call_set(set, Some(left), vec![right], span, name);
        let v = self.val_or_error(v, span);
        Some(self.load(v))
    }

    /// Both operands with one type: common component type, common shape. Reports when there is none.
    pub(super) fn unify(
        &mut self,
        a: ExprId,
        b: ExprId,
        taker: Taker<'_>,
        span: Span,
    ) -> Checked<(ExprId, ExprId)> {
        let (ta, tb) = (self.ty(a), self.ty(b));
        if self.is_error(ta) || self.is_error(tb) {
            return Err(Reported);
        }
        if ta == tb && matches!(self.types.get(ta), Type::Enum(_)) {
            return Ok((a, b));
        }
        let scoped = self.is_scoped_enum(ta) || self.is_scoped_enum(tb);
        let shape = match (self.types.component(ta), self.types.component(tb)) {
            (Some(x), Some(y)) if !scoped => self.common_shape(ta, tb).map(|shape| {
                let s = if x == Scalar::Bool && y == Scalar::Bool { x } else { Self::join(x, y) };
                self.types.with_component(shape, s)
            }),
            _ => None,
        };
        let Some(ty) = shape else {
            let (x, y) = (self.type_name(ta), self.type_name(tb));
            let (sa, sb) = (self.span(a), self.span(b));
            let what = match taker {
                Taker::Operator(op) => format!("`{}`", op.symbol()),
                Taker::Other(what) => what.to_string(),
            };
            self.report(Code::BadOperands, span, format!("{what} cannot take `{x}` and `{y}`"))
                .secondary(sa, format!("`{x}`"))
                .secondary(sb, format!("`{y}`"));
            return Err(Reported);
        };
        let a = self.convert(a, ty, convert::How::Implicit, "the other operand")?;
        let b = self.convert(b, ty, convert::How::Implicit, "the other operand")?;
        Ok((a, b))
    }

    /// A scalar takes the other's shape; of two vectors the shorter wins.
    pub(super) fn common_shape(&mut self, a: TypeId, b: TypeId) -> Option<TypeId> {
        let scalar = |t: Type| matches!(t, Type::Scalar(_) | Type::Enum(_));
        Some(match (self.types.get(a), self.types.get(b)) {
            (x, y) if scalar(x) && scalar(y) => {
                let s = self.types.component(a)?;
                self.types.scalar(s)
            }
            (x, _) if scalar(x) => b,
            (_, y) if scalar(y) => a,
            // A matrix of one number counts as a number, one of a single row or column as a vector.
            (Type::Matrix(_, 1, 1), _) => b,
            (_, Type::Matrix(_, 1, 1)) => a,
            (Type::Vector(s, n), Type::Vector(_, m)) => self.types.vector(s, n.min(m)),
            (Type::Matrix(s, r, c), Type::Matrix(_, t, d)) if (r <= t && c <= d) || (t <= r && d <= c) => {
                self.types.intern(Type::Matrix(s, r.min(t), c.min(d)))
            }
            (Type::Vector(_, n), Type::Matrix(_, r, c)) if n == r * c => a,
            (Type::Matrix(_, r, c), Type::Vector(_, n)) if n == r * c => b,
            (Type::Vector(s, n), Type::Matrix(_, r, c)) | (Type::Matrix(_, r, c), Type::Vector(s, n))
                if r == 1 || c == 1 =>
            {
                self.types.vector(s, n.min(r * c))
            }
            _ => return None,
        })
    }

    /// A binary operator on two values.
    pub(super) fn arith(&mut self, op: BinaryOp, a: ExprId, b: ExprId, span: Span) -> Checked {
        use BinaryOp as B;
        if self.is_error(self.ty(a)) || self.is_error(self.ty(b)) {
            return Err(Reported);
        }
        self.warn_mixed_sign(op, a, b, span);
        let (a, b) = if matches!(op, B::Shl | B::Shr) { self.shift_operands(a, b) } else { (a, b) };
        let (mut a, mut b) = self.unify(a, b, Taker::Operator(op), span)?;
        let ty = self.ty(a);
        // An enumeration compares and computes as its scalar.
        if matches!(self.types.get(ty), Type::Enum(_)) {
            if self.is_scoped_enum(ty) && !matches!(op, B::Eq | B::Ne) {
                let name = self.type_name(ty);
                let symbol = op.symbol();
                return self
                    .report(Code::BadOperands, span, format!("`{symbol}` does not take `{name}`"))
                    .help("cast it to an integer first")
                    .refuse();
            }
            let s = self.types.component(ty).unwrap_or(Scalar::I32);
            a = self.cast_components(a, s);
            b = self.cast_components(b, s);
            if !op.is_comparison() {
                // What is computed of two values of an enumeration is of its type, and a number where one is wanted.
                let number = self.arith(op, a, b, span)?;
                return self.convert(number, ty, convert::How::Explicit, "");
            }
        }
        let mut scalar = self.types.component(self.ty(a)).unwrap_or(Scalar::I32);
        let bitwise = matches!(op, B::BitAnd | B::BitOr | B::BitXor);
        let keeps_bool = bitwise || matches!(op, B::Eq | B::Ne);
        if scalar == Scalar::Bool && !keeps_bool {
            scalar = Scalar::I32;
            a = self.cast_components(a, scalar);
            b = self.cast_components(b, scalar);
        }
        if (bitwise || matches!(op, B::Shl | B::Shr)) && scalar.is_float() {
            let name = self.type_name(self.ty(a));
            let symbol = op.symbol();
            return self
                .report(Code::BadOperands, span, format!("`{symbol}` needs integers, not `{name}`"))
                .help("`asuint(…)` gives the bits of a number, `(uint)…` its value")
                .refuse();
        }
        let refused = match (op, scalar.erased()) {
            (B::Rem, Scalar::F64) => Some("cast the operands to `float`"),
            (B::Div | B::Rem, Scalar::MinI16) => Some("cast the operands to `int`"),
            _ => None,
        };
        if let Some(help) = refused {
            let name = self.type_name(self.ty(a));
            let symbol = op.symbol();
            return self
                .report(Code::BadOperands, span, format!("`{symbol}` is not defined for `{name}`"))
                .label(format!("computed as `{name}`"))
                .help(help)
                .refuse();
        }
        if matches!(op, B::Div | B::Rem) && !scalar.is_float() && self.has_zero(b) {
            let at = self.span(b);
            return self.report(Code::DivisionByZero, at, "division by zero").label("this is 0").refuse();
        }
        self.warn_pointless(op, scalar, a, b, span);
        let mut result = self.ty(a);
        if op.is_comparison() {
            result = self.types.with_component(result, Scalar::Bool);
        }
        let folded = match (self.const_of(a), self.const_of(b)) {
            (Some(x), Some(y)) => fold::binary(op, scalar, x, y),
            _ => None,
        };
        if let Some(c) = folded {
            return Ok(self.constant(c, result, span));
        }
        let (a, b) = (self.settle(a), self.settle(b));
        if !op.is_comparison() {
            result = self.ty(a);
        }
        Ok(self.node(ExprKind::Binary(op, a, b), result, span))
    }

    /// What is shifted keeps its type: the amount takes it on. Only a literal takes on that of its amount.
    fn shift_operands(&mut self, a: ExprId, b: ExprId) -> (ExprId, ExprId) {
        let (x, y) = (self.types.component(self.ty(a)), self.types.component(self.ty(b)));
        let (Some(x), Some(y)) = (x, y) else { return (a, b) };
        if x.is_float() || y.is_float() || x == Scalar::LitInt {
            return (a, b);
        }
        let (a, x) =
            if x == Scalar::Bool { (self.cast_components(a, Scalar::I32), Scalar::I32) } else { (a, x) };
        (a, self.cast_components(b, x))
    }

    fn has_zero(&self, e: ExprId) -> bool {
        match self.const_of(e) {
            Some(Const::Int(0)) => true,
            Some(Const::Composite(list)) => list.contains(&Const::Int(0)),
            _ => false,
        }
    }

    fn warn_mixed_sign(&mut self, op: BinaryOp, a: ExprId, b: ExprId, span: Span) {
        if !op.is_comparison() {
            return;
        }
        let (x, y) = (self.types.component(self.ty(a)), self.types.component(self.ty(b)));
        let negative = match (x, y) {
            (Some(s), Some(u)) if s.is_signed_int() && u.is_unsigned_int() => a,
            (Some(u), Some(s)) if s.is_signed_int() && u.is_unsigned_int() => b,
            _ => return,
        };
        // Only a constant that really changes its value: mixing signs is common and mostly harmless. To ask for -1 is to ask
        // for all bits.
        let equality = matches!(op, BinaryOp::Eq | BinaryOp::Ne);
        if let Some(Const::Int(v)) = self.const_of(negative)
            && *v < 0
            && !(equality && *v == -1)
        {
            self.report(Code::MixedSign, span, "a negative number is compared as unsigned");
        } else if self.const_of(negative).is_none() {
            let (x, y) = (self.type_name(self.ty(a)), self.type_name(self.ty(b)));
            self.report(Code::SignCompare, span, format!("`{x}` is compared with `{y}`"))
                .help("a negative number counts as a large one: cast one of the two");
        }
    }

    /// Warns of operations on integers whose result does not depend on what they are given, or is not what it looks like. Macros
    /// and templates have them for a reason.
    fn warn_pointless(&mut self, op: BinaryOp, scalar: Scalar, a: ExprId, b: ExprId, span: Span) {
        use BinaryOp as B;
        if !scalar.is_int()
            || scalar == Scalar::LitInt
            || self.in_instance
            || [span, self.span(a), self.span(b)].iter().any(|s| s.file.is_expansion())
        {
            return;
        }
        let number = |e: ExprId| match self.const_of(e) {
            Some(Const::Int(v)) => Some(*v),
            _ => None,
        };
        let (x, y) = (number(a), number(b));
        if matches!(op, B::Shl | B::Shr) {
            let bits = i64::from(scalar.bits());
            if let Some(count) = y.filter(|y| *y < 0 || *y >= bits) {
                let (at, name) = (self.span(b), scalar.name());
                self.report(
                    Code::ShiftCount,
                    at,
                    format!("`{name}` has {bits} bits, and is shifted by {count}"),
                )
                .label(format!("counts as {}", count.rem_euclid(bits)))
                .help(format!("counts are 0 to {}", bits - 1));
            }
            return;
        }
        if !op.is_comparison() || x.is_some() && y.is_some() {
            return;
        }
        let always = match (op, x, y) {
            (B::Lt, _, Some(0)) | (B::Gt, Some(0), _) if scalar.is_unsigned_int() => Some(false),
            (B::Ge, _, Some(0)) | (B::Le, Some(0), _) if scalar.is_unsigned_int() => Some(true),
            (_, None, None) if self.is_same_variable(a, b) => Some(matches!(op, B::Eq | B::Le | B::Ge)),
            _ => None,
        };
        if let Some(always) = always {
            let d = self.report(Code::Tautological, span, format!("this comparison is always {always}"));
            d.help(match x.or(y) {
                Some(_) => "an unsigned number is never less than 0",
                None => "both sides are the same variable",
            });
        }
    }

    /// Whether two values are what one variable, or a member of one, holds.
    fn is_same_variable(&self, a: ExprId, b: ExprId) -> bool {
        let place = |e: ExprId| match self.f.exprs[e.index()].kind {
            ExprKind::Load(p) => Some(p),
            _ => None,
        };
        let (Some(mut a), Some(mut b)) = (place(a), place(b)) else { return false };
        loop {
            let (x, y) = (&self.f.places[a.index()].kind, &self.f.places[b.index()].kind);
            match (x, y) {
                (PlaceKind::Local(x), PlaceKind::Local(y)) => return x == y,
                (PlaceKind::Field(p, m), PlaceKind::Field(q, n)) if m == n => (a, b) = (*p, *q),
                (PlaceKind::Swizzle(p, m), PlaceKind::Swizzle(q, n)) if m == n => (a, b) = (*p, *q),
                _ => return false,
            }
        }
    }
}
