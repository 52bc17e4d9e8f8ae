//! Vulkan devices.
//!
//! # Invariants
//!
//! - All work of a device goes through one [`stream::Stream`], a total order: commands are recorded into the open
//!   command buffer under its lock, and submitted to one `VkQueue` in that order. A [`Queue`] only remembers how
//!   far the stream had come at its last command.
//! - Memory knows the last commands that read and wrote it (`Usage`, guarded by the stream's lock). A barrier is
//!   recorded only where a command meets an earlier one that no barrier separates it from and one of them writes.
//! - What a command uses is kept by its submission until that has completed, so handles can be dropped any time.
//! - Host access to mapped memory happens when the last conflicting submission has completed; the borrows of
//!   `Buffer` and `Image` keep new ones from being recorded meanwhile.
//! - What can fail comes before anything is recorded of a command, and what a command uses is kept before it is recorded:
//!   a call that fails leaves nothing behind in the open command buffer.
//! - Want of memory loses nothing that need not be: a complete command buffer that was not taken is submitted later, and
//!   what waits is asked again. Commands that are lost all the same are remembered, and whoever waits for them or uses
//!   what they were to write gets the error. Once the device was lost, every call says so.
//! - Memory that only commands in flight hold is bounded; where there is too little, the host waits for it.
//! - Images are in `GENERAL` layout from their first command on.
//! - `Shared` (the `VkDevice`) is destroyed last: everything made from it holds it.

mod device;
mod errors;
mod features;
mod image;
mod instance;
mod launch;
mod limits;
mod memory;
mod pipeline;
mod recording;
mod stream;
mod transfer;
mod waves;

use crate::gpu::Owned;
pub(crate) use device::{Device, list, open};
pub(crate) use image::{Image, ImageDesc, Sampler};
pub(crate) use instance::validation_messages;
pub(crate) use launch::{Bound, Timestamps};
pub(crate) use memory::Buffer;
pub(crate) use pipeline::Pipeline;
pub(crate) use transfer::Queue;

/// A user's buffer.
pub(crate) type OwnedBuffer = Owned<Device, Buffer>;
/// A user's image.
pub(crate) type OwnedImage = Owned<Device, Image>;
