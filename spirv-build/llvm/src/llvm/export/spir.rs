//! The `spir64` flavour: kernels of OpenCL's flavour as Khronos' "SPIR-V representation in LLVM IR" has them, so that
//! [`crate::llvm::import`] reads the same module again.
//!
//! | SPIR-V | LLVM IR |
//! | --- | --- |
//! | storage classes | address spaces 0 to 6 |
//! | entry points | `spir_kernel` functions with `reqd_work_group_size` and other metadata |
//! | what LLVM has instructions for | these instructions |
//! | `CompositeConstruct` | a chain of `insertelement` or `insertvalue`, which the importer takes together again |
//! | decorations of parameters and variables | attributes, or `!spirv.ParameterDecorations` and `!spirv.Decorations` |
//! | everything else | calls of `__spirv_<Op>`, `__spirv_ocl_<name>` by mangled names, literals as `i32` |
//! | system values | calls of `__spirv_BuiltIn<Name>`, or loads of variables called so |
//! | pointer bitcasts | nothing: LLVM's pointers have no types |
//!
//! Structured operations become plain blocks: kernels need no merge instructions.

use super::function::Body;
use super::{Export, control_attributes};
use crate::ir::entity::Entity;
use crate::ir::{ConstTable, DecorationOperand, Func, KernelArg, ScalarKind, StorageClass, TypeKind, Value};
use spirv_spec::{Decoration, ExecutionMode, LinkageType};
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
    fn decorations<'d>(
        &mut self,
        consts: &ConstTable,
        list: impl Iterator<Item = &'d crate::ir::Decoration>,
    ) -> usize {
        let operand = |o: &DecorationOperand| match o {
            DecorationOperand::Literal(n) => format!("i32 {n}"),
            DecorationOperand::Text(text) => format!("!{}", string(text)),
            DecorationOperand::Const(c) => format!("i32 {}", consts.bits(*c).unwrap_or(0)),
            // No decoration that names a variable is one of kernels.
            DecorationOperand::Global(_) => "i32 0".into(),
        };
        let nodes: Vec<String> = list
            .map(|d| {
                let operands = d
                    .operands
                    .iter()
                    .fold(format!("i32 {}", d.kind.0), |t, o| format!("{t}, {}", operand(o)));
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

impl Export<'_> {
    /// The whole module.
    pub fn spir_module(&mut self, out: &mut String) {
        let wide = self.module.addressing != spirv_spec::AddressingModel::Physical32;
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
                if let Some(b) = data.builtin() {
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
            let constant = data.decorations.has(Decoration::Constant)
                || data.storage == StorageClass::UniformConstant && data.init.is_some();
            let what = if constant { "constant" } else { "global" };
            let align = data.decorations.word(Decoration::Alignment);
            let align = align.map_or(String::new(), |n| format!(", align {n}"));
            let link = data.decorations.linkage().map(|l| l.1);
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
            let known = [Decoration::Constant, Decoration::Alignment, Decoration::LinkageAttributes];
            let others = data.decorations.iter().filter(|d| !known.contains(&d.kind));
            let others: Vec<&crate::ir::Decoration> = others.collect();
            let mut facts = String::new();
            if !others.is_empty() {
                let list = self.metadata.decorations(&module.ctx.consts, others.into_iter());
                let _ = write!(facts, ", !spirv.Decorations !{list}");
            }
            let _ =
                writeln!(self.head, "@{name} = {linkage}addrspace({space}) {what} {ty}{value}{align}{facts}");
        }
    }

    fn spir_function(&mut self, func: Func, out: &mut String) {
        let f = &self.module.functions[func];
        let entry = self.module.entry_points.iter().position(|e| e.func == func);
        let link = f.decorations.linkage();
        let result = self.ty(f.result);
        let name = match entry {
            Some(i) => self.entry_names[i].clone(),
            None => self.func_names[func.index()].clone(),
        };
        let mut b = Body::new(self, func);
        let mut params = Vec::new();
        for p in &f.params {
            let name = b.name(f.values[*p].name.as_deref().filter(|n| !n.is_empty()).unwrap_or("arg"));
            let ty = b.type_of(*p);
            let mut text = b.x.ty(ty).to_string();
            for d in f.decorations_of(*p) {
                let attribute = d.word(0).filter(|_| d.kind == Decoration::FuncParamAttr);
                let Some((number, attribute)) = attribute.and_then(|n| ATTRIBUTES.iter().find(|a| a.0 == n))
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
            let number = d.word(0).filter(|_| d.kind == Decoration::FuncParamAttr);
            number.is_some_and(|n| ATTRIBUTES.iter().any(|a| a.0 == n))
        };
        if f.params.iter().flat_map(|p| f.decorations_of(*p)).any(|d| !attribute(d)) {
            let others = |p: &Value| f.decorations_of(*p).iter().filter(|d| !attribute(d));
            let consts = &self.module.ctx.consts;
            let mut list = |p| format!("!{}", self.metadata.decorations(consts, others(p)));
            let lists: Vec<String> = f.params.iter().map(&mut list).collect();
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
        for m in &e.modes {
            let (mode, Some(operands)) = (m.kind, m.known_words(&self.module.ctx.consts)) else {
                let span = self.module.functions[e.func].span;
                self.refuse("an execution mode that is known once constants are", span);
                continue;
            };
            let kind = match mode {
                ExecutionMode::LocalSizeHint => "work_group_size_hint",
                ExecutionMode::SubgroupSize => "intel_reqd_sub_group_size",
                _ => {
                    let mut text = format!("ptr @{name}, i32 {}", mode.0);
                    if !operands.is_empty() {
                        let _ = write!(text, ", {}", list(&operands));
                    }
                    let node = self.metadata.node(text);
                    self.metadata.add("spirv.ExecutionMode", node);
                    continue;
                }
            };
            let node = self.metadata.node(list(&operands));
            let _ = write!(out, " !{kind} !{node}");
        }
        let args = &self.module.functions[e.func].args;
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
        ScalarKind::Bool => "bool".into(),
        ScalarKind::Address => "ulong".into(),
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
