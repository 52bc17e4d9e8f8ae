//! Images of one and three dimensions, arrays and cubes, against a reference; and one level made from another.

use kernel_tests::reference::{Grid, Sample, Texel, is_clear, tolerance};
use kernel_tests::{arrays, arrays_each, device, mix, shapes, unit};
use spirv_runtime::{
    AddressMode, Cube, CubeArray, D1, D1Array, D2, D2Array, D3, Device, ErrorKind, Filter, Image, R32Float,
    R32Sint, R32Uint, Rgba8Unorm, Rgba32Float, SamplerOptions,
};

/// The device, unless it has none of these images; then it says so.
fn device_with_shapes() -> Option<Device> {
    let device = device();
    match device.image_of::<R32Float, _>(D3::size(2, 2, 2)) {
        Err(e) if device.id().starts_with("level-zero") => {
            assert_eq!(e.kind(), ErrorKind::Unsupported, "{e}");
            None
        }
        Err(e) => panic!("{e}"),
        Ok(_) => Some(device),
    }
}

fn grid_of(size: [u32; 3], texels: &[[u8; 4]]) -> Grid {
    Grid::new(size.map(|n| n as usize), |i| texels[i as usize].map(|v| f64::from(v) / 255.0))
}

fn bytes(count: u32, seed: u32) -> Vec<[u8; 4]> {
    (0..count).map(|i| mix(i + seed).to_le_bytes()).collect()
}

/// Texels that a kernel sees as this component and then 0, 0 and 1.
fn single(size: [u32; 3], texels: &[f32]) -> Grid {
    Grid::new(size.map(|n| n as usize), |i| [f64::from(texels[i as usize]), 0.0, 0.0, 1.0])
}

struct Shapes {
    ray: Image<R32Float, D1>,
    ray_grid: Grid,
    rays: Image<R32Float, D1Array>,
    /// One a layer.
    rays_grids: Vec<Grid>,
    layers: Image<Rgba8Unorm, D2Array>,
    /// One a layer, each with its levels.
    layers_grids: Vec<Vec<Grid>>,
    volume: Image<Rgba8Unorm, D3>,
    volume_grids: Vec<Grid>,
}

const RAY: u32 = 19;
const RAYS: [u32; 2] = [7, 3];
const LAYERS: [u32; 3] = [9, 5, 4];
const VOLUME: [u32; 3] = [11, 6, 5];

fn make(device: &Device) -> Shapes {
    let queue = device.queue();
    let ray_texels: Vec<f32> = (0..RAY).map(unit).collect();
    let rays_texels: Vec<f32> = (0..RAYS[0] * RAYS[1]).map(|i| unit(i + 50)).collect();
    let mut layers: Image<Rgba8Unorm, _> =
        device.image_of(D2Array::size(LAYERS[0], LAYERS[1], LAYERS[2]).with_levels(2)).unwrap();
    let mut layers_grids: Vec<Vec<Grid>> = (0..LAYERS[2]).map(|_| Vec::new()).collect();
    for (l, level) in (0..).zip(layers.levels_mut()) {
        let (w, h) = (level.width(), level.height());
        let texels = bytes(w * h * LAYERS[2], l * 777);
        level.write(&queue, &texels).unwrap();
        assert_eq!(level.read(&queue).unwrap(), texels);
        for (grids, texels) in layers_grids.iter_mut().zip(texels.chunks((w * h) as usize)) {
            grids.push(grid_of([w, h, 1], texels));
        }
    }
    let [w, h, d] = VOLUME;
    let mut volume: Image<Rgba8Unorm, _> = device.image_of(D3::size(w, h, d).with_all_levels()).unwrap();
    let mut volume_grids = Vec::new();
    for (l, level) in (0..).zip(volume.levels_mut()) {
        let size = [level.width(), level.height(), level.depth()];
        let texels = bytes(size.iter().product(), l * 999);
        level.write(&queue, &texels).unwrap();
        volume_grids.push(grid_of(size, &texels));
    }
    Shapes {
        ray: device.image_of_texels(D1::size(RAY), &ray_texels).unwrap(),
        ray_grid: single([RAY, 1, 1], &ray_texels),
        rays: device.image_of_texels(D1Array::size(RAYS[0], RAYS[1]), &rays_texels).unwrap(),
        rays_grids: rays_texels.chunks(RAYS[0] as usize).map(|t| single([RAYS[0], 1, 1], t)).collect(),
        layers,
        layers_grids,
        volume,
        volume_grids,
    }
}

