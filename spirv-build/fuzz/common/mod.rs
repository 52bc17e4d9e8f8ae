//! What the fuzz targets do, and how inputs are made; each target uses a part of it, and so does `tests/fuzz_targets.rs`.
#![allow(dead_code)]

pub mod arithmetic;
mod bodies;
// A test that runs the targets has this file twice.
#[allow(clippy::duplicate_mod)]
#[path = "../../tests/common/changes.rs"]
mod changes;
pub mod flags;
pub mod grammar;
mod interpreter;
pub mod passes;
pub mod programs;
mod scalar;
pub mod targets;

pub use changes::Numbers;

impl Numbers {
    /// True once in `n` times.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of a list.
    pub fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}
