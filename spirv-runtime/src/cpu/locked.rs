//! Data that the pool's lock guards, wherever it lies.

use std::cell::UnsafeCell;

/// What shows that the pool's lock is held: it lies behind the lock.
pub(super) struct Key(());

impl Key {
    /// # Safety
    /// It is the only key of this process that is ever used, but for those that a parent had which forked it: nothing of
    /// the parent's is reached with it.
    pub const unsafe fn new() -> Key {
        Key(())
    }
}

/// What is used under the pool's lock only.
#[derive(Default)]
pub(super) struct Locked<T>(UnsafeCell<T>);

// SAFETY: the key, of which there is one, is borrowed exclusively for as long as the content.
unsafe impl<T: Send> Sync for Locked<T> {}

impl<T> Locked<T> {
    pub const fn new(content: T) -> Locked<T> {
        Locked(UnsafeCell::new(content))
    }

    pub fn get<'a>(&'a self, _: &'a mut Key) -> &'a mut T {
        // SAFETY: as above: no other reference to the content of any such exists.
        unsafe { &mut *self.0.get() }
    }
}
