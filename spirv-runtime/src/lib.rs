//! Runs kernels built by `spirv-build`: on any Vulkan or Level Zero device, and on the CPU where
//! there is none.
//!
//! ```ignore
//! spirv_runtime::include_kernel!("kernels/blur.hlsl");
//!
//! let device = spirv_runtime::Device::best()?;
//! let queue = device.queue();
//! let src = device.buffer_from(&pixels)?;
//! let mut dst = device.buffer::<f32>(pixels.len())?;
//! let kernel = blur::load(&device)?;
//! kernel.launch(&queue, blur::Args {
//!     src: &src,
//!     dst: &mut dst,
//!     params: blur::Params { width, height, radius: 2 },
//!     threads: [width, height, 1],
//! })?;
//! let out = dst.read(&queue)?;
//! ```
//!
//! # What holds
//!
//! - A launch is safe: the stub's types are those of the kernel, reads out of range give 0 and writes out of range
//!   are dropped, and what a launch uses stays alive until it has run, whatever is dropped in the meantime.
//! - A launch is asynchronous. Work on the memory of one device happens as if in the order of the calls; every host
//!   read waits for the last writer. [`Queue::wait`] waits for everything. What has no end holds up those only who wait for it:
//!   each wait has a form with a time limit ([`Queue::wait_timeout`], [`Buffer::wait_timeout`], [`ImageView::wait_timeout`]:
//!   after them reads and writes wait for nothing), and on the CPU [`Queue::cancel`] ends what was launched, as dropping all
//!   that a launch writes does. A launch waits only where some thousand before it have not run.
//! - What a launch could not do is an error of the next wait for it, and of the next read or launch that uses what it was to
//!   write.
//! - A launch has as many work-groups as the device takes on each axis; on the CPU 2^31 - 1 in x and 65,535 in y and z, as GPUs have,
//!   so that what runs there runs elsewhere.
//! - Invocations that use the same memory at the same time, without atomic operations and barriers, race: a value that is read
//!   may be old, new, or parts of both, and may differ each time that the kernel uses it. Native code on the CPU has plain
//!   loads and stores there, as a C compiler makes them: to the letter of Rust's and LLVM's rules such a race is undefined, as
//!   it is in Vulkan's. Every access is checked against the bounds of its memory all the same.
//! - A child that `fork` made has no part in the devices of its parent: it gets errors, and can open its own.
//! - Nothing is linked: the loaders of Vulkan and Level Zero are opened at run time, and a machine without them still
//!   has its CPU.
//! - Nothing panics: what can go wrong at run time is an [`Error`].
//! - Want of memory on a GPU ends nothing: what is in flight is waited for and gives back its own, then the call is tried
//!   again, then it is an error of that call. Launches that are lost for it are an error of whoever waits for them or reads
//!   what they were to write. A device that was lost says so at every call; opening it again gives a new one.
//!
//! # Vectors of other crates
//!
//! The features `glam`, `half` and `nalgebra` (each off by default) let the vectors and matrices of those crates and `half::f16` be
//! elements of buffers and members of structs: in signatures of [`spirv_kernel!`], and in your own structs that stubs of
//! [`include_kernel!`] use (`spirv_build::config().rust_type("float4", "glam::Vec4")`, `.types("crate::gpu")`). Any other plain
//! type can be one too: see [`KernelType`].
//!
//! How they lie in memory is compared with the kernel while the crate is compiled. `float3` elements have 16 bytes by Vulkan's rules
//! and take `glam::Vec4` or `[f32; 4]`; with `-fvk-use-dx-layout` or `-fvk-use-scalar-layout` they have 12, and take `glam::Vec3` or
//! `[f32; 3]`. `glam::Vec4`, `Quat` and `Mat4` are aligned to 16 bytes where glam uses vector instructions: a struct that has one is
//! too, and so is its size. `glam::Vec3A` and `Mat3A` have padding, and are no plain data; a `float3x3` of three columns of 16 bytes
//! is `[[f32; 4]; 3]` or `nalgebra::Matrix4x3<f32>`. The types of `mint` are not plain data for bytemuck; convert them to arrays.
//!
//! # Environment
//!
//! | Variable | Meaning |
//! |---|---|
//! | `SPIRV_DEVICE` | what [`Device::best`] opens: `cpu`, `vulkan`, `vulkan:1`, `level-zero:0` |
//! | `SPIRV_CPU_ISA` | the instruction set of CPU kernels: `avx2` (x86-64 processors that have it), `scalar` |
//! | `SPIRV_CPU_THREADS` | the number of threads of the CPU device; one a core without it |
//! | `SPIRV_LEVEL_ZERO_LOADER` | path of the Level Zero loader, where the system does not find it by its name |
//! | `SPIRV_VULKAN_LOADER` | path of the Vulkan loader, where the system does not find it by its name |
//! | `SPIRV_VALIDATION` | `1`: Vulkan runs under the Khronos validation layer, with synchronization validation |
#![deny(missing_docs, missing_debug_implementations)]
// Lets the macros' absolute paths work in this crate's own tests and documentation.
extern crate self as spirv_runtime;

mod argument;
mod buffer;
mod check;
mod cpu;
mod device;
mod dimension;
mod element;
mod error;
mod format;
#[cfg(any(feature = "vulkan", feature = "level-zero"))]
mod gpu;
mod image;
mod kernel;
#[cfg(feature = "level-zero")]
mod level_zero;
mod process;
mod queue;
mod sampler;
#[cfg(any(feature = "vulkan", feature = "level-zero"))]
mod spirv;
#[cfg(feature = "vulkan")]
mod vulkan;

pub use buffer::Buffer;
pub use check::{KernelType, TypeLayout};
pub use device::{Device, DeviceInfo, DeviceKind};
pub use dimension::{Cube, CubeArray, D1, D1Array, D2, D2Array, D3, Dimension, ImageSize};
pub use element::Element;
pub use error::{Error, ErrorKind, Result};
pub use format::*;
pub use image::{Image, ImageView};
pub use queue::Queue;
pub use sampler::{AddressMode, BorderColor, CompareFunction, Filter, Sampler, SamplerOptions};
pub use spirv_macros::{KernelStruct, include_kernel, include_types, spirv_kernel};

/// What the macros' output refers to. No part of the public interface: it changes with any version.
#[doc(hidden)]
pub mod __private {
    pub use crate::argument::Arg;
    pub use crate::check::{
        ConstantsCheck, ElementCheck, Expected, ExpectedMember, Field, ImageCheck, Message, ScalarKind,
        StructCheck, TexelsCheck, TypeLayout, check_constants, check_element, check_image, check_struct,
        check_texels, padded, reject,
    };
    pub use crate::cpu::abi::{Control, Fault, KernelFn, Launch, Slot};
    pub use crate::kernel::{
        Binding, ClArg, ClEntry, ConstantValue, CpuCode, CpuEntry, EntryDesc, KernelDesc, Loaded,
        ResourceDesc, ResourceKind, WaveSize,
    };
    pub use bytemuck;

    /// See `fallback` in spirv-macros: a projection from an erroneous type to one more.
    pub trait Broken {
        /// The erroneous type.
        type Stub;
    }

    /// Messages of the Vulkan validation layer since the process began.
    pub fn validation_messages() -> Vec<String> {
        #[cfg(feature = "vulkan")]
        return crate::vulkan::validation_messages();
        #[cfg(not(feature = "vulkan"))]
        Vec::new()
    }
}
