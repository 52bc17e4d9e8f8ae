//! Small numbers in a word.

use super::Expansion;
use crate::ir::{GlslOp, Op, Type, Value};
use smallvec::SmallVec;

type Result = Option<Value>;

/// How a number between 0, or -1, and 1 is a part of a word.
#[derive(Clone, Copy)]
struct Form {
    bits: u8,
    signed: bool,
}

const BYTES: Form = Form { bits: 8, signed: false };
const SIGNED_BYTES: Form = Form { bits: 8, signed: true };
const WORDS: Form = Form { bits: 16, signed: false };
const SIGNED_WORDS: Form = Form { bits: 16, signed: true };

impl Form {
    /// What 1 becomes.
    fn scale(self) -> f64 {
        f64::from((1u32 << (self.bits - u8::from(self.signed))) - 1)
    }

    fn least(self) -> f64 {
        if self.signed { -1.0 } else { 0.0 }
    }
}

fn pack(e: &mut Expansion<'_>, ty: Type, ids: &[Value], form: Form) -> Result {
    let &[v] = ids else { return None };
    let floats = e.b.ty(v);
    let (low, high, scale) =
        (e.float(floats, form.least()), e.float(floats, 1.0), e.float(floats, form.scale()));
    let v = e.glsl(GlslOp::NMax, floats, &[v, low]);
    let v = e.glsl(GlslOp::NMin, floats, &[v, high]);
    let v = e.apart(Op::FMul, floats, &[v, scale]);
    let v = e.glsl(GlslOp::RoundEven, floats, &[v]);
    let int = e.b.ctx.types.i32();
    let ints = e.like(floats, int);
    let v = e.op(Op::ConvertFToS, ints, &[v]);
    let mask = e.int(ty, (1 << form.bits) - 1);
    let mut word = None;
    for (i, part) in (0u64..).zip(e.components(v)) {
        let part = e.op(Op::Bitcast, ty, &[part]);
        let mut part = e.op(Op::BitwiseAnd, ty, &[part, mask]);
        if i > 0 {
            let by = e.int(ty, i * u64::from(form.bits));
            part = e.op(Op::ShiftLeftLogical, ty, &[part, by]);
        }
        word = Some(match word {
            Some(word) => e.op(Op::BitwiseOr, ty, &[word, part]),
            None => part,
        });
    }
    word
}

fn unpack(e: &mut Expansion<'_>, ty: Type, ids: &[Value], form: Form) -> Result {
    let &[word] = ids else { return None };
    let (float, int) = (e.scalar(ty), if form.signed { e.b.ctx.types.i32() } else { e.b.ctx.types.u32() });
    let (shift, convert) = match form.signed {
        true => (Op::ShiftRightArithmetic, Op::ConvertSToF),
        false => (Op::ShiftRightLogical, Op::ConvertUToF),
    };
    let word = if e.b.ty(word) == int { word } else { e.op(Op::Bitcast, int, &[word]) };
    let down = e.int(int, u64::from(32 - form.bits));
    let parts: SmallVec<[Value; 4]> = (0..u64::from(32 / form.bits))
        .map(|i| {
            // To the top of the word and down again, which brings the sign along.
            let up = 32 - u64::from(form.bits) * (i + 1);
            let mut part = word;
            if up > 0 {
                let up = e.int(int, up);
                part = e.op(Op::ShiftLeftLogical, int, &[part, up]);
            }
            let part = e.op(shift, int, &[part, down]);
            e.op(convert, float, &[part])
        })
        .collect();
    let v = e.op(Op::CompositeConstruct, ty, &parts);
    let scale = e.float(ty, form.scale());
    let v = e.op(Op::FDiv, ty, &[v, scale]);
    if !form.signed {
        return Some(v);
    }
    // The least number is a little below -1.
    let least = e.float(ty, form.least());
    Some(e.glsl(GlslOp::FMax, ty, &[v, least]))
}

pub(super) fn pack_bytes(e: &mut Expansion<'_>, ty: Type, ids: &[Value]) -> Result {
    pack(e, ty, ids, BYTES)
}

pub(super) fn pack_signed_bytes(e: &mut Expansion<'_>, ty: Type, ids: &[Value]) -> Result {
    pack(e, ty, ids, SIGNED_BYTES)
}

pub(super) fn pack_words(e: &mut Expansion<'_>, ty: Type, ids: &[Value]) -> Result {
    pack(e, ty, ids, WORDS)
}

pub(super) fn pack_signed_words(e: &mut Expansion<'_>, ty: Type, ids: &[Value]) -> Result {
    pack(e, ty, ids, SIGNED_WORDS)
}

pub(super) fn unpack_bytes(e: &mut Expansion<'_>, ty: Type, ids: &[Value]) -> Result {
    unpack(e, ty, ids, BYTES)
}

pub(super) fn unpack_signed_bytes(e: &mut Expansion<'_>, ty: Type, ids: &[Value]) -> Result {
    unpack(e, ty, ids, SIGNED_BYTES)
}

pub(super) fn unpack_words(e: &mut Expansion<'_>, ty: Type, ids: &[Value]) -> Result {
    unpack(e, ty, ids, WORDS)
}

pub(super) fn unpack_signed_words(e: &mut Expansion<'_>, ty: Type, ids: &[Value]) -> Result {
    unpack(e, ty, ids, SIGNED_WORDS)
}

fn halves(e: &mut Expansion<'_>) -> Type {
    let half = e.b.ctx.types.float(16);
    e.b.ctx.types.vector(half, 2)
}

pub(super) fn pack_halves(e: &mut Expansion<'_>, ty: Type, ids: &[Value]) -> Result {
    let halves = halves(e);
    let narrow = e.op(Op::FConvert, halves, ids);
    Some(e.op(Op::Bitcast, ty, &[narrow]))
}

pub(super) fn unpack_halves(e: &mut Expansion<'_>, ty: Type, ids: &[Value]) -> Result {
    let halves = halves(e);
    let narrow = e.op(Op::Bitcast, halves, ids);
    Some(e.op(Op::FConvert, ty, &[narrow]))
}

pub(super) fn same_bits(e: &mut Expansion<'_>, ty: Type, ids: &[Value]) -> Result {
    Some(e.op(Op::Bitcast, ty, ids))
}
