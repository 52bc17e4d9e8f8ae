//! The dialect's text: what is printed can be read back and gives the same text; what is no such text is an error with a
//! place, whatever it is.

mod common;

use common::cases;
use common::changes::{Numbers, tokens};
use spirv_build::abi;
use spirv_build::diag::Diagnostics;
use spirv_build::hlsl::{self, FileIncludes, lower};
use spirv_build::ir::{Module, normal_form, parse, print, verify};
use spirv_build::llvm::export::{Flavor, export};
use spirv_build::pipeline;
use spirv_build::source::SourceMap;
use spirv_build::spv;
use spirv_build::stack::on_large_stack;
use spirv_build::target::TargetEnv;
use std::path::Path;

/// What a case becomes on its way: lowered, optimised, for Vulkan, for kernels.
fn modules(path: &Path) -> Vec<Module> {
    let text = std::fs::read_to_string(path).unwrap();
    let hlsl = cases::options(path, &text);
    on_large_stack(|| {
        let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
        let name = path.to_string_lossy();
        let hir = hlsl::compile_to_hir(&name, &text, &hlsl, &FileIncludes, &mut sources, &mut diagnostics);
        let Some(hir) = hir else { return Vec::new() };
        let Some(lowered) = pipeline::lower_hir(&hir, &lower::Options::default(), &mut diagnostics) else {
            return Vec::new();
        };
        let passes = cases::passes(path, &text);
        let Some(optimized) = passes.optimize(false, lowered.clone(), &mut diagnostics) else {
            return vec![lowered];
        };
        let mut vulkan = optimized.clone();
        let options = abi::vulkan::VulkanOptions { dxc_numbers: true, ..Default::default() };
        abi::vulkan::run(&mut vulkan, &options);
        let mut all = vec![lowered, optimized.clone(), vulkan];
        all.extend(abi::kernel::run(&optimized, Default::default()).ok().map(|k| k.module));
        all
    })
}

/// Whether two modules are equal in all that a text can have; if not, it is told where.
fn same(a: &Module, b: &Module) -> bool {
    let (a, b) = (normal_form(a), normal_form(b));
    for ((_, a), (_, b)) in a.functions.iter().zip(b.functions.iter()) {
        for ((_, x), (_, y)) in a.insts.iter().zip(b.insts.iter()).filter(|(x, y)| x != y).take(3) {
            eprintln!("in {}:\n{x:?}\n{y:?}", a.name);
        }
    }
    for ((_, a), (_, b)) in a.globals.iter().zip(b.globals.iter()).filter(|(a, b)| a != b) {
        eprintln!("{a:?}\n{b:?}");
    }
    a == b
}

fn there_and_back(name: &str, module: &Module) -> String {
    let text = print::print(module);
    let read = match parse::parse(&text) {
        Ok(read) => read,
        Err(e) => panic!("{name}: {e}\n{}", text.lines().nth(e.line as usize - 1).unwrap_or_default()),
    };
    let again = print::print(&read);
    if let Some((a, b)) = text.lines().zip(again.lines()).find(|(a, b)| a != b) {
        panic!("{name}: not the same text:\n{a}\n{b}");
    }
    assert_eq!(text, again, "{name}");
    assert_eq!(verify::verify(&read), [], "{name}");
    assert!(same(module, &read), "{name}: other facts than in its text");
    text
}

#[test]
fn what_is_printed_reads_back() {
    let mut count = 0;
    for path in cases::all() {
        for module in modules(&path) {
            there_and_back(&path.to_string_lossy(), &module);
            count += 1;
        }
    }
    assert!(count > 100, "only {count} modules");
}

#[cfg(any(feature = "llvm19-1", feature = "llvm22-1"))]
#[test]
fn imported_modules_read_back() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/llvm");
    let mut count = 0;
    for path in std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()) {
        if path.extension().is_none_or(|e| e != "ll") {
            continue;
        }
        let name = path.to_string_lossy();
        let Ok(module) = spirv_build::llvm::import(&name, &std::fs::read(&path).unwrap()) else { continue };
        there_and_back(&name, &module);
        count += 1;
    }
    assert!(count > 1);
}

