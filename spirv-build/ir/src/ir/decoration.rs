//! Decorations: what is said of an entity beside what it is. They sit on what they decorate, in one form for all: globals,
//! functions, structs and their members, values of functions. [`crate::ir::Module::decorations`] finds those of any of them.
//!
//! * A list is sorted by the numbers of the decorations, so that lists that say the same are equal. Those of one kind stay in
//!   the order in which they came.
//! * Layout (`Offset`, `ArrayStride`, `MatrixStride`, `RowMajor`, `ColMajor`) and `SpecId` are no decorations here: they are
//!   part of the type or constant.

use crate::ir::constant::Const;
use crate::ir::function::Value;
use crate::ir::module::{Func, Global};
use crate::ir::rare::Rare;
use crate::ir::types::Type;
use smallvec::{SmallVec, smallvec};
use spirv_spec::Decoration as Kind;
use spirv_spec::{BuiltIn, LinkageType, Op};
use std::ops::Deref;

/// What can be decorated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Decorated {
    /// A function.
    Func(Func),
    /// A global.
    Global(Global),
    /// A constant.
    Const(Const),
    /// A struct.
    Type(Type),
    /// A member of a struct.
    Member(Type, u32),
    /// A value of a function: a parameter, a block argument, a result.
    Value(Func, Value),
}

/// A decoration.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Decoration {
    /// Which; its number need not be one that the tables know.
    pub kind: Kind,
    /// Operands.
    pub operands: SmallVec<[DecorationOperand; 1]>,
}

/// An operand of a [`Decoration`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum DecorationOperand {
    /// A word: a literal, an enumerant, a mask.
    Literal(u32),
    /// A string.
    Text(Box<str>),
    /// The `<id>` of a constant.
    Const(Const),
    /// The `<id>` of a global.
    Global(Global),
}

impl Decoration {
    /// One without operands.
    pub fn plain(kind: Kind) -> Decoration {
        Decoration { kind, operands: SmallVec::new() }
    }

    /// One whose operands are words.
    pub fn words(kind: Kind, words: &[u32]) -> Decoration {
        Decoration { kind, operands: words.iter().map(|n| DecorationOperand::Literal(*n)).collect() }
    }

    /// One whose operand is a string.
    pub fn text(kind: Kind, text: &str) -> Decoration {
        Decoration { kind, operands: smallvec![DecorationOperand::Text(text.into())] }
    }

    /// Under which name other modules know the decorated, or which of theirs it is.
    pub fn linkage(name: &str, linkage: LinkageType) -> Decoration {
        let operands = [DecorationOperand::Text(name.into()), DecorationOperand::Literal(linkage.0)];
        Decoration { kind: Kind::LinkageAttributes, operands: operands.into_iter().collect() }
    }

    /// Operand `index`, if it is a word.
    pub fn word(&self, index: usize) -> Option<u32> {
        match self.operands.get(index) {
            Some(DecorationOperand::Literal(n)) => Some(*n),
            _ => None,
        }
    }

    /// The instruction that says it.
    pub fn instruction(&self) -> Op {
        let mut op = Op::Decorate;
        for operand in &self.operands {
            match operand {
                DecorationOperand::Const(_) | DecorationOperand::Global(_) => return Op::DecorateId,
                DecorationOperand::Text(_) if self.kind != Kind::LinkageAttributes => op = Op::DecorateString,
                _ => {}
            }
        }
        op
    }
}

/// The decorations of an entity.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Decorations(Rare<Decoration>);

static NONE: Decorations = Decorations(Rare::new());

impl Decorations {
    /// No decorations.
    pub const fn new() -> Decorations {
        Decorations(Rare::new())
    }

