//! `spirv_build::compile` as a build script runs it: what it leaves, and that it leaves alone what has not changed.
//!
//! The test program plays the build script itself: it starts itself again with cargo's variables set.

mod common;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

/// Names the kernels to compile; only set in the process that plays the build script.
const KERNELS: &str = "SPIRV_TEST_KERNELS";
/// Names folders for includes, there.
const DIVERGENT: &str = "SPIRV_TEST_DIVERGENT";
const FOLDERS: &str = "SPIRV_TEST_FOLDERS";

#[test]
fn act_as_build_script() {
    let Ok(kernels) = std::env::var(KERNELS) else { return };
    let folders = std::env::var(FOLDERS).unwrap_or_default();
    for kernel in kernels.split(',') {
        let divergent = std::env::var_os(DIVERGENT).is_some();
        let config = spirv_build::config().define("SCALE", "2").divergent_barriers(divergent);
        let folders = folders.split(',').filter(|f| !f.is_empty());
        folders.fold(config, |config, folder| config.include_dir(folder)).compile(kernel);
    }
}

/// Says what the build script does, where it is more than to compile kernels.
const SCRIPT: &str = "SPIRV_TEST_SCRIPT";

#[test]
fn act_as_longer_build_script() {
    let k = "kernels/k.hlsl";
    let config = spirv_build::config;
    match std::env::var(SCRIPT).unwrap_or_default().as_str() {
        "variants" => {
            config().define("SCALE", 1).compile(k);
            for n in [4, 8] {
                config().define("SCALE", n).name(format!("k{n}")).compile(k);
                config().define("SCALE", n).name(format!("k{n}")).compile(format!("./{k}"));
            }
        }
        "twice" => {
            config().define("SCALE", 1.5).compile(k);
            config().define("SCALE", 2.5).compile(k);
        }
        "twice named" => {
            config().define("SCALE", 1).name("a").compile(k);
            config().define("SCALE", 2).name("a").compile(k);
        }
        "bad name" => config().name("4k").compile(k),
        "flags" => config()
            .flag("-DSCALE=2")
            .flags(["-Wno-such", "-HV", "2018", "-Zi", "-fvk-use-dx-layout"])
            .compile(k),
        "debug" => {
            for what in ["line", "vulkan-with-source", "rich"] {
                let config = config().define("SCALE", 2).flag(format!("-fspv-debug={what}"));
                config.name(identifier(what)).compile(k);
            }
        }
        "bad flag" => config().flag("-Fo x.spv").compile(k),
        _ => {}
    }
}

