//! Loops whose rounds can be counted, round by round: those that the source wants unrolled (`[unroll]`) and in which something must be
//! known that only a round knows, the resource that a handle is or the offset of a sample; with `all` every loop that the source wants
//! unrolled.
//!
//! A loop is counted by computing what its arguments are in each round as far as they are constants, up to [`MAX_ROUNDS`]. It must end where
//! its condition says, and nowhere else. Then `sccp` finds the constants of each round.

use super::legalize_resources::is_handle;
use super::offsets::offset_of;
use super::{Changed, Pass};
use crate::analysis::Analyses;
use crate::analysis::tables::Tables;
use crate::diag::Findings;
use crate::ir::edit::{Rebuild, Replacements};
use crate::ir::fold::{self, Arg};
use crate::ir::{
    Block, Const, Context, Function, Inst, InstData, Module, Opcode, Operand, Value, ValueData, ValueDef,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use spirv_spec::LoopControl;

/// Rounds that a loop may have to be unrolled.
pub const MAX_ROUNDS: usize = 256;
/// Instructions that a function may have once its loops are unrolled.
pub const MAX_INSTRUCTIONS: usize = 1 << 16;
/// Instructions that are looked at to count the rounds of all loops of a function.
const MAX_COUNTED: usize = 1 << 18;

/// Unrolls loops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unroll {
    /// Every loop that the source wants unrolled, not only those that must be.
    pub all: bool,
}

impl Pass for Unroll {
    fn name(&self) -> &'static str {
        "unroll"
    }

    fn run(&self, module: &mut Module, _: &mut Analyses, _: &mut Findings) -> Changed {
        if !module.functions.iter().any(|(_, f)| f.insts.iter().any(|(_, d)| wants(d))) {
            return Changed::No;
        }
        let tables = Tables::of(module);
        let Module { ctx, functions, .. } = module;
        let mut changed = false;
        for (_, f) in functions.iter_mut() {
            changed |= run_on(ctx, f, &tables, self.all);
        }
        changed.into()
    }
}

/// Runs on one function; outer loops first, whose rounds then have inner ones each.
fn run_on(ctx: &mut Context, f: &mut Function, tables: &Tables, all: bool) -> bool {
    let Some(entry) = f.body.filter(|b| f.regions[*b].blocks.len() == 1).map(|b| f.block_of(b)) else {
        return false;
    };
    if !f.insts.iter().any(|(_, d)| wants(d)) {
        return false;
    }
    let mut u =
        Unroller { ctx, f, all, budget: MAX_COUNTED, results: Replacements::default(), changed: false };
    u.block(entry);
    let Unroller { results, changed, .. } = u;
    if changed {
        f.replace_all_uses(&results);
        // What a round knows decides branches in it, and what handles are; no float does.
        super::sccp::run_on(ctx, f, tables, false);
    }
    changed
}

fn wants(data: &InstData) -> bool {
    data.op == Opcode::Loop && LoopControl(data.control.0).contains(LoopControl::UNROLL)
}

/// Values of one round by those of the loop.
type Round = FxHashMap<Value, Value>;

/// What is constant in one round.
type Known = FxHashMap<Value, Const>;

struct Unroller<'a> {
    ctx: &'a mut Context,
    f: &'a mut Function,
    all: bool,
    /// Instructions that may still be looked at to count rounds.
    budget: usize,
    /// What the results of loops are that are gone.
    results: Replacements,
    changed: bool,
}

/// The parts of a loop that can be counted.
struct Shape {
    body: Block,
    continuing: Block,
    /// The selection in the body that leaves the loop: its place, and whether its condition leaves where it holds.
    exit: usize,
    leaves_if: bool,
    /// The block that ends with the `Break`.
    left: Block,
}

impl Rebuild for Unroller<'_> {
    fn function(&mut self) -> &mut Function {
        self.f
    }

    // Nesting has a limit.
    fn structured(&mut self, inst: Inst, out: &mut Vec<Inst>) -> bool {
        let rounds = if wants(&self.f.insts[inst]) { self.unrolled(inst) } else { None };
        let Some(rounds) = rounds else {
            self.blocks_of(inst);
            out.push(inst);
            return true;
        };
        self.changed = true;
        for inst in rounds {
            if self.f.insts[inst].op.is_structured() {
                self.structured(inst, out);
            } else {
                out.push(inst);
            }
        }
        true
    }
}

