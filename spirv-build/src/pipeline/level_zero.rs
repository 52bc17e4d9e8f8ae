//! The modules for Level Zero: for each entry point a kernel, or the reason why there is none.
//!
//! That an entry point has no form there is no error: it runs on the other devices. The reason goes into the interface, and
//! whoever loads the kernel on such a device is told.

use super::{verified, write_for};
use crate::abi::kernel::{self, ImageForm, Options, Refused, Slot};
use crate::diag::Diagnostics;
use crate::ir::Module;
use crate::source::{SourceMap, Span};
use crate::target::TargetEnv;
use spirv_interface::{ClArg, ClEntry, Interface, ResourceKind};

/// The words of the modules, as far as any entry point has such a form.
#[derive(Debug, Default)]
pub(super) struct Modules {
    /// With images as such.
    pub cl: Option<Vec<u32>>,
    /// With images as memory: the entry points that use some.
    pub cl_memory: Option<Vec<u32>>,
}

/// Makes both modules and enters in the interface what came of it.
pub(super) fn make(module: &Module, interface: &mut Interface, sources: &SourceMap) -> Modules {
    let slots = slots(interface);
    let job = Job { module, slots: &slots, sources, target: TargetEnv::level_zero() };
    let cl = job.run(ImageForm::Object, (0..module.entry_points.len()).collect());
    let cl_memory = job.run(ImageForm::Memory, kernel::with_images(module));
    let mut enter = |made: &mut Made, of: fn(&mut spirv_interface::EntryPoint) -> &mut ClEntry| {
        for (i, form) in made.entries.drain(..) {
            let name = &module.entry_points[i].name;
            if let Some(entry) = interface.entries.iter_mut().find(|e| e.name == *name) {
                *of(entry) = form;
            }
        }
    };
    let (mut cl, mut cl_memory) = (cl, cl_memory);
    enter(&mut cl, |e| &mut e.cl);
    enter(&mut cl_memory, |e| &mut e.cl_memory);
    interface.cl_spirv = cl.words.as_ref().map(|_| format!("{}.cl.spv", interface.kernel));
    interface.cl_memory_spirv = cl_memory.words.as_ref().map(|_| format!("{}.mem.cl.spv", interface.kernel));
    Modules { cl: cl.words, cl_memory: cl_memory.words }
}

/// What the host knows of each resource.
fn slots(interface: &Interface) -> Vec<Slot> {
    let slot = |kind: &ResourceKind| match kind {
        ResourceKind::Constants(s) => {
            Slot { constants: interface.structs.get(*s as usize).map(|s| s.size), ..Slot::default() }
        }
        ResourceKind::Image { components, .. } => {
            Slot { components: u8::try_from(*components).ok(), ..Slot::default() }
        }
        _ => Slot::default(),
    };
    interface.resources.iter().map(|r| slot(&r.kind)).collect()
}

struct Job<'a> {
    module: &'a Module,
    slots: &'a [Slot],
    sources: &'a SourceMap,
    target: TargetEnv,
}

/// A module, and what became of entry points, by index.
struct Made {
    words: Option<Vec<u32>>,
    entries: Vec<(usize, ClEntry)>,
}

/// Entry points without a form, each with the reason.
type Reasons = Vec<(usize, String)>;

impl Job<'_> {
    /// Makes a module of those entry points that have a form.
    fn run(&self, images: ImageForm, mut wanted: Vec<usize>) -> Made {
        let mut entries = Vec::new();
        while !wanted.is_empty() {
            match self.attempt(images, &wanted) {
                Ok((args, words)) => {
                    entries.extend(wanted.into_iter().zip(args.into_iter().map(ClEntry::Kernel)));
                    return Made { words: Some(words), entries };
                }
                Err(reasons) => {
                    wanted.retain(|i| !reasons.iter().any(|r| r.0 == *i));
                    entries.extend(reasons.into_iter().map(|(i, reason)| (i, ClEntry::Refused(reason))));
                }
            }
        }
        Made { words: None, entries }
    }

    /// A module of these entry points, with their parameters. An error names at least one of them.
    fn attempt(&self, images: ImageForm, entries: &[usize]) -> Result<(Vec<Vec<ClArg>>, Vec<u32>), Reasons> {
        let options = Options { images, slots: self.slots, entries: Some(entries) };
        let kernels = kernel::run(self.module, options).map_err(|refused| self.refused(&refused))?;
        let mut aside = Diagnostics::new();
        let words =
            verified(kernels.module, &mut aside).and_then(|m| write_for(&m, &self.target, &mut aside));
        if let Some(words) = words {
            return Ok((kernels.args, words));
        }
        let reason = self.reason(&aside);
        // Which of them the target cannot have, shows when each is alone.
        let alone = |i: &usize| self.attempt(images, &[*i]).err();
        let reasons: Reasons = match entries {
            [_] => Vec::new(),
            _ => entries.iter().filter_map(alone).flatten().collect(),
        };
        if reasons.is_empty() {
            return Err(entries.iter().map(|i| (*i, reason.clone())).collect());
        }
        Err(reasons)
    }

    /// The first reason of each entry point.
    fn refused(&self, refused: &[Refused]) -> Reasons {
        let mut reasons = Reasons::new();
        for first in refused {
            if reasons.iter().any(|r| r.0 == first.entry) {
                continue;
            }
            let more = refused.iter().filter(|r| r.entry == first.entry).count() - 1;
            let message = super::not_in_kernels(&self.target, &first.what);
            let place = Some(first.span).filter(|s| *s != Span::default());
            reasons.push((first.entry, self.line(place, &message, more)));
        }
        reasons
    }

    fn reason(&self, findings: &Diagnostics) -> String {
        match findings.sorted(self.sources)[..] {
            [first, ..] => self.line(first.span, &first.message, findings.error_count() - 1),
            [] => "it cannot be written".to_string(),
        }
    }

    fn line(&self, place: Option<Span>, message: &str, more: usize) -> String {
        let place = place.map_or(String::new(), |span| {
            let p = self.sources.position(span);
            format!("{}:{}:{}: ", p.file, p.line, p.column)
        });
        let more = if more > 0 { format!(" (and {more} more)") } else { String::new() };
        format!("{place}{message}{more}")
    }
}
