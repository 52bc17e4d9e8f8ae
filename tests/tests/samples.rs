//! Samples of images of two dimensions, against a reference.

use kernel_tests::reference::{Grid, Sample, Texel, compare, is_clear, tolerance};
use kernel_tests::{device, mix, samples, unit};
use spirv_runtime::{
    AddressMode, BorderColor, CompareFunction, D2, Depth16Unorm, Depth32Float, Device, ErrorKind, Filter,
    Image, R8Uint, R32Float, Rgba8Unorm, SamplerOptions,
};

const WIDTH: u32 = 13;
const HEIGHT: u32 = 6;
const COUNT: usize = 500;

/// The device, unless it does not sample; then it says so.
fn sampling_device() -> Option<Device> {
    let device = device();
    match device.sampler(SamplerOptions::linear()) {
        Ok(_) => Some(device),
        Err(e) => {
            assert!(device.id().starts_with("level-zero") && e.kind() == ErrorKind::Unsupported, "{e}");
            assert!(samples::levels::load(&device).is_err());
            None
        }
    }
}

/// An image with all its levels, each of its own numbers.
fn photo(device: &Device) -> (Image<Rgba8Unorm>, Vec<Grid>) {
    let queue = device.queue();
    let mut image = device.image_of(D2::size(WIDTH, HEIGHT).with_all_levels()).unwrap();
    let mut grids = Vec::new();
    for (l, level) in (0u32..).zip(image.levels_mut()) {
        let count = level.width() * level.height();
        let texels: Vec<[u8; 4]> = (0..count).map(|i| mix(i + l * 1000).to_le_bytes()).collect();
        level.write(&queue, &texels).unwrap();
        let size = [level.width() as usize, level.height() as usize, 1];
        grids.push(Grid::new(size, |i| texels[i as usize].map(|v| f64::from(v) / 255.0)));
    }
    assert_eq!(grids.len(), 4);
    (image, grids)
}

/// Places in and around the image, away from where the nearest texel changes on any level, and numbers up to `most`.
fn points(seed: u32, most: f32) -> Vec<[f32; 4]> {
    let mut out = Vec::new();
    for i in 0.. {
        let [x, y] = [0, 1].map(|c| unit(seed + i * 4 + c) * 5.0 - 2.0);
        let sides = |n: u32| (0..4).map(move |l| (n >> l).max(1) as usize);
        if is_clear(f64::from(x), sides(WIDTH)) && is_clear(f64::from(y), sides(HEIGHT)) {
            // Not where the nearest level changes.
            let level = unit(seed + i * 4 + 2) * most;
            let level = if (level.fract() - 0.5).abs() < 0.02 { level + 0.1 } else { level };
            out.push([x, y, level, 0.0]);
        }
        if out.len() == COUNT {
            break;
        }
    }
    out
}

fn two(p: &[f32; 4]) -> [f64; 3] {
    [f64::from(p[0]), f64::from(p[1]), 0.0]
}

fn same(t: Texel) -> Texel {
    t
}

fn assert_close(got: [f32; 4], want: Texel, by: f64, what: &str) {
    let close = got.iter().zip(want).all(|(g, w)| (f64::from(*g) - w).abs() <= by);
    assert!(close, "{what}: {got:?}, expected {want:?}");
}

const MODES: [AddressMode; 4] =
    [AddressMode::Repeat, AddressMode::MirrorRepeat, AddressMode::ClampToEdge, AddressMode::ClampToBorder];

