//! Queues: where launches go, and where to wait for them.

use crate::cpu;
use crate::device::{Backend, Device};
use crate::error::{Result, error};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a launch took, or where that will be written.
pub(crate) enum Timing {
    Cpu(Arc<cpu::Job>),
    #[cfg(feature = "vulkan")]
    Vulkan(Arc<crate::vulkan::Timestamps>),
    #[cfg(feature = "level-zero")]
    LevelZero(Arc<crate::level_zero::Timer>),
}

/// A queue of launches on one device.
///
/// Launches of all the device's queues have their effects in the order in which they were made, so that no two
/// of them can get in each other's way; a queue knows which are its own, for [`Queue::wait`] and for profiling.
pub struct Queue {
    device: Device,
    profiling: AtomicBool,
    last: Mutex<Option<Timing>>,
    cpu: Option<cpu::Queue>,
    #[cfg(feature = "vulkan")]
    vulkan: Option<crate::vulkan::Queue>,
    #[cfg(feature = "level-zero")]
    level_zero: Option<crate::level_zero::Queue>,
}

impl Queue {
    pub(crate) fn new(device: Device) -> Queue {
        Queue {
            cpu: match device.backend() {
                Backend::Cpu => Some(cpu::Queue::default()),
                #[cfg(any(feature = "vulkan", feature = "level-zero"))]
                _ => None,
            },
            #[cfg(feature = "vulkan")]
            vulkan: match device.backend() {
                Backend::Vulkan(vulkan) => Some(crate::vulkan::Queue::new(vulkan.clone())),
                _ => None,
            },
            #[cfg(feature = "level-zero")]
            level_zero: match device.backend() {
                Backend::LevelZero(d) => Some(crate::level_zero::Queue::new(d.clone())),
                _ => None,
            },
            device,
            profiling: AtomicBool::new(false),
            last: Mutex::new(None),
        }
    }

    /// The device that the launches run on.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Waits until everything launched on this queue has run.
    ///
    /// # Errors
    /// A launch failed, which is told once, or the device was lost.
    pub fn wait(&self) -> Result<()> {
        self.checked(|queue| {
            #[cfg(feature = "vulkan")]
            if let Some(vulkan) = &queue.vulkan {
                return vulkan.wait();
            }
            #[cfg(feature = "level-zero")]
            if let Some(queue) = &queue.level_zero {
                return queue.wait();
            }
            queue.cpu()?.wait(None).map(drop)
        })
    }

    /// As [`Queue::wait`], for no longer than this; whether everything has run.
    ///
    /// # Errors
    /// As for [`Queue::wait`].
    pub fn wait_timeout(&self, timeout: Duration) -> Result<bool> {
        self.checked(|queue| {
            #[cfg(feature = "vulkan")]
            if let Some(vulkan) = &queue.vulkan {
                return vulkan.wait_timeout(timeout);
            }
            #[cfg(feature = "level-zero")]
            if let Some(queue) = &queue.level_zero {
                return queue.wait_timeout(timeout);
            }
            queue.cpu()?.wait(Some(until(timeout)))
        })
    }

    /// Hands what was launched so far to the device without waiting for it. Waiting and reading do that, too, and
    /// so does launching now and then; this is for a host that has long work of its own to do first.
    ///
    /// # Errors
    /// The device was lost.
    pub fn flush(&self) -> Result<()> {
        self.checked(|queue| {
            #[cfg(feature = "vulkan")]
            if let Some(vulkan) = &queue.vulkan {
                return vulkan.flush();
            }
            #[cfg(feature = "level-zero")]
            if let Some(queue) = &queue.level_zero {
                return queue.flush();
            }
            queue.cpu()?.flush()
        })
    }

    /// Ends what was launched on this queue and has not run, on the CPU: kernels at the next work-group, or where a loop
    /// looks. None of it runs any more when this returns. What it was to write holds anything, and can be used again; to who
    /// waits for it now, and in launches of other queues that use it, it is an error.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`](crate::ErrorKind) on devices that cannot: GPUs finish what they have begun.
    pub fn cancel(&self) -> Result<()> {
        self.checked(|queue| match &queue.cpu {
            Some(cpu) => cpu.cancel(),
            None => Err(error!(
                Unsupported,
                "a GPU does not end what it has begun; make launches smaller, or wait with a time limit"
            )),
        })
    }

    /// With the device's name in its errors; an error in a forked process.
    fn checked<T>(&self, f: impl FnOnce(&Queue) -> Result<T>) -> Result<T> {
        self.device.check_process()?;
        f(self).map_err(|e| e.at(format_args!("device `{}`", self.device.name())))
    }

    /// Whether launches are timed from now on. A timed launch waits for the one before it.
    pub fn set_profiling(&self, on: bool) {
        self.profiling.store(on, Ordering::Relaxed);
    }

    /// How long the last timed launch took on the device; waits for it. None if no launch was timed, if the device
    /// has no timestamps, or if it was lost.
    pub fn last_kernel_time(&self) -> Option<Duration> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        match last.as_ref()? {
            Timing::Cpu(job) => {
                let job = job.clone();
                drop(last);
                self.device.check_process().ok()?;
                job.wait().ok()?;
                job.elapsed()
            }
            #[cfg(feature = "vulkan")]
            Timing::Vulkan(timestamps) => self.vulkan.as_ref()?.elapsed(timestamps),
            #[cfg(feature = "level-zero")]
            Timing::LevelZero(timer) => self.level_zero.as_ref()?.elapsed(timer),
        }
    }

    pub(crate) fn profiling(&self) -> bool {
        self.profiling.load(Ordering::Relaxed)
    }

    pub(crate) fn set_timing(&self, timing: Option<Timing>) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = timing;
    }

    pub(crate) fn cpu(&self) -> Result<&cpu::Queue> {
        // Callers have checked that queue and memory are of one device.
        self.cpu.as_ref().ok_or_else(|| error!(WrongDevice, "the memory is on the CPU, the queue is not"))
    }

    #[cfg(feature = "vulkan")]
    pub(crate) fn vulkan(&self) -> Result<&crate::vulkan::Queue> {
        // Callers have checked that queue and memory are of one device.
        self.vulkan.as_ref().ok_or_else(|| error!(WrongDevice, "the memory is on Vulkan, the queue is not"))
    }

    #[cfg(feature = "level-zero")]
    pub(crate) fn level_zero(&self) -> Result<&crate::level_zero::Queue> {
        // As above.
        self.level_zero
            .as_ref()
            .ok_or_else(|| error!(WrongDevice, "the memory is on Level Zero, the queue is not"))
    }
}

/// When a wait that begins now ends.
pub(crate) fn until(timeout: Duration) -> Instant {
    let now = Instant::now();
    // Longer than any wait.
    now.checked_add(timeout).unwrap_or(now + Duration::from_secs(1 << 30))
}

impl std::fmt::Debug for Queue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Queue({})", self.device.name())
    }
}
