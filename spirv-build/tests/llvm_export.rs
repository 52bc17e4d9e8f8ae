//! The dialect's text to LLVM IR.
//!
//! `llvm_export/*.spirv` are modules with a function for each row of the tables of MLIR's conversion manual and for each
//! thing beyond them; what they become is compared with the `.expect` file beside it (`UPDATE_EXPECT=1` rewrites). That
//! the rows say what the manual says is written down once more in [`MANUAL`], which nothing rewrites.

mod common;

use common::check_expected;
use spirv_build::ir::{parse, verify};
use spirv_build::llvm::export::Flavor;
use spirv_build::pipeline::llvm_text;
use std::path::{Path, PathBuf};

fn cases() -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/llvm_export");
    let all = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path());
    let mut list: Vec<PathBuf> = all.filter(|p| p.extension().is_some_and(|e| e == "spirv")).collect();
    list.sort();
    assert!(list.len() > 10, "the cases are gone");
    list
}

fn exported(path: &Path, text: &str) -> String {
    let module = parse::parse(text).unwrap_or_else(|e| panic!("{}:{e}", path.display()));
    assert_eq!(verify::verify(&module), [], "{}", path.display());
    llvm_text(&module, Flavor::Host).unwrap_or_else(|e| panic!("{}: {e:?}", path.display()))
}

