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
        assert_eq!((exit, said.matches("error H").count()), (1, shown), "{args}");
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

/// Resources of several programs as a header has them: what shares a place is reported once, and only if one program uses both.
#[test]
fn shared_bindings_are_reported_where_they_meet() {
    let source = "cbuffer A : register(b0) { float a; }
cbuffer Other : register(b0) { float other; }
Buffer<float> B : register(t0);
Buffer<float> C : register(t1);
cbuffer D : register(b1) { float d; }
RWBuffer<float> O : register(u9);
[numthreads(1, 1, 1)] void first() { O[0] = other; }
[numthreads(1, 1, 1)] void second() { O[0] = a; }
[numthreads(1, 1, 1)] void third() { O[0] = a + B[0] + C[0] + d; }
";
    let quiet = |args: &str| {
        let (exit, said) = spirvc(&format!("-T cs_6_0 {args}"), source);
        assert_eq!((exit, said.contains("share binding")), (0, false), "{args}: {said}");
    };
    quiet("-E first");
    quiet("-E second");
    quiet("-E third -fvk-t-shift 16 0");
    for args in ["-E third", ""] {
        let (exit, said) = spirvc(&format!("-T cs_6_0 {args}"), source);
        assert_eq!((exit, said.matches("warning H0707").count()), (0, 1), "{args}: {said}");
        assert!(said.contains("`A` and `B` share binding 0 of set 0"), "{args}: {said}");
        assert!(said.contains("note: so do `C` and `D` with binding 1 of set 0"), "{args}: {said}");
        assert!(!said.contains("`Other`"), "{args}: {said}");
    }
}

#[test]
fn profiles_that_are_not_taken_say_what_they_are() {
    for (profile, wanted) in [
        ("ps_6_2", "`ps_6_2` is a profile of pixel shaders"),
        ("as_6_5", "`as_6_5` is a profile of amplification shaders"),
        ("cs_3_0", "unknown target profile `cs_3_0`"),
        ("c", "unknown target profile `c`"),
    ] {
        let (exit, said) = spirvc(&format!("-T {profile}"), WARNS);
        assert_eq!(exit, 1, "{profile}");
        assert!(said.contains(wanted) && said.contains("help: use `cs_6_0` or later"), "{profile}: {said}");
    }
}

#[test]
fn so_many_resources_are_not_flattened() {
    let kernel = |n: u32| {
        format!(
            "Texture2D t[{n}]; RWStructuredBuffer<float4> o;\n\
             [numthreads(1, 1, 1)] void main() {{ o[0] = t[1][uint2(0, 0)]; }}"
        )
    };
    let args = "-T cs_6_0 -fspv-flatten-resource-arrays -fvk-auto-shift-bindings -fvk-t-shift 2147483648 0";
    assert_eq!(spirvc(args, &kernel(4)), (0, String::new()));
    let (exit, said) = spirvc(args, &kernel(1 << 24));
    assert!(exit == 1 && said.contains("error H0902: 16777216 resources to flatten"), "{said}");
}

#[test]
fn a_missing_return_can_be_let_be() {
    let kernel = "RWStructuredBuffer<int> Out; int f(int x) { if (x > 1) return 2; }\n\
                  [numthreads(1, 1, 1)] void main() { Out[0] = f(Out[1]); }";
    let (exit, said) = spirvc("-T cs_6_0", kernel);
    assert!(
        exit == 1 && said.contains("error H0505: `f` may end without returning a value [-Wreturn-type]"),
        "{said}"
    );
    let (exit, said) = spirvc("-T cs_6_0 -Wno-error=return-type", kernel);
    assert!(exit == 0 && said.contains("warning H0505"), "{said}");
    assert_eq!(spirvc("-T cs_6_0 -Wno-return-type", kernel), (0, String::new()));
}

