//! Definition and expansion of macros.
use super::*;

/// A macro.
#[derive(Debug, PartialEq)]
pub(super) struct Macro {
    /// Parameters of a function-like macro.
    pub(super) params: Option<Vec<Symbol>>,
    /// The last parameter takes all further arguments.
    pub(super) variadic: bool,
    pub(super) body: SmallVec<[Token; 1]>,
    /// The name in its definition.
    pub(super) span: Span,
}

impl Macro {
    /// Whether a second definition says the same.
    pub(super) fn same_as(&self, other: &Self) -> bool {
        let words = |m: &Self| m.body.iter().map(|t| (t.kind, t.text)).collect::<Vec<_>>();
        self.params == other.params && self.variadic == other.variadic && words(self) == words(other)
    }
}

/// The macros that are defined.
#[derive(Debug)]
pub(super) struct Macros {
    /// Which one a name is, plus one; zero for none. Every name of a program is looked up here.
    by_name: Vec<u32>,
    /// Those that come with the compiler, once the definition of one was asked for.
    predefined: Vec<Rc<Macro>>,
    /// How many of them there are: their numbers come first.
    count: usize,
    /// All others that there ever were.
    list: Vec<Rc<Macro>>,
}

impl Macros {
    /// Only so many of the [`words::PREDEFINED`].
    pub(super) fn new(count: usize) -> Self {
        let count = count.min(words::PREDEFINED.len());
        Self { by_name: (1..=count as u32).collect(), predefined: Vec::new(), count, list: Vec::new() }
    }

    /// Whether there is one of this name.
    pub(super) fn has(&self, name: Symbol) -> bool {
        self.by_name.get(name.0 as usize).is_some_and(|n| *n != 0)
    }

    pub(super) fn insert(&mut self, name: Symbol, definition: Macro) {
        let at = name.0 as usize;
        if at >= self.by_name.len() {
            self.by_name.resize(at + 1, 0);
        }
        self.list.push(Rc::new(definition));
        self.by_name[at] = (self.count + self.list.len()) as u32;
    }

    pub(super) fn remove(&mut self, name: Symbol) {
        if let Some(number) = self.by_name.get_mut(name.0 as usize) {
            *number = 0;
        }
    }
}

/// What `__has_feature` knows.
const FEATURES: &[&str] = &["hlsl_vk_buffer_pointer"];

