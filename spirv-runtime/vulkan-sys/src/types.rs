//! What the generated types are made of.

pub use std::ffi::{CStr, FromBytesUntilNulError, c_char, c_void};
use std::fmt::{Formatter, Result};
pub use std::marker::PhantomData;

/// A truth value: [`TRUE`] or [`FALSE`].
pub type Bool32 = u32;
/// No.
pub const FALSE: Bool32 = 0;
/// Yes.
pub const TRUE: Bool32 = 1;
/// To the end.
pub const WHOLE_SIZE: u64 = !0;
/// All levels behind the first named.
pub const REMAINING_MIP_LEVELS: u32 = !0;
/// All layers behind the first named.
pub const REMAINING_ARRAY_LAYERS: u32 = !0;
/// The owner stays.
pub const QUEUE_FAMILY_IGNORED: u32 = !0;

/// Version 1.0.
pub const API_VERSION_1_0: u32 = 1 << 22;
/// Version 1.1.
pub const API_VERSION_1_1: u32 = 1 << 22 | 1 << 12;
/// Version 1.2.
pub const API_VERSION_1_2: u32 = 1 << 22 | 2 << 12;
/// Version 1.3.
pub const API_VERSION_1_3: u32 = 1 << 22 | 3 << 12;

/// Any function.
pub type Function = Option<unsafe extern "system" fn()>;
/// Allocators of the host's are not used.
pub type AllocationCallbacks = c_void;

/// What validation layers call.
pub type DebugUtilsMessengerCallback = Option<
    unsafe extern "system" fn(
        super::vk::DebugUtilsMessageSeverityFlagsEXT,
        super::vk::DebugUtilsMessageTypeFlagsEXT,
        *const DebugUtilsMessengerCallbackDataEXT<'_>,
        *mut c_void,
    ) -> Bool32,
>;

/// What a validation layer says. The structure goes on behind the message.
#[repr(C)]
pub struct DebugUtilsMessengerCallbackDataEXT<'a> {
    s_type: super::vk::StructureType,
    p_next: *const c_void,
    flags: u32,
    p_message_id_name: *const c_char,
    message_id_number: i32,
    p_message: *const c_char,
    marker: PhantomData<&'a ()>,
}

impl DebugUtilsMessengerCallbackDataEXT<'_> {
    /// The message, if there is one.
    ///
    /// # Safety
    /// The structure comes from a layer and its call has not returned.
    pub unsafe fn message_as_c_str(&self) -> Option<&CStr> {
        // SAFETY: the message is null or a text that ends in zero, by the specification.
        (!self.p_message.is_null()).then(|| unsafe { CStr::from_ptr(self.p_message) })
    }
}

/// The colour of a clear, as the format has it.
#[repr(C)]
#[derive(Clone, Copy)]
pub union ClearColorValue {
    /// For formats of numbers.
    pub float32: [f32; 4],
    /// For formats of signed integers.
    pub int32: [i32; 4],
    /// For formats of unsigned integers.
    pub uint32: [u32; 4],
}

/// Structures that stand in chains.
///
/// # Safety
/// It begins with a `Link`.
pub unsafe trait Chain {}

/// How structures of chains begin.
#[repr(C)]
pub struct Link {
    s_type: i32,
    p_next: *mut c_void,
}

/// Puts a structure, which is alone, behind another.
///
/// # Safety
/// Both begin so.
pub unsafe fn link(first: *mut Link, next: *mut Link) {
    // SAFETY: the caller's promise.
    unsafe {
        (*next).p_next = (*first).p_next;
        (*first).p_next = next.cast();
    }
}

/// A text in an array.
pub fn text_of(array: &[c_char]) -> std::result::Result<&CStr, FromBytesUntilNulError> {
    // SAFETY: signed or not, they are bytes.
    CStr::from_bytes_until_nul(unsafe { std::slice::from_raw_parts(array.as_ptr().cast(), array.len()) })
}

/// Shows a value of an enumeration.
pub fn named(f: &mut Formatter<'_>, names: &[(&str, i32)], value: i32) -> Result {
    match names.iter().find(|n| n.1 == value) {
        Some((name, _)) => f.write_str(name),
        None => write!(f, "{value}"),
    }
}

/// Shows a set of flags.
pub fn set(f: &mut Formatter<'_>, names: &[(&str, u32)], value: u32) -> Result {
    let mut left = value;
    for (name, flag) in names.iter().filter(|n| n.1 != 0 && value & n.1 == n.1) {
        f.write_str(if left == value { "" } else { " | " })?;
        f.write_str(name)?;
        left &= !flag;
    }
    match left {
        0 if value != 0 => Ok(()),
        _ if left == value => write!(f, "{left:#x}"),
        _ => write!(f, " | {left:#x}"),
    }
}
