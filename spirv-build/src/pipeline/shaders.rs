//! From LLVM IR to shaders.

use super::{Passes, to_vulkan};
use crate::abi::vulkan::VulkanOptions;
use crate::diag::{Code, Diagnostics};
use crate::input::IncludeHandler;
use crate::ir::Module;
use crate::passes::addresses::GuardAddresses;
use crate::passes::structurize::Structurize;
use crate::source::SourceMap;
use crate::target::TargetEnv;
use crate::{abi, llvm};

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
            findings.into_iter().for_each(|finding| finding.report(diagnostics));
            None
        }
    }
}

/// Makes shaders of imported kernels.
pub fn to_shaders(
    module: Module,
    passes: &Passes,
    diagnostics: &mut Diagnostics,
) -> Option<abi::shader::Shaders> {
    if module.entry_points.is_empty() {
        diagnostics
            .report_whole(Code::LlvmImport, "the module has functions, but no kernels")
            .help("a kernel is a function with the calling convention `spir_kernel`");
        return None;
    }
    let module = passes.run(&[&Structurize], module, diagnostics)?;
    let module = passes.simplify(false, module, diagnostics)?;
    match abi::shader::run(&module) {
        Ok(mut shaders) => {
            shaders.module = passes.simplify(false, shaders.module, diagnostics)?;
            Some(shaders)
        }
        Err(list) => {
            for r in list {
                r.in_sentence(|what| format!("kernels from LLVM IR cannot have this yet: {what}"))
                    .help("`spirvc --target level-zero` carries it over for Level Zero alone")
                    .report(diagnostics);
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
