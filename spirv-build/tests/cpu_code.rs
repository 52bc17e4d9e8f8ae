//! What the CPU road makes of modules, and what it refuses: never code for something else than what is meant.

use spirv_build::cpu;
use spirv_build::diag::Diagnostics;
use spirv_build::driver::{self, Output, flags};
use spirv_build::ir::parse;
use spirv_build::source::SourceMap;
use spirv_build::stack::on_large_stack;

/// A kernel of these statements, in the dialect's text.
fn kernel(globals: &str, body: &str) -> String {
    format!(
        "spirv.module Logical GLSL450 {{
  {globals}
  spirv.func @main() \"None\" {{
    %one = spirv.Constant 1 : i32
    %none = spirv.Constant 0 : i32
    {body}
    spirv.Return
  }}
  spirv.EntryPoint \"GLCompute\" @main \"main\"
  spirv.ExecutionMode @main \"LocalSize\", 1, 1, 1
}}
"
    )
}

/// The Rust code of a module in the dialect's text, or what is not supported.
fn code(text: &str) -> Result<String, String> {
    let module = parse::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let programs =
        cpu::programs(&module, &[], &[]).into_iter().collect::<Result<Vec<_>, _>>().map_err(|e| e.text)?;
    let isas = cpu::isas_for("x86_64");
    Ok(cpu::emit(&programs, &["k".to_string()], &isas, &SourceMap::new()).text)
}

const SHARED: &str = "spirv.GlobalVariable @g : !spirv.ptr<TYPE, Workgroup>";

#[test]
fn atomics_are_what_they_are_called() {
    for (ty, op, call) in [
        ("i32", "%0 = spirv.AtomicIAdd %g, %one, %none, %one : i32", "atomic::<0, true,"),
        ("i32", "%0 = spirv.AtomicXor %g, %one, %none, %one : i32", "atomic::<4, true,"),
        ("i32", "%0 = spirv.AtomicLoad %g, %one, %none : i32", "atomic::<11, true,"),
        ("i32", "spirv.AtomicStore %g, %one, %none, %one", "atomic::<12, true,"),
        (
            "i32",
            "%0 = spirv.AtomicCompareExchange %g, %one, %none, %none, %one, %none : i32",
            "atomic::<10, true,",
        ),
        ("i64", "%0 = spirv.AtomicIIncrement %g, %one, %none : i64", "ls(1u64)"),
        ("i64", "%0 = spirv.AtomicIDecrement %g, %one, %none : i64", "atomic_wide::<1, true,"),
    ] {
        let shared = SHARED.replace("TYPE", ty);
        let body = format!("%g = spirv.mlir.addressof @g : !spirv.ptr<{ty}, Workgroup>\n    {op}");
        let code = code(&kernel(&shared, &body)).unwrap_or_else(|e| panic!("{op}: {e}"));
        assert!(code.contains(call), "{op}: `{call}` is not in the code");
    }
}

#[test]
fn atomics_without_a_form_are_refused() {
    let shared = |ty: &str, op: &str| {
        let body = format!("%g = spirv.mlir.addressof @g : !spirv.ptr<{ty}, Workgroup>\n    {op}");
        kernel(&SHARED.replace("TYPE", ty), &body)
    };
    let own = "%v = spirv.Variable : !spirv.ptr<i32, Function>
    %0 = spirv.AtomicIAdd %v, %one, %none, %one : i32";
    for (text, what) in [
        (kernel("", own), "a variable of one thread"),
        (
            shared("i16", "%h = spirv.Constant 1 : i16\n    spirv.AtomicStore %g, %one, %none, %h"),
            "an atomic operation on this type",
        ),
        (
            shared(
                "f32",
                "%f = spirv.Constant 1.0 : f32\n    %0 = spirv.AtomicFAddEXT %g, %one, %none, %f : f32",
            ),
            "an atomic sum of floats",
        ),
    ] {
        let said = code(&text).expect_err(what);
        assert!(said.contains(what), "{said}");
    }
}

#[test]
fn structures_of_structures_take_no_longer_than_their_parts() {
    let structures: String = (0..14)
        .map(|i| {
            format!("struct S{} {{ S{i} a; S{i} b; float get() {{ return a.get() + b.get(); }} }};\n", i + 1)
        })
        .collect();
    let text = format!(
        "RWStructuredBuffer<float> o;\nstruct S0 {{ float x; float get() {{ return x; }} }};\n{structures}\
         [numthreads(1, 1, 1)] void main() {{ S14 s = (S14)0; o[0] = s.get(); }}\n"
    );
    let start = std::time::Instant::now();
    let said = rust(&text).expect_err("so many values are too many");
    assert!(said.iter().any(|s| s.contains("this type or size")), "{said:?}");
    assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
}

