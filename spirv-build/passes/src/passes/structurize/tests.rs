//! Graphs of every kind, run before and after.

use super::run;
use crate::ir::{
    Block, BlockData, Builder, Function, InstData, Module, Op, Opcode, Operand, Successor, Value, ValueDef,
    verify,
};
use crate::source::Span;
use rustc_hash::FxHashMap;

/// A function `(u32) -> u32` from edges: each block adds its index to a variable and goes on by a bit of the
/// variable; a block without edges returns.
fn graph(edges: &[&[usize]]) -> Module {
    let mut m = Module::default();
    let word = m.ctx.types.u32();
    let mut f = Function::new("f", word, Span::default());
    let entry = f.make_body(&[word]);
    let param = f.params[0];
    let mut blocks = vec![entry];
    for _ in 1..edges.len() {
        let b = f.blocks.push(BlockData::default());
        f.add_arg(b, word);
        blocks.push(b);
    }
    if let Some(body) = f.body {
        f.regions[body].blocks = blocks.clone().into();
    }
    for (i, to) in edges.iter().enumerate() {
        let mut b = Builder::new(&mut m.ctx, &mut f, blocks[i]);
        let x = if i == 0 { param } else { b.func.blocks[blocks[i]].args[0] };
        let (three, index) = (b.u32(3), b.u32(i as u32 + 1));
        let y = b.op(Op::IMul, word, &[x, three]);
        let y = b.op(Op::IAdd, word, &[y, index]);
        let mut data = match to.len() {
            0 => InstData::new(Op::ReturnValue, [Operand::Id(y)], Span::default()),
            1 => InstData::new(Op::Branch, [], Span::default()),
            _ => {
                let (one, bit, zero) = (b.u32(i as u32 % 5), b.u32(1), b.u32(0));
                let s = b.op(Op::ShiftRightLogical, word, &[y, one]);
                let s = b.op(Op::BitwiseAnd, word, &[s, bit]);
                let truth = b.ctx.types.bool();
                let c = b.op(Op::INotEqual, truth, &[s, zero]);
                InstData::new(Op::BranchConditional, [Operand::Id(c)], Span::default())
            }
        };
        data.successors = to
            .iter()
            .map(|t| Successor { block: blocks[*t], args: smallvec::SmallVec::from_slice(&[y]) })
            .collect();
        b.append(data, &[]);
    }
    m.functions.push(f);
    m
}

/// The visits of a run: what the function computes if each step is counted, None if it takes too long.
fn run_graph(edges: &[&[usize]], mut x: u32) -> Option<u32> {
    let mut at = 0;
    for _ in 0..10_000 {
        let y = x.wrapping_mul(3).wrapping_add(at as u32 + 1);
        match edges[at] {
            [] => return Some(y),
            [t] => at = *t,
            [a, b, ..] => at = if y >> (at % 5) & 1 != 0 { *a } else { *b },
        }
        x = y;
    }
    None
}

enum Flow {
    On,
    Break,
    Continue,
    Return(u32),
}

struct Machine<'a> {
    m: &'a Module,
    f: &'a Function,
    values: FxHashMap<Value, u32>,
    memory: FxHashMap<Value, u32>,
    steps: u32,
}

