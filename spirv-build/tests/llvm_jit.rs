//! Exported code, run: each instruction that computes, on edge values against a reference in Rust, through LLVM's JIT.
#![cfg(any(feature = "llvm19-1", feature = "llvm22-1"))]

mod llvm_jit_support;

use std::cmp::Ordering;

use llvm_jit_support::{B, Case, F16, F32, F64, I8, I16, I32, I64, Ty, float, run, signed, to_float};

/// A reference on signed numbers; what does not fit wraps.
fn on_ints(f: impl Fn(i128, i128) -> Option<i128> + 'static, t: Ty) -> impl Fn(&[u64]) -> Option<u64> {
    move |v| Some(t.wrap(f(signed(v[0], t), signed(v[1], t))?))
}

/// A reference on unsigned numbers.
fn on_words(f: impl Fn(u128, u128) -> Option<u128> + 'static, t: Ty) -> impl Fn(&[u64]) -> Option<u64> {
    move |v| Some(t.wrap(f(u128::from(v[0]), u128::from(v[1]))? as i128))
}

/// A reference on floats, rounded to the type.
fn on_floats(f: impl Fn(&[f64]) -> f64 + 'static, t: Ty) -> impl Fn(&[u64]) -> Option<u64> {
    move |v| {
        let x: Vec<f64> = v.iter().map(|b| float(*b, t)).collect();
        Some(to_float(f(&x), t))
    }
}

#[test]
fn integer_arithmetic() {
    let mut cases = Vec::new();
    for t in [I8, I16, I32, I64] {
        let least = -(1i128 << (t.bits() - 1));
        let c = |op: &str, f: fn(i128, i128) -> Option<i128>| Case::new(op, &[t, t], t, on_ints(f, t));
        cases.push(c("IAdd", |a, b| Some(a + b)));
        cases.push(c("ISub", |a, b| Some(a - b)));
        cases.push(c("IMul", |a, b| Some(a * b)));
        // Division by zero and overflow are undefined.
        let divides = move |a: i128, b: i128| b != 0 && !(a == least && b == -1);
        cases.push(Case::new("SDiv", &[t, t], t, on_ints(move |a, b| divides(a, b).then(|| a / b), t)));
        cases.push(Case::new("SRem", &[t, t], t, on_ints(move |a, b| divides(a, b).then(|| a % b), t)));
        let modulo = |a: i128, b: i128| ((a % b) + b) % b;
        cases.push(Case::new(
            "SMod",
            &[t, t],
            t,
            on_ints(move |a, b| divides(a, b).then(|| modulo(a, b)), t),
        ));
        cases.push(Case::new("UDiv", &[t, t], t, on_words(|a, b| a.checked_div(b), t)));
        cases.push(Case::new("UMod", &[t, t], t, on_words(|a, b| a.checked_rem(b), t)));
        cases.push(Case::new("SNegate", &[t], t, move |v| Some(t.wrap(-signed(v[0], t)))));
        cases.push(Case::new("GL.SAbs", &[t], t, move |v| Some(t.wrap(signed(v[0], t).abs()))));
        cases.push(Case::new("GL.SSign", &[t], t, move |v| Some(t.wrap(signed(v[0], t).signum()))));
        cases.push(c("GL.SMin", |a, b| Some(a.min(b))));
        cases.push(c("GL.SMax", |a, b| Some(a.max(b))));
        cases.push(Case::new("GL.UMin", &[t, t], t, on_words(|a, b| Some(a.min(b)), t)));
        cases.push(Case::new("GL.UMax", &[t, t], t, on_words(|a, b| Some(a.max(b)), t)));
        cases.push(Case::new("GL.UClamp", &[t, t, t], t, |v| (v[1] <= v[2]).then(|| v[0].clamp(v[1], v[2]))));
        cases.push(Case::new("GL.SClamp", &[t, t, t], t, move |v| {
            let (x, a, b) = (signed(v[0], t), signed(v[1], t), signed(v[2], t));
            (a <= b).then(|| t.wrap(x.clamp(a, b)))
        }));
    }
    run("arithmetic", cases);
}