#[test]
fn levels_are_filtered_as_the_sampler_says() {
    let Some(device) = sampling_device() else { return };
    let queue = device.queue();
    let kernel = samples::levels::load(&device).unwrap();
    let (photo, grids) = photo(&device);
    let points = points(3, 4.5);
    let points_in = device.buffer_from(&points).unwrap();
    let filters = [Filter::Nearest, Filter::Linear];
    for (i, mode) in MODES.into_iter().enumerate() {
        for (min_filter, mip_filter) in filters.iter().flat_map(|a| filters.map(|b| (*a, b))) {
            let options = SamplerOptions {
                mag_filter: Filter::Linear,
                min_filter,
                mip_filter,
                address: [mode, MODES[(i + 1) % 4], mode],
                border: [BorderColor::OpaqueBlack, BorderColor::OpaqueWhite, BorderColor::TransparentBlack]
                    [i % 3],
                lod_min: 0.0,
                lod_max: 2.75,
                lod_bias: -0.25,
                compare: None,
            };
            let smooth = device.sampler(options).unwrap();
            let mut results = device.buffer(COUNT).unwrap();
            let args = samples::levels::Args {
                photo: &photo,
                smooth: &smooth,
                points: &points_in,
                results: &mut results,
                params: samples::Params { count: COUNT as u32, along: [0.0; 2], down: [0.0; 2] },
                threads: [COUNT as u32, 1, 1],
            };
            kernel.launch(&queue, args).unwrap();
            let sample = Sample { levels: &grids, options: &options, sides: 2, offset: [0; 3] };
            for (p, got) in points.iter().zip(results.read(&queue).unwrap()) {
                // A level between two is chosen by the biased number: not where it is a tie.
                if ((p[2] - 0.25).fract() - 0.5).abs() < 0.02 || (p[2] - 0.25).abs() < 0.02 {
                    continue;
                }
                let want = sample.at(two(p), f64::from(p[2]), &same);
                assert_close(got, want, tolerance(&device, 3), &format!("{options:?} at {p:?}"));
            }
        }
    }
}

#[test]
fn offsets_are_texels() {
    let Some(device) = sampling_device() else { return };
    let queue = device.queue();
    let kernel = samples::offsets::load(&device).unwrap();
    let (photo, grids) = photo(&device);
    let points = points(77, 1.0);
    let points_in = device.buffer_from(&points).unwrap();
    for mode in MODES {
        for base in [SamplerOptions::nearest(), SamplerOptions::linear()] {
            let options = SamplerOptions { address: [mode; 3], ..base };
            let smooth = device.sampler(options).unwrap();
            let mut results = device.buffer(COUNT).unwrap();
            let args = samples::offsets::Args {
                photo: &photo,
                smooth: &smooth,
                points: &points_in,
                results: &mut results,
                params: samples::Params { count: COUNT as u32, along: [0.0; 2], down: [0.0; 2] },
                threads: [COUNT as u32, 1, 1],
            };
            kernel.launch(&queue, args).unwrap();
            let sample = Sample { levels: &grids, options: &options, sides: 2, offset: [-3, 5, 0] };
            for (p, got) in points.iter().zip(results.read(&queue).unwrap()) {
                let want = sample.at(two(p), 0.0, &same);
                assert_close(got, want, tolerance(&device, 2), &format!("{options:?} at {p:?}"));
            }
        }
    }
}

#[test]
fn an_image_and_its_sampler_may_be_in_one_place() {
    let Some(device) = sampling_device() else { return };
    let queue = device.queue();
    let kernel = samples::together::load(&device).unwrap();
    let (photo, grids) = photo(&device);
    let points = points(12, 1.0);
    let points_in = device.buffer_from(&points).unwrap();
    let options = SamplerOptions { address: [AddressMode::Repeat; 3], ..SamplerOptions::linear() };
    let way = device.sampler(options).unwrap();
    let mut results = device.buffer(COUNT).unwrap();
    let args = samples::together::Args {
        picture: &photo,
        way: &way,
        points: &points_in,
        results: &mut results,
        params: samples::Params { count: COUNT as u32, along: [0.0; 2], down: [0.0; 2] },
        threads: [COUNT as u32, 1, 1],
    };
    kernel.launch(&queue, args).unwrap();
    let sample = Sample { levels: &grids, options: &options, sides: 2, offset: [0; 3] };
    let first = grids[0].get([0; 3]).unwrap();
    for (p, got) in points.iter().zip(results.read(&queue).unwrap()) {
        let want = sample.at(two(p), 0.0, &same);
        assert_close(got, [0, 1, 2, 3].map(|c| want[c] + first[c]), tolerance(&device, 2), &format!("{p:?}"));
    }
}

