//! Where things lie in memory: offsets, strides and sizes of HLSL types.
//!
//! Sets of rules. The first two are those of Vulkan, as dxc applies them by default (`std140` and `std430`, vectors
//! relaxed), so that modules are valid on devices without scalar block layout:
//! * [`Rules::Constant`], for constant buffers: arrays, matrices and structures are aligned to 16 bytes and padded to that,
//!   as are elements of arrays and columns of matrices.
//! * [`Rules::Storage`], for structured buffers and push constants: structures are padded to their alignment; elements of
//!   arrays and columns of matrices are as far apart as their alignment demands.
//! * [`Rules::Structured`], HLSL's own, for byte address buffers and `sizeof`: every scalar is aligned to its size, vectors
//!   to their component, matrices are dense, a structure to its most aligned member and padded to that.
//!
//! * [`Rules::Fxc`], Direct3D's for constant buffers: scalars follow each other, but none, and no vector, lies across a row of 16
//!   bytes; arrays, matrices and structures start a row, and what follows them may use the rest of their last one. A matrix
//!   of one row that lies column by column has each element in a row of its own.
//! * [`Rules::Std140`] and [`Rules::Std430`], as the first two without relaxed vectors.
//!
//! By Vulkan's rules vectors of two are aligned to two components, of three and four to four. As a member of a structure, a
//! vector need only be aligned to its component, unless it would then cross a 16-byte boundary; a structure that has such a
//! member is aligned to 16 bytes, so that this holds wherever it lies. A matrix of one row or column is a vector.
use super::types::{MatrixOrder, StructId, Type, TypeId, Types};
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// Name of the buffer of loose uniforms.
pub const GLOBALS_NAME: &str = "$Globals";
/// Bytes of a row of a constant buffer.
pub const ROW: u64 = 16;
/// The largest size in bytes that any type may have: offsets are kept in 32 bits.
pub const MAX_SIZE: u64 = u32::MAX as u64;

/// Which rules hold.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Rules {
    /// Constant buffers.
    Constant,
    /// Structured buffers and push constants.
    Storage,
    /// Structured buffers and push constants with `-fvk-use-dx-layout`, and all with `-fvk-use-scalar-layout`.
    Structured,
    /// Byte address buffers, `sizeof`: the same, but nothing is placed by hand.
    Bytes,
    /// Constant buffers with `-fvk-use-dx-layout`.
    Fxc,
    /// Constant buffers with `-fvk-use-gl-layout`.
    Std140,
    /// Structured buffers and push constants with `-fvk-use-gl-layout`.
    Std430,
}

impl Rules {
    /// Whether arrays, matrices and structures start a 16-byte row, and their elements too.
    fn has_rows(self) -> bool {
        matches!(self, Rules::Constant | Rules::Std140 | Rules::Fxc)
    }

    /// Whether a vector is only aligned to its component.
    fn packs_vectors(self) -> bool {
        matches!(self, Rules::Structured | Rules::Bytes | Rules::Fxc)
    }

    /// Whether structures and constant buffers are padded to their alignment.
    pub fn pads_rows(self) -> bool {
        matches!(self, Rules::Constant | Rules::Std140)
    }
}

/// What a compilation chooses: rules for constant buffers, for structured buffers and for push constants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LayoutRules {
    /// Constant buffers.
    pub constant: Rules,
    /// Structured buffers.
    pub storage: Rules,
    /// Push constants.
    pub push: Rules,
}

impl LayoutRules {
    /// Without a flag: Vulkan's, relaxed.
    pub const VULKAN: Self =
        Self { constant: Rules::Constant, storage: Rules::Storage, push: Rules::Storage };
    /// `-fvk-use-dx-layout`.
    pub const DX: Self = Self { constant: Rules::Fxc, storage: Rules::Structured, push: Rules::Structured };
    /// `-fvk-use-scalar-layout`.
    pub const SCALAR: Self =
        Self { constant: Rules::Structured, storage: Rules::Structured, push: Rules::Structured };
    /// `-fvk-use-gl-layout`.
    pub const GL: Self = Self { constant: Rules::Std140, storage: Rules::Std430, push: Rules::Std430 };
}

impl Default for LayoutRules {
    fn default() -> Self {
        Self::VULKAN
    }
}

/// Size and alignment of a type, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    /// Size, with the padding that belongs to it.
    pub size: u64,
    /// Alignment.
    pub align: u64,
}

