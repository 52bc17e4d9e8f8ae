//! Attributes, and what follows the `:` of declarations.
use super::*;

/// Attributes of statements and functions.
pub(in crate::hlsl) const NAMES: &[&str] = &[
    "unroll",
    "loop",
    "branch",
    "flatten",
    "forcecase",
    "call",
    "fastopt",
    "allow_uav_condition",
    "numthreads",
    "shader",
];

/// Shaders that see the payload of a ray.
const PAYLOAD_SHADERS: &[&str] = &["caller", "anyhit", "closesthit", "miss"];

impl Parser<'_> {
    /// Whether an attribute starts a line here: then a `;` was forgotten before it, and it is no index.
    pub(super) fn at_attribute_line(&self) -> bool {
        self.token().first_on_line && NAMES.iter().any(|n| self.word_at(1).eq_ignore_ascii_case(n))
    }

    /// `[a(1)] [[vk::b]] [[using vk: c, d]] …`
    pub(super) fn attributes(&mut self) -> Vec<Attribute> {
        let mut attrs = Vec::new();
        while self.kind() == TokenKind::LBracket {
            let open = self.bump().span;
            let double = self.eat(TokenKind::LBracket);
            let used = if double && self.word_at(0) == "using" { self.attribute_scope() } else { None };
            loop {
                let start = self.span();
                let Some(mut name) = self.attribute_name() else { break };
                let mut scope = used;
                if self.eat(TokenKind::ColonColon) {
                    if let Some(used) = used {
                        let message = "an attribute behind `using` has no namespace of its own";
                        self.diags
                            .report(Code::UnexpectedToken, name.span, message)
                            .secondary(used.span, "all attributes are of this one")
                            .help("write it into brackets of its own: `[[vk::binding(0)]]`");
                    }
                    scope = Some(name);
                    match self.attribute_name() {
                        Some(n) => name = n,
                        None => break,
                    }
                }
                let mut args = Vec::new();
                if self.kind() == TokenKind::LParen {
                    let open = self.bump().span;
                    args = self.expr_list(TokenKind::RParen).into_vec();
                    self.close(TokenKind::RParen, open);
                }
                attrs.push(Attribute { scope, name, args, span: start.to(self.last_span()) });
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
            let closed =
                self.close(TokenKind::RBracket, open) && (!double || self.close(TokenKind::RBracket, open));
            if !closed {
                while !matches!(
                    self.kind(),
                    TokenKind::RBracket | TokenKind::Semicolon | TokenKind::LBrace | TokenKind::Eof
                ) {
                    self.bump();
                }
                while self.eat(TokenKind::RBracket) {}
            }
        }
        attrs
    }

    /// `using vk:`, which gives all attributes of the brackets their namespace.
    fn attribute_scope(&mut self) -> Option<Name> {
        self.bump();
        let scope = self.attribute_name()?;
        if !self.eat(TokenKind::Colon) {
            self.unexpected("`:`");
        }
        Some(scope)
    }

    /// Attribute names may be any word.
    fn attribute_name(&mut self) -> Option<Name> {
        let token = self.token();
        if token.kind != TokenKind::Ident {
            self.unexpected("the name of an attribute");
            return None;
        }
        self.bump();
        Some(Name { text: token.text, span: token.span })
    }

    /// `: SV_GroupID`, `: register(…)`, `: packoffset(…)`.
    pub(super) fn annotations(&mut self) -> Vec<Annotation> {
        let mut list = Vec::new();
        while self.kind() == TokenKind::Colon {
            self.bump();
            let token = self.token();
            if token.kind != TokenKind::Ident {
                self.unexpected("a semantic or register");
                break;
            }
            self.bump();
            let name = Name { text: token.text, span: token.span };
            let open = self.span();
            let word = self.text(token.text).to_string();
            match word.as_str() {
                "register" if self.eat(TokenKind::LParen) => {
                    let mut words = Vec::new();
                    loop {
                        let t = self.token();
                        if t.kind != TokenKind::Ident {
                            self.unexpected("a register such as `t0`");
                            break;
                        }
                        self.bump();
                        words.push(Name { text: t.text, span: t.span });
                        // `s[1]` is `s1`, and `s1[2]` is `s3`.
                        if self.kind() == TokenKind::LBracket {
                            let Some(name) = self.register_offset(t.text, t.span) else { break };
                            words.pop();
                            words.push(name);
                        }
                        if !self.eat(TokenKind::Comma) {
                            break;
                        }
                    }
                    self.close(TokenKind::RParen, open);
                    list.push(Annotation::Register(words, name.span.to(self.last_span())));
                }
                "packoffset" if self.eat(TokenKind::LParen) => {
                    let t = self.token();
                    if t.kind != TokenKind::Ident {
                        self.unexpected("a position such as `c0.y`");
                        break;
                    }
                    self.bump();
                    let mut component = None;
                    if self.eat(TokenKind::Dot) {
                        component = self.name("a component: `x`, `y`, `z` or `w`");
                    }
                    self.close(TokenKind::RParen, open);
                    list.push(Annotation::PackOffset(
                        Name { text: t.text, span: t.span },
                        component,
                        name.span.to(self.last_span()),
                    ));
                }
                // Which shaders of a ray read or write a member of its payload.
                "read" | "write" if self.kind() == TokenKind::LParen => self.payload_access(),
                "register" | "packoffset" => {
                    self.unexpected("`(`");
                    break;
                }
                _ => list.push(Annotation::Semantic(name)),
            }
        }
        list
    }

    /// `(caller, anyhit)` behind `read` or `write`.
    fn payload_access(&mut self) {
        let open = self.bump().span;
        while self.kind() == TokenKind::Ident {
            if !PAYLOAD_SHADERS.contains(&self.word()) {
                self.unexpected("`caller`, `anyhit`, `closesthit` or `miss`");
            }
            self.bump();
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.close(TokenKind::RParen, open);
    }

    /// The register that one with an offset behind it is, at its `[`.
    fn register_offset(&mut self, base: Symbol, span: Span) -> Option<Name> {
        let open = self.bump().span;
        let token = self.token();
        let text = self.names.name(token.text);
        let offset: Option<u32> = if token.kind == TokenKind::Number { text.parse().ok() } else { None };
        let base = self.names.name(base);
        let digits = base.find(|c: char| c.is_ascii_digit()).unwrap_or(base.len());
        let (class, number) = base.split_at(digits);
        let number = if number.is_empty() { Some(0) } else { number.parse::<u32>().ok() };
        let sum = number.zip(offset).and_then(|(a, b)| a.checked_add(b));
        let Some(sum) = sum else {
            self.unexpected("a number");
            return None;
        };
        let shown = format!("{class}{sum}");
        self.bump();
        self.close(TokenKind::RBracket, open);
        Some(Name { text: self.names.intern(&shown), span: span.to(self.last_span()) })
    }
}
