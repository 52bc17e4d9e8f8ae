//! The one error type.

use std::fmt;

/// What a runtime call returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What kind of thing went wrong; the [`Error`]'s text says the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// There is no such device, or a name or environment variable that chooses one is malformed.
    NoDevice,
    /// The device or the host has not enough memory.
    OutOfMemory,
    /// The device stopped working (it was reset, removed or hung). What it held is lost, and every call on it returns this
    /// error. Opening it again gives a device that works, if it does; buffers, images and kernels are made anew on that one.
    DeviceLost,
    /// The device cannot run the kernel or hold the image: it lacks a feature, or the kernel has no code for it.
    Unsupported,
    /// A size exceeds what the device or the kernel can handle.
    Limit,
    /// Lengths that do not fit each other, or an empty image.
    InvalidArgument,
    /// An argument lives on another device than the queue or the kernel.
    WrongDevice,
    /// The driver reported an error of its own, or what it is to be given is damaged.
    Driver,
    /// The kernel did what it must not, and was ended: the text says what and where in its source.
    Fault,
    /// The launch was cancelled before it had run.
    Cancelled,
}

/// Why a call failed. The text names the kernel, the argument and the device, and says what to do. `Debug` shows the text too, since
/// that is what `fn main() -> spirv_runtime::Result<()>` and `unwrap` print.
#[derive(Clone, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    message: String,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error { kind, message: message.into() }
    }

    /// The same error, saying first where it happened.
    pub(crate) fn at(mut self, place: impl fmt::Display) -> Error {
        self.message = format!("{place}: {}", self.message);
        self
    }

    /// What kind of thing went wrong.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({:?})", self.message, self.kind)
    }
}

impl std::error::Error for Error {}

macro_rules! error {
    ($kind:ident, $($message:tt)*) => {
        $crate::error::Error::new($crate::error::ErrorKind::$kind, format!($($message)*))
    };
}
pub(crate) use error;

#[cfg(test)]
mod tests {
    #[test]
    fn main_prints_the_message() {
        let error = error!(NoDevice, "there is no device `{}`", "cpu:7");
        assert_eq!(format!("Error: {error:?}"), "Error: there is no device `cpu:7` (NoDevice)");
    }
}
