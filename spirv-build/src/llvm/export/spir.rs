//! The `spir64` flavour: kernels of OpenCL's flavour as Khronos' "SPIR-V representation in LLVM IR" has them, so that
//! [`crate::llvm::import`] reads the same module again.
//!
//! | SPIR-V | LLVM IR |
//! | --- | --- |
//! | storage classes | address spaces 0 to 6 |
//! | entry points | `spir_kernel` functions with `reqd_work_group_size` and other metadata |
//! | what LLVM has instructions for | these instructions |
//! | everything else | calls of `__spirv_<Op>`, `__spirv_ocl_<name>` by mangled names, literals as `i32` |
//! | system values | calls of `__spirv_BuiltIn<Name>`, or loads of variables called so |
//! | pointer bitcasts | nothing: LLVM's pointers have no types |
//!
//! Structured operations become plain blocks: kernels need no merge instructions.

use super::arith::{DIRECT, Form};
use super::function::{Body, Text, emit};
use super::mangler::Mangler;
use super::types::{Elem, Shape};
use super::{Export, control_attributes};
use crate::ir::entity::Entity;
use crate::ir::{
    BuiltIn, ExtSet, Func, InstData, KernelArg, Op, Opcode, Operand, ScalarKind, StorageClass, Symbol, Type,
    TypeKind, Value, ValueDef, walk,
};
use rustc_hash::FxHashMap;
use spirv::{Decoration, ExecutionMode, LinkageType};
use std::fmt::Write;

/// What stands before and behind the functions.
#[derive(Default)]
pub(super) struct Metadata {
    pub header: String,
    nodes: Vec<String>,
    named: Vec<(String, Vec<usize>)>,
}

impl Metadata {
    fn node(&mut self, text: String) -> usize {
        self.nodes.iter().position(|n| *n == text).unwrap_or_else(|| {
            self.nodes.push(text);
            self.nodes.len() - 1
        })
    }

    /// A list of decorations.
    fn decorations<'d>(&mut self, list: impl Iterator<Item = &'d crate::ir::Decoration>) -> usize {
        let nodes: Vec<String> = list
            .map(|d| {
                let operands =
                    d.operands.iter().fold(format!("i32 {}", d.kind as u32), |t, n| format!("{t}, i32 {n}"));
                format!("!{}", self.node(operands))
            })
            .collect();
        self.node(nodes.join(", "))
    }

    fn add(&mut self, name: &str, node: usize) {
        match self.named.iter_mut().find(|n| n.0 == name) {
            Some((_, list)) => list.push(node),
            None => self.named.push((name.to_string(), vec![node])),
        }
    }

    pub fn text(&self) -> String {
        let mut out = String::new();
        for (name, list) in &self.named {
            let list: Vec<String> = list.iter().map(|n| format!("!{n}")).collect();
            let _ = write!(out, "\n!{name} = !{{{}}}", list.join(", "));
        }
        for (i, n) in self.nodes.iter().enumerate() {
            let _ = write!(out, "\n!{i} = !{{{n}}}");
        }
        if out.is_empty() { out } else { out + "\n" }
    }
}

const LAYOUT_64: &str = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024";

/// `FuncParamAttr` as attributes; by value and as result they name the type.
const ATTRIBUTES: &[(u32, &str)] = &[
    (0, "zeroext"),
    (1, "signext"),
    (2, "byval"),
    (3, "sret"),
    (4, "noalias"),
    (6, "readonly"),
    (7, "readnone"),
];

/// Instructions of [`DIRECT`] that the importer reads as they are written there.
fn is_direct(op: Op) -> bool {
    !matches!(op, Op::BitReverse)
}

