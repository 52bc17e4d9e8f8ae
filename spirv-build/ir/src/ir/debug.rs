//! What a debugger is told of a program, in the terms of its source: types, functions, blocks and variables.
//!
//! Instructions name none of this. Which function and block one comes from follows from its span, which variable a
//! piece of memory is from the span of its declaration.

use crate::source::{FileId, Span};
use rustc_hash::FxHashMap;

/// The description of a program.
#[derive(Debug, Clone, Default)]
pub struct Program {
    /// Types; what they are made of stands before them.
    pub types: Vec<DebugType>,
    /// Functions and blocks; what is around a block stands before it.
    pub scopes: Vec<Scope>,
    /// Parameters and local variables, by the span of their name.
    pub locals: FxHashMap<Span, Local>,
    /// Variables outside functions, by the span of their name.
    pub globals: FxHashMap<Span, Variable>,
    /// Scopes of each file by the byte that they begin at.
    starts: FxHashMap<FileId, Vec<(u32, usize)>>,
}

/// A type. Numbers are places in [`Program::types`]; sizes are bits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DebugType {
    /// No value.
    Void,
    /// A number or truth value.
    Basic {
        /// Name.
        name: String,
        /// Size.
        bits: u32,
        /// What the bits mean.
        encoding: Encoding,
    },
    /// So many of a basic type.
    Vector(usize, u32),
    /// So many vectors: rows.
    Matrix(usize, u32),
    /// So many of any type.
    Array(usize, u32),
    /// A structure.
    Struct {
        /// Name.
        name: String,
        /// Declaration.
        span: Span,
        /// Members.
        members: Vec<Variable>,
    },
    /// What has no inside: resources.
    Opaque(String),
}

/// What the bits of a basic type mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// `bool`.
    Boolean,
    /// Floating point.
    Float,
    /// Integer with a sign.
    Signed,
    /// Integer without.
    Unsigned,
}

/// Something with a name and a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// Name.
    pub name: String,
    /// Place in [`Program::types`].
    pub ty: usize,
    /// The name's span.
    pub span: Span,
}

/// A parameter or local variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Local {
    /// What it is.
    pub variable: Variable,
    /// Place in [`Program::scopes`].
    pub scope: usize,
    /// Which parameter it is, counted from 1.
    pub parameter: Option<u32>,
}

/// A stretch of the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    /// Where, in a real file.
    pub range: Span,
    /// What is around it; none around functions.
    pub parent: Option<usize>,
    /// The function, if it is one.
    pub function: Option<Signature>,
}

/// A function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// Name.
    pub name: String,
    /// The name's span, as instructions have it.
    pub span: Span,
    /// Result and parameters: places in [`Program::types`].
    pub types: Vec<usize>,
}

impl Program {
    /// To be called once all scopes are there.
    pub fn index(&mut self) {
        for (i, s) in self.scopes.iter().enumerate() {
            self.starts.entry(s.range.file).or_default().push((s.range.lo, i));
        }
        self.starts.values_mut().for_each(|list| list.sort_unstable());
    }

    /// The innermost scope around a place in a real file.
    pub fn scope_at(&self, place: Span) -> Option<usize> {
        let list = self.starts.get(&place.file)?;
        let before = list.partition_point(|s| s.0 <= place.lo).checked_sub(1)?;
        let mut at = Some(list[before].1);
        while let Some(i) = at
            && self.scopes[i].range.hi < place.lo
        {
            at = self.scopes[i].parent;
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceMap;

    #[test]
    fn places_are_in_the_innermost_scope() {
        let mut sources = SourceMap::new();
        let mut add = || sources.add("a.hlsl", String::new(), None, true).unwrap();
        let (file, other) = (add(), add());
        let scope = |lo, hi, parent| Scope { range: Span::new(file, lo, hi), parent, function: None };
        let scopes =
            vec![scope(10, 50, None), scope(20, 30, Some(0)), scope(22, 24, Some(1)), scope(60, 70, None)];
        let mut program = Program { scopes, ..Program::default() };
        program.index();
        let at = |n| program.scope_at(Span::new(file, n, n));
        let found: Vec<_> = [5, 10, 19, 20, 23, 27, 40, 55, 65, 80].map(at).into();
        assert_eq!(found, [None, Some(0), Some(0), Some(1), Some(2), Some(1), Some(0), None, Some(3), None]);
        assert_eq!(program.scope_at(Span::new(other, 23, 23)), None);
    }
}
