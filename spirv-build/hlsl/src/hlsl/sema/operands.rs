//! What intrinsics and methods take, beyond what converts.
use super::{Checked, Refuse, Reported, Sema, Val};
use crate::diag::Code;
use crate::hlsl::hir::{ExprId, ExprKind, Intrinsic, PlaceId, Scalar, Type};
use crate::hlsl::intrinsics::Row;
use crate::hlsl::stages::StageSet;
use crate::source::Span;

impl Sema<'_> {
    /// Reports an intrinsic that compute shaders have not, or only since a later shader model.
    pub(super) fn is_available(&mut self, row: &Row, span: Span) -> Checked<()> {
        let name = row.name;
        let stages = row.since.first().map_or(StageSet::ALL, |s| s.0);
        let Some(minor) = row.since(StageSet::COMPUTE) else {
            self.other_stage(span, &format!("`{name}`"), stages);
            return Err(Reported);
        };
        if minor == 0 || self.options.shader_model().is_some_and(|v| v >= (6, minor)) {
            return Ok(());
        }
        let help = format!("compile with `-T cs_6_{minor}`");
        if stages.name().is_empty() {
            // Code of a newer model can be made all the same; the warning may be turned off.
            let text = format!("`{name}` needs shader model 6.{minor}");
            self.report_if_reached(Code::NewerShaderModel, span, text).help(help);
            return Ok(());
        }
        let text = format!("`{name}` exists only in {} before shader model 6.{minor}", stages.name());
        self.report_if_reached(Code::NotInCompute, span, text).help(help).refuse()
    }

    /// Reports operands that are no doubles, nor literals that will be.
    pub(super) fn are_doubles(&mut self, name: &str, values: &[ExprId], span: Span) -> Checked<()> {
        let double =
            |e: ExprId| matches!(self.types.component(self.ty(e)), Some(Scalar::F64 | Scalar::LitFloat));
        let Some(&wrong) = values.iter().find(|&&e| !double(e)) else { return Ok(()) };
        let (shown, at) = (self.type_name(self.ty(wrong)), self.span(wrong));
        self.report(Code::NoOverload, span, format!("`{name}` takes doubles, not `{shown}`"))
            .secondary(at, format!("this is `{shown}`"))
            .help("use `mad`, or cast the operands to `double`")
            .refuse()
    }

    /// Reports a variable that an intrinsic writes to and that is not one number.
    pub(super) fn takes_number(&mut self, place: PlaceId, what: &str) -> Checked<()> {
        let ty = self.place_ty(place);
        if self.types.component_count(ty) == Some(1) || self.is_error(ty) {
            return Ok(());
        }
        let (shown, span) = (self.type_name(ty), self.f.places[place.index()].span);
        self.report(Code::NoOverload, span, format!("{what} is one number, not `{shown}`"))
            .label(format!("this is `{shown}`"))
            .help("give a scalar variable")
            .refuse()
    }

    /// Reports a variable that is no `uint`, which is what buffers have for their sizes.
    pub(super) fn takes_uint(&mut self, place: PlaceId) -> Checked<()> {
        let ty = self.place_ty(place);
        if matches!(self.types.component(ty), Some(Scalar::U32 | Scalar::U64)) || self.is_error(ty) {
            return Ok(());
        }
        let (shown, at) = (self.type_name(ty), self.f.places[place.index()].span);
        self.report(Code::NoOverload, at, format!("`GetDimensions` of a buffer gives `uint`, not `{shown}`"))
            .label(format!("this is `{shown}`"))
            .help("give a variable that is `uint`")
            .refuse()
    }

    /// `f16tof32` and `f32tof16`; of matrices row by row.
    pub(super) fn halves(&mut self, name: &str, v: Val, span: Span) -> Checked {
        let to_float = name == "f16tof32";
        let v = self.load(v);
        let ty = self.ty(v);
        if self.types.component(ty).is_none() {
            return self.wrong_type(name, ty, span);
        }
        let (from, to, op) = if to_float {
            (Scalar::U32, Scalar::F32, Intrinsic::F16ToF32)
        } else {
            (Scalar::F32, Scalar::U32, Intrinsic::F32ToF16)
        };
        let v = self.cast_components(v, from);
        let result = self.types.with_component(ty, to);
        let Type::Matrix(_, rows, columns) = self.types.get(ty) else {
            return Ok(self.node(ExprKind::Intrinsic(op, vec![v]), result, span));
        };
        let row_ty = self.types.vector(to, columns);
        let mut before = Vec::new();
        let whole = self.repeatable(Val::Value(v), &mut before);
        let rows = (0..rows.into()).map(|i| {
            let again = self.copy_val(whole);
            let row = self.part(again, i, span);
            let row = self.load(row);
            self.node(ExprKind::Intrinsic(op, vec![row]), row_ty, span)
        });
        let rows = rows.collect();
        let matrix = self.node(ExprKind::Construct(rows), result, span);
        Ok(self.sequence(before, matrix))
    }
}
