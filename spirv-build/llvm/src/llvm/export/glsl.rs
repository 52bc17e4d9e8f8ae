//! `GLSL.std.450`: LLVM's intrinsics where there are any, C's library for what has none, or a few instructions.

use super::function::{Body, Text, emit};
use super::types::{Elem, Shape};
use crate::ir::{GlslOp, InstData};

/// A row each: instruction, intrinsic whose operands have the result's shape.
const INTRINSICS: &[(GlslOp, &str)] = {
    &[
        (GlslOp::Round, "round"),
        (GlslOp::RoundEven, "roundeven"),
        (GlslOp::Trunc, "trunc"),
        (GlslOp::FAbs, "fabs"),
        (GlslOp::Floor, "floor"),
        (GlslOp::Ceil, "ceil"),
        (GlslOp::Sin, "sin"),
        (GlslOp::Cos, "cos"),
        (GlslOp::Pow, "pow"),
        (GlslOp::Exp, "exp"),
        (GlslOp::Log, "log"),
        (GlslOp::Exp2, "exp2"),
        (GlslOp::Log2, "log2"),
        (GlslOp::Sqrt, "sqrt"),
        (GlslOp::FMin, "minnum"),
        (GlslOp::FMax, "maxnum"),
        (GlslOp::NMin, "minnum"),
        (GlslOp::NMax, "maxnum"),
        (GlslOp::UMin, "umin"),
        (GlslOp::UMax, "umax"),
        (GlslOp::SMin, "smin"),
        (GlslOp::SMax, "smax"),
        (GlslOp::Fma, "fma"),
    ]
};

/// A row each: instruction, function of C's library.
const LIBRARY: &[(GlslOp, &str)] = {
    &[
        (GlslOp::Asin, "asin"),
        (GlslOp::Acos, "acos"),
        (GlslOp::Atan, "atan"),
        (GlslOp::Sinh, "sinh"),
        (GlslOp::Cosh, "cosh"),
        (GlslOp::Tanh, "tanh"),
        (GlslOp::Asinh, "asinh"),
        (GlslOp::Acosh, "acosh"),
        (GlslOp::Atanh, "atanh"),
        (GlslOp::Atan2, "atan2"),
    ]
};

impl Body<'_, '_> {
    pub fn glsl(&mut self, number: u32, data: &InstData) -> Option<Text> {
        let Some(op) = GlslOp::from_u32(number) else {
            self.refuse_inst(data);
            return None;
        };
        let ids = self.ids(data);
        let first = data.id(0).and_then(|v| self.shape_of(v));
        let shape = self.result_shape(data);
        let args: Vec<&Text> = ids.iter().collect();
        if let (Some((_, name)), Some(s)) = (INTRINSICS.iter().find(|r| r.0 == op), shape) {
            return Some(self.intrinsic(name, s, &args));
        }
        if let (Some((_, name)), Some(s)) = (LIBRARY.iter().find(|r| r.0 == op), shape) {
            return Some(self.libm(name, s, &args));
        }
        let done = match (shape, first) {
            (Some(s), Some(_)) => self.glsl_numbers(op, s, &ids),
            _ => None,
        };
        let done = done.or_else(|| self.glsl_objects(op, data, &ids));
        if done.is_none() {
            self.refuse_inst(data);
        }
        done
    }

