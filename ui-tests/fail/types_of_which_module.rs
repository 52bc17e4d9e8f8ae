pub mod gpu {
    spirv_runtime::include_types!();
}

fn main() {}
