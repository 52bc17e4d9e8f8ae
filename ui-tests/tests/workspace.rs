//! A workspace of a user's: packages whose kernels have one name and path, kernels outside of the package, and a build script that
//! compiles nothing any more.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

struct Workspace(PathBuf);

impl Workspace {
    fn write(&self, file: &str, text: &str) {
        let file = self.0.join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    /// A package with these dependencies.
    fn package(&self, name: &str, dependencies: &str) {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().display();
        let text = format!(
            "[package]\nname = \"{name}\"\nversion = \"1.0.0\"\nedition = \"2024\"\n\n[dependencies]\n{dependencies}\
             spirv-runtime = {{ path = '{root}/spirv-runtime' }}\n\n\
             [build-dependencies]\nspirv-build = {{ path = '{root}/spirv-build' }}\n"
        );
        self.write(&format!("{name}/Cargo.toml"), &text);
    }

    /// Builds the program and runs it: whether that worked, and what was said.
    fn run(&self) -> (bool, String) {
        // What is built already is that of this workspace: the same packages in the same profile.
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
        let done = Command::new(env!("CARGO"))
            .args(["run", "--quiet", "--offline", "--package", "app", "--target-dir"])
            .arg(target)
            .current_dir(&self.0)
            .env_remove("OUT_DIR")
            .env_remove("CARGO_MANIFEST_DIR")
            .env("SPIRV_DEVICE", "cpu")
            .output()
            .unwrap();
        let said = [done.stdout, done.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        (done.status.success(), said.concat())
    }
}

/// A kernel that multiplies.
fn kernel(by: &str) -> String {
    format!(
        "RWStructuredBuffer<float> data;\n[numthreads(64, 1, 1)]\nvoid main(uint3 id : SV_DispatchThreadID)\n{{\n    \
         data[id.x] *= {by};\n}}\n"
    )
}

/// A function that launches the kernel of a module.
fn launcher(name: &str, module: &str) -> String {
    format!(
        "pub fn {name}(value: f32) -> f32 {{\n    let device = spirv_runtime::Device::cpu();\n    let queue = device.queue();\n    \
         let mut data = device.buffer_from(&[value]).unwrap();\n    \
         let args = {module}::Args {{ data: &mut data, threads: [1, 1, 1] }};\n    \
         {module}::load(&device).unwrap().launch(&queue, args).unwrap();\n    data.read(&queue).unwrap()[0]\n}}\n"
    )
}

const BUILD: &str = "fn main() { spirv_build::compile(\"kernels/scale.hlsl\"); }\n";

#[test]
fn packages_of_a_workspace() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("workspace");
    let _ = fs::remove_dir_all(&dir);
    let workspace = Workspace(dir);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    workspace.write("Cargo.lock", &fs::read_to_string(root.join("Cargo.lock")).unwrap());
    workspace.write(
        "Cargo.toml",
        "[workspace]\nresolver = \"3\"\nmembers = [\"app\", \"one\", \"two\"]\n\n[profile.dev]\ndebug = \"line-tables-only\"\n",
    );
    let include = "spirv_runtime::include_kernel!(\"kernels/scale.hlsl\");\n";
    for (name, by) in [("one", "2"), ("two", "3")] {
        workspace.package(name, "");
        workspace.write(&format!("{name}/build.rs"), BUILD);
        workspace.write(&format!("{name}/kernels/scale.hlsl"), &kernel(by));
        workspace
            .write(&format!("{name}/src/lib.rs"), &format!("{include}{}", launcher("scale_by", "scale")));
    }
    workspace.package("app", "one = { path = \"../one\" }\ntwo = { path = \"../two\" }\n");
    workspace.write("app/kernels/scale.hlsl", &kernel("5"));
    // Outside of the package: by a path from it, and by an absolute one.
    workspace.write("shared/outside.hlsl", &format!("#include \"factor.hlsli\"\n{}", kernel("FACTOR")));
    workspace.write("shared/factor.hlsli", "#define FACTOR 7\n");
    let far = workspace.0.join("shared/far.hlsl").to_str().unwrap().replace('\\', "/");
    workspace.write("shared/far.hlsl", &kernel("11"));
    workspace.write(
        "app/build.rs",
        &format!(
            "fn main() {{\n    spirv_build::compile(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/kernels/scale.hlsl\"));\n    \
             spirv_build::compile(\"../shared/outside.hlsl\");\n    spirv_build::compile(\"{far}\");\n}}\n"
        ),
    );
    workspace.write(
        "app/src/main.rs",
        &format!(
            "{include}spirv_runtime::include_kernel!(\"../shared/outside.hlsl\");\n\
             spirv_runtime::include_kernel!(\"{far}\");\n\
             spirv_runtime::include_kernel!(mod near = \"../shared/far.hlsl\");\n{}{}{}{}\
             fn main() {{\n    println!(\"{{:?}}\", [one::scale_by(1.0), two::scale_by(1.0), own(1.0), outside_of(1.0), \
             far_away(1.0), nearer(1.0)]);\n}}\n",
            launcher("own", "scale"),
            launcher("outside_of", "outside"),
            launcher("far_away", "far"),
            launcher("nearer", "near"),
        ),
    );
    let (good, said) = workspace.run();
    assert!(good && said.contains("[2.0, 3.0, 5.0, 7.0, 11.0, 11.0]"), "{said}");

    // A change outside of the package is one, in the kernel and in what it includes. Clocks of file systems are coarse.
    std::thread::sleep(std::time::Duration::from_millis(1100));
    workspace.write("shared/factor.hlsli", "#define FACTOR 8\n");
    workspace.write("shared/far.hlsl", &kernel("12"));
    let (good, said) = workspace.run();
    assert!(good && said.contains("[2.0, 3.0, 5.0, 8.0, 12.0, 12.0]"), "{said}");

    // What the last run left is not what this one compiled.
    workspace.write("one/build.rs", "fn main() {}\n");
    let (good, said) = workspace.run();
    assert!(!good && said.contains("the build script of this package compiled no kernel"), "{said}");
    assert_eq!(said.matches("error: ").count() + said.matches("error:\n").count(), 2, "{said}");
    workspace.write("one/build.rs", BUILD);
    assert!(workspace.run().0);
}
