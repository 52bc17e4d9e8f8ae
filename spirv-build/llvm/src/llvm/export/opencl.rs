//! `OpenCL.std`: LLVM's intrinsics, C's library, or a few instructions. What is relaxed (`native_`, `half_`, `fast_`) is as
//! exact as what is not.

use super::function::{Body, Text, emit};
use super::types::{Elem, Shape};
use crate::ir::{InstData, Type, Value};
use spirv_spec::ClOp as Cl;
use std::f64::consts::PI;

/// A row each: instruction, intrinsic whose operands have the result's shape.
const INTRINSICS: &[(Cl, &str)] = &[
    (Cl::ceil, "ceil"),
    (Cl::copysign, "copysign"),
    (Cl::cos, "cos"),
    (Cl::half_cos, "cos"),
    (Cl::native_cos, "cos"),
    (Cl::exp, "exp"),
    (Cl::half_exp, "exp"),
    (Cl::native_exp, "exp"),
    (Cl::exp2, "exp2"),
    (Cl::half_exp2, "exp2"),
    (Cl::native_exp2, "exp2"),
    (Cl::fabs, "fabs"),
    (Cl::floor, "floor"),
    (Cl::fma, "fma"),
    (Cl::mad, "fmuladd"),
    (Cl::fmax, "maxnum"),
    (Cl::fmin, "minnum"),
    (Cl::fmax_common, "maxnum"),
    (Cl::fmin_common, "minnum"),
    (Cl::log, "log"),
    (Cl::half_log, "log"),
    (Cl::native_log, "log"),
    (Cl::log2, "log2"),
    (Cl::half_log2, "log2"),
    (Cl::native_log2, "log2"),
    (Cl::log10, "log10"),
    (Cl::half_log10, "log10"),
    (Cl::native_log10, "log10"),
    (Cl::pow, "pow"),
    (Cl::powr, "pow"),
    (Cl::half_powr, "pow"),
    (Cl::native_powr, "pow"),
    (Cl::rint, "roundeven"),
    (Cl::round, "round"),
    (Cl::sin, "sin"),
    (Cl::half_sin, "sin"),
    (Cl::native_sin, "sin"),
    (Cl::sqrt, "sqrt"),
    (Cl::half_sqrt, "sqrt"),
    (Cl::native_sqrt, "sqrt"),
    (Cl::trunc, "trunc"),
    (Cl::s_max, "smax"),
    (Cl::s_min, "smin"),
    (Cl::u_max, "umax"),
    (Cl::u_min, "umin"),
    (Cl::s_add_sat, "sadd.sat"),
    (Cl::u_add_sat, "uadd.sat"),
    (Cl::s_sub_sat, "ssub.sat"),
    (Cl::u_sub_sat, "usub.sat"),
    (Cl::popcount, "ctpop"),
];

/// A row each: instruction, function of C's library.
const LIBRARY: &[(Cl, &str)] = &[
    (Cl::acos, "acos"),
    (Cl::acosh, "acosh"),
    (Cl::asin, "asin"),
    (Cl::asinh, "asinh"),
    (Cl::atan, "atan"),
    (Cl::atan2, "atan2"),
    (Cl::atanh, "atanh"),
    (Cl::cbrt, "cbrt"),
    (Cl::cosh, "cosh"),
    (Cl::erf, "erf"),
    (Cl::erfc, "erfc"),
    (Cl::exp10, "exp10"),
    (Cl::half_exp10, "exp10"),
    (Cl::native_exp10, "exp10"),
    (Cl::expm1, "expm1"),
    (Cl::fdim, "fdim"),
    (Cl::hypot, "hypot"),
    (Cl::lgamma, "lgamma"),
    (Cl::log1p, "log1p"),
    (Cl::logb, "logb"),
    (Cl::nextafter, "nextafter"),
    (Cl::remainder, "remainder"),
    (Cl::sinh, "sinh"),
    (Cl::tan, "tan"),
    (Cl::half_tan, "tan"),
    (Cl::native_tan, "tan"),
    (Cl::tanh, "tanh"),
    (Cl::tgamma, "tgamma"),
];

