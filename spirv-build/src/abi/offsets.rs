//! Offsets of samples, which Vulkan wants to be constant: what becomes constant only once calls are inlined and loops unrolled is
//! computed here.

use crate::ir::entity::Entity;
use crate::ir::walk;
use crate::ir::{
    Const, ConstKind, ConstTable, Function, Global, InstData, Module, Op, Opcode, Operand, StorageClass,
    TypeTable, Value, ValueDef,
};
use crate::source::Span;
use rustc_hash::FxHashMap;
use spirv_spec::ImageOperands;

/// How far back an offset is followed.
const MAX_DEPTH: u32 = 64;

/// Which operand of an instruction is an offset that must be constant.
fn offset_of(data: &InstData) -> Option<usize> {
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

/// Makes offsets constants that are computed of constants; tells whether there was one.
pub fn fold(module: &mut Module) -> bool {
    if variable_offsets(module).is_empty() {
        return false;
    }
    let written = written_globals(module);
    let mut found = Vec::new();
    for (func, f) in module.functions.iter() {
        let mut fold = Fold { module, f, written: &written, known: FxHashMap::default() };
        for inst in walk::insts(f) {
            let data = &f.insts[inst];
            if let Some(at) = offset_of(data)
                && let Some(v) = data.id(at).filter(|v| f.as_const(*v).is_none())
                && let Some(bits) = fold.value(v, 0)
            {
                found.push((func, inst, at, f.values[v].ty, bits));
            }
        }
    }
    let changed = !found.is_empty();
    for (func, inst, at, ty, bits) in found {
        let ctx = &mut module.ctx;
        let scalar = ctx.types.scalar_of(ty);
        let parts: Vec<Const> =
            bits.iter().map(|b| ctx.constant(scalar, ConstKind::Bits(u64::from(*b)))).collect();
        let c = match parts[..] {
            [one] => one,
            _ => ctx.constant(ty, ConstKind::Composite(parts)),
        };
        let f = &mut module.functions[func];
        let value = f.const_value(c, ty);
        f.insts[inst].operands[at] = Operand::Id(value);
    }
    changed
}

/// Globals that may hold something else than their first value.
fn written_globals(module: &Module) -> Vec<bool> {
    let mut written = vec![false; module.globals.len()];
    for (_, f) in module.functions.iter() {
        for inst in walk::insts(f) {
            let data = &f.insts[inst];
            let reads = matches!(data.op, Opcode::Op(Op::Load | Op::AccessChain | Op::InBoundsAccessChain));
            let passed = data.successors.iter().flat_map(|s| s.args.iter().copied());
            for v in data.ids().filter(|_| !reads).chain(passed) {
                if let Some((g, _)) = element(f, v) {
                    written[g.index()] = true;
                }
            }
        }
    }
    written
}

/// The global that a pointer is in, and the indices that lead to it.
fn element(f: &Function, pointer: Value) -> Option<(Global, Vec<Value>)> {
    let mut indices = Vec::new();
    let mut at = pointer;
    for _ in 0..MAX_DEPTH {
        if let ValueDef::Global(g) = f.values.get(at)?.def {
            return Some((g, indices));
        }
        let data = &f.insts[f.def_inst(at)?];
        if !matches!(data.op, Opcode::Op(Op::AccessChain | Op::InBoundsAccessChain)) {
            return None;
        }
        let mut longer: Vec<Value> = data.ids().skip(1).collect();
        longer.append(&mut indices);
        (indices, at) = (longer, data.id(0)?);
    }
    None
}

struct Fold<'m> {
    module: &'m Module,
    f: &'m Function,
    written: &'m [bool],
    /// What was computed before: `x + x` asks for each twice.
    known: FxHashMap<Value, Vec<u32>>,
}

impl Fold<'_> {
    /// The components of a value of 32-bit integers.
    fn value(&mut self, v: Value, depth: u32) -> Option<Vec<u32>> {
        if let Some(known) = self.known.get(&v) {
            return Some(known.clone());
        }
        // What fails ends the whole.
        let value = if depth > MAX_DEPTH { None } else { self.computed(v, depth) }?;
        self.known.insert(v, value.clone());
        Some(value)
    }

    fn computed(&mut self, v: Value, depth: u32) -> Option<Vec<u32>> {
        let (module, f) = (self.module, self.f);
        let (types, consts) = (&module.ctx.types, &module.ctx.consts);
        let ty = f.values.get(v)?.ty;
        if let Some(c) = f.as_const(v) {
            return components(types, consts, c);
        }
        types.int_signed(types.scalar_of(ty)).filter(|_| types.width_of(ty) == Some(32))?;
        let data = &f.insts[f.def_inst(v)?];
        let Opcode::Op(op) = data.op else { return None };
        let mut part = |i: usize| self.value(data.id(i)?, depth + 1);
        let mut both = |of: fn(u32, u32) -> u32| {
            let (a, b) = (part(0)?, part(1)?);
            (a.len() == b.len()).then(|| a.iter().zip(&b).map(|(a, b)| of(*a, *b)).collect())
        };
        match op {
            Op::CompositeConstruct => {
                let parts: Option<Vec<Vec<u32>>> = data.ids().map(|v| self.value(v, depth + 1)).collect();
                Some(parts?.concat())
            }
            Op::CompositeExtract if data.operands.len() == 2 => {
                let whole = data.id(0).and_then(|v| f.as_const(v));
                if let Some(ConstKind::Composite(parts)) = whole.map(|c| consts.kind(c)) {
                    return components(types, consts, *parts.get(data.literal(1)? as usize)?);
                }
                part(0)?.get(data.literal(1)? as usize).map(|n| vec![*n])
            }
            Op::VectorShuffle => {
                let all = [part(0)?, part(1)?].concat();
                let picked = data.operands[2..].iter().map(|o| match o {
                    Operand::Literal(n) => all.get(*n as usize).copied(),
                    _ => None,
                });
                picked.collect()
            }
            Op::Bitcast => part(0),
            Op::SNegate => Some(part(0)?.iter().map(|n| n.wrapping_neg()).collect()),
            Op::IAdd => both(u32::wrapping_add),
            Op::ISub => both(u32::wrapping_sub),
            Op::IMul => both(u32::wrapping_mul),
            Op::Load => {
                let (g, indices) = element(f, data.id(0)?)?;
                let global = &module.globals[g];
                if global.storage != StorageClass::Private || self.written[g.index()] {
                    return None;
                }
                let mut at = global.init?;
                for i in indices {
                    let [n] = self.value(i, depth + 1)?[..] else { return None };
                    match consts.kind(at) {
                        ConstKind::Composite(parts) => at = *parts.get(n as usize)?,
                        ConstKind::Null => {
                            return Some(vec![0; usize::from(types.len_of(ty))]);
                        }
                        _ => return None,
                    }
                }
                components(types, consts, at)
            }
            _ => None,
        }
    }
}

/// Components of a constant of 32-bit integers.
fn components(types: &TypeTable, consts: &ConstTable, c: Const) -> Option<Vec<u32>> {
    let ty = consts.ty(c);
    types.int_signed(types.scalar_of(ty)).filter(|_| types.width_of(ty) == Some(32))?;
    match consts.kind(c) {
        ConstKind::Bits(bits) => Some(vec![*bits as u32]),
        ConstKind::Null => Some(vec![0; usize::from(types.len_of(ty))]),
        ConstKind::Composite(parts) => {
            let parts: Option<Vec<Vec<u32>>> = parts.iter().map(|c| components(types, consts, *c)).collect();
            Some(parts?.concat())
        }
        _ => None,
    }
}
