//! How far each value varies, why, and which control flow the lanes of a wave do not take together: the one answer to whether
//! something is uniform.
//!
//! Each leaf of a value has a [`Shape`], which code for waves is made by, and a [`Cause`], which tells whether the number of the
//! invocation alone decides: what comes from memory may be the same for all of a group though nobody knows.
//!
//! A fixpoint from the bottom: everything starts out the same for the whole launch, and each round raises what
//! depends on something that varies. Neither ever falls, so it ends.

mod values;
mod walk;

pub use values::of_builtin;

use super::address::{self, Root};
use crate::ir::entity::PrimaryMap;
use crate::ir::{
    Block, Context, Function, Global, GlobalData, Inst, Op, Opcode, StorageClass, Value, ValueDef,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Lanes of the widest native vector of any instruction set: what a row of work-items must be a multiple of to be
/// contiguous in every one.
pub const WIDEST_VECTOR: u32 = 16;

/// How far a leaf varies: a lattice, whose order is that of [`Shape::join`]. What is the same for more lanes is below what is the
/// same for fewer; consecutive numbers are beside all of those, and everything is below `Varying`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Shape {
    /// The same for the whole launch.
    #[default]
    Launch,
    /// The same for a work-group.
    Group,
    /// The same for the active lanes of a wave.
    Wave,
    /// Consecutive in the lanes of each native vector.
    Contiguous,
    /// Anything.
    Varying,
}

impl Shape {
    /// Whether the leaf is a scalar in the emitted code.
    pub fn is_uniform(self) -> bool {
        self <= Shape::Wave
    }

    /// The least shape that is true of either.
    pub fn join(self, other: Shape) -> Shape {
        match (self, other) {
            (a, b) if a == b => a,
            (Shape::Contiguous, _) | (_, Shape::Contiguous) => Shape::Varying,
            (a, b) => a.max(b),
        }
    }

    /// The shape of what an operation makes of it that does not keep numbers consecutive.
    pub fn scattered(self) -> Shape {
        if self == Shape::Contiguous { Shape::Varying } else { self }
    }
}

/// Why a value differs between the invocations of a group; the later wins where two meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Cause {
    /// It does not by itself.
    #[default]
    None,
    /// It depends on which invocation it is.
    Invocation,
    /// It may.
    Unknown,
}

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
    shapes: FxHashMap<Value, SmallVec<[Shape; 4]>>,
    /// Causes of leaves; values that are not here have none.
    causes: FxHashMap<Value, SmallVec<[Cause; 4]>>,
    /// Facts of structured instructions.
    pub facts: FxHashMap<Inst, Facts>,
    /// Loops and switches that lanes leave at different times.
    pub divergent: FxHashSet<Inst>,
    /// Function-scope variables that are never written after their one constant store: pointer to constant.
    pub tables: FxHashMap<Value, crate::ir::Const>,
}

impl Analysis {
    /// Shape of a leaf of a value.
    pub fn shape(&self, v: Value, leaf: usize) -> Shape {
        self.shapes.get(&v).and_then(|s| s.get(leaf)).copied().unwrap_or_default()
    }

    /// Why a leaf of a value differs within a group.
    pub fn cause(&self, v: Value, leaf: usize) -> Cause {
        self.causes.get(&v).and_then(|l| l.get(leaf)).copied().unwrap_or_default()
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
    let mut sources = FxHashMap::default();
    loop {
        let mut round = walk::Round::new(input, &mut a, &mut sources);
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

/// Whether a value stands for memory or an address rather than data.
pub fn is_pointer(ctx: &Context, f: &Function, v: Value) -> bool {
    ctx.types.pointee(f.values[v].ty).is_some() || matches!(f.values[v].def, ValueDef::Global(_))
}

#[cfg(test)]
mod tests;
