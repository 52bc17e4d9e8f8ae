//! Instructions by their names.

use spirv_spec::{ExtSet, Op};

/// An instruction of the core.
pub(super) fn op(name: &str) -> Option<Op> {
    Op::by_name(name)
}

/// The number of an instruction of an extended set, which may also be written as a number.
pub(super) fn extended(set: ExtSet, name: &str) -> Option<u32> {
    set.number(name).or_else(|| name.parse().ok())
}
