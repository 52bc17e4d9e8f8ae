//! Turns plain control-flow graphs, irreducible ones too, into structured operations.
//!
//! 1. Values that cross blocks go through variables; addresses are computed again where they are used. `mem2reg` makes
//!    values of the variables afterwards.
//! 2. Strongly connected parts become loops with one entry and one exit: where there are several, a number says which is
//!    meant and a chain of comparisons goes there ([`Graph::loops`]).
//! 3. What is left is acyclic. A branch whose sides have no block in common before they meet is a selection; where they
//!    have, a number says which block is next and each is guarded by a comparison. Blocks that leave from several places
//!    are written in each ([`Emit`]).

use crate::ir::walk::MAX_NESTING;
use crate::ir::{
    Block, Builder, Context, Function, Inst, InstData, Module, Op, Opcode, Operand, Type, TypeKind, Value,
    ValueDef,
};
use crate::source::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// Blocks that a function may have, those that this pass adds included.
const MAX_BLOCKS: usize = 1 << 16;
/// How often each block is written, on average, at most.
const MAX_COPIES: usize = 8;
/// Instructions that one address may be computed by again.
const MAX_ADDRESS: usize = 64;

/// Why a function keeps its graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// What is too large.
    pub what: &'static str,
    /// The function.
    pub span: Span,
}

/// Runs on all functions. Tells whether one was a graph.
///
/// # Errors
/// A function that is too large or nests too deeply; the module is of no use then.
pub fn run(module: &mut Module) -> Result<bool, Error> {
    let Module { ctx, functions, .. } = module;
    let mut changed = false;
    for (_, f) in functions.iter_mut() {
        if f.body.is_some_and(|r| f.regions[r].blocks.len() > 1) {
            let span = f.span;
            function(ctx, f).map_err(|what| Error { what, span })?;
            changed = true;
        }
    }
    Ok(changed)
}

/// A node of the graph: a block, or a comparison that this pass adds.
type Node = usize;

/// An edge: what it stores, where it leads.
#[derive(Clone)]
struct Edge {
    to: Node,
    stores: Vec<(Slot, Value)>,
    /// Sets the numbers that tell which way to go.
    next: Vec<(Slot, u32)>,
}

/// Index of a variable.
type Slot = usize;

#[derive(Clone)]
enum Term {
    /// Ends in the block's own terminator.
    End(Inst),
    Jump(Edge),
    /// On the bool that a block computes.
    If(Value, Edge, Edge),
    /// Whether a variable has this value.
    IfEqual(Slot, u64, Edge, Edge),
}

struct NodeData {
    /// Instructions without the terminator.
    insts: Vec<Inst>,
    /// The block, for its arguments.
    block: Option<Block>,
    term: Term,
    /// Innermost loop.
    of: Option<usize>,
}

struct Loop {
    header: Node,
    exit: Option<Node>,
    parent: Option<usize>,
}

struct Graph {
    nodes: Vec<NodeData>,
    loops: Vec<Loop>,
    /// Types of the variables.
    slots: Vec<Type>,
    number: Type,
}

impl NodeData {
    fn edges(&self) -> Vec<&Edge> {
        match &self.term {
            Term::End(_) => Vec::new(),
            Term::Jump(e) => vec![e],
            Term::If(_, a, b) | Term::IfEqual(_, _, a, b) => vec![a, b],
        }
    }

    fn edges_mut(&mut self) -> Vec<&mut Edge> {
        match &mut self.term {
            Term::End(_) => Vec::new(),
            Term::Jump(e) => vec![e],
            Term::If(_, a, b) | Term::IfEqual(_, _, a, b) => vec![a, b],
        }
    }
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
    f.regions[body].blocks = vec![entry];
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

/// Where values that cross blocks are kept.
struct Homes {
    slots: FxHashMap<Value, Slot>,
    /// Node that defines a value.
    of: FxHashMap<Value, Node>,
}

impl Graph {
    fn slot(&mut self, ty: Type) -> Slot {
        self.slots.push(ty);
        self.slots.len() - 1
    }

