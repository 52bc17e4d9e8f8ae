//! Byte address buffers: words at byte offsets.
//!
//! The buffer is an array of `uint`. An object is taken apart into scalars, each of which is one word, two (64 bits), or half
//! of one (16 bits). Offsets are multiples of four, or of the size of a scalar that is smaller; lower bits of the offset
//! of a word are ignored.

use super::function::Body;
use super::memory::MAX_COPIED_ELEMENTS;
use crate::diag::Code;
use crate::hlsl::hir::Type as Hlsl;
use crate::hlsl::hir::{MatrixOrder, Scalar, TypeId};
use crate::hlsl::layout::{Layout, Rules};
use crate::ir::fold::{Arg, fold};
use crate::ir::{Op, Value};

/// A byte offset: that of an object, and how far behind it. The two are added as words, which cannot wrap around: what lies
/// beyond 2^32 bytes is beyond every buffer, not at its start.
#[derive(Clone, Copy)]
struct At {
    /// Offset of the object.
    object: Value,
    /// The number of the word there.
    word: Value,
    /// Bytes behind it.
    plus: u32,
}

impl At {
    fn plus(self, bytes: u32) -> At {
        At { plus: self.plus.wrapping_add(bytes), ..self }
    }
}

impl Body<'_, '_> {
    /// A byte offset plus a number of bytes.
    pub(super) fn add_bytes(&mut self, offset: Value, by: u32) -> Value {
        if by == 0 {
            return offset;
        }
        self.word_op(Op::IAdd, offset, by)
    }

    /// An operation on a word and a number. Constants are folded, so that offsets and indices that are known stay so without passes.
    pub(super) fn word_op(&mut self, op: Op, a: Value, b: u32) -> Value {
        let uint = self.l.scalar_type(Scalar::U32);
        let (known, b) = (self.func.as_const(a), self.l.out.ctx.u32(b));
        let args = known.map(|a| [Arg::Const(a), Arg::Const(b)]);
        if let Some(c) = args.and_then(|args| fold(&mut self.l.out.ctx, op, uint, &args)) {
            return self.b().constant(c);
        }
        let b = self.b().constant(b);
        self.op(op, uint, &[a, b])
    }

    /// A byte offset plus an index times a size.
    pub(super) fn add_scaled(&mut self, offset: Value, index: Value, size: u32) -> Value {
        if let Some(n) = self.known(index) {
            return self.add_bytes(offset, n.wrapping_mul(size));
        }
        let uint = self.l.scalar_type(Scalar::U32);
        let index = self.as_uint(index);
        let by = self.word_op(Op::IMul, index, size);
        self.op(Op::IAdd, uint, &[offset, by])
    }

    pub(super) fn known(&self, v: Value) -> Option<u32> {
        let c = self.func.as_const(v)?;
        self.l.out.ctx.consts.bits(c).map(|b| b as u32)
    }

    /// Pointer to the word at a byte offset.
    pub(super) fn word(&mut self, buffer: Value, offset: Value) -> Value {
        let uint = self.l.scalar_type(Scalar::U32);
        let index = self.word_index(offset, 2);
        let zero = self.b().u32(0);
        self.b().access_chain(buffer, uint, &[zero, index])
    }

    /// The index of the word at a byte offset, in words of two to this power bytes.
    pub(super) fn word_index(&mut self, offset: Value, by: u32) -> Value {
        self.word_op(Op::ShiftRightLogical, offset, by)
    }

    fn at(&mut self, object: Value) -> At {
        At { object, word: self.word_index(object, 2), plus: 0 }
    }

    /// Pointer to the word at a place, or to the word that it is in.
    fn word_at(&mut self, buffer: Value, at: At) -> Value {
        // Halves need not begin where words do.
        if !at.plus.is_multiple_of(4) {
            let offset = self.add_bytes(at.object, at.plus);
            return self.word(buffer, offset);
        }
        let uint = self.l.scalar_type(Scalar::U32);
        let (zero, index) = (self.b().u32(0), self.add_bytes(at.word, at.plus / 4));
        self.b().access_chain(buffer, uint, &[zero, index])
    }

