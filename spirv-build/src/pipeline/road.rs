//! The road of a program, and how far to go on it.

use super::native::{finish, rust};
use super::{Compiled, Debug, Options, Passes, registers, source_text, targets};
use super::{has_few_ids, lower_hir, lower_hir_for_passes, report_divergence, write_debug, write_for};
use super::{import_ir, shaders_to_vulkan, to_kernels, to_llvm, to_shaders, to_vulkan};
use crate::abi::{self, vulkan::VulkanOptions};
use crate::diag::{Code, Diagnostics, Findings};
use crate::hlsl::{self, lower};
use crate::input::IncludeHandler;
use crate::interface;
use crate::ir::{Mode, Module, print};
use crate::llvm::{self, export::Flavor};
use crate::passes::precise::{Precise, What};
use crate::passes::robust_access::{Device, RobustAccess};
use crate::passes::{Manager, Pass, flatten, inline, legalize_resources, offsets};
use crate::source::SourceMap;
use crate::target::TargetEnv;
use spirv_interface::Interface;
use spirv_spec::ExecutionMode;

/// How far to go.
#[derive(Debug, Clone, Copy)]
pub enum Goal<'a> {
    /// To the typed HIR, as text.
    Hir,
    /// To the IR, as text.
    Ir,
    /// To LLVM IR, as text.
    Llvm(Flavor),
    /// To Rust code for the CPU, as text.
    Rust,
    /// To the interface, as text.
    Interface,
    /// To a SPIR-V module.
    Words,
    /// To all that a build script leaves.
    Artifacts(&'a Options),
}

/// What a program becomes, and what is to be minded on the way.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    /// How far to go.
    pub goal: Goal<'a>,
    /// The front end's options.
    pub hlsl: &'a hlsl::Options,
    /// Those of the lowering.
    pub lowering: lower::Options,
    /// Which passes run.
    pub passes: &'a Passes,
    /// Target environment.
    pub target: &'a TargetEnv,
    /// Whether somebody chose it: LLVM IR is for kernels otherwise.
    pub target_given: bool,
    /// How modules for Vulkan meet their host.
    pub vulkan: VulkanOptions,
    /// Every element of arrays of textures and samplers must be known.
    pub flatten_arrays: bool,
    /// More execution modes of every entry point.
    pub modes: &'a [Mode],
    /// Tell of types and counters for reflection.
    pub reflect: bool,
    /// Where registers are bound; if there are any, all must be.
    pub registers: &'a [Register],
    /// What the entry point is called in the module.
    pub entry_name: Option<&'a str>,
    /// Ids must be below this.
    pub max_id: Option<u32>,
    /// Debug information to write.
    pub debug: Option<Debug>,
}

/// `-fvk-bind-register t3 0 5 1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Register {
    /// Class, number and space.
    pub register: (char, u32, u32),
    /// Set and binding.
    pub binding: (u32, u32),
}

/// What came of it.
#[derive(Debug)]
pub enum Made {
    /// Text.
    Text(String),
    /// A SPIR-V module.
    Words(Vec<u32>),
    /// All that a build script leaves.
    Artifacts(Box<Compiled>),
}

/// Takes a program as far as asked. None means that `diagnostics` has errors.
pub fn run(
    path: &str,
    bytes: &[u8],
    request: &Request<'_>,
    includes: &dyn IncludeHandler,
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
) -> Option<Made> {
    let mut road = Road { request, sources, diagnostics };
    if llvm::is_ir(path) {
        return road.take_ir(path, bytes, includes);
    }
    let text = source_text(path, bytes.to_vec(), road.diagnostics)?;
    road.take_hlsl(path, &text, includes)
}

struct Road<'a> {
    request: &'a Request<'a>,
    sources: &'a mut SourceMap,
    diagnostics: &'a mut Diagnostics,
}

