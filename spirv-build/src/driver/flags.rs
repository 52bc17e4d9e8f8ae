//! The command line: one table of flags, those of dxc and our own.

use crate::abi::vulkan::Shift;
use crate::hlsl::layout::LayoutRules;
use crate::hlsl::types::MatrixOrder;
use crate::target::{PRESETS, TargetEnv};

/// What to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Emit {
    /// Tokens after preprocessing.
    Tokens,
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
    /// A SPIR-V module.
    Spirv,
}

/// A row each: what to write, its name.
pub const EMITS: &[(Emit, &str)] = &[
    (Emit::Tokens, "tokens"),
    (Emit::Ast, "ast"),
    (Emit::Hir, "hir"),
    (Emit::Ir, "ir"),
    (Emit::Asm, "asm"),
    (Emit::Rust, "rust"),
    (Emit::Interface, "interface"),
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
    /// Extensions that may be used; empty: all.
    pub extensions: Vec<String>,
    /// What is added to the numbers of registers.
    pub shifts: Vec<Shift>,
    /// Whether to run the passes.
    pub optimize: bool,
    /// Warnings are errors.
    pub warnings_as_errors: bool,
    /// No warnings.
    pub no_warnings: bool,
    /// Whether the command line is one of dxc's (`-spirv`): without a target environment its default is taken.
    pub as_dxc: bool,
    /// Ids of the module must be below this.
    pub max_id: Option<u32>,
    /// What the entry point is called in the module.
    pub entry_name: Option<String>,
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

/// How a flag takes its value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    /// None.
    Nothing,
    /// `-T x` or `-Tx`.
    Value,
    /// `--emit x` or `--emit=x`.
    Word,
    /// `-fx=y`.
    After,
    /// `-fx y z`: both, with a space between.
    Two,
}

type Set = fn(&mut Command, &str) -> Result<(), String>;

/// A flag.
struct Flag {
    name: &'static str,
    takes: Takes,
    /// What the value is, and what the flag does.
    value: &'static str,
    help: &'static str,
    set: Set,
}

const fn flag(name: &'static str, takes: Takes, value: &'static str, help: &'static str, set: Set) -> Flag {
    Flag { name, takes, value, help, set }
}

fn shift(c: &mut Command, class: char, value: &str) -> Result<(), String> {
    let (by, space) = value.split_once(' ').unwrap_or((value, ""));
    let space = if space == "all" { Some(None) } else { space.parse().ok().map(Some) };
    match (by.parse(), space) {
        (Ok(by), Some(space)) => {
            c.shifts.push(Shift { class, by, space });
            Ok(())
        }
        _ => Err(format!("`-fvk-{class}-shift` needs a number and a space (a number or `all`)")),
    }
}

/// Binding and set.
fn pair(name: &str, value: &str) -> Result<(u32, u32), String> {
    let numbers = value.split_once(' ').map(|(a, b)| (a.parse(), b.parse()));
    match numbers {
        Some((Ok(binding), Ok(set))) => Ok((binding, set)),
        _ => Err(format!("`{name}` needs two numbers: binding and set")),
    }
}

fn ignore(_: &mut Command, _: &str) -> Result<(), String> {
    Ok(())
}