    /// Instructions on scalars and vectors.
    fn glsl_numbers(&mut self, op: GlslOp, s: Shape, v: &[Text]) -> Option<Text> {
        Some(match (op, v) {
            (GlslOp::Tan, [a]) => {
                let (sin, cos) = (self.intrinsic("sin", s, &[a]), self.intrinsic("cos", s, &[a]));
                self.bin("fdiv", s, &sin, &cos)
            }
            (GlslOp::SAbs, [a]) => self.int_abs(s, a),
            (GlslOp::FSign, [a]) => self.float_sign(s, a),
            (GlslOp::InverseSqrt, [a]) => {
                let (root, one) = (self.intrinsic("sqrt", s, &[a]), self.float(s, 1.0));
                self.bin("fdiv", s, &one, &root)
            }
            (GlslOp::Ldexp, [a, n]) => return self.ldexp(s, a, n, None),
            (GlslOp::FindILsb, [a]) => {
                let bits = self.trailing_zeros(s, a);
                self.or_minus_one(s, a, &bits)
            }
            (GlslOp::FindUMsb, [a]) => self.highest_bit(s, a),
            (GlslOp::FindSMsb, [a]) => {
                // The first bit that differs from the sign.
                let size = self.int(s, i64::from(s.width()) - 1);
                let sign = self.bin("ashr", s, a, &size);
                let bits = self.bin("xor", s, a, &sign);
                self.highest_bit(s, &bits)
            }
            _ => return None,
        })
    }

    pub fn scaled(&mut self, s: Shape, a: &Text, by: f64) -> Text {
        let by = self.float(s, by);
        self.bin("fmul", s, a, &by)
    }

    pub fn int_abs(&mut self, s: Shape, a: &Text) -> Text {
        let name = format!("llvm.abs.{}", s.mangled());
        // The least integer stays what it is.
        self.call_intrinsic(&name, s, &[(s, a.clone()), (Shape::BOOL, "false".into())])
    }

    /// -1, 0 or 1; zeros and NaN stay what they are.
    pub fn float_sign(&mut self, s: Shape, a: &Text) -> Text {
        let (zero, one, less) = (self.float(s, 0.0), self.float(s, 1.0), self.float(s, -1.0));
        let positive = emit!(self, "fcmp ogt {s} {a}, {zero}");
        let negative = emit!(self, "fcmp olt {s} {a}, {zero}");
        let v = self.select(&negative, s, &less, a);
        self.select(&positive, s, &one, &v)
    }

    /// A float times a power of two. The exponents have the shape of their own width (None: that of the float).
    pub fn ldexp(&mut self, s: Shape, a: &Text, n: &Text, exponents: Option<Shape>) -> Option<Text> {
        let i = exponents.unwrap_or(s.with(Elem::Int(32))).scalar();
        let name = format!("llvm.ldexp.{}.i32", s.scalar().mangled());
        let mut at = 0;
        let n = n.clone();
        Some(self.each(s, &[a], |b, parts| {
            let n = if s.len == 1 { n.clone() } else { b.element(Shape { len: s.len, ..i }, &n, at) };
            at += 1;
            let n = b.resize(i, &n, Shape::I32);
            b.call_intrinsic(&name, s.scalar(), &[(s.scalar(), parts[0].clone()), (Shape::I32, n)])
        }))
    }

    /// The number of zeros below the lowest bit that is set; all of them, if none is.
    pub fn trailing_zeros(&mut self, s: Shape, a: &Text) -> Text {
        let name = format!("llvm.cttz.{}", s.mangled());
        self.call_intrinsic(&name, s, &[(s, a.clone()), (Shape::BOOL, "false".into())])
    }

    pub fn leading_zeros(&mut self, s: Shape, a: &Text) -> Text {
        let name = format!("llvm.ctlz.{}", s.mangled());
        self.call_intrinsic(&name, s, &[(s, a.clone()), (Shape::BOOL, "false".into())])
    }

    /// -1 where a value is 0.
    fn or_minus_one(&mut self, s: Shape, a: &Text, v: &Text) -> Text {
        let (zero, none) = (self.int(s, 0), self.int(s, -1));
        let empty = emit!(self, "icmp eq {s} {a}, {zero}");
        self.select(&empty, s, &none, v)
    }

    /// The number of the highest bit that is set, or -1.
    fn highest_bit(&mut self, s: Shape, a: &Text) -> Text {
        let (zeros, last) = (self.leading_zeros(s, a), self.int(s, i64::from(s.width()) - 1));
        self.bin("sub", s, &last, &zeros)
    }

