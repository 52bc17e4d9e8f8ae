//! What instructions do.

use std::ops::BitOr;

/// Traits of an instruction, a bit each. `traits.py` decides them, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Traits(pub(crate) u32);

impl Traits {
    /// Has a result type.
    pub const RESULT_TYPE: Traits = Traits(1);
    /// Has a result.
    pub const RESULT: Traits = Traits(1 << 1);
    /// Reads memory, or texels.
    pub const READS: Traits = Traits(1 << 2);
    /// Writes memory, or texels, or orders accesses to it.
    pub const WRITES: Traits = Traits(1 << 3);
    /// Does something that is neither its result nor a write: ends invocations, waits, talks to the host.
    pub const EFFECT: Traits = Traits(1 << 4);
    /// Ends a block.
    pub const TERMINATOR: Traits = Traits(1 << 5);
    /// Ends a block and leaves the function.
    pub const EXIT: Traits = Traits(1 << 6);
    /// Its first two operands may change places.
    pub const COMMUTATIVE: Traits = Traits(1 << 7);
    /// Component `i` of its result comes from the components `i` of its operands and from scalars.
    pub const ELEMENTWISE: Traits = Traits(1 << 8);
    /// What it does depends on which invocations execute it together: it may not be moved into or out of divergent code.
    pub const CONVERGENT: Traits = Traits(1 << 9);
    /// Its result can be computed where its operands are constants.
    pub const FOLDABLE: Traits = Traits(1 << 10);
    /// Two of them have different results though their operands are the same.
    pub const UNIQUE: Traits = Traits(1 << 11);
    /// Declares a type.
    pub const TYPE: Traits = Traits(1 << 12);
    /// Makes a constant.
    pub const CONSTANT: Traits = Traits(1 << 13);
    /// May stand in a block, before its end. (Structure, as labels and phis, has it not.)
    pub const IN_FUNCTION: Traits = Traits(1 << 14);
    /// One of the atomic operations.
    pub const ATOMIC: Traits = Traits(1 << 15);
    /// Says something to debuggers and tools only.
    pub const DEBUG: Traits = Traits(1 << 16);

    /// Takes derivatives across a quad, itself or for a level of detail.
    pub const DERIVATIVE: Traits = Traits(1 << 17);
    /// Where it gives a pointer, that is what its first operand is, or points into the same.
    pub const ADDRESS: Traits = Traits(1 << 18);

    /// Of what is not known: anything may happen.
    pub const UNKNOWN: Traits =
        Traits(Self::READS.0 | Self::WRITES.0 | Self::EFFECT.0 | Self::CONVERGENT.0 | Self::IN_FUNCTION.0);

    /// Whether it has all of some traits.
    pub const fn has(self, other: Traits) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether it has one of some traits.
    pub const fn has_any(self, other: Traits) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether it may go where nothing needs its result. An access that is volatile may not, which its operands say.
    pub const fn is_removable(self) -> bool {
        !self.has_any(Traits(Self::WRITES.0 | Self::EFFECT.0 | Self::TERMINATOR.0 | Self::DEBUG.0))
    }

    /// Whether its operands alone say what its result is, and it does nothing else: of two that are equal one is enough, where
    /// one dominates the other and neither is [`Traits::CONVERGENT`].
    pub const fn is_pure(self) -> bool {
        self.is_removable() && !self.has_any(Traits(Self::READS.0 | Self::UNIQUE.0))
    }

    /// Whether it ends a block.
    pub const fn is_terminator(self) -> bool {
        self.has(Self::TERMINATOR)
    }
}

