//! What works on whole objects, in exported code that runs: composites, matrices, memory with layouts, atomics, control flow.
#![cfg(any(feature = "llvm19-1", feature = "llvm22-1"))]

#[allow(dead_code)]
mod llvm_jit_support;

use inkwell::context::Context;
use llvm_jit_support::engine;
use spirv_build::ir::{parse, verify};
use spirv_build::llvm::export::Flavor;
use spirv_build::pipeline::llvm_text;

/// Runs `body`, which finds numbers at `%in` and leaves numbers at `%out`: arrays of 32 words, as floats or integers.
fn run(aliases: &str, elem: &str, body: &str, input: &[u32]) -> Vec<u32> {
    let constants: String = (0..32).map(|i| format!("    %c{i} = spirv.Constant {i} : i32\n")).collect();
    let array = format!("!spirv.ptr<!spirv.array<32 x {elem}, stride=4>, StorageBuffer>");
    let pointer = format!("!spirv.ptr<{elem}, StorageBuffer>");
    // `load N name` and `store N name` stand for access chains.
    let mut text = String::new();
    for (n, line) in body.lines().enumerate() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["load", i, name] => {
                text += &format!(
                    "    %at{n} = spirv.AccessChain %in, %c{i} : {pointer}\n    {name} = spirv.Load %at{n} : {elem}\n"
                );
            }
            ["store", i, name] => {
                text += &format!(
                    "    %at{n} = spirv.AccessChain %out, %c{i} : {pointer}\n    spirv.Store %at{n}, {name}\n"
                );
            }
            _ => text += &format!("    {line}\n"),
        }
    }
    let module = format!(
        "{aliases}spirv.module Logical GLSL450 {{\n  spirv.func @f(%in : {array}, %out : {array}) \"None\" {{\n{constants}{text}    spirv.Return\n  }}\n}}\n"
    );
    let module = parse::parse(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
    assert_eq!(verify::verify(&module), []);
    let context = Context::create();
    let engine = engine(&context, "objects", llvm_text(&module, Flavor::Host).unwrap());
    let address = engine.get_function_address("f").unwrap();
    // SAFETY: the function above has two addresses as parameters.
    let code = unsafe { std::mem::transmute::<usize, unsafe extern "C" fn(*const u32, *mut u32)>(address) };
    let (mut from, mut to) = ([0u32; 32], [0u32; 32]);
    from[..input.len()].copy_from_slice(input);
    // SAFETY: both have the 32 words that the function may touch.
    unsafe { code(from.as_ptr(), to.as_mut_ptr()) };
    to.to_vec()
}

fn bits(list: &[f32]) -> Vec<u32> {
    list.iter().map(|x| x.to_bits()).collect()
}

/// A program on floats.
fn floats(body: &str, input: &[f32], wanted: &[f32]) {
    let got: Vec<f32> = run("", "f32", body, &bits(input)).into_iter().map(f32::from_bits).collect();
    assert_eq!(&got[..wanted.len()], wanted, "{body}");
}

/// Text that loads a vector.
fn vector(name: &str, at: usize, len: usize) -> String {
    let parts: Vec<String> = (0..len).map(|i| format!("%{name}{i}")).collect();
    let loads: String = parts.iter().enumerate().map(|(i, p)| format!("load {} {p}\n", at + i)).collect();
    format!("{loads}%{name} = spirv.CompositeConstruct {} : vector<{len}xf32>\n", parts.join(", "))
}

/// Text that stores one.
fn store(name: &str, at: usize, len: usize) -> String {
    (0..len)
        .map(|i| {
            format!("%{name}_{i} = spirv.CompositeExtract %{name}, {i} : f32\nstore {} %{name}_{i}\n", at + i)
        })
        .collect()
}

/// Text that loads a matrix of two columns, and stores one.
fn matrix(name: &str, at: usize, rows: usize) -> String {
    let (a, b) = (format!("{name}a"), format!("{name}b"));
    vector(&a, at, rows)
        + &vector(&b, at + rows, rows)
        + &format!("%{name} = spirv.CompositeConstruct %{a}, %{b} : !spirv.matrix<2 x vector<{rows}xf32>>\n")
}

