//! Loops that are known to be short: all others look now and then whether the launch is to end.

use crate::ir::{Block, Context, Function, Inst, Op, Opcode, Value};
use rustc_hash::FxHashSet;

/// Rounds of the loops in one another up to which nobody needs to look.
const SHORT: u64 = 1 << 14;
/// How far a value is followed to a variable of its loop.
const MAX_STEPS: u32 = 8;

/// The loops in a block, and in what it contains, that end after few rounds.
pub fn short_loops(ctx: &Context, f: &Function, entry: Block) -> FxHashSet<Inst> {
    let mut short = FxHashSet::default();
    rounds(ctx, f, entry, &mut short);
    short
}

/// Rounds of the loops in a block, those in one another multiplied. A loop that looks counts as one.
fn rounds(ctx: &Context, f: &Function, block: Block, short: &mut FxHashSet<Inst>) -> u64 {
    let mut all = 0u64;
    for &inst in &f.blocks[block].insts {
        let data = &f.insts[inst];
        let inside = data.regions.iter().map(|r| rounds(ctx, f, f.block_of(*r), short)).sum::<u64>();
        all = all.saturating_add(match data.op {
            Opcode::Loop => {
                let own = Rounds { ctx, f, inst }.at_most().map(|n| n.saturating_mul(inside.max(1)));
                match own.filter(|n| *n <= SHORT) {
                    Some(n) => {
                        short.insert(inst);
                        n
                    }
                    None => 1,
                }
            }
            _ => inside,
        });
    }
    all
}

/// How a variable of a loop changes from one round to the next.
enum Change {
    Add(i64),
    ShiftRight,
    ShiftLeft,
}

struct Rounds<'a> {
    ctx: &'a Context,
    f: &'a Function,
    inst: Inst,
}

