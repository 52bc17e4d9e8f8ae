//! Which flags act where the input is LLVM IR. The others are refused: they are about HLSL, or about what whoever made the IR
//! has decided.

use super::flags::{Command, Emit};

/// Flags that act.
const TAKEN: &[&str] = &[
    "--emit",
    "--target",
    "-E",
    "-Fc",
    "-Fe",
    "-Fh",
    "-Fo",
    "-Gis",
    "-H",
    "-M",
    "-MD",
    "-MF",
    "-O1",
    "-O2",
    "-O3",
    "-Vd",
    "-Vi",
    "-Vn",
    "-W",
    "-WX",
    "-ferror-limit",
    "-ffp-contract",
    "-frobust-access",
    "-fspv-entrypoint-name",
    "-fspv-extension",
    "-fspv-max-id",
    "-fspv-target-env",
    "-no-warnings",
    "-nologo",
    "-spirv",
    "-w",
];

/// Why others do not. A row each: how names begin, why. The last that fits counts.
const REFUSED: &[(&str, &str)] = &[
    ("-", "it is about HLSL"),
    ("-O", "how much is optimised is for the compiler that makes the IR"),
    ("-fcgl", "how much is optimised is for the compiler that makes the IR"),
    ("-Zi", "what debuggers are told is not carried over from LLVM IR yet"),
    ("-fspv-debug", "what debuggers are told is not carried over from LLVM IR yet"),
    ("-fspv-reflect", "parameters of kernels have no types of HLSL to tell of"),
    ("-fvk-", "parameters of kernels are no resources with registers"),
    ("-vkbr", "parameters of kernels are no resources with registers"),
    ("-fvk-use-", "the IR says where the members of structures lie"),
    ("-D", "the IR is made already; define macros where it is"),
    ("-I", "LLVM IR includes no files"),
    ("-denorm", "the attributes of functions in the IR say what becomes of denormal numbers"),
];

/// What is wrong with flags beside LLVM IR, if something is. `seen` are those of the table that are given.
pub(super) fn check(seen: &[&str], c: &Command) -> Result<(), String> {
    let known = |name: &str| super::table::FLAGS.iter().any(|f| f.name == name);
    if let Some(name) = seen.iter().find(|n| known(n) && !TAKEN.contains(n)) {
        let why = REFUSED.iter().rev().find(|r| name.starts_with(r.0)).map_or("it is about HLSL", |r| r.1);
        return Err(format!("`{name}` means nothing for LLVM IR: {why}"));
    }
    if matches!(c.emit, Emit::Tokens | Emit::Preprocessed | Emit::Ast | Emit::Hir) {
        return Err("LLVM IR has no tokens, syntax tree or HIR to print; `--emit ir` shows the module".into());
    }
    if c.robust_access && c.target_given && c.target.has_kernels() {
        return Err(
            "`-frobust-access` means nothing for kernels from LLVM IR: pointers have no length".into()
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::flags::parse;
    use super::*;

    #[test]
    fn flags_that_would_be_ignored_are_refused() {
        for (args, part) in [
            ("-O0", "for the compiler that makes the IR"),
            ("-Od", "for the compiler that makes the IR"),
            ("-fcgl", "for the compiler that makes the IR"),
            ("-Zi", "debuggers"),
            ("-fspv-debug=line", "debuggers"),
            ("-fspv-reflect", "no types of HLSL"),
            ("-fvk-t-shift 1 0", "no resources with registers"),
            ("-fvk-bind-globals 1 0", "no resources with registers"),
            ("-fvk-use-dx-layout", "where the members of structures lie"),
            ("-T cs_6_0", "about HLSL"),
            ("-HV 2021", "about HLSL"),
            ("-DA=1", "define macros where it is"),
            ("-P", "about HLSL"),
            ("-denorm ftz", "denormal"),
            ("--emit hir", "`--emit ir` shows the module"),
            ("--target level-zero -frobust-access", "pointers have no length"),
        ] {
            for input in ["k.ll", "k.bc"] {
                let message = parse(format!("{args} {input}").split(' ').map(String::from)).unwrap_err();
                assert!(message.contains(part) && !message.contains('\n'), "{args}: {message}");
            }
        }
        let taken =
            "-spirv -fspv-max-id 100 -Fe log -H -O3 -fspv-entrypoint-name=k -ffp-contract=off -nologo k.ll";
        assert!(parse(taken.split(' ').map(String::from)).is_ok());
    }

    #[test]
    fn flags_that_act_are_in_the_table() {
        let known = |name: &str| super::super::table::FLAGS.iter().any(|f| f.name == name);
        assert!(TAKEN.iter().all(|n| known(n)));
    }
}
