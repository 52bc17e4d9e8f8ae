//! Local variables that hold resources: which resource each holds is followed through the program, since SPIR-V has no variables
//! for them. Where paths meet that hold different ones, the variable holds none that could be named.

use super::ErrorKind;
use super::function::{Body, CHOOSE, Local, Path};
use crate::hlsl::hir::{
    Arg, ExprId, ExprKind, FunctionId, LocalId, PlaceId, PlaceKind, StmtKind, Type as Hlsl, TypeId,
};
use crate::ir::Value;
use crate::source::Span;

/// Calls of functions that return resources.
pub const MAX_INLINED: u32 = 4096;

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
    /// Fields of a structure, elements of an array.
    Parts(Vec<Holder>),
    /// A variable of its own: a field that is no resource.
    Variable(Value),
}

/// What all such variables hold at one point.
pub(super) type Holders = Vec<(usize, Holder)>;

impl Holder {
    /// What is held where two ways meet. An index that was computed on one of them is not known behind it.
    fn meet(&self, other: &Holder, before: Option<&Holder>) -> Holder {
        match (self, other) {
            (Holder::Parts(a), Holder::Parts(b)) if a.len() == b.len() => {
                let before = |i: usize| match before {
                    Some(Holder::Parts(list)) => list.get(i),
                    _ => None,
                };
                Holder::Parts(a.iter().zip(b).enumerate().map(|(i, (a, b))| a.meet(b, before(i))).collect())
            }
            (a, b) => {
                let one = match (a, b) {
                    (Holder::Unset, x) | (x, Holder::Unset) => x,
                    (a, b) if a == b => a,
                    _ => return Holder::Conflict,
                };
                match one {
                    Holder::Resource((_, _, values)) if !values.is_empty() && before != Some(one) => {
                        Holder::Conflict
                    }
                    one => one.clone(),
                }
            }
        }
    }
}

