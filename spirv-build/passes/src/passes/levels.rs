//! The lists of passes that `-O0` to `-O3` stand for. Where levels differ is here alone.

use super::legalize_resources::{LegalizeResources, SplitHandles};
use super::unroll::Unroll;
use super::{Pass, dce::Dce, inline::Inline, localize::Localize, mem2reg::Mem2Reg};

/// How much is optimised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Level {
    /// Only what a target cannot do without.
    O0,
    /// What makes programs smaller.
    O1,
    /// What makes programs faster.
    O2,
    /// The same, whatever it costs.
    #[default]
    O3,
}

/// What every level but the lowest starts with, and the lowest has where a target cannot do without: no calls, no variables.
const SIMPLIFY: [&dyn Pass; 6] =
    [&Localize, &SplitHandles, &Mem2Reg, &Unroll { all: false }, &LegalizeResources { select: false }, &Dce];

impl Level {
    /// Its passes. With `only_entries` nothing stays of functions that no entry point reaches once calls are inlined but their names:
    /// text of the IR alone shows them.
    pub fn passes(self, only_entries: bool) -> Vec<&'static dyn Pass> {
        let inline: &dyn Pass =
            if only_entries { &Inline { only_entries: true } } else { &Inline { only_entries: false } };
        match self {
            Level::O0 => Vec::new(),
            Level::O1 | Level::O2 | Level::O3 => [&[inline][..], &SIMPLIFY].concat(),
        }
    }
}
