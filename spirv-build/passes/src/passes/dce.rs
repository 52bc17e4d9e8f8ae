//! Removes what has no effect: instructions whose results nothing needs, block arguments and results that
//! only feed themselves, structured operations that do nothing, and variables that are only stored to.
//!
//! Liveness is marked from the instructions with an effect; everything unmarked goes. A value passed around a
//! loop and never used otherwise is never marked.

use super::pass::plain_pass;
use crate::analysis::structure::Structure;
use crate::ir::entity::Entity;
use crate::ir::{Function, Inst, InstData, Module, Op, Opcode, Operand, Value, ValueDef};
use smallvec::{SmallVec, smallvec};

plain_pass! {
    /// Removes what has no effect.
    Dce, "dce", run
}

/// Runs on every function.
pub fn run(module: &mut Module) -> bool {
    let mut changed = false;
    for (_, f) in module.functions.iter_mut() {
        changed |= run_on(f);
    }
    changed
}

/// Runs on one function.
pub fn run_on(f: &mut Function) -> bool {
    let changed = dead_stores(f);
    sweep(f) || changed
}

/// Whether an instruction must stay though nothing uses its result.
fn has_effect(data: &InstData) -> bool {
    if data.is_volatile() {
        return true;
    }
    match data.op {
        // Terminators that leave the function are roots anyway.
        Opcode::Op(_) | Opcode::Ext(..) => !data.op.is_terminator() && !data.op.traits().is_removable(),
        _ => false,
    }
}

/// Removes stores to variables that nothing reads.
fn dead_stores(f: &mut Function) -> bool {
    // Root variable of each pointer made by access chains; a variable is read if any other use exists.
    let is_variable = |i: &Inst| f.insts[*i].op == Opcode::Op(Op::Variable);
    if !f.blocks.iter().any(|(_, b)| b.insts.iter().any(is_variable)) {
        return false;
    }
    let mut root: Vec<Option<Value>> = vec![None; f.values.len()];
    let resolve = |root: &[Option<Value>], v: Value| root[v.index()];
    let order: Vec<Inst> = f.blocks.iter().flat_map(|(_, b)| b.insts.iter().copied()).collect();
    for variable in order.iter().filter(|i| is_variable(i)).map(|i| f.insts[*i].results[0]) {
        root[variable.index()] = Some(variable);
    }
    let mut read = vec![false; f.values.len()];
    // Chains may be visited before their base: blocks are not in dominance order. Repeat until nothing is new.
    loop {
        let mut new = false;
        for &inst in &order {
            let data = &f.insts[inst];
            if let (Opcode::Op(Op::AccessChain | Op::InBoundsAccessChain), Some(base), Some(result)) =
                (data.op, data.id(0), data.result())
                && let Some(r) = resolve(&root, base)
            {
                new |= root[result.index()].replace(r).is_none();
            }
        }
        if !new {
            break;
        }
    }
    for &inst in &order {
        let data = &f.insts[inst];
        for (i, operand) in data.operands.iter().enumerate() {
            let Operand::Id(v) = operand else { continue };
            let Some(r) = resolve(&root, *v) else { continue };
            let harmless = match data.op {
                Opcode::Op(Op::Store) => i == 0 && !data.is_volatile(),
                Opcode::Op(Op::AccessChain | Op::InBoundsAccessChain) => i == 0,
                _ => false,
            };
            if !harmless {
                read[r.index()] = true;
            }
        }
    }
    let mut changed = false;
    let insts = &f.insts;
    for (_, block) in f.blocks.iter_mut() {
        let before = block.insts.len();
        block.insts.retain(|i| {
            insts[*i].op != Opcode::Op(Op::Store)
                || insts[*i].id(0).and_then(|p| resolve(&root, p)).is_none_or(|r| read[r.index()])
        });
        changed |= block.insts.len() != before;
    }
    changed
}

struct Marks {
    live: Flags,
    insts: Flags,
    work: SmallVec<[Value; 32]>,
}

/// What is true of the values or the instructions of a function.
type Flags = SmallVec<[bool; 128]>;

impl Marks {
    fn value(&mut self, v: Value) {
        if !std::mem::replace(&mut self.live[v.index()], true) {
            self.work.push(v);
        }
    }
}

fn sweep(f: &mut Function) -> bool {
    let s = Structure::of(f);
    let mut m = Marks {
        live: smallvec![false; f.values.len()],
        insts: smallvec![false; f.insts.len()],
        work: SmallVec::new(),
    };
    // Roots: effects, and terminators other than those that only pass values on.
    let mut roots: SmallVec<[Inst; 32]> = SmallVec::new();
    for (_, block) in f.blocks.iter() {
        for &inst in &block.insts {
            let data = &f.insts[inst];
            let leaves = matches!(data.op, Opcode::Op(_) if data.op.is_terminator());
            if has_effect(data) || leaves {
                roots.push(inst);
            }
        }
    }
    while let Some(inst) = roots.pop() {
        mark_inst(f, &s, &mut m, inst);
    }
    while let Some(v) = m.work.pop() {
        match f.values[v].def {
            ValueDef::Result(inst, index) => {
                mark_inst(f, &s, &mut m, inst);
                if f.insts[inst].op.is_structured() {
                    for &(from, skip) in s.merges(inst) {
                        mark_inst(f, &s, &mut m, from);
                        if let Some(v) = f.insts[from].id(skip + usize::from(index)) {
                            m.value(v);
                        }
                    }
                }
            }
            ValueDef::Arg(block, index) => {
                let index = usize::from(index);
                let Some(owner) = s.owner(block).filter(|p| f.insts[*p].op == Opcode::Loop) else { continue };
                let data = &f.insts[owner];
                if f.block_of(data.regions[0]) == block {
                    if let Some(v) = data.id(index) {
                        m.value(v);
                    }
                    if let Some(next) = s.next(owner) {
                        let skip = usize::from(f.insts[next].op == Opcode::NextIf);
                        if let Some(v) = f.insts[next].id(skip + index) {
                            m.value(v);
                        }
                    }
                } else {
                    for &from in s.continues(owner) {
                        if let Some(v) = f.insts[from].id(index) {
                            m.value(v);
                        }
                    }
                }
            }
            ValueDef::Const(_) | ValueDef::Global(_) => {}
        }
    }
    remove(f, &s, &m)
}

