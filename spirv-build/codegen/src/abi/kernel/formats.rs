//! What texels are in memory, and the conversions between that and the vectors of four that kernels see.
//!
//! Components that a format lacks read as 0, the fourth as 1. Normalised components are clamped, rounded to the nearest
//! even step, and 0 for what is no number; integers lose the bits that do not fit. The CPU does the same.

use super::body::Body;
use crate::ir::{Op, Operand, Type, Value};
use spirv_interface::IMAGE_FORMATS;
use spirv_spec::ClOp as Cl;

/// What kernels see of a component.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Seen {
    Float,
    Signed,
    Unsigned,
}

/// What a component is in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Float,
    Unorm,
    Snorm,
    Sint,
    Uint,
}

/// One row a kind: how the names of such formats end, what kernels see.
const KINDS: &[(&str, Kind, Seen)] = &[
    ("Float", Kind::Float, Seen::Float),
    ("Unorm", Kind::Unorm, Seen::Float),
    ("Snorm", Kind::Snorm, Seen::Float),
    ("Sint", Kind::Sint, Seen::Signed),
    ("Uint", Kind::Uint, Seen::Unsigned),
];

/// A format of texels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Format {
    /// Its number in SPIR-V.
    pub code: u32,
    pub kind: Kind,
    pub seen: Seen,
    /// Bits of a component.
    pub bits: u8,
    /// Components: 1, 2 or 4.
    pub components: u8,
}

impl Format {
    /// Bytes of a texel.
    pub fn bytes(self) -> u32 {
        u32::from(self.bits / 8 * self.components)
    }

    /// By a name like `Rg16Snorm`: a letter a component, bits, kind. None for those whose components share a word.
    fn new(code: u32, name: &str) -> Option<Format> {
        let (_, kind, seen) = KINDS.iter().find(|k| name.ends_with(k.0))?;
        let digits = name.find(|c: char| c.is_ascii_digit())?;
        let rest = &name[digits..];
        let bits = rest[..rest.find(|c: char| !c.is_ascii_digit())?].parse().ok()?;
        if !matches!(bits, 8 | 16 | 32) {
            return None;
        }
        Some(Format { code, kind: *kind, seen: *seen, bits, components: u8::try_from(digits).ok()? })
    }
}

/// The formats that images may have.
pub(super) fn all() -> impl Iterator<Item = Format> {
    IMAGE_FORMATS.iter().filter_map(|(_, code, name)| Format::new(*code, name))
}

impl Body<'_, '_> {
    /// The scalar of texels in a kernel.
    pub fn texel_scalar(&mut self, seen: Seen) -> Type {
        match seen {
            Seen::Float => self.l.new.ctx.types.float(32),
            Seen::Signed | Seen::Unsigned => self.l.new.ctx.types.u32(),
        }
    }

    /// A texel in memory.
    pub fn memory_type(&mut self, format: Format) -> Type {
        let types = &mut self.l.new.ctx.types;
        let scalar = match format.kind {
            Kind::Float => types.float(format.bits),
            _ => types.int(format.bits, false),
        };
        self.several(scalar, format.components)
    }

    fn several(&mut self, scalar: Type, n: u8) -> Type {
        if n == 1 { scalar } else { self.l.new.ctx.types.vector(scalar, n) }
    }

    /// The vector of four that a texel in memory means.
    pub fn decode(&mut self, format: Format, raw: Value) -> Value {
        let scalar = self.texel_scalar(format.seen);
        let ty = self.several(scalar, format.components);
        let v = match (format.kind, format.bits) {
            (Kind::Float | Kind::Sint | Kind::Uint, 32) => raw,
            (Kind::Float, _) => self.b().op(Op::FConvert, ty, &[raw]),
            (Kind::Sint, _) => self.b().op(Op::SConvert, ty, &[raw]),
            (Kind::Uint, _) => self.b().op(Op::UConvert, ty, &[raw]),
            (Kind::Unorm, bits) => {
                let v = self.b().op(Op::ConvertUToF, ty, &[raw]);
                self.times(ty, v, 1.0 / steps(bits))
            }
            (Kind::Snorm, bits) => {
                let v = self.b().op(Op::ConvertSToF, ty, &[raw]);
                let v = self.times(ty, v, 1.0 / steps(bits - 1));
                // There are two patterns for the least.
                let least = self.float(ty, -1.0);
                self.cl(Cl::fmax, ty, &[v, least])
            }
        };
        self.filled(scalar, v, format.components)
    }

