//! Compile-time checks of a signature declared in Rust against the kernel.
//!
//! `spirv_kernel!` describes what the kernel has as constants ([`Expected`]), types say how they are laid out
//! ([`KernelType`]), and the functions here compare the two while the user's crate is compiled. They return the
//! text of the error, which the macro's output raises at the type in the user's signature.

mod layout;
mod message;
mod vectors;

use crate::dimension::Dimension;
use crate::format::PixelFormat;
pub use layout::{Expected, ExpectedMember, Field, KernelType, ScalarKind, TypeLayout};
pub use message::Message;

const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}

const fn same_scalar(kernel: ScalarKind, rust: ScalarKind) -> bool {
    match kernel {
        ScalarKind::Bool => matches!(rust, ScalarKind::U32 | ScalarKind::I32),
        ScalarKind::F16 => matches!(rust, ScalarKind::U16 | ScalarKind::F16),
        _ => kernel as u8 == rust as u8,
    }
}

/// Whether `rust` is `len` scalars, or, where the kernel leaves room, up to `room` bytes of them.
const fn is_vector(scalar: ScalarKind, len: usize, room: usize, rust: &TypeLayout) -> bool {
    match rust {
        TypeLayout::Scalar(s) => len == 1 && same_scalar(scalar, *s) && room == s.size(),
        TypeLayout::Array { elem: TypeLayout::Scalar(s), len: n } => {
            *n >= len && same_scalar(scalar, *s) && room == s.size() * *n
        }
        _ => false,
    }
}

/// Why `rust` is not laid out as `kernel`; structs inside are reported by their own members. `Some(None)` means
/// that the type as a whole is another one.
const fn compare(source: &str, kernel: &Expected, rust: &TypeLayout) -> Option<Option<Message>> {
    let same_type = match kernel {
        Expected::Scalar(scalar) => is_vector(*scalar, 1, scalar.size(), rust),
        Expected::Vector(scalar, len) => is_vector(*scalar, *len, scalar.size() * *len, rust),
        Expected::Matrix { scalar, major, minor, stride } => match rust {
            TypeLayout::Array { elem, len } => {
                *len == *major
                    && (is_vector(*scalar, *minor, *stride, elem)
                        || (*len == 1 && is_vector(*scalar, *minor, scalar.size() * *minor, elem)))
            }
            _ => false,
        },
        Expected::Array { elem, len, stride } => match rust {
            TypeLayout::Array { elem: rust_elem, len: n } if *n == *len => match elem {
                Expected::Scalar(s) => is_vector(*s, 1, *stride, rust_elem),
                Expected::Vector(s, components) => is_vector(*s, *components, *stride, rust_elem),
                _ if rust_elem.size() == *stride => return compare(source, elem, rust_elem),
                _ => false,
            },
            _ => false,
        },
        Expected::Struct { name, members } => match rust {
            TypeLayout::Struct { name: rust_name, fields, .. } => {
                return match compare_struct(source, name, members, rust_name, fields) {
                    Some(message) => Some(Some(message)),
                    None => None,
                };
            }
            _ => false,
        },
    };
    if same_type { None } else { Some(None) }
}

const fn compare_struct(
    source: &str,
    name: &str,
    members: &[ExpectedMember],
    rust_name: &str,
    fields: &[Field],
) -> Option<Message> {
    let mut i = 0;
    while i < members.len() {
        let member = &members[i];
        let mut found = None;
        let mut f = 0;
        while f < fields.len() {
            if same(fields[f].name, member.field) || same(fields[f].name, member.name) {
                found = Some(f);
            }
            f += 1;
        }
        match found {
            None => return Some(missing_field(source, member, rust_name)),
            Some(f) => {
                if let Some(message) = compare_field(source, member, rust_name, &fields[f]) {
                    return Some(message);
                }
            }
        }
        i += 1;
    }
    let mut f = 0;
    while f < fields.len() {
        let field = &fields[f];
        let mut known = field.name.as_bytes()[0] == b'_';
        let mut i = 0;
        while i < members.len() {
            known |= same(field.name, members[i].field) || same(field.name, members[i].name);
            i += 1;
        }
        if !known {
            let mut m = Message::new();
            m.str("`");
            m.str(rust_name);
            m.str("::");
            m.str(field.name);
            m.str("` is no member of the kernel's struct `");
            m.str(name);
            m.str("`\n  kernel: ");
            m.str(source);
            m.str("\n  help: remove it, or call it `_");
            m.str(field.name);
            m.str("` if it is padding");
            return Some(m);
        }
        f += 1;
    }
    None
}

