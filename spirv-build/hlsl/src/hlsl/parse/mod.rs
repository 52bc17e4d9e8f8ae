//! Tokens to syntax tree, by recursive descent.
//!
//! * Parsing never fails: what cannot be read becomes an error node and a diagnostic, and reading goes on at the next
//!   statement or declaration.
//! * Every loop that recovers consumes at least one token or leaves.
//! * Recursion is counted ([`MAX_NESTING`]), and so is the depth of expressions that grow without recursion
//!   ([`MAX_EXPR_DEPTH`]); whatever walks the tree may recurse.
//! * Whether a name is a type matters to the grammar, so the parser keeps a scoped table of declared names.
mod attr;
mod decl;
mod expr;
mod literal;
mod names;
mod stmt;
mod types;

use super::ast::*;
use super::lex::{BadToken, Token, TokenKind};
use super::pp;
use super::types::MatrixOrder;
use super::words;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::source::{Interner, Span, Symbol};
use names::{BuiltinTypes, NameTable};
use smallvec::SmallVec;

pub(super) use attr::NAMES as ATTRIBUTES;

/// How deeply brackets, statements and declarations may nest.
pub const MAX_NESTING: usize = 256;
/// How deep an expression's tree may be; `a + b + c …` is as deep as it has operators.
pub const MAX_EXPR_DEPTH: u16 = 512;

/// Parses a program.
pub fn parse(input: pp::Output, names: &mut Interner, diags: &mut Diagnostics) -> Ast {
    let builtin_types = BuiltinTypes::new(names);
    let mut p = Parser {
        tokens: input.tokens,
        orders: input.matrix_orders,
        at: 0,
        names,
        diags,
        ast: Ast::default(),
        depths: Vec::new(),
        table: NameTable::default(),
        builtin_types,
        depth: 0,
        declared: None,
        alias_attrs: Vec::new(),
        last_error: usize::MAX,
        bailed: false,
    };
    p.ast.exprs.reserve(p.tokens.len() / 2);
    p.ast.paths.reserve(p.tokens.len() / 4);
    p.ast.lists.reserve(p.tokens.len() / 8);
    p.depths.reserve(p.tokens.len() / 2);
    while p.kind() != TokenKind::Eof {
        let before = p.at;
        // A `;` alone is nothing to remember.
        if !p.eat(TokenKind::Semicolon)
            && let Some(item) = p.item(decl::Where::Top)
        {
            p.ast.items.push(item);
        }
        if p.at == before {
            p.unexpected("a declaration");
            p.bump();
        }
    }
    p.ast
}

struct Parser<'a> {
    tokens: Vec<Token>,
    orders: Vec<(usize, MatrixOrder)>,
    at: usize,
    names: &'a mut Interner,
    diags: &'a mut Diagnostics,
    ast: Ast,
    /// Depth of each expression.
    depths: Vec<u16>,
    table: NameTable,
    builtin_types: BuiltinTypes,
    depth: usize,
    /// The declaration in the condition of the statement that was just read.
    declared: Option<Box<Item>>,
    /// Attributes behind the name of an alias that was just read.
    alias_attrs: Vec<Attribute>,
    /// Token at which the last error was reported: one is enough.
    last_error: usize,
    /// A limit was exceeded; everything reads as the end of the file.
    bailed: bool,
}

