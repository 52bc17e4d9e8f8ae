//! Intrinsics that work across the threads of a wave.

use super::function::Body;
use super::types::{MatrixForm, matrix_form};
use crate::hlsl::hir::Type as Hlsl;
use crate::hlsl::hir::{Intrinsic, Scalar, TypeId};
use crate::ir::{Op, Operand, Value};
use spirv_spec::{BuiltIn, GroupOperation, Scope};

/// What combines the values of lanes: the instruction for floats, signed and unsigned integers.
const REDUCTIONS: &[(Intrinsic, [Op; 3], GroupOperation)] = {
    use GroupOperation as G;
    use Intrinsic::*;
    const SUM: [Op; 3] = [Op::GroupNonUniformFAdd, Op::GroupNonUniformIAdd, Op::GroupNonUniformIAdd];
    const PRODUCT: [Op; 3] = [Op::GroupNonUniformFMul, Op::GroupNonUniformIMul, Op::GroupNonUniformIMul];
    &[
        (WaveActiveSum, SUM, G::Reduce),
        (WaveActiveProduct, PRODUCT, G::Reduce),
        (
            WaveActiveMin,
            [Op::GroupNonUniformFMin, Op::GroupNonUniformSMin, Op::GroupNonUniformUMin],
            G::Reduce,
        ),
        (
            WaveActiveMax,
            [Op::GroupNonUniformFMax, Op::GroupNonUniformSMax, Op::GroupNonUniformUMax],
            G::Reduce,
        ),
        (WaveActiveBitAnd, [Op::GroupNonUniformBitwiseAnd; 3], G::Reduce),
        (WaveActiveBitOr, [Op::GroupNonUniformBitwiseOr; 3], G::Reduce),
        (WaveActiveBitXor, [Op::GroupNonUniformBitwiseXor; 3], G::Reduce),
        (WavePrefixSum, SUM, G::ExclusiveScan),
        (WavePrefixProduct, PRODUCT, G::ExclusiveScan),
    ]
};

