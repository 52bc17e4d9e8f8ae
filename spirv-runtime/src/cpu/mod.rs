//! The CPU device: native kernel code, compiled ahead of time, on a pool of threads.
//!
//! A launch is a [`Job`], which owns or keeps all that it uses and runs when the jobs before it that use the same memory are
//! done (`pool`). The borrows of the arguments end when the launch returns: host and jobs keep out of each other's way since
//! all access of the host waits for the jobs (`memory`).

pub(crate) mod abi;
mod arguments;
mod block;
mod few;
mod isa;
mod job;
mod locked;
mod memory;
mod pool;
mod queue;

pub(crate) use arguments::resources;
pub(crate) use job::{Job, Resources};
pub(crate) use memory::{Memory, Texture};
#[cfg(unix)]
pub(crate) use pool::forget_pool;
pub(crate) use queue::Queue;

use crate::error::{Result, error};
use crate::kernel::{CpuEntry, EntryDesc};
use job::{Cost, Function};
use pool::Pool;
use std::sync::Arc;

/// Most work-groups in a launch: beyond that the counters of jobs might overflow.
const MAX_GROUPS: u64 = 1 << 62;

/// Most work-groups on each axis: what GPUs have (in y and z all, in x those of most), so that what runs here runs there.
pub(crate) const GROUP_LIMITS: [u32; 3] = [(1 << 31) - 1, 65_535, 65_535];

/// An entry point, with the code for this processor chosen.
#[derive(Debug, Clone)]
pub(crate) struct Code {
    function: Function,
    isa: &'static str,
}

/// A short description of the processor.
pub(crate) fn name() -> String {
    let brand = isa::brand().unwrap_or_else(|| "CPU".into());
    match pool::configured_threads() {
        Ok(1) => format!("{brand}, 1 thread"),
        Ok(threads) => format!("{brand}, {threads} threads"),
        // Whoever opens it is told.
        Err(_) => brand,
    }
}

/// Whether the environment lets kernels run.
pub(crate) fn check() -> Result<()> {
    pool::configured_threads().map(drop)
}

pub(crate) fn load(entry: &'static EntryDesc) -> Result<Code> {
    let code = match &entry.cpu {
        CpuEntry::Code(code) => code,
        CpuEntry::Refused(reason) => {
            return Err(error!(
                Unsupported,
                "it has no CPU code: {reason}; run it on another device (SPIRV_DEVICE=vulkan)"
            ));
        }
        CpuEntry::Absent => {
            return Err(error!(
                Unsupported,
                "it has no CPU code; let build.rs compile it for the CPU, or run it on another device \
                 (SPIRV_DEVICE=vulkan)"
            ));
        }
    };
    check()?;
    let forced = std::env::var("SPIRV_CPU_ISA").ok().filter(|v| !v.is_empty());
    let (isa, call) = isa::choose(code, forced.as_deref())?;
    let (scratch, cost) = (code.scratch as usize, Arc::new(Cost::unknown()));
    Ok(Code { function: Function { entry, call, scratch, cost }, isa })
}

impl Code {
    /// The instruction set that the code is for.
    pub(crate) fn isa(&self) -> &'static str {
        self.isa
    }

    /// A launch of so many work-groups.
    ///
    /// # Safety
    /// The slots are as [`Job::new`] says.
    pub(crate) unsafe fn job(&self, groups: [u32; 3], resources: Resources, timed: bool) -> Result<Arc<Job>> {
        crate::kernel::check_groups(groups, GROUP_LIMITS)?;
        let all = groups.iter().try_fold(1u64, |n, g| n.checked_mul(u64::from(*g)));
        if all.is_none_or(|n| n > MAX_GROUPS) {
            return Err(error!(Limit, "{groups:?} work-groups exceed the CPU device's {MAX_GROUPS}"));
        }
        let chunks = Pool::global()?.chunks();
        // SAFETY: the function was chosen for this processor; the rest is the caller's word.
        Ok(unsafe { Job::new(self.function.clone(), groups, resources, (chunks, timed)) })
    }
}
