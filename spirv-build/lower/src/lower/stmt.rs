//! Statements.

use super::function::{Body, Local};
use crate::hlsl::hir::{self, BranchHint, ExprId, ExprKind, LoopHint, Stmt, StmtKind, Switch};
use crate::ir::{Op, Opcode, Operand};
use spirv_spec::{LoopControl, SelectionControl};

/// Most statements of other cases that a case falls through to.
const MAX_FALL_THROUGH: usize = 64;

/// Bodies of cases that are lowered for others, in all of a program.
const MAX_FALLEN: u32 = 4096;

/// The control mask of a selection.
pub(super) fn branch_control(hint: Option<BranchHint>) -> (u32, Option<u32>) {
    match hint {
        Some(BranchHint::Branch) => (SelectionControl::DONT_FLATTEN.bits(), None),
        Some(BranchHint::Flatten) => (SelectionControl::FLATTEN.bits(), None),
        None => (0, None),
    }
}

/// Labels with their regions, the cases of the regions, and the default case.
pub(super) fn labels(s: &Switch) -> (Vec<(u64, u32)>, Vec<usize>, Option<usize>) {
    let mut labels = Vec::new();
    let (mut regions, mut default) = (Vec::new(), None);
    for (i, case) in s.cases.iter().enumerate() {
        let region = if case.is_default {
            default = Some(i);
            0
        } else {
            regions.push(i);
            regions.len() as u32
        };
        labels.extend(case.labels.iter().map(|n| (u64::from(*n as u32), region)));
    }
    (labels, regions, default)
}

