// Memory by 64-bit addresses: the number of the slot plus one in the upper 16 bits, an offset below. `reach` tells for each
// slot whether addresses may read (1) or write (2) it. What is out of range reads as zero and is not written.
#[inline(always)]
unsafe fn s_reach<const B: u32>(launch: &Launch, reach: &[u8], a: u64, need: u8) -> *mut u8 {
    let slot = ((a >> 48) as usize).wrapping_sub(1);
    let offset = a & 0xffff_ffff_ffff;
    if slot < reach.len() && slot < launch.slot_count as usize {
        unsafe {
            let s = &*launch.slots.add(slot);
            if *reach.get_unchecked(slot) >= need && s.bytes >= B as u64 && offset <= s.bytes - B as u64 {
                return s.data.wrapping_add(offset as usize);
            }
        }
    }
    core::ptr::null_mut()
}
#[inline(always)]
unsafe fn s_ldp<const B: u32>(launch: &Launch, reach: &[u8], a: u64) -> u32 {
    unsafe {
        let p = s_reach::<B>(launch, reach, a, 1);
        if p.is_null() {
            0
        } else if B == 4 {
            (p as *const u32).read_unaligned()
        } else {
            narrow::<B>(p)
        }
    }
}
#[op]
unsafe fn ldp<const B: u32>(launch: &Launch, reach: &[u8], a: VL, c: VM) -> VI {
    v!(VI, i, {
        let mut bits = n_bits(c.0[i]);
        let mut r = [0u32; NW];
        while bits != 0 {
            let l = (bits.trailing_zeros() as usize) & (NW - 1);
            unsafe { *r.get_unchecked_mut(l) = s_ldp::<B>(launch, reach, *a.0[i].0.get_unchecked(l)) };
            bits &= bits - 1;
        }
        n_from(r)
    })
}
#[op]
unsafe fn stp<const B: u32>(launch: &Launch, reach: &[u8], a: VL, x: VI, c: VM) {
    let mut i = 0;
    while i < NV {
        let mut bits = n_bits(c.0[i]);
        let x = n_lanes(x.0[i]);
        while bits != 0 {
            let l = (bits.trailing_zeros() as usize) & (NW - 1);
            unsafe {
                let p = s_reach::<B>(launch, reach, *a.0[i].0.get_unchecked(l), 2);
                if !p.is_null() {
                    if B == 4 {
                        (p as *mut u32).write_unaligned(*x.get_unchecked(l))
                    } else {
                        put_narrow::<B>(p, *x.get_unchecked(l))
                    }
                }
            }
            bits &= bits - 1;
        }
        i += 1
    }
}
macro_rules! physical_atomics {
    ($name:ident $combine:ident $V:ident $N:ident $U:ident $bytes:literal) => {
        #[op]
        unsafe fn $name<const OP: u32>(launch: &Launch, reach: &[u8], at: VL, a: $V, b: $V, c: VM) -> $V {
            v!($V, i, {
                let mut bits = n_bits(c.0[i]);
                let (a, b) = (lanes!($N, a.0[i]), lanes!($N, b.0[i]));
                let mut r: [$U; NW] = [0; NW];
                while bits != 0 {
                    let l = (bits.trailing_zeros() as usize) & (NW - 1);
                    unsafe {
                        // An address that is not that of a value is moved down to one.
                        let p = s_reach::<$bytes>(launch, reach, *at.0[i].0.get_unchecked(l) & !($bytes - 1), 2);
                        if !p.is_null() {
                            *r.get_unchecked_mut(l) = $combine::<OP, false>(p, *a.get_unchecked(l), *b.get_unchecked(l));
                        }
                    }
                    bits &= bits - 1;
                }
                native_of!($N, r)
            })
        }
    };
}
physical_atomics! { atomic_p combine VI NI u32 4 }
physical_atomics! { atomic_wide_p combine_wide VL NL u64 8 }
