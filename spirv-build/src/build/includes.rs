//! The includes of a kernel, from the file system, relative to the package.

use super::stamp::Seen;
use crate::input::IncludeHandler;
use crate::input::{self, Unreadable};
use spirv_interface::Digest;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Reads includes and notes what was looked at: what was read, and where nothing was.
pub(super) struct Includes {
    package: PathBuf,
    seen: Mutex<Vec<Seen>>,
}

impl Includes {
    pub fn new(package: &Path) -> Includes {
        Includes { package: package.to_path_buf(), seen: Mutex::default() }
    }

    /// What was looked at.
    pub fn into_seen(self) -> Vec<Seen> {
        self.seen.into_inner().unwrap_or_else(|e| e.into_inner())
    }
}

impl IncludeHandler for Includes {
    fn read(&self, path: &str) -> Result<String, Unreadable> {
        let full = self.package.join(path);
        let bytes = input::file(&full);
        // A file that was read twice with a change in between is there twice, and so never up to date.
        let now = match &bytes {
            Ok(bytes) => Seen::File(full, Digest::of(bytes)),
            Err(_) => Seen::Nothing(full),
        };
        let mut seen = self.seen.lock().unwrap_or_else(|e| e.into_inner());
        if !seen.contains(&now) {
            seen.push(now);
        }
        input::text(bytes?).map_err(Unreadable::Because)
    }

    fn is_same(&self, a: &str, b: &str) -> bool {
        let [a, b] = [a, b].map(|path| self.package.join(path).canonicalize());
        matches!((a, b), (Ok(a), Ok(b)) if a == b)
    }

    fn alike(&self, path: &str) -> Option<String> {
        let found = crate::input::alike_on_disk(self.package.join(path).to_str()?)?;
        let inside = Path::new(&found).strip_prefix(&self.package).ok().and_then(|p| p.to_str());
        Some(inside.map_or_else(|| found.clone(), String::from))
    }
}
