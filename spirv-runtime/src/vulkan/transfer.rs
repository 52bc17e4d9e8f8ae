//! Queues, and moving bytes between host and device.

use super::OwnedImage;
use super::device::Device;
use super::image::{Image, ImageDesc};
use super::launch::Timestamps;
use super::memory::{Buffer, Usage};
use super::recording::Recording;
use crate::error::{Result, error};
use crate::gpu::{self, Commands, Owned, Release};
use ash::vk;
use gpu_allocator::MemoryLocation;
use std::sync::Arc;
use std::time::Duration;

/// Bytes of the largest buffer. Offsets have 32 bits; what indices out of range lead to instead lies behind this and before they
/// wrap around, for elements of up to 32 KiB.
const MAX_BYTES: u32 = u32::MAX - 0xffff;

/// A queue of one device.
pub(crate) type Queue = gpu::Queue<Device>;

impl Device {
    /// A storage buffer with these bytes, or zeros.
    pub(crate) fn buffer(
        self: &Arc<Device>,
        bytes: u64,
        data: Option<&[u8]>,
    ) -> Result<Owned<Device, Buffer>> {
        let shared = &self.shared;
        let limit = u64::from(shared.limits.max_storage_buffer_range.min(MAX_BYTES));
        if bytes > limit {
            return Err(error!(
                Limit,
                "{bytes} bytes exceed the {limit} that the device allows in one buffer; split the data"
            ));
        }
        let mut usage = vk::BufferUsageFlags::STORAGE_BUFFER
            | vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER
            | vk::BufferUsageFlags::STORAGE_TEXEL_BUFFER
            | vk::BufferUsageFlags::TRANSFER_SRC
            | vk::BufferUsageFlags::TRANSFER_DST;
        if shared.has_addresses() {
            usage |= vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
        }
        let location =
            if shared.unified && !shared.staged { MemoryLocation::GpuToCpu } else { MemoryLocation::GpuOnly };
        self.throttle()?;
        let buffer = self.with_memory(|| {
            let buffer = Arc::new(Buffer::new(shared, bytes, usage, location)?);
            if data.is_none() {
                self.fill_with_zeros(&buffer)?;
            }
            Ok(buffer)
        })?;
        if let Some(data) = data {
            self.write(&buffer, data)?;
        }
        Ok(Owned::new(self, buffer))
    }

    fn fill_with_zeros(&self, buffer: &Arc<Buffer>) -> Result<()> {
        let shared = &self.shared;
        if let Some(to) = buffer.mapped() {
            // SAFETY: the memory has at least so many bytes and nobody else knows of it.
            unsafe { to.write_bytes(0, buffer.bytes as usize) };
            return Ok(());
        }
        let mut stream = self.stream();
        let recording = stream.command(shared, &[(&buffer.usage, true)])?;
        recording.keep(buffer.clone());
        // SAFETY: the buffer is whole words, and the recording keeps it.
        unsafe { shared.raw.cmd_fill_buffer(recording.commands, buffer.raw, 0, vk::WHOLE_SIZE, 0) };
        Ok(())
    }

    /// Replaces the bytes of a buffer, in place if the device is not using it.
    fn write(&self, buffer: &Arc<Buffer>, data: &[u8]) -> Result<()> {
        if data.is_empty() {
            return Ok(());
        }
        self.throttle()?;
        self.with_memory(|| self.try_write(buffer, data))
    }

    fn try_write(&self, buffer: &Arc<Buffer>, data: &[u8]) -> Result<()> {
        let shared = &self.shared;
        if let Some(to) = buffer.mapped()
            && self.stream().is_complete(shared, buffer.usage.last_use())?
        {
            // SAFETY: the buffer has `data.len()` bytes, the device is done with it, and the caller's exclusive
            // borrow of it keeps new commands away.
            unsafe { to.copy_from_nonoverlapping(data.as_ptr(), data.len()) };
            buffer.usage.renewed();
            return Ok(());
        }
        let staging = self.staging(data)?;
        let mut stream = self.stream();
        let recording = stream.command(shared, &[(&buffer.usage, true)])?;
        recording.keep(buffer.clone());
        recording.keep(staging.clone());
        recording.holds(data.len() as u64);
        let region = vk::BufferCopy::default().size(data.len() as u64);
        // SAFETY: both buffers have the region, and the recording keeps them.
        unsafe { shared.raw.cmd_copy_buffer(recording.commands, staging.raw, buffer.raw, &[region]) };
        stream.submit_if_large(shared)
    }

