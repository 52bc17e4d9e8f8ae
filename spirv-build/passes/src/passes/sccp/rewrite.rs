//! Puts what is known in its place: operands, and regions of branches that go one way.

use crate::ir::edit::{Rebuild, Replacements};
use crate::ir::entity::SecondaryMap;
use crate::ir::{Block, Context, Function, Inst, Opcode, Operand, Value};

/// The region that a selection or switch takes for a condition or selector.
pub(super) fn taken(ctx: &Context, f: &Function, inst: Inst, bits: u64) -> Option<usize> {
    let data = &f.insts[inst];
    if data.op == Opcode::Selection {
        return Some(usize::from(bits == 0));
    }
    let width = ctx.types.width_of(f.values[data.id(0)?].ty)?;
    let mask = u64::MAX >> 64u32.checked_sub(u32::from(width))?;
    for pair in data.operands.get(1..)?.chunks(2) {
        let [Operand::Wide(case), Operand::Literal(region)] = *pair else { return None };
        if case & mask == bits & mask {
            return Some(region as usize);
        }
    }
    Some(0)
}

/// Runs on a function; tells whether it changed.
pub(super) fn run(
    ctx: &Context,
    f: &mut Function,
    entry: Block,
    known: &SecondaryMap<Value, Option<Value>>,
) -> bool {
    let mut changed = false;
    f.map_operands(|v| match known[v] {
        Some(w) if w != v => {
            changed = true;
            w
        }
        _ => v,
    });
    let mut r = Rewrite { ctx, f, results: Replacements::default(), spliced: false, changed };
    r.block(entry);
    let Rewrite { results, spliced, changed, .. } = r;
    if spliced {
        f.replace_all_uses(&results);
    }
    changed
}

struct Rewrite<'a> {
    ctx: &'a Context,
    f: &'a mut Function,
    /// What the results of operations are that are gone.
    results: Replacements,
    spliced: bool,
    changed: bool,
}

impl Rebuild for Rewrite<'_> {
    fn function(&mut self) -> &mut Function {
        self.f
    }

    fn structured(&mut self, inst: Inst, out: &mut Vec<Inst>) -> bool {
        let only = self.only(inst);
        if let Some(only) = only {
            let data = &mut self.f.insts[inst];
            let one = data.regions[only];
            if data.op == Opcode::Switch && data.regions.len() > 1 {
                // At least no other region stays.
                data.regions.clear();
                data.regions.push(one);
                data.operands.truncate(1);
                self.changed = true;
            }
            let block = self.f.block_of(one);
            self.block(block);
            if self.splices(inst, block) {
                self.changed = true;
                self.spliced |= !self.f.insts[inst].results.is_empty();
                let is_switch = self.f.insts[inst].op == Opcode::Switch;
                let ends = |op| op == Opcode::Merge || is_switch && op == Opcode::Break;
                return self.f.splice(inst, block, ends, &mut self.results, out);
            }
        }
        if only.is_none() || self.f.insts[inst].op == Opcode::Selection {
            self.blocks_of(inst);
        }
        out.push(inst);
        true
    }
}

impl Rewrite<'_> {
    /// The region that a branch always takes.
    fn only(&self, inst: Inst) -> Option<usize> {
        let data = &self.f.insts[inst];
        if data.op == Opcode::Loop {
            return None;
        }
        let bits = self.ctx.consts.bits(self.f.as_const(data.id(0)?)?)?;
        taken(self.ctx, self.f, inst, bits).filter(|i| *i < data.regions.len())
    }

    /// Whether a region may stand for its operation: nothing inside, but perhaps its end, leaves the operation.
    fn splices(&self, inst: Inst, block: Block) -> bool {
        self.f.insts[inst].op == Opcode::Selection || !self.f.is_left_inside(block, false, None)
    }
}
