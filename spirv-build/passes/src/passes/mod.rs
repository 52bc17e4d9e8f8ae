//! Transformations of the IR, one file each, with a row in [`registry`] and a folder in `tests/passes`.
//!
//! A pass takes a module that verifies and leaves one that verifies and means the same. It tells whether it changed anything,
//! and what is wrong with the program as findings. [`Manager`] runs lists of them; [`levels`] has the lists of `-O0` to `-O3`.

mod absorb;
pub mod addresses;
pub mod bind_resources;
pub mod dce;
pub mod expand;
pub mod flatten;
pub mod inline;
pub mod legalize_resources;
pub mod levels;
pub mod list_interfaces;
pub mod localize;
mod manager;
pub mod mem2reg;
pub mod memory_model;
pub mod merge_returns;
pub mod nonuniform;
pub mod offsets;
mod pass;
pub mod precise;
pub mod push_constants;
pub mod registry;
pub mod robust_access;
pub mod sccp;
pub mod simplify_cfg;
pub mod sroa;
pub mod structurize;
pub mod unroll;
pub mod unsigned_indices;

pub use levels::{Level, LevelOptions};
pub use manager::{Instruments, Manager, verify};
pub(crate) use pass::plain_pass;
pub use pass::{Changed, Pass};
