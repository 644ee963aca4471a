//! What becomes of a due schedule.
//!
//! Promise: one due schedule gives one run, or one skip, or one miss, however long nobody looked;
//! the cost does not depend on how much was missed; afterwards the next instant lies strictly in
//! the future or the series has ended.

use crate::recurrence::{Occasion, Wall};
use crate::run::StatusKind;
use crate::words::{RunId, RunNumber, Timestamp};

use super::occurrence::{Fate, SkipReason};
use super::{Next, Schedule};

/// What stands in a due schedule's way.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Slot {
    /// Nothing.
    Free,
    /// A run holds the slot.
    Taken {
        /// Which run.
        run: RunId,
        /// Its number.
        number: RunNumber,
        /// Queued or running.
        status: StatusKind,
    },
    /// A retry of an earlier occurrence is still to be created.
    RetryOwed {
        /// The failed run.
        run: RunId,
    },
}

/// What becomes of a due schedule.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// It is accounted for, and moves on.
    Settled {
        /// The instant that the row is about.
        scheduled_for: Timestamp,
        /// The first instant that the row accounts for.
        accounts_from: Timestamp,
        /// What became of it. Enqueued and caught up mean: create the run.
        fate: Fate,
        /// No claim may grant the run later than this.
        start_before: Option<Timestamp>,
        /// Where the series stands afterwards.
        advance: Advance,
    },
    /// Its rule is faulty: disable it, so that it blocks no other.
    Faulty,
}

/// Where a series stands after an occurrence.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Advance {
    /// Everything up to here is accounted for.
    pub accounted_until: Timestamp,
    /// The next instant, if there is one.
    pub next: Option<Occasion>,
    /// The last wall time that was used.
    pub last_wall: Option<Wall>,
    /// How many attempt-1 runs were created.
    pub runs_created: u32,
}

/// Decides what becomes of a schedule whose `next` is due at `now`. `None` when it is not due.
pub fn decide(
    schedule: &Schedule,
    accounted_until: Timestamp,
    slot: &Slot,
    now: Timestamp,
) -> Option<Verdict> {
    let first = schedule.next.filter(|next| next.at <= now)?;
    let Some(candidate) = newest_in_time(schedule, first, now) else {
        return Some(Verdict::Faulty);
    };

    let (occasion, fate, start_before) = match candidate {
        None => (first, Fate::Missed, None),
        Some(occasion) => {
            let fate = match slot {
                Slot::Taken { run, number, status } => Fate::Skipped(SkipReason::SlotTaken {
                    run: *run,
                    number: *number,
                    status: *status,
                }),
                Slot::RetryOwed { run } => Fate::Skipped(SkipReason::RetryOwed { run: *run }),
                Slot::Free => {
                    if accounts_for_several(schedule, first, occasion, now) {
                        Fate::CaughtUp
                    } else {
                        Fate::Enqueued
                    }
                }
            };
            let start_before = schedule.plan.max_lateness.map(|late| occasion.at.plus(late));
            (occasion, fate, start_before)
        }
    };

    let creates_run = fate.creates_run();
    Some(match advance(schedule, accounted_until, occasion, now, creates_run) {
        Some(advance) => Verdict::Settled {
            scheduled_for: occasion.at,
            accounts_from: first.at,
            fate,
            start_before: start_before.filter(|_| creates_run),
            advance,
        },
        None => Verdict::Faulty,
    })
}

/// The instant that may still be run: the later of the one that is due and the first that is not
/// older than the maximum lateness. `Some(None)` when even that lies in the future or past the
/// end: everything due is too late. `None` when the rule is faulty.
#[allow(clippy::option_option)] // faulty, too late, or this one
fn newest_in_time(
    schedule: &Schedule,
    first: Occasion,
    now: Timestamp,
) -> Option<Option<Occasion>> {
    let Some(lateness) = schedule.plan.max_lateness else {
        return Some(Some(first));
    };
    let oldest = now.minus(lateness);
    if first.at > oldest {
        return Some(Some(first));
    }
    match schedule.plan.next_after(oldest, schedule.last_wall, Some(first)) {
        Next::At(occasion) => Some(Some(occasion).filter(|occasion| occasion.at <= now)),
        Next::Exhausted(_) => Some(None),
        Next::Faulty => None,
    }
}

fn accounts_for_several(
    schedule: &Schedule,
    first: Occasion,
    occasion: Occasion,
    now: Timestamp,
) -> bool {
    first.at < occasion.at
        || schedule
            .plan
            .next_after(occasion.at, Some(occasion.wall), Some(occasion))
            .occasion()
            .is_some_and(|second| second.at <= now)
}

/// Where the series stands after `occasion`. `None` when the rule is faulty.
///
/// The wall time at `now` counts as used too: the instants between the occasion and now are
/// accounted for by the same row, and must not come again when new zone data moves them.
fn advance(
    schedule: &Schedule,
    accounted_until: Timestamp,
    occasion: Occasion,
    now: Timestamp,
    creates_run: bool,
) -> Option<Advance> {
    let accounted_until = accounted_until.max(occasion.at).max(now);
    let mut after = schedule.clone();
    after.last_wall = schedule.wall_used_by(now).max(Some(occasion.wall));
    after.next = Some(occasion);
    after.runs_created = after.runs_created.saturating_add(u32::from(creates_run));
    let next = match after.following(accounted_until) {
        Next::At(occasion) => Some(occasion),
        Next::Exhausted(_) => None,
        Next::Faulty => return None,
    };
    Some(Advance {
        accounted_until,
        next,
        last_wall: after.last_wall,
        runs_created: after.runs_created,
    })
}
