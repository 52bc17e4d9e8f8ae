//! Functions of 64-bit floats that `GLSL.std.450` does not have: range reduction and a polynomial each, good to a few units in
//! the last place. Angles lose that beyond a million turns.

use super::body::Body;
use crate::ir::{GlslOp, Op, Type, Value};
use spirv_spec::ClOp as Cl;
use std::f64::consts::{FRAC_2_PI, LN_2, LOG2_10, LOG2_E, LOG10_2, PI};

/// `π / 2` in three parts, each with zeros at its end so that small multiples are exact.
const HALF_PI: [f64; 3] = [
    f64::from_bits(0x3ff9_21fb_5440_0000),
    f64::from_bits(0x3dd0_b461_1a60_0000),
    f64::from_bits(0x3ba3_198a_2e03_7073),
];
/// The natural logarithm of 2 in two parts.
const LN_2_HIGH: f64 = f64::from_bits(0x3fe6_2e42_fee0_0000);
const LN_2_LOW: f64 = f64::from_bits(0x3dea_39ef_3579_3c76);
/// Bits of the mantissa, and the bias of the exponent.
const MANTISSA: u64 = 52;
const BIAS: u64 = 1023;
/// Terms of the series.
const EXP_TERMS: u32 = 14;
const LOG_TERMS: u32 = 12;
const SIN_TERMS: u32 = 9;

impl Body<'_, '_> {
    /// A function of 64-bit floats. None: not one of these.
    pub fn double_function(&mut self, cl: Cl, ty: Type, ids: &[Value]) -> Option<Value> {
        let times = |s: &mut Self, x, by| {
            let c = s.float(ty, by);
            s.b().op(Op::FMul, ty, &[x, c])
        };
        Some(match (cl, ids) {
            (Cl::exp | Cl::native_exp | Cl::half_exp, [x]) => self.exp(ty, *x),
            (Cl::exp2 | Cl::native_exp2, [x]) => self.exp_of_two(ty, *x, None),
            (Cl::exp10 | Cl::native_exp10, [x]) => {
                let y = times(self, *x, LOG2_10);
                self.exp_of_two(ty, y, None)
            }
            (Cl::log | Cl::native_log, [x]) => self.log(ty, *x),
            (Cl::log2 | Cl::native_log2, [x]) => {
                let y = self.log(ty, *x);
                times(self, y, LOG2_E)
            }
            (Cl::log10 | Cl::native_log10, [x]) => {
                let y = self.log(ty, *x);
                times(self, y, LOG2_E * LOG10_2)
            }
            (Cl::sin | Cl::native_sin, [x]) => self.angle(ty, *x).0,
            (Cl::cos | Cl::native_cos, [x]) => self.angle(ty, *x).1,
            (Cl::tan | Cl::native_tan, [x]) => {
                let (sin, cos) = self.angle(ty, *x);
                self.b().op(Op::FDiv, ty, &[sin, cos])
            }
            (Cl::sinpi | Cl::cospi, [x]) => {
                let half = times(self, *x, 0.5);
                let turns = self.glsl(GlslOp::RoundEven, ty, &[half]);
                let whole = times(self, turns, -2.0);
                let rest = self.b().op(Op::FAdd, ty, &[*x, whole]);
                let angle = times(self, rest, PI);
                let (sin, cos) = self.angle(ty, angle);
                if cl == Cl::sinpi { sin } else { cos }
            }
            (Cl::powr | Cl::native_powr, [x, y]) => self.double_power(ty, *x, *y),
            _ => return None,
        })
    }

    /// `x^y` of a number that is not negative: as the exponential of the logarithm, which costs digits where the result is large.
    pub fn double_power(&mut self, ty: Type, x: Value, y: Value) -> Value {
        let log = self.log(ty, x);
        let power = self.b().op(Op::FMul, ty, &[log, y]);
        // What the product rounds away.
        let minus = self.b().op(Op::FNegate, ty, &[power]);
        let rest = self.glsl(GlslOp::Fma, ty, &[log, y, minus]);
        let main = self.exp(ty, power);
        let more = self.glsl(GlslOp::Fma, ty, &[main, rest, main]);
        // Infinities and NaN have no rest.
        let bools = self.bools_like(ty);
        let usual = self.b().op(Op::FOrdEqual, bools, &[rest, rest]);
        let v = self.b().op(Op::Select, ty, &[usual, more, main]);
        let finite = self.b().op(Op::FOrdEqual, bools, &[v, v]);
        self.b().op(Op::Select, ty, &[finite, v, main])
    }

    /// A polynomial, the highest coefficient first.
    fn polynomial(&mut self, ty: Type, x: Value, coefficients: impl Iterator<Item = f64>) -> Value {
        let mut sum: Option<Value> = None;
        for c in coefficients {
            let c = self.float(ty, c);
            sum = Some(match sum {
                None => c,
                Some(sum) => self.glsl(GlslOp::Fma, ty, &[sum, x, c]),
            });
        }
        sum.unwrap_or(x)
    }

