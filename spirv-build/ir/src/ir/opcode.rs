//! Operation codes.

use spirv_spec::{ExtSet, GlslOp, Op, Traits};

/// What may belong to a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ResourceOp {
    /// The counter of a structured buffer ([`crate::ir::Counter`]).
    Counter,
    /// The variable that is the same memory with other types ([`crate::ir::Interface::view_of`]).
    View,
    /// Nothing: that the second operand is the same resource.
    Same,
}

/// What an instruction does. The structured operations are described in the documentation of [`crate::ir`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Opcode {
    /// An instruction of the core specification or of an extension, with its operands.
    Op(Op),
    /// `OpExtInst`; operands are those of the extended instruction.
    Ext(ExtSet, u32),
    /// The address of what belongs to the resource that the operand is the address of. There for `legalize_resources` alone.
    Resource(ResourceOp),
    /// Structured `if`.
    Selection,
    /// Structured `switch`.
    Switch,
    /// Structured loop.
    Loop,
    /// Ends a region of a selection or switch.
    Merge,
    /// Leaves the innermost loop or switch.
    Break,
    /// Goes to the continuing region of the innermost loop.
    Continue,
    /// Back edge of a loop.
    Next,
    /// Conditional back edge of a loop.
    NextIf,
}

impl From<Op> for Opcode {
    fn from(op: Op) -> Opcode {
        Opcode::Op(op)
    }
}

impl Opcode {
    /// `GLSL.std.450` instruction.
    pub fn glsl(op: GlslOp) -> Opcode {
        Opcode::Ext(ExtSet::Glsl, op.0)
    }

    /// What it does, by the specification. Structured operations do what their regions do.
    pub fn traits(self) -> Traits {
        match self {
            Opcode::Op(op) => op.traits(),
            Opcode::Ext(set, number) => set.traits(number),
            _ => Traits::UNKNOWN,
        }
    }

    /// Whether the instruction ends a block.
    pub fn is_terminator(self) -> bool {
        match self {
            Opcode::Op(op) => op.traits().is_terminator(),
            Opcode::Merge | Opcode::Break | Opcode::Continue | Opcode::Next | Opcode::NextIf => true,
            Opcode::Ext(..) | Opcode::Resource(_) | Opcode::Selection | Opcode::Switch | Opcode::Loop => {
                false
            }
        }
    }

    /// Whether the instruction owns regions.
    pub fn is_structured(self) -> bool {
        matches!(self, Opcode::Selection | Opcode::Switch | Opcode::Loop)
    }
}