const fn missing_field(source: &str, member: &ExpectedMember, rust_name: &str) -> Message {
    let mut m = Message::new();
    m.str("`");
    m.str(rust_name);
    m.str("` has no field `");
    m.str(member.field);
    m.str("`\n  kernel: ");
    m.member(source, member);
    m.str(", at byte ");
    m.number(member.offset);
    m.str("\n  help: add `pub ");
    m.str(member.field);
    m.str(": ");
    m.wanted(&member.ty);
    m.str("`");
    m
}

const fn compare_field(
    source: &str,
    member: &ExpectedMember,
    rust_name: &str,
    field: &Field,
) -> Option<Message> {
    let mut m = Message::new();
    match compare(source, &member.ty, &field.ty) {
        Some(Some(inner)) => return Some(inner),
        Some(None) => {
            m.str("`");
            m.str(rust_name);
            m.str("::");
            m.str(field.name);
            m.str("` has another type than in the kernel\n  kernel: ");
            m.member(source, member);
            m.str(", at byte ");
            m.number(member.offset);
            m.str("\n  Rust:   `");
            m.str(field.name);
            m.str(": ");
            m.layout(&field.ty);
            m.str("`\n  help: declare it as `");
            m.str(field.name);
            m.str(": ");
            m.wanted(&member.ty);
            m.str("`");
            return Some(m);
        }
        None => {}
    }
    if field.offset == member.offset {
        return None;
    }
    m.str("`");
    m.str(rust_name);
    m.str("::");
    m.str(field.name);
    m.str("` is at another offset than in the kernel\n  kernel: ");
    m.member(source, member);
    m.str(", at byte ");
    m.number(member.offset);
    m.str("\n  Rust:   `");
    m.str(field.name);
    m.str("`, at byte ");
    m.number(field.offset);
    if field.offset < member.offset {
        m.str("\n  help: put `pub _pad");
        m.number(member.offset);
        m.str(": [u8; ");
        m.number(member.offset - field.offset);
        m.str("]` before it");
    } else {
        m.str("\n  help: remove ");
        m.number(field.offset - member.offset);
        m.str(" bytes before it, or move it up");
    }
    Some(m)
}

/// A buffer of the kernel, for [`check_element`].
#[derive(Debug)]
pub struct ElementCheck {
    /// Source file.
    pub source: &'static str,
    /// Name of the buffer in the kernel.
    pub name: &'static str,
    /// The type as the kernel spells it.
    pub hlsl: &'static str,
    /// Line of the declaration.
    pub line: u32,
    /// Element type.
    pub elem: Expected,
    /// Bytes of an element.
    pub stride: usize,
}

/// Why `T` is not the element type of a buffer.
pub const fn check_element<T: KernelType>(check: &ElementCheck) -> Option<Message> {
    if let Some(message) = check_size::<T>() {
        return Some(message);
    }
    let mut m = Message::new();
    let layout = T::LAYOUT;
    // Vectors may have room behind them that nothing else can have.
    let fits = match check.elem {
        Expected::Scalar(s) => is_vector(s, 1, check.stride, &layout),
        Expected::Vector(s, len) => is_vector(s, len, check.stride, &layout),
        _ => false,
    };
    match if fits { None } else { compare(check.source, &check.elem, &layout) } {
        Some(Some(message)) => return Some(message),
        Some(None) => {
            m.str("the elements of `");
            m.str(check.name);
            m.str("` have another type than in the kernel");
        }
        None if layout.size() == check.stride => return None,
        None => {
            m.str("the elements of `");
            m.str(check.name);
            m.str("` have another size than in the kernel");
        }
    }
    m.str("\n  kernel: ");
    m.place(check.source, check.line);
    m.str("`");
    m.str(check.hlsl);
    m.str(" ");
    m.str(check.name);
    m.str("`, elements of ");
    m.number(check.stride);
    m.str(" bytes\n  Rust:   `");
    m.layout(&layout);
    m.str("`, ");
    m.number(layout.size());
    m.str(" bytes");
    if let Expected::Struct { .. } = check.elem {
        if layout.size() < check.stride {
            m.str("\n  help: put `pub _pad: [u8; ");
            m.number(check.stride - layout.size());
            m.str("]` at the end of the struct");
        }
    } else {
        m.str("\n  help: use `Buffer<");
        m.wanted_element(&check.elem, check.stride);
        m.str(">`");
    }
    Some(m)
}

