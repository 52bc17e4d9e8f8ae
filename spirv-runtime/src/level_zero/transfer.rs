//! Queues, and moving bytes between host and device.

use super::device::Device;
use super::image::Image;
use super::launch::Timer;
use super::memory::{Buffer, Place};
use crate::error::{Result, error};
use crate::gpu::{self, Commands, Owned, Release};
use std::ptr::null_mut;
use std::sync::Arc;
use std::time::Duration;

/// A queue of one device.
pub(crate) type Queue = gpu::Queue<Device>;

impl Device {
    /// A buffer with these bytes, or zeros.
    pub(crate) fn buffer(
        self: &Arc<Device>,
        bytes: usize,
        data: Option<&[u8]>,
    ) -> Result<Owned<Device, Buffer>> {
        self.throttle()?;
        Ok(Owned::new(self, self.filled(bytes, data)?))
    }

    /// Memory with these bytes, or zeros.
    pub(super) fn filled(&self, bytes: usize, data: Option<&[u8]>) -> Result<Arc<Buffer>> {
        let place = if self.shared.unified { Place::Shared } else { Place::Device };
        let buffer = self.with_memory(|| {
            let buffer = Arc::new(Buffer::new(&self.shared, bytes, place)?);
            match buffer.on_host() {
                _ if bytes == 0 || data.is_some() => {}
                // SAFETY: the memory has `bytes` bytes and nobody else knows of it.
                Some(to) => unsafe { to.write_bytes(0, bytes) },
                None => self.fill_with_zeros(&buffer)?,
            }
            Ok(buffer)
        })?;
        if let Some(data) = data {
            self.write(&buffer, data)?;
        }
        Ok(buffer)
    }

    fn fill_with_zeros(&self, buffer: &Arc<Buffer>) -> Result<()> {
        let (shared, zero) = (&self.shared, 0u8);
        let mut stream = self.stream();
        let (list, command) = stream.begin(shared)?;
        // SAFETY: the buffer has so many bytes and is kept; the pattern is read by the call.
        let result = unsafe {
            shared.api.zeCommandListAppendMemoryFill(
                list,
                buffer.pointer(),
                (&raw const zero).cast(),
                1,
                buffer.bytes,
                null_mut(),
                0,
                null_mut(),
            )
        };
        shared.check("zeCommandListAppendMemoryFill", result)?;
        buffer.used(true, command);
        stream.keep(0, buffer.clone());
        stream.submit_if_long(shared)
    }

    /// Replaces the bytes of a buffer, in place if the host can reach it and the device is not using it.
    fn write(&self, buffer: &Arc<Buffer>, data: &[u8]) -> Result<()> {
        if data.is_empty() {
            return Ok(());
        }
        self.throttle()?;
        self.with_memory(|| {
            if let Some(to) = buffer.on_host()
                && self.stream().is_complete(&self.shared, buffer.last_use())?
            {
                // SAFETY: the buffer has `data.len()` bytes, the device is done with it, and the caller's exclusive
                // borrow of it keeps new commands away.
                unsafe { to.copy_from_nonoverlapping(data.as_ptr(), data.len()) };
                buffer.renewed();
                return Ok(());
            }
            let staging = Arc::new(Buffer::new(&self.shared, data.len(), Place::Host)?);
            // SAFETY: the buffer has room for the data and nobody else knows of it.
            unsafe { on_host(&staging)?.copy_from_nonoverlapping(data.as_ptr(), data.len()) };
            self.copy(&staging, buffer, data.len()).map(|_| ())
        })
    }

    /// Appends a copy between a user's buffer and one of the host, and returns its number.
    fn copy(&self, from: &Arc<Buffer>, to: &Arc<Buffer>, bytes: usize) -> Result<u64> {
        let shared = &self.shared;
        let mut stream = self.stream();
        stream.check_writer(from.last_write())?;
        let (list, command) = stream.begin(shared)?;
        // SAFETY: both buffers have so many bytes and are kept.
        let result = unsafe {
            shared.api.zeCommandListAppendMemoryCopy(
                list,
                to.pointer(),
                from.pointer(),
                bytes,
                null_mut(),
                0,
                null_mut(),
            )
        };
        shared.check("zeCommandListAppendMemoryCopy", result)?;
        from.used(false, command);
        to.used(true, command);
        stream.keep(bytes, (from.clone(), to.clone()));
        stream.submit_if_long(shared)?;
        Ok(command)
    }
}

impl Release<Buffer> for Device {
    fn release(&self, buffer: &Buffer) {
        self.stream().release(&self.shared, buffer.last_use(), buffer.bytes);
    }
}

impl Release<Image> for Device {
    fn release(&self, image: &Image) {
        self.stream().release(&self.shared, image.last_use(), image.bytes);
    }
}

impl Queue {
    pub(crate) fn elapsed(&self, timer: &Timer) -> Option<Duration> {
        self.device.finish(timer.command).ok()?;
        timer.elapsed()
    }

    pub(crate) fn read_buffer(&self, buffer: &Arc<Buffer>, out: &mut [u8]) -> Result<()> {
        if out.is_empty() {
            return Ok(());
        }
        let device = &self.device;
        if let Some(from) = buffer.on_host() {
            device.wait(buffer.last_write())?;
            device.stream().check_writer(buffer.last_write())?;
            // SAFETY: the buffer has `out.len()` bytes, its last writer has completed, and the caller's borrow of
            // it keeps new writers away.
            unsafe { from.copy_to_nonoverlapping(out.as_mut_ptr(), out.len()) };
            return Ok(());
        }
        device.with_memory(|| {
            let staging = Arc::new(Buffer::new(&device.shared, out.len(), Place::Host)?);
            let command = device.copy(buffer, &staging, out.len())?;
            device.finish(command)?;
            // SAFETY: the buffer has `out.len()` bytes, which the completed copy wrote.
            unsafe { on_host(&staging)?.copy_to_nonoverlapping(out.as_mut_ptr(), out.len()) };
            Ok(())
        })
    }

    pub(crate) fn write_buffer(&self, buffer: &Arc<Buffer>, data: &[u8]) -> Result<()> {
        self.device.write(buffer, data)?;
        self.ran(buffer.last_write());
        Ok(())
    }
}

pub(super) fn on_host(buffer: &Buffer) -> Result<*mut u8> {
    buffer.on_host().ok_or_else(|| error!(Driver, "the device has no memory that the host can reach"))
}