fn store_matrix(name: &str, columns: usize, rows: usize) -> String {
    (0..columns)
        .map(|c| {
            format!("%{name}c{c} = spirv.CompositeExtract %{name}, {c} : vector<{rows}xf32>\n")
                + &store(&format!("{name}c{c}"), c * rows, rows)
        })
        .collect()
}

#[test]
fn matrices() {
    let m = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    let program = |op: &str, more: &str, after: &str| matrix("m", 0, 3) + more + op + "\n" + after;
    floats(
        &program(
            "%r = spirv.MatrixTimesVector %m, %v : vector<3xf32>",
            &vector("v", 6, 2),
            &store("r", 0, 3),
        ),
        &[&m[..], &[10.0, 100.0]].concat(),
        &[410.0, 520.0, 630.0],
    );
    floats(
        &program(
            "%r = spirv.VectorTimesMatrix %v, %m : vector<2xf32>",
            &vector("v", 6, 3),
            &store("r", 0, 2),
        ),
        &[&m[..], &[1.0, 10.0, 100.0]].concat(),
        &[321.0, 654.0],
    );
    floats(
        &program(
            "%r = spirv.MatrixTimesMatrix %m, %n : !spirv.matrix<2 x vector<3xf32>>",
            &matrix("n", 6, 2),
            &store_matrix("r", 2, 3),
        ),
        &[&m[..], &[1.0, 10.0, 2.0, 3.0]].concat(),
        &[41.0, 52.0, 63.0, 14.0, 19.0, 24.0],
    );
    floats(
        &program(
            "%r = spirv.MatrixTimesScalar %m, %x : !spirv.matrix<2 x vector<3xf32>>",
            "load 6 %x\n",
            &store_matrix("r", 2, 3),
        ),
        &[&m[..], &[0.5]].concat(),
        &[0.5, 1.0, 1.5, 2.0, 2.5, 3.0],
    );
    floats(
        &program("%r = spirv.Transpose %m : !spirv.matrix<3 x vector<2xf32>>", "", &store_matrix("r", 3, 2)),
        &m,
        &[1.0, 4.0, 2.0, 5.0, 3.0, 6.0],
    );
    floats(
        &(vector("a", 0, 3)
            + &vector("b", 3, 2)
            + "%r = spirv.OuterProduct %a, %b : !spirv.matrix<2 x vector<3xf32>>\n"
            + &store_matrix("r", 2, 3)),
        &[1.0, 2.0, 3.0, 10.0, 100.0],
        &[10.0, 20.0, 30.0, 100.0, 200.0, 300.0],
    );
    floats(
        &(matrix("m", 0, 2) + "%r = spirv.GL.Determinant %m : f32\nstore 0 %r\n"),
        &[3.0, 1.0, 2.0, 4.0],
        &[10.0],
    );
    floats(
        &(matrix("m", 0, 2)
            + "%r = spirv.GL.MatrixInverse %m : !spirv.matrix<2 x vector<2xf32>>\n"
            + &store_matrix("r", 2, 2)),
        &[4.0, 2.0, 2.0, 2.0],
        &[0.5, -0.5, -0.5, 1.0],
    );
    // Four by four: a matrix times its inverse.
    let columns: String = (0..4).map(|c| vector(&format!("m{c}_"), c * 4, 4)).collect();
    let body = columns
        + "%m = spirv.CompositeConstruct %m0_, %m1_, %m2_, %m3_ : !spirv.matrix<4 x vector<4xf32>>\n"
        + "%i = spirv.GL.MatrixInverse %m : !spirv.matrix<4 x vector<4xf32>>\n"
        + "%r = spirv.MatrixTimesMatrix %m, %i : !spirv.matrix<4 x vector<4xf32>>\n"
        + &store_matrix("r", 4, 4);
    let input = [2.0, 0.0, 0.0, 1.0, 0.0, 4.0, 0.0, 0.0, 1.0, 0.0, 8.0, 0.0, 0.0, 2.0, 0.0, 1.0];
    let unit: Vec<f32> = (0..16).map(|i| if i % 5 == 0 { 1.0 } else { 0.0 }).collect();
    floats(&body, &input, &unit);
}