    /// Loads an object.
    pub(super) fn load_bytes(
        &mut self,
        buffer: Value,
        offset: Value,
        ty: TypeId,
        order: MatrixOrder,
    ) -> Value {
        let at = self.at(offset);
        self.load_at(buffer, at, ty, order)
    }

    #[inline(never)]
    fn load_at(&mut self, buffer: Value, at: At, ty: TypeId, order: MatrixOrder) -> Value {
        if !self.l.enter(self.span) {
            self.l.leave();
            return self.undef(ty);
        }
        let value = self.l.value_type(ty);
        let v = match self.l.hlsl(ty) {
            Hlsl::Matrix(s, r, c) => {
                let mut rows = Vec::new();
                for i in 0..r {
                    let row: Vec<Value> = (0..c)
                        .map(|j| {
                            let by = self.element_offset(ty, order, i, j);
                            self.load_scalar(buffer, at.plus(by), s)
                        })
                        .collect();
                    rows.push(self.vector(s, &row));
                }
                self.matrix_from_rows(s, r, c, &rows)
            }
            Hlsl::Array(..) | Hlsl::Struct(_) => {
                let parts = self.byte_parts(ty, order);
                let mut values = Vec::new();
                for (by, t, order) in parts {
                    values.push(self.load_at(buffer, at.plus(by), t, order));
                }
                self.op(Op::CompositeConstruct, value, &values)
            }
            _ => {
                let s = self.component(ty, self.span);
                let n = self.l.types().component_count(ty).unwrap_or(1);
                let parts: Vec<Value> =
                    (0..n).map(|i| self.load_scalar(buffer, at.plus(i * (s.bits() / 8)), s)).collect();
                self.vector(s, &parts)
            }
        };
        self.l.leave();
        v
    }

    /// Stores an object.
    pub(super) fn store_bytes(
        &mut self,
        buffer: Value,
        offset: Value,
        value: Value,
        ty: TypeId,
        order: MatrixOrder,
    ) {
        let at = self.at(offset);
        self.store_at(buffer, at, value, ty, order);
    }

    #[inline(never)]
    fn store_at(&mut self, buffer: Value, at: At, value: Value, ty: TypeId, order: MatrixOrder) {
        if !self.l.enter(self.span) {
            self.l.leave();
            return;
        }
        match self.l.hlsl(ty) {
            Hlsl::Matrix(s, r, c) => {
                for (i, j) in (0..r).flat_map(|i| (0..c).map(move |j| (i, j))) {
                    let part = self.matrix_part(value, (s, r, c), i, j);
                    let by = self.element_offset(ty, order, i, j);
                    self.store_scalar(buffer, at.plus(by), part, s);
                }
            }
            Hlsl::Array(..) | Hlsl::Struct(_) => {
                for (i, (by, t, order)) in self.byte_parts(ty, order).into_iter().enumerate() {
                    let part = self.l.value_type(t);
                    let part = self.b().extract(value, part, &[i as u32]);
                    self.store_at(buffer, at.plus(by), part, t, order);
                }
            }
            _ => {
                let s = self.component(ty, self.span);
                for (i, part) in (0..).zip(self.components(value, ty)) {
                    self.store_scalar(buffer, at.plus(i * (s.bits() / 8)), part, s);
                }
            }
        }
        self.l.leave();
    }

    /// Bytes before an element of a matrix.
    fn element_offset(&mut self, ty: TypeId, order: MatrixOrder, i: u8, j: u8) -> u32 {
        let s = self.component(ty, self.span);
        let stride = Layout::new(self.l.hir.types, Rules::Bytes).matrix_stride(ty, order) as u32;
        let (major, minor) = if order == MatrixOrder::RowMajor { (i, j) } else { (j, i) };
        u32::from(major) * stride + u32::from(minor) * (s.bits() / 8)
    }

