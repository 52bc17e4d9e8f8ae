//! What kernels of OpenCL's flavour have in `OpenCL.std`, under names of its own.

use super::Expansion;
use crate::ir::{ExtSet, GlslOp, Op, Opcode, Type, Value};
use spirv_spec::ClOp as Cl;

type Result = Option<Value>;

/// A row each: an instruction, and the one that takes the same operands and means the same.
pub(super) const NAMES: &[(GlslOp, Cl)] = {
    use GlslOp as G;
    &[
        (G::Round, Cl::rint),
        (G::RoundEven, Cl::rint),
        (G::Trunc, Cl::trunc),
        (G::FAbs, Cl::fabs),
        (G::SAbs, Cl::s_abs),
        (G::FSign, Cl::sign),
        (G::Floor, Cl::floor),
        (G::Ceil, Cl::ceil),
        (G::Radians, Cl::radians),
        (G::Degrees, Cl::degrees),
        (G::Sin, Cl::sin),
        (G::Cos, Cl::cos),
        (G::Tan, Cl::tan),
        (G::Asin, Cl::asin),
        (G::Acos, Cl::acos),
        (G::Atan, Cl::atan),
        (G::Sinh, Cl::sinh),
        (G::Cosh, Cl::cosh),
        (G::Tanh, Cl::tanh),
        (G::Asinh, Cl::asinh),
        (G::Acosh, Cl::acosh),
        (G::Atanh, Cl::atanh),
        (G::Atan2, Cl::atan2),
        (G::Pow, Cl::pow),
        (G::Exp, Cl::exp),
        (G::Log, Cl::log),
        (G::Exp2, Cl::exp2),
        (G::Log2, Cl::log2),
        (G::Sqrt, Cl::sqrt),
        (G::InverseSqrt, Cl::rsqrt),
        (G::FMin, Cl::fmin),
        (G::UMin, Cl::u_min),
        (G::SMin, Cl::s_min),
        (G::FMax, Cl::fmax),
        (G::UMax, Cl::u_max),
        (G::SMax, Cl::s_max),
        (G::FClamp, Cl::fclamp),
        (G::UClamp, Cl::u_clamp),
        (G::SClamp, Cl::s_clamp),
        (G::FMix, Cl::mix),
        (G::Step, Cl::step),
        (G::SmoothStep, Cl::smoothstep),
        (G::Fma, Cl::fma),
        (G::Length, Cl::length),
        (G::Distance, Cl::distance),
        (G::Cross, Cl::cross),
        (G::Normalize, Cl::normalize),
        (G::NMin, Cl::fmin),
        (G::NMax, Cl::fmax),
        (G::NClamp, Cl::fclamp),
        (G::Ldexp, Cl::ldexp),
    ]
};

/// What an instruction of `GLSL.std.450` is called.
pub(super) fn named(op: Opcode) -> Option<Opcode> {
    let Opcode::Ext(ExtSet::Glsl, number) = op else { return None };
    NAMES.iter().find(|r| r.0.0 == number).map(|r| Opcode::Ext(ExtSet::OpenCl, r.1.0))
}

/// The index of the highest bit that is set, -1 for none.
fn highest(e: &mut Expansion<'_>, ty: Type, x: Value) -> Result {
    let width = u64::from(e.b.ctx.types.width_of(ty)?);
    let top = e.int(ty, width - 1);
    let zeros = e.b.op(Opcode::Ext(ExtSet::OpenCl, Cl::clz.0), ty, &[x]);
    Some(e.op(Op::ISub, ty, &[top, zeros]))
}

pub(super) fn highest_bit(e: &mut Expansion<'_>, ty: Type, ids: &[Value]) -> Result {
    highest(e, ty, *ids.first()?)
}

/// The highest bit that is not the sign.
pub(super) fn highest_but_sign(e: &mut Expansion<'_>, ty: Type, ids: &[Value]) -> Result {
    let &[x] = ids else { return None };
    let width = u64::from(e.b.ctx.types.width_of(ty)?);
    let by = e.int(ty, width - 1);
    let sign = e.op(Op::ShiftRightArithmetic, ty, &[x, by]);
    let folded = e.op(Op::BitwiseXor, ty, &[x, sign]);
    highest(e, ty, folded)
}

/// Of no bits this is -1, since as many zeros lead as there are bits.
pub(super) fn lowest_bit(e: &mut Expansion<'_>, ty: Type, ids: &[Value]) -> Result {
    let &[x] = ids else { return None };
    let zero = e.int(ty, 0);
    let negative = e.op(Op::ISub, ty, &[zero, x]);
    let lowest = e.op(Op::BitwiseAnd, ty, &[x, negative]);
    highest(e, ty, lowest)
}
