//! Which process this is: a child that `fork` made has the memory of its parent, but neither its threads nor its devices.

use crate::error::{Result, error};
#[cfg(unix)]
use std::sync::Once;
use std::sync::atomic::{AtomicU32, Ordering};

/// How often this process was forked since its devices were first looked at: differs between a parent and its children.
static GENERATION: AtomicU32 = AtomicU32::new(0);

/// The process, as a device remembers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Process(u32);

impl Process {
    /// This one.
    pub fn current() -> Process {
        #[cfg(unix)]
        {
            static WATCH: Once = Once::new();
            WATCH.call_once(watch);
        }
        Process(GENERATION.load(Ordering::Relaxed))
    }

    /// Whether it is this one still.
    pub fn is_current(self) -> bool {
        self.0 == GENERATION.load(Ordering::Relaxed)
    }

    /// An error in a child of the process.
    pub fn check(self) -> Result<()> {
        if self.is_current() {
            return Ok(());
        }
        Err(error!(
            DeviceLost,
            "this process is a fork of the one that opened the device, and has no part in it; open devices after \
             `fork`, or start a program of its own"
        ))
    }
}

#[cfg(unix)]
fn watch() {
    unsafe extern "C" {
        fn pthread_atfork(
            prepare: Option<unsafe extern "C" fn()>,
            parent: Option<unsafe extern "C" fn()>,
            child: Option<unsafe extern "C" fn()>,
        ) -> std::ffi::c_int;
    }
    unsafe extern "C" fn child() {
        GENERATION.fetch_add(1, Ordering::Relaxed);
        crate::cpu::forget_pool();
    }
    // SAFETY: the signature is that of POSIX; the handler only stores to atomics, which a child of a process with
    // threads may do. Without memory for the handler children are not recognised; there is nothing else to do.
    unsafe { pthread_atfork(None, None, Some(child)) };
}
