//! Structures, constants and chains are those of other bindings, which were made from the same registry by others.

use spirv_vulkan_sys::vk;

macro_rules! same {
    ($($ours:ident $(= $theirs:ident)?),* $(,)?) => {
        [$((stringify!($ours), size_of::<vk::$ours>(), align_of::<vk::$ours>(), same!(@ $ours $($theirs)?)),)*]
    };
    (@ $ours:ident) => { (size_of::<ash::vk::$ours>(), align_of::<ash::vk::$ours>()) };
    (@ $ours:ident $theirs:ident) => { (size_of::<ash::vk::$theirs>(), align_of::<ash::vk::$theirs>()) };
}

#[test]
fn structures_have_the_same_layout() {
    let all = same![
        LayerProperties,
        ExtensionProperties,
        InstanceCreateInfo,
        PhysicalDeviceProperties,
        PhysicalDeviceProperties2,
        PhysicalDeviceFeatures2,
        QueueFamilyProperties,
        FormatProperties,
        ImageFormatProperties,
        PhysicalDeviceMemoryProperties,
        DeviceCreateInfo,
        DebugUtilsMessengerCreateInfoEXT,
        SubmitInfo,
        MemoryAllocateInfo,
        BufferCreateInfo,
        MemoryRequirements,
        BufferViewCreateInfo,
        ImageCreateInfo,
        ImageViewCreateInfo,
        SamplerCreateInfo,
        ShaderModuleCreateInfo,
        DescriptorSetLayoutCreateInfo,
        PipelineLayoutCreateInfo,
        ComputePipelineCreateInfo,
        DescriptorPoolCreateInfo,
        DescriptorSetAllocateInfo,
        WriteDescriptorSet,
        CopyDescriptorSet,
        QueryPoolCreateInfo,
        FenceCreateInfo,
        SemaphoreCreateInfo,
        CommandPoolCreateInfo,
        CommandBufferAllocateInfo,
        CommandBufferBeginInfo,
        MemoryBarrier,
        BufferMemoryBarrier,
        ImageMemoryBarrier,
        BufferCopy,
        BufferImageCopy,
        ImageSubresourceRange,
        ClearDepthStencilValue,
        SemaphoreWaitInfo,
        BufferDeviceAddressInfo,
        PhysicalDevice16BitStorageFeatures,
        PhysicalDeviceVariablePointersFeatures,
        PhysicalDevice8BitStorageFeatures,
        PhysicalDeviceShaderFloat16Int8Features,
        PhysicalDeviceScalarBlockLayoutFeatures,
        PhysicalDeviceTimelineSemaphoreFeatures,
        PhysicalDeviceVulkanMemoryModelFeatures,
        PhysicalDeviceShaderAtomicInt64Features,
        PhysicalDeviceShaderSubgroupExtendedTypesFeatures,
        PhysicalDeviceImageRobustnessFeatures,
        PhysicalDeviceSubgroupSizeControlFeatures,
        PhysicalDeviceBufferDeviceAddressFeatures,
        PhysicalDeviceDescriptorIndexingFeatures,
        PhysicalDeviceShaderAtomicFloatFeaturesEXT,
        PhysicalDeviceSubgroupProperties,
        PhysicalDeviceSubgroupSizeControlProperties,
        PhysicalDeviceMaintenance3Properties,
        PipelineShaderStageRequiredSubgroupSizeCreateInfo,
        ImageViewUsageCreateInfo,
        SemaphoreTypeCreateInfo,
        TimelineSemaphoreSubmitInfo,
        ValidationFeaturesEXT,
        MemoryAllocateFlagsInfo,
        ApplicationInfo,
        PhysicalDeviceLimits,
        PhysicalDeviceSparseProperties,
        PhysicalDeviceFeatures,
        Extent3D,
        MemoryType,
        MemoryHeap,
        DeviceQueueCreateInfo,
        ComponentMapping,
        DescriptorSetLayoutBinding,
        PushConstantRange,
        PipelineShaderStageCreateInfo,
        DescriptorPoolSize,
        DescriptorImageInfo,
        DescriptorBufferInfo,
        CommandBufferInheritanceInfo,
        ImageSubresourceLayers,
        Offset3D,
        SpecializationInfo,
        SpecializationMapEntry,
        PhysicalDeviceComputeShaderDerivativesFeaturesKHR = PhysicalDeviceComputeShaderDerivativesFeaturesNV,
        PhysicalDeviceRobustness2FeaturesKHR = PhysicalDeviceRobustness2FeaturesEXT,
        ClearColorValue,
    ];
    assert!(all.len() > 80);
    for (name, size, align, theirs) in all {
        assert_eq!((size, align), theirs, "{name}");
    }
}

