//! What names mean without a declaration. Programs say the same few again and again: the tables are searched once for each.
use super::Sema;
use crate::hlsl::builtin::{self, Builtin};
use crate::hlsl::intrinsics;
use crate::source::Symbol;
use std::sync::Arc;

/// What a name means where nothing declares it.
#[derive(Clone, Copy, Default)]
pub(super) struct Known {
    pub(super) builtin: Option<Builtin>,
    pub(super) intrinsic: Option<&'static intrinsics::Row>,
}

/// By symbol, what was asked for so far.
#[derive(Default)]
pub(super) struct KnownNames {
    meanings: Vec<Option<Known>>,
    texts: Vec<Option<Arc<str>>>,
}

impl Sema<'_> {
    /// What a name means where nothing declares it.
    pub(super) fn known(&mut self, name: Symbol) -> Known {
        let at = name.0 as usize;
        if let Some(Some(known)) = self.known_names.meanings.get(at) {
            return *known;
        }
        let text = self.text(name);
        let known = Known { builtin: builtin::find(text), intrinsic: intrinsics::find(text) };
        let count = self.names.count();
        let list = &mut self.known_names.meanings;
        if list.len() < count {
            list.resize(count, None);
        }
        list[at] = Some(known);
        known
    }

    /// The text of a name, for what keeps it: one copy for all.
    pub(super) fn shared_text(&mut self, name: Symbol) -> Arc<str> {
        let count = self.names.count();
        let list = &mut self.known_names.texts;
        if list.len() < count {
            list.resize(count, None);
        }
        list[name.0 as usize].get_or_insert_with(|| self.names.name(name).into()).clone()
    }
}
