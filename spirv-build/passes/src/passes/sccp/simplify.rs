//! What an operation's result is if it is a constant or a value that there was before.

use crate::analysis::tables::Tables;
use crate::ir::fold::{self, Arg};
use crate::ir::{Const, Context, Function, Inst, InstData, Op, Opcode, Operand, Value};
use smallvec::SmallVec;
use spirv_spec::Traits;

/// What was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// The result is a constant.
    Const(Const),
    /// It is another value, which is seen wherever the operation stands.
    Value(Value),
}

/// Values that are looked through for a part, at most.
const MAX_STEPS: usize = 64;

/// Looks at an operation; `now` says what stands for an operand.
pub(super) fn value(
    ctx: &mut Context,
    f: &Function,
    inst: Inst,
    (tables, floats): (&Tables, bool),
    now: &dyn Fn(Value) -> Value,
) -> Option<Found> {
    let data = &f.insts[inst];
    let (Opcode::Op(op), Some(result)) = (data.op, data.result()) else { return None };
    let ty = f.values[result].ty;
    // Conversions may say how they round.
    let rounds = data.decorations.has(spirv_spec::Decoration::FPRoundingMode);
    if !rounds && (floats || !fold::is_float_arithmetic(op)) {
        let args: Option<SmallVec<[Arg; 4]>> = data.operands.iter().map(|o| arg(f, o, now)).collect();
        if let Some(args) = args
            && let Some(c) = fold::fold(ctx, op, ty, &args)
        {
            return (ctx.consts.ty(c) == ty).then_some(Found::Const(c));
        }
    }
    if op == Op::Load && !data.is_volatile() {
        let c = tables.load(ctx, f, data.id(0)?, |_, index| f.as_const(now(index)))?;
        return (ctx.consts.ty(c) == ty).then_some(Found::Const(c));
    }
    // What marks an operation is lost with it.
    if !data.decorations.is_empty() {
        return None;
    }
    let found = match op {
        Op::CompositeExtract => extract(ctx, f, data, now)?,
        Op::CopyObject => Found::Value(now(data.id(0)?)),
        Op::Bitcast => {
            let from = now(data.id(0)?);
            let inner = f.def_inst(from).map(|i| &f.insts[i]).filter(|d| d.op == Opcode::Op(Op::Bitcast));
            Found::Value(match inner.and_then(|d| d.id(0)) {
                Some(first) if f.values[from].ty != ty => now(first),
                _ => from,
            })
        }
        Op::Select => {
            let [c, a, b] = [0, 1, 2].map(|i| data.id(i).map(now));
            match f.as_const(c?).and_then(|c| ctx.consts.bits(c)) {
                // Of vectors none has bits but null.
                Some(bit) => Found::Value(if bit != 0 { a? } else { b? }),
                None if a == b => Found::Value(a?),
                None => return None,
            }
        }
        _ => identity(ctx, f, op, data, now)?,
    };
    let same = match found {
        Found::Value(v) => f.values[v].ty == ty && v != result,
        Found::Const(c) => ctx.consts.ty(c) == ty,
    };
    same.then_some(found)
}

fn arg(f: &Function, operand: &Operand, now: &dyn Fn(Value) -> Value) -> Option<Arg> {
    match *operand {
        Operand::Id(v) => f.as_const(now(v)).map(Arg::Const),
        Operand::Literal(n) => Some(Arg::Literal(n)),
        _ => None,
    }
}

