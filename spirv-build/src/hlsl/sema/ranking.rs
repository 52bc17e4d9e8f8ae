//! Which of several functions that take the arguments of a call is meant, by HLSL's rule: what the arguments go through is counted by kind,
//! for all of them together, and the worst kind decides first. C++'s rule, each argument by itself, is not HLSL's.
use super::*;

/// What a value goes through on its way to a type, the least bad first. Each has a counter of its own in a score.
#[derive(Clone, Copy)]
enum Step {
    /// A scalar is spread, or a vector's parts are.
    Widen,
    /// The type of the parameter is wider than what both have in common.
    PromoteTo,
    /// What both have in common is wider than the argument.
    PromoteFrom,
    /// The sign changes.
    SignTo,
    SignFrom,
    /// Another change.
    CastTo,
    CastFrom,
    /// Components are lost.
    Truncate,
}

/// Bits of a counter: a function has fewer parameters than this can count, twice.
const COUNTER: u32 = 8;

fn one(step: Step) -> u64 {
    1 << (COUNTER * step as u32)
}

/// The scalar of a value; `None` for an enumeration.
pub(super) type Kind = Option<Scalar>;

/// Bits, none for what takes those of its partner.
fn bits(k: Kind) -> u32 {
    match k {
        None | Some(Scalar::Bool | Scalar::LitInt | Scalar::LitFloat) => 0,
        Some(s) if s.is_relaxed() => 16,
        Some(s) => s.bits(),
    }
}

fn is_float(k: Kind) -> bool {
    k.is_some_and(Scalar::is_float)
}

/// An integer type with a number of bits that it keeps to.
fn is_plain_int(k: Kind) -> bool {
    bits(k) > 0 && k.is_some_and(|s| s.is_int() && !s.is_relaxed())
}

fn is_plain_float(k: Kind) -> bool {
    matches!(k, Some(Scalar::F16 | Scalar::F32 | Scalar::F64))
}

/// The type that two have in common: a float rather than an integer, the wider one, and without a sign if one has none.
pub(super) fn common(a: Kind, b: Kind) -> Kind {
    use Scalar::*;
    if a == b {
        return a;
    }
    let literal = |k: Kind| matches!(k, Some(LitInt | LitFloat));
    let float = is_float(a) || is_float(b);
    if literal(a) && literal(b) {
        return Some(LitFloat);
    }
    if is_float(a) != is_float(b) {
        let own = if is_float(a) { a } else { b };
        return if own == Some(LitFloat) { Some(F32) } else { own };
    }
    let relaxed = |k: Kind| k.is_some_and(Scalar::is_relaxed);
    let least = (relaxed(a) || bits(a) == 0) && (relaxed(b) || bits(b) == 0) && (relaxed(a) || relaxed(b));
    let unsigned = |k: Kind| bits(k) > 0 && k.is_some_and(Scalar::is_unsigned_int);
    let unsigned = unsigned(a) || unsigned(b);
    Some(match (bits(a).max(bits(b)), float, unsigned) {
        (16, true, _) if least => MinF16,
        (16, true, _) => F16,
        (64, true, _) => F64,
        (_, true, _) => F32,
        (16, _, true) if least => MinU16,
        (16, _, false) if least => MinI16,
        (16, _, true) => U16,
        (16, _, false) => I16,
        (64, _, true) => U64,
        (64, _, false) => I64,
        (_, _, true) => U32,
        (_, _, false) => I32,
    })
}

/// Whether a wider type of the same class takes all of a narrower one.
fn promotes(to: Kind, from: Kind) -> bool {
    use Scalar::*;
    match from {
        Some(F16 | F32) => is_plain_float(to) && bits(to) > bits(from),
        Some(MinF16) => is_plain_float(to),
        Some(MinI16) => matches!(to, Some(I32 | I64)),
        Some(MinU16) => matches!(to, Some(U32 | U64)),
        _ => is_plain_int(from) && is_plain_int(to) && bits(to) > bits(from),
    }
}

fn casts(to: Kind, from: Kind) -> bool {
    let stays = match to {
        _ if to == from => true,
        Some(Scalar::LitInt) => is_plain_int(from),
        Some(Scalar::LitFloat) => is_plain_float(from),
        _ if is_plain_int(to) => from == Some(Scalar::LitInt) || is_plain_int(from) && bits(from) == bits(to),
        _ if is_plain_float(to) => from == Some(Scalar::LitFloat),
        _ => false,
    };
    !stays
}

/// Whether what is no cast changes the sign.
fn changes_sign(to: Kind, from: Kind) -> bool {
    to != from && is_plain_int(to) && is_plain_int(from)
}

/// What it takes to make one of the other.
fn component_score(from: Kind, to: Kind) -> u64 {
    let middle = common(to, from);
    let way = |to, from, [promote, cast, sign]: [Step; 3]| {
        if promotes(to, from) {
            one(promote)
        } else if casts(to, from) {
            one(cast)
        } else if changes_sign(to, from) {
            one(sign)
        } else {
            0
        }
    };
    way(to, middle, [Step::PromoteTo, Step::CastTo, Step::SignTo])
        + way(middle, from, [Step::PromoteFrom, Step::CastFrom, Step::SignFrom])
}

impl Sema<'_> {
    fn conversion_score(&self, from: TypeId, to: TypeId) -> u64 {
        if from == to {
            return 0;
        }
        let kind = |ty| match self.types.get(ty) {
            Type::Enum(_) => Some((None, 1)),
            _ => Some((Some(self.types.component(ty)?), self.types.component_count(ty)?)),
        };
        match (kind(from), kind(to)) {
            (Some((a, n)), Some((b, m))) => {
                let shape = match n.cmp(&m) {
                    std::cmp::Ordering::Less => one(Step::Widen),
                    std::cmp::Ordering::Equal => 0,
                    std::cmp::Ordering::Greater => one(Step::Truncate),
                };
                component_score(a, b) + shape
            }
            // A base, the nearer the better; or other structures and arrays of the same parts.
            _ => match self.cost(from, to) {
                Some(cost @ ..20) => u64::from(cost) * one(Step::Widen),
                _ => one(Step::CastFrom),
            },
        }
    }

    /// How badly a function fits arguments that it takes.
    pub(super) fn score(&self, id: FunctionId, args: &[Val]) -> u64 {
        let pairs = args.iter().zip(&self.funcs[id.index()].params);
        pairs.fold(0, |sum: u64, (&a, p)| {
            let ty = self.val_ty(a);
            let inward = if p.mode == ParamMode::Out { 0 } else { self.conversion_score(ty, p.ty) };
            let outward = if p.mode == ParamMode::In { 0 } else { self.conversion_score(p.ty, ty) };
            sum.saturating_add(inward).saturating_add(outward)
        })
    }
}