#[test]
fn resources_are_chosen_at_run_time_only_where_asked_for() {
    let kernel = |body: &str| {
        format!(
            "StructuredBuffer<uint> A, B, list[4]; RWStructuredBuffer<uint> Out;\n\
             [numthreads(1, 1, 1)] void main(uint id : SV_GroupIndex) {{\nStructuredBuffer<uint> one; {body} Out[0] = one[id];\n}}"
        )
    };
    let (several, loops) =
        ("if (id) one = A; else one = B;", "for (uint i = 0; i < id; i++) one = i & 1 ? A : B;");
    for body in [several, loops] {
        let (exit, said) = spirvc("-T cs_6_0", &kernel(body));
        assert_eq!(exit, 1, "{body}");
        assert!(
            said.contains("3:")
                && said.contains("error H0717: the resource is chosen at run time from `A`, `B`"),
            "{said}"
        );
    }
    // A number is not known any more behind what may have changed it.
    for unknown in [
        "if (id) k = 1; one = c[k];",
        "for (uint i = 0; i < id; i++) { Out[1] = c[k][0]; k = 1; }",
        "for (uint i = 0; i < id; Out[1] = c[k][0], i++) { if (id == 4) continue; k = 1; }",
        "for (uint i = 0; i < id; i++) k = 1; one = c[k];",
        "bool b = id > 2 && (Out[2] = k = 1) > 0; one = c[k];",
        "Out[1] = id > 2 ? (Out[2] = k = 1) : Out[2]; one = c[k];",
        "switch (id) { case 1: k = 1; break; case 2: k = 1; break; } one = c[k];",
        "set(k); one = c[k];",
    ] {
        let body = format!("StructuredBuffer<uint> c[2] = {{ A, B }}; uint k = 0; {unknown}");
        let (exit, said) =
            spirvc("-T cs_6_0", &format!("uint x; void set(out uint k) {{ k = x; }}\n{}", kernel(&body)));
        assert!(exit == 1 && said.contains("error H0717"), "{unknown}: {said}");
    }
    assert_eq!(spirvc("-T cs_6_0 -fselect-resources", &kernel(several)), (0, String::new()));
    for body in [
        "if (id) one = list[1]; else one = list[id];",
        "one = 1 > 2 ? A : B;",
        "one = A; if (id) one = A;",
        "uint k = 0; set(k); StructuredBuffer<uint> c[2] = { A, B }; one = c[k];",
    ] {
        let program = format!("void set(out uint k) {{ k = 1; }}\n{}", kernel(body));
        assert_eq!(spirvc("-T cs_6_0", &program), (0, String::new()), "{body}");
    }
}

#[test]
fn resources_that_nothing_tells_are_refused() {
    let run = |functions: &str, body: &str| {
        let globals = "StructuredBuffer<uint> A, B; RWStructuredBuffer<uint> Out;";
        let kernel = format!("[numthreads(1, 1, 1)] void main(uint id : SV_GroupIndex) {{\n{body}\n}}");
        spirvc("-T cs_6_0 -fselect-resources", &format!("{globals} {functions}\n{kernel}"))
    };
    let on_no_way =
        "StructuredBuffer<uint> f(uint n) { StructuredBuffer<uint> b; if (n < 2) return b; return b; }";
    let list: Vec<String> = (0..65).map(|n| format!("R{n}")).collect();
    let many = format!("StructuredBuffer<uint> {};", list.join(", "));
    let large = format!("StructuredBuffer<uint> list[65] = {{ {} }}; Out[0] = list[id][1];", list.join(", "));
    for (functions, body, error) in [
        (on_no_way, "Out[0] = f(id)[0];", "error H0901: a variable that no resource was assigned"),
        (
            "",
            "StructuredBuffer<uint> b; Out[0] = b[0];",
            "error H0901: a variable that no resource was assigned",
        ),
        (
            "void f(inout StructuredBuffer<uint> b) { b = B; }",
            "f(A);",
            "error H0901: assigning to this variable",
        ),
        (many.as_str(), large.as_str(), "too many resources to choose from"),
    ] {
        let (exit, said) = run(functions, body);
        assert_eq!(exit, 1, "{functions} {body}");
        assert!(said.contains(error), "{said}");
        let unset = error.contains("no resource was assigned");
        assert_eq!(said.contains("help: assign it one of that kind first"), unset, "{said}");
    }
    let same = "void f(inout StructuredBuffer<uint> b) { Out[0] = b[0]; b = A; }";
    assert_eq!(run(same, "f(A);"), (0, String::new()));
}

