//! Diagnostics: what went wrong, where, and what to do.
//!
//! * Diagnostics are collected in [`Diagnostics`], never fatal at the first; a run reports many.
//! * Each has a [`Code`] of one table ([`codes`]), a message, one primary span with a label, and any number of secondary
//!   labels, notes and help lines.
//! * What they quote is clipped: a token may be as long as a file.
//! * They are shown sorted by position, as caret pictures ([`render`]) or one line each.
mod clip;
pub mod codes;
pub mod examples;
mod finding;
pub mod render;
pub mod suggest;
pub mod warnings;

pub use codes::Code;
pub use finding::{Finding, Findings};
pub use warnings::Warnings;

use crate::source::{SourceMap, Span};

/// Errors that are kept unless an option says otherwise; more are counted but not shown, since they are rarely worth reading.
pub const MAX_ERRORS: usize = 100;
/// Warnings that are kept.
pub const MAX_WARNINGS: usize = 100;

/// How severe a diagnostic is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Severity {
    /// The program is accepted.
    Warning,
    /// The program is rejected.
    Error,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What it is about.
    pub code: Code,
    /// How severe it is.
    pub severity: Severity,
    /// One sentence that names the things involved.
    pub message: String,
    /// Where; `None` for the program as a whole.
    pub span: Option<Span>,
    /// What is at `span`.
    pub label: String,
    /// Other places that matter.
    pub secondary: Vec<(Span, String)>,
    /// Facts that help to understand.
    pub notes: Vec<String>,
    /// What to do.
    pub help: Vec<String>,
}

impl Diagnostic {
    /// A diagnostic of the code's own severity.
    pub fn new(code: Code, span: Option<Span>, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: code.severity(),
            message: clip::clipped(message.into()),
            span,
            label: String::new(),
            secondary: Vec::new(),
            notes: Vec::new(),
            help: Vec::new(),
        }
    }

    /// The message; that of a warning with its name as an option, as dxc has it.
    pub fn title(&self) -> String {
        match (self.code.flag(), self.severity) {
            (Some(flag), Severity::Error) if self.code.severity() == Severity::Warning => {
                format!("{} [-Werror,-W{flag}]", self.message)
            }
            (Some(flag), _) => format!("{} [-W{flag}]", self.message),
            (None, _) => self.message.clone(),
        }
    }

    /// Says what is at the span.
    pub fn label(&mut self, label: impl Into<String>) -> &mut Self {
        self.label = clip::clipped(label.into());
        self
    }

    /// Points at another place.
    pub fn secondary(&mut self, span: Span, label: impl Into<String>) -> &mut Self {
        self.secondary.push((span, clip::clipped(label.into())));
        self
    }

    /// Adds a fact.
    pub fn note(&mut self, note: impl Into<String>) -> &mut Self {
        self.notes.push(clip::clipped(note.into()));
        self
    }

    /// Says what to do.
    pub fn help(&mut self, help: impl Into<String>) -> &mut Self {
        self.help.push(clip::clipped(help.into()));
        self
    }

    /// Asks whether the name most like a wrong one was meant, if there is one.
    pub fn suggest<'a>(&mut self, wrong: &str, names: impl IntoIterator<Item = &'a str>) -> &mut Self {
        if let Some(like) = suggest::closest(wrong, names) {
            self.help(format!("did you mean `{like}`?"));
        }
        self
    }
}

/// The findings of a run.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    errors: usize,
    warnings: usize,
    dropped: Option<Diagnostic>,
    /// Errors that are kept, instead of [`MAX_ERRORS`]; 0 for all.
    pub error_limit: Option<usize>,
    /// Which warnings are wanted, and which are errors.
    pub wanted: Warnings,
}

impl Diagnostics {
    /// No findings.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a finding at a span; what is returned can be given labels, notes and help.
    pub fn report(&mut self, code: Code, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        self.push(Diagnostic::new(code, Some(span), message))
    }

    /// Adds a finding about the whole program.
    pub fn report_whole(&mut self, code: Code, message: impl Into<String>) -> &mut Diagnostic {
        self.push(Diagnostic::new(code, None, message))
    }

