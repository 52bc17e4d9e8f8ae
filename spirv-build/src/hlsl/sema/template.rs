//! Templates: each instance is checked as if it had been written out.
use super::scope::{Overload, ScopeKind};
use super::*;

/// A template that was declared.
pub(super) struct Template<'a> {
    params: &'a [ast::TemplateParam],
    item: &'a ast::Item,
    scope: ScopeId,
    class: Option<StructId>,
    name: Symbol,
    span: Span,
}

/// An argument of a template.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Arg {
    Type(TypeId),
    Int(TypeId, i64),
}

/// What a template became for some arguments.
#[derive(Clone, Copy, Debug)]
pub(super) enum Instance {
    Function(FunctionId),
    Struct(TypeId),
    Failed,
}

impl<'a> Sema<'a> {
    pub(super) fn template_item(
        &mut self,
        params: &'a [ast::TemplateParam],
        item: &'a ast::Item,
        class: Option<StructId>,
    ) {
        if params.is_empty() {
            self.specialisation(item);
            return;
        }
        let index = self.templates.len() as u32;
        match &item.kind {
            ast::ItemKind::Function(f) => {
                let name = f.name.last();
                if f.name.parts.len() > 1 {
                    self.unsupported(f.name.span, "a method template defined outside its class");
                    return;
                }
                self.templates.push(Template {
                    params,
                    item,
                    scope: self.scope,
                    class,
                    name: name.text,
                    span: name.span,
                });
                match self.scopes.get(self.scope, name.text) {
                    Some((Entity::Functions(set), _)) => {
                        self.sets[set as usize].push(Overload::Template(index))
                    }
                    Some((_, first)) => self.redeclared(name, first),
                    None => {
                        let set = self.sets.len() as u32;
                        self.sets.push(vec![Overload::Template(index)]);
                        self.scopes.declare(self.scope, name.text, Entity::Functions(set), name.span);
                    }
                }
            }
            ast::ItemKind::Vars(ast::VarDecl {
                ty: ast::TypeExpr { kind: ast::TypeKind::Struct(s), .. },
                ..
            }) => {
                let Some(name) = s.name else { return };
                if s.args.is_some() {
                    self.unsupported(s.span, "partial template specialisation");
                    return;
                }
                let template =
                    Template { params, item, scope: self.scope, class, name: name.text, span: name.span };
                // A forward declaration is completed.
                if let Some((Entity::StructTemplate(known), _)) = self.scopes.get(self.scope, name.text)
                    && let ast::ItemKind::Vars(old) = &self.templates[known as usize].item.kind
                    && let ast::TypeKind::Struct(old) = &old.ty.kind
                    && (old.members.is_none() || s.members.is_none())
                {
                    if s.members.is_some() {
                        self.templates[known as usize] = template;
                    }
                    return;
                }
                self.templates.push(template);
                self.declare(name, Entity::StructTemplate(index));
            }
            _ => self.unsupported(item.span, "this kind of template"),
        }
    }

    /// `template <> struct S<int> { … };`
    fn specialisation(&mut self, item: &'a ast::Item) {
        let ast::ItemKind::Vars(ast::VarDecl {
            ty: ast::TypeExpr { kind: ast::TypeKind::Struct(s), .. },
            ..
        }) = &item.kind
        else {
            self.unsupported(item.span, "a specialisation of a function template");
            return;
        };
        let (Some(name), Some(args)) = (s.name, &s.args) else {
            self.report(Code::BadDeclaration, item.span, "a specialisation needs template arguments")
                .help("write them behind the name: `template <> struct S<int> { … };`");
            return;
        };
        let text = self.text(name.text).to_string();
        let Some(Entity::StructTemplate(t)) = self.lookup(name.text) else {
            self.report(Code::UnknownType, name.span, format!("`{text}` is no template of structures"));
            return;
        };
        let Some(args) = self.written_args(t, args, name.span) else { return };
        let Some(args) = self.complete(t, args, name.span, true) else { return };
        if self.instances.contains_key(&(t, args.clone())) {
            self.report(
                Code::Redefined,
                name.span,
                format!("`{text}` is specialised twice, or used before it is specialised"),
            );
            return;
        }
        if self.instances.len() >= MAX_INSTANTIATIONS {
            self.report(Code::TooMany, name.span, "too many templates are specialised");
            return;
        }
        let shown = self.shown_instance(name.text, &args);
        let id = self.new_struct(shown, s.span);
        let ty = self.types.intern(Type::Struct(id));
        self.instances.insert((t, args), Instance::Struct(ty));
        self.struct_body(s, id);
    }

