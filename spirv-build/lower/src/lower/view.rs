//! Byte address buffers as words of 64 bits, which atomic operations need: a pointer to a word of 32 bits cannot become one to
//! 64. A second variable in the same place is an array of those; both say that they alias.

use super::Lower;
use super::function::Body;
use crate::hlsl::hir::Scalar;
use crate::ir::{self, Member, Op, Opcode, StructType, Type, TypeKind, Value, ValueDef};

impl Lower<'_> {
    /// The variable that is a byte address buffer, or an array of them, as words of 64 bits.
    fn wide_view(&mut self, buffer: ir::Global) -> Option<ir::Global> {
        let is_view = |d: &ir::GlobalData| d.interface.as_ref().is_some_and(|i| i.view_of == Some(buffer));
        if let Some((known, _)) = self.out.globals.iter().find(|(_, d)| is_view(d)) {
            return Some(known);
        }
        let mut data = self.out.globals[buffer].clone();
        data.name.push_str(".words64");
        data.ty = self.wide_type(data.ty)?;
        data.interface.as_mut()?.view_of = Some(buffer);
        let view = self.out.globals.push(data);
        for g in [buffer, view] {
            self.out.globals[g].decorations.mark(spirv_spec::Decoration::Aliased);
        }
        Some(view)
    }

    fn wide_type(&mut self, buffer: Type) -> Option<Type> {
        let kind = match self.out.ctx.types.kind(buffer).clone() {
            TypeKind::Array { elem, len, stride } => {
                TypeKind::Array { elem: self.wide_type(elem)?, len, stride }
            }
            TypeKind::RuntimeArray { elem, stride } => {
                TypeKind::RuntimeArray { elem: self.wide_type(elem)?, stride }
            }
            TypeKind::Struct(s) => {
                let elem = self.scalar_type(Scalar::U64);
                let ty = self.out.ctx.types.intern(TypeKind::RuntimeArray { elem, stride: Some(8) });
                let member = Member { ty, ..s.members.into_iter().next()? };
                TypeKind::Struct(StructType::block(format!("{}.words64", s.name), vec![member]))
            }
            _ => return None,
        };
        Some(self.out.ctx.types.intern(kind))
    }
}

impl Body<'_, '_> {
    /// Pointer to the 64-bit word at a byte offset. `buffer`: pointer to the buffer.
    pub(super) fn wide_word(&mut self, buffer: Value, offset: Value) -> Option<Value> {
        let word = self.l.scalar_type(Scalar::U64);
        let index = self.word_index(offset, 3);
        if self.is_value(buffer) {
            return self.wide_word_of_handle(buffer, word, index);
        }
        let (global, indices) = match self.func.values[buffer].def {
            ValueDef::Global(g) => (g, Vec::new()),
            ValueDef::Result(inst, _) if self.func.insts[inst].op == Opcode::Op(Op::AccessChain) => {
                let mut ids = self.func.insts[inst].ids();
                match self.func.values[ids.next()?].def {
                    ValueDef::Global(g) => (g, ids.collect()),
                    _ => return None,
                }
            }
            _ => return None,
        };
        let view = self.l.wide_view(global)?;
        let (ty, storage) = (self.l.out.globals[view].ty, self.l.out.globals[view].storage);
        let base = self.b().address_of(view, ty, storage);
        let mut chain: Vec<Value> = indices;
        chain.extend([self.b().u32(0), index]);
        Some(self.b().access_chain(base, word, &chain))
    }

    /// The same for a buffer that a variable holds.
    fn wide_word_of_handle(&mut self, buffer: Value, word: Type, index: Value) -> Option<Value> {
        let object = self.l.pointee(self.ty(buffer));
        // It may be any of its type.
        let writable = |d: &ir::GlobalData| {
            d.interface.as_ref().is_some_and(|i| {
                i.class == ir::ResourceClass::ByteAddressBuffer
                    && i.access == ir::BufferAccess::ReadWrite
                    && i.view_of.is_none()
            })
        };
        let all: Vec<ir::Global> =
            self.l.out.globals.iter().filter(|(_, d)| writable(d)).map(|(g, _)| g).collect();
        for g in all {
            self.l.wide_view(g);
        }
        let ty = self.l.wide_type(object)?;
        let ty = self.l.out.ctx.types.pointer(ty, ir::StorageClass::StorageBuffer);
        let view = self.op(Opcode::Resource(ir::ResourceOp::View), ty, &[buffer]);
        let zero = self.b().u32(0);
        Some(self.b().access_chain(view, word, &[zero, index]))
    }
}
