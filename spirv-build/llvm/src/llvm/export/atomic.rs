//! Atomics, barriers, and what the host must do for the code.
//!
//! Orderings come from the memory semantics, which must be constants; scopes are those of one process. What has no
//! counterpart in LLVM (group barriers, wave operations, images) is a call of a *hook*: a C function that the host
//! defines, named `__spirv_<Op>_<types>`. It takes scalars by value and everything else (vectors, structs) by address; a
//! result that is no scalar goes where its first parameter points.

use super::function::{Body, Text, emit};
use super::types::Shape;
use crate::ir::{InstData, Op, Operand, Type, TypeKind, Value};

/// Bits of memory semantics.
const ACQUIRE: u64 = 2;
const RELEASE: u64 = 4;
const BOTH: u64 = 8;
const SEQUENTIAL: u64 = 16;

/// What a barrier hook is called: `__spirv_ControlBarrier(int, int, int)` in C++, as other tools have it.
pub(super) const CONTROL_BARRIER: &str = "_Z22__spirv_ControlBarrieriii";

/// What is done to memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    Load,
    Store,
    Both,
}

/// LLVM's ordering of memory semantics.
fn ordering(semantics: u64, access: Access) -> &'static str {
    let (acquire, release) = (semantics & (ACQUIRE | BOTH) != 0, semantics & (RELEASE | BOTH) != 0);
    if semantics & SEQUENTIAL != 0 {
        return "seq_cst";
    }
    match access {
        Access::Load if acquire => "acquire",
        Access::Store if release => "release",
        Access::Both if acquire && release => "acq_rel",
        Access::Both if acquire => "acquire",
        Access::Both if release => "release",
        _ => "monotonic",
    }
}

/// A row each: instruction, operation of `atomicrmw`.
const UPDATES: &[(Op, &str)] = &[
    (Op::AtomicExchange, "xchg"),
    (Op::AtomicIAdd, "add"),
    (Op::AtomicISub, "sub"),
    (Op::AtomicAnd, "and"),
    (Op::AtomicOr, "or"),
    (Op::AtomicXor, "xor"),
    (Op::AtomicSMin, "min"),
    (Op::AtomicSMax, "max"),
    (Op::AtomicUMin, "umin"),
    (Op::AtomicUMax, "umax"),
    (Op::AtomicFAddEXT, "fadd"),
    (Op::AtomicFMinEXT, "fmin"),
    (Op::AtomicFMaxEXT, "fmax"),
];

impl Body<'_, '_> {
    fn semantics(&mut self, v: Option<Value>) -> Option<u64> {
        let bits = v.and_then(|v| self.constant_operand(v));
        if bits.is_none() {
            self.refuse("memory semantics that are not constant");
        }
        bits
    }

    /// An atomic instruction. The outer option tells whether it is one.
    pub fn atomic(&mut self, op: Op, data: &InstData) -> Option<Option<Text>> {
        if !op.is_atomic() {
            return None;
        }
        Some(self.atomic_op(op, data))
    }

    fn atomic_op(&mut self, op: Op, data: &InstData) -> Option<Text> {
        let ids: Vec<Value> = data.ids().collect();
        let p = self.value(*ids.first()?);
        let semantics = self.semantics(ids.get(2).copied())?;
        let shape = match (self.result_shape(data), ids.get(3)) {
            (Some(s), _) => s,
            (None, Some(v)) => self.shape_of(*v)?,
            (None, None) => Shape::I32,
        };
        let align = shape.bytes();
        let both = ordering(semantics, Access::Both);
        if let Some((_, name)) = UPDATES.iter().find(|r| r.0 == op) {
            let v = self.typed(*ids.get(3)?);
            return Some(emit!(self, "atomicrmw {name} ptr {p}, {v} {both}, align {align}"));
        }
        match op {
            Op::AtomicLoad => {
                let o = ordering(semantics, Access::Load);
                Some(emit!(self, "load atomic {shape}, ptr {p} {o}, align {align}"))
            }
            Op::AtomicStore => {
                let o = ordering(semantics, Access::Store);
                let v = self.typed(*ids.get(3)?);
                self.line(format_args!("store atomic {v}, ptr {p} {o}, align {align}"));
                None
            }
            Op::AtomicIIncrement | Op::AtomicIDecrement => {
                let name = if op == Op::AtomicIIncrement { "add" } else { "sub" };
                Some(emit!(self, "atomicrmw {name} ptr {p}, {shape} 1 {both}, align {align}"))
            }
            Op::AtomicCompareExchange | Op::AtomicCompareExchangeWeak => {
                // Pointer, scope, semantics if equal, if not, new value, expected value.
                let unequal = self.semantics(ids.get(3).copied())?;
                let failure = ordering(unequal, Access::Load);
                let (new, expected) = (self.typed(*ids.get(4)?), self.typed(*ids.get(5)?));
                let pair = emit!(self, "cmpxchg ptr {p}, {expected}, {new} {both} {failure}, align {align}");
                Some(emit!(self, "extractvalue {{ {shape}, i1 }} {pair}, 0"))
            }
            Op::AtomicFlagTestAndSet => {
                let old = emit!(self, "atomicrmw xchg ptr {p}, i32 1 {both}, align 4");
                Some(emit!(self, "icmp ne i32 {old}, 0"))
            }
            Op::AtomicFlagClear => {
                let o = ordering(semantics, Access::Store);
                self.line(format_args!("store atomic i32 0, ptr {p} {o}, align 4"));
                None
            }
            _ => {
                self.refuse_inst(data);
                None
            }
        }
    }

