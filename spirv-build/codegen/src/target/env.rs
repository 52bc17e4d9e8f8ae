//! Targets by name.

use super::{Lack, Requirements, implied};
use crate::ir::Module;
use spirv_spec::{Capability, EnumRow, Kind};

/// What a device understands.
#[derive(Debug, Clone)]
pub struct TargetEnv {
    /// Name, as in `-fspv-target-env=`.
    pub name: String,
    /// Highest minor version of SPIR-V 1.x.
    pub version: u8,
    /// Capabilities that it may have; None: all.
    pub capabilities: Option<Vec<Capability>>,
    /// Extensions that it may have; None: all.
    pub extensions: Option<Vec<String>>,
    /// Limits.
    pub limits: Limits,
}

/// Limits of a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Work-items of a group along each axis.
    pub group_size: [u32; 3],
    /// Work-items of a group.
    pub group_items: u32,
    /// Bytes of push constants that every device has.
    pub push_constants: u32,
}

/// What HLSL and, for the push constants, Vulkan guarantee.
const LIMITS: Limits = Limits { group_size: [1024, 1024, 64], group_items: 1024, push_constants: 128 };
/// No device of Level Zero has larger groups.
const LEVEL_ZERO_LIMITS: Limits = Limits { group_size: [1024; 3], ..LIMITS };
/// OpenCL itself has none.
const NO_LIMITS: Limits =
    Limits { group_size: [u32::MAX; 3], group_items: u32::MAX, push_constants: u32::MAX };

/// A target that has a name: (name, SPIR-V 1.x, Vulkan 1.x; None for no Vulkan).
pub const PRESETS: &[(&str, u8, Option<u8>)] = &[
    ("vulkan1.0", 0, Some(0)),
    ("vulkan1.1", 3, Some(1)),
    ("vulkan1.1spirv1.4", 4, Some(1)),
    ("vulkan1.2", 5, Some(2)),
    ("vulkan1.3", 6, Some(3)),
    ("universal1.5", 5, None),
];

/// Capabilities by the Vulkan 1.x that first lets a module declare them (as a feature that a device may have).
const CAPABILITIES: &[(u8, &[Capability])] = {
    use spirv_spec::capability::*;
    &[
        (
            0,
            &[
                Matrix,
                Shader,
                InputAttachment,
                Sampled1D,
                Image1D,
                SampledBuffer,
                ImageBuffer,
                ImageQuery,
                DerivativeControl,
                Geometry,
                Tessellation,
                Float64,
                Int64,
                Int16,
                Int8,
                Float16,
                ImageGatherExtended,
                StorageImageMultisample,
                UniformBufferArrayDynamicIndexing,
                SampledImageArrayDynamicIndexing,
                StorageBufferArrayDynamicIndexing,
                StorageImageArrayDynamicIndexing,
                ClipDistance,
                CullDistance,
                ImageCubeArray,
                SampleRateShading,
                SparseResidency,
                MinLod,
                SampledCubeArray,
                ImageMSArray,
                StorageImageExtendedFormats,
                InterpolationFunction,
                StorageImageReadWithoutFormat,
                StorageImageWriteWithoutFormat,
                MultiViewport,
                TransformFeedback,
                GeometryStreams,
                // With an extension of the API or of SPIR-V, in any version.
                RuntimeDescriptorArray,
                Int64Atomics,
                Int64ImageEXT,
                ComputeDerivativeGroupQuadsKHR,
                ComputeDerivativeGroupLinearKHR,
            ],
        ),
        (
            1,
            &[
                GroupNonUniform,
                GroupNonUniformVote,
                GroupNonUniformArithmetic,
                GroupNonUniformBallot,
                GroupNonUniformShuffle,
                GroupNonUniformShuffleRelative,
                GroupNonUniformClustered,
                GroupNonUniformQuad,
                DrawParameters,
                MultiView,
                DeviceGroup,
                VariablePointersStorageBuffer,
                VariablePointers,
                StorageBuffer16BitAccess,
                UniformAndStorageBuffer16BitAccess,
                StoragePushConstant16,
                StorageInputOutput16,
            ],
        ),
        (
            2,
            &[
                ShaderViewportIndex,
                ShaderLayer,
                StorageBuffer8BitAccess,
                UniformAndStorageBuffer8BitAccess,
                StoragePushConstant8,
                ShaderNonUniform,
                InputAttachmentArrayDynamicIndexing,
                UniformTexelBufferArrayDynamicIndexing,
                StorageTexelBufferArrayDynamicIndexing,
                UniformBufferArrayNonUniformIndexing,
                SampledImageArrayNonUniformIndexing,
                StorageBufferArrayNonUniformIndexing,
                StorageImageArrayNonUniformIndexing,
                InputAttachmentArrayNonUniformIndexing,
                UniformTexelBufferArrayNonUniformIndexing,
                StorageTexelBufferArrayNonUniformIndexing,
                DenormPreserve,
                DenormFlushToZero,
                SignedZeroInfNanPreserve,
                RoundingModeRTE,
                RoundingModeRTZ,
                VulkanMemoryModel,
                VulkanMemoryModelDeviceScope,
                PhysicalStorageBufferAddresses,
            ],
        ),
        (
            3,
            &[
                DotProduct,
                DotProductInputAll,
                DotProductInput4x8Bit,
                DotProductInput4x8BitPacked,
                DemoteToHelperInvocation,
            ],
        ),
    ]
};