fn assert_close(got: [f32; 4], want: Texel, by: f64, what: &str) {
    let close = got.iter().zip(want).all(|(g, w)| (f64::from(*g) - w).abs() <= by);
    assert!(close, "{what}: {got:?}, expected {want:?}");
}

fn params(count: usize, shift: [i32; 3], level: f32) -> shapes::Params {
    shapes::Params { count: count as u32, shift, level }
}

#[test]
fn texels_of_every_shape_are_read_and_written() {
    let Some(device) = device_with_shapes() else { return };
    let queue = device.queue();
    let shapes = make(&device);
    let kernel = shapes::r#move::load(&device).unwrap();
    let sky: Image<Rgba8Unorm, Cube> = device.image_of(Cube::size(8)).unwrap();
    let skies: Image<R32Float, CubeArray> = device.image_of(CubeArray::size(4, 3)).unwrap();
    let [w, h, d] = VOLUME;
    for shift in [[0, 0, 0], [2, -1, 1], [-3, 4, -2]] {
        let mut ray_out: Image<R32Float, D1> = device.image_of(D1::size(RAY)).unwrap();
        let mut layers_out: Image<Rgba8Unorm, D2Array> = device.image_of(D2Array::size(8, 4, 6)).unwrap();
        let start = vec![[9.0f32; 4]; (w * h * d) as usize];
        let mut volume_out: Image<Rgba32Float, D3> =
            device.image_of_texels(D3::size(w, h, d), &start).unwrap();
        let mut sizes = device.buffer::<u32>(18).unwrap();
        let args = shapes::r#move::Args {
            ray: &shapes.ray,
            rays: &shapes.rays,
            layers: &shapes.layers,
            volume: &shapes.volume,
            sky: &sky,
            skies: &skies,
            ray_out: &mut ray_out,
            layers_out: &mut layers_out,
            volume_out: &mut volume_out,
            sizes: &mut sizes,
            params: params(0, shift, 0.0),
            threads: VOLUME,
        };
        kernel.launch(&queue, args).unwrap();
        let (ray_out, layers_out) = (ray_out.read(&queue).unwrap(), layers_out.read(&queue).unwrap());
        let volume_out = volume_out.read(&queue).unwrap();
        let mut want_layers = vec![[0.0; 4]; 8 * 4 * 6];
        let mut want_ray = vec![0.0; RAY as usize];
        let plus = |a: [i64; 3], b: [i32; 3]| [0, 1, 2].map(|c| a[c] + i64::from(b[c]));
        for (i, got) in (0i64..).zip(&volume_out) {
            let id = [i % i64::from(w), i / i64::from(w) % i64::from(h), i / i64::from(w * h)];
            let grid = &shapes.volume_grids[0];
            let texel = |at| grid.get(at).unwrap_or([0.0; 4]);
            let (a, b) = (texel(plus(id, shift)), texel(plus(id, [1, 0, -1])));
            assert_close(*got, [0, 1, 2, 3].map(|c| a[c] + b[c]), 1e-5, &format!("{shift:?}: {id:?}"));
            let layer = |at: [i64; 3]| {
                let layer = usize::try_from(at[2]).ok().and_then(|l| shapes.layers_grids.get(l));
                layer.and_then(|l| l[0].get([at[0], at[1], 0])).unwrap_or([0.0; 4])
            };
            let to = plus(id, shift.map(|s| -s));
            if (0..8).contains(&to[0]) && (0..4).contains(&to[1]) && (0..6).contains(&to[2]) {
                want_layers[((to[2] * 4 + to[1]) * 8 + to[0]) as usize] = layer(plus(id, shift));
            }
            if id[1] == 0 && id[2] == 0 {
                let to = (id[0] - i64::from(shift[0])) as usize;
                let one = shapes.ray_grid.get([id[0] + i64::from(shift[0]), 0, 0]).unwrap_or_default()[0];
                let two = usize::try_from(shift[2]).ok().and_then(|l| shapes.rays_grids.get(l));
                let two = two.and_then(|g| g.get([id[0], 0, 0])).unwrap_or_default()[0];
                if let Some(want) = want_ray.get_mut(to) {
                    *want = one + two;
                }
            }
        }
        for (i, (got, want)) in layers_out.iter().zip(&want_layers).enumerate() {
            assert_close(
                got.map(|v| f32::from(v) / 255.0),
                *want,
                1e-5,
                &format!("{shift:?}: layers at {i}"),
            );
        }
        for (i, (got, want)) in ray_out.iter().zip(&want_ray).enumerate() {
            assert!((f64::from(*got) - want).abs() < 1e-6, "{shift:?}: ray at {i}: {got}, expected {want}");
        }
        let sizes = sizes.read(&queue).unwrap();
        let want = [&[RAY], &RAYS[..], &LAYERS, &VOLUME, &[4], &[8, 8], &[4, 4, 3], &[8, 4, 6]].concat();
        assert_eq!(sizes, want);
    }
}

