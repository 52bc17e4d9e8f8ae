//! Types as LLVM writes them, and where objects lie in memory.
//!
//! A value has the type of the conversion manual: integers lose their sign, a struct without offsets is packed where the
//! host never sees it (`Logical` addressing) and as C has it in kernels, a matrix is an array of columns. Memory is the
//! same but for bools, which take a byte there, and for types with a layout, which are addressed in bytes: their own
//! offsets and strides count, not LLVM's.

use super::{Export, Flavor};
use crate::ir::entity::Entity;
use crate::ir::walk::MAX_NESTING;
use crate::ir::{Module, Op, OpaqueType, StorageClass, StructType, Type, TypeKind, TypeTable};
use spirv_spec::AddressingModel;
use std::fmt;
use std::rc::Rc;

/// A scalar of numbers, or bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Elem {
    /// An integer; a bool has one bit.
    Int(u8),
    Float(u8),
}

/// A scalar or a vector of numbers or bits: what instructions compute with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    pub elem: Elem,
    pub len: u8,
}

impl Shape {
    pub const BOOL: Shape = Shape::int(1);
    pub const I32: Shape = Shape::int(32);
    pub const I64: Shape = Shape::int(64);

    pub const fn int(width: u8) -> Shape {
        Shape { elem: Elem::Int(width), len: 1 }
    }

    pub const fn float(width: u8) -> Shape {
        Shape { elem: Elem::Float(width), len: 1 }
    }

    /// The shape of a type, if it is a scalar or vector.
    pub fn of(types: &TypeTable, ty: Type) -> Option<Shape> {
        Some(match *types.kind(ty) {
            TypeKind::Bool => Shape::BOOL,
            TypeKind::Int { width, .. } => Shape::int(width),
            TypeKind::Float { width } => Shape::float(width),
            TypeKind::Vector { elem, len } => Shape { len, ..Shape::of(types, elem)? },
            _ => return None,
        })
    }

    pub fn scalar(self) -> Shape {
        Shape { len: 1, ..self }
    }

    /// As many components of another kind.
    pub fn with(self, elem: Elem) -> Shape {
        Shape { elem, ..self }
    }

    /// As many bools.
    pub fn bools(self) -> Shape {
        self.with(Elem::Int(1))
    }

    /// As many integers of the same width.
    pub fn ints(self) -> Shape {
        self.with(Elem::Int(self.width()))
    }

    pub fn width(self) -> u8 {
        match self.elem {
            Elem::Int(w) | Elem::Float(w) => w,
        }
    }

    pub fn is_float(self) -> bool {
        matches!(self.elem, Elem::Float(_))
    }

    pub fn is_bool(self) -> bool {
        self.elem == Elem::Int(1)
    }

    /// The part of an intrinsic's name that says this type.
    pub fn mangled(self) -> String {
        let vector = if self.len > 1 { format!("v{}", self.len) } else { String::new() };
        match self.elem {
            Elem::Int(w) => format!("{vector}i{w}"),
            Elem::Float(w) => format!("{vector}f{w}"),
        }
    }

    /// Bytes of a component in memory.
    pub fn bytes(self) -> u32 {
        u32::from(self.width().max(8)) / 8
    }
}

impl fmt::Display for Elem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Elem::Int(w) => write!(f, "i{w}"),
            Elem::Float(16) => f.write_str("half"),
            Elem::Float(32) => f.write_str("float"),
            Elem::Float(_) => f.write_str("double"),
        }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.len == 1 { write!(f, "{}", self.elem) } else { write!(f, "<{} x {}>", self.len, self.elem) }
    }
}

/// The address space of a storage class in `spir64` modules.
pub(super) fn address_space(storage: StorageClass) -> u32 {
    match storage {
        // Variables of system values have no address space of their own.
        StorageClass::CrossWorkgroup | StorageClass::Input => 1,
        StorageClass::UniformConstant => 2,
        StorageClass::Workgroup => 3,
        StorageClass::Generic => 4,
        StorageClass::DeviceOnlyINTEL => 5,
        StorageClass::HostOnlyINTEL => 6,
        _ => 0,
    }
}

/// Whether LLVM packs a struct of values.
fn is_packed(module: &Module, s: &StructType) -> bool {
    let laid_out = s.members.iter().any(|m| m.offset.is_some());
    match module.addressing {
        AddressingModel::Logical => !laid_out,
        _ => s.is_packed(),
    }
}

