//! Scalars that are not 32-bit: which row an operation is, conversions, and what keeps narrow ones in range.

use crate::analysis::leaves::{self, Scalar};
use crate::ir::{ExtSet, GlslOp, Op, Opcode, Value};
use crate::spmd::build::{Build, Leaves, Result};
use crate::spmd::ops::{self, Row};
use crate::spmd::{Arg, Kind};

/// Operations that read narrow integers as signed. A shift's second operand is none of theirs.
const SIGNED: &[Op] = &[
    Op::SDiv,
    Op::SRem,
    Op::SMod,
    Op::SLessThan,
    Op::SLessThanEqual,
    Op::SGreaterThan,
    Op::SGreaterThanEqual,
    Op::ShiftRightArithmetic,
    Op::ConvertSToF,
    Op::BitFieldSExtract,
    Op::SMulExtended,
    Op::GroupNonUniformSMin,
    Op::GroupNonUniformSMax,
];

const SIGNED_GLSL: &[GlslOp] = &[GlslOp::SAbs, GlslOp::SSign, GlslOp::SMin, GlslOp::SMax, GlslOp::FindSMsb];

/// Operations whose results are in range and exact if their operands are.
const KEEP_RANGE: &[Op] = &[
    Op::BitwiseAnd,
    Op::BitwiseOr,
    Op::BitwiseXor,
    Op::ShiftRightLogical,
    Op::BitCount,
    Op::Select,
    Op::VectorExtractDynamic,
    Op::VectorInsertDynamic,
    Op::FNegate,
];

const KEEP_RANGE_GLSL: &[GlslOp] = &[
    GlslOp::UMin,
    GlslOp::UMax,
    GlslOp::FAbs,
    GlslOp::FMin,
    GlslOp::FMax,
    GlslOp::NMin,
    GlslOp::NMax,
    GlslOp::FSign,
    GlslOp::Floor,
    GlslOp::Ceil,
    GlslOp::Trunc,
    GlslOp::Round,
    GlslOp::RoundEven,
];

fn is_one_of(op: Opcode, core: &[Op], glsl: &[GlslOp]) -> bool {
    match op {
        Opcode::Op(op) => core.contains(&op),
        Opcode::Ext(ExtSet::Glsl, n) => GlslOp::from_u32(n).is_some_and(|g| glsl.contains(&g)),
        _ => false,
    }
}

/// Conversions between numbers of any two types.
pub fn is_conversion(op: Op) -> bool {
    matches!(
        op,
        Op::ConvertFToS
            | Op::ConvertFToU
            | Op::ConvertSToF
            | Op::ConvertUToF
            | Op::UConvert
            | Op::SConvert
            | Op::FConvert
    )
}

