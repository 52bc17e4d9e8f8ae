//! The front end must answer every input: with a module or with diagnostics, never with a panic, a hang or a stack overflow.

mod common;

use common::changes::Numbers;
use spirv_build::diag::{Diagnostics, render};
use spirv_build::hlsl::{self, MemoryIncludes, Options};
use spirv_build::source::SourceMap;
use std::path::Path;

/// Compiles, renders everything, and answers whether it was accepted and the first code that was reported.
fn compile(text: &str) -> (bool, String) {
    let (mut sources, mut diags) = (SourceMap::new(), Diagnostics::new());
    let options = Options::default();
    let module =
        hlsl::compile_to_hir("t.hlsl", text, &options, &MemoryIncludes::default(), &mut sources, &mut diags);
    assert_eq!(module.is_none(), diags.has_errors());
    if let Some(m) = &module {
        hlsl::dump_hir(m);
    }
    render::pictures(&diags, &sources, false);
    let first = diags.iter().next().map_or(String::new(), |d| d.code.id().to_string());
    (module.is_some(), first)
}

fn kernel(body: &str) -> String {
    format!(
        "RWStructuredBuffer<int> o;\n[numthreads(1, 1, 1)]\nvoid main(uint id : SV_DispatchThreadID) {{ {body} }}\n"
    )
}

