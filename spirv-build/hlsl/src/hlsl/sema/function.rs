//! Functions: signatures and bodies.
use super::modifiers::Declares;
use super::scope::Entity;
use super::scope::ScopeKind;
use super::vk_places::At;
use super::{FnCx, Func, ParamInfo, Sema, flow};
use crate::diag::{Code, Diagnostic};
use crate::hlsl::hir::{
    ExprKind, FunctionId, Local, LocalId, ParamMode, Stmt, StmtKind, StructId, Type, Types,
};
use crate::hlsl::{HLSL_202X, ast, hir, words};
use crate::source::Span;

impl<'a> Sema<'a> {
    /// A function at the top level: signature, then body.
    pub(super) fn function_item(
        &mut self,
        f: &'a ast::Function,
        attrs: &'a [ast::Attribute],
        class: Option<StructId>,
    ) {
        if let Some(owner) = f.name.owner() {
            self.out_of_class(f, &owner, attrs);
            return;
        }
        if let Some(id) = self.declare_function(f, attrs, class, None) {
            self.function_body(id);
        }
    }

    /// `void S::f() { … }`
    fn out_of_class(&mut self, f: &'a ast::Function, owner: &ast::Path, attrs: &'a [ast::Attribute]) {
        let text = self.path_text(owner);
        let found = self.lookup_path(owner);
        let (scope, class) = match (
            found,
            found.map(|e| if let Entity::Type(ty) = e { self.types.get(ty) } else { Type::Void }),
        ) {
            (_, Some(Type::Struct(s))) => (self.structs[s.index()].scope, Some(s)),
            (Some(Entity::Namespace(scope)), _) => (scope, None),
            (Some(Entity::Type(_)), _) => {
                self.report(Code::NotAType, f.name.span, format!("`{text}` is not a structure"));
                return;
            }
            _ => {
                self.report(Code::UnknownType, f.name.span, format!("`{text}` is not declared"));
                return;
            }
        };
        let outer = std::mem::replace(&mut self.scope, scope);
        let known = self.scopes.get(scope, f.name.last().text).is_some();
        if !known {
            let name = self.text(f.name.last().text).to_string();
            self.report(Code::NoMethod, f.name.span, format!("`{text}` declares no `{name}`"));
        } else if let Some(id) = self.declare_function(f, attrs, class, None) {
            self.function_body(id);
        }
        self.scope = outer;
    }

    /// The parameters, and what is wrong with them where the function is reached.
    fn params(&mut self, f: &'a ast::Function) -> (Vec<ParamInfo>, Vec<Diagnostic>) {
        let (mut list, mut deferred): (Vec<ParamInfo>, _) = (Vec::new(), Vec::new());
        for p in &f.params {
            let base = self.resolve(&p.ty);
            self.check_modifiers(&p.ty, Declares::PARAMETER, base);
            self.check_vk_places(&p.attrs, At::Parameter);
            let mut ty = self.array_of(base, &p.decl.dims);
            let span = p.decl.name.span;
            self.note_one_vector(&p.ty, span);
            let resources =
                |ty| matches!(self.types.get(ty), Type::UnsizedArray(e) if self.types.resource(e).is_some());
            if let Type::UnsizedArray(_) = self.types.get(ty)
                && (!resources(ty) || p.ty.quals.has(ast::Quals::OUT))
            {
                let text = "an array parameter needs a size";
                deferred.push(Diagnostic::new(Code::UnboundedArray, Some(span), text));
                ty = Types::ERROR;
            }
            if self.can_be_declared(ty, span, "a parameter").is_err() {
                ty = Types::ERROR;
            }
            let q = p.ty.quals;
            let groupshared = q.has(ast::Quals::GROUPSHARED) && self.groupshared_param(p.ty.span);
            let mode = if groupshared {
                ParamMode::Ref
            } else if let Type::RayQuery(_) = self.types.get(ty) {
                // An object that has no value: the caller's is meant.
                ParamMode::Ref
            } else if q.has(ast::Quals::INOUT) {
                ParamMode::InOut
            } else if q.has(ast::Quals::OUT) {
                ParamMode::Out
            } else {
                ParamMode::In
            };
            let semantic = p.decl.annotations.iter().find_map(|a| match a {
                ast::Annotation::Semantic(n) => Some((self.text(n.text).to_string(), n.span)),
                _ => None,
            });
            if let Some(before) = list.last()
                && before.default.is_some()
                && p.decl.init.is_none()
            {
                self.report(Code::BadDefault, span, "this parameter needs a default value too")
                    .secondary(before.span, "because this one has one");
            }
            list.push(ParamInfo {
                name: p.decl.name.text,
                ty,
                mode,
                default: p.decl.init,
                precise: q.has(ast::Quals::PRECISE),
                is_const: q.has(ast::Quals::CONST) && (mode == ParamMode::In || groupshared),
                groupshared,
                semantic,
                span,
            });
        }
        (list, deferred)
    }

