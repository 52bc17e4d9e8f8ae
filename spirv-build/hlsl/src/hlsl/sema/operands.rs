//! What intrinsics and methods take, beyond what converts.
use super::{Checked, Refuse, Sema, Val};
use crate::diag::Code;
use crate::hlsl::hir::{ExprId, ExprKind, Intrinsic, PlaceId, Scalar, Type};
use crate::hlsl::intrinsics::Row;
use crate::hlsl::stages::StageSet;
use crate::source::Span;

impl Sema<'_> {
    /// Whether compute shaders have an intrinsic; reports when they have not, or only since a later shader model.
    pub(super) fn is_available(&mut self, row: &Row, span: Span) -> bool {
        let name = row.name;
        let stages = row.since.first().map_or(StageSet::ALL, |s| s.0);
        let Some(minor) = row.since(StageSet::COMPUTE) else {
            self.other_stage(span, &format!("`{name}`"), stages);
            return false;
        };
        if minor == 0 || self.options.shader_model().is_some_and(|v| v >= (6, minor)) {
            return true;
        }
        let elsewhere = stages.name();
        let (code, text) = match elsewhere {
            "" => (Code::NewerShaderModel, format!("`{name}` needs shader model 6.{minor}")),
            _ => (
                Code::NotInCompute,
                format!("`{name}` exists only in {elsewhere} before shader model 6.{minor}"),
            ),
        };
        self.report_if_reached(code, span, text).help(format!("compile with `-T cs_6_{minor}`"));
        // Code of a newer model can be made all the same; the warning may be turned off.
        elsewhere.is_empty()
    }

    /// Whether all operands are doubles, or literals that will be.
    pub(super) fn are_doubles(&mut self, name: &str, values: &[ExprId], span: Span) -> bool {
        let wrong = values.iter().find(|&&e| {
            let s = self.types.component(self.ty(e));
            !matches!(s, Some(Scalar::F64 | Scalar::LitFloat))
        });
        let Some(&wrong) = wrong else { return true };
        let shown = self.type_name(self.ty(wrong));
        let at = self.span(wrong);
        self.report(Code::NoOverload, span, format!("`{name}` takes doubles, not `{shown}`"))
            .secondary(at, format!("this is `{shown}`"))
            .help("use `mad`, or cast the operands to `double`");
        false
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
    pub(super) fn halves(&mut self, name: &str, v: Val, span: Span) -> ExprId {
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
            return self.node(ExprKind::Intrinsic(op, vec![v]), result, span);
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
        self.sequence(before, matrix)
    }
}
