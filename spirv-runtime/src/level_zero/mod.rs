//! Level Zero devices.
//!
//! # Invariants
//!
//! - All work of a device goes through one [`stream::Stream`], a total order: on an in-order immediate command list
//!   where the driver has those, otherwise on regular lists with a barrier before every command, which are executed
//!   on one queue in their order. So no two commands can get in each other's way, and no hazards are looked for.
//! - Commands have numbers, from 1. Memory knows the number of the last command that read and wrote it.
//! - What a command uses is kept by the stream until the command has completed, so handles can be dropped any time.
//! - Lists and kernels are touched under the stream's lock only; waiting happens without it.
//! - Want of memory loses nothing that need not be: a complete list that was not executed is executed later, and what waits
//!   is asked again. Commands that are lost all the same are remembered, and whoever waits for them or uses what they were
//!   to write gets the error. Once the device was lost, every call says so.
//! - Memory that only commands in flight hold is bounded; where there is too little, the host waits for it.
//! - Host access to memory that it can reach happens when the last conflicting command has completed; the borrows of
//!   `Buffer` keep new ones from being appended meanwhile.
//! - A kernel's argument is set again only if it is another one than at the last launch. Buffers are told apart by a
//!   number of their own and not by their address, which the next buffer may have, too: drivers look up the
//!   allocation when the argument is set.
//! - An image on a device without images is memory: rows of texels without gaps, less than 2^32 texels. Which of its two
//!   forms a kernel is loaded in follows from the device alone.
//! - `Shared` (the context) is destroyed last: everything made in it holds it.

mod device;
mod errors;
mod image;
mod instance;
mod launch;
mod memory;
mod module;
mod stream;
mod transfer;

use crate::gpu::Owned;
pub(crate) use device::{Device, list, open};
pub(crate) use image::{Image, TexelFormat};
pub(crate) use launch::{Bound, Timer};
pub(crate) use memory::Buffer;
pub(crate) use module::Kernel;
pub(crate) use transfer::Queue;

/// A user's buffer.
pub(crate) type OwnedBuffer = Owned<Device, Buffer>;
/// A user's image.
pub(crate) type OwnedImage = Owned<Device, Image>;
