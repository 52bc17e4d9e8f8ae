//! Vectors, matrices and numbers of other crates, each behind a feature of its name.

#[cfg(any(feature = "glam", feature = "half", feature = "nalgebra"))]
use super::layout::{KernelType, TypeLayout};

/// Types that lie in memory as others do.
#[cfg(feature = "glam")]
macro_rules! like {
    ($($ty:ident $like:ty,)*) => {$(
        impl KernelType for glam::$ty {
            const LAYOUT: TypeLayout = <$like as KernelType>::LAYOUT;
        }
    )*};
}

#[cfg(feature = "glam")]
like! {
    Vec2 [f32; 2], Vec3 [f32; 3], Vec4 [f32; 4], Quat [f32; 4],
    Mat2 [[f32; 2]; 2], Mat3 [[f32; 3]; 3], Mat4 [[f32; 4]; 4],
    DVec2 [f64; 2], DVec3 [f64; 3], DVec4 [f64; 4], DQuat [f64; 4],
    DMat2 [[f64; 2]; 2], DMat3 [[f64; 3]; 3], DMat4 [[f64; 4]; 4],
    I8Vec2 [i8; 2], I8Vec3 [i8; 3], I8Vec4 [i8; 4], U8Vec2 [u8; 2], U8Vec3 [u8; 3], U8Vec4 [u8; 4],
    I16Vec2 [i16; 2], I16Vec3 [i16; 3], I16Vec4 [i16; 4], U16Vec2 [u16; 2], U16Vec3 [u16; 3], U16Vec4 [u16; 4],
    IVec2 [i32; 2], IVec3 [i32; 3], IVec4 [i32; 4], UVec2 [u32; 2], UVec3 [u32; 3], UVec4 [u32; 4],
    I64Vec2 [i64; 2], I64Vec3 [i64; 3], I64Vec4 [i64; 4], U64Vec2 [u64; 2], U64Vec3 [u64; 3], U64Vec4 [u64; 4],
}

#[cfg(feature = "half")]
impl KernelType for half::f16 {
    const LAYOUT: TypeLayout = TypeLayout::Scalar(super::layout::ScalarKind::F16);
}

/// A vector, or a matrix as its columns.
#[cfg(feature = "nalgebra")]
impl<T: KernelType + nalgebra::Scalar, const R: usize, const C: usize> KernelType
    for nalgebra::SMatrix<T, R, C>
where
    Self: bytemuck::Pod,
{
    const LAYOUT: TypeLayout = match C {
        1 => <[T; R] as KernelType>::LAYOUT,
        _ => <[[T; R]; C] as KernelType>::LAYOUT,
    };
}

#[cfg(all(test, feature = "glam", feature = "half", feature = "nalgebra"))]
mod tests {
    use super::*;
    use crate::check::{ElementCheck, Expected, ScalarKind, check_element};

    fn fits<T: KernelType>(elem: Expected, stride: usize) -> bool {
        let check = ElementCheck { source: "k", name: "b", hlsl: "T", line: 1, elem, stride };
        check_element::<T>(&check).is_none()
    }

    #[test]
    fn vectors_of_other_crates_are_what_lies_in_memory() {
        let f = |n| Expected::Vector(ScalarKind::F32, n);
        assert!(fits::<glam::Vec2>(f(2), 8) && fits::<nalgebra::Vector2<f32>>(f(2), 8));
        assert!(fits::<glam::Vec3>(f(3), 12) && fits::<nalgebra::Vector3<f32>>(f(3), 12));
        // Three in the room of four.
        assert!(fits::<glam::Vec4>(f(3), 16) && !fits::<glam::Vec3>(f(3), 16));
        assert!(
            fits::<glam::UVec4>(Expected::Vector(ScalarKind::U32, 4), 16) && !fits::<glam::UVec4>(f(4), 16)
        );
        assert!(fits::<half::f16>(Expected::Scalar(ScalarKind::F16), 2));
        assert!(fits::<[half::f16; 4]>(Expected::Vector(ScalarKind::F16, 4), 8));
        assert!(fits::<nalgebra::Vector4<half::f16>>(Expected::Vector(ScalarKind::F16, 4), 8));
        let matrix =
            |major, minor, stride| Expected::Matrix { scalar: ScalarKind::F32, major, minor, stride };
        assert!(
            fits::<glam::Mat4>(matrix(4, 4, 16), 64) && fits::<nalgebra::Matrix4<f32>>(matrix(4, 4, 16), 64)
        );
        assert!(fits::<glam::Mat3>(matrix(3, 3, 12), 36) && !fits::<glam::Mat3>(matrix(3, 3, 16), 48));
        assert!(fits::<nalgebra::Matrix4x3<f32>>(matrix(3, 4, 16), 48));
        assert!(!fits::<nalgebra::Matrix3x4<f32>>(matrix(3, 4, 16), 48));
    }
}
