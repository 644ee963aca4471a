//! The law of clock changes: from wall-clock times to instants.
//!
//! Promises: one policy for every kind of rule. A *fixed-time* rule fires once per wall-clock time
//! that it names: in a repeated stretch at the first pass, and all its times inside one gap become
//! a single run at the first instant after the gap. A *real-time* rule follows elapsed time: both
//! passes of a repeated stretch, nothing in a gap.
//!
//! Both searches walk forward only and give up after a hundred years, so both end.

use super::zone::{Reading, instant, timestamp};
use super::{Occasion, Wall, Zone};
use crate::words::time::{Span, Timestamp};

/// How far a search looks: a leap day on a given weekday can be 40 years away.
pub(super) const HORIZON: Span = Span::from_days(36_525);

/// How a rule behaves where the clock changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Pace {
    /// It names times of day: once per named time, whatever the clock does.
    FixedTime,
    /// It follows elapsed time: cron whose minute or hour field begins with `*`, RRULE with FREQ
    /// HOURLY or MINUTELY.
    RealTime,
}

/// The wall-clock times that a rule names, in no zone.
pub(super) trait WallTimes {
    /// The first of them that is `from` or later; `None` if there is none in the calendar.
    fn at_or_after(&self, from: Wall) -> Option<Wall>;

    /// How far a search for them looks.
    fn horizon(&self) -> Span {
        HORIZON
    }
}

/// The first occasion after `after` of a fixed-time rule whose wall-clock time is later than
/// `last_wall`.
pub(super) fn next_fixed_time(
    times: &impl WallTimes,
    zone: &Zone,
    after: Timestamp,
    last_wall: Option<Wall>,
) -> Option<Occasion> {
    let limit = after.plus(times.horizon());
    // Nothing earlier than what the clock shows now can lie ahead: the times of a gap go to its
    // end, those of a repeated stretch to its first pass.
    let mut from = zone.wall_at(after);
    if let Some(last) = last_wall {
        from = from.max(last.next()?);
    }
    loop {
        let wall = times.at_or_after(from)?;
        let reading = zone.read(wall)?;
        let at = match reading {
            Reading::Once(at) | Reading::Twice { first: at, .. } => at,
            Reading::Never { gap_end } => gap_end,
        };
        // Before 1970 is before `after`.
        match timestamp(at) {
            Some(at) if at > limit => return None,
            Some(at) if at > after => {
                let wall = match reading {
                    Reading::Once(_) | Reading::Twice { .. } => wall,
                    Reading::Never { gap_end } => last_merged(times, zone, wall, gap_end),
                };
                return Some(Occasion { at, wall, ordinal: None });
            }
            Some(_) | None => from = wall.next()?,
        }
    }
}

/// The last of the times from `wall` on that fall to `gap_end`: those inside the gap, and the one
/// that names its end.
fn last_merged(times: &impl WallTimes, zone: &Zone, wall: Wall, gap_end: jiff::Timestamp) -> Wall {
    let Some(gap) = zone.gap_ending_at(gap_end) else {
        return wall;
    };
    between(times, wall, gap.last_merged()).last().unwrap_or(wall)
}

/// The times from `first` to `last`, both included.
pub(super) fn between(
    times: &impl WallTimes,
    first: Wall,
    last: Wall,
) -> impl Iterator<Item = Wall> {
    let until_last = move |from: Wall| times.at_or_after(from).filter(|wall| *wall <= last);
    std::iter::successors(until_last(first), move |wall| until_last(wall.next()?))
}

/// The first occasion after `after` of a real-time rule.
pub(super) fn next_real_time(
    times: &impl WallTimes,
    zone: &Zone,
    after: Timestamp,
) -> Option<Occasion> {
    let limit = instant(after.plus(HORIZON));
    // Every offset is whole seconds, so every occasion is.
    let mut from = jiff::Timestamp::from_second(instant(after).as_second() + 1).ok()?;
    while from <= limit {
        // Between two changes the wall clock runs evenly: what it names next is either due
        // before the next change or must be asked for again from there.
        let stretch = zone.stretch(from);
        let wall = times.at_or_after(Wall::not_before(stretch.civil_at(from))?)?;
        let at = stretch.instant_of(wall);
        match (at, stretch.until) {
            (Some(at), Some(change)) if at >= change => from = change,
            (Some(at), Some(_) | None) => {
                return (at <= limit)
                    .then(|| Some(Occasion { at: timestamp(at)?, wall, ordinal: None }))
                    .flatten();
            }
            (None, _) => return None,
        }
    }
    None
}
