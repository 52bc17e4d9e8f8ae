//! Calls: overload resolution and arguments.
use super::convert::How;
use super::methods::MethodCall;
use super::scope::Entity;
use super::scope::Overload;
use super::shapes::Change;
use super::trial::Mismatch;
use super::{Checked, ParamInfo, Refuse, Reported, Sema, Val};
use crate::diag::Code;
use crate::hlsl::ast::ExprKind as E;
use crate::hlsl::hir::{
    Arg, ExprKind, FunctionId, ParamMode, PlaceId, PlaceKind, Resource, Scalar, SpirvArg, SpirvOp, StructId,
    Type, TypeId, Types,
};
use crate::hlsl::intrinsics::{self, Row, Shape, Sign};
use crate::hlsl::{ast, words};
use crate::source::{Span, Symbol};

/// The length of a cooperative matrix: its operand is a type, which no function takes.
const MATRIX_LENGTH: &str = "__builtin_spv_CooperativeMatrixLengthKHR";

/// Candidates that are listed in a message.
const MAX_LISTED: usize = 6;

impl<'a> Sema<'a> {
    pub(super) fn call(&mut self, callee: ast::ExprId, args: &'a [ast::ExprId], span: Span) -> Checked<Val> {
        let ast = self.ast;
        Ok(match &ast.expr(callee).kind {
            E::Path(path) => self.call_path(ast.path(*path), args, span)?,
            E::Member(base, name, targs) => {
                self.call_method(*base, *name, targs.map(|t| ast.args(t)), args, span)?
            }
            _ => {
                let v = self.expr(callee);
                if !self.is_error(self.val_ty(v)) {
                    let at = ast.expr(callee).span;
                    self.report(Code::NotCallable, at, "only functions can be called");
                }
                return Err(Reported);
            }
        })
    }

    fn values(&mut self, args: &[ast::ExprId]) -> Vec<Val> {
        args.iter().map(|&a| self.expr(a)).collect()
    }

    fn call_path(&mut self, path: &'a ast::Path, args: &'a [ast::ExprId], span: Span) -> Checked<Val> {
        let name = path.last().text;
        Ok(match self.lookup_scoped(path) {
            Some(Entity::Type(ty)) => Val::Value(self.construct(ty, args, span)?),
            Some(Entity::StructTemplate(t)) => {
                let ty = self.instantiate_struct(t, path);
                Val::Value(self.construct(ty, args, span)?)
            }
            Some(Entity::Functions(set)) => {
                let values = self.values(args);
                if let Some(targs) = &path.args {
                    return self.call_explicit(set, targs, None, values, span, path.last());
                }
                // An intrinsic of the same name stays callable where the user's functions do not fit.
                if path.parts.len() == 1
                    && let Some(row) = self.known(name).intrinsic
                    && (!self.set_fits(set, &values) || self.is_instruction(row, &values))
                {
                    return self.intrinsic(row, name, values, span);
                }
                return self.call_set(set, None, values, span, name);
            }
            Some(Entity::Local(_) | Entity::Global(_) | Entity::Field(..)) if path.args.is_none() => {
                let object = self.path_val(path, path.span)?;
                let values = self.values(args);
                let ty = self.val_ty(object);
                let name = words::CALL_OPERATOR;
                if let Type::Struct(s) = self.types.get(ty)
                    && let Some(Entity::Functions(set)) = self.lookup_in(self.structs[s.index()].scope, name)
                {
                    return self.call_set(set, Some(object), values, span, name);
                }
                if !self.is_error(ty) {
                    let text = self.path_text(path);
                    self.report(Code::NotCallable, path.span, format!("`{text}` is not a function"));
                }
                return Err(Reported);
            }
            Some(_) => {
                self.values(args);
                let text = self.path_text(path);
                return self
                    .report(Code::NotCallable, path.span, format!("`{text}` is not a function"))
                    .refuse();
            }
            None => {
                let plain = path.parts.len() == 1;
                if plain && self.text(name) == MATRIX_LENGTH {
                    return self.matrix_length(path, span);
                }
                if plain && self.text(name) == "printf" {
                    return Ok(Val::Value(self.printf(args, span)?));
                }
                let row = if plain { self.known(name).intrinsic } else { None };
                if let Some(row) = row {
                    let unsupported = row.shape == Shape::Unsupported;
                    let values = if unsupported { Vec::new() } else { self.values(args) };
                    return self.intrinsic(row, name, values, span);
                }
                if plain && self.known(name).builtin.is_some() {
                    let ty = self.resolve_path(path);
                    return Ok(Val::Value(self.construct(ty, args, span)?));
                }
                if self.in_vk(path) {
                    if let Some(ty) = self.vk_type(path) {
                        return Ok(Val::Value(self.construct(ty, args, span)?));
                    }
                    let values = self.values(args);
                    return self.vk_call(path, &values, span);
                }
                let values = self.values(args);
                if let Some(row) = intrinsics::find(&self.path_text(path)) {
                    return self.intrinsic(row, name, values, span);
                }
                self.undeclared(path, path.span, true);
                return Err(Reported);
            }
        })
    }

