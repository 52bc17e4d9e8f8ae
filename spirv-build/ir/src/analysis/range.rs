//! Bounds on the integers of a structured function, at each of its instructions.
//!
//! One walk in the order of the text. What a branch or an early exit tells of a value (`if (i >= 16) return;`) holds for the
//! code behind it. The arguments of a loop's body start from what enters it and grow to a fixed point; bounds that move jump to
//! numbers that the function compares with, so that few rounds are needed, and one more round takes back what went too far.
//!
//! # Cost
//!
//! Linear but for nested loops, each of which walks its body a few times. A budget bounds the sum: where it is used up, the
//! arguments of further loops are unknown, which is right and only says less.

mod values;

use super::interval::{Interval, Relation};
use crate::ir::entity::{PrimaryMap, SecondaryMap};
use crate::ir::walk;
use crate::ir::{
    Block, Const, ConstKind, Context, Function, GlobalData, Inst, InstData, Op, Opcode, Type, TypeKind,
    Value, ValueDef,
};
use smallvec::{SmallVec, smallvec};

/// Instructions that may be looked at for each one that there is.
const ROUNDS: usize = 24;
/// Rounds of one loop until its arguments count as unknown.
const MAX_ROUNDS: usize = 8;
/// Conditions that are taken apart into conditions.
const MAX_DEPTH: usize = 32;

/// Work-items of a group along each axis, of all entry points that reach a function.
#[derive(Debug, Clone, Copy)]
pub struct GroupSize {
    /// Of the smallest, along each.
    pub least: [u32; 3],
    /// Of the largest, along each.
    pub most: [u32; 3],
}

/// What the text around a function says of its inputs.
#[derive(Debug, Clone, Copy)]
pub struct Inputs<'a> {
    /// Types and constants.
    pub ctx: &'a Context,
    /// Globals, for the system values among them.
    pub globals: &'a PrimaryMap<crate::ir::Global, GlobalData>,
    /// Sizes of groups; None: not known.
    pub groups: Option<GroupSize>,
    /// Work-items of a launch along an axis, at most; None: as many as the numbers allow.
    pub launch_size: Option<u32>,
}

/// Walks a function whose control flow is structured and calls `at` before each instruction that it reaches, once.
pub fn walk(inputs: Inputs<'_>, f: &Function, at: &mut dyn FnMut(&Ranges<'_>, Block, Inst)) {
    let Some(entry) = f.entry() else { return };
    let mut ranges = Ranges {
        inputs,
        f,
        known: SecondaryMap::default(),
        undo: Vec::new(),
        frames: Vec::new(),
        steps: steps(inputs.ctx, f),
        budget: f.insts.len().saturating_mul(ROUNDS),
    };
    ranges.block(entry, &mut Some(at));
}

/// What is known at one instruction.
pub struct Ranges<'a> {
    inputs: Inputs<'a>,
    f: &'a Function,
    known: SecondaryMap<Value, Option<Interval>>,
    /// What was known before a condition told more.
    undo: Vec<(Value, Option<Interval>)>,
    frames: Vec<Frame>,
    /// Numbers to widen to, sorted.
    steps: Vec<i64>,
    /// Instructions that may still be looked at in rounds before the last.
    budget: usize,
}

/// Bounds of several values; None: nothing reached them yet.
type Joined = SmallVec<[Option<Interval>; 4]>;
type Report<'r, 'a> = Option<&'r mut dyn FnMut(&Ranges<'a>, Block, Inst)>;

/// A structured operation that is being walked.
#[derive(Default)]
struct Frame {
    is_loop: bool,
    /// Whether `Break` leaves it.
    breaks: bool,
    /// Its results.
    results: Joined,
    /// Arguments of the next iteration and of the continuing region.
    next: Joined,
    continuing: Joined,
}

