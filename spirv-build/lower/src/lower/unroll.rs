//! Loops that are unrolled, because what a variable of resources holds may change from round to round, or because something is used
//! that must be constant: the offset of a sample, or the argument by which a function chooses a resource.
//!
//! Where such variables are about, or such samples, an `[unroll]` loop whose rounds can be counted is lowered round by round: its
//! variable is a known number in each.

use super::function::{Body, Local};
use crate::hlsl::hir::{
    self, BinaryOp, Const, ExprId, ExprKind, LocalId, LoopHint, PlaceKind, Scalar, Stmt, StmtKind,
    Type as Hlsl,
};

/// Most rounds of a loop that is unrolled here.
const MAX_ROUNDS: usize = 256;
/// Most rounds of all such loops of a program, those in others counted in each of their rounds.
const MAX_ALL_ROUNDS: usize = 4096;

impl<'h> Body<'_, 'h> {
    /// Lowers a statement round by round if it is such a loop. `before` is the statement in front of it. The result is that of
    /// [`Body::stmt`].
    pub(super) fn unrolled(&mut self, before: Option<&'h Stmt>, stmt: &'h Stmt) -> Option<bool> {
        let StmtKind::Loop(l) = &stmt.kind else { return None };
        if !matches!(l.hint, Some(LoopHint::Unroll(_))) || l.test_after || leaves(&l.body.stmts, true) {
            return None;
        }
        let before = before?;
        // An array is assigned its elements where it is declared.
        let types = self.l.hir.types;
        let varies = |l: &hir::Local| l.written || matches!(types.get(l.ty), Hlsl::Array(..));
        let chosen = |l: &hir::Local| varies(l) && types.contains_resource(l.ty);
        if !self.f.locals.iter().any(chosen) && !self.wants_numbers(before, l) {
            return None;
        }
        let (local, first) = self.start(before)?;
        let set = if let StmtKind::Expr(e) = before.kind { Some(e) } else { None };
        if self.is_written(local, [set, l.step]) {
            return None;
        }
        let Local::Variable(ptr) = self.locals[local.index()] else { return None };
        let rounds = self.rounds(l, local, first)?;
        self.l.unrolled += rounds.len();
        if self.l.unrolled > MAX_ALL_ROUNDS {
            return None;
        }
        let key = local.index() as u32;
        let outer = self.known.remove(&key);
        let ty = self.l.value_type(self.f.local(local).ty);
        let mut goes_on = true;
        // The last of them is what the variable holds behind the loop.
        for (i, n) in rounds.iter().enumerate() {
            self.span = stmt.span;
            let value = self.bits(ty, u64::from(*n as u32));
            self.b().store(ptr, value);
            self.number(local, Some(Const::Int(*n)));
            if i + 1 < rounds.len() {
                self.known.insert(key, Const::Int(*n));
                goes_on = self.stmts(&l.body);
                self.known.remove(&key);
            }
            if !goes_on {
                break;
            }
        }
        self.known.extend(outer.map(|c| (key, c)));
        Some(goes_on)
    }

    /// Whether textures are sampled in a loop, or in a function that is called there, with offsets that are not constant yet, or a
    /// function is called that chooses a resource.
    fn wants_numbers(&self, before: &Stmt, l: &hir::Loop) -> bool {
        // The expressions of a loop stand together, behind those of the statement in front of it.
        let first = match &before.kind {
            StmtKind::Local { init: Some(e), .. } | StmtKind::Expr(e) => e.index() + 1,
            _ => return false,
        };
        let last = last_expr(&l.body.stmts).max(l.step.map_or(0, |e| e.index()));
        let Some(own) = self.f.exprs.get(first..=last.max(first)) else { return false };
        let hir = self.l.hir;
        let returns_resource = |f| hir.types.contains_resource(hir.function(f).ret);
        let mut seen = vec![false; hir.module.functions.len()];
        let mut stack = vec![(self.f, own)];
        while let Some((f, exprs)) = stack.pop() {
            for e in exprs {
                match &e.kind {
                    ExprKind::Sample(s)
                        if s.offsets.iter().any(|o| !matches!(f.expr(*o).kind, ExprKind::Const(_))) =>
                    {
                        return true;
                    }
                    ExprKind::Call(callee, _) if returns_resource(*callee) => return true,
                    ExprKind::Call(callee, _) if !std::mem::replace(&mut seen[callee.index()], true) => {
                        let f = self.l.hir.function(*callee);
                        stack.push((f, &f.exprs));
                    }
                    _ => {}
                }
            }
        }
        false
    }

    /// The variable that a statement gives a known number.
    fn start(&self, before: &Stmt) -> Option<(LocalId, i64)> {
        let (local, value) = match &before.kind {
            StmtKind::Local { local, init } => (*local, (*init)?),
            StmtKind::Expr(e) => match &self.f.expr(*e).kind {
                ExprKind::Assign { place, value } => match self.f.place(*place).kind {
                    PlaceKind::Local(local) => (local, *value),
                    _ => return None,
                },
                _ => return None,
            },
            _ => return None,
        };
        let is_int = matches!(self.l.hlsl(self.f.local(local).ty), Hlsl::Scalar(Scalar::I32 | Scalar::U32));
        match self.known_value(value, 0)? {
            Const::Int(n) if is_int => Some((local, n)),
            _ => None,
        }
    }

    /// The number in each round, and the one that ends the loop.
    fn rounds(&mut self, l: &hir::Loop, local: LocalId, first: i64) -> Option<Vec<i64>> {
        let (cond, step) = (l.cond?, l.step?);
        let key = local.index() as u32;
        let outer = self.known.remove(&key);
        let mut list = Vec::new();
        let mut next = Some(first);
        let mut whole = false;
        while let Some(n) = next
            && list.len() <= MAX_ROUNDS
        {
            list.push(n);
            self.known.insert(key, Const::Int(n));
            match self.known_condition(cond) {
                Some(true) => next = self.stepped(&self.f.expr(step).kind, local, n),
                Some(false) => {
                    whole = true;
                    break;
                }
                None => break,
            }
        }
        self.known.remove(&key);
        self.known.extend(outer.map(|c| (key, c)));
        whole.then_some(list)
    }

    /// What a loop's step makes of the number `now`.
    pub(super) fn stepped(&self, step: &ExprKind, local: LocalId, now: i64) -> Option<i64> {
        let ExprKind::Update { place, operand, value, .. } = step else { return None };
        if !matches!(self.f.place(*place).kind, PlaceKind::Local(l) if l == local) {
            return None;
        }
        let ExprKind::Binary(op, a, b) = &self.f.expr(*value).kind else { return None };
        if !matches!(self.f.expr(*a).kind, ExprKind::Current) {
            return None;
        }
        let by = match self.f.expr(*b).kind {
            ExprKind::Operand => (*operand)?,
            _ => *b,
        };
        let Const::Int(by) = self.known_value(by, 0)? else { return None };
        let signed = self.l.hlsl(self.f.local(local).ty) == Hlsl::Scalar(Scalar::I32);
        integer(*op, now, by, signed)
    }

    /// Whether anything but `except` writes a variable.
    fn is_written(&self, local: LocalId, except: [Option<ExprId>; 2]) -> bool {
        let writes = |e: &hir::Expr| {
            let mut found = false;
            super::numbers::written(self.f, &e.kind, &mut |l, _| found |= l == local);
            found
        };
        let all = self.f.exprs.iter().enumerate();
        all.filter(|(i, _)| except.iter().flatten().all(|e| e.index() != *i)).any(|(_, e)| writes(e))
    }
}

