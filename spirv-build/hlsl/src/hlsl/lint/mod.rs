//! What is allowed and yet probably a mistake, as far as it takes a look at a whole program that has none: clang's warnings by
//! their names. Those that need one expression and its types are given where it is checked (`sema`).
//!
//! They look at each node once and rather miss a mistake than see one where there is none: code of macros and of our own
//! headers is left alone.
mod assigned;
mod syntax;
mod unused;

use super::ast::Ast;
use super::{headers, hir};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::source::{SourceMap, Span};

/// Where findings go.
struct Lint<'a> {
    sources: &'a SourceMap,
    diags: &'a mut Diagnostics,
}

impl Lint<'_> {
    /// Whether a place is the user's own, and no part of a macro.
    fn is_own(&self, span: Span) -> bool {
        if span.file.is_expansion() {
            return false;
        }
        let name = self.sources.file(span.file).map(|f| f.name.as_str());
        name.is_some_and(|n| n != super::LIBRARY_FILE && headers::find(n).is_none())
    }

    fn report(&mut self, code: Code, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        self.diags.report(code, span, message)
    }
}

/// Looks at a program. What is said of values and names needs a module without mistakes.
pub fn run(ast: &Ast, module: Option<&hir::Module>, sources: &SourceMap, diags: &mut Diagnostics) {
    if diags.has_errors() {
        return;
    }
    let mut lint = Lint { sources, diags };
    let statics = syntax::run(ast, &mut lint);
    let Some(module) = module else { return };
    for f in module.functions.iter().filter(|f| f.span != Span::default()) {
        if lint.is_own(f.span) {
            assigned::run(module, f, &mut lint);
            unused::variables(f, &mut lint);
        }
    }
    unused::functions(module, &statics, &mut lint);
}
