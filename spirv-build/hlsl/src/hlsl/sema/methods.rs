//! Calls of methods of resources and ray queries, by the rows of [`crate::hlsl::methods`].
use super::scope::Entity;
use super::{Checked, Refuse, Reported, Sema, Val};
use crate::diag::Code;
use crate::hlsl::ast;
use crate::hlsl::builtin::KnownStruct;
use crate::hlsl::hir::{
    AtomicOp, BinaryOp, Components, Const, ExprId, ExprKind, Intrinsic, PlaceId, PlaceKind, Query, Resource,
    Sample, SampleOp, Scalar, SpirvArg, SpirvOp, Type, TypeId, Types, UnaryOp,
};
use crate::hlsl::methods::{self, Does, Method, Objects, Param, Takes, Word};
use crate::hlsl::stages::Gives;
use crate::hlsl::types::{Dim, TextureShape};
use crate::source::Span;
use smallvec::SmallVec;
use spirv_spec::Op;

/// A call of a method.
pub(super) struct MethodCall<'a> {
    pub(super) object: Val,
    pub(super) name: ast::Name,
    pub(super) targs: Option<&'a [ast::TemplateArg]>,
    pub(super) span: Span,
}

/// What a method belongs to.
#[derive(Clone, Copy)]
struct Receiver {
    shape: TextureShape,
    elem: TypeId,
    /// Whether it can be written.
    writable: bool,
    /// Of a ray query.
    flags: u32,
}

/// An argument that was checked.
#[derive(Clone, Copy)]
enum Given {
    Value(ExprId),
    Place(PlaceId),
    /// As it is.
    Raw(Val),
}

type Arguments = SmallVec<[(Param, Given); 8]>;

impl<'a> Sema<'a> {
    /// A call of a method of a resource or ray query.
    pub(super) fn method(&mut self, call: &MethodCall<'a>, args: &[Val]) -> Checked<Val> {
        let span = call.span;
        let shape = TextureShape { dim: Dim::Buffer, arrayed: false, multisampled: false, combined: false };
        let mut on = Receiver { shape, elem: Types::ERROR, writable: true, flags: 0 };
        let of = match self.types.get(self.val_ty(call.object)) {
            Type::Resource(r) => {
                match r {
                    Resource::Texture { shape, elem, .. } => (on.shape, on.elem) = (shape, elem),
                    Resource::Structured { elem, .. } | Resource::Queue { elem, .. } => on.elem = elem,
                    _ => {}
                }
                on.writable = r.is_writable();
                Objects::of(r)
            }
            Type::RayQuery(flags) => {
                on.flags = flags;
                let Val::Place(query) = call.object else {
                    let at = call.name.span;
                    return self.report(Code::NotAssignable, at, "a ray query must be a variable").refuse();
                };
                if let Some(local) = self.root_local(query) {
                    self.f.locals[local.index()].written = true;
                }
                Objects::QUERY
            }
            _ => Objects::NONE,
        };
        if args.iter().any(|&a| self.is_error(self.val_ty(a))) {
            return Err(Reported);
        }
        let name = self.text(call.name.text).to_string();
        let (which, rows) = methods::find(&name, of);
        let Some(first) = rows.clone().next() else { return self.no_method(call, of, &name) };
        match first.does {
            Does::Unsupported => {
                self.unsupported(call.name.span, &format!("method `{name}`"));
                return Err(Reported);
            }
            Does::NotInVulkan(instead) => {
                let text = format!("Vulkan has nothing for `{name}`");
                return self
                    .report_if_reached(Code::NotSupported, call.name.span, text)
                    .help(instead)
                    .refuse();
            }
            _ => {}
        }
        let counts = rows.clone().map(|m| m.counts(on.shape));
        let fits = |m: &&&Method| (m.counts(on.shape).0..=m.counts(on.shape).1).contains(&args.len());
        let Some(row) = rows.clone().find(|m| fits(&m)) else {
            let least = counts.clone().map(|c| c.0).min().unwrap_or(0);
            return self.wrong_count(
                &name,
                (least, counts.map(|c| c.1).max().unwrap_or(0)),
                args.len(),
                span,
            );
        };
        if call.targs.is_some() && !matches!(row.does, Does::LoadBytes(1) | Does::StoreBytes(1)) {
            let text = format!("`{name}` takes no such template arguments");
            return self.report(Code::NoOverload, span, text).refuse();
        }
        if let Does::Sample(op) = row.does
            && !matches!(op, SampleOp::Gather(_))
        {
            self.can_sample(on.elem, row, span)?;
        }
        let (mut given, mut wrong) = (Arguments::new(), Ok(()));
        let mut rest = args.iter();
        for &param in row.params.iter().chain(row.more).filter(|p| p.is_of(on.shape)) {
            if param == Param::Zero {
                let ty = self.scalar_ty(Scalar::F32);
                given.push((param, Given::Value(self.constant(Const::Float(0.0), ty, span))));
            } else if let Some(&v) = rest.next() {
                // Each wrong argument is told.
                match self.given(param, v, on, row, span) {
                    Ok(one) => given.push((param, one)),
                    Err(told) => wrong = Err(told),
                }
            }
        }
        wrong?;
        if row.derives && self.options.shader_model().is_none_or(|v| v < (6, 6)) {
            let text =
                format!("`{name}` in a compute kernel needs shader model 6.6: derivatives choose the level");
            let help = "use `SampleLevel` or `SampleGrad`, or compile with `-T cs_6_6`";
            return self.report_if_reached(Code::NotInCompute, span, text).help(help).refuse();
        }
        self.does(call, row, on, which, given)
    }

