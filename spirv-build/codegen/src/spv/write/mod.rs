//! Writes a module as SPIR-V words.
//!
//! The module must verify and must have gone through an ABI, which binds resources and lists what each entry point
//! reaches. What it consists of is written in the order that the specification demands:
//!
//! 1. Functions are written only if an entry point reaches them; types, constants and globals only if something uses
//!    them, each once (`decls`).
//! 2. Results are numbered when they are first named, so that a phi may name a value that comes later.
//! 3. Structured operations become merge instructions and branches; block arguments and results of structured
//!    operations become phis (`control`). What cannot be reached after a structured operation is not written. A plain
//!    graph, which only kernels may have, is written block by block (`graph`).
//!
//! Numbers depend on nothing but the module: equal modules give equal words.

mod control;
mod debug;
mod decls;
mod function;
mod graph;
mod limits;
pub mod shader_debug;

pub use limits::MAX_ID;

use crate::diag::Finding;
use crate::ir::entity::Entity;
use crate::ir::walk;
use crate::ir::{
    self, DecorationOperand, ExtSet, Func, ModeOperands, Module, Op, StorageClass, Type, TypeKind,
};
use crate::source::{SourceMap, Span};
use crate::target::{Requirements, TargetEnv, requirements};
use limits::Limit;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};
use spirv_spec::{Decoration, ExecutionMode, string_words as string};

/// What the writer says of itself in a module's header: no tool is registered for it.
const GENERATOR: u32 = 0;

/// How to write.
#[derive(Debug, Clone, Copy)]
pub struct WriteOptions {
    /// Names of values, types and members.
    pub names: bool,
}

impl Default for WriteOptions {
    fn default() -> Self {
        WriteOptions { names: true }
    }
}

/// What of the source goes into a module.
#[derive(Debug, Clone, Copy)]
pub struct DebugInfo<'a> {
    /// All source text.
    pub sources: &'a SourceMap,
    /// Version of the language, as in `OpSource`: that of the shader model, 600 and more.
    pub version: u32,
    /// Write the text of the files.
    pub source: bool,
    /// Write the line of each instruction.
    pub lines: bool,
    /// Write types, scopes and variables, and lines in their scopes.
    pub program: Option<(&'a crate::ir::debug::Program, DebugSet)>,
}

/// Which instructions tell of types, scopes and variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DebugSet {
    /// `NonSemantic.Shader.DebugInfo.100`, with lines of its own.
    Shader,
    /// `OpenCL.DebugInfo.100`, which older tools read.
    OpenCl,
}

impl DebugSet {
    /// Name of the set.
    pub fn name(self) -> &'static str {
        match self {
            DebugSet::Shader => ExtSet::ShaderDebugInfo100.name(),
            DebugSet::OpenCl => ExtSet::OpenClDebugInfo100.name(),
        }
    }
}

/// Writes a module for a target. Whether the target has what the module needs is not checked here.
pub fn write(module: &Module, target: &TargetEnv, options: WriteOptions) -> Result<Vec<u32>, Box<Finding>> {
    write_with(module, target, options, None)
}

/// The same, with debug information.
pub fn write_with<'a>(
    module: &'a Module,
    target: &TargetEnv,
    options: WriteOptions,
    debug: Option<&'a DebugInfo<'a>>,
) -> Result<Vec<u32>, Box<Finding>> {
    write_needing(module, target, options, debug, requirements(module, target))
}

/// The same, for who knows already what the module needs of the target.
pub fn write_needing(
    module: &Module,
    target: &TargetEnv,
    options: WriteOptions,
    debug: Option<&DebugInfo<'_>>,
    needs: Requirements,
) -> Result<Vec<u32>, Box<Finding>> {
    let mut w = Writer::new(module, options);
    if let Some(d) = debug.filter(|d| d.program.is_none_or(|p| p.1 == DebugSet::OpenCl)) {
        w.debug = Some(debug::Lines::new(d));
        w.source_files(d);
    }
    if !target.has_storage_buffers(module) {
        w.old_buffers();
    }
    let reached = walk::reached(module);
    w.declare_all(&reached);
    w.check_declarations(&reached)?;
    if let Some((d, (program, set))) = debug.and_then(|d| Some((d, d.program?))) {
        w.begin_shader_debug(d, program, set);
    }
    // Declarations come before definitions.
    for declared in [true, false] {
        let turn = |f: &Func| reached[f.index()] && module.functions[*f].body.is_none() == declared;
        for f in module.functions.keys().filter(turn) {
            function::write(&mut w, f)?;
        }
    }
    w.extras();
    w.finish(target, &needs)
}

