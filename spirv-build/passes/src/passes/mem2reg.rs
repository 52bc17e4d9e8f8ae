//! Turns function-scope variables into values.
//!
//! A variable is promoted if it is only ever loaded and stored, whole or through access chains with constant
//! indices, and has at most [`MAX_LEAVES`] scalars. A partial load becomes an `OpCompositeExtract` of the variable's
//! current value, a partial store an `OpCompositeInsert`. Where control flow joins, the value becomes a result of the
//! structured operation, and around a loop an argument; `dce` removes those that nothing needs.
//!
//! Functions whose body is a plain control-flow graph are left alone: `structurize` comes first.

use super::pass::plain_pass;
use crate::ir::{
    Block, ConstKind, Function, Inst, InstData, Module, Op, Opcode, Operand, Type, TypeKind, Value,
    ValueData, ValueDef,
};
use crate::ir::{Context, edit::Replacements, entity::SecondaryMap};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};
use std::rc::Rc;

/// Scalars that a promoted variable may have. Larger ones (tables) are better left in memory.
pub const MAX_LEAVES: u32 = 64;

plain_pass! {
    /// Turns function-scope variables into values.
    Mem2Reg, "mem2reg", run
}

/// Runs on every function.
pub fn run(module: &mut Module) -> bool {
    let mut changed = false;
    for (_, f) in module.functions.iter_mut() {
        changed |= run_on(&mut module.ctx, f);
    }
    changed
}

/// Runs on one function.
pub fn run_on(ctx: &mut Context, f: &mut Function) -> bool {
    f.body.is_some_and(|body| f.regions[body].blocks.len() == 1) && promote(ctx, f)
}

fn leaves(ctx: &Context, ty: Type) -> Option<u32> {
    // `legalize_resources` splits those first.
    if super::legalize_resources::has_handles(ctx, ty) {
        return None;
    }
    match ctx.types.kind(ty) {
        // Addresses of kernels, too: where control flow meets they are arguments.
        TypeKind::Bool | TypeKind::Int { .. } | TypeKind::Float { .. } | TypeKind::Pointer { .. } => Some(1),
        TypeKind::Vector { len, .. } => Some(u32::from(*len)),
        TypeKind::Matrix { column, columns } => Some(leaves(ctx, *column)? * u32::from(*columns)),
        TypeKind::Array { elem, len, .. } => leaves(ctx, *elem)?.checked_mul(*len),
        TypeKind::Struct(s) => s.members.iter().try_fold(0u32, |sum, m| sum.checked_add(leaves(ctx, m.ty)?)),
        _ => None,
    }
}

/// What is known of a variable.
struct Variable {
    pointer: Value,
    ty: Type,
}

type Path = SmallVec<[u32; 4]>;

/// Pointers to variables or parts of them. Nearly every operand is looked up here: a table, not a map.
struct Paths {
    /// By value: the place in `list`, counted from 1.
    of: SecondaryMap<Value, u32>,
    list: Vec<(usize, Path)>,
}

impl Paths {
    fn insert(&mut self, v: Value, var: usize, path: Path) {
        self.list.push((var, path));
        self.of[v] = self.list.len() as u32;
    }

    fn get(&self, v: Value) -> Option<&(usize, Path)> {
        self.list.get((self.of[v] as usize).checked_sub(1)?)
    }

    /// Forgets all pointers into these variables.
    fn forget(&mut self, vars: &FxHashSet<usize>) {
        if vars.is_empty() {
            return;
        }
        let list = &self.list;
        self.of.for_each_mut(|at| {
            if (*at as usize).checked_sub(1).is_some_and(|i| vars.contains(&list[i].0)) {
                *at = 0;
            }
        });
    }
}

struct Promote<'a> {
    ctx: &'a mut Context,
    f: &'a mut Function,
    vars: SmallVec<[Variable; 16]>,
    /// Pointers to promoted variables or parts of them: variable index and constant path.
    paths: Paths,
    /// What loads became.
    alias: Replacements,
    aliases: usize,
    /// Variables stored to inside each structured instruction.
    stored: FxHashMap<Inst, Rc<[usize]>>,
}

