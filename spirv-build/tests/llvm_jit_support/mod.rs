//! Running exported code on lists of values.

use inkwell::OptimizationLevel;
use inkwell::context::Context;
use inkwell::execution_engine::ExecutionEngine;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::values::FunctionValue;
use spirv_build::ir::{parse, verify};
use spirv_build::llvm::export::Flavor;
use spirv_build::pipeline::llvm_text;

/// A scalar type; values are their bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ty {
    Bool,
    Int(u32),
    Float(u32),
}

pub const B: Ty = Ty::Bool;
pub const I8: Ty = Ty::Int(8);
pub const I16: Ty = Ty::Int(16);
pub const I32: Ty = Ty::Int(32);
pub const I64: Ty = Ty::Int(64);
pub const F16: Ty = Ty::Float(16);
pub const F32: Ty = Ty::Float(32);
pub const F64: Ty = Ty::Float(64);

impl Ty {
    pub fn bits(self) -> u32 {
        match self {
            Ty::Bool => 1,
            Ty::Int(w) | Ty::Float(w) => w,
        }
    }

    fn bytes(self) -> usize {
        self.bits().max(8) as usize / 8
    }

    pub fn wrap(self, n: i128) -> u64 {
        if self.bits() == 64 { n as u64 } else { n as u64 & ((1 << self.bits()) - 1) }
    }

    fn name(self, len: usize) -> String {
        let scalar = match self {
            Ty::Bool => "i1".to_string(),
            Ty::Int(w) => format!("i{w}"),
            Ty::Float(w) => format!("f{w}"),
        };
        if len == 1 { scalar } else { format!("vector<{len}x{scalar}>") }
    }

    /// Values at the edges, and some between.
    fn samples(self) -> Vec<u64> {
        match self {
            Ty::Bool => vec![0, 1],
            Ty::Int(w) => {
                let top = 1i128 << (w - 1);
                let all = [
                    0,
                    1,
                    -1,
                    -top,
                    top - 1,
                    2,
                    3,
                    7,
                    -2,
                    100,
                    top - 2,
                    0x5a,
                    i128::from(w),
                    i128::from(w) - 1,
                ];
                let mut list: Vec<u64> = all.iter().map(|n| self.wrap(*n)).collect();
                list.sort_unstable();
                list.dedup();
                list
            }
            Ty::Float(w) => {
                let mut list: Vec<u64> = [
                    0.0, 1.0, 0.5, 1.5, 2.5, 3.7, 0.1, 1e-3, 100.25, 1000.0, 33000.0, 2.0, 3.0, 0.499, 127.5,
                    300.0,
                ]
                .iter()
                .map(|x| to_float(*x, self))
                .collect();
                let exponent = match w {
                    16 => 10,
                    32 => 23,
                    _ => 52,
                };
                let infinity = to_float(f64::INFINITY, self);
                // Greatest, infinity, least normal, subnormals.
                list.extend([infinity - 1, infinity, 1 << exponent, (1 << exponent) - 1, 1]);
                let sign = 1 << (w - 1);
                let negative: Vec<u64> = list.iter().map(|b| b | sign).collect();
                list.extend(negative);
                list.push(infinity | 1 << (exponent - 1));
                list
            }
        }
    }
}

/// An integer with its sign.
pub fn signed(bits: u64, t: Ty) -> i128 {
    let unused = 64 - t.bits();
    i128::from(((bits << unused) as i64) >> unused)
}

/// The value of a float.
pub fn float(bits: u64, t: Ty) -> f64 {
    match t {
        Ty::Float(16) => half_value(bits as u16),
        Ty::Float(32) => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    }
}

/// The bits of the nearest float.
pub fn to_float(x: f64, t: Ty) -> u64 {
    match t {
        Ty::Float(16) => u64::from(half_bits(x)),
        Ty::Float(32) => u64::from((x as f32).to_bits()),
        _ => x.to_bits(),
    }
}

fn half_value(bits: u16) -> f64 {
    let sign = if bits >> 15 != 0 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 0x3ff));
    match exponent {
        0 => sign * fraction * 2f64.powi(-24),
        31 if fraction != 0.0 => f64::NAN,
        31 => sign * f64::INFINITY,
        e => sign * (1024.0 + fraction) * 2f64.powi(e - 25),
    }
}

/// By searching: the nearest of all halves, of two equally near the even one.
fn half_bits(x: f64) -> u16 {
    let sign = if x.is_sign_negative() { 0x8000 } else { 0 };
    let x = x.abs();
    if x.is_nan() {
        return 0x7e00;
    }
    if x >= 65520.0 {
        return sign | 0x7c00;
    }
    let (mut low, mut high) = (0u16, 0x7c00u16);
    while high - low > 1 {
        let mid = low + (high - low) / 2;
        if half_value(mid) <= x { low = mid } else { high = mid }
    }
    let above = if high == 0x7c00 { 65536.0 } else { half_value(high) };
    let (down, up) = (x - half_value(low), above - x);
    sign | if down < up || down == up && low % 2 == 0 { low } else { high }
}

type Reference = Box<dyn Fn(&[u64]) -> Option<u64>>;

