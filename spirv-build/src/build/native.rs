//! CPU code: the user's own rustc compiles it to an object, the `cc` crate archives that for the linker.

use super::Environment;
use super::artifacts::Artifacts;
use super::files::write_if_changed;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Flags of the compilation. It is optimised in debug builds too: that is what the user waits for at run time.
const FLAGS: &[&str] = &[
    "--edition=2024",
    "--crate-type=rlib",
    "--crate-name=spirv_kernel",
    "--emit=obj",
    "-Copt-level=3",
    "-Ccodegen-units=1",
    "-Cpanic=abort",
    "-Cdebuginfo=0",
    "-Coverflow-checks=off",
    "-Cembed-bitcode=no",
    "-Awarnings",
    // Where `RUSTC` is clippy's driver, its lints are errors.
    "--cap-lints=allow",
];

/// What the extension of a folder for tools begins with; the number of the process follows.
const WORK: &str = "native-";

/// Compiles the source to `lib{symbol}.a` (and `{symbol}.lib`, where the linker looks for that): file names and bytes.
pub(super) fn build(
    env: &Environment,
    artifacts: &Artifacts,
    source: &str,
    symbol: &str,
) -> Result<Vec<(String, Vec<u8>)>, String> {
    let file = artifacts.file("rs");
    write_if_changed(&file, source.as_bytes())?;
    // Tools write where no artifact is, nor the tools of a build that was killed, which may still run.
    artifacts.remove_folders(WORK);
    let work = artifacts.file(&format!("{WORK}{}", std::process::id()));
    fs::create_dir_all(&work).map_err(|e| format!("cannot make {}: {e}", work.display()))?;
    let object = work.join("kernel.o");
    let output = Command::new(&env.rustc)
        .args(FLAGS)
        .args(["--target", &env.target])
        .arg("-o")
        .arg(&object)
        .arg(&file)
        .output()
        .map_err(|e| format!("cannot run {}: {e}", env.rustc.display()))?;
    if !output.status.success() {
        return Err(format!(
            "rustc does not accept the CPU code of a kernel; please report this together with the kernel\n\
             ({})\n{}",
            file.display(),
            String::from_utf8_lossy(&output.stderr)
        ));
    }
    cc::Build::new()
        .cargo_metadata(false)
        .warnings(false)
        .out_dir(&work)
        .object(&object)
        .try_compile(symbol)
        .map_err(|e| format!("cannot archive the CPU code of a kernel: {e}"))?;
    let archives = archives(&work).map_err(|e| format!("cannot read {}: {e}", work.display()))?;
    let _ = fs::remove_dir_all(&work);
    Ok(archives)
}

/// The archives in a folder.
fn archives(dir: &Path) -> std::io::Result<Vec<(String, Vec<u8>)>> {
    let mut out = Vec::new();
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        if name.ends_with(".a") || name.ends_with(".lib") {
            out.push((name, fs::read(&path)?));
        }
    }
    out.sort();
    Ok(out)
}
