// Images. Texels are converted between the format in memory and vectors of floats or integers. Formats are numbered
// as SPIR-V numbers them; the two common ones have code for whole vectors, the rest goes lane by lane.
#[inline(always)]
unsafe fn texel_bytes(format: u32) -> u32 {
    match format {
        1 | 21 | 30 => 16,
        2 | 6 | 10 | 16 | 22 | 25 | 31 | 35 => 8,
        3 | 4 | 5 | 7 | 8 | 11 | 12 | 17 | 23 | 24 | 26 | 32 | 33 | 34 | 36 => 4,
        9 | 13 | 14 | 18 | 19 | 27 | 28 | 37 | 38 => 2,
        _ => 1,
    }
}
#[inline(always)]
unsafe fn rd32(p: *const u8, i: usize) -> u32 { unsafe { (p.add(i * 4) as *const u32).read_unaligned() } }
#[inline(always)]
unsafe fn rd16(p: *const u8, i: usize) -> u32 { unsafe { (p.add(i * 2) as *const u16).read_unaligned() as u32 } }
#[inline(always)]
unsafe fn rd8(p: *const u8, i: usize) -> u32 { unsafe { *p.add(i) as u32 } }
// One texel as four words: bits of floats, or integers.
#[inline]
unsafe fn texel_get(p: *const u8, format: u32) -> [u32; 4] {
    const ONE: u32 = 0x3f80_0000;
    unsafe {
        let f16 = |i| s_h2f(rd16(p, i)).to_bits();
        let u8n = |i| (rd8(p, i) as f32 / 255.0).to_bits();
        let s8n = |i| s_fmax(rd8(p, i) as i8 as f32 / 127.0, -1.0).to_bits();
        let u16n = |i| (rd16(p, i) as f32 / 65535.0).to_bits();
        let s8 = |i| rd8(p, i) as i8 as u32;
        let s16 = |i| rd16(p, i) as i16 as u32;
        match format {
            1 => [rd32(p, 0), rd32(p, 1), rd32(p, 2), rd32(p, 3)],
            2 => [f16(0), f16(1), f16(2), f16(3)],
            3 => [rd32(p, 0), 0, 0, ONE],
            4 => [u8n(0), u8n(1), u8n(2), u8n(3)],
            5 => [s8n(0), s8n(1), s8n(2), s8n(3)],
            6 => [rd32(p, 0), rd32(p, 1), 0, ONE],
            7 => [f16(0), f16(1), 0, ONE],
            9 => [f16(0), 0, 0, ONE],
            10 => [u16n(0), u16n(1), u16n(2), u16n(3)],
            12 => [u16n(0), u16n(1), 0, ONE],
            13 => [u8n(0), u8n(1), 0, ONE],
            14 => [u16n(0), 0, 0, ONE],
            15 => [u8n(0), 0, 0, ONE],
            21 | 30 => [rd32(p, 0), rd32(p, 1), rd32(p, 2), rd32(p, 3)],
            22 => [s16(0), s16(1), s16(2), s16(3)],
            23 => [s8(0), s8(1), s8(2), s8(3)],
            24 | 33 => [rd32(p, 0), 0, 0, 1],
            25 | 35 => [rd32(p, 0), rd32(p, 1), 0, 1],
            31 => [rd16(p, 0), rd16(p, 1), rd16(p, 2), rd16(p, 3)],
            32 => [rd8(p, 0), rd8(p, 1), rd8(p, 2), rd8(p, 3)],
            _ => [0, 0, 0, 0],
        }
    }
}
#[inline(always)]
fn unorm(v: u32, scale: f32) -> u32 {
    let f = f32::from_bits(v);
    let c = if f > 0.0 { if f < 1.0 { f } else { 1.0 } } else { 0.0 };
    // Round to nearest even: adding 2^23 drops the fraction.
    ((c * scale + 8388608.0).to_bits()) & 0x7f_ffff
}
#[inline]
unsafe fn texel_put(p: *mut u8, format: u32, t: [u32; 4]) {
    unsafe {
        let w32 = |i: usize, v: u32| (p.add(i * 4) as *mut u32).write_unaligned(v);
        let w16 = |i: usize, v: u32| (p.add(i * 2) as *mut u16).write_unaligned(v as u16);
        let w8 = |i: usize, v: u32| *p.add(i) = v as u8;
        let half = |v: u32| s_f2h(f32::from_bits(v));
        let s8n = |v: u32| {
            let f = f32::from_bits(v);
            let c = if f > -1.0 { if f < 1.0 { f } else { 1.0 } } else if f <= -1.0 { -1.0 } else { 0.0 };
            ((c * 127.0 + 12582912.0).to_bits().wrapping_sub(0x4b40_0000)) & 0xff
        };
        let n = match format {
            1 | 21 | 30 | 2 | 10 | 22 | 31 | 4 | 5 | 23 | 32 => 4,
            6 | 7 | 12 | 13 | 25 | 35 => 2,
            _ => 1,
        };
        let mut i = 0;
        while i < n {
            let v = *t.get_unchecked(i);
            match format {
                1 | 3 | 6 | 21 | 24 | 25 | 30 | 33 | 35 => w32(i, v),
                2 | 7 | 9 => w16(i, half(v)),
                4 | 13 | 15 => w8(i, unorm(v, 255.0)),
                5 => w8(i, s8n(v)),
                10 | 12 | 14 => w16(i, unorm(v, 65535.0)),
                22 | 31 => w16(i, v),
                23 | 32 => w8(i, v),
                _ => {}
            }
            i += 1
        }
    }
}
// Words at byte offsets x of active lanes; a plain load where they lie side by side, as neighbouring texels do.
#[op]
unsafe fn words(p: *const u8, x: NI, c: NM) -> NI {
    let first = n_first_i(x);
    let row = n_ieq(x, n_iadd(n_iset(first), n_shli::<2>(n_iota())));
    unsafe {
        if n_all(n_band(row, c)) { n_ld(p.add(first as usize)) } else { n_gather_bytes(p, x, c) }
    }
}
#[op]
unsafe fn texels(s: &Slot, x: NI, y: NI, c: NM) -> [NI; 4] {
    let c = n_band(c, n_band(n_ult(x, n_iset(s.width)), n_ult(y, n_iset(s.height))));
    let zero = n_iset(0);
    if s.bytes < 1 << 31 && (s.format == 4 || s.format == 1) {
        let row = n_imul(y, n_iset(s.row_pitch));
        unsafe {
            if s.format == 4 {
                let t = words(s.data, n_iadd(row, n_shli::<2>(x)), c);
                let low = n_iset(255);
                // Off lanes are zero already; 1/255 is close enough to a division for eight bits.
                let part = n_fset(1.0 / 255.0);
                return [
                    n_fbits(n_fmul(n_i2f(n_iand(t, low)), part)),
                    n_fbits(n_fmul(n_i2f(n_iand(n_shr(t, n_iset(8)), low)), part)),
                    n_fbits(n_fmul(n_i2f(n_iand(n_shr(t, n_iset(16)), low)), part)),
                    n_fbits(n_fmul(n_i2f(n_shr(t, n_iset(24))), part)),
                ];
            }
            let o = n_iadd(row, n_shli::<4>(x));
            return [
                n_gather_bytes(s.data, o, c),
                n_gather_bytes(s.data.add(4), o, c),
                n_gather_bytes(s.data.add(8), o, c),
                n_gather_bytes(s.data.add(12), o, c),
            ];
        }
    }
    let (xs, ys) = (n_lanes(x), n_lanes(y));
    let mut r = [[0u32; NW]; 4];
    let mut b = n_bits(c);
    while b != 0 {
        let l = (b.trailing_zeros() as usize) & (NW - 1);
        unsafe {
            let q = s.data.add(
                *ys.get_unchecked(l) as usize * s.row_pitch as usize
                    + *xs.get_unchecked(l) as usize * texel_bytes(s.format) as usize,
            );
            let t = texel_get(q, s.format);
            *r[0].get_unchecked_mut(l) = t[0];
            *r[1].get_unchecked_mut(l) = t[1];
            *r[2].get_unchecked_mut(l) = t[2];
            *r[3].get_unchecked_mut(l) = t[3];
        }
        b &= b - 1;
    }
    let _ = zero;
    [n_from(r[0]), n_from(r[1]), n_from(r[2]), n_from(r[3])]
}
#[op]
unsafe fn img_ldi(s: &Slot, x: VI, y: VI, c: VM) -> [VI; 4] {
    let mut r = [is(0); 4];
    let mut i = 0;
    while i < NV {
        let t = unsafe { texels(s, x.0[i], y.0[i], c.0[i]) };
        r[0].0[i] = t[0];
        r[1].0[i] = t[1];
        r[2].0[i] = t[2];
        r[3].0[i] = t[3];
        i += 1
    }
    r
}
#[op]
unsafe fn img_ldf(s: &Slot, x: VI, y: VI, c: VM) -> [VF; 4] {
    let t = unsafe { img_ldi(s, x, y, c) };
    [v!(VF, i, n_ffrom(t[0].0[i])), v!(VF, i, n_ffrom(t[1].0[i])), v!(VF, i, n_ffrom(t[2].0[i])), v!(VF, i, n_ffrom(t[3].0[i]))]
}
#[op]
fn to_byte(v: NI) -> NI {
    let f = n_ffrom(v);
    // NaN becomes zero: the comparison is false.
    let f = n_fsel(n_flt(n_fset(0.0), f), f, n_fset(0.0));
    let f = n_fsel(n_flt(f, n_fset(1.0)), f, n_fset(1.0));
    n_f2i(n_frint(n_fmul(f, n_fset(255.0))))
}
#[op]
unsafe fn put_texels(s: &Slot, x: NI, y: NI, t: [NI; 4], c: NM) {
    let c = n_band(c, n_band(n_ult(x, n_iset(s.width)), n_ult(y, n_iset(s.height))));
    if s.format == 4 && s.bytes < 1 << 31 {
        let w = n_ior(
            n_ior(to_byte(t[0]), n_shli::<8>(to_byte(t[1]))),
            n_ior(n_shli::<16>(to_byte(t[2])), n_shli::<24>(to_byte(t[3]))),
        );
        let o = n_iadd(n_imul(y, n_iset(s.row_pitch)), n_shli::<2>(x));
        let first = n_first_i(o);
        let row = n_ieq(o, n_iadd(n_iset(first), n_shli::<2>(n_iota())));
        unsafe {
            if n_all(n_band(row, c)) {
                n_st(s.data.add(first as usize), w)
            } else {
                scatter::<1>(s.data, u32::MAX, o, w, c)
            }
        }
        return;
    }
    let (xs, ys) = (n_lanes(x), n_lanes(y));
    let t = [n_lanes(t[0]), n_lanes(t[1]), n_lanes(t[2]), n_lanes(t[3])];
    let mut b = n_bits(c);
    while b != 0 {
        let l = (b.trailing_zeros() as usize) & (NW - 1);
        unsafe {
            let q = s.data.add(
                *ys.get_unchecked(l) as usize * s.row_pitch as usize
                    + *xs.get_unchecked(l) as usize * texel_bytes(s.format) as usize,
            );
            let v = [
                *t[0].get_unchecked(l),
                *t[1].get_unchecked(l),
                *t[2].get_unchecked(l),
                *t[3].get_unchecked(l),
            ];
            texel_put(q, s.format, v);
        }
        b &= b - 1;
    }
}
#[op]
unsafe fn img_sti(s: &Slot, x: VI, y: VI, t: [VI; 4], c: VM) {
    let mut i = 0;
    while i < NV {
        unsafe { put_texels(s, x.0[i], y.0[i], [t[0].0[i], t[1].0[i], t[2].0[i], t[3].0[i]], c.0[i]) };
        i += 1
    }
}
#[op]
unsafe fn img_stf(s: &Slot, x: VI, y: VI, t: [VF; 4], c: VM) {
    let b = [v!(VI, i, n_fbits(t[0].0[i])), v!(VI, i, n_fbits(t[1].0[i])), v!(VI, i, n_fbits(t[2].0[i])), v!(VI, i, n_fbits(t[3].0[i]))];
    unsafe { img_sti(s, x, y, b, c) }
}
