//! The command line: one table of flags, those of dxc and our own.

use super::arguments;
use super::build_scripts;
use super::for_ir;
use super::rules::{check_together, check_value};
use super::table::{FLAGS, Flag, Takes};
use super::without_effect::{ACCEPTED, REFUSED};
use crate::diag::suggest::closest;
use crate::diag::{Code, Warnings};
use crate::llvm::export::Flavor;
use crate::passes::bind_resources::Shift;
pub use crate::pipeline::Debug;
use crate::pipeline::{Mode, Passes, Register};
use crate::target::TargetEnv;

/// What to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Emit {
    /// Tokens after preprocessing.
    Tokens,
    /// The same as a text that can be compiled.
    Preprocessed,
    /// The syntax tree.
    Ast,
    /// The typed HIR.
    Hir,
    /// The IR before the ABI.
    Ir,
    /// SPIR-V assembly.
    Asm,
    /// The Rust source of the CPU code.
    Rust,
    /// The interface file.
    Interface,
    /// LLVM IR, for this machine or (`--target spir64`) SPIR-V in LLVM's words.
    Llvm,
    /// A SPIR-V module.
    Spirv,
}

/// A row each: what to write, its name.
pub const EMITS: &[(Emit, &str)] = &[
    (Emit::Tokens, "tokens"),
    (Emit::Preprocessed, "preprocessed"),
    (Emit::Ast, "ast"),
    (Emit::Hir, "hir"),
    (Emit::Ir, "ir"),
    (Emit::Asm, "asm"),
    (Emit::Rust, "rust"),
    (Emit::Interface, "interface"),
    (Emit::Llvm, "llvm"),
    (Emit::Spirv, "spirv"),
];

/// What a command line asks for.
#[derive(Debug, Clone)]
pub struct Command {
    /// What to do.
    pub action: Action,
    /// Source file; `-` is standard input.
    pub input: String,
    /// Output file; None: standard output, which a module is not written to.
    pub output: Option<String>,
    /// What to write.
    pub emit: Emit,
    /// Front end.
    pub hlsl: crate::hlsl::Options,
    /// Target environment.
    pub target: TargetEnv,
    /// Whether the command line names one.
    pub target_given: bool,
    /// Whether LLVM IR is to be that of `spir64`.
    pub spir64: bool,
    /// Extensions that may be used; empty: all.
    pub extensions: Vec<String>,
    /// What is added to the numbers of registers.
    pub shifts: Vec<Shift>,
    /// Which passes to run, and what to tell of them.
    pub passes: Passes,
    /// Which warnings are wanted, and which are errors.
    pub warnings: Warnings,
    /// Options that name no warning, each with one that is like it.
    pub unknown_warnings: Vec<(String, Option<String>)>,
    /// Whether the command line is one of dxc's (`-spirv`): without a target environment its default is taken.
    pub as_dxc: bool,
    /// Ids of the module must be below this.
    pub max_id: Option<u32>,
    /// Errors that are shown, if not the usual number (`-ferror-limit`); 0 for all.
    pub error_limit: Option<usize>,
    /// What the entry point is called in the module.
    pub entry_name: Option<String>,
    /// Debug information to write.
    pub debug: Option<Debug>,
    /// More execution modes of every entry point.
    pub modes: Vec<Mode>,
    /// Tell of types and counters for reflection.
    pub reflect: bool,
    /// Arrays of resources were to be taken apart, which is an error if there are some.
    pub flatten_arrays: bool,
    /// Images have no format unless one is declared.
    pub unknown_formats: bool,
    /// Where descriptor heaps are bound (set, binding): of resources, samplers, counters.
    pub heaps: [Option<(u32, u32)>; 3],
    /// Where registers are bound.
    pub registers: Vec<Register>,
    /// Shifts go for resources without a register, too.
    pub auto_shift: bool,
    /// Indices out of range are taken care of.
    pub robust_access: bool,
    /// File for the assembly.
    pub listing: Option<String>,
    /// File for errors and warnings.
    pub error_file: Option<String>,
    /// File for the module as an array of C, and the array's name.
    pub header: Option<String>,
    /// See [`Command::header`].
    pub header_name: Option<String>,
    /// Whether to say which files are read.
    pub show_files: bool,
    /// Whether to print a rule for make (`-M`) and compile nothing.
    pub print_dependencies: bool,
    /// Whether to write one (`-MD`), and to which file if not the one beside the output.
    pub write_dependencies: bool,
    /// See [`Command::write_dependencies`].
    pub dependencies_file: Option<String>,
}

