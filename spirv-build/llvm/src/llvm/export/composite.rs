//! Composites: vectors, matrices (arrays of columns), arrays, structs.

use super::function::{Body, Text, emit};
use super::types::Shape;
use crate::ir::{InstData, Op, Operand, Type, TypeKind, Value};

impl Body<'_, '_> {
    /// Takes a part out of a value.
    pub fn part_of(&mut self, ty: Type, v: &Text, i: u32) -> Option<(Type, Text)> {
        let part = self.x.module.ctx.types.element(ty, i)?;
        let text = self.x.ty(ty);
        let v = match self.kind(ty) {
            TypeKind::Vector { .. } => emit!(self, "extractelement {text} {v}, i64 {i}"),
            _ => emit!(self, "extractvalue {text} {v}, {i}"),
        };
        Some((part, v))
    }

    /// Puts a part into a value.
    fn with_part(&mut self, ty: Type, v: &Text, i: u32, part: &Text) -> Option<Text> {
        let part_ty = self.x.module.ctx.types.element(ty, i)?;
        let (text, part_ty) = (self.x.ty(ty), self.x.ty(part_ty));
        Some(match self.kind(ty) {
            TypeKind::Vector { .. } => emit!(self, "insertelement {text} {v}, {part_ty} {part}, i64 {i}"),
            _ => emit!(self, "insertvalue {text} {v}, {part_ty} {part}, {i}"),
        })
    }

    /// Literal indices behind so many values.
    fn path(data: &InstData, values: usize) -> Vec<u32> {
        let literal = |o: &Operand| if let Operand::Literal(n) = o { Some(*n) } else { None };
        data.operands[values..].iter().filter_map(literal).collect()
    }

    pub fn composite_extract(&mut self, data: &InstData) -> Option<Text> {
        let v = data.id(0)?;
        let path = Self::path(data, 1);
        let (mut ty, mut text) = (self.type_of(v), self.value(v));
        // Aggregates can be gone through at once, the component of a vector is a step of its own.
        let mut indices: Vec<String> = Vec::new();
        let mut outer = ty;
        for i in path {
            if matches!(self.kind(ty), TypeKind::Vector { .. }) {
                text = self.extract_value(outer, &text, &mut indices);
                (ty, text) = self.part_of(ty, &text, i)?;
                outer = ty;
            } else {
                ty = self.x.module.ctx.types.element(ty, i)?;
                indices.push(i.to_string());
            }
        }
        Some(self.extract_value(outer, &text, &mut indices))
    }

    fn extract_value(&mut self, ty: Type, v: &Text, indices: &mut Vec<String>) -> Text {
        if indices.is_empty() {
            return v.clone();
        }
        let ty = self.x.ty(ty);
        let indices = std::mem::take(indices).join(", ");
        emit!(self, "extractvalue {ty} {v}, {indices}")
    }

    pub fn composite_insert(&mut self, data: &InstData) -> Option<Text> {
        let (object, composite) = (data.id(0)?, data.id(1)?);
        let path = Self::path(data, 2);
        let (object, ty, text) = (self.value(object), self.type_of(composite), self.value(composite));
        self.insert_along(ty, &text, &path, &object)
    }

    fn insert_along(&mut self, ty: Type, v: &Text, path: &[u32], object: &Text) -> Option<Text> {
        let Some((&i, rest)) = path.split_first() else { return Some(object.clone()) };
        if rest.is_empty() {
            return self.with_part(ty, v, i, object);
        }
        let (part, inner) = self.part_of(ty, v, i)?;
        let inner = self.insert_along(part, &inner, rest, object)?;
        self.with_part(ty, v, i, &inner)
    }

    pub fn composite_construct(&mut self, data: &InstData) -> Option<Text> {
        let ty = self.type_of(data.result()?);
        let ids: Vec<Value> = data.ids().collect();
        let mut all: Text = "poison".into();
        let mut at = 0;
        for v in ids {
            let text = self.value(v);
            let shape = self.shape_of(v).filter(|_| matches!(self.kind(ty), TypeKind::Vector { .. }));
            // A vector may be made of vectors.
            for i in 0..shape.map_or(1, |s| s.len) {
                let part = match shape {
                    Some(s) if s.len > 1 => self.element(s, &text, i),
                    _ => text.clone(),
                };
                all = self.with_part(ty, &all, at, &part)?;
                at += 1;
            }
        }
        Some(all)
    }

