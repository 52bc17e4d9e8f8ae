//! Compiles the kernels in `kernels/`, good and bad, as the build script of a user does.

/// Every kernel but `forgotten`.
const KERNELS: &[&str] = &[
    "saxpy",
    "particles",
    "image",
    "several",
    "shapes",
    "debugged",
    "chosen",
    "syntax_error",
    "type_error",
    "unknown_include",
    "vectors",
];

fn main() {
    for kernel in KERNELS {
        spirv_build::compile(format!("kernels/{kernel}.hlsl"));
    }
    for n in [4, 8] {
        let config = spirv_build::config().define("N", n).define("SCALE", 0.5);
        config.name(format!("variant{n}")).compile("kernels/variants.hlsl");
    }
    for kernel in ["pull", "weigh"] {
        spirv_build::config().types("crate::gpu").compile(format!("kernels/{kernel}.hlsl"));
    }
    // One with the user's own types, and with some that differ.
    let own = spirv_build::config().name("own_pull").rust_type("Planet", "crate::OwnPlanet");
    own.rust_type("Orbit", "crate::gpu::Orbit").compile("kernels/pull.hlsl");
    spirv_build::config().name("own_weigh").rust_type("float4", "crate::Sum").compile("kernels/weigh.hlsl");
    spirv_build::config().types("crate::conflict").name("conflict").compile("kernels/weigh.hlsl");
    spirv_build::config().types("crate::conflict").compile("kernels/differs.hlsl");
    spirv_build::config().flag("-fvk-use-scalar-layout").compile("kernels/packed.hlsl");
}
