//! Texts made while compiling.

use super::layout::{Expected, ExpectedMember, ScalarKind, TypeLayout, expected_size};

/// A text made while compiling.
#[derive(Debug)]
pub struct Message {
    bytes: [u8; Message::CAPACITY],
    len: usize,
}

impl Message {
    /// Longer texts are cut.
    const CAPACITY: usize = 2048;

    pub(super) const fn new() -> Message {
        Message { bytes: [0; Message::CAPACITY], len: 0 }
    }

    pub(super) const fn str(&mut self, text: &str) {
        let text = text.as_bytes();
        let mut i = 0;
        while i < text.len() && self.len < Message::CAPACITY {
            // Cutting at a byte could leave half a character; names beyond ASCII are shown as `?`.
            self.bytes[self.len] = if text[i].is_ascii() { text[i] } else { b'?' };
            self.len += 1;
            i += 1;
        }
    }

    pub(super) const fn number(&mut self, n: usize) {
        if n >= 10 {
            self.number(n / 10);
        }
        let digit = [b'0' + (n % 10) as u8];
        if let Ok(digit) = std::str::from_utf8(&digit) {
            self.str(digit);
        }
    }

    pub(super) const fn layout(&mut self, ty: &TypeLayout) {
        match ty {
            TypeLayout::Scalar(s) => self.str(s.rust()),
            TypeLayout::Array { elem, len } => {
                self.str("[");
                self.layout(elem);
                self.str("; ");
                self.number(*len);
                self.str("]");
            }
            TypeLayout::Struct { name, .. } => self.str(name),
        }
    }

    /// The Rust type that an expected type wants.
    pub(super) const fn wanted(&mut self, ty: &Expected) {
        match ty {
            Expected::Scalar(s) => self.str(s.rust()),
            Expected::Vector(s, len) => self.array_of(*s, *len),
            Expected::Matrix { scalar, major, stride, .. } => {
                self.str("[");
                self.array_of(*scalar, *stride / scalar.size());
                self.str("; ");
                self.number(*major);
                self.str("]");
            }
            Expected::Array { elem, len, stride } => {
                self.str("[");
                self.wanted_element(elem, *stride);
                self.str("; ");
                self.number(*len);
                self.str("]");
            }
            Expected::Struct { name, .. } => self.str(name),
        }
    }

    /// The Rust type that elements want which are so many bytes apart.
    pub(super) const fn wanted_element(&mut self, ty: &Expected, stride: usize) {
        match ty {
            Expected::Scalar(s) | Expected::Vector(s, _) if stride != expected_size(ty) => {
                self.array_of(*s, stride / s.size());
            }
            _ => self.wanted(ty),
        }
    }

    pub(super) const fn array_of(&mut self, scalar: ScalarKind, len: usize) {
        self.str("[");
        self.str(scalar.rust());
        self.str("; ");
        self.number(len);
        self.str("]");
    }

    /// ``kernels/a.hlsl:7: `float3 pos` ``.
    pub(super) const fn member(&mut self, source: &str, member: &ExpectedMember) {
        self.place(source, member.line);
        self.str("`");
        self.str(member.hlsl);
        self.str(" ");
        self.str(member.name);
        self.str("`");
    }

    pub(super) const fn place(&mut self, source: &str, line: u32) {
        self.str(source);
        self.str(":");
        self.number(line as usize);
        self.str(": ");
    }

    /// The text.
    pub const fn as_str(&self) -> &str {
        match std::str::from_utf8(self.bytes.split_at(self.len).0) {
            Ok(text) => text,
            Err(_) => "the layout does not match the kernel's",
        }
    }
}
