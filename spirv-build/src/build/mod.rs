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
//!   index               one line a kernel: name of its files, source path, and more (crate spirv-interface)
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
mod define;
mod environment;
mod files;
mod includes;
mod index;
mod native;
mod stamp;
#[cfg(test)]
mod tests;

use crate::driver::flags;
use crate::input::{self, Unreadable};
use crate::{diag, pipeline};
use artifacts::Artifacts;
pub use define::MacroValue;
use environment::Environment;
use includes::Includes;
use spirv_interface::{Digest, recorded_path};
use stamp::{Seen, Stamp};
use std::path::Path;

/// Compiles one kernel file with default options: see [`Config::compile`].
pub fn compile(path: impl AsRef<Path>) {
    config().compile(path);
}

/// Options for kernels, to be chained: `spirv_build::config().include_dir("shared").compile("kernels/blur.hlsl")`.
pub fn config() -> Config {
    Config {
        flags: Vec::new(),
        name: None,
        types: None,
        rust_types: Vec::new(),
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
    /// As on the command line.
    flags: Vec<String>,
    name: Option<String>,
    types: Option<String>,
    rust_types: Vec<(String, String)>,
    cpu: bool,
    level_zero: bool,
    strict: bool,
    shared_arguments: bool,
}

impl Config {
    /// Looks for `#include`s in this folder too, after the including file's own. Relative to the package.
    pub fn include_dir(self, dir: impl AsRef<Path>) -> Config {
        self.flags(["-I", &dir.as_ref().to_string_lossy()])
    }

    /// Defines a macro, as `-D name=value` does: as a text, a number, or a `bool`, which becomes 1 or 0.
    ///
    /// A file that is compiled several times with other values is several kernels, each with a [`name`](Config::name):
    ///
    /// ```no_run
    /// for n in [4, 8] {
    ///     spirv_build::config().define("N", n).name(format!("blur{n}")).compile("kernels/blur.hlsl");
    /// }
    /// ```
    ///
    /// and in the crate
    ///
    /// ```ignore
    /// include_kernel!("kernels/blur.hlsl", name = "blur4");        // mod blur4
    /// include_kernel!("kernels/blur.hlsl", name = "blur8");
    /// ```
    pub fn define(self, name: &str, value: impl MacroValue) -> Config {
        let definition = format!("{name}={}", value.text());
        self.flags(["-D", &definition])
    }

    /// Gives the kernel a name, by which `include_kernel!("kernels/blur.hlsl", name = "blur4")` finds it where the file is
    /// compiled more than once. It has to be an identifier.
    pub fn name(mut self, name: impl Into<String>) -> Config {
        self.name = Some(name.into());
        self
    }

    /// Any flag that `spirvc` takes, which are those of dxc and some more: `.flag("-fvk-use-dx-layout")`, `.flag("-D N=4")`.
    ///
    /// `-fvk-use-dx-layout` and `-fvk-use-scalar-layout` pack what lies in buffers: a `float3` is 12 bytes. On Vulkan they
    /// need a device with `scalarBlockLayout` where that matters.
    ///
    /// A flag that means nothing in a build script (`-Fo`, `-spirv`, `--emit`, what binds resources) ends it with a message
    /// at [`compile`](Config::compile).
    pub fn flag(mut self, flag: impl Into<String>) -> Config {
        self.flags.push(flag.into());
        self
    }

    /// Several [flags](Config::flag), or one and its values: `.flags(["-HV", "2018"])`.
    pub fn flags<F: Into<String>>(mut self, flags: impl IntoIterator<Item = F>) -> Config {
        self.flags.extend(flags.into_iter().map(F::into));
        self
    }

    /// Says in which Rust module the structs of this kernel are, as the crate calls it: kernels with the same module share them.
    /// A `cbuffer` stays in the module of its kernel.
    ///
    /// ```no_run
    /// // build.rs
    /// for kernel in ["move", "draw"] {
    ///     spirv_build::config().types("crate::gpu").compile(format!("kernels/{kernel}.hlsl"));
    /// }
    /// ```
    ///
    /// ```ignore
    /// pub mod gpu { spirv_runtime::include_types!(); }             // gpu::Particle, once
    /// include_kernel!(mod step = "kernels/move.hlsl");             // takes and gives Buffer<gpu::Particle>
    /// include_kernel!("kernels/draw.hlsl");
    /// ```
    ///
    /// The module may as well have your own structs of those names, with `#[repr(C)]` and `#[derive(KernelStruct)]`. They are
    /// compared with the kernel field by field.
    pub fn types(mut self, module: impl Into<String>) -> Config {
        self.types = Some(module.into());
        self
    }

    /// Says which Rust type is to be taken for a type of this kernel: a struct, or a vector or matrix that is the element of a
    /// buffer: `.rust_type("Particle", "crate::Particle")`, `.rust_type("float4", "glam::Vec4")`. Its layout is compared with the
    /// kernel's.
    pub fn rust_type(mut self, kernel: impl Into<String>, rust: impl Into<String>) -> Config {
        self.rust_types.push((kernel.into(), rust.into()));
        self
    }

    /// A flag that is there or not.
    fn switch(mut self, flag: &str, on: bool) -> Config {
        self.flags.retain(|f| f != flag);
        if on { self.flag(flag) } else { self }
    }

    /// Gives `half`, `float16_t`, `int16_t` and `uint16_t` 16 bits, as `-enable-16bit-types` does.
    pub fn enable_16bit_types(self, on: bool) -> Config {
        self.switch("-enable-16bit-types", on)
    }

    /// Lets variables hold one of several resources by what is known at run time only, as `-fselect-resources` does: each use
    /// becomes a choice between them.
    pub fn select_resources(self, on: bool) -> Config {
        self.switch("-fselect-resources", on)
    }

    /// Lets barriers be where not all threads of a group come to: a warning in place of an error, as
    /// `-Wno-error=divergent-barrier` makes it. What happens there is undefined on GPUs; on the CPU the launch ends with an
    /// error.
    pub fn divergent_barriers(self, on: bool) -> Config {
        self.switch("-Wno-error=divergent-barrier", on)
    }

    /// Compiles only this entry point. Default: every function with `[numthreads]`.
    pub fn entry(self, name: &str) -> Config {
        self.flags(["-E", name])
    }

    /// The Vulkan environment to compile for, by dxc's names: `vulkan1.1` (the default) to `vulkan1.3`.
    pub fn target_env(self, name: &str) -> Config {
        self.flag(format!("-fspv-target-env={name}"))
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

    fn run_in(self, env: &Environment, path: &Path) -> Result<(), String> {
        let Some(given) = path.to_str() else {
            return Err(format!(
                "the path {} is not UTF-8, which include_kernel! cannot name",
                path.display()
            ));
        };
        let wrong = |why: String| format!("cannot compile {given}: {why}");
        let command = flags::parse_for_build_script(self.flags.iter().cloned()).map_err(wrong)?;
        if let Some(dir) = command.hlsl.include_dirs.iter().find(|d| d.contains(char::REPLACEMENT_CHARACTER))
        {
            return Err(format!("the include folder {dir} is not UTF-8"));
        }
        if let Some(name) = self.name.as_deref().filter(|name| name.is_empty() || identifier(name) != *name) {
            return Err(wrong(format!("`{name}` is no name for a kernel, which is a Rust identifier")));
        }
        let source = recorded_path(&env.package.to_string_lossy(), given);
        let odd = |text: &&String| text.is_empty() || text.contains(char::is_control);
        let rust = self.rust_types.iter().flat_map(|(kernel, rust)| [kernel, rust]);
        if let Some(text) = self.types.iter().chain(rust).find(odd) {
            return Err(wrong(format!("{text:?} names no type or module")));
        }
        if let Some((kernel, _)) = self.rust_types.iter().find(|(kernel, _)| kernel.contains(' ')) {
            return Err(wrong(format!("`{kernel}` names no type of a kernel")));
        }
        let options = format!("{:?} {} {} {}", self.flags, self.cpu, self.level_zero, self.shared_arguments);
        let stem = kernel_name(path)?;
        let known = spirv_interface::Compiled {
            artifacts: String::new(),
            source: source.clone(),
            name: self.name.clone(),
            types: self.types.clone(),
            rust_types: self.rust_types.clone(),
        };
        let all = format!("{options} {:?} {:?}", self.types, self.rust_types);
        let entry = index::Entry { stem: &stem, kernel: known, options: &all };
        let kernel = index::register(env, &entry)?;
        // A script that compiles nothing any more leaves its files, but not this.
        println!("cargo::rustc-env={}={}", spirv_interface::KERNELS_VARIABLE, env.dir.display());
        let file = env.package.join(path);
        println!("cargo::rerun-if-changed={}", file.display());
        for (option, like) in &command.unknown_warnings {
            let like = like.as_ref().map_or(String::new(), |like| format!("; did you mean `{like}`?"));
            println!("cargo::warning=there is no warning `{option}`{like}");
        }
        // Includes are named relative to the package, so that messages are, too.
        let symbol = env.symbol(&kernel, &source);
        let artifacts = Artifacts::new(env, &kernel);
        let stamp = Stamp(artifacts.file("stamp"));
        let key = format!("{source} {options} {}", env.key());
        if let Some(seen) = stamp.up_to_date(&key) {
            seen.iter().for_each(|s| s.announce(env, artifacts.failed()));
            return artifacts.announce(self.strict);
        }
        let bytes = input::file(&file).map_err(|why| match why {
            Unreadable::Absent => format!("cannot read kernel {}: there is no such file", file.display()),
            Unreadable::Because(why) => format!("cannot read kernel {}: {why}", file.display()),
        })?;
        let options = pipeline::Options {
            hlsl: command.hlsl,
            warnings: command.warnings,
            target: command.target,
            vulkan: pipeline::VulkanModule {
                max_id: command.max_id,
                debug: command.debug,
                unknown_formats: command.unknown_formats,
            },
            passes: command.passes,
            error_limit: command.error_limit,
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
