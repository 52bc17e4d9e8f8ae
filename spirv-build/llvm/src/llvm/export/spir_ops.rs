//! Instructions of kernels in the `spir64` flavour ([`super::spir`]).

use super::arith::{DIRECT, Form};
use super::function::{Body, Text, emit};
use super::mangler::Mangler;
use super::types::{Elem, Shape};
use crate::ir::entity::Entity;
use crate::ir::{
    BuiltIn, ExtSet, InstData, Op, Opcode, Operand, StorageClass, Type, TypeKind, Value, ValueDef, walk,
};
use rustc_hash::FxHashMap;
use spirv_spec::Decoration;

/// Instructions of [`DIRECT`] that the importer reads as they are written there.
fn is_direct(op: Op) -> bool {
    !matches!(op, Op::BitReverse)
}

/// A load of a system value that is nothing but taken apart: the calls read the parts.
pub(super) type SystemValues = FxHashMap<Value, BuiltIn>;

impl Body<'_, '_> {
    /// Finds the loads of system values of which only components are used.
    pub fn find_system_values(&mut self) {
        let f = self.f;
        let mut loads = SystemValues::default();
        for i in walk::insts(f) {
            let d = &f.insts[i];
            let is_load = d.op == Opcode::Op(Op::Load) && d.operands.len() == 1;
            let global = d.id(0).filter(|_| is_load).map(|v| f.values[v].def);
            if let (Some(ValueDef::Global(g)), Some(r)) = (global, d.result())
                && let Some(b) = self.x.module.globals[g].builtin()
            {
                loads.insert(r, b);
            }
        }
        for i in walk::insts(f) {
            let d = &f.insts[i];
            let parts = match d.op {
                Opcode::Op(Op::CompositeExtract) => d.operands.len() == 2,
                Opcode::Op(Op::VectorExtractDynamic) => {
                    d.id(1).and_then(|v| self.shape_of(v)) == Some(Shape::I32)
                }
                _ => false,
            };
            for v in d.ids().chain(d.successors.iter().flat_map(|s| s.args.iter().copied())) {
                let vector = self.shape_of(v).is_some_and(|s| s.len > 1);
                if vector && !(parts && d.id(0) == Some(v)) {
                    loads.remove(&v);
                }
            }
        }
        self.system_values = loads;
    }

    /// Writes an instruction of a kernel.
    pub fn spir(&mut self, data: &InstData) -> Option<Text> {
        match data.op {
            Opcode::Op(op) => self.spir_op(op, data),
            Opcode::Ext(ExtSet::OpenCl, n) => {
                let Some(name) = spirv_spec::ClOp::from_u32(n) else {
                    self.refuse_inst(data);
                    return None;
                };
                self.spirv_call(&format!("__spirv_ocl_{name:?}"), "__R", data)
            }
            Opcode::Ext(ExtSet::DebugPrintf, _) => None,
            _ => {
                self.refuse_inst(data);
                None
            }
        }
    }

