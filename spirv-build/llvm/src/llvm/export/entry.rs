//! How a host program meets a kernel: the C interface of entry points, and what stands for module-scope variables.
//!
//! See [`super`] for the interface. A function that is no entry point gets what it reaches of it as parameters behind its
//! own, so that no state is global and invocations may run on any number of threads.

use super::Export;
use super::function::{Body, Text, emit};
use crate::ir::entity::Entity;
use crate::ir::resource_order;
use crate::ir::walk;
use crate::ir::{
    BuiltIn, Func, Global, Mode, Module, Op, Opcode, Operand, StorageClass, TypeKind, Value, ValueDef,
};
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// The name of the parameter that points to the group's memory.
const GROUP: &str = "spirv.group";
/// The name of the parameter that points to what tells invocations apart.
const INVOCATION: &str = "spirv.invocation";

/// Alignment of the group's memory and of what lies in it.
pub(super) const GROUP_ALIGN: u64 = 64;

/// Words of 64 bits that tell an invocation which it is, by their first index.
#[derive(Clone, Copy)]
enum Word {
    GroupId = 0,
    LocalId = 3,
    Groups = 6,
    GroupSize = 9,
    Offset = 12,
    Dimensions = 15,
    SubgroupSize = 16,
    SubgroupLocalId = 17,
    Subgroups = 18,
    SubgroupId = 19,
}

/// What a module-scope variable is in host code.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Storage {
    /// A parameter of the entry point; with the bytes, if it ends in an array without a length.
    Resource { sized: bool },
    /// A table of parameters: an array of resources.
    Table,
    /// Memory of each invocation.
    Private,
    /// A variable of the LLVM module.
    Variable,
    /// Memory of the group, so many bytes from its start.
    Group(u64),
    /// A system value.
    BuiltIn,
}

/// What the functions of a module reach.
pub(super) struct Interface {
    pub storage: Vec<Storage>,
    /// By function: the globals that it or what it calls mentions, in order.
    pub reached: Vec<Vec<Global>>,
    pub resources: Vec<Global>,
    /// Bytes of a group's memory.
    pub group_bytes: u64,
}

/// By global: whether it is only read.
fn constants(module: &Module) -> Vec<bool> {
    let mut constant = vec![true; module.globals.len()];
    for (_, f) in module.functions.iter() {
        // Pointers, and what they point into.
        let mut roots: FxHashMap<Value, Global> = f
            .values
            .iter()
            .filter_map(|(v, d)| if let ValueDef::Global(g) = d.def { Some((v, g)) } else { None })
            .collect();
        if roots.is_empty() {
            continue;
        }
        for i in walk::insts(f) {
            let d = &f.insts[i];
            match d.op {
                Opcode::Op(Op::AccessChain | Op::InBoundsAccessChain) => {
                    let root = d.id(0).and_then(|v| roots.get(&v).copied());
                    roots.extend(root.and_then(|g| Some((d.result()?, g))));
                }
                Opcode::Op(Op::Load) => {}
                _ => {
                    for v in d.ids().chain(d.successors.iter().flat_map(|s| s.args.iter().copied())) {
                        if let Some(g) = roots.get(&v) {
                            constant[g.index()] = false;
                        }
                    }
                }
            }
        }
    }
    constant
}

pub(super) fn interface(x: &Export<'_>) -> Interface {
    let module = x.module;
    let mut group_bytes = 0u64;
    let resources = resource_order(module);
    let constant = constants(module);
    let storage = module
        .globals
        .iter()
        .map(|(g, data)| match (data.storage, &data.interface) {
            (StorageClass::Input, _) => Storage::BuiltIn,
            (StorageClass::Workgroup, _) => {
                let at = group_bytes.next_multiple_of(GROUP_ALIGN);
                group_bytes = at + x.natural_size(data.ty);
                Storage::Group(at)
            }
            (StorageClass::Private, _) if data.init.is_some() && constant[g.index()] => Storage::Variable,
            (StorageClass::Private, _) => Storage::Private,
            (_, Some(_)) => match module.ctx.types.kind(data.ty) {
                TypeKind::Array { .. } | TypeKind::RuntimeArray { .. } => Storage::Table,
                TypeKind::Struct(s) => {
                    let last = s.members.last().map(|m| module.ctx.types.kind(m.ty));
                    Storage::Resource { sized: matches!(last, Some(TypeKind::RuntimeArray { .. })) }
                }
                _ => Storage::Resource { sized: false },
            },
            _ => Storage::Variable,
        })
        .collect();
    Interface { storage, reached: reached(module), resources, group_bytes }
}

