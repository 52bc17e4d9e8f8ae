//! Barriers that not all invocations of a work-group reach, as far as the program alone tells: in control flow that depends on
//! which invocation it is.
//!
//! What is read from memory may be the same for all; nothing is said of that. Native code checks it at run time (`group`).

use super::uniformity::{self, Analysis, Cause, Input};
use crate::ir::{Block, Function, Inst, Module, Op, Opcode, Value};
use crate::source::Span;

/// A barrier, and the condition that keeps some invocations from it.
pub struct Divergent {
    /// The barrier.
    pub barrier: Span,
    /// What decides.
    pub condition: Span,
}

/// The barriers of all entry points in divergent control flow. Entry points that call something are left out.
pub fn divergent(module: &Module) -> Vec<Divergent> {
    let mut found: Vec<Divergent> = Vec::new();
    for point in &module.entry_points {
        let f = &module.functions[point.func];
        let has_barrier = f.insts.iter().any(|(_, data)| data.op == Opcode::Op(Op::ControlBarrier));
        let Some(entry) = f.entry().filter(|_| has_barrier) else { continue };
        if point.local_size.iter().product::<u32>() <= 1 {
            continue;
        }
        let input = Input { ctx: &module.ctx, globals: &module.globals, f, local_size: point.local_size };
        let mut look = Look { f, values: uniformity::analyze(input), found: Vec::new() };
        look.block(entry, None);
        for new in look.found {
            if found.iter().all(|old| old.barrier != new.barrier) {
                found.push(new);
            }
        }
    }
    found
}

/// Who has left, by the condition that they left on.
#[derive(Default, Clone, Copy)]
struct Left {
    function: Option<Span>,
    /// The loop or switch around.
    target: Option<Span>,
    /// The round of the loop around.
    round: Option<Span>,
}

impl Left {
    fn and(self, other: Left) -> Left {
        Left {
            function: self.function.or(other.function),
            target: self.target.or(other.target),
            round: self.round.or(other.round),
        }
    }

    fn any(self) -> Option<Span> {
        self.function.or(self.target).or(self.round)
    }
}

/// Finds the barriers, knowing how conditions vary.
struct Look<'a> {
    f: &'a Function,
    values: Analysis,
    found: Vec<Divergent>,
}

impl Look<'_> {
    /// A block that some do not come to because of a condition.
    fn block(&mut self, block: Block, reason: Option<Span>) -> Left {
        let f = self.f;
        let mut left = Left::default();
        for &inst in &f.blocks[block].insts {
            let data = &f.insts[inst];
            let reason = reason.or(left.any());
            match data.op {
                Opcode::Op(Op::ControlBarrier) => {
                    if let Some(condition) = reason {
                        self.found.push(Divergent { barrier: data.span, condition });
                    }
                }
                Opcode::Selection => {
                    let inside = reason.or(self.decides(data.id(0), data.span));
                    for &region in &data.regions {
                        left = left.and(self.block(f.block_of(region), inside));
                    }
                }
                Opcode::Switch => {
                    let several = data.regions.len() > 1;
                    let inside = reason.or(self.decides(data.id(0).filter(|_| several), data.span));
                    for &region in &data.regions {
                        let from = self.block(f.block_of(region), inside);
                        left = left.and(Left { target: None, ..from });
                    }
                }
                Opcode::Loop => {
                    let from = self.looped(inst, reason);
                    left = left.and(from);
                }
                Opcode::Break => left.target = left.target.or(reason),
                Opcode::Continue => left.round = left.round.or(reason),
                Opcode::Op(Op::Return | Op::ReturnValue) => left.function = left.function.or(reason),
                _ => {}
            }
        }
        left
    }

    /// Who leaves the function in a loop. In the rounds after one in which some left, they are missing from the start.
    fn looped(&mut self, inst: Inst, reason: Option<Span>) -> Left {
        let f = self.f;
        let data = &f.insts[inst];
        let (body, continuing) = (f.block_of(data.regions[0]), f.block_of(data.regions[1]));
        let last = f.terminator(continuing).map(|t| &f.insts[t]).filter(|t| t.op == Opcode::NextIf);
        let ends = last.and_then(|t| self.decides(t.id(0), data.span));
        let known = self.found.len();
        let first = self.block(body, reason);
        let for_good = reason.or(ends).or(first.target).or(first.function);
        if for_good.is_some() && reason.is_none() {
            self.found.truncate(known);
            self.block(body, for_good);
        }
        self.block(continuing, for_good);
        Left { target: None, round: None, function: first.function }
    }

    /// The place of a condition that depends on the invocation.
    fn decides(&self, condition: Option<Value>, otherwise: Span) -> Option<Span> {
        let v = condition.filter(|v| self.values.cause(*v, 0) == Cause::Invocation)?;
        let f = self.f;
        let span = f.def_inst(v).map(|i| f.insts[i].span).filter(|s| *s != Span::default());
        Some(span.unwrap_or(otherwise))
    }
}
