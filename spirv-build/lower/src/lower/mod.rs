//! HIR to IR: what HLSL means, in SPIR-V's terms. The mapping follows dxc's.
//!
//! * **Values and memory.** A type has a form for values (`types::Lower::value_type`) without layout, in which `bool` is
//!   `bool`, and one for buffers (`types::Lower::memory_type`) with offsets and strides, in which it is `uint`. Loads and
//!   stores through a `place::Place` convert between them.
//! * **Matrices.** HLSL's rows are SPIR-V's columns, so that `m[i]` is an access chain; products swap their operands and
//!   `column_major` is written as `RowMajor`. Matrices of integers, which SPIR-V has not, are arrays of rows; matrices with
//!   one row or column are vectors.
//! * **Locals** are variables with loads and stores: building values is the work of `passes::mem2reg`.
//! * **Functions** are lowered when an entry point reaches them, once for each combination of the resources and other
//!   global places that their parameters name (`function::Bound`).
//! * **Resources** in variables, results and parameters that are written are handles (`handle`): values like others here, which
//!   `passes::legalize_resources` makes resources of that are known.
//! * **What is `precise`** is marked `NoContraction`: variables, parameters, pointers to members, functions for their results.
//!   `passes::precise` finds what reaches it.
//! * **Entry points** are wrappers without parameters that load the system values and call the function.
//!
//! What cannot be lowered is a [`Finding`]; lowering then goes on with an undefined value, to find more.

mod access;
mod atomic;
mod binary;
mod bits;
mod bytes;
mod call;
mod constants;
mod convert;
mod counter;
mod expr;
mod function;
mod globals;
mod handle;
mod inline_spirv;
mod intrinsic;
mod memory;
mod place;
mod pointer;
mod sample;
mod sparse;
mod stmt;
mod texture;
mod types;
mod view;
mod wave;

use crate::diag::{Code, Finding};
use crate::hlsl::hir;
use crate::ir;
use crate::source::Span;
use function::{Bound, Pending};
use globals::GlobalValue;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// How deep expressions, places, statements and types may be nested, all together.
pub const MAX_DEPTH: u32 = 2000;
/// Functions after specialization.
pub const MAX_FUNCTIONS: usize = 65536;

/// Options of the lowering.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Names of the entry points to lower; empty for all.
    pub entries: Vec<String>,
    /// Declares storage images without `[[vk::image_format]]` with the format that their element type suggests, as
    /// dxc does, instead of with none.
    pub infer_image_formats: bool,
    /// Declares the counters of all buffers that any function counts, used or not: they are arguments of launches.
    pub all_counters: bool,
    /// Notes for each entry point which resources its source names: they are arguments of launches, too.
    pub named: bool,
}

/// Lowers the entry points and all that they reach.
pub fn lower(hir: &hir::Module, options: &Options) -> Result<ir::Module, Vec<Finding>> {
    let mut l = Lower {
        hir: Source { module: hir, types: &hir.types },
        options,
        out: ir::Module::default(),
        errors: Vec::new(),
        depth: 0,
        place: Span::default(),
        fallen: 0,
        copied: 0,
        texts: FxHashMap::default(),
        value_types: FxHashMap::default(),
        memory_types: FxHashMap::default(),
        globals: Vec::new(),
        inputs: FxHashMap::default(),
        functions: FxHashMap::default(),
        pending: Vec::new(),
        handle_types: FxHashMap::default(),
    };
    l.out.requested_extensions.clone_from(&hir.extensions);
    l.out.requested_capabilities.clone_from(&hir.capabilities);
    if l.out.requested_capabilities.contains(&spirv_spec::Capability::VulkanMemoryModel.0) {
        l.out.memory = spirv_spec::MemoryModel::Vulkan;
    }
    l.declare_globals();
    l.declare_handle_variables();
    l.decorate_globals();
    if options.all_counters {
        l.declare_counters();
    }
    for entry in &hir.entry_points {
        if options.entries.is_empty() || options.entries.contains(&entry.name) {
            l.entry_point(entry);
        }
    }
    while let Some(next) = l.pending.pop() {
        l.body(next);
    }
    if options.named {
        l.name_resources();
    }
    if l.errors.is_empty() { Ok(l.out) } else { Err(l.errors) }
}

/// What is lowered: the module and its types.
#[derive(Clone, Copy)]
struct Source<'h> {
    module: &'h hir::Module,
    types: &'h hir::Types,
}

impl<'h> Source<'h> {
    fn function(self, id: hir::FunctionId) -> &'h hir::Function {
        self.module.function(id)
    }

    fn global(self, id: hir::GlobalId) -> &'h hir::Global {
        self.module.global(id)
    }
}

/// State of one run.
struct Lower<'h> {
    hir: Source<'h>,
    options: &'h Options,
    out: ir::Module,
    errors: Vec<Finding>,
    depth: u32,
    /// What is being lowered: where a type is asked for that no value has.
    place: Span,
    /// Bodies of cases that were lowered once more, because others fall through to them.
    fallen: u32,
    /// Parts that were copied one by one between buffers and variables.
    copied: usize,
    /// Strings of the module, by text.
    texts: FxHashMap<String, u32>,
    value_types: FxHashMap<hir::TypeId, ir::Type>,
    memory_types: FxHashMap<types::MemoryKey, ir::Type>,
    globals: Vec<GlobalValue>,
    inputs: FxHashMap<hir::SystemValue, ir::Global>,
    functions: FxHashMap<(hir::FunctionId, Vec<Bound>), ir::Func>,
    pending: Vec<Pending>,
    /// Types of handles, by that of the resource.
    handle_types: FxHashMap<hir::TypeId, (ir::Type, hir::MatrixOrder)>,
}

impl Lower<'_> {
    /// Notes which resources the source of each entry point names, once all that there are have been declared.
    fn name_resources(&mut self) {
        let hir = self.hir.module;
        let mut points = std::mem::take(&mut self.out.entry_points);
        for point in &mut points {
            let Some(entry) = hir.entry_points.iter().find(|e| e.name == point.name) else { continue };
            let hir::Named { resources, counters } = hir.named_by(entry);
            let variable = |g: &hir::GlobalId| match self.globals.get(g.index()) {
                Some(GlobalValue::Variable(var, _) | GlobalValue::Resource(var)) => Some(*var),
                _ => None,
            };
            let counter = |g: &hir::GlobalId| Some(self.out.globals[variable(g)?].hlsl().counter?.var);
            let named: BTreeSet<ir::Global> =
                resources.iter().filter_map(variable).chain(counters.iter().filter_map(counter)).collect();
            point.named = named.into_iter().collect();
        }
        self.out.entry_points = points;
    }

    fn error(&mut self, code: Code, span: Span, message: impl Into<String>, help: &str) {
        let error = Finding::new(code, span, message).help(help);
        if !self.errors.contains(&error) {
            self.errors.push(error);
        }
    }

    fn unsupported(&mut self, span: Span, what: impl Into<String>, help: &str) {
        self.error(Code::NotSupported, span, what, help);
    }

    fn internal(&mut self, span: Span, what: impl Into<String>) {
        self.error(Code::Internal, span, what, "please report this together with the kernel");
    }

    /// Goes one level deeper; false, with an error, when that is too deep. Pair with [`Lower::leave`].
    fn enter(&mut self, span: Span) -> bool {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            self.error(
                Code::TooMany,
                span,
                "the program is nested too deeply",
                "split it into smaller parts",
            );
        }
        self.depth <= MAX_DEPTH
    }

    fn leave(&mut self) {
        self.depth -= 1;
    }
}
