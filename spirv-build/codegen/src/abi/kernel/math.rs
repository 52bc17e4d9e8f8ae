//! `GLSL.std.450` and the bit instructions of shaders in terms of `OpenCL.std` and the core.

use super::body::Body;
use crate::ir::{ExtSet, GlslOp, Op, Opcode, Operand, Type, TypeKind, Value};
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
        (Some(GlslOp::SSign), [x]) => {
            let (one, minus) = (b.splat(ty, 1), b.splat(ty, u64::MAX));
            let low = b.cl(Cl::s_max, ty, &[*x, minus]);
            b.cl(Cl::s_min, ty, &[low, one])
        }
        (Some(GlslOp::Fract), [x]) => {
            let floor = b.cl(Cl::floor, ty, ids);
            b.b().op(Op::FSub, ty, &[*x, floor])
        }
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
        (Some(GlslOp::Reflect), [incident, normal]) => {
            let dot = b.dot(*incident, *normal);
            let scalar = b_scalar(b, ty);
            let twice = b.b().op(Op::FAdd, scalar, &[dot, dot]);
            let along = b.scaled(ty, *normal, twice);
            b.b().op(Op::FSub, ty, &[*incident, along])
        }
        (Some(GlslOp::Refract), [incident, normal, eta]) => {
            // k = 1 - eta^2 * (1 - dot^2) is negative where all light is reflected.
            let (scalar, truth) = (b_scalar(b, ty), b.l.new.ctx.types.bool());
            let mul = |b: &mut Body<'_, '_>, x, y| b.b().op(Op::FMul, scalar, &[x, y]);
            let dot = b.dot(*normal, *incident);
            let one = b.splat(scalar, one_of(b, scalar));
            let square = mul(b, dot, dot);
            let rest = b.b().op(Op::FSub, scalar, &[one, square]);
            let eta_square = mul(b, *eta, *eta);
            let rest = mul(b, eta_square, rest);
            let k = b.b().op(Op::FSub, scalar, &[one, rest]);
            let zero = b.b().null(scalar);
            let none = b.b().op(Op::FOrdLessThan, truth, &[k, zero]);
            let root = b.cl(Cl::sqrt, scalar, &[k]);
            let along = mul(b, *eta, dot);
            let along = b.b().op(Op::FAdd, scalar, &[along, root]);
            let (bent, along) = (b.scaled(ty, *incident, *eta), b.scaled(ty, *normal, along));
            let bent = b.b().op(Op::FSub, ty, &[bent, along]);
            let (none, nothing) = (b.spread(ty, none), b.b().null(ty));
            b.b().op(Op::Select, ty, &[none, nothing, bent])
        }
        (Some(GlslOp::Determinant), [m]) => b.determinant(ty, *m),
        (Some(GlslOp::FaceForward), [n, incident, reference]) => {
            let dot = b.dot(*reference, *incident);
            let (scalar, truth) = (b_scalar(b, ty), b.l.new.ctx.types.bool());
            let zero = b.b().null(scalar);
            let faces = b.b().op(Op::FOrdLessThan, truth, &[dot, zero]);
            let faces = b.spread(ty, faces);
            let back = b.b().op(Op::FNegate, ty, &[*n]);
            b.b().op(Op::Select, ty, &[faces, *n, back])
        }
        (Some(GlslOp::ModfStruct), [x]) => {
            let float = b.l.new.ctx.types.element(ty, 0).unwrap_or(ty);
            let whole = b.cl(Cl::trunc, float, ids);
            let fraction = b.b().op(Op::FSub, float, &[*x, whole]);
            b.b().op(Op::CompositeConstruct, ty, &[fraction, whole])
        }
        (Some(GlslOp::FrexpStruct), [x]) => {
            // OpenCL's own writes through a pointer. Zero, infinity and NaN are their own parts.
            let (float, int) = (b.l.new.ctx.types.element(ty, 0), b.l.new.ctx.types.element(ty, 1));
            let (float, int) = (float.unwrap_or(ty), int.unwrap_or(ty));
            let (one, none) = (b.splat(int, 1), b.b().null(int));
            let truth = b.truth_like(float);
            let zero = b.b().null(float);
            let (zero, inf) =
                (b.b().op(Op::FOrdEqual, truth, &[*x, zero]), b.b().op(Op::IsInf, truth, &[*x]));
            let nan = b.b().op(Op::IsNan, truth, &[*x]);
            let special = b.b().op(Op::LogicalOr, truth, &[zero, inf]);
            let special = b.b().op(Op::LogicalOr, truth, &[special, nan]);
            let power = b.cl(Cl::ilogb, int, ids);
            let power = b.b().op(Op::IAdd, int, &[power, one]);
            let power = b.b().op(Op::Select, int, &[special, none, power]);
            let down = b.b().op(Op::SNegate, int, &[power]);
            let part = b.cl(Cl::ldexp, float, &[*x, down]);
            b.b().op(Op::CompositeConstruct, ty, &[part, power])
        }
        (Some(GlslOp::PackHalf2x16), [x]) => {
            let half = b.l.new.ctx.types.float(16);
            let halves = b.l.new.ctx.types.vector(half, 2);
            let narrow = b.b().op(Op::FConvert, halves, &[*x]);
            b.b().op(Op::Bitcast, ty, &[narrow])
        }
        (Some(GlslOp::UnpackHalf2x16), [x]) => {
            let half = b.l.new.ctx.types.float(16);
            let halves = b.l.new.ctx.types.vector(half, 2);
            let narrow = b.b().op(Op::Bitcast, halves, &[*x]);
            b.b().op(Op::FConvert, ty, &[narrow])
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

fn b_scalar(b: &Body<'_, '_>, ty: Type) -> Type {
    b.l.new.ctx.types.scalar_of(ty)
}

/// The bits of 1 as a float of this type.
fn one_of(b: &Body<'_, '_>, scalar: Type) -> u64 {
    match b.l.new.ctx.types.width_of(scalar) {
        Some(16) => 0x3c00,
        Some(64) => 1f64.to_bits(),
        _ => u64::from(1f32.to_bits()),
    }
}

/// Lowers a bit field instruction or `OpBitReverse` on lowered operands.
pub(super) fn bits(b: &mut Body<'_, '_>, op: Op, ty: Type, ids: &[Value]) -> Value {
    let width = u64::from(b.l.new.ctx.types.width_of(ty).unwrap_or(32));
    match (op, ids) {
        (Op::BitFieldInsert, [base, insert, offset, count]) => {
            let (offset, mask) = (b.like(ty, *offset), b.mask(ty, width, *count));
            let placed = b.b().op(Op::ShiftLeftLogical, ty, &[mask, offset]);
            let value = b.b().op(Op::ShiftLeftLogical, ty, &[*insert, offset]);
            let value = b.b().op(Op::BitwiseAnd, ty, &[value, placed]);
            let outside = b.b().op(Op::Not, ty, &[placed]);
            let kept = b.b().op(Op::BitwiseAnd, ty, &[*base, outside]);
            b.b().op(Op::BitwiseOr, ty, &[kept, value])
        }
        (Op::BitFieldUExtract, [base, offset, count]) => {
            let (offset, mask) = (b.like(ty, *offset), b.mask(ty, width, *count));
            let low = b.b().op(Op::ShiftRightLogical, ty, &[*base, offset]);
            b.b().op(Op::BitwiseAnd, ty, &[low, mask])
        }
        (Op::BitFieldSExtract, [base, offset, count]) => {
            // The highest bit of the field decides: (x ^ sign) - sign, where sign is that bit alone, 0 for no bits.
            let (offset, mask) = (b.like(ty, *offset), b.mask(ty, width, *count));
            let low = b.b().op(Op::ShiftRightLogical, ty, &[*base, offset]);
            let low = b.b().op(Op::BitwiseAnd, ty, &[low, mask]);
            let one = b.splat(ty, 1);
            let below = b.b().op(Op::ShiftRightLogical, ty, &[mask, one]);
            let sign = b.b().op(Op::BitwiseXor, ty, &[mask, below]);
            let flipped = b.b().op(Op::BitwiseXor, ty, &[low, sign]);
            b.b().op(Op::ISub, ty, &[flipped, sign])
        }
        (Op::BitReverse, [x]) => {
            // Swaps halves, quarters, ... single bits.
            let (mut v, mut step) = (*x, width / 2);
            while step > 0 {
                let ones = (0..width).filter(|i| i / step % 2 == 0).fold(0, |m, i| m | 1u64 << i);
                let (mask, step_value) = (b.splat(ty, ones), b.splat(ty, step));
                let high = b.b().op(Op::ShiftRightLogical, ty, &[v, step_value]);
                let high = b.b().op(Op::BitwiseAnd, ty, &[high, mask]);
                let low = b.b().op(Op::BitwiseAnd, ty, &[v, mask]);
                let low = b.b().op(Op::ShiftLeftLogical, ty, &[low, step_value]);
                v = b.b().op(Op::BitwiseOr, ty, &[high, low]);
                step /= 2;
            }
            v
        }
        _ => {
            b.refuse(crate::ir::words::operation(op));
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

    pub fn dot(&mut self, x: Value, y: Value) -> Value {
        let ty = self.f.values[x].ty;
        match *self.l.new.ctx.types.kind(ty) {
            TypeKind::Vector { elem, .. } => self.b().op(Op::Dot, elem, &[x, y]),
            _ => self.b().op(Op::FMul, ty, &[x, y]),
        }
    }

    /// `x` times a scalar.
    pub fn scaled(&mut self, ty: Type, x: Value, by: Value) -> Value {
        let op = match self.l.new.ctx.types.len_of(ty) {
            1 => Op::FMul,
            _ => Op::VectorTimesScalar,
        };
        self.b().op(op, ty, &[x, by])
    }

    /// A scalar in each component of a vector of the shape of `ty`.
    fn spread(&mut self, ty: Type, scalar: Value) -> Value {
        let len = self.l.new.ctx.types.len_of(ty);
        if len == 1 {
            return scalar;
        }
        let elem = self.f.values[scalar].ty;
        let vector = self.l.new.ctx.types.vector(elem, len);
        let parts = vec![Operand::Id(scalar); usize::from(len)];
        self.b().value(Op::CompositeConstruct, vector, &parts)
    }

    /// A truth value for each component of `ty`.
    pub fn truth_like(&mut self, ty: Type) -> Type {
        let (len, truth) = (self.l.new.ctx.types.len_of(ty), self.l.new.ctx.types.bool());
        if len == 1 { truth } else { self.l.new.ctx.types.vector(truth, len) }
    }

    /// An offset or count, converted to the width of `ty` and spread over its components.
    fn like(&mut self, ty: Type, scalar: Value) -> Value {
        let elem = self.l.new.ctx.types.scalar_of(ty);
        let mut v = scalar;
        if self.f.values[v].ty != elem {
            v = self.b().op(Op::UConvert, elem, &[v]);
        }
        self.spread(ty, v)
    }

    /// The lowest `count` bits, all of them if it is the width.
    fn mask(&mut self, ty: Type, width: u64, count: Value) -> Value {
        let count = self.like(ty, count);
        let (all, full, none) = (self.splat(ty, u64::MAX), self.splat(ty, width), self.splat(ty, 0));
        // A shift by the width has no meaning, so the mask of no bits is chosen, not shifted.
        let truth = self.l.new.ctx.types.bool();
        let bools = self.l.new.ctx.types.vector(truth, self.l.new.ctx.types.len_of(ty));
        let is_none = self.b().op(Op::IEqual, bools, &[count, none]);
        let unused = self.b().op(Op::ISub, ty, &[full, count]);
        let unused = self.b().op(Op::Select, ty, &[is_none, none, unused]);
        let mask = self.b().op(Op::ShiftRightLogical, ty, &[all, unused]);
        self.b().op(Op::Select, ty, &[is_none, none, mask])
    }
}
