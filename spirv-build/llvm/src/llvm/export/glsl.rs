//! `GLSL.std.450`: LLVM's intrinsics where there are any, C's library for what has none, or a few instructions.

use super::function::{Body, Text, emit};
use super::types::{Elem, Shape};
use crate::ir::{GlslOp, InstData};
use std::f64::consts::PI;

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
            (Some(s), Some(from)) => self.glsl_numbers(op, s, from, &ids),
            _ => None,
        };
        let done = done.or_else(|| self.glsl_objects(op, data, &ids));
        if done.is_none() {
            self.refuse_inst(data);
        }
        done
    }

    /// Instructions on scalars and vectors.
    fn glsl_numbers(&mut self, op: GlslOp, s: Shape, from: Shape, v: &[Text]) -> Option<Text> {
        Some(match (op, v) {
            (GlslOp::Tan, [a]) => {
                let (sin, cos) = (self.intrinsic("sin", s, &[a]), self.intrinsic("cos", s, &[a]));
                self.bin("fdiv", s, &sin, &cos)
            }
            (GlslOp::SAbs, [a]) => self.int_abs(s, a),
            (GlslOp::FSign, [a]) => self.float_sign(s, a),
            (GlslOp::SSign, [a]) => self.int_sign(s, a),
            (GlslOp::Fract, [a]) => {
                let floor = self.intrinsic("floor", s, &[a]);
                self.bin("fsub", s, a, &floor)
            }
            (GlslOp::Radians, [a]) => self.scaled(s, a, PI / 180.0),
            (GlslOp::Degrees, [a]) => self.scaled(s, a, 180.0 / PI),
            (GlslOp::InverseSqrt, [a]) => {
                let (root, one) = (self.intrinsic("sqrt", s, &[a]), self.float(s, 1.0));
                self.bin("fdiv", s, &one, &root)
            }
            (GlslOp::FClamp | GlslOp::NClamp, [a, low, high]) => {
                let v = self.intrinsic("maxnum", s, &[a, low]);
                self.intrinsic("minnum", s, &[&v, high])
            }
            (GlslOp::UClamp, [a, low, high]) => {
                let v = self.intrinsic("umax", s, &[a, low]);
                self.intrinsic("umin", s, &[&v, high])
            }
            (GlslOp::SClamp, [a, low, high]) => {
                let v = self.intrinsic("smax", s, &[a, low]);
                self.intrinsic("smin", s, &[&v, high])
            }
            (GlslOp::FMix, [a, b, t]) => self.mix(s, a, b, t),
            (GlslOp::Step, [edge, a]) => self.step(s, edge, a),
            (GlslOp::SmoothStep, [low, high, a]) => self.smooth_step(s, low, high, a),
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
            (GlslOp::Length, [a]) => self.length(from, a),
            (GlslOp::Distance, [a, b]) => {
                let d = self.bin("fsub", from, a, b);
                self.length(from, &d)
            }
            (GlslOp::Cross, [a, b]) => self.cross(s, a, b),
            (GlslOp::Normalize, [a]) => self.normalize(s, a),
            (GlslOp::FaceForward, [n, i, reference]) => {
                let dot = self.dot_of(s, reference, i);
                let zero = self.float(s.scalar(), 0.0);
                let same = emit!(self, "fcmp olt {} {dot}, {zero}", s.scalar());
                let back = emit!(self, "fneg {s} {n}");
                emit!(self, "select i1 {same}, {s} {n}, {s} {back}")
            }
            (GlslOp::Reflect, [i, n]) => {
                let dot = self.dot_of(s, n, i);
                let twice = self.bin("fadd", s.scalar(), &dot, &dot);
                let twice = self.splat(s, &twice);
                let along = self.bin("fmul", s, &twice, n);
                self.bin("fsub", s, i, &along)
            }
            (GlslOp::Refract, [i, n, eta]) => self.refract(s, i, n, eta),
            _ => return self.packing(op, s, from, v),
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

    pub fn int_sign(&mut self, s: Shape, a: &Text) -> Text {
        let (one, least) = (self.int(s, 1), self.int(s, -1));
        let v = self.intrinsic("smin", s, &[a, &one]);
        self.intrinsic("smax", s, &[&v, &least])
    }

    /// -1, 0 or 1; zeros and NaN stay what they are.
    pub fn float_sign(&mut self, s: Shape, a: &Text) -> Text {
        let (zero, one, less) = (self.float(s, 0.0), self.float(s, 1.0), self.float(s, -1.0));
        let positive = emit!(self, "fcmp ogt {s} {a}, {zero}");
        let negative = emit!(self, "fcmp olt {s} {a}, {zero}");
        let v = self.select(&negative, s, &less, a);
        self.select(&positive, s, &one, &v)
    }

    pub fn mix(&mut self, s: Shape, a: &Text, b: &Text, t: &Text) -> Text {
        let one = self.float(s, 1.0);
        let rest = self.bin("fsub", s, &one, t);
        let (a, b) = (self.bin("fmul", s, a, &rest), self.bin("fmul", s, b, t));
        self.bin("fadd", s, &a, &b)
    }

    pub fn step(&mut self, s: Shape, edge: &Text, a: &Text) -> Text {
        let (zero, one) = (self.float(s, 0.0), self.float(s, 1.0));
        let below = emit!(self, "fcmp olt {s} {a}, {edge}");
        self.select(&below, s, &zero, &one)
    }

    pub fn smooth_step(&mut self, s: Shape, low: &Text, high: &Text, a: &Text) -> Text {
        let (from, span) = (self.bin("fsub", s, a, low), self.bin("fsub", s, high, low));
        let t = self.bin("fdiv", s, &from, &span);
        let (zero, one) = (self.float(s, 0.0), self.float(s, 1.0));
        let t = self.intrinsic("maxnum", s, &[&t, &zero]);
        let t = self.intrinsic("minnum", s, &[&t, &one]);
        let (two, three) = (self.float(s, 2.0), self.float(s, 3.0));
        let twice = self.bin("fmul", s, &two, &t);
        let rest = self.bin("fsub", s, &three, &twice);
        let square = self.bin("fmul", s, &t, &t);
        self.bin("fmul", s, &square, &rest)
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

    /// The dot product of vectors, or the product of scalars.
    pub fn dot_of(&mut self, s: Shape, a: &Text, b: &Text) -> Text {
        self.dot_product(s, a, b)
    }

    pub fn length(&mut self, s: Shape, a: &Text) -> Text {
        if s.len == 1 {
            return self.intrinsic("fabs", s, &[a]);
        }
        let dot = self.dot_of(s, a, a);
        self.intrinsic("sqrt", s.scalar(), &[&dot])
    }

    pub fn normalize(&mut self, s: Shape, a: &Text) -> Text {
        let length = self.length(s, a);
        let length = self.splat(s, &length);
        self.bin("fdiv", s, a, &length)
    }

    pub fn cross(&mut self, s: Shape, a: &Text, b: &Text) -> Text {
        // A fourth component, which OpenCL allows, becomes 0 since the product of both is subtracted from itself.
        let turn = |b: &mut Self, v: &Text, by: [u8; 3]| {
            let mut mask: Vec<String> = by.iter().map(|i| format!("i32 {i}")).collect();
            if s.len == 4 {
                mask.push("i32 3".into());
            }
            emit!(b, "shufflevector {s} {v}, {s} poison, <{} x i32> <{}>", s.len, mask.join(", "))
        };
        let (a1, b1) = (turn(self, a, [1, 2, 0]), turn(self, b, [2, 0, 1]));
        let (a2, b2) = (turn(self, a, [2, 0, 1]), turn(self, b, [1, 2, 0]));
        let (x, y) = (self.bin("fmul", s, &a1, &b1), self.bin("fmul", s, &a2, &b2));
        self.bin("fsub", s, &x, &y)
    }

    fn refract(&mut self, s: Shape, i: &Text, n: &Text, eta: &Text) -> Text {
        let e = s.scalar();
        let d = self.dot_of(s, n, i);
        let (one, zero) = (self.float(e, 1.0), self.float(e, 0.0));
        let square = self.bin("fmul", e, &d, &d);
        let rest = self.bin("fsub", e, &one, &square);
        let scale = self.bin("fmul", e, eta, eta);
        let part = self.bin("fmul", e, &scale, &rest);
        let k = self.bin("fsub", e, &one, &part);
        let none = emit!(self, "fcmp olt {e} {k}, {zero}");
        let root = self.intrinsic("sqrt", e, &[&k]);
        let along = self.bin("fmul", e, eta, &d);
        let along = self.bin("fadd", e, &along, &root);
        let (eta, along) = (self.splat(s, eta), self.splat(s, &along));
        let (a, b) = (self.bin("fmul", s, &eta, i), self.bin("fmul", s, &along, n));
        let v = self.bin("fsub", s, &a, &b);
        let nothing = self.float(s, 0.0);
        emit!(self, "select i1 {none}, {s} {nothing}, {s} {v}")
    }

    /// Packing of small numbers into words.
    fn packing(&mut self, op: GlslOp, s: Shape, from: Shape, v: &[Text]) -> Option<Text> {
        let a = v.first()?;
        let (scale, signed, width, len) = match op {
            GlslOp::PackSnorm4x8 | GlslOp::UnpackSnorm4x8 => (127.0, true, 8, 4),
            GlslOp::PackUnorm4x8 | GlslOp::UnpackUnorm4x8 => (255.0, false, 8, 4),
            GlslOp::PackSnorm2x16 | GlslOp::UnpackSnorm2x16 => (32767.0, true, 16, 2),
            GlslOp::PackUnorm2x16 | GlslOp::UnpackUnorm2x16 => (65535.0, false, 16, 2),
            GlslOp::PackHalf2x16 => {
                let halves = Shape { len: 2, ..Shape::float(16) };
                let v = self.cast("fptrunc", from, a, halves);
                return Some(self.cast("bitcast", halves, &v, s));
            }
            GlslOp::UnpackHalf2x16 => {
                let halves = Shape { len: 2, ..Shape::float(16) };
                let v = self.cast("bitcast", from, a, halves);
                return Some(self.cast("fpext", halves, &v, s));
            }
            GlslOp::PackDouble2x32 | GlslOp::UnpackDouble2x32 => {
                return Some(self.cast("bitcast", from, a, s));
            }
            _ => return None,
        };
        let small = Shape { elem: Elem::Int(width), len };
        let floats = Shape { elem: Elem::Float(32), len };
        if matches!(
            op,
            GlslOp::PackSnorm4x8 | GlslOp::PackUnorm4x8 | GlslOp::PackSnorm2x16 | GlslOp::PackUnorm2x16
        ) {
            let (low, high) = (self.float(floats, if signed { -1.0 } else { 0.0 }), self.float(floats, 1.0));
            let v = self.intrinsic("maxnum", floats, &[a, &low]);
            let v = self.intrinsic("minnum", floats, &[&v, &high]);
            let v = self.scaled(floats, &v, scale);
            let v = self.intrinsic("roundeven", floats, &[&v]);
            let v = self.cast(if signed { "fptosi" } else { "fptoui" }, floats, &v, small);
            return Some(self.cast("bitcast", small, &v, s));
        }
        let v = self.cast("bitcast", from, a, small);
        let v = self.cast(if signed { "sitofp" } else { "uitofp" }, small, &v, floats);
        let by = self.float(floats, scale);
        let v = self.bin("fdiv", floats, &v, &by);
        if !signed {
            return Some(v);
        }
        let (low, high) = (self.float(floats, -1.0), self.float(floats, 1.0));
        let v = self.intrinsic("maxnum", floats, &[&v, &low]);
        Some(self.intrinsic("minnum", floats, &[&v, &high]))
    }

    /// Instructions on matrices, or with several results.
    fn glsl_objects(&mut self, op: GlslOp, data: &InstData, v: &[Text]) -> Option<Text> {
        let first = data.id(0)?;
        match op {
            GlslOp::Determinant | GlslOp::MatrixInverse => {
                let (shape, columns) = self.columns(first)?;
                let parts: Vec<Vec<Text>> = columns
                    .iter()
                    .map(|c| (0..shape.len).map(|i| self.element(shape, c, i)).collect())
                    .collect();
                if op == GlslOp::Determinant {
                    return Some(self.determinant(shape, &parts));
                }
                let ty = self.type_of(data.result()?);
                let inverse = self.inverse(shape, &parts);
                self.matrix_of(ty, &inverse)
            }
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
