//! What a buffer can hold.

/// A type that a [`Buffer`](crate::Buffer) can hold: plain bytes without padding, any bits valid.
///
/// Every [`bytemuck::Pod`] type is one: numbers, arrays of them, the structs that `include_kernel!` generates and
/// structs with `#[derive(KernelStruct)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the element of a buffer",
    label = "no plain data without padding",
    note = "numbers, arrays of numbers and `#[repr(C)]` structs of them can; put `#[derive(Clone, Copy, KernelStruct)]` on such a struct"
)]
pub trait Element: bytemuck::Pod {}

impl<T: bytemuck::Pod> Element for T {}
