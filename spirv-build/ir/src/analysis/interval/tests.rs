//! Every operation against what it does to all pairs of values, in a width where all can be tried.

use super::*;

const WIDTH: u8 = 4;

fn sign(bits: u64) -> i64 {
    ((bits << 60) as i64) >> 60
}

/// The values that an interval allows, as bits.
#[derive(Clone, Copy)]
struct Set(u16);

impl Set {
    fn of(i: &Interval) -> Set {
        let both = |n: &u64| {
            (i.unsigned.0..=i.unsigned.1).contains(n) && (i.signed.0..=i.signed.1).contains(&sign(*n))
        };
        Set((0..1 << WIDTH).filter(both).fold(0, |set, n| set | 1 << n))
    }

    fn contains(self, n: u64) -> bool {
        self.0 >> n & 1 != 0
    }

    fn values(self) -> impl Iterator<Item = u64> {
        (0..1 << WIDTH).filter(move |n| self.contains(*n))
    }
}

/// Some of every kind: single values, ranges without and with signs, everything.
fn intervals() -> Vec<Interval> {
    let mut all = vec![Interval::full(WIDTH)];
    for low in 0..16u64 {
        for high in low..16 {
            all.push(Interval::from_unsigned(WIDTH, low, high));
            all.push(Interval::from_signed(WIDTH, low as i64 - 8, high as i64 - 8));
        }
    }
    all
}

type Compare = fn(u64, u64) -> bool;
type Operation = fn(&Interval, &Interval) -> Interval;
/// None: SPIR-V leaves the result open.
type Concrete = fn(u64, u64) -> Option<i64>;

#[test]
fn operations_hold_for_all_values() {
    let operations: &[(&str, Operation, Concrete)] = &[
        ("add", Interval::add, |a, b| Some((a + b) as i64)),
        ("sub", Interval::sub, |a, b| Some(a as i64 - b as i64)),
        ("mul", Interval::mul, |a, b| Some((a * b) as i64)),
        ("udiv", Interval::udiv, |a, b| a.checked_div(b).map(|n| n as i64)),
        ("umod", Interval::umod, |a, b| a.checked_rem(b).map(|n| n as i64)),
        ("sdiv", Interval::sdiv, |a, b| sign(a).checked_div(sign(b))),
        ("srem", Interval::srem, |a, b| sign(a).checked_rem(sign(b))),
        ("and", Interval::and, |a, b| Some((a & b) as i64)),
        ("or", Interval::or, |a, b| Some((a | b) as i64)),
        ("xor", Interval::xor, |a, b| Some((a ^ b) as i64)),
        ("shl", Interval::shl, |a, b| (b < 4).then(|| (a << b) as i64)),
        ("shr", Interval::shr, |a, b| Some((a >> (b & 3)) as i64)),
        ("sar", Interval::sar, |a, b| Some(sign(a) >> (b & 3))),
        ("umin", Interval::umin, |a, b| Some(a.min(b) as i64)),
        ("umax", Interval::umax, |a, b| Some(a.max(b) as i64)),
        ("smin", Interval::smin, |a, b| Some(sign(a).min(sign(b)))),
        ("smax", Interval::smax, |a, b| Some(sign(a).max(sign(b)))),
        ("join", Interval::join, |a, _| Some(a as i64)),
    ];
    let all: Vec<(Interval, Set)> = intervals().into_iter().map(|i| (i, Set::of(&i))).collect();
    for (name, abstract_one, concrete) in operations {
        for (a, xs) in &all {
            for (b, ys) in &all {
                let result = Set::of(&abstract_one(a, b));
                for x in xs.values() {
                    for y in ys.values() {
                        let Some(n) = concrete(x, y) else { continue };
                        let n = n as u64 & 15;
                        assert!(result.contains(n), "{name}: {x} and {y} give {n}, from {a:?} and {b:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn comparisons_keep_what_satisfies_them() {
    let relations: &[(Relation, Compare)] = &[
        (Relation::Equal, |a, b| a == b),
        (Relation::NotEqual, |a, b| a != b),
        (Relation::UnsignedLess, |a, b| a < b),
        (Relation::UnsignedLessEqual, |a, b| a <= b),
        (Relation::SignedLess, |a, b| sign(a) < sign(b)),
        (Relation::SignedLessEqual, |a, b| sign(a) <= sign(b)),
    ];
    let all: Vec<(Interval, Set)> = intervals().into_iter().map(|i| (i, Set::of(&i))).collect();
    for (relation, holds) in relations {
        for (a, xs) in &all {
            for (b, ys) in &all {
                let (left, right) =
                    (Set::of(&a.where_it(*relation, b)), Set::of(&b.where_other(a, *relation)));
                for x in xs.values() {
                    for y in ys.values().filter(|y| holds(x, *y)) {
                        assert!(left.contains(x) && right.contains(y), "{relation:?} {x} {y}");
                    }
                }
            }
        }
    }
}

#[test]
fn bounds_are_as_tight_as_they_look() {
    let index = Interval::from_unsigned(32, 0, 127);
    let stride = Interval::from_unsigned(32, 1, 128);
    assert_eq!(index.add(&stride).unsigned, (1, 255));
    assert_eq!(Interval::full(32).and(&Interval::exact(32, 15)).unsigned, (0, 15));
    assert_eq!(Interval::full(32).umod(&Interval::exact(32, 10)).unsigned, (0, 9));
    assert_eq!(Interval::full(32).shr(&Interval::exact(32, 2)).unsigned, (0, (1 << 30) - 1));
    assert_eq!(index.mul(&Interval::exact(32, 1 << 30)), Interval::full(32));
    let nonnegative = Interval::from_signed(32, 0, i64::from(i32::MAX));
    assert_eq!(nonnegative.where_it(Relation::SignedLess, &Interval::exact(32, 16)).unsigned, (0, 15));
}

#[test]
fn widening_covers_and_ends() {
    let steps = [-1, 0, 15, 16, 100];
    let mut now = Interval::exact(32, 0);
    for round in 0.. {
        let next = now.join(&now.add(&Interval::exact(32, 1)));
        if now.contains(&next) {
            break;
        }
        now = now.widen(&next, &steps);
        assert!(now.contains(&next));
        assert!(round < 8, "no end");
    }
    assert!(Interval::exact(32, 0).widen(&Interval::from_unsigned(32, 0, 1), &steps).unsigned == (0, 15));
}