    fn spir_op(&mut self, op: Op, data: &InstData) -> Option<Text> {
        let decorated = data
            .decorations
            .iter()
            .any(|d| matches!(d.kind, Decoration::SaturatedConversion | Decoration::FPRoundingMode));
        if let Some((_, form)) = DIRECT.iter().find(|r| r.0 == op && is_direct(op) && !decorated) {
            // LLVM has no such instruction for bools, or another meaning.
            if !matches!((op, form), (Op::LessOrGreater, _)) {
                return self.direct(*form, data);
            }
        }
        let (from, to) = (data.id(0).and_then(|v| self.shape_of(v)), self.result_shape(data));
        match (op, from, to) {
            (Op::Nop | Op::LifetimeStart | Op::LifetimeStop, ..) => None,
            (Op::Variable, ..) => self.spir_variable(data),
            (Op::Load, ..) => self.spir_load(data),
            (Op::Store, ..) => {
                let (p, v) = (data.id(0)?, data.id(1)?);
                let (p, v) = (self.typed(p), self.typed(v));
                let (volatile, align) = Self::memory_operands(data, 2);
                self.line(format_args!("store {volatile}{v}, {p}{align}"));
                None
            }
            (Op::AccessChain | Op::InBoundsAccessChain, ..) => self.spir_chain(data, false),
            (Op::PtrAccessChain | Op::InBoundsPtrAccessChain, ..) => self.spir_chain(data, true),
            (Op::CopyMemorySized, ..) => {
                self.spir_copy(data);
                None
            }
            (Op::CopyObject, ..) => Some(self.value(data.id(0)?)),
            (Op::Bitcast, ..) if self.pointee_of(data.id(0)?).is_some() => {
                let v = data.id(0)?;
                match to {
                    Some(s) => {
                        let p = self.typed(v);
                        Some(emit!(self, "ptrtoint {p} to {s}"))
                    }
                    None => Some(self.value(v)),
                }
            }
            (Op::Bitcast | Op::ConvertUToPtr, Some(s), None) => {
                let v = self.value(data.id(0)?);
                let ty = self.type_of(data.result()?);
                let ty = self.x.ty(ty);
                Some(emit!(self, "inttoptr {s} {v} to {ty}"))
            }
            (Op::Bitcast, Some(a), Some(b)) => {
                let v = self.value(data.id(0)?);
                Some(self.cast("bitcast", a, &v, b))
            }
            (Op::ConvertPtrToU, _, Some(s)) => {
                let p = self.typed(data.id(0)?);
                Some(emit!(self, "ptrtoint {p} to {s}"))
            }
            (Op::PtrCastToGeneric | Op::GenericCastToPtr, ..) => {
                let p = self.typed(data.id(0)?);
                let ty = self.type_of(data.result()?);
                let ty = self.x.ty(ty);
                Some(emit!(self, "addrspacecast {p} to {ty}"))
            }
            (Op::GenericCastToPtrExplicit, ..) => {
                let (_, storage) = self.x.module.ctx.types.pointee(self.type_of(data.result()?))?;
                let space = match storage {
                    StorageClass::CrossWorkgroup => "Global",
                    StorageClass::Workgroup => "Local",
                    _ => "Private",
                };
                self.spirv_call(&format!("__spirv_GenericCastToPtrExplicit_To{space}"), "", data)
            }
            (Op::FConvert, Some(a), Some(b)) if !decorated && a.width() != b.width() => {
                let v = self.value(data.id(0)?);
                Some(self.cast(if a.width() < b.width() { "fpext" } else { "fptrunc" }, a, &v, b))
            }
            (Op::UConvert, Some(a), Some(b)) if !decorated && a.width() != b.width() => {
                let v = self.value(data.id(0)?);
                Some(self.resize(a, &v, b))
            }
            (Op::SConvert, Some(a), Some(b)) if !decorated && a.width() < b.width() => {
                let v = self.value(data.id(0)?);
                Some(self.cast("sext", a, &v, b))
            }
            (Op::FNegate, _, Some(s)) => {
                let (v, flags) = (self.value(data.id(0)?), self.flags(data));
                Some(emit!(self, "fneg{flags} {s} {v}"))
            }
            (Op::ShiftLeftLogical | Op::ShiftRightLogical | Op::ShiftRightArithmetic, Some(s), _)
                if data.id(1).and_then(|v| self.shape_of(v)) == Some(s) =>
            {
                let name = match op {
                    Op::ShiftLeftLogical => "shl",
                    Op::ShiftRightLogical => "lshr",
                    _ => "ashr",
                };
                self.direct(Form::Binary(name), data)
            }
            (Op::Select, ..) => self.arithmetic(op, data),
            (Op::CompositeExtract, ..) => match self.system_component(data) {
                Some(v) => Some(v),
                None => self.composite_extract(data),
            },
            (Op::CompositeConstruct, ..) => self.composite_construct(data),
            (Op::CompositeInsert, ..) => self.composite_insert(data),
            (Op::VectorShuffle, ..) if from == data.id(1).and_then(|v| self.shape_of(v)) => {
                self.vector_shuffle(data)
            }
            (Op::VectorExtractDynamic | Op::VectorInsertDynamic, ..) => match self.system_component(data) {
                Some(v) => Some(v),
                None => self.vector_dynamic(op, data),
            },
            (Op::FunctionCall, ..) => self.call(data),
            (Op::Undef, ..) => Some("undef".into()),
            _ => self.spirv_call(&format!("__spirv_{}", op.row()?.name()), "_R", data),
        }
    }