impl<'h> Body<'_, 'h> {
    /// The value of a `uint` system value.
    pub(super) fn builtin_value(&mut self, builtin: BuiltIn) -> Value {
        let g = self.l.builtin(builtin, 1);
        let ty = self.l.out.globals[g].ty;
        let ptr = self.b().address_of(g, ty, spirv_spec::StorageClass::Input);
        self.b().load(ptr)
    }

    /// Wave and quad intrinsics.
    #[inline(never)]
    pub(super) fn wave(&mut self, op: Intrinsic, values: &[Value], ty: TypeId, scalar: Scalar) -> Value {
        use Intrinsic as I;
        if let Hlsl::Matrix(s, r, c) = self.l.hlsl(ty)
            && let [m, lane @ ..] = values
        {
            // Row by row; of a matrix of results as well.
            let from = if op == I::WaveActiveAllEqual { scalar } else { s };
            let row_type = self.l.find_vector(s, if c == 1 || r == 1 { 1 } else { c });
            if matches!(matrix_form(s, r, c), MatrixForm::Scalar | MatrixForm::Vector) {
                let vector = self.l.find_vector(s, r.max(c));
                return self.wave(op, values, vector, scalar);
            }
            let mut rows = Vec::new();
            for i in 0..r {
                let mut row = vec![self.matrix_row(*m, (from, r, c), i)];
                row.extend_from_slice(lane);
                rows.push(self.wave(op, &row, row_type, scalar));
            }
            return self.matrix_from_rows(s, r, c, &rows);
        }
        if matches!(self.l.hlsl(ty), Hlsl::Matrix(..)) {
            self.l.unsupported(self.span, format!("`{}` of matrices", op.name()), "use it on each row");
            return self.undef(ty);
        }
        let t = self.l.value_type(ty);
        let scope = self.b().u32(Scope::Subgroup.0);
        let reduce = |s: &mut Self, op: Op, how: GroupOperation, v: Value| {
            let operands = [Operand::Id(scope), Operand::Literal(how.0), Operand::Id(v)];
            s.mixed(op, t, &operands)
        };
        if let Some(&(_, [float, signed, unsigned], how)) = REDUCTIONS.iter().find(|row| row.0 == op) {
            let by_kind = match scalar {
                s if s.is_float() => float,
                s if s.is_signed_int() => signed,
                _ => unsigned,
            };
            return reduce(self, by_kind, how, values[0]);
        }
        match op {
            I::GroupWaveIndex => self.builtin_value(BuiltIn::SubgroupId),
            I::GroupWaveCount => self.builtin_value(BuiltIn::NumSubgroups),
            I::WaveGetLaneCount => self.builtin_value(BuiltIn::SubgroupSize),
            I::WaveGetLaneIndex => self.builtin_value(BuiltIn::SubgroupLocalInvocationId),
            I::WaveIsFirstLane => self.op(Op::GroupNonUniformElect, t, &[scope]),
            I::WaveActiveAllTrue => self.op(Op::GroupNonUniformAll, t, &[scope, values[0]]),
            I::WaveActiveAnyTrue => self.op(Op::GroupNonUniformAny, t, &[scope, values[0]]),
            I::WaveActiveAllEqual => self.each_component(values[0], Scalar::Bool, |s, v| {
                let boolean = s.l.scalar_type(Scalar::Bool);
                s.op(Op::GroupNonUniformAllEqual, boolean, &[scope, v])
            }),
            I::WaveActiveBallot => self.op(Op::GroupNonUniformBallot, t, &[scope, values[0]]),
            I::WaveActiveCountBits | I::WavePrefixCountBits => {
                let four = self.l.vector_type(Scalar::U32, 4);
                let ballot = self.op(Op::GroupNonUniformBallot, four, &[scope, values[0]]);
                let how = if op == I::WaveActiveCountBits {
                    GroupOperation::Reduce
                } else {
                    GroupOperation::ExclusiveScan
                };
                reduce(self, Op::GroupNonUniformBallotBitCount, how, ballot)
            }
            I::WaveReadLaneFirst => self.op(Op::GroupNonUniformBroadcastFirst, t, &[scope, values[0]]),
            // A shuffle, since the lane need not be a constant.
            I::WaveReadLaneAt => self.op(Op::GroupNonUniformShuffle, t, &[scope, values[0], values[1]]),
            I::QuadReadAcrossX | I::QuadReadAcrossY | I::QuadReadAcrossDiagonal => {
                let direction = match op {
                    I::QuadReadAcrossX => 0,
                    I::QuadReadAcrossY => 1,
                    _ => 2,
                };
                let direction = self.b().u32(direction);
                self.op(Op::GroupNonUniformQuadSwap, t, &[scope, values[0], direction])
            }
            I::QuadReadLaneAt if self.func.as_const(values[1]).is_some() => {
                self.op(Op::GroupNonUniformQuadBroadcast, t, &[scope, values[0], values[1]])
            }
            I::QuadReadLaneAt => {
                // The lane must be constant: all four are read, and one is taken.
                let boolean = self.l.scalar_type(Scalar::Bool);
                let mut result = None;
                for i in 0..4 {
                    let lane = self.b().u32(i);
                    let one = self.op(Op::GroupNonUniformQuadBroadcast, t, &[scope, values[0], lane]);
                    result = Some(match result {
                        None => one,
                        Some(before) => {
                            let here = self.op(Op::IEqual, boolean, &[values[1], lane]);
                            let n = self.l.out.ctx.types.len_of(t);
                            let here = self.splat_vector(here, Scalar::Bool, n);
                            self.op(Op::Select, t, &[here, one, before])
                        }
                    });
                }
                result.unwrap_or(values[0])
            }
            _ => {
                self.l.unsupported(self.span, format!("`{}`", op.name()), "use another wave intrinsic");
                self.undef(ty)
            }
        }
    }
}
