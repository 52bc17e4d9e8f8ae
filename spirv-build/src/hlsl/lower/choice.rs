//! Choices of resources that are made at run time.
//!
//! A variable that may hold one of several resources has a [`Slot`]: variables that say which of them it is, by a number that is the
//! same in all of the program, and the indices to find it with. An expression that uses such a resource is lowered once for each of
//! them ([`Body::split`]), in the branch of a switch in which the variable holds just that one.

use super::ErrorKind;
use super::function::{Body, Path, Step};
use super::holder::{Holder, Root};
use crate::hlsl::hir::{
    Arg, Dim, ExprId, ExprKind, GlobalId, PlaceId, PlaceKind, Resource, SpirvArg, Type as Hlsl, TypeId,
};
use crate::ir::{Op, Opcode, Value};
use crate::passes::flatten::Flatten;
use std::collections::BTreeSet;

/// Resources that one variable may hold.
const MAX_CANDIDATES: usize = 64;
/// Branches of all choices of a program.
const MAX_BRANCHES: usize = 4096;

/// A resource that is chosen by its number: a global, and the way to an element of it.
pub(super) type Candidate = (GlobalId, Vec<Step>);

/// Where a choice is kept at run time.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    /// Pointer to the number of the candidate.
    which: Value,
    /// Pointers to the indices, in the order of its steps.
    indices: Vec<Value>,
}

/// A choice in an expression: who holds it, the part of that, its slot, and what it may be.
struct Found {
    root: Root,
    path: Vec<usize>,
    slot: usize,
    candidates: BTreeSet<u32>,
}

/// The first choice in what is held.
fn first_choice(held: &Holder, path: &mut Vec<usize>) -> Option<(usize, BTreeSet<u32>)> {
    match held {
        Holder::Choice(slot, all) => Some((*slot, all.clone())),
        Holder::Parts(list) => list.iter().enumerate().find_map(|(i, h)| {
            path.push(i);
            let found = first_choice(h, path);
            if found.is_none() {
                path.pop();
            }
            found
        }),
        _ => None,
    }
}

impl Holder {
    /// Whether a choice is in it.
    pub(super) fn chooses(&self) -> bool {
        match self {
            Holder::Choice(..) => true,
            Holder::Parts(list) => list.iter().any(Holder::chooses),
            _ => false,
        }
    }
}

