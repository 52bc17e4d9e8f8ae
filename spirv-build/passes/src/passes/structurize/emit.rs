//! Writes the structured form of a graph.

use super::graph::{Edge, Graph, Homes, Node, Slot, Term, is_address};
use crate::ir::walk::MAX_NESTING;
use crate::ir::{
    Block, Builder, Context, Function, Inst, InstData, Op, Opcode, Operand, Type, Value, ValueDef,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Where a sequence of nodes went.
#[derive(PartialEq, Eq, Clone, Copy)]
pub(super) enum Went {
    /// To the node that it was to stop at.
    On,
    /// Away: the block has its terminator.
    Away,
}

/// Writes the structured form.
pub(super) struct Emit<'a> {
    pub(super) g: &'a Graph,
    pub(super) ctx: &'a mut Context,
    pub(super) f: &'a mut Function,
    pub(super) block: Block,
    pub(super) depth: usize,
    pub(super) slots: Vec<Value>,
    pub(super) homes: Homes,
    /// What old values are in the node that is being written.
    pub(super) local: FxHashMap<Value, Value>,
    /// The loop that is being written.
    pub(super) level: Option<usize>,
    /// Nodes that are written, and instructions as they were before.
    pub(super) written: Vec<bool>,
    pub(super) original: FxHashMap<Inst, InstData>,
    /// Nodes that may still be written: what leaves in the same way from several places is written in each.
    pub(super) budget: usize,
}

/// Where an edge leads at a level.
pub(super) enum Leads {
    To(Node),
    Away(Opcode),
}

