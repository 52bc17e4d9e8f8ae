//! What is known of a function without running it. Analyses read the IR and change nothing; passes ask them.

pub mod interval;
pub mod joins;
pub mod range;