impl Rounds<'_> {
    /// How often the body begins at most.
    fn at_most(&self) -> Option<u64> {
        let (body, continuing) = (self.region(0), self.region(1));
        let exits = self.f.blocks[body].insts.iter().filter_map(|i| {
            let data = &self.f.insts[*i];
            let leaves = |region: usize| {
                let block = self.f.block_of(*data.regions.get(region)?);
                self.f.terminator(block).map(|t| self.f.insts[t].op == Opcode::Break)
            };
            match data.op {
                Opcode::Selection if leaves(1)? => Some((data.id(0)?, true)),
                Opcode::Selection if leaves(0)? => Some((data.id(0)?, false)),
                _ => None,
            }
        });
        let end = self.f.terminator(continuing).map(|t| &self.f.insts[t]);
        let last = end.filter(|d| d.op == Opcode::NextIf).and_then(|d| Some((d.id(0)?, true)));
        exits.chain(last).filter_map(|(condition, stays)| self.bounded(condition, stays)).min()
    }

    fn region(&self, i: usize) -> Block {
        self.f.block_of(self.f.insts[self.inst].regions[i])
    }

    fn constant(&self, v: Value) -> Option<u32> {
        let c = self.f.as_const(v)?;
        if self.ctx.types.width_of(self.f.values[v].ty) != Some(32) {
            return None;
        }
        self.ctx.consts.bits(c).map(|bits| bits as u32)
    }

    /// The bound that a condition sets for staying in the loop.
    fn bounded(&self, condition: Value, stays: bool) -> Option<u64> {
        let data = &self.f.insts[self.f.def_inst(condition)?];
        let (a, b) = (data.id(0)?, data.id(1)?);
        let Opcode::Op(op) = data.op else { return None };
        // With the variable on the left.
        let (op, variable, limit) = match (self.constant(a), self.constant(b)) {
            (None, Some(limit)) => (op, a, limit),
            (Some(limit), None) => (mirrored(op)?, b, limit),
            _ => return None,
        };
        let op = if stays { op } else { inverse(op)? };
        let (index, offset) = self.resolve(variable, 0)?;
        let change = self.change(index)?;
        let init = self.f.insts[self.inst].ids().nth(index).and_then(|v| self.constant(v));
        match change {
            Change::ShiftRight => {
                let ends = match op {
                    Op::INotEqual | Op::UGreaterThan => op == Op::UGreaterThan || limit == 0,
                    Op::SGreaterThan => limit as i32 >= 0,
                    _ => false,
                };
                (ends && offset == 0).then_some(33)
            }
            Change::ShiftLeft => {
                let ends = matches!(op, Op::ULessThan | Op::SLessThan) && limit <= 1 << 30;
                (ends && offset == 0 && init.is_some_and(|i| (1..=1 << 30).contains(&i))).then_some(32)
            }
            Change::Add(step) => {
                let signed = matches!(
                    op,
                    Op::SLessThan | Op::SLessThanEqual | Op::SGreaterThan | Op::SGreaterThanEqual
                );
                let number = |bits: u32| if signed { i64::from(bits as i32) } else { i64::from(bits) };
                let (least, most) = if signed {
                    (i64::from(i32::MIN), i64::from(i32::MAX))
                } else {
                    (0, i64::from(u32::MAX))
                };
                let start = number(init?.wrapping_add(offset as u32));
                let limit = number(limit);
                // Rounds until the condition fails, with no value on the way that wraps around.
                let rest = match op {
                    Op::ULessThan | Op::SLessThan if step > 0 && limit - 1 + step <= most => limit - start,
                    Op::ULessThanEqual | Op::SLessThanEqual if step > 0 && limit + step <= most => {
                        limit + 1 - start
                    }
                    Op::UGreaterThan | Op::SGreaterThan if step < 0 && limit + 1 + step >= least => {
                        start - limit
                    }
                    Op::UGreaterThanEqual | Op::SGreaterThanEqual if step < 0 && limit + step >= least => {
                        start - limit + 1
                    }
                    Op::INotEqual if (limit - start) % step == 0 && (limit - start) / step >= 0 => {
                        (limit - start).abs()
                    }
                    _ => return None,
                };
                let rounds = u64::try_from(rest.max(0)).ok()?.div_ceil(step.unsigned_abs());
                Some(rounds + 1)
            }
        }
    }

    /// Which variable of the loop a value is, and what is added to it.
    fn resolve(&self, v: Value, depth: u32) -> Option<(usize, i64)> {
        if depth > MAX_STEPS {
            return None;
        }
        let at = |block: Block| self.f.blocks[block].args.iter().position(|a| *a == v);
        if let Some(index) = at(self.region(0)) {
            return Some((index, 0));
        }
        if let Some(index) = at(self.region(1)) {
            // What every way to the continuing part passes.
            let mut passed = Vec::new();
            self.continues(self.region(0), &mut passed);
            let mut all = passed.iter().map(|inst| self.f.insts[*inst].ids().nth(index));
            let first = all.next()??;
            return if all.all(|v| v == Some(first)) { self.resolve(first, depth + 1) } else { None };
        }
        let data = &self.f.insts[self.f.def_inst(v)?];
        let (a, b) = (data.id(0)?, data.id(1));
        match data.op {
            Opcode::Op(Op::IAdd) => {
                let (v, by) = match (self.constant(a), self.constant(b?)) {
                    (None, Some(by)) => (a, by),
                    (Some(by), None) => (b?, by),
                    _ => return None,
                };
                let (index, offset) = self.resolve(v, depth + 1)?;
                Some((index, offset + i64::from(by as i32)))
            }
            Opcode::Op(Op::ISub) => {
                let by = self.constant(b?)?;
                let (index, offset) = self.resolve(a, depth + 1)?;
                Some((index, offset - i64::from(by as i32)))
            }
            Opcode::Op(Op::Bitcast) if self.ctx.types.width_of(self.f.values[v].ty) == Some(32) => {
                self.resolve(a, depth + 1)
            }
            _ => None,
        }
    }

    fn change(&self, index: usize) -> Option<Change> {
        let data = &self.f.insts[self.f.terminator(self.region(1))?];
        let next = match data.op {
            Opcode::Next => data.ids().nth(index)?,
            Opcode::NextIf => data.ids().nth(index + 1)?,
            _ => return None,
        };
        self.change_to(next, index, 0)
    }

    fn change_to(&self, next: Value, index: usize, depth: u32) -> Option<Change> {
        if let Some((from, step)) = self.resolve(next, 0) {
            return (from == index && step != 0).then_some(Change::Add(step));
        }
        // Of the continuing part's arguments, a shift may be in the body.
        if depth < MAX_STEPS
            && let Some(at) = self.f.blocks[self.region(1)].args.iter().position(|a| *a == next)
        {
            let mut passed = Vec::new();
            self.continues(self.region(0), &mut passed);
            let mut all = passed.iter().map(|inst| self.f.insts[*inst].ids().nth(at));
            let first = all.next()??;
            return if all.all(|v| v == Some(first)) {
                self.change_to(first, index, depth + 1)
            } else {
                None
            };
        }
        let data = &self.f.insts[self.f.def_inst(next)?];
        let Opcode::Op(op) = data.op else { return None };
        let (a, by) = (data.id(0)?, self.constant(data.id(1)?)?);
        if self.resolve(a, 0)? != (index, 0) {
            return None;
        }
        match op {
            Op::ShiftRightLogical if (1..32).contains(&by) => Some(Change::ShiftRight),
            Op::UDiv if by >= 2 => Some(Change::ShiftRight),
            Op::ShiftLeftLogical if by == 1 => Some(Change::ShiftLeft),
            Op::IMul if by == 2 => Some(Change::ShiftLeft),
            _ => None,
        }
    }

    /// The `Continue`s of this loop.
    fn continues(&self, block: Block, out: &mut Vec<Inst>) {
        for &inst in &self.f.blocks[block].insts {
            let data = &self.f.insts[inst];
            match data.op {
                Opcode::Continue => out.push(inst),
                Opcode::Loop => {}
                _ => data.regions.iter().for_each(|r| self.continues(self.f.block_of(*r), out)),
            }
        }
    }
}

/// The comparison with its operands exchanged.
fn mirrored(op: Op) -> Option<Op> {
    Some(match op {
        Op::ULessThan => Op::UGreaterThan,
        Op::ULessThanEqual => Op::UGreaterThanEqual,
        Op::UGreaterThan => Op::ULessThan,
        Op::UGreaterThanEqual => Op::ULessThanEqual,
        Op::SLessThan => Op::SGreaterThan,
        Op::SLessThanEqual => Op::SGreaterThanEqual,
        Op::SGreaterThan => Op::SLessThan,
        Op::SGreaterThanEqual => Op::SLessThanEqual,
        Op::IEqual | Op::INotEqual => op,
        _ => return None,
    })
}

/// The comparison that is true where this one is false.
fn inverse(op: Op) -> Option<Op> {
    Some(match op {
        Op::ULessThan => Op::UGreaterThanEqual,
        Op::ULessThanEqual => Op::UGreaterThan,
        Op::UGreaterThan => Op::ULessThanEqual,
        Op::UGreaterThanEqual => Op::ULessThan,
        Op::SLessThan => Op::SGreaterThanEqual,
        Op::SLessThanEqual => Op::SGreaterThan,
        Op::SGreaterThan => Op::SLessThanEqual,
        Op::SGreaterThanEqual => Op::SLessThan,
        Op::IEqual => Op::INotEqual,
        Op::INotEqual => Op::IEqual,
        _ => return None,
    })
}
