//! Queues: where launches go, and where to wait for them.

use crate::device::Device;
use crate::error::Result;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How long a launch took, or where that will be written.
pub(crate) enum Timing {
    Measured(Duration),
    #[cfg(feature = "vulkan")]
    Vulkan(std::sync::Arc<crate::vulkan::Timestamps>),
    #[cfg(feature = "level-zero")]
    LevelZero(std::sync::Arc<crate::level_zero::Timer>),
}

/// A queue of launches on one device.
///
/// Launches of all the device's queues have their effects in the order in which they were made, so that no two
/// of them can get in each other's way; a queue knows which are its own, for [`Queue::wait`] and for profiling.
pub struct Queue {
    device: Device,
    profiling: AtomicBool,
    last: Mutex<Option<Timing>>,
    #[cfg(feature = "vulkan")]
    vulkan: Option<crate::vulkan::Queue>,
    #[cfg(feature = "level-zero")]
    level_zero: Option<crate::level_zero::Queue>,
}

impl Queue {
    pub(crate) fn new(device: Device) -> Queue {
        Queue {
            #[cfg(feature = "vulkan")]
            vulkan: match device.backend() {
                crate::device::Backend::Vulkan(vulkan) => Some(crate::vulkan::Queue::new(vulkan.clone())),
                _ => None,
            },
            #[cfg(feature = "level-zero")]
            level_zero: match device.backend() {
                crate::device::Backend::LevelZero(d) => Some(crate::level_zero::Queue::new(d.clone())),
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
    /// The device was lost.
    pub fn wait(&self) -> Result<()> {
        #[cfg(feature = "vulkan")]
        if let Some(vulkan) = &self.vulkan {
            return vulkan.wait().map_err(|e| e.at(format_args!("device `{}`", self.device.name())));
        }
        #[cfg(feature = "level-zero")]
        if let Some(queue) = &self.level_zero {
            return queue.wait().map_err(|e| e.at(format_args!("device `{}`", self.device.name())));
        }
        Ok(())
    }

    /// Hands what was launched so far to the device without waiting for it. Waiting and reading do that, too, and
    /// so does launching now and then; this is for a host that has long work of its own to do first.
    ///
    /// # Errors
    /// The device was lost.
    pub fn flush(&self) -> Result<()> {
        #[cfg(feature = "vulkan")]
        if let Some(vulkan) = &self.vulkan {
            return vulkan.flush().map_err(|e| e.at(format_args!("device `{}`", self.device.name())));
        }
        #[cfg(feature = "level-zero")]
        if let Some(queue) = &self.level_zero {
            return queue.flush().map_err(|e| e.at(format_args!("device `{}`", self.device.name())));
        }
        Ok(())
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
            Timing::Measured(time) => Some(*time),
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

    #[cfg(feature = "vulkan")]
    pub(crate) fn vulkan(&self) -> Result<&crate::vulkan::Queue> {
        // Callers have checked that queue and memory are of one device.
        self.vulkan
            .as_ref()
            .ok_or_else(|| crate::error::error!(WrongDevice, "the memory is on Vulkan, the queue is not"))
    }

    #[cfg(feature = "level-zero")]
    pub(crate) fn level_zero(&self) -> Result<&crate::level_zero::Queue> {
        // As above.
        self.level_zero
            .as_ref()
            .ok_or_else(|| crate::error::error!(WrongDevice, "the memory is on Level Zero, the queue is not"))
    }
}

impl std::fmt::Debug for Queue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Queue({})", self.device.name())
    }
}
