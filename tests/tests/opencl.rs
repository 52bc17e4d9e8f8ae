//! Kernels from LLVM IR whose pointers are not known until they run, on the device that `SPIRV_DEVICE` names.
#![cfg(any(feature = "llvm19-1", feature = "llvm22-1"))]

use kernel_tests::{device, mix, pointers, unit};

#[test]
fn pointers_are_chosen_at_run_time() {
    let device = device();
    let queue = device.queue();
    const N: usize = 1000;
    let odd: Vec<i32> = (0..N as u32).map(|i| mix(i) as i32 / 7).collect();
    let even: Vec<i32> = (0..N as u32).map(|i| mix(i + 5000) as i32 / 7).collect();
    let (a, b) = (device.buffer_from(&odd).unwrap(), device.buffer_from(&even).unwrap());
    let mut low = device.buffer_from(&vec![0i32; N + 1]).unwrap();
    let mut high = device.buffer_from(&vec![0i32; N + 1]).unwrap();
    let args = pointers::choose::Args {
        odd: &a,
        even: &b,
        low: &mut low,
        high: &mut high,
        params: pointers::ChooseParams { n: N as u32 },
        threads: [N as u32 + 30, 1, 1],
    };
    pointers::choose::load(&device).unwrap().launch(&queue, args).unwrap();
    let (low, high) = (low.read(&queue).unwrap(), high.read(&queue).unwrap());
    let value = |i: usize| if i % 2 == 1 { odd[i] } else { even[i] };
    for i in 0..N {
        let v = value(i);
        let (l, h) = if v < 0 { (v.wrapping_mul(3), 0) } else { (0, v.wrapping_mul(3)) };
        assert_eq!((low[i], high[i]), (l, h), "item {i}: {v}");
    }
    let negative = (0..N).filter(|i| value(*i) < 0).count() as i32;
    assert_eq!((low[N], high[N]), (negative, N as i32 - negative));
}

#[test]
fn pointers_walk() {
    let device = device();
    let queue = device.queue();
    let words: Vec<&str> = "the quick brown fox  jumps over the lazy dog and a few more".split(' ').collect();
    let (mut bytes, mut starts) = (Vec::new(), Vec::new());
    for w in &words {
        starts.push(bytes.len() as u32);
        bytes.extend(w.bytes());
        bytes.push(0);
    }
    starts.resize(64, 0);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    let (text, starts) = (device.buffer_from(&bytes).unwrap(), device.buffer_from(&starts).unwrap());
    let mut out = device.buffer_from(&vec![99u32; 64]).unwrap();
    let args = pointers::lengths::Args { text: &text, starts: &starts, out: &mut out, threads: [64, 1, 1] };
    pointers::lengths::load(&device).unwrap().launch(&queue, args).unwrap();
    let out = out.read(&queue).unwrap();
    for (i, got) in out.iter().enumerate() {
        assert_eq!(*got as usize, words.get(i).unwrap_or(&words[0]).len(), "word {i}");
    }
}

#[test]
fn the_host_chooses_how_much_local_memory_there_is() {
    let device = device();
    let queue = device.queue();
    const N: usize = 64 * 9 - 5;
    let x: Vec<f32> = (0..N as u32).map(|i| (unit(i) * 256.0).floor()).collect();
    let buffer = device.buffer_from(&x).unwrap();
    let mut out = device.buffer_from(&[0.0f32; 9]).unwrap();
    let args = pointers::sums::Args {
        x: &buffer,
        out: &mut out,
        part: 64,
        params: pointers::SumsParams { n: N as u32 },
        threads: [N as u32, 1, 1],
    };
    pointers::sums::load(&device).unwrap().launch(&queue, args).unwrap();
    let want: Vec<f32> = x.chunks(64).map(|c| c.iter().sum()).collect();
    assert_eq!(out.read(&queue).unwrap(), want);
}