#[test]
fn deep_and_long_programs_end_in_a_diagnostic() {
    let n = 100_000;
    let cases = [
        ("parentheses", kernel(&format!("o[0] = {}1{};", "(".repeat(n), ")".repeat(n)))),
        ("signs", kernel(&format!("o[0] = {}1;", "- ".repeat(n)))),
        ("sum", kernel(&format!("o[0] = id{};", " + id".repeat(n)))),
        ("indices", kernel(&format!("o[0] = {}id{};", "o[".repeat(n), "]".repeat(n)))),
        ("members", kernel(&format!("o[0] = id{};", ".x".repeat(n)))),
        ("calls", kernel(&format!("o[0] = {}1{};", "abs(".repeat(n), ")".repeat(n)))),
        ("ternaries", kernel(&format!("o[0] = {}1;", "id ? 1 : ".repeat(n)))),
        ("assignments", kernel(&format!("int a; {}1;", "a = ".repeat(n)))),
        ("blocks", kernel(&format!("{}{}", "{".repeat(n), "}".repeat(n)))),
        ("ifs", kernel(&format!("{};", "if (id) ".repeat(n)))),
        ("else ifs", kernel(&format!("if (id) o[0] = 1; {}", "else if (id) o[0] = 2; ".repeat(n)))),
        ("braces", kernel(&format!("int a[1] = {}1{};", "{".repeat(n), "}".repeat(n)))),
        ("casts", kernel(&format!("o[0] = {}1;", "(int)".repeat(n)))),
        ("structures", format!("{}{}", "struct S { ".repeat(n), "};".repeat(n))),
        ("namespaces", format!("{}{}", "namespace a { ".repeat(n), "}".repeat(n))),
        ("templates", format!("{} x;", "Buffer<".repeat(n))),
        ("template heads", "template<typename T> ".repeat(n)),
        ("attributes", "[a".repeat(n)),
        ("qualifiers", kernel(&format!("{}float x = 1;", "linear ".repeat(n)))),
        ("conditionals", "#if 1\n".repeat(n)),
        ("conditions", format!("#if {}1{}\n#endif\n", "(".repeat(n), ")".repeat(n))),
        ("condition signs", format!("#if {}1\n#endif\n", "! ".repeat(n))),
        ("macro calls", format!("#define F(x) x\nint a = {}1{};", "F(".repeat(n), ")".repeat(n))),
        (
            "function templates of one name",
            (0..2000).fold(String::new(), |s, i| {
                s + &format!(
                    "struct S{i} {{ int a; }}; template<typename T> T g(T x, S{i} y) {{ return x; }}\n"
                )
            }) + &kernel(""),
        ),
        (
            "namespaces that are used",
            (0..2000).fold(String::new(), |s, i| {
                s + &format!("namespace n{i} {{ static const int v{i} = 1; }} using namespace n{i};\n")
            }) + &kernel(""),
        ),
        (
            "doubling macros",
            (0..64).fold(String::from("#define M0 1 +\n"), |s, i| {
                s + &format!("#define M{} M{i} M{i}\n", i + 1)
            }) + "int a = M64 1;\n",
        ),
        (
            "doubling structures",
            (0..27).fold(String::from("struct S0 { float x; };\n"), |s, i| {
                s + &format!("struct S{} {{ S{i} a; S{i} b; }};\n", i + 1)
            }) + "S27 f(S27 s) { return s; }\n[numthreads(1, 1, 1)] void main() { S27 s = f((S27)0); }\n",
        ),
        (
            "arrays of structures of arrays",
            (0..60).fold(String::from("struct S0 { float x; };\n"), |s, i| {
                s + &format!("struct S{} {{ S{i} a[2][2]; }};\n", i + 1)
            }) + "StructuredBuffer<S60> b;\n[numthreads(1, 1, 1)] void main() { S60 s = b[0]; }\n",
        ),
        (
            "chains of structures",
            (0..20_000).fold(String::from("struct S0 { float x; };\n"), |s, i| {
                s + &format!("struct S{} {{ S{i} a; }};\n", i + 1)
            }) + "StructuredBuffer<S20000> b;\n[numthreads(1, 1, 1)] void main() { S20000 s = b[0]; }\n",
        ),
        (
            "chains of bases",
            (0..3000).fold(String::from("struct S0 { float x; };\n"), |s, i| {
                s + &format!("struct S{} : S{i} {{ float y{i}; }};\n", i + 1)
            }) + "StructuredBuffer<S3000> b;\n[numthreads(1, 1, 1)] void main() { S3000 s = b[0]; }\n",
        ),
        (
            "chains of arrays",
            (0..20_000).fold(String::from("typedef float T0;\n"), |s, i| {
                s + &format!("typedef T{i} T{}[1];\n", i + 1)
            }) + "[numthreads(1, 1, 1)] void main() { T20000 t; }\n",
        ),
        ("arrays", kernel(&format!("int a{};", "[65536]".repeat(1000)))),
        ("semicolons", ";".repeat(50 * n)),
        ("words", "a ".repeat(50 * n)),
        ("bodies of macros", format!("#define A {}\n", "a ".repeat(50 * n))),
        ("numbers", format!("static const int t[] = {{ {} }};", "1,".repeat(50 * n))),
        ("binary or", kernel(&format!("if (id{}) o[0] = 1;", " || id".repeat(n)))),
    ];
    for (name, text) in cases {
        let start = std::time::Instant::now();
        let (accepted, code) = compile(&text);
        assert!(!accepted, "{name} was accepted");
        assert!(!code.is_empty() && code != "H0999", "{name}: {code}");
        // What doubles with each step would take years; a busy machine takes some seconds.
        assert!(start.elapsed().as_secs() < 60, "{name} took {:?}", start.elapsed());
    }
}

/// Files that include each other without end, or nearly so, are no deeper than they may be: their number is what ends them.
#[test]
fn includes_that_fan_out_end_in_a_diagnostic() {
    let fan = |files: usize, each: usize, more: &str| -> MemoryIncludes {
        let body = |i: usize| format!("#include \"f{}.h\"\n", i + 1).repeat(each) + more;
        let all = (0..files).map(|i| (format!("f{i}.h"), if i + 1 < files { body(i) } else { more.into() }));
        MemoryIncludes(all.collect())
    };
    let comment = format!("/*{}*/", " ".repeat(1 << 20));
    for (name, includes, code) in [
        ("16 files, 4 each", fan(16, 4, ""), "H0902"),
        ("large files", fan(6, 4, &comment), "H0902"),
        ("many tokens", fan(8, 4, &"#define A B\n".repeat(100)), "H0115"),
        ("60 files, one each", fan(60, 1, ""), ""),
    ] {
        let (mut sources, mut diags) = (SourceMap::new(), Diagnostics::new());
        let text = format!("#include \"f0.h\"\n{}", kernel("o[0] = 1;"));
        hlsl::compile_to_hir("t.hlsl", &text, &Options::default(), &includes, &mut sources, &mut diags);
        let first = diags.iter().next().map_or("", |d| d.code.id());
        assert_eq!(first, code, "{name}: {}", render::pictures(&diags, &sources, false));
    }
}

