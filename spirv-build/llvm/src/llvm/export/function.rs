//! Functions: names, blocks, and the writing of instructions.

use super::memory::Place;
use super::types::Shape;
use super::{Export, Flavor, constants};
use crate::ir::entity::Entity;
use crate::ir::{Const, Func, Function, InstData, Type, TypeKind, Value, ValueDef};
use crate::source::Span;
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;
use std::fmt::{Display, Write};
use std::rc::Rc;

/// What stands for a value in the text: a name or a constant.
pub(super) type Text = Rc<str>;

/// A block of the text.
pub(super) struct Written {
    pub label: String,
    pub phis: Vec<Phi>,
    pub code: String,
}

/// A phi, whose edges become known as they are written.
pub(super) struct Phi {
    pub name: Text,
    pub ty: Text,
    pub edges: Vec<(Text, usize)>,
}

/// A function being written.
pub(super) struct Body<'e, 'a> {
    pub x: &'e mut Export<'a>,
    pub f: &'a Function,
    pub func: Func,
    values: Vec<Option<Text>>,
    /// What is known of pointers beside their types.
    pub places: FxHashMap<Value, Place>,
    /// Bytes of the buffers that pointers out of tables point to.
    pub buffers: FxHashMap<Value, Text>,
    pub blocks: Vec<Written>,
    /// The block that is being written.
    pub current: usize,
    /// Structured operations around it.
    pub frames: Vec<super::control::Frame>,
    /// Names that are taken, with how often each was wanted again.
    names: FxHashMap<String, u32>,
    next: u32,
    /// Loads of system values that are taken apart (kernels only).
    pub system_values: super::spir_ops::SystemValues,
    /// What stands at the start of the entry block.
    pub prologue: String,
    /// Spec constants and constants made of them, as this function has them.
    specs: FxHashMap<Const, Text>,
    /// Of the instruction that is being written.
    pub span: Span,
}

/// Writes `  %name = text`.
macro_rules! emit {
    ($body:expr, $($arg:tt)*) => { $body.named(format_args!($($arg)*)) };
}
pub(super) use emit;

impl<'e, 'a> Body<'e, 'a> {
    pub fn new(x: &'e mut Export<'a>, func: Func) -> Body<'e, 'a> {
        let f = &x.module.functions[func];
        Body {
            x,
            f,
            func,
            values: vec![None; f.values.len()],
            places: FxHashMap::default(),
            buffers: FxHashMap::default(),
            blocks: Vec::new(),
            current: 0,
            frames: Vec::new(),
            names: FxHashMap::default(),
            next: 0,
            system_values: super::spir_ops::SystemValues::default(),
            prologue: String::new(),
            specs: FxHashMap::default(),
            span: f.span,
        }
    }

    /// Something that cannot be carried over.
    pub fn refuse(&mut self, what: impl Display) {
        let span = self.span;
        self.x.refuse(what, span);
    }

    /// An instruction that cannot be carried over. Its value is undefined from here on.
    pub fn refuse_inst(&mut self, data: &InstData) {
        let name = self.x.inst_name(data.op);
        self.refuse(name);
    }

    /// A name for a value that nothing else in the function has.
    pub fn name(&mut self, hint: &str) -> Text {
        let mut base: String = hint
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$') { c } else { '_' })
            .collect();
        if base.is_empty() || base.starts_with(|c: char| c.is_ascii_digit()) {
            base.insert(0, '_');
        }
        loop {
            let Some(n) = self.names.get_mut(&base) else {
                self.names.insert(base.clone(), 0);
                return format!("%{base}").into();
            };
            *n += 1;
            let name = format!("{base}.{n}");
            if !self.names.contains_key(&name) {
                self.names.insert(name.clone(), 0);
                return format!("%{name}").into();
            }
        }
    }

    /// Keeps a name from being given to anything else.
    pub fn reserve(&mut self, name: &str) {
        self.names.insert(name.trim_start_matches('%').to_string(), 0);
    }

    /// A new name without a meaning.
    pub fn fresh(&mut self) -> Text {
        loop {
            let name = format!("v{}", self.next);
            self.next += 1;
            let text = format!("%{name}").into();
            if let Entry::Vacant(free) = self.names.entry(name) {
                free.insert(0);
                return text;
            }
        }
    }