impl<'h> Body<'_, 'h> {
    /// Lowers statements; false if their end is not reached: the block then has its terminator.
    pub(super) fn stmts(&mut self, block: &'h hir::Block) -> bool {
        for stmt in &block.stmts {
            if !self.l.enter(stmt.span) {
                self.l.leave();
                self.b().push(Op::Unreachable, &[]);
                return false;
            }
            let goes_on = self.stmt(stmt);
            self.l.leave();
            if !goes_on {
                return false;
            }
        }
        true
    }

    pub(super) fn stmt(&mut self, stmt: &'h Stmt) -> bool {
        self.span = stmt.span;
        match &stmt.kind {
            StmtKind::Expr(e) => {
                self.effect(*e);
                true
            }
            StmtKind::Local { local, init } => {
                self.declare(*local, *init);
                true
            }
            StmtKind::Block(block) => self.stmts(block),
            StmtKind::If { cond, then, otherwise, hint } => {
                self.if_stmt(*cond, then, otherwise.as_ref(), *hint)
            }
            StmtKind::Loop(l) => self.loop_stmt(l),
            StmtKind::Switch(s) => self.switch_stmt(s),
            StmtKind::Break => {
                if let Some(broken) = self.broken.last_mut() {
                    *broken = true;
                }
                self.b().push(Opcode::Break, &[]);
                false
            }
            StmtKind::Continue => {
                self.b().push(Opcode::Continue, &[]);
                false
            }
            StmtKind::Return(value) => {
                match value {
                    // `return f();` with an `f` that returns nothing.
                    Some(e) if self.l.hlsl(self.f.ret) == hir::Type::Void => {
                        self.effect(*e);
                        self.b().push(Op::Return, &[]);
                    }
                    Some(e) => {
                        let v = self.expr(*e);
                        self.b().push(Op::ReturnValue, &[Operand::Id(v)]);
                    }
                    None => {
                        self.b().push(Op::Return, &[]);
                    }
                }
                false
            }
        }
    }

    fn declare(&mut self, local: hir::LocalId, init: Option<ExprId>) {
        let data = self.f.local(local);
        if !data.written
            && self.l.types().contains_resource(data.ty)
            && let Some(init) = init
            && let ExprKind::Load(place) = self.f.expr(init).kind
            && let Some(path) = self.path(place)
        {
            self.locals[local.index()] = Local::Path(path);
            return;
        }
        if let (Some(init), true) = (init, self.l.is_pointer_value(data.ty)) {
            let value = self.expr(init);
            self.locals[local.index()] = Local::Value(value);
            return;
        }
        let ptr = match self.locals[local.index()] {
            Local::Variable(ptr) => ptr,
            _ => self.local_variable(data.ty, &data.name),
        };
        self.locals[local.index()] = Local::Variable(ptr);
        let value = match init {
            Some(init) => self.expr(init),
            // Not what an earlier iteration left there.
            None if !self.broken.is_empty() && !self.l.types().is_opaque(data.ty) => self.undef(data.ty),
            None => return,
        };
        self.b().store(ptr, value);
    }

    fn if_stmt(
        &mut self,
        cond: ExprId,
        then: &'h hir::Block,
        otherwise: Option<&'h hir::Block>,
        hint: Option<BranchHint>,
    ) -> bool {
        let span = self.span;
        // Only one side of a constant condition exists.
        if let ExprKind::Const(hir::Const::Bool(yes)) = self.f.expr(cond).kind {
            return if yes { self.stmts(then) } else { otherwise.is_none_or(|b| self.stmts(b)) };
        }
        let cond = self.expr(cond);
        self.span = span;
        let (inst, then_block, else_block) = self.b().selection(cond, &[]);
        self.func.insts[inst].control = branch_control(hint);
        let after = self.block;
        self.block = then_block;
        let then_ends = self.stmts(then);
        self.merge_if(then_ends);
        self.block = else_block;
        let else_ends = otherwise.is_none_or(|b| self.stmts(b));
        self.merge_if(else_ends);
        self.block = after;
        self.reached(then_ends || else_ends)
    }

    fn merge_if(&mut self, reached: bool) {
        if reached {
            self.b().push(Opcode::Merge, &[]);
        }
    }

    /// Ends the current block if what comes next is never reached.
    fn reached(&mut self, reached: bool) -> bool {
        if !reached {
            self.b().push(Op::Unreachable, &[]);
        }
        reached
    }

    fn loop_stmt(&mut self, l: &'h hir::Loop) -> bool {
        let span = self.span;
        let (inst, body, continuing) = self.b().loop_op(&[], &[]);
        self.func.insts[inst].control = match l.hint {
            // How often a loop is unrolled partially is the target's business; before SPIR-V 1.4 it cannot be said.
            Some(LoopHint::Unroll(_)) => (LoopControl::UNROLL.bits(), None),
            Some(LoopHint::Loop) => (LoopControl::DONT_UNROLL.bits(), None),
            None => (0, None),
        };
        let after = self.block;
        self.broken.push(false);
        self.block = body;
        if let (Some(cond), false) = (l.cond, l.test_after) {
            let cond = self.expr(cond);
            self.span = span;
            let (_, go, stop) = self.b().selection(cond, &[]);
            let body = self.block;
            self.block = go;
            self.b().push(Opcode::Merge, &[]);
            self.block = stop;
            self.b().push(Opcode::Break, &[]);
            self.block = body;
        }
        if self.stmts(&l.body) {
            self.b().push(Opcode::Continue, &[]);
        }
        self.block = continuing;
        self.span = span;
        if let Some(step) = l.step {
            self.effect(step);
        }
        match (l.cond, l.test_after) {
            (Some(cond), true) => {
                let cond = self.expr(cond);
                self.b().terminate(Opcode::NextIf, &[cond]);
            }
            _ => self.b().terminate(Opcode::Next, &[]),
        }
        let broken = self.broken.pop().unwrap_or(false);
        self.block = after;
        self.span = span;
        self.reached(broken || l.cond.is_some())
    }

    fn switch_stmt(&mut self, s: &'h Switch) -> bool {
        let span = self.span;
        let value = self.expr(s.value);
        self.span = span;
        let (labels, regions, default) = labels(s);
        let (inst, blocks) = self.b().switch(value, &labels, regions.len(), &[]);
        self.func.insts[inst].control = branch_control(s.hint);
        let after = self.block;
        self.broken.push(default.is_none());
        let cases = std::iter::once(default).chain(regions.into_iter().map(Some));
        for (block, case) in blocks.into_iter().zip(cases) {
            self.block = block;
            if case.is_none_or(|case| self.case(s, case)) {
                self.b().push(Opcode::Merge, &[]);
                if let Some(broken) = self.broken.last_mut() {
                    *broken = true;
                }
            }
        }
        let broken = self.broken.pop().unwrap_or(false);
        self.block = after;
        self.span = span;
        self.reached(broken)
    }

    /// The body of a case, and of those that it falls through to.
    fn case(&mut self, s: &'h Switch, first: usize) -> bool {
        for (i, case) in s.cases[first..].iter().enumerate() {
            // Switches in each other multiply.
            self.l.fallen += u32::from(i > 0);
            if i > MAX_FALL_THROUGH || self.l.fallen > MAX_FALLEN {
                let help = "end the cases with `break`";
                self.l.error(crate::diag::Code::TooMany, case.span, "too many cases fall through", help);
                return true;
            }
            if !self.stmts(&case.body) {
                return false;
            }
        }
        true
    }
}