#[test]
fn vectors_of_floats() {
    let v3 = |op: &str| vector("a", 0, 3) + &vector("b", 3, 3) + op + "\n";
    let input = [3.0, 0.0, 4.0, 1.0, 2.0, -1.0];
    floats(&(v3("%r = spirv.Dot %a, %b : f32") + "store 0 %r"), &input, &[-1.0]);
    floats(&(v3("%r = spirv.GL.Length %a : f32") + "store 0 %r"), &input, &[5.0]);
    floats(&(v3("%r = spirv.GL.Distance %a, %b : f32") + "store 0 %r"), &input, &[33f32.sqrt()]);
    floats(
        &(v3("%r = spirv.GL.Cross %a, %b : vector<3xf32>") + &store("r", 0, 3)),
        &input,
        &[-8.0, 7.0, 6.0],
    );
    floats(&(v3("%r = spirv.GL.Normalize %a : vector<3xf32>") + &store("r", 0, 3)), &input, &[0.6, 0.0, 0.8]);
    floats(
        &(v3("%r = spirv.GL.Reflect %a, %b : vector<3xf32>") + &store("r", 0, 3)),
        &input,
        &[5.0, 4.0, 2.0],
    );
    floats(
        &(v3("%r = spirv.GL.FaceForward %a, %b, %a : vector<3xf32>") + &store("r", 0, 3)),
        &input,
        &[3.0, 0.0, 4.0],
    );
    floats(
        &(v3("%r = spirv.GL.FaceForward %a, %a, %a : vector<3xf32>") + &store("r", 0, 3)),
        &input,
        &[-3.0, 0.0, -4.0],
    );
    // Straight through, and total reflection.
    let refract = |eta: &str| {
        vector("i", 0, 2)
            + &vector("n", 2, 2)
            + &format!(
                "%eta = spirv.Constant {eta} : f32\n%r = spirv.GL.Refract %i, %n, %eta : vector<2xf32>\n"
            )
            + &store("r", 0, 2)
    };
    floats(&refract("0.5"), &[0.0, -1.0, 0.0, 1.0], &[0.0, -1.0]);
    floats(&refract("2.0"), &[1.0, 0.0, 0.0, 1.0], &[0.0, 0.0]);
    floats(
        &(vector("a", 0, 2)
            + "load 2 %x\n%r = spirv.VectorTimesScalar %a, %x : vector<2xf32>\n"
            + &store("r", 0, 2)),
        &[1.0, 2.0, 8.0],
        &[8.0, 16.0],
    );
}

#[test]
fn composites() {
    let shuffle = vector("a", 0, 3)
        + &vector("b", 3, 2)
        + "%r = spirv.VectorShuffle %a, %b, 4, 0, 3, 2 : vector<4xf32>\n"
        + &store("r", 0, 4);
    floats(&shuffle, &[1.0, 2.0, 3.0, 4.0, 5.0], &[5.0, 1.0, 4.0, 3.0]);
    let dynamic = vector("a", 0, 4)
        + "load 4 %n\n%i = spirv.ConvertFToU %n : i32\n%x = spirv.VectorExtractDynamic %a, %i : f32\n%r = spirv.VectorInsertDynamic %a, %n, %i : vector<4xf32>\nstore 4 %x\n"
        + &store("r", 0, 4);
    floats(&dynamic, &[10.0, 20.0, 30.0, 40.0, 2.0], &[10.0, 20.0, 2.0, 40.0, 30.0]);
    let nested = "!S = !spirv.struct<(i32, vector<2xi32>)>\n";
    let body = "load 0 %a\nload 1 %b\n%v = spirv.CompositeConstruct %a, %b : vector<2xi32>\n%s = spirv.CompositeConstruct %b, %v : !S\n%t = spirv.CompositeInsert %b, %s, 1, 0 : !S\n%x = spirv.CompositeExtract %t, 0 : i32\n%y = spirv.CompositeExtract %t, 1, 0 : i32\n%z = spirv.CompositeExtract %s, 1, 0 : i32\nstore 0 %x\nstore 1 %y\nstore 2 %z";
    assert_eq!(run(nested, "i32", body, &[7, 9])[..3], [9, 9, 7]);
}