/// Why a type cannot lie as its `LAYOUT` says.
const fn check_size<T: KernelType>() -> Option<Message> {
    let layout = T::LAYOUT;
    if layout.size() == size_of::<T>() {
        return None;
    }
    let mut m = Message::new();
    m.str("the `LAYOUT` of this type has ");
    m.number(layout.size());
    m.str(" bytes, the type `");
    m.layout(&layout);
    m.str("` is taken for has ");
    m.number(size_of::<T>());
    m.str("\n  help: let `KernelType::LAYOUT` be that of a type that lies in memory as this one does");
    Some(m)
}

/// A struct of the kernel that has a Rust type of the user's, for [`check_struct`].
#[derive(Debug)]
pub struct StructCheck {
    /// Source file.
    pub source: &'static str,
    /// Name of the struct in the kernel.
    pub name: &'static str,
    /// Line of its first member.
    pub line: u32,
    /// The struct.
    pub ty: Expected,
    /// Its bytes, trailing padding included.
    pub size: usize,
}

/// Why `T` is not the kernel's struct.
pub const fn check_struct<T: KernelType>(check: &StructCheck) -> Option<Message> {
    if let Some(message) = check_size::<T>() {
        return Some(message);
    }
    let mut m = Message::new();
    let layout = T::LAYOUT;
    let missing = match compare(check.source, &check.ty, &layout) {
        Some(Some(message)) => return Some(message),
        Some(None) => 0,
        None if layout.size() == check.size => return None,
        None => check.size.saturating_sub(layout.size()),
    };
    m.str("`");
    m.layout(&layout);
    m.str("` is not the kernel's struct `");
    m.str(check.name);
    m.str("`\n  kernel: ");
    m.place(check.source, check.line);
    m.str("`struct ");
    m.str(check.name);
    m.str("`, ");
    m.number(check.size);
    m.str(" bytes\n  Rust:   `");
    m.layout(&layout);
    m.str("`, ");
    m.number(layout.size());
    m.str(" bytes");
    if missing > 0 {
        m.str("\n  help: put `pub _pad: [u8; ");
        m.number(missing);
        m.str("]` at the end of the struct");
    }
    Some(m)
}

/// A constant buffer of the kernel, for [`check_constants`].
#[derive(Debug)]
pub struct ConstantsCheck {
    /// Source file.
    pub source: &'static str,
    /// Name of the constant buffer in the kernel.
    pub name: &'static str,
    /// Line of the declaration.
    pub line: u32,
    /// The struct.
    pub ty: Expected,
    /// Bytes of the constant buffer; the Rust type may be shorter if the rest is padding.
    pub size: usize,
}

/// Why `T` is not the struct of a constant buffer.
pub const fn check_constants<T: KernelType>(check: &ConstantsCheck) -> Option<Message> {
    if let Some(message) = check_size::<T>() {
        return Some(message);
    }
    let mut m = Message::new();
    let layout = T::LAYOUT;
    match compare(check.source, &check.ty, &layout) {
        Some(Some(message)) => return Some(message),
        Some(None) => {
            m.str("the constants `");
            m.str(check.name);
            m.str("` are a struct in the kernel");
        }
        None if layout.size() <= check.size => return None,
        None => {
            m.str("`");
            m.layout(&layout);
            m.str("` is larger than the constants `");
            m.str(check.name);
            m.str("`");
        }
    }
    m.str("\n  kernel: ");
    m.place(check.source, check.line);
    m.str("`cbuffer ");
    m.str(check.name);
    m.str("`, ");
    m.number(check.size);
    m.str(" bytes\n  Rust:   `");
    m.layout(&layout);
    m.str("`, ");
    m.number(layout.size());
    m.str(" bytes");
    Some(m)
}

