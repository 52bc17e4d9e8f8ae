//! HLSL types, interned.
//!
//! Invariants:
//! 1. Equal types have equal [`TypeId`]s within one [`Types`].
//! 2. A vector has 2 to 4 components: `float1` is `float`. A matrix has 1 to 4 rows and columns.
//! 3. How a matrix lies in memory is not part of its type: it is a property of the declaration that stores it
//!    ([`Field::order`], [`crate::hlsl::hir::Global::order`]). Values have no orientation.
//! 4. [`Scalar::LitInt`], [`Scalar::LitFloat`] and [`Type::Error`] exist while a program is checked and never in a
//!    finished [`crate::hlsl::hir::Module`].
//! 5. Scalars are as they were written: `half` and `float` are two types also where they are computed in the same way
//!    ([`Scalar::erased`]).
use super::hir::Decoration;
use crate::source::Span;
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicU64, Ordering};

pub use super::resource_types::{Dim, Resource, TextureShape};
pub use super::scalar::Scalar;

super::entity! {
    /// An interned type.
    TypeId
}
super::entity! {
    /// A declared structure.
    StructId
}
super::entity! {
    /// A declared enumeration.
    EnumId
}
super::entity! {
    /// A type that the source writes as an instruction of SPIR-V.
    SpirvTypeId
}

/// How a matrix lies in memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum MatrixOrder {
    /// Columns are contiguous; HLSL's default.
    #[default]
    ColumnMajor,
    /// Rows are contiguous.
    RowMajor,
}

/// A type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// Stands for a type that could not be determined; a diagnostic was given.
    Error,
    /// `void`.
    Void,
    /// A scalar.
    Scalar(Scalar),
    /// Component type and number of components (2 to 4).
    Vector(Scalar, u8),
    /// Component type, rows, columns.
    Matrix(Scalar, u8, u8),
    /// Element type and length (at least 1).
    Array(TypeId, u32),
    /// An array whose length is not known (`T a[]`): only of resources, or while an initialiser is read.
    UnsizedArray(TypeId),
    /// A structure.
    Struct(StructId),
    /// An enumeration; in memory and in arithmetic it is its underlying scalar.
    Enum(EnumId),
    /// A resource object or sampler.
    Resource(Resource),
    /// A string literal's type.
    String,
    /// `vk::BufferPointer<T, align>`: the address of a `T` in a buffer, 64 bits.
    BufferPointer {
        /// What it points to.
        elem: TypeId,
        /// Alignment of the address, in bytes; 0 is that of what it points to.
        align: u32,
        /// How matrices there lie in memory.
        order: MatrixOrder,
    },
    /// `vk::SpirvType`, `vk::SpirvOpaqueType`, `vk::ext_type`.
    Spirv(SpirvTypeId),
    /// `RayQuery<flags>`.
    RayQuery(u32),
    /// `ResourceDescriptorHeap` or, for samplers, `SamplerDescriptorHeap`; only while a program is checked.
    Heap {
        /// Whether it holds samplers.
        sampler: bool,
    },
    /// An element of one, before it is known as what resource it is used; only while a program is checked.
    Descriptor {
        /// Whether it is a sampler.
        sampler: bool,
    },
    /// `vk::Literal<T>` and `vk::integral_constant<T, v>`, which are arguments of other types.
    Constant {
        /// Type of the value.
        ty: TypeId,
        /// Value.
        value: i64,
        /// Whether it is a literal in an instruction, not the result of one.
        literal: bool,
    },
    /// A type of another shader stage ([`crate::hlsl::stages`]); only functions that nothing reaches name a value of it.
    Foreign {
        /// Its name.
        name: &'static str,
        /// What it holds, if anything: else the error type.
        elem: TypeId,
        /// How many of those, or another number that it has.
        count: u32,
    },
}

/// A type as an instruction of SPIR-V.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SpirvType {
    /// Number of the instruction.
    pub op: u32,
    /// Size and alignment in bytes; none for opaque types.
    pub layout: Option<(u32, u32)>,
    /// Operands.
    pub operands: Vec<SpirvOperand>,
}

/// An operand of a [`SpirvType`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SpirvOperand {
    /// A type.
    Type(TypeId),
    /// A word in the instruction.
    Literal(u32),
    /// A constant of a scalar type.
    Const(TypeId, i64),
}

