//! Interned types, with their memory layout.

use crate::ir::constant::Const;
use crate::ir::declared::Declared;
use crate::ir::decoration::Decorations;
use crate::ir::entity::Entity;
use crate::ir::unique::Unique;
use smallvec::SmallVec;
use spirv_spec::{Decoration, Dim, FPEncoding, ImageFormat, StorageClass};
use std::sync::Arc;

crate::entity! {
    /// An interned type of a [`TypeTable`]. Two types are equal exactly when their keys are.
    Type = "ty";
}

/// What a type is. Layout is part of the type: an array with a stride differs from one without.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum TypeKind {
    /// `OpTypeVoid`.
    Void,
    /// `OpTypeBool`; has no layout, so it never appears in memory that a host sees.
    Bool,
    /// `OpTypeInt`. Signless integers (LLVM's) are unsigned, as SPIR-V has it.
    Int {
        /// Bits.
        width: u8,
        /// Signedness semantics.
        signed: bool,
    },
    /// `OpTypeFloat`.
    Float {
        /// Bits: 16, 32 or 64.
        width: u8,
    },
    /// `OpTypeFloat` of another encoding than IEEE 754's: `bfloat16`, 8 bits and fewer.
    EncodedFloat {
        /// Bits.
        width: u8,
        /// Which encoding.
        encoding: FPEncoding,
    },
    /// `OpTypeVector` of scalars.
    Vector {
        /// Scalar type.
        elem: Type,
        /// Components: 2, 3, 4 (8, 16 in kernels).
        len: u8,
    },
    /// `OpTypeMatrix`: columns of floating-point vectors.
    Matrix {
        /// Vector type of a column.
        column: Type,
        /// Number of columns.
        columns: u8,
    },
    /// `OpTypeArray`.
    Array {
        /// Element type.
        elem: Type,
        /// Number of elements, at least 1.
        len: u32,
        /// `ArrayStride` in bytes, where the array has a layout.
        stride: Option<u32>,
    },
    /// `OpTypeRuntimeArray`: the last member of a buffer block.
    RuntimeArray {
        /// Element type.
        elem: Type,
        /// `ArrayStride` in bytes.
        stride: Option<u32>,
    },
    /// `OpTypeArray` whose length is chosen when the program is specialised.
    SpecArray {
        /// Element type.
        elem: Type,
        /// The length.
        len: Const,
        /// `ArrayStride` in bytes, where the array has a layout.
        stride: Option<u32>,
    },
    /// `OpTypeStruct`.
    Struct(StructType),
    /// `OpTypePointer`.
    Pointer {
        /// Type of the object pointed to.
        pointee: Type,
        /// Storage class.
        storage: StorageClass,
    },
    /// `OpTypeImage`.
    Image(ImageType),
    /// `OpTypeSampler`.
    Sampler,
    /// `OpTypeSampledImage` of an image type.
    SampledImage(Type),
    /// A type of kernels that nothing here looks into: images with an access qualifier, events, pipes, queues.
    Opaque(OpaqueType),
    /// A type of shaders that nothing here looks into, with any operands.
    Custom(CustomType),
    /// `OpTypeFunction`.
    Function {
        /// Return type.
        result: Type,
        /// Parameter types.
        params: Vec<Type>,
    },
}

/// An opaque type by its declaring instruction: `OpTypeEvent`, `OpTypePipe`, ...
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct OpaqueType {
    /// The instruction that declares it.
    pub op: spirv_spec::Op,
    /// Its operands that are types, which come first.
    pub types: Vec<Type>,
    /// Its literal operands.
    pub words: Vec<u32>,
}

/// A type by its declaring instruction, with operands in any order: `OpTypeCooperativeMatrixKHR`, ...
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CustomType {
    /// The instruction that declares it.
    pub op: spirv_spec::Op,
    /// Its operands.
    pub operands: Vec<TypeOperand>,
}