    fn exp(&mut self, ty: Type, x: Value) -> Value {
        let scale = self.float(ty, LOG2_E);
        let n = self.b().op(Op::FMul, ty, &[x, scale]);
        let n = self.glsl(GlslOp::RoundEven, ty, &[n]);
        let minus = self.b().op(Op::FNegate, ty, &[n]);
        let (high, low) = (self.float(ty, LN_2_HIGH), self.float(ty, LN_2_LOW));
        let r = self.glsl(GlslOp::Fma, ty, &[minus, high, x]);
        let r = self.glsl(GlslOp::Fma, ty, &[minus, low, r]);
        self.exp_of_two(ty, n, Some(r))
    }

    /// `2^n e^r`; without `r`, what is left of `n` beyond its whole part.
    fn exp_of_two(&mut self, ty: Type, n: Value, r: Option<Value>) -> Value {
        let bools = self.bools_like(ty);
        let (least, most) = (self.float(ty, -1100.0), self.float(ty, 1100.0));
        let (n, r) = match r {
            Some(r) => (n, r),
            None => {
                let whole = self.glsl(GlslOp::RoundEven, ty, &[n]);
                let rest = self.b().op(Op::FSub, ty, &[n, whole]);
                let scale = self.float(ty, LN_2);
                (whole, self.b().op(Op::FMul, ty, &[rest, scale]))
            }
        };
        let nan = self.b().op(Op::IsNan, bools, &[n]);
        let (over, under) = (
            self.b().op(Op::FOrdGreaterThan, bools, &[n, most]),
            self.b().op(Op::FOrdLessThan, bools, &[n, least]),
        );
        let safe = self.glsl(GlslOp::NMax, ty, &[n, least]);
        let safe = self.glsl(GlslOp::NMin, ty, &[safe, most]);
        let mut factorials = vec![1.0f64];
        for k in 1..EXP_TERMS {
            factorials.push(factorials[k as usize - 1] * f64::from(k));
        }
        let sum = self.polynomial(ty, r, factorials.iter().rev().map(|f| 1.0 / f));
        // In two steps: the power of two alone may be out of range.
        let half = self.float(ty, 0.5);
        let first = self.b().op(Op::FMul, ty, &[safe, half]);
        let first = self.glsl(GlslOp::Trunc, ty, &[first]);
        let second = self.b().op(Op::FSub, ty, &[safe, first]);
        let mut v = sum;
        for part in [first, second] {
            let p = self.power_of_two(ty, part);
            v = self.b().op(Op::FMul, ty, &[v, p]);
        }
        let (infinite, zero) = (self.float(ty, f64::INFINITY), self.float(ty, 0.0));
        let v = self.b().op(Op::Select, ty, &[over, infinite, v]);
        let v = self.b().op(Op::Select, ty, &[under, zero, v]);
        self.b().op(Op::Select, ty, &[nan, n, v])
    }

    /// Two to a whole power in the range of the exponent.
    fn power_of_two(&mut self, ty: Type, n: Value) -> Value {
        let ints = self.ints_like(ty, 64);
        let n = self.b().op(Op::ConvertFToS, ints, &[n]);
        let (bias, shift) = (self.number(ints, BIAS), self.number(ints, MANTISSA));
        let n = self.b().op(Op::IAdd, ints, &[n, bias]);
        let bits = self.b().op(Op::ShiftLeftLogical, ints, &[n, shift]);
        self.b().op(Op::Bitcast, ty, &[bits])
    }

