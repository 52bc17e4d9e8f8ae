//! Images of all kinds, against Rust.

use kernel_tests::{SIZES, device, images, mix};
use spirv_runtime::{
    Image, R8Uint, R32Float, R32Uint, Rgba8Sint, Rgba8Uint, Rgba8Unorm, Rgba16Sint, Rgba32Float,
};

fn texels<T>(width: u32, height: u32, make: impl Fn(u32) -> T) -> Vec<T> {
    (0..width * height).map(make).collect()
}

#[test]
fn texels_are_converted_and_stay_in_range() {
    let device = device();
    let queue = device.queue();
    let kernel = images::r#move::load(&device).unwrap();
    for (width, height) in SIZES {
        let colours: Vec<[u8; 4]> = texels(width, height, |i| mix(i).to_le_bytes());
        let heights: Vec<f32> = texels(width, height, |i| i as f32 * 0.25 - 3.0);
        let signs: Vec<[i8; 4]> = texels(width, height, |i| mix(i + 9).to_le_bytes().map(|b| b as i8));
        let counts: Vec<u8> = texels(width, height, |i| (mix(i + 5) & 0x7f) as u8);
        let colours_in: Image<Rgba8Unorm> = device.image_from(width, height, &colours).unwrap();
        let heights_in: Image<R32Float> = device.image_from(width, height, &heights).unwrap();
        let signs_in: Image<Rgba8Sint> = device.image_from(width, height, &signs).unwrap();
        let counts_in: Image<R8Uint> = device.image_from(width, height, &counts).unwrap();
        for shift in [[0i32, 0], [3, -2], [-1, 5], [i32::MAX, 0]] {
            let scale = 0.75f32;
            let mut bytes: Image<Rgba8Unorm> = device.image(width, height).unwrap();
            let mut small: Image<Rgba8Uint> = device.image(width, height).unwrap();
            let mut halves: Image<Rgba16Sint> = device.image(width, height).unwrap();
            let mut words: Image<R32Uint> = device.image(width + 1, height + 2).unwrap();
            let start = vec![[9.0f32; 4]; (width * height) as usize];
            let mut floats: Image<Rgba32Float> = device.image_from(width, height, &start).unwrap();
            let mut sizes = device.buffer::<u32>(4).unwrap();
            let args = images::r#move::Args {
                colours: &colours_in,
                heights: &heights_in,
                signs: &signs_in,
                counts: &counts_in,
                bytes: &mut bytes,
                small: &mut small,
                halves: &mut halves,
                words: &mut words,
                floats: &mut floats,
                sizes: &mut sizes,
                params: images::Params { shift, scale },
                threads: [width, height, 1],
            };
            kernel.launch(&queue, args).unwrap();

            let index = |x: i64, y: i64| {
                let inside = (0..i64::from(width)).contains(&x) && (0..i64::from(height)).contains(&y);
                inside.then(|| (y * i64::from(width) + x) as usize)
            };
            let wrapped = |x: u32, by: i32| i64::from((x as i32).wrapping_add(by));
            let (bytes, small) = (bytes.read(&queue).unwrap(), small.read(&queue).unwrap());
            let (halves, floats) = (halves.read(&queue).unwrap(), floats.read(&queue).unwrap());
            let mut want_floats = start;
            for y in 0..height {
                for x in 0..width {
                    let at = (y * width + x) as usize;
                    let from = (wrapped(x, shift[0]), wrapped(y, shift[1]));
                    let source = index(from.0, from.1);
                    let place = format!("{width} x {height}, {shift:?}: {x}, {y}");
                    for c in 0..4 {
                        let want = source.map_or(0.0, |i| f64::from(colours[i][c]) * f64::from(scale));
                        assert!((f64::from(bytes[at][c]) - want).abs() <= 0.5001, "{place}: {:?}", bytes[at]);
                        let want = source.map_or(0, |i| i16::from(signs[i][c])) * 2 - 1;
                        assert_eq!(halves[at][c], want, "{place}");
                        // A texel of one component fills all of the vector that it is added to.
                        let want = source.map_or(0, |i| counts[i]) + c as u8;
                        assert_eq!(small[at][c], want, "{place}");
                    }
                    let to = (wrapped(x, shift[0].wrapping_neg()), wrapped(y, -shift[1]));
                    if let Some(to) = index(to.0, to.1) {
                        let next = index(i64::from((from.0 as i32).wrapping_add(1)), from.1);
                        let colour = |c: usize| next.map_or(0.0, |i| f32::from(colours[i][c]) / 255.0);
                        want_floats[to] =
                            [source.map_or(0.0, |i| heights[i]), colour(0), colour(1), colour(2)];
                    }
                }
            }
            for (got, want) in floats.iter().zip(&want_floats) {
                let close = got.iter().zip(want).all(|(g, w)| (g - w).abs() < 1e-6);
                assert!(close, "{width} x {height}, {shift:?}: {got:?}, expected {want:?}");
            }
            assert_eq!(sizes.read(&queue).unwrap(), [width, height, width + 1, height + 2]);
        }
    }
}

