//! Images, typed buffers and samplers: what a stub takes for them, and what describes them.

use crate::names;
use crate::rust_types::number;
use crate::stub::{Generic, place};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use spirv_interface::{IMAGE_FORMATS, ImageDim, Interface, Resource, ResourceKind, Scalar};

/// One row an arrangement of texels: dimension, whether it is an array, the runtime's marker type.
const DIMENSIONS: &[(ImageDim, bool, &str)] = &[
    (ImageDim::D1, false, "D1"),
    (ImageDim::D1, true, "D1Array"),
    (ImageDim::D2, false, "D2"),
    (ImageDim::D2, true, "D2Array"),
    (ImageDim::D3, false, "D3"),
    (ImageDim::Cube, false, "Cube"),
    (ImageDim::Cube, true, "CubeArray"),
];

/// The marker type of an image's dimension.
pub fn dimension(dim: ImageDim, arrayed: bool) -> Option<&'static str> {
    DIMENSIONS.iter().find(|d| d.0 == dim && d.1 == arrayed).map(|d| d.2)
}

/// The marker type of a declared format.
pub fn marker(format: &Option<String>) -> Option<&'static str> {
    IMAGE_FORMATS.iter().find(|f| format.as_deref() == Some(f.0)).map(|f| f.2)
}

/// Why no stub takes this resource, if none does.
pub fn unsupported(interface: &Interface, r: &Resource) -> Option<String> {
    let (format, scalar) = match &r.kind {
        ResourceKind::Image { dim, arrayed, .. } if dimension(*dim, *arrayed).is_none() => {
            return Some(format!("{}\nthere are no arrays of such textures", place(interface, r)));
        }
        ResourceKind::Image { format, scalar, .. } => (format, image_scalar(*scalar)),
        ResourceKind::Texels { format, scalar, .. } => (format, texel_scalar(*scalar)),
        _ => return None,
    };
    let why = match (format, scalar) {
        (Some(_), _) if marker(format).is_none() => {
            "this image format is not supported yet; use rgba8, rgba16f, rgba32f, r32f, r32ui, ..."
        }
        (_, None) => "texels are supported as float, int and uint yet",
        _ => return None,
    };
    Some(format!("{}\n{why}", place(interface, r)))
}

/// The Rust type of the components that a kernel sees.
pub fn image_scalar(scalar: Scalar) -> Option<&'static str> {
    match scalar {
        Scalar::F32 | Scalar::F16 => Some("f32"),
        Scalar::I32 => Some("i32"),
        Scalar::U32 => Some("u32"),
        _ => None,
    }
}

/// The same where components lie in memory as the kernel sees them.
fn texel_scalar(scalar: Scalar) -> Option<&'static str> {
    image_scalar(scalar).filter(|_| scalar != Scalar::F16)
}

