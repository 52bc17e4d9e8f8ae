//! Longer functions of floats: powers, the error function, neighbours, and those of whole vectors.

use super::body::Body;
use crate::ir::{GlslOp, Op, Type, TypeKind, Value};
use spirv_spec::ClOp as Cl;
use std::f64::consts::FRAC_2_SQRT_PI;

impl Body<'_, '_> {
    /// A power: of a negative number it has the sign of its exponent's parity, and is NaN if that is no whole number.
    pub fn power(&mut self, ty: Type, x: Value, y: Value, whole: Option<Value>) -> Value {
        use GlslOp as G;
        let bools = self.bools_like(ty);
        let (zero, one) = (self.float(ty, 0.0), self.float(ty, 1.0));
        let size = self.glsl(G::FAbs, ty, &[x]);
        let power = match self.float_width(ty) {
            Some(64) => self.double_power(ty, size, y),
            _ => self.glsl(G::Pow, ty, &[size, y]),
        };
        let is_zero = self.b().op(Op::FOrdEqual, bools, &[size, zero]);
        // 0 to a negative power is infinite.
        let infinite = self.float(ty, f64::INFINITY);
        let below = self.b().op(Op::FOrdLessThan, bools, &[y, zero]);
        let of_zero = self.b().op(Op::Select, ty, &[below, infinite, zero]);
        let power = self.b().op(Op::Select, ty, &[is_zero, of_zero, power]);
        // 1 to any power is 1, even where the logarithm is not exact.
        let unit = self.b().op(Op::FOrdEqual, bools, &[size, one]);
        let power = self.b().op(Op::Select, ty, &[unit, one, power]);
        let (odd, is_whole) = match whole {
            Some(n) => {
                let ints = self.f.values[n].ty;
                let (bit, none) = (self.number(ints, 1), self.number(ints, 0));
                let low = self.b().op(Op::BitwiseAnd, ints, &[n, bit]);
                (self.b().op(Op::INotEqual, bools, &[low, none]), None)
            }
            None => {
                let half = self.times(ty, y, 0.5);
                let (floor, down) = (self.glsl(G::Floor, ty, &[half]), self.glsl(G::Floor, ty, &[y]));
                let is_whole = self.b().op(Op::FOrdEqual, bools, &[down, y]);
                let uneven = self.b().op(Op::FOrdNotEqual, bools, &[floor, half]);
                (self.b().op(Op::LogicalAnd, bools, &[is_whole, uneven]), Some(is_whole))
            }
        };
        let signed = self.with_sign(ty, power, x);
        let v = self.b().op(Op::Select, ty, &[odd, signed, power]);
        let v = match is_whole {
            Some(is_whole) => {
                let nan = self.float(ty, f64::NAN);
                let negative = self.b().op(Op::FOrdLessThan, bools, &[x, zero]);
                let broken = self.b().op(Op::LogicalNot, bools, &[is_whole]);
                let broken = self.b().op(Op::LogicalAnd, bools, &[negative, broken]);
                self.b().op(Op::Select, ty, &[broken, nan, v])
            }
            None => v,
        };
        let none = self.b().op(Op::FOrdEqual, bools, &[y, zero]);
        self.b().op(Op::Select, ty, &[none, one, v])
    }

