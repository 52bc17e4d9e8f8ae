//! What cargo tells a build script.

use std::env;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;

/// The environment of a build script.
pub(super) struct Environment {
    /// The package's folder.
    pub package: PathBuf,
    /// `OUT_DIR/spirv`.
    pub dir: PathBuf,
    /// Target triple.
    pub target: String,
    /// Target architecture.
    pub arch: String,
    /// The compiler.
    pub rustc: PathBuf,
    /// Name and version of the package.
    package_id: String,
}

impl Environment {
    pub fn read() -> Result<Environment, String> {
        let var = |name: &str| match env::var(name) {
            Ok(value) => Ok(value),
            Err(env::VarError::NotPresent) => Err(format!(
                "{name} is not set: spirv_build::compile is for build scripts, where cargo sets it"
            )),
            Err(env::VarError::NotUnicode(value)) => Err(format!(
                "{name} is not UTF-8: {}; neither cargo nor rustc can be told of such paths, so kernels cannot be built there",
                value.display()
            )),
        };
        let dir = PathBuf::from(var("OUT_DIR")?).join("spirv");
        std::fs::create_dir_all(&dir).map_err(|e| format!("cannot make {}: {e}", dir.display()))?;
        Ok(Environment {
            package: var("CARGO_MANIFEST_DIR")?.into(),
            dir,
            target: var("TARGET")?,
            arch: var("CARGO_CFG_TARGET_ARCH")?,
            rustc: var("RUSTC")?.into(),
            package_id: format!("{} {}", var("CARGO_PKG_NAME")?, var("CARGO_PKG_VERSION")?),
        })
    }

    /// That of a build script in this folder, for tests.
    #[cfg(test)]
    pub fn of_test(package: PathBuf, target: String) -> Environment {
        let dir = package.join("out/spirv");
        std::fs::create_dir_all(&dir).unwrap();
        let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()).into();
        let arch = env::consts::ARCH.into();
        Environment { package, dir, target, arch, rustc, package_id: "package 1.0.0".into() }
    }

    /// What the artifacts depend on besides sources and options: this program, the target, the compiler.
    pub fn key(&self) -> String {
        let program = env::current_exe().and_then(std::fs::metadata).ok();
        let modified = program.as_ref().and_then(|m| m.modified().ok());
        let rustc = std::fs::metadata(&self.rustc).and_then(|m| m.modified()).ok();
        format!(
            "{} {:?} {:?} {} {} {rustc:?}",
            env!("CARGO_PKG_VERSION"),
            program.map(|m| m.len()),
            modified,
            self.target,
            self.rustc.display(),
        )
    }

    /// Prefix of native symbols: the same kernel name may exist in several packages of one program.
    pub fn symbol(&self, kernel: &str, source: &str) -> String {
        let mut hasher = DefaultHasher::new();
        (&self.package_id, source).hash(&mut hasher);
        format!("spirv_kernel_{:016x}_{kernel}", hasher.finish())
    }
}
