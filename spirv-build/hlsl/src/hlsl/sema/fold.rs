//! Arithmetic on constants, exactly as the target would do it.
use crate::hlsl::hir::{BinaryOp, Const, Intrinsic, Scalar, UnaryOp};

/// Brings an integer into the range of its type.
pub(super) fn wrap(value: i64, s: Scalar) -> i64 {
    match s.erased() {
        Scalar::I16 => i64::from(value as i16),
        Scalar::U16 => i64::from(value as u16),
        Scalar::I32 | Scalar::MinI16 => i64::from(value as i32),
        Scalar::U32 | Scalar::MinU16 => i64::from(value as u32),
        _ => value,
    }
}

/// Rounds to the precision of the type.
pub(super) fn round(value: f64, s: Scalar) -> f64 {
    match s.erased() {
        Scalar::F32 | Scalar::MinF16 => f64::from(value as f32),
        Scalar::F16 => round_half(value),
        _ => value,
    }
}

/// Rounds to the nearest half, ties to even.
fn round_half(value: f64) -> f64 {
    if !value.is_finite() || value == 0.0 {
        return value;
    }
    // Ten bits of fraction; below 2^-14 the step stays 2^-24.
    let exponent = (value.abs().log2().floor() as i32).max(-14);
    let step = 2f64.powi(exponent - 10);
    let rounded = (value / step).round_ties_even() * step;
    if rounded.abs() > 65504.0 { f64::INFINITY.copysign(value) } else { rounded }
}

/// Each part of a composite, folded.
fn each(list: &[Const], fold: impl Fn(&Const) -> Option<Const>) -> Option<Const> {
    Some(Const::Composite(list.iter().map(fold).collect::<Option<_>>()?))
}

/// The bits of a 32-bit constant as those of another type. Which NaN one is gets lost in a constant, so that those do not fold.
pub(super) fn bitcast(value: &Const, from: Scalar, to: Scalar) -> Option<Const> {
    let (from, to) = (from.erased(), to.erased());
    if let Const::Composite(list) = value {
        return each(list, |v| bitcast(v, from, to));
    }
    if [from, to].iter().any(|s| s.bits() != 32 || s.is_relaxed()) {
        return None;
    }
    let bits = match value {
        Const::Int(i) => *i as u32,
        Const::Float(v) if !v.is_nan() => (*v as f32).to_bits(),
        _ => return None,
    };
    match to {
        Scalar::F32 => Some(f32::from_bits(bits)).filter(|v| !v.is_nan()).map(|v| Const::Float(v.into())),
        Scalar::I32 | Scalar::U32 => Some(Const::Int(wrap(i64::from(bits), to))),
        _ => None,
    }
}

/// A scalar constant in another scalar type.
pub(super) fn cast(value: &Const, from: Scalar, to: Scalar) -> Option<Const> {
    let (from, to) = (from.erased(), to.erased());
    Some(match value {
        Const::Composite(list) => return each(list, |v| cast(v, from, to)),
        Const::Bool(b) if to == Scalar::Bool => Const::Bool(*b),
        Const::Bool(b) if to.is_float() => Const::Float(f64::from(u8::from(*b))),
        Const::Bool(b) => Const::Int(i64::from(*b)),
        Const::Int(i) if to == Scalar::Bool => Const::Bool(*i != 0),
        Const::Int(i) if to.is_float() => {
            let exact = if from == Scalar::U64 { *i as u64 as f64 } else { *i as f64 };
            // Straight to the type: rounding twice would differ for large numbers.
            Const::Float(match (to, from) {
                (Scalar::F32 | Scalar::MinF16, Scalar::U64) => f64::from(*i as u64 as f32),
                (Scalar::F32 | Scalar::MinF16, _) => f64::from(*i as f32),
                _ => round(exact, to),
            })
        }
        Const::Int(i) => Const::Int(wrap(*i, to)),
        Const::Float(v) if to == Scalar::Bool => Const::Bool(*v != 0.0),
        Const::Float(v) if to.is_float() => Const::Float(round(*v, to)),
        Const::Float(v) => {
            let whole = v.trunc();
            let fits = match to {
                Scalar::U64 => (0.0..1.8446744073709552e19).contains(&whole),
                Scalar::I64 | Scalar::LitInt => {
                    (-9.223_372_036_854_776e18..9.223_372_036_854_776e18).contains(&whole)
                }
                Scalar::U32 | Scalar::MinU16 => (0.0..4294967296.0).contains(&whole),
                Scalar::U16 => (0.0..65536.0).contains(&whole),
                Scalar::I16 => (-32768.0..32768.0).contains(&whole),
                _ => (-2147483648.0..2147483648.0).contains(&whole),
            };
            // What does not fit is undefined at run time; leave it to run time.
            if !fits {
                return None;
            }
            Const::Int(if to == Scalar::U64 { whole as u64 as i64 } else { whole as i64 })
        }
    })
}

