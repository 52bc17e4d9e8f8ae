//! Whole kernels as LLVM IR for the host: LLVM verifies every one, and some run through its JIT to the right numbers.
//! Invocations that meet at barriers run on a thread each.
#![cfg(any(feature = "llvm19-1", feature = "llvm22-1"))]

mod common;
#[allow(dead_code)]
mod llvm_jit_support;

use common::cases;
use common::changes::{Numbers, tokens};
use inkwell::context::Context;
use llvm_jit_support::{engine, engine_with};
use spirv_build::ir::{Module, ResourceClass};
use spirv_build::llvm::export::Flavor;
use spirv_build::pipeline::llvm_text;
use spirv_interface::ClArg;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Barrier};

/// A kernel as it is lowered, with its calls, or with all passes run.
fn module(path: &Path, optimize: bool) -> Option<Module> {
    cases::module(path, &std::fs::read_to_string(path).unwrap(), optimize)
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn kernel(name: &str, optimize: bool) -> String {
    let path = root().join("../tests/kernels").join(name);
    llvm_text(&module(&path, optimize).unwrap(), Flavor::Host).unwrap()
}

/// Cases that only a device can run, and what they have that says so.
const NOT_FOR_THE_HOST: &[(&str, &str)] = &[
    ("clock.hlsl", "`vk::ReadClock`"),
    ("resources_of_blocks.hlsl", "`vk::ReadClock`"),
    ("cooperative_matrices.hlsl", "a cooperative matrix"),
    ("inline_types.hlsl", "a cooperative matrix"),
    ("ray_queries.hlsl", "a ray query"),
    ("ray_query_results.hlsl", "a ray query"),
    ("sampled_textures.hlsl", "a texture that comes with its sampler"),
    ("narrowed_intrinsics.hlsl", "`fwidth`"),
];

#[test]
fn llvm_verifies_every_kernel() {
    let mut count = 0;
    for path in cases::all() {
        for optimize in [false, true] {
            let Some(m) = module(&path, optimize) else { continue };
            let name = path.to_string_lossy();
            let ir = match llvm_text(&m, Flavor::Host) {
                Ok(ir) => ir,
                Err(e) => {
                    let of = NOT_FOR_THE_HOST.iter().find(|(file, _)| name.ends_with(file));
                    let (_, what) = of.unwrap_or_else(|| panic!("{name}: {e:?}"));
                    assert!(e.iter().any(|r| r.text.contains(what)), "{e:?}");
                    continue;
                }
            };
            engine(&Context::create(), &name, ir);
            count += 1;
        }
    }
    assert!(count > 60, "only {count} modules");
}

/// Bytes of each buffer of [`the_roads_agree`], which is more than its kernels reach.
const BUFFER: usize = 1 << 18;
/// Parameters that such a kernel may have.
const PARAMS: usize = 24;

/// Runs an entry point on buffers filled the same way each time, and gives what is in them afterwards;
/// nothing, if it wrote nothing.
fn outcome(
    ir: &str,
    entry: &str,
    size: [u64; 3],
    params: &[ClArg],
    class: impl Fn(u32) -> ResourceClass,
    slots: usize,
) -> Vec<Vec<u32>> {
    let context = Context::create();
    let hook = "_Z22__spirv_ControlBarrieriii";
    let barriers = ir.contains(hook);
    let wanted: Vec<&str> = Some(hook).filter(|_| barriers).into_iter().collect();
    let (engine, hooks) = engine_with(&context, entry, ir.to_string(), &wanted);
    hooks.iter().for_each(|h| engine.add_global_mapping(h, control_barrier as *const () as usize));
    // Words that are small floats, and whose halves are small halves.
    let word = |i: usize| {
        (i as u32).wrapping_mul(0x9e37_79b1) >> 16 & 0x3fff | 0x3f40_0000 | (i as u32 & 0x3f) << 16
    };
    let mut buffers: Vec<Vec<u32>> = (0..slots)
        .map(|s| match class(s as u32) {
            ResourceClass::ConstantBuffer | ResourceClass::PushConstant => {
                (0..64).map(|i| [100, 3, 1, 2][i % 4]).collect()
            }
            _ => (0..BUFFER / 4).map(|i| word(i + s)).collect(),
        })
        .collect();
    let before = buffers.clone();
    let addresses: Vec<u64> = buffers.iter_mut().map(|b| b.as_mut_ptr() as u64).collect();
    let mut args: Vec<u64> = params
        .iter()
        .map(|p| match p {
            ClArg::Length(_) => BUFFER as u64,
            ClArg::Pointer(s) | ClArg::Constants(s) => addresses[*s as usize],
            other => panic!("{entry}: {other:?}"),
        })
        .collect();
    let at = args.len();
    args.resize(PARAMS, 0);
    let address = engine.get_function_address(entry).unwrap();
    dispatch([2, 1, 1], size, barriers, |group, invocation| {
        let mut args = args.clone();
        args[at] = group as u64;
        args[at + 1] = std::ptr::from_ref(invocation) as u64;
        call_with(address, &args);
    });
    if before == buffers { Vec::new() } else { buffers }
}

/// Calls a C function whose parameters are all addresses or numbers of 64 bits. More than it takes do no harm.
fn call_with(address: usize, a: &[u64]) {
    type W = u64;
    type Code = unsafe extern "C" fn(W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W);
    // SAFETY: the caller counts out the parameters of the function; the rest are ignored, since the caller of a C function
    // takes them away again.
    let code = unsafe { std::mem::transmute::<usize, Code>(address) };
    // SAFETY: the addresses are those of buffers that are large enough for what the kernel touches.
    unsafe {
        code(
            a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13], a[14],
            a[15], a[16], a[17], a[18], a[19], a[20], a[21], a[22], a[23],
        )
    }
}

