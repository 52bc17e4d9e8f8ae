//! Which passes run between a front end and the targets.

use super::verified;
use crate::diag::{Diagnostics, Findings};
use crate::ir::Module;
use crate::passes::{Instruments, Level, LevelOptions, Manager, Pass, registry};

/// What is said of passes by who asks for a compilation.
#[derive(Debug, Clone, Default)]
pub struct Passes {
    /// How much to optimise.
    pub level: Level,
    /// These instead of the level's (`--passes`).
    pub list: Option<String>,
    /// What to tell of them.
    pub instruments: Instruments,
    /// Resources that are chosen from several variables at run time are choices where they are used (`-fselect-resources`).
    pub select_resources: bool,
    /// Functions keep which calls were inlined into them, for debug information.
    pub keeps_calls: bool,
}

impl Passes {
    /// Whether passes are to run though no target needs them.
    pub fn runs(&self) -> bool {
        self.list.is_some() || self.level > Level::O0
    }

    /// Whether those that are to run do what targets need.
    pub fn simplifies(&self) -> bool {
        self.list.is_none() && self.level > Level::O0
    }

    /// Runs passes on a module; verifies what comes of them. None means that `diagnostics` has errors.
    pub fn run(
        &self,
        list: &[&dyn Pass],
        mut module: Module,
        diagnostics: &mut Diagnostics,
    ) -> Option<Module> {
        let mut manager = Manager::new(self.instruments.clone());
        let mut findings = Findings::new();
        manager.run(list.iter().copied(), &mut module, &mut findings);
        manager.tell_times();
        let failed = findings.has_errors();
        findings.report(diagnostics);
        if failed { None } else { verified(module, diagnostics) }
    }

    fn options(&self, only_entries: bool) -> LevelOptions {
        let Passes { keeps_calls, select_resources, .. } = *self;
        LevelOptions { only_entries, keeps_calls, select_resources }
    }

    /// Runs what the level or the list says. With `only_entries` nothing stays of functions that no entry point reaches any more but
    /// their names: text of the IR alone shows them.
    pub fn optimize(
        &self,
        only_entries: bool,
        module: Module,
        diagnostics: &mut Diagnostics,
    ) -> Option<Module> {
        match self.list.as_deref().map(registry::parse) {
            None => self.run(&self.level.passes(self.options(only_entries)), module, diagnostics),
            Some(Ok(list)) => {
                let list: Vec<&dyn Pass> = list.iter().map(Box::as_ref).collect();
                self.run(&list, module, diagnostics)
            }
            Some(Err(why)) => {
                diagnostics.report_whole(crate::diag::Code::Internal, why);
                None
            }
        }
    }

    /// Runs what a target cannot do without: it takes no calls, no variables that could be values.
    pub fn simplify(
        &self,
        only_entries: bool,
        module: Module,
        diagnostics: &mut Diagnostics,
    ) -> Option<Module> {
        self.run(&self.level.passes_needed(self.options(only_entries)), module, diagnostics)
    }
}

/// Runs the passes that run without an option, and keeps all functions.
pub fn optimize(module: Module, diagnostics: &mut Diagnostics) -> Option<Module> {
    Passes::default().optimize(false, module, diagnostics)
}

/// As [`optimize`], but of functions that no entry point reaches any more, because their calls are inlined, only the names stay.
pub fn optimize_entries(module: Module, diagnostics: &mut Diagnostics) -> Option<Module> {
    Passes::default().optimize(true, module, diagnostics)
}
