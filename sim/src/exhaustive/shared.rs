//! Values that many states share, and their digests.

use std::cell::OnceCell;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Deref;
use std::rc::Rc;

/// A value that many states share, with its digest once somebody asked for it.
#[derive(Debug)]
pub(super) struct Shared<T>(Rc<Digested<T>>);

#[derive(Debug, Clone)]
struct Digested<T> {
    value: T,
    digest: OnceCell<u128>,
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self(Rc::clone(&self.0))
    }
}

impl<T: Hash + Clone> Shared<T> {
    pub(super) fn new(value: T) -> Self {
        Self(Rc::new(Digested { value, digest: OnceCell::new() }))
    }

    pub(super) fn digest(&self) -> u128 {
        *self.0.digest.get_or_init(|| digest_of(&self.0.value))
    }

    /// The value, to be changed; others that share it keep theirs.
    pub(super) fn change(&mut self) -> &mut T {
        let own = Rc::make_mut(&mut self.0);
        own.digest = OnceCell::new();
        &mut own.value
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0.value
    }
}

/// 128 bits that tell two values apart.
pub(super) fn digest_of(value: &impl Hash) -> u128 {
    let mut low = DefaultHasher::new();
    let mut high = DefaultHasher::new();
    value.hash(&mut low);
    (1_u8, value).hash(&mut high);
    u128::from(high.finish()) << 64 | u128::from(low.finish())
}
