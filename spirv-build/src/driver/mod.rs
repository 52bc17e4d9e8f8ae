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
use crate::diag::{Code, Diagnostics, Findings, render};
use crate::hlsl::lower;
use crate::hlsl::{self, FileIncludes};
use crate::passes::flatten::{self, Flatten};
use crate::passes::robust_access;
use crate::source::SourceMap;
use crate::stack::try_on_large_stack;
use crate::target::TargetEnv;
use crate::{abi, cpu, interface, ir, llvm, pipeline, spv};
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
    let output = try_on_large_stack(|| from_ir(command, bytes, &mut sources, &mut diagnostics));
    match output {
        Ok(output) => end(command, output, &diagnostics, &sources),
        Err(why) => fail(&why),
    }
}

/// A module of LLVM IR as far as asked. None means that `diagnostics` has errors.
fn from_ir(
    command: &Command,
    bytes: &[u8],
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
) -> Option<Output> {
    let target = if command.target_given { command.target.clone() } else { TargetEnv::kernels() };
    let mut module = pipeline::import_ir(&command.input, bytes, &FileIncludes, sources, diagnostics)?;
    if let Some(wanted) = &command.hlsl.entry {
        module.entry_points.retain(|e| e.name == *wanted);
        if module.entry_points.is_empty() {
            diagnostics.report_whole(Code::EntryNotFound, format!("there is no kernel `{wanted}`"));
            return None;
        }
    }
    name_entry(&mut module, command, diagnostics)?;
    if command.emit == Emit::Ir {
        return Some(Output::Text(ir::print::print(&module)));
    }
    if command.emit == Emit::Rust || command.emit == Emit::Interface || !target.has_kernels() {
        if command.emit == Emit::Llvm {
            return pipeline::to_llvm(&module, command.flavor(), diagnostics).map(Output::Text);
        }
        let mut shaders = pipeline::to_shaders(module, diagnostics)?;
        if command.hlsl.ieee_strict {
            crate::passes::strict::run(&mut shaders.module);
        }
        if command.emit == Emit::Rust {
            return rust(shaders.module, sources, diagnostics);
        }
        let target = if target.has_kernels() { TargetEnv::default() } else { target };
        let vulkan = VulkanOptions { robust_access: command.robust_access, ..pipeline::HOSTED };
        let (module, words) = pipeline::shaders_to_vulkan(&shaders, &target, vulkan, diagnostics)?;
        if command.emit == Emit::Interface {
            let Some(interface) = llvm::interface::build(&module, &shaders.resources) else {
                let what = "a parameter has a type that the host does not have";
                diagnostics.report_whole(Code::LlvmImport, what);
                return None;
            };
            return Some(Output::Text(interface.to_text()));
        }
        return checked_words(command, words, diagnostics);
    }
    if command.hlsl.ieee_strict {
        let off = (spirv_spec::ExecutionMode::ContractionOff, Vec::new());
        for e in module.entry_points.iter_mut().filter(|e| !e.modes.contains(&off)) {
            e.modes.push(off.clone());
        }
    }
    if command.emit == Emit::Llvm {
        return pipeline::to_llvm(&module, command.flavor(), diagnostics).map(Output::Text);
    }
    let words = pipeline::write_for(&module, &target, diagnostics)?;
    checked_words(command, words, diagnostics)
}

/// Calls the entry point as `-fspv-entrypoint-name` asks.
fn name_entry(module: &mut ir::Module, command: &Command, diagnostics: &mut Diagnostics) -> Option<()> {
    let Some(name) = &command.entry_name else { return Some(()) };
    let [entry] = module.entry_points.as_mut_slice() else {
        diagnostics
            .report_whole(Code::BadProfile, "`-fspv-entrypoint-name` needs exactly one entry point")
            .help("choose one with `-E`");
        return None;
    };
    entry.name.clone_from(name);
    Some(())
}

