//! Statements.
use super::*;
use smallvec::smallvec;

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
            let span = start.to(p.last_span());
            p.around_declaration(kind, attrs, span)
        })
    }

    /// A statement, in a block with the declaration of its condition if that has one.
    fn around_declaration(&mut self, kind: StmtKind, attrs: Vec<Attribute>, span: Span) -> Stmt {
        let stmt = Stmt { kind, attrs, span };
        match self.declared.take() {
            None => stmt,
            Some(item) => {
                let declaration = Stmt { kind: StmtKind::Item(item), attrs: Vec::new(), span };
                Stmt { kind: StmtKind::Block(vec![declaration, stmt]), attrs: Vec::new(), span }
            }
        }
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
            "while" => return self.while_stmt(),
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
                self.table.enter();
                let (declared, value) = self.declaring_condition();
                let body = self.switch_body();
                self.table.leave();
                self.declared = declared;
                return StmtKind::Switch(value, body);
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
                    attrs: std::mem::take(&mut self.alias_attrs),
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

    /// The block of a switch, or one statement with its labels.
    fn switch_body(&mut self) -> Vec<Stmt> {
        let mut list = Vec::new();
        while matches!(self.keyword(), "case" | "default") {
            list.push(self.stmt());
        }
        if list.is_empty() {
            return self.block_body();
        }
        list.push(self.stmt());
        list
    }

    fn if_stmt(&mut self) -> StmtKind {
        self.bump();
        self.table.enter();
        let (declared, cond) = self.declaring_condition();
        let then = self.scoped_stmt();
        let otherwise = if self.eat_word("else") { Some(self.scoped_stmt()) } else { None };
        self.table.leave();
        self.declared = declared;
        StmtKind::If(cond, then, otherwise)
    }

    /// `while (int x = f())` declares its variable anew for each iteration: it is a loop that leaves where the variable is zero.
    fn while_stmt(&mut self) -> StmtKind {
        let start = self.bump().span;
        self.table.enter();
        let (declared, cond) = self.declaring_condition();
        let body = self.scoped_stmt();
        self.table.leave();
        let Some(item) = declared else { return StmtKind::While(cond, body) };
        let span = start.to(self.last_span());
        let at = self.ast.expr(cond).span;
        let stmt = |kind, span| Stmt { kind, attrs: Vec::new(), span };
        let ends = self.push(ExprKind::Prefix(PrefixOp::Not, cond), at);
        let leave = StmtKind::If(ends, Box::new(stmt(StmtKind::Break, at)), None);
        let list = vec![stmt(StmtKind::Item(item), at), stmt(leave, at), *body];
        let endless = self.push(ExprKind::Bool(true), at);
        StmtKind::While(endless, Box::new(stmt(StmtKind::Block(list), span)))
    }

    /// A condition, or `(int x = e)`: the declaration, and the variable as a condition.
    fn declaring_condition(&mut self) -> (Option<Box<Item>>, ExprId) {
        if self.kind() != TokenKind::LParen || !self.declares_after_paren() {
            return (None, self.paren_condition());
        }
        let open = self.bump().span;
        let default_order = self.matrix_order();
        let ty = self.type_expr();
        let start = ty.span;
        let Some(d) = self.declarator(names::Role::Value) else {
            self.skip_to_paren();
            return (None, self.error_expr(start));
        };
        let name = d.name;
        if d.init.is_none() {
            let text = format!("`{}` is declared as a condition and has no value", self.text(name.text));
            if let Some(d) = self.error(Code::BadDeclaration, name.span, text) {
                d.help("initialise it with `=`");
            }
        }
        let decl = VarDecl { ty, default_order, declarators: vec![d] };
        let item = Item { kind: ItemKind::Vars(decl), attrs: Vec::new(), span: start.to(self.last_span()) };
        if !self.close(TokenKind::RParen, open) {
            self.skip_to_paren();
        }
        let path =
            Path { global: false, parts: smallvec![name], args: None, scope_args: None, span: name.span };
        (Some(Box::new(item)), self.push_path(path, name.span))
    }

    /// Whether a declaration follows the `(` here.
    fn declares_after_paren(&mut self) -> bool {
        self.at += 1;
        let declares = self.at_declaration();
        self.at -= 1;
        declares
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
