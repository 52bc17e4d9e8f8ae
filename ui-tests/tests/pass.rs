//! Stubs that compile and run, on the CPU.
//!
//! The stubs are safe, also to the strictest lint.
#![forbid(unsafe_code)]
#![deny(missing_docs, warnings, clippy::pedantic)]
#![allow(clippy::float_cmp)]

use spirv_runtime::{
    Buffer, D3, Device, Element, Image, KernelStruct, R32Float, Rgba8Unorm, Sampler, SamplerOptions,
    include_kernel, spirv_kernel,
};

include_kernel!("kernels/saxpy.hlsl");
include_kernel!("kernels/particles.hlsl");
include_kernel!("kernels/several.hlsl");
include_kernel!("kernels/shapes.hlsl");
include_kernel!("kernels/packed.hlsl");
include_kernel!("kernels/pull.hlsl");
include_kernel!("kernels/weigh.hlsl");
include_kernel!("kernels/pull.hlsl", name = "own_pull");
include_kernel!("kernels/weigh.hlsl", name = "own_weigh");
include_kernel!("kernels/variants.hlsl", name = "variant4");
include_kernel!(mod eight = "./kernels/../kernels/variants.hlsl", name = "variant8", entry = "main");
include_kernel!(
    /// Inverts an image.
    pub mod invert = "./kernels/image.hlsl", entry = "main"
);

/// What kernels share.
pub mod gpu {
    spirv_runtime::include_types!("crate::gpu");
}

/// A user's own struct, with one that is generated.
#[derive(Clone, Copy, Debug, Default, PartialEq, KernelStruct)]
#[repr(C)]
pub struct OwnPlanet {
    position: [f32; 3],
    mass: f32,
    orbit: gpu::Orbit,
    moons: [u32; 2],
    _pad: [u32; 2],
}

/// A user's own vector.
#[derive(Clone, Copy, Debug, PartialEq, KernelStruct)]
#[repr(transparent)]
pub struct Sum([f32; 4]);

/// A user's own struct, for a kernel whose vectors of three are packed.
#[derive(Clone, Copy, Default, KernelStruct)]
#[repr(C)]
pub struct PackedSample {
    weight: f32,
    _gap: u32,
    sum: f64,
    place: [f32; 3],
    _end: u32,
}

/// A user's own struct.
#[derive(Clone, Copy, Debug, PartialEq, KernelStruct)]
#[repr(C)]
pub struct Body {
    position: [f32; 3],
    mass: f32,
    velocity: [f32; 3],
    flags: u32,
}

/// A user's own constants.
#[derive(Clone, Copy, KernelStruct)]
#[repr(C)]
pub struct StepArgs {
    dt: f32,
    gravity: [f32; 3],
    collide: u32,
    _gap: [u32; 3],
    weights: [[f32; 4]; 3],
}

/// Constants of another kernel; names may be the kernel's.
#[derive(Clone, Copy, KernelStruct)]
#[repr(C)]
struct Axpy {
    n: u32,
    a: f32,
}

spirv_kernel! {
    /// One step in time.
    #[kernel("kernels/particles.hlsl", entry = "main")]
    pub fn advance(particles: &mut Buffer<Body>, field: &Image<R32Float>, step: StepArgs);

    #[kernel("kernels/saxpy.hlsl")]
    fn axpy(y: &mut Buffer<f32>, x: &Buffer<f32>, params: Axpy);

    #[kernel("kernels/shapes.hlsl")]
    fn look(
        smooth: &Sampler,
        volume: &Image<Rgba8Unorm, D3>,
        heights: &Buffer<f32>,
        colours: &mut Buffer<[u8; 4]>,
    );
}

