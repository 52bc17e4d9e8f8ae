//! Geometry.

use super::{Expansion, Target};
use crate::ir::{GlslOp, Op, Operand, Type, Value};

type Result = Option<Value>;

pub(super) fn length(e: &mut Expansion<'_>, ty: Type, ids: &[Value]) -> Result {
    let &[v] = ids else { return None };
    if e.b.ctx.types.len_of(e.b.ty(v)) == 1 {
        return Some(e.glsl(GlslOp::FAbs, ty, ids));
    }
    let dot = e.dot(v, v);
    Some(e.glsl(GlslOp::Sqrt, ty, &[dot]))
}

pub(super) fn distance(e: &mut Expansion<'_>, ty: Type, ids: &[Value]) -> Result {
    let &[a, b] = ids else { return None };
    let between = e.op(Op::FSub, e.b.ty(a), &[a, b]);
    length(e, ty, &[between])
}

pub(super) fn normalize(e: &mut Expansion<'_>, ty: Type, ids: &[Value]) -> Result {
    let &[v] = ids else { return None };
    let scalar = e.scalar(ty);
    // The CPU has a reciprocal square root; hosts divide, which is as exact as can be.
    if e.target == Target::Cpu {
        let dot = e.dot(v, v);
        let by = e.glsl(GlslOp::InverseSqrt, scalar, &[dot]);
        return Some(e.scaled(v, by, true));
    }
    let length = length(e, scalar, ids)?;
    let length = e.spread(ty, length);
    Some(e.op(Op::FDiv, ty, &[v, length]))
}

pub(super) fn cross(e: &mut Expansion<'_>, ty: Type, ids: &[Value]) -> Result {
    let &[a, b] = ids else { return None };
    // A fourth component, which OpenCL allows, becomes 0: the product of both is subtracted from itself.
    let fourth = e.b.ctx.types.len_of(ty) == 4;
    let turned = |e: &mut Expansion<'_>, v: Value, by: [u32; 3]| {
        let order = by.into_iter().chain(fourth.then_some(3)).map(Operand::Literal);
        let operands: Vec<Operand> = [Operand::Id(v), Operand::Id(v)].into_iter().chain(order).collect();
        e.b.value(Op::VectorShuffle, ty, &operands)
    };
    let (a1, b1) = (turned(e, a, [1, 2, 0]), turned(e, b, [2, 0, 1]));
    let (a2, b2) = (turned(e, a, [2, 0, 1]), turned(e, b, [1, 2, 0]));
    let first = e.op(Op::FMul, ty, &[a1, b1]);
    let second = e.apart(Op::FMul, ty, &[a2, b2]);
    Some(e.op(Op::FSub, ty, &[first, second]))
}

/// i - 2 (n · i) n
pub(super) fn reflect(e: &mut Expansion<'_>, ty: Type, ids: &[Value]) -> Result {
    let &[incident, normal] = ids else { return None };
    let scalar = e.scalar(ty);
    let dot = e.dot(normal, incident);
    let two = e.float(scalar, 2.0);
    let twice = e.apart(Op::FMul, scalar, &[dot, two]);
    let along = e.scaled(normal, twice, false);
    Some(e.op(Op::FSub, ty, &[incident, along]))
}

/// k = 1 - eta² (1 - (n · i)²) is negative where all light is reflected: then it is 0, else eta i - (eta n · i + √k) n.
pub(super) fn refract(e: &mut Expansion<'_>, ty: Type, ids: &[Value]) -> Result {
    let &[incident, normal, eta] = ids else { return None };
    let (scalar, truth) = (e.scalar(ty), e.b.ctx.types.bool());
    let dot = e.dot(normal, incident);
    let (zero, one) = (e.float(scalar, 0.0), e.float(scalar, 1.0));
    let square = e.op(Op::FMul, scalar, &[dot, dot]);
    let rest = e.op(Op::FSub, scalar, &[one, square]);
    let eta_square = e.apart(Op::FMul, scalar, &[eta, eta]);
    let rest = e.op(Op::FMul, scalar, &[eta_square, rest]);
    let k = e.op(Op::FSub, scalar, &[one, rest]);
    let none = e.op(Op::FOrdLessThan, truth, &[k, zero]);
    let root = e.glsl(GlslOp::Sqrt, scalar, &[k]);
    let along = e.op(Op::FMul, scalar, &[eta, dot]);
    let along = e.op(Op::FAdd, scalar, &[along, root]);
    let bent = e.scaled(incident, eta, true);
    let along = e.scaled(normal, along, false);
    let bent = e.op(Op::FSub, ty, &[bent, along]);
    let (none, nothing) = (e.spread(ty, none), e.float(ty, 0.0));
    Some(e.op(Op::Select, ty, &[none, nothing, bent]))
}

pub(super) fn face_forward(e: &mut Expansion<'_>, ty: Type, ids: &[Value]) -> Result {
    let &[normal, incident, reference] = ids else { return None };
    let (scalar, truth) = (e.scalar(ty), e.b.ctx.types.bool());
    let dot = e.dot(reference, incident);
    let zero = e.float(scalar, 0.0);
    let faces = e.op(Op::FOrdLessThan, truth, &[dot, zero]);
    let faces = e.spread(ty, faces);
    let back = e.op(Op::FNegate, ty, &[normal]);
    Some(e.op(Op::Select, ty, &[faces, normal, back]))
}
