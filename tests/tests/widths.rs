//! Scalars of 16 and 64 bits against Rust's.

use kernel_tests::{device, mix, widths};
use spirv_runtime::Device;

const N: u32 = 64 * 5;

/// Integers of all magnitudes, with the corners among them.
fn longs() -> Vec<widths::Long> {
    let corners = [0, 1, -1, i64::MIN, i64::MAX, 1 << 32, -(1 << 32), 0xffff_ffff];
    let one = |i: u32| -> i64 {
        match i % 3 {
            0 => corners[(mix(i) % 8) as usize],
            1 => (i64::from(mix(i)) << 32 | i64::from(mix(i + 1000))) >> (mix(i + 7) % 64),
            _ => i64::from(mix(i) as i32),
        }
    };
    (0..N).map(|i| widths::Long { a: one(i), b: one(i * 7 + 3) }).collect()
}

#[test]
fn integers_of_64_bits() {
    let device = device();
    let queue = device.queue();
    let input = longs();
    let longs = device.buffer_from(&input).unwrap();
    let mut long_results = device.buffer_from(&vec![widths::LongResult::default(); N as usize]).unwrap();
    let args = widths::integers::Args { longs: &longs, long_results: &mut long_results, threads: [N, 1, 1] };
    widths::integers::load(&device).unwrap().launch(&queue, args).unwrap();
    for (i, (got, v)) in long_results.read(&queue).unwrap().iter().zip(&input).enumerate() {
        let (a, b, shift) = (v.a, v.b, i as u32 & 63);
        let divisor = if b == -1 { 1 } else { b };
        let table = [a, b, 1, -5_000_000_000];
        let walked = (0..i & 7).fold(0i64, |s, k| s.wrapping_add(table[(k + i) & 3]));
        let flags = u32::from(a < b)
            | u32::from(a <= b) << 1
            | u32::from(a == b) << 2
            | u32::from(a as u64 > b as u64) << 3;
        let want = [
            a.wrapping_add(b),
            a.wrapping_sub(b),
            a.wrapping_mul(b),
            if b == 0 { 0 } else { a / divisor },
            if b == 0 { 0 } else { a % divisor },
            a >> shift,
            a.min(b),
            a.max(b),
            if a < b { a } else { b.wrapping_neg() },
            walked,
            (a as u64 >> shift | (b as u64) << 3) as i64,
            (a as u64 & 0xff00_ff00_ff00_ff00 ^ !(b as u64)) as i64,
            ((a & 0xff_ffff) as f32 * 0.5) as i64,
            i64::from(a as i32),
            i64::from(flags),
        ];
        let got = [
            got.sum,
            got.difference,
            got.product,
            got.quotient,
            got.remainder,
            got.shifted,
            got.low,
            got.high,
            got.selected,
            got.walked,
            got.logical as i64,
            got.bits as i64,
            got.fraction as i64,
            i64::from(got.narrow),
            i64::from(got.flags),
        ];
        assert_eq!(got, want, "item {i}: {a:#x}, {b:#x}");
    }
}

#[test]
fn floats_of_64_bits() {
    let device = device();
    let queue = device.queue();
    let one = |i: u32| (f64::from(mix(i)) - 2e9) * 2f64.powi((mix(i + 5) % 40) as i32 - 30);
    let input: Vec<[f64; 2]> =
        (0..N).map(|i| [one(i), if i % 9 == 0 { one(i) } else { one(i + 9999) }]).collect();
    let doubles = device.buffer_from(&input).unwrap();
    let mut double_results = device.buffer_from(&vec![widths::DoubleResult::default(); N as usize]).unwrap();
    let args =
        widths::reals::Args { doubles: &doubles, double_results: &mut double_results, threads: [N, 1, 1] };
    widths::reals::load(&device).unwrap().launch(&queue, args).unwrap();
    for (i, (got, &[x, y])) in double_results.read(&queue).unwrap().iter().zip(&input).enumerate() {
        let near = |got: f64, want: f64, ulp: f64| {
            let error = (got - want).abs();
            assert!(error <= want.abs() * f64::EPSILON * ulp, "item {i}: {x}, {y}: {got}, expected {want}");
        };
        near(got.sum, x + y, 0.0);
        near(got.product, x * y, 0.0);
        near(got.quotient, x / y, 2.0);
        near(got.root, x.abs().sqrt(), 2.0);
        near(got.floored, x.floor(), 0.0);
        near(got.smaller, x.min(y), 0.0);
        near(got.converted, f64::from(x as f32) + i as f64, 0.0);
        // With one rounding or with two.
        assert!(got.fused == x.mul_add(y, 1.0) || got.fused == x * y + 1.0, "item {i}: {} * {} + 1", x, y);
        if x.abs() < 2e9 {
            assert_eq!(got.whole, x as i32, "item {i}: {x}");
        }
        let flags = u32::from(x < y) | u32::from(x == y) << 1 | u32::from(x >= y) << 2;
        assert_eq!(got.flags, flags, "item {i}: {x}, {y}");
    }
}

