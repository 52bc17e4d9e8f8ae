//! The dispatch tables that a loader asks for.
//!
//! The loader of API 1.4 wants a getter for each table of `ze`, `zet` and `zes`, or it refuses the driver; newer ones
//! want those of `ze` only. Tables only grow at their end, so a newer field may be written only if the version
//! that the loader asks for has it.

use crate::device::*;
use crate::events::*;
use crate::images::*;
use crate::lists::*;
use crate::memory::*;
use crate::modules::*;
use level_zero_sys::*;
use std::ffi::c_void;

/// One getter a table: fields are named as the functions, without what the table's name says already.
macro_rules! tables {
    ($($getter:ident($table:ty) { $($field:ident: $function:ident $(from $minor:literal)?,)* })*) => {
        $(
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $getter(version: ze_api_version_t, table: *mut $table) -> ze_result_t {
                if table.is_null() {
                    return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
                }
                loader_asks_for(version);
                $(
                    if true $(&& version >= make_version(1, $minor))? {
                        // SAFETY: the loader's table has this field in this version.
                        unsafe { (&raw mut (*table).$field).write(Some($function)) };
                    }
                )*
                ZE_RESULT_SUCCESS
            }
        )*
    };
}

tables! {
    zeGetGlobalProcAddrTable(ze_global_dditable_t) {
        pfnInit: zeInit,
        pfnInitDrivers: zeInitDrivers from 10,
    }
    zeGetDriverProcAddrTable(ze_driver_dditable_t) {
        pfnGet: zeDriverGet,
        pfnGetApiVersion: zeDriverGetApiVersion,
        pfnGetProperties: zeDriverGetProperties,
        pfnGetIpcProperties: zeDriverGetIpcProperties,
        pfnGetExtensionProperties: zeDriverGetExtensionProperties,
        pfnGetExtensionFunctionAddress: zeDriverGetExtensionFunctionAddress,
        pfnGetLastErrorDescription: zeDriverGetLastErrorDescription from 6,
    }
    zeGetDeviceProcAddrTable(ze_device_dditable_t) {
        pfnGet: zeDeviceGet,
        pfnGetSubDevices: zeDeviceGetSubDevices,
        pfnGetProperties: zeDeviceGetProperties,
        pfnGetComputeProperties: zeDeviceGetComputeProperties,
        pfnGetModuleProperties: zeDeviceGetModuleProperties,
        pfnGetCommandQueueGroupProperties: zeDeviceGetCommandQueueGroupProperties,
        pfnGetMemoryProperties: zeDeviceGetMemoryProperties,
        pfnGetMemoryAccessProperties: zeDeviceGetMemoryAccessProperties,
        pfnGetCacheProperties: zeDeviceGetCacheProperties,
        pfnGetImageProperties: zeDeviceGetImageProperties,
        pfnGetExternalMemoryProperties: zeDeviceGetExternalMemoryProperties,
        pfnGetP2PProperties: zeDeviceGetP2PProperties,
        pfnCanAccessPeer: zeDeviceCanAccessPeer,
        pfnGetStatus: zeDeviceGetStatus,
        pfnGetGlobalTimestamps: zeDeviceGetGlobalTimestamps,
    }
    zeGetContextProcAddrTable(ze_context_dditable_t) {
        pfnCreate: zeContextCreate,
        pfnCreateEx: zeContextCreateEx,
        pfnDestroy: zeContextDestroy,
        pfnGetStatus: zeContextGetStatus,
    }
    zeGetCommandQueueProcAddrTable(ze_command_queue_dditable_t) {
        pfnCreate: zeCommandQueueCreate,
        pfnDestroy: zeCommandQueueDestroy,
        pfnExecuteCommandLists: zeCommandQueueExecuteCommandLists,
        pfnSynchronize: zeCommandQueueSynchronize,
    }
    zeGetCommandListProcAddrTable(ze_command_list_dditable_t) {
        pfnCreate: zeCommandListCreate,
        pfnCreateImmediate: zeCommandListCreateImmediate,
        pfnDestroy: zeCommandListDestroy,
        pfnClose: zeCommandListClose,
        pfnReset: zeCommandListReset,
        pfnAppendWriteGlobalTimestamp: zeCommandListAppendWriteGlobalTimestamp,
        pfnAppendBarrier: zeCommandListAppendBarrier,
        pfnAppendMemoryRangesBarrier: zeCommandListAppendMemoryRangesBarrier,
        pfnAppendMemoryCopy: zeCommandListAppendMemoryCopy,
        pfnAppendImageCopyToMemory: zeCommandListAppendImageCopyToMemory,
        pfnAppendImageCopyFromMemory: zeCommandListAppendImageCopyFromMemory,
        pfnAppendMemoryFill: zeCommandListAppendMemoryFill,
        pfnAppendSignalEvent: zeCommandListAppendSignalEvent,
        pfnAppendWaitOnEvents: zeCommandListAppendWaitOnEvents,
        pfnAppendEventReset: zeCommandListAppendEventReset,
        pfnAppendLaunchKernel: zeCommandListAppendLaunchKernel,
        pfnAppendLaunchKernelIndirect: zeCommandListAppendLaunchKernelIndirect,
        pfnHostSynchronize: zeCommandListHostSynchronize from 6,
    }
    zeGetEventProcAddrTable(ze_event_dditable_t) {
        pfnCreate: zeEventCreate,
        pfnDestroy: zeEventDestroy,
        pfnHostSignal: zeEventHostSignal,
        pfnHostSynchronize: zeEventHostSynchronize,
        pfnQueryStatus: zeEventQueryStatus,
        pfnHostReset: zeEventHostReset,
        pfnQueryKernelTimestamp: zeEventQueryKernelTimestamp,
    }
    zeGetEventPoolProcAddrTable(ze_event_pool_dditable_t) {
        pfnCreate: zeEventPoolCreate,
        pfnDestroy: zeEventPoolDestroy,
    }
    zeGetFenceProcAddrTable(ze_fence_dditable_t) {
        pfnCreate: zeFenceCreate,
        pfnDestroy: zeFenceDestroy,
        pfnHostSynchronize: zeFenceHostSynchronize,
        pfnQueryStatus: zeFenceQueryStatus,
        pfnReset: zeFenceReset,
    }
    zeGetKernelProcAddrTable(ze_kernel_dditable_t) {
        pfnCreate: zeKernelCreate,
        pfnDestroy: zeKernelDestroy,
        pfnSetCacheConfig: zeKernelSetCacheConfig,
        pfnSetGroupSize: zeKernelSetGroupSize,
        pfnSuggestGroupSize: zeKernelSuggestGroupSize,
        pfnSetArgumentValue: zeKernelSetArgumentValue,
        pfnSetIndirectAccess: zeKernelSetIndirectAccess,
        pfnGetIndirectAccess: zeKernelGetIndirectAccess,
        pfnGetProperties: zeKernelGetProperties,
        pfnGetName: zeKernelGetName,
    }
    zeGetKernelExpProcAddrTable(ze_kernel_exp_dditable_t) {
        pfnSetGlobalOffsetExp: zeKernelSetGlobalOffsetExp,
    }
    zeGetImageProcAddrTable(ze_image_dditable_t) {
        pfnGetProperties: zeImageGetProperties,
        pfnCreate: zeImageCreate,
        pfnDestroy: zeImageDestroy,
    }
    zeGetMemProcAddrTable(ze_mem_dditable_t) {
        pfnAllocShared: zeMemAllocShared,
        pfnAllocDevice: zeMemAllocDevice,
        pfnAllocHost: zeMemAllocHost,
        pfnFree: zeMemFree,
        pfnGetAllocProperties: zeMemGetAllocProperties,
        pfnGetAddressRange: zeMemGetAddressRange,
    }
    zeGetModuleProcAddrTable(ze_module_dditable_t) {
        pfnCreate: zeModuleCreate,
        pfnDestroy: zeModuleDestroy,
        pfnGetKernelNames: zeModuleGetKernelNames,
        pfnGetNativeBinary: zeModuleGetNativeBinary,
        pfnGetProperties: zeModuleGetProperties,
    }
    zeGetModuleBuildLogProcAddrTable(ze_module_build_log_dditable_t) {
        pfnDestroy: zeModuleBuildLogDestroy,
        pfnGetString: zeModuleBuildLogGetString,
    }
}

