//! Checks of the 64-bit operations.

/// Runs inside the module of each instruction set, in place of a kernel.
pub const CHECKS: &str = r#"
pub mod checks {
    use super::*;
    extern crate std;
    use std::vec::Vec;
    use std::println;

    fn longs() -> Vec<u64> {
        let mut v = std::vec![0, 1, 2, 63, 64, 65, u64::MAX, u64::MAX - 1, 1 << 63, (1 << 63) - 1, 1 << 32, 0xffff_ffff];
        let mut x = 0x1234_5678_9abc_def1u64;
        for i in 0..600 {
            x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            v.push(x >> (i % 64));
        }
        while v.len() % NW != 0 { v.push(3) }
        v
    }
    fn doubles() -> Vec<f64> {
        let mut v = std::vec![0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 1e300, -1e300, 1e-310, f64::INFINITY,
            f64::NEG_INFINITY, f64::NAN, 4503599627370495.5, -4503599627370497.0, 2147483647.5, -3e9, 9.3e18, 1e20, 0.49999999999999994];
        for (i, x) in longs().into_iter().enumerate() {
            v.push((x as i64 as f64) * 2f64.powi(-(i as i32 % 64)));
        }
        while v.len() % NW != 0 { v.push(3.0) }
        v
    }
    fn nl(v: &[u64]) -> NL { NL(core::array::from_fn(|i| v[i])) }
    fn nd(v: &[f64]) -> ND { ND(core::array::from_fn(|i| v[i])) }

