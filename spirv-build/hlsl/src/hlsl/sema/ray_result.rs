//! Functions that return a ray query. It is an object of the variable that it is in, which cannot be copied; so such a function
//! gets a last parameter that nobody writes, the caller's variable, and what it returns is that variable under another name.
use super::scope::Entity;
use super::{Sema, Val};
use crate::hlsl::ast;
use crate::hlsl::ast::{ExprKind as E, StmtKind as S};
use crate::hlsl::hir::{
    Arg, ExprId, ExprKind, Local, LocalId, ParamMode, PlaceId, PlaceKind, Stmt, StmtKind, Type, TypeId, Types,
};
use crate::source::{Span, Symbol};

/// What a function that returns a ray query returns it in.
#[derive(Clone, Copy)]
pub(super) struct RayResult {
    /// The parameter that stands for the caller's variable.
    param: LocalId,
    /// The variable of the source that this parameter is, until it is declared.
    name: Option<Symbol>,
}

impl<'a> Sema<'a> {
    /// The parameter for the result of a function with this body, after all others.
    pub(super) fn ray_result(&mut self, ret: TypeId, stmts: &'a [ast::Stmt], span: Span) {
        let Type::RayQuery(_) = self.types.get(ret) else { return };
        let param = self.ray_variable(ret, Some(ParamMode::Ref), span);
        let mut names = Vec::new();
        self.returned_names(stmts, &mut names);
        // With several, none of them can be the caller's all the time.
        let same = names.iter().all(|n| Some(n) == names.first());
        let name = names.first().copied().flatten().filter(|_| same);
        self.f.ray_result = Some(RayResult { param, name });
    }

    /// The variables that `return` statements name; `None` for any that returns something else.
    fn returned_names(&self, stmts: &'a [ast::Stmt], names: &mut Vec<Option<Symbol>>) {
        for s in stmts {
            match &s.kind {
                S::Return(Some(e)) => names.push(match &self.ast.expr(*e).kind {
                    E::Path(path) => Some(self.ast.path(*path).last().text),
                    _ => None,
                }),
                S::Block(list) | S::Switch(_, list) => self.returned_names(list, names),
                S::If(_, then, otherwise) => {
                    self.returned_names(std::slice::from_ref(then), names);
                    if let Some(otherwise) = otherwise {
                        self.returned_names(std::slice::from_ref(otherwise), names);
                    }
                }
                S::For { body, .. } | S::While(_, body) | S::Do(body, _) => {
                    self.returned_names(std::slice::from_ref(body), names);
                }
                _ => {}
            }
        }
    }

    fn ray_variable(&mut self, ty: TypeId, mode: Option<ParamMode>, span: Span) -> LocalId {
        let local = LocalId(self.f.locals.len() as u32);
        self.f.locals.push(Local { written: true, ..Local::new("$query".into(), ty, mode, span) });
        local
    }

    /// The argument for the result of a call, and the variable that it is.
    pub(super) fn ray_argument(&mut self, ret: TypeId, span: Span) -> PlaceId {
        let local = self.ray_variable(ret, None, span);
        self.local_place(local, span)
    }

    /// The variable that a call which was just made leaves its ray query in.
    pub(super) fn ray_of_call(&self, v: Val) -> Option<(ExprId, PlaceId)> {
        let Val::Place(p) = v else { return None };
        let PlaceKind::After(call, of) = self.f.places[p.index()].kind else { return None };
        let is_query = matches!(self.types.get(self.f.places[of.index()].ty), Type::RayQuery(_));
        let is_call = matches!(self.f.exprs[call.index()].kind, ExprKind::Call(..));
        (is_query && is_call).then_some((call, of))
    }

    /// `RayQuery<…> q;` or `RayQuery<…> q = f(…);`: what the variable is, if not one of its own.
    pub(super) fn ray_local(&mut self, d: &'a ast::Declarator, ty: TypeId, out: &mut Vec<Stmt>) -> bool {
        if !matches!(self.types.get(ty), Type::RayQuery(_)) {
            return false;
        }
        let init = d.init.filter(|&e| !self.makes_ray_query(e, ty));
        let is_result =
            self.f.ray_result.is_some_and(|r| r.name == Some(d.name.text)) && self.f.ret == Some(ty);
        let call = match init {
            Some(e) if matches!(self.ast.expr(e).kind, E::Call(..)) => {
                let v = self.expr(e);
                let Some(found) = self.ray_of_call(v).filter(|_| self.val_ty(v) == ty) else {
                    // What is wrong with it is told like that of any other value.
                    self.implicit(v, ty, "the variable").ok();
                    self.declare_ray(d, ty);
                    return true;
                };
                Some(found)
            }
            None if is_result => None,
            _ => return false,
        };
        let mut local = call.map(|(_, place)| place);
        if is_result && let Some(result) = &mut self.f.ray_result {
            result.name = None;
            let param = result.param;
            local = Some(self.local_place(param, d.name.span));
        }
        if let Some(place) = local
            && let PlaceKind::Local(local) = self.f.places[place.index()].kind
        {
            self.declare(d.name, Entity::Local(local));
        }
        if let (Some((call, _)), Some(place)) = (call, local) {
            self.call_into(call, place);
            out.push(Stmt { kind: StmtKind::Expr(call), span: d.name.span });
        }
        true
    }

    fn declare_ray(&mut self, d: &ast::Declarator, ty: TypeId) {
        let local = self.ray_variable(ty, None, d.name.span);
        self.declare(d.name, Entity::Local(local));
    }

    /// Makes a call leave its ray query in another variable.
    fn call_into(&mut self, call: ExprId, place: PlaceId) {
        if let ExprKind::Call(_, args) = &mut self.f.exprs[call.index()].kind
            && let Some(last) = args.last_mut()
        {
            *last = Arg::Ref(place);
        }
    }

    /// `return q;` or `return f(…);` of a function that returns a ray query; `None` if it is of another function.
    pub(super) fn return_ray(
        &mut self,
        value: ast::ExprId,
        span: Span,
        out: &mut Vec<Stmt>,
    ) -> Option<StmtKind> {
        let RayResult { param, .. } = self.f.ray_result?;
        let v = self.expr(value);
        if Some(self.val_ty(v)) == self.f.ret {
            if let Some((call, _)) = self.ray_of_call(v) {
                let place = self.local_place(param, span);
                self.call_into(call, place);
                out.push(Stmt { kind: StmtKind::Expr(call), span });
                return Some(StmtKind::Return(None));
            }
            if let Val::Place(p) = v
                && let PlaceKind::Local(local) = self.f.places[p.index()].kind
                && local == param
            {
                return Some(StmtKind::Return(None));
            }
        }
        let ret = self.f.ret.unwrap_or(Types::VOID);
        self.implicit(v, ret, "the result of this function").ok();
        Some(StmtKind::Return(None))
    }
}
