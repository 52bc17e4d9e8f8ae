//! Lets functions return where their bodies end and nowhere else.
//!
//! The body becomes the only region of a `switch`, which a `Break` leaves: a return inside the function's own loops or switches sets
//! a flag, leaves the innermost one, and every enclosing one is followed by a test of the flag. What is returned goes through a
//! variable.

use super::pass::plain_pass;
use crate::ir::{
    Block, Builder, Context, Function, Inst, Module, Op, Opcode, Operand, Type, TypeKind, Value,
};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

plain_pass! {
    /// Lets functions return where their bodies end.
    MergeReturns, "merge-returns", run
}

/// Runs on all functions.
pub fn run(module: &mut Module) -> bool {
    let mut changed = false;
    for (_, f) in module.functions.iter_mut() {
        changed |= run_on(&mut module.ctx, f);
    }
    changed
}

/// Runs on a function.
pub fn run_on(ctx: &mut Context, f: &mut Function) -> bool {
    let Some(entry) = f.body.filter(|body| f.regions[*body].blocks.len() == 1).map(|body| f.block_of(body))
    else {
        return false;
    };
    let returning = returning(f, entry);
    let last = f.terminator(entry);
    let ends = |t: Inst| is_return(f.insts[t].op);
    if returning.is_empty() && last.is_some_and(ends) {
        return false;
    }
    let (result, span) = (f.result, f.span);
    let insts = std::mem::take(&mut f.blocks[entry].insts);
    let is_variable = |i: &&Inst| f.insts[**i].op == Opcode::Op(Op::Variable);
    let variables = insts.iter().take_while(is_variable).count();
    let mut b = Builder::new(ctx, f, entry);
    b.span = span;
    let is_void = matches!(b.ctx.types.kind(result), TypeKind::Void);
    let slot = (!is_void).then(|| b.variable(result, Some("returned")));
    let bool_ty = b.ctx.types.bool();
    let flag = b.variable(bool_ty, Some("has_returned"));
    b.func.blocks[entry].insts.extend(&insts[..variables]);
    let no = b.bool(false);
    b.store(flag, no);
    let zero = b.u32(0);
    let (_, regions) = b.switch(zero, &[], 0, &[]);
    match slot {
        Some(slot) => {
            let value = b.load(slot);
            b.push(Op::ReturnValue, &[Operand::Id(value)]);
        }
        None => {
            b.push(Op::Return, &[]);
        }
    }
    let mut merge = Merge { b, returning, slot, flag, around: Vec::new() };
    merge.block(regions[0], insts[variables..].to_vec());
    true
}

fn is_return(op: Opcode) -> bool {
    matches!(op, Opcode::Op(Op::Return | Op::ReturnValue))
}

/// The structured instructions of a function that have a return somewhere inside.
fn returning(f: &Function, entry: Block) -> FxHashSet<Inst> {
    fn visit(f: &Function, block: Block, out: &mut FxHashSet<Inst>) -> bool {
        let mut any = false;
        for &inst in &f.blocks[block].insts {
            let data = &f.insts[inst];
            let mut inside = is_return(data.op);
            for &region in &data.regions {
                inside |= visit(f, f.block_of(region), out);
            }
            if inside && data.op.is_structured() {
                out.insert(inst);
            }
            any |= inside;
        }
        any
    }
    let mut out = FxHashSet::default();
    visit(f, entry, &mut out);
    out
}

struct Merge<'a> {
    b: Builder<'a>,
    returning: FxHashSet<Inst>,
    /// Variable of the returned value.
    slot: Option<Value>,
    /// Variable that tells that the function has returned.
    flag: Value,
    /// Result types of the function's own loops and switches around the current place, innermost last.
    around: Vec<SmallVec<[Type; 4]>>,
}

impl Merge<'_> {
    /// Fills a block with what stood in it.
    fn block(&mut self, block: Block, insts: Vec<Inst>) {
        let outer = std::mem::replace(&mut self.b.block, block);
        for inst in insts {
            let data = &self.b.func.insts[inst];
            let (op, span) = (data.op, data.span);
            if is_return(op) {
                self.b.span = span;
                if let (Some(slot), Some(value)) = (self.slot, data.id(0)) {
                    self.b.store(slot, value);
                }
                self.leave();
                continue;
            }
            self.b.func.blocks[block].insts.push(inst);
            if !self.returning.contains(&inst) {
                continue;
            }
            let results = &data.results;
            let types = results.iter().map(|v| self.b.func.values[*v].ty).collect();
            let is_left = op != Opcode::Selection;
            if is_left {
                self.around.push(types);
            }
            for region in self.b.func.insts[inst].regions.clone() {
                let inner = self.b.func.block_of(region);
                let insts = std::mem::take(&mut self.b.func.blocks[inner].insts);
                self.block(inner, insts);
            }
            if is_left {
                self.around.pop();
                // Left early? Then leave what is around, too.
                self.b.span = span;
                let has = self.b.load(self.flag);
                let (_, then, otherwise) = self.b.selection(has, &[]);
                self.b.block = then;
                self.leave();
                self.b.block = otherwise;
                self.b.terminate(Opcode::Merge, &[]);
                self.b.block = block;
            }
        }
        self.b.block = outer;
    }

    /// Leaves the innermost loop or switch because the function returns.
    fn leave(&mut self) {
        // Values that the loop or switch would have passed on are not used on this path.
        let types = self.around.last().cloned();
        if types.is_some() {
            let yes = self.b.bool(true);
            self.b.store(self.flag, yes);
        }
        let results: SmallVec<[Value; 4]> =
            types.unwrap_or_default().into_iter().map(|ty| self.b.undef(ty)).collect();
        self.b.terminate(Opcode::Break, &results);
    }
}
