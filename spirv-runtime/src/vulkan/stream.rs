//! The stream of commands: recording, barriers, submissions and their completion.

use super::device::{Device, Shared};
use super::errors::failed;
use super::memory::{Buffer, Usage};
use crate::error::{Error, Result};
use crate::gpu::Commands;
use ash::vk;
use gpu_allocator::MemoryLocation;
use std::any::Any;
use std::collections::VecDeque;
use std::sync::Arc;

/// A submission is made after this many launches, so that the device has work while the host records more.
const LAUNCHES_PER_SUBMISSION: u32 = 64;
/// ... or when its staging memory has reached this many bytes.
const STAGED_PER_SUBMISSION: u64 = 64 << 20;
/// Bytes of a block of uniform memory.
const UNIFORM_BLOCK: u64 = 64 << 10;
/// Descriptor sets that a pool has room for.
const SETS_PER_POOL: u32 = 256;
/// Completed submissions whose pools are kept for the next ones.
const MAX_IDLE: usize = 8;

/// How the completion of submissions is known.
enum Progress {
    /// A timeline semaphore, which counts submissions.
    Timeline(vk::Semaphore),
    /// A fence for each submission.
    Fences,
}

/// A command buffer with all that its commands need; reused whole.
#[derive(Default)]
pub(super) struct Recording {
    pool: vk::CommandPool,
    pub commands: vk::CommandBuffer,
    /// Which submission this is, from 1.
    pub submission: u64,
    fence: Option<Arc<Fence>>,
    kept: Vec<Arc<dyn Any + Send + Sync>>,
    descriptor_pools: Vec<vk::DescriptorPool>,
    /// Pools before this one are full.
    descriptor_pool: usize,
    uniforms: Vec<Arc<Buffer>>,
    uniform_block: usize,
    uniform_end: u64,
    launches: u32,
    staged: u64,
    /// What the last launch bound, so that the next one need not bind the same.
    pub bound_pipeline: vk::Pipeline,
    pub bound_sets: Vec<super::launch::Written>,
}

/// A fence that lives while somebody waits for it.
struct Fence {
    shared: Arc<Shared>,
    raw: vk::Fence,
}

impl Drop for Fence {
    fn drop(&mut self) {
        // SAFETY: held by its submission until that has completed, and by those who wait for it.
        unsafe { self.shared.raw.destroy_fence(self.raw, None) }
    }
}

/// What to wait for; waited for without the stream's lock.
enum Waiter {
    Timeline(vk::Semaphore, u64),
    Fence(Arc<Fence>),
}

/// See the module `vulkan` for the invariants.
pub(super) struct Stream {
    progress: Progress,
    open: Option<Recording>,
    flying: VecDeque<Recording>,
    idle: Vec<Recording>,
    /// Number of the last submission begun.
    begun: u64,
    /// Number of the last submission known to have completed.
    completed: u64,
    /// Number of the last command.
    command: u64,
    /// The last command before the last barrier.
    barrier: u64,
    /// Why nothing works any more.
    broken: Option<Error>,
}

impl Stream {
    pub fn new(shared: &Shared, fences: bool) -> Result<Stream> {
        let timeline = !fences
            && shared.version >= vk::API_VERSION_1_2
            && shared.features.timeline.timeline_semaphore == vk::TRUE;
        let progress = if timeline {
            let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
            let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
            // SAFETY: the feature is enabled.
            let semaphore = unsafe { shared.raw.create_semaphore(&info, None) };
            Progress::Timeline(semaphore.map_err(|e| failed("vkCreateSemaphore", e))?)
        } else {
            Progress::Fences
        };
        Ok(Stream {
            progress,
            open: None,
            flying: VecDeque::new(),
            idle: Vec::new(),
            begun: 0,
            completed: 0,
            command: 0,
            barrier: 0,
            broken: None,
        })
    }

