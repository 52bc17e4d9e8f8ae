//! Sparse conditional constant propagation over structured regions: finds values that are always the same constant, or another
//! value that is known before, and branches that always go one way.
//!
//! Each value is taken to be unknown until something reaches it; then it *is* a value that stands for it (a constant, one from
//! before, one that it is a part of), and from there it may only become itself. Regions are walked when they are reached, loops again
//! until their arguments stay as they are. A branch that goes one way becomes what its region holds (`rewrite`); what nothing
//! uses any more is left to `dce`.
//!
//! Of an argument or a result only a value from outside of the structured operation may stand for it: one from inside is another one
//! in each round, or cannot be seen.

mod rewrite;
mod simplify;

use super::{Changed, Pass};
use crate::analysis::Analyses;
use crate::analysis::tables::Tables;
use crate::diag::Findings;
use crate::ir::entity::SecondaryMap;
use crate::ir::{Block, Context, Function, Inst, Module, Opcode, Value, ValueDef};
use smallvec::SmallVec;

/// Rounds of one loop until its arguments count as themselves.
const MAX_ROUNDS: usize = 8;

/// Finds constants and branches that go one way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sccp;

impl Pass for Sccp {
    fn name(&self) -> &'static str {
        "sccp"
    }

    fn run(&self, module: &mut Module, _: &mut Analyses, _: &mut Findings) -> Changed {
        // Floats are folded as they are rounded by default.
        let rounds = |e: &crate::ir::EntryPoint| e.mode(spirv_spec::ExecutionMode::RoundingModeRTZ).is_some();
        let floats = !module.entry_points.iter().any(rounds);
        let tables = Tables::of(module);
        let Module { ctx, functions, .. } = module;
        let mut changed = false;
        for (_, f) in functions.iter_mut() {
            // A plain graph is not looked at: `structurize` comes first.
            let structured = f.body.is_some_and(|body| f.regions[body].blocks.len() == 1);
            changed |= structured && run_on(ctx, f, &tables, floats);
        }
        changed.into()
    }
}

/// Runs on one structured function; what is loaded from `tables` is known, and `floats` may be folded.
pub(super) fn run_on(ctx: &mut Context, f: &mut Function, tables: &Tables, floats: bool) -> bool {
    let Some(entry) = f.entry() else { return false };
    let mut s = Solver {
        ctx,
        f,
        tables,
        floats,
        known: SecondaryMap::default(),
        home: SecondaryMap::default(),
        parent: SecondaryMap::default(),
        reached: SecondaryMap::default(),
        ends: SecondaryMap::default(),
        frames: SmallVec::new(),
        changed: false,
    };
    s.known = SecondaryMap::with_room(s.f.values.len());
    for p in s.f.blocks[entry].args.clone() {
        s.known[p] = Some(p);
    }
    s.block(entry);
    let known = s.known;
    rewrite::run(ctx, f, entry, &known)
}

struct Solver<'a> {
    ctx: &'a mut Context,
    f: &'a mut Function,
    tables: &'a Tables,
    floats: bool,
    /// What a value is; None until it is reached.
    known: SecondaryMap<Value, Option<Value>>,
    /// The block that an instruction stands in.
    home: SecondaryMap<Inst, Option<Block>>,
    /// The block around a block.
    parent: SecondaryMap<Block, Option<Block>>,
    /// Blocks that are reached.
    reached: SecondaryMap<Block, bool>,
    /// Structured operations behind which it goes on.
    ends: SecondaryMap<Inst, bool>,
    /// Structured operations around the current place.
    frames: SmallVec<[Inst; 8]>,
    /// Whether an argument of a loop is another than in the round before.
    changed: bool,
}

