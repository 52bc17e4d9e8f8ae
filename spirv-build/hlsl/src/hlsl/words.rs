//! Words with a meaning to the front end: their symbols and roles are put together when the compiler is built, so that no
//! compilation has to intern them or look for them.
use super::ast::Quals;
use super::headers;
use super::intrinsics::{ROWS, Shape};
use crate::interner::{Interner, Known, Symbol};

/// Words that cannot be names. Kept short: many HLSL keywords are usable as names where they mean nothing.
const RESERVED: &[&str] = &[
    "if",
    "else",
    "for",
    "while",
    "do",
    "switch",
    "case",
    "default",
    "break",
    "continue",
    "return",
    "discard",
    "struct",
    "class",
    "interface",
    "enum",
    "typedef",
    "using",
    "namespace",
    "template",
    "typename",
    "cbuffer",
    "tbuffer",
    "static",
    "const",
    "extern",
    "uniform",
    "groupshared",
    "inout",
    "in",
    "out",
    "true",
    "false",
    "sizeof",
    "this",
    "operator",
    "void",
    "volatile",
    "inline",
    "row_major",
    "column_major",
    "goto",
    "auto",
    "register",
    "packoffset",
    "static_assert",
    "_Static_assert",
];

/// Words that nothing declared can be called: types that are keywords, keywords of C++ that HLSL reserves, and modifiers that
/// only stand before types. All other types are names that can be hidden.
const NO_NAMES: &[&str] = &[
    "asm",
    "bool",
    "catch",
    "centroid",
    "char",
    "const_cast",
    "delete",
    "double",
    "dynamic_cast",
    "explicit",
    "float",
    "friend",
    "int",
    "line",
    "lineadj",
    "linear",
    "long",
    "mutable",
    "new",
    "nointerpolation",
    "noperspective",
    "point",
    "private",
    "protected",
    "public",
    "reinterpret_cast",
    "shared",
    "short",
    "signed",
    "static_cast",
    "throw",
    "triangle",
    "triangleadj",
    "try",
    "typeid",
    "union",
    "virtual",
    "wchar_t",
];

/// Words with a meaning to the preprocessor.
const PREPROCESSOR: &[&str] =
    &["", "end of file", "defined", "__FILE__", "__LINE__", "__COUNTER__", "__has_feature", "__VA_ARGS__"];

/// Macros that the compiler defines, as dxc does. Their symbols come first.
pub const PREDEFINED: &[&str] = &[
    "__hlsl_dx_compiler",
    "__HLSL_VERSION",
    "__SHADER_TARGET_MAJOR",
    "__SHADER_TARGET_MINOR",
    "__SHADER_TARGET_STAGE",
    "__SHADER_STAGE_PIXEL",
    "__SHADER_STAGE_VERTEX",
    "__SHADER_STAGE_GEOMETRY",
    "__SHADER_STAGE_HULL",
    "__SHADER_STAGE_DOMAIN",
    "__SHADER_STAGE_COMPUTE",
    "__SHADER_STAGE_LIBRARY",
    "__SHADER_STAGE_MESH",
    "__SHADER_STAGE_AMPLIFICATION",
    "__spirv__",
    "__SPIRV_MAJOR_VERSION__",
    "__SPIRV_MINOR_VERSION__",
    "__HLSL_ENABLE_16_BIT",
];

/// Names that the compiler gives or looks for.
const OWN: &[&str] = &[headers::LIBRARY_NAMESPACE, "$t", "operator()", "operator[]"];

/// Names of types, components, attributes and system values that most programs say.
const FREQUENT: &[&str] = &[
    "x",
    "y",
    "z",
    "w",
    "xy",
    "xyz",
    "numthreads",
    "float2",
    "float3",
    "float4",
    "int2",
    "int3",
    "int4",
    "uint",
    "uint2",
    "uint3",
    "uint4",
    "bool2",
    "half",
    "float4x4",
    "StructuredBuffer",
    "RWStructuredBuffer",
    "ByteAddressBuffer",
    "RWByteAddressBuffer",
    "Buffer",
    "RWBuffer",
    "Texture2D",
    "RWTexture2D",
    "SamplerState",
    "vk",
    "binding",
    "SV_DispatchThreadID",
    "SV_GroupThreadID",
    "SV_GroupID",
    "SV_GroupIndex",
];

/// Whether an intrinsic is one of the library, and whether for some widths only.
const fn in_library_row(i: usize) -> (bool, bool) {
    (matches!(ROWS[i].shape, Shape::Library), ROWS[i].library)
}

type Table = Known<512, { 8 << 10 }, 1024>;

/// All of them.
static KNOWN: Table = known();

const fn known() -> Table {
    let mut known = Known::new().with(PREDEFINED).with(PREPROCESSOR).with(RESERVED).with(NO_NAMES);
    let mut i = 0;
    while i < Quals::WORDS.len() {
        known = known.with(&[Quals::WORDS[i].1]);
        i += 1;
    }
    i = 0;
    while i < ROWS.len() {
        if let (true, _) | (_, true) = in_library_row(i) {
            known = known.with(&[ROWS[i].name]);
        }
        i += 1;
    }
    known.with(OWN).with(headers::LIBRARY_WORDS).with(FREQUENT)
}