#[test]
fn long_but_flat_programs_are_accepted() {
    let chain: String =
        (1..3000).map(|i| format!("int f{i}(int x) {{ return f{}(x) + 1; }}\n", i - 1)).collect();
    let text = format!("int f0(int x) {{ return x; }}\n{chain}{}", kernel("o[0] = f2999(1);"));
    assert_eq!(compile(&text), (true, String::new()));
    let statements = "o[id] = o[id + 1] * 3 + 1;\n".repeat(5000);
    assert_eq!(compile(&kernel(&statements)), (true, String::new()));
    let list = "1, ".repeat(20000);
    let text = format!("static const int a[] = {{ {list} 1 }};\n{}", kernel("o[0] = a[id];"));
    assert_eq!(compile(&text), (true, String::new()));
    let sum = kernel(&format!("o[0] = id{};", " + id".repeat(400)));
    assert_eq!(compile(&sum), (true, String::new()));
}

#[test]
fn random_changes_never_make_it_panic() {
    let mut programs = Vec::new();
    for folder in ["ok", "err"] {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hlsl").join(folder);
        let mut paths: Vec<_> = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()).collect();
        paths.retain(|p| p.extension().is_some_and(|e| e == "hlsl"));
        paths.sort();
        programs.extend(paths.iter().map(|p| std::fs::read_to_string(p).unwrap()));
    }
    let inserts = [
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        ";",
        ",",
        ".",
        "<",
        ">",
        "=",
        "::",
        "#",
        "##",
        "\"",
        "'",
        "\\\n",
        "/*",
        "//",
        "?",
        ":",
        "0",
        "1e9999",
        "0xffffffffffffffff",
        "-",
        "float3",
        "struct",
        "template",
        "this",
        "return",
        "é",
        "\0",
        "\r\n",
        "Texture2D",
        "mips",
        "if",
        "else",
        "switch",
        "case",
        "operator",
        "inout",
        "const",
        "static",
        "groupshared",
        "_m00",
        "#define X X X\nX",
        "#if",
        "register(t0)",
        "(0)",
        "{}",
        "[0]",
        "void",
        "65536",
    ];
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    for round in 0..1500 {
        let mut text = programs[round % programs.len()].clone();
        for _ in 0..1 + numbers.below(4) {
            let pieces: Vec<usize> = text.char_indices().map(|(i, _)| i).collect();
            let at = pieces[numbers.below(pieces.len())];
            match numbers.below(4) {
                0 => text.insert_str(at, inserts[numbers.below(inserts.len())]),
                1 => {
                    let to = pieces[numbers.below(pieces.len())].clamp(at, (at + 12).min(text.len()));
                    if text.is_char_boundary(to) {
                        text.replace_range(at..to, "");
                    }
                }
                2 => {
                    let other = &programs[numbers.below(programs.len())];
                    let from = numbers.below(other.len());
                    let to = (from + numbers.below(40)).min(other.len());
                    if let Some(piece) = other.get(from..to) {
                        text.insert_str(at, piece);
                    }
                }
                _ => text.truncate(at),
            }
            if text.is_empty() {
                break;
            }
        }
        let copy = text.clone();
        let result = std::panic::catch_unwind(|| compile(&copy));
        assert!(result.is_ok(), "panic on:\n{text}");
    }
}
