//! LLVM IR through the importer to SPIR-V. Without a feature that brings LLVM only the message is tested.

use spirv_build::llvm;

#[cfg(any(feature = "llvm19-1", feature = "llvm22-1"))]
mod with_llvm {
    use spirv_build::diag::{Diagnostics, render};
    use spirv_build::hlsl::pp::MemoryIncludes;
    use spirv_build::pipeline::{Compiled, Options};
    use spirv_build::source::SourceMap;
    use spirv_build::target::TargetEnv;
    use spirv_build::{llvm, passes, pipeline};
    use spirv_interface::{Binding, ClArg, Interface, ResourceKind, Scalar, Type};

    const CASES: &[(&str, &str)] = &[
        ("saxpy", include_str!("llvm/saxpy.ll")),
        ("values", include_str!("llvm/values.ll")),
        ("functions", include_str!("llvm/functions.ll")),
        ("forms", include_str!("llvm/forms.ll")),
        ("pointers", include_str!("llvm/pointers.ll")),
        ("walk", include_str!("llvm/walk.ll")),
        ("addresses", include_str!("llvm/addresses.ll")),
    ];

    fn words(name: &str, text: &str) -> Vec<u32> {
        let module = llvm::import(name, text.as_bytes()).unwrap_or_else(|f| panic!("{name}: {f:?}"));
        let mut diagnostics = Diagnostics::new();
        pipeline::write_for(&module, &TargetEnv::kernels(), &mut diagnostics)
            .unwrap_or_else(|| panic!("{name}: {:?}", diagnostics.error_count()))
    }

    /// What the command says of a kernel: exit code and standard output.
    fn spirvc(args: &str) -> (i32, String) {
        let case = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/llvm/sum_of_products.ll");
        let args = args.split_whitespace().chain([case]);
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_spirvc")).args(args).output().unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
    }

    #[test]
    fn flags_act_on_the_command_line() {
        let plain = spirvc("").1;
        assert!(plain.contains("OpEntryPoint Kernel") && !plain.contains("\"other\""), "{plain}");
        assert!(spirvc("-fspv-entrypoint-name=other").1.contains("\"other\""));
        assert!(spirvc("-ffp-contract=off").1.contains("ContractionOff"));
        assert_eq!(spirvc("-fspv-max-id 3").0, 1);
        assert_eq!(spirvc("-E none").0, 1);
        assert!(spirvc("--emit interface").1.contains("sums"));
        let vulkan = "--target vulkan1.2 -ffp-contract";
        assert!(spirvc(&format!("{vulkan}=off")).1.contains("NoContraction"));
        assert!(!spirvc(&format!("{vulkan}=on")).1.contains("NoContraction"));
        assert_ne!(spirvc("--emit rust -ffp-contract=off"), spirvc("--emit rust"));
    }

