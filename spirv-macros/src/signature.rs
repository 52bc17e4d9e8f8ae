//! `spirv_kernel!`: signatures declared in Rust, checked against the kernel.

use crate::fallback::{self, Mistake, Place};
use crate::input::Source;
use crate::shared::Types;
use crate::stub::{self, Field};
use crate::{constants, images, names};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use spirv_interface::{EntryPoint, IMAGE_FORMATS, Interface, Resource, ResourceKind, Scalar, Type};
use std::collections::BTreeSet;
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{FnArg, ForeignItemFn, GenericArgument, Pat, PathArguments, ReturnType, TypePath};

/// Expands `spirv_kernel!`.
pub fn spirv_kernel(input: TokenStream) -> TokenStream {
    match syn::parse2::<Signatures>(input) {
        Ok(signatures) => signatures.0.iter().map(expand).collect(),
        Err(e) => e.into_compile_error(),
    }
}

struct Signatures(Vec<ForeignItemFn>);

impl Parse for Signatures {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut all = Vec::new();
        while !input.is_empty() {
            all.push(input.parse()?);
        }
        if all.is_empty() {
            return Err(input.error("expected `#[kernel(\"kernels/blur.hlsl\")] fn blur(...);`"));
        }
        Ok(Signatures(all))
    }
}

/// How an argument is passed.
enum Passing<'a> {
    Buffer { mutable: bool, elem: &'a syn::Type },
    Image { mutable: bool, format: &'a syn::Type, dimension: Option<&'a syn::Type> },
    Sampler,
    Value,
}

struct Argument<'a> {
    name: Ident,
    ty: &'a syn::Type,
    passing: Passing<'a>,
}

