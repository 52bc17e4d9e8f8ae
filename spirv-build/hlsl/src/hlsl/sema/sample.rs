//! Methods of textures that take a sampler.
use super::convert::How;
use super::{Sema, Val};
use crate::diag::Code;
use crate::hlsl::hir::{Const, ExprId, ExprKind, Resource, Sample, SampleOp, Scalar, Type, TypeId};
use crate::hlsl::types::{Dim, TextureShape};
use crate::source::Span;

/// What the arguments behind sampler and coordinates are, in order.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    Compare,
    Bias,
    Lod,
    /// Level 0, which is not written.
    Zero,
    Grad,
}

/// A method.
struct Row {
    name: &'static str,
    op: SampleOp,
    takes: &'static [Takes],
    /// Whether a least level may follow the offset.
    clamps: bool,
}

const fn row(name: &'static str, takes: &'static [Takes], clamps: bool) -> Row {
    Row { name, op: SampleOp::Sample, takes, clamps }
}

const fn gather(name: &'static str, component: u8, takes: &'static [Takes]) -> Row {
    Row { name, op: SampleOp::Gather(component), takes, clamps: false }
}

const ROWS: &[Row] = {
    use Takes::*;
    &[
        row("Sample", &[], true),
        row("SampleBias", &[Bias], true),
        row("SampleLevel", &[Lod], false),
        row("SampleGrad", &[Grad], true),
        row("SampleCmp", &[Compare], true),
        row("SampleCmpBias", &[Compare, Bias], true),
        row("SampleCmpGrad", &[Compare, Grad], true),
        row("SampleCmpLevel", &[Compare, Lod], false),
        row("SampleCmpLevelZero", &[Compare, Zero], false),
        gather("Gather", 0, &[]),
        gather("GatherRed", 0, &[]),
        gather("GatherGreen", 1, &[]),
        gather("GatherBlue", 2, &[]),
        gather("GatherAlpha", 3, &[]),
        gather("GatherCmp", 0, &[Compare]),
        gather("GatherCmpRed", 0, &[Compare]),
        Row { name: "CalculateLevelOfDetail", op: SampleOp::Level, takes: &[], clamps: false },
        Row {
            name: "CalculateLevelOfDetailUnclamped",
            op: SampleOp::LevelUnclamped,
            takes: &[],
            clamps: false,
        },
    ]
};

/// Names of the methods.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    ROWS.iter().map(|r| r.name)
}

