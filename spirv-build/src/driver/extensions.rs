//! Names of SPIR-V extensions, as `-fspv-extension=` takes them.

use crate::diag::suggest::closest;

/// The extensions that a name means: itself, or all of Khronos.
pub(super) fn extension(name: &str) -> Result<Vec<String>, String> {
    let known = spirv_spec::extensions;
    if name == "KHR" {
        return Ok(known().filter(|e| e.starts_with("SPV_KHR_")).map(String::from).collect());
    }
    if known().any(|e| e == name) {
        return Ok(vec![name.into()]);
    }
    Err(match closest(name, known()) {
        Some(like) => format!("unknown extension of SPIR-V `{name}`; did you mean `{like}`?"),
        None => format!("unknown extension of SPIR-V `{name}`"),
    })
}
