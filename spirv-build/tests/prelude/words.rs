//! Checks of the 32-bit operations.

/// Runs inside the module of each instruction set, in place of a kernel.
pub const CHECKS: &str = r#"
pub mod checks {
    use super::*;
    extern crate std;
    use std::vec::Vec;
    use std::println;

    fn floats() -> Vec<f32> {
        let mut v = std::vec![0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, 1e-3, 3.25, 100.0, -77.7, 8388607.5,
            1e10, -1e10, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 1e-30, 2.0, 3.1415927, 1.5707964];
        let mut x = 0x1234567u32;
        for _ in 0..2000 {
            x = x.wrapping_mul(1664525).wrapping_add(1013904223);
            v.push(((x >> 8) as f32 / 16777216.0 - 0.5) * 12.0);
        }
        while v.len() % NW != 0 { v.push(1.0) }
        v
    }
    fn ints() -> Vec<u32> {
        let mut v = std::vec![0, 1, 2, 31, 32, 33, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe, 255, 65535, 16777217];
        let mut x = 99u32;
        for i in 0..1000 {
            x = x.wrapping_mul(1664525).wrapping_add(1013904223);
            v.push(x >> (i % 32));
        }
        while v.len() % NW != 0 { v.push(7) }
        v
    }
    #[op]
    fn load(v: &[f32]) -> NF { unsafe { n_ffrom(n_ld(v.as_ptr() as *const u8)) } }
    #[op]
    fn loadi(v: &[u32]) -> NI { unsafe { n_ld(v.as_ptr() as *const u8) } }
    fn floats_of(v: [u32; NW]) -> Vec<f32> { v.iter().map(|b| f32::from_bits(*b)).collect() }

