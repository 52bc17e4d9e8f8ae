//! The library of `tests/driver-faults`, from the test's side.

use libloading::Library;
use std::collections::BTreeMap;
use std::ffi::{CString, c_char};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

/// Functions of the library.
pub struct Shim {
    arm: unsafe extern "C" fn(*const c_char, u64, u64, i32),
    disarm: extern "C" fn() -> u64,
    restart: extern "C" fn(),
    slow: extern "C" fn(bool),
    calls: extern "C" fn(extern "C" fn(*const u8, usize, i64)),
    live: extern "C" fn(extern "C" fn(*const u8, usize, i64)),
}

/// What was told last.
static TOLD: Mutex<BTreeMap<String, i64>> = Mutex::new(BTreeMap::new());

extern "C" fn tell(name: *const u8, len: usize, n: i64) {
    // SAFETY: the library gives a name of so many bytes.
    let name = unsafe { std::slice::from_raw_parts(name, len) };
    let name = String::from_utf8_lossy(name).into_owned();
    TOLD.lock().unwrap_or_else(PoisonError::into_inner).insert(name, n);
}

/// The folder that cargo builds in.
pub fn target() -> PathBuf {
    let tmp = Path::new(env!("CARGO_TARGET_TMPDIR"));
    tmp.parent().unwrap_or(tmp).to_path_buf()
}

/// Builds the library: where it is.
pub fn build() -> PathBuf {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build = Command::new(cargo);
    build.args(["build", "--quiet", "-p", "driver-faults", "--target-dir"]).arg(target());
    let built = build.current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    target().join("debug").join(libloading::library_filename("driver_faults"))
}

impl Shim {
    /// Opens the library, which the runtime opens, too.
    pub fn open(path: &Path) -> Shim {
        // SAFETY: the functions have these types; the library is never closed.
        unsafe {
            let library = Box::leak(Box::new(Library::new(path).unwrap()));
            Shim {
                arm: *library.get(b"faults_arm\0").unwrap(),
                disarm: *library.get(b"faults_disarm\0").unwrap(),
                restart: *library.get(b"faults_restart\0").unwrap(),
                slow: *library.get(b"faults_slow\0").unwrap(),
                calls: *library.get(b"faults_calls\0").unwrap(),
                live: *library.get(b"faults_live\0").unwrap(),
            }
        }
    }

    /// After `skip` of these calls, `times` of them fail.
    pub fn arm(&self, call: &str, skip: u64, times: u64, result: i32) {
        let call = CString::new(call).unwrap();
        // SAFETY: the name is read by the call.
        unsafe { (self.arm)(call.as_ptr(), skip, times, result) };
    }

    /// Nothing fails any more. How many did.
    pub fn disarm(&self) -> u64 {
        (self.disarm)()
    }

    // There is no such thing on Level Zero.
    #[allow(dead_code)]
    /// Whether devices with a timeline seem to do no more than what is waited for.
    pub fn slow(&self, slow: bool) {
        (self.slow)(slow);
    }

    /// Counts calls from the beginning.
    pub fn restart(&self) {
        (self.restart)();
    }

    /// The functions that were called, and how often.
    pub fn calls(&self) -> BTreeMap<String, i64> {
        Shim::told(self.calls)
    }

    /// The objects that there are.
    pub fn live(&self) -> BTreeMap<String, i64> {
        let mut live = Shim::told(self.live);
        live.retain(|_, n| *n != 0);
        live
    }

    fn told(by: extern "C" fn(extern "C" fn(*const u8, usize, i64))) -> BTreeMap<String, i64> {
        static ONE: Mutex<()> = Mutex::new(());
        let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        by(tell);
        std::mem::take(&mut *TOLD.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
