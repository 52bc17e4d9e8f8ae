//! The lists of passes that `-O0` to `-O3` stand for. Where levels differ is here alone.

use super::legalize_resources::{LegalizeResources, SplitHandles};
use super::{
    Pass, dce::Dce, inline::Inline, localize::Localize, mem2reg::Mem2Reg, sccp::Sccp,
    simplify_cfg::SimplifyCfg, sroa::Sroa, unroll::Unroll,
};

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

/// What a target needs that takes no calls and no variables that could be values. The lowest level has no more, and that only there.
const NEEDED: [&dyn Pass; 6] =
    [&Localize, &SplitHandles, &Mem2Reg, &Unroll { all: false }, &LegalizeResources { select: false }, &Dce];

/// What every other level has: constants first, so that they decide what is unrolled and which resource a handle is; once more where
/// branches became values.
const OPTIMIZE: [&dyn Pass; 10] = [
    &Localize,
    &SplitHandles,
    &Sroa,
    &Mem2Reg,
    &Sccp,
    &Unroll { all: false },
    &LegalizeResources { select: false },
    &SimplifyCfg,
    &Sccp,
    &Dce,
];

impl Level {
    /// Its passes. With `only_entries` nothing stays of functions that no entry point reaches once calls are inlined but their names:
    /// text of the IR alone shows them.
    pub fn passes(self, only_entries: bool) -> Vec<&'static dyn Pass> {
        match self {
            Level::O0 => Vec::new(),
            Level::O1 | Level::O2 | Level::O3 => [&[inline(only_entries)][..], &OPTIMIZE].concat(),
        }
    }

    /// Its passes for a target that cannot do without all of them.
    pub fn passes_needed(self, only_entries: bool) -> Vec<&'static dyn Pass> {
        match self {
            Level::O0 => [&[inline(only_entries)][..], &NEEDED].concat(),
            _ => self.passes(only_entries),
        }
    }
}

fn inline(only_entries: bool) -> &'static dyn Pass {
    if only_entries { &Inline { only_entries: true } } else { &Inline { only_entries: false } }
}