#[test]
fn modules_give_the_expected_text() {
    let mut failures = Vec::new();
    for path in cases() {
        let actual = exported(&path, &std::fs::read_to_string(&path).unwrap());
        check_expected(&path.with_extension("expect"), &actual, &mut failures);
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn kernels_give_the_expected_spir64_text() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/llvm_export/spir64");
    let module = parse::parse(&std::fs::read_to_string(dir.join("kernel.spirv")).unwrap()).unwrap();
    let actual = llvm_text(&module, Flavor::Spir64).unwrap();
    let mut failures = Vec::new();
    check_expected(&dir.join("kernel.expect"), &actual, &mut failures);
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The rows of the manual's tables: file, function, what it must contain.
const MANUAL: &[(&str, &str, &[&str])] = &[
    // Scalar, vector, pointer, array and struct types.
    ("types", "i_bitwidth_8", &["i8 @i_bitwidth_8(i8 %a)"]),
    ("types", "i_bitwidth_16", &["i16 @i_bitwidth_16(i16 %a)"]),
    ("types", "i_bitwidth_32", &["i32 @i_bitwidth_32(i32 %a)"]),
    ("types", "i_bitwidth_64", &["i64 @i_bitwidth_64(i64 %a)"]),
    ("types", "si_bitwidth", &["i32 @si_bitwidth(i32 %a)"]),
    ("types", "ui_bitwidth", &["i32 @ui_bitwidth(i32 %a)"]),
    ("types", "f16", &["half @f16(half %a)"]),
    ("types", "f32", &["float @f32(float %a)"]),
    ("types", "f64", &["double @f64(double %a)"]),
    ("types", "vector", &["(<4 x float> %a)"]),
    ("types", "pointer", &["(ptr %a)"]),
    ("types", "array", &["([4 x <4 x float>] %a)"]),
    ("types", "runtime_array", &["getelementptr [0 x float], ptr %p, i64 0, i64"]),
    ("types", "struct_without_offsets", &["(<{ i8, i32 }> %a)"]),
    ("types", "variable_of_struct", &["alloca <{ i8, i32 }>"]),
    ("types", "struct_with_natural_offsets", &["({ i8, i32 } %a)"]),
    // Arithmetic.
    ("arithmetic", "FAdd", &["fadd float"]),
    ("arithmetic", "FDiv", &["fdiv float"]),
    ("arithmetic", "FNegate", &["fneg double"]),
    ("arithmetic", "FMul", &["fmul float"]),
    ("arithmetic", "FRem", &["frem float"]),
    ("arithmetic", "FSub", &["fsub float"]),
    ("arithmetic", "IAdd", &["add i32"]),
    ("arithmetic", "IMul", &["mul i32"]),
    ("arithmetic", "ISub", &["sub i32"]),
    ("arithmetic", "SDiv", &["sdiv i32"]),
    ("arithmetic", "SRem", &["srem i32"]),
    ("arithmetic", "UDiv", &["udiv i32"]),
    ("arithmetic", "UMod", &["urem i32"]),
    // Bitwise. The sequences of the bit fields differ from the manual's where those are wrong: counts of 0 and of all bits.
    ("bitwise", "BitwiseAnd", &["and i32"]),
    ("bitwise", "BitwiseOr", &["or i32"]),
    ("bitwise", "BitwiseXor", &["xor i32"]),
    ("bitwise", "BitCount", &["call i32 @llvm.ctpop.i32"]),
    ("bitwise", "BitReverse", &["call i32 @llvm.bitreverse.i32"]),
    ("bitwise", "Not", &["xor i32 %a, -1"]),
    ("bitwise", "BitFieldInsert_i32", &["lshr i32 -1", "shl i32", "xor i32", "and i32 %base", "or i32"]),
    ("bitwise", "BitFieldInsert_i8", &["shufflevector <2 x i8>", "zext <2 x i8>"]),
    ("bitwise", "BitFieldSExtract_i32", &["sub i32 32, %count", "shl i32 %base", "ashr i32"]),
    ("bitwise", "BitFieldUExtract_i32", &["lshr i32 %base, %offset", "and i32"]),
    // Casts.
    ("casts", "ConvertFToS", &["fptosi float %a to i32"]),
    ("casts", "ConvertFToU", &["fptoui float %a to i32"]),
    ("casts", "ConvertSToF", &["sitofp i32 %a to float"]),
    ("casts", "ConvertUToF", &["uitofp i32 %a to float"]),
    ("casts", "Bitcast", &["bitcast float %a to i32"]),
    ("casts", "Bitcast_of_pointer", &["ret ptr %a"]),
    ("casts", "FConvert_wider", &["fpext float %a to double"]),
    ("casts", "FConvert_narrower", &["fptrunc double %a to float"]),
    ("casts", "SConvert_wider", &["sext i16 %a to i64"]),
    ("casts", "SConvert_narrower", &["trunc i64 %a to i16"]),
    ("casts", "UConvert_wider", &["zext i16 %a to i64"]),
    ("casts", "UConvert_narrower", &["trunc i64 %a to i16"]),
    // Comparisons.
    ("comparisons", "IEqual", &["icmp eq i32"]),
    ("comparisons", "INotEqual", &["icmp ne i32"]),
    ("comparisons", "FOrdEqual", &["fcmp oeq float"]),
    ("comparisons", "FOrdGreaterThan", &["fcmp ogt float"]),
    ("comparisons", "FOrdGreaterThanEqual", &["fcmp oge float"]),
    ("comparisons", "FOrdLessThan", &["fcmp olt float"]),
    ("comparisons", "FOrdLessThanEqual", &["fcmp ole float"]),
    ("comparisons", "FOrdNotEqual", &["fcmp one float"]),
    ("comparisons", "FUnordEqual", &["fcmp ueq float"]),
    ("comparisons", "FUnordGreaterThan", &["fcmp ugt float"]),
    ("comparisons", "FUnordGreaterThanEqual", &["fcmp uge float"]),
    ("comparisons", "FUnordLessThan", &["fcmp ult float"]),
    ("comparisons", "FUnordLessThanEqual", &["fcmp ule float"]),
    ("comparisons", "FUnordNotEqual", &["fcmp une float"]),
    ("comparisons", "SGreaterThan", &["icmp sgt i32"]),
    ("comparisons", "SGreaterThanEqual", &["icmp sge i32"]),
    ("comparisons", "SLessThan", &["icmp slt i32"]),
    ("comparisons", "SLessThanEqual", &["icmp sle i32"]),
    ("comparisons", "UGreaterThan", &["icmp ugt i32"]),
    ("comparisons", "UGreaterThanEqual", &["icmp uge i32"]),
    ("comparisons", "ULessThan", &["icmp ult i32"]),
    ("comparisons", "ULessThanEqual", &["icmp ule i32"]),
    // Logic and the rest.
    ("logic", "LogicalAnd", &["and i1"]),
    ("logic", "LogicalOr", &["or i1"]),
    ("logic", "LogicalEqual", &["icmp eq i1"]),
    ("logic", "LogicalNotEqual", &["icmp ne i1"]),
    ("logic", "LogicalNot", &["xor i1 %a, true"]),
    ("logic", "Select", &["select i1 %c, float %a, float %b"]),
    ("logic", "Undef", &["ret float undef"]),
    // Shifts.
    ("shifts", "ShiftLeftLogical", &["shl i32 %a, %b"]),
    ("shifts", "ShiftRightLogical", &["lshr i32 %a, %b"]),
    ("shifts", "ShiftRightArithmetic", &["ashr i32 %a, %b"]),
    ("shifts", "by_narrower_signed", &["sext i16 %b to i32", "ashr i32 %a, %v0"]),
    ("shifts", "by_narrower_unsigned", &["zext i16 %b to i32"]),
    // Constants.
    ("constants", "i8", &["ret i8 0"]),
    ("constants", "vector", &["<i32 2, i32 3, i32 4>"]),
    ("constants", "signed", &["ret i8 -1"]),
    ("constants", "unsigned", &["ret i8 -1"]),
    // GLSL.
    ("glsl", "Ceil", &["@llvm.ceil.f32"]),
    ("glsl", "Cos", &["@llvm.cos.f32"]),
    ("glsl", "Exp", &["@llvm.exp.f32"]),
    ("glsl", "FAbs", &["@llvm.fabs.f32"]),
    ("glsl", "Floor", &["@llvm.floor.f32"]),
    ("glsl", "FMax", &["@llvm.maxnum.f32"]),
    ("glsl", "FMin", &["@llvm.minnum.f32"]),
    ("glsl", "Log", &["@llvm.log.f32"]),
    ("glsl", "Sin", &["@llvm.sin.f32"]),
    ("glsl", "Sqrt", &["@llvm.sqrt.f32"]),
    ("glsl", "Tan", &["@llvm.sin.f32", "@llvm.cos.f32", "fdiv float %v0, %v1"]),
    // Functions.
    ("functions", "None", &["@None(i32 %a) {"]),
    ("functions", "Inline", &["@Inline() alwaysinline {"]),
    ("functions", "DontInline", &["@DontInline() noinline {"]),
    ("functions", "Pure", &["@Pure() memory(read) {"]),
    ("functions", "Const", &["@Const() memory(none) {"]),
    ("functions", "FunctionCall", &["call void @Inline()", "= call i32 @None(i32 %a)"]),
    ("functions", "Return", &["ret void"]),
    ("functions", "ReturnValue", &["ret float %a"]),
    // What the manual lists as not implemented.
    ("atomics", "AtomicIAdd", &["atomicrmw add ptr %p, i32 %x monotonic"]),
    ("composites", "MatrixTimesVector", &["fmul <3 x float>", "fadd <3 x float>"]),
    ("glsl", "FindUMsb", &["@llvm.ctlz.i32"]),
    ("atomics", "GroupNonUniformIAdd", &["call i32 @__spirv_GroupNonUniformIAdd"]),
    ("atomics", "SubgroupBallotKHR", &["call void @__spirv_SubgroupBallotKHR_v4i32_i1(ptr %result, i8 %v0)"]),
    ("memory", "AccessChain_natural", &["getelementptr <{ i8, [4 x float] }>, ptr %p, i64 0, i32 1, i64"]),
    ("memory", "AccessChain_with_layout", &["mul i64 %v0, 32", "getelementptr i8"]),
    ("entry", "helper", &["ptr %g.numbers", "ptr %spirv.invocation"]),
    ("control", "Branch", &["br label", "phi i32"]),
    ("control", "BranchConditional", &["br i1 %c"]),
    ("composites", "CompositeConstruct_struct", &["insertvalue"]),
    ("composites", "CompositeExtract", &["extractvalue", "extractelement"]),
    ("composites", "CompositeInsert", &["insertelement", "insertvalue"]),
    ("atomics", "ControlBarrier", &["call void @_Z22__spirv_ControlBarrieriii(i32 1, i32 1, i32 72)"]),
    ("memory", "CopyMemory", &["load i32, ptr %q", "store i32"]),
    (
        "entry",
        "main",
        &["define void @main(ptr %g.numbers, i64 %g.numbers.bytes, ptr %g.limits, ptr %g.many,"],
    ),
    ("arithmetic", "FMod", &["frem float", "fadd float", "select"]),
    ("memory", "Private", &["load float"]),
    ("memory", "Load", &["load float, ptr %p"]),
    ("control", "loop", &["phi i32", "br label %loop"]),
    ("atomics", "MemoryBarrier", &["fence acq_rel"]),
    ("control", "selection", &["br i1 %c", "phi i32"]),
    ("arithmetic", "SMod", &["srem i32", "add i32", "select"]),
    ("constants", "spec", &["load i32, ptr @__spv__spec_3"]),
    ("memory", "Store", &["store float %x, ptr %p"]),
    ("memory", "Variable", &["alloca i32", "alloca [4 x i32]"]),
    ("functions", "Unreachable", &["unreachable"]),
];

/// The text of one function.
fn function<'a>(text: &'a str, name: &str) -> &'a str {
    let head = format!(" @{name}(");
    let is = |at: &usize| text[*at..].lines().next().is_some_and(|l| l.contains(&head));
    let start = text.match_indices("define").map(|m| m.0).find(is);
    let start = start.unwrap_or_else(|| panic!("there is no function {name}"));
    &text[start..start + text[start..].find("\n}").unwrap()]
}

