//! What Vulkan and Level Zero have in common: open devices, queues of them, and the limits of launches.

use crate::error::{Error, ErrorKind, Result, error};
pub(crate) use crate::kernel::check_groups;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

/// The open devices of an API by their index.
pub(crate) struct OpenDevices<D>(Mutex<Vec<(usize, Weak<D>)>>);

impl<D: Commands> OpenDevices<D> {
    pub const fn new() -> OpenDevices<D> {
        OpenDevices(Mutex::new(Vec::new()))
    }

    /// The device with this index if it is open and works; else the one that is made.
    pub fn open(&self, index: usize, make: impl FnOnce() -> Result<D>) -> Result<Arc<D>> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|(_, device)| device.upgrade().is_some_and(|device| device.alive().is_ok()));
        if let Some(device) = open.iter().find(|(i, _)| *i == index).and_then(|(_, d)| d.upgrade()) {
            return Ok(device);
        }
        let device = Arc::new(make()?);
        open.push((index, Arc::downgrade(&device)));
        Ok(device)
    }
}

/// A device's stream of commands, which are numbered in their order, as its queues see it.
pub(crate) trait Commands {
    /// Waits until nothing is in flight up to this command, for so many nanoseconds; whether nothing is.
    fn wait_for(&self, command: u64, nanoseconds: u64) -> Result<bool>;

    /// As above, for as long as it takes.
    fn wait(&self, command: u64) -> Result<()> {
        while !self.wait_for(command, u64::MAX)? {}
        Ok(())
    }

    /// Hands all commands so far to the device.
    fn submit(&self) -> Result<()>;

    /// An error if the device was lost.
    fn alive(&self) -> Result<()>;

    /// An error if one of these commands was dropped before it ran.
    fn check_dropped(&self, commands: RangeInclusive<u64>) -> Result<()>;

    /// Gives back what only waits to be used again.
    fn give_back(&self);

    /// Waits until this command has run.
    fn finish(&self, command: u64) -> Result<()> {
        self.wait(command)?;
        self.check_dropped(command..=command)
    }

    /// Does something that takes memory. Where there is too little, does it again when what is in flight has given back
    /// its own.
    fn with_memory<T>(&self, mut f: impl FnMut() -> Result<T>) -> Result<T> {
        self.alive()?;
        match f() {
            Err(e) if e.kind() == ErrorKind::OutOfMemory => {
                // Also if that has too little memory: what had completed has given back its own.
                let _ = self.submit().and_then(|()| self.wait(u64::MAX));
                self.give_back();
                self.alive()?;
                f()
            }
            done => done,
        }
    }
}

/// Commands that were dropped before they ran, and why: those of a command buffer that the driver had no memory to
/// complete. What they were to write does not have its value, which whoever reads it is told.
#[derive(Default)]
pub(crate) struct Dropped(Vec<(RangeInclusive<u64>, Error)>);

impl Dropped {
    pub fn add(&mut self, commands: RangeInclusive<u64>, error: Error) {
        if let Some((last, why)) = self.0.last_mut()
            && last.end() + 1 == *commands.start()
            && why.kind() == error.kind()
        {
            *last = *last.start()..=*commands.end();
            return;
        }
        self.0.push((commands, error));
    }

    /// An error if one of these commands was dropped.
    pub fn check(&self, commands: RangeInclusive<u64>) -> Result<()> {
        let found = self.0.iter().find(|d| d.0.start() <= commands.end() && commands.start() <= d.0.end());
        let Some((_, error)) = found else { return Ok(()) };
        Err(error.clone().at("commands were dropped before they ran, launch them again"))
    }

    /// An error if the command that last wrote some memory was dropped.
    pub fn check_writer(&self, command: u64) -> Result<()> {
        let found = self.0.iter().find(|d| d.0.contains(&command));
        let Some((_, error)) = found else { return Ok(()) };
        Err(error
            .clone()
            .at("what was to write this memory was dropped before it ran; write it, or make it anew"))
    }
}

/// A user's handle of memory. The device hears of its end, so that commands in flight hold the memory no longer than
/// they need it.
pub(crate) struct Owned<D: Release<T>, T> {
    device: Arc<D>,
    inner: Arc<T>,
}

/// A device that hears of the end of handles.
pub(crate) trait Release<T> {
    /// The user has dropped this memory, which commands still hold.
    fn release(&self, memory: &T);
}

impl<D: Release<T>, T> Owned<D, T> {
    pub fn new(device: &Arc<D>, inner: Arc<T>) -> Owned<D, T> {
        Owned { device: device.clone(), inner }
    }
}

impl<D: Release<T>, T> std::ops::Deref for Owned<D, T> {
    type Target = Arc<T>;

    fn deref(&self) -> &Arc<T> {
        &self.inner
    }
}

