//! Compute pipelines, made from an entry point's description.

use super::device::{Device, Shared};
use super::features::check_module;
use super::limits::{self, Slot, slots};
use crate::error::{Result, error};
use crate::gpu::{self, Commands};
use crate::kernel::{Binding, ConstantValue, EntryDesc, ResourceDesc, ResourceKind};
use crate::spirv::Module;
use ash::vk;
use std::ffi::CString;
use std::sync::{Arc, Mutex, PoisonError};

/// More push constants than this no device has.
pub(super) const MAX_PUSH_BYTES: usize = 4096;

/// Choices of the lengths of local memory that a kernel may be launched with.
const MAX_CHOICES: usize = 256;

/// A pipeline with its layouts.
pub(crate) struct Pipeline {
    shared: Arc<Shared>,
    words: Vec<u32>,
    name: CString,
    /// The values of the specialization constants that the module has.
    constants: Vec<ConstantValue>,
    /// The lanes of its waves, where they have to be chosen.
    lanes: Option<u32>,
    /// One for each choice of the lengths of local memory; most kernels have one, with none.
    made: Mutex<Vec<(Vec<u32>, vk::Pipeline)>>,
    pub(super) layout: vk::PipelineLayout,
    pub(super) sets: Vec<vk::DescriptorSetLayout>,
    /// The resources in the order of the launch arguments.
    pub(super) resources: Vec<&'static ResourceDesc>,
    /// Bytes of push constants.
    pub(super) push: u32,
    /// The descriptors.
    pub(super) slots: Vec<Slot>,
    /// Bytes of memory of the work-group, without what a launch says.
    shared_memory: u64,
    /// Work-groups of a launch along each axis.
    pub(super) most_groups: [u32; 3],
}

impl Device {
    /// Makes the pipeline of an entry point.
    pub(crate) fn pipeline(
        &self,
        entry: &'static EntryDesc,
        constants: &[ConstantValue],
    ) -> Result<Arc<Pipeline>> {
        self.with_memory(|| self.new_pipeline(entry, constants))
    }

    fn new_pipeline(&self, entry: &'static EntryDesc, constants: &[ConstantValue]) -> Result<Arc<Pipeline>> {
        let shared = &self.shared;
        let bytes = entry.kernel.spirv.ok_or_else(|| {
            error!(
                Unsupported,
                "it was not compiled for Vulkan; let build.rs do so, or run it on the CPU (SPIRV_DEVICE=cpu)"
            )
        })?;
        let module = Module::read(bytes)?;
        check_module(&module, shared.version, &shared.features)?;
        module.check_entry(entry)?;
        module.check_descriptors(entry)?;
        let resources: Vec<_> =
            entry.resources.iter().map(|r| &entry.kernel.resources[*r as usize]).collect();
        let sized_at_launch = resources.iter().filter_map(|r| length_id(r)).collect::<Vec<_>>();
        let shared_memory = module.shared_memory(entry.name, &sized_at_launch);
        limits::check(entry, shared_memory, &shared.limits, shared.descriptors_per_set)?;
        check_formats(entry, shared)?;
        let lanes = super::waves::required(entry, &shared.features.lanes)?;
        let ids = module.specialization_ids();
        let constants = constants.iter().filter(|c| ids.contains(&c.id)).copied().collect();
        // Destroyed on drop from here on.
        let mut pipeline = Pipeline {
            shared: shared.clone(),
            words: module.words,
            name: CString::new(entry.name)
                .map_err(|_| error!(Unsupported, "its name contains a null character"))?,
            constants,
            lanes,
            made: Mutex::default(),
            layout: vk::PipelineLayout::null(),
            sets: Vec::new(),
            push: push_bytes(&resources),
            slots: slots(&resources),
            shared_memory,
            most_groups: gpu::most_groups(shared.limits.max_compute_work_group_count, entry.local_size),
            resources,
        };
        pipeline.make_layout()?;
        if pipeline.resources.iter().all(|r| !matches!(r.binding, Binding::Length { .. })) {
            pipeline.with_lengths(&[])?;
        }
        Ok(Arc::new(pipeline))
    }
}

impl Pipeline {
    fn make_layout(&mut self) -> Result<()> {
        let device = &self.shared.raw;
        let count = self.slots.iter().map(|slot| slot.set + 1).max().unwrap_or(0);
        for set in 0..count {
            let bindings: Vec<_> = self
                .slots
                .iter()
                .filter(|slot| slot.set == set)
                .map(|slot| {
                    vk::DescriptorSetLayoutBinding::default()
                        .binding(slot.binding)
                        .descriptor_type(slot.ty)
                        .descriptor_count(slot.count)
                        .stage_flags(vk::ShaderStageFlags::COMPUTE)
                })
                .collect();
            let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            // SAFETY: the structure is valid.
            let layout = unsafe { device.create_descriptor_set_layout(&info, None) };
            self.sets.push(layout.map_err(|e| self.shared.failed("vkCreateDescriptorSetLayout", e))?);
        }
        let ranges =
            [vk::PushConstantRange::default().stage_flags(vk::ShaderStageFlags::COMPUTE).size(self.push)];
        let ranges = if self.push == 0 { &[] } else { &ranges[..] };
        let info =
            vk::PipelineLayoutCreateInfo::default().set_layouts(&self.sets).push_constant_ranges(ranges);
        // SAFETY: the set layouts are of this device; the range is within its limit.
        self.layout = unsafe { device.create_pipeline_layout(&info, None) }
            .map_err(|e| self.shared.failed("vkCreatePipelineLayout", e))?;
        Ok(())
    }