impl BitOr for Traits {
    type Output = Traits;
    fn bitor(self, other: Traits) -> Traits {
        Traits(self.0 | other.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ClOp, ExtSet, GlslOp, Op};

    /// Traits of what can be met in a block: (core), (extended).
    fn all() -> Vec<(String, Traits)> {
        let core = (0..=u16::MAX).map(Op).filter_map(|op| Some((op.name()?.to_string(), op.traits())));
        let sets =
            ExtSet::all().flat_map(|s| s.rows().map(move |r| (format!("{s:?} {}", r.name()), r.traits())));
        core.chain(sets).collect()
    }

    #[test]
    fn every_effect_on_memory_is_decided() {
        let all = all();
        assert!(all.len() > 1300, "{}", all.len());
        for (name, t) in all {
            // What only computes has a result, else it would do nothing at all.
            let computes = t.is_removable() && t.has(Traits::IN_FUNCTION);
            let nothing = ["Nop"];
            assert!(!computes || t.has(Traits::RESULT) || nothing.contains(&&*name), "{name} does nothing");
            assert!(!t.has(Traits::FOLDABLE) || t.is_pure(), "{name} is folded though it is not pure");
            assert!(!t.has(Traits::COMMUTATIVE) || t.is_pure(), "{name} commutes though it is not pure");
            assert!(!t.has(Traits::TERMINATOR) || !t.has(Traits::RESULT), "{name}");
            assert!(!t.has(Traits::EXIT) || t.has(Traits::TERMINATOR), "{name}");
        }
    }

    #[test]
    fn names_tell_what_is_read_and_written() {
        for (name, t) in all() {
            if name.contains("Atomic") && !name.contains("Float") {
                assert!(t.has(Traits::READS | Traits::WRITES | Traits::ATOMIC), "{name}");
            }
            if name.contains("Store") || name.contains("Write") && !name.contains("WriteInvocation") {
                assert!(t.has(Traits::WRITES), "{name}");
            }
            if (name.contains("Load") || name.contains("Sample") && name.ends_with("Lod"))
                && !name.contains("NodePayload")
            {
                assert!(t.has(Traits::READS), "{name}");
            }
        }
    }

    #[test]
    fn common_instructions_do_what_they_do() {
        for op in [Op::IAdd, Op::FMul, Op::Dot, Op::IEqual, Op::LogicalAnd] {
            assert!(op.traits().has(Traits::COMMUTATIVE | Traits::FOLDABLE), "{op:?}");
        }
        for op in [Op::ISub, Op::FDiv, Op::SLessThan, Op::ShiftLeftLogical, Op::Select] {
            assert!(op.traits().has(Traits::FOLDABLE | Traits::ELEMENTWISE), "{op:?}");
            assert!(!op.traits().has(Traits::COMMUTATIVE), "{op:?}");
        }
        assert!(
            !Op::Dot.traits().has(Traits::ELEMENTWISE)
                && !Op::VectorShuffle.traits().has(Traits::ELEMENTWISE)
        );
        assert!(Op::Load.traits().is_removable() && !Op::Load.traits().is_pure());
        assert!(Op::Variable.traits().is_removable() && !Op::Variable.traits().is_pure());
        assert!(
            !Op::ControlBarrier.traits().is_removable()
                && Op::ControlBarrier.traits().has(Traits::CONVERGENT)
        );
        assert!(Op::DPdx.traits().is_pure() && Op::DPdx.traits().has(Traits::CONVERGENT));
        assert!(!Op::FunctionCall.traits().is_removable() && !Op::ImageWrite.traits().is_removable());
        for op in [Op::AccessChain, Op::InBoundsPtrAccessChain, Op::Bitcast, Op::GenericCastToPtrExplicit] {
            assert!(op.traits().has(Traits::ADDRESS), "{op:?}");
        }
        // Of a number, and what is read there.
        for op in [Op::ConvertUToPtr, Op::Load] {
            assert!(!op.traits().has(Traits::ADDRESS), "{op:?}");
        }
        for op in
            [Op::TerminateRayKHR, Op::IgnoreIntersectionKHR, Op::EmitMeshTasksEXT, Op::AbortKHR, Op::Kill]
        {
            assert!(
                op.traits().has(Traits::TERMINATOR | Traits::EXIT) && !op.traits().is_removable(),
                "{op:?}"
            );
        }
        assert!(!Op::Branch.traits().has(Traits::EXIT) && Op::Branch.traits().is_terminator());
        let glsl = |op: GlslOp| ExtSet::Glsl.traits(op.0);
        assert!(glsl(GlslOp::FMax).has(Traits::COMMUTATIVE | Traits::ELEMENTWISE | Traits::FOLDABLE));
        assert!(!glsl(GlslOp::Modf).is_removable() && glsl(GlslOp::ModfStruct).is_pure());
        let cl = |op: ClOp| ExtSet::OpenCl.traits(op.0);
        assert!(
            !cl(ClOp::sincos).is_removable() && !cl(ClOp::printf).is_removable() && cl(ClOp::fma).is_pure()
        );
        assert!(cl(ClOp::vloadn).is_removable() && !cl(ClOp::vloadn).is_pure());
        assert!(!ExtSet::DebugPrintf.traits(1).is_removable());
        assert!(!ExtSet(77).traits(1).is_removable());
    }
}
