//! Builds that end at any step, and what is left of them.

use super::files::steps::{KILLED, LEFT};
use super::*;
use spirv_interface::Interface;
use std::collections::BTreeMap;
use std::fs;

const KERNEL: &str = "kernels/k.hlsl";
const BEFORE: &str = "RWStructuredBuffer<float> data;\n[numthreads(64, 1, 1)]\nvoid main(uint3 id : SV_DispatchThreadID)\n{\n    data[id.x] *= 2;\n}\n";

struct Package(Environment);

impl Package {
    fn new(name: &str) -> Package {
        let dir = std::env::temp_dir().join(format!("spirv-build-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(dir.join("kernels")).unwrap();
        let version = std::process::Command::new("rustc").arg("-vV").output().unwrap().stdout;
        let version = String::from_utf8(version).unwrap();
        let host = version.lines().find_map(|l| l.strip_prefix("host: ")).unwrap();
        // What `cc` takes from cargo.
        // SAFETY: std's readers and writers of the environment wait for each other, and no other code reads it here.
        unsafe {
            for (name, value) in [("TARGET", host), ("HOST", host), ("OPT_LEVEL", "0")] {
                std::env::set_var(name, value);
            }
        }
        Package(Environment::of_test(dir, host.into()))
    }

    fn write(&self, text: &str) {
        fs::write(self.0.package.join(KERNEL), text).unwrap();
    }

    /// Builds; `steps` says how many steps until the build is ended.
    fn build(&self, cpu: bool, steps: Option<usize>) -> Result<(), String> {
        LEFT.set(steps);
        let done = config().cpu(cpu).run_in(&self.0, Path::new(KERNEL));
        LEFT.set(None);
        done
    }

    fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let files = fs::read_dir(&self.0.dir).unwrap().map(|f| f.unwrap().path());
        let name = |p: &Path| p.file_name().unwrap().to_str().unwrap().to_string();
        files.filter(|p| p.is_file()).map(|p| (name(&p), fs::read(&p).unwrap())).collect()
    }

    /// The files but the stamp, and whether a stub would be made of them.
    fn state(&self) -> (BTreeMap<String, Vec<u8>>, bool) {
        let mut files = self.files();
        files.remove("k.stamp");
        let interface = files.get("k.interface").map(|text| String::from_utf8(text.clone()).unwrap());
        let usable = interface.is_some_and(|text| {
            Interface::from_sealed_text(&text).is_ok_and(|i| i.check_files(&self.0.dir).is_ok())
        });
        let usable = usable && !files.contains_key("k.diag");
        files.retain(|name, _| !name.ends_with(".partial") && name != "k.rs");
        (files, usable)
    }
}

impl Drop for Package {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0.package);
    }
}

/// Builds one text, ends the build of another after each step there is, takes the edit back and builds again.
fn end_at_each_step(name: &str, cpu: bool, after: &str) {
    let package = Package::new(name);
    package.write(after);
    package.build(cpu, None).unwrap();
    let new = package.state();
    package.write(BEFORE);
    package.build(cpu, None).unwrap();
    let old = package.state();
    assert!(old.1 && old.0 != new.0);
    let mut ended = 0;
    loop {
        package.write(after);
        let done = package.build(cpu, Some(ended));
        // Nothing that is left passes for a kernel unless it is all of one version.
        let (files, usable) = package.state();
        assert!(!usable || files == old.0 || files == new.0, "{name}: a mixture after {ended} steps");
        package.write(BEFORE);
        package.build(cpu, None).unwrap();
        assert!(package.state() == old, "{name}: not what it was after {ended} steps");
        if done.is_ok() {
            break;
        }
        assert_eq!(done, Err(KILLED.into()));
        ended += 1;
    }
    assert!(ended > 4, "{name}: {ended} steps");
    assert!(!package.files().keys().any(|f| f.ends_with(".partial")), "{:?}", package.files().keys());
}

#[test]
fn builds_that_end_early_mix_nothing() {
    end_at_each_step("modules", false, &BEFORE.replace("*= 2", "*= 3"));
    // More resources, and another entry point, which has a module of its own.
    let more = BEFORE.replace("data[id.x]", "data[id.x] = more[id.x]; data[id.x]");
    let second = BEFORE.split_once('\n').unwrap().1.replace("main", "second");
    end_at_each_step("entries", false, &format!("StructuredBuffer<float> more;\n{more}{second}"));
    end_at_each_step("errors", false, &BEFORE.replace("*= 2", "*= missing"));
}

#[test]
fn builds_that_end_early_mix_no_native_code() {
    end_at_each_step("native", true, &BEFORE.replace("*= 2", "*= 3"));
}

/// An archive of another version has no function of the name that a stub calls.
#[test]
fn native_symbols_tell_versions_apart() {
    let package = Package::new("symbols");
    let symbol = |text: &str| {
        package.write(text);
        package.build(true, None).unwrap();
        let text = String::from_utf8(package.files()["k.interface"].clone()).unwrap();
        let interface = Interface::from_sealed_text(&text).unwrap();
        let symbol = interface.entries[0].cpu.code().unwrap().symbol.clone();
        let archive = &package.files()[&format!("lib{}.a", interface.library.unwrap())];
        assert!(archive.windows(symbol.len()).any(|w| w == symbol.as_bytes()), "{symbol}");
        symbol
    };
    let (old, new) = (symbol(BEFORE), symbol(&BEFORE.replace("*= 2", "*= 3")));
    assert_ne!(old, new);
    assert_eq!(old, symbol(BEFORE));
}