impl Export<'_> {
    /// The type of a value.
    pub fn ty(&mut self, ty: Type) -> Rc<str> {
        self.type_text(ty, false)
    }

    /// The type of an object in memory.
    pub fn memory_ty(&mut self, ty: Type) -> Rc<str> {
        self.type_text(ty, true)
    }

    fn type_text(&mut self, ty: Type, memory: bool) -> Rc<str> {
        let at = ty.index() * 2 + usize::from(memory);
        if self.type_texts.len() <= at {
            self.type_texts.resize(at + 2, None);
        }
        if let Some(text) = &self.type_texts[at] {
            return text.clone();
        }
        let mut text = String::new();
        self.write_type(ty, memory, 1, &mut text);
        let text: Rc<str> = text.into();
        self.type_texts[at] = Some(text.clone());
        text
    }

    /// The name of a struct, where structs have names.
    pub fn struct_name(&self, ty: Type) -> Option<String> {
        Some(format!("%{}", self.struct_names.get(ty.index())?.as_ref()?))
    }

    /// A struct written out.
    pub fn struct_body(&self, ty: Type) -> String {
        let mut text = String::new();
        self.write_type(ty, false, 0, &mut text);
        text
    }

    fn write_type(&self, ty: Type, memory: bool, depth: usize, out: &mut String) {
        use fmt::Write;
        if depth > MAX_NESTING {
            // No module that verifies has such types; LLVM says what it thinks of this one.
            out.push_str("void");
            return;
        }
        let m = self.module;
        let _ = match m.ctx.types.kind(ty) {
            TypeKind::Void => out.write_str("void"),
            // Refused before anything is written.
            TypeKind::EncodedFloat { .. } => out.write_str("void"),
            TypeKind::Bool | TypeKind::Int { .. } | TypeKind::Float { .. } | TypeKind::Vector { .. } => {
                let shape = Shape::of(&m.ctx.types, ty).unwrap_or(Shape::I32);
                let shape = if memory && shape.is_bool() { shape.with(Elem::Int(8)) } else { shape };
                write!(out, "{shape}")
            }
            TypeKind::Matrix { column, columns } => {
                let _ = write!(out, "[{columns} x ");
                self.write_type(*column, memory, depth + 1, out);
                out.write_str("]")
            }
            TypeKind::Array { elem, len, .. } => {
                let _ = write!(out, "[{len} x ");
                self.write_type(*elem, memory, depth + 1, out);
                out.write_str("]")
            }
            // Of both the length is not known here.
            TypeKind::RuntimeArray { elem, .. } | TypeKind::SpecArray { elem, .. } => {
                out.push_str("[0 x ");
                self.write_type(*elem, memory, depth + 1, out);
                out.write_str("]")
            }
            TypeKind::Struct(_) if depth > 0 && self.struct_name(ty).is_some() => {
                out.write_str(&self.struct_name(ty).unwrap_or_default())
            }
            TypeKind::Struct(s) => {
                let packed = is_packed(m, s);
                out.push_str(if packed { "<{" } else { "{" });
                for (i, member) in s.members.iter().enumerate() {
                    out.push_str(if i > 0 { ", " } else { " " });
                    self.write_type(member.ty, memory, depth + 1, out);
                }
                out.push_str(if s.members.is_empty() { "" } else { " " });
                out.write_str(if packed { "}>" } else { "}" })
            }
            TypeKind::Pointer { storage, .. } => match (self.flavor, address_space(*storage)) {
                (Flavor::Host, _) | (_, 0) => out.write_str("ptr"),
                (_, space) => write!(out, "ptr addrspace({space})"),
            },
            TypeKind::Sampler if self.flavor == Flavor::Spir64 => out.write_str("target(\"spirv.Sampler\")"),
            TypeKind::Image(_) | TypeKind::Sampler | TypeKind::Custom(_) => out.write_str("ptr"),
            TypeKind::SampledImage(_) => out.write_str("{ ptr, ptr }"),
            TypeKind::Opaque(o) => match self.flavor {
                Flavor::Host => out.write_str("ptr"),
                Flavor::Spir64 => {
                    let _ = write!(out, "target(\"spirv.{}\"", format!("{:?}", o.op).replacen("Type", "", 1));
                    let o = with_image(m, o);
                    for t in &o.types {
                        out.push_str(", ");
                        self.write_type(*t, false, depth + 1, out);
                    }
                    for n in &o.words {
                        let _ = write!(out, ", {n}");
                    }
                    out.write_str(")")
                }
            },
            TypeKind::Function { .. } => out.write_str("ptr"),
        };
    }

    /// Whether the module says where the parts of a type lie.
    pub fn has_layout(&self, ty: Type) -> bool {
        match self.module.ctx.types.kind(ty) {
            TypeKind::Array { elem, stride, .. } | TypeKind::RuntimeArray { elem, stride } => {
                stride.is_some() || self.has_layout(*elem)
            }
            TypeKind::Struct(s) => s.members.iter().any(|m| m.offset.is_some()),
            _ => false,
        }
    }

    /// Whether an object in memory is not what a value of its type is: it has a layout or bools, or LLVM must not
    /// take its alignment for granted.
    pub fn in_pieces(&self, ty: Type) -> bool {
        match self.module.ctx.types.kind(ty) {
            TypeKind::Bool => true,
            TypeKind::Vector { elem, .. } => self.in_pieces(*elem),
            TypeKind::Array { elem, stride, .. } | TypeKind::RuntimeArray { elem, stride } => {
                stride.is_some() || self.in_pieces(*elem)
            }
            TypeKind::Struct(s) => s.members.iter().any(|m| m.offset.is_some() || self.in_pieces(m.ty)),
            _ => false,
        }
    }

    /// The alignment in bytes that LLVM and C give an object without a layout.
    pub fn align(&self, ty: Type) -> u32 {
        match self.module.ctx.types.kind(ty) {
            TypeKind::Vector { len, .. } => {
                let bytes = Shape::of(&self.module.ctx.types, ty).map_or(4, Shape::bytes);
                bytes * u32::from(*len).next_power_of_two()
            }
            TypeKind::Bool | TypeKind::Int { .. } | TypeKind::Float { .. } => {
                Shape::of(&self.module.ctx.types, ty).map_or(4, Shape::bytes)
            }
            TypeKind::Matrix { column: elem, .. }
            | TypeKind::Array { elem, .. }
            | TypeKind::SpecArray { elem, .. }
            | TypeKind::RuntimeArray { elem, .. } => self.align(*elem),
            TypeKind::Struct(s) if is_packed(self.module, s) => 1,
            TypeKind::Struct(s) => s.members.iter().map(|m| self.align(m.ty)).max().unwrap_or(1),
            _ => 8,
        }
    }

    /// Bytes that an object without a layout takes, with what LLVM puts behind it.
    pub fn natural_size(&self, ty: Type) -> u64 {
        let round = |n: u64, to: u64| n.div_ceil(to.max(1)) * to.max(1);
        match self.module.ctx.types.kind(ty) {
            TypeKind::Vector { len, .. } => {
                let bytes = Shape::of(&self.module.ctx.types, ty).map_or(4, Shape::bytes);
                u64::from(bytes * u32::from(*len).next_power_of_two())
            }
            TypeKind::Bool | TypeKind::Int { .. } | TypeKind::Float { .. } => u64::from(self.align(ty)),
            TypeKind::Matrix { column, columns } => self.natural_size(*column) * u64::from(*columns),
            TypeKind::Array { elem, len, stride } => {
                stride.map_or_else(|| self.natural_size(*elem), u64::from).saturating_mul(u64::from(*len))
            }
            TypeKind::RuntimeArray { .. } | TypeKind::SpecArray { .. } => 0,
            TypeKind::Struct(s) if s.members.iter().any(|m| m.offset.is_some()) => {
                u64::from(self.module.ctx.types.size(ty).unwrap_or(0))
            }
            TypeKind::Struct(s) => {
                let packed = is_packed(self.module, s);
                let mut end = 0;
                for m in &s.members {
                    let align = if packed { 1 } else { u64::from(self.align(m.ty)) };
                    end = round(end, align) + self.natural_size(m.ty);
                }
                round(end, u64::from(self.align(ty)))
            }
            _ => 8,
        }
    }

    /// Whether a struct is packed, so that its members are aligned to nothing.
    pub fn is_packed(&self, ty: Type) -> bool {
        matches!(self.module.ctx.types.kind(ty), TypeKind::Struct(s) if is_packed(self.module, s))
    }
}

/// The type whose operands stand for those of `o`: a sampled image has those of its image.
pub(super) fn with_image<'m>(module: &'m Module, o: &'m OpaqueType) -> &'m OpaqueType {
    let image = o.types.first().filter(|_| o.op == Op::TypeSampledImage).map(|t| module.ctx.types.kind(*t));
    match image {
        Some(TypeKind::Opaque(image)) => image,
        _ => o,
    }
}
