//! Files of the build folder: written whole or not at all, and only where they change.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

/// Writes a file unless it has this content already, so that what depends on it is not built again.
pub(super) fn write_if_changed(file: &Path, bytes: &[u8]) -> Result<(), String> {
    // A build that is ended in between leaves the old file, and a part of the new one where nobody looks.
    let mut partial = file.as_os_str().to_owned();
    partial.push(".partial");
    if fs::read(file).is_ok_and(|old| old == bytes) {
        let _ = fs::remove_file(&partial);
        return Ok(());
    }
    let failed = |e| format!("cannot write {}: {e}", file.display());
    steps::next(|| fs::write(&partial, &bytes[..bytes.len() / 2]))?;
    fs::write(&partial, bytes).map_err(failed)?;
    steps::next(|| Ok(()))?;
    fs::rename(&partial, file).map_err(failed)
}

/// Removes a file; tells whether it was there.
pub(super) fn remove(file: &Path) -> Result<bool, String> {
    if file.exists() {
        steps::next(|| Ok(()))?;
    }
    match fs::remove_file(file) {
        Ok(()) => Ok(true),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(false),
        Err(e) => Err(format!("cannot remove {}: {e}", file.display())),
    }
}

/// Builds that end after some steps, for tests: what is done next is done no more.
#[cfg(test)]
pub(super) mod steps {
    use std::cell::Cell;

    thread_local! {
        /// Steps that the build of this thread may take; None: all.
        pub static LEFT: Cell<Option<usize>> = const { Cell::new(None) };
    }

    /// What the build ends with.
    pub const KILLED: &str = "killed";

    /// Before each step; `half` is what the step may have done by half when it ends.
    pub fn next(half: impl FnOnce() -> std::io::Result<()>) -> Result<(), String> {
        match LEFT.get() {
            None => Ok(()),
            Some(0) => {
                half().unwrap();
                Err(KILLED.into())
            }
            Some(n) => {
                LEFT.set(Some(n - 1));
                Ok(())
            }
        }
    }
}

#[cfg(not(test))]
mod steps {
    pub fn next(_: impl FnOnce() -> std::io::Result<()>) -> Result<(), String> {
        Ok(())
    }
}
