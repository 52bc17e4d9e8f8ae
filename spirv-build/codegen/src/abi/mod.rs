//! How a module meets its host: one file for each kind of host.

pub mod kernel;
pub mod reflect;
pub mod shader;
pub mod vulkan;
