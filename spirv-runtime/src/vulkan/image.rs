//! Images, their levels, and samplers.

use super::device::{Device, Shared};
use super::memory::Usage;
use crate::error::{Result, error};
use crate::gpu::Commands;
use crate::sampler::{AddressMode, BorderColor, CompareFunction, Filter, SamplerOptions};
use ash::vk;
use gpu_allocator::MemoryLocation;
use gpu_allocator::vulkan::{Allocation, AllocationCreateDesc, AllocationScheme};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// What an image is made from.
pub(crate) struct ImageDesc<'a> {
    /// Sides that a texel's place has: 1 to 3.
    pub sides: u32,
    /// Whether each six layers are a cube.
    pub cube: bool,
    /// Whether it is an array.
    pub arrayed: bool,
    pub extent: [u32; 3],
    /// Layers, the faces of cubes counted.
    pub layers: u32,
    pub levels: u32,
    /// Number of the `VkFormat`.
    pub format: i32,
    /// Whether texels are depths.
    pub depth: bool,
    /// Whether it is made of compressed blocks, which are not cleared or written by kernels.
    pub compressed: bool,
    /// The format's name, for messages.
    pub name: &'static str,
    /// The texels of the first level.
    pub data: Option<&'a [u8]>,
}

impl ImageDesc<'_> {
    fn types(&self) -> (vk::ImageType, vk::ImageViewType) {
        use vk::ImageViewType as View;
        match (self.sides, self.cube, self.arrayed) {
            (1, _, false) => (vk::ImageType::TYPE_1D, View::TYPE_1D),
            (1, _, true) => (vk::ImageType::TYPE_1D, View::TYPE_1D_ARRAY),
            (3, ..) => (vk::ImageType::TYPE_3D, View::TYPE_3D),
            (_, true, false) => (vk::ImageType::TYPE_2D, View::CUBE),
            (_, true, true) => (vk::ImageType::TYPE_2D, View::CUBE_ARRAY),
            (_, false, true) => (vk::ImageType::TYPE_2D, View::TYPE_2D_ARRAY),
            (_, false, false) => (vk::ImageType::TYPE_2D, View::TYPE_2D),
        }
    }

    /// What the device can do with the format.
    fn check(&self, shared: &Shared, flags: vk::ImageCreateFlags) -> Result<vk::FormatFeatureFlags> {
        let format = vk::Format::from_raw(self.format);
        // SAFETY: the device comes from this instance.
        let features =
            unsafe { shared.instance.raw.get_physical_device_format_properties(shared.physical, format) }
                .optimal_tiling_features;
        let needed = vk::FormatFeatureFlags::SAMPLED_IMAGE
            | vk::FormatFeatureFlags::TRANSFER_SRC
            | vk::FormatFeatureFlags::TRANSFER_DST;
        // Depths are copied by queues with graphics only.
        if !features.contains(needed) || self.depth && !shared.graphics {
            return Err(error!(
                Unsupported,
                "the device has no images of format {}; take another format", self.name
            ));
        }
        if self.cube && self.arrayed && shared.features.core.image_cube_array == vk::FALSE {
            return Err(error!(Unsupported, "the device has no arrays of cubes"));
        }
        // SAFETY: as above.
        let limits = unsafe {
            shared.instance.raw.get_physical_device_image_format_properties(
                shared.physical,
                format,
                self.types().0,
                vk::ImageTiling::OPTIMAL,
                usage_of(features, self.depth),
                flags,
            )
        }
        .map_err(|e| match e {
            vk::Result::ERROR_FORMAT_NOT_SUPPORTED => {
                error!(
                    Unsupported,
                    "the device has no such images of format {}; take another format", self.name
                )
            }
            other => shared.failed("vkGetPhysicalDeviceImageFormatProperties", other),
        })?;
        let [width, height, depth] = self.extent;
        let most = limits.max_extent;
        if width > most.width || height > most.height || depth > most.depth {
            return Err(error!(
                Limit,
                "{width}x{height}x{depth} texels exceed the device's {}x{}x{}",
                most.width,
                most.height,
                most.depth
            ));
        }
        if self.layers > limits.max_array_layers {
            return Err(error!(
                Limit,
                "{} layers exceed the device's {}", self.layers, limits.max_array_layers
            ));
        }
        if self.levels > limits.max_mip_levels {
            return Err(error!(
                Limit,
                "{} levels exceed the device's {}", self.levels, limits.max_mip_levels
            ));
        }
        let bytes = self.data.map_or(0, <[u8]>::len) as u64;
        if bytes > limits.max_resource_size {
            return Err(error!(Limit, "{bytes} bytes exceed the device's {}", limits.max_resource_size));
        }
        Ok(features)
    }
}

