//! The Rust structs of a kernel's structs.
//!
//! A struct that is an element of a buffer lies in memory exactly as in the kernel, padding spelled out. A struct
//! that only constant buffers have keeps the kernel's members alone, and is copied into the kernel's layout at
//! launch.

use crate::names;
use crate::rust_types::{self, number};
use crate::shared::Types;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use spirv_interface::{Interface, Member, ResourceKind, Struct, Type};

/// The structs of an interface, with their Rust names and kinds.
pub struct Structs<'a> {
    interface: &'a Interface,
    names: Vec<Ident>,
    exact: Vec<bool>,
    used: Vec<bool>,
    /// The types of structs that are defined elsewhere.
    elsewhere: Vec<Option<TokenStream>>,
    /// Put before the names: empty in the module of the structs, `super::` below it.
    prefix: TokenStream,
}

impl<'a> Structs<'a> {
    /// Chooses names and kinds, given the resources that stubs are made for and where structs are.
    pub fn new(interface: &'a Interface, resources: &[u32], types: &Types) -> Result<Structs<'a>, String> {
        let count = interface.structs.len();
        let elsewhere = (0..count).map(|i| types.of_struct(interface, i));
        let mut out = Structs {
            interface,
            names: Vec::new(),
            exact: vec![false; count],
            used: vec![false; count],
            elsewhere: elsewhere.collect::<Result<_, _>>()?,
            prefix: quote!(),
        };
        for resource in resources.iter().map(|r| &interface.resources[*r as usize]) {
            match &resource.kind {
                ResourceKind::Buffer { elem, .. } => out.mark(elem, true),
                ResourceKind::Constants(i) => out.mark(&Type::Struct(*i), false),
                _ => {}
            }
        }
        // These are items of the same module.
        let mut taken: Vec<String> = ["Args", "Kernel"].map(String::from).to_vec();
        taken.extend((!interface.constants.is_empty()).then(|| "Constants".to_string()));
        for s in &interface.structs {
            let name = names::unique(names::camel(&s.name), &taken);
            out.names.push(names::ident(&name, Span::call_site()));
            taken.push(name);
        }
        for (exact, elsewhere) in out.exact.iter_mut().zip(&out.elsewhere) {
            *exact |= elsewhere.is_some();
        }
        Ok(out)
    }

    /// The structs of a group that have these names, beside which there are the user's own.
    pub fn of_group(
        interface: &'a Interface,
        names: Vec<Option<String>>,
        given: &[(String, String)],
    ) -> Structs<'a> {
        let count = interface.structs.len();
        let own = |name: &str| {
            given.iter().find(|(kernel, _)| kernel == name).and_then(|(_, rust)| rust.parse().ok())
        };
        let elsewhere = interface.structs.iter().map(|s| own(&s.name)).collect();
        let name = |(name, s): (Option<String>, &Struct)| name.unwrap_or_else(|| names::camel(&s.name));
        let names = names.into_iter().zip(&interface.structs).map(name);
        Structs {
            interface,
            names: names.map(|name| names::ident(&name, Span::call_site())).collect(),
            exact: vec![true; count],
            used: vec![true; count],
            elsewhere,
            prefix: quote!(),
        }
    }

    /// Marks what a type reaches. Interfaces define structs before their uses, so the recursion ends.
    fn mark(&mut self, ty: &Type, exact: bool) {
        match ty {
            Type::Array { elem, .. } => self.mark(elem, exact),
            Type::Struct(i) => {
                let index = *i as usize;
                self.used[index] = true;
                self.exact[index] |= exact;
                let interface = self.interface;
                for m in &interface.structs[index].members {
                    self.mark(&m.ty, exact);
                }
            }
            _ => {}
        }
    }

    /// The same structs, seen from a module inside theirs.
    pub fn seen_from_below(mut self) -> Self {
        self.prefix = quote!(super::);
        self
    }

