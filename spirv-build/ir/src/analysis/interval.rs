//! A lattice of integers: what a value of some width may be, read without a sign and with one.
//!
//! Both readings are kept, because HLSL compares and shifts either way, and each narrows the other wherever the numbers lie
//! in the half that both read alike. Every operation gives bounds that hold for all operands within the given ones; where
//! arithmetic may wrap around, they are those of the whole type.

/// Inclusive bounds on an integer of `width` bits (1 to 64).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interval {
    /// Bits of the type.
    pub width: u8,
    /// Read without a sign: least and greatest.
    pub unsigned: (u64, u64),
    /// Read with a sign: least and greatest.
    pub signed: (i64, i64),
}

/// How two integers compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// The same bits.
    Equal,
    /// Not the same bits.
    NotEqual,
    /// Less, without signs.
    UnsignedLess,
    /// Less or equal, without signs.
    UnsignedLessEqual,
    /// Less, with signs.
    SignedLess,
    /// Less or equal, with signs.
    SignedLessEqual,
}

fn greatest_unsigned(width: u8) -> u64 {
    u64::MAX >> (64 - u32::from(width.clamp(1, 64)))
}

fn signed_limits(width: u8) -> (i64, i64) {
    let greatest = (greatest_unsigned(width) >> 1) as i64;
    (-greatest - 1, greatest)
}

impl Interval {
    /// Every value of the width.
    pub fn full(width: u8) -> Interval {
        let width = width.clamp(1, 64);
        Interval { width, unsigned: (0, greatest_unsigned(width)), signed: signed_limits(width) }
    }

    /// One value, by its bits.
    pub fn exact(width: u8, bits: u64) -> Interval {
        let bits = bits & greatest_unsigned(width);
        Interval::from_unsigned(width, bits, bits)
    }

    /// All values from `low` to `high`, without signs. Bounds beyond the type say nothing.
    pub fn from_unsigned(width: u8, low: u64, high: u64) -> Interval {
        let mut it = Interval::full(width);
        if low <= high && high <= it.unsigned.1 {
            it.unsigned = (low, high);
        }
        it.narrowed()
    }

    /// All values from `low` to `high`, with signs. Bounds beyond the type say nothing.
    pub fn from_signed(width: u8, low: i64, high: i64) -> Interval {
        let mut it = Interval::full(width);
        if low <= high && low >= it.signed.0 && high <= it.signed.1 {
            it.signed = (low, high);
        }
        it.narrowed()
    }

    /// Lets each reading narrow the other. Bounds that contradict each other belong to code that never runs: they stay.
    fn narrowed(mut self) -> Interval {
        let half = signed_limits(self.width).1 as u64;
        let offset = |n: i64| (n as u64) & greatest_unsigned(self.width);
        if self.unsigned.1 <= half {
            let (low, high) = (self.unsigned.0 as i64, self.unsigned.1 as i64);
            self.signed = (self.signed.0.max(low), self.signed.1.min(high));
        } else if self.unsigned.0 > half {
            let sign = |n: u64| (n | !greatest_unsigned(self.width)) as i64;
            let (low, high) = (sign(self.unsigned.0), sign(self.unsigned.1));
            self.signed = (self.signed.0.max(low), self.signed.1.min(high));
        }
        if self.signed.0 > self.signed.1 {
            self.signed = signed_limits(self.width);
        }
        if self.signed.0 >= 0 || self.signed.1 < 0 {
            let (low, high) = (offset(self.signed.0), offset(self.signed.1));
            let narrow = (self.unsigned.0.max(low), self.unsigned.1.min(high));
            if narrow.0 <= narrow.1 {
                self.unsigned = narrow;
            }
        }
        self
    }

    /// The only value, by its bits.
    pub fn constant(&self) -> Option<u64> {
        (self.unsigned.0 == self.unsigned.1).then_some(self.unsigned.0)
    }

    /// Whether every value that `other` allows is allowed here.
    pub fn contains(&self, other: &Interval) -> bool {
        self.unsigned.0 <= other.unsigned.0
            && self.unsigned.1 >= other.unsigned.1
            && self.signed.0 <= other.signed.0
            && self.signed.1 >= other.signed.1
    }

