//! What belongs to other shader stages: known, checked a little, and a mistake where an entry point reaches it.
use super::{Checked, Refuse, Reported, Sema, Val};
use crate::diag::{Code, Diagnostic};
use crate::hlsl::ast;
use crate::hlsl::builtin::KnownStruct;
use crate::hlsl::hir::{ExprKind, Scalar, Type, TypeId, Types};
use crate::hlsl::intrinsics::Row;
use crate::hlsl::stages::{self, Args, Gives, StageSet};
use crate::source::Span;

impl<'a> Sema<'a> {
    /// Reports what belongs to another shader stage.
    pub(super) fn other_stage(&mut self, span: Span, what: &str, stage: StageSet) {
        let text = match stage.name() {
            "" => format!("{what} belongs to another shader stage than compute"),
            stage => format!("{what} belongs to {stage}, not to compute shaders"),
        };
        self.report_if_reached(Code::NotInCompute, span, text)
            .label("reached by a compute shader")
            .help("call it only in functions that no compute shader reaches");
    }

    /// The stage that a type, or the elements of an array, belongs to.
    pub(super) fn stage_of_type(&self, ty: TypeId) -> StageSet {
        match self.types.get(self.types.innermost(ty)) {
            Type::Foreign { name, .. } => stages::find(name).map_or(StageSet::ALL, |o| o.stage),
            _ => StageSet::ALL,
        }
    }

    /// A type of another stage, with its template arguments.
    pub(super) fn foreign_type(&mut self, name: &str, args: &'a [ast::TemplateArg], span: Span) -> TypeId {
        let Some(object) = stages::find(name) else { return Types::ERROR };
        let (mut elem, mut count) = (Types::ERROR, 0);
        let most = match object.args {
            Args::None => 0,
            Args::ElemAndCount => 2,
            // The number of samples may follow.
            Args::ElemOrFloat4 => 2,
            _ => 1,
        };
        let least = match object.args {
            Args::None | Args::ElemOrFloat4 => 0,
            _ => most,
        };
        if args.len() > most || args.len() < least {
            let how = if args.len() > most { "fewer" } else { "more" };
            self.report(Code::BadElementType, span, format!("`{name}` takes {how} template arguments"))
                .label(format!("given: {}", args.len()));
            return Types::ERROR;
        }
        let mut rest = args;
        if object.args != Args::Number
            && let [first, others @ ..] = args
        {
            let ast::TemplateArg::Type(t) = first else {
                self.report(Code::ExpectedType, span, "expected a type");
                return Types::ERROR;
            };
            elem = self.resolve(t);
            if self.is_error(elem) {
                return Types::ERROR;
            }
            rest = others;
        } else if object.args == Args::ElemOrFloat4 {
            elem = self.types.vector(Scalar::F32, 4);
        }
        if let [number, ..] = rest {
            let Some((n, at)) = self.template_int(number) else { return Types::ERROR };
            let Ok(n) = u32::try_from(n) else {
                self.report(Code::BadElementType, at, format!("`{name}` cannot take {n}"));
                return Types::ERROR;
            };
            count = n;
        }
        self.types.intern(Type::Foreign { name: object.name, elem, count })
    }

    /// Calls a function of another stage.
    pub(super) fn foreign_call(
        &mut self,
        row: &'static Row,
        (least, most): (u8, u8),
        gives: Gives,
        args: &[Val],
        span: Span,
    ) -> Checked<Val> {
        let name = row.name;
        if !(least.into()..=most.into()).contains(&args.len()) {
            return self.wrong_count(name, (least.into(), most.into()), args.len(), span);
        }
        if row.payload
            && let Some(&last) = args.last()
        {
            let (ty, at) = (self.val_ty(last), self.val_span(last));
            if !matches!(self.types.get(ty), Type::Struct(_) | Type::Error) {
                let shown = self.type_name(ty);
                return self
                    .report(Code::NoOverload, at, format!("the last argument of `{name}` is a structure"))
                    .label(format!("this is `{shown}`"))
                    .refuse();
            }
        }
        self.other_stage(span, &format!("`{name}`"), row.since.first().map_or(StageSet::ALL, |s| s.0));
        Ok(self.foreign_value(gives, Types::ERROR, args, span))
    }

