//! `GLSL.std.450` and the bit instructions of shaders in terms of `OpenCL.std` and the core.

use super::body::Body;
use crate::ir::{ExtSet, GlslOp, Op, Opcode, Type, Value};
use spirv_spec::ClOp as Cl;

/// A row each: an instruction, and the one that takes the same operands and means the same.
const ROWS: &[(GlslOp, Cl)] = {
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

/// Lowers an instruction of `GLSL.std.450` on lowered operands.
pub(super) fn glsl(b: &mut Body<'_, '_>, number: u32, ty: Type, ids: &[Value]) -> Value {
    let op = GlslOp::from_u32(number);
    if let Some((_, cl)) = op.and_then(|op| ROWS.iter().find(|r| r.0 == op)) {
        return b.cl(*cl, ty, ids);
    }
    match (op, ids) {
        (Some(GlslOp::FindILsb), [x]) => {
            // Of no bits this is -1, since 32 zeros lead.
            let zero = b.splat(ty, 0);
            let negative = b.b().op(Op::ISub, ty, &[zero, *x]);
            let lowest = b.b().op(Op::BitwiseAnd, ty, &[*x, negative]);
            b.highest(ty, lowest)
        }
        (Some(GlslOp::FindUMsb), [x]) => b.highest(ty, *x),
        (Some(GlslOp::FindSMsb), [x]) => {
            let width = b.l.new.ctx.types.width_of(ty).unwrap_or(32);
            let sign = b.splat(ty, u64::from(width) - 1);
            let sign = b.b().op(Op::ShiftRightArithmetic, ty, &[*x, sign]);
            let folded = b.b().op(Op::BitwiseXor, ty, &[*x, sign]);
            b.highest(ty, folded)
        }
        _ => {
            b.refuse(match op {
                Some(op) => crate::ir::words::function(op),
                None => format!("function {number} of an extended set"),
            });
            b.b().undef(ty)
        }
    }
}

impl Body<'_, '_> {
    pub fn cl(&mut self, op: Cl, ty: Type, ids: &[Value]) -> Value {
        self.b().op(Opcode::Ext(ExtSet::OpenCl, op.0), ty, ids)
    }

    /// The index of the highest bit that is set, -1 for none.
    fn highest(&mut self, ty: Type, x: Value) -> Value {
        let width = self.l.new.ctx.types.width_of(ty).unwrap_or(32);
        let top = self.splat(ty, u64::from(width) - 1);
        let zeros = self.cl(Cl::clz, ty, &[x]);
        self.b().op(Op::ISub, ty, &[top, zeros])
    }

    /// A truth value for each component of `ty`.
    pub fn truth_like(&mut self, ty: Type) -> Type {
        let (len, truth) = (self.l.new.ctx.types.len_of(ty), self.l.new.ctx.types.bool());
        if len == 1 { truth } else { self.l.new.ctx.types.vector(truth, len) }
    }
}
