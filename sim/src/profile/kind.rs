//! The kinds of worlds. Ordinary ones keep every law; others go beyond what the design takes on
//! itself, and each says which laws are weakened there.

use std::fmt;

use horarium_core::ledger::audit::Invariant;
use serde::{Deserialize, Serialize};

use crate::breach::Law;
use crate::named;

/// A kind of world.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Within the bounds of the design: every law holds.
    #[default]
    Ordinary,
    /// The store's clock steps by minutes, further than the runners were told it may. A lease is
    /// then over while its holder counts on it: the fence is the defence.
    WildClock,
    /// A runner and its guard are frozen together: nobody kills in time. The fence is the defence.
    BothFrozen,
    /// Finished rows are kept for a minute only, so that a wish that is sent again may come after
    /// its row is gone.
    ShortRetention,
    /// The store is restored from a backup: what was answered since is gone, jobs run that the
    /// rows know nothing of, and claims that had ended are held again.
    Restored,
}

impl Kind {
    /// All of them.
    pub const ALL: &[Self] =
        &[Self::Ordinary, Self::WildClock, Self::BothFrozen, Self::ShortRetention, Self::Restored];

    /// The laws that may be broken in such worlds. A breach of one is passed over.
    pub const fn weakened(self) -> &'static [Law] {
        match self {
            Self::Ordinary | Self::ShortRetention => &[],
            Self::WildClock | Self::BothFrozen => &[Law::Invariant(Invariant::NoOverlap)],
            Self::Restored => &[
                Law::Invariant(Invariant::NoOverlap),
                Law::Invariant(Invariant::NothingLost),
                Law::StartedOnce,
            ],
        }
    }

    /// How many worlds of a thousand in a batch are of this kind.
    pub const fn share(self) -> u64 {
        match self {
            Self::Ordinary => 920,
            Self::WildClock | Self::BothFrozen | Self::ShortRetention | Self::Restored => 20,
        }
    }

    /// The kind that a batch plays with a seed.
    pub fn in_batch(seed: u64) -> Self {
        // Neighbours differ, so that a small range of seeds has something of each.
        let mut place = (seed % 1_000) * 617 % 1_000;
        for kind in Self::ALL.iter().copied() {
            if place < kind.share() {
                return kind;
            }
            place -= kind.share();
        }
        Self::Ordinary
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&named::name(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shares_of_all_kinds_are_a_thousand() {
        assert_eq!(Kind::ALL.iter().map(|kind| kind.share()).sum::<u64>(), 1_000);
    }

    #[test]
    fn every_kind_is_played_in_a_batch() {
        for kind in Kind::ALL {
            assert!((0..1_000).any(|seed| Kind::in_batch(seed) == *kind), "{kind}");
        }
    }
}
