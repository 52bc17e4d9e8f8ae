//! The preprocessor on any text.
#![no_main]

mod grammar;

use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use spirv_build::diag::Diagnostics;
use spirv_build::hlsl;
use spirv_build::hlsl::pp::MemoryIncludes;
use spirv_build::source::{Interner, SourceMap};

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let (mut sources, mut names, mut diagnostics) = (SourceMap::new(), Interner::new(), Diagnostics::new());
    let options = hlsl::Options::default();
    hlsl::preprocess("fuzz.hlsl", &text, &options, &MemoryIncludes::default(), &mut sources, &mut names, &mut diagnostics);
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    grammar::mutate(data, size, max_size, seed)
});
