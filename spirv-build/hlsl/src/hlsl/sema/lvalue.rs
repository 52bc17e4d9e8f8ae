//! Writing: which places may be written, assignment, increment.
use super::{Checked, Refuse, Reported, Sema, Val};
use crate::diag::Code;
use crate::hlsl::ast;
use crate::hlsl::ast::BinOp;
use crate::hlsl::hir::{
    BinaryOp, Components, Const, ExprId, ExprKind, GlobalKind, LocalId, ParamMode, PlaceId, PlaceKind,
    Scalar, Type, TypeId, Yields,
};
use crate::source::Span;

/// Why a place cannot be written.
enum Refusal {
    Const(String, Option<Span>),
    /// The variable that holds a resource.
    Handle(String),
    ReadOnly(String),
    Temporary,
    Repeated,
}

impl Sema<'_> {
    /// Checks that a place can be written, and notes that its variable is.
    pub(super) fn writable(&mut self, v: Val, span: Span) -> Checked<PlaceId> {
        let p = match v {
            Val::Place(p) => p,
            Val::Value(e) => {
                if let Some(name) = self.texture_read(e) {
                    return self.read_only(&name, span);
                }
                self.good(e)?;
                if !self.misread {
                    self.report(Code::NotAssignable, span, "this cannot be assigned to")
                        .label("a value, not a variable");
                }
                return Err(Reported);
            }
        };
        if self.is_error(self.place_ty(p)) {
            return Err(Reported);
        }
        match self.refusal(p) {
            None => {
                if let Some(l) = self.root_local(p) {
                    self.f.locals[l.index()].written = true;
                }
                Ok(p)
            }
            Some(Refusal::Const(name, at)) => {
                let d = self.report(Code::WriteToConst, span, format!("`{name}` is constant"));
                d.label("cannot be written");
                if let Some(at) = at {
                    d.secondary(at, "declared here");
                }
                d.help("copy it to a local variable and change that").refuse()
            }
            Some(Refusal::Handle(name)) => {
                let text = format!("resource `{name}` itself cannot be assigned to");
                self.report(Code::NotAssignable, span, text)
                    .label("a resource, not an element")
                    .help(format!("to write an element, index it: `{name}[i] = …`"))
                    .refuse()
            }
            Some(Refusal::ReadOnly(name)) => self.read_only(&name, span),
            Some(Refusal::Temporary) => self
                .report(Code::NotAssignable, span, "this cannot be assigned to")
                .label("a temporary value")
                .refuse(),
            Some(Refusal::Repeated) => self
                .report(Code::RepeatedComponent, span, "a component is written twice")
                .label("names a component twice")
                .refuse(),
        }
    }

    pub(super) fn read_only<T>(&mut self, name: &str, span: Span) -> Checked<T> {
        self.report(Code::WriteToReadOnly, span, format!("`{name}` can only be read"))
            .label("cannot be written")
            .help(format!("declare it as `RW{name}` to write to it"))
            .refuse()
    }

    /// The type of the read-only texture that a value was read from.
    fn texture_read(&self, e: ExprId) -> Option<String> {
        match &self.f.exprs[e.index()].kind {
            ExprKind::TextureLoad { resource, .. } => Some(self.type_name(self.place_ty(*resource))),
            ExprKind::Swizzle(inner, _) => self.texture_read(*inner),
            _ => None,
        }
    }

    /// Whether a place can be written.
    pub(super) fn can_write(&self, p: PlaceId) -> bool {
        self.refusal(p).is_none()
    }

    /// Whether a place is a resource that is declared outside functions.
    pub(super) fn is_handle(&self, p: PlaceId) -> bool {
        !self.is_group(p) && matches!(self.refusal(p), Some(Refusal::Handle(_)))
    }

    fn refusal(&self, p: PlaceId) -> Option<Refusal> {
        let resource = |s: &Self, r: PlaceId| {
            let ty = s.place_ty(r);
            match s.types.get(ty) {
                Type::Resource(r) if r.is_writable() => None,
                Type::Resource(_) => Some(Refusal::ReadOnly(s.type_name(ty))),
                _ => Some(Refusal::Temporary),
            }
        };
        match &self.f.places[p.index()].kind {
            PlaceKind::Local(l) => {
                let l = &self.f.locals[l.index()];
                l.is_const.then(|| Refusal::Const(l.name.to_string(), Some(l.span)))
            }
            PlaceKind::Global(g) => {
                let g = &self.globals[g.index()];
                let fixed = g.is_const
                    || matches!(
                        g.kind,
                        GlobalKind::PushConstant | GlobalKind::SpecConstant(_) | GlobalKind::Input(_)
                    );
                if matches!(g.kind, GlobalKind::Resource(_) | GlobalKind::Opaque(_) | GlobalKind::Group) {
                    return Some(Refusal::Handle(g.name.clone()));
                }
                fixed.then(|| Refusal::Const(g.name.clone(), Some(g.span)))
            }
            PlaceKind::Block(handle) => {
                let name = match &self.f.places[handle.index()].kind {
                    PlaceKind::Global(g) => {
                        let g = &self.globals[g.index()];
                        return Some(Refusal::Const(g.name.clone(), Some(g.span)));
                    }
                    _ => self.type_name(self.place_ty(*handle)),
                };
                Some(Refusal::Const(name, None))
            }
            PlaceKind::Field(base, i) => {
                // Of a buffer the member is named, not the buffer.
                let block = matches!(self.f.places[base.index()].kind, PlaceKind::Block(_));
                if let (true, Type::Struct(s)) = (block, self.types.get(self.place_ty(*base)))
                    && let Some(f) = self.types.structure(s).fields.get(*i as usize)
                {
                    return Some(Refusal::Const(f.name.clone(), Some(f.span)));
                }
                self.refusal(*base)
            }
            PlaceKind::Index(base, _) | PlaceKind::Bits(base, _) | PlaceKind::After(_, base) => {
                self.refusal(*base)
            }
            PlaceKind::Swizzle(base, at) => {
                if at.has_repeats() {
                    return Some(Refusal::Repeated);
                }
                self.refusal(*base)
            }
            PlaceKind::MatrixSwizzle(base, at) => {
                if (1..at.len()).any(|i| at[..i].contains(&at[i])) {
                    return Some(Refusal::Repeated);
                }
                self.refusal(*base)
            }
            PlaceKind::BufferElement { resource: r, .. }
            | PlaceKind::ByteElement { resource: r, .. }
            | PlaceKind::Texel { resource: r, .. } => resource(self, *r),
            PlaceKind::Deref(_) => None,
            PlaceKind::Temp(_) => Some(Refusal::Temporary),
        }
    }

    /// The local that a place lies in.
    pub(super) fn root_local(&self, p: PlaceId) -> Option<LocalId> {
        match self.f.places[p.index()].kind {
            PlaceKind::Local(l) => Some(l),
            ref kind => self.root_local(kind.base()?),
        }
    }

    /// Whether a place is of groupshared memory: of a variable, or of a parameter that stands for one.
    pub(super) fn is_groupshared(&self, p: PlaceId) -> bool {
        match &self.f.places[p.index()].kind {
            PlaceKind::Global(g) => matches!(self.globals[g.index()].kind, GlobalKind::GroupShared),
            PlaceKind::Local(l) => {
                let this = self.f.this.is_some_and(|(this, _)| this == *l);
                self.f.locals[l.index()].mode == Some(ParamMode::Ref) && !this
            }
            PlaceKind::Field(b, _) | PlaceKind::Index(b, _) => self.is_groupshared(*b),
            _ => false,
        }
    }

    /// `a = b`
    pub(super) fn assign(&mut self, a: ast::ExprId, b: ast::ExprId, span: Span) -> Checked<Val> {
        let target = self.target(a);
        let ty = self.val_ty(target);
        let at = self.ast.expr(a).span;
        let Ok(place) = self.writable(target, at) else {
            self.expr(b);
            return Err(Reported);
        };
        if let ast::ExprKind::InitList(_) = self.ast.expr(b).kind {
            let at = self.ast.expr(b).span;
            let name = self.type_name(ty);
            return self
                .report(Code::ExpectedExpression, at, "a list in braces is no value")
                .label("only a declaration takes a list")
                .help(format!("declare a variable with this list, and assign that; or cast: `({name})0`"))
                .refuse();
        }
        let value = self.rvalue_as(b, ty, "the left side of the assignment");
        let value = self.good(value)?;
        let e = self.node(ExprKind::Assign { place, value }, ty, span);
        Ok(self.as_place_after(e, span))
    }

    /// What is assigned to. A cast to fewer components names those.
    fn target(&mut self, a: ast::ExprId) -> Val {
        let ast = self.ast;
        let mut at = a;
        while let ast::ExprKind::Paren(inner) = &ast.expr(at).kind {
            at = *inner;
        }
        let ast::ExprKind::Cast(ty, inner) = &ast.expr(at).kind else {
            let v = self.expr(a);
            return if self.is_of_cast(a) { self.uncast(v, ast.expr(a).span) } else { v };
        };
        let span = ast.expr(at).span;
        let to = self.resolve(ast.type_expr(*ty));
        let v = self.expr(*inner);
        let Val::Place(place) = v else { return self.cast_target(v, to, span) };
        if let Some(base) = self.base_place(place, to, span) {
            return Val::Place(base);
        }
        let from = self.place_ty(place);
        let same = self.types.component(from).is_some_and(|c| self.types.component(to) == Some(c));
        let width = |t| match t {
            Type::Scalar(_) => Some(1),
            Type::Vector(_, n) => Some(n),
            _ => None,
        };
        match (width(self.types.get(from)), width(self.types.get(to))) {
            (Some(n), Some(m)) if same && m < n => {
                let first: Vec<u8> = (0..m).collect();
                match Components::new(&first) {
                    Some(c) => self.components(v, c, span),
                    None => v,
                }
            }
            (None, _) if self.is_error(from) || self.is_error(to) => Val::Value(self.error_value(span)),
            _ => {
                let value = self.cast_target(v, to, span);
                if same || self.types.component(to).is_none() { self.uncast(value, span) } else { value }
            }
        }
    }

    fn cast_target(&mut self, v: Val, to: TypeId, span: Span) -> Val {
        let cast = self.cast_val(v, to, span);
        Val::Value(self.or_error(cast, span))
    }

    /// Whether an expression is part of a matrix, structure or array that a cast gives.
    fn is_of_cast(&self, mut e: ast::ExprId) -> bool {
        use ast::ExprKind as E;
        loop {
            e = match &self.ast.expr(e).kind {
                E::Paren(inner) | E::Index(inner, _) | E::Member(inner, ..) => *inner,
                kind => return matches!(kind, E::Cast(..)),
            }
        }
    }

    /// A part of what a cast gives cannot be written yet: dxc drops what is, or makes wrong modules.
    fn uncast(&mut self, v: Val, span: Span) -> Val {
        let temporary = match v {
            Val::Value(e) => !self.is_error(self.ty(e)) && self.types.component_count(self.ty(e)) != Some(1),
            Val::Place(p) => matches!(self.refusal(p), Some(Refusal::Temporary)),
        };
        if !temporary {
            return v;
        }
        self.unsupported(span, "an assignment through this cast");
        Val::Value(self.error_value(span))
    }

    /// `a op= b`
    pub(super) fn assign_op(&mut self, op: BinOp, a: ast::ExprId, b: ast::ExprId, span: Span) -> Checked {
        let BinOp::Plain(op) = op else { return Err(Reported) };
        let target = self.target(a);
        let at = self.ast.expr(a).span;
        let operand = self.rvalue(b);
        let place = self.writable(target, at)?;
        self.good(operand)?;
        let ty = self.place_ty(place);
        let logic = matches!(op, BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor);
        if self.types.component(ty) == Some(Scalar::Bool) && !logic {
            let (name, symbol) = (self.type_name(ty), op.symbol());
            return self
                .report(Code::BadOperands, span, format!("`{symbol}=` cannot change a `{name}`"))
                .label("would become a number")
                .help("`&=`, `|=` and `^=` change a `bool`")
                .refuse();
        }
        let current = self.node(ExprKind::Current, ty, at);
        // A constant needs no evaluation: it stands in the new value itself, where it folds and converts.
        let (operand, leaf) = if self.const_of(operand).is_some() {
            (None, operand)
        } else {
            let (oty, ospan) = (self.ty(operand), self.span(operand));
            (Some(operand), self.node(ExprKind::Operand, oty, ospan))
        };
        let value = self.arith(op, current, leaf, span)?;
        self.update(place, operand, value, Yields::New, span)
    }

    fn update(
        &mut self,
        place: PlaceId,
        operand: Option<ExprId>,
        value: ExprId,
        yields: Yields,
        span: Span,
    ) -> Checked {
        let ty = self.place_ty(place);
        let value = self.implicit(Val::Value(value), ty, "what is assigned to")?;
        Ok(self.node(ExprKind::Update { place, operand, value, yields }, ty, span))
    }

    /// An assignment is the place that it wrote, if that can be named again.
    pub(super) fn as_place_after(&mut self, e: ExprId, span: Span) -> Val {
        let (ExprKind::Assign { mut place, .. } | ExprKind::Update { mut place, .. }) =
            self.f.exprs[e.index()].kind
        else {
            return Val::Value(e);
        };
        // `--(--a)`: what happened before is part of the expression.
        while let PlaceKind::After(_, of) = self.f.places[place.index()].kind {
            place = of;
        }
        if !self.can_repeat(place) {
            return Val::Value(e);
        }
        let again = self.copy_val(Val::Place(place));
        let Val::Place(again) = again else { return Val::Value(e) };
        let ty = self.place_ty(place);
        Val::Place(self.place(PlaceKind::After(e, again), ty, span))
    }

    /// `++a`, `a--`
    pub(super) fn step(&mut self, a: ast::ExprId, minus: bool, yields: Yields, span: Span) -> Checked {
        let target = self.expr(a);
        let at = self.ast.expr(a).span;
        let place = self.writable(target, at)?;
        let ty = self.place_ty(place);
        if self.types.component(ty).is_none_or(|s| s == Scalar::Bool) {
            let text = format!("`{}` cannot be counted up or down", self.type_name(ty));
            return self.report(Code::BadOperands, span, text).refuse();
        }
        let current = self.node(ExprKind::Current, ty, at);
        let lit = self.scalar_ty(Scalar::LitInt);
        let one = self.constant(Const::Int(1), lit, span);
        let op = if minus { BinaryOp::Sub } else { BinaryOp::Add };
        let value = self.arith(op, current, one, span)?;
        self.update(place, None, value, yields, span)
    }
}