    /// Offset, type and matrix order of the parts of a structure or array.
    fn byte_parts(&mut self, ty: TypeId, order: MatrixOrder) -> Vec<(u32, TypeId, MatrixOrder)> {
        let layout = Layout::new(self.l.hir.types, Rules::Bytes);
        let parts = match self.l.hlsl(ty) {
            Hlsl::Array(elem, n) if n <= MAX_COPIED_ELEMENTS => {
                let stride = layout.array_stride(elem, order) as u32;
                (0..n).map(|i| (i * stride, elem, order)).collect()
            }
            Hlsl::Struct(s) => {
                let offsets = layout.members(s).0;
                let fields = &self.l.hir.types.structure(s).fields;
                offsets.iter().zip(fields).map(|(o, f)| (*o as u32, f.ty, f.order)).collect()
            }
            _ => {
                let help = "copy the elements in a loop";
                self.l.error(Code::TooMany, self.span, "a large array in a byte buffer", help);
                Vec::new()
            }
        };
        if self.l.count_copied(parts.len(), self.span) { parts } else { Vec::new() }
    }

    fn load_scalar(&mut self, buffer: Value, at: At, s: Scalar) -> Value {
        let uint = self.l.scalar_type(Scalar::U32);
        let ty = self.l.scalar_type(s);
        let ptr = self.word_at(buffer, at);
        let word = self.b().load(ptr);
        match s.bits() {
            64 => {
                let ptr = self.word_at(buffer, at.plus(4));
                let high = self.b().load(ptr);
                let pair = self.vector(Scalar::U32, &[word, high]);
                self.op(Op::Bitcast, ty, &[pair])
            }
            16 => {
                let shift = self.half_shift(at);
                let low = self.op(Op::ShiftRightLogical, uint, &[word, shift]);
                let half = self.l.scalar_type(Scalar::U16);
                let half = self.op(Op::UConvert, half, &[low]);
                if self.ty(half) == ty { half } else { self.op(Op::Bitcast, ty, &[half]) }
            }
            _ if s == Scalar::Bool => self.truth_of(word),
            _ if ty == uint => word,
            _ => self.op(Op::Bitcast, ty, &[word]),
        }
    }

    /// How far the half word at a byte offset is shifted in its word.
    fn half_shift(&mut self, at: At) -> Value {
        let offset = self.add_bytes(at.object, at.plus);
        let odd = self.word_op(Op::BitwiseAnd, offset, 2);
        self.word_op(Op::ShiftLeftLogical, odd, 3)
    }

    fn store_scalar(&mut self, buffer: Value, at: At, value: Value, s: Scalar) {
        let uint = self.l.scalar_type(Scalar::U32);
        let ptr = self.word_at(buffer, at);
        match s.bits() {
            64 => {
                let pair = self.l.vector_type(Scalar::U32, 2);
                let pair = self.op(Op::Bitcast, pair, &[value]);
                let (low, high) = (self.shuffle(pair, &[0]), self.shuffle(pair, &[1]));
                self.b().store(ptr, low);
                let ptr = self.word_at(buffer, at.plus(4));
                self.b().store(ptr, high);
            }
            16 => {
                // The other half of the word may be another thread's.
                let shift = self.half_shift(at);
                let half = self.l.scalar_type(Scalar::U16);
                let half = if self.ty(value) == half { value } else { self.op(Op::Bitcast, half, &[value]) };
                let wide = self.op(Op::UConvert, uint, &[half]);
                let new = self.op(Op::ShiftLeftLogical, uint, &[wide, shift]);
                let mask = self.b().u32(0xffff);
                let mask = self.op(Op::ShiftLeftLogical, uint, &[mask, shift]);
                let keep = self.op(Op::Not, uint, &[mask]);
                let (scope, relaxed) = (self.device_scope(), self.b().u32(0));
                self.op(Op::AtomicAnd, uint, &[ptr, scope, relaxed, keep]);
                self.op(Op::AtomicOr, uint, &[ptr, scope, relaxed, new]);
            }
            _ => {
                let word = match s {
                    Scalar::Bool => self.from_bool(value, Scalar::U32),
                    _ if self.ty(value) == uint => value,
                    _ => self.op(Op::Bitcast, uint, &[value]),
                };
                self.b().store(ptr, word);
            }
        }
    }
}