#[test]
fn resources_as_values_are_refused_where_they_are_used() {
    let run = |before: &str, body: &str| {
        let kernel = format!("RWStructuredBuffer<float4> o; [numthreads(1, 1, 1)] void main() {{ {body} }}");
        spirvc("-T cs_6_6", &format!("{before}\n{kernel}"))
    };
    let first =
        "template<typename H> float4 f(H h) { Texture2D<float4> t = h[0]; return t.Load(int3(0, 0, 0)); }";
    let array = "typedef vk::SpirvOpaqueType<28, Texture2D, vk::integral_constant<uint, 4> > Textures;";
    for (before, body, what) in [
        (first, "o[0] = f(ResourceDescriptorHeap);", "`ResourceDescriptorHeap` as the type of a value"),
        (
            "template<typename H> uint f(H h) { return 1; }",
            "o[0] = f(SamplerDescriptorHeap);",
            "`SamplerDescriptorHeap` as the type of a value",
        ),
        (array, "Textures several;", "`Texture2D<float4>` as the type of a value"),
    ] {
        let (exit, said) = run(before, body);
        assert_eq!(exit, 1, "{said}");
        assert!(said.contains(":2:") && said.contains(&format!("error H0901: {what}")), "{said}");
    }
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
fn offsets_that_stay_unknown_are_refused() {
    let globals = "Texture2D<float4> t; SamplerState s; RWStructuredBuffer<float4> o; static int2 list[2] = { int2(1, 1), int2(2, 2) };";
    let run = |before: &str, offset: &str| {
        let sample = format!("o[0] += t.SampleLevel(s, 0.5, 0, {offset});");
        spirvc(
            "-T cs_6_0",
            &format!(
                "{globals} [numthreads(1, 1, 1)] void main(uint id : SV_GroupIndex) {{ {before} {sample} }}"
            ),
        )
    };
    let unroll = "[unroll] for (int i = 0; i < 2; i++)";
    assert_eq!(run(unroll, "list[i] + 1"), (0, String::new()));
    // The second is written by threads.
    for (before, offset) in
        [("", "int2(id, 0)"), ("list[id] = 3;", "list[0]"), ("for (int i = 0; i < 2; i++)", "int2(i, i)")]
    {
        let (exit, said) = run(before, offset);
        assert_eq!(exit, 1, "{before} {offset}");
        assert!(said.contains("error H0901: an offset that is known at run time only"), "{said}");
    }
}

#[test]
fn arrays_that_cannot_be_flattened_are_refused() {
    let flatten = |declaration: &str, body: &str| {
        let kernel =
            format!("{declaration};\n[numthreads(1, 1, 1)] void main(uint i : SV_GroupIndex) {{ {body} }}");
        spirvc("-spirv -T cs_6_0 -fspv-flatten-resource-arrays", &kernel)
    };
    let out = "RWStructuredBuffer<float4> o; Texture2D<float4> t";
    assert_eq!(flatten(&format!("{out}[3]"), "o[0] = t[i][uint2(0, 0)];").0, 0);
    let (exit, said) = flatten(&format!("{out}[65]"), "o[0] = t[i][uint2(0, 0)];");
    assert_eq!(exit, 1);
    assert!(said.contains("too many resources to choose from at run time"), "{said}");
}

#[test]
fn the_vulkan_memory_model_needs_a_version_that_has_it() {
    let source = "RWStructuredBuffer<float> o; [numthreads(1, 1, 1)] void main() { o[0] = o[1]; }";
    let refused = spirvc("-T cs_6_0 -fspv-use-vulkan-memory-model -fspv-target-env=vulkan1.0", source);
    assert!(refused.0 == 1 && refused.1.contains("does not have SPIR-V 1.3"), "{}", refused.1);
    let taken = spirvc("-T cs_6_0 -fspv-use-vulkan-memory-model -fspv-target-env=vulkan1.1", source);
    assert_eq!(taken, (0, String::new()));
}

#[test]
fn derivatives_need_whole_quads() {
    let run = |threads: u32| {
        let source = format!(
            "RWStructuredBuffer<float> o; [numthreads({threads}, 1, 1)] void main(uint i : SV_GroupIndex) {{ o[i] = ddx(i * 2.0); }}"
        );
        spirvc("-T cs_6_6 -fspv-target-env=vulkan1.1", &source)
    };
    let (exit, said) = run(6);
    assert_eq!(exit, 1);
    assert!(said.contains("H0703") && said.contains("no multiple of 4"), "{said}");
    assert_eq!(run(8), (0, String::new()));
}

#[test]
fn calls_that_nest_too_deeply_when_written_out_are_refused() {
    let body = "for (int i = 0; i < x; i++) { if (i == 3) { for (int j = 0; j < x; j++) { r += f";
    let functions: String = (1..200)
        .map(|n| format!("int f{n}(int x) {{ int r = 0; {body}{}(j); }} }} }} return r; }}\n", n - 1))
        .collect();
    let source = format!(
        "RWStructuredBuffer<int> o; int f0(int x) {{ return x; }}\n{functions}[numthreads(1, 1, 1)] void main() {{ o[0] = f199(o[1]); }}"
    );
    let (exit, said) = spirvc("-T cs_6_6", &source);
    assert_eq!(exit, 1);
    assert!(said.contains("H0902") && !said.contains("H0999"), "{}", &said[..said.len().min(500)]);
}

#[test]
fn copies_of_huge_structures_are_refused_but_within_memory() {
    let source = |body: &str| {
        format!(
            "struct S {{ float a[512][512]; }}; RWStructuredBuffer<S> r; RWByteAddressBuffer b;\n\
             [numthreads(1, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {{ {body} }}"
        )
    };
    for body in ["S v = r[id.x]; v.a[id.y][0] = 1; r[id.z] = v;", "r[id.x] = b.Load<S>(id.y);"] {
        let (exit, said) = spirvc("-T cs_6_6", &source(body));
        assert_eq!(exit, 1, "{body}");
        assert_eq!(said.matches("error H0902: more than 65536 parts").count(), 1, "{said}");
    }
    assert_eq!(spirvc("-T cs_6_6", &source("r[id.x] = r[id.y];")), (0, String::new()));
}

#[test]
fn groupshared_parameters_are_of_202x() {
    let source = "groupshared uint g[4]; groupshared int s; RWStructuredBuffer<uint> o;
void put(groupshared uint x) { x = 1; }
template <typename T> void both(groupshared T x) { x = 1; }
[numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) { put(g[i]); both(s); GroupMemoryBarrierWithGroupSync(); o[i] = g[0]; }";
    let (exit, said) = spirvc("-T cs_6_6 -HV 202x", source);
    assert_eq!((exit, said.contains("warning")), (0, false), "{said}");
    let (exit, said) = spirvc("-T cs_6_6", source);
    assert!(exit == 0 && said.contains("H0209") && said.contains("-Whlsl-groupshared-202x"), "{said}");
    let (exit, said) = spirvc("-T cs_6_6 -Werror=hlsl-groupshared-202x", source);
    assert_eq!(exit, 1, "{said}");
    // Only groupshared variables of exactly the type fit, and nothing copies there.
    for wrong in ["uint x; put(x);", "put(s);", "put((uint)s);", "put(o[i]);", "put(1);", "uint x; both(x);"]
    {
        let program = source.replace("put(g[i]);", wrong);
        let (exit, said) = spirvc("-T cs_6_6 -HV 202x", &program);
        assert!(exit == 1 && said.contains("H0501"), "{wrong}: {said}");
    }
    for (from, to) in
        [("groupshared uint x", "inout groupshared uint x"), ("void put", "[noinline] void put")]
    {
        let (exit, said) = spirvc("-T cs_6_6 -HV 202x", &source.replace(from, to));
        assert!(exit == 1 && said.contains("H0208"), "{to}: {said}");
    }
}

#[test]
fn the_suffix_f16_needs_16_bits() {
    let source = "RWStructuredBuffer<float> o; [numthreads(1, 1, 1)] void main() { o[0] = 1.5f16; }";
    let (exit, said) = spirvc("-T cs_6_2", source);
    assert!(exit == 1 && said.contains("H0004"), "{said}");
    assert_eq!(spirvc("-T cs_6_2 -enable-16bit-types", source).0, 0);
}

#[test]
fn what_newer_shader_models_have_can_be_let_be() {
    let source = "RWStructuredBuffer<uint> o;
[numthreads(64, 1, 1)] void main(uint i : SV_GroupIndex) { Barrier(UAV_MEMORY, GROUP_SYNC); o[i] = 1; }";
    assert_eq!(spirvc("-T cs_6_8", source), (0, String::new()));
    let (exit, said) = spirvc("-T cs_6_7", source);
    assert!(exit == 1 && said.contains("H0610"), "{said}");
    let (exit, said) = spirvc("-T cs_6_7 -Wno-error=hlsl-availability", source);
    assert!(exit == 0 && said.contains("warning") && said.contains("H0610"), "{said}");
    assert_eq!(spirvc("-T cs_6_7 -Wno-hlsl-availability", source), (0, String::new()));
    // A constant has its value all the same; it matters where the entry point gets.
    let source = "RWStructuredBuffer<uint> o; uint not_called() { return REORDER_SCOPE; }
[numthreads(64, 1, 1)] void main() { o[0] = RAY_FLAG_FORCE_OMM_2_STATE | RAY_FLAG_CULL_OPAQUE; }";
    assert_eq!(spirvc("-T cs_6_9", source), (0, String::new()));
    let (exit, said) = spirvc("-T cs_6_8", source);
    assert!(exit == 0 && said.matches("warning H0611").count() == 1, "{said}");
    assert!(said.contains("`RAY_FLAG_FORCE_OMM_2_STATE` came with shader model 6.9"), "{said}");
    assert_eq!(spirvc("-T cs_6_8 -Wno-hlsl-availability-constant", source), (0, String::new()));
}

#[test]
fn arrays_had_a_length_until_2016() {
    let source =
        "RWStructuredBuffer<uint> o; [numthreads(1, 1, 1)] void main() { uint a[3]; o[0] = a.Length; }";
    assert_eq!(spirvc("-T cs_6_0 -HV 2016", source).0, 0);
    assert!(spirvc("-T cs_6_0 -HV 2017", source).1.contains("H0304"));
}

#[test]
fn a_loop_variable_may_take_the_place_of_another_until_2018() {
    let source = "RWStructuredBuffer<uint> o; [numthreads(1, 1, 1)] void main() {
for (uint i = 0; i < 2; i++) o[i] = 1;
for (uint i = 0; i < 3; i++) o[i] = 2; }";
    let behind = source.replace("2; }", "2; o[4] = i; }");
    assert_eq!(spirvc("-T cs_6_0", source), (0, String::new()));
    let (exit, said) = spirvc("-T cs_6_0", &behind);
    assert!(exit == 1 && said.contains("error H0301: `i` belongs to a loop that has ended"), "{said}");
    for source in [source, &behind] {
        let (exit, said) = spirvc("-T cs_6_0 -HV 2018", source);
        assert!(exit == 0 && said.contains("3:11: warning H0424"), "{said}");
        assert_eq!(spirvc("-T cs_6_0 -HV 2018 -Wno-for-redefinition", source), (0, String::new()));
    }
    let again = source.replace("2; }", "2; uint i = 3; }");
    assert_eq!(spirvc("-T cs_6_0", &again), (0, String::new()));
    assert!(spirvc("-T cs_6_0 -HV 2018", &again).1.contains("error H0303"));
}

