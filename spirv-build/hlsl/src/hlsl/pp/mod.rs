//! The preprocessor: tokens of files to tokens of the program.
//!
//! * Tokens of macro bodies carry a span in an *expansion* ([`crate::source::Expansion`]); arguments keep their own.
//! * Names that were not expanded because their macro was being expanded are marked for good, as the language demands.
//! * Every way to grow without bound has a limit below and a diagnostic.
mod directives;
mod eval;
mod macros;

use super::lex::{BadToken, Token, TokenKind, lex};
use super::types::MatrixOrder;
use super::words;
use crate::diag::{Code, Diagnostics};
pub use crate::input::{FileIncludes, IncludeHandler, MemoryIncludes, Unreadable, alike_on_disk};
use crate::source::{FileId, Interner, SourceMap, Span, Symbol};
use macros::{Macro, Macros};
use rustc_hash::FxHashSet;
use smallvec::{SmallVec, smallvec};
use std::rc::Rc;

/// How deeply `#include` may nest.
pub const MAX_INCLUDE_DEPTH: usize = 64;
/// How deeply `#if` may nest, in all open files together.
pub const MAX_CONDITIONALS: usize = 256;
/// How deeply macro calls may nest in macro arguments.
pub const MAX_MACRO_DEPTH: usize = 200;
/// Tokens that all macro expansions of a program may produce.
pub const MAX_EXPANDED_TOKENS: usize = 1_000_000;
/// Tokens that a program may have, and its files, each as often as it is included.
pub const MAX_TOKENS: usize = 4_000_000;
/// Files that a program may include, each as often as it is.
pub const MAX_INCLUDES: usize = 16_384;
/// Bytes that they may have together.
pub const MAX_INCLUDED_BYTES: usize = crate::source::MAX_FILE_BYTES;

/// What the preprocessor needs to know.
pub struct Input<'a> {
    /// Name of the main file.
    pub path: &'a str,
    /// Text of the main file.
    pub text: &'a str,
    /// `-D`: name and body.
    pub defines: &'a [(String, String)],
    /// Values of the first [`words::PREDEFINED`]; others are not defined.
    pub predefined: &'a [u32],
    /// Directories in which includes are looked for.
    pub include_dirs: &'a [String],
    /// Reads includes.
    pub includes: &'a dyn IncludeHandler,
}

/// What the preprocessor makes.
#[derive(Debug, Default)]
pub struct Output {
    /// All tokens, the last one of kind [`TokenKind::Eof`].
    pub tokens: Vec<Token>,
    /// `#pragma pack_matrix`: from this token on, matrices lie like this.
    pub matrix_orders: Vec<(usize, MatrixOrder)>,
    /// Preprocessing ended early (a file is missing, a limit was exceeded): what is there cannot be judged.
    pub incomplete: bool,
}

/// Preprocesses a program.
pub fn run(
    input: &Input<'_>,
    sources: &mut SourceMap,
    names: &mut Interner,
    diags: &mut Diagnostics,
) -> Output {
    let mut pp = Pp::new(input, sources, names, diags);
    let text: String = input
        .defines
        .iter()
        .map(|(name, body)| format!("#define {name} {}\n", body.replace('\n', " ")))
        .collect();
    if !text.is_empty()
        && let Some(id) = pp.sources.add("<command line>", text, None, false)
    {
        pp.push_file(id);
        pp.drain();
    }
    // What comes with the compiler is no file.
    let file = !input.path.starts_with('<');
    match pp.sources.add(input.path, input.text.to_string(), None, file) {
        Some(id) => {
            pp.push_file(id);
            pp.drain();
        }
        None => {
            pp.diags.report_whole(Code::FileTooLarge, format!("`{}` is too large", input.path));
        }
    }
    pp.out.incomplete = pp.stopped;
    let end = pp.last_span.after();
    pp.out.tokens.push(Token {
        kind: TokenKind::Eof,
        first_on_line: true,
        space_before: true,
        no_expand: false,
        text: name::END,
        span: end,
    });
    pp.out
}

