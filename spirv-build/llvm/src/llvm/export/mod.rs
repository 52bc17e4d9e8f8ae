//! From the IR to LLVM IR, as text that LLVM 19 and 22 read (tests run both). No LLVM is needed to write it.
//!
//! # Two flavours
//!
//! [`Flavor::Host`] is code for the machine that runs the program, by MLIR's "SPIR-V Dialect to LLVM Dialect conversion
//! manual" and beyond what that manual covers. [`Flavor::Spir64`] is SPIR-V in LLVM's clothes, by Khronos' "SPIR-V
//! representation in LLVM IR"; [`super::import`] reads it back (`spir`).
//!
//! # What maps to what (host)
//!
//! | SPIR-V | LLVM IR | where |
//! | --- | --- | --- |
//! | integers, floats, vectors | the same, without signs | `types` |
//! | bool | `i1`; a byte in memory | `types` |
//! | pointers of all storage classes, images, samplers | `ptr` | `types` |
//! | arrays, runtime arrays | `[n x T]`, `[0 x T]` | `types` |
//! | structs | packed without offsets (`Logical`), else as C has them; memory goes by offsets and strides | `types`, `memory` |
//! | matrices | `[columns x <rows x T>]` | `composite` |
//! | arithmetic, comparisons, logic, shifts, conversions | instructions and intrinsics | `arith` |
//! | composites, shuffles, matrix products | `insertvalue`, `shufflevector`, sums of products | `composite` |
//! | variables, access chains, loads, stores, copies | `alloca`, `getelementptr`, `load`, `store`, `memcpy` | `memory` |
//! | atomics, memory barriers | `atomicrmw`, `cmpxchg`, atomic `load` and `store`, `fence` | `atomic` |
//! | group barriers, wave operations, images | calls of the host (`atomic`) | `atomic` |
//! | `selection`, `switch`, `loop`, plain graphs | blocks and phis | `control` |
//! | `GLSL.std.450` | intrinsics, C's library, or expanded | `glsl` |
//! | `OpenCL.std` | the same | `opencl` |
//! | spec constants | `@__spv__spec_<id>`, a variable with the default value that the host may set | `entry` |
//! | entry points | C functions | `entry` |
//! | `NonSemantic.DebugPrintf` | nothing | |
//!
//! Divisions by zero, shifts by the width and indices out of bounds are as undefined as SPIR-V leaves them: the code checks
//! nothing.
//!
//! # The C interface of an entry point
//!
//! ```c
//! struct spirv_invocation {
//!     uint64_t workgroup_id[3], local_invocation_id[3], num_workgroups[3], workgroup_size[3], global_offset[3];
//!     uint64_t work_dim, subgroup_size, subgroup_local_invocation_id, num_subgroups, subgroup_id;
//! };
//! void main(/* a kernel's own parameters, */
//!           void *buffer, uint64_t buffer_bytes,   // a block that ends in an array without a length
//!           const void *constants,                 // any other block: cbuffers, push constants
//!           struct { void *p; uint64_t bytes; } *, // an array of resources
//!           void *image, void *sampler,            // whatever the hooks below make of them
//!           void *group_memory, const struct spirv_invocation *);
//! ```
//!
//! * One call is one invocation. Resources come in the order of their slots ([`crate::ir::resource_order`]), all of
//!   them, used or not. Buffers lie in memory as the module says (offsets, strides).
//! * `group_memory` is shared by the invocations of a group: `@__spv__<entry>_group_bytes` bytes, aligned to 64. Its
//!   content is undefined at first.
//! * `@__spv__<entry>_execution_mode_info_<mode>` is `{ mode, { literals } }`, as MLIR has it: 17 is the size of a group.
//! * The host defines what the module declares: `_Z22__spirv_ControlBarrieriii(scope, scope, semantics)`, which returns
//!   when all invocations of the group have called it, and *hooks*. Invocations of a group that meet at barriers
//!   therefore run on threads of their own; without barriers they may run one after the other.
//! * A hook does what C cannot: wave operations, images. It is called `__spirv_<Op>_<result>_<operand>...`, with types as
//!   intrinsics have them (`__spirv_ImageFetch_v4f32_image_v2i32_i32`). Scalars are passed by value (bools as bytes),
//!   literals as `int`, images and samplers as they were passed to the entry point, everything else by address; a result
//!   that is no scalar goes where the first parameter points.
//!
//! # Where the manual is not followed
//!
//! * Its sequences for bit fields shift by the width where the count is that of all bits, which LLVM leaves undefined, and
//!   let bits of the inserted value through that lie above the count. Ours give what SPIR-V says for every count.
//! * Structs with any offsets and arrays with strides are supported: addresses are computed in bytes.
//! * An amount to shift by may be wider than what is shifted; it is truncated.

mod arith;
mod atomic;
mod composite;
mod constants;
mod control;
mod entry;
mod function;
mod glsl;
mod host;
mod mangler;
mod memory;
mod opencl;
mod spir;
mod spir_ops;
mod types;

