//! Debug information of a module for Vulkan.

use crate::diag::{Code, Diagnostics};
use crate::hlsl::{self, hir};
use crate::ir::Module;
use crate::source::SourceMap;
use crate::spv::{self, DebugSet};
use crate::target::TargetEnv;

/// `-fspv-debug=…`, `-Zi`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Debug {
    /// The text of the files.
    pub source: bool,
    /// Where instructions come from.
    pub lines: bool,
    /// Types, scopes and variables, in this set.
    pub program: Option<DebugSet>,
}

/// `cs_6_2`: 620.
fn shader_model(options: &hlsl::Options) -> u32 {
    let (major, minor) = options.shader_model().unwrap_or((6, 0));
    major * 100 + minor * 10
}

/// Writes a module once more, with what a debugger is told. `program` is what it was made of. None means that `diagnostics` has errors.
pub fn write_debug(
    module: &Module,
    target: &TargetEnv,
    options: &hlsl::Options,
    debug: Debug,
    (hir, sources): (&hir::Module, &SourceMap),
    diagnostics: &mut Diagnostics,
) -> Option<Vec<u32>> {
    let denied = |list: &Vec<String>| !list.iter().any(|e| e == spv::DEBUG_EXTENSION);
    let shader = debug.program == Some(DebugSet::Shader);
    if shader && target.version < 6 && target.extensions.as_ref().is_some_and(denied) {
        let extension = spv::DEBUG_EXTENSION;
        diagnostics
            .report_whole(Code::TargetLacks, format!("`-fspv-debug=vulkan` needs extension `{extension}`"))
            .help(format!("allow it with `-fspv-extension={extension}`"));
        return None;
    }
    let described = debug.program.map(|set| (hlsl::debug::describe(hir, sources), set));
    let program = described.as_ref().map(|(p, set)| (p, *set));
    let Debug { source, lines, .. } = debug;
    let info = spv::DebugInfo { sources, version: shader_model(options), source, lines, program };
    match spv::write_with(module, target, spv::WriteOptions::default(), Some(&info)) {
        Ok(words) => Some(words),
        Err(e) => {
            e.report(diagnostics);
            None
        }
    }
}