impl<'h> Body<'_, 'h> {
    /// The number of a resource.
    pub(super) fn candidate(&mut self, g: GlobalId, steps: &[Step]) -> u32 {
        let list = &mut self.l.candidates;
        let known = list.iter().position(|c| c.0 == g && c.1 == steps);
        let at = known.unwrap_or_else(|| {
            list.push((g, steps.to_vec()));
            list.len() - 1
        });
        at as u32
    }

    fn slot(&mut self, root: Root, path: &[usize]) -> usize {
        let key = (self.frame_of(root), root, path.to_vec());
        if let Some(at) = self.slot_of.get(&key) {
            return *at;
        }
        let which = self.uint_variable();
        self.slots.push(Slot { which, indices: Vec::new() });
        self.slot_of.insert(key, self.slots.len() - 1);
        self.slots.len() - 1
    }

    /// Variables of a call are others than those of the next; static ones are not.
    fn frame_of(&self, root: Root) -> u32 {
        if matches!(root, Root::Static(_)) { 0 } else { self.frame }
    }

    /// The slot of a variable or a part of one, if it has been given anything.
    pub(super) fn known_slot(&self, root: Root, path: &[usize]) -> Option<usize> {
        self.slot_of.get(&(self.frame_of(root), root, path.to_vec())).copied()
    }

    fn uint_variable(&mut self) -> Value {
        let uint = self.l.out.ctx.types.u32();
        self.b().variable(uint, None)
    }

    fn index_of_slot(&mut self, slot: usize, n: usize) -> Value {
        while self.slots[slot].indices.len() <= n {
            let v = self.uint_variable();
            self.slots[slot].indices.push(v);
        }
        self.slots[slot].indices[n]
    }

    /// Notes at run time what a variable is given, so that it can be told where ways meet. The result is what it holds then.
    pub(super) fn keep(&mut self, root: Root, path: &mut Vec<usize>, held: Holder) -> Holder {
        match held {
            Holder::Resource((g, steps, values)) => {
                let slot = self.slot(root, path);
                let id = self.candidate(g, &steps);
                let which = self.slots[slot].which;
                let id = self.b().u32(id);
                self.b().store(which, id);
                for (n, value) in values.iter().enumerate() {
                    let ptr = self.index_of_slot(slot, n);
                    self.b().store(ptr, *value);
                }
                Holder::Resource((g, steps, values))
            }
            Holder::Choice(from, all) => {
                let to = self.slot(root, path);
                if from != to {
                    let (which, of) = (self.slots[to].which, self.slots[from].which);
                    let value = self.b().load(of);
                    self.b().store(which, value);
                    for n in 0..self.indices_of(&all) {
                        let (from, to) = (self.index_of_slot(from, n), self.index_of_slot(to, n));
                        let value = self.b().load(from);
                        self.b().store(to, value);
                    }
                }
                Holder::Choice(to, all)
            }
            Holder::Parts(list) => Holder::Parts(
                list.into_iter()
                    .enumerate()
                    .map(|(i, h)| {
                        path.push(i);
                        let kept = self.keep(root, path, h);
                        path.pop();
                        kept
                    })
                    .collect(),
            ),
            other => other,
        }
    }

    /// Most indices that one of these takes.
    fn indices_of(&self, all: &BTreeSet<u32>) -> usize {
        let values = |c: &Candidate| c.1.iter().filter(|s| s.takes_value()).count();
        all.iter().map(|c| values(&self.l.candidates[*c as usize])).max().unwrap_or(0)
    }

    /// A root of its own, for what no variable of the source holds.
    pub(super) fn new_root(&mut self) -> Root {
        self.l.temporaries += 1;
        Root::Temporary(self.l.temporaries)
    }

    /// What is held after one of several ways, each in a block of its own whose end is still open. Their values are put into
    /// `root`, and variables are made as `template` has them.
    pub(super) fn keep_in(&mut self, root: Root, template: &Holder, held: Holder) -> Holder {
        let mut own = template.clone();
        let held = self.keep(root, &mut Vec::new(), held);
        self.fill(&mut own, held);
        own
    }

    /// Lowers an expression once for each resource that is chosen in it, if there is such a choice.
    #[inline(never)]
    pub(super) fn split(&mut self, id: ExprId) -> Option<Option<Value>> {
        let f = self.f;
        let e = f.expr(id);
        if self.l.types().contains_resource(e.ty) {
            return None;
        }
        let mut pins = Vec::new();
        let found = self.choice_in(&e.kind, &mut pins);
        let result = match found {
            Some(found) => Some(self.branches(id, found)),
            None if pins.is_empty() => None,
            None => {
                self.span = e.span;
                Some(self.eval_kind(&e.kind, e.ty))
            }
        };
        for pin in pins {
            self.pinned.remove(&pin);
        }
        result
    }

    fn choice_in(&mut self, kind: &'h ExprKind, pins: &mut Vec<Root>) -> Option<Found> {
        match kind {
            ExprKind::Load(p)
            | ExprKind::Assign { place: p, .. }
            | ExprKind::Update { place: p, .. }
            | ExprKind::Atomic { place: p, .. }
            | ExprKind::Counter { resource: p, .. }
            | ExprKind::Query { resource: p, .. }
            | ExprKind::TextureLoad { resource: p, .. } => self.choice_at(*p, pins),
            ExprKind::Sample(s) => {
                self.choice_at(s.texture, pins).or_else(|| self.choice_at(s.sampler?, pins))
            }
            ExprKind::Call(callee, args) if !self.l.is_inlined(*callee) => {
                args.iter().find_map(|a| match a {
                    Arg::In(e) => self.choice_of(*e, pins),
                    Arg::Out { place, .. } | Arg::InOut { place, .. } | Arg::Ref(place) => {
                        self.choice_at(*place, pins)
                    }
                })
            }
            ExprKind::Spirv(_, args) => args.iter().find_map(|a| match a {
                SpirvArg::Value(e) => self.choice_of(*e, pins),
                SpirvArg::Reference(p) => self.choice_at(*p, pins),
                _ => None,
            }),
            _ => None,
        }
    }

    /// The choice in an argument.
    fn choice_of(&mut self, e: ExprId, pins: &mut Vec<Root>) -> Option<Found> {
        let expr = self.f.expr(e);
        if !self.l.types().contains_resource(expr.ty) {
            return None;
        }
        if let ExprKind::Load(place) = expr.kind {
            return self.choice_at(place, pins);
        }
        let root = Root::Value(e);
        if !self.pinned.contains_key(&root) {
            let held = self.held(e)?;
            self.pinned.insert(root, held);
            pins.push(root);
        }
        self.choice_under(root, Vec::new())
    }

    /// The choice that a place names or lies in.
    fn choice_at(&mut self, place: PlaceId, pins: &mut Vec<Root>) -> Option<Found> {
        let mut at = place;
        loop {
            let data = self.f.place(at);
            if self.l.types().contains_resource(data.ty) {
                self.pin(at, pins);
                if let Some((root, path)) = self.holder_path(at)
                    && let Some(found) = self.choice_under(root, path)
                {
                    return Some(found);
                }
            }
            at = match &data.kind {
                PlaceKind::Field(p, _)
                | PlaceKind::Index(p, _)
                | PlaceKind::Swizzle(p, _)
                | PlaceKind::MatrixSwizzle(p, _)
                | PlaceKind::Block(p)
                | PlaceKind::Bits(p, _)
                | PlaceKind::After(_, p)
                | PlaceKind::BufferElement { resource: p, .. }
                | PlaceKind::ByteElement { resource: p, .. }
                | PlaceKind::Texel { resource: p, .. } => *p,
                _ => return None,
            };
        }
    }

    /// Looks at what a place holds whose index is known at run time only, or that is a value, so that it need not be done again.
    pub(super) fn pin(&mut self, place: PlaceId, pins: &mut Vec<Root>) {
        let root = Root::Place(place);
        if self.pinned.contains_key(&root) {
            return;
        }
        let held = match &self.f.place(place).kind {
            PlaceKind::Temp(e) => self.held(*e),
            PlaceKind::Field(base, _) => return self.pin(*base, pins),
            PlaceKind::Index(base, index) => {
                self.pin(*base, pins);
                if self.known_index(*index).is_some() {
                    return;
                }
                if let Some(all) = self.flattened(*base) {
                    self.pinned.insert(Root::Place(*base), all);
                    pins.push(Root::Place(*base));
                }
                match self.holder(*base) {
                    Some(Holder::Parts(_)) => self.element_held(*base, *index),
                    _ => return,
                }
            }
            _ => return,
        };
        if let Some(held) = held {
            self.pinned.insert(root, held);
            pins.push(root);
        }
    }

    /// The elements of an array whose elements are resources of their own in the end.
    fn flattened(&mut self, place: PlaceId) -> Option<Holder> {
        let ty = self.f.place(place).ty;
        let (opaque, texels) = match self.l.types().resource(ty) {
            Some(Resource::Texture { shape, .. }) => (true, shape.dim == Dim::Buffer),
            Some(Resource::Sampler { .. }) => (true, false),
            _ => (false, false),
        };
        if self.l.options.flatten == Flatten::Nothing || !opaque || self.holder(place).is_some() {
            return None;
        }
        // Arrays of texel buffers in structures stay whole.
        if self.l.options.flatten == Flatten::Members && texels {
            return None;
        }
        let path = self.path(place)?;
        if !self.l.options.flatten.takes(&self.l.hir.global(path.0).name) {
            return None;
        }
        self.all_elements(&path, ty)
    }

    fn all_elements(&mut self, path: &Path, ty: TypeId) -> Option<Holder> {
        match self.l.hlsl(ty) {
            Hlsl::Array(elem, n) => {
                if !self.count_branches(n as usize) {
                    return None;
                }
                let list = (0..n).map(|n| {
                    let mut path = path.clone();
                    path.1.push(Step::Index(n));
                    self.all_elements(&path, elem)
                });
                list.collect::<Option<Vec<_>>>().map(Holder::Parts)
            }
            Hlsl::UnsizedArray(_) => None,
            _ => Some(Holder::Resource(path.clone())),
        }
    }

    fn choice_under(&self, root: Root, mut path: Vec<usize>) -> Option<Found> {
        let held = self.part_held(root, &path)?;
        let (slot, candidates) = first_choice(held, &mut path)?;
        Some(Found { root, path, slot, candidates })
    }

    /// An element, at an index that is known at run time only, of an array that a variable holds.
    pub(super) fn element_held(&mut self, base: PlaceId, index: ExprId) -> Option<Holder> {
        let Some(Holder::Parts(list)) = self.holder(base).cloned() else { return None };
        let span = self.f.place(base).span;
        let (Hlsl::Array(elem, _) | Hlsl::UnsizedArray(elem)) = self.l.hlsl(self.f.place(base).ty) else {
            return None;
        };
        let value = self.expr(index);
        let value = self.as_uint(value);
        self.span = span;
        let root = self.new_root();
        let template = self.new_holder(elem);
        let labels: Vec<(u64, u32)> = (1..list.len()).map(|i| (i as u64, i as u32)).collect();
        if !self.count_branches(list.len()) {
            return None;
        }
        let (_, blocks) = self.b().switch(value, &labels, list.len() - 1, &[]);
        let after = self.block;
        let mut all = Vec::new();
        for (block, held) in blocks.into_iter().zip(list) {
            self.block = block;
            all.push(self.keep_in(root, &template, held));
            self.b().push(Opcode::Merge, &[]);
        }
        self.block = after;
        Some(self.met(root, all, &Holder::Unset))
    }

    /// One of two, by a condition.
    pub(super) fn either_held(
        &mut self,
        cond: ExprId,
        then: ExprId,
        otherwise: ExprId,
        whole: ExprId,
    ) -> Option<Holder> {
        if let Some(yes) = self.known_condition(cond) {
            return self.held(if yes { then } else { otherwise });
        }
        let span = self.f.expr(whole).span;
        let root = self.new_root();
        let template = self.new_holder(self.f.expr(whole).ty);
        let cond = self.expr(cond);
        self.span = span;
        if !self.count_branches(2) {
            return None;
        }
        let (_, then_block, else_block) = self.b().selection(cond, &[]);
        let after = self.block;
        let mut all = Vec::new();
        let (before, mut ways) = (self.numbers.now.clone(), Vec::new());
        for (block, e) in [(then_block, then), (else_block, otherwise)] {
            self.block = block;
            self.numbers.now.clone_from(&before);
            let held = self.held(e);
            ways.push(std::mem::take(&mut self.numbers.now));
            self.span = span;
            if let Some(held) = held {
                all.push(self.keep_in(root, &template, held));
            }
            self.b().push(Opcode::Merge, &[]);
        }
        self.numbers_meet(ways.iter());
        self.block = after;
        (all.len() == 2).then(|| self.met(root, all, &Holder::Unset))
    }

    /// Whether so many more branches are within the limits.
    pub(super) fn count_branches(&mut self, n: usize) -> bool {
        self.l.branches += n;
        let fits = self.l.branches <= MAX_BRANCHES && n <= MAX_CANDIDATES;
        if !fits {
            let help = "choose between fewer resources, or use an array of them with an index";
            self.l.error(
                ErrorKind::TooMany,
                self.span,
                "too many resources to choose from at run time",
                help,
            );
        }
        fits
    }

    /// Whether these may be chosen from at run time: elements of one array may.
    fn may_choose(&mut self, list: &[u32]) -> bool {
        let mut globals: Vec<GlobalId> = list.iter().map(|c| self.l.candidates[*c as usize].0).collect();
        globals.sort_unstable_by_key(|g| g.index());
        globals.dedup();
        let module = self.l.hir.module;
        let names = globals.iter().map(|g| module.globals[g.index()].name.as_str());
        // Parts of one variable: of a structure that holds resources, or an array of such.
        let mut wholes = names.clone().map(|n| n.split_once('.').map(|n| n.0));
        let first = wholes.next().flatten();
        let one_variable = first.is_some() && wholes.all(|w| w == first);
        if module.select_resources || globals.len() <= 1 || one_variable {
            return true;
        }
        let names: Vec<String> = names.map(|n| format!("`{n}`")).collect();
        let message = format!("the resource is chosen at run time from {}", names.join(", "));
        let help = "choose between what is read or written, or between elements of one array; \
                    `-fselect-resources` makes each use a choice";
        self.l.error(ErrorKind::Choice, self.span, message, help);
        false
    }

    /// Lowers an expression for each of the resources that may be meant.
    fn branches(&mut self, id: ExprId, found: Found) -> Option<Value> {
        let e = self.f.expr(id);
        self.span = e.span;
        let Found { root, path, slot, candidates } = found;
        let list: Vec<u32> = candidates.iter().copied().collect();
        let void = self.l.hlsl(e.ty) == Hlsl::Void;
        if !self.may_choose(&list) || !self.count_branches(list.len()) {
            return (!void).then(|| self.undef(e.ty));
        }
        let whole = Holder::Choice(slot, candidates);
        if let [only] = list[..] {
            return self.with_candidate(id, (root, &path), slot, only, &whole);
        }
        let results: Vec<_> = (!void).then(|| self.l.value_type(e.ty)).into_iter().collect();
        let which = self.slots[slot].which;
        let which = self.b().load(which);
        let (inst, blocks) = match list[..] {
            [_, second] => {
                let bool_type = self.l.out.ctx.types.bool();
                let second = self.b().u32(second);
                let is_second = self.op(Op::IEqual, bool_type, &[which, second]);
                let (inst, then, els) = self.b().selection(is_second, &results);
                (inst, vec![els, then])
            }
            _ => {
                let labels: Vec<(u64, u32)> =
                    (1..list.len()).map(|i| (u64::from(list[i]), i as u32)).collect();
                self.b().switch(which, &labels, list.len() - 1, &results)
            }
        };
        let after = self.block;
        let before = self.holders();
        let mut ways = Vec::new();
        for (block, one) in blocks.into_iter().zip(list) {
            self.block = block;
            self.set_holders(&before);
            let v = self.with_candidate(id, (root, &path), slot, one, &whole);
            self.span = e.span;
            let passed: Vec<Value> = match (void, v) {
                (true, _) => Vec::new(),
                (false, Some(v)) => vec![v],
                (false, None) => vec![self.undef(e.ty)],
            };
            self.b().terminate(Opcode::Merge, &passed);
            ways.push(self.holders());
        }
        self.meet(&before, &ways);
        self.block = after;
        self.func.insts[inst].results.first().copied()
    }

    /// Lowers an expression with one resource in the place of a choice.
    fn with_candidate(
        &mut self,
        id: ExprId,
        (root, path): (Root, &[usize]),
        slot: usize,
        one: u32,
        whole: &Holder,
    ) -> Option<Value> {
        let (g, steps) = self.l.candidates.get(one as usize).cloned()?;
        let n = steps.iter().filter(|s| s.takes_value()).count();
        let mut values = Vec::new();
        for i in 0..n {
            let ptr = self.index_of_slot(slot, i);
            values.push(self.b().load(ptr));
        }
        let resource: Path = (g, steps, values);
        let pinned = Holder::Resource(resource);
        self.set_part(root, path, pinned.clone());
        let v = self.eval(id);
        if self.part_held(root, path) == Some(&pinned) {
            self.set_part(root, path, whole.clone());
        }
        v
    }
}