    /// `ControlBarrier` and `MemoryBarrier`.
    pub fn barrier(&mut self, op: Op, data: &InstData) {
        if op == Op::ControlBarrier {
            let args: Vec<String> = data.ids().map(|v| format!("i32 {}", self.value(v))).collect();
            self.x.declare(
                CONTROL_BARRIER,
                &format!("declare void @{CONTROL_BARRIER}(i32, i32, i32) convergent"),
            );
            self.line(format_args!("call void @{CONTROL_BARRIER}({}) convergent", args.join(", ")));
            return;
        }
        let Some(semantics) = self.semantics(data.id(1)) else { return };
        let o = ordering(semantics, Access::Both);
        if o != "monotonic" {
            self.line(format_args!("fence {o}"));
        }
    }

    /// Whether an instruction is left to the host.
    pub fn is_hook(op: Op) -> bool {
        let class = op.row().map_or("", |r| r.class());
        matches!(class, "Image" | "Non-Uniform" | "Group") && !matches!(op, Op::SampledImage | Op::Image)
            || matches!(
                op,
                Op::ImageTexelPointer
                    | Op::DPdx
                    | Op::DPdy
                    | Op::DPdxCoarse
                    | Op::DPdyCoarse
                    | Op::DPdxFine
                    | Op::DPdyFine
            )
    }

    /// Calls the host.
    pub fn hook(&mut self, op: Op, data: &InstData) -> Option<Text> {
        let name = op.row().map_or("Op", |r| r.name());
        let mut symbol = format!("__spirv_{name}");
        let (mut params, mut args) = (Vec::new(), Vec::new());
        let result = data.result().map(|v| self.type_of(v)).filter(|t| *self.kind(*t) != TypeKind::Void);
        let by_address = result.is_some_and(|t| !self.by_value(t));
        let mut returned = "void".to_string();
        let mut slot = None;
        if let Some(t) = result {
            symbol += &format!("_{}", self.hook_type(t));
            if by_address {
                let p = self.name("result");
                self.alloca(&p, t);
                params.push("ptr".to_string());
                args.push(format!("ptr {p}"));
                slot = Some((p, t));
            } else {
                returned = self.x.memory_ty(t).to_string();
            }
        }
        for o in &data.operands {
            match o {
                Operand::Id(v) => {
                    let t = self.type_of(*v);
                    symbol += &format!("_{}", self.hook_type(t));
                    let (ty, arg) = self.hook_argument(*v);
                    params.push(ty.clone());
                    args.push(format!("{ty} {arg}"));
                }
                Operand::Literal(n) => {
                    params.push("i32".to_string());
                    args.push(format!("i32 {n}"));
                }
                _ => {
                    self.refuse_inst(data);
                    return None;
                }
            }
        }
        self.x.declare(&symbol, &format!("declare {returned} @{symbol}({}) convergent", params.join(", ")));
        let call = format!("call {returned} @{symbol}({}) convergent", args.join(", "));
        if let Some((p, t)) = slot {
            self.line(call);
            return Some(self.load_object(&p, t));
        }
        let Some(t) = result else {
            self.line(call);
            return None;
        };
        let v = emit!(self, "{call}");
        let truth = self.shape(t).is_some_and(Shape::is_bool);
        Some(if truth { emit!(self, "icmp ne i8 {v}, 0") } else { v })
    }

    /// Whether hooks take and give a type as it is.
    fn by_value(&self, t: Type) -> bool {
        match self.shape(t) {
            Some(s) => s.len == 1,
            None => matches!(
                self.kind(t),
                TypeKind::Pointer { .. } | TypeKind::Image(_) | TypeKind::Sampler | TypeKind::Opaque(_)
            ),
        }
    }

    /// A type in the name of a hook.
    fn hook_type(&self, t: Type) -> String {
        match (self.shape(t), self.kind(t)) {
            (Some(s), _) => s.mangled(),
            (_, TypeKind::Struct(_) | TypeKind::Array { .. }) => "struct".into(),
            (_, TypeKind::SampledImage(_)) => "sampledimage".into(),
            (_, TypeKind::Image(_)) => "image".into(),
            (_, TypeKind::Sampler) => "sampler".into(),
            _ => "ptr".into(),
        }
    }

    fn hook_argument(&mut self, v: Value) -> (String, Text) {
        let (t, text) = (self.type_of(v), self.value(v));
        if self.by_value(t) {
            return match self.shape(t) {
                Some(s) if s.is_bool() => ("i8".into(), emit!(self, "zext i1 {text} to i8")),
                _ => (self.x.ty(t).to_string(), text),
            };
        }
        let p = self.name("argument");
        self.alloca(&p, t);
        self.store_object(&p, t, &text);
        ("ptr".into(), p)
    }

    /// `SampledImage` and `Image`: pairs of addresses.
    pub fn sampled_image(&mut self, op: Op, data: &InstData) -> Option<Text> {
        let ids = self.ids(data);
        match (op, &ids[..]) {
            (Op::SampledImage, [image, sampler]) => {
                let half = emit!(self, "insertvalue {{ ptr, ptr }} poison, ptr {image}, 0");
                Some(emit!(self, "insertvalue {{ ptr, ptr }} {half}, ptr {sampler}, 1"))
            }
            (_, [both]) => Some(emit!(self, "extractvalue {{ ptr, ptr }} {both}, 0")),
            _ => None,
        }
    }
}