#[test]
fn nested_cases_that_fall_through_end_in_a_diagnostic() {
    let nested = |n: usize| {
        let open = "switch (id % 7) { case 0: x++; break; case 1: x *= 2; default: ".repeat(n);
        format!(
            "RWStructuredBuffer<float> o;\n[numthreads(1, 1, 1)] void main(uint id : SV_DispatchThreadID) {{ \
             float x = o[id]; {open} x = 1; {} o[id] = x; }}\n",
            "}".repeat(n)
        )
    };
    rust(&nested(6)).expect("some are fine");
    let said = rust(&nested(40)).expect_err("they double with every switch");
    assert!(said.iter().any(|s| s.contains("too many cases fall through")), "{said:?}");
}

/// The Rust code of a kernel in HLSL, or the findings.
fn rust(text: &str) -> Result<Output, Vec<String>> {
    let words = ["-T", "cs_6_6", "--emit", "rust", "k.hlsl"].map(String::from);
    let command = flags::parse(words).unwrap();
    let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
    let output = on_large_stack(|| driver::compile("k.hlsl", text, &command, &mut sources, &mut diagnostics));
    output.ok_or_else(|| diagnostics.iter().map(|d| d.title().to_string()).collect())
}

#[test]
fn images_without_a_form_are_refused() {
    for (declaration, statement, what) in [
        ("RWTexture2D<uint64_t> t;", "t[id.xy] = 5;", "64-bit texels"),
        ("Texture2DMS<float> t; RWBuffer<float> o;", "o[0] = t.Load(id.xy, 1);", "a multisampled image"),
        (
            "[[vk::image_format(\"r32ui\")]] RWTexture2D<uint> t[2];",
            "InterlockedAdd(t[1][id.xy], 1);",
            "from an array",
        ),
        (
            "[[vk::image_format(\"r16ui\")]] RWTexture2D<uint> t;",
            "InterlockedAdd(t[id.xy], 1);",
            "not declared to be words",
        ),
        (
            "Texture2D<float> t; SamplerState s[2]; RWBuffer<float> o;",
            "o[0] = t.SampleLevel(s[id.x & 1], 0, 0);",
            "from an array",
        ),
    ] {
        let text = format!(
            "{declaration}\n[numthreads(1, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {{ {statement} }}\n"
        );
        let said = rust(&text).expect_err(declaration);
        assert!(said.iter().any(|s| s.contains(what)), "{said:?}");
    }
}

#[test]
fn loops_look_whether_the_launch_is_to_end_unless_they_are_short() {
    let looks = |head: &str, body: &str| {
        let text = format!(
            "RWStructuredBuffer<uint> o; cbuffer C {{ uint n; }};\n[numthreads(64, 1, 1)] void main(uint id : SV_DispatchThreadID) {{ \
             uint x = o[id]; {head} {{ x = x * 3 + o[x]; {body} }} o[id] = x; }}\n"
        );
        match rust(&text).unwrap_or_else(|e| panic!("{head}: {e:?}")) {
            Output::Text(code) => code.contains("rounds -= 1"),
            other => panic!("{other:?}"),
        }
    };
    for (head, body) in [
        ("for (uint i = 0; i < 16; i++)", ""),
        ("for (int i = 15; i >= 0; i--)", ""),
        ("for (int i = -4; i <= 4; ++i)", ""),
        ("for (uint i = 0; i != 32; i += 2)", ""),
        ("for (uint i = 0; 100 > i; i += 3)", "if (x > 5) continue; x++;"),
        ("for (uint i = n; i > 0; i >>= 1)", ""),
        ("for (uint i = 1; i < 256; i <<= 1)", ""),
        ("for (uint i = 0; i < 100; i++) for (uint j = 0; j < 100; j++)", ""),
        ("for (uint i = 0; i < 10; i++)", "if (x == 9) break;"),
    ] {
        assert!(!looks(head, body), "{head} {body}");
    }
    for (head, body) in [
        ("for (uint i = 0; i < n; i++)", ""),
        ("while (x != 7)", ""),
        ("for (uint i = 0; i < 1000000; i++)", ""),
        ("for (uint i = 0; i < 200; i++) for (uint j = 0; j < 200; j++)", ""),
        ("for (uint i = 0; i <= 0xffffffffu; i++)", ""),
        ("for (uint i = 15; i >= 0; i--)", ""),
        ("for (uint i = 1; i != 32; i += 2)", ""),
        ("for (uint i = 0; i < 16; i++)", "if (x == 9) i--;"),
        ("for (uint i = 0; i < 0xffffffffu; i <<= 1)", ""),
        ("for (uint i = 0; i < 16; i += n)", ""),
    ] {
        assert!(looks(head, body), "{head} {body}");
    }
}
