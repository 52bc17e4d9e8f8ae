// 64-bit values, one scalar for all lanes. Total functions: no operation here can panic.
macro_rules! wide_scalar {
    ($($name:ident($($a:ident: $A:ty),*) -> $R:ty { $e:expr })*) => {$(
        #[inline(always)]
        fn $name($($a: $A),*) -> $R { $e }
    )*};
}
wide_scalar! {
    s_liadd(a: u64, b: u64) -> u64 { a.wrapping_add(b) }
    s_lisub(a: u64, b: u64) -> u64 { a.wrapping_sub(b) }
    s_limul(a: u64, b: u64) -> u64 { a.wrapping_mul(b) }
    s_lineg(a: u64) -> u64 { a.wrapping_neg() }
    s_liabs(a: u64) -> u64 { (a as i64).wrapping_abs() as u64 }
    s_ludiv(a: u64, b: u64) -> u64 { if b == 0 { u64::MAX } else { a / b } }
    s_lurem(a: u64, b: u64) -> u64 { if b == 0 { u64::MAX } else { a % b } }
    s_lsdiv(a: u64, b: u64) -> u64 { if b == 0 { u64::MAX } else { (a as i64).wrapping_div(b as i64) as u64 } }
    s_lsrem(a: u64, b: u64) -> u64 { if b == 0 { u64::MAX } else { (a as i64).wrapping_rem(b as i64) as u64 } }
    s_lsmod(a: u64, b: u64) -> u64 {{
        let r = s_lsrem(a, b);
        if b != 0 && r != 0 && (r ^ b) >> 63 != 0 { r.wrapping_add(b) } else { r }
    }}
    s_lsmin(a: u64, b: u64) -> u64 { if (a as i64) < b as i64 { a } else { b } }
    s_lsmax(a: u64, b: u64) -> u64 { if (a as i64) > b as i64 { a } else { b } }
    s_lumin(a: u64, b: u64) -> u64 { if a < b { a } else { b } }
    s_lumax(a: u64, b: u64) -> u64 { if a > b { a } else { b } }
    s_lssign(a: u64) -> u64 { (a as i64).signum() as u64 }
    s_liand(a: u64, b: u64) -> u64 { a & b }
    s_lior(a: u64, b: u64) -> u64 { a | b }
    s_lixor(a: u64, b: u64) -> u64 { a ^ b }
    s_linot(a: u64) -> u64 { !a }
    s_lshl(a: u64, b: u32) -> u64 { a << (b & 63) }
    s_lshr(a: u64, b: u32) -> u64 { a >> (b & 63) }
    s_lsar(a: u64, b: u32) -> u64 { (a as i64 >> (b & 63)) as u64 }
    s_lieq(a: u64, b: u64) -> bool { a == b }
    s_line(a: u64, b: u64) -> bool { a != b }
    s_lslt(a: u64, b: u64) -> bool { (a as i64) < b as i64 }
    s_lsle(a: u64, b: u64) -> bool { a as i64 <= b as i64 }
    s_lult(a: u64, b: u64) -> bool { a < b }
    s_lule(a: u64, b: u64) -> bool { a <= b }
    s_lpopcount(a: u64) -> u64 { a.count_ones() as u64 }
    s_lbitrev(a: u64) -> u64 { a.reverse_bits() }
    s_lfindlsb(a: u64) -> u64 { if a == 0 { u64::MAX } else { a.trailing_zeros() as u64 } }
    s_lfindumsb(a: u64) -> u64 { 63u64.wrapping_sub(a.leading_zeros() as u64) }
    s_lfindsmsb(a: u64) -> u64 { s_lfindumsb(if a >> 63 != 0 { !a } else { a }) }
    s_luextract(a: u64, offset: u32, count: u32) -> u64 {
        if count == 0 { 0 } else { (a >> (offset & 63)) & (u64::MAX >> (64u32.wrapping_sub(count) & 63)) }
    }
    s_lsextract(a: u64, offset: u32, count: u32) -> u64 {{
        let up = 64u32.wrapping_sub(count) & 63;
        if count == 0 { 0 } else { (((a >> (offset & 63)) << up) as i64 >> up) as u64 }
    }}
    s_lbitinsert(base: u64, insert: u64, offset: u32, count: u32) -> u64 {{
        let mask = (u64::MAX >> (64u32.wrapping_sub(count) & 63)) << (offset & 63);
        if count == 0 { base } else { base & !mask | (insert << (offset & 63)) & mask }
    }}
    s_lumulhi(a: u64, b: u64) -> u64 { ((a as u128 * b as u128) >> 64) as u64 }
    s_lsmulhi(a: u64, b: u64) -> u64 { ((a as i64 as i128 * b as i64 as i128) >> 64) as u64 }
    s_luaddc(a: u64, b: u64) -> u64 { a.overflowing_add(b).1 as u64 }
    s_lusubb(a: u64, b: u64) -> u64 { (a < b) as u64 }
    s_lisel(c: bool, a: u64, b: u64) -> u64 { if c { a } else { b } }
    s_dfadd(a: f64, b: f64) -> f64 { a + b }
    s_dfsub(a: f64, b: f64) -> f64 { a - b }
    s_dfmul(a: f64, b: f64) -> f64 { a * b }
    s_dfdiv(a: f64, b: f64) -> f64 { a / b }
    s_dfneg(a: f64) -> f64 { -a }
    s_dfma(a: f64, b: f64, c: f64) -> f64 { a * b + c }
    s_dfnma(a: f64, b: f64, c: f64) -> f64 { c - a * b }
    s_dfms(a: f64, b: f64, c: f64) -> f64 { a * b - c }
    s_dfabs(a: f64) -> f64 { f64::from_bits(a.to_bits() & !D_SIGN) }
    s_dfmin(a: f64, b: f64) -> f64 { if a < b || b != b { a } else { b } }
    s_dfmax(a: f64, b: f64) -> f64 { if a > b || b != b { a } else { b } }
    s_dftrunc(a: f64) -> f64 {
        if s_dfabs(a) < D_WHOLE { d_like(a as i64 as f64, a) } else { a }
    }
    s_dffloor(a: f64) -> f64 {{
        let t = s_dftrunc(a);
        if t > a { t - 1.0 } else { t }
    }}
    s_dfceil(a: f64) -> f64 {{
        let t = s_dftrunc(a);
        if t < a { d_like(t + 1.0, a) } else { t }
    }}
    // Adding 2^52 rounds away the fraction, to even.
    s_dfrint(a: f64) -> f64 {{
        let big = d_like(D_WHOLE, a);
        if s_dfabs(a) < D_WHOLE { d_like((a + big) - big, a) } else { a }
    }}
    s_dfsqrt(a: f64) -> f64 { d_sqrt(a) }
    s_dfrsqrt(a: f64) -> f64 { 1.0 / d_sqrt(a) }
    s_dfrem(a: f64, b: f64) -> f64 { a - b * s_dftrunc(a / b) }
    s_dfmod(a: f64, b: f64) -> f64 { a - b * s_dffloor(a / b) }
    s_dfsign(a: f64) -> f64 { if a > 0.0 { 1.0 } else if a < 0.0 { -1.0 } else { a } }
    s_dffract(a: f64) -> f64 { a - s_dffloor(a) }
    // In two steps: the power of two itself may be out of range.
    s_dfldexp(a: f64, e: u32) -> f64 {{
        let e = s_smax(s_smin(e, 2100), -2100i32 as u32) as i32;
        let half = e / 2;
        let rest = e - half;
        let (h, q) = (half / 2, half - half / 2);
        let (r, s) = (rest / 2, rest - rest / 2);
        a * d_power(h) * d_power(q) * d_power(r) * d_power(s)
    }}
    s_dfeq(a: f64, b: f64) -> bool { a == b }
    s_dfne(a: f64, b: f64) -> bool { a != b }
    s_dflt(a: f64, b: f64) -> bool { a < b }
    s_dfle(a: f64, b: f64) -> bool { a <= b }
    s_disnan(a: f64) -> bool { a != a }
    s_disinf(a: f64) -> bool { s_dfabs(a) == f64::INFINITY }
    s_dfsel(c: bool, a: f64, b: f64) -> f64 { if c { a } else { b } }
    s_lzext(a: u32) -> u64 { a as u64 }
    s_lsext(a: u32) -> u64 { a as i32 as u64 }
    s_llo(a: u64) -> u32 { a as u32 }
    s_lhi(a: u64) -> u32 { (a >> 32) as u32 }
    s_lmake(a: u32, b: u32) -> u64 { a as u64 | (b as u64) << 32 }
    s_dbits(a: f64) -> u64 { a.to_bits() }
    s_dfrom(a: u64) -> f64 { f64::from_bits(a) }
    s_d2f(a: f64) -> f32 { a as f32 }
    s_f2d(a: f32) -> f64 { a as f64 }
    s_i2d(a: u32) -> f64 { a as i32 as f64 }
    s_u2d(a: u32) -> f64 { a as f64 }
    s_l2d(a: u64) -> f64 { a as i64 as f64 }
    s_ul2d(a: u64) -> f64 { a as f64 }
    s_l2f(a: u64) -> f32 { a as i64 as f32 }
    s_ul2f(a: u64) -> f32 { a as f32 }
    s_d2i(a: f64) -> u32 { a as i32 as u32 }
    s_d2u(a: f64) -> u32 { a as u32 }
    s_d2l(a: f64) -> u64 { a as i64 as u64 }
    s_d2ul(a: f64) -> u64 { a as u64 }
    s_f2l(a: f32) -> u64 { a as i64 as u64 }
    s_f2ul(a: f32) -> u64 { a as u64 }
}
const D_SIGN: u64 = 1 << 63;
// From here on there are no fractions.
const D_WHOLE: f64 = 4503599627370496.0;
#[inline(always)]
fn d_like(a: f64, sign: f64) -> f64 { f64::from_bits(a.to_bits() & !D_SIGN | sign.to_bits() & D_SIGN) }
// 2^e for small e.
#[inline(always)]
fn d_power(e: i32) -> f64 { f64::from_bits((1023i64.wrapping_add(e as i64) as u64) << 52) }
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn d_sqrt(a: f64) -> f64 {
    use core::arch::x86_64::*;
    unsafe { _mm_cvtsd_f64(_mm_sqrt_sd(_mm_setzero_pd(), _mm_set_sd(a))) }
}
// An estimate of the inverse root, Newton steps, and one for the root itself from its exact remainder.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn d_sqrt(a: f64) -> f64 {
    if !(a > 0.0) || a == f64::INFINITY {
        return if a < 0.0 { f64::NAN } else { a };
    }
    // Denormals have too few bits for the estimate.
    let (a, down) = if a < 1e-290 { (a * d_power(200), d_power(-100)) } else { (a, 1.0) };
    let mut y = f64::from_bits(0x5fe6_eb50_c7b5_37a9 - (a.to_bits() >> 1));
    let mut i = 0;
    while i < 5 {
        y = y * (1.5 - 0.5 * a * y * y);
        i += 1
    }
    let r = a * y;
    // r * r in two parts.
    let c = 134217729.0 * r;
    let high = c - (c - r);
    let low = r - high;
    let square = r * r;
    let rest = ((high * high - square) + 2.0 * high * low) + low * low;
    (r + 0.5 * y * ((a - square) - rest)) * down
}