    /// Calls a method of an object of another stage.
    pub(super) fn foreign_method(
        &mut self,
        ty: TypeId,
        name: ast::Name,
        args: &[Val],
        span: Span,
    ) -> Checked<Val> {
        let Type::Foreign { name: object, .. } = self.types.get(ty) else {
            return Err(Reported);
        };
        let text = self.text(name.text).to_string();
        let known = stages::find(object).ok_or(Reported)?;
        let mut methods = known.methods.iter().flat_map(|m| m.iter());
        let Some(&(_, least, most, gives)) = methods.find(|m| m.0 == text) else {
            let shown = self.type_name(ty);
            let names = known.methods.iter().flat_map(|m| m.iter()).map(|m| m.0);
            return self
                .report(Code::NoMethod, name.span, format!("`{shown}` has no method `{text}`"))
                .suggest(&text, names)
                .refuse();
        };
        if !(least.into()..=most.into()).contains(&args.len()) {
            return self.wrong_count(&text, (least.into(), most.into()), args.len(), span);
        }
        self.other_stage(name.span, &format!("method `{text}`"), known.stage);
        Ok(self.foreign_value(gives, ty, args, span))
    }

    /// What stands for the result of something that is not there.
    pub(super) fn foreign_value(&mut self, gives: Gives, of: TypeId, args: &[Val], span: Span) -> Val {
        let (elem, count) = match self.types.get(of) {
            Type::Foreign { elem, count, .. } => (elem, count),
            _ => (Types::ERROR, 0),
        };
        let ty = match gives {
            Gives::Object(name) => match stages::find(name) {
                Some(o) => self.types.intern(Type::Foreign { name: o.name, elem, count }),
                None => Types::ERROR,
            },
            Gives::First => match args.first() {
                Some(&v) => {
                    let v = self.load(v);
                    let v = self.settle(v);
                    self.ty(v)
                }
                None => Types::ERROR,
            },
            Gives::Elem => {
                let temp = self.temp(elem, span);
                return Val::Place(self.local_place(temp, span));
            }
            _ => self.gives_type(gives),
        };
        Val::Value(self.node(ExprKind::Zero, ty, span))
    }

    /// The type of a result that depends on nothing.
    pub(super) fn gives_type(&mut self, gives: Gives) -> TypeId {
        match gives {
            Gives::Nothing => Types::VOID,
            Gives::Bool => self.scalar_ty(Scalar::Bool),
            Gives::Uint => self.scalar_ty(Scalar::U32),
            Gives::Uint3 => self.types.vector(Scalar::U32, 3),
            Gives::Float => self.scalar_ty(Scalar::F32),
            Gives::Float2 => self.types.vector(Scalar::F32, 2),
            Gives::Float3 => self.types.vector(Scalar::F32, 3),
            Gives::Float3x4 => self.types.intern(Type::Matrix(Scalar::F32, 3, 4)),
            Gives::Float4x3 => self.types.intern(Type::Matrix(Scalar::F32, 4, 3)),
            Gives::Positions => self.known_struct(KnownStruct::TrianglePositions),
            Gives::First | Gives::Elem | Gives::Object(_) => Types::ERROR,
        }
    }

    /// Reports the functions among these that have values of types of other stages, if nothing else was said of them.
    pub(super) fn foreign_in_reached(&mut self, reached: &[bool]) {
        if !self.types.has_foreign() {
            return;
        }
        for (i, _) in reached.iter().enumerate().filter(|(_, r)| **r) {
            let Some(body) = &self.funcs[i].body else { continue };
            if !self.funcs[i].deferred.is_empty() {
                continue;
            }
            let locals = body.locals.iter().map(|l| (l.ty, l.span));
            let values = body.exprs.iter().map(|e| (e.ty, e.span));
            let places = body.places.iter().map(|p| (p.ty, p.span));
            let found = locals.chain(values).chain(places).find(|(ty, _)| self.types.contains_foreign(*ty));
            if let Some((ty, span)) = found {
                let (shown, stage) = (self.type_name(ty), self.stage_of_type(ty));
                let text = match stage.name() {
                    "" => format!("`{shown}` holds what belongs to another shader stage than compute"),
                    stage => format!("`{shown}` belongs to {stage}, not to compute shaders"),
                };
                let mut d = Diagnostic::new(Code::NotInCompute, Some(span), text);
                d.label("in a function that a compute shader reaches");
                self.funcs[i].deferred.push(d);
            }
        }
    }
}
