//! Finding and opening devices.

use super::errors::failed;
use super::features::Features;
use super::instance::{Instance, NEWEST};
use super::stream::Stream;
use crate::device::{DeviceInfo, DeviceKind};
use crate::error::{Error, Result, error};
use crate::gpu::OpenDevices;
use ash::vk;
use gpu_allocator::vulkan::{Allocator, AllocatorCreateDesc};
use gpu_allocator::{AllocationSizes, AllocatorDebugSettings};
use std::ffi::CStr;
use std::mem::ManuallyDrop;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Memory is taken from the driver in blocks of this size at first; more as more is needed.
const FIRST_BLOCK: u64 = 16 << 20;
const LARGEST_BLOCK: u64 = 256 << 20;

/// What everything made on a device needs: the `VkDevice`, its queue and its memory.
pub(super) struct Shared {
    pub instance: &'static Instance,
    pub physical: vk::PhysicalDevice,
    pub raw: ash::Device,
    pub queue: vk::Queue,
    pub family: u32,
    /// Whether the queue does graphics, too.
    pub graphics: bool,
    pub version: u32,
    pub limits: vk::PhysicalDeviceLimits,
    /// Most descriptors in a set.
    pub descriptors_per_set: u32,
    pub features: Features,
    /// Whether buffers had better be where the host can reach them, since all memory is the host's.
    pub unified: bool,
    /// Whether to act as if the host could not reach the device's memory, for tests on machines where it can.
    pub staged: bool,
    /// Valid bits of timestamps; 0 if there are none.
    pub timestamp_bits: u32,
    /// How many samplers there are.
    pub samplers: AtomicU32,
    /// Why nothing works any more, once the device was lost.
    pub lost: OnceLock<Error>,
    allocator: ManuallyDrop<Mutex<Allocator>>,
}

impl Shared {
    /// Whether buffers have addresses.
    pub fn has_addresses(&self) -> bool {
        self.features.buffer_address.buffer_device_address == vk::TRUE
    }

    /// An error if the device was lost.
    pub fn alive(&self) -> Result<()> {
        self.lost.get().map_or(Ok(()), |error| Err(error.clone()))
    }

    pub fn allocator(&self) -> MutexGuard<'_, Allocator> {
        self.allocator.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: everything made from the device held this struct, so it is gone; the allocator is dropped here
        // only, and before its device.
        unsafe {
            ManuallyDrop::drop(&mut self.allocator);
            self.raw.destroy_device(None);
        }
    }
}

/// An open device with its stream of commands.
pub(crate) struct Device {
    pub(super) shared: Arc<Shared>,
    stream: Mutex<Stream>,
    info: DeviceInfo,
}

/// A physical device that can run kernels.
struct Candidate {
    physical: vk::PhysicalDevice,
    properties: vk::PhysicalDeviceProperties,
    family: u32,
    graphics: bool,
    timestamp_bits: u32,
}

fn candidates(instance: &Instance) -> Result<Vec<Candidate>> {
    // SAFETY: the instance is valid for the life of the process.
    let all = unsafe { instance.raw.enumerate_physical_devices() }
        .map_err(|e| failed("vkEnumeratePhysicalDevices", e))?;
    let mut out = Vec::new();
    for physical in all {
        // SAFETY: the device comes from this instance.
        let (properties, families) = unsafe {
            (
                instance.raw.get_physical_device_properties(physical),
                instance.raw.get_physical_device_queue_family_properties(physical),
            )
        };
        let family = families.iter().position(|f| f.queue_flags.contains(vk::QueueFlags::COMPUTE));
        if let Some(family) = family
            && properties.api_version >= vk::API_VERSION_1_1
        {
            let timestamp_bits = families[family].timestamp_valid_bits;
            let graphics = families[family].queue_flags.contains(vk::QueueFlags::GRAPHICS);
            out.push(Candidate { physical, properties, family: family as u32, graphics, timestamp_bits });
        }
    }
    Ok(out)
}

fn describe(index: usize, properties: &vk::PhysicalDeviceProperties) -> DeviceInfo {
    let name = properties.device_name_as_c_str().unwrap_or(c"unnamed").to_string_lossy().into_owned();
    let kind = match properties.device_type {
        vk::PhysicalDeviceType::DISCRETE_GPU => DeviceKind::DiscreteGpu,
        vk::PhysicalDeviceType::INTEGRATED_GPU => DeviceKind::IntegratedGpu,
        vk::PhysicalDeviceType::VIRTUAL_GPU => DeviceKind::VirtualGpu,
        vk::PhysicalDeviceType::CPU => DeviceKind::Software,
        _ => DeviceKind::Other,
    };
    DeviceInfo { id: format!("vulkan:{index}"), name, kind }
}

/// The devices of this machine; none if it has no Vulkan.
pub(crate) fn list() -> Vec<DeviceInfo> {
    let found = Instance::get().and_then(candidates).unwrap_or_default();
    found.iter().enumerate().map(|(i, c)| describe(i, &c.properties)).collect()
}