    /// The error function: near zero its series, beyond by the complement's approximation `t exp(-x² + p(t))`, which is good
    /// to one part in ten million everywhere.
    pub fn error_function(&mut self, ty: Type, x: Value, complement: bool) -> Value {
        /// Coefficients of `p`, of `t = 1 / (1 + x / 2)`, constant first.
        const P: [f64; 10] = [
            -1.265_512_23,
            1.000_023_68,
            0.374_091_96,
            0.096_784_18,
            -0.186_288_06,
            0.278_868_07,
            -1.135_203_98,
            1.488_515_87,
            -0.822_152_23,
            0.170_872_77,
        ];
        /// Of the series, in `x²`: those of `2 / sqrt(π)` times `(-1)^n / (n! (2n + 1))`.
        const S: [f64; 6] = [
            FRAC_2_SQRT_PI,
            -FRAC_2_SQRT_PI / 3.0,
            FRAC_2_SQRT_PI / 10.0,
            -FRAC_2_SQRT_PI / 42.0,
            FRAC_2_SQRT_PI / 216.0,
            -FRAC_2_SQRT_PI / 1320.0,
        ];
        use GlslOp as G;
        let bools = self.bools_like(ty);
        let polynomial = |b: &mut Self, at: Value, list: &[f64]| {
            let mut sum = b.float(ty, list[list.len() - 1]);
            for c in list.iter().rev().skip(1) {
                let c = b.float(ty, *c);
                sum = b.glsl(G::Fma, ty, &[sum, at, c]);
            }
            sum
        };
        let (one, two, half) = (self.float(ty, 1.0), self.float(ty, 2.0), self.float(ty, 0.5));
        let size = self.glsl(G::FAbs, ty, &[x]);
        let below = self.glsl(G::Fma, ty, &[size, half, one]);
        let t = self.b().op(Op::FDiv, ty, &[one, below]);
        let p = polynomial(self, t, &P);
        let square = self.b().op(Op::FMul, ty, &[size, size]);
        let power = self.b().op(Op::FSub, ty, &[p, square]);
        let e = self.glsl(G::Exp, ty, &[power]);
        let rest = self.b().op(Op::FMul, ty, &[t, e]);
        let series = polynomial(self, square, &S);
        let near = self.b().op(Op::FMul, ty, &[x, series]);
        let small = self.b().op(Op::FOrdLessThan, bools, &[size, half]);
        if complement {
            let other = self.b().op(Op::FSub, ty, &[two, rest]);
            let zero = self.float(ty, 0.0);
            let negative = self.b().op(Op::FOrdLessThan, bools, &[x, zero]);
            let far = self.b().op(Op::Select, ty, &[negative, other, rest]);
            let near = self.b().op(Op::FSub, ty, &[one, near]);
            return self.b().op(Op::Select, ty, &[small, near, far]);
        }
        let far = self.b().op(Op::FSub, ty, &[one, rest]);
        let far = self.with_sign(ty, far, x);
        self.b().op(Op::Select, ty, &[small, near, far])
    }

    pub fn next_after(&mut self, ty: Type, x: Value, y: Value) -> Option<Value> {
        let width = self.float_width(ty)?;
        let (ints, bools) = (self.ints_like(ty, width), self.bools_like(ty));
        let top = 1u64 << (width - 1);
        let (zero, one, sign) = (self.number(ints, 0), self.number(ints, 1), self.number(ints, top));
        let float_zero = self.float(ty, 0.0);
        let bits = self.b().op(Op::Bitcast, ints, &[x]);
        let up = self.b().op(Op::FOrdGreaterThan, bools, &[y, x]);
        // Away from zero is one more, towards it one less; from zero to the smallest number of the sign.
        let positive = self.b().op(Op::SGreaterThanEqual, bools, &[bits, zero]);
        let away = self.b().op(Op::LogicalEqual, bools, &[up, positive]);
        let (more, less) =
            (self.b().op(Op::IAdd, ints, &[bits, one]), self.b().op(Op::ISub, ints, &[bits, one]));
        let moved = self.b().op(Op::Select, ints, &[away, more, less]);
        let smallest = self.b().op(Op::BitwiseOr, ints, &[sign, one]);
        let smallest = self.b().op(Op::Select, ints, &[up, one, smallest]);
        let is_zero = self.b().op(Op::FOrdEqual, bools, &[x, float_zero]);
        let moved = self.b().op(Op::Select, ints, &[is_zero, smallest, moved]);
        let moved = self.b().op(Op::Bitcast, ty, &[moved]);
        let same = self.b().op(Op::FOrdEqual, bools, &[x, y]);
        let v = self.b().op(Op::Select, ty, &[same, y, moved]);
        let (a, b) = (self.b().op(Op::IsNan, bools, &[x]), self.b().op(Op::IsNan, bools, &[y]));
        let nan = self.b().op(Op::LogicalOr, bools, &[a, b]);
        let sum = self.b().op(Op::FAdd, ty, &[x, y]);
        Some(self.b().op(Op::Select, ty, &[nan, sum, v]))
    }

