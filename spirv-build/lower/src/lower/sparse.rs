//! Reads of images that also tell whether the memory was there: the residency status.

use super::function::Body;
use crate::hlsl::hir::{PlaceId, Scalar};
use crate::ir::{Member, Op, Operand, StructType, Type, TypeKind, Value};

/// A row each: instruction, the one that gives the status too.
const ROWS: &[(Op, Op)] = &[
    (Op::ImageSampleImplicitLod, Op::ImageSparseSampleImplicitLod),
    (Op::ImageSampleExplicitLod, Op::ImageSparseSampleExplicitLod),
    (Op::ImageSampleDrefImplicitLod, Op::ImageSparseSampleDrefImplicitLod),
    (Op::ImageSampleDrefExplicitLod, Op::ImageSparseSampleDrefExplicitLod),
    (Op::ImageFetch, Op::ImageSparseFetch),
    (Op::ImageGather, Op::ImageSparseGather),
    (Op::ImageDrefGather, Op::ImageSparseDrefGather),
    (Op::ImageRead, Op::ImageSparseRead),
];

impl Body<'_, '_> {
    /// An instruction that reads an image. Its status goes into a place, if one is given.
    pub(super) fn read_image(
        &mut self,
        op: Op,
        texel: Type,
        operands: &[Operand],
        status: Option<PlaceId>,
    ) -> Value {
        let (texel, code) = self.read_image_status(op, texel, operands, status.is_some());
        if let (Some(place), Some(code)) = (status, code) {
            self.store_status(place, code);
        }
        texel
    }

    /// Writes a status where it is wanted.
    pub(super) fn store_status(&mut self, place: PlaceId, code: Value) {
        let span = self.span;
        let place = self.place(place);
        self.store(&place, code);
        self.span = span;
    }

    /// What an instruction reads, and its status if that is wanted.
    pub(super) fn read_image_status(
        &mut self,
        op: Op,
        texel: Type,
        operands: &[Operand],
        wanted: bool,
    ) -> (Value, Option<Value>) {
        let Some(row) = ROWS.iter().find(|r| wanted && r.0 == op) else {
            return (self.value(op, texel, operands), None);
        };
        let code = self.l.scalar_type(Scalar::U32);
        let members = [("code", code), ("texel", texel)].map(|(name, ty)| Member::new(name, ty));
        let both = StructType::new("Resident", members.into());
        let both = self.l.out.ctx.types.intern(TypeKind::Struct(both));
        let both = self.value(row.1, both, operands);
        let code = self.value(Op::CompositeExtract, code, &[Operand::Id(both), Operand::Literal(0)]);
        let texel = self.value(Op::CompositeExtract, texel, &[Operand::Id(both), Operand::Literal(1)]);
        (texel, Some(code))
    }
}
