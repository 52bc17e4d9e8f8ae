use spirv_runtime::KernelStruct;

#[derive(Clone, Copy, KernelStruct)]
#[repr(C)]
struct Mixed {
    small: u8,
    large: u32,
    tail: u16,
}

#[derive(Clone, Copy, KernelStruct)]
struct NotC {
    x: f32,
}

#[derive(Clone, Copy, KernelStruct)]
#[repr(C)]
struct Tuple(f32, f32);

fn main() {}