/// A unary operator.
pub(super) fn unary(op: UnaryOp, s: Scalar, value: &Const) -> Option<Const> {
    let s = s.erased();
    Some(match (op, value) {
        (_, Const::Composite(list)) => return each(list, |v| unary(op, s, v)),
        (UnaryOp::Neg, Const::Int(i)) => Const::Int(wrap(i.wrapping_neg(), s)),
        (UnaryOp::Neg, Const::Float(v)) => Const::Float(-v),
        (UnaryOp::BitNot, Const::Int(i)) => Const::Int(wrap(!i, s)),
        (UnaryOp::Not, Const::Bool(b)) => Const::Bool(!b),
        _ => return None,
    })
}

/// A binary operator on constants of one type with components of type `s`.
pub(super) fn binary(op: BinaryOp, s: Scalar, a: &Const, b: &Const) -> Option<Const> {
    let s = s.erased();
    use BinaryOp as B;
    Some(match (a, b) {
        (Const::Composite(x), Const::Composite(y)) if x.len() == y.len() => {
            Const::Composite(x.iter().zip(y).map(|(a, b)| binary(op, s, a, b)).collect::<Option<_>>()?)
        }
        (Const::Bool(x), Const::Bool(y)) => Const::Bool(match op {
            B::BitAnd => x & y,
            B::BitOr => x | y,
            B::BitXor | B::Ne => x != y,
            B::Eq => x == y,
            _ => return None,
        }),
        (Const::Float(x), Const::Float(y)) => {
            let (x, y) = (*x, *y);
            match op {
                B::Add => Const::Float(round(x + y, s)),
                B::Sub => Const::Float(round(x - y, s)),
                B::Mul => Const::Float(round(x * y, s)),
                B::Div => Const::Float(round(x / y, s)),
                B::Rem => Const::Float(round(x % y, s)),
                B::Lt => Const::Bool(x < y),
                B::Le => Const::Bool(x <= y),
                B::Gt => Const::Bool(x > y),
                B::Ge => Const::Bool(x >= y),
                B::Eq => Const::Bool(x == y),
                B::Ne => Const::Bool(x != y),
                _ => return None,
            }
        }
        (Const::Int(x), Const::Int(y)) => return int(op, s, *x, *y),
        _ => return None,
    })
}

fn int(op: BinaryOp, s: Scalar, x: i64, y: i64) -> Option<Const> {
    use BinaryOp as B;
    let unsigned = s.is_unsigned_int();
    let (ux, uy) = (x as u64, y as u64);
    let order = if unsigned { ux.cmp(&uy) } else { x.cmp(&y) };
    let bits = if s == Scalar::LitInt { 64 } else { s.bits() };
    let amount = (y as u32) & (bits - 1);
    let value = match op {
        B::Add => x.wrapping_add(y),
        B::Sub => x.wrapping_sub(y),
        B::Mul => x.wrapping_mul(y),
        B::Div | B::Rem if y == 0 => return None,
        B::Div if unsigned => (ux / uy) as i64,
        B::Div => x.wrapping_div(y),
        B::Rem if unsigned => (ux % uy) as i64,
        B::Rem => x.wrapping_rem(y),
        B::BitAnd => x & y,
        B::BitOr => x | y,
        B::BitXor => x ^ y,
        B::Shl => x.wrapping_shl(amount),
        B::Shr if unsigned => ux.wrapping_shr(amount) as i64,
        B::Shr => x.wrapping_shr(amount),
        B::Lt => return Some(Const::Bool(order.is_lt())),
        B::Le => return Some(Const::Bool(order.is_le())),
        B::Gt => return Some(Const::Bool(order.is_gt())),
        B::Ge => return Some(Const::Bool(order.is_ge())),
        B::Eq => return Some(Const::Bool(x == y)),
        B::Ne => return Some(Const::Bool(x != y)),
    };
    Some(Const::Int(wrap(value, s)))
}