#[test]
fn every_shape_is_sampled() {
    let Some(device) = device_with_shapes() else { return };
    let queue = device.queue();
    let shapes = make(&device);
    let kernel = shapes::sample_all::load(&device).unwrap();
    let sides = |n: u32| (0..4).map(move |l| (n >> l).max(1) as usize);
    let points: Vec<[f32; 4]> = (0..4000)
        .map(|i| [0, 1, 2, 3].map(|c| unit(i * 4 + c) * if c == 3 { 6.0 } else { 3.0 } - 1.0))
        .filter(|p| {
            let x = f64::from(p[0]);
            is_clear(x, sides(RAY)) && is_clear(x, sides(RAYS[0])) && is_clear(x, sides(LAYERS[0]).chain(sides(VOLUME[0])))
                && is_clear(f64::from(p[1]), sides(LAYERS[1]).chain(sides(VOLUME[1])))
                && is_clear(f64::from(p[2]), sides(VOLUME[2]))
                // Where the layer changes.
                && (p[3].fract().abs() - 0.5).abs() > 0.02
        })
        .collect();
    let count = points.len();
    assert!(count > 100, "{count} points");
    let points_in = device.buffer_from(&points).unwrap();
    let modes = [
        AddressMode::Repeat,
        AddressMode::MirrorRepeat,
        AddressMode::ClampToEdge,
        AddressMode::ClampToBorder,
    ];
    for (i, mode) in modes.into_iter().enumerate() {
        for base in [SamplerOptions::nearest(), SamplerOptions::linear()] {
            let options = SamplerOptions { address: [mode, modes[(i + 1) % 4], modes[(i + 2) % 4]], ..base };
            let level = if base.mip_filter == Filter::Linear { 0.75 } else { 1.0 };
            let smooth = device.sampler(options).unwrap();
            let mut results = device.buffer::<[f32; 4]>(count * 4).unwrap();
            let args = shapes::sample_all::Args {
                ray: &shapes.ray,
                rays: &shapes.rays,
                layers: &shapes.layers,
                volume: &shapes.volume,
                smooth: &smooth,
                points: &points_in,
                results: &mut results,
                params: params(count, [0; 3], level),
                threads: [count as u32, 1, 1],
            };
            kernel.launch(&queue, args).unwrap();
            for (p, got) in points.iter().zip(results.read(&queue).unwrap().chunks(4)) {
                let at = [0, 1, 2].map(|c| f64::from(p[c]));
                let of = |levels: &[Grid], sides: usize, level: f32| {
                    let sample = Sample { levels, options: &options, sides, offset: [0; 3] };
                    sample.at(at, f64::from(level), &|t| t)
                };
                let layer =
                    |n: u32| (f64::from(p[3]).round_ties_even().clamp(0.0, f64::from(n - 1))) as usize;
                let what = format!("{options:?} at {p:?}");
                let by = tolerance(&device, 4);
                assert_close(got[0], of(&shapes.volume_grids, 3, level), by, &format!("volume, {what}"));
                let flat = &shapes.layers_grids[layer(LAYERS[2])];
                assert_close(got[1], of(flat, 2, level), by, &format!("layers, {what}"));
                let ray = of(std::slice::from_ref(&shapes.ray_grid), 1, 0.0)[0];
                let rays = of(std::slice::from_ref(&shapes.rays_grids[layer(RAYS[1])]), 1, 0.0)[0];
                assert_close(got[2], [ray, rays, 0.0, 0.0], by, &format!("rays, {what}"));
                let base = [0, 1].map(|c| (at[c] * f64::from(LAYERS[c]) - 0.5).floor() as i64);
                let around = [[0, 1], [1, 1], [1, 0], [0, 0]];
                let gathered =
                    around.map(|c| flat[0].texel(&options, [base[0] + c[0], base[1] + c[1], 0])[2]);
                assert_close(got[3], gathered, 1e-5, &format!("gather, {what}"));
            }
        }
    }
}