/// What a word means, whatever is declared.
#[derive(Clone, Copy)]
struct Role {
    reserved: bool,
    /// Nothing that is declared can be called so.
    no_name: bool,
    /// Declared by the library of intrinsics.
    library: bool,
    /// In the library for some widths only.
    by_width: bool,
    qualifier: Option<Quals>,
}

const COUNT: usize = KNOWN.count();

/// By symbol.
static ROLES: [Role; COUNT] = {
    let none = Role { reserved: false, no_name: false, library: false, by_width: false, qualifier: None };
    let mut roles = [none; COUNT];
    let mut i = 0;
    while i < RESERVED.len() {
        roles[at(RESERVED[i])].reserved = true;
        i += 1;
    }
    i = 0;
    while i < NO_NAMES.len() {
        roles[at(NO_NAMES[i])].no_name = true;
        i += 1;
    }
    i = 0;
    while i < headers::LIBRARY_WORDS.len() {
        roles[at(headers::LIBRARY_WORDS[i])].library = true;
        i += 1;
    }
    i = 0;
    while i < ROWS.len() {
        let (library, by_width) = in_library_row(i);
        if library || by_width {
            let at = at(ROWS[i].name);
            (roles[at].library, roles[at].by_width) = (library, by_width);
        }
        i += 1;
    }
    i = 0;
    while i < Quals::WORDS.len() {
        roles[at(Quals::WORDS[i].1)].qualifier = Some(Quals::WORDS[i].0);
        i += 1;
    }
    roles
};

const fn at(word: &str) -> usize {
    KNOWN.symbol(word).0 as usize
}

/// An interner that knows the words.
pub fn interner() -> Interner {
    Interner::starting_with(&KNOWN)
}

/// The symbol of a word in every interner that knows the words.
///
/// # Panics
/// It is none of them: for constants, where that is an error of compilation.
pub(super) const fn symbol(word: &str) -> Symbol {
    KNOWN.symbol(word)
}

/// The namespace of the library of intrinsics.
pub(super) const LIBRARY_NAMESPACE: Symbol = symbol(headers::LIBRARY_NAMESPACE);
/// Variables that the compiler makes.
pub(super) const TEMPORARY: Symbol = symbol("$t");
pub(super) const THIS: Symbol = symbol("this");
pub(super) const CALL_OPERATOR: Symbol = symbol("operator()");
pub(super) const INDEX_OPERATOR: Symbol = symbol("operator[]");

fn role(name: Symbol) -> Option<&'static Role> {
    ROLES.get(name.0 as usize)
}

/// Whether a word cannot be a name.
pub(super) fn is_reserved(name: Symbol) -> bool {
    role(name).is_some_and(|r| r.reserved)
}

/// Whether something that is declared can have a word as its name.
pub(super) fn is_name(name: Symbol) -> bool {
    role(name).is_none_or(|r| !r.reserved && !r.no_name)
}

/// The qualifier that a word is, if it is one.
pub(super) fn qualifier(name: Symbol) -> Option<Quals> {
    role(name)?.qualifier
}

/// Whether a word names an intrinsic of the library, and whether one that is there for some widths only.
pub(super) fn in_library(name: Symbol) -> (bool, bool) {
    role(name).map_or((false, false), |r| (r.library, r.by_width))
}

#[cfg(test)]
mod tests {
    use crate::diag::Diagnostics;
    use crate::hlsl::{Options, compile_to_hir, pp::MemoryIncludes};
    use crate::source::SourceMap;

    /// Names and values of the macros stand in two lists.
    #[test]
    fn predefined_macros_have_their_values() {
        let wanted = [
            "__hlsl_dx_compiler == 1 && __HLSL_VERSION == 2021 && __SHADER_TARGET_MAJOR == 6",
            "__SHADER_TARGET_MINOR == 4 && __SHADER_TARGET_STAGE == __SHADER_STAGE_COMPUTE",
            "__SHADER_STAGE_PIXEL == 0 && __SHADER_STAGE_VERTEX == 1 && __SHADER_STAGE_GEOMETRY == 2",
            "__SHADER_STAGE_HULL == 3 && __SHADER_STAGE_DOMAIN == 4 && __SHADER_STAGE_COMPUTE == 5",
            "__SHADER_STAGE_LIBRARY == 6 && __SHADER_STAGE_MESH == 13 && __SHADER_STAGE_AMPLIFICATION == 14",
            "__spirv__ == 1 && __SPIRV_MAJOR_VERSION__ == 1 && __SPIRV_MINOR_VERSION__ == 5",
            "__HLSL_ENABLE_16_BIT == 1",
        ];
        let options = Options {
            profile: "cs_6_4".into(),
            enable_16bit_types: true,
            spirv_minor: 5,
            ..Options::default()
        };
        let mut text = String::new();
        for condition in wanted {
            text += &format!("#if !({condition})\n#error {condition}\n#endif\n");
        }
        text += "#undef __spirv__\n#ifdef __spirv__\n#error undefined\n#endif\n[numthreads(1, 1, 1)] void main() {}\n";
        let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
        let includes = MemoryIncludes::default();
        let module = compile_to_hir("k.hlsl", &text, &options, &includes, &mut sources, &mut diagnostics);
        assert!(module.is_some(), "{:?}", diagnostics.iter().collect::<Vec<_>>());
    }
}