impl<'h> Body<'_, 'h> {
    /// The holder of a variable of a type that contains resources.
    fn new_holder(&mut self, ty: TypeId) -> Holder {
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
            self.hold_in(local, &[], held);
        }
    }

    /// A place as a variable that holds resources, and the fields or elements to go into.
    fn holder_path(&self, place: PlaceId) -> Option<(LocalId, Vec<usize>)> {
        match &self.f.place(place).kind {
            PlaceKind::Local(l) => {
                matches!(self.locals[l.index()], Local::Holder(_)).then(|| (*l, Vec::new()))
            }
            PlaceKind::Field(base, n) => {
                let (l, mut path) = self.holder_path(*base)?;
                path.push(*n as usize);
                Some((l, path))
            }
            PlaceKind::Index(base, i) => {
                let (l, mut path) = self.holder_path(*base)?;
                path.push(self.known_index(*i)? as usize);
                Some((l, path))
            }
            _ => None,
        }
    }

    /// What a place holds, if it is in a variable that holds resources.
    pub(super) fn holder(&self, place: PlaceId) -> Option<&Holder> {
        let (local, path) = self.holder_path(place)?;
        let Local::Holder(whole) = &self.locals[local.index()] else { return None };
        let mut at = whole;
        for n in path {
            match at {
                Holder::Parts(list) => at = list.get(n)?,
                // A part of a field that is no resource.
                _ => return None,
            }
        }
        Some(at)
    }

    /// What an expression of a type that contains resources holds; an error if that is not known here.
    pub(super) fn held(&mut self, e: ExprId) -> Option<Holder> {
        let expr = self.f.expr(e);
        let found = match &expr.kind {
            ExprKind::Load(place) => match self.holder(*place).cloned() {
                Some(held @ (Holder::Resource(_) | Holder::Parts(_))) => Some(held),
                Some(_) => None,
                None => self.path(*place).map(Holder::Resource),
            },
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
            ExprKind::Call(callee, args) => return self.inline_call(*callee, args, expr.span),
            _ => None,
        };
        if found.is_none() {
            self.l.unsupported(expr.span, "choosing a resource at run time", CHOOSE);
        }
        found
    }

    /// A call of a function that returns a resource: its body is lowered here, up to the `return` that ends it.
    #[inline(never)]
    pub(super) fn inline_call(&mut self, callee: FunctionId, args: &'h [Arg], span: Span) -> Option<Holder> {
        self.l.inlined += 1;
        if !self.l.enter(span) || self.l.inlined > MAX_INLINED {
            self.l.leave();
            let help = "fewer calls of functions that return resources";
            self.l.error(ErrorKind::TooMany, span, "too many functions return resources", help);
            return None;
        }
        let f = self.l.hir.function(callee);
        let (mut locals, mut after) = (vec![Local::None; f.locals.len()], Vec::new());
        for (i, (param, arg)) in f.locals.iter().zip(args).enumerate() {
            locals[i] = match arg {
                Arg::In(e) if self.l.types().contains_resource(param.ty) => {
                    let mut holder = self.new_holder(param.ty);
                    if let Some(held) = self.held(*e) {
                        self.fill(&mut holder, held);
                    }
                    Local::Holder(holder)
                }
                Arg::In(e) => {
                    let value = self.expr(*e);
                    let ptr = self.variable(param.ty, &param.name);
                    self.b().store(ptr, value);
                    Local::Variable(ptr)
                }
                Arg::Out { place, copy_out } | Arg::InOut { place, copy_out, .. } => {
                    let place = self.place(*place);
                    let ptr = self.variable(param.ty, &param.name);
                    if let Arg::InOut { copy_in, .. } = arg {
                        let current = self.load(&place);
                        self.current.push(current);
                        let value = self.expr(*copy_in);
                        self.current.pop();
                        self.b().store(ptr, value);
                    }
                    after.push((place, ptr, *copy_out));
                    Local::Variable(ptr)
                }
                Arg::Ref(place) => match (self.holder(*place).cloned(), self.path(*place)) {
                    (_, Some(path)) => Local::Path(path),
                    (Some(held), None) if !param.written => Local::Holder(held),
                    _ => {
                        self.l.unsupported(span, "this object of a method that returns a resource", CHOOSE);
                        self.l.leave();
                        return None;
                    }
                },
            };
        }
        let outer = (
            std::mem::replace(&mut self.f, f),
            std::mem::replace(&mut self.locals, locals),
            std::mem::take(&mut self.breakables),
            std::mem::replace(&mut self.inlining, true),
        );
        let mut result = None;
        for stmt in &f.body.stmts {
            if let StmtKind::Return(value) = &stmt.kind {
                result = value.and_then(|e| self.held(e));
                break;
            }
            if !self.stmt(stmt) {
                break;
            }
        }
        (self.f, self.locals, self.breakables, self.inlining) = outer;
        self.span = span;
        for (place, ptr, copy_out) in after {
            let value = self.b().load(ptr);
            self.operand.push(value);
            let value = self.expr(copy_out);
            self.operand.pop();
            self.store(&place, value);
        }
        self.l.leave();
        result
    }

    /// `place = value` of a type that contains resources.
    pub(super) fn hold(&mut self, place: PlaceId, value: ExprId) {
        let Some(held) = self.held(value) else { return };
        match self.holder_path(place) {
            Some((local, path)) => self.hold_in(local, &path, held),
            None => self.l.unsupported(
                self.f.place(place).span,
                "assigning to this variable that holds a resource",
                CHOOSE,
            ),
        }
    }

    fn hold_in(&mut self, local: LocalId, path: &[usize], held: Holder) {
        let Local::Holder(mut whole) = std::mem::replace(&mut self.locals[local.index()], Local::None) else {
            return;
        };
        let mut at = Some(&mut whole);
        for n in path {
            at = match at {
                Some(Holder::Parts(list)) => list.get_mut(*n),
                _ => None,
            };
        }
        if let Some(target) = at {
            self.fill(target, held);
        }
        self.locals[local.index()] = Local::Holder(whole);
    }

    fn fill(&mut self, target: &mut Holder, held: Holder) {
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
        let all = self.locals.iter().enumerate();
        all.filter_map(|(i, l)| match l {
            Local::Holder(h) => Some((i, h.clone())),
            _ => None,
        })
        .collect()
    }

    pub(super) fn set_holders(&mut self, holders: &Holders) {
        for (i, h) in holders {
            self.locals[*i] = Local::Holder(h.clone());
        }
    }

    /// What the variables of `before` hold where several ways meet.
    pub(super) fn meet(&mut self, before: &Holders, ways: &[Holders]) {
        for (i, old) in before {
            let held = |way: &Holders| way.iter().find(|(n, _)| n == i).map(|(_, h)| h.clone());
            let mut all = ways.iter().filter_map(held);
            let Some(first) = all.next() else { continue };
            let first = first.meet(&first, Some(old));
            let now = all.fold(first, |a, b| a.meet(&b, Some(old)));
            self.locals[*i] = Local::Holder(now);
        }
    }

    /// After a loop's body: a variable may not come around with another resource than it went in with.
    pub(super) fn check_loop(&mut self, before: &Holders, around: &[Holders]) {
        for (i, old) in before {
            for way in around {
                let now = way.iter().find(|(n, _)| n == i);
                if now.is_some_and(|(_, h)| h.meet(old, Some(old)) == Holder::Conflict && h != old) {
                    let span = self.f.locals[*i].span;
                    self.l.unsupported(
                        span,
                        "a variable that holds another resource in each round of a loop",
                        CHOOSE,
                    );
                    return;
                }
            }
        }
    }
}
