//! Which function of an overload set a call means, by dxc's rules.
//!
//! Each argument gets a score, the sum decides, and equal sums are ambiguous. A literal costs nothing for any type of its kind,
//! so that `f(1)` does not choose between `int` and `uint`.
use super::call::Costs;
use super::*;

/// What a conversion of an argument may be, from harmless to bad: so many bits apart that a worse one outweighs all others.
const STEP: u32 = 7;
const FEWER: u32 = 0;
const TO_PROMOTED: u32 = 1;
const PROMOTED: u32 = 2;
const TO_INT: u32 = 3;
const INT: u32 = 4;
const TO_OTHER: u32 = 5;
const OTHER: u32 = 6;
const MORE: u32 = 7;

impl Sema<'_> {
    /// The function that the arguments fit best, if there is only one. The first `plain` are no instances of templates.
    pub(super) fn best(
        &self,
        fits: &[(FunctionId, Costs)],
        plain: usize,
        args: &[Val],
    ) -> Option<FunctionId> {
        if let [(only, _)] = fits {
            return Some(*only);
        }
        if let Some((f, _)) = fits.first()
            && self.is_of_library(*f)
        {
            return self.best_by_cost(fits);
        }
        // One that writes to what is no variable is meant only where all do.
        let score = |f: FunctionId| (self.writes_to_value(f, args), self.score(f, args));
        let scores: Vec<(bool, u64)> = fits.iter().map(|(f, _)| score(*f)).collect();
        let least = *scores.iter().min()?;
        let tied: Vec<usize> = (0..fits.len()).filter(|&i| scores[i] == least).collect();
        let one = |list: &[usize]| if let [i] = *list { Some(fits[i].0) } else { None };
        // What is no template wins.
        one(&tied).or_else(|| one(tied.split_at(tied.partition_point(|&i| i < plain)).0))
    }

    /// Whether a function takes arguments as they are: no other is better.
    pub(super) fn is_perfect(&self, f: FunctionId, args: &[Val]) -> bool {
        !self.writes_to_value(f, args) && self.score(f, args) == 0
    }

    /// In the library of intrinsics literals choose, as dxc's intrinsics let them: the function that is at least as good in
    /// every argument; else the first of those with the least sum.
    fn best_by_cost(&self, fits: &[(FunctionId, Costs)]) -> Option<FunctionId> {
        let better = |a: &[u32], b: &[u32]| a.iter().zip(b).all(|(x, y)| x <= y) && a != b;
        if let Some((f, _)) = fits.iter().find(|(f, c)| fits.iter().all(|(g, d)| f == g || better(c, d))) {
            return Some(*f);
        }
        let sum = |c: &[u32]| c.iter().map(|&x| u64::from(x)).sum::<u64>();
        fits.iter().min_by_key(|(_, c)| sum(c)).map(|(f, _)| *f)
    }

    pub(super) fn is_of_library(&self, f: FunctionId) -> bool {
        let Some((Entity::Namespace(library), _)) =
            self.scopes.get(self.root_scope(), words::LIBRARY_NAMESPACE)
        else {
            return false;
        };
        let mut scope = Some(self.funcs[f.index()].scope);
        while let Some(s) = scope {
            if s == library {
                return true;
            }
            scope = self.scopes.parent(s);
        }
        false
    }

    /// Whether an argument that the function writes to is no variable.
    fn writes_to_value(&self, f: FunctionId, args: &[Val]) -> bool {
        let mut pairs = args.iter().zip(&self.funcs[f.index()].params);
        pairs.any(|(a, p)| p.mode != ParamMode::In && matches!(a, Val::Value(_)))
    }

    fn score(&self, f: FunctionId, args: &[Val]) -> u64 {
        let one = |(&a, p): (&Val, &ParamInfo)| {
            let ty = self.val_ty(a);
            let inward = if p.mode == ParamMode::Out { 0 } else { self.score_of(ty, p.ty) };
            let outward = if p.mode == ParamMode::In { 0 } else { self.score_of(p.ty, ty) };
            inward.saturating_add(outward)
        };
        args.iter().zip(&self.funcs[f.index()].params).map(one).fold(0, u64::saturating_add)
    }

    fn score_of(&self, from: TypeId, to: TypeId) -> u64 {
        if from == to || self.is_error(from) {
            return 0;
        }
        let bit = |at: u32| 1u64 << (at * STEP);
        if let (Type::Struct(a), Type::Struct(b)) = (self.types.get(from), self.types.get(to)) {
            return bit(TO_OTHER) * self.base_distance(a, b).map_or(64, u64::from);
        }
        let (Some(a), Some(b)) = (self.component_of(from), self.component_of(to)) else {
            return bit(TO_OTHER);
        };
        let both = combined(a, b);
        let (n, m) = (self.elements(from), self.elements(to));
        let kinds = [
            (n < m).then_some(FEWER),
            conversion(b, both).map(|k| [TO_PROMOTED, TO_INT, TO_OTHER][k as usize]),
            conversion(both, a).map(|k| [PROMOTED, INT, OTHER][k as usize]),
            (n > m).then_some(MORE),
        ];
        kinds.into_iter().flatten().map(bit).sum()
    }

    /// The scalar of a number, or of an array of numbers. An enumeration is as far from all others as `bool`.
    pub(super) fn component_of(&self, ty: TypeId) -> Option<Scalar> {
        match self.types.get(ty) {
            Type::Array(e, _) => self.component_of(e),
            Type::Enum(_) => Some(Scalar::Bool),
            _ => self.types.component(ty),
        }
    }

    pub(super) fn elements(&self, ty: TypeId) -> u64 {
        match self.types.get(ty) {
            Type::Array(e, n) => u64::from(n).saturating_mul(self.elements(e)),
            _ => u64::from(self.types.component_count(ty).unwrap_or(1)),
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

/// How a scalar differs from another: 0 it is a wider one of its kind, 1 an integer of other sign, 2 something else.
fn conversion(wide: Scalar, narrow: Scalar) -> Option<u32> {
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
        return Some(0);
    }
    if !plain(wide) || !plain(narrow) || wide.is_float() != narrow.is_float() {
        return Some(2);
    }
    // A literal is any number of its kind.
    if literal(wide) || literal(narrow) {
        return None;
    }
    if wide.is_int() && wide.bits() == narrow.bits() { Some(1) } else { Some(2) }
}
