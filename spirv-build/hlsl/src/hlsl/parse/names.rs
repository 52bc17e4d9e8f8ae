//! What the parser knows about names: which of those declared are types or templates, and which built in.
use crate::hlsl::builtin;
use crate::source::{Interner, Symbol};
use rustc_hash::FxHashMap;
use std::cell::Cell;

/// What a declared name is to the grammar.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    /// A variable or function.
    Value,
    /// A type.
    Type,
    /// A class template.
    TypeTemplate,
    /// A function template.
    FunctionTemplate,
}

/// Declared names by scope.
#[derive(Debug, Default)]
pub(super) struct NameTable {
    roles: FxHashMap<Symbol, Role>,
    /// What to restore when each open scope ends.
    undo: Vec<(Symbol, Option<Role>)>,
    scopes: Vec<usize>,
}

impl NameTable {
    pub(super) fn enter(&mut self) {
        self.scopes.push(self.undo.len());
    }

    pub(super) fn leave(&mut self) {
        let from = self.scopes.pop().unwrap_or(0);
        for (name, role) in self.undo.drain(from..).rev() {
            match role {
                Some(role) => self.roles.insert(name, role),
                None => self.roles.remove(&name),
            };
        }
    }

    pub(super) fn declare(&mut self, name: Symbol, role: Role) {
        let old = self.roles.insert(name, role);
        if !self.scopes.is_empty() {
            self.undo.push((name, old));
        }
    }

    pub(super) fn role(&self, name: Symbol) -> Option<Role> {
        self.roles.get(&name).copied()
    }
}

/// Which names are built-in types, as far as somebody has asked: each is looked up once, not at every token.
#[derive(Debug)]
pub(super) struct BuiltinTypes {
    known: Vec<Cell<Option<bool>>>,
}

impl BuiltinTypes {
    /// For a program whose tokens are all interned. Names that the parser makes up later are looked up each time.
    pub(super) fn new(names: &Interner) -> Self {
        Self { known: vec![Cell::new(None); names.count()] }
    }

    /// Whether a word names a built-in type.
    pub(super) fn contains(&self, name: Symbol, names: &Interner) -> bool {
        let find = || {
            let text = names.name(name);
            builtin::find(text).is_some() || text == "unsigned"
        };
        let Some(word) = self.known.get(name.0 as usize) else { return find() };
        let known = word.get().unwrap_or_else(find);
        word.set(Some(known));
        known
    }
}
