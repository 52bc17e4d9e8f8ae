//! What runs outside the waves: the sequence of segments that barriers make, and control flow with barriers in it.
//!
//! Conditions here must be the same for the group: HLSL demands it of control flow around a barrier. Of one that is not known
//! to be, the code checks that the invocations agree; so it does at a barrier that some may have left the way to. Where they
//! do not, the launch ends with a fault.

use crate::analysis::uniformity::is_wrapper;
use crate::ir::entity::Entity;
use crate::ir::{Block, Function, Inst, Op, Opcode, Value};
use crate::spmd::build::{Build, Result};
use crate::spmd::control::Target;
use crate::spmd::{Arg, Kind, Label, Leaf, Segment, Shape, Slot, Stmt};

/// Memory semantics of memory that other groups see: `UniformMemory`, `CrossWorkgroupMemory`, `ImageMemory`.
const DEVICE_MEMORY: u64 = 0x40 | 0x200 | 0x800;

impl Build<'_> {
    /// The whole entry function.
    pub fn function(&mut self, entry: Block) -> Result<()> {
        let f = self.f();
        let barrier = f.blocks.iter().any(|(_, b)| b.insts.iter().any(|i| is_barrier(f, *i)));
        let escapes = self.a.facts.iter().any(|(i, x)| x.grouped && is_wrapper(f, *i));
        if barrier && escapes {
            self.save_mask(None);
        }
        self.group_block(entry)?;
        self.close();
        if let Some(label) = self.leave.take() {
            let body = std::mem::take(&mut self.group);
            self.group.push(Stmt::Block { label, body });
        }
        Ok(())
    }

    /// From here on the mask is kept across segments, starting with what it is now.
    fn save_mask(&mut self, label: Option<Label>) {
        self.open();
        let slot = self.p.slots.push(Kind::Bool);
        let src = self.mask;
        self.push(Stmt::SpillStore { slot, src });
        self.close();
        self.mask_slots.push((slot, label));
    }

    /// A barrier: every wave has done what stands before it, and no lane has left.
    fn barrier(&mut self) {
        self.close();
        let Some(&(mask, around)) = self.mask_slots.last() else { return };
        let label = match around.or(self.leave) {
            Some(label) => label,
            None => {
                let label = self.label();
                self.leave = Some(label);
                label
            }
        };
        let fault = self.fault();
        self.group.push(Stmt::Meet { mask, label, fault });
    }

    fn group_block(&mut self, block: Block) -> Result<()> {
        let f = self.f();
        for &inst in self.block_insts(block) {
            let data = &f.insts[inst];
            self.span = data.span;
            if is_barrier(f, inst) {
                self.barrier();
                let semantics =
                    data.id(2).and_then(|v| f.as_const(v)).and_then(|c| self.input.ctx.consts.bits(c));
                if semantics.is_none_or(|s| s & DEVICE_MEMORY != 0) {
                    self.group.push(Stmt::Fence);
                }
            } else if data.op.is_structured() {
                if self.facts(inst).grouped {
                    self.group_structured(inst)?;
                } else {
                    self.structured(inst)?;
                }
            } else if data.op.is_terminator() {
                self.group_terminator(inst)?;
            } else {
                self.inst(inst)?;
            }
        }
        Ok(())
    }

    fn group_structured(&mut self, inst: Inst) -> Result<()> {
        let f = self.f();
        match f.insts[inst].op {
            Opcode::Selection => self.group_selection(inst),
            Opcode::Loop => self.group_loop(inst),
            _ if is_wrapper(f, inst) => self.group_wrapper(inst),
            _ => self.unsupported("a barrier inside a switch"),
        }
    }

    /// Fills a statement list outside the waves.
    fn group_nested(&mut self, fill: impl FnOnce(&mut Self) -> Result<()>) -> Result<Vec<Stmt>> {
        self.close();
        let outer = std::mem::take(&mut self.group);
        let result = fill(self);
        self.close();
        let inner = std::mem::replace(&mut self.group, outer);
        result.map(|()| inner)
    }

    /// Leaves for a value that control flow outside the waves makes: a variable where it is the same for the group,
    /// otherwise (or if they must be `saved`) a spill slot.
    fn group_leaves(&mut self, v: Value, saved: bool) -> Result<Vec<Leaf>> {
        let mut out = Vec::new();
        for (i, kind) in self.kinds_of(v)?.into_iter().enumerate() {
            let shape = if saved { Shape::Varying } else { self.a.shape(v, i) };
            if shape <= Shape::Group {
                out.push(self.leaf(kind, Shape::Group, None));
            } else {
                // Made in no segment: every use loads it.
                let leaf = self.leaf(kind, shape, Some(Segment::new(u32::MAX as usize - 1)));
                let slot = self.p.slots.push(kind);
                self.keep(leaf, slot);
                out.push(leaf);
            }
        }
        let leaves = out.iter().map(|l| Arg::Leaf(*l)).collect();
        self.values.insert(v, leaves);
        Ok(out)
    }

    /// Gives values to such leaves: slots from inside the waves, then variables all at once.
    fn group_assign(&mut self, to: &[Leaf], values: &[Value], declare: bool) -> Result<()> {
        let mut from = Vec::new();
        for v in values {
            from.extend(self.raw_args(*v)?);
        }
        let (mut vars, mut stores) = (Vec::new(), Vec::new());
        for (leaf, arg) in to.iter().zip(from) {
            match self.slot_of(*leaf) {
                Some(slot) => {
                    self.open();
                    stores.push((slot, self.bring(arg)));
                }
                None => vars.push((*leaf, arg)),
            }
        }
        for (slot, src) in stores {
            self.push(Stmt::SpillStore { slot, src });
        }
        self.close();
        let vars: Vec<(Leaf, Arg)> =
            vars.into_iter().map(|(leaf, arg)| (leaf, self.bring_out(arg))).collect();
        if declare {
            for (dst, init) in vars {
                self.group.push(Stmt::Var { dst, init: Some(init) });
            }
        } else if !vars.is_empty() {
            self.group.push(Stmt::Assign(vars));
        }
        Ok(())
    }

    /// Results of a wrapper, from inside the waves: each lane that is on keeps its own.
    pub fn keep_results(&mut self, results: &[Leaf], values: &[Arg]) {
        for (leaf, src) in results.iter().zip(values) {
            let Some(slot) = self.slot_of(*leaf) else { continue };
            let segment = self.open();
            let kind = self.p.leaves[*leaf].kind;
            let row = self.leaf(kind, Shape::Varying, Some(segment));
            self.push(Stmt::SpillLoad { dst: row, slot });
            let mask = self.mask;
            self.push(Stmt::Blend { dst: row, mask, src: *src });
            self.push(Stmt::SpillStore { slot, src: Arg::Leaf(row) });
        }
    }

    /// The same from outside the waves.
    fn group_leave(&mut self, target: &Target, values: &[Value]) -> Result<()> {
        if !is_wrapper(self.f(), target.inst) {
            return self.group_assign(&target.results, values, false);
        }
        if !target.results.is_empty() {
            self.open();
            let from = self.all_args(values.iter().copied())?;
            self.keep_results(&target.results, &from);
        }
        self.close();
        Ok(())
    }

    fn slot_of(&self, leaf: Leaf) -> Option<Slot> {
        self.p.leaves[leaf].home.and_then(|_| self.kept(leaf))
    }

    fn group_results(&mut self, inst: Inst) -> Result<Vec<Leaf>> {
        let mut out = Vec::new();
        // Lanes leave a wrapper one by one, from inside the waves: its results must be where they can reach.
        let saved = is_wrapper(self.f(), inst);
        for v in self.f().insts[inst].results.clone() {
            out.extend(self.group_leaves(v, saved)?);
        }
        self.close();
        for leaf in &out {
            if self.slot_of(*leaf).is_none() {
                self.group.push(Stmt::Var { dst: *leaf, init: None });
            }
        }
        Ok(out)
    }

    fn group_condition(&mut self, v: Option<Value>) -> Result<Arg> {
        self.close();
        let Some(v) = v else { return Ok(Arg::Const(Kind::Bool, 0)) };
        match self.raw_args(v)?[..] {
            [arg] => Ok(self.agree_on(arg)),
            _ => self.unsupported("a condition that is no scalar"),
        }
    }

    fn group_selection(&mut self, inst: Inst) -> Result<()> {
        let f = self.f();
        let data = &f.insts[inst];
        let cond = self.group_condition(data.id(0))?;
        let results = self.group_results(inst)?;
        let label = self.label();
        let mut target = Target::new(inst, Opcode::Selection, label, results);
        target.grouped = true;
        self.targets.push(target);
        let then = self.group_nested(|b| b.group_block(f.block_of(data.regions[0])));
        let els = self.group_nested(|b| b.group_block(f.block_of(data.regions[1])));
        self.targets.pop();
        let (then, els) = (then?, els?);
        self.group.push(Stmt::If { cond, then, els });
        Ok(())
    }

    fn group_wrapper(&mut self, inst: Inst) -> Result<()> {
        let f = self.f();
        let results = self.group_results(inst)?;
        let label = self.label();
        let mut target = Target::new(inst, Opcode::Switch, label, results);
        target.grouped = true;
        self.save_mask(Some(label));
        self.targets.push(target);
        let body = self.group_nested(|b| b.group_block(f.block_of(f.insts[inst].regions[0])));
        self.targets.pop();
        self.mask_slots.pop();
        let body = body?;
        self.group.push(Stmt::Block { label, body });
        Ok(())
    }

    fn group_loop(&mut self, inst: Inst) -> Result<()> {
        let f = self.f();
        let data = &f.insts[inst];
        let (body, continuing) = (f.block_of(data.regions[0]), f.block_of(data.regions[1]));
        let inits: Vec<Value> = data.ids().collect();
        let mut args = Vec::new();
        for arg in f.blocks[body].args.clone() {
            args.extend(self.group_leaves(arg, false)?);
        }
        self.group_assign(&args, &inits, true)?;
        let results = self.group_results(inst)?;
        let label = self.label();
        let mut target = Target::new(inst, Opcode::Loop, label, results);
        target.grouped = true;
        let facts = self.facts(inst);
        let tail = facts.continue_count == 1
            && f.terminator(body).is_some_and(|t| f.insts[t].op == Opcode::Continue);
        let code = self.group_nested(|b| {
            if tail {
                b.targets.push(target.clone());
                b.group_block(body)?;
            } else {
                let mut cont_args = Vec::new();
                for arg in f.blocks[continuing].args.clone() {
                    cont_args.extend(b.group_leaves(arg, false)?);
                }
                for leaf in &cont_args {
                    if b.slot_of(*leaf).is_none() {
                        b.group.push(Stmt::Var { dst: *leaf, init: None });
                    }
                }
                let leave = b.label();
                (target.cont_args, target.continuing) = (Some(cont_args), Some(leave));
                b.targets.push(target.clone());
                let body = b.group_nested(|b| b.group_block(body))?;
                b.group.push(Stmt::Block { label: leave, body });
            }
            b.group_continuing(continuing, &args)?;
            b.targets.pop();
            Ok(())
        })?;
        let looks = !self.short.contains(&inst);
        self.group.push(Stmt::Loop { label, looks, body: code });
        Ok(())
    }

    fn group_continuing(&mut self, block: Block, args: &[Leaf]) -> Result<()> {
        let f = self.f();
        let Some(terminator) = f.terminator(block) else { return Ok(()) };
        let Some(target) = self.targets.last().cloned() else { return Ok(()) };
        self.group_block_without_terminator(block)?;
        let data = &f.insts[terminator];
        let ids: Vec<Value> = data.ids().collect();
        match data.op {
            Opcode::Next => self.group_assign(args, &ids, false),
            Opcode::NextIf => {
                let count = f.blocks[f.block_of(f.insts[target.inst].regions[0])].args.len();
                let cond = self.group_condition(ids.first().copied())?;
                let then = self.group_nested(|b| b.group_assign(args, &ids[1..=count], false))?;
                let els = self.group_nested(|b| {
                    b.group_assign(&target.results, &ids[count + 1..], false)?;
                    b.group.push(Stmt::Exit(target.label));
                    Ok(())
                })?;
                self.group.push(Stmt::If { cond, then, els });
                Ok(())
            }
            _ => self.group_terminator(terminator),
        }
    }

    fn group_block_without_terminator(&mut self, block: Block) -> Result<()> {
        let f = self.f();
        for &inst in self.block_insts(block) {
            let data = &f.insts[inst];
            self.span = data.span;
            if data.op.is_terminator() {
                continue;
            } else if is_barrier(f, inst) {
                self.barrier();
            } else if data.op.is_structured() && self.facts(inst).grouped {
                self.group_structured(inst)?;
            } else if data.op.is_structured() {
                self.structured(inst)?;
            } else {
                self.inst(inst)?;
            }
        }
        Ok(())
    }

    fn group_terminator(&mut self, inst: Inst) -> Result<()> {
        let f = self.f();
        let data = &f.insts[inst];
        let ids: Vec<Value> = data.ids().collect();
        match data.op {
            Opcode::Merge => {
                if let Some(target) = self.targets.last().cloned() {
                    self.group_leave(&target, &ids)?;
                }
                Ok(())
            }
            Opcode::Break => {
                if let Some(target) = self.break_target() {
                    self.group_leave(&target, &ids)?;
                    self.group.push(Stmt::Exit(target.label));
                }
                Ok(())
            }
            Opcode::Continue => {
                let Some(target) = self.continue_target() else { return Ok(()) };
                match (&target.cont_args, target.continuing) {
                    (Some(args), Some(label)) => {
                        self.group_assign(args, &ids, false)?;
                        self.group.push(Stmt::Exit(label));
                        Ok(())
                    }
                    _ => {
                        // Not brought here: the continuing part may be another segment.
                        let mut from = Vec::new();
                        for v in &ids {
                            from.extend(self.raw_args(*v)?);
                        }
                        let continuing = f.block_of(f.insts[target.inst].regions[1]);
                        self.alias(&f.blocks[continuing].args.clone(), &from)
                    }
                }
            }
            Opcode::Op(Op::Return | Op::Unreachable) if self.targets.is_empty() => {
                self.close();
                Ok(())
            }
            // No wave comes here.
            Opcode::Op(Op::Unreachable) => {
                self.close();
                let label = match self.leave {
                    Some(label) => label,
                    None => self.label(),
                };
                self.leave = Some(label);
                self.group.push(Stmt::Exit(label));
                Ok(())
            }
            op => self.unsupported(super::inst::describe(op)),
        }
    }
}

fn is_barrier(f: &Function, inst: Inst) -> bool {
    f.insts[inst].op == Opcode::Op(Op::ControlBarrier)
}
