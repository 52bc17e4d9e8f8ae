//! Where files that others name are found.

use super::Unreadable;
use std::path::Path;

/// Finds the text of included files.
pub trait IncludeHandler: Sync {
    /// The text of the file with this path. Paths are tried in order: beside the including file, then in each include
    /// directory, until one is not [`Unreadable::Absent`].
    ///
    /// # Errors
    /// There is none, or it cannot be read.
    fn read(&self, path: &str) -> Result<String, Unreadable>;

    /// Whether two paths lead to one file: `#pragma once` is about the file.
    fn is_same(&self, _a: &str, _b: &str) -> bool {
        false
    }

    /// A file whose path differs from this one by the case of letters only, to tell of it where there is none of this path.
    fn alike(&self, _path: &str) -> Option<String> {
        None
    }
}

/// Reads included files from disk.
#[derive(Clone, Copy, Debug, Default)]
pub struct FileIncludes;

impl IncludeHandler for FileIncludes {
    fn read(&self, path: &str) -> Result<String, Unreadable> {
        crate::input::text(crate::input::file(Path::new(path))?).map_err(Unreadable::Because)
    }

    fn is_same(&self, a: &str, b: &str) -> bool {
        let [a, b] = [a, b].map(std::fs::canonicalize);
        matches!((a, b), (Ok(a), Ok(b)) if a == b)
    }

    fn alike(&self, path: &str) -> Option<String> {
        alike_on_disk(path)
    }
}

/// Entries of a folder that are looked at for one that is written in other letters.
const MAX_ENTRIES: usize = 10_000;

/// A file that this path names but for the case of letters, where the file system tells them apart.
pub fn alike_on_disk(path: &str) -> Option<String> {
    let path = path.replace('\\', "/");
    let mut found = String::new();
    for (i, part) in path.split('/').enumerate() {
        if i > 0 {
            found.push('/');
        }
        let here = format!("{found}{part}");
        if part.is_empty() || std::fs::symlink_metadata(&here).is_ok() {
            found = here;
            continue;
        }
        let dir = if found.is_empty() { "." } else { &found };
        let entries = std::fs::read_dir(dir).ok()?.take(MAX_ENTRIES);
        let mut names = entries.filter_map(|e| e.ok()?.file_name().into_string().ok());
        found += &names.find(|name| name.eq_ignore_ascii_case(part))?;
    }
    std::fs::metadata(&found).is_ok_and(|m| m.is_file()).then_some(found)
}

/// Included files in memory, for tests and embedded headers.
#[derive(Clone, Debug, Default)]
pub struct MemoryIncludes(pub std::collections::BTreeMap<String, String>);

impl IncludeHandler for MemoryIncludes {
    fn read(&self, path: &str) -> Result<String, Unreadable> {
        self.0.get(path).cloned().ok_or(Unreadable::Absent)
    }

    fn alike(&self, path: &str) -> Option<String> {
        self.0.keys().find(|known| known.eq_ignore_ascii_case(path)).cloned()
    }
}
