//! Memory: allocations, addresses, loads, stores, atomics, fences.

use super::arith::int_width;
use super::function::Body;
use super::loops::MAX_SET;
use super::raw::{Kind, Ordering, RmwOp, Val};
use crate::ir::{ConstKind, InstData, Op, Operand, StorageClass, Type, TypeKind, Value};

/// Memory operands.
const VOLATILE: u32 = 1;
const ALIGNED: u32 = 2;

/// Scopes by the names of synchronization scopes.
const SCOPES: &[(&str, u32)] = &[
    ("singlethread", 4),
    ("work_item", 4),
    ("subgroup", 3),
    ("sub_group", 3),
    ("workgroup", 2),
    ("device", 1),
    ("all_svm_devices", 0),
];

/// Bits of memory semantics of an ordering.
fn semantics_of(o: Ordering) -> u32 {
    use Ordering::*;
    match o {
        LLVMAtomicOrderingAcquire => 2,
        LLVMAtomicOrderingRelease => 4,
        LLVMAtomicOrderingAcquireRelease => 8,
        LLVMAtomicOrderingSequentiallyConsistent => 16,
        _ => 0,
    }
}

/// The memory that an ordering speaks of.
fn memory_of(storage: StorageClass) -> u32 {
    match storage {
        StorageClass::Workgroup => 0x100,
        StorageClass::Generic => 0x300,
        StorageClass::Function => 0,
        _ => 0x200,
    }
}

impl<'m> Body<'_, 'm, '_> {
    pub fn alloca(&mut self, inst: Val<'m>) -> Result<Option<Value>, String> {
        let Some(t) = inst.allocated_type() else { return Err("an allocation".into()) };
        let mut ty = self.i.memory_type(t)?;
        match inst.operands().first().and_then(|n| n.int()) {
            // Of none there is no address that may be used.
            Some(0 | 1) => {}
            Some(n) if u32::try_from(n).is_ok_and(|n| n > 0) => {
                let array = TypeKind::Array { elem: ty, len: n as u32, stride: None };
                ty = self.i.out.ctx.types.intern(array);
            }
            _ => return Err("an allocation of a size that is not constant".into()),
        }
        let v = self.b().variable(ty, None);
        let Some(def) = self.f.def_inst(v) else { return Ok(Some(v)) };
        if inst.align() > 0 {
            let d = crate::ir::Decoration::words(spirv_spec::Decoration::Alignment, &[inst.align()]);
            self.f.insts[def].decorations.add(d);
        }
        // Elsewhere than in the private address space it is the address of private memory all the same.
        if matches!(inst.ty().kind(), Kind::Pointer(4)) {
            let generic = self.i.out.ctx.types.pointer(ty, StorageClass::Generic);
            return Ok(Some(self.b().op(Op::PtrCastToGeneric, generic, &[v])));
        }
        Ok(Some(v))
    }

    pub fn element_pointer(&mut self, v: Val<'m>) -> Result<Value, String> {
        let operands = v.operands();
        let Some(source) = v.source_type() else { return Err("an address computation".into()) };
        if matches!(v.ty().kind(), Kind::Vector(..)) {
            return Err("a vector of addresses".into());
        }
        let mut object = self.i.memory_type(source)?;
        let base = self.operand(operands[0])?;
        let base = self.pointer_to(base, object)?;
        let storage = self.storage_of(base);
        let mut all = vec![Operand::Id(base)];
        for (n, index) in operands[1..].iter().enumerate() {
            let known = index.int();
            if n > 0 {
                let at = match self.i.out.ctx.types.kind(object) {
                    TypeKind::Struct(_) => known.map(|n| n as u32).ok_or("an index into a struct")?,
                    _ => 0,
                };
                object = match self.i.out.ctx.types.element(object, at) {
                    Some(t) => t,
                    None => return Err("an index into what has no parts".into()),
                };
            }
            let mut value = self.operand(*index)?;
            if int_width(index.ty()).is_some_and(|w| !matches!(w, 8 | 16 | 32 | 64)) {
                value = self.signed(value, index.ty());
            }
            all.push(Operand::Id(value));
        }
        let ty = self.i.out.ctx.types.pointer(object, storage);
        // System values are no arrays; a component may be found by its bytes.
        if storage == StorageClass::Input
            && let [_, only] = operands[..]
            && let (Some(bytes @ 1..), Some(8)) = (
                only.int(),
                self.i.out.ctx.types.width_of(object).filter(|_| self.i.out.ctx.types.len_of(object) == 1),
            )
            && let Some((vector, _)) =
                self.operand(operands[0]).ok().and_then(|v| self.i.out.ctx.types.pointee(self.type_of(v)))
        {
            let elem = self.i.out.ctx.types.scalar_of(vector);
            let size = u64::from(self.i.out.ctx.types.width_of(elem).unwrap_or(64)) / 8;
            if bytes.is_multiple_of(size) && bytes / size < u64::from(self.i.out.ctx.types.len_of(vector)) {
                let base = self.operand(operands[0])?;
                let index = self.b().u32((bytes / size) as u32);
                return Ok(self.b().access_chain(base, elem, &[index]));
            }
        }
        if storage == StorageClass::Input {
            if operands.get(1).and_then(|i| i.int()) != Some(0) {
                return Err("an address behind a system value".into());
            }
            all.remove(1);
            return Ok(if all.len() == 1 { base } else { self.b().value(Op::AccessChain, ty, &all) });
        }
        let op = if v.in_bounds() { Op::InBoundsPtrAccessChain } else { Op::PtrAccessChain };
        Ok(self.b().value(op, ty, &all))
    }