    fn log(&mut self, ty: Type, x: Value) -> Value {
        let (ints, bools) = (self.ints_like(ty, 64), self.bools_like(ty));
        let (zero, one) = (self.float(ty, 0.0), self.float(ty, 1.0));
        // Denormals are scaled first.
        let (least, scale) = (self.float(ty, f64::MIN_POSITIVE), self.float(ty, 2f64.powi(54)));
        let small = self.b().op(Op::FOrdLessThan, bools, &[x, least]);
        let scaled = self.b().op(Op::FMul, ty, &[x, scale]);
        let y = self.b().op(Op::Select, ty, &[small, scaled, x]);
        let bits = self.b().op(Op::Bitcast, ints, &[y]);
        // The mantissa lies between the root of a half and that of two: what is above counts as half of it.
        let root = self.number(ints, std::f64::consts::FRAC_1_SQRT_2.to_bits());
        let shift = self.number(ints, MANTISSA);
        let above = self.b().op(Op::ISub, ints, &[bits, root]);
        let e = self.b().op(Op::ShiftRightArithmetic, ints, &[above, shift]);
        let whole = self.b().op(Op::ShiftLeftLogical, ints, &[e, shift]);
        let mantissa = self.b().op(Op::ISub, ints, &[bits, whole]);
        let m = self.b().op(Op::Bitcast, ty, &[mantissa]);
        let e = self.b().op(Op::ConvertSToF, ty, &[e]);
        let (less, none) = (self.float(ty, 54.0), zero);
        let less = self.b().op(Op::Select, ty, &[small, less, none]);
        let e = self.b().op(Op::FSub, ty, &[e, less]);
        // log m = 2 artanh s.
        let (f, below) = (self.b().op(Op::FSub, ty, &[m, one]), self.b().op(Op::FAdd, ty, &[m, one]));
        let s = self.b().op(Op::FDiv, ty, &[f, below]);
        let square = self.b().op(Op::FMul, ty, &[s, s]);
        let series = self.polynomial(ty, square, (1..LOG_TERMS).rev().map(|k| 2.0 / f64::from(2 * k + 1)));
        let rest = self.b().op(Op::FMul, ty, &[square, series]);
        // f - s (f - rest) is 2 s + s rest without the error of s.
        let inner = self.b().op(Op::FSub, ty, &[f, rest]);
        let product = self.b().op(Op::FMul, ty, &[s, inner]);
        let (high, low) = (self.float(ty, LN_2_HIGH), self.float(ty, LN_2_LOW));
        let low = self.b().op(Op::FMul, ty, &[e, low]);
        let correction = self.b().op(Op::FSub, ty, &[product, low]);
        let near = self.b().op(Op::FSub, ty, &[f, correction]);
        let v = self.glsl(GlslOp::Fma, ty, &[e, high, near]);
        let (infinite, minus, nan) =
            (self.float(ty, f64::INFINITY), self.float(ty, f64::NEG_INFINITY), self.float(ty, f64::NAN));
        let ends = self.b().op(Op::FOrdEqual, bools, &[x, infinite]);
        let v = self.b().op(Op::Select, ty, &[ends, infinite, v]);
        let nothing = self.b().op(Op::FOrdEqual, bools, &[x, zero]);
        let v = self.b().op(Op::Select, ty, &[nothing, minus, v]);
        let fine = self.b().op(Op::FOrdGreaterThanEqual, bools, &[x, zero]);
        self.b().op(Op::Select, ty, &[fine, v, nan])
    }

    /// Sine and cosine.
    pub fn angle(&mut self, ty: Type, x: Value) -> (Value, Value) {
        let (ints, bools) = (self.ints_like(ty, 64), self.bools_like(ty));
        let scale = self.float(ty, FRAC_2_PI);
        let n = self.b().op(Op::FMul, ty, &[x, scale]);
        let n = self.glsl(GlslOp::RoundEven, ty, &[n]);
        let minus = self.b().op(Op::FNegate, ty, &[n]);
        let mut r = x;
        for part in HALF_PI {
            let part = self.float(ty, part);
            r = self.glsl(GlslOp::Fma, ty, &[minus, part, r]);
        }
        let square = self.b().op(Op::FMul, ty, &[r, r]);
        // (-1)^k / (2k + 1)! and (-1)^k / (2k)!.
        let (mut sines, mut cosines, mut factorial) = (Vec::new(), Vec::new(), 1.0f64);
        for k in 0..SIN_TERMS {
            let sign = if k % 2 == 0 { 1.0 } else { -1.0 };
            cosines.push(sign / factorial);
            factorial *= f64::from(2 * k + 1);
            sines.push(sign / factorial);
            factorial *= f64::from(2 * k + 2);
        }
        let s = self.polynomial(ty, square, sines.into_iter().skip(1).rev());
        let cube = self.b().op(Op::FMul, ty, &[square, r]);
        let s = self.glsl(GlslOp::Fma, ty, &[cube, s, r]);
        let c = self.polynomial(ty, square, cosines.into_iter().rev());
        // By quarter turns.
        let quarter = self.b().op(Op::ConvertFToS, ints, &[n]);
        let (one, two, zero) = (self.number(ints, 1), self.number(ints, 2), self.number(ints, 0));
        let odd = self.b().op(Op::BitwiseAnd, ints, &[quarter, one]);
        let odd = self.b().op(Op::INotEqual, bools, &[odd, zero]);
        let (sin, cos) =
            (self.b().op(Op::Select, ty, &[odd, c, s]), self.b().op(Op::Select, ty, &[odd, s, c]));
        let signed = |b: &mut Self, v: Value, n: Value| {
            let half = b.b().op(Op::BitwiseAnd, ints, &[n, two]);
            let negative = b.b().op(Op::INotEqual, bools, &[half, zero]);
            let minus = b.b().op(Op::FNegate, ty, &[v]);
            b.b().op(Op::Select, ty, &[negative, minus, v])
        };
        let next = self.b().op(Op::IAdd, ints, &[quarter, one]);
        (signed(self, sin, quarter), signed(self, cos, next))
    }
}