spirv_kernel! {
    #[kernel("kernels/vectors.hlsl")]
    fn double(from: &Buffer<[f32; 4]>, to: &mut Buffer<[f32; 4]>);

    #[kernel("kernels/packed.hlsl")]
    fn declared_packed(samples: &mut Buffer<PackedSample>, places: &mut Buffer<[f32; 3]>);

    #[kernel("kernels/variants.hlsl", name = "variant8")]
    fn declared_eight(data: &mut Buffer<f32>);
}

spirv_kernel! {
    #[kernel("kernels/debugged.hlsl")]
    fn debugged(output: &mut Buffer<f32>, spare: &Buffer<f32>, input: &Buffer<f32>);

    #[kernel("kernels/debugged.hlsl")]
    fn debugged_without(output: &mut Buffer<f32>, input: &Buffer<f32>);
}

include_kernel!(mod half_done = "kernels/debugged.hlsl");

/// What a kernel has no use for may be left out of signatures, but not of `Args`.
#[test]
fn unused_resources_may_be_declared() {
    let device = Device::cpu();
    let queue = device.queue();
    let (input, spare) = (device.buffer_from(&[1.0f32]).unwrap(), device.buffer_from(&[1.0f32]).unwrap());
    let mut output = device.buffer::<f32>(64).unwrap();
    let args = debugged::Args { output: &mut output, spare: &spare, input: &input, threads: [64, 1, 1] };
    debugged::load(&device).unwrap().launch(&queue, args).unwrap();
    let args = debugged_without::Args { output: &mut output, input: &input, threads: [64, 1, 1] };
    debugged_without::load(&device).unwrap().launch(&queue, args).unwrap();
    let args = half_done::Args { output: &mut output, spare: &spare, input: &input, threads: [64, 1, 1] };
    half_done::load(&device).unwrap().launch(&queue, args).unwrap();
    assert_eq!(output.read(&queue).unwrap(), [2.0; 64]);
}

fn is_element<T: Element>() {}

#[test]
fn saxpy_runs() {
    let device = Device::cpu();
    let queue = device.queue();
    let x = device.buffer_from(&[1.0f32, 2.0, 3.0]).unwrap();
    let mut y = device.buffer_from(&[10.0f32, 10.0, 10.0]).unwrap();
    let kernel = saxpy::load(&device).unwrap();
    let params = saxpy::Params { n: 2, a: 2.0 };
    kernel.launch(&queue, saxpy::Args { x: &x, y: &mut y, params, threads: [3, 1, 1] }).unwrap();
    assert_eq!(y.read(&queue).unwrap(), [12.0, 14.0, 10.0]);
    assert_eq!(saxpy::Kernel::LOCAL_SIZE, [64, 1, 1]);
    assert!(["avx2", "scalar"].contains(&kernel.code_name()));
}

#[test]
fn launches_of_nothing_and_on_nothing() {
    let device = Device::cpu();
    let queue = device.queue();
    let x = device.buffer_from::<f32>(&[]).unwrap();
    let mut y = device.buffer::<f32>(0).unwrap();
    let kernel = saxpy::load(&device).unwrap();
    let params = saxpy::Params { n: 5, a: 2.0 };
    for threads in [[0, 1, 1], [64, 1, 1]] {
        kernel.launch(&queue, saxpy::Args { x: &x, y: &mut y, params, threads }).unwrap();
    }
    assert!(y.is_empty() && y.read(&queue).unwrap().is_empty());
}

