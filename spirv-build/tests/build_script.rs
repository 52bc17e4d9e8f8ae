//! `spirv_build::compile` as a build script runs it: what it leaves, and that it leaves alone what has not changed.
//!
//! The test program plays the build script itself: it starts itself again with cargo's variables set.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

/// Names the kernels to compile; only set in the process that plays the build script.
const KERNELS: &str = "SPIRV_TEST_KERNELS";

#[test]
fn act_as_build_script() {
    let Ok(kernels) = std::env::var(KERNELS) else { return };
    for kernel in kernels.split(',') {
        spirv_build::config().define("SCALE", "2").compile(kernel);
    }
}

struct Package {
    dir: PathBuf,
}

impl Package {
    fn new(name: &str) -> Package {
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("package_{name}"));
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(dir.join("kernels")).unwrap();
        fs::create_dir_all(dir.join("out")).unwrap();
        Package { dir }
    }

    fn write(&self, file: &str, text: &str) {
        fs::write(self.dir.join("kernels").join(file), text).unwrap();
    }

    /// What the script prints, and whether it ended well.
    fn build(&self, kernels: &str) -> (bool, String) {
        let done = Command::new(std::env::current_exe().unwrap())
            .args(["act_as_build_script", "--exact", "--nocapture"])
            .current_dir(&self.dir)
            .env(KERNELS, kernels)
            .env("OUT_DIR", self.dir.join("out"))
            .env("CARGO_MANIFEST_DIR", &self.dir)
            .env("CARGO_PKG_NAME", "package")
            .env("CARGO_PKG_VERSION", "1.0.0")
            .env("TARGET", target())
            .env("HOST", target())
            .env("OPT_LEVEL", "0")
            .env("CARGO_CFG_TARGET_ARCH", std::env::consts::ARCH)
            .env("RUSTC", std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into()))
            .output()
            .unwrap();
        let text =
            String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr);
        (done.status.success(), text)
    }

    /// The files that were left, with the time of their last change.
    fn files(&self) -> BTreeMap<String, SystemTime> {
        fs::read_dir(self.dir.join("out/spirv"))
            .unwrap()
            .map(|f| f.unwrap())
            .map(|f| (f.file_name().into_string().unwrap(), f.metadata().unwrap().modified().unwrap()))
            .collect()
    }

    /// Builds, and tells which files were written or removed.
    fn changes(&self, kernels: &str) -> (Vec<String>, String) {
        let before = self.files();
        // Clocks of file systems are coarse.
        std::thread::sleep(std::time::Duration::from_millis(20));
        let (good, text) = self.build(kernels);
        assert!(good, "{text}");
        let after = self.files();
        let mut changed: Vec<String> =
            after.iter().filter(|(f, t)| before.get(*f) != Some(t)).map(|(f, _)| f.clone()).collect();
        changed.extend(before.keys().filter(|f| !after.contains_key(*f)).map(|f| format!("-{f}")));
        (changed, text)
    }
}

/// The triple of this machine.
fn target() -> String {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let out = Command::new(rustc).arg("-vV").output().unwrap();
    let text = String::from_utf8(out.stdout).unwrap();
    text.lines().find_map(|l| l.strip_prefix("host: ")).unwrap().to_string()
}

const GOOD: &str = "RWStructuredBuffer<float> data;\n[numthreads(64, 1, 1)]\nvoid main(uint3 id : SV_DispatchThreadID)\n{\n    data[id.x] *= SCALE;\n}\n";

