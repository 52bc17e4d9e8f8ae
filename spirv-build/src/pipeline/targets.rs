//! From modules to what targets take: words, or text of LLVM IR.

use super::{Register, verified};
use crate::abi::{self, vulkan::VulkanOptions};
use crate::diag::{Code, Diagnostics, Finding, Findings};
use crate::ir::{self, Module};
use crate::passes::dce::Dce;
use crate::passes::expand::{Target, expanded};
use crate::passes::offsets::{self, Offsets};
use crate::passes::{Manager, Pass, flatten};
use crate::target::{TargetEnv, requirements};
use crate::{llvm, spv};

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

/// The text of a module as LLVM IR.
///
/// # Errors
/// What LLVM IR of that flavor cannot have.
pub fn llvm_text(module: &Module, flavor: llvm::export::Flavor) -> Result<String, Vec<Finding>> {
    match flavor {
        llvm::export::Flavor::Host => llvm::export::export(&expanded(Target::Host, module), flavor),
        llvm::export::Flavor::Spir64 => llvm::export::export(module, flavor),
    }
}

/// Writes a module as LLVM IR.
pub fn to_llvm(
    module: &Module,
    flavor: llvm::export::Flavor,
    diagnostics: &mut Diagnostics,
) -> Option<String> {
    match llvm_text(module, flavor) {
        Ok(text) => Some(text),
        Err(refused) => {
            for r in refused {
                r.in_sentence(|what| format!("LLVM IR cannot have this yet: {what}"))
                    .help("every other output of this kernel can: `--emit asm` shows the SPIR-V")
                    .report(diagnostics);
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
                r.in_sentence(|what| not_in_kernels(target, what))
                    .help("buffers, constants and 2-D images are supported there; for the rest choose Vulkan or the CPU")
                    .report(diagnostics);
            }
            return None;
        }
    };
    kernels.module = verified(kernels.module, diagnostics)?;
    let words = write_for(&kernels.module, target, diagnostics)?;
    Some((kernels, words))
}

/// The message that kernels of OpenCL's flavour have no form of something.
pub(super) fn not_in_kernels(target: &TargetEnv, what: &str) -> String {
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
            e.report(diagnostics);
            None
        }
    }
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

/// Whether every element of an array of textures or samplers is known, and there are not too many, as
/// `-fspv-flatten-resource-arrays` needs.
pub(super) fn known_elements(module: &Module, diagnostics: &mut Diagnostics) -> bool {
    for span in flatten::unknown_indices(module) {
        let what =
            "`-fspv-flatten-resource-arrays` does not support this use of an array of textures or samplers";
        diagnostics.report(Code::NotSupported, span, what).help("index the array where it is used");
    }
    for (span, len) in flatten::too_long(module) {
        let most = flatten::MAX_ELEMENTS;
        diagnostics
            .report(Code::TooMany, span, format!("{len} resources to flatten, more than {most}"))
            .help("leave `-fspv-flatten-resource-arrays` away, or make the array smaller");
    }
    !diagnostics.has_errors()
}

/// Binds every resource where `-fvk-bind-register` says. All must be named.
pub(super) fn bind_registers(
    module: &mut Module,
    registers: &[Register],
    heaps: [Option<(u32, u32)>; 3],
    diagnostics: &mut Diagnostics,
) -> bool {
    let mut whole = true;
    // Heaps are bound by options of their own.
    let place = |h: ir::Heap| heaps[h as usize];
    for (_, g) in module.globals.iter_mut() {
        let Some(i) = &mut g.interface else { continue };
        if i.hlsl().heap.and_then(place).is_some() {
            continue;
        }
        if i.class == ir::ResourceClass::PushConstant || i.view_of.is_some() {
            continue;
        }
        let found = registers.iter().rev().find(|r| Some(r.register) == i.hlsl().register);
        match found {
            Some(r) => i.binding = Some(r.binding),
            // `-fvk-bind-globals`
            None if i.hlsl().register.is_none() && i.binding.is_some() => {}
            None => {
                let what = if i.hlsl().register.is_some() { "`-fvk-bind-register`" } else { "a register" };
                diagnostics
                    .report(Code::BadRegister, g.span, format!("the resource lacks {what}"))
                    .help("`-fvk-bind-register` must bind the register of every resource");
                whole = false;
            }
        }
    }
    whole
}
