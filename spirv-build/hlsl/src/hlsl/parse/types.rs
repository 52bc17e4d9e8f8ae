//! Types, qualifiers, template arguments, structures and enumerations.
use super::names::Role;
use super::*;
use crate::hlsl::builtin::{self, Builtin, Object};
use smallvec::{SmallVec, smallvec};

/// Tokens between `<` and `>` up to which they are looked at as template arguments.
const MAX_TEMPLATE_TOKENS: usize = 500;
/// Qualifiers that may be names, one behind the other: what follows more of them is not looked at.
const MAX_SOFT_QUALIFIERS: usize = 64;

impl Parser<'_> {
    /// Whether a name is known as a type.
    pub(super) fn is_type_name(&self, name: Symbol) -> bool {
        match self.table.role(name) {
            Some(role) => matches!(role, Role::Type | Role::TypeTemplate),
            None => self.builtin_types.contains(name, self.names),
        }
    }

    fn qualifier(&self, ahead: usize) -> Option<Quals> {
        let word = |at: usize| {
            let next = self.look(at);
            (next.kind == TokenKind::Ident).then_some(next.text)
        };
        let q = words::qualifier(word(ahead)?)?;
        if !is_soft(q) {
            return Some(q);
        }
        for at in ahead + 1..ahead + MAX_SOFT_QUALIFIERS {
            let next = word(at)?;
            if self.is_type_name(next) {
                return Some(q);
            }
            match words::qualifier(next) {
                Some(other) if is_soft(other) => {}
                Some(_) => return Some(q),
                None if self.look(at + 1).kind == TokenKind::ColonColon => return Some(q),
                // `precise Foo x`, where `Foo` is not known; `precise auto x`.
                None => return word(at + 1).map(|_| q),
            }
        }
        None
    }

    pub(super) fn qualifiers(&mut self) -> Quals {
        let mut quals = Quals::default();
        while let Some(q) = self.qualifier(0) {
            let span = self.bump().span;
            if takes_direction_again(quals, q) {
                let word = q.word();
                self.diags
                    .report(Code::BadModifier, span, format!("`{word}` says again where the value goes"))
                    .label("said before")
                    .help("write `in`, `out` or `inout` once");
            }
            quals = quals.with(q);
        }
        if quals.has(Quals::IN.with(Quals::OUT)) {
            quals = quals.with(Quals::INOUT);
        }
        quals
    }

    /// Whether a declaration starts here.
    pub(super) fn at_declaration(&self) -> bool {
        let token = self.token();
        if token.kind == TokenKind::ColonColon {
            return self.path_is_type();
        }
        if token.kind != TokenKind::Ident {
            return false;
        }
        match self.keyword() {
            "" => {}
            "struct" | "class" | "enum" | "interface" | "typedef" | "using" | "template" | "cbuffer"
            | "tbuffer" | "namespace" | "static_assert" | "_Static_assert" | "auto" | "typename" => {
                return true;
            }
            word if self.qualifier(0).is_none() && word != "void" => {
                return false;
            }
            _ => {}
        }
        if self.qualifier(0).is_some() {
            return true;
        }
        self.path_is_type()
    }

    /// Looks over a path: a type is followed by a name, or by `<`, or is known. `float3(…)` is an expression.
    fn path_is_type(&self) -> bool {
        let mut i = usize::from(self.kind() == TokenKind::ColonColon);
        loop {
            let token = self.look(i);
            if token.kind != TokenKind::Ident {
                return false;
            }
            if self.look(i + 1).kind != TokenKind::ColonColon {
                break;
            }
            i += 2;
        }
        let name = self.look(i).text;
        let next = self.look(i + 1);
        let vk = i >= 2 && self.word_at(i - 2) == "vk" && is_vk_template(self.text(name));
        match next.kind {
            TokenKind::Less if vk => self.template_is_followed_by_name(i + 1),
            // `Foo bar`: even if `Foo` is unknown, it was meant as a type.
            TokenKind::Ident => true,
            // `float3(1, 2, 3)` is a value, and so is `T::value`.
            TokenKind::LParen | TokenKind::Dot => false,
            TokenKind::Less => self.is_type_name(name) && self.template_is_followed_by_name(i + 1),
            _ => self.is_type_name(name) && i == 0,
        }
    }

    /// `Buffer<float> x` declares, `vector<float, 3>(…)` does not.
    fn template_is_followed_by_name(&self, less: usize) -> bool {
        match self.skip_template_args(less) {
            Some(end) => !matches!(self.look(end).kind, TokenKind::LParen | TokenKind::ColonColon),
            None => true,
        }
    }

    /// Position behind the `>` that closes the `<` at `less`, if everything between can be template arguments.
    pub(super) fn skip_template_args(&self, less: usize) -> Option<usize> {
        let mut depth = 0usize;
        let mut parens = 0usize;
        let mut i = less;
        loop {
            match self.look(i).kind {
                TokenKind::Less if parens == 0 => depth += 1,
                TokenKind::Greater if parens == 0 => depth -= 1,
                // The second half may belong to arguments around these.
                TokenKind::Shr if parens == 0 => depth = depth.saturating_sub(2),
                TokenKind::LParen | TokenKind::LBracket => parens += 1,
                TokenKind::RParen | TokenKind::RBracket => parens = parens.checked_sub(1)?,
                TokenKind::Semicolon | TokenKind::LBrace | TokenKind::RBrace | TokenKind::Eof => return None,
                TokenKind::AndAnd | TokenKind::OrOr | TokenKind::Eq if parens == 0 => return None,
                _ => {}
            }
            i += 1;
            if i - less > MAX_TEMPLATE_TOKENS {
                return None;
            }
            if depth == 0 {
                return Some(i);
            }
        }
    }

    /// A type with the qualifiers before (and behind) it.
    pub(super) fn type_expr(&mut self) -> TypeExpr {
        let start = self.span();
        let quals = self.qualifiers();
        let kind = self.nested(TypeKind::Error, |p| p.type_kind());
        // `float const x`. What else stands there was meant to stand before.
        let behind = self.span();
        let more = self.qualifiers();
        if let Some(word) = [Quals::CONST, Quals::STATIC, Quals::EXTERN, Quals::VOLATILE, Quals::INLINE]
            .iter()
            .fold(more, |rest, q| rest.without(*q))
            .words()
            .next()
        {
            let span = behind.to(self.last_span());
            self.diags
                .report(Code::BadModifier, span, format!("`{word}` stands behind the type"))
                .label("behind the type")
                .help("modifiers stand before the type");
        }
        let quals = quals.with(more);
        TypeExpr { kind, quals, dims: Vec::new(), span: start.to(self.last_span()) }
    }

    fn type_kind(&mut self) -> TypeKind {
        match self.keyword() {
            "struct" | "class" | "interface" => {
                let s = self.structure();
                return TypeKind::Struct(Box::new(s));
            }
            "enum" => {
                let e = self.enumeration();
                return TypeKind::Enum(Box::new(e));
            }
            "" if self.word() == "unsigned" => {
                // `unsigned int` is `uint`, `unsigned int2x2` is `uint2x2`.
                let at = self.bump().span;
                let word = match unsigned(self.word()) {
                    Some(word) => {
                        self.bump();
                        word
                    }
                    None => String::from("uint"),
                };
                let text = self.names.intern(&word);
                let name = Name { text, span: at.to(self.last_span()) };
                return TypeKind::Named(Path {
                    global: false,
                    parts: smallvec![name],
                    args: None,
                    scope_args: None,
                    span: name.span,
                });
            }
            "auto" => {
                self.bump();
                return TypeKind::Auto;
            }
            "typename" => {
                self.bump();
            }
            _ => {}
        }
        let token = self.token();
        let is_name =
            token.kind == TokenKind::Ident && (!words::is_reserved(token.text) || self.word() == "void");
        if !is_name && token.kind != TokenKind::ColonColon {
            let found = self.shown(token);
            if let Some(d) =
                self.error(Code::ExpectedType, token.span, format!("expected a type, found {found}"))
            {
                d.label("expected a type");
            }
            return TypeKind::Error;
        }
        match self.path(true) {
            Some(path) => TypeKind::Named(path),
            None => TypeKind::Error,
        }
    }

    /// `a::b<T>`. In types `<` always opens template arguments; in expressions only where that makes sense.
    pub(super) fn path(&mut self, in_type: bool) -> Option<Path> {
        let start = self.span();
        let global = self.eat(TokenKind::ColonColon);
        let mut parts = SmallVec::new();
        let (mut args, mut scope_args) = (None, None);
        loop {
            // `S<T>::template f<U>`
            if !parts.is_empty() {
                self.eat_word("template");
            }
            let token = self.token();
            if token.kind != TokenKind::Ident {
                self.unexpected("a name");
                return None;
            }
            self.bump();
            parts.push(Name { text: token.text, span: token.span });
            if self.kind() == TokenKind::Less {
                let role = self.table.role(token.text);
                let template = match role {
                    Some(r) => {
                        matches!(r, Role::TypeTemplate | Role::FunctionTemplate)
                            || (in_type && r == Role::Type)
                    }
                    None if self.text(token.text).starts_with("__builtin_spv_") => true,
                    None if in_type || takes_arguments(self.text(token.text)) => true,
                    None if is_vk_template(self.text(token.text)) && parts.len() > 1 => true,
                    // A member of a class or namespace that is not known here: `S::f<int>(…)`.
                    None => {
                        parts.len() > 1
                            && self
                                .skip_template_args(0)
                                .is_some_and(|end| self.look(end).kind == TokenKind::LParen)
                    }
                };
                // A template's name always takes arguments.
                if template && self.skip_template_args(0).is_some() {
                    args = Some(self.template_args());
                }
            }
            if self.kind() == TokenKind::ColonColon && (args.is_none() || scope_args.is_none()) {
                self.bump();
                if let Some(args) = args.take() {
                    scope_args = Some(Box::new((parts.len() - 1, args)));
                }
                continue;
            }
            return Some(Path { global, parts, args, scope_args, span: start.to(self.last_span()) });
        }
    }

    /// `<float, 3>`
    pub(super) fn template_args(&mut self) -> Vec<TemplateArg> {
        let open = self.bump().span;
        let mut args = Vec::new();
        while !matches!(self.kind(), TokenKind::Greater | TokenKind::Shr | TokenKind::Eof) {
            let arg = if self.at_template_type() {
                let mut ty = self.type_expr();
                ty.dims = self.dims();
                TemplateArg::Type(ty)
            } else {
                TemplateArg::Expr(self.template_value())
            };
            args.push(arg);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.close_angle(open);
        args
    }

    fn at_template_type(&self) -> bool {
        let token = self.token();
        // What an operator follows is a constant, whatever it names; behind `::` anything else is taken for a type.
        let mut last = 0;
        while self.look(last).kind == TokenKind::Ident && self.look(last + 1).kind == TokenKind::ColonColon {
            last += 2;
        }
        if self.look(last).kind == TokenKind::Ident {
            use TokenKind as K;
            let next = self.look(last + 1).kind;
            if matches!(next, K::Or | K::Plus | K::Minus | K::Star | K::Slash | K::And | K::Question | K::Shl)
            {
                return false;
            }
            if last > 0 {
                return matches!(next, K::Less | K::Greater | K::Shr | K::Comma | K::LBracket | K::Ident);
            }
        }
        token.kind == TokenKind::ColonColon
            || (token.kind == TokenKind::Ident
                && (self.is_type_name(token.text)
                    || self.qualifier(0).is_some()
                    || matches!(self.word(), "struct" | "typename")
                    // An unknown name is more likely a type than a constant.
                    || (self.table.role(token.text).is_none() && !matches!(self.word(), "true" | "false" | "sizeof"))))
    }

    /// Expects `>`; takes half of `>>`.
    fn close_angle(&mut self, open: Span) {
        if self.kind() == TokenKind::Shr && !self.bailed {
            let at = self.at;
            let token = &mut self.tokens[at];
            self.ast.joined_angles.push(token.span);
            token.kind = TokenKind::Greater;
            token.span.lo += 1;
            return;
        }
        self.close(TokenKind::Greater, open);
    }

    /// `[2][]`
    pub(super) fn dims(&mut self) -> Vec<Option<ExprId>> {
        let mut dims = Vec::new();
        while self.kind() == TokenKind::LBracket
            && self.look(1).kind != TokenKind::LBracket
            && !self.at_attribute_line()
        {
            let open = self.bump().span;
            dims.push(if self.kind() == TokenKind::RBracket { None } else { Some(self.expr()) });
            if !self.close(TokenKind::RBracket, open) {
                break;
            }
        }
        dims
    }

    fn structure(&mut self) -> Struct {
        let start = self.span();
        let interface = self.bump().text == self.names.intern("interface");
        let mut name = None;
        // `struct [raypayload] S`: nothing that compute shaders know of.
        if self.kind() == TokenKind::LBracket {
            self.attributes();
        }
        if self.kind() == TokenKind::Ident {
            name = self.name("the name of the structure");
        }
        let mut args = None;
        if name.is_some() && self.kind() == TokenKind::Less {
            args = Some(self.template_args());
        }
        let span = start.to(self.last_span());
        if let Some(name) = name
            && !matches!(self.table.role(name.text), Some(Role::TypeTemplate))
        {
            self.table.declare(name.text, Role::Type);
        }
        let mut bases = Vec::new();
        if self.eat(TokenKind::Colon) {
            loop {
                while matches!(self.word(), "public" | "private" | "protected") {
                    self.bump();
                }
                bases.push(self.type_expr());
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
        }
        let mut members = None;
        if self.kind() == TokenKind::LBrace {
            members = Some(self.member_block(decl::Where::Struct));
        } else if name.is_none() || !bases.is_empty() {
            self.unexpected("`{`");
        }
        Struct { name, interface, args, bases, members, span }
    }

    /// `{ members }`
    pub(super) fn member_block(&mut self, place: decl::Where) -> Vec<Item> {
        let open = self.bump().span;
        // Members of a buffer are visible outside it.
        let own_scope = place == decl::Where::Struct;
        if own_scope {
            self.table.enter();
        }
        let mut members = Vec::new();
        while !matches!(self.kind(), TokenKind::RBrace | TokenKind::Eof) {
            let before = self.at;
            if let Some(item) = self.nested(None, |p| p.item(place)) {
                members.push(item);
            }
            if self.at == before {
                self.unexpected("a member");
                self.bump();
            }
        }
        self.close(TokenKind::RBrace, open);
        if own_scope {
            self.table.leave();
        }
        members
    }

    fn enumeration(&mut self) -> Enum {
        let start = self.bump().span;
        let scoped = self.eat_word("class") || self.eat_word("struct");
        let mut name = None;
        if self.kind() == TokenKind::Ident {
            name = self.name("the name of the enumeration");
        }
        let span = start.to(self.last_span());
        if let Some(name) = name {
            self.table.declare(name.text, Role::Type);
        }
        let underlying = if self.eat(TokenKind::Colon) { Some(self.type_expr()) } else { None };
        let mut values = Vec::new();
        let open = self.span();
        if self.eat(TokenKind::LBrace) {
            while !matches!(self.kind(), TokenKind::RBrace | TokenKind::Eof) {
                let Some(value) = self.name("the name of a value") else { break };
                if !scoped {
                    self.table.declare(value.text, Role::Value);
                }
                let init = if self.eat(TokenKind::Eq) { Some(self.assignment()) } else { None };
                values.push((value, init));
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
            if !self.close(TokenKind::RBrace, open) {
                self.recover();
            }
        }
        Enum { name, scoped, underlying, values, span }
    }
}

/// Whether a qualifier is a name unless something that can follow a qualifier does: programs use these words as names.
fn is_soft(q: Quals) -> bool {
    let hard = [Quals::UNORM, Quals::SNORM, Quals::EXPORT];
    q == Quals::SHARED || q == Quals::PRECISE || q.0 >= Quals::NOINTERPOLATION.0 && !hard.contains(&q)
}

/// Whether a direction is given twice. `in out` is another way to write `inout`.
fn takes_direction_again(have: Quals, q: Quals) -> bool {
    match q {
        Quals::IN | Quals::OUT => have.has(q) || have.has(Quals::INOUT),
        Quals::INOUT => [Quals::IN, Quals::OUT, Quals::INOUT].iter().any(|d| have.has(*d)),
        _ => false,
    }
}

/// The type that `unsigned` makes of an integer type: `uint3` of `int3`. What is unsigned already stays.
fn unsigned(word: &str) -> Option<String> {
    builtin::find(word)?;
    if let Some(rest) = word.strip_prefix("int") {
        return Some(format!("uint{rest}"));
    }
    if let Some(rest) = word.strip_prefix("min16int") {
        return Some(format!("min16uint{rest}"));
    }
    ["uint", "dword", "min16uint"].iter().any(|w| word.starts_with(w)).then(|| word.to_string())
}

/// Types and functions of namespace `vk` that take template arguments.
fn is_vk_template(name: &str) -> bool {
    matches!(
        name,
        "BufferPointer"
            | "SpirvType"
            | "SpirvOpaqueType"
            | "ext_type"
            | "ext_result_id"
            | "integral_constant"
            | "Literal"
            | "RawBufferLoad"
            | "RawBufferStore"
            | "static_pointer_cast"
            | "reinterpret_pointer_cast"
    ) || builtin::sampled_texture(name).is_some()
}

/// Whether a built-in type's name may be followed by template arguments.
fn takes_arguments(name: &str) -> bool {
    match builtin::find(name) {
        Some(Builtin::VectorTemplate | Builtin::MatrixTemplate) => true,
        Some(Builtin::Object(o)) => !matches!(o, Object::ByteAddress(_) | Object::Sampler(_)),
        _ => false,
    }
}
