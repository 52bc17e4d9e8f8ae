//! CPU code: the user's own rustc compiles it to an object, the `cc` crate archives that for the linker.

use super::Environment;
use super::artifacts::{Artifacts, write_if_changed};
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
];

/// Compiles the source to `lib{symbol}.a` (or `{symbol}.lib`).
pub(super) fn build(
    env: &Environment,
    artifacts: &Artifacts,
    source: &str,
    symbol: &str,
) -> Result<(), String> {
    let (file, object) = (artifacts.file("rs"), artifacts.file("o"));
    write_if_changed(&file, source.as_bytes())?;
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
        .out_dir(artifacts.dir())
        .object(&object)
        .try_compile(symbol)
        .map_err(|e| format!("cannot archive the CPU code of a kernel: {e}"))
}