/// Ids by number of what has them; 0: none yet.
type Ids = SmallVec<[u32; 64]>;

/// State of one run. Sections are kept apart until the end.
struct Writer<'a> {
    module: &'a Module,
    options: WriteOptions,
    /// Where instructions come from, if that is written.
    debug: Option<debug::Lines>,
    /// Types, scopes and variables of the source, if those are.
    shader_debug: Option<Box<shader_debug::ShaderDebug<'a>>>,
    /// Storage class that storage buffers have: before SPIR-V 1.3 they are `Uniform` with blocks that say what they are.
    storage_buffer: StorageClass,
    /// Types of such blocks.
    buffer_blocks: FxHashSet<Type>,
    bound: u32,
    types: Ids,
    consts: Ids,
    globals: Ids,
    funcs: Ids,
    ext_sets: Vec<(ExtSet, u32)>,
    pointers: FxHashMap<(u32, StorageClass), u32>,
    function_types: FxHashMap<Vec<u32>, u32>,
    undefs: FxHashMap<u32, u32>,
    lengths: FxHashMap<u32, u32>,
    /// The type of lengths, in a module that has no such type.
    own_u32: u32,
    /// Ids of the module's strings; 0: not written yet.
    strings: Ids,
    texts: Vec<u32>,
    sources: Vec<u32>,
    names: Vec<u32>,
    annotations: Vec<u32>,
    decls: Vec<u32>,
    code: Vec<u32>,
}

/// Appends an instruction.
fn inst(out: &mut Vec<u32>, op: Op, words: &[u32]) {
    out.push(length(words.len() + 1) | op.number());
    out.extend_from_slice(words);
}

/// Starts an instruction whose length is known only when its words are there; [`end`] sets it.
fn begin(out: &mut Vec<u32>, op: Op) -> usize {
    out.push(op.number());
    out.len() - 1
}

/// Ends the instruction that [`begin`] started at `start`.
fn end(out: &mut [u32], start: usize) {
    out[start] |= length(out.len() - start);
}

/// A length where an instruction has it; 0 if it is too much, which [`limits::check_lengths`] finds.
fn length(words: usize) -> u32 {
    u32::from(u16::try_from(words).unwrap_or(0)) << 16
}

/// Longest name that is written.
const MAX_NAME: usize = 4096;

