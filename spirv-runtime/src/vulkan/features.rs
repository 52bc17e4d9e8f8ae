//! Which features a device has, and what modules may use of them.

use super::instance::Instance;
use crate::error::{Result, error};
use crate::spirv::{Module, version_name};
use ash::vk;
use std::ffi::CStr;

/// Core features that kernels or their safety depend on; enabled where present.
fn wanted(have: &vk::PhysicalDeviceFeatures) -> vk::PhysicalDeviceFeatures {
    vk::PhysicalDeviceFeatures {
        // Launches are safe: kernels must not reach beyond their buffers.
        robust_buffer_access: have.robust_buffer_access,
        shader_float64: have.shader_float64,
        shader_int64: have.shader_int64,
        shader_int16: have.shader_int16,
        shader_storage_image_extended_formats: have.shader_storage_image_extended_formats,
        shader_storage_image_read_without_format: have.shader_storage_image_read_without_format,
        shader_storage_image_write_without_format: have.shader_storage_image_write_without_format,
        shader_image_gather_extended: have.shader_image_gather_extended,
        shader_resource_min_lod: have.shader_resource_min_lod,
        image_cube_array: have.image_cube_array,
        texture_compression_bc: have.texture_compression_bc,
        shader_uniform_buffer_array_dynamic_indexing: have.shader_uniform_buffer_array_dynamic_indexing,
        shader_storage_buffer_array_dynamic_indexing: have.shader_storage_buffer_array_dynamic_indexing,
        shader_sampled_image_array_dynamic_indexing: have.shader_sampled_image_array_dynamic_indexing,
        shader_storage_image_array_dynamic_indexing: have.shader_storage_image_array_dynamic_indexing,
        ..Default::default()
    }
}

macro_rules! features {
    ($($field:ident: $ty:ident, $core:expr, $extension:expr;)*) => {
        /// What the device has, which is also what is enabled.
        pub(super) struct Features {
            pub core: vk::PhysicalDeviceFeatures,
            /// What subgroups of compute shaders do.
            pub subgroups: vk::SubgroupFeatureFlags,
            /// How many lanes they have.
            pub lanes: Lanes,
            $(pub $field: vk::$ty<'static>,)*
            /// Extensions to enable for the features above.
            pub extensions: Vec<&'static CStr>,
        }

        impl Features {
            /// Asks the device, for all that its version or extensions know of.
            pub fn query(
                instance: &Instance,
                physical: vk::PhysicalDevice,
                version: u32,
                has: &dyn Fn(&CStr) -> bool,
            ) -> Features {
                let mut extensions = Vec::new();
                $(let mut $field = vk::$ty::default();)*
                let mut all = vk::PhysicalDeviceFeatures2::default();
                $(
                    if version >= $core {
                        all = all.push_next(&mut $field);
                    } else if has($extension) {
                        extensions.push($extension);
                        all = all.push_next(&mut $field);
                    }
                )*
                // SAFETY: the device comes from this instance, the chain holds structures it knows.
                unsafe { instance.raw.get_physical_device_features2(physical, &mut all) };
                let core = wanted(&all.features);
                // The chain pointed from one local to the next.
                $($field.p_next = std::ptr::null_mut();)*
                let (subgroups, lanes) = (vk::SubgroupFeatureFlags::empty(), Lanes::default());
                let mut found = Features { core, subgroups, lanes, $($field,)* extensions };
                found.query_subgroups(instance, physical);
                found
            }

            /// Calls `f` with a device description that enables the features.
            pub fn with_chain<T>(
                &mut self,
                version: u32,
                info: vk::DeviceCreateInfo<'_>,
                f: impl FnOnce(&vk::DeviceCreateInfo<'_>) -> T,
            ) -> T {
                let core = self.core;
                let mut info = info.enabled_features(&core);
                $(let mut $field = self.$field;)*
                $(
                    if version >= $core || self.extensions.contains(&$extension) {
                        info = info.push_next(&mut $field);
                    }
                )*
                f(&info)
            }
        }
    };
}

/// How many lanes the subgroups of a device have.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Lanes {
    /// Where nobody chooses.
    pub usual: u32,
    /// The fewest and most that a pipeline may choose, and how many subgroups a work-group then has at most.
    pub choice: Option<(u32, u32, u32)>,
}

impl Features {
    /// What subgroups do, and how many lanes they have.
    fn query_subgroups(&mut self, instance: &Instance, physical: vk::PhysicalDevice) {
        let mut subgroups = vk::PhysicalDeviceSubgroupProperties::default();
        let mut control = vk::PhysicalDeviceSubgroupSizeControlProperties::default();
        let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut subgroups);
        if self.size_control.subgroup_size_control == vk::TRUE {
            all = all.push_next(&mut control);
        }
        // SAFETY: the device comes from this instance and is of version 1.1 at least, which knows the first structure; it
        // knows the second if it has the feature.
        unsafe { instance.raw.get_physical_device_properties2(physical, &mut all) };
        let compute = vk::ShaderStageFlags::COMPUTE;
        if subgroups.supported_stages.contains(compute) {
            self.subgroups = subgroups.supported_operations;
        }
        let most = control.max_compute_workgroup_subgroups;
        let choice = (control.min_subgroup_size, control.max_subgroup_size, most);
        let choice = Some(choice).filter(|_| control.required_subgroup_size_stages.contains(compute));
        self.lanes = Lanes { usual: subgroups.subgroup_size, choice };
    }
}