#[test]
fn bit_fields_came_with_2021() {
    let source = "struct S { uint a : 4; }; RWStructuredBuffer<S> o; [numthreads(1, 1, 1)] void main() { o[0].a = 1; }";
    assert_eq!(spirvc("-T cs_6_0", source), (0, String::new()));
    let (exit, said) = spirvc("-T cs_6_0 -HV 2018", source);
    assert!(exit == 1 && said.contains("1:21: error H0418"), "{said}");
}

/// Barriers in all kinds of control flow; those that not all threads reach have `BAD` behind them.
const BARRIERS: &str = "RWStructuredBuffer<uint> o; StructuredBuffer<uint> d; cbuffer C { uint n; };
groupshared uint s[64]; groupshared uint count;
void leaves(uint l) {
    if (l >= n) return;
    GroupMemoryBarrierWithGroupSync(); // BAD
}
uint mode() { if (n == 3) return 1; GroupMemoryBarrierWithGroupSync(); return 2; }
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID, uint l : SV_GroupIndex, uint3 t : SV_GroupThreadID, uint3 g : SV_GroupID) {
    s[l] = 0;
    if (l == 0) count = d[0];
    GroupMemoryBarrierWithGroupSync();
    if (count > 3 + mode()) GroupMemoryBarrierWithGroupSync();
    if ((g.x == n && n > 2) || g.y == 1) AllMemoryBarrierWithGroupSync();
    // The same for the group, however it is written.
    if (id.x / 64 == 2) GroupMemoryBarrierWithGroupSync();
    if (id.x >> 7 == 2) GroupMemoryBarrierWithGroupSync();
    if ((id.x & ~63u) == 128) GroupMemoryBarrierWithGroupSync();
    if (id.x - t.x == 128) GroupMemoryBarrierWithGroupSync();
    if (t.y == 0 && t.x < 64 && l <= 63) GroupMemoryBarrierWithGroupSync();
    for (uint i = g.x; i < n; i += 2) GroupMemoryBarrierWithGroupSync();
    for (uint j = 32; j > 0; j >>= 1) { if (l < j) s[l] += s[l + j]; GroupMemoryBarrierWithGroupSync(); }
    uint rounds = 0;
    while (true) { GroupMemoryBarrierWithGroupSync(); if (++rounds > n) break; if (l == 3) continue; s[l]++; }
    // What is read may be the same for all.
    if (WaveActiveSum(l) > 5) GroupMemoryBarrierWithGroupSync();
    if (s[l] == 3 || d[id.x] > 7) GroupMemoryBarrierWithGroupSync();
    if (s[l] == 77) return;
    GroupMemoryBarrierWithGroupSync();
    // By the thread.
    if (l < 32) GroupMemoryBarrierWithGroupSync(); // BAD
    if (id.x / 32 == n) GroupMemoryBarrierWithGroupSync(); // BAD
    for (uint k = l; k < n; k += 64) GroupMemoryBarrierWithGroupSync(); // BAD
    uint x = 0;
    if (t.x > 5) x = 1;
    if (x == 1) { s[l]++; if (n > 2) GroupMemoryBarrierWithGroupSync(); } // BAD
    leaves(l);
    GroupMemoryBarrierWithGroupSync();
    while (true) {
        GroupMemoryBarrierWithGroupSync(); // BAD
        if (rounds++ > l) break;
    }
    GroupMemoryBarrierWithGroupSync();
    for (uint m = 0; m < n; m++) {
        GroupMemoryBarrierWithGroupSync();
        if ((l ^ m) & 1) continue;
        GroupMemoryBarrierWithGroupSync(); // BAD
    }
    if (id.x >= n) return;
    GroupMemoryBarrierWithGroupSync(); // BAD
    o[id.x] = s[l];
}
";