/// By function, the globals that it reaches.
fn reached(module: &Module) -> Vec<Vec<Global>> {
    let mut sets: Vec<Vec<bool>> = Vec::new();
    let mut calls: Vec<Vec<Func>> = Vec::new();
    for (_, f) in module.functions.iter() {
        let mut set = vec![false; module.globals.len()];
        let mut called = Vec::new();
        for i in walk::insts(f) {
            let d = &f.insts[i];
            let passed = d.successors.iter().flat_map(|s| s.args.iter().copied());
            for v in d.ids().chain(passed) {
                if let ValueDef::Global(g) = f.values[v].def {
                    set[module.viewed(g).index()] = true;
                }
            }
            called.extend(d.operands.iter().filter_map(|o| match o {
                Operand::Func(f) => Some(*f),
                _ => None,
            }));
        }
        sets.push(set);
        calls.push(called);
    }
    // Callees first: functions do not call themselves.
    for f in callees_first(&calls) {
        for c in &calls[f] {
            let inner = sets[c.index()].clone();
            sets[f].iter_mut().zip(inner).for_each(|(g, i)| *g |= i);
        }
    }
    sets.iter().map(|s| module.globals.keys().filter(|g| s[g.index()]).collect()).collect()
}

/// The functions in an order in which each comes after those that it calls.
fn callees_first(calls: &[Vec<Func>]) -> Vec<usize> {
    let (mut seen, mut order) = (vec![false; calls.len()], Vec::new());
    for root in 0..calls.len() {
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        let mut stack = vec![(root, 0)];
        while let Some((f, at)) = stack.pop() {
            let Some(callee) = calls[f].get(at) else {
                order.push(f);
                continue;
            };
            stack.push((f, at + 1));
            if !std::mem::replace(&mut seen[callee.index()], true) {
                stack.push((callee.index(), 0));
            }
        }
    }
    order
}

/// The parameters of host code behind a function's own.
#[derive(Default)]
pub(super) struct Hidden {
    /// Names and types.
    pub list: Vec<(String, &'static str)>,
}

impl Export<'_> {
    /// The name of a global's parameter.
    fn hidden_name(&self, g: Global) -> String {
        let name = &self.global_names[g.index()];
        if name.starts_with('"') { format!("%g.{}", g.index()) } else { format!("%g.{name}") }
    }

    /// What a function that is no entry point takes behind its parameters.
    pub fn hidden(&self, func: Func) -> Hidden {
        let mut out = Hidden::default();
        let (mut group, mut invocation) = (false, false);
        for g in &self.interface.reached[func.index()] {
            match self.interface.storage[g.index()] {
                Storage::Resource { sized } => {
                    out.list.push((self.hidden_name(*g), "ptr"));
                    if sized {
                        out.list.push((format!("{}.bytes", self.hidden_name(*g)), "i64"));
                    }
                }
                Storage::Table | Storage::Private => out.list.push((self.hidden_name(*g), "ptr")),
                Storage::Group(_) => group = true,
                Storage::BuiltIn => invocation = true,
                Storage::Variable => {}
            }
        }
        if group {
            out.list.push((format!("%{GROUP}"), "ptr"));
        }
        if invocation {
            out.list.push((format!("%{INVOCATION}"), "ptr"));
        }
        out
    }

    /// What every entry point takes behind its parameters: all resources, in the order of their slots.
    pub fn entry_hidden(&self) -> Hidden {
        let mut out = Hidden::default();
        for g in &self.interface.resources {
            out.list.push((self.hidden_name(*g), "ptr"));
            if self.interface.storage[g.index()] == (Storage::Resource { sized: true }) {
                out.list.push((format!("{}.bytes", self.hidden_name(*g)), "i64"));
            }
        }
        out.list.push((format!("%{GROUP}"), "ptr"));
        out.list.push((format!("%{INVOCATION}"), "ptr"));
        out
    }