    pub fn geometric(&mut self, cl: Cl, ty: Type, ids: &[Value], types: &[Type]) -> Option<Value> {
        use GlslOp as G;
        let double = types.iter().any(|t| self.float_width(*t) == Some(64));
        let vector = *types.first()?;
        let len = self.l.old.ctx.types.len_of(vector);
        match (cl, ids) {
            (Cl::shuffle | Cl::shuffle2, _) => self.shuffle_function(ty, ids, types),
            (Cl::length | Cl::fast_length | Cl::distance | Cl::fast_distance, _) => {
                let x = match ids {
                    [x] => *x,
                    [a, b] => self.b().op(Op::FSub, vector, &[*a, *b]),
                    _ => return None,
                };
                if len == 1 {
                    return Some(self.glsl(G::FAbs, ty, &[x]));
                }
                if !double {
                    return Some(self.glsl(G::Length, ty, &[x]));
                }
                let square = self.b().op(Op::Dot, ty, &[x, x]);
                Some(self.glsl(G::Sqrt, ty, &[square]))
            }
            (Cl::normalize | Cl::fast_normalize, [x]) => {
                // The zero vector stays what it is.
                let scalar = self.l.old.ctx.types.scalar_of(vector);
                let (truth, zero) = (self.l.new.ctx.types.bool(), self.float(scalar, 0.0));
                if len == 1 {
                    return Some(self.glsl(G::FSign, ty, &[*x]));
                }
                let square = self.b().op(Op::Dot, scalar, &[*x, *x]);
                let root = self.glsl(G::Sqrt, scalar, &[square]);
                let none = self.b().op(Op::FOrdEqual, truth, &[root, zero]);
                let one = self.float(scalar, 1.0);
                let by = self.b().op(Op::Select, scalar, &[none, one, root]);
                let all = self.b().op(Op::CompositeConstruct, ty, &vec![by; usize::from(len)]);
                Some(self.b().op(Op::FDiv, ty, &[*x, all]))
            }
            (Cl::cross, [a, b]) => {
                let scalar = self.l.old.ctx.types.scalar_of(vector);
                let mut parts = Vec::new();
                for i in 0..3u32 {
                    let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                    let mut part = |v, n| self.b().extract(v, scalar, &[n]);
                    let (p, q, r, s) = (part(*a, j), part(*b, k), part(*a, k), part(*b, j));
                    let (x, y) =
                        (self.b().op(Op::FMul, scalar, &[p, q]), self.b().op(Op::FMul, scalar, &[r, s]));
                    parts.push(self.b().op(Op::FSub, scalar, &[x, y]));
                }
                if len == 4 {
                    parts.push(self.float(scalar, 0.0));
                }
                Some(self.b().op(Op::CompositeConstruct, ty, &parts))
            }
            _ => None,
        }
    }

    /// Components of one or two vectors, chosen at run time.
    fn shuffle_function(&mut self, ty: Type, ids: &[Value], types: &[Type]) -> Option<Value> {
        let (mask, vectors) = ids.split_last()?;
        let (mask_type, vector_types) = types.split_last()?;
        let elem = self.l.old.ctx.types.scalar_of(ty);
        let mut all = Vec::new();
        for (v, t) in vectors.iter().zip(vector_types) {
            for i in 0..u32::from(self.l.old.ctx.types.len_of(*t)) {
                all.push(self.component_of(*v, *t, i));
            }
        }
        let count = u32::try_from(all.len()).ok()?;
        let array = TypeKind::Array { elem, len: count, stride: None };
        let array = self.l.new.ctx.types.intern(array);
        let whole = self.b().op(Op::CompositeConstruct, array, &all);
        let var = self.b().variable(array, None);
        self.b().store(var, whole);
        let word = self.l.new.ctx.types.u32();
        let mut parts = Vec::new();
        for i in 0..u32::from(self.l.old.ctx.types.len_of(*mask_type)) {
            let n = self.component_of(*mask, *mask_type, i);
            let n = self.in_word(n);
            let limit = self.b().u32(count - 1);
            let n = self.b().op(Op::BitwiseAnd, word, &[n, limit]);
            let p = self.b().access_chain(var, elem, &[n]);
            parts.push(self.b().load(p));
        }
        let new = self.map(ty);
        Some(self.b().op(Op::CompositeConstruct, new, &parts))
    }

    /// An integer of any width in 32 bits.
    fn in_word(&mut self, v: Value) -> Value {
        let word = self.l.new.ctx.types.u32();
        if self.f.values[v].ty == word { v } else { self.b().op(Op::UConvert, word, &[v]) }
    }
}
