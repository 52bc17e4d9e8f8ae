//! The table of flags: those of dxc and our own.

use super::extensions::extension;
use super::flags::{Action, Command, Debug, EMITS, Emit};
use super::values::{heap, pair, register, shift};
use crate::hlsl::HLSL_202X;
use crate::hlsl::layout::LayoutRules;
use crate::hlsl::types::MatrixOrder;
use crate::passes::{Level, registry};
use crate::pipeline::Mode;
use crate::spv;
use crate::target::{PRESETS, TargetEnv};
use spirv_spec::ExecutionMode;

/// How a flag takes its value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    /// None.
    Nothing,
    /// `-T x` or `-Tx`.
    Value,
    /// `--emit x` or `--emit=x`.
    Word,
    /// `-fx=y`.
    After,
    /// `-Wx`: all behind the name, perhaps nothing.
    Rest,
    /// `-fx y z`: so many, with a space between.
    Many(usize),
}

type Set = fn(&mut Command, &str) -> Result<(), String>;

/// A flag.
pub(super) struct Flag {
    pub(super) name: &'static str,
    pub(super) takes: Takes,
    /// What the value is, and what the flag does.
    pub(super) value: &'static str,
    pub(super) help: &'static str,
    pub(super) set: Set,
}

const fn flag(name: &'static str, takes: Takes, value: &'static str, help: &'static str, set: Set) -> Flag {
    Flag { name, takes, value, help, set }
}

/// The name of a pass, or `all`.
fn known_pass(name: &str) -> Result<String, String> {
    if name != "all" {
        registry::parse(name)?;
    }
    Ok(name.to_string())
}

fn ignore(_: &mut Command, _: &str) -> Result<(), String> {
    Ok(())
}

