//! Dimensions and sizes of images.

use crate::error::{Result, error};
use std::fmt;
use std::marker::PhantomData;

/// What an [`Image`](crate::Image) is an arrangement of. Implemented by the marker types of this crate.
pub trait Dimension: Copy + Send + Sync + 'static {
    /// Name of the marker type.
    const NAME: &'static str;
    /// Sides that a texel's place has, the layer aside.
    #[doc(hidden)]
    const SIDES: u32;
    /// Whether there are layers that the caller counts.
    #[doc(hidden)]
    const ARRAYED: bool;
    /// Layers in one of those.
    #[doc(hidden)]
    const FACES: u32;
}

macro_rules! dimensions {
    ($($(#[$doc:meta])* $name:ident $sides:literal $arrayed:literal $faces:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub struct $name;

        impl Dimension for $name {
            const NAME: &'static str = stringify!($name);
            const SIDES: u32 = $sides;
            const ARRAYED: bool = $arrayed;
            const FACES: u32 = $faces;
        }
    )*};
}

dimensions! {
    /// A row of texels: what a kernel sees as `Texture1D`.
    D1 1 false 1;
    /// Layers that are rows: `Texture1DArray`.
    D1Array 1 true 1;
    /// Rows: `Texture2D`.
    D2 2 false 1;
    /// Layers of rows: `Texture2DArray`.
    D2Array 2 true 1;
    /// Slices of rows: `Texture3D`.
    D3 3 false 1;
    /// The six faces of a cube, +X, -X, +Y, -Y, +Z and -Z: `TextureCube`.
    Cube 2 false 6;
    /// Cubes: `TextureCubeArray`.
    CubeArray 2 true 6;
}

impl D1 {
    /// The size of such an image.
    pub fn size(width: u32) -> ImageSize<D1> {
        ImageSize::new([width, 1, 1], 1)
    }
}

impl D1Array {
    /// The size of such an image.
    pub fn size(width: u32, layers: u32) -> ImageSize<D1Array> {
        ImageSize::new([width, 1, 1], layers)
    }
}

impl D2 {
    /// The size of such an image.
    pub fn size(width: u32, height: u32) -> ImageSize<D2> {
        ImageSize::new([width, height, 1], 1)
    }
}

impl D2Array {
    /// The size of such an image.
    pub fn size(width: u32, height: u32, layers: u32) -> ImageSize<D2Array> {
        ImageSize::new([width, height, 1], layers)
    }
}

impl D3 {
    /// The size of such an image.
    pub fn size(width: u32, height: u32, depth: u32) -> ImageSize<D3> {
        ImageSize::new([width, height, depth], 1)
    }
}

impl Cube {
    /// The size of such an image, whose faces are squares.
    pub fn size(side: u32) -> ImageSize<Cube> {
        ImageSize::new([side, side, 1], 1)
    }
}

impl CubeArray {
    /// The size of such an image: how many cubes, whose faces are squares.
    pub fn size(side: u32, cubes: u32) -> ImageSize<CubeArray> {
        ImageSize::new([side, side, 1], cubes)
    }
}

/// How large an [`Image`](crate::Image) is: `D3::size(64, 64, 32)`, `D2::size(512, 512).with_all_levels()`.
pub struct ImageSize<D: Dimension> {
    extent: [u32; 3],
    layers: u32,
    levels: u32,
    dimension: PhantomData<D>,
}

impl<D: Dimension> ImageSize<D> {
    fn new(extent: [u32; 3], layers: u32) -> ImageSize<D> {
        ImageSize { extent, layers, levels: 1, dimension: PhantomData }
    }

    /// With this many mip levels; each has half the sides of the one before, rounded down, but at least 1.
    #[must_use]
    pub fn with_levels(self, levels: u32) -> ImageSize<D> {
        ImageSize { levels, ..self }
    }

    /// With all mip levels, down to the one whose sides are 1.
    #[must_use]
    pub fn with_all_levels(self) -> ImageSize<D> {
        self.with_levels(self.most_levels())
    }

    fn most_levels(&self) -> u32 {
        let longest = self.extent.into_iter().max().unwrap_or(1);
        longest.max(1).ilog2() + 1
    }

    /// Texels in a row.
    pub fn width(&self) -> u32 {
        self.extent[0]
    }

    /// Rows of a slice or layer.
    pub fn height(&self) -> u32 {
        self.extent[1]
    }

    /// Slices: 1 unless there are three dimensions.
    pub fn depth(&self) -> u32 {
        self.extent[2]
    }

    /// Layers of an array, cubes of an array of cubes; else 1.
    pub fn layers(&self) -> u32 {
        self.layers
    }

    /// Mip levels.
    pub fn levels(&self) -> u32 {
        self.levels
    }

    /// Width, height and depth.
    pub(crate) fn extent(&self) -> [u32; 3] {
        self.extent
    }

    /// Layers, the faces of cubes counted.
    pub(crate) fn faces(&self) -> u32 {
        self.layers.saturating_mul(D::FACES)
    }

    /// The size of a level, as an image of one.
    pub(crate) fn level(&self, level: u32) -> ImageSize<D> {
        let extent = self.extent.map(|side| side.checked_shr(level).unwrap_or(0).max(1));
        ImageSize { extent, levels: 1, ..*self }
    }

    /// Texels of the first level.
    pub(crate) fn texels(&self) -> u128 {
        let sides = self.extent.iter().map(|n| u128::from(*n)).product::<u128>();
        sides * u128::from(self.layers) * u128::from(D::FACES)
    }

    pub(crate) fn check(&self) -> Result<()> {
        if self.extent.contains(&0) || self.layers == 0 {
            return Err(error!(
                InvalidArgument,
                "an image of {self} texels is empty; all sides must be at least 1"
            ));
        }
        let most = self.most_levels();
        if self.levels == 0 || self.levels > most {
            return Err(error!(
                InvalidArgument,
                "an image of {self} texels has 1 to {most} levels, not {}", self.levels
            ));
        }
        Ok(())
    }
}

impl<D: Dimension> Clone for ImageSize<D> {
    fn clone(&self) -> ImageSize<D> {
        *self
    }
}

impl<D: Dimension> Copy for ImageSize<D> {}

impl<D: Dimension> PartialEq for ImageSize<D> {
    fn eq(&self, other: &ImageSize<D>) -> bool {
        (self.extent, self.layers, self.levels) == (other.extent, other.layers, other.levels)
    }
}

impl<D: Dimension> Eq for ImageSize<D> {}

impl<D: Dimension> fmt::Display for ImageSize<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [width, height, depth] = self.extent;
        write!(f, "{width}")?;
        if D::SIDES >= 2 {
            write!(f, "x{height}")?;
        }
        if D::SIDES >= 3 {
            write!(f, "x{depth}")?;
        }
        if D::FACES > 1 {
            write!(f, "x{}", D::FACES)?;
        }
        if D::ARRAYED {
            write!(f, "x{}", self.layers)?;
        }
        Ok(())
    }
}

impl<D: Dimension> fmt::Debug for ImageSize<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}::size({self}), {} levels", D::NAME, self.levels)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_halve_down_to_one() {
        let size = D3::size(20, 9, 1).with_all_levels();
        assert_eq!(size.levels(), 5);
        assert_eq!(size.level(1).extent(), [10, 4, 1]);
        assert_eq!(size.level(4).extent(), [1, 1, 1]);
        assert!(size.check().is_ok() && size.with_levels(6).check().is_err());
        assert!(D2::size(3, 0).check().is_err() && D2::size(3, 4).with_levels(0).check().is_err());
        let layers = D2Array::size(8, 2, 3).with_levels(2).level(1);
        assert_eq!((layers.extent(), layers.layers(), layers.texels()), ([4, 1, 1], 3, 12));
    }

    #[test]
    fn sizes_are_written_by_their_sides() {
        assert_eq!(D1::size(7).to_string(), "7");
        assert_eq!(D2Array::size(7, 8, 9).to_string(), "7x8x9");
        assert_eq!(CubeArray::size(4, 2).to_string(), "4x4x6x2");
        assert_eq!(Cube::size(4).texels(), 96);
    }
}
