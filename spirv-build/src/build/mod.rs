//! The API for build scripts.
//!
//! ```no_run
//! // build.rs
//! spirv_build::compile("kernels/blur.hlsl");
//! ```
//!
//! # What it leaves
//!
//! ```text
//! OUT_DIR/spirv/
//!   index               one line a kernel: name, tab, source path
//!   blur.interface      what include_kernel! reads (crate spirv-interface); says what is in the modules and the archive
//!   blur.vk.spv         the module for Vulkan
//!   blur.0.cl.spv ...   modules for Level Zero: one for each entry point that has a form there, and one for each that uses
//!                       images, for devices without
//!   blur.rs             the CPU code as Rust; compiled to
//!   lib<symbol>.a       the archive that the stub links
//!   blur.diag           the errors, if there are any: include_kernel! reports them
//!   blur.stamp          what all of this was made from, and what was made
//! ```
//!
//! # Incremental builds
//!
//! A kernel is compiled again when its file, a file that it includes, the options, the target or this crate changed;
//! cargo is told of each of those files, and of the folders where an include was looked for in vain. (Where such a folder has
//! `OUT_DIR` in it, cargo is not told: it would run the script each time.) A file whose text would stay the same is not written.
//!
//! A build may be ended at any time. The stamp goes before the first file is written and comes back after the last; each file
//! appears whole; the interface comes after what it speaks of, with the digests of those files, which the macros check; and
//! native symbols have the digest of all in their names.

mod artifacts;
mod environment;
mod files;
mod includes;
mod native;
mod stamp;
#[cfg(test)]
mod tests;

use crate::hlsl;
use crate::input::{self, Unreadable};
use crate::target::TargetEnv;
use crate::{diag, pipeline};
use artifacts::Artifacts;
use environment::Environment;
use includes::Includes;
use spirv_interface::Digest;
use stamp::{Seen, Stamp};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Compiles one kernel file with default options: see [`Config::compile`].
pub fn compile(path: impl AsRef<Path>) {
    config().compile(path);
}

/// Options for kernels, to be chained: `spirv_build::config().include_dir("shared").compile("kernels/blur.hlsl")`.
pub fn config() -> Config {
    Config {
        hlsl: hlsl::Options::default(),
        target: None,
        divergent_barriers: false,
        cpu: true,
        level_zero: true,
        strict: false,
        shared_arguments: false,
    }
}

/// Options for kernels.
#[derive(Debug, Clone)]
#[must_use = "a Config does nothing until `compile` is called"]
pub struct Config {
    hlsl: hlsl::Options,
    target: Option<String>,
    divergent_barriers: bool,
    cpu: bool,
    level_zero: bool,
    strict: bool,
    shared_arguments: bool,
}

impl Config {
    /// Looks for `#include`s in this folder too, after the including file's own. Relative to the package.
    pub fn include_dir(mut self, dir: impl AsRef<Path>) -> Config {
        self.hlsl.include_dirs.push(dir.as_ref().to_string_lossy().into_owned());
        self
    }

    /// Defines a macro, as `-D name=value` does.
    pub fn define(mut self, name: &str, value: &str) -> Config {
        self.hlsl.defines.push((name.to_string(), value.to_string()));
        self
    }

    /// Gives `half`, `float16_t`, `int16_t` and `uint16_t` 16 bits, as `-enable-16bit-types` does.
    pub fn enable_16bit_types(mut self, on: bool) -> Config {
        self.hlsl.enable_16bit_types = on;
        self
    }

    /// Lets variables hold one of several resources by what is known at run time only, as `-fselect-resources` does: each use
    /// becomes a choice between them.
    pub fn select_resources(mut self, on: bool) -> Config {
        self.hlsl.select_resources = on;
        self
    }

    /// Lets barriers be where not all threads of a group come to: a warning in place of an error, as
    /// `-Wno-error=divergent-barrier` makes it. What happens there is undefined on GPUs; on the CPU the launch ends with an
    /// error.
    pub fn divergent_barriers(mut self, on: bool) -> Config {
        self.divergent_barriers = on;
        self
    }

    /// Compiles only this entry point. Default: every function with `[numthreads]`.
    pub fn entry(mut self, name: &str) -> Config {
        self.hlsl.entry = Some(name.to_string());
        self
    }