/// Numbers that comparisons name, and their neighbours.
fn steps(ctx: &Context, f: &Function) -> Vec<i64> {
    let mut steps = vec![-1, 0, 1];
    for inst in walk::insts(f) {
        let data = &f.insts[inst];
        if !matches!(data.op, Opcode::Loop) && comparison(data.op).is_none() {
            continue;
        }
        for c in data.ids().filter_map(|v| f.as_const(v)) {
            let TypeKind::Int { width, .. } = *ctx.types.kind(ctx.consts.ty(c)) else { continue };
            let Some(bits) = ctx.consts.bits(c) else { continue };
            let interval = Interval::exact(width, bits);
            for n in [i64::try_from(bits).ok(), Some(interval.signed.0)].into_iter().flatten() {
                steps.extend([n.saturating_sub(1), n, n.saturating_add(1)]);
            }
        }
    }
    steps.sort_unstable();
    steps.dedup();
    steps
}

/// What a comparison says where it is true, and whether its operands are to be exchanged for that.
fn comparison(op: Opcode) -> Option<(Relation, bool)> {
    let Opcode::Op(op) = op else { return None };
    Some(match op {
        Op::IEqual => (Relation::Equal, false),
        Op::INotEqual => (Relation::NotEqual, false),
        Op::ULessThan => (Relation::UnsignedLess, false),
        Op::ULessThanEqual => (Relation::UnsignedLessEqual, false),
        Op::UGreaterThan => (Relation::UnsignedLess, true),
        Op::UGreaterThanEqual => (Relation::UnsignedLessEqual, true),
        Op::SLessThan => (Relation::SignedLess, false),
        Op::SLessThanEqual => (Relation::SignedLessEqual, false),
        Op::SGreaterThan => (Relation::SignedLess, true),
        Op::SGreaterThanEqual => (Relation::SignedLessEqual, true),
        _ => return None,
    })
}

/// The opposite of a relation, and whether its operands are to be exchanged for that.
fn opposite(relation: Relation) -> (Relation, bool) {
    match relation {
        Relation::Equal => (Relation::NotEqual, false),
        Relation::NotEqual => (Relation::Equal, false),
        Relation::UnsignedLess => (Relation::UnsignedLessEqual, true),
        Relation::UnsignedLessEqual => (Relation::UnsignedLess, true),
        Relation::SignedLess => (Relation::SignedLessEqual, true),
        Relation::SignedLessEqual => (Relation::SignedLess, true),
    }
}

