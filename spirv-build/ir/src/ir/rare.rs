//! Lists that are nearly always empty.

use smallvec::SmallVec;
use std::ops::{Deref, DerefMut};

/// A list that takes no more room than a pointer while it is empty: most instructions have no decorations, and in structured
/// control flow none has successors.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Rare<T>(Option<Box<SmallVec<[T; 2]>>>);

impl<T> Rare<T> {
    /// An empty list.
    pub const fn new() -> Rare<T> {
        Rare(None)
    }

    /// Appends an item.
    pub fn push(&mut self, item: T) {
        self.0.get_or_insert_default().push(item);
    }

    /// Puts an item at a place.
    pub fn insert(&mut self, at: usize, item: T) {
        self.0.get_or_insert_default().insert(at, item);
    }

    /// Removes the items for which this does not hold.
    pub fn retain(&mut self, mut keep: impl FnMut(&T) -> bool) {
        if let Some(list) = &mut self.0 {
            list.retain(|item| keep(item));
            if list.is_empty() {
                self.0 = None;
            }
        }
    }

    /// Removes all items.
    pub fn clear(&mut self) {
        self.0 = None;
    }
}

impl<T> Default for Rare<T> {
    fn default() -> Rare<T> {
        Rare::new()
    }
}

impl<T> Deref for Rare<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        self.0.as_deref().map_or(&[], |list| list.as_slice())
    }
}

impl<T> DerefMut for Rare<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.0.as_deref_mut().map_or(&mut [], |list| list.as_mut_slice())
    }
}

impl<T> Extend<T> for Rare<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        items.into_iter().for_each(|item| self.push(item));
    }
}

impl<T> FromIterator<T> for Rare<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Rare<T> {
        let mut list = Rare::new();
        list.extend(items);
        list
    }
}

impl<T> IntoIterator for Rare<T> {
    type Item = T;
    type IntoIter = smallvec::IntoIter<[T; 2]>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.map(|list| *list).unwrap_or_default().into_iter()
    }
}

impl<'a, T> IntoIterator for &'a Rare<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_without_items_is_as_small_as_a_pointer() {
        assert_eq!(size_of::<Rare<[u64; 8]>>(), size_of::<usize>());
        let mut list: Rare<u32> = [1, 2, 3].into_iter().collect();
        list.push(4);
        list[0] = 5;
        assert_eq!(list[..], [5, 2, 3, 4]);
        list.clear();
        assert!(list.is_empty() && list == Rare::new());
    }
}