fn usage_of(features: vk::FormatFeatureFlags, depth: bool) -> vk::ImageUsageFlags {
    let mut usage =
        vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST;
    if features.contains(vk::FormatFeatureFlags::STORAGE_IMAGE) && !depth {
        usage |= vk::ImageUsageFlags::STORAGE;
    }
    usage
}

/// A `VkImage` with its memory.
pub(crate) struct ImageMemory {
    shared: Arc<Shared>,
    pub(super) raw: vk::Image,
    allocation: Option<Allocation>,
    depth: bool,
    compressed: bool,
    pub(super) usage: Usage,
}

impl ImageMemory {
    /// How much it takes.
    pub(super) fn bytes(&self) -> u64 {
        self.allocation.as_ref().map_or(0, Allocation::size)
    }

    fn aspect(&self) -> vk::ImageAspectFlags {
        if self.depth { vk::ImageAspectFlags::DEPTH } else { vk::ImageAspectFlags::COLOR }
    }

    fn range(&self, level: u32, levels: u32) -> vk::ImageSubresourceRange {
        vk::ImageSubresourceRange {
            aspect_mask: self.aspect(),
            base_mip_level: level,
            level_count: levels,
            base_array_layer: 0,
            layer_count: vk::REMAINING_ARRAY_LAYERS,
        }
    }

    /// All of the image.
    pub(super) fn all(&self) -> vk::ImageSubresourceRange {
        self.range(0, vk::REMAINING_MIP_LEVELS)
    }

    /// Records that all texels become zero.
    ///
    /// # Safety
    /// The commands are being recorded and keep the image, which is in the general layout by then.
    pub(super) unsafe fn clear(&self, commands: vk::CommandBuffer) {
        let (layout, all) = (vk::ImageLayout::GENERAL, [self.all()]);
        if self.compressed {
            return;
        }
        // SAFETY: by the caller; images of depths were only made for a queue that can clear them.
        unsafe {
            if self.depth {
                let zero = vk::ClearDepthStencilValue::default();
                self.shared.raw.cmd_clear_depth_stencil_image(commands, self.raw, layout, &zero, &all);
            } else {
                let zero = vk::ClearColorValue { uint32: [0; 4] };
                self.shared.raw.cmd_clear_color_image(commands, self.raw, layout, &zero, &all);
            }
        }
    }
}

impl Drop for ImageMemory {
    fn drop(&mut self) {
        // SAFETY: submissions hold what they use, and views their image, so the device is done with it.
        unsafe { self.shared.raw.destroy_image(self.raw, None) };
        if let Some(allocation) = self.allocation.take() {
            let _ = self.shared.allocator().free(allocation);
        }
    }
}

/// An image or one of its levels, with the views that kernels have of it.
pub(crate) struct Image {
    pub(super) memory: Arc<ImageMemory>,
    /// All levels, to read and to sample.
    pub(super) view: vk::ImageView,
    /// The first level, to write; null where the device does not write the format.
    pub(super) first: vk::ImageView,
    level: u32,
    whole: bool,
    extent: vk::Extent3D,
    layers: u32,
    filters: bool,
}

