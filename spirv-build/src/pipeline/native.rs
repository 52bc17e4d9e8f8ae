//! Code for the CPU, and all that an artifact has beside the Vulkan module.

use super::{Compiled, Options, level_zero};
use crate::cpu::{self, Isa};
use crate::diag::{Diagnostics, Findings};
use crate::ir::Module;
use crate::passes::addresses::GuardAddresses;
use crate::passes::expand::{Expand, Target};
use crate::passes::mem2reg::Mem2Reg;
use crate::passes::merge_returns::MergeReturns;
use crate::passes::robust_access::{Device, RobustAccess};
use crate::passes::{Changed, Manager, Pass};
use crate::source::{SourceMap, Span};
use spirv_interface::{Cpu, CpuEntry, Interface, WaveSize};

/// Names, native code and the modules for Level Zero.
pub(super) fn finish(
    module: &Module,
    from_ir: bool,
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
            let guard: &[&dyn Pass] = if from_ir { &[&GuardAddresses] } else { &[] };
            let robust: &dyn Pass = &RobustAccess(Device::KERNELS);
            // Once for all entry points.
            let expand: &dyn Pass = &Expand(Target::Kernels);
            Manager::default().run(
                guard.iter().copied().chain([robust, expand]),
                &mut module,
                &mut Findings::new(),
            );
            level_zero::make(&module, from_ir, &mut interface, sources)
        }
        false => Vec::new(),
    };
    Compiled { interface, spirv, cl, cpu }
}

/// The message that CPU code has no form of something.
pub(crate) fn not_on_cpu(what: &str) -> String {
    format!("CPU code does not support {what} yet")
}

/// A reason in one line, with its place.
pub(super) fn with_place(place: Option<Span>, message: &str, sources: &SourceMap) -> String {
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
    prepare(&mut module);
    let mut programs = Vec::new();
    let waves: Vec<_> = module.entry_points.iter().map(|e| cpu_wave(interface, &e.name)).collect();
    let constants: Vec<u32> = interface.constants.iter().map(|c| c.id).collect();
    for (program, point) in cpu::programs(&module, &constants, &waves).into_iter().zip(&module.entry_points) {
        match program {
            Ok(program) => programs.push(program),
            Err(e) => {
                let reason = with_place(e.place(), &not_on_cpu(&e.text), sources);
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

/// What every module needs before it becomes code for the CPU.
fn prepare(module: &mut Module) {
    let returns: &dyn Pass = &MergeReturns;
    if Manager::default().run([returns], module, &mut Findings::new()) == Changed::Yes {
        let values: &dyn Pass = &Mem2Reg;
        Manager::default().run([values], module, &mut Findings::new());
    }
    let list: [&dyn Pass; 2] = [&RobustAccess(Device::CPU), &Expand(Target::Cpu)];
    Manager::default().run(list, module, &mut Findings::new());
}

/// The Rust source of a module, for this machine.
pub(super) fn rust(mut module: Module, sources: &SourceMap, diagnostics: &mut Diagnostics) -> Option<String> {
    prepare(&mut module);
    match cpu::programs(&module, &[], &[]).into_iter().collect::<Result<Vec<_>, _>>() {
        Ok(programs) => {
            let symbols: Vec<String> = programs.iter().map(|p| format!("spirv_kernel_{}", p.name)).collect();
            let isas = cpu::isas_for(std::env::consts::ARCH);
            Some(cpu::emit(&programs, &symbols, &isas, sources).text)
        }
        Err(e) => {
            e.in_sentence(not_on_cpu).report(diagnostics);
            None
        }
    }
}