/// As [`words_or_text`], unless there are more ids than the command line allows.
fn checked_words(command: &Command, words: Vec<u32>, diagnostics: &mut Diagnostics) -> Option<Output> {
    match pipeline::has_few_ids(&words, command.max_id, diagnostics) {
        true => words_or_text(command, words, diagnostics),
        false => None,
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
    let hir = hlsl::compile_to_hir(name, text, &command.hlsl, &FileIncludes, sources, diagnostics)?;
    if command.emit == Emit::Hir {
        return Some(Output::Text(hlsl::dump_hir(&hir)));
    }
    let flatten = if command.flatten_arrays { Flatten::All } else { Flatten::Members };
    let options = lower::Options { infer_image_formats: !command.unknown_formats, ..Default::default() };
    let passes = command.runs_passes() || command.emit == Emit::Rust;
    let mut module = match passes {
        true => pipeline::lower_hir_for_passes(&hir, &options, diagnostics)?,
        false => pipeline::lower_hir(&hir, &options, diagnostics)?,
    };
    module.keeps_calls = command.debug.is_some_and(|d| d.program.is_some());
    // What must be constant may be so only once calls are inlined, and calls take no pointers into variables.
    let must = |module: &ir::Module| {
        !crate::passes::offsets::variable_offsets(module).is_empty()
            || crate::passes::inline::is_needed(module)
            || crate::passes::legalize_resources::is_needed(module)
    };
    let only_entries = !matches!(command.emit, Emit::Ir | Emit::Llvm);
    if command.runs_passes() {
        module = command.passes.optimize(only_entries, module, diagnostics)?;
    }
    if !command.is_simplified() && (command.emit == Emit::Rust || must(&module)) {
        module = command.passes.simplify(only_entries, module, diagnostics)?;
    }
    if passes {
        pipeline::report_divergence(&module, diagnostics);
    }
    if command.emit == Emit::Rust {
        return rust(module, sources, diagnostics);
    }
    if command.emit == Emit::Ir {
        return Some(Output::Text(ir::print::print(&module)));
    }
    if command.emit == Emit::Llvm && !command.spir64 {
        return pipeline::to_llvm(&module, command.flavor(), diagnostics).map(Output::Text);
    }
    if command.target.has_kernels() {
        // Kernels call nothing.
        if !command.is_simplified() {
            module = command.passes.simplify(false, module, diagnostics)?;
        }
        if command.robust_access {
            robust_access::run(&mut module, robust_access::Device::KERNELS);
        }
        let (kernels, words) =
            pipeline::to_kernels(&module, &command.target, Default::default(), diagnostics)?;
        if command.emit == Emit::Llvm {
            return pipeline::to_llvm(&kernels.module, command.flavor(), diagnostics).map(Output::Text);
        }
        return words_or_text(command, words, diagnostics);
    }
    let vulkan = VulkanOptions {
        push_constants: false,
        dxc_numbers: true,
        shifts: command.shifts.clone(),
        auto_shift: command.auto_shift,
        flatten,
        robust_access: command.robust_access,
    };
    for e in &mut module.entry_points {
        // What the source says goes before what the command line says.
        let asked = command.modes.iter().filter(|m| e.modes.iter().all(|own| own.0 != m.0));
        let asked: Vec<_> = asked.cloned().collect();
        e.modes.extend(asked);
    }
    let mut findings = Findings::new();
    flatten::choose(&mut module, flatten, &mut findings);
    let failed = findings.has_errors();
    findings.report(diagnostics);
    if failed {
        return None;
    }
    if command.flatten_arrays && !known_elements(&module, diagnostics) {
        return None;
    }
    if command.reflect {
        abi::reflect::run(&mut module);
    }
    if !command.registers.is_empty() && !bind_registers(&mut module, command, diagnostics) {
        return None;
    }
    name_entry(&mut module, command, diagnostics)?;
    let (module, mut words) = pipeline::to_vulkan(module, &command.target, vulkan, diagnostics)?;
    if let Some(debug) = command.debug {
        words = pipeline::write_debug(
            &module,
            &command.target,
            &command.hlsl,
            debug,
            (&hir, sources),
            diagnostics,
        )?;
    }
    if !pipeline::has_few_ids(&words, command.max_id, diagnostics) {
        return None;
    }
    Some(match command.emit {
        Emit::Interface => match interface::build(&module, &hir, sources, false) {
            Ok(interface) => Output::Text(interface.to_text()),
            Err(errors) => {
                for e in errors {
                    let what = format!("launch stubs do not support {} yet", e.what);
                    diagnostics.report(Code::NotSupported, e.span, what);
                }
                return None;
            }
        },
        _ => return words_or_text(command, words, diagnostics),
    })
}

/// Whether every element of an array of textures or samplers is known, and there are not too many, as
/// `-fspv-flatten-resource-arrays` needs.
fn known_elements(module: &ir::Module, diagnostics: &mut Diagnostics) -> bool {
    for span in flatten::unknown_indices(module) {
        let what =
            "`-fspv-flatten-resource-arrays` does not support this use of an array of textures or samplers";
        diagnostics.report(Code::NotSupported, span, what).help("index the array where it is used");
    }
    for (span, len) in flatten::too_long(module) {
        let most = flatten::MAX_ELEMENTS;
        diagnostics
            .report(Code::TooMany, span, format!("{len} resources to flatten, more than {most}"))
            .help("leave `-fspv-flatten-resource-arrays` away, or make the array smaller");
    }
    !diagnostics.has_errors()
}

/// Binds every resource where `-fvk-bind-register` says. All must be named.
fn bind_registers(module: &mut ir::Module, command: &Command, diagnostics: &mut Diagnostics) -> bool {
    let mut whole = true;
    // Heaps are bound by options of their own.
    let place = |h: ir::Heap| module.heap_bindings[h as usize];
    let bound: Vec<ir::Global> = module.heaps.iter().filter(|h| place(h.1).is_some()).map(|h| h.0).collect();
    for (id, g) in module.globals.iter_mut() {
        if bound.contains(&id) {
            continue;
        }
        let Some(i) = &mut g.interface else { continue };
        if i.class == ir::ResourceClass::PushConstant || i.view_of.is_some() {
            continue;
        }
        let found = command.registers.iter().rev().find(|r| Some(r.register) == i.register);
        match found {
            Some(r) => i.binding = Some(r.binding),
            // `-fvk-bind-globals`
            None if i.register.is_none() && i.binding.is_some() => {}
            None => {
                let what = if i.register.is_some() { "`-fvk-bind-register`" } else { "a register" };
                diagnostics
                    .report(Code::BadRegister, g.span, format!("the resource lacks {what}"))
                    .help("`-fvk-bind-register` must bind the register of every resource");
                whole = false;
            }
        }
    }
    whole
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

fn rust(mut module: ir::Module, sources: &SourceMap, diagnostics: &mut Diagnostics) -> Option<Output> {
    robust_access::run(&mut module, robust_access::Device::CPU);
    match cpu::programs(&module, &[], &[]).into_iter().collect::<Result<Vec<_>, _>>() {
        Ok(programs) => {
            let symbols: Vec<String> = programs.iter().map(|p| format!("spirv_kernel_{}", p.name)).collect();
            let isas = cpu::isas_for(std::env::consts::ARCH);
            Some(Output::Text(cpu::emit(&programs, &symbols, &isas, sources).text))
        }
        Err(e) => {
            diagnostics.report(Code::NotSupported, e.span, pipeline::not_on_cpu(&e.what));
            None
        }
    }
}