/// Name of the environment of Level Zero drivers.
pub const LEVEL_ZERO: &str = "level-zero";

/// Capabilities that Level Zero devices have, or may have and tell of.
const LEVEL_ZERO_CAPABILITIES: &[Capability] = {
    use spirv_spec::capability::*;
    &[
        Addresses,
        Float16,
        Float16Buffer,
        Float64,
        Groups,
        Int8,
        Int16,
        Int64,
        Int64Atomics,
        Kernel,
        Linkage,
        Vector16,
        GenericPointer,
        ImageBasic,
        ImageReadWrite,
        LiteralSampler,
        Sampled1D,
        Image1D,
        SampledBuffer,
        ImageBuffer,
        SubgroupDispatch,
        SubgroupShuffleINTEL,
        SubgroupBufferBlockIOINTEL,
        SubgroupImageBlockIOINTEL,
        GroupNonUniform,
        GroupNonUniformVote,
        GroupNonUniformArithmetic,
        GroupNonUniformBallot,
        GroupNonUniformShuffle,
        GroupNonUniformShuffleRelative,
        GroupNonUniformClustered,
        // Kernels say how many lanes a subgroup has with the first, which the specification puts below the second.
        SubgroupDispatch,
        DeviceEnqueue,
        AtomicFloat32AddEXT,
        AtomicFloat64AddEXT,
        AtomicFloat32MinMaxEXT,
        AtomicFloat64MinMaxEXT,
        ExpectAssumeKHR,
        FunctionPointersINTEL,
    ]
};

impl Default for TargetEnv {
    /// Vulkan 1.1, the baseline.
    fn default() -> Self {
        TargetEnv::preset("vulkan1.1").unwrap_or_else(TargetEnv::anything)
    }
}

impl TargetEnv {
    /// A target by name, in any case.
    pub fn preset(name: &str) -> Option<TargetEnv> {
        if name.eq_ignore_ascii_case(LEVEL_ZERO) {
            return Some(TargetEnv::level_zero());
        }
        let (name, version, vulkan) = PRESETS.iter().find(|p| p.0.eq_ignore_ascii_case(name))?;
        let capabilities = vulkan
            .map(|v| CAPABILITIES.iter().filter(|row| row.0 <= v).flat_map(|row| row.1).copied().collect());
        Some(TargetEnv {
            name: (*name).into(),
            version: *version,
            capabilities,
            extensions: None,
            limits: LIMITS,
        })
    }

    /// Level Zero: kernels of OpenCL's flavour, SPIR-V 1.2, and 1.3 where a kernel needs it (for waves).
    pub fn level_zero() -> TargetEnv {
        TargetEnv {
            name: LEVEL_ZERO.into(),
            version: 3,
            capabilities: Some(LEVEL_ZERO_CAPABILITIES.to_vec()),
            extensions: None,
            limits: LEVEL_ZERO_LIMITS,
        }
    }

