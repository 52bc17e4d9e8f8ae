// Waves: NV native vectors, W lanes. The operations on them (w_*) are generated from the table of operations.
const W: usize = NW * NV;
#[derive(Clone, Copy)]
struct VF([NF; NV]);
#[derive(Clone, Copy)]
struct VI([NI; NV]);
#[derive(Clone, Copy)]
struct VM([NM; NV]);
// v!(TYPE, i, EXPR): EXPR for each native vector. A loop of a constant count, which unrolls; no library code between
// operations, since a function without the instruction set's feature would pass vectors through memory.
macro_rules! v {
    ($T:ident, $i:ident, $e:expr) => {{
        let $i = 0;
        let mut r = $T([$e; NV]);
        let mut $i = 1;
        while $i < NV {
            r.0[$i] = $e;
            $i += 1
        }
        r
    }};
}
// v4!(i, EXPR): four vectors of words, from the four that EXPR gives for each native vector.
macro_rules! v4 {
    ($i:ident, $e:expr) => {{
        let mut r = [is(0); 4];
        let mut $i = 0;
        while $i < NV {
            let t = $e;
            r[0].0[$i] = t[0];
            r[1].0[$i] = t[1];
            r[2].0[$i] = t[2];
            r[3].0[$i] = t[3];
            $i += 1
        }
        r
    }};
}
#[op]
fn fs(a: f32) -> VF { v!(VF, i, n_fset(a)) }
#[op]
fn is(a: u32) -> VI { v!(VI, i, n_iset(a)) }
#[op]
fn bs(a: bool) -> VM { v!(VM, i, n_bset(a)) }
#[op]
fn lanes_from(first: u32) -> VI { v!(VI, i, n_iadd(n_iota(), n_iset(first.wrapping_add((i * NW) as u32)))) }
#[op]
fn w_bandn(a: VM, b: VM) -> VM { v!(VM, i, n_bandn(a.0[i], b.0[i])) }
#[op]
fn any(a: VM) -> bool {
    let mut r = a.0[0];
    let mut i = 1;
    while i < NV {
        r = n_bor(r, a.0[i]);
        i += 1
    }
    n_any(r)
}
// Memory. `p` is the address of element 0, `n` the number of elements; S is the stride in bytes. A lane reads zero
// and writes nothing where its index is not below `n`.
// Gathers take signed 32-bit indices: beyond that lane by lane.
#[op]
unsafe fn gather<const S: u32>(p: *const u8, n: u32, x: NI, c: NM) -> NI {
    let c = n_band(c, n_ult(x, n_iset(n)));
    if n as u64 * (S as u64) < 1 << 31 {
        unsafe {
            if S == 4 {
                n_gather(p, x, c)
            } else {
                n_gather_bytes(p, n_imul(x, n_iset(S)), c)
            }
        }
    } else {
        let x = n_lanes(x);
        let mut r = [0u32; NW];
        let mut b = n_bits(c);
        while b != 0 {
            let l = (b.trailing_zeros() as usize) & (NW - 1);
            unsafe {
                *r.get_unchecked_mut(l) =
                    (p.add(*x.get_unchecked(l) as usize * S as usize) as *const u32).read_unaligned()
            };
            b &= b - 1;
        }
        n_from(r)
    }
}
#[op]
unsafe fn scatter<const S: u32>(p: *mut u8, n: u32, x: NI, a: NI, c: NM) {
    let mut b = n_bits(n_band(c, n_ult(x, n_iset(n))));
    let (x, a) = (n_lanes(x), n_lanes(a));
    while b != 0 {
        let l = (b.trailing_zeros() as usize) & (NW - 1);
        unsafe {
            (p.add(*x.get_unchecked(l) as usize * S as usize) as *mut u32).write_unaligned(*a.get_unchecked(l))
        };
        b &= b - 1;
    }
}
#[op]
unsafe fn ldi<const S: u32>(p: *const u8, n: u32, x: VI, c: VM) -> VI { v!(VI, i, unsafe { gather::<S>(p, n, x.0[i], c.0[i]) }) }
#[op]
unsafe fn ldf<const S: u32>(p: *const u8, n: u32, x: VI, c: VM) -> VF {
    v!(VF, i, n_ffrom(unsafe { gather::<S>(p, n, x.0[i], c.0[i]) }))
}
#[op]
unsafe fn sti<const S: u32>(p: *mut u8, n: u32, x: VI, a: VI, c: VM) {
    let mut i = 0;
    while i < NV {
        unsafe { scatter::<S>(p, n, x.0[i], a.0[i], c.0[i]) };
        i += 1
    }
}
#[op]
unsafe fn stf<const S: u32>(p: *mut u8, n: u32, x: VI, a: VF, c: VM) {
    let mut i = 0;
    while i < NV {
        unsafe { scatter::<S>(p, n, x.0[i], n_fbits(a.0[i]), c.0[i]) };
        i += 1
    }
}
// Contiguous words: lane l of each native vector has index first + l, counted as signed.
#[op]
unsafe fn near(p: *const u8, n: u32, x: NI, c: NM) -> NI {
    let c = n_band(c, n_ult(x, n_iset(n)));
    if n > i32::MAX as u32 {
        return unsafe { gather::<4>(p, n, x, c) };
    }
    let q = p.wrapping_offset(n_first_i(x) as i32 as isize * 4);
    unsafe { if n_all(c) { n_ld(q) } else { n_ldm(q, c) } }
}
#[op]
unsafe fn put(p: *mut u8, n: u32, x: NI, a: NI, c: NM) {
    let c = n_band(c, n_ult(x, n_iset(n)));
    if n > i32::MAX as u32 {
        return unsafe { scatter::<4>(p, n, x, a, c) };
    }
    let q = p.wrapping_offset(n_first_i(x) as i32 as isize * 4);
    unsafe { if n_all(c) { n_st(q, a) } else { n_stm(q, a, c) } }
}
#[op]
unsafe fn ldci(p: *const u8, n: u32, x: VI, c: VM) -> VI { v!(VI, i, unsafe { near(p, n, x.0[i], c.0[i]) }) }
#[op]
unsafe fn ldcf(p: *const u8, n: u32, x: VI, c: VM) -> VF { v!(VF, i, n_ffrom(unsafe { near(p, n, x.0[i], c.0[i]) })) }
#[op]
unsafe fn stci(p: *mut u8, n: u32, x: VI, a: VI, c: VM) {
    let mut i = 0;
    while i < NV {
        unsafe { put(p, n, x.0[i], a.0[i], c.0[i]) };
        i += 1
    }
}
#[op]
unsafe fn stcf(p: *mut u8, n: u32, x: VI, a: VF, c: VM) {
    let mut i = 0;
    while i < NV {
        unsafe { put(p, n, x.0[i], n_fbits(a.0[i]), c.0[i]) };
        i += 1
    }
}
// Integers of B bytes (1, 2), as words.
#[op]
unsafe fn ldn<const S: u32, const B: u32>(p: *const u8, n: u32, x: VI, c: VM) -> VI {
    v!(VI, i, {
        let mut bits = n_bits(n_band(c.0[i], n_ult(x.0[i], n_iset(n))));
        let x = n_lanes(x.0[i]);
        let mut r = [0u32; NW];
        while bits != 0 {
            let l = (bits.trailing_zeros() as usize) & (NW - 1);
            unsafe { *r.get_unchecked_mut(l) = narrow::<B>(p.add(*x.get_unchecked(l) as usize * S as usize)) };
            bits &= bits - 1;
        }
        n_from(r)
    })
}
#[op]
unsafe fn stn<const S: u32, const B: u32>(p: *mut u8, n: u32, x: VI, a: VI, c: VM) {
    let mut i = 0;
    while i < NV {
        let mut bits = n_bits(n_band(c.0[i], n_ult(x.0[i], n_iset(n))));
        let (x, a) = (n_lanes(x.0[i]), n_lanes(a.0[i]));
        while bits != 0 {
            let l = (bits.trailing_zeros() as usize) & (NW - 1);
            unsafe { put_narrow::<B>(p.add(*x.get_unchecked(l) as usize * S as usize), *a.get_unchecked(l)) };
            bits &= bits - 1;
        }
        i += 1
    }
}
// The same, contiguous: S is B.
#[op]
unsafe fn ldcn<const S: u32, const B: u32>(p: *const u8, n: u32, x: VI, c: VM) -> VI {
    let inside = v!(VM, i, n_band(c.0[i], n_ult(x.0[i], n_iset(n))));
    v!(VI, i, if n_all(inside.0[i]) {
        let q = p.wrapping_add(n_first_i(x.0[i]) as usize * S as usize);
        let mut r = [0u32; NW];
        let mut l = 0;
        while l < NW {
            r[l] = unsafe { narrow::<B>(q.add(l * B as usize)) };
            l += 1
        }
        n_from(r)
    } else {
        let (x, c) = (v!(VI, j, x.0[i]), v!(VM, j, inside.0[i]));
        unsafe { ldn::<S, B>(p, n, x, c) }.0[0]
    })
}
#[op]
unsafe fn stcn<const S: u32, const B: u32>(p: *mut u8, n: u32, x: VI, a: VI, c: VM) {
    let inside = v!(VM, i, n_band(c.0[i], n_ult(x.0[i], n_iset(n))));
    let mut whole = true;
    let mut i = 0;
    while i < NV {
        whole &= n_all(inside.0[i]);
        i += 1
    }
    if !whole {
        return unsafe { stn::<S, B>(p, n, x, a, c) };
    }
    let mut i = 0;
    while i < NV {
        let q = p.wrapping_add(n_first_i(x.0[i]) as usize * S as usize);
        let a = n_lanes(a.0[i]);
        let mut l = 0;
        while l < NW {
            unsafe { put_narrow::<B>(q.add(l * B as usize), a[l]) };
            l += 1
        }
        i += 1
    }
}
// Whole waves: spills and rows of private arrays.
#[op]
unsafe fn row_ldi(p: *const u8) -> VI { v!(VI, i, unsafe { n_ld(p.add(i * NW * 4)) }) }
#[op]
unsafe fn row_ldf(p: *const u8) -> VF { v!(VF, i, n_ffrom(unsafe { n_ld(p.add(i * NW * 4)) })) }
#[op]
unsafe fn row_ldb(p: *const u8) -> VM { v!(VM, i, n_ine(unsafe { n_ld(p.add(i * NW * 4)) }, n_iset(0))) }
#[op]
unsafe fn row_sti(p: *mut u8, a: VI) {
    let mut i = 0;
    while i < NV {
        unsafe { n_st(p.add(i * NW * 4), a.0[i]) };
        i += 1
    }
}
#[op]
unsafe fn row_stf(p: *mut u8, a: VF) {
    let mut i = 0;
    while i < NV {
        unsafe { n_st(p.add(i * NW * 4), n_fbits(a.0[i])) };
        i += 1
    }
}
#[op]
unsafe fn row_stb(p: *mut u8, a: VM) {
    let mut i = 0;
    while i < NV {
        unsafe { n_st(p.add(i * NW * 4), n_isel(a.0[i], n_iset(1), n_iset(0))) };
        i += 1
    }
}
// Lanes of a native vector, and one made of lanes.
macro_rules! lanes {
    (NI, $a:expr) => { n_lanes($a) };
    (NF, $a:expr) => { n_lanes(n_fbits($a)) };
    (NM, $a:expr) => { n_lanes(n_isel($a, n_iset(1), n_iset(0))) };
    ($A:ident, $a:expr) => { $a.0 };
}
macro_rules! native_of {
    (NI, $r:expr) => { n_from($r) };
    (NF, $r:expr) => { n_ffrom(n_from($r)) };
    (NM, $r:expr) => { n_ine(n_from($r), n_iset(0)) };
    ($A:ident, $r:expr) => { $A($r) };
}
// Atomics, lane by lane in order. SHARED memory belongs to this thread. Elsewhere an address may be that of any word: it is
// moved down by its bits in $low to that of a value. The numbers are those of `spmd::Atomic`; the last, 11, is a load.
macro_rules! atomics {
    ($combine:ident $atomic:ident $V:ident $N:ident $U:ident $I:ident $AtomicU:ident $AtomicI:ident
     $low:literal $smin:ident $smax:ident $umin:ident $umax:ident) => {
        #[inline(always)]
        unsafe fn $combine<const OP: u32, const SHARED: bool>(p: *mut u8, a: $U, b: $U) -> $U {
            use core::sync::atomic::{$AtomicI, $AtomicU, Ordering::Relaxed};
            unsafe {
                if SHARED {
                    let p = p as *mut $U;
                    let old = p.read_unaligned();
                    let new = match OP {
                        0 => old.wrapping_add(a),
                        1 => old.wrapping_sub(a),
                        2 => old & a,
                        3 => old | a,
                        4 => old ^ a,
                        5 => $smin(old, a),
                        6 => $smax(old, a),
                        7 => $umin(old, a),
                        8 => $umax(old, a),
                        9 | 12 => a,
                        10 => if old == b { a } else { old },
                        _ => old,
                    };
                    p.write_unaligned(new);
                    return old;
                }
                let p = p.wrapping_sub(p as usize & $low);
                let (u, s) = (&*(p as *const $AtomicU), &*(p as *const $AtomicI));
                match OP {
                    0 => u.fetch_add(a, Relaxed),
                    1 => u.fetch_sub(a, Relaxed),
                    2 => u.fetch_and(a, Relaxed),
                    3 => u.fetch_or(a, Relaxed),
                    4 => u.fetch_xor(a, Relaxed),
                    5 => s.fetch_min(a as $I, Relaxed) as $U,
                    6 => s.fetch_max(a as $I, Relaxed) as $U,
                    7 => u.fetch_min(a, Relaxed),
                    8 => u.fetch_max(a, Relaxed),
                    9 | 12 => u.swap(a, Relaxed),
                    10 => match u.compare_exchange(b, a, Relaxed, Relaxed) {
                        Ok(old) | Err(old) => old,
                    },
                    _ => u.load(Relaxed),
                }
            }
        }
        #[op]
        unsafe fn $atomic<const OP: u32, const SHARED: bool, const S: u32>(p: *mut u8, n: u32, x: VI, a: $V, b: $V, c: VM) -> $V {
            v!($V, i, {
                let mut bits = n_bits(n_band(c.0[i], n_ult(x.0[i], n_iset(n))));
                let (x, a, b) = (n_lanes(x.0[i]), lanes!($N, a.0[i]), lanes!($N, b.0[i]));
                let mut r: [$U; NW] = [0; NW];
                while bits != 0 {
                    let l = (bits.trailing_zeros() as usize) & (NW - 1);
                    unsafe {
                        let q = p.add(*x.get_unchecked(l) as usize * S as usize);
                        *r.get_unchecked_mut(l) = $combine::<OP, SHARED>(q, *a.get_unchecked(l), *b.get_unchecked(l));
                    }
                    bits &= bits - 1;
                }
                native_of!($N, r)
            })
        }
    };
}
atomics! { combine atomic VI NI u32 i32 AtomicU32 AtomicI32 0 s_smin s_smax s_umin s_umax }
