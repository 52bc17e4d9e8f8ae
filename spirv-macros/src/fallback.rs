//! Stand-ins for a kernel that has errors or was not compiled.
//!
//! The error must be the only one: `blur::load` and `blur::Args { .. }` elsewhere must not add "cannot find".
//! A projection from an array whose length is `compile_error!` is rustc's error type, about which rustc reports
//! nothing further. So the error stands in such an alias, and every other name of the stub is an alias of it. The
//! names come from a glance at the source: a guess is good enough here.

use crate::names;
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::Visibility;

/// What a compile error underlines: from the first of two tokens to the second.
#[derive(Clone, Copy)]
pub struct Place(Span, Span);

impl Place {
    /// The place of these tokens.
    pub fn of(tokens: impl ToTokens) -> Place {
        let mut spans = tokens.into_token_stream().into_iter().map(|t| t.span());
        let first = spans.next().unwrap_or_else(Span::call_site);
        Place(first, spans.last().unwrap_or(first))
    }
}

/// A mistake: its place and message.
pub type Mistake = (Place, String);

/// A compile error as an expression.
///
/// A message of several lines begins on a line of its own, so that its pictures line up.
pub fn error((place, message): &Mistake) -> TokenStream {
    let message = if message.contains('\n') { format!("\n{message}\n") } else { message.clone() };
    let mut out = quote_spanned! { place.0 => ::core::compile_error! };
    let mut argument = Group::new(Delimiter::Brace, message.to_token_stream());
    argument.set_span(place.1);
    out.extend([TokenTree::Group(argument)]);
    out
}

/// A module whose use is silent, with the error inside.
pub fn module(vis: &Visibility, name: &Ident, mistake: &Mistake, source: Option<&str>) -> TokenStream {
    let error = error(mistake);
    let guessed = guess(source.unwrap_or_default());
    let types = guessed.types.iter().map(|t| names::ident(t, Span::call_site()));
    let types: Vec<_> = types.filter(|t| t != "Args" && t != "Kernel").collect();
    let entries = guessed.entries.iter().map(|e| {
        let name = names::ident(e, Span::call_site());
        quote! {
            pub mod #name {
                pub type Args = super::Args;
                pub type Kernel = super::Args;
                pub fn load<D>(_: D) -> ::core::result::Result<Kernel, ::spirv_runtime::Error> { loop {} }
            }
        }
    });
    quote! {
        #[allow(dead_code, missing_docs)]
        #vis mod #name {
            pub type Args = <[(); #error] as ::spirv_runtime::__private::Broken>::Stub;
            pub type Kernel = Args;
            #(pub type #types = Args;)*
            pub fn load<D>(_: D) -> ::core::result::Result<Kernel, ::spirv_runtime::Error> { loop {} }
            #(#entries)*
        }
    }
}

#[derive(Default)]
struct Guess {
    types: Vec<String>,
    entries: Vec<String>,
}

/// The names of structs and cbuffers, and of functions that follow `numthreads`.
fn guess(source: &str) -> Guess {
    let mut out = Guess::default();
    let words = words(source);
    for (i, word) in words.iter().enumerate() {
        let next = words.get(i + 1).copied().unwrap_or_default();
        match *word {
            "struct" | "cbuffer" if !next.is_empty() => push(&mut out.types, names::camel(next)),
            "numthreads" => {
                // [numthreads(8, 8, 1)] void main(
                let after = words[i..].iter().take(24).position(|w| *w == "void");
                if let Some(name) = after.and_then(|v| words.get(i + v + 1)) {
                    push(&mut out.entries, names::snake(name));
                }
            }
            _ => {}
        }
    }
    out
}

fn push(list: &mut Vec<String>, name: String) {
    if !list.contains(&name) {
        list.push(name);
    }
}

/// The identifiers and numbers of a source, comments aside.
fn words(source: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut rest = source;
    while let Some(start) = rest.find(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '/') {
        rest = &rest[start..];
        if let Some(comment) = rest.strip_prefix("//") {
            rest = comment.find('\n').map_or("", |end| &comment[end..]);
        } else if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.find("*/").map_or("", |end| &comment[end + 2..]);
        } else if let Some(slash) = rest.strip_prefix('/') {
            rest = slash;
        } else {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            out.push(&rest[..end]);
            rest = &rest[end..];
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_broken_sources() {
        let guess = guess(
            "cbuffer blur_params { int r; // struct Not {\n }; struct Taps { float w } /* cbuffer X */\n\
             [numthreads(8, 8, 1)] void blurX(uint3 id : SV_DispatchThreadID) { a / b; } void helper() {}\n\
             [numthreads(1, 1, 1)]\nvoid second(",
        );
        assert_eq!(guess.types, ["BlurParams", "Taps"]);
        assert_eq!(guess.entries, ["blur_x", "second"]);
    }
}
