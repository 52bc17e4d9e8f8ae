//! Loads and stores through pointers: between the form of values and the form in memory.

use super::Lower;
use super::function::Body;
use super::globals::GlobalValue;
use super::place::Place;
use super::types::{Form, MatrixForm, matrix_form, stored};
use crate::diag::Code;
use crate::hlsl::hir::Type as Hlsl;
use crate::hlsl::hir::{ExprId, ExprKind, MatrixOrder, PlaceId, PlaceKind, Scalar, TypeId, Types};
use crate::hlsl::layout::{Layout, Rules};
use crate::ir::{Op, Value};
use crate::source::Span;

/// Elements of an array that are copied one by one between buffers and variables.
pub const MAX_COPIED_ELEMENTS: u32 = 4096;

/// Parts of structures and arrays that a module copies one by one between buffers and variables, over all copies.
const MAX_COPIED_PARTS: usize = 1 << 16;

/// Expressions in the indices of a place that is looked at before it is lowered.
const COPY_NODES: u32 = 32;

impl Lower<'_> {
    /// The id of a scalar's type; the scalar type itself is always known where a vector of it is.
    pub(super) fn find_scalar(&self, s: Scalar) -> TypeId {
        self.find_vector(s, 1)
    }

    /// The id of a vector type.
    pub(super) fn find_vector(&self, s: Scalar, n: u8) -> TypeId {
        Types::vector_id(s, n)
    }

    /// Counts what is copied part by part; false, with one error, when that is too much.
    pub(super) fn count_copied(&mut self, parts: usize, span: Span) -> bool {
        let fitted = self.copied <= MAX_COPIED_PARTS;
        self.copied = self.copied.saturating_add(parts);
        let fits = self.copied <= MAX_COPIED_PARTS;
        if fitted && !fits {
            let message = format!(
                "more than {MAX_COPIED_PARTS} parts of structures and arrays are copied between buffers and variables"
            );
            let help = "copy only the members that are used, or elements in a loop";
            self.error(Code::TooMany, span, message, help);
        }
        fits
    }

    /// The id of a type's component type.
    pub(super) fn scalar_of(&self, ty: TypeId) -> TypeId {
        self.component(ty).map_or(ty, |s| self.find_scalar(s))
    }
}

impl Body<'_, '_> {
    /// Reads what a pointer points to.
    pub(super) fn load_pointer(&mut self, ptr: Value, ty: TypeId, form: Form) -> Value {
        let value = self.l.value_type(ty);
        let Form::Memory(order, rules) = form else { return self.b().load(ptr) };
        if self.l.memory_type(ty, order, rules) == value {
            return self.load_from(ptr);
        }
        match self.l.hlsl(ty) {
            Hlsl::Matrix(s, r, c) if Layout::new(self.l.hir.types, rules).is_scattered(r, c, order) => {
                let form = Form::Memory(order, rules);
                let elem = self.l.find_scalar(s);
                let pointers = self.scattered(ptr, elem, r.max(c), form);
                let parts: Vec<Value> =
                    pointers.into_iter().map(|p| self.load_pointer(p, elem, form)).collect();
                self.vector(s, &parts)
            }
            Hlsl::Matrix(s, r, c) if matrix_form(s, r, c) == MatrixForm::Rows => {
                self.load_matrix(ptr, s, r, c, order)
            }
            Hlsl::Scalar(_) | Hlsl::Vector(..) | Hlsl::Matrix(..) => {
                let word = self.load_from(ptr);
                self.truth_of(word)
            }
            _ => {
                let parts: Vec<_> = self.parts(ptr, ty, order, rules);
                let parts: Vec<Value> =
                    parts.into_iter().map(|(p, t, f)| self.load_pointer(p, t, f)).collect();
                self.op(Op::CompositeConstruct, value, &parts)
            }
        }
    }

