//! Operations of resource objects: elements and methods.
use super::convert::How;
use super::scope::Entity;
use super::{Sema, Val, sample};
use crate::diag::Code;
use crate::diag::suggest;
use crate::hlsl::ast;
use crate::hlsl::hir::{
    Components, Const, ExprId, ExprKind, Place, PlaceId, PlaceKind, Query, Resource, Scalar, Type, TypeId,
    Types,
};
use crate::hlsl::types::{Dim, TextureShape};
use crate::source::Span;

/// Methods of resource objects that are known.
pub(super) const METHODS: &[&str] = &[
    "Load",
    "Load2",
    "Load3",
    "Load4",
    "Store",
    "Store2",
    "Store3",
    "Store4",
    "GetDimensions",
    "IncrementCounter",
    "DecrementCounter",
    "Append",
    "Consume",
    "InterlockedAdd",
    "InterlockedAnd",
    "InterlockedOr",
    "InterlockedXor",
    "InterlockedMin",
    "InterlockedMax",
    "InterlockedExchange",
    "InterlockedCompareExchange",
    "InterlockedCompareStore",
    "InterlockedAdd64",
    "InterlockedAnd64",
    "InterlockedOr64",
    "InterlockedXor64",
    "InterlockedMin64",
    "InterlockedMax64",
    "InterlockedExchange64",
    "InterlockedCompareExchange64",
    "InterlockedCompareStore64",
    "InterlockedExchangeFloat",
    "InterlockedCompareExchangeFloatBitwise",
    "InterlockedCompareStoreFloatBitwise",
];

/// The methods that a resource has.
fn methods_of(r: Resource) -> Vec<&'static str> {
    let part = |fits: &dyn Fn(&str) -> bool| METHODS.iter().copied().filter(|m| fits(m)).collect::<Vec<_>>();
    let mut all = match r {
        Resource::Structured { writable, .. } => part(&|m| m == "Load" || writable && m.ends_with("Counter")),
        Resource::Queue { append, .. } => part(&|m| m == if append { "Append" } else { "Consume" }),
        Resource::ByteAddress { writable } => part(&|m| {
            m.starts_with("Load") || writable && (m.starts_with("Store") || m.starts_with("Interlocked"))
        }),
        Resource::Texture { writable: false, .. } => {
            part(&|m| m == "Load").into_iter().chain(sample::names()).collect()
        }
        Resource::Texture { .. } => part(&|m| m == "Load"),
        _ => Vec::new(),
    };
    all.push("GetDimensions");
    all
}

/// Methods that exist in HLSL but are not translated.
const UNSUPPORTED: &[&str] = &["GatherRaw"];

/// Methods that Vulkan has no instruction for, and what is there instead.
const NOT_IN_VULKAN: &[(&str, &str)] = &[
    ("GatherCmpGreen", "a comparison has one result: use `GatherCmp`"),
    ("GatherCmpBlue", "a comparison has one result: use `GatherCmp`"),
    ("GatherCmpAlpha", "a comparison has one result: use `GatherCmp`"),
    ("WriteSamplerFeedback", "write to a texture of your own which tiles are wanted"),
];

/// A call of a method of a resource.
pub(super) struct MethodCall<'a> {
    pub(super) resource: Resource,
    pub(super) name: ast::Name,
    pub(super) targs: Option<&'a [ast::TemplateArg]>,
    pub(super) span: Span,
}

