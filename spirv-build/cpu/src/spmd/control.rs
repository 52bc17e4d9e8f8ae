//! Control flow inside the waves: uniform choices as `if`, varying ones under masks.

use crate::analysis::uniformity::is_wrapper;
use crate::ir::{Block, Inst, Op, Opcode, Operand, Value};
use crate::spmd::build::{Build, Leaves, Result};
use crate::spmd::{Arg, Kind, Label, Leaf, Shape, Stmt};

const NONE: Arg = Arg::Const(Kind::Bool, 0);

/// Statements up to which a side of a varying selection is run whatever its mask, if it has no effect.
const CHEAP: usize = 8;

/// A structured instruction around the current place: where its terminators lead.
#[derive(Debug, Clone)]
pub struct Target {
    pub inst: Inst,
    pub op: Opcode,
    /// All lanes leave together: `Break` and `Continue` are jumps.
    pub together: bool,
    /// Runs outside the waves.
    pub grouped: bool,
    /// What `Break` leaves.
    pub label: Label,
    /// What `Continue` leaves; None where the continuing part just follows.
    pub continuing: Option<Label>,
    /// Leaves of the results.
    pub results: Vec<Leaf>,
    /// Leaves of the continuing part's arguments; None where they stand for what is passed.
    pub cont_args: Option<Vec<Leaf>>,
    /// Lanes that go on in the continuing part.
    pub cont_mask: Option<Leaf>,
    /// Lanes that came out.
    pub out_mask: Option<Leaf>,
    /// `Merge` must not overwrite what other lanes passed.
    pub blend: bool,
}

impl Target {
    pub fn new(inst: Inst, op: Opcode, label: Label, results: Vec<Leaf>) -> Target {
        Target {
            inst,
            op,
            together: true,
            grouped: false,
            label,
            continuing: None,
            results,
            cont_args: None,
            cont_mask: None,
            out_mask: None,
            blend: false,
        }
    }
}

