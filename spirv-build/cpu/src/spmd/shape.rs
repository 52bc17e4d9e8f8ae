//! How far each value varies, and which control flow the lanes of a wave do not take together.
//!
//! A fixpoint from the bottom: everything starts out the same for the whole launch, and each round raises what
//! depends on something that varies. A shape never falls, so it ends.

use crate::ir::entity::PrimaryMap;
use crate::ir::{
    Block, BufferAccess, BuiltIn, Context, Function, Global, GlobalData, Inst, Op, Opcode, StorageClass,
    Value, ValueDef,
};
use crate::spmd::address::{self, Root};
use crate::spmd::{Shape, leaves, subgroup, trips};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Lanes of the widest native vector of any instruction set: what a row of work-items must be a multiple of to be
/// contiguous in every one.
pub const WIDEST_VECTOR: u32 = 16;

/// Shapes of a value's leaves.
pub type Shapes = SmallVec<[Shape; 4]>;

/// What is known of a structured instruction, whatever the shapes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Facts {
    /// A barrier is inside.
    pub barrier: bool,
    /// A `Break` inside leaves something around it.
    pub breaks: bool,
    /// A `Continue` inside belongs to a loop around it.
    pub continues: bool,
    /// For a loop: how many `Continue`s it has.
    pub continue_count: u32,
    /// Runs outside the waves: has a barrier, or an escape to a loop that does.
    pub grouped: bool,
}

impl Facts {
    /// Whether some lane may leave and not come out at the end.
    pub fn escapes(&self) -> bool {
        self.breaks || self.continues
    }
}

/// The result.
#[derive(Debug, Default)]
pub struct Analysis {
    /// Shapes of leaves; values that are not here are the same for the whole launch.
    shapes: FxHashMap<Value, Shapes>,
    /// Facts of structured instructions.
    pub facts: FxHashMap<Inst, Facts>,
    /// Loops and switches that lanes leave at different times.
    pub divergent: FxHashSet<Inst>,
    /// Loops that end after few rounds.
    pub short: FxHashSet<Inst>,
    /// Function-scope variables that are never written after their one constant store: pointer to constant.
    pub tables: FxHashMap<Value, crate::ir::Const>,
}

impl Analysis {
    /// Shape of a leaf of a value.
    pub fn shape(&self, v: Value, leaf: usize) -> Shape {
        self.shapes.get(&v).and_then(|s| s.get(leaf)).copied().unwrap_or_default()
    }

    /// Whether a condition or selector may differ between lanes.
    pub fn varies(&self, v: Option<Value>) -> bool {
        v.is_some_and(|v| !self.shape(v, 0).is_uniform())
    }
}

/// What the analysis looks at.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// Types and constants.
    pub ctx: &'a Context,
    /// Module-scope variables.
    pub globals: &'a PrimaryMap<Global, GlobalData>,
    /// The function.
    pub f: &'a Function,
    /// Work-items of a group.
    pub local_size: [u32; 3],
}

/// Runs the analysis on an entry function in structured form, without calls.
pub fn analyze(input: Input<'_>) -> Analysis {
    let mut a = Analysis::default();
    let Some(entry) = input.f.entry() else { return a };
    find_facts(input.f, entry, &mut a.facts);
    find_grouped(input.f, entry, None, None, &mut a.facts);
    find_tables(input, &mut a.tables);
    a.short = trips::short_loops(input.ctx, input.f, entry);
    loop {
        let mut round = Round { input, a: &mut a, changed: false, around: Vec::new() };
        round.block(entry);
        if !round.changed {
            return a;
        }
    }
}

