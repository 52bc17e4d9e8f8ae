//! Types as they lie in memory, for hosts.

use super::{Build, host_name, word};
use crate::ir::{self, Declared, Extent, MatrixOrder, ScalarKind, TypeKind};
use crate::source::Span;
use spirv_interface::{Member, Scalar, Struct, Type};

/// A row each: a scalar of the module, the host's.
const SCALARS: &[(ScalarKind, Scalar)] = &[
    (ScalarKind::Bool, Scalar::Bool),
    (ScalarKind::Signed(8), Scalar::I8),
    (ScalarKind::Signed(16), Scalar::I16),
    (ScalarKind::Signed(32), Scalar::I32),
    (ScalarKind::Signed(64), Scalar::I64),
    (ScalarKind::Unsigned(8), Scalar::U8),
    (ScalarKind::Unsigned(16), Scalar::U16),
    (ScalarKind::Unsigned(32), Scalar::U32),
    (ScalarKind::Unsigned(64), Scalar::U64),
    (ScalarKind::Float(16), Scalar::F16),
    (ScalarKind::Float(32), Scalar::F32),
    (ScalarKind::Float(64), Scalar::F64),
];

impl Build<'_> {
    /// The scalar that a type consists of: what the source declares, if it says so.
    pub(super) fn scalar(&self, ty: ir::Type, declared: Option<&Declared>) -> Option<Scalar> {
        let types = &self.module.ctx.types;
        let kind = declared.and_then(|d| d.scalar).or_else(|| match *types.kind(types.scalar_of(ty)) {
            TypeKind::Bool => Some(ScalarKind::Bool),
            TypeKind::Int { width, signed: true } => Some(ScalarKind::Signed(width)),
            TypeKind::Int { width, .. } => Some(ScalarKind::Unsigned(width)),
            TypeKind::Float { width } => Some(ScalarKind::Float(width)),
            _ => None,
        })?;
        SCALARS.iter().find(|row| row.0 == kind).map(|row| row.1)
    }

    /// The elements of memory that is an array of them, and how far they are apart. `member` has that array, or its elements.
    pub(super) fn elements(&mut self, member: &ir::Member, span: Span) -> Option<(Type, u32)> {
        let types = &self.module.ctx.types;
        let (elem, stride) = match *types.kind(member.ty) {
            TypeKind::RuntimeArray { elem, stride } => (elem, stride),
            _ => (member.ty, None),
        };
        let size = types.size(elem);
        let host = self.ty(elem, member, span)?;
        let stride = match host {
            // Memory may be used in other words than those that it is declared as.
            Type::Scalar(s) if stride.is_none() || Some(s.size()) != size => Some(s.size()),
            _ => stride,
        };
        match stride {
            Some(stride) => Some((host, stride)),
            None => self.refused(member, span),
        }
    }

    fn refused<T>(&mut self, member: &ir::Member, span: Span) -> Option<T> {
        let what = match member.declared.as_deref().map_or("", |d| &d.spelling) {
            "" => "a type without layout".to_string(),
            spelling => format!("`{spelling}`"),
        };
        self.unsupported(span, format!("{what} in memory that the host sees"));
        None
    }

    /// The type of a part of a member.
    fn ty(&mut self, ty: ir::Type, member: &ir::Member, span: Span) -> Option<Type> {
        let types = &self.module.ctx.types;
        let declared = member.declared.as_deref();
        let order = declared.and_then(|d| d.matrix);
        let scalar = self.scalar(ty, declared);
        let found = match *types.kind(ty) {
            TypeKind::Int { .. } | TypeKind::Float { .. } => scalar.map(Type::Scalar),
            TypeKind::Vector { len, .. } => scalar.map(|s| Type::Vector(s, u32::from(len))),
            TypeKind::Matrix { column, columns } => scalar.zip(member.matrix).map(|(scalar, layout)| {
                let (rows, columns) = (u32::from(types.len_of(column)), u32::from(columns));
                let (major, minor) = if layout.row_major { (rows, columns) } else { (columns, rows) };
                let row_major = order.map_or(layout.row_major, |o| o == MatrixOrder::RowMajor);
                Type::Matrix { scalar, major, minor, stride: layout.stride, row_major }
            }),
            TypeKind::Array { elem, len, stride: Some(stride) } => match (order, types.kind(elem)) {
                // A matrix of what SPIR-V has no matrices of.
                (Some(order), TypeKind::Vector { len: minor, .. }) => {
                    let (minor, row_major) = (u32::from(*minor), order == MatrixOrder::RowMajor);
                    let scalar = self.scalar(elem, declared);
                    scalar.map(|scalar| Type::Matrix { scalar, major: len, minor, stride, row_major })
                }
                _ => {
                    let elem = Box::new(self.ty(elem, member, span)?);
                    Some(Type::Array { elem, len, stride })
                }
            },
            TypeKind::Struct(_) => {
                let extent = declared.and_then(|d| d.extent);
                return self.structure(ty, extent, &[], span).map(Type::Struct);
            }
            _ => None,
        };
        found.or_else(|| self.refused(member, span))
    }

    /// Index of a struct in the table, without the addresses of buffers in it and the sizes that follow these. One that lies
    /// differently in constant and in other buffers has two entries.
    pub(super) fn structure(
        &mut self,
        ty: ir::Type,
        extent: Option<Extent>,
        addresses: &[(ir::Global, u32)],
        span: Span,
    ) -> Option<u32> {
        if let Some(known) = self.known.get(&(ty, extent)) {
            return Some(*known);
        }
        let module = self.module;
        let def = module.ctx.types.structure(ty)?;
        let mut members = Vec::new();
        let is_address = |m: &ir::Member| {
            addresses.iter().any(|(_, at)| m.offset == Some(*at) || m.offset == Some(at + 8))
        };
        for (i, m) in def.members.iter().enumerate().filter(|(_, m)| !is_address(m)) {
            let (Some(offset), host) = (m.offset, self.ty(m.ty, m, span)?) else {
                return self.refused(m, span);
            };
            let declared = m.declared.as_deref();
            let name = if m.name.is_empty() { format!("member{i}") } else { word(&m.name) };
            let line = self.line(declared.map_or(Span::default(), |d| d.span));
            let spelling = declared.map(|d| d.spelling.clone()).filter(|s| !s.is_empty());
            let hlsl = spelling.unwrap_or_else(|| spelled(&host));
            members.push(Member { name, offset, ty: host, line, hlsl });
        }
        // `packoffset` may put members in any order; the file has them by offset.
        members.sort_by_key(|m| m.offset);
        let Extent { size, align } = match extent {
            Some(extent) => extent,
            None => self.extent(ty)?,
        };
        let mut name = host_name(&def.name);
        let index = loop {
            let new = Struct { name: name.clone(), size, align, members: members.clone() };
            match self.out.structs.iter().position(|o| o.name == name) {
                Some(i) if self.out.structs[i] == new => break i as u32,
                Some(_) => name.push_str(if self.in_constants { "InConstants" } else { "InBuffer" }),
                None => {
                    self.out.structs.push(new);
                    break self.out.structs.len() as u32 - 1;
                }
            }
        };
        self.known.insert((ty, extent), index);
        Some(index)
    }

    /// Size and alignment as the members need them.
    fn extent(&self, ty: ir::Type) -> Option<Extent> {
        let align = self.alignment(ty);
        Some(Extent { size: self.module.ctx.types.size(ty)?.next_multiple_of(align), align })
    }

    /// The size of the largest scalar.
    fn alignment(&self, ty: ir::Type) -> u32 {
        let types = &self.module.ctx.types;
        match types.kind(ty) {
            TypeKind::Array { elem, .. } => self.alignment(*elem),
            TypeKind::Struct(s) => s.members.iter().map(|m| self.alignment(m.ty)).max().unwrap_or(1),
            _ => types.size(types.scalar_of(ty)).unwrap_or(1),
        }
    }
}

/// A type of which nobody says how the source spells it.
fn spelled(ty: &Type) -> String {
    match ty {
        Type::Scalar(s) => s.name().to_string(),
        Type::Vector(s, n) => format!("<{n} x {}>", s.name()),
        _ => String::new(),
    }
}