    fn no_method(&mut self, call: &MethodCall<'a>, of: Objects, name: &str) -> Checked<Val> {
        let shown = self.type_name(self.val_ty(call.object));
        if methods::find(name, of.writable()).1.next().is_some() {
            return self.read_only(&shown, call.name.span);
        }
        let names: Vec<String> = methods::names(of).collect();
        self.report(Code::NoMethod, call.name.span, format!("`{shown}` has no method `{name}`"))
            .suggest(name, names.iter().map(String::as_str))
            .refuse()
    }

    /// Reports texels that cannot be filtered, or compared.
    fn can_sample(&mut self, elem: TypeId, row: &Method, span: Span) -> Checked<()> {
        if matches!(row.does, Does::Sample(SampleOp::Level | SampleOp::LevelUnclamped)) {
            return Ok(());
        }
        let new = self.options.shader_model().is_some_and(|v| v >= (6, 7));
        let help = match self.types.component(elem) {
            Some(s) if s.is_float() && s != Scalar::F64 => return Ok(()),
            Some(s) if s.is_int() && !row.compares() && new => return Ok(()),
            Some(s) if s.is_int() && !row.compares() => "compile with `-T cs_6_7`, or use `Load`",
            Some(s) if s.is_int() => "compare what `Load` or `Gather` gives",
            _ => "use `Load`",
        };
        let (shown, name) = (self.type_name(elem), row.name);
        self.report(Code::BadElementType, span, format!("`{name}` does not work on texels of `{shown}`"))
            .label(format!("gives `{shown}`"))
            .help(help)
            .refuse()
    }

    /// Checks an argument, and converts it to what the parameter takes.
    fn given(&mut self, param: Param, v: Val, on: Receiver, row: &Method, span: Span) -> Checked<Given> {
        let (takes, what) = param.takes();
        let coords = on.shape.coords();
        let ty = match takes {
            Takes::Anything => return Ok(Given::Raw(v)),
            Takes::Sampler(compares) => return self.sampler(v, compares, row.name, span).map(Given::Place),
            Takes::Status => return self.status(v).map(Given::Place),
            Takes::Answer(uint) => {
                let place = self.writable(v, self.val_span(v))?;
                self.takes_number(place, what)?;
                if uint {
                    self.takes_uint(place)?;
                }
                return Ok(Given::Place(place));
            }
            Takes::Refused => {
                let help = format!("leave the second argument out: `{}(index)`", row.name);
                let text = "buffers in Vulkan tell no residency status";
                return self.report_if_reached(Code::NotSupported, span, text).help(help).refuse();
            }
            Takes::Index => {
                let e = self.load(v);
                return self.index_value(e).map(Given::Value);
            }
            Takes::Texel => {
                let with_level = on.shape.has_mips() && !on.writable;
                let e = self.load(v);
                return self.coord(e, coords + u8::from(with_level)).map(Given::Value);
            }
            Takes::Number(s) => {
                let (e, ty) = (self.load(v), self.scalar_ty(s));
                return self.convert_number(e, ty, what).map(Given::Value);
            }
            Takes::Scalar(s) => self.scalar_ty(s),
            Takes::Coords(s) => self.types.vector(s, coords),
            Takes::Dims(s) => self.types.vector(s, coords - u8::from(on.shape.arrayed)),
            Takes::Element => on.elem,
            Takes::Structure => self.types.intern(Type::Resource(Resource::AccelerationStructure)),
            Takes::Ray => self.known_struct(KnownStruct::RayDesc),
        };
        self.implicit(v, ty, what).map(Given::Value)
    }