#[test]
fn derivatives_choose_the_level() {
    let Some(device) = sampling_device() else { return };
    let queue = device.queue();
    let kernel = samples::derivatives::load(&device).unwrap();
    let (photo, grids) = photo(&device);
    let points = points(901, 2.0);
    let points_in = device.buffer_from(&points).unwrap();
    let options = SamplerOptions { address: [AddressMode::Repeat; 3], ..SamplerOptions::linear() };
    let smooth = device.sampler(options).unwrap();
    // Along an axis the length is exact: devices may take something near it otherwise.
    for (along, down) in [([0.5f32, 0.0], [0.0, 0.25f32]), ([0.0, 0.0], [0.0, 1.0])] {
        let mut results = device.buffer(COUNT).unwrap();
        let args = samples::derivatives::Args {
            photo: &photo,
            smooth: &smooth,
            points: &points_in,
            results: &mut results,
            params: samples::Params { count: COUNT as u32, along, down },
            threads: [COUNT as u32, 1, 1],
        };
        kernel.launch(&queue, args).unwrap();
        let sample = Sample { levels: &grids, options: &options, sides: 2, offset: [0; 3] };
        for (p, got) in points.iter().zip(results.read(&queue).unwrap()) {
            let length = |d: [f32; 2]| {
                let [x, y] = d.map(|v| f64::from(v * p[2]));
                (x * f64::from(WIDTH)).hypot(y * f64::from(HEIGHT))
            };
            let lod = length(along).max(length(down)).log2();
            let want = sample.at(two(p), lod, &same);
            // The level is an approximation of its own on devices.
            assert_close(
                got,
                want,
                tolerance(&device, 3) * 4.0,
                &format!("{along:?} {down:?} at {p:?}, {lod}"),
            );
        }
    }
}

const FUNCTIONS: [CompareFunction; 8] = [
    CompareFunction::Never,
    CompareFunction::Less,
    CompareFunction::Equal,
    CompareFunction::LessEqual,
    CompareFunction::Greater,
    CompareFunction::NotEqual,
    CompareFunction::GreaterEqual,
    CompareFunction::Always,
];

#[test]
fn depths_are_compared_before_they_are_filtered() {
    let Some(device) = sampling_device() else { return };
    let queue = device.queue();
    let kernel = samples::compare::load(&device).unwrap();
    // Eighths, so that some are equal.
    let depths: Vec<f32> = (0..WIDTH * HEIGHT).map(|i| (mix(i) % 9) as f32 / 8.0).collect();
    let depths_in: Image<Depth32Float> = device.image_from(WIDTH, HEIGHT, &depths).unwrap();
    let rounded: Vec<u16> = depths.iter().map(|d| (d * 65535.0).round() as u16).collect();
    let rounded_in: Image<Depth16Unorm> = device.image_from(WIDTH, HEIGHT, &rounded).unwrap();
    assert_eq!(depths_in.read(&queue).unwrap(), depths);
    assert_eq!(rounded_in.read(&queue).unwrap(), rounded);
    let size = [WIDTH as usize, HEIGHT as usize, 1];
    let grids = [Grid::new(size, |i| [f64::from(depths[i as usize]), 0.0, 0.0, 1.0])];
    let mut points = points(5000, 1.0);
    points.iter_mut().for_each(|p| p[2] = (p[2] * 8.0).round() / 8.0);
    let points_in = device.buffer_from(&points).unwrap();
    for (i, function) in FUNCTIONS.into_iter().enumerate() {
        let base = if i % 2 == 0 { SamplerOptions::linear() } else { SamplerOptions::nearest() };
        let options = SamplerOptions {
            compare: Some(function),
            address: [MODES[i % 4]; 3],
            border: BorderColor::OpaqueWhite,
            ..base
        };
        let nearer = device.sampler(options).unwrap();
        let params = || samples::Params { count: COUNT as u32, along: [0.0; 2], down: [0.0; 2] };
        let mut results = device.buffer::<[f32; 4]>(COUNT).unwrap();
        let args = samples::compare::Args {
            depths: &depths_in,
            nearer: &nearer,
            points: &points_in,
            results: &mut results,
            params: params(),
            threads: [COUNT as u32, 1, 1],
        };
        kernel.launch(&queue, args).unwrap();
        let floats = results.read(&queue).unwrap();
        let args = samples::compare::Args {
            depths: &rounded_in,
            nearer: &nearer,
            points: &points_in,
            results: &mut results,
            params: params(),
            threads: [COUNT as u32, 1, 1],
        };
        kernel.launch(&queue, args).unwrap();
        let numbers = results.read(&queue).unwrap();
        // Ends and what is not near a tie are the same in 16 bits.
        let strict = matches!(function, CompareFunction::Never | CompareFunction::Always);
        for ((p, got), number) in points.iter().zip(floats).zip(numbers) {
            let see = |t: Texel| [compare(function, f64::from(p[2]), t[0]), 0.0, 0.0, 0.0];
            let by =
                |offset| Sample { levels: &grids, options: &options, sides: 2, offset }.at(two(p), 0.0, &see);
            let want = [by([0; 3])[0], by([1, -2, 0])[0], 0.0, 0.0];
            assert_close(got, want, tolerance(&device, 2), &format!("{options:?} at {p:?}"));
            if strict || p[2] == 0.0 || p[2] == 1.0 {
                assert_close(number, want, tolerance(&device, 2), &format!("16 bits, {options:?} at {p:?}"));
            }
        }
    }
}

