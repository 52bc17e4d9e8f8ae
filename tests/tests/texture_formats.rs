//! Textures of each format, against what its bits mean.

use bytemuck::bytes_of;
use kernel_tests::{device, mix, texture_formats as k};
use spirv_runtime::*;

const WIDTH: u32 = 64;
const HEIGHT: u32 = 6;
const THREADS: [u32; 3] = [WIDTH, HEIGHT, 1];

/// What floats of a few bits mean, which have no sign.
fn small_float(bits: u32, mantissa: u32) -> f64 {
    let (e, m) = (bits >> mantissa, f64::from(bits & ((1 << mantissa) - 1)) / f64::from(1 << mantissa));
    match e {
        0 => m * 2f64.powi(-14),
        31 if m > 0.0 => f64::NAN,
        31 => f64::INFINITY,
        _ => (1.0 + m) * 2f64.powi(e as i32 - 15),
    }
}

fn half(bits: u16) -> f64 {
    let v = small_float(u32::from(bits & 0x7fff), 10);
    if bits >> 15 == 1 { -v } else { v }
}

fn srgb(v: f64) -> f64 {
    if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
}

/// What the bytes of a texel mean, by the name of the format.
fn meaning(name: &str, texel: &[u8]) -> [f64; 4] {
    let word = || u32::from_ne_bytes(texel.try_into().unwrap());
    match name {
        "Rg11b10Float" => {
            let w = word();
            return [
                small_float(w & 0x7ff, 6),
                small_float(w >> 11 & 0x7ff, 6),
                small_float(w >> 22, 5),
                1.0,
            ];
        }
        "Rgb10a2Unorm" => {
            let w = word();
            let part = |n: u32| f64::from(w >> n & 1023) / 1023.0;
            return [part(0), part(10), part(20), f64::from(w >> 30) / 3.0];
        }
        "Rgb9e5Float" => {
            let w = word();
            let part = |n: u32| f64::from(w >> n & 511) * 2f64.powi((w >> 27) as i32 - 24);
            return [part(0), part(9), part(18), 1.0];
        }
        _ => {}
    }
    let digits = name.find(|c: char| c.is_ascii_digit()).unwrap();
    let (letters, rest) = name.split_at(digits);
    let kind = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let bytes = texel.len() / letters.len();
    let mut out = [0.0, 0.0, 0.0, 1.0];
    for (i, part) in texel.chunks(bytes).enumerate() {
        let small = || u16::from_ne_bytes(part.try_into().unwrap());
        out[i] = match (kind, bytes) {
            ("Float", 4) => f64::from(f32::from_ne_bytes(part.try_into().unwrap())),
            ("Float", _) => half(small()),
            ("Unorm", 1) => f64::from(part[0]) / 255.0,
            ("Unorm", _) => f64::from(small()) / 65535.0,
            ("Snorm", 1) => (f64::from(part[0] as i8) / 127.0).max(-1.0),
            ("Snorm", _) => (f64::from(small() as i16) / 32767.0).max(-1.0),
            ("Srgb", _) if i == 3 => f64::from(part[0]) / 255.0,
            ("Srgb", _) => srgb(f64::from(part[0]) / 255.0),
            _ => panic!("{name}"),
        };
    }
    if letters == "Bgra" {
        out.swap(0, 2);
    }
    out
}

fn near(got: f32, want: f64) -> bool {
    let got = f64::from(got);
    got.is_nan() && want.is_nan() || got == want || (got - want).abs() <= 1e-5 * want.abs().max(0.05)
}

fn on_level_zero() -> bool {
    device().id().starts_with("level-zero")
}

/// An image of these texels. None if no device of this kind need have the format.
fn image<F: PixelFormat>(device: &Device, texels: &[F::Texel]) -> Option<Image<F>> {
    match device.image_from::<F>(WIDTH, HEIGHT, texels) {
        Ok(image) => Some(image),
        Err(e) if e.kind() == ErrorKind::Unsupported && device.id() != "cpu" => {
            assert!(e.to_string().contains(F::NAME), "{e}");
            None
        }
        Err(e) => panic!("{}: {e}", F::NAME),
    }
}