    /// Destroys everything, when nobody uses the device any more.
    pub fn destroy(&mut self, shared: &Shared) {
        // SAFETY: the device is valid. If it was lost there is nothing to wait for.
        let _ = unsafe { shared.raw.device_wait_idle() };
        let flying = self.flying.drain(..).chain(self.open.take()).chain(self.idle.drain(..));
        for recording in flying {
            recording.destroy(shared);
        }
        if let Progress::Timeline(semaphore) = self.progress {
            // SAFETY: the device is idle, and waiters borrow it.
            unsafe { shared.raw.destroy_semaphore(semaphore, None) };
        }
    }

    /// The open recording, begun if need be.
    pub fn open(&mut self, shared: &Shared) -> Result<&mut Recording> {
        if let Some(error) = &self.broken {
            return Err(error.clone());
        }
        if self.open.is_none() {
            self.retire(shared)?;
            let mut recording = match self.idle.pop() {
                Some(recording) => recording,
                None => Recording::new(shared)?,
            };
            recording.submission = self.begun + 1;
            let info =
                vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
            // SAFETY: the command buffer is not in use: it is new, or its pool was reset.
            if let Err(e) = unsafe { shared.raw.begin_command_buffer(recording.commands, &info) } {
                recording.destroy(shared);
                return Err(failed("vkBeginCommandBuffer", e));
            }
            self.begun += 1;
            self.open = Some(recording);
        }
        // Just made if there was none.
        self.open.as_mut().ok_or_else(|| failed("recording", vk::Result::ERROR_UNKNOWN))
    }

    /// Announces a command that uses this memory, read or written, with a barrier before it if it needs one.
    pub fn command(&mut self, shared: &Shared, uses: &[(&Usage, bool)]) -> Result<&mut Recording> {
        self.open(shared)?;
        if uses.iter().any(|(usage, write)| usage.conflicts(*write, self.barrier)) {
            self.full_barrier(shared)?;
        }
        self.command += 1;
        let (command, submission) = (self.command, self.begun);
        for (usage, write) in uses {
            usage.used(*write, command, submission);
        }
        self.open(shared)
    }