impl Body<'_, '_> {
    pub fn opencl(&mut self, number: u32, data: &InstData) -> Option<Text> {
        let Some(op) = Cl::from_u32(number) else {
            self.refuse_inst(data);
            return None;
        };
        if op == Cl::prefetch {
            return None;
        }
        let ids = self.ids(data);
        let shape = self.result_shape(data);
        let first = data.id(0).and_then(|v| self.shape_of(v));
        let args: Vec<&Text> = ids.iter().collect();
        if let (Some((_, name)), Some(s)) = (INTRINSICS.iter().find(|r| r.0 == op), shape) {
            return Some(self.intrinsic(name, s, &args));
        }
        if let (Some((_, name)), Some(s)) = (LIBRARY.iter().find(|r| r.0 == op), shape) {
            return Some(self.libm(name, s, &args));
        }
        let before = self.x.refused.len();
        if self.opencl_stores(op, data, &ids) {
            return None;
        }
        let done = match (shape, first) {
            (Some(s), Some(from)) => self
                .opencl_floats(op, s, from, data, &ids)
                .or_else(|| self.opencl_ints(op, s, from, &ids))
                .or_else(|| self.opencl_common(op, s, &ids))
                .or_else(|| self.opencl_memory(op, s, data, &ids)),
            _ => None,
        };
        if done.is_none() && self.x.refused.len() == before {
            self.refuse_inst(data);
        }
        done
    }

    /// What a pointer operand points to.
    fn target(&self, data: &InstData, i: usize) -> Option<Type> {
        let v: Value = data.id(i)?;
        Some(self.x.module.ctx.types.pointee(self.type_of(v))?.0)
    }

