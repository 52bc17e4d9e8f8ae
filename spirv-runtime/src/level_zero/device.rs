//! Finding and opening devices.

use super::errors::{answers, check};
use super::instance::{Driver, Instance, handles};
use super::stream::Stream;
use crate::device::{DeviceInfo, DeviceKind};
use crate::error::{Error, Result, error};
use crate::gpu::OpenDevices;
use level_zero_sys::*;
use std::ffi::CStr;
use std::ptr::null_mut;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// In-order immediate lists, and waiting for them, are of version 1.6 of the API.
const IN_ORDER_LISTS: ze_api_version_t = make_version(1, 6);
/// From this version on the timer's resolution is in ticks a second instead of nanoseconds a tick.
const TICKS_PER_SECOND: ze_api_version_t = make_version(1, 2);

/// What everything made on a device needs: its handle, a context and its limits.
pub(super) struct Shared {
    pub api: Functions,
    pub raw: ze_device_handle_t,
    pub context: ze_context_handle_t,
    pub compute: ze_device_compute_properties_t,
    pub module: ze_device_module_properties_t,
    /// Number of the group of queues that run kernels.
    pub ordinal: u32,
    /// Most bytes of an allocation, unless limits are relaxed.
    pub max_allocation: u64,
    /// Most texels on a side of an image; 0 if the device has none.
    pub max_image_side: u32,
    /// Most images that a kernel reads, and that it writes.
    pub max_images: [u32; 2],
    /// Whether buffers are in memory that the host can reach, too.
    pub unified: bool,
    pub nanoseconds_per_tick: f64,
    pub timestamp_bits: u32,
    /// Why nothing works any more, once the device was lost.
    pub lost: OnceLock<Error>,
}

// SAFETY: the specification allows the use of devices and contexts from several threads.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: everything made in the context held this struct, so it is gone.
        unsafe { self.api.zeContextDestroy(self.context) };
    }
}

/// An open device with its stream of commands.
pub(crate) struct Device {
    pub(super) shared: Arc<Shared>,
    stream: Mutex<Stream>,
    info: DeviceInfo,
}

/// A device that can run kernels.
struct Candidate {
    driver: Driver,
    raw: ze_device_handle_t,
    properties: ze_device_properties_t,
    module: ze_device_module_properties_t,
    ordinal: u32,
}

fn candidates(instance: &Instance) -> Result<Vec<Candidate>> {
    let api = &instance.api;
    let mut out = Vec::new();
    for driver in &instance.drivers {
        // SAFETY: `out` is null or has room for `count` handles.
        let devices =
            handles("zeDeviceGet", |count, out| unsafe { api.zeDeviceGet(driver.raw, count, out) })?;
        for raw in devices {
            if let Some(candidate) = candidate(api, *driver, raw)? {
                out.push(candidate);
            }
        }
    }
    Ok(out)
}

/// None if the device takes no SPIR-V (as neural processors do not) or has no queue for kernels.
fn candidate(api: &Functions, driver: Driver, raw: ze_device_handle_t) -> Result<Option<Candidate>> {
    let mut properties = ze_device_properties_t::new();
    if driver.version >= TICKS_PER_SECOND {
        properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2;
    }
    let mut module = ze_device_module_properties_t::new();
    // SAFETY: the device is the driver's, and the structures have their tags.
    unsafe {
        check("zeDeviceGetProperties", api.zeDeviceGetProperties(raw, &mut properties))?;
        let result = api.zeDeviceGetModuleProperties(raw, &mut module);
        if !answers("zeDeviceGetModuleProperties", result)? || module.spirvVersionSupported == 0 {
            return Ok(None);
        }
    }
    let mut count = 0;
    // SAFETY: null asks for the number only.
    let result = unsafe { api.zeDeviceGetCommandQueueGroupProperties(raw, &mut count, null_mut()) };
    check("zeDeviceGetCommandQueueGroupProperties", result)?;
    let mut groups = vec![ze_command_queue_group_properties_t::new(); count as usize];
    // SAFETY: there is room for `count` structures, which have their tags.
    let result = unsafe { api.zeDeviceGetCommandQueueGroupProperties(raw, &mut count, groups.as_mut_ptr()) };
    check("zeDeviceGetCommandQueueGroupProperties", result)?;
    let compute = ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE;
    let ordinal = groups.iter().position(|g| g.flags & compute != 0 && g.numQueues > 0);
    Ok(ordinal.map(|ordinal| Candidate { driver, raw, properties, module, ordinal: ordinal as u32 }))
}

