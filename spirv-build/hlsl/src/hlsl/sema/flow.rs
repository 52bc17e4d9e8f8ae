//! Whether control can reach the end of statements.
use crate::hlsl::hir::{Block, Const, Expr, ExprKind, Stmt, StmtKind};

/// Whether control can run off the end of a block.
pub(super) fn completes(block: &Block, exprs: &[Expr]) -> bool {
    block.stmts.iter().all(|s| stmt_completes(s, exprs))
}

fn stmt_completes(stmt: &Stmt, exprs: &[Expr]) -> bool {
    match &stmt.kind {
        StmtKind::Break | StmtKind::Continue | StmtKind::Return(_) => false,
        StmtKind::Block(b) => completes(b, exprs),
        StmtKind::If { then, otherwise, .. } => {
            completes(then, exprs) || otherwise.as_ref().is_none_or(|b| completes(b, exprs))
        }
        StmtKind::Loop(l) => {
            let endless = match l.cond {
                None => true,
                Some(c) => matches!(exprs[c.index()].kind, ExprKind::Const(Const::Bool(true))),
            };
            if endless {
                return breaks(&l.body);
            }
            // A `do` whose body always leaves the function never tests its condition.
            !l.test_after || completes(&l.body, exprs) || breaks(&l.body) || continues(&l.body)
        }
        StmtKind::Switch(sw) => {
            let has_default = sw.cases.iter().any(|c| c.is_default);
            !has_default
                || sw.cases.last().is_none_or(|c| completes(&c.body, exprs))
                || sw.cases.iter().any(|c| breaks(&c.body))
        }
        StmtKind::Expr(_) | StmtKind::Local { .. } => true,
    }
}

/// Whether a `break` leaves the statement around this block.
pub(super) fn breaks(block: &Block) -> bool {
    block.stmts.iter().any(|s| match &s.kind {
        StmtKind::Break => true,
        StmtKind::Block(b) => breaks(b),
        StmtKind::If { then, otherwise, .. } => breaks(then) || otherwise.as_ref().is_some_and(breaks),
        _ => false,
    })
}

fn continues(block: &Block) -> bool {
    block.stmts.iter().any(|s| match &s.kind {
        StmtKind::Continue => true,
        StmtKind::Block(b) => continues(b),
        StmtKind::If { then, otherwise, .. } => continues(then) || otherwise.as_ref().is_some_and(continues),
        StmtKind::Switch(sw) => sw.cases.iter().any(|c| continues(&c.body)),
        _ => false,
    })
}