/// An `#if` that is open.
struct Conditional {
    span: Span,
    /// Some group of it was taken.
    taken: bool,
    /// The current group is taken.
    active: bool,
    seen_else: bool,
}

/// What tokens are read from; the innermost is last.
enum Context {
    File { id: FileId, tokens: Rc<Vec<Token>>, at: usize, conditionals: Vec<Conditional> },
    Macro { name: Option<Symbol>, tokens: Vec<Token>, at: usize },
}

struct Pp<'a> {
    input: &'a Input<'a>,
    sources: &'a mut SourceMap,
    names: &'a mut Interner,
    diags: &'a mut Diagnostics,
    macros: Macros,
    stack: Vec<Context>,
    /// Macros being expanded.
    active: FxHashSet<Symbol>,
    once: FxHashSet<String>,
    /// Pragmas that were reported.
    unknown_pragmas: FxHashSet<String>,
    out: Output,
    expanded: usize,
    /// Tokens of all files so far, and number and bytes of those that were included.
    lexed: usize,
    included: (usize, usize),
    counter: u32,
    macro_depth: usize,
    stopped: bool,
    last_span: Span,
}

/// Names with a meaning to the preprocessor.
mod name {
    use super::{Symbol, words};

    pub(super) const DEFINED: Symbol = words::symbol("defined");
    pub(super) const FILE: Symbol = words::symbol("__FILE__");
    pub(super) const LINE: Symbol = words::symbol("__LINE__");
    pub(super) const COUNTER: Symbol = words::symbol("__COUNTER__");
    pub(super) const HAS_FEATURE: Symbol = words::symbol("__has_feature");
    pub(super) const VA_ARGS: Symbol = words::symbol("__VA_ARGS__");
    pub(super) const END: Symbol = words::symbol("end of file");

    /// Whether a name stands for something without being defined.
    pub(super) fn is_builtin(name: Symbol) -> bool {
        [FILE, LINE, COUNTER, HAS_FEATURE].contains(&name)
    }
}

impl<'a> Pp<'a> {
    fn new(
        input: &'a Input<'a>,
        sources: &'a mut SourceMap,
        names: &'a mut Interner,
        diags: &'a mut Diagnostics,
    ) -> Self {
        Self {
            input,
            sources,
            names,
            diags,
            macros: Macros::new(input.predefined.len()),
            stack: Vec::new(),
            active: FxHashSet::default(),
            once: FxHashSet::default(),
            unknown_pragmas: FxHashSet::default(),
            out: Output::default(),
            expanded: 0,
            lexed: 0,
            included: (0, 0),
            counter: 0,
            macro_depth: 0,
            stopped: false,
            last_span: Span::default(),
        }
    }

    fn push_file(&mut self, id: FileId) {
        let text = self.sources.file(id).map_or("", |f| f.text.as_str());
        let tokens = Rc::new(lex(id, text, self.names, MAX_TOKENS - self.lexed + 1));
        self.lexed += tokens.len();
        if self.lexed > MAX_TOKENS {
            let span = tokens.last().map_or(self.last_span, |t| t.span);
            return self.limit(span, "the program has too many tokens");
        }
        self.out.tokens.reserve(tokens.len());
        self.stack.push(Context::File { id, tokens, at: 0, conditionals: Vec::new() });
    }

    /// Reads everything that is on the stack into the output.
    fn drain(&mut self) {
        while !self.stopped {
            self.copy_plain();
            let Some(token) = self.next_expanded() else { break };
            let mut token = token;
            if let TokenKind::Bad(bad) = token.kind {
                self.report_bad(bad, token);
                token.kind = TokenKind::Bad(BadToken::Reported);
            }
            self.last_span = token.span;
            self.out.tokens.push(token);
            if self.out.tokens.len() > MAX_TOKENS {
                self.limit(token.span, "the program has too many tokens");
            }
        }
        self.stack.clear();
        self.active.clear();
    }

