//! Instructions of numbers, component by component.

use super::{Expansion, Target};
use crate::ir::{GlslOp, Op, Type, Value};
use std::f64::consts::PI;

type Result = Option<Value>;

pub(super) fn int_sign(e: &mut Expansion<'_>, ty: Type, ids: &[Value]) -> Result {
    let (one, less) = (e.int(ty, 1), e.int(ty, u64::MAX));
    let low = e.glsl(GlslOp::SMax, ty, &[*ids.first()?, less]);
    Some(e.glsl(GlslOp::SMin, ty, &[low, one]))
}

pub(super) fn fraction(e: &mut Expansion<'_>, ty: Type, ids: &[Value]) -> Result {
    let floor = e.glsl(GlslOp::Floor, ty, ids);
    Some(e.apart(Op::FSub, ty, &[*ids.first()?, floor]))
}

fn limited(e: &mut Expansion<'_>, ty: Type, ids: &[Value], max: GlslOp, min: GlslOp) -> Result {
    let &[x, low, high] = ids else { return None };
    let x = e.glsl(max, ty, &[x, low]);
    Some(e.glsl(min, ty, &[x, high]))
}

pub(super) fn clamp(e: &mut Expansion<'_>, ty: Type, ids: &[Value]) -> Result {
    limited(e, ty, ids, GlslOp::FMax, GlslOp::FMin)
}

pub(super) fn clamp_but_nan(e: &mut Expansion<'_>, ty: Type, ids: &[Value]) -> Result {
    limited(e, ty, ids, GlslOp::NMax, GlslOp::NMin)
}

pub(super) fn clamp_unsigned(e: &mut Expansion<'_>, ty: Type, ids: &[Value]) -> Result {
    limited(e, ty, ids, GlslOp::UMax, GlslOp::UMin)
}

pub(super) fn clamp_signed(e: &mut Expansion<'_>, ty: Type, ids: &[Value]) -> Result {
    limited(e, ty, ids, GlslOp::SMax, GlslOp::SMin)
}

pub(super) fn radians(e: &mut Expansion<'_>, ty: Type, ids: &[Value]) -> Result {
    let by = e.float(ty, PI / 180.0);
    Some(e.apart(Op::FMul, ty, &[*ids.first()?, by]))
}

pub(super) fn degrees(e: &mut Expansion<'_>, ty: Type, ids: &[Value]) -> Result {
    let by = e.float(ty, 180.0 / PI);
    Some(e.apart(Op::FMul, ty, &[*ids.first()?, by]))
}

/// x y + z
pub(super) fn product_and_sum(e: &mut Expansion<'_>, ty: Type, ids: &[Value]) -> Result {
    let &[x, y, z] = ids else { return None };
    let product = e.op(Op::FMul, ty, &[x, y]);
    Some(e.op(Op::FAdd, ty, &[product, z]))
}

/// x + (y - x) a, as HLSL and OpenCL define it.
pub(super) fn mix(e: &mut Expansion<'_>, ty: Type, ids: &[Value]) -> Result {
    let &[x, y, a] = ids else { return None };
    let span = e.op(Op::FSub, ty, &[y, x]);
    let part = e.op(Op::FMul, ty, &[span, a]);
    Some(e.op(Op::FAdd, ty, &[x, part]))
}

/// `FMix`. The CPU computes as HLSL defines `lerp`, one multiplication less; hosts get x (1 - a) + y a, as the instruction is defined.
pub(super) fn glsl_mix(e: &mut Expansion<'_>, ty: Type, ids: &[Value]) -> Result {
    let &[x, y, a] = ids else { return None };
    if e.target == Target::Cpu {
        return mix(e, ty, ids);
    }
    let one = e.float(ty, 1.0);
    let rest = e.op(Op::FSub, ty, &[one, a]);
    let (first, second) = (e.op(Op::FMul, ty, &[x, rest]), e.op(Op::FMul, ty, &[y, a]));
    Some(e.op(Op::FAdd, ty, &[first, second]))
}

pub(super) fn step(e: &mut Expansion<'_>, ty: Type, ids: &[Value]) -> Result {
    let &[edge, x] = ids else { return None };
    let truth = e.truth(ty);
    let below = e.op(Op::FOrdLessThan, truth, &[x, edge]);
    let (zero, one) = (e.float(ty, 0.0), e.float(ty, 1.0));
    Some(e.op(Op::Select, ty, &[below, zero, one]))
}