#[test]
fn gathers_take_the_four_texels_around_a_place() {
    let Some(device) = sampling_device() else { return };
    let queue = device.queue();
    let kernel = samples::gather::load(&device).unwrap();
    let (photo, grids) = photo(&device);
    let depths: Vec<f32> = (0..WIDTH * HEIGHT).map(unit).collect();
    let depths_in: Image<Depth32Float> = device.image_from(WIDTH, HEIGHT, &depths).unwrap();
    let size = [WIDTH as usize, HEIGHT as usize, 1];
    let deep = Grid::new(size, |i| [f64::from(depths[i as usize]), 0.0, 0.0, 1.0]);
    let points = points(31, 1.0);
    let points_in = device.buffer_from(&points).unwrap();
    for mode in MODES {
        let options = SamplerOptions { address: [mode; 3], ..SamplerOptions::linear() };
        let comparing = SamplerOptions { compare: Some(CompareFunction::Less), ..options };
        let (smooth, nearer) = (device.sampler(options).unwrap(), device.sampler(comparing).unwrap());
        let mut results = device.buffer::<[f32; 4]>(COUNT * 4).unwrap();
        let args = samples::gather::Args {
            photo: &photo,
            depths: &depths_in,
            smooth: &smooth,
            nearer: &nearer,
            points: &points_in,
            results: &mut results,
            params: samples::Params { count: COUNT as u32, along: [0.0; 2], down: [0.0; 2] },
            threads: [COUNT as u32, 1, 1],
        };
        kernel.launch(&queue, args).unwrap();
        let results = results.read(&queue).unwrap();
        for (p, got) in points.iter().zip(results.chunks(4)) {
            let base = [
                (f64::from(p[0]) * f64::from(WIDTH) - 0.5).floor() as i64,
                (f64::from(p[1]) * f64::from(HEIGHT) - 0.5).floor() as i64,
            ];
            let around = |by: [i64; 2], of: &dyn Fn([i64; 3]) -> f64| {
                [[0, 1], [1, 1], [1, 0], [0, 0]]
                    .map(|c| of([base[0] + c[0] + by[0], base[1] + c[1] + by[1], 0]))
            };
            let what = format!("{mode:?} at {p:?}");
            let photo = |c: usize, at| grids[0].texel(&options, at)[c];
            assert_close(got[0], around([0, 0], &|at| photo(1, at)), 1e-5, &what);
            assert_close(got[1], around([2, -1], &|at| photo(3, at)), 1e-5, &what);
            let less = |at| compare(CompareFunction::Less, f64::from(p[2]), deep.texel(&options, at)[0]);
            assert_close(got[2], around([0, 0], &less), 1e-5, &what);
            let apart =
                [[0, 0], [1, 0], [-3, 2], [4, 4]].map(|by| photo(0, [base[0] + by[0], base[1] + by[1], 0]));
            assert_close(got[3], apart, 1e-5, &what);
        }
    }
}

