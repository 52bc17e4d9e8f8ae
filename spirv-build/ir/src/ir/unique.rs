//! Values that are there once, numbered as they came.

use rustc_hash::FxBuildHasher;
use std::hash::{BuildHasher, Hash};
use std::ops::Index;

/// A place in which values are looked for: the hash, and the number plus one; zero where none is.
type Place = (u32, u32);

/// Owns values of which no two are equal. What compares values is the only part that depends on their type, so that it compiles fast.
#[derive(Debug, Clone)]
pub struct Unique<T> {
    items: Vec<T>,
    places: Vec<Place>,
}

impl<T> Default for Unique<T> {
    fn default() -> Self {
        Unique { items: Vec::new(), places: Vec::new() }
    }
}

/// Those with the same values under the same numbers are equal.
impl<T: PartialEq> PartialEq for Unique<T> {
    fn eq(&self, other: &Unique<T>) -> bool {
        self.items == other.items
    }
}

impl<T: Hash + Eq> Unique<T> {
    /// The number of a value, which is added if it is new.
    pub fn insert(&mut self, value: T) -> usize {
        if 2 * (self.items.len() + 1) > self.places.len() {
            grow(&mut self.places);
        }
        let hash = hash_of(&value);
        let free = match self.find(hash, &value) {
            Ok(number) => return number,
            Err(free) => free,
        };
        self.items.push(value);
        self.places[free] = (hash, self.items.len() as u32);
        self.items.len() - 1
    }

    /// The number of a value.
    pub fn number_of(&self, value: &T) -> Option<usize> {
        self.find(hash_of(value), value).ok()
    }

    /// The number of a value, or else the free place for it, if there is any. At most half of the places are taken.
    fn find(&self, hash: u32, value: &T) -> Result<usize, usize> {
        if self.places.is_empty() {
            return Err(0);
        }
        let mut at = first(hash, self.places.len());
        loop {
            let (other, number) = self.places[at];
            match (number as usize).checked_sub(1) {
                None => return Err(at),
                Some(number) if other == hash && self.items[number] == *value => return Ok(number),
                _ => at = (at + 1) & (self.places.len() - 1),
            }
        }
    }
}

impl<T> Unique<T> {
    /// The value with a number.
    pub fn get(&self, number: usize) -> Option<&T> {
        self.items.get(number)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// All of them, in the order of their numbers.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }
}

impl<T> Index<usize> for Unique<T> {
    type Output = T;

    fn index(&self, number: usize) -> &T {
        &self.items[number]
    }
}

fn hash_of<T: Hash>(value: &T) -> u32 {
    // The upper half is the better one.
    (FxBuildHasher.hash_one(value) >> 32) as u32
}

/// Where to begin to look: the number of places is a power of two.
fn first(hash: u32, places: usize) -> usize {
    hash as usize & (places - 1)
}

/// Twice the places.
fn grow(places: &mut Vec<Place>) {
    let len = (places.len() * 2).max(32);
    for place in std::mem::replace(places, vec![(0, 0); len]) {
        if place.1 != 0 {
            let mut at = first(place.0, len);
            while places[at].1 != 0 {
                at = (at + 1) & (len - 1);
            }
            places[at] = place;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Unique;

    #[test]
    fn equal_values_have_one_number() {
        let mut unique = Unique::default();
        assert_eq!(unique.number_of(&7), None);
        for round in 0..2 {
            for n in 0..1000_u32 {
                assert_eq!(unique.insert(n * n), n as usize, "{round}");
            }
        }
        assert_eq!((unique.len(), unique[31], unique.get(1000)), (1000, 961, None));
        assert_eq!((unique.number_of(&961), unique.number_of(&962)), (Some(31), None));
        assert!(unique.iter().copied().eq((0..1000).map(|n| n * n)));
        let mut other = unique.clone();
        assert_eq!(unique, other);
        other.insert(2);
        assert_ne!(unique, other);
    }
}