    fn add(&mut self, term: Term, of: Option<usize>) -> Result<Node, &'static str> {
        if self.nodes.len() >= MAX_BLOCKS {
            return Err("a function has too many blocks");
        }
        self.nodes.push(NodeData { insts: Vec::new(), block: None, term, of });
        Ok(self.nodes.len() - 1)
    }

    /// Nodes of the blocks that the entry reaches.
    fn build(&mut self, ctx: &Context, f: &Function, entry: Block) -> Result<Homes, &'static str> {
        let mut order = vec![entry];
        let mut node: FxHashMap<Block, Node> = FxHashMap::default();
        node.insert(entry, 0);
        let mut at = 0;
        while let Some(block) = order.get(at).copied() {
            at += 1;
            let last = f.terminator(block).ok_or("a block has no terminator")?;
            for s in &f.insts[last].successors {
                node.entry(s.block).or_insert_with(|| {
                    order.push(s.block);
                    order.len() - 1
                });
            }
        }
        if order.len() > MAX_BLOCKS {
            return Err("a function has too many blocks");
        }
        // Who defines, and who uses what another defines.
        let mut homes = Homes { slots: FxHashMap::default(), of: FxHashMap::default() };
        for (n, b) in order.iter().enumerate() {
            for arg in f.blocks[*b].args.iter().filter(|_| n > 0) {
                homes.of.insert(*arg, n);
                let slot = self.slot(f.values[*arg].ty);
                homes.slots.insert(*arg, slot);
            }
            for i in &f.blocks[*b].insts {
                if f.insts[*i].op != Opcode::Op(Op::Variable) {
                    f.insts[*i].results.iter().for_each(|v| {
                        homes.of.insert(*v, n);
                    });
                }
            }
        }
        for (n, b) in order.iter().enumerate() {
            // Values, and whether they are needed elsewhere even if this node defines them: the cases of a switch become
            // nodes of their own.
            let mut need = Vec::new();
            for i in &f.blocks[*b].insts {
                let data = &f.insts[*i];
                let chain = data.op == Opcode::Op(Op::Switch);
                need.extend(data.ids().map(|v| (v, false)));
                need.extend(data.successors.iter().flat_map(|s| s.args.iter().map(|v| (*v, chain))));
            }
            while let Some((v, forced)) = need.pop() {
                if homes.of.get(&v).is_none_or(|home| *home == n && !forced) {
                    continue;
                }
                if is_address(ctx, f, v)
                    && let Some(def) = f.def_inst(v)
                {
                    // Computed again: what it is made of crosses instead.
                    if address_size(ctx, f, v) > MAX_ADDRESS {
                        return Err("an address is computed by too many instructions");
                    }
                    need.extend(f.insts[def].ids().map(|v| (v, forced)));
                } else {
                    homes.slots.entry(v).or_insert_with(|| self.slot(f.values[v].ty));
                }
            }
        }
        for b in &order {
            let last = f.terminator(*b).ok_or("a block has no terminator")?;
            let insts = f.blocks[*b].insts.iter().copied().filter(|i| *i != last).collect();
            self.nodes.push(NodeData { insts, block: Some(*b), term: Term::End(last), of: None });
        }
        for n in 0..order.len() {
            let Term::End(last) = self.nodes[n].term else { continue };
            let data = &f.insts[last];
            let edges: Vec<Edge> = data
                .successors
                .iter()
                .map(|s| {
                    let args = f.blocks[s.block].args.iter().filter_map(|a| homes.slots.get(a).copied());
                    Edge {
                        to: node[&s.block],
                        stores: args.zip(s.args.iter().copied()).collect(),
                        next: Vec::new(),
                    }
                })
                .collect();
            self.nodes[n].term = match (data.op, &edges[..]) {
                (Opcode::Op(Op::Branch), [e]) => Term::Jump(e.clone()),
                (Opcode::Op(Op::BranchConditional), [a, b]) => {
                    Term::If(data.id(0).ok_or("a branch has no condition")?, a.clone(), b.clone())
                }
                (Opcode::Op(Op::Switch), [default, cases @ ..]) => {
                    let selector = data.id(0).ok_or("a switch has no selector")?;
                    let slot = self.slot(f.values[selector].ty);
                    let mut term = Term::Jump(default.clone());
                    for (o, case) in data.operands[1..].iter().zip(cases).rev() {
                        let value = match o {
                            Operand::Wide(n) => *n,
                            Operand::Literal(n) => u64::from(*n),
                            _ => return Err("a case has no value"),
                        };
                        let rest = match term {
                            Term::Jump(e) => e,
                            term => Edge { to: self.add(term, None)?, stores: Vec::new(), next: Vec::new() },
                        };
                        term = Term::IfEqual(slot, value, case.clone(), rest);
                    }
                    let first = self.add(term, None)?;
                    Term::Jump(Edge { to: first, stores: vec![(slot, selector)], next: Vec::new() })
                }
                _ => Term::End(last),
            };
        }
        Ok(homes)
    }

    fn is_in(&self, n: Node, of: Option<usize>) -> bool {
        let Some(of) = of else { return true };
        let mut at = self.nodes[n].of;
        while let Some(l) = at {
            if l == of {
                return true;
            }
            at = self.loops[l].parent;
        }
        false
    }

    /// Finds the loops and gives each one entry and one exit.
    fn loops(&mut self) -> Result<(), &'static str> {
        let mut work: Vec<(Option<usize>, Vec<Node>)> = vec![(None, (0..self.nodes.len()).collect())];
        while let Some((parent, nodes)) = work.pop() {
            let header = parent.map(|l| self.loops[l].header);
            for part in self.components(&nodes, header) {
                let set: FxHashSet<Node> = part.iter().copied().collect();
                let itself = |n: Node| self.nodes[n].edges().iter().any(|e| e.to == n);
                let cyclic = part.len() > 1 || Some(part[0]) != header && itself(part[0]);
                if !cyclic {
                    continue;
                }
                let l = self.loops.len();
                self.loops.push(Loop { header: part[0], exit: None, parent });
                // Entries: all nodes of the function count, since a loop may be entered only from its own level.
                let mut entries: Vec<Node> = Vec::new();
                for n in 0..self.nodes.len() {
                    if !set.contains(&n) {
                        entries
                            .extend(self.nodes[n].edges().iter().map(|e| e.to).filter(|t| set.contains(t)));
                    }
                }
                if set.contains(&0) {
                    entries.push(0);
                }
                entries.sort_unstable();
                entries.dedup();
                let mut part = part;
                let header = match entries[..] {
                    [] => part[0],
                    [one] => one,
                    _ => {
                        let all: Vec<Node> = (0..self.nodes.len()).collect();
                        self.dispatch(&entries, &all, None, &mut part)?
                    }
                };
                part.iter().for_each(|n| self.nodes[*n].of = Some(l));
                self.loops[l].header = header;
                let set: FxHashSet<Node> = part.iter().copied().collect();
                let mut exits: Vec<Node> = Vec::new();
                for n in &part {
                    exits.extend(self.nodes[*n].edges().iter().map(|e| e.to).filter(|t| !set.contains(t)));
                }
                exits.sort_unstable();
                exits.dedup();
                self.loops[l].exit = match exits[..] {
                    [] => None,
                    [one] => Some(one),
                    _ => {
                        let mut new = Vec::new();
                        let first = self.dispatch(&exits, &part, parent, &mut new)?;
                        Some(first)
                    }
                };
                work.push((Some(l), part));
            }
        }
        Ok(())
    }

    /// Sends the edges of `from` that lead to `targets` to a chain of comparisons that goes on there. The nodes of the
    /// chain are of the loop `of` and added to `new`.
    fn dispatch(
        &mut self,
        targets: &[Node],
        from: &[Node],
        of: Option<usize>,
        new: &mut Vec<Node>,
    ) -> Result<Node, &'static str> {
        let slot = self.slot(self.number);
        let edge = |to| Edge { to, stores: Vec::new(), next: Vec::new() };
        let mut rest = edge(targets[0]);
        let mut first = None;
        for (i, t) in targets.iter().enumerate().skip(1) {
            let n = self.add(Term::IfEqual(slot, i as u64, edge(*t), rest), of)?;
            new.push(n);
            rest = edge(n);
            first = Some(n);
        }
        let Some(first) = first else { return Err("a loop has no entry") };
        for n in from {
            for e in self.nodes[*n].edges_mut() {
                if let Some(i) = targets.iter().position(|t| *t == e.to) {
                    e.to = first;
                    e.next.push((slot, i as u32));
                }
            }
        }
        Ok(first)
    }

    /// Strongly connected components of some nodes, without the edges to `header`.
    fn components(&self, nodes: &[Node], header: Option<Node>) -> Vec<Vec<Node>> {
        let inside: FxHashSet<Node> = nodes.iter().copied().collect();
        let next = |n: Node| -> Vec<Node> {
            let targets = self.nodes[n].edges().into_iter().map(|e| e.to);
            targets.filter(|t| inside.contains(t) && Some(*t) != header).collect()
        };
        let (mut index, mut low) = (FxHashMap::default(), FxHashMap::default());
        let (mut stack, mut on_stack, mut out) = (Vec::new(), FxHashSet::default(), Vec::new());
        for &root in nodes {
            if index.contains_key(&root) {
                continue;
            }
            let mut work = vec![(root, next(root), 0)];
            while let Some((n, targets, at)) = work.pop() {
                if at == 0 {
                    let number = index.len();
                    index.insert(n, number);
                    low.insert(n, number);
                    stack.push(n);
                    on_stack.insert(n);
                }
                if let Some(t) = targets.get(at).copied() {
                    work.push((n, targets, at + 1));
                    if !index.contains_key(&t) {
                        work.push((t, next(t), 0));
                    } else if on_stack.contains(&t) {
                        let lower = low[&n].min(index[&t]);
                        low.insert(n, lower);
                    }
                    continue;
                }
                if low[&n] == index[&n] {
                    let mut part = Vec::new();
                    while let Some(m) = stack.pop() {
                        on_stack.remove(&m);
                        part.push(m);
                        if m == n {
                            break;
                        }
                    }
                    out.push(part);
                }
                if let Some((up, _, _)) = work.last() {
                    let lower = low[up].min(low[&n]);
                    low.insert(*up, lower);
                }
            }
        }
        out
    }
}

