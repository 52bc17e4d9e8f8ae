//! Operations across lanes against Rust, for whatever waves the device has.

use kernel_tests::{device, mix, wave_sizes, waves};
use spirv_runtime::{DeviceKind, ErrorKind};
use std::collections::BTreeMap;

const GROUP: usize = 100;
const N: u32 = GROUP as u32 * 7;

fn input() -> Vec<u32> {
    // Some groups have no large numbers, some only odd ones.
    (0..N)
        .map(|i| match i as usize / GROUP {
            2 => mix(i) >> 8,
            3 => mix(i) | 1,
            4 => 777,
            5 => mix(i) & !1,
            _ => mix(i),
        })
        .collect()
}

/// What the lanes of one wave must have got. They are the active ones, in the order of their indices.
fn check(lanes: &[(usize, &waves::Lanes)], x: &[u32], floats_before: bool) {
    let values: Vec<u32> = lanes.iter().map(|(i, _)| x[*i]).collect();
    let count = |bit: u32, n: usize| values[..n].iter().filter(|v| **v & bit != 0).count() as u32;
    let real = |v: u32| f64::from(v >> 20);
    for (n, (i, r)) in lanes.iter().enumerate() {
        let what = format!("item {i}, lane {} of {}", r.lane, r.count);
        assert_eq!(r.first, u32::from(n == 0), "first: {what}");
        assert_eq!(r.sum, values.iter().fold(0u32, |s, v| s.wrapping_add(*v)), "sum: {what}");
        assert_eq!(r.before, values[..n].iter().fold(0u32, |s, v| s.wrapping_add(*v)), "before: {what}");
        assert_eq!(r.product, values.iter().fold(1u32, |s, v| s.wrapping_mul(*v | 1)), "product: {what}");
        assert_eq!(r.smallest, *values.iter().min().unwrap(), "smallest: {what}");
        assert_eq!(r.largest, *values.iter().max().unwrap(), "largest: {what}");
        assert_eq!(r.bits_and, values.iter().fold(!0, |s, v| s & (v | 0xff)), "and: {what}");
        assert_eq!(r.bits_or, values.iter().fold(0, |s, v| s | (v & 0xf0f0)), "or: {what}");
        assert_eq!(r.bits_xor, values.iter().fold(0, |s, v| s ^ v), "xor: {what}");
        assert_eq!(r.set, count(4, values.len()), "set: {what}");
        assert_eq!(r.set_before, count(4, n), "set before: {what}");
        assert_eq!(r.ballot, count(2, values.len()), "ballot: {what}");
        let from = (r.lane * 5 + 1) % r.count;
        if let Some((_, value)) = lanes.iter().zip(&values).find(|((_, l), _)| l.lane == from) {
            assert_eq!(r.other, *value, "other: {what}");
        }
        let all_equal = values.iter().all(|v| v >> 31 == values[0] >> 31);
        let items = lanes.iter().all(|(i, _)| i % GROUP / 64 == lanes[0].0 % GROUP / 64);
        let flags = u32::from(values.iter().all(|v| *v > 100))
            | u32::from(values.iter().any(|v| *v > 0xff00_0000)) << 1
            | u32::from(all_equal) << 2
            | u32::from(items) << 3;
        assert_eq!(r.flags, flags, "flags: {what}");
        assert_eq!(r.lowest, values.iter().map(|v| *v as i32).min().unwrap(), "lowest: {what}");
        assert_eq!(r.highest, values.iter().map(|v| *v as i32).max().unwrap(), "highest: {what}");
        // Whole numbers below 2^24: exact in every order.
        assert_eq!(f64::from(r.real_sum), values.iter().map(|v| real(*v)).sum::<f64>(), "sum: {what}");
        let before = values[..n].iter().map(|v| real(*v)).sum::<f64>();
        assert!(!floats_before || f64::from(r.real_before) == before, "before: {what}");
        let largest = values.iter().map(|v| real(*v) * 0.5).fold(0.0, f64::max);
        assert_eq!(f64::from(r.real_largest), largest, "largest: {what}");
    }
}