impl Command {
    /// What LLVM IR is to be for.
    pub fn flavor(&self) -> Flavor {
        if self.spir64 { Flavor::Spir64 } else { Flavor::Host }
    }
}

/// What to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Compile.
    Compile,
    /// Print the flags.
    Help,
    /// Print the version.
    Version,
    /// Explain a diagnostic code.
    Explain(String),
}

/// The text of `--help`.
pub fn help() -> String {
    let mut out = String::from(
        "usage: spirvc -T cs_6_0 [-E main] in.hlsl -Fo out.spv\n       spirvc --emit hir in.hlsl\n\n",
    );
    for f in FLAGS {
        let head = match f.takes {
            Takes::Nothing => f.name.to_string(),
            Takes::Value | Takes::Word | Takes::Many(_) => format!("{} {}", f.name, f.value),
            Takes::Rest => format!("{}{}", f.name, f.value),
            Takes::After => format!("{}={}", f.name, f.value),
        };
        out += &format!("  {head:<28} {}\n", f.help);
    }
    let mut names: Vec<&str> = ACCEPTED.iter().map(|f| f.0).collect();
    names.dedup();
    out + "\nAlso accepted, and without effect:\n  " + &names.join(", ") + "\n"
}

/// Reads a command line, without the program's name.
///
/// # Errors
/// One line that says what is wrong.
pub fn parse(args: impl IntoIterator<Item = String>) -> Result<Command, String> {
    let mut seen = Vec::new();
    let mut c = Command::new();
    read(&mut c, &mut seen, arguments::expand(args)?, |_| Ok(()))?;
    if c.action == Action::Compile && c.input.is_empty() {
        return Err("no source file; `spirvc --help` lists the flags".into());
    }
    if crate::llvm::is_ir(&c.input) && c.action == Action::Compile {
        for_ir::check(&seen, &c)?;
    }
    finish(c, &seen)
}

/// Reads the flags of a build script: all but those that are for the command line alone.
///
/// # Errors
/// One line that says what is wrong.
pub fn parse_for_build_script(args: impl IntoIterator<Item = String>) -> Result<Command, String> {
    let mut seen = Vec::new();
    let mut c = Command::new();
    // A profile is a limit on what a kernel uses, for which nobody asked: the latest that is more than a preview.
    c.hlsl.profile = "cs_6_8".into();
    c.hlsl.hosted = true;
    read(&mut c, &mut seen, args, build_scripts::check)?;
    if !c.input.is_empty() {
        return Err(format!("`{}` is no flag; `compile` names the kernel's file", c.input));
    }
    if c.target.has_kernels() {
        return Err(
            "modules for Level Zero are made beside those for Vulkan, without a target environment".into()
        );
    }
    finish(c, &seen)
}

impl Command {
    fn new() -> Command {
        Command {
            action: Action::Compile,
            input: String::new(),
            output: None,
            emit: Emit::Spirv,
            hlsl: crate::hlsl::Options::default(),
            target: TargetEnv::default(),
            target_given: false,
            spir64: false,
            extensions: Vec::new(),
            shifts: Vec::new(),
            passes: Passes::default(),
            warnings: Warnings::default(),
            unknown_warnings: Vec::new(),
            as_dxc: false,
            max_id: None,
            error_limit: None,
            entry_name: None,
            debug: None,
            modes: Vec::new(),
            reflect: false,
            flatten_arrays: false,
            unknown_formats: false,
            heaps: [None; 3],
            registers: Vec::new(),
            auto_shift: false,
            robust_access: false,
            listing: None,
            error_file: None,
            header: None,
            header_name: None,
            show_files: false,
            print_dependencies: false,
            write_dependencies: false,
            dependencies_file: None,
        }
    }
}