#[test]
fn two_results() {
    let pair = "!P = !spirv.struct<(i32, i32)>\n";
    let program = |op: &str| {
        format!(
            "load 0 %a\nload 1 %b\n%p = spirv.{op} %a, %b : !P\n%x = spirv.CompositeExtract %p, 0 : i32\n%y = spirv.CompositeExtract %p, 1 : i32\nstore 0 %x\nstore 1 %y"
        )
    };
    for a in [0u32, 1, 2, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0x1234_5678] {
        for b in [0u32, 1, 3, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff] {
            let got = |op: &str| run(pair, "i32", &program(op), &[a, b])[..2].to_vec();
            let (sum, carry) = a.overflowing_add(b);
            assert_eq!(got("IAddCarry"), [sum, u32::from(carry)]);
            let (difference, borrow) = a.overflowing_sub(b);
            assert_eq!(got("ISubBorrow"), [difference, u32::from(borrow)]);
            let product = u64::from(a) * u64::from(b);
            assert_eq!(got("UMulExtended"), [product as u32, (product >> 32) as u32]);
            let product = i64::from(a as i32) * i64::from(b as i32);
            assert_eq!(got("SMulExtended"), [product as u32, (product >> 32) as u32]);
        }
    }
    let parts = "!FF = !spirv.struct<(f32, f32)>\n!FI = !spirv.struct<(f32, si32)>\n";
    let body = "load 0 %a\n%m = spirv.GL.ModfStruct %a : !FF\n%f = spirv.CompositeExtract %m, 0 : f32\n%w = spirv.CompositeExtract %m, 1 : f32\n%e = spirv.GL.FrexpStruct %a : !FI\n%g = spirv.CompositeExtract %e, 0 : f32\n%n = spirv.CompositeExtract %e, 1 : si32\n%x = spirv.ConvertSToF %n : f32\nstore 0 %f\nstore 1 %w\nstore 2 %g\nstore 3 %x";
    for (x, wanted) in [
        (2.75f32, [0.75, 2.0, 0.6875, 2.0]),
        (-0.5, [-0.5, -0.0, -0.5, 0.0]),
        (0.0, [0.0, 0.0, 0.0, 0.0]),
        (f32::INFINITY, [0.0, f32::INFINITY, f32::INFINITY, 0.0]),
        (1e-45, [1e-45, 0.0, 0.5, -148.0]),
    ] {
        assert_eq!(run(parts, "f32", body, &bits(&[x]))[..4], bits(&wanted), "{x}");
    }
}

#[test]
fn packing() {
    let pack = |op: &str, n: usize, v: &[f32]| {
        let body = vector("a", 0, n)
            + &format!("%r = spirv.GL.{op} %a : i32\n%f = spirv.Bitcast %r : f32\nstore 0 %f");
        run("", "f32", &body, &bits(v))[0]
    };
    let unpack = |op: &str, n: usize, word: u32| -> Vec<f32> {
        let body =
            format!("load 0 %a\n%w = spirv.Bitcast %a : i32\n%r = spirv.GL.{op} %w : vector<{n}xf32>\n")
                + &store("r", 0, n);
        run("", "f32", &body, &[word])[..n].iter().map(|b| f32::from_bits(*b)).collect()
    };
    assert_eq!(pack("PackSnorm4x8", 4, &[1.0, -1.0, 0.5, -2.0]), u32::from_le_bytes([127, 129, 64, 129]));
    assert_eq!(pack("PackUnorm4x8", 4, &[1.0, -1.0, 0.5, 0.25]), u32::from_le_bytes([255, 0, 128, 64]));
    assert_eq!(pack("PackSnorm2x16", 2, &[-1.0, 1.0]), 0x7fff_8001);
    assert_eq!(pack("PackUnorm2x16", 2, &[1.0, 0.0]), 0x0000_ffff);
    assert_eq!(pack("PackHalf2x16", 2, &[1.0, -2.0]), 0xc000_3c00);
    assert_eq!(unpack("UnpackSnorm4x8", 4, u32::from_le_bytes([127, 129, 128, 0])), [1.0, -1.0, -1.0, 0.0]);
    assert_eq!(unpack("UnpackUnorm4x8", 4, u32::from_le_bytes([255, 0, 51, 102])), [1.0, 0.0, 0.2, 0.4]);
    assert_eq!(unpack("UnpackSnorm2x16", 2, 0x7fff_8000), [-1.0, 1.0]);
    assert_eq!(unpack("UnpackUnorm2x16", 2, 0x0000_ffff), [1.0, 0.0]);
    assert_eq!(unpack("UnpackHalf2x16", 2, 0x7c00_0001), [f32::from_bits(0x3380_0000), f32::INFINITY]);
}

