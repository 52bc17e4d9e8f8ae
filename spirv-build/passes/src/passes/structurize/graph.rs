//! The graph of a function: nodes, edges, loops.

use super::{MAX_ADDRESS, MAX_BLOCKS};
use crate::ir::{Block, Context, Function, Inst, Op, Opcode, Operand, Type, TypeKind, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use spirv_spec::Traits;

/// A node of the graph: a block, or a comparison that this pass adds.
pub(super) type Node = usize;

/// An edge: what it stores, where it leads.
#[derive(Clone)]
pub(super) struct Edge {
    pub(super) to: Node,
    pub(super) stores: Vec<(Slot, Value)>,
    /// Sets the numbers that tell which way to go.
    pub(super) next: Vec<(Slot, u32)>,
}

/// Index of a variable.
pub(super) type Slot = usize;

#[derive(Clone)]
pub(super) enum Term {
    /// Ends in the block's own terminator.
    End(Inst),
    Jump(Edge),
    /// On the bool that a block computes.
    If(Value, Edge, Edge),
    /// Whether a variable has this value.
    IfEqual(Slot, u64, Edge, Edge),
}

pub(super) struct NodeData {
    /// Instructions without the terminator.
    pub(super) insts: Vec<Inst>,
    /// The block, for its arguments.
    pub(super) block: Option<Block>,
    pub(super) term: Term,
    /// Innermost loop.
    pub(super) of: Option<usize>,
}

pub(super) struct Loop {
    pub(super) header: Node,
    pub(super) exit: Option<Node>,
    pub(super) parent: Option<usize>,
}

pub(super) struct Graph {
    pub(super) nodes: Vec<NodeData>,
    pub(super) loops: Vec<Loop>,
    /// Types of the variables.
    pub(super) slots: Vec<Type>,
    pub(super) number: Type,
}

impl NodeData {
    pub(super) fn edges(&self) -> Vec<&Edge> {
        match &self.term {
            Term::End(_) => Vec::new(),
            Term::Jump(e) => vec![e],
            Term::If(_, a, b) | Term::IfEqual(_, _, a, b) => vec![a, b],
        }
    }

    pub(super) fn edges_mut(&mut self) -> Vec<&mut Edge> {
        match &mut self.term {
            Term::End(_) => Vec::new(),
            Term::Jump(e) => vec![e],
            Term::If(_, a, b) | Term::IfEqual(_, _, a, b) => vec![a, b],
        }
    }
}

/// Where values that cross blocks are kept.
pub(super) struct Homes {
    pub(super) slots: FxHashMap<Value, Slot>,
    /// Node that defines a value.
    pub(super) of: FxHashMap<Value, Node>,
}

impl Graph {
    pub(super) fn slot(&mut self, ty: Type) -> Slot {
        self.slots.push(ty);
        self.slots.len() - 1
    }

    pub(super) fn add(&mut self, term: Term, of: Option<usize>) -> Result<Node, &'static str> {
        if self.nodes.len() >= MAX_BLOCKS {
            return Err("a function has too many blocks");
        }
        self.nodes.push(NodeData { insts: Vec::new(), block: None, term, of });
        Ok(self.nodes.len() - 1)
    }

    /// Nodes of the blocks that the entry reaches.
    pub(super) fn build(&mut self, ctx: &Context, f: &Function, entry: Block) -> Result<Homes, &'static str> {
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

    pub(super) fn is_in(&self, n: Node, of: Option<usize>) -> bool {
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
    pub(super) fn loops(&mut self) -> Result<(), &'static str> {
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
    pub(super) fn dispatch(
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
    pub(super) fn components(&self, nodes: &[Node], header: Option<Node>) -> Vec<Vec<Node>> {
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
pub(super) fn is_address(ctx: &Context, f: &Function, v: Value) -> bool {
    let pointer = matches!(ctx.types.kind(f.values[v].ty), TypeKind::Pointer { .. });
    let Some(def) = f.def_inst(v) else { return false };
    let op = f.insts[def].op;
    pointer && (op.traits().has(Traits::ADDRESS) || op == Opcode::Op(Op::ConvertUToPtr))
}

/// Instructions that compute an address, up to a little more than the limit.
pub(super) fn address_size(ctx: &Context, f: &Function, v: Value) -> usize {
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
