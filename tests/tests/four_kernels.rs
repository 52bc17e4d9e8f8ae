//! The four kernels on the device that `SPIRV_DEVICE` names, on odd sizes.

use kernel_tests::{COUNTS, SIZES, blur, device, mandelbrot, mix, reduce, saxpy, unit};
use spirv_runtime::{Image, Rgba8Unorm, Rgba32Float};

#[test]
fn saxpy_on_odd_counts() {
    let device = device();
    let queue = device.queue();
    let kernel = saxpy::load(&device).unwrap();
    for n in COUNTS {
        let x: Vec<f32> = (0..n as u32).map(|i| unit(i) * 4.0 - 2.0).collect();
        let y: Vec<f32> = (0..n as u32).map(|i| unit(i + 7)).collect();
        let (bx, mut by) = (device.buffer_from(&x).unwrap(), device.buffer_from(&y).unwrap());
        let scale = saxpy::Scale { a: 1.75, n: n as u32 };
        let args =
            saxpy::Args { x: &bx, y: &mut by, params: saxpy::Params { scale }, threads: [n as u32, 1, 1] };
        kernel.launch(&queue, args).unwrap();
        let got = by.read(&queue).unwrap();
        assert_eq!(got.len(), n);
        for i in 0..n {
            let want = 1.75 * f64::from(x[i]) + f64::from(y[i]);
            assert!(
                (f64::from(got[i]) - want).abs() <= 1e-6,
                "{n} elements: y[{i}] = {}, expected {want}",
                got[i]
            );
        }
    }
}

/// One pass in f64 over texels in f64.
fn blur_reference(texels: &[[f64; 4]], (w, h): (i64, i64), (dx, dy): (i64, i64)) -> Vec<[f64; 4]> {
    let weights = [1.0 / 16.0, 4.0 / 16.0, 6.0 / 16.0, 4.0 / 16.0, 1.0 / 16.0];
    let mut out = Vec::new();
    for y in 0..h {
        for x in 0..w {
            let mut sum = [0.0; 4];
            for (i, weight) in weights.iter().enumerate() {
                let i = i as i64 - 2;
                let (sx, sy) = ((x + i * dx).clamp(0, w - 1), (y + i * dy).clamp(0, h - 1));
                for (s, t) in sum.iter_mut().zip(texels[(sy * w + sx) as usize]) {
                    *s += weight * t;
                }
            }
            out.push(sum);
        }
    }
    out
}

#[test]
fn blur_on_odd_sizes() {
    let device = device();
    let queue = device.queue();
    let kernel = blur::load(&device).unwrap();
    for (width, height) in SIZES {
        let texels: Vec<[u8; 4]> = (0..width * height).map(|i| mix(i).to_le_bytes()).collect();
        let source: Image<Rgba8Unorm> = device.image_from(width, height, &texels).unwrap();
        let mut rows: Image<Rgba32Float> = device.image(width, height).unwrap();
        let mut both: Image<Rgba32Float> = device.image(width, height).unwrap();
        let size = [width as i32, height as i32];
        let threads = [width, height, 1];
        let params = blur::Params { size, direction: [1, 0] };
        kernel.launch(&queue, blur::Args { source: &source, target: &mut rows, params, threads }).unwrap();
        let params = blur::Params { size, direction: [0, 1] };
        kernel.launch(&queue, blur::Args { source: &rows, target: &mut both, params, threads }).unwrap();

        let exact: Vec<[f64; 4]> = texels.iter().map(|t| t.map(|v| f64::from(v) / 255.0)).collect();
        let (w, h) = (i64::from(width), i64::from(height));
        let want = blur_reference(&blur_reference(&exact, (w, h), (1, 0)), (w, h), (0, 1));
        for (i, (got, want)) in both.read(&queue).unwrap().iter().zip(&want).enumerate() {
            for c in 0..4 {
                assert!(
                    (f64::from(got[c]) - want[c]).abs() < 1e-5,
                    "{width} x {height}: texel {i}: {got:?}, expected {want:?}"
                );
            }
        }
    }
}

/// Iterations of a point in f32, then of points around it that are a few units in the last place away. A device may
/// fuse and reorder multiplications and additions, and each iteration magnifies that: where the neighbours differ,
/// the point is too close to the set's edge for any of their counts to be wrong. Lazy: mostly only the first is used.
fn mandelbrot_references(
    corner: [f32; 2],
    step: [f32; 2],
    (x, y): (u32, u32),
    limit: u32,
) -> impl Iterator<Item = u32> {
    let c = [corner[0] + x as f32 * step[0], corner[1] + y as f32 * step[1]];
    let nudges = (0..25).map(|i| [(i % 5 - 2) * 2, (i / 5 - 2) * 2]);
    let nudged = |c: f32, by: i32| c * (1.0 + by as f32 * f32::EPSILON);
    std::iter::once([0, 0]).chain(nudges).map(move |by| {
        let (cx, cy) = (nudged(c[0], by[0]), nudged(c[1], by[1]));
        let (mut zx, mut zy, mut n) = (0f32, 0f32, 0);
        while n < limit {
            (zx, zy) = (zx * zx - zy * zy + cx, 2.0 * zx * zy + cy);
            if zx * zx + zy * zy > 4.0 {
                break;
            }
            n += 1;
        }
        n
    })
}

#[test]
fn mandelbrot_on_odd_sizes() {
    let device = device();
    let queue = device.queue();
    let kernel = mandelbrot::load(&device).unwrap();
    let limit = 200;
    for (width, height) in SIZES {
        let mut iterations = device.buffer::<u32>((width * height) as usize).unwrap();
        let (corner, step) = ([-2.5f32, -1.25], [3.5 / width as f32, 2.5 / height as f32]);
        let view = mandelbrot::View { corner, step, width, height, limit };
        let args = mandelbrot::Args { iterations: &mut iterations, view, threads: [width, height, 1] };
        kernel.launch(&queue, args).unwrap();
        let got = iterations.read(&queue).unwrap();
        let mut sensitive = 0;
        for y in 0..height {
            for x in 0..width {
                let mut references = mandelbrot_references(corner, step, (x, y), limit);
                let got = got[(y * width + x) as usize];
                let Some(first) = references.next() else { continue };
                if got != first {
                    sensitive += 1;
                    assert!(
                        references.any(|c| c != first),
                        "{width} x {height}: point {x}, {y}: {got}, not {first}"
                    );
                }
            }
        }
        assert!(sensitive <= 2 + width * height / 50, "{width} x {height}: {sensitive} points differ");
    }
}

#[test]
fn reduction_on_odd_counts() {
    let device = device();
    let queue = device.queue();
    let kernel = reduce::load(&device).unwrap();
    for n in COUNTS {
        let values: Vec<u32> = (0..n as u32).map(mix).collect();
        let buffer = device.buffer_from(&values).unwrap();
        let mut total = device.buffer_from(&[5u32]).unwrap();
        let args = reduce::Args {
            values: &buffer,
            total: &mut total,
            params: reduce::Params { n: n as u32 },
            threads: [n as u32, 1, 1],
        };
        kernel.launch(&queue, args).unwrap();
        let want = values.iter().fold(5u32, |s, v| s.wrapping_add(*v));
        assert_eq!(total.read(&queue).unwrap(), [want], "{n} elements");
    }
}
