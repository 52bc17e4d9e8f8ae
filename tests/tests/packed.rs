//! Vectors of three in buffers, by each of the rules for what lies where: the same results from the same numbers.

use kernel_tests::{device, packed, packed_dx, packed_scalar, unit};

const N: u32 = 131;

fn point(i: u32) -> [f32; 3] {
    [unit(i * 3), unit(i * 3 + 1), unit(i * 3 + 2)]
}

/// What mark `i` becomes: tilt, position, weights, cell.
fn want(i: u32) -> ([f32; 2], [f32; 3], [f32; 3], [u32; 3]) {
    let [x, y, z] = point(i);
    let position = [1.0 + (x - 0.5), 1.0 + (y - 1.5), 1.0 + (z - 2.5)];
    let step = [0.0, 0.5, 1.0, 1.5, 2.0][i as usize % 5];
    let mut weights = [2.0; 3];
    weights[i as usize % 3] += 1.0;
    ([position[0] * step, position[1] * step], position, weights, [i + 7, 8, 9])
}

macro_rules! by_rules {
    ($($test:ident $kernel:ident $point:ty, $size:literal;)*) => {$(
        #[test]
        fn $test() {
            let device = device();
            let queue = device.queue();
            let points: Vec<$point> = (0..N).map(point).map(|p| {
                let mut room = <$point>::default();
                room[..3].copy_from_slice(&p);
                room
            }).collect();
            let points = device.buffer_from(&points).unwrap();
            let start = $kernel::Mark { cell: [7; 3], position: [1.0; 3], weights: [2.0; 3], ..Default::default() };
            assert_eq!(size_of_val(&start), $size);
            let mut marks = device.buffer_from(&[start; N as usize]).unwrap();
            let steps = [0.0, 0.5, 1.0, 1.5, 2.0];
            let params = $kernel::Params { origin: [0.5, 1.5, 2.5], steps, count: N - 1 };
            let args = $kernel::Args { points: &points, marks: &mut marks, params, threads: [N, 1, 1] };
            $kernel::load(&device).unwrap().launch(&queue, args).unwrap();
            let got = marks.read(&queue).unwrap();
            for (i, mark) in (0..N - 1).zip(&got) {
                let (tilt, position, weights, cell) = want(i);
                let near = |a: &[f32], b: &[f32]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5);
                assert!(near(&mark.tilt, &tilt) && near(&mark.position, &position), "{i}: {mark:?}");
                assert_eq!((mark.weights, mark.cell), (weights, cell), "{i}");
            }
            assert_eq!(got[N as usize - 1], start);
        }
    )*};
}

by_rules! {
    vulkan_rules packed [f32; 4], 64;
    direct3d_rules packed_dx [f32; 3], 44;
    scalar_rules packed_scalar [f32; 3], 44;
}
