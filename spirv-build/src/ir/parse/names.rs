//! Instructions by their names.

use rustc_hash::FxHashMap;
use spirv::{GlslStd450Op, Op, OpenclStd100Op};
use std::fmt::Debug;
use std::sync::OnceLock;

/// One past the largest number of an instruction of the core.
const OPS: u32 = 7000;
/// One past the largest number of an instruction of an extended set.
const EXTENDED: u32 = 256;

type Names<T> = OnceLock<FxHashMap<String, T>>;

fn table<T: Debug>(end: u32, of: impl Fn(u32) -> Option<T>) -> FxHashMap<String, T> {
    (0..end).filter_map(of).map(|op| (format!("{op:?}"), op)).collect()
}

/// An instruction of the core.
pub(super) fn op(name: &str) -> Option<Op> {
    static NAMES: Names<Op> = OnceLock::new();
    NAMES.get_or_init(|| table(OPS, Op::from_u32)).get(name).copied()
}

/// The number of an instruction of `GLSL.std.450`.
pub(super) fn glsl(name: &str) -> Option<u32> {
    static NAMES: Names<GlslStd450Op> = OnceLock::new();
    let names = NAMES.get_or_init(|| table(EXTENDED, GlslStd450Op::from_u32));
    names.get(name).map(|op| *op as u32).or_else(|| name.parse().ok())
}

/// The number of an instruction of `OpenCL.std`.
pub(super) fn opencl(name: &str) -> Option<u32> {
    static NAMES: Names<OpenclStd100Op> = OnceLock::new();
    let names = NAMES.get_or_init(|| table(EXTENDED, OpenclStd100Op::from_u32));
    names.get(name).map(|op| *op as u32).or_else(|| name.parse().ok())
}
