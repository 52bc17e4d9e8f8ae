//! Native code for the CPU: wave programs printed as Rust, for the user's own rustc.
//!
//! One source file a kernel holds a module for each instruction set: a *prelude* (`prelude/<isa>.rs`: native vectors),
//! what is common to all (`scalar`, `math`, `wave`, `image`; `sample` where images are sampled), and a function a program. The prelude files are Rust in
//! which `#[op]` stands for the attributes of the instruction set; they are not compiled into this crate.
//!
//! The source is `#![no_std]`, needs nothing but `core::arch`, and has no operation that can panic.

mod emit;
mod isa;
mod memory;
mod stmt;
mod texels;
mod value;

pub use isa::{ISAS, Isa, isas_for};

use crate::abi::resource_order;
use crate::ir::Module;
use crate::source::{SourceMap, Span};
use crate::spmd::{self, Program};

/// Source code for some programs.
#[derive(Debug, Clone)]
pub struct Source {
    /// The text.
    pub text: String,
    /// Bytes of scratch memory that a thread needs for each program: the most that any instruction set needs.
    pub scratch: Vec<u32>,
}

/// Prints programs for some instruction sets. `symbols[i]` is the prefix of program `i`'s symbols: an instruction set
/// has a function `{symbol}_{isa}` with the signature of the CPU ABI. Faults name places in the sources.
pub fn emit(programs: &[Program], symbols: &[String], isas: &[&'static Isa], sources: &SourceMap) -> Source {
    emit::source(programs, symbols, isas, sources)
}

/// Turns every entry point of an optimised module (`pipeline::optimize`: no calls are left, variables are values) into
/// a wave program.
///
/// # Errors
/// For each entry point that cannot run on the CPU, where and why.
pub fn programs(module: &Module) -> Result<Vec<Program>, Vec<(Span, String)>> {
    let resources = resource_order(module);
    let (mut out, mut errors) = (Vec::new(), Vec::new());
    for e in &module.entry_points {
        if let Some((mode, _)) = e.modes.first() {
            errors.push((module.functions[e.func].span, format!("execution mode `{mode:?}`")));
        }
    }
    for entry in 0..module.entry_points.len() {
        match spmd::build::build(module, entry, &resources) {
            Ok(program) => out.push(program),
            Err(e) => errors.push((e.span, e.what)),
        }
    }
    if errors.is_empty() { Ok(out) } else { Err(errors) }
}