impl Machine<'_> {
    fn get(&self, v: Value) -> u32 {
        match self.f.values[v].def {
            ValueDef::Const(c) => self.m.ctx.consts.bits(c).unwrap() as u32,
            _ => self.values[&v],
        }
    }

    fn block(&mut self, b: Block) -> Option<Flow> {
        for i in &self.f.blocks[b].insts {
            self.steps += 1;
            if self.steps > 1_000_000 {
                return None;
            }
            let d = &self.f.insts[*i];
            let ids: Vec<Value> = d.ids().collect();
            let value = match d.op {
                Opcode::Selection => {
                    let region = d.regions[usize::from(self.get(ids[0]) == 0)];
                    match self.block(self.f.block_of(region))? {
                        Flow::On => continue,
                        other => return Some(other),
                    }
                }
                Opcode::Loop => {
                    loop {
                        match self.block(self.f.block_of(d.regions[0]))? {
                            Flow::Break => break,
                            Flow::Continue => {}
                            Flow::Return(x) => return Some(Flow::Return(x)),
                            Flow::On => panic!("a body fell through"),
                        }
                    }
                    continue;
                }
                Opcode::Merge => return Some(Flow::On),
                Opcode::Break => return Some(Flow::Break),
                Opcode::Continue => return Some(Flow::Continue),
                Opcode::Op(Op::ReturnValue) => return Some(Flow::Return(self.get(ids[0]))),
                Opcode::Op(Op::Variable) => continue,
                Opcode::Op(Op::Load) => self.memory.get(&ids[0]).copied().unwrap_or(0xdead),
                Opcode::Op(Op::Store) => {
                    let v = self.get(ids[1]);
                    self.memory.insert(ids[0], v);
                    continue;
                }
                Opcode::Op(op) => {
                    let (a, b) = (self.get(ids[0]), self.get(ids[1]));
                    match op {
                        Op::IMul => a.wrapping_mul(b),
                        Op::IAdd => a.wrapping_add(b),
                        Op::ShiftRightLogical => a >> b,
                        Op::BitwiseAnd => a & b,
                        Op::INotEqual => u32::from(a != b),
                        Op::IEqual => u32::from(a == b),
                        other => panic!("{other:?}"),
                    }
                }
                other => panic!("{other:?}"),
            };
            self.values.insert(d.results[0], value);
        }
        panic!("a block without end")
    }
}

fn check(edges: &[&[usize]]) {
    let mut m = graph(edges);
    assert_eq!(verify::verify(&m), [], "{edges:?}");
    run(&mut m).unwrap();
    assert_eq!(verify::verify(&m), [], "{edges:?}\n{}", crate::ir::print::print(&m));
    let (_, f) = m.functions.iter().next().unwrap();
    for x in 0..40 {
        let Some(wanted) = run_graph(edges, x) else { continue };
        let mut machine =
            Machine { m: &m, f, values: FxHashMap::default(), memory: FxHashMap::default(), steps: 0 };
        machine.values.insert(f.params[0], x);
        match machine.block(f.entry().unwrap()) {
            Some(Flow::Return(got)) => assert_eq!(got, wanted, "{edges:?} at {x}"),
            _ => panic!("{edges:?} at {x} does not end\n{}", crate::ir::print::print(&m)),
        }
    }
}

#[test]
fn shapes_of_every_kind_mean_the_same() {
    check(&[&[1, 2], &[3], &[3], &[]]);
    check(&[&[1], &[2, 3], &[1], &[]]);
    check(&[&[1, 2], &[2, 3], &[3], &[]]);
    // Shared tails, several exits, a loop in a loop, two entries into a loop.
    check(&[&[1, 2], &[3, 4], &[3, 4], &[5], &[5], &[]]);
    check(&[&[1], &[2, 4], &[3, 5], &[1], &[6], &[6], &[]]);
    check(&[&[1], &[2, 5], &[3], &[2, 4], &[1, 3], &[]]);
    check(&[&[1, 2], &[2, 3], &[1, 3], &[]]);
    check(&[&[1, 2], &[2, 4], &[3, 1], &[1, 5], &[2, 5], &[0usize; 0]]);
}

#[test]
fn random_graphs_mean_the_same() {
    let mut state = 0x1234_5678u32;
    let mut random = move |n: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as usize % n
    };
    for _ in 0..400 {
        let n = 3 + random(9);
        let edges: Vec<Vec<usize>> = (0..n)
            .map(|i| match (i + 1 == n, random(5)) {
                (true, _) => vec![],
                (_, 0) => vec![1 + random(n - 1)],
                _ => vec![1 + random(n - 1), (i + 1).max(1 + random(n - 1))],
            })
            .collect();
        let borrowed: Vec<&[usize]> = edges.iter().map(|e| &e[..]).collect();
        check(&borrowed);
    }
}