/// An image of the kernel, for [`check_image`].
#[derive(Debug)]
pub struct ImageCheck {
    /// Source file.
    pub source: &'static str,
    /// Name of the texture in the kernel.
    pub name: &'static str,
    /// The type as the kernel spells it.
    pub hlsl: &'static str,
    /// Line of the declaration.
    pub line: u32,
    /// Name of the dimension's type.
    pub dimension: &'static str,
    /// The declared format: its SPIR-V number, SPIR-V name and marker type. None: any format that fits.
    pub format: Option<(u32, &'static str, &'static str)>,
    /// Scalar that the kernel sees.
    pub scalar: &'static str,
    /// Number of components that it sees.
    pub components: u32,
    /// Whether it writes it.
    pub storage: bool,
}

/// Why images of format `F` and dimension `D` cannot be bound to a texture.
pub const fn check_image<F: PixelFormat, D: Dimension>(check: &ImageCheck) -> Option<Message> {
    let mut m = Message::new();
    if !same(D::NAME, check.dimension) {
        m.str("images of dimension `");
        m.str(D::NAME);
        m.str("` cannot be bound to `");
        m.str(check.name);
        m.str("`\n  kernel: ");
        m.place(check.source, check.line);
        m.str("`");
        m.str(check.hlsl);
        m.str(" ");
        m.str(check.name);
        m.str("`\n  help: use `Image<");
        m.str(F::NAME);
        if !same(check.dimension, "D2") {
            m.str(", ");
            m.str(check.dimension);
        }
        m.str(">`");
        return Some(m);
    }
    // What is only read may have more components or fewer.
    let fits = !check.storage || F::COMPONENTS == check.components && F::WRITABLE;
    let seen = same(F::SCALAR, check.scalar) && fits;
    match check.format {
        None if seen => return None,
        Some((code, _, _)) if code == F::CODE => return None,
        _ => {}
    }
    m.str("images of format `");
    m.str(F::NAME);
    m.str("` cannot be bound to `");
    m.str(check.name);
    m.str("`\n  kernel: ");
    m.place(check.source, check.line);
    m.str("`");
    m.str(check.hlsl);
    m.str(" ");
    m.str(check.name);
    m.str("`, ");
    match check.format {
        Some((_, spirv, marker)) => {
            m.str("declared with format ");
            m.str(spirv);
            m.str("\n  help: use `Image<");
            m.str(marker);
            m.str(">`");
        }
        None => {
            m.str("texels of ");
            if check.storage {
                m.number(check.components as usize);
                m.str(" x ");
            }
            m.str(check.scalar);
            m.str("\n  Rust:   texels that a kernel sees as ");
            m.number(F::COMPONENTS as usize);
            m.str(" x ");
            m.str(F::SCALAR);
            if check.storage {
                m.str(if F::WRITABLE { "" } else { ", and not writes" });
                m.str("\n  help: choose a format with those texels");
            } else {
                m.str("\n  help: choose a format of ");
                m.str(match check.scalar.as_bytes() {
                    b"f32" => "floats, such as Rgba8Unorm or R16Float",
                    b"i32" => "signed integers, such as Rgba8Sint",
                    _ => "unsigned integers, such as Rgba8Uint",
                });
            }
        }
    }
    Some(m)
}

/// A typed buffer of the kernel, for [`check_texels`].
#[derive(Debug)]
pub struct TexelsCheck {
    /// Source file.
    pub source: &'static str,
    /// Name of the buffer in the kernel.
    pub name: &'static str,
    /// The type as the kernel spells it.
    pub hlsl: &'static str,
    /// Line of the declaration.
    pub line: u32,
    /// What an element is in memory.
    pub texel: TypeLayout,
}

const fn same_texel(a: &TypeLayout, b: &TypeLayout) -> bool {
    match (a, b) {
        (TypeLayout::Scalar(a), TypeLayout::Scalar(b)) => *a as u8 == *b as u8,
        (TypeLayout::Array { elem: a, len: n }, TypeLayout::Array { elem: b, len: m }) => {
            *n == *m && same_texel(a, b)
        }
        _ => false,
    }
}