/// Longer names first where one is the beginning of another.
const FLAGS: &[Flag] = {
    use Takes::*;
    &[
        flag("-T", Value, "PROFILE", "target profile, cs_6_0 to cs_6_10", |c, v| {
            c.hlsl.profile = v.into();
            Ok(())
        }),
        flag("-E", Value, "NAME", "entry point; without it, every function with [numthreads]", |c, v| {
            c.hlsl.entry = Some(v.into());
            Ok(())
        }),
        flag("-D", Value, "NAME[=BODY]", "defines a macro", |c, v| {
            let (name, body) = v.split_once('=').unwrap_or((v, "1"));
            c.hlsl.defines.push((name.into(), body.into()));
            Ok(())
        }),
        flag("-I", Value, "DIR", "looks for includes in DIR", |c, v| {
            c.hlsl.include_dirs.push(v.into());
            Ok(())
        }),
        flag("-Fo", Value, "FILE", "writes to FILE", |c, v| {
            c.output = Some(v.into());
            Ok(())
        }),
        flag("-HV", Value, "VERSION", "version of HLSL: 2016 to 2021", |c, v| match v {
            "2021" | "202x" => {
                c.hlsl.hlsl_version = 2021;
                Ok(())
            }
            "2016" | "2017" | "2018" => {
                c.hlsl.hlsl_version = v.parse().unwrap_or(2018);
                Ok(())
            }
            _ => Err(format!("unknown version of HLSL `{v}`")),
        }),
        flag(
            "-fspv-target-env",
            After,
            "ENV",
            "target environment: vulkan1.0 to vulkan1.3, universal1.5",
            |c, v| {
                c.target_given = true;
                c.target = TargetEnv::preset(v).ok_or_else(|| {
                    let names: Vec<_> = PRESETS.iter().map(|p| p.0).collect();
                    format!("unknown target environment `{v}`; there are {}", names.join(", "))
                })?;
                Ok(())
            },
        ),
        flag(
            "--target",
            Word,
            "NAME",
            "vulkan1.0 to vulkan1.3, or level-zero (kernels of OpenCL's flavour)",
            |c, v| {
                c.target_given = true;
                c.target = TargetEnv::preset(v).ok_or_else(|| {
                    let names: Vec<_> = PRESETS.iter().map(|p| p.0).collect();
                    format!("unknown target `{v}`; there are {}, level-zero", names.join(", "))
                })?;
                Ok(())
            },
        ),
        flag("-fspv-extension", After, "NAME", "allows only the extensions named so", |c, v| {
            c.extensions.push(v.into());
            Ok(())
        }),
        flag("-fvk-b-shift", Two, "N SPACE", "adds N to the numbers of b registers", |c, v| shift(c, 'b', v)),
        flag("-fvk-t-shift", Two, "N SPACE", "adds N to the numbers of t registers", |c, v| shift(c, 't', v)),
        flag("-fvk-u-shift", Two, "N SPACE", "adds N to the numbers of u registers", |c, v| shift(c, 'u', v)),
        flag("-fvk-s-shift", Two, "N SPACE", "adds N to the numbers of s registers", |c, v| shift(c, 's', v)),
        flag("-fvk-use-dx-layout", Nothing, "", "buffers lie in memory as in Direct3D", |c, _| {
            c.hlsl.layout = LayoutRules::DX;
            Ok(())
        }),
        flag(
            "-fvk-use-scalar-layout",
            Nothing,
            "",
            "buffers are packed, every scalar aligned to its size",
            |c, _| {
                c.hlsl.layout = LayoutRules::SCALAR;
                Ok(())
            },
        ),
        flag(
            "-fvk-use-gl-layout",
            Nothing,
            "",
            "buffers lie in memory by the strict std140 and std430",
            |c, _| {
                c.hlsl.layout = LayoutRules::GL;
                Ok(())
            },
        ),
        flag("-fspv-max-id", Word, "N", "an error if the module has ids of N and more", |c, v| {
            c.max_id = Some(v.parse().map_err(|_| "`-fspv-max-id` needs a number".to_string())?);
            Ok(())
        }),
        flag("-fspv-entrypoint-name", After, "NAME", "name of the entry point in the module", |c, v| {
            c.entry_name = Some(v.into());
            Ok(())
        }),
        flag(
            "-fspv-use-legacy-buffer-matrix-order",
            Nothing,
            "",
            "matrices in byte address buffers lie row by row",
            |c, _| {
                c.hlsl.rows_in_bytes = true;
                Ok(())
            },
        ),
        flag("-fspv-fix-func-call-arguments", Nothing, "", "accepted: arguments are always copied", ignore),
        flag("-fspv-preserve-bindings", Nothing, "", "accepted: bindings never depend on use", ignore),
        flag(
            "-fspv-preserve-interface",
            Nothing,
            "",
            "accepted: compute kernels have no such variables",
            ignore,
        ),
        flag("-fspv-flatten-resource-arrays", Nothing, "", "accepted: arrays stay arrays", ignore),
        flag("-fspv-print-all", Nothing, "", "accepted: `--emit` prints", ignore),
        flag(
            "-fspv-debug",
            After,
            "WHAT",
            "accepted: names are always written, other debug information never",
            |_, v| {
                let known = ["file", "source", "line", "tool", "vulkan", "vulkan-with-source"];
                if known.contains(&v) {
                    Ok(())
                } else {
                    Err(format!("`-fspv-debug={v}`: there are {}", known.join(", ")))
                }
            },
        ),
        flag("-Zi", Nothing, "", "accepted: names are always written, other debug information never", ignore),
        flag("-Qembed_debug", Nothing, "", "accepted", ignore),
        flag("-Gis", Nothing, "", "IEEE strictness: floating-point operations are not contracted", |c, _| {
            c.hlsl.ieee_strict = true;
            Ok(())
        }),
        flag("-ffinite-math-only", Nothing, "", "accepted: nothing relies on it", ignore),
        flag("-fno-finite-math-only", Nothing, "", "accepted: nothing relies on it", ignore),
        flag("-auto-binding-space", Word, "N", "accepted: has a meaning in Direct3D only", ignore),
        flag(
            "-fvk-bind-resource-heap",
            Two,
            "BINDING SET",
            "where `ResourceDescriptorHeap` is bound",
            |c, v| {
                c.hlsl.heaps[0] = Some(pair("-fvk-bind-resource-heap", v)?);
                Ok(())
            },
        ),
        flag(
            "-fvk-bind-sampler-heap",
            Two,
            "BINDING SET",
            "where `SamplerDescriptorHeap` is bound",
            |c, v| {
                c.hlsl.heaps[1] = Some(pair("-fvk-bind-sampler-heap", v)?);
                Ok(())
            },
        ),
        flag(
            "-fvk-bind-counter-heap",
            Two,
            "BINDING SET",
            "where the counters of `ResourceDescriptorHeap` are bound",
            |c, v| {
                c.hlsl.heaps[2] = Some(pair("-fvk-bind-counter-heap", v)?);
                Ok(())
            },
        ),
        flag(
            "-fvk-bind-globals",
            Two,
            "BINDING SET",
            "where the buffer of loose uniforms is bound",
            |c, v| {
                c.hlsl.globals_binding = Some(pair("-fvk-bind-globals", v)?);
                Ok(())
            },
        ),
        flag(
            "-spirv",
            Nothing,
            "",
            "writes SPIR-V, as always; for Vulkan 1.0 unless told otherwise",
            |c, _| {
                c.as_dxc = true;
                Ok(())
            },
        ),
        flag("-O0", Nothing, "", "does not optimise", |c, _| {
            c.optimize = false;
            Ok(())
        }),
        flag("-Od", Nothing, "", "the same", |c, _| {
            c.optimize = false;
            Ok(())
        }),
        flag("-fcgl", Nothing, "", "the same", |c, _| {
            c.optimize = false;
            Ok(())
        }),
        flag("-O1", Nothing, "", "optimises", ignore),
        flag("-O2", Nothing, "", "optimises", ignore),
        flag("-O3", Nothing, "", "optimises; this is what happens without a flag", ignore),
        flag("-enable-16bit-types", Nothing, "", "half and the 16-bit types have 16 bits", |c, _| {
            c.hlsl.enable_16bit_types = true;
            Ok(())
        }),
        flag("-Zpr", Nothing, "", "matrices are row-major unless declared otherwise", |c, _| {
            c.hlsl.matrix_order = MatrixOrder::RowMajor;
            Ok(())
        }),
        flag("-Zpc", Nothing, "", "matrices are column-major unless declared otherwise", |c, _| {
            c.hlsl.matrix_order = MatrixOrder::ColumnMajor;
            Ok(())
        }),
        flag("-WX", Nothing, "", "warnings are errors", |c, _| {
            c.warnings_as_errors = true;
            Ok(())
        }),
        flag("-no-warnings", Nothing, "", "no warnings", |c, _| {
            c.no_warnings = true;
            Ok(())
        }),
        flag("-Vd", Nothing, "", "accepted: modules are always verified, which takes no time", ignore),
        flag("-nologo", Nothing, "", "accepted: there is no logo", ignore),
        flag("--emit", Word, "WHAT", "tokens, ast, hir, ir, asm, rust, interface or spirv", |c, v| {
            let found = EMITS.iter().find(|e| e.1 == v);
            c.emit = found
                .ok_or_else(|| {
                    let names: Vec<_> = EMITS.iter().map(|e| e.1).collect();
                    format!("`--emit {v}`: there are {}", names.join(", "))
                })?
                .0;
            Ok(())
        }),
        flag("--explain", Word, "CODE", "explains a diagnostic code", |c, v| {
            c.action = Action::Explain(v.into());
            Ok(())
        }),
        flag("--help", Nothing, "", "prints this", |c, _| {
            c.action = Action::Help;
            Ok(())
        }),
        flag("--version", Nothing, "", "prints the version", |c, _| {
            c.action = Action::Version;
            Ok(())
        }),
    ]
};