    static mut FAILED: u32 = 0;
    fn fail(name: &str, args: &str, got: &str, want: &str) {
        unsafe { FAILED += 1 };
        println!("{name}({args}) = {got}, expected {want}");
    }
    // Right if both are NaN or infinite alike, or the error is within `ulp` units of the result or `abs`.
    fn near(got: f32, want: f64, ulp: f64, abs: f64) -> bool {
        if want.is_nan() { return got.is_nan() }
        let w = want as f32;
        if w.is_infinite() || got.is_infinite() { return w == got || want.abs() > 3.3e38 }
        let unit = (want.abs() * 1.1920929e-7).max(1.2e-38);
        let e = (got as f64 - want).abs();
        e <= unit * ulp || e <= abs
    }
    macro_rules! unary {
        ($name:ident, $range:expr, $ulp:expr, $abs:expr, $reference:expr) => {
            let v = floats();
            for chunk in v.chunks(NW) {
                let r = floats_of(n_lanes(n_fbits($name(load(chunk)))));
                for (x, got) in chunk.iter().zip(r) {
                    let range: fn(f32) -> bool = $range;
                    if !range(*x) { continue }
                    let f: fn(f64) -> f64 = $reference;
                    let want = f(*x as f64);
                    if !near(got, want, $ulp, $abs) {
                        fail(stringify!($name), &std::format!("{x:e}"), &std::format!("{got:e}"), &std::format!("{want:e}"));
                    }
                }
            }
        };
    }
    macro_rules! binary_f {
        ($name:ident, $range:expr, $ulp:expr, $abs:expr, $reference:expr) => {
            let v = floats();
            for k in 0..40 {
                let y = v[(k * 37 + k / 3) % v.len()];
                for chunk in v.chunks(NW) {
                    let r = floats_of(n_lanes(n_fbits($name(load(chunk), n_fset(y)))));
                    for (x, got) in chunk.iter().zip(r) {
                        let range: fn(f32, f32) -> bool = $range;
                        if !range(*x, y) { continue }
                        let f: fn(f64, f64) -> f64 = $reference;
                        let want = f(*x as f64, y as f64);
                        if !near(got, want, $ulp, $abs) {
                            fail(stringify!($name), &std::format!("{x:e}, {y:e}"), &std::format!("{got:e}"), &std::format!("{want:e}"));
                        }
                    }
                }
            }
        };
    }
    macro_rules! binary_i {
        ($($name:ident, $reference:expr;)*) => {$(
            let v = ints();
            for k in 0..60 {
                let y = v[(k * 13) % v.len()];
                for chunk in v.chunks(NW) {
                    let r = n_lanes($name(loadi(chunk), n_iset(y)));
                    for (x, got) in chunk.iter().zip(r) {
                        let f: fn(u32, u32) -> u32 = $reference;
                        let want = f(*x, y);
                        if got != want {
                            fail(stringify!($name), &std::format!("{x:#x}, {y:#x}"), &std::format!("{got:#x}"), &std::format!("{want:#x}"));
                        }
                    }
                }
            }
        )*};
    }
    macro_rules! unary_i {
        ($($name:ident, $reference:expr;)*) => {$(
            for chunk in ints().chunks(NW) {
                let r = n_lanes($name(loadi(chunk)));
                for (x, got) in chunk.iter().zip(r) {
                    let f: fn(u32) -> u32 = $reference;
                    if got != f(*x) {
                        fail(stringify!($name), &std::format!("{x:#x}"), &std::format!("{got:#x}"), &std::format!("{:#x}", f(*x)));
                    }
                }
            }
        )*};
    }
    macro_rules! compare_i {
        ($($name:ident, $reference:expr;)*) => {$(
            let v = ints();
            for k in 0..60 {
                let y = v[(k * 13) % v.len()];
                for chunk in v.chunks(NW) {
                    let bits = n_bits($name(loadi(chunk), n_iset(y)));
                    for (l, x) in chunk.iter().enumerate() {
                        let f: fn(u32, u32) -> bool = $reference;
                        if (bits >> l & 1 != 0) != f(*x, y) {
                            fail(stringify!($name), &std::format!("{x:#x}, {y:#x}"), "", "");
                        }
                    }
                }
            }
        )*};
    }
    macro_rules! compare_f {
        ($($name:ident, $reference:expr;)*) => {$(
            let v = floats();
            for k in 0..30 {
                let y = v[k];
                for chunk in v.chunks(NW) {
                    let bits = n_bits($name(load(chunk), n_fset(y)));
                    for (l, x) in chunk.iter().enumerate() {
                        let f: fn(f32, f32) -> bool = $reference;
                        if (bits >> l & 1 != 0) != f(*x, y) {
                            fail(stringify!($name), &std::format!("{x:e}, {y:e}"), "", "");
                        }
                    }
                }
            }
        )*};
    }
    #[op]
    pub unsafe fn run() -> u32 {
        let all: fn(f32) -> bool = |_| true;
        unary!(n_ffloor, |x| true, 0.5, 0.0, f64::floor);
        unary!(n_fceil, |x| true, 0.5, 0.0, f64::ceil);
        unary!(n_ftrunc, |x| true, 0.5, 0.0, f64::trunc);
        unary!(n_frint, |x| true, 0.5, 0.0, f64::round_ties_even);
        unary!(n_ffract, |x| x.is_finite(), 1.0, 1e-7, |x| x - x.floor());
        unary!(n_fsqrt, |x| x >= 0.0, 1.0, 0.0, f64::sqrt);
        unary!(n_frsqrt, |x| x >= 0.0 && x.to_bits() != 0x80000000, 2.5, 0.0, |x| 1.0 / x.sqrt());
        unary!(n_fabs, |x| true, 0.0, 0.0, f64::abs);
        unary!(n_fneg, |x| true, 0.0, 0.0, |x| -x);
        unary!(n_fsign, |x| !x.is_nan(), 0.0, 0.0, |x| if x > 0.0 { 1.0 } else if x < 0.0 { -1.0 } else { 0.0 });
        unary!(n_fexp2, |x| x.abs() < 120.0 || x.is_infinite() || x.is_nan(), 3.0, 0.0, f64::exp2);
        unary!(n_fexp, |x| x.abs() < 80.0 || x.is_infinite() || x.is_nan(), 16.0, 0.0, f64::exp);
        unary!(n_flog2, |x| true, 3.0, 2.4e-7, f64::log2);
        unary!(n_flog, |x| true, 4.0, 2.4e-7, f64::ln);
        unary!(n_fsin, |x| x.abs() < 200.0, 2.0, 4e-7, f64::sin);
        unary!(n_fcos, |x| x.abs() < 200.0, 2.0, 4e-7, f64::cos);
        unary!(n_ftan, |x| x.abs() < 1.5, 16.0, 1e-6, f64::tan);
        unary!(n_fatan, |x| true, 8.0, 1e-7, f64::atan);
        unary!(n_fasin, |x| x.abs() <= 1.0, 16.0, 3e-7, f64::asin);
        unary!(n_facos, |x| x.abs() <= 1.0, 16.0, 5e-7, f64::acos);
        unary!(n_fsinh, |x| x.abs() < 80.0, 32.0, 0.0, f64::sinh);
        unary!(n_fcosh, |x| x.abs() < 80.0, 32.0, 0.0, f64::cosh);
        unary!(n_ftanh, |x| !x.is_nan(), 8.0, 0.0, f64::tanh);
        unary!(n_fasinh, |x| x.abs() < 1e15, 32.0, 0.0, f64::asinh);
        unary!(n_facosh, |x| x >= 1.1 && x < 1e15, 32.0, 0.0, f64::acosh);
        unary!(n_fatanh, |x| x.abs() < 0.9 && x.abs() > 0.05, 32.0, 0.0, f64::atanh);
        binary_f!(n_fadd, |x, y| true, 0.5, 0.0, |x, y| (x + y) as f32 as f64);
        binary_f!(n_fdiv, |x, y| x.is_finite() && y.is_finite() && y != 0.0, 2.5, 0.0, |x, y| x / y);
        binary_f!(n_fmin, |x, y| true, 0.0, 0.0, |x, y| (x as f32).min(y as f32) as f64);
        binary_f!(n_fmax, |x, y| true, 0.0, 0.0, |x, y| (x as f32).max(y as f32) as f64);
        binary_f!(n_fpow, |x, y| x > 1e-3 && x < 100.0 && y.abs() < 6.0, 128.0, 0.0, f64::powf);
        binary_f!(n_fatan2, |x, y| x.is_finite() && y.is_finite() && (x != 0.0 || y != 0.0), 8.0, 4e-7, f64::atan2);
        // A quotient that rounds to an integer tips the truncation: kept away from.
        binary_f!(n_frem, |x, y| x.abs() < 100.0 && y.abs() > 0.1 && y.abs() < 1e9 && ((x / y) - (x / y).round()).abs() > 1e-3,
            1.0, 1e-4, |x, y| x % y);
        binary_f!(n_fmod, |x, y| x.abs() < 100.0 && y.abs() > 0.1 && y.abs() < 1e9 && ((x / y) - (x / y).round()).abs() > 1e-3,
            1.0, 1e-4, |x, y| x - y * (x / y).floor());
        binary_i! {
            n_iadd, |x, y| x.wrapping_add(y);
            n_isub, |x, y| x.wrapping_sub(y);
            n_imul, |x, y| x.wrapping_mul(y);
            n_udiv, |x, y| if y == 0 { u32::MAX } else { x / y };
            n_urem, |x, y| if y == 0 { u32::MAX } else { x % y };
            n_sdiv, |x, y| if y == 0 { u32::MAX } else { (x as i32).wrapping_div(y as i32) as u32 };
            n_srem, |x, y| if y == 0 { u32::MAX } else { (x as i32).wrapping_rem(y as i32) as u32 };
            n_smod, |x, y| if y == 0 { u32::MAX } else { let (x, y) = (x as i32 as i64, y as i32 as i64); (x - y * (x as f64 / y as f64).floor() as i64) as u32 };
            n_smin, |x, y| (x as i32).min(y as i32) as u32;
            n_smax, |x, y| (x as i32).max(y as i32) as u32;
            n_umin, |x, y| x.min(y);
            n_umax, |x, y| x.max(y);
            n_iand, |x, y| x & y;
            n_ior, |x, y| x | y;
            n_ixor, |x, y| x ^ y;
            n_shl, |x, y| x << (y & 31);
            n_shr, |x, y| x >> (y & 31);
            n_sar, |x, y| (x as i32 >> (y & 31)) as u32;
            n_umulhi, |x, y| (x as u64 * y as u64 >> 32) as u32;
            n_smulhi, |x, y| (x as i32 as i64 * y as i32 as i64 >> 32) as u32;
            n_uaddc, |x, y| (x as u64 + y as u64 >> 32) as u32;
            n_usubb, |x, y| (x < y) as u32;
        }
        unary_i! {
            n_ineg, |x| x.wrapping_neg();
            n_iabs, |x| (x as i32).wrapping_abs() as u32;
            n_inot, |x| !x;
            n_ssign, |x| (x as i32).signum() as u32;
            n_popcount, |x| x.count_ones();
            n_bitrev, |x| x.reverse_bits();
            n_findlsb, |x| if x == 0 { u32::MAX } else { x.trailing_zeros() };
            n_findumsb, |x| if x == 0 { u32::MAX } else { 31 - x.leading_zeros() };
            n_findsmsb, |x| { let y = if (x as i32) < 0 { !x } else { x }; if y == 0 { u32::MAX } else { 31 - y.leading_zeros() } };
        }
        compare_i! {
            n_ieq, |x, y| x == y;
            n_ine, |x, y| x != y;
            n_slt, |x, y| (x as i32) < y as i32;
            n_sle, |x, y| x as i32 <= y as i32;
            n_ult, |x, y| x < y;
            n_ule, |x, y| x <= y;
        }
        compare_f! {
            n_feq, |x, y| x == y;
            n_fne, |x, y| x != y;
            n_flt, |x, y| x < y;
            n_fle, |x, y| x <= y;
        }
        // Conversions, where the result is defined.
        for chunk in floats().chunks(NW) {
            let (i, u) = (n_lanes(n_f2i(load(chunk))), n_lanes(n_f2u(load(chunk))));
            for (l, x) in chunk.iter().enumerate() {
                if x.abs() < 2e9 && i[l] != *x as i32 as u32 { fail("n_f2i", &std::format!("{x:e}"), &std::format!("{}", i[l]), "") }
                if *x >= 0.0 && *x < 4e9 && u[l] != *x as u32 { fail("n_f2u", &std::format!("{x:e}"), &std::format!("{}", u[l]), "") }
                let h = s_f2h(*x);
                let back = s_h2f(h);
                if x.is_finite() && x.abs() < 65000.0 && (back - x).abs() > x.abs() / 2048.0 + 3e-8 {
                    fail("f2h", &std::format!("{x:e}"), &std::format!("{back:e}"), "")
                }
            }
            let (h, back) = (n_f2h(load(chunk)), n_lanes(n_fbits(n_h2f(n_f2h(load(chunk))))));
            for (l, x) in chunk.iter().enumerate() {
                if n_lanes(h)[l] != s_f2h(*x) || back[l] != s_h2f(s_f2h(*x)).to_bits() { fail("n_f2h", &std::format!("{x:e}"), "", "") }
            }
        }
        for h in 0..0x10000u32 {
            // Every half converts to a float and back.
            let f = s_h2f(h);
            if f == f && s_f2h(f) != h { fail("s_f2h", &std::format!("{h:#x}"), &std::format!("{:#x}", s_f2h(f)), "") }
        }
        for chunk in ints().chunks(NW) {
            let (f, g) = (floats_of(n_lanes(n_fbits(n_i2f(loadi(chunk))))), floats_of(n_lanes(n_fbits(n_u2f(loadi(chunk))))));
            for (l, x) in chunk.iter().enumerate() {
                if f[l] != *x as i32 as f32 { fail("n_i2f", &std::format!("{x:#x}"), &std::format!("{}", f[l]), "") }
                if g[l] != *x as f32 { fail("n_u2f", &std::format!("{x:#x}"), &std::format!("{}", g[l]), "") }
            }
            for (offset, count) in [(0u32, 32u32), (0, 0), (3, 5), (31, 1), (8, 24), (32, 0)] {
                let u = n_lanes(n_uextract(loadi(chunk), n_iset(offset), n_iset(count)));
                let s = n_lanes(n_sextract(loadi(chunk), n_iset(offset), n_iset(count)));
                let b = n_lanes(n_bitinsert(loadi(chunk), n_iset(0xabcdef01), n_iset(offset), n_iset(count)));
                for (l, x) in chunk.iter().enumerate() {
                    let x = *x as u64;
                    let mask = (1u64 << count) - 1;
                    let want = (x >> offset & mask) as u32;
                    let signed = if count == 0 { 0 } else { ((want as u64) << (64 - count)) as i64 >> (64 - count) } as u32;
                    let insert = (x & !(mask << offset) | (0xabcdef01 & mask) << offset) as u32;
                    if u[l] != want { fail("n_uextract", &std::format!("{x:#x}, {offset}, {count}"), &std::format!("{:#x}", u[l]), &std::format!("{want:#x}")) }
                    if s[l] != signed { fail("n_sextract", &std::format!("{x:#x}, {offset}, {count}"), &std::format!("{:#x}", s[l]), &std::format!("{signed:#x}")) }
                    if b[l] != insert { fail("n_bitinsert", &std::format!("{x:#x}, {offset}, {count}"), &std::format!("{:#x}", b[l]), &std::format!("{insert:#x}")) }
                }
            }
        }
        unsafe { FAILED }
    }
}
"#;
