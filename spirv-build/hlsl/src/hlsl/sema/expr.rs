//! Expressions: dispatch, names, literals, casts, conditions.
use super::convert::How;
use super::scope::Entity;
use super::{Checked, Refuse, Reported, Sema, Val, fold, operators};
use crate::diag::Code;
use crate::diag::suggest;
use crate::hlsl::ast::ExprKind as E;
use crate::hlsl::hir::{
    Const, ExprId, ExprKind, GlobalId, Local, LocalId, MatrixOrder, PlaceId, PlaceKind, Resource, Scalar,
    Type, TypeId, Types, Yields,
};
use crate::hlsl::intrinsics::ROWS;
use crate::hlsl::lex::{FloatSuffix, IntSuffix, Number};
use crate::hlsl::stages::StageSet;
use crate::hlsl::{HLSL_202X, ast};
use crate::source::{Span, Symbol};

impl<'a> Sema<'a> {
    /// The value of an expression.
    pub(super) fn rvalue(&mut self, e: ast::ExprId) -> ExprId {
        let v = self.expr(e);
        self.load(v)
    }

    /// The value of an expression, converted to a type.
    pub(super) fn rvalue_as(&mut self, e: ast::ExprId, ty: TypeId, what: &str) -> ExprId {
        let ast = self.ast;
        if let E::InitList(_) = &ast.expr(e).kind {
            let list = self.initialize(ty, e);
            return self.or_error(list, ast.expr(e).span);
        }
        let value = self.rvalue(e);
        let converted = self.convert(value, ty, How::Implicit, what);
        self.or_error(converted, self.ast.expr(e).span)
    }

    /// An expression: a value, or a place if it is one.
    pub(super) fn expr(&mut self, e: ast::ExprId) -> Val {
        let ast = self.ast;
        let ast::Expr { kind, span } = ast.expr(e);
        let made = self.expr_of(kind, *span);
        self.val_or_error(made, *span)
    }

    fn expr_of(&mut self, kind: &'a E, span: Span) -> Checked<Val> {
        let ast = self.ast;
        Ok(match kind {
            E::Number(n) => Val::Value(self.number(*n, span)?),
            E::Bool(b) => {
                let ty = self.scalar_ty(Scalar::Bool);
                Val::Value(self.constant(Const::Bool(*b), ty, span))
            }
            E::Str(_) => {
                return self
                    .report(Code::NotAValue, span, "a string is no value")
                    .label("no type holds it")
                    .help("strings are for `printf` and for attributes")
                    .refuse();
            }
            E::Path(path) => self.path_val(ast.path(*path), span)?,
            E::This => self.this(span)?,
            E::Paren(inner) => self.expr(*inner),
            E::Prefix(op, a) => self.prefix(*op, *a, span)?,
            E::Postfix(minus, a) => Val::Value(self.step(*a, *minus, Yields::Old, span)?),
            E::Binary(op, a, b) => Val::Value(self.binary(*op, *a, *b, span)?),
            E::Assign(None, a, b) => self.assign(*a, *b, span)?,
            E::Assign(Some(op), a, b) => {
                let e = self.assign_op(*op, *a, *b, span)?;
                self.as_place_after(e, span)
            }
            E::Ternary(c, a, b) => Val::Value(self.ternary(*c, *a, *b, span)?),
            E::Cast(ty, a) => self.cast(ast.type_expr(*ty), *a, span)?,
            E::Call(f, args) => self.call(*f, ast.list(*args), span)?,
            E::Member(base, name, _) => self.member(*base, *name, span)?,
            E::Index(base, index) => self.index(*base, *index, span)?,
            E::InitList(_) => {
                let text = "an initialiser list cannot stand here";
                let help = "name the type: `(float2)0` or `float2(0, 0)`";
                return self.report(Code::ExpectedExpression, span, text).help(help).refuse();
            }
            E::Comma(a, b) => {
                let first = self.rvalue_or_void(*a);
                let last = self.rvalue_or_void(*b);
                Val::Value(self.sequence(vec![first], last))
            }
            E::SizeofType(ty) => {
                let ty = self.resolve(ast.type_expr(*ty));
                Val::Value(self.sizeof(ty, span)?)
            }
            E::SizeofExpr(a) => {
                let v = self.expr(*a);
                if let Val::Place(p) = v
                    && matches!(self.f.places[p.index()].kind, PlaceKind::Bits(..))
                {
                    return self
                        .report(Code::BadOperands, span, "a bit field has no size of its own")
                        .label("some bits of a number")
                        .help("take the size of its type or structure")
                        .refuse();
                }
                let ty = self.val_ty(v);
                Val::Value(self.sizeof(ty, span)?)
            }
            E::Error => return Err(Reported),
        })
    }