    fn memory_operands(&self, inst: Val<'m>) -> Vec<Operand> {
        let volatile = if inst.is_volatile() { VOLATILE } else { 0 };
        match inst.align() {
            0 if volatile == 0 => Vec::new(),
            0 => vec![Operand::Literal(volatile)],
            n => vec![Operand::Literal(ALIGNED | volatile), Operand::Literal(n)],
        }
    }

    pub fn load(&mut self, inst: Val<'m>) -> Result<Value, String> {
        let ty = self.ty(inst.ty())?;
        let memory = self.i.memory_type(inst.ty())?;
        let address = self.operand(inst.operands()[0])?;
        // A component of a system value is what it is whatever type the load has.
        let p = self.pointer_to(address, memory)?;
        let value = if inst.ordering() == Ordering::LLVMAtomicOrderingNotAtomic {
            let mut all = vec![Operand::Id(p)];
            all.extend(self.memory_operands(inst));
            self.b().value(Op::Load, memory, &all)
        } else {
            let (p, number) = self.atomic_place(p, memory)?;
            let all = self.atomic_operands(p, inst, inst.ordering());
            let value = self.b().op(Op::AtomicLoad, number, &all);
            self.number_to(value, memory)
        };
        self.out_of_memory(value, inst, ty)
    }

    /// A value as memory holds it.
    fn out_of_memory(&mut self, value: Value, inst: Val<'m>, ty: Type) -> Result<Value, String> {
        match (self.i.out.ctx.types.kind(ty), inst.ty().kind()) {
            (TypeKind::Bool, _) => {
                let int = self.type_of(value);
                let one = self.bits(int, 1);
                let low = self.b().op(Op::BitwiseAnd, int, &[value, one]);
                Ok(self.int_to_bool(low))
            }
            (TypeKind::Vector { elem, len }, _) if self.is_bool(*elem) => {
                let len = *len;
                let (int, bool) = (self.type_of(value), self.i.out.ctx.types.bool());
                let mut parts = Vec::new();
                for i in 0..len {
                    let bit = self.bits(int, 1 << i);
                    let part = self.b().op(Op::BitwiseAnd, int, &[value, bit]);
                    let part = self.int_to_bool(part);
                    debug_assert!(self.type_of(part) == bool);
                    parts.push(part);
                }
                Ok(self.b().op(Op::CompositeConstruct, ty, &parts))
            }
            _ => Ok(value),
        }
    }