    /// Instructions with several results.
    fn glsl_objects(&mut self, op: GlslOp, data: &InstData, v: &[Text]) -> Option<Text> {
        let first = data.id(0)?;
        match op {
            GlslOp::Modf | GlslOp::ModfStruct => {
                let s = self.shape_of(first)?;
                let (fraction, whole) = self.modf(s, &v[0]);
                if op == GlslOp::ModfStruct {
                    return self.two_parts(data, &fraction, &whole);
                }
                let p = data.id(1)?;
                let (ty, _) = self.x.module.ctx.types.pointee(self.type_of(p))?;
                self.store_object(&v[1], ty, &whole);
                Some(fraction)
            }
            GlslOp::Frexp | GlslOp::FrexpStruct => {
                let s = self.shape_of(first)?;
                let (fraction, exponent) = self.frexp(s, &v[0]);
                let exponents = s.with(Elem::Int(32));
                if op == GlslOp::FrexpStruct {
                    let ty = self.type_of(data.result()?);
                    let second = self.x.module.ctx.types.element(ty, 1)?;
                    let exponent = self.sign_resize(exponents, &exponent, self.shape(second)?);
                    return self.two_parts(data, &fraction, &exponent);
                }
                let p = data.id(1)?;
                let (ty, _) = self.x.module.ctx.types.pointee(self.type_of(p))?;
                let exponent = self.sign_resize(exponents, &exponent, self.shape(ty)?);
                self.store_object(&v[1], ty, &exponent);
                Some(fraction)
            }
            _ => None,
        }
    }

    fn sign_resize(&mut self, from: Shape, v: &Text, to: Shape) -> Text {
        self.cast(if from.width() < to.width() { "sext" } else { "trunc" }, from, v, to)
    }

    /// The fraction and the whole part of a float, both with its sign.
    pub fn modf(&mut self, s: Shape, a: &Text) -> (Text, Text) {
        let whole = self.intrinsic("trunc", s, &[a]);
        let rest = self.bin("fsub", s, a, &whole);
        // Nothing is left of what is infinite.
        let magnitude = self.intrinsic("fabs", s, &[a]);
        let infinity = self.float(s, f64::INFINITY);
        let infinite = emit!(self, "fcmp oeq {s} {magnitude}, {infinity}");
        let zero = self.float(s, 0.0);
        let rest = self.select(&infinite, s, &zero, &rest);
        (self.intrinsic("copysign", s, &[&rest, a]), whole)
    }

    /// Fraction and exponent.
    pub fn frexp(&mut self, s: Shape, a: &Text) -> (Text, Text) {
        let e = s.scalar();
        let pair = format!("{{ {e}, i32 }}");
        let name = format!("llvm.frexp.{}.i32", e.mangled());
        self.x.declare(&name, &format!("declare {pair} @{name}({e})"));
        let exponents = s.with(Elem::Int(32));
        let mut exponent: Text = "poison".into();
        let mut at = 0;
        // What is infinite or no number has no exponent; C says nothing about it, here it is 0.
        let fraction = self.each(s, &[a], |b, parts| {
            let both = emit!(b, "call {pair} @{name}({e} {})", parts[0]);
            let fraction = emit!(b, "extractvalue {pair} {both}, 0");
            let n = emit!(b, "extractvalue {pair} {both}, 1");
            let magnitude = b.intrinsic("fabs", e, &[&parts[0]]);
            let infinity = b.float(e, f64::INFINITY);
            let finite = emit!(b, "fcmp olt {e} {magnitude}, {infinity}");
            let n = emit!(b, "select i1 {finite}, i32 {n}, i32 0");
            let fraction = b.select(&finite, e, &fraction, &parts[0]);
            exponent = if s.len == 1 {
                n
            } else {
                emit!(b, "insertelement {exponents} {exponent}, i32 {n}, i64 {at}")
            };
            at += 1;
            fraction
        });
        (fraction, exponent)
    }
}
