//! What the parser knows about names: keywords, and which declared names are types or templates.
use crate::source::Symbol;
use rustc_hash::FxHashMap;

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

/// Words that cannot be names. Kept short: many HLSL keywords are usable as names where they mean nothing.
pub(super) fn is_reserved(word: &str) -> bool {
    matches!(
        word,
        "if" | "else"
            | "for"
            | "while"
            | "do"
            | "switch"
            | "case"
            | "default"
            | "break"
            | "continue"
            | "return"
            | "discard"
            | "struct"
            | "class"
            | "interface"
            | "enum"
            | "typedef"
            | "using"
            | "namespace"
            | "template"
            | "typename"
            | "cbuffer"
            | "tbuffer"
            | "static"
            | "const"
            | "extern"
            | "uniform"
            | "groupshared"
            | "inout"
            | "in"
            | "out"
            | "true"
            | "false"
            | "sizeof"
            | "this"
            | "operator"
            | "void"
            | "volatile"
            | "inline"
            | "row_major"
            | "column_major"
            | "goto"
            | "auto"
            | "register"
            | "packoffset"
            | "static_assert"
            | "_Static_assert"
    )
}