/// An operand of a [`CustomType`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TypeOperand {
    /// A type.
    Type(Type),
    /// A literal word.
    Literal(u32),
    /// The `<id>` of a 32-bit unsigned constant.
    Const(u32),
}

/// A struct, interned by name and members.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct StructType {
    /// Name, for people (`OpName`).
    pub name: String,
    /// Members in order.
    pub members: Vec<Member>,
    /// Decorations: `Block`, which the outermost type of an interface variable has, `CPacked`, ...
    pub decorations: Decorations,
}

impl StructType {
    /// A struct that nothing more is said of.
    pub fn new(name: impl Into<String>, members: Vec<Member>) -> StructType {
        StructType { name: name.into(), members, decorations: Decorations::new() }
    }

    /// The outermost type of an interface variable.
    pub fn block(name: impl Into<String>, members: Vec<Member>) -> StructType {
        let mut s = StructType::new(name, members);
        s.decorations.mark(Decoration::Block);
        s
    }

    /// Whether it is the outermost type of an interface variable.
    pub fn is_block(&self) -> bool {
        self.decorations.has(Decoration::Block)
    }

    /// Whether there is no padding between its members (kernels only).
    pub fn is_packed(&self) -> bool {
        self.decorations.has(Decoration::CPacked)
    }
}

/// A member of a [`StructType`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Member {
    /// Name, for people (`OpMemberName`).
    pub name: String,
    /// Type.
    pub ty: Type,
    /// `Offset` in bytes, where the struct has a layout.
    pub offset: Option<u32>,
    /// Layout of a matrix member (or of an array of matrices).
    pub matrix: Option<MatrixLayout>,
    /// Decorations: `BuiltIn`, `NonWritable`, ... Their operands are words and strings, as there is no member instruction for ids.
    pub decorations: Decorations,
    /// How the source declares it.
    pub declared: Option<Arc<Declared>>,
}

impl Member {
    /// A member that nothing more is said of.
    pub fn new(name: impl Into<String>, ty: Type) -> Member {
        let (name, decorations) = (name.into(), Decorations::new());
        Member { name, ty, offset: None, matrix: None, decorations, declared: None }
    }
}

/// `MatrixStride` with `RowMajor` or `ColMajor`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MatrixLayout {
    /// Bytes between stored vectors.
    pub stride: u32,
    /// `RowMajor`, otherwise `ColMajor`. In terms of the SPIR-V matrix, whose columns may be HLSL's rows.
    pub row_major: bool,
}

/// Operands of `OpTypeImage`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ImageType {
    /// Scalar type of a texel's components.
    pub sampled_type: Type,
    /// Dimensionality.
    pub dim: Dim,
    /// 0 no depth image, 1 depth image, 2 unknown.
    pub depth: u8,
    /// Array of images.
    pub arrayed: bool,
    /// Multisampled.
    pub multisampled: bool,
    /// 0 known at run time only, 1 used with a sampler (or fetched), 2 storage image.
    pub sampled: u8,
    /// Format of a storage image.
    pub format: ImageFormat,
}

/// Owns and unifies the types of a module.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TypeTable {
    types: Unique<TypeKind>,
}

impl TypeTable {
    /// The type of this kind, added if it is new.
    pub fn intern(&mut self, kind: TypeKind) -> Type {
        Type::new(self.types.insert(kind))
    }

    /// What a type is.
    pub fn kind(&self, ty: Type) -> &TypeKind {
        &self.types[ty.index()]
    }

    /// The type of this kind, if it is known.
    pub fn find(&self, kind: &TypeKind) -> Option<Type> {
        self.types.number_of(kind).map(Type::new)
    }

    /// Number of types.
    pub fn len(&self) -> usize {
        self.types.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.types.is_empty()
    }

    /// All types, each after those it is made of.
    pub fn iter(&self) -> impl Iterator<Item = (Type, &TypeKind)> {
        self.types.iter().enumerate().map(|(i, k)| (Type::new(i), k))
    }

    /// `void`.
    pub fn void(&mut self) -> Type {
        self.intern(TypeKind::Void)
    }

