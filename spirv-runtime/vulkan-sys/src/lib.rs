//! Bindings of what `spirv-runtime` uses of Vulkan, opened at run time: nothing is linked.
//!
//! [`vk`] is generated from Khronos' registry by `generate.py`, which lists what is bound. Structures are made with `default()`, which
//! sets their tag, and methods named as their members; slices set both pointer and count. [`Entry`], [`Instance`] and [`Device`] have the
//! functions that are looked up by each, with results in place of pointers to them.
//!
//! Functions of later versions may be missing; then they fail, with [`vk::Result::ERROR_EXTENSION_NOT_PRESENT`] where they have a result.
#![deny(missing_docs)]

#[macro_use]
mod macros;
mod device;
mod instance;

/// Types, constants and signatures. What they mean says Khronos' specification of Vulkan.
#[rustfmt::skip]
#[allow(missing_docs, clippy::all)]
pub mod vk {
    pub(crate) use crate::types::*;
    pub use crate::types::{
        Bool32, ClearColorValue, DebugUtilsMessengerCallback, DebugUtilsMessengerCallbackDataEXT, FALSE,
        QUEUE_FAMILY_IGNORED, REMAINING_ARRAY_LAYERS, REMAINING_MIP_LEVELS, TRUE, WHOLE_SIZE, API_VERSION_1_0,
        API_VERSION_1_1, API_VERSION_1_2, API_VERSION_1_3, Chain,
    };
    include!("vk.rs");
}
mod types;

pub use device::Device;
pub use instance::{Entry, Instance};
pub use vk::extensions;

/// What calls give.
pub type Result<T> = std::result::Result<T, vk::Result>;