/// The face of a cube that a direction meets, and where on it, from 0 to 1.
fn face_of([x, y, z]: [f64; 3]) -> (usize, [f64; 2]) {
    let (ax, ay, az) = (x.abs(), y.abs(), z.abs());
    let (face, s, t, m) = if az >= ax && az >= ay {
        if z >= 0.0 { (4, x, -y, az) } else { (5, -x, -y, az) }
    } else if ay >= ax {
        if y >= 0.0 { (2, x, z, ay) } else { (3, x, -z, ay) }
    } else if x >= 0.0 {
        (0, -z, -y, ax)
    } else {
        (1, z, -y, ax)
    };
    (face, [(s / m + 1.0) / 2.0, (t / m + 1.0) / 2.0])
}

/// A colour that is smooth over all directions, so that what is filtered over the edges of a cube must be near it.
fn colour_of(d: [f64; 3]) -> Texel {
    let length = d.iter().map(|c| c * c).sum::<f64>().sqrt();
    let [x, y, z] = d.map(|c| c / length);
    [x * 0.4 + 0.5, y * 0.4 + 0.5, z * 0.4 + 0.5, 1.0]
}

/// The direction of the middle of a texel.
fn direction(face: u32, x: u32, y: u32, side: u32) -> [f64; 3] {
    let [s, t] = [x, y].map(|c| (f64::from(c) + 0.5) / f64::from(side) * 2.0 - 1.0);
    match face {
        0 => [1.0, -t, -s],
        1 => [-1.0, -t, s],
        2 => [s, 1.0, t],
        3 => [s, -1.0, -t],
        4 => [s, -t, 1.0],
        _ => [-s, -t, -1.0],
    }
}

#[test]
fn cubes_are_seen_from_inside() {
    let Some(device) = device_with_shapes() else { return };
    let queue = device.queue();
    let kernel = shapes::look::load(&device).unwrap();
    let side = 16;
    let texels: Vec<[u8; 4]> = (0..6 * side * side)
        .map(|i| {
            colour_of(direction(i / side / side, i % side, i / side % side, side))
                .map(|v| (v * 255.0).round() as u8)
        })
        .collect();
    let sky: Image<Rgba8Unorm, _> = device.image_of_texels(Cube::size(side), &texels).unwrap();
    let many: Vec<f32> = (0..5 * 6 * 4 * 4).map(unit).collect();
    let skies: Image<R32Float, _> = device.image_of_texels(CubeArray::size(4, 5), &many).unwrap();
    // All over the sphere, and along edges of the faces; not at the corners, where three texels meet.
    let mut points: Vec<[f32; 4]> = Vec::new();
    for i in 0..3000 {
        let mut d = [0, 1, 2].map(|c| unit(i * 4 + c) * 2.0 - 1.0);
        if i % 3 == 0 {
            d = [1.0, 0.999 - (i % 2) as f32 * 0.01, d[2] * 0.7];
            d.rotate_right(i as usize % 9 / 3);
        }
        let (_, at) = face_of(d.map(f64::from));
        let corner = at.iter().all(|c| (c - 0.5).abs() > 0.5 - 1.5 / f64::from(side));
        let near_tie = at.iter().any(|c| !is_clear(*c, [4, 16])) && i % 3 != 0;
        if !corner && !near_tie {
            points.push([d[0], d[1], d[2], (i % 5) as f32]);
        }
    }
    let count = points.len();
    assert!(count > 1000, "{count} points");
    let points_in = device.buffer_from(&points).unwrap();
    for base in [SamplerOptions::nearest(), SamplerOptions::linear()] {
        let smooth = device.sampler(base).unwrap();
        let mut results = device.buffer::<[f32; 4]>(count * 2).unwrap();
        let args = shapes::look::Args {
            sky: &sky,
            skies: &skies,
            smooth: &smooth,
            points: &points_in,
            results: &mut results,
            params: params(count, [0; 3], 0.0),
            threads: [count as u32, 1, 1],
        };
        kernel.launch(&queue, args).unwrap();
        let results = results.read(&queue).unwrap();
        for (p, got) in points.iter().zip(results.chunks(2)) {
            let d = [0, 1, 2].map(|c| f64::from(p[c]));
            let what = format!("{base:?} at {p:?}");
            // A texel is up to an eighth of the way across a face, and a colour changes by less than that.
            let by = if base.min_filter == Filter::Nearest { 0.06 } else { 0.015 };
            assert_close(got[0], colour_of(d), by, &what);
            let (face, at) = face_of(d);
            if base.min_filter == Filter::Nearest && at.iter().all(|c| is_clear(*c, [4])) {
                let [x, y] = at.map(|c| ((c * 4.0) as usize).min(3));
                let want = many[((p[3] as usize * 6 + face) * 4 + y) * 4 + x];
                assert_close(
                    got[1],
                    [f64::from(want), f64::from(want), f64::from(want), f64::from(want)],
                    1e-5,
                    &what,
                );
            }
        }
    }
}

