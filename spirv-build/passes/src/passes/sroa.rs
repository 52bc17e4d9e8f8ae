//! Scalar replacement of aggregates: a variable that is a struct, array or matrix becomes a variable for each part, so that
//! `mem2reg` can make values of them, and a part that must stay in memory does not keep the others there.
//!
//! It is taken apart if each use is a load or store of the whole or a chain whose first index is a constant inside it, and if there is
//! such a chain. Parts are taken apart in turn.

use super::pass::plain_pass;
use crate::analysis::Preserved;
use crate::ir::edit::Replacements;
use crate::ir::entity::SecondaryMap;
use crate::ir::{
    Context, Cursor, Function, Inst, InstData, Module, Op, Opcode, Operand, StorageClass, Type, TypeKind,
    Value, walk,
};
use crate::source::Span;
use smallvec::SmallVec;
use std::sync::Arc;

/// Parts of a variable that is taken apart, at most.
pub const MAX_PARTS: u32 = 64;

plain_pass! {
    /// Takes variables apart.
    Sroa, "sroa", run, Preserved::STRUCTURE
}

fn run(module: &mut Module) -> bool {
    let Module { ctx, functions, .. } = module;
    let mut changed = false;
    for (_, f) in functions.iter_mut() {
        while split(ctx, f) {
            changed = true;
        }
    }
    changed
}

/// A variable that may be taken apart.
struct Candidate {
    pointer: Value,
    ty: Type,
    parts: u32,
    /// Whether something names a part.
    chained: bool,
    /// Whether something keeps it whole.
    whole: bool,
    /// The variables of its parts.
    variables: Vec<Value>,
}

/// Parts of a type that can be taken apart.
fn parts(ctx: &Context, ty: Type) -> Option<u32> {
    let parts = match ctx.types.kind(ty) {
        TypeKind::Struct(s) => u32::try_from(s.members.len()).ok()?,
        TypeKind::Array { len, .. } => *len,
        TypeKind::Matrix { columns, .. } => u32::from(*columns),
        _ => return None,
    };
    (1..=MAX_PARTS).contains(&parts).then_some(parts)
}

fn is_chain(data: &InstData) -> bool {
    matches!(data.op, Opcode::Op(Op::AccessChain | Op::InBoundsAccessChain))
}

/// The part that a chain leads into.
fn part(ctx: &Context, f: &Function, chain: &InstData) -> Option<u32> {
    let index = f.as_const(chain.id(1)?)?;
    u32::try_from(ctx.consts.bits(index)?).ok()
}

/// Variables by their pointers.
struct Candidates {
    list: Vec<Candidate>,
    /// By pointer, the place in the list, counted from 1.
    of: SecondaryMap<Value, u32>,
}

impl Candidates {
    fn place(&self, v: Value) -> Option<usize> {
        (self.of[v] as usize).checked_sub(1)
    }

    /// A candidate that is taken apart.
    fn get(&self, v: Option<Value>) -> Option<&Candidate> {
        self.list.get(self.place(v?)?).filter(|c| !c.variables.is_empty())
    }
}

fn candidates(ctx: &Context, f: &Function) -> Candidates {
    let mut found = Candidates { list: Vec::new(), of: SecondaryMap::default() };
    let Some(entry) = f.entry() else { return found };
    for &inst in &f.blocks[entry].insts {
        let data = &f.insts[inst];
        if data.op != Opcode::Op(Op::Variable) || data.operands.len() > 1 || !data.decorations.is_empty() {
            continue;
        }
        let Some(pointer) = data.result() else { continue };
        let Some((ty, StorageClass::Function)) = ctx.types.pointee(f.values[pointer].ty) else { continue };
        if let Some(parts) = parts(ctx, ty) {
            let (chained, whole, variables) = (false, false, Vec::new());
            found.list.push(Candidate { pointer, ty, parts, chained, whole, variables });
            found.of[pointer] = found.list.len() as u32;
        }
    }
    if found.list.is_empty() {
        return found;
    }
    for inst in walk::insts(f) {
        let data = &f.insts[inst];
        for (i, operand) in data.operands.iter().enumerate() {
            let Operand::Id(v) = *operand else { continue };
            let Some(at) = found.place(v) else { continue };
            let c = &mut found.list[at];
            match data.op {
                _ if is_chain(data) && i == 0 && part(ctx, f, data).is_some_and(|n| n < c.parts) => {
                    c.chained = true;
                    // What is marked keeps its instruction.
                    c.whole |= !data.decorations.is_empty();
                }
                Opcode::Op(Op::Load | Op::Store) if i == 0 && !data.is_volatile() => {}
                _ => c.whole = true,
            }
        }
        for v in data.successors.iter().flat_map(|s| &s.args) {
            if let Some(at) = found.place(*v) {
                found.list[at].whole = true;
            }
        }
    }
    found
}

