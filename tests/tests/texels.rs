//! Typed buffers, against Rust.

use kernel_tests::{COUNTS, device, mix, texels};
use spirv_runtime::{Buffer, Device, ErrorKind};

/// The device, unless it has no typed buffers; then it says so.
fn device_with_texels() -> Option<Device> {
    let device = device();
    match texels::r#move::load(&device) {
        Err(e) if device.id().starts_with("level-zero") => {
            assert_eq!(e.kind(), ErrorKind::Unsupported, "{e}");
            None
        }
        Err(e) => panic!("{e}"),
        Ok(_) => Some(device),
    }
}

#[test]
fn elements_are_read_and_written_in_range() {
    let Some(device) = device_with_texels() else { return };
    let queue = device.queue();
    let kernel = texels::r#move::load(&device).unwrap();
    for count in COUNTS {
        let indices = 0..count as u32;
        let heights: Vec<f32> = indices.clone().map(|i| i as f32 * 0.5).collect();
        let pairs: Vec<[f32; 2]> = indices.clone().map(|i| [0.25, (mix(i) >> 9) as f32]).collect();
        let places: Vec<[f32; 3]> = indices.clone().map(|i| [1.0, 2.0, (mix(i + 1) >> 9) as f32]).collect();
        let signs: Vec<[i32; 4]> =
            indices.map(|i| [0, 1, 2, 3].map(|c| mix(i * 4 + c) as i32 >> 9)).collect();
        let heights_in = device.buffer_from(&heights).unwrap();
        let pairs_in = device.buffer_from(&pairs).unwrap();
        let places_in = device.buffer_from(&places).unwrap();
        let signs_in = device.buffer_from(&signs).unwrap();
        for shift in [0, 3, -2] {
            let mut sums: Buffer<[f32; 4]> = device.buffer(count).unwrap();
            let mut steps = device.buffer_from(&vec![[7, 7]; count]).unwrap();
            let mut sizes = device.buffer::<u32>(3).unwrap();
            let args = texels::r#move::Args {
                heights: &heights_in,
                pairs: &pairs_in,
                places: &places_in,
                signs: &signs_in,
                sums: &mut sums,
                steps: &mut steps,
                sizes: &mut sizes,
                params: texels::Params { count: count as u32, shift },
                threads: [count as u32, 1, 1],
            };
            kernel.launch(&queue, args).unwrap();
            let (sums, steps) = (sums.read(&queue).unwrap(), steps.read(&queue).unwrap());
            let mut want_steps = vec![[7, 7]; count];
            for (i, got) in sums.iter().enumerate() {
                let from = usize::try_from(i as i64 + i64::from(shift)).ok().filter(|f| *f < count);
                let sign = from.map_or([0; 4], |f| signs[f]);
                let want =
                    from.map_or([0.0; 4], |f| [heights[f], pairs[f][1], places[f][2], signs[f][3] as f32]);
                assert_eq!(*got, want, "{count}, {shift}: {i}");
                if let Some(to) = want_steps.get_mut((i as i64 - i64::from(shift)) as usize) {
                    *to = [sign[2] * 2, sign[1] * 2];
                }
            }
            assert!(steps == want_steps, "{count}, {shift}");
            assert_eq!(sizes.read(&queue).unwrap(), [count as u32; 3]);
        }
    }
}

#[test]
fn declared_formats_are_converted() {
    let Some(device) = device_with_texels() else { return };
    let queue = device.queue();
    let kernel = texels::convert::load(&device).unwrap();
    let count = 1003;
    let bytes: Vec<[u8; 4]> = (0..count).map(|i| mix(i).to_le_bytes()).collect();
    let mut colours = device.buffer_from(&bytes).unwrap();
    // Halves of whole numbers: 0x3c00 is 1, and 1 in 1024 of it is the last bit.
    let mut halves =
        device.buffer_from(&(0..count as u16).map(|i| 0x3c00 + (i & 0x3ff)).collect::<Vec<_>>()).unwrap();
    let signed: Vec<[i8; 4]> = (0..count).map(|i| mix(i + 5).to_le_bytes().map(|b| b as i8)).collect();
    let normals = device.buffer_from(&signed).unwrap();
    let mut sums = device.buffer(count as usize).unwrap();
    let mut sizes = device.buffer::<u32>(1).unwrap();
    let args = texels::convert::Args {
        normals: &normals,
        sums: &mut sums,
        colours: &mut colours,
        halves: &mut halves,
        sizes: &mut sizes,
        params: texels::Params { count, shift: 0 },
        threads: [count, 1, 1],
    };
    kernel.launch(&queue, args).unwrap();
    for (got, from) in colours.read(&queue).unwrap().iter().zip(&bytes) {
        let close = (0..4).all(|c| (f32::from(got[c]) - f32::from(from[3 - c]) / 2.0).abs() < 0.51);
        assert!(close, "{from:?} became {got:?}");
    }
    for (i, got) in halves.read(&queue).unwrap().into_iter().enumerate() {
        // From 2 on the last bit is worth twice as much: to even, or cut off.
        let want = 0x4000 + (i as u16 & 0x3ff) / 2;
        assert!(got == want || i % 2 == 1 && got == want + 1, "{i}: {got:#x}, expected {want:#x}");
    }
    for (got, from) in sums.read(&queue).unwrap().iter().zip(&signed) {
        let want: [f32; 4] = from.map(|v| (f32::from(v) / 127.0).max(-1.0));
        assert!((0..4).all(|c| f32::abs(got[c] - want[c]) < 1e-6), "{from:?} is {got:?}");
    }
    assert_eq!(sizes.read(&queue).unwrap(), [count]);
}

#[test]
fn texels_are_counted_up_at_once() {
    let Some(device) = device_with_texels() else { return };
    let queue = device.queue();
    let kernel = texels::count_up::load(&device).unwrap();
    let count = 10_000u32;
    let mut counts = device.buffer::<u32>(8).unwrap();
    let params = texels::Params { count, shift: 0 };
    kernel
        .launch(&queue, texels::count_up::Args { counts: &mut counts, params, threads: [count, 1, 1] })
        .unwrap();
    let mut want: Vec<u32> = (0..7).map(|k| (0..count).filter(|i| i % 7 == k).sum()).collect();
    want.push(count - 1);
    assert_eq!(counts.read(&queue).unwrap(), want);
    // There is no view of nothing.
    let mut none = device.buffer::<u32>(0).unwrap();
    let params = texels::Params { count, shift: 0 };
    let error = kernel
        .launch(&queue, texels::count_up::Args { counts: &mut none, params, threads: [1; 3] })
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
}