    /// Separates all commands so far from those to come.
    pub fn full_barrier(&mut self, shared: &Shared) -> Result<()> {
        let commands = self.open(shared)?.commands;
        let stages = vk::PipelineStageFlags::COMPUTE_SHADER | vk::PipelineStageFlags::TRANSFER;
        let barrier = vk::MemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::SHADER_WRITE | vk::AccessFlags::TRANSFER_WRITE)
            .dst_access_mask(
                vk::AccessFlags::SHADER_READ
                    | vk::AccessFlags::SHADER_WRITE
                    | vk::AccessFlags::UNIFORM_READ
                    | vk::AccessFlags::TRANSFER_READ
                    | vk::AccessFlags::TRANSFER_WRITE,
            );
        // SAFETY: the command buffer is being recorded.
        unsafe {
            shared.raw.cmd_pipeline_barrier(
                commands,
                stages,
                stages,
                vk::DependencyFlags::empty(),
                &[barrier],
                &[],
                &[],
            );
        }
        self.barrier = self.command;
        Ok(())
    }

    /// Submits the open recording if it has become large.
    pub fn submit_if_large(&mut self, shared: &Arc<Shared>) -> Result<()> {
        let large =
            |r: &Recording| r.launches >= LAUNCHES_PER_SUBMISSION || r.staged >= STAGED_PER_SUBMISSION;
        if self.open.as_ref().is_some_and(large) { self.submit(shared) } else { Ok(()) }
    }

    /// Submits the open recording, if there is one.
    pub fn submit(&mut self, shared: &Arc<Shared>) -> Result<()> {
        let Some(mut recording) = self.open.take() else { return Ok(()) };
        let result = submit(shared, &self.progress, &mut recording);
        // Even if it failed: what it uses must not be freed under a device in an unknown state.
        self.flying.push_back(recording);
        if let Err(e) = &result {
            self.broken = Some(e.clone());
        }
        result
    }

    /// Takes back what completed submissions used.
    pub fn retire(&mut self, shared: &Shared) -> Result<()> {
        if let Some(error) = &self.broken {
            return Err(error.clone());
        }
        if let Progress::Timeline(semaphore) = self.progress {
            // SAFETY: the semaphore is a timeline semaphore of this device.
            let value = unsafe { shared.raw.get_semaphore_counter_value(semaphore) };
            self.completed = value.map_err(|e| failed("vkGetSemaphoreCounterValue", e))?;
        }
        while let Some(first) = self.flying.front() {
            if let Some(fence) = &first.fence {
                // SAFETY: the fence was submitted.
                let signalled = unsafe { shared.raw.get_fence_status(fence.raw) };
                if signalled.map_err(|e| failed("vkGetFenceStatus", e))? {
                    self.completed = self.completed.max(first.submission);
                }
            }
            if first.submission > self.completed {
                break;
            }
            if let Some(mut recording) = self.flying.pop_front() {
                if self.idle.len() < MAX_IDLE && recording.reset(shared).is_ok() {
                    self.idle.push(recording);
                } else {
                    recording.destroy(shared);
                }
            }
        }
        Ok(())
    }

    /// Whether this submission has completed; 0 always has.
    pub fn is_complete(&mut self, shared: &Shared, submission: u64) -> Result<bool> {
        if submission > self.completed {
            self.retire(shared)?;
        }
        Ok(submission <= self.completed)
    }

    /// What to wait for until this submission has completed; submits it if it is still open.
    fn waiter(&mut self, shared: &Arc<Shared>, submission: u64) -> Result<Option<Waiter>> {
        if self.is_complete(shared, submission)? {
            return Ok(None);
        }
        if self.open.as_ref().is_some_and(|r| r.submission <= submission) {
            self.submit(shared)?;
        }
        Ok(match self.progress {
            Progress::Timeline(semaphore) => Some(Waiter::Timeline(semaphore, submission)),
            Progress::Fences => {
                let flying = self.flying.iter().find(|r| r.submission == submission);
                flying.and_then(|r| r.fence.clone()).map(Waiter::Fence)
            }
        })
    }
}

impl Commands for Device {
    fn wait(&self, submission: u64) -> Result<()> {
        let shared = &self.shared;
        let waiter = self.stream().waiter(shared, submission)?;
        let result = match &waiter {
            None => return Ok(()),
            Some(Waiter::Timeline(semaphore, value)) => {
                let (semaphores, values) = ([*semaphore], [*value]);
                let info = vk::SemaphoreWaitInfo::default().semaphores(&semaphores).values(&values);
                // SAFETY: the semaphore lives as long as this device; its value will be reached since the
                // submission was made.
                unsafe { shared.raw.wait_semaphores(&info, u64::MAX) }
            }
            // SAFETY: the waiter holds the fence, which was submitted.
            Some(Waiter::Fence(fence)) => unsafe { shared.raw.wait_for_fences(&[fence.raw], true, u64::MAX) },
        };
        let mut stream = self.stream();
        if let Err(e) = result {
            let error = failed("waiting", e);
            stream.broken = Some(error.clone());
            return Err(error);
        }
        stream.retire(shared)
    }

    fn submit(&self) -> Result<()> {
        self.stream().submit(&self.shared)
    }
}