#[test]
fn votes_are_counted_at_once() {
    let Some(device) = device_with_shapes() else { return };
    let queue = device.queue();
    let kernel = shapes::vote::load(&device).unwrap();
    let count = 5000u32;
    // Smaller than what is voted for.
    let (w, h, d) = (5, 4, 3);
    let mut votes: Image<R32Uint, D3> = device.image_of(D3::size(w, h, d)).unwrap();
    let mut ballots: Image<R32Sint, D2Array> = device.image_of(D2Array::size(w, h, d)).unwrap();
    let mut marks: Image<R32Uint, D1> = device.image_of(D1::size(w)).unwrap();
    let args = shapes::vote::Args {
        votes: &mut votes,
        ballots: &mut ballots,
        marks: &mut marks,
        params: params(count as usize, [0; 3], 0.0),
        threads: [count, 1, 1],
    };
    kernel.launch(&queue, args).unwrap();
    let (mut want, mut want_marks) = (vec![0; (w * h * d) as usize], vec![0; w as usize]);
    for id in 0..count {
        let [x, y, z] = [id % 6, id / 5 % 5, id / 25 % 4];
        if x < w {
            want_marks[x as usize] += 1;
        }
        if x < w && y < h && z < d {
            want[((z * h + y) * w + x) as usize] += id;
        }
    }
    assert_eq!(votes.read(&queue).unwrap(), want);
    assert_eq!(marks.read(&queue).unwrap(), want_marks);
    // Which number each saw depends on the order, but everyone who came put at least -1 down.
    for (ballot, votes) in ballots.read(&queue).unwrap().iter().zip(want) {
        assert!((-3..=-1).contains(ballot) == (votes > 0), "{ballot} for {votes}");
    }
}

#[test]
fn levels_are_made_from_one_another() {
    let Some(device) = device_with_shapes() else { return };
    let queue = device.queue();
    let kernel = shapes::halve::load(&device).unwrap();
    let (w, h) = (32, 16);
    let texels: Vec<[u8; 4]> = bytes(w * h, 5).into_iter().map(|t| t.map(|v| v & 0xc0)).collect();
    let mut image: Image<Rgba8Unorm> =
        device.image_of_texels(D2::size(w, h).with_levels(3), &texels).unwrap();
    assert_eq!(image.read(&queue).unwrap(), texels);
    assert_eq!(image.level(1).unwrap().read(&queue).unwrap(), vec![[0; 4]; (w * h / 4) as usize]);
    assert!(image.level(3).is_none());
    for level in 1..3 {
        let [large, small] = &mut image.levels_mut()[level - 1..=level] else { unreachable!() };
        let threads = [small.width(), small.height(), 1];
        kernel.launch(&queue, shapes::halve::Args { large, small, threads }).unwrap();
    }
    let mut from: Vec<[f64; 4]> = texels.iter().map(|t| t.map(f64::from)).collect();
    for level in 1..3u32 {
        let (w, h) = (w >> level, h >> level);
        from = (0..w * h)
            .map(|i| {
                let at = (i / w * 2 * w * 2 + i % w * 2) as usize;
                let four = [at, at + 1, at + w as usize * 2, at + w as usize * 2 + 1];
                [0, 1, 2, 3].map(|c| four.iter().map(|t| from[*t][c]).sum::<f64>() / 4.0)
            })
            .collect();
        let got = image.level(level).unwrap().read(&queue).unwrap();
        for (i, (got, want)) in got.iter().zip(&from).enumerate() {
            let close = got.iter().zip(want).all(|(g, w)| (f64::from(*g) - w).abs() < 1.01);
            assert!(close, "level {level}, texel {i}: {got:?}, expected {want:?}");
        }
    }
}