#[test]
fn only_what_changed_is_made_again() {
    let package = Package::new("incremental");
    package.write("a.hlsl", &format!("#include \"shared.hlsli\"\n{}", GOOD.replace("SCALE", "factor()")));
    package.write("shared.hlsli", "float factor() { return SCALE; }\n");
    package.write("b.hlsl", GOOD);
    let kernels = "kernels/a.hlsl,kernels/b.hlsl";

    let (good, text) = package.build(kernels);
    assert!(good, "{text}");
    for file in ["kernels/a.hlsl", "kernels/shared.hlsli", "kernels/b.hlsl"] {
        let line = format!("cargo::rerun-if-changed={}", package.dir.join(file).display());
        assert!(text.contains(&line), "{line}\n{text}");
    }
    let made = package.files();
    for file in ["index", "a.interface", "a.vk.spv", "a.rs", "a.link", "b.interface", "b.vk.spv"] {
        assert!(made.contains_key(file), "{file}: {made:?}");
    }
    assert!(!made.keys().any(|f| f.ends_with(".diag")), "{made:?}");

    let (changed, text) = package.changes(kernels);
    assert_eq!(changed, [""; 0], "nothing has changed");
    assert!(text.contains("shared.hlsli") && text.contains("rustc-link-search"), "{text}");

    // A comment changes no artifact but the stamp.
    package.write("b.hlsl", &format!("// A comment.\n{GOOD}"));
    let (changed, _) = package.changes(kernels);
    assert!(changed.contains(&"b.stamp".to_string()), "{changed:?}");
    assert!(!changed.iter().any(|f| f.starts_with("a.") || f.ends_with(".spv")), "{changed:?}");

    package.write("shared.hlsli", "float factor() { return SCALE + 1; }\n");
    let (changed, _) = package.changes(kernels);
    assert!(changed.contains(&"a.vk.spv".to_string()), "{changed:?}");
    assert!(!changed.iter().any(|f| f.starts_with("b.") || f == "index"), "{changed:?}");

    // A kernel that is no longer compiled is no longer there.
    package.changes("kernels/a.hlsl");
    assert_eq!(fs::read_to_string(package.dir.join("out/spirv/index")).unwrap(), "a\tkernels/a.hlsl\n");
}

#[test]
fn errors_are_left_for_the_macro_and_go_when_mended() {
    let package = Package::new("errors");
    package.write("k.hlsl", &GOOD.replace("SCALE;", "missing;"));
    let (good, text) = package.build("kernels/k.hlsl");
    assert!(good, "{text}");
    let diag = fs::read_to_string(package.dir.join("out/spirv/k.diag")).unwrap();
    assert!(diag.starts_with("spirv-diag 1\nerrors 1\n\n"), "{diag}");
    assert!(diag.contains("kernels/k.hlsl:5:") && diag.contains('^'), "{diag}");

    package.write("k.hlsl", GOOD);
    let (changed, _) = package.changes("kernels/k.hlsl");
    assert!(changed.contains(&"-k.diag".to_string()), "{changed:?}");
    assert!(package.files().contains_key("k.vk.spv"));
}

/// Each entry point has its own module for Level Zero, with a number for a name.
#[test]
fn modules_go_with_their_entry_points() {
    let package = Package::new("modules");
    package.write("k.hlsl", &format!("{GOOD}{}", GOOD.split_once('\n').unwrap().1.replace("main", "other")));
    let (good, text) = package.build("kernels/k.hlsl");
    assert!(good, "{text}");
    let files = package.files();
    assert!(files.contains_key("k.0.cl.spv") && files.contains_key("k.1.cl.spv"), "{files:?}");
    package.write("k.hlsl", GOOD);
    let (changed, _) = package.changes("kernels/k.hlsl");
    assert!(changed.contains(&"-k.1.cl.spv".to_string()), "{changed:?}");
    assert!(package.files().contains_key("k.0.cl.spv"));
}

#[test]
fn what_is_no_kernels_fault_ends_the_script() {
    let package = Package::new("script");
    let (good, text) = package.build("kernels/none.hlsl");
    assert!(!good && text.contains("cannot read kernel") && text.contains("none.hlsl"), "{text}");
}

#[test]
fn kernels_of_one_name_in_two_folders_keep_apart() {
    let package = Package::new("names");
    fs::create_dir_all(package.dir.join("kernels/more")).unwrap();
    package.write("k.hlsl", GOOD);
    package.write("more/K.hlsl", &GOOD.replace("main", "other"));
    let entry = |name: &str| {
        let text = fs::read_to_string(package.dir.join("out/spirv").join(name)).unwrap();
        ["main", "other"].into_iter().find(|e| text.contains(&format!("entry {e} "))).map(str::to_string)
    };
    let (good, text) = package.build("kernels/k.hlsl,kernels/more/K.hlsl");
    assert!(good, "{text}");
    assert_eq!(entry("k.interface").as_deref(), Some("main"));
    assert_eq!(entry("kernels_more_K_hlsl.interface").as_deref(), Some("other"));
    // In the other order the short name goes to the other file; nothing of the last build passes for its own.
    let (good, text) = package.build("kernels/more/K.hlsl,kernels/k.hlsl");
    assert!(good, "{text}");
    assert_eq!(entry("K.interface").as_deref(), Some("other"));
    assert_eq!(entry("kernels_k_hlsl.interface").as_deref(), Some("main"));
}