/// An instruction with its types, and what it should give. None: that is undefined.
pub struct Case {
    op: String,
    args: Vec<Ty>,
    result: Ty,
    reference: Reference,
    decoration: String,
    /// Steps of the last place by which floats may differ.
    ulps: u64,
    signless_zeros: bool,
    /// Operands that are positions in so many bits; they are scalars in vectors' company too.
    positions: (Vec<usize>, u32),
}

impl Case {
    pub fn new(
        op: &str,
        args: &[Ty],
        result: Ty,
        reference: impl Fn(&[u64]) -> Option<u64> + 'static,
    ) -> Case {
        Case {
            op: op.to_string(),
            args: args.to_vec(),
            result,
            reference: Box::new(reference),
            decoration: String::new(),
            ulps: 0,
            signless_zeros: false,
            positions: (Vec::new(), 0),
        }
    }

    pub fn decorated(mut self, with: &str) -> Case {
        self.decoration = format!(" {{{with}}}");
        self
    }

    pub fn within(mut self, ulps: u64) -> Case {
        self.ulps = ulps;
        self
    }

    pub fn signless_zeros(mut self) -> Case {
        self.signless_zeros = true;
        self
    }

    pub fn with_bits(mut self, operands: &[usize], bits: u32) -> Case {
        self.positions = (operands.to_vec(), bits);
        self
    }

    fn is_position(&self, i: usize) -> bool {
        self.positions.0.contains(&i)
    }

    fn samples(&self, i: usize) -> Vec<u64> {
        if self.is_position(i) {
            return (0..=u64::from(self.positions.1)).collect();
        }
        let all = self.args[i].samples();
        // With many operands a few of each do.
        let keep = match self.args.len() {
            1 | 2 => all.len(),
            _ if self.positions.0.is_empty() => 14,
            _ => 5,
        };
        let step = all.len().div_ceil(keep).max(1);
        all.into_iter().step_by(step).collect()
    }

    /// All combinations of samples.
    fn inputs(&self) -> Vec<Vec<u64>> {
        let mut out: Vec<Vec<u64>> = vec![Vec::new()];
        for i in 0..self.args.len() {
            let samples = self.samples(i);
            out = out
                .into_iter()
                .flat_map(|v| {
                    samples.iter().map(move |s| {
                        let mut v = v.clone();
                        v.push(*s);
                        v
                    })
                })
                .collect();
        }
        out
    }

    /// A function that loads its operands, computes and stores.
    fn text(&self, name: &str, len: usize) -> String {
        use std::fmt::Write;
        let types: Vec<String> = self
            .args
            .iter()
            .enumerate()
            .map(|(i, t)| t.name(if self.is_position(i) { 1 } else { len }))
            .collect();
        let result = self.result.name(len);
        let mut params: Vec<String> = types
            .iter()
            .enumerate()
            .map(|(i, t)| format!("%p{i} : !spirv.ptr<{t}, StorageBuffer>"))
            .collect();
        // All have as many parameters.
        params.extend((types.len()..4).map(|i| format!("%p{i} : !spirv.ptr<i8, StorageBuffer>")));
        let mut out = format!(
            "  spirv.func @{name}({}, %out : !spirv.ptr<{result}, StorageBuffer>) \"None\" {{\n",
            params.join(", ")
        );
        for (i, t) in types.iter().enumerate() {
            let _ = writeln!(out, "    %a{i} = spirv.Load %p{i} : {t}");
        }
        let args: Vec<String> = (0..types.len()).map(|i| format!("%a{i}")).collect();
        let _ = writeln!(out, "    %r = spirv.{} {}{} : {result}", self.op, args.join(", "), self.decoration);
        out + "    spirv.Store %out, %r\n    spirv.Return\n  }\n"
    }

    fn agrees(&self, got: u64, wanted: u64) -> bool {
        if got == wanted {
            return true;
        }
        let t = self.result;
        let Ty::Float(w) = t else { return false };
        let (a, b) = (float(got, t), float(wanted, t));
        if a.is_nan() && b.is_nan() || self.signless_zeros && a == 0.0 && b == 0.0 {
            return true;
        }
        if self.ulps == 0 || a.is_nan() || b.is_nan() {
            return false;
        }
        let order = |bits: u64| {
            let n = signed(bits, Ty::Int(w));
            if n < 0 { -(n + (1i128 << (w - 1))) } else { n }
        };
        (order(got) - order(wanted)).unsigned_abs() <= u128::from(self.ulps)
    }
}

/// What LLVM calls for halves where the processor has no instructions for them. They are passed like floats.
extern "C" fn extend_half(x: f32) -> f32 {
    half_value(x.to_bits() as u16) as f32
}

extern "C" fn truncate_float(x: f32) -> f32 {
    f32::from_bits(u32::from(half_bits(f64::from(x))))
}

extern "C" fn truncate_double(x: f64) -> f32 {
    f32::from_bits(u32::from(half_bits(x)))
}

const HALVES: &str = "declare float @__extendhfsf2(half)\ndeclare half @__truncsfhf2(float)\ndeclare half @__truncdfhf2(double)\n";