    /// A sampler that compares, or one that does not.
    fn sampler(&mut self, v: Val, compares: Option<bool>, name: &str, span: Span) -> Checked<PlaceId> {
        match (self.types.get(self.val_ty(v)), compares) {
            (Type::Resource(Resource::Sampler { comparison }), Some(wanted)) if comparison == wanted => {}
            (Type::Resource(Resource::Sampler { comparison }), None) => {
                if comparison && self.options.shader_model().is_none_or(|v| v < (6, 8)) {
                    let text = format!("`{name}` with a `SamplerComparisonState` needs shader model 6.8");
                    self.report_if_reached(Code::NewerShaderModel, span, text)
                        .help("use a `SamplerState`, or compile with `-T cs_6_8`");
                }
            }
            _ => {
                let (shown, at) = (self.type_name(self.val_ty(v)), self.val_span(v));
                let want = if compares == Some(true) { "SamplerComparisonState" } else { "SamplerState" };
                let text = format!("`{name}` takes a `{want}`, not `{shown}`");
                return self.report(Code::NoOverload, at, text).refuse();
            }
        }
        Ok(self.handle(v))
    }

    /// The place of a residency status.
    fn status(&mut self, v: Val) -> Checked<PlaceId> {
        let at = self.val_span(v);
        let place = self.writable(v, at)?;
        let ty = self.place_ty(place);
        if self.types.get(ty) == Type::Scalar(Scalar::U32) {
            return Ok(place);
        }
        let text = format!("the residency status is a `uint`, not `{}`", self.type_name(ty));
        self.report(Code::ArgumentNotAssignable, at, text).help("declare a variable: `uint status;`").refuse()
    }

    /// What a method is for arguments that were checked.
    fn does(
        &mut self,
        call: &MethodCall<'a>,
        row: &'static Method,
        on: Receiver,
        which: Objects,
        given: Arguments,
    ) -> Checked<Val> {
        let (object, span) = (call.object, call.span);
        let values: SmallVec<[ExprId; 8]> =
            given.iter().filter_map(|g| if let Given::Value(e) = g.1 { Some(e) } else { None }).collect();
        let raw: SmallVec<[Val; 4]> =
            given.iter().filter_map(|g| if let Given::Raw(v) = g.1 { Some(v) } else { None }).collect();
        let e = match row.does {
            Does::Sample(op) => self.sample(object, op, row, on, &given, span),
            Does::ReadTexel => self.read_texel(object, on, &given, span),
            Does::Query => return self.get_dimensions(object, &given, span),
            Does::SamplePosition => return self.sample_position(object, &raw, span),
            Does::ReadElement => {
                let resource = self.handle(object);
                let place = PlaceKind::BufferElement { resource, index: values[0] };
                let place = self.place(place, on.elem, span);
                self.node(ExprKind::Load(place), on.elem, span)
            }
            Does::Count(down) => {
                let resource = self.handle(object);
                self.count(resource, down, span)
            }
            Does::Append => {
                let (mut list, place) = self.queue_element(object, on.elem, false, span);
                list.push(self.node(ExprKind::Assign { place, value: values[0] }, on.elem, span));
                self.node(ExprKind::Sequence(list), Types::VOID, span)
            }
            Does::Consume => {
                let (before, place) = self.queue_element(object, on.elem, true, span);
                let e = self.node(ExprKind::Load(place), on.elem, span);
                self.sequence(before, e)
            }
            Does::LoadBytes(n) | Does::StoreBytes(n) => {
                self.bytes(call, n, values[0], raw.first().copied())?
            }
            Does::Atomic(op, word) => self.byte_atomic(object, row, (op, word), values[0], &raw, span)?,
            Does::Ray(..) | Does::NotRay(_) | Does::Trace => {
                return self.ray_call(object, row.does, on, which, &values, span);
            }
            Does::Unsupported | Does::NotInVulkan(_) => return Err(Reported),
        };
        Ok(Val::Value(e))
    }

