//! The driver, its one device and contexts.

use crate::clock;
use crate::images::max_side;
use crate::lists::{MAX_PATTERN, QUEUES};
use crate::modules::MAX_GROUP;
use crate::opencl::{self, OpenCl};
use level_zero_sys::*;
use std::ffi::{c_char, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, Ordering};

/// The version of the API that is implemented where the loader knows it.
const NEWEST: ze_api_version_t = make_version(1, 14);

/// Handles of the driver and the device are the addresses of these.
static DRIVER: u8 = 0;
static DEVICE: u8 = 0;

/// The version that the loader asked for, if it is not newer than ours.
static VERSION: AtomicU32 = AtomicU32::new(NEWEST);

pub fn loader_asks_for(version: ze_api_version_t) {
    VERSION.store(version.min(NEWEST), Ordering::Relaxed);
}

fn driver_handle() -> ze_driver_handle_t {
    (&raw const DRIVER).cast_mut().cast()
}

pub fn device_handle() -> ze_device_handle_t {
    (&raw const DEVICE).cast_mut().cast()
}

/// Writes into a structure that has a tag and a chain, which stay.
macro_rules! answer {
    ($out:ident: $ty:ty, $($field:ident: $value:expr),* $(,)?) => {{
        // SAFETY: there is room for the structure, by the specification.
        let out: &mut $ty = unsafe { &mut *$out };
        *out = <$ty>::new_like(out);
        $(out.$field = $value;)*
        ZE_RESULT_SUCCESS
    }};
}

/// A structure of zeros with another's tag and chain.
trait NewLike {
    fn new_like(other: &Self) -> Self;
}

macro_rules! new_like {
    ($($ty:ty),*) => {
        $(impl NewLike for $ty {
            fn new_like(other: &$ty) -> $ty {
                let mut new = <$ty>::new();
                (new.stype, new.pNext) = (other.stype, other.pNext);
                new
            }
        })*
    };
}

new_like!(
    ze_driver_properties_t,
    ze_driver_ipc_properties_t,
    ze_device_properties_t,
    ze_device_compute_properties_t,
    ze_device_module_properties_t,
    ze_command_queue_group_properties_t,
    ze_device_memory_properties_t,
    ze_device_memory_access_properties_t,
    ze_device_cache_properties_t,
    ze_device_image_properties_t,
    ze_device_external_memory_properties_t,
    ze_device_p2p_properties_t
);

/// Answers a question for a number of things (none asked for), or for the one that there is.
///
/// # Safety
/// `count` is valid.
unsafe fn only_one(count: *mut u32, wants: bool, give: impl FnOnce() -> ze_result_t) -> ze_result_t {
    // SAFETY: the caller's promise.
    let asked = unsafe { count.replace(1) };
    if asked == 0 || !wants { ZE_RESULT_SUCCESS } else { give() }
}

