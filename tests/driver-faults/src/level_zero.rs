//! Level Zero: all functions, under their names.

use crate::control;
use level_zero_sys::*;
use std::ffi::{c_char, c_void};
use std::sync::OnceLock;

/// The true functions.
fn functions() -> Option<&'static Functions> {
    static FUNCTIONS: OnceLock<Option<Functions>> = OnceLock::new();
    FUNCTIONS
        .get_or_init(|| {
            let name = std::env::var_os("FAULTS_LEVEL_ZERO").unwrap_or_else(|| LOADER_NAMES[0].into());
            // SAFETY: the library is a Level Zero loader, or stands in for one.
            unsafe { open(name) }.ok()
        })
        .as_ref()
}

/// What a function makes or destroys.
fn counted(name: &'static str) -> Option<(&'static str, i64)> {
    if name.starts_with("zeMemAlloc") {
        return Some(("memory", 1));
    }
    Some(match name {
        "zeMemFree" => ("memory", -1),
        "zeCommandListCreateImmediate" => ("zeCommandList", 1),
        "zeModuleBuildLogDestroy" => return None,
        _ => match (name.strip_suffix("Create"), name.strip_suffix("Destroy")) {
            (Some(kind), _) => (kind, 1),
            (_, Some(kind)) => (kind, -1),
            _ => return None,
        },
    })
}

macro_rules! wrappers {
    ($($name:ident($($parameter:ident: $ty:ty),*);)*) => {
        $(
            #[unsafe(no_mangle)]
            #[allow(clippy::too_many_arguments)]
            pub unsafe extern "C" fn $name($($parameter: $ty),*) -> ze_result_t {
                const NAME: &str = stringify!($name);
                let Some(functions) = functions() else { return ZE_RESULT_ERROR_UNINITIALIZED };
                if let Some(result) = control::call(NAME).map(|result| result as ze_result_t) {
                    // A lost device does nothing any more, which the true one has to be waited for.
                    if result == ZE_RESULT_ERROR_DEVICE_LOST && NAME.ends_with("Synchronize") {
                        // SAFETY: by the caller.
                        unsafe { functions.$name($($parameter),*) };
                    }
                    return result;
                }
                // SAFETY: by the caller.
                let result = unsafe { functions.$name($($parameter),*) };
                if result == ZE_RESULT_SUCCESS && let Some((kind, n)) = counted(NAME) {
                    control::count(kind, n);
                }
                result
            }
        )*
    };
}

for_each_function!(wrappers);