#[test]
fn memory_with_layouts() {
    // A matrix by rows at 0, one by columns at 32, a nested struct with a vector at 64.
    let aliases = "!I = !spirv.struct<(a: f32 [0], b: vector<3xf32> [4])>\n!B = !spirv.struct<(r: !spirv.matrix<2 x vector<3xf32>> [0, RowMajor, MatrixStride=8], c: !spirv.matrix<2 x vector<3xf32>> [32, ColMajor, MatrixStride=12], i: !spirv.array<2 x !I, stride=20> [64]), Block>\n";
    let p = |t: &str| format!("!spirv.ptr<{t}, StorageBuffer>");
    let m = "!spirv.matrix<2 x vector<3xf32>>";
    let body = format!(
        "%b = spirv.Bitcast %in : {}\n%o = spirv.Bitcast %out : {}\n%pr = spirv.AccessChain %b, %c0 : {}\n%pc = spirv.AccessChain %o, %c1 : {}\n%r = spirv.Load %pr : {m}\nspirv.Store %pc, %r\n%qc = spirv.AccessChain %b, %c1, %c1 : {}\n%qr = spirv.AccessChain %o, %c0, %c0 : {}\n%v = spirv.Load %qc : vector<3xf32>\nspirv.Store %qr, %v\n%si = spirv.AccessChain %b, %c2 : {}\n%so = spirv.AccessChain %o, %c2 : {}\nspirv.CopyMemory %so, %si\n%e = spirv.AccessChain %b, %c0, %c1, %c2 : {}\n%x = spirv.Load %e : f32\n%f = spirv.AccessChain %o, %c2, %c1, %c1, %c0 : {}\nspirv.Store %f, %x",
        p("!B"),
        p("!B"),
        p(m),
        p(m),
        p("vector<3xf32>"),
        p("vector<3xf32>"),
        p("!spirv.array<2 x !I, stride=20>"),
        p("!spirv.array<2 x !I, stride=20>"),
        p("f32"),
        p("f32"),
    );
    let input: Vec<u32> = (0..32).map(|i| 100 + i).collect();
    let got = run(aliases, "f32", &body, &input);
    let mut wanted = vec![0u32; 32];
    // Rows of two at words 0, 2, 4 become columns of three at words 8 and 11.
    for (c, r) in (0..2).flat_map(|c| (0..3).map(move |r| (c, r))) {
        wanted[8 + c * 3 + r] = input[r * 2 + c];
    }
    // The second column of the other becomes the first column by rows.
    (0..3).for_each(|r| wanted[r * 2] = input[8 + 3 + r]);
    wanted[16..20].copy_from_slice(&input[16..20]);
    wanted[21..25].copy_from_slice(&input[21..25]);
    // Column 1, row 2 by rows goes to the first component of the second vector.
    wanted[22] = input[5];
    assert_eq!(got, wanted);
}

