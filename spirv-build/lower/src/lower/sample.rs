//! Sampling, gathers, levels of detail.

use super::function::Body;
use super::texture::texel_scalar;
use crate::hlsl::hir::{PlaceId, Sample, SampleOp, Scalar, TypeId};
use crate::ir::{ConstKind, Op, Operand, TypeKind, Value};
use spirv_spec::ImageOperands;

impl<'h> Body<'_, 'h> {
    #[inline(never)]
    pub(super) fn sample(&mut self, s: &'h Sample, ty: TypeId) -> Value {
        let span = self.span;
        let Some((texture, _)) = self.resource(s.texture) else { return self.undef(ty) };
        let sampler = match s.sampler.map(|p| self.resource(p)) {
            Some(None) => return self.undef(ty),
            sampler => sampler.flatten(),
        };
        let coord = self.expr(s.coord);
        let compare = s.compare.map(|e| self.expr(e));
        let (mut mask, mut extra) = (ImageOperands::NONE, Vec::new());
        for (bit, value) in [(ImageOperands::BIAS, s.bias), (ImageOperands::LOD, s.lod)] {
            if let Some(e) = value {
                mask |= bit;
                extra.push(Operand::Id(self.expr(e)));
            }
        }
        if let Some((x, y)) = s.grad {
            mask |= ImageOperands::GRAD;
            for e in [x, y] {
                extra.push(Operand::Id(self.expr(e)));
            }
        }
        let offsets: Vec<Value> = s.offsets.iter().map(|e| self.expr(*e)).collect();
        self.span = span;
        let known: Option<Vec<_>> = offsets.iter().map(|v| self.func.as_const(*v)).collect();
        let gather = matches!(s.op, SampleOp::Gather(_));
        let mut each: Vec<Value> = Vec::new();
        match (offsets.as_slice(), known.as_deref()) {
            ([], _) => {}
            ([one], None) if gather => {
                mask |= ImageOperands::OFFSET;
                extra.push(Operand::Id(*one));
            }
            // Perhaps it is constant once calls are inlined: `abi::vulkan` looks again.
            ([one], _) => {
                mask |= ImageOperands::CONST_OFFSET;
                extra.push(Operand::Id(*one));
            }
            ([one, ..], Some(all)) => {
                let elem = self.ty(*one);
                let array = TypeKind::Array { elem, len: all.len() as u32, stride: None };
                let array = self.l.out.ctx.types.intern(array);
                let all = self.l.out.ctx.constant(array, ConstKind::Composite(all.to_vec()));
                mask |= ImageOperands::CONST_OFFSETS;
                let all = self.b().constant(all);
                extra.push(Operand::Id(all));
            }
            // Each of the four texels is one of a gather of its own.
            _ => each = offsets.clone(),
        }
        if let Some(e) = s.clamp {
            mask |= ImageOperands::MIN_LOD;
            extra.push(Operand::Id(self.expr(e)));
        }
        self.span = span;
        let mut image = self.b().load(texture);
        if let Some((sampler, _)) = sampler {
            let image_type = self.ty(image);
            let both = self.l.out.ctx.types.intern(TypeKind::SampledImage(image_type));
            let sampler = self.b().load(sampler);
            image = self.op(Op::SampledImage, both, &[image, sampler]);
        }
        let scalar = self.component(ty, span);
        if matches!(s.op, SampleOp::Level | SampleOp::LevelUnclamped) {
            let pair = self.l.vector_type(Scalar::F32, 2);
            let levels = self.op(Op::ImageQueryLod, pair, &[image, coord]);
            return self.shuffle(levels, &[u8::from(s.op == SampleOp::LevelUnclamped)]);
        }
        let explicit = s.lod.is_some() || s.grad.is_some();
        let code = match (s.op, compare.is_some(), explicit) {
            (SampleOp::Gather(_), true, _) => Op::ImageDrefGather,
            (SampleOp::Gather(_), false, _) => Op::ImageGather,
            (_, false, false) => Op::ImageSampleImplicitLod,
            (_, false, true) => Op::ImageSampleExplicitLod,
            (_, true, false) => Op::ImageSampleDrefImplicitLod,
            (_, true, true) => Op::ImageSampleDrefExplicitLod,
        };
        let mut operands = vec![Operand::Id(image), Operand::Id(coord)];
        match (s.op, compare) {
            (_, Some(c)) => operands.push(Operand::Id(c)),
            (SampleOp::Gather(n), None) => {
                let n = self.b().u32(u32::from(n));
                operands.push(Operand::Id(n));
            }
            _ => {}
        }
        if !each.is_empty() {
            return self.gather_each(code, &operands, &each, s.status, ty);
        }
        if mask != ImageOperands::NONE {
            operands.push(Operand::Literal(mask.bits()));
            operands.extend(extra);
        }
        if compare.is_some() && !gather {
            let result = self.l.scalar_type(texel_scalar(scalar));
            let one = self.read_image(code, result, &operands, s.status);
            return self.cast(one, texel_scalar(scalar), scalar);
        }
        let texel = self.l.vector_type(texel_scalar(scalar), 4);
        let all = self.read_image(code, texel, &operands, s.status);
        self.of_texel(all, ty)
    }

    /// A gather with an offset for each of the four texels, which are not all constant. The status is that of a gather that was
    /// not resident, if there is one.
    fn gather_each(
        &mut self,
        code: Op,
        operands: &[Operand],
        offsets: &[Value],
        status: Option<PlaceId>,
        ty: TypeId,
    ) -> Value {
        let scalar = self.component(ty, self.span);
        let texel = self.l.vector_type(texel_scalar(scalar), 4);
        let part = self.l.scalar_type(texel_scalar(scalar));
        let (mut parts, mut all) = (Vec::new(), None);
        for (i, offset) in offsets.iter().enumerate() {
            let mut operands = operands.to_vec();
            operands.push(Operand::Literal(ImageOperands::OFFSET.bits()));
            operands.push(Operand::Id(*offset));
            let (four, one) = self.read_image_status(code, texel, &operands, status.is_some());
            parts.push(self.b().extract(four, part, &[i as u32]));
            all = match (all, one) {
                (Some(before), Some(now)) => {
                    let (bool_type, uint) = (self.l.scalar_type(Scalar::Bool), self.ty(now));
                    let resident = self.op(Op::ImageSparseTexelsResident, bool_type, &[before]);
                    Some(self.op(Op::Select, uint, &[resident, now, before]))
                }
                (before, now) => before.or(now),
            };
        }
        if let (Some(place), Some(code)) = (status, all) {
            self.store_status(place, code);
        }
        let result = self.op(Op::CompositeConstruct, texel, &parts);
        self.of_texel(result, ty)
    }
}