    /// An image whose first level has these texels; all else is zeros. And its levels, if there are several.
    pub(crate) fn image(self: &Arc<Device>, desc: &ImageDesc<'_>) -> Result<(OwnedImage, Vec<OwnedImage>)> {
        self.throttle()?;
        let (image, levels) = self.with_memory(|| {
            let (image, levels) = Image::new(&self.shared, desc)?;
            self.fill_image(&image, desc.data.is_none() || !levels.is_empty())?;
            Ok((image, levels))
        })?;
        if let Some(data) = desc.data {
            self.write_texels(&image, data)?;
            // What is compressed is not cleared.
            for level in levels.iter().skip(1).filter(|_| desc.compressed) {
                let bytes = data.len() as u64 / image.blocks().max(1) * level.blocks();
                self.write_texels(level, &vec![0; bytes as usize])?;
            }
        }
        let levels = levels.into_iter().map(|level| Owned::new(self, level)).collect();
        Ok((Owned::new(self, image), levels))
    }

    /// The first command of an image: it becomes one that can be used, of zeros if need be.
    fn fill_image(&self, image: &Arc<Image>, clear: bool) -> Result<()> {
        let shared = &self.shared;
        let memory = &image.memory;
        let mut stream = self.stream();
        let recording = stream.command(shared, &[(&memory.usage, true)])?;
        recording.keep(image.clone());
        let barrier = vk::ImageMemoryBarrier::default()
            .image(memory.raw)
            .subresource_range(memory.all())
            .old_layout(vk::ImageLayout::UNDEFINED)
            .new_layout(vk::ImageLayout::GENERAL)
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_access_mask(vk::AccessFlags::TRANSFER_WRITE);
        // SAFETY: the image is new and the recording keeps it; the clear comes after the transition. With texels to come,
        // they follow the clear by `write_texels`, which is cheaper to reason about than it would be to save.
        unsafe {
            shared.raw.cmd_pipeline_barrier(
                recording.commands,
                vk::PipelineStageFlags::TOP_OF_PIPE,
                vk::PipelineStageFlags::TRANSFER,
                vk::DependencyFlags::empty(),
                &[],
                &[],
                &[barrier],
            );
            if clear {
                memory.clear(recording.commands);
            }
        }
        Ok(())
    }

    fn write_texels(&self, image: &Arc<Image>, data: &[u8]) -> Result<()> {
        self.throttle()?;
        self.with_memory(|| self.try_write_texels(image, data))
    }

    fn try_write_texels(&self, image: &Arc<Image>, data: &[u8]) -> Result<()> {
        let shared = &self.shared;
        let staging = self.staging(data)?;
        let mut stream = self.stream();
        let uses = [(&image.memory.usage, true)];
        // If its first command was dropped, it is no image yet.
        stream.check_writers(&uses)?;
        let recording = stream.command(shared, &uses)?;
        recording.keep(image.clone());
        recording.keep(staging.clone());
        recording.holds(data.len() as u64);
        // SAFETY: the staging buffer holds all texels, tightly packed; the recording keeps both.
        unsafe {
            shared.raw.cmd_copy_buffer_to_image(
                recording.commands,
                staging.raw,
                image.memory.raw,
                vk::ImageLayout::GENERAL,
                &[image.copy()],
            );
        }
        stream.submit_if_large(shared)
    }

    /// A host buffer with these bytes, for a copy to the device.
    fn staging(&self, data: &[u8]) -> Result<Arc<Buffer>> {
        let usage = vk::BufferUsageFlags::TRANSFER_SRC;
        let staging = Buffer::new(&self.shared, data.len() as u64, usage, MemoryLocation::CpuToGpu)?;
        // SAFETY: the buffer has room for the data and nobody else knows of it.
        unsafe { mapped(&staging)?.copy_from_nonoverlapping(data.as_ptr(), data.len()) };
        Ok(Arc::new(staging))
    }