    /// A value of so many components as four.
    fn filled(&mut self, scalar: Type, v: Value, components: u8) -> Value {
        if components == 4 {
            return v;
        }
        let mut parts = match components {
            1 => vec![v],
            n => (0..u32::from(n)).map(|i| self.b().extract(v, scalar, &[i])).collect(),
        };
        let zero = self.b().null(scalar);
        parts.resize(3, zero);
        let one = if self.l.new.ctx.types.is_float(scalar) { u64::from(1f32.to_bits()) } else { 1 };
        parts.push(self.splat(scalar, one));
        let all = self.l.new.ctx.types.vector(scalar, 4);
        self.b().op(Op::CompositeConstruct, all, &parts)
    }

    /// A vector of four as a texel in memory.
    pub fn encode(&mut self, format: Format, texel: Value) -> Value {
        let scalar = self.texel_scalar(format.seen);
        let ty = self.several(scalar, format.components);
        let v = match format.components {
            4 => texel,
            1 => self.b().extract(texel, scalar, &[0]),
            n => {
                let mut operands = vec![Operand::Id(texel); 2];
                operands.extend((0..u32::from(n)).map(Operand::Literal));
                self.b().value(Op::VectorShuffle, ty, &operands)
            }
        };
        let memory = self.memory_type(format);
        match (format.kind, format.bits) {
            (Kind::Float | Kind::Sint | Kind::Uint, 32) => v,
            (Kind::Float, _) => self.b().op(Op::FConvert, memory, &[v]),
            (Kind::Sint | Kind::Uint, _) => self.b().op(Op::UConvert, memory, &[v]),
            (Kind::Unorm, bits) => {
                let v = self.normalised(ty, v, 0.0, steps(bits));
                self.b().op(Op::ConvertFToU, memory, &[v])
            }
            (Kind::Snorm, bits) => {
                let v = self.normalised(ty, v, -1.0, steps(bits - 1));
                self.b().op(Op::ConvertFToS, memory, &[v])
            }
        }
    }

    /// From `low` to 1, in whole steps.
    fn normalised(&mut self, ty: Type, v: Value, low: f32, steps: f32) -> Value {
        let truth = self.truth_like(ty);
        let (zero, low, one) = (self.b().null(ty), self.float(ty, low), self.float(ty, 1.0));
        let is_number = self.b().op(Op::FOrdEqual, truth, &[v, v]);
        let v = self.b().op(Op::Select, ty, &[is_number, v, zero]);
        let v = self.cl(Cl::fclamp, ty, &[v, low, one]);
        let v = self.times(ty, v, steps);
        self.cl(Cl::rint, ty, &[v])
    }

    fn float(&mut self, ty: Type, v: f32) -> Value {
        self.splat(ty, u64::from(v.to_bits()))
    }

    fn times(&mut self, ty: Type, v: Value, by: f32) -> Value {
        let by = self.float(ty, by);
        self.b().op(Op::FMul, ty, &[v, by])
    }
}

/// Steps from 0 to 1 of so many bits. Their reciprocal times the last step is 1 for 7, 8, 15 and 16 bits.
fn steps(bits: u8) -> f32 {
    ((1u32 << bits) - 1) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_known_by_its_name() {
        // But for the three whose components share a word.
        assert_eq!(all().count(), IMAGE_FORMATS.len() - 3);
        assert!(
            ["Rg11b10Float", "Rgb10a2Unorm", "Rgb10a2Uint"].iter().all(|name| Format::new(0, name).is_none())
        );
        let of = |name: &str| {
            let row = IMAGE_FORMATS.iter().find(|f| f.2 == name).unwrap();
            all().find(|f| f.code == row.1).map(|f| (f.kind, f.seen, f.bits, f.components, f.bytes()))
        };
        assert_eq!(of("Rgba8Unorm"), Some((Kind::Unorm, Seen::Float, 8, 4, 4)));
        assert_eq!(of("Rg16Sint"), Some((Kind::Sint, Seen::Signed, 16, 2, 4)));
        assert_eq!(of("R32Float"), Some((Kind::Float, Seen::Float, 32, 1, 4)));
        assert_eq!(Format::new(0, "Depth"), None);
    }

    #[test]
    fn the_last_step_is_one() {
        for bits in [7, 8, 15, 16] {
            assert_eq!(steps(bits) * (1.0 / steps(bits)), 1.0, "{bits}");
        }
    }
}
