//! Headers that come with the compiler. A file of the same name that is found by path goes before them.

/// A row each: name as in `#include`, text.
const HEADERS: &[(&str, &str)] = &[
    ("vk/opcode_selector.h", include_str!("opcode_selector.h")),
    ("vk/spirv.h", include_str!("spirv.h")),
    ("vk/khr/cooperative_matrix.h", include_str!("cooperative_matrix.h")),
];

/// The text of a header.
pub fn find(name: &str) -> Option<&'static str> {
    HEADERS.iter().find(|h| h.0 == name).map(|h| h.1)
}