/// The device with this index in [`list`]; the same one while it is open.
pub(crate) fn open(index: usize) -> Result<Arc<Device>> {
    static OPEN: OpenDevices<Device> = OpenDevices::new();
    OPEN.open(index, || Device::new(index, false, false))
}

impl Device {
    /// Opens a device. `fences` and `staged` choose the ways of older and of discrete devices, for tests.
    pub(crate) fn new(index: usize, fences: bool, staged: bool) -> Result<Device> {
        let instance = Instance::get()?;
        let found = candidates(instance)?;
        let Some(chosen) = found.get(index) else {
            return Err(error!(
                NoDevice,
                "there is no `vulkan:{index}`: this machine has {} Vulkan device(s) that can run kernels",
                found.len()
            ));
        };
        let info = describe(index, &chosen.properties);
        let version = chosen.properties.api_version.min(NEWEST);
        let physical = chosen.physical;
        let (raw, features) = create_device(instance, chosen, version)
            .map_err(|e| e.at(format_args!("opening device `{}`", info.name)))?;
        // SAFETY: the family was requested with one queue.
        let queue = unsafe { raw.get_device_queue(chosen.family, 0) };
        let allocator = Allocator::new(&AllocatorCreateDesc {
            instance: instance.raw.clone(),
            device: raw.clone(),
            physical_device: physical,
            debug_settings: AllocatorDebugSettings::default(),
            buffer_device_address: features.buffer_address.buffer_device_address == vk::TRUE,
            allocation_sizes: AllocationSizes::new(FIRST_BLOCK, FIRST_BLOCK)
                .with_max_device_memblock_size(LARGEST_BLOCK)
                .with_max_host_memblock_size(LARGEST_BLOCK),
        });
        let allocator = match allocator {
            Ok(allocator) => ManuallyDrop::new(Mutex::new(allocator)),
            Err(e) => {
                // SAFETY: nothing else was made from the device.
                unsafe { raw.destroy_device(None) };
                return Err(error!(Driver, "opening device `{}`: {e}", info.name));
            }
        };
        let unified = matches!(info.kind, DeviceKind::IntegratedGpu | DeviceKind::Software);
        let shared = Arc::new(Shared {
            instance,
            physical,
            raw,
            queue,
            family: chosen.family,
            graphics: chosen.graphics,
            version,
            limits: chosen.properties.limits,
            descriptors_per_set: descriptors_per_set(instance, physical),
            features,
            unified,
            staged,
            timestamp_bits: chosen.timestamp_bits,
            samplers: AtomicU32::new(0),
            lost: OnceLock::new(),
            allocator,
        });
        let stream =
            Stream::new(&shared, fences).map_err(|e| e.at(format_args!("opening device `{}`", info.name)))?;
        let stream = Mutex::new(stream);
        Ok(Device { shared, stream, info })
    }

    pub(crate) fn name(&self) -> &str {
        &self.info.name
    }

    pub(crate) fn kind(&self) -> DeviceKind {
        self.info.kind
    }

    pub(super) fn stream(&self) -> MutexGuard<'_, Stream> {
        self.stream.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        // What is recorded but not submitted has no reader left.
        self.stream.get_mut().unwrap_or_else(PoisonError::into_inner).destroy(&self.shared);
    }
}

fn descriptors_per_set(instance: &Instance, physical: vk::PhysicalDevice) -> u32 {
    let mut sets = vk::PhysicalDeviceMaintenance3Properties::default();
    let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut sets);
    // SAFETY: the device comes from this instance and is of version 1.1 at least, which knows the structure.
    unsafe { instance.raw.get_physical_device_properties2(physical, &mut all) };
    sets.max_per_set_descriptors
}

fn create_device(instance: &Instance, chosen: &Candidate, version: u32) -> Result<(ash::Device, Features)> {
    let physical = chosen.physical;
    // SAFETY: the device comes from this instance.
    let extensions = unsafe { instance.raw.enumerate_device_extension_properties(physical) }
        .map_err(|e| failed("vkEnumerateDeviceExtensionProperties", e))?;
    let has = |name: &CStr| extensions.iter().any(|e| e.extension_name_as_c_str() == Ok(name));
    let mut features = Features::query(instance, physical, version, &has);
    let mut names: Vec<_> = features.extensions.iter().map(|n| n.as_ptr()).collect();
    if has(ash::khr::portability_subset::NAME) {
        // Must be enabled where present.
        names.push(ash::khr::portability_subset::NAME.as_ptr());
    }
    let priorities = [1.0];
    let queues = [vk::DeviceQueueCreateInfo::default()
        .queue_family_index(chosen.family)
        .queue_priorities(&priorities)];
    let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_extension_names(&names);
    let raw = features.with_chain(version, info, |info| {
        // SAFETY: the queue family exists, extensions and features are those that the device reported.
        unsafe { instance.raw.create_device(physical, info, None) }
    });
    Ok((raw.map_err(|e| failed("vkCreateDevice", e))?, features))
}
