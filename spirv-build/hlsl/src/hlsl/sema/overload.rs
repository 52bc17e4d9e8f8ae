//! Which function of an overload set a call means, by dxc's rules.
//!
//! What all arguments lose is counted by kind ([`Rank`]), the worst kind decides, and equal ranks are ambiguous. A literal loses
//! nothing as any type of its kind, so that `f(1)` does not choose between `int` and `uint`.
use super::scope::Entity;
use super::{Sema, Val};
use crate::hlsl::hir::{FunctionId, ParamMode, Scalar, Type, TypeId};
use crate::hlsl::words;
use std::cmp::Ordering;

/// What structures lose that are no base of each other.
const UNRELATED: u32 = 64;

/// What an argument loses, the worst first: it outweighs any number of those behind it.
#[derive(Clone, Copy)]
enum Loss {
    /// There are more elements than the parameter has.
    Elements,
    /// On the way from what both become together to the parameter, or from the argument there; each way by [`Distance`].
    FromOther,
    ToOther,
    FromInteger,
    ToInteger,
    FromPromoted,
    ToPromoted,
    /// There are fewer elements.
    Extension,
}

/// How scalars differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Distance {
    /// One is a wider one of its kind.
    Promoted,
    /// Integers of different sign.
    Integer,
    /// Anything else.
    Other,
}

/// How often arguments lose what: the greater, the worse they fit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub(super) struct Rank {
    /// An argument that is written to is no variable.
    writes_to_value: bool,
    losses: [u32; 8],
}

impl Rank {
    fn add(&mut self, loss: Loss, times: u32) {
        self.losses[loss as usize] = self.losses[loss as usize].saturating_add(times);
    }
}

impl Sema<'_> {
    /// The function that the arguments fit best, if there is only one. The first `plain` are no instances of templates. In the
    /// library of intrinsics literals choose nothing either: its first function is meant.
    pub(super) fn best(&self, fits: &[FunctionId], plain: usize, args: &[Val]) -> Option<FunctionId> {
        if let [only] = fits {
            return Some(*only);
        }
        let ranks: Vec<Rank> = fits.iter().map(|f| self.rank(*f, args)).collect();
        let least = *ranks.iter().min()?;
        let tied: Vec<usize> = (0..fits.len()).filter(|&i| ranks[i] == least).collect();
        let one = |list: &[usize]| if let [i] = *list { Some(fits[i]) } else { None };
        // What is no template wins.
        one(&tied).or_else(|| one(tied.split_at(tied.partition_point(|&i| i < plain)).0)).or_else(|| {
            let first = fits[*tied.first()?];
            self.is_of_library(first).then_some(first)
        })
    }

    /// Whether a function takes arguments as they are: no other is better.
    pub(super) fn is_perfect(&self, f: FunctionId, args: &[Val]) -> bool {
        self.rank(f, args) == Rank::default()
    }

    pub(super) fn is_of_library(&self, f: FunctionId) -> bool {
        let Some((Entity::Namespace(library), _)) =
            self.scopes.get(self.root_scope(), words::LIBRARY_NAMESPACE)
        else {
            return false;
        };
        self.scopes.outwards(self.funcs[f.index()].scope).any(|s| s == library)
    }

    fn rank(&self, f: FunctionId, args: &[Val]) -> Rank {
        let mut rank = Rank::default();
        for (&a, p) in args.iter().zip(&self.funcs[f.index()].params) {
            rank.writes_to_value |= p.mode != ParamMode::In && matches!(a, Val::Value(_));
            let ty = self.val_ty(a);
            if p.mode != ParamMode::Out {
                self.add_losses(ty, p.ty, &mut rank);
            }
            if p.mode != ParamMode::In {
                self.add_losses(p.ty, ty, &mut rank);
            }
        }
        rank
    }

    fn add_losses(&self, from: TypeId, to: TypeId, rank: &mut Rank) {
        if from == to || self.is_error(from) {
            return;
        }
        if let (Type::Struct(a), Type::Struct(b)) = (self.types.get(from), self.types.get(to)) {
            return rank.add(Loss::ToOther, self.types.base_distance(a, b).unwrap_or(UNRELATED));
        }
        let (Some(a), Some(b)) = (self.types.component_of(from), self.types.component_of(to)) else {
            return rank.add(Loss::ToOther, 1);
        };
        let both = combined(a, b);
        match distance(b, both) {
            None => {}
            Some(Distance::Promoted) => rank.add(Loss::ToPromoted, 1),
            Some(Distance::Integer) => rank.add(Loss::ToInteger, 1),
            Some(Distance::Other) => rank.add(Loss::ToOther, 1),
        }
        match distance(both, a) {
            None => {}
            Some(Distance::Promoted) => rank.add(Loss::FromPromoted, 1),
            Some(Distance::Integer) => rank.add(Loss::FromInteger, 1),
            Some(Distance::Other) => rank.add(Loss::FromOther, 1),
        }
        match self.types.elements(from).cmp(&self.types.elements(to)) {
            Ordering::Less => rank.add(Loss::Extension, 1),
            Ordering::Equal => {}
            Ordering::Greater => rank.add(Loss::Elements, 1),
        }
    }
}