fn find_facts(f: &Function, block: Block, facts: &mut FxHashMap<Inst, Facts>) -> Facts {
    let mut all = Facts::default();
    for &inst in &f.blocks[block].insts {
        let data = &f.insts[inst];
        match data.op {
            Opcode::Op(Op::ControlBarrier) => all.barrier = true,
            Opcode::Break => all.breaks = true,
            Opcode::Continue => {
                all.continues = true;
                all.continue_count += 1;
            }
            op if op.is_structured() => {
                let mut own = Facts::default();
                for &region in &data.regions {
                    let inside = find_facts(f, f.block_of(region), facts);
                    own.barrier |= inside.barrier;
                    own.breaks |= inside.breaks;
                    own.continues |= inside.continues;
                    own.continue_count += inside.continue_count;
                }
                if op == Opcode::Loop {
                    own.continues = false;
                }
                if op != Opcode::Selection {
                    own.breaks = false;
                }
                facts.insert(inst, own);
                all.barrier |= own.barrier;
                all.breaks |= own.breaks;
                all.continues |= own.continues;
                if op != Opcode::Loop {
                    all.continue_count += own.continue_count;
                }
            }
            _ => {}
        }
    }
    all
}

/// A switch that only serves as a target for `Break`.
pub fn is_wrapper(f: &Function, inst: Inst) -> bool {
    f.insts[inst].op == Opcode::Switch && f.insts[inst].regions.len() == 1
}

fn find_grouped(
    f: &Function,
    block: Block,
    breakable: Option<Inst>,
    in_loop: Option<Inst>,
    facts: &mut FxHashMap<Inst, Facts>,
) {
    for &inst in &f.blocks[block].insts {
        let data = &f.insts[inst];
        if !data.op.is_structured() {
            continue;
        }
        let own = facts.get(&inst).copied().unwrap_or_default();
        let of = |target: Option<Inst>| target.and_then(|t| facts.get(&t)).is_some_and(|t| t.grouped);
        // Breaks out of a wrapper are done with masks; all others must be taken by the group as a whole.
        let breaks = own.breaks && of(breakable) && !breakable.is_some_and(|b| is_wrapper(f, b));
        let grouped = own.barrier || breaks || own.continues && of(in_loop);
        facts.entry(inst).or_default().grouped = grouped;
        let (mut b, mut l) = (breakable, in_loop);
        match data.op {
            Opcode::Loop => (b, l) = (Some(inst), Some(inst)),
            Opcode::Switch => b = Some(inst),
            _ => {}
        }
        for &region in &data.regions {
            find_grouped(f, f.block_of(region), b, l, facts);
        }
    }
}

/// Variables with one store, of a whole constant, in the entry block: tables that the source spelled as local arrays.
fn find_tables(input: Input<'_>, tables: &mut FxHashMap<Value, crate::ir::Const>) {
    let Input { ctx, globals, f, .. } = input;
    let Some(entry) = f.entry() else { return };
    let mut stores: FxHashMap<Value, Vec<(Block, Inst)>> = FxHashMap::default();
    let mut loads: FxHashSet<Value> = FxHashSet::default();
    let mut other: FxHashSet<Value> = FxHashSet::default();
    let mut first_load: FxHashMap<Value, usize> = FxHashMap::default();
    for (block, data) in f.blocks.iter() {
        for (at, &inst) in data.insts.iter().enumerate() {
            let d = &f.insts[inst];
            for (i, v) in d.ids().enumerate() {
                if !matches!(ctx.types.pointee(f.values[v].ty), Some((_, StorageClass::Function))) {
                    continue;
                }
                let Some(p) = address::resolve(ctx, globals, f, v) else { continue };
                let Root::Variable(var) = p.root else { continue };
                match d.op {
                    Opcode::Op(Op::Store) if i == 0 => stores.entry(var).or_default().push((block, inst)),
                    Opcode::Op(Op::Load) => {
                        loads.insert(var);
                        if block == entry {
                            first_load.entry(var).or_insert(at);
                        }
                    }
                    Opcode::Op(Op::AccessChain | Op::InBoundsAccessChain) if i == 0 => {}
                    _ => {
                        other.insert(var);
                    }
                }
            }
        }
    }
    for (var, stores) in stores {
        let [(block, store)] = stores[..] else { continue };
        let whole = f.insts[store].id(0) == Some(var);
        let Some(c) = f.insts[store].id(1).and_then(|v| f.as_const(v)) else { continue };
        // A store in a nested block may be passed by; one in the entry block happens before all that follows it.
        let at = f.blocks[entry].insts.iter().position(|i| *i == store);
        let first = first_structured_use(f, entry, first_load.get(&var).copied());
        if whole && block == entry && !other.contains(&var) && at.is_some_and(|at| at < first) {
            tables.insert(var, c);
        }
    }
}

