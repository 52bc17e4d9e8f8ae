//! Vulkan: `vkGetInstanceProcAddr`, which is all that is asked of a loader, and the functions that the runtime uses and
//! that can fail or destroy something.

use crate::control;
use ash::vk::{self, Handle};
use std::ffi::{CStr, c_char, c_void};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

type Pointer = unsafe extern "system" fn();

/// The instance that was made last: its functions do for all devices.
static INSTANCE: AtomicU64 = AtomicU64::new(0);
/// Which device a queue is of.
static QUEUES: Mutex<Vec<(u64, u64)>> = Mutex::new(Vec::new());

fn get_instance_proc_addr() -> Option<vk::PFN_vkGetInstanceProcAddr> {
    static LOADER: OnceLock<Option<vk::PFN_vkGetInstanceProcAddr>> = OnceLock::new();
    *LOADER.get_or_init(|| {
        let name = std::env::var_os("FAULTS_VULKAN").unwrap_or_else(|| "libvulkan.so.1".into());
        // SAFETY: the library is a Vulkan loader, and has this function; it is never closed.
        unsafe {
            let library = libloading::Library::new(name).ok()?;
            let function = library.get(b"vkGetInstanceProcAddr\0").ok().map(|f| *f);
            std::mem::forget(library);
            function
        }
    })
}

/// The true function.
fn find(name: &CStr) -> Option<Pointer> {
    let instance = vk::Instance::from_raw(INSTANCE.load(Ordering::Relaxed));
    let get = get_instance_proc_addr()?;
    // SAFETY: the instance is the last one, or null, for which there are the functions that need none.
    unsafe { get(instance, name.as_ptr()).or_else(|| get(vk::Instance::null(), name.as_ptr())) }
}

/// What a call is about, to know whether that was lost.
trait About {
    fn device(&self) -> u64;
}

impl About for vk::Device {
    fn device(&self) -> u64 {
        self.as_raw()
    }
}

impl About for vk::Queue {
    fn device(&self) -> u64 {
        let queues = QUEUES.lock().unwrap_or_else(PoisonError::into_inner);
        queues.iter().find(|q| q.0 == self.as_raw()).map_or(0, |q| q.1)
    }
}

