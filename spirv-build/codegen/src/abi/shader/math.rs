//! `OpenCL.std` in terms of `GLSL.std.450` and the core.
//!
//! Results are within what Vulkan asks of the functions that they are made of, which is less than OpenCL asks.

use super::body::Body;
use crate::ir::{ConstKind, GlslOp, InstData, Op, Type, Value};
use spirv_spec::ClOp as Cl;
use std::f64::consts::{LOG2_10, PI};

/// Whole powers up to this are products.
const MAX_POWER: u32 = 64;

/// Instructions that `GLSL.std.450` has too.
const ROWS: &[(Cl, GlslOp)] = {
    use GlslOp as G;
    &[
        (Cl::rint, G::RoundEven),
        (Cl::trunc, G::Trunc),
        (Cl::fabs, G::FAbs),
        (Cl::s_abs, G::SAbs),
        (Cl::sign, G::FSign),
        (Cl::floor, G::Floor),
        (Cl::ceil, G::Ceil),
        (Cl::radians, G::Radians),
        (Cl::degrees, G::Degrees),
        (Cl::sin, G::Sin),
        (Cl::cos, G::Cos),
        (Cl::tan, G::Tan),
        (Cl::asin, G::Asin),
        (Cl::acos, G::Acos),
        (Cl::atan, G::Atan),
        (Cl::sinh, G::Sinh),
        (Cl::cosh, G::Cosh),
        (Cl::tanh, G::Tanh),
        (Cl::asinh, G::Asinh),
        (Cl::acosh, G::Acosh),
        (Cl::atanh, G::Atanh),
        (Cl::atan2, G::Atan2),
        (Cl::powr, G::Pow),
        (Cl::exp, G::Exp),
        (Cl::log, G::Log),
        (Cl::exp2, G::Exp2),
        (Cl::log2, G::Log2),
        (Cl::half_sin, G::Sin),
        (Cl::half_cos, G::Cos),
        (Cl::half_tan, G::Tan),
        (Cl::half_exp, G::Exp),
        (Cl::half_exp2, G::Exp2),
        (Cl::half_log, G::Log),
        (Cl::half_log2, G::Log2),
        (Cl::half_powr, G::Pow),
        (Cl::half_sqrt, G::Sqrt),
        (Cl::half_rsqrt, G::InverseSqrt),
        (Cl::native_sin, G::Sin),
        (Cl::native_cos, G::Cos),
        (Cl::native_tan, G::Tan),
        (Cl::native_exp, G::Exp),
        (Cl::native_exp2, G::Exp2),
        (Cl::native_log, G::Log),
        (Cl::native_log2, G::Log2),
        (Cl::native_powr, G::Pow),
        (Cl::native_sqrt, G::Sqrt),
        (Cl::native_rsqrt, G::InverseSqrt),
        (Cl::sqrt, G::Sqrt),
        (Cl::rsqrt, G::InverseSqrt),
        (Cl::fmin, G::NMin),
        (Cl::fmax, G::NMax),
        (Cl::fmin_common, G::FMin),
        (Cl::fmax_common, G::FMax),
        (Cl::u_min, G::UMin),
        (Cl::s_min, G::SMin),
        (Cl::u_max, G::UMax),
        (Cl::s_max, G::SMax),
        (Cl::fclamp, G::FClamp),
        (Cl::u_clamp, G::UClamp),
        (Cl::s_clamp, G::SClamp),
        (Cl::mix, G::FMix),
        (Cl::step, G::Step),
        (Cl::smoothstep, G::SmoothStep),
        (Cl::fma, G::Fma),
        (Cl::mad, G::Fma),
    ]
};

/// What `GLSL.std.450` has for 64-bit floats as well.
const DOUBLE: &[GlslOp] = {
    use GlslOp as G;
    &[
        G::RoundEven,
        G::Trunc,
        G::FAbs,
        G::FSign,
        G::Floor,
        G::Ceil,
        G::Sqrt,
        G::InverseSqrt,
        G::NMin,
        G::NMax,
        G::FMin,
        G::FMax,
        G::FClamp,
        G::FMix,
        G::Step,
        G::SmoothStep,
        G::Fma,
    ]
};

/// Functions of whole vectors; all others work by components.
const GEOMETRIC: &[Cl] = &[
    Cl::length,
    Cl::fast_length,
    Cl::distance,
    Cl::fast_distance,
    Cl::normalize,
    Cl::fast_normalize,
    Cl::cross,
    Cl::shuffle,
    Cl::shuffle2,
];