/// Marks an instruction, what surrounds it, and (for structured ones) what control flow inside depends on.
fn mark_inst(f: &Function, s: &Structure, m: &mut Marks, inst: Inst) {
    if std::mem::replace(&mut m.insts[inst.index()], true) {
        return;
    }
    let data = &f.insts[inst];
    match data.op {
        // Values passed on are live only if what they are passed to is.
        Opcode::Merge | Opcode::Break | Opcode::Continue | Opcode::Next => {}
        Opcode::NextIf => {
            if let Some(v) = data.id(0) {
                m.value(v);
            }
        }
        Opcode::Loop => {}
        Opcode::Selection | Opcode::Switch => {
            if let Some(v) = data.id(0) {
                m.value(v);
            }
        }
        _ => data.ids().for_each(|v| m.value(v)),
    }
    if let Some(parent) = s.parent(inst) {
        mark_inst(f, s, m, parent);
    }
    // A live loop keeps its exits: breaks and continues inside, with the selections around them.
    if data.op == Opcode::Loop {
        let exits = s.merges(inst).iter().map(|e| e.0);
        let exits = exits.chain(s.continues(inst).iter().copied());
        for e in exits.chain(s.next(inst)) {
            mark_inst(f, s, m, e);
        }
    }
    // Breaks out of a live switch likewise.
    if data.op == Opcode::Switch {
        for &(e, _) in s.merges(inst) {
            mark_inst(f, s, m, e);
        }
    }
}

fn remove(f: &mut Function, s: &Structure, m: &Marks) -> bool {
    let mut changed = false;
    // Terminators always stay where their block stays; everything else must be marked. A structured operation that
    // is not marked contains no effect, and no exit of anything marked (those mark what is around them).
    let insts = &f.insts;
    for (_, block) in f.blocks.iter_mut() {
        let before = block.insts.len();
        block.insts.retain(|i| m.insts[i.index()] || insts[*i].op.is_terminator());
        changed |= block.insts.len() != before;
    }
    // Unmarked results and arguments, with the operands that feed them.
    let structured: Vec<Inst> =
        f.insts.iter().filter(|(i, d)| d.op.is_structured() && m.insts[i.index()]).map(|(i, _)| i).collect();
    for inst in structured {
        let keep: SmallVec<[bool; 16]> = f.insts[inst].results.iter().map(|v| m.live[v.index()]).collect();
        if keep.contains(&false) {
            changed = true;
            for &(from, skip) in s.merges(inst) {
                retain_operands(&mut f.insts[from], skip, &keep);
            }
            let mut results = std::mem::take(&mut f.insts[inst].results);
            filter(&mut results, &keep);
            for (i, v) in results.iter().enumerate() {
                f.values[*v].def = ValueDef::Result(inst, i as u16);
            }
            f.insts[inst].results = results;
        }
        if f.insts[inst].op != Opcode::Loop {
            continue;
        }
        for region in 0..2 {
            let block = f.block_of(f.insts[inst].regions[region]);
            let keep: SmallVec<[bool; 16]> = f.blocks[block].args.iter().map(|v| m.live[v.index()]).collect();
            if !keep.contains(&false) {
                continue;
            }
            changed = true;
            if region == 0 {
                retain_operands(&mut f.insts[inst], 0, &keep);
                if let Some(next) = s.next(inst) {
                    let skip = usize::from(f.insts[next].op == Opcode::NextIf);
                    retain_operands(&mut f.insts[next], skip, &keep);
                }
            } else {
                for &from in s.continues(inst) {
                    retain_operands(&mut f.insts[from], 0, &keep);
                }
            }
            let mut args = std::mem::take(&mut f.blocks[block].args);
            filter(&mut args, &keep);
            for (i, v) in args.iter().enumerate() {
                f.values[*v].def = ValueDef::Arg(block, i as u16);
            }
            f.blocks[block].args = args;
        }
    }
    changed
}

fn filter<A>(items: &mut A, keep: &[bool])
where
    A: Retain,
{
    let mut i = 0;
    items.retain_by(|| {
        i += 1;
        keep.get(i - 1).copied().unwrap_or(true)
    });
}

trait Retain {
    fn retain_by(&mut self, keep: impl FnMut() -> bool);
}

impl Retain for Vec<Value> {
    fn retain_by(&mut self, mut keep: impl FnMut() -> bool) {
        self.retain(|_| keep());
    }
}

impl Retain for SmallVec<[Value; 1]> {
    fn retain_by(&mut self, mut keep: impl FnMut() -> bool) {
        self.retain(|_| keep());
    }
}

/// Drops operands `skip + i` where `keep[i]` is false.
fn retain_operands(data: &mut InstData, skip: usize, keep: &[bool]) {
    let mut i = 0;
    data.operands.retain(|_| {
        i += 1;
        i <= skip || keep.get(i - 1 - skip).copied().unwrap_or(true)
    });
}
