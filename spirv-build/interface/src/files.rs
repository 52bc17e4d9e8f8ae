//! The files beside an interface file, and whether they are those that it was written with.

use crate::{ClEntry, Digest, Interface, ParseError};
use std::path::Path;

/// A file that was made together with the interface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Its name, beside the interface file.
    pub name: String,
    /// Its length.
    pub bytes: u64,
    /// The digest of its bytes.
    pub digest: Digest,
}

impl File {
    /// Describes a file with these bytes.
    pub fn of(name: &str, bytes: &[u8]) -> File {
        File { name: name.into(), bytes: bytes.len() as u64, digest: Digest::of(bytes) }
    }
}

/// Word of the last line of a sealed file.
const END: &str = "end ";

impl Interface {
    /// The text with a last line that tells whether anything is missing or changed.
    pub fn to_sealed_text(&self) -> String {
        let text = self.to_text();
        let digest = Digest::of(text.as_bytes());
        text + &format!("{END}{digest}\n")
    }

    /// Reads a text that [`to_sealed_text`](Interface::to_sealed_text) made.
    ///
    /// # Errors
    /// As [`from_text`](Interface::from_text), and if the text is not whole.
    pub fn from_sealed_text(text: &str) -> Result<Interface, ParseError> {
        let start = text.trim_end_matches('\n').rfind('\n').map_or(0, |i| i + 1);
        let (body, last) = text.split_at(start);
        let interface = Interface::from_text(body)?;
        let found = last.strip_prefix(END).and_then(|d| Digest::from_text(d.trim_end_matches('\n')));
        if found != Some(Digest::of(body.as_bytes())) || !last.ends_with('\n') {
            let line = body.lines().count() as u32 + 1;
            return Err(ParseError { line, message: "the file is cut off or changed".into() });
        }
        Ok(interface)
    }

    /// The file names of the modules that it names.
    fn modules(&self) -> impl Iterator<Item = &str> {
        let forms = self.entries.iter().flat_map(|e| [&e.cl, &e.cl_memory]);
        self.spirv.as_deref().into_iter().chain(forms.filter_map(|form| match form {
            ClEntry::Kernel { module, .. } => Some(module.as_str()),
            ClEntry::Absent | ClEntry::Refused(_) => None,
        }))
    }

    /// Checks that the files in this folder are those that the interface was written with: what a stub is made of belongs
    /// together.
    ///
    /// # Errors
    /// Which file is missing or another one.
    pub fn check_files(&self, dir: &Path) -> Result<(), String> {
        let archive = self.library.as_ref().map(|name| format!("lib{name}.a"));
        for name in self.modules().chain(archive.as_deref()) {
            if !self.files.iter().any(|f| f.name == name) {
                return Err(format!("the interface does not say what is in `{name}`"));
            }
        }
        for file in &self.files {
            let name = &file.name;
            let bytes = std::fs::read(dir.join(name)).map_err(|e| format!("cannot read `{name}`: {e}"))?;
            if bytes.len() as u64 != file.bytes {
                return Err(format!("`{name}` has {} bytes, but {} were written", bytes.len(), file.bytes));
            }
            if Digest::of(&bytes) != file.digest {
                return Err(format!("`{name}` is not the file that was written"));
            }
        }
        Ok(())
    }
}