/// The rules applied to the types of one module.
pub struct Layout<'a> {
    types: &'a Types,
    rules: Rules,
    /// Structures that have been measured: each may be part of many others.
    known: RefCell<FxHashMap<StructId, Extent>>,
}

fn round_up(value: u64, to: u64) -> u64 {
    value.div_ceil(to.max(1)).saturating_mul(to.max(1))
}

/// Whether a vector that lies here crosses a 16-byte boundary that it need not cross.
fn straddles(offset: u64, size: u64) -> bool {
    if size > ROW { !offset.is_multiple_of(ROW) } else { offset % ROW + size > ROW }
}

impl<'a> Layout<'a> {
    /// Applies `rules` to `types`.
    pub fn new(types: &'a Types, rules: Rules) -> Self {
        Self { types, rules, known: RefCell::default() }
    }

    /// Size and alignment of a type; matrices lie as `order` says. Resources and `void` take nothing. Sizes saturate far
    /// above [`MAX_SIZE`] instead of overflowing.
    pub fn extent(&self, ty: TypeId, order: MatrixOrder) -> Extent {
        match self.types.get(ty) {
            Type::Scalar(s) => self.vector(u64::from(s.bits() / 8), 1),
            Type::Enum(e) => self.vector(u64::from(self.types.enumeration(e).scalar.bits() / 8), 1),
            Type::Vector(s, n) => self.vector(u64::from(s.bits() / 8), u64::from(n)),
            Type::Matrix(s, r, c) if self.is_scattered(r, c, order) => {
                let (n, size) = (u64::from(r.max(c)), u64::from(s.bits() / 8));
                Extent { size: (n - 1) * ROW + size, align: ROW }
            }
            Type::Matrix(s, r, c) if r == 1 || c == 1 => {
                self.vector(u64::from(s.bits() / 8), u64::from(r.max(c)))
            }
            Type::Matrix(s, ..) => {
                let (count, stride, len) = self.matrix_vectors(ty, order);
                let column = self.vector(u64::from(s.bits() / 8), len);
                let align = if self.rules.has_rows() { column.align.max(ROW) } else { column.align };
                let size = if self.rules == Rules::Fxc {
                    (count - 1) * stride + column.size
                } else {
                    count * stride
                };
                Extent { size, align }
            }
            Type::Array(elem, n) => {
                let e = self.extent(elem, order);
                let stride = self.stride(e);
                let align = if self.rules.has_rows() { round_up(e.align, ROW) } else { e.align };
                let size = match self.rules {
                    Rules::Structured | Rules::Bytes | Rules::Fxc => {
                        (u64::from(n) - 1).saturating_mul(stride).saturating_add(e.size)
                    }
                    _ => u64::from(n).saturating_mul(stride),
                };
                Extent { size, align }
            }
            Type::BufferPointer { .. } => self.vector(8, 1),
            Type::Spirv(t) => {
                let (size, align) = self.types.spirv[t.index()].layout.unwrap_or((0, 1));
                Extent { size: u64::from(size), align: u64::from(align.max(1)) }
            }
            Type::Struct(s) => {
                if let Some(known) = self.known.borrow().get(&s) {
                    return *known;
                }
                let (_, extent) = self.members(s);
                self.known.borrow_mut().insert(s, extent);
                extent
            }
            _ => Extent { size: 0, align: 1 },
        }
    }

    /// Whether a matrix of one row or column lies with each element in a 16-byte row of its own.
    pub fn is_scattered(&self, r: u8, c: u8, order: MatrixOrder) -> bool {
        let across = match order {
            MatrixOrder::ColumnMajor => r == 1 && c > 1,
            MatrixOrder::RowMajor => c == 1 && r > 1,
        };
        self.rules == Rules::Fxc && across
    }

    fn vector(&self, component: u64, n: u64) -> Extent {
        let align = if self.rules.packs_vectors() { component } else { component * n.next_power_of_two() };
        Extent { size: component * n, align }
    }

