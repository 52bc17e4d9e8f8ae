//! Operands as Rust: a scalar, or a wave.

use crate::cpu::emit::wave_type;
use crate::cpu::stmt::Printer;
use crate::spmd::{Arg, Builtin, Kind, Leaf, Shape};

impl Printer<'_> {
    pub fn shape(&self, l: Leaf) -> Shape {
        self.p.leaves[l].shape
    }

    pub fn uniform(&self, l: Leaf) -> bool {
        self.shape(l).is_uniform()
    }

    /// An operand as a scalar.
    pub fn scalar(&self, a: Arg) -> String {
        match a {
            Arg::Leaf(l) if self.uniform(l) => l.to_string(),
            // Only the first lane can be meant: a value that is the same for all.
            Arg::Leaf(l) => match self.p.leaves[l].kind {
                Kind::Bool => format!("any({l})"),
                kind => format!("n_first_{}({l}.0[0])", kind.letter()),
            },
            Arg::Wide(Kind::Double, bits) => format!("f64::from_bits({bits:#x})"),
            Arg::Wide(_, bits) => format!("{bits}u64"),
            Arg::Const(Kind::Long, bits) => format!("{bits}u64"),
            Arg::Const(Kind::Double, bits) => format!("f64::from_bits({bits:#x})"),
            Arg::Const(Kind::Float, bits) => format!("f32::from_bits({bits:#x})"),
            Arg::Const(Kind::Int, bits) => format!("{bits}u32"),
            Arg::Const(Kind::Bool, bits) => (bits != 0).to_string(),
            Arg::Builtin(Builtin::GroupId(c)) => format!("g{c}"),
            Arg::Builtin(Builtin::GroupCount(c)) => format!("ng{c}"),
            Arg::Builtin(Builtin::LaneCount) => format!("{}u32", self.scratch.lanes),
            Arg::Builtin(Builtin::AllLanes) => {
                format!("{}u32", u32::MAX >> 32u32.saturating_sub(self.scratch.lanes))
            }
            Arg::Builtin(Builtin::WaveIndex) => "w as u32".into(),
            Arg::Builtin(Builtin::WaveCount) => format!("{}u32", self.scratch.waves),
            Arg::Builtin(b) => format!("n_first_i({}.0[0])", builtin(b)),
            Arg::Active => "true".into(),
        }
    }

    /// An operand as a wave.
    pub fn wave(&self, a: Arg) -> String {
        match a {
            Arg::Leaf(l) if !self.uniform(l) => l.to_string(),
            Arg::Builtin(
                Builtin::GroupId(_)
                | Builtin::GroupCount(_)
                | Builtin::LaneCount
                | Builtin::AllLanes
                | Builtin::WaveIndex
                | Builtin::WaveCount,
            ) => format!("is({})", self.scalar(a)),
            Arg::Builtin(b) => builtin(b),
            Arg::Active => "active".into(),
            Arg::Leaf(l) => splat(self.p.leaves[l].kind, &l.to_string()),
            Arg::Const(kind, _) | Arg::Wide(kind, _) => splat(kind, &self.scalar(a)),
        }
    }

    /// An operand as what a leaf is.
    pub fn like(&self, a: Arg, dst: Leaf) -> String {
        if self.uniform(dst) { self.scalar(a) } else { self.wave(a) }
    }

    pub fn ty(&self, l: Leaf) -> &'static str {
        let kind = self.p.leaves[l].kind;
        match kind {
            _ if !self.uniform(l) => wave_type(kind),
            Kind::Float => "f32",
            Kind::Int => "u32",
            Kind::Bool => "bool",
            Kind::Long => "u64",
            Kind::Double => "f64",
        }
    }

    pub fn kind(&self, a: Arg) -> Kind {
        match a {
            Arg::Leaf(l) => self.p.leaves[l].kind,
            Arg::Const(kind, _) | Arg::Wide(kind, _) => kind,
            Arg::Builtin(_) => Kind::Int,
            Arg::Active => Kind::Bool,
        }
    }
}

fn splat(kind: Kind, scalar: &str) -> String {
    format!("{}s({scalar})", kind.letter())
}

fn builtin(b: Builtin) -> String {
    match b {
        Builtin::GroupId(c) => format!("g{c}"),
        Builtin::GroupCount(c) => format!("ng{c}"),
        Builtin::LocalId(c) => format!("lid{c}"),
        Builtin::GlobalId(c) => format!("gid{c}"),
        Builtin::LocalIndex => "lindex".into(),
        Builtin::Lane => "lanes_from(0)".into(),
        // Uniform ones are printed as scalars.
        Builtin::LaneCount | Builtin::AllLanes | Builtin::WaveIndex | Builtin::WaveCount => "is(0)".into(),
    }
}
