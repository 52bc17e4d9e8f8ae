//! Specialization constants: the struct that has their values.

use crate::names;
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use spirv_interface::{Constant, Interface, Scalar};

/// The Rust type of a constant, which is a value and no memory: truth values are `bool`.
fn rust_type(c: &Constant) -> Ident {
    let name = if c.scalar == Scalar::Bool { "bool" } else { c.scalar.rust() };
    Ident::new(name, Span::call_site())
}

/// The default as an expression, and how it is written for people.
fn default(c: &Constant) -> (TokenStream, String) {
    let bits = c.default;
    match c.scalar {
        Scalar::Bool => {
            let value = bits != 0;
            (quote!(#value), value.to_string())
        }
        Scalar::F32 => {
            let bits = bits as u32;
            (quote!(f32::from_bits(#bits)), f32::from_bits(bits).to_string())
        }
        Scalar::F64 => (quote!(f64::from_bits(#bits)), f64::from_bits(bits).to_string()),
        scalar => {
            let ty = rust_type(c);
            let value = match scalar {
                Scalar::I8 => i64::from(bits as i8).to_string(),
                Scalar::I16 => i64::from(bits as i16).to_string(),
                Scalar::I32 => i64::from(bits as i32).to_string(),
                Scalar::I64 => (bits as i64).to_string(),
                _ => bits.to_string(),
            };
            (quote!((#bits as #ty)), value)
        }
    }
}

/// `Constants`, if the kernel has some.
pub fn define(interface: &Interface) -> TokenStream {
    let all = &interface.constants;
    if all.is_empty() {
        return TokenStream::new();
    }
    let mut taken = Vec::new();
    for c in all {
        taken.push(names::unique(names::snake(&c.name), &taken));
    }
    let fields: Vec<Ident> = taken.iter().map(|name| names::ident(name, Span::call_site())).collect();
    let types: Vec<Ident> = all.iter().map(rust_type).collect();
    let (defaults, texts): (Vec<_>, Vec<_>) = all.iter().map(default).unzip();
    let docs = all.iter().zip(&texts).map(|(c, text)| {
        let bits = if c.scalar == Scalar::F16 { " The bits of the number." } else { "" };
        format!("`{} {}` (line {}), by default {text}.{bits}", c.hlsl, c.name, c.line)
    });
    let values = all.iter().zip(&fields).map(|(c, field)| {
        let (id, bytes) = (c.id, c.scalar.size());
        let bits = match c.scalar {
            Scalar::F32 => quote!(u64::from(self.#field.to_bits())),
            Scalar::F64 => quote!(self.#field.to_bits()),
            Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => quote!(self.#field as i64 as u64),
            _ => quote!(self.#field as u64),
        };
        quote!(::spirv_runtime::__private::ConstantValue { id: #id, bytes: #bytes, bits: #bits })
    });
    let (doc, count) = (format!("The specialization constants of {}.", interface.source), all.len());
    quote! {
        #[doc = #doc]
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct Constants {
            #(#[doc = #docs] pub #fields: #types,)*
        }

        impl ::core::default::Default for Constants {
            fn default() -> Self {
                Constants { #(#fields: #defaults,)* }
            }
        }

        impl Constants {
            #[allow(trivial_numeric_casts)]
            fn __values(&self) -> [::spirv_runtime::__private::ConstantValue; #count] {
                [#(#values),*]
            }
        }
    }
}

/// `load` and, with constants, `load_with`; `prefix` leads to the module of `Constants`.
pub fn load(interface: &Interface, prefix: &TokenStream, doc: &str) -> TokenStream {
    if interface.constants.is_empty() {
        return quote! {
            #[doc = #doc]
            pub fn load(device: &::spirv_runtime::Device) -> ::spirv_runtime::Result<Kernel> {
                ::spirv_runtime::__private::Loaded::new(device, &__ENTRY).map(Kernel)
            }
        };
    }
    let with = format!("As [`load`], with values for its specialization constants.\n\n{doc}");
    quote! {
        #[doc = #doc]
        pub fn load(device: &::spirv_runtime::Device) -> ::spirv_runtime::Result<Kernel> {
            load_with(device, &::core::default::Default::default())
        }

        #[doc = #with]
        pub fn load_with(
            device: &::spirv_runtime::Device,
            constants: &#prefix Constants,
        ) -> ::spirv_runtime::Result<Kernel> {
            ::spirv_runtime::__private::Loaded::with(device, &__ENTRY, &constants.__values()).map(Kernel)
        }
    }
}