    fn sample(
        &mut self,
        object: Val,
        op: SampleOp,
        row: &Method,
        on: Receiver,
        given: &Arguments,
        span: Span,
    ) -> ExprId {
        let mut sample = Sample {
            op,
            texture: self.handle(object),
            sampler: None,
            coord: ExprId(0),
            compare: None,
            bias: None,
            lod: None,
            grad: None,
            offsets: Vec::new(),
            clamp: None,
            status: None,
        };
        for &(param, given) in given {
            match (param, given) {
                (Param::Status, Given::Place(p)) => sample.status = Some(p),
                (_, Given::Place(p)) => sample.sampler = Some(p),
                (Param::Compare, Given::Value(e)) => sample.compare = Some(e),
                (Param::Bias, Given::Value(e)) => sample.bias = Some(e),
                (Param::Lod | Param::Zero, Given::Value(e)) => sample.lod = Some(e),
                (Param::Derivative, Given::Value(e)) => {
                    sample.grad = Some((sample.grad.map_or(e, |g| g.0), e));
                }
                (Param::Offset, Given::Value(e)) => sample.offsets.push(e),
                (Param::Clamp, Given::Value(e)) => sample.clamp = Some(e),
                (_, Given::Value(e)) => sample.coord = e,
                (_, Given::Raw(_)) => {}
            }
        }
        let scalar = self.types.component(on.elem).unwrap_or(Scalar::F32);
        let ty = match op {
            SampleOp::Level | SampleOp::LevelUnclamped => self.scalar_ty(Scalar::F32),
            SampleOp::Gather(_) => self.types.vector(scalar, 4),
            SampleOp::Sample if row.compares() => self.scalar_ty(scalar),
            SampleOp::Sample => on.elem,
        };
        self.node(ExprKind::Sample(Box::new(sample)), ty, span)
    }

    /// `Load(position)`: the last component of the position is the level of detail, where there are levels.
    fn read_texel(&mut self, object: Val, on: Receiver, given: &Arguments, span: Span) -> ExprId {
        let resource = self.handle(object);
        let (mut coord, mut sample, mut offset, mut status) = (ExprId(0), None, None, None);
        for &(param, given) in given {
            match (param, given) {
                (Param::Texel, Given::Value(e)) => coord = e,
                (Param::Sample, Given::Value(e)) => sample = Some(e),
                (_, Given::Value(e)) => offset = Some(e),
                (_, Given::Place(p)) => status = Some(p),
                (_, Given::Raw(_)) => {}
            }
        }
        if on.writable && status.is_none() {
            let place = self.place(PlaceKind::Texel { resource, coord, sample }, on.elem, span);
            return self.node(ExprKind::Load(place), on.elem, span);
        }
        let (mut before, mut lod) = (Vec::new(), None);
        let n = on.shape.coords();
        if on.shape.has_mips() && !on.writable {
            // The position is used twice: once for the coordinates, once for the level.
            let whole = self.repeatable(Val::Value(coord), &mut before);
            let again = self.copy_val(whole);
            let level = self.part(again, u32::from(n), span);
            lod = Some(self.load(level));
            if let Some(first) = Components::new(&[0, 1, 2][..usize::from(n)]) {
                let first = self.components(whole, first, span);
                coord = self.load(first);
            }
        }
        let load = ExprKind::TextureLoad { resource, coord, lod, sample, offset, status };
        let value = self.node(load, on.elem, span);
        self.sequence(before, value)
    }

    /// `GetDimensions(…)`: each `out` argument gets one answer.
    fn get_dimensions(&mut self, object: Val, given: &Arguments, span: Span) -> Checked<Val> {
        let (mut before, mut level) = (Vec::new(), None);
        let uint = self.scalar_ty(Scalar::U32);
        let object = self.handle(object);
        let mut object = self.repeatable_handle(object, &mut before);
        for &(param, given) in given {
            let (query, place) = match (param, given) {
                (Param::Answer(query) | Param::Count(query), Given::Place(place)) => (query, place),
                (_, Given::Value(e)) => {
                    level = Some(self.repeatable(Val::Value(e), &mut before));
                    continue;
                }
                _ => continue,
            };
            let again = self.copy_val(Val::Place(object));
            let resource = self.handle(again);
            let one = matches!(query, Query::Levels | Query::Samples | Query::Layers);
            let lod = level.filter(|_| !one).map(|l| {
                let l = self.copy_val(l);
                self.load(l)
            });
            let value = self.node(ExprKind::Query { resource, query, lod }, uint, span);
            before.push(self.store(place, value, "the argument", span)?);
            object = resource;
        }
        Ok(Val::Value(self.node(ExprKind::Sequence(before), Types::VOID, span)))
    }

