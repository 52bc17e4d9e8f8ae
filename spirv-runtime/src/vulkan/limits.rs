//! The device's limits for a kernel, checked when it is loaded: what exceeds them is invalid, and drivers do not check.

use super::pipeline::{MAX_PUSH_BYTES, push_bytes};
use crate::error::{Result, error};
use crate::gpu;
use crate::kernel::{Binding, EntryDesc, ResourceDesc, ResourceKind};
use ash::vk;
use std::collections::HashMap;

/// The descriptors of a pipeline: set, binding, type, number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Slot {
    pub set: u32,
    pub binding: u32,
    pub ty: vk::DescriptorType,
    pub count: u32,
}

/// The type of a resource's descriptor.
pub(super) fn descriptor_type(kind: ResourceKind) -> vk::DescriptorType {
    match kind {
        ResourceKind::Buffer { .. } | ResourceKind::Bytes => vk::DescriptorType::STORAGE_BUFFER,
        ResourceKind::Constants { .. } => vk::DescriptorType::UNIFORM_BUFFER,
        // It has none.
        ResourceKind::Local { .. } => vk::DescriptorType::STORAGE_BUFFER,
        ResourceKind::Image { storage: true, .. } => vk::DescriptorType::STORAGE_IMAGE,
        ResourceKind::Image { storage: false, .. } => vk::DescriptorType::SAMPLED_IMAGE,
        ResourceKind::Texels { storage: true, .. } => vk::DescriptorType::STORAGE_TEXEL_BUFFER,
        ResourceKind::Texels { storage: false, .. } => vk::DescriptorType::UNIFORM_TEXEL_BUFFER,
        ResourceKind::Sampler { .. } => vk::DescriptorType::SAMPLER,
    }
}

/// The descriptors of these resources. An image and a sampler in one place are a single one.
pub(super) fn slots(resources: &[&ResourceDesc]) -> Vec<Slot> {
    let mut slots: Vec<Slot> = Vec::new();
    let mut at = HashMap::new();
    for r in resources {
        let Binding::Descriptor { set, binding } = r.binding else { continue };
        if let Some(i) = at.get(&(set, binding)) {
            let other: &mut Slot = &mut slots[*i];
            other.ty = vk::DescriptorType::COMBINED_IMAGE_SAMPLER;
            continue;
        }
        let count = match r.kind {
            ResourceKind::Image { count, .. } => count.unwrap_or(1),
            _ => 1,
        };
        at.insert((set, binding), slots.len());
        slots.push(Slot { set, binding, ty: descriptor_type(r.kind), count });
    }
    slots
}

type Types = &'static [vk::DescriptorType];

const SAMPLERS: Types = &[vk::DescriptorType::SAMPLER, vk::DescriptorType::COMBINED_IMAGE_SAMPLER];
const UNIFORM_BUFFERS: Types = &[vk::DescriptorType::UNIFORM_BUFFER];
const STORAGE_BUFFERS: Types = &[vk::DescriptorType::STORAGE_BUFFER];
const SAMPLED_IMAGES: Types = &[
    vk::DescriptorType::SAMPLED_IMAGE,
    vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
    vk::DescriptorType::UNIFORM_TEXEL_BUFFER,
];
const STORAGE_IMAGES: Types = &[vk::DescriptorType::STORAGE_IMAGE, vk::DescriptorType::STORAGE_TEXEL_BUFFER];
const RESOURCES: Types = &[
    vk::DescriptorType::UNIFORM_BUFFER,
    vk::DescriptorType::STORAGE_BUFFER,
    vk::DescriptorType::SAMPLED_IMAGE,
    vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
    vk::DescriptorType::UNIFORM_TEXEL_BUFFER,
    vk::DescriptorType::STORAGE_IMAGE,
    vk::DescriptorType::STORAGE_TEXEL_BUFFER,
];

