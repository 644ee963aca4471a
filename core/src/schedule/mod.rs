//! The schedule: a worker's one agenda, and the occurrences that it leaves behind.
//!
//! Promise: what becomes of a due schedule is decided here, once, by [`due::decide`]; every store
//! calls it. The next instant always lies after everything that is accounted for, or the series
//! has ended.

pub mod due;
pub mod occurrence;

use std::fmt;
use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

use crate::recurrence::{
    Occasion, Recurrence, RecurrenceError, Wall, WrittenRecurrence, ZoneData, ZoneRelease,
};
use crate::words::{By, Request, RetryPolicy, Span, Timestamp};

pub use due::{Slot, Verdict};
pub use occurrence::{Chain, Fate, Occurrence, Retry, SkipReason};

/// What somebody wants: the part of a schedule that is edited as a whole. Read as a
/// `Plan<WrittenRecurrence>`, which says nothing until zone data are brought to it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Plan<R = Recurrence> {
    /// When, in its own zone.
    pub recurrence: R,
    /// What each run is asked to do.
    #[serde(default, skip_serializing_if = "Request::is_empty")]
    pub request: Request,
    /// No occurrence before this instant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_before: Option<Timestamp>,
    /// No occurrence after this instant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// At most so many attempt-1 runs are created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_runs: Option<NonZeroU32>,
    /// An occurrence that could only start later than this after its instant is missed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_lateness: Option<Span>,
    /// How its runs are retried; the handler's policy when it does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<RetryPolicy>,
}

/// Why a series has no next instant. Derived, no error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exhausted {
    /// `max_runs` runs were created.
    MaxRuns,
    /// The next instant would lie after `until`.
    Until,
    /// The rule itself ends.
    Rule,
}

impl fmt::Display for Exhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::MaxRuns => "max_runs reached",
            Self::Until => "nothing before `until`",
            Self::Rule => "the rule has ended",
        })
    }
}

/// The next instant of a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Next {
    /// This one.
    At(Occasion),
    /// None any more.
    Exhausted(Exhausted),
    /// The rule answered with an instant that is not later than the question: a fault of ours,
    /// never to be looped on.
    Faulty,
}

impl Next {
    /// The instant, if there is one.
    pub const fn occasion(self) -> Option<Occasion> {
        match self {
            Self::At(occasion) => Some(occasion),
            Self::Exhausted(_) | Self::Faulty => None,
        }
    }
}

impl Plan<WrittenRecurrence> {
    /// What it says, in these zone data.
    pub fn read(self, zones: &ZoneData) -> Result<Plan, RecurrenceError> {
        let recurrence = self.recurrence.read(zones)?;
        let Self { request, not_before, until, max_runs, max_lateness, retry, .. } = self;
        Ok(Plan { recurrence, request, not_before, until, max_runs, max_lateness, retry })
    }
}

impl Plan {
    /// The first instant after `after` within the bounds, given the last wall time that was
    /// used and an earlier occasion, from which a rule with COUNT counts on. Pays no heed to
    /// `max_runs`, which counts runs and not instants.
    pub fn next_after(
        &self,
        after: Timestamp,
        last_wall: Option<Wall>,
        known: Option<Occasion>,
    ) -> Next {
        let bound = self.not_before.map_or(Timestamp::EPOCH, |at| at.minus(Span::from_micros(1)));
        let from = after.max(bound);
        match self.recurrence.checked_next_after(from, last_wall, known) {
            Err(_) => Next::Faulty,
            Ok(None) => Next::Exhausted(Exhausted::Rule),
            Ok(Some(occasion)) if self.until.is_some_and(|until| occasion.at > until) => {
                Next::Exhausted(Exhausted::Until)
            }
            Ok(Some(occasion)) => Next::At(occasion),
        }
    }

    /// True when both have the same rule and bounds, so that an edit keeps the place in the
    /// series.
    pub fn same_rule(&self, other: &Self) -> bool {
        self.recurrence == other.recurrence
    }
}

/// Whether a schedule fires.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Enablement {
    /// It does.
    Enabled,
    /// It does not: since when, by whom, why.
    Disabled {
        /// Since when.
        at: Timestamp,
        /// By whom and why. The scheduler itself disables a schedule whose rule is faulty.
        by: By,
    },
}

/// How often a schedule was changed; carried by every change, so that none is overwritten
/// unseen. It goes on counting when a schedule is deleted and made anew.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Revision(pub u64);

impl Revision {
    /// Nothing was saved yet.
    pub const NONE: Self = Self(0);

    /// The revision after this one.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// A worker's agenda as the ledger keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Schedule {
    /// What is wanted.
    pub plan: Plan,
    /// Whether it fires.
    pub enablement: Enablement,
    /// When it fires next; none while it is disabled or exhausted. Once due, a rule with COUNT
    /// counts on from it.
    pub next: Option<Occasion>,
    /// The last wall time that was used. A fixed-time rule never repeats one.
    pub last_wall: Option<Wall>,
    /// How many attempt-1 runs were created.
    pub runs_created: u32,
    /// The release of the zone data that `next` was computed with.
    pub zone_data: ZoneRelease,
    /// Which change made it so.
    pub revision: Revision,
    /// When that was.
    pub changed_at: Timestamp,
    /// And by whom.
    pub changed_by: By,
}

impl Schedule {
    /// True while the schedule fires, whether or not an instant is left.
    pub fn is_enabled(&self) -> bool {
        match self.enablement {
            Enablement::Enabled => true,
            Enablement::Disabled { .. } => false,
        }
    }

    /// True when the schedule must be looked at now.
    pub fn is_due(&self, now: Timestamp) -> bool {
        self.next.is_some_and(|next| next.at <= now)
    }

    /// The last wall time that is used once everything up to `now` is accounted for, so that new
    /// zone data brings none of it again.
    pub fn wall_used_by(&self, now: Timestamp) -> Option<Wall> {
        self.last_wall.max(Some(self.plan.recurrence.zone().wall_at(now)))
    }

    /// Why nothing comes any more, if that is so.
    pub fn exhausted(&self, accounted_until: Timestamp) -> Option<Exhausted> {
        if !self.is_enabled() || self.next.is_some() {
            return None;
        }
        match self.following(accounted_until) {
            Next::Exhausted(why) => Some(why),
            Next::At(_) | Next::Faulty => None,
        }
    }

    /// The instant after everything that is accounted for.
    pub fn following(&self, accounted_until: Timestamp) -> Next {
        self.after(accounted_until, self.next)
    }

    /// The same under other zone data than `next` was computed with. A rule with COUNT cannot
    /// count on from there and counts from its start, yet what it has reached stays reached: also
    /// when its start itself was moved, it gives no more than COUNT.
    pub fn recomputed(&self, accounted_until: Timestamp) -> Next {
        let reached = self.next.and_then(|next| next.ordinal);
        match self.after(accounted_until, None) {
            Next::At(next) => Next::At(Occasion { ordinal: next.ordinal.max(reached), ..next }),
            Next::Exhausted(why) => Next::Exhausted(why),
            Next::Faulty => Next::Faulty,
        }
    }

    fn after(&self, accounted_until: Timestamp, known: Option<Occasion>) -> Next {
        if self.plan.max_runs.is_some_and(|most| self.runs_created >= most.get()) {
            return Next::Exhausted(Exhausted::MaxRuns);
        }
        self.plan.next_after(accounted_until, self.last_wall, known)
    }
}