    /// Whether an intrinsic that the library has too is an instruction for these arguments.
    fn is_instruction(&self, row: &Row, args: &[Val]) -> bool {
        let [arg] = *args else { return false };
        let scalar = self.types.component(self.val_ty(arg));
        row.library && scalar.is_none_or(|s| s.is_float() || row.widths.have(s))
    }

    /// Calls an intrinsic: an instruction, a function of the library, or what other stages have.
    fn intrinsic(&mut self, row: &'static Row, name: Symbol, args: Vec<Val>, span: Span) -> Checked<Val> {
        if let Shape::Foreign(least, most, gives) = row.shape {
            return self.foreign_call(row, (least, most), gives, &args, span);
        }
        if (row.shape == Shape::Library || row.library)
            && !self.is_instruction(row, &args)
            && let Some(Entity::Functions(set)) = self.library_entity(name)
        {
            return self.call_set(set, None, args, span, name);
        }
        Ok(Val::Value(self.instruction(row, &args, span)?))
    }

    fn matrix_length(&mut self, path: &'a ast::Path, span: Span) -> Checked<Val> {
        let Some([ast::TemplateArg::Type(t)]) = path.args.as_deref() else {
            return self.report(Code::NoOverload, span, format!("`{MATRIX_LENGTH}` takes one type")).refuse();
        };
        let ty = self.resolve(t);
        if !matches!(self.types.get(ty), Type::Spirv(_)) {
            return Err(Reported);
        }
        let uint = self.scalar_ty(Scalar::U32);
        let op = SpirvOp { code: u32::from(spirv_spec::Op::CooperativeMatrixLengthKHR.0), glsl: false };
        Ok(Val::Value(self.node(ExprKind::Spirv(op, vec![SpirvArg::Type(ty)]), uint, span)))
    }

    fn call_method(
        &mut self,
        base: ast::ExprId,
        name: ast::Name,
        targs: Option<&'a [ast::TemplateArg]>,
        args: &'a [ast::ExprId],
        span: Span,
    ) -> Checked<Val> {
        let object = self.expr(base);
        let ty = self.val_ty(object);
        let text = self.text(name.text).to_string();
        match self.types.get(ty) {
            Type::Error => {
                self.values(args);
                return Err(Reported);
            }
            Type::Resource(Resource::Constant { .. } | Resource::TextureBuffer { .. }) => {}
            Type::Resource(_) | Type::RayQuery(_) => {
                let values = self.values(args);
                return self.method(&MethodCall { object, name, targs, span }, &values);
            }
            Type::BufferPointer { elem, .. } => {
                let values = self.values(args);
                return self.pointer_method(object, elem, name, &values, span);
            }
            Type::Foreign { .. } => {
                let values = self.values(args);
                return self.foreign_method(ty, name, &values, span);
            }
            _ => {}
        }
        let object = self.open_block(object);
        let values = self.values(args);
        let ty = self.val_ty(object);
        if let Type::Struct(s) = self.types.get(ty) {
            if let Some(Entity::Functions(set)) = self.lookup_in(self.structs[s.index()].scope, name.text) {
                if let Some(targs) = targs {
                    return self.call_explicit(set, targs, Some(object), values, span, name);
                }
                return self.call_set(set, Some(object), values, span, name.text);
            }
            let shown = self.type_name(ty);
            let scope = self.structs[s.index()].scope;
            let mut names: Vec<String> = self
                .scopes
                .names(scope)
                .filter(|(_, e)| matches!(e, Entity::Functions(_)))
                .map(|(n, _)| self.text(n).to_string())
                .collect();
            names.sort();
            return self
                .report(Code::NoMethod, name.span, format!("`{shown}` has no method `{text}`"))
                .suggest(&text, names.iter().map(String::as_str))
                .refuse();
        }
        let shown = self.type_name(ty);
        self.report(Code::NoMethod, name.span, format!("`{shown}` has no methods")).refuse()
    }

