//! Typed device memory.

use crate::argument::Arg;
use crate::device::{Backend, Device};
use crate::error::{Result, error};
use crate::queue::until;
use crate::{Element, Queue, cpu};
use std::marker::PhantomData;
use std::time::Duration;

/// Memory of a buffer, by device.
pub(crate) enum Memory {
    Cpu(cpu::Memory),
    #[cfg(feature = "vulkan")]
    Vulkan(crate::vulkan::OwnedBuffer),
    #[cfg(feature = "level-zero")]
    LevelZero(crate::level_zero::OwnedBuffer),
}

/// `len` elements of type `T` in a device's memory.
///
/// Made by [`Device::buffer`] and [`Device::buffer_from`]. Dropping one while a launch that uses it is in flight
/// is fine: the memory lives until the launch has run.
pub struct Buffer<T: Element> {
    device: Device,
    memory: Memory,
    len: usize,
    elements: PhantomData<T>,
}

impl<T: Element> Buffer<T> {
    pub(crate) fn new(device: &Device, len: usize, data: Option<&[T]>) -> Result<Buffer<T>> {
        const { assert!(size_of::<T>() != 0, "the elements of a buffer cannot be zero-sized") };
        let bytes = len.checked_mul(size_of::<T>()).ok_or_else(|| {
            error!(OutOfMemory, "{len} elements of {} bytes exceed the address space", size_of::<T>())
        })?;
        let data = data.map(bytemuck::cast_slice);
        let memory = match device.backend() {
            Backend::Cpu => {
                let mut memory = cpu::Memory::zeroed(bytes)?;
                if let Some(data) = data {
                    memory.write(data)?;
                }
                Memory::Cpu(memory)
            }
            #[cfg(feature = "vulkan")]
            Backend::Vulkan(vulkan) => Memory::Vulkan(vulkan.buffer(bytes as u64, data)?),
            #[cfg(feature = "level-zero")]
            Backend::LevelZero(device) => Memory::LevelZero(device.buffer(bytes, data)?),
        };
        Ok(Buffer { device: device.clone(), memory, len, elements: PhantomData })
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The device whose memory this is.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The elements, after all that was launched to write them has run.
    ///
    /// # Errors
    /// The host has no memory for them, the queue is of another device, a launch that writes them failed, or the device was
    /// lost.
    pub fn read(&self, queue: &Queue) -> Result<Vec<T>> {
        let mut out = host_memory(self.len)?;
        self.read_into(queue, &mut out)?;
        Ok(out)
    }

    /// Copies the elements to `out`, after all that was launched to write them has run.
    ///
    /// # Errors
    /// `out` has another length, the queue is of another device, a launch that writes them failed, or the device was lost.
    pub fn read_into(&self, queue: &Queue, out: &mut [T]) -> Result<()> {
        self.check(queue, "read into a slice", out.len())?;
        let out = bytemuck::cast_slice_mut(out);
        match &self.memory {
            Memory::Cpu(memory) => memory.read(out)?,
            #[cfg(feature = "vulkan")]
            Memory::Vulkan(buffer) => queue.vulkan()?.read_buffer(buffer, out)?,
            #[cfg(feature = "level-zero")]
            Memory::LevelZero(buffer) => queue.level_zero()?.read_buffer(buffer, out)?,
        }
        Ok(())
    }

    /// Replaces the elements, once all that was launched before has used the old ones.
    ///
    /// # Errors
    /// `data` has another length, the queue is of another device, or the device was lost.
    pub fn write(&mut self, queue: &Queue, data: &[T]) -> Result<()> {
        self.check(queue, "write a slice", data.len())?;
        let data = bytemuck::cast_slice(data);
        match &mut self.memory {
            Memory::Cpu(memory) => memory.write(data)?,
            #[cfg(feature = "vulkan")]
            Memory::Vulkan(buffer) => queue.vulkan()?.write_buffer(buffer, data)?,
            #[cfg(feature = "level-zero")]
            Memory::LevelZero(buffer) => queue.level_zero()?.write_buffer(buffer, data)?,
        }
        Ok(())
    }

    /// Waits until all that was launched to use this buffer has run, for no longer than this; whether it has. If so, reading
    /// and writing wait for nothing. On a GPU that is all that was launched on the device: it does it in order.
    ///
    /// # Errors
    /// The device was lost.
    pub fn wait_timeout(&self, timeout: Duration) -> Result<bool> {
        self.device.check_process()?;
        match &self.memory {
            Memory::Cpu(memory) => memory.wait_until(Some(until(timeout))),
            #[cfg(any(feature = "vulkan", feature = "level-zero"))]
            _ => self.device.wait_timeout(timeout),
        }
    }

    fn check(&self, queue: &Queue, verb: &str, len: usize) -> Result<()> {
        if self.len != len {
            return Err(error!(
                InvalidArgument,
                "cannot {verb} of {len} elements: the buffer has {}", self.len
            ));
        }
        self.device.check_process()?;
        queue.device().check_same(&self.device, "the buffer")
    }

    /// This buffer as a launch argument that is only read.
    #[doc(hidden)]
    pub fn __arg(&self) -> Arg<'_> {
        Arg::buffer(&self.device, &self.memory, self.len * size_of::<T>(), false)
    }

    /// This buffer as a launch argument that may be written.
    #[doc(hidden)]
    pub fn __arg_mut(&mut self) -> Arg<'_> {
        Arg::buffer(&self.device, &self.memory, self.len * size_of::<T>(), true)
    }
}

impl<T: Element> std::fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Buffer<{}>({} on {})", std::any::type_name::<T>(), self.len, self.device.name())
    }
}

/// So many zeros.
///
/// # Errors
/// The host has not enough memory.
pub(crate) fn host_memory<T: bytemuck::Zeroable>(len: usize) -> Result<Vec<T>> {
    bytemuck::allocation::try_zeroed_slice_box(len).map(Vec::from).map_err(|()| {
        error!(OutOfMemory, "the host has no memory for {len} elements of {} bytes", size_of::<T>())
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn memory_that_the_host_does_not_have_is_an_error() {
        for len in [usize::MAX, usize::MAX / 8, isize::MAX as usize / 8] {
            let error = super::host_memory::<u64>(len).unwrap_err();
            assert_eq!(error.kind(), crate::ErrorKind::OutOfMemory, "{error}");
        }
        assert_eq!(super::host_memory::<u64>(3).unwrap(), [0; 3]);
    }
}