#[test]
fn constants_get_the_padding_of_the_kernel() {
    let mut bytes = [0xaa; 80];
    let step = particles::Step { dt: 1.0, gravity: [2.0, 3.0, 4.0], weights: [5.0, 6.0, 7.0], collide: true };
    step.__pack(&mut bytes);
    let word = |i: usize| f32::from_ne_bytes(bytes[i..i + 4].try_into().unwrap());
    assert_eq!([0, 4, 8, 12, 32, 48, 64].map(word), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
    assert_eq!(bytes[16..20], 1u32.to_ne_bytes());
    // Bytes between members are left as the launch made them: zero.
    assert_eq!(bytes[20..32], [0xaa; 12]);
    assert_eq!(particles::Step::default().weights, [0.0; 3]);
}

#[test]
fn generated_and_own_structs_give_the_same() {
    let device = Device::cpu();
    let queue = device.queue();
    let field = device.image_from::<R32Float>(1, 1, &[2.0]).unwrap();
    let start = particles::Particle { velocity: [1.0, 0.0, 0.0], flags: 4, ..Default::default() };
    let mut generated = device.buffer_from(&[start; 100]).unwrap();
    let step =
        particles::Step { dt: 0.5, gravity: [0.0, -1.0, 0.0], weights: [0.0, 0.0, 3.0], collide: true };
    particles::load(&device)
        .unwrap()
        .launch(
            &queue,
            particles::Args { step, particles: &mut generated, field: &field, threads: [100, 1, 1] },
        )
        .unwrap();

    let start = Body { position: [0.0; 3], mass: 0.0, velocity: [1.0, 0.0, 0.0], flags: 4 };
    let mut own = device.buffer_from(&[start; 100]).unwrap();
    let step = StepArgs {
        dt: 0.5,
        gravity: [0.0, -1.0, 0.0],
        collide: 1,
        _gap: [0; 3],
        weights: [[0.0; 4], [0.0; 4], [3.0, 0.0, 0.0, 0.0]],
    };
    advance::load(&device)
        .unwrap()
        .launch(&queue, advance::Args { step, particles: &mut own, field: &field, threads: [100, 1, 1] })
        .unwrap();

    let last = own.read(&queue).unwrap()[99];
    assert_eq!(last.velocity, [1.0, -3.0, 0.0]);
    assert_eq!((last.position, last.flags), ([0.5, -1.5, 0.0], 5));
    let other = generated.read(&queue).unwrap()[99];
    assert_eq!((other.position, other.velocity, other.flags), (last.position, last.velocity, last.flags));
}

#[test]
fn declared_signatures_may_order_arguments_freely() {
    let device = Device::cpu();
    let queue = device.queue();
    let x = device.buffer_from(&[1.0f32]).unwrap();
    let mut y = device.buffer::<f32>(1).unwrap();
    let params = Axpy { n: 1, a: 3.0 };
    let kernel = axpy::load(&device).unwrap();
    kernel.launch(&queue, axpy::Args { x: &x, y: &mut y, params, threads: [1, 1, 1] }).unwrap();
    assert_eq!(y.read(&queue).unwrap(), [3.0]);
}

#[test]
fn several_entry_points_share_structs() {
    is_element::<several::Pair>();
    let device = Device::cpu();
    let queue = device.queue();
    let start = several::Pair { value: [1.0, 2.0], ..Default::default() };
    let mut pairs = device.buffer_from(&[start; 33]).unwrap();
    let scatter = several::scatter::load(&device).unwrap();
    scatter.launch(&queue, several::scatter::Args { pairs: &mut pairs, threads: [33, 1, 1] }).unwrap();
    let last = pairs.read(&queue).unwrap()[32];
    assert_eq!((last.key, last.value), (32.0, [1.0, 2.0]));

    let mut counters = device.buffer::<u64>(2).unwrap();
    let count = several::count_all::load(&device).unwrap();
    count.launch(&queue, several::count_all::Args { counters: &mut counters, threads: [1, 1, 1] }).unwrap();
    assert_eq!(counters.read(&queue).unwrap(), [7, 0]);
}

#[test]
fn images_of_several_formats() {
    let device = Device::cpu();
    let queue = device.queue();
    let src = device.image_from::<Rgba8Unorm>(3, 1, &[[0, 1, 2, 255]; 3]).unwrap();
    let mut dst = device.image::<Rgba8Unorm>(3, 1).unwrap();
    let kernel = invert::load(&device).unwrap();
    kernel.launch(&queue, invert::Args { src_image: &src, dst_image: &mut dst, threads: [3, 1, 1] }).unwrap();
    assert_eq!(dst.read(&queue).unwrap(), [[255, 254, 253, 0]; 3]);
}

#[test]
fn mistakes_at_run_time_are_errors_with_names() {
    let device = Device::cpu();
    let queue = device.queue();
    let mut odd = device.buffer::<u8>(3).unwrap();
    let count = several::count_all::load(&device).unwrap();
    let error = count
        .launch(&queue, several::count_all::Args { counters: &mut odd, threads: [1, 1, 1] })
        .unwrap_err()
        .to_string();
    assert!(error.contains("several::countAll") && error.contains("`counters`"), "{error}");
    let error = device.buffer::<f32>(2).unwrap().read_into(&queue, &mut [0.0; 3]).unwrap_err().to_string();
    assert!(error.contains("3 elements") && error.contains("has 2"), "{error}");
    assert!(device.image::<Rgba8Unorm>(0, 4).is_err());
    assert!(device.image_from::<Rgba8Unorm>(2, 2, &[[0; 4]; 3]).is_err());
}

#[test]
fn samplers_typed_buffers_and_volumes_are_arguments() {
    let device = Device::cpu();
    let queue = device.queue();
    let texels: Vec<[u8; 4]> = (0..8).map(|i| [i * 10, 100, 0, 255]).collect();
    let volume: Image<Rgba8Unorm, D3> = device.image_of_texels(D3::size(2, 2, 2), &texels).unwrap();
    let smooth = device.sampler(SamplerOptions::linear()).unwrap();
    let heights = device.buffer_from(&[0.0f32, 0.5, 1.0]).unwrap();
    let mut colours = device.buffer(3).unwrap();
    let args = shapes::Args {
        volume: &volume,
        smooth: &smooth,
        colours: &mut colours,
        heights: &heights,
        threads: [3, 1, 1],
    };
    shapes::load(&device).unwrap().launch(&queue, args).unwrap();
    let want = [[0, 100, 0, 255], [35, 100, 0, 255], [70, 100, 0, 255]];
    assert_eq!(colours.read(&queue).unwrap(), want);
    let mut again = device.buffer(3).unwrap();
    let args = look::Args {
        volume: &volume,
        smooth: &smooth,
        colours: &mut again,
        heights: &heights,
        threads: [3, 1, 1],
    };
    look::load(&device).unwrap().launch(&queue, args).unwrap();
    assert_eq!(again.read(&queue).unwrap(), want);
}

#[test]
fn a_file_gives_a_kernel_for_each_set_of_macros() {
    let device = Device::cpu();
    let queue = device.queue();
    let mut data = device.buffer_from(&[2.0f32]).unwrap();
    let threads = [1, 1, 1];
    variant4::load(&device).unwrap().launch(&queue, variant4::Args { data: &mut data, threads }).unwrap();
    assert_eq!(data.read(&queue).unwrap(), [5.0]);
    eight::load(&device).unwrap().launch(&queue, eight::Args { data: &mut data, threads }).unwrap();
    assert_eq!(data.read(&queue).unwrap(), [10.5]);
    let args = declared_eight::Args { data: &mut data, threads };
    declared_eight::load(&device).unwrap().launch(&queue, args).unwrap();
    assert_eq!(data.read(&queue).unwrap(), [13.25]);
    assert_eq!([variant4::Kernel::LOCAL_SIZE[0], eight::Kernel::LOCAL_SIZE[0]], [4, 8]);
}

#[test]
fn kernels_share_the_types_of_their_structs() {
    let device = Device::cpu();
    let queue = device.queue();
    let orbit = gpu::Orbit { ends: [1.0, 2.0], period: 4.0, ..Default::default() };
    let start = gpu::Planet { mass: 3.0, moons: [5, 6], ..Default::default() };
    let mut planets = device.buffer_from(&[start]).unwrap();
    let mut sums = device.buffer(1).unwrap();
    let (towards, threads) = ([1.0, 2.0, 3.0], [1, 1, 1]);
    let params = pull::Params { towards, orbit };
    let args = pull::Args { planets: &mut planets, params, threads };
    pull::load(&device).unwrap().launch(&queue, args).unwrap();
    assert_eq!(planets.read(&queue).unwrap()[0], gpu::Planet { position: towards, orbit, ..start });
    let params = weigh::Params { scale: 2.0 };
    let args = weigh::Args { planets: &planets, sums: &mut sums, params, threads };
    weigh::load(&device).unwrap().launch(&queue, args).unwrap();
    assert_eq!(sums.read(&queue).unwrap(), [[1.0, 2.0, 3.0, 16.0]]);
}

#[test]
fn stubs_take_types_of_the_users() {
    let device = Device::cpu();
    let queue = device.queue();
    let orbit = gpu::Orbit { ends: [1.0, 2.0], period: 4.0, ..Default::default() };
    let start = OwnPlanet { mass: 3.0, moons: [5, 6], ..Default::default() };
    let mut planets = device.buffer_from(&[start]).unwrap();
    let params = own_pull::Params { towards: [1.0; 3], orbit };
    let args = own_pull::Args { planets: &mut planets, params, threads: [1, 1, 1] };
    own_pull::load(&device).unwrap().launch(&queue, args).unwrap();
    assert_eq!(planets.read(&queue).unwrap()[0], OwnPlanet { position: [1.0; 3], orbit, ..start });
    let planet = own_weigh::Planet { mass: 3.0, moons: [5, 6], ..Default::default() };
    let planets = device.buffer_from(&[planet]).unwrap();
    let mut sums = device.buffer_from(&[Sum([0.0; 4])]).unwrap();
    let params = own_weigh::Params { scale: 1.0 };
    let args = own_weigh::Args { planets: &planets, sums: &mut sums, params, threads: [1, 1, 1] };
    own_weigh::load(&device).unwrap().launch(&queue, args).unwrap();
    assert_eq!(sums.read(&queue).unwrap(), [Sum([0.0, 0.0, 0.0, 9.0])]);
}

#[test]
fn packed_structs_and_vectors_of_three_are_elements() {
    let device = Device::cpu();
    let queue = device.queue();
    assert_eq!([size_of::<packed::Sample>(), size_of::<PackedSample>()], [32, 32]);
    let sample = packed::Sample { weight: 2.0, sum: 0.5, place: [1.0, 2.0, 3.0], ..Default::default() };
    let mut samples = device.buffer_from(&[sample; 2]).unwrap();
    let mut places = device.buffer_from(&[[10.0f32; 3]; 2]).unwrap();
    let args = packed::Args { samples: &mut samples, places: &mut places, threads: [2, 1, 1] };
    packed::load(&device).unwrap().launch(&queue, args).unwrap();
    assert_eq!(samples.read(&queue).unwrap()[1], packed::Sample { sum: 2.5, ..sample });
    assert_eq!(places.read(&queue).unwrap(), [[11.0, 12.0, 13.0]; 2]);

    let mut own =
        device.buffer_from(&[PackedSample { weight: 2.0, sum: 0.5, ..Default::default() }]).unwrap();
    let args = declared_packed::Args { samples: &mut own, places: &mut places, threads: [1, 1, 1] };
    declared_packed::load(&device).unwrap().launch(&queue, args).unwrap();
    assert_eq!(own.read(&queue).unwrap()[0].sum, 2.5);

    let from = device.buffer_from(&[[1.0, 2.0, 3.0, 9.0]]).unwrap();
    let mut to = device.buffer_from(&[[0.0; 4]]).unwrap();
    let args = double::Args { from: &from, to: &mut to, threads: [1, 1, 1] };
    double::load(&device).unwrap().launch(&queue, args).unwrap();
    assert_eq!(to.read(&queue).unwrap()[0][..3], [2.0, 4.0, 6.0]);
}
