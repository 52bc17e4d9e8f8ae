//! Compute pipelines, made from an entry point's description.

use super::device::{Device, Shared};
use super::errors::failed;
use super::features::check_module;
use crate::error::{Result, error};
use crate::kernel::{Binding, EntryDesc, ResourceDesc, ResourceKind};
use ash::vk;
use std::ffi::CString;
use std::sync::Arc;

/// More push constants than this no device has; also the room that a launch keeps for them.
pub(super) const MAX_PUSH_BYTES: usize = 4096;

/// A pipeline with its layouts.
pub(crate) struct Pipeline {
    shared: Arc<Shared>,
    pub(super) raw: vk::Pipeline,
    pub(super) layout: vk::PipelineLayout,
    pub(super) sets: Vec<vk::DescriptorSetLayout>,
    /// The resources in the order of the launch arguments.
    pub(super) resources: Vec<&'static ResourceDesc>,
    /// Bytes of push constants.
    pub(super) push: u32,
}

/// The type of a resource's descriptor.
pub(super) fn descriptor_type(kind: ResourceKind) -> vk::DescriptorType {
    match kind {
        ResourceKind::Buffer { .. } | ResourceKind::Bytes => vk::DescriptorType::STORAGE_BUFFER,
        ResourceKind::Constants { .. } => vk::DescriptorType::UNIFORM_BUFFER,
        ResourceKind::Image { storage: true } => vk::DescriptorType::STORAGE_IMAGE,
        ResourceKind::Image { storage: false } => vk::DescriptorType::SAMPLED_IMAGE,
    }
}

impl Device {
    /// Makes the pipeline of an entry point.
    pub(crate) fn pipeline(&self, entry: &'static EntryDesc) -> Result<Arc<Pipeline>> {
        let shared = &self.shared;
        let bytes = entry.kernel.spirv.ok_or_else(|| {
            error!(
                Unsupported,
                "it was not compiled for Vulkan; let build.rs do so, or run it on the CPU (SPIRV_DEVICE=cpu)"
            )
        })?;
        let words = check_module(bytes, shared.version, &shared.features)?;
        check_limits(entry, &shared.limits)?;
        let resources: Vec<_> =
            entry.resources.iter().map(|r| &entry.kernel.resources[*r as usize]).collect();
        // Destroyed on drop from here on.
        let mut pipeline = Pipeline {
            shared: shared.clone(),
            raw: vk::Pipeline::null(),
            layout: vk::PipelineLayout::null(),
            sets: Vec::new(),
            push: push_bytes(&resources),
            resources,
        };
        pipeline.make_layout()?;
        pipeline.make(&words, entry.name)?;
        Ok(Arc::new(pipeline))
    }
}

impl Pipeline {
    fn make_layout(&mut self) -> Result<()> {
        let device = &self.shared.raw;
        let set_of = |r: &ResourceDesc| match r.binding {
            Binding::Descriptor { set, binding } => Some((set, binding)),
            Binding::PushConstant { .. } => None,
        };
        let count =
            self.resources.iter().filter_map(|r| set_of(r)).map(|(set, _)| set + 1).max().unwrap_or(0);
        for set in 0..count {
            let bindings: Vec<_> = self
                .resources
                .iter()
                .filter_map(|r| set_of(r).map(|at| (r, at)))
                .filter(|(_, at)| at.0 == set)
                .map(|(r, (_, binding))| {
                    vk::DescriptorSetLayoutBinding::default()
                        .binding(binding)
                        .descriptor_type(descriptor_type(r.kind))
                        .descriptor_count(1)
                        .stage_flags(vk::ShaderStageFlags::COMPUTE)
                })
                .collect();
            let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            // SAFETY: the structure is valid.
            let layout = unsafe { device.create_descriptor_set_layout(&info, None) };
            self.sets.push(layout.map_err(|e| failed("vkCreateDescriptorSetLayout", e))?);
        }
        let ranges =
            [vk::PushConstantRange::default().stage_flags(vk::ShaderStageFlags::COMPUTE).size(self.push)];
        let ranges = if self.push == 0 { &[] } else { &ranges[..] };
        let info =
            vk::PipelineLayoutCreateInfo::default().set_layouts(&self.sets).push_constant_ranges(ranges);
        // SAFETY: the set layouts are of this device; the range is within its limit.
        self.layout = unsafe { device.create_pipeline_layout(&info, None) }
            .map_err(|e| failed("vkCreatePipelineLayout", e))?;
        Ok(())
    }

