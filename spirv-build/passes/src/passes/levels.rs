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

/// What the passes of a level are told.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LevelOptions {
    /// Nothing stays of functions that no entry point reaches once calls are inlined but their names: text of the IR alone shows them.
    pub only_entries: bool,
    /// Functions keep which calls were inlined into them, for debug information.
    pub keeps_calls: bool,
    /// A use of a resource that is chosen from several variables at run time is a choice, too.
    pub select_resources: bool,
}

/// What a target needs that takes no calls and no variables that could be values. The lowest level has no more, and that only there.
fn needed(options: LevelOptions) -> Vec<&'static dyn Pass> {
    let (inline, legalize) = (inline(options), legalize_resources(options));
    vec![inline, &Localize, &SplitHandles, &Mem2Reg, &Unroll { all: false }, legalize, &Dce]
}

/// What every other level has: constants first, so that they decide what is unrolled and which resource a handle is; once more where
/// branches became values.
fn optimize(options: LevelOptions) -> Vec<&'static dyn Pass> {
    vec![
        inline(options),
        &Localize,
        &SplitHandles,
        &Sroa,
        &Mem2Reg,
        &Sccp,
        &Unroll { all: false },
        legalize_resources(options),
        &SimplifyCfg,
        &Sccp,
        &Dce,
    ]
}

impl Level {
    /// Its passes.
    pub fn passes(self, options: LevelOptions) -> Vec<&'static dyn Pass> {
        match self {
            Level::O0 => Vec::new(),
            Level::O1 | Level::O2 | Level::O3 => optimize(options),
        }
    }

    /// Its passes for a target that cannot do without all of them.
    pub fn passes_needed(self, options: LevelOptions) -> Vec<&'static dyn Pass> {
        match self {
            Level::O0 => needed(options),
            _ => self.passes(options),
        }
    }
}

fn inline(options: LevelOptions) -> &'static dyn Pass {
    match (options.only_entries, options.keeps_calls) {
        (false, false) => &Inline { only_entries: false, keeps_calls: false },
        (false, true) => &Inline { only_entries: false, keeps_calls: true },
        (true, false) => &Inline { only_entries: true, keeps_calls: false },
        (true, true) => &Inline { only_entries: true, keeps_calls: true },
    }
}

fn legalize_resources(options: LevelOptions) -> &'static dyn Pass {
    match options.select_resources {
        true => &LegalizeResources { select: true },
        false => &LegalizeResources { select: false },
    }
}
