//! Leaves the artifacts of the kernels in `kernels/`, as the build script of a user does.
//!
//! They are written by hand: what these tests are about is what the macros make of them.

#[path = "build/by_hand.rs"]
mod by_hand;

/// Every kernel, good or bad.
const KERNELS: &[&str] =
    &["saxpy", "particles", "image", "several", "syntax_error", "type_error", "unknown_include"];

fn main() {
    for kernel in KERNELS {
        by_hand::compile(&format!("kernels/{kernel}.hlsl"));
    }
}
