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

pub use isa::{ISAS, Isa, WAVES, isas_for};

use crate::diag::{Code, Finding};
use crate::ir::resource_order;
use crate::ir::{EntryPoint, Module, walk};
use crate::source::SourceMap;
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
/// `constants` are the numbers of the specialization constants that the host gives, in the order in which they lie; others have
/// their defaults. `waves` are the lanes of the waves of each entry point, where that is not left to the instruction set.
///
/// # Errors
/// For each entry point that cannot run on the CPU, where and, as a noun phrase, why; the others can.
pub fn programs(
    module: &Module,
    constants: &[u32],
    waves: &[Option<u32>],
) -> Vec<Result<Program, Box<Finding>>> {
    let resources = resource_order(module);
    let refused = |e: &EntryPoint, what: String| {
        let span = module.functions[e.func].span;
        Err(Box::new(Finding::new(Code::NotSupported, span, what)))
    };
    let program = |(i, e): (usize, &EntryPoint)| match e.modes.first() {
        _ if e.model != spirv_spec::ExecutionModel::GLCompute => {
            refused(e, format!("entry points for `{:?}`", e.model))
        }
        _ if module.ctx.types.has_encoded_floats() => {
            let what = "floats of another encoding than IEEE 754's".into();
            refused(e, what)
        }
        _ if walk::uses_computed(module, e.func) => {
            let what = "constants that are computed when a program is specialised".into();
            refused(e, what)
        }
        Some(mode) => refused(e, format!("execution mode `{:?}`", mode.kind)),
        None => {
            let wave = waves.get(i).copied().flatten();
            match wave.filter(|lanes| !WAVES.contains(lanes)) {
                Some(lanes) => refused(e, format!("waves of {lanes} lanes")),
                None => spmd::build::build(module, i, &resources, constants, wave),
            }
        }
    };
    module.entry_points.iter().enumerate().map(program).collect()
}
