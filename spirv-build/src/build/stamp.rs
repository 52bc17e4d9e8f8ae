//! What artifacts were made from, and what was made: a build that finds both unchanged makes nothing.
//!
//! The stamp is removed before the first artifact is written, and written after the last. It has the digests of the bytes that
//! were compiled, which are not always those that are on disk by then.

use super::Environment;
use super::files::{remove, write_if_changed};
use spirv_interface::Digest;
use std::fs;
use std::path::{Path, PathBuf};

/// What was looked at to make something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Seen {
    /// A file with these bytes.
    File(PathBuf, Digest),
    /// There was nothing: a file here would have been taken.
    Nothing(PathBuf),
}

impl Seen {
    fn line(&self) -> String {
        match self {
            Seen::File(path, digest) => format!("{digest}\t{}\n", path.display()),
            Seen::Nothing(path) => format!("-\t{}\n", path.display()),
        }
    }

    /// Reads a line back, if what it says is still so.
    fn check(line: &str) -> Option<Seen> {
        let (digest, path) = line.split_once('\t')?;
        let path = PathBuf::from(path);
        let seen = match (crate::input::file(&path).map(|bytes| Digest::of(&bytes)), digest) {
            (Ok(found), digest) if found.to_string() == digest => Seen::File(path, found),
            (Err(_), "-") => Seen::Nothing(path),
            _ => return None,
        };
        Some(seen)
    }

    /// Tells cargo to run the script again when this changes. `failed`: the kernel has errors, for want of this, perhaps.
    ///
    /// A file that is not there makes cargo run the script, and build the package, each time. Its folder does not, but for one
    /// that has the script's own output in it.
    pub fn announce(&self, env: &Environment, failed: bool) {
        let path = match self {
            Seen::File(path, _) => Some(path.as_path()),
            Seen::Nothing(path) => {
                let folder = path.ancestors().skip(1).find(|p| p.is_dir());
                // Cargo looks at all that is in a folder: not at half a disk for a folder that is not there.
                let near = folder.filter(|f| path.parent() == Some(f) || is_in(f, &env.package));
                near.filter(|f| !is_in(&env.dir, f)).or(failed.then_some(path.as_path()))
            }
        };
        if let Some(path) = path {
            println!("cargo::rerun-if-changed={}", path.display());
        }
    }
}

/// Whether a path leads into this folder.
fn is_in(path: &Path, folder: &Path) -> bool {
    match (path.canonicalize(), folder.canonicalize()) {
        (Ok(path), Ok(folder)) => path.starts_with(folder),
        _ => true,
    }
}

/// The stamp of one kernel.
pub(super) struct Stamp(pub PathBuf);

/// Between what was read and what was made.
const MADE: &str = "made";

impl Stamp {
    /// If nothing has changed that the artifacts were made from, nor any of them: what was looked at.
    pub fn up_to_date(&self, key: &str) -> Option<Vec<Seen>> {
        let stamp = fs::read_to_string(&self.0).ok()?;
        let mut lines = stamp.lines();
        if lines.next()? != key {
            return None;
        }
        let seen: Vec<Seen> =
            lines.by_ref().take_while(|l| *l != MADE).map(Seen::check).collect::<Option<_>>()?;
        let dir = self.0.parent()?;
        let mut made = lines.peekable();
        made.peek()?;
        made.all(|line| {
            line.split_once('\t').is_some_and(|(digest, name)| {
                fs::read(dir.join(name)).is_ok_and(|bytes| Digest::of(&bytes).to_string() == digest)
            })
        })
        .then_some(seen)
    }

    /// Says that the artifacts may not belong together.
    pub fn remove(&self) -> Result<(), String> {
        remove(&self.0).map(|_| ())
    }

    /// Records what was looked at, and the names of the files that were made, which are beside the stamp.
    pub fn write(&self, key: &str, seen: &[Seen], made: &[String]) -> Result<(), String> {
        let mut text = format!("{key}\n");
        text.extend(seen.iter().map(Seen::line));
        text += MADE;
        text.push('\n');
        let dir = self.0.parent().unwrap_or(Path::new(""));
        for name in made {
            let file = dir.join(name);
            let bytes = fs::read(&file).map_err(|e| format!("cannot read {}: {e}", file.display()))?;
            text += &format!("{}\t{name}\n", Digest::of(&bytes));
        }
        write_if_changed(&self.0, text.as_bytes())
    }
}
