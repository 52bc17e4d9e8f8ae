//! Calls, and the paths to resources that callees get instead of values.

use super::function::{Body, Bound, Local, Path, Step};
use super::place::Place;
use crate::hlsl::hir::{
    self, Arg, ExprId, ExprKind, FunctionId, ParamMode, PlaceId, PlaceKind, Type as Hlsl, TypeId,
};
use crate::ir::Value;
use crate::source::Span;

/// A variable whose value goes to a place after a call.
pub(super) struct CopyOut {
    place: Place,
    temp: Value,
    /// How the value becomes one of the place's type, where that is another than the variable's.
    convert: Option<ExprId>,
}

impl<'h> Body<'_, 'h> {
    /// Whether a place is a global or lies in one, possibly through a parameter.
    pub(super) fn is_path(&self, place: PlaceId) -> bool {
        let mut at = place;
        loop {
            match &self.f.place(at).kind {
                PlaceKind::Global(g) => return self.l.is_variable(*g) && !self.l.is_handle_variable(*g),
                PlaceKind::Local(l) => return matches!(self.locals[l.index()], Local::Path(_)),
                PlaceKind::Field(p, _) | PlaceKind::Index(p, _) | PlaceKind::Block(p) => at = *p,
                PlaceKind::BufferElement { resource, .. } => at = *resource,
                _ => return false,
            }
        }
    }

    /// A place in a global, as root and steps; None for all others, of which then nothing was evaluated.
    pub(super) fn path(&mut self, place: PlaceId) -> Option<Path> {
        if !self.is_path(place) || !self.l.enter(self.f.place(place).span) {
            return None;
        }
        let f = self.f;
        let path = match &f.place(place).kind {
            PlaceKind::Global(g) => Some((*g, Vec::new(), Vec::new())),
            PlaceKind::Local(l) => match &self.locals[l.index()] {
                Local::Path(path) => Some(path.clone()),
                _ => None,
            },
            PlaceKind::Field(p, n) => self.longer(*p, Step::Field(*n), None),
            PlaceKind::Block(p) => self.longer(*p, Step::Block, None),
            PlaceKind::Index(p, index) => match self.known_index(*index) {
                Some(n) => self.longer(*p, Step::Index(n), None),
                None => self.longer(*p, Step::Dynamic, Some(*index)),
            },
            PlaceKind::BufferElement { resource, index } => {
                self.longer(*resource, Step::Element, Some(*index))
            }
            _ => None,
        };
        self.l.leave();
        path
    }

    pub(super) fn longer(&mut self, place: PlaceId, step: Step, index: Option<ExprId>) -> Option<Path> {
        let (g, mut steps, mut values) = self.path(place)?;
        steps.push(step);
        if let Some(index) = index {
            let value = self.expr(index);
            values.push(self.as_uint(value));
        }
        Some((g, steps, values))
    }

    /// A call. The result is void for void functions.
    #[inline(never)]
    pub(super) fn call(&mut self, callee: FunctionId, args: &'h [Arg], span: Span) -> Value {
        let hir = self.l.hir;
        let target = hir.function(callee);
        let (mut bound, mut values, mut after) = (Vec::new(), Vec::new(), Vec::new());
        for (param, arg) in target.locals.iter().zip(args) {
            match arg {
                // A resource that has a name is not passed: the function is lowered for it.
                Arg::In(e) if self.l.types().contains_resource(param.ty) && !param.written => {
                    let path = match self.f.expr(*e).kind {
                        ExprKind::Load(place) => self.path(place),
                        _ => None,
                    };
                    match path {
                        Some((g, steps, indices)) => {
                            bound.push(Bound::Path(g, steps));
                            values.extend(indices);
                        }
                        None => {
                            let own = self.array_type(*e).filter(|own| *own != param.ty);
                            values.push(self.expr(*e));
                            bound.push(own.map_or(Bound::Value, Bound::Array));
                        }
                    }
                }
                Arg::In(e) => {
                    values.push(self.expr(*e));
                    bound.push(Bound::Value);
                }
                Arg::Out { place, copy_out } => {
                    values.push(self.out_argument(param, *place, None, *copy_out, &mut after));
                    bound.push(Bound::Pointer);
                }
                Arg::InOut { place, copy_in, copy_out } => {
                    values.push(self.out_argument(param, *place, Some(*copy_in), *copy_out, &mut after));
                    bound.push(Bound::Pointer);
                }
                Arg::Ref(place) => self.object(*place, param, &mut bound, &mut values, &mut after),
            }
        }
        self.span = span;
        let func = self.l.instance(callee, bound, None);
        let result = self.l.value_type(target.ret);
        let result = self.b().call(func, result, &values);
        self.copy_out(after);
        result
    }

    /// The type of an array of resources with a length, if an argument is one.
    fn array_type(&self, e: ExprId) -> Option<TypeId> {
        let e = self.f.expr(e);
        let ty = match e.kind {
            ExprKind::Load(place) => match self.f.place(place).kind {
                PlaceKind::Local(l) => match self.locals[l.index()] {
                    Local::Array(_, own) => own,
                    _ => e.ty,
                },
                _ => e.ty,
            },
            _ => e.ty,
        };
        matches!(self.l.hlsl(ty), Hlsl::Array(..)).then_some(ty)
    }

    /// The variable that a function gets for an `out` argument, or with `copy_in` for an `inout` one.
    pub(super) fn out_argument(
        &mut self,
        param: &hir::Local,
        place: PlaceId,
        copy_in: Option<ExprId>,
        copy_out: ExprId,
        after: &mut Vec<CopyOut>,
    ) -> Value {
        let place = self.slot(place);
        let temp = self.local_variable(param.ty, &param.name);
        if let Some(copy_in) = copy_in {
            let current = self.load(&place);
            self.current.push(current);
            let value = self.expr(copy_in);
            self.current.pop();
            self.b().store(temp, value);
        }
        after.push(CopyOut { place, temp, convert: Some(copy_out) });
        temp
    }

    /// The variable that a method gets for an object that is none.
    pub(super) fn object_argument(
        &mut self,
        param: &hir::Local,
        place: PlaceId,
        after: &mut Vec<CopyOut>,
    ) -> Value {
        let place = self.slot(place);
        let temp = self.local_variable(param.ty, &param.name);
        let value = self.load(&place);
        self.b().store(temp, value);
        if param.written {
            after.push(CopyOut { place, temp, convert: None });
        }
        temp
    }

    /// What happens after a call.
    pub(super) fn copy_out(&mut self, after: Vec<CopyOut>) {
        for CopyOut { place, temp, convert } in after {
            let mut value = self.b().load(temp);
            if let Some(convert) = convert {
                self.operand.push(value);
                value = self.expr(convert);
                self.operand.pop();
            }
            self.store(&place, value);
        }
    }

    /// The object of a method.
    pub(super) fn object(
        &mut self,
        id: PlaceId,
        param: &hir::Local,
        bound: &mut Vec<Bound>,
        values: &mut Vec<Value>,
        after: &mut Vec<CopyOut>,
    ) {
        debug_assert_eq!(param.mode, Some(ParamMode::Ref));
        if let Some((g, steps, indices)) = self.path(id) {
            bound.push(Bound::Path(g, steps));
            values.extend(indices);
            return;
        }
        bound.push(Bound::Pointer);
        if let PlaceKind::Local(l) = self.f.place(id).kind
            && let Local::Variable(ptr) = self.locals[l.index()]
        {
            values.push(ptr);
            return;
        }
        if let Hlsl::RayQuery(_) = self.l.hlsl(param.ty) {
            let root = match self.f.place(id).kind {
                PlaceKind::After(_, p) => p,
                _ => id,
            };
            if !matches!(self.f.place(root).kind, PlaceKind::Local(_)) {
                let what = "passing a ray query that is part of an array or structure";
                self.l.unsupported(self.f.place(id).span, what, "use a variable for each ray query");
            }
            let ptr = self.ray_query(id, param);
            values.push(ptr);
            return;
        }
        let temp = self.object_argument(param, id, after);
        values.push(temp);
    }

    /// A ray query's variable: an object that has no value to be copied.
    pub(super) fn ray_query(&mut self, id: PlaceId, param: &hir::Local) -> Value {
        match self.place(id) {
            Place::Pointer { ptr, .. } => ptr,
            _ => self.variable(param.ty, &param.name),
        }
    }

    /// The place of a path.
    pub(super) fn path_place(&mut self, (g, steps, values): &Path, span: Span) -> Place {
        let mut place = self.global_place(*g, span);
        let mut values = values.iter().copied();
        for step in steps {
            let value = if step.takes_value() { values.next() } else { None };
            place = match (step, value) {
                (Step::Field(n), _) => self.field(place, *n),
                (Step::Block, _) => self.block_contents(place, span),
                (Step::Index(n), _) => {
                    let index = self.b().u32(*n);
                    self.index(place, index, Some(*n), span)
                }
                (Step::Dynamic, Some(v)) => self.index(place, v, None, span),
                (Step::Element, Some(v)) => self.element(place, v, span),
                _ => {
                    self.l.internal(span, "a path lacks an index");
                    place
                }
            };
        }
        place
    }
}