    /// A value that may be of type void (statements, commas).
    pub(super) fn rvalue_or_void(&mut self, e: ast::ExprId) -> ExprId {
        let v = self.expr(e);
        match self.ray_of_call(v) {
            // Nobody wants the ray query.
            Some((call, _)) => call,
            None => self.load(v),
        }
    }

    fn number(&mut self, n: Number, span: Span) -> Checked {
        let (scalar, value) = match n {
            Number::Int(v, suffix) => {
                let scalar = match suffix {
                    IntSuffix::None | IntSuffix::Bits if self.options.hlsl_version >= HLSL_202X => {
                        smallest(v, suffix == IntSuffix::Bits)
                    }
                    IntSuffix::None | IntSuffix::Bits if v > i64::MAX as u64 => Scalar::U64,
                    IntSuffix::None | IntSuffix::Bits => Scalar::LitInt,
                    IntSuffix::Int if self.options.hlsl_version >= HLSL_202X => Scalar::I64,
                    IntSuffix::U if self.options.hlsl_version >= HLSL_202X && v > u32::MAX.into() => {
                        Scalar::U64
                    }
                    IntSuffix::Int => self.cut(v, Scalar::I32, span),
                    IntSuffix::U => self.cut(v, Scalar::U32, span),
                    IntSuffix::L => Scalar::I64,
                    IntSuffix::Ul => Scalar::U64,
                };
                (scalar, Const::Int(fold::wrap(v as i64, scalar)))
            }
            Number::Float(v, suffix) => {
                let scalar = match suffix {
                    FloatSuffix::None if self.options.hlsl_version >= HLSL_202X => Scalar::F32,
                    FloatSuffix::None => Scalar::LitFloat,
                    FloatSuffix::F16 if !self.options.enable_16bit_types => {
                        return self
                            .report(Code::BadNumber, span, "the suffix `f16` needs 16-bit types")
                            .label("16 bits")
                            .help("compile with `-enable-16bit-types`, or write `h`")
                            .refuse();
                    }
                    FloatSuffix::F16 => Scalar::F16,
                    FloatSuffix::F => Scalar::F32,
                    FloatSuffix::H if self.options.enable_16bit_types => Scalar::F16,
                    FloatSuffix::H => Scalar::F32,
                    FloatSuffix::L => Scalar::F64,
                };
                (scalar, Const::Float(fold::round(v, scalar)))
            }
        };
        let ty = self.scalar_ty(scalar);
        Ok(self.constant(value, ty, span))
    }

    /// The type of a number whose suffix says how wide it is; warns where that is too narrow.
    fn cut(&mut self, v: u64, scalar: Scalar, span: Span) -> Scalar {
        let wrapped = fold::wrap(v as i64, scalar);
        if wrapped != v as i64 {
            let name = scalar.name();
            self.report(Code::NumberTooLargeForType, span, format!("{v} does not fit `{name}`"))
                .label(format!("is {wrapped}"))
                .help("the suffix `ull` makes it `uint64_t`, and `ll` makes it `int64_t`");
        }
        scalar
    }