/// What two scalars become together: of floating-point numbers and of integers the wider one, unsigned if either is.
pub(super) fn combined(a: Scalar, b: Scalar) -> Scalar {
    use Scalar::*;
    let literal = Scalar::is_literal;
    // Those that take the precision of the other.
    let open = |s| literal(s) || s == Bool;
    if a == b {
        return a;
    }
    if literal(a) && literal(b) {
        return LitFloat;
    }
    // Of these only its like and what has no precision of its own leave a `half`.
    let half = |a, b| a == Half && open(b);
    if half(a, b) || half(b, a) {
        return Half;
    }
    if a.is_float() != b.is_float() {
        let float = if a.is_float() { a } else { b };
        return if matches!(float, LitFloat | Half) { F32 } else { float };
    }
    let bits = |s: Scalar| if open(s) { 0 } else { s.least_bits().unwrap_or(s.bits()) };
    let wide = match bits(a).max(bits(b)) {
        0 => 32,
        n => n,
    };
    let least = |s: Scalar| s.least_bits().is_some();
    let relaxed = (least(a) || open(a)) && (least(b) || open(b)) && !(open(a) && open(b));
    let native = |s: Scalar| least(s) && !s.is_relaxed();
    let native = native(a) || native(b);
    if a.is_float() {
        return match (wide, relaxed) {
            (10, _) if native => NativeMin10Float,
            (10, _) => Min10Float,
            (16, true) if native => NativeMin16Float,
            (16, true) => MinF16,
            (16, false) => F16,
            (64, _) => F64,
            _ => F32,
        };
    }
    let unsigned = a.is_unsigned_int() || b.is_unsigned_int();
    match (wide, relaxed, unsigned) {
        (12, _, _) if native => NativeMin12Int,
        (12, _, _) => Min12Int,
        (16, true, true) if native => NativeMin16Uint,
        (16, true, false) if native => NativeMin16Int,
        (16, true, true) => MinU16,
        (16, true, false) => MinI16,
        (16, false, true) => U16,
        (16, false, false) => I16,
        (64, _, true) => U64,
        (64, _, false) => I64,
        (_, _, true) => U32,
        _ => I32,
    }
}

/// How a scalar differs from another.
fn distance(wide: Scalar, narrow: Scalar) -> Option<Distance> {
    use Scalar::*;
    if wide == narrow {
        return None;
    }
    let packed = |s| matches!(s, PackedS8 | PackedU8);
    let plain = |s: Scalar| s.least_bits().is_none() && !packed(s) && s != Bool;
    let literal = Scalar::is_literal;
    let promotes = match narrow {
        Min10Float | NativeMin10Float => {
            matches!(wide, MinF16 | NativeMin16Float | F16 | F32 | Half | F64)
        }
        MinF16 | NativeMin16Float => matches!(wide, F16 | F32 | Half | F64),
        F16 => matches!(wide, F32 | Half | F64),
        Half => matches!(wide, F32 | F64),
        F32 => wide == F64,
        Min12Int | NativeMin12Int => matches!(wide, MinI16 | NativeMin16Int | I32 | I64),
        MinI16 | NativeMin16Int => matches!(wide, I32 | I64),
        MinU16 | NativeMin16Uint => matches!(wide, U32 | U64),
        I16 | U16 => matches!(wide, I32 | U32 | I64 | U64),
        I32 | U32 => matches!(wide, I64 | U64),
        _ => false,
    };
    if promotes {
        return Some(Distance::Promoted);
    }
    if !plain(wide) || !plain(narrow) || wide.is_float() != narrow.is_float() {
        return Some(Distance::Other);
    }
    // A literal is any number of its kind.
    if literal(wide) || literal(narrow) {
        return None;
    }
    let integers = wide.is_int() && wide.bits() == narrow.bits();
    Some(if integers { Distance::Integer } else { Distance::Other })
}
