//! What the parser knows about names: keywords, and which declared names are types or templates.
use crate::hlsl::ast::Quals;
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

/// Words that cannot be names. Kept short: many HLSL keywords are usable as names where they mean nothing.
const RESERVED: &[&str] = &[
    "if",
    "else",
    "for",
    "while",
    "do",
    "switch",
    "case",
    "default",
    "break",
    "continue",
    "return",
    "discard",
    "struct",
    "class",
    "interface",
    "enum",
    "typedef",
    "using",
    "namespace",
    "template",
    "typename",
    "cbuffer",
    "tbuffer",
    "static",
    "const",
    "extern",
    "uniform",
    "groupshared",
    "inout",
    "in",
    "out",
    "true",
    "false",
    "sizeof",
    "this",
    "operator",
    "void",
    "volatile",
    "inline",
    "row_major",
    "column_major",
    "goto",
    "auto",
    "register",
    "packoffset",
    "static_assert",
    "_Static_assert",
];

/// Words that nothing declared can be called: types that are keywords, keywords of C++ that HLSL reserves, and modifiers that
/// only stand before types. All other types are names that can be hidden.
const NO_NAMES: &[&str] = &[
    "asm",
    "bool",
    "catch",
    "centroid",
    "char",
    "const_cast",
    "delete",
    "double",
    "dynamic_cast",
    "explicit",
    "float",
    "friend",
    "int",
    "line",
    "lineadj",
    "linear",
    "long",
    "mutable",
    "new",
    "nointerpolation",
    "noperspective",
    "point",
    "private",
    "protected",
    "public",
    "reinterpret_cast",
    "shared",
    "short",
    "signed",
    "static_cast",
    "throw",
    "triangle",
    "triangleadj",
    "try",
    "typeid",
    "union",
    "virtual",
    "wchar_t",
];

/// What a word means to the grammar, whatever is declared.
#[derive(Clone, Debug, Default)]
struct Word {
    reserved: bool,
    /// Whether nothing that is declared can be called so.
    no_name: bool,
    qualifier: Option<Quals>,
    /// Whether it names a built-in type, once somebody has asked.
    builtin: Cell<Option<bool>>,
}

/// What the words of a program mean, by symbol: keywords are looked for once, not at every token.
#[derive(Debug)]
pub(super) struct Words {
    list: Vec<Word>,
}

impl Words {
    /// For a program whose tokens are all interned. Names that the parser makes up later are no keywords.
    pub(super) fn new(names: &Interner) -> Self {
        let mut list = vec![Word::default(); names.count()];
        for word in RESERVED {
            if let Some(symbol) = names.lookup(word) {
                list[symbol.0 as usize].reserved = true;
            }
        }
        for word in NO_NAMES {
            if let Some(symbol) = names.lookup(word) {
                list[symbol.0 as usize].no_name = true;
            }
        }
        for (qualifier, word) in Quals::WORDS {
            if let Some(symbol) = names.lookup(word) {
                list[symbol.0 as usize].qualifier = Some(*qualifier);
            }
        }
        Self { list }
    }

    fn get(&self, name: Symbol) -> Option<&Word> {
        self.list.get(name.0 as usize)
    }

    /// Whether a word cannot be a name.
    pub(super) fn is_reserved(&self, name: Symbol) -> bool {
        self.get(name).is_some_and(|w| w.reserved)
    }

    /// Whether something that is declared can have a word as its name.
    pub(super) fn is_name(&self, name: Symbol) -> bool {
        self.get(name).is_none_or(|w| !w.reserved && !w.no_name)
    }

    /// The qualifier that a word is, if it is one.
    pub(super) fn qualifier(&self, name: Symbol) -> Option<Quals> {
        self.get(name)?.qualifier
    }

    /// Whether a word names a built-in type.
    pub(super) fn is_builtin_type(&self, name: Symbol, names: &Interner) -> bool {
        let find = || {
            let text = names.name(name);
            builtin::find(text).is_some() || text == "unsigned"
        };
        let Some(word) = self.get(name) else { return find() };
        let known = word.builtin.get().unwrap_or_else(find);
        word.builtin.set(Some(known));
        known
    }
}