#[test]
fn barriers_that_not_all_threads_reach_are_refused() {
    let bad: Vec<usize> =
        (1..).zip(BARRIERS.lines()).filter(|l| l.1.ends_with("// BAD")).map(|l| l.0).collect();
    let lines = |said: &str, severity: &str| -> Vec<usize> {
        let of_barrier =
            |l: &&str| l.contains(&format!(": {severity} H0718: not all threads of the group reach"));
        let number = |l: &str| l.split(':').nth(1).and_then(|n| n.parse().ok()).unwrap();
        said.lines().filter(of_barrier).map(number).collect()
    };
    let (exit, said) = spirvc("-T cs_6_0", BARRIERS);
    assert_eq!((exit, lines(&said, "error")), (1, bad.clone()), "{said}");
    assert!(
        said.contains("this depends on the thread") && said.contains("Config::divergent_barriers"),
        "{said}"
    );
    // A warning where asked for, and in the place of dxc, which says nothing.
    for args in ["-T cs_6_0 -Wno-error=divergent-barrier", "-T cs_6_0 -spirv -fspv-target-env=vulkan1.1"] {
        let (exit, said) = spirvc(args, BARRIERS);
        assert_eq!((exit, lines(&said, "warning")), (0, bad.clone()), "{args}: {said}");
    }
    assert_eq!(spirvc("-T cs_6_0 -Wno-divergent-barrier", BARRIERS), (0, String::new()));
    assert_eq!(
        spirvc("-T cs_6_0 -spirv -fspv-target-env=vulkan1.1 -Werror=divergent-barrier", BARRIERS).0,
        1
    );
    // Alone in its group a thread waits for nobody.
    let alone = BARRIERS.replace("numthreads(64, 1, 1)", "numthreads(1, 1, 1)");
    assert_eq!(spirvc("-T cs_6_0", &alone), (0, String::new()));
}

