//! One kernel file through the whole road, in memory: source text in, artifacts or diagnostics out.
//!
//! Nothing here touches the file system (an [`IncludeHandler`] does) or cargo's environment; `build` and `driver` do.

mod debug;
mod level_zero;
mod optimize;
mod registers;

use crate::abi::{self, vulkan::VulkanOptions};
use crate::cpu::{self, Isa};
use crate::diag::{Code, Diagnostic, Diagnostics, Findings, Warnings};
use crate::hlsl::lower;
use crate::hlsl::{self, hir};
use crate::input::IncludeHandler;
use crate::interface;
use crate::ir::Module;
use crate::llvm;
use crate::passes::addresses::GuardAddresses;
use crate::passes::dce::Dce;
use crate::passes::flatten::Flatten;
use crate::passes::offsets::{self, Offsets};
use crate::passes::robust_access::{self, Device, RobustAccess};
use crate::passes::structurize::Structurize;
use crate::passes::{self, Manager, Pass};
use crate::source::{SourceMap, Span};
use crate::spmd;
use crate::spv;
pub use crate::stack::{on_large_stack, try_on_large_stack};
use crate::target::{TargetEnv, requirements};
pub use debug::{Debug, write_debug};
pub use optimize::{Passes, optimize, optimize_entries};
use spirv_interface::{Cpu, CpuEntry, Interface, WaveSize};

/// What to make of a kernel.
#[derive(Debug, Clone)]
pub struct Options {
    /// The front end's.
    pub hlsl: hlsl::Options,
    /// Which warnings are wanted, and which findings are errors.
    pub warnings: Warnings,
    /// Target environment of the Vulkan module.
    pub target: TargetEnv,
    /// What else there is to say of it.
    pub vulkan: VulkanModule,
    /// Errors that are shown, if not the usual number; 0 for all.
    pub error_limit: Option<usize>,
    /// Architecture to make CPU code for (`CARGO_CFG_TARGET_ARCH`); None: no CPU code.
    pub cpu_arch: Option<String>,
    /// Whether to make modules for Level Zero of the entry points that have a form there.
    pub level_zero: bool,
    /// Name of the kernel: file stem as an identifier.
    pub kernel: String,
    /// Path of the source as the interface records it.
    pub source: String,
    /// Whether all entry points have the same arguments.
    pub shared_arguments: bool,
    /// Prefix of native symbols, unique among all kernels of a program.
    pub symbol: String,
}

/// More options of a Vulkan module.
#[derive(Debug, Clone, Default)]
pub struct VulkanModule {
    /// Its ids must be below this.
    pub max_id: Option<u32>,
    /// Debug information to write.
    pub debug: Option<Debug>,
    /// Images have no format unless one is declared.
    pub unknown_formats: bool,
}

/// A Vulkan module that our runtime launches: safe code may pass any number, so that every index counts.
pub const HOSTED: VulkanOptions = VulkanOptions {
    push_constants: true,
    dxc_numbers: false,
    shifts: Vec::new(),
    auto_shift: false,
    flatten: Flatten::Nothing,
    robust_access: true,
};

/// What a kernel became.
#[derive(Debug)]
pub struct Compiled {
    /// What the stub needs to know.
    pub interface: Interface,
    /// The module for Vulkan.
    pub spirv: Vec<u32>,
    /// The modules for Level Zero, with their file names.
    pub cl: Vec<(String, Vec<u32>)>,
    /// Rust source of the CPU code.
    pub cpu: Option<String>,
}

/// What came of it.
#[derive(Debug)]
pub struct Outcome {
    /// The artifacts, unless there are errors.
    pub compiled: Option<Compiled>,
    /// Findings.
    pub diagnostics: Diagnostics,
    /// The files that were read, and what spans mean.
    pub sources: SourceMap,
}