/// Kernels give the same bytes with and without the passes, as kernels of OpenCL's flavour, and after a detour through
/// `spir64` IR.
#[test]
fn the_roads_agree() {
    let mut compared = 0;
    for name in ["flow", "math", "matrices", "parts", "widths", "groups", "reduce"] {
        let path = root().join("../tests/kernels").join(name).with_extension("hlsl");
        let optimized = module(&path, true).unwrap();
        let plain = module(&path, false).unwrap();
        let kernels = spirv_build::abi::kernel::run(&optimized, Default::default()).ok();
        let slots = spirv_build::ir::resource_order(&optimized);
        let class = |s: u32| optimized.globals[slots[s as usize]].interface.as_ref().unwrap().class;
        let all: Vec<ClArg> = (0..slots.len() as u32)
            .flat_map(|s| match class(s) {
                ResourceClass::ConstantBuffer | ResourceClass::PushConstant => vec![ClArg::Constants(s)],
                _ => vec![ClArg::Pointer(s), ClArg::Length(s)],
            })
            .collect();
        let host = |m: &Module| llvm_text(m, Flavor::Host).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        let (first, second) = (host(&optimized), host(&plain));
        let detour = kernels.as_ref().map(|k| {
            let ir = llvm_text(&k.module, Flavor::Spir64).unwrap_or_else(|e| panic!("{name}: {e:?}"));
            host(
                &spirv_build::llvm::import(name, ir.as_bytes())
                    .unwrap_or_else(|e| panic!("{name}: {e:?}\n{ir}")),
            )
        });
        for (i, e) in optimized.entry_points.iter().enumerate() {
            let size = e.local_size.map(u64::from);
            let run = |ir: &str, params: &[ClArg]| outcome(ir, &e.name, size, params, class, slots.len());
            let wanted = run(&first, &all);
            assert!(wanted == run(&second, &all), "{name}: {} differs without passes", e.name);
            compared += usize::from(!wanted.is_empty());
            if let (Some(k), Some(detour)) = (&kernels, &detour) {
                let args = &k.args[i];
                assert!(wanted == run(&host(&k.module), args), "{name}: {} differs as a kernel", e.name);
                assert!(wanted == run(detour, args), "{name}: {} differs after the detour", e.name);
                compared += if wanted.is_empty() { 0 } else { 2 };
            }
        }
    }
    assert!(compared > 20, "only {compared} runs");
}