#[test]
fn members_lie_in_the_same_places() {
    macro_rules! offsets {
        ($($ty:ident: $($member:ident)*;)*) => {
            $($(assert_eq!(
                std::mem::offset_of!(vk::$ty, $member),
                std::mem::offset_of!(ash::vk::$ty, $member),
                concat!(stringify!($ty), ".", stringify!($member)),
            );)*)*
        };
    }
    offsets! {
        PhysicalDeviceLimits: max_push_constants_size buffer_image_granularity max_bound_descriptor_sets
            max_compute_shared_memory_size max_compute_work_group_size max_sampler_lod_bias timestamp_period
            non_coherent_atom_size;
        PhysicalDeviceFeatures: robust_buffer_access image_cube_array shader_float64 shader_int64
            shader_resource_min_lod texture_compression_bc;
        PhysicalDeviceProperties: api_version device_type device_name limits sparse_properties;
        SubmitInfo: p_wait_semaphores p_command_buffers p_signal_semaphores;
        WriteDescriptorSet: dst_binding descriptor_type p_image_info p_buffer_info p_texel_buffer_view;
        ImageCreateInfo: extent mip_levels samples usage initial_layout;
        SamplerCreateInfo: address_mode_u compare_enable border_color;
        ImageMemoryBarrier: old_layout image subresource_range;
    }
}

#[test]
fn constants_have_the_same_values() {
    macro_rules! values {
        ($($ty:ident: $($value:ident)*;)*) => {
            $($(assert_eq!(
                // SAFETY: both are numbers of 32 bits.
                i64::from(unsafe { std::mem::transmute::<vk::$ty, u32>(vk::$ty::$value) }),
                // SAFETY: both are numbers of 32 bits.
                i64::from(unsafe { std::mem::transmute::<ash::vk::$ty, u32>(ash::vk::$ty::$value) }),
                stringify!($value),
            );)*)*
        };
    }
    values! {
        StructureType: BUFFER_CREATE_INFO SUBMIT_INFO PHYSICAL_DEVICE_FEATURES_2 SEMAPHORE_TYPE_CREATE_INFO
            PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT
            PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT VALIDATION_FEATURES_EXT;
        Result: ERROR_DEVICE_LOST ERROR_OUT_OF_POOL_MEMORY ERROR_FRAGMENTED_POOL TIMEOUT NOT_READY INCOMPLETE;
        DescriptorType: SAMPLER STORAGE_TEXEL_BUFFER STORAGE_BUFFER;
        BufferUsageFlags: TRANSFER_DST STORAGE_BUFFER UNIFORM_TEXEL_BUFFER SHADER_DEVICE_ADDRESS;
        ImageCreateFlags: CUBE_COMPATIBLE;
        SampleCountFlags: TYPE_1;
        InstanceCreateFlags: ENUMERATE_PORTABILITY_KHR;
        MemoryPropertyFlags: DEVICE_LOCAL HOST_VISIBLE HOST_COHERENT HOST_CACHED;
        MemoryAllocateFlags: DEVICE_ADDRESS;
        QueryResultFlags: TYPE_64;
    }
}

#[test]
fn what_is_chained_comes_before_what_was() {
    let (mut first, mut second) =
        (vk::SemaphoreTypeCreateInfo::default(), vk::TimelineSemaphoreSubmitInfo::default());
    let [a, b] = [(&raw const first).cast(), (&raw const second).cast()];
    let info = vk::SubmitInfo::default().push_next(&mut first).push_next(&mut second);
    assert_eq!(info.p_next, b);
    assert_eq!(second.p_next, a);
    assert!(first.p_next.is_null());
}

#[test]
fn values_are_shown_by_name() {
    assert_eq!(format!("{:?}", vk::Result::ERROR_DEVICE_LOST), "ERROR_DEVICE_LOST");
    assert_eq!(format!("{:?}", vk::Result::from_raw(77)), "77");
    let flags = vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::STORAGE_BUFFER;
    assert_eq!(format!("{flags:?}"), "TRANSFER_SRC | STORAGE_BUFFER");
    assert_eq!(format!("{:?}", vk::BufferUsageFlags::empty()), "0x0");
}

#[test]
fn a_missing_loader_is_an_error() {
    // SAFETY: there is no such library.
    assert!(unsafe { spirv_vulkan_sys::Entry::load_from("libvulkan_that_is_not_there.so.77") }.is_err());
}