    /// Adds a finding. Past [`MAX_ERRORS`] or [`MAX_WARNINGS`] it is counted only.
    pub fn push(&mut self, mut diagnostic: Diagnostic) -> &mut Diagnostic {
        if diagnostic.severity == Severity::Warning || diagnostic.code.flag().is_some() {
            match self.wanted.severity(diagnostic.code) {
                Some(severity) => diagnostic.severity = severity,
                None => return self.dropped.insert(diagnostic),
            }
        }
        let keep = match diagnostic.severity {
            Severity::Error => {
                let keeps = self.keeps_errors();
                self.errors += 1;
                keeps
            }
            Severity::Warning => {
                self.warnings += 1;
                self.warnings <= MAX_WARNINGS
            }
        };
        if keep {
            self.list.push(diagnostic);
            let last = self.list.len() - 1;
            &mut self.list[last]
        } else {
            self.dropped.insert(diagnostic)
        }
    }

    /// Whether another error would be kept: those past the limit are only counted, and need no help.
    pub fn keeps_errors(&self) -> bool {
        let limit = self.error_limit.unwrap_or(MAX_ERRORS);
        limit == 0 || self.errors < limit
    }

    /// An empty list in its place, by the same rules: for what may come to nothing. [`Diagnostics::leave`] ends it.
    pub fn enter(&mut self) -> Diagnostics {
        let (error_limit, wanted) = (self.error_limit, std::mem::take(&mut self.wanted));
        std::mem::replace(self, Diagnostics { error_limit, wanted, ..Diagnostics::new() })
    }

    /// Goes back to the list from before; answers what was found meanwhile.
    pub fn leave(&mut self, mut outer: Diagnostics) -> Diagnostics {
        outer.wanted = std::mem::take(&mut self.wanted);
        std::mem::replace(self, outer)
    }

    /// Forgets everything, in favour of one finding.
    pub fn replace_all(&mut self, diagnostic: Diagnostic) {
        (self.errors, self.warnings) = (0, 0);
        self.list.clear();
        self.push(diagnostic);
    }

    /// The findings that were kept.
    pub fn into_list(self) -> Vec<Diagnostic> {
        self.list
    }

    /// Lets each finding that was kept be changed, and forgets those that are not wanted.
    pub fn retain(&mut self, mut wanted: impl FnMut(&mut Diagnostic) -> bool) {
        let (errors, warnings) = (&mut self.errors, &mut self.warnings);
        self.list.retain_mut(|d| {
            let keep = wanted(d);
            if !keep {
                *if d.severity == Severity::Error { &mut *errors } else { &mut *warnings } -= 1;
            }
            keep
        });
    }

    /// Whether the program is rejected.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// Number of errors, those not kept included.
    pub fn error_count(&self) -> usize {
        self.errors
    }

    /// Number of warnings, those not kept included.
    pub fn warning_count(&self) -> usize {
        self.warnings
    }

    /// The findings that were kept, in the order of their making.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.list.iter()
    }

    /// The findings that were kept, sorted by position. What says the same of one place is there once: instances of a template,
    /// and uses of a macro, have their mistakes in common.
    pub fn sorted(&self, sources: &SourceMap) -> Vec<&Diagnostic> {
        let mut list: Vec<_> = self.list.iter().map(|d| (d.span.map(|s| sources.locate(s)), d)).collect();
        list.sort_by_key(|(at, _)| *at);
        let mut seen = rustc_hash::FxHashSet::default();
        list.retain(|(at, d)| seen.insert((*at, d.code, d.message.as_str())));
        list.into_iter().map(|(_, d)| d).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_of_one_place_is_told_once() {
        let mut sources = SourceMap::new();
        let file = sources.add("a.hlsl", "abc".into(), None, true).unwrap();
        let mut d = Diagnostics::new();
        let at = |lo| Span::new(file, lo, lo + 1);
        for (message, note) in [("x", "1"), ("y", "2"), ("x", "3"), ("y", "4")] {
            d.report(Code::Undeclared, at(1), message).note(note);
        }
        d.report(Code::Undeclared, at(0), "x");
        let messages: Vec<_> =
            d.sorted(&sources).iter().map(|d| (d.span.unwrap().lo, &d.message[..])).collect();
        assert_eq!(messages, [(0, "x"), (1, "x"), (1, "y")]);
    }

    #[test]
    fn findings_past_the_limit_are_counted_but_not_kept() {
        let mut d = Diagnostics::new();
        for _ in 0..MAX_ERRORS + 5 {
            d.report_whole(Code::Undeclared, "x").help("y");
        }
        assert_eq!((d.error_count(), d.iter().count()), (MAX_ERRORS + 5, MAX_ERRORS));
        let mut d = Diagnostics { error_limit: Some(0), ..Diagnostics::new() };
        for _ in 0..MAX_ERRORS + 5 {
            d.report_whole(Code::Undeclared, "x");
        }
        assert_eq!(d.iter().count(), MAX_ERRORS + 5);
    }
}
