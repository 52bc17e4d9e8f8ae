pub mod conflict {
    spirv_runtime::include_types!("crate::conflict");
}

fn main() {
    let _ = conflict::Planet { mass: 1 };
}
