//! Compiles the kernels in `kernels/`, good and bad, as the build script of a user does.

/// Every kernel but `forgotten`.
const KERNELS: &[&str] = &[
    "saxpy",
    "particles",
    "image",
    "several",
    "shapes",
    "debugged",
    "syntax_error",
    "type_error",
    "unknown_include",
];

fn main() {
    for kernel in KERNELS {
        spirv_build::compile(format!("kernels/{kernel}.hlsl"));
    }
    for n in [4, 8] {
        let config = spirv_build::config().define("N", n).define("SCALE", 0.5);
        config.name(format!("variant{n}")).compile("kernels/variants.hlsl");
    }
}