/// Compiles a kernel file. Never panics on any input; runs on a thread of its own with a large stack.
pub fn compile(path: &str, text: &[u8], options: &Options, includes: &dyn IncludeHandler) -> Outcome {
    let outcome = try_on_large_stack(|| {
        let mut sources = SourceMap::default();
        let mut diagnostics = Diagnostics::new();
        diagnostics.wanted.clone_from(&options.warnings);
        diagnostics.error_limit = options.error_limit;
        let compiled = stages(path, text, options, includes, &mut sources, &mut diagnostics);
        Outcome { compiled: compiled.filter(|_| !diagnostics.has_errors()), diagnostics, sources }
    });
    outcome.unwrap_or_else(|why| {
        let mut diagnostics = Diagnostics::new();
        diagnostics.report_whole(Code::TooMany, why);
        Outcome { compiled: None, diagnostics, sources: SourceMap::default() }
    })
}

fn stages(
    path: &str,
    text: &[u8],
    options: &Options,
    includes: &dyn IncludeHandler,
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
) -> Option<Compiled> {
    if llvm::is_ir(path) {
        return from_ir(path, text, options, includes, sources, diagnostics);
    }
    let text = &source_text(path, text.to_vec(), diagnostics)?;
    let hir = hlsl::compile_to_hir(path, text, &options.hlsl, includes, sources, diagnostics)?;
    if diagnostics.has_errors() {
        return None;
    }
    let lowering = lower::Options {
        infer_image_formats: !options.vulkan.unknown_formats,
        all_counters: true,
        ..lower::Options::default()
    };
    let module = lower_hir_for_passes(&hir, &lowering, diagnostics)?;
    let module = optimize_entries(module, diagnostics)?;
    report_divergence(&module, diagnostics);
    let (vulkan, mut spirv) = to_vulkan(module.clone(), &options.target, HOSTED, diagnostics)?;
    if let Some(debug) = options.vulkan.debug {
        let program = (&hir, &*sources);
        spirv = write_debug(&vulkan, &options.target, &options.hlsl, debug, program, diagnostics)?;
    }
    if !has_few_ids(&spirv, options.vulkan.max_id, diagnostics) {
        return None;
    }
    registers::report_shared(&vulkan, diagnostics);
    let interface = match interface::build(&vulkan, &hir, sources, options.shared_arguments) {
        Ok(interface) => interface,
        Err(errors) => {
            for e in errors {
                diagnostics.report(
                    Code::NotSupported,
                    e.span,
                    format!("launch stubs do not support {} yet", e.what),
                );
            }
            return None;
        }
    };
    Some(finish(&module, None, spirv, interface, options, sources))
}

/// The text of a source; None if it has none that can be compiled.
pub fn source_text(path: &str, bytes: Vec<u8>, diagnostics: &mut Diagnostics) -> Option<String> {
    match crate::input::text(bytes) {
        Ok(text) => Some(text),
        Err(why) => {
            diagnostics.report_whole(Code::UnreadableFile, format!("`{path}` cannot be compiled: {why}"));
            None
        }
    }
}

/// Names, native code and the modules for Level Zero.
fn finish(
    module: &Module,
    shaders: Option<&abi::shader::Shaders>,
    spirv: Vec<u32>,
    mut interface: Interface,
    options: &Options,
    sources: &SourceMap,
) -> Compiled {
    interface.kernel = options.kernel.clone();
    interface.source = options.source.clone();
    interface.spirv = Some(format!("{}.vk.spv", options.kernel));
    let cpu = match &options.cpu_arch {
        Some(arch) => to_cpu(module, arch, &options.symbol, &mut interface, sources),
        None => None,
    };
    let cl = match options.level_zero {
        true => {
            let mut module = module.clone();
            // The CPU checks addresses by itself, devices do not.
            let guard: &[&dyn Pass] = if shaders.is_some() { &[&GuardAddresses] } else { &[] };
            let robust: &dyn Pass = &RobustAccess(Device::KERNELS);
            Manager::default().run(guard.iter().copied().chain([robust]), &mut module, &mut Findings::new());
            level_zero::make(&module, &mut interface, sources)
        }
        false => Vec::new(),
    };
    Compiled { interface, spirv, cl, cpu }
}

