//! Functions and plain instructions.

use super::control::Frame;
use super::{Writer, begin, end, inst, limits};
use crate::diag::Finding;
use crate::ir::entity::Entity;
use crate::ir::walk::MAX_NESTING;
use crate::ir::{
    Block, ExtSet, Func, Function, InstData, Op, Opcode, Operand, Region, StorageClass, Type, TypeKind,
    Value, ValueDef,
};
use crate::source::Span;

/// Writes one function.
pub(super) fn write(w: &mut Writer<'_>, func: Func) -> Result<(), Box<Finding>> {
    let f = &w.module.functions[func];
    let id = w.func_id(func);
    w.name(id, &f.name);
    let mut signature = vec![w.type_id(f.result)];
    signature.extend(f.params.iter().map(|p| w.type_id(f.values[*p].ty)));
    let ty = w.function_type(signature);
    let words = [w.type_id(f.result), id, super::decls::function_control(f.control), ty];
    inst(&mut w.code, Op::Function, &words);
    let mut b = Body { w, f, ids: vec![0; f.values.len()], label: 0, frames: Vec::new() };
    for p in &f.params {
        let words = [b.type_of(*p), b.value(*p)];
        inst(&mut b.w.code, Op::FunctionParameter, &words);
    }
    for p in &f.params {
        b.decorate(*p);
    }
    if let Some(body) = f.body.filter(|r| f.regions[*r].blocks.len() > 1) {
        b.graph(body)?;
    } else if let Some(body) = f.body {
        let block = b.only_block(body, f.span)?;
        b.w.shader_debug_function(func);
        let label = b.w.id();
        b.begin(label);
        b.block(block, 0)?;
    }
    inst(&mut w.code, Op::FunctionEnd, &[]);
    Ok(())
}

impl Writer<'_> {
    pub(super) fn func_id(&mut self, f: Func) -> u32 {
        if self.funcs[f.index()] == 0 {
            self.funcs[f.index()] = self.id();
        }
        self.funcs[f.index()]
    }
}

/// A function being written.
pub(super) struct Body<'w, 'a> {
    pub(super) w: &'w mut Writer<'a>,
    pub(super) f: &'a Function,
    ids: Vec<u32>,
    /// Label of the block that is being written.
    pub(super) label: u32,
    /// Structured operations around it.
    pub(super) frames: Vec<Frame>,
}

/// An error at a source location.
pub(super) fn error(span: Span, message: impl Into<String>) -> Box<Finding> {
    Box::new(Finding::internal(span, message))
}

