//! Which resources a handle may be: an iteration over the joins of a function until nothing new comes.

use crate::analysis::joins::Joins;
use crate::ir::entity::PrimaryMap;
use crate::ir::{
    ConstKind, Context, Function, Global, GlobalData, Op, Opcode, StorageClass, Type, TypeKind, Value,
    ValueDef,
};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// A step of an access chain from a module-scope variable to what a handle points to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Step {
    /// Member of a struct.
    Member(u32),
    /// Element of an array; which one is told apart from the candidate.
    Index,
    /// Element of an array that is taken apart.
    Element(u32),
}

/// A resource that handles may be: the variable, and the way to a part of it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Candidate {
    pub global: Global,
    pub steps: SmallVec<[Step; 2]>,
}

/// What is known of the indices of a candidate, in the order of its steps: the number, or nothing.
pub(super) type Indices = SmallVec<[Option<u32>; 2]>;

/// What a handle is made of.
pub(super) enum Root {
    /// The address of a module-scope variable.
    Global(Global),
    /// A handle that stands where ways meet.
    Join(Value),
    /// Nothing: no resource was assigned.
    Undef,
    /// Something that is no handle that can be followed.
    Other,
}

/// All candidates of a function's handles.
#[derive(Default)]
pub(super) struct Candidates {
    /// Numbered by their position.
    pub all: IndexSet<Candidate, FxBuildHasher>,
    /// By join: the numbers of those that it may be.
    pub of: FxHashMap<Value, BTreeMap<u32, Indices>>,
    /// Joins that something becomes which cannot be followed.
    pub lost: Vec<Value>,
    /// Arrays whose elements are candidates of their own.
    pub apart: FxHashSet<Global>,
}

/// Whether values of a type are handles: pointers to resources or into them.
pub(crate) fn is_handle(ctx: &Context, ty: Type) -> bool {
    let storage = ctx.types.pointee(ty).map(|p| p.1);
    matches!(
        storage,
        Some(
            StorageClass::UniformConstant
                | StorageClass::StorageBuffer
                | StorageClass::Uniform
                | StorageClass::PushConstant
        )
    )
}

/// Follows access chains and casts from a handle to where it begins; the indices on the way are in the order of the steps.
pub(super) fn trace(f: &Function, ctx: &Context, mut v: Value) -> (Root, SmallVec<[Value; 4]>) {
    let mut chains: SmallVec<[SmallVec<[Value; 4]>; 2]> = SmallVec::new();
    let root = loop {
        let inst = match f.values[v].def {
            ValueDef::Global(g) => break Root::Global(g),
            ValueDef::Const(c) if matches!(ctx.consts.kind(c), ConstKind::Undef | ConstKind::Null) => {
                break Root::Undef;
            }
            ValueDef::Const(_) => break Root::Other,
            ValueDef::Arg(..) => break Root::Join(v),
            ValueDef::Result(inst, _) => inst,
        };
        let data = &f.insts[inst];
        v = match (data.op, data.id(0)) {
            (Opcode::Op(Op::AccessChain | Op::InBoundsAccessChain), Some(base)) => {
                chains.push(data.ids().skip(1).collect());
                base
            }
            (Opcode::Op(Op::Bitcast | Op::CopyObject), Some(base)) => base,
            (op, _) if op.is_structured() => break Root::Join(v),
            _ => break Root::Other,
        };
    };
    (root, chains.into_iter().rev().flatten().collect())
}

impl Candidates {
    /// The candidates of the joins of handles.
    pub fn find(
        f: &Function,
        ctx: &Context,
        globals: &PrimaryMap<Global, GlobalData>,
        joins: &Joins,
        apart: &FxHashSet<Global>,
    ) -> Candidates {
        let mut found = Candidates { apart: apart.clone(), ..Candidates::default() };
        let handles = joins.order.iter().copied().filter(|v| is_handle(ctx, f.values[*v].ty));
        let handles: SmallVec<[Value; 8]> = handles.collect();
        found.of.extend(handles.iter().map(|v| (*v, BTreeMap::new())));
        // What nothing was assigned to may be nothing.
        let unset = f.values.iter().filter(|(_, d)| match d.def {
            ValueDef::Const(c) => {
                is_handle(ctx, d.ty) && matches!(ctx.consts.kind(c), ConstKind::Undef | ConstKind::Null)
            }
            _ => false,
        });
        found.of.extend(unset.map(|(v, _)| (v, BTreeMap::new())));
        let mut again = !handles.is_empty();
        while again {
            again = false;
            for &join in &handles {
                for &v in joins.incoming(join) {
                    match found.held(f, ctx, globals, v) {
                        Some(held) => again |= found.merge(join, held),
                        None if !found.lost.contains(&join) => found.lost.push(join),
                        None => {}
                    }
                }
            }
        }
        found
    }

