//! A device's functions.

use crate::Result;
use crate::instance::{check, made};
use crate::vk::{self, DeviceFunctions, Function};
use std::ffi::{CStr, c_void};
use std::ptr::null;

/// A device with its functions.
#[derive(Clone)]
pub struct Device {
    raw: vk::Device,
    functions: Box<DeviceFunctions>,
}

/// Functions that make an object of a description.
macro_rules! create {
    ($($name:ident: $info:ident => $made:ident;)*) => {
        /// Functions that make something; they are as safe, and fail, as the specification says of those of the same name.
        #[allow(clippy::missing_safety_doc, clippy::missing_errors_doc, missing_docs)]
        impl Device {
            $(pub unsafe fn $name(&self, info: &vk::$info<'_>) -> Result<vk::$made> {
                // SAFETY: the caller's promise.
                unsafe { made(|out| (self.functions.$name)(self.raw, info, null(), out)) }
            })*
        }
    };
}

/// Functions that destroy an object.
macro_rules! destroy {
    ($($name:ident: $ty:ident;)*) => {
        /// Functions that destroy something; they are as safe as the specification says of those of the same name.
        #[allow(clippy::missing_safety_doc, missing_docs)]
        impl Device {
            $(pub unsafe fn $name(&self, object: vk::$ty) {
                // SAFETY: the caller's promise.
                unsafe { (self.functions.$name)(self.raw, object, null()) }
            })*
        }
    };
}

create! {
    allocate_memory: MemoryAllocateInfo => DeviceMemory;
    create_buffer: BufferCreateInfo => Buffer;
    create_buffer_view: BufferViewCreateInfo => BufferView;
    create_image: ImageCreateInfo => Image;
    create_image_view: ImageViewCreateInfo => ImageView;
    create_sampler: SamplerCreateInfo => Sampler;
    create_shader_module: ShaderModuleCreateInfo => ShaderModule;
    create_descriptor_set_layout: DescriptorSetLayoutCreateInfo => DescriptorSetLayout;
    create_pipeline_layout: PipelineLayoutCreateInfo => PipelineLayout;
    create_descriptor_pool: DescriptorPoolCreateInfo => DescriptorPool;
    create_query_pool: QueryPoolCreateInfo => QueryPool;
    create_fence: FenceCreateInfo => Fence;
    create_semaphore: SemaphoreCreateInfo => Semaphore;
    create_command_pool: CommandPoolCreateInfo => CommandPool;
}

destroy! {
    free_memory: DeviceMemory;
    destroy_buffer: Buffer;
    destroy_buffer_view: BufferView;
    destroy_image: Image;
    destroy_image_view: ImageView;
    destroy_sampler: Sampler;
    destroy_shader_module: ShaderModule;
    destroy_descriptor_set_layout: DescriptorSetLayout;
    destroy_pipeline_layout: PipelineLayout;
    destroy_pipeline: Pipeline;
    destroy_descriptor_pool: DescriptorPool;
    destroy_query_pool: QueryPool;
    destroy_fence: Fence;
    destroy_semaphore: Semaphore;
    destroy_command_pool: CommandPool;
}

/// All are as safe, and fail, as the specification says of the function of the same name.
#[allow(clippy::missing_safety_doc, clippy::missing_errors_doc, clippy::too_many_arguments)]
impl Device {
    /// With the functions that are found by name.
    pub(crate) unsafe fn new(raw: vk::Device, find: &dyn Fn(&CStr) -> Function) -> Option<Device> {
        // SAFETY: the caller's promise, here and below.
        let functions = unsafe { DeviceFunctions::load(find) }?;
        Some(Device { raw, functions: Box::new(functions) })
    }

    /// `vkDestroyDevice`
    pub unsafe fn destroy_device(&self) {
        // SAFETY: see above.
        unsafe { (self.functions.destroy_device)(self.raw, null()) }
    }

    /// `vkGetDeviceQueue`
    pub unsafe fn get_device_queue(&self, family: u32, index: u32) -> vk::Queue {
        let mut queue = vk::Queue::null();
        // SAFETY: see above.
        unsafe { (self.functions.get_device_queue)(self.raw, family, index, &mut queue) };
        queue
    }