#[test]
fn bits() {
    let mut cases = Vec::new();
    for t in [I8, I16, I32, I64] {
        let n = t.bits();
        cases.push(Case::new("BitwiseAnd", &[t, t], t, |v| Some(v[0] & v[1])));
        cases.push(Case::new("BitwiseOr", &[t, t], t, |v| Some(v[0] | v[1])));
        cases.push(Case::new("BitwiseXor", &[t, t], t, |v| Some(v[0] ^ v[1])));
        cases.push(Case::new("Not", &[t], t, move |v| Some(t.wrap(!i128::from(v[0])))));
        cases.push(Case::new("BitReverse", &[t], t, move |v| Some(v[0].reverse_bits() >> (64 - n))));
        cases.push(Case::new("BitCount", &[t], t, |v| Some(u64::from(v[0].count_ones()))));
        cases.push(Case::new("BitCount", &[t], I32, |v| Some(u64::from(v[0].count_ones()))));
        // Shifts by the width and more are undefined.
        for amount in [I8, I16, I32, I64] {
            let by = move |b: u64| (b < u64::from(n)).then_some(b as u32);
            let shift = [t, amount];
            cases.push(Case::new("ShiftLeftLogical", &shift, t, move |v| {
                Some(t.wrap(i128::from(v[0]) << by(v[1])?))
            }));
            cases.push(Case::new("ShiftRightLogical", &shift, t, move |v| Some(v[0] >> by(v[1])?)));
            cases.push(Case::new("ShiftRightArithmetic", &shift, t, move |v| {
                Some(t.wrap(signed(v[0], t) >> by(v[1])?))
            }));
        }
        cases.push(Case::new("GL.FindILsb", &[t], t, move |v| {
            Some(t.wrap(if v[0] == 0 { -1 } else { i128::from(v[0].trailing_zeros()) }))
        }));
        let highest = move |x: u64| t.wrap(63 - i128::from(x.leading_zeros()));
        cases.push(Case::new("GL.FindUMsb", &[t], t, move |v| Some(highest(v[0]))));
        cases.push(Case::new("GL.FindSMsb", &[t], t, move |v| {
            let x = signed(v[0], t);
            Some(highest(t.wrap(if x < 0 { !x } else { x })))
        }));
        // Counts of none and of all bits, and offsets up to the width, are in.
        for at in [I8, I32, I64] {
            let fits = move |offset: u64, count: u64| {
                offset.checked_add(count).is_some_and(|sum| sum <= u64::from(n))
            };
            let mask = |count: u64| if count == 64 { u64::MAX } else { (1 << count) - 1 };
            let extract = [t, at, at];
            cases.push(
                Case::new("BitFieldUExtract", &extract, t, move |v| {
                    fits(v[1], v[2]).then(|| v[0].checked_shr(v[1] as u32).unwrap_or(0) & mask(v[2]))
                })
                .with_bits(&[1, 2], n),
            );
            cases.push(
                Case::new("BitFieldSExtract", &extract, t, move |v| {
                    if !fits(v[1], v[2]) || v[2] == 0 {
                        return fits(v[1], v[2]).then_some(0);
                    }
                    let field = (v[0] >> v[1]) & mask(v[2]);
                    let up = 64 - v[2];
                    Some(t.wrap(i128::from(((field << up) as i64) >> up)))
                })
                .with_bits(&[1, 2], n),
            );
            cases.push(
                Case::new("BitFieldInsert", &[t, t, at, at], t, move |v| {
                    let field = mask(v[3]).checked_shl(v[2] as u32).unwrap_or(0);
                    let insert = v[1].checked_shl(v[2] as u32).unwrap_or(0);
                    fits(v[2], v[3]).then(|| t.wrap(i128::from(v[0] & !field | insert & field)))
                })
                .with_bits(&[2, 3], n),
            );
        }
    }
    run("bits", cases);
}

