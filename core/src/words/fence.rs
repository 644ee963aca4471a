//! The fence: a number drawn at each claim. For one worker a later claim has the larger one, so
//! other systems can refuse a zombie that still carries an old one.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Bits below the epoch.
const COUNT_BITS: u32 = 48;
/// The largest fence: a positive 64-bit signed number, since databases have no other.
const LARGEST: u64 = i64::MAX as u64;

/// A fence. The high bits are an epoch that the restore step raises, so that claims made after a
/// restored backup are larger than any that the lost part of the ledger handed out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fence(u64);

impl Fence {
    /// The first fence of a new ledger.
    pub const FIRST: Self = Self(1);

    /// The fence with this number, at most the largest.
    pub const fn from_number(number: u64) -> Self {
        Self(if number > LARGEST { LARGEST } else { number })
    }

    /// Its number, as it is handed to workers.
    pub const fn number(self) -> u64 {
        self.0
    }

    /// The fence drawn after this one.
    #[must_use]
    pub const fn next(self) -> Self {
        Self::from_number(self.0.saturating_add(1))
    }

    /// How often the ledger was restored before this fence was drawn.
    pub const fn epoch(self) -> u64 {
        self.0 >> COUNT_BITS
    }

    /// The first fence of the next epoch.
    #[must_use]
    pub const fn next_epoch(self) -> Self {
        Self::from_number((self.epoch() + 1) << COUNT_BITS | 1)
    }
}

impl fmt::Display for Fence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl fmt::Debug for Fence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "f{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_epoch_is_larger_than_every_fence_before_it() {
        let late = Fence::from_number((1 << COUNT_BITS) - 1);
        assert!(Fence::FIRST.next_epoch() > late);
        assert_eq!(Fence::FIRST.next_epoch().epoch(), 1);
        assert_eq!(Fence::from_number(u64::MAX).next(), Fence::from_number(u64::MAX));
    }
}