impl Export<'_> {
    /// The whole module.
    pub fn spir_module(&mut self, out: &mut String) {
        let wide = self.module.addressing != spirv::AddressingModel::Physical32;
        if self.logical() {
            self.refuse("a module that is no kernel (compile for level-zero)", Default::default());
            return;
        }
        let (layout, triple) = if wide {
            (LAYOUT_64.to_string(), "spir64")
        } else {
            (LAYOUT_64.replace("e-", "e-p:32:32-"), "spir")
        };
        let _ = write!(
            self.metadata.header,
            "target datalayout = \"{layout}\"\ntarget triple = \"{triple}-unknown-unknown\"\n\n"
        );
        for n in self.module.requested_capabilities.clone() {
            let node = self.metadata.node(format!("i32 {n}"));
            self.metadata.add("spirv.Capability", node);
        }
        for e in self.module.requested_extensions.clone() {
            let node = self.metadata.node(format!("!\"{e}\""));
            self.metadata.add("spirv.Extension", node);
        }
        if let Some((language, version)) = self.module.source {
            let node = self.metadata.node(format!("i32 {language}, i32 {version}"));
            self.metadata.add("spirv.Source", node);
        }
        self.spir_globals();
        for func in self.module.functions.keys() {
            self.spir_function(func, out);
        }
        // Names of structs that were used.
        let mut types = String::new();
        for (t, kind) in self.module.ctx.types.iter() {
            if let (TypeKind::Struct(_), Some(name)) = (kind, self.struct_name(t)) {
                let text = self.struct_body(t);
                let _ = writeln!(types, "{name} = type {text}");
            }
        }
        if !types.is_empty() {
            types.push('\n');
        }
        self.metadata.header.push_str(&types);
    }

    fn spir_globals(&mut self) {
        let module = self.module;
        for (g, data) in module.globals.iter() {
            let ty = self.ty(data.ty);
            if data.storage == StorageClass::Input {
                if let Some(b) = data.builtin {
                    self.global_names[g.index()] = format!("__spirv_BuiltIn{b:?}");
                    let _ =
                        writeln!(self.head, "@__spirv_BuiltIn{b:?} = external addrspace(1) constant {ty}");
                } else {
                    self.refuse(format!("the input `{}`", data.name), data.span);
                }
                continue;
            }
            let name = self.global_names[g.index()].clone();
            let space = super::types::address_space(data.storage);
            let decorated = |kind| module.decorations.iter().find(|(of, d)| *of == g && d.kind == kind);
            let constant = decorated(Decoration::Constant).is_some()
                || data.storage == StorageClass::UniformConstant && data.init.is_some();
            let what = if constant { "constant" } else { "global" };
            let align = decorated(Decoration::Alignment).and_then(|(_, d)| d.operands.first().copied());
            let align = align.map_or(String::new(), |n| format!(", align {n}"));
            let link = module.linkage.iter().find(|l| l.symbol == Symbol::Global(g)).map(|l| l.kind);
            let linkage = match link {
                Some(LinkageType::Import) => "external ",
                Some(_) => "",
                None => "internal ",
            };
            let value = match data.init {
                Some(c) => format!(" {}", self.constant(c, false)),
                None if link == Some(LinkageType::Import) => String::new(),
                None => " undef".to_string(),
            };
            let others = module.decorations.iter().filter(|(of, d)| {
                *of == g && !matches!(d.kind, Decoration::Constant | Decoration::Alignment)
            });
            let others: Vec<&crate::ir::Decoration> = others.map(|(_, d)| d).collect();
            let mut facts = String::new();
            if !others.is_empty() {
                let list = self.metadata.decorations(others.into_iter());
                let _ = write!(facts, ", !spirv.Decorations !{list}");
            }
            let _ =
                writeln!(self.head, "@{name} = {linkage}addrspace({space}) {what} {ty}{value}{align}{facts}");
        }
    }

    fn spir_function(&mut self, func: Func, out: &mut String) {
        let f = &self.module.functions[func];
        let entry = self.module.entry_points.iter().position(|e| e.func == func);
        let link = self.module.linkage.iter().find(|l| l.symbol == Symbol::Func(func)).map(|l| l.kind);
        let result = self.ty(f.result);
        let name = match entry {
            Some(i) => self.entry_names[i].clone(),
            None => self.func_names[func.index()].clone(),
        };
        let mut b = Body::new(self, func);
        let mut params = Vec::new();
        for (i, p) in (0..).zip(&f.params) {
            let name = b.name(f.values[*p].name.as_deref().filter(|n| !n.is_empty()).unwrap_or("arg"));
            let ty = b.type_of(*p);
            let mut text = b.x.ty(ty).to_string();
            for (_, d) in f.param_decorations.iter().filter(|d| d.0 == i) {
                let attribute = d.operands.first().filter(|_| d.kind == Decoration::FuncParamAttr);
                let Some((number, attribute)) = attribute.and_then(|n| ATTRIBUTES.iter().find(|a| a.0 == *n))
                else {
                    continue;
                };
                let _ = write!(text, " {attribute}");
                if let (2 | 3, Some((object, _))) = (number, b.x.module.ctx.types.pointee(ty)) {
                    let _ = write!(text, "({})", b.x.ty(object));
                }
            }
            if f.body.is_some() {
                let _ = write!(text, " {name}");
            }
            params.push(text);
            b.set(*p, name);
        }
        let params = params.join(", ");
        let cc = if entry.is_some() { "spir_kernel" } else { "spir_func" };
        let control = control_attributes(f.control);
        let Some(body) = f.body else {
            let text = format!("declare {cc} {result} @{name}({params}){control}");
            b.x.declare(&name, &text);
            return;
        };
        b.find_system_values();
        b.new_block("entry");
        b.region(body);
        let text = b.finish();
        let linkage = if entry.is_some() || link.is_some() { "" } else { "internal " };
        let mut facts = entry.map_or(String::new(), |i| self.kernel_facts(i, &name));
        // What attributes do not say.
        let attribute = |d: &crate::ir::Decoration| {
            let number = d.operands.first().filter(|_| d.kind == Decoration::FuncParamAttr);
            number.is_some_and(|n| ATTRIBUTES.iter().any(|a| a.0 == *n))
        };
        if f.param_decorations.iter().any(|(_, d)| !attribute(d)) {
            let lists: Vec<String> = (0..f.params.len() as u32)
                .map(|i| {
                    let of = f.param_decorations.iter().filter(|(at, d)| *at == i && !attribute(d));
                    format!("!{}", self.metadata.decorations(of.map(|(_, d)| d)))
                })
                .collect();
            let node = self.metadata.node(lists.join(", "));
            let _ = write!(facts, " !spirv.ParameterDecorations !{node}");
        }
        let _ =
            write!(out, "\ndefine {linkage}{cc} {result} @{name}({params}){control}{facts} {{\n{text}}}\n");
    }

    /// Execution modes as metadata.
    fn kernel_facts(&mut self, index: usize, name: &str) -> String {
        let e = &self.module.entry_points[index];
        let mut out = String::new();
        let list = |n: &[u32]| n.iter().map(|n| format!("i32 {n}")).collect::<Vec<_>>().join(", ");
        if e.local_size != [0; 3] {
            let node = self.metadata.node(list(&e.local_size));
            let _ = write!(out, " !reqd_work_group_size !{node}");
        }
        for (mode, operands) in &e.modes {
            let kind = match mode {
                ExecutionMode::LocalSizeHint => "work_group_size_hint",
                ExecutionMode::SubgroupSize => "intel_reqd_sub_group_size",
                _ => {
                    let mut text = format!("ptr @{name}, i32 {}", *mode as u32);
                    if !operands.is_empty() {
                        let _ = write!(text, ", {}", list(operands));
                    }
                    let node = self.metadata.node(text);
                    self.metadata.add("spirv.ExecutionMode", node);
                    continue;
                }
            };
            let node = self.metadata.node(list(operands));
            let _ = write!(out, " !{kind} !{node}");
        }
        let args = self.module.kernel_args.iter().find(|(f, _)| *f == e.func);
        let args: &[KernelArg] = args.map_or(&[], |a| &a.1);
        let known = |a: &KernelArg| !a.name.is_empty() || !a.type_name.is_empty() || a.scalar.is_some();
        if args.iter().any(known) {
            let mut list = |kind: &str, text: &dyn Fn(&KernelArg) -> String| {
                let texts: Vec<String> = args.iter().map(|a| format!("!{}", string(&text(a)))).collect();
                let node = self.metadata.node(texts.join(", "));
                let _ = write!(out, " !{kind} !{node}");
            };
            list("kernel_arg_name", &|a| a.name.clone());
            list("kernel_arg_type", &|a| a.type_name.clone());
            list("kernel_arg_base_type", &|a| a.scalar.map_or(String::new(), scalar_name));
            list("kernel_arg_type_qual", &|a| String::from(if a.readonly { "const" } else { "" }));
        }
        out
    }
}