impl Solver<'_> {
    /// What a value is, as far as it is known.
    fn now(&self, v: Value) -> Value {
        match self.f.values[v].def {
            ValueDef::Const(_) | ValueDef::Global(_) => v,
            _ => self.known[v].unwrap_or(v),
        }
    }

    /// Walks a block; tells whether its end is reached.
    fn block(&mut self, block: Block) -> bool {
        self.reached[block] = true;
        let mut at = 0;
        while let Some(&inst) = self.f.blocks[block].insts.get(at) {
            at += 1;
            self.home[inst] = Some(block);
            let goes_on = match self.f.insts[inst].op {
                Opcode::Selection | Opcode::Switch => self.branch(block, inst),
                Opcode::Loop => self.repeat(block, inst),
                op if op.is_terminator() => {
                    self.leave(inst);
                    return true;
                }
                _ => {
                    self.plain(inst);
                    true
                }
            };
            if !goes_on {
                return false;
            }
        }
        true
    }

    fn plain(&mut self, inst: Inst) {
        let Some(result) = self.f.insts[inst].result() else {
            for r in self.f.insts[inst].results.clone() {
                self.known[r] = Some(r);
            }
            return;
        };
        // Once it is itself it stays so.
        if self.known[result] == Some(result) {
            return;
        }
        let known = &self.known;
        let values = &self.f.values;
        let now = |v: Value| match values[v].def {
            ValueDef::Const(_) | ValueDef::Global(_) => v,
            _ => known[v].unwrap_or(v),
        };
        let found = simplify::value(self.ctx, self.f, inst, (self.tables, self.floats), &now);
        let new = match found {
            Some(simplify::Found::Const(c)) => {
                let ty = self.ctx.consts.ty(c);
                self.f.const_value(c, ty)
            }
            Some(simplify::Found::Value(v)) => v,
            None => result,
        };
        // What was one value and is another now is itself.
        self.known[result] = Some(match self.known[result] {
            Some(old) if old != new => result,
            _ => new,
        });
    }

    /// Whether a value is seen where a structured operation stands, and the same each time that it is entered.
    fn is_outside(&self, v: Value, inst: Inst) -> bool {
        let block = match self.f.values[v].def {
            ValueDef::Const(_) | ValueDef::Global(_) => return true,
            ValueDef::Result(of, _) if of == inst => return false,
            ValueDef::Result(of, _) => self.home[of],
            ValueDef::Arg(block, _) => Some(block),
        };
        let mut at = self.home[inst];
        while let Some(outer) = at {
            if Some(outer) == block {
                return true;
            }
            at = self.parent[outer];
        }
        false
    }

    /// A value comes to an argument or result of a structured operation.
    fn join(&mut self, to: Value, from: Value, inst: Inst) {
        let old = self.known[to];
        if old == Some(to) {
            return;
        }
        let from = self.now(from);
        let new = if self.is_outside(from, inst) && old.is_none_or(|old| old == from) { from } else { to };
        self.changed |= old != Some(new);
        self.known[to] = Some(new);
    }

    fn join_all(&mut self, to: &[Value], from: &[Value], inst: Inst) {
        for (to, from) in to.iter().zip(from) {
            self.join(*to, *from, inst);
        }
    }

    fn pass_results(&mut self, to: Inst, from: &[Value]) {
        self.ends[to] = true;
        let results: SmallVec<[Value; 8]> = self.f.insts[to].results.iter().copied().collect();
        self.join_all(&results, from, to);
    }

    fn innermost(&self, is: impl Fn(Opcode) -> bool) -> Option<Inst> {
        self.frames.iter().rev().copied().find(|i| is(self.f.insts[*i].op))
    }

    fn args(&self, of: Inst, region: usize) -> SmallVec<[Value; 8]> {
        let region = self.f.insts[of].regions.get(region);
        region.map_or(SmallVec::new(), |r| SmallVec::from_slice(&self.f.blocks[self.f.block_of(*r)].args))
    }

    /// A terminator passes its values on.
    fn leave(&mut self, inst: Inst) {
        let values: SmallVec<[Value; 8]> = self.f.insts[inst].ids().collect();
        let breakable = |op| matches!(op, Opcode::Loop | Opcode::Switch);
        match self.f.insts[inst].op {
            Opcode::Merge => {
                if let Some(&to) = self.frames.last() {
                    self.pass_results(to, &values);
                }
            }
            Opcode::Break => {
                if let Some(to) = self.innermost(breakable) {
                    self.pass_results(to, &values);
                }
            }
            Opcode::Continue => {
                if let Some(to) = self.innermost(|op| op == Opcode::Loop) {
                    let block = self.f.block_of(self.f.insts[to].regions[1]);
                    self.reached[block] = true;
                    let args = self.args(to, 1);
                    self.join_all(&args, &values, to);
                }
            }
            Opcode::Next => {
                if let Some(&to) = self.frames.last() {
                    let args = self.args(to, 0);
                    self.join_all(&args, &values, to);
                }
            }
            Opcode::NextIf => {
                let Some(&to) = self.frames.last() else { return };
                let args = self.args(to, 0);
                let condition = values.first().map(|c| self.now(*c)).and_then(|c| self.bits(c));
                let Some(rest) = values.get(1..) else { return };
                if condition != Some(0) {
                    self.join_all(&args, rest, to);
                }
                if condition.is_none_or(|c| c == 0) {
                    self.pass_results(to, rest.get(args.len()..).unwrap_or_default());
                }
            }
            _ => {}
        }
    }

    fn bits(&self, v: Value) -> Option<u64> {
        self.ctx.consts.bits(self.f.as_const(v)?)
    }

    /// A selection or switch; tells whether it goes on behind it.
    fn branch(&mut self, block: Block, inst: Inst) -> bool {
        let condition = self.f.insts[inst].id(0).map(|c| self.now(c));
        let known = condition.and_then(|c| self.bits(c));
        let only = known.and_then(|bits| rewrite::taken(self.ctx, self.f, inst, bits));
        self.frames.push(inst);
        for (i, region) in self.f.insts[inst].regions.clone().into_iter().enumerate() {
            if only.is_none_or(|only| only == i) {
                let inner = self.f.block_of(region);
                self.parent[inner] = Some(block);
                self.block(inner);
            }
        }
        self.frames.pop();
        self.ends[inst]
    }

    fn repeat(&mut self, block: Block, inst: Inst) -> bool {
        let regions = self.f.insts[inst].regions.clone();
        let [body, continuing] = [0, 1].map(|i| self.f.block_of(regions[i]));
        self.parent[body] = Some(block);
        self.parent[continuing] = Some(block);
        let before = std::mem::replace(&mut self.changed, false);
        let (args, init): (_, SmallVec<[Value; 8]>) =
            (self.args(inst, 0), self.f.insts[inst].ids().collect());
        self.join_all(&args, &init, inst);
        self.frames.push(inst);
        for round in 0.. {
            self.changed = false;
            if round == MAX_ROUNDS {
                for v in args.iter().copied().chain(self.args(inst, 1)) {
                    self.known[v] = Some(v);
                }
            }
            self.block(body);
            if self.reached[continuing] {
                self.block(continuing);
            }
            // Behind the last round nothing of this loop can change any more; results do not lead back into it.
            if !self.changed || round > MAX_ROUNDS {
                break;
            }
        }
        self.frames.pop();
        // Whoever is around walks again if its own arguments change; those of this one are settled.
        self.changed = before;
        self.ends[inst]
    }
}