fn submit(shared: &Arc<Shared>, progress: &Progress, recording: &mut Recording) -> Result<()> {
    let commands = [recording.commands];
    // What the device wrote becomes visible to the host.
    let barrier = vk::MemoryBarrier::default()
        .src_access_mask(vk::AccessFlags::SHADER_WRITE | vk::AccessFlags::TRANSFER_WRITE)
        .dst_access_mask(vk::AccessFlags::HOST_READ | vk::AccessFlags::HOST_WRITE);
    // SAFETY: the command buffer is being recorded.
    unsafe {
        shared.raw.cmd_pipeline_barrier(
            recording.commands,
            vk::PipelineStageFlags::COMPUTE_SHADER | vk::PipelineStageFlags::TRANSFER,
            vk::PipelineStageFlags::HOST,
            vk::DependencyFlags::empty(),
            &[barrier],
            &[],
            &[],
        );
        shared.raw.end_command_buffer(recording.commands).map_err(|e| failed("vkEndCommandBuffer", e))?;
    }
    let mut info = vk::SubmitInfo::default().command_buffers(&commands);
    let (values, semaphores);
    let mut timeline;
    let mut fence = vk::Fence::null();
    match progress {
        Progress::Timeline(semaphore) => {
            (values, semaphores) = ([recording.submission], [*semaphore]);
            timeline = vk::TimelineSemaphoreSubmitInfo::default().signal_semaphore_values(&values);
            info = info.signal_semaphores(&semaphores).push_next(&mut timeline);
        }
        Progress::Fences => {
            // SAFETY: the structure is valid.
            fence = unsafe { shared.raw.create_fence(&vk::FenceCreateInfo::default(), None) }
                .map_err(|e| failed("vkCreateFence", e))?;
            recording.fence = Some(Arc::new(Fence { shared: shared.clone(), raw: fence }));
        }
    }
    // SAFETY: the queue is used under the stream's lock only; the command buffer is complete, and what it uses is
    // kept by the recording.
    unsafe { shared.raw.queue_submit(shared.queue, &[info], fence) }.map_err(|e| failed("vkQueueSubmit", e))
}

impl Recording {
    fn new(shared: &Shared) -> Result<Recording> {
        let info = vk::CommandPoolCreateInfo::default()
            .queue_family_index(shared.family)
            .flags(vk::CommandPoolCreateFlags::TRANSIENT);
        // SAFETY: the family is the queue's.
        let pool = unsafe { shared.raw.create_command_pool(&info, None) }
            .map_err(|e| failed("vkCreateCommandPool", e))?;
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(pool)
            .level(vk::CommandBufferLevel::PRIMARY)
            .command_buffer_count(1);
        // SAFETY: the pool was just made.
        match unsafe { shared.raw.allocate_command_buffers(&info) } {
            Ok(buffers) => {
                let commands = buffers.first().copied().unwrap_or_default();
                Ok(Recording { pool, commands, ..Default::default() })
            }
            Err(e) => {
                // SAFETY: as above.
                unsafe { shared.raw.destroy_command_pool(pool, None) };
                Err(failed("vkAllocateCommandBuffers", e))
            }
        }
    }

    /// Keeps something until the submission has completed.
    pub fn keep(&mut self, what: Arc<dyn Any + Send + Sync>) {
        self.kept.push(what);
    }

    /// Counts a launch.
    pub fn launched(&mut self) {
        self.launches += 1;
    }

    /// Counts staging memory.
    pub fn staged(&mut self, bytes: u64) {
        self.staged += bytes;
    }

