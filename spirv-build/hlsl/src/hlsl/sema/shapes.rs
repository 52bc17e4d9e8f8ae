//! What types are made of, and how two of them compare: questions that the types alone answer.
use crate::hlsl::hir::{Field, Scalar, StructId, Type, TypeId, Types};

/// What a conversion changes, from nothing to most.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Change {
    /// The type is the same.
    Nothing,
    /// The type of components, or a structure becomes its base: there are as many, in the same shape.
    Components,
    /// A number becomes all components; structures and arrays are taken apart and put together.
    Extent,
    /// Components are lost, or come to stand elsewhere.
    Shape,
}

/// Changes between scalars that are looked at when aggregates are compared.
const MAX_RUNS: u64 = 4096;

impl Types {
    pub(super) fn innermost(&self, ty: TypeId) -> TypeId {
        match self.get(ty) {
            Type::Array(e, _) | Type::UnsizedArray(e) => self.innermost(e),
            _ => ty,
        }
    }

    /// Whether two types are equal but for the names of structures and their members.
    pub(super) fn same_parts(&self, a: TypeId, b: TypeId) -> bool {
        match (self.get(a), self.get(b)) {
            _ if a == b => true,
            (Type::Array(x, n), Type::Array(y, m)) => n == m && self.same_parts(x, y),
            (Type::Struct(s), Type::Struct(t)) => {
                let (s, t) = (&self.structure(s).fields, &self.structure(t).fields);
                let bits = |f: &Field| f.bits.iter().map(|b| b.range).collect::<Vec<_>>();
                s.len() == t.len()
                    && s.iter().zip(t).all(|(f, g)| bits(f) == bits(g) && self.same_parts(f.ty, g.ty))
            }
            _ => false,
        }
    }

    /// Whether two aggregates are the same scalars in the same order.
    pub(super) fn same_leaves(&self, a: TypeId, b: TypeId) -> bool {
        let runs = |ty| {
            let mut runs = Vec::new();
            self.runs(ty, &mut runs).then_some(runs)
        };
        self.same_parts(a, b) || runs(a).is_some_and(|r| runs(b) == Some(r))
    }

    /// The scalars of a type as (which, how many in a row); false if something in it is none, or there are too many runs.
    fn runs(&self, ty: TypeId, out: &mut Vec<(Scalar, u64)>) -> bool {
        match self.get(ty) {
            Type::Array(e, n) => {
                let mut one = Vec::new();
                if !self.runs(e, &mut one) {
                    return false;
                }
                if let &[(s, len)] = one.as_slice() {
                    append_run(out, s, len * u64::from(n));
                    return true;
                }
                if one.len() as u64 * u64::from(n) > MAX_RUNS {
                    return false;
                }
                (0..n).for_each(|_| one.iter().for_each(|&(s, len)| append_run(out, s, len)));
                true
            }
            Type::Struct(s) => self.structure(s).fields.iter().all(|f| self.runs(f.ty, out)),
            Type::Scalar(_) | Type::Vector(..) | Type::Matrix(..) => {
                let (s, n) = (self.component(ty), self.component_count(ty));
                if let (Some(s), Some(n)) = (s, n) {
                    append_run(out, s, u64::from(n));
                }
                out.len() as u64 <= MAX_RUNS
            }
            _ => false,
        }
    }

    /// Steps from a structure up to a base.
    pub(super) fn base_distance(&self, from: StructId, to: StructId) -> Option<u32> {
        let mut at = from;
        let mut steps = 0;
        while at != to {
            at = self.structure(at).base?;
            steps += 1;
        }
        Some(steps)
    }

    /// As `Sema::change`, between numbers, vectors and matrices.
    pub(super) fn shape_change(&self, from: TypeId, to: TypeId) -> Option<Change> {
        let same = |fits: bool| if fits { Change::Components } else { Change::Shape };
        Some(match (self.get(from), self.get(to)) {
            (Type::Scalar(_) | Type::Enum(_), Type::Scalar(_)) => Change::Components,
            (Type::Scalar(_) | Type::Enum(_), Type::Vector(..) | Type::Matrix(..)) => Change::Extent,
            (Type::Vector(_, a), Type::Vector(_, b)) if a >= b => same(a == b),
            (Type::Vector(..) | Type::Matrix(..), Type::Scalar(_)) => Change::Shape,
            (Type::Matrix(_, r, c), Type::Matrix(_, s, d)) if r >= s && c >= d => same((r, c) == (s, d)),
            (Type::Matrix(_, 1, 1), Type::Vector(..) | Type::Matrix(..)) => Change::Shape,
            (Type::Vector(_, n), Type::Matrix(_, r, c))
                if n == r * c || ((r == 1 || c == 1) && n > r * c) =>
            {
                Change::Shape
            }
            (Type::Matrix(_, r, c), Type::Vector(_, n))
                if n == r * c || ((r == 1 || c == 1) && n < r * c) =>
            {
                Change::Shape
            }
            _ => return None,
        })
    }

    /// The scalar of a number, or of an array of numbers. An enumeration is as far from all others as `bool`.
    pub(super) fn component_of(&self, ty: TypeId) -> Option<Scalar> {
        match self.get(ty) {
            Type::Array(e, _) => self.component_of(e),
            Type::Enum(_) => Some(Scalar::Bool),
            _ => self.component(ty),
        }
    }

    pub(super) fn elements(&self, ty: TypeId) -> u64 {
        match self.get(ty) {
            Type::Array(e, n) => u64::from(n).saturating_mul(self.elements(e)),
            _ => u64::from(self.component_count(ty).unwrap_or(1)),
        }
    }
}

fn append_run(runs: &mut Vec<(Scalar, u64)>, s: Scalar, n: u64) {
    match runs.last_mut() {
        Some(last) if last.0 == s => last.1 += n,
        _ => runs.push((s, n)),
    }
}
