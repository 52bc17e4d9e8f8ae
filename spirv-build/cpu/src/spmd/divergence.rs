//! Barriers that not all invocations of a work-group reach, as far as the program alone tells: in control flow that depends on
//! which invocation it is.
//!
//! What is read from memory may be the same for all; nothing is said of that. Native code checks it at run time (`group`).

use crate::ir::{Block, BuiltIn, Inst, Module, Op, Opcode, StorageClass, Value, ValueDef};
use crate::source::Span;
use crate::spmd::address::{self, Root};
use crate::spmd::leaves;
use crate::spmd::shape::Input;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// How a value differs between the invocations of a group; the later wins where two meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
enum Varies {
    /// Not by itself.
    #[default]
    No,
    /// It depends on which invocation it is.
    Yes,
    /// It may.
    Unknown,
}

/// A barrier, and the condition that keeps some invocations from it.
pub struct Divergent {
    /// The barrier.
    pub barrier: Span,
    /// What decides.
    pub condition: Span,
}

/// The barriers of all entry points in divergent control flow. Entry points that call something are left out.
pub fn barriers(module: &Module) -> Vec<Divergent> {
    let mut found: Vec<Divergent> = Vec::new();
    for point in &module.entry_points {
        let f = &module.functions[point.func];
        let has_barrier = f.insts.iter().any(|(_, data)| data.op == Opcode::Op(Op::ControlBarrier));
        let Some(entry) = f.entry().filter(|_| has_barrier) else { continue };
        if point.local_size.iter().product::<u32>() <= 1 {
            continue;
        }
        let input = Input { ctx: &module.ctx, globals: &module.globals, f, local_size: point.local_size };
        let mut walk = Walk {
            input,
            values: FxHashMap::default(),
            sources: FxHashMap::default(),
            changed: true,
            around: Vec::new(),
        };
        while std::mem::take(&mut walk.changed) {
            walk.block(entry);
        }
        let mut look = Look { walk: &walk, found: Vec::new() };
        look.block(entry, None);
        for new in look.found {
            if found.iter().all(|old| old.barrier != new.barrier) {
                found.push(new);
            }
        }
    }
    found
}

/// Finds out how values vary: everything starts out the same for all, and each round raises what depends on something that
/// does not stay so.
struct Walk<'a> {
    input: Input<'a>,
    values: FxHashMap<Value, SmallVec<[Varies; 4]>>,
    /// Of a value that is one of several, the first; None: they differ.
    sources: FxHashMap<Value, Option<Value>>,
    changed: bool,
    /// Structured instructions around, with how their conditions vary.
    around: Vec<(Inst, Varies)>,
}