/// LLVM IR through the whole road.
fn from_ir(
    path: &str,
    bytes: &[u8],
    options: &Options,
    includes: &dyn IncludeHandler,
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
) -> Option<Compiled> {
    let module = import_ir(path, bytes, includes, sources, diagnostics)?;
    let mut shaders = to_shaders(module, diagnostics)?;
    if options.hlsl.ieee_strict {
        passes::strict::run(&mut shaders.module);
    }
    let (vulkan, spirv) = shaders_to_vulkan(&shaders, &options.target, HOSTED, diagnostics)?;
    let Some(interface) = llvm::interface::build(&vulkan, &shaders.resources) else {
        diagnostics.report_whole(Code::LlvmImport, "a parameter has a type that the host does not have");
        return None;
    };
    Some(finish(&shaders.module, Some(&shaders), spirv, interface, options, sources))
}

/// Makes shaders of imported kernels.
pub fn to_shaders(module: Module, diagnostics: &mut Diagnostics) -> Option<abi::shader::Shaders> {
    if module.entry_points.is_empty() {
        diagnostics
            .report_whole(Code::LlvmImport, "the module has functions, but no kernels")
            .help("a kernel is a function with the calling convention `spir_kernel`");
        return None;
    }
    let passes = Passes::default();
    let module = passes.run(&[&Structurize], module, diagnostics)?;
    let module = passes.optimize(false, module, diagnostics)?;
    match abi::shader::run(&module) {
        Ok(mut shaders) => {
            shaders.module = passes.optimize(false, shaders.module, diagnostics)?;
            Some(shaders)
        }
        Err(list) => {
            for (span, what) in list {
                let message = format!("kernels from LLVM IR cannot have this yet: {what}");
                let span = Some(span).filter(|s| *s != Span::default());
                diagnostics
                    .push(Diagnostic::new(Code::LlvmImport, span, message))
                    .help("`spirvc --target level-zero` carries it over for Level Zero alone");
            }
            None
        }
    }
}

/// Lowers shaders that were kernels to a Vulkan shader and writes it.
pub fn shaders_to_vulkan(
    shaders: &abi::shader::Shaders,
    target: &TargetEnv,
    options: VulkanOptions,
    diagnostics: &mut Diagnostics,
) -> Option<(Module, Vec<u32>)> {
    let module = Passes::default().run(&[&GuardAddresses], shaders.module.clone(), diagnostics)?;
    to_vulkan(module, target, options, diagnostics)
}

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
        Ok(module) => Some(module),
        Err(errors) => {
            for e in errors {
                let code = match e.kind {
                    lower::ErrorKind::NotSupported => Code::NotSupported,
                    lower::ErrorKind::TooMany => Code::TooMany,
                    lower::ErrorKind::Choice => Code::ResourceChoice,
                    lower::ErrorKind::Internal => Code::Internal,
                };
                diagnostics.report(code, e.span, e.message).help(e.help);
            }
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
    match cfg!(debug_assertions) || !module.written_out.is_empty() {
        true => verified(module, diagnostics),
        false => Some(module),
    }
}

/// The module, unless it breaks a rule: then the compiler made a mistake.
fn verified(module: Module, diagnostics: &mut Diagnostics) -> Option<Module> {
    let broken = passes::verify(&module, None);
    let fine = broken.is_empty();
    broken.into_iter().for_each(|finding| finding.report(diagnostics));
    fine.then_some(module)
}

