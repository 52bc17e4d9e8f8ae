//! Variables that hold resources: which resource each holds is followed through the program, since SPIR-V has no variables for
//! them. Where ways meet that hold different ones, the variable holds a choice of them (see `choice.rs`).

use super::function::{Body, Bound, CHOOSE, Local, Path};
use super::numbers::Known;
use crate::hlsl::hir::{
    self, Conversion, ExprId, ExprKind, LocalId, ParamMode, PlaceId, PlaceKind, Type as Hlsl, TypeId,
};
use crate::ir::Value;
use crate::source::Span;
use std::collections::BTreeSet;

/// Elements of an array of resources that is a local variable.
const MAX_ELEMENTS: u32 = 256;

/// What a variable, or a part of one, holds.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Holder {
    /// Nothing yet.
    Unset,
    /// Different resources on different ways here.
    Conflict,
    /// A resource.
    Resource(Path),
    /// One of several, by number; a slot says at run time which.
    Choice(usize, BTreeSet<u32>),
    /// Fields of a structure, elements of an array.
    Parts(Vec<Holder>),
    /// A variable of its own: a field that is no resource.
    Variable(Value),
}

/// What all such variables hold at one point.
#[derive(Clone)]
pub(super) struct Holders {
    held: Vec<(Root, Holder)>,
    numbers: Known,
}

/// Who holds something.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Root {
    /// A local of the function that is being lowered.
    Local(usize),
    /// A static variable, by its position among those that hold resources.
    Static(usize),
    /// A result of a condition, by a number of its own.
    Temporary(u32),
    /// A place that was looked at already, while the expression around it is lowered.
    Place(PlaceId),
    /// A value that was looked at already.
    Value(ExprId),
}

