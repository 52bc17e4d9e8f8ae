//! The macros of `spirv-runtime`, which re-exports and documents them: depend on that crate instead.
//!
//! They read what `spirv-build` left in `OUT_DIR/spirv` while the build script ran:
//!
//! ```text
//! OUT_DIR/spirv/
//!   index              one line a kernel: its name, a tab, its source relative to the package
//!   blur.interface     entry points, resources, layouts, and what is in the files below (see spirv-interface)
//!   blur.vk.spv        the SPIR-V module
//!   blur.0.cl.spv ...  modules for Level Zero, of the entry points that have a form there
//!   lib<symbol>.a      only if the kernel has native code: the static library that the stub links
//!   blur.diag          only if the kernel has errors: their rendered text
//! ```
//!
//! Every mistake is a compile error at the token that is wrong. Where the kernel itself has errors, or was never
//! compiled, the output holds one error and stand-ins whose types are all that error, so that rustc stays silent
//! about the uses (see `fallback`).
#![deny(missing_docs)]

mod artifacts;
mod constants;
mod derive;
mod fallback;
mod images;
mod input;
mod level_zero;
mod names;
mod rust_types;
mod shared;
mod signature;
mod structs;
mod stub;
mod types;

use proc_macro::TokenStream;

/// Turns a kernel that build.rs compiled into a module with a typed launch stub.
///
/// ```ignore
/// include_kernel!("kernels/blur.hlsl");                        // mod blur
/// include_kernel!("kernels/blur.hlsl", entry = "horizontal");  // this entry point only
/// include_kernel!(pub mod gauss = "kernels/blur.hlsl");        // pub mod gauss
/// ```
///
/// The path is the one that build.rs compiled, relative to the package. The module has
///
/// - `Args`: one field a resource of the kernel, in snake case, and `threads`, the number of work-items in x, y
///   and z (rounded up to whole work-groups). Buffers and images that the kernel only reads are `&`, those that it
///   writes are `&mut`, constant buffers are values.
///   Which resources these are follows from the source, not from what optimisation leaves of it: those that the entry
///   point names, also behind a `return` or in functions that it calls, and, if the file has one entry point, all that the file
///   itself declares (what its includes declare only if it is named). Commenting out a line changes nothing here; only the
///   counter of an `RWStructuredBuffer` is an argument as long as something counts. What the code does not use is checked, but
///   costs nothing at launch. In a file with several entry points `spirv_build::config().shared_arguments(true)` gives all the
///   same arguments, whatever each uses.
/// - a struct for each struct of the kernel that the host sees. Those of constant buffers have the kernel's members
///   and nothing else; the padding is added at launch. Those that are elements of buffers lie in memory as in the
///   kernel; where that needs padding, they have `_pad` fields and a `Default`.
/// - `load`, which gives a `Kernel`, which has `launch`.
/// - for `[[vk::constant_id(n)]]` constants, a struct `Constants` with a field for each, whose `Default` are the values in the
///   source, and `load_with(&device, &Constants { taps: 9, ..Default::default() })`. On the CPU nothing is compiled again for
///   that, and every device has the same types: `bool`, integers and floats (`half` as its bits).
///
/// A file with several entry points gives one module for each inside the kernel's module; the structs are shared.
#[proc_macro]
pub fn include_kernel(input: TokenStream) -> TokenStream {
    stub::include_kernel(input.into()).into()
}

/// The structs of all kernels that build.rs compiled with the same module for their types, once each.
///
/// ```ignore
/// // build.rs: spirv_build::config().types("crate::gpu").compile("kernels/move.hlsl"); and so on
/// pub mod gpu {
///     spirv_runtime::include_types!();                 // struct Particle, ...
/// }
/// ```
///
/// The stubs of these kernels take and give `crate::gpu::Particle`. Structs lie in memory as in the kernel; where that needs
/// padding they have `_pad` fields and a `Default`, and where it needs more (layouts that pack) they are `repr(packed)`. A
/// package with several such modules says which one is meant: `include_types!("crate::gpu")`.
///
/// Two kernels that have different structs of one name are an error, which names the first member that differs.
#[proc_macro]
pub fn include_types(input: TokenStream) -> TokenStream {
    types::include_types(input.into()).into()
}

/// Declares kernels with Rust signatures, checked against what build.rs compiled.
///
/// ```ignore
/// #[derive(Clone, Copy, KernelStruct)]
/// #[repr(C)]
/// struct Particle { position: [f32; 3], mass: f32 }
///
/// spirv_kernel! {
///     /// One time step.
///     #[kernel("kernels/particles.hlsl", entry = "main")]
///     pub fn step(particles: &mut Buffer<Particle>, field: &Image<R32Float>, params: Params);
/// }
/// ```
///
/// Images of other than two dimensions name theirs: `&Image<R32Float, D3>`. Samplers are `&Sampler`.
///
/// Makes a module `step` with `Args`, `load` and `Kernel`, as `include_kernel!` does, but with the types of the
/// signature. Arguments are matched with the kernel's resources by name, in any order; access, element types,
/// image formats and, field by field, struct layouts must agree. What the file declares and the entry point does not name may be
/// declared or left out. The types must be visible where the macro is used,
/// at the level of items. `entry` may be left out where the file has one entry point.
#[proc_macro]
pub fn spirv_kernel(input: TokenStream) -> TokenStream {
    signature::spirv_kernel(input.into()).into()
}

/// Lets a `#[repr(C)]` struct of plain data be an element of buffers, or the value of a constant buffer, in
/// `spirv_kernel!` signatures.
///
/// `#[repr(C, packed(4))]` and its like are for structs that the kernel packs (`-fvk-use-scalar-layout`); a `#[repr(transparent)]`
/// wrapper of one field lies in memory as that does.
///
/// Implements `KernelType`, and bytemuck's `Zeroable` and `Pod` after checking that the struct has no hidden
/// padding. If the struct derives those itself, write `#[kernel_struct(external_pod)]`.
#[proc_macro_derive(KernelStruct, attributes(kernel_struct))]
pub fn kernel_struct(input: TokenStream) -> TokenStream {
    derive::kernel_struct(input.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}