/// An intrinsic on constants of one type, where the result is the same on every device.
pub(super) fn intrinsic(op: Intrinsic, s: Scalar, args: &[&Const]) -> Option<Const> {
    let s = s.erased();
    if let Const::Composite(first) = args.first()? {
        let parts = (0..first.len()).map(|i| {
            let column: Option<Vec<&Const>> = args
                .iter()
                .map(|a| match a {
                    Const::Composite(list) => list.get(i),
                    _ => None,
                })
                .collect();
            intrinsic(op, s, &column?)
        });
        return Some(Const::Composite(parts.collect::<Option<_>>()?));
    }
    use Intrinsic as I;
    match args {
        [Const::Float(x)] => {
            let x = *x;
            let value = match op {
                I::Abs => x.abs(),
                I::Ceil => x.ceil(),
                I::Floor => x.floor(),
                I::Round => x.round_ties_even(),
                I::Trunc => x.trunc(),
                I::Frac => x - x.floor(),
                I::Saturate => x.clamp(0.0, 1.0),
                I::Sqrt if x >= 0.0 => x.sqrt(),
                I::Rsqrt if x > 0.0 => 1.0 / x.sqrt(),
                I::Rcp if x != 0.0 => 1.0 / x,
                I::Exp => x.exp(),
                I::Exp2 => x.exp2(),
                I::Log if x > 0.0 => x.ln(),
                I::Log2 if x > 0.0 => x.log2(),
                I::Log10 if x > 0.0 => x.log10(),
                I::Sin => x.sin(),
                I::Cos => x.cos(),
                I::Tan => x.tan(),
                I::Radians => x.to_radians(),
                I::Degrees => x.to_degrees(),
                _ => return None,
            };
            if x.is_nan() { None } else { Some(Const::Float(round(value, s))) }
        }
        [Const::Float(x), Const::Float(y)] if !x.is_nan() && !y.is_nan() => Some(Const::Float(match op {
            I::Min => x.min(*y),
            I::Max => x.max(*y),
            I::Pow if *x > 0.0 => round(x.powf(*y), s),
            _ => return None,
        })),
        [Const::Int(x)] if op == I::Abs && s.is_signed_int() => Some(Const::Int(wrap(x.wrapping_abs(), s))),
        [Const::Int(x), Const::Int(y)] => {
            let less = if s.is_unsigned_int() { (*x as u64) < (*y as u64) } else { x < y };
            Some(Const::Int(match op {
                I::Min => *if less { x } else { y },
                I::Max => *if less { y } else { x },
                _ => return None,
            }))
        }
        [_, low, high] if op == I::Clamp => {
            let at_least = intrinsic(I::Max, s, &[args[0], low])?;
            intrinsic(I::Min, s, &[&at_least, high])
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_to_their_width() {
        assert_eq!(
            int(BinaryOp::Add, Scalar::I32, i64::from(i32::MAX), 1),
            Some(Const::Int(i64::from(i32::MIN)))
        );
        assert_eq!(int(BinaryOp::Sub, Scalar::U32, 0, 1), Some(Const::Int(0xffff_ffff)));
        assert_eq!(int(BinaryOp::Shl, Scalar::U32, 1, 33), Some(Const::Int(2)));
        assert_eq!(int(BinaryOp::Div, Scalar::I32, 1, 0), None);
        assert_eq!(cast(&Const::Float(-1.5), Scalar::F32, Scalar::I32), Some(Const::Int(-1)));
        assert_eq!(cast(&Const::Float(-1.5), Scalar::F32, Scalar::U32), None);
        assert_eq!(round(0.1, Scalar::F32), f64::from(0.1f32));
        assert_eq!(round(2049.0, Scalar::F16), 2048.0);
        assert_eq!(round(70000.0, Scalar::F16), f64::INFINITY);
        assert_eq!(
            bitcast(&Const::Float(-1.0), Scalar::F32, Scalar::I32),
            Some(Const::Int(i64::from(0xbf80_0000_u32 as i32)))
        );
        assert_eq!(bitcast(&Const::Int(0x7fa0_0000), Scalar::U32, Scalar::F32), None);
    }
}
