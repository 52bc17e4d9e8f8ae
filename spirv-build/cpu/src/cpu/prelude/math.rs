// Operations on native vectors that are made of others, for every instruction set.
#[op]
fn n_shli<const S: u32>(a: NI) -> NI { n_shl(a, n_iset(S)) }
#[op]
fn n_ineg(a: NI) -> NI { n_isub(n_iset(0), a) }
#[op]
fn n_inot(a: NI) -> NI { n_ixor(a, n_iset(u32::MAX)) }
#[op]
fn n_ine(a: NI, b: NI) -> NM { n_bnot(n_ieq(a, b)) }
#[op]
fn n_sle(a: NI, b: NI) -> NM { n_bnot(n_slt(b, a)) }
#[op]
fn n_ule(a: NI, b: NI) -> NM { n_bnot(n_ult(b, a)) }
#[op]
fn n_bsel(c: NM, a: NM, b: NM) -> NM { n_bor(n_band(c, a), n_bandn(b, c)) }
#[op]
fn n_isnan(a: NF) -> NM { n_fne(a, a) }
#[op]
fn n_isinf(a: NF) -> NM { n_feq(n_fabs(a), n_fset(f32::INFINITY)) }
#[op]
fn n_ssign(a: NI) -> NI { n_smax(n_smin(a, n_iset(1)), n_iset(u32::MAX)) }
// Unsigned to float: both halves are exact, and the sum rounds once.
#[op]
fn n_u2f(a: NI) -> NF {
    let high = n_i2f(n_shr(a, n_iset(16)));
    n_fadd(n_fmul(high, n_fset(65536.0)), n_i2f(n_iand(a, n_iset(0xffff))))
}
#[op]
fn n_f2u(a: NF) -> NI {
    let big = n_fle(n_fset(2147483648.0), a);
    let low = n_f2i(n_fsel(big, n_fsub(a, n_fset(2147483648.0)), a));
    n_isel(big, n_ixor(low, n_iset(0x8000_0000)), low)
}
macro_rules! by_lane {
    ($($name:ident($($a:ident),*), $s:expr;)*) => {$(
        #[op]
        fn $name($($a: NI),*) -> NI {
            $(let $a = n_lanes($a);)*
            let mut r = [0u32; NW];
            let mut l = 0;
            while l < NW {
                r[l] = $s($($a[l]),*);
                l += 1
            }
            n_from(r)
        }
    )*};
}
by_lane! {
    n_udiv(a, b), s_udiv;
    n_urem(a, b), s_urem;
    n_sdiv(a, b), s_sdiv;
    n_srem(a, b), s_srem;
    n_smod(a, b), s_smod;
    n_popcount(a), s_popcount;
    n_bitrev(a), s_bitrev;
    n_findlsb(a), s_findlsb;
    n_findumsb(a), s_findumsb;
    n_findsmsb(a), s_findsmsb;
    n_uextract(a, b, c), s_uextract;
    n_sextract(a, b, c), s_sextract;
    n_bitinsert(a, b, c, d), s_bitinsert;
    n_umulhi(a, b), s_umulhi;
    n_smulhi(a, b), s_smulhi;
    n_uaddc(a, b), s_uaddc;
    n_usubb(a, b), s_usubb;
    h_from_bits(a), half_bits;
    h_to_bits(a), half_value;
}
#[inline(always)]
fn half_bits(a: u32) -> u32 { s_f2h(f32::from_bits(a)) }
#[inline(always)]
fn half_value(a: u32) -> u32 { s_h2f(a & 0xffff).to_bits() }
#[op]
fn n_f2h(a: NF) -> NI { h_from_bits(n_fbits(a)) }
#[op]
fn n_h2f(a: NI) -> NF { n_ffrom(h_to_bits(a)) }
#[op]
fn n_ffract(a: NF) -> NF { n_fsub(a, n_ffloor(a)) }
#[op]
fn n_fsign(a: NF) -> NF {
    let one = n_ffrom(n_ior(n_iand(n_fbits(a), n_iset(0x8000_0000)), n_iset(0x3f80_0000)));
    n_fsel(n_feq(a, n_fset(0.0)), n_fset(0.0), one)
}
#[op]
fn n_frem(a: NF, b: NF) -> NF { n_fnma(b, n_ftrunc(n_fdiv(a, b)), a) }
#[op]
fn n_fmod(a: NF, b: NF) -> NF { n_fnma(b, n_ffloor(n_fdiv(a, b)), a) }
// 2^k for k in -126..=127.
#[op]
fn pow2(k: NI) -> NF { n_ffrom(n_shli::<23>(n_iadd(k, n_iset(127)))) }
// Two factors, so that the exponent may reach beyond what one can hold.
#[op]
fn n_fldexp(a: NF, e: NI) -> NF {
    let e = n_smin(n_smax(e, n_iset(-252i32 as u32)), n_iset(254));
    let half = n_sar(e, n_iset(1));
    n_fmul(n_fmul(a, pow2(half)), pow2(n_isub(e, half)))
}
// 2^x: integer part into the exponent, polynomial on [-1/2, 1/2]. Below the normal range it is zero.
#[op]
fn n_fexp2(x: NF) -> NF {
    let c = n_fsel(n_flt(x, n_fset(-126.0)), n_fset(-126.0), x);
    let c = n_fsel(n_flt(n_fset(127.99999), c), n_fset(127.99999), c);
    let n = n_frint(c);
    let t = n_fsub(c, n);
    let mut p = n_fma(n_fset(1.5353362e-4), t, n_fset(1.3398874e-3));
    p = n_fma(p, t, n_fset(9.618437e-3));
    p = n_fma(p, t, n_fset(5.5503324e-2));
    p = n_fma(p, t, n_fset(2.4022648e-1));
    p = n_fma(p, t, n_fset(6.931472e-1));
    p = n_fma(p, t, n_fset(1.0));
    let k = n_f2i(n);
    let half = n_sar(k, n_iset(1));
    let r = n_fmul(n_fmul(p, pow2(half)), pow2(n_isub(k, half)));
    let r = n_fsel(n_flt(x, n_fset(-126.0)), n_fset(0.0), r);
    let r = n_fsel(n_fle(n_fset(128.0), x), n_fset(f32::INFINITY), r);
    n_fsel(n_isnan(x), x, r)
}
// log2 of the mantissa by a polynomial around 1, plus the exponent. Denormals count as zero.
#[op]
fn n_flog2(x: NF) -> NF {
    let b = n_fbits(x);
    let e = n_sar(n_isub(b, n_iset(0x3f35_04f3)), n_iset(23));
    let t = n_fsub(n_ffrom(n_isub(b, n_shli::<23>(e))), n_fset(1.0));
    let mut p = n_fma(n_fset(7.037684e-2), t, n_fset(-1.151461e-1));
    p = n_fma(p, t, n_fset(1.1676998e-1));
    p = n_fma(p, t, n_fset(-1.2420141e-1));
    p = n_fma(p, t, n_fset(1.4249323e-1));
    p = n_fma(p, t, n_fset(-1.6668058e-1));
    p = n_fma(p, t, n_fset(2.0000715e-1));
    p = n_fma(p, t, n_fset(-2.4999994e-1));
    p = n_fma(p, t, n_fset(3.3333331e-1));
    let z = n_fmul(t, t);
    let ln = n_fadd(t, n_fnma(n_fset(0.5), z, n_fmul(n_fmul(z, t), p)));
    let r = n_fma(ln, n_fset(1.442695), n_i2f(e));
    let r = n_fsel(n_flt(x, n_fset(f32::MIN_POSITIVE)), n_fset(f32::NEG_INFINITY), r);
    let r = n_fsel(n_flt(x, n_fset(0.0)), n_fset(f32::NAN), r);
    let r = n_fsel(n_isnan(x), x, r);
    n_fsel(n_feq(x, n_fset(f32::INFINITY)), x, r)
}
#[op]
fn n_fexp(x: NF) -> NF { n_fexp2(n_fmul(x, n_fset(1.442695))) }
#[op]
fn n_flog(x: NF) -> NF { n_fmul(n_flog2(x), n_fset(0.6931472)) }
#[op]
fn n_fpow(x: NF, y: NF) -> NF { n_fexp2(n_fmul(y, n_flog2(x))) }
// sin on [-pi/2, pi/2], odd polynomial.
#[op]
fn sin_near(r: NF) -> NF {
    let z = n_fmul(r, r);
    let mut p = n_fma(n_fset(2.6083159e-6), z, n_fset(-1.981069e-4));
    p = n_fma(p, z, n_fset(8.333079e-3));
    p = n_fma(p, z, n_fset(-1.6666659e-1));
    n_fma(n_fmul(r, z), p, r)
}
// x - q * pi with pi in three parts.
#[op]
fn reduce_pi(x: NF, q: NF) -> NF {
    let r = n_fnma(q, n_fset(3.140625), x);
    let r = n_fnma(q, n_fset(9.67502593994e-4), r);
    n_fnma(q, n_fset(1.50995799e-7), r)
}
#[op]
fn flip_odd(r: NF, q: NF) -> NF { n_ffrom(n_ixor(n_fbits(r), n_shli::<31>(n_f2i(q)))) }
#[op]
fn n_fsin(x: NF) -> NF {
    let q = n_frint(n_fmul(x, n_fset(0.31830987)));
    flip_odd(sin_near(reduce_pi(x, q)), q)
}
// cos x = sin(x + pi/2): the half goes into the multiple of pi, so that nothing is lost near zeros.
#[op]
fn n_fcos(x: NF) -> NF {
    let q = n_frint(n_fma(x, n_fset(0.31830987), n_fset(0.5)));
    flip_odd(sin_near(reduce_pi(x, n_fsub(q, n_fset(0.5)))), q)
}
#[op]
fn n_ftan(x: NF) -> NF { n_fdiv(n_fsin(x), n_fcos(x)) }
// atan on [-1, 1].
#[op]
fn atan_near(t: NF) -> NF {
    let z = n_fmul(t, t);
    let mut p = n_fma(n_fset(0.0028662257), z, n_fset(-0.0161657367));
    p = n_fma(p, z, n_fset(0.0429096138));
    p = n_fma(p, z, n_fset(-0.0752896400));
    p = n_fma(p, z, n_fset(0.1065626393));
    p = n_fma(p, z, n_fset(-0.1420889944));
    p = n_fma(p, z, n_fset(0.1999355085));
    p = n_fma(p, z, n_fset(-0.3333314528));
    n_fma(n_fmul(t, z), p, t)
}
#[op]
fn n_fatan(x: NF) -> NF {
    let sign = n_iand(n_fbits(x), n_iset(0x8000_0000));
    let a = n_fabs(x);
    let over = n_flt(n_fset(1.0), a);
    let t = atan_near(n_fsel(over, n_fdiv(n_fset(1.0), a), a));
    let r = n_fsel(over, n_fsub(n_fset(1.5707964), t), t);
    n_ffrom(n_ior(n_fbits(r), sign))
}
#[op]
fn n_fatan2(y: NF, x: NF) -> NF {
    let (ay, ax) = (n_fabs(y), n_fabs(x));
    let steep = n_flt(ax, ay);
    let (num, den) = (n_fsel(steep, ax, ay), n_fsel(steep, ay, ax));
    // Both infinite: the diagonal. Both zero: the axis.
    let t = n_fdiv(num, den);
    let t = n_fsel(n_feq(num, den), n_fset(1.0), t);
    let t = n_fsel(n_feq(den, n_fset(0.0)), n_fset(0.0), t);
    let r = atan_near(t);
    let r = n_fsel(steep, n_fsub(n_fset(1.5707964), r), r);
    let left = n_slt(n_fbits(x), n_iset(0));
    let r = n_fsel(left, n_fsub(n_fset(3.1415927), r), r);
    n_ffrom(n_ior(n_fbits(r), n_iand(n_fbits(y), n_iset(0x8000_0000))))
}
#[op]
fn n_fasin(x: NF) -> NF { n_fatan2(x, n_fsqrt(n_fmul(n_fsub(n_fset(1.0), x), n_fadd(n_fset(1.0), x)))) }
#[op]
fn n_facos(x: NF) -> NF { n_fatan2(n_fsqrt(n_fmul(n_fsub(n_fset(1.0), x), n_fadd(n_fset(1.0), x))), x) }
#[op]
fn n_fsinh(x: NF) -> NF {
    let e = n_fexp(n_fabs(x));
    let big = n_fmul(n_fset(0.5), n_fsub(e, n_fdiv(n_fset(1.0), e)));
    // Near zero the difference cancels: the series instead.
    let z = n_fmul(x, x);
    let small = n_fma(n_fmul(n_fabs(x), z), n_fma(z, n_fset(8.3333333e-3), n_fset(1.6666667e-1)), n_fabs(x));
    let r = n_fsel(n_flt(z, n_fset(0.04)), small, big);
    n_ffrom(n_ior(n_fbits(r), n_iand(n_fbits(x), n_iset(0x8000_0000))))
}
#[op]
fn n_fcosh(x: NF) -> NF {
    let e = n_fexp(n_fabs(x));
    n_fmul(n_fset(0.5), n_fadd(e, n_fdiv(n_fset(1.0), e)))
}
#[op]
fn n_ftanh(x: NF) -> NF {
    let a = n_fabs(x);
    let e = n_fexp(n_fmul(n_fset(2.0), n_fsel(n_flt(a, n_fset(20.0)), a, n_fset(20.0))));
    let big = n_fsub(n_fset(1.0), n_fdiv(n_fset(2.0), n_fadd(e, n_fset(1.0))));
    let z = n_fmul(x, x);
    let small = n_fma(n_fmul(a, z), n_fma(z, n_fset(1.3333334e-1), n_fset(-3.3333334e-1)), a);
    let r = n_fsel(n_flt(z, n_fset(0.01)), small, big);
    let r = n_fsel(n_isnan(x), x, r);
    n_ffrom(n_ior(n_fbits(r), n_iand(n_fbits(x), n_iset(0x8000_0000))))
}
#[op]
fn n_fasinh(x: NF) -> NF {
    let a = n_fabs(x);
    let big = n_flog(n_fadd(a, n_fsqrt(n_fma(a, a, n_fset(1.0)))));
    let z = n_fmul(a, a);
    let small = n_fma(n_fmul(a, z), n_fma(z, n_fset(7.5e-2), n_fset(-1.6666667e-1)), a);
    let r = n_fsel(n_flt(z, n_fset(0.01)), small, big);
    n_ffrom(n_ior(n_fbits(r), n_iand(n_fbits(x), n_iset(0x8000_0000))))
}
#[op]
fn n_facosh(x: NF) -> NF { n_flog(n_fadd(x, n_fsqrt(n_fma(x, x, n_fset(-1.0))))) }
#[op]
fn n_fatanh(x: NF) -> NF {
    n_fmul(n_fset(0.5), n_flog(n_fdiv(n_fadd(n_fset(1.0), x), n_fsub(n_fset(1.0), x))))
}