    /// `vkQueueSubmit`
    pub unsafe fn queue_submit(
        &self,
        queue: vk::Queue,
        submits: &[vk::SubmitInfo<'_>],
        fence: vk::Fence,
    ) -> Result<()> {
        // SAFETY: see above.
        unsafe { check((self.functions.queue_submit)(queue, submits.len() as u32, submits.as_ptr(), fence)) }
    }

    /// `vkDeviceWaitIdle`
    pub unsafe fn device_wait_idle(&self) -> Result<()> {
        // SAFETY: see above.
        unsafe { check((self.functions.device_wait_idle)(self.raw)) }
    }

    /// `vkMapMemory`, all of it
    pub unsafe fn map_memory(&self, memory: vk::DeviceMemory) -> Result<*mut c_void> {
        let (mut to, none) = (std::ptr::null_mut(), vk::MemoryMapFlags::empty());
        // SAFETY: see above.
        check(unsafe { (self.functions.map_memory)(self.raw, memory, 0, vk::WHOLE_SIZE, none, &mut to) })?;
        Ok(to)
    }

    /// `vkGetBufferMemoryRequirements`
    pub unsafe fn get_buffer_memory_requirements(&self, buffer: vk::Buffer) -> vk::MemoryRequirements {
        let mut needs = vk::MemoryRequirements::default();
        // SAFETY: see above.
        unsafe { (self.functions.get_buffer_memory_requirements)(self.raw, buffer, &mut needs) };
        needs
    }

    /// `vkBindBufferMemory`
    pub unsafe fn bind_buffer_memory(
        &self,
        buffer: vk::Buffer,
        memory: vk::DeviceMemory,
        offset: u64,
    ) -> Result<()> {
        // SAFETY: see above.
        check(unsafe { (self.functions.bind_buffer_memory)(self.raw, buffer, memory, offset) })
    }

    /// `vkGetImageMemoryRequirements`
    pub unsafe fn get_image_memory_requirements(&self, image: vk::Image) -> vk::MemoryRequirements {
        let mut needs = vk::MemoryRequirements::default();
        // SAFETY: see above.
        unsafe { (self.functions.get_image_memory_requirements)(self.raw, image, &mut needs) };
        needs
    }

    /// `vkBindImageMemory`
    pub unsafe fn bind_image_memory(
        &self,
        image: vk::Image,
        memory: vk::DeviceMemory,
        offset: u64,
    ) -> Result<()> {
        // SAFETY: see above.
        check(unsafe { (self.functions.bind_image_memory)(self.raw, image, memory, offset) })
    }

    /// `vkGetBufferDeviceAddress`; 0 where there is no such function
    pub unsafe fn get_buffer_device_address(&self, info: &vk::BufferDeviceAddressInfo<'_>) -> u64 {
        // SAFETY: see above.
        self.functions.get_buffer_device_address.map_or(0, |f| unsafe { f(self.raw, info) })
    }

    /// `vkCreateComputePipelines`, one
    pub unsafe fn create_compute_pipeline(
        &self,
        info: &vk::ComputePipelineCreateInfo<'_>,
    ) -> Result<vk::Pipeline> {
        let (f, cache) = (self.functions.create_compute_pipelines, vk::PipelineCache::null());
        // SAFETY: see above.
        unsafe { made(|out| f(self.raw, cache, 1, info, null(), out)) }
    }

    /// `vkResetDescriptorPool`
    pub unsafe fn reset_descriptor_pool(
        &self,
        pool: vk::DescriptorPool,
        flags: vk::DescriptorPoolResetFlags,
    ) -> Result<()> {
        // SAFETY: see above.
        check(unsafe { (self.functions.reset_descriptor_pool)(self.raw, pool, flags) })
    }

    /// `vkAllocateDescriptorSets`
    pub unsafe fn allocate_descriptor_sets(
        &self,
        info: &vk::DescriptorSetAllocateInfo<'_>,
    ) -> Result<Vec<vk::DescriptorSet>> {
        let mut sets = vec![vk::DescriptorSet::null(); info.descriptor_set_count as usize];
        // SAFETY: see above.
        check(unsafe { (self.functions.allocate_descriptor_sets)(self.raw, info, sets.as_mut_ptr()) })?;
        Ok(sets)
    }

    /// `vkUpdateDescriptorSets`, which are written
    pub unsafe fn update_descriptor_sets(&self, writes: &[vk::WriteDescriptorSet<'_>]) {
        let f = self.functions.update_descriptor_sets;
        // SAFETY: see above.
        unsafe { f(self.raw, writes.len() as u32, writes.as_ptr(), 0, null()) }
    }

    /// `vkGetQueryPoolResults`, of 64 bits
    pub unsafe fn get_query_pool_results(
        &self,
        pool: vk::QueryPool,
        first: u32,
        out: &mut [u64],
    ) -> Result<()> {
        let (count, bytes) = (out.len() as u32, size_of_val(out));
        let (f, to, stride) = (self.functions.get_query_pool_results, out.as_mut_ptr().cast(), 8);
        // SAFETY: see above.
        check(unsafe { f(self.raw, pool, first, count, bytes, to, stride, vk::QueryResultFlags::TYPE_64) })
    }

    /// `vkGetFenceStatus`: whether it is signalled
    pub unsafe fn get_fence_status(&self, fence: vk::Fence) -> Result<bool> {
        // SAFETY: see above.
        match unsafe { (self.functions.get_fence_status)(self.raw, fence) } {
            vk::Result::NOT_READY => Ok(false),
            result => check(result).map(|()| true),
        }
    }

    /// `vkWaitForFences`
    pub unsafe fn wait_for_fences(&self, fences: &[vk::Fence], all: bool, nanoseconds: u64) -> Result<()> {
        let (f, count) = (self.functions.wait_for_fences, fences.len() as u32);
        // SAFETY: see above.
        check(unsafe { f(self.raw, count, fences.as_ptr(), all.into(), nanoseconds) })
    }

    /// `vkWaitSemaphores`
    pub unsafe fn wait_semaphores(&self, info: &vk::SemaphoreWaitInfo<'_>, nanoseconds: u64) -> Result<()> {
        let f = self.functions.wait_semaphores.ok_or(vk::Result::ERROR_EXTENSION_NOT_PRESENT)?;
        // SAFETY: see above.
        check(unsafe { f(self.raw, info, nanoseconds) })
    }

    /// `vkGetSemaphoreCounterValue`
    pub unsafe fn get_semaphore_counter_value(&self, semaphore: vk::Semaphore) -> Result<u64> {
        let f = self.functions.get_semaphore_counter_value.ok_or(vk::Result::ERROR_EXTENSION_NOT_PRESENT)?;
        // SAFETY: see above.
        unsafe { made(|out| f(self.raw, semaphore, out)) }
    }

    /// `vkResetCommandPool`
    pub unsafe fn reset_command_pool(
        &self,
        pool: vk::CommandPool,
        flags: vk::CommandPoolResetFlags,
    ) -> Result<()> {
        // SAFETY: see above.
        check(unsafe { (self.functions.reset_command_pool)(self.raw, pool, flags) })
    }

    /// `vkAllocateCommandBuffers`
    pub unsafe fn allocate_command_buffers(
        &self,
        info: &vk::CommandBufferAllocateInfo<'_>,
    ) -> Result<Vec<vk::CommandBuffer>> {
        let mut buffers = vec![vk::CommandBuffer::null(); info.command_buffer_count as usize];
        // SAFETY: see above.
        check(unsafe { (self.functions.allocate_command_buffers)(self.raw, info, buffers.as_mut_ptr()) })?;
        Ok(buffers)
    }

    /// `vkBeginCommandBuffer`
    pub unsafe fn begin_command_buffer(
        &self,
        commands: vk::CommandBuffer,
        info: &vk::CommandBufferBeginInfo<'_>,
    ) -> Result<()> {
        // SAFETY: see above.
        check(unsafe { (self.functions.begin_command_buffer)(commands, info) })
    }

    /// `vkEndCommandBuffer`
    pub unsafe fn end_command_buffer(&self, commands: vk::CommandBuffer) -> Result<()> {
        // SAFETY: see above.
        check(unsafe { (self.functions.end_command_buffer)(commands) })
    }

    /// `vkCmdPipelineBarrier`
    pub unsafe fn cmd_pipeline_barrier(
        &self,
        commands: vk::CommandBuffer,
        from: vk::PipelineStageFlags,
        to: vk::PipelineStageFlags,
        flags: vk::DependencyFlags,
        memory: &[vk::MemoryBarrier<'_>],
        buffers: &[vk::BufferMemoryBarrier<'_>],
        images: &[vk::ImageMemoryBarrier<'_>],
    ) {
        let counts = [memory.len(), buffers.len(), images.len()].map(|n| n as u32);
        // SAFETY: see above.
        unsafe {
            (self.functions.cmd_pipeline_barrier)(
                commands,
                from,
                to,
                flags,
                counts[0],
                memory.as_ptr(),
                counts[1],
                buffers.as_ptr(),
                counts[2],
                images.as_ptr(),
            );
        }
    }

    /// `vkCmdBindPipeline`
    pub unsafe fn cmd_bind_pipeline(
        &self,
        commands: vk::CommandBuffer,
        at: vk::PipelineBindPoint,
        pipeline: vk::Pipeline,
    ) {
        // SAFETY: see above.
        unsafe { (self.functions.cmd_bind_pipeline)(commands, at, pipeline) }
    }

    /// `vkCmdBindDescriptorSets`
    pub unsafe fn cmd_bind_descriptor_sets(
        &self,
        commands: vk::CommandBuffer,
        at: vk::PipelineBindPoint,
        layout: vk::PipelineLayout,
        first: u32,
        sets: &[vk::DescriptorSet],
    ) {
        let (f, count) = (self.functions.cmd_bind_descriptor_sets, sets.len() as u32);
        // SAFETY: see above.
        unsafe { f(commands, at, layout, first, count, sets.as_ptr(), 0, null()) }
    }

    /// `vkCmdPushConstants`
    pub unsafe fn cmd_push_constants(
        &self,
        commands: vk::CommandBuffer,
        layout: vk::PipelineLayout,
        stages: vk::ShaderStageFlags,
        offset: u32,
        bytes: &[u8],
    ) {
        let f = self.functions.cmd_push_constants;
        // SAFETY: see above.
        unsafe { f(commands, layout, stages, offset, bytes.len() as u32, bytes.as_ptr().cast()) }
    }

    /// `vkCmdDispatch`
    pub unsafe fn cmd_dispatch(&self, commands: vk::CommandBuffer, x: u32, y: u32, z: u32) {
        // SAFETY: see above.
        unsafe { (self.functions.cmd_dispatch)(commands, x, y, z) }
    }

    /// `vkCmdFillBuffer`
    pub unsafe fn cmd_fill_buffer(
        &self,
        commands: vk::CommandBuffer,
        buffer: vk::Buffer,
        offset: u64,
        bytes: u64,
        word: u32,
    ) {
        // SAFETY: see above.
        unsafe { (self.functions.cmd_fill_buffer)(commands, buffer, offset, bytes, word) }
    }

    /// `vkCmdCopyBuffer`
    pub unsafe fn cmd_copy_buffer(
        &self,
        commands: vk::CommandBuffer,
        from: vk::Buffer,
        to: vk::Buffer,
        regions: &[vk::BufferCopy],
    ) {
        // SAFETY: see above.
        unsafe {
            (self.functions.cmd_copy_buffer)(commands, from, to, regions.len() as u32, regions.as_ptr())
        }
    }

    /// `vkCmdCopyBufferToImage`
    pub unsafe fn cmd_copy_buffer_to_image(
        &self,
        commands: vk::CommandBuffer,
        from: vk::Buffer,
        to: vk::Image,
        layout: vk::ImageLayout,
        regions: &[vk::BufferImageCopy],
    ) {
        let (f, count) = (self.functions.cmd_copy_buffer_to_image, regions.len() as u32);
        // SAFETY: see above.
        unsafe { f(commands, from, to, layout, count, regions.as_ptr()) }
    }

    /// `vkCmdCopyImageToBuffer`
    pub unsafe fn cmd_copy_image_to_buffer(
        &self,
        commands: vk::CommandBuffer,
        from: vk::Image,
        layout: vk::ImageLayout,
        to: vk::Buffer,
        regions: &[vk::BufferImageCopy],
    ) {
        let (f, count) = (self.functions.cmd_copy_image_to_buffer, regions.len() as u32);
        // SAFETY: see above.
        unsafe { f(commands, from, layout, to, count, regions.as_ptr()) }
    }

    /// `vkCmdClearColorImage`
    pub unsafe fn cmd_clear_color_image(
        &self,
        commands: vk::CommandBuffer,
        image: vk::Image,
        layout: vk::ImageLayout,
        color: &vk::ClearColorValue,
        ranges: &[vk::ImageSubresourceRange],
    ) {
        let (f, count) = (self.functions.cmd_clear_color_image, ranges.len() as u32);
        // SAFETY: see above.
        unsafe { f(commands, image, layout, color, count, ranges.as_ptr()) }
    }

    /// `vkCmdClearDepthStencilImage`
    pub unsafe fn cmd_clear_depth_stencil_image(
        &self,
        commands: vk::CommandBuffer,
        image: vk::Image,
        layout: vk::ImageLayout,
        value: &vk::ClearDepthStencilValue,
        ranges: &[vk::ImageSubresourceRange],
    ) {
        let (f, count) = (self.functions.cmd_clear_depth_stencil_image, ranges.len() as u32);
        // SAFETY: see above.
        unsafe { f(commands, image, layout, value, count, ranges.as_ptr()) }
    }

    /// `vkCmdResetQueryPool`
    pub unsafe fn cmd_reset_query_pool(
        &self,
        commands: vk::CommandBuffer,
        pool: vk::QueryPool,
        first: u32,
        count: u32,
    ) {
        // SAFETY: see above.
        unsafe { (self.functions.cmd_reset_query_pool)(commands, pool, first, count) }
    }

    /// `vkCmdWriteTimestamp`
    pub unsafe fn cmd_write_timestamp(
        &self,
        commands: vk::CommandBuffer,
        stage: vk::PipelineStageFlags,
        pool: vk::QueryPool,
        query: u32,
    ) {
        // SAFETY: see above.
        unsafe { (self.functions.cmd_write_timestamp)(commands, stage, pool, query) }
    }
}
