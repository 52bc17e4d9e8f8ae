//! Turns plain control-flow graphs, irreducible ones too, into structured operations.
//!
//! 1. Values that cross blocks go through variables; addresses are computed again where they are used. `mem2reg` makes
//!    values of the variables afterwards.
//! 2. Strongly connected parts become loops with one entry and one exit: where there are several, a number says which is
//!    meant and a chain of comparisons goes there (`graph`).
//! 3. What is left is acyclic. A branch whose sides have no block in common before they meet is a selection; where they
//!    have, a number says which block is next and each is guarded by a comparison. Blocks that leave from several places
//!    are written in each (`emit`).

mod emit;
mod graph;
#[cfg(test)]
mod tests;

use super::{Changed, Pass};
use crate::analysis::Analyses;
use crate::diag::{Code, Finding, Findings};
use crate::ir::{Builder, Context, Function, Inst, Module, Op, Opcode};
use emit::Emit;
use graph::Graph;
use rustc_hash::FxHashMap;
use smallvec::smallvec;

/// Blocks that a function may have, those that this pass adds included.
const MAX_BLOCKS: usize = 1 << 16;
/// How often each block is written, on average, at most.
const MAX_COPIES: usize = 8;
/// Instructions that one address may be computed by again.
const MAX_ADDRESS: usize = 64;

/// Turns plain control-flow graphs into structured operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Structurize;

impl Pass for Structurize {
    fn name(&self) -> &'static str {
        "structurize"
    }

    fn run(&self, module: &mut Module, _: &mut Analyses, findings: &mut Findings) -> Changed {
        run(module).map_or_else(
            |finding| {
                findings.push(finding);
                Changed::Yes
            },
            Changed::from,
        )
    }
}

/// Runs on all functions. Tells whether one was a graph.
///
/// # Errors
/// A function that is too large or nests too deeply; the module is of no use then.
pub fn run(module: &mut Module) -> Result<bool, Finding> {
    let Module { ctx, functions, .. } = module;
    let mut changed = false;
    for (_, f) in functions.iter_mut() {
        if f.body.is_some_and(|r| f.regions[r].blocks.len() > 1) {
            let span = f.span;
            let too_many = |what| Finding::new(Code::TooMany, span, what).help("smaller functions");
            function(ctx, f).map_err(too_many)?;
            changed = true;
        }
    }
    Ok(changed)
}

fn function(ctx: &mut Context, f: &mut Function) -> Result<(), &'static str> {
    let (Some(body), Some(entry)) = (f.body, f.entry()) else { return Ok(()) };
    let number = ctx.types.u32();
    let mut g = Graph { nodes: Vec::new(), loops: Vec::new(), slots: Vec::new(), number };
    let homes = g.build(ctx, f, entry)?;
    g.loops()?;
    // The entry block stays: its arguments are the parameters.
    let variables: Vec<Inst> =
        g.nodes[0].insts.iter().copied().filter(|i| f.insts[*i].op == Opcode::Op(Op::Variable)).collect();
    g.nodes[0].insts.retain(|i| f.insts[*i].op != Opcode::Op(Op::Variable));
    // No instruction may be in two places: the graph's blocks are left empty.
    for block in g.nodes.iter().filter_map(|n| n.block) {
        f.blocks[block].insts.clear();
    }
    f.blocks[entry].insts = variables;
    f.regions[body].blocks = smallvec![entry];
    let mut b = Builder::new(ctx, f, entry);
    let slots = g.slots.iter().map(|ty| b.variable(*ty, None)).collect();
    let mut e = Emit {
        g: &g,
        ctx,
        f,
        block: entry,
        depth: 0,
        slots,
        homes,
        local: FxHashMap::default(),
        level: None,
        written: vec![false; g.nodes.len()],
        original: FxHashMap::default(),
        budget: MAX_COPIES * g.nodes.len() + 64,
    };
    e.sequence(0, None)?;
    Ok(())
}