    /// The struct with this index.
    pub fn get(&self, index: u32) -> &'a Struct {
        &self.interface.structs[index as usize]
    }

    /// Whether it lies in memory as in the kernel.
    pub fn is_exact(&self, index: u32) -> bool {
        self.exact[index as usize]
    }

    /// The Rust type.
    pub fn path(&self, index: u32) -> TokenStream {
        if let Some(elsewhere) = &self.elsewhere[index as usize] {
            return elsewhere.clone();
        }
        let (prefix, name) = (&self.prefix, &self.names[index as usize]);
        quote!(#prefix #name)
    }

    /// The definitions, or why a struct cannot be expressed in Rust.
    pub fn define(&self) -> Result<TokenStream, String> {
        let mut out = TokenStream::new();
        for (i, s) in self.interface.structs.iter().enumerate() {
            if self.used[i] && self.elsewhere[i].is_none() {
                let name = &self.names[i];
                out.extend(if self.exact[i] { self.exact(s, name)? } else { self.packed(s, name) });
            }
        }
        Ok(out)
    }

    /// Whether it is defined outside of the kernel's module.
    pub fn is_elsewhere(&self, index: u32) -> bool {
        self.elsewhere[index as usize].is_some()
    }

    /// The comparisons of structs that are defined elsewhere with those of the kernel.
    pub fn checks(&self) -> TokenStream {
        let private = quote!(::spirv_runtime::__private);
        let used = (0..).zip(&self.interface.structs).filter(|(i, _)| self.used[*i as usize]);
        used.filter(|(i, _)| self.is_elsewhere(*i))
            .map(|(i, s)| {
                let (path, source, name) = (self.path(i), &self.interface.source, &s.name);
                let (line, size) = (s.members.first().map_or(1, |m| m.line), s.size as usize);
                let expected = crate::signature::expected(self.interface, &Type::Struct(i));
                quote! {
                    const _: () = if let ::core::option::Option::Some(message) =
                        #private::check_struct::<#path>(&#private::StructCheck {
                            source: #source, name: #name, line: #line, ty: #expected, size: #size,
                        })
                    {
                        #private::reject(&message)
                    };
                }
            })
            .collect()
    }

    /// The definition of one struct as it lies in memory.
    pub fn define_exact(&self, index: u32) -> Result<TokenStream, String> {
        self.exact(self.get(index), &self.names[index as usize])
    }

    /// The alignment that a struct is packed to in Rust, if it has to be: a member or its end is not where Rust puts it.
    pub fn packing(&self, index: u32) -> Option<u32> {
        let s = self.get(index);
        let mut natural = 1;
        let mut packed = false;
        for m in &s.members {
            let align = rust_types::exact(&m.ty, self)?.2;
            packed |= !m.offset.is_multiple_of(align);
            natural = natural.max(align);
        }
        packed |= !s.size.is_multiple_of(natural);
        let fits =
            |n: &u32| s.size.is_multiple_of(*n) && s.members.iter().all(|m| m.offset.is_multiple_of(*n));
        packed.then(|| [8, 4, 2].into_iter().find(fits).unwrap_or(1))
    }

    /// Bit-exact: `#[repr(C)]`, padding spelled out.
    fn exact(&self, s: &Struct, name: &Ident) -> Result<TokenStream, String> {
        let fields = field_names(&s.members);
        let mut body = TokenStream::new();
        let mut asserts = TokenStream::new();
        let mut at = 0;
        let mut padded = false;
        let index =
            self.interface.structs.iter().position(|other| std::ptr::eq(other, s)).unwrap_or_default();
        let packing = self.packing(index as u32);
        for (m, field) in s.members.iter().zip(&fields) {
            let cannot = || {
                format!(
                    "no Rust type has the layout of `{} {}` in struct `{}` ({}:{})\n\
                     help: reorder or pad the members so that none lies in the padding of another",
                    m.hlsl, m.name, s.name, self.interface.source, m.line
                )
            };
            let (ty, size, _) = rust_types::exact(&m.ty, self).ok_or_else(cannot)?;
            if m.offset < at {
                return Err(cannot());
            }
            padded |= pad(&mut body, at, m.offset);
            let doc = member_doc(m);
            body.extend(quote! { #[doc = #doc] pub #field: #ty, });
            let offset = number(m.offset);
            asserts.extend(quote! { && ::core::mem::offset_of!(#name, #field) == #offset });
            at = m.offset.checked_add(size).ok_or_else(cannot)?;
        }
        if at > s.size {
            return Err(format!(
                "struct `{}` is smaller than its members ({})",
                s.name, self.interface.source
            ));
        }
        padded |= pad(&mut body, at, s.size);
        let size = number(s.size);
        let hint = if padded { " Build it with `..Default::default()` for the padding." } else { "" };
        let doc =
            format!("The kernel's struct `{}`, {} bytes, laid out as in the kernel.{hint}", s.name, s.size);
        let repr = match packing.map(number) {
            Some(n) => quote!(C, packed(#n)),
            None => quote!(C),
        };
        Ok(quote! {
            #[doc = #doc]
            #[allow(clippy::pub_underscore_fields)]
            #[derive(Clone, Copy, Debug, PartialEq, ::spirv_runtime::KernelStruct)]
            #[repr(#repr)]
            pub struct #name { #body }

            const _: () = ::core::assert!(
                ::core::mem::size_of::<#name>() == #size #asserts,
                "spirv-macros laid out this struct differently from the kernel"
            );

            impl ::core::default::Default for #name {
                fn default() -> Self {
                    ::spirv_runtime::__private::bytemuck::Zeroable::zeroed()
                }
            }
        })
    }

    /// The kernel's members alone, with a method that writes the kernel's layout.
    fn packed(&self, s: &Struct, name: &Ident) -> TokenStream {
        let fields = field_names(&s.members);
        let types = s.members.iter().map(|m| rust_types::natural(&m.ty, self));
        let docs = s.members.iter().map(member_doc);
        let zeros = s.members.iter().map(|m| rust_types::zero(&m.ty));
        let writes = s.members.iter().zip(&fields).map(|(m, field)| {
            let at = number(m.offset);
            let write = rust_types::pack(&m.ty, &quote!(self.#field), self);
            quote! { { let __at = #at as usize; #write } }
        });
        let doc = format!(
            "The kernel's constants `{}`. The padding of its {} bytes is added at launch.",
            s.name, s.size
        );
        quote! {
            #[doc = #doc]
            #[derive(Clone, Copy, Debug, PartialEq)]
            pub struct #name { #(#[doc = #docs] pub #fields: #types,)* }

            impl #name {
                #[doc(hidden)]
                pub fn __pack(&self, __out: &mut [u8]) { #(#writes)* }
            }

            impl ::core::default::Default for #name {
                fn default() -> Self {
                    Self { #(#fields: #zeros,)* }
                }
            }
        }
    }
}

/// Adds the bytes from `at` to `offset`, if there are any.
fn pad(body: &mut TokenStream, at: u32, offset: u32) -> bool {
    if at == offset {
        return false;
    }
    let (name, bytes) = (format_ident!("_pad{}", at), number(offset - at));
    body.extend(quote! { #[doc = "Padding."] pub #name: [u8; #bytes], });
    true
}

fn field_names(members: &[Member]) -> Vec<Ident> {
    let mut taken = Vec::new();
    for m in members {
        taken.push(names::unique(names::snake(&m.name), &taken));
    }
    taken.iter().map(|n| names::ident(n, Span::call_site())).collect()
}

fn member_doc(m: &Member) -> String {
    let order = match &m.ty {
        Type::Matrix { row_major: true, .. } => ", stored by rows",
        Type::Matrix { row_major: false, .. } => ", stored by columns",
        _ => "",
    };
    format!("`{} {}` at byte {}{order} (line {}).", m.hlsl, m.name, m.offset, m.line)
}
