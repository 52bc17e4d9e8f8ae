//! `include_types!`: the structs that kernels share.

use crate::fallback::{self, Place};
use crate::shared::Group;
use crate::{artifacts, names};
use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::LitStr;

/// Expands `include_types!`.
pub fn include_types(input: TokenStream) -> TokenStream {
    let asked = match input.is_empty() {
        true => None,
        false => match syn::parse2::<LitStr>(input) {
            Ok(module) => Some(module),
            Err(e) => return e.into_compile_error(),
        },
    };
    let place = asked.as_ref().map_or_else(|| Place::of(quote!(include_types)), Place::of);
    let (group, tracked) = match group(asked.as_ref().map(LitStr::value).as_deref()) {
        Ok(found) => found,
        Err(message) => return item(&fallback::error(&(place, message))),
    };
    match group.define() {
        Ok(definitions) => quote! { #tracked #definitions },
        Err(message) => {
            // Types that are that error, so that it is the only one.
            let error = fallback::error(&(place, message));
            let first = names::ident("__BrokenTypes", Span::call_site());
            let names = group.defined().map(|name| names::ident(name, Span::call_site()));
            quote! {
                type #first = <[(); #error] as ::spirv_runtime::__private::Broken>::Stub;
                #(pub type #names = #first;)*
            }
        }
    }
}

fn item(error: &TokenStream) -> TokenStream {
    quote! { const _: () = #error; }
}

/// The kernels that share the module, and what makes cargo build this crate again when they change.
fn group(asked: Option<&str>) -> Result<(Group, TokenStream), String> {
    let (dir, all) = artifacts::compiled("kernels/name.hlsl")?;
    let mut modules: Vec<&str> = all.iter().filter_map(|k| k.types.as_deref()).collect();
    modules.sort_unstable();
    modules.dedup();
    let module = match (asked, &modules[..]) {
        (None, [one]) => *one,
        (Some(asked), _) if modules.contains(&asked) => asked,
        (_, []) => {
            return Err("build.rs compiles no kernel whose structs are in a module of their own\n\
                        help: it says so with `spirv_build::config().types(\"crate::gpu\").compile(...)`"
                .into());
        }
        (None, _) => {
            return Err(format!(
                "build.rs names several modules for the structs of kernels: {}\n\
                 help: say which one this is: `include_types!(\"{}\")`",
                names::list(&modules),
                modules.first().copied().unwrap_or_default()
            ));
        }
        (Some(asked), _) => {
            return Err(format!(
                "no kernel has its structs in `{asked}`\nnote: build.rs names {}",
                names::list(&modules)
            ));
        }
    };
    let group = Group::load(&dir, &all, module);
    let mut tracked = TokenStream::new();
    for kernel in &group.kernels {
        let file = artifacts::file(&dir, &format!("{}.interface", kernel.compiled.artifacts))?;
        tracked.extend(quote! { const _: &[u8] = ::core::include_bytes!(#file); });
    }
    Ok((group, tracked))
}
