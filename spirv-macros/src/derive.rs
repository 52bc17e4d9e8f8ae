//! `#[derive(KernelStruct)]`.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Error, Fields, Ident, ItemStruct, Result, Token, Type};

/// The implementations, or why the type cannot have them.
pub fn kernel_struct(input: TokenStream) -> Result<TokenStream> {
    let input: ItemStruct = syn::parse2(input)
        .map_err(|e| Error::new(e.span(), "only structs can be laid out as a kernel's struct"))?;
    let name = &input.ident;
    let repr = repr(&input)?;
    if let Fields::Unnamed(fields) = &input.fields
        && let (Some(only), 1, Some(_)) = (fields.unnamed.first(), fields.unnamed.len(), &repr)
        && input.generics.params.is_empty()
    {
        return wrapper(&input, &only.ty);
    }
    let Fields::Named(fields) = &input.fields else {
        return Err(Error::new(
            name.span(),
            "the struct needs named fields, which are matched with the kernel's members, or one field and \
             `#[repr(transparent)]`",
        ));
    };
    if fields.named.is_empty() {
        return Err(Error::new(name.span(), "an empty struct cannot be laid out as a kernel's struct"));
    }
    if !input.generics.params.is_empty() {
        return Err(Error::new(input.generics.span(), "a kernel's struct has no generic parameters"));
    }
    if repr.is_none() {
        return Err(Error::new(
            name.span(),
            format!(
                "without `#[repr(C)]` Rust may reorder the fields of `{name}`\nhelp: write `#[repr(C)]` above it"
            ),
        ));
    }
    let (mut rows, mut checks, mut pods) = (TokenStream::new(), TokenStream::new(), TokenStream::new());
    let mut end = quote!(0);
    for field in &fields.named {
        let (Some(ident), ty) = (&field.ident, &field.ty) else { continue };
        let text = ident.to_string();
        let text = text.strip_prefix("r#").unwrap_or(&text);
        rows.extend(quote_spanned! { ty.span() =>
            ::spirv_runtime::__private::Field {
                name: #text,
                offset: ::core::mem::offset_of!(#name, #ident),
                ty: <#ty as ::spirv_runtime::KernelType>::LAYOUT,
            },
        });
        let message = format!("there is hidden padding before `{text}`; add a field `_pad: [u8; N]` there");
        checks.extend(quote_spanned! { ident.span() =>
            const _: () = ::core::assert!(#end == ::core::mem::offset_of!(#name, #ident), #message);
        });
        end = quote!(::core::mem::offset_of!(#name, #ident) + ::core::mem::size_of::<#ty>());
        pods.extend(quote_spanned! { ty.span() => __is_pod::<#ty>(); });
    }
    let message =
        format!("there is hidden padding at the end of `{name}`; add a field `_pad: [u8; N]` there");
    checks.extend(quote_spanned! { name.span() =>
        const _: () = ::core::assert!(#end == ::core::mem::size_of::<#name>(), #message);
    });
    let pod = pod(&input)?;
    let text = name.to_string();
    Ok(quote! {
        impl ::spirv_runtime::KernelType for #name {
            const LAYOUT: ::spirv_runtime::__private::TypeLayout = ::spirv_runtime::__private::TypeLayout::Struct {
                name: #text,
                size: ::core::mem::size_of::<#name>(),
                fields: &[#rows],
            };
        }
        #checks
        const _: fn() = || {
            fn __is_pod<T: ::spirv_runtime::__private::bytemuck::Pod>() {}
            #pods
        };
        #pod
    })
}

/// A struct of one field lies in memory as that field does.
fn wrapper(input: &ItemStruct, ty: &Type) -> Result<TokenStream> {
    let (name, pod) = (&input.ident, pod(input)?);
    let is_pod = quote_spanned!(ty.span() => __is_pod::<#ty>(););
    let layout = quote_spanned!(ty.span() => <#ty as ::spirv_runtime::KernelType>::LAYOUT);
    Ok(quote! {
        impl ::spirv_runtime::KernelType for #name {
            const LAYOUT: ::spirv_runtime::TypeLayout = #layout;
        }
        const _: () = ::core::assert!(
            ::core::mem::size_of::<#name>() == ::core::mem::size_of::<#ty>(),
            "there is hidden padding behind the field"
        );
        const _: fn() = || {
            fn __is_pod<T: ::spirv_runtime::__private::bytemuck::Pod>() {}
            #is_pod
        };
        #pod
    })
}

/// That it is plain data, of whose fields that is known.
fn pod(input: &ItemStruct) -> Result<Option<TokenStream>> {
    let name = &input.ident;
    Ok((!has_external_pod(input)?).then(|| {
        quote! {
            // SAFETY: all fields are Pod, and there is no padding between or after them, as is checked beside this.
            unsafe impl ::spirv_runtime::__private::bytemuck::Zeroable for #name {}
            // SAFETY: as above.
            unsafe impl ::spirv_runtime::__private::bytemuck::Pod for #name {}
        }
    }))
}

/// What says that fields lie in the order of their declaration: `C` or `transparent`, packed or not.
fn repr(input: &ItemStruct) -> Result<Option<Ident>> {
    let mut found = None;
    for attr in input.attrs.iter().filter(|a| a.path().is_ident("repr")) {
        let words =
            attr.parse_args_with(syn::punctuated::Punctuated::<syn::Meta, Token![,]>::parse_terminated)?;
        let known = words.iter().filter_map(|w| w.path().get_ident());
        found = known.filter(|w| *w == "C" || *w == "transparent").last().cloned().or(found);
    }
    Ok(found)
}

fn has_external_pod(input: &ItemStruct) -> Result<bool> {
    let mut found = false;
    for attr in input.attrs.iter().filter(|a| a.path().is_ident("kernel_struct")) {
        let option: Ident = attr.parse_args()?;
        if option != "external_pod" {
            return Err(Error::new(option.span(), "unknown option; there is `external_pod`"));
        }
        found = true;
    }
    Ok(found)
}