/// Tokens of programs, exchanged: what still compiles gives IR that LLVM accepts.
#[test]
fn llvm_verifies_changed_programs() {
    let rounds = std::env::var("ROUNDS").ok().and_then(|r| r.parse().ok()).unwrap_or(150);
    let cases: Vec<(PathBuf, String)> = cases::all()
        .into_iter()
        .map(|p| (p.clone(), std::fs::read_to_string(p).unwrap()))
        .filter(|(_, text)| !text.contains("ext_instruction"))
        .collect();
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let mut numbers = Numbers(17);
    let mut below = |n: usize| numbers.below(n);
    let (mut accepted, mut failures) = (0, Vec::new());
    for round in 0..rounds {
        let (path, text) = &cases[below(cases.len())];
        // The first line has the flags.
        let (first, text) = text.split_once('\n').unwrap_or((text, ""));
        let mut list = tokens(text, "_");
        let words: Vec<usize> = (0..list.len()).filter(|i| list[*i].chars().all(word)).collect();
        for _ in 0..=below(2) {
            let at = words[below(words.len())];
            let new = match below(2) {
                0 => list[words[below(words.len())]],
                _ => ["0", "1", "float3", "uint", "int2", "bool", "2.5", "float2x3", "half"][below(9)],
            };
            list[at] = new;
        }
        let Some(m) = cases::module(path, &format!("{first}\n{}", list.concat()), round % 2 == 0) else {
            continue;
        };
        let Ok(ir) = llvm_text(&m, Flavor::Host) else { continue };
        accepted += 1;
        let context = Context::create();
        let mut bytes = ir.clone().into_bytes();
        bytes.push(0);
        let buffer = inkwell::memory_buffer::MemoryBuffer::create_from_memory_range_copy(&bytes, "changed");
        let verdict = match context.create_module_from_ir(buffer) {
            Ok(module) => module.verify().map_err(|e| e.to_string()),
            Err(e) => Err(e.to_string()),
        };
        failures.extend(verdict.err().map(|e| format!("{}: {e}\n{ir}", path.display())));
    }
    assert!(accepted > rounds / 20, "{accepted} of {rounds} were accepted");
    assert!(failures.is_empty(), "{} of {accepted}, the first: {}", failures.len(), failures[0]);
}

/// What tells an invocation which it is: see the documentation of `export`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Invocation {
    workgroup_id: [u64; 3],
    local_invocation_id: [u64; 3],
    num_workgroups: [u64; 3],
    workgroup_size: [u64; 3],
    global_offset: [u64; 3],
    work_dim: u64,
    subgroup_size: u64,
    subgroup_local_invocation_id: u64,
    num_subgroups: u64,
    subgroup_id: u64,
}

thread_local! {
    static BARRIER: RefCell<Option<Arc<Barrier>>> = const { RefCell::new(None) };
}

extern "C" fn control_barrier(_: i32, _: i32, _: i32) {
    BARRIER.with(|b| b.borrow().as_ref().unwrap().wait());
}

/// Memory of a group, aligned as the interface says.
#[repr(align(64))]
struct Group([u8; 4096]);

/// An address that may go to other threads.
#[derive(Clone, Copy)]
struct Shared(*mut u8);

// SAFETY: the tests give each thread code that races on this memory no more than the kernels themselves do.
unsafe impl Send for Shared {}
// SAFETY: the same.
unsafe impl Sync for Shared {}