impl<'a> Body<'_, 'a> {
    /// An instruction of `OpenCL.std`.
    pub fn function(&mut self, number: u32, d: &'a InstData) {
        let (Some(r), Some(cl)) = (d.result(), Cl::from_u32(number)) else {
            return self.refuse(format!("the function {number} of OpenCL"));
        };
        let unknown = |b: &mut Self| b.refuse(format!("the function {cl:?}"));
        if cl == Cl::prefetch {
            return;
        }
        if d.ids().any(|v| self.pointee(v).is_some()) {
            if !self.memory_function(cl, d, r) {
                unknown(self);
            }
            return;
        }
        let ids: Vec<Value> = d.ids().map(|v| self.value(v)).collect();
        let types: Vec<Type> = d.ids().map(|v| self.ty(v)).collect();
        match self.apply(cl, self.ty(r), &ids, &types) {
            Some(v) => {
                self.values.insert(r, v);
            }
            None => unknown(self),
        }
    }

    /// A function on lowered operands of these old types.
    pub fn apply(&mut self, cl: Cl, ty: Type, ids: &[Value], types: &[Type]) -> Option<Value> {
        if GEOMETRIC.contains(&cl) {
            return self.geometric(cl, ty, ids, types);
        }
        if self.is_long(ty) || types.iter().any(|t| self.is_long(*t)) {
            return self.each(ty, ids, types, |s, elem, args, scalars| s.apply(cl, elem, args, scalars));
        }
        self.by_component(cl, ty, ids)
    }

    /// A function that works by components, on up to four.
    pub fn by_component(&mut self, cl: Cl, ty: Type, ids: &[Value]) -> Option<Value> {
        if self.float_width(ty) == Some(64)
            && let Some(v) = self.double_function(cl, ty, ids)
        {
            return Some(v);
        }
        if let Some((_, op)) = ROWS.iter().find(|r| r.0 == cl) {
            let known = self.float_width(ty) != Some(64) || DOUBLE.contains(op);
            return if known { Some(self.glsl(*op, ty, ids)) } else { None };
        }
        if let (Cl::pown, [x, n]) = (cl, ids)
            && let Some(v) = self.small_power(ty, *x, *n)
        {
            return Some(v);
        }
        if self.float_width(ty) == Some(64) && !is_exact(cl) {
            return None;
        }
        if let Some(v) = self.integer(cl, ty, ids) {
            return Some(v);
        }
        self.float_function(cl, ty, ids)
    }

    /// A whole power that is constant and small, by squaring.
    fn small_power(&mut self, ty: Type, x: Value, n: Value) -> Option<Value> {
        let c = self.f.as_const(n)?;
        let bits = match self.l.new.ctx.consts.kind(c) {
            ConstKind::Composite(parts) => {
                let first = *parts.first()?;
                parts.iter().all(|p| *p == first).then(|| self.l.new.ctx.consts.bits(first))??
            }
            _ => self.l.new.ctx.consts.bits(c)?,
        };
        let n = bits as u32 as i32;
        if n.unsigned_abs() > MAX_POWER {
            return None;
        }
        let (mut rest, mut square, mut product) = (n.unsigned_abs(), x, self.float(ty, 1.0));
        while rest > 0 {
            if rest & 1 != 0 {
                product = self.b().op(Op::FMul, ty, &[product, square]);
            }
            rest >>= 1;
            if rest > 0 {
                square = self.b().op(Op::FMul, ty, &[square, square]);
            }
        }
        if n < 0 {
            let one = self.float(ty, 1.0);
            product = self.b().op(Op::FDiv, ty, &[one, product]);
        }
        Some(product)
    }

    pub fn times(&mut self, ty: Type, x: Value, by: f64) -> Value {
        let c = self.float(ty, by);
        self.b().op(Op::FMul, ty, &[x, c])
    }

    fn float_function(&mut self, cl: Cl, ty: Type, ids: &[Value]) -> Option<Value> {
        use GlslOp as G;
        let bools = self.bools_like(ty);
        Some(match (cl, ids) {
            (Cl::native_divide | Cl::half_divide, [a, b]) => self.b().op(Op::FDiv, ty, &[*a, *b]),
            (Cl::native_recip | Cl::half_recip, [x]) => {
                let one = self.float(ty, 1.0);
                self.b().op(Op::FDiv, ty, &[one, *x])
            }
            (Cl::exp10 | Cl::native_exp10 | Cl::half_exp10, [x]) => {
                let y = self.times(ty, *x, LOG2_10);
                self.glsl(G::Exp2, ty, &[y])
            }
            (Cl::log10 | Cl::native_log10 | Cl::half_log10, [x]) => {
                let y = self.glsl(G::Log2, ty, &[*x]);
                self.times(ty, y, 1.0 / LOG2_10)
            }
            (Cl::expm1, [x]) => {
                // (e - 1) x / log e is exact where e - 1 alone cancels.
                let one = self.float(ty, 1.0);
                let e = self.glsl(G::Exp, ty, &[*x]);
                let less = self.b().op(Op::FSub, ty, &[e, one]);
                let log = self.glsl(G::Log, ty, &[e]);
                let product = self.b().op(Op::FMul, ty, &[less, *x]);
                let fine = self.b().op(Op::FDiv, ty, &[product, log]);
                let (half, size) = (self.float(ty, 0.5), self.glsl(G::FAbs, ty, &[*x]));
                let small = self.b().op(Op::FOrdLessThan, bools, &[size, half]);
                let v = self.b().op(Op::Select, ty, &[small, fine, less]);
                let same = self.b().op(Op::FOrdEqual, bools, &[e, one]);
                self.b().op(Op::Select, ty, &[same, *x, v])
            }
            (Cl::log1p, [x]) => {
                let one = self.float(ty, 1.0);
                let u = self.b().op(Op::FAdd, ty, &[*x, one]);
                let (log, less) = (self.glsl(G::Log, ty, &[u]), self.b().op(Op::FSub, ty, &[u, one]));
                let ratio = self.b().op(Op::FDiv, ty, &[*x, less]);
                let fine = self.b().op(Op::FMul, ty, &[log, ratio]);
                let (half, size) = (self.float(ty, 0.5), self.glsl(G::FAbs, ty, &[*x]));
                let small = self.b().op(Op::FOrdLessThan, bools, &[size, half]);
                let v = self.b().op(Op::Select, ty, &[small, fine, log]);
                let same = self.b().op(Op::FOrdEqual, bools, &[u, one]);
                self.b().op(Op::Select, ty, &[same, *x, v])
            }
            (Cl::pow, [x, y]) => self.power(ty, *x, *y, None),
            (Cl::pown, [x, n]) => {
                let y = self.b().op(Op::ConvertSToF, ty, &[*n]);
                self.power(ty, *x, y, Some(*n))
            }
            (Cl::rootn, [x, n]) => {
                let (one, y) = (self.float(ty, 1.0), self.b().op(Op::ConvertSToF, ty, &[*n]));
                let y = self.b().op(Op::FDiv, ty, &[one, y]);
                let size = self.glsl(G::FAbs, ty, &[*x]);
                let v = self.glsl(G::Pow, ty, &[size, y]);
                self.with_sign(ty, v, *x)
            }
            (Cl::cbrt, [x]) => {
                let (size, third) = (self.glsl(G::FAbs, ty, &[*x]), self.float(ty, 1.0 / 3.0));
                let v = self.glsl(G::Pow, ty, &[size, third]);
                let zero = self.float(ty, 0.0);
                let none = self.b().op(Op::FOrdEqual, bools, &[size, zero]);
                let v = self.b().op(Op::Select, ty, &[none, zero, v]);
                self.with_sign(ty, v, *x)
            }
            (Cl::hypot, [a, b]) => {
                let (a, b) = (self.glsl(G::FAbs, ty, &[*a]), self.glsl(G::FAbs, ty, &[*b]));
                let (most, least) = (self.glsl(G::NMax, ty, &[a, b]), self.glsl(G::NMin, ty, &[a, b]));
                let ratio = self.b().op(Op::FDiv, ty, &[least, most]);
                let one = self.float(ty, 1.0);
                let sum = self.glsl(G::Fma, ty, &[ratio, ratio, one]);
                let root = self.glsl(G::Sqrt, ty, &[sum]);
                let v = self.b().op(Op::FMul, ty, &[most, root]);
                let zero = self.float(ty, 0.0);
                let none = self.b().op(Op::FOrdEqual, bools, &[least, zero]);
                self.b().op(Op::Select, ty, &[none, most, v])
            }
            (Cl::fmod, [a, b]) => self.b().op(Op::FRem, ty, &[*a, *b]),
            (Cl::remainder, [a, b]) => {
                let q = self.b().op(Op::FDiv, ty, &[*a, *b]);
                let q = self.glsl(G::RoundEven, ty, &[q]);
                let minus = self.b().op(Op::FNegate, ty, &[q]);
                self.glsl(G::Fma, ty, &[minus, *b, *a])
            }
            (Cl::fdim, [a, b]) => {
                let (d, zero) = (self.b().op(Op::FSub, ty, &[*a, *b]), self.float(ty, 0.0));
                let not = self.b().op(Op::FOrdLessThanEqual, bools, &[*a, *b]);
                self.b().op(Op::Select, ty, &[not, zero, d])
            }
            (Cl::round, [x]) => {
                let t = self.glsl(G::Trunc, ty, &[*x]);
                let rest = self.b().op(Op::FSub, ty, &[*x, t]);
                let rest = self.glsl(G::FAbs, ty, &[rest]);
                let (half, one, zero) = (self.float(ty, 0.5), self.float(ty, 1.0), self.float(ty, 0.0));
                let up = self.b().op(Op::FOrdGreaterThanEqual, bools, &[rest, half]);
                let more = self.b().op(Op::Select, ty, &[up, one, zero]);
                let more = self.with_sign(ty, more, *x);
                self.b().op(Op::FAdd, ty, &[t, more])
            }
            (Cl::copysign, [x, y]) => self.with_sign(ty, *x, *y),
            (Cl::maxmag | Cl::minmag, [a, b]) => {
                let (x, y) = (self.glsl(G::FAbs, ty, &[*a]), self.glsl(G::FAbs, ty, &[*b]));
                let (first, second) = if cl == Cl::maxmag {
                    (Op::FOrdGreaterThan, Op::FOrdLessThan)
                } else {
                    (Op::FOrdLessThan, Op::FOrdGreaterThan)
                };
                let own = if cl == Cl::maxmag { G::NMax } else { G::NMin };
                let same = self.glsl(own, ty, &[*a, *b]);
                let (p, q) = (self.b().op(first, bools, &[x, y]), self.b().op(second, bools, &[x, y]));
                let v = self.b().op(Op::Select, ty, &[q, *b, same]);
                self.b().op(Op::Select, ty, &[p, *a, v])
            }
            (Cl::sinpi | Cl::cospi | Cl::tanpi, [x]) => {
                // Whole turns away first.
                let half = self.times(ty, *x, 0.5);
                let turns = self.glsl(G::RoundEven, ty, &[half]);
                let (turns, minus) = (self.times(ty, turns, -2.0), *x);
                let x = self.b().op(Op::FAdd, ty, &[minus, turns]);
                let angle = self.times(ty, x, PI);
                let op = match cl {
                    Cl::sinpi => G::Sin,
                    Cl::cospi => G::Cos,
                    _ => G::Tan,
                };
                self.glsl(op, ty, &[angle])
            }
            (Cl::asinpi | Cl::acospi | Cl::atanpi, [x]) => {
                let op = match cl {
                    Cl::asinpi => G::Asin,
                    Cl::acospi => G::Acos,
                    _ => G::Atan,
                };
                let angle = self.glsl(op, ty, &[*x]);
                self.times(ty, angle, 1.0 / PI)
            }
            (Cl::atan2pi, [y, x]) => {
                let angle = self.glsl(G::Atan2, ty, &[*y, *x]);
                self.times(ty, angle, 1.0 / PI)
            }
            (Cl::ldexp, [x, n]) => self.scale(ty, *x, *n)?,
            (Cl::logb, [x]) => {
                let n = self.exponent(*x)?;
                self.b().op(Op::ConvertSToF, ty, &[n])
            }
            (Cl::nan, [n]) => {
                let (bits, quiet) = match self.float_width(ty)? {
                    16 => (16, 0x7e00),
                    32 => (32, 0x7fc0_0000),
                    _ => (64, 0x7ff8 << 48),
                };
                let ints = self.ints_like(ty, bits);
                let quiet = self.number(ints, quiet);
                let v = self.b().op(Op::BitwiseOr, ints, &[*n, quiet]);
                self.b().op(Op::Bitcast, ty, &[v])
            }
            (Cl::nextafter, [x, y]) => self.next_after(ty, *x, *y)?,
            (Cl::erf | Cl::erfc, [x]) => self.error_function(ty, *x, cl == Cl::erfc),
            _ => return None,
        })
    }

    /// The first with the sign of the second.
    pub fn with_sign(&mut self, ty: Type, x: Value, sign: Value) -> Value {
        let width = self.float_width(ty).unwrap_or(32);
        let ints = self.ints_like(ty, width);
        let top = 1u64 << (width - 1);
        let (top, rest) = (self.number(ints, top), self.number(ints, top - 1));
        let (a, b) = (self.b().op(Op::Bitcast, ints, &[x]), self.b().op(Op::Bitcast, ints, &[sign]));
        let (a, b) =
            (self.b().op(Op::BitwiseAnd, ints, &[a, rest]), self.b().op(Op::BitwiseAnd, ints, &[b, top]));
        let v = self.b().op(Op::BitwiseOr, ints, &[a, b]);
        self.b().op(Op::Bitcast, ty, &[v])
    }

    /// `x` times two to a whole power, in two steps so that the power alone need not be in range.
    fn scale(&mut self, ty: Type, x: Value, n: Value) -> Option<Value> {
        let ints = self.f.values[n].ty;
        let width = self.float_width(ty)?;
        if width != 32 {
            return (width == 16).then(|| self.glsl(GlslOp::Ldexp, ty, &[x, n]));
        }
        let (low, high) = (self.number(ints, (-300i64) as u64), self.number(ints, 300));
        let n = self.glsl(GlslOp::SMax, ints, &[n, low]);
        let mut n = self.glsl(GlslOp::SMin, ints, &[n, high]);
        let mut x = x;
        for part in 0..3 {
            // A third of it, then half of the rest, then the rest: each within -100 to 100.
            let by = self.number(ints, 3 - part);
            let k = if part == 2 { n } else { self.b().op(Op::SDiv, ints, &[n, by]) };
            n = self.b().op(Op::ISub, ints, &[n, k]);
            let (bias, shift) = (self.number(ints, 127), self.number(ints, 23));
            let k = self.b().op(Op::IAdd, ints, &[k, bias]);
            let k = self.b().op(Op::ShiftLeftLogical, ints, &[k, shift]);
            let k = self.b().op(Op::Bitcast, ty, &[k]);
            x = self.b().op(Op::FMul, ty, &[x, k]);
        }
        Some(x)
    }

    /// The exponent of a 32-bit float, as an integer: of 0 and infinities what its bits say.
    pub fn exponent(&mut self, x: Value) -> Option<Value> {
        let ty = self.f.values[x].ty;
        if self.float_width(ty)? != 32 {
            return None;
        }
        let (ints, bools) = (self.ints_like(ty, 32), self.bools_like(ty));
        // Denormals are scaled first.
        let (size, least) = (self.glsl(GlslOp::FAbs, ty, &[x]), self.float(ty, f64::from(f32::MIN_POSITIVE)));
        let small = self.b().op(Op::FOrdLessThan, bools, &[size, least]);
        let scaled = self.times(ty, size, 2f64.powi(24));
        let y = self.b().op(Op::Select, ty, &[small, scaled, size]);
        let bits = self.b().op(Op::Bitcast, ints, &[y]);
        let shift = self.number(ints, 23);
        let e = self.b().op(Op::ShiftRightLogical, ints, &[bits, shift]);
        let (far, near) = (self.number(ints, 127 + 24), self.number(ints, 127));
        let bias = self.b().op(Op::Select, ints, &[small, far, near]);
        Some(self.b().op(Op::ISub, ints, &[e, bias]))
    }

    /// Splits a 32-bit float: a fraction of at least a half, and the exponent.
    pub fn split(&mut self, x: Value) -> Option<(Value, Value)> {
        let ty = self.f.values[x].ty;
        let e = self.exponent(x)?;
        let (ints, bools) = (self.ints_like(ty, 32), self.bools_like(ty));
        let one = self.number(ints, 1);
        let n = self.b().op(Op::IAdd, ints, &[e, one]);
        let minus = self.b().op(Op::SNegate, ints, &[n]);
        let fraction = self.scale(ty, x, minus)?;
        // 0, infinities and NaN are their own fractions.
        let zero = self.float(ty, 0.0);
        let size = self.glsl(GlslOp::FAbs, ty, &[x]);
        let infinite = self.float(ty, f64::INFINITY);
        let inside = self.b().op(Op::FOrdLessThan, bools, &[size, infinite]);
        let large = self.b().op(Op::FOrdGreaterThan, bools, &[size, zero]);
        let usual = self.b().op(Op::LogicalAnd, bools, &[inside, large]);
        let none = self.number(ints, 0);
        Some((
            self.b().op(Op::Select, ty, &[usual, fraction, x]),
            self.b().op(Op::Select, ints, &[usual, n, none]),
        ))
    }
}

/// Functions whose lowering is as good for 64 bits as for 32.
fn is_exact(cl: Cl) -> bool {
    matches!(
        cl,
        Cl::fmod
            | Cl::remainder
            | Cl::fdim
            | Cl::round
            | Cl::copysign
            | Cl::maxmag
            | Cl::minmag
            | Cl::hypot
            | Cl::native_divide
            | Cl::native_recip
            | Cl::nan
            | Cl::nextafter
            | Cl::select
            | Cl::bitselect
            | Cl::pow
            | Cl::pown
    )
}
