// Instruction set avx2: a native vector is a ymm register, a mask a vector of 0 and -1.
use core::arch::x86_64::*;
const NW: usize = 8;
type NF = __m256;
type NI = __m256i;
type NM = __m256i;
#[op]
fn n_fset(a: f32) -> NF { _mm256_set1_ps(a) }
#[op]
fn n_iset(a: u32) -> NI { _mm256_set1_epi32(a as i32) }
#[op]
fn n_bset(a: bool) -> NM { _mm256_set1_epi32(-(a as i32)) }
#[op]
fn n_iota() -> NI { _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0) }
#[op]
fn m(a: NF) -> NM { _mm256_castps_si256(a) }
#[op]
fn u(a: NM) -> NF { _mm256_castsi256_ps(a) }
#[op]
fn n_fadd(a: NF, b: NF) -> NF { _mm256_add_ps(a, b) }
#[op]
fn n_fsub(a: NF, b: NF) -> NF { _mm256_sub_ps(a, b) }
#[op]
fn n_fmul(a: NF, b: NF) -> NF { _mm256_mul_ps(a, b) }
#[op]
fn n_fdiv(a: NF, b: NF) -> NF { _mm256_div_ps(a, b) }
#[op]
fn n_fma(a: NF, b: NF, c: NF) -> NF { _mm256_fmadd_ps(a, b, c) }
#[op]
fn n_fnma(a: NF, b: NF, c: NF) -> NF { _mm256_fnmadd_ps(a, b, c) }
#[op]
fn n_fms(a: NF, b: NF, c: NF) -> NF { _mm256_fmsub_ps(a, b, c) }
#[op]
fn n_fneg(a: NF) -> NF { _mm256_xor_ps(a, _mm256_set1_ps(-0.0)) }
#[op]
fn n_fabs(a: NF) -> NF { _mm256_andnot_ps(_mm256_set1_ps(-0.0), a) }
// min and max of the instruction set give the second operand where either is NaN; the kernel's give the other one.
#[op]
fn n_fmin(a: NF, b: NF) -> NF { _mm256_blendv_ps(_mm256_min_ps(a, b), a, _mm256_cmp_ps::<_CMP_UNORD_Q>(b, b)) }
#[op]
fn n_fmax(a: NF, b: NF) -> NF { _mm256_blendv_ps(_mm256_max_ps(a, b), a, _mm256_cmp_ps::<_CMP_UNORD_Q>(b, b)) }
#[op]
fn n_ffloor(a: NF) -> NF { _mm256_round_ps::<9>(a) }
#[op]
fn n_fceil(a: NF) -> NF { _mm256_round_ps::<10>(a) }
#[op]
fn n_ftrunc(a: NF) -> NF { _mm256_round_ps::<11>(a) }
#[op]
fn n_frint(a: NF) -> NF { _mm256_round_ps::<8>(a) }
#[op]
fn n_fsqrt(a: NF) -> NF { _mm256_sqrt_ps(a) }
// The estimate and one cubic step; where the step makes NaN (0, infinity) the estimate is exact.
#[op]
fn n_frsqrt(x: NF) -> NF {
    let y = _mm256_rsqrt_ps(x);
    let h = n_fnma(n_fmul(x, y), y, n_fset(1.0));
    let r = n_fma(n_fmul(y, h), n_fma(n_fset(0.375), h, n_fset(0.5)), y);
    _mm256_blendv_ps(r, y, _mm256_cmp_ps::<_CMP_UNORD_Q>(h, h))
}
#[op]
fn n_feq(a: NF, b: NF) -> NM { m(_mm256_cmp_ps::<_CMP_EQ_OQ>(a, b)) }
#[op]
fn n_fne(a: NF, b: NF) -> NM { m(_mm256_cmp_ps::<_CMP_NEQ_UQ>(a, b)) }
#[op]
fn n_flt(a: NF, b: NF) -> NM { m(_mm256_cmp_ps::<_CMP_LT_OQ>(a, b)) }
#[op]
fn n_fle(a: NF, b: NF) -> NM { m(_mm256_cmp_ps::<_CMP_LE_OQ>(a, b)) }
#[op]
fn n_fsel(c: NM, a: NF, b: NF) -> NF { _mm256_blendv_ps(b, a, u(c)) }
#[op]
fn n_isel(c: NM, a: NI, b: NI) -> NI { _mm256_blendv_epi8(b, a, c) }
#[op]
fn n_f2i(a: NF) -> NI { _mm256_cvttps_epi32(a) }
#[op]
fn n_i2f(a: NI) -> NF { _mm256_cvtepi32_ps(a) }
#[op]
fn n_fbits(a: NF) -> NI { m(a) }
#[op]
fn n_ffrom(a: NI) -> NF { u(a) }
#[op]
fn n_iadd(a: NI, b: NI) -> NI { _mm256_add_epi32(a, b) }
#[op]
fn n_isub(a: NI, b: NI) -> NI { _mm256_sub_epi32(a, b) }
#[op]
fn n_imul(a: NI, b: NI) -> NI { _mm256_mullo_epi32(a, b) }
#[op]
fn n_iabs(a: NI) -> NI { _mm256_abs_epi32(a) }
#[op]
fn n_smin(a: NI, b: NI) -> NI { _mm256_min_epi32(a, b) }
#[op]
fn n_smax(a: NI, b: NI) -> NI { _mm256_max_epi32(a, b) }
#[op]
fn n_umin(a: NI, b: NI) -> NI { _mm256_min_epu32(a, b) }
#[op]
fn n_umax(a: NI, b: NI) -> NI { _mm256_max_epu32(a, b) }
#[op]
fn n_iand(a: NI, b: NI) -> NI { _mm256_and_si256(a, b) }
#[op]
fn n_ior(a: NI, b: NI) -> NI { _mm256_or_si256(a, b) }
#[op]
fn n_ixor(a: NI, b: NI) -> NI { _mm256_xor_si256(a, b) }
#[op]
fn n_shl(a: NI, b: NI) -> NI { _mm256_sllv_epi32(a, n_iand(b, n_iset(31))) }
#[op]
fn n_shr(a: NI, b: NI) -> NI { _mm256_srlv_epi32(a, n_iand(b, n_iset(31))) }
#[op]
fn n_sar(a: NI, b: NI) -> NI { _mm256_srav_epi32(a, n_iand(b, n_iset(31))) }
#[op]
fn n_ieq(a: NI, b: NI) -> NM { _mm256_cmpeq_epi32(a, b) }
#[op]
fn n_slt(a: NI, b: NI) -> NM { _mm256_cmpgt_epi32(b, a) }
#[op]
fn n_ult(a: NI, b: NI) -> NM {
    let s = n_iset(0x8000_0000);
    n_slt(n_ixor(a, s), n_ixor(b, s))
}
#[op]
fn n_band(a: NM, b: NM) -> NM { _mm256_and_si256(a, b) }
#[op]
fn n_bandn(a: NM, b: NM) -> NM { _mm256_andnot_si256(b, a) }
#[op]
fn n_bor(a: NM, b: NM) -> NM { _mm256_or_si256(a, b) }
#[op]
fn n_bxor(a: NM, b: NM) -> NM { _mm256_xor_si256(a, b) }
#[op]
fn n_bnot(a: NM) -> NM { _mm256_xor_si256(a, _mm256_set1_epi32(-1)) }
#[op]
fn n_bits(a: NM) -> u32 { _mm256_movemask_ps(u(a)) as u32 }
#[op]
fn n_any(a: NM) -> bool { _mm256_testz_si256(a, a) == 0 }
#[op]
fn n_all(a: NM) -> bool { n_bits(a) == 255 }
#[op]
fn n_first_i(a: NI) -> u32 { _mm_cvtsi128_si32(_mm256_castsi256_si128(a)) as u32 }
#[op]
fn n_first_f(a: NF) -> f32 { _mm256_cvtss_f32(a) }
#[op]
fn n_lanes(a: NI) -> [u32; NW] {
    let mut r = [0u32; NW];
    unsafe { _mm256_storeu_si256(r.as_mut_ptr() as *mut __m256i, a) };
    r
}
#[op]
fn n_from(a: [u32; NW]) -> NI { unsafe { _mm256_loadu_si256(a.as_ptr() as *const __m256i) } }
#[op]
unsafe fn n_ld(p: *const u8) -> NI { unsafe { _mm256_loadu_si256(p as *const __m256i) } }
#[op]
unsafe fn n_st(p: *mut u8, a: NI) { unsafe { _mm256_storeu_si256(p as *mut __m256i, a) } }
#[op]
unsafe fn n_ldm(p: *const u8, c: NM) -> NI { unsafe { _mm256_maskload_epi32(p as *const i32, c) } }
#[op]
unsafe fn n_stm(p: *mut u8, a: NI, c: NM) { unsafe { _mm256_maskstore_epi32(p as *mut i32, c, a) } }
// Words at p + 4 * i, where i is signed.
#[op]
unsafe fn n_gather(p: *const u8, i: NI, c: NM) -> NI {
    unsafe { _mm256_mask_i32gather_epi32::<4>(_mm256_setzero_si256(), p as *const i32, i, c) }
}
// Words at p + i, where i is signed.
#[op]
unsafe fn n_gather_bytes(p: *const u8, i: NI, c: NM) -> NI {
    unsafe { _mm256_mask_i32gather_epi32::<1>(_mm256_setzero_si256(), p as *const i32, i, c) }
}
