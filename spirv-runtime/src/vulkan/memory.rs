//! Buffers, and who used memory last.

use super::device::Shared;
use crate::error::{Result, error};
use ash::vk;
use gpu_allocator::MemoryLocation;
use gpu_allocator::vulkan::{Allocation, AllocationCreateDesc, AllocationScheme};
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The last commands of the stream that read and wrote some memory, and the submissions they are in. Changed under
/// the stream's lock only.
#[derive(Default)]
pub(super) struct Usage {
    read_command: AtomicU64,
    write_command: AtomicU64,
    read_submission: AtomicU64,
    write_submission: AtomicU64,
}

impl Usage {
    /// Whether a command that comes now must wait for one after the last barrier.
    pub fn conflicts(&self, write: bool, barrier: u64) -> bool {
        self.write_command.load(Ordering::Relaxed) > barrier
            || write && self.read_command.load(Ordering::Relaxed) > barrier
    }

    pub fn used(&self, write: bool, command: u64, submission: u64) {
        let (c, s) = if write {
            (&self.write_command, &self.write_submission)
        } else {
            (&self.read_command, &self.read_submission)
        };
        c.store(command, Ordering::Relaxed);
        s.store(submission, Ordering::Relaxed);
    }

    /// All of it was written by the host, which waited for the device.
    pub fn renewed(&self) {
        self.write_submission.store(0, Ordering::Relaxed);
    }

    /// The submission of the last writer.
    pub fn last_write(&self) -> u64 {
        self.write_submission.load(Ordering::Relaxed)
    }

    /// The submission of the last user.
    pub fn last_use(&self) -> u64 {
        self.last_write().max(self.read_submission.load(Ordering::Relaxed))
    }
}

/// A view of a buffer's bytes as texels. That one which is only read may be of a format that is not written: then it is of
/// another buffer in the same memory, which is not made for writing texels.
struct View {
    format: vk::Format,
    storage: bool,
    raw: vk::BufferView,
    of: vk::Buffer,
}

/// A `VkBuffer` with its memory.
pub(crate) struct Buffer {
    shared: Arc<Shared>,
    pub(super) raw: vk::Buffer,
    allocation: ManuallyDrop<Allocation>,
    /// Whether the host may use its mapping.
    host: bool,
    /// Bytes asked for; the buffer itself has at least one word.
    pub(super) bytes: u64,
    /// Views of all of it as texels.
    views: Mutex<Vec<View>>,
    pub(super) usage: Usage,
}

impl Buffer {
    pub(super) fn new(
        shared: &Arc<Shared>,
        bytes: u64,
        usage: vk::BufferUsageFlags,
        location: MemoryLocation,
    ) -> Result<Buffer> {
        let too_large = || error!(OutOfMemory, "{bytes} bytes exceed the device's memory");
        // Whole words, so that they can be filled.
        let size = bytes.max(1).checked_next_multiple_of(4).ok_or_else(too_large)?;
        // Far beyond any device; drivers may overflow on larger numbers.
        if size > 1 << 48 {
            return Err(too_large());
        }
        let info =
            vk::BufferCreateInfo::default().size(size).usage(usage).sharing_mode(vk::SharingMode::EXCLUSIVE);
        // SAFETY: the structure is valid.
        let raw = unsafe { shared.raw.create_buffer(&info, None) }
            .map_err(|e| shared.failed("vkCreateBuffer", e))?;
        // SAFETY: the buffer was just made.
        let requirements = unsafe { shared.raw.get_buffer_memory_requirements(raw) };
        let allocation = shared.allocator().allocate(&AllocationCreateDesc {
            name: "buffer",
            requirements,
            location,
            linear: true,
            allocation_scheme: AllocationScheme::GpuAllocatorManaged,
        });
        let allocation = match allocation {
            Ok(allocation) => allocation,
            Err(e) => {
                // SAFETY: nothing uses the buffer.
                unsafe { shared.raw.destroy_buffer(raw, None) };
                return Err(shared.not_allocated(bytes, e));
            }
        };
        let buffer = Buffer {
            shared: shared.clone(),
            raw,
            allocation: ManuallyDrop::new(allocation),
            host: !(shared.staged && location == MemoryLocation::GpuOnly),
            bytes,
            views: Mutex::default(),
            usage: Usage::default(),
        };
        // SAFETY: the allocation fits the buffer's requirements and is its own.
        unsafe { shared.raw.bind_buffer_memory(raw, buffer.allocation.memory(), buffer.allocation.offset()) }
            .map_err(|e| shared.failed("vkBindBufferMemory", e))?;
        Ok(buffer)
    }

