//! Elements of resource objects.
use super::{Checked, Refuse, Reported, Sema, Val};
use crate::diag::Code;
use crate::hlsl::ast;
use crate::hlsl::hir::{Const, ExprId, ExprKind, Place, PlaceId, PlaceKind, Resource, Scalar, Type, TypeId};
use crate::hlsl::types::{Dim, TextureShape};
use crate::source::Span;

impl Sema<'_> {
    /// The place that holds a resource handle.
    pub(super) fn handle(&mut self, v: Val) -> PlaceId {
        match v {
            Val::Place(p) => p,
            Val::Value(e) => {
                if let ExprKind::Load(p) = self.f.exprs[e.index()].kind {
                    return p;
                }
                let (ty, span) = (self.ty(e), self.span(e));
                self.place(PlaceKind::Temp(e), ty, span)
            }
        }
    }

    /// `resource[i]`
    pub(super) fn resource_index(&mut self, v: Val, r: Resource, i: ExprId, span: Span) -> Checked<Val> {
        match r {
            Resource::Structured { elem, .. } => {
                self.dimensions_fit(i, 1, "the buffer")?;
                let index = self.index_value(i)?;
                let resource = self.handle(v);
                Ok(Val::Place(self.place(PlaceKind::BufferElement { resource, index }, elem, span)))
            }
            Resource::Texture { shape, elem, writable } if shape.dim != Dim::Cube => {
                self.dimensions_fit(i, shape.coords(), "the resource")?;
                let coord = self.coord(i, shape.coords())?;
                let zero = |s: &mut Self, scalar| {
                    let ty = s.scalar_ty(scalar);
                    s.constant(Const::Int(0), ty, span)
                };
                let sample = shape.multisampled.then(|| zero(self, Scalar::I32));
                let lod = shape.has_mips().then(|| zero(self, Scalar::U32));
                Ok(self.texel(v, (coord, lod, sample), elem, writable, span))
            }
            _ => {
                let name = self.types.resource_name(r);
                let d = self.report(Code::BadIndex, span, format!("`{name}` cannot be indexed"));
                if matches!(r, Resource::ByteAddress { .. }) {
                    d.help("use `Load(offset)` and `Store(offset, value)`");
                }
                d.refuse()
            }
        }
    }

    /// A texel at coordinates, of a level or a sample: a place, if it can be written.
    fn texel(
        &mut self,
        v: Val,
        (coord, lod, sample): (ExprId, Option<ExprId>, Option<ExprId>),
        elem: TypeId,
        writable: bool,
        span: Span,
    ) -> Val {
        let resource = self.handle(v);
        if writable {
            return Val::Place(self.place(PlaceKind::Texel { resource, coord, sample }, elem, span));
        }
        let kind = ExprKind::TextureLoad { resource, coord, lod, sample, offset: None, status: None };
        Val::Value(self.node(kind, elem, span))
    }

    /// Reports an index in brackets that has not one component for each dimension: there is nothing to fill it up with.
    fn dimensions_fit(&mut self, index: ExprId, n: u8, what: &str) -> Checked<()> {
        let (ty, span) = (self.ty(index), self.span(index));
        let Some(have) = self.types.component_count(ty).filter(|have| *have != u32::from(n)) else {
            return Ok(());
        };
        let shown = self.type_name(ty);
        let wanted = if n == 1 { "uint".to_string() } else { format!("uint{n}") };
        self.report(Code::BadIndex, span, format!("{what} is indexed with a `{wanted}`, not with `{shown}`"))
            .label(format!("components: {have}, not {n}"))
            .help(format!("write a `{wanted}`"))
            .refuse()
    }

    /// A coordinate as integers with `n` components.
    pub(super) fn coord(&mut self, e: ExprId, n: u8) -> Checked {
        let (ty, span) = (self.ty(e), self.span(e));
        self.good(e)?;
        let scalar = match self.types.component(ty) {
            Some(s) if s == Scalar::LitInt || s.is_signed_int() => Scalar::I32,
            Some(_) => Scalar::U32,
            None => {
                let text = format!("a position cannot be `{}`", self.type_name(ty));
                return self.report(Code::BadIndex, span, text).refuse();
            }
        };
        let to = self.types.vector(scalar, n);
        let count = self.types.component_count(ty).unwrap_or(1);
        if count > 1 && count < u32::from(n) {
            let (a, b) = (self.type_name(ty), self.type_name(to));
            return self
                .report(Code::BadIndex, span, format!("the position has {count} components and needs {n}"))
                .label(format!("`{a}`, not `{b}`"))
                .refuse();
        }
        self.implicit(Val::Value(e), to, "the position")
    }

    /// `texture.mips[level][position]`, `texture.sample[n][position]`
    pub(super) fn texel_of(
        &mut self,
        v: Val,
        name: ast::Name,
        which: ast::ExprId,
        position: ast::ExprId,
        span: Span,
    ) -> Checked<Val> {
        let which = self.rvalue(which);
        let position = self.rvalue(position);
        let ty = self.val_ty(v);
        let samples = self.text(name.text) == "sample";
        let fits = |s: TextureShape, writable: bool| match samples {
            true => s.multisampled,
            false => s.has_mips() && s.dim != Dim::Cube && !writable,
        };
        let (shape, elem, writable) = match self.types.get(ty) {
            Type::Resource(Resource::Texture { shape, elem, writable }) if fits(shape, writable) => {
                (shape, elem, writable)
            }
            Type::Error => return Err(Reported),
            _ => {
                let text = format!("`{}` has no member `{}`", self.type_name(ty), self.text(name.text));
                return self.report(Code::NoMember, span, text).refuse();
            }
        };
        self.dimensions_fit(position, shape.coords(), "the level or sample")?;
        let (coord, which) = (self.coord(position, shape.coords())?, self.index_value(which)?);
        let (lod, sample) = if samples { (None, Some(which)) } else { (Some(which), None) };
        Ok(self.texel(v, (coord, lod, sample), elem, writable, span))
    }

    /// A handle that can be named several times: its array index is evaluated once.
    pub(super) fn repeatable_handle(&mut self, p: PlaceId, before: &mut Vec<ExprId>) -> PlaceId {
        let Place { kind, ty, span } = self.f.places[p.index()].clone();
        match kind {
            PlaceKind::Index(base, i) if self.const_of(i).is_none() => {
                let base = self.repeatable_handle(base, before);
                let i = self.repeatable(Val::Value(i), before);
                let i = self.load(i);
                self.place(PlaceKind::Index(base, i), ty, span)
            }
            _ => p,
        }
    }
}
