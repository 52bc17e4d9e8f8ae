//! The Rust types of kernel types.

use crate::structs::Structs;
use proc_macro2::{Literal, Span, TokenStream};
use quote::quote;
use spirv_interface::{Scalar, Type};

/// The name of a scalar's Rust type with the same bits.
pub fn scalar(s: Scalar) -> TokenStream {
    let name = crate::names::ident(s.rust(), Span::call_site());
    quote!(#name)
}

/// A number without suffix.
pub fn number(n: u32) -> Literal {
    Literal::u32_unsuffixed(n)
}

/// The Rust type with the same bits, its size and its alignment. None if no Rust type has this layout.
pub fn exact(ty: &Type, structs: &Structs<'_>) -> Option<(TokenStream, u32, u32)> {
    match ty {
        Type::Scalar(s) => Some((scalar(*s), s.size(), s.size())),
        Type::Vector(s, n) => padded_vector(*s, *n, n.checked_mul(s.size())?),
        Type::Matrix { scalar, major, minor, stride, .. } => {
            array_of(padded_vector(*scalar, *minor, *stride)?, *major)
        }
        Type::Array { elem, len, stride } => array_of(element(elem, *stride, structs)?, *len),
        Type::Struct(i) => {
            let s = structs.get(*i);
            Some((structs.path(*i), s.size, exact_align(*i, structs)?))
        }
    }
}

/// As [`exact`], for an element of an array or buffer that takes `stride` bytes: scalars and vectors get room.
pub fn element(ty: &Type, stride: u32, structs: &Structs<'_>) -> Option<(TokenStream, u32, u32)> {
    let found = exact(ty, structs)?;
    match ty {
        _ if found.1 == stride => Some(found),
        Type::Scalar(s) => padded_vector(*s, 1, stride),
        Type::Vector(s, n) => padded_vector(*s, *n, stride),
        _ => None,
    }
}

/// `[scalar; room / size]`.
fn padded_vector(s: Scalar, components: u32, room: u32) -> Option<(TokenStream, u32, u32)> {
    let n = room / s.size();
    if !room.is_multiple_of(s.size()) || n < components {
        return None;
    }
    array_of((scalar(s), s.size(), s.size()), n)
}

fn array_of((elem, size, align): (TokenStream, u32, u32), len: u32) -> Option<(TokenStream, u32, u32)> {
    let n = number(len);
    Some((quote!([#elem; #n]), size.checked_mul(len)?, align))
}

/// The alignment that Rust gives the struct generated for bit-exact use.
fn exact_align(index: u32, structs: &Structs<'_>) -> Option<u32> {
    if let Some(packed) = structs.packing(index) {
        return Some(packed);
    }
    let mut align = 1;
    for m in &structs.get(index).members {
        align = align.max(exact(&m.ty, structs)?.2);
    }
    Some(align)
}

/// The Rust type for a member of a constant buffer: natural, since the bytes are copied at launch.
pub fn natural(ty: &Type, structs: &Structs<'_>) -> TokenStream {
    match ty {
        Type::Scalar(s) => natural_scalar(*s),
        Type::Vector(s, n) => {
            let (s, n) = (natural_scalar(*s), number(*n));
            quote!([#s; #n])
        }
        Type::Matrix { scalar, major, minor, .. } => {
            let (s, major, minor) = (natural_scalar(*scalar), number(*major), number(*minor));
            quote!([[#s; #minor]; #major])
        }
        Type::Array { elem, len, .. } => {
            let (elem, len) = (natural(elem, structs), number(*len));
            quote!([#elem; #len])
        }
        Type::Struct(i) => structs.path(*i),
    }
}

fn natural_scalar(s: Scalar) -> TokenStream {
    if s == Scalar::Bool { quote!(bool) } else { scalar(s) }
}

/// Statements that write `value`, of the [`natural`] type, to the bytes `__out` from `__at` on.
pub fn pack(ty: &Type, value: &TokenStream, structs: &Structs<'_>) -> TokenStream {
    match ty {
        Type::Scalar(s) => {
            let size = number(s.size());
            let value = if *s == Scalar::Bool { quote!(u32::from(#value)) } else { quote!((#value)) };
            quote! { __out[__at..__at + #size].copy_from_slice(&#value.to_ne_bytes()); }
        }
        Type::Vector(s, _) => each(value, s.size(), &pack(&Type::Scalar(*s), &quote!(*__item), structs)),
        Type::Matrix { scalar, minor, stride, .. } => {
            each(value, *stride, &pack(&Type::Vector(*scalar, *minor), &quote!(__item), structs))
        }
        Type::Array { elem, stride, .. } => each(value, *stride, &pack(elem, &quote!((*__item)), structs)),
        Type::Struct(i) if structs.is_exact(*i) => quote! {
            let __bytes = ::spirv_runtime::__private::bytemuck::bytes_of(&#value);
            __out[__at..__at + __bytes.len()].copy_from_slice(__bytes);
        },
        Type::Struct(_) => quote! { #value.__pack(&mut __out[__at..]); },
    }
}

fn each(value: &TokenStream, stride: u32, body: &TokenStream) -> TokenStream {
    let stride = number(stride);
    quote! {
        for (__i, __item) in (#value).iter().enumerate() {
            let __at = __at + __i * #stride;
            #body
        }
    }
}

/// An expression for the zero of the [`natural`] type.
pub fn zero(ty: &Type) -> TokenStream {
    match ty {
        Type::Scalar(Scalar::Bool) => quote!(false),
        Type::Scalar(_) | Type::Struct(_) => quote!(::core::default::Default::default()),
        Type::Vector(s, n) => zeros(&zero(&Type::Scalar(*s)), *n),
        Type::Matrix { scalar, major, minor, .. } => {
            zeros(&zeros(&zero(&Type::Scalar(*scalar)), *minor), *major)
        }
        Type::Array { elem, len, .. } => zeros(&zero(elem), *len),
    }
}

fn zeros(item: &TokenStream, len: u32) -> TokenStream {
    let len = number(len);
    quote!([#item; #len])
}
