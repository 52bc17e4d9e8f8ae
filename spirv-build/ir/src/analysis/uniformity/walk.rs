//! Control flow: where values meet, and which way leads there.

use super::{Analysis, Cause, Input, Shape, is_wrapper};
use crate::analysis::leaves;
use crate::ir::{Block, Inst, Opcode, Value};
use rustc_hash::FxHashMap;

/// Of a value that is one of several, the first; None: they differ.
pub(super) type Sources = FxHashMap<Value, Option<Value>>;

/// A round of the fixpoint.
pub(super) struct Round<'a, 'b> {
    pub(super) input: Input<'a>,
    pub(super) a: &'b mut Analysis,
    sources: &'b mut Sources,
    pub(super) changed: bool,
    /// Structured instructions around, outermost first, with the causes of their conditions.
    around: Vec<(Inst, Cause)>,
}

impl<'a, 'b> Round<'a, 'b> {
    pub(super) fn new(input: Input<'a>, a: &'b mut Analysis, sources: &'b mut Sources) -> Round<'a, 'b> {
        Round { input, a, sources, changed: false, around: Vec::new() }
    }

    fn set(&mut self, v: Value, leaf: usize, shape: Shape) {
        let shapes = self.a.shapes.entry(v).or_default();
        if shapes.len() <= leaf {
            shapes.resize(leaf + 1, Shape::Launch);
        }
        if shapes[leaf] != shape {
            shapes[leaf] = shape;
            self.changed = true;
        }
    }

    /// A value with one source: its shape follows that of the source, upwards.
    pub(super) fn raise(&mut self, v: Value, leaf: usize, shape: Shape) {
        let old = self.a.shape(v, leaf);
        if shape > old {
            self.set(v, leaf, shape);
        }
    }

    /// The same for its cause.
    pub(super) fn raise_cause(&mut self, v: Value, leaf: usize, to: Cause) {
        if to <= self.a.cause(v, leaf) {
            return;
        }
        let own = self.a.causes.entry(v).or_default();
        if own.len() <= leaf {
            own.resize(leaf + 1, Cause::None);
        }
        own[leaf] = to;
        self.changed = true;
    }

    pub(super) fn leaves(&self, v: Value) -> usize {
        leaves::count(self.input.ctx, self.input.f.values[v].ty).unwrap_or(1) as usize
    }

    /// A value where several sources meet. Contiguous sources make a contiguous value only among themselves: the
    /// first source sets the shape, every other is merged into it. `choice` is why it may be another.
    fn flow(&mut self, to: Value, from: Value, level: Shape, choice: Cause) {
        let source = self.sources.entry(to).or_insert(Some(from));
        if source.is_some_and(|first| first != from) {
            *source = None;
            self.changed = true;
        }
        // Whichever way it comes.
        let choice = if source.is_some() { Cause::None } else { choice };
        let first = !self.a.shapes.contains_key(&to);
        for leaf in 0..self.leaves(to) {
            let source = self.a.shape(from, leaf);
            let source = if source.is_uniform() { source.max(level) } else { source };
            let old = self.a.shape(to, leaf);
            let new = if first { source } else { old.join(source) };
            self.set(to, leaf, new);
            self.raise_cause(to, leaf, self.a.cause(from, leaf).max(choice));
        }
    }

    pub(super) fn block(&mut self, block: Block) {
        let f = self.input.f;
        for &inst in &f.blocks[block].insts {
            if f.insts[inst].op.is_structured() {
                self.structured(inst);
            } else if f.insts[inst].op.is_terminator() {
                self.terminator(inst);
            } else {
                self.plain(inst);
            }
        }
    }

    /// Level of a value that a structured instruction makes.
    fn level(&self, inst: Inst) -> Shape {
        if self.a.facts.get(&inst).is_some_and(|x| x.grouped) { Shape::Group } else { Shape::Wave }
    }

    fn is_varying(&self, inst: Inst) -> bool {
        let data = &self.input.f.insts[inst];
        let grouped = self.a.facts.get(&inst).is_some_and(|x| x.grouped);
        match data.op {
            Opcode::Loop => self.a.divergent.contains(&inst),
            Opcode::Switch => self.a.divergent.contains(&inst) || !grouped && self.a.varies(data.id(0)),
            _ => !grouped && self.a.varies(data.id(0)),
        }
    }

