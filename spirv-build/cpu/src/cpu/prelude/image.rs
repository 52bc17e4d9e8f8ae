// Images. Texels are converted between the format in memory and vectors of floats or integers. Formats are numbered
// as SPIR-V numbers them; the two common ones have code for whole vectors, the rest goes lane by lane.
// A format that SPIR-V has not is numbered from 100: 100 is three floats, 101 three integers, then sRGB (rgba8, bgra8, r8, rg8),
// bgra8 and three parts of nine bits with one exponent.
// What a component is in memory; a word that all share, of floats or integers.
const F32: u32 = 0;
const F16: u32 = 1;
const UNORM8: u32 = 2;
const SNORM8: u32 = 3;
const UNORM16: u32 = 4;
const SNORM16: u32 = 5;
const SRGB8: u32 = 6;
const WORD: u32 = 7;
const I32: u32 = 8;
const I16: u32 = 9;
const U16: u32 = 10;
const I8: u32 = 11;
const U8: u32 = 12;
const INT_WORD: u32 = 13;
// Component and number of components of a format.
#[inline(always)]
fn format_parts(format: u32) -> (u32, usize) {
    match format {
        1 => (F32, 4),
        2 => (F16, 4),
        3 => (F32, 1),
        4 => (UNORM8, 4),
        5 => (SNORM8, 4),
        6 => (F32, 2),
        7 => (F16, 2),
        8 => (WORD, 3),
        9 => (F16, 1),
        10 => (UNORM16, 4),
        11 => (WORD, 4),
        12 => (UNORM16, 2),
        13 => (UNORM8, 2),
        14 => (UNORM16, 1),
        15 => (UNORM8, 1),
        16 => (SNORM16, 4),
        17 => (SNORM16, 2),
        18 => (SNORM8, 2),
        19 => (SNORM16, 1),
        20 => (SNORM8, 1),
        21 | 30 => (I32, 4),
        22 => (I16, 4),
        23 => (I8, 4),
        24 | 33 => (I32, 1),
        25 | 35 => (I32, 2),
        26 => (I16, 2),
        27 => (I8, 2),
        28 => (I16, 1),
        29 => (I8, 1),
        31 => (U16, 4),
        32 => (U8, 4),
        34 => (INT_WORD, 4),
        36 => (U16, 2),
        37 => (U8, 2),
        38 => (U16, 1),
        39 => (U8, 1),
        100 => (F32, 3),
        101 => (I32, 3),
        102 | 103 => (SRGB8, 4),
        104 => (SRGB8, 1),
        105 => (SRGB8, 2),
        106 => (UNORM8, 4),
        107 => (WORD, 3),
        _ => (F32, 0),
    }
}
#[inline(always)]
fn part_bytes(part: u32) -> usize {
    match part {
        F32 | I32 | WORD | INT_WORD => 4,
        F16 | UNORM16 | SNORM16 | I16 | U16 => 2,
        _ => 1,
    }
}
#[inline(always)]
fn texel_bytes(format: u32) -> u32 {
    let (part, n) = format_parts(format);
    if part == WORD || part == INT_WORD { 4 } else { (part_bytes(part) * n) as u32 }
}
// Blue comes first.
#[inline(always)]
fn is_bgra(format: u32) -> bool {
    format == 103 || format == 106
}
// What eight bits of sRGB mean: up to 10 a line, then ((c + 0.055) / 1.055) to the power of 2.4, whose fifth root is found by
// Newton's steps.
static SRGB: [u32; 256] = {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 {
        let c = i as f64 / 255.0;
        let v = if i <= 10 {
            c / 12.92
        } else {
            let x = (c + 0.055) / 1.055;
            let square = x * x;
            let mut y = 1.0;
            let mut step = 0;
            while step < 24 {
                y = (4.0 * y + square / (y * y * y * y)) / 5.0;
                step += 1
            }
            square * y
        };
        table[i] = (v as f32).to_bits();
        i += 1
    }
    table
};
// Floats of 11 and 10 bits are halves without a sign and with fewer bits behind the point.
#[inline]
fn word_get(w: u32, format: u32) -> [u32; 4] {
    let one = 0x3f80_0000;
    match format {
        8 => [
            s_h2f((w & 0x7ff) << 4).to_bits(),
            s_h2f((w >> 11 & 0x7ff) << 4).to_bits(),
            s_h2f((w >> 22) << 5).to_bits(),
            one,
        ],
        11 => {
            let part = |n: u32| ((w >> n & 1023) as f32 / 1023.0).to_bits();
            [part(0), part(10), part(20), ((w >> 30) as f32 / 3.0).to_bits()]
        }
        34 => [w & 1023, w >> 10 & 1023, w >> 20 & 1023, w >> 30],
        _ => {
            // Two to the exponent, less its bias and the nine bits.
            let scale = f32::from_bits((w >> 27).wrapping_add(127 - 24) << 23);
            let part = |n: u32| ((w >> n & 511) as f32 * scale).to_bits();
            [part(0), part(9), part(18), one]
        }
    }
}
#[inline]
fn word_put(t: [u32; 4], format: u32) -> u32 {
    // Less than zero is zero; rounded to nearest even.
    let small = |v: u32, less: u32| {
        let h = s_f2h(f32::from_bits(v)) & 0xffff;
        let nan = h & 0x7fff > 0x7c00;
        let round = (1u32 << (less - 1)).wrapping_sub(1).wrapping_add(h >> less & 1);
        if nan { 0x7e00 >> less } else if h >> 15 != 0 { 0 } else { h.wrapping_add(round) >> less }
    };
    match format {
        8 => small(t[0], 4) | small(t[1], 4) << 11 | small(t[2], 5) << 22,
        11 => {
            let part = |v: u32| normalised(v, 0.0, 1023.0);
            part(t[0]) | part(t[1]) << 10 | part(t[2]) << 20 | normalised(t[3], 0.0, 3.0) << 30
        }
        _ => t[0] & 1023 | (t[1] & 1023) << 10 | (t[2] & 1023) << 20 | t[3] << 30,
    }
}
// One texel as four words: bits of floats, or integers. Missing components are 0, 0, 0, 1.
#[inline]
unsafe fn texel_get(p: *const u8, format: u32) -> [u32; 4] {
    let (part, n) = format_parts(format);
    if part == WORD || part == INT_WORD {
        return word_get(unsafe { (p as *const u32).read_unaligned() }, format);
    }
    let one = if part >= I32 { 1 } else { 0x3f80_0000 };
    let mut t = [0, 0, 0, one];
    let mut i = 0;
    while i < n {
        let raw = unsafe {
            match part_bytes(part) {
                4 => (p.add(i * 4) as *const u32).read_unaligned(),
                2 => (p.add(i * 2) as *const u16).read_unaligned() as u32,
                _ => *p.add(i) as u32,
            }
        };
        let value = match part {
            F16 => s_h2f(raw).to_bits(),
            UNORM8 => (raw as f32 / 255.0).to_bits(),
            SNORM8 => s_fmax(raw as u8 as i8 as f32 / 127.0, -1.0).to_bits(),
            UNORM16 => (raw as f32 / 65535.0).to_bits(),
            SNORM16 => s_fmax(raw as u16 as i16 as f32 / 32767.0, -1.0).to_bits(),
            SRGB8 if i == 3 => (raw as f32 / 255.0).to_bits(),
            SRGB8 => unsafe { *SRGB.get_unchecked((raw & 255) as usize) },
            I16 => raw as u16 as i16 as u32,
            I8 => raw as u8 as i8 as u32,
            _ => raw,
        };
        unsafe { *t.get_unchecked_mut(i & 3) = value };
        i += 1
    }
    if is_bgra(format) { [t[2], t[1], t[0], t[3]] } else { t }
}
// Clamped, scaled and rounded to nearest even; NaN is zero.
#[inline(always)]
fn normalised(v: u32, low: f32, scale: f32) -> u32 {
    let f = f32::from_bits(v);
    let c = if f > low { if f < 1.0 { f } else { 1.0 } } else if f <= low { low } else { 0.0 };
    // Adding 1.5 * 2^23 drops the fraction; the integer is in the low bits.
    (c * scale + 12582912.0).to_bits().wrapping_sub(0x4b40_0000)
}
#[inline]
unsafe fn texel_put(p: *mut u8, format: u32, t: [u32; 4]) {
    let (part, n) = format_parts(format);
    if part == WORD || part == INT_WORD {
        return unsafe { (p as *mut u32).write_unaligned(word_put(t, format)) };
    }
    let t = if is_bgra(format) { [t[2], t[1], t[0], t[3]] } else { t };
    let mut i = 0;
    while i < n {
        let v = unsafe { *t.get_unchecked(i & 3) };
        let raw = match part {
            F16 => s_f2h(f32::from_bits(v)),
            UNORM8 => normalised(v, 0.0, 255.0),
            SNORM8 => normalised(v, -1.0, 127.0),
            UNORM16 => normalised(v, 0.0, 65535.0),
            SNORM16 => normalised(v, -1.0, 32767.0),
            _ => v,
        };
        unsafe {
            match part_bytes(part) {
                4 => (p.add(i * 4) as *mut u32).write_unaligned(raw),
                2 => (p.add(i * 2) as *mut u16).write_unaligned(raw as u16),
                _ => *p.add(i) = raw as u8,
            }
        }
        i += 1
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
// A level of an image; the first where there are no others.
#[inline(always)]
unsafe fn level_of(s: &Slot, l: u32) -> &Slot {
    if l == 0 || l >= s.level_count { s } else { unsafe { &*s.levels.add(l as usize) } }
}
// Lanes inside. Z: there are slices or layers.
#[op]
fn inside<const Z: bool>(s: &Slot, x: NI, y: NI, z: NI) -> NM {
    let c = n_band(n_ult(x, n_iset(s.width)), n_ult(y, n_iset(s.height)));
    if Z { n_band(c, n_ult(z, n_iset(s.depth))) } else { c }
}
#[op]
fn rows<const Z: bool>(s: &Slot, y: NI, z: NI) -> NI {
    let row = n_imul(y, n_iset(s.row_pitch));
    if Z { n_iadd(row, n_imul(z, n_iset(s.slice_pitch))) } else { row }
}
#[inline(always)]
unsafe fn texel_at<const Z: bool>(s: &Slot, x: u32, y: u32, z: u32) -> *mut u8 {
    let deep = if Z { z as usize * s.slice_pitch as usize } else { 0 };
    unsafe { s.data.add(deep + y as usize * s.row_pitch as usize + x as usize * texel_bytes(s.format) as usize) }
}
#[op]
unsafe fn texels<const Z: bool>(s: &Slot, x: NI, y: NI, z: NI, c: NM) -> [NI; 4] {
    let c = n_band(c, inside::<Z>(s, x, y, z));
    if s.bytes < 1 << 31 && matches!(s.format, 1 | 3 | 4 | 24 | 33) {
        let row = rows::<Z>(s, y, z);
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
            if s.format != 1 {
                let zero = n_iset(0);
                let one = n_iset(if s.format == 3 { 0x3f80_0000 } else { 1 });
                return [words(s.data, n_iadd(row, n_shli::<2>(x)), c), zero, zero, n_isel(c, one, zero)];
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
    let (xs, ys, zs) = (n_lanes(x), n_lanes(y), n_lanes(z));
    let mut r = [[0u32; NW]; 4];
    let mut b = n_bits(c);
    while b != 0 {
        let l = (b.trailing_zeros() as usize) & (NW - 1);
        unsafe {
            let q = texel_at::<Z>(s, *xs.get_unchecked(l), *ys.get_unchecked(l), *zs.get_unchecked(l));
            let t = texel_get(q, s.format);
            *r[0].get_unchecked_mut(l) = t[0];
            *r[1].get_unchecked_mut(l) = t[1];
            *r[2].get_unchecked_mut(l) = t[2];
            *r[3].get_unchecked_mut(l) = t[3];
        }
        b &= b - 1;
    }
    [n_from(r[0]), n_from(r[1]), n_from(r[2]), n_from(r[3])]
}
#[op]
unsafe fn img_ldi<const Z: bool>(s: &Slot, x: VI, y: VI, z: VI, c: VM) -> [VI; 4] {
    v4!(i, unsafe { texels::<Z>(s, x.0[i], y.0[i], z.0[i], c.0[i]) })
}
#[op]
fn img_floats(t: [VI; 4]) -> [VF; 4] {
    [v!(VF, i, n_ffrom(t[0].0[i])), v!(VF, i, n_ffrom(t[1].0[i])), v!(VF, i, n_ffrom(t[2].0[i])), v!(VF, i, n_ffrom(t[3].0[i]))]
}
#[op]
unsafe fn img_ldf<const Z: bool>(s: &Slot, x: VI, y: VI, z: VI, c: VM) -> [VF; 4] {
    img_floats(unsafe { img_ldi::<Z>(s, x, y, z, c) })
}
// A level that is chosen at run time, which mostly is the same for all lanes: once for each that there is.
#[op]
unsafe fn img_ldli<const Z: bool>(s: &Slot, x: VI, y: VI, z: VI, l: VI, c: VM) -> [VI; 4] {
    let mut r = [is(0); 4];
    let mut i = 0;
    while i < NV {
        let mut rest = n_band(c.0[i], n_ult(l.0[i], n_iset(s.level_count)));
        while n_any(rest) {
            let k = first_lane(l.0[i], rest);
            let here = n_band(rest, n_ieq(l.0[i], n_iset(k)));
            let t = unsafe { texels::<Z>(level_of(s, k), x.0[i], y.0[i], z.0[i], here) };
            r[0].0[i] = n_ior(r[0].0[i], t[0]);
            r[1].0[i] = n_ior(r[1].0[i], t[1]);
            r[2].0[i] = n_ior(r[2].0[i], t[2]);
            r[3].0[i] = n_ior(r[3].0[i], t[3]);
            rest = n_bandn(rest, here);
        }
        i += 1
    }
    r
}
#[op]
unsafe fn img_ldlf<const Z: bool>(s: &Slot, x: VI, y: VI, z: VI, l: VI, c: VM) -> [VF; 4] {
    img_floats(unsafe { img_ldli::<Z>(s, x, y, z, l, c) })
}
// An image of an array of resources, whose slots are where those of levels are else; the last one beyond the end.
#[inline(always)]
unsafe fn element_of(s: &Slot, k: u32) -> &Slot {
    let last = s.level_count.wrapping_sub(1);
    unsafe { &*s.levels.add((if k < last { k } else { last }) as usize) }
}
// The value of the first lane of a mask that has one.
#[op]
fn wave_first(a: VI, c: VM) -> u32 {
    let mut i = 0;
    while i < NV - 1 && !n_any(c.0[i]) {
        i += 1
    }
    first_lane(a.0[i], c.0[i])
}
#[op]
fn img_seli(c: VM, a: [VI; 4], b: [VI; 4]) -> [VI; 4] {
    [w_isel(c, a[0], b[0]), w_isel(c, a[1], b[1]), w_isel(c, a[2], b[2]), w_isel(c, a[3], b[3])]
}
#[op]
fn img_self(c: VM, a: [VF; 4], b: [VF; 4]) -> [VF; 4] {
    [w_fsel(c, a[0], b[0]), w_fsel(c, a[1], b[1]), w_fsel(c, a[2], b[2]), w_fsel(c, a[3], b[3])]
}
#[op]
fn nothing(_: VM, _: (), _: ()) {}
// The first lane of a mask that has one.
#[op]
fn first_lane(a: NI, c: NM) -> u32 {
    let lanes = n_lanes(a);
    unsafe { *lanes.get_unchecked((n_bits(c).trailing_zeros() as usize) & (NW - 1)) }
}
// The size of a level: 0 width, 1 height, 2 depth, 3 cubes; 0 where there is none.
#[op]
unsafe fn img_size<const WHAT: u32>(s: &Slot, l: VI) -> VI {
    v!(VI, i, {
        let lanes = n_lanes(l.0[i]);
        let mut r = [0u32; NW];
        let mut k = 0;
        while k < NW {
            if lanes[k] < s.level_count {
                let of = unsafe { level_of(s, lanes[k]) };
                r[k] = match WHAT {
                    0 => of.width,
                    1 => of.height,
                    2 => of.depth,
                    _ => of.depth / 6,
                };
            }
            k += 1
        }
        n_from(r)
    })
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
unsafe fn put_texels<const Z: bool>(s: &Slot, x: NI, y: NI, z: NI, t: [NI; 4], c: NM) {
    let c = n_band(c, inside::<Z>(s, x, y, z));
    if s.format == 4 && s.bytes < 1 << 31 {
        let w = n_ior(
            n_ior(to_byte(t[0]), n_shli::<8>(to_byte(t[1]))),
            n_ior(n_shli::<16>(to_byte(t[2])), n_shli::<24>(to_byte(t[3]))),
        );
        let o = n_iadd(rows::<Z>(s, y, z), n_shli::<2>(x));
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
    let (xs, ys, zs) = (n_lanes(x), n_lanes(y), n_lanes(z));
    let t = [n_lanes(t[0]), n_lanes(t[1]), n_lanes(t[2]), n_lanes(t[3])];
    let mut b = n_bits(c);
    while b != 0 {
        let l = (b.trailing_zeros() as usize) & (NW - 1);
        unsafe {
            let q = texel_at::<Z>(s, *xs.get_unchecked(l), *ys.get_unchecked(l), *zs.get_unchecked(l));
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
unsafe fn img_sti<const Z: bool>(s: &Slot, x: VI, y: VI, z: VI, t: [VI; 4], c: VM) {
    let mut i = 0;
    while i < NV {
        unsafe { put_texels::<Z>(s, x.0[i], y.0[i], z.0[i], [t[0].0[i], t[1].0[i], t[2].0[i], t[3].0[i]], c.0[i]) };
        i += 1
    }
}
#[op]
unsafe fn img_stf<const Z: bool>(s: &Slot, x: VI, y: VI, z: VI, t: [VF; 4], c: VM) {
    let b = [v!(VI, i, n_fbits(t[0].0[i])), v!(VI, i, n_fbits(t[1].0[i])), v!(VI, i, n_fbits(t[2].0[i])), v!(VI, i, n_fbits(t[3].0[i]))];
    unsafe { img_sti::<Z>(s, x, y, z, b, c) }
}
