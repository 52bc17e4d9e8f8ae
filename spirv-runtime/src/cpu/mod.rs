//! The CPU device: native kernel code, compiled ahead of time, on a pool of threads.
//!
//! A launch has run when the call returns. That is within what a launch promises, and it makes the borrows of
//! the arguments cover the whole run.

pub(crate) mod abi;
mod isa;
mod memory;
mod pool;

pub(crate) use memory::{Block, Texture};

use crate::error::{Result, error};
use crate::kernel::EntryDesc;
use abi::{KernelFn, Launch, Slot};
use pool::Pool;
use std::time::{Duration, Instant};

/// Most work-groups in a launch: beyond that the counters of the pool might overflow.
const MAX_GROUPS: u64 = 1 << 62;

/// An entry point, with the code for this processor chosen.
#[derive(Debug, Clone)]
pub(crate) struct Code {
    function: KernelFn,
    isa: &'static str,
    scratch: usize,
}

/// A short description of the processor.
pub(crate) fn name() -> String {
    let threads = pool::configured_threads();
    let plural = if threads == 1 { "" } else { "s" };
    format!("{}, {threads} thread{plural}", isa::brand().unwrap_or_else(|| "CPU".into()))
}

pub(crate) fn load(entry: &EntryDesc) -> Result<Code> {
    let code = entry.cpu.as_ref().ok_or_else(|| {
        error!(
            Unsupported,
            "it has no CPU code; let build.rs compile it for the CPU, or run it on another device \
             (SPIRV_DEVICE=vulkan)"
        )
    })?;
    let forced = std::env::var("SPIRV_CPU_ISA").ok().filter(|v| !v.is_empty());
    let (isa, function) = isa::choose(code, forced.as_deref())?;
    Ok(Code { function, isa, scratch: code.scratch as usize })
}

impl Code {
    /// The instruction set that the code is for.
    pub(crate) fn isa(&self) -> &'static str {
        self.isa
    }

    /// Runs the work-groups, with `local` bytes of local memory each, and returns how long that took.
    ///
    /// # Safety
    /// `slots` has one slot a resource of the kernel, in order. Those of the resources that the entry point uses
    /// point to memory that nobody else writes, and that nobody else reads if the resource is writable. Those of local
    /// memory have no pointer; their bytes, each rounded up to 64, sum up to `local`.
    pub(crate) unsafe fn run(&self, slots: &[Slot], groups: [u32; 3], local: usize) -> Result<Duration> {
        let count = groups
            .iter()
            .try_fold(1u64, |n, g| n.checked_mul(u64::from(*g)))
            .filter(|n| *n <= MAX_GROUPS)
            .ok_or_else(|| error!(Limit, "{groups:?} work-groups exceed the CPU device's {MAX_GROUPS}"))?;
        let launch = Launch { slots: slots.as_ptr(), slot_count: slots.len() as u32, groups };
        let shared = SharedLaunch(&launch);
        let function = self.function;
        let start = Instant::now();
        Pool::global().run(count, self.scratch + local, &move |begin, end, scratch| {
            // SAFETY: the function is code of this entry point for an instruction set that the processor has;
            // the launch outlives the run; the caller vouches for the slots; the pool's scratch memory is
            // aligned, large enough and the thread's own.
            unsafe { function(shared.get(), begin, end, scratch) }
        })?;
        Ok(start.elapsed())
    }
}

/// A launch as the threads of the pool see it.
#[derive(Clone, Copy)]
struct SharedLaunch<'a>(&'a Launch);

impl SharedLaunch<'_> {
    fn get(&self) -> *const Launch {
        self.0
    }
}

// SAFETY: a launch is only read; what it points to may be used from several threads by the kernel ABI.
unsafe impl Send for SharedLaunch<'_> {}
// SAFETY: as above.
unsafe impl Sync for SharedLaunch<'_> {}
