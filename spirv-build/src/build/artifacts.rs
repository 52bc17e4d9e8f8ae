//! Files in `OUT_DIR/spirv`: written only when they change, and stamped with what they were made from.

use super::Environment;
use crate::pipeline::Compiled;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

/// First line of a file with diagnostics; the macros know it.
const DIAG_HEADER: &str = "spirv-diag 1";

/// The files of one kernel.
pub(super) struct Artifacts {
    dir: PathBuf,
    kernel: String,
}

impl Artifacts {
    pub fn new(env: &Environment, kernel: &str) -> Artifacts {
        Artifacts { dir: env.dir.clone(), kernel: kernel.to_string() }
    }

    pub fn file(&self, extension: &str) -> PathBuf {
        self.dir.join(format!("{}.{extension}", self.kernel))
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    pub fn write(&self, compiled: &Compiled) -> Result<(), String> {
        write_if_changed(&self.file("interface"), compiled.interface.to_text().as_bytes())?;
        let bytes: Vec<u8> = compiled.spirv.iter().flat_map(|w| w.to_le_bytes()).collect();
        write_if_changed(&self.file("vk.spv"), &bytes)?;
        for (file, words) in &compiled.cl {
            let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
            write_if_changed(&self.dir.join(file), &bytes)?;
        }
        // Those of an earlier build that had more.
        let mut next = compiled.cl.len();
        while remove(&self.file(&format!("{next}.cl.spv")))? {
            next += 1;
        }
        Ok(())
    }

    /// Records the native library that the stub links; None: there is none.
    pub fn link(&self, library: Option<&str>) -> Result<(), String> {
        match library {
            Some(name) => write_if_changed(&self.file("link"), name.as_bytes()),
            None => remove(&self.file("link")).map(|_| ()),
        }
    }

    pub fn write_errors(&self, errors: usize, picture: &str) -> Result<(), String> {
        let text = format!("{DIAG_HEADER}\nerrors {errors}\n\n{picture}");
        write_if_changed(&self.file("diag"), text.as_bytes())
    }

    pub fn clear_errors(&self) -> Result<(), String> {
        remove(&self.file("diag")).map(|_| ())
    }

    /// Records what the files were made from.
    pub fn stamp(&self, key: &str, files: &[PathBuf]) -> Result<(), String> {
        let mut text = format!("{key}\n");
        for file in files {
            text += &format!("{:016x}\t{}\n", content(file), file.display());
        }
        write_if_changed(&self.file("stamp"), text.as_bytes())
    }

    /// If nothing that the files were made from has changed: the source files.
    pub fn up_to_date(&self, key: &str) -> Option<Vec<PathBuf>> {
        let stamp = fs::read_to_string(self.file("stamp")).ok()?;
        let mut lines = stamp.lines();
        if lines.next()? != key {
            return None;
        }
        let mut files = Vec::new();
        for line in lines {
            let (hash, file) = line.split_once('\t')?;
            let file = PathBuf::from(file);
            if format!("{:016x}", content(&file)) != hash {
                return None;
            }
            files.push(file);
        }
        let made = if self.file("diag").exists() { true } else { self.file("interface").exists() };
        made.then_some(files)
    }

    /// Tells cargo where the native library is; with `strict`, fails if the kernel has errors.
    pub fn announce(&self, strict: bool) -> Result<(), String> {
        if let Ok(text) = fs::read_to_string(self.file("diag")) {
            let picture = text.splitn(3, '\n').nth(2).unwrap_or_default().trim_start_matches('\n');
            if strict {
                return Err(format!("kernel `{}` does not compile\n\n{picture}", self.kernel));
            }
            return Ok(());
        }
        // The stub names the library itself (`#[link]`), so that whatever target uses the kernel links it.
        println!("cargo::rustc-link-search=native={}", self.dir.display());
        Ok(())
    }
}

/// Hash of a file's bytes; of nothing if it cannot be read.
fn content(file: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    fs::read(file).ok().hash(&mut hasher);
    hasher.finish()
}

/// Removes a file; tells whether it was there.
fn remove(file: &Path) -> Result<bool, String> {
    match fs::remove_file(file) {
        Ok(()) => Ok(true),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(e) => Err(format!("cannot remove {}: {e}", file.display())),
    }
}

/// Writes a file unless it has this content already, so that what depends on it is not built again.
pub(super) fn write_if_changed(file: &Path, bytes: &[u8]) -> Result<(), String> {
    if fs::read(file).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    fs::write(file, bytes).map_err(|e| format!("cannot write {}: {e}", file.display()))
}
