//! Makes a module a Vulkan shader: bindings, push constants, entry point interfaces.
//!
//! Afterwards every resource has a descriptor set and binding or is the push constant block, and every entry point
//! lists the globals that it reaches, in the order of their declaration.

use crate::diag::Findings;
use crate::ir::Module;
use crate::passes::bind_resources::{BindResources, Shift};
use crate::passes::flatten::{Flatten, FlattenArrays};
use crate::passes::list_interfaces::ListInterfaces;
use crate::passes::memory_model::MemoryModel;
use crate::passes::nonuniform::NonUniform;
use crate::passes::push_constants::PushConstants;
use crate::passes::robust_access::{Device, RobustAccess};
use crate::passes::unsigned_indices::UnsignedIndices;
use crate::passes::{Manager, Pass};

/// How to number.
#[derive(Debug, Clone, Default)]
pub struct VulkanOptions {
    /// Makes the first small enough cbuffer that the source does not bind the push constant block, if the source
    /// names none itself.
    pub push_constants: bool,
    /// Numbers as dxc does: `register(t3, space1)` is binding 3 of set 1 whatever its class, and each writable structured
    /// buffer that is a variable of its own takes a number more, for its counter. Otherwise registers mean nothing and numbers are dense.
    pub dxc_numbers: bool,
    /// With [`VulkanOptions::dxc_numbers`]: what is added to the numbers of registers of a class in a space (None: in all).
    pub shifts: Vec<Shift>,
    /// Shifts go for resources without a register, too.
    pub auto_shift: bool,
    /// Which arrays of textures and samplers become single resources.
    pub flatten: Flatten,
    /// Where descriptor heaps are bound (set, binding), by [`Heap`](crate::ir::Heap).
    pub heaps: [Option<(u32, u32)>; 3],
    /// Indices out of range do the same as on the other devices ([`crate::passes::robust_access`]). dxc leaves that open.
    pub robust_access: bool,
}

/// What makes a module a Vulkan shader, in order.
pub fn passes(options: &VulkanOptions) -> Vec<Box<dyn Pass>> {
    let mut list: Vec<Box<dyn Pass>> = Vec::new();
    if options.push_constants {
        list.push(Box::new(PushConstants { keep_registers: options.dxc_numbers }));
    }
    list.push(Box::new(BindResources {
        dxc_numbers: options.dxc_numbers,
        shifts: options.shifts.clone(),
        auto_shift: options.auto_shift,
        flatten: options.flatten,
        heaps: options.heaps,
    }));
    if options.flatten != Flatten::Nothing {
        list.push(Box::new(FlattenArrays(options.flatten)));
    }
    if options.robust_access {
        list.push(Box::new(RobustAccess(Device::VULKAN)));
    }
    list.push(Box::new(UnsignedIndices));
    list.push(Box::new(NonUniform));
    list.push(Box::new(MemoryModel));
    list.push(Box::new(ListInterfaces));
    list
}

/// Runs [`passes`] on a module.
pub fn run(module: &mut Module, options: &VulkanOptions) -> Findings {
    let mut findings = Findings::new();
    let list = passes(options);
    Manager::default().run(list.iter().map(Box::as_ref), module, &mut findings);
    findings
}