    static mut FAILED: u32 = 0;
    fn fail(name: &str, args: std::string::String, got: std::string::String, want: std::string::String) {
        unsafe { FAILED += 1 };
        println!("{name}({args}) = {got}, expected {want}");
    }
    // Equal bits, or both NaN, or (ulp > 0) close.
    fn same(got: f64, want: f64, ulp: f64) -> bool {
        got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan() || (got - want).abs() <= want.abs() * f64::EPSILON * ulp
    }
    macro_rules! longs1 { ($($name:ident, $reference:expr;)*) => {$(
        for chunk in longs().chunks(NW) {
            for (x, got) in chunk.iter().zip($name(nl(chunk)).0) {
                let f: fn(u64) -> u64 = $reference;
                if got != f(*x) { fail(stringify!($name), std::format!("{x:#x}"), std::format!("{got:#x}"), std::format!("{:#x}", f(*x))) }
            }
        }
    )*} }
    macro_rules! longs2 { ($($name:ident, $reference:expr;)*) => {$(
        let v = longs();
        for k in 0..60 {
            let y = v[(k * 13) % v.len()];
            for chunk in v.chunks(NW) {
                for (x, got) in chunk.iter().zip($name(nl(chunk), n_lset(y)).0) {
                    let f: fn(u64, u64) -> u64 = $reference;
                    if got != f(*x, y) { fail(stringify!($name), std::format!("{x:#x}, {y:#x}"), std::format!("{got:#x}"), std::format!("{:#x}", f(*x, y))) }
                }
            }
        }
    )*} }
    macro_rules! shifts { ($($name:ident, $reference:expr;)*) => {$(
        for chunk in longs().chunks(NW) {
            for y in [0u32, 1, 31, 32, 63, 64, 100] {
                for (x, got) in chunk.iter().zip($name(nl(chunk), n_iset(y)).0) {
                    let f: fn(u64, u32) -> u64 = $reference;
                    if got != f(*x, y & 63) { fail(stringify!($name), std::format!("{x:#x}, {y}"), std::format!("{got:#x}"), std::format!("{:#x}", f(*x, y & 63))) }
                }
            }
        }
    )*} }
    macro_rules! compare { ($values:ident, $native:ident, $set:ident, $T:ty, $($name:ident, $reference:expr;)*) => {$(
        let v = $values();
        for k in 0..60 {
            let y = v[(k * 7) % v.len()];
            for chunk in v.chunks(NW) {
                let bits = n_bits($name($native(chunk), $set(y)));
                for (l, x) in chunk.iter().enumerate() {
                    let f: fn($T, $T) -> bool = $reference;
                    if (bits >> l & 1 != 0) != f(*x, y) { fail(stringify!($name), std::format!("{x:?}, {y:?}"), "".into(), "".into()) }
                }
            }
        }
    )*} }
    macro_rules! doubles1 { ($($name:ident, $ulp:expr, $reference:expr;)*) => {$(
        for chunk in doubles().chunks(NW) {
            for (x, got) in chunk.iter().zip($name(nd(chunk)).0) {
                let f: fn(f64) -> f64 = $reference;
                if !same(got, f(*x), $ulp) { fail(stringify!($name), std::format!("{x:e}"), std::format!("{got:e}"), std::format!("{:e}", f(*x))) }
            }
        }
    )*} }
    macro_rules! doubles2 { ($($name:ident, $ulp:expr, $range:expr, $reference:expr;)*) => {$(
        let v = doubles();
        for k in 0..60 {
            let y = v[(k * 7) % v.len()];
            for chunk in v.chunks(NW) {
                for (x, got) in chunk.iter().zip($name(nd(chunk), n_dset(y)).0) {
                    let (range, f): (fn(f64, f64) -> bool, fn(f64, f64) -> f64) = ($range, $reference);
                    if range(*x, y) && !same(got, f(*x, y), $ulp) { fail(stringify!($name), std::format!("{x:e}, {y:e}"), std::format!("{got:e}"), std::format!("{:e}", f(*x, y))) }
                }
            }
        }
    )*} }
    #[op]
    pub unsafe fn run() -> u32 {
        longs1! {
            n_lineg, |x| x.wrapping_neg();
            n_liabs, |x| (x as i64).unsigned_abs();
            n_linot, |x| !x;
            n_lssign, |x| if x == 0 { 0 } else if x >> 63 != 0 { u64::MAX } else { 1 };
            n_lpopcount, |x| (0..64).map(|b| x >> b & 1).sum();
            n_lbitrev, |x| (0..64).fold(0, |r, b| r | (x >> b & 1) << (63 - b));
            n_lfindlsb, |x| (0..64).find(|b| x >> b & 1 != 0).unwrap_or(u64::MAX);
            n_lfindumsb, |x| (0..64).rev().find(|b| x >> b & 1 != 0).unwrap_or(u64::MAX);
            n_lfindsmsb, |x| (0..64).rev().find(|b| (x >> b & 1) != x >> 63).unwrap_or(u64::MAX);
        }
        longs2! {
            n_liadd, |x, y| (x as u128 + y as u128) as u64;
            n_lisub, |x, y| (x as i128 - y as i128) as u64;
            n_limul, |x, y| (x as u128 * y as u128) as u64;
            n_ludiv, |x, y| x.checked_div(y).unwrap_or(u64::MAX);
            n_lurem, |x, y| x.checked_rem(y).unwrap_or(u64::MAX);
            n_lsdiv, |x, y| if y == 0 { u64::MAX } else { (x as i64 as i128 / y as i64 as i128) as u64 };
            n_lsrem, |x, y| if y == 0 { u64::MAX } else { (x as i64 as i128 % y as i64 as i128) as u64 };
            n_lsmod, |x, y| if y == 0 { u64::MAX } else {
                let (x, y) = (x as i64 as i128, y as i64 as i128);
                (((x % y) + y) % y) as u64
            };
            n_lsmin, |x, y| (x as i64).min(y as i64) as u64;
            n_lsmax, |x, y| (x as i64).max(y as i64) as u64;
            n_lumin, |x, y| x.min(y);
            n_lumax, |x, y| x.max(y);
            n_liand, |x, y| x & y;
            n_lior, |x, y| x | y;
            n_lixor, |x, y| x ^ y;
            n_lumulhi, |x, y| (x as u128 * y as u128 >> 64) as u64;
            n_lsmulhi, |x, y| (x as i64 as i128 * y as i64 as i128 >> 64) as u64;
            n_luaddc, |x, y| (x as u128 + y as u128 >> 64) as u64;
            n_lusubb, |x, y| (x < y) as u64;
        }
        shifts! {
            n_lshl, |x, y| x << y;
            n_lshr, |x, y| x >> y;
            n_lsar, |x, y| (x as i64 >> y) as u64;
        }
        compare! { longs, nl, n_lset, u64,
            n_lieq, |x, y| x == y;
            n_line, |x, y| x != y;
            n_lslt, |x, y| (x as i64) < y as i64;
            n_lsle, |x, y| x as i64 <= y as i64;
            n_lult, |x, y| x < y;
            n_lule, |x, y| x <= y;
        }
        compare! { doubles, nd, n_dset, f64,
            n_dfeq, |x, y| x == y;
            n_dfne, |x, y| x != y;
            n_dflt, |x, y| x < y;
            n_dfle, |x, y| x <= y;
        }
        doubles1! {
            n_dfneg, 0.0, |x| -x;
            n_dfabs, 0.0, f64::abs;
            n_dffloor, 0.0, f64::floor;
            n_dfceil, 0.0, f64::ceil;
            n_dftrunc, 0.0, f64::trunc;
            n_dfrint, 0.0, f64::round_ties_even;
            n_dfsqrt, 1.0, f64::sqrt;
            n_dfrsqrt, 2.0, |x| 1.0 / x.sqrt();
            n_dfsign, 0.0, |x| if x > 0.0 { 1.0 } else if x < 0.0 { -1.0 } else { x };
            n_dffract, 0.0, |x| x - x.floor();
        }
        doubles2! {
            n_dfadd, 0.0, |_, _| true, |x, y| x + y;
            n_dfsub, 0.0, |_, _| true, |x, y| x - y;
            n_dfmul, 0.0, |_, _| true, |x, y| x * y;
            n_dfdiv, 0.0, |_, _| true, |x, y| x / y;
            n_dfmin, 0.0, |x, y| x != y, f64::min;
            n_dfmax, 0.0, |x, y| x != y, f64::max;
            n_dfrem, 16.0, |x, y| x.abs() < 1e3 && y.abs() > 1.0 && y.abs() < 1e3 && (x % y).abs() > 1e-9 && (x % y).abs() < y.abs() - 1e-9,
                |x, y| { let r = x % y; if (r - (x - y * (x / y).trunc())).abs() < 1e-9 { x - y * (x / y).trunc() } else { r } };
            n_dfmod, 16.0, |x, y| x.abs() < 1e3 && y.abs() > 1.0 && y.abs() < 1e3, |x, y| x - y * (x / y).floor();
        }
        for chunk in doubles().chunks(NW) {
            let (y, z) = (chunk[0] * 0.75 + 1.0, 2.0);
            let fused = [n_dffma(chunk, y, z), n_dffnma(chunk, y, z), n_dffms(chunk, y, z)];
            for (l, x) in chunk.iter().enumerate() {
                let want = [(x.mul_add(y, z), x * y + z), ((-x).mul_add(y, z), z - x * y), (x.mul_add(y, -z), x * y - z)];
                for (k, (once, twice)) in want.into_iter().enumerate() {
                    let got = fused[k].0[l];
                    if !same(got, once, 0.0) && !same(got, twice, 0.0) { fail("fma", std::format!("{k}: {x:e}, {y:e}"), std::format!("{got:e}"), std::format!("{once:e}")) }
                }
            }
            let (nans, infs) = (n_bits(n_disnan(nd(chunk))), n_bits(n_disinf(nd(chunk))));
            let (i, u, l, ul) = (n_lanes(n_d2i(nd(chunk))), n_lanes(n_d2u(nd(chunk))), n_d2l(nd(chunk)).0, n_d2ul(nd(chunk)).0);
            let floats = n_lanes(n_fbits(n_d2f(nd(chunk))));
            let back = n_f2d(n_d2f(nd(chunk))).0;
            let (fl, ful) = (n_f2l(n_d2f(nd(chunk))).0, n_f2ul(n_d2f(nd(chunk))).0);
            for (k, x) in chunk.iter().enumerate() {
                let t = x.trunc();
                let text = || std::format!("{x:e}");
                if (nans >> k & 1 != 0) != x.is_nan() || (infs >> k & 1 != 0) != x.is_infinite() { fail("isnan, isinf", text(), "".into(), "".into()) }
                if t >= -2147483648.0 && t <= 2147483647.0 && i[k] != t as i32 as u32 { fail("n_d2i", text(), std::format!("{}", i[k]), "".into()) }
                if t >= 0.0 && t <= 4294967295.0 && u[k] != t as u32 { fail("n_d2u", text(), std::format!("{}", u[k]), "".into()) }
                if t.abs() < 9.2e18 && l[k] as i64 as f64 != t { fail("n_d2l", text(), std::format!("{}", l[k]), "".into()) }
                if t >= 0.0 && t < 1.8e19 && ul[k] as f64 != t { fail("n_d2ul", text(), std::format!("{}", ul[k]), "".into()) }
                let f = *x as f32;
                if floats[k] != f.to_bits() && !f.is_nan() { fail("n_d2f", text(), "".into(), "".into()) }
                if !same(back[k], f as f64, 0.0) { fail("n_f2d", text(), "".into(), "".into()) }
                if f.abs() < 9.2e18 && fl[k] as i64 as f32 != f.trunc() { fail("n_f2l", text(), std::format!("{}", fl[k]), "".into()) }
                if f >= 0.0 && f < 1.8e19 && ful[k] as f32 != f.trunc() { fail("n_f2ul", text(), std::format!("{}", ful[k]), "".into()) }
            }
            for e in [0i32, 1, -1, 10, -40, 1000, -1000, 1023, -1074] {
                for (x, got) in chunk.iter().zip(n_dfldexp(nd(chunk), n_iset(e as u32)).0) {
                    // Where nothing is lost on the way.
                    let want = x * 2f64.powi(e / 2) * 2f64.powi(e - e / 2);
                    if (want.abs() > 1e-300 || want == 0.0) && x.abs() > 1e-300 && !same(got, want, 0.0) { fail("n_dfldexp", std::format!("{x:e}, {e}"), std::format!("{got:e}"), std::format!("{want:e}")) }
                }
            }
        }
        for chunk in longs().chunks(NW) {
            let (low, high) = (n_llo(nl(chunk)), n_lhi(nl(chunk)));
            let whole = n_lmake(low, high).0;
            let (z, s) = (n_lzext(low).0, n_lsext(low).0);
            let (i, u) = (n_i2d(low).0, n_u2d(low).0);
            let (d, ud) = (n_l2d(nl(chunk)).0, n_ul2d(nl(chunk)).0);
            let (f, uf) = (n_lanes(n_fbits(n_l2f(nl(chunk)))), n_lanes(n_fbits(n_ul2f(nl(chunk)))));
            let bits = n_dbits(n_dfrom(nl(chunk))).0;
            for (k, &x) in chunk.iter().enumerate() {
                let good = [
                    n_lanes(low)[k] == (x & 0xffff_ffff) as u32,
                    n_lanes(high)[k] == (x >> 32) as u32,
                    whole[k] == x,
                    z[k] == x & 0xffff_ffff,
                    s[k] as i64 == ((x << 32) as i64 >> 32),
                    i[k] == x as u32 as i32 as f64,
                    u[k] == x as u32 as f64,
                    d[k] == x as i64 as f64,
                    ud[k] == x as f64,
                    f[k] == (x as i64 as f32).to_bits(),
                    uf[k] == (x as f32).to_bits(),
                    bits[k] == x,
                ];
                if good.contains(&false) { fail("conversions", std::format!("{x:#x}"), std::format!("{good:?}"), "".into()) }
            }
            for (offset, count) in [(0u32, 64u32), (0, 0), (3, 5), (63, 1), (8, 40), (64, 0)] {
                let (o, c) = (n_iset(offset), n_iset(count));
                let (u, s) = (n_luextract(nl(chunk), o, c).0, n_lsextract(nl(chunk), o, c).0);
                let b = n_lbitinsert(nl(chunk), n_lset(0xabcd_ef01_2345_6789), o, c).0;
                for (k, &x) in chunk.iter().enumerate() {
                    let x = x as u128;
                    let mask = (1u128 << count) - 1;
                    let want = (x >> offset & mask) as u64;
                    let signed = if count == 0 { 0 } else { ((want as u128) << (128 - count)) as i128 >> (128 - count) } as u64;
                    let insert = (x & !(mask << offset) | (0xabcd_ef01_2345_6789 & mask) << offset) as u64;
                    if [u[k], s[k], b[k]] != [want, signed, insert] { fail("bit fields", std::format!("{x:#x}, {offset}, {count}"), std::format!("{:x?}", [u[k], s[k], b[k]]), std::format!("{:x?}", [want, signed, insert])) }
                }
            }
            let c = n_ult(low, n_iset(0x8000_0000));
            let (a, b) = (n_lisel(c, nl(chunk), n_lset(5)).0, n_dfsel(c, n_dset(1.0), n_dset(2.0)).0);
            for (k, &x) in chunk.iter().enumerate() {
                let yes = x as u32 >> 31 == 0;
                if (a[k], b[k]) != if yes { (x, 1.0) } else { (5, 2.0) } { fail("select", std::format!("{x:#x}"), "".into(), "".into()) }
            }
        }
        unsafe { FAILED }
    }
    // With the operands of the checks above.
    #[op]
    fn n_dffma(x: &[f64], y: f64, z: f64) -> ND { n_dfma(nd(x), n_dset(y), n_dset(z)) }
    #[op]
    fn n_dffnma(x: &[f64], y: f64, z: f64) -> ND { n_dfnma(nd(x), n_dset(y), n_dset(z)) }
    #[op]
    fn n_dffms(x: &[f64], y: f64, z: f64) -> ND { n_dfms(nd(x), n_dset(y), n_dset(z)) }
}
"#;