/// Sorts lanes into waves by the item that each wave's first lane is, and checks each.
fn check_all(results: &[waves::Lanes], x: &[u32], active: impl Fn(usize) -> bool, floats_before: bool) {
    let mut all: BTreeMap<(usize, u32), Vec<(usize, &waves::Lanes)>> = BTreeMap::new();
    for (i, r) in results.iter().enumerate().filter(|(i, _)| active(*i)) {
        all.entry((i / GROUP, r.wave)).or_default().push((i, r));
    }
    for lanes in all.values_mut() {
        lanes.sort_by_key(|(_, r)| r.lane);
        assert!(lanes.iter().all(|(_, r)| r.lane < r.count && r.count == lanes[0].1.count));
        assert!(lanes.windows(2).all(|w| w[0].1.lane < w[1].1.lane), "two items in one lane");
        check(lanes, x, floats_before);
    }
}

#[test]
fn lanes_work_together() {
    let device = device();
    let queue = device.queue();
    let x = input();
    let input = device.buffer_from(&x).unwrap();
    let zero = vec![waves::Lanes::default(); N as usize];
    let mut whole = device.buffer_from(&zero).unwrap();
    let mut some = device.buffer_from(&zero).unwrap();
    let args = waves::main::Args { input: &input, whole: &mut whole, some: &mut some, threads: [N, 1, 1] };
    waves::main::load(&device).unwrap().launch(&queue, args).unwrap();
    check_all(&whole.read(&queue).unwrap(), &x, |_| true, true);
    // Intel's OpenCL runtime for CPUs adds what lanes hold that are off, in this one operation, whatever it compiles:
    // the same happens to OpenCL C.
    let floats_before = !device.name().contains("ze-on-opencl");
    check_all(&some.read(&queue).unwrap(), &x, |i| x[i] & 1 != 0, floats_before);
}

#[test]
fn quads_and_wide_values() {
    let device = device();
    let queue = device.queue();
    let x: Vec<u32> = (0..64 * 5).map(mix).collect();
    let input = device.buffer_from(&x).unwrap();
    let mut quads = device.buffer_from(&vec![[0u32; 4]; x.len()]).unwrap();
    let mut sums = device.buffer_from(&vec![0i64; x.len()]).unwrap();
    let threads = [x.len() as u32, 1, 1];
    let args = waves::wide::Args { input: &input, quads: &mut quads, sums: &mut sums, threads };
    waves::wide::load(&device).unwrap().launch(&queue, args).unwrap();
    let (quads, sums) = (quads.read(&queue).unwrap(), sums.read(&queue).unwrap());
    for i in 0..x.len() {
        assert_eq!(quads[i], [x[i ^ 1], x[i ^ 2], x[i ^ 3], x[i & !3 | 2]], "item {i}");
        // The lane's place in its wave, since every lane before it adds one.
        assert!(sums[i] >= 0 && sums[i] <= (i % 64) as i64, "item {i}: {}", sums[i]);
        assert!(i == 0 || sums[i] == sums[i - 1] + 1 || sums[i] == 0, "item {i}: {}", sums[i]);
    }
}

#[test]
fn vectors_and_truth_values() {
    let device = device();
    let queue = device.queue();
    let x: Vec<u32> = (0..64 * 5).map(mix).collect();
    let input = device.buffer_from(&x).unwrap();
    let mut several = device.buffer_from(&vec![waves::Several::default(); x.len()]).unwrap();
    let args = waves::vectors::Args { input: &input, several: &mut several, threads: [x.len() as u32, 1, 1] };
    waves::vectors::load(&device).unwrap().launch(&queue, args).unwrap();
    let results = several.read(&queue).unwrap();
    for (i, r) in results.iter().enumerate() {
        let (lane, next) = (r.before[0] as usize, x[i ^ 1]);
        // Waves are whole here: 64 is a multiple of each size.
        assert_eq!(r.before, [lane as u32, 3 * lane as u32], "item {i}");
        assert_eq!(r.neighbour, [(next & 0xff) as f32, (next >> 24) as f32, 0.5], "item {i}");
        let truths = u32::from(next & 3 != 0) | u32::from(x[i ^ 3] & 2 != 0) << 1;
        assert_eq!(r.truths, truths, "item {i}");
        let first = i - lane;
        let size = results[first..].iter().take_while(|r| r.sums == results[first].sums).count();
        let wave = &x[first..first + size];
        let sum = |of: fn(u32) -> u32| wave.iter().fold(0u32, |s, v| s.wrapping_add(of(*v)));
        assert_eq!(r.sums, [sum(|v| v), sum(|v| v >> 16)], "item {i} of {size}");
    }
}