    /// What changes most of the arguments of a call; `None` if the function does not take them.
    pub(super) fn fits(&self, id: FunctionId, args: &[Val]) -> Option<Change> {
        let f = &self.funcs[id.index()];
        let required = f.params.iter().filter(|p| p.default.is_none()).count();
        if args.len() > f.params.len() || args.len() < required {
            return None;
        }
        args.iter()
            .zip(&f.params)
            .try_fold(Change::Nothing, |most, (&a, p)| Some(most.max(self.passes(a, p)?)))
    }

    /// What changes of an argument, on its way in or out; `None` if the parameter does not take it.
    fn passes(&self, a: Val, p: &ParamInfo) -> Option<Change> {
        let ty = self.val_ty(a);
        if p.groupshared {
            let same = matches!(a, Val::Place(place) if ty == p.ty && self.is_groupshared(place));
            return same.then_some(Change::Nothing);
        }
        let inward = if p.mode == ParamMode::Out { Change::Nothing } else { self.change(ty, p.ty)? };
        let outward = match p.mode {
            ParamMode::In => Change::Nothing,
            _ if !self.same_size(p.ty, ty) => return None,
            _ => self.change(p.ty, ty)?,
        };
        Some(inward.max(outward))
    }

    /// Whether a variable takes what comes back from a parameter: as many components, or, as dxc has it, one for all.
    fn same_size(&self, param: TypeId, variable: TypeId) -> bool {
        match (self.types.component_count(param), self.types.component_count(variable)) {
            (Some(n), Some(m)) => n == m || m == 1,
            _ => true,
        }
    }

    /// As [`Sema::fits`], for a call. Intrinsics take no vector for a number, and no matrix of another shape.
    fn takes(&self, id: FunctionId, args: &[Val]) -> Option<Change> {
        let change = self.fits(id, args)?;
        let intrinsic = || {
            let f = &self.funcs[id.index()];
            let vector = |ty| matches!(self.types.get(ty), Type::Vector(..));
            let row = intrinsics::find(self.text(f.ast.name.last().text));
            let signed = row.is_some_and(|r| r.sign == Sign::Signed);
            args.iter().zip(&f.params).all(|(&v, p)| {
                let ty = self.val_ty(v);
                let s = self.types.component(ty);
                (self.passes(v, p) < Some(Change::Shape) || vector(ty) && vector(p.ty))
                    && (!signed || s.is_some_and(|s| s.is_signed_int() && !s.is_relaxed() && s.bits() <= 32))
            })
        };
        (!self.is_of_library(id) || intrinsic()).then_some(change)
    }

    fn set_fits(&mut self, set: u32, args: &[Val]) -> bool {
        let unknown = args.iter().any(|&a| self.is_error(self.val_ty(a)));
        unknown
            || self.sets[set as usize].clone().into_iter().any(|o| match o {
                // A splat or truncation fits worse than any intrinsic would.
                Overload::Function(f) => self.fits(f, args).is_some_and(|c| c <= Change::Components),
                Overload::Template(t) => self.candidate(t, None, args, Span::default()).is_ok(),
            })
    }

    /// Calls the best function of an overload set.
    pub(super) fn call_set(
        &mut self,
        set: u32,
        object: Option<Val>,
        args: Vec<Val>,
        span: Span,
        name: Symbol,
    ) -> Checked<Val> {
        if args.iter().any(|&a| self.is_error(self.val_ty(a))) {
            return Err(Reported);
        }
        if let [Overload::Function(only)] = *self.sets[set as usize]
            && self.takes(only, &args).is_some()
        {
            return self.call_function(only, object, args, span);
        }
        // What is not likely cannot be better than what fits perfectly.
        if let Some(likely) = self.likely(set, &args) {
            let fits: Vec<FunctionId> =
                likely.into_iter().filter(|f| self.takes(*f, &args).is_some()).collect();
            if fits.iter().any(|f| self.is_perfect(*f, &args))
                && let Some(best) = self.best(&fits, fits.len(), &args)
            {
                return self.call_function(best, object, args, span);
            }
        }
        let overloads = self.sets[set as usize].clone();
        let (mut fits, mut mismatches, mut exact) = (Vec::new(), Vec::new(), false);
        for o in &overloads {
            if let Overload::Function(f) = *o
                && let Some(change) = self.takes(f, &args)
            {
                fits.push(f);
                exact |= change == Change::Nothing;
            }
        }
        let plain = fits.len();
        // Templates are looked at when no function fits without loss.
        if !exact {
            for o in &overloads {
                let Overload::Template(t) = *o else { continue };
                match self.candidate(t, None, &args, span) {
                    Ok(list) => {
                        fits.extend(self.instance(t, list, span).filter(|f| self.takes(*f, &args).is_some()))
                    }
                    Err(why) => mismatches.push((t, why)),
                }
            }
        }
        let Some(best) = self.best(&fits, plain, &args) else {
            self.report_no_call(&overloads, &fits, &mismatches, &args, span, name);
            return Err(Reported);
        };
        self.call_function(best, object, args, span)
    }

