//! The binary interface between the runtime and native kernel code.
//!
//! `spirv-build` repeats these definitions in the code it generates; the two change together.
//!
//! Rules that kernel code relies on:
//! - `slots` is indexed by the resource's index in the module, used or not by this entry point. One more has the values of
//!   the specialization constants, eight bytes each, in the order of the interface.
//! - A call runs the work-groups `begin..end`, numbered with x fastest, on the calling thread. Calls for
//!   different groups run at the same time on other threads.
//! - `scratch` is aligned to 64, has at least the bytes that the entry point asks for and behind them, for each slot of
//!   local memory, its bytes rounded up to 64; it belongs to the thread and holds anything.
//! - The address of a buffer, where the kernel takes one, is its slot's number plus one, shifted by 48.
//! - `control` is that of the launch. Once its `stop` is set, what the launch writes is of no use to anybody.
//!
//! Rules that the runtime relies on:
//! - The code touches `bytes` bytes from `data` on (images: of each level `depth` slices `slice_pitch` apart, of `height`
//!   rows `row_pitch` apart) and its scratch, and nothing else; what is out of range reads as 0 and is not written.
//! - It writes only the slots of writable resources, does not unwind and keeps no pointer.
//! - It looks at `stop` before each group and now and then in loops that may be long, and returns if it is set. It sets
//!   it itself, and `fault` to memory that is never freed, where it cannot do what the program says.

use crate::sampler::SamplerOptions;
use std::sync::atomic::{AtomicPtr, AtomicU32};

/// The texel formats, by their number in SPIR-V's `ImageFormat`, that kernel code converts. The runtime makes no
/// images of others, since the code would have to take their texels for something else.
pub(crate) const IMAGE_FORMATS: &[u32] = &[
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28,
    29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 102, 103, 104, 105, 106, 107,
];

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

impl Slot {
    /// The slot of a resource that the entry point does not use.
    pub(crate) const UNUSED: Slot = Slot {
        data: std::ptr::null_mut(),
        bytes: 0,
        width: 0,
        height: 0,
        depth: 0,
        row_pitch: 0,
        slice_pitch: 0,
        format: 0,
        level_count: 0,
        levels: std::ptr::null(),
    };
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

impl Sampler {
    /// The numbers are those of the variants, in their order.
    pub(crate) fn new(options: &SamplerOptions) -> Sampler {
        Sampler {
            magnify: options.mag_filter as u32,
            minify: options.min_filter as u32,
            mip: options.mip_filter as u32,
            address: options.address.map(|mode| mode as u32),
            border: options.border as u32,
            compare: options.compare.map_or(0, |c| c as u32),
            least: options.lod_min,
            most: options.lod_max,
            bias: options.lod_bias,
        }
    }

    /// As it lies in memory.
    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY: plain numbers of 32 bits, without padding.
        unsafe { std::slice::from_raw_parts((&raw const *self).cast(), size_of::<Sampler>()) }
    }
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
    pub stop: AtomicU32,
    /// What the kernel could not do; null if there is nothing.
    pub fault: AtomicPtr<Fault>,
}

impl Control {
    pub(crate) const fn new() -> Control {
        Control { stop: AtomicU32::new(0), fault: AtomicPtr::new(std::ptr::null_mut()) }
    }
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

/// An entry point compiled for one instruction set.
pub type KernelFn = unsafe extern "C" fn(launch: *const Launch, begin: u64, end: u64, scratch: *mut u8);
