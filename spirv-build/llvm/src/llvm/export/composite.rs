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

    /// A vector that is one scalar in each component.
    pub fn repeated(&mut self, data: &InstData) -> Option<Text> {
        let (result, first) = (data.result()?, data.id(0)?);
        let shape = self.shape_of(result)?;
        let scalar = self.shape_of(first).is_some_and(|s| s.len == 1);
        if shape.len < 2 || !scalar || data.ids().any(|v| v != first) {
            return None;
        }
        let one = self.value(first);
        Some(self.splat(shape, &one))
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

    /// `OpVectorTimesScalar`.
    pub fn scaled_vector(&mut self, data: &InstData) -> Option<Text> {
        let shape = self.shape_of(data.result()?)?;
        let (v, by) = (self.value(data.id(0)?), self.value(data.id(1)?));
        let by = self.splat(shape, &by);
        Some(self.bin("fmul", shape, &v, &by))
    }

    /// A matrix of columns.
    pub fn matrix_of(&mut self, ty: Type, columns: &[Text]) -> Option<Text> {
        let mut all: Text = "poison".into();
        for (i, c) in (0..).zip(columns) {
            all = self.with_part(ty, &all, i, c)?;
        }
        Some(all)
    }
}
