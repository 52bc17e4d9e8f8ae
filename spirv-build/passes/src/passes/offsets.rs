//! Offsets of samples, which Vulkan wants to be constant: what becomes constant only once calls are inlined and loops unrolled is
//! computed here.

use super::pass::plain_pass;
use crate::analysis::Preserved;
use crate::analysis::tables::{self, Tables};
use crate::diag::{Code, Finding};
use crate::ir::entity::Entity;
use crate::ir::fold::{self, Arg};
use crate::ir::walk;
use crate::ir::{Const, Context, Function, InstData, Module, Op, Opcode, Operand, Value};
use crate::source::Span;
use rustc_hash::FxHashMap;
use spirv_spec::ImageOperands;

/// How far back an offset is followed.
const MAX_DEPTH: u32 = 64;

/// Which operand of an instruction is an offset that must be constant.
pub(super) fn offset_of(data: &InstData) -> Option<usize> {
    // The mask is the only literal; operands that come before the offset's follow it.
    let at = data.operands.iter().position(|o| matches!(o, Operand::Literal(_)))?;
    let Opcode::Op(op) = data.op else { return None };
    let samples = matches!(
        op,
        Op::ImageSampleImplicitLod
            | Op::ImageSampleExplicitLod
            | Op::ImageSampleDrefImplicitLod
            | Op::ImageSampleDrefExplicitLod
            | Op::ImageSparseSampleImplicitLod
            | Op::ImageSparseSampleExplicitLod
            | Op::ImageSparseSampleDrefImplicitLod
            | Op::ImageSparseSampleDrefExplicitLod
    );
    let mask = ImageOperands(data.literal(at).unwrap_or(0));
    if !samples || !mask.contains(ImageOperands::CONST_OFFSET) {
        return None;
    }
    let before = [(ImageOperands::BIAS, 1), (ImageOperands::LOD, 1), (ImageOperands::GRAD, 2)];
    Some(at + 1 + before.iter().filter(|(bit, _)| mask.contains(*bit)).map(|(_, words)| words).sum::<usize>())
}

/// Where an image is sampled with an offset that is not constant, which Vulkan does not have.
pub fn variable_offsets(module: &Module) -> Vec<Span> {
    let mut found = Vec::new();
    let reached = walk::reached(module);
    for (_, f) in module.functions.iter().filter(|(f, _)| reached[f.index()]) {
        for inst in walk::insts(f) {
            let data = &f.insts[inst];
            if let Some(at) = offset_of(data)
                && data.id(at).is_none_or(|v| f.as_const(v).is_none())
            {
                found.push(data.span);
            }
        }
    }
    found
}

plain_pass! {
    /// Makes offsets constants that are computed of constants.
    Offsets, "offsets", run, Preserved::STRUCTURE
}

/// Tells whether there was one.
fn run(module: &mut Module) -> bool {
    if variable_offsets(module).is_empty() {
        return false;
    }
    let tables = Tables::of(module);
    let Module { ctx, functions, .. } = module;
    let mut changed = false;
    for (_, f) in functions.iter_mut() {
        let mut found = Vec::new();
        let mut fold = Fold { ctx, tables: &tables, f, known: FxHashMap::default() };
        for inst in walk::insts(f) {
            let data = &f.insts[inst];
            if let Some(at) = offset_of(data)
                && let Some(v) = data.id(at).filter(|v| f.as_const(*v).is_none())
                && let Some(c) = fold.value(v, 0)
            {
                found.push((inst, at, c));
            }
        }
        changed |= !found.is_empty();
        for (inst, at, c) in found {
            let value = f.const_value(c, ctx.consts.ty(c));
            f.insts[inst].operands[at] = Operand::Id(value);
        }
    }
    changed
}

/// What is wrong with the offsets that stay variable.
pub fn check(module: &Module) -> Vec<Finding> {
    let finding = |span| {
        Finding::new(Code::NotSupported, span, "an offset that is known at run time only")
            .help("Vulkan allows constant offsets only; add the offset to the coordinates instead")
    };
    variable_offsets(module).into_iter().map(finding).collect()
}

struct Fold<'m> {
    ctx: &'m mut Context,
    tables: &'m Tables,
    f: &'m Function,
    /// What was computed before: `x + x` asks for each twice.
    known: FxHashMap<Value, Const>,
}

impl Fold<'_> {
    /// The constant that a value is.
    fn value(&mut self, v: Value, depth: u32) -> Option<Const> {
        if let Some(known) = self.known.get(&v) {
            return Some(*known);
        }
        // What fails ends the whole.
        let value = if depth > MAX_DEPTH { None } else { self.computed(v, depth) }?;
        self.known.insert(v, value);
        Some(value)
    }

    fn computed(&mut self, v: Value, depth: u32) -> Option<Const> {
        if let Some(c) = self.f.as_const(v) {
            return Some(c);
        }
        let f = self.f;
        let data = &f.insts[f.def_inst(v)?];
        let Opcode::Op(op) = data.op else { return None };
        if op == Op::Load {
            let pointer = data.id(0)?;
            let (_, indices) = tables::place(f, pointer)?;
            let known: Option<Vec<Const>> = indices.iter().map(|i| self.value(*i, depth + 1)).collect();
            let mut known = known?.into_iter();
            return self.tables.load(self.ctx, f, pointer, |_, _| known.next());
        }
        // A part of a constant may be known though not all of it is.
        let mut args = Vec::with_capacity(data.operands.len());
        for o in &data.operands {
            args.push(match *o {
                Operand::Id(v) => Arg::Const(self.value(v, depth + 1)?),
                Operand::Literal(n) => Arg::Literal(n),
                _ => return None,
            });
        }
        fold::fold(self.ctx, op, f.values[v].ty, &args)
    }
}