/// Reports barriers that not all invocations of a group reach. Of a module whose calls are inlined: what calls something is not
/// looked at.
pub fn report_divergence(module: &Module, diagnostics: &mut Diagnostics) {
    for found in spmd::divergence::barriers(module) {
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

/// Lowers a module to a Vulkan shader and writes it.
pub fn to_vulkan(
    mut module: Module,
    target: &TargetEnv,
    options: VulkanOptions,
    diagnostics: &mut Diagnostics,
) -> Option<(Module, Vec<u32>)> {
    // What build scripts make runs in processes that trust it; elsewhere tests look for mistakes of the compiler.
    let verify = cfg!(debug_assertions) || options.robust_access;
    let mut list: Vec<Box<dyn Pass>> = Vec::new();
    if !offsets::variable_offsets(&module).is_empty() {
        list.push(Box::new(Offsets));
        list.push(Box::new(Dce));
    }
    list.extend(abi::vulkan::passes(&options));
    let mut findings = Findings::new();
    Manager::default().run(list.iter().map(Box::as_ref), &mut module, &mut findings);
    findings.report(diagnostics);
    if verify {
        module = verified(module, diagnostics)?;
    }
    offsets::check(&module).into_iter().for_each(|finding| finding.report(diagnostics));
    let words = write_for(&module, target, diagnostics)?;
    Some((module, words))
}

/// Imports LLVM IR.
pub fn import_ir(
    name: &str,
    bytes: &[u8],
    includes: &dyn IncludeHandler,
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
) -> Option<Module> {
    match llvm::import_from(name, bytes, sources, includes) {
        Ok(module) => Some(module),
        Err(findings) => {
            for f in findings {
                diagnostics.push(Diagnostic::new(Code::LlvmImport, f.span, f.message)).help(f.help);
            }
            None
        }
    }
}

/// Writes a module as LLVM IR.
pub fn to_llvm(
    module: &Module,
    flavor: llvm::export::Flavor,
    diagnostics: &mut Diagnostics,
) -> Option<String> {
    match llvm::export::export(module, flavor) {
        Ok(text) => Some(text),
        Err(refused) => {
            for r in refused {
                diagnostics
                    .report(Code::LlvmExport, r.span, format!("LLVM IR cannot have this yet: {}", r.what))
                    .help("every other output of this kernel can: `--emit asm` shows the SPIR-V");
            }
            None
        }
    }
}

/// Lowers an optimised module to kernels of OpenCL's flavour and writes it. The second result is the module's words.
pub fn to_kernels(
    module: &Module,
    target: &TargetEnv,
    options: abi::kernel::Options<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<(abi::kernel::Kernels, Vec<u32>)> {
    let mut kernels = match abi::kernel::run(module, options) {
        Ok(kernels) => kernels,
        Err(refused) => {
            for r in refused {
                diagnostics
                    .report(Code::NotSupported, r.span, not_in_kernels(target, &r.what))
                    .help("buffers, constants and 2-D images are supported there; for the rest choose Vulkan or the CPU");
            }
            return None;
        }
    };
    kernels.module = verified(kernels.module, diagnostics)?;
    let words = write_for(&kernels.module, target, diagnostics)?;
    Some((kernels, words))
}

/// The message that kernels of OpenCL's flavour have no form of something.
fn not_in_kernels(target: &TargetEnv, what: &str) -> String {
    format!("kernels for {} do not have {what} yet", target.name)
}

/// Writes a module, if the target has what it needs.
pub fn write_for(module: &Module, target: &TargetEnv, diagnostics: &mut Diagnostics) -> Option<Vec<u32>> {
    for entry in &module.entry_points {
        let threads: u64 = entry.local_size.iter().map(|&n| u64::from(n)).product();
        let limits = &target.limits;
        let long = (0..3).any(|i| entry.local_size[i] > limits.group_size[i]);
        if long || threads > u64::from(limits.group_items) {
            let [x, y, z] = entry.local_size;
            let message = format!("the groups of `{}` are {x} x {y} x {z} threads", entry.name);
            let [mx, my, mz] = limits.group_size;
            diagnostics
                .report(Code::BadNumthreads, module.functions[entry.func].span, message)
                .help(format!("{} has {mx} x {my} x {mz}, and {} in all", target.name, limits.group_items));
        }
        if crate::target::derivatives::group(module, entry).is_some() && !threads.is_multiple_of(4) {
            let message = format!(
                "`{}` takes derivatives, and its group of {threads} threads is no multiple of 4",
                entry.name
            );
            diagnostics
                .report(Code::BadNumthreads, module.functions[entry.func].span, message)
                .help("derivatives are differences between four threads: make the group a multiple of 4 threads, or give levels of textures explicitly (`SampleLevel`, `SampleGrad`)");
        }
    }
    let needs = requirements(module, target);
    for lack in target.check(&needs) {
        diagnostics
            .report(Code::TargetLacks, lack.span, format!("{} does not have {}", target.name, lack.what))
            .help(lack.help);
    }
    if diagnostics.has_errors() {
        return None;
    }
    match spv::write_needing(module, target, spv::WriteOptions::default(), None, needs) {
        Ok(words) => Some(words),
        Err(e) => {
            report_unwritten(e, diagnostics);
            None
        }
    }
}

/// Reports why a module was not written.
pub fn report_unwritten(e: spv::WriteError, diagnostics: &mut Diagnostics) {
    let (code, help) = match e.help {
        Some(help) => (Code::TooMany, help),
        None => (Code::Internal, "please report this together with the kernel"),
    };
    match e.span == Span::default() {
        true => diagnostics.report_whole(code, e.message).help(help),
        false => diagnostics.report(code, e.span, e.message).help(help),
    };
}

/// Whether a module has no more ids than `max`, or than every implementation of Vulkan takes.
pub fn has_few_ids(words: &[u32], max: Option<u32>, diagnostics: &mut Diagnostics) -> bool {
    let bound = words.get(3).copied().unwrap_or(0);
    let max = max.unwrap_or(spv::MAX_ID);
    if bound > max {
        diagnostics
            .report_whole(Code::TooMany, format!("the module has {bound} ids, more than {max}"))
            .help("raise `-fspv-max-id`, or split the kernel");
    }
    bound <= max
}

/// The message that CPU code has no form of something.
pub(crate) fn not_on_cpu(what: &str) -> String {
    format!("CPU code does not support {what} yet")
}

/// A reason in one line, with its place.
fn with_place(place: Option<Span>, message: &str, sources: &SourceMap) -> String {
    let place = place.filter(|span| *span != Span::default()).map_or(String::new(), |span| {
        let p = sources.position(span);
        format!("{}:{}:{}: ", p.file, p.line, p.column)
    });
    format!("{place}{message}")
}

/// The lanes of an entry point's waves on the CPU: what the source wants if that can be, otherwise what is nearest to those that
/// instruction sets have anyway.
fn cpu_wave(interface: &Interface, entry: &str) -> Option<u32> {
    let WaveSize { least, most, wanted } = interface.entries.iter().find(|e| e.name == entry)?.wave?;
    let wanted = wanted.filter(|n| cpu::WAVES.contains(n));
    let usual = |n: u32| n.clamp(least, most);
    wanted.or_else(|| {
        let all_fit = cpu::ISAS.iter().all(|isa| usual(isa.wave()) == isa.wave());
        (!all_fit).then(|| usual(cpu::ISAS.iter().map(Isa::wave).max().unwrap_or(least)))
    })
}

/// The native code of the entry points that have some. As on Level Zero it is no error that one has none: it runs on the other
/// devices, and whoever loads it on the CPU is told why.
fn to_cpu(
    module: &Module,
    arch: &str,
    symbol: &str,
    interface: &mut Interface,
    sources: &SourceMap,
) -> Option<String> {
    let mut module = module.clone();
    robust_access::run(&mut module, Device::CPU);
    let mut programs = Vec::new();
    let waves: Vec<_> = module.entry_points.iter().map(|e| cpu_wave(interface, &e.name)).collect();
    let constants: Vec<u32> = interface.constants.iter().map(|c| c.id).collect();
    for (program, point) in cpu::programs(&module, &constants, &waves).into_iter().zip(&module.entry_points) {
        match program {
            Ok(program) => programs.push(program),
            Err(e) => {
                let reason = with_place(Some(e.span), &not_on_cpu(&e.what), sources);
                if let Some(entry) = interface.entries.iter_mut().find(|entry| entry.name == point.name) {
                    entry.cpu = CpuEntry::Refused(reason);
                }
            }
        }
    }
    if programs.is_empty() {
        return None;
    }
    let isas = cpu::isas_for(arch);
    let symbols: Vec<String> = programs.iter().map(|p| format!("{symbol}_{}", p.name)).collect();
    let source = cpu::emit(&programs, &symbols, &isas, sources);
    for entry in &mut interface.entries {
        if let Some(i) = programs.iter().position(|p| p.name == entry.name) {
            entry.cpu = CpuEntry::Code(Cpu {
                symbol: symbols[i].clone(),
                scratch: source.scratch[i],
                isas: isas.iter().map(|isa| isa.name.to_string()).collect(),
            });
        }
    }
    Some(source.text)
}
