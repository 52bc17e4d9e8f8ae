//! Operations across the lanes of a wave. A subgroup of SPIR-V is a wave, so that its size is the instruction set's.

use crate::ir::{Inst, Op, Operand, Value};
use crate::spmd::build::{Build, Leaves, Result};
use crate::spmd::inst::describe;
use crate::spmd::{Arg, Builtin, Kind, Shape, Stmt};
use smallvec::smallvec;
use spirv_spec::GroupOperation;

/// Reductions and scans: the operation, and the prelude's name for it on words and on floats.
const REDUCTIONS: &[(Op, &str)] = &[
    (Op::GroupNonUniformIAdd, "add"),
    (Op::GroupNonUniformFAdd, "add"),
    (Op::GroupNonUniformIMul, "mul"),
    (Op::GroupNonUniformFMul, "mul"),
    (Op::GroupNonUniformSMin, "smin"),
    (Op::GroupNonUniformUMin, "umin"),
    (Op::GroupNonUniformFMin, "min"),
    (Op::GroupNonUniformSMax, "smax"),
    (Op::GroupNonUniformUMax, "umax"),
    (Op::GroupNonUniformFMax, "max"),
    (Op::GroupNonUniformBitwiseAnd, "and"),
    (Op::GroupNonUniformBitwiseOr, "or"),
    (Op::GroupNonUniformBitwiseXor, "xor"),
    (Op::GroupNonUniformLogicalAnd, "and"),
    (Op::GroupNonUniformLogicalOr, "or"),
    (Op::GroupNonUniformLogicalXor, "xor"),
];

fn reduction(op: Op) -> Option<&'static str> {
    REDUCTIONS.iter().find(|(o, _)| *o == op).map(|(_, name)| *name)
}

/// Whether an operation is one of a subgroup's.
pub fn is_subgroup(op: Op) -> bool {
    reduction(op).is_some()
        || matches!(
            op,
            Op::GroupNonUniformElect
                | Op::GroupNonUniformAll
                | Op::GroupNonUniformAny
                | Op::GroupNonUniformAllEqual
                | Op::GroupNonUniformBroadcast
                | Op::GroupNonUniformBroadcastFirst
                | Op::GroupNonUniformBallot
                | Op::GroupNonUniformInverseBallot
                | Op::GroupNonUniformBallotBitExtract
                | Op::GroupNonUniformBallotBitCount
                | Op::GroupNonUniformBallotFindLSB
                | Op::GroupNonUniformBallotFindMSB
                | Op::GroupNonUniformShuffle
                | Op::GroupNonUniformShuffleXor
                | Op::GroupNonUniformShuffleUp
                | Op::GroupNonUniformShuffleDown
                | Op::GroupNonUniformQuadBroadcast
                | Op::GroupNonUniformQuadSwap
        )
}