    /// Checks default values where they stand; what they are is computed where a call leaves them out.
    fn check_defaults(&mut self, params: &mut [ParamInfo]) {
        for p in params {
            let Some(e) = p.default.filter(|_| !self.is_error(p.ty)) else { continue };
            let (f, inside) = (std::mem::take(&mut self.f), std::mem::replace(&mut self.in_function, true));
            let value = self.rvalue_as(e, p.ty, "this default value");
            if self.is_error(self.ty(value)) {
                p.ty = Types::ERROR;
            }
            (self.f, self.in_function) = (f, inside);
        }
    }

    /// Whether this version of the language has groupshared parameters; warns where it has not.
    fn groupshared_param(&mut self, span: Span) -> bool {
        if self.options.hlsl_version >= HLSL_202X {
            return true;
        }
        self.report(
            Code::GroupsharedParameter,
            span,
            "`groupshared` means nothing at a parameter before HLSL 202x",
        )
        .label("the argument is copied")
        .help("compile with `-HV 202x`, or use the groupshared variable itself");
        false
    }

    /// Reports parameters that stand for groupshared memory in a function that others link with or that is not inlined.
    fn groupshared_place(&mut self, f: &'a ast::Function, attrs: &'a [ast::Attribute]) {
        let word = match () {
            _ if f.ret.quals.has(ast::Quals::EXPORT) => "export",
            _ if self.has_attr(attrs, "noinline") => "[noinline]",
            _ => return,
        };
        if let Some(p) = f.params.iter().find(|p| p.ty.quals.has(ast::Quals::GROUPSHARED)) {
            self.report(
                Code::BadModifier,
                p.ty.span,
                format!("a parameter of a function with `{word}` cannot be `groupshared`"),
            )
            .label("stands for a variable of the caller")
            .help(format!("remove `{word}`"));
        }
    }

    /// Declares a function in the current scope, or finds the prototype that this defines. Answers it if it now has a body to be
    /// checked. An instance of a template has its `name` given and joins no overload set.
    pub(super) fn declare_function(
        &mut self,
        f: &'a ast::Function,
        attrs: &'a [ast::Attribute],
        class: Option<StructId>,
        name: Option<String>,
    ) -> Option<FunctionId> {
        let ret = self.resolve(&f.ret);
        let what = if class.is_some() { Declares::METHOD } else { Declares::FUNCTION };
        self.check_modifiers(&f.ret, what, ret);
        self.check_vk_places(attrs, At::Function);
        if matches!(self.types.get(ret), Type::UnsizedArray(_) | Type::String) {
            self.report(Code::BadVariableType, f.ret.span, "a function cannot return this");
        }
        self.note_one_vector(&f.ret, f.name.last().span);
        let (mut params, deferred) = self.params(f);
        if class.is_none() {
            self.check_defaults(&mut params);
        }
        self.groupshared_place(f, attrs);
        self.check_function_attrs(attrs);
        if f.operator && !self.operator_allowed(f, class.is_some()) {
            return None;
        }
        let instance = name.is_some();
        let own = f.name.last();
        let shown = name.unwrap_or_else(|| self.qualified(own.text));
        let is_static = f.ret.quals.has(ast::Quals::STATIC) && class.is_some();
        let spirv = self.ext_instruction(attrs);
        self.ext_type_def(attrs, params.len());
        if let (Some(_), Some(body)) = (spirv, &f.body) {
            let at = body.first().map_or(own.span, |s| s.span);
            self.report(Code::BadVkAttribute, at, "a function that is an instruction has no body");
        }
        let new = Func {
            name: shown,
            ast: f,
            attrs,
            scope: self.scope,
            params,
            ret,
            class,
            is_static,
            body: None,
            defined: f.body.is_some() || spirv.is_some() || self.find_vk(attrs, "ext_type_def").is_some(),
            spirv,
            calls: Vec::new(),
            passed: Vec::new(),
            modes: Vec::new(),
            deferred,
            of_instance: None,
            span: own.span,
        };
        let id = FunctionId(self.funcs.len() as u32);
        if instance {
            // One that is only declared is a mistake where it is called.
            self.funcs.push(new);
            return Some(id);
        }
        let set = match self.scopes.get(self.scope, own.text) {
            Some((Entity::Functions(set), _)) => set,
            Some((_, first)) => {
                self.redeclared(own, first);
                return None;
            }
            None => {
                let set = self.sets.len() as u32;
                self.sets.push(Vec::new());
                self.scopes.declare(self.scope, own.text, Entity::Functions(set), own.span);
                set
            }
        };
        if let Some(known) = self.same_parameters(set, &new.params) {
            let old = &self.funcs[known.index()];
            let (first, name) = (old.span, old.name.clone());
            if old.ret != new.ret {
                self.report(
                    Code::Redefined,
                    own.span,
                    format!("`{name}` is declared with another result type"),
                )
                .secondary(first, "first declared here");
                return None;
            }
            if !new.defined {
                return None;
            }
            if old.defined && old.spirv.is_some() && old.spirv == new.spirv {
                return None;
            }
            if old.defined {
                self.report(Code::Redefined, own.span, format!("`{name}` is defined twice"))
                    .label("defined again here")
                    .secondary(first, "first defined here");
                return None;
            }
            // The definition's names and defaults count; defaults of the prototype stay.
            let old = &mut self.funcs[known.index()];
            let mut params = new.params;
            let mut twice = Vec::new();
            for (p, q) in params.iter_mut().zip(&old.params) {
                if p.default.is_some() && q.default.is_some() {
                    twice.push((p.span, q.span));
                }
                p.default = p.default.or(q.default);
            }
            let is_static = old.is_static;
            *old = Func { params, is_static, ..new };
            for (again, first) in twice {
                self.report(Code::BadDefault, again, "the default value is given twice")
                    .label("given again here")
                    .secondary(first, "first given here")
                    .help("keep that of the prototype");
            }
            return Some(known);
        }
        let defined = new.defined;
        self.funcs.push(new);
        self.add_function(set, id);
        if defined { Some(id) } else { None }
    }