impl Image {
    /// The image, and its levels if there are several.
    pub(super) fn new(shared: &Arc<Shared>, desc: &ImageDesc<'_>) -> Result<(Arc<Image>, Vec<Arc<Image>>)> {
        let flags = match desc.cube {
            true => vk::ImageCreateFlags::CUBE_COMPATIBLE,
            false => vk::ImageCreateFlags::empty(),
        };
        let features = desc.check(shared, flags)?;
        let [width, height, depth] = desc.extent;
        let info = vk::ImageCreateInfo::default()
            .flags(flags)
            .image_type(desc.types().0)
            .format(vk::Format::from_raw(desc.format))
            .extent(vk::Extent3D { width, height, depth })
            .mip_levels(desc.levels)
            .array_layers(desc.layers)
            .samples(vk::SampleCountFlags::TYPE_1)
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(usage_of(features, desc.depth))
            .sharing_mode(vk::SharingMode::EXCLUSIVE)
            .initial_layout(vk::ImageLayout::UNDEFINED);
        // SAFETY: format, size, flags and usage are what the device reported.
        let raw =
            unsafe { shared.raw.create_image(&info, None) }.map_err(|e| shared.failed("vkCreateImage", e))?;
        // Destroyed on drop from here on.
        let mut memory = ImageMemory {
            shared: shared.clone(),
            raw,
            allocation: None,
            depth: desc.depth,
            compressed: desc.compressed,
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
            .map_err(|e| shared.not_allocated(requirements.size, e))?;
        let allocation = memory.allocation.insert(allocation);
        // SAFETY: the allocation fits the image's requirements and is its own.
        unsafe { shared.raw.bind_image_memory(raw, allocation.memory(), allocation.offset()) }
            .map_err(|e| shared.failed("vkBindImageMemory", e))?;
        let memory = Arc::new(memory);
        let whole = Image::view_of(&memory, desc, features, 0, desc.levels)?;
        let levels = if desc.levels > 1 { 0..desc.levels } else { 0..0 };
        let levels: Result<_> = levels.map(|l| Image::view_of(&memory, desc, features, l, 1)).collect();
        Ok((whole, levels?))
    }

    fn view_of(
        memory: &Arc<ImageMemory>,
        desc: &ImageDesc<'_>,
        features: vk::FormatFeatureFlags,
        level: u32,
        levels: u32,
    ) -> Result<Arc<Image>> {
        let raw = &memory.shared.raw;
        let side = |n: u32| (n >> level).max(1);
        let [width, height, depth] = desc.extent.map(side);
        // Destroyed on drop from here on.
        let mut image = Image {
            memory: memory.clone(),
            view: vk::ImageView::null(),
            first: vk::ImageView::null(),
            level,
            whole: (level, levels) == (0, desc.levels),
            extent: vk::Extent3D { width, height, depth },
            layers: desc.layers,
            filters: features.contains(vk::FormatFeatureFlags::SAMPLED_IMAGE_FILTER_LINEAR),
        };
        let kinds = vk::ImageUsageFlags::SAMPLED;
        let make = |levels: u32, usage: vk::ImageUsageFlags| {
            let mut usage = vk::ImageViewUsageCreateInfo::default().usage(usage);
            let info = vk::ImageViewCreateInfo::default()
                .push_next(&mut usage)
                .image(memory.raw)
                .view_type(desc.types().1)
                .format(vk::Format::from_raw(desc.format))
                .subresource_range(memory.range(level, levels));
            // SAFETY: the image is bound to memory, the view has its format and levels of it.
            unsafe { raw.create_image_view(&info, None) }
                .map_err(|e| memory.shared.failed("vkCreateImageView", e))
        };
        image.view = make(levels, kinds)?;
        if usage_of(features, desc.depth).contains(vk::ImageUsageFlags::STORAGE) && !desc.cube {
            image.first = make(1, vk::ImageUsageFlags::STORAGE)?;
        }
        Ok(Arc::new(image))
    }

    /// Whether it can be a storage image.
    pub(crate) fn storage(&self) -> bool {
        self.first != vk::ImageView::null()
    }

    /// Whether samplers can filter it.
    pub(crate) fn filters(&self) -> bool {
        self.filters
    }

    /// Whether it is all of its memory, and not a level.
    pub(super) fn is_whole(&self) -> bool {
        self.whole
    }

    /// Compressed blocks of 4 x 4 texels of the first level.
    pub(super) fn blocks(&self) -> u64 {
        let vk::Extent3D { width, height, depth } = self.extent;
        [width.div_ceil(4), height.div_ceil(4), depth, self.layers].into_iter().map(u64::from).product()
    }

    /// All texels of the first level, for copies.
    pub(super) fn copy(&self) -> vk::BufferImageCopy {
        vk::BufferImageCopy::default()
            .image_subresource(vk::ImageSubresourceLayers {
                aspect_mask: self.memory.aspect(),
                mip_level: self.level,
                base_array_layer: 0,
                layer_count: self.layers,
            })
            .image_extent(self.extent)
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        // SAFETY: submissions hold what they use, so the device is done with the views. Null ones are ignored.
        unsafe {
            self.memory.shared.raw.destroy_image_view(self.view, None);
            self.memory.shared.raw.destroy_image_view(self.first, None);
        }
    }
}

/// A `VkSampler`.
pub(crate) struct Sampler {
    shared: Arc<Shared>,
    pub(super) raw: vk::Sampler,
}

impl Device {
    pub(crate) fn sampler(&self, options: &SamplerOptions) -> Result<Arc<Sampler>> {
        let filter = |f: Filter| match f {
            Filter::Nearest => vk::Filter::NEAREST,
            Filter::Linear => vk::Filter::LINEAR,
        };
        let [u, v, w] = options.address.map(|mode| match mode {
            AddressMode::Repeat => vk::SamplerAddressMode::REPEAT,
            AddressMode::MirrorRepeat => vk::SamplerAddressMode::MIRRORED_REPEAT,
            AddressMode::ClampToEdge => vk::SamplerAddressMode::CLAMP_TO_EDGE,
            AddressMode::ClampToBorder => vk::SamplerAddressMode::CLAMP_TO_BORDER,
        });
        let limit = self.shared.limits.max_sampler_lod_bias;
        if options.lod_bias.abs() > limit {
            return Err(error!(Limit, "a bias of {} levels exceeds the device's {limit}", options.lod_bias));
        }
        let info = vk::SamplerCreateInfo::default()
            .mag_filter(filter(options.mag_filter))
            .min_filter(filter(options.min_filter))
            .mipmap_mode(match options.mip_filter {
                Filter::Nearest => vk::SamplerMipmapMode::NEAREST,
                Filter::Linear => vk::SamplerMipmapMode::LINEAR,
            })
            .address_mode_u(u)
            .address_mode_v(v)
            .address_mode_w(w)
            .mip_lod_bias(options.lod_bias)
            .min_lod(options.lod_min)
            .max_lod(options.lod_max)
            .compare_enable(options.compare.is_some())
            .compare_op(match options.compare {
                None | Some(CompareFunction::Never) => vk::CompareOp::NEVER,
                Some(CompareFunction::Less) => vk::CompareOp::LESS,
                Some(CompareFunction::Equal) => vk::CompareOp::EQUAL,
                Some(CompareFunction::LessEqual) => vk::CompareOp::LESS_OR_EQUAL,
                Some(CompareFunction::Greater) => vk::CompareOp::GREATER,
                Some(CompareFunction::NotEqual) => vk::CompareOp::NOT_EQUAL,
                Some(CompareFunction::GreaterEqual) => vk::CompareOp::GREATER_OR_EQUAL,
                Some(CompareFunction::Always) => vk::CompareOp::ALWAYS,
            })
            .border_color(match options.border {
                BorderColor::TransparentBlack => vk::BorderColor::FLOAT_TRANSPARENT_BLACK,
                BorderColor::OpaqueBlack => vk::BorderColor::FLOAT_OPAQUE_BLACK,
                BorderColor::OpaqueWhite => vk::BorderColor::FLOAT_OPAQUE_WHITE,
            });
        self.with_memory(|| {
            let shared = &self.shared;
            let (made, limit) = (&shared.samplers, shared.limits.max_sampler_allocation_count);
            if made.fetch_add(1, Ordering::Relaxed) >= limit {
                made.fetch_sub(1, Ordering::Relaxed);
                return Err(error!(Limit, "the device has {limit} samplers at most; use some of them again"));
            }
            // SAFETY: the structure is valid and asks for no feature; there are not too many.
            let raw = unsafe { shared.raw.create_sampler(&info, None) }.map_err(|e| {
                made.fetch_sub(1, Ordering::Relaxed);
                shared.failed("vkCreateSampler", e)
            })?;
            Ok(Arc::new(Sampler { shared: shared.clone(), raw }))
        })
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        // SAFETY: submissions hold what they use, so the device is done with the sampler.
        unsafe { self.shared.raw.destroy_sampler(self.raw, None) }
        self.shared.samplers.fetch_sub(1, Ordering::Relaxed);
    }
}