/// Well mixed bits; floats of 32 bits are numbers.
fn texels<F: PixelFormat>() -> Vec<F::Texel> {
    let mut out = vec![bytemuck::Zeroable::zeroed(); (WIDTH * HEIGHT) as usize];
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut out);
    for (i, part) in (0..).zip(bytes.chunks_mut(4)) {
        let bits = match F::NAME.ends_with("32Float") {
            true => (mix(i) as f32 / 1e9 - 2.0).to_bits(),
            false => mix(i),
        };
        part.copy_from_slice(&bits.to_ne_bytes()[..part.len()]);
    }
    out
}

fn floats<F>()
where
    F: PixelFormat + ShaderTexel<[f32; 4]> + ShaderTexel<[f32; 3]> + ShaderTexel<[f32; 2]> + ShaderTexel<f32>,
{
    let device = device();
    let queue = device.queue();
    let data = texels::<F>();
    let Some(source) = image::<F>(&device, &data) else { return };
    let want: Vec<[f64; 4]> = data.iter().map(|t| meaning(F::NAME, bytes_of(t))).collect();
    let mut seen = device.buffer_from(&vec![[-7.0f32; 4]; data.len()]).unwrap();
    // Devices may decode sRGB by an approximation that is right to the half of a step.
    let curved = F::NAME.ends_with("Srgb") && device.id() != "cpu";
    let within = |got: f32, want: f64| {
        let step = |v: f64| if v <= 0.0031308 { v * 12.92 } else { 1.055 * v.powf(1.0 / 2.4) - 0.055 };
        near(got, want) || curved && (step(got.into()) - step(want)).abs() < 0.5 / 255.0
    };
    let check = |how: &str, got: Vec<[f32; 4]>, parts: fn(usize) -> usize| {
        for (i, (got, want)) in got.iter().zip(&want).enumerate() {
            for c in 0..4 {
                let want = if c < parts(i) { want[c] } else { -1.0 };
                assert!(
                    within(got[c], want),
                    "{} {how}, texel {i}, part {c}: {got:?}, expected {want}",
                    F::NAME
                );
            }
        }
    };
    let args = k::load::Args { four: &source, seen: &mut seen, threads: THREADS };
    k::load::load(&device).unwrap().launch(&queue, args).unwrap();
    check("loaded", seen.read(&queue).unwrap(), |_| 4);
    if !on_level_zero() {
        let nearest = device.sampler(SamplerOptions::default()).unwrap();
        let args = k::sample::Args { four: &source, nearest: &nearest, seen: &mut seen, threads: THREADS };
        k::sample::load(&device).unwrap().launch(&queue, args).unwrap();
        check("sampled", seen.read(&queue).unwrap(), |_| 4);
    }
    let (one, two, three) = (&source, &source, &source);
    let args = k::parts::Args { one, two, three, seen: &mut seen, threads: THREADS };
    k::parts::load(&device).unwrap().launch(&queue, args).unwrap();
    check("in parts", seen.read(&queue).unwrap(), |i| i / WIDTH as usize % 3 + 1);
}

macro_rules! of_floats {
    ($($test:ident: $($format:ident)*;)*) => {$(
        #[test]
        fn $test() {
            $(floats::<$format>();)*
        }
    )*};
}

of_floats! {
    eight_bits: R8Unorm Rg8Unorm Rgba8Unorm R8Snorm Rg8Snorm Rgba8Snorm Bgra8Unorm;
    sixteen_bits: R16Unorm Rg16Unorm Rgba16Unorm R16Snorm Rg16Snorm Rgba16Snorm R16Float Rg16Float Rgba16Float;
    floats_of_32_bits: R32Float Rg32Float Rgba32Float;
    srgb_is_decoded: Rgba8Srgb Bgra8Srgb R8Srgb Rg8Srgb;
    components_that_share_a_word: Rgb10a2Unorm Rg11b10Float Rgb9e5Float;
}