impl Road<'_> {
    fn take_hlsl(&mut self, path: &str, text: &str, includes: &dyn IncludeHandler) -> Option<Made> {
        let (r, diagnostics) = (self.request, &mut *self.diagnostics);
        let hir = hlsl::compile_to_hir(path, text, r.hlsl, includes, self.sources, diagnostics)?;
        if let Goal::Hir = r.goal {
            return Some(Made::Text(hlsl::dump_hir(&hir)));
        }
        if diagnostics.has_errors() && matches!(r.goal, Goal::Artifacts(_)) {
            return None;
        }
        let keeps_calls = r.debug.is_some_and(|d| d.program.is_some());
        let passes = Passes { keeps_calls, ..r.passes.clone() };
        // Code for the CPU has neither calls nor variables that could be values.
        let simple = matches!(r.goal, Goal::Rust | Goal::Artifacts(_));
        let looks = passes.runs() || simple;
        let mut module = match looks {
            true => lower_hir_for_passes(&hir, &r.lowering, diagnostics)?,
            false => lower_hir(&hir, &r.lowering, diagnostics)?,
        };
        let only_entries = !matches!(r.goal, Goal::Ir | Goal::Llvm(_));
        if passes.runs() {
            module = passes.optimize(only_entries, module, diagnostics)?;
        }
        // What must be constant may be so only once calls are inlined, and calls take no pointers into variables.
        let must = |m: &Module| {
            !offsets::variable_offsets(m).is_empty()
                || inline::is_needed(m)
                || legalize_resources::is_needed(m)
        };
        if !passes.simplifies() && (simple || must(&module)) {
            module = passes.simplify(only_entries, module, diagnostics)?;
        }
        if looks {
            report_divergence(&module, diagnostics);
        }
        match r.goal {
            Goal::Rust => return rust(module, self.sources, diagnostics).map(Made::Text),
            Goal::Ir => return Some(Made::Text(print::print(&module))),
            Goal::Llvm(Flavor::Host) => return to_llvm(&module, Flavor::Host, diagnostics).map(Made::Text),
            _ => {}
        }
        if r.target.has_kernels() {
            return self.kernels(module);
        }
        for e in &mut module.entry_points {
            // What the source says goes before what the command line says.
            let asked = r.modes.iter().filter(|m| e.modes.iter().all(|own| own.kind != m.kind));
            let asked: Vec<_> = asked.cloned().collect();
            e.modes.extend(asked);
        }
        let mut findings = Findings::new();
        flatten::choose(&mut module, r.vulkan.flatten, &mut findings);
        findings.report(diagnostics);
        if diagnostics.has_errors() {
            return None;
        }
        if r.flatten_arrays && !targets::known_elements(&module, diagnostics) {
            return None;
        }
        if r.reflect {
            abi::reflect::run(&mut module);
        }
        if !r.registers.is_empty()
            && !targets::bind_registers(&mut module, r.registers, r.vulkan.heaps, diagnostics)
        {
            return None;
        }
        self.name_entry(&mut module)?;
        let diagnostics = &mut *self.diagnostics;
        let optimized = matches!(r.goal, Goal::Artifacts(_)).then(|| module.clone());
        let (vulkan, mut words) = to_vulkan(module, r.target, r.vulkan.clone(), diagnostics)?;
        if let Some(debug) = r.debug {
            let program = (&hir, &*self.sources);
            words = write_debug(&vulkan, r.target, r.hlsl, debug, program, diagnostics)?;
        }
        if !has_few_ids(&words, r.max_id, diagnostics) {
            return None;
        }
        let shared = match r.goal {
            Goal::Artifacts(options) => {
                registers::report_shared(&vulkan, diagnostics);
                options.shared_arguments
            }
            Goal::Interface => false,
            _ => return Some(Made::Words(words)),
        };
        let interface = described(&vulkan, self.sources, shared, diagnostics)?;
        match (r.goal, optimized) {
            (Goal::Artifacts(options), Some(module)) => {
                let made = finish(&module, false, words, interface, options, self.sources);
                Some(Made::Artifacts(Box::new(made)))
            }
            _ => Some(Made::Text(interface.to_text())),
        }
    }

    /// A module that becomes kernels of OpenCL's flavour.
    fn kernels(&mut self, mut module: Module) -> Option<Made> {
        let (r, diagnostics) = (self.request, &mut *self.diagnostics);
        // Kernels call nothing.
        if !r.passes.simplifies() {
            module = r.passes.simplify(false, module, diagnostics)?;
        }
        if r.vulkan.robust_access {
            let robust: &dyn Pass = &RobustAccess(Device::KERNELS);
            Manager::default().run([robust], &mut module, &mut Findings::new());
        }
        let (kernels, words) = to_kernels(&module, r.target, Default::default(), diagnostics)?;
        match r.goal {
            Goal::Llvm(flavor) => to_llvm(&kernels.module, flavor, diagnostics).map(Made::Text),
            _ => Some(Made::Words(words)),
        }
    }

    /// LLVM IR, to kernels of OpenCL's flavour or to shaders.
    fn take_ir(&mut self, path: &str, bytes: &[u8], includes: &dyn IncludeHandler) -> Option<Made> {
        let r = self.request;
        let kernels = TargetEnv::kernels();
        let target = if r.target_given { r.target } else { &kernels };
        let mut module = import_ir(path, bytes, includes, self.sources, self.diagnostics)?;
        if let Some(wanted) = &r.hlsl.entry {
            module.entry_points.retain(|e| e.name == *wanted);
            if module.entry_points.is_empty() {
                let what = format!("there is no kernel `{wanted}`");
                self.diagnostics.report_whole(Code::EntryNotFound, what);
                return None;
            }
        }
        self.name_entry(&mut module)?;
        let diagnostics = &mut *self.diagnostics;
        match r.goal {
            Goal::Ir => return Some(Made::Text(print::print(&module))),
            Goal::Llvm(flavor) if !target.has_kernels() => {
                return to_llvm(&module, flavor, diagnostics).map(Made::Text);
            }
            _ => {}
        }
        if target.has_kernels() && !matches!(r.goal, Goal::Rust | Goal::Interface | Goal::Artifacts(_)) {
            if r.hlsl.ieee_strict {
                let off = Mode::words(ExecutionMode::ContractionOff, &[]);
                for e in module.entry_points.iter_mut().filter(|e| !e.modes.contains(&off)) {
                    e.modes.push(off.clone());
                }
            }
            if let Goal::Llvm(flavor) = r.goal {
                return to_llvm(&module, flavor, diagnostics).map(Made::Text);
            }
            let words = write_for(&module, target, diagnostics)?;
            return has_few_ids(&words, r.max_id, diagnostics).then_some(Made::Words(words));
        }
        let mut shaders = to_shaders(module, r.passes, diagnostics)?;
        if r.hlsl.ieee_strict {
            shaders.module = r.passes.run(&[&Precise(What::Instructions)], shaders.module, diagnostics)?;
        }
        if let Goal::Rust = r.goal {
            return rust(shaders.module, self.sources, diagnostics).map(Made::Text);
        }
        let default = TargetEnv::default();
        let target = if target.has_kernels() { &default } else { target };
        let options = VulkanOptions { robust_access: r.vulkan.robust_access, ..super::HOSTED };
        let (vulkan, words) = shaders_to_vulkan(&shaders, target, options, diagnostics)?;
        if let Goal::Words = r.goal {
            return has_few_ids(&words, r.max_id, diagnostics).then_some(Made::Words(words));
        }
        let shared = matches!(r.goal, Goal::Artifacts(options) if options.shared_arguments);
        let interface = described(&vulkan, self.sources, shared, diagnostics)?;
        match r.goal {
            Goal::Artifacts(options) => {
                let made = finish(&shaders.module, true, words, interface, options, self.sources);
                Some(Made::Artifacts(Box::new(made)))
            }
            _ => Some(Made::Text(interface.to_text())),
        }
    }

    /// Calls the entry point as asked.
    fn name_entry(&mut self, module: &mut Module) -> Option<()> {
        let Some(name) = self.request.entry_name else { return Some(()) };
        let [entry] = module.entry_points.as_mut_slice() else {
            self.diagnostics
                .report_whole(Code::BadProfile, "`-fspv-entrypoint-name` needs exactly one entry point")
                .help("choose one with `-E`");
            return None;
        };
        entry.name = name.to_string();
        Some(())
    }
}

/// What a host needs to know of a module for Vulkan.
fn described(
    module: &Module,
    sources: &SourceMap,
    shared: bool,
    diagnostics: &mut Diagnostics,
) -> Option<Interface> {
    match interface::build(module, sources, shared) {
        Ok(interface) => Some(interface),
        Err(errors) => {
            for e in errors {
                e.in_sentence(|what| format!("launch stubs do not support {what} yet")).report(diagnostics);
            }
            None
        }
    }
}
