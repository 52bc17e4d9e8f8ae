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
];

fn main() {
    for kernel in KERNELS {
        spirv_build::compile(format!("kernels/{kernel}.hlsl"));
    }
}