impl<'a> Writer<'a> {
    fn new(module: &'a Module, options: WriteOptions) -> Writer<'a> {
        Writer {
            module,
            options,
            debug: None,
            shader_debug: None,
            storage_buffer: StorageClass::StorageBuffer,
            buffer_blocks: FxHashSet::default(),
            bound: 1,
            types: smallvec![0; module.ctx.types.len()],
            consts: smallvec![0; module.ctx.consts.len()],
            globals: smallvec![0; module.globals.len()],
            funcs: smallvec![0; module.functions.len()],
            ext_sets: Vec::new(),
            pointers: FxHashMap::default(),
            function_types: FxHashMap::default(),
            undefs: FxHashMap::default(),
            lengths: FxHashMap::default(),
            own_u32: 0,
            strings: smallvec![0; module.strings.len()],
            texts: Vec::new(),
            sources: Vec::new(),
            names: Vec::with_capacity(256),
            annotations: Vec::with_capacity(128),
            decls: Vec::with_capacity(512),
            code: Vec::with_capacity(1024),
        }
    }

    /// Storage buffers as SPIR-V had them before 1.3.
    fn old_buffers(&mut self) {
        self.storage_buffer = StorageClass::Uniform;
        let types = &self.module.ctx.types;
        for (_, g) in self.module.globals.iter().filter(|(_, g)| g.storage == StorageClass::StorageBuffer) {
            let mut ty = g.ty;
            while let TypeKind::Array { elem, .. } | TypeKind::RuntimeArray { elem, .. } = types.kind(ty) {
                ty = *elem;
            }
            self.buffer_blocks.insert(ty);
        }
    }

    /// A storage class as the target has it.
    fn storage(&self, storage: StorageClass) -> StorageClass {
        if storage == StorageClass::StorageBuffer { self.storage_buffer } else { storage }
    }

    fn id(&mut self) -> u32 {
        self.bound += 1;
        self.bound - 1
    }

    fn name(&mut self, id: u32, name: &str) {
        if self.options.names && !name.is_empty() && name.len() <= MAX_NAME {
            let start = begin(&mut self.names, Op::Name);
            self.names.push(id);
            self.names.extend(string(name));
            end(&mut self.names, start);
        }
    }

    fn member_name(&mut self, id: u32, member: u32, name: &str) {
        if self.options.names && !name.is_empty() && name.len() <= MAX_NAME {
            let start = begin(&mut self.names, Op::MemberName);
            self.names.extend([id, member]);
            self.names.extend(string(name));
            end(&mut self.names, start);
        }
    }

    fn decorate(&mut self, id: u32, decoration: Decoration, operands: &[u32]) {
        let start = begin(&mut self.annotations, Op::Decorate);
        self.annotations.extend([id, decoration.0]);
        self.annotations.extend_from_slice(operands);
        end(&mut self.annotations, start);
    }

    /// Decorates with what the module says.
    fn decorate_as(&mut self, id: u32, d: &ir::Decoration) {
        let start = begin(&mut self.annotations, d.instruction());
        self.annotations.extend([id, d.kind.0]);
        self.decoration_operands(d);
        end(&mut self.annotations, start);
    }

    fn decoration_operands(&mut self, d: &ir::Decoration) {
        for operand in &d.operands {
            match operand {
                DecorationOperand::Literal(n) => self.annotations.push(*n),
                DecorationOperand::Text(text) => self.annotations.extend(string(text)),
                DecorationOperand::Const(c) => self.annotations.push(self.consts[c.index()]),
                DecorationOperand::Global(g) => self.annotations.push(self.globals[g.index()]),
            }
        }
    }

    fn decorate_member(&mut self, id: u32, member: u32, d: &ir::Decoration) {
        let op = match d.instruction() {
            Op::DecorateString => Op::MemberDecorateString,
            _ => Op::MemberDecorate,
        };
        let start = begin(&mut self.annotations, op);
        self.annotations.extend([id, member, d.kind.0]);
        self.decoration_operands(d);
        end(&mut self.annotations, start);
    }

    /// `OpString` of one of the module's strings.
    fn string_id(&mut self, index: u32, span: Span) -> Result<u32, Box<Finding>> {
        let module = self.module;
        let Some(text) = module.strings.get(index as usize) else { return Ok(0) };
        limits::check(Limit::String, text.len(), || span)?;
        if self.strings[index as usize] == 0 {
            let id = self.id();
            self.strings[index as usize] = id;
            let mut words = vec![id];
            words.extend(string(text));
            inst(&mut self.texts, Op::String, &words);
        }
        Ok(self.strings[index as usize])
    }

    fn ext_set(&mut self, set: ExtSet) -> u32 {
        if let Some(found) = self.ext_sets.iter().find(|e| e.0 == set) {
            return found.1;
        }
        let id = self.id();
        self.ext_sets.push((set, id));
        id
    }

    /// Decorations of functions and globals, but for those that stand with the declaration.
    fn extras(&mut self) {
        let module = self.module;
        for (g, data) in module.globals.iter() {
            let id = self.globals[g.index()];
            for d in data.decorations.iter().filter(|d| id != 0 && !decls::stands_with_variable(d.kind)) {
                // Of variables that nothing uses there is nothing to say.
                let used = |o: &DecorationOperand| match o {
                    DecorationOperand::Global(g) => self.globals[g.index()] != 0,
                    _ => true,
                };
                if d.operands.iter().all(used) {
                    self.decorate_as(id, d);
                }
            }
        }
        for (f, data) in module.functions.iter() {
            let id = self.funcs[f.index()];
            data.decorations.iter().filter(|_| id != 0).for_each(|d| self.decorate_as(id, d));
        }
    }

    /// Puts the sections together.
    fn finish(mut self, target: &TargetEnv, needs: &Requirements) -> Result<Vec<u32>, Box<Finding>> {
        // Kernels run on devices of earlier versions than the target may have.
        let kernels = self.module.has_kernels();
        let version = needs.version.max(if kernels { target.version.min(2) } else { target.version });
        let import = self.shader_debug_import();
        let debug = self.shader_debug.take().map(|s| s.section).unwrap_or_default();
        let sections =
            [&self.texts, &self.sources, &self.names, &self.annotations, &self.decls, &debug, &self.code];
        let mut out = Vec::with_capacity(128 + sections.iter().map(|s| s.len()).sum::<usize>());
        out.extend([spirv_spec::MAGIC_NUMBER, 1 << 16 | u32::from(version) << 8, GENERATOR, 0, 0]);
        for (c, _) in &needs.capabilities {
            inst(&mut out, Op::Capability, &[c.0]);
        }
        for (e, _) in &needs.extensions {
            let start = begin(&mut out, Op::Extension);
            out.extend(string(e));
            end(&mut out, start);
        }
        let extension = import.as_ref().and_then(|i| i.1);
        if let Some(e) = extension.filter(|e| needs.extensions.iter().all(|n| n.0 != *e)) {
            let start = begin(&mut out, Op::Extension);
            out.extend(string(e));
            end(&mut out, start);
        }
        self.ext_sets.sort_by_key(|e| e.1);
        for (set, id) in &self.ext_sets {
            let start = begin(&mut out, Op::ExtInstImport);
            out.push(*id);
            out.extend(string(self.module.set_name(*set).unwrap_or_default()));
            end(&mut out, start);
        }
        if let Some((words, _)) = import {
            inst(&mut out, Op::ExtInstImport, &words);
        }
        let module = self.module;
        inst(&mut out, Op::MemoryModel, &[module.addressing.0, module.memory.0]);
        for e in &module.entry_points {
            let Some(func) = self.funcs.get(e.func.index()).copied() else {
                let message = format!("entry point {} has no function", e.name);
                return Err(Box::new(Finding::internal(Span::default(), message)));
            };
            let mut words = vec![e.model.0, func];
            words.extend(string(&e.name));
            for g in &e.interface {
                let storage = module.globals[*g].storage;
                let listed = version >= 4 || matches!(storage, StorageClass::Input | StorageClass::Output);
                if listed && self.globals[g.index()] != 0 {
                    words.push(self.globals[g.index()]);
                }
            }
            self.check_interface(e.func, words.len())?;
            inst(&mut out, Op::EntryPoint, &words);
        }
        for e in &module.entry_points {
            let [x, y, z] = e.local_size;
            if e.local_size != [0; 3] {
                let words = [self.funcs[e.func.index()], ExecutionMode::LocalSize.0, x, y, z];
                inst(&mut out, Op::ExecutionMode, &words);
            }
            for mode in &e.modes {
                let mut words = vec![self.funcs[e.func.index()], mode.kind.0];
                let op = match &mode.operands {
                    ModeOperands::Words(list) => {
                        words.extend(list);
                        Op::ExecutionMode
                    }
                    ModeOperands::Consts(list) => {
                        words.extend(list.iter().map(|c| self.consts[c.index()]));
                        Op::ExecutionModeId
                    }
                };
                inst(&mut out, op, &words);
            }
            if let Some(group) = crate::target::derivatives::group(module, e) {
                let [x, y, z] = e.local_size;
                if (x * y * z) % 4 != 0 {
                    let message = format!(
                        "entry point {} takes derivatives: its group must be a multiple of four threads",
                        e.name
                    );
                    return Err(Box::new(Finding::internal(module.functions[e.func].span, message)));
                }
                let words = [self.funcs[e.func.index()], group.mode().0];
                inst(&mut out, Op::ExecutionMode, &words);
            }
        }
        if let Some((language, version)) = self.module.source {
            inst(&mut out, Op::Source, &[language, version]);
        }
        for section in sections {
            out.extend_from_slice(section);
        }
        out[3] = self.bound;
        limits::check_lengths(&out)?;
        Ok(out)
    }
}
