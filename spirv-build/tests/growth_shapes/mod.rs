//! Programs that are large in one way each.

/// Parts of a program, numbered.
fn parts(n: usize, part: impl Fn(usize) -> String) -> String {
    (0..n).map(part).collect()
}

fn list(n: usize, part: impl Fn(usize) -> String) -> String {
    (0..n).map(part).collect::<Vec<_>>().join(", ")
}

/// A kernel with declarations before it.
fn kernel(before: &str, body: &str) -> String {
    format!(
        "RWStructuredBuffer<uint> o;\n{before}\n[numthreads(1, 1, 1)]\nvoid main(uint3 id : SV_DispatchThreadID)\n{{\n{body}\n}}\n"
    )
}

/// A kernel of statements alone.
fn body(n: usize, part: impl Fn(usize) -> String) -> String {
    kernel("", &parts(n, part))
}

/// A kernel with something declared, and something done, so many times.
fn both(n: usize, before: impl Fn(usize) -> String, part: impl Fn(usize) -> String) -> String {
    kernel(&parts(n, before), &parts(n, part))
}

/// A kernel that changes a variable `x` so many times.
fn changes(ty: &str, n: usize, part: impl Fn(usize) -> String) -> String {
    kernel("", &format!("{ty} x = ({ty})id.x;\n{}o[0] = (uint)x;", parts(n, part)))
}