    pub fn vector_shuffle(&mut self, data: &InstData) -> Option<Text> {
        let (a, b) = (data.id(0)?, data.id(1)?);
        let (sa, sb) = (self.shape_of(a)?, self.shape_of(b)?);
        let len = sa.len.max(sb.len);
        let wide = Shape { len, ..sa };
        // LLVM's operands have one length.
        let (a, b) = (self.value(a), self.value(b));
        let (a, b) = (self.lengthened(sa, &a, len), self.lengthened(sb, &b, len));
        let shift = u32::from(len - sa.len);
        let mask: Vec<String> = Self::path(data, 2)
            .iter()
            .map(|n| match *n {
                u32::MAX => "i32 poison".to_string(),
                n if n < u32::from(sa.len) => format!("i32 {n}"),
                n => format!("i32 {}", n + shift),
            })
            .collect();
        Some(emit!(
            self,
            "shufflevector {wide} {a}, {wide} {b}, <{} x i32> <{}>",
            mask.len(),
            mask.join(", ")
        ))
    }

    /// A vector with undefined components behind its own.
    fn lengthened(&mut self, shape: Shape, v: &Text, len: u8) -> Text {
        if shape.len == len {
            return v.clone();
        }
        let index = |i: u8| if i < shape.len { format!("i32 {i}") } else { "i32 poison".to_string() };
        let mask: Vec<String> = (0..len).map(index).collect();
        emit!(self, "shufflevector {shape} {v}, {shape} poison, <{len} x i32> <{}>", mask.join(", "))
    }

    pub fn vector_dynamic(&mut self, op: Op, data: &InstData) -> Option<Text> {
        let vector = data.id(0)?;
        let shape = self.shape_of(vector)?;
        let v = self.value(vector);
        if op == Op::VectorExtractDynamic {
            let index = self.typed(data.id(1)?);
            return Some(emit!(self, "extractelement {shape} {v}, {index}"));
        }
        let (part, index) = (self.typed(data.id(1)?), self.typed(data.id(2)?));
        Some(emit!(self, "insertelement {shape} {v}, {part}, {index}"))
    }

    /// The sum of the products of components.
    pub fn dot_product(&mut self, shape: Shape, a: &Text, b: &Text) -> Text {
        let products = self.bin("fmul", shape, a, b);
        self.sum(shape, &products)
    }

    /// The sum of components, from the first to the last.
    pub fn sum(&mut self, shape: Shape, v: &Text) -> Text {
        if shape.len == 1 {
            return v.clone();
        }
        let mut sum = self.element(shape, v, 0);
        for i in 1..shape.len {
            let part = self.element(shape, v, i);
            sum = self.bin("fadd", shape.scalar(), &sum, &part);
        }
        sum
    }

    /// Columns and their shape.
    pub fn columns(&mut self, v: Value) -> Option<(Shape, Vec<Text>)> {
        let ty = self.type_of(v);
        let TypeKind::Matrix { column, columns } = *self.kind(ty) else { return None };
        let text = self.value(v);
        let list = (0..u32::from(columns)).filter_map(|i| Some(self.part_of(ty, &text, i)?.1)).collect();
        Some((self.shape(column)?, list))
    }

    /// A matrix of columns.
    pub fn matrix_of(&mut self, ty: Type, columns: &[Text]) -> Option<Text> {
        let mut all: Text = "poison".into();
        for (i, c) in (0..).zip(columns) {
            all = self.with_part(ty, &all, i, c)?;
        }
        Some(all)
    }

    /// The sum of columns, each times a component.
    fn combine(&mut self, shape: Shape, columns: &[Text], factors: Shape, v: &Text) -> Text {
        let mut sum: Option<Text> = None;
        for (i, c) in (0..).zip(columns) {
            let factor = self.element(factors, v, i);
            let factor = self.splat(shape, &factor);
            let product = self.bin("fmul", shape, c, &factor);
            sum = Some(match sum {
                Some(sum) => self.bin("fadd", shape, &sum, &product),
                None => product,
            });
        }
        sum.unwrap_or_else(|| "poison".into())
    }

