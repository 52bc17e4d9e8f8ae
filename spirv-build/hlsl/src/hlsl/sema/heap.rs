//! `ResourceDescriptorHeap` and `SamplerDescriptorHeap`: for each type of resource that is taken from a heap, an unbounded array
//! of them, all in the same place.
use super::{Checked, Reported, Sema, Val};
use crate::diag::Code;
use crate::hlsl::hir::{
    Binding, ExprId, ExprKind, Global, GlobalId, GlobalKind, HeapKind, PlaceKind, Resource, Type, TypeId,
};
use crate::source::Span;

impl Sema<'_> {
    /// The heap of this name.
    pub(super) fn heap(&mut self, name: &str, span: Span) -> Option<Val> {
        let sampler = match name {
            "ResourceDescriptorHeap" => false,
            "SamplerDescriptorHeap" => true,
            _ => return None,
        };
        if self.options.shader_model().is_none_or(|v| v < (6, 6)) {
            self.report(Code::NotInCompute, span, format!("`{name}` needs shader model 6.6"))
                .help("compile with `-T cs_6_6`");
            return Some(Val::Value(self.error_value(span)));
        }
        let ty = self.types.intern(Type::Heap { sampler });
        Some(Val::Value(self.node(ExprKind::Zero, ty, span)))
    }

    /// `ResourceDescriptorHeap[i]`: what kind of resource it is follows from what it is converted to.
    pub(super) fn heap_element(&mut self, sampler: bool, index: ExprId, span: Span) -> Checked<Val> {
        let index = self.index_value(index)?;
        let ty = self.types.intern(Type::Descriptor { sampler });
        // No step of a conversion: it is replaced when the type is known.
        Ok(Val::Value(self.node(ExprKind::Extract(index, 0), ty, span)))
    }

    /// An element of a heap as a resource.
    pub(super) fn descriptor_as(&mut self, e: ExprId, to: TypeId) -> Checked {
        let span = self.span(e);
        let index = match self.f.exprs[e.index()].kind {
            ExprKind::Extract(index, 0) => index,
            ExprKind::Ternary { cond, then, otherwise } => {
                let (then, otherwise) = (self.descriptor_as(then, to)?, self.descriptor_as(otherwise, to)?);
                return Ok(self.node(ExprKind::Ternary { cond, then, otherwise }, to, span));
            }
            _ => return Err(Reported),
        };
        let array = self.types.intern(Type::UnsizedArray(to));
        let kind = match self.types.get(to) {
            Type::Resource(Resource::Sampler { .. }) => HeapKind::Sampler,
            _ => HeapKind::Resource,
        };
        let known = self.globals.iter().position(
            |g| matches!(&g.kind, GlobalKind::Resource(b) if b.heap == Some(kind) && g.ty == array),
        );
        let global = match known {
            Some(i) => GlobalId(i as u32),
            None => {
                let name = match kind {
                    HeapKind::Resource => "ResourceDescriptorHeap",
                    HeapKind::Sampler => "SamplerDescriptorHeap",
                };
                let binding = Binding { heap: Some(kind), ..Binding::default() };
                self.globals.push(Global {
                    order: self.options.matrix_order,
                    ..Global::new(name, GlobalKind::Resource(Box::new(binding)), array, span)
                });
                GlobalId(self.globals.len() as u32 - 1)
            }
        };
        let array = self.global_place(global, span);
        let place = self.place(PlaceKind::Index(array, index), to, span);
        Ok(self.node(ExprKind::Load(place), to, span))
    }

    /// Whether elements of a heap can be used as this type.
    pub(super) fn fits_heap(&self, sampler: bool, to: TypeId) -> bool {
        match self.types.get(to) {
            Type::Resource(Resource::Sampler { .. }) => sampler,
            Type::Resource(_) => !sampler,
            _ => false,
        }
    }
}