    fn disassembled(module: &spirv_build::ir::Module) -> String {
        let mut diagnostics = Diagnostics::new();
        let words = pipeline::write_for(module, &TargetEnv::kernels(), &mut diagnostics).unwrap();
        spirv_build::spv::disassemble(&words).unwrap()
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
    fn builtins_that_are_not_known_are_named() {
        let text = include_str!("llvm/unknown_builtins.ll");
        let findings = llvm::import("unknown_builtins", text.as_bytes()).unwrap_err();
        let found: Vec<&str> =
            findings.iter().map(|f| f.text.split(": `%").next().unwrap_or_default()).collect();
        let named =
            ["intel_sub_group_shuffle_strange", "ndrange_1D", "read_imagef", "dot", "__spirv_NoSuchOp"];
        let want = named.map(|n| match n {
            "dot" => "the builtin function `dot` of integers".to_string(),
            n => format!("the builtin function `{n}`"),
        });
        assert_eq!(found, want);
        // What is a user's own is left to the linker.
        let rest: Vec<&str> = text.lines().filter(|l| !named.iter().any(|n| l.contains(n))).collect();
        let text = assembly("rest", &rest.join("\n"));
        for own in ["_Z6librarym", "read_image_of_mine"] {
            assert!(text.contains(&format!("LinkageAttributes \"{own}\" Import")), "{text}");
        }
    }

    #[test]
    fn what_only_types_and_decorations_tell_is_declared() {
        let words = words("requirements", include_str!("llvm/requirements.ll"));
        let text = spirv_build::spv::disassemble(&words).unwrap();
        for needed in [
            "OpCapability AtomicFloat16AddEXT",
            "OpCapability AtomicFloat16MinMaxEXT",
            "OpCapability AtomicFloat64AddEXT",
            "OpExtension \"SPV_EXT_shader_atomic_float16_add\"",
            "OpExtension \"SPV_INTEL_usm_storage_classes\"",
            "OpExtension \"SPV_INTEL_cache_controls\"",
        ] {
            assert!(text.contains(needed), "{needed} is not in\n{text}");
        }
        assert!(!text.contains("AtomicFloat32"), "{text}");
        for capability in
            [spirv_spec::Capability::USMStorageClassesALTERA, spirv_spec::Capability::CacheControlsINTEL]
        {
            let declared = words.windows(2).any(|w| w == [2 << 16 | 17, capability.0]);
            assert!(declared, "{capability:?} is not in\n{text}");
        }
    }

    #[test]
    fn groups_that_no_device_of_the_target_has_are_refused() {
        let text = "define spir_kernel void @k(ptr addrspace(1) %o) !reqd_work_group_size !0 {\n  ret void\n}\n\
                    !0 = !{i32 4096, i32 1, i32 1}\n";
        let module = llvm::import("large", text.as_bytes()).unwrap();
        let mut diagnostics = Diagnostics::new();
        assert!(pipeline::write_for(&module, &TargetEnv::level_zero(), &mut diagnostics).is_none());
        let message = &diagnostics.iter().next().unwrap().message;
        assert_eq!(message, "the groups of `k` are 4096 x 1 x 1 threads");
        // OpenCL leaves that to the device.
        assert!(pipeline::write_for(&module, &TargetEnv::kernels(), &mut Diagnostics::new()).is_some());
    }

    #[test]
    fn sampled_images_survive_the_way_through_llvm_ir() {
        let first = assembly("sampled_images", include_str!("llvm/sampled_images.ll"));
        let module = llvm::import("a", include_str!("llvm/sampled_images.ll").as_bytes()).unwrap();
        let text = llvm::export::export(&module, llvm::export::Flavor::Spir64).unwrap();
        assert_eq!(assembly("again", &text), first, "{text}");
    }

    #[test]
    fn metadata_is_carried_over() {
        let text = assembly("functions", CASES[2].1);
        for part in ["OpSource OpenCL_C 102000", "SpecId 7", "FPRoundingMode RTE", "Restrict"] {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
        assert!(!text.contains("%v6"), "{text}");
        compiled("functions", CASES[2].1);
    }

    #[test]
    fn initial_values_have_addresses() {
        let (_, text) = CASES.iter().find(|c| c.0 == "addresses").unwrap();
        let spirv = assembly("addresses", text);
        for part in [
            "OpSpecConstantOp",
            "InBoundsPtrAccessChain",
            "PtrCastToGeneric",
            "ConvertPtrToU",
            "OpSpecConstantComposite",
        ] {
            assert!(spirv.contains(part), "{part} is not in\n{spirv}");
        }
        // Text and back, LLVM IR and back.
        let module = llvm::import("addresses", text.as_bytes()).unwrap();
        let printed = spirv_build::ir::print::print(&module);
        let again = spirv_build::ir::parse::parse(&printed).unwrap();
        assert_eq!(spirv_build::ir::print::print(&again), printed);
        let flavor = llvm::export::Flavor::Spir64;
        let ir = llvm::export::export(&module, flavor).unwrap();
        let back = llvm::import("addresses", ir.as_bytes()).unwrap_or_else(|f| panic!("{f:?}\n{ir}"));
        let (old, new) = (assembly("addresses", text), disassembled(&back));
        assert_eq!(new.matches("OpSpecConstantOp").count(), old.matches("OpSpecConstantOp").count(), "{ir}");
        // A shader has no memory for them.
        let mut diagnostics = Diagnostics::new();
        assert!(pipeline::to_shaders(module, &Default::default(), &mut diagnostics).is_none());
        assert!(diagnostics.has_errors());
    }

    #[test]
    fn initial_values_do_not_lead_back() {
        let text = "target triple = \"spir64\"\n\
            @a = addrspace(1) global ptr addrspace(1) @b\n\
            @b = addrspace(1) global ptr addrspace(1) @a\n\
            define spir_kernel void @k() {\n  ret void\n}\n";
        let findings = llvm::import("loop", text.as_bytes()).unwrap_err();
        assert!(findings[0].text.contains("lead back to themselves"), "{findings:?}");
    }

    #[test]
    fn phis_name_their_constants() {
        let text = assembly("values", CASES[1].1);
        assert!(text.contains("OpPhi") && text.contains("OpAtomicIAdd") && text.contains("OpControlBarrier"));
    }

    #[test]
    fn spirv_val_accepts_what_is_imported() {
        for (name, text) in CASES {
            validated(name, &words(name, text), "opencl2.2");
        }
    }

    #[test]
    fn graphs_can_be_structured() {
        for (name, text) in CASES {
            let mut module = llvm::import(name, text.as_bytes()).unwrap();
            let graph =
                module.functions.iter().any(|(_, f)| f.body.is_some_and(|r| f.regions[r].blocks.len() > 1));
            assert_eq!(passes::structurize::run(&mut module), Ok(graph), "{name}");
            assert_eq!(spirv_build::ir::verify::verify(&module), [], "{name}");
        }
    }

    #[test]
    fn kernels_become_shaders_with_32_bit_indices() {
        let module = llvm::import("saxpy", CASES[0].1.as_bytes()).unwrap();
        let mut diagnostics = Diagnostics::new();
        let shaders = pipeline::to_shaders(module, &Default::default(), &mut diagnostics).expect("shaders");
        assert_eq!(spirv_build::ir::resource_order(&shaders.module).len(), 3);
        let target = TargetEnv::preset("vulkan1.1").unwrap();
        let words = pipeline::write_for(&shaders.module, &target, &mut diagnostics).expect("a module");
        let text = spirv_build::spv::disassemble(&words).unwrap();
        assert!(text.contains("OpEntryPoint GLCompute") && text.contains("Fma"), "{text}");
        assert!(!text.contains("OpCapability Int64"), "{text}");
    }

    /// A kernel through the whole road, without native code.
    fn compiled(name: &str, text: &str) -> Compiled {
        let options = Options {
            hlsl: Default::default(),
            target: TargetEnv::preset("vulkan1.2").unwrap(),
            cpu_arch: None,
            level_zero: true,
            warnings: Default::default(),
            kernel: name.into(),
            source: format!("{name}.ll"),
            shared_arguments: false,
            vulkan: Default::default(),
            passes: Default::default(),
            error_limit: None,
            symbol: name.into(),
        };
        let path = format!("{name}.ll");
        let out = pipeline::compile(&path, text.as_bytes(), &options, &MemoryIncludes::default());
        let shown = render::pictures(&out.diagnostics, &out.sources, false);
        let compiled = out.compiled.unwrap_or_else(|| panic!("{shown}"));
        validated(name, &compiled.spirv, "vulkan1.2");
        assert_eq!(
            compiled.cl.len(),
            compiled.interface.entries.len(),
            "{name}: a module for Level Zero each"
        );
        compiled.cl.iter().for_each(|(file, words)| validated(file, words, "opencl2.2"));
        compiled
    }

    /// Fails if spirv-val does not accept the words.
    fn validated(name: &str, words: &[u32], env: &str) {
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        // Tests run side by side.
        static NUMBER: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let file = std::env::temp_dir().join(format!("spirv-build-{}-{number}.spv", std::process::id()));
        std::fs::write(&file, bytes).unwrap();
        let out = std::process::Command::new("spirv-val").args(["--target-env", env]).arg(&file).output();
        let _ = std::fs::remove_file(&file);
        match out {
            Ok(out) => assert!(out.status.success(), "{name}: {}", String::from_utf8_lossy(&out.stderr)),
            Err(e) => {
                assert!(std::env::var_os("SPIRV_REQUIRE_COMPONENTS").is_none(), "missing: spirv-val: {e}");
                eprintln!("skipped: there is no spirv-val");
            }
        }
    }

    #[test]
    fn buffers_that_are_chosen_at_run_time_have_addresses() {
        let c = compiled("pointers", include_str!("llvm/pointers.ll"));
        let text = spirv_build::spv::disassemble(&c.spirv).unwrap();
        for part in
            ["PhysicalStorageBuffer64", "PhysicalStorageBufferAddresses", "OpConvertUToPtr", "Aligned 4"]
        {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
        let of = |name: &str| c.interface.resources.iter().find(|r| r.name == name).unwrap();
        let (left, right, out) = (of("left"), of("right"), of("out"));
        let block = c.interface.resources.iter().position(|r| r.name == "params").unwrap() as u32;
        assert_eq!(left.binding, Binding::Address { block, offset: 0 });
        assert_eq!(right.binding, Binding::Address { block, offset: 16 });
        assert!(matches!(out.binding, Binding::Descriptor { .. }), "{out:?}");
        assert!(!right.writable && out.writable);
        // On Level Zero the address comes with the other constants, too.
        let args = c.interface.entries[0].cl.args();
        assert_eq!(args[..], [ClArg::Pointer(2), ClArg::Length(2), ClArg::Constants(block)]);
        // The members that the caller sees are those of the source, with its signs.
        let members = &c.interface.structs[0].members;
        let seen: Vec<_> = members.iter().map(|m| (m.name.as_str(), m.offset, m.ty.clone())).collect();
        assert_eq!(seen, [("which", 32, Type::Scalar(Scalar::I32))]);
        assert_eq!(c.interface, Interface::from_text(&c.interface.to_text()).unwrap());
    }

    #[test]
    fn an_address_that_moves_through_one_buffer_is_an_index() {
        let c = compiled("walk", include_str!("llvm/walk.ll"));
        let text = spirv_build::spv::disassemble(&c.spirv).unwrap();
        assert!(!text.contains("PhysicalStorageBuffer") && !text.contains("Capability Int64"), "{text}");
        assert!(text.contains("SpecId 100") && text.contains("OpSpecConstant"), "{text}");
        let kinds: Vec<_> = c.interface.resources.iter().map(|r| (r.writable, r.kind.clone())).collect();
        let buffer = |s| ResourceKind::Buffer { elem: Type::Scalar(s), stride: 4 };
        assert_eq!(kinds[0], (false, buffer(Scalar::I32)));
        assert_eq!(kinds[1], (true, buffer(Scalar::U32)));
        let local = ResourceKind::Local { elem: Type::Scalar(Scalar::I32), stride: 4 };
        assert_eq!(kinds[2], (true, local));
        assert_eq!(c.interface.resources[2].binding, Binding::Length { id: 100, unit: 4 });
        assert!(c.interface.entries[0].cl.args().contains(&ClArg::Sized(2)));
    }

    #[test]
    fn what_shaders_do_not_have_is_made_of_what_they_have() {
        let c = compiled("forms", include_str!("llvm/forms.ll"));
        let text = spirv_build::spv::disassemble(&c.spirv).unwrap();
        assert!(!text.contains("Vector16") && !text.contains("OpenCL.std"), "{text}");
        let members: Vec<_> = c.interface.structs[0].members.iter().map(|m| m.offset).collect();
        assert_eq!(members, [0, 4]);
    }

    #[test]
    fn addresses_that_are_numbers_reach_nothing_else() {
        let text = "target triple = \"spir64\"\n\
            define spir_kernel void @k(i64 %at, ptr addrspace(1) %to) {\n  \
            %p = inttoptr i64 %at to ptr addrspace(1)\n  %x = load i32, ptr addrspace(1) %p, align 4\n  \
            store i32 %x, ptr addrspace(1) %to, align 4\n  ret void\n}\n";
        let c = compiled("numbers", text);
        let text = spirv_build::spv::disassemble(&c.spirv).unwrap();
        // The parameter is no buffer that such an address may be in: it has a descriptor, and the load is of nothing.
        assert!(text.contains("PhysicalStorageBuffer64"), "{text}");
        let load =
            text.lines().position(|l| l.contains("OpLoad") && l.contains("Aligned 4")).expect("a load");
        let before: Vec<&str> = text.lines().take(load).collect();
        let guard = before.iter().rposition(|l| l.contains("OpBranchConditional")).expect("a guard");
        let condition = before[guard].split_whitespace().nth(1).unwrap();
        assert!(text.contains(&format!("{condition} = OpConstantFalse")), "{text}");
    }

    #[test]
    fn what_is_defined_elsewhere_cannot_be_a_shader() {
        let text = "declare spir_func void @elsewhere(i32)\n\
            define spir_kernel void @k(i32 %x) {\n  call spir_func void @elsewhere(i32 %x)\n  ret void\n}\n";
        let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
        let none = MemoryIncludes::default();
        let module = pipeline::import_ir("call.ll", text.as_bytes(), &none, &mut sources, &mut diagnostics);
        assert!(pipeline::to_shaders(module.unwrap(), &Default::default(), &mut diagnostics).is_none());
        let found = diagnostics.sorted(&sources).into_iter().map(|d| render::one_line(d, &sources));
        let found: Vec<String> = found.collect();
        assert!(
            found[0].starts_with("call.ll:3:3: error H0910: ") && found[0].contains("`elsewhere`"),
            "{found:?}"
        );
    }

    fn refused(text: &str) -> String {
        let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
        let none = MemoryIncludes::default();
        let module = pipeline::import_ir("bad.ll", text.as_bytes(), &none, &mut sources, &mut diagnostics);
        assert!(module.is_none());
        diagnostics.sorted(&sources).into_iter().map(|d| render::one_line(d, &sources) + "\n").collect()
    }

    #[test]
    fn what_is_no_kernel_is_said() {
        let no_ir = refused("this is no IR");
        assert!(no_ir.starts_with("bad.ll:1:1: error H0910: `bad.ll` is no LLVM IR that LLVM"), "{no_ir}");
        let damaged = refused("BC\u{c0}\u{de} and nothing more");
        assert!(damaged.contains("is no LLVM IR that LLVM"), "{damaged}");
        let other = refused("; a comment\ntarget triple = \"x86_64-unknown-linux-gnu\"\n");
        assert!(other.starts_with("bad.ll:2:1: error H0910:"), "{other}");
        assert!(other.contains("for the target `x86_64`, whose modules are no kernels"), "{other}");
        let none = refused("target triple = \"spir64\"\ndefine internal void @f() { ret void }");
        assert!(none.contains("has no kernels"), "{none}");
        // As a later version of LLVM might write it.
        let newer = refused("define spir_kernel void @k() {\n  %x = brand_new i32 1\n  ret void\n}\n");
        assert!(
            newer.starts_with("bad.ll:2:8: error H0910:") && newer.contains("expected instruction"),
            "{newer}"
        );
    }

    #[test]
    fn what_is_not_carried_over_is_named_with_its_place() {
        let wide = "; one\ndefine spir_kernel void @k(i65 %x) {\n  %y = add i65 %x, 1\n  ret void\n}";
        let wide = refused(wide);
        assert!(wide.starts_with("bad.ll:2:1: error H0910: an integer of 65 bits: `"), "{wide}");
        let pointer = "define spir_kernel void @k(ptr %f) {\nentry:\n  ; a comment\n  switch i32 0, label %a [\n    \
                       i32 1, label %a\n  ]\na:\n  call void %f()\n  ret void\n}";
        let pointer = refused(pointer);
        assert!(pointer.starts_with("bad.ll:8:3: error H0910: "), "{pointer}");
        assert!(pointer.contains("chosen at run time: `call void %f()`"), "{pointer}");
    }

    const DEBUG: &str = "define spir_kernel void @k(ptr %f) !dbg !3 {\n  call void %f(), !dbg !4\n  ret void\n}\n\
        !llvm.dbg.cu = !{!0}\n!llvm.module.flags = !{!1}\n\
        !0 = distinct !DICompileUnit(language: DW_LANG_OpenCL, file: !2, emissionKind: FullDebug)\n\
        !1 = !{i32 2, !\"Debug Info Version\", i32 3}\n!2 = !DIFile(filename: \"k.cl\", directory: \"/\")\n\
        !3 = distinct !DISubprogram(name: \"k\", file: !2, line: 1, unit: !0, spFlags: DISPFlagDefinition)\n\
        !4 = !DILocation(line: 2, column: 5, scope: !3)\n";

    #[test]
    fn debug_information_names_the_place() {
        let unread = refused(DEBUG);
        assert!(unread.starts_with("k.cl:2:5: error H0910: "), "{unread}");
        // With the source at hand the picture shows its line.
        let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
        let files = [("k.cl".to_string(), "kernel void k(f_t f) {\n    f();\n}\n".to_string())];
        let files = MemoryIncludes(files.into());
        assert!(
            pipeline::import_ir("k.ll", DEBUG.as_bytes(), &files, &mut sources, &mut diagnostics).is_none()
        );
        let shown = render::pictures(&diagnostics, &sources, false);
        assert!(shown.contains("k.cl:2:5") && shown.contains("2 |     f();"), "{shown}");
    }

    #[test]
    fn what_only_shaders_lack_is_named_with_its_place() {
        let text = "declare spir_func double @_Z4asind(double)\n\
            define spir_kernel void @k(ptr addrspace(1) %p) {\n  %x = load double, ptr addrspace(1) %p\n  \
            %y = call spir_func double @_Z4asind(double %x)\n  store double %y, ptr addrspace(1) %p\n  ret void\n}\n";
        let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
        let none = MemoryIncludes::default();
        let module = pipeline::import_ir("asin.ll", text.as_bytes(), &none, &mut sources, &mut diagnostics);
        assert!(pipeline::to_shaders(module.unwrap(), &Default::default(), &mut diagnostics).is_none());
        let found: Vec<String> =
            diagnostics.sorted(&sources).into_iter().map(|d| render::one_line(d, &sources)).collect();
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(
            found[0].starts_with("asin.ll:4:3: error H0910: ") && found[0].ends_with("the function asin")
        );
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
    assert!(findings[0].help[0].contains("llvm22-1") && findings[0].help[0].contains("llvm-22-dev"));
}
