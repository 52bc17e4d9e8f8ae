//! Which functions are lowered where they are called, and which static variables hold resources.

use super::Lower;
use crate::hlsl::hir::{
    self, Arg, ExprId, ExprKind, FunctionId, GlobalId, GlobalKind, ParamMode, PlaceId, PlaceKind,
};

/// Which functions are lowered where they are called.
fn find(hir: &hir::Module, written: &[GlobalId]) -> Vec<bool> {
    let n = hir.functions.len();
    let (mut inlined, mut statics) = (vec![false; n], vec![false; n]);
    let any_static = !written.is_empty();
    for (i, f) in hir.functions.iter().enumerate() {
        let holds = |l: &hir::Local| hir.types.contains_resource(l.ty);
        let held: Vec<bool> = f.locals.iter().take(f.params as usize).map(holds).collect();
        let own = held.contains(&true);
        let is_object = |p: PlaceId| {
            root_local(f, p).is_some_and(|l| {
                held.get(l).copied().unwrap_or(false) && f.locals[l].mode == Some(ParamMode::Ref)
            })
        };
        let out = |l: &hir::Local| matches!(l.mode, Some(ParamMode::Out | ParamMode::InOut));
        statics[i] = any_static
            && f.places.iter().any(|p| matches!(p.kind, PlaceKind::Global(g) if written.contains(&g)));
        inlined[i] = hir.types.contains_resource(f.ret)
            || own && f.locals.iter().zip(&held).any(|(l, held)| *held && out(l));
        for e in &f.exprs {
            match &e.kind {
                ExprKind::Assign { place, .. } if own && hir.types.contains_resource(e.ty) => {
                    inlined[i] |= is_object(*place);
                }
                ExprKind::Call(callee, args) => {
                    statics[i] |= statics.get(callee.index()).copied().unwrap_or(false);
                    if own && inlined.get(callee.index()).copied().unwrap_or(false) {
                        inlined[i] |= args.iter().any(|a| match a {
                            Arg::Out { place, .. } | Arg::InOut { place, .. } | Arg::Ref(place) => {
                                is_object(*place)
                            }
                            Arg::In(_) => false,
                        });
                    }
                }
                _ => {}
            }
        }
        inlined[i] |= statics[i];
    }
    inlined
}

/// Whether a static variable may hold another resource than the one that is known when the program is compiled.
pub(super) fn is_changed(hir: &hir::Module, g: GlobalId) -> bool {
    let lies_in = |f: &hir::Function, mut p: PlaceId| loop {
        p = match &f.place(p).kind {
            PlaceKind::Global(root) => return *root == g,
            PlaceKind::Field(b, _) | PlaceKind::Index(b, _) | PlaceKind::After(_, b) => *b,
            _ => return false,
        };
    };
    let mut fixed = false;
    for (i, f) in hir.functions.iter().enumerate() {
        let is_init = hir.initializer.is_some_and(|init| init.index() == i);
        for e in &f.exprs {
            let changes = match &e.kind {
                ExprKind::Assign { place, value }
                    if is_init && matches!(f.place(*place).kind, PlaceKind::Global(root) if root == g) =>
                {
                    fixed = is_constant(hir, f, *value);
                    !fixed
                }
                ExprKind::Assign { place, .. } | ExprKind::Update { place, .. } => lies_in(f, *place),
                ExprKind::Call(_, args) => args.iter().any(|a| match a {
                    Arg::Out { place, .. } | Arg::InOut { place, .. } | Arg::Ref(place) => lies_in(f, *place),
                    Arg::In(_) => false,
                }),
                _ => false,
            };
            if changes {
                return true;
            }
        }
    }
    !fixed
}

/// Whether a value is a resource, or an element of an array at an index that is a constant.
fn is_constant(hir: &hir::Module, f: &hir::Function, value: ExprId) -> bool {
    let ExprKind::Load(mut p) = f.expr(value).kind else { return false };
    loop {
        p = match &f.place(p).kind {
            PlaceKind::Global(g) => return matches!(hir.global(*g).kind, GlobalKind::Resource(_)),
            PlaceKind::Index(b, i) if matches!(f.expr(*i).kind, ExprKind::Const(_)) => *b,
            _ => return false,
        };
    }
}

/// The local that a place lies in.
fn root_local(f: &hir::Function, mut p: PlaceId) -> Option<usize> {
    loop {
        p = match &f.place(p).kind {
            PlaceKind::Local(l) => return Some(l.index()),
            PlaceKind::Field(b, _) | PlaceKind::Index(b, _) | PlaceKind::After(_, b) => *b,
            _ => return None,
        };
    }
}

impl Lower<'_> {
    /// Finds such functions, and static variables that hold resources.
    pub(super) fn find_held(&mut self) {
        let hir = self.hir.module;
        let held =
            |g: &hir::Global| matches!(g.kind, GlobalKind::Static) && hir.types.contains_resource(g.ty);
        let all = hir.globals.iter().enumerate().filter(|(_, g)| held(g));
        self.statics = all.map(|(i, _)| GlobalId(i as u32)).collect();
        let mut written = self.statics.clone();
        written.retain(|g| is_changed(hir, *g));
        self.inlined_functions = find(hir, &written);
    }

    /// Whether a function is lowered where it is called.
    pub(super) fn is_inlined(&self, f: FunctionId) -> bool {
        self.inlined_functions.get(f.index()).copied().unwrap_or(false)
    }
}