fn promote(ctx: &mut Context, f: &mut Function) -> bool {
    let Some(entry) = f.entry() else { return false };
    let mut vars: SmallVec<[Variable; 16]> = SmallVec::new();
    for &inst in &f.blocks[entry].insts {
        let data = &f.insts[inst];
        if data.op != Opcode::Op(Op::Variable) || data.operands.len() > 1 {
            continue;
        }
        let pointer = data.results[0];
        let Some((ty, _)) = ctx.types.pointee(f.values[pointer].ty) else { continue };
        if leaves(ctx, ty).is_some_and(|n| n <= MAX_LEAVES) {
            vars.push(Variable { pointer, ty });
        }
    }
    if vars.is_empty() {
        return false;
    }
    let mut paths = Paths { of: SecondaryMap::with_room(f.values.len()), list: Vec::with_capacity(32) };
    for (i, v) in vars.iter().enumerate() {
        paths.insert(v.pointer, i, SmallVec::new());
    }
    let bad = collect_paths(ctx, f, entry, &mut paths);
    if bad.len() == vars.len() {
        return false;
    }
    paths.forget(&bad);
    let alias = SecondaryMap::with_room(f.values.len());
    let mut p = Promote { ctx, f, vars, paths, alias, aliases: 0, stored: FxHashMap::default() };
    p.collect_stores(entry);
    let mut current: SmallVec<[Option<Value>; 16]> = smallvec![None; p.vars.len()];
    p.block(entry, &mut current, Around::default());
    p.finish();
    true
}

/// Finds the constant access chains into the candidate variables, and the candidates with any other use.
fn collect_paths(ctx: &Context, f: &Function, entry: Block, paths: &mut Paths) -> FxHashSet<usize> {
    let mut bad = FxHashSet::default();
    // Dominance order, so that a chain's base is known before the chain.
    let mut stack: SmallVec<[Block; 16]> = smallvec![entry];
    while let Some(block) = stack.pop() {
        for &inst in &f.blocks[block].insts {
            collect_path(ctx, f, &f.insts[inst], paths, &mut bad);
        }
        for &inst in f.blocks[block].insts.iter().rev() {
            stack.extend(f.insts[inst].regions.iter().map(|r| f.block_of(*r)));
        }
    }
    bad
}

/// The same for one instruction.
fn collect_path(ctx: &Context, f: &Function, data: &InstData, paths: &mut Paths, bad: &mut FxHashSet<usize>) {
    for (i, operand) in data.operands.iter().enumerate() {
        let Operand::Id(v) = operand else { continue };
        let Some((var, base)) = paths.get(*v) else { continue };
        let var = *var;
        match data.op {
            Opcode::Op(Op::Load) if !data.is_volatile() => {}
            Opcode::Op(Op::Store) if i == 0 && !data.is_volatile() => {}
            Opcode::Op(Op::AccessChain | Op::InBoundsAccessChain) if i == 0 => {
                let mut path = base.clone();
                let mut ty = ctx.types.pointee(f.values[*v].ty).map(|p| p.0);
                let constant = data.ids().skip(1).all(|index| {
                    let bits = f.as_const(index).and_then(|c| ctx.consts.bits(c));
                    let Some(bits) = bits.and_then(|b| u32::try_from(b).ok()) else { return false };
                    path.push(bits);
                    ty = ty.and_then(|t| ctx.types.element(t, bits));
                    ty.is_some()
                });
                match (constant, data.result()) {
                    (true, Some(result)) => {
                        paths.insert(result, var, path);
                    }
                    _ => {
                        bad.insert(var);
                    }
                }
            }
            _ => {
                bad.insert(var);
            }
        }
    }
}