    /// The Vulkan environment to compile for, by dxc's names: `vulkan1.1` (the default) to `vulkan1.3`.
    pub fn target_env(mut self, name: &str) -> Config {
        self.target = Some(name.to_string());
        self
    }

    /// Whether to make code for the CPU (default: yes) of the entry points that have a form there. The interface file has the
    /// reason for each that has none, and so has the documentation of its stub.
    pub fn cpu(mut self, on: bool) -> Config {
        self.cpu = on;
        self
    }

    /// Whether to make modules for Level Zero of the entry points that have a form there (default: yes). The interface
    /// file has the reason for each that has none, and so has the documentation of its stub.
    pub fn level_zero(mut self, on: bool) -> Config {
        self.level_zero = on;
        self
    }

    /// Gives all entry points of a file the same arguments (default: no): those that the file itself declares and those that any
    /// of the entry points names, so that `Args` stays as it is whatever one of them comes to use. Without it an entry point of a
    /// file with several takes what it names; one that is alone takes all that its file declares anyway.
    pub fn shared_arguments(mut self, on: bool) -> Config {
        self.shared_arguments = on;
        self
    }

    /// Ends the build script at the first kernel with errors, instead of leaving them to `include_kernel!`.
    pub fn strict(mut self) -> Config {
        self.strict = true;
        self
    }

    /// Compiles a kernel file. The path is relative to the package and is what `include_kernel!` names.
    ///
    /// Errors in the kernel do not fail the build script: `include_kernel!` reports them, at the place where the
    /// kernel is used. What has nothing to do with the kernel's text (no such file, no `OUT_DIR`, an unknown target)
    /// ends the build script with a message.
    pub fn compile(self, path: impl AsRef<Path>) {
        if let Err(message) = self.run(path.as_ref()) {
            eprintln!("error: {message}");
            std::process::exit(1);
        }
    }

    fn run(self, path: &Path) -> Result<(), String> {
        self.run_in(&Environment::read()?, path)
    }

    fn run_in(mut self, env: &Environment, path: &Path) -> Result<(), String> {
        let Some(source) = path.to_str().map(|p| p.replace('\\', "/")) else {
            return Err(format!(
                "the path {} is not UTF-8, which include_kernel! cannot name",
                path.display()
            ));
        };
        if let Some(dir) = self.hlsl.include_dirs.iter().find(|d| d.contains(char::REPLACEMENT_CHARACTER)) {
            return Err(format!("the include folder {dir} is not UTF-8"));
        }
        let kernel = register(env, &kernel_name(path)?, &source)?;
        let file = env.package.join(path);
        println!("cargo::rerun-if-changed={}", file.display());
        let target = match &self.target {
            None => TargetEnv::default(),
            Some(name) => TargetEnv::preset(name)
                .ok_or_else(|| format!("there is no target environment `{name}`; try `vulkan1.1`"))?,
        };
        // Includes are named relative to the package, so that messages are, too.
        // A profile is a limit on what a kernel uses, for which nobody asked: the latest that is more than a preview.
        self.hlsl.profile = "cs_6_8".into();
        self.hlsl.hosted = true;
        let symbol = env.symbol(&kernel, &source);
        let artifacts = Artifacts::new(env, &kernel);
        let stamp = Stamp(artifacts.file("stamp"));
        let key = format!(
            "{source} {:?} {} {} {} {} {} {}",
            self.hlsl,
            target.name,
            self.divergent_barriers,
            self.cpu,
            self.level_zero,
            self.shared_arguments,
            env.key()
        );
        if let Some(seen) = stamp.up_to_date(&key) {
            seen.iter().for_each(|s| s.announce(env, artifacts.failed()));
            return artifacts.announce(self.strict);
        }
        let bytes = input::file(&file).map_err(|why| match why {
            Unreadable::Absent => format!("cannot read kernel {}: there is no such file", file.display()),
            Unreadable::Because(why) => format!("cannot read kernel {}: {why}", file.display()),
        })?;
        let mut warnings = diag::Warnings::default();
        if self.divergent_barriers {
            warnings.lower(diag::Code::DivergentBarrier);
        }
        let options = pipeline::Options {
            hlsl: self.hlsl,
            warnings,
            target,
            level_zero: self.level_zero,
            cpu_arch: self.cpu.then(|| env.arch.clone()),
            kernel: kernel.clone(),
            source: source.clone(),
            shared_arguments: self.shared_arguments,
            symbol: symbol.clone(),
        };
        let includes = Includes::new(&env.package);
        let outcome = pipeline::compile(&source, &bytes, &options, &includes);
        let mut seen = vec![Seen::File(file, Digest::of(&bytes))];
        seen.extend(includes.into_seen());
        seen.iter().for_each(|s| s.announce(env, outcome.compiled.is_none()));
        for d in outcome.diagnostics.sorted(&outcome.sources) {
            if d.severity == diag::Severity::Warning {
                println!("cargo::warning={}", diag::render::one_line(d, &outcome.sources));
            }
        }
        stamp.remove()?;
        let made = match outcome.compiled {
            Some(compiled) => artifacts.write(compiled, env, &symbol)?,
            None => {
                let picture = diag::render::pictures(&outcome.diagnostics, &outcome.sources, false);
                artifacts.write_errors(outcome.diagnostics.error_count(), &picture)?
            }
        };
        stamp.write(&key, &seen, &made)?;
        artifacts.announce(self.strict)
    }
}