    /// `S<int, 3>`
    fn shown_instance(&self, name: Symbol, args: &[Arg]) -> String {
        let words: Vec<String> = args
            .iter()
            .map(|a| match *a {
                Arg::Type(ty) => self.type_name(ty),
                Arg::Int(_, v) => v.to_string(),
            })
            .collect();
        format!("{}<{}>", self.text(name), words.join(", "))
    }

    /// Arguments as written, with defaults for those left out.
    fn written_args(&mut self, t: u32, args: &'a [ast::TemplateArg], span: Span) -> Option<Vec<Option<Arg>>> {
        let params = self.templates[t as usize].params;
        if args.len() > params.len() {
            self.report(
                Code::NoOverload,
                span,
                format!("the template takes {} arguments, not {}", params.len(), args.len()),
            );
            return None;
        }
        let mut list = Vec::new();
        for (p, arg) in params.iter().zip(args) {
            list.push(Some(self.template_arg(p, arg)?));
        }
        list.resize(params.len(), None);
        Some(list)
    }

    fn template_arg(&mut self, p: &'a ast::TemplateParam, arg: &'a ast::TemplateArg) -> Option<Arg> {
        match (&p.ty, arg) {
            (None, ast::TemplateArg::Type(t)) => {
                let ty = self.resolve(t);
                if self.is_error(ty) { None } else { Some(Arg::Type(ty)) }
            }
            (None, ast::TemplateArg::Expr(e)) => {
                let span = self.ast.expr(*e).span;
                self.report(Code::ExpectedType, span, "expected a type");
                None
            }
            (Some(t), arg) => {
                let ty = self.resolve(t);
                let (value, _) = self.template_int(arg)?;
                Some(Arg::Int(ty, value))
            }
        }
    }

    /// Fills in defaults; `None` if something is still open.
    fn complete(&mut self, t: u32, args: Vec<Option<Arg>>, span: Span, report: bool) -> Option<Vec<Arg>> {
        let params = self.templates[t as usize].params;
        let mut list = Vec::new();
        for (p, arg) in params.iter().zip(args) {
            let arg = match (arg, &p.default) {
                (Some(a), _) => a,
                (None, Some(default)) => {
                    let outer = std::mem::replace(&mut self.scope, self.templates[t as usize].scope);
                    let arg = self.template_arg(p, default);
                    self.scope = outer;
                    arg?
                }
                (None, None) => {
                    if report {
                        let name = self.text(self.templates[t as usize].name).to_string();
                        let at = self.templates[t as usize].span;
                        self.report(
                            Code::NoOverload,
                            span,
                            format!("template arguments of `{name}` are missing"),
                        )
                        .secondary(at, "declared here");
                    }
                    return None;
                }
            };
            list.push(arg);
        }
        Some(list)
    }

    pub(super) fn instantiate_struct(&mut self, t: u32, path: &'a ast::Path) -> TypeId {
        self.instantiate_with(t, path.args.as_deref().unwrap_or(&[]), path.span)
    }

