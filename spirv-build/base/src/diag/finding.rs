//! What a room behind the front ends has to say of a program, before it is a diagnostic.

use super::{Code, Diagnostic, Diagnostics, Severity};
use crate::source::Span;

/// Something that is wrong with the program or that a target cannot have: where, what, and what to do. Who makes one knows no
/// options and shows nothing; [`Finding::report`] is where all of them become diagnostics.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What it is about.
    pub code: Code,
    /// How severe it is.
    pub severity: Severity,
    /// Where; the default span for the program as a whole.
    pub span: Span,
    /// What is wrong, as a sentence or, for who puts it into one, as a noun phrase.
    pub text: String,
    /// Other places that matter.
    pub secondary: Vec<(Span, String)>,
    /// Facts that help to understand.
    pub notes: Vec<String>,
    /// What to do.
    pub help: Vec<String>,
}

impl Finding {
    /// A finding without notes and help.
    pub fn new(code: Code, span: Span, text: impl Into<String>) -> Finding {
        let (secondary, notes, help) = (Vec::new(), Vec::new(), Vec::new());
        Finding { code, severity: code.severity(), span, text: text.into(), secondary, notes, help }
    }

    /// A mistake of the compiler.
    pub fn internal(span: Span, text: impl Into<String>) -> Finding {
        Finding::new(Code::Internal, span, text).help("please report this together with the kernel")
    }

    /// Puts a noun phrase into a sentence.
    pub fn in_sentence(self, sentence: impl FnOnce(&str) -> String) -> Finding {
        Finding { text: sentence(&self.text), ..self }
    }

    /// Where it is, if it is anywhere in particular.
    pub fn place(&self) -> Option<Span> {
        Some(self.span).filter(|s| *s != Span::default())
    }

    /// Makes it a warning.
    pub fn warning(self) -> Finding {
        Finding { severity: Severity::Warning, ..self }
    }

    /// Points at another place.
    pub fn secondary(mut self, span: Span, label: impl Into<String>) -> Finding {
        self.secondary.push((span, label.into()));
        self
    }

    /// Adds a fact.
    pub fn note(mut self, note: impl Into<String>) -> Finding {
        self.notes.push(note.into());
        self
    }

    /// Says what to do.
    pub fn help(mut self, help: impl Into<String>) -> Finding {
        self.help.push(help.into());
        self
    }

    /// Makes it a diagnostic.
    pub fn report(self, diagnostics: &mut Diagnostics) {
        let span = self.place();
        let made = Diagnostic { severity: self.severity, ..Diagnostic::new(self.code, span, self.text) };
        let d = diagnostics.push(made);
        for (span, label) in self.secondary {
            d.secondary(span, label);
        }
        for note in self.notes {
            d.note(note);
        }
        for help in self.help {
            d.help(help);
        }
    }
}

/// Findings in the order of their making.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings {
    list: Vec<Finding>,
}

impl Findings {
    /// No findings.
    pub const fn new() -> Findings {
        Findings { list: Vec::new() }
    }

    /// Adds one.
    pub fn push(&mut self, finding: Finding) {
        self.list.push(finding);
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Finding> {
        self.list.iter()
    }

    /// Whether one says that the program cannot be compiled, unless options make it a warning.
    pub fn has_errors(&self) -> bool {
        self.list.iter().any(|f| f.severity == Severity::Error)
    }

    /// Makes diagnostics of all.
    pub fn report(self, diagnostics: &mut Diagnostics) {
        self.list.into_iter().for_each(|f| f.report(diagnostics));
    }
}

impl Extend<Finding> for Findings {
    fn extend<I: IntoIterator<Item = Finding>>(&mut self, list: I) {
        self.list.extend(list);
    }
}
