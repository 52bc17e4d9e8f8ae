//! `spirvc`: the compiler as a command.
//!
//! Exit codes: 0 done; 1 the program has errors; 2 the command line is wrong, or a file cannot be read or written. Output
//! is written only when there are no errors, and whole or not at all.

mod arguments;
mod build_scripts;
mod dependencies;
mod extensions;
mod files;
pub mod flags;
mod for_ir;
mod rules;
mod table;
mod values;
mod without_effect;

use crate::abi::vulkan::VulkanOptions;
use crate::diag::{Code, Diagnostics, render};
use crate::hlsl::lower;
use crate::hlsl::{self, FileIncludes};
use crate::passes::flatten::Flatten;
use crate::pipeline::{Goal, Made, Request};
use crate::source::SourceMap;
use crate::stack::try_on_large_stack;
use crate::{llvm, pipeline, spv};
use flags::{Action, Command, Emit};
use std::io::{ErrorKind, IsTerminal, Write};

/// What a compilation made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    /// Text.
    Text(String),
    /// A SPIR-V module.
    Words(Vec<u32>),
}

/// Runs a command line, without the program's name. The result is the exit code.
pub fn run(args: impl IntoIterator<Item = String>) -> u8 {
    let mut command = match flags::parse(args) {
        Ok(command) => command,
        Err(message) => {
            return fail(&message);
        }
    };
    match &command.action {
        Action::Help => print(&flags::help()),
        Action::Version => print(&format!("spirvc {}\n", env!("CARGO_PKG_VERSION"))),
        Action::Explain(code) => match Code::from_id(code) {
            Some(c) => print(&crate::diag::examples::explain(c)),
            None => fail(&format!("there is no diagnostic code `{code}`")),
        },
        Action::Compile => {
            command.passes.instruments.say = Some(say);
            compile_file(&command)
        }
    }
}

/// Prints to standard output. The result is the exit code.
fn print(text: &str) -> u8 {
    print_bytes(text.as_bytes())
}

/// See [`print`].
fn print_bytes(bytes: &[u8]) -> u8 {
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        // A closed pipe is the reader's business.
        Err(e) if e.kind() != ErrorKind::BrokenPipe => fail(&format!("cannot write to standard output: {e}")),
        _ => 0,
    }
}