    /// Number of vectors a matrix is stored as, bytes from one to the next, components of one.
    fn matrix_vectors(&self, ty: TypeId, order: MatrixOrder) -> (u64, u64, u64) {
        let Type::Matrix(s, rows, columns) = self.types.get(ty) else { return (1, 0, 0) };
        let (count, len) = match order {
            MatrixOrder::ColumnMajor => (columns, rows),
            MatrixOrder::RowMajor => (rows, columns),
        };
        let e = self.vector(u64::from(s.bits() / 8), u64::from(len));
        let stride = round_up(e.size, if self.rules.has_rows() { e.align.max(ROW) } else { e.align });
        (u64::from(count), stride, u64::from(len))
    }

    /// Bytes from one column (or row) of a matrix to the next.
    pub fn matrix_stride(&self, ty: TypeId, order: MatrixOrder) -> u64 {
        self.matrix_vectors(ty, order).1
    }

    /// Bytes from one element of an array (or structured buffer) to the next.
    pub fn array_stride(&self, elem: TypeId, order: MatrixOrder) -> u64 {
        self.stride(self.extent(elem, order))
    }

    fn stride(&self, e: Extent) -> u64 {
        round_up(e.size, if self.rules.has_rows() { e.align.max(ROW) } else { e.align })
    }

    /// Whether a member of this type is a vector that may be aligned to its component only.
    pub(crate) fn component_of_vector(&self, ty: TypeId, order: MatrixOrder) -> Option<u64> {
        if !matches!(self.rules, Rules::Constant | Rules::Storage | Rules::Fxc) {
            return None;
        }
        match self.types.get(ty) {
            Type::Vector(s, _) => Some(u64::from(s.bits() / 8)),
            Type::Matrix(_, r, c) if self.is_scattered(r, c, order) => None,
            Type::Matrix(s, r, c) if (r == 1) != (c == 1) => Some(u64::from(s.bits() / 8)),
            _ => None,
        }
    }

    /// Where the loose uniforms end that have a register: those without one follow. 0 in other structures.
    fn end_of_registers(&self, s: StructId) -> u64 {
        let s = self.types.structure(s);
        let fixed =
            s.fields.iter().filter(|_| s.name == GLOBALS_NAME).filter_map(|f| Some((f, f.packoffset?)));
        fixed.map(|(f, at)| u64::from(at).saturating_add(self.extent(f.ty, f.order).size)).max().unwrap_or(0)
    }

    /// Offset of each field of a structure, and its extent. `packoffset` and `vk::offset` are obeyed.
    pub fn members(&self, s: StructId) -> (Vec<u64>, Extent) {
        let mut offsets = Vec::new();
        let mut end = self.end_of_registers(s);
        let mut align = if self.rules.has_rows() { ROW } else { 1 };
        let structure = self.types.structure(s);
        let (loose, mut last) = (structure.name == GLOBALS_NAME, 0u64);
        for field in &structure.fields {
            let e = self.extent(field.ty, field.order);
            let mut offset = round_up(end, e.align);
            // Vectors of 64-bit numbers keep the alignment of a vector, as in dxc.
            let relaxed = |component: &u64| *component <= 4 || self.rules == Rules::Fxc;
            if let Some(component) = self.component_of_vector(field.ty, field.order).filter(relaxed) {
                let relaxed = round_up(end, component);
                if self.rules == Rules::Fxc {
                    let next = round_up(end, ROW);
                    offset = if straddles(relaxed, e.size) { next } else { relaxed };
                } else if !straddles(relaxed, e.size) {
                    // Elsewhere than here it might straddle after all.
                    align = if relaxed < offset { align.max(ROW) } else { align };
                    offset = relaxed;
                }
            }
            let by_hand = field.vk_offset.filter(|_| self.rules != Rules::Bytes);
            if let Some(fixed) = by_hand.or(field.packoffset) {
                offset = u64::from(fixed);
            }
            offsets.push(offset);
            let behind = offset.saturating_add(e.size);
            last = last.max(behind);
            // What is not placed lies behind the member before it; loose uniforms behind all that are placed.
            if !loose || field.packoffset.is_none() {
                end = behind;
            }
            align = align.max(e.align);
        }
        let end = last;
        // What follows a structure in a constant buffer of Direct3D may lie in its last row.
        let size = if self.rules == Rules::Fxc { end } else { round_up(end, align) };
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
        let fields = fields.iter().map(|&ty| Field::new("f", ty, Span::default()));
        let fields = fields.collect();
        types.structs.push(Struct {
            name: "S".into(),
            base: None,
            fields,
            holds: Default::default(),
            span: Span::default(),
        });
        id
    }