    /// Writes what a pointer points to.
    pub(super) fn store_pointer(&mut self, ptr: Value, value: Value, ty: TypeId, form: Form) {
        let Form::Memory(order, rules) = form else { return self.b().store(ptr, value) };
        if self.l.memory_type(ty, order, rules) == self.l.value_type(ty) {
            return self.store_to(ptr, value);
        }
        match self.l.hlsl(ty) {
            Hlsl::Matrix(s, r, c) if Layout::new(self.l.hir.types, rules).is_scattered(r, c, order) => {
                let form = Form::Memory(order, rules);
                let elem = self.l.find_scalar(s);
                let pointers = self.scattered(ptr, elem, r.max(c), form);
                for (i, p) in pointers.into_iter().enumerate() {
                    let part = self.shuffle(value, &[i as u8]);
                    self.store_pointer(p, part, elem, form);
                }
            }
            Hlsl::Matrix(s, r, c) if matrix_form(s, r, c) == MatrixForm::Rows => {
                self.store_matrix(ptr, value, (s, r, c), order);
            }
            Hlsl::Scalar(_) | Hlsl::Vector(..) | Hlsl::Matrix(..) => {
                let word = self.from_bool(value, Scalar::U32);
                self.store_to(ptr, word);
            }
            _ => {
                for (i, (p, t, f)) in self.parts(ptr, ty, order, rules).into_iter().enumerate() {
                    let part = self.l.value_type(t);
                    let part = self.b().extract(value, part, &[i as u32]);
                    self.store_pointer(p, part, t, f);
                }
            }
        }
    }

    /// Copies a structure or an array from one buffer to another, or within one, as it lies there: no part of it is
    /// taken through the form of values. Whether that could be done.
    pub(super) fn copy_memory(&mut self, id: ExprId) -> bool {
        let f = self.f;
        let ExprKind::Assign { place: to, value } = f.expr(id).kind else { return false };
        let ExprKind::Load(from) = f.expr(value).kind else { return false };
        let aggregate = matches!(self.l.hlsl(f.place(to).ty), Hlsl::Struct(_) | Hlsl::Array(..));
        if !aggregate || !self.is_fixed_memory(from) || !self.is_fixed_memory(to) {
            return false;
        }
        self.span = f.expr(id).span;
        let (from, to) = (self.place(from), self.place(to));
        match (&from, &to) {
            (Place::Pointer { ptr: a, .. }, Place::Pointer { ptr: b, .. })
                if self.l.pointee(self.ty(*a)) == self.l.pointee(self.ty(*b)) =>
            {
                let whole = self.load_from(*a);
                self.store_to(*b, whole);
            }
            _ => {
                let value = self.load(&from);
                self.store(&to, value);
            }
        }
        true
    }

    /// Whether a place is a part of a buffer that is known by name, at indices whose computation has no effect.
    fn is_fixed_memory(&self, mut at: PlaceId) -> bool {
        let mut budget = COPY_NODES;
        loop {
            let resource = match &self.f.place(at).kind {
                PlaceKind::Field(base, _) => {
                    at = *base;
                    continue;
                }
                PlaceKind::Index(base, index) if self.is_cheap(*index, &mut budget) => {
                    at = *base;
                    continue;
                }
                PlaceKind::BufferElement { resource, index } if self.is_cheap(*index, &mut budget) => {
                    *resource
                }
                PlaceKind::Block(resource) => *resource,
                _ => return false,
            };
            let PlaceKind::Global(g) = self.f.place(resource).kind else { return false };
            return matches!(self.l.globals.get(g.index()), Some(GlobalValue::Resource(_)));
        }
    }

    /// Pointers to the fields of a structure or the elements of an array.
    fn parts(
        &mut self,
        ptr: Value,
        ty: TypeId,
        order: MatrixOrder,
        rules: Rules,
    ) -> Vec<(Value, TypeId, Form)> {
        let list: Vec<(TypeId, MatrixOrder)> = match self.l.hlsl(ty) {
            Hlsl::Array(elem, n) => {
                if n > MAX_COPIED_ELEMENTS {
                    let help = "copy the elements in a loop";
                    let message =
                        format!("an array of {n} elements is copied between a buffer and a variable");
                    self.l.error(Code::TooMany, self.span, message, help);
                    return Vec::new();
                }
                vec![(elem, order); n as usize]
            }
            Hlsl::Struct(s) => {
                let hir = self.l.hir;
                hir.types.structure(s).fields.iter().map(|f| (f.ty, f.order)).collect()
            }
            _ => Vec::new(),
        };
        if !self.l.count_copied(list.len(), self.span) {
            return Vec::new();
        }
        let mut parts = Vec::with_capacity(list.len());
        for (i, (t, order)) in list.into_iter().enumerate() {
            let index = self.b().i32(i as i32);
            let memory = self.l.memory_type(t, order, rules);
            let p = self.b().access_chain(ptr, memory, &[index]);
            parts.push((p, t, Form::Memory(order, rules)));
        }
        parts
    }

    /// Pointers to elements that lie apart.
    pub(super) fn scattered(&mut self, ptr: Value, elem: TypeId, n: u8, form: Form) -> Vec<Value> {
        let ty = self.l.type_in(elem, form);
        (0..n)
            .map(|i| {
                let index = self.b().i32(i32::from(i));
                self.b().access_chain(ptr, ty, &[index])
            })
            .collect()
    }