/// Operations on an integer or truth value that leave it as it is, or are always the same: `x + 0`, `x & 0`.
fn identity(
    ctx: &mut Context,
    f: &Function,
    op: Op,
    data: &InstData,
    now: &dyn Fn(Value) -> Value,
) -> Option<Found> {
    let (a, b) = (now(data.id(0)?), data.id(1).map(now));
    if op == Op::LogicalNot {
        let inner = &f.insts[f.def_inst(a)?];
        return (inner.op == Opcode::Op(Op::LogicalNot)).then_some(Found::Value(now(inner.id(0)?)));
    }
    let b = b?;
    if a == b {
        match op {
            Op::BitwiseAnd | Op::BitwiseOr | Op::LogicalAnd | Op::LogicalOr => return Some(Found::Value(a)),
            _ => {}
        }
    }
    let bits = |v: Value| f.as_const(v).and_then(|c| ctx.consts.bits(c));
    let ones = u64::MAX >> (64 - u32::from(ctx.types.width_of(f.values[a].ty).unwrap_or(64).max(1)));
    let right = |n: u64| match op {
        Op::IAdd | Op::ISub | Op::BitwiseOr | Op::BitwiseXor => n == 0,
        Op::ShiftLeftLogical | Op::ShiftRightLogical | Op::ShiftRightArithmetic => n == 0,
        Op::IMul | Op::UDiv | Op::SDiv => n == 1,
        Op::BitwiseAnd => n == ones,
        Op::LogicalOr => n == 0,
        Op::LogicalAnd => n == 1,
        _ => false,
    };
    let commutes = op.traits().has(Traits::COMMUTATIVE);
    let absorbs = |n: u64| match op {
        Op::IMul | Op::BitwiseAnd | Op::LogicalAnd => n == 0,
        Op::BitwiseOr => n == ones,
        Op::LogicalOr => n == 1,
        _ => false,
    };
    match (bits(a), bits(b)) {
        (_, Some(n)) if right(n) => Some(Found::Value(a)),
        (Some(n), _) if commutes && right(n) => Some(Found::Value(b)),
        (_, Some(n)) if absorbs(n) => Some(Found::Value(b)),
        (Some(n), _) if commutes && absorbs(n) => Some(Found::Value(a)),
        _ => None,
    }
}

/// The part of a value that was put together of parts.
fn extract(ctx: &mut Context, f: &Function, data: &InstData, now: &dyn Fn(Value) -> Value) -> Option<Found> {
    let literals = |data: &InstData, from: usize| -> SmallVec<[u32; 8]> {
        data.operands[from.min(data.operands.len())..]
            .iter()
            .filter_map(|o| match o {
                Operand::Literal(n) => Some(*n),
                _ => None,
            })
            .collect()
    };
    let mut path = literals(data, 1);
    let mut at = now(data.id(0)?);
    for _ in 0..MAX_STEPS {
        if path.is_empty() {
            return Some(Found::Value(at));
        }
        if let Some(mut c) = f.as_const(at) {
            for i in path {
                c = fold::part(ctx, c, i)?;
            }
            return Some(Found::Const(c));
        }
        let from = &f.insts[f.def_inst(at)?];
        // A mark may be on what is taken apart.
        if !from.decorations.is_empty() {
            return None;
        }
        match from.op {
            Opcode::Op(Op::CompositeInsert) => {
                let into = literals(from, 2);
                let common = into.iter().zip(&path).take_while(|(a, b)| a == b).count();
                if common == into.len() {
                    path.drain(..common);
                    at = now(from.id(0)?);
                } else if common == path.len() {
                    // Part of what is wanted was replaced.
                    return None;
                } else {
                    at = now(from.id(1)?);
                }
            }
            Opcode::Op(Op::CompositeConstruct) => {
                let mut wanted = path[0];
                let vector = ctx.types.len_of(f.values[at].ty) > 1;
                let mut part = None;
                for v in from.ids() {
                    let len = if vector { u32::from(ctx.types.len_of(f.values[v].ty)) } else { 1 };
                    if wanted < len {
                        part = Some((v, len));
                        break;
                    }
                    wanted -= len;
                }
                let (v, len) = part?;
                // A vector among the parts of a vector.
                match vector && len > 1 {
                    true => path[0] = wanted,
                    false => drop(path.remove(0)),
                }
                at = now(v);
            }
            Opcode::Op(Op::VectorShuffle) => {
                let n = *literals(from, 2).get(path[0] as usize)?;
                let [a, b] = [now(from.id(0)?), now(from.id(1)?)];
                let len = u32::from(ctx.types.len_of(f.values[a].ty));
                (at, path[0]) = if n < len { (a, n) } else { (b, n.checked_sub(len)?) };
                if path[0] >= u32::from(ctx.types.len_of(f.values[at].ty)) {
                    return None;
                }
            }
            // The same of something else is wanted, which has no name yet.
            _ => return None,
        }
    }
    None
}
