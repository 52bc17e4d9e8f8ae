//! Preprocessor and parser on any text.
#![no_main]

#[path = "../common/mod.rs"]
mod common;

use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};

fuzz_target!(|data: &[u8]| {
    common::targets::parse(data);
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    common::grammar::mutate(data, size, max_size, seed, fuzzer_mutate)
});