    /// Writes an instruction with a result.
    pub fn named(&mut self, text: std::fmt::Arguments<'_>) -> Text {
        let name = self.fresh();
        let _ = writeln!(self.blocks[self.current].code, "  {name} = {text}");
        name
    }

    /// Writes an instruction without one.
    pub fn line(&mut self, text: impl Display) {
        let _ = writeln!(self.blocks[self.current].code, "  {text}");
    }

    /// Adds a block that nothing leads to yet.
    pub fn new_block(&mut self, label: &str) -> usize {
        let label = self.name(label)[1..].to_string();
        self.blocks.push(Written { label, phis: Vec::new(), code: String::new() });
        self.blocks.len() - 1
    }

    /// A phi at the start of a block.
    pub fn phi(&mut self, block: usize, hint: Option<&str>, ty: Type) -> Text {
        let ty = self.x.ty(ty);
        let name = match hint {
            Some(hint) => self.name(hint),
            None => self.fresh(),
        };
        self.blocks[block].phis.push(Phi { name: name.clone(), ty, edges: Vec::new() });
        name
    }

    /// An edge from the current block, with the values of the phis there.
    pub fn edge(&mut self, to: usize, values: &[Text]) {
        let from = self.current;
        for (phi, v) in self.blocks[to].phis.iter_mut().zip(values) {
            phi.edges.push((v.clone(), from));
        }
    }

    pub fn label(&self, block: usize) -> String {
        format!("label %{}", self.blocks[block].label)
    }

    /// The blocks as text.
    pub fn finish(self) -> String {
        let mut out = String::new();
        for (i, b) in self.blocks.iter().enumerate() {
            if i > 0 || self.blocks.len() > 1 {
                let _ = writeln!(out, "{}{}:", if i > 0 { "\n" } else { "" }, b.label);
            }
            for phi in &b.phis {
                if phi.edges.is_empty() {
                    // Nothing leads here.
                    let _ = writeln!(out, "  {} = freeze {} poison", phi.name, phi.ty);
                    continue;
                }
                let edges: Vec<String> = phi
                    .edges
                    .iter()
                    .map(|(v, from)| format!("[ {v}, %{} ]", self.blocks[*from].label))
                    .collect();
                let _ = writeln!(out, "  {} = phi {} {}", phi.name, phi.ty, edges.join(", "));
            }
            if i == 0 {
                out.push_str(&self.prologue);
            }
            out.push_str(&b.code);
        }
        out
    }

    /// What stands for a value.
    pub fn value(&mut self, v: Value) -> Text {
        if let Some(text) = &self.values[v.index()] {
            return text.clone();
        }
        let text = match self.f.values[v].def {
            ValueDef::Const(c) => self.constant(c),
            ValueDef::Global(g) => self.global_address(g, v),
            // What an instruction that was refused would have given.
            ValueDef::Result(..) | ValueDef::Arg(..) => "poison".into(),
        };
        self.values[v.index()] = Some(text.clone());
        text
    }

    fn constant(&mut self, c: Const) -> Text {
        if !self.x.has_spec(c) {
            return self.x.constant(c, false);
        }
        if let Some(text) = self.specs.get(&c) {
            return text.clone();
        }
        let text = self.spec_constant(c);
        self.specs.insert(c, text.clone());
        text
    }