/// Runs all invocations: `call` gets the group's memory and the invocation. With barriers each has a thread of its own.
fn dispatch(groups: [u64; 3], size: [u64; 3], barriers: bool, call: impl Fn(*mut u8, &Invocation) + Sync) {
    let each = |n: [u64; 3]| {
        (0..n[2]).flat_map(move |z| (0..n[1]).flat_map(move |y| (0..n[0]).map(move |x| [x, y, z])))
    };
    for workgroup_id in each(groups) {
        let mut memory = Box::new(Group([0xcd; 4096]));
        let memory = Shared(memory.0.as_mut_ptr());
        let barrier = Arc::new(Barrier::new(size.iter().product::<u64>() as usize));
        let of = |local_invocation_id| Invocation {
            workgroup_id,
            local_invocation_id,
            num_workgroups: groups,
            workgroup_size: size,
            work_dim: 3,
            ..Invocation::default()
        };
        if !barriers {
            each(size).for_each(|local| call(memory.0, &of(local)));
            continue;
        }
        std::thread::scope(|scope| {
            for local in each(size) {
                let (barrier, call, invocation) = (barrier.clone(), &call, of(local));
                scope.spawn(move || {
                    BARRIER.with(|b| *b.borrow_mut() = Some(barrier));
                    let memory = memory;
                    call(memory.0, &invocation);
                });
            }
        });
    }
}

fn pointer<T>(data: &mut [T]) -> Shared {
    Shared(data.as_mut_ptr().cast())
}

/// Pads a block of constants.
fn words(list: &[u32]) -> Vec<u32> {
    let mut list = list.to_vec();
    list.resize(16, 0);
    list
}

#[test]
fn saxpy_runs() {
    for optimize in [true, false] {
        let context = Context::create();
        let engine = engine(&context, "saxpy", kernel("saxpy.hlsl", optimize));
        type Code = unsafe extern "C" fn(*const u8, u64, *mut u8, u64, *const u8, *mut u8, *const Invocation);
        let address = engine.get_function_address("main").unwrap();
        // SAFETY: the parameters are those of the kernel's resources x, y, Params.
        let code = unsafe { std::mem::transmute::<usize, Code>(address) };
        let n = 100u32;
        let mut x: Vec<f32> = (0..n).map(|i| i as f32 * 0.5).collect();
        let mut y: Vec<f32> = (0..n).map(|i| 1000.0 - i as f32).collect();
        let want: Vec<f32> = x.iter().zip(&y).map(|(x, y)| 1.75 * x + y).collect();
        let mut params = words(&[1.75f32.to_bits(), n]);
        let (px, py, pp) = (pointer(&mut x), pointer(&mut y), pointer(&mut params));
        dispatch([2, 1, 1], [64, 1, 1], false, |group, invocation| {
            let (px, py, pp) = (&px, &py, &pp);
            // SAFETY: the buffers have n elements, which the kernel checks; the block of constants is large enough.
            unsafe { code(px.0, u64::from(n) * 4, py.0, u64::from(n) * 4, pp.0, group, invocation) }
        });
        assert_eq!(y, want);
    }
}

#[test]
fn mandelbrot_runs() {
    for optimize in [true, false] {
        let context = Context::create();
        let engine = engine(&context, "mandelbrot", kernel("mandelbrot.hlsl", optimize));
        type Code = unsafe extern "C" fn(*mut u8, u64, *const u8, *mut u8, *const Invocation);
        let address = engine.get_function_address("main").unwrap();
        // SAFETY: the parameters are those of the kernel's resources iterations, View.
        let code = unsafe { std::mem::transmute::<usize, Code>(address) };
        let (width, height, limit) = (37u32, 11u32, 50u32);
        let (corner, step) = ([-2.5f32, -1.25], [3.5 / width as f32, 2.5 / height as f32]);
        let mut out = vec![0u32; (width * height) as usize];
        let floats = [corner[0], corner[1], step[0], step[1]].map(f32::to_bits);
        let mut view = words(&[&floats[..], &[width, height, limit]].concat());
        let bytes = out.len() as u64 * 4;
        let (po, pv) = (pointer(&mut out), pointer(&mut view));
        dispatch([3, 3, 1], [16, 4, 1], false, |group, invocation| {
            let (po, pv) = (&po, &pv);
            // SAFETY: the kernel writes within width and height, which the buffer has.
            unsafe { code(po.0, bytes, pv.0, group, invocation) }
        });
        for y in 0..height {
            for x in 0..width {
                let c = [corner[0] + x as f32 * step[0], corner[1] + y as f32 * step[1]];
                let (mut zx, mut zy, mut n) = (0f32, 0f32, 0);
                while n < limit {
                    (zx, zy) = (zx * zx - zy * zy + c[0], 2.0 * zx * zy + c[1]);
                    if zx * zx + zy * zy > 4.0 {
                        break;
                    }
                    n += 1;
                }
                assert_eq!(out[(y * width + x) as usize], n, "{x}, {y}");
            }
        }
    }
}

