//! `spirvc` as a command: exit codes, and what is said on standard error.

use std::io::Write;
use std::process::{Command, Stdio};

/// Runs `spirvc` on a source from standard input: exit code and standard error.
fn spirvc(args: &str, source: &str) -> (i32, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_spirvc"))
        .args(args.split_whitespace())
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command line that is wrong is refused before the source is read.
    let _ = child.stdin.take().unwrap().write_all(source.as_bytes());
    let output = child.wait_with_output().unwrap();
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

/// Truncates a vector, and compares a signed number with an unsigned one.
const WARNS: &str = "RWStructuredBuffer<float2> o;
[numthreads(1, 1, 1)]
void main(uint id : SV_DispatchThreadID) {
    if (o[0].x > 0 && id > -1) o[0] = float3(1, 2, 3);
}
";

#[test]
fn warnings_are_filtered_by_name() {
    let both = spirvc("-T cs_6_0", WARNS);
    assert_eq!(both.0, 0);
    assert!(both.1.contains("[-Wconversion]") && both.1.contains("[-Wsign-compare]"), "{}", both.1);
    for (args, code, conversion, compare) in [
        ("-Wno-conversion", 0, "", "[-Wsign-compare]"),
        ("-Wno-everything", 0, "", ""),
        ("-Wno-everything -Wconversion", 0, "[-Wconversion]", ""),
        ("-Werror=conversion", 1, "[-Werror,-Wconversion]", "[-Wsign-compare]"),
        ("-WX -Wno-error=conversion", 1, "[-Wconversion]", "[-Werror,-Wsign-compare]"),
        ("-WX -Wno-error=everything", 0, "[-Wconversion]", "[-Wsign-compare]"),
        ("-no-warnings -Werror=conversion", 1, "[-Werror,-Wconversion]", ""),
        ("-no-warnings -WX", 0, "", ""),
        ("-Wno-effects-syntax", 0, "[-Wconversion]", "[-Wsign-compare]"),
    ] {
        let (exit, said) = spirvc(&format!("-T cs_6_0 {args}"), WARNS);
        assert_eq!(exit, code, "{args}: {said}");
        for (name, wanted) in [("Wconversion]", conversion), ("Wsign-compare]", compare)] {
            assert_eq!(said.contains(name), !wanted.is_empty(), "{args}: {said}");
            assert!(said.contains(wanted), "{args}: {said}");
        }
    }
}

#[test]
fn the_number_of_errors_shown_can_be_chosen() {
    let source = format!("[numthreads(1, 1, 1)] void main() {{ {} }}", "unknown;\n".repeat(150));
    for (args, shown) in [("", 100), ("-ferror-limit=5", 5), ("-ferror-limit=0", 150)] {
        let (exit, said) = spirvc(&format!("-T cs_6_0 {args}"), &source);
        assert_eq!((exit, said.matches("error[").count()), (1, shown), "{args}");
    }
}

#[test]
fn unknown_warnings_are_a_warning() {
    let (exit, said) = spirvc("-T cs_6_0 -Wno-conversoin", WARNS);
    assert_eq!(exit, 0, "{said}");
    assert!(said.contains("there is no warning `-Wno-conversoin` [-Wunknown-warning-option]"), "{said}");
    assert!(said.contains("did you mean `-Wno-conversion`?"), "{said}");
    assert_eq!(spirvc("-T cs_6_0 -Wno-xyzzy -Wno-conversion -Wno-sign-compare -WX", WARNS).0, 1);
    assert_eq!(spirvc("-T cs_6_0 -Wno-xyzzy -Wno-unknown-warning-option", WARNS).0, 0);
}

#[test]
fn resources_that_are_chosen_at_run_time_are_refused() {
    let run = |body: &str| {
        let globals = "StructuredBuffer<uint> A, B; RWStructuredBuffer<uint> Out;";
        spirvc(
            "-T cs_6_0",
            &format!("{globals}\n[numthreads(1, 1, 1)] void main(uint id : SV_GroupIndex) {{\n{body}\n}}"),
        )
    };
    let choose = "StructuredBuffer<uint> one; [unroll] for (uint n = 0; n < ROUNDS; n++) \
        { LEAVE if (n == 1) one = A; else one = B; Out[0] += one[n]; }";
    let with = |rounds: &str, leave: &str| run(&choose.replace("ROUNDS", rounds).replace("LEAVE", leave));
    assert_eq!(with("4", "").0, 0);
    for (rounds, leave) in
        [("1000", ""), ("id", ""), ("4", "if (id) break;"), ("4", "if (id) continue;"), ("4", "n += id;")]
    {
        let (exit, said) = with(rounds, leave);
        assert_eq!(exit, 1, "{rounds} {leave}");
        assert!(said.contains("another resource in each round of a loop"), "{said}");
    }
    let (exit, said) = run("StructuredBuffer<uint> list[2] = { B, A }; Out[0] = list[id][1];");
    assert_eq!(exit, 1);
    assert!(said.contains("3:53: error H0901: a local array of resources with an index"), "{said}");
}

#[test]
fn debug_information_needs_its_extension() {
    let args = "-spirv -T cs_6_0 -fspv-debug=vulkan -Wno-everything";
    let with = |more: &str| spirvc(&format!("{args} {more}"), WARNS);
    assert_eq!(with("").0, 0);
    assert_eq!(with("-fspv-extension=SPV_KHR_non_semantic_info").0, 0);
    let (exit, said) = with("-fspv-extension=SPV_KHR_16bit_storage");
    assert_eq!(exit, 1, "{said}");
    assert!(said.contains("needs extension `SPV_KHR_non_semantic_info`"), "{said}");
}

#[test]
fn arrays_that_were_to_be_flattened_are_refused() {
    let flatten = |declaration: &str| {
        let kernel = format!("{declaration};\n[numthreads(1, 1, 1)] void main() {{ }}");
        spirvc("-spirv -T cs_6_0 -fspv-flatten-resource-arrays", &kernel)
    };
    let (exit, said) = flatten("Texture2D<float4> t[3]");
    assert_eq!(exit, 1);
    assert!(said.contains("1:19: error H0901: `-fspv-flatten-resource-arrays`"), "{said}");
    assert_eq!(flatten("Texture2D<float4> t").0, 0);
    assert_eq!(flatten("StructuredBuffer<float4> b[3]").0, 0);
}

#[test]
fn the_vulkan_memory_model_needs_a_version_that_has_it() {
    let source = "RWStructuredBuffer<float> o; [numthreads(1, 1, 1)] void main() { o[0] = o[1]; }";
    let refused = spirvc("-T cs_6_0 -fspv-use-vulkan-memory-model -fspv-target-env=vulkan1.0", source);
    assert!(refused.0 == 1 && refused.1.contains("does not have SPIR-V 1.3"), "{}", refused.1);
    let taken = spirvc("-T cs_6_0 -fspv-use-vulkan-memory-model -fspv-target-env=vulkan1.1", source);
    assert_eq!(taken, (0, String::new()));
}