    /// Checks a function's body.
    pub(super) fn function_body(&mut self, id: FunctionId) {
        let (f, scope, class, is_static, params, ret) = {
            let f = &self.funcs[id.index()];
            (f.ast, f.scope, f.class, f.is_static, f.params.clone(), f.ret)
        };
        let Some(stmts) = &f.body else { return };
        self.check_var_type_unless_void(ret, f.ret.span);
        for p in &params {
            if let Type::Struct(_) | Type::Array(..) = self.types.get(p.ty) {
                self.check_var_type(p.ty, p.span);
            }
        }
        let cx = FnCx::new(ret, (f.end.hi as usize).saturating_sub(f.name.span.lo as usize));
        let outer_f = std::mem::replace(&mut self.f, cx);
        let outer_in = std::mem::replace(&mut self.in_function, true);
        let inner = self.scopes.child(scope, ScopeKind::Block);
        let outer_scope = std::mem::replace(&mut self.scope, inner);
        if let Some(class) = class.filter(|_| !is_static) {
            let ty = self.types.intern(Type::Struct(class));
            let name = self.shared_text(words::THIS);
            self.f.locals.push(Local {
                is_const: f.is_const,
                ..Local::new(name, ty, Some(ParamMode::Ref), f.name.span)
            });
            self.f.this = Some((LocalId(0), class));
        }
        for (p, written) in params.iter().zip(&f.params) {
            let local = LocalId(self.f.locals.len() as u32);
            let list = self.decorations(&written.attrs);
            self.f.decorations.extend(list.into_iter().map(|d| (Some(local), d)));
            let name = self.shared_text(p.name);
            self.f.locals.push(Local {
                is_const: p.is_const,
                precise: p.precise,
                ..Local::new(name, p.ty, Some(p.mode), p.span)
            });
            self.declare(ast::Name { text: p.name, span: p.span }, Entity::Local(local));
        }
        self.ray_result(ret, stmts, f.name.span);
        let count = self.f.locals.len() as u32;
        let mut body = self.block_in_scope(stmts);
        if ret != Types::VOID && !self.is_error(ret) && flow::completes(&body, &self.f.exprs) {
            let (name, ty) = (self.funcs[id.index()].name.clone(), self.type_name(ret));
            let at = f.name.span;
            // Where nothing else is returned it is zero; but there is no resource that is.
            let (code, label) = match self.types.contains_resource(ret) {
                true => (Code::BadReturn, "there is nothing to return"),
                false => (Code::MissingReturn, "no value here"),
            };
            self.report(code, f.end, format!("`{name}` may end without returning a value"))
                .label(label)
                .secondary(at, format!("must return `{ty}`"))
                .help("add a `return`");
            let zero = match self.f.ray_result {
                Some(_) => None,
                None => Some(self.node(ExprKind::Zero, ret, f.end)),
            };
            body.stmts.push(Stmt { kind: StmtKind::Return(zero), span: f.end });
        }
        self.attributed_modes(self.funcs[id.index()].attrs);
        self.scope = outer_scope;
        self.in_function = outer_in;
        let cx = std::mem::replace(&mut self.f, outer_f);
        let noinline = self.has_attr(self.funcs[id.index()].attrs, "noinline");
        let mut decorations = cx.decorations;
        let attrs = self.funcs[id.index()].attrs;
        decorations.extend(self.function_decorations(attrs).into_iter().map(|d| (None, d)));
        let ret = if cx.ray_result.is_some() { Types::VOID } else { ret };
        let func = &mut self.funcs[id.index()];
        func.calls = cx.calls;
        func.passed = cx.passed;
        func.modes = cx.modes;
        func.deferred.extend(cx.deferred);
        func.body = Some(hir::Function {
            name: func.name.clone(),
            params: count,
            ret,
            locals: cx.locals,
            exprs: cx.exprs,
            places: cx.places,
            body,
            noinline,
            precise: f.ret.quals.has(ast::Quals::PRECISE),
            decorations,
            span: func.span,
        });
    }
}
