// Samples of images: filtered texels, by coordinates from 0 to 1, for one native vector of lanes at a time.
// D is the number of filtered coordinates, 4 for a cube; A tells whether it is an array, Z whether its texels have slices
// or layers. Results are bits: floats, or integers of formats that have such.
const MIRROR: u32 = 1;
const EDGE: u32 = 2;
const BORDER: u32 = 3;
// Coordinates beyond this are as good as it.
const FAR: f32 = 8388608.0;
#[inline(always)]
unsafe fn sampler_of(q: &Slot) -> &Sampler { unsafe { &*(q.data as *const Sampler) } }
// A coordinate in texels.
#[op]
fn place(x: NF, n: u32, mode: u32) -> NF {
    let x = match mode {
        0 => n_fsub(x, n_ffloor(x)),
        MIRROR => {
            let half = n_fmul(x, n_fset(0.5));
            n_fmul(n_fsub(half, n_ffloor(half)), n_fset(2.0))
        }
        _ => x,
    };
    n_fmin(n_fmax(n_fmul(x, n_fset(n as f32)), n_fset(-FAR)), n_fset(FAR))
}
// What is left of a number that is not far from 0 to n.
#[op]
fn modulo(i: NI, n: u32) -> NI {
    let turns = n_f2i(n_ffloor(n_fdiv(n_i2f(i), n_fset(n as f32))));
    let n = n_iset(n);
    let r = n_isub(i, n_imul(turns, n));
    let r = n_isel(n_slt(r, n_iset(0)), n_iadd(r, n), r);
    n_isel(n_slt(r, n), r, n_isub(r, n))
}
// The texel that a number is of. In the border it stays outside.
#[op]
fn wrap(i: NI, n: u32, mode: u32) -> NI {
    let last = n_iset(n.wrapping_sub(1));
    match mode {
        0 => modulo(i, n),
        MIRROR => {
            let m = n_isub(modulo(i, n.wrapping_mul(2)), n_iset(n));
            n_isub(last, n_smax(m, n_inot(m)))
        }
        EDGE => n_smax(n_smin(i, last), n_iset(0)),
        _ => i,
    }
}
#[op]
fn compared(q: &Sampler, reference: NF, texel: NI, format: u32) -> NI {
    let (part, _) = format_parts(format);
    let t = n_ffrom(texel);
    // What is compared with a fixed-point depth is one itself.
    let r = match part {
        UNORM8 | UNORM16 => n_fmin(n_fmax(reference, n_fset(0.0)), n_fset(1.0)),
        _ => reference,
    };
    let c = match q.compare {
        0 => n_bset(false),
        1 => n_flt(r, t),
        2 => n_feq(r, t),
        3 => n_fle(r, t),
        4 => n_flt(t, r),
        5 => n_fne(r, t),
        6 => n_fle(t, r),
        _ => n_bset(true),
    };
    n_fbits(n_fsel(c, n_fset(1.0), n_fset(0.0)))
}
#[op]
unsafe fn pick<const Z: bool, const CMP: bool>(s: &Slot, q: &Sampler, at: [NI; 3], reference: NF, c: NM) -> [NI; 4] {
    let mut t = unsafe { texels::<Z>(s, at[0], at[1], at[2], c) };
    if q.address[0] == BORDER || q.address[1] == BORDER || q.address[2] == BORDER {
        let there = inside::<Z>(s, at[0], at[1], at[2]);
        if !n_all(there) {
            let (part, n) = format_parts(s.format);
            let one = if part >= I32 { 1 } else { 0x3f80_0000 };
            let mut k = 0;
            while k < 4 {
                // Components that the format has not are 0, 0 and 1 in the border, too.
                let full = if k < n { if k == 3 { q.border != 0 } else { q.border == 2 } } else { k == 3 };
                t[k] = n_isel(there, t[k], n_iset(if full { one } else { 0 }));
                k += 1
            }
        }
    }
    if CMP {
        t[0] = compared(q, reference, t[0], s.format);
    }
    t
}
// The face of a cube that a direction meets, and where, from 0 to 1.
#[op]
fn face_of(p: [NF; 3]) -> ([NF; 2], NI) {
    let [x, y, z] = p;
    let (ax, ay, az) = (n_fabs(x), n_fabs(y), n_fabs(z));
    let zero = n_fset(0.0);
    let on_z = n_band(n_fle(ax, az), n_fle(ay, az));
    let on_y = n_bandn(n_fle(ax, ay), on_z);
    let (left, down, front) = (n_flt(x, zero), n_flt(y, zero), n_flt(z, zero));
    let minus = |a: NF| n_fneg(a);
    // Of x, y and z: the axis, and the coordinates across and down the face.
    let sx = n_fsel(left, z, minus(z));
    let ty = n_fsel(down, minus(z), z);
    let sz = n_fsel(front, minus(x), x);
    let s = n_fsel(on_z, sz, n_fsel(on_y, x, sx));
    let t = n_fsel(on_z, minus(y), n_fsel(on_y, ty, minus(y)));
    let m = n_fsel(on_z, az, n_fsel(on_y, ay, ax));
    let low = |c: NM, n: u32| n_isel(c, n_iset(n + 1), n_iset(n));
    let face = n_isel(on_z, low(front, 4), n_isel(on_y, low(down, 2), low(left, 0)));
    let half = n_fset(0.5);
    let to = |a: NF| n_fma(n_fdiv(a, m), half, half);
    ([to(s), to(t)], face)
}
// The direction of a point of a face, from -1 to 1 across and down.
#[op]
fn direction(face: NI, s: NF, t: NF) -> [NF; 3] {
    let is = |n: u32| n_ieq(face, n_iset(n));
    let one = n_fset(1.0);
    let (ns, nt, none) = (n_fneg(s), n_fneg(t), n_fneg(one));
    let x = n_fsel(is(0), one, n_fsel(is(1), none, n_fsel(is(5), ns, s)));
    let y = n_fsel(is(2), one, n_fsel(is(3), none, nt));
    let z = n_fsel(is(0), ns, n_fsel(is(1), s, n_fsel(is(2), t, n_fsel(is(3), nt, n_fsel(is(4), one, none)))));
    [x, y, z]
}
// A texel beside a face lies on the face next to it.
#[op]
fn over_the_edge(face: NI, x: NI, y: NI, n: u32) -> [NI; 3] {
    let limit = n_iset(n);
    let there = n_band(n_ult(x, limit), n_ult(y, limit));
    if n_all(there) {
        return [x, y, face];
    }
    let size = n_fset(n as f32);
    let at = |i: NI| n_fsub(n_fdiv(n_fadd(n_fadd(n_i2f(i), n_i2f(i)), n_fset(1.0)), size), n_fset(1.0));
    let (p, other) = face_of(direction(face, at(x), at(y)));
    let number = |a: NF| n_smax(n_smin(n_f2i(n_ffloor(n_fmul(a, size))), n_iset(n.wrapping_sub(1))), n_iset(0));
    [n_isel(there, x, number(p[0])), n_isel(there, y, number(p[1])), n_isel(there, face, other)]
}
// Where lanes sample: coordinates, the number of the layer (for a cube, of its first face), the face of a cube.
#[derive(Clone, Copy)]
struct Spot {
    p: [NF; 3],
    layer: NI,
    face: NI,
}
#[op]
fn spot<const D: u32, const A: bool>(s: &Slot, p: [NF; 3], layer: NF) -> Spot {
    let faces = if D == 4 { 6 } else { 1 };
    let layers = s.depth / faces;
    let number = if A {
        let last = n_fset(layers.wrapping_sub(1) as f32);
        n_imul(n_f2i(n_fmin(n_fmax(n_frint(layer), n_fset(0.0)), last)), n_iset(faces))
    } else {
        n_iset(0)
    };
    if D == 4 {
        let (p, face) = face_of(p);
        return Spot { p: [p[0], p[1], n_fset(0.0)], layer: number, face };
    }
    Spot { p, layer: number, face: n_iset(0) }
}
#[op]
unsafe fn texel<const D: u32, const A: bool, const CMP: bool>(s: &Slot, q: &Sampler, at: &Spot, x: NI, y: NI, z: NI, reference: NF, c: NM) -> [NI; 4] {
    if D == 4 {
        let [x, y, face] = over_the_edge(at.face, x, y, s.width);
        return unsafe { pick::<true, CMP>(s, q, [x, y, n_iadd(at.layer, face)], reference, c) };
    }
    let x = wrap(x, s.width, q.address[0]);
    let y = if D >= 2 { wrap(y, s.height, q.address[1]) } else { n_iset(0) };
    if D == 3 {
        let z = wrap(z, s.depth, q.address[2]);
        return unsafe { pick::<true, CMP>(s, q, [x, y, z], reference, c) };
    }
    if A {
        return unsafe { pick::<true, CMP>(s, q, [x, y, at.layer], reference, c) };
    }
    unsafe { pick::<false, CMP>(s, q, [x, y, n_iset(0)], reference, c) }
}
// How coordinates that are filtered are addressed: a cube's faces have neighbours at their edges.
#[inline(always)]
fn mode_of<const D: u32>(mode: u32) -> u32 { if D == 4 { EDGE } else { mode } }
#[op]
unsafe fn nearest<const D: u32, const A: bool, const CMP: bool>(s: &Slot, q: &Sampler, at: &Spot, by: [NI; 3], reference: NF, c: NM) -> [NI; 4] {
    let number = |x: NF, n: u32, mode: u32, by: NI| n_iadd(n_f2i(n_ffloor(place(x, n, mode))), by);
    let x = number(at.p[0], s.width, mode_of::<D>(q.address[0]), by[0]);
    let y = number(at.p[1], s.height, mode_of::<D>(q.address[1]), by[1]);
    let z = number(at.p[2], s.depth, mode_of::<D>(q.address[2]), by[2]);
    // The edge of a face belongs to it.
    let (x, y) = if D == 4 { (wrap(x, s.width, EDGE), wrap(y, s.height, EDGE)) } else { (x, y) };
    unsafe { texel::<D, A, CMP>(s, q, at, x, y, z, reference, c) }
}
#[op]
unsafe fn linear<const D: u32, const A: bool, const CMP: bool>(s: &Slot, q: &Sampler, at: &Spot, by: [NI; 3], reference: NF, c: NM) -> [NI; 4] {
    let half = n_fset(0.5);
    let [x, y, z] = [
        n_fsub(place(at.p[0], s.width, mode_of::<D>(q.address[0])), half),
        n_fsub(place(at.p[1], s.height, mode_of::<D>(q.address[1])), half),
        n_fsub(place(at.p[2], s.depth, mode_of::<D>(q.address[2])), half),
    ];
    let (fx, fy, fz) = (n_ffloor(x), n_ffloor(y), n_ffloor(z));
    let (wx, wy, wz) = (n_fsub(x, fx), n_fsub(y, fy), n_fsub(z, fz));
    let x = n_iadd(n_f2i(fx), by[0]);
    let y = n_iadd(n_f2i(fy), by[1]);
    let z = n_iadd(n_f2i(fz), by[2]);
    let corners = match D {
        1 => 2,
        3 => 8,
        _ => 4,
    };
    let one = n_fset(1.0);
    let mut sum = [n_fset(0.0); 4];
    let mut k = 0u32;
    while k < corners {
        let side = |v: NI, w: NF, bit: u32| {
            if bit == 0 { (v, n_fsub(one, w)) } else { (n_iadd(v, n_iset(1)), w) }
        };
        let (i, mut weight) = side(x, wx, k & 1);
        let (mut j, mut l) = (y, z);
        if D >= 2 {
            let (v, w) = side(y, wy, k >> 1 & 1);
            j = v;
            weight = n_fmul(weight, w);
        }
        if D == 3 {
            let (v, w) = side(z, wz, k >> 2 & 1);
            l = v;
            weight = n_fmul(weight, w);
        }
        let t = unsafe { texel::<D, A, CMP>(s, q, at, i, j, l, reference, c) };
        let mut m = 0;
        while m < 4 {
            sum[m] = n_fma(weight, n_ffrom(t[m]), sum[m]);
            m += 1
        }
        k += 1
    }
    [n_fbits(sum[0]), n_fbits(sum[1]), n_fbits(sum[2]), n_fbits(sum[3])]
}
#[op]
fn chosen(c: NM, a: [NI; 4], b: [NI; 4]) -> [NI; 4] {
    [n_isel(c, a[0], b[0]), n_isel(c, a[1], b[1]), n_isel(c, a[2], b[2]), n_isel(c, a[3], b[3])]
}
// From one level, which mostly is the same for all lanes: once for each that there is. F: lanes that filter.
#[op]
unsafe fn from_level<const D: u32, const A: bool, const CMP: bool>(s: &Slot, q: &Sampler, at: &Spot, l: NI, f: NM, by: [NI; 3], reference: NF, c: NM) -> [NI; 4] {
    let mut r = [n_iset(0); 4];
    let mut rest = c;
    while n_any(rest) {
        let k = first_lane(l, rest);
        let here = n_band(rest, n_ieq(l, n_iset(k)));
        let of = unsafe { level_of(s, k) };
        let (smooth, sharp) = (n_band(here, f), n_bandn(here, f));
        if n_any(smooth) {
            let t = unsafe { linear::<D, A, CMP>(of, q, at, by, reference, smooth) };
            r = chosen(smooth, t, r);
        }
        if n_any(sharp) {
            let t = unsafe { nearest::<D, A, CMP>(of, q, at, by, reference, sharp) };
            r = chosen(sharp, t, r);
        }
        rest = n_bandn(rest, here);
    }
    r
}
#[op]
unsafe fn sampled<const D: u32, const A: bool, const CMP: bool>(s: &Slot, q: &Sampler, p: [NF; 3], layer: NF, level: NF, by: [NI; 3], reference: NF, c: NM) -> [NI; 4] {
    let at = spot::<D, A>(s, p, layer);
    let zero = n_fset(0.0);
    let lod = n_fmin(n_fmax(n_fadd(level, n_fset(q.bias)), n_fset(q.least)), n_fset(q.most));
    // Integers are not filtered.
    let (part, _) = format_parts(s.format);
    let can = part < I32;
    let f = n_bsel(n_fle(lod, zero), n_bset(can && q.magnify != 0), n_bset(can && q.minify != 0));
    let top = n_fset(s.level_count.wrapping_sub(1) as f32);
    if q.mip == 0 || !can {
        let l = n_fsub(n_fceil(n_fadd(lod, n_fset(0.5))), n_fset(1.0));
        let l = n_f2i(n_fmin(n_fmax(l, zero), top));
        return unsafe { from_level::<D, A, CMP>(s, q, &at, l, f, by, reference, c) };
    }
    let lod = n_fmin(n_fmax(lod, zero), top);
    let low = n_ffloor(lod);
    let part = n_fsub(lod, low);
    let l = n_f2i(low);
    let mut r = unsafe { from_level::<D, A, CMP>(s, q, &at, l, f, by, reference, c) };
    let between = n_band(c, n_flt(zero, part));
    if n_any(between) {
        let t = unsafe { from_level::<D, A, CMP>(s, q, &at, n_iadd(l, n_iset(1)), f, by, reference, between) };
        let mut m = 0;
        while m < 4 {
            let (a, b) = (n_ffrom(r[m]), n_ffrom(t[m]));
            r[m] = n_isel(between, n_fbits(n_fma(part, n_fsub(b, a), a)), r[m]);
            m += 1
        }
    }
    r
}
#[op]
unsafe fn smp_level<const D: u32, const A: bool, const CMP: bool>(s: &Slot, q: &Slot, p: [VF; 3], layer: VF, level: VF, by: [VI; 3], reference: VF, c: VM) -> [VI; 4] {
    v4!(i, unsafe {
        sampled::<D, A, CMP>(
            s, sampler_of(q), [p[0].0[i], p[1].0[i], p[2].0[i]], layer.0[i], level.0[i],
            [by[0].0[i], by[1].0[i], by[2].0[i]], reference.0[i], c.0[i],
        )
    })
}
// Four texels around a place of the first level, one component of each; EACH has an offset of its own from the first texel.
#[op]
unsafe fn gathered<const D: u32, const A: bool, const CMP: bool, const EACH: bool, const COMPONENT: usize>(s: &Slot, q: &Sampler, p: [NF; 3], layer: NF, by: [[NI; 2]; 4], reference: NF, c: NM) -> [NI; 4] {
    let at = spot::<D, A>(s, p, layer);
    let half = n_fset(0.5);
    let x = n_f2i(n_ffloor(n_fsub(place(at.p[0], s.width, mode_of::<D>(q.address[0])), half)));
    let y = n_f2i(n_ffloor(n_fsub(place(at.p[1], s.height, mode_of::<D>(q.address[1])), half)));
    let mut r = [n_iset(0); 4];
    let mut k = 0;
    while k < 4 {
        // Below left, below right, above right, above left.
        let (right, below) = if EACH { (0, 0) } else { ((k == 1 || k == 2) as u32, (k < 2) as u32) };
        let i = n_iadd(n_iadd(x, by[k][0]), n_iset(right));
        let j = n_iadd(n_iadd(y, by[k][1]), n_iset(below));
        r[k] = unsafe { texel::<D, A, CMP>(s, q, &at, i, j, n_iset(0), reference, c) }[COMPONENT];
        k += 1
    }
    r
}
#[op]
unsafe fn smp_gather<const D: u32, const A: bool, const CMP: bool, const EACH: bool, const COMPONENT: usize>(s: &Slot, q: &Slot, p: [VF; 3], layer: VF, by: [[VI; 3]; 4], reference: VF, c: VM) -> [VI; 4] {
    v4!(i, {
        let by = [
            [by[0][0].0[i], by[0][1].0[i]], [by[1][0].0[i], by[1][1].0[i]],
            [by[2][0].0[i], by[2][1].0[i]], [by[3][0].0[i], by[3][1].0[i]],
        ];
        unsafe {
            gathered::<D, A, CMP, EACH, COMPONENT>(
                s, sampler_of(q), [p[0].0[i], p[1].0[i], p[2].0[i]], layer.0[i], by, reference.0[i], c.0[i],
            )
        }
    })
}
#[op]
fn length_of<const D: u32>(s: &Slot, d: [NF; 3]) -> NF {
    let along = |v: NF, n: u32| { let v = n_fmul(v, n_fset(n as f32)); n_fmul(v, v) };
    let mut sum = along(d[0], s.width);
    if D >= 2 {
        sum = n_fadd(sum, along(d[1], s.height));
    }
    if D == 3 {
        sum = n_fadd(sum, along(d[2], s.depth));
    }
    sum
}
// Derivatives on the face of a cube, from 0 to 1, of those of a direction.
#[op]
fn on_face(p: [NF; 3], d: [NF; 3]) -> [NF; 3] {
    let (ax, ay, az) = (n_fabs(p[0]), n_fabs(p[1]), n_fabs(p[2]));
    let on_z = n_band(n_fle(ax, az), n_fle(ay, az));
    let on_y = n_bandn(n_fle(ax, ay), on_z);
    // The axis, and the two others; their signs make no difference to a length.
    let of = |v: [NF; 3]| {
        [
            n_fsel(on_z, v[2], n_fsel(on_y, v[1], v[0])),
            n_fsel(on_z, v[0], n_fsel(on_y, v[0], v[2])),
            n_fsel(on_z, v[1], n_fsel(on_y, v[2], v[1])),
        ]
    };
    let ([m, s, t], [dm, ds, dt]) = (of(p), of(d));
    let square = n_fmul(m, m);
    let half = n_fset(0.5);
    let change = |a: NF, da: NF| n_fmul(half, n_fdiv(n_fsub(n_fmul(da, m), n_fmul(a, dm)), square));
    [change(s, ds), change(t, dt), n_fset(0.0)]
}
#[op]
unsafe fn smp_of_gradients<const D: u32>(s: &Slot, p: [VF; 3], x: [VF; 3], y: [VF; 3], least: VF) -> VF {
    v!(VF, i, {
        let p = [p[0].0[i], p[1].0[i], p[2].0[i]];
        let mut x = [x[0].0[i], x[1].0[i], x[2].0[i]];
        let mut y = [y[0].0[i], y[1].0[i], y[2].0[i]];
        if D == 4 {
            x = on_face(p, x);
            y = on_face(p, y);
        }
        // Half the logarithm of a square.
        let square = n_fmax(length_of::<D>(s, x), length_of::<D>(s, y));
        n_fmax(n_fmul(n_flog2(square), n_fset(0.5)), least.0[i])
    })
}
#[op]
fn smp_floats(t: [VI; 4]) -> [VF; 4] { img_floats(t) }