    /// The value of a spec constant or of a composite with such parts, read at the start of the function.
    fn spec_constant(&mut self, c: Const) -> Text {
        let module = self.x.module;
        let ty = module.ctx.consts.ty(c);
        let text = self.x.ty(ty);
        match module.ctx.consts.kind(c) {
            crate::ir::ConstKind::Spec { id: Some(id), .. } if self.x.flavor == Flavor::Spir64 => {
                let symbol = format!("_Z20__spirv_SpecConstanti{}", if &*text == "i1" { "b" } else { "i" });
                let value = self.x.constant(c, false);
                self.x.declare(&symbol, &format!("declare spir_func {text} @{symbol}(i32, {text})"));
                self.early(format_args!("call spir_func {text} @{symbol}(i32 {id}, {text} {value})"))
            }
            crate::ir::ConstKind::Spec { id: Some(id), .. } => {
                let memory = self.x.memory_ty(ty);
                let global = self.x.spec_global(*id, c);
                let align = self.x.align(ty);
                let mut v = self.early(format_args!("load {memory}, ptr {global}, align {align}"));
                if *text == *"i1" {
                    v = self.early(format_args!("icmp ne i8 {v}, 0"));
                }
                v
            }
            crate::ir::ConstKind::Composite(parts) => {
                let mut all: Text = "poison".into();
                for (i, p) in parts.iter().enumerate() {
                    let part = self.constant(*p);
                    let part_ty = self.x.ty(module.ctx.consts.ty(*p));
                    all = if matches!(module.ctx.types.kind(ty), TypeKind::Vector { .. }) {
                        self.early(format_args!("insertelement {text} {all}, {part_ty} {part}, i64 {i}"))
                    } else {
                        self.early(format_args!("insertvalue {text} {all}, {part_ty} {part}, {i}"))
                    };
                }
                all
            }
            _ => self.x.constant(c, false),
        }
    }

    /// Writes an instruction at the start of the function.
    pub fn early(&mut self, text: std::fmt::Arguments<'_>) -> Text {
        let name = self.fresh();
        let _ = writeln!(self.prologue, "  {name} = {text}");
        name
    }

    pub fn set(&mut self, v: Value, text: Text) {
        self.values[v.index()] = Some(text);
    }

    pub fn type_of(&self, v: Value) -> Type {
        self.f.values[v].ty
    }