/// The first place in the entry block from where a load could happen: a load, or an instruction with regions.
fn first_structured_use(f: &Function, entry: Block, load: Option<usize>) -> usize {
    let regions = f.blocks[entry].insts.iter().position(|i| !f.insts[*i].regions.is_empty());
    load.unwrap_or(usize::MAX).min(regions.unwrap_or(usize::MAX))
}

struct Round<'a, 'b> {
    input: Input<'a>,
    a: &'b mut Analysis,
    changed: bool,
    /// Structured instructions around, outermost first, with the leaves' sources passed so far.
    around: Vec<Inst>,
}

impl Round<'_, '_> {
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
    fn raise(&mut self, v: Value, leaf: usize, shape: Shape) {
        let old = self.a.shape(v, leaf);
        if shape > old {
            self.set(v, leaf, shape);
        }
    }

    fn leaves(&self, v: Value) -> usize {
        leaves::count(self.input.ctx, self.input.f.values[v].ty).unwrap_or(1) as usize
    }

    /// A value where several sources meet. Contiguous sources make a contiguous value only among themselves: the
    /// first source sets the shape, every other is merged into it.
    fn flow(&mut self, to: Value, from: Value, level: Shape) {
        let first = !self.a.shapes.contains_key(&to);
        for leaf in 0..self.leaves(to) {
            let source = self.a.shape(from, leaf);
            let source = if source.is_uniform() { source.max(level) } else { source };
            let old = self.a.shape(to, leaf);
            let new = if first { source } else { old.join(source) };
            self.set(to, leaf, new);
        }
    }

