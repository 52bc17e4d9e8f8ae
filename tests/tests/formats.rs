//! Image formats: what a kernel reads and writes, against the definitions of the formats.

use kernel_tests::{device, formats, mix};
use spirv_runtime::{
    Image, PixelFormat, R32Float, Rgba8Snorm, Rgba8Uint, Rgba8Unorm, Rgba16Float, Rgba32Float, Rgba32Uint,
    ShaderTexel,
};

const WIDTH: u32 = 37;
const HEIGHT: u32 = 11;

fn texels<T>(make: impl Fn(u32) -> T) -> Vec<T> {
    (0..WIDTH * HEIGHT).map(make).collect()
}

/// What a kernel sees of an image's texels.
fn seen<F: PixelFormat + ShaderTexel<[f32; 4]>>(data: &[F::Texel]) -> Vec<[f32; 4]> {
    let device = device();
    let queue = device.queue();
    let source: Image<F> = device.image_from(WIDTH, HEIGHT, data).unwrap();
    let mut out: Image<Rgba32Float> = device.image(WIDTH, HEIGHT).unwrap();
    let args = formats::read::Args { source: &source, as_floats: &mut out, threads: [WIDTH, HEIGHT, 1] };
    formats::read::load(&device).unwrap().launch(&queue, args).unwrap();
    out.read(&queue).unwrap()
}

fn assert_near(got: &[[f32; 4]], want: &[[f32; 4]]) {
    assert_eq!(got.len(), want.len());
    for (i, (g, w)) in got.iter().zip(want).enumerate() {
        for c in 0..4 {
            assert!((g[c] - w[c]).abs() <= 1e-6 * w[c].abs().max(1.0), "texel {i}: {g:?}, expected {w:?}");
        }
    }
}

#[test]
fn formats_are_read_as_what_they_mean() {
    let bytes = texels(|i| mix(i).to_le_bytes());
    assert_near(
        &seen::<Rgba8Unorm>(&bytes),
        &bytes.iter().map(|t| t.map(|v| f32::from(v) / 255.0)).collect::<Vec<_>>(),
    );
    let signed = texels(|i| mix(i).to_le_bytes().map(|b| b as i8));
    assert_near(
        &seen::<Rgba8Snorm>(&signed),
        &signed.iter().map(|t| t.map(|v| (f32::from(v) / 127.0).max(-1.0))).collect::<Vec<_>>(),
    );
    let floats = texels(|i| [mix(i) as f32, -1.5, 0.0, i as f32 * 0.25]);
    assert_near(&seen::<Rgba32Float>(&floats), &floats);
}

#[test]
fn formats_are_written_as_what_they_mean() {
    let device = device();
    let queue = device.queue();
    // Beyond the ranges of the normalised formats on both sides, and no value whose rounding is a tie.
    let floats = texels(|i| [0, 1, 2, 3].map(|c| (mix(i * 4 + c) % 3001) as f32 / 1000.0 - 1.5));
    let source: Image<Rgba32Float> = device.image_from(WIDTH, HEIGHT, &floats).unwrap();
    let mut unorm: Image<Rgba8Unorm> = device.image(WIDTH, HEIGHT).unwrap();
    let mut snorm: Image<Rgba8Snorm> = device.image(WIDTH, HEIGHT).unwrap();
    let mut halves: Image<Rgba16Float> = device.image(WIDTH, HEIGHT).unwrap();
    let mut single: Image<R32Float> = device.image(WIDTH, HEIGHT).unwrap();
    let args = formats::write::Args {
        source: &source,
        as_unorm8: &mut unorm,
        as_snorm8: &mut snorm,
        as_halves: &mut halves,
        as_float: &mut single,
        threads: [WIDTH, HEIGHT, 1],
    };
    formats::write::load(&device).unwrap().launch(&queue, args).unwrap();
    for (i, (got, f)) in unorm.read(&queue).unwrap().iter().zip(&floats).enumerate() {
        let want = f.map(|v| v.clamp(0.0, 1.0) * 255.0);
        assert!(
            got.iter().zip(want).all(|(g, w)| (f32::from(*g) - w).abs() < 0.51),
            "{i}: {got:?}, {want:?}"
        );
    }
    for (i, (got, f)) in snorm.read(&queue).unwrap().iter().zip(&floats).enumerate() {
        let want = f.map(|v| v.clamp(-1.0, 1.0) * 127.0);
        assert!(
            got.iter().zip(want).all(|(g, w)| (f32::from(*g) - w).abs() < 0.51),
            "{i}: {got:?}, {want:?}"
        );
    }
    assert_eq!(single.read(&queue).unwrap(), floats.iter().map(|f| f[1]).collect::<Vec<_>>());
    // Halves read back by the kernel that reads: within a unit of the eleventh bit, since devices may cut off.
    let back = seen::<Rgba16Float>(&halves.read(&queue).unwrap());
    for (got, f) in back.iter().zip(&floats) {
        assert!(got.iter().zip(f).all(|(g, w)| (g - w).abs() <= w.abs() / 1024.0), "{got:?}, {f:?}");
    }
}

#[test]
fn outside_is_zero_and_nothing() {
    let device = device();
    let queue = device.queue();
    let bytes = texels(|i| mix(i).to_le_bytes());
    let integers: Image<Rgba8Uint> = device.image_from(WIDTH, HEIGHT, &bytes).unwrap();
    let mut out: Image<Rgba32Uint> = device.image(WIDTH, HEIGHT).unwrap();
    let args = formats::words::Args { integers: &integers, as_words: &mut out, threads: [WIDTH, HEIGHT, 1] };
    formats::words::load(&device).unwrap().launch(&queue, args).unwrap();
    for (i, got) in out.read(&queue).unwrap().into_iter().enumerate() {
        let mut want = match i as u32 % WIDTH {
            0 => [0; 4],
            _ => bytes[i - 1].map(u32::from),
        };
        want[3] += 1;
        assert_eq!(got, want, "texel {i}");
    }
}