    /// Any device that runs kernels of OpenCL's flavour: all that shaders do not need.
    pub fn kernels() -> TargetEnv {
        let all = Kind::Capability.rows().map(|row| Capability(row.value()));
        let capabilities = all.filter(|c| !implied(*c).contains(&Capability::Shader)).collect();
        TargetEnv {
            name: "opencl".into(),
            version: 6,
            capabilities: Some(capabilities),
            extensions: None,
            limits: NO_LIMITS,
        }
    }

    /// The same with all capabilities that an extension may give (one of those named, if `extensions` is not empty).
    pub fn with_extensions(mut self, extensions: &[String]) -> TargetEnv {
        let allowed =
            |e: &Option<&str>| e.is_none_or(|e| extensions.is_empty() || extensions.iter().any(|x| x == e));
        if let Some(list) = self.capabilities.as_mut().filter(|_| self.name.starts_with("vulkan")) {
            for (c, _) in extended_capabilities().iter().filter(|(_, e)| allowed(e)) {
                if !list.contains(c) {
                    list.push(*c);
                }
            }
        }
        self
    }

    /// Whether storage buffers of a module have a storage class of their own.
    pub fn has_storage_buffers(&self, module: &Module) -> bool {
        self.version >= 3 || module.has_kernels()
    }

    /// Whether modules are kernels of OpenCL's flavour, not shaders.
    pub fn has_kernels(&self) -> bool {
        self.name == LEVEL_ZERO || self.name == "opencl"
    }

    /// A target that has everything.
    pub fn anything() -> TargetEnv {
        TargetEnv { name: "any".into(), version: 6, capabilities: None, extensions: None, limits: NO_LIMITS }
    }

    /// Whether it may have a capability, directly or because one that it has implies it.
    pub fn has_capability(&self, capability: Capability) -> bool {
        self.capabilities.as_ref().is_none_or(|list| list.contains(&capability))
    }

    /// What a module needs and the target lacks.
    pub fn check(&self, needs: &Requirements) -> Vec<Lack> {
        let mut lacks = Vec::new();
        if needs.version > self.version {
            lacks.push(Lack {
                what: format!("SPIR-V 1.{}", needs.version),
                help: format!(
                    "{} has SPIR-V 1.{}; choose a later target environment",
                    self.name, self.version
                ),
                span: needs.version_span,
            });
        }
        for (c, span) in &needs.capabilities {
            if let Some(missing) = implied(*c).into_iter().find(|c| !self.has_capability(*c)) {
                lacks.push(Lack {
                    what: format!("capability {missing:?}"),
                    help: self.who_has(missing),
                    span: *span,
                });
            }
        }
        for (e, span) in &needs.extensions {
            if self.extensions.as_ref().is_some_and(|list| !list.contains(e)) {
                lacks.push(Lack {
                    what: format!("extension {e}"),
                    help: format!("{} is limited to the extensions it was given", self.name),
                    span: *span,
                });
            }
        }
        lacks
    }

    fn who_has(&self, capability: Capability) -> String {
        let first = CAPABILITIES.iter().find(|row| row.1.contains(&capability)).map(|row| row.0);
        match first {
            Some(v) => format!("{} does not have it, vulkan1.{v} does", self.name),
            None => format!("no version of Vulkan has it in its core; {} does not", self.name),
        }
    }
}

/// The capabilities that come with an extension, and that extension; none where the specification names none, though
/// no version has it.
fn extended_capabilities() -> &'static [(Capability, Option<&'static str>)] {
    static LIST: std::sync::OnceLock<Vec<(Capability, Option<&'static str>)>> = std::sync::OnceLock::new();
    LIST.get_or_init(|| {
        let extended = |row: &EnumRow| row.extensions().len() > 0 || row.version().is_none();
        let pair = |row: EnumRow| (Capability(row.value()), row.extensions().next());
        Kind::Capability.rows().filter(extended).map(pair).collect()
    })
}