/// For features that no extension of interest brings to older versions.
const NONE: &CStr = c"";
/// For features that no version has made core.
const NEVER: u32 = u32::MAX;

features! {
    // field: structure, core since, extension before
    storage_16bit: PhysicalDevice16BitStorageFeatures, vk::API_VERSION_1_1, ash::khr::_16bit_storage::NAME;
    variable_pointers: PhysicalDeviceVariablePointersFeatures, vk::API_VERSION_1_1, NONE;
    storage_8bit: PhysicalDevice8BitStorageFeatures, vk::API_VERSION_1_2, ash::khr::_8bit_storage::NAME;
    float16_int8: PhysicalDeviceShaderFloat16Int8Features, vk::API_VERSION_1_2, ash::khr::shader_float16_int8::NAME;
    scalar_layout: PhysicalDeviceScalarBlockLayoutFeatures, vk::API_VERSION_1_2, ash::ext::scalar_block_layout::NAME;
    timeline: PhysicalDeviceTimelineSemaphoreFeatures, vk::API_VERSION_1_2, NONE;
    memory_model: PhysicalDeviceVulkanMemoryModelFeatures, vk::API_VERSION_1_2, ash::khr::vulkan_memory_model::NAME;
    atomic_int64: PhysicalDeviceShaderAtomicInt64Features, vk::API_VERSION_1_2, ash::khr::shader_atomic_int64::NAME;
    subgroup_types: PhysicalDeviceShaderSubgroupExtendedTypesFeatures, vk::API_VERSION_1_2, NONE;
    image_robustness: PhysicalDeviceImageRobustnessFeatures, vk::API_VERSION_1_3, ash::ext::image_robustness::NAME;
    size_control: PhysicalDeviceSubgroupSizeControlFeatures, vk::API_VERSION_1_3, ash::ext::subgroup_size_control::NAME;
    buffer_address: PhysicalDeviceBufferDeviceAddressFeatures, vk::API_VERSION_1_2, NONE;
    derivatives: PhysicalDeviceComputeShaderDerivativesFeaturesNV, NEVER, ash::nv::compute_shader_derivatives::NAME;
    indexing: PhysicalDeviceDescriptorIndexingFeatures, vk::API_VERSION_1_2, NONE;
    atomic_float: PhysicalDeviceShaderAtomicFloatFeaturesEXT, NEVER, ash::ext::shader_atomic_float::NAME;
    robustness2: PhysicalDeviceRobustness2FeaturesEXT, NEVER, ash::ext::robustness2::NAME;
}