impl Emit<'_> {
    fn b(&mut self) -> Builder<'_> {
        Builder::new(self.ctx, self.f, self.block)
    }

    fn leads(&self, to: Node) -> Leads {
        match self.level {
            Some(l) if self.g.loops[l].header == to => Leads::Away(Opcode::Continue),
            level if !self.g.is_in(to, level) => Leads::Away(Opcode::Break),
            _ => Leads::To(to),
        }
    }

    /// The loop that a node is the header of, one level down.
    fn inner(&self, n: Node) -> Option<usize> {
        let mut at = self.g.nodes[n].of;
        while let Some(l) = at {
            if self.g.loops[l].parent == self.level {
                return Some(l);
            }
            if Some(l) == self.level {
                return None;
            }
            at = self.g.loops[l].parent;
        }
        None
    }

    /// Where a node goes at this level; loops are one node.
    fn targets(&self, n: Node) -> Vec<Option<Node>> {
        let on = |to: Node| match self.leads(to) {
            Leads::To(n) => Some(n),
            Leads::Away(_) => None,
        };
        match self.inner(n) {
            Some(l) => self.g.loops[l].exit.map_or(vec![None], |to| vec![on(to)]),
            None => {
                let edges = self.g.nodes[n].edges();
                if edges.is_empty() { vec![None] } else { edges.iter().map(|e| on(e.to)).collect() }
            }
        }
    }

    /// Nodes that `from` reaches before `stop`, in topological order.
    fn reach(&self, from: Node, stop: Option<Node>) -> Vec<Node> {
        if Some(from) == stop {
            return Vec::new();
        }
        let (mut seen, mut order) = (FxHashSet::default(), Vec::new());
        seen.insert(from);
        let mut stack = vec![(from, self.targets(from), 0)];
        while let Some((n, targets, at)) = stack.pop() {
            let Some(t) = targets.get(at).copied() else {
                order.push(n);
                continue;
            };
            stack.push((n, targets, at + 1));
            if let Some(t) = t.filter(|t| Some(*t) != stop)
                && seen.insert(t)
            {
                stack.push((t, self.targets(t), 0));
            }
        }
        order.reverse();
        order
    }

    /// Where all ways from a node that do not go away meet first, at the latest at `stop`; None: they all go away apart.
    ///
    /// If nothing comes to `stop`, the longest way counts as the one that goes on, and what it ends in as the end.
    fn meet(&self, n: Node, stop: Option<Node>) -> Option<Node> {
        let order = self.reach(n, stop);
        let targets: FxHashMap<Node, Vec<Option<Node>>> =
            order.iter().map(|m| (*m, self.targets(*m))).collect();
        let stops = stop.is_some() && targets.values().any(|t| t.contains(&stop));
        let mut end = stop.filter(|_| stops);
        if end.is_none() {
            let mut length: FxHashMap<Node, usize> = FxHashMap::default();
            for m in &order {
                let here = length.get(m).copied().unwrap_or(0);
                for t in targets[m].iter().flatten() {
                    let longest = length.entry(*t).or_insert(0);
                    *longest = (*longest).max(here + 1);
                }
            }
            let last = order.iter().filter(|m| targets[*m].iter().all(Option::is_none));
            end = last.max_by_key(|m| length.get(*m).copied().unwrap_or(0)).copied();
        }
        let end = end?;
        // Immediate post-dominators, last nodes first. What never comes to the end has none.
        let mut above: FxHashMap<Node, (Node, usize)> = FxHashMap::default();
        above.insert(end, (end, 0));
        for m in order.iter().rev().filter(|m| **m != end) {
            let mut all: Option<Node> = None;
            for t in targets[m].iter().flatten().filter(|t| above.contains_key(*t)) {
                all = Some(match all {
                    None => *t,
                    Some(mut a) => {
                        let mut b = *t;
                        while a != b {
                            if above[&a].1 >= above[&b].1 {
                                a = above[&a].0;
                            } else {
                                b = above[&b].0;
                            }
                        }
                        a
                    }
                });
            }
            if let Some(a) = all {
                let depth = above[&a].1 + 1;
                above.insert(*m, (a, depth));
            }
        }
        above.get(&n).map(|a| a.0).filter(|a| *a != n)
    }

    /// Writes nodes from `n` on until control comes to `stop`.
    pub(super) fn sequence(&mut self, mut n: Node, stop: Option<Node>) -> Result<Went, &'static str> {
        loop {
            if Some(n) == stop {
                return Ok(Went::On);
            }
            if let Some(l) = self.inner(n) {
                match self.loop_op(l)? {
                    Some(next) => n = next,
                    None => return Ok(Went::Away),
                }
                continue;
            }
            self.code(n)?;
            let (a, b, condition) = match &self.g.nodes[n].term {
                Term::End(inst) => {
                    self.instruction(*inst, self.original.contains_key(inst))?;
                    return Ok(Went::Away);
                }
                Term::Jump(e) => match self.follow(e)? {
                    Some(next) => {
                        n = next;
                        continue;
                    }
                    None => return Ok(Went::Away),
                },
                Term::If(v, a, b) => {
                    let condition = self.value(*v)?;
                    (a, b, condition)
                }
                Term::IfEqual(slot, number, a, b) => {
                    let condition = self.equals(*slot, *number);
                    (a, b, condition)
                }
            };
            let meet = self.meet(n, stop);
            let sides = [a, b].map(|e| match self.leads(e.to) {
                Leads::To(t) => self.reach(t, meet),
                Leads::Away(_) => Vec::new(),
            });
            let shared = sides[0].iter().any(|m| sides[1].contains(m));
            if shared {
                if self.guarded(condition, [a, b], meet)? == Went::Away {
                    return Ok(Went::Away);
                }
            } else if meet.is_none() {
                // Both ways go away: one is written inside, the other goes on here.
                let inside = usize::from(sides[1].len() < sides[0].len());
                let (_, then, els) = self.b().selection(condition, &[]);
                let blocks = if inside == 0 { [then, els] } else { [els, then] };
                let edges = if inside == 0 { [a, b] } else { [b, a] };
                self.within(blocks[0], |s| s.side(edges[0], None))?;
                let mut goes_on = None;
                self.within(blocks[1], |s| {
                    goes_on = s.follow(edges[1])?;
                    if goes_on.is_some() {
                        s.b().terminate(Opcode::Merge, &[]);
                    }
                    Ok(())
                })?;
                match goes_on {
                    Some(next) => {
                        n = next;
                        continue;
                    }
                    None => {
                        self.b().terminate(Op::Unreachable, &[]);
                        return Ok(Went::Away);
                    }
                }
            } else {
                let (_, then, els) = self.b().selection(condition, &[]);
                self.within(then, |s| s.side(a, meet))?;
                self.within(els, |s| s.side(b, meet))?;
            }
            match meet {
                Some(next) => n = next,
                None => {
                    self.b().terminate(Op::Unreachable, &[]);
                    return Ok(Went::Away);
                }
            }
        }
    }

    /// One side of a selection, up to where the sides meet.
    fn side(&mut self, e: &Edge, meet: Option<Node>) -> Result<(), &'static str> {
        if let Some(next) = self.follow(e)?
            && self.sequence(next, meet)? == Went::On
        {
            self.b().terminate(Opcode::Merge, &[]);
        }
        Ok(())
    }

    /// Runs `work` on another block.
    fn within(
        &mut self,
        block: Block,
        work: impl FnOnce(&mut Self) -> Result<(), &'static str>,
    ) -> Result<(), &'static str> {
        self.depth += 1;
        if self.depth > MAX_NESTING {
            return Err("control flow is nested too deeply");
        }
        let outer = std::mem::replace(&mut self.block, block);
        // Values of this node stay known inside, but what is computed inside is not known behind it.
        let local = self.local.clone();
        let result = work(self);
        self.local = local;
        self.block = outer;
        self.depth -= 1;
        result
    }

    /// What an edge stores; then where it leads, or the jump that it is.
    fn follow(&mut self, e: &Edge) -> Result<Option<Node>, &'static str> {
        let mut values = Vec::new();
        for (slot, v) in &e.stores {
            values.push((*slot, self.value(*v)?));
        }
        for (slot, v) in values {
            let p = self.slots[slot];
            self.b().store(p, v);
        }
        for &(slot, number) in &e.next {
            let (p, v) = (self.slots[slot], self.b().u32(number));
            self.b().store(p, v);
        }
        Ok(self.go(e.to))
    }

    fn go(&mut self, to: Node) -> Option<Node> {
        match self.leads(to) {
            Leads::To(n) => Some(n),
            Leads::Away(jump) => {
                self.b().terminate(jump, &[]);
                None
            }
        }
    }

    fn equals(&mut self, slot: Slot, number: u64) -> Value {
        let (p, ty) = (self.slots[slot], self.g.slots[slot]);
        let c = self.ctx.constant(ty, crate::ir::ConstKind::Bits(number));
        let truth = self.ctx.types.bool();
        let mut b = self.b();
        let (have, want) = (b.load(p), b.constant(c));
        b.op(Op::IEqual, truth, &[have, want])
    }

    /// A loop; where control goes behind it.
    fn loop_op(&mut self, l: usize) -> Result<Option<Node>, &'static str> {
        let (_, body, continuing) = self.b().loop_op(&[], &[]);
        let outer = self.level.replace(l);
        let header = self.g.loops[l].header;
        self.within(body, |s| s.sequence(header, None).map(|_| ()))?;
        self.within(continuing, |s| {
            s.b().terminate(Opcode::Next, &[]);
            Ok(())
        })?;
        self.level = outer;
        match self.g.loops[l].exit {
            Some(to) => Ok(self.go(to)),
            None => {
                self.b().terminate(Op::Unreachable, &[]);
                Ok(None)
            }
        }
    }

    /// Two ways that share nodes before they meet: a number tells which node is next.
    fn guarded(
        &mut self,
        condition: Value,
        edges: [&Edge; 2],
        meet: Option<Node>,
    ) -> Result<Went, &'static str> {
        let mut order: Vec<Node> = Vec::new();
        for e in edges {
            if let Leads::To(t) = self.leads(e.to) {
                // Topological order of both: that of the first way, with what only the second has before it.
                let new: Vec<Node> = self.reach(t, meet).into_iter().filter(|m| !order.contains(m)).collect();
                order = new.into_iter().chain(order).collect();
            }
        }
        let number = self.g.number;
        let next = self.b().variable(number, None);
        let (_, then, els) = self.b().selection(condition, &[]);
        for (block, e) in [(then, edges[0]), (els, edges[1])] {
            self.within(block, |s| s.choose(e, next, &order))?;
        }
        for (i, n) in order.iter().enumerate() {
            let truth = self.ctx.types.bool();
            let mut b = self.b();
            let (have, want) = (b.load(next), b.u32(i as u32 + 1));
            let here = b.op(Op::IEqual, truth, &[have, want]);
            let (_, then, els) = self.b().selection(here, &[]);
            self.within(els, |s| {
                s.b().terminate(Opcode::Merge, &[]);
                Ok(())
            })?;
            self.within(then, |s| s.guarded_node(*n, next, &order))?;
        }
        if meet.is_none() {
            self.b().terminate(Op::Unreachable, &[]);
            return Ok(Went::Away);
        }
        Ok(Went::On)
    }

    fn guarded_node(&mut self, n: Node, next: Value, order: &[Node]) -> Result<(), &'static str> {
        if let Some(l) = self.inner(n) {
            if let Some(to) = self.loop_op(l)? {
                self.set_next(to, next, order);
            }
            return Ok(());
        }
        self.code(n)?;
        let (a, b, condition) = match &self.g.nodes[n].term {
            Term::End(inst) => {
                self.instruction(*inst, self.original.contains_key(inst))?;
                return Ok(());
            }
            Term::Jump(e) => return self.choose(e, next, order),
            Term::If(v, a, b) => {
                let condition = self.value(*v)?;
                (a, b, condition)
            }
            Term::IfEqual(slot, number, a, b) => {
                let condition = self.equals(*slot, *number);
                (a, b, condition)
            }
        };
        let (_, then, els) = self.b().selection(condition, &[]);
        self.within(then, |s| s.choose(a, next, order))?;
        self.within(els, |s| s.choose(b, next, order))?;
        self.b().terminate(Opcode::Merge, &[]);
        Ok(())
    }

    /// Follows an edge by setting which node is next.
    fn choose(&mut self, e: &Edge, next: Value, order: &[Node]) -> Result<(), &'static str> {
        if let Some(to) = self.follow(e)? {
            self.set_next(to, next, order);
        }
        Ok(())
    }

    fn set_next(&mut self, to: Node, next: Value, order: &[Node]) {
        let number = order.iter().position(|n| *n == to).map_or(0, |i| i as u32 + 1);
        let v = self.b().u32(number);
        self.b().store(next, v);
        self.b().terminate(Opcode::Merge, &[]);
    }

    /// The instructions of a node.
    fn code(&mut self, n: Node) -> Result<(), &'static str> {
        self.local.clear();
        let data = &self.g.nodes[n];
        for arg in data.block.filter(|_| n > 0).map_or(Vec::new(), |b| self.f.blocks[b].args.clone()) {
            if let Some(slot) = self.homes.slots.get(&arg).copied() {
                let p = self.slots[slot];
                let v = self.b().load(p);
                self.f.values[v].name = self.f.values[arg].name.clone();
                self.local.insert(arg, v);
            }
        }
        self.budget = self.budget.checked_sub(1).ok_or("control flow is too entangled")?;
        let again = std::mem::replace(&mut self.written[n], true);
        for &inst in &data.insts {
            let old = self.f.insts[inst].results.clone();
            let inst = self.instruction(inst, again)?;
            for (old, new) in old.into_iter().zip(self.f.insts[inst].results.clone()) {
                self.local.insert(old, new);
                if let Some(slot) = self.homes.slots.get(&old).copied() {
                    let p = self.slots[slot];
                    self.b().store(p, new);
                }
            }
        }
        Ok(())
    }

    /// Writes an instruction; a copy of it if it is written already.
    fn instruction(&mut self, inst: Inst, again: bool) -> Result<Inst, &'static str> {
        let mut inst = inst;
        if again {
            // Its operands were replaced by what they were there.
            let data = InstData { results: Default::default(), ..self.original[&inst].clone() };
            let types: Vec<Type> = self.f.insts[inst].results.iter().map(|v| self.f.values[*v].ty).collect();
            inst = self.f.make_inst(data, &types);
        } else {
            self.original.insert(inst, self.f.insts[inst].clone());
        }
        self.operands(inst)?;
        self.f.blocks[self.block].insts.push(inst);
        Ok(inst)
    }

    /// Replaces the operands of an instruction by what they are here.
    fn operands(&mut self, inst: Inst) -> Result<(), &'static str> {
        let operands = self.f.insts[inst].operands.clone();
        for (i, o) in operands.into_iter().enumerate() {
            if let Operand::Id(v) = o {
                let v = self.value(v)?;
                self.f.insts[inst].operands[i] = Operand::Id(v);
            }
        }
        Ok(())
    }

    /// What an old value is here.
    fn value(&mut self, v: Value) -> Result<Value, &'static str> {
        if let Some(known) = self.local.get(&v) {
            return Ok(*known);
        }
        let computed = matches!(self.f.values[v].def, ValueDef::Result(..) | ValueDef::Arg(..));
        if !computed || !self.homes.of.contains_key(&v) {
            return Ok(v);
        }
        if let Some(slot) = self.homes.slots.get(&v).copied() {
            let p = self.slots[slot];
            let new = self.b().load(p);
            self.local.insert(v, new);
            return Ok(new);
        }
        let Some(def) = self.f.def_inst(v).filter(|_| is_address(self.ctx, self.f, v)) else {
            return Err("a value has no place");
        };
        let data: InstData = self.original.get(&def).unwrap_or(&self.f.insts[def]).clone();
        let ty = self.f.values[v].ty;
        let new = InstData { results: Default::default(), ..data };
        let new = self.f.make_inst(new, &[ty]);
        self.operands(new)?;
        self.f.blocks[self.block].insts.push(new);
        let result = self.f.insts[new].results[0];
        self.local.insert(v, result);
        Ok(result)
    }
}