impl Unroller<'_> {
    /// The shape of a loop that ends where its condition says, and nowhere else.
    fn shape(&self, inst: Inst) -> Option<Shape> {
        let [body, continuing] = self.f.insts[inst].regions[..] else { return None };
        let (body, continuing) = (self.f.block_of(body), self.f.block_of(continuing));
        let ends = |block: Block, op: Opcode| self.f.terminator(block).filter(|t| self.f.insts[*t].op == op);
        ends(body, Opcode::Continue)?;
        ends(continuing, Opcode::Next)?;
        let insts = &self.f.blocks[body].insts;
        let exit = insts.iter().position(|i| self.f.insts[*i].op.is_structured())?;
        let test = &self.f.insts[insts[exit]];
        if test.op != Opcode::Selection || !test.results.is_empty() {
            return None;
        }
        let [then, els] = test.regions[..] else { return None };
        let (then, els) = (self.f.block_of(then), self.f.block_of(els));
        let empty = |b: Block| self.f.blocks[b].insts.len() == 1 && ends(b, Opcode::Merge).is_some();
        let (left, leaves_if) = match (empty(then), empty(els)) {
            (true, false) => (els, false),
            (false, true) => (then, true),
            _ => return None,
        };
        let out = ends(left, Opcode::Break)?;
        let alone = !self.f.is_left_inside(body, true, Some(out));
        alone.then_some(Shape { body, continuing, exit, leaves_if, left })
    }

    /// Whether something in a loop must be known: handles, and offsets that are not constant.
    fn must(&self, shape: &Shape) -> bool {
        let is_handle = |v: &Value| is_handle(self.ctx, self.f.values[*v].ty);
        let mut stack = vec![shape.body, shape.continuing];
        while let Some(block) = stack.pop() {
            if self.f.blocks[block].args.iter().any(is_handle) {
                return true;
            }
            for &i in &self.f.blocks[block].insts {
                let d = &self.f.insts[i];
                let offset = offset_of(d).and_then(|at| d.id(at));
                if offset.is_some_and(|v| self.f.as_const(v).is_none())
                    || d.op.is_structured() && d.results.iter().any(is_handle)
                {
                    return true;
                }
                stack.extend(d.regions.iter().map(|r| self.f.block_of(*r)));
            }
        }
        false
    }

    /// The rounds of a loop, one behind the other; None if it stays a loop.
    fn unrolled(&mut self, inst: Inst) -> Option<Vec<Inst>> {
        let shape = self.shape(inst)?;
        if !self.all && !self.must(&shape) {
            return None;
        }
        let size = self.size(shape.body) + self.size(shape.continuing);
        let room = MAX_INSTRUCTIONS.saturating_sub(self.f.insts.len()) / size.max(1);
        let rounds = self.count(inst, &shape, room.min(MAX_ROUNDS))?;
        let mut out = Vec::new();
        let outside = Round::default();
        let mut args: SmallVec<[Value; 8]> =
            self.f.insts[inst].ids().map(|v| self.now(v, &outside)).collect();
        let body = self.f.blocks[shape.body].insts.clone();
        let step = self.f.blocks[shape.continuing].insts.clone();
        let mut map = Round::default();
        for _ in 0..rounds {
            map.clear();
            self.enter(&mut map, shape.body, &args);
            self.copy_all(&body[..shape.exit], &mut map, &mut out);
            self.copy_all(&body[shape.exit + 1..], &mut map, &mut out);
            let values = self.passed(*body.last()?, &map);
            self.enter(&mut map, shape.continuing, &values);
            self.copy_all(&step, &mut map, &mut out);
            args = self.passed(*step.last()?, &map);
        }
        map.clear();
        self.enter(&mut map, shape.body, &args);
        self.copy_all(&body[..shape.exit], &mut map, &mut out);
        let last = self.f.blocks[shape.left].insts.clone();
        self.copy_all(&last, &mut map, &mut out);
        let left = self.passed(*last.last()?, &map);
        for (result, v) in self.f.insts[inst].results.clone().into_iter().zip(left) {
            self.results[result] = Some(v);
        }
        Some(out)
    }

    fn size(&self, block: Block) -> usize {
        let mut sum = 0;
        let mut stack = vec![block];
        while let Some(block) = stack.pop() {
            sum += self.f.blocks[block].insts.len();
            for &i in &self.f.blocks[block].insts {
                stack.extend(self.f.insts[i].regions.iter().map(|r| self.f.block_of(*r)));
            }
        }
        sum
    }

    fn enter(&self, map: &mut Round, block: Block, values: &[Value]) {
        map.extend(self.f.blocks[block].args.iter().copied().zip(values.iter().copied()));
    }

    /// What a value is in a round.
    fn now(&self, v: Value, map: &Round) -> Value {
        let mut v = map.get(&v).copied().unwrap_or(v);
        while let Some(next) = self.results[v] {
            v = next;
        }
        v
    }

    /// What a terminator passes in a round.
    fn passed(&self, inst: Inst, map: &Round) -> SmallVec<[Value; 8]> {
        self.f.insts[inst].ids().map(|v| self.now(v, map)).collect()
    }

    /// Appends copies for a round of all but the terminator of the round itself.
    fn copy_all(&mut self, insts: &[Inst], map: &mut Round, out: &mut Vec<Inst>) {
        for &inst in insts {
            if !self.f.insts[inst].op.is_terminator() {
                out.extend(self.copy(inst, map));
            }
        }
    }

    /// A copy of an instruction, and of all that is nested in it, for a round; None if it is a constant there.
    fn copy(&mut self, inst: Inst, map: &mut Round) -> Option<Inst> {
        if let Some(c) = self.fold(inst, |u, v| u.f.as_const(u.now(v, map))) {
            let result = self.f.insts[inst].results[0];
            let ty = self.f.values[result].ty;
            map.insert(result, self.f.const_value(c, ty));
            return None;
        }
        let old = self.f.insts[inst].clone();
        let mut data = InstData { results: SmallVec::new(), regions: SmallVec::new(), ..old.clone() };
        for operand in &mut data.operands {
            if let Operand::Id(v) = operand {
                *v = self.now(*v, map);
            }
        }
        let new = self.f.make_inst(data, &[]);
        if let Some(site) = self.f.inlined.get(&inst).copied() {
            self.f.inlined.insert(new, site);
        }
        for (i, v) in old.results.iter().enumerate() {
            let data = ValueData { def: ValueDef::Result(new, i as u16), ..self.f.values[*v].clone() };
            let copy = self.f.values.push(data);
            self.f.insts[new].results.push(copy);
            map.insert(*v, copy);
        }
        for region in old.regions {
            let from = self.f.block_of(region);
            let (region, block) = self.f.make_region();
            for v in self.f.blocks[from].args.clone() {
                let copy = self.f.add_arg(block, self.f.values[v].ty);
                self.f.values[copy].name = self.f.values[v].name.clone();
                map.insert(v, copy);
            }
            for i in self.f.blocks[from].insts.clone() {
                let copy = self.copy(i, map);
                self.f.blocks[block].insts.extend(copy);
            }
            self.f.insts[new].regions.push(region);
        }
        Some(new)
    }

    /// How often the body of a loop runs, if that is known and not more than `most`.
    fn count(&mut self, inst: Inst, shape: &Shape, most: usize) -> Option<usize> {
        let outside = Round::default();
        let mut now: SmallVec<[Option<Const>; 8]> =
            self.f.insts[inst].ids().map(|v| self.f.as_const(self.now(v, &outside))).collect();
        let body = self.f.blocks[shape.body].insts.clone();
        let step = self.f.blocks[shape.continuing].insts.clone();
        let condition = self.f.insts[body[shape.exit]].id(0)?;
        let mut known = Known::default();
        for round in 0..=most {
            self.budget = self.budget.checked_sub(body.len() + step.len())?;
            known.clear();
            self.know(&mut known, shape.body, &now);
            self.compute(&body[..shape.exit], &mut known);
            let holds = self.constant(condition, &known).and_then(|c| self.ctx.consts.bits(c))? != 0;
            if holds == shape.leaves_if {
                return Some(round);
            }
            self.compute(&body[shape.exit..], &mut known);
            let passed = self.constants(*body.last()?, &known);
            self.know(&mut known, shape.continuing, &passed);
            self.compute(&step, &mut known);
            now = self.constants(*step.last()?, &known);
        }
        None
    }

    fn know(&self, known: &mut Known, block: Block, values: &[Option<Const>]) {
        for (arg, c) in self.f.blocks[block].args.iter().zip(values) {
            known.extend(c.map(|c| (*arg, c)));
        }
    }

    fn constant(&self, v: Value, known: &Known) -> Option<Const> {
        known.get(&v).copied().or_else(|| self.f.as_const(self.now(v, &Round::default())))
    }

    fn constants(&self, terminator: Inst, known: &Known) -> SmallVec<[Option<Const>; 8]> {
        self.f.insts[terminator].ids().map(|v| self.constant(v, known)).collect()
    }

    /// Computes what is constant in a round, as far as no branch decides it.
    fn compute(&mut self, insts: &[Inst], known: &mut Known) {
        for &inst in insts {
            if let Some(c) = self.fold(inst, |u, v| u.constant(v, known)) {
                known.insert(self.f.insts[inst].results[0], c);
            }
        }
    }

    /// The constant that an operation gives. How floats are rounded decides nothing here.
    fn fold(&mut self, inst: Inst, constant: impl Fn(&Self, Value) -> Option<Const>) -> Option<Const> {
        let data = &self.f.insts[inst];
        let (Opcode::Op(op), Some(result)) = (data.op, data.result()) else { return None };
        if !op.traits().is_pure() || data.operands.is_empty() || fold::is_float_arithmetic(op) {
            return None;
        }
        let arg = |o: &Operand| match o {
            Operand::Id(v) => constant(self, *v).map(Arg::Const),
            Operand::Literal(n) => Some(Arg::Literal(*n)),
            _ => None,
        };
        let args: SmallVec<[Arg; 4]> = data.operands.iter().map(arg).collect::<Option<_>>()?;
        let ty = self.f.values[result].ty;
        fold::fold(self.ctx, op, ty, &args).filter(|c| self.ctx.consts.ty(*c) == ty)
    }
}