/// A member of a structure.
#[derive(Clone, Debug)]
pub struct Field {
    /// Name; the base structure, when there is one, is field 0 and is called `$base`.
    pub name: String,
    /// Type.
    pub ty: TypeId,
    /// How matrices in it lie in memory.
    pub order: MatrixOrder,
    /// `: SV_DispatchThreadID` and the like, as written.
    pub semantic: Option<String>,
    /// `packoffset`, in bytes; only for members of a `cbuffer`.
    pub packoffset: Option<u32>,
    /// `[[vk::offset(n)]]`, in bytes.
    pub vk_offset: Option<u32>,
    /// `[[vk::ext_decorate(n, literals…)]]` and `ext_decorate_string`, where the structure lies in memory.
    pub decorations: Vec<Decoration>,
    /// `precise`.
    pub precise: bool,
    /// The bit fields that share it; empty for all other members. To the program they are members of their own.
    pub bits: Vec<BitField>,
    /// Where it is declared.
    pub span: Span,
}

impl Field {
    /// A member with nothing but a name and a type.
    pub(crate) fn new(name: impl Into<String>, ty: TypeId, span: Span) -> Self {
        Self {
            name: name.into(),
            ty,
            order: MatrixOrder::ColumnMajor,
            semantic: None,
            packoffset: None,
            vk_offset: None,
            decorations: Vec::new(),
            precise: false,
            bits: Vec::new(),
            span,
        }
    }
}

/// A bit field: some bits of the member that it lies in.
#[derive(Clone, Debug)]
pub struct BitField {
    /// Name.
    pub name: String,
    /// Where it lies.
    pub range: BitRange,
}

/// A range of bits of an integer, and what they are to the program: an integer of the same width, an enumeration of such, or `bool`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BitRange {
    /// The lowest bit.
    pub offset: u8,
    /// Number of bits, at least 1.
    pub width: u8,
    /// The type of the bit field.
    pub ty: TypeId,
}

/// What was found out about the members of a structure, for as long as it has so many.
#[derive(Debug, Default)]
pub struct Known(AtomicU64);

impl Known {
    /// The answer for a structure of so many members.
    fn get(&self, members: usize) -> Option<bool> {
        let known = self.0.load(Ordering::Relaxed);
        (known >> 1 == members as u64 + 1).then_some(known & 1 != 0)
    }

    fn set(&self, members: usize, answer: bool) {
        self.0.store((members as u64 + 1) << 1 | u64::from(answer), Ordering::Relaxed);
    }
}

impl Clone for Known {
    fn clone(&self) -> Known {
        Known(AtomicU64::new(self.0.load(Ordering::Relaxed)))
    }
}

/// A structure. Types are nominal: two structures with equal members differ.
#[derive(Clone, Debug)]
pub struct Struct {
    /// Name, with namespaces and template arguments as written in HLSL.
    pub name: String,
    /// The structure it extends, which is also the type of field 0.
    pub base: Option<StructId>,
    /// Members in order.
    pub fields: Vec<Field>,
    /// Whether there are resources, and objects of other shader stages, anywhere inside: asked of each access.
    pub holds: [Known; 2],
    /// Where it is declared.
    pub span: Span,
}

/// An enumeration.
#[derive(Clone, Debug)]
pub struct Enum {
    /// Name.
    pub name: String,
    /// The scalar that represents it.
    pub scalar: Scalar,
    /// Whether it is an `enum class`, which does not convert to an integer implicitly.
    pub scoped: bool,
    /// Values in order.
    pub values: Vec<(String, i64)>,
    /// Where it is declared.
    pub span: Span,
}

/// All types of one module.
#[derive(Clone, Debug)]
pub struct Types {
    list: Vec<Type>,
    map: FxHashMap<Type, TypeId>,
    /// Structures by [`StructId`].
    pub structs: Vec<Struct>,
    /// Enumerations by [`EnumId`].
    pub enums: Vec<Enum>,
    /// Types by [`SpirvTypeId`].
    pub spirv: Vec<SpirvType>,
}

impl Default for Types {
    fn default() -> Self {
        Self::new()
    }
}

/// Types that a small program has; room for them is made at once.
const EXPECTED_TYPES: usize = 140;

/// Components of the vectors whose ids are known.
const KNOWN_COMPONENTS: usize = 4;

