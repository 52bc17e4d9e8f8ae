//! How types lie in memory: those of the kernel and those of Rust.

/// A type whose layout in memory is known to the checks of `spirv_kernel!` and of stubs that use your own types.
///
/// Implemented for numbers and arrays, and behind the features `glam`, `half` and `nalgebra` for what those crates have;
/// `#[derive(KernelStruct)]` implements it for structs and, with `#[repr(transparent)]`, for wrappers of one field. For a type
/// whose fields the derive cannot see, say what it lies in memory like:
///
/// ```
/// # #[derive(Clone, Copy)] #[repr(C)] struct Vec3 { x: f32, y: f32, z: f32 }
/// # unsafe impl bytemuck::Zeroable for Vec3 {}
/// # unsafe impl bytemuck::Pod for Vec3 {}
/// use spirv_runtime::{KernelType, TypeLayout};
///
/// impl KernelType for Vec3 {
///     const LAYOUT: TypeLayout = <[f32; 3]>::LAYOUT;
/// }
/// ```
///
/// A layout that is not true makes kernels see other numbers, and nothing worse: the type is [`bytemuck::Pod`], and has to be of the
/// size that its layout has.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not known to the layout checks of `spirv_kernel!`",
    label = "no number, array or `KernelStruct`",
    note = "put `#[derive(Clone, Copy, KernelStruct)]` and `#[repr(C)]` on the struct"
)]
pub trait KernelType: bytemuck::Pod {
    /// How the type lies in memory: the layout of a type that lies there in the same way.
    const LAYOUT: TypeLayout;
}

/// A scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScalarKind {
    /// A 32-bit truth value.
    Bool,
    /// 8-bit signed.
    I8,
    /// 8-bit unsigned.
    U8,
    /// 16-bit signed.
    I16,
    /// 16-bit unsigned.
    U16,
    /// 32-bit signed.
    I32,
    /// 32-bit unsigned.
    U32,
    /// 64-bit signed.
    I64,
    /// 64-bit unsigned.
    U64,
    /// 16-bit float.
    F16,
    /// 32-bit float.
    F32,
    /// 64-bit float.
    F64,
}

impl ScalarKind {
    /// The Rust type that holds it.
    pub(super) const fn rust(self) -> &'static str {
        match self {
            ScalarKind::Bool | ScalarKind::U32 => "u32",
            ScalarKind::I8 => "i8",
            ScalarKind::U8 => "u8",
            ScalarKind::I16 => "i16",
            ScalarKind::U16 | ScalarKind::F16 => "u16",
            ScalarKind::I32 => "i32",
            ScalarKind::I64 => "i64",
            ScalarKind::U64 => "u64",
            ScalarKind::F32 => "f32",
            ScalarKind::F64 => "f64",
        }
    }

    pub(super) const fn size(self) -> usize {
        match self {
            ScalarKind::I8 | ScalarKind::U8 => 1,
            ScalarKind::I16 | ScalarKind::U16 | ScalarKind::F16 => 2,
            ScalarKind::Bool | ScalarKind::I32 | ScalarKind::U32 | ScalarKind::F32 => 4,
            ScalarKind::I64 | ScalarKind::U64 | ScalarKind::F64 => 8,
        }
    }
}

/// How a Rust type lies in memory.
#[derive(Debug, Clone, Copy)]
pub enum TypeLayout {
    /// A number.
    Scalar(ScalarKind),
    /// An array.
    Array {
        /// Element.
        elem: &'static TypeLayout,
        /// Number of elements.
        len: usize,
    },
    /// A struct.
    Struct {
        /// Name.
        name: &'static str,
        /// Size in bytes.
        size: usize,
        /// Fields in declaration order.
        fields: &'static [Field],
    },
}

impl TypeLayout {
    pub(super) const fn size(&self) -> usize {
        match self {
            TypeLayout::Scalar(s) => s.size(),
            TypeLayout::Array { elem, len } => elem.size() * *len,
            TypeLayout::Struct { size, .. } => *size,
        }
    }
}

/// A field of a Rust struct.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// Name.
    pub name: &'static str,
    /// Offset in bytes.
    pub offset: usize,
    /// Type.
    pub ty: TypeLayout,
}

/// How a type of the kernel lies in memory.
#[derive(Debug, Clone, Copy)]
pub enum Expected {
    /// A scalar.
    Scalar(ScalarKind),
    /// A vector.
    Vector(ScalarKind, usize),
    /// A matrix: `major` vectors of `minor` scalars, `stride` bytes apart.
    Matrix {
        /// Scalar.
        scalar: ScalarKind,
        /// Number of vectors.
        major: usize,
        /// Scalars in a vector.
        minor: usize,
        /// Bytes between vectors.
        stride: usize,
    },
    /// An array.
    Array {
        /// Element.
        elem: &'static Expected,
        /// Number of elements.
        len: usize,
        /// Bytes between elements.
        stride: usize,
    },
    /// A struct.
    Struct {
        /// Name in the kernel.
        name: &'static str,
        /// Members by offset.
        members: &'static [ExpectedMember],
    },
}

/// A member of a kernel's struct.
#[derive(Debug, Clone, Copy)]
pub struct ExpectedMember {
    /// Name in the kernel.
    pub name: &'static str,
    /// Name as a Rust field.
    pub field: &'static str,
    /// The type as the kernel spells it.
    pub hlsl: &'static str,
    /// Line of the declaration.
    pub line: u32,
    /// Offset in bytes.
    pub offset: usize,
    /// Type.
    pub ty: Expected,
}

/// Bytes from the first to the last of a type; 0 for structs, which are compared member by member.
pub(super) const fn expected_size(ty: &Expected) -> usize {
    match ty {
        Expected::Scalar(s) => s.size(),
        Expected::Vector(s, len) => s.size() * *len,
        Expected::Matrix { scalar, major, minor, stride } => {
            if *major == 0 {
                0
            } else {
                *stride * (*major - 1) + scalar.size() * *minor
            }
        }
        Expected::Array { elem, len, stride } => {
            if *len == 0 {
                0
            } else {
                *stride * (*len - 1) + expected_size(elem)
            }
        }
        Expected::Struct { .. } => 0,
    }
}

macro_rules! scalars {
    ($($ty:ident $kind:ident,)*) => {
        $(impl KernelType for $ty {
            const LAYOUT: TypeLayout = TypeLayout::Scalar(ScalarKind::$kind);
        })*
    };
}

scalars! {
    i8 I8, u8 U8, i16 I16, u16 U16, i32 I32, u32 U32, i64 I64, u64 U64, f32 F32, f64 F64,
}

impl<T: KernelType, const N: usize> KernelType for [T; N] {
    const LAYOUT: TypeLayout = TypeLayout::Array { elem: &T::LAYOUT, len: N };
}