    /// A view of all of it as texels of a format, which it has a whole number of, to write them or to read them only.
    pub(super) fn texels(&self, format: vk::Format, texel: u32, storage: bool) -> Result<vk::BufferView> {
        let mut views = self.views.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(view) = views.iter().find(|v| (v.format, v.storage) == (format, storage)) {
            return Ok(view.raw);
        }
        let limit = self.shared.limits.max_texel_buffer_elements;
        let count = self.bytes / u64::from(texel.max(1));
        if count > u64::from(limit) {
            return Err(error!(
                Limit,
                "{count} texels exceed the {limit} that the device allows in a typed buffer; use a structured one"
            ));
        }
        let of = if storage { vk::Buffer::null() } else { self.read_only()? };
        let buffer = if storage { self.raw } else { of };
        let info = vk::BufferViewCreateInfo::default().buffer(buffer).format(format).range(self.bytes);
        // SAFETY: the buffer is made for such views and has the range; that the device has them of this format was checked
        // when the kernel was loaded.
        let made = unsafe { self.shared.raw.create_buffer_view(&info, None) };
        let raw = made.map_err(|e| {
            // SAFETY: nothing uses the buffer.
            unsafe { self.shared.raw.destroy_buffer(of, None) };
            self.shared.failed("vkCreateBufferView", e)
        })?;
        views.push(View { format, storage, raw, of });
        Ok(raw)
    }

    /// A buffer in the same memory, for texels that are only read.
    fn read_only(&self) -> Result<vk::Buffer> {
        let (device, memory) = (&self.shared.raw, &*self.allocation);
        let info = vk::BufferCreateInfo::default()
            .size(self.bytes.max(1).next_multiple_of(4))
            .usage(vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER)
            .sharing_mode(vk::SharingMode::EXCLUSIVE);
        // SAFETY: the structure is valid.
        let raw = unsafe { device.create_buffer(&info, None) }
            .map_err(|e| self.shared.failed("vkCreateBuffer", e))?;
        // SAFETY: the buffer was just made.
        let needs = unsafe { device.get_buffer_memory_requirements(raw) };
        let bound = match needs.size <= memory.size() && memory.offset().is_multiple_of(needs.alignment) {
            // SAFETY: the memory has the size and alignment. It is of a type for buffers with this and more usages.
            true => unsafe { device.bind_buffer_memory(raw, memory.memory(), memory.offset()) }
                .map_err(|e| self.shared.failed("vkBindBufferMemory", e)),
            false => Err(error!(Unsupported, "the device cannot use this buffer as a typed one")),
        };
        if let Err(e) = bound {
            // SAFETY: nothing uses the buffer.
            unsafe { device.destroy_buffer(raw, None) };
            return Err(e);
        }
        Ok(raw)
    }

    /// The address that kernels know it by; 0 on devices without such.
    pub(crate) fn address(&self) -> u64 {
        if !self.shared.has_addresses() {
            return 0;
        }
        let info = vk::BufferDeviceAddressInfo::default().buffer(self.raw);
        // SAFETY: the device has the feature, and then buffers of kernels are made for it and bound to memory.
        unsafe { self.shared.raw.get_buffer_device_address(&info) }
    }

    /// Where the host finds the bytes, if it can reach them without flushing.
    pub(super) fn mapped(&self) -> Option<*mut u8> {
        let coherent = self.allocation.memory_properties().contains(vk::MemoryPropertyFlags::HOST_COHERENT);
        self.allocation.mapped_ptr().filter(|_| coherent && self.host).map(|p| p.as_ptr().cast())
    }

    /// As [`Buffer::mapped`], if reading there is not slow.
    pub(super) fn mapped_cached(&self) -> Option<*const u8> {
        let cached = self.allocation.memory_properties().contains(vk::MemoryPropertyFlags::HOST_CACHED);
        self.mapped().filter(|_| cached).map(<*mut u8>::cast_const)
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: submissions hold what they use, so the device is done with the buffer; the allocation is taken
        // once, here.
        unsafe {
            for view in self.views.get_mut().unwrap_or_else(PoisonError::into_inner) {
                self.shared.raw.destroy_buffer_view(view.raw, None);
                self.shared.raw.destroy_buffer(view.of, None);
            }
            self.shared.raw.destroy_buffer(self.raw, None);
            let allocation = ManuallyDrop::take(&mut self.allocation);
            // Fails only for allocations of another allocator.
            let _ = self.shared.allocator().free(allocation);
        }
    }
}
