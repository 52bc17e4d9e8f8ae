// The same for 64-bit lanes.
#[op]
fn lanes_l(a: VL) -> [u64; W] {
    let mut r = [0u64; W];
    let mut l = 0;
    while l < W {
        r[l] = a.0[l / NW].0[l % NW];
        l += 1
    }
    r
}
#[op]
fn wave_l(a: [u64; W]) -> VL {
    let mut r = ls(0);
    let mut l = 0;
    while l < W {
        r.0[l / NW].0[l % NW] = a[l];
        l += 1
    }
    r
}
#[op]
fn lanes_d(a: VD) -> [f64; W] {
    let mut r = [0f64; W];
    let mut l = 0;
    while l < W {
        r[l] = a.0[l / NW].0[l % NW];
        l += 1
    }
    r
}
#[op]
fn wave_d(a: [f64; W]) -> VD {
    let mut r = ds(0.0);
    let mut l = 0;
    while l < W {
        r.0[l / NW].0[l % NW] = a[l];
        l += 1
    }
    r
}
across! { VL, u64, 0, lanes_l, wave_l, x_first_l, x_shuffle_l;
    x_reduce_add_l x_scan_add_l x_before_add_l s_liadd 0;
    x_reduce_mul_l x_scan_mul_l x_before_mul_l s_limul 1;
    x_reduce_smin_l x_scan_smin_l x_before_smin_l s_lsmin i64::MAX as u64;
    x_reduce_smax_l x_scan_smax_l x_before_smax_l s_lsmax i64::MIN as u64;
    x_reduce_umin_l x_scan_umin_l x_before_umin_l s_lumin u64::MAX;
    x_reduce_umax_l x_scan_umax_l x_before_umax_l s_lumax 0;
    x_reduce_and_l x_scan_and_l x_before_and_l s_liand u64::MAX;
    x_reduce_or_l x_scan_or_l x_before_or_l s_lior 0;
    x_reduce_xor_l x_scan_xor_l x_before_xor_l s_lixor 0;
}
across! { VD, f64, 0.0, lanes_d, wave_d, x_first_d, x_shuffle_d;
    x_reduce_add_d x_scan_add_d x_before_add_d s_dfadd 0.0;
    x_reduce_mul_d x_scan_mul_d x_before_mul_d s_dfmul 1.0;
    x_reduce_min_d x_scan_min_d x_before_min_d s_dfmin f64::INFINITY;
    x_reduce_max_d x_scan_max_d x_before_max_d s_dfmax f64::NEG_INFINITY;
}
