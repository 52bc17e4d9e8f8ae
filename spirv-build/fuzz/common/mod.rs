//! What the fuzz targets do, and how inputs are made; each target uses a part of it, and so does `tests/fuzz_targets.rs`.
#![allow(dead_code)]

mod bodies;
pub mod flags;
pub mod grammar;
pub mod programs;
pub mod targets;

/// Small numbers from a seed.
pub struct Numbers(pub u64);

impl Numbers {
    /// One below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n.max(1)
    }

    /// True once in `n` times.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of a list.
    pub fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}