    /// The variables of the LLVM module.
    pub fn variables(&mut self) {
        let module = self.module;
        for (g, data) in module.globals.iter() {
            if self.interface.storage[g.index()] != Storage::Variable {
                continue;
            }
            let ty = self.memory_ty(data.ty);
            let name = self.global_names[g.index()].clone();
            let link = data.decorations.linkage();
            let align = self.align(data.ty);
            let constant =
                data.storage == StorageClass::Private || data.storage == StorageClass::UniformConstant;
            let what = if constant { "constant" } else { "global" };
            let import = link.is_some_and(|l| l.1 == spirv_spec::LinkageType::Import);
            if import {
                let _ = writeln!(self.head, "@{name} = external {what} {ty}, align {align}");
                continue;
            }
            let linkage = if link.is_some() { "" } else { "internal " };
            if self.has_layout(data.ty) && data.init.is_some() {
                self.refuse(
                    format!("an initial value of `{}`, whose type has a layout", data.name),
                    data.span,
                );
                continue;
            }
            let init = data.init.map_or_else(|| "zeroinitializer".into(), |c| self.constant(c, true));
            let _ = writeln!(self.head, "@{name} = {linkage}{what} {ty} {init}, align {align}");
        }
    }

    /// What the host reads about an entry point.
    pub fn entry_facts(&mut self, index: usize) {
        let e = &self.module.entry_points[index];
        let name = self.entry_names[index].clone();
        let mut modes = e.modes.clone();
        if e.local_size != [0; 3] {
            modes.insert(0, Mode::words(spirv_spec::ExecutionMode::LocalSize, &e.local_size));
        }
        for m in modes {
            let (mode, Some(operands)) = (m.kind, m.known_words(&self.module.ctx.consts)) else {
                let span = self.module.functions[e.func].span;
                self.refuse("an execution mode that is known once constants are", span);
                continue;
            };
            let symbol = quoted(&format!("__spv__{name}_execution_mode_info_{}", mode.0));
            let (ty, value) = if operands.is_empty() {
                ("{ i32 }".to_string(), format!("{{ i32 {} }}", mode.0))
            } else {
                let n = operands.len();
                let list: Vec<String> = operands.iter().map(|o| format!("i32 {o}")).collect();
                (
                    format!("{{ i32, [{n} x i32] }}"),
                    format!("{{ i32 {}, [{n} x i32] [{}] }}", mode.0, list.join(", ")),
                )
            };
            let _ = writeln!(self.head, "@{symbol} = constant {ty} {value}");
        }
        let symbol = quoted(&format!("__spv__{name}_group_bytes"));
        let _ = writeln!(self.head, "@{symbol} = constant i64 {}", self.interface.group_bytes);
    }

    /// The variable that holds a spec constant, which the host may set.
    pub fn spec_global(&mut self, id: u32, c: crate::ir::Const) -> String {
        let name = format!("@__spv__spec_{id}");
        if self.specs.insert(id) {
            let ty = self.module.ctx.consts.ty(c);
            let (text, value, align) = (self.memory_ty(ty), self.constant(c, true), self.align(ty));
            let _ = writeln!(self.head, "{name} = weak global {text} {value}, align {align}");
        }
        name
    }
}

/// A symbol as LLVM writes it after `@`.
pub(super) fn quoted(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$' | '-');
    if !name.is_empty() && name.chars().all(plain) && !name.starts_with(|c: char| c.is_ascii_digit()) {
        return name.to_string();
    }
    let mut out = String::from("\"");
    for b in name.bytes() {
        if b.is_ascii_graphic() && !matches!(b, b'"' | b'\\') || b == b' ' {
            out.push(char::from(b));
        } else {
            let _ = write!(out, "\\{b:02X}");
        }
    }
    out + "\""
}