    /// `bool`.
    pub fn bool(&mut self) -> Type {
        self.intern(TypeKind::Bool)
    }

    /// An integer.
    pub fn int(&mut self, width: u8, signed: bool) -> Type {
        self.intern(TypeKind::Int { width, signed })
    }

    /// The 32-bit unsigned integer.
    pub fn u32(&mut self) -> Type {
        self.int(32, false)
    }

    /// The 32-bit signed integer.
    pub fn i32(&mut self) -> Type {
        self.int(32, true)
    }

    /// A float.
    pub fn float(&mut self, width: u8) -> Type {
        self.intern(TypeKind::Float { width })
    }

    /// A vector, or the scalar itself if `len` is 1.
    pub fn vector(&mut self, elem: Type, len: u8) -> Type {
        if len == 1 { elem } else { self.intern(TypeKind::Vector { elem, len }) }
    }

    /// A pointer.
    pub fn pointer(&mut self, pointee: Type, storage: StorageClass) -> Type {
        self.intern(TypeKind::Pointer { pointee, storage })
    }

    /// The scalar type of a scalar, vector or matrix; other types are their own.
    pub fn scalar_of(&self, ty: Type) -> Type {
        match *self.kind(ty) {
            TypeKind::Vector { elem, .. } => elem,
            TypeKind::Matrix { column, .. } => self.scalar_of(column),
            _ => ty,
        }
    }

    /// Components of a vector; 1 for all other types.
    pub fn len_of(&self, ty: Type) -> u8 {
        match *self.kind(ty) {
            TypeKind::Vector { len, .. } => len,
            _ => 1,
        }
    }

    /// The struct that a type is.
    pub fn structure(&self, ty: Type) -> Option<&StructType> {
        match self.kind(ty) {
            TypeKind::Struct(s) => Some(s),
            _ => None,
        }
    }

    /// What a pointer points to, and where.
    pub fn pointee(&self, ty: Type) -> Option<(Type, StorageClass)> {
        match *self.kind(ty) {
            TypeKind::Pointer { pointee, storage } => Some((pointee, storage)),
            _ => None,
        }
    }

    /// Whether the type is a bool or a vector of bools.
    pub fn is_bool(&self, ty: Type) -> bool {
        matches!(self.kind(self.scalar_of(ty)), TypeKind::Bool)
    }

    /// Whether the type is a float or a vector or matrix of floats.
    pub fn is_float(&self, ty: Type) -> bool {
        matches!(self.kind(self.scalar_of(ty)), TypeKind::Float { .. } | TypeKind::EncodedFloat { .. })
    }

    /// Whether there are floats of another encoding than IEEE 754's.
    pub fn has_encoded_floats(&self) -> bool {
        self.types.iter().any(|k| matches!(k, TypeKind::EncodedFloat { .. }))
    }

    /// Whether the type is a scalar or a vector.
    pub fn is_plain(&self, ty: Type) -> bool {
        matches!(
            self.kind(ty),
            TypeKind::Bool
                | TypeKind::Int { .. }
                | TypeKind::Float { .. }
                | TypeKind::EncodedFloat { .. }
                | TypeKind::Vector { .. }
        )
    }

    /// Signedness of an integer or vector of integers; None for other types.
    pub fn int_signed(&self, ty: Type) -> Option<bool> {
        match *self.kind(self.scalar_of(ty)) {
            TypeKind::Int { signed, .. } => Some(signed),
            _ => None,
        }
    }

    /// Bits of the scalar of a numerical type (bool: 1); None for other types.
    pub fn width_of(&self, ty: Type) -> Option<u8> {
        match *self.kind(self.scalar_of(ty)) {
            TypeKind::Int { width, .. }
            | TypeKind::Float { width }
            | TypeKind::EncodedFloat { width, .. } => Some(width),
            TypeKind::Bool => Some(1),
            _ => None,
        }
    }

