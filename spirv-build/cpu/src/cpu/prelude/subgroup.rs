// Across the lanes of a wave: on arrays of lanes. Lanes that are off take no part. `Bits` has one for each lane.
#[op]
fn mask_bits(c: VM) -> Bits {
    let mut r = 0;
    let mut i = 0;
    while i < NV {
        r |= (n_bits(c.0[i]) as Bits) << (i * NW);
        i += 1
    }
    r
}
#[op]
fn bits_mask(b: Bits) -> VM { v!(VM, i, n_ine(n_iand(n_shr(n_iset((b >> (i * NW)) as u32), n_iota()), n_iset(1)), n_iset(0))) }
#[op]
fn x_any(a: VM, c: VM) -> bool { mask_bits(w_band(a, c)) != 0 }
#[op]
fn x_all(a: VM, c: VM) -> bool { mask_bits(w_bandn(c, a)) == 0 }
#[op]
fn x_ballot(a: VM, c: VM) -> u32 { mask_bits(w_band(a, c)) as u32 }
#[op]
fn x_ballot_high(a: VM, c: VM) -> u32 { (mask_bits(w_band(a, c)) as u64 >> 32) as u32 }
#[op]
fn x_elect(c: VM) -> VM {
    let b = mask_bits(c);
    bits_mask(b & b.wrapping_neg())
}
#[op]
fn lanes_i(a: VI) -> [u32; W] {
    let mut r = [0u32; W];
    let mut i = 0;
    while i < NV {
        let n = n_lanes(a.0[i]);
        let mut l = 0;
        while l < NW {
            r[(i * NW + l) & (W - 1)] = n[l];
            l += 1
        }
        i += 1
    }
    r
}
#[op]
fn lanes_f(a: VF) -> [f32; W] {
    let b = lanes_i(v!(VI, i, n_fbits(a.0[i])));
    let mut r = [0.0; W];
    let mut l = 0;
    while l < W {
        r[l] = f32::from_bits(b[l]);
        l += 1
    }
    r
}
#[op]
fn wave_i(a: [u32; W]) -> VI {
    v!(VI, i, {
        let mut n = [0u32; NW];
        let mut l = 0;
        while l < NW {
            n[l] = a[(i * NW + l) & (W - 1)];
            l += 1
        }
        n_from(n)
    })
}
#[op]
fn wave_f(a: [f32; W]) -> VF {
    let mut b = [0u32; W];
    let mut l = 0;
    while l < W {
        b[l] = a[l].to_bits();
        l += 1
    }
    let b = wave_i(b);
    v!(VF, i, n_ffrom(b.0[i]))
}
macro_rules! across {
    ($V:ident, $S:ty, $zero:expr, $lanes:ident, $wave:ident, $first:ident, $shuffle:ident;
     $($reduce:ident $scan:ident $before:ident $f:ident $identity:expr;)*) => {
        #[op]
        fn $first(a: $V, c: VM) -> $S {
            let b = mask_bits(c);
            if b == 0 { $zero } else { $lanes(a)[b.trailing_zeros() as usize & (W - 1)] }
        }
        #[op]
        fn $shuffle(a: $V, from: VI, c: VM) -> $V {
            let (a, from) = ($lanes(a), lanes_i(from));
            let mut r = [$zero; W];
            let mut l = 0;
            while l < W {
                r[l] = a[from[l] as usize & (W - 1)];
                l += 1
            }
            $wave(r)
        }
        $(
            #[op]
            fn $reduce(a: $V, c: VM) -> $S {
                let (a, b) = ($lanes(a), mask_bits(c));
                let mut r: $S = $identity;
                let mut l = 0;
                while l < W {
                    r = if b >> l & 1 != 0 { $f(r, a[l]) } else { r };
                    l += 1
                }
                r
            }
            #[op]
            fn $scan(a: $V, c: VM) -> $V {
                let (mut a, b) = ($lanes(a), mask_bits(c));
                let mut r: $S = $identity;
                let mut l = 0;
                while l < W {
                    r = if b >> l & 1 != 0 { $f(r, a[l]) } else { r };
                    a[l] = r;
                    l += 1
                }
                $wave(a)
            }
            #[op]
            fn $before(a: $V, c: VM) -> $V {
                let (mut a, b) = ($lanes(a), mask_bits(c));
                let mut r: $S = $identity;
                let mut l = 0;
                while l < W {
                    let next = if b >> l & 1 != 0 { $f(r, a[l]) } else { r };
                    a[l] = r;
                    r = next;
                    l += 1
                }
                $wave(a)
            }
        )*
    };
}
