//! Templates that are never instantiated: what is wrong with them whatever their arguments are.
//!
//! Nothing is known of their types, so only their form is looked at: modifiers, attributes, `break` and `continue`. All else is
//! checked where a template is instantiated.
use super::modifiers::Declares;
use super::scope::Entity;
use super::vk_places::At;
use super::{Sema, scope, template};
use crate::diag::Code;
use crate::hlsl::ast;
use crate::hlsl::ast::{ExprKind as E, StmtKind as S};
use crate::hlsl::hir::Types;
use rustc_hash::FxHashSet;

/// What encloses a statement.
#[derive(Clone, Copy, Default)]
struct Around {
    in_loop: bool,
    in_switch: bool,
}

impl<'a> Sema<'a> {
    /// Looks at the templates that nothing instantiated.
    pub(super) fn check_uninstantiated(&mut self) {
        if self.templates.is_empty() {
            return;
        }
        let used: FxHashSet<u32> = self.instances.keys().map(|k| k.0).collect();
        let (f, scope) = (std::mem::take(&mut self.f), self.scope);
        for t in (0..self.templates.len()).filter(|t| !used.contains(&(*t as u32))) {
            let template::Template { params, item, scope, class, .. } = &self.templates[t];
            let (params, item, scope, class) = (*params, *item, *scope, *class);
            self.scope = scope;
            self.open_item(params, item, class.is_some());
        }
        (self.f, self.scope) = (f, scope);
    }

    /// A declaration behind `template <…>`.
    fn open_item(&mut self, params: &'a [ast::TemplateParam], item: &'a ast::Item, in_class: bool) {
        let inner = self.scopes.child(self.scope, scope::ScopeKind::Block);
        let outer = std::mem::replace(&mut self.scope, inner);
        for p in params {
            let Some(n) = p.name else { continue };
            let entity = match p.ty {
                None => Entity::Type(Types::ERROR),
                Some(_) => Entity::Constant(Types::ERROR, 0),
            };
            self.scopes.declare(inner, n.text, entity, n.span);
        }
        match &item.kind {
            ast::ItemKind::Function(f) => self.open_function(f, &item.attrs, in_class),
            ast::ItemKind::Vars(decl) => self.open_class(decl),
            _ => {}
        }
        self.scope = outer;
    }

    fn open_function(&mut self, f: &'a ast::Function, attrs: &'a [ast::Attribute], in_class: bool) {
        let what = if in_class { Declares::METHOD } else { Declares::FUNCTION };
        self.open_modifiers(&f.ret, what);
        self.check_vk_places(attrs, At::Function);
        for p in &f.params {
            self.open_modifiers(&p.ty, Declares::PARAMETER);
            self.check_vk_places(&p.attrs, At::Parameter);
        }
        for s in f.body.iter().flatten() {
            self.open_stmt(s, Around::default());
        }
    }

    /// A class, if that is what is declared.
    fn open_class(&mut self, decl: &'a ast::VarDecl) {
        let ast::TypeKind::Struct(s) = &decl.ty.kind else { return };
        for item in s.members.iter().flatten() {
            match &item.kind {
                ast::ItemKind::Vars(decl) => {
                    if !decl.declarators.is_empty() {
                        let is_static = decl.ty.quals.has(ast::Quals::STATIC);
                        let what = if is_static { Declares::GLOBAL } else { Declares::MEMBER };
                        self.open_modifiers(&decl.ty, what);
                    }
                    self.check_vk_places(&item.attrs, At::Member);
                    self.no_function_attrs(&item.attrs, "a member");
                    self.open_class(decl);
                }
                ast::ItemKind::Function(f) => self.open_function(f, &item.attrs, true),
                ast::ItemKind::Template(params, inner) => self.open_item(params, inner, true),
                _ => {}
            }
        }
    }

    /// Checks modifiers, also against the type if it depends on nothing.
    fn open_modifiers(&mut self, written: &'a ast::TypeExpr, what: Declares) {
        let ty = match &written.kind {
            ast::TypeKind::Named(path) if path.args.is_none() => self.aside(|s| s.resolve(written)).0,
            _ => Types::ERROR,
        };
        self.check_modifiers(written, what, ty);
        self.check_type_modifiers(written, ty);
    }

    fn open_stmt(&mut self, s: &'a ast::Stmt, around: Around) {
        let in_loop = Around { in_loop: true, ..around };
        self.no_function_attrs(&s.attrs, "a statement");
        match &s.kind {
            S::Item(item) => {
                if let ast::ItemKind::Vars(decl) = &item.kind {
                    if !decl.declarators.is_empty() {
                        self.open_modifiers(&decl.ty, Declares::LOCAL);
                    }
                    self.open_class(decl);
                }
                self.check_vk_places(&s.attrs, At::Local);
            }
            S::Expr(_) => self.check_vk_places(&s.attrs, At::Nothing),
            S::Block(list) => list.iter().for_each(|s| self.open_stmt(s, around)),
            S::If(_, then, otherwise) => {
                self.branch_hint(&s.attrs);
                self.open_stmt(then, around);
                otherwise.iter().for_each(|s| self.open_stmt(s, around));
            }
            S::For { init, body, .. } => {
                init.iter().for_each(|s| self.open_stmt(s, around));
                self.open_loop_hint(&s.attrs);
                self.open_stmt(body, in_loop);
            }
            S::While(_, body) | S::Do(body, _) => {
                self.open_loop_hint(&s.attrs);
                self.open_stmt(body, in_loop);
            }
            S::Switch(_, list) => {
                self.branch_hint(&s.attrs);
                let inside = Around { in_switch: true, ..around };
                list.iter().for_each(|s| self.open_stmt(s, inside));
            }
            S::Break if !around.in_loop && !around.in_switch => {
                self.report(Code::MisplacedBreak, s.span, "`break` outside a loop or switch");
            }
            S::Continue if !around.in_loop => {
                self.report(Code::MisplacedContinue, s.span, "`continue` outside a loop");
            }
            _ => {}
        }
    }

    /// Checks the attributes of a loop, unless an argument may depend on those of the template.
    fn open_loop_hint(&mut self, attrs: &'a [ast::Attribute]) {
        let mut args = attrs.iter().flat_map(|a| &a.args);
        if args.all(|e| matches!(self.ast.expr(*e).kind, E::Number(_) | E::Str(_))) {
            self.loop_hint(attrs);
        }
    }
}