/// Integers, with what bits mean left to the signs of the components.
fn integers<F: PixelFormat>(launch: impl Fn(&Device, &Queue, &Image<F>, &mut Buffer<[u32; 4]>), sign: bool) {
    let device = device();
    let queue = device.queue();
    let data = texels::<F>();
    let Some(source) = image::<F>(&device, &data) else { return };
    let mut bits = device.buffer::<[u32; 4]>(data.len()).unwrap();
    launch(&device, &queue, &source, &mut bits);
    for (i, (got, texel)) in bits.read(&queue).unwrap().iter().zip(&data).enumerate() {
        let bytes = bytes_of(texel);
        let mut want = [0, 0, 0, 1];
        if F::NAME == "Rgb10a2Uint" {
            let w = u32::from_ne_bytes(bytes.try_into().unwrap());
            want = [w & 1023, w >> 10 & 1023, w >> 20 & 1023, w >> 30];
        } else {
            for (to, part) in want.iter_mut().zip(bytes.chunks(bytes.len() / F::COMPONENTS as usize)) {
                let fill = if sign && part.last().unwrap() >> 7 == 1 { 0xff } else { 0 };
                let mut all = [fill; 4];
                all[..part.len()].copy_from_slice(part);
                *to = u32::from_ne_bytes(all);
            }
        }
        assert_eq!(*got, want, "{} texel {i}", F::NAME);
    }
}

macro_rules! unsigned {
    ($($format:ident)*) => {$(
        integers::<$format>(|device, queue, image, bits| {
            let args = k::unsigned_words::Args { words: image, word: image, bits, threads: THREADS };
            k::unsigned_words::load(device).unwrap().launch(queue, args).unwrap();
        }, false);
    )*};
}

macro_rules! signed {
    ($($format:ident)*) => {$(
        integers::<$format>(|device, queue, image, bits| {
            let args = k::signed_words::Args { numbers: image, bits, threads: THREADS };
            k::signed_words::load(device).unwrap().launch(queue, args).unwrap();
        }, true);
    )*};
}

#[test]
fn integers_of_all_widths() {
    unsigned!(R8Uint Rg8Uint Rgba8Uint R16Uint Rg16Uint Rgba16Uint R32Uint Rg32Uint Rgba32Uint Rgb10a2Uint);
    signed!(R8Sint Rg8Sint Rgba8Sint R16Sint Rg16Sint Rgba16Sint R32Sint Rg32Sint Rgba32Sint);
}

#[test]
fn words_of_several_components_are_written() {
    let device = device();
    if on_level_zero() {
        return;
    }
    let queue = device.queue();
    let start: Vec<[f32; 4]> = (0..WIDTH * HEIGHT)
        .map(|i| [0, 1, 2, 3].map(|c| (mix(i * 4 + c) % 5001) as f32 / 2000.0 - 0.5))
        .collect();
    let four = device.image_from::<Rgba32Float>(WIDTH, HEIGHT, &start).unwrap();
    let mut unorm = device.image::<Rgb10a2Unorm>(WIDTH, HEIGHT).unwrap();
    let mut floats = device.image::<Rg11b10Float>(WIDTH, HEIGHT).unwrap();
    let mut words = device.image::<Rgb10a2Uint>(WIDTH, HEIGHT).unwrap();
    let args = k::store::Args {
        four: &four,
        as_rgb10a2: &mut unorm,
        as_rg11b10: &mut floats,
        as_rgb10a2_words: &mut words,
        threads: THREADS,
    };
    k::store::load(&device).unwrap().launch(&queue, args).unwrap();
    let (unorm, floats) = (unorm.read(&queue).unwrap(), floats.read(&queue).unwrap());
    for (i, v) in start.iter().enumerate() {
        let got = meaning("Rgb10a2Unorm", bytes_of(&unorm[i]));
        for c in 0..4 {
            let step = if c == 3 { 3.0 } else { 1023.0 };
            let want = f64::from(v[c]).clamp(0.0, 1.0);
            assert!((got[c] - want).abs() <= 0.51 / step, "texel {i}: {got:?}, {v:?}");
        }
        // Devices may cut off what there is no room for.
        let got = meaning("Rg11b10Float", bytes_of(&floats[i]));
        for c in 0..3 {
            let want = f64::from(v[c]).max(0.0);
            assert!((got[c] - want).abs() <= want / 32.0 + 1e-5, "texel {i}: {got:?}, {v:?}");
        }
    }
    let words = words.read(&queue).unwrap();
    assert_eq!(words[(3 * WIDTH + 5) as usize], 5 | 3 << 10 | 1023 << 20 | 2 << 30);
}

