//! Types: the form of values and the form in memory.

use super::Lower;
use crate::hlsl::hir::{MatrixOrder, Scalar, StructId, TypeId};
use crate::hlsl::hir::{Type as Hlsl, Types};
use crate::hlsl::layout::{Layout, ROW, Rules};
use crate::ir::{
    self, Declared, Extent, MatrixLayout, Member, Op, OpaqueType, ScalarKind, StructType, Type, TypeKind,
};
use crate::source::Span;
use std::sync::Arc;

/// Key of a type's form in memory.
pub(super) type MemoryKey = (TypeId, MatrixOrder, Rules);

/// Rules by which something lies in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// As values: no layout.
    Value,
    /// As in buffers.
    Memory(MatrixOrder, Rules),
}

/// How a matrix is kept as a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum MatrixForm {
    /// 1x1.
    Scalar,
    /// One row or one column.
    Vector,
    /// `OpTypeMatrix` of rows.
    Native,
    /// Array of rows.
    Rows,
}

/// How a matrix of this component type and shape is kept.
pub(super) fn matrix_form(s: Scalar, rows: u8, columns: u8) -> MatrixForm {
    match (rows, columns) {
        (1, 1) => MatrixForm::Scalar,
        (1, _) | (_, 1) => MatrixForm::Vector,
        _ if s.is_float() => MatrixForm::Native,
        _ => MatrixForm::Rows,
    }
}

