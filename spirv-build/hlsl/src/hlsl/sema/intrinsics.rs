//! Calls of intrinsic functions, by the shapes of the table.
use super::convert::How;
use super::{Checked, Refuse, Reported, Sema, Val, fold, operators};
use crate::diag::Code;
use crate::hlsl::hir;
use crate::hlsl::hir::{BinaryOp, Const, ExprId, ExprKind, Intrinsic, Scalar, Type, TypeId, Types};
use crate::hlsl::intrinsics::{Class, Row, Shape, Sign, Widths};
use crate::source::Span;

impl Sema<'_> {
    pub(super) fn instruction(&mut self, row: &'static Row, args: &[Val], span: Span) -> Checked {
        if args.iter().any(|&a| self.is_error(self.val_ty(a))) {
            return Err(Reported);
        }
        self.is_available(row, span)?;
        let (least, most) = row.shape.counts();
        if !(least..=most).contains(&args.len()) {
            return self.wrong_count(row.name, (least, most), args.len(), span);
        }
        match row.shape {
            Shape::Interlocked(op, ..) => return self.interlocked(row.name, op, args, span),
            Shape::Special(_) => return self.special(row, args, span),
            Shape::Unsupported | Shape::Library | Shape::Foreign(..) => {
                self.unsupported(span, &format!("`{}`", row.name));
                return Err(Reported);
            }
            _ => {}
        }
        let mut values: Vec<ExprId> = args.iter().map(|&a| self.load(a)).collect();
        let Some(op) = row.op else { return self.without_op(row, values, span) };
        let first = values.first().map_or(Types::ERROR, |&e| self.ty(e));
        let (list, result) = match row.shape {
            Shape::Same(class, _) => {
                if row.widths == Widths::ONLY_64 {
                    self.are_doubles(row.name, &values, span)?;
                    values.iter_mut().for_each(|e| *e = self.cast_components(*e, Scalar::F64));
                }
                let (ty, list) = self.same(row, class, &values, span)?;
                return self.of_one_type(row, op, list, ty, span);
            }
            Shape::ToBool(class, _)
            | Shape::ToInt(class, _)
            | Shape::ToUint(class, _)
            | Shape::Reduce(class, _) => {
                let (ty, list) = self.same(row, class, &values, span)?;
                let result = match row.shape {
                    Shape::ToBool(..) => self.types.with_component(ty, Scalar::Bool),
                    Shape::ToInt(..) => self.types.with_component(ty, Scalar::I32),
                    Shape::ToUint(..) => self.types.with_component(ty, Scalar::U32),
                    _ if matches!(self.types.get(ty), Type::Matrix(..)) => {
                        return self.wrong_type(row.name, ty, span);
                    }
                    _ => self.types.scalar(self.types.component(ty).unwrap_or(Scalar::F32)),
                };
                (list, result)
            }
            Shape::ToOneBool => {
                if self.types.component(first).is_none() {
                    return self.wrong_type(row.name, first, span);
                }
                let value = self.cast_components(values[0], Scalar::Bool);
                if matches!(self.types.get(first), Type::Scalar(_)) {
                    return Ok(value);
                }
                (vec![value], self.scalar_ty(Scalar::Bool))
            }
            Shape::Cross => {
                let (ty, mut list) = self.same(row, Class::Float, &values, span)?;
                let to = self.types.vector(self.types.component(ty).unwrap_or(Scalar::F32), 3);
                for e in &mut list {
                    *e = self.convert(*e, to, How::Implicit, "an operand of `cross`")?;
                }
                (list, to)
            }
            Shape::Nullary(Class::Bool) => (values, self.scalar_ty(Scalar::Bool)),
            Shape::OneBool => {
                let value = self.as_condition(values[0])?;
                let result = match op {
                    Intrinsic::WaveActiveBallot => self.types.vector(Scalar::U32, 4),
                    Intrinsic::WaveActiveCountBits | Intrinsic::WavePrefixCountBits => {
                        self.scalar_ty(Scalar::U32)
                    }
                    _ => self.scalar_ty(Scalar::Bool),
                };
                (vec![value], result)
            }
            Shape::Matrix => {
                let s = match self.types.component(first) {
                    Some(s) if s.is_float() && s != Scalar::LitFloat => s,
                    _ => Scalar::F32,
                };
                match self.types.get(first) {
                    // A number is a matrix of one row and one column.
                    Type::Scalar(_) => return Ok(self.cast_components(values[0], s)),
                    Type::Matrix(_, r, c) if r == c => {
                        (vec![self.cast_components(values[0], s)], self.types.scalar(s))
                    }
                    _ => return self.wrong_type(row.name, first, span),
                }
            }
            Shape::ValueAndLane => {
                let value = self.settle(values[0]);
                let uint = self.scalar_ty(Scalar::U32);
                let lane = self.convert_number(values[1], uint, &format!("the lane of `{}`", row.name))?;
                let ty = self.ty(value);
                if self.types.component(ty).is_none() {
                    return self.wrong_type(row.name, ty, span);
                }
                (vec![value, lane], ty)
            }
            _ => (values, self.scalar_ty(Scalar::U32)),
        };
        Ok(self.node(ExprKind::Intrinsic(op, list), result, span))
    }

    /// Functions that are other nodes.
    fn without_op(&mut self, row: &'static Row, values: Vec<ExprId>, span: Span) -> Checked {
        match row.shape {
            Shape::Barrier(group, device, sync) => {
                let barrier = ExprKind::Barrier(hir::Barrier { group, device, sync });
                Ok(self.node(barrier, Types::VOID, span))
            }
            Shape::Bits(to) => self.bits(row.name, to, values[0], span),
            // `and` and `or` are operators on `bool`s.
            _ => {
                let (_, list) = self.same(row, Class::Bool, &values, span)?;
                let op = if row.name == "and" { BinaryOp::BitAnd } else { BinaryOp::BitOr };
                self.arith(op, list[0], list[1], span)
            }
        }
    }

    /// A function whose operands and result have one type.
    fn of_one_type(
        &mut self,
        row: &'static Row,
        op: Intrinsic,
        mut list: Vec<ExprId>,
        ty: TypeId,
        span: Span,
    ) -> Checked {
        let of_vectors = matches!(op, Intrinsic::Normalize | Intrinsic::FaceForward | Intrinsic::Reflect);
        if of_vectors && matches!(self.types.get(ty), Type::Matrix(..)) {
            return self.wrong_type(row.name, ty, span);
        }
        // The absolute value of an unsigned number is itself.
        if op == Intrinsic::Abs && self.types.component(ty).is_some_and(|s| s.is_unsigned_int()) {
            return Ok(list[0]);
        }
        let narrow = self.types.component(ty).filter(|s| s.is_float() && !row.widths.have(*s));
        let Some(s) = narrow else { return Ok(self.call_intrinsic(op, list, ty, span)) };
        // Computed as 32 bits. Of 16 the result is as wide as the operand.
        let wide = s.bits() > 32;
        if wide {
            let shown = self.type_name(ty);
            let text = format!("`{}` of `{shown}` is computed as `float`", row.name);
            self.report(Code::LosesPrecision, span, text)
                .help("write `(float)` before the operand if this is meant");
        }
        list.iter_mut().for_each(|e| *e = self.cast_components(*e, Scalar::F32));
        let float = self.types.with_component(ty, Scalar::F32);
        let value = self.call_intrinsic(op, list, float, span);
        Ok(if wide { value } else { self.cast_components(value, s) })
    }

    pub(super) fn wrong_type<T>(&mut self, name: &str, ty: TypeId, span: Span) -> Checked<T> {
        let text = format!("`{name}` does not take `{}`", self.type_name(ty));
        self.report(Code::NoOverload, span, text).refuse()
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
        row: &'static Row,
        class: Class,
        values: &[ExprId],
        span: Span,
    ) -> Checked<(TypeId, Vec<ExprId>)> {
        let name = row.name;
        let mut common: Option<(Scalar, TypeId)> = None;
        for &v in values {
            let ty = self.ty(v);
            let Some(s) = self.types.component(ty) else { return self.wrong_type(name, ty, span) };
            common = Some(match common {
                None => (s, ty),
                Some((t, shape)) => {
                    let Some(shape) = self.common_shape(shape, ty) else {
                        return self.cannot_take(name, shape, ty, span);
                    };
                    (if t == s { s } else { Self::join(t, s) }, shape)
                }
            });
        }
        let (scalar, shape) = common.ok_or(Reported)?;
        let scalar = match (class, scalar) {
            (Class::Bool, _) => Scalar::Bool,
            (Class::Uint, _) => Scalar::U32,
            (Class::Float, s) if s.is_float() && s != Scalar::LitFloat => s,
            (Class::Float, _) => Scalar::F32,
            (Class::Int, s)
                if row.sign == Sign::Unsigned && !matches!(s, Scalar::U32 | Scalar::U64 | Scalar::LitInt) =>
            {
                let text = format!("`{name}` takes `uint` or `uint64_t`, not `{}`", self.type_name(shape));
                let help = "write `(uint)` before the operand";
                return self.report(Code::NoOverload, span, text).help(help).refuse();
            }
            (Class::Int, s) if s.is_float() => Scalar::I32,
            (Class::Any, Scalar::Bool) => Scalar::Bool,
            (_, Scalar::Bool | Scalar::LitInt) => Scalar::I32,
            (_, Scalar::LitFloat) => Scalar::F32,
            (_, s) => s,
        };
        let ty = self.types.with_component(shape, scalar);
        let mut list = Vec::with_capacity(values.len());
        for &v in values {
            list.push(match self.ty(v) == ty {
                true => v,
                false => {
                    let what = format!("the common type of the operands of `{name}`");
                    self.convert(v, ty, How::Implicit, &what)?
                }
            });
        }
        Ok((ty, list))
    }

    fn cannot_take<T>(&mut self, name: &str, a: TypeId, b: TypeId, span: Span) -> Checked<T> {
        let text = format!("`{name}` cannot take `{}` and `{}`", self.type_name(a), self.type_name(b));
        self.report(Code::NoOverload, span, text).refuse()
    }

    /// Intrinsics with a checker of their own.
    fn special(&mut self, row: &'static Row, args: &[Val], span: Span) -> Checked {
        let load = |s: &mut Self, i: usize| s.load(args[i]);
        let bool = self.scalar_ty(Scalar::Bool);
        let (op, list, result) = match row.name {
            "DebugBreak" => (Intrinsic::DebugBreak, Vec::new(), Types::VOID),
            "Barrier" => return self.barrier(args, span),
            // Helper lanes are there for derivatives of pixels.
            "IsHelperLane" => return Ok(self.constant(Const::Bool(false), bool, span)),
            "CheckAccessFullyMapped" => {
                let uint = self.scalar_ty(Scalar::U32);
                let status = self.implicit(args[0], uint, "the status")?;
                (Intrinsic::CheckAccessFullyMapped, vec![status], bool)
            }
            "mul" => {
                let (a, b) = (load(self, 0), load(self, 1));
                return self.mul(a, b, span);
            }
            "select" => {
                let values = [0, 1, 2].map(|i| load(self, i));
                return self.select(values, span);
            }
            "transpose" => {
                let v = load(self, 0);
                let v = self.settle(v);
                match self.types.get(self.ty(v)) {
                    Type::Matrix(s, r, c) => {
                        (Intrinsic::Transpose, vec![v], self.types.intern(Type::Matrix(s, c, r)))
                    }
                    // A number is a matrix of one row and one column.
                    Type::Scalar(_) => return Ok(v),
                    _ => return self.wrong_type(row.name, self.ty(v), span),
                }
            }
            "refract" => {
                let values = [0, 1].map(|i| load(self, i));
                let (ty, mut list) = self.same(row, Class::Float, &values, span)?;
                let scalar = self.types.scalar(self.types.component(ty).unwrap_or(Scalar::F32));
                let eta = load(self, 2);
                list.push(self.convert_number(eta, scalar, "the ratio of `refract`")?);
                (Intrinsic::Refract, list, ty)
            }
            "f16tof32" | "f32tof16" => return self.halves(row.name, args[0], span),
            _ => return self.split(row, args, span),
        };
        Ok(self.node(ExprKind::Intrinsic(op, list), result, span))
    }

    /// `asfloat` and its kind.
    fn bits(&mut self, name: &str, to: Scalar, v: ExprId, span: Span) -> Checked {
        let v = match self.types.component(self.ty(v)) {
            // A literal has as many bits as are asked for.
            Some(Scalar::LitInt) if to.bits() == 16 => self.cast_components(v, Scalar::I16),
            Some(Scalar::LitFloat) if to.bits() == 16 => self.cast_components(v, Scalar::F16),
            _ => self.settle(v),
        };
        let ty = self.ty(v);
        let Some(from) = self.types.component(ty) else { return self.wrong_type(name, ty, span) };
        let from = from.erased();
        let wrong = match from {
            s if s.is_relaxed() => Some((
                "how many bits this has is left to the device",
                "cast it to a type with as many bits as you want to see".to_string(),
            )),
            Scalar::Bool => Some((
                "a `bool` has no bits to look at",
                format!("write `({})` before it for 0 and 1", to.name()),
            )),
            _ => None,
        };
        let text = |s: &Self| format!("`{name}` does not take `{}`", s.type_name(ty));
        if let Some((label, help)) = wrong {
            let text = text(self);
            return self.report(Code::NoOverload, span, text).label(label).help(help).refuse();
        }
        if from.bits() != to.bits() {
            let text = format!("{}: it has {} bits, not {}", text(self), from.bits(), to.bits());
            return self.report(Code::NoOverload, span, text).refuse();
        }
        if from == to {
            return Ok(self.cast_components(v, to));
        }
        let result = self.types.with_component(ty, to);
        Ok(match self.const_of(v).and_then(|c| fold::bitcast(c, from, to)) {
            Some(c) => self.constant(c, result, span),
            None => self.node(ExprKind::Intrinsic(Intrinsic::Bitcast, vec![v]), result, span),
        })
    }

    fn mul(&mut self, a: ExprId, b: ExprId, span: Span) -> Checked {
        let (ta, tb) = (self.ty(a), self.ty(b));
        let (Some(x), Some(y)) = (self.types.component(ta), self.types.component(tb)) else {
            let bad = if self.types.component(ta).is_none() { ta } else { tb };
            return self.wrong_type("mul", bad, span);
        };
        let s = match Self::join(x, y) {
            Scalar::LitInt => Scalar::I32,
            Scalar::LitFloat => Scalar::F32,
            s => s,
        };
        // What has more columns than the other has rows loses some, as everywhere.
        let (op, left, right, result) = match (self.types.get(ta), self.types.get(tb)) {
            (Type::Scalar(_), _) | (_, Type::Scalar(_)) => return self.arith(BinaryOp::Mul, a, b, span),
            (Type::Vector(_, n), Type::Vector(_, m)) => {
                let both = self.types.vector(s, n.min(m));
                (Intrinsic::Dot, both, both, self.types.scalar(s))
            }
            (Type::Vector(_, n), Type::Matrix(_, r, c)) => {
                let (left, right) =
                    (self.types.vector(s, n.min(r)), self.types.intern(Type::Matrix(s, n.min(r), c)));
                (Intrinsic::MulVectorMatrix, left, right, self.types.vector(s, c))
            }
            (Type::Matrix(_, r, c), Type::Vector(_, n)) => {
                let (left, right) =
                    (self.types.intern(Type::Matrix(s, r, n.min(c))), self.types.vector(s, n.min(c)));
                (Intrinsic::MulMatrixVector, left, right, self.types.vector(s, r))
            }
            (Type::Matrix(_, r, m), Type::Matrix(_, n, c)) => {
                let (left, right) = (Type::Matrix(s, r, m.min(n)), Type::Matrix(s, m.min(n), c));
                let result = self.types.intern(Type::Matrix(s, r, c));
                (Intrinsic::MulMatrixMatrix, self.types.intern(left), self.types.intern(right), result)
            }
            _ => {
                let text = format!("`mul` cannot take `{}` and `{}`", self.type_name(ta), self.type_name(tb));
                let help = "`mul` takes numbers, vectors and matrices";
                return self.report(Code::NoOverload, span, text).help(help).refuse();
            }
        };
        let (a, b) = (self.cast_components(a, s), self.cast_components(b, s));
        let a = self.convert(a, left, How::Implicit, "an operand of `mul`")?;
        let b = self.convert(b, right, How::Implicit, "an operand of `mul`")?;
        Ok(self.node(ExprKind::Intrinsic(op, vec![a, b]), result, span))
    }

    pub(super) fn select(&mut self, [cond, a, b]: [ExprId; 3], span: Span) -> Checked {
        let (ct, ta) = (self.ty(cond), self.ty(a));
        if self.types.component(ct).is_none() {
            return self.wrong_type("select", ct, span);
        }
        if ta == self.ty(b) && self.types.component(ta).is_none() && !self.is_error(ta) {
            // Structures and arrays, whole: both are evaluated, then one is taken.
            let cond = self.as_condition(cond)?;
            let mut before = Vec::new();
            let [a, b] = [a, b].map(|e| {
                let v = self.repeatable(Val::Value(e), &mut before);
                self.load(v)
            });
            let chosen = self.choose(cond, a, b, span)?;
            return Ok(self.sequence(before, chosen));
        }
        let (a, b) = self.unify(a, b, operators::Taker::Other("`select`"), span)?;
        let (a, b) = (self.settle(a), self.settle(b));
        let shape = self.ty(a);
        let Some(s) = self.types.component(shape) else { return self.wrong_type("select", shape, span) };
        let Some(shape) = self.common_shape(ct, shape) else {
            return self.cannot_take("select", ct, shape, span);
        };
        let ty = self.types.with_component(shape, s);
        let cond_ty = self.types.with_component(shape, Scalar::Bool);
        let cond = self.convert(cond, cond_ty, How::Implicit, "the condition of `select`")?;
        let a = self.convert(a, ty, How::Implicit, "an operand of `select`")?;
        let b = self.convert(b, ty, How::Implicit, "an operand of `select`")?;
        Ok(self.node(ExprKind::Intrinsic(Intrinsic::Select, vec![cond, a, b]), ty, span))
    }

    /// `sincos`, `modf` and `frexp`: several results, in `out` arguments.
    fn split(&mut self, row: &'static Row, args: &[Val], span: Span) -> Checked {
        use Intrinsic as I;
        let value = self.load(args[0]);
        let (ty, list) = self.same(row, Class::Float, &[value], span)?;
        let mut steps = Vec::new();
        let x = self.repeatable(Val::Value(list[0]), &mut steps);
        let again = |s: &mut Self| {
            let again = s.copy_val(x);
            s.load(again)
        };
        let (ops, last): (&[I], _) = match row.name {
            "sincos" => (&[I::Sin, I::Cos], None),
            "modf" => (&[I::Trunc], Some(I::ModfFraction)),
            _ => (&[I::FrexpExponent], Some(I::FrexpSignificand)),
        };
        for (&op, &out) in ops.iter().zip(&args[1..]) {
            let operand = again(self);
            let result = self.call_intrinsic(op, vec![operand], ty, span);
            let place = self.writable(out, self.val_span(out))?;
            steps.push(self.store(place, result, "the argument", span)?);
        }
        let Some(op) = last else { return Ok(self.node(ExprKind::Sequence(steps), Types::VOID, span)) };
        let operand = again(self);
        let last = self.node(ExprKind::Intrinsic(op, vec![operand]), ty, span);
        Ok(self.sequence(steps, last))
    }
}