    /// Reads a matrix that is stored as an array of vectors.
    fn load_matrix(&mut self, ptr: Value, s: Scalar, r: u8, c: u8, order: MatrixOrder) -> Value {
        let all = self.load_from(ptr);
        let (_, len) = stored(r, c, order);
        let word = self.l.scalar_type(if s == Scalar::Bool { Scalar::U32 } else { s });
        let mut rows = Vec::new();
        for i in 0..r {
            let mut row = Vec::new();
            for j in 0..c {
                let (major, minor) = if order == MatrixOrder::RowMajor { (i, j) } else { (j, i) };
                let at = [u32::from(major), u32::from(minor)];
                let part = self.b().extract(all, word, if len == 1 { &at[..1] } else { &at });
                row.push(if s == Scalar::Bool { self.truth_of(part) } else { part });
            }
            rows.push(self.vector(s, &row));
        }
        self.matrix_from_rows(s, r, c, &rows)
    }

    fn store_matrix(&mut self, ptr: Value, value: Value, (s, r, c): (Scalar, u8, u8), order: MatrixOrder) {
        let word = if s == Scalar::Bool { Scalar::U32 } else { s };
        let (vectors, len) = stored(r, c, order);
        let elem = self.l.vector_type(word, len);
        for major in 0..vectors {
            let mut parts = Vec::new();
            for minor in 0..len {
                let (i, j) = if order == MatrixOrder::RowMajor { (major, minor) } else { (minor, major) };
                let part = self.matrix_part(value, (s, r, c), i, j);
                parts.push(if s == Scalar::Bool { self.from_bool(part, Scalar::U32) } else { part });
            }
            let vector = self.vector(word, &parts);
            let index = self.b().i32(i32::from(major));
            let p = self.b().access_chain(ptr, elem, &[index]);
            self.store_to(p, vector);
        }
    }

    /// A vector of these components; one is itself.
    pub(super) fn vector(&mut self, s: Scalar, parts: &[Value]) -> Value {
        if let [one] = parts {
            return *one;
        }
        let ty = self.l.vector_type(s, parts.len() as u8);
        self.op(Op::CompositeConstruct, ty, parts)
    }

    /// A matrix value of these rows.
    pub(super) fn matrix_from_rows(&mut self, s: Scalar, r: u8, c: u8, rows: &[Value]) -> Value {
        match matrix_form(s, r, c) {
            MatrixForm::Scalar => rows[0],
            MatrixForm::Vector if r == 1 => rows[0],
            MatrixForm::Vector => self.vector(s, rows),
            form => {
                let row = self.l.vector_type(s, c);
                let ty = if form == MatrixForm::Native {
                    crate::ir::TypeKind::Matrix { column: row, columns: r }
                } else {
                    crate::ir::TypeKind::Array { elem: row, len: u32::from(r), stride: None }
                };
                let ty = self.l.out.ctx.types.intern(ty);
                self.op(Op::CompositeConstruct, ty, rows)
            }
        }
    }

    /// Row `i` of a matrix value.
    pub(super) fn matrix_row(&mut self, m: Value, (s, r, c): (Scalar, u8, u8), i: u8) -> Value {
        match matrix_form(s, r, c) {
            MatrixForm::Scalar => m,
            MatrixForm::Vector if r == 1 => m,
            MatrixForm::Vector => self.shuffle(m, &[i]),
            _ => {
                let row = self.l.vector_type(s, c);
                self.b().extract(m, row, &[u32::from(i)])
            }
        }
    }

    /// Element of a matrix value.
    pub(super) fn matrix_part(&mut self, m: Value, (s, r, c): (Scalar, u8, u8), i: u8, j: u8) -> Value {
        match matrix_form(s, r, c) {
            MatrixForm::Scalar => m,
            MatrixForm::Vector => self.shuffle(m, &[if r == 1 { j } else { i }]),
            _ => {
                let ty = self.l.scalar_type(s);
                self.b().extract(m, ty, &[u32::from(i), u32::from(j)])
            }
        }
    }

    /// Elements of a matrix value as a vector.
    pub(super) fn matrix_elements(
        &mut self,
        m: Value,
        ty: TypeId,
        at: &[(u8, u8)],
        _result: TypeId,
    ) -> Value {
        let Hlsl::Matrix(s, r, c) = self.l.hlsl(ty) else { return m };
        let parts: Vec<Value> = at.iter().map(|(i, j)| self.matrix_part(m, (s, r, c), *i, *j)).collect();
        self.vector(s, &parts)
    }
}