/// Where terminators lead: for the variables that the structured operation around passes on.
#[derive(Clone, Copy, Default)]
struct Around<'v> {
    /// Variables that `Merge` passes.
    merge: &'v [usize],
    /// Variables that `Break` passes.
    brk: &'v [usize],
    /// Variables that `Continue` passes.
    cont: &'v [usize],
    /// Variables that `Next` passes.
    next: &'v [usize],
    /// Operands that `Next` had before, of those of `NextIf`.
    next_before: usize,
}

impl Promote<'_> {
    fn collect_stores(&mut self, entry: Block) {
        // Appends the variables stored to in a block, some perhaps twice.
        fn visit(p: &mut Promote<'_>, block: Block, all: &mut Vec<usize>) {
            for i in 0..p.f.blocks[block].insts.len() {
                let inst = p.f.blocks[block].insts[i];
                let data = &p.f.insts[inst];
                if data.op == Opcode::Op(Op::Store) {
                    if let Some((var, _)) = data.id(0).and_then(|v| p.paths.get(v)) {
                        all.push(*var);
                    }
                    continue;
                }
                if !data.op.is_structured() {
                    continue;
                }
                let before = all.len();
                for region in data.regions.clone() {
                    let block = p.f.block_of(region);
                    visit(p, block, all);
                }
                let inside = &mut all[before..];
                inside.sort_unstable();
                let mut list: SmallVec<[usize; 16]> = SmallVec::from_slice(inside);
                list.dedup();
                all.truncate(before);
                all.extend_from_slice(&list);
                p.stored.insert(inst, list.as_slice().into());
            }
        }
        visit(self, entry, &mut Vec::new());
    }

    fn resolve(&self, mut v: Value) -> Value {
        while let Some(to) = self.alias[v] {
            v = to;
        }
        v
    }

    /// The current value of a variable; undefined if nothing was stored yet.
    fn current(&mut self, current: &[Option<Value>], var: usize) -> Value {
        match current[var] {
            Some(v) => v,
            None => {
                let ty = self.vars[var].ty;
                let c = self.ctx.constant(ty, ConstKind::Undef);
                self.f.const_value(c, ty)
            }
        }
    }

    /// What a block stores is seen in `current` afterwards.
    fn block(&mut self, block: Block, current: &mut [Option<Value>], around: Around<'_>) {
        let old = std::mem::take(&mut self.f.blocks[block].insts);
        let mut new = Vec::with_capacity(old.len());
        for inst in old {
            let op = self.f.insts[inst].op;
            match op {
                Opcode::Op(Op::Variable | Op::AccessChain | Op::InBoundsAccessChain)
                    if self.f.insts[inst].result().is_some_and(|r| self.paths.get(r).is_some()) =>
                {
                    continue;
                }
                Opcode::Op(Op::Load) => {
                    let data = &self.f.insts[inst];
                    if let (Some(pointer), Some(result)) = (data.id(0), data.result())
                        && let Some((var, path)) = self.paths.get(pointer).cloned()
                    {
                        let value = self.current(current, var);
                        if path.is_empty() {
                            self.alias[result] = Some(value);
                            self.aliases += 1;
                            continue;
                        }
                        let data = &mut self.f.insts[inst];
                        data.op = Op::CompositeExtract.into();
                        data.operands.clear();
                        data.operands.push(Operand::Id(value));
                        data.operands.extend(path.iter().map(|i| Operand::Literal(*i)));
                    }
                }
                Opcode::Op(Op::Store) => {
                    let data = &self.f.insts[inst];
                    if let (Some(pointer), Some(value)) = (data.id(0), data.id(1))
                        && let Some((var, path)) = self.paths.get(pointer).cloned()
                    {
                        let value = self.resolve(value);
                        if path.is_empty() {
                            current[var] = Some(value);
                            continue;
                        }
                        let whole = self.current(current, var);
                        let mut data = InstData::new(
                            Op::CompositeInsert,
                            [Operand::Id(value), Operand::Id(whole)],
                            self.f.insts[inst].span,
                        );
                        data.operands.extend(path.iter().map(|i| Operand::Literal(*i)));
                        let insert = self.f.make_inst(data, &[self.vars[var].ty]);
                        current[var] = Some(self.f.insts[insert].results[0]);
                        new.push(insert);
                        continue;
                    }
                }
                Opcode::Merge => self.pass(inst, current, around.merge, usize::MAX),
                Opcode::Break => self.pass(inst, current, around.brk, usize::MAX),
                Opcode::Continue => self.pass(inst, current, around.cont, usize::MAX),
                Opcode::Next => self.pass(inst, current, around.next, usize::MAX),
                Opcode::NextIf => {
                    self.pass(inst, current, around.brk, usize::MAX);
                    self.pass(inst, current, around.next, 1 + around.next_before);
                }
                Opcode::Selection | Opcode::Switch => self.branches(inst, current, around),
                Opcode::Loop => self.loop_op(inst, current),
                _ => {}
            }
            new.push(inst);
        }
        self.f.blocks[block].insts = new;
    }

    /// Adds the current values of `vars` to a terminator's operands, at `at` or at the end.
    fn pass(&mut self, inst: Inst, current: &[Option<Value>], vars: &[usize], at: usize) {
        if vars.is_empty() {
            return;
        }
        let values: SmallVec<[Operand; 8]> =
            vars.iter().map(|v| Operand::Id(self.current(current, *v))).collect();
        let operands = &mut self.f.insts[inst].operands;
        let at = at.min(operands.len());
        operands.insert_many(at, values);
    }

    /// Adds a result of a variable's type to a structured instruction.
    fn result(&mut self, inst: Inst, var: usize) -> Value {
        let index = self.f.insts[inst].results.len() as u16;
        let name = self.f.values[self.vars[var].pointer].name.clone();
        let data = ValueData { ty: self.vars[var].ty, def: ValueDef::Result(inst, index), name };
        let value = self.f.values.push(data);
        self.f.insts[inst].results.push(value);
        value
    }

    fn branches(&mut self, inst: Inst, current: &mut [Option<Value>], around: Around<'_>) {
        let vars = self.stored_in(inst);
        let mut inner = Around { merge: &vars, ..around };
        if self.f.insts[inst].op == Opcode::Switch {
            inner.brk = &vars;
        }
        // Each region starts from the values before; no other than these are changed.
        let before: SmallVec<[Option<Value>; 16]> = vars.iter().map(|v| current[*v]).collect();
        for region in self.f.insts[inst].regions.clone() {
            let block = self.f.block_of(region);
            self.block(block, current, inner);
            vars.iter().zip(&before).for_each(|(v, value)| current[*v] = *value);
        }
        for &var in &*vars {
            current[var] = Some(self.result(inst, var));
        }
    }

    fn stored_in(&self, inst: Inst) -> Rc<[usize]> {
        self.stored.get(&inst).cloned().unwrap_or_default()
    }

    fn loop_op(&mut self, inst: Inst, current: &mut [Option<Value>]) {
        let vars = self.stored_in(inst);
        let next_before = self.f.insts[inst].operands.len();
        self.pass(inst, current, &vars, usize::MAX);
        let regions = self.f.insts[inst].regions.clone();
        let (body, continuing) = (self.f.block_of(regions[0]), self.f.block_of(regions[1]));
        let around = Around { merge: &[], brk: &vars, cont: &vars, next: &vars, next_before };
        for block in [body, continuing] {
            for &var in &*vars {
                let arg = self.f.add_arg(block, self.vars[var].ty);
                self.f.values[arg].name = self.f.values[self.vars[var].pointer].name.clone();
                current[var] = Some(arg);
            }
            self.block(block, current, around);
        }
        for &var in &*vars {
            current[var] = Some(self.result(inst, var));
        }
    }

    /// Rewrites every use of a removed load.
    fn finish(&mut self) {
        if self.aliases == 0 {
            return;
        }
        self.f.replace_all_uses(&self.alias);
    }
}