fn describe(index: usize, properties: &ze_device_properties_t) -> DeviceInfo {
    // SAFETY: `c_char` and `u8` have the same size and alignment, and any bits are a value of both.
    let bytes: &[u8; 256] = unsafe { &*(&raw const properties.name).cast() };
    let name = CStr::from_bytes_until_nul(bytes).unwrap_or(c"unnamed").to_string_lossy().into_owned();
    let integrated = properties.flags & ZE_DEVICE_PROPERTY_FLAG_INTEGRATED != 0;
    let kind = match properties.r#type {
        ZE_DEVICE_TYPE_GPU if integrated => DeviceKind::IntegratedGpu,
        ZE_DEVICE_TYPE_GPU => DeviceKind::DiscreteGpu,
        ZE_DEVICE_TYPE_CPU => DeviceKind::Software,
        _ => DeviceKind::Other,
    };
    DeviceInfo { id: format!("level-zero:{index}"), name, kind }
}

/// The devices of this machine; none if it has no Level Zero.
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
    /// Opens a device. `regular` and `staged` choose the ways of older drivers and of discrete devices, for tests.
    pub(crate) fn new(index: usize, regular: bool, staged: bool) -> Result<Device> {
        let instance = Instance::get()?;
        let found = candidates(instance)?;
        let Some(chosen) = found.get(index) else {
            return Err(error!(
                NoDevice,
                "there is no `level-zero:{index}`: this machine has {} Level Zero device(s) that can run kernels",
                found.len()
            ));
        };
        let info = describe(index, &chosen.properties);
        Device::open(instance, chosen, &info, regular, staged)
            .map_err(|e| e.at(format_args!("opening device `{}`", info.name)))
    }

    fn open(
        instance: &Instance,
        chosen: &Candidate,
        info: &DeviceInfo,
        regular: bool,
        staged: bool,
    ) -> Result<Device> {
        let api = instance.api;
        let properties = &chosen.properties;
        let mut compute = ze_device_compute_properties_t::new();
        let mut access = ze_device_memory_access_properties_t::new();
        let mut images = ze_device_image_properties_t::new();
        let mut context = null_mut();
        // SAFETY: the device is the driver's, and the structures have their tags.
        unsafe {
            // A device that does not say has none.
            let result = api.zeDeviceGetImageProperties(chosen.raw, &mut images);
            if !answers("zeDeviceGetImageProperties", result)? {
                images.maxImageDims2D = 0;
            }
            let result = api.zeDeviceGetComputeProperties(chosen.raw, &mut compute);
            check("zeDeviceGetComputeProperties", result)?;
            let result = api.zeDeviceGetMemoryAccessProperties(chosen.raw, &mut access);
            check("zeDeviceGetMemoryAccessProperties", result)?;
            let desc = ze_context_desc_t::new();
            check("zeContextCreate", api.zeContextCreate(chosen.driver.raw, &desc, &mut context))?;
        }
        // Where the host's memory is the device's, copies between the two are a waste.
        let one_memory = matches!(info.kind, DeviceKind::IntegratedGpu | DeviceKind::Software);
        let shares = access.sharedSingleDeviceAllocCapabilities & ZE_MEMORY_ACCESS_CAP_FLAG_RW != 0;
        let resolution = (properties.timerResolution as f64).max(1.0);
        let nanoseconds_per_tick =
            if chosen.driver.version >= TICKS_PER_SECOND { 1e9 / resolution } else { resolution };
        let shared = Arc::new(Shared {
            api,
            raw: chosen.raw,
            context,
            compute,
            module: chosen.module,
            ordinal: chosen.ordinal,
            max_allocation: properties.maxMemAllocSize,
            max_image_side: images.maxImageDims2D,
            max_images: [images.maxReadImageArgs, images.maxWriteImageArgs],
            unified: one_memory && shares && !staged,
            nanoseconds_per_tick,
            timestamp_bits: properties.kernelTimestampValidBits,
            lost: OnceLock::new(),
        });
        // The loader may be too old to have the function, or the driver to know the flag.
        let in_order = chosen.driver.version >= IN_ORDER_LISTS && api.zeCommandListHostSynchronize.is_some();
        let stream = Mutex::new(Stream::new(&shared, in_order && !regular)?);
        Ok(Device { shared, stream, info: info.clone() })
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
        if !self.stream.get_mut().unwrap_or_else(PoisonError::into_inner).destroy(&self.shared) {
            // Freeing what the device may be using is worse than not freeing it.
            std::mem::forget(Arc::clone(&self.shared));
        }
    }
}
