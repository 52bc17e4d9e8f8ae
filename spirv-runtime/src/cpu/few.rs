//! Lists that mostly have one element, or none: those take no allocation.

/// Elements in no order.
pub(super) struct Few<T> {
    first: Option<T>,
    rest: Vec<T>,
}

impl<T> Default for Few<T> {
    fn default() -> Few<T> {
        Few { first: None, rest: Vec::new() }
    }
}

impl<T> Few<T> {
    pub fn push(&mut self, element: T) {
        match self.first {
            None => self.first = Some(element),
            Some(_) => self.rest.push(element),
        }
    }

    pub fn len(&self) -> usize {
        usize::from(self.first.is_some()) + self.rest.len()
    }

    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.first.iter().chain(&self.rest)
    }

    pub fn retain(&mut self, keep: impl Fn(&T) -> bool) {
        self.rest.retain(&keep);
        if self.first.as_ref().is_none_or(|first| !keep(first)) {
            self.first = self.rest.pop();
        }
    }
}

impl<T> IntoIterator for Few<T> {
    type Item = T;
    type IntoIter = std::iter::Chain<std::option::IntoIter<T>, std::vec::IntoIter<T>>;

    fn into_iter(self) -> Self::IntoIter {
        self.first.into_iter().chain(self.rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_stay_until_they_are_dropped() {
        let mut few = Few::default();
        assert_eq!((few.len(), few.iter().count()), (0, 0));
        (0..5).for_each(|i| few.push(i));
        few.retain(|i| i % 2 == 1);
        let mut left: Vec<i32> = few.iter().copied().collect();
        left.sort_unstable();
        assert_eq!((few.len(), left), (2, vec![1, 3]));
        few.push(7);
        few.retain(|i| *i == 7);
        assert_eq!(few.into_iter().collect::<Vec<_>>(), [7]);
    }
}
