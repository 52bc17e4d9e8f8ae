//! `OpenCL.std` in exported code, run on edge values against a reference in Rust.
#![cfg(any(feature = "llvm19-1", feature = "llvm22-1"))]

#[allow(dead_code)]
mod llvm_jit_support;

use llvm_jit_support::{Case, F32, F64, I8, I16, I32, I64, Ty, float, run, signed, to_float};

type Reference = Box<dyn Fn(&[i128]) -> i128>;

/// A reference on numbers with or without sign; what does not fit wraps.
fn ints(t: Ty, is_signed: bool, f: impl Fn(&[i128]) -> i128 + 'static) -> impl Fn(&[u64]) -> Option<u64> {
    move |v| {
        let x: Vec<i128> = v.iter().map(|b| if is_signed { signed(*b, t) } else { i128::from(*b) }).collect();
        Some(t.wrap(f(&x)))
    }
}

#[test]
fn integers() {
    let mut cases = Vec::new();
    for t in [I8, I16, I32, I64] {
        let n = t.bits();
        let (low, high) = (-(1i128 << (n - 1)), (1i128 << (n - 1)) - 1);
        let all = (1i128 << n) - 1;
        let mut c = |op: &str, args: usize, is_signed: bool, f: Reference| {
            cases.push(Case::new(&format!("CL.{op}"), &vec![t; args], t, ints(t, is_signed, f)));
        };
        c("s_add_sat", 2, true, Box::new(move |x| (x[0] + x[1]).clamp(low, high)));
        c("u_add_sat", 2, false, Box::new(move |x| (x[0] + x[1]).min(all)));
        c("s_sub_sat", 2, true, Box::new(move |x| (x[0] - x[1]).clamp(low, high)));
        c("u_sub_sat", 2, false, Box::new(|x| (x[0] - x[1]).max(0)));
        c("s_abs", 1, true, Box::new(|x| x[0].abs()));
        c("u_abs", 1, false, Box::new(|x| x[0]));
        c("s_abs_diff", 2, true, Box::new(|x| (x[0] - x[1]).abs()));
        c("u_abs_diff", 2, false, Box::new(|x| (x[0] - x[1]).abs()));
        c("s_hadd", 2, true, Box::new(|x| (x[0] + x[1]) >> 1));
        c("u_hadd", 2, false, Box::new(|x| (x[0] + x[1]) >> 1));
        c("s_rhadd", 2, true, Box::new(|x| (x[0] + x[1] + 1) >> 1));
        c("u_rhadd", 2, false, Box::new(|x| (x[0] + x[1] + 1) >> 1));
        c("s_max", 2, true, Box::new(|x| x[0].max(x[1])));
        c("u_max", 2, false, Box::new(|x| x[0].max(x[1])));
        c("s_min", 2, true, Box::new(|x| x[0].min(x[1])));
        c("u_min", 2, false, Box::new(|x| x[0].min(x[1])));
        c("s_mul_hi", 2, true, Box::new(move |x| (x[0] * x[1]) >> n));
        c("u_mul_hi", 2, false, Box::new(move |x| ((x[0] as u128 * x[1] as u128) >> n) as i128));
        c("s_mad_hi", 3, true, Box::new(move |x| ((x[0] * x[1]) >> n) + x[2]));
        c("u_mad_hi", 3, false, Box::new(move |x| ((x[0] as u128 * x[1] as u128) >> n) as i128 + x[2]));
        c("s_mad_sat", 3, true, Box::new(move |x| (x[0] * x[1] + x[2]).clamp(low, high)));
        c(
            "u_mad_sat",
            3,
            false,
            Box::new(move |x| {
                (x[0] as u128 * x[1] as u128).saturating_add(x[2] as u128).min(all as u128) as i128
            }),
        );
        c("clz", 1, false, Box::new(move |x| i128::from((x[0] as u64).leading_zeros()) - i128::from(64 - n)));
        c("ctz", 1, false, Box::new(move |x| i128::from((x[0] as u64).trailing_zeros().min(n))));
        c("popcount", 1, false, Box::new(|x| i128::from(x[0].count_ones())));
        let turned = move |x: &[i128]| {
            let by = x[1] as u32 % n;
            if by == 0 { x[0] } else { x[0] << by | x[0] >> (n - by) }
        };
        c("rotate", 2, false, Box::new(turned));
        c("bitselect", 3, false, Box::new(|x| x[0] & !x[2] | x[1] & x[2]));
        cases.push(Case::new("CL.s_clamp", &[t; 3], t, move |v| {
            let x: Vec<i128> = v.iter().map(|b| signed(*b, t)).collect();
            (x[1] <= x[2]).then(|| t.wrap(x[0].clamp(x[1], x[2])))
        }));
        cases.push(Case::new("CL.u_clamp", &[t; 3], t, |v| (v[1] <= v[2]).then(|| v[0].clamp(v[1], v[2]))));
    }
    for (half, t) in [(I8, I16), (I16, I32), (I32, I64)] {
        let n = half.bits();
        cases.push(Case::new("CL.u_upsample", &[half; 2], t, move |v| Some(v[0] << n | v[1])));
        cases.push(Case::new("CL.s_upsample", &[half; 2], t, move |v| Some(v[0] << n | v[1])));
    }
    // Of operands that fit 24 bits.
    let small = |v: &[u64]| v[..2].iter().all(|b| (-(1 << 23)..1 << 23).contains(&signed(*b, I32)));
    cases.push(Case::new("CL.s_mul24", &[I32; 2], I32, move |v| {
        small(v).then(|| I32.wrap(signed(v[0], I32) * signed(v[1], I32)))
    }));
    cases.push(Case::new("CL.s_mad24", &[I32; 3], I32, move |v| {
        small(v).then(|| I32.wrap(signed(v[0], I32) * signed(v[1], I32) + signed(v[2], I32)))
    }));
    run("integers", cases);
}