#[test]
fn what_differs_has_another_normal_form() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/spirv/buffers.hlsl");
    let module = &modules(&path)[0];
    assert!(same(module, &module.clone()));
    let changes: &[fn(&mut Module)] = &[
        |m| m.strings.push("x".into()),
        |m| m.globals.iter_mut().next().unwrap().1.decorations.mark(spirv_spec::Decoration::Restrict),
        |m| {
            m.globals
                .iter_mut()
                .find_map(|(_, g)| g.interface.as_mut())
                .unwrap()
                .hlsl
                .get_or_insert_default()
                .compares ^= true
        },
        |m| m.globals.iter_mut().find_map(|(_, g)| g.interface.as_mut()).unwrap().declared = None,
        |m| m.functions.iter_mut().next().unwrap().1.control ^= 1,
        |m| m.functions.iter_mut().for_each(|(_, f)| f.insts.iter_mut().for_each(|(_, i)| i.control.0 ^= 1)),
        |m| {
            m.functions.iter_mut().for_each(|(_, f)| f.insts.iter_mut().for_each(|(_, i)| i.operands.clear()))
        },
        |m| m.entry_points[0].local_size[0] += 1,
    ];
    for (i, change) in changes.iter().enumerate() {
        let mut other = module.clone();
        change(&mut other);
        assert!(normal_form(module) != normal_form(&other), "change {i}");
    }
    // Where things lie, and what nothing names, makes no difference.
    let mut moved = module.clone();
    moved.ctx.types.float(64);
    moved.functions.iter_mut().for_each(|(_, f)| f.span = Default::default());
    assert!(same(module, &moved));
}

/// Everything that the text can say, once.
const ALL: &str = include_str!("dialect_text/all.spirv");

#[test]
fn every_construct_reads_back() {
    let module = parse::parse(ALL).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(print::print(&module), ALL);
}

/// Names are for people, and people call things what they like.
#[test]
fn names_of_any_characters_read_back() {
    let text = "!\"a \\\"b\\\"\" = !spirv.struct<(\"x y\": i32 [0, spelled \"\\n\"]), Block>
!S = !spirv.struct<(f32)>
!S_0 = !spirv.struct<\"S\", (i32)>
spirv.module Logical GLSL450 {
  spirv.SpecConstant @\"n\\\\m\" spec_id(1) = 2 : i32 spelled \"uint\"
  spirv.GlobalVariable @\"r<é>\" bind(0, 0) {class = ConstantBuffer, spelled \"a \\\"b\\\"\"} : !spirv.ptr<!\"a \\\"b\\\"\", Uniform>
  spirv.GlobalVariable @r bind(0, 1) {class = Sampler, compares} : !spirv.ptr<!spirv.sampler, UniformConstant>
  spirv.GlobalVariable @r_0 name(\"r\") bind(0, 2) {class = Sampler, in_main} : !spirv.ptr<!spirv.sampler, UniformConstant>
  spirv.func @\"f::g()\"(%\"1 + 1\" : i32) \"None\" {
    %\"n\\\\m\" = spirv.mlir.referenceof @\"n\\\\m\" : i32
    %\"%\" = spirv.IAdd %\"1 + 1\", %\"n\\\\m\" : i32
    %\"a=b\" = written_out spirv.IAdd %\"%\", %\"%\" : i32
    spirv.Return
  }
  spirv.func @main() \"None\" {
    written_out spirv.Return
  }
  spirv.Decorate @\"r<é>\" {Restrict}
  spirv.EntryPoint \"GLCompute\" @main \"main\", @\"r<é>\" names [@\"r<é>\", @r_0] wave(8, 64, 32)
  spirv.ExecutionMode @main \"LocalSize\", 1, 1, 1
}
";
    let module = parse::parse(text).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(there_and_back("names", &module), text);
    let names: Vec<&str> = module.globals.iter().map(|(_, g)| g.name.as_str()).collect();
    assert_eq!(names, ["r<é>", "r", "r"]);
    assert_eq!(module.functions.iter().next().unwrap().1.name, "f::g()");
    assert_eq!(
        module.ctx.types.structure(module.globals.iter().next().unwrap().1.ty).unwrap().name,
        "a \"b\""
    );
}

/// Reads, judges and writes a module; the text of the binary, which the validator has accepted.
fn written(text: &str, env: &str, target: &TargetEnv) -> String {
    let module = parse::parse(text).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(print::print(&module), text);
    assert_eq!(verify::verify(&module), []);
    let words = spv::write(&module, target, spv::WriteOptions::default()).unwrap();
    let written = spv::disassemble(&words).unwrap();
    match common::validate(&words, env, &[]) {
        // Older validators do not know what is new.
        Some(Err(said)) if said.contains("Invalid capability operand") => eprintln!("skipped: {said}"),
        Some(Err(said)) => panic!("{said}\n{written}"),
        Some(Ok(())) => {}
        None => eprintln!("skipped: there is no spirv-val"),
    }
    written
}