    fn pointee_of(&self, v: Value) -> Option<Type> {
        Some(self.x.module.ctx.types.pointee(self.type_of(v))?.0)
    }

    fn memory_operands(data: &InstData, from: usize) -> (&'static str, String) {
        let mask = data.literal(from).unwrap_or(0);
        let volatile = if mask & 1 != 0 { "volatile " } else { "" };
        let align = if mask & 2 != 0 { data.literal(from + 1) } else { None };
        (volatile, align.map_or(String::new(), |n| format!(", align {n}")))
    }

    fn spir_variable(&mut self, data: &InstData) -> Option<Text> {
        let result = data.result()?;
        let ty = self.pointee_of(result)?;
        let ty = self.x.ty(ty);
        let name = self.name(self.f.values[result].name.as_deref().unwrap_or("var"));
        let align = data.decorations.word(Decoration::Alignment);
        let align = align.map_or(String::new(), |n| format!(", align {n}"));
        self.line(format_args!("{name} = alloca {ty}{align}"));
        if let Some(init) = data.id(1) {
            let v = self.typed(init);
            self.line(format_args!("store {v}, ptr {name}"));
        }
        Some(name)
    }

    fn spir_load(&mut self, data: &InstData) -> Option<Text> {
        let (pointer, result) = (data.id(0)?, data.result()?);
        if let Some(b) = self.system_values.get(&result).copied() {
            let shape = self.shape_of(result)?;
            if shape.len > 1 {
                // Its components are read where they are used.
                return None;
            }
            return Some(self.system_call(b, shape, None));
        }
        let ty = self.type_of(result);
        let (ty, p) = (self.x.ty(ty), self.typed(pointer));
        let (volatile, align) = Self::memory_operands(data, 1);
        Some(emit!(self, "load {volatile}{ty}, {p}{align}"))
    }

    /// `call i64 @_Z..__spirv_BuiltIn..i(i32 1)`.
    fn system_call(&mut self, b: BuiltIn, shape: Shape, index: Option<Text>) -> Text {
        let base = format!("__spirv_BuiltIn{b:?}");
        let (code, param) = if index.is_some() { ("i", "i32") } else { ("v", "") };
        let symbol = format!("_Z{}{base}{code}", base.len());
        self.x.declare(&symbol, &format!("declare spir_func {shape} @{symbol}({param})"));
        let arg = index.map_or(String::new(), |i| format!("i32 {i}"));
        emit!(self, "call spir_func {shape} @{symbol}({arg})")
    }

    /// A component of a system value.
    fn system_component(&mut self, data: &InstData) -> Option<Text> {
        let b = self.system_values.get(&data.id(0)?).copied()?;
        let shape = self.result_shape(data)?;
        let index = match data.literal(1) {
            Some(n) => n.to_string().into(),
            None => self.value(data.id(1)?),
        };
        Some(self.system_call(b, shape, Some(index)))
    }

    fn spir_chain(&mut self, data: &InstData, element: bool) -> Option<Text> {
        let base = data.id(0)?;
        let ty = self.pointee_of(base)?;
        let ty = self.x.ty(ty);
        let p = self.typed(base);
        let mut indices: Vec<String> = Vec::new();
        if !element {
            indices.push("i32 0".to_string());
        }
        for v in data.ids().skip(1) {
            indices.push(self.typed(v));
        }
        let inbounds = matches!(data.op, Opcode::Op(Op::InBoundsAccessChain | Op::InBoundsPtrAccessChain));
        let inbounds = if inbounds { "inbounds " } else { "" };
        Some(emit!(self, "getelementptr {inbounds}{ty}, {p}, {}", indices.join(", ")))
    }