    /// Matrix products and transposition.
    pub fn matrix(&mut self, op: Op, data: &InstData) -> Option<Text> {
        let ty = self.type_of(data.result()?);
        let (a, b) = (data.id(0)?, data.id(1).unwrap_or(data.id(0)?));
        match op {
            Op::VectorTimesScalar => {
                let shape = self.shape(ty)?;
                let (v, s) = (self.value(a), self.value(b));
                let s = self.splat(shape, &s);
                Some(self.bin("fmul", shape, &v, &s))
            }
            Op::MatrixTimesScalar => {
                let (shape, columns) = self.columns(a)?;
                let s = self.value(b);
                let s = self.splat(shape, &s);
                let list: Vec<Text> = columns.iter().map(|c| self.bin("fmul", shape, c, &s)).collect();
                self.matrix_of(ty, &list)
            }
            Op::MatrixTimesVector => {
                let (shape, columns) = self.columns(a)?;
                let (factors, v) = (self.shape_of(b)?, self.value(b));
                Some(self.combine(shape, &columns, factors, &v))
            }
            Op::VectorTimesMatrix => {
                let (shape, columns) = self.columns(b)?;
                let (result, v) = (self.shape(ty)?, self.value(a));
                let mut all: Text = "poison".into();
                for (i, c) in columns.iter().enumerate() {
                    let dot = self.dot_product(shape, &v, c);
                    all = emit!(self, "insertelement {result} {all}, {} {dot}, i64 {i}", result.elem);
                }
                Some(all)
            }
            Op::MatrixTimesMatrix => {
                let (shape, left) = self.columns(a)?;
                let (factors, right) = self.columns(b)?;
                let list: Vec<Text> = right.iter().map(|c| self.combine(shape, &left, factors, c)).collect();
                self.matrix_of(ty, &list)
            }
            Op::OuterProduct => {
                let (shape, v) = (self.shape_of(a)?, self.value(a));
                let (factors, w) = (self.shape_of(b)?, self.value(b));
                let list: Vec<Text> = (0..factors.len)
                    .map(|i| {
                        let s = self.element(factors, &w, i);
                        let s = self.splat(shape, &s);
                        self.bin("fmul", shape, &v, &s)
                    })
                    .collect();
                self.matrix_of(ty, &list)
            }
            _ => {
                let (shape, columns) = self.columns(a)?;
                let len = u8::try_from(columns.len()).ok()?;
                let row = Shape { len, ..shape };
                let list: Vec<Text> = (0..shape.len)
                    .map(|r| {
                        let mut all: Text = "poison".into();
                        for (i, c) in columns.iter().enumerate() {
                            let part = self.element(shape, c, r);
                            all = emit!(self, "insertelement {row} {all}, {} {part}, i64 {i}", row.elem);
                        }
                        all
                    })
                    .collect();
                self.matrix_of(ty, &list)
            }
        }
    }

    /// A determinant, by the first column.
    pub fn determinant(&mut self, shape: Shape, rows: &[Vec<Text>]) -> Text {
        let s = shape.scalar();
        if let [only] = rows {
            return only[0].clone();
        }
        let mut sum: Option<Text> = None;
        for i in 0..rows.len() {
            let minor = minor(rows, i, 0);
            let d = self.determinant(shape, &minor);
            let term = self.bin("fmul", s, &rows[i][0], &d);
            sum = Some(match sum {
                None => term,
                Some(sum) if i % 2 == 1 => self.bin("fsub", s, &sum, &term),
                Some(sum) => self.bin("fadd", s, &sum, &term),
            });
        }
        sum.unwrap_or_else(|| "poison".into())
    }

    /// The inverse, by the adjugate, as columns.
    pub fn inverse(&mut self, shape: Shape, columns: &[Vec<Text>]) -> Vec<Text> {
        let s = shape.scalar();
        let d = self.determinant(shape, columns);
        let one = self.float(s, 1.0);
        let scale = self.bin("fdiv", s, &one, &d);
        let n = columns.len();
        (0..n)
            .map(|c| {
                let mut all: Text = "poison".into();
                for r in 0..n {
                    // The cofactor of the transposed place.
                    let minor = if n == 1 { vec![vec![one.clone()]] } else { minor(columns, r, c) };
                    let mut v = self.determinant(shape, &minor);
                    if (r + c) % 2 == 1 {
                        v = emit!(self, "fneg {s} {v}");
                    }
                    let v = self.bin("fmul", s, &v, &scale);
                    all = emit!(self, "insertelement {shape} {all}, {s} {v}, i64 {r}");
                }
                all
            })
            .collect()
    }
}

/// Without one of the lists and one entry of each.
fn minor(rows: &[Vec<Text>], row: usize, column: usize) -> Vec<Vec<Text>> {
    let rest = rows.iter().enumerate().filter(|(i, _)| *i != row);
    rest.map(|(_, r)| r.iter().enumerate().filter(|(i, _)| *i != column).map(|(_, v)| v.clone()).collect())
        .collect()
}