/// Runs an entry point whose waves have so many lanes, or is told that the device has none.
macro_rules! of_size {
    ($device:expr, $entry:ident, $lanes:expr) => {{
        let device = $device;
        let queue = device.queue();
        match wave_sizes::$entry::load(device) {
            Ok(kernel) => {
                let x = input();
                let input = device.buffer_from(&x).unwrap();
                let zero = vec![wave_sizes::Lanes::default(); N as usize];
                let mut whole = device.buffer_from(&zero).unwrap();
                let mut some = device.buffer_from(&zero).unwrap();
                let mut quads = device.buffer_from(&vec![[0u32; 4]; N as usize]).unwrap();
                let args = wave_sizes::$entry::Args {
                    input: &input,
                    whole: &mut whole,
                    some: &mut some,
                    quads: &mut quads,
                    threads: [N, 1, 1],
                };
                kernel.launch(&queue, args).unwrap();
                let [whole, some] = [whole, some].map(|b| b.read(&queue).unwrap());
                let cast = |lanes: &[wave_sizes::Lanes]| -> Vec<waves::Lanes> {
                    bytemuck::allocation::pod_collect_to_vec(lanes)
                };
                // The last wave of a group is not whole; OpenCL tells how many lanes it has.
                let parts = device.id().starts_with("level-zero");
                let fits = |l: &wave_sizes::Lanes| l.count == $lanes || parts && l.count < $lanes;
                assert!(whole.iter().all(|l| fits(l) && l.lane < $lanes), "{}", $lanes);
                assert!(whole.iter().any(|l| l.count == $lanes), "{}", $lanes);
                let floats_before = !device.name().contains("ze-on-opencl");
                check_all(&cast(&whole), &x, |_| true, true);
                check_all(&cast(&some), &x, |i| x[i] & 1 != 0, floats_before);
                for (i, quad) in quads.read(&queue).unwrap().iter().enumerate() {
                    // The last wave of a group may have no lane that is asked for.
                    let from = |n: usize| {
                        if i % GROUP / 4 == 25 { quad[0] } else { x[i / GROUP * GROUP + (i % GROUP ^ n)] }
                    };
                    assert_eq!(quad[..3], [from(1), from(2), from(3)], "item {i} of {}", $lanes);
                }
                true
            }
            Err(e) => {
                let text = e.to_string();
                assert_eq!(e.kind(), ErrorKind::Unsupported, "{text}");
                assert!(text.contains(&format!("waves of {} lanes", $lanes)), "{text}");
                false
            }
        }
    }};
}

#[test]
fn waves_have_the_size_that_the_source_says() {
    let device = device();
    let there = [
        of_size!(&device, of_4, 4),
        of_size!(&device, of_8, 8),
        of_size!(&device, of_16, 16),
        of_size!(&device, of_32, 32),
        of_size!(&device, of_64, 64),
        of_size!(&device, of_128, 128),
    ];
    if device.kind() == DeviceKind::Cpu {
        assert_eq!(there, [true, true, true, true, true, false]);
    }
    assert!(there.contains(&true), "the device has waves of some size");
    let queue = device.queue();
    let mut quads = device.buffer::<[u32; 4]>(100).unwrap();
    let kernel = wave_sizes::best_32::load(&device).unwrap();
    kernel.launch(&queue, wave_sizes::best_32::Args { quads: &mut quads, threads: [100, 1, 1] }).unwrap();
    let count = quads.read(&queue).unwrap()[0][3];
    // Of a range Level Zero leaves the choice to the driver.
    let chosen = count == 32 || !there[3] || device.id().starts_with("level-zero");
    assert!((4..=64).contains(&count) && chosen, "{count}");
}