    /// A name in an expression.
    pub(super) fn path_val(&mut self, path: &'a ast::Path, span: Span) -> Checked<Val> {
        let Some(entity) = self.lookup_scoped(path) else {
            if self.in_vk(path)
                && let Some(v) = self.vk_constant(path, span)
            {
                return Ok(v);
            }
            if path.parts.len() == 1 {
                let text = self.text(path.last().text).to_string();
                if let Some(v) = self.builtin_name(&text, span) {
                    return Ok(v);
                }
                if let Some(local) = self.after_loop(path.last().text) {
                    let at = self.f.locals[local.index()].span;
                    return self
                        .report(Code::Undeclared, span, format!("`{text}` belongs to a loop that has ended"))
                        .label("not found in this scope")
                        .secondary(at, "declared here")
                        .help("declare it before the loop; up to `-HV 2018` it can be named behind it")
                        .refuse();
                }
            }
            if path.parts.len() == 1 && self.is_around(path.last().text) {
                let text = self.text(path.last().text).to_string();
                return self
                    .report(Code::Undeclared, span, format!("methods of a local struct do not see `{text}`"))
                    .label("a variable of the function around")
                    .help("pass it as an argument, or keep it in a member")
                    .refuse();
            }
            self.undeclared(path, span, false);
            return Err(Reported);
        };
        if let (Entity::VarTemplate(t), Some(args)) = (entity, &path.args) {
            let g = self.instantiate_var(t, args, span).ok_or(Reported)?;
            return Ok(Val::Place(self.global_place(g, span)));
        }
        self.entity_val(entity, path, span)
    }

    fn entity_val(&mut self, entity: Entity, path: &ast::Path, span: Span) -> Checked<Val> {
        Ok(match entity {
            Entity::Local(l) => {
                if self.f.initialised == Some(l) {
                    self.own_initializer(l, span);
                }
                self.f.locals[l.index()].named = true;
                Val::Place(self.local_place(l, span))
            }
            Entity::Global(g) => Val::Place(self.global_place(g, span)),
            Entity::BlockMember(g, field, bits) => {
                let handle = self.global_place(g, span);
                let Type::Resource(Resource::Constant { elem } | Resource::TextureBuffer { elem }) =
                    self.types.get(self.place_ty(handle))
                else {
                    return Err(Reported);
                };
                let block = self.place(PlaceKind::Block(handle), elem, span);
                let member = Val::Place(self.field_place(block, field, span));
                self.bits_of(member, bits, span)
            }
            Entity::Field(class, field, bits) => {
                let Some((this, of)) = self.f.this else {
                    let text = self.path_text(path);
                    return self
                        .report(Code::NotAValue, span, format!("`{text}` is a member and needs an object"))
                        .refuse();
                };
                let mut place = self.local_place(this, span);
                let mut at = of;
                while at != class {
                    let Some(base) = self.types.structure(at).base else {
                        let text = self.path_text(path);
                        return self
                            .report(Code::NotAValue, span, format!("`{text}` belongs to another object"))
                            .refuse();
                    };
                    place = self.field_place(place, 0, span);
                    at = base;
                }
                let member = Val::Place(self.field_place(place, field, span));
                self.bits_of(member, bits, span)
            }
            Entity::Foreign(ty) => {
                let text = self.path_text(path);
                if let Type::RayQuery(_) = self.types.get(self.types.innermost(ty)) {
                    self.unsupported(span, "a static ray query");
                    return Err(Reported);
                }
                let stage = self.stage_of_type(ty);
                self.other_stage(span, &format!("`{text}`"), stage);
                Val::Value(self.node(ExprKind::Zero, ty, span))
            }
            Entity::Text(_) => {
                self.unsupported(span, "a string in an expression");
                return Err(Reported);
            }
            Entity::Constant(ty, value) => {
                let value = match self.types.get(ty) {
                    Type::Scalar(Scalar::Bool) => Const::Bool(value != 0),
                    _ => Const::Int(value),
                };
                Val::Value(self.constant(value, ty, span))
            }
            Entity::VarTemplate(_)
            | Entity::Type(_)
            | Entity::Functions(_)
            | Entity::Namespace(_)
            | Entity::StructTemplate(_) => {
                let what = match entity {
                    Entity::Functions(_) => "function",
                    Entity::VarTemplate(_) => "template",
                    Entity::Namespace(_) => "namespace",
                    _ => "type",
                };
                let text = self.path_text(path);
                let d = self.report(Code::NotAValue, span, format!("`{text}` is a {what}, not a value"));
                if what == "function" {
                    d.help(format!("call it: `{text}(…)`"));
                }
                return Err(Reported);
            }
        })
    }

