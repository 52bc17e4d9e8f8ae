//! Control flow: structured operations and plain graphs become blocks with phis.

use super::function::{Body, Text};
use crate::ir::walk::MAX_NESTING;
use crate::ir::{Block, InstData, Op, Opcode, Operand, Region};
use rustc_hash::FxHashMap;

/// A structured operation whose regions are being written: blocks by their numbers.
pub(super) struct Frame {
    op: Opcode,
    merge: usize,
    cont: usize,
    header: usize,
}

impl<'a> Body<'_, 'a> {
    /// Writes the body. The entry block is there already.
    pub fn region(&mut self, body: Region) {
        let f = self.f;
        let blocks = &f.regions[body].blocks;
        if let [only] = blocks[..] {
            self.straight(only, 0);
        } else {
            self.graph(blocks);
        }
    }

    /// Writes the instructions of a block.
    fn straight(&mut self, block: Block, depth: usize) {
        let f = self.f;
        for i in &f.blocks[block].insts {
            let data = &f.insts[*i];
            self.span = data.span;
            match data.op {
                _ if depth > MAX_NESTING => {}
                Opcode::Selection => self.selection(data, depth),
                Opcode::Switch => self.switch(data, depth),
                Opcode::Loop => self.loop_op(data, depth),
                op if op.is_terminator() => self.terminator(data),
                _ => self.inst(data),
            }
        }
    }

    fn inner(&mut self, region: Region, block: usize, depth: usize) {
        self.current = block;
        let inner = self.f.block_of(region);
        self.straight(inner, depth + 1);
    }

    /// The block behind a structured operation, with its results.
    fn merge_block(&mut self, data: &InstData, label: &str) -> usize {
        let block = self.new_block(label);
        for v in &data.results {
            let f = self.f;
            let phi = self.phi(block, f.values[*v].name.as_deref(), f.values[*v].ty);
            self.set(*v, phi);
        }
        block
    }

    fn selection(&mut self, data: &'a InstData, depth: usize) {
        let (Some(condition), &[then, els]) = (data.id(0), &data.regions[..]) else { return };
        let condition = self.value(condition);
        let (a, b) = (self.new_block("then"), self.new_block("else"));
        let merge = self.merge_block(data, "merge");
        let (to_a, to_b) = (self.label(a), self.label(b));
        self.line(format_args!("br i1 {condition}, {to_a}, {to_b}"));
        self.frames.push(Frame { op: data.op, merge, cont: 0, header: 0 });
        self.inner(then, a, depth);
        self.inner(els, b, depth);
        self.frames.pop();
        self.current = merge;
    }

    fn switch(&mut self, data: &'a InstData, depth: usize) {
        let Some(selector) = data.id(0) else { return };
        let shape = self.shape_of(selector);
        let selector = self.typed(selector);
        let blocks: Vec<usize> = data
            .regions
            .iter()
            .enumerate()
            .map(|(i, _)| self.new_block(if i == 0 { "default" } else { "case" }))
            .collect();
        let merge = self.merge_block(data, "merge");
        let Some(shape) = shape.filter(|_| !blocks.is_empty()) else { return };
        let mut cases = String::new();
        for pair in data.operands[1..].chunks(2) {
            let [Operand::Wide(n), Operand::Literal(region)] = *pair else { continue };
            let Some(target) = blocks.get(region as usize) else { continue };
            cases += &format!(" {shape} {}, {}", self.int(shape, n as i64), self.label(*target));
        }
        let default = self.label(blocks[0]);
        self.line(format_args!("switch {selector}, {default} [{cases} ]"));
        self.frames.push(Frame { op: data.op, merge, cont: 0, header: 0 });
        for (region, block) in data.regions.iter().zip(blocks) {
            self.inner(*region, block, depth);
        }
        self.frames.pop();
        self.current = merge;
    }

    fn loop_op(&mut self, data: &'a InstData, depth: usize) {
        let [body, continuing] = data.regions[..] else { return };
        let init = self.ids(data);
        let (header, cont) = (self.new_block("loop"), self.new_block("continue"));
        let merge = self.merge_block(data, "end");
        for (region, block) in [(body, header), (continuing, cont)] {
            let f = self.f;
            for arg in &f.blocks[f.block_of(region)].args {
                let phi = self.phi(block, f.values[*arg].name.as_deref(), f.values[*arg].ty);
                self.set(*arg, phi);
            }
        }
        self.jump(header, &init);
        self.frames.push(Frame { op: data.op, merge, cont, header });
        self.inner(body, header, depth);
        self.inner(continuing, cont, depth);
        self.frames.pop();
        self.current = merge;
    }

    fn jump(&mut self, to: usize, values: &[Text]) {
        self.edge(to, values);
        let label = self.label(to);
        self.line(format_args!("br {label}"));
    }

    fn terminator(&mut self, data: &'a InstData) {
        let values = self.ids(data);
        let innermost = |b: &Self, fits: fn(Opcode) -> bool| {
            b.frames.iter().rev().find(|f| fits(f.op)).map(|f| (f.merge, f.cont, f.header))
        };
        let target = match data.op {
            Opcode::Merge => innermost(self, |op| op != Opcode::Loop).map(|f| f.0),
            Opcode::Break => innermost(self, |op| op != Opcode::Selection).map(|f| f.0),
            Opcode::Continue => innermost(self, |op| op == Opcode::Loop).map(|f| f.1),
            Opcode::Next => innermost(self, |op| op == Opcode::Loop).map(|f| f.2),
            Opcode::NextIf => {
                let Some((merge, _, header)) = innermost(self, |op| op == Opcode::Loop) else { return };
                let args = self.blocks[header].phis.len();
                self.edge(header, &values[1..=args]);
                self.edge(merge, &values[args + 1..]);
                let (again, out) = (self.label(header), self.label(merge));
                self.line(format_args!("br i1 {}, {again}, {out}", values[0]));
                return;
            }
            Opcode::Op(op) => return self.leave(op, data),
            _ => None,
        };
        if let Some(target) = target {
            self.jump(target, &values);
        }
    }

    /// A terminator of the specification that leaves the function.
    fn leave(&mut self, op: Op, data: &'a InstData) {
        match (op, data.id(0)) {
            (Op::Return, _) => self.line("ret void"),
            (Op::ReturnValue, Some(v)) => {
                let v = self.typed(v);
                self.line(format_args!("ret {v}"));
            }
            (Op::Unreachable, _) => self.line("unreachable"),
            _ => {
                self.refuse_inst(data);
                self.line("unreachable");
            }
        }
    }

    /// A body of several blocks.
    fn graph(&mut self, blocks: &'a [Block]) {
        let f = self.f;
        let mut map: FxHashMap<Block, usize> = FxHashMap::default();
        for (i, b) in blocks.iter().enumerate() {
            let written = if i == 0 { self.current } else { self.new_block("block") };
            map.insert(*b, written);
            if i == 0 {
                continue;
            }
            for arg in &f.blocks[*b].args {
                let phi = self.phi(written, f.values[*arg].name.as_deref(), f.values[*arg].ty);
                self.set(*arg, phi);
            }
        }
        // Values of blocks are written before those of the blocks that they dominate, whatever the order of the text.
        for b in dominators_first(f, blocks) {
            self.current = map[&b];
            for i in &f.blocks[b].insts {
                let data = &f.insts[*i];
                self.span = data.span;
                if data.successors.is_empty() {
                    if data.op.is_terminator() { self.terminator(data) } else { self.inst(data) }
                }
            }
        }
        for b in blocks {
            self.current = map[b];
            if let Some(last) = f.terminator(*b).map(|i| &f.insts[i]).filter(|d| !d.successors.is_empty()) {
                self.branch(last, &map);
            }
        }
    }

    fn branch(&mut self, data: &'a InstData, map: &FxHashMap<Block, usize>) {
        self.span = data.span;
        let mut targets: Vec<usize> = Vec::new();
        for s in &data.successors {
            let Some(target) = map.get(&s.block).copied() else { return };
            let values: Vec<Text> = s.args.iter().map(|v| self.value(*v)).collect();
            if !targets.contains(&target) || values.is_empty() {
                self.edge(target, &values);
                targets.push(target);
                continue;
            }
            // A phi has one value for each block that leads to it: a second edge gets a block of its own.
            let from = self.current;
            let between = self.new_block("edge");
            self.current = between;
            self.jump(target, &values);
            self.current = from;
            targets.push(between);
        }
        let labels: Vec<String> = targets.iter().map(|t| self.label(*t)).collect();
        let condition = data.id(0);
        match (data.op, condition, &labels[..]) {
            (Opcode::Op(Op::Branch), _, [to]) => self.line(format_args!("br {to}")),
            (Opcode::Op(Op::BranchConditional), Some(v), [yes, no]) => {
                let v = self.value(v);
                self.line(format_args!("br i1 {v}, {yes}, {no}"));
            }
            (Opcode::Op(Op::Switch), Some(v), [default, rest @ ..]) => {
                let Some(shape) = self.shape_of(v) else { return };
                let v = self.typed(v);
                let mut cases = String::new();
                for (o, to) in data.operands[1..].iter().zip(rest) {
                    if let Operand::Wide(n) = o {
                        cases += &format!(" {shape} {}, {to}", self.int(shape, *n as i64));
                    }
                }
                self.line(format_args!("switch {v}, {default} [{cases} ]"));
            }
            _ => self.refuse_inst(data),
        }
    }
}

/// The blocks of a graph, reachable ones in reverse postorder and then the others.
fn dominators_first(f: &crate::ir::Function, blocks: &[Block]) -> Vec<Block> {
    let next = |b: Block| f.terminator(b).map_or(&[][..], |i| &f.insts[i].successors[..]);
    let mut seen: rustc_hash::FxHashSet<Block> = blocks.first().copied().into_iter().collect();
    let mut order = Vec::new();
    let mut stack: Vec<(Block, usize)> = blocks.first().map(|b| (*b, 0)).into_iter().collect();
    while let Some((block, at)) = stack.pop() {
        match next(block).get(at) {
            None => order.push(block),
            Some(s) => {
                stack.push((block, at + 1));
                if seen.insert(s.block) {
                    stack.push((s.block, 0));
                }
            }
        }
    }
    order.reverse();
    order.extend(blocks.iter().filter(|b| !seen.contains(b)));
    order
}
