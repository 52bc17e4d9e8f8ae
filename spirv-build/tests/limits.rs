//! How much a module may have of what: the largest programs that are within SPIR-V's limits give valid modules, and one more of
//! anything is a mistake with a place.

mod common;

use common::validate;
use spirv_build::diag::Diagnostics;
use spirv_build::driver::{self, Output, flags};
use spirv_build::source::SourceMap;

/// Compiles a program. The module, or the first mistake: line, code and message.
fn compile(text: &str, more: &[&str]) -> Result<Vec<u32>, (u32, &'static str, String)> {
    let args = ["-T", "cs_6_6", "-fspv-target-env=vulkan1.3", "t.hlsl"].iter().chain(more);
    let command = flags::parse(args.map(|a| a.to_string())).unwrap();
    let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
    match driver::compile("t.hlsl", text, &command, &mut sources, &mut diagnostics) {
        Some(Output::Words(words)) => Ok(words),
        other => {
            assert!(other.is_none());
            let first = diagnostics.sorted(&sources)[0];
            let line = first.span.map_or(0, |s| sources.position(s).line);
            Err((line, first.code.id(), first.message.clone()))
        }
    }
}

/// Numbered parts of a program.
fn parts(n: usize, part: impl Fn(usize) -> String) -> String {
    (0..n).map(part).collect()
}

const HEAD: &str = "RWStructuredBuffer<uint> o;\n";

/// The first lines of a program, and a kernel that begins in the line after.
fn kernel(before: &str, body: &str) -> String {
    format!(
        "{HEAD}{before}\n[numthreads(1, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {{\n{body}\n}}\n"
    )
}

fn table(n: usize) -> String {
    let list = parts(n, |i| format!("{i},"));
    kernel(&format!("static const uint t[{n}] = {{ {list} }};"), "o[id.x] = t[id.y];")
}

fn list(n: usize) -> String {
    let list = parts(n, |i| format!("id.x + {i},"));
    kernel("", &format!("uint t[{n}] = {{ {list} }}; o[id.x] = t[id.y];"))
}

fn members(n: usize) -> String {
    let list = parts(n, |i| format!("uint m{i};"));
    kernel(&format!("struct S {{ {list} }}; StructuredBuffer<S> s;"), "o[id.x] = s[id.y].m7;")
}

fn cases(n: usize) -> String {
    // One of them is the default.
    let list = parts(n, |i| format!("case {i}: o[id.x] = {}; break;", i % 7));
    kernel("", &format!("switch (id.x) {{ {list} }}"))
}

fn ways(n: usize) -> String {
    // The loop's condition is one more.
    let list = parts(n - 1, |i| format!("if (o[i] == {i}) {{ s = {i}; break; }}\n"));
    kernel("", &format!("uint s = 0; [loop] for (uint i = 0; i < id.y; i++) {{ {list} }} o[id.x] = s;"))
}

fn variables(n: usize) -> String {
    // The buffer is one more.
    let list = parts(n - 1, |i| format!("groupshared uint g{i};"));
    kernel(&list, &format!("{} o[0] = 1;", parts(n - 1, |i| format!("g{i} = 1;"))))
}

fn arguments(n: usize) -> String {
    let (declared, given) = (parts(n - 1, |i| format!("uint a{i}, ")), parts(n - 1, |_| "id.x, ".into()));
    kernel(&format!("uint f({declared} uint a) {{ return a0 + a; }}"), &format!("o[0] = f({given} 1);"))
}

fn message(n: usize) -> String {
    kernel("", &format!("printf(\"{}\");", "a".repeat(n)))
}

fn name(n: usize) -> String {
    kernel("", "").replace("main", &"a".repeat(n))
}

/// The largest program that is within a limit is valid, and the next one is refused, with the line.
fn holds(program: fn(usize) -> String, most: usize, line: u32, what: &str, more: &[&str]) {
    // Phis with so many edges take spirv-val minutes.
    if what != "ways that lead out of a statement" {
        let words = compile(&program(most), more).unwrap_or_else(|e| panic!("{what}: {e:?}"));
        if let Some(Err(e)) = validate(&words, "vulkan1.3", &[]) {
            panic!("{what}: {}", e.lines().next().unwrap_or_default());
        }
    }
    let (at, code, text) = compile(&program(most + 1), more).unwrap_err();
    assert_eq!((at, code), (line, "H0902"), "{text}");
    assert!(text.starts_with(&format!("{} {what}, but SPIR-V has at most {most}", most + 1)), "{text}");
}

#[test]
fn lists_have_a_limit() {
    holds(table, 65_532, 2, "elements of a constant", &["-Od"]);
    holds(list, 65_532, 4, "values in one list", &["-Od"]);
    holds(members, 16_383, 2, "members of a structure", &[]);
    holds(message, 65_535, 4, "bytes of a string", &[]);
}

#[test]
fn branches_have_a_limit() {
    holds(cases, 16_383, 4, "cases of a switch", &["-Od"]);
    holds(ways, 32_766, 4, "ways that lead out of a statement", &[]);
}

#[test]
fn declarations_have_a_limit() {
    holds(variables, 65_535, 2, "resources and global variables", &["-fspv-target-env=vulkan1.1"]);
    holds(arguments, 255, 2, "parameters of a function", &["-Od"]);
    assert!(compile(&name(65_535), &[&format!("-E{}", "a".repeat(65_535))]).is_ok());
    let (line, code, text) = compile(&name(65_536), &[&format!("-E{}", "a".repeat(65_536))]).unwrap_err();
    assert!(line == 3 && code == "H0902" && text.contains("bytes of a string"), "{text}");
}

/// What only debuggers read is cut off or left away.
#[test]
fn long_names_and_files_cost_nothing_but_themselves() {
    let long = "n".repeat(300_000);
    let text = format!(
        "// {long}\n#line 7 \"{long}\"\n{}",
        kernel("", &format!("uint {long} = id.x; o[0] = {long};"))
    );
    for debug in
        [&["-Od"][..], &["-Zi"], &["-fspv-debug=vulkan-with-source"], &["-fspv-debug=rich-with-source"]]
    {
        let words = compile(&text, debug).unwrap();
        if let Some(Err(e)) = validate(&words, "vulkan1.3", &[]) {
            panic!("{debug:?}: {e:.300}");
        }
    }
}