impl<'a> Sema<'a> {
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
    pub(super) fn resource_index(&mut self, v: Val, r: Resource, i: ExprId, span: Span) -> Val {
        match r {
            Resource::Structured { elem, .. } => {
                if !self.dimensions_fit(i, 1, "the buffer") {
                    return Val::Value(self.error_value(span));
                }
                let Some(index) = self.index_value(i) else { return Val::Value(self.error_value(span)) };
                let resource = self.handle(v);
                Val::Place(self.place(PlaceKind::BufferElement { resource, index }, elem, span))
            }
            Resource::Texture { shape, elem, writable } => {
                if shape.dim == Dim::Cube {
                    let name = self.types.resource_name(r);
                    self.report(Code::BadIndex, span, format!("`{name}` cannot be indexed"));
                    return Val::Value(self.error_value(span));
                }
                if !self.dimensions_fit(i, shape.coords(), "the resource") {
                    return Val::Value(self.error_value(span));
                }
                let Some(coord) = self.coord(i, shape.coords()) else {
                    return Val::Value(self.error_value(span));
                };
                let resource = self.handle(v);
                let sample = shape.multisampled.then(|| {
                    let int = self.scalar_ty(Scalar::I32);
                    self.constant(Const::Int(0), int, span)
                });
                if writable {
                    return Val::Place(self.place(PlaceKind::Texel { resource, coord, sample }, elem, span));
                }
                let lod = shape.has_mips().then(|| {
                    let uint = self.scalar_ty(Scalar::U32);
                    self.constant(Const::Int(0), uint, span)
                });
                let kind = ExprKind::TextureLoad { resource, coord, lod, sample, offset: None, status: None };
                let value = self.node(kind, elem, span);
                Val::Value(value)
            }
            _ => {
                let name = self.types.resource_name(r);
                let d = self.report(Code::BadIndex, span, format!("`{name}` cannot be indexed"));
                if matches!(r, Resource::ByteAddress { .. }) {
                    d.help("use `Load(offset)` and `Store(offset, value)`");
                }
                Val::Value(self.error_value(span))
            }
        }
    }

    /// Reports an index in brackets that has not one component for each dimension: there is nothing to fill it up with.
    fn dimensions_fit(&mut self, index: ExprId, n: u8, what: &str) -> bool {
        let (ty, span) = (self.ty(index), self.span(index));
        let Some(have) = self.types.component_count(ty) else { return true };
        if have == u32::from(n) {
            return true;
        }
        let shown = self.type_name(ty);
        let wanted = if n == 1 { "uint".to_string() } else { format!("uint{n}") };
        self.report(Code::BadIndex, span, format!("{what} is indexed with a `{wanted}`, not with `{shown}`"))
            .label(format!("components: {have}, not {n}"))
            .help(format!("write a `{wanted}`"));
        false
    }

    /// A coordinate as integers with `n` components.
    fn coord(&mut self, e: ExprId, n: u8) -> Option<ExprId> {
        let ty = self.ty(e);
        let span = self.span(e);
        if self.is_error(ty) {
            return None;
        }
        let scalar = match self.types.component(ty) {
            Some(s) if s == Scalar::I32 || s == Scalar::LitInt => Scalar::I32,
            Some(s) if s.is_signed_int() => Scalar::I32,
            Some(_) => Scalar::U32,
            None => {
                let name = self.type_name(ty);
                self.report(Code::BadIndex, span, format!("a position cannot be `{name}`"));
                return None;
            }
        };
        let to = self.types.vector(scalar, n);
        let count = self.types.component_count(ty).unwrap_or(1);
        if count > 1 && count < u32::from(n) {
            let (a, b) = (self.type_name(ty), self.type_name(to));
            self.report(Code::BadIndex, span, format!("the position has {count} components and needs {n}"))
                .label(format!("`{a}`, not `{b}`"));
            return None;
        }
        let e = self.convert(e, to, How::Implicit, "the position");
        if self.is_error(self.ty(e)) { None } else { Some(e) }
    }

