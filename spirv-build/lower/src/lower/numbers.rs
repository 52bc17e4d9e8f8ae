//! Numbers that variables of a function hold where it is lowered. They are followed only where variables of resources are about:
//! an index into those has to be known, and it may be computed step by step.

use super::function::Body;
use crate::hlsl::hir::{
    self, Arg, Const, ExprKind, LocalId, PlaceId, PlaceKind, Scalar, SpirvArg, Type as Hlsl,
};
use rustc_hash::FxHashMap;

/// What is known at one point, by the number of the variable.
pub(super) type Known = FxHashMap<u32, Const>;

/// The variables of a function that are followed, and what they hold.
#[derive(Default)]
pub(super) struct Numbers {
    followed: Vec<bool>,
    pub(super) now: Known,
}

/// The variable that a place is, or lies in.
fn root(f: &hir::Function, mut at: PlaceId) -> Option<LocalId> {
    loop {
        at = match f.place(at).kind {
            PlaceKind::Local(l) => return Some(l),
            PlaceKind::Index(p, _) | PlaceKind::Swizzle(p, _) | PlaceKind::Bits(p, _) => p,
            _ => return None,
        };
    }
}

/// Names each variable that an expression writes itself; `whole` if it is an assignment of all of it.
pub(super) fn written(f: &hir::Function, kind: &ExprKind, note: &mut impl FnMut(LocalId, bool)) {
    let mut part = |p: PlaceId| root(f, p).into_iter().for_each(|l| note(l, false));
    match kind {
        ExprKind::Assign { place, .. } | ExprKind::Update { place, .. } => match f.place(*place).kind {
            PlaceKind::Local(l) => note(l, true),
            _ => part(*place),
        },
        ExprKind::Call(_, args) => args.iter().for_each(|a| match a {
            Arg::Out { place, .. } | Arg::InOut { place, .. } | Arg::Ref(place) => part(*place),
            Arg::In(_) => {}
        }),
        ExprKind::Spirv(_, args) => args.iter().for_each(|a| {
            if let SpirvArg::Reference(p) = a {
                part(*p);
            }
        }),
        ExprKind::TextureLoad { status: Some(place), .. } => part(*place),
        ExprKind::Sample(s) => s.status.into_iter().for_each(part),
        _ => {}
    }
}

impl Body<'_, '_> {
    /// Makes ready to follow the variables of the function that is lowered from here on.
    pub(super) fn follow_numbers(&mut self) -> Numbers {
        let (f, types) = (self.f, self.l.types());
        let varies = |l: &hir::Local| l.written || matches!(types.get(l.ty), Hlsl::Array(..));
        if !f.locals.iter().any(|l| varies(l) && types.contains_resource(l.ty)) {
            return std::mem::take(&mut self.numbers);
        }
        let is_number = |l: &hir::Local| {
            matches!(types.get(l.ty), Hlsl::Scalar(Scalar::I32 | Scalar::U32 | Scalar::Bool))
        };
        let mut followed: Vec<bool> = f.locals.iter().map(is_number).collect();
        for e in &f.exprs {
            written(f, &e.kind, &mut |l, whole| followed[l.index()] &= whole);
        }
        std::mem::replace(&mut self.numbers, Numbers { followed, now: Known::default() })
    }

    /// Notes what a variable holds from here on.
    pub(super) fn number(&mut self, local: LocalId, value: Option<Const>) {
        if !self.numbers.followed.get(local.index()).is_some_and(|f| *f) {
            return;
        }
        match value {
            Some(c @ (Const::Int(_) | Const::Bool(_))) => self.numbers.now.insert(local.index() as u32, c),
            _ => self.numbers.now.remove(&(local.index() as u32)),
        };
    }

    /// The variable that an assignment is to, if it is followed.
    pub(super) fn followed(&self, place: PlaceId) -> Option<LocalId> {
        if self.numbers.followed.is_empty() {
            return None;
        }
        match self.f.place(place).kind {
            PlaceKind::Local(l) if self.numbers.followed[l.index()] => Some(l),
            _ => None,
        }
    }

    /// What a variable holds after an update.
    pub(super) fn updated(&self, update: &ExprKind, local: LocalId) -> Option<Const> {
        let Const::Int(now) = *self.numbers.now.get(&(local.index() as u32))? else { return None };
        self.stepped(update, local, now).map(Const::Int)
    }

    /// What is still known where these ways meet.
    pub(super) fn numbers_meet<'k>(&mut self, mut ways: impl Iterator<Item = &'k Known>) {
        let Some(first) = ways.next() else { return };
        let mut all = first.clone();
        ways.for_each(|way| all.retain(|l, c| way.get(l) == Some(c)));
        self.numbers.now = all;
    }
}
