//! Operations on scalars, written once more for the interpreter: nothing of the compiler computes here.

use super::interpreter::{Stop, as_signed, width_of};
use spirv_build::ir::{ExtSet, GlslOp, Op, Opcode, TypeKind};

/// The result of an operation; what has none is [`Stop::Undefined`].
pub fn evaluate(op: Opcode, to: &TypeKind, from: &TypeKind, bits: &[u64]) -> Result<u64, Stop> {
    let (a, b) = (bits[0], bits.get(1).copied().unwrap_or(0));
    let float = matches!(from, TypeKind::Float { width: 32 });
    let (x, y) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
    let (s, t) = (as_signed(a, from), as_signed(b, from));
    let width = u64::from(width_of(from).unwrap_or(64));
    let defined = |holds: bool| if holds { Ok(()) } else { Err(Stop::Undefined) };
    let truth = |holds: bool| Ok(u64::from(holds));
    let op = match op {
        Opcode::Op(op) => op,
        Opcode::Ext(ExtSet::Glsl, number) => return glsl(GlslOp(number), to, from, bits),
        _ => return Err(Stop::Unknown(format!("{op:?}"))),
    };
    let result: u64 = match op {
        Op::IAdd => a.wrapping_add(b),
        Op::ISub => a.wrapping_sub(b),
        Op::IMul => a.wrapping_mul(b),
        Op::SNegate => a.wrapping_neg(),
        Op::Not => !a,
        Op::BitwiseAnd => a & b,
        Op::BitwiseOr => a | b,
        Op::BitwiseXor => a ^ b,
        Op::UDiv | Op::UMod => {
            defined(b != 0)?;
            if op == Op::UDiv { a / b } else { a % b }
        }
        Op::SDiv | Op::SRem => {
            defined(t != 0 && !(t == -1 && s == -(1i64 << (width - 1))))?;
            (if op == Op::SDiv { s / t } else { s % t }) as u64
        }
        Op::ShiftLeftLogical | Op::ShiftRightLogical | Op::ShiftRightArithmetic => {
            defined(b < width)?;
            match op {
                Op::ShiftLeftLogical => a << b,
                Op::ShiftRightLogical => a >> b,
                _ => (s >> b) as u64,
            }
        }
        Op::IEqual | Op::LogicalEqual => return truth(a == b),
        Op::INotEqual | Op::LogicalNotEqual => return truth(a != b),
        Op::ULessThan => return truth(a < b),
        Op::ULessThanEqual => return truth(a <= b),
        Op::UGreaterThan => return truth(a > b),
        Op::UGreaterThanEqual => return truth(a >= b),
        Op::SLessThan => return truth(s < t),
        Op::SLessThanEqual => return truth(s <= t),
        Op::SGreaterThan => return truth(s > t),
        Op::SGreaterThanEqual => return truth(s >= t),
        Op::LogicalAnd => a & b,
        Op::LogicalOr => a | b,
        Op::LogicalNot => 1 - a,
        Op::Select => {
            if a != 0 {
                b
            } else {
                bits[2]
            }
        }
        Op::Bitcast => a,
        Op::FAdd if float => u64::from((x + y).to_bits()),
        Op::FSub if float => u64::from((x - y).to_bits()),
        Op::FMul if float => u64::from((x * y).to_bits()),
        Op::FNegate if float => u64::from((-x).to_bits()),
        Op::FOrdEqual => return truth(x == y),
        Op::FUnordNotEqual => return truth(x != y),
        Op::FOrdLessThan => return truth(x < y),
        Op::FOrdLessThanEqual => return truth(x <= y),
        Op::FOrdGreaterThan => return truth(x > y),
        Op::FOrdGreaterThanEqual => return truth(x >= y),
        Op::ConvertSToF => u64::from((s as f32).to_bits()),
        Op::ConvertUToF => u64::from((a as f32).to_bits()),
        Op::ConvertFToS => {
            defined(x > -2147483904.0 && x < 2147483648.0)?;
            x as i32 as u64
        }
        Op::ConvertFToU => {
            defined(x > -1.0 && x < 4294967296.0)?;
            u64::from(x as u32)
        }
        _ => return Err(Stop::Unknown(format!("{op:?}"))),
    };
    Ok(match width_of(to) {
        Some(n) if n < 64 => result & ((1 << n) - 1),
        _ => result,
    })
}

fn glsl(op: GlslOp, to: &TypeKind, from: &TypeKind, bits: &[u64]) -> Result<u64, Stop> {
    let as_op = |op: Op, bits: &[u64]| evaluate(Opcode::Op(op), to, from, bits);
    let holds = |op: Op, a: u64, b: u64| {
        evaluate(Opcode::Op(op), &TypeKind::Bool, from, &[a, b]).map(|bit| if bit != 0 { a } else { b })
    };
    match op {
        GlslOp::UMin => holds(Op::ULessThan, bits[0], bits[1]),
        GlslOp::UMax => holds(Op::UGreaterThan, bits[0], bits[1]),
        GlslOp::SMin => holds(Op::SLessThan, bits[0], bits[1]),
        GlslOp::SMax => holds(Op::SGreaterThan, bits[0], bits[1]),
        GlslOp::UClamp => holds(Op::ULessThan, holds(Op::UGreaterThan, bits[0], bits[1])?, bits[2]),
        GlslOp::SClamp => holds(Op::SLessThan, holds(Op::SGreaterThan, bits[0], bits[1])?, bits[2]),
        GlslOp::FAbs => as_op(Op::BitwiseAnd, &[bits[0], 0x7fff_ffff]),
        _ => Err(Stop::Unknown(format!("{op:?}"))),
    }
}