    /// Records a copy to a host buffer, waits for it and copies that to `out`.
    fn read_back(
        &self,
        from: &Usage,
        out: &mut [u8],
        record: impl Fn(&mut Recording, &Arc<Buffer>),
    ) -> Result<()> {
        let usage = vk::BufferUsageFlags::TRANSFER_DST;
        let shared = &self.shared;
        self.with_memory(|| {
            let staging = Buffer::new(shared, out.len() as u64, usage, MemoryLocation::GpuToCpu)?;
            let staging = Arc::new(staging);
            let submission = {
                let mut stream = self.stream();
                stream.check_writers(&[(from, false)])?;
                let recording = stream.command(shared, &[(from, false), (&staging.usage, true)])?;
                recording.keep(staging.clone());
                record(recording, &staging);
                recording.submission
            };
            self.finish(submission)?;
            // SAFETY: the buffer has `out.len()` bytes, which the completed copy wrote.
            unsafe { mapped(&staging)?.copy_to_nonoverlapping(out.as_mut_ptr(), out.len()) };
            Ok(())
        })
    }
}

impl Release<Buffer> for Device {
    fn release(&self, buffer: &Buffer) {
        self.stream().release(&self.shared, buffer.usage.last_use(), buffer.bytes);
    }
}

impl Release<Image> for Device {
    fn release(&self, image: &Image) {
        // Its levels share the memory, which the image as a whole stands for.
        let bytes = if image.is_whole() { image.memory.bytes() } else { 0 };
        self.stream().release(&self.shared, image.memory.usage.last_use(), bytes);
    }
}

impl Queue {
    pub(crate) fn elapsed(&self, timestamps: &Timestamps) -> Option<Duration> {
        self.device.finish(timestamps.submission).ok()?;
        timestamps.elapsed()
    }

    pub(crate) fn read_buffer(&self, buffer: &Arc<Buffer>, out: &mut [u8]) -> Result<()> {
        if out.is_empty() {
            return Ok(());
        }
        let device = &self.device;
        if let Some(from) = buffer.mapped_cached() {
            let writer = buffer.usage.last_write();
            device.wait(writer)?;
            device.stream().check_writers(&[(&buffer.usage, false)])?;
            // SAFETY: the buffer has `out.len()` bytes, its last writer has completed, and the caller's borrow of
            // it keeps new writers away.
            unsafe { from.copy_to_nonoverlapping(out.as_mut_ptr(), out.len()) };
            return Ok(());
        }
        let region = vk::BufferCopy::default().size(out.len() as u64);
        device.read_back(&buffer.usage, out, |recording, staging| {
            recording.keep(buffer.clone());
            // SAFETY: both buffers have the region, and the recording keeps them.
            unsafe {
                device.shared.raw.cmd_copy_buffer(recording.commands, buffer.raw, staging.raw, &[region]);
            }
        })
    }

    pub(crate) fn write_buffer(&self, buffer: &Arc<Buffer>, data: &[u8]) -> Result<()> {
        self.device.write(buffer, data)?;
        self.ran(buffer.usage.last_write());
        Ok(())
    }

    pub(crate) fn read_image(&self, image: &Arc<Image>, out: &mut [u8]) -> Result<()> {
        let device = &self.device;
        device.read_back(&image.memory.usage, out, |recording, staging| {
            recording.keep(image.clone());
            // SAFETY: the staging buffer has room for all texels, tightly packed; the recording keeps both.
            unsafe {
                device.shared.raw.cmd_copy_image_to_buffer(
                    recording.commands,
                    image.memory.raw,
                    vk::ImageLayout::GENERAL,
                    staging.raw,
                    &[image.copy()],
                );
            }
        })
    }

    pub(crate) fn write_image(&self, image: &Arc<Image>, data: &[u8]) -> Result<()> {
        self.device.write_texels(image, data)?;
        self.ran(image.memory.usage.last_write());
        Ok(())
    }
}

fn mapped(buffer: &Buffer) -> Result<*mut u8> {
    buffer.mapped().ok_or_else(|| error!(Driver, "the device has no memory that the host can reach"))
}
