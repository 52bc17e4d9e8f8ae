//! Which resources the source of an entry point names: what its arguments follow from.
//!
//! All nodes of a function count, those too that no statement uses any more since what stood around them was folded: what is
//! behind a `return`, in a branch that is never taken, in the operand of `sizeof`. So does the initializer of static variables,
//! which every entry point runs.

use super::{
    Arg, EntryPoint, Expr, ExprKind, Function, FunctionId, GlobalId, GlobalKind, Module, PlaceId, PlaceKind,
    Resource, Root, Type,
};
use std::collections::BTreeSet;

/// Resources by name: a counter goes with its buffer, but is an argument of its own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Named {
    /// Resources, push constants among them.
    pub resources: BTreeSet<GlobalId>,
    /// Buffers that are counted.
    pub counters: BTreeSet<GlobalId>,
}

/// What the functions of a module name.
pub struct Names<'m> {
    module: &'m Module,
    /// For each function the parameters whose counters it names.
    counting: Vec<BTreeSet<usize>>,
}

impl<'m> Names<'m> {
    /// Looks at all functions, once.
    pub fn new(module: &'m Module) -> Names<'m> {
        Names { module, counting: module.counting() }
    }

    /// What the source of an entry point names, through all calls.
    pub fn by(&self, entry: &EntryPoint) -> Named {
        let initializer = self.module.initializer.into_iter();
        self.module.named_from(initializer.chain([entry.function]).collect(), &self.counting)
    }

    /// What any function of the program names, and the counters that always are: those of buffers that are nothing without.
    pub fn anywhere(&self) -> Named {
        let Module { functions, globals, types, .. } = self.module;
        let functions = (0..functions.len()).map(|i| FunctionId(i as u32)).collect();
        let mut all = self.module.named_from(functions, &self.counting);
        for (i, g) in globals.iter().enumerate() {
            if matches!(types.resource(g.ty), Some(Resource::Queue { .. })) {
                all.counters.insert(GlobalId(i as u32));
            }
        }
        all
    }
}

impl Module {
    fn named_from(&self, mut todo: Vec<FunctionId>, counting: &[BTreeSet<usize>]) -> Named {
        let (mut out, mut seen) = (Named::default(), vec![false; self.functions.len()]);
        while let Some(id) = todo.pop() {
            if seen.get_mut(id.index()).is_none_or(|seen| std::mem::replace(seen, true)) {
                continue;
            }
            let f = &self.functions[id.index()];
            for g in f.places.iter().filter_map(|p| global(&p.kind)) {
                if matches!(self.global(g).kind, GlobalKind::Resource(_) | GlobalKind::PushConstant) {
                    out.resources.insert(g);
                    let queue =
                        matches!(self.types.resource(self.global(g).ty), Some(Resource::Queue { .. }));
                    if queue {
                        out.counters.insert(g);
                    }
                }
            }
            out.counters.extend(counted(f, counting).filter_map(|place| match f.root(place) {
                Some(Root::Global(g)) => Some(g),
                _ => None,
            }));
            // A variable of buffers may hold any of its type.
            for ty in counted(f, counting).filter_map(|place| variable(f, place)) {
                let same = |g: &GlobalId| element(self, self.global(*g).ty) == element(self, ty);
                out.counters.extend(f.places.iter().filter_map(|p| global(&p.kind)).filter(same));
            }
            todo.extend(f.exprs.iter().filter_map(|e| match e.kind {
                ExprKind::Call(callee, _) => Some(callee),
                _ => None,
            }));
        }
        out
    }

    /// For each function the parameters whose counters it names.
    fn counting(&self) -> Vec<BTreeSet<usize>> {
        let mut all: Vec<BTreeSet<usize>> = Vec::with_capacity(self.functions.len());
        for f in &self.functions {
            let parameters = counted(f, &all).filter_map(|place| match f.root(place) {
                Some(Root::Local(l)) if l.index() < f.params as usize => Some(l.index()),
                _ => None,
            });
            let parameters = parameters.collect();
            all.push(parameters);
        }
        all
    }
}

/// The buffers that a function counts, itself or by a call of one before it.
fn counted<'f>(f: &'f Function, counting: &'f [BTreeSet<usize>]) -> impl Iterator<Item = PlaceId> + 'f {
    f.exprs.iter().flat_map(move |e| match &e.kind {
        ExprKind::Counter { resource, .. } => vec![*resource],
        ExprKind::Call(callee, args) => {
            let Some(parameters) = counting.get(callee.index()) else { return Vec::new() };
            let place = |i: &usize| match args.get(*i)? {
                Arg::In(value) => match f.exprs.get(value.index()) {
                    Some(Expr { kind: ExprKind::Load(place), .. }) => Some(*place),
                    _ => None,
                },
                Arg::Out { place, .. } | Arg::InOut { place, .. } | Arg::Ref(place) => Some(*place),
            };
            parameters.iter().filter_map(place).collect()
        }
        _ => Vec::new(),
    })
}

/// The type of a place that is not a resource itself nor a parameter, but a variable that holds one.
fn variable(f: &Function, place: PlaceId) -> Option<super::TypeId> {
    match f.root(place) {
        Some(Root::Local(l)) if l.index() < f.params as usize => None,
        Some(Root::Global(_)) => None,
        _ => Some(f.places.get(place.index())?.ty),
    }
}

/// The resource type that something is an array of.
fn element(module: &Module, mut ty: super::TypeId) -> super::TypeId {
    while let Type::Array(elem, _) | Type::UnsizedArray(elem) = module.types.get(ty) {
        ty = elem;
    }
    ty
}

fn global(kind: &PlaceKind) -> Option<GlobalId> {
    match kind {
        PlaceKind::Global(g) => Some(*g),
        _ => None,
    }
}
