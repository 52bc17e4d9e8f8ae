//! Kernels of the folder `kernels`, compiled by the compiler itself.

use spirv_build::abi::vulkan::VulkanOptions;
use spirv_build::diag::{Diagnostics, render};
use spirv_build::hlsl::{self, pp::FileIncludes};
use spirv_build::pipeline;
use spirv_build::source::SourceMap;
use spirv_build::target::TargetEnv;
use spirv_runtime::__private::{
    Binding, ClEntry, CpuEntry, EntryDesc, KernelDesc, ResourceDesc, ResourceKind,
};
use std::path::Path;

/// A kernel of the folder as SPIR-V, with dxc's binding numbers.
pub fn compile(name: &str) -> &'static [u8] {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernels").join(format!("{name}.hlsl"));
    compile_text(&path.to_string_lossy(), &std::fs::read_to_string(&path).unwrap())
}

/// This text, as [`compile`].
pub fn compile_text(path: &str, text: &str) -> &'static [u8] {
    let (mut sources, mut diagnostics) = (SourceMap::default(), Diagnostics::new());
    let words = (|| {
        let options = hlsl::Options::default();
        let hir = hlsl::compile_to_hir(path, text, &options, &FileIncludes, &mut sources, &mut diagnostics)?;
        let options = hlsl::lower::Options { infer_image_formats: true, ..Default::default() };
        let module = pipeline::lower_hir(&hir, &options, &mut diagnostics)?;
        let abi = VulkanOptions { dxc_numbers: true, ..Default::default() };
        pipeline::to_vulkan(module, &TargetEnv::default(), abi, &mut diagnostics).map(|made| made.1)
    })();
    let words = words.unwrap_or_else(|| panic!("{}", render::pictures(&diagnostics, &sources, false)));
    Vec::leak(words.iter().flat_map(|w| w.to_le_bytes()).collect())
}

/// A description of the entry point that uses all these resources.
pub fn describe(
    name: &'static str,
    spirv: &'static [u8],
    local_size: [u32; 3],
    resources: &'static [ResourceDesc],
) -> &'static EntryDesc {
    let kernel = Box::leak(Box::new(KernelDesc { name, source: "tests", spirv: Some(spirv), resources }));
    let used = Vec::leak((0..resources.len() as u32).collect());
    Box::leak(Box::new(EntryDesc {
        kernel,
        name: "main",
        local_size,
        arguments: used,
        resources: used,
        cl: ClEntry::Absent,
        cl_memory: ClEntry::Absent,
        samples: &[],
        wave: None,
        cpu: CpuEntry::Absent,
    }))
}

/// A resource with a descriptor.
pub const fn resource(
    name: &'static str,
    writable: bool,
    at: (u32, u32),
    kind: ResourceKind,
) -> ResourceDesc {
    ResourceDesc { name, writable, binding: Binding::Descriptor { set: at.0, binding: at.1 }, kind }
}