impl Body<'_, '_> {
    /// The address of a module-scope variable.
    pub fn global_address(&mut self, g: Global, _: Value) -> Text {
        if self.x.flavor == super::Flavor::Spir64 {
            return format!("@{}", self.x.global_names[g.index()]).into();
        }
        let g = self.x.module.viewed(g);
        match self.x.interface.storage[g.index()] {
            Storage::Resource { .. } | Storage::Table | Storage::Private => self.x.hidden_name(g).into(),
            Storage::Variable => format!("@{}", self.x.global_names[g.index()]).into(),
            Storage::Group(0) => format!("%{GROUP}").into(),
            Storage::Group(at) => self.early(format_args!("getelementptr i8, ptr %{GROUP}, i64 {at}")),
            Storage::BuiltIn => self.system_value(g),
        }
    }

    /// Memory of an entry point's invocation, for variables that are written.
    pub fn private_variables(&mut self) {
        let reached = self.x.interface.reached[self.func.index()].clone();
        for g in reached {
            if self.x.interface.storage[g.index()] != Storage::Private {
                continue;
            }
            let data = &self.x.module.globals[g];
            let name: Text = self.x.hidden_name(g).into();
            self.alloca(&name, data.ty);
            if let Some(c) = data.init {
                let v = self.x.constant(c, false);
                self.store_object(&name, data.ty, &v);
            }
        }
    }

    /// The descriptor table that a pointer is, if it is one.
    pub fn descriptor_array(&mut self, v: Value) -> Option<Text> {
        match self.f.values[v].def {
            ValueDef::Global(g) if self.x.flavor == super::Flavor::Host => {
                (self.x.interface.storage[g.index()] == Storage::Table).then(|| self.value(v))
            }
            _ => None,
        }
    }

    /// The resource at an index of a table of `{ ptr, i64 }`.
    pub fn descriptor(&mut self, result: Value, table: &Text, index: Value) -> Text {
        let index = self.typed(index);
        let at = emit!(self, "getelementptr {{ ptr, i64 }}, ptr {table}, {index}");
        let p = emit!(self, "load ptr, ptr {at}, align 8");
        let bytes = emit!(self, "getelementptr i8, ptr {at}, i64 8");
        let bytes = emit!(self, "load i64, ptr {bytes}, align 8");
        self.buffers.insert(result, bytes);
        p
    }

    /// The bytes of the buffer that a pointer points to.
    pub fn buffer_bytes(&mut self, v: Value) -> Option<Text> {
        if let Some(bytes) = self.buffers.get(&v) {
            return Some(bytes.clone());
        }
        match self.f.values[v].def {
            ValueDef::Global(g)
                if self.x.interface.storage[g.index()] == (Storage::Resource { sized: true }) =>
            {
                Some(format!("{}.bytes", self.x.hidden_name(self.x.module.viewed(g))).into())
            }
            _ => None,
        }
    }

    fn word(&mut self, word: Word, i: u64) -> Text {
        let at = (word as u64 + i) * 8;
        let p: Text = match at {
            0 => format!("%{INVOCATION}").into(),
            _ => self.early(format_args!("getelementptr i8, ptr %{INVOCATION}, i64 {at}")),
        };
        self.early(format_args!("load i64, ptr {p}, align 8"))
    }

    fn early_bin(&mut self, op: &str, a: &Text, b: &Text) -> Text {
        self.early(format_args!("{op} i64 {a}, {b}"))
    }

    /// `a + size * b`.
    fn row(&mut self, a: &Text, size: &Text, b: &Text) -> Text {
        let b = self.early_bin("mul", size, b);
        self.early_bin("add", a, &b)
    }

