//! Robust access: what an index out of range does, the same on every device.
//!
//! SPIR-V leaves it undefined, and drivers corrupt memory over it. Here a read gives 0, a write is dropped, and an index that
//! chooses a resource of an array is that of the last one. An index counts for the array, vector or matrix that it is of: one
//! beyond the end of an array is out of range though other members of the same buffer follow.
//!
//! Runs on modules whose control flow is structured, as late as possible: what [`crate::analysis::range`] knows to be in range
//! is left as it is. Where nothing is known, the index is compared, and
//!
//! | memory | index | read | write |
//! | --- | --- | --- | --- |
//! | the kernel's own (groupshared, static, local, push constants) | clamped | 0 is chosen | skipped; private memory is written back |
//! | elements of buffers | beyond every buffer, which the device answers | | |
//! | blocks of constants | left alone, the device keeps the read inside | 0 is chosen | |
//! | components of vector values | clamped | 0 is chosen | the old value is chosen |
//!
//! A buffer's own length is the device's business ([`Device`]), but only as long as its offset in bytes does not wrap around:
//! element numbers for which it would are replaced by one that is beyond every buffer.

mod plan;
mod rewrite;

use super::{Changed, Pass};
use crate::analysis::Analyses;
use crate::analysis::range::{GroupSize, Inputs};
use crate::diag::Findings;
use crate::ir::{EntryPoint, Func, Module};

/// What a device does by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Device {
    /// It keeps accesses to the kernel's own memory inside the variable, whatever the sum of offsets.
    pub checks_own_memory: bool,
    /// Offsets into buffers do not wrap around.
    pub wide_offsets: bool,
    /// Work-items along each axis of a launch, at most: who launches sees to it.
    pub launch_size: Option<u32>,
}

/// Work-items along an axis of a launch on Vulkan, as the runtime has it too: as many as the largest buffer has words of 32 bits.
/// So words may be numbered by the work-item's id without a look at it.
pub const LAUNCH_SIZE: u32 = 1 << 30;

impl Device {
    /// Vulkan with robust buffer access, whose offsets have 32 bits.
    pub const VULKAN: Device =
        Device { checks_own_memory: false, wide_offsets: false, launch_size: Some(LAUNCH_SIZE) };
    /// Kernels of OpenCL's flavour, as `abi::kernel` makes them: it checks 64-bit offsets into buffers.
    pub const KERNELS: Device = Device { checks_own_memory: false, wide_offsets: true, launch_size: None };
    /// Code for the CPU, which checks every address of 32 bits. A single index is checked before it becomes one.
    pub const CPU: Device = Device { checks_own_memory: true, wide_offsets: false, launch_size: None };
}

/// What a program may do wrong has a meaning on a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RobustAccess(pub Device);

impl Pass for RobustAccess {
    fn name(&self) -> &'static str {
        "robust-access"
    }

    fn run(&self, module: &mut Module, _: &mut Analyses, _: &mut Findings) -> Changed {
        run(module, self.0).into()
    }
}

/// Runs on every function.
pub fn run(module: &mut Module, device: Device) -> bool {
    let Module { ctx, globals, functions, entry_points, .. } = module;
    let mut changed = false;
    for (func, f) in functions.iter_mut().filter(|(_, f)| f.body.is_some()) {
        if !plan::has_candidates(ctx, f) {
            continue;
        }
        let inputs =
            Inputs { ctx, globals, groups: group_size(entry_points, func), launch_size: device.launch_size };
        let plan = plan::make(inputs, f, device);
        if !plan.is_empty() {
            rewrite::run(ctx, f, &plan, device);
            changed = true;
        }
    }
    changed
}

/// Sizes of the groups that run a function: those of its entry points, or of all if it is called.
fn group_size(entries: &[EntryPoint], func: Func) -> Option<GroupSize> {
    let own = entries.iter().any(|e| e.func == func);
    let sizes = || entries.iter().filter(|e| !own || e.func == func).map(|e| e.local_size);
    // Zero: the host chooses.
    if sizes().any(|s| s.contains(&0)) {
        return None;
    }
    let each = |of: fn(u32, u32) -> u32| sizes().reduce(|a, b| std::array::from_fn(|i| of(a[i], b[i])));
    Some(GroupSize { least: each(u32::min)?, most: each(u32::max)? })
}
