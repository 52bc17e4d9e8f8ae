//! What Vulkan and Level Zero have in common: open devices, queues of them, and the limits of launches.

use crate::error::{Result, error};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// The open devices of an API by their index.
pub(crate) struct OpenDevices<D>(Mutex<Vec<(usize, Weak<D>)>>);

impl<D> OpenDevices<D> {
    pub const fn new() -> OpenDevices<D> {
        OpenDevices(Mutex::new(Vec::new()))
    }

    /// The device with this index if it is open; else the one that is made.
    pub fn open(&self, index: usize, make: impl FnOnce() -> Result<D>) -> Result<Arc<D>> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|(_, device)| device.strong_count() > 0);
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
    /// Waits until this command has completed.
    fn wait(&self, command: u64) -> Result<()>;

    /// Hands all commands so far to the device.
    fn submit(&self) -> Result<()>;
}

/// How far the device's stream had come at this queue's last command.
pub(crate) struct Queue<D> {
    pub device: Arc<D>,
    pub last: AtomicU64,
}

impl<D: Commands> Queue<D> {
    pub fn new(device: Arc<D>) -> Queue<D> {
        Queue { device, last: AtomicU64::new(0) }
    }

    pub fn wait(&self) -> Result<()> {
        self.device.wait(self.last.load(Ordering::Relaxed))
    }

    pub fn flush(&self) -> Result<()> {
        self.device.submit()
    }
}

/// An argument of a launch.
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

/// Whether the device launches so many work-groups at once.
pub(crate) fn check_groups(groups: [u32; 3], limits: [u32; 3]) -> Result<()> {
    let Some(i) = (0..3).find(|i| groups[*i] > limits[*i]) else { return Ok(()) };
    Err(error!(
        Limit,
        "{} work-groups in {} exceed the device's {}; split the launch or enlarge [numthreads]",
        groups[i],
        ["x", "y", "z"][i],
        limits[i]
    ))
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