impl<D: Release<T>, T> Drop for Owned<D, T> {
    fn drop(&mut self) {
        if Arc::strong_count(&self.inner) > 1 {
            self.device.release(&self.inner);
        }
    }
}

/// The commands of a queue in its device's stream.
pub(crate) struct Queue<D> {
    pub device: Arc<D>,
    /// The last one.
    last: AtomicU64,
    /// The first one since it was waited for them; none is [`u64::MAX`].
    first: AtomicU64,
}

impl<D: Commands> Queue<D> {
    pub fn new(device: Arc<D>) -> Queue<D> {
        Queue { device, last: AtomicU64::new(0), first: AtomicU64::new(u64::MAX) }
    }

    /// Notes a command. What is dropped between the first and the last one is reported to this queue, also if it was another's:
    /// commands of all queues are submitted together.
    pub fn ran(&self, command: u64) {
        self.first.fetch_min(command, Ordering::Relaxed);
        self.last.fetch_max(command, Ordering::Relaxed);
    }

    pub fn wait(&self) -> Result<()> {
        while !self.wait_timeout(Duration::MAX)? {}
        Ok(())
    }

    /// Waits for no longer than this; whether everything has run.
    pub fn wait_timeout(&self, timeout: Duration) -> Result<bool> {
        let first = self.first.swap(u64::MAX, Ordering::Relaxed);
        let last = self.last.load(Ordering::Relaxed);
        let waited = self.device.wait_for(last, nanoseconds(timeout));
        if !matches!(waited, Ok(true)) {
            self.first.fetch_min(first, Ordering::Relaxed);
            return waited;
        }
        if first <= last {
            self.device.check_dropped(first..=last)?
        }
        Ok(true)
    }

    pub fn flush(&self) -> Result<()> {
        self.device.submit()
    }
}

/// A time as the drivers take it: the longest is for ever.
pub(crate) fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// Bytes that only commands in flight hold, such as those of copies and of buffers that were dropped: with more than
/// this, the host waits.
pub(crate) const MAX_HELD: u64 = 256 << 20;
/// With more than this of dropped memory, commands are submitted that otherwise wait for more of them.
pub(crate) const DROPPED_PER_SUBMISSION: u64 = 1 << 20;

/// An argument of a launch.
// Level Zero has neither arrays of images nor samplers.
#[cfg_attr(not(feature = "vulkan"), expect(dead_code))]
pub(crate) enum Bound<'a, Buffer, Image, Sampler = std::convert::Infallible> {
    Buffer(&'a Arc<Buffer>),
    Image(&'a Arc<Image>),
    /// An array of them.
    Images(Vec<&'a Arc<Image>>),
    Sampler(&'a Arc<Sampler>),
    Constants(&'a [u8]),
    /// Elements of local memory.
    Length(usize),
}

/// Work-items along an axis of a launch on Vulkan: the compiler takes them for granted (`robust_access::LAUNCH_SIZE`). It is as
/// many as the largest buffer has words.
#[cfg(feature = "vulkan")]
const LAUNCH_SIZE: u32 = 1 << 30;

/// The work-groups of this size that a launch may have along each axis, of those that the device takes.
#[cfg(feature = "vulkan")]
pub(crate) fn most_groups(limits: [u32; 3], local_size: [u32; 3]) -> [u32; 3] {
    std::array::from_fn(|i| limits[i].min(LAUNCH_SIZE / local_size[i].max(1)))
}

/// Whether the device has work-groups of this size: on each axis, and of `most` in all.
pub(crate) fn check_local_size(size: [u32; 3], limits: [u32; 3], most: u32) -> Result<()> {
    let items = size.iter().map(|n| u64::from(*n)).product::<u64>();
    if items > 0 && (0..3).all(|i| size[i] <= limits[i]) && items <= u64::from(most) {
        return Ok(());
    }
    let [x, y, z] = size;
    Err(error!(
        Limit,
        "its work-groups of {x} x {y} x {z} exceed the device's {} x {} x {}, {most} in all; make [numthreads] smaller",
        limits[0],
        limits[1],
        limits[2]
    ))
}

/// Whether the device has so many bytes of memory of the work-group.
pub(crate) fn check_shared_memory(bytes: u64, limit: u32) -> Result<()> {
    if bytes <= u64::from(limit) {
        return Ok(());
    }
    Err(error!(
        Limit,
        "it needs {bytes} bytes of groupshared memory, the device has {limit}; make its arrays smaller"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(feature = "vulkan")]
    fn a_launch_has_no_more_items_than_the_largest_buffer_has_words() {
        let most = most_groups([u32::MAX, u32::MAX, 65_535], [64, 3, 1]);
        assert_eq!(most, [1 << 24, (1 << 30) / 3, 65_535]);
        assert!(check_groups([1 << 24, 1, 1], most).is_ok());
        assert!(check_groups([(1 << 24) + 1, 1, 1], most).is_err());
    }
}
