//! Expressions.
use super::*;
use crate::hlsl::ast::Quals;
use crate::hlsl::operator::BinaryOp as B;

impl Parser<'_> {
    /// An expression, commas included.
    pub(super) fn expr(&mut self) -> ExprId {
        let mut left = self.assignment();
        while self.eat(TokenKind::Comma) {
            let right = self.assignment();
            let span = self.join(left, right);
            left = self.push(ExprKind::Comma(left, right), span);
        }
        left
    }

    fn join(&self, a: ExprId, b: ExprId) -> Span {
        self.ast.expr(a).span.to(self.ast.expr(b).span)
    }

    /// Expressions between commas, up to (not including) `end`.
    pub(super) fn expr_list(&mut self, end: TokenKind) -> SmallVec<[ExprId; 6]> {
        let mut list = SmallVec::new();
        while self.kind() != end && self.kind() != TokenKind::Eof {
            list.push(self.initializer());
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        list
    }

    /// An expression or `{ … }`.
    pub(super) fn initializer(&mut self) -> ExprId {
        if self.kind() != TokenKind::LBrace {
            return self.assignment();
        }
        let open = self.span();
        self.nested_expr(open, |p| {
            p.bump();
            let list = p.expr_list(TokenKind::RBrace);
            p.close(TokenKind::RBrace, open);
            let list = p.push_list(&list);
            p.push(ExprKind::InitList(list), open.to(p.last_span()))
        })
    }

    /// An expression without commas.
    pub(super) fn assignment(&mut self) -> ExprId {
        let left = self.ternary();
        let Some(op) = assign_op(self.kind()) else { return left };
        self.bump();
        let right = self.nested(left, |p| p.initializer());
        let span = self.join(left, right);
        self.push(ExprKind::Assign(op, left, right), span)
    }

    /// A constant expression: no assignment, no comma.
    pub(super) fn ternary(&mut self) -> ExprId {
        let cond = self.binary(0, true);
        if self.kind() != TokenKind::Question {
            return cond;
        }
        self.bump();
        let then = self.nested(cond, |p| p.assignment());
        self.expect(TokenKind::Colon);
        let otherwise = self.nested(cond, |p| p.assignment());
        let span = self.join(cond, otherwise);
        self.push(ExprKind::Ternary(cond, then, otherwise), span)
    }

    /// A constant in template arguments, where `>` ends it.
    pub(super) fn template_value(&mut self) -> ExprId {
        self.binary(0, false)
    }

    fn binary(&mut self, min: u8, angles: bool) -> ExprId {
        let mut left = self.prefix();
        while let Some((op, level)) = binary_op(self.kind()) {
            let angle = matches!(self.kind(), TokenKind::Greater | TokenKind::Shr | TokenKind::GreaterEq);
            if level < min || (angle && !angles) {
                break;
            }
            self.bump();
            let right = self.binary(level + 1, angles);
            let span = self.join(left, right);
            left = self.push(ExprKind::Binary(op, left, right), span);
        }
        left
    }

    fn prefix(&mut self) -> ExprId {
        let start = self.span();
        let op = match self.kind() {
            TokenKind::Plus => PrefixOp::Plus,
            TokenKind::Minus => PrefixOp::Minus,
            TokenKind::Not => PrefixOp::Not,
            TokenKind::Tilde => PrefixOp::BitNot,
            TokenKind::PlusPlus => PrefixOp::Inc,
            TokenKind::MinusMinus => PrefixOp::Dec,
            TokenKind::LParen if self.at_cast() => return self.cast(),
            _ => return self.postfix(),
        };
        self.bump();
        let operand = self.nested_expr(start, |p| p.prefix());
        let span = start.to(self.ast.expr(operand).span);
        self.push(ExprKind::Prefix(op, operand), span)
    }

    /// Whether `(` starts a cast: a type stands in the parentheses. An unknown name counts if an operand follows.
    fn at_cast(&self) -> bool {
        let mut i = 1;
        if matches!(self.word_at(i), "const" | "struct" | "unsigned" | "row_major" | "column_major") {
            return true;
        }
        if self.look(i).kind == TokenKind::ColonColon {
            i += 1;
        }
        loop {
            let token = self.look(i);
            if token.kind != TokenKind::Ident {
                return false;
            }
            if self.look(i + 1).kind == TokenKind::ColonColon {
                i += 2;
                continue;
            }
            let known = self.is_type_name(token.text);
            return match self.look(i + 1).kind {
                TokenKind::RParen if known => true,
                TokenKind::RParen => {
                    let unknown =
                        self.table.role(token.text).is_none() && !words::is_reserved(token.text) || i > 1;
                    unknown && matches!(self.look(i + 2).kind, TokenKind::Ident | TokenKind::Number)
                }
                TokenKind::LBracket => known,
                TokenKind::Less if known => self.skip_template_args(i + 1).is_some_and(|end| {
                    matches!(self.look(end).kind, TokenKind::RParen | TokenKind::LBracket)
                }),
                _ => false,
            };
        }
    }

    fn cast(&mut self) -> ExprId {
        let open = self.bump().span;
        let mut ty = self.type_expr();
        ty.dims = self.dims();
        self.close(TokenKind::RParen, open);
        let ty = self.push_type(ty);
        let operand = self.nested_expr(open, |p| p.prefix());
        let span = open.to(self.ast.expr(operand).span);
        self.push(ExprKind::Cast(ty, operand), span)
    }

    fn postfix(&mut self) -> ExprId {
        let mut left = self.primary();
        loop {
            let start = self.ast.expr(left).span;
            match self.kind() {
                TokenKind::PlusPlus | TokenKind::MinusMinus => {
                    let minus = self.bump().kind == TokenKind::MinusMinus;
                    left = self.push(ExprKind::Postfix(minus, left), start.to(self.last_span()));
                }
                TokenKind::LBracket if !self.at_attribute_line() => {
                    let open = self.bump().span;
                    let index = self.nested(left, |p| p.expr());
                    self.close(TokenKind::RBracket, open);
                    left = self.push(ExprKind::Index(left, index), start.to(self.last_span()));
                }
                TokenKind::LParen => {
                    let open = self.bump().span;
                    let args = self.nested(SmallVec::new(), |p| p.expr_list(TokenKind::RParen));
                    self.close(TokenKind::RParen, open);
                    let args = self.push_list(&args);
                    left = self.push(ExprKind::Call(left, args), start.to(self.last_span()));
                }
                TokenKind::Dot | TokenKind::Arrow => {
                    if self.bump().kind == TokenKind::Arrow {
                        let span = self.last_span();
                        if let Some(d) =
                            self.error(Code::UnexpectedToken, span, "HLSL has no pointers".into())
                        {
                            d.help("use `.` to name a member");
                        }
                    }
                    // `a.template f<int>()` of C++: here it is known without the word.
                    if self.word() == "template" {
                        self.bump();
                    }
                    let token = self.token();
                    if token.kind != TokenKind::Ident {
                        self.unexpected("the name of a member");
                        return left;
                    }
                    if self.names_base() {
                        left = self.base_member(left, start);
                        continue;
                    }
                    self.bump();
                    let name = Name { text: token.text, span: token.span };
                    let mut args = None;
                    // `a.Load<float>(…)`, but not `a.x < b`.
                    if self.kind() == TokenKind::Less
                        && self
                            .skip_template_args(0)
                            .is_some_and(|end| self.look(end).kind == TokenKind::LParen)
                    {
                        let list = self.template_args();
                        self.ast.template_args.push(list);
                        args = Some(TemplateArgsId(self.ast.template_args.len() as u32 - 1));
                    }
                    left = self.push(ExprKind::Member(left, name, args), start.to(self.last_span()));
                }
                _ => return left,
            }
            if self.bailed {
                return left;
            }
        }
    }

    fn primary(&mut self) -> ExprId {
        let token = self.token();
        match token.kind {
            TokenKind::Number => {
                self.bump();
                self.number(token)
            }
            TokenKind::Char => {
                self.bump();
                self.character(token)
            }
            TokenKind::Str => {
                self.bump();
                // Neighbouring strings are one.
                let mut text = self.text(token.text).trim_matches('"').to_string();
                while self.kind() == TokenKind::Str {
                    let next = self.bump();
                    text += self.text(next.text).trim_matches('"');
                }
                let text = self.names.intern(&text);
                self.push(ExprKind::Str(text), token.span)
            }
            TokenKind::LParen => {
                self.bump();
                let inner = self.nested_expr(token.span, |p| p.expr());
                self.close(TokenKind::RParen, token.span);
                self.push(ExprKind::Paren(inner), token.span.to(self.last_span()))
            }
            TokenKind::ColonColon => self.path_expr(token),
            TokenKind::Ident => match self.keyword() {
                "true" | "false" => {
                    let value = self.keyword() == "true";
                    self.bump();
                    self.push(ExprKind::Bool(value), token.span)
                }
                "this" => {
                    self.bump();
                    self.push(ExprKind::This, token.span)
                }
                "sizeof" => self.sizeof(),
                "" if self.word() == "unsigned" => {
                    let ty = self.type_expr();
                    match ty.kind {
                        TypeKind::Named(path) => self.push_path(path, token.span),
                        _ => self.error_expr(token.span),
                    }
                }
                "" => self.path_expr(token),
                _ => self.no_expression(token),
            },
            _ => self.no_expression(token),
        }
    }

    /// Whether the name of a base stands here: `Base::` or `Base<T>::`.
    fn names_base(&self) -> bool {
        match self.look(1).kind {
            TokenKind::ColonColon => true,
            // A comparison is not looked through for the end of arguments.
            TokenKind::Less if self.is_type_name(self.token().text) => {
                self.skip_template_args(1).is_some_and(|end| self.look(end).kind == TokenKind::ColonColon)
            }
            _ => false,
        }
    }

    /// The rest of `a.Base::b`, which is `((Base)a).b`.
    fn base_member(&mut self, object: ExprId, start: Span) -> ExprId {
        let Some(mut path) = self.path(false) else { return object };
        let (Some(name), args) = (path.parts.pop(), path.args.take()) else { return object };
        if let Some((_, list)) = path.scope_args.take_if(|s| s.0 + 1 == path.parts.len()).map(|s| *s) {
            path.args = Some(list);
        }
        let span = path.span;
        let ty = TypeExpr { kind: TypeKind::Named(path), quals: Quals::default(), dims: Vec::new(), span };
        let ty = self.push_type(ty);
        let span = start.to(self.last_span());
        let base = self.push(ExprKind::Cast(ty, object), span);
        let args = args.map(|list| {
            self.ast.template_args.push(list);
            TemplateArgsId(self.ast.template_args.len() as u32 - 1)
        });
        self.push(ExprKind::Member(base, name, args), span)
    }

    fn path_expr(&mut self, token: Token) -> ExprId {
        match self.path(false) {
            Some(path) => {
                let span = path.span;
                self.push_path(path, span)
            }
            None => self.error_expr(token.span),
        }
    }

    pub(super) fn push_path(&mut self, path: Path, span: Span) -> ExprId {
        self.ast.paths.push(path);
        self.push(ExprKind::Path(PathId(self.ast.paths.len() as u32 - 1)), span)
    }

    fn no_expression(&mut self, token: Token) -> ExprId {
        if let TokenKind::Bad(_) = token.kind {
            self.bump();
            return self.error_expr(token.span);
        }
        let found = self.shown(token);
        let power =
            token.kind == TokenKind::Star && !token.space_before && self.last_kind() == Some(TokenKind::Star);
        if let Some(d) =
            self.error(Code::ExpectedExpression, token.span, format!("expected an expression, found {found}"))
        {
            d.label("expected an expression");
            if power {
                d.help("there is no operator for powers: `pow(a, b)`");
            }
        }
        // Leave what ends the statement for those who look for it.
        self.error_expr(token.span)
    }

    fn sizeof(&mut self) -> ExprId {
        let start = self.bump().span;
        let open = self.span();
        if !self.expect(TokenKind::LParen) {
            return self.error_expr(start);
        }
        let is_type = self.kind() == TokenKind::Ident
            && (self.is_type_name(self.token().text)
                || matches!(self.word(), "struct" | "const" | "row_major" | "column_major")
                || matches!(self.word(), "unorm" | "snorm") && self.look(1).kind == TokenKind::Ident);
        let kind = if is_type {
            let mut ty = self.type_expr();
            ty.dims = self.dims();
            ExprKind::SizeofType(self.push_type(ty))
        } else {
            ExprKind::SizeofExpr(self.nested_expr(open, |p| p.expr()))
        };
        self.close(TokenKind::RParen, open);
        self.push(kind, start.to(self.last_span()))
    }
}