    /// A variable in its own initialiser has no value, and with `auto` no type either.
    fn own_initializer(&mut self, local: LocalId, span: Span) {
        let Local { name, ty, span: at, .. } = &self.f.locals[local.index()];
        let (name, typed, at) = (name.clone(), *ty != Types::ERROR, *at);
        let d = match typed {
            true => {
                self.report(Code::SelfInit, span, format!("`{name}` has no value in its own initialiser"))
            }
            false => {
                self.report(Code::NotAValue, span, format!("`{name}` has no type in its own initialiser"))
            }
        };
        d.label("not initialised yet").secondary(at, "declared here");
    }

    /// Whether a name is a variable of a function around this one.
    fn is_around(&self, name: Symbol) -> bool {
        let local = |s| matches!(self.scopes.get(s, name), Some((Entity::Local(_), _)));
        self.scopes.outwards(self.scope).any(local)
    }

    /// The variable of a `for` loop that ended in this block or one around it.
    fn after_loop(&self, name: Symbol) -> Option<LocalId> {
        self.f.ended_loops.iter().rev().find_map(|&ended| {
            let around = self.scopes.parent(ended)?;
            self.scopes.outwards(self.scope).find(|s| *s == around)?;
            match self.scopes.get(ended, name) {
                Some((Entity::Local(l), _)) => Some(l),
                _ => None,
            }
        })
    }

    /// Names that are always there.
    fn builtin_name(&mut self, name: &str, span: Span) -> Option<Val> {
        self.heap(name, span).or_else(|| self.ray_constant(name, span))
    }

    pub(super) fn global_place(&mut self, g: GlobalId, span: Span) -> PlaceId {
        let ty = self.globals[g.index()].ty;
        if self.undefined_statics.contains_key(&g) {
            self.static_uses.push((g, span));
        }
        self.place(PlaceKind::Global(g), ty, span)
    }

    pub(super) fn field_place(&mut self, base: PlaceId, field: u32, span: Span) -> PlaceId {
        if let Some(part) = self.group_part(base, field, span) {
            return part;
        }
        let ty = match self.types.get(self.place_ty(base)) {
            Type::Struct(s) => {
                self.types.structure(s).fields.get(field as usize).map_or(Types::ERROR, |f| f.ty)
            }
            _ => Types::ERROR,
        };
        self.place(PlaceKind::Field(base, field), ty, span)
    }

    fn this(&mut self, span: Span) -> Checked<Val> {
        Ok(match self.f.this {
            Some((this, _)) => Val::Place(self.local_place(this, span)),
            None => {
                return self.report(Code::NotAValue, span, "`this` exists only in methods").refuse();
            }
        })
    }

    pub(super) fn undeclared(&mut self, path: &ast::Path, span: Span, call: bool) {
        let name = self.text(path.last().text).to_string();
        let shown = self.path_text(path);
        if crate::hlsl::builtin::find(&name).is_some() {
            self.report(Code::NotAValue, span, format!("`{shown}` is a type, not a value"));
            return;
        }
        let mut names = self.visible_names(|e| {
            let function = matches!(e, Entity::Functions(_));
            if call { function } else { !function }
        });
        if call && self.diags.keeps_errors() {
            let ours = ROWS.iter().filter(|r| r.since(StageSet::COMPUTE).is_some());
            names.extend(ours.map(|r| r.name.to_string()));
        }
        let what = if call { "function " } else { "" };
        let d = self.report(Code::Undeclared, span, format!("{what}`{shown}` is not declared"));
        d.label("not found in this scope");
        let like = d.suggest(&name, names.iter().map(String::as_str));
        if like.help.is_empty() && suggest::is_like_macro(&shown) {
            d.help(suggest::define_macro(&shown));
        }
    }