/// A scalar, or an array of them.
pub fn vector(scalar: &str, components: u32) -> TokenStream {
    let scalar = names::ident(scalar, Span::call_site());
    match components {
        1 => quote!(#scalar),
        n => {
            let n = number(n);
            quote!([#scalar; #n])
        }
    }
}

/// The type of an image's dimension, as a parameter after the format; none for that which is the default.
pub fn dimension_parameter(dim: ImageDim, arrayed: bool) -> TokenStream {
    match dimension(dim, arrayed) {
        None | Some("D2") => quote!(),
        Some(name) => {
            let name = names::ident(name, Span::call_site());
            quote!(, ::spirv_runtime::#name)
        }
    }
}

/// The parameter for the format of an image, with a trait of its own for what the texture takes: its message names the field.
pub fn format_parameter(interface: &Interface, r: &Resource, field: &str, name: &Ident) -> Generic {
    let ResourceKind::Image { scalar, components, storage, .. } = r.kind else {
        let bound = quote!(::spirv_runtime::PixelFormat);
        return Generic { name: name.clone(), bound: bound.clone(), at_launch: bound, item: quote!() };
    };
    let scalar = image_scalar(scalar).unwrap_or("f32");
    let texel = vector(scalar, components);
    let wanted = format_ident!("__{}", name);
    let (takes, note) = match (storage, scalar) {
        (true, _) => (
            quote!(::spirv_runtime::StorageTexel<#texel>),
            format!("it takes formats that kernels write, of {components} components of `{scalar}`"),
        ),
        (false, "f32") => (
            quote!(::spirv_runtime::ShaderTexel<#texel>),
            "it takes all formats of floats: Rgba8Unorm, Bgra8Srgb, Rgb10a2Unorm, R16Float, Bc7Unorm, ..."
                .into(),
        ),
        (false, "i32") => (
            quote!(::spirv_runtime::ShaderTexel<#texel>),
            "it takes all formats of signed integers: Rgba8Sint, R32Sint, ...".into(),
        ),
        (false, _) => (
            quote!(::spirv_runtime::ShaderTexel<#texel>),
            "it takes all formats of unsigned integers: Rgba8Uint, Rgb10a2Uint, R32Uint, ...".into(),
        ),
    };
    let plain = |text: String| text.replace(['{', '}'], "");
    let place = plain(format!("`{} {}` ({}:{})", r.hlsl, r.name, interface.source, r.line));
    let message =
        format!("an image of format `{{Self}}` cannot be bound to `{field}`, which is {place} in the kernel");
    let label = format!("`{field}` has the format `{{Self}}`");
    let doc = plain(format!("Formats that {place} takes."));
    let item = quote! {
        #[doc = #doc]
        #[doc(hidden)]
        #[diagnostic::on_unimplemented(message = #message, label = #label, note = #note)]
        pub trait #wanted: ::spirv_runtime::PixelFormat {}

        #[diagnostic::do_not_recommend]
        impl<F: #takes> #wanted for F {}
    };
    Generic {
        name: name.clone(),
        bound: quote!(::spirv_runtime::PixelFormat),
        at_launch: quote!(#wanted),
        item,
    }
}

/// The format that a typed buffer has in memory.
pub struct Texels {
    /// Type of an element.
    pub element: TokenStream,
    /// The same for messages.
    pub name: String,
    /// Number of the format in SPIR-V, or beyond.
    code: TokenStream,
    /// Number of the format in Vulkan.
    vulkan: TokenStream,
}

/// Formats of three components, which images do not have: scalar, number in the CPU's ABI, number in Vulkan.
const THREE: &[(&str, u32, i32)] = &[("f32", 100, 106), ("i32", 101, 105), ("u32", 101, 104)];

/// What a typed buffer is in memory: of the declared format, or as the kernel sees it.
pub fn texels(scalar: Scalar, components: u32, format: &Option<String>) -> Texels {
    let scalar = texel_scalar(scalar).unwrap_or("f32");
    let row = THREE.iter().find(|row| row.0 == scalar);
    if let (None, 3, Some((_, code, vulkan))) = (marker(format), components, row) {
        let element = vector(scalar, 3);
        return Texels {
            element,
            name: format!("[{scalar}; 3]"),
            code: quote!(#code),
            vulkan: quote!(#vulkan),
        };
    }
    let own = || {
        let letters = ["R", "Rg", "Rgba"][(components as usize / 2).min(2)];
        let kind = [("f32", "Float"), ("i32", "Sint")].iter().find(|k| k.0 == scalar).map_or("Uint", |k| k.1);
        format!("{letters}32{kind}")
    };
    let name = marker(format).map_or_else(own, String::from);
    let ident = names::ident(&name, Span::call_site());
    let format = quote!(<::spirv_runtime::#ident as ::spirv_runtime::PixelFormat>);
    let (of, n) = texel_of(&name);
    Texels {
        element: vector(&of, n),
        name: if n == 1 { of } else { format!("[{of}; {n}]") },
        code: quote!(#format::CODE),
        vulkan: quote!(#format::VULKAN),
    }
}

/// Scalar and number of components of a texel in memory, by the name of its format: `Rg16Float`.
fn texel_of(marker: &str) -> (String, u32) {
    // Components that share a word.
    if marker.starts_with("Rgb10a2") || marker.starts_with("Rg11b10") {
        return ("u32".into(), 1);
    }
    let digits = marker.find(|c: char| c.is_ascii_digit()).unwrap_or(marker.len());
    let (letters, rest) = marker.split_at(digits);
    let kind = rest.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(rest.len());
    let (width, kind) = rest.split_at(kind);
    let letter = match (kind, width) {
        ("Float", "32") => "f",
        ("Snorm" | "Sint", _) => "i",
        _ => "u",
    };
    (format!("{letter}{width}"), letters.len() as u32)
}

/// The description of an image, a typed buffer or a sampler. None for others.
pub fn describe(kind: &ResourceKind) -> Option<TokenStream> {
    Some(match kind {
        ResourceKind::Image { dim, arrayed, storage, format, count, .. } => {
            let count = match count {
                Some(n) => quote!(::core::option::Option::Some(#n)),
                None => quote!(::core::option::Option::None),
            };
            let dimension = dimension(*dim, *arrayed).unwrap_or("D2");
            let format = match marker(format) {
                Some(marker) => quote!(::core::option::Option::Some(#marker)),
                None => quote!(::core::option::Option::None),
            };
            quote!(Image { dimension: #dimension, storage: #storage, format: #format, count: #count })
        }
        ResourceKind::Texels { scalar, components, format, storage } => {
            let Texels { element, code, vulkan, .. } = texels(*scalar, *components, format);
            quote!(Texels {
                stride: ::core::mem::size_of::<#element>() as u32,
                code: #code,
                vulkan: #vulkan,
                storage: #storage,
            })
        }
        ResourceKind::Sampler { compares } => quote!(Sampler { compares: #compares }),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_of_typed_buffers_are_what_lies_in_memory() {
        let name = |scalar, n, format: Option<&str>| texels(scalar, n, &format.map(String::from)).name;
        assert_eq!(name(Scalar::F32, 1, None), "f32");
        assert_eq!(name(Scalar::U32, 2, None), "[u32; 2]");
        assert_eq!(name(Scalar::I32, 3, None), "[i32; 3]");
        assert_eq!(name(Scalar::F32, 4, Some("Rgba8")), "[u8; 4]");
        assert_eq!(name(Scalar::F32, 2, Some("Rg16Snorm")), "[i16; 2]");
        assert_eq!(name(Scalar::F32, 1, Some("R16f")), "u16");
        assert_eq!(name(Scalar::F32, 4, Some("Rgb10A2")), "u32");
    }
}