/// `None` in the answer is plain `=`.
fn assign_op(kind: TokenKind) -> Option<Option<BinOp>> {
    Some(match kind {
        TokenKind::Eq => None,
        TokenKind::PlusEq => Some(BinOp::Plain(B::Add)),
        TokenKind::MinusEq => Some(BinOp::Plain(B::Sub)),
        TokenKind::StarEq => Some(BinOp::Plain(B::Mul)),
        TokenKind::SlashEq => Some(BinOp::Plain(B::Div)),
        TokenKind::PercentEq => Some(BinOp::Plain(B::Rem)),
        TokenKind::AndEq => Some(BinOp::Plain(B::BitAnd)),
        TokenKind::OrEq => Some(BinOp::Plain(B::BitOr)),
        TokenKind::CaretEq => Some(BinOp::Plain(B::BitXor)),
        TokenKind::ShlEq => Some(BinOp::Plain(B::Shl)),
        TokenKind::ShrEq => Some(BinOp::Plain(B::Shr)),
        _ => return None,
    })
}

fn binary_op(kind: TokenKind) -> Option<(BinOp, u8)> {
    let (op, level) = match kind {
        TokenKind::OrOr => return Some((BinOp::Or, 1)),
        TokenKind::AndAnd => return Some((BinOp::And, 2)),
        TokenKind::Or => (B::BitOr, 3),
        TokenKind::Caret => (B::BitXor, 4),
        TokenKind::And => (B::BitAnd, 5),
        TokenKind::EqEq => (B::Eq, 6),
        TokenKind::NotEq => (B::Ne, 6),
        TokenKind::Less => (B::Lt, 7),
        TokenKind::LessEq => (B::Le, 7),
        TokenKind::Greater => (B::Gt, 7),
        TokenKind::GreaterEq => (B::Ge, 7),
        TokenKind::Shl => (B::Shl, 8),
        TokenKind::Shr => (B::Shr, 8),
        TokenKind::Plus => (B::Add, 9),
        TokenKind::Minus => (B::Sub, 9),
        TokenKind::Star => (B::Mul, 10),
        TokenKind::Slash => (B::Div, 10),
        TokenKind::Percent => (B::Rem, 10),
        _ => return None,
    };
    Some((BinOp::Plain(op), level))
}