    /// Reads tokens of the innermost file into the output, up to the first that means something to the preprocessor.
    fn copy_plain(&mut self) {
        let Some(Context::File { tokens, at, conditionals, .. }) = self.stack.last_mut() else { return };
        if conditionals.last().is_some_and(|c| !c.active) {
            return;
        }
        let macros = &self.macros;
        let is_plain = |t: &Token| match t.kind {
            TokenKind::Ident => !macros.has(t.text) && !name::is_builtin(t.text),
            TokenKind::Hash => !t.first_on_line,
            TokenKind::Bad(_) => false,
            _ => true,
        };
        let rest = &tokens[*at..];
        let plain = &rest[..rest.iter().position(|t| !is_plain(t)).unwrap_or(rest.len())];
        *at += plain.len();
        self.out.tokens.extend_from_slice(plain);
        if let Some(last) = plain.last() {
            self.last_span = last.span;
            if self.out.tokens.len() > MAX_TOKENS {
                let span = last.span;
                self.limit(span, "the program has too many tokens");
            }
        }
    }

    fn limit(&mut self, span: Span, message: &str) {
        if !self.stopped {
            self.diags.report(Code::ExpansionTooLarge, span, message);
            self.stopped = true;
        }
    }

    fn report_bad(&mut self, bad: BadToken, token: Token) {
        let text = self.names.name(token.text).to_string();
        match bad {
            BadToken::Reported => {}
            BadToken::Comment => {
                let d = self.diags.report(Code::UnterminatedComment, token.span, "comment is never closed");
                d.label("starts here").help("add `*/` where the comment should end");
            }
            BadToken::String => {
                let d = self.diags.report(Code::UnterminatedString, token.span, "string is never closed");
                d.help("strings end on the line where they start");
            }
            BadToken::Character => {
                let what = text.chars().next().unwrap_or('\u{fffd}');
                let shown = if what.is_control() || what.is_whitespace() {
                    format!("U+{:04X}", what as u32)
                } else {
                    format!("`{what}`")
                };
                let d = self.diags.report(
                    Code::UnexpectedCharacter,
                    token.span,
                    format!("unexpected character {shown}"),
                );
                let ascii = match what {
                    '\u{201c}' | '\u{201d}' => Some('"'),
                    '\u{2018}' | '\u{2019}' => Some('\''),
                    '\u{2212}' | '\u{2013}' => Some('-'),
                    '\u{d7}' => Some('*'),
                    '\u{37e}' | '\u{ff1b}' => Some(';'),
                    '\u{a0}' => Some(' '),
                    _ => None,
                };
                match ascii {
                    Some(c) => d.help(format!("did you mean `{c}`?")),
                    None => d.label("not part of HLSL"),
                };
            }
        }
    }

    /// The next token that is not part of a directive, before macro expansion. `None` at the end of everything on the
    /// stack.
    fn next_raw(&mut self) -> Option<Token> {
        loop {
            if self.stopped {
                return None;
            }
            match self.stack.last_mut()? {
                Context::Macro { name, tokens, at } => {
                    if let Some(&token) = tokens.get(*at) {
                        *at += 1;
                        return Some(token);
                    }
                    if let Some(name) = name {
                        self.active.remove(name);
                    }
                    self.stack.pop();
                }
                Context::File { tokens, at, conditionals, .. } => {
                    let active = conditionals.last().is_none_or(|c| c.active);
                    match tokens.get(*at) {
                        None => self.end_file(),
                        Some(token) if token.first_on_line && token.kind == TokenKind::Hash => {
                            self.directive();
                        }
                        Some(&token) => {
                            *at += 1;
                            if active {
                                return Some(token);
                            }
                            // Skip to the next directive without leaving this loop for each token.
                            while tokens
                                .get(*at)
                                .is_some_and(|t| !(t.first_on_line && t.kind == TokenKind::Hash))
                            {
                                *at += 1;
                            }
                        }
                    }
                }
            }
        }
    }

    fn end_file(&mut self) {
        if let Some(Context::File { conditionals, .. }) = self.stack.pop() {
            for c in conditionals {
                self.diags
                    .report(Code::UnterminatedConditional, c.span, "conditional is never closed")
                    .label("opened here")
                    .help("add `#endif`");
            }
        }
    }
}