    /// The list without decorations.
    pub fn none() -> &'static Decorations {
        &NONE
    }

    /// Adds a decoration behind those of its kind.
    pub fn add(&mut self, d: Decoration) {
        let at = self.0.partition_point(|other| other.kind <= d.kind);
        self.0.insert(at, d);
    }

    /// Adds a decoration without operands, unless it is there.
    pub fn mark(&mut self, kind: Kind) {
        if !self.has(kind) {
            self.add(Decoration::plain(kind));
        }
    }

    /// Removes all of a kind.
    pub fn remove(&mut self, kind: Kind) {
        if self.has(kind) {
            self.0.retain(|d| d.kind != kind);
        }
    }

    /// Removes all.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// The first decoration of a kind.
    pub fn get(&self, kind: Kind) -> Option<&Decoration> {
        // Most lists have one or none.
        self.0.iter().find(|d| d.kind == kind)
    }

    /// Whether there is a decoration of a kind.
    pub fn has(&self, kind: Kind) -> bool {
        self.get(kind).is_some()
    }

    /// The first operand of the first decoration of a kind, if it is a word.
    pub fn word(&self, kind: Kind) -> Option<u32> {
        self.get(kind)?.word(0)
    }

    /// The system value that the decorated is.
    pub fn builtin(&self) -> Option<BuiltIn> {
        self.word(Kind::BuiltIn).map(BuiltIn)
    }

    /// Under which name other modules know the decorated, or which of theirs it is.
    pub fn linkage(&self) -> Option<(&str, LinkageType)> {
        let d = self.get(Kind::LinkageAttributes)?;
        match &d.operands[..] {
            [DecorationOperand::Text(name), DecorationOperand::Literal(n)] => Some((name, LinkageType(*n))),
            _ => None,
        }
    }
}

impl Deref for Decorations {
    type Target = [Decoration];
    fn deref(&self) -> &[Decoration] {
        &self.0
    }
}

impl Extend<Decoration> for Decorations {
    fn extend<I: IntoIterator<Item = Decoration>>(&mut self, items: I) {
        items.into_iter().for_each(|d| self.add(d));
    }
}

impl FromIterator<Decoration> for Decorations {
    fn from_iter<I: IntoIterator<Item = Decoration>>(items: I) -> Decorations {
        let mut list = Decorations::new();
        list.extend(items);
        list
    }
}

impl IntoIterator for Decorations {
    type Item = Decoration;
    type IntoIter = smallvec::IntoIter<[Decoration; 2]>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Decorations {
    type Item = &'a Decoration;
    type IntoIter = std::slice::Iter<'a, Decoration>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_that_say_the_same_are_equal() {
        let semantic = |text| Decoration::text(Kind::UserSemantic, text);
        let (a, b) = (Decoration::words(Kind::Location, &[3]), Decoration::plain(Kind::Flat));
        let one: Decorations = [semantic("x"), a.clone(), b.clone(), semantic("y")].into_iter().collect();
        let other: Decorations = [b, semantic("x"), semantic("y"), a].into_iter().collect();
        assert_eq!(one, other);
        assert_eq!((one.word(Kind::Location), one.has(Kind::Centroid)), (Some(3), false));
        let texts: Vec<_> = one.iter().filter(|d| d.kind == Kind::UserSemantic).collect();
        assert_eq!(texts, [&semantic("x"), &semantic("y")]);
        let mut less = one.clone();
        less.remove(Kind::UserSemantic);
        less.mark(Kind::Flat);
        assert_eq!(less.len(), 2);
    }

    #[test]
    fn operands_say_which_instruction_decorates() {
        let text = Decoration::text(Kind::UserTypeGOOGLE, "texture2d");
        let id = Decoration {
            kind: Kind::HlslCounterBufferGOOGLE,
            operands: smallvec![DecorationOperand::Global(crate::ir::entity::Entity::new(0))],
        };
        let link = Decoration::linkage("f", LinkageType::Export);
        assert_eq!(
            [text, id, link, Decoration::plain(Kind(90000))].map(|d| d.instruction()),
            [Op::DecorateString, Op::DecorateId, Op::Decorate, Op::Decorate]
        );
    }
}