type Code = unsafe extern "C" fn(*const u8, *const u8, *const u8, *const u8, *mut u8);

/// Runs all cases, as scalars and as vectors of 2, 3 and 4.
pub fn run(name: &str, cases: Vec<Case>) {
    let mut text = String::from("spirv.module Logical GLSL450 {\n");
    for (i, c) in cases.iter().enumerate() {
        (1..=4).for_each(|len| text += &c.text(&format!("f{i}_{len}"), len));
    }
    text += "}\n";
    let module = parse::parse(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert_eq!(verify::verify(&module), [], "{name}");
    let ir = llvm_text(&module, Flavor::Host).unwrap_or_else(|e| panic!("{name}: {e:?}"));
    let context = Context::create();
    let engine = engine(&context, name, ir + HALVES);
    let mut failures = Vec::new();
    for (i, c) in cases.iter().enumerate() {
        let inputs: Vec<(Vec<u64>, u64)> =
            c.inputs().into_iter().filter_map(|v| (c.reference)(&v).map(|r| (v, r))).collect();
        assert!(!inputs.is_empty(), "{}: nothing to test", c.op);
        for len in 1..=4 {
            let address = engine.get_function_address(&format!("f{i}_{len}")).unwrap();
            // SAFETY: the function of this name was made by `Case::text`, with five addresses as parameters.
            let code = unsafe { std::mem::transmute::<usize, Code>(address) };
            for group in groups(c, &inputs, len) {
                let mut memory = [[0u8; 64]; 5];
                for (k, (values, _)) in group.iter().enumerate() {
                    for (j, v) in values.iter().enumerate() {
                        let size = c.args[j].bytes();
                        let at = if c.is_position(j) { 0 } else { k * size };
                        memory[j][at..at + size].copy_from_slice(&v.to_le_bytes()[..size]);
                    }
                }
                let [a, b, x, y, out] = &mut memory;
                // SAFETY: it reads and writes at most four components of eight bytes at each address.
                unsafe { code(a.as_ptr(), b.as_ptr(), x.as_ptr(), y.as_ptr(), out.as_mut_ptr()) };
                for (k, (values, wanted)) in group.iter().enumerate() {
                    let size = c.result.bytes();
                    let mut bytes = [0u8; 8];
                    bytes[..size].copy_from_slice(&memory[4][k * size..(k + 1) * size]);
                    let got = u64::from_le_bytes(bytes);
                    if !c.agrees(got, *wanted) && failures.len() < 20 {
                        failures.push(format!(
                            "{}{} {:?} -> {:?}, {len} components: {values:x?} gives {got:#x}, wanted {wanted:#x}",
                            c.op, c.decoration, c.args, c.result
                        ));
                    }
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Inputs for vectors: those of one vector have the same positions.
fn groups(c: &Case, inputs: &[(Vec<u64>, u64)], len: usize) -> Vec<Vec<(Vec<u64>, u64)>> {
    let mut sorted: Vec<&(Vec<u64>, u64)> = inputs.iter().collect();
    let key = |v: &[u64]| -> Vec<u64> { c.positions.0.iter().map(|p| v[*p]).collect() };
    sorted.sort_by_key(|(v, _)| key(v));
    let mut out = Vec::new();
    for same in sorted.chunk_by(|a, b| key(&a.0) == key(&b.0)) {
        for group in same.chunks(len) {
            // The last one is filled up.
            let mut group: Vec<(Vec<u64>, u64)> = group.iter().map(|g| (*g).clone()).collect();
            while group.len() < len {
                group.push(group[0].clone());
            }
            out.push(group);
        }
    }
    out
}

/// Compiles LLVM IR.
pub fn engine<'c>(context: &'c Context, name: &str, ir: String) -> ExecutionEngine<'c> {
    engine_with(context, name, ir, &[]).0
}

/// The same, with some of the functions that it declares.
pub fn engine_with<'c>(
    context: &'c Context,
    name: &str,
    ir: String,
    wanted: &[&str],
) -> (ExecutionEngine<'c>, Vec<FunctionValue<'c>>) {
    let mut bytes = ir.clone().into_bytes();
    bytes.push(0);
    let buffer = MemoryBuffer::create_from_memory_range_copy(&bytes, name);
    let module = context.create_module_from_ir(buffer).unwrap_or_else(|e| panic!("{name}: {e}\n{ir}"));
    if let Err(e) = module.verify() {
        panic!("{name}: {e}\n{ir}");
    }
    let wanted = wanted.iter().map(|w| module.get_function(w).unwrap_or_else(|| panic!("no {w}"))).collect();
    let engine = module.create_jit_execution_engine(OptimizationLevel::Default).unwrap();
    let helpers: [(&str, usize); 3] = [
        ("__extendhfsf2", extend_half as *const () as usize),
        ("__truncsfhf2", truncate_float as *const () as usize),
        ("__truncdfhf2", truncate_double as *const () as usize),
    ];
    for (name, address) in helpers {
        if let Some(f) = module.get_function(name) {
            engine.add_global_mapping(&f, address);
        }
    }
    (engine, wanted)
}
