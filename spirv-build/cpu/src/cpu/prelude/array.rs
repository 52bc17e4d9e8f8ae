// Any target: a native vector is an array, operations are loops of a fixed count.
const NW: usize = 8;
#[derive(Clone, Copy)]
#[repr(align(32))]
struct NF([f32; NW]);
#[derive(Clone, Copy)]
#[repr(align(32))]
struct NI([u32; NW]);
#[derive(Clone, Copy)]
struct NM([bool; NW]);
macro_rules! each {
    ($T:ident, $zero:expr, $l:ident, $e:expr) => {{
        let mut r = [$zero; NW];
        let mut $l = 0;
        while $l < NW {
            r[$l] = $e;
            $l += 1
        }
        $T(r)
    }};
}
macro_rules! native {
    ($($name:ident($($a:ident: $A:ident),*) -> $R:ident, $zero:expr, $s:expr;)*) => {$(
        #[op]
        fn $name($($a: $A),*) -> $R { each!($R, $zero, l, $s($($a.0[l]),*)) }
    )*};
}
// These are not in core; the values are small where a fraction exists at all.
#[inline(always)]
fn t_trunc(a: f32) -> f32 {
    if a.to_bits() & 0x7fff_ffff < 0x4b00_0000 {
        f32::from_bits((a as i32 as f32).to_bits() & 0x7fff_ffff | a.to_bits() & 0x8000_0000)
    } else {
        a
    }
}
#[inline(always)]
fn t_floor(a: f32) -> f32 {
    let t = t_trunc(a);
    if t > a { t - 1.0 } else { t }
}
#[inline(always)]
fn t_ceil(a: f32) -> f32 {
    let t = t_trunc(a);
    if t < a { f32::from_bits((t + 1.0).to_bits() | a.to_bits() & 0x8000_0000) } else { t }
}
#[inline(always)]
fn t_rint(a: f32) -> f32 {
    if a.to_bits() & 0x7fff_ffff >= 0x4b00_0000 {
        return a;
    }
    // Adding 2^23 rounds away the fraction, to even.
    let big = f32::from_bits(0x4b00_0000 | a.to_bits() & 0x8000_0000);
    f32::from_bits(((a + big) - big).to_bits() & 0x7fff_ffff | a.to_bits() & 0x8000_0000)
}
// Square root by an estimate and Newton steps in f64: right to the last bit or next to it.
#[inline(always)]
fn t_sqrt(a: f32) -> f32 {
    if !(a > 0.0) || a == f32::INFINITY {
        return if a < 0.0 { f32::NAN } else { a };
    }
    let x = a as f64;
    let mut y = f64::from_bits(0x5fe6_eb50_c7b5_37a9 - (x.to_bits() >> 1));
    y = y * (1.5 - 0.5 * x * y * y);
    y = y * (1.5 - 0.5 * x * y * y);
    y = y * (1.5 - 0.5 * x * y * y);
    y = y * (1.5 - 0.5 * x * y * y);
    (x * y) as f32
}
#[inline(always)]
fn t_rsqrt(a: f32) -> f32 { 1.0 / t_sqrt(a) }
#[inline(always)]
fn t_bandn(a: bool, b: bool) -> bool { a & !b }
native! {
    n_fadd(a: NF, b: NF) -> NF, 0.0, s_fadd;
    n_fsub(a: NF, b: NF) -> NF, 0.0, s_fsub;
    n_fmul(a: NF, b: NF) -> NF, 0.0, s_fmul;
    n_fdiv(a: NF, b: NF) -> NF, 0.0, s_fdiv;
    n_fma(a: NF, b: NF, c: NF) -> NF, 0.0, s_fma;
    n_fnma(a: NF, b: NF, c: NF) -> NF, 0.0, s_fnma;
    n_fms(a: NF, b: NF, c: NF) -> NF, 0.0, s_fms;
    n_fneg(a: NF) -> NF, 0.0, s_fneg;
    n_fabs(a: NF) -> NF, 0.0, s_fabs;
    n_fmin(a: NF, b: NF) -> NF, 0.0, s_fmin;
    n_fmax(a: NF, b: NF) -> NF, 0.0, s_fmax;
    n_ffloor(a: NF) -> NF, 0.0, t_floor;
    n_fceil(a: NF) -> NF, 0.0, t_ceil;
    n_ftrunc(a: NF) -> NF, 0.0, t_trunc;
    n_frint(a: NF) -> NF, 0.0, t_rint;
    n_fsqrt(a: NF) -> NF, 0.0, t_sqrt;
    n_frsqrt(a: NF) -> NF, 0.0, t_rsqrt;
    n_feq(a: NF, b: NF) -> NM, false, s_feq;
    n_fne(a: NF, b: NF) -> NM, false, s_fne;
    n_flt(a: NF, b: NF) -> NM, false, s_flt;
    n_fle(a: NF, b: NF) -> NM, false, s_fle;
    n_fsel(c: NM, a: NF, b: NF) -> NF, 0.0, s_fsel;
    n_isel(c: NM, a: NI, b: NI) -> NI, 0, s_isel;
    n_f2i(a: NF) -> NI, 0, s_f2i;
    n_i2f(a: NI) -> NF, 0.0, s_i2f;
    n_fbits(a: NF) -> NI, 0, s_fbits;
    n_ffrom(a: NI) -> NF, 0.0, s_ffrom;
    n_iadd(a: NI, b: NI) -> NI, 0, s_iadd;
    n_isub(a: NI, b: NI) -> NI, 0, s_isub;
    n_imul(a: NI, b: NI) -> NI, 0, s_imul;
    n_iabs(a: NI) -> NI, 0, s_iabs;
    n_smin(a: NI, b: NI) -> NI, 0, s_smin;
    n_smax(a: NI, b: NI) -> NI, 0, s_smax;
    n_umin(a: NI, b: NI) -> NI, 0, s_umin;
    n_umax(a: NI, b: NI) -> NI, 0, s_umax;
    n_iand(a: NI, b: NI) -> NI, 0, s_iand;
    n_ior(a: NI, b: NI) -> NI, 0, s_ior;
    n_ixor(a: NI, b: NI) -> NI, 0, s_ixor;
    n_shl(a: NI, b: NI) -> NI, 0, s_shl;
    n_shr(a: NI, b: NI) -> NI, 0, s_shr;
    n_sar(a: NI, b: NI) -> NI, 0, s_sar;
    n_ieq(a: NI, b: NI) -> NM, false, s_ieq;
    n_slt(a: NI, b: NI) -> NM, false, s_slt;
    n_ult(a: NI, b: NI) -> NM, false, s_ult;
    n_band(a: NM, b: NM) -> NM, false, s_band;
    n_bandn(a: NM, b: NM) -> NM, false, t_bandn;
    n_bor(a: NM, b: NM) -> NM, false, s_bor;
    n_bxor(a: NM, b: NM) -> NM, false, s_bxor;
    n_bnot(a: NM) -> NM, false, s_bnot;
}
#[op]
fn n_fset(a: f32) -> NF { NF([a; NW]) }
#[op]
fn n_iset(a: u32) -> NI { NI([a; NW]) }
#[op]
fn n_bset(a: bool) -> NM { NM([a; NW]) }
#[op]
fn n_iota() -> NI { each!(NI, 0, l, l as u32) }
#[op]
fn n_bits(a: NM) -> u32 {
    let mut r = 0;
    let mut l = 0;
    while l < NW {
        r |= (a.0[l] as u32) << l;
        l += 1
    }
    r
}
#[op]
fn n_any(a: NM) -> bool { n_bits(a) != 0 }
#[op]
fn n_all(a: NM) -> bool { n_bits(a) == (1 << NW) - 1 }
#[op]
fn n_first_i(a: NI) -> u32 { a.0[0] }
#[op]
fn n_first_f(a: NF) -> f32 { a.0[0] }
#[op]
fn n_lanes(a: NI) -> [u32; NW] { a.0 }
#[op]
fn n_from(a: [u32; NW]) -> NI { NI(a) }
#[op]
unsafe fn n_ld(p: *const u8) -> NI { unsafe { NI((p as *const [u32; NW]).read_unaligned()) } }
#[op]
unsafe fn n_st(p: *mut u8, a: NI) { unsafe { (p as *mut [u32; NW]).write_unaligned(a.0) } }
#[op]
unsafe fn n_ldm(p: *const u8, c: NM) -> NI {
    each!(NI, 0, l, if c.0[l] { unsafe { (p.wrapping_add(l * 4) as *const u32).read_unaligned() } } else { 0 })
}
#[op]
unsafe fn n_stm(p: *mut u8, a: NI, c: NM) {
    let mut l = 0;
    while l < NW {
        if c.0[l] {
            unsafe { (p.wrapping_add(l * 4) as *mut u32).write_unaligned(a.0[l]) }
        }
        l += 1
    }
}
#[op]
unsafe fn n_gather(p: *const u8, i: NI, c: NM) -> NI {
    each!(NI, 0, l, if c.0[l] {
        unsafe { (p.wrapping_offset(i.0[l] as i32 as isize * 4) as *const u32).read_unaligned() }
    } else { 0 })
}
#[op]
unsafe fn n_gather_bytes(p: *const u8, i: NI, c: NM) -> NI {
    each!(NI, 0, l, if c.0[l] {
        unsafe { (p.wrapping_offset(i.0[l] as i32 as isize) as *const u32).read_unaligned() }
    } else { 0 })
}