/// What a part is called.
fn part_name(ctx: &Context, ty: Type, name: Option<&str>, n: u32) -> Option<Arc<str>> {
    let name = name?;
    Some(match ctx.types.kind(ty) {
        TypeKind::Struct(s) => format!("{name}.{}", s.members.get(n as usize)?.name).into(),
        _ => format!("{name}.{n}").into(),
    })
}

/// Takes all variables apart that can be; tells whether there was one.
fn split(ctx: &mut Context, f: &mut Function) -> bool {
    let mut all = candidates(ctx, f);
    if !all.list.iter().any(|c| c.chained && !c.whole) {
        return false;
    }
    f.gather_variables();
    for c in all.list.iter_mut().filter(|c| c.chained && !c.whole) {
        let span = f.def_inst(c.pointer).map_or(Span::default(), |i| f.insts[i].span);
        for n in 0..c.parts {
            let Some(ty) = ctx.types.element(c.ty, n) else { continue };
            let pointer = ctx.types.pointer(ty, StorageClass::Function);
            let literal = Operand::Literal(StorageClass::Function.0);
            let variable = f.make_inst(InstData::new(Op::Variable, [literal], span), &[pointer]);
            f.add_variable(variable);
            let value = f.insts[variable].results[0];
            f.values[value].name = part_name(ctx, c.ty, f.values[c.pointer].name.as_deref(), n);
            c.variables.push(value);
        }
    }
    let mut same = Replacements::default();
    for (block, _) in walk::blocks(f) {
        let mut at = Cursor::at_start(f, block);
        while let Some(inst) = at.take() {
            rewrite(ctx, f, &all, inst, &mut same, &mut at);
        }
        at.finish(f);
    }
    f.place_variables();
    f.replace_all_uses(&same);
    true
}

/// Puts what an instruction becomes at the cursor.
fn rewrite(
    ctx: &mut Context,
    f: &mut Function,
    all: &Candidates,
    inst: Inst,
    same: &mut Replacements,
    at: &mut Cursor,
) {
    let data = &f.insts[inst];
    let span = data.span;
    if data.op == Opcode::Op(Op::Variable) && all.get(data.result()).is_some() {
        return;
    }
    let Some(c) = all.get(data.id(0)) else { return at.insert(inst) };
    match data.op {
        Opcode::Op(Op::Load) => {
            let mut loaded: SmallVec<[Operand; 4]> = SmallVec::new();
            for &variable in &c.variables {
                let Some((ty, _)) = ctx.types.pointee(f.values[variable].ty) else { continue };
                let load = at.make(f, InstData::new(Op::Load, [Operand::Id(variable)], span), &[ty]);
                loaded.push(Operand::Id(f.insts[load].results[0]));
            }
            let data = &mut f.insts[inst];
            (data.op, data.operands) = (Op::CompositeConstruct.into(), loaded);
            at.insert(inst);
        }
        Opcode::Op(Op::Store) => {
            let Some(value) = data.id(1) else { return };
            for (n, &variable) in c.variables.iter().enumerate() {
                let Some((ty, _)) = ctx.types.pointee(f.values[variable].ty) else { continue };
                let extract = [Operand::Id(value), Operand::Literal(n as u32)];
                let extract = at.make(f, InstData::new(Op::CompositeExtract, extract, span), &[ty]);
                let part = f.insts[extract].results[0];
                let store = [Operand::Id(variable), Operand::Id(part)];
                at.make(f, InstData::new(Op::Store, store, span), &[]);
            }
        }
        _ => {
            let to = part(ctx, f, data).and_then(|n| c.variables.get(n as usize)).copied();
            let (Some(to), Some(result)) = (to, data.result()) else { return at.insert(inst) };
            if data.operands.len() == 2 {
                same[result] = Some(to);
                return;
            }
            let operands = &mut f.insts[inst].operands;
            operands.remove(1);
            operands[0] = Operand::Id(to);
            at.insert(inst);
        }
    }
}
