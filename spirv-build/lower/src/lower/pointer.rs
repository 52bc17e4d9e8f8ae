//! Addresses of buffers (`vk::BufferPointer`). As a value and in memory one is a 64-bit number, which becomes a pointer where
//! something is read or written through it: so types may point to themselves.

use super::function::Body;
use super::place::Place;
use crate::hlsl::hir::Type as Hlsl;
use crate::hlsl::hir::{ExprId, TypeId};
use crate::hlsl::layout::{Layout, Rules};
use crate::ir::{Op, Opcode, Operand, StorageClass, Value};
use spirv_spec::MemoryAccess;

impl Body<'_, '_> {
    /// What the pointer `e` points to.
    pub(super) fn deref(&mut self, e: ExprId, ty: TypeId) -> Place {
        let span = self.span;
        let Hlsl::BufferPointer { elem, align, order } = self.l.hlsl(self.f.expr(e).ty) else {
            self.l.internal(span, "what is no pointer is followed");
            return Place::Nothing { ty };
        };
        let address = self.expr(e);
        self.span = span;
        self.l.out.addressing = spirv_spec::AddressingModel::PhysicalStorageBuffer64;
        let form = self.l.element_form(order);
        let pointee = self.l.type_in(elem, form);
        let pointer = self.l.out.ctx.types.pointer(pointee, StorageClass::PhysicalStorageBuffer);
        let ptr = self.op(Op::ConvertUToPtr, pointer, &[address]);
        let align = match align {
            0 => Layout::new(self.l.hir.types, Rules::Storage).extent(elem, order).align.max(1) as u32,
            n => n,
        };
        self.alignments.push((ptr, align));
        Place::Pointer { ptr, ty: elem, form }
    }

    /// The alignment of what a pointer to physical memory points to.
    fn alignment(&self, ptr: Value, own: u32) -> Option<u32> {
        if self.storage(ptr) != StorageClass::PhysicalStorageBuffer {
            return None;
        }
        let mut at = ptr;
        while let Some(inst) = self.func.def_inst(at) {
            let data = &self.func.insts[inst];
            match (data.op, data.id(0)) {
                (Opcode::Op(Op::AccessChain), Some(base)) => at = base,
                _ => break,
            }
        }
        let declared = self.alignments.iter().rev().find(|a| a.0 == at).map_or(own, |a| a.1);
        // A part is as aligned as its own type is, unless the whole is less.
        Some(if at == ptr { declared } else { declared.min(own) })
    }

    /// Loads through any pointer.
    pub(super) fn load_from(&mut self, ptr: Value) -> Value {
        let ty = self.l.pointee(self.ty(ptr));
        match self.alignment(ptr, self.scalar_bytes(ty)) {
            None => self.b().load(ptr),
            Some(align) => {
                let operands = [
                    Operand::Id(ptr),
                    Operand::Literal(MemoryAccess::ALIGNED.bits()),
                    Operand::Literal(align),
                ];
                self.value(Op::Load, ty, &operands)
            }
        }
    }

    /// Stores through any pointer.
    pub(super) fn store_to(&mut self, ptr: Value, value: Value) {
        let ty = self.ty(value);
        match self.alignment(ptr, self.scalar_bytes(ty)) {
            None => self.b().store(ptr, value),
            Some(align) => {
                let operands = [
                    Operand::Id(ptr),
                    Operand::Id(value),
                    Operand::Literal(MemoryAccess::ALIGNED.bits()),
                    Operand::Literal(align),
                ];
                self.b().push(Op::Store, &operands);
            }
        }
    }

    /// Bytes of the largest scalar in a type, which is as aligned as that at least.
    fn scalar_bytes(&self, ty: crate::ir::Type) -> u32 {
        let types = &self.l.out.ctx.types;
        let mut stack = vec![ty];
        let mut largest = 1;
        while let Some(t) = stack.pop() {
            match types.width_of(t) {
                Some(bits) => largest = largest.max(u32::from(bits) / 8),
                None => crate::ir::parts(types.kind(t), &mut stack),
            }
        }
        largest
    }
}