/// A folder of its own with some files.
struct Folder(std::path::PathBuf);

impl Folder {
    fn new(name: &str, files: &[(&str, &str)]) -> Folder {
        let dir = std::env::temp_dir().join(format!("spirvc-{name}-{}", std::process::id()));
        std::fs::create_dir_all(dir.join("inc")).unwrap();
        files.iter().for_each(|(name, text)| std::fs::write(dir.join(name), text).unwrap());
        Folder(dir)
    }

    /// Runs `spirvc` there: exit code, standard output and standard error.
    fn run(&self, args: &str) -> (i32, Vec<u8>, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_spirvc"))
            .current_dir(&self.0)
            .args(args.split_whitespace())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        (output.status.code().unwrap(), output.stdout, String::from_utf8(output.stderr).unwrap())
    }

    fn text(&self, args: &str) -> String {
        let (code, out, said) = self.run(args);
        assert_eq!(code, 0, "{args}: {said}");
        String::from_utf8(out).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const ADDS: &str = "#include \"inc/scale.hlsli\"
RWStructuredBuffer<float> o;
[numthreads(64, 1, 1)]
void main(uint id : SV_DispatchThreadID) { o[id] = o[id] * SCALE + o[id + 1]; }
";

fn adds(name: &str) -> Folder {
    Folder::new(name, &[("a.hlsl", ADDS), ("inc/scale.hlsli", "#define SCALE 3\n")])
}

#[test]
fn modules_go_to_files_or_to_standard_output() {
    let dir = adds("output");
    let listing = dir.text("-T cs_6_0 -E main a.hlsl");
    assert!(listing.starts_with("; SPIR-V\n") && listing.contains("OpEntryPoint GLCompute"), "{listing}");
    let (code, words, _) = dir.run("-T cs_6_0 a.hlsl -Fo -");
    assert!(code == 0 && words[..4] == 0x0723_0203u32.to_le_bytes(), "{words:?}");
    assert!(!dir.0.join("-").exists());
    assert_eq!(dir.text("-T cs_6_0 a.hlsl -Fo a.spv"), "");
    assert_eq!(std::fs::read(dir.0.join("a.spv")).unwrap(), words);
    assert_eq!(dir.text("-T cs_6_0 a.hlsl -Fc a.asm"), "");
    assert_eq!(std::fs::read_to_string(dir.0.join("a.asm")).unwrap(), listing);
}

#[test]
fn rules_for_make_name_what_was_read() {
    let dir = adds("make");
    assert_eq!(dir.text("-T cs_6_0 -M a.hlsl"), "a.hlsl: a.hlsl \\\n inc/scale.hlsli\n");
    assert_eq!(dir.text("-T cs_6_0 -MD a.hlsl -Fo out.spv"), "");
    let rule = "out.spv: a.hlsl \\\n inc/scale.hlsli\n";
    assert_eq!(std::fs::read_to_string(dir.0.join("out.d")).unwrap(), rule);
    assert!(dir.0.join("out.spv").exists());
    dir.text("-T cs_6_0 -MF rules a.hlsl -Fo out.spv");
    assert_eq!(std::fs::read_to_string(dir.0.join("rules")).unwrap(), rule);
    std::fs::remove_file(dir.0.join("inc/scale.hlsli")).unwrap();
    assert_eq!(dir.run("-T cs_6_0 -M a.hlsl").0, 1);
}

#[test]
fn arguments_may_stand_in_files_and_flags_behind_slashes() {
    let dir = adds("arguments");
    std::fs::write(dir.0.join("args"), "/T cs_6_2\n-E 'main' \"-DX=1 + 1\"").unwrap();
    assert!(dir.text("@args a.hlsl").starts_with("; SPIR-V"));
    assert_eq!(dir.text("@args a.hlsl /Fo a.spv"), "");
    // A path is one, whatever flag it begins like.
    let path = dir.0.join("a.hlsl").to_string_lossy().into_owned();
    assert!(dir.text(&format!("/T cs_6_0 {path}")).starts_with("; SPIR-V"));
    let (code, _, said) = dir.run("@none a.hlsl");
    assert!(code == 2 && said.contains("cannot read the arguments in `none`"), "{said}");
    assert!(dir.text("-h").starts_with("usage: spirvc"));
}

#[test]
fn profiles_of_older_shader_models_are_promoted() {
    for profile in ["cs_5_0", "cs_5_1", "cs_4_0"] {
        let (exit, said) = spirvc(&format!("-T {profile} -no-warnings"), WARNS);
        assert_eq!((exit, said.as_str()), (0, ""), "{profile}");
        let (exit, said) = spirvc(&format!("-T {profile}"), WARNS);
        assert!(exit == 0 && said.contains("promoting older shader model profile"), "{said}");
        assert_eq!(spirvc(&format!("-T {profile} -Wno-everything"), WARNS), (0, String::new()));
    }
}

#[test]
fn contraction_can_be_switched_off_for_the_cpu_too() {
    let dir = adds("contract");
    let exact = dir.text("-T cs_6_0 a.hlsl --emit rust -ffp-contract=off");
    let loose = dir.text("-T cs_6_0 a.hlsl --emit rust");
    assert_ne!(exact, loose);
    assert_eq!(exact, dir.text("-T cs_6_0 a.hlsl --emit rust -Gis"));
    assert_eq!(loose, dir.text("-T cs_6_0 a.hlsl --emit rust -ffp-contract=off -ffp-contract=fast"));
    assert!(dir.text("-T cs_6_0 a.hlsl -ffp-contract=off").contains("NoContraction"));
}

#[test]
fn the_last_level_of_optimisation_counts() {
    let dir = adds("levels");
    let [none, full] = ["-O0", "-O3"].map(|level| dir.text(&format!("-T cs_6_0 a.hlsl {level}")));
    assert_ne!(none, full);
    assert_eq!(dir.text("-T cs_6_0 a.hlsl -O0 -O3"), full);
    assert_eq!(dir.text("-T cs_6_0 a.hlsl -O1"), full);
    assert_eq!(dir.text("-T cs_6_0 a.hlsl -O3 -Od"), none);
}

#[test]
fn flags_that_llvm_ir_would_ignore_are_refused() {
    let dir = Folder::new("ir", &[("k.ll", "")]);
    for flags in ["-O0", "-Zi", "-fspv-debug=line", "-fspv-reflect", "-fvk-u-shift 1 0", "-fvk-use-gl-layout"]
    {
        let (code, _, said) = dir.run(&format!("k.ll {flags}"));
        let name = flags.split([' ', '=']).next().unwrap();
        assert!(code == 2 && said.contains(&format!("`{name}` means nothing for LLVM IR")), "{said}");
    }
}

#[test]
fn quiet_warnings_have_their_names() {
    let kernel = "RWStructuredBuffer<float> o;
static float unused(float x) { return x; }
[numthreads(1, 1, 1)]
void main(uint id : SV_DispatchThreadID) {
    float some, none; int extra; uint rounds = id;
    if (id > 3) some = 1;
    for (int i = 0; i < rounds; i++) none = 2;
    int whole = o[0];
    o[0] = some + none + whole;
}
";
    assert_eq!(spirvc("-T cs_6_0", kernel), (0, String::new()));
    let all = spirvc("-T cs_6_0 -Weverything", kernel).1;
    for (name, place, message) in [
        ("sometimes-uninitialized", "9:12", "variable `some` may have no value here"),
        ("conditional-uninitialized", "9:19", "variable `none` may have no value here"),
        ("sign-compare", "7:21", "`int` is compared with `uint`"),
        ("float-conversion", "8:17", "`float` loses its fraction as `int`"),
        ("unused-variable", "5:27", "variable `extra` is never used"),
        ("unused-function", "2:14", "function `unused` is never called"),
    ] {
        let wanted = format!("<stdin>:{place}: warning ");
        let (code, said) = spirvc(&format!("-T cs_6_0 -W{name}"), kernel);
        for said in [&said, &all] {
            assert!(code == 0 && said.contains(&wanted) && said.contains(message), "{name}: {said}");
            assert!(said.contains(&format!("[-W{name}]")), "{name}: {said}");
        }
        let (code, said) = spirvc(&format!("-T cs_6_0 -Werror={name}"), kernel);
        assert!(code == 1 && said.contains(&format!("[-Werror,-W{name}]")), "{name}: {said}");
        let (_, said) = spirvc(&format!("-T cs_6_0 -Weverything -Wno-{name}"), kernel);
        assert!(!said.contains(message), "{name}: {said}");
    }
    assert_eq!(spirvc("-T cs_6_0 -WX", kernel), (0, String::new()));
    // As with clang, these two are asked for by name.
    let (_, said) = spirvc("-T cs_6_0 -Wall", kernel);
    assert!(said.contains("unused-variable") && !said.contains("loses its fraction"), "{said}");
    assert!(spirvc("-T cs_6_0 -Wconversion", kernel).1.contains("loses its fraction"));
}

#[test]
fn each_finding_is_printed_once() {
    let (_, said) = spirvc("-T cs_6_0", WARNS);
    for message in ["is truncated to", "is compared as unsigned"] {
        assert_eq!(said.matches(message).count(), 1, "{said}");
    }
    let (_, said) = spirvc("-T cs_6_0", "[numthreads(1, 1, 1)] void main() { unknown; }");
    assert_eq!(said.matches("is not declared").count(), 1, "{said}");
    assert!(said.starts_with("<stdin>:1:37: error H0301: `unknown` is not declared\n"), "{said}");
}
