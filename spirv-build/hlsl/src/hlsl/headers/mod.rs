//! Headers that come with the compiler. A file of the same name that is found by path goes before them.

use super::lex::{Token, TokenKind};
use super::words;
use crate::source::Interner;

/// A row each: name as in `#include`, text.
const HEADERS: &[(&str, &str)] = &[
    ("vk/opcode_selector.h", include_str!("opcode_selector.h")),
    ("vk/spirv.h", include_str!("spirv.h")),
    ("vk/khr/cooperative_matrix.h", include_str!("cooperative_matrix.h")),
];

/// Intrinsic functions that are written in HLSL.
pub const LIBRARY: &str = include_str!("library.hlsl");

/// Namespace that they stand in.
pub const LIBRARY_NAMESPACE: &str = "__spirvc";

/// What asks for the library, beside the intrinsics that it has ([`super::intrinsics::ROWS`]).
pub const LIBRARY_WORDS: &[&str] = &["GetSamplePosition"];

/// What must be named beside an intrinsic that the library has for some widths only.
const WIDTHS: &[&str] =
    &["int16_t", "uint16_t", "int64_t", "uint64_t", "double", "float64_t", "vector", "matrix"];

/// Whether a program of these tokens needs the library.
pub fn wants_library(tokens: &[Token], names: &Interner) -> bool {
    let words = || tokens.iter().filter(|t| t.kind == TokenKind::Ident).map(|t| t.text);
    let mut by_width = false;
    for word in words() {
        match words::in_library(word) {
            (true, _) => return true,
            (_, width) => by_width |= width,
        }
    }
    let names_width = |word| {
        let name: &str = names.name(word);
        WIDTHS.contains(&name.strip_suffix(['2', '3', '4']).unwrap_or(name))
    };
    by_width && words().any(names_width)
}

/// The text of a header.
pub fn find(name: &str) -> Option<&'static str> {
    HEADERS.iter().find(|h| h.0 == name).map(|h| h.1)
}
