//! Statements.
use super::*;

impl Parser<'_> {
    /// `{ … }`, in a scope of its own.
    pub(super) fn block_body(&mut self) -> Vec<Stmt> {
        let open = self.span();
        let mut stmts = Vec::new();
        if !self.expect(TokenKind::LBrace) {
            return stmts;
        }
        self.table.enter();
        while !matches!(self.kind(), TokenKind::RBrace | TokenKind::Eof) {
            let before = self.at;
            stmts.push(self.stmt());
            if self.at == before {
                self.unexpected("a statement");
                self.bump();
            }
        }
        self.close(TokenKind::RBrace, open);
        self.table.leave();
        stmts
    }

    /// One statement.
    pub(super) fn stmt(&mut self) -> Stmt {
        let start = self.span();
        let empty = Stmt { kind: StmtKind::Empty, attrs: Vec::new(), span: start };
        self.nested(empty, |p| {
            let attrs = p.attributes();
            let kind = p.stmt_kind();
            Stmt { kind, attrs, span: start.to(p.last_span()) }
        })
    }

    fn stmt_kind(&mut self) -> StmtKind {
        match self.kind() {
            TokenKind::LBrace => return StmtKind::Block(self.block_body()),
            TokenKind::Semicolon => {
                self.bump();
                return StmtKind::Empty;
            }
            _ => {}
        }
        match self.keyword() {
            "if" => return self.if_stmt(),
            "for" => return self.for_stmt(),
            "while" => {
                self.bump();
                let cond = self.paren_condition();
                let body = self.scoped_stmt();
                return StmtKind::While(cond, body);
            }
            "do" => {
                self.bump();
                let body = self.scoped_stmt();
                if !self.eat_word("while") {
                    self.unexpected("`while`");
                    self.recover();
                    return StmtKind::Empty;
                }
                let cond = self.paren_condition();
                self.end_of_stmt();
                return StmtKind::Do(body, cond);
            }
            "switch" => {
                self.bump();
                let value = self.paren_condition();
                return StmtKind::Switch(value, self.block_body());
            }
            "case" => {
                self.bump();
                let value = self.ternary();
                self.expect(TokenKind::Colon);
                return StmtKind::Case(value);
            }
            "default" => {
                self.bump();
                self.expect(TokenKind::Colon);
                return StmtKind::Default;
            }
            "break" => return self.simple(StmtKind::Break),
            "continue" => return self.simple(StmtKind::Continue),
            "discard" => return self.simple(StmtKind::Discard),
            "return" => {
                self.bump();
                let value = if self.kind() == TokenKind::Semicolon { None } else { Some(self.expr()) };
                self.end_of_stmt();
                return StmtKind::Return(value);
            }
            "else" => {
                let span = self.span();
                self.error(Code::UnexpectedToken, span, "`else` without `if`".into());
                self.bump();
                return StmtKind::Empty;
            }
            "goto" => {
                let span = self.span();
                self.error(Code::UnexpectedToken, span, "HLSL has no `goto`".into());
                self.recover();
                return StmtKind::Empty;
            }
            _ => {}
        }
        if self.at_declaration() {
            let start = self.span();
            return match self.item_kind(decl::Where::Local) {
                Some(kind) => StmtKind::Item(Box::new(Item {
                    kind,
                    attrs: Vec::new(),
                    span: start.to(self.last_span()),
                })),
                None => StmtKind::Empty,
            };
        }
        let value = self.expr();
        self.end_of_stmt();
        StmtKind::Expr(value)
    }

    fn simple(&mut self, kind: StmtKind) -> StmtKind {
        self.bump();
        self.end_of_stmt();
        kind
    }

    fn end_of_stmt(&mut self) {
        if !self.semicolon() && !self.token().first_on_line {
            self.recover();
        }
    }

    fn paren_condition(&mut self) -> ExprId {
        let open = self.span();
        if !self.expect(TokenKind::LParen) {
            let cond = self.expr();
            self.eat(TokenKind::RParen);
            return cond;
        }
        let cond = self.expr();
        if !self.close(TokenKind::RParen, open) {
            self.skip_to_paren();
        }
        cond
    }

    /// After a mistake inside parentheses: behind their end, if that comes before the end of the statement.
    fn skip_to_paren(&mut self) {
        let mut depth = 0usize;
        loop {
            match self.kind() {
                TokenKind::LParen => depth += 1,
                TokenKind::RParen if depth == 0 => {
                    self.bump();
                    return;
                }
                TokenKind::RParen => depth -= 1,
                TokenKind::LBrace | TokenKind::RBrace | TokenKind::Eof => return,
                TokenKind::Semicolon if depth == 0 => return,
                _ => {}
            }
            self.bump();
        }
    }

    /// A statement that is a scope even without braces.
    fn scoped_stmt(&mut self) -> Box<Stmt> {
        self.table.enter();
        let stmt = Box::new(self.stmt());
        self.table.leave();
        stmt
    }

    fn if_stmt(&mut self) -> StmtKind {
        self.bump();
        let cond = self.paren_condition();
        let then = self.scoped_stmt();
        let otherwise = if self.eat_word("else") { Some(self.scoped_stmt()) } else { None };
        StmtKind::If(cond, then, otherwise)
    }

    fn for_stmt(&mut self) -> StmtKind {
        self.bump();
        let open = self.span();
        if !self.expect(TokenKind::LParen) {
            self.recover();
            return StmtKind::Empty;
        }
        self.table.enter();
        let start = self.span();
        let mut init = None;
        if !self.eat(TokenKind::Semicolon) {
            let kind = if self.at_declaration() {
                self.item_kind(decl::Where::Local).map(|kind| {
                    StmtKind::Item(Box::new(Item {
                        kind,
                        attrs: Vec::new(),
                        span: start.to(self.last_span()),
                    }))
                })
            } else {
                let value = self.expr();
                self.semicolon();
                Some(StmtKind::Expr(value))
            };
            init =
                kind.map(|kind| Box::new(Stmt { kind, attrs: Vec::new(), span: start.to(self.last_span()) }));
        }
        let mut cond = None;
        if self.kind() != TokenKind::Semicolon {
            cond = Some(self.expr());
        }
        self.semicolon();
        let mut step = None;
        if self.kind() != TokenKind::RParen {
            step = Some(self.expr());
        }
        if !self.close(TokenKind::RParen, open) {
            self.skip_to_paren();
        }
        let body = self.scoped_stmt();
        self.table.leave();
        StmtKind::For { init, cond, step, body }
    }
}