    fn sizeof(&mut self, ty: TypeId, span: Span) -> Checked {
        if self.is_error(ty) {
            return Err(Reported);
        }
        if self.types.component(ty).is_some_and(Scalar::is_literal) {
            return self
                .report(Code::BadOperands, span, "a literal has no size of its own")
                .label("takes the type that its use needs")
                .help("write the type: `sizeof(int)`")
                .refuse();
        }
        if let Type::Struct(_) | Type::Array(..) = self.types.get(ty) {
            let whole = self.check_var_type(ty, span);
            if self.is_error(whole) {
                return Err(Reported);
            }
        }
        if self.types.contains_resource(ty) || ty == Types::VOID {
            let name = self.type_name(ty);
            return self.report(Code::BadOperands, span, format!("`{name}` has no size")).refuse();
        }
        let layout = crate::hlsl::layout::Layout::new(&self.types, crate::hlsl::layout::Rules::Bytes);
        let size = layout.extent(ty, MatrixOrder::ColumnMajor).size;
        let uint = self.scalar_ty(Scalar::U32);
        Ok(self.constant(Const::Int(size as i64), uint, span))
    }

    /// A condition: a scalar, as `bool`.
    pub(super) fn condition(&mut self, e: ast::ExprId) -> ExprId {
        let value = self.rvalue(e);
        let condition = self.as_condition(value);
        self.or_error(condition, self.span(value))
    }

    pub(super) fn as_condition(&mut self, value: ExprId) -> Checked {
        let ty = self.ty(value);
        let span = self.span(value);
        Ok(match self.types.get(ty) {
            Type::Scalar(_) => self.cast_components(value, Scalar::Bool),
            Type::Enum(e) if self.types.enumeration(e).scoped => {
                let name = self.type_name(ty);
                return self
                    .report(Code::ConditionNotScalar, span, format!("condition is `{name}`, not a scalar"))
                    .label(format!("this is `{name}`"))
                    .help("compare it with one of its values")
                    .refuse();
            }
            Type::Enum(_) => {
                let s = self.types.component(ty).unwrap_or(Scalar::I32);
                let value = self.cast_components(value, s);
                self.cast_components(value, Scalar::Bool)
            }
            Type::Error => self.node(ExprKind::Zero, Types::ERROR, span),
            _ => {
                let name = self.type_name(ty);
                let shaped = matches!(self.types.get(ty), Type::Vector(..) | Type::Matrix(..));
                let d = self.report(
                    Code::ConditionNotScalar,
                    span,
                    format!("condition is `{name}`, not a scalar"),
                );
                d.label(format!("this is `{name}`"));
                if shaped {
                    d.help("use `any(…)` or `all(…)`; for components `and`, `or` and `select`");
                }
                return Err(Reported);
            }
        })
    }

    fn ternary(&mut self, c: ast::ExprId, a: ast::ExprId, b: ast::ExprId, span: Span) -> Checked {
        if self.options.hlsl_version < 2021 {
            // Before 2021 all operands are evaluated, and the condition may be a vector.
            let cond = self.rvalue(c);
            let (a, b) = (self.rvalue(a), self.rvalue(b));
            let numeric = |s: &Self, e: ExprId| s.types.component(s.ty(e)).is_some();
            // What is known to be left out can be, unless it does something.
            let known = matches!(self.const_of(cond), Some(Const::Bool(_) | Const::Int(_) | Const::Float(_)))
                && !self.has_effects(a)
                && !self.has_effects(b);
            if !known && numeric(self, a) && numeric(self, b) && numeric(self, cond) {
                return self.select([cond, a, b], span);
            }
            let cond = self.as_condition(cond)?;
            return self.one_of(cond, a, b, span);
        }
        let cond = self.condition(c);
        let a = self.rvalue(a);
        let b = self.rvalue(b);
        self.one_of(cond, a, b, span)
    }

    /// `cond ? a : b` with a scalar condition. Unlike `select` it does not choose between aggregates.
    fn one_of(&mut self, cond: ExprId, a: ExprId, b: ExprId, span: Span) -> Checked {
        for side in [a, b] {
            let ty = self.ty(side);
            if let Type::Struct(_) | Type::Array(..) = self.types.get(ty) {
                let (name, at) = (self.type_name(ty), self.span(side));
                return self
                    .report(Code::BadOperands, at, format!("`?:` does not choose between values of `{name}`"))
                    .label(format!("this is `{name}`"))
                    .help("write `select(condition, a, b)`, or `if` and `else`")
                    .refuse();
            }
        }
        self.choose(cond, a, b, span)
    }