    fn opencl_floats(&mut self, op: Cl, s: Shape, from: Shape, data: &InstData, v: &[Text]) -> Option<Text> {
        let quotient = |b: &mut Self, x: Text| {
            let by = b.float(s, PI);
            b.bin("fdiv", s, &x, &by)
        };
        Some(match (op, v) {
            (Cl::acospi, [a]) => {
                let x = self.libm("acos", s, &[a]);
                quotient(self, x)
            }
            (Cl::asinpi, [a]) => {
                let x = self.libm("asin", s, &[a]);
                quotient(self, x)
            }
            (Cl::atanpi, [a]) => {
                let x = self.libm("atan", s, &[a]);
                quotient(self, x)
            }
            (Cl::atan2pi, [a, b]) => {
                let x = self.libm("atan2", s, &[a, b]);
                quotient(self, x)
            }
            (Cl::sinpi, [a]) => self.sin_of_half_turns(s, a, false),
            (Cl::cospi, [a]) => self.sin_of_half_turns(s, a, true),
            (Cl::tanpi, [a]) => {
                let (sin, cos) = (self.sin_of_half_turns(s, a, false), self.sin_of_half_turns(s, a, true));
                self.bin("fdiv", s, &sin, &cos)
            }
            (Cl::fmod, [a, b]) => self.bin("frem", s, a, b),
            (Cl::half_divide | Cl::native_divide, [a, b]) => self.bin("fdiv", s, a, b),
            (Cl::half_recip | Cl::native_recip, [a]) => {
                let one = self.float(s, 1.0);
                self.bin("fdiv", s, &one, a)
            }
            (Cl::rsqrt | Cl::half_rsqrt | Cl::native_rsqrt, [a]) => {
                let (root, one) = (self.intrinsic("sqrt", s, &[a]), self.float(s, 1.0));
                self.bin("fdiv", s, &one, &root)
            }
            (Cl::ilogb, [a]) => {
                let mut at = 0;
                let mut all: Text = "poison".into();
                let wide = if from.width() == 64 { Shape::float(64) } else { Shape::float(32) };
                let name = if from.width() == 64 { "ilogb" } else { "ilogbf" };
                let single = self.each(from, &[a], |b, parts| {
                    let x = b.cast("fpext", from.scalar(), &parts[0], wide);
                    let n = b.call_intrinsic(name, Shape::I32, &[(wide, x)]);
                    if s.len > 1 {
                        all = emit!(b, "insertelement {s} {all}, i32 {n}, i64 {at}");
                        at += 1;
                        return "poison".into();
                    }
                    n
                });
                if s.len > 1 { all } else { single }
            }
            (Cl::ldexp, [a, n]) => {
                let exponents = self.shape_of(data.id(1)?)?;
                return self.ldexp(s, a, n, Some(exponents));
            }
            (Cl::pown, [a, n]) => {
                let exponents = self.shape_of(data.id(1)?)?;
                let (x, y, wide) = self.doubles(s, a, exponents, n);
                let r = self.intrinsic("pow", wide, &[&x, &y]);
                self.cast("fptrunc", wide, &r, s)
            }
            (Cl::rootn, [a, n]) => {
                let exponents = self.shape_of(data.id(1)?)?;
                let (x, y, wide) = self.doubles(s, a, exponents, n);
                let (one, zero) = (self.float(wide, 1.0), self.float(wide, 0.0));
                let y = self.bin("fdiv", wide, &one, &y);
                let magnitude = self.intrinsic("fabs", wide, &[&x]);
                let r = self.intrinsic("pow", wide, &[&magnitude, &y]);
                // Odd roots have the sign of their argument, even ones of negative numbers are none.
                let (bit, nothing) = (self.int(exponents, 1), self.int(exponents, 0));
                let low = self.bin("and", exponents, n, &bit);
                let odd = emit!(self, "icmp ne {exponents} {low}, {nothing}");
                let signed = self.intrinsic("copysign", wide, &[&r, &x]);
                let negative = emit!(self, "fcmp olt {wide} {x}, {zero}");
                let nan = self.float(wide, f64::NAN);
                let even = self.select(&negative, wide, &nan, &r);
                let r = self.select(&odd, wide, &signed, &even);
                self.cast("fptrunc", wide, &r, s)
            }
            (Cl::maxmag | Cl::minmag, [a, b]) => {
                let (x, y) = (self.intrinsic("fabs", s, &[a]), self.intrinsic("fabs", s, &[b]));
                let (first, second, name) =
                    if op == Cl::maxmag { ("ogt", "olt", "maxnum") } else { ("olt", "ogt", "minnum") };
                let takes_a = emit!(self, "fcmp {first} {s} {x}, {y}");
                let takes_b = emit!(self, "fcmp {second} {s} {x}, {y}");
                let other = self.intrinsic(name, s, &[a, b]);
                let other = self.select(&takes_b, s, b, &other);
                self.select(&takes_a, s, a, &other)
            }
            (Cl::nan, [bits]) => {
                let quiet = match s.width() {
                    16 => 0x7e00,
                    32 => 0x7fc0_0000,
                    _ => 0x7ff8_0000_0000_0000,
                };
                let quiet = self.int(from, quiet);
                let bits = self.bin("or", from, bits, &quiet);
                self.cast("bitcast", from, &bits, s)
            }
            (Cl::fract, [a, p]) => {
                let floor = self.intrinsic("floor", s, &[a]);
                let to = self.target(data, 1)?;
                self.store_object(p, to, &floor);
                let rest = self.bin("fsub", s, a, &floor);
                let below_one = match s.width() {
                    16 => 1.0 - f64::powi(2.0, -11),
                    32 => 1.0 - f64::powi(2.0, -24),
                    _ => 1.0 - f64::powi(2.0, -53),
                };
                let below_one = self.float(s, below_one);
                let rest = self.intrinsic("minnum", s, &[&rest, &below_one]);
                // Nothing is left of what is infinite, and what is no number stays so.
                let magnitude = self.intrinsic("fabs", s, &[a]);
                let (infinity, zero) = (self.float(s, f64::INFINITY), self.float(s, 0.0));
                let infinite = emit!(self, "fcmp oeq {s} {magnitude}, {infinity}");
                let none = emit!(self, "fcmp uno {s} {a}, {a}");
                let zero = self.intrinsic("copysign", s, &[&zero, a]);
                let rest = self.select(&infinite, s, &zero, &rest);
                self.select(&none, s, a, &rest)
            }
            (Cl::frexp, [a, p]) => {
                let (fraction, exponent) = self.frexp(s, a);
                let to = self.target(data, 1)?;
                self.store_object(p, to, &exponent);
                fraction
            }
            (Cl::modf, [a, p]) => {
                let (fraction, whole) = self.modf(s, a);
                let to = self.target(data, 1)?;
                self.store_object(p, to, &whole);
                fraction
            }
            (Cl::sincos, [a, p]) => {
                let (sin, cos) = (self.intrinsic("sin", s, &[a]), self.intrinsic("cos", s, &[a]));
                let to = self.target(data, 1)?;
                self.store_object(p, to, &cos);
                sin
            }
            _ => return None,
        })
    }

