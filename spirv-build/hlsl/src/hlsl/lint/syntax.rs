//! What the spelling tells: parentheses and braces that are missing, bodies that are empty.
use super::Lint;
use crate::diag::Code;
use crate::hlsl::ast::*;
use crate::hlsl::hir::BinaryOp;
use crate::source::Span;

/// Looks at all expressions and statements. The result is where `static` functions are declared.
pub(super) fn run(ast: &Ast, lint: &mut Lint<'_>) -> Vec<Span> {
    for e in &ast.exprs {
        if let ExprKind::Binary(op, a, b) = e.kind {
            for side in [a, b] {
                precedence(ast, op, side, e.span, lint);
            }
        }
    }
    let mut walk = Walk { ast, lint, statics: Vec::new() };
    ast.items.iter().for_each(|i| walk.item(i));
    walk.statics
}

/// An operation in another one of which it is often forgotten which of the two binds closer.
fn precedence(ast: &Ast, outer: BinOp, side: ExprId, span: Span, lint: &mut Lint<'_>) {
    use BinaryOp as B;
    let inner = ast.expr(side);
    let ExprKind::Binary(op, x, y) = inner.kind else { return };
    let code = match (outer, op) {
        (BinOp::Or, BinOp::And) => Code::LogicalPrecedence,
        (BinOp::Plain(B::BitAnd | B::BitOr | B::BitXor), BinOp::Plain(c)) if c.is_comparison() => {
            Code::Precedence
        }
        (BinOp::Plain(B::BitOr), BinOp::Plain(B::BitAnd)) => Code::BitwisePrecedence,
        (BinOp::Plain(B::Shl | B::Shr), BinOp::Plain(B::Add | B::Sub)) => Code::ShiftPrecedence,
        _ => return,
    };
    // Of what a macro's body and its arguments make together, the whole is where the arguments are.
    if ![span, inner.span, ast.expr(x).span, ast.expr(y).span].into_iter().all(|s| lint.is_own(s)) {
        return;
    }
    let (within, around) = (op.symbol(), outer.symbol());
    lint.report(code, inner.span, format!("`{within}` is evaluated before `{around}`"))
        .label("evaluated first")
        .help(format!("put it in parentheses if this is meant, else the operands of `{around}`"));
}

struct Walk<'a, 's> {
    ast: &'a Ast,
    lint: &'a mut Lint<'s>,
    statics: Vec<Span>,
}

impl Walk<'_, '_> {
    fn item(&mut self, item: &Item) {
        match &item.kind {
            ItemKind::Function(f) => self.function(f),
            ItemKind::Namespace(_, items) => items.iter().for_each(|i| self.item(i)),
            ItemKind::Template(_, inner) => match &inner.kind {
                // Who calls a template calls an instance.
                ItemKind::Function(f) => self.body(f),
                _ => self.item(inner),
            },
            ItemKind::Vars(decl) => self.vars(decl),
            _ => {}
        }
    }

    fn vars(&mut self, decl: &VarDecl) {
        if let TypeKind::Struct(s) = &decl.ty.kind {
            for member in s.members.iter().flatten() {
                match &member.kind {
                    ItemKind::Function(f) => self.body(f),
                    _ => self.item(member),
                }
            }
        }
    }

    fn function(&mut self, f: &Function) {
        if f.ret.quals.has(Quals::STATIC) && f.body.is_some() {
            self.statics.push(f.name.last().span);
        }
        self.body(f);
    }

    fn body(&mut self, f: &Function) {
        if let Some(body) = &f.body {
            self.block(body);
        }
    }

    fn block(&mut self, stmts: &[Stmt]) {
        for (i, s) in stmts.iter().enumerate() {
            self.stmt(s, stmts.get(i + 1));
        }
    }

    fn stmt(&mut self, s: &Stmt, next: Option<&Stmt>) {
        match &s.kind {
            StmtKind::Block(list) => self.block(list),
            StmtKind::If(cond, then, otherwise) => {
                self.condition(*cond);
                if otherwise.is_none() {
                    self.dangling(then);
                    if self.is_empty(then) && self.is_on_one_line(self.ast.expr(*cond).span, then.span) {
                        self.empty_body(then.span, "if");
                    }
                }
                self.stmt(then, None);
                otherwise.iter().for_each(|o| self.stmt(o, None));
            }
            StmtKind::For { cond, body, .. } => {
                cond.iter().for_each(|c| self.condition(*c));
                self.loop_body(s, body, next, "for");
            }
            StmtKind::While(cond, body) => {
                self.condition(*cond);
                self.loop_body(s, body, next, "while");
            }
            StmtKind::Do(body, cond) => {
                self.stmt(body, None);
                self.condition(*cond);
            }
            StmtKind::Switch(_, body) => self.block(body),
            StmtKind::Item(item) => {
                if let ItemKind::Vars(decl) = &item.kind {
                    self.vars(decl);
                }
            }
            _ => {}
        }
    }

    /// `if (a = b)`.
    fn condition(&mut self, cond: ExprId) {
        let e = self.ast.expr(cond);
        if let ExprKind::Assign(None, ..) = e.kind
            && self.lint.is_own(e.span)
        {
            self.lint
                .report(Code::AssignedCondition, e.span, "the condition is an assignment")
                .label("assigns, and tests the new value")
                .help("write `==` to compare, or a second pair of parentheses if this is meant");
        }
    }

    /// The statement in an `if` without `else`, if it is an `if` with one and has no braces.
    fn dangling(&mut self, then: &Stmt) {
        let mut at = then;
        loop {
            at = match &at.kind {
                StmtKind::If(_, _, Some(otherwise)) => {
                    let span = otherwise.span;
                    if self.lint.is_own(span) && self.lint.is_own(at.span) {
                        self.lint
                            .report(Code::DanglingElse, span, "this `else` belongs to the inner `if`")
                            .label("runs where the inner condition is false")
                            .secondary(Span { hi: at.span.lo + 2, ..at.span }, "the inner `if`")
                            .help("put braces around the inner `if`, or around what is in the outer one");
                    }
                    return;
                }
                StmtKind::For { body, .. } | StmtKind::While(_, body) => body,
                _ => return,
            }
        }
    }

    fn loop_body(&mut self, s: &Stmt, body: &Stmt, next: Option<&Stmt>, word: &str) {
        // What follows looks like the body: it has braces, or is further to the right.
        if self.is_empty(body)
            && let Some(next) = next
            && self.lint.is_own(next.span)
            && (matches!(next.kind, StmtKind::Block(_)) || self.column(next.span) > self.column(s.span))
        {
            self.empty_body(body.span, word);
        }
        self.stmt(body, None);
    }

    fn empty_body(&mut self, span: Span, word: &str) {
        self.lint
            .report(Code::EmptyBody, span, format!("the body of this `{word}` is empty"))
            .label("this `;` is the whole body")
            .help("take the `;` away, or write `{}` if this is meant");
    }

    fn is_empty(&self, s: &Stmt) -> bool {
        matches!(s.kind, StmtKind::Empty) && self.lint.is_own(s.span)
    }

    fn is_on_one_line(&self, a: Span, b: Span) -> bool {
        let line = |s: Span| self.lint.sources.file(s.file).map(|f| f.line_index(s.lo));
        a.file == b.file && line(a) == line(b)
    }

    fn column(&self, span: Span) -> u32 {
        self.lint.sources.position(span).column
    }
}
