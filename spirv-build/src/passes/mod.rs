//! Transformations of the IR, one file each.
//!
//! A pass takes a module that verifies and leaves one that verifies and means the same. It tells whether it
//! changed anything.

mod absorb;
pub mod dce;
pub mod inline;
pub mod legalize_resources;
pub mod localize;
pub mod mem2reg;
pub mod robust_access;
pub mod strict;
pub mod structurize;

use crate::ir::Module;

/// A pass that cannot fail: name and function.
pub struct Pass {
    /// Name: the folder of its tests.
    pub name: &'static str,
    /// Runs it; tells whether the module changed.
    pub run: fn(&mut Module) -> bool,
}

/// The registry: one line a pass.
pub const PASSES: &[Pass] = &[
    Pass { name: "localize", run: localize::run },
    Pass { name: "mem2reg", run: mem2reg::run },
    Pass { name: "dce", run: dce::run },
];
