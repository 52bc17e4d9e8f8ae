//! Pixel formats: one table, from which markers, traits and look-ups are made.

use crate::Element;

/// The format of an [`Image`](crate::Image)'s texels in memory. Implemented by the marker types of this crate.
pub trait PixelFormat: Copy + Send + Sync + 'static {
    /// A texel in memory: what images are filled from and read back as. Of compressed formats it is a block of 4 x 4 texels.
    type Texel: Element;
    /// A texel as such: the components that the format has.
    type Shader;
    /// A component in a kernel: `f32`, `i32` or `u32`.
    type Component;
    /// Name of the marker type.
    const NAME: &'static str;
    /// Name in SPIR-V and in `[[vk::image_format(...)]]`, which spells it in lower case. Empty if it has none there.
    const SPIRV: &'static str;
    /// Number in SPIR-V's `ImageFormat`; from 100 on if it has none there, and 0 if it is compressed.
    const CODE: u32;
    /// Number in Vulkan's `VkFormat`.
    const VULKAN: i32;
    /// What a kernel sees of a component: `f32`, `i32` or `u32`, for messages.
    const SCALAR: &'static str;
    /// How many components it has.
    const COMPONENTS: u32;
    /// Whether texels are depths, which samplers compare. Such images are not written by kernels.
    const DEPTH: bool;
    /// Sides of a block of texels: 4 of compressed formats, else 1.
    const BLOCK: u32;
    /// Whether kernels can write such images (`RWTexture2D`), where the device can.
    const WRITABLE: bool;
}

/// Formats whose texels a kernel can read as `V`: `f32`, `[f32; 2]`, `[f32; 4]`, `u32`, ... Components that the format lacks are
/// 0, 0 and 1; those that the kernel does not ask for are left out.
#[diagnostic::on_unimplemented(
    message = "texels of format `{Self}` cannot be read as `{V}`",
    label = "the components of `{Self}` are of another kind"
)]
pub trait ShaderTexel<V>: PixelFormat {}

/// Formats of images that a kernel can write, and whose texels it sees as `V`.
#[diagnostic::on_unimplemented(
    message = "texels of format `{Self}` cannot be written as `{V}`",
    label = "the texels of `{Self}` are something else, or are not written by kernels"
)]
pub trait StorageTexel<V>: PixelFormat {}

macro_rules! readable {
    ($($scalar:ty)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<F: PixelFormat<Component = $scalar>> ShaderTexel<$scalar> for F {}

        #[diagnostic::do_not_recommend]
        impl<F: PixelFormat<Component = $scalar>, const N: usize> ShaderTexel<[$scalar; N]> for F {}
    )*};
}

readable!(f32 i32 u32);

macro_rules! formats {
    ($($marker:ident $spirv:tt $code:literal $vulkan:literal $texel:ty, $scalar:ident $components:literal $shader:ty $(, $kind:ident)?;)*) => {
        $(
            #[doc = concat!("Texels of type `", stringify!($texel), "`, which a kernel sees as `", stringify!($shader), "`",
                formats!(@doc $spirv $($kind)?))]
            #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
            pub struct $marker;

            impl PixelFormat for $marker {
                type Texel = $texel;
                type Shader = $shader;
                type Component = $scalar;
                const NAME: &'static str = stringify!($marker);
                const SPIRV: &'static str = formats!(@spirv $spirv);
                const CODE: u32 = $code;
                const VULKAN: i32 = $vulkan;
                const SCALAR: &'static str = stringify!($scalar);
                const COMPONENTS: u32 = $components;
                const DEPTH: bool = formats!(@depth $($kind)?);
                const BLOCK: u32 = formats!(@block $($kind)?);
                const WRITABLE: bool = formats!(@writable $($kind)?);
            }

            formats!(@storage $marker $shader $(, $kind)?);
        )*

        /// Every format: marker, SPIR-V name, SPIR-V number, Vulkan number, bytes of a texel.
        #[cfg(test)]
        const ALL: &[(&str, &str, u32, i32, usize)] = &[
            $((stringify!($marker), formats!(@spirv $spirv), $code, $vulkan, size_of::<$texel>()),)*
        ];
    };
    (@doc - blocks) => { ", compressed: an element is a block of 4 x 4 texels, and kernels do not write them." };
    (@doc - $($kind:ident)?) => { "." };
    (@doc $spirv:tt $($kind:ident)?) => { concat!("; SPIR-V's `", stringify!($spirv), "`.") };
    (@spirv -) => { "" };
    (@spirv $spirv:tt) => { stringify!($spirv) };
    (@depth depth) => { true };
    (@depth $($kind:ident)?) => { false };
    (@block blocks) => { 4 };
    (@block $($kind:ident)?) => { 1 };
    (@writable) => { true };
    (@writable $kind:ident) => { false };
    (@storage $marker:ident $shader:ty) => { impl StorageTexel<$shader> for $marker {} };
    (@storage $marker:ident $shader:ty, $kind:ident) => {};
}

