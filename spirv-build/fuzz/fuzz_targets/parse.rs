//! Preprocessor and parser on any text.
#![no_main]

mod grammar;

use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use spirv_build::diag::Diagnostics;
use spirv_build::hlsl::pp::MemoryIncludes;
use spirv_build::hlsl::{self, parse};
use spirv_build::source::{Interner, SourceMap};
use spirv_build::stack::on_large_stack;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    on_large_stack(|| {
        let (mut sources, mut names, mut diagnostics) = (SourceMap::new(), Interner::new(), Diagnostics::new());
        let (options, includes) = (hlsl::Options::default(), MemoryIncludes::default());
        let tokens =
            hlsl::preprocess("fuzz.hlsl", &text, &options, &includes, &mut sources, &mut names, &mut diagnostics);
        parse::parse(tokens, &mut names, &mut diagnostics);
    });
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    grammar::mutate(data, size, max_size, seed)
});
