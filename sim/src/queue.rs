//! What will happen, in the order of time, then of asking.

use std::collections::BTreeMap;

use crate::clock::Time;

/// Happenings to come.
#[derive(Debug)]
pub struct Queue<T> {
    asked: u64,
    to_come: BTreeMap<(Time, u64), T>,
}

impl<T> Default for Queue<T> {
    fn default() -> Self {
        Self { asked: 0, to_come: BTreeMap::new() }
    }
}

impl<T> Queue<T> {
    /// Lets `happening` happen at `time`, after all that was asked for then already.
    pub fn put(&mut self, time: Time, happening: T) {
        self.asked += 1;
        self.to_come.insert((time, self.asked), happening);
    }

    /// Takes the next one.
    pub fn take(&mut self) -> Option<(Time, T)> {
        self.to_come.pop_first().map(|((time, _), happening)| (time, happening))
    }
}