    pub fn kind(&self, ty: Type) -> &'a TypeKind {
        self.x.module.ctx.types.kind(ty)
    }

    pub fn shape(&self, ty: Type) -> Option<Shape> {
        Shape::of(&self.x.module.ctx.types, ty)
    }

    pub fn shape_of(&self, v: Value) -> Option<Shape> {
        self.shape(self.type_of(v))
    }

    /// A value with its type in front.
    pub fn typed(&mut self, v: Value) -> String {
        let ty = self.type_of(v);
        let ty = self.x.ty(ty);
        format!("{ty} {}", self.value(v))
    }

    /// The value of an operand that must be a constant.
    pub fn constant_operand(&self, v: Value) -> Option<u64> {
        self.x.module.ctx.consts.bits(self.f.as_const(v)?)
    }

    /// Writes one instruction that is neither structured nor a terminator.
    pub fn inst(&mut self, data: &'a InstData) {
        self.span = data.span;
        let result = match self.x.flavor {
            Flavor::Host => self.host(data),
            Flavor::Spir64 => self.spir(data),
        };
        if let (Some(v), Some(text)) = (data.result(), result) {
            self.set(v, text);
        }
    }

    /// A call of an intrinsic whose operands have the result's shape, named by that alone.
    pub fn intrinsic(&mut self, name: &str, shape: Shape, args: &[&Text]) -> Text {
        let typed: Vec<(Shape, Text)> = args.iter().map(|a| (shape, (*a).clone())).collect();
        self.call_intrinsic(&format!("llvm.{name}.{}", shape.mangled()), shape, &typed)
    }

    /// A call of a function that is declared on the way.
    pub fn call_intrinsic(&mut self, name: &str, result: Shape, args: &[(Shape, Text)]) -> Text {
        let types: Vec<String> = args.iter().map(|a| a.0.to_string()).collect();
        self.x.declare(name, &format!("declare {result} @{name}({})", types.join(", ")));
        let args: Vec<String> = args.iter().map(|(s, v)| format!("{s} {v}")).collect();
        emit!(self, "call {result} @{name}({})", args.join(", "))
    }

    /// A function of C's mathematical library, called for each component.
    pub fn libm(&mut self, name: &str, shape: Shape, args: &[&Text]) -> Text {
        let scalar = shape.scalar();
        // There are no functions on halves.
        let wide = if shape.width() == 16 { Shape::float(32) } else { scalar };
        let name = if wide.width() == 64 { name.to_string() } else { format!("{name}f") };
        self.each(shape, args, |b, parts| {
            let typed: Vec<(Shape, Text)> = parts
                .iter()
                .map(|p| {
                    let v = if wide == scalar { p.clone() } else { emit!(b, "fpext {scalar} {p} to {wide}") };
                    (wide, v)
                })
                .collect();
            let v = b.call_intrinsic(&name, wide, &typed);
            if wide == scalar { v } else { emit!(b, "fptrunc {wide} {v} to {scalar}") }
        })
    }

    /// Does something to each component of vectors of one shape, or to scalars.
    pub fn each(
        &mut self,
        shape: Shape,
        args: &[&Text],
        mut component: impl FnMut(&mut Self, &[Text]) -> Text,
    ) -> Text {
        if shape.len == 1 {
            let parts: Vec<Text> = args.iter().map(|a| (*a).clone()).collect();
            return component(self, &parts);
        }
        let mut all: Text = "poison".into();
        for i in 0..shape.len {
            let parts: Vec<Text> = args.iter().map(|a| self.element(shape, a, i)).collect();
            let v = component(self, &parts);
            all = emit!(self, "insertelement {shape} {all}, {} {v}, i64 {i}", shape.elem);
        }
        all
    }

    pub fn element(&mut self, shape: Shape, v: &Text, i: u8) -> Text {
        emit!(self, "extractelement {shape} {v}, i64 {i}")
    }

    /// A scalar in each component of a shape.
    pub fn splat(&mut self, shape: Shape, v: &Text) -> Text {
        if shape.len == 1 {
            return v.clone();
        }
        let one = emit!(self, "insertelement {shape} poison, {} {v}, i64 0", shape.elem);
        let mask = Shape { len: shape.len, ..Shape::I32 };
        emit!(self, "shufflevector {shape} {one}, {shape} poison, {mask} zeroinitializer")
    }

    /// `op shape a, b`.
    pub fn bin(&mut self, op: &str, shape: Shape, a: &Text, b: &Text) -> Text {
        emit!(self, "{op} {shape} {a}, {b}")
    }

    pub fn select(&mut self, condition: &Text, shape: Shape, a: &Text, b: &Text) -> Text {
        emit!(self, "select {} {condition}, {shape} {a}, {shape} {b}", shape.bools())
    }

    /// A change of type.
    pub fn cast(&mut self, op: &str, from: Shape, v: &Text, to: Shape) -> Text {
        if from == to { v.clone() } else { emit!(self, "{op} {from} {v} to {to}") }
    }

    /// An unsigned integer of another width.
    pub fn resize(&mut self, from: Shape, v: &Text, to: Shape) -> Text {
        let op = if from.width() < to.width() { "zext" } else { "trunc" };
        self.cast(op, from, v, to)
    }

    /// An integer constant in each component.
    pub fn int(&self, shape: Shape, n: i64) -> Text {
        let width = shape.width();
        let mask = if width >= 64 { u64::MAX } else { (1 << width) - 1 };
        constants::splat(shape, n as u64 & mask)
    }

    /// A float constant in each component.
    pub fn float(&self, shape: Shape, x: f64) -> Text {
        constants::float(shape, x)
    }

    /// The texts of the value operands.
    pub fn ids(&mut self, data: &InstData) -> Vec<Text> {
        data.ids().map(|v| self.value(v)).collect()
    }

    /// Shape of the result.
    pub fn result_shape(&self, data: &InstData) -> Option<Shape> {
        self.shape_of(data.result()?)
    }

    /// Flags that decorations of an arithmetic instruction ask for, with a space in front.
    pub fn flags(&self, data: &InstData) -> String {
        let mut out = String::new();
        for d in &data.decorations {
            match d.kind {
                spirv_spec::Decoration::FPFastMathMode => {
                    let mode = d.word(0).unwrap_or(0);
                    // Fast allows all of them.
                    const FAST: u32 = 16;
                    if mode & FAST != 0 {
                        out.push_str(" fast");
                        continue;
                    }
                    let names = ["nnan", "ninf", "nsz", "arcp"];
                    for (i, name) in names.iter().enumerate().filter(|(i, _)| mode >> i & 1 != 0) {
                        let _ = i;
                        out.push(' ');
                        out.push_str(name);
                    }
                }
                spirv_spec::Decoration::NoSignedWrap => out.push_str(" nsw"),
                spirv_spec::Decoration::NoUnsignedWrap => out.push_str(" nuw"),
                _ => {}
            }
        }
        out
    }
}
