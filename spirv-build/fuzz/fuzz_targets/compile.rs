//! Any text through the whole road: Vulkan, Level Zero and the CPU. There is a result or an error, and no error is the
//! compiler's own.
#![no_main]

mod grammar;

use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use spirv_build::hlsl;
use spirv_build::hlsl::pp::MemoryIncludes;
use spirv_build::pipeline::{self, Options};
use spirv_build::target::TargetEnv;

fuzz_target!(|data: &[u8]| {
    let mut hlsl = hlsl::Options::default();
    hlsl.profile = "cs_6_6".into();
    hlsl.enable_16bit_types = data.first().is_some_and(|b| b & 1 != 0);
    let options = Options {
        hlsl,
        target: TargetEnv::preset("vulkan1.3").unwrap(),
        cpu_arch: Some("x86_64".into()),
        level_zero: true,
        kernel: "k".into(),
        source: "k.hlsl".into(),
        symbol: "k".into(),
    };
    let outcome = pipeline::compile("k.hlsl", data, &options, &MemoryIncludes::default());
    let internal = outcome.diagnostics.iter().find(|d| d.code.id() == "H0999");
    assert!(internal.is_none(), "{internal:?}");
    assert_eq!(outcome.compiled.is_none(), outcome.diagnostics.has_errors());
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    grammar::mutate(data, size, max_size, seed)
});