/// The text of `--help`.
pub fn help() -> String {
    let mut out = String::from(
        "usage: spirvc -T cs_6_0 [-E main] in.hlsl -Fo out.spv\n       spirvc --emit hir in.hlsl\n\n",
    );
    for f in FLAGS {
        let head = match f.takes {
            Takes::Nothing => f.name.to_string(),
            Takes::Value | Takes::Word | Takes::Two => format!("{} {}", f.name, f.value),
            Takes::After => format!("{}={}", f.name, f.value),
        };
        out += &format!("  {head:<28} {}\n", f.help);
    }
    out
}

/// Reads a command line, without the program's name.
///
/// # Errors
/// One line that says what is wrong.
pub fn parse(args: impl IntoIterator<Item = String>) -> Result<Command, String> {
    let mut c = Command {
        action: Action::Compile,
        input: String::new(),
        output: None,
        emit: Emit::Spirv,
        hlsl: crate::hlsl::Options::default(),
        target: TargetEnv::default(),
        target_given: false,
        extensions: Vec::new(),
        shifts: Vec::new(),
        optimize: true,
        warnings_as_errors: false,
        no_warnings: false,
        as_dxc: false,
        max_id: None,
        entry_name: None,
    };
    let mut args = args.into_iter();
    while let Some(arg) = args.next() {
        if !arg.starts_with('-') || arg == "-" {
            if !c.input.is_empty() {
                return Err(format!("two source files: `{}` and `{arg}`", c.input));
            }
            c.input = arg;
            continue;
        }
        let Some((flag, rest)) = find(&arg) else {
            return Err(format!("unknown flag `{arg}`; `spirvc --help` lists them all"));
        };
        let value = match (flag.takes, rest) {
            (Takes::Nothing, _) => String::new(),
            (Takes::Two, _) => {
                let (a, b) = (args.next(), args.next());
                let missing = || format!("`{}` needs two values: {}", flag.name, flag.value);
                format!("{} {}", a.ok_or_else(missing)?, b.ok_or_else(missing)?)
            }
            (_, Some(value)) => value.to_string(),
            (_, None) => {
                args.next().ok_or_else(|| format!("`{}` needs a value: {}", flag.name, flag.value))?
            }
        };
        (flag.set)(&mut c, &value)?;
    }
    if c.action == Action::Compile && c.input.is_empty() {
        return Err("no source file; `spirvc --help` lists the flags".into());
    }
    if c.as_dxc && !c.target_given {
        c.target = TargetEnv::preset("vulkan1.0").unwrap_or(c.target);
    }
    c.target = c.target.with_extensions(&c.extensions);
    c.hlsl.spirv_minor = u32::from(c.target.version);
    if !c.extensions.is_empty() {
        c.target.extensions = Some(c.extensions.clone());
    }
    Ok(c)
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
    let fits = |f: &&Flag| f.takes == Takes::Value && arg.starts_with(f.name);
    FLAGS.iter().filter(fits).max_by_key(|f| f.name.len()).map(|f| (f, arg.get(f.name.len()..)))
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!((c.target.name.as_str(), c.optimize), ("vulkan1.2", false));
        assert_eq!((c.input.as_str(), c.output.as_deref()), ("a.hlsl", Some("b.spv")));
        assert_eq!(run("--emit=hir -").unwrap().emit, Emit::Hir);
    }

    #[test]
    fn mistakes_are_one_line() {
        for (args, part) in [
            ("a.hlsl -frobnicate", "unknown flag `-frobnicate`"),
            ("a.hlsl -T", "`-T` needs a value"),
            ("a.hlsl b.hlsl", "two source files"),
            ("-O3", "no source file"),
            ("-fvk-t-shift 3", "needs two values"),
            ("-fvk-t-shift x 0 a.hlsl", "needs a number and a space"),
            ("--emit llvm a.hlsl", "there are tokens"),
            ("-fspv-target-env=vulkan9 a.hlsl", "unknown target environment"),
            ("-HV 2015 a.hlsl", "unknown version"),
            ("-fvk-bind-globals 1 x a.hlsl", "needs two numbers"),
            ("-fspv-debug=all a.hlsl", "there are file"),
        ] {
            let message = run(args).unwrap_err();
            assert!(message.contains(part) && !message.contains('\n'), "{args}: {message}");
        }
    }
}