    fn report_no_call(
        &mut self,
        overloads: &[Overload],
        fits: &[FunctionId],
        mismatches: &[(u32, Mismatch)],
        args: &[Val],
        span: Span,
        name: Symbol,
    ) {
        let text = self.text(name).to_string();
        let given: Vec<_> = args.iter().map(|&a| self.type_name(self.val_ty(a))).collect();
        let given = given.join(", ");
        let list: Vec<FunctionId> = match fits.is_empty() {
            false => fits.to_vec(),
            true => overloads
                .iter()
                .filter_map(|o| match o {
                    Overload::Function(f) => Some(*f),
                    Overload::Template(_) => None,
                })
                .collect(),
        };
        let functions =
            list.iter().map(|f| (self.funcs[f.index()].span, format!("candidate: {}", self.signature(*f))));
        let templates = mismatches.iter().filter(|_| fits.is_empty()).filter_map(|(t, why)| {
            let why = &why.0.first()?.message;
            Some((self.templates[*t as usize].span, format!("does not fit: {why}")))
        });
        let shown: Vec<(Span, String)> = functions.chain(templates).take(MAX_LISTED).collect();
        let d = match fits.is_empty() {
            true => self.report(Code::NoOverload, span, format!("no function `{text}` takes ({given})")),
            false => self.report(
                Code::AmbiguousCall,
                span,
                format!("call of `{text}` with ({given}) is ambiguous"),
            ),
        };
        d.label(if fits.is_empty() { "no overload fits" } else { "several fit equally well" });
        for (at, what) in shown {
            d.secondary(at, what);
        }
    }

    /// `float f(float, out int)`
    pub(super) fn signature(&self, f: FunctionId) -> String {
        let f = &self.funcs[f.index()];
        let params: Vec<_> = f
            .params
            .iter()
            .map(|p| {
                let mode = match p.mode {
                    _ if p.groupshared => "groupshared ",
                    ParamMode::Out => "out ",
                    ParamMode::InOut => "inout ",
                    _ => "",
                };
                format!("{mode}{}", self.type_name(p.ty))
            })
            .collect();
        format!("{} {}({})", self.type_name(f.ret), f.name, params.join(", "))
    }

