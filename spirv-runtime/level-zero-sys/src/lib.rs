//! Bindings of the Level Zero core API, opened at run time: nothing is linked.
//!
//! The declarations in `api` (and `ddi`, for drivers) are generated from the headers by `generate.py`.
//!
//! An old loader lacks newer functions; a new loader over an old driver has them all, but they return
//! [`ZE_RESULT_ERROR_UNSUPPORTED_FEATURE`]. A missing function here returns the same, so that callers have one case
//! to look for.
#![deny(missing_docs)]
#![allow(non_camel_case_types, non_snake_case)]

/// Gives every structure that begins with a type tag a way to be made.
macro_rules! structures {
    ($($name:ident: $tag:ident,)*) => {
        $(
            impl $name {
                /// All zeros, except for the type tag.
                pub fn new() -> $name {
                    // SAFETY: integers, pointers and arrays of them: zeros are a value of each.
                    $name { stype: $tag, ..unsafe { std::mem::zeroed() } }
                }
            }

            impl Default for $name {
                fn default() -> $name {
                    $name::new()
                }
            }
        )*
    };
}

/// From the signatures: their types, a table of them and calls through it.
macro_rules! functions {
    ($($name:ident($($parameter:ident: $ty:ty),* $(,)?);)*) => {
        /// The types of the functions.
        pub mod pfn {
            use super::*;
            $(pub type $name = unsafe extern "C" fn($($ty),*) -> ze_result_t;)*
        }

        /// The functions that a library has.
        #[derive(Clone, Copy)]
        pub struct Functions {
            $(pub $name: Option<pfn::$name>,)*
        }

        impl Functions {
            pub(crate) fn load(library: &libloading::Library) -> Functions {
                Functions {
                    // SAFETY: a symbol with this name is a function of this type, by the API's specification.
                    $($name: unsafe { library.get(concat!(stringify!($name), "\0").as_bytes()) }
                        .ok()
                        .map(|f| *f),)*
                }
            }

            $(
                /// The function of this name; `ZE_RESULT_ERROR_UNSUPPORTED_FEATURE` if the library has none.
                ///
                /// # Safety
                /// As the API's specification says.
                #[allow(clippy::too_many_arguments)]
                pub unsafe fn $name(&self, $($parameter: $ty),*) -> ze_result_t {
                    match self.$name {
                        // SAFETY: the caller's promise.
                        Some(f) => unsafe { f($($parameter),*) },
                        None => ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
                    }
                }
            )*
        }
    };
}

#[rustfmt::skip]
#[allow(missing_docs, clippy::all)]
mod api;
#[rustfmt::skip]
#[cfg(feature = "driver")]
#[allow(missing_docs, clippy::all)]
mod ddi;

pub use api::*;
#[cfg(feature = "driver")]
pub use ddi::*;

use std::ffi::OsStr;

/// The names of the loader, the usual one first.
pub const LOADER_NAMES: &[&str] =
    if cfg!(windows) { &["ze_loader.dll"] } else { &["libze_loader.so.1", "libze_loader.so"] };

/// The version of the API with these numbers, as `zeDriverGetApiVersion` reports it.
pub const fn make_version(major: u32, minor: u32) -> ze_api_version_t {
    major << 16 | minor
}

/// Opens the loader (or a library that stands in for it) and looks up its functions. It stays open for the life of
/// the process: drivers have threads and handlers of their own, which do not survive being unloaded.
///
/// # Errors
/// The library cannot be opened.
///
/// # Safety
/// The library's initialisation code runs; it must be a Level Zero loader.
pub unsafe fn open(name: impl AsRef<OsStr>) -> Result<Functions, libloading::Error> {
    // SAFETY: the caller's promise.
    let library = unsafe { libloading::Library::new(name) }?;
    let functions = Functions::load(&library);
    std::mem::forget(library);
    Ok(functions)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn a_missing_library_is_an_error() {
        // SAFETY: there is no such library.
        assert!(unsafe { open("libze_loader_that_is_not_there.so.77") }.is_err());
    }

    #[test]
    fn missing_functions_are_unsupported() {
        // SAFETY: null is the address of no function, which is what `None` is; nothing is called.
        let none: Functions = unsafe { std::mem::zeroed() };
        // SAFETY: the function is missing.
        assert_eq!(unsafe { none.zeInit(0) }, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    }

    #[test]
    fn results_have_names() {
        assert_eq!(result_name(0x7800_0001), Some("ZE_RESULT_ERROR_UNINITIALIZED"));
        assert_eq!(result_name(0x1234), None);
    }

    #[test]
    fn tags_are_set() {
        assert_eq!(ze_module_desc_t::new().stype, ZE_STRUCTURE_TYPE_MODULE_DESC);
        assert!(ze_module_desc_t::new().pNext.is_null());
    }

    /// The C compiler gives every structure the size that it has here.
    #[test]
    fn structures_have_the_size_of_the_headers() {
        let header = std::path::Path::new("/usr/include/level_zero/ze_api.h");
        let Ok(text) = std::fs::read_to_string(header) else {
            return missing("no Level Zero headers (libze-dev)");
        };
        let mut program = String::from("#include <level_zero/ze_api.h>\n");
        let mut n = 0;
        for (name, size) in SIZES.iter().filter(|(name, _)| text.contains(&format!("}} {name};"))) {
            program += &format!("_Static_assert(sizeof({name}) == {size}, \"{name}\");\n");
            n += 1;
        }
        assert!(n > 20, "the headers declare only {n} of the structures");
        let file = std::env::temp_dir().join(format!("level-zero-sys-{}.c", std::process::id()));
        std::fs::write(&file, program).unwrap();
        let run = Command::new("cc").args(["-fsyntax-only", "-w"]).arg(&file).output();
        let _ = std::fs::remove_file(&file);
        match run {
            Ok(done) => assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr)),
            Err(e) => missing(&format!("no C compiler ({e})")),
        }
    }

    fn missing(what: &str) {
        assert!(std::env::var_os("SPIRV_REQUIRE_COMPONENTS").is_none(), "missing: {what}");
        eprintln!("skipped: {what}");
    }
}
