//! `GetDimensions` of resources.
use super::convert::How;
use super::{Sema, Val};
use crate::diag::Code;
use crate::hlsl::hir::{ExprKind, Query, Resource, Scalar, Types};
use crate::hlsl::types::Dim;
use crate::source::Span;

impl Sema<'_> {
    /// `GetDimensions(…)`: each `out` argument gets one answer.
    pub(super) fn get_dimensions(&mut self, object: Val, r: Resource, args: Vec<Val>, span: Span) -> Val {
        let mut queries = Vec::new();
        let mut mip_form = None;
        match r {
            Resource::Structured { .. } | Resource::Queue { .. } => {
                queries.extend([Query::Elements, Query::Stride])
            }
            Resource::ByteAddress { .. } => queries.push(Query::Bytes),
            Resource::Texture { shape, writable, .. } => {
                match shape.dim {
                    Dim::Buffer => queries.push(Query::Elements),
                    Dim::D1 => queries.push(Query::Width),
                    Dim::D2 | Dim::Cube => queries.extend([Query::Width, Query::Height]),
                    Dim::D3 => queries.extend([Query::Width, Query::Height, Query::Depth]),
                }
                if shape.arrayed {
                    queries.push(Query::Layers);
                }
                if shape.multisampled {
                    queries.push(Query::Samples);
                }
                if shape.has_mips() && !writable {
                    mip_form = Some(queries.len() + 2);
                }
            }
            _ => {
                let name = self.types.resource_name(r);
                self.report(Code::NoMethod, span, format!("`{name}` has no method `GetDimensions`"));
                return Val::Value(self.error_value(span));
            }
        }
        let buffer =
            matches!(r, Resource::Structured { .. } | Resource::ByteAddress { .. } | Resource::Queue { .. });
        let mut args = args.into_iter();
        let mut before = Vec::new();
        let mut lod = None;
        if Some(args.len()) == mip_form {
            queries.push(Query::Levels);
            if let Some(level) = args.next() {
                let level = self.load(level);
                let uint = self.scalar_ty(Scalar::U32);
                let level = self.convert_number(level, uint, "the level of detail");
                if self.is_error(self.ty(level)) {
                    return Val::Value(level);
                }
                lod = Some(self.repeatable(Val::Value(level), &mut before));
            }
        } else if args.len() != queries.len() {
            let want = match mip_form {
                Some(n) => format!("{} or {n}", queries.len()),
                None => queries.len().to_string(),
            };
            return self.wrong_count("GetDimensions", &want, args.len(), span);
        }
        let uint = self.scalar_ty(Scalar::U32);
        let object = self.handle(object);
        let mut object = self.repeatable_handle(object, &mut before);
        for (query, out) in queries.into_iter().zip(args) {
            let at = self.val_span(out);
            let Some(place) = self.writable(out, at) else { return Val::Value(self.error_value(span)) };
            let again = self.copy_val(Val::Place(object));
            let resource = self.handle(again);
            let level = match (query, lod) {
                (Query::Levels | Query::Samples | Query::Layers, _) | (_, None) => None,
                (_, Some(l)) => {
                    let l = self.copy_val(l);
                    Some(self.load(l))
                }
            };
            let value = self.node(ExprKind::Query { resource, query, lod: level }, uint, span);
            let ty = self.place_ty(place);
            if !self.takes_number(place, "the argument") {
                return Val::Value(self.error_value(span));
            }
            if buffer && !self.takes_uint(place) {
                return Val::Value(self.error_value(span));
            }
            let value = self.convert(value, ty, How::Implicit, "the argument");
            if self.is_error(self.ty(value)) {
                return Val::Value(value);
            }
            before.push(self.node(ExprKind::Assign { place, value }, ty, span));
            object = resource;
        }
        Val::Value(self.node(ExprKind::Sequence(before), Types::VOID, span))
    }
}