#[test]
fn integer_comparisons_and_logic() {
    let mut cases = Vec::new();
    for t in [I8, I16, I32, I64] {
        let mut c = |op: &str, f: fn(i128, i128) -> bool, is_signed: bool| {
            cases.push(Case::new(op, &[t, t], B, move |v| {
                let n = |b: u64| if is_signed { signed(b, t) } else { i128::from(b) };
                Some(u64::from(f(n(v[0]), n(v[1]))))
            }));
        };
        c("IEqual", |a, b| a == b, false);
        c("INotEqual", |a, b| a != b, false);
        c("SGreaterThan", |a, b| a > b, true);
        c("SGreaterThanEqual", |a, b| a >= b, true);
        c("SLessThan", |a, b| a < b, true);
        c("SLessThanEqual", |a, b| a <= b, true);
        c("UGreaterThan", |a, b| a > b, false);
        c("UGreaterThanEqual", |a, b| a >= b, false);
        c("ULessThan", |a, b| a < b, false);
        c("ULessThanEqual", |a, b| a <= b, false);
        cases.push(Case::new("Select", &[B, t, t], t, |v| Some(if v[0] != 0 { v[1] } else { v[2] })));
    }
    cases.push(Case::new("LogicalAnd", &[B, B], B, |v| Some(v[0] & v[1])));
    cases.push(Case::new("LogicalOr", &[B, B], B, |v| Some(v[0] | v[1])));
    cases.push(Case::new("LogicalEqual", &[B, B], B, |v| Some(u64::from(v[0] == v[1]))));
    cases.push(Case::new("LogicalNotEqual", &[B, B], B, |v| Some(v[0] ^ v[1])));
    cases.push(Case::new("LogicalNot", &[B], B, |v| Some(v[0] ^ 1)));
    run("logic", cases);
}

#[test]
fn float_arithmetic() {
    let mut cases = Vec::new();
    for t in [F16, F32, F64] {
        let c = |op: &str, n: usize, f: fn(&[f64]) -> f64| Case::new(op, &vec![t; n], t, on_floats(f, t));
        cases.push(c("FAdd", 2, |x| x[0] + x[1]));
        cases.push(c("FSub", 2, |x| x[0] - x[1]));
        cases.push(c("FMul", 2, |x| x[0] * x[1]));
        cases.push(c("FDiv", 2, |x| x[0] / x[1]));
        cases.push(c("FRem", 2, |x| x[0] % x[1]));
        // With the sign of the divisor.
        cases.push(c("FMod", 2, |x| {
            let r = x[0] % x[1];
            if r != 0.0 && (r < 0.0) != (x[1] < 0.0) { r + x[1] } else { r }
        }));
        cases.push(c("FNegate", 1, |x| -x[0]));
        cases.push(c("GL.FAbs", 1, |x| x[0].abs()));
        cases.push(c("GL.Floor", 1, |x| x[0].floor()));
        cases.push(c("GL.Ceil", 1, |x| x[0].ceil()));
        cases.push(c("GL.Trunc", 1, |x| x[0].trunc()));
        cases.push(c("GL.Round", 1, |x| x[0].round()));
        cases.push(c("GL.RoundEven", 1, |x| x[0].round_ties_even()));
        cases.push(c("GL.Sqrt", 1, |x| x[0].sqrt()));
        cases.push(c("GL.FSign", 1, |x| {
            if x[0] > 0.0 {
                1.0
            } else if x[0] < 0.0 {
                -1.0
            } else {
                x[0]
            }
        }));
        cases.push(c("GL.Step", 2, |x| if x[1] < x[0] { 0.0 } else { 1.0 }));
        // Of a number and no number the number; which of two zeros is not said.
        let least = |op: &str, n: usize, f: fn(&[f64]) -> f64| c(op, n, f).signless_zeros();
        cases.push(least("GL.NMin", 2, |x| x[0].min(x[1])));
        cases.push(least("GL.NMax", 2, |x| x[0].max(x[1])));
        for (op, of) in [("GL.FMin", 2), ("GL.FMax", 2), ("GL.FClamp", 3), ("GL.NClamp", 3)] {
            cases.push(
                Case::new(op, &vec![t; of], t, move |v| {
                    let x: Vec<f64> = v.iter().map(|b| float(*b, t)).collect();
                    if x.iter().any(|x| x.is_nan()) || of == 3 && x[1] > x[2] {
                        return None;
                    }
                    Some(to_float(
                        match op {
                            "GL.FMin" => x[0].min(x[1]),
                            "GL.FMax" => x[0].max(x[1]),
                            _ => x[0].max(x[1]).min(x[2]),
                        },
                        t,
                    ))
                })
                .signless_zeros(),
            );
        }
        // What holds if the first is less, equal, greater, or one is no number.
        for (op, holds) in [
            ("FOrdEqual", "e"),
            ("FOrdNotEqual", "lg"),
            ("FOrdLessThan", "l"),
            ("FOrdLessThanEqual", "le"),
            ("FOrdGreaterThan", "g"),
            ("FOrdGreaterThanEqual", "ge"),
            ("FUnordEqual", "eu"),
            ("FUnordNotEqual", "lgu"),
            ("FUnordLessThan", "lu"),
            ("FUnordLessThanEqual", "leu"),
            ("FUnordGreaterThan", "gu"),
            ("FUnordGreaterThanEqual", "geu"),
            ("LessOrGreater", "lg"),
            ("Ordered", "leg"),
            ("Unordered", "u"),
        ] {
            cases.push(Case::new(op, &[t, t], B, move |v| {
                let is = match float(v[0], t).partial_cmp(&float(v[1], t)) {
                    Some(Ordering::Less) => 'l',
                    Some(Ordering::Equal) => 'e',
                    Some(Ordering::Greater) => 'g',
                    None => 'u',
                };
                Some(u64::from(holds.contains(is)))
            }));
        }
        cases.push(Case::new("IsNan", &[t], B, move |v| Some(u64::from(float(v[0], t).is_nan()))));
        cases.push(Case::new("IsInf", &[t], B, move |v| Some(u64::from(float(v[0], t).is_infinite()))));
        cases.push(Case::new("IsFinite", &[t], B, move |v| Some(u64::from(float(v[0], t).is_finite()))));
        cases.push(Case::new("SignBitSet", &[t], B, move |v| Some(v[0] >> (t.bits() - 1))));
        cases.push(Case::new("Select", &[B, t, t], t, |v| Some(if v[0] != 0 { v[1] } else { v[2] })));
    }
    // Fused: once rounded.
    cases.push(Case::new("GL.Fma", &[F64; 3], F64, on_floats(|x| x[0].mul_add(x[1], x[2]), F64)));
    cases.push(Case::new("GL.Fma", &[F32; 3], F32, |v| {
        let x: Vec<f32> = v.iter().map(|b| f32::from_bits(*b as u32)).collect();
        Some(u64::from(x[0].mul_add(x[1], x[2]).to_bits()))
    }));
    run("floats", cases);
}