/// There is none yet.
macro_rules! about_none {
    ($($ty:ty)*) => { $(impl About for $ty { fn device(&self) -> u64 { 0 } })* };
}
about_none!(vk::Instance vk::PhysicalDevice *const c_char *const vk::InstanceCreateInfo<'_> *mut u32);

/// Handles in an array, to count them.
macro_rules! made {
    ($kind:literal, $n:expr, $out:expr) => {
        // SAFETY: the call succeeded, so it has written as many.
        let made = unsafe { std::slice::from_raw_parts($out, $n as usize) };
        control::count($kind, made.iter().filter(|handle| !handle.is_null()).count() as i64);
    };
}

/// The wrapper of each function, and a table of them.
macro_rules! functions {
    (
        fallible { $($name:ident($first:ident: $about:ty $(, $p:ident: $t:ty)*) $({ $kind:literal $n:tt $out:ident })?;)* }
        destroying { $($destroy:ident($device:ident: $of:ty $(, $handle:ident: $ty:ty)?) $gone:literal;)* }
    ) => {
        $(
            unsafe extern "system" fn $name($first: $about $(, $p: $t)*) -> vk::Result {
                static FUNCTION: OnceLock<Option<Pointer>> = OnceLock::new();
                const NAME: &str = stringify!($name);
                if let Some(result) = control::call(NAME).map(vk::Result::from_raw) {
                    if result == vk::Result::ERROR_DEVICE_LOST {
                        control::lose(About::device(&$first));
                    }
                    if result != vk::Result::ERROR_DEVICE_LOST || NAME != "vkDeviceWaitIdle" {
                        return result;
                    }
                }
                // A lost device does nothing any more, which the true one has to be waited for.
                let lost = says_loss(NAME) && control::is_lost(About::device(&$first));
                if lost && NAME != "vkDeviceWaitIdle" {
                    return vk::Result::ERROR_DEVICE_LOST;
                }
                let name = CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes());
                let function = FUNCTION.get_or_init(|| name.ok().and_then(find));
                let Some(function) = function else { return vk::Result::ERROR_EXTENSION_NOT_PRESENT };
                // SAFETY: by the specification the function of this name has this type; the rest is the caller's.
                let result = unsafe {
                    let function: unsafe extern "system" fn($about $(, $t)*) -> vk::Result =
                        std::mem::transmute::<Pointer, _>(*function);
                    function($first $(, $p)*)
                };
                $(
                    if result == vk::Result::SUCCESS {
                        made!($kind, $n, $out);
                    }
                )?
                if lost { vk::Result::ERROR_DEVICE_LOST } else { result }
            }
        )*
        $(
            unsafe extern "system" fn $destroy(
                $device: $of
                $(, $handle: $ty)?,
                allocator: *const vk::AllocationCallbacks<'_>,
            ) {
                static FUNCTION: OnceLock<Option<Pointer>> = OnceLock::new();
                let null = [$($handle.is_null(),)? $device.is_null()][0];
                control::count($gone, if null { 0 } else { -1 });
                let name = CStr::from_bytes_with_nul(concat!(stringify!($destroy), "\0").as_bytes());
                let function = FUNCTION.get_or_init(|| name.ok().and_then(find));
                let Some(function) = function else { return };
                // SAFETY: as above.
                unsafe {
                    let function: unsafe extern "system" fn(
                        $of $(, $ty)?, *const vk::AllocationCallbacks<'_>,
                    ) = std::mem::transmute::<Pointer, _>(*function);
                    function($device $(, $handle)?, allocator);
                }
            }
        )*

        /// The wrapper of this name.
        fn wrapper(name: &str) -> Option<*const c_void> {
            if let Some(own) = OWN.iter().find(|own| own.0 == name) {
                return Some(own.1.0);
            }
            $(if name == stringify!($name) { return Some($name as *const c_void); })*
            $(if name == stringify!($destroy) { return Some($destroy as *const c_void); })*
            None
        }
    };
}

type Alloc = *const vk::AllocationCallbacks<'static>;

