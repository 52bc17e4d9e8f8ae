//! Vectors, matrices and numbers of other crates in buffers, structs and constants.

use glam::{Mat4, Quat, UVec4, Vec2, Vec4};
use half::f16;
use kernel_tests::{device, unit};
use nalgebra::{Matrix4x3, Vector2, Vector3, Vector4};
use spirv_runtime::{Buffer, KernelStruct, include_kernel, spirv_kernel};

const N: u32 = 70;

/// Aligned to 16 bytes where glam's vectors are, and of that size.
#[derive(Clone, Copy, Debug, PartialEq, KernelStruct)]
#[repr(C)]
pub struct Body {
    turn: Quat,
    cells: UVec4,
    frame: Mat4,
    spin: Vec2,
    halves: [f16; 2],
    _pad: u32,
}

/// The same with the vectors of another crate.
#[derive(Clone, Copy, Debug, PartialEq, KernelStruct)]
#[repr(C)]
pub struct Plain {
    turn: Vector4<f32>,
    cells: Vector4<u32>,
    frame: nalgebra::Matrix4<f32>,
    spin: Vector2<f32>,
    halves: Vector2<f16>,
    _pad: u32,
}

#[derive(Clone, Copy, KernelStruct)]
#[repr(C)]
pub struct Params {
    axes: Matrix4x3<f32>,
    origin: Vector3<f32>,
    count: u32,
}

spirv_kernel! {
    #[kernel("kernels/vectors.hlsl")]
    fn with_glam(bodies: &mut Buffer<Body>, points: &mut Buffer<Vec4>, params: Params);

    #[kernel("kernels/vectors.hlsl")]
    fn with_nalgebra(bodies: &mut Buffer<Plain>, points: &mut Buffer<Vector4<f32>>, params: Params);
}

// Stubs that are generated take them where build.rs says so.
include_kernel!("kernels/vectors.hlsl", name = "vectors_of_glam");

fn params() -> Params {
    let axes = Matrix4x3::from_fn(|r, c| if r < 3 { (r * 3 + c) as f32 } else { 0.0 });
    Params { axes, origin: Vector3::new(1.0, 2.0, 3.0), count: N }
}

/// Point `i`, and what becomes of it: its room is left as it may be.
fn point(i: u32) -> [f32; 4] {
    [unit(i * 3), unit(i * 3 + 1), unit(i * 3 + 2), 9.0]
}

fn moved(i: u32) -> [f32; 3] {
    let ([x, y, z, _], p) = (point(i), params());
    let row = |r: usize| p.axes[(r, 0)] * x + p.axes[(r, 1)] * y + p.axes[(r, 2)] * z + p.origin[r];
    [row(0), row(1), row(2)]
}

fn near(got: &[f32], want: &[f32]) -> bool {
    got.iter().zip(want).all(|(g, w)| (g - w).abs() < 1e-4)
}

#[test]
fn vectors_of_glam_and_half() {
    let device = device();
    let queue = device.queue();
    let frame = Mat4::from_cols_array(&std::array::from_fn(|i| i as f32));
    let start = Body {
        turn: Quat::from_xyzw(1.0, 2.0, 3.0, 4.0),
        cells: UVec4::new(1, 2, 3, 4),
        frame,
        spin: Vec2::new(0.5, 0.25),
        halves: [f16::from_f32(1.5), f16::from_f32(-2.0)],
        _pad: 0,
    };
    let mut bodies = device.buffer_from(&[start; N as usize]).unwrap();
    let points: Vec<Vec4> = (0..N).map(|i| Vec4::from_array(point(i))).collect();
    let mut points = device.buffer_from(&points).unwrap();
    let kernel = with_glam::load(&device).unwrap();
    let args =
        with_glam::Args { bodies: &mut bodies, points: &mut points, params: params(), threads: [N, 1, 1] };
    kernel.launch(&queue, args).unwrap();
    for (i, body) in (0..).zip(bodies.read(&queue).unwrap()) {
        assert_eq!(body.turn, Quat::from_xyzw(4.0, 3.0, 2.0, 1.0));
        assert_eq!(body.cells, UVec4::new(1 + i, 2, 3, 4));
        // A column of the matrix, times the spin.
        assert_eq!(body.frame.col(0), frame.col(1) * 0.5);
        assert_eq!(body.halves, [f16::from_f32(3.0), f16::from_f32(-4.0)]);
    }
    for (i, p) in (0..).zip(points.read(&queue).unwrap()) {
        assert!(near(&p.to_array(), &moved(i)), "{i}: {p}");
    }
}

#[test]
fn vectors_of_nalgebra() {
    let device = device();
    let queue = device.queue();
    let start = Plain {
        turn: Vector4::new(1.0, 2.0, 3.0, 4.0),
        cells: Vector4::new(1, 2, 3, 4),
        frame: nalgebra::Matrix4::from_fn(|r, c| (c * 4 + r) as f32),
        spin: Vector2::new(0.5, 0.25),
        halves: Vector2::new(f16::from_f32(1.5), f16::from_f32(-2.0)),
        _pad: 0,
    };
    let mut bodies = device.buffer_from(&[start; N as usize]).unwrap();
    let points: Vec<Vector4<f32>> = (0..N).map(|i| point(i).into()).collect();
    let mut points = device.buffer_from(&points).unwrap();
    let kernel = with_nalgebra::load(&device).unwrap();
    let args = with_nalgebra::Args {
        bodies: &mut bodies,
        points: &mut points,
        params: params(),
        threads: [N, 1, 1],
    };
    kernel.launch(&queue, args).unwrap();
    let body = bodies.read(&queue).unwrap()[7];
    assert_eq!((body.turn, body.cells), (Vector4::new(4.0, 3.0, 2.0, 1.0), Vector4::new(8, 2, 3, 4)));
    assert_eq!(body.frame.column(0), start.frame.column(1) * 0.5);
    for (i, p) in (0..).zip(points.read(&queue).unwrap()) {
        assert!(near(p.as_slice(), &moved(i)), "{i}: {p}");
    }
}

#[test]
fn generated_stubs_take_the_vectors_that_build_rs_names() {
    let device = device();
    let queue = device.queue();
    let body = vectors_of_glam::Body::default();
    let mut bodies = device.buffer_from(&[body; N as usize]).unwrap();
    let points: Vec<Vec4> = (0..N).map(|i| Vec4::from_array(point(i))).collect();
    let mut points = device.buffer_from(&points).unwrap();
    let Params { axes, origin, count } = params();
    let axes = std::array::from_fn(|c| std::array::from_fn(|r| axes[(r, c)]));
    let params = vectors_of_glam::Params { axes, origin: origin.into(), count };
    let args = vectors_of_glam::Args { bodies: &mut bodies, points: &mut points, params, threads: [N, 1, 1] };
    vectors_of_glam::load(&device).unwrap().launch(&queue, args).unwrap();
    for (i, p) in (0..).zip(points.read(&queue).unwrap()) {
        assert!(near(&p.to_array(), &moved(i)), "{i}: {p}");
    }
}