    fn make(&mut self, words: &[u32], name: &str) -> Result<()> {
        let device = &self.shared.raw;
        let name =
            CString::new(name).map_err(|_| error!(Unsupported, "its name contains a null character"))?;
        let info = vk::ShaderModuleCreateInfo::default().code(words);
        // SAFETY: the words are a module that was compiled and checked for this device.
        let module = unsafe { device.create_shader_module(&info, None) }
            .map_err(|e| failed("vkCreateShaderModule", e))?;
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(&name);
        let info = [vk::ComputePipelineCreateInfo::default().stage(stage).layout(self.layout)];
        // SAFETY: the module has the entry point, whose resources are those of the layout. The module may go once
        // the pipeline is made.
        let made = unsafe {
            let made = device.create_compute_pipelines(vk::PipelineCache::null(), &info, None);
            device.destroy_shader_module(module, None);
            made
        };
        let pipelines = made.map_err(|(_, e)| failed("vkCreateComputePipelines", e))?;
        self.raw = pipelines.first().copied().unwrap_or_default();
        Ok(())
    }
}

impl Drop for Pipeline {
    fn drop(&mut self) {
        let device = &self.shared.raw;
        // SAFETY: submissions hold the pipelines they use. Null handles are ignored.
        unsafe {
            device.destroy_pipeline(self.raw, None);
            device.destroy_pipeline_layout(self.layout, None);
            for set in &self.sets {
                device.destroy_descriptor_set_layout(*set, None);
            }
        }
    }
}

fn push_bytes(resources: &[&ResourceDesc]) -> u32 {
    let ends = resources.iter().map(|r| match r.binding {
        Binding::PushConstant { offset, size } => offset.saturating_add(size),
        Binding::Descriptor { .. } => 0,
    });
    ends.max().unwrap_or(0)
}

fn check_limits(entry: &EntryDesc, limits: &vk::PhysicalDeviceLimits) -> Result<()> {
    let size = entry.local_size;
    let items = size.iter().map(|n| u64::from(*n)).product::<u64>();
    if (0..3).any(|i| size[i] > limits.max_compute_work_group_size[i])
        || items > u64::from(limits.max_compute_work_group_invocations)
    {
        return Err(error!(
            Limit,
            "its work-groups of {} x {} x {} exceed the device's {} x {} x {}, {} in all; make [numthreads] smaller",
            size[0],
            size[1],
            size[2],
            limits.max_compute_work_group_size[0],
            limits.max_compute_work_group_size[1],
            limits.max_compute_work_group_size[2],
            limits.max_compute_work_group_invocations
        ));
    }
    for r in entry.resources.iter().map(|r| &entry.kernel.resources[*r as usize]) {
        let (what, n, limit) = match (r.binding, r.kind) {
            (Binding::PushConstant { offset, size }, _) => (
                "bytes of push constants",
                u64::from(offset) + u64::from(size),
                limits.max_push_constants_size.min(MAX_PUSH_BYTES as u32),
            ),
            (Binding::Descriptor { set, .. }, _) if set >= limits.max_bound_descriptor_sets => {
                ("descriptor sets", u64::from(set) + 1, limits.max_bound_descriptor_sets)
            }
            (_, ResourceKind::Constants { size }) => {
                ("bytes of constants", u64::from(size), limits.max_uniform_buffer_range)
            }
            _ => continue,
        };
        if n > u64::from(limit) {
            return Err(error!(Limit, "`{}` needs {n} {what}, the device has {limit}", r.name));
        }
    }
    Ok(())
}