/// A number as OpenCL C calls it.
fn scalar_name(kind: ScalarKind) -> String {
    let integer = |w| match w {
        8 => "char",
        16 => "short",
        32 => "int",
        _ => "long",
    };
    match kind {
        ScalarKind::Signed(w) => integer(w).to_string(),
        ScalarKind::Unsigned(w) => format!("u{}", integer(w)),
        ScalarKind::Float(16) => "half".into(),
        ScalarKind::Float(32) => "float".into(),
        ScalarKind::Float(_) => "double".into(),
    }
}

/// A string of metadata.
fn string(text: &str) -> String {
    let mut out = String::from("\"");
    for b in text.bytes() {
        if (b.is_ascii_graphic() || b == b' ') && !matches!(b, b'"' | b'\\') {
            out.push(char::from(b));
        } else {
            let _ = write!(out, "\\{b:02X}");
        }
    }
    out + "\""
}

/// A load of a system value that is nothing but taken apart: the calls read the parts.
pub(super) type SystemValues = FxHashMap<Value, BuiltIn>;

impl Body<'_, '_> {
    /// Finds the loads of system values of which only components are used.
    fn find_system_values(&mut self) {
        let f = self.f;
        let mut loads = SystemValues::default();
        for i in walk::insts(f) {
            let d = &f.insts[i];
            let is_load = d.op == Opcode::Op(Op::Load) && d.operands.len() == 1;
            let global = d.id(0).filter(|_| is_load).map(|v| f.values[v].def);
            if let (Some(ValueDef::Global(g)), Some(r)) = (global, d.result())
                && let Some(b) = self.x.module.globals[g].builtin
            {
                loads.insert(r, b);
            }
        }
        for i in walk::insts(f) {
            let d = &f.insts[i];
            let parts = match d.op {
                Opcode::Op(Op::CompositeExtract) => d.operands.len() == 2,
                Opcode::Op(Op::VectorExtractDynamic) => {
                    d.id(1).and_then(|v| self.shape_of(v)) == Some(Shape::I32)
                }
                _ => false,
            };
            for v in d.ids().chain(d.successors.iter().flat_map(|s| s.args.iter().copied())) {
                let vector = self.shape_of(v).is_some_and(|s| s.len > 1);
                if vector && !(parts && d.id(0) == Some(v)) {
                    loads.remove(&v);
                }
            }
        }
        self.system_values = loads;
    }

