//! Functions that back ends take apart, against f64.

use kernel_tests::{device, math, mix, parts, precise, unit};

#[test]
fn determinants() {
    let device = device();
    let queue = device.queue();
    const N: u32 = 300;
    let data: Vec<[f32; 4]> = (0..N * 4).map(|i| [0, 1, 2, 3].map(|c| unit(i * 4 + c) * 4.0 - 2.0)).collect();
    let rows = device.buffer_from(&data).unwrap();
    let mut determinants = device.buffer_from(&vec![math::Determinants::default(); N as usize]).unwrap();
    let kernel = math::load(&device).unwrap();
    let args = math::Args { rows: &rows, determinants: &mut determinants, threads: [N, 1, 1] };
    kernel.launch(&queue, args).unwrap();
    for (i, r) in determinants.read(&queue).unwrap().iter().enumerate() {
        let m: Vec<Vec<f64>> =
            data[i * 4..i * 4 + 4].iter().map(|row| row.iter().map(|v| f64::from(*v)).collect()).collect();
        for (n, got) in [(2, r.two), (3, r.three), (4, r.four)] {
            let want = determinant(&m, n);
            let near = (f64::from(got) - want).abs() <= 1e-5 * want.abs().max(4.0);
            assert!(near, "{i}: {n} x {n}: {got}, expected {want}");
        }
    }
}

#[test]
fn parts_of_numbers() {
    let device = device();
    let queue = device.queue();
    let corners = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, f32::MAX, f32::MIN_POSITIVE, 0.099999994, -8388607.5];
    let number = |i: u32| match corners.get(i as usize) {
        Some(x) => *x,
        // Of all magnitudes, but for those that devices may take for zero.
        None => f32::from_bits(mix(i) & 0x80ff_ffff | (mix(i + 9) % 253 + 1) << 23),
    };
    let data: Vec<[f32; 2]> = (0..500).map(|i| [number(i * 2), number(i * 2 + 1)]).collect();
    let numbers = device.buffer_from(&data).unwrap();
    let mut out = device.buffer_from(&vec![parts::Parts::default(); data.len()]).unwrap();
    let args = parts::Args { numbers: &numbers, parts: &mut out, threads: [data.len() as u32, 1, 1] };
    parts::load(&device).unwrap().launch(&queue, args).unwrap();
    for (i, r) in out.read(&queue).unwrap().iter().enumerate() {
        for (c, &x) in data[i].iter().enumerate() {
            let again = f64::from(r.significand[c]) * 2f64.powi(r.exponent[c] as i32);
            assert_eq!(again, f64::from(x), "{i}: frexp of {x}: {} {}", r.significand[c], r.exponent[c]);
            assert!(x == 0.0 || (0.5..1.0).contains(&r.significand[c].abs()), "{i}: frexp of {x}");
            let ten = x * 10.0;
            if ten.is_finite() {
                assert_eq!((r.whole[c], r.rest[c]), (ten.trunc(), ten - ten.trunc()), "{i}: modf of {ten}");
            }
        }
    }
}

/// The third number is the rounded product of the first two, with the other sign: only a contracted sum is not zero.
#[test]
fn precise_sums_are_not_contracted() {
    let device = device();
    let queue = device.queue();
    let number = |i: u32| [unit(i * 3) + 0.5, unit(i * 3 + 1) + 0.5, unit(i * 3 + 2) + 0.5];
    let row = |[x, y, w]: [f32; 3]| [x, y, -(x * y), w];
    let data: Vec<[f32; 4]> = (0..1000).map(|i| row(number(i))).collect();
    let contracts = |n: &&[f32; 4]| n[0].mul_add(n[1], n[2]) != 0.0;
    assert!(data.iter().filter(contracts).count() > 500, "the numbers would not tell");
    let numbers = device.buffer_from(&data).unwrap();
    let mut sums = device.buffer_from(&vec![precise::Sums::default(); data.len()]).unwrap();
    let args = precise::Args { numbers: &numbers, sums: &mut sums, threads: [data.len() as u32, 1, 1] };
    precise::load(&device).unwrap().launch(&queue, args).unwrap();
    for ([x, y, z, w], r) in data.iter().zip(sums.read(&queue).unwrap()) {
        let dotted = x * y + z * w;
        assert_eq!((r.sum, r.through), (0.0, 0.0), "{x} * {y}");
        assert_eq!((r.dotted, r.product), (dotted, dotted), "{x} * {y} + {z} * {w}");
    }
}

/// By elimination.
fn determinant(m: &[Vec<f64>], n: usize) -> f64 {
    let mut m: Vec<Vec<f64>> = m[..n].iter().map(|r| r[..n].to_vec()).collect();
    let mut product = 1.0;
    for c in 0..n {
        let pivot = (c..n).max_by(|a, b| m[*a][c].abs().total_cmp(&m[*b][c].abs())).unwrap();
        if pivot != c {
            m.swap(pivot, c);
            product = -product;
        }
        product *= m[c][c];
        let upper = m[c].clone();
        for row in &mut m[c + 1..] {
            let f = row[c] / upper[c];
            for (v, u) in row.iter_mut().zip(&upper) {
                *v -= f * u;
            }
        }
    }
    product
}