#[test]
fn conversions() {
    let mut cases = Vec::new();
    for f in [F16, F32, F64] {
        for i in [I8, I16, I32, I64] {
            let top = 2f64.powi(i.bits() as i32 - 1);
            // What does not fit is undefined, unless it saturates.
            cases.push(Case::new("ConvertFToS", &[f], i, move |v| {
                let x = float(v[0], f).trunc();
                (x >= -top && x < top).then(|| i.wrap(x as i128))
            }));
            cases.push(Case::new("ConvertFToU", &[f], i, move |v| {
                let x = float(v[0], f).trunc();
                (x >= 0.0 && x < 2.0 * top).then(|| i.wrap(x as i128))
            }));
            cases.push(
                Case::new("ConvertFToS", &[f], i, move |v| {
                    let x = float(v[0], f);
                    let (low, high) = (-(1i128 << (i.bits() - 1)), (1i128 << (i.bits() - 1)) - 1);
                    Some(i.wrap(if x.is_nan() { 0 } else { (x as i128).clamp(low, high) }))
                })
                .decorated("SaturatedConversion"),
            );
            cases.push(
                Case::new("ConvertFToU", &[f], i, move |v| {
                    let x = float(v[0], f);
                    Some(i.wrap(if x.is_nan() { 0 } else { (x as i128).clamp(0, (1i128 << i.bits()) - 1) }))
                })
                .decorated("SaturatedConversion"),
            );
            // Through double an integer of 64 bits would be rounded twice.
            if f != F16 && (i != I64 || f == F64) {
                cases.push(Case::new("ConvertSToF", &[i], f, move |v| {
                    Some(to_float(signed(v[0], i) as f64, f))
                }));
                cases.push(Case::new("ConvertUToF", &[i], f, move |v| Some(to_float(v[0] as f64, f))));
            }
        }
        for to in [F16, F32, F64] {
            if to != f {
                // Halves are rounded from doubles once, and from floats once.
                cases.push(Case::new("FConvert", &[f], to, move |v| Some(to_float(float(v[0], f), to))));
            }
        }
    }
    for from in [I8, I16, I32, I64] {
        for to in [I8, I16, I32, I64] {
            let (low, high) = (-(1i128 << (to.bits() - 1)), (1i128 << (to.bits() - 1)) - 1);
            let all = (1i128 << to.bits()) - 1;
            if from != to {
                cases.push(Case::new("SConvert", &[from], to, move |v| Some(to.wrap(signed(v[0], from)))));
                cases.push(Case::new("UConvert", &[from], to, move |v| Some(to.wrap(i128::from(v[0])))));
                cases.push(
                    Case::new("SConvert", &[from], to, move |v| {
                        Some(to.wrap(signed(v[0], from).clamp(low, high)))
                    })
                    .decorated("SaturatedConversion"),
                );
                cases.push(
                    Case::new("UConvert", &[from], to, move |v| Some(to.wrap(i128::from(v[0]).min(all))))
                        .decorated("SaturatedConversion"),
                );
            }
            cases.push(Case::new("SatConvertSToU", &[from], to, move |v| {
                Some(to.wrap(signed(v[0], from).clamp(0, all)))
            }));
            cases.push(Case::new("SatConvertUToS", &[from], to, move |v| {
                Some(to.wrap(i128::from(v[0]).min(high)))
            }));
        }
    }
    for (a, b) in [(F16, I16), (F32, I32), (F64, I64)] {
        cases.push(Case::new("Bitcast", &[a], b, |v| Some(v[0])));
        cases.push(Case::new("Bitcast", &[b], a, |v| Some(v[0])));
    }
    run("conversions", cases);
}

