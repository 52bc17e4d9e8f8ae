//! Kernels through lexer, parser, checker, lowering and writer; spirv-val has the last word.

use spirv_build::abi::vulkan::{self, VulkanOptions};
use spirv_build::diag::{Diagnostics, render};
use spirv_build::hlsl::{self, MemoryIncludes, lower};
use spirv_build::ir::Module;
use spirv_build::source::SourceMap;
use spirv_build::spv;
use spirv_build::target::TargetEnv;

fn lowered(name: &str, text: &str) -> Module {
    let (mut sources, mut diags) = (SourceMap::new(), Diagnostics::new());
    let options = hlsl::Options::default();
    let hir =
        hlsl::compile_to_hir(name, text, &options, &MemoryIncludes::default(), &mut sources, &mut diags);
    let Some(hir) = hir else { panic!("{}", render::pictures(&diags, &sources, false)) };
    match lower::lower(&hir, &lower::Options { infer_image_formats: true, ..Default::default() }) {
        Ok(m) => m,
        Err(errors) => {
            panic!("{:#?}", errors.iter().map(|e| (&e.message, sources.position(e.span))).collect::<Vec<_>>())
        }
    }
}

#[test]
fn try_files() {
    let Ok(list) = std::env::var("TRY") else { return };
    for path in list.split(' ') {
        let text = std::fs::read_to_string(path).unwrap();
        let mut module = lowered(path, &text);
        let errors = spirv_build::ir::verify::verify(&module);
        assert!(errors.is_empty(), "{path}: {errors:#?}");
        if std::env::var("SHOW").is_ok() {
            println!("{}", spirv_build::ir::print::print(&module));
        }
        vulkan::run(&mut module, VulkanOptions { push_constants: false, dxc_numbers: true });
        let target = TargetEnv::default();
        let words = spv::write(&module, &target, spv::WriteOptions::default()).unwrap();
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let out = format!("/tmp/t/out/{}.spv", path.rsplit('/').next().unwrap());
        std::fs::create_dir_all("/tmp/t/out").unwrap();
        std::fs::write(&out, bytes).unwrap();
        let val = std::process::Command::new("spirv-val")
            .args(["--target-env", "vulkan1.1", "--scalar-block-layout", &out])
            .output()
            .unwrap();
        println!("{path}: {} {}", val.status, String::from_utf8_lossy(&val.stderr));
    }
}
