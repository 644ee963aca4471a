//! Once: one instant, and no second.
//!
//! Promises: an instant stays the same instant whatever becomes of its zone's rules; the zone
//! only says how people read it.

use super::{Occasion, Zone};
use crate::words::time::Timestamp;

/// One instant, shown in a zone.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Once {
    at: Timestamp,
    zone: Zone,
}

impl Once {
    /// `at`, shown in `zone`.
    pub fn new(at: Timestamp, zone: Zone) -> Self {
        Self { at, zone }
    }

    /// The instant.
    pub fn at(&self) -> Timestamp {
        self.at
    }

    /// The zone.
    pub fn zone(&self) -> &Zone {
        &self.zone
    }

    /// The one occasion, if it is later than `after`.
    pub(super) fn next_after(&self, after: Timestamp) -> Option<Occasion> {
        (self.at > after).then(|| Occasion {
            at: self.at,
            wall: self.zone.wall_at(self.at),
            ordinal: None,
        })
    }
}