    fn block(&mut self, block: Block) {
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
                self.flow(arg, init, level);
            }
        }
        self.around.push(inst);
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
        let target = |pred: fn(Opcode) -> bool| {
            self.around.iter().rposition(|i| pred(f.insts[*i].op)).map(|at| (at, self.around[at]))
        };
        match data.op {
            Opcode::Merge => {
                let Some(&to) = self.around.last() else { return };
                self.results(to, data.ids());
            }
            Opcode::Break => {
                let Some((at, to)) = target(|op| matches!(op, Opcode::Loop | Opcode::Switch)) else { return };
                self.escape(at);
                self.results(to, data.ids());
            }
            Opcode::Continue => {
                let Some((at, to)) = target(|op| op == Opcode::Loop) else { return };
                self.escape(at);
                let block = f.block_of(f.insts[to].regions[1]);
                let facts = self.a.facts.get(&to).copied().unwrap_or_default();
                let blended = facts.continue_count > 1 && self.a.divergent.contains(&to);
                let level = self.level(to);
                for (arg, v) in f.blocks[block].args.clone().into_iter().zip(data.ids().collect::<Vec<_>>()) {
                    if blended {
                        for leaf in 0..self.leaves(arg) {
                            self.raise(arg, leaf, Shape::Varying);
                        }
                    } else {
                        self.flow(arg, v, level);
                    }
                }
            }
            Opcode::Next | Opcode::NextIf => {
                let Some(&to) = self.around.last() else { return };
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
                    self.flow(*arg, *v, level);
                }
                if conditional {
                    self.results(to, values.into_iter().skip(args.len()));
                }
            }
            _ => {}
        }
    }

    fn results(&mut self, to: Inst, values: impl Iterator<Item = Value>) {
        let level = self.level(to);
        let results = self.input.f.insts[to].results.clone();
        for (r, v) in results.into_iter().zip(values.collect::<Vec<_>>()) {
            self.flow(r, v, level);
        }
    }

    /// An escape to `around[at]`: if anything between varies, lanes leave the target at different times.
    fn escape(&mut self, at: usize) {
        let varies = self.around[at + 1..].iter().any(|i| self.is_varying(*i));
        let target = self.around[at];
        let grouped = self.a.facts.get(&target).is_some_and(|x| x.grouped);
        if varies && (!grouped || is_wrapper(self.input.f, target)) {
            self.changed |= self.a.divergent.insert(target);
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
                let shape = ids.get(operand).map_or(Shape::Launch, |v| self.a.shape(*v, from as usize));
                self.raise(result, leaf, shape);
            }
            return;
        }
        match data.op {
            Opcode::Op(Op::Load) => {
                let Some(pointer) = data.id(0) else { return };
                for leaf in 0..n {
                    let shape = self.loaded(pointer, leaf);
                    self.raise(result, leaf, shape);
                }
            }
            Opcode::Op(Op::IAdd | Op::ISub) => {
                let (Some(a), Some(b)) = (data.id(0), data.id(1)) else { return };
                for leaf in 0..n {
                    let shape = match (self.a.shape(a, leaf), self.a.shape(b, leaf)) {
                        // Only those of 32 bits count on where others would be cut off.
                        _ if ctx.types.width_of(f.values[result].ty) != Some(32) => {
                            self.a.shape(a, leaf).scattered().join(self.a.shape(b, leaf).scattered())
                        }
                        (Shape::Contiguous, y) if y.is_uniform() => Shape::Contiguous,
                        (x, Shape::Contiguous) if x.is_uniform() && data.op == Opcode::Op(Op::IAdd) => {
                            Shape::Contiguous
                        }
                        (x, y) => x.scattered().join(y.scattered()),
                    };
                    self.raise(result, leaf, shape);
                }
            }
            Opcode::Op(Op::Bitcast) => {
                let Some(a) = data.id(0) else { return };
                let ints = ctx.types.int_signed(f.values[a].ty).is_some()
                    && ctx.types.int_signed(f.values[result].ty).is_some();
                if ctx.types.width_of(f.values[a].ty) != ctx.types.width_of(f.values[result].ty) {
                    return self.pure(inst, result, n);
                }
                for leaf in 0..n {
                    let shape = self.a.shape(a, leaf);
                    let shape = if ints { shape } else { shape.scattered() };
                    self.raise(result, leaf, shape);
                }
            }
            // Of an image from an array it is asked for lane by lane.
            Opcode::Op(Op::ImageQuerySize | Op::ImageQuerySizeLod) if self.is_of_array(data.id(0)) => {
                (0..n).for_each(|leaf| self.raise(result, leaf, Shape::Varying));
            }
            Opcode::Op(Op::ArrayLength | Op::ImageQuerySize | Op::ImageQueryLevels) => {}
            // The first level has the size of the image; that of others is asked for lane by lane.
            Opcode::Op(Op::ImageQuerySizeLod) => {
                let first = data.id(1).and_then(|v| f.as_const(v)).and_then(|c| ctx.consts.bits(c));
                let shape = if first == Some(0) { Shape::Launch } else { Shape::Varying };
                (0..n).for_each(|leaf| self.raise(result, leaf, shape));
            }
            Opcode::Op(op) if crate::spmd::inst::is_pure(op) => self.pure(inst, result, n),
            Opcode::Op(op) if subgroup::is_subgroup(op) => {
                let shape = subgroup::shape(op, data.literal(1));
                (0..n).for_each(|leaf| self.raise(result, leaf, shape));
            }
            Opcode::Ext(..) => self.pure(inst, result, n),
            // Whatever reads memory that others write, or is not known.
            _ => (0..n).for_each(|leaf| self.raise(result, leaf, Shape::Varying)),
        }
    }

    /// Whether an image was loaded from something else than a variable of its own.
    fn is_of_array(&self, image: Option<Value>) -> bool {
        let f = self.input.f;
        let from = image.and_then(|v| f.def_inst(v)).and_then(|load| f.insts[load].id(0));
        !from.is_some_and(|p| matches!(f.values[p].def, ValueDef::Global(_)))
    }

    fn pure(&mut self, inst: Inst, result: Value, n: usize) {
        let f = self.input.f;
        let ids: Vec<Value> = f.insts[inst].ids().collect();
        let counts: Vec<usize> = ids.iter().map(|v| self.leaves(*v)).collect();
        // Component-wise where every operand has as many leaves as the result (or is a scalar), else all of all.
        let wise = crate::spmd::inst::is_component_wise(f.insts[inst].op)
            && counts.iter().all(|c| *c == n || *c == 1);
        for leaf in 0..n {
            let mut shape = Shape::Launch;
            for (v, count) in ids.iter().zip(&counts) {
                if wise {
                    shape = shape.join(self.a.shape(*v, if *count == 1 { 0 } else { leaf }).scattered());
                } else {
                    (0..*count).for_each(|l| shape = shape.join(self.a.shape(*v, l).scattered()));
                }
            }
            self.raise(result, leaf, shape);
        }
    }

    /// Shape of a leaf that is read from memory.
    fn loaded(&self, pointer: Value, leaf: usize) -> Shape {
        let Input { ctx, globals, f, local_size } = self.input;
        let Some(p) = address::resolve(ctx, globals, f, pointer) else { return Shape::Varying };
        let index = p.terms.iter().fold(Shape::Launch, |s, (v, _)| s.join(self.a.shape(*v, 0).scattered()));
        match p.root {
            Root::Variable(v) if self.a.tables.contains_key(&v) => index,
            Root::Variable(_) => Shape::Varying,
            Root::Physical(v) => index.join(self.a.shape(v, 0).scattered()).max(Shape::Wave),
            Root::Global(g) => {
                let data = &globals[g];
                match data.storage {
                    StorageClass::Input => match data.builtin() {
                        Some(builtin) => {
                            let component = if p.terms.is_empty() { p.konst as usize / 4 + leaf } else { 3 };
                            builtin_shape(builtin, component, local_size)
                        }
                        None => Shape::Varying,
                    },
                    StorageClass::Uniform | StorageClass::PushConstant => index,
                    StorageClass::StorageBuffer => {
                        let readonly =
                            data.interface.as_ref().is_some_and(|i| i.access == BufferAccess::Read);
                        if readonly { index } else { index.max(Shape::Wave) }
                    }
                    StorageClass::Private => index,
                    StorageClass::UniformConstant => Shape::Launch,
                    _ => index.max(Shape::Wave),
                }
            }
        }
    }
}

