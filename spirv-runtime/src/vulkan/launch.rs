//! Recording launches.

use super::device::Shared;
use super::image::{Image, Sampler};
use super::limits::descriptor_type;
use super::memory::{Buffer, Usage};
use super::pipeline::Pipeline;
use super::recording::Recording;
use super::transfer::Queue;
use crate::error::{Result, error};
use crate::gpu::{self, Commands};
use crate::kernel::{Binding, ResourceDesc, ResourceKind};
use ash::vk;
use std::sync::Arc;
use std::time::Duration;

/// An argument of a launch.
pub(crate) type Bound<'a> = gpu::Bound<'a, Buffer, Image, Sampler>;

/// A descriptor.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Written {
    set: u32,
    binding: u32,
    /// Which one of an array.
    element: u32,
    ty: vk::DescriptorType,
    to: To,
}

/// What a descriptor points to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum To {
    Buffer {
        buffer: vk::Buffer,
        offset: u64,
        range: u64,
    },
    /// A null view is that of a sampler, a null sampler that of an image.
    Image {
        view: vk::ImageView,
        sampler: vk::Sampler,
    },
    Texels(vk::BufferView),
}

impl Queue {
    /// Records a launch; with timestamps around it if told so and the device has them.
    pub(crate) fn launch(
        &self,
        pipeline: &Arc<Pipeline>,
        groups: [u32; 3],
        arguments: &[Bound<'_>],
        profile: bool,
    ) -> Result<Option<Arc<Timestamps>>> {
        let device = &self.device;
        gpu::check_groups(groups, pipeline.most_groups)?;
        device.throttle()?;
        device.with_memory(|| self.record(pipeline, groups, arguments, profile))
    }

    fn record(
        &self,
        pipeline: &Arc<Pipeline>,
        groups: [u32; 3],
        arguments: &[Bound<'_>],
        profile: bool,
    ) -> Result<Option<Arc<Timestamps>>> {
        let shared = &self.device.shared;
        let elements =
            arguments.iter().filter_map(|a| if let Bound::Length(n) = a { Some(*n) } else { None });
        let raw = pipeline.with_lengths(&pipeline.lengths(elements)?)?;
        let uses = uses(pipeline, arguments);
        let mut stream = self.device.stream();
        stream.check_writers(&uses)?;
        let timestamps = if profile { Timestamps::new(shared)? } else { None };
        let recording = stream.open(shared)?;
        let bindings = prepare(shared, recording, pipeline, raw, arguments)?;
        if timestamps.is_some() {
            stream.full_barrier(shared)?;
        }
        // Nothing fails from here on, where commands begin to refer to what they use.
        let recording = stream.command(shared, &uses)?;
        keep(recording, pipeline, arguments);
        let (commands, submission) = (recording.commands, recording.submission);
        let timestamps = timestamps.map(|mut t| {
            t.submission = submission;
            Arc::new(t)
        });
        if let Some(t) = &timestamps {
            recording.keep(t.clone());
        }
        bind(shared, recording, pipeline, bindings);
        // SAFETY: pipeline, descriptors and push constants are bound; the groups are within the limits; robust
        // access keeps the kernel within its buffers; the recording keeps what is used. The queries are reset
        // before they are written.
        unsafe {
            if let Some(t) = &timestamps {
                shared.raw.cmd_reset_query_pool(commands, t.pool, 0, 2);
                shared.raw.cmd_write_timestamp(commands, vk::PipelineStageFlags::BOTTOM_OF_PIPE, t.pool, 0);
            }
            shared.raw.cmd_dispatch(commands, groups[0], groups[1], groups[2]);
            if let Some(t) = &timestamps {
                shared.raw.cmd_write_timestamp(commands, vk::PipelineStageFlags::BOTTOM_OF_PIPE, t.pool, 1);
            }
        }
        recording.launched();
        stream.submit_if_large(shared)?;
        self.ran(submission);
        Ok(timestamps)
    }
}

/// The memory that a launch reads and writes.
fn uses<'a>(pipeline: &Pipeline, arguments: &'a [Bound<'_>]) -> Vec<(&'a Usage, bool)> {
    let mut uses = Vec::new();
    for (resource, argument) in pipeline.resources.iter().zip(arguments) {
        match argument {
            Bound::Buffer(buffer) => uses.push((&buffer.usage, resource.writable)),
            Bound::Image(image) => uses.push((&image.memory.usage, resource.writable)),
            Bound::Images(images) => {
                uses.extend(images.iter().map(|image| (&image.memory.usage, resource.writable)));
            }
            Bound::Sampler(_) | Bound::Constants(_) | Bound::Length(_) => {}
        }
    }
    uses
}

/// Keeps what a launch uses until it has run.
fn keep(recording: &mut Recording, pipeline: &Arc<Pipeline>, arguments: &[Bound<'_>]) {
    for argument in arguments {
        match argument {
            Bound::Buffer(buffer) => recording.keep(Arc::clone(buffer) as _),
            Bound::Image(image) => recording.keep(Arc::clone(image) as _),
            Bound::Images(images) => images.iter().for_each(|image| recording.keep(Arc::clone(image) as _)),
            Bound::Sampler(sampler) => recording.keep(Arc::clone(sampler) as _),
            Bound::Constants(_) | Bound::Length(_) => {}
        }
    }
    recording.keep(pipeline.clone());
}

/// What is bound for a launch.
struct Bindings {
    raw: vk::Pipeline,
    /// The descriptors, and new sets with them if they are not those that are bound.
    written: Vec<Written>,
    sets: Option<Vec<vk::DescriptorSet>>,
    push: Vec<u8>,
}

/// Makes all that a launch binds, as far as it differs from the last launch's.
fn prepare(
    shared: &Arc<Shared>,
    recording: &mut Recording,
    pipeline: &Pipeline,
    raw: vk::Pipeline,
    arguments: &[Bound<'_>],
) -> Result<Bindings> {
    let mut push = vec![0u8; pipeline.push as usize];
    let mut written = Vec::with_capacity(arguments.len());
    for (resource, argument) in pipeline.resources.iter().zip(arguments) {
        match (resource.binding, argument) {
            (Binding::PushConstant { offset, size }, Bound::Constants(bytes)) => {
                // Where the kernel's struct ends with padding, the range may be shorter or longer.
                let n = bytes.len().min(size as usize);
                push[offset as usize..offset as usize + n].copy_from_slice(&bytes[..n]);
            }
            (Binding::Descriptor { set, binding }, _) => {
                let ty = descriptor_type(resource.kind);
                if let Bound::Images(images) = argument {
                    for (element, image) in (0..).zip(images) {
                        let to = descriptor(shared, recording, resource, &Bound::Image(image))?;
                        written.push(Written { set, binding, element, ty, to });
                    }
                    continue;
                }
                let to = descriptor(shared, recording, resource, argument)?;
                add(&mut written, Written { set, binding, element: 0, ty, to });
            }
            // The block of constants has the address, the pipeline the length.
            (Binding::Address { .. } | Binding::Length { .. }, _) => {}
            (Binding::PushConstant { .. }, _) => {
                return Err(error!(Unsupported, "`{}` cannot be a push constant", resource.name));
            }
        }
    }
    let bound = recording.bound_pipeline == raw && recording.bound_sets == written;
    let sets = match written.is_empty() || bound {
        true => None,
        false => Some(recording.descriptor_sets(shared, pipeline)?),
    };
    if let Some(sets) = &sets {
        write(shared, sets, &written);
    }
    Ok(Bindings { raw, written, sets, push })
}

/// Binds pipeline, descriptors and push constants.
fn bind(shared: &Shared, recording: &mut Recording, pipeline: &Pipeline, bindings: Bindings) {
    let (commands, raw) = (recording.commands, bindings.raw);
    if recording.bound_pipeline != raw {
        // SAFETY: the command buffer is being recorded and keeps the pipeline.
        unsafe { shared.raw.cmd_bind_pipeline(commands, vk::PipelineBindPoint::COMPUTE, raw) };
        recording.bound_pipeline = raw;
        recording.bound_sets.clear();
    }
    if let Some(sets) = bindings.sets {
        // SAFETY: the sets were allocated for the pipeline's layout and written whole.
        unsafe {
            shared.raw.cmd_bind_descriptor_sets(
                commands,
                vk::PipelineBindPoint::COMPUTE,
                pipeline.layout,
                0,
                &sets,
                &[],
            );
        }
        recording.bound_sets = bindings.written;
    }
    let (stage, bytes) = (vk::ShaderStageFlags::COMPUTE, &bindings.push);
    if !bytes.is_empty() {
        // SAFETY: the bytes are the layout's one range.
        unsafe { shared.raw.cmd_push_constants(commands, pipeline.layout, stage, 0, bytes) };
    }
}

/// Adds a descriptor. An image and a sampler in one place are a single one.
fn add(written: &mut Vec<Written>, new: Written) {
    let place = (new.set, new.binding);
    let found = written.iter_mut().find(|w| (w.set, w.binding) == place);
    if let Some(Written { ty, to: To::Image { view, sampler }, .. }) = found
        && let To::Image { view: more_view, sampler: more_sampler } = new.to
    {
        *ty = vk::DescriptorType::COMBINED_IMAGE_SAMPLER;
        let (null_view, null_sampler) = (vk::ImageView::null(), vk::Sampler::null());
        *view = if *view == null_view { more_view } else { *view };
        *sampler = if *sampler == null_sampler { more_sampler } else { *sampler };
        return;
    }
    written.push(new);
}

/// What the descriptor of an argument points to. Constants are copied to uniform memory for that.
fn descriptor(
    shared: &Arc<Shared>,
    recording: &mut Recording,
    resource: &ResourceDesc,
    argument: &Bound<'_>,
) -> Result<To> {
    Ok(match argument {
        Bound::Length(_) | Bound::Images(_) => {
            return Err(error!(Unsupported, "`{}` has no descriptor", resource.name));
        }
        Bound::Buffer(buffer) => match resource.kind {
            ResourceKind::Texels { stride, vulkan, storage, .. } => {
                let format = vk::Format::from_raw(vulkan);
                To::Texels(buffer.texels(format, stride, storage).map_err(|e| e.at(resource.name))?)
            }
            // The range is the length that the kernel sees; it cannot be empty, but less than an element counts as none.
            _ => To::Buffer { buffer: buffer.raw, offset: 0, range: buffer.bytes.max(1) },
        },
        Bound::Image(image) => {
            let storage = matches!(resource.kind, ResourceKind::Image { storage: true, .. });
            let view = if storage { image.first } else { image.view };
            To::Image { view, sampler: vk::Sampler::null() }
        }
        Bound::Sampler(sampler) => To::Image { view: vk::ImageView::null(), sampler: sampler.raw },
        Bound::Constants(bytes) => {
            let (buffer, offset) = recording.uniform(shared, bytes).map_err(|e| e.at(resource.name))?;
            To::Buffer { buffer, offset, range: bytes.len() as u64 }
        }
    })
}

fn write(shared: &Shared, sets: &[vk::DescriptorSet], written: &[Written]) {
    let buffers: Vec<_> = written.iter().map(Written::buffer_info).collect();
    let images: Vec<_> = written.iter().map(Written::image_info).collect();
    let views: Vec<_> = written.iter().map(Written::view).collect();
    let writes: Vec<_> = written
        .iter()
        .enumerate()
        .map(|(i, w)| {
            let write = vk::WriteDescriptorSet::default()
                .dst_set(sets[w.set as usize])
                .dst_binding(w.binding)
                .dst_array_element(w.element)
                .descriptor_type(w.ty);
            match w.to {
                To::Buffer { .. } => write.buffer_info(&buffers[i..=i]),
                To::Image { .. } => write.image_info(&images[i..=i]),
                To::Texels(_) => write.texel_buffer_view(&views[i..=i]),
            }
        })
        .collect();
    // SAFETY: the sets are new and unused; types and bindings are those of their layouts; the launch keeps the
    // buffers, images and samplers, the recording its uniform memory.
    unsafe { shared.raw.update_descriptor_sets(&writes, &[]) };
}

impl Written {
    fn buffer_info(&self) -> vk::DescriptorBufferInfo {
        match self.to {
            To::Buffer { buffer, offset, range } => vk::DescriptorBufferInfo { buffer, offset, range },
            _ => vk::DescriptorBufferInfo::default(),
        }
    }

    fn image_info(&self) -> vk::DescriptorImageInfo {
        match self.to {
            To::Image { view, sampler } => {
                vk::DescriptorImageInfo { sampler, image_view: view, image_layout: vk::ImageLayout::GENERAL }
            }
            _ => vk::DescriptorImageInfo::default(),
        }
    }

    fn view(&self) -> vk::BufferView {
        match self.to {
            To::Texels(view) => view,
            _ => vk::BufferView::null(),
        }
    }
}

/// Two timestamps around a launch.
pub(crate) struct Timestamps {
    shared: Arc<Shared>,
    pool: vk::QueryPool,
    pub(super) submission: u64,
}

impl Timestamps {
    /// None if the device has no timestamps.
    fn new(shared: &Arc<Shared>) -> Result<Option<Timestamps>> {
        if shared.timestamp_bits == 0 {
            return Ok(None);
        }
        let info = vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::TIMESTAMP).query_count(2);
        // SAFETY: the queue family has timestamps.
        let pool = unsafe { shared.raw.create_query_pool(&info, None) }
            .map_err(|e| shared.failed("vkCreateQueryPool", e))?;
        Ok(Some(Timestamps { shared: shared.clone(), pool, submission: 0 }))
    }

    /// The time between them, once the submission has completed.
    pub(super) fn elapsed(&self) -> Option<Duration> {
        let mut ticks = [0u64; 2];
        // SAFETY: the submission wrote both queries.
        unsafe {
            self.shared
                .raw
                .get_query_pool_results(self.pool, 0, &mut ticks, vk::QueryResultFlags::TYPE_64)
                .ok()?;
        }
        let mask = u64::MAX >> (64 - self.shared.timestamp_bits.clamp(1, 64));
        let nanoseconds = ticks[1].wrapping_sub(ticks[0]) & mask;
        Some(Duration::from_nanos(
            (nanoseconds as f64 * f64::from(self.shared.limits.timestamp_period)) as u64,
        ))
    }
}

impl Drop for Timestamps {
    fn drop(&mut self) {
        // SAFETY: the submission that writes the queries holds this struct until it has completed.
        unsafe { self.shared.raw.destroy_query_pool(self.pool, None) }
    }
}