impl<'a> Ranges<'a> {
    /// The function.
    pub fn function(&self) -> &'a Function {
        self.f
    }

    /// Bounds on an integer, or on all components of a vector of integers. None for values of other types.
    pub fn of(&self, v: Value) -> Option<Interval> {
        let width = self.width(self.f.values[v].ty)?;
        Some(self.known[v].unwrap_or_else(|| match self.f.as_const(v) {
            Some(c) => self.constant(c, width),
            None => Interval::full(width),
        }))
    }

    /// Bits of an integer, or of the components of a vector of integers.
    fn width(&self, ty: Type) -> Option<u8> {
        let types = &self.inputs.ctx.types;
        match *types.kind(ty) {
            TypeKind::Int { width, .. } => Some(width),
            TypeKind::Vector { elem, .. } => match *types.kind(elem) {
                TypeKind::Int { width, .. } => Some(width),
                _ => None,
            },
            _ => None,
        }
    }

    fn constant(&self, c: Const, width: u8) -> Interval {
        match self.inputs.ctx.consts.kind(c) {
            ConstKind::Bits(bits) => Interval::exact(width, *bits),
            ConstKind::Null => Interval::exact(width, 0),
            ConstKind::Composite(parts) => {
                let mut parts = parts.iter().map(|p| self.constant(*p, width));
                let first = parts.next().unwrap_or(Interval::full(width));
                parts.fold(first, |a, b| a.join(&b))
            }
            _ => Interval::full(width),
        }
    }

    fn refine(&mut self, v: Value, to: Interval) {
        let mut at = (v, to);
        loop {
            let (v, to) = at;
            if self.f.as_const(v).is_some() {
                return;
            }
            self.undo.push((v, self.known[v]));
            self.known[v] = Some(to);
            // What is known of a copy is known of what was copied.
            let Some(data) = self.f.def_inst(v).map(|i| &self.f.insts[i]) else { return };
            let Some((source, old)) = data.id(0).and_then(|s| Some((s, self.of(s)?))) else { return };
            at = match data.op {
                Opcode::Op(Op::Bitcast | Op::CopyObject) if old.width == to.width => (source, old.meet(&to)),
                Opcode::Op(Op::UConvert) if old.width < to.width => {
                    (source, old.meet(&Interval::from_unsigned(old.width, to.unsigned.0, to.unsigned.1)))
                }
                Opcode::Op(Op::SConvert) if old.width < to.width => {
                    (source, old.meet(&Interval::from_signed(old.width, to.signed.0, to.signed.1)))
                }
                _ => return,
            };
        }
    }

    fn roll_back(&mut self, mark: usize) {
        while self.undo.len() > mark {
            if let Some((v, old)) = self.undo.pop() {
                self.known[v] = old;
            }
        }
    }

    /// Takes it that a condition is true or false.
    fn assume(&mut self, condition: Value, truth: bool, depth: usize) {
        let ValueDef::Result(inst, index) = self.f.values[condition].def else { return };
        if depth == MAX_DEPTH {
            return;
        }
        let f = self.f;
        let data = &f.insts[inst];
        if let (Some((relation, exchanged)), Some(a), Some(b)) = (comparison(data.op), data.id(0), data.id(1))
        {
            let (a, b) = if exchanged { (b, a) } else { (a, b) };
            return match truth {
                true => self.constrain(a, relation, b),
                false => match opposite(relation) {
                    (relation, true) => self.constrain(b, relation, a),
                    (relation, false) => self.constrain(a, relation, b),
                },
            };
        }
        match data.op {
            Opcode::Op(Op::LogicalNot) => data.ids().for_each(|v| self.assume(v, !truth, depth + 1)),
            Opcode::Op(Op::LogicalAnd) if truth => data.ids().for_each(|v| self.assume(v, true, depth + 1)),
            Opcode::Op(Op::LogicalOr) if !truth => data.ids().for_each(|v| self.assume(v, false, depth + 1)),
            // `a && b`, `a || b`: a choice one of whose sides is constant.
            Opcode::Op(Op::Select) => {
                if let (Some(c), Some(a), Some(b)) = (data.id(0), data.id(1), data.id(2)) {
                    self.assume_choice(c, [a, b], truth, depth);
                }
            }
            Opcode::Selection => {
                let merged = |r: usize| {
                    let block = f.block_of(*data.regions.get(r)?);
                    let end = &f.insts[f.terminator(block)?];
                    end.id(usize::from(index)).filter(|_| end.op == Opcode::Merge)
                };
                if let (Some(c), Some(a), Some(b)) = (data.id(0), merged(0), merged(1)) {
                    self.assume_choice(c, [a, b], truth, depth);
                }
            }
            _ => {}
        }
    }

    fn assume_choice(&mut self, condition: Value, sides: [Value; 2], truth: bool, depth: usize) {
        let cannot = |v: Value| {
            let c = self.f.as_const(v).map(|c| self.inputs.ctx.consts.kind(c));
            matches!(c, Some(ConstKind::Bool(b)) if *b != truth)
        };
        let [first, second] = sides.map(cannot);
        if first != second {
            self.assume(condition, second, depth + 1);
            self.assume(sides[usize::from(first)], truth, depth + 1);
        }
    }

    fn constrain(&mut self, a: Value, relation: Relation, b: Value) {
        let types = &self.inputs.ctx.types;
        let scalar = |v: Value| matches!(types.kind(self.f.values[v].ty), TypeKind::Int { .. });
        let (Some(left), Some(right), true) = (self.of(a), self.of(b), scalar(a) && scalar(b)) else {
            return;
        };
        if left.width == right.width {
            self.refine(a, left.where_it(relation, &right));
            self.refine(b, right.where_other(&left, relation));
        }
    }

    fn block(&mut self, block: Block, report: &mut Report<'_, 'a>) {
        let (f, mark) = (self.f, self.undo.len());
        for inst in &f.blocks[block].insts {
            match report {
                Some(report) => report(self, block, *inst),
                None => self.budget = self.budget.saturating_sub(1),
            }
            self.inst(*inst, report);
        }
        self.roll_back(mark);
    }

    /// Walks the block of a region in which a condition holds.
    fn branch(&mut self, block: Block, holds: Option<(Value, bool)>, report: &mut Report<'_, 'a>) {
        let mark = self.undo.len();
        if let Some((condition, truth)) = holds {
            self.assume(condition, truth, 0);
        }
        self.block(block, report);
        self.roll_back(mark);
    }

    fn inst(&mut self, inst: Inst, report: &mut Report<'_, 'a>) {
        let f = self.f;
        let data = &f.insts[inst];
        match data.op {
            Opcode::Selection => self.selection(data, report),
            Opcode::Switch => self.switch(data, report),
            Opcode::Loop => self.loop_op(data, report),
            Opcode::Merge => {
                let frame = self.frames.len().checked_sub(1);
                self.pass(frame, data.ids(), |frame| &mut frame.results);
            }
            Opcode::Break => {
                let frame = self.frames.iter().rposition(|f| f.breaks);
                self.pass(frame, data.ids(), |frame| &mut frame.results);
            }
            Opcode::Continue => {
                let frame = self.frames.iter().rposition(|f| f.is_loop);
                self.pass(frame, data.ids(), |frame| &mut frame.continuing);
            }
            Opcode::Next => {
                let frame = self.frames.iter().rposition(|f| f.is_loop);
                self.pass(frame, data.ids(), |frame| &mut frame.next);
            }
            Opcode::NextIf => {
                let frame = self.frames.iter().rposition(|f| f.is_loop);
                let Some(condition) = data.id(0) else { return };
                let again = frame.map_or(0, |i| self.frames[i].next.len());
                for (truth, from, to) in [(true, 1, again + 1), (false, again + 1, usize::MAX)] {
                    let mark = self.undo.len();
                    self.assume(condition, truth, 0);
                    let ids = data.ids().take(to).skip(from);
                    match truth {
                        true => self.pass(frame, ids, |frame| &mut frame.next),
                        false => self.pass(frame, ids, |frame| &mut frame.results),
                    }
                    self.roll_back(mark);
                }
            }
            _ => {
                if let Some(result) = data.result() {
                    self.known[result] = self.width(f.values[result].ty).map(|w| self.result(data, w));
                }
            }
        }
    }

    /// Joins what a terminator passes.
    fn pass(
        &mut self,
        frame: Option<usize>,
        ids: impl Iterator<Item = Value>,
        list: impl Fn(&mut Frame) -> &mut Joined,
    ) {
        let Some(frame) = frame else { return };
        let passed: SmallVec<[Option<Interval>; 4]> = ids.map(|v| self.of(v)).collect();
        for (slot, new) in list(&mut self.frames[frame]).iter_mut().zip(passed) {
            *slot = match (*slot, new) {
                (Some(old), Some(new)) => Some(old.join(&new)),
                (old, new) => old.or(new),
            };
        }
    }

    /// What the results of a structured operation are, once its frame is complete.
    fn finish(&mut self, data: &InstData) {
        let Some(frame) = self.frames.pop() else { return };
        for (v, i) in data.results.iter().zip(frame.results) {
            self.known[*v] = i;
        }
    }

    fn exits(&self, block: Block) -> bool {
        self.f.terminator(block).is_some_and(|t| self.f.insts[t].op != Opcode::Merge)
    }

    fn selection(&mut self, data: &InstData, report: &mut Report<'_, 'a>) {
        let (Some(condition), &[then, els]) = (data.id(0), &data.regions[..]) else { return };
        let [then, els] = [then, els].map(|r| self.f.block_of(r));
        self.frames.push(Frame { results: smallvec![None; data.results.len()], ..Frame::default() });
        self.branch(then, Some((condition, true)), report);
        self.branch(els, Some((condition, false)), report);
        self.finish(data);
        // Whoever gets behind it came through the other side.
        match (self.exits(then), self.exits(els)) {
            (true, false) => self.assume(condition, false, 0),
            (false, true) => self.assume(condition, true, 0),
            _ => {}
        }
    }

    fn switch(&mut self, data: &InstData, report: &mut Report<'_, 'a>) {
        let Some(selector) = data.id(0) else { return };
        let results = smallvec![None; data.results.len()];
        self.frames.push(Frame { breaks: true, results, ..Frame::default() });
        let labels: SmallVec<[(u64, u32); 8]> = data.operands[1..]
            .chunks(2)
            .filter_map(|pair| match *pair {
                [crate::ir::Operand::Wide(n), crate::ir::Operand::Literal(region)] => Some((n, region)),
                _ => None,
            })
            .collect();
        for (number, region) in (0u32..).zip(&data.regions) {
            let mark = self.undo.len();
            let mut own = labels.iter().filter(|l| l.1 == number).map(|l| l.0);
            if let (Some(n), Some(all), true) = (own.next(), self.of(selector), number > 0) {
                let first = Interval::exact(all.width, n);
                let any = own.fold(first, |a, n| a.join(&Interval::exact(all.width, n)));
                self.refine(selector, all.meet(&any));
            }
            self.block(self.f.block_of(*region), report);
            self.roll_back(mark);
        }
        self.finish(data);
    }

    fn loop_op(&mut self, data: &InstData, report: &mut Report<'_, 'a>) {
        let f = self.f;
        let [body, continuing] = data.regions[..] else { return };
        let [body, continuing] = [body, continuing].map(|r| f.block_of(r));
        let args = &f.blocks[body].args;
        let entering: Joined = data.ids().map(|v| self.of(v)).collect();
        let whole = |s: &Self| -> Joined {
            args.iter().map(|a| s.width(f.values[*a].ty).map(Interval::full)).collect()
        };
        let mut now = entering.clone();
        // No integer goes around: one walk says all.
        let mut settled = entering.iter().all(Option::is_none);
        let mut rounds = 0;
        while !settled {
            rounds += 1;
            if rounds > MAX_ROUNDS || self.budget == 0 {
                now = whole(self);
                break;
            }
            let next = self.round(data, &now, [body, continuing], &mut None);
            let joined: Joined = entering.iter().zip(next).map(|(a, b)| join(*a, b)).collect();
            settled = true;
            for (now, next) in now.iter_mut().zip(joined) {
                if let (Some(old), Some(next)) = (*now, next)
                    && !old.contains(&next)
                {
                    *now = Some(old.widen(&old.join(&next), &self.steps));
                    settled = false;
                }
            }
        }
        if rounds > 1 && settled {
            // What is passed from a state that holds, holds: it may be less than what widening allowed.
            let next = self.round(data, &now, [body, continuing], &mut None);
            let joined = entering.iter().zip(next).map(|(a, b)| join(*a, b));
            now = now.iter().zip(joined).map(|(a, b)| a.and_then(|a| b.map(|b| a.meet(&b)))).collect();
        }
        self.round(data, &now, [body, continuing], report);
    }

    /// Walks a loop whose body's arguments are within `args`; gives what the next iteration's are within. Sets the results.
    fn round(
        &mut self,
        data: &InstData,
        args: &[Option<Interval>],
        [body, continuing]: [Block; 2],
        report: &mut Report<'_, 'a>,
    ) -> Joined {
        let f = self.f;
        self.frames.push(Frame {
            is_loop: true,
            breaks: true,
            results: smallvec![None; data.results.len()],
            next: smallvec![None; f.blocks[body].args.len()],
            continuing: smallvec![None; f.blocks[continuing].args.len()],
        });
        for (v, i) in f.blocks[body].args.iter().zip(args) {
            self.known[*v] = *i;
        }
        self.block(body, report);
        let passed = self.frames.last().map(|f| f.continuing.clone()).unwrap_or_default();
        for (v, i) in f.blocks[continuing].args.iter().zip(passed) {
            self.known[*v] = i;
        }
        self.block(continuing, report);
        let next = self.frames.last().map(|f| f.next.clone()).unwrap_or_default();
        self.finish(data);
        next
    }
}

fn join(a: Option<Interval>, b: Option<Interval>) -> Option<Interval> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.join(&b)),
        (a, b) => a.or(b),
    }
}
