//! Operations across the lanes of a wave, which is a subgroup: on one number at a time, which is all that OpenCL has.
//!
//! Quads, which kernels do not have, are four lanes side by side.

use super::body::Body;
use crate::ir::{BuiltIn, InstData, Op, Operand, Type, TypeKind, Value};

/// Lanes of a quad that are not the first: the low bits of their number.
const IN_QUAD: u32 = 3;

/// Where the value is among the operands of an operation whose result is of its type; None for other operations.
fn value_operand(op: Op) -> Option<usize> {
    match op {
        Op::GroupNonUniformBroadcast
        | Op::GroupNonUniformBroadcastFirst
        | Op::GroupNonUniformShuffle
        | Op::GroupNonUniformShuffleXor
        | Op::GroupNonUniformShuffleUp
        | Op::GroupNonUniformShuffleDown => Some(1),
        Op::GroupNonUniformIAdd
        | Op::GroupNonUniformFAdd
        | Op::GroupNonUniformIMul
        | Op::GroupNonUniformFMul
        | Op::GroupNonUniformSMin
        | Op::GroupNonUniformUMin
        | Op::GroupNonUniformFMin
        | Op::GroupNonUniformSMax
        | Op::GroupNonUniformUMax
        | Op::GroupNonUniformFMax
        | Op::GroupNonUniformBitwiseAnd
        | Op::GroupNonUniformBitwiseOr
        | Op::GroupNonUniformBitwiseXor => Some(2),
        _ => None,
    }
}

impl Body<'_, '_> {
    /// Lowers an operation of a subgroup.
    pub fn wave(&mut self, op: Op, data: &InstData) {
        let Some(result) = data.result() else { return self.plain(data.op, data) };
        let mut operands: Vec<Operand> = self.operands(data, &[]).to_vec();
        let op = self.quad(op, &mut operands);
        let value = value_operand(op).and_then(|at| match operands.get(at) {
            Some(Operand::Id(v)) => Some((at, *v)),
            _ => None,
        });
        let Some((at, value)) = value else { return self.plain(data.op, data) };
        let ty = self.ty(self.old_ty(result));
        let v = match *self.l.new.ctx.types.kind(ty) {
            TypeKind::Vector { elem, len } => {
                let parts: Vec<Value> = (0..u32::from(len))
                    .map(|i| {
                        operands[at] = Operand::Id(self.b().extract(value, elem, &[i]));
                        self.wave_of_one(op, elem, at, &operands)
                    })
                    .collect();
                self.b().op(Op::CompositeConstruct, ty, &parts)
            }
            _ => self.wave_of_one(op, ty, at, &operands),
        };
        self.set(Some(result), v);
    }

    /// An operation on a scalar. Truth values travel as words.
    fn wave_of_one(&mut self, op: Op, ty: Type, at: usize, operands: &[Operand]) -> Value {
        let Operand::Id(value) = operands[at] else { return self.b().undef(ty) };
        if !self.l.new.ctx.types.is_bool(ty) {
            return self.b().value(op, ty, operands);
        }
        let word = self.l.new.ctx.types.u32();
        let (one, zero) = (self.b().u32(1), self.b().u32(0));
        let mut operands = operands.to_vec();
        operands[at] = Operand::Id(self.b().op(Op::Select, word, &[value, one, zero]));
        let moved = self.b().value(op, word, &operands);
        self.b().op(Op::INotEqual, ty, &[moved, zero])
    }

    /// The operation that does what one of a quad does, with its operands.
    fn quad(&mut self, op: Op, operands: &mut [Operand]) -> Op {
        let word = self.l.new.ctx.types.u32();
        let Some(Operand::Id(last)) = operands.get(2).copied() else { return op };
        match op {
            // Across x, across y, across both.
            Op::GroupNonUniformQuadSwap => {
                let one = self.b().u32(1);
                operands[2] = Operand::Id(self.b().op(Op::IAdd, word, &[last, one]));
                Op::GroupNonUniformShuffleXor
            }
            Op::GroupNonUniformQuadBroadcast => {
                let (g, ty) = self.l.input(BuiltIn::SubgroupLocalInvocationId, word);
                let place = self.b().address_of(g, ty, spirv_spec::StorageClass::Input);
                let lane = self.b().load(place);
                let first = self.b().u32(!IN_QUAD);
                let first = self.b().op(Op::BitwiseAnd, word, &[lane, first]);
                operands[2] = Operand::Id(self.b().op(Op::BitwiseOr, word, &[first, last]));
                Op::GroupNonUniformShuffle
            }
            _ => op,
        }
    }
}
