//! Lines that start with `#`.
use super::*;

/// Directives, for suggestions.
const DIRECTIVES: &[&str] = &[
    "define", "undef", "include", "if", "ifdef", "ifndef", "elif", "else", "endif", "error", "warning",
    "line", "pragma",
];

/// Characters of a name that `#line` gives, which stands before each message.
const MAX_LINE_NAME: usize = 1024;

impl Pp<'_> {
    /// Handles the directive at the current position of the innermost file.
    pub(super) fn directive(&mut self) {
        let Some(Context::File { id, tokens, at, conditionals }) = self.stack.last_mut() else { return };
        let file = *id;
        let tokens = tokens.clone();
        let start = *at;
        let mut end = start + 1;
        while tokens.get(end).is_some_and(|t| !t.first_on_line) {
            end += 1;
        }
        *at = end;
        let active = conditionals.last().is_none_or(|c| c.active);
        let hash = tokens[start];
        let line = &tokens[start + 1..end];
        let Some(name) = line.first() else { return };
        let rest = &line[1..];
        let span = hash.span.to(name.span);
        let text = self.names.name(name.text);
        let word = DIRECTIVES.iter().copied().find(|d| *d == text).unwrap_or_default();
        match word {
            "if" | "ifdef" | "ifndef" => {
                let outer = active;
                let value = outer
                    && match word {
                        "if" => self.condition(rest, span),
                        _ => {
                            self.check_name(rest, span).is_some_and(|n| self.is_defined(n))
                                == (word == "ifdef")
                        }
                    };
                // A condition inside a group that is skipped is skipped whole: as if some group of it had been taken.
                self.open(span, value, !outer);
            }
            "elif" | "else" | "endif" => self.alternative(word, rest, span),
            _ if !active => {}
            "define" => self.define(rest, span),
            "undef" => {
                if let Some(name) = self.check_name(rest, span) {
                    self.macros.remove(name);
                }
            }
            "include" => self.include(rest, span, file),
            "error" | "warning" => {
                let text = self.line_text(rest);
                let code = if word == "error" { Code::ErrorDirective } else { Code::WarningDirective };
                self.diags.report(code, span, format!("#{word} {text}").trim_end());
            }
            "line" => self.line(rest, span, file, tokens.get(end)),
            "pragma" => self.pragma(rest, span),
            _ => {
                let word = name.spelling(self.names);
                let message = format!("unknown preprocessor directive `#{word}`");
                let d = self.diags.report(Code::UnknownDirective, span, message);
                if let Some(like) = crate::diag::suggest::closest(word, DIRECTIVES.iter().copied()) {
                    d.help(format!("did you mean `#{like}`?"));
                }
            }
        }
    }

    fn line_text(&self, tokens: &[Token]) -> String {
        let mut text = String::new();
        for (i, t) in tokens.iter().enumerate() {
            if i > 0 && t.space_before {
                text.push(' ');
            }
            text += t.spelling(self.names);
        }
        text
    }

    fn is_defined(&self, name: Symbol) -> bool {
        self.macros.has(name) || name::is_builtin(name)
    }

    fn check_name(&mut self, rest: &[Token], span: Span) -> Option<Symbol> {
        match rest.first() {
            Some(t) if t.kind == TokenKind::Ident => Some(t.text),
            other => {
                let span = other.map_or(span.after(), |t| t.span);
                self.diags.report(Code::BadMacroDefinition, span, "expected the name of a macro");
                None
            }
        }
    }

    fn open(&mut self, span: Span, value: bool, skipped: bool) {
        let depth: usize = self
            .stack
            .iter()
            .map(|c| match c {
                Context::File { conditionals, .. } => conditionals.len(),
                Context::Macro { .. } => 0,
            })
            .sum();
        if depth >= MAX_CONDITIONALS {
            self.diags.report(Code::ConditionalsTooDeep, span, "conditionals are nested too deeply");
            self.stopped = true;
            return;
        }
        if let Some(Context::File { conditionals, .. }) = self.stack.last_mut() {
            conditionals.push(Conditional { span, taken: value || skipped, active: value, seen_else: false });
        }
    }

    fn alternative(&mut self, word: &str, rest: &[Token], span: Span) {
        let Some(Context::File { conditionals, .. }) = self.stack.last_mut() else { return };
        let Some(top) = conditionals.last_mut() else {
            self.diags
                .report(Code::UnbalancedConditional, span, format!("`#{word}` without `#if`"))
                .label("no `#if` is open here");
            return;
        };
        if word == "endif" {
            conditionals.pop();
            return;
        }
        if top.seen_else {
            let opened = top.span;
            self.diags
                .report(Code::UnbalancedConditional, span, format!("`#{word}` after `#else`"))
                .secondary(opened, "conditional opened here");
            return;
        }
        let taken = top.taken;
        top.active = false;
        if word == "else" {
            top.seen_else = true;
        }
        let value = !taken && (word == "else" || self.condition(rest, span));
        if let Some(Context::File { conditionals, .. }) = self.stack.last_mut()
            && let Some(top) = conditionals.last_mut()
        {
            top.active = value;
            top.taken |= value;
        }
    }

    fn define(&mut self, rest: &[Token], span: Span) {
        let Some(text) = self.check_name(rest, span) else { return };
        let name = rest[0];
        if text == name::DEFINED {
            self.diags.report(Code::BadMacroDefinition, name.span, "`defined` cannot be a macro");
            return;
        }
        let mut body = &rest[1..];
        let mut params = None;
        let mut variadic = false;
        if body.first().is_some_and(|t| t.kind == TokenKind::LParen && !t.space_before) {
            let Some(close) = body.iter().position(|t| t.kind == TokenKind::RParen) else {
                let d = self.diags.report(
                    Code::BadMacroDefinition,
                    body[0].span,
                    "parameters of the macro are never closed",
                );
                d.help("add `)` after the last parameter");
                return;
            };
            let mut list = Vec::new();
            for (i, t) in body[1..close].iter().enumerate() {
                let good = match t.kind {
                    TokenKind::Comma => i % 2 == 1 && i + 2 < close,
                    TokenKind::Ident => i % 2 == 0 && !list.contains(&t.text),
                    TokenKind::Ellipsis => i % 2 == 0 && i + 2 == close,
                    _ => false,
                };
                if !good {
                    self.diags.report(
                        Code::BadMacroDefinition,
                        t.span,
                        "malformed parameter list of a macro",
                    );
                    return;
                }
                match t.kind {
                    TokenKind::Ident => list.push(t.text),
                    TokenKind::Ellipsis => {
                        list.push(name::VA_ARGS);
                        variadic = true;
                    }
                    _ => {}
                }
            }
            params = Some(list);
            body = &body[close + 1..];
        }
        let at_edge =
            [body.first(), body.last()].into_iter().flatten().find(|t| t.kind == TokenKind::HashHash);
        if let Some(t) = at_edge {
            self.diags.report(Code::BadPaste, t.span, "`##` needs a token on each side");
            return;
        }
        let new = Macro { params, variadic, body: body.into(), span: name.span };
        if let Some(old) = self.definition(text)
            && !old.same_as(&new)
        {
            let shown = self.names.name(text).to_string();
            self.diags
                .report(Code::MacroRedefined, name.span, format!("macro `{shown}` is defined again"))
                .secondary(old.span, "first defined here")
                .help("write `#undef` first if this is meant");
        }
        self.macros.insert(text, new);
    }

    fn include(&mut self, rest: &[Token], span: Span, file: FileId) {
        let mut line = rest.to_vec();
        if line.first().is_some_and(|t| t.kind == TokenKind::Ident) {
            line = self.expand_list(line);
        }
        let (name, at) = match line.first() {
            Some(t) if t.kind == TokenKind::Str => {
                (self.names.name(t.text).trim_matches('"').to_string(), t.span)
            }
            Some(t) if t.kind == TokenKind::Less => {
                let Some(close) = line.iter().rposition(|t| t.kind == TokenKind::Greater) else {
                    self.diags.report(Code::BadInclude, t.span, "`<` without `>`");
                    return;
                };
                let text = self.line_text(&line[1..close]);
                (text, t.span.to(line[close].span))
            }
            other => {
                let at = other.map_or(span.after(), |t| t.span);
                self.diags
                    .report(Code::BadInclude, at, "expected the name of a file")
                    .help("write `#include \"file.hlsl\"`");
                return;
            }
        };
        let depth = self.stack.iter().filter(|c| matches!(c, Context::File { .. })).count();
        if depth > MAX_INCLUDE_DEPTH {
            self.diags
                .report(Code::IncludeTooDeep, at, format!("`{name}` is included too deeply"))
                .help("write `#pragma once` at the top of files that are included");
            self.stopped = true;
            return;
        }
        let beside = self.sources.file(file).map_or(String::new(), |f| directory(&f.name).to_string());
        let mut tried = Vec::new();
        for dir in std::iter::once(beside.as_str()).chain(self.input.include_dirs.iter().map(String::as_str))
        {
            let path = join(dir, &name);
            if tried.contains(&path) {
                continue;
            }
            if self.once.contains(&path) {
                return;
            }
            // Paths of Windows work everywhere.
            let other = path.replace('\\', "/");
            let mut found = (self.input.includes.read(&path), &path);
            if found.0 == Err(Unreadable::Absent) && other != path {
                if self.once.contains(&other) {
                    return;
                }
                found = (self.input.includes.read(&other), &other);
            }
            let (text, path) = match found {
                (Ok(text), path) => (text, path.clone()),
                (Err(Unreadable::Absent), _) => {
                    tried.push(path);
                    continue;
                }
                (Err(Unreadable::Because(why)), path) => {
                    self.diags
                        .report(Code::UnreadableFile, at, format!("`{path}` cannot be included: {why}"))
                        .help("an include names a file of source text");
                    self.stopped = true;
                    return;
                }
            };
            // Under another path: from other folders, or with `..` in it.
            let base = &path[directory(&path).len()..];
            let is_same = |known: &String| known.ends_with(base) && self.input.includes.is_same(known, &path);
            if self.once.iter().any(is_same) {
                return;
            }
            self.included = (self.included.0 + 1, self.included.1 + text.len());
            if self.included.0 > MAX_INCLUDES || self.included.1 > MAX_INCLUDED_BYTES {
                self.diags
                    .report(Code::TooMany, at, "the program includes too much")
                    .label(format!("more than {MAX_INCLUDES} files, or {} MiB", MAX_INCLUDED_BYTES >> 20))
                    .help("write `#pragma once` at the top of files that are included");
                self.stopped = true;
                return;
            }
            match self.sources.add(&path, text, Some(span), true) {
                Some(id) => self.push_file(id),
                None => {
                    self.diags.report(Code::FileTooLarge, at, format!("`{path}` is too large"));
                }
            }
            return;
        }
        if let Some(text) = crate::hlsl::headers::find(&name) {
            if self.once.contains(&name) {
                return;
            }
            match self.sources.add(&name, text.into(), Some(span), false) {
                Some(id) => self.push_file(id),
                None => {
                    self.diags.report(Code::FileTooLarge, at, format!("`{name}` is too large"));
                }
            }
            return;
        }
        let d = self.diags.report(Code::IncludeNotFound, at, format!("included file `{name}` was not found"));
        d.note(format!(
            "looked for {}",
            tried.iter().map(|t| format!("`{t}`")).collect::<Vec<_>>().join(", ")
        ));
        match tried.iter().find_map(|path| self.input.includes.alike(path)) {
            Some(other) => d.help(format!("there is `{other}`: small and capital letters differ here")),
            None => d.help("say where it is: `-I folder`, or `include_dir` in a build script"),
        };
        // Nothing after it can be trusted: names it would have declared are missing.
        self.stopped = true;
    }

    fn line(&mut self, rest: &[Token], span: Span, file: FileId, next: Option<&Token>) {
        let line = self.expand_list(rest.to_vec());
        let number = line.first().and_then(|t| self.names.name(t.text).parse::<u32>().ok());
        let name = match line.get(1) {
            None => Some(None),
            Some(t) if t.kind == TokenKind::Str => {
                let name = self.names.name(t.text).trim_matches('"');
                Some(Some(name.chars().take(MAX_LINE_NAME).collect()))
            }
            Some(_) => None,
        };
        match (number, name) {
            (Some(number), Some(name)) => {
                if next.is_some()
                    && let Some(f) = self.sources.file(file)
                {
                    let start = f.line_start(f.line_index(span.lo) + 1);
                    self.sources.renumber(file, start, number, name);
                }
            }
            _ => {
                self.diags.report(Code::BadLine, span, "malformed `#line`").help("write `#line 12 \"file\"`");
            }
        }
    }

    fn pragma(&mut self, rest: &[Token], span: Span) {
        let words: Vec<&str> = rest.iter().map(|t| t.spelling(self.names)).collect();
        match words.as_slice() {
            ["once"] => {
                if let Some(f) = self.sources.file(span.file) {
                    self.once.insert(f.name.clone());
                }
            }
            ["pack_matrix", "(", order, ")"] => {
                let order = match *order {
                    "row_major" => MatrixOrder::RowMajor,
                    "column_major" => MatrixOrder::ColumnMajor,
                    _ => {
                        self.diags.report(
                            Code::UnknownPragma,
                            span,
                            "unknown matrix order in `#pragma pack_matrix`",
                        );
                        return;
                    }
                };
                self.out.matrix_orders.push((self.out.tokens.len(), order));
            }
            ["warning", ..] | ["dxc", ..] | [] => {}
            [name, ..] => {
                // Once is enough: where there is one, there are many.
                if self.unknown_pragmas.insert((*name).to_string()) {
                    let d = self.diags.report(Code::UnknownPragma, span, format!("unknown pragma `{name}`"));
                    match *name {
                        "unroll" => d.help("write `[unroll]` in front of the loop"),
                        "kernel" => d.help("the entry point is chosen when the file is compiled (`-E`)"),
                        _ => d,
                    };
                }
            }
        }
    }

    /// The value of an `#if` condition.
    fn condition(&mut self, rest: &[Token], span: Span) -> bool {
        // `defined` is resolved before macros are expanded.
        let mut line = Vec::with_capacity(rest.len());
        let mut i = 0;
        while let Some(&t) = rest.get(i) {
            i += 1;
            if t.kind != TokenKind::Ident || t.text != name::DEFINED {
                line.push(t);
                continue;
            }
            let paren = rest.get(i).is_some_and(|t| t.kind == TokenKind::LParen);
            let name = rest.get(i + usize::from(paren)).filter(|t| t.kind == TokenKind::Ident);
            let closed = !paren || rest.get(i + 2).is_some_and(|t| t.kind == TokenKind::RParen);
            let (Some(name), true) = (name, closed) else {
                self.diags
                    .report(Code::BadCondition, t.span, "`defined` needs a name")
                    .help("write `defined(NAME)`");
                return false;
            };
            let value = if self.is_defined(name.text) { "1" } else { "0" };
            line.push(Token { kind: TokenKind::Number, text: self.names.intern(value), ..t });
            i += if paren { 3 } else { 1 };
        }
        let line = self.expand_list(line);
        match eval::evaluate(&line, self.names) {
            Ok(value) => value,
            Err(e) => {
                self.diags.report(Code::BadCondition, e.span.unwrap_or(span.after()), e.message);
                false
            }
        }
    }
}

/// The directory part of a path, with its separator.
fn directory(path: &str) -> &str {
    path.rfind(['/', '\\']).map_or("", |i| &path[..=i])
}

fn join(dir: &str, name: &str) -> String {
    let absolute = name.starts_with(['/', '\\']) || name.as_bytes().get(1) == Some(&b':');
    match dir {
        _ if absolute => name.to_string(),
        "" => name.to_string(),
        dir if dir.ends_with(['/', '\\']) => format!("{dir}{name}"),
        dir => format!("{dir}/{name}"),
    }
}
