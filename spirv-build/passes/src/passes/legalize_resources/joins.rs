//! The joins themselves: arguments and results that are handles become those that stand for them, and so does what terminators pass.

use super::candidates::{Candidate, Candidates, Root, is_handle, trace};
use super::{Choice, Choices};
use crate::analysis::joins::Targets;
use crate::ir::{
    Block, Builder, Function, Inst, Module, Op, Opcode, Operand, Type, Value, ValueData, ValueDef,
};
use smallvec::SmallVec;

/// Values before and after the replacement of one list of results or arguments.
type Values = SmallVec<[Value; 2]>;

/// Replaces all joins of handles; tells what stands for each.
pub(super) fn replace(module: &mut Module, f: &mut Function, found: &Candidates) -> Choices {
    let mut r = Replace { module, f, found, choices: Choices::default() };
    if let Some(entry) = r.f.entry() {
        r.block(entry, Targets::default());
    }
    r.choices
}

struct Replace<'a> {
    module: &'a mut Module,
    f: &'a mut Function,
    found: &'a Candidates,
    choices: Choices,
}

/// How many indices of the candidates are not constant, at most of one.
fn slots(found: &Candidates, join: Value) -> usize {
    let Some(held) = found.of.get(&join) else { return 0 };
    held.values().map(|known| known.iter().filter(|k| k.is_none()).count()).max().unwrap_or(0)
}