/// Longer names first where one is the beginning of another.
pub(super) const FLAGS: &[Flag] = {
    use Takes::*;
    &[
        flag(
            "-T",
            Value,
            "PROFILE",
            "target profile, cs_6_0 to cs_6_10; lib_6_3 to lib_6_x for all functions with [shader(\"compute\")]",
            |c, v| {
                c.hlsl.profile = v.into();
                Ok(())
            },
        ),
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
        flag(
            "-Fo",
            Value,
            "FILE",
            "writes to FILE, or with `-` to standard output; without it the assembly is shown",
            |c, v| {
                c.output = Some(v.into());
                Ok(())
            },
        ),
        flag("-HV", Value, "VERSION", "version of HLSL: 2016 to 2021, or 202x", |c, v| match v {
            "202x" => {
                c.hlsl.hlsl_version = HLSL_202X;
                Ok(())
            }
            "2016" | "2017" | "2018" | "2021" => {
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
            "vulkan1.0 to vulkan1.3, level-zero (kernels of OpenCL's flavour), or spir64 (with --emit llvm)",
            |c, v| {
                c.target_given = true;
                c.spir64 = v == "spir64";
                if c.spir64 {
                    c.target = TargetEnv::kernels();
                    return Ok(());
                }
                c.target = TargetEnv::preset(v).ok_or_else(|| {
                    let names: Vec<_> = PRESETS.iter().map(|p| p.0).collect();
                    format!("unknown target `{v}`; there are {}, level-zero, spir64", names.join(", "))
                })?;
                Ok(())
            },
        ),
        flag("-fspv-extension", After, "NAME", "allows only the extensions named so", |c, v| {
            c.extensions.extend(extension(v)?);
            Ok(())
        }),
        flag("-fvk-b-shift", Many(2), "N SPACE", "adds N to the numbers of b registers", |c, v| {
            shift(c, 'b', v)
        }),
        flag("-fvk-t-shift", Many(2), "N SPACE", "adds N to the numbers of t registers", |c, v| {
            shift(c, 't', v)
        }),
        flag("-fvk-u-shift", Many(2), "N SPACE", "adds N to the numbers of u registers", |c, v| {
            shift(c, 'u', v)
        }),
        flag("-fvk-s-shift", Many(2), "N SPACE", "adds N to the numbers of s registers", |c, v| {
            shift(c, 's', v)
        }),
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
        flag("-ferror-limit", After, "N", "shows N errors at most instead of 100; 0 shows all", |c, v| {
            c.error_limit = Some(v.parse().map_err(|_| "`-ferror-limit` needs a number".to_string())?);
            Ok(())
        }),
        flag(
            "-fspv-max-id",
            Word,
            "N",
            "an error if the module has ids of N (hexadecimal) and more",
            |c, v| {
                let id = u32::from_str_radix(v, 16);
                c.max_id = Some(id.map_err(|_| "`-fspv-max-id` needs a hexadecimal number".to_string())?);
                Ok(())
            },
        ),
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
        flag(
            "-fspv-flatten-resource-arrays",
            Nothing,
            "",
            "each element of an array of resources has a binding of its own",
            |c, _| {
                c.flatten_arrays = true;
                Ok(())
            },
        ),
        flag("-fspv-print-all", Nothing, "", "accepted: `--emit` prints", ignore),
        flag(
            "-fspv-debug",
            After,
            "WHAT",
            "file, source, line: the source file, its text, where instructions come from; vulkan, rich (-with-source): all that a debugger wants",
            |c, v| {
                let (source, lines, program) = match v {
                    "file" | "tool" => (false, false, None),
                    "source" => (true, false, None),
                    "line" => (false, true, None),
                    "vulkan" => (false, false, Some(spv::DebugSet::Shader)),
                    "vulkan-with-source" => (true, false, Some(spv::DebugSet::Shader)),
                    "rich" => (false, true, Some(spv::DebugSet::OpenCl)),
                    "rich-with-source" => (true, true, Some(spv::DebugSet::OpenCl)),
                    _ => {
                        let known =
                            "file, source, line, tool, vulkan, vulkan-with-source, rich, rich-with-source";
                        return Err(format!("`-fspv-debug={v}`: there are {known}"));
                    }
                };
                let old = c.debug.unwrap_or_default();
                c.debug = Some(Debug {
                    source: old.source || source,
                    lines: old.lines || lines,
                    program: program.or(old.program),
                });
                Ok(())
            },
        ),
        flag("-Zi", Nothing, "", "writes debug information: source text and lines", |c, _| {
            c.debug = Some(Debug { source: true, lines: true, ..Debug::default() });
            Ok(())
        }),
        flag("-Gis", Nothing, "", "IEEE strictness: floating-point operations are not contracted", |c, _| {
            c.hlsl.ieee_strict = true;
            Ok(())
        }),
        flag(
            "-ffp-contract",
            After,
            "WHEN",
            "ours: off keeps products and sums apart, as -Gis does; on and fast let them become one",
            |c, v| {
                c.hlsl.ieee_strict = match v {
                    "off" => true,
                    "on" | "fast" => false,
                    _ => return Err(format!("`-ffp-contract={v}`: there are off, on, fast")),
                };
                Ok(())
            },
        ),
        flag("-ffinite-math-only", Nothing, "", "accepted: nothing relies on it", ignore),
        flag("-fno-finite-math-only", Nothing, "", "accepted: nothing relies on it", ignore),
        flag("-auto-binding-space", Word, "N", "accepted: has a meaning in Direct3D only", |_, v| {
            v.parse::<u32>().map_err(|_| "`-auto-binding-space` needs a number".to_string()).map(|_| ())
        }),
        flag(
            "-fvk-bind-resource-heap",
            Many(2),
            "BINDING SET",
            "where `ResourceDescriptorHeap` is bound",
            |c, v| {
                c.heaps[0] = heap("-fvk-bind-resource-heap", v)?;
                Ok(())
            },
        ),
        flag(
            "-fvk-bind-sampler-heap",
            Many(2),
            "BINDING SET",
            "where `SamplerDescriptorHeap` is bound",
            |c, v| {
                c.heaps[1] = heap("-fvk-bind-sampler-heap", v)?;
                Ok(())
            },
        ),
        flag(
            "-fvk-bind-counter-heap",
            Many(2),
            "BINDING SET",
            "where the counters of `ResourceDescriptorHeap` are bound",
            |c, v| {
                c.heaps[2] = heap("-fvk-bind-counter-heap", v)?;
                Ok(())
            },
        ),
        flag(
            "-fvk-bind-globals",
            Many(2),
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
            c.passes.level = Level::O0;
            Ok(())
        }),
        flag("-Od", Nothing, "", "the same", |c, _| {
            c.passes.level = Level::O0;
            Ok(())
        }),
        flag("-fcgl", Nothing, "", "the same", |c, _| {
            c.passes.level = Level::O0;
            Ok(())
        }),
        flag("-O1", Nothing, "", "optimises for size", |c, _| {
            c.passes.level = Level::O1;
            Ok(())
        }),
        flag("-O2", Nothing, "", "optimises for speed", |c, _| {
            c.passes.level = Level::O2;
            Ok(())
        }),
        flag(
            "-O3",
            Nothing,
            "",
            "the same, whatever it costs; what happens without a flag. Of several -O the last counts",
            |c, _| {
                c.passes.level = Level::O3;
                Ok(())
            },
        ),
        flag(
            "--passes",
            Word,
            "LIST",
            "ours: runs these passes of the optimiser, `inline,mem2reg,dce`, instead of those of -O",
            |c, v| {
                registry::parse(v)?;
                c.passes.list = Some(v.into());
                Ok(())
            },
        ),
        flag("--print-before", Word, "PASS", "ours: shows the IR before a pass, or before `all`", |c, v| {
            c.passes.instruments.print_before.push(known_pass(v)?);
            Ok(())
        }),
        flag("--print-after", Word, "PASS", "ours: shows the IR after a pass, or after `all`", |c, v| {
            c.passes.instruments.print_after.push(known_pass(v)?);
            Ok(())
        }),
        flag("--time-passes", Nothing, "", "ours: says how long each pass took", |c, _| {
            c.passes.instruments.time = true;
            Ok(())
        }),
        flag("-enable-16bit-types", Nothing, "", "half and the 16-bit types have 16 bits", |c, _| {
            c.hlsl.enable_16bit_types = true;
            Ok(())
        }),
        flag(
            "-fselect-resources",
            Nothing,
            "",
            "ours: variables may hold one of several resources, chosen at run time",
            |c, _| {
                c.passes.select_resources = true;
                Ok(())
            },
        ),
        flag(
            "-frobust-access",
            Nothing,
            "",
            "ours: reads out of the range of an array give 0 and writes there are dropped, as in kernels that build scripts compile",
            |c, _| {
                c.robust_access = true;
                Ok(())
            },
        ),
        flag("-Zpr", Nothing, "", "matrices are row-major unless declared otherwise", |c, _| {
            c.hlsl.matrix_order = MatrixOrder::RowMajor;
            Ok(())
        }),
        flag("-Zpc", Nothing, "", "matrices are column-major unless declared otherwise", |c, _| {
            c.hlsl.matrix_order = MatrixOrder::ColumnMajor;
            Ok(())
        }),
        flag("-WX", Nothing, "", "warnings are errors", |c, _| {
            c.warnings.errors = true;
            Ok(())
        }),
        flag(
            "-W",
            Rest,
            "NAME",
            "-Wno-NAME, -Werror=NAME, -Wno-error=NAME: one kind of warning on, off, an error",
            |c, v| {
                if let Err(like) = c.warnings.option(v) {
                    c.unknown_warnings.push((format!("-W{v}"), like));
                }
                Ok(())
            },
        ),
        flag("-no-warnings", Nothing, "", "no warnings", |c, _| {
            c.warnings.none = true;
            Ok(())
        }),
        flag("-Vd", Nothing, "", "accepted: modules are always verified, which takes no time", ignore),
        flag("-nologo", Nothing, "", "accepted: there is no logo", ignore),
        flag("-denorm", Word, "MODE", "what 32-bit denormal numbers become: any, preserve or ftz", |c, v| {
            let mode = match v {
                "any" => None,
                "preserve" => Some(ExecutionMode::DenormPreserve),
                "ftz" => Some(ExecutionMode::DenormFlushToZero),
                _ => return Err(format!("`-denorm {v}`: there are any, preserve, ftz")),
            };
            c.modes.retain(|m| {
                !matches!(m.kind, ExecutionMode::DenormPreserve | ExecutionMode::DenormFlushToZero)
            });
            c.modes.extend(mode.map(|m| Mode::words(m, &[32])));
            Ok(())
        }),
        flag(
            "-fspv-enable-maximal-reconvergence",
            Nothing,
            "",
            "threads run together again as soon as they can",
            |c, _| {
                c.modes.push(Mode::words(ExecutionMode::MaximallyReconvergesKHR, &[]));
                Ok(())
            },
        ),
        flag(
            "-fspv-use-unknown-image-format",
            Nothing,
            "",
            "images have no format unless one is declared",
            |c, _| {
                c.unknown_formats = true;
                Ok(())
            },
        ),
        flag(
            "-fvk-bind-register",
            Many(4),
            "REGISTER SPACE BINDING SET",
            "where a register is bound",
            |c, v| {
                c.registers.push(register(v)?);
                Ok(())
            },
        ),
        flag("-vkbr", Many(4), "REGISTER SPACE BINDING SET", "the same", |c, v| {
            c.registers.push(register(v)?);
            Ok(())
        }),
        flag(
            "-fvk-auto-shift-bindings",
            Nothing,
            "",
            "shifts also resources that have no register",
            |c, _| {
                c.auto_shift = true;
                Ok(())
            },
        ),
        flag("-fvk-invert-y", Nothing, "", "an error: it is for vertices", |_, _| {
            Err("`-fvk-invert-y` is for vertex, geometry, domain and mesh shaders; these are compute kernels"
                .into())
        }),
        flag(
            "-fspv-use-vulkan-memory-model",
            Nothing,
            "",
            "the memory model is that of Vulkan, not of GLSL450",
            |c, _| {
                c.hlsl.vulkan_memory_model = true;
                Ok(())
            },
        ),
        flag(
            "-fspv-reflect",
            Nothing,
            "",
            "tells the types of resources and whose counters there are, for reflection",
            |c, _| {
                c.reflect = true;
                Ok(())
            },
        ),
        flag("-fspv-use-descriptor-heap", Nothing, "", "an error: not supported yet", |_, _| {
            Err("`-fspv-use-descriptor-heap` is not supported yet: heaps are arrays of descriptors".into())
        }),
        flag("-Fc", Value, "FILE", "writes the assembly of the module to FILE, too", |c, v| {
            c.listing = Some(v.into());
            Ok(())
        }),
        flag("-Fe", Value, "FILE", "writes errors and warnings to FILE, too", |c, v| {
            c.error_file = Some(v.into());
            Ok(())
        }),
        flag("-Fh", Value, "FILE", "writes the module as an array of C to FILE, too", |c, v| {
            c.header = Some(v.into());
            Ok(())
        }),
        flag("-Vn", Value, "NAME", "name of the array that `-Fh` writes", |c, v| {
            c.header_name = Some(v.into());
            Ok(())
        }),
        flag("-P", Nothing, "", "preprocesses only, to standard output or the file of `-Fi`", |c, _| {
            c.emit = Emit::Preprocessed;
            Ok(())
        }),
        flag("-Fi", Value, "FILE", "with `-P`: writes to FILE", |c, v| {
            c.output = Some(v.into());
            Ok(())
        }),
        flag(
            "-M",
            Nothing,
            "",
            "compiles nothing: prints a rule for make that names the files that are read",
            |c, _| {
                c.print_dependencies = true;
                Ok(())
            },
        ),
        flag(
            "-MD",
            Nothing,
            "",
            "writes that rule beside the output, into a file that ends in .d",
            |c, _| {
                c.write_dependencies = true;
                Ok(())
            },
        ),
        flag("-MF", Value, "FILE", "writes that rule to FILE", |c, v| {
            c.dependencies_file = Some(v.into());
            Ok(())
        }),
        flag("-H", Nothing, "", "says on standard error which files are read", |c, _| {
            c.show_files = true;
            Ok(())
        }),
        flag("-Vi", Nothing, "", "the same", |c, _| {
            c.show_files = true;
            Ok(())
        }),
        flag("-w", Nothing, "", "no warnings", |c, _| {
            c.warnings.none = true;
            Ok(())
        }),
        flag("--emit", Word, "WHAT", "tokens, ast, hir, ir, asm, rust, interface, llvm or spirv", |c, v| {
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
        flag("-ast-dump", Nothing, "", "the same as `--emit ast`", |c, _| {
            c.emit = Emit::Ast;
            Ok(())
        }),
        flag("-h", Nothing, "", "the same as `--help`", |c, _| {
            c.action = Action::Help;
            Ok(())
        }),
        flag("-help", Nothing, "", "the same as `--help`", |c, _| {
            c.action = Action::Help;
            Ok(())
        }),
        flag("-help-hidden", Nothing, "", "the same", |c, _| {
            c.action = Action::Help;
            Ok(())
        }),
        flag("-?", Nothing, "", "the same", |c, _| {
            c.action = Action::Help;
            Ok(())
        }),
        flag("--help", Nothing, "", "prints this", |c, _| {
            c.action = Action::Help;
            Ok(())
        }),
        flag("-version", Nothing, "", "the same as `--version`", |c, _| {
            c.action = Action::Version;
            Ok(())
        }),
        flag("--version", Nothing, "", "prints the version", |c, _| {
            c.action = Action::Version;
            Ok(())
        }),
    ]
};