impl Build<'_> {
    /// One of [`is_subgroup`]'s.
    pub fn subgroup(&mut self, inst: Inst, op: Op) -> Result<()> {
        let f = self.f();
        let data = &f.insts[inst];
        let Some(result) = data.result() else { return self.unsupported(describe(op.into())) };
        self.open();
        let ids: Vec<Value> = data.ids().skip(1).collect();
        let mut args = ids.iter().map(|v| self.args(*v)).collect::<Result<Vec<_>>>()?;
        let how = match data.operands.get(1) {
            Some(Operand::Literal(how)) => GroupOperation::from_u32(*how),
            _ => None,
        };
        self.operands(op.into(), &ids, &mut args);
        let word = |bits: u32| Arg::Const(Kind::Int, bits);
        let lane = Arg::Builtin(Builtin::Lane);
        let leaves: Leaves = match op {
            Op::GroupNonUniformElect => smallvec![self.across("elect", &[], Kind::Bool, Shape::Varying)],
            Op::GroupNonUniformAny => smallvec![self.across("any", &[args[0][0]], Kind::Bool, Shape::Wave)],
            Op::GroupNonUniformAll => smallvec![self.across("all", &[args[0][0]], Kind::Bool, Shape::Wave)],
            Op::GroupNonUniformAllEqual => {
                let mut all = None;
                for &a in &args[0] {
                    // Every lane against the first: numbers as numbers, so that zeros are equal and NaNs are not.
                    let first = self.broadcast_first(a);
                    let same = match self.kind(a) {
                        Kind::Float | Kind::Double => self.op("feq", &[a, first]),
                        Kind::Bool => {
                            let differ = self.op("bxor", &[a, first]);
                            self.op("bnot", &[differ])
                        }
                        _ => self.op("ieq", &[a, first]),
                    };
                    let same = self.across("all", &[same], Kind::Bool, Shape::Wave);
                    all = Some(match all {
                        Some(before) => self.op("band", &[before, same]),
                        None => same,
                    });
                }
                smallvec![all.unwrap_or(Arg::Const(Kind::Bool, 1))]
            }
            // A wave has at most 64 lanes, and at most 32 where the program does not say.
            Op::GroupNonUniformBallot => {
                let bits = self.across("ballot", &[args[0][0]], Kind::Int, Shape::Wave);
                let high = match self.is_long() {
                    true => self.across("ballot_high", &[args[0][0]], Kind::Int, Shape::Wave),
                    false => word(0),
                };
                smallvec![bits, high, word(0), word(0)]
            }
            Op::GroupNonUniformBallotBitExtract | Op::GroupNonUniformInverseBallot if self.is_long() => {
                let index = args.get(1).map_or(lane, |a| a[0]);
                let below = self.op("ult", &[index, word(32)]);
                let bits = self.op("isel", &[below, args[0][0], args[0][1]]);
                let within = self.op("iand", &[index, word(31)]);
                let bit = self.op("shr", &[bits, within]);
                let bit = self.op("iand", &[bit, word(1)]);
                let inside = self.op("ult", &[index, word(64)]);
                let set = self.op("ine", &[bit, word(0)]);
                smallvec![self.op("band", &[set, inside])]
            }
            Op::GroupNonUniformBallotBitCount if self.is_long() => {
                let low = self.op("ult", &[lane, word(32)]);
                let within = self.op("iand", &[lane, word(31)]);
                let own = self.op("shl", &[word(1), within]);
                let before = self.op("isub", &[own, word(1)]);
                let upto = self.op("ior", &[before, own]);
                let halves = match how {
                    Some(GroupOperation::Reduce) => [word(!0), word(!0)],
                    Some(GroupOperation::ExclusiveScan) => {
                        [[before, word(!0)], [word(0), before]].map(|[a, b]| self.op("isel", &[low, a, b]))
                    }
                    Some(GroupOperation::InclusiveScan) => {
                        [[upto, word(!0)], [word(0), upto]].map(|[a, b]| self.op("isel", &[low, a, b]))
                    }
                    _ => return self.unsupported(describe(op.into())),
                };
                let counts = [0, 1].map(|half| {
                    let bits = self.op("iand", &[args[0][half], halves[half]]);
                    self.op("popcount", &[bits])
                });
                smallvec![self.op("iadd", &counts)]
            }
            Op::GroupNonUniformBallotFindLSB | Op::GroupNonUniformBallotFindMSB if self.is_long() => {
                let lowest = op == Op::GroupNonUniformBallotFindLSB;
                let name = if lowest { "findlsb" } else { "findumsb" };
                let low = self.op(name, &[args[0][0]]);
                let high = self.op(name, &[args[0][1]]);
                let high = self.op("iadd", &[high, word(32)]);
                // The half that decides, if it has a bit.
                let (half, first, second) = if lowest { (0, low, high) } else { (1, high, low) };
                let decides = self.op("ine", &[args[0][half], word(0)]);
                smallvec![self.op("isel", &[decides, first, second])]
            }
            Op::GroupNonUniformBallotBitExtract | Op::GroupNonUniformInverseBallot => {
                let index = args.get(1).map_or(lane, |a| a[0]);
                let bit = self.op("shr", &[args[0][0], index]);
                let bit = self.op("iand", &[bit, word(1)]);
                let inside = self.op("ult", &[index, word(32)]);
                let set = self.op("ine", &[bit, word(0)]);
                smallvec![self.op("band", &[set, inside])]
            }
            Op::GroupNonUniformBallotBitCount => {
                let below = self.op("shl", &[word(1), lane]);
                let before = self.op("isub", &[below, word(1)]);
                let lanes = match how {
                    Some(GroupOperation::Reduce) => Arg::Builtin(Builtin::AllLanes),
                    Some(GroupOperation::ExclusiveScan) => before,
                    Some(GroupOperation::InclusiveScan) => self.op("ior", &[before, below]),
                    _ => return self.unsupported(describe(op.into())),
                };
                let bits = self.op("iand", &[args[0][0], lanes]);
                smallvec![self.op("popcount", &[bits])]
            }
            Op::GroupNonUniformBallotFindLSB => smallvec![self.op("findlsb", &[args[0][0]])],
            Op::GroupNonUniformBallotFindMSB => smallvec![self.op("findumsb", &[args[0][0]])],
            Op::GroupNonUniformBroadcastFirst => args[0].iter().map(|a| self.broadcast_first(*a)).collect(),
            Op::GroupNonUniformBroadcast | Op::GroupNonUniformShuffle => self.shuffle(&args[0], args[1][0]),
            Op::GroupNonUniformShuffleXor | Op::GroupNonUniformShuffleUp | Op::GroupNonUniformShuffleDown => {
                let name = match op {
                    Op::GroupNonUniformShuffleXor => "ixor",
                    Op::GroupNonUniformShuffleUp => "isub",
                    _ => "iadd",
                };
                let from = self.op(name, &[lane, args[1][0]]);
                self.shuffle(&args[0], from)
            }
            Op::GroupNonUniformQuadBroadcast => {
                let quad = self.op("iand", &[lane, word(!3)]);
                let within = self.op("iand", &[args[1][0], word(3)]);
                let from = self.op("ior", &[quad, within]);
                self.shuffle(&args[0], from)
            }
            // 0: horizontal, 1: vertical, 2: diagonal.
            Op::GroupNonUniformQuadSwap => {
                let flip = self.op("iadd", &[args[1][0], word(1)]);
                let from = self.op("ixor", &[lane, flip]);
                self.shuffle(&args[0], from)
            }
            op => match (reduction(op), how) {
                (Some(name), Some(GroupOperation::Reduce)) => {
                    self.reduce("reduce", name, &args[0], Shape::Wave)
                }
                (Some(name), Some(GroupOperation::InclusiveScan)) => {
                    self.reduce("scan", name, &args[0], Shape::Varying)
                }
                (Some(name), Some(GroupOperation::ExclusiveScan)) => {
                    self.reduce("before", name, &args[0], Shape::Varying)
                }
                _ => return self.unsupported(describe(op.into())),
            },
        };
        let leaves = self.results(op.into(), self.scalar_of(result), leaves);
        self.values.insert(result, leaves);
        Ok(())
    }

    /// Whether a wave has more lanes than a word has bits.
    fn is_long(&self) -> bool {
        self.p.wave.is_some_and(|lanes| lanes > 32)
    }

    fn across(&mut self, name: &str, args: &[Arg], kind: Kind, shape: Shape) -> Arg {
        let home = Some(self.open());
        let dst = self.leaf(kind, shape, home);
        let (name, args, mask) = (name.to_string(), args.iter().copied().collect(), self.mask);
        self.p.across = true;
        self.push(Stmt::Across { dst, name, args, mask });
        Arg::Leaf(dst)
    }

    fn reduce(&mut self, how: &str, name: &str, values: &[Arg], shape: Shape) -> Leaves {
        let mut out = Leaves::new();
        for &value in values {
            let kind = self.kind(value);
            let (a, like) = self.as_number(value);
            let letter = like.letter();
            let r = self.across(&format!("{how}_{name}_{letter}"), &[a], like, shape);
            out.push(if kind == Kind::Bool { self.op("ine", &[r, Arg::Const(Kind::Int, 0)]) } else { r });
        }
        out
    }

    fn broadcast_first(&mut self, value: Arg) -> Arg {
        let (a, like) = self.as_number(value);
        let r = self.across(&format!("first_{}", like.letter()), &[a], like, Shape::Wave);
        if self.kind(value) == Kind::Bool { self.op("ine", &[r, Arg::Const(Kind::Int, 0)]) } else { r }
    }

    fn shuffle(&mut self, values: &[Arg], from: Arg) -> Leaves {
        let mut out = Leaves::new();
        for &value in values {
            let kind = self.kind(value);
            let (a, like) = self.as_number(value);
            let r = self.across(&format!("shuffle_{}", like.letter()), &[a, from], like, Shape::Varying);
            out.push(if kind == Kind::Bool { self.op("ine", &[r, Arg::Const(Kind::Int, 0)]) } else { r });
        }
        out
    }

    /// Truth values as 0 and 1, and what the leaf is then.
    fn as_number(&mut self, a: Arg) -> (Arg, Kind) {
        match self.kind(a) {
            Kind::Bool => {
                let bit = self.op("isel", &[a, Arg::Const(Kind::Int, 1), Arg::Const(Kind::Int, 0)]);
                (bit, Kind::Int)
            }
            kind => (a, kind),
        }
    }
}
