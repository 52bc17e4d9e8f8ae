//! The index of the kernels that this build script compiles.

use super::Environment;
use super::files::write_if_changed;
use spirv_interface::{Compiled, full_path};
use std::path::PathBuf;
use std::sync::Mutex;

/// Kernels that this build script has compiled so far, a list a folder of artifacts: build scripts have one.
static INDEXES: Mutex<Vec<Index>> = Mutex::new(Vec::new());

struct Index {
    file: PathBuf,
    /// Each with its options.
    kernels: Vec<(Compiled, String)>,
}

impl Index {
    fn text(&self) -> String {
        self.kernels.iter().map(|(kernel, _)| kernel.to_line()).collect()
    }
}

/// What a kernel is to be entered as.
pub(super) struct Entry<'a> {
    /// The file stem.
    pub stem: &'a str,
    /// Without the name of the artifacts.
    pub kernel: Compiled,
    /// All options: a kernel that is compiled once more with others is another one.
    pub options: &'a str,
}

/// Enters a kernel in the index. An index that begins with the kernels so far is left as it is: it is that of the last
/// run, and the others are going to follow. If they do not, [`cut_indexes`] takes them out.
///
/// Gives the name of its artifacts.
pub(super) fn register(env: &Environment, entry: &Entry<'_>) -> Result<String, String> {
    let mut indexes = INDEXES.lock().unwrap_or_else(|e| e.into_inner());
    if indexes.is_empty() {
        // SAFETY: `atexit` is in every C runtime that std links. The function that it is given takes nothing, gives
        // nothing and does not unwind.
        unsafe { atexit(cut_indexes) };
    }
    let file = env.dir.join("index");
    let at = indexes.iter().position(|i| i.file == file).unwrap_or_else(|| {
        indexes.push(Index { file: file.clone(), kernels: Vec::new() });
        indexes.len() - 1
    });
    let index = &mut indexes[at];
    let package = env.package.to_string_lossy();
    let place = full_path(&package, &entry.kernel.source);
    let known = index
        .kernels
        .iter()
        .find(|(k, _)| full_path(&package, &k.source) == place && k.name == entry.kernel.name);
    let kernel = match known {
        Some((kernel, options)) if options == entry.options => kernel.artifacts.clone(),
        Some(_) => return Err(twice(entry)),
        None => {
            let kernel = unique_name(entry, &index.kernels);
            let compiled = Compiled { artifacts: kernel.clone(), ..entry.kernel.clone() };
            index.kernels.push((compiled, entry.options.to_string()));
            kernel
        }
    };
    let text = index.text();
    match std::fs::read_to_string(&file) {
        Ok(old) if old.starts_with(&text) => {}
        _ => write_if_changed(&file, text.as_bytes())?,
    }
    Ok(kernel)
}

fn twice(entry: &Entry<'_>) -> String {
    let (source, stem) = (&entry.kernel.source, entry.stem);
    match &entry.kernel.name {
        Some(name) => format!(
            "build.rs compiles {source} twice with the name `{name}` and different options\n\
             help: give each its own name, and `include_kernel!(\"{source}\", name = \"{name}\")` is one of them"
        ),
        None => format!(
            "build.rs compiles {source} twice with different options\n\
             help: give one of them a name, as in `config().name(\"{stem}_2\")`, and \
             `include_kernel!(\"{source}\", name = \"{stem}_2\")` is that one"
        ),
    }
}

/// The name of a kernel's artifacts: the one that it was given, or its file stem, or its whole path if another kernel has that.
/// File systems may not tell upper from lower case.
fn unique_name(entry: &Entry<'_>, taken: &[(Compiled, String)]) -> String {
    let free = |name: &str| !taken.iter().any(|(k, _)| k.artifacts.eq_ignore_ascii_case(name));
    let (source, given) = (&entry.kernel.source, entry.kernel.name.as_deref());
    let mut name = given.unwrap_or(entry.stem).to_string();
    if !free(&name) {
        name = super::identifier(&match given {
            Some(given) => format!("{source} {given}"),
            None => source.clone(),
        });
    }
    while !free(&name) {
        name.push('_');
    }
    name
}

unsafe extern "C" {
    fn atexit(callback: extern "C" fn()) -> std::ffi::c_int;
}

/// At the end of the build script: takes kernels that it no longer compiles out of the index.
extern "C" fn cut_indexes() {
    if let Ok(indexes) = INDEXES.try_lock() {
        for index in indexes.iter() {
            // Nobody is left to report a failure to.
            let _ = write_if_changed(&index.file, index.text().as_bytes());
        }
    }
}
