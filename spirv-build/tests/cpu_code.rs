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
    let programs = cpu::programs(&module).map_err(|errors| errors[0].1.clone())?;
    let isas = cpu::isas_for("x86_64");
    Ok(cpu::emit(&programs, &["k".to_string()], &isas).text)
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
            "AtomicFAddEXT",
        ),
    ] {
        let said = code(&text).expect_err(what);
        assert!(said.contains(what), "{said}");
    }
}

#[test]
fn images_without_a_form_are_refused() {
    for (declaration, statement, what) in [
        ("RWTexture2D<uint64_t> t;", "t[id.xy] = 5;", "64-bit texels"),
        ("Texture2DMS<float> t; RWBuffer<float> o;", "o[0] = t.Load(id.xy, 1);", "not two-dimensional"),
        ("Texture1D<float> t; RWStructuredBuffer<float> o;", "o[0] = t.Load(id.xy);", "not two-dimensional"),
    ] {
        let text = format!(
            "{declaration}\n[numthreads(1, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {{ {statement} }}\n"
        );
        let words = ["-T", "cs_6_6", "--emit", "rust", "k.hlsl"].map(String::from);
        let command = flags::parse(words).unwrap();
        let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
        let output: Option<Output> =
            on_large_stack(|| driver::compile("k.hlsl", &text, &command, &mut sources, &mut diagnostics));
        assert!(output.is_none(), "{declaration}");
        let said: Vec<String> = diagnostics.iter().map(|d| d.title().to_string()).collect();
        assert!(said.iter().any(|s| s.contains(what)), "{said:?}");
    }
}
