//! The binary interface between the runtime and native kernel code. [`TEXT`] has the structures for the code that `spirv-build`
//! generates, which a compiler sees alone.
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
#![no_std]
#![deny(missing_docs)]

mod structures;

pub use structures::{Control, Fault, Launch, Sampler, Slot};

/// The text of the structures, which names nothing but `core`.
pub const TEXT: &str = include_str!("structures.rs");

/// An entry point compiled for one instruction set.
pub type KernelFn = unsafe extern "C" fn(launch: *const Launch, begin: u64, end: u64, scratch: *mut u8);

impl Slot {
    /// The slot of a resource that the entry point does not use.
    pub const UNUSED: Slot = Slot {
        data: core::ptr::null_mut(),
        bytes: 0,
        width: 0,
        height: 0,
        depth: 0,
        row_pitch: 0,
        slice_pitch: 0,
        format: 0,
        level_count: 0,
        levels: core::ptr::null(),
    };
}

impl Sampler {
    /// As it lies in memory.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: plain numbers of 32 bits, without padding.
        unsafe { core::slice::from_raw_parts((&raw const *self).cast(), size_of::<Sampler>()) }
    }
}

impl Control {
    /// That of a launch that goes on.
    pub const fn new() -> Control {
        let fault = core::sync::atomic::AtomicPtr::new(core::ptr::null_mut());
        Control { stop: core::sync::atomic::AtomicU32::new(0), fault }
    }
}

impl Default for Control {
    fn default() -> Control {
        Control::new()
    }
}
