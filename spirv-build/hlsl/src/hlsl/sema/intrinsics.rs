//! Calls of intrinsic functions, by the shapes of the table.
use super::convert::How;
use super::{Sema, Val, fold, operators};
use crate::diag::Code;
use crate::hlsl::hir;
use crate::hlsl::hir::{BinaryOp, Const, ExprId, ExprKind, Intrinsic, Scalar, Type, TypeId, Types};
use crate::hlsl::intrinsics::{Class, Row, Shape, Sign, Widths};
use crate::source::Span;

impl Sema<'_> {
    pub(super) fn instruction(&mut self, row: &'static Row, args: Vec<Val>, span: Span) -> ExprId {
        if args.iter().any(|&a| self.is_error(self.val_ty(a))) {
            return self.error_value(span);
        }
        if !self.is_available(row, span) {
            return self.error_value(span);
        }
        match row.shape {
            Shape::Interlocked(op, least, most) => {
                let made = self.interlocked(row.name, op, (least, most), &args, span);
                return self.or_error(made, span);
            }
            Shape::Unsupported | Shape::Library | Shape::Foreign(..) => {
                self.unsupported(span, &format!("`{}`", row.name));
                return self.error_value(span);
            }
            Shape::Special(n) => return self.special(row.name, n, args, span),
            Shape::Barrier(group, device, sync) => {
                if !args.is_empty() {
                    return self.wrong_args(row.name, 0, args.len(), span);
                }
                let barrier = ExprKind::Barrier(hir::Barrier { group, device, sync });
                return self.node(barrier, Types::VOID, span);
            }
            _ => {}
        }
        let count = match row.shape {
            Shape::Same(_, n) | Shape::ToBool(_, n) | Shape::ToUint(_, n) | Shape::Reduce(_, n) => n,
            Shape::Nullary(_) => 0,
            Shape::Cross | Shape::ValueAndLane => 2,
            _ => 1,
        };
        if args.len() != count as usize {
            return self.wrong_args(row.name, count as usize, args.len(), span);
        }
        let values: Vec<ExprId> = args.iter().map(|&a| self.load(a)).collect();
        let bool_ty = self.scalar_ty(Scalar::Bool);
        let uint = self.scalar_ty(Scalar::U32);
        let Some(op) = row.op else {
            // `and` and `or` are operators on `bool`s.
            let Some((_, list)) = self.same(row.name, Class::Bool, row.sign, values, span) else {
                return self.error_value(span);
            };
            let op = if row.name == "and" { BinaryOp::BitAnd } else { BinaryOp::BitOr };
            return self.arith(op, list[0], list[1], span);
        };
        match row.shape {
            Shape::Same(class, _) => {
                let doubles = row.widths == Widths::ONLY_64;
                if doubles && !self.are_doubles(row.name, &values, span) {
                    return self.error_value(span);
                }
                let values = match doubles {
                    true => values.into_iter().map(|e| self.cast_components(e, Scalar::F64)).collect(),
                    false => values,
                };
                let Some((ty, list)) = self.same(row.name, class, row.sign, values, span) else {
                    return self.error_value(span);
                };
                let of_vectors =
                    matches!(op, Intrinsic::Normalize | Intrinsic::FaceForward | Intrinsic::Reflect);
                if of_vectors && matches!(self.types.get(ty), Type::Matrix(..)) {
                    return self.wrong_type(row.name, ty, span);
                }
                // The absolute value of an unsigned number is itself.
                if op == Intrinsic::Abs && self.types.component(ty).is_some_and(|s| s.is_unsigned_int()) {
                    return list[0];
                }
                let Some(s) = self.types.component(ty).filter(|s| s.is_float() && !row.widths.have(*s))
                else {
                    return self.call_intrinsic(op, list, ty, span);
                };
                // Computed as 32 bits. Of 16 the result is as wide as the operand.
                let wide = s.bits() > 32;
                if wide {
                    let shown = self.type_name(ty);
                    let text = format!("`{}` of `{shown}` is computed as `float`", row.name);
                    self.report(Code::LosesPrecision, span, text)
                        .help("write `(float)` before the operand if this is meant");
                }
                let list = list.into_iter().map(|e| self.cast_components(e, Scalar::F32)).collect();
                let float = self.types.with_component(ty, Scalar::F32);
                let value = self.call_intrinsic(op, list, float, span);
                if wide { value } else { self.cast_components(value, s) }
            }
            Shape::ToBool(class, _) | Shape::ToUint(class, _) => {
                let Some((ty, list)) = self.same(row.name, class, row.sign, values, span) else {
                    return self.error_value(span);
                };
                let to = if matches!(row.shape, Shape::ToBool(..)) { Scalar::Bool } else { Scalar::U32 };
                let result = self.types.with_component(ty, to);
                self.node(ExprKind::Intrinsic(op, list), result, span)
            }
            Shape::Reduce(class, _) => {
                let Some((ty, list)) = self.same(row.name, class, row.sign, values, span) else {
                    return self.error_value(span);
                };
                if matches!(self.types.get(ty), Type::Matrix(..)) {
                    return self.wrong_type(row.name, ty, span);
                }
                let s = self.types.component(ty).unwrap_or(Scalar::F32);
                let result = self.types.scalar(s);
                self.node(ExprKind::Intrinsic(op, list), result, span)
            }
            Shape::ToOneBool => {
                let ty = self.ty(values[0]);
                if self.types.component(ty).is_none() {
                    return self.wrong_type(row.name, ty, span);
                }
                let value = self.cast_components(values[0], Scalar::Bool);
                if matches!(self.types.get(ty), Type::Scalar(_)) {
                    return value;
                }
                self.node(ExprKind::Intrinsic(op, vec![value]), bool_ty, span)
            }
            Shape::Cross => {
                let f3 = self.types.vector(Scalar::F32, 3);
                let Some((ty, list)) = self.same(row.name, Class::Float, row.sign, values, span) else {
                    return self.error_value(span);
                };
                let s = self.types.component(ty).unwrap_or(Scalar::F32);
                let to = if s == Scalar::F32 { f3 } else { self.types.vector(s, 3) };
                let list = list
                    .into_iter()
                    .map(|e| self.convert(e, to, How::Implicit, "an operand of `cross`"))
                    .collect();
                self.node(ExprKind::Intrinsic(op, list), to, span)
            }
            Shape::Nullary(class) => {
                let ty = if class == Class::Bool { bool_ty } else { uint };
                self.node(ExprKind::Intrinsic(op, Vec::new()), ty, span)
            }
            Shape::OneBool => {
                let value = self.as_condition(values[0]);
                let result = match op {
                    Intrinsic::WaveActiveBallot => self.types.vector(Scalar::U32, 4),
                    Intrinsic::WaveActiveCountBits | Intrinsic::WavePrefixCountBits => uint,
                    _ => bool_ty,
                };
                if self.is_error(self.ty(value)) {
                    return value;
                }
                self.node(ExprKind::Intrinsic(op, vec![value]), result, span)
            }
            Shape::Matrix => {
                let ty = self.ty(values[0]);
                // A number is a matrix of one row and one column.
                if let Type::Scalar(s) = self.types.get(ty) {
                    let to = if s.is_float() && s != Scalar::LitFloat { s } else { Scalar::F32 };
                    return self.cast_components(values[0], to);
                }
                let Type::Matrix(s, r, c) = self.types.get(ty) else {
                    return self.wrong_type(row.name, ty, span);
                };
                if r != c {
                    return self.wrong_type(row.name, ty, span);
                }
                let s = if s.is_float() { s } else { Scalar::F32 };
                let value = self.cast_components(values[0], s);
                let result = self.types.scalar(s);
                self.node(ExprKind::Intrinsic(op, vec![value]), result, span)
            }
            Shape::ValueAndLane => {
                let value = self.settle(values[0]);
                let lane = self.convert_number(values[1], uint, &format!("the lane of `{}`", row.name));
                let ty = self.ty(value);
                if self.types.component(ty).is_none() {
                    return self.wrong_type(row.name, ty, span);
                }
                if self.is_error(self.ty(lane)) {
                    return lane;
                }
                self.node(ExprKind::Intrinsic(op, vec![value, lane]), ty, span)
            }
            Shape::Barrier(..)
            | Shape::Interlocked(..)
            | Shape::Special(_)
            | Shape::Library
            | Shape::Foreign(..)
            | Shape::Unsupported => self.error_value(span),
        }
    }

    fn wrong_args(&mut self, name: &str, want: usize, have: usize, span: Span) -> ExprId {
        let s = if want == 1 { "" } else { "s" };
        self.report(Code::NoOverload, span, format!("`{name}` takes {want} argument{s}, not {have}"));
        self.error_value(span)
    }

    pub(super) fn wrong_type(&mut self, name: &str, ty: TypeId, span: Span) -> ExprId {
        let shown = self.type_name(ty);
        self.report(Code::NoOverload, span, format!("`{name}` does not take `{shown}`"));
        self.error_value(span)
    }

    fn call_intrinsic(&mut self, op: Intrinsic, list: Vec<ExprId>, ty: TypeId, span: Span) -> ExprId {
        let s = self.types.component(ty).unwrap_or(Scalar::F32);
        let consts: Option<Vec<&Const>> = list.iter().map(|&e| self.const_of(e)).collect();
        if let Some(c) = consts.and_then(|c| fold::intrinsic(op, s, &c)) {
            return self.constant(c, ty, span);
        }
        self.node(ExprKind::Intrinsic(op, list), ty, span)
    }

    /// All operands with one type of a class.
    fn same(
        &mut self,
        name: &str,
        class: Class,
        sign: Sign,
        values: Vec<ExprId>,
        span: Span,
    ) -> Option<(TypeId, Vec<ExprId>)> {
        let mut scalar: Option<Scalar> = None;
        let mut shape: Option<TypeId> = None;
        for &v in &values {
            let ty = self.ty(v);
            let Some(s) = self.types.component(ty) else {
                self.wrong_type(name, ty, span);
                return None;
            };
            scalar = Some(match scalar {
                None => s,
                Some(t) if t == s => s,
                Some(t) => Self::join(t, s),
            });
            shape = match shape {
                None => Some(ty),
                Some(t) => match self.common_shape(t, ty) {
                    Some(c) => Some(c),
                    None => {
                        let (a, b) = (self.type_name(t), self.type_name(ty));
                        self.report(Code::NoOverload, span, format!("`{name}` cannot take `{a}` and `{b}`"));
                        return None;
                    }
                },
            };
        }
        let scalar = scalar?;
        let scalar = match (class, scalar) {
            (Class::Bool, _) => Scalar::Bool,
            (Class::Uint, _) => Scalar::U32,
            (Class::Float, s) if s.is_float() && s != Scalar::LitFloat => s,
            (Class::Float, _) => Scalar::F32,
            (Class::Int, s)
                if sign == Sign::Unsigned && !matches!(s, Scalar::U32 | Scalar::U64 | Scalar::LitInt) =>
            {
                let shown = self.type_name(shape?);
                self.report(
                    Code::NoOverload,
                    span,
                    format!("`{name}` takes `uint` or `uint64_t`, not `{shown}`"),
                )
                .help("write `(uint)` before the operand");
                return None;
            }
            (Class::Int, s) if s.is_float() => Scalar::I32,
            (Class::Any, Scalar::Bool) => Scalar::Bool,
            (_, Scalar::Bool | Scalar::LitInt) => Scalar::I32,
            (_, Scalar::LitFloat) => Scalar::F32,
            (_, s) => s,
        };
        let ty = self.types.with_component(shape?, scalar);
        let what = format!("the common type of the operands of `{name}`");
        let list: Vec<ExprId> =
            values.into_iter().map(|v| self.convert(v, ty, How::Implicit, &what)).collect();
        if list.iter().any(|&e| self.is_error(self.ty(e))) { None } else { Some((ty, list)) }
    }

    /// Intrinsics with a checker of their own.
    fn special(&mut self, name: &str, count: u8, args: Vec<Val>, span: Span) -> ExprId {
        if args.len() != usize::from(count) {
            return self.wrong_args(name, count.into(), args.len(), span);
        }
        match name {
            "DebugBreak" => {
                self.node(ExprKind::Intrinsic(Intrinsic::DebugBreak, Vec::new()), Types::VOID, span)
            }
            "Barrier" => self.barrier(args, span),
            // Helper lanes are there for derivatives of pixels.
            "IsHelperLane" => {
                let bool_ty = self.scalar_ty(Scalar::Bool);
                self.constant(Const::Bool(false), bool_ty, span)
            }
            "CheckAccessFullyMapped" => {
                let (uint, bool) = (self.scalar_ty(Scalar::U32), self.scalar_ty(Scalar::Bool));
                let v = self.load(args[0]);
                let v = self.convert(v, uint, How::Implicit, "the status");
                if self.is_error(self.ty(v)) {
                    return v;
                }
                self.node(ExprKind::Intrinsic(Intrinsic::CheckAccessFullyMapped, vec![v]), bool, span)
            }
            "mul" => self.mul(args, span),
            "select" => self.select(args, span),
            "sincos" | "modf" | "frexp" => self.split(name, args, span),
            "sign" => {
                let v = self.load(args[0]);
                let Some((ty, list)) = self.same(name, Class::Number, Sign::Any, vec![v], span) else {
                    return self.error_value(span);
                };
                let result = self.types.with_component(ty, Scalar::I32);
                self.node(ExprKind::Intrinsic(Intrinsic::Sign, list), result, span)
            }
            "transpose" => {
                let v = self.load(args[0]);
                let v = self.settle(v);
                let ty = self.ty(v);
                let (s, r, c) = match self.types.get(ty) {
                    Type::Matrix(s, r, c) => (s, r, c),
                    // A number is a matrix of one row and one column.
                    Type::Scalar(_) => return v,
                    _ => return self.wrong_type(name, ty, span),
                };
                let result = self.types.intern(Type::Matrix(s, c, r));
                self.node(ExprKind::Intrinsic(Intrinsic::Transpose, vec![v]), result, span)
            }
            "refract" => {
                let values: Vec<ExprId> = args[..2].iter().map(|&a| self.load(a)).collect();
                let eta = self.load(args[2]);
                let Some((ty, mut list)) = self.same(name, Class::Float, Sign::Any, values, span) else {
                    return self.error_value(span);
                };
                let s = self.types.component(ty).unwrap_or(Scalar::F32);
                let scalar = self.types.scalar(s);
                let eta = self.convert_number(eta, scalar, "the ratio of `refract`");
                if self.is_error(self.ty(eta)) {
                    return eta;
                }
                list.push(eta);
                self.node(ExprKind::Intrinsic(Intrinsic::Refract, list), ty, span)
            }
            "f16tof32" | "f32tof16" => self.halves(name, args[0], span),
            _ => self.bits(name, args, span),
        }
    }

    /// `asfloat` and its kind.
    fn bits(&mut self, name: &str, args: Vec<Val>, span: Span) -> ExprId {
        let to = match name {
            "asfloat" => Scalar::F32,
            "asint" => Scalar::I32,
            "asuint" => Scalar::U32,
            "asfloat16" => Scalar::F16,
            "asint16" => Scalar::I16,
            "asuint16" => Scalar::U16,
            _ => {
                self.unsupported(span, &format!("`{name}`"));
                return self.error_value(span);
            }
        };
        let v = self.load(args[0]);
        let v = match self.types.component(self.ty(v)) {
            // A literal has as many bits as are asked for.
            Some(Scalar::LitInt) if to.bits() == 16 => self.cast_components(v, Scalar::I16),
            Some(Scalar::LitFloat) if to.bits() == 16 => self.cast_components(v, Scalar::F16),
            _ => self.settle(v),
        };
        let ty = self.ty(v);
        let Some(from) = self.types.component(ty) else { return self.wrong_type(name, ty, span) };
        let from = from.erased();
        if from.is_relaxed() {
            let shown = self.type_name(ty);
            self.report(Code::NoOverload, span, format!("`{name}` does not take `{shown}`"))
                .label("how many bits this has is left to the device")
                .help("cast it to a type with as many bits as you want to see");
            return self.error_value(span);
        }
        if from == Scalar::Bool {
            let shown = self.type_name(ty);
            self.report(Code::NoOverload, span, format!("`{name}` does not take `{shown}`"))
                .label("a `bool` has no bits to look at")
                .help(format!("write `({})` before it for 0 and 1", to.name()));
            return self.error_value(span);
        }
        if from.bits() != to.bits() {
            let shown = self.type_name(ty);
            self.report(
                Code::NoOverload,
                span,
                format!("`{name}` does not take `{shown}`: it has {} bits, not {}", from.bits(), to.bits()),
            );
            return self.error_value(span);
        }
        if from == to {
            return self.cast_components(v, to);
        }
        let result = self.types.with_component(ty, to);
        match self.const_of(v).and_then(|c| fold::bitcast(c, from, to)) {
            Some(c) => self.constant(c, result, span),
            None => self.node(ExprKind::Intrinsic(Intrinsic::Bitcast, vec![v]), result, span),
        }
    }

    fn mul(&mut self, args: Vec<Val>, span: Span) -> ExprId {
        let a = self.load(args[0]);
        let b = self.load(args[1]);
        let (ta, tb) = (self.ty(a), self.ty(b));
        let (Some(x), Some(y)) = (self.types.component(ta), self.types.component(tb)) else {
            let bad = if self.types.component(ta).is_none() { ta } else { tb };
            return self.wrong_type("mul", bad, span);
        };
        let scalar = |t: Type| matches!(t, Type::Scalar(_));
        let (sa, sb) = (self.types.get(ta), self.types.get(tb));
        if scalar(sa) || scalar(sb) {
            return self.arith(BinaryOp::Mul, a, b, span);
        }
        let s = match Self::join(x, y) {
            Scalar::LitInt => Scalar::I32,
            Scalar::LitFloat => Scalar::F32,
            s => s,
        };
        let a = self.cast_components(a, s);
        let b = self.cast_components(b, s);
        let fit = |s: &mut Self, e: ExprId, n: u8, scalar: Scalar| {
            let to = s.types.vector(scalar, n);
            s.convert(e, to, How::Implicit, "an operand of `mul`")
        };
        // What has more columns than the other has rows loses some, as everywhere.
        let trim = |s: &mut Self, e: ExprId, (r, c): (u8, u8), scalar: Scalar| {
            let to = s.types.intern(Type::Matrix(scalar, r, c));
            s.convert(e, to, How::Implicit, "an operand of `mul`")
        };
        match (sa, sb) {
            (Type::Vector(_, n), Type::Vector(_, m)) => {
                let k = n.min(m);
                let (a, b) = (fit(self, a, k, s), fit(self, b, k, s));
                let ty = self.types.scalar(s);
                self.node(ExprKind::Intrinsic(Intrinsic::Dot, vec![a, b]), ty, span)
            }
            (Type::Vector(_, n), Type::Matrix(_, r, c)) => {
                let k = n.min(r);
                let (a, b) = (fit(self, a, k, s), trim(self, b, (k, c), s));
                let ty = self.types.vector(s, c);
                self.node(ExprKind::Intrinsic(Intrinsic::MulVectorMatrix, vec![a, b]), ty, span)
            }
            (Type::Matrix(_, r, c), Type::Vector(_, n)) => {
                let k = n.min(c);
                let (a, b) = (trim(self, a, (r, k), s), fit(self, b, k, s));
                let ty = self.types.vector(s, r);
                self.node(ExprKind::Intrinsic(Intrinsic::MulMatrixVector, vec![a, b]), ty, span)
            }
            (Type::Matrix(_, r, m), Type::Matrix(_, n, c)) => {
                let k = m.min(n);
                let (a, b) = (trim(self, a, (r, k), s), trim(self, b, (k, c), s));
                let ty = self.types.intern(Type::Matrix(s, r, c));
                self.node(ExprKind::Intrinsic(Intrinsic::MulMatrixMatrix, vec![a, b]), ty, span)
            }
            _ => {
                let (x, y) = (self.type_name(ta), self.type_name(tb));
                self.report(Code::NoOverload, span, format!("`mul` cannot take `{x}` and `{y}`"))
                    .help("`mul` takes numbers, vectors and matrices");
                self.error_value(span)
            }
        }
    }

    pub(super) fn select(&mut self, args: Vec<Val>, span: Span) -> ExprId {
        let values: Vec<ExprId> = args.iter().map(|&a| self.load(a)).collect();
        let ct = self.ty(values[0]);
        if self.types.component(ct).is_none() {
            return self.wrong_type("select", ct, span);
        }
        let ta = self.ty(values[1]);
        if ta == self.ty(values[2]) && self.types.component(ta).is_none() && !self.is_error(ta) {
            // Structures and arrays, whole: both are evaluated, then one is taken.
            let cond = self.as_condition(values[0]);
            let mut before = Vec::new();
            let [a, b] = [values[1], values[2]].map(|e| {
                let v = self.repeatable(Val::Value(e), &mut before);
                self.load(v)
            });
            let chosen = self.choose(cond, a, b, span);
            return self.sequence(before, chosen);
        }
        let Some((a, b)) = self.unify(values[1], values[2], operators::Taker::Other("`select`"), span) else {
            return self.error_value(span);
        };
        let (a, b) = (self.settle(a), self.settle(b));
        let shape = self.ty(a);
        let Some(s) = self.types.component(shape) else { return self.wrong_type("select", shape, span) };
        let Some(shape) = self.common_shape(ct, shape) else {
            let (x, y) = (self.type_name(ct), self.type_name(shape));
            self.report(Code::NoOverload, span, format!("`select` cannot take `{x}` and `{y}`"));
            return self.error_value(span);
        };
        let ty = self.types.with_component(shape, s);
        let cond_ty = self.types.with_component(shape, Scalar::Bool);
        let cond = self.convert(values[0], cond_ty, How::Implicit, "the condition of `select`");
        let a = self.convert(a, ty, How::Implicit, "an operand of `select`");
        let b = self.convert(b, ty, How::Implicit, "an operand of `select`");
        if [cond, a, b].iter().any(|&e| self.is_error(self.ty(e))) {
            return self.error_value(span);
        }
        self.node(ExprKind::Intrinsic(Intrinsic::Select, vec![cond, a, b]), ty, span)
    }

    /// `sincos`, `modf` and `frexp`: several results, in `out` arguments.
    fn split(&mut self, name: &str, args: Vec<Val>, span: Span) -> ExprId {
        let value = self.load(args[0]);
        let Some((ty, list)) = self.same(name, Class::Float, Sign::Any, vec![value], span) else {
            return self.error_value(span);
        };
        let mut steps = Vec::new();
        let x = self.repeatable(Val::Value(list[0]), &mut steps);
        let ops: &[Intrinsic] = match name {
            "sincos" => &[Intrinsic::Sin, Intrinsic::Cos],
            "modf" => &[Intrinsic::Trunc],
            _ => &[Intrinsic::FrexpExponent],
        };
        for (&op, &out) in ops.iter().zip(&args[1..]) {
            let at = self.val_span(out);
            let again = self.copy_val(x);
            let operand = self.load(again);
            let result = self.call_intrinsic(op, vec![operand], ty, span);
            let Ok(place) = self.writable(out, at) else { return self.error_value(span) };
            let out_ty = self.place_ty(place);
            let value = self.convert(result, out_ty, How::Implicit, "the argument");
            if self.is_error(self.ty(value)) {
                return value;
            }
            steps.push(self.node(ExprKind::Assign { place, value }, out_ty, span));
        }
        if name == "sincos" {
            return self.node(ExprKind::Sequence(steps), Types::VOID, span);
        }
        let again = self.copy_val(x);
        let operand = self.load(again);
        let op = if name == "modf" { Intrinsic::ModfFraction } else { Intrinsic::FrexpSignificand };
        let last = self.node(ExprKind::Intrinsic(op, vec![operand]), ty, span);
        self.sequence(steps, last)
    }
}