    fn structured(&mut self, inst: Inst) {
        let f = self.input.f;
        let data = &f.insts[inst];
        if data.op == Opcode::Loop {
            let body = f.block_of(data.regions[0]);
            let level = self.level(inst);
            for (arg, init) in f.blocks[body].args.clone().into_iter().zip(data.ids().collect::<Vec<_>>()) {
                self.flow(arg, init, level, Cause::None);
            }
        }
        let condition = match data.op {
            Opcode::Selection | Opcode::Switch => data.id(0).map_or(Cause::None, |v| self.a.cause(v, 0)),
            _ => Cause::None,
        };
        self.around.push((inst, condition));
        for &region in &data.regions {
            self.block(f.block_of(region));
        }
        self.around.pop();
        // Results of what lanes pass at different times are blended.
        if self.is_varying(inst) {
            for &r in &data.results {
                for leaf in 0..self.leaves(r) {
                    self.raise(r, leaf, Shape::Varying);
                }
            }
        }
    }

    fn terminator(&mut self, inst: Inst) {
        let f = self.input.f;
        let data = &f.insts[inst];
        // The target, and why what leads there from inside it may not be taken.
        let target = |pred: fn(Opcode) -> bool| {
            let at = self.around.iter().rposition(|i| pred(f.insts[i.0].op))?;
            let choice = self.around[at..].iter().map(|i| i.1).max().unwrap_or_default();
            Some((at, self.around[at].0, choice))
        };
        match data.op {
            Opcode::Merge => {
                let Some(&(to, choice)) = self.around.last() else { return };
                self.results(to, data.ids(), choice);
            }
            Opcode::Break => {
                let Some((at, to, choice)) = target(|op| matches!(op, Opcode::Loop | Opcode::Switch)) else {
                    return;
                };
                self.escape(at);
                self.results(to, data.ids(), choice);
            }
            Opcode::Continue => {
                let Some((at, to, choice)) = target(|op| op == Opcode::Loop) else { return };
                self.escape(at);
                let block = f.block_of(f.insts[to].regions[1]);
                let facts = self.a.facts.get(&to).copied().unwrap_or_default();
                let blended = facts.continue_count > 1 && self.a.divergent.contains(&to);
                let level = self.level(to);
                for (arg, v) in f.blocks[block].args.clone().into_iter().zip(data.ids().collect::<Vec<_>>()) {
                    self.flow(arg, v, level, choice);
                    for leaf in 0..if blended { self.leaves(arg) } else { 0 } {
                        self.raise(arg, leaf, Shape::Varying);
                    }
                }
            }
            Opcode::Next | Opcode::NextIf => {
                let Some(&(to, _)) = self.around.last() else { return };
                let conditional = data.op == Opcode::NextIf;
                let grouped = self.a.facts.get(&to).is_some_and(|x| x.grouped);
                if conditional && !grouped && self.a.varies(data.id(0)) {
                    self.changed |= self.a.divergent.insert(to);
                }
                let args = f.blocks[f.block_of(f.insts[to].regions[0])].args.clone();
                let skip = usize::from(conditional);
                let level = self.level(to);
                let values: Vec<Value> = data.ids().skip(skip).collect();
                for (arg, v) in args.iter().zip(&values) {
                    self.flow(*arg, *v, level, Cause::None);
                }
                if conditional {
                    let choice = data.id(0).map_or(Cause::None, |v| self.a.cause(v, 0));
                    self.results(to, values.into_iter().skip(args.len()), choice);
                }
            }
            _ => {}
        }
    }

    fn results(&mut self, to: Inst, values: impl Iterator<Item = Value>, choice: Cause) {
        let level = self.level(to);
        let results = self.input.f.insts[to].results.clone();
        for (r, v) in results.into_iter().zip(values.collect::<Vec<_>>()) {
            self.flow(r, v, level, choice);
        }
    }

    /// An escape to `around[at]`: if anything between varies, lanes leave the target at different times.
    fn escape(&mut self, at: usize) {
        let varies = self.around[at + 1..].iter().any(|i| self.is_varying(i.0));
        let target = self.around[at].0;
        let grouped = self.a.facts.get(&target).is_some_and(|x| x.grouped);
        if varies && (!grouped || is_wrapper(self.input.f, target)) {
            self.changed |= self.a.divergent.insert(target);
        }
    }
}
