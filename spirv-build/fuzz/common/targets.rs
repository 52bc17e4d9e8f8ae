//! What is done with an input. There is a result or an error, and no error is the compiler's own.

use super::flags;
use spirv_build::diag::{Diagnostics, render};
use spirv_build::driver::flags::{Command, Emit};
use spirv_build::driver::{self, Output};
use spirv_build::hlsl::pp::MemoryIncludes;
use spirv_build::hlsl::words::interner;
use spirv_build::hlsl::{self, parse};
use spirv_build::ir;
use spirv_build::pipeline::{self, Options, Passes};
use spirv_build::source::SourceMap;
use spirv_build::spv;
use spirv_build::stack::on_large_stack;
use spirv_build::target::TargetEnv;

/// The preprocessor.
pub fn pp(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (mut sources, mut names, mut diagnostics) = (SourceMap::new(), interner(), Diagnostics::new());
    let (options, includes) = (hlsl::Options::default(), MemoryIncludes::default());
    hlsl::preprocess("k.hlsl", &text, &options, &includes, &mut sources, &mut names, &mut diagnostics);
    judge(&diagnostics, &sources);
}

/// Preprocessor and parser.
pub fn parse(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    on_large_stack(|| {
        let (mut sources, mut names, mut diagnostics) = (SourceMap::new(), interner(), Diagnostics::new());
        let (options, includes) = (hlsl::Options::default(), MemoryIncludes::default());
        let tokens = hlsl::preprocess(
            "k.hlsl",
            &text,
            &options,
            &includes,
            &mut sources,
            &mut names,
            &mut diagnostics,
        );
        parse::parse(tokens, &mut names, &mut diagnostics);
        judge(&diagnostics, &sources);
    });
}

/// What a program became.
pub struct Made {
    /// The command line.
    pub command: Command,
    /// What the command makes.
    pub output: Option<Output>,
    /// What a build script makes.
    pub compiled: Option<pipeline::Compiled>,
}

/// Words of a module that goes the rest of the road. Structures of hundreds of parts that are copied dozens of times make
/// more: that takes its time, by a factor of the sanitizer's, and shows nothing that a smaller one does not.
const MANY_WORDS: usize = 1 << 17;

/// Twice through the whole road: as the command line does it, and as a build script does, for Vulkan, Level Zero and the CPU.
pub fn compile(data: &[u8]) -> Made {
    let text = String::from_utf8_lossy(data);
    let command = flags::command(&text);
    let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
    diagnostics.wanted.clone_from(&command.warnings);
    diagnostics.error_limit = command.error_limit;
    let output =
        on_large_stack(|| driver::compile("k.hlsl", &text, &command, &mut sources, &mut diagnostics));
    judge(&diagnostics, &sources);
    if matches!(&output, Some(Output::Words(words)) if words.len() > MANY_WORDS) {
        return Made { output: None, command, compiled: None };
    }
    match &output {
        None => assert!(diagnostics.has_errors(), "there is no output, and no error"),
        Some(Output::Words(words)) => {
            spv::disassemble(words).expect("a module that is written can be read");
        }
        Some(Output::Text(text)) if command.emit == Emit::Ir => on_large_stack(|| {
            let module = ir::parse::parse(text).expect("a module that is printed can be read");
            assert_eq!(&ir::print::print(&module), text);
        }),
        Some(Output::Text(_)) => {}
    }
    let outcome = pipeline::compile("k.hlsl", data, &build_options(&command), &MemoryIncludes::default());
    judge(&outcome.diagnostics, &outcome.sources);
    assert_eq!(outcome.compiled.is_none(), outcome.diagnostics.has_errors());
    Made { output: output.filter(|_| !diagnostics.has_errors()), command, compiled: outcome.compiled }
}

fn build_options(command: &Command) -> Options {
    let shaders = !command.target.has_kernels();
    Options {
        hlsl: command.hlsl.clone(),
        target: if shaders { command.target.clone() } else { TargetEnv::default() },
        cpu_arch: Some("x86_64".into()),
        level_zero: true,
        warnings: Default::default(),
        kernel: "k".into(),
        source: "k.hlsl".into(),
        shared_arguments: false,
        symbol: "k".into(),
        vulkan: Default::default(),
        passes: Passes { select_resources: command.passes.select_resources, ..Passes::default() },
        error_limit: None,
    }
}

/// Every finding can be shown, and none is the compiler's own fault.
fn judge(diagnostics: &Diagnostics, sources: &SourceMap) {
    let internal = diagnostics.iter().find(|d| d.code.id() == "H0999");
    assert!(internal.is_none(), "{internal:?}");
    render::pictures(diagnostics, sources, false);
    for d in diagnostics.sorted(sources) {
        assert!(!render::one_line(d, sources).contains('\n'), "{d:?}");
    }
}
