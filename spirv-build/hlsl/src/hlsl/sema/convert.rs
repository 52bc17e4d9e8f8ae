//! Conversions: which exist, what they change, and the nodes they become.
use super::shapes::Change;
use super::{Checked, Refuse, Reported, Sema, Val, fold};
use crate::diag::Code;
use crate::hlsl::hir::{
    Const, Conversion, ExprId, ExprKind, PlaceId, PlaceKind, Resource, Scalar, Type, TypeId, Types,
};
use crate::source::Span;

/// Why a conversion is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum How {
    /// Assignment, argument, return, operand.
    Implicit,
    /// A cast.
    Explicit,
}

impl Sema<'_> {
    /// What an implicit conversion changes; `None` if there is none.
    pub(super) fn change(&self, from: TypeId, to: TypeId) -> Option<Change> {
        if from == to || self.is_error(from) || self.is_error(to) {
            return Some(Change::Nothing);
        }
        match (self.types.get(from), self.types.get(to)) {
            (Type::Enum(e), _) if self.types.enumeration(e).scoped => None,
            (_, Type::Enum(_)) => None,
            (Type::Struct(a), Type::Struct(b)) => match self.types.base_distance(a, b) {
                Some(_) => Some(Change::Components),
                // Structures that are made of the same parts convert into each other.
                None if self.options.hlsl_version < 2021 => {
                    self.types.same_leaves(from, to).then_some(Change::Extent)
                }
                None => self.types.same_parts(from, to).then_some(Change::Extent),
            },
            (Type::Array(..), Type::Array(..)) => self.types.same_leaves(from, to).then_some(Change::Extent),
            // Before 2021 structures are no different from arrays.
            (Type::Array(..) | Type::Struct(_), Type::Array(..) | Type::Struct(_))
                if self.options.hlsl_version < 2021 =>
            {
                self.types.same_leaves(from, to).then_some(Change::Extent)
            }
            (Type::Resource(Resource::Constant { elem } | Resource::TextureBuffer { elem }), _)
                if elem == to =>
            {
                Some(Change::Components)
            }
            // A parameter takes arrays of resources of any size.
            (Type::Array(a, _), Type::UnsizedArray(b)) | (Type::UnsizedArray(a), Type::Array(b, _))
                if a == b && self.types.contains_resource(a) =>
            {
                Some(Change::Components)
            }
            (Type::Descriptor { sampler }, _) => self.fits_heap(sampler, to).then_some(Change::Components),
            _ => self.types.shape_change(from, to),
        }
    }

    /// The default type of a literal.
    pub(super) fn settle(&mut self, e: ExprId) -> ExprId {
        let ty = self.ty(e);
        let to = match self.types.component(ty) {
            Some(Scalar::LitFloat) => Scalar::F32,
            Some(Scalar::LitInt) => match self.const_of(e) {
                Some(Const::Int(v)) if *v > i64::from(i32::MAX) && *v <= i64::from(u32::MAX) => Scalar::U32,
                Some(Const::Int(v)) if *v > i64::from(u32::MAX) || *v < i64::from(i32::MIN) => Scalar::I64,
                _ => Scalar::I32,
            },
            _ => return e,
        };
        self.cast_components(e, to)
    }

    /// Converts, or reports that it is impossible. `what` says what needs the type: "argument 2 of `f`".
    pub(super) fn convert(&mut self, e: ExprId, to: TypeId, how: How, what: &str) -> Checked {
        let from = self.ty(e);
        if from == to {
            return Ok(e);
        }
        let span = self.span(e);
        if self.is_error(from) || self.is_error(to) {
            return Err(Reported);
        }
        if from == Types::VOID {
            return self
                .report(Code::VoidValue, span, "a function that returns nothing has no value here")
                .refuse();
        }
        let change = self.change(from, to);
        if change.is_none() && !(how == How::Explicit && self.is_castable(from, to)) {
            let (a, b) = (self.type_name(from), self.type_name(to));
            let code = if how == How::Explicit { Code::BadCast } else { Code::TypeMismatch };
            let verb = if how == How::Explicit { "cast" } else { "convert" };
            let castable = how == How::Implicit && self.is_castable(from, to);
            let d = self.report(code, span, format!("cannot {verb} `{a}` to `{b}`"));
            d.label(format!("this is `{a}`"));
            if !what.is_empty() {
                d.note(format!("{what} is `{b}`"));
            }
            if castable {
                d.help(format!("write a cast: `({b})(…)`"));
            }
            return Err(Reported);
        }
        let shrinks = || self.types.component_count(to) < self.types.component_count(from);
        if change == Some(Change::Shape) && how == How::Implicit && shrinks() {
            let (a, b) = (self.type_name(from), self.type_name(to));
            let d = self.report(Code::ImplicitTruncation, span, format!("`{a}` is truncated to `{b}`"));
            d.help("write a swizzle such as `.xyz`, or a cast, if this is meant");
        }
        if how == How::Implicit {
            self.warn_fraction(e, to);
            self.warn_narrowing(e, to);
        }
        self.apply(e, to)
    }

    /// The value of an operand, converted.
    pub(super) fn implicit(&mut self, v: Val, to: TypeId, what: &str) -> Checked {
        let e = self.load(v);
        self.convert(e, to, How::Implicit, what)
    }

    /// Writes a value to a variable of another type.
    pub(super) fn store(&mut self, place: PlaceId, value: ExprId, what: &str, span: Span) -> Checked {
        let ty = self.place_ty(place);
        let value = self.implicit(Val::Value(value), ty, what)?;
        Ok(self.node(ExprKind::Assign { place, value }, ty, span))
    }

    /// As an implicit conversion to a scalar, where vectors are not cut down to one.
    pub(super) fn convert_number(&mut self, e: ExprId, to: TypeId, what: &str) -> Checked {
        let (ty, span) = (self.ty(e), self.span(e));
        if self.types.component_count(ty).is_some_and(|n| n > 1) {
            let shown = self.type_name(ty);
            return self
                .report(Code::NoOverload, span, format!("{what} is one number, not `{shown}`"))
                .label(format!("this is `{shown}`"))
                .help("choose a component")
                .refuse();
        }
        self.convert(e, to, How::Implicit, what)
    }

    /// Warns of numbers that lose what is behind the point.
    fn warn_fraction(&mut self, e: ExprId, to: TypeId) {
        let (from, span) = (self.ty(e), self.span(e));
        let (Some(a), Some(b)) = (self.types.component(from), self.types.component(to)) else { return };
        if !(a.is_float() && b.is_int()) {
            return;
        }
        let (x, y) = (self.type_name(from), self.type_name(to));
        match self.const_of(e) {
            None => {
                self.report(Code::FloatToInt, span, format!("`{x}` loses its fraction as `{y}`"))
                    .help(format!("write a cast if this is meant: `({y})…`"));
            }
            Some(Const::Float(v)) if v.is_finite() && v.fract() != 0.0 => {
                let (v, whole) = (*v, v.trunc());
                self.report(Code::LiteralConversion, span, format!("{v} becomes {whole} as `{y}`"))
                    .help(format!("write `{whole}`, or a cast if this is meant: `({y}){v}`"));
            }
            _ => {}
        }
    }

    /// Warns of numbers that get fewer bits. Constants that keep their value are silent.
    fn warn_narrowing(&mut self, e: ExprId, to: TypeId) {
        let from = self.ty(e);
        let (Some(a), Some(b)) = (self.types.component(from), self.types.component(to)) else { return };
        let bits = |s: Scalar| match s.erased() {
            Scalar::MinI16 | Scalar::MinU16 | Scalar::MinF16 => 16,
            s => s.bits(),
        };
        let literal = matches!(a, Scalar::LitInt | Scalar::LitFloat | Scalar::Bool);
        if literal
            || b == Scalar::Bool
            || bits(b) >= bits(a)
            || self.const_of(e).is_some_and(|c| keeps(c, a, b))
        {
            return;
        }
        let (x, y, span) = (self.type_name(from), self.type_name(to), self.span(e));
        self.report(Code::Narrowing, span, format!("`{x}` loses bits as `{y}`"))
            .label(format!("this is `{x}`"))
            .help(format!("write a cast if this is meant: `({y})…`"));
    }

    /// Casts allow what implicit conversions do not: enumerations both ways, and aggregates component by component.
    fn is_castable(&self, from: TypeId, to: TypeId) -> bool {
        let integer = |ty| matches!(self.types.get(ty), Type::Scalar(s) if s.is_int());
        let number = |ty| self.types.component(ty).is_some();
        match (self.types.get(from), self.types.get(to)) {
            (Type::BufferPointer { .. }, _) if integer(to) => true,
            (_, Type::BufferPointer { .. }) if integer(from) => true,
            (_, Type::Enum(_)) | (Type::Enum(_), _) => number(from) && number(to),
            _ => false,
        }
    }

    /// The nodes of a conversion that is known to exist.
    fn apply(&mut self, e: ExprId, to: TypeId) -> Checked {
        let from = self.ty(e);
        let span = self.span(e);
        match (self.types.get(from), self.types.get(to)) {
            (Type::Struct(a), Type::Struct(b)) if self.types.base_distance(a, b).is_none() => {
                return self.flat_cast(Val::Value(e), to, span);
            }
            // Of resources: the parameter stands for the array itself.
            (Type::Array(..), Type::UnsizedArray(_)) | (Type::UnsizedArray(_), Type::Array(..)) => {
                return Ok(e);
            }
            (Type::Array(..), _) | (_, Type::Array(..)) => return self.flat_cast(Val::Value(e), to, span),
            (Type::Struct(_), Type::Struct(_)) => {
                return Ok(self.node(ExprKind::Convert(Conversion::ToBase, e), to, span));
            }
            (Type::Descriptor { .. }, _) => return self.descriptor_as(e, to),
            (Type::BufferPointer { .. }, _) | (_, Type::BufferPointer { .. }) => {
                let u64 = self.types.scalar(Scalar::U64);
                let bits = if self.types.component(from).is_some() { self.apply_to(e, u64)? } else { e };
                let pointer = self.node(ExprKind::Convert(Conversion::Pointer, bits), to, span);
                if self.types.component(to).is_none_or(|s| s == Scalar::U64) {
                    return Ok(pointer);
                }
                let raw = self.node(ExprKind::Convert(Conversion::Pointer, bits), u64, span);
                return self.apply_to(raw, to);
            }
            (Type::Resource(_), _) => {
                let handle = self.handle(Val::Value(e));
                let block = self.place(PlaceKind::Block(handle), to, span);
                return Ok(self.node(ExprKind::Load(block), to, span));
            }
            _ => {}
        }
        let Some(scalar) = self.types.component(to) else { return Ok(e) };
        // Shrinking first makes casts cheaper; growing last does too.
        let mut e = e;
        let (n_from, n_to) = (self.types.component_count(from), self.types.component_count(to));
        if n_to < n_from {
            let shape = self.types.component(from).unwrap_or(scalar);
            let mid = self.types.with_component(to, shape);
            e = self.reshape(e, mid);
        }
        e = self.cast_to(e, scalar, to);
        if self.ty(e) != to {
            e = self.reshape(e, to);
        }
        Ok(e)
    }

    fn apply_to(&mut self, e: ExprId, to: TypeId) -> Checked {
        if self.ty(e) == to { Ok(e) } else { self.apply(e, to) }
    }

    fn cast_to(&mut self, e: ExprId, scalar: Scalar, to: TypeId) -> ExprId {
        if matches!(self.types.get(to), Type::Enum(_)) {
            let span = self.span(e);
            let as_scalar = self.cast_components(e, scalar);
            return match self.const_of(as_scalar).cloned() {
                Some(c) => self.constant(c, to, span),
                None => self.node(ExprKind::Convert(Conversion::Cast, as_scalar), to, span),
            };
        }
        self.cast_components(e, scalar)
    }

    /// The same shape with another component type.
    pub(super) fn cast_components(&mut self, e: ExprId, scalar: Scalar) -> ExprId {
        let from = self.ty(e);
        let span = self.span(e);
        let to = self.types.with_component(from, scalar);
        if from == to {
            return e;
        }
        let source = self.types.component(from).unwrap_or(scalar);
        if let Some(c) = self.const_of(e).and_then(|c| fold::cast(c, source, scalar)) {
            if let (Some(Const::Int(before)), Const::Int(after)) = (self.const_of(e), &c)
                && source == Scalar::LitInt
                && before != after
                && !(i64::from(i32::MIN)..=i64::from(u32::MAX)).contains(before)
            {
                let (value, name) = (*before, scalar.name());
                self.report(
                    Code::NumberTooLargeForType,
                    span,
                    format!("`{value}` does not fit into `{name}`"),
                );
            }
            return self.constant(c, to, span);
        }
        // A literal that does not fold (too large for the type) is a number of its default type first.
        let e = if matches!(source, Scalar::LitInt | Scalar::LitFloat) {
            let wide = if source == Scalar::LitInt { Scalar::I64 } else { Scalar::F32 };
            let ty = self.types.with_component(from, wide);
            match self.const_of(e).and_then(|c| fold::cast(c, source, wide)) {
                Some(c) => self.constant(c, ty, span),
                None => e,
            }
        } else {
            e
        };
        if self.ty(e) == to {
            return e;
        }
        self.node(ExprKind::Convert(Conversion::Cast, e), to, span)
    }

    /// Another shape with the same component type.
    fn reshape(&mut self, e: ExprId, to: TypeId) -> ExprId {
        let from = self.ty(e);
        let span = self.span(e);
        if from == to {
            return e;
        }
        let (kind, folded) = match (self.types.get(from), self.types.get(to)) {
            (Type::Scalar(_) | Type::Enum(_), target) => {
                let folded = self.const_of(e).map(|c| splat(c, target));
                (Conversion::Splat, folded)
            }
            (Type::Vector(..), Type::Vector(_, n)) => {
                let folded = match self.const_of(e) {
                    Some(Const::Composite(list)) => {
                        Some(Const::Composite(list[..list.len().min(n as usize)].to_vec()))
                    }
                    _ => None,
                };
                (Conversion::Truncate, folded)
            }
            (Type::Vector(..), Type::Scalar(_)) => {
                let folded = match self.const_of(e) {
                    Some(Const::Composite(list)) => list.first().cloned(),
                    _ => None,
                };
                (Conversion::Truncate, folded)
            }
            (Type::Matrix(_, r, c), Type::Vector(_, n)) if n < r * c => {
                // A row or column matrix to a shorter vector.
                let s = self.types.component(from).unwrap_or(Scalar::F32);
                let whole = self.types.vector(s, r * c);
                let e = self.node(ExprKind::Convert(Conversion::Reshape, e), whole, span);
                return self.reshape(e, to);
            }
            (Type::Vector(_, n), Type::Matrix(s, r, c)) if n > r * c => {
                let short = self.types.vector(s, r * c);
                let e = self.reshape(e, short);
                return self.reshape(e, to);
            }
            (Type::Matrix(s, 1, 1), _) if self.types.component_count(to) != Some(1) => {
                let one = self.types.scalar(s);
                let e = self.node(ExprKind::Convert(Conversion::Truncate, e), one, span);
                return self.reshape(e, to);
            }
            (Type::Matrix(..), Type::Matrix(..) | Type::Scalar(_)) => (Conversion::Truncate, None),
            _ => (Conversion::Reshape, None),
        };
        match folded {
            Some(c) => self.constant(c, to, span),
            None => self.node(ExprKind::Convert(kind, e), to, span),
        }
    }

    /// The common component type of an operation. Literals give way; `bool`s alone count as `int`s.
    pub(super) fn join(a: Scalar, b: Scalar) -> Scalar {
        match super::overload::combined(a, b) {
            Scalar::Bool => Scalar::I32,
            s => s,
        }
    }
}

/// The scalar in every component.
pub(super) fn splat(c: &Const, target: Type) -> Const {
    match target {
        Type::Vector(_, n) => Const::Composite(vec![c.clone(); n as usize]),
        Type::Matrix(_, r, cols) => {
            Const::Composite(vec![Const::Composite(vec![c.clone(); cols as usize]); r as usize])
        }
        _ => c.clone(),
    }
}

/// Whether a constant has the same value in another type.
fn keeps(c: &Const, from: Scalar, to: Scalar) -> bool {
    match c {
        Const::Composite(list) => list.iter().all(|c| keeps(c, from, to)),
        c => fold::cast(c, from, to).and_then(|there| fold::cast(&there, to, from)).as_ref() == Some(c),
    }
}
