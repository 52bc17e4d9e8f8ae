//! Reading and writing places.

use super::function::Body;
use super::place::Place;
use super::types::Form;
use crate::hlsl::hir::Type as Hlsl;
use crate::hlsl::hir::{MatrixOrder, TypeId};
use crate::hlsl::layout::{Layout, Rules};
use crate::ir::{Op, Opcode, Operand, ResourceOp, Value};

impl<'h> Body<'_, 'h> {
    /// The value at a place.
    #[inline(never)]
    pub(super) fn load(&mut self, place: &Place) -> Value {
        match place {
            Place::Pointer { ptr, ty, form } => self.load_pointer(*ptr, *ty, *form),
            Place::Gather { parts, ty } => {
                let scalar = self.l.scalar_of(*ty);
                let form = Form::Memory(MatrixOrder::default(), Rules::Bytes);
                let parts: Vec<Value> = parts.iter().map(|p| self.load_pointer(*p, scalar, form)).collect();
                let ty = self.l.value_type(*ty);
                self.op(Op::CompositeConstruct, ty, &parts)
            }
            Place::Swizzle { base, at, .. } => {
                let all = self.load(base);
                self.shuffle(all, at)
            }
            Place::Component { base, index, ty } => {
                let all = self.load(base);
                let ty = self.l.value_type(*ty);
                self.op(Op::VectorExtractDynamic, ty, &[all, *index])
            }
            Place::Elements { base, at, ty } => {
                let matrix = self.load(base);
                self.matrix_elements(matrix, base.ty(), at, *ty)
            }
            Place::Texel { image, coord, sample, ty } => self.read_texel(*image, *coord, *sample, None, *ty),
            Place::Value { value, .. } => *value,
            Place::Bits { base, range, ty } => {
                let whole = self.load(base);
                self.bit_field(whole, *range, *ty)
            }
            Place::Bytes { buffer, offset, ty, order } => self.load_bytes(*buffer, *offset, *ty, *order),
            Place::Resource { .. } | Place::Resources { .. } => self.as_handle(place),
            Place::Nothing { ty } => self.undef(*ty),
        }
    }

    /// Writes a place.
    #[inline(never)]
    pub(super) fn store(&mut self, place: &Place, value: Value) {
        match place {
            Place::Pointer { ptr, ty, form } => self.store_pointer(*ptr, value, *ty, *form),
            Place::Gather { parts, ty } => {
                let scalar = self.l.scalar_of(*ty);
                let form = Form::Memory(MatrixOrder::default(), Rules::Bytes);
                for (i, p) in parts.iter().enumerate() {
                    let part = self.shuffle(value, &[i as u8]);
                    self.store_pointer(*p, part, scalar, form);
                }
            }
            // Memory is written one component at a time, so that no other is touched.
            Place::Swizzle { base, at, ty } if !matches!(**base, Place::Texel { .. }) => {
                let scalar = self.l.scalar_of(*ty);
                for (i, n) in at.iter().enumerate() {
                    let part = self.shuffle(value, &[i as u8]);
                    let target = self.swizzle((**base).clone(), &[*n], scalar);
                    self.store(&target, part);
                }
            }
            Place::Swizzle { base, at, .. } => {
                let old = self.load(base);
                let new = self.insert_components(old, value, at);
                self.store(base, new);
            }
            Place::Bits { base, range, ty } => {
                let old = self.load(base);
                let new = self.with_bit_field(old, value, *range, *ty);
                self.store(base, new);
            }
            Place::Component { base, index, .. } => {
                let old = self.load(base);
                let ty = self.ty(old);
                let new = self.op(Op::VectorInsertDynamic, ty, &[old, value, *index]);
                self.store(base, new);
            }
            Place::Elements { base, at, ty } => {
                let scalar = self.l.scalar_of(*ty);
                for (i, (r, c)) in at.iter().enumerate() {
                    let part = self.shuffle(value, &[i as u8]);
                    let target = self.matrix_element((**base).clone(), *r, *c, scalar);
                    self.store(&target, part);
                }
            }
            Place::Texel { image, coord, sample, ty } => {
                self.write_texel(*image, (*coord, *sample), value, *ty)
            }
            Place::Bytes { buffer, offset, ty, order } => {
                self.store_bytes(*buffer, *offset, value, *ty, *order);
            }
            Place::Resource { ptr, .. } => {
                // Where it comes back from a parameter, it is to be the one that went in.
                let operands = [Operand::Id(*ptr), Operand::Id(value)];
                self.b().push(Opcode::Resource(ResourceOp::Same), &operands);
            }
            Place::Resources { .. } => {
                let what = "assigning to this variable that holds a resource";
                self.l.unsupported(self.span, what, "assign to a variable that is not bound by the host");
            }
            Place::Value { .. } => {
                self.l.unsupported(
                    self.span,
                    "a second value for a variable that holds a pointer",
                    "declare another",
                );
            }
            Place::Nothing { .. } => {}
        }
    }

    /// The place of one element of a matrix.
    pub(super) fn matrix_element(&mut self, base: Place, r: u8, c: u8, scalar: TypeId) -> Place {
        let span = self.span;
        if let Place::Bytes { buffer, offset, order, ty } = base {
            let Hlsl::Matrix(s, ..) = self.l.hlsl(ty) else { return Place::Nothing { ty: scalar } };
            let hir = self.l.hir;
            let stride = Layout::new(hir.types, Rules::Bytes).matrix_stride(ty, order) as u32;
            let (major, minor) = if order == MatrixOrder::RowMajor { (r, c) } else { (c, r) };
            let by = u32::from(major) * stride + u32::from(minor) * (s.bits() / 8);
            let offset = self.add_bytes(offset, by);
            return Place::Bytes { buffer, offset, ty: scalar, order };
        }
        let index = self.b().i32(i32::from(r));
        let row = self.row(base, index, Some(u32::from(r)), span);
        self.swizzle(row, &[c], scalar)
    }

    /// `old` with components replaced.
    pub(super) fn insert_components(&mut self, old: Value, new: Value, at: &[u8]) -> Value {
        let ty = self.ty(old);
        let len = self.l.out.ctx.types.len_of(ty);
        if len == 1 {
            return new;
        }
        let mut result = old;
        for (i, n) in at.iter().enumerate() {
            let part = self.shuffle(new, &[i as u8]);
            let operands = [Operand::Id(part), Operand::Id(result), Operand::Literal(u32::from(*n))];
            result = self.value(Op::CompositeInsert, ty, &operands);
        }
        result
    }
}