/// One row a capability of SPIR-V that depends on a feature: number, name, whether the feature is enabled.
type Row = (u32, &'static str, fn(&Features) -> vk::Bool32);

const CAPABILITIES: &[Row] = &[
    (9, "Float16", |f| f.float16_int8.shader_float16),
    (10, "Float64", |f| f.core.shader_float64),
    (11, "Int64", |f| f.core.shader_int64),
    (12, "Int64Atomics", |f| f.atomic_int64.shader_buffer_int64_atomics),
    (22, "Int16", |f| f.core.shader_int16),
    (25, "ImageGatherExtended", |f| f.core.shader_image_gather_extended),
    (34, "ImageCubeArray", |f| f.core.image_cube_array),
    (39, "Int8", |f| f.float16_int8.shader_int8),
    (41, "SparseResidency", |f| f.core.shader_resource_residency),
    (42, "MinLod", |f| f.core.shader_resource_min_lod),
    (45, "SampledCubeArray", |f| f.core.image_cube_array),
    (49, "StorageImageExtendedFormats", |f| f.core.shader_storage_image_extended_formats),
    (55, "StorageImageReadWithoutFormat", |f| f.core.shader_storage_image_read_without_format),
    (56, "StorageImageWriteWithoutFormat", |f| f.core.shader_storage_image_write_without_format),
    (61, "GroupNonUniform", |f| f.subgroups.contains(vk::SubgroupFeatureFlags::BASIC).into()),
    (62, "GroupNonUniformVote", |f| f.subgroups.contains(vk::SubgroupFeatureFlags::VOTE).into()),
    (63, "GroupNonUniformArithmetic", |f| f.subgroups.contains(vk::SubgroupFeatureFlags::ARITHMETIC).into()),
    (64, "GroupNonUniformBallot", |f| f.subgroups.contains(vk::SubgroupFeatureFlags::BALLOT).into()),
    (65, "GroupNonUniformShuffle", |f| f.subgroups.contains(vk::SubgroupFeatureFlags::SHUFFLE).into()),
    (66, "GroupNonUniformShuffleRelative", |f| {
        f.subgroups.contains(vk::SubgroupFeatureFlags::SHUFFLE_RELATIVE).into()
    }),
    (67, "GroupNonUniformClustered", |f| f.subgroups.contains(vk::SubgroupFeatureFlags::CLUSTERED).into()),
    (68, "GroupNonUniformQuad", |f| f.subgroups.contains(vk::SubgroupFeatureFlags::QUAD).into()),
    (4433, "StorageBuffer16BitAccess", |f| f.storage_16bit.storage_buffer16_bit_access),
    (4434, "StorageUniform16", |f| f.storage_16bit.uniform_and_storage_buffer16_bit_access),
    (4435, "StoragePushConstant16", |f| f.storage_16bit.storage_push_constant16),
    (4441, "VariablePointersStorageBuffer", |f| f.variable_pointers.variable_pointers_storage_buffer),
    (4442, "VariablePointers", |f| f.variable_pointers.variable_pointers),
    (4448, "StorageBuffer8BitAccess", |f| f.storage_8bit.storage_buffer8_bit_access),
    (4449, "UniformAndStorageBuffer8BitAccess", |f| f.storage_8bit.uniform_and_storage_buffer8_bit_access),
    (5307, "SampledImageArrayNonUniformIndexing", |f| {
        f.indexing.shader_sampled_image_array_non_uniform_indexing
    }),
    (5309, "StorageImageArrayNonUniformIndexing", |f| {
        f.indexing.shader_storage_image_array_non_uniform_indexing
    }),
    (5288, "ComputeDerivativeGroupQuads", |f| f.derivatives.compute_derivative_group_quads),
    (5350, "ComputeDerivativeGroupLinear", |f| f.derivatives.compute_derivative_group_linear),
    (5347, "PhysicalStorageBufferAddresses", |f| f.buffer_address.buffer_device_address),
    (5345, "VulkanMemoryModel", |f| f.memory_model.vulkan_memory_model),
    (6033, "AtomicFloat32AddEXT", |f| f.atomic_float.shader_buffer_float32_atomic_add),
    (6034, "AtomicFloat64AddEXT", |f| f.atomic_float.shader_buffer_float64_atomic_add),
];

/// Whether the device can run a module: drivers may crash on what they do not know.
pub(super) fn check_module(module: &Module, version: u32, features: &Features) -> Result<()> {
    let newest = match version {
        v if v >= vk::API_VERSION_1_3 => 0x0001_0600,
        v if v >= vk::API_VERSION_1_2 => 0x0001_0500,
        _ => 0x0001_0300,
    };
    if module.version() > newest {
        return Err(error!(
            Unsupported,
            "it was compiled to SPIR-V {}, the device takes {} at most; compile it for an older Vulkan",
            version_name(module.version()),
            version_name(newest)
        ));
    }
    for capability in module.capabilities() {
        if let Some(row) = CAPABILITIES.iter().find(|row| row.0 == capability)
            && row.2(features) == vk::FALSE
        {
            return Err(error!(
                Unsupported,
                "it needs the SPIR-V capability {}, which the device does not have; use other types in the kernel, \
                 or another device",
                row.1
            ));
        }
    }
    if features.scalar_layout.scalar_block_layout == vk::FALSE && module.needs_scalar_layout() {
        return Err(error!(
            Unsupported,
            "what lies in its buffers is packed, which needs the feature scalarBlockLayout, and the device does not have it; \
             compile it without `-fvk-use-dx-layout` and `-fvk-use-scalar-layout`"
        ));
    }
    Ok(())
}