#[test]
fn variables_of_all_kinds() {
    let aliases = "!T = !spirv.struct<(i8, vector<3xi1>, i64, !spirv.array<3 x i16>)>\n";
    let p = |t: &str| format!("!spirv.ptr<{t}, Function>");
    let body = format!(
        "%v = spirv.Variable : {}\nload 0 %a\nload 1 %b\n%less = spirv.ULessThan %a, %b : i1\n%not = spirv.LogicalNot %less : i1\n%bits = spirv.CompositeConstruct %not, %less, %not : vector<3xi1>\n%pb = spirv.AccessChain %v, %c1 : {}\nspirv.Store %pb, %bits\n%p1 = spirv.AccessChain %v, %c1, %b : {}\n%one = spirv.Load %p1 : i1\n%wide = spirv.UConvert %b : i64\n%pw = spirv.AccessChain %v, %c2 : {}\nspirv.Store %pw, %wide\n%ph = spirv.AccessChain %v, %c3, %b : {}\n%half = spirv.UConvert %a : i16\nspirv.Store %ph, %half\n%all = spirv.Load %v : !T\n%w = spirv.CompositeExtract %all, 2 : i64\n%n = spirv.UConvert %w : i32\n%h = spirv.CompositeExtract %all, 3, 1 : i16\n%m = spirv.UConvert %h : i32\n%k = spirv.CompositeExtract %all, 1, 1 : i1\n%x = spirv.Select %one, %c7, %c5 : i32\n%y = spirv.Select %k, %c7, %c5 : i32\nstore 0 %n\nstore 1 %m\nstore 2 %x\nstore 3 %y",
        p("!T"),
        p("vector<3xi1>"),
        p("i1"),
        p("i64"),
        p("i16"),
    );
    // Variables come first.
    let (first, rest) = body.split_once('\n').unwrap();
    assert!(first.contains("Variable"));
    assert_eq!(run(aliases, "i32", &format!("{first}\n{rest}"), &[0, 1])[..4], [1, 0, 7, 7]);
}

#[test]
fn atomics() {
    let p = "!spirv.ptr<i32, StorageBuffer>";
    let update = |op: &str, old: u32, operand: u32| {
        let body = format!(
            "load 0 %x\nload 1 %y\nstore 0 %x\n%p = spirv.AccessChain %out, %c0 : {p}\n%old = spirv.{op} %p, %c1, %c0, %y : i32\nstore 1 %old"
        );
        let got = run("", "i32", &body, &[old, operand]);
        assert_eq!(got[1], old, "{op}");
        got[0]
    };
    for (a, b) in [(5u32, 3u32), (0, 0xffff_ffff), (0x8000_0000, 1), (7, 7)] {
        assert_eq!(update("AtomicIAdd", a, b), a.wrapping_add(b));
        assert_eq!(update("AtomicISub", a, b), a.wrapping_sub(b));
        assert_eq!(update("AtomicAnd", a, b), a & b);
        assert_eq!(update("AtomicOr", a, b), a | b);
        assert_eq!(update("AtomicXor", a, b), a ^ b);
        assert_eq!(update("AtomicExchange", a, b), b);
        assert_eq!(update("AtomicUMin", a, b), a.min(b));
        assert_eq!(update("AtomicUMax", a, b), a.max(b));
        assert_eq!(update("AtomicSMin", a, b), (a as i32).min(b as i32) as u32);
        assert_eq!(update("AtomicSMax", a, b), (a as i32).max(b as i32) as u32);
    }
    let body = format!(
        "load 0 %x\nstore 0 %x\n%p = spirv.AccessChain %out, %c0 : {p}\n%a = spirv.AtomicIIncrement %p, %c1, %c0 : i32\n%b = spirv.AtomicIDecrement %p, %c1, %c0 : i32\n%c = spirv.AtomicLoad %p, %c1, %c2 : i32\nload 1 %y\nload 2 %z\n%d = spirv.AtomicCompareExchange %p, %c1, %c8, %c2, %y, %z : i32\n%e = spirv.AtomicLoad %p, %c1, %c2 : i32\nspirv.AtomicStore %p, %c1, %c4, %c9\nstore 1 %a\nstore 2 %b\nstore 3 %c\nstore 4 %d\nstore 5 %e"
    );
    assert_eq!(run("", "i32", &body, &[41, 77, 41])[..6], [9, 41, 42, 41, 41, 77]);
    assert_eq!(run("", "i32", &body, &[41, 77, 40])[..6], [9, 41, 42, 41, 41, 41]);
    let q = "!spirv.ptr<f32, StorageBuffer>";
    let float = |op: &str, a: f32, b: f32| {
        let body = format!(
            "load 0 %x\nload 1 %y\nstore 0 %x\n%p = spirv.AccessChain %out, %c0 : {q}\n%old = spirv.{op} %p, %c1, %c0, %y : f32"
        );
        f32::from_bits(run("", "f32", &body, &bits(&[a, b]))[0])
    };
    assert_eq!(float("AtomicFAddEXT", 1.5, 2.25), 3.75);
    assert_eq!(float("AtomicFMinEXT", 1.5, -2.25), -2.25);
    assert_eq!(float("AtomicFMaxEXT", 1.5, 2.25), 2.25);
    assert_eq!(float("AtomicExchange", 1.5, 2.25), 2.25);
}