    /// The components of a system value.
    fn components(&mut self, b: BuiltIn) -> Option<Vec<Text>> {
        let three = |s: &mut Self, w: Word| -> Vec<Text> { (0..3).map(|i| s.word(w, i)).collect() };
        Some(match b {
            BuiltIn::WorkgroupId => three(self, Word::GroupId),
            BuiltIn::LocalInvocationId => three(self, Word::LocalId),
            BuiltIn::NumWorkgroups => three(self, Word::Groups),
            BuiltIn::WorkgroupSize | BuiltIn::EnqueuedWorkgroupSize => three(self, Word::GroupSize),
            BuiltIn::GlobalOffset => three(self, Word::Offset),
            BuiltIn::GlobalSize => (0..3)
                .map(|i| {
                    let (n, size) = (self.word(Word::Groups, i), self.word(Word::GroupSize, i));
                    self.early_bin("mul", &n, &size)
                })
                .collect(),
            BuiltIn::GlobalInvocationId => (0..3)
                .map(|i| {
                    let (group, size) = (self.word(Word::GroupId, i), self.word(Word::GroupSize, i));
                    let (local, offset) = (self.word(Word::LocalId, i), self.word(Word::Offset, i));
                    let id = self.row(&local, &size, &group);
                    self.early_bin("add", &id, &offset)
                })
                .collect(),
            BuiltIn::LocalInvocationIndex => {
                let id = three(self, Word::LocalId);
                let size = three(self, Word::GroupSize);
                let row = self.row(&id[1], &size[1], &id[2]);
                vec![self.row(&id[0], &size[0], &row)]
            }
            BuiltIn::GlobalLinearId => {
                let (id, offset) = (self.components(BuiltIn::GlobalInvocationId)?, three(self, Word::Offset));
                let size = self.components(BuiltIn::GlobalSize)?;
                let at: Vec<Text> = (0..3).map(|i| self.early_bin("sub", &id[i], &offset[i])).collect();
                let row = self.row(&at[1], &size[1], &at[2]);
                vec![self.row(&at[0], &size[0], &row)]
            }
            BuiltIn::WorkDim => vec![self.word(Word::Dimensions, 0)],
            BuiltIn::SubgroupSize | BuiltIn::SubgroupMaxSize => vec![self.word(Word::SubgroupSize, 0)],
            BuiltIn::SubgroupLocalInvocationId => vec![self.word(Word::SubgroupLocalId, 0)],
            BuiltIn::NumSubgroups | BuiltIn::NumEnqueuedSubgroups => vec![self.word(Word::Subgroups, 0)],
            BuiltIn::SubgroupId => vec![self.word(Word::SubgroupId, 0)],
            _ => return None,
        })
    }

    /// A variable that holds a system value.
    fn system_value(&mut self, g: Global) -> Text {
        let data = &self.x.module.globals[g];
        let name = self.name(&data.name);
        let (Some(shape), Some(builtin)) = (self.shape(data.ty), data.builtin()) else {
            self.refuse(format_args!("the input `{}`", data.name));
            return "poison".into();
        };
        let Some(parts) = self.components(builtin) else {
            self.refuse(format_args!("the system value {builtin:?}"));
            return "poison".into();
        };
        let mut all: Text = "poison".into();
        for (i, part) in parts.iter().enumerate().take(usize::from(shape.len)) {
            let part = if shape.width() == 64 {
                part.clone()
            } else {
                self.early(format_args!("trunc i64 {part} to {}", shape.elem))
            };
            all = if shape.len == 1 {
                part
            } else {
                self.early(format_args!("insertelement {shape} {all}, {} {part}, i64 {i}", shape.elem))
            };
        }
        let align = self.x.align(data.ty);
        let _ = writeln!(self.prologue, "  {name} = alloca {shape}, align {align}");
        let _ = writeln!(self.prologue, "  store {shape} {all}, ptr {name}, align {align}");
        name
    }
}

/// Names of globals and functions that differ from each other and from what the module gives the host.
pub(super) fn unique_names(
    wanted: impl Iterator<Item = String>,
    taken: &mut FxHashMap<String, u32>,
) -> Vec<String> {
    wanted
        .map(|name| if name.is_empty() { "unnamed".to_string() } else { name })
        .map(|name| {
            let mut unique = name.clone();
            while taken.contains_key(&unique) {
                let n = taken.get_mut(&name).map_or(0, |n| {
                    *n += 1;
                    *n
                });
                unique = format!("{name}.{n}");
                taken.entry(name.clone()).or_insert(0);
            }
            taken.insert(unique.clone(), 0);
            quoted(&unique)
        })
        .collect()
}