impl Build<'_> {
    /// What a `Break` here leaves.
    pub fn break_target(&self) -> Option<Target> {
        self.targets.iter().rev().find(|t| matches!(t.op, Opcode::Loop | Opcode::Switch)).cloned()
    }

    /// What a `Continue` here continues.
    pub fn continue_target(&self) -> Option<Target> {
        self.targets.iter().rev().find(|t| t.op == Opcode::Loop).cloned()
    }

    /// A block inside the waves.
    pub fn block(&mut self, block: Block) -> Result<()> {
        for &inst in self.block_insts(block) {
            let op = self.f().insts[inst].op;
            if op.is_structured() {
                self.structured(inst)?;
            } else if op.is_terminator() {
                self.terminator(inst, block)?;
            } else {
                self.inst(inst)?;
            }
        }
        Ok(())
    }

    /// A structured instruction that runs inside the waves.
    pub fn structured(&mut self, inst: Inst) -> Result<()> {
        self.span = self.f().insts[inst].span;
        self.open();
        let before = self.clears;
        match self.f().insts[inst].op {
            Opcode::Selection => self.selection(inst)?,
            Opcode::Switch => self.switch(inst)?,
            _ => self.loop_op(inst)?,
        }
        // Lanes may have gone: skip what is left if none remains.
        if self.clears != before
            && let Some(&label) = self.exits.last()
        {
            self.used.insert(label);
            let mask = self.mask;
            self.push(Stmt::ExitIfNone { mask, label });
        }
        Ok(())
    }

    /// Declares a variable for each leaf of a value, with the shape that the analysis found.
    pub fn declare(&mut self, v: Value, init: Option<&Leaves>) -> Result<Vec<Leaf>> {
        let segment = self.open();
        let mut out = Vec::new();
        for (i, kind) in self.kinds_of(v)?.into_iter().enumerate() {
            let shape = self.a.shape(v, i).max(Shape::Wave);
            let dst = self.leaf(kind, shape, Some(segment));
            let init = init.and_then(|l| l.get(i)).copied();
            self.push(Stmt::Var { dst, init });
            out.push(dst);
        }
        let leaves = out.iter().map(|l| Arg::Leaf(*l)).collect();
        self.values.insert(v, leaves);
        Ok(out)
    }

    fn declare_results(&mut self, inst: Inst) -> Result<Vec<Leaf>> {
        let mut out = Vec::new();
        for v in self.f().insts[inst].results.clone() {
            out.extend(self.declare(v, None)?);
        }
        Ok(out)
    }

    /// Leaves of several values in a row.
    pub fn all_args(&mut self, values: impl Iterator<Item = Value>) -> Result<Vec<Arg>> {
        let mut out = Vec::new();
        for v in values {
            out.extend(self.args(v)?);
        }
        Ok(out)
    }

    fn mask_var(&mut self, init: Arg) -> Leaf {
        let segment = self.open();
        let dst = self.leaf(Kind::Bool, Shape::Varying, Some(segment));
        self.push(Stmt::Var { dst, init: Some(init) });
        dst
    }

    fn mask_and(&mut self, a: Arg, b: Arg, not: bool) -> Leaf {
        let segment = self.open();
        let dst = self.leaf(Kind::Bool, Shape::Varying, Some(segment));
        self.push(Stmt::MaskAnd { dst, a, b, not });
        dst
    }

    /// `to |= from`.
    fn mask_or(&mut self, to: Leaf, from: Arg) {
        let both = self.op("bor", &[Arg::Leaf(to), from]);
        self.push(Stmt::Assign(vec![(to, both)]));
    }

    fn set_mask(&mut self, value: Arg) {
        if let Arg::Leaf(mask) = self.mask {
            self.push(Stmt::Assign(vec![(mask, value)]));
        }
    }

    /// The lanes that are on leave for elsewhere.
    fn clear(&mut self) {
        self.clears += 1;
        self.set_mask(NONE);
    }

    fn assign(&mut self, to: &[Leaf], from: &[Arg]) {
        if !to.is_empty() {
            self.push(Stmt::Assign(to.iter().copied().zip(from.iter().copied()).collect()));
        }
    }

    fn blend(&mut self, to: &[Leaf], from: &[Arg]) {
        let mask = self.mask;
        for (dst, src) in to.iter().zip(from) {
            self.push(Stmt::Blend { dst: *dst, mask, src: *src });
        }
    }

    /// Gives the lanes that continue their values. A leaf that is the same for them all has one source: what other lanes
    /// would read there is never used.
    fn pass_on(&mut self, to: &[Leaf], from: &[Arg]) {
        let mask = self.mask;
        for (&dst, &src) in to.iter().zip(from) {
            match self.p.leaves[dst].shape {
                Shape::Varying => self.push(Stmt::Blend { dst, mask, src }),
                _ => self.push(Stmt::Assign(vec![(dst, src)])),
            }
        }
    }

    /// The statements of a region under a mask; a label around them where something leaves them early.
    fn region(&mut self, block: Block, mask: Arg) -> Result<Vec<Stmt>> {
        let label = self.label();
        let body = self.region_with_exit(block, mask, label)?;
        Ok(self.labelled(label, body))
    }

    fn region_with_exit(&mut self, block: Block, mask: Arg, exit: Label) -> Result<Vec<Stmt>> {
        let outer = std::mem::replace(&mut self.mask, mask);
        self.exits.push(exit);
        let body = self.nested(|b| b.block(block));
        self.exits.pop();
        self.mask = outer;
        body
    }

    fn labelled(&mut self, label: Label, body: Vec<Stmt>) -> Vec<Stmt> {
        if self.used.remove(&label) { vec![Stmt::Block { label, body }] } else { body }
    }

    fn selection(&mut self, inst: Inst) -> Result<()> {
        let f = self.f();
        let data = &f.insts[inst];
        let Some(condition) = data.id(0) else { return Ok(()) };
        let cond = self.arg(condition)?;
        let results = self.declare_results(inst)?;
        let (then_block, else_block) = (f.block_of(data.regions[0]), f.block_of(data.regions[1]));
        let label = self.label();
        let mut target = Target::new(inst, Opcode::Selection, label, results);
        if self.shape(cond).is_uniform() && !self.a.varies(Some(condition)) {
            let mask = self.mask;
            self.targets.push(target);
            let then = self.region(then_block, mask);
            let els = self.region(else_block, mask);
            self.targets.pop();
            let (then, els) = (then?, els?);
            self.push(Stmt::If { cond, then, els });
            return Ok(());
        }
        let before = self.clears;
        let on = self.mask_and(self.mask, cond, false);
        let off = self.mask_and(self.mask, cond, true);
        self.targets.push(target.clone());
        let then = self.region(then_block, Arg::Leaf(on));
        self.targets.pop();
        self.masked(on, then?);
        target.blend = true;
        self.targets.push(target);
        let els = self.region(else_block, Arg::Leaf(off));
        self.targets.pop();
        self.masked(off, els?);
        if self.clears != before {
            let both = self.op("bor", &[Arg::Leaf(on), Arg::Leaf(off)]);
            self.set_mask(both);
        }
        Ok(())
    }

    /// Statements that run under a mask: behind a test, or without where they are few and only compute.
    fn masked(&mut self, mask: Leaf, body: Vec<Stmt>) {
        let harmless = |s: &Stmt| match s {
            Stmt::Let { op, .. } => !matches!(op.name, "sdiv" | "udiv" | "srem" | "urem" | "smod"),
            Stmt::Blend { .. } | Stmt::MaskAnd { .. } => true,
            Stmt::Assign(list) => list.len() <= 4,
            _ => false,
        };
        if body.is_empty() {
            return;
        }
        if body.len() <= CHEAP && body.iter().all(harmless) {
            // Assignments under a mask that is not tested must not reach other lanes' values: results are declared
            // for this selection and the other side blends, so there is nothing to keep.
            self.out.extend(body);
        } else {
            self.push(Stmt::IfAny { mask: Arg::Leaf(mask), body });
        }
    }

    fn switch(&mut self, inst: Inst) -> Result<()> {
        let f = self.f();
        let data = &f.insts[inst];
        let Some(selector) = data.id(0) else { return Ok(()) };
        let results = self.declare_results(inst)?;
        let label = self.label();
        let mut target = Target::new(inst, Opcode::Switch, label, results);
        let blocks: Vec<Block> = data.regions.iter().map(|r| f.block_of(*r)).collect();
        let divergent = self.a.divergent.contains(&inst);
        let before = self.clears;
        let sel = if blocks.len() > 1 { self.arg(selector)? } else { NONE };
        let uniform = blocks.len() == 1 || self.shape(sel).is_uniform() && !self.a.varies(Some(selector));
        let matches = self.case_conditions(inst, sel, blocks.len());
        if uniform && !divergent {
            let mask = self.mask;
            self.targets.push(target);
            let regions = blocks.iter().map(|b| self.region(*b, mask)).collect::<Result<Vec<_>>>();
            self.targets.pop();
            let mut regions = regions?.into_iter();
            let default = regions.next().unwrap_or_default();
            let mut cases: Vec<(Arg, Vec<Stmt>)> = matches.into_iter().flatten().zip(regions).collect();
            let mut chain = default;
            while let Some((cond, then)) = cases.pop() {
                chain = vec![Stmt::If { cond, then, els: chain }];
            }
            self.used.remove(&label);
            self.push(Stmt::Block { label, body: chain });
        } else {
            let out = self.mask_var(NONE);
            (target.together, target.out_mask, target.blend) = (false, Some(out), true);
            // The default takes what no case does.
            let mut rest = self.mask;
            for cond in matches.iter().flatten() {
                rest = Arg::Leaf(self.mask_and(rest, *cond, true));
            }
            let mut order: Vec<(Arg, Block)> = Vec::new();
            for (cond, block) in matches.iter().flatten().zip(&blocks[1..]) {
                order.push((Arg::Leaf(self.mask_and(self.mask, *cond, false)), *block));
            }
            let rest = self.mask_var(rest);
            order.insert(0, (Arg::Leaf(rest), blocks[0]));
            for (mask, block) in order {
                self.targets.push(target.clone());
                let body = self.region(block, mask);
                self.targets.pop();
                let body = body?;
                self.push(Stmt::IfAny { mask, body });
            }
            if self.clears != before {
                self.set_mask(Arg::Leaf(out));
            }
        }
        let facts = self.facts(inst);
        self.clears = before + u32::from(facts.continues) * (self.clears - before).min(1);
        Ok(())
    }

    /// For each case region: whether the selector chooses it. None where there are no cases.
    fn case_conditions(&mut self, inst: Inst, sel: Arg, regions: usize) -> Vec<Option<Arg>> {
        let operands = self.f().insts[inst].operands.clone();
        let mut out: Vec<Option<Arg>> = vec![None; regions.saturating_sub(1)];
        for pair in operands[1..].chunks(2) {
            let [Operand::Wide(value), Operand::Literal(region)] = pair else { continue };
            let Some(slot) = (*region as usize).checked_sub(1).and_then(|r| out.get(r).copied()) else {
                continue;
            };
            let here = self.op("ieq", &[sel, Arg::Const(Kind::Int, *value as u32)]);
            let any = match slot {
                Some(before) => self.op("bor", &[before, here]),
                None => here,
            };
            out[*region as usize - 1] = Some(any);
        }
        // A region that no value leads to is never taken.
        out.into_iter().map(|c| Some(c.unwrap_or(NONE))).collect()
    }

    fn loop_op(&mut self, inst: Inst) -> Result<()> {
        let f = self.f();
        let data = &f.insts[inst];
        let (body, continuing) = (f.block_of(data.regions[0]), f.block_of(data.regions[1]));
        let facts = self.facts(inst);
        let divergent = self.a.divergent.contains(&inst);
        let before = self.clears;
        let inits: Vec<Value> = data.ids().collect();
        let mut args = Vec::new();
        for (arg, init) in f.blocks[body].args.clone().into_iter().zip(inits) {
            let init = self.args(init)?;
            args.extend(self.declare(arg, Some(&init))?);
        }
        let results = self.declare_results(inst)?;
        let label = self.label();
        let mut target = Target::new(inst, Opcode::Loop, label, results);
        // The one `Continue` at the end of the body: the continuing part just follows it.
        let tail = facts.continue_count == 1
            && f.terminator(body).is_some_and(|t| f.insts[t].op == Opcode::Continue);
        let running = if divergent { Some(self.mask_var(self.mask)) } else { None };
        target.together = !divergent;
        let outer_mask = self.mask;
        let code = self.nested(|b| {
            let mask = match running {
                Some(running) => Arg::Leaf(b.mask_var(Arg::Leaf(running))),
                None => outer_mask,
            };
            b.mask = mask;
            if !tail {
                if divergent {
                    target.cont_mask = Some(b.mask_var(NONE));
                }
                let mut cont_args = Vec::new();
                for arg in f.blocks[continuing].args.clone() {
                    cont_args.extend(b.declare(arg, None)?);
                }
                target.cont_args = Some(cont_args);
                let leave = b.label();
                target.continuing = Some(leave);
                b.targets.push(target.clone());
                // Where no lane is on any more: with several ways to continue, some may have taken one before.
                let exit = if divergent { leave } else { label };
                let body_code = b.region_with_exit(body, mask, exit);
                b.targets.pop();
                let body_code = body_code?;
                b.used.remove(&leave);
                b.push(Stmt::Block { label: leave, body: body_code });
            } else {
                b.targets.push(target.clone());
                b.exits.push(label);
                let done = b.block(body);
                b.exits.pop();
                b.targets.pop();
                done?;
            }
            if let Some(running) = running {
                let go_on = target.cont_mask.map_or(b.mask, Arg::Leaf);
                b.push(Stmt::Assign(vec![(running, go_on)]));
                b.push(Stmt::ExitIfNone { mask: Arg::Leaf(running), label });
                b.mask = Arg::Leaf(running);
            } else {
                b.mask = outer_mask;
            }
            b.targets.push(target.clone());
            b.exits.push(label);
            let done = b.continuing(continuing, &args);
            b.exits.pop();
            b.targets.pop();
            done
        });
        self.mask = outer_mask;
        let code = code?;
        self.used.remove(&label);
        let looks = !self.short.contains(&inst);
        self.push(Stmt::Loop { label, looks, body: code });
        self.clears = before;
        Ok(())
    }

    /// The continuing part: ends by assigning the next iteration's arguments.
    fn continuing(&mut self, block: Block, args: &[Leaf]) -> Result<()> {
        let f = self.f();
        for &inst in self.block_insts(block) {
            let data = &f.insts[inst];
            match data.op {
                Opcode::Next => {
                    let values = self.all_args(data.ids())?;
                    self.assign(args, &values);
                }
                Opcode::NextIf => {
                    let ids: Vec<Value> = data.ids().collect();
                    let Some(target) = self.targets.last().cloned() else { continue };
                    let count = f.blocks[f.block_of(f.insts[target.inst].regions[0])].args.len();
                    let cond = self.arg(ids[0])?;
                    let next = self.all_args(ids[1..=count].iter().copied())?;
                    let out = self.all_args(ids[count + 1..].iter().copied())?;
                    if target.together {
                        let then = self.nested(|b| {
                            b.assign(args, &next);
                            Ok(())
                        })?;
                        let els = self.nested(|b| {
                            b.assign(&target.results, &out);
                            b.out.push(Stmt::Exit(target.label));
                            Ok(())
                        })?;
                        self.push(Stmt::If { cond, then, els });
                    } else {
                        let leaving = self.mask_and(self.mask, cond, true);
                        for (dst, src) in target.results.iter().zip(out) {
                            self.push(Stmt::Blend { dst: *dst, mask: Arg::Leaf(leaving), src });
                        }
                        let staying = self.mask_and(self.mask, cond, false);
                        self.set_mask(Arg::Leaf(staying));
                        let mask = self.mask;
                        self.push(Stmt::ExitIfNone { mask, label: target.label });
                        self.assign(args, &next);
                    }
                }
                op if op.is_structured() => self.structured(inst)?,
                op if op.is_terminator() => self.terminator(inst, block)?,
                _ => self.inst(inst)?,
            }
        }
        Ok(())
    }

    /// A terminator inside the waves.
    fn terminator(&mut self, inst: Inst, block: Block) -> Result<()> {
        let f = self.f();
        let data = &f.insts[inst];
        self.span = data.span;
        let values = |b: &mut Self| b.all_args(f.insts[inst].ids());
        match data.op {
            Opcode::Merge => {
                let Some(target) = self.targets.last().cloned() else { return Ok(()) };
                let from = values(self)?;
                if target.blend {
                    self.blend(&target.results, &from);
                } else {
                    self.assign(&target.results, &from);
                }
                if let Some(out) = target.out_mask {
                    self.mask_or(out, self.mask);
                }
            }
            Opcode::Break => {
                let Some(target) = self.break_target() else { return Ok(()) };
                let from = values(self)?;
                if target.grouped {
                    if !is_wrapper(f, target.inst) {
                        return self.unsupported("this way to leave a loop with a barrier");
                    }
                    self.keep_results(&target.results, &from);
                    self.clear();
                    return Ok(());
                }
                if target.together {
                    self.assign(&target.results, &from);
                    self.push(Stmt::Exit(target.label));
                } else {
                    self.blend(&target.results, &from);
                    if let Some(out) = target.out_mask {
                        self.mask_or(out, self.mask);
                    }
                    self.clear();
                }
            }
            Opcode::Continue => {
                let Some(target) = self.continue_target() else { return Ok(()) };
                if target.grouped {
                    return self.unsupported("this way to continue a loop with a barrier");
                }
                let from = values(self)?;
                let Some(args) = &target.cont_args else {
                    // The continuing part follows: its arguments stand for these values.
                    let continuing = f.block_of(f.insts[target.inst].regions[1]);
                    self.alias(&f.blocks[continuing].args, &from)?;
                    return Ok(());
                };
                if target.together {
                    self.assign(args, &from);
                    if let Some(label) = target.continuing {
                        self.push(Stmt::Exit(label));
                    }
                } else {
                    self.pass_on(args, &from);
                    if let Some(mask) = target.cont_mask {
                        self.mask_or(mask, self.mask);
                    }
                    self.clear();
                }
            }
            Opcode::Op(Op::Return) if self.targets.is_empty() => {}
            // No lane comes here: none goes on.
            Opcode::Op(Op::Unreachable) if self.targets.is_empty() => {}
            Opcode::Op(Op::Unreachable) => self.clear(),
            op => return self.unsupported(super::inst::describe(op)),
        }
        let _ = block;
        Ok(())
    }

    /// Makes block arguments stand for leaves.
    pub fn alias(&mut self, args: &[Value], leaves: &[Arg]) -> Result<()> {
        let mut rest = leaves;
        for &arg in args {
            let n = self.kinds_of(arg)?.len().min(rest.len());
            self.values.insert(arg, rest[..n].into());
            rest = &rest[n..];
        }
        Ok(())
    }
}