impl Walk<'_> {
    fn leaf(&self, v: Value, leaf: usize) -> Varies {
        self.values.get(&v).and_then(|l| l.get(leaf)).copied().unwrap_or_default()
    }

    fn all(&self, v: Value) -> Varies {
        self.values.get(&v).and_then(|l| l.iter().max()).copied().unwrap_or_default()
    }

    fn leaves(&self, v: Value) -> usize {
        leaves::count(self.input.ctx, self.input.f.values[v].ty).unwrap_or(1) as usize
    }

    fn raise(&mut self, v: Value, leaf: usize, to: Varies) {
        let own = self.values.entry(v).or_default();
        if own.len() <= leaf {
            own.resize(leaf + 1, Varies::No);
        }
        if own[leaf] < to {
            own[leaf] = to;
            self.changed = true;
        }
    }

    /// A value that is one of several, where a choice that varies so leads.
    fn flow(&mut self, to: Value, from: Value, choice: Varies) {
        let source = self.sources.entry(to).or_insert(Some(from));
        if source.is_some_and(|first| first != from) {
            *source = None;
            self.changed = true;
        }
        // Whichever way it comes.
        let choice = if source.is_some() { Varies::No } else { choice };
        for leaf in 0..self.leaves(to) {
            self.raise(to, leaf, self.leaf(from, leaf).max(choice));
        }
    }

    fn block(&mut self, block: Block) {
        let f = self.input.f;
        for &inst in &f.blocks[block].insts {
            let data = &f.insts[inst];
            if data.op.is_structured() {
                let condition = match data.op {
                    Opcode::Selection | Opcode::Switch => data.id(0).map_or(Varies::No, |v| self.leaf(v, 0)),
                    _ => Varies::No,
                };
                if data.op == Opcode::Loop {
                    let args = f.blocks[f.block_of(data.regions[0])].args.clone();
                    for (arg, init) in args.into_iter().zip(data.ids()) {
                        self.flow(arg, init, Varies::No);
                    }
                }
                self.around.push((inst, condition));
                for &region in &data.regions {
                    self.block(f.block_of(region));
                }
                self.around.pop();
            } else if data.op.is_terminator() {
                self.terminator(inst);
            } else {
                self.plain(inst);
            }
        }
    }

    fn terminator(&mut self, inst: Inst) {
        let f = self.input.f;
        let data = &f.insts[inst];
        let values: Vec<Value> = data.ids().collect();
        // The target, and how what leads there from inside it varies.
        let target = |fits: fn(Opcode) -> bool| {
            let at = self.around.iter().rposition(|a| fits(f.insts[a.0].op))?;
            let choice = self.around[at..].iter().map(|a| a.1).max().unwrap_or_default();
            Some((self.around[at].0, choice))
        };
        match data.op {
            Opcode::Merge => {
                let Some(&(to, choice)) = self.around.last() else { return };
                for (r, v) in f.insts[to].results.iter().zip(values) {
                    self.flow(*r, v, choice);
                }
            }
            Opcode::Break => {
                let Some((to, choice)) = target(|op| matches!(op, Opcode::Loop | Opcode::Switch)) else {
                    return;
                };
                for (r, v) in f.insts[to].results.iter().zip(values) {
                    self.flow(*r, v, choice);
                }
            }
            Opcode::Continue => {
                let Some((to, choice)) = target(|op| op == Opcode::Loop) else { return };
                let args = f.blocks[f.block_of(f.insts[to].regions[1])].args.clone();
                for (arg, v) in args.into_iter().zip(values) {
                    self.flow(arg, v, choice);
                }
            }
            Opcode::Next | Opcode::NextIf => {
                let Some(&(to, _)) = self.around.last() else { return };
                let args = f.blocks[f.block_of(f.insts[to].regions[0])].args.clone();
                let mut rest = values.into_iter();
                let choice = match data.op {
                    Opcode::NextIf => rest.next().map_or(Varies::No, |v| self.leaf(v, 0)),
                    _ => Varies::No,
                };
                for (arg, v) in args.into_iter().zip(rest.by_ref()) {
                    self.flow(arg, v, Varies::No);
                }
                for (r, v) in f.insts[to].results.iter().zip(rest) {
                    self.flow(*r, v, choice);
                }
            }
            _ => {}
        }
    }

    fn plain(&mut self, inst: Inst) {
        let Input { ctx, f, .. } = self.input;
        let data = &f.insts[inst];
        let Some(result) = data.result() else { return };
        let n = self.leaves(result);
        if let Some(moves) = leaves::moves(ctx, f, inst) {
            let ids: Vec<Value> = data.ids().collect();
            for (leaf, (operand, from)) in moves.into_iter().enumerate() {
                let varies = ids.get(operand).map_or(Varies::No, |v| self.leaf(*v, from as usize));
                self.raise(result, leaf, varies);
            }
            return;
        }
        match data.op {
            Opcode::Op(Op::Load) => {
                let Some(pointer) = data.id(0) else { return };
                for leaf in 0..n {
                    self.raise(result, leaf, self.loaded(pointer, leaf));
                }
            }
            // Addresses are looked at where something is read.
            Opcode::Op(Op::AccessChain | Op::InBoundsAccessChain | Op::Variable) => {}
            Opcode::Op(
                Op::ArrayLength | Op::ImageQuerySize | Op::ImageQueryLevels | Op::ImageQuerySizeLod,
            ) => {}
            Opcode::Op(op) if !self.is_same_for_all(op, inst) && crate::spmd::inst::is_pure(op) => {
                self.pure(inst, result, n);
            }
            Opcode::Op(op) if crate::spmd::inst::is_pure(op) => {}
            Opcode::Ext(..) => self.pure(inst, result, n),
            _ => (0..n).for_each(|leaf| self.raise(result, leaf, Varies::Unknown)),
        }
    }

    fn pure(&mut self, inst: Inst, result: Value, n: usize) {
        let f = self.input.f;
        let ids: SmallVec<[Value; 4]> = f.insts[inst].ids().collect();
        let wise = crate::spmd::inst::is_component_wise(f.insts[inst].op)
            && ids.iter().all(|v| matches!(self.leaves(*v), c if c == n || c == 1));
        for leaf in 0..n {
            let of = |v: &Value| match wise {
                true => self.leaf(*v, if self.leaves(*v) == 1 { 0 } else { leaf }),
                false => self.all(*v),
            };
            let varies = ids.iter().map(of).max().unwrap_or_default();
            self.raise(result, leaf, varies);
        }
    }

    fn loaded(&self, pointer: Value, leaf: usize) -> Varies {
        let Input { ctx, globals, f, local_size } = self.input;
        let Some(p) = address::resolve(ctx, globals, f, pointer) else { return Varies::Unknown };
        let Root::Global(g) = p.root else { return Varies::Unknown };
        let data = &globals[g];
        if data.storage == StorageClass::Input {
            let component = if p.terms.is_empty() { p.konst as usize / 4 + leaf } else { 3 };
            return data.builtin().map_or(Varies::Unknown, |b| of_builtin(b, component, local_size));
        }
        // One place is the same for all that look at it; which one they look at may not be.
        let same = p.terms.iter().all(|(v, _)| self.leaf(*v, 0) == Varies::No);
        if same && data.storage != StorageClass::Private { Varies::No } else { Varies::Unknown }
    }

    /// Whether an operation on numbers of invocations is known to give all of a group the same.
    fn is_same_for_all(&self, op: Op, inst: Inst) -> bool {
        let f = self.input.f;
        let data = &f.insts[inst];
        let (Some(a), Some(b)) = (data.id(0), data.id(1)) else { return false };
        let number = |v: Value| f.as_const(v).and_then(|c| self.input.ctx.consts.bits(c)).map(|c| c as u32);
        if op == Op::ISub {
            // The first number of the group.
            return match (self.source(a), self.source(b)) {
                (Some((BuiltIn::GlobalInvocationId, x)), Some((BuiltIn::LocalInvocationId, y))) => x == y,
                _ => false,
            };
        }
        let (source, c, mirrored) = match (number(a), number(b)) {
            (None, Some(c)) => (self.source(a), c, false),
            (Some(c), None) => (self.source(b), c, true),
            _ => return false,
        };
        let Some((builtin, component)) = source else { return false };
        let [x, y, z] = self.input.local_size;
        let size = match builtin {
            BuiltIn::LocalInvocationIndex => x * y * z,
            _ => [x, y, z].get(component).copied().unwrap_or(0),
        };
        let global = builtin == BuiltIn::GlobalInvocationId;
        let whole =
            |step: u32| step != 0 && if global { step.is_multiple_of(size.max(1)) } else { step >= size };
        match op {
            Op::UDiv | Op::SDiv if !mirrored => whole(c),
            Op::ShiftRightLogical | Op::ShiftRightArithmetic if !mirrored => {
                1u32.checked_shl(c).is_some_and(whole)
            }
            Op::BitwiseAnd => c & (size.next_power_of_two() - 1) == 0 && (!global || size.is_power_of_two()),
            // Numbers in a group are less than its size.
            Op::ULessThan | Op::UGreaterThanEqual | Op::SLessThan | Op::SGreaterThanEqual
                if !mirrored && !global =>
            {
                c >= size && c <= i32::MAX as u32
            }
            Op::ULessThanEqual | Op::UGreaterThan | Op::SLessThanEqual | Op::SGreaterThan
                if !mirrored && !global =>
            {
                c >= size - 1 && c <= i32::MAX as u32
            }
            _ => false,
        }
    }

    /// The number of the invocation that a value is: builtin and component.
    fn source(&self, v: Value) -> Option<(BuiltIn, usize)> {
        let Input { ctx, globals, f, .. } = self.input;
        let ValueDef::Result(inst, _) = f.values[v].def else { return None };
        let data = &f.insts[inst];
        match data.op {
            Opcode::Op(Op::Load) => {
                let p = address::resolve(ctx, globals, f, data.id(0)?)?;
                let Root::Global(g) = p.root else { return None };
                let builtin = globals[g].builtin().filter(|_| p.terms.is_empty())?;
                Some((builtin, p.konst as usize / 4))
            }
            Opcode::Op(Op::CompositeExtract) if data.operands.len() == 2 => {
                let (builtin, _) = self.source(data.id(0)?)?;
                Some((builtin, data.literal(1)? as usize))
            }
            Opcode::Op(Op::Bitcast) => self.source(data.id(0)?),
            _ => None,
        }
        .filter(|(b, _)| {
            matches!(
                *b,
                BuiltIn::GlobalInvocationId | BuiltIn::LocalInvocationId | BuiltIn::LocalInvocationIndex
            )
        })
    }
}

