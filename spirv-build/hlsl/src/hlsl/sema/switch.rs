//! `switch`. Labels may stand in blocks inside it, as far as these hold statements alone: such blocks are taken apart, and only
//! scope their names.

use super::scope::ScopeKind;
use super::{Sema, flow, fold};
use crate::diag::Code;
use crate::hlsl::ast;
use crate::hlsl::ast::StmtKind as S;
use crate::hlsl::hir::{
    BinaryOp, Block, BranchHint, Case, Const, ExprId, ExprKind, LocalId, Scalar, Stmt, StmtKind, Switch,
    Type, TypeId,
};
use crate::source::Span;
use rustc_hash::FxHashMap;

/// A switch as far as it was read.
struct Parts {
    /// Type of the value.
    ty: TypeId,
    /// Type of the labels.
    to: Scalar,
    cases: Vec<Case>,
    /// Variables that are declared before the first label.
    before: Vec<Stmt>,
    seen: FxHashMap<Option<i64>, Span>,
}

/// Whether a block has labels of the switch around it.
fn has_labels(list: &[ast::Stmt]) -> bool {
    list.iter().any(|s| match &s.kind {
        S::Case(_) | S::Default => true,
        S::Block(inner) => has_labels(inner),
        _ => false,
    })
}

impl<'a> Sema<'a> {
    pub(super) fn switch(
        &mut self,
        value: ast::ExprId,
        body: &'a [ast::Stmt],
        attrs: &'a [ast::Attribute],
        span: Span,
    ) -> Option<StmtKind> {
        let value = self.rvalue(value);
        let ty = self.ty(value);
        let scalar = match self.types.get(ty) {
            Type::Scalar(s) if s.is_float() => Some(Scalar::I32),
            Type::Scalar(s) => Some(s),
            Type::Enum(e) => Some(self.types.enumeration(e).scalar),
            Type::Error => None,
            _ => {
                let (name, at) = (self.type_name(ty), self.span(value));
                self.report(Code::BadSwitch, at, format!("cannot switch on `{name}`"))
                    .label("not an integer");
                None
            }
        };
        let to = match scalar {
            Some(s) if s.bits() == 64 && s != Scalar::LitInt => s,
            Some(s) if s.is_unsigned_int() => Scalar::U32,
            _ => Scalar::I32,
        };
        let value = if scalar.is_some() {
            let value = match self.types.get(ty) {
                Type::Enum(_) => self.cast_components(value, scalar.unwrap_or(to)),
                _ => value,
            };
            self.cast_components(value, to)
        } else {
            value
        };
        let hint = self.branch_hint(attrs);
        let inner = self.scopes.child(self.scope, ScopeKind::Block);
        let outer = std::mem::replace(&mut self.scope, inner);
        self.f.breakables += 1;
        let mut parts = Parts { ty, to, cases: Vec::new(), before: Vec::new(), seen: FxHashMap::default() };
        self.switch_body(body, &mut parts, &mut Vec::new());
        let Parts { mut cases, mut before, .. } = parts;
        self.f.breakables -= 1;
        self.scope = outer;
        for case in &mut cases {
            case.falls_through = flow::completes(&case.body, &self.f.exprs);
        }
        let kind = match to.bits() {
            64 => self.switch_by_number(value, cases, hint),
            _ => StmtKind::Switch(Switch { value, cases, hint }),
        };
        if before.is_empty() {
            return Some(kind);
        }
        before.push(Stmt { kind, span });
        Some(StmtKind::Block(Block { stmts: before }))
    }

    /// The statements of a switch, or of a block in one that has labels, too. `initialised`: variables that a label from here on
    /// would skip the initial value of.
    fn switch_body(&mut self, body: &'a [ast::Stmt], parts: &mut Parts, initialised: &mut Vec<LocalId>) {
        for (i, s) in body.iter().enumerate() {
            match &s.kind {
                S::Case(_) | S::Default => {
                    self.switch_label(s, parts, initialised);
                    if i + 1 == body.len() {
                        self.report(Code::BadSwitch, s.span, "a label without a statement")
                            .label("nothing follows")
                            .help("write `break;` behind it");
                    }
                }
                S::Block(list) if has_labels(list) => {
                    let inner = self.scopes.child(self.scope, ScopeKind::Block);
                    let outer = std::mem::replace(&mut self.scope, inner);
                    let count = initialised.len();
                    self.switch_body(list, parts, initialised);
                    initialised.truncate(count);
                    self.scope = outer;
                }
                S::Empty => {}
                _ => {
                    let mut list = Vec::new();
                    self.stmt(s, &mut list);
                    let value = |s: &Stmt| match s.kind {
                        StmtKind::Local { local, init: Some(_) } => Some(local),
                        _ => None,
                    };
                    initialised.extend(list.iter().filter_map(value));
                    let declares = |s: &Stmt| matches!(s.kind, StmtKind::Local { init: None, .. });
                    match parts.cases.last_mut() {
                        Some(case) => case.body.stmts.append(&mut list),
                        // Nothing runs here, but what is declared is there.
                        None if list.iter().all(declares) => parts.before.append(&mut list),
                        None => {
                            self.report(Code::BadSwitch, s.span, "a statement before the first `case`");
                        }
                    }
                }
            }
        }
    }

