//! Attempts: what is looked at to see whether it makes sense, as the candidates of a call are. What does not is no mistake.
use super::Sema;
use crate::diag::{Diagnostic, Diagnostics, Severity};

/// Why an attempt came to nothing: what would have been wrong with it, as far as that can be said.
#[derive(Debug)]
pub(super) struct Mismatch(pub(super) Vec<Diagnostic>);

impl Sema<'_> {
    /// Makes something; answers it with what was found meanwhile, of which nobody was told.
    pub(super) fn aside<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> (T, Diagnostics) {
        let outer = self.diags.enter();
        let made = make(self);
        (made, self.diags.leave(outer))
    }

    /// Tries something. It comes to nothing if it gives nothing, or if anything is wrong with it.
    pub(super) fn trial<T>(&mut self, attempt: impl FnOnce(&mut Self) -> Option<T>) -> Result<T, Mismatch> {
        let deferred = std::mem::take(&mut self.f.deferred);
        let (made, found) = self.aside(attempt);
        self.f.deferred = deferred;
        let mut found = found.into_list();
        found.retain(|d| d.severity == Severity::Error);
        match made {
            Some(made) if found.is_empty() => Ok(made),
            _ => Err(Mismatch(found)),
        }
    }

    /// Reports what is wrong after all.
    pub(super) fn tell(&mut self, why: Mismatch) {
        for d in why.0 {
            self.diags.push(d);
        }
    }
}