#[test]
fn integers_are_not_filtered() {
    let Some(device) = sampling_device() else { return };
    let queue = device.queue();
    let kernel = samples::integers::load(&device).unwrap();
    let counts: Vec<u8> = (0..WIDTH * HEIGHT).map(|i| mix(i) as u8).collect();
    let counts_in: Image<R8Uint> = device.image_from(WIDTH, HEIGHT, &counts).unwrap();
    let size = [WIDTH as usize, HEIGHT as usize, 1];
    let grids = [Grid::new(size, |i| [f64::from(counts[i as usize]); 4])];
    let points = points(9, 1.0);
    let points_in = device.buffer_from(&points).unwrap();
    let launch = |options: SamplerOptions| {
        let smooth = device.sampler(options).unwrap();
        let mut results = device.buffer(COUNT).unwrap();
        let args = samples::integers::Args {
            counts: &counts_in,
            smooth: &smooth,
            points: &points_in,
            results: &mut results,
            params: samples::Params { count: COUNT as u32, along: [0.0; 2], down: [0.0; 2] },
            threads: [COUNT as u32, 1, 1],
        };
        kernel.launch(&queue, args).map(|()| results.read(&queue).unwrap())
    };
    let options = SamplerOptions { address: [AddressMode::MirrorRepeat; 3], ..Default::default() };
    let sample = Sample { levels: &grids, options: &options, sides: 2, offset: [0; 3] };
    for (p, got) in points.iter().zip(launch(options).unwrap()) {
        assert_close(got, sample.at(two(p), 0.0, &same), 0.0, &format!("{p:?}"));
    }
    let error = launch(SamplerOptions::linear()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
    assert!(error.to_string().contains("`counts` and `smooth`"), "{error}");
}

#[test]
fn levels_are_read_by_their_number() {
    let Some(device) = sampling_device() else { return };
    let queue = device.queue();
    let kernel = samples::fetch::load(&device).unwrap();
    let (photo, grids) = photo(&device);
    let points: Vec<[f32; 4]> = (0..COUNT as u32)
        .map(|i| {
            [(mix(i) % (WIDTH + 2)) as f32, (mix(i + 7) % (HEIGHT + 2)) as f32, (mix(i + 99) % 6) as f32, 0.0]
        })
        .collect();
    let points_in = device.buffer_from(&points).unwrap();
    let mut results = device.buffer::<[f32; 4]>(COUNT * 2).unwrap();
    for (of, grid) in grids.iter().enumerate() {
        let args = samples::fetch::Args {
            photo: &photo,
            points: &points_in,
            results: &mut results,
            params: samples::Params { count: COUNT as u32, along: [of as f32, 0.0], down: [0.0; 2] },
            threads: [COUNT as u32, 1, 1],
        };
        kernel.launch(&queue, args).unwrap();
        let [w, h, _] = grid.size.map(|n| n as f32);
        for (p, got) in points.iter().zip(results.read(&queue).unwrap().chunks(2)) {
            let level = p[2] as usize;
            // What lies outside is zero where devices have robust images; the alpha of such texels may be 1.
            let texel = |l: usize| grids.get(l).and_then(|g| g.get([p[0] as i64, p[1] as i64, 0]));
            let both = [texel(level), texel(level + 1)];
            if both.iter().all(Option::is_some) || device.id() == "cpu" {
                let [a, b] = both.map(Option::unwrap_or_default);
                assert_close(got[0], [0, 1, 2, 3].map(|c| a[c] + b[c]), 1e-5, &format!("{p:?}"));
            }
            assert_eq!(got[1], [w, h, grids.len() as f32, 0.0], "{p:?}");
        }
    }
}

#[test]
fn what_does_not_go_together_is_refused_before_the_launch() {
    let Some(device) = sampling_device() else { return };
    let queue = device.queue();
    let kernel = samples::compare::load(&device).unwrap();
    let points = device.buffer_from(&[[0.5f32; 4]]).unwrap();
    let mut results = device.buffer(1).unwrap();
    let mut launch = |options: SamplerOptions, depth: bool| {
        let nearer = device.sampler(options).unwrap();
        let params = samples::Params { count: 1, along: [0.0; 2], down: [0.0; 2] };
        let (points, results, threads) = (&points, &mut results, [1; 3]);
        if depth {
            let depths: Image<Depth32Float> = device.image(2, 2).unwrap();
            let depths = &depths;
            kernel.launch(
                &queue,
                samples::compare::Args { depths, nearer: &nearer, points, results, params, threads },
            )
        } else {
            let depths: Image<R32Float> = device.image(2, 2).unwrap();
            let depths = &depths;
            kernel.launch(
                &queue,
                samples::compare::Args { depths, nearer: &nearer, points, results, params, threads },
            )
        }
    };
    let compares = SamplerOptions { compare: Some(CompareFunction::Less), ..Default::default() };
    launch(compares, true).unwrap();
    for (options, depth, part) in [
        (SamplerOptions::nearest(), true, "`nearer`: the kernel compares with it"),
        (compares, false, "Depth32Float"),
    ] {
        let error = launch(options, depth).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
        assert!(error.to_string().contains(part), "`{part}` is not in: {error}");
    }
}