/// Reads flags; `allowed` says whether one may be given.
fn read(
    c: &mut Command,
    seen: &mut Vec<&'static str>,
    args: impl IntoIterator<Item = String>,
    allowed: fn(&str) -> Result<(), String>,
) -> Result<(), String> {
    let mut args = args.into_iter();
    while let Some(arg) = args.next() {
        let arg = arguments::without_slash(&arg, |flag| find(flag).is_some() || accepted(flag).is_some())
            .unwrap_or(arg);
        if !arg.starts_with('-') || arg == "-" {
            if !c.input.is_empty() {
                return Err(format!("two source files: `{}` and `{arg}`", c.input));
            }
            c.input = arg;
            continue;
        }
        let Some((flag, rest)) = find(&arg) else {
            if let Some((name, value)) = accepted(&arg) {
                let value = match value {
                    Some(value) => value.to_string(),
                    None => args.next().ok_or_else(|| format!("`{arg}` needs a value"))?,
                };
                allowed(name)?;
                check_value(name, &value)?;
                seen.push(name);
                continue;
            }
            return Err(unknown(&arg));
        };
        allowed(flag.name)?;
        seen.push(flag.name);
        let value = match (flag.takes, rest) {
            (Takes::Nothing, _) => String::new(),
            (Takes::Rest, rest) => rest.unwrap_or_default().to_string(),
            (Takes::Many(n), _) => {
                let values: Vec<String> = args.by_ref().take(n).collect();
                if values.len() < n {
                    let n = if n == 2 { "two".into() } else { n.to_string() };
                    return Err(format!("`{}` needs {n} values: {}", flag.name, flag.value));
                }
                values.join(" ")
            }
            (_, Some(value)) => value.to_string(),
            (_, None) => {
                args.next().ok_or_else(|| format!("`{}` needs a value: {}", flag.name, flag.value))?
            }
        };
        (flag.set)(c, &value)?;
    }
    Ok(())
}

/// What is wrong with flags beside each other, and what follows from all of them.
fn finish(mut c: Command, seen: &[&str]) -> Result<Command, String> {
    check_together(seen, &c)?;
    if !c.registers.is_empty() && !c.shifts.is_empty() {
        return Err("`-fvk-bind-register` and `-fvk-*-shift` exclude each other".into());
    }
    if c.as_dxc {
        // dxc takes them without a word.
        c.warnings.lower(Code::DivergentBarrier);
    }
    if c.as_dxc && !c.target_given {
        c.target = TargetEnv::preset("vulkan1.0").unwrap_or(c.target);
    }
    if c.debug.is_some_and(|d| d.program.is_some()) && (c.target.has_kernels() || c.spir64) {
        return Err("`-fspv-debug=vulkan` and `rich` are for shaders; kernels of OpenCL's flavour have no such debug information yet".into());
    }
    c.target = c.target.with_extensions(&c.extensions);
    c.hlsl.spirv_minor = u32::from(c.target.version);
    if !c.extensions.is_empty() {
        c.target.extensions = Some(c.extensions.clone());
    }
    Ok(c)
}

/// A flag that is known and means nothing, and its value: none if the next argument is it, empty if there is to be none.
fn accepted(arg: &str) -> Option<(&'static str, Option<&str>)> {
    let behind = |name: &str| arg.split_once('=').filter(|(n, _)| *n == name).map(|(_, value)| value);
    ACCEPTED.iter().find_map(|&(name, takes)| {
        let value = match takes {
            Takes::After => Some(behind(name)?),
            Takes::Word if arg == name => None,
            Takes::Word => Some(behind(name)?),
            Takes::Value if arg == name => None,
            Takes::Value => Some(arg.strip_prefix(name)?),
            _ => (arg == name).then_some(Some(""))?,
        };
        Some((name, value))
    })
}

/// Letters of a flag that tell which one is meant.
const SHORTEST_START: usize = 6;

