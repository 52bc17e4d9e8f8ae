//! Generated code and runtime have the same structures: each has them written down for itself.

use std::collections::BTreeMap;
use std::path::Path;

/// The structures of a source file, by their names: types and names of the fields.
fn structures(file: &str) -> BTreeMap<String, Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let (mut all, mut open, mut is_c) = (BTreeMap::new(), None, false);
    for line in text.lines().map(str::trim).filter(|l| !l.starts_with("//") && !l.starts_with("#[derive")) {
        if let Some(name) = line.strip_prefix("pub struct ").and_then(|l| l.strip_suffix(" {")) {
            assert!(is_c, "{file}: `{name}` is not #[repr(C)]");
            open = Some(name.to_string());
            all.insert(name.to_string(), Vec::new());
        } else if line == "}" {
            open = None;
        } else if let Some(name) = &open {
            let field = line.trim_start_matches("pub ").trim_end_matches(',');
            all.get_mut(name).unwrap().push(field.replace("core::sync::atomic::", ""));
        }
        is_c = line == "#[repr(C)]";
    }
    all
}

#[test]
fn generated_code_and_runtime_have_the_same_structures() {
    let runtime = structures("spirv-runtime/src/cpu/abi.rs");
    let mut generated = structures("spirv-build/cpu/src/cpu/prelude/abi.rs");
    generated.extend(
        structures("spirv-build/cpu/src/cpu/prelude/sample.rs").into_iter().filter(|s| s.0 == "Sampler"),
    );
    assert_eq!(runtime.keys().collect::<Vec<_>>(), ["Control", "Fault", "Launch", "Sampler", "Slot"]);
    assert!(runtime.values().all(|fields| fields.len() >= 2), "{runtime:?}");
    assert_eq!(generated, runtime);
}