    /// `texture.mips[level][position]`, `texture.sample[n][position]`
    pub(super) fn texel_of(
        &mut self,
        v: Val,
        name: ast::Name,
        which: ast::ExprId,
        position: ast::ExprId,
        span: Span,
    ) -> Val {
        let which = self.rvalue(which);
        let position = self.rvalue(position);
        let ty = self.val_ty(v);
        let samples = self.text(name.text) == "sample";
        let fits = |s: TextureShape| match samples {
            true => s.multisampled,
            false => s.has_mips() && s.dim != Dim::Cube,
        };
        let (shape, elem, writable) = match self.types.get(ty) {
            Type::Resource(Resource::Texture { shape, elem, writable })
                if fits(shape) && (samples || !writable) =>
            {
                (shape, elem, writable)
            }
            _ => {
                if !self.is_error(ty) {
                    let (shown, text) = (self.type_name(ty), self.text(name.text).to_string());
                    self.report(Code::NoMember, span, format!("`{shown}` has no member `{text}`"));
                }
                return Val::Value(self.error_value(span));
            }
        };
        if !self.dimensions_fit(position, shape.coords(), "the level or sample") {
            return Val::Value(self.error_value(span));
        }
        let (Some(coord), Some(which)) = (self.coord(position, shape.coords()), self.index_value(which))
        else {
            return Val::Value(self.error_value(span));
        };
        let resource = self.handle(v);
        let (lod, sample) = if samples { (None, Some(which)) } else { (Some(which), None) };
        if writable {
            return Val::Place(self.place(PlaceKind::Texel { resource, coord, sample }, elem, span));
        }
        let kind = ExprKind::TextureLoad { resource, coord, lod, sample, offset: None, status: None };
        Val::Value(self.node(kind, elem, span))
    }

    pub(super) fn resource_method(&mut self, object: Val, call: &MethodCall<'a>, args: Vec<Val>) -> Val {
        let span = call.span;
        if args.iter().any(|&a| self.is_error(self.val_ty(a))) {
            return Val::Value(self.error_value(span));
        }
        let text = self.text(call.name.text).to_string();
        let r = call.resource;
        match (r, text.as_str()) {
            (_, "GetDimensions") => return self.get_dimensions(object, r, args, span),
            (Resource::Structured { elem, .. }, "Load") if args.len() == 1 => {
                let i = self.load(args[0]);
                let Some(index) = self.index_value(i) else { return Val::Value(self.error_value(span)) };
                let resource = self.handle(object);
                let p = self.place(PlaceKind::BufferElement { resource, index }, elem, span);
                return Val::Value(self.node(ExprKind::Load(p), elem, span));
            }
            (Resource::Structured { writable: true, .. }, "IncrementCounter" | "DecrementCounter") => {
                if !args.is_empty() {
                    return self.wrong_count(&text, "no", args.len(), span);
                }
                let resource = self.handle(object);
                return Val::Value(self.count(resource, text == "DecrementCounter", span));
            }
            (Resource::Queue { elem, append: true }, "Append") => {
                let &[v] = args.as_slice() else {
                    return self.wrong_count(&text, "1", args.len(), span);
                };
                let value = self.load(v);
                let value = self.convert(value, elem, How::Implicit, "the element");
                if self.is_error(self.ty(value)) {
                    return Val::Value(value);
                }
                let (mut list, place) = self.queue_element(object, elem, false, span);
                list.push(self.node(ExprKind::Assign { place, value }, elem, span));
                return Val::Value(self.node(ExprKind::Sequence(list), Types::VOID, span));
            }
            (Resource::Queue { elem, append: false }, "Consume") => {
                if !args.is_empty() {
                    return self.wrong_count(&text, "no", args.len(), span);
                }
                let (before, place) = self.queue_element(object, elem, true, span);
                let e = self.node(ExprKind::Load(place), elem, span);
                return Val::Value(self.sequence(before, e));
            }
            (Resource::Structured { .. } | Resource::ByteAddress { .. }, "Load") if args.len() == 2 => {
                self.no_status("Load", span);
                return Val::Value(self.error_value(span));
            }
            (Resource::Structured { .. }, "Load") => {
                return self.wrong_count(&text, "1", args.len(), span);
            }
            (Resource::Texture { shape, elem, writable }, "Load") => {
                return self.texture_load(object, shape, elem, writable, args, span);
            }
            (Resource::Texture { shape, .. }, "GetSamplePosition") if shape.multisampled => {
                return self.sample_position(object, args, span);
            }
            (Resource::Texture { shape, elem, writable: false }, _) => {
                if let Some(v) = self.sample_method(object, (shape, elem), &text, &args, span) {
                    return v;
                }
            }
            (Resource::ByteAddress { writable }, _) => {
                if let Some(v) = self.byte_method(object, writable, &text, call, &args) {
                    return v;
                }
            }
            _ => {}
        }
        let name = self.types.resource_name(r);
        if let Some((_, help)) = NOT_IN_VULKAN.iter().find(|m| m.0 == text) {
            self.report_if_reached(
                Code::NotSupported,
                call.name.span,
                format!("Vulkan has nothing for `{text}`"),
            )
            .help(*help);
            return Val::Value(self.error_value(span));
        }
        if UNSUPPORTED.contains(&text.as_str()) {
            self.unsupported(call.name.span, &format!("method `{text}`"));
            return Val::Value(self.error_value(span));
        }
        let like = suggest::closest(&text, methods_of(r));
        let d = self.report(Code::NoMethod, call.name.span, format!("`{name}` has no method `{text}`"));
        if let Some(like) = like {
            d.help(format!("did you mean `{like}`?"));
        }
        Val::Value(self.error_value(span))
    }