    /// Writes an instruction of a kernel.
    pub fn spir(&mut self, data: &InstData) -> Option<Text> {
        match data.op {
            Opcode::Op(op) => self.spir_op(op, data),
            Opcode::Ext(ExtSet::OpenCl, n) => {
                let Some(name) = spirv::OpenclStd100Op::from_u32(n) else {
                    self.refuse_inst(data);
                    return None;
                };
                self.spirv_call(&format!("__spirv_ocl_{name:?}"), "__R", data)
            }
            Opcode::Ext(ExtSet::DebugPrintf, _) => None,
            _ => {
                self.refuse_inst(data);
                None
            }
        }
    }

    fn spir_op(&mut self, op: Op, data: &InstData) -> Option<Text> {
        let decorated = data
            .decorations
            .iter()
            .any(|d| matches!(d.kind, Decoration::SaturatedConversion | Decoration::FPRoundingMode));
        if let Some((_, form)) = DIRECT.iter().find(|r| r.0 == op && is_direct(op) && !decorated) {
            // LLVM has no such instruction for bools, or another meaning.
            if !matches!((op, form), (Op::LessOrGreater, _)) {
                return self.direct(*form, data);
            }
        }
        let (from, to) = (data.id(0).and_then(|v| self.shape_of(v)), self.result_shape(data));
        match (op, from, to) {
            (Op::Nop | Op::LifetimeStart | Op::LifetimeStop, ..) => None,
            (Op::Variable, ..) => self.spir_variable(data),
            (Op::Load, ..) => self.spir_load(data),
            (Op::Store, ..) => {
                let (p, v) = (data.id(0)?, data.id(1)?);
                let (p, v) = (self.typed(p), self.typed(v));
                let (volatile, align) = Self::memory_operands(data, 2);
                self.line(format_args!("store {volatile}{v}, {p}{align}"));
                None
            }
            (Op::AccessChain | Op::InBoundsAccessChain, ..) => self.spir_chain(data, false),
            (Op::PtrAccessChain | Op::InBoundsPtrAccessChain, ..) => self.spir_chain(data, true),
            (Op::CopyMemorySized, ..) => {
                self.spir_copy(data);
                None
            }
            (Op::CopyObject, ..) => Some(self.value(data.id(0)?)),
            (Op::Bitcast, ..) if self.pointee_of(data.id(0)?).is_some() => {
                let v = data.id(0)?;
                match to {
                    Some(s) => {
                        let p = self.typed(v);
                        Some(emit!(self, "ptrtoint {p} to {s}"))
                    }
                    None => Some(self.value(v)),
                }
            }
            (Op::Bitcast | Op::ConvertUToPtr, Some(s), None) => {
                let v = self.value(data.id(0)?);
                let ty = self.type_of(data.result()?);
                let ty = self.x.ty(ty);
                Some(emit!(self, "inttoptr {s} {v} to {ty}"))
            }
            (Op::Bitcast, Some(a), Some(b)) => {
                let v = self.value(data.id(0)?);
                Some(self.cast("bitcast", a, &v, b))
            }
            (Op::ConvertPtrToU, _, Some(s)) => {
                let p = self.typed(data.id(0)?);
                Some(emit!(self, "ptrtoint {p} to {s}"))
            }
            (Op::PtrCastToGeneric | Op::GenericCastToPtr, ..) => {
                let p = self.typed(data.id(0)?);
                let ty = self.type_of(data.result()?);
                let ty = self.x.ty(ty);
                Some(emit!(self, "addrspacecast {p} to {ty}"))
            }
            (Op::GenericCastToPtrExplicit, ..) => {
                let (_, storage) = self.x.module.ctx.types.pointee(self.type_of(data.result()?))?;
                let space = match storage {
                    StorageClass::CrossWorkgroup => "Global",
                    StorageClass::Workgroup => "Local",
                    _ => "Private",
                };
                self.spirv_call(&format!("__spirv_GenericCastToPtrExplicit_To{space}"), "", data)
            }
            (Op::FConvert, Some(a), Some(b)) if !decorated && a.width() != b.width() => {
                let v = self.value(data.id(0)?);
                Some(self.cast(if a.width() < b.width() { "fpext" } else { "fptrunc" }, a, &v, b))
            }
            (Op::UConvert, Some(a), Some(b)) if !decorated && a.width() != b.width() => {
                let v = self.value(data.id(0)?);
                Some(self.resize(a, &v, b))
            }
            (Op::SConvert, Some(a), Some(b)) if !decorated && a.width() < b.width() => {
                let v = self.value(data.id(0)?);
                Some(self.cast("sext", a, &v, b))
            }
            (Op::FNegate, _, Some(s)) => {
                let (v, flags) = (self.value(data.id(0)?), self.flags(data));
                Some(emit!(self, "fneg{flags} {s} {v}"))
            }
            (Op::ShiftLeftLogical | Op::ShiftRightLogical | Op::ShiftRightArithmetic, Some(s), _)
                if data.id(1).and_then(|v| self.shape_of(v)) == Some(s) =>
            {
                let name = match op {
                    Op::ShiftLeftLogical => "shl",
                    Op::ShiftRightLogical => "lshr",
                    _ => "ashr",
                };
                self.direct(Form::Binary(name), data)
            }
            (Op::Select, ..) => self.arithmetic(op, data),
            (Op::CompositeExtract, ..) => match self.system_component(data) {
                Some(v) => Some(v),
                None => self.composite_extract(data),
            },
            (Op::CompositeConstruct, ..) => self.composite_construct(data),
            (Op::CompositeInsert, ..) => self.composite_insert(data),
            (Op::VectorShuffle, ..) if from == data.id(1).and_then(|v| self.shape_of(v)) => {
                self.vector_shuffle(data)
            }
            (Op::VectorExtractDynamic | Op::VectorInsertDynamic, ..) => match self.system_component(data) {
                Some(v) => Some(v),
                None => self.vector_dynamic(op, data),
            },
            (Op::FunctionCall, ..) => self.call(data),
            (Op::Undef, ..) => Some("undef".into()),
            _ => self.spirv_call(&format!("__spirv_{}", crate::spv::op_table::op(op)?.name), "_R", data),
        }
    }

