//! What a macro can be defined as.

/// Values of macros for [`Config::define`](super::Config::define): text and numbers.
#[diagnostic::on_unimplemented(
    message = "a macro cannot be defined as `{Self}`",
    label = "no text, number or `bool`",
    note = "anything else can be written as text: `config().define(\"COLOUR\", \"float4(1, 0, 0, 1)\")`"
)]
pub trait MacroValue {
    /// The text that stands for the macro.
    fn text(&self) -> String;
}

impl<T: MacroValue + ?Sized> MacroValue for &T {
    fn text(&self) -> String {
        (**self).text()
    }
}

impl MacroValue for str {
    fn text(&self) -> String {
        self.to_string()
    }
}

impl MacroValue for String {
    fn text(&self) -> String {
        self.clone()
    }
}

impl MacroValue for bool {
    /// `1` or `0`, which `#if` takes.
    fn text(&self) -> String {
        u8::from(*self).to_string()
    }
}

macro_rules! integers {
    ($($ty:ty)*) => {$(
        impl MacroValue for $ty {
            fn text(&self) -> String {
                self.to_string()
            }
        }
    )*};
}

integers!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);

macro_rules! floats {
    ($($ty:ty)*) => {$(
        impl MacroValue for $ty {
            /// With a point or an exponent, so that it stays a floating-point number: `1.0`. What is no number is written as
            /// what divides by zero.
            fn text(&self) -> String {
                match self {
                    n if n.is_nan() => "(0.0 / 0.0)".into(),
                    n if n.is_infinite() => format!("({}1.0 / 0.0)", if *n < 0.0 { "-" } else { "" }),
                    n => format!("{n:?}"),
                }
            }
        }
    )*};
}

floats!(f32 f64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_what_hlsl_reads() {
        assert_eq!([4u32.text(), (-4i64).text(), true.text()], ["4", "-4", "1"]);
        assert_eq!(
            [1.0f32.text(), 0.5f64.text(), 1e30f32.text(), 1e-9f64.text()],
            ["1.0", "0.5", "1e30", "1e-9"]
        );
        assert_eq!(
            ["float2(1, 2)".text(), String::from("x").text(), f32::NEG_INFINITY.text()],
            ["float2(1, 2)", "x", "(-1.0 / 0.0)"]
        );
    }
}
