// What a native kernel is called with. Generated code includes this text as it stands.
/// Memory of one resource. That of a sampler is a `Sampler`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Slot {
    /// First byte; aligned to 64. Constants are bytes of the struct.
    pub data: *mut u8,
    /// Bytes from `data` on.
    pub bytes: u64,
    /// Texels in a row; 0 for buffers. A typed buffer is a row.
    pub width: u32,
    /// Rows; 0 for buffers.
    pub height: u32,
    /// Slices, or layers; 0 for buffers, 1 for 2-D images.
    pub depth: u32,
    /// Bytes from one row to the next.
    pub row_pitch: u32,
    /// Bytes from one slice to the next; not meaningful with a single slice.
    pub slice_pitch: u32,
    /// Number of the texel format in SPIR-V's `ImageFormat`; 0 for buffers. Those that SPIR-V has not: 100 is three floats, 101
    /// three integers, of typed buffers; 102 to 105 are sRGB (rgba8, bgra8, r8, rg8), 106 is bgra8, 107 rgb9e5.
    pub format: u32,
    /// Levels of an image; 0 for buffers.
    pub level_count: u32,
    /// A slot for each level of an image, this one the first; not followed where there is one.
    pub levels: *const Slot,
}

/// A sampler, as kernel code reads it.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Sampler {
    /// Filter where texels are larger than what is sampled: 0 nearest, 1 linear.
    pub magnify: u32,
    /// Filter where they are smaller.
    pub minify: u32,
    /// Filter between levels.
    pub mip: u32,
    /// For each coordinate: 0 repeat, 1 mirrored, 2 the edge, 3 the border.
    pub address: [u32; 3],
    /// 0 transparent black, 1 black, 2 white.
    pub border: u32,
    /// 0 never, 1 less, 2 equal, 3 less or equal, 4 greater, 5 not equal, 6 greater or equal, 7 always.
    pub compare: u32,
    /// Lowest level.
    pub least: f32,
    /// Highest level.
    pub most: f32,
    /// Added to the level.
    pub bias: f32,
}

/// What a launch is about; shared by all its calls.
#[derive(Debug)]
#[repr(C)]
pub struct Launch {
    /// One slot a resource of the module, and that of the specialization constants.
    pub slots: *const Slot,
    /// Number of slots.
    pub slot_count: u32,
    /// Work-groups in each dimension.
    pub groups: [u32; 3],
    /// How it is ended early.
    pub control: *const Control,
}

/// How a launch is told to end early, and how it tells why it did.
#[derive(Debug)]
#[repr(C)]
pub struct Control {
    /// Not zero: calls return as soon as they see it.
    pub stop: core::sync::atomic::AtomicU32,
    /// What the kernel could not do; null if there is nothing.
    pub fault: core::sync::atomic::AtomicPtr<Fault>,
}

/// What a kernel could not do, and where in its source.
#[derive(Debug)]
#[repr(C)]
pub struct Fault {
    /// 1: invocations of a work-group part ways before a barrier.
    pub kind: u32,
    /// Line, from 1; 0 if it is not known.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// Bytes of the file's name, which is UTF-8.
    pub file_len: u32,
    /// The file's name.
    pub file: *const u8,
}