#[test]
fn values_of_all_widths_in_structs() {
    let device = device();
    let queue = device.queue();
    const N: usize = 200;
    // struct Item { char tag; short weight; long total; double mean; }
    let item = |i: u32| (mix(i) as i8, mix(i + 300) as i16, i64::from(mix(i + 600) as i32) << 20);
    let mut bytes = Vec::new();
    for i in 0..N as u32 {
        let (tag, weight, total) = item(i);
        bytes.push(tag as u8);
        bytes.push(0xee);
        bytes.extend(if i % 10 == 0 { 0 } else { weight }.to_le_bytes());
        bytes.extend([0xee; 4]);
        bytes.extend(total.to_le_bytes());
        bytes.extend(0f64.to_le_bytes());
    }
    let colours: Vec<u8> = (0..N as u32 * 4).map(|i| mix(i + 900) as u8).collect();
    // Halfs of small whole numbers.
    let small = |i: usize| (i % 512 + 512) as f32;
    let halfs: Vec<u16> = (0..N).map(|i| 0x6000 | (i % 512 * 2) as u16).collect();
    let mut items = device.buffer_from(&bytes).unwrap();
    let c = device.buffer_from(&colours).unwrap();
    let mut grey = device.buffer_from(&vec![0u16; N]).unwrap();
    let mut halves = device.buffer_from(&halfs).unwrap();
    let threads = [N as u32, 1, 1];
    let args = pointers::widths::Args {
        items: &mut items,
        colours: &c,
        grey: &mut grey,
        halves: &mut halves,
        threads,
    };
    pointers::widths::load(&device).unwrap().launch(&queue, args).unwrap();
    let (items, grey, halves) =
        (items.read(&queue).unwrap(), grey.read(&queue).unwrap(), halves.read(&queue).unwrap());
    for i in 0..N {
        let (tag, weight, total) = item(i as u32);
        let weight = if i % 10 == 0 { 0 } else { weight };
        let total = total.wrapping_add(i64::from(weight) * i64::from(tag));
        let mean = total as f64 / f64::from(if weight == 0 { 1 } else { weight });
        let got = &items[i * 24..i * 24 + 24];
        assert_eq!(got[0] as i8, tag >> 1, "item {i}: tag");
        assert_eq!((got[1], &got[4..8]), (0xee, &[0xee; 4][..]), "item {i}: padding");
        assert_eq!(i64::from_le_bytes(got[8..16].try_into().unwrap()), total, "item {i}: total");
        let got = f64::from_le_bytes(got[16..].try_into().unwrap());
        assert!((got - mean).abs() <= mean.abs() * f64::EPSILON * 2.0, "item {i}: {got}, expected {mean}");
        let [r, g, b, a] = [0, 1, 2, 3].map(|k| colours[i * 4 + k]);
        let want = u32::from(r) * 77 + u32::from(g) * 150 + u32::from(b) * 29;
        assert_eq!(u32::from(grey[i]), want & 0xffff, "item {i}: grey");
        let want = small(i) * 0.5 + f32::from(a);
        let (e, m) = (i32::from(halves[i] >> 10), f32::from(halves[i] & 0x3ff));
        let got = (1024.0 + m) * 2f32.powi(e - 25);
        // Half a unit of ten bits, whichever way it is rounded.
        assert!((got - want).abs() <= 0.5, "item {i}: {got}, expected {want}");
    }
}

#[test]
fn bytes_are_moved_and_set() {
    let device = device();
    let queue = device.queue();
    let text: Vec<u8> = (0..64 * 64).map(|i| mix(i) as u8).collect();
    let edits: Vec<u32> = (0..64).map(|i| mix(i + 9000)).collect();
    let mut lines = device.buffer_from(&text).unwrap();
    let source = device.buffer_from(&edits).unwrap();
    let args = pointers::edit::Args { text: &mut lines, edits: &source, threads: [64, 1, 1] };
    pointers::edit::load(&device).unwrap().launch(&queue, args).unwrap();
    let mut want = text;
    for (line, e) in want.chunks_exact_mut(64).zip(edits) {
        let part = |shift: u32, bits: u32| (e >> shift & ((1 << bits) - 1)) as usize;
        let (to, from, moved, set) = (part(0, 5), part(5, 5), part(10, 5), part(15, 4));
        line.copy_within(from..from + moved, to);
        line[64 - set..].fill((e >> 24) as u8);
    }
    assert_eq!(lines.read(&queue).unwrap(), want);
}
