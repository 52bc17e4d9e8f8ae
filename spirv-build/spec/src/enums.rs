//! What the types of enumerants have in common.

use crate::{Kind, enumerant};
use std::fmt;

/// Writes an enumerant's name, or its number where the specification has none.
pub(crate) fn write(kind: Kind, value: u32, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match enumerant(kind, value) {
        Some(row) => f.write_str(row.name()),
        None => write!(f, "{}({value})", kind.name()),
    }
}

/// Writes the names of a mask's bits.
pub(crate) fn write_mask(kind: Kind, value: u32, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut known = 0;
    for row in crate::enumerants(kind, value) {
        f.write_str(if known == 0 { "" } else { "|" })?;
        f.write_str(row.name())?;
        known |= row.value();
    }
    match value & !known {
        0 => Ok(()),
        rest => write!(f, "{}{rest:#x}", if known == 0 { "" } else { "|" }),
    }
}

macro_rules! enumerants {
    ($name:ident) => {
        $crate::enums::enumerants!(@type $name, write, "An enumerant of the kind");
    };
    ($name:ident, flags) => {
        $crate::enums::enumerants!(@type $name, write_mask, "A mask of enumerants of the kind");

        impl $name {
            /// No bit.
            pub const fn empty() -> $name {
                $name(0)
            }

            /// The mask.
            pub const fn bits(self) -> u32 {
                self.0
            }

            /// Whether it has all bits of another mask.
            pub const fn contains(self, other: $name) -> bool {
                self.0 & other.0 == other.0
            }

            /// Whether it has a bit of another mask.
            pub const fn intersects(self, other: $name) -> bool {
                self.0 & other.0 != 0
            }

            /// Whether it has no bit.
            pub const fn is_empty(self) -> bool {
                self.0 == 0
            }

            /// All bits of both.
            pub const fn union(self, other: $name) -> $name {
                $name(self.0 | other.0)
            }
        }

        impl std::ops::Sub for $name {
            type Output = $name;
            fn sub(self, other: $name) -> $name {
                $name(self.0 & !other.0)
            }
        }

        impl std::ops::BitOr for $name {
            type Output = $name;
            fn bitor(self, other: $name) -> $name {
                self.union(other)
            }
        }

        impl std::ops::BitOrAssign for $name {
            fn bitor_assign(&mut self, other: $name) {
                self.0 |= other.0;
            }
        }
    };
    (@type $name:ident, $write:ident, $doc:literal) => {
        #[doc = concat!($doc, " `", stringify!($name), "`.")]
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The enumerant of a number, if the specification has it.
            pub fn from_u32(number: u32) -> Option<$name> {
                $crate::enumerant(Kind::$name, number).map(|_| $name(number))
            }

            /// Its name.
            pub fn name(self) -> Option<&'static str> {
                Some($crate::enumerant(Kind::$name, self.0)?.name())
            }
        }

        impl std::str::FromStr for $name {
            type Err = ();
            fn from_str(name: &str) -> Result<$name, ()> {
                $crate::enumerant_by_name(Kind::$name, name).map(|row| $name(row.value())).ok_or(())
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                $crate::enums::$write(Kind::$name, self.0, f)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                $crate::enums::$write(Kind::$name, self.0, f)
            }
        }
    };
}
pub(crate) use enumerants;

#[cfg(test)]
mod tests {
    use crate::{BuiltIn, Dim, MemoryAccess};

    #[test]
    fn enumerants_have_names_and_unknown_ones_have_numbers() {
        assert_eq!(format!("{:?} {}", Dim::Dim2D, BuiltIn(77777)), "2D BuiltIn(77777)");
        assert_eq!("Cube".parse(), Ok(Dim::DimCube));
        assert_eq!(BuiltIn::from_u32(77777), None);
        let mask = MemoryAccess::VOLATILE | MemoryAccess::ALIGNED | MemoryAccess(0x4000_0000);
        assert_eq!(mask.to_string(), "Volatile|Aligned|0x40000000");
        assert!(mask.contains(MemoryAccess::ALIGNED) && !mask.intersects(MemoryAccess::NONTEMPORAL));
        assert_eq!(MemoryAccess::empty().to_string(), "None");
    }
}
