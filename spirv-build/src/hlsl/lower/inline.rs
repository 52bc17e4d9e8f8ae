//! Functions that are lowered where they are called: those that return resources or assign to variables of resources that are not
//! their own. Which resource is meant is then known, or at least which ones.

use super::ErrorKind;
use super::function::{Body, CHOOSE, Local, Returning};
use super::holder::{Holder, Root};
use super::in_place::is_changed;
use crate::hlsl::hir::{
    self, Arg, ExprId, ExprKind, FunctionId, PlaceId, PlaceKind, Scalar, Stmt, StmtKind, Type as Hlsl,
};
use crate::ir::{Op, Opcode};
use crate::source::Span;
use rustc_hash::FxHashMap;

/// Calls of such functions.
pub const MAX_INLINED: u32 = 4096;

/// How statements that are lowered in place end.
enum Inlined {
    /// With a `return` of this.
    Returned(Option<Holder>),
    /// Their end is reached.
    GoesOn,
    /// It is not.
    Ended,
}

/// What is on one side of a branch.
enum Side<'h> {
    /// Statements, and those that follow the branch.
    Stmts(&'h [Stmt]),
    /// The end of the function, with a result.
    Returned(Option<Holder>),
}

/// Statements that follow others.
#[derive(Clone, Copy)]
struct Rest<'r, 'h> {
    stmts: &'h [Stmt],
    next: Option<&'r Rest<'r, 'h>>,
}

/// Whether a `return` is among statements.
fn returns(stmts: &[Stmt]) -> bool {
    let mut blocks = vec![stmts];
    while let Some(block) = blocks.pop() {
        for s in block {
            match &s.kind {
                StmtKind::Return(_) => return true,
                StmtKind::Block(b) => blocks.push(&b.stmts),
                StmtKind::Loop(l) => blocks.push(&l.body.stmts),
                StmtKind::If { then, otherwise, .. } => {
                    blocks.push(&then.stmts);
                    blocks.extend(otherwise.iter().map(|b| b.stmts.as_slice()));
                }
                StmtKind::Switch(s) => blocks.extend(s.cases.iter().map(|c| c.body.stmts.as_slice())),
                _ => {}
            }
        }
    }
    false
}

/// The statements of each case, if each ends on its own and is not left in its middle.
fn separate_cases(s: &hir::Switch) -> Option<Vec<&[Stmt]>> {
    let last = s.cases.len().checked_sub(1)?;
    let mut list = Vec::new();
    for (i, case) in s.cases.iter().enumerate() {
        let stmts = match case.body.stmts.as_slice() {
            [rest @ .., Stmt { kind: StmtKind::Break, .. }] => rest,
            all => all,
        };
        if case.falls_through && i != last || super::unroll::leaves(stmts, false) {
            return None;
        }
        list.push(stmts);
    }
    Some(list)
}

