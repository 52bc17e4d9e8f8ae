//! Declarations.
use super::names::Role;
use super::*;
use crate::diag::suggest;
use smallvec::{SmallVec, smallvec};

/// Where a declaration stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Where {
    /// At the top level or in a namespace.
    Top,
    /// In a structure.
    Struct,
    /// In a `cbuffer`.
    Buffer,
    /// In a function.
    Local,
}

/// Tokens in front of a function's name that are looked at: attributes, modifiers and the type of its result.
const MOST_BEFORE_NAME: usize = 256;

impl Parser<'_> {
    /// One declaration; `None` if nothing could be read.
    pub(super) fn item(&mut self, place: Where) -> Option<Item> {
        let start = self.span();
        if self.eat(TokenKind::Semicolon) {
            return Some(Item { kind: ItemKind::Empty, attrs: Vec::new(), span: start });
        }
        let mut attrs = self.attributes();
        let kind = self.nested(None, |p| p.item_kind(place))?;
        attrs.append(&mut self.alias_attrs);
        Some(Item { kind, attrs, span: start.to(self.last_span()) })
    }

    /// A declaration whose attributes were read.
    pub(super) fn item_kind(&mut self, place: Where) -> Option<ItemKind> {
        match self.keyword() {
            "cbuffer" | "tbuffer" if place == Where::Top => return self.buffer_block(),
            "namespace" => return self.namespace(),
            "template" => return self.template(place),
            "typedef" => {
                self.bump();
                let decl = self.var_decl(None, Role::Type)?;
                return Some(ItemKind::Typedef(Box::new(decl)));
            }
            "using" => return self.using(),
            "" if place == Where::Top && self.at_technique() => {
                self.bump();
                self.eat(TokenKind::Ident);
                self.skip_effect(TokenKind::LBrace, TokenKind::RBrace, "this technique is ignored");
                return Some(ItemKind::Empty);
            }
            "static_assert" | "_Static_assert" => return Some(self.static_assert()),
            "" if self.look(1).kind == TokenKind::Colon
                && matches!(self.word(), "public" | "private" | "protected") =>
            {
                self.bump();
                self.bump();
                return Some(ItemKind::Empty);
            }
            _ => {}
        }
        // `Foo x` with an unknown `Foo` is read on, so that the message is about the type.
        if !self.at_declaration() {
            let token = self.token();
            if token.kind != TokenKind::Ident || self.look(1).kind != TokenKind::Less {
                let found = self.shown(token);
                let name = self.text(token.text).to_string();
                let call = self.look(1).kind == TokenKind::LParen;
                let is_macro = token.kind == TokenKind::Ident && suggest::is_like_macro(&name);
                if let Some(d) = self.error(
                    Code::UnexpectedToken,
                    token.span,
                    format!("expected a declaration, found {found}"),
                ) {
                    d.label("a declaration starts with a type");
                    if is_macro {
                        d.help(suggest::define_macro(&name));
                    } else if call && place == Where::Top && token.kind == TokenKind::Ident {
                        d.help(format!(
                            "a function begins with the type of its result: `void {name}(…)`; a call belongs into a function"
                        ));
                    } else if place == Where::Top && token.kind == TokenKind::Ident {
                        d.help("statements belong into a function");
                    }
                }
                if token.kind == TokenKind::RBrace && place == Where::Top {
                    self.bump();
                } else {
                    self.recover();
                }
                return Some(ItemKind::Empty);
            }
        }
        let ty = self.type_expr();
        if matches!(ty.kind, TypeKind::Error) && self.last_error == self.at {
            self.recover();
            return Some(ItemKind::Empty);
        }
        if self.at_function() {
            return self.function(ty, place);
        }
        let decl = self.var_decl(Some(ty), Role::Value)?;
        Some(ItemKind::Vars(decl))
    }

    /// Whether `technique T {` is here.
    fn at_technique(&self) -> bool {
        let named = usize::from(self.look(1).kind == TokenKind::Ident);
        self.look(1 + named).kind == TokenKind::LBrace
            && matches!(self.word(), "technique" | "technique10" | "technique11")
    }

    /// Whether a function's name and parameters follow.
    fn at_function(&self) -> bool {
        if self.word() == "operator" {
            return true;
        }
        let mut i = 0;
        while self.look(i).kind == TokenKind::Ident {
            match self.look(i + 1).kind {
                TokenKind::LParen => return true,
                TokenKind::ColonColon => i += 2,
                // `S<T>::f(…)`, `f<int>(…)`: of a template.
                TokenKind::Less => match self.skip_template_args(i + 1) {
                    Some(end) if self.look(end).kind == TokenKind::ColonColon => i = end + 1,
                    Some(end) => return self.look(end).kind == TokenKind::LParen,
                    None => return false,
                },
                _ => return false,
            }
            if self.word_at(i) == "operator" {
                return true;
            }
        }
        false
    }

    fn function(&mut self, mut ret: TypeExpr, place: Where) -> Option<ItemKind> {
        let (mut parts, mut args, mut scope_args) = (SmallVec::new(), None, None);
        let mut operator = false;
        let start = self.span();
        loop {
            if let Some(args) = Option::take(&mut args) {
                scope_args = Some(Box::new((parts.len() - 1, args)));
            }
            if self.word() == "operator" {
                parts.push(self.operator_name());
                operator = true;
                break;
            }
            parts.push(self.name("the name of a function")?);
            if self.kind() == TokenKind::Less {
                args = Some(self.template_args());
            }
            if !self.eat(TokenKind::ColonColon) {
                break;
            }
        }
        let name = Path { global: false, parts, args, scope_args, span: start.to(self.last_span()) };
        let last = name.last();
        if name.parts.len() == 1 && self.table.role(last.text) != Some(Role::FunctionTemplate) {
            self.table.declare(last.text, Role::Value);
        }
        self.table.enter();
        let params = self.params();
        let mut is_const = false;
        while matches!(self.word(), "const" | "override" | "final") {
            is_const |= self.word() == "const";
            self.bump();
        }
        // `float f()[4]` returns an array.
        ret.dims = self.dims();
        let annotations = self.annotations();
        let mut body = None;
        if self.kind() == TokenKind::LBrace {
            if place == Where::Local {
                let span = self.span();
                if let Some(d) =
                    self.error(Code::BadDeclaration, span, "a function cannot be defined here".into())
                {
                    d.label("within another function").help("define it before the function around it");
                }
            }
            body = Some(self.block_body());
        } else if !self.semicolon() {
            // A body may follow after all: `void f() int x { }`.
            self.recover();
        }
        self.table.leave();
        let end = self.last_span();
        Some(ItemKind::Function(Box::new(Function {
            ret,
            name,
            operator,
            params,
            annotations,
            is_const,
            body,
            end,
        })))
    }

    /// `operator+`, `operator[]`, `operator float`.
    fn operator_name(&mut self) -> Name {
        let start = self.bump().span;
        let mut text = String::from("operator");
        let token = self.bump();
        if token.kind == TokenKind::Ident {
            text.push(' ');
        }
        text += token.spelling(self.names);
        let pair = match token.kind {
            TokenKind::LParen => Some(TokenKind::RParen),
            TokenKind::LBracket => Some(TokenKind::RBracket),
            _ => None,
        };
        if let Some(pair) = pair
            && self.eat(pair)
        {
            text += pair.punctuation().unwrap_or("");
        }
        Name { text: self.names.intern(&text), span: start.to(self.last_span()) }
    }

    fn params(&mut self) -> Vec<Param> {
        let open = self.span();
        let mut params = Vec::new();
        if !self.expect(TokenKind::LParen) {
            return params;
        }
        if self.word() == "void" && self.look(1).kind == TokenKind::RParen {
            self.bump();
        }
        while !matches!(self.kind(), TokenKind::RParen | TokenKind::Eof) {
            let before = self.at;
            let attrs = self.attributes();
            let ty = self.type_expr();
            let mut name = Name { text: self.names.intern(""), span: ty.span };
            if self.kind() == TokenKind::Ident {
                match self.name("the name of a parameter") {
                    Some(n) => name = n,
                    None => break,
                }
                self.table.declare(name.text, Role::Value);
            }
            let dims = self.dims();
            let mut annotations = self.annotations();
            let init = if self.eat(TokenKind::Eq) { Some(self.assignment()) } else { None };
            annotations.extend(self.annotations());
            params.push(Param {
                attrs,
                ty,
                decl: Declarator { name, owner: None, args: None, dims, bits: None, annotations, init },
            });
            if !self.eat(TokenKind::Comma) || self.at == before {
                break;
            }
        }
        if !self.close(TokenKind::RParen, open) {
            while !matches!(
                self.kind(),
                TokenKind::RParen
                    | TokenKind::LBrace
                    | TokenKind::Semicolon
                    | TokenKind::RBrace
                    | TokenKind::Eof
            ) {
                self.bump();
            }
            self.eat(TokenKind::RParen);
        }
        params
    }

    /// Names behind a type, up to the `;`.
    pub(super) fn var_decl(&mut self, ty: Option<TypeExpr>, role: Role) -> Option<VarDecl> {
        let default_order = self.matrix_order();
        let ty = match ty {
            Some(ty) => ty,
            None => self.type_expr(),
        };
        let mut declarators = Vec::new();
        // `struct S { … };` declares no variable; nor does a structure whose `;` was forgotten.
        let only_type = matches!(ty.kind, TypeKind::Struct(_) | TypeKind::Enum(_));
        let at_name = self.kind() == TokenKind::Ident && words::is_name(self.token().text);
        // A name on a line of its own begins the next declaration, unless it is followed by what follows the name of a variable.
        let next_declaration = at_name
            && self.token().first_on_line
            && !matches!(
                self.look(1).kind,
                TokenKind::Semicolon
                    | TokenKind::Comma
                    | TokenKind::Eq
                    | TokenKind::LBracket
                    | TokenKind::Colon
                    | TokenKind::LParen
                    | TokenKind::LBrace
            );
        if only_type && (!at_name || next_declaration) && self.kind() != TokenKind::Semicolon {
            self.semicolon();
            return Some(VarDecl { ty, default_order, declarators });
        }
        if self.kind() == TokenKind::Semicolon {
            if !only_type && !matches!(ty.kind, TypeKind::Error) {
                let span = ty.span.to(self.span());
                self.error(Code::BadDeclaration, span, "declaration without a name".into());
            }
            self.bump();
            return Some(VarDecl { ty, default_order, declarators });
        }
        loop {
            let Some(d) = self.declarator(role) else {
                self.recover();
                return Some(VarDecl { ty, default_order, declarators });
            };
            declarators.push(d);
            // `for (int i = 0, i < n, …)`
            let compares =
                matches!(self.look(2).kind, TokenKind::Less | TokenKind::Greater | TokenKind::LessEq);
            if self.kind() == TokenKind::Comma && self.look(1).kind == TokenKind::Ident && compares {
                let span = self.bump().span;
                if let Some(d) = self.error(Code::MissingSemicolon, span, "expected `;`, found `,`".into()) {
                    d.label("expected `;` here").help("the three parts of a `for` are separated by `;`");
                }
                return Some(VarDecl { ty, default_order, declarators });
            }
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        if !self.semicolon() {
            // On the same line something is wrong with this declaration; on the next line only the `;` is missing.
            if !self.token().first_on_line {
                self.recover();
            }
        }
        Some(VarDecl { ty, default_order, declarators })
    }

    pub(super) fn declarator(&mut self, role: Role) -> Option<Declarator> {
        let what = if role == Role::Type { "the name of the type" } else { "the name of a variable" };
        let unnamed = self.kind() == TokenKind::Colon && self.look(1).kind == TokenKind::Number;
        let name =
            if unnamed { Name { text: self.names.intern(""), span: self.span() } } else { self.name(what)? };
        let (name, owner) = match self.at_owner() {
            true => self.owned_name(name)?,
            false => (name, None),
        };
        let mut args = None;
        if self.kind() == TokenKind::Less && self.table.role(name.text) == Some(Role::FunctionTemplate) {
            args = Some(self.template_args());
        } else if owner.is_none() {
            self.table.declare(name.text, role);
        }
        let dims = self.dims();
        let mut bits = None;
        if self.kind() == TokenKind::Colon && self.at_width() {
            self.bump();
            bits = Some(self.ternary());
        }
        let annotations = self.annotations();
        if role == Role::Value && self.at_effect_annotation() {
            self.skip_effect(TokenKind::Less, TokenKind::Greater, "this annotation is ignored");
        }
        let init = if self.eat(TokenKind::Eq) { Some(self.initializer()) } else { None };
        if init.is_none() && role == Role::Value && self.kind() == TokenKind::LBrace {
            self.skip_effect(TokenKind::LBrace, TokenKind::RBrace, "this state is ignored");
        }
        Some(Declarator { name, owner, args, dims, bits, annotations, init })
    }

    /// Whether `< string name = "…"; >` follows, what effects of Direct3D told their editors.
    fn at_effect_annotation(&self) -> bool {
        let names = [1, 2].iter().all(|&n| self.look(n).kind == TokenKind::Ident);
        self.kind() == TokenKind::Less && names && self.look(3).kind == TokenKind::Eq
    }

    /// Reads over something of effects that is in brackets: `{ Filter = LINEAR; }` behind a sampler, for example.
    fn skip_effect(&mut self, open: TokenKind, close: TokenKind, message: &str) {
        let start = self.span();
        let mut depth = 0usize;
        loop {
            let kind = self.kind();
            if kind == TokenKind::Eof {
                break;
            }
            depth += usize::from(kind == open);
            depth -= usize::from(kind == close);
            self.bump();
            if depth == 0 {
                break;
            }
        }
        let span = start.to(self.last_span());
        self.diags.report(Code::EffectsSyntax, span, message).help(
            "states of samplers and pipelines are set by the host; to initialise a variable, write `=`",
        );
    }

    /// Whether what was read is a class, not a name: `::` follows, perhaps behind template arguments.
    fn at_owner(&self) -> bool {
        match self.kind() {
            TokenKind::ColonColon => true,
            TokenKind::Less => {
                self.skip_template_args(0).is_some_and(|end| self.look(end).kind == TokenKind::ColonColon)
            }
            _ => false,
        }
    }

    /// `S<T>::x` behind `S`: the name, and the class.
    fn owned_name(&mut self, first: Name) -> Option<(Name, Option<Box<Path>>)> {
        let mut parts: SmallVec<[Name; 1]> = smallvec![first];
        let mut args = None;
        while self.at_owner() {
            if self.kind() == TokenKind::Less {
                args = Some(self.template_args());
            }
            self.bump();
            parts.push(self.name("the name of a member")?);
        }
        let name = parts.pop()?;
        let span = first.span.to(name.span);
        Some((name, Some(Box::new(Path { global: false, parts, args, scope_args: None, span }))))
    }

    /// Whether the width of a bit field follows the `:` here. A name there is a semantic.
    fn at_width(&self) -> bool {
        matches!(self.look(1).kind, TokenKind::Number | TokenKind::LParen)
    }

    fn buffer_block(&mut self) -> Option<ItemKind> {
        let texture = self.word() == "tbuffer";
        self.bump();
        let name = match self.kind() {
            TokenKind::LBrace | TokenKind::Colon => {
                let span = self.last_span();
                Name { text: self.names.intern(""), span }
            }
            _ => self.name("the name of the buffer")?,
        };
        let annotations = self.annotations();
        if self.kind() != TokenKind::LBrace {
            self.unexpected("`{`");
            self.recover();
            return Some(ItemKind::Empty);
        }
        let members = self.member_block(Where::Buffer);
        self.eat(TokenKind::Semicolon);
        Some(ItemKind::Buffer(Box::new(BufferBlock { texture, name, annotations, members })))
    }

    fn namespace(&mut self) -> Option<ItemKind> {
        self.bump();
        let name = self.name("the name of the namespace")?;
        self.table.declare(name.text, Role::Value);
        let open = self.span();
        if !self.expect(TokenKind::LBrace) {
            self.recover();
            return Some(ItemKind::Empty);
        }
        let mut items = Vec::new();
        while !matches!(self.kind(), TokenKind::RBrace | TokenKind::Eof) {
            let before = self.at;
            if let Some(item) = self.nested(None, |p| p.item(Where::Top)) {
                items.push(item);
            }
            if self.at == before {
                self.unexpected("a declaration");
                self.bump();
            }
        }
        self.close(TokenKind::RBrace, open);
        self.eat(TokenKind::Semicolon);
        Some(ItemKind::Namespace(name, items))
    }

    fn using(&mut self) -> Option<ItemKind> {
        self.bump();
        if self.eat_word("namespace") {
            let path = self.path(true)?;
            self.semicolon();
            return Some(ItemKind::UsingNamespace(path));
        }
        if !matches!(self.look(1).kind, TokenKind::Eq | TokenKind::LBracket) {
            let path = self.path(true)?;
            self.semicolon();
            return Some(ItemKind::UsingName(path));
        }
        let name = self.name("the name of the type")?;
        let attrs = self.attributes();
        self.expect(TokenKind::Eq);
        let mut ty = self.type_expr();
        let dims = self.dims();
        ty.dims = Vec::new();
        self.table.declare(name.text, Role::Type);
        if !self.semicolon() {
            self.recover();
        }
        let declarator = Declarator {
            name,
            owner: None,
            args: None,
            dims,
            bits: None,
            annotations: Vec::new(),
            init: None,
        };
        let default_order = self.matrix_order();
        self.alias_attrs = attrs;
        Some(ItemKind::Typedef(Box::new(VarDecl { ty, default_order, declarators: vec![declarator] })))
    }

    fn static_assert(&mut self) -> ItemKind {
        self.bump();
        let open = self.span();
        if !self.expect(TokenKind::LParen) {
            self.recover();
            return ItemKind::Empty;
        }
        let condition = self.assignment();
        let mut message = None;
        if self.eat(TokenKind::Comma) && self.kind() == TokenKind::Str {
            message = Some(self.bump().text);
        }
        self.close(TokenKind::RParen, open);
        self.semicolon();
        ItemKind::StaticAssert(condition, message)
    }

    /// The name of the function whose declaration comes next.
    fn function_ahead(&self) -> Option<Symbol> {
        // In brackets or parentheses an angle is a comparison.
        let (mut nested, mut angles, mut last) = (0, 0, None);
        for n in 0..MOST_BEFORE_NAME {
            let token = self.look(n);
            match token.kind {
                TokenKind::LParen if nested == 0 && angles == 0 => return last,
                TokenKind::LBracket | TokenKind::LParen => nested += 1,
                TokenKind::RBracket | TokenKind::RParen => nested -= 1,
                _ if nested > 0 => {}
                TokenKind::Less => angles += 1,
                TokenKind::Greater => angles -= 1,
                TokenKind::Shr => angles -= 2,
                TokenKind::Eof | TokenKind::LBrace | TokenKind::Semicolon | TokenKind::Eq => return None,
                _ => {}
            }
            last = (token.kind == TokenKind::Ident).then_some(token.text);
        }
        None
    }

    fn template(&mut self, place: Where) -> Option<ItemKind> {
        self.bump();
        let open = self.span();
        if !self.expect(TokenKind::Less) {
            self.recover();
            return Some(ItemKind::Empty);
        }
        // The parameters are types inside, and the declared name is a template outside.
        self.table.enter();
        let mut params = Vec::new();
        while !matches!(self.kind(), TokenKind::Greater | TokenKind::Eof) {
            let before = self.at;
            let mut ty = None;
            if matches!(self.word(), "typename" | "class") {
                self.bump();
            } else {
                ty = Some(self.type_expr());
            }
            let mut name = None;
            if self.kind() == TokenKind::Ident {
                name = self.name("the name of a template parameter");
            }
            if let Some(name) = name {
                self.table.declare(name.text, if ty.is_none() { Role::Type } else { Role::Value });
            }
            let mut default = None;
            if self.eat(TokenKind::Eq) {
                default = Some(if ty.is_none() {
                    TemplateArg::Type(self.type_expr())
                } else {
                    TemplateArg::Expr(self.template_value())
                });
            }
            params.push(TemplateParam { name, ty, default });
            if !self.eat(TokenKind::Comma) || self.at == before {
                break;
            }
        }
        self.close(TokenKind::Greater, open);
        // In a class template its own name takes arguments.
        if matches!(self.word(), "struct" | "class") && self.look(1).kind == TokenKind::Ident {
            let own = self.look(1).text;
            self.table.declare(own, Role::TypeTemplate);
        } else if let Some(own) = self.function_ahead() {
            self.table.declare(own, Role::FunctionTemplate);
        }
        let item = self.item(place);
        self.table.leave();
        let item = item?;
        match &item.kind {
            ItemKind::Function(f) => self.table.declare(f.name.last().text, Role::FunctionTemplate),
            ItemKind::Vars(VarDecl { ty: TypeExpr { kind: TypeKind::Struct(s), .. }, .. })
                if s.args.is_none() =>
            {
                if let Some(name) = s.name {
                    self.table.declare(name.text, Role::TypeTemplate);
                }
            }
            ItemKind::Vars(decl) => {
                for d in decl.declarators.iter().filter(|d| d.owner.is_none()) {
                    self.table.declare(d.name.text, Role::FunctionTemplate);
                }
            }
            ItemKind::Typedef(decl) => {
                for d in &decl.declarators {
                    self.table.declare(d.name.text, Role::TypeTemplate);
                }
            }
            _ => {}
        }
        Some(ItemKind::Template(params, Box::new(item)))
    }
}
