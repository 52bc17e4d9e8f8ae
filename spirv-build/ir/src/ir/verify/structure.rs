//! Rules 4 to 7: regions, blocks, terminators, visibility.

use super::{Errors, MAX_NESTING, memory, operands, types};
use crate::ir::entity::Entity;
use crate::ir::{
    Block, Func, Function, Inst, InstData, Module, Op, Opcode, Operand, Region, Type, TypeKind, Value,
    ValueDef,
};
use smallvec::{SmallVec, smallvec};

/// What was seen of something that a function has.
type Flags = SmallVec<[bool; 128]>;

/// Types of what is passed from one place to another.
type Types = SmallVec<[Type; 8]>;

/// What is around a block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Selection,
    Switch,
    Body,
    Continuing,
}

pub(super) struct Check<'a> {
    pub(super) module: &'a Module,
    pub(super) f: &'a Function,
    pub(super) e: &'a mut Errors,
    visible: Flags,
    seen_blocks: Flags,
    seen_insts: Flags,
    seen_regions: Flags,
    frames: SmallVec<[(Place, Inst); 16]>,
    /// What the open blocks define, innermost last.
    defined: SmallVec<[Value; 64]>,
    /// Blocks of the body, if it is a plain graph.
    graph: Option<Graph>,
}

pub(super) fn check(module: &Module, func: Func, e: &mut Errors) {
    let f = &module.functions[func];
    e.span = f.span;
    e.inst = None;
    let mut c = Check {
        module,
        f,
        e,
        visible: smallvec![false; f.values.len()],
        seen_blocks: smallvec![false; f.blocks.len()],
        seen_insts: smallvec![false; f.insts.len()],
        seen_regions: smallvec![false; f.regions.len()],
        frames: SmallVec::new(),
        defined: SmallVec::new(),
        graph: None,
    };
    c.function();
    c.e.inst = None;
}

impl<'a> Check<'a> {
    fn function(&mut self) {
        // Constants and addresses that do not fit may be left over; they are wrong only where they are used.
        for v in self.f.values.keys() {
            match self.f.values[v].def {
                ValueDef::Const(c) => {
                    let known = c.index() < self.module.ctx.consts.len()
                        && self.module.ctx.consts.ty(c) == self.f.values[v].ty;
                    self.visible[v.index()] = known;
                }
                ValueDef::Global(g) => {
                    let data = self.module.globals.get(g);
                    let pointee = self.module.ctx.types.pointee(self.f.values[v].ty);
                    let known = data.is_some_and(|g| pointee == Some((g.ty, g.storage)));
                    self.visible[v.index()] = known;
                }
                _ => {}
            }
        }
        let Some(body) = self.f.body else {
            let known = self.f.params.iter().all(|p| self.f.values.get(*p).is_some());
            self.e.require(known, "an unknown value is a parameter");
            return;
        };
        let Some(blocks) = self.region(body) else { return };
        let Some(&entry) = blocks.first() else {
            self.e.push("a function body has no blocks");
            return;
        };
        let args = &self.f.blocks[entry].args;
        self.e.require(*args == self.f.params, "the parameters are not the arguments of the entry block");
        if blocks.len() == 1 {
            self.block(entry, 0, None);
            return;
        }
        if let Some(graph) = Graph::new(self.f, blocks, self.e) {
            self.graph = Some(graph);
            self.plain_graph(blocks);
        }
    }