    /// The class that a template is for these arguments.
    pub(super) fn instantiate_with(&mut self, t: u32, args: &'a [ast::TemplateArg], span: Span) -> TypeId {
        let Some(args) = self.written_args(t, args, span) else { return Types::ERROR };
        let Some(args) = self.complete(t, args, span, true) else { return Types::ERROR };
        match self.instantiate(t, args, span) {
            Instance::Struct(ty) => ty,
            _ => Types::ERROR,
        }
    }

    /// `f<float>(…)`
    pub(super) fn call_explicit(
        &mut self,
        set: u32,
        targs: &'a [ast::TemplateArg],
        object: Option<Val>,
        args: Vec<Val>,
        span: Span,
        name: ast::Name,
    ) -> Val {
        if args.iter().any(|&a| self.is_error(self.val_ty(a))) {
            return Val::Value(self.error_value(span));
        }
        for o in self.sets[set as usize].clone() {
            let Overload::Template(t) = o else { continue };
            let Some(written) = self.written_args(t, targs, name.span) else {
                return Val::Value(self.error_value(span));
            };
            let Some(list) = self.deduce(t, written, &args) else { continue };
            let Some(list) = self.complete(t, list, name.span, true) else {
                return Val::Value(self.error_value(span));
            };
            if let Instance::Function(f) = self.instantiate(t, list, span) {
                let params = self.funcs[f.index()].params.len();
                if params < args.len() {
                    continue;
                }
                return self.call_function(f, object, args, span);
            }
            return Val::Value(self.error_value(span));
        }
        let text = self.text(name.text).to_string();
        self.report(Code::NoOverload, span, format!("no template `{text}` takes these arguments"));
        Val::Value(self.error_value(span))
    }

    /// The instance that fits the arguments of a call, if one can be found.
    pub(super) fn instantiate_deduced(&mut self, t: u32, args: &[Val], span: Span) -> Option<FunctionId> {
        let open = vec![None; self.templates[t as usize].params.len()];
        let list = self.deduce(t, open, args)?;
        let list = self.complete(t, list, span, false)?;
        match self.instantiate(t, list, span) {
            Instance::Function(f) => Some(f),
            _ => None,
        }
    }

    /// Finds template arguments by comparing parameter types with argument types.
    fn deduce(&mut self, t: u32, mut list: Vec<Option<Arg>>, args: &[Val]) -> Option<Vec<Option<Arg>>> {
        let template = &self.templates[t as usize];
        let (params, item) = (template.params, template.item);
        let ast::ItemKind::Function(f) = &item.kind else { return None };
        if args.len() > f.params.len() {
            return None;
        }
        for (p, &arg) in f.params.iter().zip(args) {
            let mut ty = self.val_ty(arg);
            if let Some(s) = self.types.component(ty)
                && matches!(s, Scalar::LitInt | Scalar::LitFloat)
            {
                ty = self
                    .types
                    .with_component(ty, if s == Scalar::LitInt { Scalar::I32 } else { Scalar::F32 });
            }
            for _ in &p.decl.dims {
                match self.types.get(ty) {
                    Type::Array(e, _) => ty = e,
                    _ => return None,
                }
            }
            self.match_type(params, &p.ty, ty, &mut list);
        }
        Some(list)
    }

