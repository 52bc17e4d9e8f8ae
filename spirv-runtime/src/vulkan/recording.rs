//! A command buffer with all that its commands need.

use super::device::Shared;
use super::launch::Written;
use super::memory::Buffer;
use super::pipeline::Pipeline;
use crate::error::{Result, error};
use ash::vk;
use gpu_allocator::MemoryLocation;
use std::any::Any;
use std::sync::Arc;

/// Bytes of a block of uniform memory.
const UNIFORM_BLOCK: u64 = 64 << 10;
/// Descriptor sets that a pool has room for.
const SETS_PER_POOL: u32 = 256;
/// Descriptors that a pool has room for, at least: types, and how many for each set.
const PER_SET: &[(vk::DescriptorType, u32)] = &[
    (vk::DescriptorType::STORAGE_BUFFER, 4),
    (vk::DescriptorType::UNIFORM_BUFFER, 1),
    (vk::DescriptorType::SAMPLED_IMAGE, 2),
    (vk::DescriptorType::STORAGE_IMAGE, 2),
    (vk::DescriptorType::SAMPLER, 1),
    (vk::DescriptorType::COMBINED_IMAGE_SAMPLER, 1),
    (vk::DescriptorType::UNIFORM_TEXEL_BUFFER, 1),
    (vk::DescriptorType::STORAGE_TEXEL_BUFFER, 1),
];
/// A pool that is made for a launch with many descriptors has room for more such launches, up to this many descriptors.
const LARGE_POOL: u32 = 4096;

/// A command buffer with all that its commands need; reused whole.
#[derive(Default)]
pub(super) struct Recording {
    pool: vk::CommandPool,
    pub commands: vk::CommandBuffer,
    /// Which submission this is, from 1.
    pub submission: u64,
    pub fence: Option<Arc<Fence>>,
    /// The last barrier before this recording.
    pub barrier_before: u64,
    kept: Vec<Arc<dyn Any + Send + Sync>>,
    descriptor_pools: Vec<DescriptorPool>,
    /// Pools before this one are full.
    descriptor_pool: usize,
    uniforms: Vec<Arc<Buffer>>,
    uniform_block: usize,
    uniform_end: u64,
    pub launches: u32,
    /// Bytes of memory that only this recording holds, and how many of them users have dropped.
    pub held: u64,
    pub dropped: u64,
    /// What the last launch bound, so that the next one need not bind the same.
    pub bound_pipeline: vk::Pipeline,
    pub bound_sets: Vec<Written>,
}

/// A fence that lives while somebody waits for it.
pub(super) struct Fence {
    shared: Arc<Shared>,
    pub raw: vk::Fence,
}

/// A pool, and how much room it has.
struct DescriptorPool {
    raw: vk::DescriptorPool,
    /// Sets and descriptors of each type when it is empty, and now.
    all: Vec<(vk::DescriptorType, u32)>,
    left: Vec<(vk::DescriptorType, u32)>,
    sets: u32,
}

impl Fence {
    pub fn new(shared: &Arc<Shared>) -> Result<Arc<Fence>> {
        // SAFETY: the structure is valid.
        let raw = unsafe { shared.raw.create_fence(&vk::FenceCreateInfo::default(), None) }
            .map_err(|e| shared.failed("vkCreateFence", e))?;
        Ok(Arc::new(Fence { shared: shared.clone(), raw }))
    }
}

impl Drop for Fence {
    fn drop(&mut self) {
        // SAFETY: held by its submission until that has completed, and by those who wait for it.
        unsafe { self.shared.raw.destroy_fence(self.raw, None) }
    }
}

