//! One program through the whole road, in memory: source text in, artifacts, words or text out. [`run`] is the only description of
//! the road; build scripts ([`compile`]) and `spirvc` say with a [`Request`] how far to go on it.
//!
//! Nothing here touches the file system (an [`IncludeHandler`] does) or cargo's environment; `build` and `driver` do.

mod debug;
mod level_zero;
mod lowering;
mod native;
mod optimize;
mod registers;
mod road;
mod shaders;
mod targets;

use crate::abi::vulkan::VulkanOptions;
use crate::diag::{Code, Diagnostics, Warnings};
use crate::hlsl;
use crate::hlsl::lower;
use crate::input::IncludeHandler;
pub use crate::ir::Mode;
use crate::passes::flatten::Flatten;
use crate::source::SourceMap;
pub use crate::stack::{on_large_stack, try_on_large_stack};
use crate::target::TargetEnv;
pub use debug::{Debug, write_debug};
pub use lowering::{lower_hir, lower_hir_for_passes, report_divergence, verified};
pub use optimize::{Passes, optimize, optimize_entries};
pub use road::{Goal, Made, Register, Request, run};
pub use shaders::{import_ir, shaders_to_vulkan, to_shaders};
use spirv_interface::Interface;
pub use targets::{has_few_ids, llvm_text, to_kernels, to_llvm, to_vulkan, write_for};

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
    /// Which passes run.
    pub passes: Passes,
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
    heaps: [None; 3],
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
        let made = run(path, text, &request(options), includes, &mut sources, &mut diagnostics);
        let compiled = match made {
            Some(Made::Artifacts(compiled)) if !diagnostics.has_errors() => Some(*compiled),
            _ => None,
        };
        Outcome { compiled, diagnostics, sources }
    });
    outcome.unwrap_or_else(|why| {
        let mut diagnostics = Diagnostics::new();
        diagnostics.report_whole(Code::TooMany, why);
        Outcome { compiled: None, diagnostics, sources: SourceMap::default() }
    })
}

/// What a build script asks for.
fn request(options: &Options) -> Request<'_> {
    Request {
        goal: Goal::Artifacts(options),
        hlsl: &options.hlsl,
        lowering: lower::Options {
            infer_image_formats: !options.vulkan.unknown_formats,
            all_counters: true,
            named: true,
            ..lower::Options::default()
        },
        passes: &options.passes,
        target: &options.target,
        target_given: true,
        vulkan: HOSTED,
        flatten_arrays: false,
        modes: &[],
        reflect: false,
        registers: &[],
        entry_name: None,
        max_id: options.vulkan.max_id,
        debug: options.vulkan.debug,
    }
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
