//! The HLSL front end: text in, typed HIR out.
pub mod hir;
pub mod intrinsics;
pub mod layout;
pub mod lower;
pub mod types;

/// Declares a typed 32-bit index.
macro_rules! entity {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            /// The position in the table that this indexes.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}
pub(crate) use entity;