impl Types {
    /// Only the built-in types.
    pub fn new() -> Self {
        let mut types = Self {
            list: Vec::with_capacity(EXPECTED_TYPES),
            map: FxHashMap::default(),
            structs: Vec::new(),
            enums: Vec::new(),
            spirv: Vec::new(),
        };
        // `TypeId(0)` is the error type and `TypeId(1)` is void: the constants below rely on it.
        types.intern(Type::Error);
        types.intern(Type::Void);
        // Scalars and vectors follow: `vector_id` relies on it.
        types.list.extend(Scalar::ALL.iter().flat_map(|s| {
            std::iter::once(Type::Scalar(*s)).chain((2..=KNOWN_COMPONENTS as u8).map(|n| Type::Vector(*s, n)))
        }));
        types
    }

    /// The type that stands for "could not be determined".
    pub const ERROR: TypeId = TypeId(0);
    /// `void`.
    pub const VOID: TypeId = TypeId(1);

    /// The id of a vector of at most four components (of a scalar for one), which is the same in every program.
    pub fn vector_id(scalar: Scalar, n: u8) -> TypeId {
        let components = usize::from(n).clamp(1, KNOWN_COMPONENTS);
        TypeId((2 + scalar as usize * KNOWN_COMPONENTS + components - 1) as u32)
    }

    /// The id of a type. A vector of one component becomes its scalar.
    pub fn intern(&mut self, ty: Type) -> TypeId {
        match ty {
            Type::Scalar(s) => return Self::vector_id(s, 1),
            Type::Vector(s, n) if (1..=KNOWN_COMPONENTS).contains(&usize::from(n)) => {
                return Self::vector_id(s, n);
            }
            _ => {}
        }
        if let Some(&id) = self.map.get(&ty) {
            return id;
        }
        let id = TypeId(self.list.len() as u32);
        self.list.push(ty);
        self.map.insert(ty, id);
        id
    }

    /// The type with this id.
    pub fn get(&self, id: TypeId) -> Type {
        self.list.get(id.index()).copied().unwrap_or(Type::Error)
    }

    /// The structure with this id.
    pub fn structure(&self, id: StructId) -> &Struct {
        &self.structs[id.index()]
    }

    /// The enumeration with this id.
    pub fn enumeration(&self, id: EnumId) -> &Enum {
        &self.enums[id.index()]
    }

    /// The type that is this instruction.
    pub fn spirv_type(&mut self, ty: SpirvType) -> TypeId {
        let known = self.spirv.iter().position(|t| *t == ty);
        let at = known.unwrap_or_else(|| {
            self.spirv.push(ty);
            self.spirv.len() - 1
        });
        self.intern(Type::Spirv(SpirvTypeId(at as u32)))
    }

    /// The scalar type's id.
    pub fn scalar(&mut self, scalar: Scalar) -> TypeId {
        self.intern(Type::Scalar(scalar))
    }

    /// The vector type's id (the scalar's for one component).
    pub fn vector(&mut self, scalar: Scalar, n: u8) -> TypeId {
        self.intern(Type::Vector(scalar, n))
    }

    /// Component scalar of a scalar, vector, matrix or enumeration.
    pub fn component(&self, id: TypeId) -> Option<Scalar> {
        match self.get(id) {
            Type::Scalar(s) | Type::Vector(s, _) | Type::Matrix(s, ..) => Some(s),
            Type::Enum(e) => Some(self.enumeration(e).scalar),
            _ => None,
        }
    }

    /// The same shape (scalar, vector, matrix) with another component type.
    pub fn with_component(&mut self, id: TypeId, scalar: Scalar) -> TypeId {
        match self.get(id) {
            Type::Vector(_, n) => self.intern(Type::Vector(scalar, n)),
            Type::Matrix(_, r, c) => self.intern(Type::Matrix(scalar, r, c)),
            _ => self.intern(Type::Scalar(scalar)),
        }
    }

    /// Number of components of a scalar (1), vector or matrix.
    pub fn component_count(&self, id: TypeId) -> Option<u32> {
        match self.get(id) {
            Type::Scalar(_) | Type::Enum(_) => Some(1),
            Type::Vector(_, n) => Some(u32::from(n)),
            Type::Matrix(_, r, c) => Some(u32::from(r) * u32::from(c)),
            _ => None,
        }
    }

    /// The resource type behind any number of array dimensions.
    pub fn resource(&self, id: TypeId) -> Option<Resource> {
        match self.get(id) {
            Type::Resource(r) => Some(r),
            Type::Array(e, _) | Type::UnsizedArray(e) => self.resource(e),
            _ => None,
        }
    }