    /// Members: float; { float, float2 }; float; { float3 }; float; float3[2]; float; float2x3; float; row_major
    /// float3x2; float; float2; float3; float; { double, float }; float; float1x3; float3x1; row_major int2x3; float;
    /// bool[2]; float.
    fn many(t: &mut Types) -> StructId {
        use Scalar::*;
        let f = t.scalar(F32);
        let d = t.scalar(F64);
        let (f2, f3) = (t.vector(F32, 2), t.vector(F32, 3));
        let (i1, i2, i3) = (structure(t, &[f, f2]), structure(t, &[f3]), structure(t, &[d, f]));
        let [i1, i2, i3] = [i1, i2, i3].map(|s| t.intern(Type::Struct(s)));
        let arr = t.intern(Type::Array(f3, 2));
        let b = t.scalar(Bool);
        let b2 = t.intern(Type::Array(b, 2));
        let mut m = |s, r, c| t.intern(Type::Matrix(s, r, c));
        let list = [
            f,
            i1,
            f,
            i2,
            f,
            arr,
            f,
            m(F32, 2, 3),
            f,
            m(F32, 3, 2),
            f,
            f2,
            f3,
            f,
            i3,
            f,
            m(F32, 1, 3),
            m(F32, 3, 1),
            m(I32, 2, 3),
            f,
            b2,
            f,
        ];
        let s = structure(t, &list);
        for i in [9, 18] {
            t.structs[s.index()].fields[i].order = MatrixOrder::RowMajor;
        }
        s
    }

    #[test]
    fn constant_buffers_lie_as_dxc_lays_them_out() {
        let mut t = Types::new();
        let s = many(&mut t);
        let (offsets, extent) = Layout::new(&t, Rules::Constant).members(s);
        let wanted = [
            0, 16, 32, 48, 64, 80, 112, 128, 176, 192, 240, 244, 256, 268, 272, 288, 292, 304, 320, 352, 368,
            400,
        ];
        assert_eq!(offsets, wanted);
        assert_eq!(extent, Extent { size: 416, align: 16 });
    }

    #[test]
    fn structured_buffers_lie_as_dxc_lays_them_out() {
        let mut t = Types::new();
        let s = many(&mut t);
        // dxc puts the second member at 8, where its float2 straddles: it must not.
        t.structs[s.index()].fields.remove(1);
        let (offsets, extent) = Layout::new(&t, Rules::Storage).members(s);
        let wanted =
            [0, 4, 16, 32, 48, 80, 88, 112, 120, 144, 148, 160, 172, 176, 192, 196, 208, 224, 256, 260, 268];
        assert_eq!(offsets, wanted);
        assert_eq!(extent, Extent { size: 272, align: 16 });
        let f3 = t.vector(Scalar::F32, 3);
        assert_eq!(Layout::new(&t, Rules::Storage).array_stride(f3, MatrixOrder::ColumnMajor), 16);
    }

    #[test]
    fn long_vectors_of_wide_numbers_are_aligned_to_their_size() {
        let mut t = Types::new();
        let (f4, f, wide) = (t.vector(Scalar::F32, 4), t.scalar(Scalar::F32), t.vector(Scalar::U64, 3));
        let s = structure(&mut t, &[f4, f, wide, f]);
        for rules in [Rules::Storage, Rules::Constant] {
            assert_eq!(Layout::new(&t, rules).members(s).0, [0, 16, 32, 56]);
        }
        let s = structure(&mut t, &[f4, wide]);
        assert_eq!(Layout::new(&t, Rules::Storage).members(s).0, [0, 32]);
        assert_eq!(Layout::new(&t, Rules::Fxc).members(s).0, [0, 16]);
    }

    #[test]
    fn a_vector_straddles_in_no_place_of_its_structure() {
        let mut t = Types::new();
        let (f, f2) = (t.scalar(Scalar::F32), t.vector(Scalar::F32, 2));
        let inner = structure(&mut t, &[f, f2]);
        let (offsets, extent) = Layout::new(&t, Rules::Storage).members(inner);
        assert_eq!((offsets, extent), (vec![0, 4], Extent { size: 16, align: 16 }));
        let inner = t.intern(Type::Struct(inner));
        let outer = structure(&mut t, &[f2, inner]);
        assert_eq!(Layout::new(&t, Rules::Storage).members(outer).0, [0, 16]);
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