#[test]
fn functions_of_floats() {
    let mut cases = Vec::new();
    for t in [F32, F64] {
        // Both are right to the last places; the argument is what it is in either precision.
        let c = |op: &str, n: usize, f: fn(&[f64]) -> f64| {
            Case::new(op, &vec![t; n], t, on_floats(f, t)).within(if t == F64 { 16 } else { 4 })
        };
        cases.push(c("GL.Sin", 1, |x| x[0].sin()));
        cases.push(c("GL.Cos", 1, |x| x[0].cos()));
        cases.push(c("GL.Tan", 1, |x| x[0].sin() / x[0].cos()));
        cases.push(c("GL.Asin", 1, |x| x[0].asin()));
        cases.push(c("GL.Acos", 1, |x| x[0].acos()));
        cases.push(c("GL.Atan", 1, |x| x[0].atan()));
        cases.push(c("GL.Sinh", 1, |x| x[0].sinh()));
        cases.push(c("GL.Cosh", 1, |x| x[0].cosh()));
        cases.push(c("GL.Tanh", 1, |x| x[0].tanh()));
        cases.push(c("GL.Acosh", 1, |x| {
            // The standard library's squares the argument.
            if x[0] > 1e150 { x[0].ln() + std::f64::consts::LN_2 } else { x[0].acosh() }
        }));
        cases.push(c("GL.Atan2", 2, |x| x[0].atan2(x[1])));
        cases.push(c("GL.Exp", 1, |x| x[0].exp()));
        cases.push(c("GL.Exp2", 1, |x| x[0].exp2()));
        cases.push(c("GL.Log", 1, |x| x[0].ln()));
        cases.push(c("GL.Log2", 1, |x| x[0].log2()));
        cases.push(c("GL.Pow", 2, |x| x[0].powf(x[1])));
        cases.push(c("GL.InverseSqrt", 1, |x| 1.0 / x[0].sqrt()));
    }
    // The steps are rounded one by one.
    let c = |op: &str, n: usize, f: fn(&[f32]) -> f32| {
        Case::new(op, &vec![F32; n], F32, move |v| {
            let x: Vec<f32> = v.iter().map(|b| f32::from_bits(*b as u32)).collect();
            Some(u64::from(f(&x).to_bits()))
        })
    };
    cases.push(c("GL.Fract", 1, |x| x[0] - x[0].floor()));
    cases.push(c("GL.Radians", 1, |x| x[0] * (std::f64::consts::PI / 180.0) as f32));
    cases.push(c("GL.Degrees", 1, |x| x[0] * (180.0 / std::f64::consts::PI) as f32));
    cases.push(c("GL.FMix", 3, |x| x[0] * (1.0 - x[2]) + x[1] * x[2]));
    cases.push(
        c("GL.SmoothStep", 3, |x| {
            // Of a number and no number the number, which `clamp` does not give.
            let t = ((x[2] - x[0]) / (x[1] - x[0])).max(0.0);
            let t = t.min(1.0);
            t * t * (3.0 - 2.0 * t)
        })
        .signless_zeros(),
    );
    run("functions", cases);
}
