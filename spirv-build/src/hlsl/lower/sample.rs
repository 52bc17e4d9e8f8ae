//! Sampling, gathers, levels of detail.

use super::function::Body;
use super::texture::texel_scalar;
use crate::hlsl::hir::{Sample, SampleOp, Scalar, TypeId};
use crate::ir::{ConstKind, Op, Operand, TypeKind, Value};
use spirv::ImageOperands;

impl<'h> Body<'_, 'h> {
    #[inline(never)]
    pub(super) fn sample(&mut self, s: &'h Sample, ty: TypeId) -> Value {
        let span = self.span;
        let Some((texture, _)) = self.resource(s.texture) else { return self.undef(ty) };
        let Some((sampler, _)) = self.resource(s.sampler) else { return self.undef(ty) };
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
            _ => {
                let help = "Vulkan allows constant offsets only; add the offset to the coordinates instead";
                self.l.unsupported(span, "an offset that is known at run time only", help);
                return self.undef(ty);
            }
        }
        if let Some(e) = s.clamp {
            mask |= ImageOperands::MIN_LOD;
            extra.push(Operand::Id(self.expr(e)));
        }
        self.span = span;
        let image_type = self.l.pointee(self.ty(texture));
        let both = self.l.out.ctx.types.intern(TypeKind::SampledImage(image_type));
        let (image, sampler) = (self.b().load(texture), self.b().load(sampler));
        let image = self.op(Op::SampledImage, both, &[image, sampler]);
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
}