/// The file stem as a Rust identifier.
fn kernel_name(path: &Path) -> Result<String, String> {
    let stem = path.file_stem().and_then(|s| s.to_str()).filter(|s| !s.is_empty());
    stem.map(identifier).ok_or_else(|| format!("`{}` names no kernel file", path.display()))
}

fn identifier(text: &str) -> String {
    let mut name: String = text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert(0, '_');
    }
    name
}

/// The name of a kernel's artifacts: its file stem, or its whole path if another kernel has that. File systems may
/// not tell upper from lower case.
fn unique_name(stem: &str, source: &str, taken: &[(String, String)]) -> String {
    let free = |name: &str| !taken.iter().any(|(n, path)| n.eq_ignore_ascii_case(name) && path != source);
    let mut name = stem.to_string();
    if !free(&name) {
        name = identifier(source);
    }
    while !free(&name) {
        name.push('_');
    }
    name
}

/// Kernels that this build script has compiled so far, and the index that lists them.
static INDEX: Mutex<Index> = Mutex::new(Index { file: None, kernels: Vec::new() });

struct Index {
    file: Option<PathBuf>,
    /// Name and source path.
    kernels: Vec<(String, String)>,
}

impl Index {
    fn text(&self) -> String {
        self.kernels.iter().map(|(name, path)| format!("{name}\t{path}\n")).collect()
    }
}

/// Enters a kernel in the index. An index that begins with the kernels so far is left as it is: it is that of the last
/// run, and the others are going to follow. If they do not, [`cut_index`] takes them out.
///
/// Gives the name of its artifacts.
fn register(env: &Environment, stem: &str, source: &str) -> Result<String, String> {
    let mut index = INDEX.lock().unwrap_or_else(|e| e.into_inner());
    let known = index.kernels.iter().find(|(_, path)| path == source).map(|(name, _)| name.clone());
    let kernel = known.unwrap_or_else(|| unique_name(stem, source, &index.kernels));
    if index.file.is_none() {
        index.file = Some(env.dir.join("index"));
        // SAFETY: `atexit` is in every C runtime that std links. The function that it is given takes nothing, gives
        // nothing and does not unwind.
        unsafe { atexit(cut_index) };
    }
    if !index.kernels.iter().any(|(name, _)| *name == kernel) {
        index.kernels.push((kernel.clone(), source.to_string()));
    }
    let (text, file) = (index.text(), env.dir.join("index"));
    match std::fs::read_to_string(&file) {
        Ok(old) if old.starts_with(&text) => {}
        _ => files::write_if_changed(&file, text.as_bytes())?,
    }
    Ok(kernel)
}

unsafe extern "C" {
    fn atexit(callback: extern "C" fn()) -> std::ffi::c_int;
}

/// At the end of the build script: takes kernels that it no longer compiles out of the index.
extern "C" fn cut_index() {
    if let Ok(index) = INDEX.try_lock()
        && let Some(file) = &index.file
    {
        // Nobody is left to report a failure to.
        let _ = files::write_if_changed(file, index.text().as_bytes());
    }
}