    fn pointee_of(&self, v: Value) -> Option<Type> {
        Some(self.x.module.ctx.types.pointee(self.type_of(v))?.0)
    }

    fn memory_operands(data: &InstData, from: usize) -> (&'static str, String) {
        let mask = data.literal(from).unwrap_or(0);
        let volatile = if mask & 1 != 0 { "volatile " } else { "" };
        let align = if mask & 2 != 0 { data.literal(from + 1) } else { None };
        (volatile, align.map_or(String::new(), |n| format!(", align {n}")))
    }

    fn spir_variable(&mut self, data: &InstData) -> Option<Text> {
        let result = data.result()?;
        let ty = self.pointee_of(result)?;
        let ty = self.x.ty(ty);
        let name = self.name(self.f.values[result].name.as_deref().unwrap_or("var"));
        let align = data.decorations.iter().find(|d| d.kind == Decoration::Alignment);
        let align = align.and_then(|d| d.operands.first()).map_or(String::new(), |n| format!(", align {n}"));
        self.line(format_args!("{name} = alloca {ty}{align}"));
        if let Some(init) = data.id(1) {
            let v = self.typed(init);
            self.line(format_args!("store {v}, ptr {name}"));
        }
        Some(name)
    }

    fn spir_load(&mut self, data: &InstData) -> Option<Text> {
        let (pointer, result) = (data.id(0)?, data.result()?);
        if let Some(b) = self.system_values.get(&result).copied() {
            let shape = self.shape_of(result)?;
            if shape.len > 1 {
                // Its components are read where they are used.
                return None;
            }
            return Some(self.system_call(b, shape, None));
        }
        let ty = self.type_of(result);
        let (ty, p) = (self.x.ty(ty), self.typed(pointer));
        let (volatile, align) = Self::memory_operands(data, 1);
        Some(emit!(self, "load {volatile}{ty}, {p}{align}"))
    }

