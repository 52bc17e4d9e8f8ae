//! Handles: resources as values. A handle is the address of a resource; variables, fields, parameters and results hold it like any
//! other value. SPIR-V has no such variables: `passes::legalize_resources` replaces each by the resources that it may be.
//!
//! All handles of an HLSL type have one type here, though the resources may differ in what HLSL does not say in types (the format of
//! an image, the order of matrices): then a cast stands where a resource becomes a value.

use super::Lower;
use super::function::Body;
use super::globals::GlobalValue;
use super::place::Place;
use super::types::Form;
use crate::hlsl::hir::{self, GlobalId, GlobalKind, MatrixOrder, Type as Hlsl, TypeId};
use crate::ir::{Op, StorageClass, Type, TypeKind, Value};

/// Elements of an array of resources that is a value.
const MAX_ELEMENTS: u32 = 256;

impl Lower<'_> {
    /// Whether a global is a static variable that holds resources.
    pub(super) fn is_handle_variable(&self, g: GlobalId) -> bool {
        let g = self.hir.global(g);
        matches!(g.kind, GlobalKind::Static) && self.types().contains_resource(g.ty)
    }

    /// Whether the values of a type are one handle: of a resource, or of an array of them that has no length.
    pub(super) fn is_handle(&self, ty: TypeId) -> bool {
        match self.hlsl(ty) {
            Hlsl::Array(..) => false,
            Hlsl::UnsizedArray(elem) => self.is_handle(elem),
            _ => self.types().resource(ty).is_some(),
        }
    }

    /// The type of the handles of a resource type, and how matrices lie in what it has.
    pub(super) fn handle_type(&mut self, ty: TypeId) -> (Type, MatrixOrder) {
        if let Some(known) = self.handle_types.get(&ty) {
            return *known;
        }
        let found = self.make_handle_type(ty);
        self.handle_types.insert(ty, found);
        found
    }

    fn make_handle_type(&mut self, ty: TypeId) -> (Type, MatrixOrder) {
        if let Hlsl::UnsizedArray(elem) = self.hlsl(ty) {
            let (elem, order) = self.handle_type(elem);
            let Some((object, storage)) = self.out.ctx.types.pointee(elem) else { return (elem, order) };
            let array = self.out.ctx.types.intern(TypeKind::RuntimeArray { elem: object, stride: None });
            return (self.out.ctx.types.pointer(array, storage), order);
        }
        // That of the first such resource: most programs have no cast then.
        let hir = self.hir.module;
        let values = self.globals.iter().zip(&hir.globals);
        let first = values.filter_map(|(value, g)| match value {
            GlobalValue::Resource(global) if self.element_type(g.ty) == ty => Some((*global, g.order)),
            _ => None,
        });
        if let Some((global, order)) = first.into_iter().next() {
            let data = &self.out.globals[global];
            let (mut object, storage) = (data.ty, data.storage);
            while let TypeKind::Array { elem, .. } | TypeKind::RuntimeArray { elem, .. } =
                *self.out.ctx.types.kind(object)
            {
                object = elem;
            }
            return (self.out.ctx.types.pointer(object, storage), order);
        }
        let binding = hir::Binding::default();
        let order = MatrixOrder::default();
        let object = match self.types().resource(ty) {
            Some(r) => self.resource_type((self.place, order), &binding, r),
            None => None,
        };
        match object {
            Some((object, storage, _)) => (self.out.ctx.types.pointer(object, storage), order),
            None => (self.out.ctx.types.u32(), order),
        }
    }

    /// The resources of a type, and the arrays of them.
    pub(super) fn resources_of(&self, ty: TypeId) -> Vec<GlobalId> {
        let ty = self.element_type(ty);
        let all = self.hir.module.globals.iter().enumerate();
        let same =
            all.filter(|(_, g)| matches!(g.kind, GlobalKind::Resource(_)) && self.element_type(g.ty) == ty);
        same.map(|(i, _)| GlobalId(i as u32)).collect()
    }

    /// What an array of resources consists of.
    fn element_type(&self, mut ty: TypeId) -> TypeId {
        while let Hlsl::Array(elem, _) | Hlsl::UnsizedArray(elem) = self.hlsl(ty) {
            ty = elem;
        }
        ty
    }
}

impl Body<'_, '_> {
    /// The resource that a variable holds, if that is what a place is.
    pub(super) fn resource_in(&mut self, place: Place) -> Place {
        match place {
            Place::Pointer { ptr, ty, form: Form::Value } if self.l.is_handle(ty) => {
                let ptr = self.b().load(ptr);
                let order = self.l.handle_type(ty).1;
                Place::Resource { ptr, ty, order }
            }
            Place::Value { value, ty } if self.l.is_handle(ty) => {
                let order = self.l.handle_type(ty).1;
                Place::Resource { ptr: value, ty, order }
            }
            place => place,
        }
    }

    /// A resource, or an array of resources, as a value.
    pub(super) fn as_handle(&mut self, place: &Place) -> Value {
        let ty = place.ty();
        if let Hlsl::Array(_, n) = self.l.hlsl(ty) {
            return self.handles(place, n);
        }
        let Place::Resource { ptr, .. } = *place else { return self.undef(ty) };
        let wanted = self.l.value_type(ty);
        match self.ty(ptr) == wanted {
            true => ptr,
            false => self.op(Op::Bitcast, wanted, &[ptr]),
        }
    }

    fn handles(&mut self, place: &Place, n: u32) -> Value {
        let (ty, span) = (place.ty(), self.span);
        if n > MAX_ELEMENTS || !self.l.count_copied(n as usize, span) {
            let help = "index the array where it is declared, or use a smaller one";
            let message = format!("an array of {n} resources as a value");
            self.l.error(crate::diag::Code::TooMany, span, message, help);
            return self.undef(ty);
        }
        let mut parts = Vec::with_capacity(n as usize);
        for i in 0..n {
            let index = self.b().u32(i);
            let part = self.index(place.clone(), index, Some(i), span);
            parts.push(self.as_handle(&part));
        }
        let array = self.l.value_type(ty);
        self.op(Op::CompositeConstruct, array, &parts)
    }

    /// Whether a pointer to or into a resource is of a handle, and not the address of a resource that is known here.
    pub(super) fn is_value(&self, mut ptr: Value) -> bool {
        while let Some(inst) = self.func.def_inst(ptr) {
            let data = &self.func.insts[inst];
            match (data.op, data.id(0)) {
                (crate::ir::Opcode::Op(Op::AccessChain), Some(base)) => ptr = base,
                _ => return true,
            }
        }
        !matches!(self.func.values[ptr].def, crate::ir::ValueDef::Global(_))
            && self.storage(ptr) != StorageClass::Function
    }
}