    /// The blocks of a region that was not seen before.
    fn region(&mut self, r: Region) -> Option<&'a [Block]> {
        let Some(data) = self.f.regions.get(r) else {
            self.e.push("an unknown region");
            return None;
        };
        if std::mem::replace(&mut self.seen_regions[r.index()], true) {
            self.e.push("a region is in two places");
            return None;
        }
        if data.blocks.iter().any(|b| self.f.blocks.get(*b).is_none()) {
            self.e.push("an unknown block");
            return None;
        }
        Some(&data.blocks)
    }

    fn plain_graph(&mut self, blocks: &'a [Block]) {
        // A value is visible in what its block dominates. Blocks are visited in an order in which dominators come
        // first, and what a block defines stays visible only in those.
        let Some(graph) = self.graph.take() else { return };
        let mut defined: Vec<Vec<Value>> = vec![Vec::new(); blocks.len()];
        for &at in &graph.order {
            let mut dominators = Vec::new();
            let mut up = at;
            while let Some(next) = graph.dominator[up].filter(|d| *d != up) {
                dominators.push(next);
                up = next;
            }
            let shown: Vec<Value> = dominators.iter().flat_map(|d| defined[*d].iter().copied()).collect();
            shown.iter().for_each(|v| self.visible[v.index()] = true);
            self.block(blocks[at], 0, Some(&mut defined[at]));
            shown.iter().for_each(|v| self.visible[v.index()] = false);
        }
        self.graph = Some(graph);
    }

    /// Checks a block. Afterwards nothing that it defines is visible; `defines` gets these values.
    fn block(&mut self, b: Block, depth: usize, defines: Option<&mut Vec<Value>>) {
        let f = self.f;
        if depth > MAX_NESTING {
            self.e.too_large(format!("nesting is more than {MAX_NESTING} deep"));
            return;
        }
        if std::mem::replace(&mut self.seen_blocks[b.index()], true) {
            self.e.push("a block is in two places");
            return;
        }
        let before = self.defined.len();
        let data = &f.blocks[b];
        for (i, v) in data.args.iter().enumerate() {
            self.define(*v, ValueDef::Arg(b, i as u16));
        }
        let mut variables = depth == 0 && self.f.entry() == Some(b);
        for (i, &inst) in data.insts.iter().enumerate() {
            let Some(d) = f.insts.get(inst) else {
                self.e.push("an unknown instruction");
                continue;
            };
            self.e.inst = Some(inst);
            self.e.span = d.span;
            if std::mem::replace(&mut self.seen_insts[inst.index()], true) {
                self.e.push("an instruction is in two places");
                continue;
            }
            let is_variable = d.op == Opcode::Op(Op::Variable);
            variables &= is_variable;
            self.e.require(!is_variable || variables, "a variable is not at the start of the entry block");
            let last = i + 1 == data.insts.len();
            if d.op.is_terminator() != last {
                self.e.push(if last {
                    "a block does not end in a terminator"
                } else {
                    "a terminator is not at the end"
                });
            }
            let before = self.e.list.len();
            for v in d.ids().chain(d.successors.iter().flat_map(|s| s.args.iter().copied())) {
                self.used(v);
            }
            if self.e.list.len() == before {
                self.inst(inst, d, depth);
                self.e.inst = Some(inst);
                self.e.span = d.span;
            }
            for (i, v) in d.results.iter().enumerate() {
                self.define(*v, ValueDef::Result(inst, i as u16));
            }
        }
        if data.insts.is_empty() {
            self.e.push("a block is empty");
        }
        let own = &self.defined[before..];
        own.iter().for_each(|v| self.visible[v.index()] = false);
        if let Some(defines) = defines {
            defines.extend_from_slice(own);
        }
        self.defined.truncate(before);
    }

    fn define(&mut self, v: Value, def: ValueDef) {
        match self.f.values.get(v) {
            Some(d) if d.def == def => {
                self.visible[v.index()] = true;
                self.defined.push(v);
            }
            _ => self.e.push("a value is not what its definition says"),
        }
    }

    fn used(&mut self, v: Value) {
        match self.visible.get(v.index()) {
            None => self.e.push("an unknown value is used"),
            Some(false) => {
                let data = &self.f.values[v];
                let name = data.name.as_deref().unwrap_or("");
                self.e.push(match data.def {
                    ValueDef::Const(_) => "a constant does not have the type of its value".into(),
                    ValueDef::Global(_) => "an address does not have the type of its global".into(),
                    _ => format!("value {v} {name} is used where it is not visible"),
                });
            }
            Some(true) => {}
        }
    }

    pub(super) fn ty(&self, v: Value) -> Type {
        self.f.values[v].ty
    }

    pub(super) fn kind(&self, t: Type) -> &'a TypeKind {
        self.module.ctx.types.kind(t)
    }

    fn inst(&mut self, inst: Inst, d: &'a InstData, depth: usize) {
        let unknown = d.operands.iter().any(|o| match o {
            Operand::Func(f) => self.module.functions.get(*f).is_none(),
            Operand::Type(t) => t.index() >= self.module.ctx.types.len(),
            _ => false,
        });
        if unknown {
            self.e.push("an operand is of no table");
            return;
        }
        if !d.op.is_structured() {
            self.e.require(d.regions.is_empty(), "an instruction that is not structured has regions");
        }
        match d.op {
            Opcode::Selection => self.selection(inst, d, depth),
            Opcode::Switch => self.switch(inst, d, depth),
            Opcode::Loop => self.loop_op(inst, d, depth),
            op if op.is_terminator() => self.terminator(d),
            _ => {
                let before = self.e.list.len();
                operands::check(self, d);
                if self.e.list.len() == before {
                    types::check(self, d);
                    memory::check(self, d);
                }
            }
        }
    }

    pub(super) fn is_bool(&self, v: Value) -> bool {
        matches!(self.kind(self.ty(v)), TypeKind::Bool)
    }

    /// Checks the only block of a region.
    fn nested(&mut self, r: Region, inst: Inst, place: Place, args: bool, depth: usize) {
        let Some(blocks) = self.region(r) else { return };
        let &[block] = blocks else {
            self.e.push("a region of a structured operation has not one block");
            return;
        };
        if !args {
            self.e
                .require(self.f.blocks[block].args.is_empty(), "a region has arguments that nothing passes");
        }
        self.frames.push((place, inst));
        self.block(block, depth + 1, None);
        self.frames.pop();
        self.e.inst = Some(inst);
    }

    fn selection(&mut self, inst: Inst, d: &InstData, depth: usize) {
        let (&[then, els], [Operand::Id(cond)]) = (&d.regions[..], &d.operands[..]) else {
            self.e.push("a selection has not one condition and two regions");
            return;
        };
        let holds = self.is_bool(*cond);
        self.e.require(holds, "the condition of a selection is not bool");
        self.nested(then, inst, Place::Selection, false, depth);
        self.nested(els, inst, Place::Selection, false, depth);
    }

    fn switch(&mut self, inst: Inst, d: &InstData, depth: usize) {
        let Some((Operand::Id(selector), labels)) = d.operands.split_first() else {
            self.e.push("a switch has no selector");
            return;
        };
        let int = matches!(self.kind(self.ty(*selector)), TypeKind::Int { width: 32 | 64, .. });
        self.e.require(int, "the selector of a switch is no integer");
        self.e.require(!d.regions.is_empty(), "a switch has no default");
        let mut values = Vec::new();
        for pair in labels.chunks(2) {
            let [Operand::Wide(value), Operand::Literal(region)] = *pair else {
                self.e.push("a case has not a value and a region");
                continue;
            };
            self.e.require((region as usize) < d.regions.len(), "a case names no region");
            values.push(value);
        }
        values.sort_unstable();
        self.e.require(values.windows(2).all(|w| w[0] != w[1]), "two cases have the same value");
        for r in &d.regions {
            self.nested(*r, inst, Place::Switch, false, depth);
        }
    }

    fn loop_op(&mut self, inst: Inst, d: &InstData, depth: usize) {
        let &[body, continuing] = &d.regions[..] else {
            self.e.push("a loop has not two regions");
            return;
        };
        self.e.require(d.ids().count() == d.operands.len(), "a loop has operands that are no values");
        let init: Types = d.ids().map(|v| self.ty(v)).collect();
        let Some(args) = self.arg_types(body) else { return };
        self.e.require(args == init, "the initial values of a loop are not of the types of its arguments");
        self.nested(body, inst, Place::Body, true, depth);
        self.nested(continuing, inst, Place::Continuing, true, depth);
    }

    /// Types of the arguments of a region's block.
    fn arg_types(&mut self, r: Region) -> Option<Types> {
        let block = self.f.regions.get(r).and_then(|r| r.blocks.first()).and_then(|b| self.f.blocks.get(*b));
        let Some(block) = block else {
            self.e.push("a region has no block");
            return None;
        };
        if block.args.iter().any(|v| self.f.values.get(*v).is_none()) {
            self.e.push("an unknown value is an argument");
            return None;
        }
        Some(block.args.iter().map(|v| self.ty(*v)).collect())
    }

    fn result_types(&self, inst: Inst) -> Types {
        self.f.insts[inst].results.iter().filter_map(|v| self.f.values.get(*v)).map(|v| v.ty).collect()
    }

    fn terminator(&mut self, d: &InstData) {
        self.e.require(d.results.is_empty(), "a terminator has a result");
        let values: Types = d.ids().map(|v| self.ty(v)).collect();
        let continuing = self.frames.iter().any(|(p, _)| *p == Place::Continuing);
        let innermost = self.frames.last().copied();
        // The frames that a jump can reach: it does not leave a continuing region.
        let reach = self.frames.iter().rev().take_while(|(p, _)| *p != Place::Continuing).copied();
        match d.op {
            Opcode::Op(op) => self.plain_terminator(op, d, continuing),
            Opcode::Merge => match innermost {
                Some((Place::Selection | Place::Switch, inst)) => {
                    let wanted = self.result_types(inst);
                    self.passes(&values, &wanted);
                }
                _ => self.e.push("`merge` outside a selection or switch"),
            },
            Opcode::Break => match reach.into_iter().find(|(p, _)| *p != Place::Selection) {
                Some((_, inst)) => {
                    let wanted = self.result_types(inst);
                    self.passes(&values, &wanted);
                }
                None => self.e.push("`break` outside a loop or switch"),
            },
            Opcode::Continue => match reach.into_iter().find(|(p, _)| *p == Place::Body) {
                Some((_, inst)) => {
                    let region = self.f.insts[inst].regions[1];
                    if let Some(wanted) = self.arg_types(region) {
                        self.passes(&values, &wanted);
                    }
                }
                None => self.e.push("`continue` outside a loop"),
            },
            _ => match innermost {
                Some((Place::Continuing, inst)) => {
                    let region = self.f.insts[inst].regions[0];
                    let Some(mut wanted) = self.arg_types(region) else { return };
                    if d.op == Opcode::NextIf {
                        let cond = d.id(0).is_some_and(|v| self.is_bool(v));
                        self.e.require(cond, "the condition of `next_if` is not bool");
                        wanted.extend(self.result_types(inst));
                        self.passes(values.get(1..).unwrap_or(&[]), &wanted);
                    } else {
                        self.passes(&values, &wanted);
                    }
                }
                _ => self.e.push("`next` outside a continuing region, or nested in one"),
            },
        }
    }

    fn passes(&mut self, values: &[Type], wanted: &[Type]) {
        self.e.require(
            values == wanted,
            "a terminator passes values of other number or types than its target takes",
        );
    }

    fn plain_terminator(&mut self, op: Op, d: &InstData, continuing: bool) {
        if continuing && !matches!(op, Op::Branch | Op::BranchConditional | Op::Switch) {
            self.e.push("a continuing region is left by another way than `next`");
        }
        match op {
            Op::Return => {
                let void = matches!(self.kind(self.f.result), TypeKind::Void);
                self.e.require(void && d.operands.is_empty(), "a function that returns a value returns none");
            }
            Op::ReturnValue => {
                let same = matches!(d.operands[..], [Operand::Id(v)] if self.ty(v) == self.f.result);
                self.e.require(same, "a function returns a value of another type");
            }
            Op::Branch | Op::BranchConditional | Op::Switch => self.edges(op, d),
            _ => {}
        }
    }

    /// Edges of a plain graph; that their targets exist is known.
    fn edges(&mut self, op: Op, d: &InstData) {
        if !self.frames.is_empty() || self.f.body.is_none_or(|r| self.f.regions[r].blocks.len() == 1) {
            self.e.push("a branch in structured control flow");
            return;
        }
        let cases = d.operands.len().saturating_sub(1);
        let (count, fits) = match op {
            Op::Branch => (1, d.operands.is_empty()),
            Op::BranchConditional => (2, d.id(0).is_some_and(|v| self.is_bool(v))),
            _ => (
                cases + 1,
                d.id(0).is_some_and(|v| matches!(self.kind(self.ty(v)), TypeKind::Int { .. }))
                    && d.operands[1..].iter().all(|o| matches!(o, Operand::Wide(_) | Operand::Literal(_))),
            ),
        };
        self.e.require(fits, "a branch does not have the operands that it needs");
        self.e.require(d.successors.len() == count, "a branch does not have the successors that it needs");
        for s in &d.successors {
            let Some(target) = self.f.blocks.get(s.block) else { continue };
            let same =
                target.args.len() == s.args.len()
                    && target.args.iter().zip(&s.args).all(|(a, b)| {
                        self.f.values.get(*a).map(|d| d.ty) == self.f.values.get(*b).map(|d| d.ty)
                    });
            self.e.require(same, "an edge passes values of other number or types than its target takes");
            self.e.require(Some(s.block) != self.f.entry(), "a branch to the entry block");
        }
    }
}

