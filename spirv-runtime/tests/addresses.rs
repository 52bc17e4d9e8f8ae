//! Kernels that reach buffers by their addresses, and local memory that the launch sizes: on Vulkan, where it has both.
//!
//! The kernel is made in the compiler's IR, as an importer would.
#![cfg(feature = "vulkan")]

use spirv_build::abi::{shader, vulkan::VulkanOptions};
use spirv_build::diag::{Diagnostics, render};
use spirv_build::ir::{
    Builder, BuiltIn, EntryPoint, Function, GlobalData, Module, Op, Operand, StorageClass, Type, TypeKind,
    Value,
};
use spirv_build::pipeline;
use spirv_build::source::{SourceMap, Span};
use spirv_build::target::TargetEnv;
use spirv_interface as interface;
use spirv_runtime::__private::{
    Arg, Binding, ClEntry, CpuEntry, EntryDesc, KernelDesc, Loaded, ResourceDesc, ResourceKind,
};
use spirv_runtime::{Device, ErrorKind};

const ITEMS: u32 = 64;

/// `tmp[l] = (which ? a : b)[i]; barrier; out[i] = tmp[l ^ 1]`.
fn kernel() -> Module {
    let mut m = Module {
        addressing: spirv_spec::AddressingModel::Physical64,
        memory: spirv_spec::MemoryModel::OpenCL,
        ..Module::default()
    };
    let types = &mut m.ctx.types;
    let (float, word, void, truth) = (types.float(32), types.u32(), types.void(), types.bool());
    let three = types.vector(word, 3);
    let global = types.pointer(float, StorageClass::CrossWorkgroup);
    let local = types.pointer(float, StorageClass::Workgroup);
    let mut builtin = |b: BuiltIn| m.globals.push(GlobalData::system_value(b, three));
    let (id, lid) = (builtin(BuiltIn::GlobalInvocationId), builtin(BuiltIn::LocalInvocationId));
    let mut f = Function::new("choose", void, Span::default());
    let block = f.make_body(&[global, global, global, local, word]);
    for (p, name) in f.params.clone().into_iter().zip(["a", "b", "out", "tmp", "which"]) {
        f.values[p].name = Some(name.into());
    }
    let [a, b, out, tmp, which] = f.params[..] else { panic!("five parameters") };
    let mut build = Builder::new(&mut m.ctx, &mut f, block);
    let component = |build: &mut Builder<'_>, g| {
        let p = build.address_of(g, three, StorageClass::Input);
        let all = build.load(p);
        build.extract(all, word, &[0])
    };
    let (i, l) = (component(&mut build, id), component(&mut build, lid));
    let element = |build: &mut Builder<'_>, base: Value, ty: Type, index| {
        build.value(Op::PtrAccessChain, ty, &[Operand::Id(base), Operand::Id(index)])
    };
    let zero = build.u32(0);
    let first = build.op(Op::INotEqual, truth, &[which, zero]);
    let from = build.op(Op::Select, global, &[first, a, b]);
    let p = element(&mut build, from, global, i);
    let x = build.load(p);
    let mine = element(&mut build, tmp, local, l);
    build.store(mine, x);
    let barrier = [2u32, 2, 0x110].map(|n| Operand::Id(build.u32(n)));
    build.push(Op::ControlBarrier, &barrier);
    let one = build.u32(1);
    let other = build.op(Op::BitwiseXor, word, &[l, one]);
    let theirs = element(&mut build, tmp, local, other);
    let y = build.load(theirs);
    let q = element(&mut build, out, global, i);
    build.store(q, y);
    build.terminate(Op::Return, &[]);
    let func = m.functions.push(f);
    m.entry_points.push(EntryPoint {
        func,
        name: "choose".into(),
        model: spirv_spec::ExecutionModel::Kernel,
        local_size: [ITEMS, 1, 1],
        modes: Vec::new(),
        interface: Vec::new(),
        named: Vec::new(),
        wave: None,
    });
    assert!(matches!(m.ctx.types.kind(float), TypeKind::Float { .. }));
    m
}

