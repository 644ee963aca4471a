//! Numbers and fences from sequences that many share.
//!
//! A ledger that has its rows to itself counts on by itself. A store whose sequences are drawn
//! from by others at the same moment handles a command twice on the same slice: once to learn how
//! many it needs, and once with those that it drew. Nothing is drawn for what is refused.

use std::collections::VecDeque;

use crate::words::{Fence, RunNumber};

use super::{Event, Handled, Ledger};

/// What a store drew for one command, in order. They need not follow each other.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Draws {
    /// For the runs that are created.
    pub numbers: VecDeque<RunNumber>,
    /// For the claims.
    pub fences: VecDeque<Fence>,
}

impl Handled {
    /// How many numbers and how many fences the command used up.
    pub fn used(&self) -> (usize, usize) {
        let created = |event: &&Event| matches!(event, Event::RunCreated(_));
        let claimed = |event: &&Event| {
            matches!(event, Event::RunClaimed { .. })
                || matches!(event, Event::RunCreated(run) if run.hold().is_some())
        };
        (self.events.iter().filter(created).count(), self.events.iter().filter(claimed).count())
    }
}

impl Ledger {
    /// The ledger with numbers and fences that are used before its own sequences.
    #[must_use]
    pub fn with_draws(self, draws: Draws) -> Self {
        Self { draws, ..self }
    }

    /// The number of the next run.
    pub(super) fn next_number(&self) -> RunNumber {
        self.draws.numbers.front().copied().unwrap_or(self.rows.sequences.number)
    }

    /// The fence of the next claim.
    pub(super) fn next_fence(&self) -> Fence {
        self.draws.fences.front().copied().unwrap_or(self.rows.sequences.fence)
    }

    pub(super) fn use_number(&mut self, number: RunNumber) {
        if self.draws.numbers.front() == Some(&number) {
            self.draws.numbers.pop_front();
        }
        let next = RunNumber(number.0.saturating_add(1));
        self.rows.sequences.number = self.rows.sequences.number.max(next);
    }

    pub(super) fn use_fence(&mut self, fence: Fence) {
        if self.draws.fences.front() == Some(&fence) {
            self.draws.fences.pop_front();
        }
        self.rows.sequences.fence = self.rows.sequences.fence.max(fence.next());
    }
}