    /// What either allows.
    pub fn join(&self, other: &Interval) -> Interval {
        Interval {
            width: self.width,
            unsigned: (self.unsigned.0.min(other.unsigned.0), self.unsigned.1.max(other.unsigned.1)),
            signed: (self.signed.0.min(other.signed.0), self.signed.1.max(other.signed.1)),
        }
    }

    /// What both allow; this one alone where nothing is left, since that code never runs.
    pub fn meet(&self, other: &Interval) -> Interval {
        let unsigned = (self.unsigned.0.max(other.unsigned.0), self.unsigned.1.min(other.unsigned.1));
        let signed = (self.signed.0.max(other.signed.0), self.signed.1.min(other.signed.1));
        match unsigned.0 <= unsigned.1 && signed.0 <= signed.1 {
            true => Interval { width: self.width, unsigned, signed }.narrowed(),
            false => *self,
        }
    }

    /// From `self` to a larger `next` on the way to a fixed point: bounds that moved go on to the next of `steps` (sorted
    /// without duplicates), so that few rounds are left.
    pub fn widen(&self, next: &Interval, steps: &[i64]) -> Interval {
        let mut wide = Interval::full(self.width);
        let up = |n: i64| steps.get(steps.partition_point(|s| *s < n)).copied();
        let down = |n: i64| steps.get(steps.partition_point(|s| *s <= n).wrapping_sub(1)).copied();
        let pick = |moved: bool, old: i64, step: Option<i64>, limit: i64| match moved {
            false => old,
            true => step.filter(|s| (wide.signed.0..=wide.signed.1).contains(s)).unwrap_or(limit),
        };
        let signed = (
            pick(next.signed.0 < self.signed.0, self.signed.0, down(next.signed.0), wide.signed.0),
            pick(next.signed.1 > self.signed.1, self.signed.1, up(next.signed.1), wide.signed.1),
        );
        let pick = |moved: bool, old: u64, step: Option<i64>, limit: u64| match moved {
            false => old,
            true => {
                step.and_then(|s| u64::try_from(s).ok()).filter(|s| *s <= wide.unsigned.1).unwrap_or(limit)
            }
        };
        let small = |n: u64| i64::try_from(n).ok();
        let unsigned = (
            pick(
                next.unsigned.0 < self.unsigned.0,
                self.unsigned.0,
                small(next.unsigned.0).and_then(down),
                0,
            ),
            pick(
                next.unsigned.1 > self.unsigned.1,
                self.unsigned.1,
                small(next.unsigned.1).and_then(up),
                wide.unsigned.1,
            ),
        );
        (wide.unsigned, wide.signed) = (unsigned, signed);
        wide
    }

    /// What is left where a comparison with `other` is known to hold.
    pub fn where_it(&self, relation: Relation, other: &Interval) -> Interval {
        let limits = Interval::full(self.width);
        let below = |high: Option<u64>| high.map(|h| Interval::from_unsigned(self.width, 0, h));
        let less = |high: Option<i64>| high.map(|h| Interval::from_signed(self.width, limits.signed.0, h));
        let bound = match relation {
            Relation::Equal => Some(*other),
            Relation::UnsignedLess => below(other.unsigned.1.checked_sub(1)),
            Relation::UnsignedLessEqual => below(Some(other.unsigned.1)),
            Relation::SignedLess => less(other.signed.1.checked_sub(1)),
            Relation::SignedLessEqual => less(Some(other.signed.1)),
            Relation::NotEqual => return self.without(other.constant()),
        };
        bound.map_or(*self, |b| self.meet(&b))
    }

    /// What is left where `other` compares with this one in the given way.
    pub fn where_other(&self, other: &Interval, relation: Relation) -> Interval {
        let limits = Interval::full(self.width);
        let above = |low: Option<u64>| {
            low.filter(|l| *l <= limits.unsigned.1)
                .map(|l| Interval::from_unsigned(self.width, l, limits.unsigned.1))
        };
        let more = |low: Option<i64>| {
            low.filter(|l| *l <= limits.signed.1)
                .map(|l| Interval::from_signed(self.width, l, limits.signed.1))
        };
        let bound = match relation {
            Relation::Equal | Relation::NotEqual => return self.where_it(relation, other),
            Relation::UnsignedLess => above(other.unsigned.0.checked_add(1)),
            Relation::UnsignedLessEqual => above(Some(other.unsigned.0)),
            Relation::SignedLess => more(other.signed.0.checked_add(1)),
            Relation::SignedLessEqual => more(Some(other.signed.0)),
        };
        bound.map_or(*self, |b| self.meet(&b))
    }

