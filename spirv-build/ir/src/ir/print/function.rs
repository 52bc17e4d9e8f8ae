//! Text of functions.

use super::{Names, Unique, Written, types};
use crate::ir::entity::Entity;
use crate::ir::walk::{self, MAX_NESTING};
use crate::ir::{
    ADDRESS_OPS, Block, ConstKind, ExtSet, Func, Function, Inst, InstData, Module, Op, Opcode, Operand,
    ResourceOp, Type, Value, ValueDef,
};
use rustc_hash::FxHashMap;
use spirv_spec::{Category, Quantifier};
use std::fmt::Write;

struct Printer<'a> {
    module: &'a Module,
    names: &'a Names,
    f: &'a Function,
    /// Names by value; empty until named.
    values: Vec<String>,
    unique: Unique,
    next: u32,
    /// Numbers of the blocks of a plain graph, in the order of the text.
    labels: FxHashMap<Block, usize>,
    out: &'a mut String,
}

/// What kind of literal operand `index` of an instruction is, as far as its name tells.
pub(in crate::ir) fn literal_kind(op: Opcode, index: usize) -> Option<spirv_spec::Kind> {
    let Opcode::Op(op) = op else { return None };
    let operands = op.row()?.operands();
    let row = operands.get(index).or(operands.last().filter(|o| o.quantifier == Quantifier::Any))?;
    matches!(row.kind.category(), Category::BitEnum | Category::ValueEnum).then_some(row.kind)
}

/// The names of a value of an enumeration, and what none of them names.
fn enumerants(kind: spirv_spec::Kind, value: u32) -> Vec<String> {
    let mut rest = value;
    let mut names: Vec<String> = spirv_spec::enumerants(kind, value)
        .map(|e| {
            rest &= !e.value();
            e.name().to_string()
        })
        .collect();
    if rest != 0 && (names.is_empty() || kind.category() == Category::BitEnum) {
        names.push(format!("{rest:#x}"));
    }
    names
}

pub(super) fn print(module: &Module, names: &Names, func: Func, out: &mut String) {
    let Some(f) = module.functions.get(func) else { return };
    let values = vec![String::new(); f.values.len()];
    let labels = FxHashMap::default();
    let mut p = Printer { module, names, f, values, unique: Unique::default(), next: 0, labels, out };
    let _ = write!(p.out, "  spirv.func @{}(", names.func(func));
    for (i, v) in f.params.iter().enumerate() {
        p.out.push_str(if i > 0 { ", " } else { "" });
        p.typed(*v);
        p.decorations(*v);
    }
    p.out.push(')');
    if !matches!(module.ctx.types.iter().nth(f.result.index()), Some((_, crate::ir::TypeKind::Void))) {
        p.out.push_str(" -> ");
        p.ty(f.result);
    }
    let control = enumerants(spirv_spec::Kind::FunctionControl, f.control);
    let _ = write!(p.out, " \"{}\"", control.join("|"));
    let Some(body) = f.body else {
        p.out.push('\n');
        return;
    };
    p.out.push_str(" {\n");
    p.constants();
    let Some(region) = f.regions.get(body) else {
        p.out.push_str("    <no body>\n  }\n");
        return;
    };
    let labelled = region.blocks.len() > 1;
    if labelled {
        p.labels = region.blocks.iter().enumerate().map(|(i, b)| (*b, i)).collect();
    }
    for (i, b) in region.blocks.iter().enumerate() {
        if labelled {
            let _ = write!(p.out, "  ^bb{i}");
            if i > 0 {
                p.args(*b);
            }
            p.out.push_str(":\n");
        }
        p.block(*b, 0);
    }
    p.out.push_str("  }\n");
}

