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
