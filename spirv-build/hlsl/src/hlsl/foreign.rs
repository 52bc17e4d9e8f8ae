//! Sources in another language: one line that says which, in place of an error for each of its words.
use crate::diag::{Code, Diagnostic, Diagnostics, Severity};
use crate::source::{FileId, SourceMap, Span};

/// A language that kernels are written in.
struct Language {
    name: &'static str,
    /// What HLSL never has.
    marks: &'static [&'static str],
    help: &'static str,
}

const LANGUAGES: &[Language] = &[
    Language {
        name: "GLSL",
        marks: &["#version", "gl_GlobalInvocationID", "layout(local_size", "layout (local_size"],
        help: "`glslc` or `glslangValidator` compile it; this compiler takes HLSL",
    },
    Language {
        name: "WGSL",
        marks: &["@compute", "@group(", "var<storage", "var<workgroup"],
        help: "`naga` or `tint` compile it; this compiler takes HLSL",
    },
    Language {
        name: "CUDA or HIP",
        marks: &["__global__", "__device__", "threadIdx.", "blockIdx."],
        help: "a `__global__` function becomes one with `[numthreads(64, 1, 1)]`, pointers become `RWStructuredBuffer`, and \
               `blockIdx * blockDim + threadIdx` is `SV_DispatchThreadID`",
    },
    Language {
        name: "the Metal Shading Language",
        marks: &["<metal_stdlib>", "using namespace metal", "[[buffer(", "[[thread_position_in_grid]]"],
        help: "a `kernel` becomes a function with `[numthreads(64, 1, 1)]`, and `device` pointers become `RWStructuredBuffer`",
    },
    Language {
        name: "OpenCL C",
        marks: &["__kernel", "get_global_id(", "get_local_id("],
        help: "`clang -target spir64 -emit-llvm -c` makes LLVM IR of it, which this compiler takes as a file that ends in `.bc`",
    },
    Language {
        name: "SPIR-V assembly",
        marks: &["OpCapability", "OpMemoryModel"],
        help: "`spirv-as` makes a module of it; there is nothing to compile",
    },
    Language {
        name: "LLVM IR",
        marks: &["define spir_kernel", "target triple =", "target datalayout ="],
        help: "let the name of the file end in `.ll`",
    },
    Language {
        name: "Rust",
        marks: &["fn main()", "pub fn ", "println!("],
        help: "kernels are written in HLSL, in a file that the build script compiles; `include_kernel!` makes a Rust function of one",
    },
    Language {
        name: "C or C++",
        marks: &["#include <stdio.h>", "#include <iostream>", "#include <vector>", "#include <stdlib.h>"],
        help: "kernels are written in HLSL, which has no standard library",
    },
];

/// A text with its comments, and what stands in quotes, blanked out.
fn code_of(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['"', '/']) {
        let (before, tail) = rest.split_at(at);
        code.push_str(before);
        let line = tail.find('\n').unwrap_or(tail.len());
        let len = match tail.as_bytes() {
            [b'/', b'/', ..] => line,
            [b'/', b'*', ..] => tail[2..].find("*/").map_or(tail.len(), |end| end + 4),
            [b'"', ..] => tail[1..line].find('"').map_or(line, |end| end + 2),
            _ => 1,
        };
        code.extend(tail[..len].bytes().map(|b| if b == b'\n' { '\n' } else { ' ' }));
        rest = &tail[len..];
    }
    code + rest
}

/// Replaces what is wrong with a file by one error if it is written in another language. Its first mark must not be behind the
/// first error: files that are shared between languages have such words where they are not compiled.
pub(super) fn report(main: FileId, sources: &SourceMap, diags: &mut Diagnostics) {
    let Some(file) = sources.file(main) else { return };
    let errors = diags.iter().filter(|d| d.severity == Severity::Error).filter_map(|d| d.span);
    let first =
        errors.map(|s| sources.locate(s)).filter(|s| s.file == main).map(|s| file.line_index(s.lo)).min();
    let Some(first) = first else { return };
    let code = code_of(&file.text);
    let marks = LANGUAGES.iter().flat_map(|l| l.marks.iter().map(move |m| (l, m)));
    let found = marks.filter_map(|(l, m)| Some((code.find(m)?, m.len(), l))).min_by_key(|f| f.0);
    let Some((at, len, language)) = found.filter(|f| file.line_index(f.0 as u32) >= first) else { return };
    let span = Span::new(main, at as u32, (at + len) as u32);
    let text = format!("this is {}, not HLSL", language.name);
    let mut d = Diagnostic::new(Code::ForeignLanguage, Some(span), text);
    d.help(language.help);
    diags.replace_all(d);
}