impl Recording {
    pub fn new(shared: &Shared) -> Result<Recording> {
        let info = vk::CommandPoolCreateInfo::default()
            .queue_family_index(shared.family)
            .flags(vk::CommandPoolCreateFlags::TRANSIENT);
        // SAFETY: the family is the queue's.
        let pool = unsafe { shared.raw.create_command_pool(&info, None) }
            .map_err(|e| shared.failed("vkCreateCommandPool", e))?;
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
                Err(shared.failed("vkAllocateCommandBuffers", e))
            }
        }
    }

    /// Begins to record.
    pub fn begin(&self, shared: &Shared) -> Result<()> {
        let info = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        // SAFETY: the command buffer is not in use: it is new, or its pool was reset.
        unsafe { shared.raw.begin_command_buffer(self.commands, &info) }
            .map_err(|e| shared.failed("vkBeginCommandBuffer", e))
    }

    /// Completes the command buffer.
    pub fn end(&self, shared: &Shared) -> Result<()> {
        // What the device wrote becomes visible to the host.
        let barrier = vk::MemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::SHADER_WRITE | vk::AccessFlags::TRANSFER_WRITE)
            .dst_access_mask(vk::AccessFlags::HOST_READ | vk::AccessFlags::HOST_WRITE);
        // SAFETY: the command buffer is being recorded.
        unsafe {
            shared.raw.cmd_pipeline_barrier(
                self.commands,
                vk::PipelineStageFlags::COMPUTE_SHADER | vk::PipelineStageFlags::TRANSFER,
                vk::PipelineStageFlags::HOST,
                vk::DependencyFlags::empty(),
                &[barrier],
                &[],
                &[],
            );
            shared.raw.end_command_buffer(self.commands)
        }
        .map_err(|e| shared.failed("vkEndCommandBuffer", e))
    }

    /// Keeps something until the submission has completed.
    pub fn keep(&mut self, what: Arc<dyn Any + Send + Sync>) {
        self.kept.push(what);
    }

    /// Counts a launch.
    pub fn launched(&mut self) {
        self.launches += 1;
    }

    /// Counts memory that nobody else holds.
    pub fn holds(&mut self, bytes: u64) {
        self.held += bytes;
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
        let to = block
            .mapped()
            .ok_or_else(|| error!(Driver, "the device has no memory that the host can reach"))?;
        // SAFETY: `at + size` is within the block, and the device reads this part after the submission only.
        unsafe { to.add(at as usize).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        Ok((block.raw, at))
    }

    /// Descriptor sets for a launch of this pipeline.
    pub fn descriptor_sets(
        &mut self,
        shared: &Shared,
        pipeline: &Pipeline,
    ) -> Result<Vec<vk::DescriptorSet>> {
        let needs = descriptors(pipeline);
        let sets = pipeline.sets.len() as u32;
        while self.descriptor_pools.get(self.descriptor_pool).is_some_and(|pool| !pool.fits(sets, &needs)) {
            self.descriptor_pool += 1;
        }
        if self.descriptor_pool == self.descriptor_pools.len() {
            self.descriptor_pools.push(DescriptorPool::new(shared, sets, &needs)?);
        }
        let pool = &mut self.descriptor_pools[self.descriptor_pool];
        let info =
            vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool.raw).set_layouts(&pipeline.sets);
        // SAFETY: pool and layouts are of this device, the pool has room for the sets, and it is used under the stream's
        // lock.
        let made = unsafe { shared.raw.allocate_descriptor_sets(&info) }
            .map_err(|e| shared.failed("vkAllocateDescriptorSets", e))?;
        pool.take(sets, &needs);
        Ok(made)
    }

    /// Makes the recording ready for new commands.
    pub fn reset(&mut self, shared: &Shared) -> Result<()> {
        // What was used is not needed any more, whether the rest succeeds or not.
        self.kept.clear();
        // SAFETY: the submission has completed, so nothing uses the pools.
        unsafe {
            shared
                .raw
                .reset_command_pool(self.pool, vk::CommandPoolResetFlags::empty())
                .map_err(|e| shared.failed("vkResetCommandPool", e))?;
            for pool in &mut self.descriptor_pools {
                shared
                    .raw
                    .reset_descriptor_pool(pool.raw, vk::DescriptorPoolResetFlags::empty())
                    .map_err(|e| shared.failed("vkResetDescriptorPool", e))?;
                pool.left.clone_from(&pool.all);
                pool.sets = SETS_PER_POOL;
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

    pub fn destroy(self, shared: &Shared) {
        // SAFETY: the commands were never submitted, have completed, or the device is idle.
        unsafe {
            shared.raw.destroy_command_pool(self.pool, None);
            for pool in &self.descriptor_pools {
                shared.raw.destroy_descriptor_pool(pool.raw, None);
            }
        }
    }
}

/// How many descriptors of each type a launch needs.
fn descriptors(pipeline: &Pipeline) -> Vec<(vk::DescriptorType, u32)> {
    let mut needs: Vec<(vk::DescriptorType, u32)> = Vec::new();
    for slot in &pipeline.slots {
        match needs.iter_mut().find(|n| n.0 == slot.ty) {
            Some((_, count)) => *count += slot.count,
            None => needs.push((slot.ty, slot.count)),
        }
    }
    needs
}

/// How many descriptors of each type a pool has room for that is made for a launch with these needs.
fn room(needs: &[(vk::DescriptorType, u32)]) -> Vec<(vk::DescriptorType, u32)> {
    let one: u32 = needs.iter().map(|n| n.1).sum();
    let launches = (LARGE_POOL / one.max(1)).clamp(1, SETS_PER_POOL);
    let of = |ty| needs.iter().find(|n| n.0 == ty).map_or(0, |n| n.1 * launches);
    PER_SET.iter().map(|(ty, count)| (*ty, of(*ty).max(count * SETS_PER_POOL))).collect()
}

impl DescriptorPool {
    /// A pool with room for many launches that need little, and for some that need this.
    fn new(shared: &Shared, sets: u32, needs: &[(vk::DescriptorType, u32)]) -> Result<DescriptorPool> {
        let all = room(needs);
        let sizes: Vec<_> = all
            .iter()
            .map(|(ty, count)| vk::DescriptorPoolSize::default().ty(*ty).descriptor_count(*count))
            .collect();
        let max_sets = SETS_PER_POOL.max(sets);
        let info = vk::DescriptorPoolCreateInfo::default().max_sets(max_sets).pool_sizes(&sizes);
        // SAFETY: the structure is valid.
        let raw = unsafe { shared.raw.create_descriptor_pool(&info, None) }
            .map_err(|e| shared.failed("vkCreateDescriptorPool", e))?;
        Ok(DescriptorPool { raw, left: all.clone(), all, sets: max_sets })
    }

    fn fits(&self, sets: u32, needs: &[(vk::DescriptorType, u32)]) -> bool {
        let left = |ty| self.left.iter().find(|l| l.0 == ty).map_or(0, |l| l.1);
        sets <= self.sets && needs.iter().all(|(ty, count)| *count <= left(*ty))
    }

    fn take(&mut self, sets: u32, needs: &[(vk::DescriptorType, u32)]) {
        self.sets -= sets;
        for (ty, count) in needs {
            if let Some((_, left)) = self.left.iter_mut().find(|l| l.0 == *ty) {
                *left -= count;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pool(needs: &[(vk::DescriptorType, u32)]) -> DescriptorPool {
        let all = room(needs);
        DescriptorPool { raw: vk::DescriptorPool::null(), left: all.clone(), all, sets: SETS_PER_POOL }
    }

    #[test]
    fn pools_have_room_for_what_a_launch_needs() {
        use vk::DescriptorType as Type;
        // More than pools for small launches have.
        for needs in [
            [(Type::SAMPLED_IMAGE, 600), (Type::STORAGE_BUFFER, 1)],
            [(Type::STORAGE_BUFFER, 100_000), (Type::SAMPLER, 4000)],
        ] {
            assert!(!pool(&[]).fits(1, &needs));
            let mut large = pool(&needs);
            assert!(large.fits(2, &needs));
            large.take(2, &needs);
            // What is left serves others, too.
            assert!(large.fits(1, &[(Type::STORAGE_IMAGE, 1), (Type::UNIFORM_BUFFER, 1)]));
        }
        let small = [(Type::STORAGE_BUFFER, 2)];
        let mut one = pool(&small);
        let mut launches = 0;
        while one.fits(1, &small) {
            one.take(1, &small);
            launches += 1;
        }
        assert_eq!(launches, SETS_PER_POOL);
    }
}
