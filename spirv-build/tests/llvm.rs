//! LLVM IR through the importer to SPIR-V. Without a feature that brings LLVM only the message is tested.

use spirv_build::llvm;

#[cfg(any(feature = "llvm19-1", feature = "llvm22-1"))]
mod with_llvm {
    use spirv_build::diag::Diagnostics;
    use spirv_build::target::TargetEnv;
    use spirv_build::{llvm, passes, pipeline};

    const CASES: &[(&str, &str)] =
        &[("saxpy", include_str!("llvm/saxpy.ll")), ("values", include_str!("llvm/values.ll"))];

    fn words(name: &str, text: &str) -> Vec<u32> {
        let module = llvm::import(name, text.as_bytes()).unwrap_or_else(|f| panic!("{name}: {f:?}"));
        let mut diagnostics = Diagnostics::new();
        pipeline::write_for(&module, &TargetEnv::kernels(), &mut diagnostics)
            .unwrap_or_else(|| panic!("{name}: {:?}", diagnostics.error_count()))
    }

    fn assembly(name: &str, text: &str) -> String {
        spirv_build::spv::disassemble(&words(name, text)).unwrap()
    }

    #[test]
    fn kernels_become_entry_points() {
        let text = assembly("saxpy", CASES[0].1);
        for part in [
            "OpEntryPoint Kernel",
            "\"saxpy\"",
            "LocalSize 64 1 1",
            "OpMemoryModel Physical64 OpenCL",
            "OpTypePointer CrossWorkgroup",
            "FuncParamAttr NoWrite",
        ] {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
    }

    #[test]
    fn phis_name_their_constants() {
        let text = assembly("values", CASES[1].1);
        assert!(text.contains("OpPhi") && text.contains("OpAtomicIAdd") && text.contains("OpControlBarrier"));
    }

    #[test]
    fn spirv_val_accepts_what_is_imported() {
        for (name, text) in CASES {
            let bytes: Vec<u8> = words(name, text).iter().flat_map(|w| w.to_le_bytes()).collect();
            let file = std::env::temp_dir().join(format!("spirv-build-{}-{name}.spv", std::process::id()));
            std::fs::write(&file, bytes).unwrap();
            let out = std::process::Command::new("spirv-val")
                .args(["--target-env", "opencl2.2"])
                .arg(&file)
                .output();
            let _ = std::fs::remove_file(&file);
            match out {
                Ok(out) => assert!(out.status.success(), "{name}: {}", String::from_utf8_lossy(&out.stderr)),
                Err(e) => {
                    assert!(std::env::var_os("SPIRV_REQUIRE").is_none(), "spirv-val is required: {e}");
                    eprintln!("skipped: there is no spirv-val");
                    return;
                }
            }
        }
    }

    #[test]
    fn graphs_can_be_structured() {
        for (name, text) in CASES {
            let mut module = llvm::import(name, text.as_bytes()).unwrap();
            assert_eq!(passes::structurize::run(&mut module), Ok(true));
            assert_eq!(spirv_build::ir::verify::verify(&module), [], "{name}");
        }
    }

    #[test]
    fn kernels_become_shaders_with_32_bit_indices() {
        let module = llvm::import("saxpy", CASES[0].1.as_bytes()).unwrap();
        let mut diagnostics = Diagnostics::new();
        let shaders = pipeline::to_shaders(module, &mut diagnostics).expect("shaders");
        assert_eq!(shaders.resources.len(), 3);
        let target = TargetEnv::preset("vulkan1.1").unwrap();
        let words = pipeline::write_for(&shaders.module, &target, &mut diagnostics).expect("a module");
        let text = spirv_build::spv::disassemble(&words).unwrap();
        assert!(text.contains("OpEntryPoint GLCompute") && text.contains("Fma"), "{text}");
        assert!(!text.contains("OpCapability Int64"), "{text}");
    }

    fn refused(text: &str) -> String {
        let findings = llvm::import("bad.ll", text.as_bytes()).unwrap_err();
        findings.into_iter().map(|f| f.message + "\n" + &f.help + "\n").collect()
    }

    #[test]
    fn what_is_no_kernel_is_said() {
        assert!(refused("this is no IR").contains("no LLVM IR"));
        assert!(refused("BC\u{c0}\u{de} and nothing more").contains("no LLVM IR"));
        assert!(refused("target triple = \"x86_64-unknown-linux-gnu\"").contains("for the target `x86_64`"));
        assert!(
            refused("target triple = \"spir64\"\ndefine internal void @f() { ret void }")
                .contains("has no kernels")
        );
        let wide = "define spir_kernel void @k(i128 %x) { %y = add i128 %x, 1 ret void }";
        assert!(refused(wide).contains("an integer of 128 bits: `"));
        let pointer = "define spir_kernel void @k(ptr %f) { call void %f() ret void }";
        assert!(refused(pointer).contains("chosen at run time: `call void %f()`"));
    }
}

#[test]
fn names_of_files_tell() {
    assert!(llvm::is_ir("kernels/a.ll") && llvm::is_ir("a.BC"));
    assert!(!llvm::is_ir("a.hlsl") && !llvm::is_ir("ll"));
}

#[cfg(not(any(feature = "llvm19-1", feature = "llvm22-1")))]
#[test]
fn without_llvm_the_feature_is_named() {
    let findings = llvm::import("a.ll", b"").unwrap_err();
    assert!(findings[0].help.contains("llvm22-1") && findings[0].help.contains("llvm-22-dev"));
}
