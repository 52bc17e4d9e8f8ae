// Uniform values: one scalar for all lanes. Total functions: no operation here can panic.
#[inline(always)]
fn s_fadd(a: f32, b: f32) -> f32 { a + b }
#[inline(always)]
fn s_fsub(a: f32, b: f32) -> f32 { a - b }
#[inline(always)]
fn s_fmul(a: f32, b: f32) -> f32 { a * b }
#[inline(always)]
fn s_fdiv(a: f32, b: f32) -> f32 { a / b }
#[inline(always)]
fn s_fneg(a: f32) -> f32 { -a }
#[inline(always)]
fn s_fma(a: f32, b: f32, c: f32) -> f32 { a * b + c }
#[inline(always)]
fn s_fnma(a: f32, b: f32, c: f32) -> f32 { c - a * b }
#[inline(always)]
fn s_fms(a: f32, b: f32, c: f32) -> f32 { a * b - c }
#[inline(always)]
fn s_fabs(a: f32) -> f32 { f32::from_bits(a.to_bits() & 0x7fff_ffff) }
#[inline(always)]
fn s_fmin(a: f32, b: f32) -> f32 { if a < b || b != b { a } else { b } }
#[inline(always)]
fn s_fmax(a: f32, b: f32) -> f32 { if a > b || b != b { a } else { b } }
#[inline(always)]
fn s_feq(a: f32, b: f32) -> bool { a == b }
#[inline(always)]
fn s_fne(a: f32, b: f32) -> bool { a != b }
#[inline(always)]
fn s_flt(a: f32, b: f32) -> bool { a < b }
#[inline(always)]
fn s_fle(a: f32, b: f32) -> bool { a <= b }
#[inline(always)]
fn s_isnan(a: f32) -> bool { a != a }
#[inline(always)]
fn s_isinf(a: f32) -> bool { a.to_bits() & 0x7fff_ffff == 0x7f80_0000 }
#[inline(always)]
fn s_iadd(a: u32, b: u32) -> u32 { a.wrapping_add(b) }
#[inline(always)]
fn s_isub(a: u32, b: u32) -> u32 { a.wrapping_sub(b) }
#[inline(always)]
fn s_imul(a: u32, b: u32) -> u32 { a.wrapping_mul(b) }
#[inline(always)]
fn s_ineg(a: u32) -> u32 { a.wrapping_neg() }
#[inline(always)]
fn s_iabs(a: u32) -> u32 { (a as i32).wrapping_abs() as u32 }
// Division by zero gives all ones, as on D3D hardware; SPIR-V leaves it open.
#[inline(always)]
fn s_udiv(a: u32, b: u32) -> u32 { if b == 0 { u32::MAX } else { a / b } }
#[inline(always)]
fn s_urem(a: u32, b: u32) -> u32 { if b == 0 { u32::MAX } else { a % b } }
#[inline(always)]
fn s_sdiv(a: u32, b: u32) -> u32 { if b == 0 { u32::MAX } else { (a as i32).wrapping_div(b as i32) as u32 } }
#[inline(always)]
fn s_srem(a: u32, b: u32) -> u32 { if b == 0 { u32::MAX } else { (a as i32).wrapping_rem(b as i32) as u32 } }
#[inline(always)]
fn s_smod(a: u32, b: u32) -> u32 {
    let r = s_srem(a, b);
    if b != 0 && r != 0 && (r ^ b) >> 31 != 0 { r.wrapping_add(b) } else { r }
}
#[inline(always)]
fn s_smin(a: u32, b: u32) -> u32 { if (a as i32) < b as i32 { a } else { b } }
#[inline(always)]
fn s_smax(a: u32, b: u32) -> u32 { if (a as i32) > b as i32 { a } else { b } }
#[inline(always)]
fn s_umin(a: u32, b: u32) -> u32 { if a < b { a } else { b } }
#[inline(always)]
fn s_umax(a: u32, b: u32) -> u32 { if a > b { a } else { b } }
#[inline(always)]
fn s_ssign(a: u32) -> u32 { (a as i32).signum() as u32 }
#[inline(always)]
fn s_iand(a: u32, b: u32) -> u32 { a & b }
#[inline(always)]
fn s_ior(a: u32, b: u32) -> u32 { a | b }
#[inline(always)]
fn s_ixor(a: u32, b: u32) -> u32 { a ^ b }
#[inline(always)]
fn s_inot(a: u32) -> u32 { !a }
#[inline(always)]
fn s_shl(a: u32, b: u32) -> u32 { a << (b & 31) }
#[inline(always)]
fn s_shr(a: u32, b: u32) -> u32 { a >> (b & 31) }
#[inline(always)]
fn s_sar(a: u32, b: u32) -> u32 { (a as i32 >> (b & 31)) as u32 }
#[inline(always)]
fn s_ieq(a: u32, b: u32) -> bool { a == b }
#[inline(always)]
fn s_ine(a: u32, b: u32) -> bool { a != b }
#[inline(always)]
fn s_slt(a: u32, b: u32) -> bool { (a as i32) < b as i32 }
#[inline(always)]
fn s_sle(a: u32, b: u32) -> bool { a as i32 <= b as i32 }
#[inline(always)]
fn s_ult(a: u32, b: u32) -> bool { a < b }
#[inline(always)]
fn s_ule(a: u32, b: u32) -> bool { a <= b }
#[inline(always)]
fn s_popcount(a: u32) -> u32 { a.count_ones() }
#[inline(always)]
fn s_bitrev(a: u32) -> u32 { a.reverse_bits() }
#[inline(always)]
fn s_findlsb(a: u32) -> u32 { if a == 0 { u32::MAX } else { a.trailing_zeros() } }
#[inline(always)]
fn s_findumsb(a: u32) -> u32 { 31u32.wrapping_sub(a.leading_zeros()) }
#[inline(always)]
fn s_findsmsb(a: u32) -> u32 { s_findumsb(if a >> 31 != 0 { !a } else { a }) }
#[inline(always)]
fn s_uextract(a: u32, offset: u32, count: u32) -> u32 {
    if count == 0 {
        0
    } else {
        (a >> (offset & 31)) & (u32::MAX >> ((32u32.wrapping_sub(count)) & 31))
    }
}
#[inline(always)]
fn s_sextract(a: u32, offset: u32, count: u32) -> u32 {
    if count == 0 {
        return 0;
    }
    let up = 32u32.wrapping_sub(count) & 31;
    (((a >> (offset & 31)) << up) as i32 >> up) as u32
}
#[inline(always)]
fn s_bitinsert(base: u32, insert: u32, offset: u32, count: u32) -> u32 {
    if count == 0 {
        return base;
    }
    let mask = (u32::MAX >> (32u32.wrapping_sub(count) & 31)) << (offset & 31);
    base & !mask | (insert << (offset & 31)) & mask
}
#[inline(always)]
fn s_f2i(a: f32) -> u32 { a as i32 as u32 }
#[inline(always)]
fn s_f2u(a: f32) -> u32 { a as u32 }
#[inline(always)]
fn s_i2f(a: u32) -> f32 { a as i32 as f32 }
#[inline(always)]
fn s_u2f(a: u32) -> f32 { a as f32 }
#[inline(always)]
fn s_fbits(a: f32) -> u32 { a.to_bits() }
#[inline(always)]
fn s_ffrom(a: u32) -> f32 { f32::from_bits(a) }
#[inline(always)]
fn s_umulhi(a: u32, b: u32) -> u32 { ((a as u64 * b as u64) >> 32) as u32 }
#[inline(always)]
fn s_smulhi(a: u32, b: u32) -> u32 { ((a as i32 as i64 * b as i32 as i64) >> 32) as u32 }
#[inline(always)]
fn s_uaddc(a: u32, b: u32) -> u32 { a.overflowing_add(b).1 as u32 }
#[inline(always)]
fn s_usubb(a: u32, b: u32) -> u32 { (a < b) as u32 }
#[inline(always)]
fn s_band(a: bool, b: bool) -> bool { a & b }
#[inline(always)]
fn s_bor(a: bool, b: bool) -> bool { a | b }
#[inline(always)]
fn s_bxor(a: bool, b: bool) -> bool { a ^ b }
#[inline(always)]
fn s_bnot(a: bool) -> bool { !a }
#[inline(always)]
fn s_fsel(c: bool, a: f32, b: f32) -> f32 { if c { a } else { b } }
#[inline(always)]
fn s_isel(c: bool, a: u32, b: u32) -> u32 { if c { a } else { b } }
#[inline(always)]
fn s_bsel(c: bool, a: bool, b: bool) -> bool { if c { a } else { b } }
// Half floats by their bits: round to nearest even, denormals kept.
#[inline(always)]
fn s_f2h(a: f32) -> u32 {
    let x = a.to_bits();
    let sign = (x >> 16) & 0x8000;
    let abs = x & 0x7fff_ffff;
    if abs > 0x7f80_0000 {
        return sign | 0x7e00;
    }
    if abs >= 0x477f_f000 {
        return sign | 0x7c00;
    }
    if abs < 0x3880_0000 {
        // A denormal half: add a power of two so that the sum's last bit is the half's last bit.
        let sum = f32::from_bits(abs) + f32::from_bits(0x3f00_0000);
        return sign | (sum.to_bits().wrapping_sub(0x3f00_0000));
    }
    let odd = (abs >> 13) & 1;
    sign | (abs.wrapping_add(0xc800_0fff).wrapping_add(odd) >> 13)
}
#[inline(always)]
fn s_h2f(h: u32) -> f32 {
    let sign = (h & 0x8000) << 16;
    let (e, m) = ((h >> 10) & 31, h & 0x3ff);
    if e == 31 {
        return f32::from_bits(sign | 0x7f80_0000 | m << 13);
    }
    if e == 0 {
        // m * 2^-24, exact.
        return f32::from_bits(sign | (m as f32 * f32::from_bits(0x3380_0000)).to_bits());
    }
    f32::from_bits(sign | (e + 112) << 23 | m << 13)
}
// Elements that a memory of `bytes` has at `konst + i * stride`, `size` bytes each.
#[inline(always)]
fn elements(bytes: u64, konst: u32, size: u32, stride: u32) -> u32 {
    let end = konst as u64 + size as u64;
    if bytes < end {
        return 0;
    }
    let n = match stride {
        0 => u32::MAX as u64,
        1 => bytes - end + 1,
        4 => (bytes - end) / 4 + 1,
        _ => (bytes - end) / stride as u64 + 1,
    };
    if n > u32::MAX as u64 { u32::MAX } else { n as u32 }
}
#[inline(always)]
unsafe fn s_ldi(p: *const u8, n: u32, stride: u32, i: u32) -> u32 {
    if i < n { unsafe { (p.add(i as usize * stride as usize) as *const u32).read_unaligned() } } else { 0 }
}
#[inline(always)]
unsafe fn s_ldf(p: *const u8, n: u32, stride: u32, i: u32) -> f32 { f32::from_bits(unsafe { s_ldi(p, n, stride, i) }) }
// Integers of B bytes (1, 2), as words.
#[inline(always)]
unsafe fn narrow<const B: u32>(p: *const u8) -> u32 {
    unsafe { if B == 1 { p.read() as u32 } else { (p as *const u16).read_unaligned() as u32 } }
}
#[inline(always)]
unsafe fn put_narrow<const B: u32>(p: *mut u8, a: u32) {
    unsafe { if B == 1 { p.write(a as u8) } else { (p as *mut u16).write_unaligned(a as u16) } }
}
#[inline(always)]
unsafe fn s_ldn<const B: u32>(p: *const u8, n: u32, stride: u32, i: u32) -> u32 {
    if i < n { unsafe { narrow::<B>(p.add(i as usize * stride as usize)) } } else { 0 }
}