#[test]
fn reduction_runs_with_barriers() {
    for optimize in [true, false] {
        let context = Context::create();
        // The name that other tools give it as well.
        let name = "_Z22__spirv_ControlBarrieriii";
        let (engine, hooks) = engine_with(&context, "reduce", kernel("reduce.hlsl", optimize), &[name]);
        engine.add_global_mapping(&hooks[0], control_barrier as *const () as usize);
        type Code = unsafe extern "C" fn(*const u8, u64, *mut u8, u64, *const u8, *mut u8, *const Invocation);
        let address = engine.get_function_address("main").unwrap();
        // SAFETY: the parameters are those of the kernel's resources values, total, Params.
        let code = unsafe { std::mem::transmute::<usize, Code>(address) };
        let n = 200u32;
        let mut values: Vec<u32> = (0..n).map(|i| i.wrapping_mul(0x9e37_79b1)).collect();
        let mut total = vec![5u32];
        let mut params = words(&[n]);
        let (pv, pt, pp) = (pointer(&mut values), pointer(&mut total), pointer(&mut params));
        dispatch([2, 1, 1], [128, 1, 1], true, |group, invocation| {
            let (pv, pt, pp) = (&pv, &pt, &pp);
            // SAFETY: the kernel reads n values and writes one sum; 512 bytes of the group's memory are its own.
            unsafe { code(pv.0, u64::from(n) * 4, pt.0, 4, pp.0, group, invocation) }
        });
        assert_eq!(total, [values.iter().fold(5u32, |s, v| s.wrapping_add(*v))]);
    }
}

/// An image as the hooks of this test have it.
struct Picture {
    width: i32,
    texels: Vec<[f32; 4]>,
}

impl Picture {
    fn at(&mut self, at: &[i32; 2]) -> &mut [f32; 4] {
        &mut self.texels[(at[1] * self.width + at[0]) as usize]
    }
}

unsafe extern "C" fn image_fetch(
    to: *mut [f32; 4],
    image: *mut Picture,
    at: *const [i32; 2],
    _: i32,
    _: i32,
) {
    // SAFETY: the kernel was given addresses of pictures, and passes those of its own vectors.
    unsafe { *to = *(*image).at(&*at) };
}

unsafe extern "C" fn image_write(image: *mut Picture, at: *const [i32; 2], texel: *const [f32; 4]) {
    // SAFETY: the same.
    unsafe { *(*image).at(&*at) = *texel };
}