fn with_opencl(give: impl FnOnce(&OpenCl) -> ze_result_t) -> ze_result_t {
    opencl::get().map_or(ZE_RESULT_ERROR_UNINITIALIZED, give)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeInit(_flags: ze_init_flags_t) -> ze_result_t {
    with_opencl(|_| ZE_RESULT_SUCCESS)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeInitDrivers(
    count: *mut u32,
    out: *mut ze_driver_handle_t,
    _desc: *mut ze_init_driver_type_desc_t,
) -> ze_result_t {
    // SAFETY: the arguments are valid, by the specification.
    with_opencl(|_| unsafe { zeDriverGet(count, out) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeDriverGet(count: *mut u32, out: *mut ze_driver_handle_t) -> ze_result_t {
    // SAFETY: the arguments are valid, by the specification.
    unsafe {
        only_one(count, !out.is_null(), || {
            out.write(driver_handle());
            ZE_RESULT_SUCCESS
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeDriverGetApiVersion(
    _driver: ze_driver_handle_t,
    out: *mut ze_api_version_t,
) -> ze_result_t {
    // SAFETY: there is room for the result, by the specification.
    unsafe { out.write(VERSION.load(Ordering::Relaxed)) };
    ZE_RESULT_SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeDriverGetProperties(
    _driver: ze_driver_handle_t,
    out: *mut ze_driver_properties_t,
) -> ze_result_t {
    answer!(out: ze_driver_properties_t, uuid: ze_driver_uuid_t { id: [0x5a; 16] }, driverVersion: 1)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeDriverGetIpcProperties(
    _driver: ze_driver_handle_t,
    out: *mut ze_driver_ipc_properties_t,
) -> ze_result_t {
    answer!(out: ze_driver_ipc_properties_t, flags: 0)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeDriverGetExtensionProperties(
    _driver: ze_driver_handle_t,
    count: *mut u32,
    _out: *mut ze_driver_extension_properties_t,
) -> ze_result_t {
    // SAFETY: the count is valid, by the specification.
    unsafe { count.write(0) };
    ZE_RESULT_SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeDriverGetExtensionFunctionAddress(
    _driver: ze_driver_handle_t,
    _name: *const c_char,
    out: *mut *mut c_void,
) -> ze_result_t {
    // SAFETY: there is room for the result, by the specification.
    unsafe { out.write(null_mut()) };
    ZE_RESULT_ERROR_UNSUPPORTED_FEATURE
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeDriverGetLastErrorDescription(
    _driver: ze_driver_handle_t,
    out: *mut *const c_char,
) -> ze_result_t {
    // SAFETY: there is room for the result, by the specification.
    unsafe { out.write(c"".as_ptr()) };
    ZE_RESULT_SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeDeviceGet(
    _driver: ze_driver_handle_t,
    count: *mut u32,
    out: *mut ze_device_handle_t,
) -> ze_result_t {
    // SAFETY: the arguments are valid, by the specification.
    unsafe {
        only_one(count, !out.is_null(), || {
            out.write(device_handle());
            ZE_RESULT_SUCCESS
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeDeviceGetSubDevices(
    _device: ze_device_handle_t,
    count: *mut u32,
    _out: *mut ze_device_handle_t,
) -> ze_result_t {
    // SAFETY: the count is valid, by the specification.
    unsafe { count.write(0) };
    ZE_RESULT_SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeDeviceGetProperties(
    _device: ze_device_handle_t,
    out: *mut ze_device_properties_t,
) -> ze_result_t {
    with_opencl(|cl| {
        let mut name = [0; 256];
        // One byte stays zero.
        for (to, from) in name[..255].iter_mut().zip(format!("ze-on-opencl: {}", cl.name).bytes()) {
            *to = from as c_char;
        }
        // SAFETY: the structure is valid, by the specification.
        let in_ticks = unsafe { (*out).stype } == ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2;
        answer!(out: ze_device_properties_t,
            r#type: ZE_DEVICE_TYPE_CPU,
            vendorId: 0x8086,
            coreClockRate: 1000,
            maxMemAllocSize: cl.memory / 4,
            maxHardwareContexts: 64,
            numThreadsPerEU: 8,
            physicalEUSimdWidth: 8,
            numEUsPerSubslice: 1,
            numSubslicesPerSlice: cl.units,
            numSlices: 1,
            timerResolution: if in_ticks { 1_000_000_000 / clock::tick() } else { clock::tick() },
            timestampValidBits: clock::BITS,
            kernelTimestampValidBits: clock::BITS,
            uuid: ze_device_uuid_t { id: [0xc1; 16] },
            name: name,
        )
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeDeviceGetComputeProperties(
    _device: ze_device_handle_t,
    out: *mut ze_device_compute_properties_t,
) -> ze_result_t {
    with_opencl(|cl| {
        answer!(out: ze_device_compute_properties_t,
            maxTotalGroupSize: MAX_GROUP,
            maxGroupSizeX: MAX_GROUP,
            maxGroupSizeY: MAX_GROUP,
            maxGroupSizeZ: MAX_GROUP,
            maxGroupCountX: u32::MAX,
            maxGroupCountY: u32::MAX,
            maxGroupCountZ: u32::MAX,
            maxSharedLocalMemory: u32::try_from(cl.local_memory).unwrap_or(u32::MAX),
            numSubGroupSizes: 2,
            subGroupSizes: [16, 32, 0, 0, 0, 0, 0, 0],
        )
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeDeviceGetModuleProperties(
    _device: ze_device_handle_t,
    out: *mut ze_device_module_properties_t,
) -> ze_result_t {
    let flags = ZE_DEVICE_MODULE_FLAG_FP16 | ZE_DEVICE_MODULE_FLAG_FP64 | ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS;
    answer!(out: ze_device_module_properties_t,
        spirvVersionSupported: make_version(1, 4),
        flags: flags,
        fp32flags: 0xf,
        fp64flags: 0xf,
        fp16flags: 0xf,
        maxArgumentsSize: 2048,
        printfBufferSize: 1 << 20,
        nativeKernelSupported: ze_native_kernel_uuid_t { id: [0x11; 16] },
    )
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeDeviceGetCommandQueueGroupProperties(
    _device: ze_device_handle_t,
    count: *mut u32,
    out: *mut ze_command_queue_group_properties_t,
) -> ze_result_t {
    let give = || {
        answer!(out: ze_command_queue_group_properties_t,
            flags: ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE | ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY,
            maxMemoryFillPatternSize: MAX_PATTERN,
            numQueues: QUEUES,
        )
    };
    // SAFETY: the count is valid, by the specification.
    unsafe { only_one(count, !out.is_null(), give) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeDeviceGetMemoryProperties(
    _device: ze_device_handle_t,
    count: *mut u32,
    out: *mut ze_device_memory_properties_t,
) -> ze_result_t {
    with_opencl(|cl| {
        let give = || answer!(out: ze_device_memory_properties_t, maxClockRate: 1, maxBusWidth: 64, totalSize: cl.memory);
        // SAFETY: the count is valid, by the specification.
        unsafe { only_one(count, !out.is_null(), give) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeDeviceGetMemoryAccessProperties(
    _device: ze_device_handle_t,
    out: *mut ze_device_memory_access_properties_t,
) -> ze_result_t {
    let all = ZE_MEMORY_ACCESS_CAP_FLAG_RW | ZE_MEMORY_ACCESS_CAP_FLAG_ATOMIC;
    answer!(out: ze_device_memory_access_properties_t,
        hostAllocCapabilities: all,
        deviceAllocCapabilities: all,
        sharedSingleDeviceAllocCapabilities: all,
    )
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeDeviceGetCacheProperties(
    _device: ze_device_handle_t,
    count: *mut u32,
    out: *mut ze_device_cache_properties_t,
) -> ze_result_t {
    let give = || answer!(out: ze_device_cache_properties_t, cacheSize: 1 << 20);
    // SAFETY: the count is valid, by the specification.
    unsafe { only_one(count, !out.is_null(), give) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeDeviceGetImageProperties(
    _device: ze_device_handle_t,
    out: *mut ze_device_image_properties_t,
) -> ze_result_t {
    let side = max_side();
    let arguments = if side == 0 { 0 } else { 128 };
    answer!(out: ze_device_image_properties_t,
        maxImageDims2D: side,
        maxReadImageArgs: arguments,
        maxWriteImageArgs: arguments,
    )
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeDeviceGetExternalMemoryProperties(
    _device: ze_device_handle_t,
    out: *mut ze_device_external_memory_properties_t,
) -> ze_result_t {
    answer!(out: ze_device_external_memory_properties_t, memoryAllocationImportTypes: 0)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeDeviceGetP2PProperties(
    _device: ze_device_handle_t,
    _peer: ze_device_handle_t,
    out: *mut ze_device_p2p_properties_t,
) -> ze_result_t {
    answer!(out: ze_device_p2p_properties_t, flags: 0)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeDeviceCanAccessPeer(
    device: ze_device_handle_t,
    peer: ze_device_handle_t,
    out: *mut ze_bool_t,
) -> ze_result_t {
    // SAFETY: there is room for the result, by the specification.
    unsafe { out.write(u8::from(device == peer)) };
    ZE_RESULT_SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeDeviceGetStatus(_device: ze_device_handle_t) -> ze_result_t {
    ZE_RESULT_SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeDeviceGetGlobalTimestamps(
    _device: ze_device_handle_t,
    host: *mut u64,
    device: *mut u64,
) -> ze_result_t {
    // SAFETY: there is room for the results, by the specification.
    unsafe {
        host.write(clock::nanoseconds());
        device.write(clock::ticks());
    }
    ZE_RESULT_SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeContextCreate(
    _driver: ze_driver_handle_t,
    _desc: *const ze_context_desc_t,
    out: *mut ze_context_handle_t,
) -> ze_result_t {
    // All contexts are OpenCL's one; each has an address of its own.
    // SAFETY: there is room for the result, by the specification.
    unsafe { out.write(Box::into_raw(Box::new(0u64)).cast()) };
    ZE_RESULT_SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeContextCreateEx(
    driver: ze_driver_handle_t,
    desc: *const ze_context_desc_t,
    _devices: u32,
    _list: *mut ze_device_handle_t,
    out: *mut ze_context_handle_t,
) -> ze_result_t {
    // SAFETY: the arguments are valid, by the specification.
    unsafe { zeContextCreate(driver, desc, out) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeContextDestroy(context: ze_context_handle_t) -> ze_result_t {
    // SAFETY: the handle comes from `zeContextCreate` and is not used again.
    drop(unsafe { Box::from_raw(context.cast::<u64>()) });
    ZE_RESULT_SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeContextGetStatus(_context: ze_context_handle_t) -> ze_result_t {
    ZE_RESULT_SUCCESS
}