    /// `GetSamplePosition(n)`: a function of the library knows where samples lie.
    fn sample_position(&mut self, object: Val, index: &[Val], span: Span) -> Checked<Val> {
        let uint = self.scalar_ty(Scalar::U32);
        let resource = self.handle(object);
        let samples = self.node(ExprKind::Query { resource, query: Query::Samples, lod: None }, uint, span);
        let name = self.names.intern("__spirvc_sample_position");
        let Some(Entity::Functions(set)) = self.library_entity(name) else {
            return self.report(Code::Internal, span, "the library lacks the positions of samples").refuse();
        };
        let args = [Val::Value(samples)].into_iter().chain(index.iter().copied()).collect();
        self.call_set(set, None, args, span, name)
    }

    fn count(&mut self, resource: PlaceId, down: bool, span: Span) -> ExprId {
        let uint = self.scalar_ty(Scalar::U32);
        if let PlaceKind::Index(array, _) = self.f.places[resource.index()].kind
            && let PlaceKind::Field(..) = self.f.places[array.index()].kind
        {
            let text = "the counter of a buffer in an array in a structure cannot be reached";
            self.report_if_reached(Code::NotSupported, span, text)
                .help("use a variable that is an array of buffers, or one buffer in the structure");
        }
        self.node(ExprKind::Counter { resource, down }, uint, span)
    }

    /// The element that a buffer's counter leads to.
    fn queue_element(&mut self, object: Val, elem: TypeId, down: bool, span: Span) -> (Vec<ExprId>, PlaceId) {
        let mut before = Vec::new();
        let resource = self.handle(object);
        let counted = self.repeatable_handle(resource, &mut before);
        let again = self.copy_val(Val::Place(counted));
        let resource = self.handle(again);
        let index = self.count(counted, down, span);
        (before, self.place(PlaceKind::BufferElement { resource, index }, elem, span))
    }

    /// `Load2(offset)`, `Store2(offset, value)`; `Load` and `Store` of a type that is written, or that of the value.
    fn bytes(&mut self, call: &MethodCall<'a>, n: u8, offset: ExprId, stored: Option<Val>) -> Checked {
        let span = call.span;
        let mut ty = self.types.vector(Scalar::U32, n);
        match (call.targs, stored) {
            (Some([ast::TemplateArg::Type(t)]), _) => ty = self.resolve(t),
            (Some(_), _) => {
                let name = self.text(call.name.text);
                let text = format!("`{name}` takes no such template arguments");
                return self.report(Code::NoOverload, span, text).refuse();
            }
            (None, Some(value)) if n == 1 => {
                let value_ty = self.val_ty(value);
                ty = match self.types.component(value_ty) {
                    Some(Scalar::LitInt | Scalar::Bool) => ty,
                    Some(Scalar::LitFloat) => self.types.with_component(value_ty, Scalar::F32),
                    _ => value_ty,
                };
            }
            _ => {}
        }
        if self.is_error(ty) {
            return Err(Reported);
        }
        if self.types.contains_resource(ty) || ty == Types::VOID {
            return self
                .report(Code::BadElementType, span, "this type cannot be stored in a buffer")
                .refuse();
        }
        let value = match stored {
            Some(v) => Some(self.implicit(v, ty, "the value")?),
            None => None,
        };
        let resource = self.handle(call.object);
        let place = self.place(PlaceKind::ByteElement { resource, offset }, ty, span);
        Ok(match value {
            Some(value) => {
                let e = self.node(ExprKind::Assign { place, value }, ty, span);
                self.node(ExprKind::Sequence(vec![e]), Types::VOID, span)
            }
            None => self.node(ExprKind::Load(place), ty, span),
        })
    }

    fn byte_atomic(
        &mut self,
        object: Val,
        row: &'static Method,
        (op, word): (AtomicOp, Word),
        offset: ExprId,
        args: &[Val],
        span: Span,
    ) -> Checked {
        let (signed, word) = match word {
            Word::Narrow => (Scalar::I32, Scalar::U32),
            Word::Wide => (Scalar::I64, Scalar::U64),
            // The bits are exchanged, and compared.
            Word::Float => (Scalar::F32, Scalar::F32),
        };
        let compares = matches!(op, AtomicOp::Min | AtomicOp::Max);
        let is_signed = compares && args.first().is_some_and(|&v| self.counts_as_signed(v, word));
        let ty = self.scalar_ty(if is_signed { signed } else { word });
        let resource = self.handle(object);
        let place = self.place(PlaceKind::ByteElement { resource, offset }, ty, span);
        self.atomic(row.name, op, (place, span), args, span)
    }