    fn spir_copy(&mut self, data: &InstData) {
        let (Some(to), Some(from), Some(size)) = (data.id(0), data.id(1), data.id(2)) else { return };
        let space = |b: &Self, v: Value| {
            b.x.module.ctx.types.pointee(b.type_of(v)).map_or(0, |p| super::types::address_space(p.1))
        };
        let (a, b) = (space(self, to), space(self, from));
        let Some(shape) = self.shape_of(size) else { return };
        let volatile = data.literal(3).unwrap_or(0) & 1 != 0;
        let name = format!("llvm.memcpy.p{a}.p{b}.{}", shape.mangled());
        let (to, from, n) = (self.typed(to), self.typed(from), self.value(size));
        let pointer = |t: &str| t.rsplit_once(' ').map_or("ptr", |p| p.0).to_string();
        let text = format!("declare void @{name}({}, {}, {shape}, i1)", pointer(&to), pointer(&from));
        self.x.declare(&name, &text);
        self.line(format_args!("call void @{name}({to}, {from}, {shape} {n}, i1 {volatile})"));
    }

    /// A call of the function that stands for an instruction.
    fn spirv_call(&mut self, base: &str, postfix: &str, data: &InstData) -> Option<Text> {
        let mut name = base.to_string();
        let result = data.result().map(|v| self.type_of(v)).filter(|t| *self.kind(*t) != TypeKind::Void);
        let first = data.id(0).map(|v| self.type_of(v));
        let atomic = base.starts_with("__spirv_Atomic");
        if let Some(t) = result
            && !postfix.is_empty()
            && Some(t) != first
            && !atomic
            // That of a sampled image, an event or the like follows from the arguments.
            && !matches!(self.kind(t), TypeKind::Opaque(_))
            && !self.shape(t).is_some_and(Shape::is_bool)
        {
            name += postfix;
            name += &self.postfix_type(t);
        }
        for d in &data.decorations {
            match (d.kind, d.word(0)) {
                (Decoration::SaturatedConversion, _) => name += "_sat",
                (Decoration::FPRoundingMode, Some(n)) => {
                    name += ["_rte", "_rtz", "_rtp", "_rtn"].get(n as usize).copied().unwrap_or("");
                }
                _ => {}
            }
        }
        let mut mangler = Mangler::default();
        let (mut args, mut params) = (Vec::new(), Vec::new());
        for o in &data.operands {
            match o {
                Operand::Id(v) => {
                    let t = self.type_of(*v);
                    mangler.add(self.x.module, t);
                    params.push(self.x.ty(t).to_string());
                    args.push(self.typed(*v));
                }
                Operand::Literal(_) if base.starts_with("__spirv_GenericCastToPtrExplicit_To") => {
                    // The name tells.
                }
                Operand::Literal(n) => {
                    mangler.literal();
                    params.push("i32".to_string());
                    args.push(format!("i32 {n}"));
                }
                _ => {
                    self.refuse_inst(data);
                    return None;
                }
            }
        }
        let symbol = format!("_Z{}{name}{}", name.len(), mangler.finish());
        let ty = result.map_or_else(|| "void".into(), |t| self.x.ty(t));
        let text = format!("declare spir_func {ty} @{symbol}({})", params.join(", "));
        self.x.declare(&symbol, &text);
        let call = format!("call spir_func {ty} @{symbol}({})", args.join(", "));
        if result.is_none() {
            self.line(call);
            return None;
        }
        Some(emit!(self, "{call}"))
    }

    /// A type as names of functions spell it: `float4`.
    fn postfix_type(&self, t: Type) -> String {
        let Some(s) = self.shape(t) else { return format!("type{}", t.index()) };
        let scalar = match s.elem {
            Elem::Int(1) => "bool",
            Elem::Int(8) => "char",
            Elem::Int(16) => "short",
            Elem::Int(32) => "int",
            Elem::Int(_) => "long",
            Elem::Float(16) => "half",
            Elem::Float(32) => "float",
            Elem::Float(_) => "double",
        };
        if s.len > 1 { format!("{scalar}{}", s.len) } else { scalar.to_string() }
    }
}