use crate::diag::{Code, Finding};
use crate::ir::entity::Entity;
use crate::ir::{Decorations, EntryPoint, Func, Module, Opcode, TypeKind, walk};
use crate::source::Span;
use entry::{Hidden, Interface};
use function::Body;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::fmt::{Display, Write};
use std::rc::Rc;

/// What the LLVM IR is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flavor {
    /// Native code.
    Host,
    /// SPIR-V again.
    Spir64,
}

/// Refusals that are kept.
const MAX_REFUSED: usize = 50;

/// Writes a module as LLVM IR.
///
/// # Errors
/// What cannot be carried over, as noun phrases.
pub fn export(module: &Module, flavor: Flavor) -> Result<String, Vec<Finding>> {
    // As deep as operations may be nested, so deep goes the recursion.
    crate::stack::on_large_stack(|| Export::new(module, flavor).run())
}

/// State of one run.
struct Export<'a> {
    module: &'a Module,
    flavor: Flavor,
    type_texts: Vec<Option<Rc<str>>>,
    /// Declarations by name.
    declared: BTreeMap<String, String>,
    /// Variables.
    head: String,
    specs: FxHashSet<u32>,
    global_names: Vec<String>,
    func_names: Vec<String>,
    entry_names: Vec<String>,
    interface: Interface,
    refused: Vec<Finding>,
    metadata: spir::Metadata,
    /// Names of structs by type, where they have any (kernels only).
    struct_names: Vec<Option<String>>,
}