fn floats(t: Ty, f: impl Fn(&[f64]) -> f64 + 'static) -> impl Fn(&[u64]) -> Option<u64> {
    move |v| {
        let x: Vec<f64> = v.iter().map(|b| float(*b, t)).collect();
        Some(to_float(f(&x), t))
    }
}

/// The sine of so many half turns, exact at the quarters.
fn sin_pi(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    let n = x.round_ties_even();
    let v = ((x - n) * std::f64::consts::PI).sin();
    if (n * 0.5).floor() != n * 0.5 { -v } else { v }
}

#[test]
fn floats_of_one_type() {
    let mut cases = Vec::new();
    for t in [F32, F64] {
        let c = |op: &str, n: usize, f: fn(&[f64]) -> f64| {
            Case::new(&format!("CL.{op}"), &vec![t; n], t, floats(t, f))
        };
        let near =
            |op: &str, n: usize, f: fn(&[f64]) -> f64| c(op, n, f).within(if t == F64 { 16 } else { 6 });
        cases.push(c("ceil", 1, |x| x[0].ceil()));
        cases.push(c("floor", 1, |x| x[0].floor()));
        cases.push(c("trunc", 1, |x| x[0].trunc()));
        cases.push(c("rint", 1, |x| x[0].round_ties_even()));
        cases.push(c("round", 1, |x| x[0].round()));
        cases.push(c("fabs", 1, |x| x[0].abs()));
        cases.push(c("sqrt", 1, |x| x[0].sqrt()));
        cases.push(c("native_sqrt", 1, |x| x[0].sqrt()));
        cases.push(c("copysign", 2, |x| x[0].copysign(x[1])));
        cases.push(c("fmod", 2, |x| x[0] % x[1]));
        cases.push(c("native_divide", 2, |x| x[0] / x[1]));
        cases.push(c("native_recip", 1, |x| 1.0 / x[0]));
        cases.push(c("fmax", 2, |x| x[0].max(x[1])).signless_zeros());
        cases.push(c("fmin", 2, |x| x[0].min(x[1])).signless_zeros());
        cases.push(c("fdim", 2, |x| {
            if x[0].is_nan() || x[1].is_nan() {
                f64::NAN
            } else if x[0] > x[1] {
                x[0] - x[1]
            } else {
                0.0
            }
        }));
        cases.push(
            c("maxmag", 2, |x| match x[0].abs().partial_cmp(&x[1].abs()) {
                Some(std::cmp::Ordering::Greater) => x[0],
                Some(std::cmp::Ordering::Less) => x[1],
                _ => x[0].max(x[1]),
            })
            .signless_zeros(),
        );
        cases.push(
            c("minmag", 2, |x| match x[0].abs().partial_cmp(&x[1].abs()) {
                Some(std::cmp::Ordering::Less) => x[0],
                Some(std::cmp::Ordering::Greater) => x[1],
                _ => x[0].min(x[1]),
            })
            .signless_zeros(),
        );
        cases.push(c("sign", 1, |x| {
            if x[0].is_nan() {
                0.0
            } else if x[0] == 0.0 {
                x[0]
            } else {
                x[0].signum()
            }
        }));
        cases.push(c("step", 2, |x| if x[1] < x[0] { 0.0 } else { 1.0 }));
        cases.push(near("rsqrt", 1, |x| 1.0 / x[0].sqrt()));
        for (op, f) in [
            ("sin", f64::sin as fn(f64) -> f64),
            ("cos", f64::cos),
            ("tan", f64::tan),
            ("asin", f64::asin),
            ("acos", f64::acos),
            ("atan", f64::atan),
            ("sinh", f64::sinh),
            ("cosh", f64::cosh),
            ("tanh", f64::tanh),
            ("exp", f64::exp),
            ("exp2", f64::exp2),
            ("expm1", f64::exp_m1),
            ("log", f64::ln),
            ("log2", f64::log2),
            ("log10", f64::log10),
            ("log1p", f64::ln_1p),
            ("cbrt", f64::cbrt),
            ("native_sin", f64::sin),
            ("half_exp2", f64::exp2),
        ] {
            let of = Case::new(&format!("CL.{op}"), &[t], t, floats(t, move |x| f(x[0])));
            cases.push(of.within(if t == F64 { 16 } else { 4 }));
        }
        cases.push(near("exp10", 1, |x| 10f64.powf(x[0])));
        cases.push(near("pow", 2, |x| x[0].powf(x[1])));
        cases.push(near("atan2", 2, |x| x[0].atan2(x[1])));
        cases.push(near("hypot", 2, |x| x[0].hypot(x[1])));
        cases.push(near("acospi", 1, |x| x[0].acos() / std::f64::consts::PI));
        cases.push(near("atan2pi", 2, |x| x[0].atan2(x[1]) / std::f64::consts::PI));
    }
    // Rounded once less than the code does it, so in the precision of floats only.
    let turns = |op: &str, f: fn(f64) -> f64| Case::new(op, &[F32], F32, floats(F32, move |x| f(x[0])));
    cases.push(turns("CL.sinpi", sin_pi).within(6).signless_zeros());
    cases.push(turns("CL.cospi", |x| sin_pi(0.5 - x % 2.0)).within(6).signless_zeros());
    run("floats", cases);
}

