//! Tells whether a module is well-formed. What verifies makes no back end panic.
//!
//! # Rules
//!
//! 1. Every key (type, constant, global, function, value, instruction, block, region) is of its table. Types are made of
//!    earlier types that fit; constants have the form of their type (`tables`).
//! 2. Globals: `Private` and `Output` ones alone (in kernels others too) have an initial value, of their type; none are in
//!    `Function`. Resources are not `Private`, `Workgroup`, `Input` or `Output` (`tables`). `Input` and `Output` ones alone are
//!    decorated as what flows between stages, as each execution model has it (`interface`).
//!    Decorations name constants and globals of the module; those of members name none (`tables`).
//! 3. Entry points name a function with body that returns nothing and, unless it is a kernel, takes nothing; group sizes
//!    are at least 1, or all 0 where there are no groups or a mode or the host says; names differ (`tables`). No function calls itself, directly or through others (`tables`).
//! 4. Each block is in one region, each region in one operation, each instruction in one block. A block ends in its only
//!    terminator. Nesting is at most [`MAX_NESTING`] deep (`structure`).
//! 5. Structured operations have their regions, of one block each, and operands; regions have arguments only where the
//!    essay of [`crate::ir`] says so. Terminators stand where they may and pass values of the number and types that
//!    their target takes. A continuing region is left by `Next` or `NextIf` alone (`structure`).
//! 6. A value is used where it is visible: after its definition, in the block that defines it and the regions nested
//!    there; in a plain graph, in blocks that the definition's block dominates (`structure`).
//! 7. Variables stand at the start of the entry block (`structure`).
//! 8. Operands are as many and of the kinds that the specification says; instructions that belong outside functions, and those
//!    that structured operations replace, are absent; results are there exactly where the table has one (`operands`).
//! 9. Types of operands and results agree: arithmetic, comparisons, conversions, composites, memory, calls, images,
//!    atomics, the extended instructions (`types`, `memory`). Instructions without a rule pass.
//!
//! Not checked: what a target has (`target`), values of constants other than struct indices, uniformity.

mod interface;
mod memory;
mod operands;
mod structure;
mod tables;
mod types;

pub use crate::ir::walk::MAX_NESTING;

use crate::ir::{Func, Inst, Module};
use crate::source::Span;

/// Errors that are reported; one mistake often causes many.
pub const MAX_ERRORS: usize = 50;

/// A broken rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifyError {
    /// Which and how.
    pub message: String,
    /// The source that it comes from.
    pub span: Span,
    /// The function it is in.
    pub func: Option<Func>,
    /// The instruction that breaks it.
    pub inst: Option<Inst>,
    /// Whether the module is only larger than the limits: then nobody made a mistake.
    pub too_large: bool,
}

/// Checks all rules. An empty list means that the module is well-formed.
pub fn verify(module: &Module) -> Vec<VerifyError> {
    let mut errors = Errors { list: Vec::new(), func: None, inst: None, span: Span::default() };
    tables::check(module, &mut errors);
    // Rules on functions take sound tables for granted.
    if errors.list.is_empty() {
        for func in module.functions.keys() {
            errors.func = Some(func);
            structure::check(module, func, &mut errors);
        }
        errors.func = None;
        if errors.list.is_empty() {
            tables::recursion(module, &mut errors);
        }
    }
    errors.list
}

/// Collects errors at a position.
struct Errors {
    list: Vec<VerifyError>,
    func: Option<Func>,
    inst: Option<Inst>,
    span: Span,
}

impl Errors {
    fn push(&mut self, message: impl Into<String>) {
        if self.list.len() < MAX_ERRORS {
            let (span, func, inst) = (self.span, self.func, self.inst);
            self.list.push(VerifyError { message: message.into(), span, func, inst, too_large: false });
        }
    }

    fn too_large(&mut self, message: String) {
        self.push(message);
        self.list.iter_mut().last().into_iter().for_each(|e| e.too_large = true);
    }

    fn require(&mut self, holds: bool, message: &str) {
        if !holds {
            self.push(message);
        }
    }
}