    /// Without one value, where that is a bound.
    fn without(mut self, bits: Option<u64>) -> Interval {
        let Some(bits) = bits.filter(|_| self.unsigned.0 < self.unsigned.1) else { return self };
        if self.unsigned.0 == bits {
            self.unsigned.0 += 1;
        } else if self.unsigned.1 == bits {
            self.unsigned.1 -= 1;
        }
        self.narrowed()
    }

    /// Bounds by an operation on bounds that wraps nowhere, from its extreme results in both readings.
    fn from_corners(width: u8, unsigned: [i128; 2], signed: [i128; 2]) -> Interval {
        let mut it = Interval::full(width);
        let fits = |n: i128| (0..=i128::from(it.unsigned.1)).contains(&n);
        if unsigned[0] <= unsigned[1] && fits(unsigned[0]) && fits(unsigned[1]) {
            it.unsigned = (unsigned[0] as u64, unsigned[1] as u64);
        }
        let fits = |n: i128| (i128::from(it.signed.0)..=i128::from(it.signed.1)).contains(&n);
        if signed[0] <= signed[1] && fits(signed[0]) && fits(signed[1]) {
            it.signed = (signed[0] as i64, signed[1] as i64);
        }
        it.narrowed()
    }

    fn wide(&self) -> ([i128; 2], [i128; 2]) {
        (
            [i128::from(self.unsigned.0), i128::from(self.unsigned.1)],
            [i128::from(self.signed.0), i128::from(self.signed.1)],
        )
    }

    /// `self + other`.
    pub fn add(&self, other: &Interval) -> Interval {
        let ((ua, sa), (ub, sb)) = (self.wide(), other.wide());
        Interval::from_corners(self.width, [ua[0] + ub[0], ua[1] + ub[1]], [sa[0] + sb[0], sa[1] + sb[1]])
    }

    /// `self - other`.
    pub fn sub(&self, other: &Interval) -> Interval {
        let ((ua, sa), (ub, sb)) = (self.wide(), other.wide());
        Interval::from_corners(self.width, [ua[0] - ub[1], ua[1] - ub[0]], [sa[0] - sb[1], sa[1] - sb[0]])
    }

    /// `self * other`.
    pub fn mul(&self, other: &Interval) -> Interval {
        let ((ua, sa), (ub, sb)) = (self.wide(), other.wide());
        let products = [sa[0] * sb[0], sa[0] * sb[1], sa[1] * sb[0], sa[1] * sb[1]];
        let (mut low, mut high) = (products[0], products[0]);
        for p in products {
            (low, high) = (low.min(p), high.max(p));
        }
        // The greatest product of 64 bits without signs is beyond what i128 holds: such numbers may wrap anyway.
        let most = ua[1].checked_mul(ub[1]).unwrap_or(i128::MAX);
        Interval::from_corners(self.width, [ua[0].saturating_mul(ub[0]), most], [low, high])
    }

    /// `self / other` without signs; nothing is known of a division by zero.
    pub fn udiv(&self, other: &Interval) -> Interval {
        match (self.unsigned.0.checked_div(other.unsigned.1), self.unsigned.1.checked_div(other.unsigned.0)) {
            (Some(low), Some(high)) => Interval::from_unsigned(self.width, low, high),
            _ => Interval::full(self.width),
        }
    }

    /// `self % other` without signs; nothing is known of a division by zero.
    pub fn umod(&self, other: &Interval) -> Interval {
        match other.unsigned.0 {
            0 => Interval::full(self.width),
            least if self.unsigned.1 < least => *self,
            _ => Interval::from_unsigned(self.width, 0, self.unsigned.1.min(other.unsigned.1 - 1)),
        }
    }

    /// `self / other` with signs, where neither is negative.
    pub fn sdiv(&self, other: &Interval) -> Interval {
        match self.signed.0 >= 0 && other.signed.0 > 0 {
            true => Interval::from_signed(
                self.width,
                self.signed.0 / other.signed.1,
                self.signed.1 / other.signed.0,
            ),
            false => Interval::full(self.width),
        }
    }

