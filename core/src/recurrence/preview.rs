//! Preview: the next occasions of a rule, and what clock changes did to them.
//!
//! Promises: the occasions are those of [`Recurrence::next_after`]; a mark stands wherever a clock
//! change moved, merged, dropped or repeated a run, and nowhere else.

use std::fmt;

use super::clock_change::{Pace, WallTimes, between};
use super::zone::{Gap, Reading, instant};
use super::{Occasion, Recurrence, UtcOffset, Wall, Zone};
use crate::words::time::Timestamp;

/// One coming occasion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// When it is due.
    pub at: Timestamp,
    /// The wall-clock time that named it.
    pub wall: Wall,
    /// The zone's distance from UTC at that instant.
    pub offset: UtcOffset,
    /// What a clock change did to it.
    pub mark: Option<Mark>,
}

/// What a clock change did to an occasion. The lists are never empty and in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mark {
    /// The clock was set forward over the named time; the run comes at the first instant after.
    Moved {
        /// The named time, which does not exist.
        missing: Wall,
    },
    /// The clock was set forward over the first of several named times; one run stands for all.
    Merged {
        /// The named times. The last may be the end of the gap, which exists.
        named: Vec<Wall>,
    },
    /// The clock shows the named time twice; this is the first, and the second does not run.
    FirstPass,
    /// A real-time rule lost runs since its occasion before: the clock was set forward over them.
    Dropped {
        /// The times that do not exist.
        missing: Vec<Wall>,
    },
    /// A real-time rule runs again at this time: the clock was set back.
    SecondPass,
}

/// The occasions after `after`, one after the other.
pub(super) fn previews(recurrence: &Recurrence, after: Timestamp) -> impl Iterator<Item = Preview> {
    let mut since = after;
    recurrence.occasions_after(after).map(move |occasion| Preview {
        at: occasion.at,
        wall: occasion.wall,
        offset: recurrence.zone().offset_at(occasion.at),
        mark: mark(recurrence, std::mem::replace(&mut since, occasion.at), occasion),
    })
}

/// What the clock changes after `since` did to `occasion`, the next after it.
fn mark(recurrence: &Recurrence, since: Timestamp, occasion: Occasion) -> Option<Mark> {
    let zone = recurrence.zone();
    match recurrence {
        Recurrence::Once(_) => None,
        Recurrence::Cron(rule) => match rule.cron().pace() {
            Pace::FixedTime => fixed_time_mark(rule.wall_times(), zone, occasion),
            Pace::RealTime => real_time_mark(zone, since, occasion, |_, gap| {
                between(rule.wall_times(), gap.first(), gap.last_merged())
                    .filter(|wall| gap.leaves_out(*wall))
                    .collect()
            }),
        },
        Recurrence::Rrule(rule) if rule.is_named(occasion) => {
            fixed_time_mark(&rule.behind(occasion), zone, occasion)
        }
        Recurrence::Rrule(rule) => {
            real_time_mark(zone, since, occasion, |gap_end, gap| rule.lost(gap_end, gap))
        }
    }
}

fn fixed_time_mark(times: &impl WallTimes, zone: &Zone, occasion: Occasion) -> Option<Mark> {
    moved_or_merged(times, zone, occasion)
        .or_else(|| is_twice(zone, occasion.wall).then_some(Mark::FirstPass))
}

/// `lost` answers what the rule loses to a gap with that end.
fn real_time_mark(
    zone: &Zone,
    since: Timestamp,
    occasion: Occasion,
    lost: impl Fn(jiff::Timestamp, Gap) -> Vec<Wall>,
) -> Option<Mark> {
    is_second_pass(zone, occasion)
        .then_some(Mark::SecondPass)
        .or_else(|| dropped(zone, since, occasion.at, lost))
}

fn moved_or_merged(times: &impl WallTimes, zone: &Zone, occasion: Occasion) -> Option<Mark> {
    let gap = zone.gap_ending_at(instant(occasion.at))?;
    let named: Vec<Wall> = between(times, gap.first(), occasion.wall).collect();
    match named[..] {
        [] => None,
        [only] => gap.leaves_out(only).then_some(Mark::Moved { missing: only }),
        [..] => Some(Mark::Merged { named }),
    }
}

fn dropped(
    zone: &Zone,
    since: Timestamp,
    at: Timestamp,
    lost: impl Fn(jiff::Timestamp, Gap) -> Vec<Wall>,
) -> Option<Mark> {
    let (mut from, at) = (instant(since), instant(at));
    let mut missing = Vec::new();
    while let Some(change) = zone.stretch(from).until.filter(|change| *change <= at) {
        if let Some(gap) = zone.gap_ending_at(change) {
            missing.extend(lost(change, gap));
        }
        from = change;
    }
    (!missing.is_empty()).then_some(Mark::Dropped { missing })
}

fn is_twice(zone: &Zone, wall: Wall) -> bool {
    matches!(zone.read(wall), Some(Reading::Twice { .. }))
}

fn is_second_pass(zone: &Zone, occasion: Occasion) -> bool {
    match zone.read(occasion.wall) {
        Some(Reading::Twice { second, .. }) => second == instant(occasion.at),
        Some(Reading::Once(_) | Reading::Never { .. }) | None => false,
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Moved { missing } => write!(
                f,
                "moved: {missing} does not exist, the clock goes forward over it; runs right after"
            ),
            Self::Merged { named } => write!(
                f,
                "merged: the clock goes forward, one run stands for {} times: {}",
                named.len(),
                Listed(named)
            ),
            Self::FirstPass => f.write_str(
                "first pass: the clock goes back and shows this time twice; the second does not run",
            ),
            Self::Dropped { missing } => {
                let (times, do_not) =
                    if missing.len() == 1 { ("time", "does not") } else { ("times", "do not") };
                write!(
                    f,
                    "dropped before this: {} {times} {do_not} exist, the clock goes forward: {}",
                    missing.len(),
                    Listed(missing)
                )
            }
            Self::SecondPass => {
                f.write_str("repeated: the clock went back and shows this time again; runs again")
            }
        }
    }
}

/// A few times in full, many as first and last.
struct Listed<'a>(&'a [Wall]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            [first, .., last] if self.0.len() > 4 => write!(f, "{first} to {last}"),
            times => {
                for (position, wall) in times.iter().enumerate() {
                    write!(f, "{}{wall}", if position == 0 { "" } else { ", " })?;
                }
                Ok(())
            }
        }
    }
}