formats! {
    // marker      SPIR-V       number VkFormat texel    a kernel sees
    Rgba32Float    Rgba32f      1  109 [f32; 4], f32 4 [f32; 4];
    Rg11b10Float   R11fG11fB10f 8  122 u32,      f32 3 [f32; 3];
    Rgb10a2Unorm   Rgb10A2     11   64 u32,      f32 4 [f32; 4];
    Rgb10a2Uint    Rgb10a2ui   34   68 u32,      u32 4 [u32; 4];
    Rgba16Float    Rgba16f      2   97 [u16; 4], f32 4 [f32; 4];
    R32Float       R32f         3  100 f32,      f32 1 f32;
    Rgba8Unorm     Rgba8        4   37 [u8; 4],  f32 4 [f32; 4];
    Rgba8Snorm     Rgba8Snorm   5   38 [i8; 4],  f32 4 [f32; 4];
    Rg32Float      Rg32f        6  103 [f32; 2], f32 2 [f32; 2];
    Rg16Float      Rg16f        7   83 [u16; 2], f32 2 [f32; 2];
    R16Float       R16f         9   76 u16,      f32 1 f32;
    Rgba16Unorm    Rgba16      10   91 [u16; 4], f32 4 [f32; 4];
    Rg16Unorm      Rg16        12   77 [u16; 2], f32 2 [f32; 2];
    Rg8Unorm       Rg8         13   16 [u8; 2],  f32 2 [f32; 2];
    R16Unorm       R16         14   70 u16,      f32 1 f32;
    R8Unorm        R8          15    9 u8,       f32 1 f32;
    Rgba16Snorm    Rgba16Snorm 16   92 [i16; 4], f32 4 [f32; 4];
    Rg16Snorm      Rg16Snorm   17   78 [i16; 2], f32 2 [f32; 2];
    Rg8Snorm       Rg8Snorm    18   17 [i8; 2],  f32 2 [f32; 2];
    R16Snorm       R16Snorm    19   71 i16,      f32 1 f32;
    R8Snorm        R8Snorm     20   10 i8,       f32 1 f32;
    Rgba32Sint     Rgba32i     21  108 [i32; 4], i32 4 [i32; 4];
    Rgba16Sint     Rgba16i     22   96 [i16; 4], i32 4 [i32; 4];
    Rgba8Sint      Rgba8i      23   42 [i8; 4],  i32 4 [i32; 4];
    R32Sint        R32i        24   99 i32,      i32 1 i32;
    Rg32Sint       Rg32i       25  102 [i32; 2], i32 2 [i32; 2];
    Rg16Sint       Rg16i       26   82 [i16; 2], i32 2 [i32; 2];
    Rg8Sint        Rg8i        27   21 [i8; 2],  i32 2 [i32; 2];
    R16Sint        R16i        28   75 i16,      i32 1 i32;
    R8Sint         R8i         29   14 i8,       i32 1 i32;
    Rgba32Uint     Rgba32ui    30  107 [u32; 4], u32 4 [u32; 4];
    Rgba16Uint     Rgba16ui    31   95 [u16; 4], u32 4 [u32; 4];
    Rgba8Uint      Rgba8ui     32   41 [u8; 4],  u32 4 [u32; 4];
    R32Uint        R32ui       33   98 u32,      u32 1 u32;
    Rg32Uint       Rg32ui      35  101 [u32; 2], u32 2 [u32; 2];
    Rg16Uint       Rg16ui      36   81 [u16; 2], u32 2 [u32; 2];
    Rg8Uint        Rg8ui       37   20 [u8; 2],  u32 2 [u32; 2];
    R16Uint        R16ui       38   74 u16,      u32 1 u32;
    R8Uint         R8ui        39   13 u8,       u32 1 u32;
    // SPIR-V has no formats of depths: in memory they are like these.
    Depth32Float   R32f         3  126 f32,      f32 1 f32, depth;
    Depth16Unorm   R16         14  124 u16,      f32 1 f32, depth;
    // Nor has it these; kernels write no sRGB.
    Rgba8Srgb      -          102   43 [u8; 4],  f32 4 [f32; 4], read;
    Bgra8Srgb      -          103   50 [u8; 4],  f32 4 [f32; 4], read;
    R8Srgb         -          104   15 u8,       f32 1 f32, read;
    Rg8Srgb        -          105   22 [u8; 2],  f32 2 [f32; 2], read;
    Bgra8Unorm     -          106   44 [u8; 4],  f32 4 [f32; 4];
    Rgb9e5Float    -          107  123 u32,      f32 3 [f32; 3], read;
    // Compressed, where the device has them.
    Bc1RgbUnorm    -            0  131 [u8; 8],  f32 3 [f32; 3], blocks;
    Bc1RgbSrgb     -            0  132 [u8; 8],  f32 3 [f32; 3], blocks;
    Bc1RgbaUnorm   -            0  133 [u8; 8],  f32 4 [f32; 4], blocks;
    Bc1RgbaSrgb    -            0  134 [u8; 8],  f32 4 [f32; 4], blocks;
    Bc2Unorm       -            0  135 [u8; 16], f32 4 [f32; 4], blocks;
    Bc2Srgb        -            0  136 [u8; 16], f32 4 [f32; 4], blocks;
    Bc3Unorm       -            0  137 [u8; 16], f32 4 [f32; 4], blocks;
    Bc3Srgb        -            0  138 [u8; 16], f32 4 [f32; 4], blocks;
    Bc4Unorm       -            0  139 [u8; 8],  f32 1 f32, blocks;
    Bc4Snorm       -            0  140 [u8; 8],  f32 1 f32, blocks;
    Bc5Unorm       -            0  141 [u8; 16], f32 2 [f32; 2], blocks;
    Bc5Snorm       -            0  142 [u8; 16], f32 2 [f32; 2], blocks;
    Bc6hUfloat     -            0  143 [u8; 16], f32 3 [f32; 3], blocks;
    Bc6hFloat      -            0  144 [u8; 16], f32 3 [f32; 3], blocks;
    Bc7Unorm       -            0  145 [u8; 16], f32 4 [f32; 4], blocks;
    Bc7Srgb        -            0  146 [u8; 16], f32 4 [f32; 4], blocks;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(feature = "vulkan")]
    fn vulkan_numbers_name_the_same_format() {
        for (marker, _, _, vulkan, bytes) in ALL {
            if let Some(name) = other_name(marker) {
                assert_eq!(format!("{:?}", ash::vk::Format::from_raw(*vulkan)), name);
                continue;
            }
            // `Rgba8Unorm` is R8G8B8A8_UNORM: the channels' letters, each with the width.
            let digits = marker.find(|c: char| c.is_ascii_digit()).unwrap();
            let (letters, rest) = marker.split_at(digits);
            let kind = rest.find(|c: char| c.is_ascii_alphabetic()).unwrap();
            let (width, kind) = rest.split_at(kind);
            let kind = if kind == "Float" { "SFLOAT".to_string() } else { kind.to_uppercase() };
            let letters = if letters == "Depth" { "D" } else { letters };
            let channels: String = letters.to_uppercase().chars().map(|c| format!("{c}{width}")).collect();
            let format = ash::vk::Format::from_raw(*vulkan);
            assert_eq!(format!("{format:?}"), format!("{channels}_{kind}"));
            assert_eq!(*bytes * 8, letters.len() * width.parse::<usize>().unwrap(), "{marker}");
        }
    }

    /// Vulkan's name of a format whose components do not lie side by side in the order of their letters.
    #[cfg(feature = "vulkan")]
    fn other_name(marker: &str) -> Option<String> {
        let name = match marker {
            "Rg11b10Float" => "B10G11R11_UFLOAT_PACK32",
            "Rgb10a2Unorm" => "A2B10G10R10_UNORM_PACK32",
            "Rgb10a2Uint" => "A2B10G10R10_UINT_PACK32",
            "Rgb9e5Float" => "E5B9G9R9_UFLOAT_PACK32",
            _ => {
                let kind = marker.strip_prefix("Bc")?;
                let at = kind[1..].find(|c: char| c.is_ascii_uppercase())? + 1;
                let (head, tail) = kind.split_at(at);
                let split = tail.find("Unorm").or(tail.find("Srgb")).unwrap_or(0);
                let (channels, kind) = tail.split_at(split);
                let channels =
                    if channels.is_empty() { String::new() } else { format!("_{}", channels.to_uppercase()) };
                let kind = match kind {
                    "Float" => "SFLOAT".into(),
                    kind => kind.to_uppercase(),
                };
                return Some(format!("BC{}{channels}_{kind}_BLOCK", head.to_uppercase()));
            }
        };
        Some(name.into())
    }

    #[test]
    fn spirv_numbers_agree_with_the_stub_generator() {
        let of_images: Vec<_> = ALL.iter().filter(|f| !f.0.starts_with("Depth") && !f.1.is_empty()).collect();
        for row in spirv_interface::IMAGE_FORMATS {
            let ours =
                of_images.iter().find(|f| f.1 == row.0).unwrap_or_else(|| panic!("no format {}", row.0));
            assert_eq!((ours.2, ours.0), (row.1, row.2));
        }
        assert_eq!(spirv_interface::IMAGE_FORMATS.len(), of_images.len());
    }
}