    /// The remainder with the sign of `self`, of a division by what is not zero.
    pub fn srem(&self, other: &Interval) -> Interval {
        if other.signed.0 <= 0 {
            return Interval::full(self.width);
        }
        let most = other.signed.1 - 1;
        let low = if self.signed.0 >= 0 { 0 } else { self.signed.0.max(-most) };
        let high = if self.signed.1 <= 0 { 0 } else { self.signed.1.min(most) };
        Interval::from_signed(self.width, low, high)
    }

    /// `self & other`.
    pub fn and(&self, other: &Interval) -> Interval {
        Interval::from_unsigned(self.width, 0, self.unsigned.1.min(other.unsigned.1))
    }

    /// `self | other`.
    pub fn or(&self, other: &Interval) -> Interval {
        let low = self.unsigned.0.max(other.unsigned.0);
        Interval::from_unsigned(self.width, low, all_ones(self.unsigned.1 | other.unsigned.1))
    }

    /// `self ^ other`.
    pub fn xor(&self, other: &Interval) -> Interval {
        Interval::from_unsigned(self.width, 0, all_ones(self.unsigned.1 | other.unsigned.1))
    }

    /// `self << other`.
    pub fn shl(&self, other: &Interval) -> Interval {
        match other.unsigned.1 < u64::from(self.width) {
            true => {
                let factor = |n: u64| Interval { width: self.width, ..Interval::exact(64, 1 << n) };
                let (low, high) = (factor(other.unsigned.0), factor(other.unsigned.1));
                self.mul(&low.join(&high))
            }
            false => Interval::full(self.width),
        }
    }

    /// `self >> other`, zeros coming in. A shift by the width or more is not known.
    pub fn shr(&self, other: &Interval) -> Interval {
        match other.unsigned.1 < u64::from(self.width) {
            true => Interval::from_unsigned(
                self.width,
                self.unsigned.0 >> other.unsigned.1,
                self.unsigned.1 >> other.unsigned.0,
            ),
            // Devices take the lowest bits of the amount: the result is no larger than what is shifted.
            false => Interval::from_unsigned(self.width, 0, self.unsigned.1),
        }
    }

    /// `self >> other`, the sign coming in.
    pub fn sar(&self, other: &Interval) -> Interval {
        if other.unsigned.1 >= u64::from(self.width) {
            return if self.signed.0 >= 0 { self.shr(other) } else { Interval::full(self.width) };
        }
        let (a, b) = (other.unsigned.0, other.unsigned.1);
        let low = (self.signed.0 >> a).min(self.signed.0 >> b);
        let high = (self.signed.1 >> a).max(self.signed.1 >> b);
        Interval::from_signed(self.width, low, high)
    }

    /// The lesser of two, without signs.
    pub fn umin(&self, other: &Interval) -> Interval {
        let (a, b) = (self.unsigned, other.unsigned);
        Interval::from_unsigned(self.width, a.0.min(b.0), a.1.min(b.1))
    }

    /// The greater of two, without signs.
    pub fn umax(&self, other: &Interval) -> Interval {
        let (a, b) = (self.unsigned, other.unsigned);
        Interval::from_unsigned(self.width, a.0.max(b.0), a.1.max(b.1))
    }

    /// The lesser of two, with signs.
    pub fn smin(&self, other: &Interval) -> Interval {
        let (a, b) = (self.signed, other.signed);
        Interval::from_signed(self.width, a.0.min(b.0), a.1.min(b.1))
    }

    /// The greater of two, with signs.
    pub fn smax(&self, other: &Interval) -> Interval {
        let (a, b) = (self.signed, other.signed);
        Interval::from_signed(self.width, a.0.max(b.0), a.1.max(b.1))
    }

    /// The same number in another width, filled up with zeros.
    pub fn zero_extended(&self, width: u8) -> Interval {
        Interval::from_unsigned(width, self.unsigned.0, self.unsigned.1)
    }

    /// The same number in another width, filled up with the sign.
    pub fn sign_extended(&self, width: u8) -> Interval {
        Interval::from_signed(width, self.signed.0, self.signed.1)
    }
}

/// All bits up to the highest that is set.
fn all_ones(n: u64) -> u64 {
    n.checked_ilog2().map_or(0, |bit| u64::MAX >> (63 - bit))
}

#[cfg(test)]
mod tests;