    /// A float and an integer as doubles.
    fn doubles(&mut self, s: Shape, a: &Text, exponents: Shape, n: &Text) -> (Text, Text, Shape) {
        let wide = s.with(Elem::Float(64));
        (self.cast("fpext", s, a, wide), self.cast("sitofp", exponents, n, wide), wide)
    }

    /// The sine (or cosine) of a number of half turns, exact where it is 0 or 1.
    fn sin_of_half_turns(&mut self, s: Shape, a: &Text, cosine: bool) -> Text {
        let n = self.intrinsic("roundeven", s, &[a]);
        let mut rest = self.bin("fsub", s, a, &n);
        if cosine {
            let magnitude = self.intrinsic("fabs", s, &[&rest]);
            let quarter = self.float(s, 0.5);
            rest = self.bin("fsub", s, &quarter, &magnitude);
        }
        let angle = self.scaled(s, &rest, PI);
        let v = self.intrinsic("sin", s, &[&angle]);
        let half = self.scaled(s, &n, 0.5);
        let floor = self.intrinsic("floor", s, &[&half]);
        let odd = emit!(self, "fcmp one {s} {half}, {floor}");
        let negated = emit!(self, "fneg {s} {v}");
        self.select(&odd, s, &negated, &v)
    }

    fn opencl_ints(&mut self, op: Cl, s: Shape, from: Shape, v: &[Text]) -> Option<Text> {
        if !matches!(s.elem, Elem::Int(_)) {
            return None;
        }
        Some(match (op, v) {
            (Cl::s_abs, [a]) => self.int_abs(s, a),
            (Cl::u_abs, [a]) => a.clone(),
            (Cl::s_abs_diff | Cl::u_abs_diff, [a, b]) => {
                let (max, min) = if op == Cl::s_abs_diff { ("smax", "smin") } else { ("umax", "umin") };
                let (high, low) = (self.intrinsic(max, s, &[a, b]), self.intrinsic(min, s, &[a, b]));
                self.bin("sub", s, &high, &low)
            }
            (Cl::s_hadd | Cl::u_hadd | Cl::s_rhadd | Cl::u_rhadd, [a, b]) => {
                let shift = if matches!(op, Cl::s_hadd | Cl::s_rhadd) { "ashr" } else { "lshr" };
                let (join, common) = match op {
                    Cl::s_rhadd | Cl::u_rhadd => ("sub", "or"),
                    _ => ("add", "and"),
                };
                let one = self.int(s, 1);
                let differ = self.bin("xor", s, a, b);
                let half = self.bin(shift, s, &differ, &one);
                let both = self.bin(common, s, a, b);
                self.bin(join, s, &both, &half)
            }
            (Cl::clz, [a]) => self.leading_zeros(s, a),
            (Cl::ctz, [a]) => self.trailing_zeros(s, a),
            (Cl::s_mul_hi, [a, b]) => self.wide_product(s, a, b, true).1,
            (Cl::u_mul_hi, [a, b]) => self.wide_product(s, a, b, false).1,
            (Cl::s_mad_hi | Cl::u_mad_hi, [a, b, c]) => {
                let high = self.wide_product(s, a, b, op == Cl::s_mad_hi).1;
                self.bin("add", s, &high, c)
            }
            (Cl::s_mad_sat | Cl::u_mad_sat, [a, b, c]) => self.mad_sat(s, a, b, c, op == Cl::s_mad_sat),
            (Cl::s_mul24 | Cl::u_mul24, [a, b]) => self.bin("mul", s, a, b),
            (Cl::s_mad24 | Cl::u_mad24, [a, b, c]) => {
                let x = self.bin("mul", s, a, b);
                self.bin("add", s, &x, c)
            }
            (Cl::rotate, [a, n]) => self.intrinsic("fshl", s, &[a, a, n]),
            (Cl::s_upsample | Cl::u_upsample, [high, low]) => {
                let high = self.cast("zext", from, high, s);
                let low = self.cast("zext", from, low, s);
                let by = self.int(s, i64::from(from.width()));
                let high = self.bin("shl", s, &high, &by);
                self.bin("or", s, &high, &low)
            }
            _ => return None,
        })
    }

