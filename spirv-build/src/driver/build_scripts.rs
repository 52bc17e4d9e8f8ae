//! Which flags a build script may give: those that say what a kernel is to become. The others are about files and texts that a
//! command reads and writes, or about what is for the stub to choose.

use super::table::FLAGS;

/// Flags that mean the same in a build script.
const TAKEN: &[&str] = &[
    "-T",
    "-E",
    "-D",
    "-I",
    "-HV",
    "-fspv-target-env",
    "--target",
    "-fspv-extension",
    "-fvk-use-dx-layout",
    "-fvk-use-scalar-layout",
    "-fvk-use-gl-layout",
    "-ferror-limit",
    "-fspv-max-id",
    "-fspv-use-legacy-buffer-matrix-order",
    "-fspv-fix-func-call-arguments",
    "-fspv-preserve-bindings",
    "-fspv-preserve-interface",
    "-fspv-debug",
    "-Zi",
    "-Gis",
    "-ffp-contract",
    "-ffinite-math-only",
    "-fno-finite-math-only",
    "-auto-binding-space",
    "-O1",
    "-O2",
    "-O3",
    "-enable-16bit-types",
    "-fselect-resources",
    "-frobust-access",
    "-Zpr",
    "-Zpc",
    "-WX",
    "-W",
    "-no-warnings",
    "-w",
    "-Vd",
    "-nologo",
    "-fspv-use-unknown-image-format",
    "-fspv-use-vulkan-memory-model",
];

/// Flags that a build script cannot give. A row each: name (or, before a `*`, how several begin) and why.
const REFUSED: &[(&str, &str)] = &[
    ("-fvk-bind-*", "the stub binds resources by itself"),
    ("-vkbr", "the stub binds resources by itself"),
    ("-fvk-auto-shift-bindings", "the stub binds resources by itself"),
    ("-fvk-b-shift", "the stub binds resources by itself"),
    ("-fvk-t-shift", "the stub binds resources by itself"),
    ("-fvk-u-shift", "the stub binds resources by itself"),
    ("-fvk-s-shift", "the stub binds resources by itself"),
    ("-fspv-flatten-resource-arrays", "the stub takes arrays as such"),
    ("-fspv-entrypoint-name", "the stub calls entry points by the names that they have in the source"),
    ("-fspv-reflect", "the stub has all that there is to tell"),
    ("-O0", "kernels for stubs are always optimised"),
    ("-Od", "kernels for stubs are always optimised"),
    ("-fcgl", "kernels for stubs are always optimised"),
    ("-denorm", "devices differ in it, and a stub runs on all of them"),
    ("-fspv-enable-maximal-reconvergence", "the runtime does not ask devices for it yet"),
    ("-spirv", "SPIR-V is written anyway"),
    ("-F*", "the build script writes where `include_kernel!` looks"),
    ("-Vn", "the build script writes where `include_kernel!` looks"),
    ("--emit", "the build script writes where `include_kernel!` looks"),
];

/// Why a build script cannot give this flag, if it cannot.
pub(super) fn check(name: &str) -> Result<(), String> {
    let known = FLAGS.iter().any(|f| f.name == name);
    // What is without effect is so here, too.
    if TAKEN.contains(&name) || !known {
        return Ok(());
    }
    let why =
        REFUSED.iter().find(|r| r.0.strip_suffix('*').map_or(name == r.0, |start| name.starts_with(start)));
    let why = why.map_or("it is for the command line `spirvc`", |r| r.1);
    Err(format!("`{name}` means nothing in a build script: {why}"))
}

#[cfg(test)]
mod tests {
    use super::super::flags::parse_for_build_script;
    use crate::hlsl::layout::LayoutRules;

    fn run(text: &str) -> Result<super::super::flags::Command, String> {
        parse_for_build_script(text.split(' ').map(String::from))
    }

    #[test]
    fn flags_that_say_what_a_kernel_becomes_are_taken() {
        let c = run("-fvk-use-dx-layout -DA=1 -T cs_6_5 -O3 -Zpr -Wno-conversion -Qstrip_debug").unwrap();
        assert_eq!((c.hlsl.layout, c.hlsl.profile.as_str()), (LayoutRules::DX, "cs_6_5"));
        assert_eq!(c.hlsl.defines, [("A".into(), "1".into())]);
        assert_eq!(run("-Gis").unwrap().hlsl.profile, "cs_6_8");
    }

    #[test]
    fn flags_of_the_command_line_are_refused_with_a_reason() {
        for (args, part) in [
            ("-Fo x.spv", "`-Fo` means nothing in a build script: the build script writes where"),
            ("-fvk-t-shift 1 0", "the stub binds resources by itself"),
            ("-fvk-bind-globals 1 0", "the stub binds resources by itself"),
            ("--emit ir", "the build script writes where"),
            ("-spirv", "SPIR-V is written anyway"),
            ("-O0", "always optimised"),
            ("-help", "for the command line `spirvc`"),
            ("--explain H0001", "for the command line `spirvc`"),
            ("kernel.hlsl", "`kernel.hlsl` is no flag; `compile` names the kernel's file"),
            ("--target level-zero", "modules for Level Zero are made beside"),
            ("-fvk-use-dx-layuot", "did you mean `-fvk-use-dx-layout`?"),
            ("-Zpr -Zpc", "exclude each other"),
            ("-D", "`-D` needs a value"),
        ] {
            let message = run(args).unwrap_err();
            assert!(message.contains(part) && !message.contains('\n'), "{args}: {message}");
        }
    }
}