#[test]
fn floats_with_integers() {
    let mut cases = Vec::new();
    let exponent = |b: u64| signed(b, I32).clamp(-4000, 4000) as i32;
    for t in [F32, F64] {
        cases.push(Case::new("CL.ldexp", &[t, I32], t, move |v| {
            let (x, n) = (float(v[0], t), exponent(v[1]));
            if x == 0.0 || !x.is_finite() {
                return Some(v[0]);
            }
            // In steps that do not overflow; doubles that become subnormal would be rounded twice.
            let parts = [n / 4, n / 4, n / 4, n - 3 * (n / 4)];
            let exact = parts.iter().fold(x, |x, n| x * 2f64.powi(*n));
            let subnormal = exact != 0.0 && exact.abs() < f64::MIN_POSITIVE;
            (t == F32 || !subnormal).then(|| to_float(exact, t))
        }));
        cases.push(Case::new("GL.Ldexp", &[t, I32], t, move |v| {
            let n = exponent(v[1]);
            // The specification promises exponents up to 128 only.
            (-100..=100).contains(&n).then(|| to_float(float(v[0], t) * 2f64.powi(n), t))
        }));
        cases.push(
            Case::new("CL.pown", &[t, I32], t, move |v| {
                let n = signed(v[1], I32) as f64;
                Some(to_float(float(v[0], t).powf(n), t))
            })
            .within(16),
        );
        cases.push(
            Case::new("CL.rootn", &[t, I32], t, move |v| {
                let (x, n) = (float(v[0], t), signed(v[1], I32));
                if n == 0 {
                    return None;
                }
                let r = x.abs().powf(1.0 / n as f64);
                Some(to_float(
                    match (n % 2 != 0, x < 0.0) {
                        (true, _) => r.copysign(x),
                        (false, true) => f64::NAN,
                        (false, false) => r,
                    },
                    t,
                ))
            })
            .within(16)
            .signless_zeros(),
        );
    }
    cases.push(Case::new("CL.nan", &[I32], F32, |v| Some(v[0] | 0x7fc0_0000)));
    cases.push(Case::new("CL.ilogb", &[F32], I32, |v| {
        let x = f32::from_bits(v[0] as u32);
        (x != 0.0 && x.is_finite()).then(|| I32.wrap(f64::from(x.abs()).log2().floor() as i128))
    }));
    run("mixed", cases);
}
