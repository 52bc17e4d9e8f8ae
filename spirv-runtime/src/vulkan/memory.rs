//! Buffers and images, and who used them last.

use super::device::Shared;
use super::errors::{failed, not_allocated};
use crate::error::{Result, error};
use ash::vk;
use gpu_allocator::MemoryLocation;
use gpu_allocator::vulkan::{Allocation, AllocationCreateDesc, AllocationScheme};
use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

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

    /// The submission of the last writer.
    pub fn last_write(&self) -> u64 {
        self.write_submission.load(Ordering::Relaxed)
    }

    /// The submission of the last user.
    pub fn last_use(&self) -> u64 {
        self.last_write().max(self.read_submission.load(Ordering::Relaxed))
    }
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
        let raw =
            unsafe { shared.raw.create_buffer(&info, None) }.map_err(|e| failed("vkCreateBuffer", e))?;
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
                return Err(not_allocated(bytes, e));
            }
        };
        let buffer = Buffer {
            shared: shared.clone(),
            raw,
            allocation: ManuallyDrop::new(allocation),
            host: !(shared.staged && location == MemoryLocation::GpuOnly),
            bytes,
            usage: Usage::default(),
        };
        // SAFETY: the allocation fits the buffer's requirements and is its own.
        unsafe { shared.raw.bind_buffer_memory(raw, buffer.allocation.memory(), buffer.allocation.offset()) }
            .map_err(|e| failed("vkBindBufferMemory", e))?;
        Ok(buffer)
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
            self.shared.raw.destroy_buffer(self.raw, None);
            let allocation = ManuallyDrop::take(&mut self.allocation);
            // Fails only for allocations of another allocator.
            let _ = self.shared.allocator().free(allocation);
        }
    }
}

/// A 2-D `VkImage` with its view and memory.
pub(crate) struct Image {
    shared: Arc<Shared>,
    pub(super) raw: vk::Image,
    pub(super) view: vk::ImageView,
    allocation: Option<Allocation>,
    pub(super) extent: vk::Extent3D,
    storage: bool,
    pub(super) usage: Usage,
}

impl Image {
    pub(super) fn new(
        shared: &Arc<Shared>,
        width: u32,
        height: u32,
        format: vk::Format,
        name: &str,
    ) -> Result<Image> {
        let limit = shared.limits.max_image_dimension2_d;
        if width > limit || height > limit {
            return Err(error!(Limit, "{width}x{height} texels exceed the device's {limit}x{limit}"));
        }
        // SAFETY: the device comes from this instance.
        let properties =
            unsafe { shared.instance.raw.get_physical_device_format_properties(shared.physical, format) }
                .optimal_tiling_features;
        let needed = vk::FormatFeatureFlags::SAMPLED_IMAGE
            | vk::FormatFeatureFlags::TRANSFER_SRC
            | vk::FormatFeatureFlags::TRANSFER_DST;
        if !properties.contains(needed) {
            return Err(error!(
                Unsupported,
                "the device has no images of format {name}; take another format"
            ));
        }
        let storage = properties.contains(vk::FormatFeatureFlags::STORAGE_IMAGE);
        let mut usage = vk::ImageUsageFlags::SAMPLED
            | vk::ImageUsageFlags::TRANSFER_SRC
            | vk::ImageUsageFlags::TRANSFER_DST;
        if storage {
            usage |= vk::ImageUsageFlags::STORAGE;
        }
        let extent = vk::Extent3D { width, height, depth: 1 };
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(format)
            .extent(extent)
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(usage)
            .sharing_mode(vk::SharingMode::EXCLUSIVE)
            .initial_layout(vk::ImageLayout::UNDEFINED);
        // SAFETY: format, size and usage are what the device reported.
        let raw = unsafe { shared.raw.create_image(&info, None) }.map_err(|e| failed("vkCreateImage", e))?;
        // Destroyed on drop from here on.
        let mut image = Image {
            shared: shared.clone(),
            raw,
            view: vk::ImageView::null(),
            allocation: None,
            extent,
            storage,
            usage: Usage::default(),
        };
        // SAFETY: the image was just made.
        let requirements = unsafe { shared.raw.get_image_memory_requirements(raw) };
        let allocation = shared
            .allocator()
            .allocate(&AllocationCreateDesc {
                name: "image",
                requirements,
                location: MemoryLocation::GpuOnly,
                linear: false,
                allocation_scheme: AllocationScheme::GpuAllocatorManaged,
            })
            .map_err(|e| not_allocated(requirements.size, e))?;
        let allocation = image.allocation.insert(allocation);
        // SAFETY: the allocation fits the image's requirements and is its own.
        unsafe { shared.raw.bind_image_memory(raw, allocation.memory(), allocation.offset()) }
            .map_err(|e| failed("vkBindImageMemory", e))?;
        let info = vk::ImageViewCreateInfo::default()
            .image(raw)
            .view_type(vk::ImageViewType::TYPE_2D)
            .format(format)
            .subresource_range(WHOLE);
        // SAFETY: the image is bound to memory, the view has its format.
        image.view = unsafe { shared.raw.create_image_view(&info, None) }
            .map_err(|e| failed("vkCreateImageView", e))?;
        Ok(image)
    }

    /// Whether it can be a storage image.
    pub(crate) fn storage(&self) -> bool {
        self.storage
    }
}

/// All of a 2-D image.
pub(super) const WHOLE: vk::ImageSubresourceRange = vk::ImageSubresourceRange {
    aspect_mask: vk::ImageAspectFlags::COLOR,
    base_mip_level: 0,
    level_count: 1,
    base_array_layer: 0,
    layer_count: 1,
};

impl Drop for Image {
    fn drop(&mut self) {
        // SAFETY: submissions hold what they use, so the device is done with the image. A null view is ignored.
        unsafe {
            self.shared.raw.destroy_image_view(self.view, None);
            self.shared.raw.destroy_image(self.raw, None);
        }
        if let Some(allocation) = self.allocation.take() {
            let _ = self.shared.allocator().free(allocation);
        }
    }
}