impl Replace<'_> {
    fn is_handle(&self, v: Value) -> bool {
        is_handle(&self.module.ctx, self.f.values[v].ty)
    }

    /// The list with numbers instead of handles. `make` tells where a value of the new list is defined.
    fn replaced(&mut self, old: &[Value], make: impl Fn(u16) -> ValueDef) -> Values {
        let uint = self.module.ctx.types.u32();
        let mut list = Values::new();
        for &v in old {
            if !self.is_handle(v) {
                self.f.values[v].def = make(list.len() as u16);
                list.push(v);
                continue;
            }
            let several = self.found.of.get(&v).is_some_and(|held| held.len() > 1);
            let mut choice = Choice::default();
            for i in 0..usize::from(several) + slots(self.found, v) {
                let data = ValueData { ty: uint, def: make(list.len() as u16), name: None };
                let number = self.f.values.push(data);
                list.push(number);
                match several && i == 0 {
                    true => choice.which = Some(number),
                    false => choice.slots.push(number),
                }
            }
            self.choices.insert(v, choice);
        }
        list
    }

    fn results(&mut self, inst: Inst) {
        let old = self.f.insts[inst].results.clone();
        if old.iter().any(|v| self.is_handle(*v)) {
            let new = self.replaced(&old, |i| ValueDef::Result(inst, i));
            self.f.insts[inst].results = new.into_iter().collect();
        }
    }

    fn args(&mut self, block: Block) {
        let old = self.f.blocks[block].args.clone();
        if old.iter().any(|v| self.is_handle(*v)) {
            let new = self.replaced(&old, |i| ValueDef::Arg(block, i));
            self.f.blocks[block].args = new.into_vec();
        }
    }

    // Nesting has a limit.
    fn block(&mut self, block: Block, targets: Targets<'_>) {
        let old = std::mem::take(&mut self.f.blocks[block].insts);
        for inst in old {
            let op = self.f.insts[inst].op;
            if op.is_structured() {
                self.structured(block, inst, targets);
                continue;
            }
            let passed: SmallVec<[(usize, Value); 4]> = targets.of(op).collect();
            self.pass(block, inst, &passed);
            self.f.blocks[block].insts.push(inst);
        }
    }

    fn structured(&mut self, block: Block, inst: Inst, targets: Targets<'_>) {
        let (op, results) = (self.f.insts[inst].op, self.f.insts[inst].results.clone());
        let regions = self.f.insts[inst].regions.clone();
        let blocks: SmallVec<[Block; 4]> = regions.iter().map(|r| self.f.block_of(*r)).collect();
        match (op, &blocks[..]) {
            (Opcode::Loop, &[body, continuing]) => {
                let (args, again) =
                    (self.f.blocks[body].args.clone(), self.f.blocks[continuing].args.clone());
                let entering: SmallVec<[(usize, Value); 4]> = args.iter().copied().enumerate().collect();
                self.pass(block, inst, &entering);
                self.args(body);
                self.args(continuing);
                let inner = Targets { merge: &[], brk: &results, cont: &again, next: &args };
                self.block(body, inner);
                self.block(continuing, inner);
            }
            _ => {
                let brk = if op == Opcode::Switch { &results[..] } else { targets.brk };
                for b in blocks {
                    self.block(b, Targets { merge: &results, brk, ..targets });
                }
            }
        }
        self.results(inst);
        self.f.blocks[block].insts.push(inst);
    }

    /// Passes numbers instead of handles: `passed` are the operands that become joins. What they take to compute is appended to
    /// the block.
    fn pass(&mut self, block: Block, inst: Inst, passed: &[(usize, Value)]) {
        if passed.iter().all(|(_, target)| !self.is_handle(*target)) {
            return;
        }
        let old = self.f.insts[inst].operands.clone();
        let mut new: SmallVec<[Operand; 4]> = SmallVec::new();
        for (i, operand) in old.into_iter().enumerate() {
            let target = passed.iter().find(|(at, _)| *at == i).map(|(_, target)| *target);
            match (operand, target.filter(|t| self.is_handle(*t))) {
                (Operand::Id(v), Some(target)) => {
                    let span = self.f.insts[inst].span;
                    new.extend(self.numbers(block, v, target, span).into_iter().map(Operand::Id));
                }
                _ => new.push(operand),
            }
        }
        self.f.insts[inst].operands = new;
    }

    /// What stands for the handle `v` where it becomes `target`.
    fn numbers(&mut self, block: Block, v: Value, target: Value, span: crate::source::Span) -> Values {
        let (root, way) = trace(self.f, &self.module.ctx, v);
        let mut b = Builder::new(&mut self.module.ctx, self.f, block);
        b.span = span;
        let uint = b.ctx.types.u32();
        let Some(held) = self.found.of.get(&target) else { return Values::new() };
        // By candidate of `target` that it may be: under which number of its own root, and its indices in order.
        let mut ways: SmallVec<[(u32, Option<u32>, Values); 2]> = SmallVec::new();
        let mut which = None;
        match root {
            Root::Global(global) => {
                let from = Candidate { global, steps: SmallVec::new() };
                let end = self.found.follow(b.func, b.ctx, &self.module.globals, from, &way);
                if let Some((candidate, indices)) = end {
                    ways.push((candidate, None, indices));
                }
            }
            Root::Join(join) => {
                let choice = self.choices.get(&join).cloned().unwrap_or_default();
                which = choice.which;
                for (n, known) in self.found.of.get(&join).into_iter().flatten() {
                    let Some(base) = self.found.all.get(*n as usize) else { continue };
                    let mut own: Values = SmallVec::new();
                    let mut slots = choice.slots.iter();
                    for k in known {
                        own.push(match k {
                            Some(k) => b.u32(*k),
                            None => slots.next().copied().unwrap_or_else(|| b.undef(uint)),
                        });
                    }
                    let end = self.found.follow(b.func, b.ctx, &self.module.globals, base.clone(), &way);
                    if let Some((candidate, more)) = end {
                        own.extend(more);
                        ways.push((candidate, Some(*n), own));
                    }
                }
            }
            Root::Undef | Root::Other => {}
        }
        let mut list = Values::new();
        let same = ways.iter().all(|(c, from, _)| *from == Some(*c));
        if held.len() > 1 && same && which.is_some() {
            list.extend(which);
        } else if held.len() > 1 {
            let numbers: SmallVec<[(Option<u32>, Value); 2]> =
                ways.iter().map(|(c, from, _)| (*from, b.u32(*c))).collect();
            list.push(selected(&mut b, which, &numbers, uint));
        }
        for slot in 0..slots(self.found, target) {
            let mut values: SmallVec<[(Option<u32>, Value); 2]> = SmallVec::new();
            for (candidate, from, indices) in &ways {
                let varying = held.get(candidate).into_iter().flatten().enumerate();
                let at = varying.filter(|(_, k)| k.is_none()).nth(slot).map(|(at, _)| at);
                if let Some(v) = at.and_then(|at| indices.get(at)) {
                    values.push((*from, as_uint(&mut b, *v, uint)));
                }
            }
            list.push(selected(&mut b, which, &values, uint));
        }
        list
    }
}

/// An index as an unsigned number.
fn as_uint(b: &mut Builder<'_>, v: Value, uint: Type) -> Value {
    if b.ty(v) == uint {
        return v;
    }
    if let Some(n) = b.func.as_const(v).and_then(|c| b.ctx.consts.bits(c)).and_then(|n| u32::try_from(n).ok())
    {
        return b.u32(n);
    }
    match b.ctx.types.width_of(b.ty(v)) {
        Some(32) => b.op(Op::Bitcast, uint, &[v]),
        _ => b.op(Op::UConvert, uint, &[v]),
    }
}

/// One of several values, by the number of the candidate that each belongs to.
fn selected(b: &mut Builder<'_>, which: Option<Value>, values: &[(Option<u32>, Value)], uint: Type) -> Value {
    let Some(((_, first), rest)) = values.split_first() else { return b.undef(uint) };
    let mut now = *first;
    for (number, v) in rest {
        let (Some(which), Some(number), true) = (which, *number, *v != now) else { continue };
        let number = b.u32(number);
        let bool_type = b.ctx.types.bool();
        let is = b.op(Op::IEqual, bool_type, &[which, number]);
        now = b.op(Op::Select, uint, &[is, *v, now]);
    }
    now
}