    /// Whether the value that a minimum or maximum takes makes it one of signed integers. Only what has the type of the
    /// words, and literals without a minus, do not.
    fn counts_as_signed(&self, v: Val, word: Scalar) -> bool {
        match (self.types.component(self.val_ty(v)), v) {
            (Some(Scalar::LitInt), Val::Value(e)) => {
                matches!(self.const_of(e), Some(Const::Int(n)) if *n < 0)
            }
            (Some(Scalar::LitInt), Val::Place(_)) => false,
            (s, _) => s != Some(word),
        }
    }

    fn ray_call(
        &mut self,
        object: Val,
        does: Does,
        on: Receiver,
        which: Objects,
        values: &[ExprId],
        span: Span,
    ) -> Checked<Val> {
        let mut operands = vec![SpirvArg::Reference(self.handle(object))];
        let uint = self.scalar_ty(Scalar::U32);
        // Which intersection is the second operand of what is asked about one.
        let number = [Objects::CANDIDATE, Objects::COMMITTED].iter().position(|o| *o == which);
        if let Some(n) = number {
            operands.push(SpirvArg::Value(self.constant(Const::Int(n as i64), uint, span)));
        }
        let e = match does {
            Does::Ray(op, gives) => {
                operands.extend(values.iter().map(|&e| SpirvArg::Value(e)));
                self.ray_instruction(op, operands, gives, span)
            }
            Does::NotRay(op) => {
                let e = self.ray_instruction(op, operands, Gives::Bool, span);
                self.node(ExprKind::Unary(UnaryOp::Not, e), self.ty(e), span)
            }
            _ => {
                let &[structure, flags, mask, ray] = values else { return Err(Reported) };
                // The flags of the type are added to those of the call.
                let own = self.constant(Const::Int(i64::from(on.flags)), uint, span);
                let flags = self.arith(BinaryOp::BitOr, flags, own, span)?;
                if let Some(&Const::Int(given)) = self.const_of(flags) {
                    self.opacity_allowed(given, span)?;
                }
                let mut before = Vec::new();
                let ray = self.repeatable(Val::Value(ray), &mut before);
                operands.extend([structure, flags, mask].map(SpirvArg::Value));
                // Origin, least distance, direction, largest distance: the order of the fields.
                for i in 0..4 {
                    let whole = self.copy_val(ray);
                    let part = self.part(whole, i, span);
                    operands.push(SpirvArg::Value(self.load(part)));
                }
                let e = self.ray_instruction(Op::RayQueryInitializeKHR, operands, Gives::Nothing, span);
                self.sequence(before, e)
            }
        };
        Ok(Val::Value(e))
    }

    fn ray_instruction(&mut self, code: Op, operands: Vec<SpirvArg>, gives: Gives, span: Span) -> ExprId {
        // Instructions give matrices of four rows.
        let turned = gives == Gives::Float3x4;
        let ty = self.gives_type(if turned { Gives::Float4x3 } else { gives });
        let op = SpirvOp { code: u32::from(code.0), glsl: false };
        let e = self.node(ExprKind::Spirv(op, operands), ty, span);
        if !turned {
            return e;
        }
        let ty = self.gives_type(gives);
        self.node(ExprKind::Intrinsic(Intrinsic::Transpose, vec![e]), ty, span)
    }

    /// Reports a wrong number of arguments.
    pub(super) fn wrong_count<T>(
        &mut self,
        name: &str,
        (least, most): (usize, usize),
        have: usize,
        span: Span,
    ) -> Checked<T> {
        let want = match (least, most) {
            (0, 0) => String::from("no"),
            (a, b) if a == b => a.to_string(),
            (a, b) if a + 1 == b => format!("{a} or {b}"),
            (a, usize::MAX) => format!("{a} or more"),
            (a, b) => format!("{a} to {b}"),
        };
        let s = if (least, most) == (1, 1) { "" } else { "s" };
        self.report(Code::NoOverload, span, format!("`{name}` takes {want} argument{s}, not {have}")).refuse()
    }
}