/// Prints to standard error. If that does not work there is nobody to tell.
fn say(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// Says why nothing could be done. The result is the exit code.
fn fail(why: &str) -> u8 {
    say(&format!("spirvc: {why}\n"));
    2
}

/// Says what was found.
fn show(diagnostics: &Diagnostics, sources: &SourceMap) {
    if !std::io::stderr().is_terminal() {
        return say(&render::lines_and_pictures(diagnostics, sources));
    }
    say(&render::pictures(diagnostics, sources, std::env::var_os("NO_COLOR").is_none()));
}

/// The bytes of the file to compile.
fn read_input(path: &str) -> std::io::Result<Vec<u8>> {
    match path {
        "-" => crate::input::stream(std::io::stdin().lock()),
        path => crate::input::stream(std::fs::File::open(path)?),
    }
}

fn compile_file(command: &Command) -> u8 {
    let bytes = match read_input(&command.input) {
        Ok(bytes) => bytes,
        Err(e) => return fail(&format!("cannot read `{}`: {e}", command.input)),
    };
    if llvm::is_ir(&command.input) {
        return compile_ir(command, &bytes);
    }
    let name = if command.input == "-" { "<stdin>" } else { &command.input };
    let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
    begin(command, &mut diagnostics);
    let output = try_on_large_stack(|| {
        let text = pipeline::source_text(name, bytes, &mut diagnostics)?;
        if command.print_dependencies {
            let mut names = crate::hlsl::words::interner();
            let (hlsl, from) = (&command.hlsl, &FileIncludes);
            hlsl::preprocess(name, &text, hlsl, from, &mut sources, &mut names, &mut diagnostics);
            return None;
        }
        compile(name, &text, command, &mut sources, &mut diagnostics)
    });
    let output = match output {
        Ok(output) => output,
        Err(why) => return fail(&why),
    };
    end(command, output, &diagnostics, &sources)
}

/// Says what was found and writes what was made. The result is the exit code.
fn end(command: &Command, output: Option<Output>, diagnostics: &Diagnostics, sources: &SourceMap) -> u8 {
    show(diagnostics, sources);
    if command.show_files {
        sources.files_read().iter().skip(1).for_each(|f| say(&format!("note: including file: {f}\n")));
    }
    if let Some(path) = &command.error_file
        && !files::write(path, render::pictures(diagnostics, sources, false).as_bytes())
    {
        return 2;
    }
    if diagnostics.has_errors() {
        return 1;
    }
    if command.print_dependencies || dependencies::wants_file(command) {
        let code = dependencies::deliver(command, &sources.files_read());
        if code != 0 || command.print_dependencies {
            return code;
        }
    }
    match output {
        Some(output) => files::deliver(command, &output),
        None => 1,
    }
}

/// What the command line says of warnings, and what is to be said of it.
fn begin(command: &Command, diagnostics: &mut Diagnostics) {
    diagnostics.wanted.clone_from(&command.warnings);
    diagnostics.error_limit = command.error_limit;
    for (option, like) in &command.unknown_warnings {
        let d = diagnostics.report_whole(Code::UnknownWarning, format!("there is no warning `{option}`"));
        if let Some(like) = like {
            d.help(format!("did you mean `{like}`?"));
        }
    }
}

/// Compiles LLVM IR, to kernels of OpenCL's flavour or to shaders.
fn compile_ir(command: &Command, bytes: &[u8]) -> u8 {
    let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
    begin(command, &mut diagnostics);
    if command.print_dependencies {
        return dependencies::deliver(command, std::slice::from_ref(&command.input));
    }
    let output =
        try_on_large_stack(|| take_road(&command.input, bytes, command, &mut sources, &mut diagnostics));
    match output {
        Ok(output) => end(command, output, &diagnostics, &sources),
        Err(why) => fail(&why),
    }
}

/// Compiles a program as far as asked. None means that `diagnostics` has errors.
pub fn compile(
    name: &str,
    text: &str,
    command: &Command,
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
) -> Option<Output> {
    if matches!(command.emit, Emit::Tokens | Emit::Ast | Emit::Preprocessed) {
        let mut names = crate::hlsl::words::interner();
        let tokens =
            hlsl::preprocess(name, text, &command.hlsl, &FileIncludes, sources, &mut names, diagnostics);
        if command.emit == Emit::Tokens {
            return Some(Output::Text(hlsl::dump_tokens(&tokens, &names, sources)));
        }
        if command.emit == Emit::Preprocessed {
            return Some(Output::Text(hlsl::preprocessed_text(&tokens, &names, sources)));
        }
        let ast = hlsl::parse::parse(tokens, &mut names, diagnostics);
        return Some(Output::Text(hlsl::dump_ast(&ast, &names)));
    }
    take_road(name, text.as_bytes(), command, sources, diagnostics)
}

/// The road that build scripts take, as far as asked.
fn take_road(
    name: &str,
    bytes: &[u8],
    command: &Command,
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
) -> Option<Output> {
    let flatten = if command.flatten_arrays { Flatten::All } else { Flatten::Members };
    let request = Request {
        goal: match command.emit {
            Emit::Hir => Goal::Hir,
            Emit::Ir => Goal::Ir,
            Emit::Llvm => Goal::Llvm(command.flavor()),
            Emit::Rust => Goal::Rust,
            Emit::Interface => Goal::Interface,
            _ => Goal::Words,
        },
        hlsl: &command.hlsl,
        lowering: lower::Options {
            infer_image_formats: !command.unknown_formats,
            named: command.emit == Emit::Interface,
            ..Default::default()
        },
        passes: &command.passes,
        target: &command.target,
        target_given: command.target_given,
        vulkan: VulkanOptions {
            push_constants: false,
            dxc_numbers: true,
            shifts: command.shifts.clone(),
            auto_shift: command.auto_shift,
            flatten,
            heaps: command.heaps,
            robust_access: command.robust_access,
        },
        flatten_arrays: command.flatten_arrays,
        modes: &command.modes,
        reflect: command.reflect,
        registers: &command.registers,
        entry_name: command.entry_name.as_deref(),
        max_id: command.max_id,
        debug: command.debug,
    };
    match pipeline::run(name, bytes, &request, &FileIncludes, sources, diagnostics)? {
        Made::Text(text) => Some(Output::Text(text)),
        Made::Words(words) => words_or_text(command, words, diagnostics),
        Made::Artifacts(_) => None,
    }
}

/// A module as asked for: words or assembly.
fn words_or_text(command: &Command, words: Vec<u32>, diagnostics: &mut Diagnostics) -> Option<Output> {
    if command.emit != Emit::Asm {
        return Some(Output::Words(words));
    }
    match spv::disassemble(&words) {
        Ok(text) => Some(Output::Text(text)),
        Err(e) => {
            diagnostics.report_whole(Code::Internal, format!("the module cannot be read back: {e}"));
            None
        }
    }
}
