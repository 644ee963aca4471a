//! Preview: the next occasions of a rule, and what clock changes did to them.
//!
//! Promises: the occasions are those of [`Recurrence::next_after`]; a mark stands wherever a clock
//! change moved, merged, dropped or repeated a run, and nowhere else.

use std::fmt;

use super::clock_change::{Pace, between};
use super::cron::CronRule;
use super::zone::{Reading, instant};
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

pub(super) fn preview(recurrence: &Recurrence, after: Timestamp, count: usize) -> Vec<Preview> {
    let occasion_after =
        |after| recurrence.next_after(after, None).map(|occasion| (after, occasion));
    std::iter::successors(occasion_after(after), |(_, before)| occasion_after(before.at))
        .take(count)
        .map(|(since, occasion)| Preview {
            at: occasion.at,
            wall: occasion.wall,
            offset: recurrence.zone().offset_at(occasion.at),
            mark: match recurrence {
                Recurrence::Once(_) => None,
                Recurrence::Cron(rule) => cron_mark(rule, since, occasion),
            },
        })
        .collect()
}

/// What the clock changes after `since` did to `occasion`, the next after it.
fn cron_mark(rule: &CronRule, since: Timestamp, occasion: Occasion) -> Option<Mark> {
    match rule.cron().pace() {
        Pace::FixedTime => moved_or_merged(rule, occasion)
            .or_else(|| is_twice(rule.zone(), occasion.wall).then_some(Mark::FirstPass)),
        Pace::RealTime => is_second_pass(rule.zone(), occasion)
            .then_some(Mark::SecondPass)
            .or_else(|| dropped(rule, since, occasion.at)),
    }
}

fn moved_or_merged(rule: &CronRule, occasion: Occasion) -> Option<Mark> {
    let gap = rule.zone().gap_ending_at(instant(occasion.at))?;
    let named: Vec<Wall> = between(rule.wall_times(), gap.first(), occasion.wall).collect();
    match named[..] {
        [] => None,
        [only] => gap.leaves_out(only).then_some(Mark::Moved { missing: only }),
        [..] => Some(Mark::Merged { named }),
    }
}

fn dropped(rule: &CronRule, since: Timestamp, at: Timestamp) -> Option<Mark> {
    let (mut from, at) = (instant(since), instant(at));
    let mut missing = Vec::new();
    while let Some(change) = rule.zone().stretch(from).until.filter(|change| *change <= at) {
        if let Some(gap) = rule.zone().gap_ending_at(change) {
            missing.extend(
                between(rule.wall_times(), gap.first(), gap.last_merged())
                    .filter(|wall| gap.leaves_out(*wall)),
            );
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
