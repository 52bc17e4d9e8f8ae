//! What the tests need: the test driver, an OpenCL runtime behind it, and an assembler for the kernels.

use spirv_runtime::__private::{ClArg, ClEntry, CpuEntry, EntryDesc, KernelDesc, ResourceDesc};
use spirv_runtime::{Device, PixelFormat, Queue};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Notes that a component is missing; fails where components are required.
pub fn missing(what: &str) {
    assert!(std::env::var_os("SPIRV_REQUIRE_COMPONENTS").is_none(), "missing: {what}");
    eprintln!("skipped: {what}");
}

/// The folder that cargo builds in.
fn target() -> PathBuf {
    let tmp = Path::new(env!("CARGO_TARGET_TMPDIR"));
    tmp.parent().unwrap_or(tmp).to_path_buf()
}

/// Sets a variable unless the environment has it.
fn default(name: &str, value: impl AsRef<std::ffi::OsStr>) {
    if std::env::var_os(name).is_none() {
        // SAFETY: `ready` calls this once, before any test reads the environment.
        unsafe { std::env::set_var(name, value) };
    }
}

/// Builds the driver and points the environment to it: at the loader's way in, or in the loader's place.
pub fn prepare(through_loader: bool) -> Result<(), String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo)
        .args(["build", "--quiet", "-p", "ze-on-opencl", "--target-dir"])
        .arg(target())
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .map_err(|e| format!("cannot run cargo ({e})"))?;
    if !built.status.success() {
        return Err(format!("cannot build ze-on-opencl: {}", String::from_utf8_lossy(&built.stderr)));
    }
    let driver = target().join("debug/libze_on_opencl.so");
    let opencl = target().join("level-zero/opencl/libintelocl.so");
    if opencl.exists() {
        default("ZEOCL_OPENCL", opencl);
    }
    if through_loader {
        default("ZE_ENABLE_ALT_DRIVERS", driver);
        default("ZE_ENABLE_VALIDATION_LAYER", "1");
        default("ZE_ENABLE_PARAMETER_VALIDATION", "1");
        default("ZEOCL_SHUFFLE", "1");
    } else {
        default("SPIRV_LEVEL_ZERO_LOADER", driver);
    }
    Ok(())
}

/// Whether everything is there; says what is not.
pub fn ready(through_loader: bool) -> bool {
    static READY: OnceLock<Result<(), String>> = OnceLock::new();
    let ready = READY.get_or_init(|| {
        prepare(through_loader)?;
        Device::level_zero(0).map(drop).map_err(|e| format!("{e} (tests/install_level_zero.sh installs all)"))
    });
    if let Err(e) = ready {
        missing(e);
    }
    ready.is_ok()
}

/// The module, or None with a note if there is no assembler.
pub fn assemble(name: &str) -> Option<&'static [u8]> {
    let source =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/level_zero").join(format!("{name}.spvasm"));
    let thread = format!("{:?}-{}", std::thread::current().id(), std::process::id());
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{thread}.cl.spv"));
    let run = Command::new("spirv-as").args(["--target-env", "spv1.0", "-o"]).arg(&out).arg(&source).output();
    match run {
        Ok(done) if done.status.success() => {
            let bytes = std::fs::read(&out).unwrap();
            let valid = Command::new("spirv-val").args(["--target-env", "opencl2.0"]).arg(&out).output();
            if let Ok(done) = valid {
                assert!(done.status.success(), "{name}: {}", String::from_utf8_lossy(&done.stderr));
            }
            let _ = std::fs::remove_file(&out);
            Some(Vec::leak(bytes))
        }
        Ok(done) => panic!("{}", String::from_utf8_lossy(&done.stderr)),
        Err(e) => {
            missing(&format!("no spirv-as to assemble {name}.spvasm ({e})"));
            None
        }
    }
}

/// A description of an entry point that uses all these resources.
pub fn describe(
    spirv: &'static [u8],
    name: &'static str,
    local_size: [u32; 3],
    resources: &'static [ResourceDesc],
    cl_args: &'static [ClArg],
) -> &'static EntryDesc {
    let (kernel, source) = ("test", "tests/level_zero");
    let kernel = Box::leak(Box::new(KernelDesc { name: kernel, source, spirv: None, resources }));
    let used = Vec::leak((0..resources.len() as u32).collect());
    let (cl, cl_memory) = (ClEntry::Kernel { code: spirv, args: cl_args }, ClEntry::Absent);
    Box::leak(Box::new(EntryDesc {
        kernel,
        name,
        local_size,
        arguments: used,
        resources: used,
        samples: &[],
        cl,
        cl_memory,
        wave: None,
        cpu: CpuEntry::Absent,
    }))
}

// Not all tests have images.
#[allow(dead_code)]
/// An image keeps its texels, those of its making and those written later; one without any has zeros.
pub fn check_texels<F: PixelFormat>(device: &Device, queue: &Queue, texels: &[F::Texel], others: &[F::Texel])
where
    F::Texel: PartialEq + std::fmt::Debug,
{
    let mut image = device.image_from::<F>(3, 2, texels).unwrap();
    assert_eq!(image.read(queue).unwrap(), texels, "{}", F::NAME);
    image.write(queue, others).unwrap();
    assert_eq!(image.read(queue).unwrap(), others, "{}", F::NAME);
    let empty = device.image::<F>(3, 2).unwrap().read(queue).unwrap();
    assert!(bytemuck::cast_slice::<F::Texel, u8>(&empty).iter().all(|b| *b == 0), "{}", F::NAME);
}
