use spirv_runtime::{Buffer, Image, KernelStruct, R32Float, spirv_kernel};

#[derive(Clone, Copy, KernelStruct)]
#[repr(C)]
struct Particle {
    position: [f32; 3],
    velocity: [f32; 3],
    mass: f32,
    flags: u32,
}

#[derive(Clone, Copy, KernelStruct)]
#[repr(C)]
struct Step {
    dt: f32,
    gravity: [f32; 3],
    collide: u32,
    _gap: [u32; 3],
    weights: [[f32; 4]; 3],
}

spirv_kernel! {
    #[kernel("kernels/particles.hlsl")]
    fn advance(particles: &mut Buffer<Particle>, field: &Image<R32Float>, step: Step);
}

fn main() {}
