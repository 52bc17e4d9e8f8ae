// Arrays of 64-bit lanes.
macro_rules! wide_lanes {
    ($lanes:ident $wave:ident $V:ident $S:ty, $splat:ident $zero:literal) => {
        #[op]
        fn $lanes(a: $V) -> [$S; W] {
            let mut r: [$S; W] = [$zero; W];
            let mut l = 0;
            while l < W {
                r[l] = a.0[l / NW].0[l % NW];
                l += 1
            }
            r
        }
        #[op]
        fn $wave(a: [$S; W]) -> $V {
            let mut r = $splat($zero);
            let mut l = 0;
            while l < W {
                r.0[l / NW].0[l % NW] = a[l];
                l += 1
            }
            r
        }
    };
}
wide_lanes! { lanes_l wave_l VL u64, ls 0 }
wide_lanes! { lanes_d wave_d VD f64, ds 0.0 }