/// Tables of which nothing is implemented: they stay as the loader made them, all null.
macro_rules! empty_tables {
    ($($getter:ident)*) => {
        $(
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $getter(_version: ze_api_version_t, table: *mut c_void) -> ze_result_t {
                if table.is_null() { ZE_RESULT_ERROR_INVALID_NULL_POINTER } else { ZE_RESULT_SUCCESS }
            }
        )*
    };
}

empty_tables! {
    zeGetPhysicalMemProcAddrTable zeGetSamplerProcAddrTable zeGetVirtualMemProcAddrTable
    zetGetContextProcAddrTable zetGetCommandListProcAddrTable zetGetDebugProcAddrTable zetGetDeviceProcAddrTable
    zetGetKernelProcAddrTable zetGetMetricGroupProcAddrTable zetGetMetricProcAddrTable
    zetGetMetricQueryPoolProcAddrTable zetGetMetricQueryProcAddrTable zetGetMetricStreamerProcAddrTable
    zetGetModuleProcAddrTable zetGetTracerExpProcAddrTable
    zesGetDeviceProcAddrTable zesGetDiagnosticsProcAddrTable zesGetDriverProcAddrTable zesGetEngineProcAddrTable
    zesGetFabricPortProcAddrTable zesGetFanProcAddrTable zesGetFirmwareProcAddrTable
    zesGetFrequencyProcAddrTable zesGetLedProcAddrTable zesGetMemoryProcAddrTable
    zesGetPerformanceFactorProcAddrTable zesGetPowerProcAddrTable zesGetPsuProcAddrTable zesGetRasProcAddrTable
    zesGetSchedulerProcAddrTable zesGetStandbyProcAddrTable zesGetTemperatureProcAddrTable
}
