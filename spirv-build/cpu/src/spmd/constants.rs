//! Constants as leaves.

use crate::analysis::leaves::{Kind, Scalar, scalar, scalars};
use crate::ir::{Const, ConstKind, Context};
use crate::spmd::Arg;

/// A constant's leaves. Undefined ones are zero.
pub fn constant(ctx: &Context, c: Const, out: &mut Vec<Arg>) {
    let ty = ctx.consts.ty(c);
    let bits = match ctx.consts.kind(c) {
        ConstKind::Bool(b) => u64::from(*b),
        ConstKind::Bits(bits) => *bits,
        ConstKind::Spec { default, .. } => *default,
        ConstKind::Composite(parts) => return parts.iter().for_each(|p| constant(ctx, *p, out)),
        // Modules whose addressing is logical, as that of all shaders is, have no addresses; what is computed was refused.
        ConstKind::Address(_) | ConstKind::Computed(..) | ConstKind::Null | ConstKind::Undef => {
            let mut all = Vec::new();
            scalars(ctx, ty, &mut all);
            return out.extend(all.into_iter().map(|s| leaf_constant(s, 0)));
        }
    };
    out.extend(scalar(ctx, ty).map(|s| leaf_constant(s, bits)));
}

fn leaf_constant(s: Scalar, bits: u64) -> Arg {
    match s {
        Scalar { kind: Kind::Long | Kind::Double, .. } => Arg::Wide(s.kind, bits),
        _ if s.is_half() => Arg::Const(s.kind, float_of_half(bits as u32).to_bits()),
        _ => Arg::Const(s.kind, bits as u32),
    }
}

/// The value of a half.
fn float_of_half(h: u32) -> f32 {
    let sign = (h & 0x8000) << 16;
    match ((h >> 10) & 31, h & 0x3ff) {
        (31, m) => f32::from_bits(sign | 0x7f80_0000 | m << 13),
        // m * 2^-24
        (0, m) => f32::from_bits(sign | (m as f32 * f32::from_bits(0x3380_0000)).to_bits()),
        (e, m) => f32::from_bits(sign | (e + 112) << 23 | m << 13),
    }
}

/// Whether the host chooses a part of a constant.
pub fn is_chosen(ctx: &Context, c: Const) -> bool {
    match ctx.consts.kind(c) {
        ConstKind::Spec { id, .. } => id.is_some(),
        ConstKind::Composite(parts) => parts.iter().any(|part| is_chosen(ctx, *part)),
        _ => false,
    }
}

/// The words of a constant's leaves.
pub fn constant_words(ctx: &Context, c: Const) -> Vec<u32> {
    let (mut leaves, mut out) = (Vec::new(), Vec::new());
    constant(ctx, c, &mut leaves);
    for leaf in leaves {
        match leaf {
            Arg::Wide(_, bits) => out.extend([bits as u32, (bits >> 32) as u32]),
            Arg::Const(_, bits) => out.push(bits),
            _ => {}
        }
    }
    out
}