    pub fn store(&mut self, inst: Val<'m>) -> Result<(), String> {
        let operands = inst.operands();
        let mut value = self.canonical(operands[0])?;
        let memory = self.i.memory_type(operands[0].ty())?;
        let ty = self.type_of(value);
        if self.is_bool(ty) {
            value = match *self.i.out.ctx.types.kind(ty) {
                TypeKind::Vector { len, .. } => {
                    let bool = self.i.out.ctx.types.bool();
                    let mut all = self.bits(memory, 0);
                    for i in 0..len {
                        let part = self.b().extract(value, bool, &[u32::from(i)]);
                        let (bit, none) = (self.bits(memory, 1 << i), self.bits(memory, 0));
                        let part = self.b().op(Op::Select, memory, &[part, bit, none]);
                        all = self.b().op(Op::BitwiseOr, memory, &[all, part]);
                    }
                    all
                }
                _ => self.bool_to_int(value, memory, false),
            };
        }
        let address = self.operand(operands[1])?;
        let p = self.pointer_to(address, memory)?;
        if inst.ordering() == Ordering::LLVMAtomicOrderingNotAtomic {
            let mut all = vec![Operand::Id(p), Operand::Id(value)];
            all.extend(self.memory_operands(inst));
            self.b().push(Op::Store, &all);
        } else {
            let (p, number) = self.atomic_place(p, memory)?;
            let value = self.number_to(value, number);
            let mut all: Vec<Operand> =
                self.atomic_operands(p, inst, inst.ordering()).into_iter().map(Operand::Id).collect();
            all.push(Operand::Id(value));
            self.b().push(Op::AtomicStore, &all);
        }
        Ok(())
    }

    /// Atomic operations work on numbers; pointers are numbers for them.
    fn atomic_place(&mut self, p: Value, memory: Type) -> Result<(Value, Type), String> {
        match self.i.out.ctx.types.kind(memory) {
            TypeKind::Int { .. } | TypeKind::Float { .. } => Ok((p, memory)),
            TypeKind::Pointer { .. } => {
                let word = self.i.size_type();
                Ok((self.pointer_to(p, word)?, word))
            }
            _ => Err("an atomic operation on this type".into()),
        }
    }

    fn number_to(&mut self, v: Value, ty: Type) -> Value {
        let from = self.type_of(v);
        if from == ty {
            return v;
        }
        let types = &self.i.out.ctx.types;
        let op = match (types.pointee(from).is_some(), types.pointee(ty).is_some()) {
            (true, false) => Op::ConvertPtrToU,
            (false, true) => Op::ConvertUToPtr,
            _ => Op::Bitcast,
        };
        self.b().op(op, ty, &[v])
    }

    /// The scope that an instruction names.
    fn scope(&self, inst: Val<'m>) -> u32 {
        let text = inst.print();
        let name = text.split_once("syncscope(\"").and_then(|(_, rest)| rest.split_once('"')).map(|p| p.0);
        name.and_then(|n| SCOPES.iter().find(|s| s.0 == n)).map_or(0, |s| s.1)
    }

    /// Address, scope and semantics.
    fn atomic_operands(&mut self, p: Value, inst: Val<'m>, o: Ordering) -> Vec<Value> {
        let (scope, mut bits) = (self.scope(inst), semantics_of(o));
        if bits != 0 {
            bits |= memory_of(self.storage_of(p));
        }
        vec![p, self.b().u32(scope), self.b().u32(bits)]
    }

    pub fn fence(&mut self, inst: Val<'m>) -> Result<(), String> {
        let (scope, bits) = (self.scope(inst), semantics_of(inst.ordering()) | 0x300);
        let all = [Operand::Id(self.b().u32(scope)), Operand::Id(self.b().u32(bits))];
        self.b().push(Op::MemoryBarrier, &all);
        Ok(())
    }