    /// A product and a sum of twice the width, and what of it fits.
    fn mad_sat(&mut self, s: Shape, a: &Text, b: &Text, c: &Text, signed: bool) -> Text {
        let wide = s.with(Elem::Int(s.width() * 2));
        let extend = if signed { "sext" } else { "zext" };
        let (x, y, z) =
            (self.cast(extend, s, a, wide), self.cast(extend, s, b, wide), self.cast(extend, s, c, wide));
        let product = self.bin("mul", wide, &x, &y);
        let sum = self.bin("add", wide, &product, &z);
        // The limits are constants that are extended: wide ones are not written.
        let w = s.width();
        let (least, most) = if signed {
            (
                if w == 64 { i64::MIN } else { -(1 << (w - 1)) },
                if w == 64 { i64::MAX } else { (1 << (w - 1)) - 1 },
            )
        } else {
            (0, -1)
        };
        let (least, most) = (self.int(s, least), self.int(s, most));
        let (least, most) = (self.cast(extend, s, &least, wide), self.cast(extend, s, &most, wide));
        let sum = if signed {
            let sum = self.intrinsic("smax", wide, &[&sum, &least]);
            self.intrinsic("smin", wide, &[&sum, &most])
        } else {
            self.intrinsic("umin", wide, &[&sum, &most])
        };
        self.cast("trunc", wide, &sum, s)
    }

    fn opencl_common(&mut self, op: Cl, s: Shape, v: &[Text]) -> Option<Text> {
        Some(match (op, v) {
            (Cl::sign, [a]) => {
                let sign = self.float_sign(s, a);
                let zero = self.float(s, 0.0);
                let none = emit!(self, "fcmp uno {s} {a}, {a}");
                self.select(&none, s, &zero, &sign)
            }
            (Cl::bitselect, [a, b, mask]) => {
                let bits = s.ints();
                let (a, b, mask) = (
                    self.cast("bitcast", s, a, bits),
                    self.cast("bitcast", s, b, bits),
                    self.cast("bitcast", s, mask, bits),
                );
                let ones = self.int(bits, -1);
                let others = self.bin("xor", bits, &mask, &ones);
                let (a, b) = (self.bin("and", bits, &a, &others), self.bin("and", bits, &b, &mask));
                let r = self.bin("or", bits, &a, &b);
                self.cast("bitcast", bits, &r, s)
            }
            (Cl::select, [a, b, c]) => {
                let bits = s.ints();
                let zero = self.int(bits, 0);
                // Of vectors the sign counts.
                let is = if s.len > 1 { "slt" } else { "ne" };
                let takes = emit!(self, "icmp {is} {bits} {c}, {zero}");
                self.select(&takes, s, b, a)
            }
            _ => return None,
        })
    }

