//! `include_kernel!`: the module of a kernel, and the parts that `spirv_kernel!` shares.

use crate::fallback::{self, Mistake, Place};
use crate::input::{Include, Source};
use crate::level_zero::{cl_entry, limits_doc};
use crate::rust_types::{self, number};
use crate::shared::Types;
use crate::structs::Structs;
use crate::{artifacts, constants, images, names, signature};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use spirv_interface::{Binding, CpuEntry, EntryPoint, Interface, Resource, ResourceKind, Type, WaveSize};
use std::path::Path;
use syn::LitStr;

/// Expands `include_kernel!`.
pub fn include_kernel(input: TokenStream) -> TokenStream {
    let include: Include = match syn::parse2(input) {
        Ok(include) => include,
        Err(e) => return e.into_compile_error(),
    };
    let path = include.source.path.value();
    let attrs = &include.attrs;
    let expanded = found(&include.source).and_then(|(dir, interface, types)| {
        let entries = choose_entries(&interface, &include.source)?;
        let name = module_name(&include);
        let module = module(&dir, &interface, &entries, (&types, &path))
            .map_err(|message| (Place::of(&include.source.path), message))?;
        let doc = format!("The kernel `{}` ({}).", interface.kernel, interface.source);
        let vis = &include.vis;
        Ok(quote! {
            #(#attrs)*
            #[doc = #doc]
            #[allow(dead_code)]
            #vis mod #name { #module }
        })
    });
    expanded.unwrap_or_else(|mistake| {
        let name = module_name(&include);
        fallback::module(&include.vis, &name, &mistake, artifacts::source(&path).as_deref())
    })
}

/// The kernel's folder and interface and where its structs are, or what is wrong with it.
pub fn found(source: &Source) -> Result<(std::path::PathBuf, Interface, Types), Mistake> {
    let mistake = |message| (Place::of(&source.path), message);
    let name = source.name.as_ref().map(LitStr::value);
    let kernel = artifacts::find(&source.path.value(), name.as_deref()).map_err(|wrong| {
        match (wrong, &source.name) {
            (artifacts::NotFound::Name(message), Some(name)) => (Place::of(name), message),
            (artifacts::NotFound::Name(message) | artifacts::NotFound::Kernel(message), _) => {
                mistake(message)
            }
        }
    })?;
    let mut interface = kernel.interface.map_err(mistake)?;
    let types = Types::of(&kernel.dir, &kernel.all, &kernel.compiled, &interface);
    interface.kernel = kernel.name;
    Ok((kernel.dir, interface, types))
}

/// The name of the module: the one that is asked for, or the kernel's, or the file stem.
fn module_name(include: &Include) -> Ident {
    let path = include.source.path.value();
    let stem = || Path::new(&path).file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let name = || include.source.name.as_ref().map_or_else(stem, LitStr::value);
    include.name.clone().unwrap_or_else(|| names::ident(&name(), Span::call_site()))
}

/// The entry points that stubs are made for.
pub fn choose_entries<'a>(interface: &'a Interface, source: &Source) -> Result<Vec<&'a EntryPoint>, Mistake> {
    let all: Vec<&str> = interface.entries.iter().map(|e| e.name.as_str()).collect();
    if all.is_empty() {
        let message = format!(
            "`{}` has no entry point\nhelp: give a function the attribute [numthreads(x, y, z)]",
            interface.source
        );
        return Err((Place::of(&source.path), message));
    }
    let Some(entry) = &source.entry else {
        return Ok(interface.entries.iter().collect());
    };
    let wanted = entry.value();
    if let Some(found) = interface.entries.iter().find(|e| e.name == wanted) {
        return Ok(vec![found]);
    }
    let mut message = format!("`{}` has no entry point `{wanted}`\n", interface.source);
    if let Some(near) = names::closest(&wanted, &all) {
        message += &format!("help: did you mean `{near}`?\n");
    }
    message += &format!("note: it has {}", names::list(&all));
    Err((Place::of(entry), message))
}

