//! Recording launches.

use super::device::Shared;
use super::errors::failed;
use super::image::{Image, Sampler};
use super::limits::descriptor_type;
use super::memory::{Buffer, Usage};
use super::pipeline::{MAX_PUSH_BYTES, Pipeline};
use super::stream::{Recording, Stream};
use super::transfer::Queue;
use crate::error::{Result, error};
use crate::gpu;
use crate::kernel::{Binding, ResourceDesc, ResourceKind};
use ash::vk;
use std::sync::Arc;
use std::sync::atomic::Ordering;
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
        let shared = &self.device.shared;
        gpu::check_groups(groups, shared.limits.max_compute_work_group_count)?;
        let elements =
            arguments.iter().filter_map(|a| if let Bound::Length(n) = a { Some(*n) } else { None });
        let raw = pipeline.with_lengths(&pipeline.lengths(elements)?)?;
        let mut stream = self.device.stream();
        let timestamps = if profile { Timestamps::new(shared)? } else { None };
        bind(shared, &mut stream, pipeline, raw, arguments)?;
        if timestamps.is_some() {
            stream.full_barrier(shared)?;
        }
        let mut uses: Vec<(&Usage, bool)> = Vec::new();
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
        let recording = stream.command(shared, &uses)?;
        for argument in arguments {
            match argument {
                Bound::Buffer(buffer) => recording.keep(Arc::clone(buffer) as _),
                Bound::Image(image) => recording.keep(Arc::clone(image) as _),
                Bound::Images(images) => {
                    images.iter().for_each(|image| recording.keep(Arc::clone(image) as _));
                }
                Bound::Sampler(sampler) => recording.keep(Arc::clone(sampler) as _),
                Bound::Constants(_) | Bound::Length(_) => {}
            }
        }
        recording.keep(pipeline.clone());
        let (commands, submission) = (recording.commands, recording.submission);
        let timestamps = timestamps.map(|mut t| {
            t.submission = submission;
            Arc::new(t)
        });
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
        if let Some(t) = &timestamps {
            recording.keep(t.clone());
        }
        recording.launched();
        self.last.fetch_max(submission, Ordering::Relaxed);
        stream.submit_if_large(shared)?;
        Ok(timestamps)
    }
}

/// Binds pipeline, descriptors and push constants, as far as they differ from the last launch's.
fn bind(
    shared: &Arc<Shared>,
    stream: &mut Stream,
    pipeline: &Pipeline,
    raw: vk::Pipeline,
    arguments: &[Bound<'_>],
) -> Result<()> {
    let recording = stream.open(shared)?;
    let commands = recording.commands;
    let mut push = [0u8; MAX_PUSH_BYTES];
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
    if recording.bound_pipeline != raw {
        // SAFETY: the command buffer is being recorded, and the launch keeps the pipeline.
        unsafe { shared.raw.cmd_bind_pipeline(commands, vk::PipelineBindPoint::COMPUTE, raw) };
        recording.bound_pipeline = raw;
        recording.bound_sets.clear();
    }
    if !written.is_empty() && recording.bound_sets != written {
        let sets = recording.descriptor_sets(shared, &pipeline.sets)?;
        write(shared, &sets, &written);
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
        recording.bound_sets = written;
    }
    if pipeline.push > 0 {
        let bytes = &push[..pipeline.push as usize];
        // SAFETY: the bytes are the layout's one range.
        unsafe {
            shared.raw.cmd_push_constants(commands, pipeline.layout, vk::ShaderStageFlags::COMPUTE, 0, bytes);
        }
    }
    Ok(())
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
        Bound::Buffer(buffer) if let ResourceKind::Texels { stride, vulkan, storage, .. } = resource.kind => {
            let format = vk::Format::from_raw(vulkan);
            To::Texels(buffer.texels(format, stride, storage).map_err(|e| e.at(resource.name))?)
        }
        Bound::Length(_) | Bound::Images(_) => {
            return Err(error!(Unsupported, "`{}` has no descriptor", resource.name));
        }
        // The range is the length that the kernel sees; it cannot be empty, but less than an element counts as none.
        Bound::Buffer(buffer) => To::Buffer { buffer: buffer.raw, offset: 0, range: buffer.bytes.max(1) },
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
            .map_err(|e| failed("vkCreateQueryPool", e))?;
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
