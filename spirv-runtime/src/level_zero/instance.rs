//! The loader and its drivers, opened once a process.

use super::errors::{check, failed, name};
use crate::error::{Result, error};
use level_zero_sys::*;
use std::ptr::null_mut;
use std::sync::{Mutex, PoisonError};

/// Names the loader, where the system does not find it.
const LOADER: &str = "SPIRV_LEVEL_ZERO_LOADER";
/// More drivers or devices than this a machine does not have.
const MAX_HANDLES: u32 = 1024;

/// The functions of the loader, and the drivers it found.
pub(super) struct Instance {
    pub api: Functions,
    pub drivers: Vec<Driver>,
}

/// A driver.
#[derive(Clone, Copy)]
pub(super) struct Driver {
    pub raw: ze_driver_handle_t,
    /// The version of the API that it implements.
    pub version: ze_api_version_t,
}

// SAFETY: functions and driver handles may be used from any thread.
unsafe impl Send for Instance {}
// SAFETY: as above.
unsafe impl Sync for Instance {}

impl Instance {
    /// The drivers, found at the first call that succeeds.
    pub fn get() -> Result<&'static Instance> {
        static INSTANCE: Mutex<Option<&'static Instance>> = Mutex::new(None);
        let mut slot = INSTANCE.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(instance) = *slot {
            return Ok(instance);
        }
        Ok(slot.insert(Box::leak(Box::new(Instance::new()?))))
    }

    fn new() -> Result<Instance> {
        let api = load()?;
        let drivers = init(&api)?
            .into_iter()
            .map(|raw| {
                let mut version = 0;
                // SAFETY: the driver was initialised.
                let result = unsafe { api.zeDriverGetApiVersion(raw, &mut version) };
                check("zeDriverGetApiVersion", result).map(|()| Driver { raw, version })
            })
            .collect::<Result<_>>()?;
        Ok(Instance { api, drivers })
    }
}

fn load() -> Result<Functions> {
    if let Some(path) = std::env::var_os(LOADER).filter(|p| !p.is_empty()) {
        // SAFETY: the user says that this is a Level Zero loader.
        return unsafe { open(&path) }.map_err(|e| {
            error!(NoDevice, "{LOADER} names `{}`, which cannot be opened: {e}", path.to_string_lossy())
        });
    }
    // SAFETY: these are the names of the Level Zero loader.
    LOADER_NAMES.iter().find_map(|name| unsafe { open(name) }.ok()).ok_or_else(|| {
        error!(
            NoDevice,
            "this machine has no Level Zero loader ({}); install it (Debian and Ubuntu: libze1) and the driver of \
             its GPU",
            LOADER_NAMES.join(", ")
        )
    })
}

/// Initialises the drivers: the way of 1.10 where there is one, otherwise the older one.
fn init(api: &Functions) -> Result<Vec<ze_driver_handle_t>> {
    let drivers = handles("zeInitDrivers", |count, out| {
        let mut desc = ze_init_driver_type_desc_t::new();
        // Devices that run no kernels are left out later.
        desc.flags = u32::MAX;
        // SAFETY: `out` is null or has room for `count` handles.
        unsafe { api.zeInitDrivers(count, out, &mut desc) }
    });
    if let Ok(drivers) = drivers
        && !drivers.is_empty()
    {
        return Ok(drivers);
    }
    // SAFETY: no flags: all drivers.
    match unsafe { api.zeInit(0) } {
        ZE_RESULT_SUCCESS => {}
        // This is all that the loader says when no driver works, whatever the reason.
        result @ (ZE_RESULT_ERROR_UNINITIALIZED | ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE) => {
            return Err(error!(
                NoDevice,
                "this machine has a Level Zero loader but no driver that works ({}); install the driver of its GPU \
                 (Debian: libze-intel-gpu1, Ubuntu: intel-level-zero-gpu) and see that you may use the GPU \
                 (/dev/dri/renderD128; group `render`)",
                name(result)
            ));
        }
        other => return Err(failed("zeInit", other)),
    }
    // SAFETY: `out` is null or has room for `count` handles.
    handles("zeDriverGet", |count, out| unsafe { api.zeDriverGet(count, out) })
}

/// What a function returns that is asked for a number first and for so many handles then.
pub(super) fn handles<T>(
    call: &str,
    mut get: impl FnMut(&mut u32, *mut *mut T) -> ze_result_t,
) -> Result<Vec<*mut T>> {
    let mut count = 0;
    check(call, get(&mut count, null_mut()))?;
    count = count.min(MAX_HANDLES);
    let mut out = vec![null_mut(); count as usize];
    if count != 0 {
        check(call, get(&mut count, out.as_mut_ptr()))?;
        out.truncate(count as usize);
    }
    Ok(out)
}
