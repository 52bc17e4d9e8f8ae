//! Simplifies structured control flow: branches that choose nothing, or only between values, loops that run once, switches without
//! cases.
//!
//! | operation | becomes |
//! | --- | --- |
//! | a selection or switch whose regions do nothing but pass the same values | these values |
//! | a selection that passes two scalars | `OpSelect` |
//! | a selection both of whose regions are the same terminator | that terminator |
//! | a switch of a default alone that nothing inside leaves | what its region holds |
//! | a loop that is left where its body ends and is not left or continued elsewhere | what its body holds |

use super::pass::plain_pass;
use crate::ir::edit::{Rebuild, Replacements};
use crate::ir::{Block, Context, Function, Inst, InstData, Module, Op, Opcode, Operand, TypeKind, Value};
use smallvec::SmallVec;

plain_pass! {
    /// Simplifies structured control flow.
    SimplifyCfg, "simplify-cfg", run
}

fn run(module: &mut Module) -> bool {
    let Module { ctx, functions, .. } = module;
    let mut changed = false;
    for (_, f) in functions.iter_mut() {
        let Some(entry) = f.entry() else { continue };
        if f.body.is_none_or(|body| f.regions[body].blocks.len() > 1) {
            continue;
        }
        let mut s = Simplify { ctx, f, same: Replacements::default(), changed: false };
        s.block(entry);
        let Simplify { same, changed: did, .. } = s;
        if did {
            f.replace_all_uses(&same);
        }
        changed |= did;
    }
    changed
}

struct Simplify<'a> {
    ctx: &'a Context,
    f: &'a mut Function,
    /// What the results of operations are that are gone.
    same: Replacements,
    changed: bool,
}

impl Rebuild for Simplify<'_> {
    fn function(&mut self) -> &mut Function {
        self.f
    }

    /// Inner blocks first: what becomes simple there may be so around.
    fn structured(&mut self, inst: Inst, out: &mut Vec<Inst>) -> bool {
        self.blocks_of(inst);
        match self.f.insts[inst].op {
            Opcode::Selection => self.selection(inst, out),
            Opcode::Switch => self.switch(inst, out),
            _ => self.repeated(inst, out),
        }
    }
}

impl Simplify<'_> {
    /// What a value is once replacements so far are made.
    fn now(&self, mut v: Value) -> Value {
        while let Some(next) = self.same[v] {
            v = next;
        }
        v
    }

    /// The only instruction of each region; None if one has more.
    fn terminators(&self, inst: Inst) -> Option<SmallVec<[Inst; 4]>> {
        let only = |block: Block| match self.f.blocks[block].insts[..] {
            [one] => Some(one),
            _ => None,
        };
        self.f.insts[inst].regions.iter().map(|r| only(self.f.block_of(*r))).collect()
    }

    fn values(&self, terminator: Inst) -> SmallVec<[Value; 4]> {
        self.f.insts[terminator].ids().map(|v| self.now(v)).collect()
    }

    /// Takes the results of an operation for other values.
    fn results_are(&mut self, inst: Inst, values: &[Value]) {
        self.changed = true;
        for (result, value) in self.f.insts[inst].results.clone().into_iter().zip(values) {
            self.same[result] = Some(*value);
        }
    }

    /// Appends a selection or what it becomes; tells whether it goes on behind it.
    fn selection(&mut self, inst: Inst, out: &mut Vec<Inst>) -> bool {
        let Some([a, b]) = self.terminators(inst).as_deref().and_then(|t| <[Inst; 2]>::try_from(t).ok())
        else {
            out.push(inst);
            return true;
        };
        let (op, passed) = (self.f.insts[a].op, [self.values(a), self.values(b)]);
        if op != self.f.insts[b].op || op == Opcode::Op(Op::Unreachable) {
            out.push(inst);
            return true;
        }
        if op != Opcode::Merge {
            if passed[0] != passed[1] {
                out.push(inst);
                return true;
            }
            self.changed = true;
            out.push(a);
            return false;
        }
        let scalar = |v: Value| {
            let kind = self.ctx.types.kind(self.f.values[v].ty);
            matches!(kind, TypeKind::Bool | TypeKind::Int { .. } | TypeKind::Float { .. })
        };
        if passed[0].iter().zip(&passed[1]).any(|(a, b)| a != b && !scalar(*a)) {
            out.push(inst);
            return true;
        }
        let (condition, span) = (self.f.insts[inst].id(0), self.f.insts[inst].span);
        let Some(condition) = condition else { return true };
        let mut values: SmallVec<[Value; 4]> = SmallVec::new();
        for (i, (a, b)) in passed[0].iter().zip(&passed[1]).enumerate() {
            values.push(if a == b {
                *a
            } else {
                let operands = [condition, *a, *b].map(Operand::Id);
                let ty = self.f.values[*a].ty;
                let select = self.f.make_inst(InstData::new(Op::Select, operands, span), &[ty]);
                out.push(select);
                let value = self.f.insts[select].results[0];
                if let Some(result) = self.f.insts[inst].results.get(i) {
                    self.f.values[value].name = self.f.values[*result].name.clone();
                }
                value
            });
        }
        self.results_are(inst, &values);
        true
    }

    fn switch(&mut self, inst: Inst, out: &mut Vec<Inst>) -> bool {
        let ends = |op| matches!(op, Opcode::Merge | Opcode::Break);
        if let Some(all) = self.terminators(inst)
            && all.iter().all(|t| ends(self.f.insts[*t].op))
            && let Some(first) = all.first().map(|t| self.values(*t))
            && all.iter().all(|t| self.values(*t) == first)
        {
            self.results_are(inst, &first);
            return true;
        }
        if let [region] = self.f.insts[inst].regions[..] {
            let block = self.f.block_of(region);
            if !self.f.is_left_inside(block, false, None) {
                self.changed = true;
                return self.f.splice(inst, block, ends, &mut self.same, out);
            }
        }
        out.push(inst);
        true
    }

    fn repeated(&mut self, inst: Inst, out: &mut Vec<Inst>) -> bool {
        let block = self.f.block_of(self.f.insts[inst].regions[0]);
        let last = self.f.terminator(block).map(|t| self.f.insts[t].op);
        let again = |op| matches!(op, Opcode::Continue);
        if last.is_none_or(again) || self.f.is_left_inside(block, true, None) {
            out.push(inst);
            return true;
        }
        let init: SmallVec<[Value; 4]> = self.f.insts[inst].ids().map(|v| self.now(v)).collect();
        for (arg, value) in self.f.blocks[block].args.clone().into_iter().zip(init) {
            self.same[arg] = Some(value);
        }
        self.changed = true;
        self.f.splice(inst, block, |op| op == Opcode::Break, &mut self.same, out)
    }
}