functions! {
    fallible {
        vkEnumerateInstanceVersion(version: *mut u32);
        vkEnumerateInstanceLayerProperties(count: *mut u32, out: *mut vk::LayerProperties);
        vkEnumerateInstanceExtensionProperties(layer: *const c_char, count: *mut u32, out: *mut vk::ExtensionProperties);
        vkEnumeratePhysicalDevices(instance: vk::Instance, count: *mut u32, out: *mut vk::PhysicalDevice);
        vkEnumerateDeviceExtensionProperties(
            physical: vk::PhysicalDevice, layer: *const c_char, count: *mut u32, out: *mut vk::ExtensionProperties
        );
        vkGetPhysicalDeviceImageFormatProperties(
            physical: vk::PhysicalDevice, format: vk::Format, ty: vk::ImageType, tiling: vk::ImageTiling,
            usage: vk::ImageUsageFlags, flags: vk::ImageCreateFlags, out: *mut vk::ImageFormatProperties
        );
        vkCreateDebugUtilsMessengerEXT(
            instance: vk::Instance, info: *const vk::DebugUtilsMessengerCreateInfoEXT<'static>, alloc: Alloc,
            out: *mut vk::DebugUtilsMessengerEXT
        ) { "VkDebugUtilsMessengerEXT" 1 out };
        vkAllocateMemory(
            device: vk::Device, info: *const vk::MemoryAllocateInfo<'static>, alloc: Alloc, out: *mut vk::DeviceMemory
        ) { "VkDeviceMemory" 1 out };
        vkMapMemory(
            device: vk::Device, memory: vk::DeviceMemory, offset: u64, size: u64, flags: vk::MemoryMapFlags,
            out: *mut *mut c_void
        );
        vkCreateBuffer(
            device: vk::Device, info: *const vk::BufferCreateInfo<'static>, alloc: Alloc, out: *mut vk::Buffer
        ) { "VkBuffer" 1 out };
        vkBindBufferMemory(device: vk::Device, buffer: vk::Buffer, memory: vk::DeviceMemory, offset: u64);
        vkCreateBufferView(
            device: vk::Device, info: *const vk::BufferViewCreateInfo<'static>, alloc: Alloc, out: *mut vk::BufferView
        ) { "VkBufferView" 1 out };
        vkCreateImage(
            device: vk::Device, info: *const vk::ImageCreateInfo<'static>, alloc: Alloc, out: *mut vk::Image
        ) { "VkImage" 1 out };
        vkBindImageMemory(device: vk::Device, image: vk::Image, memory: vk::DeviceMemory, offset: u64);
        vkCreateImageView(
            device: vk::Device, info: *const vk::ImageViewCreateInfo<'static>, alloc: Alloc, out: *mut vk::ImageView
        ) { "VkImageView" 1 out };
        vkCreateSampler(
            device: vk::Device, info: *const vk::SamplerCreateInfo<'static>, alloc: Alloc, out: *mut vk::Sampler
        ) { "VkSampler" 1 out };
        vkCreateShaderModule(
            device: vk::Device, info: *const vk::ShaderModuleCreateInfo<'static>, alloc: Alloc,
            out: *mut vk::ShaderModule
        ) { "VkShaderModule" 1 out };
        vkCreateDescriptorSetLayout(
            device: vk::Device, info: *const vk::DescriptorSetLayoutCreateInfo<'static>, alloc: Alloc,
            out: *mut vk::DescriptorSetLayout
        ) { "VkDescriptorSetLayout" 1 out };
        vkCreatePipelineLayout(
            device: vk::Device, info: *const vk::PipelineLayoutCreateInfo<'static>, alloc: Alloc,
            out: *mut vk::PipelineLayout
        ) { "VkPipelineLayout" 1 out };
        vkCreateComputePipelines(
            device: vk::Device, cache: vk::PipelineCache, n: u32,
            infos: *const vk::ComputePipelineCreateInfo<'static>, alloc: Alloc, out: *mut vk::Pipeline
        ) { "VkPipeline" n out };
        vkCreateDescriptorPool(
            device: vk::Device, info: *const vk::DescriptorPoolCreateInfo<'static>, alloc: Alloc,
            out: *mut vk::DescriptorPool
        ) { "VkDescriptorPool" 1 out };
        vkResetDescriptorPool(device: vk::Device, pool: vk::DescriptorPool, flags: vk::DescriptorPoolResetFlags);
        vkAllocateDescriptorSets(
            device: vk::Device, info: *const vk::DescriptorSetAllocateInfo<'static>, out: *mut vk::DescriptorSet
        );
        vkCreateCommandPool(
            device: vk::Device, info: *const vk::CommandPoolCreateInfo<'static>, alloc: Alloc,
            out: *mut vk::CommandPool
        ) { "VkCommandPool" 1 out };
        vkResetCommandPool(device: vk::Device, pool: vk::CommandPool, flags: vk::CommandPoolResetFlags);
        vkAllocateCommandBuffers(
            device: vk::Device, info: *const vk::CommandBufferAllocateInfo<'static>, out: *mut vk::CommandBuffer
        );
        vkBeginCommandBuffer(commands: vk::CommandBuffer, info: *const vk::CommandBufferBeginInfo<'static>);
        vkEndCommandBuffer(commands: vk::CommandBuffer);
        vkCreateQueryPool(
            device: vk::Device, info: *const vk::QueryPoolCreateInfo<'static>, alloc: Alloc, out: *mut vk::QueryPool
        ) { "VkQueryPool" 1 out };
        vkGetQueryPoolResults(
            device: vk::Device, pool: vk::QueryPool, first: u32, count: u32, size: usize, out: *mut c_void,
            stride: u64, flags: vk::QueryResultFlags
        );
        vkCreateFence(
            device: vk::Device, info: *const vk::FenceCreateInfo<'static>, alloc: Alloc, out: *mut vk::Fence
        ) { "VkFence" 1 out };
        vkResetFences(device: vk::Device, count: u32, fences: *const vk::Fence);
        vkGetFenceStatus(device: vk::Device, fence: vk::Fence);
        vkWaitForFences(device: vk::Device, count: u32, fences: *const vk::Fence, all: vk::Bool32, timeout: u64);
        vkCreateSemaphore(
            device: vk::Device, info: *const vk::SemaphoreCreateInfo<'static>, alloc: Alloc, out: *mut vk::Semaphore
        ) { "VkSemaphore" 1 out };
        vkGetSemaphoreCounterValue(device: vk::Device, semaphore: vk::Semaphore, value: *mut u64);
        vkWaitSemaphores(device: vk::Device, info: *const vk::SemaphoreWaitInfo<'static>, timeout: u64);
        vkQueueSubmit(queue: vk::Queue, count: u32, submits: *const vk::SubmitInfo<'static>, fence: vk::Fence);
        vkDeviceWaitIdle(device: vk::Device);
        vkCreateInstance(info: *const vk::InstanceCreateInfo<'static>, alloc: Alloc, out: *mut vk::Instance)
            { "VkInstance" 1 out };
        vkCreateDevice(
            physical: vk::PhysicalDevice, info: *const vk::DeviceCreateInfo<'static>, alloc: Alloc,
            out: *mut vk::Device
        ) { "VkDevice" 1 out };
    }
    destroying {
        vkDestroyInstance(instance: vk::Instance) "VkInstance";
        vkDestroyDebugUtilsMessengerEXT(instance: vk::Instance, messenger: vk::DebugUtilsMessengerEXT)
            "VkDebugUtilsMessengerEXT";
        vkDestroyDevice(device: vk::Device) "VkDevice";
        vkFreeMemory(device: vk::Device, memory: vk::DeviceMemory) "VkDeviceMemory";
        vkDestroyBuffer(device: vk::Device, buffer: vk::Buffer) "VkBuffer";
        vkDestroyBufferView(device: vk::Device, view: vk::BufferView) "VkBufferView";
        vkDestroyImage(device: vk::Device, image: vk::Image) "VkImage";
        vkDestroyImageView(device: vk::Device, view: vk::ImageView) "VkImageView";
        vkDestroySampler(device: vk::Device, sampler: vk::Sampler) "VkSampler";
        vkDestroyShaderModule(device: vk::Device, module: vk::ShaderModule) "VkShaderModule";
        vkDestroyDescriptorSetLayout(device: vk::Device, layout: vk::DescriptorSetLayout) "VkDescriptorSetLayout";
        vkDestroyPipelineLayout(device: vk::Device, layout: vk::PipelineLayout) "VkPipelineLayout";
        vkDestroyPipeline(device: vk::Device, pipeline: vk::Pipeline) "VkPipeline";
        vkDestroyDescriptorPool(device: vk::Device, pool: vk::DescriptorPool) "VkDescriptorPool";
        vkDestroyCommandPool(device: vk::Device, pool: vk::CommandPool) "VkCommandPool";
        vkDestroyQueryPool(device: vk::Device, pool: vk::QueryPool) "VkQueryPool";
        vkDestroyFence(device: vk::Device, fence: vk::Fence) "VkFence";
        vkDestroySemaphore(device: vk::Device, semaphore: vk::Semaphore) "VkSemaphore";
    }
}

about_none!(vk::CommandBuffer);

/// The functions that return that a device was lost, for all time once it was.
fn says_loss(name: &str) -> bool {
    [
        "vkQueueSubmit",
        "vkWaitForFences",
        "vkGetFenceStatus",
        "vkWaitSemaphores",
        "vkGetSemaphoreCounterValue",
        "vkGetQueryPoolResults",
        "vkDeviceWaitIdle",
    ]
    .contains(&name)
}

unsafe extern "system" fn vkGetDeviceQueue(device: vk::Device, family: u32, index: u32, out: *mut vk::Queue) {
    let Some(function) = find(c"vkGetDeviceQueue") else { return };
    // SAFETY: by the specification the function of this name has this type; there is room for the queue.
    unsafe {
        let function: vk::PFN_vkGetDeviceQueue = std::mem::transmute::<Pointer, _>(function);
        function(device, family, index, out);
        control::is_new(device.as_raw());
        let mut queues = QUEUES.lock().unwrap_or_else(PoisonError::into_inner);
        queues.retain(|q| q.0 != (*out).as_raw());
        queues.push(((*out).as_raw(), device.as_raw()));
    }
}

/// A function, in a table.
struct Function(*const c_void);

// SAFETY: functions are called from any thread.
unsafe impl Sync for Function {}

/// Wrappers that do more than to count and to fail.
static OWN: [(&str, Function); 3] = [
    ("vkGetDeviceQueue", Function(vkGetDeviceQueue as *const c_void)),
    ("vkGetSemaphoreCounterValue", Function(counter_value as *const c_void)),
    ("vkWaitSemaphores", Function(wait_semaphores as *const c_void)),
];

/// A slow device has done what was waited for, and no more.
unsafe extern "system" fn counter_value(
    device: vk::Device,
    semaphore: vk::Semaphore,
    value: *mut u64,
) -> vk::Result {
    // SAFETY: by the caller.
    let result = unsafe { vkGetSemaphoreCounterValue(device, semaphore, value) };
    if let Some(reached) = control::reached().filter(|_| result == vk::Result::SUCCESS) {
        // SAFETY: by the specification there is room for the value.
        unsafe { value.write(reached.min(*value)) };
    }
    result
}

unsafe extern "system" fn wait_semaphores(
    device: vk::Device,
    info: *const vk::SemaphoreWaitInfo<'static>,
    timeout: u64,
) -> vk::Result {
    // SAFETY: by the caller, the structure has one value a semaphore.
    unsafe {
        let result = vkWaitSemaphores(device, info, timeout);
        let values = std::slice::from_raw_parts((*info).p_values, (*info).semaphore_count as usize);
        if result == vk::Result::SUCCESS {
            control::reach(values.iter().copied().max().unwrap_or(0));
        }
        result
    }
}

/// The wrapper of a function that there is, or the function.
unsafe fn found(name: *const c_char, function: vk::PFN_vkVoidFunction) -> vk::PFN_vkVoidFunction {
    let function = function?;
    // SAFETY: the caller gives a string.
    let name = unsafe { CStr::from_ptr(name) }.to_str().unwrap_or_default();
    // SAFETY: a function's address is a function.
    Some(wrapper(name).map_or(function, |w| unsafe { std::mem::transmute::<*const c_void, Pointer>(w) }))
}

#[unsafe(no_mangle)]
pub unsafe extern "system" fn vkGetInstanceProcAddr(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    if !instance.is_null() {
        INSTANCE.store(instance.as_raw(), Ordering::Relaxed);
    }
    // SAFETY: the caller gives a string.
    if unsafe { CStr::from_ptr(name) } == c"vkGetDeviceProcAddr" {
        // SAFETY: as below.
        return unsafe {
            std::mem::transmute::<*const c_void, vk::PFN_vkVoidFunction>(get_device as *const c_void)
        };
    }
    let get = get_instance_proc_addr()?;
    // SAFETY: by the caller.
    unsafe { found(name, get(instance, name)) }
}

unsafe extern "system" fn get_device(device: vk::Device, name: *const c_char) -> vk::PFN_vkVoidFunction {
    let get = find(c"vkGetDeviceProcAddr")?;
    // SAFETY: by the specification the function of this name has this type, and by the caller.
    unsafe {
        let get: vk::PFN_vkGetDeviceProcAddr = std::mem::transmute::<Pointer, _>(get);
        found(name, get(device, name))
    }
}