impl<'a> Body<'_, 'a> {
    pub(super) fn only_block(&self, region: Region, span: Span) -> Result<Block, Box<Finding>> {
        match self.f.regions[region].blocks[..] {
            [block] => Ok(block),
            _ => Err(error(span, "control flow is not structured")),
        }
    }

    pub(super) fn begin(&mut self, label: u32) {
        self.label = label;
        self.w.no_line();
        self.w.shader_debug_block();
        inst(&mut self.w.code, Op::Label, &[label]);
    }

    pub(super) fn type_of(&self, v: Value) -> u32 {
        self.w.type_id(self.ir_type(v))
    }

    fn ir_type(&self, v: Value) -> Type {
        self.f.values[v].ty
    }

    /// The number of a value; results get theirs when first named.
    pub(super) fn value(&mut self, v: Value) -> u32 {
        let data = &self.f.values[v];
        match data.def {
            ValueDef::Const(c) => self.w.consts[c.index()],
            ValueDef::Global(g) => self.w.globals[g.index()],
            ValueDef::Result(..) | ValueDef::Arg(..) => {
                if self.ids[v.index()] == 0 {
                    let id = self.w.id();
                    self.ids[v.index()] = id;
                    // What has no storage any more is not worth a name.
                    if let (Some(name), true) = (&data.name, self.has_storage(v)) {
                        self.w.name(id, name);
                    }
                }
                self.ids[v.index()]
            }
        }
    }

    /// The variables and parameters of the function that are memory, with their ids.
    fn memory(&self) -> Vec<(Value, u32)> {
        let types = &self.w.module.ctx.types;
        let is_memory = |v: &Value| {
            matches!(types.kind(self.ir_type(*v)), TypeKind::Pointer { storage: StorageClass::Function, .. })
                && self.has_storage(*v)
        };
        let all = self.f.values.keys().filter(is_memory).map(|v| (v, self.ids[v.index()]));
        all.filter(|(_, id)| *id != 0).collect()
    }

    /// Whether a value is a variable or a parameter.
    fn has_storage(&self, v: Value) -> bool {
        match self.f.values[v].def {
            ValueDef::Result(i, _) => self.f.insts[i].op == Opcode::Op(Op::Variable),
            _ => self.f.params.contains(&v),
        }
    }

    /// Makes a value another name for a number.
    pub(super) fn alias(&mut self, v: Value, id: u32) {
        self.ids[v.index()] = id;
    }

    /// Instructions of a block up to and including its terminator. The label is already written.
    pub(super) fn block(&mut self, block: Block, depth: usize) -> Result<(), Box<Finding>> {
        if self.insts(block, depth, false)? {
            return Err(error(self.f.span, "a block has no terminator"));
        }
        Ok(())
    }

    /// The same without the `Merge` that ends the block: what comes next is written after it. Tells whether its end is
    /// reached.
    pub(super) fn straight(&mut self, block: Block, depth: usize) -> Result<bool, Box<Finding>> {
        self.insts(block, depth, true)
    }

    fn insts(&mut self, block: Block, depth: usize, straight: bool) -> Result<bool, Box<Finding>> {
        let f = self.f;
        for i in &f.blocks[block].insts {
            let data = &f.insts[*i];
            if straight && data.op == Opcode::Merge {
                return Ok(true);
            }
            if self.w.shader_debug.is_some() && !matches!(data.op, Opcode::Op(Op::Variable | Op::Phi)) {
                let ids = if self.w.defines_function() { self.memory() } else { Vec::new() };
                self.w.shader_debug_at(f, *i, &ids);
            }
            let goes_on = match data.op {
                _ if depth > MAX_NESTING => {
                    return Err(error(data.span, "control flow is nested too deeply"));
                }
                Opcode::Selection => self.selection(data, depth)?,
                Opcode::Switch => self.switch(data, depth)?,
                Opcode::Loop => self.loop_op(data, depth)?,
                op if op.is_terminator() => {
                    self.terminator(data)?;
                    false
                }
                _ => {
                    self.plain(data)?;
                    true
                }
            };
            if !goes_on {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn operands(&mut self, operands: &[Operand]) {
        for o in operands {
            let word = match *o {
                Operand::Id(v) => self.value(v),
                Operand::Literal(n) => n,
                Operand::Wide(n) => {
                    self.w.code.push(n as u32);
                    (n >> 32) as u32
                }
                Operand::Func(f) => self.w.func_id(f),
                Operand::Type(t) => self.w.type_id(t),
            };
            self.w.code.push(word);
        }
    }

    /// An instruction that is no terminator and owns no regions.
    pub(super) fn plain(&mut self, data: &InstData) -> Result<(), Box<Finding>> {
        if self.w.debug.is_some() && !matches!(data.op, Opcode::Op(Op::Variable | Op::Phi)) {
            self.w.line(data.span);
        }
        let op = match data.op {
            Opcode::Op(op) => op,
            Opcode::Ext(..) => Op::ExtInst,
            // `block` has sent the structured ones elsewhere.
            _ => Op::Nop,
        };
        // What numbers are given to meanwhile goes into other sections.
        let start = begin(&mut self.w.code, op);
        let mut result = 0;
        if let Some(v) = data.result() {
            result = self.value(v);
            let ty = self.type_of(v);
            self.w.code.extend([ty, result]);
        }
        if let Opcode::Ext(set, number) = data.op {
            let set = self.w.ext_set(set);
            self.w.code.extend([set, number]);
        }
        let mut operands = &data.operands[..];
        if let (Opcode::Ext(ExtSet::DebugPrintf, _), [Operand::Literal(n), rest @ ..]) = (data.op, operands) {
            let text = self.w.string_id(*n, data.span)?;
            self.w.code.push(text);
            operands = rest;
        }
        self.operands(operands);
        end(&mut self.w.code, start);
        limits::check_inst(data, self.w.code.len() - start)?;
        for d in &data.decorations {
            self.w.decorate_as(result, d);
        }
        Ok(())
    }

    /// Decorates a parameter or what became a phi.
    pub(super) fn decorate(&mut self, v: Value) {
        let f = self.f;
        let list = f.decorations_of(v);
        if !list.is_empty() {
            let id = self.value(v);
            list.iter().for_each(|d| self.w.decorate_as(id, d));
        }
    }
}
