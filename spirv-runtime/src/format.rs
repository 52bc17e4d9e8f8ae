//! Pixel formats: one table, from which markers, traits and look-ups are made.

use crate::Element;

/// The format of an [`Image`](crate::Image)'s texels in memory. Implemented by the marker types of this crate.
pub trait PixelFormat: Copy + Send + Sync + 'static {
    /// A texel in memory: what images are filled from and read back as.
    type Texel: Element;
    /// A texel in a kernel.
    type Shader;
    /// Name of the marker type.
    const NAME: &'static str;
    /// Name in SPIR-V and in `[[vk::image_format(...)]]`, which spells it in lower case.
    const SPIRV: &'static str;
    /// Number in SPIR-V's `ImageFormat`.
    const CODE: u32;
    /// Number in Vulkan's `VkFormat`.
    const VULKAN: i32;
    /// What a kernel sees of a texel: `f32`, `i32` or `u32`, for messages.
    const SCALAR: &'static str;
    /// How many scalars a kernel sees.
    const COMPONENTS: u32;
    /// Whether texels are depths, which samplers compare. Such images are not written by kernels.
    const DEPTH: bool;
}

/// Formats whose texels a kernel sees as `V`: `f32`, `[f32; 2]`, `[f32; 4]`, `u32`, ...
#[diagnostic::on_unimplemented(
    message = "an `Image<{Self}>` does not fit: the kernel sees texels of type `{V}` in this texture",
    label = "texels of `{Self}` are not `{V}` in a kernel",
    note = "a `float4` texture takes Rgba8Unorm, Rgba16Float, Rgba32Float, ...; a `float` texture R8Unorm, R32Float, ...; a `uint` texture R8Uint, R32Uint, ..."
)]
pub trait ShaderTexel<V>: PixelFormat {}

#[diagnostic::do_not_recommend]
impl<V, F: PixelFormat<Shader = V>> ShaderTexel<V> for F {}

macro_rules! formats {
    ($($marker:ident $spirv:ident $code:literal $vulkan:literal $texel:ty, $scalar:ident $components:literal $shader:ty $(, $depth:ident)?;)*) => {
        $(
            #[doc = concat!("Texels of type `", stringify!($texel), "`, which a kernel sees as `", stringify!($shader),
                "`; SPIR-V's `", stringify!($spirv), "`.")]
            #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
            pub struct $marker;

            impl PixelFormat for $marker {
                type Texel = $texel;
                type Shader = $shader;
                const NAME: &'static str = stringify!($marker);
                const SPIRV: &'static str = stringify!($spirv);
                const CODE: u32 = $code;
                const VULKAN: i32 = $vulkan;
                const SCALAR: &'static str = stringify!($scalar);
                const COMPONENTS: u32 = $components;
                const DEPTH: bool = formats!(@ $($depth)?);
            }
        )*

        /// Every format: marker, SPIR-V name, SPIR-V number, Vulkan number, bytes of a texel.
        #[cfg(test)]
        const ALL: &[(&str, &str, u32, i32, usize)] = &[
            $((stringify!($marker), stringify!($spirv), $code, $vulkan, size_of::<$texel>()),)*
        ];
    };
    (@ depth) => { true };
    (@) => { false };
}

formats! {
    // marker      SPIR-V       number VkFormat texel    a kernel sees
    Rgba32Float    Rgba32f      1  109 [f32; 4], f32 4 [f32; 4];
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(feature = "vulkan")]
    fn vulkan_numbers_name_the_same_format() {
        for (marker, _, _, vulkan, bytes) in ALL {
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

    #[test]
    fn spirv_numbers_agree_with_the_stub_generator() {
        let of_images: Vec<_> = ALL.iter().filter(|f| !f.0.starts_with("Depth")).collect();
        for row in spirv_interface::IMAGE_FORMATS {
            let ours =
                of_images.iter().find(|f| f.1 == row.0).unwrap_or_else(|| panic!("no format {}", row.0));
            assert_eq!((ours.2, ours.0), (row.1, row.2));
        }
        assert_eq!(spirv_interface::IMAGE_FORMATS.len(), of_images.len());
    }
}