    /// Copies constants to uniform memory: which buffer, and where in it.
    pub fn uniform(&mut self, shared: &Arc<Shared>, bytes: &[u8]) -> Result<(vk::Buffer, u64)> {
        let size = bytes.len() as u64;
        let align = shared.limits.min_uniform_buffer_offset_alignment.max(16);
        let mut at = self.uniform_end.next_multiple_of(align);
        while self.uniforms.get(self.uniform_block).is_some_and(|block| at + size > block.bytes) {
            self.uniform_block += 1;
            at = 0;
        }
        if self.uniform_block == self.uniforms.len() {
            let usage = vk::BufferUsageFlags::UNIFORM_BUFFER;
            let block = Buffer::new(shared, size.max(UNIFORM_BLOCK), usage, MemoryLocation::CpuToGpu)?;
            self.uniforms.push(Arc::new(block));
            at = 0;
        }
        self.uniform_end = at + size;
        let block = &self.uniforms[self.uniform_block];
        let Some(to) = block.mapped() else {
            return Err(failed("mapping uniform memory", vk::Result::ERROR_MEMORY_MAP_FAILED));
        };
        // SAFETY: `at + size` is within the block, and the device reads this part after the submission only.
        unsafe { to.add(at as usize).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        Ok((block.raw, at))
    }

    /// Descriptor sets of these layouts.
    pub fn descriptor_sets(
        &mut self,
        shared: &Shared,
        layouts: &[vk::DescriptorSetLayout],
    ) -> Result<Vec<vk::DescriptorSet>> {
        loop {
            let fresh = self.descriptor_pool == self.descriptor_pools.len();
            if fresh {
                self.descriptor_pools.push(descriptor_pool(shared)?);
            }
            let info = vk::DescriptorSetAllocateInfo::default()
                .descriptor_pool(self.descriptor_pools[self.descriptor_pool])
                .set_layouts(layouts);
            // SAFETY: pool and layouts are of this device, and the pool is used under the stream's lock.
            match unsafe { shared.raw.allocate_descriptor_sets(&info) } {
                Ok(sets) => return Ok(sets),
                Err(vk::Result::ERROR_OUT_OF_POOL_MEMORY | vk::Result::ERROR_FRAGMENTED_POOL) if !fresh => {
                    self.descriptor_pool += 1;
                }
                Err(e) => return Err(failed("vkAllocateDescriptorSets", e)),
            }
        }
    }

    /// Makes the recording ready for new commands.
    fn reset(&mut self, shared: &Shared) -> Result<()> {
        // SAFETY: the submission has completed, so nothing uses the pools.
        unsafe {
            shared
                .raw
                .reset_command_pool(self.pool, vk::CommandPoolResetFlags::empty())
                .map_err(|e| failed("vkResetCommandPool", e))?;
            for pool in &self.descriptor_pools {
                shared
                    .raw
                    .reset_descriptor_pool(*pool, vk::DescriptorPoolResetFlags::empty())
                    .map_err(|e| failed("vkResetDescriptorPool", e))?;
            }
        }
        *self = Recording {
            pool: self.pool,
            commands: self.commands,
            descriptor_pools: std::mem::take(&mut self.descriptor_pools),
            uniforms: std::mem::take(&mut self.uniforms),
            ..Default::default()
        };
        Ok(())
    }

    fn destroy(self, shared: &Shared) {
        // SAFETY: the commands were never submitted, have completed, or the device is idle.
        unsafe {
            shared.raw.destroy_command_pool(self.pool, None);
            for pool in &self.descriptor_pools {
                shared.raw.destroy_descriptor_pool(*pool, None);
            }
        }
    }
}

fn descriptor_pool(shared: &Shared) -> Result<vk::DescriptorPool> {
    let size =
        |ty, per_set: u32| vk::DescriptorPoolSize::default().ty(ty).descriptor_count(SETS_PER_POOL * per_set);
    let sizes = [
        size(vk::DescriptorType::STORAGE_BUFFER, 4),
        size(vk::DescriptorType::UNIFORM_BUFFER, 1),
        size(vk::DescriptorType::SAMPLED_IMAGE, 2),
        size(vk::DescriptorType::STORAGE_IMAGE, 2),
        size(vk::DescriptorType::SAMPLER, 1),
        size(vk::DescriptorType::COMBINED_IMAGE_SAMPLER, 1),
        size(vk::DescriptorType::UNIFORM_TEXEL_BUFFER, 1),
        size(vk::DescriptorType::STORAGE_TEXEL_BUFFER, 1),
    ];
    let info = vk::DescriptorPoolCreateInfo::default().max_sets(SETS_PER_POOL).pool_sizes(&sizes);
    // SAFETY: the structure is valid.
    unsafe { shared.raw.create_descriptor_pool(&info, None) }.map_err(|e| failed("vkCreateDescriptorPool", e))
}
