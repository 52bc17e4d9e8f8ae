//! Addresses in initial values: what LLVM writes as constant expressions is computed by constants of SPIR-V, too.

use super::Import;
use super::raw::{Kind, Opcode, Val, ValueKind};
use crate::ir::{Const, ConstKind, ConstOperand, Op, StorageClass, Type, TypeKind};

/// How deep initial values and constant expressions may be nested.
const MAX_DEPTH: usize = 100;
/// Elements of an array with addresses.
const MAX_ELEMENTS: u64 = 1 << 16;

impl<'m> Import<'m, '_> {
    /// An initial value with addresses in it, of type `ty`.
    pub(super) fn with_addresses(&mut self, v: Val<'m>, ty: Type, depth: usize) -> Result<Const, String> {
        if depth > MAX_DEPTH {
            return Err("an initial value that is nested too deeply".into());
        }
        let parts = match self.out.ctx.types.kind(ty) {
            TypeKind::Array { len, .. } => u64::from(*len),
            TypeKind::Struct(s) => s.members.len() as u64,
            TypeKind::Pointer { .. } | TypeKind::Int { .. } => {
                let address = self.address(v, depth)?;
                return self.as_constant(address, ty);
            }
            _ => return Err("an initial value with addresses in it".into()),
        };
        if parts > MAX_ELEMENTS {
            return Err("an initial value with so many addresses".into());
        }
        let mut list = Vec::with_capacity(parts as usize);
        for i in 0..parts as u32 {
            let (Some(part), Some(t)) = (v.element(i), self.out.ctx.types.element(ty, i)) else {
                return Err("an initial value".into());
            };
            list.push(match self.constant(part, t) {
                Some(c) => c,
                None => self.with_addresses(part, t, depth + 1)?,
            });
        }
        Ok(self.out.ctx.constant(ty, ConstKind::Composite(list)))
    }

    /// An address, of whatever type its computation has.
    fn address(&mut self, v: Val<'m>, depth: usize) -> Result<Const, String> {
        if depth > MAX_DEPTH {
            return Err("a constant expression that is nested too deeply".into());
        }
        match v.kind() {
            ValueKind::LLVMGlobalVariableValueKind => {
                self.known_global(v)?;
                let Some(g) = self.globals.get(&v).copied() else {
                    return Err("the address of a global that is not carried over".into());
                };
                let (object, storage) = (self.out.globals[g].ty, self.out.globals[g].storage);
                if storage == StorageClass::Input {
                    return Err("the address of a system value in an initial value".into());
                }
                let ty = self.out.ctx.types.pointer(object, storage);
                return Ok(self.out.ctx.constant(ty, ConstKind::Address(g)));
            }
            ValueKind::LLVMFunctionValueKind => return Err("the address of a function".into()),
            ValueKind::LLVMConstantExprValueKind => {}
            _ => return Err("an initial value with this address in it".into()),
        }
        let operands = v.operands();
        let Some(&first) = operands.first() else { return Err("a constant expression".into()) };
        let base = self.address(first, depth + 1)?;
        match v.opcode() {
            Some(Opcode::LLVMBitCast) => Ok(base),
            Some(Opcode::LLVMAddrSpaceCast) => {
                let Kind::Pointer(space) = v.ty().kind() else { return Err("a vector of addresses".into()) };
                let to = super::types::storage(space)?;
                let Some((object, from)) = self.pointee(base) else {
                    return Err("a cast of what is no address".into());
                };
                let ty = self.out.ctx.types.pointer(object, to);
                let op = match (from, to) {
                    (from, to) if from == to => return Ok(base),
                    (_, StorageClass::Generic) => Op::PtrCastToGeneric,
                    (StorageClass::Generic, _) => Op::GenericCastToPtr,
                    _ => return Err("a cast between unrelated address spaces".into()),
                };
                Ok(self.out.ctx.constant(ty, ConstKind::Computed(op, vec![ConstOperand::Const(base)])))
            }
            Some(Opcode::LLVMPtrToInt) => {
                let ty = self.ty(v.ty())?;
                if ty != self.size_type() {
                    return Err("a part of an address in an initial value".into());
                }
                self.as_constant(base, ty)
            }
            Some(Opcode::LLVMGetElementPtr) => self.element_address(v, base, &operands[1..]),
            _ => Err("this constant expression in an initial value".into()),
        }
    }

    /// `getelementptr`.
    fn element_address(&mut self, v: Val<'m>, base: Const, indices: &[Val<'m>]) -> Result<Const, String> {
        let Some(source) = v.source_type() else { return Err("an address computation".into()) };
        let mut object = self.memory_type(source)?;
        let Some((_, storage)) = self.pointee(base) else {
            return Err("an address computation on what is no address".into());
        };
        let pointer = self.out.ctx.types.pointer(object, storage);
        let mut list = vec![self.as_constant(base, pointer)?];
        for (n, index) in indices.iter().enumerate() {
            let Some(number) = index.int() else { return Err("an index that is not constant".into()) };
            if n > 0 {
                object = match self.out.ctx.types.element(object, number as u32) {
                    Some(t) => t,
                    None => return Err("an index into what has no parts".into()),
                };
            }
            let ty = self.ty(index.ty())?;
            list.push(self.out.ctx.constant(ty, ConstKind::Bits(number)));
        }
        let ty = self.out.ctx.types.pointer(object, storage);
        let op = if v.in_bounds() { Op::InBoundsPtrAccessChain } else { Op::PtrAccessChain };
        Ok(self
            .out
            .ctx
            .constant(ty, ConstKind::Computed(op, list.into_iter().map(ConstOperand::Const).collect())))
    }

    fn pointee(&self, c: Const) -> Option<(Type, StorageClass)> {
        self.out.ctx.types.pointee(self.out.ctx.consts.ty(c))
    }

    /// An address as a value of another type. It is always a computation: composites have no variables as parts.
    fn as_constant(&mut self, c: Const, ty: Type) -> Result<Const, String> {
        let (from, to) = (self.pointee(c), self.out.ctx.types.pointee(ty));
        let is_variable = matches!(self.out.ctx.consts.kind(c), ConstKind::Address(_));
        let (op, mut list) = match (from, to) {
            (Some(_), None) => (Op::ConvertPtrToU, vec![c]),
            (None, Some(_)) => (Op::ConvertUToPtr, vec![c]),
            (Some((_, a)), Some((_, b))) if a != b => {
                return Err("an address of another address space".into());
            }
            _ if self.out.ctx.consts.ty(c) != ty => (Op::Bitcast, vec![c]),
            _ if is_variable => (Op::InBoundsPtrAccessChain, vec![c]),
            _ => return Ok(c),
        };
        if op == Op::InBoundsPtrAccessChain {
            let word = self.size_type();
            list.push(self.out.ctx.constant(word, ConstKind::Bits(0)));
        }
        Ok(self
            .out
            .ctx
            .constant(ty, ConstKind::Computed(op, list.into_iter().map(ConstOperand::Const).collect())))
    }
}