impl Sema<'_> {
    /// A call of one of the methods; `None` when there is none of this name.
    pub(super) fn sample_method(
        &mut self,
        object: Val,
        (shape, elem): (TextureShape, TypeId),
        name: &str,
        args: &[Val],
        span: Span,
    ) -> Option<Val> {
        let row = ROWS.iter().find(|r| r.name == name)?;
        let result = self.sample_call(object, shape, elem, row, args, span);
        Some(Val::Value(result.unwrap_or_else(|| self.error_value(span))))
    }

    /// Whether texels of a type can be filtered, or compared; reports when they cannot.
    fn can_sample(&mut self, elem: TypeId, name: &str, compares: bool, span: Span) -> bool {
        let new = self.options.shader_model().is_some_and(|v| v >= (6, 7));
        let help = match self.types.component(elem) {
            Some(s) if s.is_float() && s != Scalar::F64 => return true,
            Some(s) if s.is_int() && !compares && new => return true,
            Some(s) if s.is_int() && !compares => "compile with `-T cs_6_7`, or use `Load`",
            Some(s) if s.is_int() => "compare what `Load` or `Gather` gives",
            _ => "use `Load`",
        };
        let shown = self.type_name(elem);
        self.report(Code::BadElementType, span, format!("`{name}` does not work on texels of `{shown}`"))
            .label(format!("gives `{shown}`"))
            .help(help);
        false
    }

    fn sample_call(
        &mut self,
        object: Val,
        shape: TextureShape,
        elem: TypeId,
        row: &'static Row,
        args: &[Val],
        span: Span,
    ) -> Option<ExprId> {
        let name = row.name;
        let gathers = matches!(row.op, SampleOp::Gather(_));
        let levels = matches!(row.op, SampleOp::Level | SampleOp::LevelUnclamped);
        let two = matches!(shape.dim, Dim::D2 | Dim::Cube);
        let compares = row.takes.contains(&Takes::Compare);
        if !gathers && !levels && !self.can_sample(elem, name, compares, span) {
            return None;
        }
        if !shape.has_mips() || (gathers && !two) {
            let shown = self.type_name(self.val_ty(object));
            self.report(Code::NoMethod, span, format!("`{shown}` has no method `{name}`"));
            return None;
        }
        // The sampler is the first argument, unless one comes with the texture.
        let first = usize::from(!shape.combined);
        let own = first
            + 1
            + row
                .takes
                .iter()
                .map(|t| match t {
                    Takes::Zero => 0,
                    Takes::Grad => 2,
                    _ => 1,
                })
                .sum::<usize>();
        let offsets_allowed = !levels && shape.dim != Dim::Cube;
        let most = own + usize::from(offsets_allowed) + usize::from(row.clamps);
        // The residency status is behind all that there can be else.
        let colour = gathers && offsets_allowed && row.name.len() > "Gather".len();
        let (args, status) = match args {
            [rest @ .., last] if !levels && (rest.len() == most || colour && rest.len() == own + 4) => {
                (rest, Some(self.status(*last)?))
            }
            _ => (args, None),
        };
        let four = colour && args.len() == own + 4;
        if args.len() < own || (args.len() > most && !four) {
            let most = most + usize::from(!levels);
            self.wrong_count(name, &format!("{own} to {most}"), args.len(), span);
            return None;
        }
        match self.types.get(self.val_ty(args[0])) {
            _ if shape.combined => {}
            Type::Resource(Resource::Sampler { comparison }) if comparison == compares => {}
            Type::Resource(Resource::Sampler { .. }) if levels => {
                if self.options.shader_model().is_none_or(|v| v < (6, 8)) {
                    let text = format!("`{name}` with a `SamplerComparisonState` needs shader model 6.8");
                    self.report_if_reached(Code::NewerShaderModel, span, text)
                        .help("use a `SamplerState`, or compile with `-T cs_6_8`");
                }
            }
            _ => {
                let (shown, at) = (self.type_name(self.val_ty(args[0])), self.val_span(args[0]));
                let want = if compares { "SamplerComparisonState" } else { "SamplerState" };
                self.report(Code::NoOverload, at, format!("`{name}` takes a `{want}`, not `{shown}`"));
                return None;
            }
        }
        let dims = shape.coords() - u8::from(shape.arrayed);
        let float = |s: &mut Self, v: Val, n: u8, what: &str| {
            let ty = s.types.vector(Scalar::F32, n);
            let e = s.load(v);
            let e = s.convert(e, ty, How::Implicit, what);
            if s.is_error(s.ty(e)) { None } else { Some(e) }
        };
        let number = |s: &mut Self, v: Val, what: &str| {
            let ty = s.scalar_ty(Scalar::F32);
            let e = s.load(v);
            let e = s.convert_number(e, ty, what);
            if s.is_error(s.ty(e)) { None } else { Some(e) }
        };
        let coord = float(self, args[first], if levels { dims } else { shape.coords() }, "the coordinates")?;
        let texture = self.handle(object);
        let sampler = (!shape.combined).then(|| self.handle(args[0]));
        let mut sample = Sample {
            op: row.op,
            texture,
            sampler,
            coord,
            compare: None,
            bias: None,
            lod: None,
            grad: None,
            offsets: Vec::new(),
            clamp: None,
            status,
        };
        let mut rest = args[first + 1..].iter().copied();
        for takes in row.takes {
            match takes {
                Takes::Zero => {
                    let ty = self.scalar_ty(Scalar::F32);
                    sample.lod = Some(self.constant(Const::Float(0.0), ty, span));
                }
                Takes::Compare => {
                    sample.compare = Some(number(self, rest.next()?, "the value compared with")?)
                }
                Takes::Bias => sample.bias = Some(number(self, rest.next()?, "the bias")?),
                Takes::Lod => sample.lod = Some(number(self, rest.next()?, "the level of detail")?),
                Takes::Grad => {
                    let x = float(self, rest.next()?, dims, "the derivative")?;
                    sample.grad = Some((x, float(self, rest.next()?, dims, "the derivative")?));
                }
            }
        }
        for _ in 0..if four { 4 } else { usize::from(offsets_allowed) } {
            let Some(v) = rest.next() else { break };
            let ty = self.types.vector(Scalar::I32, dims);
            let e = self.load(v);
            let e = self.convert(e, ty, How::Implicit, "the offset");
            if self.is_error(self.ty(e)) {
                return None;
            }
            sample.offsets.push(e);
        }
        if let Some(v) = rest.next() {
            sample.clamp = Some(number(self, v, "the least level of detail")?);
        }
        let scalar = self.types.component(elem).unwrap_or(Scalar::F32);
        let ty = match row.op {
            _ if levels => self.scalar_ty(Scalar::F32),
            SampleOp::Gather(_) => self.types.vector(scalar, 4),
            _ if compares => self.scalar_ty(scalar),
            _ => elem,
        };
        let implicit = levels || (!gathers && sample.lod.is_none() && sample.grad.is_none());
        if implicit && self.options.shader_model().is_none_or(|v| v < (6, 6)) {
            self.report_if_reached(
                Code::NotInCompute,
                span,
                format!("`{name}` in a compute kernel needs shader model 6.6: derivatives choose the level"),
            )
            .help("use `SampleLevel` or `SampleGrad`, or compile with `-T cs_6_6`");
            return None;
        }
        Some(self.node(ExprKind::Sample(Box::new(sample)), ty, span))
    }
}