impl Printer<'_> {
    fn name(&mut self, v: Value) -> &str {
        if v.index() >= self.values.len() {
            return "<bad value>";
        }
        if self.values[v.index()].is_empty() {
            let hint = self.f.values[v].name.as_deref().unwrap_or("");
            let name = if hint.is_empty() {
                let n = self.next;
                self.next += 1;
                n.to_string()
            } else {
                self.unique.name(hint, "v")
            };
            self.values[v.index()] = name;
        }
        &self.values[v.index()]
    }

    fn value(&mut self, v: Value) {
        let name = self.name(v).to_string();
        let _ = write!(self.out, "%{}", Written(&name));
    }

    fn ty(&mut self, t: Type) {
        types::ty(self.module, self.names, t, 0, self.out);
    }

    fn type_of(&mut self, v: Value) {
        match self.f.values.get(v).map(|d| d.ty) {
            Some(t) => self.ty(t),
            None => self.out.push_str("<bad type>"),
        }
    }

    fn typed(&mut self, v: Value) {
        self.value(v);
        self.out.push_str(" : ");
        self.type_of(v);
    }

    fn decorations(&mut self, v: Value) {
        if self.f.values.get(v).is_some() {
            super::decorations(self.module, self.names, self.f.decorations_of(v), self.out);
        }
    }

    fn list(&mut self, values: &[Value]) {
        for (i, v) in values.iter().enumerate() {
            self.out.push_str(if i > 0 { ", " } else { "" });
            self.value(*v);
        }
    }

    fn args(&mut self, b: Block) {
        let args = self.f.blocks.get(b).map_or(Vec::new(), |d| d.args.clone());
        if args.is_empty() {
            return;
        }
        self.out.push('(');
        for (i, v) in args.iter().enumerate() {
            self.out.push_str(if i > 0 { ", " } else { "" });
            self.typed(*v);
            self.decorations(*v);
        }
        self.out.push(')');
    }

    /// Constants and addresses that the function uses, in the order of use.
    fn constants(&mut self) {
        let mut seen = vec![false; self.f.values.len()];
        let mut used = Vec::new();
        for inst in walk::insts(self.f) {
            let data = &self.f.insts[inst];
            for v in data.ids().chain(data.successors.iter().flat_map(|s| s.args.iter().copied())) {
                if let Some(slot) = seen.get_mut(v.index())
                    && !std::mem::replace(slot, true)
                    && matches!(self.f.values[v].def, ValueDef::Const(_) | ValueDef::Global(_))
                {
                    used.push(v);
                }
            }
        }
        for v in used {
            let text = match self.f.values[v].def {
                ValueDef::Const(c) if c.index() < self.module.ctx.consts.len() => {
                    let mut text = String::new();
                    types::constant(self.module, self.names, c, 0, &mut text);
                    let (hint, op) = match self.module.ctx.consts.kind(c) {
                        _ if self.names.consts.contains_key(&c) => {
                            (self.names.consts[&c].clone(), "spirv.mlir.referenceof")
                        }
                        ConstKind::Bool(b) => (b.to_string(), "spirv.Constant"),
                        ConstKind::Bits(_) if text.len() < 12 => {
                            let mut name = format!("c{}_", text.replace('-', "m").replace('.', "p"));
                            types::ty(self.module, self.names, self.module.ctx.consts.ty(c), 0, &mut name);
                            (name, "spirv.Constant")
                        }
                        ConstKind::Undef => ("undef".into(), "spirv.Undef"),
                        ConstKind::Null => ("null".into(), "spirv.Constant"),
                        ConstKind::Spec { id: Some(id), .. } => (format!("spec{id}"), "spirv.SpecConstant"),
                        ConstKind::Spec { .. } => ("spec".into(), "spirv.SpecConstant"),
                        ConstKind::Address(_) => ("address".into(), "spirv.Constant"),
                        ConstKind::Computed(op, _) if ADDRESS_OPS.contains(op) => {
                            ("address".into(), "spirv.Constant")
                        }
                        ConstKind::Computed(..) => ("computed".into(), "spirv.SpecConstant"),
                        _ => ("cst".into(), "spirv.Constant"),
                    };
                    let hint = self.f.values[v].name.as_deref().unwrap_or(&hint);
                    self.values[v.index()] = self.unique.name(hint, "cst");
                    if op == "spirv.Undef" { op.to_string() } else { format!("{op} {text}") }
                }
                ValueDef::Const(_) => "<bad constant>".into(),
                ValueDef::Global(g) => {
                    let name = self.names.global(g);
                    self.values[v.index()] = self.unique.name(name.0, "g");
                    format!("spirv.mlir.addressof @{name}")
                }
                _ => continue,
            };
            self.out.push_str("    ");
            self.value(v);
            let _ = write!(self.out, " = {text} : ");
            self.type_of(v);
            self.out.push('\n');
        }
    }

    fn indent(&mut self, depth: usize) {
        for _ in 0..depth + 2 {
            self.out.push_str("  ");
        }
    }

    fn block(&mut self, b: Block, depth: usize) {
        let f = self.f;
        let Some(data) = f.blocks.get(b) else {
            self.out.push_str("<bad block>\n");
            return;
        };
        for inst in &data.insts {
            self.indent(depth);
            self.inst(*inst, depth);
            self.out.push('\n');
        }
    }

    fn inst(&mut self, inst: Inst, depth: usize) {
        let f = self.f;
        let Some(data) = f.insts.get(inst) else {
            self.out.push_str("<bad instruction>");
            return;
        };
        let void = |v: &Value| {
            f.values.get(*v).is_some_and(|d| {
                d.ty.index() < self.names.structs.len()
                    && *self.module.ctx.types.kind(d.ty) == crate::ir::TypeKind::Void
            })
        };
        let results: Vec<Value> = data.results.iter().copied().filter(|v| !void(v)).collect();
        for (i, v) in results.iter().enumerate() {
            self.out.push_str(if i > 0 { ", " } else { "" });
            self.value(*v);
            if data.op.is_structured() {
                self.decorations(*v);
            }
        }
        self.out.push_str(if results.is_empty() { "" } else { " = " });
        self.out.push_str(if data.written_out { "written_out " } else { "" });
        match data.op {
            Opcode::Selection | Opcode::Switch | Opcode::Loop => self.structured(data, depth),
            _ => self.plain(data),
        }
        if !results.is_empty() && !data.op.is_structured() {
            self.out.push_str(" : ");
            self.type_of(results[0]);
        }
    }

    fn plain(&mut self, data: &InstData) {
        match data.op {
            Opcode::Op(op) => {
                let _ = write!(self.out, "spirv.{op:?}");
            }
            Opcode::Ext(set @ (ExtSet::Glsl | ExtSet::OpenCl), n) => {
                let prefix = if set == ExtSet::Glsl { "GL" } else { "CL" };
                let _ = match set.row(n) {
                    Some(row) => write!(self.out, "spirv.{prefix}.{}", row.name()),
                    None => write!(self.out, "spirv.{prefix}.{n}"),
                };
            }
            Opcode::Ext(set, n) => {
                let name = self.module.set_name(set).unwrap_or("<bad set>");
                let _ = write!(self.out, "spirv.ExtInst {name:?} {n}");
            }
            Opcode::Resource(ResourceOp::Counter) => self.out.push_str("spirv.resource.counter"),
            Opcode::Resource(ResourceOp::Same) => self.out.push_str("spirv.resource.same"),
            Opcode::Resource(ResourceOp::View) => self.out.push_str("spirv.resource.view"),
            Opcode::Merge => self.out.push_str("spirv.mlir.merge"),
            Opcode::Break => self.out.push_str("spirv.mlir.break"),
            Opcode::Continue => self.out.push_str("spirv.mlir.continue"),
            Opcode::Next => self.out.push_str("spirv.mlir.next"),
            Opcode::NextIf => self.out.push_str("spirv.mlir.next_if"),
            Opcode::Selection | Opcode::Switch | Opcode::Loop => {}
        }
        // The storage class of a variable is in its type.
        let operands = if data.op == Opcode::Op(Op::Variable) { data.operands.get(1..) } else { None };
        for (i, o) in operands.unwrap_or(&data.operands).iter().enumerate() {
            self.out.push_str(if i > 0 { ", " } else { " " });
            self.operand(data.op, i, *o);
        }
        for (i, s) in data.successors.iter().enumerate() {
            self.out.push_str(if i > 0 || !data.operands.is_empty() { ", " } else { " " });
            let _ = match self.labels.get(&s.block) {
                Some(n) => write!(self.out, "^bb{n}"),
                None => write!(self.out, "<bad block>"),
            };
            if !s.args.is_empty() {
                self.out.push('(');
                self.list(&s.args);
                self.out.push(')');
            }
        }
        super::decorations(self.module, self.names, &data.decorations, self.out);
    }

    fn operand(&mut self, op: Opcode, index: usize, operand: Operand) {
        match operand {
            Operand::Id(v) => self.value(v),
            Operand::Literal(n) => self.literal(op, index, n),
            Operand::Wide(n) => {
                let case = op == Opcode::Op(Op::Switch);
                let _ = write!(self.out, "{}{n}", if case { "" } else { "wide " });
            }
            Operand::Func(f) => {
                let _ = write!(self.out, "@{}", self.names.func(f));
            }
            Operand::Type(t) => self.ty(t),
        }
    }

    fn literal(&mut self, op: Opcode, index: usize, n: u32) {
        if let Some(kind) = literal_kind(op, index) {
            let names = enumerants(kind, n);
            if !names.is_empty() {
                let _ = write!(self.out, "<{}>", names.join("|"));
                return;
            }
        }
        let _ = write!(self.out, "{n}");
    }

    fn structured(&mut self, data: &InstData, depth: usize) {
        let inner = |p: &mut Self, at: usize| {
            p.out.push_str("{\n");
            match data.regions.get(at).and_then(|r| p.f.regions.get(*r)) {
                _ if depth >= MAX_NESTING => p.out.push_str("<nested too deeply>\n"),
                Some(r) => r.blocks.iter().for_each(|b| p.block(*b, depth + 1)),
                None => p.out.push_str("<no region>\n"),
            }
            p.indent(depth);
            p.out.push('}');
        };
        let first = |p: &Self, at: usize| {
            data.regions.get(at).and_then(|r| p.f.regions.get(*r)).and_then(|r| r.blocks.first().copied())
        };
        let ids: Vec<Value> = data.ids().collect();
        match data.op {
            Opcode::Selection => {
                self.out.push_str("spirv.mlir.selection ");
                self.list(&ids);
                self.control(data);
                self.result_types(data);
                inner(self, 0);
                let empty = data.results.is_empty()
                    && first(self, 1).and_then(|b| self.f.blocks.get(b)).is_some_and(|b| {
                        b.insts.len() == 1
                            && self.f.insts.get(b.insts[0]).is_some_and(|i| i.op == Opcode::Merge)
                    });
                if !empty {
                    self.out.push_str(" else ");
                    inner(self, 1);
                }
            }
            Opcode::Switch => {
                self.out.push_str("spirv.mlir.switch ");
                self.list(&ids);
                self.control(data);
                self.result_types(data);
                for at in 0..data.regions.len().max(1) {
                    self.out.push_str(if at > 0 { " " } else { "" });
                    if at == 0 {
                        self.out.push_str("default ");
                    } else {
                        self.out.push_str("case ");
                    }
                    let labels = data.operands.get(1..).unwrap_or(&[]);
                    for pair in labels.chunks(2) {
                        if let [Operand::Wide(n), Operand::Literal(region)] = pair
                            && *region as usize == at
                        {
                            let _ = write!(self.out, "{n} ");
                        }
                    }
                    inner(self, at);
                }
            }
            _ => {
                self.out.push_str("spirv.mlir.loop ");
                let args =
                    first(self, 0).and_then(|b| self.f.blocks.get(b)).map_or(Vec::new(), |b| b.args.clone());
                if !ids.is_empty() || !args.is_empty() {
                    self.out.push('(');
                    for i in 0..ids.len().max(args.len()) {
                        self.out.push_str(if i > 0 { ", " } else { "" });
                        args.get(i).into_iter().for_each(|a| self.value(*a));
                        self.out.push_str(" = ");
                        ids.get(i).into_iter().for_each(|v| self.value(*v));
                        self.out.push_str(" : ");
                        ids.get(i).or(args.get(i)).into_iter().for_each(|v| self.type_of(*v));
                        args.get(i).into_iter().for_each(|a| self.decorations(*a));
                    }
                    self.out.push_str(") ");
                }
                self.control(data);
                self.result_types(data);
                inner(self, 0);
                self.out.push_str(" continuing ");
                if let Some(b) = first(self, 1)
                    && self.f.blocks.get(b).is_some_and(|b| !b.args.is_empty())
                {
                    self.args(b);
                    self.out.push(' ');
                }
                inner(self, 1);
            }
        }
    }

    /// Hints for the consumer: `control<Unroll>`.
    fn control(&mut self, data: &InstData) {
        let (mask, number) = data.control;
        if data.control == (0, None) {
            return;
        }
        let is_loop = data.op == Opcode::Loop;
        let kind = if is_loop { spirv_spec::Kind::LoopControl } else { spirv_spec::Kind::SelectionControl };
        let number = number.map_or(String::new(), |n| format!(", {n}"));
        let (before, after) = if is_loop { ("", " ") } else { (" ", "") };
        let names = enumerants(kind, mask).join("|");
        let _ = write!(self.out, "{before}control<{names}{number}>{after}");
    }

    fn result_types(&mut self, data: &InstData) {
        let parens = data.results.len() > 1;
        if !data.results.is_empty() {
            if data.op != Opcode::Loop {
                self.out.push(' ');
            }
            self.out.push_str(if parens { "-> (" } else { "-> " });
            for (i, v) in data.results.iter().enumerate() {
                self.out.push_str(if i > 0 { ", " } else { "" });
                self.type_of(*v);
            }
            self.out.push_str(if parens { ")" } else { "" });
            self.out.push(' ');
        } else if data.op != Opcode::Loop {
            self.out.push(' ');
        }
    }
}