/// Arithmetic on 32-bit integers; `None` if it has no defined result.
pub(super) fn integer(op: BinaryOp, a: i64, b: i64, signed: bool) -> Option<i64> {
    let (x, y) = (a as i32, b as i32);
    let (ux, uy) = (x as u32, y as u32);
    let result = match op {
        BinaryOp::Add => x.wrapping_add(y),
        BinaryOp::Sub => x.wrapping_sub(y),
        BinaryOp::Mul => x.wrapping_mul(y),
        BinaryOp::Div if signed => x.checked_div(y)?,
        BinaryOp::Div => ux.checked_div(uy)? as i32,
        BinaryOp::Rem if signed => x.checked_rem(y)?,
        BinaryOp::Rem => ux.checked_rem(uy)? as i32,
        BinaryOp::BitAnd => x & y,
        BinaryOp::BitOr => x | y,
        BinaryOp::BitXor => x ^ y,
        BinaryOp::Shl => x.wrapping_shl(uy),
        BinaryOp::Shr if signed => x.wrapping_shr(uy),
        BinaryOp::Shr => ux.wrapping_shr(uy) as i32,
        _ => return None,
    };
    Some(if signed { i64::from(result) } else { i64::from(result as u32) })
}

/// The last expression of statements, as their function numbers them.
fn last_expr(stmts: &[Stmt]) -> usize {
    let (mut last, mut blocks) = (0, vec![stmts]);
    let note = |e: Option<ExprId>, last: &mut usize| *last = (*last).max(e.map_or(0, |e| e.index()));
    while let Some(block) = blocks.pop() {
        for s in block {
            match &s.kind {
                StmtKind::Expr(e) => note(Some(*e), &mut last),
                StmtKind::Local { init, .. } => note(*init, &mut last),
                StmtKind::Return(e) => note(*e, &mut last),
                StmtKind::Block(b) => blocks.push(&b.stmts),
                StmtKind::If { cond, then, otherwise, .. } => {
                    note(Some(*cond), &mut last);
                    blocks.push(&then.stmts);
                    blocks.extend(otherwise.iter().map(|b| b.stmts.as_slice()));
                }
                StmtKind::Loop(l) => {
                    note(l.cond, &mut last);
                    note(l.step, &mut last);
                    blocks.push(&l.body.stmts);
                }
                StmtKind::Switch(s) => {
                    note(Some(s.value), &mut last);
                    blocks.extend(s.cases.iter().map(|c| c.body.stmts.as_slice()));
                }
                StmtKind::Break | StmtKind::Continue => {}
            }
        }
    }
    last
}

/// Whether a `break` or, for a loop, `continue` is in a body.
pub(super) fn leaves(body: &[Stmt], is_loop: bool) -> bool {
    let mut blocks = vec![(body, false)];
    while let Some((block, in_switch)) = blocks.pop() {
        for s in block {
            match &s.kind {
                StmtKind::Continue if is_loop => return true,
                StmtKind::Break if !in_switch => return true,
                StmtKind::Block(b) => blocks.push((&b.stmts, in_switch)),
                StmtKind::If { then, otherwise, .. } => {
                    blocks.push((&then.stmts, in_switch));
                    blocks.extend(otherwise.iter().map(|b| (b.stmts.as_slice(), in_switch)));
                }
                StmtKind::Switch(s) => blocks.extend(s.cases.iter().map(|c| (c.body.stmts.as_slice(), true))),
                _ => {}
            }
        }
    }
    false
}