/// t² (3 - 2 t) for t = (x - low) / (high - low), limited to 0 and 1.
pub(super) fn smooth_step(e: &mut Expansion<'_>, ty: Type, ids: &[Value]) -> Result {
    let &[low, high, x] = ids else { return None };
    let (over, span) = (e.op(Op::FSub, ty, &[x, low]), e.op(Op::FSub, ty, &[high, low]));
    let t = e.op(Op::FDiv, ty, &[over, span]);
    let (zero, one) = (e.float(ty, 0.0), e.float(ty, 1.0));
    let t = limited(e, ty, &[t, zero, one], GlslOp::NMax, GlslOp::NMin)?;
    let (two, three) = (e.float(ty, 2.0), e.float(ty, 3.0));
    let twice = e.op(Op::FMul, ty, &[t, two]);
    let rest = e.op(Op::FSub, ty, &[three, twice]);
    let square = e.op(Op::FMul, ty, &[t, t]);
    Some(e.op(Op::FMul, ty, &[square, rest]))
}

/// `ModfStruct`.
pub(super) fn whole_and_rest(e: &mut Expansion<'_>, ty: Type, ids: &[Value]) -> Result {
    let &[x] = ids else { return None };
    let float = e.b.ctx.types.element(ty, 0)?;
    let whole = e.glsl(GlslOp::Trunc, float, ids);
    // Exact, whatever the operand is a product of: both parts make it again.
    let rest = e.apart(Op::FSub, float, &[x, whole]);
    Some(e.op(Op::CompositeConstruct, ty, &[rest, whole]))
}

/// `FrexpStruct`, by the bits of the float. Zero, infinity and NaN are their own parts.
pub(super) fn significand_and_exponent(e: &mut Expansion<'_>, ty: Type, ids: &[Value]) -> Result {
    let &[x] = ids else { return None };
    let (float, exponents) = (e.b.ctx.types.element(ty, 0)?, e.b.ctx.types.element(ty, 1)?);
    let width = e.b.ctx.types.width_of(float)?;
    // Bits of the significand, the bias of the exponent, and what denormals are multiplied by to be normal.
    let (fraction, bias, up) = match width {
        16 => (10u64, 14u64, 12u64),
        32 => (23, 126, 24),
        64 => (52, 1022, 54),
        _ => return None,
    };
    let bits_scalar = e.b.ctx.types.int(width, false);
    let (bits, truth) = (e.like(float, bits_scalar), e.truth(float));
    let size = e.glsl(GlslOp::FAbs, float, ids);
    let least = {
        let c = e.b.ctx.splat(float, crate::ir::ConstKind::Bits(1 << fraction));
        e.constant(c)
    };
    let tiny = e.op(Op::FOrdLessThan, truth, &[size, least]);
    let scale = e.float(float, 2f64.powi(up as i32));
    let scaled = e.apart(Op::FMul, float, &[x, scale]);
    let normal = e.op(Op::Select, float, &[tiny, scaled, x]);
    let word = e.op(Op::Bitcast, bits, &[normal]);
    let (shift, mask) = (e.int(bits, fraction), e.int(bits, (1 << (u64::from(width) - 1 - fraction)) - 1));
    let field = e.op(Op::ShiftRightLogical, bits, &[word, shift]);
    let field = e.op(Op::BitwiseAnd, bits, &[field, mask]);
    let (usual, lower) = (e.int(bits, bias), e.int(bits, bias + up));
    let bias_of = e.op(Op::Select, bits, &[tiny, lower, usual]);
    let exponent = e.op(Op::ISub, bits, &[field, bias_of]);
    let signed_scalar = e.b.ctx.types.int(width, true);
    let signed = e.like(float, signed_scalar);
    let mut exponent = e.op(Op::Bitcast, signed, &[exponent]);
    if signed != exponents {
        let same = e.b.ctx.types.width_of(exponents) == Some(width);
        exponent = e.op(if same { Op::Bitcast } else { Op::SConvert }, exponents, &[exponent]);
    }
    // The sign and the significand, with the exponent of what is at least a half.
    let sign_and_fraction = 1 << (width - 1) | ((1 << fraction) - 1);
    let (kept, half) = (e.int(bits, sign_and_fraction), e.int(bits, bias << fraction));
    let kept = e.op(Op::BitwiseAnd, bits, &[word, kept]);
    let part = e.op(Op::BitwiseOr, bits, &[kept, half]);
    let part = e.op(Op::Bitcast, float, &[part]);
    let zero = e.float(float, 0.0);
    let is_zero = e.op(Op::FOrdEqual, truth, &[x, zero]);
    let no_number = e.op(Op::IEqual, truth, &[field, mask]);
    let special = e.op(Op::LogicalOr, truth, &[is_zero, no_number]);
    let part = e.op(Op::Select, float, &[special, x, part]);
    let none = e.b.null(exponents);
    let exponent = e.op(Op::Select, exponents, &[special, none, exponent]);
    Some(e.op(Op::CompositeConstruct, ty, &[part, exponent]))
}