    fn match_type(
        &mut self,
        params: &[ast::TemplateParam],
        written: &ast::TypeExpr,
        ty: TypeId,
        list: &mut [Option<Arg>],
    ) {
        let ast::TypeKind::Named(path) = &written.kind else { return };
        let index_of = |name: Symbol| params.iter().position(|p| p.name.is_some_and(|n| n.text == name));
        let Some(args) = &path.args else {
            if path.parts.len() == 1
                && let Some(i) = index_of(path.parts[0].text)
                && list[i].is_none()
            {
                list[i] = Some(Arg::Type(ty));
            }
            return;
        };
        // `vector<T, N>`, `StructuredBuffer<T>`.
        let mut parts: Vec<Arg> = Vec::new();
        let int = self.types.scalar(Scalar::I32);
        match self.types.get(ty) {
            Type::Vector(s, n) => {
                parts.push(Arg::Type(self.types.scalar(s)));
                parts.push(Arg::Int(int, i64::from(n)));
            }
            Type::Matrix(s, r, c) => {
                parts.push(Arg::Type(self.types.scalar(s)));
                parts.push(Arg::Int(int, i64::from(r)));
                parts.push(Arg::Int(int, i64::from(c)));
            }
            Type::Resource(
                Resource::Structured { elem, .. }
                | Resource::Texture { elem, .. }
                | Resource::Constant { elem },
            ) => parts.push(Arg::Type(elem)),
            _ => return,
        }
        for (arg, part) in args.iter().zip(parts) {
            let name = match arg {
                ast::TemplateArg::Type(t) => {
                    if let Arg::Type(inner) = part {
                        self.match_type(params, t, inner, list);
                        continue;
                    }
                    match &t.kind {
                        ast::TypeKind::Named(p) => Some(p.last().text),
                        _ => None,
                    }
                }
                ast::TemplateArg::Expr(e) => match &self.ast.expr(*e).kind {
                    ast::ExprKind::Path(p) => Some(p.last().text),
                    _ => None,
                },
            };
            if let Some(i) = name.and_then(index_of)
                && list[i].is_none()
            {
                list[i] = Some(part);
            }
        }
    }

    fn instantiate(&mut self, t: u32, args: Vec<Arg>, span: Span) -> Instance {
        if let Some(&known) = self.instances.get(&(t, args.clone())) {
            return known;
        }
        if self.instances.len() >= MAX_INSTANTIATIONS || self.instantiation_depth >= MAX_INSTANTIATION_DEPTH {
            self.report(Code::TooMany, span, "templates are instantiated too often or too deeply");
            return Instance::Failed;
        }
        let Template { params, item, scope, class, name, .. } = self.templates[t as usize];
        let inner = self.scopes.child(scope, ScopeKind::Block);
        for (p, arg) in params.iter().zip(&args) {
            let Some(n) = p.name else { continue };
            let entity = match *arg {
                Arg::Type(ty) => Entity::Type(ty),
                Arg::Int(ty, v) => Entity::Constant(ty, v),
            };
            self.scopes.declare(inner, n.text, entity, n.span);
        }
        let shown = self.shown_instance(name, &args);
        self.instantiation_depth += 1;
        let outer_scope = std::mem::replace(&mut self.scope, inner);
        let instance = match &item.kind {
            ast::ItemKind::Function(f) => match self.declare_function(f, &item.attrs, class, Some(shown)) {
                Some(id) => {
                    self.instances.insert((t, args.clone()), Instance::Function(id));
                    self.function_body(id);
                    Instance::Function(id)
                }
                None => Instance::Failed,
            },
            ast::ItemKind::Vars(ast::VarDecl {
                ty: ast::TypeExpr { kind: ast::TypeKind::Struct(s), .. },
                ..
            }) => {
                if s.members.is_none() {
                    self.report(Code::NotDefined, span, format!("`{shown}` is declared but not defined"))
                        .secondary(s.span, "the template is declared here");
                    self.scope = outer_scope;
                    self.instantiation_depth -= 1;
                    self.instances.insert((t, args), Instance::Failed);
                    return Instance::Failed;
                }
                let id = self.new_struct(shown, s.span);
                let ty = self.types.intern(Type::Struct(id));
                // Inside, the template's name is this instance.
                self.scopes.declare(inner, name, Entity::Type(ty), s.span);
                self.instances.insert((t, args.clone()), Instance::Struct(ty));
                self.struct_body(s, id);
                Instance::Struct(ty)
            }
            _ => Instance::Failed,
        };
        self.scope = outer_scope;
        self.instantiation_depth -= 1;
        self.instances.insert((t, args), instance);
        instance
    }
}
