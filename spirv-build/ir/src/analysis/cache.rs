//! Analyses that are kept from pass to pass until one changes what they are of.

use super::structure::Structure;
use super::uses::Uses;
use crate::ir::entity::SecondaryMap;
use crate::ir::{Func, Function};
use std::rc::Rc;

/// Analyses that a change leaves valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preserved(u8);

impl Preserved {
    /// None.
    pub const NOTHING: Preserved = Preserved(0);
    /// [`Structure`]: no structured operation, block or terminator came or went.
    pub const STRUCTURE: Preserved = Preserved(1);
    /// [`Uses`]: no instruction came, went or has other operands.
    pub const USES: Preserved = Preserved(2);
    /// All.
    pub const ALL: Preserved = Preserved(u8::MAX);

    /// These and those.
    pub const fn and(self, other: Preserved) -> Preserved {
        Preserved(self.0 | other.0)
    }

    const fn has(self, other: Preserved) -> bool {
        self.0 & other.0 == other.0
    }
}

/// Analyses of the functions of one module, made when they are asked for.
#[derive(Debug, Default)]
pub struct Analyses {
    functions: SecondaryMap<Func, OfFunction>,
}

#[derive(Debug, Clone, Default)]
struct OfFunction {
    structure: Option<Rc<Structure>>,
    uses: Option<Rc<Uses>>,
}

impl Analyses {
    /// Around what an instruction stands, and which terminators lead where.
    pub fn structure(&mut self, func: Func, f: &Function) -> Rc<Structure> {
        self.functions[func].structure.get_or_insert_with(|| Rc::new(Structure::of(f))).clone()
    }

    /// Who uses a value.
    pub fn uses(&mut self, func: Func, f: &Function) -> Rc<Uses> {
        self.functions[func].uses.get_or_insert_with(|| Rc::new(Uses::of(f))).clone()
    }

    /// Forgets what a change of the module made invalid.
    pub fn invalidate(&mut self, preserved: Preserved) {
        self.functions.for_each_mut(|a| a.invalidate(preserved));
    }

    /// The same for one function: for a pass that asks again after a change of its own.
    pub fn invalidate_function(&mut self, func: Func, preserved: Preserved) {
        self.functions[func].invalidate(preserved);
    }
}

impl OfFunction {
    fn invalidate(&mut self, preserved: Preserved) {
        if !preserved.has(Preserved::STRUCTURE) {
            self.structure = None;
        }
        if !preserved.has(Preserved::USES) {
            self.uses = None;
        }
    }
}