    /// The type of component or member `index` of a composite.
    pub fn element(&self, ty: Type, index: u32) -> Option<Type> {
        match self.kind(ty) {
            TypeKind::Vector { elem, len } => (index < u32::from(*len)).then_some(*elem),
            TypeKind::Matrix { column, columns } => (index < u32::from(*columns)).then_some(*column),
            TypeKind::Array { elem, len, .. } => (index < *len).then_some(*elem),
            TypeKind::RuntimeArray { elem, .. } | TypeKind::SpecArray { elem, .. } => Some(*elem),
            TypeKind::Struct(s) => s.members.get(index as usize).map(|m| m.ty),
            _ => None,
        }
    }

    /// Size in bytes of an object with a layout. None for types without one (bool, pointers, images, runtime
    /// arrays, arrays without stride, structs without offsets).
    pub fn size(&self, ty: Type) -> Option<u32> {
        match self.kind(ty) {
            TypeKind::Int { width, .. } | TypeKind::Float { width } => Some(u32::from(*width) / 8),
            TypeKind::EncodedFloat { width, .. } if width % 8 == 0 => Some(u32::from(*width) / 8),
            TypeKind::Vector { elem, len } => Some(self.size(*elem)? * u32::from(*len)),
            TypeKind::Array { elem, len, stride } => {
                (*stride)?.checked_mul(len.checked_sub(1)?)?.checked_add(self.size(*elem)?)
            }
            TypeKind::Struct(s) => {
                let mut end = 0;
                for m in &s.members {
                    end = end.max(m.offset?.checked_add(self.member_size(m)?)?);
                }
                Some(end)
            }
            _ => None,
        }
    }

    /// Size in bytes of a struct member, which for a matrix depends on its layout.
    fn member_size(&self, member: &Member) -> Option<u32> {
        let Some(layout) = member.matrix else { return self.size(member.ty) };
        let (mut ty, mut arrays) = (member.ty, SmallVec::<[(u32, u32); 2]>::new());
        while let TypeKind::Array { elem, len, stride } = *self.kind(ty) {
            arrays.push((len, stride?));
            ty = elem;
        }
        let TypeKind::Matrix { column, columns } = *self.kind(ty) else { return self.size(member.ty) };
        let (scalar, rows) = (self.size(self.scalar_of(column))?, u32::from(self.len_of(column)));
        let (vectors, len) =
            if layout.row_major { (rows, u32::from(columns)) } else { (u32::from(columns), rows) };
        let mut size =
            layout.stride.checked_mul(vectors.checked_sub(1)?)?.checked_add(scalar.checked_mul(len)?)?;
        for (len, stride) in arrays.into_iter().rev() {
            size = stride.checked_mul(len.checked_sub(1)?)?.checked_add(size)?;
        }
        Some(size)
    }
}

/// The types that a type is made of.
pub fn parts(kind: &TypeKind, out: &mut impl Extend<Type>) {
    match kind {
        TypeKind::Vector { elem, .. }
        | TypeKind::Array { elem, .. }
        | TypeKind::RuntimeArray { elem, .. }
        | TypeKind::SpecArray { elem, .. }
        | TypeKind::SampledImage(elem)
        | TypeKind::Matrix { column: elem, .. }
        | TypeKind::Pointer { pointee: elem, .. } => out.extend([*elem]),
        TypeKind::Struct(s) => out.extend(s.members.iter().map(|m| m.ty)),
        TypeKind::Image(i) => out.extend([i.sampled_type]),
        TypeKind::Opaque(o) => out.extend(o.types.iter().copied()),
        TypeKind::Custom(o) => out.extend(o.operands.iter().filter_map(|o| match o {
            TypeOperand::Type(t) => Some(*t),
            _ => None,
        })),
        TypeKind::Function { result, params } => {
            out.extend([*result]);
            out.extend(params.iter().copied());
        }
        TypeKind::Void
        | TypeKind::Bool
        | TypeKind::Int { .. }
        | TypeKind::Float { .. }
        | TypeKind::EncodedFloat { .. }
        | TypeKind::Sampler => {}
    }
}