/// An image of one block, as a kernel sees its first texel; its bytes come back as they went.
fn block<F>(bytes: &[u8]) -> Option<[f32; 4]>
where
    F: PixelFormat + ShaderTexel<[f32; 4]>,
{
    let device = device();
    let queue = device.queue();
    let block: F::Texel = bytemuck::pod_read_unaligned(bytes);
    let source = match device.image_from::<F>(8, 4, &[block; 2]) {
        Ok(source) => source,
        Err(e) => {
            assert_eq!(e.kind(), ErrorKind::Unsupported, "{e}");
            assert!(e.to_string().contains(F::NAME), "{e}");
            return None;
        }
    };
    let back = source.read(&queue).unwrap();
    assert_eq!(bytemuck::cast_slice::<_, u8>(&back), [bytes, bytes].concat());
    let mut seen = device.buffer_from(&[[-7.0f32; 4]; 256]).unwrap();
    let args = k::load::Args { four: &source, seen: &mut seen, threads: [8, 4, 1] };
    k::load::load(&device).unwrap().launch(&queue, args).unwrap();
    let zeros = device.image_of::<F, D2>(D2::size(8, 8).with_levels(3)).unwrap();
    assert!(
        bytemuck::cast_slice::<_, u8>(&zeros.level(2).unwrap().read(&queue).unwrap()).iter().all(|b| *b == 0)
    );
    Some(seen.read(&queue).unwrap()[0])
}

#[test]
fn compressed_blocks_are_read_where_the_device_has_them() {
    // Red; a grey of 4 bits each of alpha; 200 and 100 of 255.
    let red = [0, 0xf8, 0, 0, 0, 0, 0, 0];
    let alpha4 = [&[0x88; 8][..], &red].concat();
    let alpha8 = [&[128, 0, 0, 0, 0, 0, 0, 0][..], &red].concat();
    let (r, g) = ([200, 0, 0, 0, 0, 0, 0, 0], [100, 0, 0, 0, 0, 0, 0, 0]);
    let both = [r, g].concat();
    let cases = [
        (block::<Bc1RgbaUnorm>(&red), [1.0, 0.0, 0.0, 1.0]),
        (block::<Bc1RgbSrgb>(&red), [1.0, 0.0, 0.0, 1.0]),
        (block::<Bc2Unorm>(&alpha4), [1.0, 0.0, 0.0, 8.0 / 15.0]),
        (block::<Bc3Srgb>(&alpha8), [1.0, 0.0, 0.0, 128.0 / 255.0]),
        (block::<Bc4Unorm>(&r), [200.0 / 255.0, 0.0, 0.0, 1.0]),
        (block::<Bc5Unorm>(&both), [200.0 / 255.0, 100.0 / 255.0, 0.0, 1.0]),
    ];
    for (i, (got, want)) in cases.into_iter().enumerate() {
        let Some(got) = got else { continue };
        assert!(
            got.iter().zip(want).all(|(g, w)| (g - w).abs() < 1e-2),
            "case {i}: {got:?}, expected {want:?}"
        );
    }
    let _ = (block::<Bc6hUfloat>(&[0; 16]), block::<Bc7Unorm>(&[0x40; 16]), block::<Bc7Srgb>(&[0x40; 16]));
    // What a block more or less is.
    let device = device();
    if let Err(e) = device.image_from::<Bc1RgbaUnorm>(5, 5, &[red; 3]) {
        assert!(
            e.to_string().contains("3 blocks; 4 are needed") || e.kind() == ErrorKind::Unsupported,
            "{e}"
        );
    }
}