fn of_builtin(builtin: BuiltIn, component: usize, size: [u32; 3]) -> Varies {
    match builtin {
        BuiltIn::NumWorkgroups
        | BuiltIn::WorkgroupSize
        | BuiltIn::WorkgroupId
        | BuiltIn::SubgroupSize
        | BuiltIn::NumSubgroups => Varies::No,
        BuiltIn::LocalInvocationIndex => Varies::Yes,
        BuiltIn::LocalInvocationId | BuiltIn::GlobalInvocationId => {
            if size.get(component) == Some(&1) {
                Varies::No
            } else {
                Varies::Yes
            }
        }
        // How many waves there are is the device's affair.
        _ => Varies::Unknown,
    }
}

/// Who has left, by the condition that they left on.
#[derive(Default, Clone, Copy)]
struct Left {
    function: Option<Span>,
    /// The loop or switch around.
    target: Option<Span>,
    /// The round of the loop around.
    round: Option<Span>,
}

impl Left {
    fn and(self, other: Left) -> Left {
        Left {
            function: self.function.or(other.function),
            target: self.target.or(other.target),
            round: self.round.or(other.round),
        }
    }

    fn any(self) -> Option<Span> {
        self.function.or(self.target).or(self.round)
    }
}

/// Finds the barriers, knowing how conditions vary.
struct Look<'a, 'b> {
    walk: &'a Walk<'b>,
    found: Vec<Divergent>,
}