impl Pp<'_> {
    /// The definition of a macro.
    pub(super) fn definition(&mut self, name: Symbol) -> Option<Rc<Macro>> {
        let at = (*self.macros.by_name.get(name.0 as usize)? as usize).checked_sub(1)?;
        match at.checked_sub(self.macros.count) {
            Some(own) => self.macros.list.get(own).cloned(),
            None => {
                if self.macros.predefined.is_empty() {
                    self.predefine();
                }
                self.macros.predefined.get(at).cloned()
            }
        }
    }

    /// Writes the file in which the macros that come with the compiler are defined. Few programs use any.
    fn predefine(&mut self) {
        const DEFINE: &str = "#define ";
        let mut text = String::new();
        let mut places = Vec::new();
        for (name, value) in words::PREDEFINED.iter().zip(self.input.predefined) {
            let name_at = text.len() + DEFINE.len();
            text.extend([DEFINE, name, " "]);
            let value_at = text.len();
            text.push_str(&value.to_string());
            places.push((name_at as u32, value_at as u32, text.len() as u32));
            text.push('\n');
        }
        let Some(file) = self.sources.add("<built-in>", text, None, false) else { return };
        let text = self.sources.file(file).map_or("", |f| f.text.as_str());
        for (name_at, value_at, end) in places {
            let body = Token {
                kind: TokenKind::Number,
                first_on_line: false,
                space_before: true,
                no_expand: false,
                text: self.names.intern(&text[value_at as usize..end as usize]),
                span: Span::new(file, value_at, end),
            };
            let span = Span::new(file, name_at, value_at - 1);
            let definition = Macro { params: None, variadic: false, body: smallvec![body], span };
            self.macros.predefined.push(Rc::new(definition));
        }
    }

    /// The next token after macro expansion.
    pub(super) fn next_expanded(&mut self) -> Option<Token> {
        loop {
            let mut token = self.next_raw()?;
            if token.kind != TokenKind::Ident || token.no_expand {
                return Some(token);
            }
            if let Some(builtin) = self.builtin(token) {
                return Some(builtin);
            }
            let Some(definition) = self.definition(token.text) else { return Some(token) };
            if self.active.contains(&token.text) {
                token.no_expand = true;
                return Some(token);
            }
            if !self.expand(token, &definition) {
                return Some(token);
            }
        }
    }

    /// `__FILE__` and its like.
    fn builtin(&mut self, token: Token) -> Option<Token> {
        let (kind, text) = if token.text == name::LINE {
            (TokenKind::Number, self.sources.position(token.span).line.to_string())
        } else if token.text == name::FILE {
            (TokenKind::Str, format!("{:?}", self.sources.position(token.span).file))
        } else if token.text == name::COUNTER {
            self.counter += 1;
            (TokenKind::Number, (self.counter - 1).to_string())
        } else if token.text == name::HAS_FEATURE && self.paren_follows() {
            (TokenKind::Number, u32::from(self.asked_feature()).to_string())
        } else {
            return None;
        };
        Some(Token { kind, text: self.names.intern(&text), ..token })
    }

    /// Reads the `(name)` of `__has_feature(name)`: whether there is this feature.
    fn asked_feature(&mut self) -> bool {
        self.next_raw();
        let mut known = false;
        while let Some(token) = self.next_raw() {
            if token.kind == TokenKind::RParen {
                break;
            }
            known |= FEATURES.contains(&self.names.name(token.text));
        }
        known
    }

    /// Puts the expansion of a macro on the stack; false if the name is not a call (no parenthesis follows).
    fn expand(&mut self, name: Token, definition: &Macro) -> bool {
        let args = match &definition.params {
            None => Vec::new(),
            Some(params) => {
                if !self.paren_follows() {
                    return false;
                }
                match self.arguments(name, definition, params.len()) {
                    Some(args) => args,
                    None => {
                        let kind = TokenKind::Bad(BadToken::Reported);
                        let tokens = vec![Token { kind, ..name }];
                        self.stack.push(Context::Macro { name: None, tokens, at: 0 });
                        return true;
                    }
                }
            }
        };
        // Arguments are copied and expanded at each level of nesting: they count as well.
        self.expanded += args.iter().map(Vec::len).sum::<usize>();
        if self.expanded > MAX_EXPANDED_TOKENS {
            self.limit(name.span, "macros expand to too many tokens");
            return true;
        }
        let expansion = self.sources.add_expansion(definition.span, name.span);
        let mut tokens = self.substitute(definition, &args, expansion);
        self.expanded += tokens.len() + 1;
        if self.expanded > MAX_EXPANDED_TOKENS {
            self.limit(name.span, "macros expand to too many tokens");
            return true;
        }
        if let Some(first) = tokens.first_mut() {
            first.space_before = name.space_before;
        }
        // A token that starts a line in a definition does not start one here.
        for t in &mut tokens {
            t.first_on_line = false;
        }
        self.active.insert(name.text);
        self.stack.push(Context::Macro { name: Some(name.text), tokens, at: 0 });
        true
    }

    /// Whether the next token is `(`, without reading it.
    fn paren_follows(&self) -> bool {
        for context in self.stack.iter().rev() {
            let next = match context {
                Context::Macro { tokens, at, .. } => tokens.get(*at),
                Context::File { tokens, at, .. } => {
                    return tokens.get(*at).is_some_and(|t| t.kind == TokenKind::LParen);
                }
            };
            if let Some(token) = next {
                return token.kind == TokenKind::LParen;
            }
            // An argument is expanded for itself: its end is the end.
            if matches!(context, Context::Macro { name: None, .. }) {
                return false;
            }
        }
        false
    }

    /// Reads `( a, b )`.
    fn arguments(&mut self, name: Token, definition: &Macro, params: usize) -> Option<Vec<Vec<Token>>> {
        self.next_raw();
        let text = self.names.name(name.text).to_string();
        let mut args = vec![Vec::new()];
        let mut depth = 0usize;
        loop {
            let Some(token) = self.next_raw() else {
                if self.stopped {
                    return None;
                }
                self.diags
                    .report(
                        Code::UnterminatedMacroCall,
                        name.span,
                        format!("arguments of macro `{text}` are never closed"),
                    )
                    .secondary(definition.span, "macro defined here");
                return None;
            };
            match token.kind {
                TokenKind::LParen => depth += 1,
                TokenKind::RParen if depth == 0 => break,
                TokenKind::RParen => depth -= 1,
                TokenKind::Comma if depth == 0 && !(definition.variadic && args.len() >= params) => {
                    args.push(Vec::new());
                    continue;
                }
                _ => {}
            }
            if let Some(last) = args.last_mut() {
                last.push(token);
            }
        }
        if params == 0 && args.len() == 1 && args[0].is_empty() {
            args.clear();
        }
        if definition.variadic && args.len() + 1 == params {
            args.push(Vec::new());
        }
        if args.len() != params {
            self.diags
                .report(
                    Code::MacroArgumentCount,
                    name.span,
                    format!(
                        "macro `{text}` takes {params} argument{}, but {} given",
                        if params == 1 { "" } else { "s" },
                        match args.len() {
                            1 => "1 is".to_string(),
                            n => format!("{n} are"),
                        }
                    ),
                )
                .secondary(definition.span, "macro defined here");
            return None;
        }
        Some(args)
    }

    /// Expands a list of tokens for itself.
    pub(super) fn expand_list(&mut self, tokens: Vec<Token>) -> Vec<Token> {
        let span = tokens.first().map_or(self.last_span, |t| t.span);
        if self.macro_depth >= MAX_MACRO_DEPTH {
            self.limit(span, "macro calls are nested too deeply");
            return Vec::new();
        }
        self.macro_depth += 1;
        let outer = std::mem::take(&mut self.stack);
        self.stack.push(Context::Macro { name: None, tokens, at: 0 });
        let mut result = Vec::new();
        while let Some(token) = self.next_expanded() {
            result.push(token);
        }
        self.stack = outer;
        self.macro_depth -= 1;
        result
    }

    /// The body with its parameters replaced.
    fn substitute(&mut self, m: &Macro, args: &[Vec<Token>], expansion: FileId) -> Vec<Token> {
        let mut expanded: Vec<Option<Vec<Token>>> = vec![None; args.len()];
        let param = |t: &Token| {
            let params = m.params.as_ref()?;
            if t.kind == TokenKind::Ident { params.iter().position(|&p| p == t.text) } else { None }
        };
        let mut out: Vec<Token> = Vec::with_capacity(m.body.len());
        let mut i = 0;
        while let Some(&body) = m.body.get(i) {
            let token = Token { span: Span { file: expansion, ..body.span }, ..body };
            let pastes_next = m.body.get(i + 1).is_some_and(|t| t.kind == TokenKind::HashHash);
            if body.kind == TokenKind::Hash
                && m.params.is_some()
                && let Some(p) = m.body.get(i + 1).and_then(param)
            {
                out.push(self.stringize(&args[p], token));
                i += 2;
                continue;
            }
            if body.kind == TokenKind::HashHash && !out.is_empty() && i + 1 < m.body.len() {
                i += 1;
                let right = m.body[i];
                let right = match param(&right) {
                    Some(p) => args[p].clone(),
                    None => vec![Token { span: Span { file: expansion, ..right.span }, ..right }],
                };
                self.paste(&mut out, right, token);
                i += 1;
                continue;
            }
            match param(&body) {
                Some(p) if pastes_next => {
                    // An empty argument before `##`: the right side stands alone, or the comma of `, ## __VA_ARGS__` stays.
                    if args[p].is_empty() {
                        i += 2;
                        if let Some(&right) = m.body.get(i) {
                            match param(&right) {
                                Some(q) => out.extend(args[q].iter().copied()),
                                None => {
                                    out.push(Token { span: Span { file: expansion, ..right.span }, ..right });
                                }
                            }
                            i += 1;
                        }
                        continue;
                    }
                    out.extend(args[p].iter().copied());
                }
                Some(p) => {
                    if expanded[p].is_none() {
                        expanded[p] = Some(self.expand_list(args[p].clone()));
                    }
                    let at = out.len();
                    out.extend(expanded[p].iter().flatten().copied());
                    if let Some(first) = out.get_mut(at) {
                        first.space_before = body.space_before;
                    }
                }
                None => out.push(token),
            }
            i += 1;
        }
        out
    }

    fn stringize(&mut self, arg: &[Token], at: Token) -> Token {
        let mut text = String::from("\"");
        for (i, token) in arg.iter().enumerate() {
            if i > 0 && (token.space_before || token.first_on_line) {
                text.push(' ');
            }
            let spelling = token.spelling(self.names);
            if matches!(token.kind, TokenKind::Str | TokenKind::Char) {
                text += &spelling.replace('\\', "\\\\").replace('"', "\\\"");
            } else {
                text += spelling;
            }
        }
        text.push('"');
        Token { kind: TokenKind::Str, text: self.names.intern(&text), ..at }
    }

    /// Joins the last token of `out` with the first of `right`.
    fn paste(&mut self, out: &mut Vec<Token>, right: Vec<Token>, at: Token) {
        let mut right = right.into_iter();
        let Some(second) = right.next() else {
            // `, ## __VA_ARGS__` with nothing in it drops the comma.
            if out.last().is_some_and(|t| t.kind == TokenKind::Comma) {
                out.pop();
            }
            return;
        };
        let Some(first) = out.pop() else { return };
        if first.kind == TokenKind::Comma {
            out.push(first);
            out.push(second);
            out.extend(right);
            return;
        }
        let text = format!("{}{}", first.spelling(self.names), second.spelling(self.names));
        let tokens = lex(at.span.file, &text, self.names, usize::MAX);
        match tokens.as_slice() {
            [one] if !matches!(one.kind, TokenKind::Bad(_)) => {
                out.push(Token { span: first.span, space_before: first.space_before, ..*one });
            }
            _ => {
                self.diags
                    .report(Code::BadPaste, at.span, format!("`{text}` is not one token"))
                    .label("`##` joins the tokens on its two sides");
                out.push(first);
                out.push(second);
            }
        }
        out.extend(right);
    }
}
