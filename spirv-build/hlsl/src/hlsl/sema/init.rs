//! Initialiser lists, constructors and aggregate casts: everything that is flattened to scalars and dealt out again.
use super::convert::How;
use super::{Checked, MAX_ARRAY_LENGTH, MAX_LEAVES, Refuse, Reported, Sema, Val, convert, fold};
use crate::diag::Code;
use crate::hlsl::ast;
use crate::hlsl::ast::ExprKind as E;
use crate::hlsl::hir::{
    BinaryOp, BitRange, Const, Expr, ExprId, ExprKind, Field, Place, PlaceId, PlaceKind, Scalar, StructId,
    Type, TypeId,
};
use crate::source::Span;

/// Values that are still to be dealt out; the next one is last.
struct Feed {
    values: Vec<Val>,
    /// Side effects that come first.
    before: Vec<ExprId>,
}

impl Sema<'_> {
    /// Number of scalars in a type; `None` if something in it is no number.
    pub(super) fn leaves(&self, ty: TypeId) -> Option<u64> {
        match self.types.get(ty) {
            Type::Array(e, n) => self.leaves(e)?.checked_mul(u64::from(n)),
            Type::Struct(s) => self.types.structure(s).fields.iter().try_fold(0u64, |sum, f| {
                let named = f.bits.iter().filter(|b| !b.name.is_empty()).count() as u64;
                sum.checked_add(if f.bits.is_empty() { self.leaves(f.ty)? } else { named })
            }),
            Type::Resource(_) | Type::BufferPointer { .. } | Type::Spirv(_) | Type::Descriptor { .. } => {
                Some(1)
            }
            _ => self.types.component_count(ty).map(u64::from),
        }
    }

    /// `T x = { … }`; `ty` may be an array without size.
    pub(super) fn initialize(&mut self, ty: TypeId, list: ast::ExprId) -> Checked {
        let span = self.ast.expr(list).span;
        let mut values = Vec::new();
        self.flatten_list(list, &mut values);
        let error = values.iter().any(|&v| self.is_error(self.val_ty(v)));
        if error || self.is_error(ty) {
            return Err(Reported);
        }
        self.deal(ty, values, span)
    }

    /// Values of a nested list in order.
    fn flatten_list(&mut self, e: ast::ExprId, out: &mut Vec<Val>) {
        let ast = self.ast;
        match &ast.expr(e).kind {
            E::InitList(list) => {
                for &item in ast.list(*list) {
                    self.flatten_list(item, out);
                }
            }
            _ => {
                let v = self.expr(e);
                out.push(self.open_block(v));
            }
        }
    }

    /// Makes a value of a type from the scalars of others.
    pub(super) fn deal(&mut self, ty: TypeId, mut values: Vec<Val>, span: Span) -> Checked {
        let mut have = 0u64;
        for &v in &values {
            let vt = self.val_ty(v);
            match self.leaves(vt) {
                Some(n) => have += n,
                // What belongs to another stage is told where it is reached.
                None if self.types.contains_foreign(vt) => return Err(Reported),
                None => {
                    let (at, name) = (self.val_span(v), self.type_name(vt));
                    return self
                        .report(Code::TypeMismatch, at, format!("`{name}` cannot be part of an initialiser"))
                        .refuse();
                }
            }
        }
        let mut ty = ty;
        if let Type::UnsizedArray(elem) = self.types.get(ty) {
            let each = self.leaves(elem).unwrap_or(1).max(1);
            let n = have.div_ceil(each);
            if n == 0 || n > MAX_ARRAY_LENGTH {
                return self
                    .report(Code::BadArraySize, span, format!("an array cannot have {n} elements"))
                    .refuse();
            }
            ty = self.types.intern(Type::Array(elem, n as u32));
        }
        let Some(want) = self.leaves(ty) else {
            let name = self.type_name(ty);
            return self
                .report(Code::TypeMismatch, span, format!("`{name}` cannot be initialised by a list"))
                .refuse();
        };
        if want > MAX_LEAVES {
            return self.report(Code::TooMany, span, "the initialiser is too large").refuse();
        }
        if have != want {
            let few = if have < want { "few" } else { "many" };
            let name = self.type_name(ty);
            return self
                .report(
                    Code::InitializerCount,
                    span,
                    format!("too {few} values for `{name}`: it has {want}, and {have} {} given", {
                        if have == 1 { "is" } else { "are" }
                    }),
                )
                .help(if have == 1 {
                    format!("`({name})…` gives every component the same value")
                } else {
                    String::from("values are counted as scalars: a `float3` counts as three")
                })
                .refuse();
        }
        let mut before = Vec::new();
        self.keep_order(&mut values, &mut before);
        values.reverse();
        let mut feed = Feed { values, before };
        let e = self.build(ty, &mut feed, span)?;
        Ok(self.sequence(feed.before, e))
    }

    /// Splitting a value puts it aside first. If that has side effects, what stands before it must be put aside as well.
    fn keep_order(&mut self, values: &mut [Val], before: &mut Vec<ExprId>) {
        let splits = |s: &Self, v: Val| match v {
            Val::Value(e) => {
                s.const_of(e).is_none() && s.leaves(s.ty(e)).is_some_and(|n| n > 1) && s.has_effects(e)
            }
            Val::Place(_) => false,
        };
        let Some(last) = (0..values.len()).rev().find(|&i| splits(self, values[i])) else { return };
        for v in &mut values[..last] {
            let value = self.load(*v);
            *v = self.repeatable(Val::Value(value), before);
        }
    }

    fn place_has_effects(&self, p: PlaceId) -> bool {
        let kind = &self.f.places[p.index()].kind;
        let (of, values) = kind.parts();
        matches!(kind, PlaceKind::After(..))
            || of.is_some_and(|p| self.place_has_effects(p))
            || values.into_iter().flatten().any(|e| self.has_effects(e))
    }

    /// Whether evaluating an expression can change anything.
    pub(super) fn has_effects(&self, e: ExprId) -> bool {
        match &self.f.exprs[e.index()].kind {
            ExprKind::Call(..)
            | ExprKind::Assign { .. }
            | ExprKind::Update { .. }
            | ExprKind::Atomic { .. }
            | ExprKind::Spirv(..)
            | ExprKind::Counter { .. }
            | ExprKind::Printf { .. }
            | ExprKind::Sequence(_) => true,
            ExprKind::Unary(_, a)
            | ExprKind::Convert(_, a)
            | ExprKind::Swizzle(a, _)
            | ExprKind::MatrixSwizzle(a, _)
            | ExprKind::Extract(a, _) => self.has_effects(*a),
            ExprKind::Binary(_, a, b) | ExprKind::ShortCircuit { lhs: a, rhs: b, .. } => {
                self.has_effects(*a) || self.has_effects(*b)
            }
            ExprKind::Ternary { cond, then, otherwise } => {
                [cond, then, otherwise].iter().any(|e| self.has_effects(**e))
            }
            ExprKind::Construct(list) | ExprKind::Intrinsic(_, list) => {
                list.iter().any(|e| self.has_effects(*e))
            }
            ExprKind::Load(p) => self.place_has_effects(*p),
            ExprKind::TextureLoad { resource, coord, lod, status, .. } => {
                status.is_some()
                    || self.place_has_effects(*resource)
                    || self.has_effects(*coord)
                    || lod.is_some_and(|l| self.has_effects(l))
            }
            ExprKind::Sample(s) => s.status.is_some() || s.values().any(|e| self.has_effects(e)),
            ExprKind::Query { .. }
            | ExprKind::Const(_)
            | ExprKind::Zero
            | ExprKind::Current
            | ExprKind::Operand
            | ExprKind::Barrier(_) => false,
        }
    }

    fn build(&mut self, ty: TypeId, feed: &mut Feed, span: Span) -> Checked {
        // A value that fits as a whole is taken as a whole.
        if let Some(&next) = feed.values.last() {
            let next_ty = self.val_ty(next);
            let same_count = self.types.component_count(next_ty).is_some()
                && self.types.component_count(next_ty) == self.types.component_count(ty)
                && self.shapes_match(next_ty, ty);
            if next_ty == ty || same_count {
                feed.values.pop();
                let value = self.load(next);
                return self.convert(value, ty, How::Explicit, "");
            }
        }
        Ok(match self.types.get(ty) {
            Type::Scalar(_)
            | Type::Enum(_)
            | Type::Resource(_)
            | Type::BufferPointer { .. }
            | Type::Spirv(_) => {
                let value = self.next_scalar(feed)?;
                self.convert(value, ty, How::Explicit, "")?
            }
            Type::Vector(s, n) => {
                let part = self.types.scalar(s);
                let parts = (0..n).map(|_| self.build(part, feed, span)).collect::<Checked<_>>()?;
                self.construct_node(parts, ty, span)?
            }
            Type::Matrix(s, r, c) => {
                let row = self.types.vector(s, c);
                let parts = (0..r).map(|_| self.build(row, feed, span)).collect::<Checked<_>>()?;
                self.construct_node(parts, ty, span)?
            }
            Type::Array(e, n) => {
                let parts = (0..n).map(|_| self.build(e, feed, span)).collect::<Checked<_>>()?;
                self.construct_node(parts, ty, span)?
            }
            Type::Struct(s) => {
                let fields: Vec<(TypeId, Vec<BitRange>)> = self.members_of(s);
                let parts = fields
                    .into_iter()
                    .map(|(ty, bits)| match bits.is_empty() {
                        true => self.build(ty, feed, span),
                        false => self.build_bits(ty, &bits, feed, span),
                    })
                    .collect::<Checked<_>>()?;
                self.construct_node(parts, ty, span)?
            }
            _ => return Err(Reported),
        })
    }

    /// Types of a structure's fields, with the named bit fields in each.
    fn members_of(&self, s: StructId) -> Vec<(TypeId, Vec<BitRange>)> {
        let fields = self.types.structure(s).fields.iter();
        let named = |f: &Field| f.bits.iter().filter(|b| !b.name.is_empty()).map(|b| b.range).collect();
        fields.map(|f| (f.ty, named(f))).collect()
    }

    /// A number that bit fields share, from one scalar for each of them.
    fn build_bits(&mut self, ty: TypeId, bits: &[BitRange], feed: &mut Feed, span: Span) -> Checked {
        let scalar = self.types.component(ty).unwrap_or(Scalar::U32);
        let int = self.types.scalar(scalar);
        let mut all = None;
        for range in bits {
            let value = self.next_scalar(feed)?;
            let value = self.convert(value, range.ty, How::Explicit, "")?;
            let value = self.convert(value, int, How::Explicit, "")?;
            let mask = if range.width >= 64 { -1 } else { (1i64 << range.width) - 1 };
            let mask = self.constant(Const::Int(fold::wrap(mask, scalar)), int, span);
            let value = self.arith(BinaryOp::BitAnd, value, mask, span)?;
            let by = self.constant(Const::Int(i64::from(range.offset)), int, span);
            let value = if range.offset == 0 { value } else { self.arith(BinaryOp::Shl, value, by, span)? };
            all = Some(match all {
                None => value,
                Some(before) => self.arith(BinaryOp::BitOr, before, value, span)?,
            });
        }
        let all = all.unwrap_or_else(|| self.constant(Const::Int(0), int, span));
        self.convert(all, ty, How::Explicit, "")
    }

    fn shapes_match(&self, a: TypeId, b: TypeId) -> bool {
        match (self.types.get(a), self.types.get(b)) {
            (Type::Scalar(_), Type::Scalar(_)) => true,
            (Type::Vector(_, n), Type::Vector(_, m)) => n == m,
            (Type::Matrix(_, r, c), Type::Matrix(_, s, d)) => r == s && c == d,
            _ => false,
        }
    }

    /// Parts put together; constants fold.
    pub(super) fn construct_node(&mut self, parts: Vec<ExprId>, ty: TypeId, span: Span) -> Checked {
        if parts.iter().any(|&p| self.is_error(self.ty(p))) {
            return Err(Reported);
        }
        if parts.iter().any(|&p| self.const_of(p).is_none()) {
            return Ok(self.node(ExprKind::Construct(parts), ty, span));
        }
        let list = parts.iter().filter_map(|&p| self.const_of(p).cloned()).collect();
        Ok(self.constant(Const::Composite(list), ty, span))
    }

    /// The next scalar; splits what is larger.
    fn next_scalar(&mut self, feed: &mut Feed) -> Checked {
        loop {
            let v = feed.values.pop().ok_or(Reported)?;
            let ty = self.val_ty(v);
            let parts = match self.types.get(ty) {
                Type::Scalar(_)
                | Type::Enum(_)
                | Type::Resource(_)
                | Type::BufferPointer { .. }
                | Type::Spirv(_)
                | Type::Descriptor { .. } => return Ok(self.load(v)),
                Type::Vector(_, n) => u32::from(n),
                Type::Matrix(_, r, _) => u32::from(r),
                Type::Array(_, n) => n,
                Type::Struct(s) => {
                    let span = self.val_span(v);
                    let v = self.repeatable(v, &mut feed.before);
                    for (i, (_, bits)) in self.members_of(s).iter().enumerate().rev() {
                        let whole = |s: &mut Self| {
                            let whole = s.copy_val(v);
                            s.part(whole, i as u32, span)
                        };
                        for range in bits.iter().rev() {
                            let part = whole(self);
                            let part = self.bits_of(part, Some(*range), span);
                            feed.values.push(part);
                        }
                        if bits.is_empty() {
                            let part = whole(self);
                            feed.values.push(part);
                        }
                    }
                    continue;
                }
                _ => return Err(Reported),
            };
            let span = self.val_span(v);
            let v = self.repeatable(v, &mut feed.before);
            for i in (0..parts).rev() {
                let whole = self.copy_val(v);
                let part = self.part(whole, i, span);
                feed.values.push(part);
            }
        }
    }

    /// A value that may be used several times: a constant, a place without side effects, or a temporary.
    pub(super) fn repeatable(&mut self, v: Val, before: &mut Vec<ExprId>) -> Val {
        match v {
            Val::Value(e) if self.const_of(e).is_some() => v,
            Val::Place(p) if self.is_plain(p) => v,
            _ => {
                let span = self.val_span(v);
                let value = self.load(v);
                let value = self.settle(value);
                if self.const_of(value).is_some() {
                    return Val::Value(value);
                }
                let ty = self.ty(value);
                let local = self.temp(ty, span);
                let place = self.local_place(local, span);
                before.push(self.node(ExprKind::Assign { place, value }, ty, span));
                Val::Place(self.local_place(local, span))
            }
        }
    }

    /// Whether evaluating a place again changes nothing: variables and their parts at constant positions.
    fn is_plain(&self, p: PlaceId) -> bool {
        self.repeats(p, false, &|s, i| s.const_of(i).is_some())
    }

    /// Whether a place may be named twice: it is plain, or its indices are variables.
    pub(super) fn can_repeat(&self, p: PlaceId) -> bool {
        self.repeats(p, true, &|s, i| match &s.f.exprs[i.index()].kind {
            ExprKind::Const(_) => true,
            ExprKind::Load(p) => s.is_plain(*p),
            _ => false,
        })
    }

    /// Whether a place is a part of a variable, or of an element of a buffer, with indices that are fit.
    fn repeats(&self, p: PlaceId, elements: bool, fit: &dyn Fn(&Self, ExprId) -> bool) -> bool {
        match &self.f.places[p.index()].kind {
            PlaceKind::Local(_) | PlaceKind::Global(_) => true,
            PlaceKind::BufferElement { .. } if !elements => false,
            PlaceKind::ByteElement { .. } | PlaceKind::Texel { .. } | PlaceKind::After(..) => false,
            kind => match kind.parts() {
                (Some(b), [i, _]) => i.is_none_or(|i| fit(self, i)) && self.repeats(b, elements, fit),
                _ => false,
            },
        }
    }

    /// A second use of a repeatable value: every node is used once.
    pub(super) fn copy_val(&mut self, v: Val) -> Val {
        match v {
            Val::Value(e) => Val::Value(self.copy_node(e)),
            Val::Place(p) => Val::Place(self.copy_place(p)),
        }
    }

    fn copy_node(&mut self, e: ExprId) -> ExprId {
        let Expr { kind, ty, span } = self.f.exprs[e.index()].clone();
        self.node(kind, ty, span)
    }

    fn copy_place(&mut self, p: PlaceId) -> PlaceId {
        let Place { mut kind, ty, span } = self.f.places[p.index()].clone();
        match &mut kind {
            PlaceKind::Block(b)
            | PlaceKind::Field(b, _)
            | PlaceKind::Swizzle(b, _)
            | PlaceKind::MatrixSwizzle(b, _)
            | PlaceKind::Bits(b, _) => *b = self.copy_place(*b),
            PlaceKind::Index(b, i) | PlaceKind::BufferElement { resource: b, index: i } => {
                (*b, *i) = (self.copy_place(*b), self.copy_node(*i));
            }
            _ => {}
        }
        self.place(kind, ty, span)
    }

    /// `float4(a, b)`
    pub(super) fn construct(&mut self, ty: TypeId, args: &[ast::ExprId], span: Span) -> Checked {
        let mut values = Vec::new();
        for &a in args {
            let v = self.expr(a);
            values.push(self.open_block(v));
        }
        if self.is_error(ty) || values.iter().any(|&v| self.is_error(self.val_ty(v))) {
            return Err(Reported);
        }
        let name = self.type_name(ty);
        Ok(match (self.types.get(ty), values.as_slice()) {
            (_, []) => {
                return self
                    .report(Code::InitializerCount, span, format!("`{name}()` needs values"))
                    .help(format!("`({name})0` makes a zero"))
                    .refuse();
            }
            (Type::Scalar(_) | Type::Vector(..) | Type::Matrix(..), &[one])
                if self.types.component_count(self.val_ty(one)) > self.types.component_count(ty) =>
            {
                let (have, at) = (self.type_name(self.val_ty(one)), self.val_span(one));
                return self
                    .report(
                        Code::InitializerCount,
                        at,
                        format!("`{name}(…)` takes no more values than it has"),
                    )
                    .label(format!("this is `{have}`"))
                    .help(format!("write a cast: `({name})…`"))
                    .refuse();
            }
            (Type::Scalar(_) | Type::Enum(_) | Type::BufferPointer { .. }, &[one]) => {
                self.cast_val(one, ty, span)?
            }
            (Type::Struct(_), &[one]) => self.cast_val(one, ty, span)?,
            (Type::Vector(..) | Type::Matrix(..), &[one])
                if self.types.component_count(self.val_ty(one)) >= self.types.component_count(ty) =>
            {
                self.cast_val(one, ty, span)?
            }
            (Type::Vector(..) | Type::Matrix(..), _) => self.deal(ty, values, span)?,
            _ => {
                return self
                    .report(Code::NotCallable, span, format!("`{name}` has no constructor"))
                    .help(format!("write `({name})0`, or an initialiser list in a declaration"))
                    .refuse();
            }
        })
    }

    /// `(S)v` for aggregates: a scalar goes everywhere, another aggregate is flattened.
    pub(super) fn flat_cast(&mut self, v: Val, to: TypeId, span: Span) -> Checked {
        let from = self.val_ty(v);
        let v = self.open_block(v);
        let (Some(have), Some(want)) = (self.leaves(self.val_ty(v)), self.leaves(to)) else {
            return self.bad_cast(from, to, span);
        };
        if self.types.contains_resource(to) || self.types.contains_resource(self.val_ty(v)) {
            return self.bad_cast(from, to, span);
        }
        let scalar = matches!(self.types.get(from), Type::Scalar(_) | Type::Enum(_) | Type::Matrix(_, 1, 1));
        if scalar {
            let mut value = self.load(v);
            if let Type::Matrix(s, 1, 1) = self.types.get(from) {
                let one = self.types.scalar(s);
                value = self.convert(value, one, convert::How::Explicit, "")?;
            }
            if matches!(self.const_of(value), Some(Const::Int(0) | Const::Bool(false))) {
                return Ok(self.node(ExprKind::Zero, to, span));
            }
            if want > MAX_LEAVES {
                return self.report(Code::TooMany, span, "the cast makes too many values").refuse();
            }
            let mut before = Vec::new();
            let one = self.repeatable(Val::Value(value), &mut before);
            let values = (0..want).map(|_| self.copy_val(one)).collect();
            let e = self.deal(to, values, span)?;
            return Ok(self.sequence(before, e));
        }
        if have < want {
            return self.bad_cast(from, to, span);
        }
        if want > MAX_LEAVES {
            return self.report(Code::TooMany, span, "the cast makes too many values").refuse();
        }
        let mut feed = Feed { values: vec![v], before: Vec::new() };
        let e = self.build(to, &mut feed, span)?;
        Ok(self.sequence(feed.before, e))
    }

    fn bad_cast(&mut self, from: TypeId, to: TypeId, span: Span) -> Checked {
        let (a, b) = (self.type_name(from), self.type_name(to));
        self.report(Code::BadCast, span, format!("cannot cast `{a}` to `{b}`")).refuse()
    }
}