fn identifier(text: &str) -> String {
    text.replace('-', "_")
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
        self.build_with(kernels, &[])
    }

    /// The same with more variables set.
    fn build_with(&self, kernels: &str, more: &[(&str, &OsStr)]) -> (bool, String) {
        let done = Command::new(std::env::current_exe().unwrap())
            .args([if kernels.is_empty() { "act_as_longer_build_script" } else { "act_as_build_script" }])
            .args(["--exact", "--nocapture"])
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
            .envs(more.iter().copied())
            .output()
            .unwrap();
        let text =
            String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr);
        (done.status.success(), text)
    }

    /// What a longer script prints, and whether it ended well.
    fn script(&self, name: &str) -> (bool, String) {
        self.build_with("", &[(SCRIPT, OsStr::new(name))])
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
    for file in ["index", "a.interface", "a.vk.spv", "a.rs", "b.interface", "b.vk.spv"] {
        assert!(made.contains_key(file), "{file}: {made:?}");
    }
    assert!(made.keys().any(|f| f.starts_with("lib") && f.ends_with("_a.a")), "{made:?}");
    assert!(!made.keys().any(|f| f.ends_with(".diag") || f.ends_with(".partial")), "{made:?}");

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

#[test]
fn barriers_that_not_all_threads_reach_can_be_let_be() {
    let package = Package::new("barriers");
    package.write(
        "k.hlsl",
        "RWStructuredBuffer<uint> o; groupshared uint s;\n[numthreads(64, 1, 1)] void main(uint id : SV_GroupIndex) {\n\
         s = SCALE;\nif (id > 3) GroupMemoryBarrierWithGroupSync();\no[id] = s; }\n",
    );
    package.build("kernels/k.hlsl");
    let diag = fs::read_to_string(package.dir.join("out/spirv/k.diag")).unwrap();
    assert!(diag.contains("error[H0718]") && diag.contains("kernels/k.hlsl:4:13"), "{diag}");
    let (good, text) = package.build_with("kernels/k.hlsl", &[(DIVERGENT, OsStr::new("1"))]);
    assert!(good && text.contains("cargo::warning=kernels/k.hlsl:4:13: warning H0718"), "{text}");
    assert!(package.files().contains_key("k.vk.spv"));
}

#[test]
fn registers_that_two_resources_share_are_a_warning() {
    let package = Package::new("registers");
    package.write(
        "k.hlsl",
        "StructuredBuffer<uint> a : register(t0);
StructuredBuffer<uint> b : register(t0);
RWStructuredBuffer<uint> o : register(u0);
StructuredBuffer<uint> c : register(t0, space1);
[numthreads(1, 1, 1)] void one() { o[0] = a[0] + c[0]; }
[numthreads(1, 1, 1)] void both() { o[0] = a[0] + b[0] + SCALE; }
",
    );
    let (good, text) = package.build("kernels/k.hlsl");
    let warning = "cargo::warning=kernels/k.hlsl:2:24: warning H0720: `a` and `b` share register t0 [-Wshared-register]";
    assert!(good && text.contains(warning), "{text}");
    assert_eq!(text.matches("H0720").count(), 1, "{text}");
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

#[test]
fn a_file_with_several_sets_of_macros_is_several_kernels() {
    let package = Package::new("variants");
    package.write("k.hlsl", GOOD);
    let (good, text) = package.script("variants");
    assert!(good, "{text}");
    let index = fs::read_to_string(package.dir.join("out/spirv/index")).unwrap();
    let k = "kernels/k.hlsl";
    assert_eq!(index, format!("k\t{k}\nk4\t{k}\tname k4\nk8\t{k}\tname k8\n"));
    let module = |name: &str| fs::read(package.dir.join("out/spirv").join(name)).unwrap();
    assert_ne!(module("k4.vk.spv"), module("k8.vk.spv"));
    let archives = package.files().into_keys().filter(|f| f.ends_with(".a")).count();
    assert_eq!(archives, 3);
    // A second build finds nothing to do.
    let before = package.files();
    assert!(package.script("variants").0);
    assert_eq!(package.files(), before);
}

#[test]
fn one_kernel_with_two_sets_of_options_is_an_error() {
    let package = Package::new("twice");
    package.write("k.hlsl", GOOD);
    let (good, text) = package.script("twice");
    assert!(
        !good && text.contains("error: build.rs compiles kernels/k.hlsl twice with different options"),
        "{text}"
    );
    assert!(text.contains("config().name(\"k_2\")"), "{text}");
    let (good, text) = package.script("twice named");
    assert!(!good && text.contains("twice with the name `a` and different options"), "{text}");
    let (good, text) = package.script("bad name");
    assert!(!good && text.contains("`4k` is no name for a kernel"), "{text}");
}

#[test]
fn flags_of_the_command_line_reach_the_kernel() {
    let package = Package::new("flags");
    package.write("k.hlsl", &GOOD.replace("<float>", "<float3>"));
    let (good, text) = package.script("flags");
    assert!(good, "{text}");
    assert!(text.contains("cargo::warning=there is no warning `-Wno-such`"), "{text}");
    let interface = fs::read_to_string(package.dir.join("out/spirv/k.interface")).unwrap();
    assert!(interface.contains("buffer stride 12 type vector 3 f32"), "{interface}");
    // `-Zi`: the text of the source is in the module.
    let module = fs::read(package.dir.join("out/spirv/k.vk.spv")).unwrap();
    assert!(module.windows(14).any(|w| w == b"numthreads(64,"), "no debug information");
    let (good, text) = package.script("bad flag");
    assert!(!good && text.contains("error: cannot compile kernels/k.hlsl: `-Fo` means nothing"), "{text}");
    // Flags are part of what a kernel was made from.
    let before = fs::read_to_string(package.dir.join("out/spirv/k.stamp")).unwrap();
    assert!(package.build("kernels/k.hlsl").0);
    assert_ne!(fs::read_to_string(package.dir.join("out/spirv/k.stamp")).unwrap(), before);
}

/// Debug information is that of the same module, whatever it tells.
#[test]
fn modules_with_debug_information_are_valid() {
    let package = Package::new("debug");
    package.write(
        "k.hlsl",
        &format!(
            "float twice(float x) {{ float y = x * 2; return y; }}\n{}",
            GOOD.replace("SCALE", "twice(SCALE)")
        ),
    );
    let (good, text) = package.script("debug");
    assert!(good, "{text}");
    for name in ["line", "vulkan_with_source", "rich"] {
        let module = fs::read(package.dir.join(format!("out/spirv/{name}.vk.spv"))).unwrap();
        let words: Vec<u32> = module.chunks(4).map(|w| u32::from_le_bytes(w.try_into().unwrap())).collect();
        if let Some(said) = common::validate(&words, "vulkan1.1", &[]) {
            assert_eq!(said, Ok(()), "{name}");
        }
    }
}

/// A script that plays rustc: it does something first.
#[cfg(unix)]
fn rustc_after(package: &Package, command: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let script = package.dir.join("rustc.sh");
    fs::write(&script, format!("#!/bin/sh\n{command}\nexec {rustc} \"$@\"\n")).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    script
}

/// What was compiled is what counts, not what is on disk when the build ends.
#[cfg(unix)]
#[test]
fn files_that_are_saved_while_they_are_compiled_are_compiled_again() {
    for saved in ["k.hlsl", "shared.hlsli"] {
        let package = Package::new("saved");
        package.write("k.hlsl", &format!("#include \"shared.hlsli\"\n{}", GOOD.replace("SCALE", "factor()")));
        package.write("shared.hlsli", "float factor() { return SCALE; }\n");
        let rustc = rustc_after(&package, &format!("echo '// Later.' >> kernels/{saved}"));
        let (good, text) = package.build_with("kernels/k.hlsl", &[("RUSTC", rustc.as_os_str())]);
        assert!(good, "{text}");
        // The same compiler, which changes nothing more.
        rustc_after(&package, ":");
        let stamp = package.dir.join("out/spirv/k.stamp");
        let before = fs::read_to_string(&stamp).unwrap();
        let (good, text) = package.build_with("kernels/k.hlsl", &[("RUSTC", rustc.as_os_str())]);
        assert!(good, "{text}");
        let after = fs::read_to_string(&stamp).unwrap();
        let line = |stamp: &str| stamp.lines().find(|l| l.ends_with(saved)).unwrap().to_string();
        assert_ne!(line(&before), line(&after), "{saved}");
    }
}

/// A build that is killed while the native code is made leaves no stamp to believe.
#[cfg(unix)]
#[test]
fn a_killed_build_is_made_again() {
    let package = Package::new("killed");
    package.write("k.hlsl", GOOD);
    let rustc = rustc_after(&package, ":");
    let variables = [("RUSTC", rustc.as_os_str())];
    let contents = || -> BTreeMap<String, Vec<u8>> {
        let dir = package.dir.join("out/spirv");
        package
            .files()
            .into_keys()
            .filter(|f| !f.ends_with(".stamp"))
            .map(|f| (f.clone(), dir.join(f)))
            .filter(|(_, p)| p.is_file())
            .map(|(f, p)| (f, fs::read(p).unwrap()))
            .collect()
    };
    let (good, text) = package.build_with("kernels/k.hlsl", &variables);
    assert!(good, "{text}");
    let whole = contents();
    package.write("k.hlsl", &GOOD.replace("data[id.x] *=", "data[id.x + 1] *="));
    rustc_after(&package, "kill -9 $PPID");
    let (good, _) = package.build_with("kernels/k.hlsl", &variables);
    assert!(!good);
    rustc_after(&package, ":");
    package.write("k.hlsl", GOOD);
    let (good, text) = package.build_with("kernels/k.hlsl", &variables);
    assert!(good, "{text}");
    assert!(contents() == whole, "{:?} instead of {:?}", contents().keys(), whole.keys());
}

/// A file that would be found before the one that was found, or where none was, is a change.
#[test]
fn files_that_appear_before_an_include_are_seen() {
    let package = Package::new("shadows");
    for folder in ["first", "second"] {
        fs::create_dir_all(package.dir.join(folder)).unwrap();
    }
    package.write("k.hlsl", &format!("#include \"shared.hlsli\"\n{}", GOOD.replace("SCALE", "factor()")));
    let build = || {
        let (good, text) = package.build_with("kernels/k.hlsl", &[(FOLDERS, OsStr::new("first,second"))]);
        assert!(good, "{text}");
        text
    };
    let announced = |text: &str, path: &str| {
        text.lines()
            .any(|l| Path::new(l.trim_start_matches("cargo::rerun-if-changed=")) == package.dir.join(path))
    };
    let stamp = || fs::read_to_string(package.dir.join("out/spirv/k.stamp")).unwrap();
    let factor = |n: u32| format!("float factor() {{ return {n}; }}\n");
    // Nowhere: an error, until it is somewhere.
    let text = build();
    assert!(package.files().contains_key("k.diag"));
    for place in ["kernels", "first", "second"] {
        assert!(announced(&text, place), "{place}\n{text}");
    }
    for (folder, n) in [("second", 1), ("first", 2), ("kernels", 3)] {
        let before = stamp();
        fs::write(package.dir.join(folder).join("shared.hlsli"), factor(n)).unwrap();
        let text = build();
        assert!(announced(&text, &format!("{folder}/shared.hlsli")), "{text}");
        assert_eq!(announced(&text, "kernels"), folder != "kernels", "{text}");
        assert_ne!(stamp(), before, "{folder}");
        assert!(!package.files().contains_key("k.diag"));
        // Nothing more is to be done, and cargo is told the same.
        let again = build();
        assert_eq!(announced(&again, "kernels"), folder != "kernels", "{again}");
    }
}

/// Files that went missing or were cut off are made again.
#[test]
fn damaged_artifacts_are_made_again() {
    let package = Package::new("damaged");
    package.write("k.hlsl", GOOD);
    let (good, text) = package.build("kernels/k.hlsl");
    assert!(good, "{text}");
    let archive = package.files().into_keys().find(|f| f.ends_with(".a")).unwrap();
    for name in ["k.vk.spv", "k.0.cl.spv", "k.interface", &archive] {
        let file = package.dir.join("out/spirv").join(name);
        let whole = fs::read(&file).unwrap();
        fs::write(&file, &whole[..whole.len() / 8 * 4]).unwrap();
        assert!(package.build("kernels/k.hlsl").0);
        assert!(fs::read(&file).unwrap() == whole, "{name} stays cut off");
        fs::remove_file(&file).unwrap();
        assert!(package.build("kernels/k.hlsl").0);
        assert!(fs::read(&file).unwrap() == whole, "{name} stays away");
    }
}

#[cfg(unix)]
#[test]
fn paths_that_are_no_text_are_refused_by_name() {
    use std::os::unix::ffi::OsStrExt;
    let package = Package::new("bytes");
    package.write("k.hlsl", GOOD);
    let odd = package.dir.join(OsStr::from_bytes(b"odd\xff"));
    for variable in ["CARGO_MANIFEST_DIR", "OUT_DIR"] {
        let (good, text) = package.build_with("kernels/k.hlsl", &[(variable, odd.as_os_str())]);
        assert!(!good && text.contains(&format!("{variable} is not UTF-8")), "{text}");
    }
    let (good, text) = package.build("kernels/k.hlsl/");
    assert!(!good && text.contains("there is no such file"), "{text}");
    let (good, text) = package.build("/dev/zero");
    assert!(!good && text.contains("cannot read kernel /dev/zero: it is a device"), "{text}");
}

/// Clippy's driver as the compiler: native code is no business of its lints.
#[test]
fn clippys_driver_compiles_native_code() {
    let there = Command::new("clippy-driver").arg("--version").output().is_ok_and(|o| o.status.success());
    if !there {
        assert!(std::env::var_os("SPIRV_REQUIRE_COMPONENTS").is_none(), "clippy-driver is required");
        return;
    }
    let package = Package::new("clippy");
    package.write("k.hlsl", GOOD);
    let (good, text) = package.build_with("kernels/k.hlsl", &[("RUSTC", OsStr::new("clippy-driver"))]);
    assert!(good, "{text}");
    assert!(package.files().keys().any(|f| f.ends_with(".a")));
}
