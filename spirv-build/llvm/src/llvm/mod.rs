//! LLVM IR as input: `spir_kernel` functions become kernels of the IR; and as output ([`export`]), which needs no LLVM.
//!
//! Reading needs an LLVM library and one of the cargo features `llvm22-1`, `llvm19-1`; without them [`import`] is an error
//! that says what to enable and what to install. What builtin names mean ([`mangle`]) needs neither.
//!
//! The meaning of names, address spaces and metadata is that of Khronos' "SPIR-V representation in LLVM IR" and of
//! OpenCL C as clang compiles it.

pub mod export;
#[cfg(any(feature = "llvm19-1", feature = "llvm22-1"))]
mod import;
pub mod mangle;

use crate::diag::{Code, Finding};
use crate::input::{IncludeHandler, MemoryIncludes};
use crate::ir::Module;
use crate::source::{SourceMap, Span};

/// Something in a module that cannot be carried over, or that is no module at all. Its place is in the source that debug information
/// names, otherwise in the text of the IR.
fn finding(message: impl Into<String>, help: impl Into<String>) -> Finding {
    Finding::new(Code::LlvmImport, Span::default(), message).help(help)
}

/// Whether a file name is that of LLVM IR, as text or bitcode.
pub fn is_ir(path: &str) -> bool {
    let extension = path.rsplit_once('.').map_or("", |(_, e)| e);
    extension.eq_ignore_ascii_case("ll") || extension.eq_ignore_ascii_case("bc")
}

/// Reads a module of LLVM IR, text or bitcode.
///
/// # Errors
/// What is wrong with it or cannot be carried over. Places in it mean nothing without the sources: see [`import_from`].
pub fn import(name: &str, bytes: &[u8]) -> Result<Module, Vec<Finding>> {
    import_from(name, bytes, &mut SourceMap::new(), &MemoryIncludes::default())
}

/// Reads a module of LLVM IR, text or bitcode. Its text, and the files that its debug information names, are added to the
/// sources.
///
/// # Errors
/// What is wrong with it or cannot be carried over.
#[cfg(any(feature = "llvm19-1", feature = "llvm22-1"))]
pub fn import_from(
    name: &str,
    bytes: &[u8],
    sources: &mut SourceMap,
    includes: &dyn IncludeHandler,
) -> Result<Module, Vec<Finding>> {
    import::import(name, bytes, sources, includes)
}

/// Reads a module of LLVM IR, text or bitcode. Its text, and the files that its debug information names, are added to the
/// sources.
///
/// # Errors
/// Always, in a build without LLVM.
#[cfg(not(any(feature = "llvm19-1", feature = "llvm22-1")))]
pub fn import_from(
    name: &str,
    _: &[u8],
    _: &mut SourceMap,
    _: &dyn IncludeHandler,
) -> Result<Module, Vec<Finding>> {
    Err(vec![finding(
        format!("`{name}` is LLVM IR, which this build of spirv-build does not read"),
        "install LLVM 22 (`apt-get install llvm-22-dev`) and enable the feature: spirv-build = { version = \"0.1\", \
         features = [\"llvm22-1\"] }",
    )])
}
