//! Local variables that hold resources: which resource each holds is followed through the program, since SPIR-V has no variables
//! for them. Where paths meet that hold different ones, the variable holds none that could be named.

use super::ErrorKind;
use super::function::{Body, Bound, CHOOSE, Local, Path};
use crate::hlsl::hir::{
    Arg, BinaryOp, Const, Conversion, ExprId, ExprKind, FunctionId, LocalId, ParamMode, PlaceId, PlaceKind,
    Scalar, Stmt, StmtKind, Type as Hlsl, TypeId, UnaryOp,
};
use crate::ir::Value;
use crate::source::Span;
use rustc_hash::FxHashMap;

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

/// How statements that are lowered in place end.
enum Inlined {
    /// With a `return` of this.
    Returned(Option<Holder>),
    /// Their end is reached.
    GoesOn,
    /// It is not.
    Ended,
}

/// How deeply conditions are looked into.
const MAX_KNOWN_DEPTH: usize = 32;

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
            Holder::Unset | Holder::Conflict => Bound::Nothing,
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
        let mut known = FxHashMap::default();
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
                    if let (Some(c), false) = (self.known_value(*e, 0), param.written) {
                        known.insert(i as u32, c);
                    }
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
        let precision = self.l.precision(f);
        let outer = (
            std::mem::replace(&mut self.f, f),
            std::mem::replace(&mut self.locals, locals),
            std::mem::take(&mut self.breakables),
            std::mem::replace(&mut self.inlining, true),
            std::mem::replace(&mut self.known, known),
            std::mem::replace(&mut self.precision, precision),
        );
        let result = match self.inline_stmts(&f.body.stmts) {
            Inlined::Returned(held) => held,
            _ => None,
        };
        (self.f, self.locals, self.breakables, self.inlining, self.known, self.precision) = outer;
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

    /// Statements of a function that is lowered in place, up to the `return` that ends it. Conditions that are known choose
    /// which statements there are; elsewhere than in those an early `return` cannot be followed.
    fn inline_stmts(&mut self, stmts: &'h [Stmt]) -> Inlined {
        for (i, stmt) in stmts.iter().enumerate() {
            let before = i.checked_sub(1).map(|i| &stmts[i]);
            if let Some(goes_on) = self.unrolled(before, stmt) {
                match goes_on {
                    true => continue,
                    false => return Inlined::Ended,
                }
            }
            let inlined = match &stmt.kind {
                StmtKind::Return(value) => {
                    self.span = stmt.span;
                    return Inlined::Returned(value.and_then(|e| self.held(e)));
                }
                StmtKind::Block(block) => self.inline_stmts(&block.stmts),
                StmtKind::If { cond, then, otherwise, .. } => match self.known_condition(*cond) {
                    Some(true) => self.inline_stmts(&then.stmts),
                    Some(false) => match otherwise {
                        Some(block) => self.inline_stmts(&block.stmts),
                        None => Inlined::GoesOn,
                    },
                    None if self.stmt(stmt) => Inlined::GoesOn,
                    None => Inlined::Ended,
                },
                _ if self.stmt(stmt) => Inlined::GoesOn,
                _ => Inlined::Ended,
            };
            if !matches!(inlined, Inlined::GoesOn) {
                return inlined;
            }
        }
        Inlined::GoesOn
    }

    /// Whether a condition is true, if that is known here: constants and parameters that were given constants.
    pub(super) fn known_condition(&self, e: ExprId) -> Option<bool> {
        match self.known_value(e, 0)? {
            Const::Bool(b) => Some(b),
            Const::Int(n) => Some(n != 0),
            _ => None,
        }
    }

    pub(super) fn known_value(&self, e: ExprId, depth: usize) -> Option<Const> {
        let expr = self.f.expr(e);
        if depth > MAX_KNOWN_DEPTH {
            return None;
        }
        let int = |e: ExprId| match self.known_value(e, depth + 1)? {
            Const::Int(n) => Some(n),
            Const::Bool(b) => Some(i64::from(b)),
            _ => None,
        };
        match &expr.kind {
            ExprKind::Const(c) => Some(c.clone()),
            ExprKind::Load(place) => match &self.f.place(*place).kind {
                PlaceKind::Local(l) => self.known.get(&(l.index() as u32)).cloned(),
                _ => None,
            },
            ExprKind::Convert(Conversion::Cast, a) => {
                let n = int(*a)?;
                match self.l.types().component(expr.ty)? {
                    Scalar::Bool => Some(Const::Bool(n != 0)),
                    Scalar::I32 => Some(Const::Int(i64::from(n as i32))),
                    Scalar::U32 => Some(Const::Int(i64::from(n as u32))),
                    _ => None,
                }
            }
            ExprKind::Unary(UnaryOp::Not, a) => Some(Const::Bool(int(*a)? == 0)),
            ExprKind::ShortCircuit { and, lhs, rhs } => {
                let a = int(*lhs)? != 0;
                Some(Const::Bool(if a == *and { int(*rhs)? != 0 } else { a }))
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (int(*a)?, int(*b)?);
                Some(match op {
                    BinaryOp::Lt => Const::Bool(a < b),
                    BinaryOp::Le => Const::Bool(a <= b),
                    BinaryOp::Gt => Const::Bool(a > b),
                    BinaryOp::Ge => Const::Bool(a >= b),
                    BinaryOp::Eq => Const::Bool(a == b),
                    BinaryOp::Ne => Const::Bool(a != b),
                    BinaryOp::BitAnd if self.l.hlsl(expr.ty) == Hlsl::Scalar(Scalar::Bool) => {
                        Const::Bool(a != 0 && b != 0)
                    }
                    _ => {
                        let signed = match self.l.hlsl(expr.ty) {
                            Hlsl::Scalar(Scalar::I32) => true,
                            Hlsl::Scalar(Scalar::U32) => false,
                            _ => return None,
                        };
                        Const::Int(super::unroll::integer(*op, a, b, signed)?)
                    }
                })
            }
            _ => None,
        }
    }

    /// `place = value` of a type that contains resources.
    pub(super) fn hold(&mut self, place: PlaceId, value: ExprId) {
        let Some(held) = self.held(value) else { return };
        match self.holder_path(place) {
            // The caller's variable would not know.
            Some((local, _)) if self.f.local(local).mode.is_some_and(|m| m != ParamMode::In) => {
                let what = "assigning a resource to the object of a method or an `out` parameter";
                self.l.unsupported(self.f.place(place).span, what, CHOOSE);
            }
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
                    let what = "a variable that holds another resource in each round of a loop";
                    let help = "`[unroll]` a loop whose rounds are constant and which nothing leaves early, or choose \
                        between values that were read";
                    self.l.unsupported(span, what, help);
                    return;
                }
            }
        }
    }
}