/// What a program has many of, and one that has so many.
pub type Shape = (&'static str, fn(usize) -> String);

/// A row each: what it has many of, and such a program.
pub const SHAPES: &[Shape] = &[
    ("statements", |n| body(n, |i| format!("o[id.x + {i}] = id.y * {i};\n"))),
    ("changes of one variable", |n| changes("uint", n, |_| "x = x * 3 + id.y;\n".into())),
    ("doublings", |n| changes("uint", n, |_| "x = x + x;\n".into())),
    ("locals", |n| {
        let declared = parts(n, |i| format!("uint v{i} = id.x + {i};\n"));
        kernel("", &(declared + &parts(n, |i| format!("o[{i}] = v{i};\n"))))
    }),
    ("local arrays", |n| {
        body(n, |i| format!("uint v{i}[4]; v{i}[id.x & 3] = {i}; o[{i}] = v{i}[id.y & 3];\n"))
    }),
    ("declarators", |n| kernel("", &format!("uint {}; o[0] = v0;", list(n, |i| format!("v{i} = id.x"))))),
    ("a chain of calls", |n| {
        let chain = parts(n, |i| format!("uint f{}(uint x) {{ return f{i}(x) + {i}; }}\n", i + 1));
        kernel(&format!("uint f0(uint x) {{ return x; }}\n{chain}"), &format!("o[0] = f{n}(id.x);"))
    }),
    ("a chain of calls without sums", |n| {
        let chain = parts(n, |i| format!("uint f{}(uint x) {{ return f{i}(x); }}\n", i + 1));
        kernel(&format!("uint f0(uint x) {{ return x; }}\n{chain}"), &format!("o[0] = f{n}(id.x);"))
    }),
    ("a chain of procedures", |n| {
        let chain = parts(n, |i| format!("void f{}(uint x) {{ o[x + {i}] = x; f{i}(x); }}\n", i + 1));
        kernel(&format!("void f0(uint x) {{ o[x] = x; }}\n{chain}"), &format!("f{n}(id.x);"))
    }),
    ("functions", |n| {
        both(
            n,
            |i| format!("uint f{i}(uint x) {{ return x * {i}; }}\n"),
            |i| format!("o[{i}] = f{i}(id.x);\n"),
        )
    }),
    ("functions that nothing calls", |n| {
        kernel(&parts(n, |i| format!("uint f{i}(uint x) {{ return x * {i}; }}\n")), "")
    }),
    ("overloads", |n| {
        let before = |i| format!("struct S{i} {{ uint a; }}; uint f(S{i} s) {{ return s.a; }}\n");
        both(n, before, |i| format!("S{i} s{i}; s{i}.a = id.x; o[{i}] = f(s{i});\n"))
    }),
    ("prototypes", |n| {
        kernel(&("uint f(uint x);\n".repeat(n) + "uint f(uint x) { return x; }"), "o[0] = f(1);")
    }),
    ("calls that write to arguments", |n| {
        kernel("void f(inout uint x) { x += 1; }", &format!("uint x = id.x;{}o[0] = x;", "f(x);\n".repeat(n)))
    }),
    ("structures that calls write to", |n| {
        let before = "struct S { uint a[8]; }; void f(inout S s, uint i) { s.a[i & 7] += i; }";
        let calls = parts(n, |i| format!("f(s, id.x + {i});\n"));
        kernel(before, &format!("S s = (S)0;\n{calls}o[0] = s.a[id.y & 7];"))
    }),
    ("parameters", |n| {
        let (some, all) = (n / 50 + 1, list(50, |i| format!("uint a{i}")));
        let given = list(50, |_| "id.x".into());
        both(
            some,
            |i| format!("uint f{i}({all}) {{ return a7; }}\n"),
            |i| format!("o[{i}] = f{i}({given});\n"),
        )
    }),
    ("structures", |n| {
        both(
            n,
            |i| format!("struct S{i} {{ uint a; float b; }};\n"),
            |i| format!("S{i} s{i}; s{i}.a = {i}; o[{i}] = s{i}.a;\n"),
        )
    }),
    ("members in memory", |n| {
        let members = parts(n, |i| format!("uint m{i};\n"));
        let used = parts(n, |i| format!("o[{i}] = s[0].m{i};\n"));
        kernel(&format!("struct S {{ {members} }}; StructuredBuffer<S> s;"), &used)
    }),
    ("members of a local", |n| {
        let members = parts(n, |i| format!("uint m{i};\n"));
        let used = parts(n, |i| format!("s.m{i} = id.x + {i}; o[{i}] = s.m{i};\n"));
        kernel(&format!("struct S {{ {members} }};"), &format!("S s = (S)0;\n{used}"))
    }),
    ("methods", |n| {
        let methods = parts(n, |i| format!("uint g{i}() {{ return a + {i}; }}\n"));
        let used = parts(n, |i| format!("o[{i}] = s.g{i}();\n"));
        kernel(&format!("struct S {{ uint a; {methods} }};"), &format!("S s; s.a = id.x;\n{used}"))
    }),
    ("interfaces", |n| {
        let before = |i| format!("struct S{i} : I {{ uint a; uint g() {{ return a + {i}; }} }};\n");
        let used = parts(n, |i| format!("S{i} s{i}; s{i}.a = id.x; o[{i}] = s{i}.g();\n"));
        kernel(&format!("interface I {{ uint g(); }};\n{}", parts(n, before)), &used)
    }),
    ("instances of a template", |n| {
        kernel(
            "template<uint N> uint g(uint x) { return x + N; }",
            &parts(n, |i| format!("o[{i}] = g<{i}>(id.x);\n")),
        )
    }),
    ("templates", |n| {
        let before = |i| format!("template<typename T> T g{i}(T x) {{ return x + {i}; }}\n");
        both(n, before, |i| format!("o[{i}] = g{i}(id.x);\n"))
    }),
    ("macros", |n| {
        let macros = parts(n, |i| format!("#define M{i}(x) ((x) + {i})\n"));
        macros + &body(n, |i| format!("o[{i}] = M{i}(id.x);\n"))
    }),
    ("a chain of macros", |n| {
        let chain = parts(n, |i| format!("#define M{} M{i}\n", i + 1));
        format!("#define M0 1\n{chain}{}", kernel("", &format!("o[0] = M{n};")))
    }),
    ("definitions that are taken back", |n| {
        parts(n, |i| format!("#define M {i}\n#undef M\n")) + &kernel("", "o[0] = 1;")
    }),
    ("conditional groups", |n| {
        let groups = parts(n, |i| {
            format!("#if defined(A{i}) && {i} > 3\nskipped {i}\n#else\n#define B{i} 1\n#endif\n")
        });
        groups + &kernel("", "o[0] = 1;")
    }),
    ("pragmas and lines", |n| {
        parts(n, |i| format!("#pragma foo{i}\n#line {} \"f{i}.h\"\n", i + 1)) + &kernel("", "o[0] = 1;")
    }),
    ("semicolons", |n| kernel(&";".repeat(10 * n), &";".repeat(10 * n))),
    ("comments", |n| kernel(&"/* x */ // y\n".repeat(10 * n), "o[0] = 1;")),
    ("spliced lines", |n| kernel(&format!("static uint a\\\n{};", "\\\n".repeat(10 * n)), "o[0] = 1;")),
    ("a long name", |n| {
        let name = "v".repeat(100 * n);
        kernel("", &format!("uint {name} = id.x; o[0] = {name};"))
    }),
    ("cases", |n| {
        kernel(
            "",
            &format!(
                "switch (id.x) {{ {} }}",
                parts(n, |i| format!("case {i}: o[{i}] = {}; break;\n", i % 7))
            ),
        )
    }),
    ("cases that give values", |n| {
        let cases = parts(n, |i| format!("case {i}: r = {}; break;\n", i * 3 % 1007));
        kernel("", &format!("uint r = 0; switch (id.x) {{ {cases} }} o[0] = r;"))
    }),
    ("labels of one case", |n| {
        let labels = parts(n, |i| format!("case {i}:\n"));
        kernel("", &format!("uint r = 0; switch (id.x) {{ {labels} r = 1; break; }} o[0] = r;"))
    }),
    ("conditions", |n| changes("uint", n, |i| format!("if (id.x == {i}) x += {i};\n"))),
    ("returns", |n| body(n, |i| format!("if (id.x == {i}) {{ o[{i}] = 1; return; }}\n"))),
    ("returns of a function", |n| {
        let returns = parts(n, |i| format!("if (x == {i}) return {};\n", i * 7 % 1001));
        kernel(&format!("uint f(uint x) {{ {returns} return 1; }}"), "o[0] = f(id.x);")
    }),
    ("breaks", |n| {
        let breaks = parts(n, |i| format!("if (o[i] == {i}) {{ s = {i}; break; }}\n"));
        kernel("", &format!("uint s = 0; [loop] for (uint i = 0; i < id.y; i++) {{ {breaks} }} o[id.x] = s;"))
    }),
    ("continues", |n| {
        let all = parts(n, |i| format!("if (o[i] == {i}) {{ s += {i}; continue; }}\n"));
        kernel("", &format!("uint s = 0; [loop] for (uint i = 0; i < id.y; i++) {{ {all} }} o[id.x] = s;"))
    }),
    ("loops", |n| {
        changes("uint", n, |i| format!("[loop] for (uint i{i} = 0; i{i} < id.y; i{i}++) x += i{i};\n"))
    }),
    ("rounds of a loop", |n| {
        kernel(
            "",
            &format!("uint s = 0; [unroll] for (uint i = 0; i < {}; i++) s += o[i] * i; o[0] = s;", n / 4),
        )
    }),
    ("blocks", |n| body(n, |i| format!("{{ uint x = id.x + {i}; o[{i}] = x; }}\n"))),
    ("long chains of else", |n| {
        let chain = parts(100, |i| format!("else if (id.x == {}) o[{i}] = 2;\n", i + 1));
        body(n / 50, |_| format!("if (id.x == 0) o[0] = 1; {chain}"))
    }),
    ("long sums", |n| {
        let sum = (0..200).map(|i| format!("id.x * {i}")).collect::<Vec<_>>().join(" + ");
        body(n / 50, |i| format!("o[{i}] = {sum};\n"))
    }),
    ("long choices", |n| {
        let choice = parts(100, |i| format!("id.x == {i} ? {i} : "));
        body(n / 50, |i| format!("o[{i}] = {choice} 1;\n"))
    }),
    ("long conditions", |n| {
        let any = (0..100).map(|i| format!("id.x == {i}")).collect::<Vec<_>>().join(" || ");
        body(n / 50, |i| format!("if ({any}) o[{i}] = 1;\n"))
    }),
    ("nested blocks", |n| {
        let (open, close) = ("if (id.x) {".repeat(60), "}".repeat(60));
        body(n / 25, |i| format!("{open} o[{i}] = 1; {close}\n"))
    }),
    ("swizzles", |n| {
        kernel(
            "",
            &format!("uint4 v = id.xyzx;{}o[0] = v.x;", "v = v.wzyx + v.xxyy; v.xy = v.zw;\n".repeat(n)),
        )
    }),
    ("vectors", |n| {
        changes("float4", n, |i| format!("x = x * float4({i}, 1, 2, 3) + dot(x, x);\n"))
            .replace("(uint)x;", "(uint)x.x;")
    }),
    ("matrices", |n| {
        let steps = parts(n / 4, |i| format!("m = mul(m, m) + {i};\n"));
        kernel("", &format!("float4x4 m = (float4x4)(float)id.x;\n{steps}o[0] = (uint)m[0][0];"))
    }),
    ("intrinsics", |n| changes("float", n, |i| format!("x = sin(x) + max(x, {i}.5) + asuint(x);\n"))),
    ("casts", |n| body(n, |i| format!("o[{i}] = (uint)(float)(int)(id.x + {i});\n"))),
    ("a table", |n| {
        let values = list(4 * n, |i| i.to_string());
        kernel(&format!("static const uint t[] = {{ {values} }};"), "o[id.x] = t[id.y];")
    }),
    ("a table of structures", |n| {
        let values = list(n, |i| format!("{{ {i}, float2({i}, 1) }}"));
        kernel(
            &format!("struct S {{ uint a; float2 b; }}; static const S t[] = {{ {values} }};"),
            "o[id.x] = t[id.y].a;",
        )
    }),
    ("a list of values", |n| {
        kernel("", &format!("uint t[] = {{ {} }}; o[id.x] = t[id.y];", list(n, |i| format!("id.x + {i}"))))
    }),
    ("a chain of constants", |n| {
        let chain = parts(n, |i| format!("static const uint c{} = c{i} + {i};\n", i + 1));
        kernel(&format!("static const uint c0 = 1;\n{chain}"), &format!("o[0] = c{n};"))
    }),
    ("static variables", |n| {
        both(n, |i| format!("static uint g{i} = {i};\n"), |i| format!("g{i} += id.x; o[{i}] = g{i};\n"))
    }),
    ("groupshared variables", |n| {
        both(n, |i| format!("groupshared uint g{i};\n"), |i| format!("g{i} = id.x; o[{i}] = g{i};\n"))
    }),
    ("buffers", |n| {
        both(n, |i| format!("RWStructuredBuffer<uint> b{i};\n"), |i| format!("b{i}[id.x] = {i};\n"))
    }),
    ("textures", |n| {
        let samples = parts(n, |i| format!("c += t{i}.SampleLevel(s, float2(id.xy), 0);\n"));
        let textures = parts(n, |i| format!("Texture2D<float4> t{i};\n"));
        kernel(&format!("SamplerState s;\n{textures}"), &format!("float4 c = 0;\n{samples}o[0] = (uint)c.x;"))
    }),
    ("constant buffers", |n| {
        both(n, |i| format!("cbuffer C{i} {{ uint c{i}; }};\n"), |i| format!("o[{i}] = c{i};\n"))
    }),
    ("members of a constant buffer", |n| {
        let members = parts(n, |i| format!("uint c{i};\n"));
        kernel(&format!("cbuffer C {{ {members} }};"), &parts(n, |i| format!("o[{i}] = c{i};\n")))
    }),
    ("loose uniforms", |n| both(n, |i| format!("uint c{i};\n"), |i| format!("o[{i}] = c{i};\n"))),
    ("bytes of a buffer", |n| {
        let uses = parts(n, |i| format!("b.Store4({}, b.Load4(id.x + {i}));\n", i * 16));
        kernel("RWByteAddressBuffer b;", &uses)
    }),
    ("atomics and barriers", |n| {
        let uses = parts(n, |i| format!("InterlockedAdd(g, {i}); GroupMemoryBarrierWithGroupSync();\n"));
        kernel("groupshared uint g;", &format!("{uses}o[0] = g;"))
    }),
    ("offsets", |n| {
        let before = "Texture2D<float4> t; SamplerState s;";
        let samples = "c += t.SampleLevel(s, float2(id.xy), 0, d);\n".repeat(n);
        let chain = "d = d + d;\n".repeat(50);
        kernel(before, &format!("int2 d = int2(1, 2);\n{chain}float4 c = 0;\n{samples}o[0] = (uint)c.x;"))
    }),
    ("entry points", |n| {
        let entry = |i| {
            format!("[numthreads(1, 1, 1)] void k{i}(uint3 id : SV_DispatchThreadID) {{ o[id.x] = {i}; }}\n")
        };
        format!("RWStructuredBuffer<uint> o;\n{}", parts(n / 8, entry))
    }),
    ("namespaces", |n| {
        let before = |i| format!("namespace n{i} {{ uint f(uint x) {{ return x + {i}; }} }}\n");
        both(n, before, |i| format!("o[{i}] = n{i}::f(id.x);\n"))
    }),
    ("parts of a namespace", |n| {
        let before = |i| format!("namespace n {{ uint f{i}(uint x) {{ return x + {i}; }} }}\n");
        both(n, before, |i| format!("o[{i}] = n::f{i}(id.x);\n"))
    }),
    ("enumerators", |n| {
        kernel(
            &format!("enum E {{ {} }};", list(n, |i| format!("e{i}"))),
            &parts(n, |i| format!("o[{i}] = (uint)e{i};\n")),
        )
    }),
    ("a chain of type names", |n| {
        let chain = parts(n, |i| format!("typedef T{i} T{};\n", i + 1));
        kernel(
            &format!("typedef uint T0;\n{chain}"),
            &parts(n, |i| format!("T{i} v{i} = id.x; o[{i}] = v{i};\n")),
        )
    }),
    ("texts", |n| body(n, |i| format!("printf(\"x{i} %d\", id.x);\n"))),
    ("unknown names", |n| body(n, |i| format!("o[{i}] = missing{i};\n"))),
    ("unknown types", |n| kernel(&parts(n, |i| format!("Foo{i} f{i}(Bar{i} x);\n")), "")),
    ("mistakes of grammar", |n| body(n, |_| "o[0] = ) ;\n".into())),
    ("braces without a beginning", |n| "}\n".repeat(10 * n)),
    ("characters that are none", |n| body(n, |_| "@ $ ` \n".into())),
    ("warnings", |n| body(n, |i| format!("int w{i} = {i}.5;\n"))),
    ("functions that are there twice", |n| {
        kernel(&"uint f(uint x) { return x; }\n".repeat(n), "o[0] = f(1);")
    }),
];