    pub fn atomic_rmw(&mut self, inst: Val<'m>) -> Result<Value, String> {
        use RmwOp::*;
        let operands = inst.operands();
        let mut value = self.canonical(operands[1])?;
        let ty = self.type_of(value);
        if int_width(inst.ty()).is_some_and(|w| !matches!(w, 8 | 16 | 32 | 64)) {
            return Err("an atomic operation on an integer of this width".into());
        }
        let op = match inst.rmw() {
            Some(LLVMAtomicRMWBinOpXchg) => Op::AtomicExchange,
            Some(LLVMAtomicRMWBinOpAdd) => Op::AtomicIAdd,
            Some(LLVMAtomicRMWBinOpSub) => Op::AtomicISub,
            Some(LLVMAtomicRMWBinOpAnd) => Op::AtomicAnd,
            Some(LLVMAtomicRMWBinOpOr) => Op::AtomicOr,
            Some(LLVMAtomicRMWBinOpXor) => Op::AtomicXor,
            Some(LLVMAtomicRMWBinOpMax) => Op::AtomicSMax,
            Some(LLVMAtomicRMWBinOpMin) => Op::AtomicSMin,
            Some(LLVMAtomicRMWBinOpUMax) => Op::AtomicUMax,
            Some(LLVMAtomicRMWBinOpUMin) => Op::AtomicUMin,
            Some(LLVMAtomicRMWBinOpFAdd) => Op::AtomicFAddEXT,
            Some(LLVMAtomicRMWBinOpFSub) => {
                value = self.b().op(Op::FNegate, ty, &[value]);
                Op::AtomicFAddEXT
            }
            Some(LLVMAtomicRMWBinOpFMax) => Op::AtomicFMaxEXT,
            Some(LLVMAtomicRMWBinOpFMin) => Op::AtomicFMinEXT,
            _ => return Err("an atomic operation that SPIR-V does not have".into()),
        };
        let address = self.operand(operands[0])?;
        let p = self.pointer_to(address, ty)?;
        let (p, number) = self.atomic_place(p, ty)?;
        let value = self.number_to(value, number);
        let mut all = self.atomic_operands(p, inst, inst.ordering());
        all.push(value);
        let old = self.b().op(op, number, &all);
        Ok(self.number_to(old, ty))
    }

    /// The old value and whether it was the expected one.
    pub fn compare_exchange(&mut self, inst: Val<'m>) -> Result<Value, String> {
        let operands = inst.operands();
        let Some((success, failure)) = inst.exchange_orderings() else { return Err("an exchange".into()) };
        let (expected, new) = (self.canonical(operands[1])?, self.canonical(operands[2])?);
        let ty = self.type_of(new);
        let address = self.operand(operands[0])?;
        let p = self.pointer_to(address, ty)?;
        let (p, number) = self.atomic_place(p, ty)?;
        let (expected, new) = (self.number_to(expected, number), self.number_to(new, number));
        let mut all = self.atomic_operands(p, inst, success);
        let other = self.atomic_operands(p, inst, failure)[2];
        all.extend([other, new, expected]);
        let old = self.b().op(Op::AtomicCompareExchange, number, &all);
        let truth = self.i.out.ctx.types.bool();
        let same = self.b().op(Op::IEqual, truth, &[old, expected]);
        let old = self.number_to(old, ty);
        let pair = self.ty(inst.ty())?;
        Ok(self.b().op(Op::CompositeConstruct, pair, &[old, same]))
    }

    /// Copies bytes, or sets them (`byte`), where their number is constant.
    pub fn copy_bytes(
        &mut self,
        to: Value,
        from: Value,
        size: Val<'m>,
        volatile: bool,
    ) -> Result<(), String> {
        let byte = self.i.out.ctx.types.int(8, false);
        let (to, from) = (self.pointer_to(to, byte)?, self.pointer_to(from, byte)?);
        let size = self.operand(size)?;
        let mut data = InstData::new(Op::CopyMemorySized, [], self.span);
        data.operands.extend([Operand::Id(to), Operand::Id(from), Operand::Id(size)]);
        if volatile {
            data.operands.push(Operand::Literal(VOLATILE));
        }
        self.b().append(data, &[]);
        Ok(())
    }

    /// Sets bytes: a constant of as many bytes is copied.
    pub fn set_bytes(&mut self, to: Value, value: Val<'m>, size: Val<'m>) -> Result<(), String> {
        let (Some(value), Some(n @ 0..=MAX_SET)) = (value.int(), size.int()) else {
            return Err("bytes that are set to what is not constant".into());
        };
        if n == 0 {
            return Ok(());
        }
        let byte = self.i.out.ctx.types.int(8, false);
        let array = self.i.out.ctx.types.intern(TypeKind::Array { elem: byte, len: n as u32, stride: None });
        let c = if value & 0xff == 0 {
            self.i.out.ctx.constant(array, ConstKind::Null)
        } else {
            let one = self.i.out.ctx.constant(byte, ConstKind::Bits(value & 0xff));
            self.i.out.ctx.constant(array, ConstKind::Composite(vec![one; n as usize]))
        };
        let c = self.b().constant(c);
        let p = self.pointer_to(to, array)?;
        self.b().store(p, c);
        Ok(())
    }
}
