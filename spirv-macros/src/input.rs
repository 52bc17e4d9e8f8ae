//! The syntax of the macros' input.

use proc_macro2::Ident;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, LitStr, Token, Visibility};

/// Input of `include_kernel!`: `[pub] [mod name =] "path" [, name = "name"] [, entry = "name"]`.
pub struct Include {
    /// Attributes of the module.
    pub attrs: Vec<Attribute>,
    /// Visibility of the module.
    pub vis: Visibility,
    /// Name of the module, if it is not the kernel's.
    pub name: Option<Ident>,
    /// Which kernel.
    pub source: Source,
}

/// A kernel file, which of the kernels that were made of it, and one of its entry points:
/// `"path" [, name = "name"] [, entry = "name"]`.
pub struct Source {
    /// Path of the source.
    pub path: LitStr,
    /// The name that build.rs gave the kernel.
    pub name: Option<LitStr>,
    /// The entry point.
    pub entry: Option<LitStr>,
}

impl Parse for Include {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        let vis = input.parse()?;
        let name = if input.peek(Token![mod]) {
            input.parse::<Token![mod]>()?;
            let name = input.parse()?;
            input.parse::<Token![=]>()?;
            Some(name)
        } else {
            None
        };
        Ok(Include { attrs, vis, name, source: input.parse()? })
    }
}

impl Parse for Source {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.is_empty() {
            return Err(input.error("expected the path of a kernel, as in \"kernels/blur.hlsl\""));
        }
        let path: LitStr = input.parse()?;
        let (mut name, mut entry) = (None, None);
        while !input.is_empty() {
            input.parse::<Token![,]>()?;
            if input.is_empty() {
                break;
            }
            let option: Ident = input.parse()?;
            let place = match option.to_string().as_str() {
                "name" => &mut name,
                "entry" => &mut entry,
                _ => {
                    let known = "unknown option; there are `name = \"name\"` and `entry = \"name\"`";
                    return Err(syn::Error::new(option.span(), known));
                }
            };
            if place.is_some() {
                return Err(syn::Error::new(option.span(), format!("`{option}` is there twice")));
            }
            input.parse::<Token![=]>()?;
            *place = Some(input.parse()?);
        }
        Ok(Source { path, name, entry })
    }
}