/// Whether a value is an address that can be computed anywhere.
fn is_address(ctx: &Context, f: &Function, v: Value) -> bool {
    let pointer = matches!(ctx.types.kind(f.values[v].ty), TypeKind::Pointer { .. });
    let Some(def) = f.def_inst(v) else { return false };
    pointer
        && matches!(
            f.insts[def].op,
            Opcode::Op(
                Op::AccessChain
                    | Op::InBoundsAccessChain
                    | Op::PtrAccessChain
                    | Op::InBoundsPtrAccessChain
                    | Op::Bitcast
                    | Op::CopyObject
                    | Op::PtrCastToGeneric
                    | Op::GenericCastToPtr
                    | Op::ConvertUToPtr
            )
        )
}

/// Instructions that compute an address, up to a little more than the limit.
fn address_size(ctx: &Context, f: &Function, v: Value) -> usize {
    let (mut count, mut stack) = (0, vec![v]);
    while let Some(v) = stack.pop() {
        if count > MAX_ADDRESS || !is_address(ctx, f, v) {
            continue;
        }
        count += 1;
        stack.extend(f.def_inst(v).into_iter().flat_map(|i| f.insts[i].ids()));
    }
    count
}

/// Where a sequence of nodes went.
#[derive(PartialEq, Eq, Clone, Copy)]
enum Went {
    /// To the node that it was to stop at.
    On,
    /// Away: the block has its terminator.
    Away,
}

/// Writes the structured form.
struct Emit<'a> {
    g: &'a Graph,
    ctx: &'a mut Context,
    f: &'a mut Function,
    block: Block,
    depth: usize,
    slots: Vec<Value>,
    homes: Homes,
    /// What old values are in the node that is being written.
    local: FxHashMap<Value, Value>,
    /// The loop that is being written.
    level: Option<usize>,
    /// Nodes that are written, and instructions as they were before.
    written: Vec<bool>,
    original: FxHashMap<Inst, InstData>,
    /// Nodes that may still be written: what leaves in the same way from several places is written in each.
    budget: usize,
}

/// Where an edge leads at a level.
enum Leads {
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
    fn sequence(&mut self, mut n: Node, stop: Option<Node>) -> Result<Went, &'static str> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{BlockData, Successor, verify};

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
            f.regions[body].blocks = blocks.clone();
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
}