fn entry() -> &'static EntryDesc {
    let mut diagnostics = Diagnostics::new();
    let shaders = shader::run(&kernel()).expect("shaders");
    let options = VulkanOptions { push_constants: true, ..VulkanOptions::default() };
    let target = TargetEnv::preset("vulkan1.2").unwrap();
    let made = pipeline::shaders_to_vulkan(&shaders, &target, options, &mut diagnostics);
    let (module, words) =
        made.unwrap_or_else(|| panic!("{}", render::pictures(&diagnostics, &SourceMap::new(), false)));
    let host = spirv_build::interface::build(&module, &SourceMap::new(), false).expect("an interface");
    let names: Vec<&str> = host.resources.iter().map(|r| r.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "out", "tmp", "params"]);
    let resources = host.resources.iter().map(|r| ResourceDesc {
        name: String::leak(r.name.clone()),
        writable: r.writable,
        binding: match r.binding {
            interface::Binding::Descriptor { set, binding } => Binding::Descriptor { set, binding },
            interface::Binding::PushConstant { offset, size } => Binding::PushConstant { offset, size },
            interface::Binding::Address { block, offset } => Binding::Address { block, offset },
            interface::Binding::Length { id, unit } => Binding::Length { id, unit },
        },
        kind: match r.kind {
            interface::ResourceKind::Buffer { stride, .. } => ResourceKind::Buffer { stride },
            interface::ResourceKind::Local { stride, .. } => ResourceKind::Local { stride },
            interface::ResourceKind::Constants(s) => {
                ResourceKind::Constants { size: host.structs[s as usize].size }
            }
            _ => panic!("{r:?}"),
        },
    });
    let kernel = Box::leak(Box::new(KernelDesc {
        name: "choose",
        source: "tests",
        spirv: Some(Vec::leak(words.iter().flat_map(|w| w.to_le_bytes()).collect())),
        resources: Vec::leak(resources.collect()),
    }));
    Box::leak(Box::new(EntryDesc {
        kernel,
        name: "choose",
        local_size: [ITEMS, 1, 1],
        arguments: &[0, 1, 2, 3, 4],
        resources: &[0, 1, 2, 3, 4],
        cl: ClEntry::Absent,
        cl_memory: ClEntry::Absent,
        samples: &[],
        wave: None,
        cpu: CpuEntry::Absent,
    }))
}

#[test]
fn kernels_get_addresses_and_sizes() {
    let device = match Device::vulkan(0) {
        Ok(device) => device,
        Err(e) => {
            assert!(std::env::var_os("SPIRV_REQUIRE_COMPONENTS").is_none(), "missing: {e}");
            return eprintln!("skipped: {e}");
        }
    };
    let (queue, kernel) = (device.queue(), Loaded::new(&device, entry()).unwrap());
    // Two groups, of which the second reads beyond the end of the first buffer: there it finds zeros.
    let a: Vec<f32> = (0..100).map(|i| i as f32 + 1.0).collect();
    let b: Vec<f32> = (0..128).map(|i| -(i as f32)).collect();
    // The buffer between them keeps what lies beyond the first from being the second.
    let left = device.buffer_from(&a).unwrap();
    let _between = device.buffer_from(&[1.0f32; 1000]).unwrap();
    let right = device.buffer_from(&b).unwrap();
    for which in [1u32, 0] {
        let mut out = device.buffer::<f32>(128).unwrap();
        // Addresses of the buffers, their sizes, the number.
        let mut constants = [0u8; 36];
        constants[32..].copy_from_slice(&which.to_ne_bytes());
        for elements in [ITEMS as usize, 100] {
            let args = [
                left.__arg(),
                right.__arg(),
                out.__arg_mut(),
                Arg::length(elements),
                Arg::constants(&constants),
            ];
            kernel.launch(&queue, [128, 1, 1], &args).unwrap();
        }
        let from = if which == 1 { &a } else { &b };
        let want: Vec<f32> = (0..128).map(|i| from.get(i ^ 1).copied().unwrap_or(0.0)).collect();
        assert_eq!(out.read(&queue).unwrap(), want, "{which}");
    }
    let mut out = device.buffer::<f32>(128).unwrap();
    let args = |n| [left.__arg(), right.__arg(), Arg::length(n), Arg::constants(&[0; 36])];
    for (n, kind) in [(0, ErrorKind::InvalidArgument), (1 << 28, ErrorKind::Limit)] {
        let [l, r, length, constants] = args(n);
        let all = [l, r, out.__arg_mut(), length, constants];
        let error = kernel.launch(&queue, [64, 1, 1], &all).unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
    }
}