#[test]
fn bools_of_vectors() {
    let any = |a: u32, b: u32| {
        let body = "load 0 %a\nload 1 %b\n%x = spirv.INotEqual %a, %c0 : i1\n%y = spirv.INotEqual %b, %c0 : i1\n%v = spirv.CompositeConstruct %x, %y : vector<2xi1>\n%any = spirv.Any %v : i1\n%all = spirv.All %v : i1\n%p = spirv.Select %any, %c1, %c0 : i32\n%q = spirv.Select %all, %c1, %c0 : i32\nstore 0 %p\nstore 1 %q";
        run("", "i32", body, &[a, b])[..2].to_vec()
    };
    assert_eq!([any(0, 0), any(1, 0), any(0, 1), any(1, 1)], [[0, 0], [1, 0], [1, 0], [1, 1]]);
}

#[test]
fn control_flow() {
    // The steps of Collatz, with a loop, a switch and selections with results.
    let body = "load 0 %start\n%steps = spirv.mlir.loop (%x = %start : i32, %n = %c0 : i32) -> i32 {\n%done = spirv.ULessThanEqual %x, %c1 : i1\nspirv.mlir.selection %done {\nspirv.mlir.break %n\n}\n%odd = spirv.BitwiseAnd %x, %c1 : i32\n%next = spirv.mlir.switch %odd -> i32 default {\n%half = spirv.UDiv %x, %c2 : i32\nspirv.mlir.merge %half\n} case 1 {\n%three = spirv.IMul %x, %c3 : i32\n%more = spirv.IAdd %three, %c1 : i32\nspirv.mlir.break %more\n}\n%m = spirv.IAdd %n, %c1 : i32\nspirv.mlir.continue %next, %m\n} continuing (%y : i32, %k : i32) {\nspirv.mlir.next %y, %k\n}\nstore 0 %steps";
    for (start, steps) in [(1u32, 0u32), (2, 1), (6, 8), (27, 111)] {
        assert_eq!(run("", "i32", body, &[start])[0], steps);
    }
}