/// The bits of the half nearest to a number in its normal range.
fn half(x: f64) -> u16 {
    if x == 0.0 {
        return if x.is_sign_negative() { 0x8000 } else { 0 };
    }
    let sign = if x < 0.0 { 0x8000 } else { 0 };
    let e = x.abs().log2().floor() as i32;
    let unit = 2f64.powi(e.max(-14) - 10);
    let steps = (x.abs() / unit).round_ties_even();
    assert!(e < 16, "{x}");
    if e < -14 { sign | steps as u16 } else { sign | ((((e + 14) as u16) << 10) + steps as u16) }
}

fn value(h: u16) -> f64 {
    let (e, m) = (i32::from(h >> 10 & 31), f64::from(h & 0x3ff));
    let abs = if e == 0 { m * 2f64.powi(-24) } else { (1024.0 + m) * 2f64.powi(e - 25) };
    if h >> 15 != 0 { -abs } else { abs }
}

#[test]
fn numbers_of_16_bits() {
    let device = device();
    let queue = device.queue();
    // Squares stay below the largest half, and above its denormals.
    let halfs: Vec<u16> = (0..N).map(|i| half(f64::from(mix(i) % 8000) / 32.0 - 125.0)).collect();
    let shorts: Vec<i16> = (0..N)
        .map(|i| match i % 4 {
            0 => [0, -1, i16::MIN, i16::MAX][(i / 4 % 4) as usize],
            _ => mix(i) as i16,
        })
        .collect();
    let (h, s) = (device.buffer_from(&halfs).unwrap(), device.buffer_from(&shorts).unwrap());
    let mut half_results = device.buffer_from(&vec![0u16; N as usize * 4]).unwrap();
    let mut short_results = device.buffer_from(&vec![0i16; N as usize * 4]).unwrap();
    let mut ushort_results = device.buffer_from(&vec![0u16; N as usize * 2]).unwrap();
    let args = widths::narrow::Args {
        halfs: &h,
        half_results: &mut half_results,
        shorts: &s,
        short_results: &mut short_results,
        ushort_results: &mut ushort_results,
        threads: [N, 1, 1],
    };
    widths::narrow::load(&device).unwrap().launch(&queue, args).unwrap();
    let (got_h, got_s) = (half_results.read(&queue).unwrap(), short_results.read(&queue).unwrap());
    let got_u = ushort_results.read(&queue).unwrap();
    for i in 0..N as usize {
        let x = value(halfs[i]);
        let want = [x + 1.5, x * x, x.abs().sqrt(), i as f64 - x];
        for (k, want) in want.into_iter().enumerate() {
            let got = got_h[i * 4 + k];
            // Vulkan allows the last bit of a root and of conversions to differ.
            let near = i32::from(got).abs_diff(i32::from(half(want))) <= u32::from(k == 2);
            assert!(near, "item {i}.{k}: {x}: {}, expected {want}", value(got));
        }
        let (a, b) = (shorts[i], shorts[i ^ 1]);
        let divisor = if b == -1 { 1 } else { b };
        let want = [
            a.wrapping_mul(b),
            if b == 0 { 0 } else { a / divisor },
            a >> (i & 15),
            a.min(b).wrapping_sub(30000),
        ];
        assert_eq!(got_s[i * 4..i * 4 + 4], want, "item {i}: {a}, {b}");
        let u = a as u16;
        assert_eq!(got_u[i * 2..i * 2 + 2], [u.wrapping_add(60000), (u >> 3).max(b as u16)], "item {i}: {u}");
    }
}

#[test]
fn values_of_64_bits_cross_barriers() {
    let device: Device = device();
    let queue = device.queue();
    let input = longs();
    let longs = device.buffer_from(&input).unwrap();
    let mut exchanged = device.buffer_from(&vec![0i64; N as usize]).unwrap();
    let args = widths::exchange::Args { longs: &longs, exchanged: &mut exchanged, threads: [N, 1, 1] };
    widths::exchange::load(&device).unwrap().launch(&queue, args).unwrap();
    for (i, got) in exchanged.read(&queue).unwrap().into_iter().enumerate() {
        let (group, local) = (i / 64 * 64, i % 64);
        let want = input[group + 63 - local]
            .a
            .wrapping_sub(input[i].a)
            .wrapping_add(((local ^ 3) as f64 * 0.5) as i64);
        assert_eq!(got, want, "item {i}");
    }
}
