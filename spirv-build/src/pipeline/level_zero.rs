//! The modules for Level Zero: for each entry point one with a kernel, or the reason why there is none; for one that uses
//! images another module for devices without.
//!
//! Each kernel has a module of its own. A device that lacks what one of them needs, such as doubles, still takes the
//! others, and compiles no more than what is loaded.
//!
//! That an entry point has no form there is no error: it runs on the other devices. The reason goes into the interface, and
//! whoever loads the kernel on such a device is told.

use super::native::with_place;
use super::targets::not_in_kernels;
use super::{verified, write_for};
use crate::abi::kernel::{self, ImageForm, Options, Slot};
use crate::diag::{Diagnostics, Finding};
use crate::ir::Module;
use crate::source::{SourceMap, Span};
use crate::target::TargetEnv;
use spirv_interface::{ClArg, ClEntry, EntryPoint, Interface, ResourceKind};

/// Makes the modules and enters in the interface what came of it. Gives them with their file names. `guarded`: accesses by address
/// are checked.
pub(super) fn make(
    module: &Module,
    guarded: bool,
    interface: &mut Interface,
    sources: &SourceMap,
) -> Vec<(String, Vec<u32>)> {
    let slots = slots(interface);
    let waves = waves(interface);
    let job = Job { module, guarded, slots: &slots, waves: &waves, sources, target: TargetEnv::level_zero() };
    let mut modules = Vec::new();
    for (i, e) in module.entry_points.iter().enumerate() {
        let mut form = |images| match job.attempt(images, i) {
            Ok((args, words)) => {
                let file = format!("{}.{}.cl.spv", interface.kernel, modules.len());
                modules.push((file.clone(), words));
                ClEntry::Kernel { module: file, args }
            }
            Err(reason) => ClEntry::Refused(reason),
        };
        let cl = form(ImageForm::Object);
        let cl_memory =
            if kernel::uses_images(module, e) { form(ImageForm::Memory) } else { ClEntry::Absent };
        if let Some(entry) = interface.entries.iter_mut().find(|entry| entry.name == e.name) {
            (entry.cl, entry.cl_memory) = (cl, cl_memory);
        }
    }
    modules
}

/// The lanes of waves where the source gives their number. Of a range devices take what suits them: a module says one number or
/// none.
fn waves(interface: &Interface) -> Vec<(String, u32)> {
    let fixed = |e: &EntryPoint| e.wave.filter(|w| w.least == w.most).map(|w| (e.name.clone(), w.least));
    interface.entries.iter().filter_map(fixed).collect()
}

/// What the host knows of each resource.
fn slots(interface: &Interface) -> Vec<Slot> {
    let slot = |kind: &ResourceKind| match kind {
        ResourceKind::Constants(s) => {
            Slot { constants: interface.structs.get(*s as usize).map(|s| s.size), ..Slot::default() }
        }
        // What is only read may have more components than the kernel sees, or fewer.
        ResourceKind::Image { components, storage: true, .. } => {
            Slot { components: u8::try_from(*components).ok(), ..Slot::default() }
        }
        _ => Slot::default(),
    };
    interface.resources.iter().map(|r| slot(&r.kind)).collect()
}

struct Job<'a> {
    module: &'a Module,
    /// Accesses by address are checked.
    guarded: bool,
    slots: &'a [Slot],
    /// Entry points that say how many lanes their waves have.
    waves: &'a [(String, u32)],
    sources: &'a SourceMap,
    target: TargetEnv,
}

impl Job<'_> {
    /// The parameters and the module of an entry point. An error is the reason why there is none.
    fn attempt(&self, images: ImageForm, entry: usize) -> Result<(Vec<ClArg>, Vec<u32>), String> {
        let name = &self.module.entry_points[entry].name;
        let wave = self.waves.iter().find(|w| w.0 == *name).map(|w| w.1);
        let options = Options { images, slots: self.slots, entry: Some(entry), wave, guarded: self.guarded };
        let kernels = kernel::run(self.module, options).map_err(|refused| self.refused(&refused))?;
        let mut aside = Diagnostics::new();
        let words =
            verified(kernels.module, &mut aside).and_then(|m| write_for(&m, &self.target, &mut aside));
        match (words, kernels.args.into_iter().next()) {
            (Some(words), Some(args)) => Ok((args, words)),
            _ => Err(self.lacking(&aside)),
        }
    }

    fn refused(&self, refused: &[Finding]) -> String {
        let Some(first) = refused.first() else { return "it has no form".to_string() };
        self.reason(first.place(), &not_in_kernels(&self.target, &first.text), refused.len() - 1)
    }

    fn lacking(&self, findings: &Diagnostics) -> String {
        match findings.sorted(self.sources)[..] {
            [first, ..] => self.reason(first.span, &first.message, findings.error_count().saturating_sub(1)),
            [] => "it cannot be written".to_string(),
        }
    }

    /// The first reason with its place, and how many more there are.
    fn reason(&self, place: Option<Span>, message: &str, more: usize) -> String {
        let more = if more > 0 { format!(" (and {more} more)") } else { String::new() };
        with_place(place, &format!("{message}{more}"), self.sources)
    }
}