impl<'h> Body<'_, 'h> {
    /// The holder of a variable of a type that contains resources.
    pub(super) fn new_holder(&mut self, ty: TypeId) -> Holder {
        if !self.l.types().contains_resource(ty) {
            return Holder::Variable(self.variable(ty, ""));
        }
        match self.l.hlsl(ty) {
            Hlsl::Struct(s) => {
                let hir = self.l.hir;
                Holder::Parts(hir.types.structure(s).fields.iter().map(|f| self.new_holder(f.ty)).collect())
            }
            Hlsl::Array(elem, n) if n <= MAX_ELEMENTS => {
                Holder::Parts((0..n).map(|_| self.new_holder(elem)).collect())
            }
            _ => Holder::Unset,
        }
    }

    /// Declares a variable of a type that contains resources.
    pub(super) fn declare_holder(&mut self, local: LocalId, init: Option<ExprId>) {
        let ty = self.f.local(local).ty;
        self.locals[local.index()] = Local::Holder(self.new_holder(ty));
        if let Some(init) = init
            && let Some(held) = self.held(init)
        {
            self.hold_in(Root::Local(local.index()), &[], held);
        }
    }

    /// A place as something that holds resources, and the fields or elements to go into.
    pub(super) fn holder_path(&self, place: PlaceId) -> Option<(Root, Vec<usize>)> {
        if !self.pinned.is_empty() && self.pinned.contains_key(&Root::Place(place)) {
            return Some((Root::Place(place), Vec::new()));
        }
        match &self.f.place(place).kind {
            PlaceKind::Local(l) => {
                let holds = matches!(self.locals[l.index()], Local::Holder(_));
                holds.then(|| (Root::Local(l.index()), Vec::new()))
            }
            PlaceKind::Global(g) if !self.l.statics.is_empty() => {
                let at = self.l.statics.iter().position(|s| s == g)?;
                Some((Root::Static(at), Vec::new()))
            }
            PlaceKind::Field(base, n) => {
                let (root, mut path) = self.holder_path(*base)?;
                path.push(*n as usize);
                Some((root, path))
            }
            PlaceKind::Index(base, i) => {
                let (root, mut path) = self.holder_path(*base)?;
                path.push(self.known_index(*i)? as usize);
                Some((root, path))
            }
            _ => None,
        }
    }

    /// What is held as a whole.
    fn whole(&self, root: Root) -> Option<&Holder> {
        match root {
            Root::Local(l) => match self.locals.get(l) {
                Some(Local::Holder(h)) => Some(h),
                _ => None,
            },
            Root::Static(n) => self.statics.get(n),
            Root::Temporary(_) => None,
            Root::Place(_) | Root::Value(_) => self.pinned.get(&root),
        }
    }

    fn whole_mut(&mut self, root: Root) -> Option<&mut Holder> {
        match root {
            Root::Local(l) => match self.locals.get_mut(l) {
                Some(Local::Holder(h)) => Some(h),
                _ => None,
            },
            Root::Static(n) => self.statics.get_mut(n),
            Root::Temporary(_) => None,
            Root::Place(_) | Root::Value(_) => self.pinned.get_mut(&root),
        }
    }

    /// The part of what is held that a path leads to.
    pub(super) fn part_held(&self, root: Root, path: &[usize]) -> Option<&Holder> {
        path.iter().try_fold(self.whole(root)?, |at, n| match at {
            Holder::Parts(list) => list.get(*n),
            // A part of a field that is no resource.
            _ => None,
        })
    }

    pub(super) fn set_part(&mut self, root: Root, path: &[usize], held: Holder) {
        let part = self.whole_mut(root).and_then(|whole| {
            path.iter().try_fold(whole, |at, n| match at {
                Holder::Parts(list) => list.get_mut(*n),
                _ => None,
            })
        });
        if let Some(part) = part {
            *part = held;
        }
    }

    /// What a place holds, if it is in a variable that holds resources.
    pub(super) fn holder(&self, place: PlaceId) -> Option<&Holder> {
        let (root, path) = self.holder_path(place)?;
        self.part_held(root, &path)
    }

    /// What a place of a type that contains resources holds, if that is known.
    pub(super) fn place_held(&mut self, place: PlaceId) -> Option<Holder> {
        let mut pins = Vec::new();
        self.pin(place, &mut pins);
        let held = match self.holder(place).cloned() {
            Some(Holder::Unset | Holder::Conflict) => None,
            Some(held) => Some(held),
            None => self.path(place).map(Holder::Resource),
        };
        for pin in pins {
            self.pinned.remove(&pin);
        }
        held
    }

    /// What an expression of a type that contains resources holds; an error if that is not known here.
    pub(super) fn held(&mut self, e: ExprId) -> Option<Holder> {
        if let Some(held) = self.pinned.get(&Root::Value(e)) {
            return Some(held.clone());
        }
        let expr = self.f.expr(e);
        let errors = self.l.errors.len();
        let found = match &expr.kind {
            ExprKind::Load(place) if self.holder(*place) == Some(&Holder::Unset) => {
                self.l.unsupported(
                    expr.span,
                    "a variable that no resource was assigned to",
                    super::function::ASSIGN,
                );
                None
            }
            ExprKind::Load(place) => self.place_held(*place),
            ExprKind::Ternary { cond, then, otherwise } => self.either_held(*cond, *then, *otherwise, e),
            ExprKind::Sequence(list) => match list.split_last() {
                Some((last, before)) => {
                    before.iter().for_each(|e| self.effect(*e));
                    self.held(*last)
                }
                None => None,
            },
            ExprKind::Assign { place, value } => {
                self.hold(*place, *value);
                self.holder(*place).cloned()
            }
            ExprKind::Convert(Conversion::ToBase, a) => self.held_part(*a, 0),
            ExprKind::Extract(a, n) => self.held_part(*a, *n as usize),
            ExprKind::Construct(parts) => {
                let mut list = Vec::new();
                for p in parts {
                    list.push(if self.l.types().contains_resource(self.f.expr(*p).ty) {
                        self.held(*p)?
                    } else {
                        let value = self.expr(*p);
                        let ptr = self.variable(self.f.expr(*p).ty, "");
                        self.b().store(ptr, value);
                        Holder::Variable(ptr)
                    });
                }
                Some(Holder::Parts(list))
            }
            ExprKind::Call(callee, args) => {
                let held = self.inline_call(*callee, args, expr.span);
                if held.is_none() {
                    let what = "a function that returns no resource on some way";
                    self.unheld(errors, expr.span, what);
                }
                return held;
            }
            _ => None,
        };
        if found.is_none() && self.l.errors.len() == errors {
            self.l.unsupported(expr.span, "choosing a resource at run time", CHOOSE);
        }
        found
    }

    /// How a function takes what a variable holds, and the values that it takes for it. What is no resource is passed by
    /// `address` or by value.
    pub(super) fn bind_held(&mut self, held: &Holder, address: bool, values: &mut Vec<Value>) -> Bound {
        match held {
            Holder::Resource((g, steps, indices)) => {
                values.extend(indices);
                Bound::Path(*g, steps.clone())
            }
            Holder::Parts(list) => {
                Bound::Parts(list.iter().map(|h| self.bind_held(h, address, values)).collect())
            }
            Holder::Variable(ptr) if address => {
                values.push(*ptr);
                Bound::Pointer
            }
            Holder::Variable(ptr) => {
                let value = self.b().load(*ptr);
                values.push(value);
                Bound::Value
            }
            Holder::Unset | Holder::Conflict | Holder::Choice(..) => Bound::Nothing,
        }
    }

    /// A part of a value.
    fn held_part(&mut self, e: ExprId, n: usize) -> Option<Holder> {
        match self.held(e)? {
            Holder::Parts(mut list) if n < list.len() => Some(list.swap_remove(n)),
            _ => None,
        }
    }

    /// Tells that what is wanted is not known, unless that was told since there were so many errors.
    fn unheld(&mut self, errors: usize, span: Span, what: &str) {
        if self.l.errors.len() == errors {
            self.l.unsupported(span, what, CHOOSE);
        }
    }

    /// What a parameter that is bound so holds.
    pub(super) fn bound_holder(
        &mut self,
        ty: TypeId,
        bound: &Bound,
        params: &mut impl Iterator<Item = Value>,
    ) -> Holder {
        match bound {
            Bound::Path(g, steps) => {
                let n = steps.iter().filter(|s| s.takes_value()).count();
                Holder::Resource((*g, steps.clone(), params.by_ref().take(n).collect()))
            }
            Bound::Parts(list) => Holder::Parts(
                list.iter()
                    .enumerate()
                    .map(|(i, b)| {
                        let inner = self.l.part_type(ty, i);
                        self.bound_holder(inner, b, params)
                    })
                    .collect(),
            ),
            Bound::Nothing => Holder::Unset,
            Bound::Pointer => params.next().map_or(Holder::Unset, Holder::Variable),
            Bound::Value => {
                let Some(value) = params.next() else { return Holder::Unset };
                let ptr = self.variable(ty, "");
                self.b().store(ptr, value);
                Holder::Variable(ptr)
            }
        }
    }

    /// `place = value` of a type that contains resources.
    pub(super) fn hold(&mut self, place: PlaceId, value: ExprId) {
        let Some(held) = self.held(value) else { return };
        self.put(place, held);
    }

    /// Gives a place something to hold.
    pub(super) fn put(&mut self, place: PlaceId, held: Holder) {
        let span = self.f.place(place).span;
        match self.holder_path(place) {
            // The caller's variable would not know.
            Some((Root::Local(local), _))
                if !self.inlining && self.f.locals[local].mode.is_some_and(|m| m != ParamMode::In) =>
            {
                let what = "assigning a resource to the object of a method or an `out` parameter";
                self.l.unsupported(span, what, CHOOSE);
            }
            Some((root, path)) => self.hold_in(root, &path, held),
            // A resource that an `inout` parameter was given, and that comes back.
            None if self.place_held(place).as_ref() == Some(&held) => {}
            None => self.l.unsupported(span, "assigning to this variable that holds a resource", CHOOSE),
        }
    }

    pub(super) fn hold_in(&mut self, root: Root, path: &[usize], held: Holder) {
        let changes = match root {
            Root::Local(l) => self.f.locals[l].written,
            _ => true,
        };
        // A variable that is given nothing else needs no slot, but for a choice, which another variable's slot has.
        let held = match changes || held.chooses() {
            true => self.keep(root, &mut path.to_vec(), held),
            false => held,
        };
        let Some(mut target) = self.part_held(root, path).cloned() else { return };
        self.fill(&mut target, held);
        self.set_part(root, path, target);
    }

    pub(super) fn fill(&mut self, target: &mut Holder, held: Holder) {
        match (target, held) {
            (Holder::Parts(targets), Holder::Parts(list)) => {
                targets.iter_mut().zip(list).for_each(|(t, h)| self.fill(t, h));
            }
            (Holder::Variable(to), Holder::Variable(from)) => {
                let value = self.b().load(from);
                self.b().store(*to, value);
            }
            (target, held) => *target = held,
        }
    }

    /// What all variables hold now.
    pub(super) fn holders(&self) -> Holders {
        let locals = self.holding.iter().filter_map(|&i| match &self.locals[i] {
            Local::Holder(h) => Some((Root::Local(i), h.clone())),
            _ => None,
        });
        let statics = self.statics.iter().enumerate().map(|(i, h)| (Root::Static(i), h.clone()));
        Holders { held: locals.chain(statics).collect(), numbers: self.numbers.now.clone() }
    }

    pub(super) fn set_holders(&mut self, holders: &Holders) {
        self.numbers.now.clone_from(&holders.numbers);
        for (root, h) in &holders.held {
            self.set_holder(*root, h.clone());
        }
    }

    fn set_holder(&mut self, root: Root, h: Holder) {
        match root {
            Root::Local(i) => self.locals[i] = Local::Holder(h),
            root => self.set_part(root, &[], h),
        }
    }

    /// What the variables of `before` hold where several ways meet.
    pub(super) fn meet(&mut self, before: &Holders, ways: &[Holders]) {
        for (root, old) in &before.held {
            let held = |way: &Holders| way.held.iter().find(|(n, _)| n == root).map(|(_, h)| h.clone());
            let all: Vec<Holder> = ways.iter().filter_map(held).collect();
            if !all.is_empty() {
                let now = self.met(*root, all, old);
                self.set_holder(*root, now);
            }
        }
        self.numbers_meet(ways.iter().map(|w| &w.numbers));
    }

    /// What something holds where ways meet that hold these. An index that was computed on one of them is not known behind it.
    pub(super) fn met(&mut self, root: Root, all: Vec<Holder>, before: &Holder) -> Holder {
        let mut all = all.into_iter();
        let Some(first) = all.next() else { return Holder::Unset };
        let mut path = Vec::new();
        let first = self.meet_two(root, &mut path, (&first, &first), before);
        all.fold(first, |a, b| self.meet_two(root, &mut path, (&a, &b), before))
    }

    fn meet_two(
        &mut self,
        root: Root,
        path: &mut Vec<usize>,
        (a, b): (&Holder, &Holder),
        before: &Holder,
    ) -> Holder {
        let one = match (a, b) {
            (Holder::Parts(a), Holder::Parts(b)) if a.len() == b.len() => {
                let mut list = Vec::new();
                for (i, (a, b)) in a.iter().zip(b).enumerate() {
                    let before = match before {
                        Holder::Parts(list) => list.get(i).unwrap_or(&Holder::Unset),
                        _ => &Holder::Unset,
                    };
                    path.push(i);
                    list.push(self.meet_two(root, path, (a, b), before));
                    path.pop();
                }
                return Holder::Parts(list);
            }
            (Holder::Unset, x) | (x, Holder::Unset) => x,
            (a, b) if a == b => a,
            _ => return self.chosen(root, path, &[a, b]),
        };
        match one {
            Holder::Resource((_, _, values)) if !values.is_empty() && before != one => {
                self.chosen(root, path, &[one])
            }
            one => one.clone(),
        }
    }

    /// One of these, all of which the slot of a variable was given.
    fn chosen(&mut self, root: Root, path: &[usize], all: &[&Holder]) -> Holder {
        let Some(slot) = self.known_slot(root, path) else { return Holder::Conflict };
        let mut candidates = BTreeSet::new();
        for held in all {
            match held {
                Holder::Resource((g, steps, _)) => {
                    candidates.insert(self.candidate(*g, steps));
                }
                Holder::Choice(at, list) if *at == slot => candidates.extend(list),
                _ => return Holder::Conflict,
            }
        }
        Holder::Choice(slot, candidates)
    }

    /// Before a loop: what comes around from its end is in the choice, as far as that was seen when the function was lowered
    /// before.
    pub(super) fn widen_for_loop(&mut self, l: &hir::Loop) {
        if self.l.around.is_empty() {
            return;
        }
        let at = std::ptr::from_ref(l).addr();
        let all = self.l.around.iter().filter(|((of, ..), _)| *of == at);
        let all: Vec<_> = all.map(|((_, root, path), list)| (*root, path.clone(), list.clone())).collect();
        for (root, path, around) in all {
            let Some(old) = self.part_held(root, &path).cloned() else { continue };
            if let Holder::Choice(slot, mut list) = self.chosen(root, &path, &[&old]) {
                list.extend(around);
                self.set_part(root, &path, Holder::Choice(slot, list));
            }
        }
    }

    /// After a loop's body: what comes around has to be among what went in. If not, the function is lowered once more.
    pub(super) fn check_loop(&mut self, l: &hir::Loop, before: &Holders, around: &[Holders]) {
        for (root, old) in &before.held {
            for way in around {
                if let Some((_, now)) = way.held.iter().find(|(n, _)| n == root) {
                    self.check_around(l, *root, &mut Vec::new(), (old, now));
                }
            }
        }
    }

    fn check_around(
        &mut self,
        l: &hir::Loop,
        root: Root,
        path: &mut Vec<usize>,
        (old, now): (&Holder, &Holder),
    ) {
        if let (Holder::Parts(a), Holder::Parts(b)) = (old, now) {
            for (i, two) in a.iter().zip(b).enumerate() {
                path.push(i);
                self.check_around(l, root, path, two);
                path.pop();
            }
            return;
        }
        if old == now || matches!(old, Holder::Unset | Holder::Variable(_)) {
            return;
        }
        let Holder::Choice(_, list) = self.chosen(root, path, &[old, now]) else {
            let span = match root {
                Root::Local(i) => self.f.locals[i].span,
                _ => self.span,
            };
            self.l.unsupported(
                span,
                "a variable that holds another resource in each round of a loop",
                CHOOSE,
            );
            return;
        };
        if matches!(old, Holder::Choice(_, had) if had.is_superset(&list)) {
            return;
        }
        let key = (std::ptr::from_ref(l).addr(), root, path.clone());
        let known = self.l.around.entry(key).or_default();
        let before = known.len();
        known.extend(list);
        self.l.again |= known.len() > before;
    }
}
