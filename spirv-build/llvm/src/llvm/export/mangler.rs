//! Mangled names of the functions that stand for instructions: the parameters, by the Itanium ABI.

use super::types::{Elem, Shape, address_space, with_image};
use crate::ir::{Module, Op, Type, TypeKind};

/// Builds the part of a name behind the function's own.
#[derive(Default)]
pub(super) struct Mangler {
    out: String,
    /// What may be abbreviated, in the order of its first occurrence.
    seen: Vec<String>,
}

impl Mangler {
    /// Adds a parameter of a type.
    pub fn add(&mut self, module: &Module, ty: Type) {
        let text = self.ty(module, ty, 0);
        self.out += &text;
    }

    /// Adds a literal, which is passed as an `int`.
    pub fn literal(&mut self) {
        self.out.push('i');
    }

    /// The parameters; none are `v`.
    pub fn finish(self) -> String {
        if self.out.is_empty() { "v".into() } else { self.out }
    }

    /// An abbreviation of what occurred before, or the text itself, which counts from now on.
    fn known(&mut self, full: String, text: String) -> String {
        if let Some(n) = self.seen.iter().position(|s| *s == full) {
            return abbreviation(n);
        }
        self.seen.push(full);
        text
    }

    /// The text of a type, and adds what may be abbreviated later.
    fn ty(&mut self, module: &Module, ty: Type, depth: usize) -> String {
        if depth > 32 {
            return "v".into();
        }
        if let Some(s) = Shape::of(&module.ctx.types, ty) {
            let scalar = scalar(s.elem);
            if s.len == 1 {
                return scalar.to_string();
            }
            let text = format!("Dv{}_{scalar}", s.len);
            return self.known(text.clone(), text);
        }
        match module.ctx.types.kind(ty) {
            TypeKind::Pointer { pointee, storage } => {
                let full = full(module, ty, 0);
                if let Some(n) = self.seen.iter().position(|s| *s == full) {
                    return abbreviation(n);
                }
                let mut inner = self.ty(module, *pointee, depth + 1);
                let space = address_space(*storage);
                if space != 0 {
                    let qualified = format!("U3AS{space}{inner}");
                    inner = self.known(full[1..].to_string(), qualified);
                }
                self.known(full, format!("P{inner}"))
            }
            _ => {
                let text = full(module, ty, 0);
                self.known(text.clone(), text)
            }
        }
    }
}

fn scalar(e: Elem) -> &'static str {
    match e {
        Elem::Int(1) => "b",
        Elem::Int(8) => "c",
        Elem::Int(16) => "s",
        Elem::Int(32) => "i",
        Elem::Int(_) => "l",
        Elem::Float(16) => "Dh",
        Elem::Float(32) => "f",
        Elem::Float(_) => "d",
    }
}

/// `S_`, `S0_`, ..., `SA_`.
fn abbreviation(n: usize) -> String {
    let Some(mut n) = n.checked_sub(1) else { return "S_".into() };
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit((n % 36) as u32, 36).unwrap_or('0').to_ascii_uppercase());
        n /= 36;
        if n == 0 {
            break;
        }
    }
    format!("S{}_", digits.iter().rev().collect::<String>())
}

/// A type without abbreviations.
fn full(module: &Module, ty: Type, depth: usize) -> String {
    if depth > 32 {
        return "v".into();
    }
    if let Some(s) = Shape::of(&module.ctx.types, ty) {
        let scalar = scalar(s.elem);
        return if s.len == 1 { scalar.to_string() } else { format!("Dv{}_{scalar}", s.len) };
    }
    let named = |name: String| format!("{}{name}", name.len());
    match module.ctx.types.kind(ty) {
        TypeKind::Pointer { pointee, storage } => {
            let inner = full(module, *pointee, depth + 1);
            match address_space(*storage) {
                0 => format!("P{inner}"),
                n => format!("PU3AS{n}{inner}"),
            }
        }
        TypeKind::Opaque(o) => {
            let name = format!("{:?}", o.op).replacen("Type", "", 1);
            let mut text = format!("__spirv_{name}");
            if matches!(o.op, Op::TypeImage | Op::TypeSampledImage | Op::TypePipe) {
                text += "_";
                let o = with_image(module, o);
                for t in &o.types {
                    text += match Shape::of(&module.ctx.types, *t).map(|s| s.elem) {
                        Some(Elem::Float(32)) => "_float",
                        Some(Elem::Float(16)) => "_half",
                        Some(Elem::Int(32)) => "_int",
                        _ => "_void",
                    };
                }
                o.words.iter().for_each(|w| text += &format!("_{w}"));
            }
            named(text)
        }
        TypeKind::Sampler => named("__spirv_Sampler".into()),
        TypeKind::Struct(s) if !s.name.is_empty() => {
            let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
            named(s.name.chars().map(plain).collect())
        }
        _ => named("type".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::StorageClass;
    use crate::llvm::mangle::{Param, demangle};

    #[test]
    fn names_are_taken_apart_again() {
        let mut m = Module::default();
        let float = m.ctx.types.float(32);
        let v4 = m.ctx.types.vector(float, 4);
        let p = m.ctx.types.pointer(v4, StorageClass::CrossWorkgroup);
        let q = m.ctx.types.pointer(float, StorageClass::Function);
        let mut mangler = Mangler::default();
        for t in [v4, p, v4, p, q, q] {
            mangler.add(&m, t);
        }
        mangler.literal();
        let symbol = format!("_Z3fma{}", mangler.finish());
        assert_eq!(symbol, "_Z3fmaDv4_fPU3AS1S_S_S1_PfS2_i");
        let (_, params) = demangle(&symbol).unwrap();
        let vector = Param::Vector(4, Box::new(Param::Scalar("f")));
        let pointer = Param::Pointer(Box::new(vector.clone()));
        let other = Param::Pointer(Box::new(Param::Scalar("f")));
        assert_eq!(
            params,
            [vector.clone(), pointer.clone(), vector, pointer, other.clone(), other, Param::Scalar("i")]
        );
        assert_eq!(Mangler::default().finish(), "v");
        assert_eq!([0, 1, 11, 37].map(abbreviation), ["S_", "S0_", "SA_", "S10_"]);
    }
}
