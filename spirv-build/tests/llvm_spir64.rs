//! Kernels as `spir64` LLVM IR: the importer reads back the module that was written.
#![cfg(any(feature = "llvm19-1", feature = "llvm22-1"))]

mod common;

use common::cases;
use spirv_build::abi;
use spirv_build::diag::Diagnostics;
use spirv_build::ir::{Const, ConstKind, Module, Operand, Type, TypeKind, Value, parse, print, verify};
use spirv_build::llvm;
use spirv_build::llvm::export::{Flavor, export};
use spirv_build::pipeline;
use spirv_build::target::TargetEnv;
use std::path::{Path, PathBuf};

/// Whether a constant is 0 in all its parts. LLVM has one constant for all of these.
fn is_zero(m: &Module, c: Const) -> bool {
    match m.ctx.consts.kind(c) {
        ConstKind::Bits(bits) => *bits == 0,
        ConstKind::Bool(b) => !b,
        ConstKind::Null => true,
        ConstKind::Composite(parts) => parts.iter().all(|p| is_zero(m, *p)),
        _ => false,
    }
}

/// The text of a module without what is for people, names of values and structs, and with one form of zero.
fn canonical(module: &Module) -> String {
    let mut m = module.clone();
    for (func, f) in module.functions.iter() {
        let zeros: Vec<(Value, Type)> = f
            .values
            .iter()
            .filter_map(|(v, d)| Some((v, d.ty, f.as_const(v)?)))
            .filter(|(_, ty, c)| {
                (!module.ctx.types.is_plain(*ty) || module.ctx.types.len_of(*ty) > 1) && is_zero(module, *c)
            })
            .map(|(v, ty, _)| (v, ty))
            .collect();
        for (v, ty) in zeros {
            let null = m.ctx.constant(ty, ConstKind::Null);
            let f = &mut m.functions[func];
            let null = f.const_value(null, ty);
            for (_, d) in f.insts.iter_mut() {
                d.operands.iter_mut().filter(|o| **o == Operand::Id(v)).for_each(|o| *o = Operand::Id(null));
                let passed = d.successors.iter_mut().flat_map(|s| s.args.iter_mut());
                passed.filter(|a| **a == v).for_each(|a| *a = null);
            }
        }
    }
    for (_, f) in m.functions.iter_mut() {
        f.values.iter_mut().for_each(|(_, v)| v.name = None);
    }
    let text = print::print(&m);
    // Aliases are printed for all structs, also those that nothing uses any more.
    let mut names: Vec<(String, String)> = Vec::new();
    let mut out = String::new();
    for line in text.lines() {
        if let Some((name, body)) = line.strip_prefix('!').and_then(|l| l.split_once(" = ")) {
            let mut body = body.to_string();
            names.iter().for_each(|(n, b)| body = body.replace(&format!("!{n}"), b));
            names.push((name.to_string(), body));
        } else {
            out += line;
            out.push('\n');
        }
    }
    // Longer names first: one may start another.
    names.sort_by_key(|n| std::cmp::Reverse(n.0.len()));
    names.iter().for_each(|(n, b)| out = out.replace(&format!("!{n}"), b));
    out
}

fn spir64(name: &str, module: &Module) -> String {
    export(module, Flavor::Spir64).unwrap_or_else(|e| panic!("{name}: {e:?}"))
}

fn import(name: &str, ir: &str) -> Module {
    llvm::import(name, ir.as_bytes()).unwrap_or_else(|e| panic!("{name}: {e:?}\n{ir}"))
}

fn first_difference(a: &str, b: &str) -> Option<String> {
    let different = a.lines().zip(b.lines()).find(|(a, b)| a != b);
    if let Some((a, b)) = different {
        return Some(format!("{a}\n{b}"));
    }
    (a.lines().count() != b.lines().count()).then(|| "one is longer".to_string())
}

/// What was imported is exported and imported again: nothing may change.
fn stays(name: &str, module: &Module) -> Option<String> {
    let ir = spir64(name, module);
    let again = import(name, &ir);
    assert_eq!(verify::verify(&again), [], "{name}");
    first_difference(&canonical(module), &canonical(&again)).map(|d| format!("{name}:\n{d}\n{ir}"))
}

fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let all = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).unwrap();
    let mut list: Vec<PathBuf> =
        all.map(|e| e.unwrap().path()).filter(|p| p.extension().is_some_and(|e| e == extension)).collect();
    list.sort();
    list
}

/// Modules with a parameter that is first used as bytes. LLVM's pointers do not say what they point to, so the importer then
/// takes it for one to bytes; from there on nothing changes.
const FIRST_BYTES: &[&str] = &["functions.ll"];

#[test]
fn imported_modules_stay_the_same() {
    let (mut count, mut failures) = (0, Vec::new());
    for path in files("tests/llvm", "ll") {
        let name = path.to_string_lossy();
        let Ok(mut module) = llvm::import(&name, &std::fs::read(&path).unwrap()) else { continue };
        if FIRST_BYTES.iter().any(|n| path.ends_with(n)) {
            module = import(&name, &spir64(&name, &module));
        }
        failures.extend(stays(&name, &module));
        count += 1;
    }
    assert!(count > 1);
    assert!(failures.is_empty(), "{} of {count} changed:\n{}", failures.len(), failures.join("\n"));
}

/// A kernel of HLSL in OpenCL's flavour, if it has a form there.
fn kernel(path: &Path) -> Option<Module> {
    let text = std::fs::read_to_string(path).unwrap();
    let module = cases::module(path, &text, true)?;
    abi::kernel::run(&module, Default::default()).ok().map(|k| k.module)
}

#[test]
fn kernels_of_hlsl_read_back() {
    let (mut count, mut failures) = (0, Vec::new());
    for path in cases::all() {
        let Some(module) = kernel(&path) else { continue };
        let name = path.to_string_lossy();
        // Structured operations come back as plain blocks; from there on nothing changes.
        let plain = import(&name, &spir64(&name, &module));
        failures.extend(stays(&name, &plain));
        let mut diagnostics = Diagnostics::new();
        let words = pipeline::write_for(&plain, &TargetEnv::kernels(), &mut diagnostics);
        let words = words.unwrap_or_else(|| panic!("{name}"));
        if let Some(Err(said)) = common::validate(&words, "spv1.6", &[]) {
            failures.push(format!("{name}: {said}"));
        }
        assert_eq!(plain.entry_points.len(), module.entry_points.len(), "{name}");
        for (a, b) in plain.entry_points.iter().zip(&module.entry_points) {
            assert_eq!((&a.name, a.local_size, &a.modes), (&b.name, b.local_size, &b.modes), "{name}");
            let types = |m: &Module, e: &spirv_build::ir::EntryPoint| -> Vec<TypeKind> {
                let f = &m.functions[e.func];
                f.params.iter().map(|p| m.ctx.types.kind(f.values[*p].ty).clone()).collect()
            };
            assert_eq!(types(&plain, a).len(), types(&module, b).len(), "{name}");
        }
        count += 1;
    }
    assert!(count > 15, "only {count} kernels");
    assert!(failures.is_empty(), "{} of {count} changed:\n{}", failures.len(), failures.join("\n"));
}

/// Kernels without structure, in the dialect's text: what comes back is exactly the same module.
#[test]
fn plain_kernels_are_the_same_module() {
    let text = include_str!("llvm_export/spir64/kernel.spirv");
    let module = parse::parse(text).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(verify::verify(&module), []);
    let ir = spir64("kernel", &module);
    let again = import("kernel", &ir);
    let (wanted, got) = (canonical(&module), canonical(&again));
    assert_eq!(first_difference(&wanted, &got), None, "{ir}\n{got}");
    // The words too, once the names are gone.
    let words = |m: &Module| {
        let m = parse::parse(&canonical(m)).unwrap();
        pipeline::write_for(&m, &TargetEnv::kernels(), &mut Diagnostics::new()).expect("words")
    };
    assert_eq!(
        spirv_build::spv::disassemble(&words(&module)).unwrap(),
        spirv_build::spv::disassemble(&words(&again)).unwrap()
    );
}
