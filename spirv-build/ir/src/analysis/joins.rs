//! Where the values of block arguments and of the results of structured operations come from.

use crate::ir::{Block, Function, Inst, Opcode, Value};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Values that stand where ways meet, in the order of the text, each with all that may become it.
#[derive(Debug, Default)]
pub struct Joins {
    /// The joins, each before those inside its operation.
    pub order: Vec<Value>,
    incoming: FxHashMap<Value, SmallVec<[Value; 2]>>,
}

/// The values that terminators inside a structured operation pass on.
#[derive(Clone, Copy, Default)]
pub struct Targets<'a> {
    /// Of `Merge`.
    pub merge: &'a [Value],
    /// Of `Break`.
    pub brk: &'a [Value],
    /// Of `Continue`.
    pub cont: &'a [Value],
    /// Of `Next`.
    pub next: &'a [Value],
}

impl<'a> Targets<'a> {
    /// Who gets the operands of a terminator, as pairs of an operand's place and its target.
    pub fn of(&self, op: Opcode) -> impl Iterator<Item = (usize, Value)> + use<'a> {
        let (skip, first, second): (usize, &[Value], &[Value]) = match op {
            Opcode::Merge => (0, self.merge, &[]),
            Opcode::Break => (0, self.brk, &[]),
            Opcode::Continue => (0, self.cont, &[]),
            Opcode::Next => (0, self.next, &[]),
            Opcode::NextIf => (1, self.next, self.brk),
            _ => (0, &[], &[]),
        };
        first.iter().chain(second).enumerate().map(move |(i, v)| (i + skip, *v))
    }
}

impl Joins {
    /// The joins of a function in structured form; none of a plain graph.
    pub fn of(f: &Function) -> Joins {
        let mut joins = Joins::default();
        if let Some(entry) = f.body.filter(|b| f.regions[*b].blocks.len() == 1).map(|b| f.block_of(b)) {
            joins.block(f, entry, Targets::default());
        }
        joins
    }

    /// What may become a join.
    pub fn incoming(&self, join: Value) -> &[Value] {
        self.incoming.get(&join).map_or(&[], |list| list)
    }

    fn add(&mut self, join: Value, value: Value) {
        self.incoming.entry(join).or_default().push(value);
    }

    fn block(&mut self, f: &Function, block: Block, targets: Targets<'_>) {
        for &inst in &f.blocks[block].insts {
            if f.insts[inst].op.is_structured() {
                self.structured(f, inst, targets);
                continue;
            }
            for (i, target) in targets.of(f.insts[inst].op) {
                if let Some(v) = f.insts[inst].id(i) {
                    self.add(target, v);
                }
            }
        }
    }

    // Nesting has a limit.
    fn structured(&mut self, f: &Function, inst: Inst, targets: Targets<'_>) {
        let data = &f.insts[inst];
        let blocks = data.regions.iter().map(|r| f.block_of(*r));
        self.order.extend(&data.results);
        if data.op != Opcode::Loop {
            let brk = if data.op == Opcode::Switch { &data.results } else { targets.brk };
            for block in blocks {
                self.block(f, block, Targets { merge: &data.results, brk, ..targets });
            }
            return;
        }
        let args: SmallVec<[&[Value]; 2]> = blocks.clone().map(|b| f.blocks[b].args.as_slice()).collect();
        let [body, continuing] = args[..] else { return };
        self.order.extend(body.iter().chain(continuing));
        for (arg, v) in body.iter().zip(data.ids()) {
            self.add(*arg, v);
        }
        for block in blocks {
            self.block(f, block, Targets { merge: &[], brk: &data.results, cont: continuing, next: body });
        }
    }
}