    /// `call i64 @_Z..__spirv_BuiltIn..i(i32 1)`.
    fn system_call(&mut self, b: BuiltIn, shape: Shape, index: Option<Text>) -> Text {
        let base = format!("__spirv_BuiltIn{b:?}");
        let (code, param) = if index.is_some() { ("i", "i32") } else { ("v", "") };
        let symbol = format!("_Z{}{base}{code}", base.len());
        self.x.declare(&symbol, &format!("declare spir_func {shape} @{symbol}({param})"));
        let arg = index.map_or(String::new(), |i| format!("i32 {i}"));
        emit!(self, "call spir_func {shape} @{symbol}({arg})")
    }

    /// A component of a system value.
    fn system_component(&mut self, data: &InstData) -> Option<Text> {
        let b = self.system_values.get(&data.id(0)?).copied()?;
        let shape = self.result_shape(data)?;
        let index = match data.literal(1) {
            Some(n) => n.to_string().into(),
            None => self.value(data.id(1)?),
        };
        Some(self.system_call(b, shape, Some(index)))
    }

    fn spir_chain(&mut self, data: &InstData, element: bool) -> Option<Text> {
        let base = data.id(0)?;
        let ty = self.pointee_of(base)?;
        let ty = self.x.ty(ty);
        let p = self.typed(base);
        let mut indices: Vec<String> = Vec::new();
        if !element {
            indices.push("i32 0".to_string());
        }
        for v in data.ids().skip(1) {
            indices.push(self.typed(v));
        }
        let inbounds = matches!(data.op, Opcode::Op(Op::InBoundsAccessChain | Op::InBoundsPtrAccessChain));
        let inbounds = if inbounds { "inbounds " } else { "" };
        Some(emit!(self, "getelementptr {inbounds}{ty}, {p}, {}", indices.join(", ")))
    }