impl<'h> Body<'_, 'h> {
    /// Makes what static variables hold, in an entry point: all that uses them is lowered there.
    pub(super) fn init_statics(&mut self, id: FunctionId) {
        let hir = self.l.hir.module;
        if self.l.statics.is_empty() || hir.initializer == Some(id) && self.l.is_inlined(id) {
            return;
        }
        for g in self.l.statics.clone() {
            let holder = self.new_holder(hir.global(g).ty);
            self.statics.push(holder);
        }
        let Some(init) = hir.initializer.filter(|init| *init != id) else { return };
        if !self.l.is_inlined(init) {
            self.hold_statics(hir.function(init));
        } else if hir.entry_points.iter().any(|e| e.function == id) {
            self.inline_call(init, &[], self.span);
        } else {
            // What is changed is used in no such function.
            self.hold_statics(hir.function(init));
        }
    }

    /// What static variables hold that never change.
    fn hold_statics(&mut self, init: &'h hir::Function) {
        let outer = std::mem::replace(&mut self.f, init);
        for stmt in &init.body.stmts {
            if let StmtKind::Expr(e) = stmt.kind
                && let ExprKind::Assign { place, value } = init.expr(e).kind
                && let PlaceKind::Global(g) = init.place(place).kind
                && let Some(at) = self.l.statics.iter().position(|s| *s == g)
                && !is_changed(self.l.hir.module, g)
                && let ExprKind::Load(from) = init.expr(value).kind
                && let Some(held) = self.place_held(from)
            {
                self.statics[at] = held;
            }
        }
        self.f = outer;
    }

    /// A call of such a function. The result is what it returns.
    #[inline(never)]
    pub(super) fn inline_call(&mut self, callee: FunctionId, args: &'h [Arg], span: Span) -> Option<Holder> {
        if !self.l.enter(span) || !self.count_inlined(span) {
            self.l.leave();
            return None;
        }
        let f = self.l.hir.function(callee);
        let (mut locals, mut after, mut held_after) =
            (vec![Local::None; f.locals.len()], Vec::new(), Vec::new());
        let mut known = FxHashMap::default();
        let mut given = Vec::new();
        for (i, (param, arg)) in f.locals.iter().zip(args).enumerate() {
            let holds = self.l.types().contains_resource(param.ty);
            locals[i] = match arg {
                Arg::In(e) if holds => {
                    let holder = self.new_holder(param.ty);
                    given.extend(self.held(*e).map(|h| (i, h)));
                    Local::Holder(holder)
                }
                Arg::In(e) => {
                    if let (Some(c), false) = (self.known_value(*e, 0), param.written) {
                        known.insert(i as u32, c);
                    }
                    let value = self.expr(*e);
                    let ptr = self.local_variable(param.ty, &param.name);
                    self.b().store(ptr, value);
                    Local::Variable(ptr)
                }
                Arg::Out { place, .. } | Arg::InOut { place, .. } if holds => {
                    let holder = self.new_holder(param.ty);
                    if let (Arg::InOut { .. }, Some(held)) = (arg, self.place_held(*place)) {
                        given.push((i, held));
                    }
                    if param.written {
                        held_after.push((i, *place));
                    }
                    Local::Holder(holder)
                }
                Arg::Out { place, copy_out } => {
                    Local::Variable(self.out_argument(param, *place, None, *copy_out, &mut after))
                }
                Arg::InOut { place, copy_in, copy_out } => {
                    Local::Variable(self.out_argument(param, *place, Some(*copy_in), *copy_out, &mut after))
                }
                Arg::Ref(place) if !holds => match (self.f.place(*place).kind.clone(), self.path(*place)) {
                    (_, Some(path)) => Local::Path(path),
                    (PlaceKind::Local(l), None) if matches!(self.locals[l.index()], Local::Variable(_)) => {
                        self.locals[l.index()].clone()
                    }
                    _ if matches!(self.l.hlsl(param.ty), Hlsl::RayQuery(_)) => {
                        Local::Variable(self.ray_query(*place, param))
                    }
                    _ => Local::Variable(self.object_argument(param, *place, &mut after)),
                },
                Arg::Ref(place) => match (self.place_held(*place), self.path(*place)) {
                    (_, Some(path)) => Local::Path(path),
                    (Some(held), None) => {
                        if param.written && self.holder_path(*place).is_some() {
                            held_after.push((i, *place));
                        }
                        Local::Holder(held)
                    }
                    _ => {
                        self.l.unsupported(span, "this object of a method that returns a resource", CHOOSE);
                        self.l.leave();
                        return None;
                    }
                },
            };
        }
        let (precision, holding) = (self.l.precision(f), self.l.holding(f));
        self.l.frames += 1;
        let frame = self.l.frames;
        let outer = (
            std::mem::replace(&mut self.f, f),
            std::mem::replace(&mut self.locals, locals),
            std::mem::replace(&mut self.holding, holding),
            std::mem::take(&mut self.breakables),
            std::mem::replace(&mut self.inlining, true),
            std::mem::replace(&mut self.known, known),
            std::mem::replace(&mut self.precision, precision),
            std::mem::replace(&mut self.frame, frame),
            std::mem::take(&mut self.pinned),
            self.returning.take(),
        );
        let numbers = self.follow_numbers();
        for (i, held) in given {
            self.hold_in(Root::Local(i), &[], held);
        }
        let result = match self.inline_stmts(&f.body.stmts, None) {
            Inlined::Returned(held) => held,
            _ => None,
        };
        let left: Vec<(Holder, PlaceId)> = held_after
            .into_iter()
            .filter_map(|(i, place)| match &self.locals[i] {
                Local::Holder(h) => Some((h.clone(), place)),
                _ => None,
            })
            .collect();
        (
            self.f,
            self.locals,
            self.holding,
            self.breakables,
            self.inlining,
            self.known,
            self.precision,
            self.frame,
            self.pinned,
            self.returning,
        ) = outer;
        self.numbers = numbers;
        self.span = span;
        for (held, place) in left {
            self.put(place, held);
        }
        self.copy_out(after);
        self.l.leave();
        result
    }

    fn count_inlined(&mut self, span: Span) -> bool {
        self.l.inlined += 1;
        if self.l.inlined > MAX_INLINED {
            let help = "fewer calls of functions that return resources";
            self.l.error(ErrorKind::TooMany, span, "too many functions return resources", help);
        }
        self.l.inlined <= MAX_INLINED
    }

    /// Statements of a function that is lowered in place, up to the `return` that ends it, and those that follow them.
    fn inline_stmts(&mut self, stmts: &'h [Stmt], next: Option<&Rest<'_, 'h>>) -> Inlined {
        for (i, stmt) in stmts.iter().enumerate() {
            let before = i.checked_sub(1).map(|i| &stmts[i]);
            // From a round of an unrolled loop no `return` could be followed.
            let returns_inside = returns(std::slice::from_ref(stmt));
            if !returns_inside && let Some(goes_on) = self.unrolled(before, stmt) {
                match goes_on {
                    true => continue,
                    false => return Inlined::Ended,
                }
            }
            let rest = Rest { stmts: &stmts[i + 1..], next };
            let branches = match &stmt.kind {
                StmtKind::Return(value) => {
                    self.span = stmt.span;
                    return Inlined::Returned(value.and_then(|e| self.returned(e)));
                }
                StmtKind::Block(block) => return self.go_on(&block.stmts, &rest, stmt.span),
                StmtKind::If { cond, then, otherwise, .. } => {
                    let otherwise = otherwise.as_ref().map_or(&[][..], |b| &b.stmts);
                    match self.known_condition(*cond) {
                        Some(true) => return self.go_on(&then.stmts, &rest, stmt.span),
                        Some(false) => return self.go_on(otherwise, &rest, stmt.span),
                        None => returns(&then.stmts) || returns(otherwise),
                    }
                }
                StmtKind::Switch(s) if separate_cases(s).is_some() => {
                    s.cases.iter().any(|c| returns(&c.body.stmts))
                }
                StmtKind::Loop(_) | StmtKind::Switch(_) if returns_inside => {
                    return self.inline_returning(stmt, &rest);
                }
                _ => false,
            };
            if branches {
                return self.inline_branches(stmt, &rest);
            }
            if !self.stmt(stmt) {
                return Inlined::Ended;
            }
        }
        match next {
            Some(rest) => self.inline_stmts(rest.stmts, rest.next),
            None => Inlined::GoesOn,
        }
    }

    /// Statements and then those that follow.
    fn go_on(&mut self, stmts: &'h [Stmt], rest: &Rest<'_, 'h>, span: Span) -> Inlined {
        if !self.l.enter(span) {
            self.l.leave();
            self.b().push(Op::Unreachable, &[]);
            return Inlined::Ended;
        }
        let ended = self.inline_stmts(stmts, Some(rest));
        self.l.leave();
        ended
    }

    /// What `return` gives.
    fn returned(&mut self, e: ExprId) -> Option<Holder> {
        let ty = self.f.expr(e).ty;
        if self.l.types().contains_resource(ty) {
            return self.held(e);
        }
        if self.l.hlsl(ty) == Hlsl::Void {
            self.effect(e);
            return None;
        }
        let value = self.expr(e);
        let ptr = self.variable(ty, "");
        self.b().store(ptr, value);
        Some(Holder::Variable(ptr))
    }

    /// A branch with a `return` in it: each side goes on to the end of the function.
    #[inline(never)]
    fn inline_branches(&mut self, stmt: &'h Stmt, rest: &Rest<'_, 'h>) -> Inlined {
        if !self.count_inlined(stmt.span) {
            self.b().push(Op::Unreachable, &[]);
            return Inlined::Ended;
        }
        self.span = stmt.span;
        let sides: Vec<(crate::ir::Block, &'h [Stmt])> = match &stmt.kind {
            StmtKind::If { cond, then, otherwise, hint } => {
                let cond = self.expr(*cond);
                self.span = stmt.span;
                let (inst, then_block, else_block) = self.b().selection(cond, &[]);
                self.func.insts[inst].control = super::stmt::branch_control(*hint);
                let otherwise = otherwise.as_ref().map_or(&[][..], |b| &b.stmts);
                vec![(then_block, &then.stmts), (else_block, otherwise)]
            }
            StmtKind::Switch(s) => {
                let value = self.expr(s.value);
                self.span = stmt.span;
                let (labels, regions, default) = super::stmt::labels(s);
                let (inst, blocks) = self.b().switch(value, &labels, regions.len(), &[]);
                self.func.insts[inst].control = super::stmt::branch_control(s.hint);
                let bodies = separate_cases(s).unwrap_or_default();
                let body = |case: Option<usize>| case.and_then(|i| bodies.get(i).copied()).unwrap_or(&[]);
                let cases = std::iter::once(default).chain(regions.into_iter().map(Some));
                blocks.into_iter().zip(cases).map(|(block, case)| (block, body(case))).collect()
            }
            _ => return Inlined::GoesOn,
        };
        let sides = sides.into_iter().map(|(block, stmts)| (block, Side::Stmts(stmts))).collect();
        self.inline_sides(sides, rest, stmt.span)
    }

    /// A loop or switch with a `return` in it: behind it, that ends the function, or what follows goes on.
    #[inline(never)]
    fn inline_returning(&mut self, stmt: &'h Stmt, rest: &Rest<'_, 'h>) -> Inlined {
        let bool_type = self.l.scalar_type(Scalar::Bool);
        let flag = self.b().variable(bool_type, None);
        let no = self.b().bool(false);
        self.b().store(flag, no);
        let root = self.new_root();
        let template = match self.l.hlsl(self.f.ret) {
            Hlsl::Void => Holder::Unset,
            _ => self.new_holder(self.f.ret),
        };
        self.returning = Some(Returning { flag, root, template, held: Vec::new() });
        let goes_on = self.stmt(stmt);
        let held = self.returning.take().map_or(Vec::new(), |r| r.held);
        if !goes_on || !self.count_inlined(stmt.span) {
            if goes_on {
                self.b().push(Op::Unreachable, &[]);
            }
            return Inlined::Ended;
        }
        self.span = stmt.span;
        let held = (!held.is_empty()).then(|| self.met(root, held, &Holder::Unset));
        let returned = self.b().load(flag);
        let (_, then_block, else_block) = self.b().selection(returned, &[]);
        let sides = vec![(then_block, Side::Returned(held)), (else_block, Side::Stmts(&[]))];
        self.inline_sides(sides, rest, stmt.span)
    }

    /// A `return` inside a loop or switch: it is noted, and the innermost of them is left.
    pub(super) fn return_inside(&mut self, value: Option<ExprId>, span: Span) {
        if self.returning.is_none() || self.breakables.is_empty() {
            self.l.internal(span, "a `return` of a function that is lowered in place is followed nowhere");
            self.b().push(Op::Unreachable, &[]);
            return;
        }
        let held = value.and_then(|e| self.returned(e));
        if let (Some(r), Some(held)) = (&self.returning, held) {
            let (root, template) = (r.root, r.template.clone());
            let kept = self.keep_in(root, &template, held);
            self.returning.iter_mut().for_each(|r| r.held.push(kept.clone()));
        }
        self.span = span;
        if let Some(flag) = self.returning.as_ref().map(|r| r.flag) {
            let yes = self.b().bool(true);
            self.b().store(flag, yes);
        }
        self.leave_innermost();
    }

    fn leave_innermost(&mut self) {
        let holders = self.holders();
        if let Some(inner) = self.breakables.last_mut() {
            inner.broken = true;
            inner.exits.push(holders);
        }
        self.b().push(Opcode::Break, &[]);
    }

    /// Behind a loop or switch in another: the other is left as well if a `return` left this one.
    pub(super) fn go_on_returning(&mut self, stmt: &Stmt) -> bool {
        let Some(flag) = self.returning.as_ref().map(|r| r.flag) else { return true };
        if self.breakables.is_empty() || !returns(std::slice::from_ref(stmt)) {
            return true;
        }
        self.span = stmt.span;
        let returned = self.b().load(flag);
        let (_, then_block, else_block) = self.b().selection(returned, &[]);
        let after = self.block;
        self.block = then_block;
        self.leave_innermost();
        self.block = else_block;
        self.b().push(Opcode::Merge, &[]);
        self.block = after;
        true
    }

    /// Branches that each end the function.
    fn inline_sides(
        &mut self,
        sides: Vec<(crate::ir::Block, Side<'h>)>,
        rest: &Rest<'_, 'h>,
        span: Span,
    ) -> Inlined {
        let after = self.block;
        let before = self.holders();
        let root = self.new_root();
        let template = match self.l.hlsl(self.f.ret) {
            Hlsl::Void => Holder::Unset,
            _ => self.new_holder(self.f.ret),
        };
        let (mut ways, mut results) = (Vec::new(), Vec::new());
        for (block, side) in sides {
            self.block = block;
            self.set_holders(&before);
            let ended = match side {
                Side::Stmts(stmts) => self.go_on(stmts, rest, span),
                Side::Returned(held) => Inlined::Returned(held),
            };
            match ended {
                Inlined::Returned(Some(held)) => results.push(self.keep_in(root, &template, held)),
                Inlined::Returned(None) | Inlined::GoesOn => {}
                Inlined::Ended => continue,
            }
            self.b().push(Opcode::Merge, &[]);
            ways.push(self.holders());
        }
        self.meet(&before, &ways);
        self.block = after;
        if ways.is_empty() {
            self.b().push(Op::Unreachable, &[]);
            return Inlined::Ended;
        }
        let result = (!results.is_empty()).then(|| self.met(root, results, &Holder::Unset));
        Inlined::Returned(result)
    }
}
