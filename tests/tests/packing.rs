//! Small numbers in words, against the same here.

use kernel_tests::{device, packing};

#[test]
fn bytes_are_packed_and_unpacked() {
    let device = device();
    let queue = device.queue();
    // Eighths are not between two bytes; what is beyond is limited.
    let numbers: Vec<[f32; 4]> =
        (0..64).map(|i| [0, 1, 2, 3].map(|c| ((i * 4 + c) % 25) as f32 / 8.0 - 1.5)).collect();
    let from = device.buffer_from(&numbers).unwrap();
    let mut words = device.buffer::<[u32; 2]>(64).unwrap();
    let mut back = device.buffer::<[f32; 4]>(128).unwrap();
    let args = packing::Args { numbers: &from, words: &mut words, back: &mut back, threads: [64, 1, 1] };
    packing::load(&device).unwrap().launch(&queue, args).unwrap();
    let (words, back) = (words.read(&queue).unwrap(), back.read(&queue).unwrap());
    for (i, v) in numbers.iter().enumerate() {
        let signed = v.map(|x| (x.clamp(-1.0, 1.0) * 127.0).round_ties_even() as i8);
        let unsigned = v.map(|x| (x.clamp(0.0, 1.0) * 255.0).round_ties_even() as u8);
        let expected = [u32::from_le_bytes(signed.map(|n| n as u8)), u32::from_le_bytes(unsigned)];
        assert_eq!(words[i], expected, "{v:?}");
        for c in 0..4 {
            let (a, b) = (f32::from(signed[c]) / 127.0, f32::from(unsigned[c]) / 255.0);
            assert!((back[2 * i][c] - a).abs() < 1e-6 && (back[2 * i + 1][c] - b).abs() < 1e-6, "{v:?}");
        }
    }
}
