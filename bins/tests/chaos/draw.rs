//! Random draws from a seed.

use std::time::Duration;

use horarium_core::words::retry::scatter;

/// A stream of draws; the same seed gives the same ones.
pub(crate) struct Draw {
    state: u64,
}

impl Draw {
    /// The draws of `seed` that are kept for `purpose`.
    pub(crate) fn new(seed: u64, purpose: &str) -> Self {
        let salt = purpose.bytes().fold(0, |salt, byte| scatter(salt ^ u64::from(byte)));
        Self { state: scatter(seed ^ salt) }
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.state = self.state.wrapping_add(1);
        scatter(self.state) % end.max(1)
    }

    /// True in so many of a hundred cases.
    pub(crate) fn percent(&mut self, chance: u64) -> bool {
        self.below(100) < chance
    }

    /// A time from `least` to `most` milliseconds.
    pub(crate) fn millis(&mut self, least: u64, most: u64) -> Duration {
        Duration::from_millis(least + self.below(most - least + 1))
    }

    /// One of them.
    pub(crate) fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        let count = u64::try_from(of.len()).unwrap();
        &of[usize::try_from(self.below(count)).unwrap()]
    }
}