/// Why `T` is not the element type of a typed buffer.
pub const fn check_texels<T: KernelType>(check: &TexelsCheck) -> Option<Message> {
    let layout = T::LAYOUT;
    if same_texel(&layout, &check.texel) {
        return None;
    }
    let mut m = Message::new();
    m.str("the elements of `");
    m.str(check.name);
    m.str("` have another type than in the kernel\n  kernel: ");
    m.place(check.source, check.line);
    m.str("`");
    m.str(check.hlsl);
    m.str(" ");
    m.str(check.name);
    m.str("`, texels of `");
    m.layout(&check.texel);
    m.str("`\n  Rust:   `");
    m.layout(&layout);
    m.str("`\n  help: use `Buffer<");
    m.layout(&check.texel);
    m.str(">`");
    Some(m)
}

/// Stops the compilation with this message, at the caller.
#[track_caller]
pub const fn reject(message: &Message) {
    panic!("{}", message.as_str())
}

/// The bytes of constants with those that follow in the kernel's struct. [`check_constants`] has made sure that
/// they fit.
pub fn padded<T: KernelType, const SIZE: usize>(value: &T) -> [u8; SIZE] {
    let mut out = [0; SIZE];
    for (to, from) in out.iter_mut().zip(bytemuck::bytes_of(value)) {
        *to = *from;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{D2, D3, R32Float, R32Uint, Rgba8Unorm};

    const F3: Expected = Expected::Vector(ScalarKind::F32, 3);

    const fn member(name: &'static str, offset: usize, ty: Expected) -> ExpectedMember {
        ExpectedMember { name, field: name, hlsl: "float3", line: 7, offset, ty }
    }

    struct Rust;

    impl Rust {
        const POS: Field = Field { name: "pos", offset: 0, ty: <[f32; 3]>::LAYOUT };
        const MASS: Field = Field { name: "mass", offset: 12, ty: f32::LAYOUT };
    }

    fn verdict(members: &'static [ExpectedMember], fields: &'static [Field]) -> Option<String> {
        compare_struct("k.hlsl", "P", members, "Particle", fields).map(|m| m.as_str().to_string())
    }

    const MEMBERS: &[ExpectedMember] =
        &[member("pos", 0, F3), member("mass", 12, Expected::Scalar(ScalarKind::F32))];

    #[test]
    fn equal_layouts_pass() {
        assert_eq!(verdict(MEMBERS, &[Rust::POS, Rust::MASS]), None);
        // The order of the fields does not matter, and padding may be named.
        let pad = const { Field { name: "_pad", offset: 16, ty: <[u8; 4]>::LAYOUT } };
        assert_eq!(verdict(MEMBERS, const { &[Rust::MASS, Rust::POS] }), None);
        assert!(compare_struct("", "", MEMBERS, "", &[Rust::POS, Rust::MASS, pad]).is_none());
    }

    #[test]
    fn differences_name_the_member() {
        let missing = verdict(MEMBERS, &[Rust::POS]).unwrap();
        assert!(missing.contains("no field `mass`") && missing.contains("add `pub mass: f32`"), "{missing}");
        let moved =
            verdict(MEMBERS, const { &[Rust::POS, Field { name: "mass", offset: 16, ty: f32::LAYOUT }] })
                .unwrap();
        assert!(moved.contains("at byte 12") && moved.contains("remove 4 bytes"), "{moved}");
        let early =
            verdict(MEMBERS, const { &[Rust::POS, Field { name: "mass", offset: 8, ty: f32::LAYOUT }] })
                .unwrap();
        assert!(early.contains("`pub _pad12: [u8; 4]` before it"), "{early}");
        let other =
            verdict(MEMBERS, const { &[Rust::POS, Field { name: "mass", offset: 12, ty: u32::LAYOUT }] })
                .unwrap();
        assert!(other.contains("k.hlsl:7") && other.contains("`mass: u32`"), "{other}");
        let extra = verdict(
            MEMBERS,
            const { &[Rust::POS, Rust::MASS, Field { name: "age", offset: 16, ty: f32::LAYOUT }] },
        )
        .unwrap();
        assert!(extra.contains("`Particle::age` is no member"), "{extra}");
    }

    #[test]
    fn padded_arrays_and_matrices_want_their_padding() {
        let array = Expected::Array { elem: &Expected::Scalar(ScalarKind::F32), len: 3, stride: 16 };
        assert!(compare("", &array, &<[[f32; 4]; 3]>::LAYOUT).is_none());
        assert!(compare("", &array, &<[f32; 3]>::LAYOUT).is_some());
        let matrix = Expected::Matrix { scalar: ScalarKind::F32, major: 3, minor: 3, stride: 16 };
        assert!(compare("", &matrix, &<[[f32; 4]; 3]>::LAYOUT).is_none());
        assert!(compare("", &matrix, &<[[f32; 3]; 3]>::LAYOUT).is_some());
    }

    #[test]
    fn element_sizes_count() {
        let check = |stride| ElementCheck { source: "k", name: "b", hlsl: "T", line: 1, elem: F3, stride };
        assert!(check_element::<[f32; 3]>(&check(12)).is_none());
        // Three in the room of four: what is said is what is taken.
        let message = check_element::<[f32; 3]>(&check(16)).unwrap();
        assert!(message.as_str().contains("use `Buffer<[f32; 4]>`"), "{}", message.as_str());
        assert!(check_element::<[f32; 4]>(&check(16)).is_none());
        assert!(check_element::<[f32; 4]>(&check(12)).is_some());
        let message = check_element::<[u32; 3]>(&check(12)).unwrap();
        assert!(message.as_str().contains("use `Buffer<[f32; 3]>`"), "{}", message.as_str());
    }

    #[test]
    fn a_layout_of_another_size_is_refused() {
        #[derive(Clone, Copy)]
        #[repr(C)]
        struct Odd([f32; 4]);
        // SAFETY: all bits are floats; zero is one.
        unsafe impl bytemuck::Zeroable for Odd {}
        // SAFETY: nothing but floats, without padding.
        unsafe impl bytemuck::Pod for Odd {}
        impl KernelType for Odd {
            const LAYOUT: TypeLayout = <[f32; 3]>::LAYOUT;
        }
        let check = ElementCheck { source: "k", name: "b", hlsl: "T", line: 1, elem: F3, stride: 12 };
        let message = check_element::<Odd>(&check).unwrap();
        assert!(
            message.as_str().contains("has 12 bytes") && message.as_str().contains("has 16"),
            "{}",
            message.as_str()
        );
    }

    #[test]
    fn image_formats_are_compared() {
        let mut check = ImageCheck {
            source: "k",
            name: "t",
            hlsl: "Texture2D<float>",
            line: 2,
            dimension: "D2",
            format: None,
            scalar: "f32",
            components: 1,
            storage: true,
        };
        assert!(check_image::<R32Float, D2>(&check).is_none());
        assert!(check_image::<Rgba8Unorm, D2>(&check).is_some());
        check.storage = false;
        assert!(check_image::<Rgba8Unorm, D2>(&check).is_none());
        assert!(check_image::<R32Uint, D2>(&check).is_some());
        check.format = Some((4, "Rgba8", "Rgba8Unorm"));
        assert!(check_image::<Rgba8Unorm, D2>(&check).is_none());
        assert!(check_image::<R32Float, D2>(&check).unwrap().as_str().contains("Image<Rgba8Unorm>"));
        check.dimension = "D3";
        let message = check_image::<Rgba8Unorm, D2>(&check).unwrap();
        assert!(message.as_str().contains("use `Image<Rgba8Unorm, D3>`"), "{}", message.as_str());
        assert!(check_image::<Rgba8Unorm, D3>(&check).is_none());
    }

    #[test]
    fn texels_are_what_lies_in_memory() {
        let check = TexelsCheck { source: "k", name: "b", hlsl: "Buffer", line: 2, texel: <[u8; 4]>::LAYOUT };
        assert!(check_texels::<[u8; 4]>(&check).is_none());
        assert!(check_texels::<[u8; 3]>(&check).is_some());
        let message = check_texels::<[f32; 4]>(&check).unwrap();
        assert!(message.as_str().contains("use `Buffer<[u8; 4]>`"), "{}", message.as_str());
    }
}