#[test]
fn images_are_read_and_written_in_one_kernel() {
    let device = device();
    let queue = device.queue();
    let kernel = images::twice::load(&device).unwrap();
    for (width, height) in SIZES {
        let first = texels(width, height, mix);
        let bytes: Vec<[u8; 4]> = texels(width, height, |i| (mix(i) & 0x7f7f_7f7f).to_le_bytes());
        let mut words: Image<R32Uint> = device.image_from(width, height, &first).unwrap();
        let mut small: Image<Rgba8Uint> = device.image_from(width, height, &bytes).unwrap();
        for _ in 0..2 {
            let args =
                images::twice::Args { words: &mut words, small: &mut small, threads: [width, height, 1] };
            kernel.launch(&queue, args).unwrap();
        }
        let step = |v: u32, x: u32| v.wrapping_mul(3).wrapping_add(1).wrapping_add(x);
        let want: Vec<u32> = (0..).zip(&first).map(|(i, v)| step(step(*v, i % width), i % width)).collect();
        assert!(words.read(&queue).unwrap() == want, "{width} x {height}");
        let want: Vec<[u8; 4]> = bytes.iter().map(|t| t.map(|v| v + 2)).collect();
        assert!(small.read(&queue).unwrap() == want, "{width} x {height}");
    }
}

#[test]
fn unsigned_texels_are_not_extended_by_their_highest_bit() {
    let device = device();
    let queue = device.queue();
    let kernel = images::twice::load(&device).unwrap();
    let mut words: Image<R32Uint> = device.image(2, 1).unwrap();
    let mut small: Image<Rgba8Uint> = device.image_from(2, 1, &[[200; 4], [128, 254, 0, 127]]).unwrap();
    let args = images::twice::Args { words: &mut words, small: &mut small, threads: [2, 1, 1] };
    kernel.launch(&queue, args).unwrap();
    assert_eq!(small.read(&queue).unwrap(), [[201; 4], [129, 255, 1, 128]]);
}

#[test]
fn levels_and_offsets_lead_to_texels() {
    let device = device();
    let queue = device.queue();
    let kernel = images::levels::load(&device).unwrap();
    for (width, height) in SIZES {
        let colours: Vec<[u8; 4]> = texels(width, height, |i| mix(i).to_le_bytes());
        let heights: Vec<f32> = texels(width, height, |i| i as f32 * 0.25 - 3.0);
        let colours_in: Image<Rgba8Unorm> = device.image_from(width, height, &colours).unwrap();
        let heights_in: Image<R32Float> = device.image_from(width, height, &heights).unwrap();
        let mut floats: Image<Rgba32Float> = device.image(width, height).unwrap();
        let mut sizes = device.buffer::<u32>(3).unwrap();
        let args = images::levels::Args {
            colours: &colours_in,
            heights: &heights_in,
            floats: &mut floats,
            sizes: &mut sizes,
            threads: [width, height, 1],
        };
        kernel.launch(&queue, args).unwrap();
        assert_eq!(sizes.read(&queue).unwrap(), [width, height, 1]);
        let floats = floats.read(&queue).unwrap();
        let index = |x: i64, y: i64| {
            let inside = (0..i64::from(width)).contains(&x) && (0..i64::from(height)).contains(&y);
            inside.then(|| (y * i64::from(width) + x) as usize)
        };
        for (x, y) in (0..i64::from(height)).flat_map(|y| (0..i64::from(width)).map(move |x| (x, y))) {
            let colour = |i: Option<usize>, c: usize| i.map_or(0.0, |i| f32::from(colours[i][c]) / 255.0);
            let want = [
                colour(index(x, y), 0),
                colour(index(x + 1, y - 1), 1),
                index(x - 2, y + 3).map_or(0.0, |i| heights[i]),
                1.0,
            ];
            let got = floats[index(x, y).unwrap()];
            let close = got.iter().zip(want).all(|(g, w)| (g - w).abs() < 1e-6);
            assert!(close, "{width} x {height}: {x}, {y}: {got:?}, expected {want:?}");
        }
    }
}