    /// The address of element `offset` times `n`.
    fn element_address(&mut self, p: &Text, elem: Elem, offset: Value, n: u64) -> Text {
        let text = self.value(offset);
        let shape = self.shape_of(offset).unwrap_or(Shape::I64);
        let at = self.resize(shape, &text, Shape::I64);
        let bytes = u64::from(Shape { elem, len: 1 }.bytes()) * n;
        self.offset(p, 0, &[(at, bytes)])
    }

    fn opencl_memory(&mut self, op: Cl, s: Shape, data: &InstData, v: &[Text]) -> Option<Text> {
        match op {
            Cl::vloadn | Cl::vload_half | Cl::vload_halfn | Cl::vloada_halfn => {
                let halves = op != Cl::vloadn;
                let elem = if halves { Elem::Float(16) } else { s.elem };
                // A half vector of three has the room of four where it is aligned.
                let n = if op == Cl::vloada_halfn && s.len == 3 { 4 } else { u64::from(s.len) };
                let p = self.element_address(&v[1], elem, data.id(0)?, n);
                let stored = s.with(elem);
                let x = emit!(self, "load {stored}, ptr {p}, align {}", stored.bytes());
                Some(if halves { self.cast("fpext", stored, &x, s) } else { x })
            }
            Cl::shuffle | Cl::shuffle2 => {
                let source = self.shape_of(data.id(0)?)?;
                let both = Shape { len: source.len * if op == Cl::shuffle2 { 2 } else { 1 }, ..source };
                let table = if op == Cl::shuffle2 {
                    let mask: Vec<String> = (0..both.len).map(|i| format!("i32 {i}")).collect();
                    let n = both.len;
                    emit!(
                        self,
                        "shufflevector {source} {}, {source} {}, <{n} x i32> <{}>",
                        v[0],
                        v[1],
                        mask.join(", ")
                    )
                } else {
                    v[0].clone()
                };
                let mask = *data.ids().collect::<Vec<Value>>().last()?;
                let (shape, mask) = (self.shape_of(mask)?, self.value(mask));
                // Only as many bits as there are components count.
                let bits = self.int(shape, i64::from(both.len) - 1);
                let mask = self.bin("and", shape, &mask, &bits);
                let mut all: Text = "poison".into();
                for i in 0..s.len {
                    let at = self.element(shape, &mask, i);
                    let part = emit!(self, "extractelement {both} {table}, {} {at}", shape.elem);
                    all = emit!(self, "insertelement {s} {all}, {} {part}, i64 {i}", s.elem);
                }
                Some(all)
            }
            _ => None,
        }
    }

    /// Stores of vectors. Tells whether the instruction is one.
    fn opencl_stores(&mut self, op: Cl, data: &InstData, v: &[Text]) -> bool {
        let halves = match op {
            Cl::vstoren => false,
            Cl::vstore_half | Cl::vstore_half_r | Cl::vstore_halfn | Cl::vstore_halfn_r => true,
            Cl::vstorea_halfn | Cl::vstorea_halfn_r => true,
            _ => return false,
        };
        let rounded = matches!(op, Cl::vstore_half_r | Cl::vstore_halfn_r | Cl::vstorea_halfn_r);
        const NEAREST: u32 = 0;
        let literal = data.operands.iter().find_map(|o| match o {
            crate::ir::Operand::Literal(n) => Some(*n),
            _ => None,
        });
        let (Some(value), Some(offset)) = (data.id(0), data.id(1)) else { return false };
        let Some(s) = self.shape_of(value).filter(|_| !rounded || literal == Some(NEAREST)) else {
            self.refuse_inst(data);
            return true;
        };
        let elem = if halves { Elem::Float(16) } else { s.elem };
        let aligned = matches!(op, Cl::vstorea_halfn | Cl::vstorea_halfn_r);
        let n = if aligned && s.len == 3 { 4 } else { u64::from(s.len) };
        let p = self.element_address(&v[2], elem, offset, n);
        let stored = s.with(elem);
        let x = if halves { self.cast("fptrunc", s, &v[0], stored) } else { v[0].clone() };
        self.line(format_args!("store {stored} {x}, ptr {p}, align {}", stored.bytes()));
        true
    }
}