#[test]
fn rows_are_those_of_the_manual() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/llvm_export");
    let mut last = ("", String::new());
    let mut failures = Vec::new();
    for (file, name, parts) in MANUAL {
        if last.0 != *file {
            let path = dir.join(format!("{file}.spirv"));
            last = (file, exported(&path, &std::fs::read_to_string(&path).unwrap()));
        }
        let text = function(&last.1, name);
        failures
            .extend(parts.iter().filter(|p| !text.contains(**p)).map(|p| format!("`{p}` is not in\n{text}")));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The rows that are about modules, not about functions: `GlobalVariable`, `EntryPoint`, `ExecutionMode`, `_reference_of`.
#[test]
fn module_scope_is_that_of_the_manual() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/llvm_export");
    let text = |file: &str| {
        let path = dir.join(file);
        exported(&path, &std::fs::read_to_string(&path).unwrap())
    };
    let entry = text("entry.spirv");
    assert!(entry.contains(
        "@__spv__main_execution_mode_info_17 = constant { i32, [3 x i32] } { i32 17, [3 x i32] [i32 8, i32 4, i32 1] }"
    ));
    // Two variables of a group, the second at the next multiple of 64.
    assert!(entry.contains("@__spv__main_group_bytes = constant i64 68"));
    let memory = text("memory.spirv");
    assert!(memory.contains("@table = internal constant [2 x float]"));
    assert!(!memory.contains("@counter"), "what an invocation writes is no global");
    let constants = text("constants.spirv");
    assert!(constants.contains("@__spv__spec_3 = weak global i32 7, align 4"));
}

#[test]
fn what_has_no_form_is_named() {
    let refused = |body: &str| {
        let text = format!(
            "spirv.module Logical GLSL450 {{\n  spirv.func @f(%a : f32) \"None\" {{\n{body}\n    spirv.Return\n  }}\n}}\n"
        );
        let module = parse::parse(&text).unwrap_or_else(|e| panic!("{e}"));
        llvm_text(&module, Flavor::Host).unwrap_err().into_iter().map(|r| r.text).collect::<Vec<_>>()
    };
    assert_eq!(refused("    spirv.SetMeshOutputsEXT %a, %a"), ["the operation `SetMeshOutputsEXT`"]);
    assert_eq!(refused("    %0 = spirv.GL.InterpolateAtCentroid %a : f32"), ["`EvaluateAttributeCentroid`"]);
    assert_eq!(refused("    %0 = spirv.QuantizeToF16 %a : f32"), ["the operation `QuantizeToF16`"]);
}