impl Build<'_> {
    /// The scalar of a value's type.
    pub fn scalar_of(&self, v: Value) -> Option<Scalar> {
        let types = &self.input.ctx.types;
        leaves::scalar(self.input.ctx, types.scalar_of(self.f().values[v].ty))
    }

    /// An operation by the name of its 32-bit row, on operands of any width. What has no row is noted, for the instruction
    /// to be refused.
    pub fn op(&mut self, name: &str, args: &[Arg]) -> Arg {
        let letter = match args.iter().map(|a| self.kind(*a)).find(|k| k.is_wide()) {
            None => return self.row(ops::row(name), args),
            Some(Kind::Long) => 'l',
            Some(_) => 'd',
        };
        let row = ops::find(name).filter(|r| (0..r.arity()).any(|i| r.arg(i).is_wide()));
        match row.or_else(|| ops::find(&format!("{letter}{name}"))) {
            Some(row) => self.coerced(row, args),
            None => {
                self.missing = true;
                Arg::Wide(if letter == 'l' { Kind::Long } else { Kind::Double }, 0)
            }
        }
    }

    /// An operation whose operands are made what its row wants: constants and counts may come as 32-bit ones.
    fn coerced(&mut self, row: &'static Row, args: &[Arg]) -> Arg {
        let args: Leaves = args
            .iter()
            .enumerate()
            .map(|(i, &a)| match (row.arg(i), a) {
                (Kind::Long, Arg::Const(Kind::Int, bits)) => Arg::Wide(Kind::Long, u64::from(bits)),
                (Kind::Double, Arg::Const(Kind::Float, bits)) => {
                    Arg::Wide(Kind::Double, f64::from(f32::from_bits(bits)).to_bits())
                }
                (Kind::Int, Arg::Wide(Kind::Long, bits)) => Arg::Const(Kind::Int, bits as u32),
                (Kind::Long, a) if self.kind(a) == Kind::Int => self.row(ops::row("lzext"), &[a]),
                (Kind::Int, a) if self.kind(a) == Kind::Long => self.row(ops::row("llo"), &[a]),
                (Kind::Double, a) if self.kind(a) == Kind::Float => self.row(ops::row("f2d"), &[a]),
                (_, a) => a,
            })
            .collect();
        self.row(row, &args)
    }

    /// Narrow integers as an operation reads them.
    pub fn operands(&mut self, op: Opcode, ids: &[Value], args: &mut [Leaves]) {
        if !is_one_of(op, SIGNED, SIGNED_GLSL) {
            return;
        }
        let count = if matches!(op, Opcode::Op(Op::ShiftRightArithmetic | Op::BitFieldSExtract)) {
            1
        } else {
            args.len()
        };
        for (v, leaves) in ids.iter().zip(args).take(count) {
            if let Some(s) = self.scalar_of(*v).filter(|s| s.is_narrow_int()) {
                leaves.iter_mut().for_each(|a| *a = self.sign_extended(*a, s.width));
            }
        }
    }

    /// Results of an operation, brought back into the range of a narrow type.
    pub fn results(&mut self, op: Opcode, to: Option<Scalar>, leaves: Leaves) -> Leaves {
        let Some(to) = to.filter(|s| s.is_half() || s.is_narrow_int()) else { return leaves };
        if op == Opcode::Op(Op::BitReverse) {
            let unused = Arg::Const(Kind::Int, 32 - to.width);
            return leaves.into_iter().map(|a| self.op("shr", &[a, unused])).collect();
        }
        if is_one_of(op, KEEP_RANGE, KEEP_RANGE_GLSL) {
            return leaves;
        }
        leaves.into_iter().map(|a| self.in_range(a, to)).collect()
    }

    /// A 32-bit leaf as the narrow type that it stands for.
    fn in_range(&mut self, a: Arg, to: Scalar) -> Arg {
        if to.is_half() {
            let bits = self.op("f2h", &[a]);
            self.op("h2f", &[bits])
        } else if to.is_narrow_int() {
            self.op("iand", &[a, Arg::Const(Kind::Int, (1 << to.width) - 1)])
        } else {
            a
        }
    }

    fn sign_extended(&mut self, a: Arg, width: u32) -> Arg {
        let unused = Arg::Const(Kind::Int, 32 - width);
        let up = self.op("shl", &[a, unused]);
        self.op("sar", &[up, unused])
    }

    /// One leaf of a conversion.
    pub fn convert(&mut self, op: Op, a: Arg, from: Scalar, to: Scalar) -> Result<Arg> {
        let signed = matches!(op, Op::SConvert | Op::ConvertSToF);
        let a = if signed && from.is_narrow_int() { self.sign_extended(a, from.width) } else { a };
        let name = match (op, from.kind, to.kind) {
            (_, from, to) if from == to => None,
            (Op::UConvert, Kind::Int, Kind::Long) => Some("lzext"),
            (Op::SConvert, Kind::Int, Kind::Long) => Some("lsext"),
            (Op::UConvert | Op::SConvert, Kind::Long, Kind::Int) => Some("llo"),
            (Op::FConvert, Kind::Float, Kind::Double) => Some("f2d"),
            (Op::FConvert, Kind::Double, Kind::Float) => Some("d2f"),
            (Op::ConvertFToS, Kind::Float, Kind::Int) => Some("f2i"),
            (Op::ConvertFToS, Kind::Float, Kind::Long) => Some("f2l"),
            (Op::ConvertFToS, Kind::Double, Kind::Int) => Some("d2i"),
            (Op::ConvertFToS, Kind::Double, Kind::Long) => Some("d2l"),
            (Op::ConvertFToU, Kind::Float, Kind::Int) => Some("f2u"),
            (Op::ConvertFToU, Kind::Float, Kind::Long) => Some("f2ul"),
            (Op::ConvertFToU, Kind::Double, Kind::Int) => Some("d2u"),
            (Op::ConvertFToU, Kind::Double, Kind::Long) => Some("d2ul"),
            (Op::ConvertSToF, Kind::Int, Kind::Float) => Some("i2f"),
            (Op::ConvertSToF, Kind::Int, Kind::Double) => Some("i2d"),
            (Op::ConvertSToF, Kind::Long, Kind::Float) => Some("l2f"),
            (Op::ConvertSToF, Kind::Long, Kind::Double) => Some("l2d"),
            (Op::ConvertUToF, Kind::Int, Kind::Float) => Some("u2f"),
            (Op::ConvertUToF, Kind::Int, Kind::Double) => Some("u2d"),
            (Op::ConvertUToF, Kind::Long, Kind::Float) => Some("ul2f"),
            (Op::ConvertUToF, Kind::Long, Kind::Double) => Some("ul2d"),
            _ => return self.unsupported("this conversion"),
        };
        let out = match name {
            Some(name) => self.row(ops::row(name), &[a]),
            None => a,
        };
        let fits =
            op == Op::UConvert && from.width <= to.width || op == Op::FConvert && from.width == to.width;
        Ok(if fits { out } else { self.in_range(out, to) })
    }

    /// Leaves with the same bits, low ones first.
    pub fn bitcast(&mut self, args: &[Arg], from: Scalar, to: Scalar) -> Leaves {
        if from.width == to.width {
            return args.iter().map(|a| self.same_bits(*a, from, to)).collect();
        }
        // As words first; what does not fill one stays in the low part of one.
        let mut words = Leaves::new();
        let mut used = 0;
        for &a in args {
            if from.kind.is_wide() {
                let bits = if from.kind == Kind::Double { self.op("dbits", &[a]) } else { a };
                words.extend([self.row(ops::row("llo"), &[bits]), self.row(ops::row("lhi"), &[bits])]);
                continue;
            }
            let bits = self.bits_of(a, from);
            match words.last().copied() {
                Some(low) if used % 32 != 0 => {
                    let high = self.op("shl", &[bits, Arg::Const(Kind::Int, used % 32)]);
                    let both = self.op("ior", &[low, high]);
                    words.pop();
                    words.push(both);
                }
                _ => words.push(bits),
            }
            used += from.width;
        }
        let mut out = Leaves::new();
        if to.kind.is_wide() {
            for pair in words.chunks(2) {
                let bits = self.row(
                    ops::row("lmake"),
                    &[pair[0], pair.get(1).copied().unwrap_or(Arg::Const(Kind::Int, 0))],
                );
                out.push(if to.kind == Kind::Double { self.op("dfrom", &[bits]) } else { bits });
            }
            return out;
        }
        let total = args.len() as u32 * from.width;
        for i in 0..total / to.width {
            let (word, shift) = (words[(i * to.width / 32) as usize], i * to.width % 32);
            let mut part = word;
            if shift != 0 {
                part = self.op("shr", &[part, Arg::Const(Kind::Int, shift)]);
            }
            if to.width < 32 {
                part = self.op("iand", &[part, Arg::Const(Kind::Int, (1 << to.width) - 1)]);
            }
            out.push(self.value_of(part, to));
        }
        out
    }

    fn same_bits(&mut self, a: Arg, from: Scalar, to: Scalar) -> Arg {
        match (from.kind, to.kind) {
            (Kind::Double, Kind::Long) => self.op("dbits", &[a]),
            (Kind::Long, Kind::Double) => self.op("dfrom", &[a]),
            (a_kind, b_kind) if a_kind == b_kind => a,
            _ => {
                let bits = self.bits_of(a, from);
                self.value_of(bits, to)
            }
        }
    }

    /// The bits of a leaf of up to 32, zeros above.
    pub fn bits_of(&mut self, a: Arg, from: Scalar) -> Arg {
        match from.kind {
            Kind::Float if from.is_half() => self.op("f2h", &[a]),
            Kind::Float => self.op("fbits", &[a]),
            _ => a,
        }
    }

    /// The leaf that has these bits.
    pub fn value_of(&mut self, bits: Arg, to: Scalar) -> Arg {
        match to.kind {
            Kind::Float if to.is_half() => self.op("h2f", &[bits]),
            Kind::Float => self.op("ffrom", &[bits]),
            _ => bits,
        }
    }
}