fn expand(item: &ForeignItemFn) -> TokenStream {
    let (source, arguments) = match (source(item), arguments(item)) {
        (Ok(source), Ok(arguments)) => (source, arguments),
        (a, b) => {
            let mut errors: Vec<syn::Error> = a.err().into_iter().chain(b.err()).collect();
            let Some(mut error) = errors.pop() else { return TokenStream::new() };
            errors.into_iter().for_each(|e| error.combine(e));
            return error.into_compile_error();
        }
    };
    let checked = stub::found(&source).map_err(|m| vec![m]).and_then(|(dir, interface, _)| {
        let entry = choose_entry(&interface, &source).map_err(|m| vec![m])?;
        let entry = check(item, &interface, entry, &arguments)?;
        let link = stub::link_attribute(&interface);
        let kernel = stub::kernel_static(&dir, &interface)
            .and_then(|kernel| Ok((kernel, stub::entry_static(&dir, &entry, &quote!(), &link)?)));
        let (kernel, entry_static) = kernel.map_err(|m| vec![(Place::of(&source.path), m)])?;
        Ok((interface, entry, kernel, entry_static))
    });
    let (vis, name) = (&item.vis, &item.sig.ident);
    match checked {
        Ok((interface, entry, kernel, entry_static)) => {
            // `check` matched every argument with one resource; the launch wants them in the resources' order.
            let fields: Vec<Field> = stub::field_names(&interface, &entry)
                .iter()
                .zip(stub::given(&interface, &entry))
                .filter_map(|(field, r)| {
                    let r = &interface.resources[r as usize];
                    let argument = arguments.iter().find(|a| matches(&a.name, field, &r.name))?;
                    Some(make_field(&interface, r, argument))
                })
                .collect();
            let checks: TokenStream = stub::given(&interface, &entry)
                .zip(stub::field_names(&interface, &entry))
                .filter_map(|(r, field)| {
                    let r = &interface.resources[r as usize];
                    let argument = arguments.iter().find(|a| matches(&a.name, &field, &r.name))?;
                    Some(type_check(&interface, r, argument))
                })
                .collect();
            let items = stub::launch_items(&interface, &entry, &fields, &quote!());
            let constants = constants::define(&interface);
            let docs = item.attrs.iter().filter(|a| !a.path().is_ident("kernel"));
            let doc = format!("The kernel `{}` of {}.", entry.name, interface.source);
            quote! {
                #(#docs)*
                #[doc = #doc]
                #[allow(dead_code)]
                #vis mod #name {
                    #[allow(unused_imports)]
                    use super::*;
                    #kernel
                    #entry_static
                    #constants
                    #items
                }
                #checks
            }
        }
        Err(mistakes) => {
            let mut mistakes = mistakes.iter();
            let Some(first) = mistakes.next() else { return TokenStream::new() };
            let mut out = fallback::module(vis, name, first, None);
            for mistake in mistakes {
                let error = fallback::error(mistake);
                out.extend(quote! { const _: () = #error; });
            }
            // The types of the signature are in use.
            let types = arguments.iter().map(|a| a.ty);
            out.extend(quote! { const _: () = { #[allow(dead_code)] fn types(#(_: #types),*) {} }; });
            out
        }
    }
}

/// `#[kernel("path", entry = "name")]`.
fn source(item: &ForeignItemFn) -> syn::Result<Source> {
    let mut kernels = item.attrs.iter().filter(|a| a.path().is_ident("kernel"));
    let Some(attr) = kernels.next() else {
        return Err(syn::Error::new(
            item.sig.ident.span(),
            "which kernel is this?\nhelp: write `#[kernel(\"kernels/name.hlsl\")]` above it",
        ));
    };
    if let Some(second) = kernels.next() {
        return Err(syn::Error::new(second.span(), "a signature belongs to one kernel"));
    }
    let sig = &item.sig;
    let safety = match &sig.safety {
        syn::Safety::Safe(t) => Some(t.span()),
        syn::Safety::Unsafe(t) => Some(t.span()),
        _ => None,
    };
    let odd = sig
        .asyncness
        .as_ref()
        .map(|t| t.span())
        .or(safety)
        .or(sig.constness.as_ref().map(|t| t.span()))
        .or(sig.variadic.as_ref().map(Spanned::span))
        .or((!sig.generics.params.is_empty()).then(|| sig.generics.span()));
    if let Some(span) = odd {
        return Err(syn::Error::new(span, "a kernel's signature is a plain `fn name(arguments);`"));
    }
    if let ReturnType::Type(_, ty) = &sig.output {
        return Err(syn::Error::new(ty.span(), "kernels return nothing; they write to `&mut` arguments"));
    }
    attr.parse_args()
}

fn arguments(item: &ForeignItemFn) -> syn::Result<Vec<Argument<'_>>> {
    let mut out: Vec<Argument<'_>> = Vec::new();
    for input in &item.sig.inputs {
        let FnArg::Typed(typed) = input else {
            return Err(syn::Error::new(input.span(), "a kernel has no `self`"));
        };
        let Pat::Ident(name) = &*typed.pat else {
            return Err(syn::Error::new(typed.pat.span(), "expected an argument's name"));
        };
        let name = name.ident.clone();
        if out.iter().any(|a| a.name == name) {
            return Err(syn::Error::new(name.span(), format!("there are two arguments `{name}`")));
        }
        out.push(Argument { passing: passing(&typed.ty)?, name, ty: &typed.ty });
    }
    Ok(out)
}

fn passing(ty: &syn::Type) -> syn::Result<Passing<'_>> {
    let syn::Type::Reference(reference) = ty else { return Ok(Passing::Value) };
    let mutable = reference.mutability.is_some();
    if let syn::Type::Path(TypePath { path, .. }) = &*reference.elem
        && let Some(last) = path.segments.last()
    {
        let types: Vec<&syn::Type> = match &last.arguments {
            PathArguments::AngleBracketed(generics) => generics.args.iter().filter_map(type_of).collect(),
            _ => Vec::new(),
        };
        match (last.ident.to_string().as_str(), &types[..]) {
            ("Buffer", &[elem, ..]) => return Ok(Passing::Buffer { mutable, elem }),
            ("Image" | "ImageView", &[format]) => {
                return Ok(Passing::Image { mutable, format, dimension: None });
            }
            ("Image" | "ImageView", &[format, d, ..]) => {
                return Ok(Passing::Image { mutable, format, dimension: Some(d) });
            }
            ("Sampler", []) if !mutable => return Ok(Passing::Sampler),
            _ => {}
        }
    }
    Err(syn::Error::new(
        ty.span(),
        "a kernel takes `&Buffer<T>`, `&mut Buffer<T>`, `&Image<F>`, `&mut Image<F>`, `&Sampler` or a struct of constants by value",
    ))
}

fn type_of(argument: &GenericArgument) -> Option<&syn::Type> {
    match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    }
}

fn choose_entry(interface: &Interface, source: &Source) -> Result<EntryPoint, Mistake> {
    match stub::choose_entries(interface, source)?.as_slice() {
        [entry] => Ok((*entry).clone()),
        several => {
            let names: Vec<&str> = several.iter().map(|e| e.name.as_str()).collect();
            let message = format!(
                "`{}` has several entry points: {}\nhelp: choose one with `entry = \"{}\"`",
                interface.source,
                names::list(&names),
                names.first().copied().unwrap_or_default()
            );
            Err((Place::of(&source.path), message))
        }
    }
}

/// Whether an argument's name is that of a resource: as a Rust field, or as the kernel has it.
fn matches(name: &Ident, field: &str, resource: &str) -> bool {
    let name = name.to_string();
    let name = name.strip_prefix("r#").unwrap_or(&name);
    name == field || name == resource
}

/// Everything that can be said without knowing the types. Gives the entry point with the arguments of the signature: it may
/// have what the file declares and the entry point does not name, and may leave that out.
fn check(
    item: &ForeignItemFn,
    interface: &Interface,
    mut entry: EntryPoint,
    arguments: &[Argument<'_>],
) -> Result<EntryPoint, Vec<Mistake>> {
    let may_have: BTreeSet<u32> = entry.resources.iter().chain(&entry.optional).copied().collect();
    entry.unused.extend(may_have.iter().filter(|r| !entry.resources.contains(r)));
    entry.resources = may_have.into_iter().collect();
    let fields = stub::field_names(interface, &entry);
    let indices: Vec<u32> = stub::given(interface, &entry).collect();
    let resource = |r: &u32| &interface.resources[*r as usize];
    let is_given =
        |field: &str, r: &u32| arguments.iter().any(|a| matches(&a.name, field, &resource(r).name));
    let mut mistakes = Vec::new();
    for a in arguments {
        match fields.iter().zip(&indices).find(|(f, r)| matches(&a.name, f, &resource(r).name)) {
            Some((_, r)) => check_passing(interface, resource(r), a, &mut mistakes),
            None => mistakes.push(unknown_argument(interface, &entry, a, &fields, &indices)),
        }
    }
    for (field, r) in fields.iter().zip(&indices) {
        if entry.optional.contains(r) && !is_given(field, r) {
            continue;
        }
        let r = resource(r);
        if let ResourceKind::Image { count: Some(_), .. } = &r.kind {
            let message = format!(
                "an array of textures cannot be declared in Rust yet\nkernel: {}\nhelp: use `include_kernel!`",
                stub::place(interface, r)
            );
            mistakes.push((Place::of(&item.sig.ident), message));
        } else if let Some(why) = images::unsupported(interface, r) {
            mistakes.push((Place::of(&item.sig.ident), why));
        } else if !arguments.iter().any(|a| matches(&a.name, field, &r.name)) {
            // A misspelt argument was already reported.
            let misspelt = mistakes.iter().any(|m| m.1.contains(&format!("did you mean `{field}`")));
            if !misspelt {
                let message = format!(
                    "the signature lacks the kernel's `{field}`\nkernel: {}\nhelp: add `{field}: {}`",
                    stub::place(interface, r),
                    suggestion(interface, r)
                );
                mistakes.push((Place::of(&item.sig.ident), message));
            }
        }
    }
    if !mistakes.is_empty() {
        return Err(mistakes);
    }
    let left_out = fields.iter().zip(&indices).filter(|(f, r)| !is_given(f, r)).map(|(_, r)| *r);
    let left_out: Vec<u32> = left_out.collect();
    entry.resources.retain(|r| !left_out.contains(r));
    entry.unused.retain(|r| !left_out.contains(r));
    Ok(entry)
}

fn unknown_argument(
    interface: &Interface,
    entry: &EntryPoint,
    a: &Argument<'_>,
    fields: &[String],
    indices: &[u32],
) -> Mistake {
    let names: Vec<&str> = fields.iter().map(String::as_str).collect();
    let mut message = format!("entry point `{}` of {} uses no `{}`\n", entry.name, interface.source, a.name);
    if a.name == "threads" {
        message += "help: the number of threads is given at launch; leave it out here\n";
    } else if let Some(near) = names::closest(&a.name.to_string(), &names) {
        message += &format!("help: did you mean `{near}`?\n");
    }
    let those = |optional: bool| -> Vec<&str> {
        let all = names.iter().zip(indices);
        all.filter(|(_, r)| entry.optional.contains(r) == optional).map(|(name, _)| *name).collect()
    };
    message += &match (&those(true)[..], &those(false)[..]) {
        ([], uses) => format!("note: it uses {}", names::list(uses)),
        (may, []) => format!("note: it may have {}", names::list(may)),
        (may, uses) => format!("note: it uses {}, and may have {}", names::list(uses), names::list(may)),
    };
    (Place::of(&a.name), message)
}

fn check_passing(interface: &Interface, r: &Resource, a: &Argument<'_>, mistakes: &mut Vec<Mistake>) {
    let mutable = match (&a.passing, &r.kind) {
        (
            Passing::Buffer { mutable, .. },
            ResourceKind::Buffer { .. } | ResourceKind::Bytes | ResourceKind::Texels { .. },
        )
        | (Passing::Image { mutable, .. }, ResourceKind::Image { .. }) => Some(*mutable),
        (Passing::Value, ResourceKind::Constants(_) | ResourceKind::Local { .. })
        | (Passing::Sampler, ResourceKind::Sampler { .. }) => None,
        _ => {
            let message = format!(
                "`{}` is something else in the kernel\nkernel: {}\nhelp: declare it as `{}: {}`",
                a.name,
                stub::place(interface, r),
                a.name,
                suggestion(interface, r)
            );
            return mistakes.push((Place::of(a.ty), message));
        }
    };
    let verb = match mutable {
        Some(false) if r.writable => "writes",
        Some(true) if !r.writable => "only reads",
        _ => return,
    };
    let borrow = if r.writable { "&mut" } else { "&" };
    let message = format!(
        "the kernel {verb} `{}`\nkernel: {}\nhelp: take it as `{borrow}`",
        a.name,
        stub::place(interface, r)
    );
    mistakes.push((Place::of(a.ty), message));
}

/// A type that would fit.
fn suggestion(interface: &Interface, r: &Resource) -> String {
    let borrow = if r.writable { "&mut " } else { "&" };
    match &r.kind {
        ResourceKind::Buffer { elem, stride } => {
            format!("{borrow}Buffer<{}>", element_name(interface, elem, *stride))
        }
        ResourceKind::Bytes => format!("{borrow}Buffer<u32>"),
        ResourceKind::Image { dim, arrayed, format, scalar, components, .. } => {
            let marker = images::marker(format).unwrap_or(match (scalar, components) {
                (Scalar::U32, 1) => "R32Uint",
                (Scalar::U32, _) => "Rgba32Uint",
                (Scalar::I32, 1) => "R32Sint",
                (Scalar::I32, _) => "Rgba32Sint",
                (_, 1) => "R32Float",
                _ => "Rgba8Unorm",
            });
            match images::dimension(*dim, *arrayed) {
                None | Some("D2") => format!("{borrow}Image<{marker}>"),
                Some(dimension) => format!("{borrow}Image<{marker}, {dimension}>"),
            }
        }
        ResourceKind::Texels { scalar, components, format, .. } => {
            format!("{borrow}Buffer<{}>", images::texels(*scalar, *components, format).name)
        }
        ResourceKind::Constants(i) => names::camel(&interface.structs[*i as usize].name),
        ResourceKind::Local { .. } => "usize".into(),
        ResourceKind::Sampler { .. } => "&Sampler".into(),
    }
}

/// The name of a type whose values are so many bytes apart: vectors may have room behind them.
fn element_name(interface: &Interface, ty: &Type, stride: u32) -> String {
    match ty {
        Type::Scalar(s) if s.size() != stride => format!("[{}; {}]", s.rust(), stride / s.size()),
        Type::Vector(s, _) => format!("[{}; {}]", s.rust(), stride / s.size()),
        _ => rust_name(interface, ty),
    }
}

fn rust_name(interface: &Interface, ty: &Type) -> String {
    match ty {
        Type::Scalar(s) => s.rust().into(),
        Type::Vector(s, n) => format!("[{}; {n}]", s.rust()),
        Type::Matrix { scalar, major, stride, .. } => {
            format!("[[{}; {}]; {major}]", scalar.rust(), stride / scalar.size())
        }
        Type::Array { elem, len, stride } => format!("[{}; {len}]", element_name(interface, elem, *stride)),
        Type::Struct(i) => names::camel(&interface.structs[*i as usize].name),
    }
}

fn make_field(interface: &Interface, r: &Resource, a: &Argument<'_>) -> Field {
    let (name, ty) = (&a.name, a.ty);
    let doc = format!("`{} {}` (line {}).", r.hlsl, r.name, r.line);
    let (ty, before, arg, borrowed) = match (ty, &r.kind) {
        (syn::Type::Reference(reference), _) => {
            let (mutable, inner) = (&reference.mutability, &reference.elem);
            let method = if mutable.is_some() { quote!(__arg_mut) } else { quote!(__arg) };
            (quote!(&'a #mutable #inner), quote!(), quote!(args.#name.#method()), true)
        }
        (_, ResourceKind::Local { .. }) => {
            let span = Span::call_site().located_at(ty.span());
            let arg = quote_spanned!(span => ::spirv_runtime::__private::Arg::length(args.#name));
            (quote!(#ty), quote!(), arg, false)
        }
        (_, kind) => {
            let size = match kind {
                ResourceKind::Constants(i) => interface.structs[*i as usize].size,
                _ => 0,
            };
            let size = crate::rust_types::number(size);
            let local = format_ident!("__constants_{}", name);
            let span = Span::call_site().located_at(ty.span());
            let before = quote_spanned! { span =>
                let #local = ::spirv_runtime::__private::padded::<_, #size>(&args.#name);
            };
            (quote!(#ty), before, quote!(::spirv_runtime::__private::Arg::constants(&#local)), false)
        }
    };
    Field { name: name.clone(), doc, ty, generic: None, before, arg, borrowed }
}

/// The comparison of types that happens when the user's crate is compiled.
fn type_check(interface: &Interface, r: &Resource, a: &Argument<'_>) -> TokenStream {
    let (source, name, hlsl, line) = (&interface.source, &r.name, &r.hlsl, r.line);
    let private = quote!(::spirv_runtime::__private);
    let (function, ty, what) = match (&a.passing, &r.kind) {
        (Passing::Buffer { elem, .. }, ResourceKind::Buffer { elem: kernel, stride }) => {
            let (expected, stride) = (expected(interface, kernel), *stride as usize);
            let what = quote! { #private::ElementCheck {
                source: #source, name: #name, hlsl: #hlsl, line: #line, elem: #expected, stride: #stride,
            } };
            (quote!(check_element), quote!(#elem), what)
        }
        (Passing::Buffer { elem, .. }, ResourceKind::Texels { scalar, components, format, .. }) => {
            let texel = images::texels(*scalar, *components, format).element;
            let what = quote! { #private::TexelsCheck {
                source: #source, name: #name, hlsl: #hlsl, line: #line,
                texel: <#texel as ::spirv_runtime::KernelType>::LAYOUT,
            } };
            (quote!(check_texels), quote!(#elem), what)
        }
        (
            Passing::Image { format, dimension, .. },
            ResourceKind::Image { dim, arrayed, format: declared, scalar, components, storage, .. },
        ) => {
            let declared = match declared.as_ref().and_then(|d| IMAGE_FORMATS.iter().find(|f| f.0 == *d)) {
                Some((spirv, code, marker)) => {
                    quote!(::core::option::Option::Some((#code, #spirv, #marker)))
                }
                None => quote!(::core::option::Option::None),
            };
            let scalar = images::image_scalar(*scalar).unwrap_or("f32");
            let kernel = images::dimension(*dim, *arrayed).unwrap_or("D2");
            let dimension = match dimension {
                Some(ty) => quote!(#ty),
                None => quote!(::spirv_runtime::D2),
            };
            let what = quote! { #private::ImageCheck {
                source: #source, name: #name, hlsl: #hlsl, line: #line, dimension: #kernel,
                format: #declared, scalar: #scalar, components: #components, storage: #storage,
            } };
            (quote!(check_image), quote!(#format, #dimension), what)
        }
        (Passing::Value, ResourceKind::Constants(i)) => {
            let expected = expected(interface, &Type::Struct(*i));
            let size = interface.structs[*i as usize].size as usize;
            let what = quote! { #private::ConstantsCheck {
                source: #source, name: #name, line: #line, ty: #expected, size: #size,
            } };
            let ty = a.ty;
            (quote!(check_constants), quote!(#ty), what)
        }
        // Byte address buffers take any element.
        _ => return TokenStream::new(),
    };
    // Mixed so that the type resolves where the user wrote it and the error points there.
    let place = match &a.passing {
        Passing::Buffer { elem: ty, .. } | Passing::Image { format: ty, .. } => ty.span(),
        Passing::Sampler | Passing::Value => a.ty.span(),
    };
    let span = Span::call_site().located_at(place);
    quote_spanned! { span =>
        const _: () = {
            if let ::core::option::Option::Some(message) = #private::#function::<#ty>(&#what) {
                ::spirv_runtime::__private::reject(&message);
            }
        };
    }
}

/// The type that the user wants for the elements of a buffer, and its comparison with the kernel's.
pub fn user_element(
    interface: &Interface,
    r: &Resource,
    types: &Types,
) -> Result<Option<(TokenStream, TokenStream)>, String> {
    let elem = r.hlsl.split_once('<').and_then(|(_, rest)| rest.strip_suffix('>')).unwrap_or_default();
    let is_struct = matches!(&r.kind, ResourceKind::Buffer { elem: Type::Struct(_), .. });
    if is_struct || !matches!(r.kind, ResourceKind::Buffer { .. } | ResourceKind::Texels { .. }) {
        return Ok(None);
    }
    let Some(ty) = types.given(elem)? else { return Ok(None) };
    let elem: syn::Type = syn::parse2(ty.clone()).map_err(|e| e.to_string())?;
    let buffer: syn::Type = syn::parse_quote!(::spirv_runtime::Buffer<#ty>);
    let passing = Passing::Buffer { mutable: r.writable, elem: &elem };
    let name = Ident::new("element", Span::call_site());
    let check = type_check(interface, r, &Argument { name, ty: &buffer, passing });
    Ok(Some((ty, check)))
}

/// The kernel's type as an expression of type `Expected`.
pub fn expected(interface: &Interface, ty: &Type) -> TokenStream {
    let private = quote!(::spirv_runtime::__private);
    let kind = |s: &Scalar| {
        let name = format_ident!("{}", format!("{s:?}"));
        quote!(#private::ScalarKind::#name)
    };
    match ty {
        Type::Scalar(s) => {
            let s = kind(s);
            quote!(#private::Expected::Scalar(#s))
        }
        Type::Vector(s, n) => {
            let (s, n) = (kind(s), *n as usize);
            quote!(#private::Expected::Vector(#s, #n))
        }
        Type::Matrix { scalar, major, minor, stride, .. } => {
            let scalar = kind(scalar);
            let (major, minor, stride) = (*major as usize, *minor as usize, *stride as usize);
            quote!(#private::Expected::Matrix { scalar: #scalar, major: #major, minor: #minor, stride: #stride })
        }
        Type::Array { elem, len, stride } => {
            let (elem, len, stride) = (expected(interface, elem), *len as usize, *stride as usize);
            quote!(#private::Expected::Array { elem: &#elem, len: #len, stride: #stride })
        }
        Type::Struct(i) => {
            let s = &interface.structs[*i as usize];
            let name = names::camel(&s.name);
            let members = s.members.iter().map(|m| {
                let (name, hlsl, line, offset) = (&m.name, &m.hlsl, m.line, m.offset as usize);
                let (field, ty) = (names::snake(&m.name), expected(interface, &m.ty));
                quote! { #private::ExpectedMember {
                    name: #name, field: #field, hlsl: #hlsl, line: #line, offset: #offset, ty: #ty,
                } }
            });
            quote!(#private::Expected::Struct { name: #name, members: &[#(#members),*] })
        }
    }
}
