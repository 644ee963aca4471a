//! What a count costs.
//!
//! Promise: the measure is the same on every machine and at every time: a step is a month, a date,
//! a minute or a change of the clock that was looked at, and takes some 10 ns.

/// The steps that were taken, and how many may be.
#[derive(Debug, Clone, Copy)]
pub(super) struct Work {
    steps: u64,
    most: u64,
}

impl Work {
    /// The most steps that a rule may need to count to any of its instants: a quarter of the 50 ms
    /// that one question may take, since machines differ and are busy.
    pub(super) const MOST: u64 = 1_250_000;

    /// As many steps as it takes.
    pub(super) const fn unlimited() -> Self {
        Self { steps: 0, most: u64::MAX }
    }

    /// So many steps at most.
    pub(super) const fn at_most(most: u64) -> Self {
        Self { steps: 0, most }
    }

    /// Another so many steps.
    pub(super) const fn take(&mut self, steps: u64) {
        self.steps = self.steps.saturating_add(steps);
    }

    /// True when more was needed than may be: what was counted means nothing then.
    pub(super) const fn is_spent(self) -> bool {
        self.steps > self.most
    }

    /// How many were taken.
    pub(super) const fn steps(self) -> u64 {
        self.steps
    }
}