    fn switch_label(&mut self, s: &'a ast::Stmt, parts: &mut Parts, initialised: &[LocalId]) {
        let label = match &s.kind {
            S::Case(e) => {
                let Some(v) = self.case_label(*e, parts.ty, parts.to) else {
                    // What follows is of this case.
                    parts.cases.push(Case::at(s.span));
                    return;
                };
                Some(v)
            }
            _ => None,
        };
        if let Some(first) = initialised.first() {
            let local = &self.f.locals[first.index()];
            let (what, at) = (format!("this label skips the initial value of `{}`", local.name), local.span);
            self.report(Code::BadSwitch, s.span, what).secondary(at, "given here").help(
                "put the statements of the case above into `{ }`, or assign the value after the declaration",
            );
        }
        if let Some(&first) = parts.seen.get(&label) {
            let what = label.map_or("default".into(), |v| format!("case {v}"));
            self.report(Code::DuplicateCase, s.span, format!("`{what}` occurs twice"))
                .secondary(first, "first here");
            return;
        }
        parts.seen.insert(label, s.span);
        if parts.cases.last().is_none_or(|c| !c.body.stmts.is_empty()) {
            parts.cases.push(Case::at(s.span));
        }
        if let Some(case) = parts.cases.last_mut() {
            match label {
                Some(v) => case.labels.push(v),
                None => case.is_default = true,
            }
        }
    }

    /// A switch on 64 bits, as one on the number of the label that the value is equal to.
    fn switch_by_number(
        &mut self,
        value: ExprId,
        mut cases: Vec<Case>,
        hint: Option<BranchHint>,
    ) -> StmtKind {
        let (ty, span) = (self.ty(value), self.span(value));
        let (int, bool) = (self.scalar_ty(Scalar::I32), self.scalar_ty(Scalar::Bool));
        let (whole, number) = (self.temp(ty, span), self.temp(int, span));
        let none = self.constant(Const::Int(-1), int, span);
        let stmt = |kind| Stmt { kind, span };
        let mut stmts = vec![
            stmt(StmtKind::Local { local: whole, init: Some(value) }),
            stmt(StmtKind::Local { local: number, init: Some(none) }),
        ];
        let labels = cases.iter_mut().flat_map(|c| c.labels.iter_mut());
        for (n, label) in (0..).zip(labels) {
            let place = self.local_place(whole, span);
            let read = self.node(ExprKind::Load(place), ty, span);
            let wanted = self.constant(Const::Int(std::mem::replace(label, n)), ty, span);
            let cond = self.node(ExprKind::Binary(BinaryOp::Eq, read, wanted), bool, span);
            let place = self.local_place(number, span);
            let value = self.constant(Const::Int(n), int, span);
            let assign = self.node(ExprKind::Assign { place, value }, int, span);
            let then = Block { stmts: vec![stmt(StmtKind::Expr(assign))] };
            stmts.push(stmt(StmtKind::If { cond, then, otherwise: None, hint: None }));
        }
        let place = self.local_place(number, span);
        let value = self.node(ExprKind::Load(place), int, span);
        stmts.push(stmt(StmtKind::Switch(Switch { value, cases, hint })));
        StmtKind::Block(Block { stmts })
    }

    fn case_label(&mut self, e: ast::ExprId, switch_ty: TypeId, to: Scalar) -> Option<i64> {
        let value = self.rvalue(e);
        let ty = self.ty(value);
        if self.is_error(ty) {
            return None;
        }
        if self.types.component(ty).is_none_or(|s| s.is_float()) {
            let (name, at) = (self.type_name(ty), self.span(value));
            self.report(Code::NotConstant, at, format!("a case label must be an integer, not `{name}`"));
            return None;
        }
        // An integer is no enumeration, and a scoped enumeration no integer.
        let scoped = matches!(self.types.get(ty), Type::Enum(e) if self.types.enumeration(e).scoped);
        if ty != switch_ty && (scoped || matches!(self.types.get(switch_ty), Type::Enum(_))) {
            let (a, b, at) = (self.type_name(ty), self.type_name(switch_ty), self.span(value));
            self.report(Code::TypeMismatch, at, format!("label of type `{a}` in a switch on `{b}`"))
                .label(format!("this is `{a}`"))
                .help(format!("write a value of `{b}`, or a cast"));
            return None;
        }
        let v = self.int_value(value, "a case label")?;
        Some(fold::wrap(v, to))
    }
}