    /// The pipeline for these lengths of local memory (words, one a resource of that kind).
    pub(super) fn with_lengths(&self, lengths: &[u32]) -> Result<vk::Pipeline> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, raw)) = made.iter().find(|m| m.0 == lengths) {
            return Ok(*raw);
        }
        if made.len() >= MAX_CHOICES {
            return Err(error!(
                Limit,
                "it was launched with {MAX_CHOICES} different sizes of local memory; load it again for more"
            ));
        }
        let raw = self.make(lengths)?;
        made.push((lengths.to_vec(), raw));
        Ok(raw)
    }

    fn make(&self, lengths: &[u32]) -> Result<vk::Pipeline> {
        let device = &self.shared.raw;
        let info = vk::ShaderModuleCreateInfo::default().code(&self.words);
        // SAFETY: the words are a module that was compiled and checked for this device.
        let module = unsafe { device.create_shader_module(&info, None) }
            .map_err(|e| self.shared.failed("vkCreateShaderModule", e))?;
        let (mut entries, mut data) = (Vec::new(), Vec::new());
        let mut choose = |id: u32, bytes: &[u8]| {
            let entry = vk::SpecializationMapEntry::default().constant_id(id);
            entries.push(entry.offset(data.len() as u32).size(bytes.len()));
            data.extend_from_slice(bytes);
        };
        let ids = self.resources.iter().filter_map(|r| length_id(r));
        ids.zip(lengths).for_each(|(id, n)| choose(id, &n.to_ne_bytes()));
        self.constants.iter().for_each(|c| choose(c.id, &c.data()));
        let constants = vk::SpecializationInfo::default().map_entries(&entries).data(&data);
        let mut size = vk::PipelineShaderStageRequiredSubgroupSizeCreateInfo::default()
            .required_subgroup_size(self.lanes.unwrap_or(0));
        let mut stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .specialization_info(&constants)
            .name(&self.name);
        if self.lanes.is_some() {
            stage = stage.push_next(&mut size);
        }
        let info = [vk::ComputePipelineCreateInfo::default().stage(stage).layout(self.layout)];
        // SAFETY: the module has the entry point, whose resources are those of the layout. The module may go once
        // the pipeline is made.
        let made = unsafe {
            let made = device.create_compute_pipelines(vk::PipelineCache::null(), &info, None);
            device.destroy_shader_module(module, None);
            made
        };
        let pipelines = made.map_err(|(_, e)| self.shared.failed("vkCreateComputePipelines", e))?;
        Ok(pipelines.first().copied().unwrap_or_default())
    }

    /// The lengths that a launch asks for: elements, one a resource that is local memory.
    pub(super) fn lengths(&self, elements: impl Iterator<Item = usize>) -> Result<Vec<u32>> {
        let limit = self.shared.limits.max_compute_shared_memory_size;
        let (mut lengths, mut total) = (Vec::new(), self.shared_memory);
        let local = self.resources.iter().filter_map(|r| match (r.binding, r.kind) {
            (Binding::Length { unit, .. }, ResourceKind::Local { stride }) => Some((r.name, unit, stride)),
            _ => None,
        });
        for ((name, unit, stride), n) in local.zip(elements) {
            let bytes = (n as u64).saturating_mul(u64::from(stride));
            total = total.saturating_add(bytes);
            if total > u64::from(limit) {
                return Err(error!(
                    Limit,
                    "{total} bytes of groupshared memory exceed the {limit} that the device has; make `{name}` smaller"
                ));
            }
            lengths.push(bytes.div_ceil(u64::from(unit.max(1))).max(1) as u32);
        }
        Ok(lengths)
    }
}

impl Drop for Pipeline {
    fn drop(&mut self) {
        let shared = Arc::clone(&self.shared);
        let device = &shared.raw;
        // SAFETY: submissions hold the pipelines they use. Null handles are ignored.
        unsafe {
            for (_, raw) in self.made.get_mut().unwrap_or_else(PoisonError::into_inner) {
                device.destroy_pipeline(*raw, None);
            }
            device.destroy_pipeline_layout(self.layout, None);
            for set in &self.sets {
                device.destroy_descriptor_set_layout(*set, None);
            }
        }
    }
}

/// The number of the specialization constant that is the length of a resource.
fn length_id(resource: &ResourceDesc) -> Option<u32> {
    match resource.binding {
        Binding::Length { id, .. } => Some(id),
        _ => None,
    }
}

pub(super) fn push_bytes(resources: &[&ResourceDesc]) -> u32 {
    let ends = resources.iter().map(|r| match r.binding {
        Binding::PushConstant { offset, size } => offset.saturating_add(size),
        _ => 0,
    });
    ends.max().unwrap_or(0)
}

/// Whether the device has typed buffers of the formats that an entry point uses.
fn check_formats(entry: &EntryDesc, shared: &Shared) -> Result<()> {
    for r in entry.resources.iter().map(|r| &entry.kernel.resources[*r as usize]) {
        let ResourceKind::Texels { vulkan, storage, .. } = r.kind else { continue };
        let format = vk::Format::from_raw(vulkan);
        // SAFETY: the device comes from this instance.
        let features =
            unsafe { shared.instance.raw.get_physical_device_format_properties(shared.physical, format) }
                .buffer_features;
        let needed = match storage {
            true => vk::FormatFeatureFlags::STORAGE_TEXEL_BUFFER,
            false => vk::FormatFeatureFlags::UNIFORM_TEXEL_BUFFER,
        };
        if !features.contains(needed) {
            return Err(error!(
                Unsupported,
                "`{}` is a typed buffer of format {format:?}, which the device does not have; use a structured buffer",
                r.name
            ));
        }
    }
    Ok(())
}