/// Dominators of a plain graph.
struct Graph {
    /// Immediate dominator by position; the entry's is itself, unreachable blocks have none.
    dominator: Vec<Option<usize>>,
    /// Positions, reachable ones first in reverse postorder.
    order: Vec<usize>,
}

impl Graph {
    fn new(f: &Function, blocks: &[Block], e: &mut Errors) -> Option<Graph> {
        let mut position = vec![usize::MAX; f.blocks.len()];
        for (i, b) in blocks.iter().enumerate() {
            position[b.index()] = i;
        }
        let mut next: Vec<Vec<usize>> = Vec::new();
        for b in blocks {
            let last = f.blocks[*b].insts.last().and_then(|i| f.insts.get(*i));
            let mut targets = Vec::new();
            for s in last.iter().flat_map(|i| i.successors.iter()) {
                match position.get(s.block.index()) {
                    Some(&p) if p != usize::MAX => targets.push(p),
                    _ => {
                        e.push("a branch leaves its region");
                        return None;
                    }
                }
            }
            next.push(targets);
        }
        let mut postorder = Vec::new();
        let mut seen = vec![false; blocks.len()];
        let mut stack = vec![(0, 0)];
        seen[0] = true;
        while let Some((at, edge)) = stack.pop() {
            let Some(&target) = next[at].get(edge) else {
                postorder.push(at);
                continue;
            };
            stack.push((at, edge + 1));
            if !std::mem::replace(&mut seen[target], true) {
                stack.push((target, 0));
            }
        }
        let mut number = vec![0; blocks.len()];
        postorder.iter().enumerate().for_each(|(i, b)| number[*b] = i);
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); blocks.len()];
        for &b in &postorder {
            next[b].iter().for_each(|t| before[*t].push(b));
        }
        let mut dominator: Vec<Option<usize>> = vec![None; blocks.len()];
        dominator[0] = Some(0);
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for &b in postorder.iter().rev().filter(|b| **b != 0) {
                let mut new: Option<usize> = None;
                for &p in before[b].iter().filter(|p| dominator[**p].is_some()) {
                    new = Some(match new {
                        None => p,
                        Some(mut a) => {
                            let mut c = p;
                            while a != c {
                                let lower = if number[a] < number[c] { &mut a } else { &mut c };
                                *lower = dominator[*lower].unwrap_or(0);
                            }
                            a
                        }
                    });
                }
                if dominator[b] != new {
                    dominator[b] = new;
                    changed = true;
                }
            }
        }
        let mut order: Vec<usize> = postorder.into_iter().rev().collect();
        order.extend((0..blocks.len()).filter(|b| !seen[*b]));
        Some(Graph { dominator, order })
    }
}
