//! How a module meets its host: one file for each kind of host.

pub mod addresses;
pub mod flatten;
pub mod kernel;
mod memory_model;
mod nonuniform;
pub mod offsets;
pub mod reflect;
pub mod shader;
pub mod vulkan;

use crate::ir::{Global, Module};

/// The resources of a module in the order that defines their *slots*: the globals that the host reaches, as declared.
pub fn resource_order(module: &Module) -> Vec<Global> {
    module.globals.iter().filter(|(_, g)| g.interface.is_some()).map(|(g, _)| g).collect()
}
