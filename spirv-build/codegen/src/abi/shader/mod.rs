//! Makes shaders of kernels of OpenCL's flavour, so that they run wherever programs from HLSL do: on Vulkan and on the CPU.
//!
//! A `global` pointer parameter becomes a structured buffer of the words that it is used for, if every address is known to be
//! of one such buffer (`classes`). Otherwise the buffer is reached by its 64-bit address, which lies in the block of
//! constants beside the parameters that are values. `local` parameters become arrays of the work-group whose length is a
//! specialization constant.
//!
//! # The form of physical addresses
//!
//! A member of type `u64` of the block of constants holds the address of the buffer's first byte. Addresses are computed as
//! integers; each access is a `ConvertUToPtr` to a pointer in `PhysicalStorageBuffer` that the load, store or atomic operation
//! right behind it uses, loads and stores with `Aligned`. No other instruction sees such pointers. The buffer itself is a
//! global of class [`ResourceClass::Address`](crate::ir::ResourceClass) that no instruction names: it is there for its slot.
//!
//! The module must be structured and inlined.

mod body;
mod classes;
mod convert;
mod double;
mod integer;
mod layout;
mod math;
mod memory;
mod ops;
mod params;
mod place;
mod pointers;
mod special;
mod steps;
mod system;

use crate::diag::{Code, Finding};
use crate::ir::{EntryPoint, Function, Global, Module, Opcode, Value};
use body::Body;
use rustc_hash::FxHashMap;
use spirv_spec::{AddressingModel, ExecutionModel};

/// Work-items of a group where the kernel leaves that to the host.
const DEFAULT_SIZE: [u32; 3] = [64, 1, 1];

/// What a parameter of a kernel became.
#[derive(Debug, Clone)]
pub enum Argument {
    /// A buffer.
    Buffer {
        /// The resource.
        global: Global,
    },
    /// Part of a block of constants.
    Part {
        /// The block.
        global: Global,
        /// First byte.
        offset: u32,
        /// Number of bytes.
        size: u32,
    },
    /// Local memory.
    Local {
        /// The resource.
        global: Global,
    },
}

/// Shaders, and what became of the kernels' parameters.
#[derive(Debug, Clone)]
pub struct Shaders {
    /// The module.
    pub module: Module,
    /// By entry point, what each of the kernel's parameters became.
    pub arguments: Vec<Vec<Argument>>,
}

/// Runs on a module.
///
/// # Errors
/// What has no form: where, and a noun phrase each.
pub fn run(module: &Module) -> Result<Shaders, Vec<Finding>> {
    let mut new = Module { ctx: module.ctx.clone(), ..Module::default() };
    let (mut errors, mut arguments) = (Vec::new(), Vec::new());
    let several = module.entry_points.len() > 1;
    for e in &module.entry_points {
        let frames = Vec::new();
        let mut l =
            Lower { old: module, new: &mut new, errors: &mut errors, arguments: &mut arguments, e, frames };
        l.entry(several);
    }
    // An address may come from a number alone.
    let converts =
        |f: &Function| f.insts.iter().any(|(_, d)| d.op == Opcode::Op(spirv_spec::Op::ConvertUToPtr));
    if new.functions.iter().any(|(_, f)| converts(f)) {
        new.addressing = AddressingModel::PhysicalStorageBuffer64;
    }
    errors.sort_by(|a: &Finding, b| (a.span.lo, a.span.hi, &a.text).cmp(&(b.span.lo, b.span.hi, &b.text)));
    errors.dedup();
    if errors.is_empty() { Ok(Shaders { module: new, arguments }) } else { Err(errors) }
}

/// A structured operation around the instruction that is being lowered.
struct Frame {
    op: Opcode,
    results: Vec<Value>,
    /// Arguments of a loop's body and of its continuing region.
    args: Vec<Value>,
    continuing: Vec<Value>,
}

struct Lower<'a> {
    old: &'a Module,
    new: &'a mut Module,
    errors: &'a mut Vec<Finding>,
    arguments: &'a mut Vec<Vec<Argument>>,
    e: &'a EntryPoint,
    frames: Vec<Frame>,
}

impl Lower<'_> {
    fn entry(&mut self, several: bool) {
        let first = self.new.globals.len();
        let old = &self.old.functions[self.e.func];
        let void = self.new.ctx.types.void();
        let mut f = Function::new(self.e.name.clone(), void, old.span);
        let block = f.make_body(&[]);
        let local_size = if self.e.local_size == [0; 3] { DEFAULT_SIZE } else { self.e.local_size };
        let classes = classes::find(self.old, old);
        let problems = classes.list.iter().filter_map(|c| c.problem.clone());
        self.errors.extend(problems.map(|what| Finding::new(Code::LlvmImport, old.span, what)));
        let name = self.e.name.clone();
        let mut b = Body {
            l: self,
            old,
            f,
            block,
            values: FxHashMap::default(),
            places: FxHashMap::default(),
            classes,
            memories: FxHashMap::default(),
            starts: FxHashMap::default(),
            parts: FxHashMap::default(),
            direct: FxHashMap::default(),
            mapped: FxHashMap::default(),
            local_size,
            span: old.span,
        };
        b.parameters(several);
        if let Some(entry) = old.entry() {
            b.copy_block(entry, block);
        }
        let f = b.f;
        let new = self.new.globals.iter().skip(first).filter(|(_, g)| g.interface.is_some());
        let named = new.map(|(g, _)| g).collect();
        let func = self.new.functions.push(f);
        self.new.entry_points.push(EntryPoint {
            func,
            name,
            model: ExecutionModel::GLCompute,
            local_size,
            modes: Vec::new(),
            interface: Vec::new(),
            named,
            wave: None,
        });
    }
}
