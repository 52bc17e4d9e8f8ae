//! Counters of structured buffers. The counter of a buffer is a buffer of one `int`, declared when something counts; an array of
//! buffers has an array of counters, and a descriptor heap has one heap of counters for all types of buffers.

use super::Lower;
use super::function::Body;
use super::globals::GlobalValue;
use crate::hlsl::hir::{GlobalId, GlobalKind, HeapKind, Names, PlaceId, Scalar, Type as Hlsl};
use crate::ir::{
    self, BufferAccess, Counter, Declared, GlobalData, Heap, HlslResource, Interface, Member, Op, Opcode,
    ResourceClass, ResourceOp, StorageClass, StructType, Type, TypeKind, Value,
};
use spirv_spec::MemorySemantics;
use std::sync::Arc;

/// Name of the type of a counter's buffer.
const TYPE_NAME: &str = "type.ACSBuffer.counter";

impl Lower<'_> {
    /// The counters that the program speaks of.
    pub(super) fn declare_counters(&mut self) {
        let hir = self.hir;
        for g in Names::new(hir.module).anywhere().counters {
            self.counter(g);
        }
    }

    /// The counter of a global.
    fn counter(&mut self, g: GlobalId) -> Option<ir::Global> {
        let GlobalValue::Resource(buffer) = self.globals.get(g.index()).copied()? else { return None };
        if let Some(known) = self.out.globals[buffer].hlsl().counter {
            return Some(known.var);
        }
        let hir = self.hir;
        let GlobalKind::Resource(binding) = &hir.global(g).kind else { return None };
        let heap = binding.heap == Some(HeapKind::Resource);
        let is_heap = |d: &GlobalData| d.hlsl().heap == Some(Heap::Counters);
        let same = self.out.globals.iter().find(|(_, d)| heap && is_heap(d)).map(|(g, _)| g);
        let var = match same {
            Some(var) => var,
            None => {
                let ty = self.counter_type(self.out.globals[buffer].ty);
                let data = &self.out.globals[buffer];
                let name = format!("counter.var.{}", data.name);
                let mut data = GlobalData {
                    interface: Some(Interface {
                        declared: Some(Arc::new(Declared {
                            spelling: "a counter".into(),
                            ..Declared::default()
                        })),
                        hlsl: heap.then(|| {
                            Box::new(HlslResource { heap: Some(Heap::Counters), ..HlslResource::default() })
                        }),
                        ..Interface::new(ResourceClass::StructuredBuffer, BufferAccess::ReadWrite)
                    }),
                    ..GlobalData::new(name, ty, StorageClass::StorageBuffer, data.span)
                };
                if binding.coherent {
                    data.decorations.mark(spirv_spec::Decoration::Coherent);
                }
                self.out.globals.push(data)
            }
        };
        if let Some(interface) = &mut self.out.globals[buffer].interface {
            interface.hlsl.get_or_insert_default().counter = Some(Counter { var, binding: binding.counter });
        }
        Some(var)
    }

    /// The type of a counter for a buffer of this type: as many dimensions of arrays.
    fn counter_type(&mut self, buffer: Type) -> Type {
        match self.out.ctx.types.kind(buffer).clone() {
            TypeKind::Array { elem, len, stride } => {
                let elem = self.counter_type(elem);
                self.out.ctx.types.intern(TypeKind::Array { elem, len, stride })
            }
            TypeKind::RuntimeArray { elem, stride } => {
                let elem = self.counter_type(elem);
                self.out.ctx.types.intern(TypeKind::RuntimeArray { elem, stride })
            }
            _ => {
                let ty = self.out.ctx.types.i32();
                let member = Member { offset: Some(0), ..Member::new("", ty) };
                self.out.ctx.types.intern(TypeKind::Struct(StructType::block(TYPE_NAME, vec![member])))
            }
        }
    }
}

impl Body<'_, '_> {
    /// Counts a buffer's counter; the index that is free to use then.
    #[inline(never)]
    pub(super) fn count(&mut self, resource: PlaceId, down: bool) -> Value {
        let span = self.span;
        let Some((g, steps, indices)) = self.path(resource) else {
            return self.count_of_handle(resource, down);
        };
        let Some(var) = self.l.counter(g) else {
            self.l.internal(span, "a buffer has no counter");
            return self.b().u32(0);
        };
        self.span = span;
        let ty = self.l.out.globals[var].ty;
        let mut at = None;
        let mut values = indices.into_iter();
        let mut array = self.l.hir.global(g).ty;
        for step in &steps {
            let index = match step {
                super::function::Step::Index(n) => self.b().u32(*n),
                super::function::Step::Dynamic => match values.next() {
                    Some(v) => v,
                    None => self.b().u32(0),
                },
                _ => {
                    self.l.internal(span, "a counter of a part of a buffer");
                    return self.b().u32(0);
                }
            };
            let (elem, n) = match self.l.hlsl(array) {
                Hlsl::Array(elem, n) => (elem, n),
                Hlsl::UnsizedArray(elem) => (elem, 1),
                _ => (array, 1),
            };
            array = elem;
            at = Some(match at {
                None => index,
                Some(outer) => self.flat_index(outer, n, index),
            });
        }
        let mut chain: Vec<Value> = at.into_iter().collect();
        chain.push(self.b().i32(0));
        let base = self.b().address_of(var, ty, StorageClass::StorageBuffer);
        let int = self.l.scalar_type(Scalar::I32);
        let ptr = self.b().access_chain(base, int, &chain);
        self.count_at(ptr, down)
    }

    /// The same for a buffer that a variable holds.
    fn count_of_handle(&mut self, resource: PlaceId, down: bool) -> Value {
        let span = self.span;
        let Some((handle, _)) = self.resource(resource) else { return self.b().u32(0) };
        self.span = span;
        let buffer = self.l.pointee(self.ty(handle));
        // It may be any of its type.
        for g in self.l.resources_of(self.f.place(resource).ty) {
            self.l.counter(g);
        }
        let ty = self.l.counter_type(buffer);
        let ty = self.l.out.ctx.types.pointer(ty, StorageClass::StorageBuffer);
        let counter = self.op(Opcode::Resource(ResourceOp::Counter), ty, &[handle]);
        let int = self.l.scalar_type(Scalar::I32);
        let zero = self.b().i32(0);
        let ptr = self.b().access_chain(counter, int, &[zero]);
        self.count_at(ptr, down)
    }

    fn count_at(&mut self, ptr: Value, down: bool) -> Value {
        let (int, uint) = (self.l.scalar_type(Scalar::I32), self.l.scalar_type(Scalar::U32));
        let scope = self.device_scope();
        let relaxed = self.b().u32(MemorySemantics::RELAXED.bits());
        let one = self.b().i32(1);
        let old =
            self.op(if down { Op::AtomicISub } else { Op::AtomicIAdd }, int, &[ptr, scope, relaxed, one]);
        let old = self.op(Op::Bitcast, uint, &[old]);
        if !down {
            return old;
        }
        self.word_op(Op::ISub, old, 1)
    }
}