impl<'a> Export<'a> {
    fn new(module: &'a Module, flavor: Flavor) -> Export<'a> {
        let interface =
            Interface { storage: Vec::new(), reached: Vec::new(), resources: Vec::new(), group_bytes: 0 };
        let mut x = Export {
            module,
            flavor,
            type_texts: Vec::new(),
            declared: BTreeMap::new(),
            head: String::new(),
            specs: FxHashSet::default(),
            global_names: Vec::new(),
            func_names: Vec::new(),
            entry_names: Vec::new(),
            interface,
            refused: Vec::new(),
            metadata: spir::Metadata::default(),
            struct_names: Vec::new(),
        };
        x.name_symbols();
        x.interface = entry::interface(&x);
        x
    }

    fn name_symbols(&mut self) {
        let m = self.module;
        let mut taken = FxHashMap::default();
        // What others know by name keeps it.
        self.entry_names = entry::unique_names(m.entry_points.iter().map(|e| e.name.clone()), &mut taken);
        let linked = |d: &Decorations| d.linkage().map(|l| l.0.to_string());
        let names = m.globals.iter().map(|(_, d)| linked(&d.decorations).unwrap_or_else(|| d.name.clone()));
        self.global_names = entry::unique_names(names, &mut taken);
        let names = m.functions.iter().map(|(_, d)| linked(&d.decorations).unwrap_or_else(|| d.name.clone()));
        self.func_names = entry::unique_names(names, &mut taken);
        if self.flavor == Flavor::Spir64 {
            let mut taken = FxHashMap::default();
            for (_, kind) in m.ctx.types.iter() {
                let name = match kind {
                    TypeKind::Struct(s) if !s.name.is_empty() => {
                        entry::unique_names(std::iter::once(s.name.clone()), &mut taken).pop()
                    }
                    _ => None,
                };
                self.struct_names.push(name);
            }
        }
    }

    fn refuse(&mut self, what: impl Display, span: Span) {
        let refused = Finding::new(Code::LlvmExport, span, what.to_string());
        if self.refused.len() < MAX_REFUSED && !self.refused.contains(&refused) {
            self.refused.push(refused);
        }
    }

    /// Whether the host sees no addresses.
    fn logical(&self) -> bool {
        self.module.addressing == spirv_spec::AddressingModel::Logical
    }

    /// An instruction as people know it.
    fn inst_name(&self, op: Opcode) -> String {
        crate::ir::words::instruction(op)
    }

    fn declare(&mut self, name: &str, text: &str) {
        if !self.declared.contains_key(name) {
            self.declared.insert(name.to_string(), text.to_string());
        }
    }

    fn run(mut self) -> Result<String, Vec<Finding>> {
        let mut bodies = String::new();
        for (_, g) in self.module.globals.iter() {
            if let TypeKind::SpecArray { .. } = self.module.ctx.types.kind(g.ty) {
                self.refuse(format!("memory of a size that the host sets: `{}`", g.name), g.span);
            }
        }
        if self.module.ctx.types.has_encoded_floats() {
            self.refuse("floats of another encoding than IEEE 754's", Span::default());
        }
        for (func, f) in self.module.functions.iter() {
            if walk::uses_computed(self.module, func) {
                self.refuse("a constant that is computed when the program is specialised", f.span);
            }
        }
        if self.flavor == Flavor::Host {
            self.variables();
            for i in 0..self.module.entry_points.len() {
                self.entry_facts(i);
            }
            let entries: Vec<&EntryPoint> = self.module.entry_points.iter().collect();
            for e in &entries {
                if !matches!(
                    e.model,
                    spirv_spec::ExecutionModel::GLCompute | spirv_spec::ExecutionModel::Kernel
                ) {
                    let span = self.module.functions[e.func].span;
                    self.refuse(format!("entry points for `{:?}`", e.model), span);
                }
            }
            for (i, e) in entries.into_iter().enumerate() {
                self.host_function(e.func, Some(i), &mut bodies);
            }
            for func in self.host_functions() {
                self.host_function(func, None, &mut bodies);
            }
        } else {
            self.spir_module(&mut bodies);
        }
        if !self.refused.is_empty() {
            return Err(self.refused);
        }
        let mut out = std::mem::take(&mut self.metadata.header);
        out.push_str(&self.head);
        out.push_str(&bodies);
        for text in self.declared.values() {
            let _ = write!(out, "\n{text}");
        }
        if !self.declared.is_empty() {
            out.push('\n');
        }
        out.push_str(&self.metadata.text());
        Ok(out.trim_start().to_string())
    }

    /// The functions that are called, or that others may call.
    fn host_functions(&self) -> Vec<Func> {
        let m = self.module;
        let mut called: FxHashSet<Func> = FxHashSet::default();
        for (_, f) in m.functions.iter() {
            for i in walk::insts(f) {
                called.extend(f.insts[i].operands.iter().filter_map(|o| match o {
                    crate::ir::Operand::Func(f) => Some(*f),
                    _ => None,
                }));
            }
        }
        let entry = |f: Func| m.entry_points.iter().any(|e| e.func == f);
        m.functions.keys().filter(|f| called.contains(f) || !entry(*f)).collect()
    }

    /// Writes a function; with the number of an entry point, as the host calls it.
    fn host_function(&mut self, func: Func, entry: Option<usize>, out: &mut String) {
        let f = &self.module.functions[func];
        let linked = f.decorations.linkage().is_some();
        let hidden = match entry {
            Some(_) => self.entry_hidden(),
            // What other modules define or call has its own parameters only.
            None if linked => Hidden::default(),
            None => self.hidden(func),
        };
        if linked && entry.is_none() && !self.hidden(func).list.is_empty() {
            self.refuse("a function for other modules that uses resources or system values", f.span);
        }
        let library = self.module.entry_points.is_empty();
        let result = self.ty(f.result);
        let name = match entry {
            Some(i) => self.entry_names[i].clone(),
            None => self.func_names[func.index()].clone(),
        };
        let mut b = Body::new(self, func);
        let mut params = Vec::new();
        hidden.list.iter().for_each(|(name, _)| b.reserve(name));
        for p in &f.params {
            let name = b.name(f.values[*p].name.as_deref().filter(|n| !n.is_empty()).unwrap_or("arg"));
            let ty = b.type_of(*p);
            let ty = b.x.ty(ty);
            params.push(if f.body.is_some() { format!("{ty} {name}") } else { ty.to_string() });
            b.set(*p, name);
        }
        params.extend(hidden.list.iter().map(|(name, ty)| format!("{ty} {name}")));
        let Some(body) = f.body else {
            let text = format!("declare {result} @{name}({})", params.join(", "));
            b.x.declare(&name, &text);
            return;
        };
        b.new_block("entry");
        if entry.is_some() {
            b.private_variables();
        }
        b.region(body);
        let text = b.finish();
        // Without entry points everything is for others.
        let linkage = if entry.is_some() || linked || library { "" } else { "internal " };
        let control = control_attributes(f.control);
        let _ =
            write!(out, "\ndefine {linkage}{result} @{name}({}){control} {{\n{text}}}\n", params.join(", "));
    }
}

/// `FunctionControl` as attributes.
fn control_attributes(control: u32) -> String {
    const ROWS: &[(u32, &str)] =
        &[(1, "alwaysinline"), (2, "noinline"), (4, "memory(read)"), (8, "memory(none)")];
    let mut out = String::new();
    // Of the last two, the stronger one counts.
    let control = if control & 8 != 0 { control & !4 } else { control };
    for (_, name) in ROWS.iter().filter(|r| control & r.0 != 0) {
        out.push(' ');
        out.push_str(name);
    }
    out
}

impl Body<'_, '_> {
    /// `FunctionCall`.
    fn call(&mut self, data: &crate::ir::InstData) -> Option<Rc<str>> {
        let Some(crate::ir::Operand::Func(callee)) = data.operands.first() else { return None };
        let f = &self.x.module.functions[*callee];
        let linked = f.decorations.linkage().is_some();
        let mut args: Vec<String> = data.ids().map(|v| self.typed(v)).collect();
        let cc = match self.x.flavor {
            Flavor::Host => {
                if !linked {
                    let hidden = self.x.hidden(*callee);
                    args.extend(hidden.list.iter().map(|(name, ty)| format!("{ty} {name}")));
                }
                ""
            }
            Flavor::Spir64 => "spir_func ",
        };
        let (ty, name) = (self.x.ty(f.result), self.x.func_names[callee.index()].clone());
        let text = format!("call {cc}{ty} @{name}({})", args.join(", "));
        if *self.kind(f.result) == TypeKind::Void {
            self.line(text);
            return None;
        }
        Some(function::emit!(self, "{text}"))
    }
}