#[test]
fn blur_runs_with_images_of_the_host() {
    for optimize in [true, false] {
        let context = Context::create();
        let ir = kernel("blur.hlsl", optimize);
        let declared = |name: &str| {
            let at = ir.find(&format!("@{name}")).unwrap() + 1;
            ir[at..].split('(').next().unwrap().to_string()
        };
        let (fetch, write) = (declared("__spirv_ImageFetch"), declared("__spirv_ImageWrite"));
        let (engine, hooks) = engine_with(&context, "blur", ir.clone(), &[&fetch, &write]);
        engine.add_global_mapping(&hooks[0], image_fetch as *const () as usize);
        engine.add_global_mapping(&hooks[1], image_write as *const () as usize);
        type Code = unsafe extern "C" fn(*mut Picture, *mut Picture, *const u8, *mut u8, *const Invocation);
        let address = engine.get_function_address("main").unwrap();
        // SAFETY: the parameters are those of the kernel's resources source, target, Params.
        let code = unsafe { std::mem::transmute::<usize, Code>(address) };
        let (width, height) = (13i32, 10i32);
        let texels: Vec<[f32; 4]> =
            (0..width * height).map(|i| [i as f32, 1.0, -0.5 * i as f32, 0.25]).collect();
        let mut source = Picture { width, texels: texels.clone() };
        let mut target = Picture { width, texels: vec![[0.0; 4]; texels.len()] };
        let mut params = words(&[width as u32, height as u32, 1, 0]);
        let pp = pointer(&mut params);
        let (ps, pt) = (Shared((&raw mut source).cast()), Shared((&raw mut target).cast()));
        dispatch([2, 2, 1], [8, 8, 1], false, |group, invocation| {
            let (ps, pt, pp) = (&ps, &pt, &pp);
            // SAFETY: both pictures have the size that the constants say.
            unsafe { code(ps.0.cast(), pt.0.cast(), pp.0, group, invocation) }
        });
        let weights = [0.0625f32, 0.25, 0.375, 0.25, 0.0625];
        for y in 0..height {
            for x in 0..width {
                let mut want = [0f32; 4];
                for (i, w) in (0..).zip(weights) {
                    let t = texels[(y * width + (x + i - 2).clamp(0, width - 1)) as usize];
                    want.iter_mut().zip(t).for_each(|(s, t)| *s += w * t);
                }
                assert_eq!(*target.at(&[x, y]), want, "{x}, {y}");
            }
        }
    }
}

#[test]
fn imported_kernels_run() {
    let text = std::fs::read(root().join("tests/llvm/saxpy.ll")).unwrap();
    let module = spirv_build::llvm::import("saxpy.ll", &text).unwrap();
    let mut regions = module.clone();
    spirv_build::passes::structurize::run(&mut regions).unwrap();
    // As plain blocks, and with structure.
    for module in [module, regions] {
        let context = Context::create();
        let engine = engine(&context, "saxpy", llvm_text(&module, Flavor::Host).unwrap());
        type Code = unsafe extern "C" fn(*mut u8, *const u8, f32, u32, *mut u8, *const Invocation);
        let address = engine.get_function_address("saxpy").unwrap();
        // SAFETY: the parameters are the kernel's own and those that every entry point has.
        let code = unsafe { std::mem::transmute::<usize, Code>(address) };
        let n = 100u32;
        let mut x: Vec<f32> = (0..n).map(|i| i as f32).collect();
        let mut y: Vec<f32> = (0..n).map(|i| 0.25 * i as f32).collect();
        let want: Vec<f32> = x.iter().zip(&y).map(|(x, y)| 3.0f32.mul_add(*x, *y)).collect();
        let (px, py) = (pointer(&mut x), pointer(&mut y));
        dispatch([2, 1, 1], [64, 1, 1], false, |group, invocation| {
            let (px, py) = (&px, &py);
            // SAFETY: the buffers have n elements, which the kernel checks.
            unsafe { code(py.0, px.0, 3.0, n, group, invocation) }
        });
        assert_eq!(y, want);
    }
}

