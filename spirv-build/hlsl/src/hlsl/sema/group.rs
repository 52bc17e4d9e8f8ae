//! Global structures, and arrays of them, that hold resources: each resource is a global of its own, and each other member a loose
//! uniform.
use super::attrs::Bound;
use super::scope::Entity;
use super::vk_places::At;
use super::{Sema, Val};
use crate::diag::Code;
use crate::hlsl::ast;
use crate::hlsl::hir::{
    Binding, ExprId, ExprKind, Global, GlobalId, GlobalKind, MatrixOrder, Place, PlaceId, PlaceKind,
    Register, Resource, Type, TypeId, Types,
};
use crate::source::Span;

/// Most globals that one declaration may become.
const MAX_PARTS: usize = 4096;

/// A field or element of a group.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part {
    /// A resource, or another group.
    Global(GlobalId),
    /// A loose uniform.
    Uniform(GlobalId, u32),
}

/// What the parts of a group are given in turn.
struct Numbers {
    /// The next register of each class that the declaration names.
    registers: Vec<Register>,
    /// The space of what has none of those.
    space: Option<u32>,
    /// The next `[[vk::binding]]`.
    vk: Option<(u32, u32)>,
    order: MatrixOrder,
    span: Span,
    parts: usize,
    /// Number of the variable among all globals.
    whole: u32,
}

impl<'a> Sema<'a> {
    /// Declares a variable of a type that holds resources.
    pub(super) fn resource_group(
        &mut self,
        decl: &'a ast::VarDecl,
        d: &'a ast::Declarator,
        ty: TypeId,
        attrs: &'a [ast::Attribute],
    ) {
        let (mut registers, mut space) = (Vec::new(), None);
        for r in self.registers(&d.annotations) {
            match r.bound {
                Bound::To(register) => registers.push(register),
                Bound::In(n) => space = Some(n),
            }
        }
        let vk = self.binding(&[], &[], attrs).vk;
        let order = self.matrix_order(decl);
        let whole = self.globals.len() as u32;
        let mut numbers = Numbers { registers, space, vk, order, span: d.name.span, parts: 0, whole };
        let name = self.qualified(d.name.text);
        if let Some(Part::Global(g)) = self.make_part(name, ty, &mut numbers, attrs) {
            self.declare(d.name, Entity::Global(g));
        }
    }

    /// Resources among the members of a buffer are variables of their own: no buffer can hold them.
    pub(super) fn resources_of_block(
        &mut self,
        decl: &'a ast::VarDecl,
        base: TypeId,
        attrs: &'a [ast::Attribute],
    ) {
        self.check_vk_places(attrs, At::Nothing);
        for d in &decl.declarators {
            let (first, loose) = (self.globals.len(), self.loose());
            let ty = self.array_of(base, &d.dims);
            if self.types.resource(ty).is_some() {
                self.resource_var(decl, d, ty, attrs);
            } else {
                self.resource_group(decl, d, ty, attrs);
            }
            self.decorate_globals(first, loose, attrs);
        }
    }

    fn make_part(
        &mut self,
        name: String,
        ty: TypeId,
        numbers: &mut Numbers,
        attrs: &'a [ast::Attribute],
    ) -> Option<Part> {
        numbers.parts += 1;
        if numbers.parts > MAX_PARTS {
            self.report(Code::TooMany, numbers.span, "the variable holds too many resources");
            return None;
        }
        if !self.types.contains_resource(ty) {
            let (block, field) = self.add_uniform(name, ty, numbers.order, None, numbers.span, attrs);
            return Some(Part::Uniform(block, field));
        }
        let fields: Vec<(String, TypeId)> = match self.types.get(ty) {
            Type::Struct(s) => {
                let fields = self.types.structure(s).fields.iter();
                fields.map(|f| (format!("{name}.{}", f.name.trim_start_matches('$')), f.ty)).collect()
            }
            Type::Array(elem, n) if self.types.resource(elem).is_none() => {
                (0..n).map(|i| (format!("{name}.{i}"), elem)).collect()
            }
            _ => return Some(Part::Global(self.resource_part(name, ty, numbers))),
        };
        let mut parts = Vec::new();
        for (name, ty) in fields {
            parts.push(self.make_part(name, ty, numbers, attrs)?);
        }
        let g = self.group_global(name, GlobalKind::Group, ty, numbers);
        self.groups.insert(g, parts);
        Some(Part::Global(g))
    }

    fn group_global(&mut self, name: String, kind: GlobalKind, ty: TypeId, numbers: &Numbers) -> GlobalId {
        self.globals.push(Global { order: numbers.order, ..Global::new(name, kind, ty, numbers.span) });
        GlobalId(self.globals.len() as u32 - 1)
    }

    fn resource_part(&mut self, name: String, ty: TypeId, numbers: &mut Numbers) -> GlobalId {
        let mut binding = Binding { part_of: Some(numbers.whole), ..Binding::default() };
        let mut count = 1;
        let mut elem = ty;
        while let Type::Array(e, n) = self.types.get(elem) {
            (elem, count) = (e, n.saturating_mul(count));
        }
        let class = match self.types.get(elem) {
            Type::Resource(Resource::Constant { elem }) => {
                if let Type::Struct(s) = self.types.get(elem) {
                    binding.block = self.block_layout(s, numbers.span);
                }
                'b'
            }
            Type::Resource(Resource::Sampler { .. }) => 's',
            Type::Resource(r) if r.is_writable() => 'u',
            _ => 't',
        };
        if let Some(r) = numbers.registers.iter_mut().find(|r| r.class == class) {
            binding.register = Some(*r);
            r.number = r.number.saturating_add(count);
        }
        binding.vk = numbers.vk;
        binding.space = numbers.space.filter(|_| binding.register.is_none());
        numbers.vk = numbers.vk.map(|(n, set)| (n.saturating_add(1), set));
        self.group_global(name, GlobalKind::Resource(Box::new(binding)), ty, numbers)
    }

    /// Whether a place is such a variable or a part of one that is itself in parts.
    pub(super) fn is_group(&self, p: PlaceId) -> bool {
        matches!(self.f.places[p.index()].kind, PlaceKind::Global(g) if self.groups.contains_key(&g))
    }

    /// A field or element of a group.
    pub(super) fn group_part(&mut self, p: PlaceId, i: u32, span: Span) -> Option<PlaceId> {
        let PlaceKind::Global(g) = self.f.places[p.index()].kind else { return None };
        let part = *self.groups.get(&g)?.get(i as usize)?;
        Some(match part {
            Part::Global(g) => self.global_place(g, span),
            Part::Uniform(block, field) => {
                let handle = self.global_place(block, span);
                let elem = match self.types.get(self.place_ty(handle)) {
                    Type::Resource(Resource::Constant { elem }) => elem,
                    _ => Types::ERROR,
                };
                let block = self.place(PlaceKind::Block(handle), elem, span);
                self.field_place(block, field, span)
            }
        })
    }

    /// The value of a group: its parts put together.
    pub(super) fn load_group(&mut self, p: PlaceId) -> ExprId {
        let Place { kind, ty, span } = self.f.places[p.index()].clone();
        let n = match kind {
            PlaceKind::Global(g) => self.groups.get(&g).map_or(0, Vec::len),
            _ => 0,
        };
        let mut parts = Vec::new();
        for i in 0..n as u32 {
            if let Some(part) = self.group_part(p, i, span) {
                parts.push(self.load(Val::Place(part)));
            }
        }
        self.node(ExprKind::Construct(parts), ty, span)
    }
}
