//! What the generated lists become.

/// A handle: a number, or an address for those that functions are looked up by.
macro_rules! handle {
    ($name:ident($raw:ty)) => {
        #[repr(transparent)]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
        pub struct $name($raw);

        impl $name {
            #[inline]
            pub const fn null() -> Self {
                $name(0)
            }
        }
    };
}

/// An enumeration, open as Vulkan's are.
macro_rules! enumeration {
    ($name:ident; $($value:ident = $number:literal,)*) => {
        #[repr(transparent)]
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
        pub struct $name(i32);

        impl $name {
            $(pub const $value: $name = $name($number);)*

            #[inline]
            pub const fn from_raw(number: i32) -> Self {
                $name(number)
            }

            #[inline]
            pub const fn as_raw(self) -> i32 {
                self.0
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                named(f, &[$((stringify!($value), $number),)*], self.0)
            }
        }
    };
}

/// A set of flags.
macro_rules! flags {
    ($name:ident; $($value:ident = $number:literal,)*) => {
        #[repr(transparent)]
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
        pub struct $name(u32);

        impl $name {
            $(pub const $value: $name = $name($number);)*

            #[inline]
            pub const fn empty() -> Self {
                $name(0)
            }

            #[inline]
            pub const fn contains(self, other: $name) -> bool {
                self.0 & other.0 == other.0
            }
        }

        impl std::ops::BitOr for $name {
            type Output = $name;

            #[inline]
            fn bitor(self, other: $name) -> $name {
                $name(self.0 | other.0)
            }
        }

        impl std::ops::BitOrAssign for $name {
            #[inline]
            fn bitor_assign(&mut self, other: $name) {
                self.0 |= other.0;
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                set(f, &[$((stringify!($value), $number),)*], self.0)
            }
        }
    };
}

/// A structure that begins with its tag and the pointer to the next.
macro_rules! chain {
    ($name:ident) => {
        // SAFETY: see above.
        unsafe impl Chain for $name<'_> {}
        // SAFETY: whom its pointers lead to is borrowed, and looked at by calls only.
        unsafe impl Send for $name<'_> {}
        // SAFETY: as above.
        unsafe impl Sync for $name<'_> {}
    };
}

/// A table of functions. An `Option` may be missing; without any of the others there is no table.
macro_rules! functions {
    ($table:ident; $($name:ident: $vk:ident $kind:ident = fn($($parameter:ident: $ty:ty),*) $(-> $result:ty)?;)*) => {
        #[derive(Clone, Copy)]
        pub(crate) struct $table {
            $(pub $name: functions!(@type $kind unsafe extern "system" fn($($ty),*) $(-> $result)?),)*
        }

        impl $table {
            /// # Safety
            /// What `find` returns for a name is the function of that name, or null.
            pub(crate) unsafe fn load(find: &dyn Fn(&CStr) -> Function) -> Option<$table> {
                let find = |name: &'static [u8]| find(CStr::from_bytes_with_nul(name).unwrap_or_default());
                Some($table {
                    $($name: {
                        let found = find(concat!(stringify!($vk), "\0").as_bytes());
                        type Found = Option<unsafe extern "system" fn($($ty),*) $(-> $result)?>;
                        // SAFETY: by the caller the function has this name, and by the specification this type.
                        let found = unsafe { std::mem::transmute::<Function, Found>(found) };
                        functions!(@have $kind found)
                    },)*
                })
            }
        }
    };
    (@type Option $ty:ty) => { Option<$ty> };
    (@type Function $ty:ty) => { $ty };
    (@have Option $found:ident) => { $found };
    (@have Function $found:ident) => { $found? };
}
