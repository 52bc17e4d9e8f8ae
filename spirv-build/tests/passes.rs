//! Passes, one at a time: `passes/<pass>/*.spirv` is a module as text; the pass runs on it, and what comes of it is compared
//! with the `.expect` file beside it (`UPDATE_EXPECT=1` rewrites). Both are verified.

mod common;

use common::check_expected;
use spirv_build::ir::{Module, parse, print, verify};
use spirv_build::passes::legalize_resources;
use spirv_build::passes::robust_access::{self, Device};
use spirv_build::passes::{PASSES, Pass};
use std::path::Path;

/// Passes that the registry does not have, because something must be chosen.
const OTHERS: &[Pass] = &[
    Pass { name: "legalize_resources", run: |module| legalize_resources::run(module, true).unwrap() },
    Pass { name: "robust_access", run: |module| robust_access::run(module, Device::VULKAN) },
];

fn verified(module: &Module, what: &str, path: &Path) {
    let errors = verify::verify(module);
    assert!(errors.is_empty(), "{} {what} the pass: {}", path.display(), errors[0].message);
}

#[test]
fn modules_become_what_is_expected() {
    let mut failures = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/passes");
    let mut count = 0;
    for folder in root.read_dir().unwrap().map(|f| f.unwrap().path()) {
        let name = folder.file_name().unwrap().to_str().unwrap();
        let pass = PASSES.iter().chain(OTHERS).find(|p| p.name == name);
        let pass = pass.unwrap_or_else(|| panic!("there is no pass `{name}`"));
        for path in folder.read_dir().unwrap().map(|f| f.unwrap().path()) {
            if path.extension().is_none_or(|e| e != "spirv") {
                continue;
            }
            count += 1;
            let text = std::fs::read_to_string(&path).unwrap();
            let mut module = parse::parse(&text).unwrap_or_else(|e| panic!("{}: {e:?}", path.display()));
            verified(&module, "before", &path);
            (pass.run)(&mut module);
            verified(&module, "after", &path);
            check_expected(&path.with_extension("expect"), &print::print(&module), &mut failures);
        }
    }
    assert!(count > 0, "no cases in {}", root.display());
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