    fn spir_copy(&mut self, data: &InstData) {
        let (Some(to), Some(from), Some(size)) = (data.id(0), data.id(1), data.id(2)) else { return };
        let space = |b: &Self, v: Value| {
            b.x.module.ctx.types.pointee(b.type_of(v)).map_or(0, |p| super::types::address_space(p.1))
        };
        let (a, b) = (space(self, to), space(self, from));
        let Some(shape) = self.shape_of(size) else { return };
        let volatile = data.literal(3).unwrap_or(0) & 1 != 0;
        let name = format!("llvm.memcpy.p{a}.p{b}.{}", shape.mangled());
        let (to, from, n) = (self.typed(to), self.typed(from), self.value(size));
        let pointer = |t: &str| t.rsplit_once(' ').map_or("ptr", |p| p.0).to_string();
        let text = format!("declare void @{name}({}, {}, {shape}, i1)", pointer(&to), pointer(&from));
        self.x.declare(&name, &text);
        self.line(format_args!("call void @{name}({to}, {from}, {shape} {n}, i1 {volatile})"));
    }

    /// A call of the function that stands for an instruction.
    fn spirv_call(&mut self, base: &str, postfix: &str, data: &InstData) -> Option<Text> {
        let mut name = base.to_string();
        let result = data.result().map(|v| self.type_of(v)).filter(|t| *self.kind(*t) != TypeKind::Void);
        let first = data.id(0).map(|v| self.type_of(v));
        let atomic = base.starts_with("__spirv_Atomic");
        if let Some(t) = result
            && !postfix.is_empty()
            && Some(t) != first
            && !atomic
            && !self.shape(t).is_some_and(Shape::is_bool)
        {
            name += postfix;
            name += &self.postfix_type(t);
        }
        for d in &data.decorations {
            match (d.kind, d.operands.first()) {
                (Decoration::SaturatedConversion, _) => name += "_sat",
                (Decoration::FPRoundingMode, Some(n)) => {
                    name += ["_rte", "_rtz", "_rtp", "_rtn"].get(*n as usize).copied().unwrap_or("");
                }
                _ => {}
            }
        }
        let mut mangler = Mangler::default();
        let (mut args, mut params) = (Vec::new(), Vec::new());
        for o in &data.operands {
            match o {
                Operand::Id(v) => {
                    let t = self.type_of(*v);
                    mangler.add(self.x.module, t);
                    params.push(self.x.ty(t).to_string());
                    args.push(self.typed(*v));
                }
                Operand::Literal(_) if base.starts_with("__spirv_GenericCastToPtrExplicit_To") => {
                    // The name tells.
                }
                Operand::Literal(n) => {
                    mangler.literal();
                    params.push("i32".to_string());
                    args.push(format!("i32 {n}"));
                }
                _ => {
                    self.refuse_inst(data);
                    return None;
                }
            }
        }
        let symbol = format!("_Z{}{name}{}", name.len(), mangler.finish());
        let ty = result.map_or_else(|| "void".into(), |t| self.x.ty(t));
        let text = format!("declare spir_func {ty} @{symbol}({})", params.join(", "));
        self.x.declare(&symbol, &text);
        let call = format!("call spir_func {ty} @{symbol}({})", args.join(", "));
        if result.is_none() {
            self.line(call);
            return None;
        }
        Some(emit!(self, "{call}"))
    }

    /// A type as names of functions spell it: `float4`.
    fn postfix_type(&self, t: Type) -> String {
        let Some(s) = self.shape(t) else { return format!("type{}", t.index()) };
        let scalar = match s.elem {
            Elem::Int(1) => "bool",
            Elem::Int(8) => "char",
            Elem::Int(16) => "short",
            Elem::Int(32) => "int",
            Elem::Int(_) => "long",
            Elem::Float(16) => "half",
            Elem::Float(32) => "float",
            Elem::Float(_) => "double",
        };
        if s.len > 1 { format!("{scalar}{}", s.len) } else { scalar.to_string() }
    }
}