/// Shape of a component of a system value.
pub fn builtin_shape(builtin: BuiltIn, component: usize, [x, y, z]: [u32; 3]) -> Shape {
    let row = y == 1 && z == 1;
    match builtin {
        BuiltIn::NumWorkgroups | BuiltIn::WorkgroupSize | BuiltIn::SubgroupSize | BuiltIn::NumSubgroups => {
            Shape::Launch
        }
        BuiltIn::SubgroupId => Shape::Wave,
        BuiltIn::SubgroupLocalInvocationId => Shape::Contiguous,
        BuiltIn::WorkgroupId => Shape::Group,
        BuiltIn::LocalInvocationIndex => Shape::Contiguous,
        BuiltIn::LocalInvocationId | BuiltIn::GlobalInvocationId => {
            let size = [x, y, z].get(component).copied().unwrap_or(0);
            if size == 1 {
                Shape::Group
            } else if component == 0 && (row || x % WIDEST_VECTOR == 0) {
                Shape::Contiguous
            } else {
                Shape::Varying
            }
        }
        _ => Shape::Varying,
    }
}

/// Whether a value stands for memory or an address rather than data.
pub fn is_pointer(ctx: &Context, f: &Function, v: Value) -> bool {
    ctx.types.pointee(f.values[v].ty).is_some() || matches!(f.values[v].def, ValueDef::Global(_))
}