#[test]
fn addresses_of_kernels() {
    let p = "!spirv.ptr<i32, CrossWorkgroup>";
    let g = "!spirv.ptr<i32, Generic>";
    let text = format!(
        r#"!Mixed = !spirv.struct<(i8, i32, vector<3xi16>)>
!Tight = !spirv.struct<(i8, i32), CPacked>
spirv.module Physical64 OpenCL {{
  spirv.func @f(%in : {p}, %out : {p}) "None" {{
    %c0 = spirv.Constant 0 : i32
    %c1 = spirv.Constant 1 : i32
    %c2 = spirv.Constant 2 : i32
    %l1 = spirv.Constant 1 : i64
    %l2 = spirv.Constant 2 : i64
    %l3 = spirv.Constant 3 : i64
    %l4 = spirv.Constant 4 : i64
    %l8 = spirv.Constant 8 : i64
    %n = spirv.ConvertPtrToU %in : i64
    %next = spirv.IAdd %n, %l4 : i64
    %q = spirv.ConvertUToPtr %next : {p}
    %g = spirv.PtrCastToGeneric %q : {g}
    %x = spirv.Load %g, <Aligned>, 4 : i32
    spirv.Store %out, %x, <Aligned>, 4
    %same = spirv.PtrAccessChain %in, %l1 : {p}
    %equal = spirv.PtrEqual %same, %q : i1
    %y = spirv.Select %equal, %c2, %c0 : i32
    %o1 = spirv.InBoundsPtrAccessChain %out, %l1 : {p}
    spirv.Store %o1, %y, <Aligned>, 4
    %far = spirv.PtrAccessChain %in, %l3 : {p}
    %d = spirv.PtrDiff %far, %in : i64
    %dn = spirv.UConvert %d : i32
    %o2 = spirv.InBoundsPtrAccessChain %out, %l2 : {p}
    spirv.Store %o2, %dn, <Aligned>, 4
    %o3 = spirv.InBoundsPtrAccessChain %out, %l3 : {p}
    %from = spirv.Bitcast %in : !spirv.ptr<i8, CrossWorkgroup>
    %to = spirv.Bitcast %o3 : !spirv.ptr<i8, CrossWorkgroup>
    spirv.CopyMemorySized %to, %from, %l8
    %m = spirv.Bitcast %in : !spirv.ptr<!Mixed, CrossWorkgroup>
    %mc = spirv.PtrAccessChain %m, %l1, %c2, %c1 : !spirv.ptr<i16, CrossWorkgroup>
    %half = spirv.Load %mc, <Aligned>, 2 : i16
    %wide = spirv.UConvert %half : i32
    %l5 = spirv.Constant 5 : i64
    %o5 = spirv.InBoundsPtrAccessChain %out, %l5 : {p}
    spirv.Store %o5, %wide, <Aligned>, 4
    %t = spirv.Bitcast %in : !spirv.ptr<!Tight, CrossWorkgroup>
    %tc = spirv.PtrAccessChain %t, %l1, %c1 : {p}
    %odd = spirv.Load %tc, <Aligned>, 1 : i32
    %l6 = spirv.Constant 6 : i64
    %o6 = spirv.InBoundsPtrAccessChain %out, %l6 : {p}
    spirv.Store %o6, %odd, <Aligned>, 4
    spirv.Return
  }}
}}
"#
    );
    let module = parse::parse(&text).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(verify::verify(&module), []);
    let context = Context::create();
    let engine = engine(&context, "addresses", llvm_text(&module, Flavor::Host).unwrap());
    let address = engine.get_function_address("f").unwrap();
    // SAFETY: the function above has two addresses as parameters.
    let code = unsafe { std::mem::transmute::<usize, unsafe extern "C" fn(*const u32, *mut u32)>(address) };
    let input: Vec<u32> = (0..16).map(|i| 0x0101_0101 * i + 7).collect();
    let mut out = [0u32; 8];
    // SAFETY: it reads 32 bytes and writes 28.
    unsafe { code(input.as_ptr(), out.as_mut_ptr()) };
    let bytes: Vec<u8> = input.iter().flat_map(|w| w.to_le_bytes()).collect();
    // As C has them: the second struct starts at 16, its third member 8 bytes later. The packed one starts at 5.
    let half = u16::from_le_bytes([bytes[26], bytes[27]]);
    let odd = u32::from_le_bytes([bytes[6], bytes[7], bytes[8], bytes[9]]);
    assert_eq!(out[..7], [input[1], 2, 3, input[0], input[1], u32::from(half), odd]);
}

#[test]
fn spec_constants_have_their_defaults() {
    let body = "%s = spirv.SpecConstant spec_id(9) = 5 : i32\n%t = spirv.SpecConstant spec_id(10) = true : i1\n%x = spirv.Select %t, %s, %c0 : i32\nstore 0 %x";
    assert_eq!(run("", "i32", body, &[])[0], 5);
}