    /// One of two values by a scalar condition.
    pub(super) fn choose(&mut self, cond: ExprId, a: ExprId, b: ExprId, span: Span) -> Checked {
        if [cond, a, b].iter().any(|&e| self.is_error(self.ty(e))) {
            return Err(Reported);
        }
        let (a, b) = if self.ty(a) == self.ty(b) && self.types.component(self.ty(a)).is_none() {
            (a, b)
        } else {
            self.unify(a, b, operators::Taker::Other("`?:`"), span)?
        };
        if let Some(Const::Bool(c)) = self.const_of(cond) {
            return Ok(if *c { a } else { b });
        }
        let (a, b) = (self.settle(a), self.settle(b));
        if self.types.component(self.ty(a)).is_none() {
            let ty = self.ty(a);
            return Ok(self.node(ExprKind::Ternary { cond, then: a, otherwise: b }, ty, span));
        }
        // Two literals may settle differently: 1 : 5000000000.
        let (a, b) = match self.unify(a, b, operators::Taker::Other("`?:`"), span) {
            Ok(pair) if self.types.component(self.ty(a)).is_some() => pair,
            _ => (a, b),
        };
        let ty = self.ty(a);
        Ok(self.node(ExprKind::Ternary { cond, then: a, otherwise: b }, ty, span))
    }

    fn cast(&mut self, ty: &'a ast::TypeExpr, a: ast::ExprId, span: Span) -> Checked<Val> {
        let to = self.resolve(ty);
        let ast = self.ast;
        if let E::InitList(_) = &ast.expr(a).kind {
            return Ok(Val::Value(self.initialize(to, a)?));
        }
        let v = self.expr(a);
        if let Val::Place(p) = v
            && let Some(base) = self.base_place(p, to, span)
        {
            return Ok(Val::Place(base));
        }
        Ok(Val::Value(self.cast_val(v, to, span)?))
    }

    /// The part of an object that is its base `to`, or all of it: what a cast names can be written.
    pub(super) fn base_place(&mut self, object: PlaceId, to: TypeId, span: Span) -> Option<PlaceId> {
        let (Type::Struct(from), Type::Struct(base)) =
            (self.types.get(self.place_ty(object)), self.types.get(to))
        else {
            return None;
        };
        let steps = self.types.base_distance(from, base)?;
        Some((0..steps).fold(object, |p, _| self.field_place(p, 0, span)))
    }

    /// `(T)v`
    pub(super) fn cast_val(&mut self, v: Val, to: TypeId, span: Span) -> Checked {
        let from = self.val_ty(v);
        if self.is_error(from) || self.is_error(to) {
            return Err(Reported);
        }
        if to == Types::VOID {
            let value = self.load(v);
            return Ok(self.node(ExprKind::Sequence(vec![value]), Types::VOID, span));
        }
        let numeric = self.types.component(from).is_some() && self.types.component(to).is_some();
        let pointer = |ty| matches!(self.types.get(ty), Type::BufferPointer { .. });
        let single = |ty| pointer(ty) || self.types.component(ty).is_some();
        let pointers = (pointer(from) || pointer(to)) && single(from) && single(to);
        if numeric || from == to || pointers || self.change(from, to).is_some() {
            let value = self.load(v);
            let e = self.convert(value, to, How::Explicit, "")?;
            // The picture of later mistakes shows the cast as well.
            self.f.exprs[e.index()].span = span;
            return Ok(e);
        }
        self.flat_cast(v, to, span)
    }
}

/// The type of a number without suffix from HLSL 202x on: the first that it fits, unsigned ones only if it tells bits.
fn smallest(v: u64, bits: bool) -> Scalar {
    match 64 - v.leading_zeros() {
        0..32 => Scalar::I32,
        32 if bits => Scalar::U32,
        32..64 => Scalar::I64,
        _ => Scalar::U64,
    }
}