    /// What a handle may be by what is known so far.
    pub fn held(
        &mut self,
        f: &Function,
        ctx: &Context,
        globals: &PrimaryMap<Global, GlobalData>,
        v: Value,
    ) -> Option<Vec<(u32, Indices)>> {
        let (root, way) = trace(f, ctx, v);
        let from: Vec<(Candidate, Indices)> = match root {
            Root::Global(global) => vec![(Candidate { global, steps: SmallVec::new() }, Indices::new())],
            Root::Join(join) => {
                let held = self.of.get(&join)?.iter();
                held.filter_map(|(n, known)| Some((self.all.get_index(*n as usize)?.clone(), known.clone())))
                    .collect()
            }
            Root::Undef => Vec::new(),
            Root::Other => return None,
        };
        let mut list = Vec::with_capacity(from.len());
        for (mut candidate, mut known) in from {
            let mut ty = candidate.ty(ctx, globals)?;
            for index in &way {
                let number = f.as_const(*index).and_then(|c| ctx.consts.bits(c));
                let number = number.and_then(|n| u32::try_from(n).ok());
                let (step, at) = match ctx.types.kind(ty) {
                    TypeKind::Struct(_) => (Step::Member(number?), number?),
                    _ => match number.filter(|_| self.apart.contains(&candidate.global)) {
                        Some(n) => (Step::Element(n), 0),
                        None => {
                            known.push(number);
                            (Step::Index, 0)
                        }
                    },
                };
                candidate.steps.push(step);
                ty = ctx.types.element(ty, at)?;
            }
            list.push((self.all.insert_full(candidate).0 as u32, known));
        }
        Some(list)
    }

    /// The number of the candidate that access chains lead to from another one, and the indices on the way.
    pub fn follow(
        &self,
        f: &Function,
        ctx: &Context,
        globals: &PrimaryMap<Global, GlobalData>,
        mut from: Candidate,
        way: &[Value],
    ) -> Option<(u32, SmallVec<[Value; 2]>)> {
        let mut ty = from.ty(ctx, globals)?;
        let mut indices = SmallVec::new();
        for index in way {
            let (step, at) = match ctx.types.kind(ty) {
                TypeKind::Struct(_) => {
                    let member = f.as_const(*index).and_then(|c| ctx.consts.bits(c))?;
                    let member = u32::try_from(member).ok()?;
                    (Step::Member(member), member)
                }
                _ => {
                    let number = f.as_const(*index).and_then(|c| ctx.consts.bits(c));
                    match number.filter(|_| self.apart.contains(&from.global)) {
                        Some(n) => (Step::Element(u32::try_from(n).ok()?), 0),
                        None => {
                            indices.push(*index);
                            (Step::Index, 0)
                        }
                    }
                }
            };
            from.steps.push(step);
            ty = ctx.types.element(ty, at)?;
        }
        Some((self.all.get_index_of(&from)? as u32, indices))
    }

    /// Adds to what a join may be; whether that is new.
    fn merge(&mut self, join: Value, held: Vec<(u32, Indices)>) -> bool {
        let Some(now) = self.of.get_mut(&join) else { return false };
        let mut changed = false;
        for (n, known) in held {
            match now.entry(n) {
                std::collections::btree_map::Entry::Vacant(entry) => {
                    entry.insert(known);
                    changed = true;
                }
                std::collections::btree_map::Entry::Occupied(mut entry) => {
                    for (a, b) in entry.get_mut().iter_mut().zip(known) {
                        if a.is_some() && *a != b {
                            *a = None;
                            changed = true;
                        }
                    }
                }
            }
        }
        changed
    }
}

impl Candidate {
    /// The type of what it is.
    fn ty(&self, ctx: &Context, globals: &PrimaryMap<Global, GlobalData>) -> Option<Type> {
        self.steps.iter().try_fold(globals[self.global].ty, |ty, step| {
            ctx.types.element(ty, if let Step::Member(n) = step { *n } else { 0 })
        })
    }
}
