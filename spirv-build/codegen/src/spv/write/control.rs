//! Structured operations: merge instructions, branches, phis.

use super::function::{Body, error};
use super::inst;
use super::limits::{self, Limit};
use crate::diag::Finding;
use crate::ir::{InstData, Op, Opcode, Operand, Region, TypeKind, Value};
use smallvec::SmallVec;

/// Edges into a block: label they come from, values they pass.
type Edges = Vec<(u32, SmallVec<[u32; 2]>)>;

/// A structured operation whose regions are being written.
pub(super) struct Frame {
    op: Opcode,
    merge: u32,
    into_merge: Edges,
    /// Loops only.
    header: u32,
    cont: u32,
    into_cont: Edges,
    /// Where the header's phis stand in the code; their last two words are not known yet.
    phis: Vec<usize>,
}

impl Frame {
    fn new(op: Opcode, merge: u32) -> Frame {
        Frame {
            op,
            merge,
            into_merge: Vec::new(),
            header: 0,
            cont: 0,
            into_cont: Vec::new(),
            phis: Vec::new(),
        }
    }
}

impl<'a> Body<'_, 'a> {
    fn branch(&mut self, target: u32) {
        inst(&mut self.w.code, Op::Branch, &[target]);
    }

    /// Phis for `results`. Each edge passes one value for each. With a single edge the values stand for the results.
    fn phis(&mut self, results: &[Value], edges: &Edges, data: &InstData) -> Result<(), Box<Finding>> {
        if let [(_, values)] = &edges[..] {
            for (i, v) in results.iter().enumerate() {
                let Some(value) = values.get(i) else {
                    return Err(error(data.span, "an edge passes too few values"));
                };
                self.alias(*v, *value);
            }
            return Ok(());
        }
        if !results.is_empty() {
            limits::check(Limit::Ways, edges.len(), || data.span)?;
        }
        for (i, v) in results.iter().enumerate() {
            let mut words = vec![self.type_of(*v), self.value(*v)];
            for (from, values) in edges {
                let Some(value) = values.get(i) else {
                    return Err(error(data.span, "an edge passes too few values"));
                };
                words.extend([*value, *from]);
            }
            inst(&mut self.w.code, Op::Phi, &words);
            self.decorate(*v);
        }
        Ok(())
    }

    /// Ends a structured operation: the merge block. Tells whether anything reaches it.
    fn merge(&mut self, data: &InstData) -> Result<bool, Box<Finding>> {
        let Some(frame) = self.frames.pop() else { return Err(error(data.span, "no structured operation")) };
        self.begin(frame.merge);
        if frame.into_merge.is_empty() {
            inst(&mut self.w.code, Op::Unreachable, &[]);
            return Ok(false);
        }
        self.phis(&data.results, &frame.into_merge, data)?;
        Ok(true)
    }

    /// Whether a region does nothing but pass on values.
    fn is_empty(&self, region: Region) -> bool {
        let blocks = &self.f.regions[region].blocks;
        let insts = blocks.first().map_or(&[][..], |b| &self.f.blocks[*b].insts[..]);
        matches!(insts, [i] if self.f.insts[*i].op == Opcode::Merge)
    }

    /// The values that the only instruction of an empty region passes.
    fn passed(&mut self, region: Region) -> SmallVec<[u32; 2]> {
        let block = self.f.block_of(region);
        let data = &self.f.insts[self.f.blocks[block].insts[0]];
        data.ids().map(|v| self.value(v)).collect()
    }

    pub(super) fn selection(&mut self, data: &'a InstData, depth: usize) -> Result<bool, Box<Finding>> {
        let (Some(cond), &[then, els]) = (data.id(0), &data.regions[..]) else {
            return Err(error(data.span, "malformed selection"));
        };
        let cond = self.value(cond);
        if data.results.is_empty() {
            for (jump, other, when) in [(then, els, true), (els, then, false)] {
                if let Some(target) = self.jump(jump) {
                    return self.guard(data, cond, when, target, other, depth);
                }
            }
        }
        let merge = self.w.id();
        let mut frame = Frame::new(data.op, merge);
        let skip_then = self.is_empty(then) && !self.is_empty(els);
        let skip_else = self.is_empty(els);
        let mut targets = [merge, merge];
        for (i, (region, skip)) in [(then, skip_then), (els, skip_else)].into_iter().enumerate() {
            if skip {
                let values = self.passed(region);
                frame.into_merge.push((self.label, values));
            } else {
                targets[i] = self.w.id();
            }
        }
        inst(&mut self.w.code, Op::SelectionMerge, &[merge, data.control.0]);
        inst(&mut self.w.code, Op::BranchConditional, &[cond, targets[0], targets[1]]);
        self.frames.push(frame);
        for (i, (region, skip)) in [(then, skip_then), (els, skip_else)].into_iter().enumerate() {
            if !skip {
                let block = self.only_block(region, data.span)?;
                self.begin(targets[i]);
                self.block(block, depth + 1)?;
            }
        }
        self.merge(data)
    }

    /// Where a region goes that does nothing but `break` out of or `continue` the loop around it. Records the edge.
    fn jump(&mut self, region: Region) -> Option<u32> {
        let [block] = self.f.regions[region].blocks[..] else { return None };
        let [inst] = self.f.blocks[block].insts[..] else { return None };
        let data = &self.f.insts[inst];
        let wanted = match data.op {
            Opcode::Break | Opcode::Continue => data.op,
            _ => return None,
        };
        // Only a branch to the innermost loop, with no switch in between, needs no merge block.
        let at = self.frames.iter().rposition(|f| f.op != Opcode::Selection)?;
        if self.frames[at].op != Opcode::Loop {
            return None;
        }
        let values: SmallVec<[u32; 2]> = data.ids().map(|v| self.value(v)).collect();
        let (frame, label) = (&mut self.frames[at], self.label);
        if wanted == Opcode::Break {
            frame.into_merge.push((label, values));
            return Some(frame.merge);
        }
        frame.into_cont.push((label, values));
        Some(frame.cont)
    }

    /// A selection one of whose sides leaves the innermost loop at once: a conditional branch, after which the other
    /// side goes on.
    fn guard(
        &mut self,
        data: &'a InstData,
        cond: u32,
        when: bool,
        target: u32,
        other: Region,
        depth: usize,
    ) -> Result<bool, Box<Finding>> {
        let next = self.w.id();
        let (yes, no) = if when { (target, next) } else { (next, target) };
        inst(&mut self.w.code, Op::BranchConditional, &[cond, yes, no]);
        self.begin(next);
        let block = self.only_block(other, data.span)?;
        let insts = &self.f.blocks[block].insts;
        if !insts.last().is_some_and(|i| self.f.insts[*i].op == Opcode::Merge) {
            // Both sides leave: what follows the selection is never reached.
            self.frames.push(Frame::new(data.op, 0));
            self.block(block, depth + 1)?;
            self.frames.pop();
            return Ok(false);
        }
        self.frames.push(Frame::new(data.op, 0));
        let merges = self.straight(block, depth + 1)?;
        self.frames.pop();
        Ok(merges)
    }

    pub(super) fn switch(&mut self, data: &'a InstData, depth: usize) -> Result<bool, Box<Finding>> {
        let Some(selector) = data.id(0).filter(|_| !data.regions.is_empty()) else {
            return Err(error(data.span, "malformed switch"));
        };
        let wide = matches!(
            self.w.module.ctx.types.kind(self.f.values[selector].ty),
            TypeKind::Int { width: 64, .. }
        );
        let selector = self.value(selector);
        let merge = self.w.id();
        let labels: Vec<u32> = data.regions.iter().map(|_| self.w.id()).collect();
        inst(&mut self.w.code, Op::SelectionMerge, &[merge, data.control.0]);
        limits::check_cases(data, data.operands[1..].len() / 2)?;
        let mut words = vec![selector, labels[0]];
        for pair in data.operands[1..].chunks(2) {
            let [Operand::Wide(value), Operand::Literal(region)] = *pair else {
                return Err(error(data.span, "malformed case"));
            };
            let Some(label) = labels.get(region as usize) else {
                return Err(error(data.span, "case without region"));
            };
            words.push(value as u32);
            if wide {
                words.push((value >> 32) as u32);
            }
            words.push(*label);
        }
        inst(&mut self.w.code, Op::Switch, &words);
        self.frames.push(Frame::new(data.op, merge));
        for (region, label) in data.regions.iter().zip(labels) {
            let block = self.only_block(*region, data.span)?;
            self.begin(label);
            self.block(block, depth + 1)?;
        }
        self.merge(data)
    }

    pub(super) fn loop_op(&mut self, data: &'a InstData, depth: usize) -> Result<bool, Box<Finding>> {
        let [body, continuing] = data.regions[..] else { return Err(error(data.span, "malformed loop")) };
        let (body, continuing) = (self.only_block(body, data.span)?, self.only_block(continuing, data.span)?);
        let (header, first, cont, merge) = (self.w.id(), self.w.id(), self.w.id(), self.w.id());
        let init: Vec<u32> = data.ids().map(|v| self.value(v)).collect();
        let before = self.label;
        self.branch(header);
        self.begin(header);
        let f = self.f;
        let args = &f.blocks[body].args;
        if args.len() != init.len() {
            return Err(error(data.span, "a loop has not one initial value for each argument"));
        }
        let mut frame = Frame { header, cont, ..Frame::new(data.op, merge) };
        for (arg, init) in args.iter().zip(init) {
            frame.phis.push(self.w.code.len());
            let words = [self.type_of(*arg), self.value(*arg), init, before, 0, 0];
            inst(&mut self.w.code, Op::Phi, &words);
            self.decorate(*arg);
        }
        let mut words = vec![merge, cont, data.control.0];
        words.extend(data.control.1);
        inst(&mut self.w.code, Op::LoopMerge, &words);
        self.branch(first);
        self.frames.push(frame);
        self.begin(first);
        self.block(body, depth + 1)?;
        self.begin(cont);
        let into_cont = self.frames.last_mut().map_or(Vec::new(), |f| std::mem::take(&mut f.into_cont));
        if into_cont.is_empty() {
            // Nothing continues, but the block must stand, and lead back.
            let undefs: SmallVec<[u32; 2]> = args
                .iter()
                .map(|a| {
                    let ty = self.type_of(*a);
                    self.w.undef(ty)
                })
                .collect();
            self.next(data, undefs)?;
            self.branch(header);
        } else {
            self.phis(&f.blocks[continuing].args, &into_cont, data)?;
            self.block(continuing, depth + 1)?;
        }
        self.merge(data)
    }

    /// Completes the phis of the innermost loop's header with an edge from the current block.
    fn next(&mut self, data: &InstData, values: SmallVec<[u32; 2]>) -> Result<u32, Box<Finding>> {
        let Some(frame) = self.frames.last_mut().filter(|f| f.op == Opcode::Loop) else {
            return Err(error(data.span, "a back edge outside a loop"));
        };
        for (i, at) in std::mem::take(&mut frame.phis).into_iter().enumerate() {
            let Some(value) = values.get(i) else {
                return Err(error(data.span, "a back edge passes too few values"));
            };
            self.w.code[at + 5] = *value;
            self.w.code[at + 6] = self.label;
        }
        Ok(frame.header)
    }

    pub(super) fn terminator(&mut self, data: &InstData) -> Result<(), Box<Finding>> {
        let all: SmallVec<[u32; 2]> = match data.op {
            Opcode::Op(op) => {
                if !data.successors.is_empty()
                    || matches!(op, Op::Branch | Op::BranchConditional | Op::Switch)
                {
                    return Err(error(data.span, "control flow is not structured"));
                }
                return self.plain(data);
            }
            _ => data.ids().map(|v| self.value(v)).collect(),
        };
        let label = self.label;
        let outside = || error(data.span, "a terminator leaves what it is not in");
        let target = match data.op {
            Opcode::Merge => {
                let frame = self.frames.last_mut().filter(|f| f.op != Opcode::Loop).ok_or_else(outside)?;
                frame.into_merge.push((label, all));
                frame.merge
            }
            Opcode::Break => {
                let frame =
                    self.frames.iter_mut().rev().find(|f| f.op != Opcode::Selection).ok_or_else(outside)?;
                frame.into_merge.push((label, all));
                frame.merge
            }
            Opcode::Continue => {
                let frame =
                    self.frames.iter_mut().rev().find(|f| f.op == Opcode::Loop).ok_or_else(outside)?;
                frame.into_cont.push((label, all));
                frame.cont
            }
            Opcode::Next => self.next(data, all)?,
            _ => {
                let args = self.frames.last().map_or(0, |f| f.phis.len());
                let (Some(cond), true) = (all.first().copied(), all.len() > args) else {
                    return Err(error(data.span, "a back edge passes too few values"));
                };
                let header = self.next(data, all[1..=args].into())?;
                let frame = self.frames.last_mut().ok_or_else(outside)?;
                frame.into_merge.push((label, all[args + 1..].into()));
                let merge = frame.merge;
                inst(&mut self.w.code, Op::BranchConditional, &[cond, header, merge]);
                return Ok(());
            }
        };
        self.branch(target);
        Ok(())
    }
}
