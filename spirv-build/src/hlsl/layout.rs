//! Where things lie in memory: offsets, strides and sizes of HLSL types.
//!
//! Two sets of rules, both HLSL's own:
//! * [`Rules::Constant`], for constant buffers: rows of 16 bytes. A scalar or vector does not cross a row; arrays,
//!   matrices and structures start a row; array elements (and columns of matrices) start a row each; the end of the last
//!   element is not padded, so that the next member may follow in the same row.
//! * [`Rules::Structured`], for structured and byte address buffers and groupshared memory: every scalar is aligned to its
//!   size, vectors to their component, matrices are dense, a structure to its most aligned member and padded to that.
use super::types::{MatrixOrder, Type, TypeId, Types};

/// Bytes of a row of a constant buffer.
pub const ROW: u64 = 16;
/// The largest size in bytes that any type may have: offsets are kept in 32 bits.
pub const MAX_SIZE: u64 = u32::MAX as u64;

/// Which rules hold.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Rules {
    /// Constant buffers and push constants.
    Constant,
    /// Everything else.
    Structured,
}

/// Size and alignment of a type, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    /// Size without padding at the end (constant rules) or with (structured rules).
    pub size: u64,
    /// Alignment.
    pub align: u64,
}

/// The rules applied to the types of one module.
pub struct Layout<'a> {
    types: &'a Types,
    rules: Rules,
}

fn round_up(value: u64, to: u64) -> u64 {
    value.div_ceil(to.max(1)).saturating_mul(to.max(1))
}

impl<'a> Layout<'a> {
    /// Applies `rules` to `types`.
    pub fn new(types: &'a Types, rules: Rules) -> Self {
        Self { types, rules }
    }

    /// Size and alignment of a type; matrices lie as `order` says. Resources and `void` take nothing. Sizes saturate far
    /// above [`MAX_SIZE`] instead of overflowing.
    pub fn extent(&self, ty: TypeId, order: MatrixOrder) -> Extent {
        match self.types.get(ty) {
            Type::Scalar(s) => self.vector(u64::from(s.bits() / 8), 1),
            Type::Enum(e) => self.vector(u64::from(self.types.enumeration(e).scalar.bits() / 8), 1),
            Type::Vector(s, n) => self.vector(u64::from(s.bits() / 8), u64::from(n)),
            Type::Matrix(s, ..) => {
                let (count, stride, last) = self.matrix_vectors(ty, order);
                let align = match self.rules {
                    Rules::Constant => ROW,
                    Rules::Structured => u64::from(s.bits() / 8),
                };
                Extent { size: (count - 1) * stride + last, align }
            }
            Type::Array(elem, n) => {
                let e = self.extent(elem, order);
                let stride = self.array_stride(elem, order);
                let align = match self.rules {
                    Rules::Constant => ROW,
                    Rules::Structured => e.align,
                };
                Extent { size: (u64::from(n) - 1).saturating_mul(stride).saturating_add(e.size), align }
            }
            Type::Struct(s) => {
                let (_, extent) = self.members(s);
                extent
            }
            Type::Void | Type::Error | Type::Resource(_) | Type::String | Type::UnsizedArray(_) => {
                Extent { size: 0, align: 1 }
            }
        }
    }

    fn vector(&self, component: u64, n: u64) -> Extent {
        Extent { size: component * n, align: component }
    }

    /// Number of vectors a matrix is stored as, bytes from one to the next, bytes of one.
    fn matrix_vectors(&self, ty: TypeId, order: MatrixOrder) -> (u64, u64, u64) {
        let Type::Matrix(s, rows, columns) = self.types.get(ty) else { return (1, 0, 0) };
        let (count, len) = match order {
            MatrixOrder::ColumnMajor => (columns, rows),
            MatrixOrder::RowMajor => (rows, columns),
        };
        let size = u64::from(len) * u64::from(s.bits() / 8);
        let stride = match self.rules {
            Rules::Constant => round_up(size, ROW),
            Rules::Structured => size,
        };
        (u64::from(count), stride, size)
    }

    /// Bytes from one column (or row) of a matrix to the next.
    pub fn matrix_stride(&self, ty: TypeId, order: MatrixOrder) -> u64 {
        self.matrix_vectors(ty, order).1
    }

    /// Bytes from one element of an array (or structured buffer) to the next.
    pub fn array_stride(&self, elem: TypeId, order: MatrixOrder) -> u64 {
        let e = self.extent(elem, order);
        match self.rules {
            Rules::Constant => round_up(e.size, ROW),
            Rules::Structured => round_up(e.size, e.align),
        }
    }

    /// Offset of each field of a structure, and its extent. `packoffset` is obeyed.
    pub fn members(&self, s: super::types::StructId) -> (Vec<u64>, Extent) {
        let mut offsets = Vec::new();
        let mut end = 0u64;
        let mut align = if self.rules == Rules::Constant { ROW } else { 1 };
        for field in &self.types.structure(s).fields {
            let e = self.extent(field.ty, field.order);
            let mut offset = round_up(end, e.align);
            if self.rules == Rules::Constant && offset % ROW + e.size > ROW {
                offset = round_up(offset, ROW);
            }
            if let Some(fixed) = field.packoffset {
                offset = u64::from(fixed);
            }
            offsets.push(offset);
            end = end.max(offset.saturating_add(e.size));
            align = align.max(e.align);
        }
        let size = if self.rules == Rules::Structured { round_up(end, align) } else { end };
        (offsets, Extent { size, align })
    }
}

#[cfg(test)]
mod tests {
    use super::super::types::*;
    use super::*;
    use crate::source::Span;

    fn structure(types: &mut Types, fields: &[TypeId]) -> StructId {
        let id = StructId(types.structs.len() as u32);
        let fields = fields.iter().map(|&ty| Field {
            name: "f".into(),
            ty,
            order: MatrixOrder::ColumnMajor,
            semantic: None,
            packoffset: None,
            span: Span::default(),
        });
        let fields = fields.collect();
        types.structs.push(Struct { name: "S".into(), base: None, fields, span: Span::default() });
        id
    }

    #[test]
    fn constant_rows_are_not_crossed_and_the_last_element_is_not_padded() {
        let mut t = Types::new();
        let f = t.scalar(Scalar::F32);
        let f2 = t.vector(Scalar::F32, 2);
        let f3 = t.vector(Scalar::F32, 3);
        let a = t.intern(Type::Array(f, 2));
        let m = t.intern(Type::Matrix(Scalar::F32, 3, 2));
        let s = structure(&mut t, &[f, f2, f3, a, f, m, f]);
        let (offsets, extent) = Layout::new(&t, Rules::Constant).members(s);
        assert_eq!(offsets, [0, 4, 16, 32, 52, 64, 92]);
        assert_eq!(extent.size, 96);
    }

    #[test]
    fn structured_layout_is_natural() {
        let mut t = Types::new();
        let f = t.scalar(Scalar::F32);
        let d = t.scalar(Scalar::F64);
        let f3 = t.vector(Scalar::F32, 3);
        let m = t.intern(Type::Matrix(Scalar::F32, 3, 3));
        let s = structure(&mut t, &[f, f3, d, m]);
        let (offsets, extent) = Layout::new(&t, Rules::Structured).members(s);
        assert_eq!(offsets, [0, 4, 16, 24]);
        assert_eq!(extent, Extent { size: 64, align: 8 });
    }
}