/// What is in the kernel's module.
fn module(
    dir: &Path,
    interface: &Interface,
    entries: &[&EntryPoint],
    (types, path): (&Types, &str),
) -> Result<TokenStream, String> {
    let mut resources: Vec<u32> = entries.iter().flat_map(|e| e.resources.clone()).collect();
    resources.sort_unstable();
    resources.dedup();
    let kernel = kernel_static(dir, interface)?;
    let structs = Structs::new(interface, &resources, types)?;
    let (definitions, checks) = (structs.define()?, structs.checks());
    let link = link_attribute(interface);
    let body = match entries {
        [entry] => entry_items(dir, interface, entry, (&structs, types), &quote!(), &link)?,
        _ => {
            let structs = structs.seen_from_below();
            let mut taken = Vec::new();
            let mut modules = TokenStream::new();
            for entry in entries {
                let name = names::unique(names::snake(&entry.name), &taken);
                let ident = names::ident(&name, Span::call_site());
                taken.push(name);
                let items = entry_items(dir, interface, entry, (&structs, types), &quote!(super::), &link)?;
                let doc = format!("The entry point `{}` of {path}.", entry.name);
                modules.extend(quote! { #[doc = #doc] pub mod #ident { #items } });
            }
            modules
        }
    };
    let constants = constants::define(interface);
    Ok(quote! { #kernel #definitions #constants #checks #body })
}

/// `static __KERNEL`, which describes the file.
pub fn kernel_static(dir: &Path, interface: &Interface) -> Result<TokenStream, String> {
    let (name, source) = (&interface.kernel, &interface.source);
    let tracked = artifacts::file(dir, &format!("{name}.interface"))?;
    let spirv = match &interface.spirv {
        Some(name) => {
            let path = artifacts::file(dir, name)?;
            quote!(::core::option::Option::Some(::core::include_bytes!(#path)))
        }
        None => quote!(::core::option::Option::None),
    };
    let resources = interface.resources.iter().map(|r| resource_desc(interface, r));
    Ok(quote! {
        // Cargo rebuilds this crate when the interface changes.
        const _: &[u8] = ::core::include_bytes!(#tracked);
        static __KERNEL: ::spirv_runtime::__private::KernelDesc = ::spirv_runtime::__private::KernelDesc {
            name: #name,
            source: #source,
            spirv: #spirv,
            resources: &[#(#resources),*],
        };
    })
}

fn resource_desc(interface: &Interface, r: &Resource) -> TokenStream {
    let (name, writable) = (&r.name, r.writable);
    let binding = match r.binding {
        Binding::Descriptor { set, binding } => quote!(Descriptor { set: #set, binding: #binding }),
        Binding::PushConstant { offset, size } => quote!(PushConstant { offset: #offset, size: #size }),
        Binding::Address { block, offset } => quote!(Address { block: #block, offset: #offset }),
        Binding::Length { id, unit } => quote!(Length { id: #id, unit: #unit }),
    };
    let kind = match &r.kind {
        ResourceKind::Buffer { stride, .. } => quote!(Buffer { stride: #stride }),
        ResourceKind::Constants(i) => {
            let size = interface.structs[*i as usize].size;
            quote!(Constants { size: #size })
        }
        ResourceKind::Local { stride, .. } => quote!(Local { stride: #stride }),
        ResourceKind::Bytes => quote!(Bytes),
        other => images::describe(other).unwrap_or_default(),
    };
    quote! {
        ::spirv_runtime::__private::ResourceDesc {
            name: #name,
            writable: #writable,
            binding: ::spirv_runtime::__private::Binding::#binding,
            kind: ::spirv_runtime::__private::ResourceKind::#kind,
        }
    }
}

/// The attribute that names the static library of the native code. Unlike `cargo::rustc-link-lib`, it reaches every target of a
/// package that has several.
pub fn link_attribute(interface: &Interface) -> TokenStream {
    match &interface.library {
        Some(name) => quote!(#[link(name = #name, kind = "static")]),
        None => quote!(),
    }
}

/// `static __ENTRY`, which describes the entry point, and the declarations of its native code.
///
/// `dir` has the artifacts, and `link` says which library the native code is in.
pub fn entry_static(
    dir: &Path,
    entry: &EntryPoint,
    prefix: &TokenStream,
    link: &TokenStream,
) -> Result<TokenStream, String> {
    let (name, [x, y, z], arguments) = (&entry.name, entry.local_size, &entry.resources);
    let used = entry.used();
    let samples = entry.samples.iter().map(|(image, sampler)| quote!((#image, #sampler)));
    let none = quote!(::core::option::Option::None);
    let wave = entry.wave.map_or(none.clone(), |WaveSize { least, most, wanted }| {
        let wanted = wanted.map_or(none, |n| quote!(::core::option::Option::Some(#n)));
        quote! {
            ::core::option::Option::Some(::spirv_runtime::__private::WaveSize {
                least: #least, most: #most, wanted: #wanted,
            })
        }
    });
    let mut functions = TokenStream::new();
    let mut cpu = match &entry.cpu {
        CpuEntry::Refused(reason) => quote!(::spirv_runtime::__private::CpuEntry::Refused(#reason)),
        _ => quote!(::spirv_runtime::__private::CpuEntry::Absent),
    };
    if let Some(code) = entry.cpu.code() {
        let isas = &code.isas;
        let symbols: Vec<Ident> = isas
            .iter()
            .map(|isa| names::ident(&format!("{}_{isa}", code.symbol), Span::call_site()))
            .collect();
        let scratch = code.scratch;
        functions = quote! {
            #link
            unsafe extern "C" {
                #(fn #symbols(
                    launch: *const ::spirv_runtime::__private::Launch, begin: u64, end: u64, scratch: *mut u8,
                );)*
            }
        };
        cpu = quote! {
            ::spirv_runtime::__private::CpuEntry::Code(::spirv_runtime::__private::CpuCode {
                scratch: #scratch,
                functions: &[#((#isas, #symbols)),*],
            })
        };
    }
    let (cl, cl_memory) = (cl_entry(dir, &entry.cl)?, cl_entry(dir, &entry.cl_memory)?);
    Ok(quote! {
        #functions
        static __ENTRY: ::spirv_runtime::__private::EntryDesc = ::spirv_runtime::__private::EntryDesc {
            kernel: &#prefix __KERNEL,
            name: #name,
            local_size: [#x, #y, #z],
            arguments: &[#(#arguments),*],
            resources: &[#(#used),*],
            wave: #wave,
            samples: &[#(#samples),*],
            cl: #cl,
            cl_memory: #cl_memory,
            cpu: #cpu,
        };
    })
}

/// A field of `Args`.
pub struct Field {
    /// Name.
    pub name: Ident,
    /// Documentation.
    pub doc: String,
    /// Type, with the lifetime `'a`.
    pub ty: TokenStream,
    /// Generic parameter of the type.
    pub generic: Option<Generic>,
    /// Statement before the launch.
    pub before: TokenStream,
    /// The launch argument, made from `args`.
    pub arg: TokenStream,
    /// Whether the type has the lifetime.
    pub borrowed: bool,
}

/// A generic parameter of `Args`.
pub struct Generic {
    /// Name.
    pub name: Ident,
    /// What any `Args` need.
    pub bound: TokenStream,
    /// What a launch needs. Not asked of `Args` as well, so that a mistake is reported once.
    pub at_launch: TokenStream,
    /// The trait that says so, if it is one for this field.
    pub item: TokenStream,
}

/// Whether a block of constants holds nothing that the caller gives, only addresses, which the runtime fills in.
fn is_hidden(interface: &Interface, r: u32) -> bool {
    match interface.resources[r as usize].kind {
        ResourceKind::Constants(s) => interface.structs[s as usize].members.is_empty(),
        _ => false,
    }
}

/// The resources that the caller gives, as indices, in the order of the entry point's.
pub fn given<'a>(interface: &'a Interface, entry: &'a EntryPoint) -> impl Iterator<Item = u32> + 'a {
    entry.resources.iter().copied().filter(|r| !is_hidden(interface, *r))
}

/// The names of the fields of `Args`, in the order of the resources that the caller gives.
pub fn field_names(interface: &Interface, entry: &EntryPoint) -> Vec<String> {
    let mut taken = vec!["threads".to_string()];
    for r in given(interface, entry) {
        taken.push(names::unique(names::snake(&interface.resources[r as usize].name), &taken));
    }
    taken.split_off(1)
}

fn entry_items(
    dir: &Path,
    interface: &Interface,
    entry: &EntryPoint,
    (structs, types): (&Structs<'_>, &Types),
    prefix: &TokenStream,
    link: &TokenStream,
) -> Result<TokenStream, String> {
    let names = field_names(interface, entry);
    let mut fields = Vec::new();
    let mut checks = TokenStream::new();
    for (name, r) in names.iter().zip(given(interface, entry)) {
        let resource = &interface.resources[r as usize];
        let mut field = field(interface, resource, name, structs)?;
        if let Some((ty, check)) = signature::user_element(interface, resource, types)? {
            let mutable = resource.writable.then(|| quote!(mut));
            field.ty = quote!(&'a #mutable ::spirv_runtime::Buffer<#ty>);
            checks.extend(check);
        }
        if entry.unused.contains(&r) {
            field.doc += " The kernel has no use for it: it is checked, but no device is given it.";
        }
        fields.push(field);
    }
    let entry_static = entry_static(dir, entry, prefix, link)?;
    let items = launch_items(interface, entry, &fields, prefix);
    Ok(quote! { #entry_static #checks #items })
}

/// Where a resource is declared, for messages.
pub fn place(interface: &Interface, r: &Resource) -> String {
    format!("{}:{}: `{} {}`", interface.source, r.line, r.hlsl, r.name)
}

/// The name of a generic parameter; unique since the field's name is.
fn generic_name(field: &str, kind: &str) -> Ident {
    let underscores = "_".repeat(field.len() - field.trim_end_matches('_').len());
    format_ident!("{}{kind}{underscores}", names::camel(field))
}

fn field(interface: &Interface, r: &Resource, name: &str, structs: &Structs<'_>) -> Result<Field, String> {
    if let Some(why) = images::unsupported(interface, r) {
        return Err(why);
    }
    let ident = names::ident(name, Span::call_site());
    let mut doc = format!("`{} {}` (line {}).", r.hlsl, r.name, r.line);
    let mut generic = None;
    let inner = match &r.kind {
        ResourceKind::Buffer { elem, stride } => {
            let (elem, ..) = rust_types::element(elem, *stride, structs).ok_or_else(|| {
                format!("{}\nno Rust type has the layout of its elements", place(interface, r))
            })?;
            quote!(::spirv_runtime::Buffer<#elem>)
        }
        ResourceKind::Bytes => {
            doc += " Any element type; the kernel sees its bytes.";
            let parameter = generic_name(name, "Element");
            let bound = quote!(::spirv_runtime::Element);
            let (name, at_launch, item) = (parameter.clone(), bound.clone(), quote!());
            generic = Some(Generic { name, bound, at_launch, item });
            quote!(::spirv_runtime::Buffer<#parameter>)
        }
        ResourceKind::Image { dim, arrayed, format, count, .. } => {
            let dimension = images::dimension_parameter(*dim, *arrayed);
            let format = match images::marker(format) {
                Some(marker) => {
                    let marker = names::ident(marker, Span::call_site());
                    quote!(::spirv_runtime::#marker)
                }
                None => {
                    let parameter = generic_name(name, "Format");
                    generic = Some(images::format_parameter(interface, r, name, &parameter));
                    quote!(#parameter)
                }
            };
            if r.writable {
                doc += " The first level of an image that has several.";
            }
            // An image or a level: levels are lent as such only.
            let image = quote!(::spirv_runtime::ImageView<#format #dimension>);
            if let Some(n) = count {
                let n = number(*n);
                let (reference, method, each) = match r.writable {
                    true => (quote!(&'a mut), quote!(__arg_mut), quote!(into_iter)),
                    false => (quote!(&'a), quote!(__arg), quote!(into_iter)),
                };
                return Ok(Field {
                    name: ident.clone(),
                    doc,
                    ty: quote!([#reference #image; #n]),
                    generic,
                    before: quote!(),
                    arg: quote!(::spirv_runtime::__private::Arg::images(
                        args.#ident.#each().map(|image| image.#method()).collect()
                    )),
                    borrowed: true,
                });
            }
            image
        }
        ResourceKind::Texels { scalar, components, format, .. } => {
            let element = images::texels(*scalar, *components, format).element;
            quote!(::spirv_runtime::Buffer<#element>)
        }
        ResourceKind::Sampler { compares } => {
            doc += if *compares { " Made with `compare`." } else { " Made without `compare`." };
            quote!(::spirv_runtime::Sampler)
        }
        ResourceKind::Constants(i) => {
            let local = format_ident!("__constants_{}", name);
            let size = number(structs.get(*i).size);
            let before = if structs.is_elsewhere(*i) {
                quote! { let #local = &::spirv_runtime::__private::padded::<_, #size>(&args.#ident); }
            } else if structs.is_exact(*i) {
                quote! { let #local = ::spirv_runtime::__private::bytemuck::bytes_of(&args.#ident); }
            } else {
                quote! {
                    let mut #local = [0u8; #size];
                    args.#ident.__pack(&mut #local);
                    let #local = &#local;
                }
            };
            return Ok(Field {
                name: ident,
                doc,
                ty: structs.path(*i),
                generic,
                before,
                arg: quote!(::spirv_runtime::__private::Arg::constants(#local)),
                borrowed: false,
            });
        }
        ResourceKind::Local { elem, .. } => {
            let elem = match elem {
                Type::Scalar(s) => s.rust(),
                _ => "vector",
            };
            doc += &format!(" Number of `{elem}` elements that each work-group has.");
            return Ok(Field {
                arg: quote!(::spirv_runtime::__private::Arg::length(args.#ident)),
                name: ident,
                doc,
                ty: quote!(usize),
                generic,
                before: quote!(),
                borrowed: false,
            });
        }
    };
    let (ty, arg) = if r.writable {
        (quote!(&'a mut #inner), quote!(args.#ident.__arg_mut()))
    } else {
        (quote!(&'a #inner), quote!(args.#ident.__arg()))
    };
    Ok(Field { name: ident, doc, ty, generic, before: quote!(), arg, borrowed: true })
}

/// `Args`, `Kernel` and `load`; `prefix` leads to the kernel's module.
pub fn launch_items(
    interface: &Interface,
    entry: &EntryPoint,
    fields: &[Field],
    prefix: &TokenStream,
) -> TokenStream {
    let [x, y, z] = entry.local_size;
    let lifetime = fields.iter().any(|f| f.borrowed).then(|| quote!('a,));
    let elided = fields.iter().any(|f| f.borrowed).then(|| quote!('_,));
    let generics = || fields.iter().filter_map(|f| f.generic.as_ref());
    let parameters: Vec<_> = generics().map(|g| &g.name).collect();
    let bounds: Vec<_> = generics().map(|g| &g.bound).collect();
    let at_launch = generics().map(|g| &g.at_launch);
    let traits = generics().map(|g| &g.item);
    let (names, types): (Vec<_>, Vec<_>) = fields.iter().map(|f| (&f.name, &f.ty)).unzip();
    let docs = fields.iter().map(|f| &f.doc);
    let befores = fields.iter().map(|f| &f.before);
    let mut given = fields.iter();
    let args = entry.resources.iter().filter_map(|r| {
        if is_hidden(interface, *r) {
            let ResourceKind::Constants(s) = interface.resources[*r as usize].kind else { return None };
            let size = number(interface.structs[s as usize].size);
            return Some(quote!(::spirv_runtime::__private::Arg::constants(&[0u8; #size])));
        }
        given.next().map(|f| f.arg.clone())
    });
    let args_doc = format!("Arguments of `{}` in {}.", entry.name, interface.source);
    let kernel_doc = format!(
        "`{}` of {}, loaded on a device. Cloning makes another handle.",
        entry.name, interface.source
    );
    let threads_doc = format!(
        "Work-items in x, y and z, rounded up to work-groups of {x} x {y} x {z}: the kernel must check its \
         thread's index where the sizes are no multiples. Zero anywhere launches nothing."
    );
    let load_doc = format!(
        "Loads the kernel on a device.\n\n# Errors\nThe kernel was not compiled for such a device, or the device lacks a \
         feature that it needs.{}",
        limits_doc(entry)
    );
    let load = constants::load(interface, prefix, &load_doc);
    quote! {
        #(#traits)*

        #[doc = #args_doc]
        pub struct Args<#lifetime #(#parameters: #bounds),*> {
            #(#[doc = #docs] pub #names: #types,)*
            #[doc = #threads_doc]
            pub threads: [u32; 3],
        }

        #[doc = #kernel_doc]
        #[derive(Clone)]
        pub struct Kernel(::spirv_runtime::__private::Loaded);

        impl ::core::fmt::Debug for Kernel {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::fmt::Debug::fmt(&self.0, f)
            }
        }

        #load

        impl Kernel {
            /// Work-items in a work-group.
            pub const LOCAL_SIZE: [u32; 3] = [#x, #y, #z];

            /// Launches the kernel. It runs after what was launched before; reading a buffer that it writes waits
            /// for it.
            ///
            /// # Errors
            /// An argument is on another device, the launch exceeds a limit of the device, or the device was lost.
            pub fn launch<#(#parameters: #at_launch),*>(
                &self,
                queue: &::spirv_runtime::Queue,
                args: Args<#elided #(#parameters),*>,
            ) -> ::spirv_runtime::Result<()> {
                let threads = args.threads;
                #(#befores)*
                self.0.launch(queue, threads, &[#(#args),*])
            }

            /// The device that it was loaded on.
            pub fn device(&self) -> &::spirv_runtime::Device {
                self.0.device()
            }

            /// What runs it: an instruction set of the CPU (`avx2`), or `vulkan`.
            pub fn code_name(&self) -> &'static str {
                self.0.code_name()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_for_level_zero_reaches_the_descriptions() {
        let text = "spirv-interface 5\nkernel k\nsource k.hlsl\n\
            resource x line 1 write descriptor 0 0 bytes hlsl RWByteAddressBuffer\n\
            resource p line 2 write descriptor 0 1 image 2d single storage Rgba8 4 f32 hlsl RWTexture2D<float4>\n\
            entry main size 64 1 1 resources 0 1\ncl k.0.cl.spv pointer 0 length 0 local 256 image 1\n\
            cl-memory k.1.cl.spv texels 1 extent 1\n\
            entry turn size 1 1 1 resources\ncl none k.hlsl:3:4: no matrices\n";
        let interface = Interface::from_text(text).unwrap();
        let kernel = kernel_static(Path::new("/out"), &interface).unwrap().to_string();
        assert!(kernel.contains(" spirv : :: core :: option :: Option :: None"), "{kernel}");
        assert!(kernel.contains("format : :: core :: option :: Option :: Some (\"Rgba8Unorm\")"), "{kernel}");
        let entry = |i: usize| {
            let made = entry_static(Path::new("/out"), &interface.entries[i], &quote!(), &quote!());
            made.unwrap().to_string()
        };
        let (entry, turn) = (entry(0), entry(1));
        for file in ["/out/k.0.cl.spv", "/out/k.1.cl.spv"] {
            let code = format!("Kernel {{ code : :: core :: include_bytes ! (\"{file}\")");
            assert!(entry.contains(&code), "{entry}");
        }
        for arg in ["Pointer (0u32)", "Length (0u32)", "Local (256u32)", "Image (1u32)", "Texels (1u32)"] {
            assert!(entry.contains(&format!("ClArg :: {arg}")), "{entry}");
        }
        // The reason is where a user looks: in the description, and in the documentation.
        assert!(turn.contains("ClEntry :: Refused (\"k.hlsl:3:4: no matrices\")"), "{turn}");
        assert!(turn.contains("cl_memory : :: spirv_runtime :: __private :: ClEntry :: Absent"), "{turn}");
        let items = launch_items(&interface, &interface.entries[1], &[], &quote!()).to_string();
        assert!(items.contains("Devices of Level Zero cannot run it: k.hlsl:3:4: no matrices."), "{items}");
    }

    #[test]
    fn addresses_are_no_business_of_the_caller() {
        let text = "spirv-interface 5\nkernel k\nsource k.ll\nspirv k.vk.spv\n\
            struct Params size 16 align 4\n\
            resource a line 1 write address 2 0 buffer stride 4 type f32 hlsl global float*\n\
            resource tmp line 1 write length 100 4 local stride 4 type f32 hlsl local float*\n\
            resource params line 1 read push 0 16 constants type struct 0 hlsl parameters\n\
            entry k size 64 1 1 resources 0 1 2\n";
        let interface = Interface::from_text(text).unwrap();
        let entry = &interface.entries[0];
        assert_eq!(field_names(&interface, entry), ["a", "tmp"]);
        let types = Types::default();
        let structs = Structs::new(&interface, &entry.resources, &types).unwrap();
        let items = entry_items(Path::new(""), &interface, entry, (&structs, &types), &quote!(), &quote!());
        let items = items.unwrap().to_string();
        assert!(items.contains("pub a : & 'a mut :: spirv_runtime :: Buffer < f32 >"), "{items}");
        assert!(items.contains("pub tmp : usize"), "{items}");
        assert!(items.contains("Arg :: length (args . tmp)"), "{items}");
        assert!(items.contains("Arg :: constants (& [0u8 ; 16"), "{items}");
        assert!(!items.contains("pub params"), "{items}");
    }
}