#[test]
fn stages_of_graphics_are_held_and_written() {
    let text = include_str!("dialect_text/stages.spirv");
    let written = written(text, "vulkan1.1", &TargetEnv::default());
    for line in ["0 BuiltIn Position\n", "1 Flat\n", " Index 1\n", " NoPerspective\n", " DepthReplacing\n"] {
        assert!(written.contains(line), "no `{line}` in\n{written}");
    }
    // Passes leave what a stage passes on.
    let module = parse::parse(text).unwrap();
    let mut diagnostics = Diagnostics::new();
    let optimized = on_large_stack(|| pipeline::optimize(module, &mut diagnostics)).unwrap();
    assert_eq!(verify::verify(&optimized), []);
    assert_eq!(print::print(&optimized).matches("spirv.Store").count(), text.matches("spirv.Store").count());
}

#[test]
fn constants_are_specialised() {
    let text = include_str!("dialect_text/specialized.spirv");
    let written = written(text, "vulkan1.1", &TargetEnv::default());
    for line in [
        "= OpSpecConstantOp %2 IMul",
        "OpSpecConstantComposite",
        " SpecId 3\n",
        " SpecId 9\n",
        "\"is_large\"",
        "BuiltIn WorkgroupSize\n",
    ] {
        assert!(written.contains(line), "no `{line}` in\n{written}");
    }
    // One that nobody can choose is another than each of the same value.
    assert_eq!(written.matches("OpSpecConstant %").count(), 3, "{written}");
    // Where the program is not specialised once it is loaded, this is said.
    let module = parse::parse(text).unwrap();
    let refused = abi::kernel::run(&module, Default::default()).unwrap_err();
    assert!(refused[0].text.contains("computed when a program is specialised"), "{refused:?}");
    assert!(export(&module, Flavor::Host).is_err());
    let programs = spirv_build::cpu::programs(&module, &[3, 9], &[None]);
    assert!(matches!(&programs[0], Err(u) if u.text.contains("specialised")));
}

#[test]
fn floats_have_encodings() {
    let target = TargetEnv::preset("vulkan1.3").unwrap();
    let text = include_str!("dialect_text/encoded_floats.spirv");
    let written = written(text, "vulkan1.3", &target);
    for line in ["OpTypeFloat 16 BFloat16KHR", "OpTypeFloat 8 Float8E4M3EXT", "OpCapability BFloat16TypeKHR"]
    {
        assert!(written.contains(line), "no `{line}` in\n{written}");
    }
    let module = parse::parse(text).unwrap();
    assert!(abi::kernel::run(&module, Default::default()).is_err());
    assert!(export(&module, Flavor::Host).is_err());
    assert!(spirv_build::cpu::programs(&module, &[], &[None])[0].is_err());
    // Encodings that no table has, and with the wrong width.
    let odd = text.replace("f8E5M2", "f8_4300");
    assert_eq!(print::print(&parse::parse(&odd).unwrap()), odd);
    let wrong = parse::parse(&text.replace("f8E5M2", "f16_Float8E5M2EXT")).unwrap();
    assert!(!verify::verify(&wrong).is_empty());
}

#[test]
fn what_no_table_has_is_held() {
    let text = include_str!("dialect_text/unknown.spirv");
    let module = parse::parse(text).unwrap();
    there_and_back("unknown", &module);
    let mut diagnostics = Diagnostics::new();
    let optimized = on_large_stack(|| pipeline::optimize(module.clone(), &mut diagnostics)).unwrap();
    assert!(same(&module, &optimized), "{}", print::print(&optimized));
    let words = spv::write(&optimized, &TargetEnv::default(), spv::WriteOptions::default()).unwrap();
    let name: Vec<u32> = spirv_spec::string_words("Vendor.math").collect();
    assert!(words.windows(name.len()).any(|w| w == name));
    // Six words: a type, a result, an operand and a literal.
    assert!(words.windows(5).any(|w| w[0] == 5 << 16 | 60000 && w[4] == 5), "{words:?}");
    assert!(abi::kernel::run(&module, Default::default()).is_err());
    assert!(export(&module, Flavor::Host).is_err());
    assert!(spirv_build::cpu::programs(&module, &[], &[None])[0].is_err());
    let mut broken = module;
    broken.other_sets.clear();
    assert!(verify::verify(&broken).iter().any(|e| e.message == "an instruction is of an unknown set"));
}

