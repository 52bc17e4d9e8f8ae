//! Variables and functions that nothing names.
use super::Lint;
use crate::diag::Code;
use crate::hlsl::hir::{ExprKind, Function, Module};
use crate::source::Span;

/// Local variables.
pub(super) fn variables(f: &Function, lint: &mut Lint<'_>) {
    for l in f.locals.iter().skip(f.params as usize).filter(|l| !l.named && !l.name.starts_with('$')) {
        if !l.name.is_empty() && lint.is_own(l.span) {
            lint.report(Code::UnusedVariable, l.span, format!("variable `{}` is never used", l.name));
        }
    }
}

/// `static` functions, which no other file can call; `statics` are where they are declared.
pub(super) fn functions(module: &Module, statics: &[Span], lint: &mut Lint<'_>) {
    if statics.is_empty() {
        return;
    }
    let mut called = vec![false; module.functions.len()];
    module.entry_points.iter().for_each(|e| called[e.function.index()] = true);
    for e in module.functions.iter().flat_map(|f| &f.exprs) {
        if let ExprKind::Call(id, _) = e.kind {
            called[id.index()] = true;
        }
    }
    for (f, _) in
        module.functions.iter().zip(called).filter(|(f, called)| !called && statics.contains(&f.span))
    {
        if lint.is_own(f.span) {
            lint.report(Code::UnusedFunction, f.span, format!("function `{}` is never called", f.name));
        }
    }
}