    /// Whether a type has no form in memory: it is, or contains, an opaque object that is no resource.
    pub fn is_opaque(&self, id: TypeId) -> bool {
        match self.get(id) {
            Type::Spirv(t) => self.spirv[t.index()].layout.is_none(),
            Type::RayQuery(_) => true,
            Type::Array(e, _) | Type::UnsizedArray(e) => self.is_opaque(e),
            Type::Struct(s) => self.structure(s).fields.iter().any(|f| self.is_opaque(f.ty)),
            _ => false,
        }
    }

    /// Whether a resource object lies anywhere inside.
    pub fn contains_resource(&self, id: TypeId) -> bool {
        self.holds(id, &|t| matches!(t, Type::Resource(_)), 0)
    }

    /// `known` is where structures keep the answer.
    fn holds(&self, id: TypeId, wanted: &impl Fn(Type) -> bool, known: usize) -> bool {
        match self.get(id) {
            Type::Array(e, _) | Type::UnsizedArray(e) => self.holds(e, wanted, known),
            Type::Struct(s) => {
                let Struct { fields, holds, .. } = self.structure(s);
                holds[known].get(fields.len()).unwrap_or_else(|| {
                    // One that is inside itself, which is a mistake, is not looked into again.
                    holds[known].set(fields.len(), false);
                    let answer = fields.iter().any(|f| self.holds(f.ty, wanted, known));
                    holds[known].set(fields.len(), answer);
                    answer
                })
            }
            ty => wanted(ty),
        }
    }

    /// Whether any type is one of another shader stage.
    pub fn has_foreign(&self) -> bool {
        self.list.iter().any(|t| matches!(t, Type::Foreign { .. }))
    }

    /// Whether an object of another shader stage lies anywhere inside.
    pub fn contains_foreign(&self, id: TypeId) -> bool {
        self.holds(id, &|t| matches!(t, Type::Foreign { .. }), 1)
    }

    /// The type as HLSL writes it.
    pub fn name(&self, id: TypeId) -> String {
        match self.get(id) {
            Type::Error => "<error>".into(),
            Type::Void => "void".into(),
            Type::Scalar(s) => s.name().into(),
            Type::Vector(s, n) if s.is_literal() => format!("vector<{}, {n}>", s.name()),
            Type::Vector(s, n) => format!("{}{n}", s.name()),
            Type::Matrix(s, r, c) => format!("{}{r}x{c}", s.name()),
            Type::Array(..) | Type::UnsizedArray(_) => {
                let mut dims = String::new();
                let mut elem = id;
                loop {
                    match self.get(elem) {
                        Type::Array(e, n) => {
                            dims += &format!("[{n}]");
                            elem = e;
                        }
                        Type::UnsizedArray(e) => {
                            dims += "[]";
                            elem = e;
                        }
                        _ => break,
                    }
                }
                self.name(elem) + &dims
            }
            Type::Struct(s) => self.structure(s).name.clone(),
            Type::Enum(e) => self.enumeration(e).name.clone(),
            Type::String => "string".into(),
            Type::BufferPointer { elem, align: 0, .. } => format!("vk::BufferPointer<{}>", self.name(elem)),
            Type::BufferPointer { elem, align, .. } => {
                format!("vk::BufferPointer<{}, {align}>", self.name(elem))
            }
            Type::Spirv(t) => format!("vk::SpirvType<{}>", self.spirv[t.index()].op),
            Type::RayQuery(flags) => format!("RayQuery<{flags}>"),
            Type::Heap { sampler: false } => "ResourceDescriptorHeap".into(),
            Type::Heap { sampler: true } => "SamplerDescriptorHeap".into(),
            Type::Descriptor { sampler: false } => "ResourceDescriptorHeap[]".into(),
            Type::Descriptor { sampler: true } => "SamplerDescriptorHeap[]".into(),
            Type::Constant { ty, value, .. } => format!("vk::integral_constant<{}, {value}>", self.name(ty)),
            Type::Foreign { name, elem, count } => {
                let elem = if elem == Self::ERROR { String::new() } else { self.name(elem) };
                match (elem.is_empty(), count) {
                    (true, 0) => name.into(),
                    (true, n) => format!("{name}<{n}>"),
                    (false, 0) => format!("{name}<{elem}>"),
                    (false, n) => format!("{name}<{elem}, {n}>"),
                }
            }
            Type::Resource(r) => self.resource_name(r),
        }
    }
}