/// What to say of a flag that there is not.
fn unknown(arg: &str) -> String {
    let name = arg.split_once('=').map_or(arg, |(name, _)| name);
    // `-Fdx.pdb`: the value may follow at once.
    let joined = |flag: &str| ["-Fd", "-Fre"].contains(&flag) && name.starts_with(flag);
    if let Some((name, why)) = REFUSED.iter().find(|f| f.0 == name || joined(f.0)) {
        return format!("`{name}` is not supported: {why}");
    }
    let names = FLAGS.iter().map(|f| f.name).chain(ACCEPTED.iter().map(|f| f.0));
    // The start of a flag says more than what is a few letters away.
    let starts = |flag: &&str| name.len() >= SHORTEST_START && flag.starts_with(name);
    match names.clone().find(starts).or_else(|| closest(name, names)) {
        Some(like) => format!("unknown flag `{arg}`; did you mean `{like}`?"),
        None => format!("unknown flag `{arg}`; `spirvc --help` lists them all"),
    }
}

/// The flag of an argument, and the value that is part of it.
fn find(arg: &str) -> Option<(&'static Flag, Option<&str>)> {
    if let Some(f) = FLAGS.iter().find(|f| f.name == arg && f.takes != Takes::After) {
        return Some((f, None));
    }
    if let Some((name, value)) = arg.split_once('=')
        && let Some(f) =
            FLAGS.iter().find(|f| f.name == name && matches!(f.takes, Takes::After | Takes::Word))
    {
        return Some((f, Some(value)));
    }
    let fits = |f: &&Flag| matches!(f.takes, Takes::Value | Takes::Rest) && arg.starts_with(f.name);
    let flag = FLAGS.iter().filter(fits).max_by_key(|f| f.name.len())?;
    // Build scripts write `"-T cs_6_0"` as one argument, which dxc takes.
    Some((flag, arg.get(flag.name.len()..).map(str::trim_start)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlsl::types::MatrixOrder;
    use crate::passes::Level;

    fn run(text: &str) -> Result<Command, String> {
        parse(text.split(' ').map(String::from))
    }

    #[test]
    fn flags_of_dxc_are_read() {
        let c = run("-spirv -T cs_6_2 -Emain -DA=1 -D B -I inc -HV 2021 -fspv-target-env=vulkan1.2 -O0 a.hlsl -Fo b.spv")
            .unwrap();
        assert_eq!((c.hlsl.profile.as_str(), c.hlsl.entry.as_deref()), ("cs_6_2", Some("main")));
        assert_eq!(c.hlsl.defines, [("A".into(), "1".into()), ("B".into(), "1".into())]);
        assert_eq!(c.hlsl.include_dirs, ["inc"]);
        assert_eq!((c.target.name.as_str(), c.passes.level), ("vulkan1.2", Level::O0));
        assert_eq!((c.input.as_str(), c.output.as_deref()), ("a.hlsl", Some("b.spv")));
        assert_eq!(run("--emit=hir -").unwrap().emit, Emit::Hir);
        let joined = ["-T cs_6_4", "-E  second", "-HV 2018", "-I a folder", "-D X=1", "a.hlsl"];
        let c = parse(joined.map(String::from)).unwrap().hlsl;
        assert_eq!(
            (c.profile.as_str(), c.entry.as_deref(), c.hlsl_version),
            ("cs_6_4", Some("second"), 2018)
        );
        assert_eq!((c.include_dirs, c.defines), (vec!["a folder".into()], vec![("X".into(), "1".into())]));
        let khronos = run("-fspv-extension=KHR a.hlsl").unwrap().extensions;
        assert!(khronos.iter().any(|e| e == "SPV_KHR_shader_clock"));
        assert!(khronos.iter().all(|e| e.starts_with("SPV_KHR_")));
        let level = |text: &str| run(text).unwrap().passes.level;
        assert_eq!(
            [level("-O0 -O3 a.hlsl"), level("-O3 -Od a.hlsl"), level("a.hlsl")],
            [Level::O3, Level::O0, Level::O3]
        );
        assert!(run("--passes inline,dec a.hlsl").unwrap_err().contains("did you mean `dce`"));
        assert_eq!(run("--passes=inline,dce a.hlsl").unwrap().passes.list.as_deref(), Some("inline,dce"));
        assert!(run("--print-after all --print-before dce --time-passes a.hlsl").is_ok());
        assert!(run("--print-after nothing a.hlsl").is_err());
        let c = run("/T cs_6_2 /Emain /Zpr /DA a.hlsl /Fo b.spv").unwrap();
        assert_eq!((c.hlsl.profile.as_str(), c.output.as_deref()), ("cs_6_2", Some("b.spv")));
        assert_eq!(run("/dev/null -T cs_6_2").unwrap().input, "/dev/null");
        assert_eq!(run("/Work/shaders/a.hlsl").unwrap().input, "/Work/shaders/a.hlsl");
        assert!(run("-ffp-contract=off a.hlsl").unwrap().hlsl.ieee_strict);
        assert!(!run("-ffp-contract=off -ffp-contract=fast a.hlsl").unwrap().hlsl.ieee_strict);
        assert_eq!(run("-Zpr -Zpr a.hlsl").unwrap().hlsl.matrix_order, MatrixOrder::RowMajor);
    }

    #[test]
    fn flags_without_effect_are_accepted() {
        let c = run("-Qstrip_debug -Wall -W -fdiagnostics-color -Oconfig=-O -validator-version 1.7 \
            -rootsig-define=X -Fsh x.hash a.hlsl")
        .unwrap();
        assert_eq!(c.input, "a.hlsl");
        assert!(ACCEPTED.iter().all(|f| FLAGS.iter().all(|g| g.name != f.0)));
        assert!(REFUSED.iter().all(|f| find(f.0).is_none() && accepted(f.0).is_none()), "never reached");
    }

    #[test]
    fn mistakes_are_one_line() {
        for (args, part) in [
            ("a.hlsl -funroll-loops", "unknown flag `-funroll-loops`"),
            ("a.hlsl -ffp-contract=maybe", "there are off, on, fast"),
            ("a.hlsl @no/such.rsp", "cannot read the arguments in `no/such.rsp`"),
            ("a.hlsl -frobnicate", "unknown flag `-frobnicate`"),
            ("a.hlsl -enable-16bit", "did you mean `-enable-16bit-types`?"),
            ("a.hlsl -fspv-debg=line", "did you mean `-fspv-debug`?"),
            ("a.hlsl -fvk-use-dx-layuot", "did you mean `-fvk-use-dx-layout`?"),
            ("a.hlsl -dumpbin", "`-dumpbin` is not supported: modules are not read"),
            ("a.hlsl -T", "`-T` needs a value"),
            ("a.hlsl b.hlsl", "two source files"),
            ("-O3", "no source file"),
            ("-fvk-t-shift 3", "needs two values"),
            ("-fvk-t-shift x 0 a.hlsl", "needs a number and a space"),
            ("-fvk-t-shift 4294967290 0 a.hlsl", "takes a number up to 2147483648"),
            ("--emit wasm a.hlsl", "there are tokens"),
            ("-fspv-target-env=vulkan9 a.hlsl", "unknown target environment"),
            ("-HV 2015 a.hlsl", "unknown version"),
            ("-fvk-bind-globals 1 x a.hlsl", "needs two numbers"),
            ("-fspv-debug=all a.hlsl", "there are file"),
            ("-fspv-debug=rich --target level-zero a.hlsl", "are for shaders"),
            ("-fspv-debug=vulkan --target level-zero a.hlsl", "are for shaders"),
            ("-denorm fast a.hlsl", "there are any"),
            ("-fvk-invert-y a.hlsl", "compute"),
            ("-fvk-bind-register t0 0 1 a.hlsl", "needs a register"),
            ("-fvk-bind-register t0 0 1", "needs 4 values"),
            ("-vkbr t0 0 1 1 -fvk-t-shift 1 0 a.hlsl", "exclude each other"),
            ("-validator-version", "needs a value"),
            ("-Zpr -Zpc a.hlsl", "exclude each other"),
            ("-fvk-use-gl-layout -fvk-use-dx-layout a.hlsl", "exclude each other"),
            ("-fspv-extension=SPV_KHR_shader_clok a.hlsl", "did you mean `SPV_KHR_shader_clock`?"),
            ("-ferror-limit=many a.hlsl", "needs a number"),
        ] {
            let message = run(args).unwrap_err();
            assert!(message.contains(part) && !message.contains('\n'), "{args}: {message}");
        }
    }
}
