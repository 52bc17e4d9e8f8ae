//! What the items of a work-group do together, against Rust.

use kernel_tests::{COUNTS, device, groups, mix, unit};

/// Groups of values, the last one filled up.
fn chunks(values: &[u32], size: usize, fill: u32) -> Vec<Vec<u32>> {
    let mut out: Vec<Vec<u32>> = values.chunks(size).map(<[u32]>::to_vec).collect();
    if let Some(last) = out.last_mut() {
        last.resize(size, fill);
    }
    out
}

#[test]
fn prefix_sums_and_sorting() {
    let device = device();
    let queue = device.queue();
    let (scan, sort) = (groups::scan::load(&device).unwrap(), groups::sort::load(&device).unwrap());
    for n in COUNTS.map(|n| n.min(5_003)) {
        let values: Vec<u32> = (0..n as u32).map(mix).collect();
        let input = device.buffer_from(&values).unwrap();
        let mut output = device.buffer::<u32>(n).unwrap();
        let threads = [n as u32, 1, 1];
        for mode in [0, 1] {
            let params = groups::Params { n: n as u32, mode };
            scan.launch(&queue, groups::scan::Args { input: &input, output: &mut output, params, threads })
                .unwrap();
            let mut want = Vec::new();
            for chunk in chunks(&values, 256, 0) {
                let mut sum = 0u32;
                for v in chunk {
                    want.push(if mode == 0 { sum.wrapping_add(v) } else { sum });
                    sum = sum.wrapping_add(v);
                }
            }
            want.truncate(n);
            assert_eq!(output.read(&queue).unwrap(), want, "scan of {n}, mode {mode}");
        }
        let params = groups::Params { n: n as u32, mode: 0 };
        sort.launch(&queue, groups::sort::Args { input: &input, output: &mut output, params, threads })
            .unwrap();
        let mut want: Vec<u32> = chunks(&values, 256, u32::MAX)
            .into_iter()
            .flat_map(|mut c| {
                c.sort_unstable();
                c
            })
            .collect();
        want.truncate(n);
        assert_eq!(output.read(&queue).unwrap(), want, "sort of {n}");
    }
}

#[test]
fn atomics_on_groupshared_and_buffers() {
    let device = device();
    let queue = device.queue();
    let kernel = groups::statistics::load(&device).unwrap();
    for n in COUNTS.map(|n| n.min(100_003)) {
        let values: Vec<u32> = (0..n as u32).map(|i| mix(i + 3)).collect();
        let input = device.buffer_from(&values).unwrap();
        let mut start = [0u32; 53];
        start[50] = u32::MAX;
        let mut output = device.buffer_from(&start).unwrap();
        let params = groups::Params { n: n as u32, mode: 0 };
        let threads = [n as u32, 1, 1];
        kernel
            .launch(&queue, groups::statistics::Args { input: &input, output: &mut output, params, threads })
            .unwrap();
        let mut want = start;
        for v in &values {
            want[(v & 15) as usize] += 1;
            want[32 + (v & 15) as usize] = 1;
            want[48] |= 1 << (v & 31);
            want[49] ^= v;
            want[50] = want[50].min(*v);
            want[51] = want[51].max(*v);
            want[52] = want[52].wrapping_add(if v & 1 != 0 { 3 } else { 2u32.wrapping_neg() });
        }
        assert_eq!(output.read(&queue).unwrap(), want, "{n} values");
    }
}

#[test]
fn barriers_in_branches_loops_and_functions() {
    let device = device();
    let queue = device.queue();
    let kernel = groups::branches::load(&device).unwrap();
    for mode in 0..5 {
        let n = 200u32;
        let mut output = device.buffer::<u32>(n as usize).unwrap();
        let params = groups::Params { n, mode };
        kernel
            .launch(&queue, groups::branches::Args { output: &mut output, params, threads: [n, 1, 1] })
            .unwrap();
        let mut want = Vec::new();
        for group in 0..n.div_ceil(64) {
            let mut v: Vec<u32> = (0..64).map(|l| (group * 64 + l) * 10 + mode).collect();
            if mode > 0 {
                v.reverse();
                v.iter_mut().zip(0..).for_each(|(v, lane): (_, u32)| *v += lane & 1);
                if mode > 1 && mode != 3 {
                    v.rotate_left(1);
                }
            }
            for rounds in 0..=mode {
                v = (0..64).map(|l| v[l ^ 1] + rounds).collect();
            }
            want.extend(v);
        }
        want.truncate(n as usize);
        assert_eq!(output.read(&queue).unwrap(), want, "mode {mode}");
    }
}

#[test]
fn system_values_in_odd_groups() {
    let device = device();
    let queue = device.queue();
    let kernel = groups::places::load(&device).unwrap();
    let size = [13u32, 7, 5];
    let mut output = device.buffer::<u32>((size[0] * size[1] * size[2]) as usize).unwrap();
    let params = groups::Params { n: 0, mode: size[0] | size[1] << 8 | size[2] << 16 };
    kernel.launch(&queue, groups::places::Args { output: &mut output, params, threads: size }).unwrap();
    let mut want = Vec::new();
    for z in 0..size[2] {
        for y in 0..size[1] {
            for x in 0..size[0] {
                let (local, group) = ([x % 5, y % 3, z % 2], [x / 5, y / 3, z / 2]);
                let lane = (local[2] * 3 + local[1]) * 5 + local[0];
                let digits = |v: [u32; 3]| v[0] + 10 * (v[1] + 10 * v[2]);
                want.push(lane + 100 * digits(local) + 100_000 * digits(group));
            }
        }
    }
    assert_eq!(output.read(&queue).unwrap(), want);
}

#[test]
fn matrix_product_by_tiles() {
    let device = device();
    let queue = device.queue();
    let kernel = groups::multiply::load(&device).unwrap();
    for n in [1u32, 7, 8, 9, 45] {
        let make = |seed: u32| (0..n * n).map(|i| unit(i + seed) - 0.5).collect::<Vec<f32>>();
        let (a, b) = (make(0), make(1000));
        let (ba, bb) = (device.buffer_from(&a).unwrap(), device.buffer_from(&b).unwrap());
        let mut c = device.buffer::<f32>((n * n) as usize).unwrap();
        let params = groups::Params { n, mode: 0 };
        let args = groups::multiply::Args { a: &ba, b: &bb, c: &mut c, params, threads: [n, n, 1] };
        kernel.launch(&queue, args).unwrap();
        let c = c.read(&queue).unwrap();
        let n = n as usize;
        for y in 0..n {
            for x in 0..n {
                let want: f64 = (0..n).map(|k| f64::from(a[y * n + k]) * f64::from(b[k * n + x])).sum();
                assert!((f64::from(c[y * n + x]) - want).abs() < 1e-4, "{n}: {x}, {y}");
            }
        }
    }
}