impl Look<'_, '_> {
    /// A block that some do not come to because of a condition.
    fn block(&mut self, block: Block, reason: Option<Span>) -> Left {
        let f = self.walk.input.f;
        let mut left = Left::default();
        for &inst in &f.blocks[block].insts {
            let data = &f.insts[inst];
            let reason = reason.or(left.any());
            match data.op {
                Opcode::Op(Op::ControlBarrier) => {
                    if let Some(condition) = reason {
                        self.found.push(Divergent { barrier: data.span, condition });
                    }
                }
                Opcode::Selection => {
                    let inside = reason.or(self.decides(data.id(0), data.span));
                    for &region in &data.regions {
                        left = left.and(self.block(f.block_of(region), inside));
                    }
                }
                Opcode::Switch => {
                    let several = data.regions.len() > 1;
                    let inside = reason.or(self.decides(data.id(0).filter(|_| several), data.span));
                    for &region in &data.regions {
                        let from = self.block(f.block_of(region), inside);
                        left = left.and(Left { target: None, ..from });
                    }
                }
                Opcode::Loop => {
                    let from = self.looped(inst, reason);
                    left = left.and(from);
                }
                Opcode::Break => left.target = left.target.or(reason),
                Opcode::Continue => left.round = left.round.or(reason),
                Opcode::Op(Op::Return | Op::ReturnValue) => left.function = left.function.or(reason),
                _ => {}
            }
        }
        left
    }

    /// Who leaves the function in a loop. In the rounds after one in which some left, they are missing from the start.
    fn looped(&mut self, inst: Inst, reason: Option<Span>) -> Left {
        let f = self.walk.input.f;
        let data = &f.insts[inst];
        let (body, continuing) = (f.block_of(data.regions[0]), f.block_of(data.regions[1]));
        let last = f.terminator(continuing).map(|t| &f.insts[t]).filter(|t| t.op == Opcode::NextIf);
        let ends = last.and_then(|t| self.decides(t.id(0), data.span));
        let known = self.found.len();
        let first = self.block(body, reason);
        let for_good = reason.or(ends).or(first.target).or(first.function);
        if for_good.is_some() && reason.is_none() {
            self.found.truncate(known);
            self.block(body, for_good);
        }
        self.block(continuing, for_good);
        Left { target: None, round: None, function: first.function }
    }

    /// The place of a condition that depends on the invocation.
    fn decides(&self, condition: Option<Value>, otherwise: Span) -> Option<Span> {
        let v = condition.filter(|v| self.walk.leaf(*v, 0) == Varies::Yes)?;
        let f = self.walk.input.f;
        let span = f.def_inst(v).map(|i| f.insts[i].span).filter(|s| *s != Span::default());
        Some(span.unwrap_or(otherwise))
    }
}
