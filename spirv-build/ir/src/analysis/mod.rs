//! What is known of a function without running it. Analyses read the IR and change nothing; passes ask [`Analyses`] for them.

pub mod address;
pub mod barriers;
mod cache;
pub mod interval;
pub mod joins;
pub mod leaves;
pub mod range;
pub mod structure;
pub mod tables;
pub mod uniformity;
pub mod uses;

pub use cache::{Analyses, Preserved};
