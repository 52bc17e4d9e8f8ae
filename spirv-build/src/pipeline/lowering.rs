//! From typed HLSL to a module that verifies, and what is looked for in it.

use crate::diag::{Code, Diagnostics, Findings};
use crate::hlsl::{hir, lower};
use crate::ir::Module;
use crate::passes::precise::{Precise, What};
use crate::passes::{Manager, Pass};
use crate::{analysis, passes};

/// Lowers typed HLSL to the IR and verifies the result.
pub fn lower_hir(
    hir: &hir::Module,
    options: &lower::Options,
    diagnostics: &mut Diagnostics,
) -> Option<Module> {
    verified(lowered(hir, options, diagnostics)?, diagnostics)
}

fn lowered(hir: &hir::Module, options: &lower::Options, diagnostics: &mut Diagnostics) -> Option<Module> {
    match lower::lower(hir, options) {
        Ok(mut module) => {
            let what = match hir.ieee_strict {
                true => Some(What::All),
                false => hir.has_precise().then_some(What::Marked),
            };
            if let Some(what) = what {
                // Before anything is simplified or inlined: the source says how far it reaches.
                let pass: &dyn Pass = &Precise(what);
                let mut findings = Findings::new();
                Manager::default().run([pass], &mut module, &mut findings);
                findings.report(diagnostics);
            }
            Some(module)
        }
        Err(errors) => {
            errors.into_iter().for_each(|finding| finding.report(diagnostics));
            None
        }
    }
}

/// As [`lower_hir`], for a module that passes work on before anything else sees it: they are followed by a verification of
/// their own, so that this one finds more only if lowering made a mistake, which tests look for in builds with debug
/// assertions. What instructions that the program itself declares do is never known before.
pub fn lower_hir_for_passes(
    hir: &hir::Module,
    options: &lower::Options,
    diagnostics: &mut Diagnostics,
) -> Option<Module> {
    let module = lowered(hir, options, diagnostics)?;
    let writes_out = || module.functions.iter().any(|(_, f)| f.insts.iter().any(|(_, i)| i.written_out));
    match cfg!(debug_assertions) || writes_out() {
        true => verified(module, diagnostics),
        false => Some(module),
    }
}

/// The module, unless it breaks a rule: then the compiler made a mistake.
pub fn verified(module: Module, diagnostics: &mut Diagnostics) -> Option<Module> {
    let broken = passes::verify(&module, None);
    let fine = broken.is_empty();
    broken.into_iter().for_each(|finding| finding.report(diagnostics));
    fine.then_some(module)
}

/// Reports barriers that not all invocations of a group reach. Of a module whose calls are inlined: what calls something is not
/// looked at.
pub fn report_divergence(module: &Module, diagnostics: &mut Diagnostics) {
    for found in analysis::barriers::divergent(module) {
        diagnostics
            .report(Code::DivergentBarrier, found.barrier, "not all threads of the group reach this barrier")
            .secondary(found.condition, "this depends on the thread")
            .help(
                "all threads have to meet at a barrier: move it out of the branch or loop, or let the condition be the \
                 same for the group",
            )
            .help(
                "`-Wno-error=divergent-barrier` makes this a warning, in a build script \
                 `Config::divergent_barriers(true)`",
            );
    }
}