const PHOTOS: [[u32; 2]; 3] = [[16, 16], [10, 7], [4, 16]];

/// Three images, and a texel of one of them; nothing outside.
fn photos(device: &Device) -> (Vec<Image<Rgba8Unorm>>, impl Fn(u32, u32, u32) -> Texel) {
    let texels = [0, 1, 2].map(|i: u32| bytes(PHOTOS[i as usize][0] * PHOTOS[i as usize][1], i * 300));
    let images = PHOTOS.iter().zip(&texels).map(|([w, h], t)| device.image_from(*w, *h, t).unwrap());
    let images = images.collect();
    let texel = move |i: u32, x: u32, y: u32| {
        let [w, h] = PHOTOS[i as usize];
        let texel = (x < w && y < h).then(|| texels[i as usize][(y * w + x) as usize]);
        texel.map_or([0.0; 4], |t| t.map(|v| f64::from(v) / 255.0))
    };
    (images, texel)
}

#[test]
fn images_are_chosen_from_arrays() {
    let Some(device) = device_with_shapes() else { return };
    let queue = device.queue();
    let kernel = arrays::load(&device).unwrap();
    let (photos, texel) = photos(&device);
    let [first, second, third] = &photos[..] else { unreachable!() };
    let smooth = device.sampler(SamplerOptions::nearest()).unwrap();
    let mut one: Image<Rgba32Float> = device.image(16, 16).unwrap();
    let mut two: Image<Rgba32Float> = device.image(16, 16).unwrap();
    let args = arrays::Args {
        smooth: &smooth,
        photos: [first, second, third],
        copies: [&mut one, &mut two],
        threads: [16, 16, 1],
    };
    kernel.launch(&queue, args).unwrap();
    let copies = [one.read(&queue).unwrap(), two.read(&queue).unwrap()];
    for (x, y) in (0..16u32).flat_map(|y| (0..16u32).map(move |x| (x, y))) {
        let (gx, gy, at) = (x / 8, y / 8, (y * 16 + x) as usize);
        let own = (gx + gy) % 3;
        let [w, h] = PHOTOS[own as usize];
        // Coordinates in the middle of sixteenths are never where texels of these sizes meet.
        let sampled = texel(own, (2 * x + 1) * w / 32, (2 * y + 1) * h / 32);
        let read = texel(gy % 3, x, y);
        let (near, far) = (copies[(gx % 2) as usize][at], copies[(1 - gx % 2) as usize][at]);
        let place = format!("{x}, {y}");
        let [w, h] = PHOTOS[(gy % 3) as usize];
        if device.id() == "cpu" || x < w && y < h {
            assert_close(near, [0, 1, 2, 3].map(|c| sampled[c] + read[c]), 1e-5, &place);
        }
        let [w, h] = PHOTOS[(gx % 3) as usize].map(f64::from);
        let last = texel(2, y, x);
        assert_close(far, [w, h, last[0], last[1]], 1e-5, &place);
    }
}

#[test]
fn each_thread_may_choose_another_image() {
    let Some(device) = device_with_shapes() else { return };
    let queue = device.queue();
    let kernel = match arrays_each::load(&device) {
        Ok(kernel) => kernel,
        Err(e) => {
            // Not every device has this.
            assert!(device.id() != "cpu" && e.to_string().contains("NonUniformIndexing"), "{e}");
            return;
        }
    };
    let (photos, texel) = photos(&device);
    let [first, second, third] = &photos[..] else { unreachable!() };
    let smooth = device.sampler(SamplerOptions::nearest()).unwrap();
    let mut results = device.buffer::<[f32; 4]>(256).unwrap();
    let args = arrays_each::Args {
        smooth: &smooth,
        photos: [first, second, third],
        results: &mut results,
        threads: [256, 1, 1],
    };
    kernel.launch(&queue, args).unwrap();
    for (id, got) in (0..256u32).zip(results.read(&queue).unwrap()) {
        let (own, x, y) = (id % 3, id % 16, id / 16);
        let [w, h] = PHOTOS[own as usize];
        let (sampled, read) = (texel(own, (2 * x + 1) * w / 32, (2 * y + 1) * h / 32), texel(own, x, y));
        if device.id() == "cpu" || x < w && y < h {
            assert_close(got, [0, 1, 2, 3].map(|c| sampled[c] + read[c]), 1e-5, &format!("{id}"));
        }
    }
}