    /// Calls a function that takes the arguments.
    pub(super) fn call_function(
        &mut self,
        id: FunctionId,
        object: Option<Val>,
        args: Vec<Val>,
        span: Span,
    ) -> Checked<Val> {
        let attrs = self.funcs[id.index()].attrs;
        if self.find_vk(attrs, "ext_type_def").is_some() {
            return self.call_type_def(attrs, &args, span);
        }
        if self.funcs[id.index()].spirv.is_some() {
            return self.inline_spirv(id, &args, span);
        }
        let (ret, class, is_static, scope, count) = {
            let f = &self.funcs[id.index()];
            (f.ret, f.class, f.is_static, f.scope, f.params.len())
        };
        let mut list = Vec::with_capacity(count);
        if let Some(class) = class.filter(|_| !is_static) {
            let object = match (object, self.f.this) {
                (Some(o), _) => o,
                (None, Some((this, _))) => Val::Place(self.local_place(this, span)),
                (None, None) => {
                    let name = self.funcs[id.index()].name.clone();
                    return self
                        .report(Code::NotCallable, span, format!("method `{name}` needs an object"))
                        .refuse();
                }
            };
            let place = self.object_place(object, class, span)?;
            if let Some(local) = self.root_local(place) {
                self.f.passed.push((local, id, 0));
            }
            list.push(Arg::Ref(place));
        }
        let mut failed = Ok(());
        for i in 0..count {
            let p = &self.funcs[id.index()].params[i];
            let (ty, mode, default) = (p.ty, p.mode, p.default);
            let arg = match args.get(i) {
                Some(&v) if mode == ParamMode::In && self.val_ty(v) == ty => Ok(Arg::In(self.load(v))),
                Some(&v) => {
                    let (p, what) = (p.clone(), self.argument_name(id, i));
                    self.argument(v, &p, &what)
                }
                None => match default {
                    Some(e) => {
                        let what = self.argument_name(id, i);
                        let value = self.within(scope, |s| s.rvalue_as(e, ty, &what));
                        self.good(value).map(Arg::In)
                    }
                    None => Err(Reported),
                },
            };
            match arg {
                Ok(arg) => list.push(arg),
                Err(told) => failed = Err(told),
            }
        }
        // Also where it fails: what is wrong with the function may be known only where it is reached.
        self.f.calls.push((id, span));
        failed?;
        if let Type::RayQuery(_) = self.types.get(ret) {
            let place = self.ray_argument(ret, span);
            list.push(Arg::Ref(place));
            let call = self.node(ExprKind::Call(id, list), Types::VOID, span);
            return Ok(Val::Place(self.place(PlaceKind::After(call, place), ret, span)));
        }
        Ok(Val::Value(self.node(ExprKind::Call(id, list), ret, span)))
    }

    /// An argument as messages call it.
    fn argument_name(&self, id: FunctionId, index: usize) -> String {
        format!("argument {} of `{}`", index + 1, self.funcs[id.index()].name)
    }

    fn argument(&mut self, v: Val, p: &ParamInfo, what: &str) -> Checked<Arg> {
        let span = self.val_span(v);
        if p.mode == ParamMode::In {
            return self.implicit(v, p.ty, what).map(Arg::In);
        }
        if let Val::Value(e) = v {
            if !self.is_error(self.ty(e)) {
                let mode = if p.mode == ParamMode::Out { "out" } else { "inout" };
                let text = format!("{what} must be a variable");
                // It may be a cast of a variable, which dxc takes where it makes no code of it.
                let d = match self.types.get(self.ty(e)) {
                    Type::Struct(_) | Type::Array(..) => {
                        self.report_if_reached(Code::ArgumentNotAssignable, span, text)
                    }
                    _ => self.report(Code::ArgumentNotAssignable, span, text),
                };
                d.label("a value, not a variable").secondary(p.span, format!("the parameter is `{mode}`"));
            }
            return Err(Reported);
        }
        let place = match v {
            // It comes back as it went in, or the translation tells.
            Val::Place(place) if p.mode == ParamMode::InOut && self.is_handle(place) => place,
            _ => self.writable(v, span)?,
        };
        if p.mode == ParamMode::Ref {
            if self.place_ty(place) != p.ty {
                let (a, b) = (self.type_name(self.place_ty(place)), self.type_name(p.ty));
                let text = format!("{what} is `{a}`, not `{b}`");
                return self.report(Code::TypeMismatch, span, text).refuse();
            }
            return Ok(Arg::Ref(place));
        }
        let place_ty = self.place_ty(place);
        let result = self.node(ExprKind::Operand, p.ty, span);
        let copy_out = self.convert(result, place_ty, How::Implicit, what)?;
        if p.mode == ParamMode::Out {
            return Ok(Arg::Out { place, copy_out });
        }
        let current = self.node(ExprKind::Current, place_ty, span);
        let copy_in = self.convert(current, p.ty, How::Implicit, what)?;
        Ok(Arg::InOut { place, copy_in, copy_out })
    }

    /// The object of a method as a place of the class that declares it. What cannot be written is copied.
    fn object_place(&mut self, object: Val, class: StructId, span: Span) -> Checked<PlaceId> {
        let ty = self.val_ty(object);
        let Type::Struct(s) = self.types.get(ty) else { return Err(Reported) };
        let steps = self.types.base_distance(s, class).ok_or(Reported)?;
        let mut place = match object {
            Val::Place(p) if self.can_write(p) => p,
            other => {
                let value = self.load(other);
                self.place(PlaceKind::Temp(value), ty, span)
            }
        };
        for _ in 0..steps {
            place = self.field_place(place, 0, span);
        }
        Ok(place)
    }
}
