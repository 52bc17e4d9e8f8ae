//! Memory of host code: variables, access chains, loads and stores.
//!
//! Types with a layout are addressed in bytes by their offsets and strides; others by LLVM's typed addresses. What a
//! pointer's type does not tell is in its [`Place`].

use super::function::{Body, Text, emit};
use super::types::{Elem, Shape};
use crate::ir::{InstData, MatrixLayout, Op, Type, TypeKind, Value};

/// Parts that a single load or store may be taken apart into.
const MAX_PIECES: usize = 1 << 14;

/// Bits of memory operands.
const VOLATILE: u32 = 1;
const ALIGNED: u32 = 2;

/// What is known of a pointer beside its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Place {
    /// Layout of the matrix, or array of matrices, that it points to.
    matrix: Option<MatrixLayout>,
    /// Bytes between the components of the vector that it points to, where they are not adjacent.
    apart: Option<u32>,
    /// It leads into a packed struct.
    packed: bool,
}

/// How an object is accessed.
#[derive(Clone, Copy)]
struct Access {
    place: Place,
    volatile: bool,
    /// The alignment that the instruction promises.
    align: Option<u32>,
}

impl<'a> Body<'_, 'a> {
    pub fn place(&self, v: Value) -> Place {
        self.places.get(&v).copied().unwrap_or_default()
    }

    /// Whether bools are the scalars of a type, which are bytes in memory.
    fn is_bool(&self, ty: Type) -> bool {
        self.shape(ty).is_some_and(Shape::is_bool)
    }

    /// `Variable`.
    pub fn variable(&mut self, data: &InstData) -> Option<Text> {
        let result = data.result()?;
        let (ty, _) = self.x.module.ctx.types.pointee(self.type_of(result))?;
        let name = self.name(self.f.values[result].name.as_deref().unwrap_or("var"));
        self.alloca(&name, ty);
        if let Some(init) = data.id(1) {
            let v = self.value(init);
            self.store_object(&name, ty, &v);
        }
        Some(name)
    }

    /// Reserves memory for an object at the start of the function.
    pub fn alloca(&mut self, name: &Text, ty: Type) {
        use std::fmt::Write;
        let align = self.x.align(ty);
        let what = if self.x.has_layout(ty) {
            // Its own layout counts.
            format!("[{} x i8]", self.x.natural_size(ty))
        } else {
            self.x.memory_ty(ty).to_string()
        };
        let _ = writeln!(self.prologue, "  {name} = alloca {what}, align {align}");
    }

    /// An index as 64 bits. Indices are signed.
    fn index(&mut self, v: Value) -> Text {
        if let Some(c) = self.f.as_const(v)
            && let (Some(bits), Some(shape)) = (self.x.module.ctx.consts.bits(c), self.shape_of(v))
        {
            let unused = 64 - u32::from(shape.width().clamp(1, 64));
            return (((bits << unused) as i64) >> unused).to_string().into();
        }
        let text = self.value(v);
        let Some(shape) = self.shape_of(v) else { return text };
        self.cast("sext", shape, &text, Shape::I64)
    }

    /// A pointer so many bytes further, and so many times a stride.
    pub fn offset(&mut self, p: &Text, bytes: u64, terms: &[(Text, u64)]) -> Text {
        let mut p = p.clone();
        for (index, stride) in terms {
            let at = if *stride == 1 {
                index.clone()
            } else {
                self.bin("mul", Shape::I64, index, &stride.to_string().into())
            };
            p = emit!(self, "getelementptr i8, ptr {p}, i64 {at}");
        }
        if bytes > 0 { emit!(self, "getelementptr i8, ptr {p}, i64 {bytes}") } else { p }
    }

    /// `AccessChain` and its kin. `element` tells that the first index goes over whole objects.
    pub fn access_chain(&mut self, data: &InstData, element: bool) -> Option<Text> {
        let ids: Vec<Value> = data.ids().collect();
        let (&base, mut indices) = ids.split_first()?;
        let result = data.result()?;
        let (mut ty, _) = self.x.module.ctx.types.pointee(self.type_of(base))?;
        let mut place = self.place(base);
        let mut p = self.value(base);
        if let Some((first, rest)) = indices.split_first()
            && let Some(table) = self.descriptor_array(base)
        {
            p = self.descriptor(result, &table, *first);
            ty = self.x.module.ctx.types.element(ty, 0)?;
            indices = rest;
        }
        // Steps that LLVM's types can make: where they start, and the indices.
        let mut typed: Option<(Type, Vec<String>)> = None;
        if element {
            let (&first, rest) = indices.split_first()?;
            indices = rest;
            let index = self.index(first);
            if self.x.has_layout(ty) {
                let size = self.x.natural_size(ty);
                p = self.offset(&p, 0, &[(index, size)]);
            } else {
                typed = Some((ty, vec![format!("i64 {index}")]));
            }
        }
        let (mut bytes, mut terms) = (0u64, Vec::new());
        for &v in indices {
            let known = self.constant_operand(v);
            let stride = match self.kind(ty) {
                TypeKind::Struct(s) => {
                    let Some(member) = known.and_then(|n| s.members.get(n as usize)) else {
                        self.refuse("an index into a struct that is not constant");
                        return None;
                    };
                    place.matrix = member.matrix;
                    place.packed |= self.x.is_packed(ty);
                    if let Some(offset) = member.offset {
                        self.flush_typed(&mut p, &mut typed);
                        bytes += u64::from(offset);
                        ty = member.ty;
                        continue;
                    }
                    None
                }
                TypeKind::Array { stride, .. } | TypeKind::RuntimeArray { stride, .. } => {
                    stride.map(u64::from)
                }
                TypeKind::Matrix { .. } => match place.matrix.take() {
                    Some(l) if l.row_major => {
                        place.apart = Some(l.stride);
                        Some(u64::from(self.shape(self.x.module.ctx.types.scalar_of(ty))?.bytes()))
                    }
                    Some(l) => Some(u64::from(l.stride)),
                    None => None,
                },
                TypeKind::Vector { .. } => match place.apart.take() {
                    Some(stride) => Some(u64::from(stride)),
                    // A component in a vector in bytes.
                    None if typed.is_none() => Some(u64::from(self.shape(ty)?.bytes())),
                    None => None,
                },
                _ => None,
            };
            let index = self.index(v);
            let next = self.x.module.ctx.types.element(ty, known.map_or(0, |n| n as u32));
            match stride {
                Some(stride) => {
                    self.flush_typed(&mut p, &mut typed);
                    match known {
                        Some(_) => {
                            let n: i64 = index.parse().unwrap_or(0);
                            bytes = bytes.wrapping_add((n as u64).wrapping_mul(stride));
                        }
                        None => terms.push((index, stride)),
                    }
                }
                None => {
                    if bytes > 0 || !terms.is_empty() {
                        p = self.offset(&p, std::mem::take(&mut bytes), &std::mem::take(&mut terms));
                    }
                    let (_, list) = typed.get_or_insert_with(|| (ty, vec!["i64 0".to_string()]));
                    let width =
                        if matches!(self.x.module.ctx.types.kind(ty), TypeKind::Struct(_)) { 32 } else { 64 };
                    list.push(format!("i{width} {index}"));
                }
            }
            ty = next.or_else(|| self.x.module.ctx.types.element(ty, 0))?;
        }
        self.flush_typed(&mut p, &mut typed);
        if bytes > 0 || !terms.is_empty() {
            p = self.offset(&p, bytes, &terms);
        }
        self.places.insert(result, place);
        Some(p)
    }

    fn flush_typed(&mut self, p: &mut Text, typed: &mut Option<(Type, Vec<String>)>) {
        if let Some((ty, list)) = typed.take() {
            let ty = self.x.memory_ty(ty);
            *p = emit!(self, "getelementptr {ty}, ptr {p}, {}", list.join(", "));
        }
    }

    fn access(&self, data: &InstData, pointer: Value, from: usize) -> Access {
        let mask = data.literal(from).unwrap_or(0);
        let align = if mask & ALIGNED != 0 { data.literal(from + 1) } else { None };
        Access { place: self.place(pointer), volatile: mask & VOLATILE != 0, align }
    }

    /// `Load`.
    pub fn load(&mut self, data: &InstData) -> Option<Text> {
        let (pointer, result) = (data.id(0)?, data.result()?);
        let ty = self.type_of(result);
        if matches!(self.kind(ty), TypeKind::SampledImage(_)) {
            self.refuse("a texture that comes with its sampler");
            return None;
        }
        if matches!(self.kind(ty), TypeKind::Image(_) | TypeKind::Sampler) {
            // An opaque object is its own address.
            return Some(self.value(pointer));
        }
        let p = self.value(pointer);
        let access = self.access(data, pointer, 1);
        if !self.fits(ty, access) {
            self.refuse("a load of so large an object");
            return None;
        }
        Some(self.load_at(&p, ty, access))
    }

    /// `Store`.
    pub fn store(&mut self, data: &InstData) {
        let (Some(pointer), Some(value)) = (data.id(0), data.id(1)) else { return };
        let (p, v) = (self.value(pointer), self.value(value));
        let (ty, access) = (self.type_of(value), self.access(data, pointer, 2));
        if self.fits(ty, access) {
            self.store_at(&p, ty, &v, access);
        } else {
            self.refuse("a store of so large an object");
        }
    }

    /// `CopyMemory`.
    pub fn copy_memory(&mut self, data: &InstData) {
        let (Some(to), Some(from)) = (data.id(0), data.id(1)) else { return };
        let Some((ty, _)) = self.x.module.ctx.types.pointee(self.type_of(from)) else { return };
        let (target, source) = (self.value(to), self.value(from));
        let write = self.access(data, to, 2);
        let read = Access { place: self.place(from), ..write };
        if !self.fits(ty, read) {
            self.refuse("a copy of so large an object");
            return;
        }
        let v = self.load_at(&source, ty, read);
        self.store_at(&target, ty, &v, write);
    }

    /// `CopyMemorySized`.
    pub fn copy_bytes(&mut self, data: &InstData) {
        let (Some(to), Some(from), Some(size)) = (data.id(0), data.id(1), data.id(2)) else { return };
        let Some(shape) = self.shape_of(size) else { return };
        let (target, source, n) = (self.value(to), self.value(from), self.value(size));
        let volatile = data.literal(3).unwrap_or(0) & VOLATILE != 0;
        let name = format!("llvm.memcpy.p0.p0.i{}", shape.width());
        self.x.declare(&name, &format!("declare void @{name}(ptr, ptr, {shape}, i1)"));
        self.line(format_args!("call void @{name}(ptr {target}, ptr {source}, {shape} {n}, i1 {volatile})"));
    }

    /// Whether an object is not taken apart into too many pieces.
    fn fits(&self, ty: Type, access: Access) -> bool {
        !self.pieces(ty, access) || self.leaves(ty) <= MAX_PIECES
    }

    fn leaves(&self, ty: Type) -> usize {
        match self.kind(ty) {
            TypeKind::Array { elem, len, .. } => self.leaves(*elem).saturating_mul(*len as usize),
            TypeKind::Matrix { columns, .. } => usize::from(*columns) * 4,
            TypeKind::Struct(s) => s.members.iter().fold(0, |n, m| n.saturating_add(self.leaves(m.ty))),
            _ => 1,
        }
    }

    /// Whether an aggregate cannot be accessed at once.
    fn pieces(&self, ty: Type, access: Access) -> bool {
        let aggregate = self.shape(ty).is_none() && self.x.module.ctx.types.pointee(ty).is_none();
        access.place.apart.is_some()
            || aggregate && (self.x.in_pieces(ty) || access.place.matrix.is_some() || access.place.packed)
    }

    /// The alignment of an access to something that is no aggregate in pieces.
    fn alignment(&self, ty: Type, access: Access) -> u32 {
        if let Some(n) = access.align {
            return n;
        }
        if access.place.packed {
            return 1;
        }
        match self.shape(ty) {
            // In a layout vectors may be aligned to their components only.
            Some(s) if self.x.logical() => s.bytes(),
            _ => self.x.align(ty),
        }
    }

    /// The parts of an aggregate: type, address, and what is known of it.
    fn part(&mut self, p: &Text, ty: Type, i: u32, access: Access) -> Option<(Type, Text, Access)> {
        let mut inner = Access { align: None, ..access };
        let part = self.x.module.ctx.types.element(ty, i)?;
        let offset = match self.kind(ty) {
            TypeKind::Struct(s) => {
                let m = s.members.get(i as usize)?;
                inner.place.matrix = m.matrix;
                inner.place.packed |= self.x.is_packed(ty);
                m.offset.map(u64::from)
            }
            TypeKind::Array { stride, .. } => stride.map(|n| u64::from(n) * u64::from(i)),
            TypeKind::Matrix { .. } => access.place.matrix.map(|l| {
                inner.place.matrix = None;
                let bytes = self.shape(self.x.module.ctx.types.scalar_of(ty)).map_or(4, Shape::bytes);
                inner.place.apart = l.row_major.then_some(l.stride);
                u64::from(i) * u64::from(if l.row_major { bytes } else { l.stride })
            }),
            TypeKind::Vector { .. } => {
                inner.place.apart = None;
                access.place.apart.map(|n| u64::from(n) * u64::from(i))
            }
            _ => None,
        };
        let at = match offset {
            Some(n) => self.offset(p, n, &[]),
            None => {
                let whole = self.x.memory_ty(ty);
                emit!(self, "getelementptr {whole}, ptr {p}, i64 0, i32 {i}")
            }
        };
        Some((part, at, inner))
    }

    fn parts(&self, ty: Type) -> u32 {
        match self.kind(ty) {
            TypeKind::Struct(s) => s.members.len() as u32,
            TypeKind::Array { len, .. } => *len,
            TypeKind::Matrix { columns, .. } => u32::from(*columns),
            TypeKind::Vector { len, .. } => u32::from(*len),
            _ => 0,
        }
    }

    fn load_at(&mut self, p: &Text, ty: Type, access: Access) -> Text {
        let volatile = if access.volatile { "volatile " } else { "" };
        if self.pieces(ty, access) {
            let whole = self.x.ty(ty);
            let vector = matches!(self.kind(ty), TypeKind::Vector { .. });
            let mut all: Text = "poison".into();
            for i in 0..self.parts(ty) {
                let Some((part, at, inner)) = self.part(p, ty, i, access) else { continue };
                let v = self.load_at(&at, part, inner);
                let part = self.x.ty(part);
                all = if vector {
                    emit!(self, "insertelement {whole} {all}, {part} {v}, i64 {i}")
                } else {
                    emit!(self, "insertvalue {whole} {all}, {part} {v}, {i}")
                };
            }
            return all;
        }
        let align = self.alignment(ty, access);
        let memory = self.x.memory_ty(ty);
        let v = emit!(self, "load {volatile}{memory}, ptr {p}, align {align}");
        match self.shape(ty) {
            Some(s) if self.is_bool(ty) => {
                let bytes = s.with(Elem::Int(8));
                let zero = self.int(bytes, 0);
                emit!(self, "icmp ne {bytes} {v}, {zero}")
            }
            _ => v,
        }
    }

    fn store_at(&mut self, p: &Text, ty: Type, v: &Text, access: Access) {
        let volatile = if access.volatile { "volatile " } else { "" };
        if self.pieces(ty, access) {
            let whole = self.x.ty(ty);
            let vector = matches!(self.kind(ty), TypeKind::Vector { .. });
            for i in 0..self.parts(ty) {
                let Some((part, at, inner)) = self.part(p, ty, i, access) else { continue };
                let piece = if vector {
                    emit!(self, "extractelement {whole} {v}, i64 {i}")
                } else {
                    emit!(self, "extractvalue {whole} {v}, {i}")
                };
                self.store_at(&at, part, &piece, inner);
            }
            return;
        }
        let align = self.alignment(ty, access);
        let memory = self.x.memory_ty(ty);
        let stored = match self.shape(ty) {
            Some(s) if self.is_bool(ty) => self.cast("zext", s, v, s.with(Elem::Int(8))),
            _ => v.clone(),
        };
        self.line(format_args!("store {volatile}{memory} {stored}, ptr {p}, align {align}"));
    }

    /// A whole object, of which nothing but its type is known.
    pub fn load_object(&mut self, p: &Text, ty: Type) -> Text {
        self.load_at(p, ty, Access { place: Place::default(), volatile: false, align: None })
    }

    /// The same, written.
    pub fn store_object(&mut self, p: &Text, ty: Type, v: &Text) {
        self.store_at(p, ty, v, Access { place: Place::default(), volatile: false, align: None });
    }

    /// `ArrayLength`: from the bytes that the host says a buffer has.
    pub fn array_length(&mut self, data: &InstData) -> Option<Text> {
        let (base, member) = (data.id(0)?, data.literal(1)?);
        let (ty, _) = self.x.module.ctx.types.pointee(self.type_of(base))?;
        let TypeKind::Struct(s) = self.kind(ty) else { return None };
        let m = s.members.get(member as usize)?;
        let TypeKind::RuntimeArray { elem, stride } = self.kind(m.ty) else { return None };
        let stride = stride.map_or_else(|| self.x.natural_size(*elem), u64::from).max(1);
        let Some(bytes) = self.buffer_bytes(base) else {
            self.refuse("the length of a buffer that is no resource");
            return None;
        };
        let rest = match m.offset.unwrap_or(0) {
            0 => bytes,
            n => self.bin("sub", Shape::I64, &bytes, &n.to_string().into()),
        };
        let n = self.bin("udiv", Shape::I64, &rest, &stride.to_string().into());
        Some(self.cast("trunc", Shape::I64, &n, Shape::I32))
    }

    /// Conversions and comparisons of pointers.
    pub fn pointers(&mut self, op: Op, data: &InstData) -> Option<Text> {
        let v = data.id(0)?;
        let p = self.value(v);
        let shape = self.result_shape(data);
        let number = if op == Op::ConvertUToPtr { self.shape_of(v) } else { shape };
        if matches!(op, Op::ConvertPtrToU | Op::ConvertUToPtr) && number.is_some_and(|s| s.width() < 64) {
            self.refuse("an address as a number of less than 64 bits");
            return None;
        }
        match (op, shape) {
            (Op::ConvertPtrToU, Some(s)) => Some(emit!(self, "ptrtoint ptr {p} to {s}")),
            (Op::ConvertUToPtr, _) => {
                let from = self.shape_of(v)?;
                Some(emit!(self, "inttoptr {from} {p} to ptr"))
            }
            (Op::PtrEqual | Op::PtrNotEqual, _) => {
                let other = self.value(data.id(1)?);
                let is = if op == Op::PtrEqual { "eq" } else { "ne" };
                Some(emit!(self, "icmp {is} ptr {p}, {other}"))
            }
            (Op::PtrDiff, Some(s)) => {
                let other = self.value(data.id(1)?);
                let (ty, _) = self.x.module.ctx.types.pointee(self.type_of(v))?;
                let size = self.x.natural_size(ty).max(1);
                let a = emit!(self, "ptrtoint ptr {p} to i64");
                let b = emit!(self, "ptrtoint ptr {other} to i64");
                let d = self.bin("sub", Shape::I64, &a, &b);
                let d = self.bin("sdiv", Shape::I64, &d, &size.to_string().into());
                Some(self.resize(Shape::I64, &d, s))
            }
            _ => Some(p),
        }
    }
}