/// What is counted: the name of many, their types, the limits of a stage and of a pipeline.
type Row = (&'static str, Types, fn(&vk::PhysicalDeviceLimits) -> [u32; 2]);

const COUNTED: &[Row] = &[
    ("samplers", SAMPLERS, |l| [l.max_per_stage_descriptor_samplers, l.max_descriptor_set_samplers]),
    ("blocks of constants", UNIFORM_BUFFERS, |l| {
        [l.max_per_stage_descriptor_uniform_buffers, l.max_descriptor_set_uniform_buffers]
    }),
    ("buffers", STORAGE_BUFFERS, |l| {
        [l.max_per_stage_descriptor_storage_buffers, l.max_descriptor_set_storage_buffers]
    }),
    ("textures and typed buffers", SAMPLED_IMAGES, |l| {
        [l.max_per_stage_descriptor_sampled_images, l.max_descriptor_set_sampled_images]
    }),
    ("writable textures and typed buffers", STORAGE_IMAGES, |l| {
        [l.max_per_stage_descriptor_storage_images, l.max_descriptor_set_storage_images]
    }),
    ("resources", RESOURCES, |l| [l.max_per_stage_resources, u32::MAX]),
];

/// Whether the device has what an entry point needs, `shared` bytes of memory of the work-group among it.
pub(super) fn check(
    entry: &EntryDesc,
    shared: u64,
    limits: &vk::PhysicalDeviceLimits,
    descriptors_per_set: u32,
) -> Result<()> {
    let (sizes, most) = (limits.max_compute_work_group_size, limits.max_compute_work_group_invocations);
    gpu::check_local_size(entry.local_size, sizes, most)?;
    gpu::check_shared_memory(shared, limits.max_compute_shared_memory_size)?;
    let resources: Vec<_> = entry.resources.iter().map(|r| &entry.kernel.resources[*r as usize]).collect();
    let exceeded = |n: u64, what: &str, limit: u32, help: &str| {
        if n <= u64::from(limit) {
            return Ok(());
        }
        Err(error!(Limit, "it uses {n} {what}, the device has {limit}; {help}"))
    };
    exceeded(
        u64::from(push_bytes(&resources)),
        "bytes of push constants",
        limits.max_push_constants_size.min(MAX_PUSH_BYTES as u32),
        "put constants into a cbuffer",
    )?;
    for r in &resources {
        if let (Binding::Descriptor { .. }, ResourceKind::Constants { size }) = (r.binding, r.kind) {
            let (n, help) = (u64::from(size), "put them into a buffer");
            exceeded(n, "bytes of constants", limits.max_uniform_buffer_range, help)
                .map_err(|e| e.at(format_args!("`{}`", r.name)))?;
        }
    }
    let slots = slots(&resources);
    let mut per_set: HashMap<u32, u64> = HashMap::new();
    for slot in &slots {
        exceeded(
            u64::from(slot.set) + 1,
            "descriptor sets",
            limits.max_bound_descriptor_sets,
            "give its resources lower ones",
        )?;
        *per_set.entry(slot.set).or_default() += u64::from(slot.count);
    }
    let fewer = "use fewer, or arrays of layers and larger buffers in their place";
    for (what, types, limits_of) in COUNTED {
        let n = slots.iter().filter(|s| types.contains(&s.ty)).map(|s| u64::from(s.count)).sum();
        let limit = limits_of(limits).into_iter().min().unwrap_or_default();
        exceeded(n, what, limit, fewer)?;
    }
    for n in per_set.into_values() {
        exceeded(n, "resources in one descriptor set", descriptors_per_set, "spread them over several")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{ClEntry, CpuEntry, KernelDesc};

    const IMAGE: ResourceKind =
        ResourceKind::Image { dimension: "D2", storage: false, format: None, count: None };

    /// A device that has a lot of everything.
    fn plenty() -> vk::PhysicalDeviceLimits {
        let mut limits = vk::PhysicalDeviceLimits {
            max_compute_work_group_size: [1024; 3],
            max_compute_work_group_invocations: 1024,
            max_compute_shared_memory_size: 32768,
            max_push_constants_size: 128,
            max_uniform_buffer_range: 65536,
            max_bound_descriptor_sets: 8,
            max_per_stage_resources: 10_000,
            ..Default::default()
        };
        for limit in [
            &mut limits.max_per_stage_descriptor_samplers,
            &mut limits.max_descriptor_set_samplers,
            &mut limits.max_per_stage_descriptor_uniform_buffers,
            &mut limits.max_descriptor_set_uniform_buffers,
            &mut limits.max_per_stage_descriptor_storage_buffers,
            &mut limits.max_descriptor_set_storage_buffers,
            &mut limits.max_per_stage_descriptor_sampled_images,
            &mut limits.max_descriptor_set_sampled_images,
            &mut limits.max_per_stage_descriptor_storage_images,
            &mut limits.max_descriptor_set_storage_images,
        ] {
            *limit = 1000;
        }
        limits
    }

    fn entry(kinds: &[(ResourceKind, Binding)], local_size: [u32; 3]) -> EntryDesc {
        let resources = kinds
            .iter()
            .map(|(kind, binding)| (*kind, *binding))
            .map(|(kind, binding)| ResourceDesc { name: "r", writable: false, binding, kind });
        let resources = Vec::leak(resources.collect());
        let kernel = Box::leak(Box::new(KernelDesc { name: "k", source: "k", spirv: None, resources }));
        EntryDesc {
            kernel,
            name: "main",
            local_size,
            arguments: &[],
            resources: Vec::leak((0..kinds.len() as u32).collect()),
            samples: &[],
            cl: ClEntry::Absent,
            cl_memory: ClEntry::Absent,
            wave: None,
            cpu: CpuEntry::Absent,
        }
    }

    fn many(kind: ResourceKind, n: u32) -> Vec<(ResourceKind, Binding)> {
        (0..n).map(|binding| (kind, Binding::Descriptor { set: 0, binding })).collect()
    }

    #[test]
    fn each_limit_is_met() {
        type Change = fn(&mut vk::PhysicalDeviceLimits);
        /// Resources, size of work-groups, bytes of their memory, what the device has less of, what the error says.
        type Case = (Vec<(ResourceKind, Binding)>, [u32; 3], u64, Change, &'static str);
        let storage = ResourceKind::Image { dimension: "D2", storage: true, format: None, count: None };
        let array = ResourceKind::Image { dimension: "D2", storage: false, format: None, count: Some(5) };
        let typed = |storage| ResourceKind::Texels { stride: 4, code: 0, vulkan: 0, storage };
        let constants = |size| ResourceKind::Constants { size };
        let push = |offset, size| vec![(constants(size), Binding::PushConstant { offset, size })];
        let far = vec![(IMAGE, Binding::Descriptor { set: 7, binding: 0 })];
        let rows: Vec<Case> = vec![
            (vec![], [8, 8, 8], 0, |l| l.max_compute_work_group_size[2] = 7, "8 x 8 x 8"),
            (vec![], [8, 8, 8], 0, |l| l.max_compute_work_group_invocations = 511, "511 in all"),
            (vec![], [1; 3], 81920, |_| {}, "81920 bytes of groupshared memory, the device has 32768"),
            (push(64, 64), [1; 3], 0, |l| l.max_push_constants_size = 127, "128 bytes of push constants"),
            (many(constants(512), 1), [1; 3], 0, |l| l.max_uniform_buffer_range = 511, "`r`: it uses 512"),
            (far, [1; 3], 0, |l| l.max_bound_descriptor_sets = 7, "8 descriptor sets, the device has 7"),
            (many(constants(4), 5), [1; 3], 0, |l| l.max_per_stage_descriptor_uniform_buffers = 4, "5 blo"),
            (many(constants(4), 5), [1; 3], 0, |l| l.max_descriptor_set_uniform_buffers = 4, "5 blocks of"),
            (
                many(ResourceKind::Bytes, 5),
                [1; 3],
                0,
                |l| l.max_per_stage_descriptor_storage_buffers = 4,
                "5 b",
            ),
            (
                many(ResourceKind::Bytes, 5),
                [1; 3],
                0,
                |l| l.max_descriptor_set_storage_buffers = 4,
                "5 buffers",
            ),
            (many(IMAGE, 5), [1; 3], 0, |l| l.max_per_stage_descriptor_sampled_images = 4, "5 textures"),
            (many(typed(false), 5), [1; 3], 0, |l| l.max_descriptor_set_sampled_images = 4, "5 textures"),
            (many(array, 1), [1; 3], 0, |l| l.max_per_stage_descriptor_sampled_images = 4, "5 textures"),
            (many(storage, 5), [1; 3], 0, |l| l.max_per_stage_descriptor_storage_images = 4, "5 writable"),
            (many(typed(true), 5), [1; 3], 0, |l| l.max_descriptor_set_storage_images = 4, "5 writable"),
            (many(IMAGE, 5), [1; 3], 0, |l| l.max_per_stage_resources = 4, "5 resources"),
            (
                many(ResourceKind::Sampler { compares: false }, 5),
                [1; 3],
                0,
                |l| l.max_per_stage_descriptor_samplers = 4,
                "5 samplers, the device has 4",
            ),
        ];
        for (kinds, local_size, shared, change, want) in rows {
            let (entry, mut limits) = (entry(&kinds, local_size), plenty());
            if shared == 0 {
                check(&entry, shared, &limits, 1024).unwrap();
            }
            change(&mut limits);
            let error = check(&entry, shared, &limits, 1024).unwrap_err();
            assert_eq!(error.kind(), crate::ErrorKind::Limit, "{error}");
            assert!(error.to_string().contains(want), "`{want}` is not in: {error}");
        }
        let error = check(&entry(&many(IMAGE, 5), [1; 3]), 0, &plenty(), 4).unwrap_err();
        assert!(error.to_string().contains("5 resources in one descriptor set"), "{error}");
    }

    #[test]
    fn an_image_and_a_sampler_in_one_place_count_as_both() {
        let at = Binding::Descriptor { set: 0, binding: 3 };
        let entry = entry(&[(IMAGE, at), (ResourceKind::Sampler { compares: false }, at)], [1; 3]);
        let mut limits = plenty();
        limits.max_per_stage_resources = 1;
        check(&entry, 0, &limits, 1).unwrap();
        limits.max_per_stage_descriptor_samplers = 0;
        assert!(check(&entry, 0, &limits, 1).unwrap_err().to_string().contains("1 samplers"));
    }
}