    /// Reports a residency status of a buffer.
    pub(super) fn no_status(&mut self, method: &str, span: Span) {
        self.report_if_reached(Code::NotSupported, span, "buffers in Vulkan tell no residency status")
            .help(format!("leave the second argument out: `{method}(index)`"));
    }

    fn count(&mut self, resource: PlaceId, down: bool, span: Span) -> ExprId {
        let uint = self.scalar_ty(Scalar::U32);
        if let PlaceKind::Index(array, _) = self.f.places[resource.index()].kind
            && let PlaceKind::Field(..) = self.f.places[array.index()].kind
        {
            self.report_if_reached(
                Code::NotSupported,
                span,
                "the counter of a buffer in an array in a structure cannot be reached",
            )
            .help("use a variable that is an array of buffers, or one buffer in the structure");
        }
        self.node(ExprKind::Counter { resource, down }, uint, span)
    }

    /// The element that a buffer's counter leads to.
    fn queue_element(&mut self, object: Val, elem: TypeId, down: bool, span: Span) -> (Vec<ExprId>, PlaceId) {
        let resource = self.handle(object);
        let mut before = Vec::new();
        let resource = self.repeatable_handle(resource, &mut before);
        let Val::Place(again) = self.copy_val(Val::Place(resource)) else {
            return (before, self.place(PlaceKind::BufferElement { resource, index: ExprId(0) }, elem, span));
        };
        let index = self.count(resource, down, span);
        (before, self.place(PlaceKind::BufferElement { resource: again, index }, elem, span))
    }

    pub(super) fn wrong_count(&mut self, name: &str, want: &str, have: usize, span: Span) -> Val {
        let s = if want == "1" { "" } else { "s" };
        self.report(Code::NoOverload, span, format!("`{name}` takes {want} argument{s}, not {have}"));
        Val::Value(self.error_value(span))
    }