impl Parser<'_> {
    fn token(&self) -> Token {
        self.look(0)
    }

    fn look(&self, ahead: usize) -> Token {
        let last = self.tokens.len() - 1;
        if self.bailed { self.tokens[last] } else { self.tokens[(self.at + ahead).min(last)] }
    }

    fn kind(&self) -> TokenKind {
        self.token().kind
    }

    fn span(&self) -> Span {
        self.token().span
    }

    /// The span of the token before.
    fn last_kind(&self) -> Option<TokenKind> {
        Some(self.tokens[self.at.checked_sub(1)?].kind)
    }

    fn last_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    fn bump(&mut self) -> Token {
        let token = self.token();
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        token
    }

    fn text(&self, symbol: Symbol) -> &str {
        self.names.name(symbol)
    }

    /// The text of the current token if it is a name or keyword, else nothing.
    fn word(&self) -> &str {
        self.word_at(0)
    }

    fn word_at(&self, ahead: usize) -> &str {
        let token = self.look(ahead);
        if token.kind == TokenKind::Ident { self.names.name(token.text) } else { "" }
    }

    /// The text of the current token if it is a word that cannot be a name, else nothing.
    fn keyword(&self) -> &str {
        if self.at_keyword() { self.names.name(self.token().text) } else { "" }
    }

    fn at_keyword(&self) -> bool {
        let token = self.token();
        token.kind == TokenKind::Ident && words::is_reserved(token.text)
    }

    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.kind() == kind;
        if found {
            self.bump();
        }
        found
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.word() == word;
        if found {
            self.bump();
        }
        found
    }

    fn shown(&self, token: Token) -> String {
        match token.kind {
            TokenKind::Eof => "the end of the file".into(),
            _ => format!("`{}`", token.spelling(self.names)),
        }
    }

    /// Reports an error at the current token unless one was reported there.
    fn error(&mut self, code: Code, span: Span, message: String) -> Option<&mut Diagnostic> {
        let reported = TokenKind::Bad(BadToken::Reported);
        if self.last_error == self.at || self.bailed || self.kind() == reported {
            return None;
        }
        self.last_error = self.at;
        Some(self.diags.report(code, span, message))
    }

    fn unexpected(&mut self, wanted: &str) {
        let token = self.token();
        let found = self.shown(token);
        if let Some(d) =
            self.error(Code::UnexpectedToken, token.span, format!("expected {wanted}, found {found}"))
        {
            d.label(format!("expected {wanted}"));
            if token.kind == TokenKind::Star {
                d.help("HLSL has no pointers: arguments are changed through `inout` parameters, memory through resources");
            }
        }
    }

    fn expect(&mut self, kind: TokenKind) -> bool {
        if self.eat(kind) {
            return true;
        }
        let wanted = format!("`{}`", kind.punctuation().unwrap_or("token"));
        self.unexpected(&wanted);
        false
    }

    /// Expects the bracket that closes the one at `open`.
    fn close(&mut self, kind: TokenKind, open: Span) -> bool {
        if self.eat(kind) {
            return true;
        }
        let wanted = kind.punctuation().unwrap_or("bracket");
        let token = self.token();
        let found = self.shown(token);
        if let Some(d) =
            self.error(Code::UnclosedDelimiter, token.span, format!("expected `{wanted}`, found {found}"))
        {
            d.label(format!("expected `{wanted}`")).secondary(open, "to close this");
        }
        false
    }

    /// Expects `;`. When it is missing at the end of a line, the picture points there.
    fn semicolon(&mut self) -> bool {
        if self.eat(TokenKind::Semicolon) {
            return true;
        }
        let token = self.token();
        let found = self.shown(token);
        let before = self.last_span();
        // Pointing behind the last token reads best; but not if that lies in a macro.
        let span = if before.file.is_expansion() { token.span } else { before.after() };
        if let Some(d) = self.error(Code::MissingSemicolon, span, format!("expected `;`, found {found}")) {
            d.label("expected `;` here");
        }
        false
    }

    /// Skips to the end of a statement or declaration: behind the next `;` or `{…}` at this level, or before `}`.
    fn recover(&mut self) {
        let mut depth = 0usize;
        loop {
            match self.kind() {
                TokenKind::Eof => return,
                TokenKind::Semicolon if depth == 0 => {
                    self.bump();
                    return;
                }
                TokenKind::RBrace if depth == 0 => return,
                TokenKind::LBrace => depth += 1,
                TokenKind::RBrace => {
                    depth -= 1;
                    if depth == 0 {
                        self.bump();
                        self.eat(TokenKind::Semicolon);
                        return;
                    }
                }
                _ => {}
            }
            self.bump();
        }
    }

    /// Runs `f` one level deeper, or gives up if that is too deep.
    fn nested<T>(&mut self, give_up: T, f: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= MAX_NESTING {
            self.bail("nesting is too deep");
            return give_up;
        }
        self.depth += 1;
        let result = f(self);
        self.depth -= 1;
        result
    }

    /// Reads an expression one level deeper.
    fn nested_expr(&mut self, at: Span, f: impl FnOnce(&mut Self) -> ExprId) -> ExprId {
        let inner = self.nested(None, |p| Some(f(p)));
        inner.unwrap_or_else(|| self.error_expr(at))
    }

    fn bail(&mut self, message: &str) {
        let span = self.span();
        if !self.bailed {
            self.diags.report(Code::NestingTooDeep, span, message);
        }
        self.bailed = true;
        self.at = self.tokens.len() - 1;
    }

    fn push(&mut self, kind: ExprKind, span: Span) -> ExprId {
        let depth_of = |id: &ExprId| self.depths[id.index()];
        let deepest = match &kind {
            ExprKind::Prefix(_, a)
            | ExprKind::Postfix(_, a)
            | ExprKind::Cast(_, a)
            | ExprKind::Member(a, ..)
            | ExprKind::SizeofExpr(a)
            | ExprKind::Paren(a) => depth_of(a),
            ExprKind::Binary(_, a, b)
            | ExprKind::Assign(_, a, b)
            | ExprKind::Index(a, b)
            | ExprKind::Comma(a, b) => depth_of(a).max(depth_of(b)),
            ExprKind::Ternary(a, b, c) => depth_of(a).max(depth_of(b)).max(depth_of(c)),
            ExprKind::Call(f, args) => {
                self.ast.list(*args).iter().map(depth_of).max().unwrap_or(0).max(depth_of(f))
            }
            ExprKind::InitList(list) => self.ast.list(*list).iter().map(depth_of).max().unwrap_or(0),
            _ => 0,
        };
        let mut expr = Expr { kind, span };
        let mut depth = deepest + 1;
        if depth > MAX_EXPR_DEPTH {
            self.bail("expression is too deep");
            expr.kind = ExprKind::Error;
            depth = 1;
        }
        self.ast.exprs.push(expr);
        self.depths.push(depth);
        ExprId(self.ast.exprs.len() as u32 - 1)
    }

    /// Keeps expressions that stand between commas.
    fn push_list(&mut self, list: &[ExprId]) -> ExprList {
        let start = self.ast.lists.len() as u32;
        self.ast.lists.extend_from_slice(list);
        ExprList { start, len: list.len() as u32 }
    }

    fn push_type(&mut self, ty: TypeExpr) -> TypeExprId {
        self.ast.types.push(ty);
        TypeExprId(self.ast.types.len() as u32 - 1)
    }

    fn error_expr(&mut self, span: Span) -> ExprId {
        self.push(ExprKind::Error, span)
    }

    /// A name; reports when there is none.
    fn name(&mut self, what: &str) -> Option<Name> {
        let token = self.token();
        if token.kind == TokenKind::Ident && words::is_name(token.text) {
            self.bump();
            return Some(Name { text: token.text, span: token.span });
        }
        self.unexpected(what);
        None
    }

    fn matrix_order(&self) -> Option<MatrixOrder> {
        let n = self.orders.partition_point(|&(from, _)| from <= self.at);
        n.checked_sub(1).map(|i| self.orders[i].1)
    }
}
