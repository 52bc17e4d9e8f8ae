//! Templates: each instance is checked as if it had been written out.
use super::scope::{Entity, ScopeId};
use super::scope::{Overload, ScopeKind};
use super::specialise::{Deduction, Special};
use super::trial::Mismatch;
use super::{Checked, MAX_INSTANTIATION_DEPTH, MAX_INSTANTIATIONS, Refuse, Reported, Sema, Val, specialise};
use crate::diag::Code;
use crate::hlsl::ast;
use crate::hlsl::hir::{FunctionId, GlobalId, Scalar, StructId, Type, TypeId, Types};
use crate::source::{Span, Symbol};

/// A template that was declared.
pub(super) struct Template<'a> {
    pub(super) params: &'a [ast::TemplateParam],
    /// What parameters are that a use leaves out.
    pub(super) defaults: Vec<Option<&'a ast::TemplateArg>>,
    pub(super) item: &'a ast::Item,
    pub(super) scope: ScopeId,
    pub(super) class: Option<StructId>,
    pub(super) name: Symbol,
    pub(super) span: Span,
    /// Specialisations for some arguments.
    pub(super) partials: Vec<specialise::Partial<'a>>,
    /// Members that are defined outside the class.
    pub(super) members: Vec<specialise::Member<'a>>,
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
    Variable(GlobalId),
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
        let new = |s: &Self, name: ast::Name| Template {
            params,
            defaults: params.iter().map(|p| p.default.as_ref()).collect(),
            item,
            scope: s.scope,
            class,
            name: name.text,
            span: name.span,
            partials: Vec::new(),
            members: Vec::new(),
        };
        match &item.kind {
            ast::ItemKind::Function(f) => {
                let name = f.name.last();
                if f.name.parts.len() > 1 {
                    self.member_of_template(params, item);
                    return;
                }
                match self.scopes.get(self.scope, name.text) {
                    Some((Entity::Functions(set), _)) => {
                        if self.completes(set, params, f, item) {
                            return;
                        }
                        self.templates.push(new(self, name));
                        self.add_template(set, index, name.span);
                    }
                    Some((_, first)) => self.redeclared(name, first),
                    None => {
                        self.templates.push(new(self, name));
                        let set = self.sets.len() as u32;
                        self.sets.push(vec![Overload::Template(index)]);
                        self.scopes.declare(self.scope, name.text, Entity::Functions(set), name.span);
                    }
                }
            }
            ast::ItemKind::Vars(
                decl @ ast::VarDecl { ty: ast::TypeExpr { kind: ast::TypeKind::Struct(s), .. }, .. },
            ) => {
                self.no_declarator(decl, &item.attrs);
                let Some(name) = s.name else { return };
                if let Some(args) = &s.args {
                    self.partial(name, params, args, Special::Class(s));
                    return;
                }
                let template = new(self, name);
                // A forward declaration is completed.
                if let Some((Entity::StructTemplate(known), _)) = self.scopes.get(self.scope, name.text)
                    && let ast::ItemKind::Vars(old) = &self.templates[known as usize].item.kind
                    && let ast::TypeKind::Struct(old) = &old.ty.kind
                    && (old.members.is_none() || s.members.is_none())
                {
                    if s.members.is_some() {
                        let partials = std::mem::take(&mut self.templates[known as usize].partials);
                        self.templates[known as usize] = Template { partials, ..template };
                    }
                    return;
                }
                self.templates.push(template);
                self.declare(name, Entity::StructTemplate(index));
            }
            ast::ItemKind::Vars(decl) => {
                let [d] = decl.declarators.as_slice() else {
                    self.report(Code::BadDeclaration, item.span, "a template declares exactly one variable");
                    return;
                };
                if d.owner.is_some() {
                    self.member_of_template(params, item);
                    return;
                }
                if let Some(args) = &d.args {
                    self.partial(d.name, params, args, Special::Variable(decl));
                    return;
                }
                self.templates.push(new(self, d.name));
                self.declare(d.name, Entity::VarTemplate(index));
            }
            ast::ItemKind::Typedef(decl) => {
                let [d] = decl.declarators.as_slice() else { return };
                self.templates.push(new(self, d.name));
                self.declare(d.name, Entity::StructTemplate(index));
            }
            ast::ItemKind::Template(..) => self.member_of_template(params, item),
            _ => self.unsupported(item.span, "this kind of template"),
        }
    }

    /// Whether a template of functions defines one that was declared before; then it takes its place.
    fn completes(
        &mut self,
        set: u32,
        params: &'a [ast::TemplateParam],
        f: &'a ast::Function,
        item: &'a ast::Item,
    ) -> bool {
        if f.body.is_none() {
            return false;
        }
        for o in self.sets[set as usize].clone() {
            let Overload::Template(t) = o else { continue };
            let old = &mut self.templates[t as usize];
            let ast::ItemKind::Function(declared) = &old.item.kind else { continue };
            let instruction = old.item.attrs.iter().any(|a| a.scope.is_some());
            // Types by name; those of the template's own parameters by position.
            let name_of = |p: &ast::Param, params: &[ast::TemplateParam]| match &p.ty.kind {
                ast::TypeKind::Named(path) => {
                    let text = path.last().text;
                    let own = params.iter().position(|p| p.name.is_some_and(|n| n.text == text));
                    own.map_or(Ok(text), Err)
                }
                _ => Err(usize::MAX),
            };
            let (old_params, old_list) = (old.params, &declared.params);
            let same_params =
                old_list.iter().zip(&f.params).all(|(a, b)| name_of(a, old_params) == name_of(b, params));
            if declared.body.is_none()
                && !instruction
                && old.params.len() == params.len()
                && declared.params.len() == f.params.len()
                && same_params
            {
                old.item = item;
                // Defaults stand at the first declaration.
                old.defaults = (old.params.iter().zip(&old.defaults))
                    .map(|(p, earlier)| p.default.as_ref().or(*earlier))
                    .collect();
                old.params = params;
                self.define_instances(t);
                return true;
            }
        }
        false
    }

    /// Gives instances that were made before the template was defined their bodies.
    fn define_instances(&mut self, t: u32) {
        let of = |(key, i): (&(u32, Vec<Arg>), &Instance)| match *i {
            Instance::Function(id) if key.0 == t => Some((key.1.clone(), id)),
            _ => None,
        };
        let mut open: Vec<_> = self.instances.iter().filter_map(of).collect();
        open.retain(|(_, id)| !self.funcs[id.index()].defined);
        open.sort_by_key(|(_, id)| id.index());
        let Template { params, item, scope, class, .. } = &self.templates[t as usize];
        let (params, item, scope, class) = (*params, *item, *scope, *class);
        let ast::ItemKind::Function(f) = &item.kind else { return };
        for (args, id) in open {
            let inner = self.bind(params, &args, scope);
            let outer = std::mem::replace(&mut self.scope, inner);
            let name = self.funcs[id.index()].name.clone();
            if let Some(new) = self.declare_function(f, &item.attrs, class, Some(name)) {
                // Those who called it know it by the first number.
                self.funcs.swap(id.index(), new.index());
                self.instance_body(id);
            }
            self.scope = outer;
        }
    }

    /// `S<int, 3>`
    pub(super) fn shown_instance(&self, name: Symbol, args: &[Arg]) -> String {
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
    pub(super) fn written_args(
        &mut self,
        t: u32,
        args: &'a [ast::TemplateArg],
        span: Span,
    ) -> Option<Vec<Option<Arg>>> {
        let params = self.templates[t as usize].params;
        if args.len() > params.len() {
            let (n, have, s) = (params.len(), args.len(), if params.len() == 1 { "" } else { "s" });
            let text = format!("the template takes {n} argument{s}, not {have}");
            self.report(Code::NoOverload, span, text);
            return None;
        }
        let mut list = Vec::new();
        for (p, arg) in params.iter().zip(args) {
            let scope = self.scope_of_param(t, p, &list);
            list.push(self.template_arg(p, arg, scope)?);
        }
        let mut list: Vec<Option<Arg>> = list.into_iter().map(Some).collect();
        list.resize(params.len(), None);
        Some(list)
    }

    /// Where a parameter of a template stands: its type may name those before it, which are `known`.
    fn scope_of_param(&mut self, t: u32, p: &ast::TemplateParam, known: &[Arg]) -> ScopeId {
        let Template { params, scope, .. } = &self.templates[t as usize];
        let (params, scope) = (*params, *scope);
        if p.ty.is_none() || known.is_empty() { scope } else { self.bind(params, known, scope) }
    }

    /// An argument where it is written; the parameter stands in `scope`.
    fn template_arg(
        &mut self,
        p: &'a ast::TemplateParam,
        arg: &'a ast::TemplateArg,
        scope: ScopeId,
    ) -> Option<Arg> {
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
                let ty = self.within(scope, |s| s.resolve(t));
                let (value, _) = self.template_int(arg)?;
                Some(Arg::Int(ty, value))
            }
        }
    }

    /// Fills in defaults; `None` if something is still open.
    pub(super) fn complete(
        &mut self,
        t: u32,
        args: Vec<Option<Arg>>,
        span: Span,
        report: bool,
    ) -> Option<Vec<Arg>> {
        let params = self.templates[t as usize].params;
        let defaults = self.templates[t as usize].defaults.clone();
        let mut list = Vec::new();
        for ((p, default), arg) in params.iter().zip(defaults).zip(args) {
            let arg = match (arg, default) {
                (Some(a), _) => a,
                (None, Some(default)) => {
                    let scope = self.templates[t as usize].scope;
                    // A default may name the parameters before it.
                    let known: Vec<Arg> = list.clone();
                    let inner = self.bind(params, &known, scope);
                    let arg = self.within(inner, |s| s.template_arg(p, default, inner));
                    arg?
                }
                (None, None) => {
                    if report {
                        let name = self.text(self.templates[t as usize].name).to_string();
                        let at = self.templates[t as usize].span;
                        let text = format!("template arguments of `{name}` are missing");
                        self.report(Code::NoOverload, span, text).secondary(at, "declared here");
                    }
                    return None;
                }
            };
            // A number has the type that the parameter has.
            let arg = match (arg, &p.ty) {
                (Arg::Int(_, value), Some(ty)) => {
                    let scope = self.scope_of_param(t, p, &list);
                    let ty = self.within(scope, |s| s.resolve(ty));
                    Arg::Int(ty, value)
                }
                (arg, _) => arg,
            };
            list.push(arg);
        }
        Some(list)
    }

    /// All arguments, as written or by default.
    pub(super) fn arguments(&mut self, t: u32, args: &'a [ast::TemplateArg], span: Span) -> Option<Vec<Arg>> {
        let written = self.written_args(t, args, span)?;
        self.complete(t, written, span, true)
    }

    /// The template that a structure is an instance of.
    pub(super) fn template_of(&self, ty: TypeId) -> Option<u32> {
        let Type::Struct(s) = self.types.get(ty) else { return None };
        self.instance_of.get(&s).map(|i| i.0)
    }

    /// `x<float>`
    pub(super) fn instantiate_var(
        &mut self,
        t: u32,
        args: &'a [ast::TemplateArg],
        span: Span,
    ) -> Option<GlobalId> {
        let args = self.arguments(t, args, span)?;
        match self.instantiate(t, args, span) {
            Instance::Variable(g) => Some(g),
            _ => None,
        }
    }

    pub(super) fn instantiate_struct(&mut self, t: u32, path: &'a ast::Path) -> TypeId {
        self.instantiate_with(t, path.args.as_deref().unwrap_or(&[]), path.span)
    }

    /// The class that a template is for these arguments.
    pub(super) fn instantiate_with(&mut self, t: u32, args: &'a [ast::TemplateArg], span: Span) -> TypeId {
        let Some(args) = self.arguments(t, args, span) else { return Types::ERROR };
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
    ) -> Checked<Val> {
        if args.iter().any(|&a| self.is_error(self.val_ty(a))) {
            return Err(Reported);
        }
        let mut fits: Vec<FunctionId> = Vec::new();
        let set = self.sets[set as usize].clone();
        for o in &set {
            let Overload::Template(t) = *o else { continue };
            match self.candidate(t, Some((targs, name.span)), &args, span) {
                Ok(list) => {
                    fits.extend(self.instance(t, list, span).filter(|f| self.fits(*f, &args).is_some()))
                }
                // Another template of this name may take such arguments.
                Err(why) if set.len() == 1 && !why.0.is_empty() => {
                    self.tell(why);
                    return Err(Reported);
                }
                Err(_) => {}
            }
        }
        if let Some(f) = self.best(&fits, 0, &args) {
            return self.call_function(f, object, args, span);
        }
        let text = self.text(name.text).to_string();
        self.report(Code::NoOverload, span, format!("no template `{text}` takes these arguments")).refuse()
    }

    /// The function that a template is for these arguments.
    pub(super) fn instance(&mut self, t: u32, list: Vec<Arg>, span: Span) -> Option<FunctionId> {
        match self.instantiate(t, list, span) {
            Instance::Function(f) => Some(f),
            _ => None,
        }
    }

    /// The template's arguments for a call: those that are written, and those that the call's arguments tell.
    pub(super) fn candidate(
        &mut self,
        t: u32,
        written: Option<(&'a [ast::TemplateArg], Span)>,
        args: &[Val],
        span: Span,
    ) -> Result<Vec<Arg>, Mismatch> {
        let types: Vec<TypeId> = args.iter().map(|&a| self.val_ty(a)).collect();
        self.trial(|s| {
            let open = match written {
                Some((targs, at)) => s.written_args(t, targs, at)?,
                None => vec![None; s.templates[t as usize].params.len()],
            };
            let list = s.deduce(t, open, &types)?;
            let list = s.complete(t, list, written.map_or(span, |w| w.1), written.is_some())?;
            s.could_take(t, &list, &types).then_some(list)
        })
    }

    /// Whether the parameters of a template for these arguments take values of these types: asked before the body is looked
    /// at, which need not make sense for others.
    fn could_take(&mut self, t: u32, list: &[Arg], types: &[TypeId]) -> bool {
        let Template { params, item, scope, .. } = &self.templates[t as usize];
        let (params, item, scope) = (*params, *item, *scope);
        let ast::ItemKind::Function(f) = &item.kind else { return false };
        let required = f.params.iter().filter(|p| p.decl.init.is_none()).count();
        if types.len() > f.params.len() || types.len() < required {
            return false;
        }
        let inner = self.bind(params, list, scope);
        let outer = std::mem::replace(&mut self.scope, inner);
        let mut fits = true;
        for (p, &from) in f.params.iter().zip(types) {
            let base = self.resolve(&p.ty);
            let to = self.array_of(base, &p.decl.dims);
            let inward = self.change(from, to).is_some();
            let outward = p.ty.quals.has(ast::Quals::OUT) && self.change(to, from).is_some();
            fits &= !self.is_error(to) && (inward || outward);
        }
        self.scope = outer;
        fits
    }

    /// A scope in which the parameters of a template are these arguments.
    pub(super) fn bind(&mut self, params: &[ast::TemplateParam], args: &[Arg], scope: ScopeId) -> ScopeId {
        let inner = self.scopes.child(scope, ScopeKind::Block);
        self.bind_in(inner, params, args);
        inner
    }

    pub(super) fn bind_in(&mut self, inner: ScopeId, params: &[ast::TemplateParam], args: &[Arg]) {
        for (p, arg) in params.iter().zip(args) {
            let Some(n) = p.name else { continue };
            let entity = match *arg {
                Arg::Type(ty) => Entity::Type(ty),
                Arg::Int(ty, v) => Entity::Constant(ty, v),
            };
            self.scopes.declare(inner, n.text, entity, n.span);
        }
    }

    /// Finds template arguments by comparing parameter types with argument types.
    pub(super) fn deduce(
        &mut self,
        t: u32,
        mut list: Vec<Option<Arg>>,
        args: &[TypeId],
    ) -> Option<Vec<Option<Arg>>> {
        let template = &self.templates[t as usize];
        let (params, item) = (template.params, template.item);
        let ast::ItemKind::Function(f) = &item.kind else { return None };
        if args.len() > f.params.len() {
            return None;
        }
        let literal = |types: &Types, ty| {
            types.component(ty).filter(|s| matches!(s, Scalar::LitInt | Scalar::LitFloat))
        };
        // Literals have a say only where nothing else has.
        let (literals, others): (Vec<_>, Vec<_>) =
            f.params.iter().zip(args).partition(|(_, ty)| literal(&self.types, **ty).is_some());
        let given = list.clone();
        for (p, &ty) in others.into_iter().chain(literals) {
            let mut ty = ty;
            let is_literal = literal(&self.types, ty);
            if let Some(s) = is_literal {
                ty = self
                    .types
                    .with_component(ty, if s == Scalar::LitInt { Scalar::I32 } else { Scalar::F32 });
            }
            let mut lengths = Vec::new();
            for dim in &p.decl.dims {
                match self.types.get(ty) {
                    Type::Array(e, n) => {
                        lengths.extend(dim.map(|e| (e, n)));
                        ty = e;
                    }
                    _ => return None,
                }
            }
            // What the parameters name is what it is where the template stands.
            let scope = self.templates[t as usize].scope;
            let outer = std::mem::replace(&mut self.scope, scope);
            let mut own = Deduction::new(params);
            own.found.clone_from(&given);
            self.match_type(&mut own, &p.ty, ty, 0);
            for (dim, n) in lengths {
                let n = Arg::Int(self.scalar_ty(Scalar::I32), i64::from(n));
                self.match_arg(&mut own, &ast::TemplateArg::Expr(dim), n, 0);
            }
            self.scope = outer;
            for (known, new) in list.iter_mut().zip(own.found) {
                match (&known, &new) {
                    (None, Some(_)) => *known = new,
                    // Two arguments that ask for different things.
                    (Some(a), Some(b)) if a != b && is_literal.is_none() => return None,
                    _ => {}
                }
            }
        }
        Some(list)
    }

    /// The body of a function that is an instance, or a method of one. Methods need not make sense for all arguments: what is
    /// wrong with one, or with an instance that only such a one calls, is a mistake only where something uses it.
    pub(super) fn instance_body(&mut self, id: FunctionId) {
        let outer = std::mem::replace(&mut self.in_instance, true);
        let ((), found) = self.aside(|s| s.function_body(id));
        self.in_instance = outer;
        self.funcs[id.index()].of_instance = Some(found.into_list());
    }

    pub(super) fn instantiate(&mut self, t: u32, args: Vec<Arg>, span: Span) -> Instance {
        if let Some(&known) = self.instances.get(&(t, args.clone())) {
            return known;
        }
        let (instance, found) = self.aside(|s| s.instantiate_new(t, args, span));
        // What is wrong with the instance itself is told once, and must not go with the first function that names it.
        match found.has_errors() {
            true => self.of_instances.extend(found.into_list()),
            false => self.tell(Mismatch(found.into_list())),
        }
        instance
    }

    fn instantiate_new(&mut self, t: u32, args: Vec<Arg>, span: Span) -> Instance {
        if self.instances.len() >= MAX_INSTANTIATIONS || self.instantiation_depth >= MAX_INSTANTIATION_DEPTH {
            self.report(Code::TooMany, span, "templates are instantiated too often or too deeply");
            return Instance::Failed;
        }
        let Template { params, item, scope, class, name, .. } = &self.templates[t as usize];
        let (mut params, item, scope, class, name) = (*params, *item, *scope, *class, *name);
        let mut own_args = args.clone();
        let mut specialised = None;
        if let Some((special, found, at)) = self.matching_partial(t, &args) {
            (params, own_args, specialised) = (special.params, found, Some((special.body, at)));
        }
        let inner = self.bind(params, &own_args, specialised.map_or(scope, |s| s.1));
        let shown = self.shown_instance(name, &args);
        self.instantiation_depth += 1;
        let outer_scope = std::mem::replace(&mut self.scope, inner);
        let instance = match &item.kind {
            ast::ItemKind::Function(f) => match self.declare_function(f, &item.attrs, class, Some(shown)) {
                Some(id) => {
                    self.instances.insert((t, args.clone()), Instance::Function(id));
                    self.instance_body(id);
                    Instance::Function(id)
                }
                None => Instance::Failed,
            },
            ast::ItemKind::Vars(ast::VarDecl {
                ty: ast::TypeExpr { kind: ast::TypeKind::Struct(s), .. },
                ..
            }) => {
                let s = match specialised {
                    Some((Special::Class(special), _)) => special,
                    _ => s,
                };
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
                self.instance_of.insert(id, (t, args.clone()));
                self.struct_body(s, id);
                if specialised.is_none() {
                    self.define_members(t, id, inner, &args);
                }
                Instance::Struct(ty)
            }
            ast::ItemKind::Vars(decl) => match specialised.map_or(decl, |s| s.0.variable(decl)) {
                ast::VarDecl { declarators, .. } if declarators.len() != 1 => Instance::Failed,
                decl => {
                    let d = &decl.declarators[0];
                    let base = self.resolve(&decl.ty);
                    let ty = self.array_of(base, &d.dims);
                    self.static_var(decl, d, ty, None);
                    match self.scopes.get(inner, d.name.text) {
                        Some((Entity::Global(g), _)) => {
                            self.globals[g.index()].name = shown;
                            Instance::Variable(g)
                        }
                        _ => Instance::Failed,
                    }
                }
            },
            ast::ItemKind::Typedef(decl) => match decl.declarators.as_slice() {
                [d] => {
                    self.ext_requests(&item.attrs);
                    let base = self.resolve(&decl.ty);
                    let ty = self.array_of(base, &d.dims);
                    if self.is_error(ty) { Instance::Failed } else { Instance::Struct(ty) }
                }
                _ => Instance::Failed,
            },
            _ => Instance::Failed,
        };
        self.scope = outer_scope;
        self.instantiation_depth -= 1;
        self.instances.insert((t, args), instance);
        instance
    }
}