    /// `Load(position)`: the last component of the position is the level of detail.
    fn texture_load(
        &mut self,
        object: Val,
        shape: TextureShape,
        elem: TypeId,
        writable: bool,
        args: Vec<Val>,
        span: Span,
    ) -> Val {
        let n = shape.coords();
        let bare = writable || shape.dim == Dim::Buffer;
        let most = usize::from(shape.multisampled) + if bare { 1 } else { 2 };
        if args.is_empty() || args.len() > most + 1 {
            let want = format!("1 to {}", most + 1);
            return self.wrong_count("Load", &want, args.len(), span);
        }
        let mut args = args;
        let status = if args.len() > most { args.pop() } else { None };
        let status = match status.map(|v| self.status(v)) {
            Some(None) => return Val::Value(self.error_value(span)),
            status => status.flatten(),
        };
        if shape.dim == Dim::Cube {
            self.report(Code::NoMethod, span, "cube textures have no method `Load`");
            return Val::Value(self.error_value(span));
        }
        let position = self.load(args[0]);
        let with_lod = shape.has_mips() && !writable;
        let Some(whole) = self.coord(position, n + u8::from(with_lod)) else {
            return Val::Value(self.error_value(span));
        };
        if writable {
            let sample = match (shape.multisampled, args.get(1)) {
                (true, None) => return self.wrong_count("Load", "2 or 3", 1, span),
                (true, Some(&s)) => {
                    let s = self.load(s);
                    let int = self.scalar_ty(Scalar::I32);
                    Some(self.convert_number(s, int, "the sample"))
                }
                _ => None,
            };
            let resource = self.handle(object);
            if status.is_some() {
                let (lod, offset) = (None, None);
                let kind = ExprKind::TextureLoad { resource, coord: whole, lod, sample, offset, status };
                return Val::Value(self.node(kind, elem, span));
            }
            let p = self.place(PlaceKind::Texel { resource, coord: whole, sample }, elem, span);
            return Val::Value(self.node(ExprKind::Load(p), elem, span));
        }
        let mut before = Vec::new();
        let (coord, lod) = if with_lod {
            // The position is used twice: once for the coordinates, once for the level.
            let whole = self.repeatable(Val::Value(whole), &mut before);
            let again = self.copy_val(whole);
            let lod = self.part(again, u32::from(n), span);
            let lod = self.load(lod);
            let first: Vec<u8> = (0..n).collect();
            let scalar = self.types.component(self.val_ty(whole)).unwrap_or(Scalar::I32);
            let ty = self.types.vector(scalar, n);
            let coord = match (Components::new(&first), whole) {
                (Some(c), Val::Place(p)) => {
                    let p = self.place(PlaceKind::Swizzle(p, c), ty, span);
                    self.node(ExprKind::Load(p), ty, span)
                }
                (Some(_), Val::Value(e)) => match self.const_of(e) {
                    Some(Const::Composite(list)) => {
                        let mut parts = list[..n as usize].to_vec();
                        let c = if n == 1 { parts.remove(0) } else { Const::Composite(parts) };
                        self.constant(c, ty, span)
                    }
                    _ => e,
                },
                (None, _) => return Val::Value(self.error_value(span)),
            };
            (coord, Some(lod))
        } else {
            (whole, None)
        };
        let mut rest = args[1..].iter();
        let sample = match (shape.multisampled, rest.next()) {
            (true, Some(&s)) => {
                let s = self.load(s);
                let int = self.scalar_ty(Scalar::I32);
                Some(self.convert_number(s, int, "the sample"))
            }
            (true, None) => return self.wrong_count("Load", "2", 1, span),
            (false, offset) => {
                rest = match offset {
                    Some(_) => args[1..].iter(),
                    None => rest,
                };
                None
            }
        };
        let offset = match rest.next() {
            Some(&o) => {
                let o = self.load(o);
                let dims = n - u8::from(shape.arrayed);
                let ty = self.types.vector(Scalar::I32, dims);
                Some(self.convert(o, ty, How::Implicit, "the offset"))
            }
            None => None,
        };
        let resource = self.handle(object);
        let value =
            self.node(ExprKind::TextureLoad { resource, coord, lod, sample, offset, status }, elem, span);
        Val::Value(self.sequence(before, value))
    }

    /// `GetSamplePosition(n)`: a function of the library knows where samples lie.
    fn sample_position(&mut self, object: Val, args: Vec<Val>, span: Span) -> Val {
        let &[index] = args.as_slice() else {
            return self.wrong_count("GetSamplePosition", "1", args.len(), span);
        };
        let uint = self.scalar_ty(Scalar::U32);
        let resource = self.handle(object);
        let samples = self.node(ExprKind::Query { resource, query: Query::Samples, lod: None }, uint, span);
        let name = self.names.intern("__spirvc_sample_position");
        match self.library_entity(name) {
            Some(Entity::Functions(set)) => {
                self.call_set(set, None, vec![Val::Value(samples), index], span, name)
            }
            _ => {
                self.report(Code::Internal, span, "the library lacks the positions of samples");
                Val::Value(self.error_value(span))
            }
        }
    }

    /// The place of a residency status.
    pub(super) fn status(&mut self, v: Val) -> Option<PlaceId> {
        let at = self.val_span(v);
        let place = self.writable(v, at)?;
        let ty = self.place_ty(place);
        if self.types.get(ty) != Type::Scalar(Scalar::U32) {
            let shown = self.type_name(ty);
            self.report(
                Code::ArgumentNotAssignable,
                at,
                format!("the residency status is a `uint`, not `{shown}`"),
            )
            .help("declare a variable: `uint status;`");
            return None;
        }
        Some(place)
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
