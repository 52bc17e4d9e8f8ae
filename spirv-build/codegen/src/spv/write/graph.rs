//! Plain control-flow graphs, as kernels may have them: blocks in an order in which dominators come first, block
//! arguments as phis.

use super::function::{Body, error};
use super::inst;
use super::limits::{self, Limit};
use crate::diag::Finding;
use crate::ir::entity::Entity;
use crate::ir::{Block, InstData, Op, Opcode, Operand, Region, TypeKind};
use rustc_hash::FxHashMap;

/// Edges into a block: the block that they come from, the instruction, the successor's index.
type Edges<'a> = Vec<(Block, &'a InstData, usize)>;

impl<'a> Body<'_, 'a> {
    /// Writes the blocks of a body that can be reached.
    pub(super) fn graph(&mut self, body: Region) -> Result<(), Box<Finding>> {
        let f = self.f;
        let Some(&entry) = f.regions[body].blocks.first() else {
            return Err(error(f.span, "a function body has no blocks"));
        };
        let order = self.reverse_postorder(entry);
        let labels: FxHashMap<Block, u32> = order.iter().map(|b| (*b, self.w.id())).collect();
        let mut edges: FxHashMap<Block, Edges<'a>> = FxHashMap::default();
        for b in &order {
            let Some(last) = f.terminator(*b) else { return Err(error(f.span, "a block has no terminator")) };
            let data = &f.insts[last];
            for (i, s) in data.successors.iter().enumerate() {
                let into = edges.entry(s.block).or_default();
                // A phi names each predecessor once, however many edges lead from it. They come one after the other.
                if into.last().is_none_or(|e| e.0 != *b) {
                    into.push((*b, data, i));
                }
            }
        }
        for b in &order {
            self.begin(labels[b]);
            if *b != entry {
                let into = edges.remove(b).unwrap_or_default();
                if !f.blocks[*b].args.is_empty() {
                    limits::check(Limit::Ways, into.len(), || into.first().map_or(f.span, |e| e.1.span))?;
                }
                for (i, arg) in f.blocks[*b].args.iter().enumerate() {
                    let mut words = vec![self.type_of(*arg), self.value(*arg)];
                    for (from, data, successor) in &into {
                        let Some(v) = data.successors[*successor].args.get(i) else {
                            return Err(error(data.span, "an edge passes too few values"));
                        };
                        words.extend([self.value(*v), labels[from]]);
                    }
                    inst(&mut self.w.code, Op::Phi, &words);
                    self.decorate(*arg);
                }
            }
            for i in &f.blocks[*b].insts {
                let data = &f.insts[*i];
                if data.op.is_structured() {
                    return Err(error(data.span, "a structured operation in a plain graph"));
                }
                match data.op {
                    Opcode::Op(Op::Branch | Op::BranchConditional | Op::Switch) => {
                        self.plain_branch(data, &labels)?;
                    }
                    _ => self.plain(data)?,
                }
            }
        }
        Ok(())
    }

    fn plain_branch(&mut self, data: &InstData, labels: &FxHashMap<Block, u32>) -> Result<(), Box<Finding>> {
        let Opcode::Op(op) = data.op else { return Ok(()) };
        let targets: Vec<u32> =
            data.successors.iter().map(|s| labels.get(&s.block).copied().unwrap_or(0)).collect();
        let mut words: Vec<u32> = Vec::new();
        let wide = data.id(0).is_some_and(|v| {
            matches!(self.w.module.ctx.types.kind(self.f.values[v].ty), TypeKind::Int { width: 64, .. })
        });
        words.extend(data.id(0).map(|v| self.value(v)));
        match (op, &targets[..]) {
            (Op::Switch, [default, cases @ ..]) => {
                limits::check_cases(data, cases.len())?;
                words.push(*default);
                for (o, label) in data.operands[1..].iter().zip(cases) {
                    let value = match o {
                        Operand::Wide(n) => *n,
                        Operand::Literal(n) => u64::from(*n),
                        _ => return Err(error(data.span, "malformed case")),
                    };
                    words.push(value as u32);
                    if wide {
                        words.push((value >> 32) as u32);
                    }
                    words.push(*label);
                }
            }
            (_, targets) => words.extend(targets),
        }
        inst(&mut self.w.code, op, &words);
        Ok(())
    }

    /// Blocks that the entry reaches; each comes after those that dominate it.
    fn reverse_postorder(&self, entry: Block) -> Vec<Block> {
        let f = self.f;
        let mut seen = vec![false; f.blocks.len()];
        let mut order = Vec::new();
        let mut stack = vec![(entry, 0)];
        seen[entry.index()] = true;
        while let Some((block, next)) = stack.pop() {
            let successor = f.terminator(block).and_then(|t| f.insts[t].successors.get(next));
            let Some(successor) = successor else {
                order.push(block);
                continue;
            };
            stack.push((block, next + 1));
            if !std::mem::replace(&mut seen[successor.block.index()], true) {
                stack.push((successor.block, 0));
            }
        }
        order.reverse();
        order
    }
}