#[test]
fn execution_modes_name_constants() {
    let target = TargetEnv::preset("vulkan1.3").unwrap();
    let written = written(include_str!("dialect_text/modes.spirv"), "vulkan1.3", &target);
    assert!(written.contains(" LocalSizeId "), "{written}");
}

#[test]
fn mistakes_have_a_place() {
    let wrap = |body: &str| {
        format!("spirv.module Logical GLSL450 {{\n  spirv.func @f() \"None\" {{\n{body}\n  }}\n}}\n")
    };
    let cases = [
        (String::new(), "1:1: expected `spirv.module`, not the end"),
        ("spirv.module Logical GLSL450 {".into(), "expected `}` or something"),
        ("spirv.module Logical Beta {}".into(), "1:22: `Beta` is no memory model"),
        (
            "!a = !spirv.struct<(i32 [0]), Block>\n!a = !spirv.struct<(i32)>".into(),
            "2:1: `!a` is defined twice",
        ),
        (wrap("    %a = spirv.IAdd %b, %b : i32\n    spirv.Return"), "3:21: `%b` is not defined"),
        (wrap("    %a = spirv.Undef : i32\n    %a = spirv.Undef : f32"), "4:5: `%a` is defined twice"),
        (wrap("    spirv.Frobnicate"), "3:5: there is no instruction `spirv.Frobnicate`"),
        (wrap("    %a = spirv.Constant 300 : i8"), "3:25: `300` is no value of the type"),
        (wrap("    %a = spirv.Constant [1] : vector<2xi8>"), "the type has 2 parts"),
        (wrap("    spirv.FunctionCall @g"), "3:24: there is no function `@g`"),
        (wrap("    spirv.Branch ^bb7"), "3:18: there is no such block"),
        (wrap("    %a = spirv.Load %a, <Sometimes> : i32"), "3:26: `Sometimes` is not known here"),
        (wrap("    %a = spirv.Undef : i33"), "3:24: `i33` is no type"),
        (wrap("    spirv.mlir.loop {"), "5:1: expected `continuing`"),
        (wrap("    spirv.ExtInst \"no"), "3:20: the string is never closed"),
        (wrap(&"spirv.mlir.loop {".repeat(100_000)), "nested more than"),
        (wrap(&format!("%a = spirv.Undef : {}", "!spirv.rtarray<".repeat(100_000))), "nested too deeply"),
        (wrap(&format!("%a = spirv.Constant {}", "[".repeat(100_000))), "nested too deeply"),
    ];
    let mut failures = Vec::new();
    for (text, wanted) in cases {
        let error = parse::parse(&text).unwrap_err().to_string();
        if !error.contains(wanted) {
            failures.push(format!("wanted `{wanted}`, got `{error}` for\n{text:.300}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn changed_texts_never_make_it_panic() {
    let rounds = std::env::var("ROUNDS").ok().and_then(|r| r.parse().ok()).unwrap_or(600);
    let texts: Vec<String> = ["groups.hlsl", "flow.hlsl", "images.hlsl"]
        .iter()
        .flat_map(|k| modules(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/kernels").join(k)))
        .map(|m| print::print(&m))
        .chain([ALL.to_string()])
        .collect();
    let pool: Vec<&str> =
        texts.iter().flat_map(|t| tokens(t, "_.")).filter(|t| !t.trim().is_empty()).collect();
    let mut numbers = Numbers(7);
    let mut read = 0;
    for _ in 0..rounds {
        let text = &texts[numbers.below(texts.len())];
        let mut list = tokens(text, "_.");
        for _ in 0..=numbers.below(3) {
            let at = numbers.below(list.len());
            match numbers.below(4) {
                0 => drop(list.remove(at)),
                1 => list.insert(at, pool[numbers.below(pool.len())]),
                2 => list.truncate(at.max(1)),
                _ => list[at] = pool[numbers.below(pool.len())],
            }
        }
        if let Ok(module) = parse::parse(&list.concat()) {
            read += 1;
            // Whatever was read can be judged and printed, and what is well-formed makes no back end panic.
            if verify::verify(&module).is_empty() {
                let _ = export(&module, Flavor::Host);
                let _ = export(&module, Flavor::Spir64);
            }
            let text = print::print(&module);
            assert!(parse::parse(&text).is_ok() || !verify::verify(&module).is_empty(), "{text}");
        }
    }
    assert!(read > 0, "no changed text was read");
}