impl Lower<'_> {
    pub(super) fn types(&self) -> &Types {
        self.hir.types
    }

    /// A type as it is computed with: scalars have lost their names.
    pub(super) fn hlsl(&self, ty: TypeId) -> Hlsl {
        match self.hir.types.get(ty) {
            Hlsl::Scalar(s) => Hlsl::Scalar(s.erased()),
            Hlsl::Vector(s, n) => Hlsl::Vector(s.erased(), n),
            Hlsl::Matrix(s, r, c) => Hlsl::Matrix(s.erased(), r, c),
            other => other,
        }
    }

    /// What components are computed as.
    pub(super) fn component(&self, ty: TypeId) -> Option<Scalar> {
        self.hir.types.component(ty).map(Scalar::erased)
    }

    /// Bits in SPIR-V of a component.
    pub(super) fn scalar_type(&mut self, s: Scalar) -> Type {
        let types = &mut self.out.ctx.types;
        match s {
            Scalar::Bool => types.bool(),
            s if s.is_float() => types.float(s.bits() as u8),
            _ => types.int(s.bits() as u8, s.is_signed_int()),
        }
    }

    pub(super) fn vector_type(&mut self, s: Scalar, n: u8) -> Type {
        let scalar = self.scalar_type(s);
        self.out.ctx.types.vector(scalar, n)
    }

    /// The form of values.
    pub(super) fn value_type(&mut self, ty: TypeId) -> Type {
        if let Some(t) = self.value_types.get(&ty) {
            return *t;
        }
        let t = if self.enter(Span::default()) { self.make_value_type(ty) } else { self.out.ctx.types.u32() };
        self.leave();
        self.value_types.insert(ty, t);
        t
    }

    fn make_value_type(&mut self, ty: TypeId) -> Type {
        match self.hlsl(ty) {
            Hlsl::Void => self.out.ctx.types.void(),
            Hlsl::Scalar(s) => self.scalar_type(s),
            Hlsl::Enum(e) => self.scalar_type(self.hir.types.enumeration(e).scalar),
            Hlsl::Vector(s, n) => self.vector_type(s, n),
            Hlsl::Matrix(s, r, c) => match matrix_form(s, r, c) {
                MatrixForm::Scalar => self.scalar_type(s),
                MatrixForm::Vector => self.vector_type(s, r.max(c)),
                MatrixForm::Native => {
                    let column = self.vector_type(s, c);
                    self.out.ctx.types.intern(TypeKind::Matrix { column, columns: r })
                }
                MatrixForm::Rows => {
                    let elem = self.vector_type(s, c);
                    self.out.ctx.types.intern(TypeKind::Array { elem, len: u32::from(r), stride: None })
                }
            },
            Hlsl::BufferPointer { .. } => self.out.ctx.types.int(64, false),
            Hlsl::Spirv(id) => self.spirv_type(id),
            Hlsl::RayQuery(_) => {
                let ty = OpaqueType { op: Op::TypeRayQueryKHR, types: Vec::new(), words: Vec::new() };
                self.out.ctx.types.intern(TypeKind::Opaque(ty))
            }
            _ if self.is_handle(ty) => self.handle_type(ty).0,
            Hlsl::Array(elem, len) => {
                let elem = self.value_type(elem);
                self.out.ctx.types.intern(TypeKind::Array { elem, len, stride: None })
            }
            Hlsl::Struct(s) => {
                let hir = self.hir;
                let s = hir.types.structure(s);
                let mut members = Vec::with_capacity(s.fields.len());
                for f in &s.fields {
                    members.push(Member::new(&f.name, self.value_type(f.ty)));
                }
                self.out.ctx.types.intern(TypeKind::Struct(StructType::new(&s.name, members)))
            }
            // Types that stand for resources, as arguments of templates.
            _ => self.no_value_type(ty),
        }
    }

    fn no_value_type(&mut self, ty: TypeId) -> Type {
        let what = format!("`{}` as the type of a value", self.types().name(ty));
        let help = "name resources where they are declared, and index descriptor heaps";
        self.unsupported(self.place, what, help);
        self.out.ctx.types.u32()
    }

    /// A type that inline SPIR-V names: what a handle is, is nothing that the source could know.
    pub(super) fn operand_type(&mut self, ty: TypeId) -> Type {
        match self.types().contains_resource(ty) {
            true => self.no_value_type(ty),
            false => self.value_type(ty),
        }
    }

    /// The type that lies at a place of this form.
    pub(super) fn type_in(&mut self, ty: TypeId, form: Form) -> Type {
        match form {
            Form::Value => self.value_type(ty),
            Form::Memory(order, rules) => self.memory_type(ty, order, rules),
        }
    }

    /// The form in buffers.
    pub(super) fn memory_type(&mut self, ty: TypeId, order: MatrixOrder, rules: Rules) -> Type {
        if let Some(t) = self.memory_types.get(&(ty, order, rules)) {
            return *t;
        }
        let t = if self.enter(Span::default()) {
            self.make_memory_type(ty, order, rules)
        } else {
            self.out.ctx.types.u32()
        };
        self.leave();
        self.memory_types.insert((ty, order, rules), t);
        t
    }

    fn make_memory_type(&mut self, ty: TypeId, order: MatrixOrder, rules: Rules) -> Type {
        let hir = self.hir;
        let layout = Layout::new(hir.types, rules);
        match self.hlsl(ty) {
            Hlsl::Scalar(Scalar::Bool) => self.scalar_type(Scalar::U32),
            Hlsl::Vector(Scalar::Bool, n) => self.vector_type(Scalar::U32, n),
            Hlsl::Matrix(s, r, c) if layout.is_scattered(r, c, order) => {
                let elem = self.scalar_type(if s == Scalar::Bool { Scalar::U32 } else { s });
                let stride = Some(ROW as u32);
                self.out.ctx.types.intern(TypeKind::Array { elem, len: u32::from(r.max(c)), stride })
            }
            Hlsl::Matrix(s, r, c) if matrix_form(s, r, c) != MatrixForm::Native => {
                let s = if s == Scalar::Bool { Scalar::U32 } else { s };
                if matrix_form(s, r, c) != MatrixForm::Rows {
                    return self.vector_type(s, r.max(c));
                }
                let (vectors, len) = stored(r, c, order);
                let elem = self.vector_type(s, len);
                let stride = Some(layout.matrix_stride(ty, order) as u32);
                self.out.ctx.types.intern(TypeKind::Array { elem, len: u32::from(vectors), stride })
            }
            Hlsl::Array(elem, len) => {
                let stride = Some(layout.array_stride(elem, order) as u32);
                let elem = self.memory_type(elem, order, rules);
                self.out.ctx.types.intern(TypeKind::Array { elem, len, stride })
            }
            Hlsl::Struct(s) => {
                let offsets: Vec<u32> = layout.members(s).0.iter().map(|o| *o as u32).collect();
                self.layout_struct(s, &offsets, rules, false)
            }
            _ => self.value_type(ty),
        }
    }

    /// A struct with these offsets.
    pub(super) fn layout_struct(&mut self, s: StructId, offsets: &[u32], rules: Rules, block: bool) -> Type {
        let hir = self.hir;
        let mut members = Vec::new();
        let def = hir.types.structure(s);
        for (i, f) in def.fields.iter().enumerate() {
            members.push(Member {
                name: f.name.clone(),
                ty: self.memory_type(f.ty, f.order, rules),
                offset: Some(offsets.get(i).copied().unwrap_or(0)),
                matrix: self.matrix_layout(f.ty, f.order, rules),
                decorations: f
                    .decorations
                    .iter()
                    .map(|d| super::globals::decoration(&mut self.out.ctx, d))
                    .collect(),
                declared: Some(Arc::new(self.declared(f.ty, f.order, Some(rules), f.span))),
            });
        }
        let name = &def.name;
        let s = if block { StructType::block(name, members) } else { StructType::new(name, members) };
        self.out.ctx.types.intern(TypeKind::Struct(s))
    }

    /// How something of a type is declared; `rules` if it lies in memory.
    pub(super) fn declared(
        &self,
        ty: TypeId,
        order: MatrixOrder,
        rules: Option<Rules>,
        span: Span,
    ) -> Declared {
        let types = self.hir.types;
        let mut inner = ty;
        while let Hlsl::Array(elem, _) | Hlsl::UnsizedArray(elem) = types.get(inner) {
            inner = elem;
        }
        let scalar = match types.get(inner) {
            Hlsl::BufferPointer { .. } => Some(ScalarKind::Address),
            _ => types.component(inner).filter(|s| *s == Scalar::Bool).map(scalar_kind),
        };
        let matrix = match types.get(inner) {
            Hlsl::Matrix(_, r, c) if r > 1 && c > 1 => Some(match order {
                MatrixOrder::RowMajor => ir::MatrixOrder::RowMajor,
                MatrixOrder::ColumnMajor => ir::MatrixOrder::ColumnMajor,
            }),
            _ => None,
        };
        let extent = rules.filter(|_| matches!(types.get(inner), Hlsl::Struct(_))).and_then(|rules| {
            let extent = Layout::new(types, rules).extent(inner, order);
            let size = if rules.pads_rows() { extent.size.next_multiple_of(ROW) } else { extent.size };
            let (size, align) = u32::try_from(size).ok().zip(u32::try_from(extent.align).ok())?;
            Some(Extent { size, align })
        });
        Declared { spelling: types.name(ty), scalar, matrix, extent, span }
    }

    /// The layout of a member that is a matrix or an array of them.
    pub(super) fn matrix_layout(&self, ty: TypeId, order: MatrixOrder, rules: Rules) -> Option<MatrixLayout> {
        let mut ty = ty;
        while let Hlsl::Array(elem, _) = self.hlsl(ty) {
            ty = elem;
        }
        let Hlsl::Matrix(s, r, c) = self.hlsl(ty) else { return None };
        (matrix_form(s, r, c) == MatrixForm::Native).then(|| MatrixLayout {
            stride: Layout::new(self.hir.types, rules).matrix_stride(ty, order) as u32,
            // SPIR-V's columns are HLSL's rows.
            row_major: order == MatrixOrder::ColumnMajor,
        })
    }
}

/// A scalar as attributes name it.
pub(super) fn scalar_kind(s: Scalar) -> ScalarKind {
    let width = s.bits() as u8;
    match s {
        Scalar::Bool => ScalarKind::Bool,
        s if s.is_float() => ScalarKind::Float(width),
        s if s.is_signed_int() => ScalarKind::Signed(width),
        _ => ScalarKind::Unsigned(width),
    }
}

/// Number and length of the vectors that a matrix is stored as.
pub(super) fn stored(rows: u8, columns: u8, order: MatrixOrder) -> (u8, u8) {
    match order {
        MatrixOrder::ColumnMajor => (columns, rows),
        MatrixOrder::RowMajor => (rows, columns),
    }
}