/// What OpenCL C makes of pointers in structs, memory without layouts and calls, as clang writes it.
#[test]
fn imported_kernels_with_calls_and_local_memory_run() {
    let text = r#"
target triple = "spir64-unknown-unknown"
%pair = type { i8, i32, <3 x float> }
@tile = internal addrspace(3) global [4 x i32] undef, align 4
@weights = internal addrspace(2) constant [4 x i32] [i32 1, i32 10, i32 100, i32 1000], align 4
declare spir_func i64 @_Z12get_local_idj(i32)
declare spir_func void @_Z7barrierj(i32)
declare spir_func i32 @_Z10atomic_addPU3AS1Vii(ptr addrspace(1), i32)
define internal spir_func i32 @pick(ptr %p, i64 %i) {
  %q = getelementptr inbounds [4 x i32], ptr %p, i64 0, i64 %i
  %v = load i32, ptr %q, align 4
  ret i32 %v
}
define spir_kernel void @k(ptr addrspace(1) %out, ptr addrspace(1) %pairs, ptr addrspace(3) %scratch) !reqd_work_group_size !0 {
  %private = alloca [4 x i32], align 4
  %id = call spir_func i64 @_Z12get_local_idj(i32 0)
  %mine = getelementptr inbounds [4 x i32], ptr %private, i64 0, i64 %id
  %n = getelementptr inbounds %pair, ptr addrspace(1) %pairs, i64 %id, i32 1
  %x = load i32, ptr addrspace(1) %n, align 4
  store i32 %x, ptr %mine, align 4
  %slot = getelementptr inbounds [4 x i32], ptr addrspace(3) @tile, i64 0, i64 %id
  store i32 %x, ptr addrspace(3) %slot, align 4
  %own = getelementptr inbounds i32, ptr addrspace(3) %scratch, i64 %id
  store i32 %x, ptr addrspace(3) %own, align 4
  call spir_func void @_Z7barrierj(i32 1)
  %other = xor i64 %id, 3
  %theirs = getelementptr inbounds [4 x i32], ptr addrspace(3) @tile, i64 0, i64 %other
  %y = load i32, ptr addrspace(3) %theirs, align 4
  %w = getelementptr inbounds [4 x i32], ptr addrspace(2) @weights, i64 0, i64 %id
  %weight = load i32, ptr addrspace(2) %w, align 4
  %z = mul i32 %y, %weight
  %old = call spir_func i32 @_Z10atomic_addPU3AS1Vii(ptr addrspace(1) %out, i32 %z)
  %again = call spir_func i32 @pick(ptr %private, i64 %id)
  %to = getelementptr inbounds i32, ptr addrspace(1) %out, i64 1
  %at = getelementptr inbounds i32, ptr addrspace(1) %to, i64 %id
  store i32 %again, ptr addrspace(1) %at, align 4
  ret void
}
!0 = !{i32 4, i32 1, i32 1}
"#;
    let module = spirv_build::llvm::import("k.ll", text.as_bytes()).unwrap_or_else(|e| panic!("{e:?}"));
    let context = Context::create();
    let ir = llvm_text(&module, Flavor::Host).unwrap();
    let (engine, hooks) = engine_with(&context, "k", ir, &["_Z22__spirv_ControlBarrieriii"]);
    engine.add_global_mapping(&hooks[0], control_barrier as *const () as usize);
    type Code = unsafe extern "C" fn(*mut u8, *mut u8, *mut u8, *mut u8, *const Invocation);
    let address = engine.get_function_address("k").unwrap();
    // SAFETY: the parameters are the kernel's own and those that every entry point has.
    let code = unsafe { std::mem::transmute::<usize, Code>(address) };
    // A pair takes 32 bytes: a vector of three has the room of four.
    let mut pairs = vec![0u32; 32];
    (0..4).for_each(|i| pairs[i * 8 + 1] = 2 + i as u32);
    let (mut out, mut scratch) = (vec![0u32; 5], vec![0u32; 4]);
    let (po, pp, ps) = (pointer(&mut out), pointer(&mut pairs), pointer(&mut scratch));
    dispatch([1, 1, 1], [4, 1, 1], true, |group, invocation| {
        let (po, pp, ps) = (&po, &pp, &ps);
        // SAFETY: all have as many elements as a group of four touches.
        unsafe { code(po.0, pp.0, ps.0, group, invocation) }
    });
    assert_eq!(out, [5 + 40 + 300 + 2000, 2, 3, 4, 5]);
    assert_eq!(scratch, [2, 3, 4, 5]);
}
