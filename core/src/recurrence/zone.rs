//! Time zones: how the wall clock of a region follows real time.
//!
//! Promises: a [`Zone`] exists only for a name that its data know (`zone_data`), and goes by them
//! ever after; every conversion is total.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use jiff::civil;
use jiff::tz::{AmbiguousOffset, Offset, TimeZone};

use super::Wall;
use super::zone_data::ZoneData;
use super::zone_release::ZoneRelease;
use crate::words::time::Timestamp;

/// A region of the IANA database, like `Europe/Berlin`. Equal, ordered and hashed by name, whatever
/// the data: two names of one region (`Europe/Kiev`, `Europe/Kyiv`) are two zones.
#[derive(Clone)]
pub struct Zone {
    name: Arc<str>,
    rules: TimeZone,
    /// Which data say so; none when all do.
    release: Option<ZoneRelease>,
}

/// The distance of a wall clock from UTC at some instant, positive east of Greenwich.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UtcOffset {
    seconds: i32,
}

/// Which instants a wall-clock time names in a zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// The usual case.
    Once(jiff::Timestamp),
    /// The clock was set back over it.
    Twice { first: jiff::Timestamp, second: jiff::Timestamp },
    /// The clock was set forward over it, at the instant `gap_end`.
    Never { gap_end: jiff::Timestamp },
}

/// A time during which the wall clock runs evenly.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stretch {
    offset: Offset,
    /// The instant of the next change, if there is one.
    pub(super) until: Option<jiff::Timestamp>,
}

/// The wall-clock times that a clock set forward leaves out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gap {
    first: Wall,
    end: civil::DateTime,
}

impl Zone {
    /// The zone of that name, in whatever case, if the data have it.
    pub(super) fn in_data(zones: &ZoneData, text: &str) -> Option<Self> {
        let (name, rules) = zones.look_up(text)?;
        Some(Self { name, rules, release: Some(zones.release()) })
    }

    /// UTC, which never changes its clock, whatever the data.
    pub fn utc() -> Self {
        Self { name: "UTC".into(), rules: TimeZone::UTC, release: None }
    }

    /// True when it goes by these data.
    pub(super) fn is_of(&self, zones: &ZoneData) -> bool {
        self.release.is_none_or(|release| release == zones.release())
    }

    /// The name, as it was given, in the database's upper and lower case.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the wall clock shows at `at`.
    pub fn wall_at(&self, at: Timestamp) -> Wall {
        Wall::containing(self.rules.to_datetime(instant(at)))
    }

    /// The distance from UTC at `at`.
    pub fn offset_at(&self, at: Timestamp) -> UtcOffset {
        UtcOffset { seconds: self.rules.to_offset(instant(at)).seconds() }
    }

    /// `at` as people of the zone read it: `2026-03-08 03:00 -04:00 America/New_York`, with
    /// seconds only where there are some.
    pub fn render(&self, at: Timestamp) -> String {
        let civil = self.rules.to_datetime(instant(at));
        let seconds =
            if civil.second() == 0 { String::new() } else { format!(":{:02}", civil.second()) };
        format!(
            "{} {:02}:{:02}{seconds} {} {}",
            civil.date(),
            civil.hour(),
            civil.minute(),
            self.offset_at(at),
            self.name
        )
    }

    /// Which instants `wall` names; `None` outside the calendar.
    pub(super) fn read(&self, wall: Wall) -> Option<Reading> {
        let civil = wall.civil();
        match self.rules.to_ambiguous_timestamp(civil).offset() {
            AmbiguousOffset::Unambiguous { offset } => {
                offset.to_timestamp(civil).ok().map(Reading::Once)
            }
            // The offset before the last change that a zone's data lists is taken from the rule
            // for the time after it, and may never have been in force (America/Nuuk, 2023).
            AmbiguousOffset::Fold { before, after } if !self.is_in_force(before, civil) => {
                after.to_timestamp(civil).ok().map(Reading::Once)
            }
            AmbiguousOffset::Gap { before, after: _ } if self.is_in_force(before, civil) => {
                before.to_timestamp(civil).ok().map(Reading::Once)
            }
            AmbiguousOffset::Fold { before, after } => Some(Reading::Twice {
                first: before.to_timestamp(civil).ok()?,
                second: after.to_timestamp(civil).ok()?,
            }),
            AmbiguousOffset::Gap { before: _, after } => {
                // Read with the later offset, a missing time lies before the change by less
                // than the gap.
                let early = after.to_timestamp(civil).ok()?;
                let gap_end = self.rules.following(early).next()?.timestamp();
                Some(Reading::Never { gap_end })
            }
        }
    }

    /// The even stretch that `from` lies in.
    pub(super) fn stretch(&self, from: jiff::Timestamp) -> Stretch {
        Stretch {
            offset: self.rules.to_offset(from),
            until: self.rules.following(from).next().map(|change| change.timestamp()),
        }
    }

    /// Whether `offset` is what the zone has when, read with it, the clock shows `civil`.
    fn is_in_force(&self, offset: Offset, civil: civil::DateTime) -> bool {
        offset.to_timestamp(civil).is_ok_and(|at| self.rules.to_offset(at) == offset)
    }

    /// The instant that `wall` names by the law of clock changes: the first of two, and the end
    /// of the gap that leaves it out; `None` outside the calendar.
    pub(super) fn instant_of(&self, wall: Wall) -> Option<jiff::Timestamp> {
        Some(match self.read(wall)? {
            Reading::Once(at) | Reading::Twice { first: at, .. } => at,
            Reading::Never { gap_end } => gap_end,
        })
    }

    /// The latest time that the wall clock has shown by `at`, also when it was set back since.
    pub(super) fn latest_shown(&self, at: Timestamp) -> Wall {
        let shown = self.wall_at(at);
        let end_of_first_pass = match self.read(shown) {
            Some(Reading::Twice { first, second }) if second <= instant(at) => {
                let stretch = self.stretch(first);
                stretch.until.and_then(|change| {
                    Wall::not_before(stretch.civil_at(change)).and_then(Wall::previous)
                })
            }
            Some(Reading::Once(_) | Reading::Twice { .. } | Reading::Never { .. }) | None => None,
        };
        end_of_first_pass.map_or(shown, |end| end.max(shown))
    }

    /// What the changes of the clock after `after`, up to `until`, leave out.
    pub(super) fn gaps(
        &self,
        after: jiff::Timestamp,
        until: jiff::Timestamp,
    ) -> impl Iterator<Item = Gap> {
        self.rules
            .following(after)
            .map(|change| change.timestamp())
            .take_while(move |change| *change <= until)
            .filter_map(|change| self.gap_ending_at(change))
    }

    /// What a change of the clock at exactly `at` leaves out, if it does.
    pub(super) fn gap_ending_at(&self, at: jiff::Timestamp) -> Option<Gap> {
        let before = at.checked_sub(jiff::SignedDuration::from_nanos(1)).ok()?;
        let first = self.rules.to_offset(before).to_datetime(at);
        let end = self.rules.to_offset(at).to_datetime(at);
        if first < end { Some(Gap { first: Wall::not_before(first)?, end }) } else { None }
    }
}

impl Gap {
    /// The first wall-clock time that is left out.
    pub(super) fn first(self) -> Wall {
        self.first
    }

    /// The last wall-clock time that becomes a run at the gap's end: the end itself, which exists.
    pub(super) fn last_merged(self) -> Wall {
        Wall::containing(self.end)
    }

    /// Whether `wall`, not before the first, is left out.
    pub(super) fn leaves_out(self, wall: Wall) -> bool {
        wall.civil() < self.end
    }
}

impl Stretch {
    /// The distance from UTC in seconds, positive east of Greenwich.
    pub(super) fn seconds_east(&self) -> i64 {
        self.offset.seconds().into()
    }

    /// What the wall clock shows at `at`.
    pub(super) fn civil_at(&self, at: jiff::Timestamp) -> civil::DateTime {
        self.offset.to_datetime(at)
    }

    /// The instant at which the wall clock would show `wall`, were there no change.
    pub(super) fn instant_of(&self, wall: Wall) -> Option<jiff::Timestamp> {
        self.offset.to_timestamp(wall.civil()).ok()
    }
}

/// `at` for the calendar, whose last instant comes about a day before [`Timestamp::MAX`]; the
/// last day of the year 9999 counts as that instant.
pub(super) fn instant(at: Timestamp) -> jiff::Timestamp {
    jiff::Timestamp::from_microsecond(at.micros()).unwrap_or(jiff::Timestamp::MAX)
}

/// `instant` for the ledger; `None` before 1970.
pub(super) fn timestamp(instant: jiff::Timestamp) -> Option<Timestamp> {
    Timestamp::from_micros(instant.as_microsecond()).ok()
}

impl PartialEq for Zone {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Zone {}

impl PartialOrd for Zone {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Zone {
    fn cmp(&self, other: &Self) -> Ordering {
        self.name.cmp(&other.name)
    }
}

impl Hash for Zone {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl fmt::Debug for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl UtcOffset {
    /// Seconds, positive east of Greenwich.
    pub const fn seconds(self) -> i32 {
        self.seconds
    }
}

/// `-04:00`, with seconds only where there are some.
impl fmt::Display for UtcOffset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.seconds < 0 { '-' } else { '+' };
        let (minutes, seconds) =
            (self.seconds.unsigned_abs() / 60, self.seconds.unsigned_abs() % 60);
        write!(f, "{sign}{:02}:{:02}", minutes / 60, minutes % 60)?;
        if seconds == 0 { Ok(()) } else { write!(f, ":{seconds:02}") }
    }
}

impl fmt::Debug for UtcOffset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::*;

    /// From 1970 until about 2045.
    const CHANGES: usize = 150;

    #[test]
    fn a_wall_time_is_read_as_the_offsets_around_every_change_of_every_zone_say() {
        let zones = ZoneData::bundled();
        for name in zones.names() {
            let zone = Zone::in_data(&zones, name).unwrap();
            let changes = zone.rules.following(jiff::Timestamp::UNIX_EPOCH).take(CHANGES);
            for change in changes.map(|change| change.timestamp()) {
                let before = zone.rules.to_offset(change - SignedDuration::from_secs(1));
                let after = zone.rules.to_offset(change);
                for minutes in [-120, -60, -30, -1, 0, 1, 30, 59, 60, 120] {
                    let near = change + SignedDuration::from_mins(minutes);
                    for civil in [before.to_datetime(near), after.to_datetime(near)] {
                        let mut named: Vec<jiff::Timestamp> = [before, after]
                            .into_iter()
                            .filter(|offset| zone.is_in_force(*offset, civil))
                            .map(|offset| offset.to_timestamp(civil).unwrap())
                            .collect();
                        named.sort_unstable();
                        named.dedup();
                        let expected = match named[..] {
                            [] => Reading::Never { gap_end: change },
                            [only] => Reading::Once(only),
                            [first, second, ..] => Reading::Twice { first, second },
                        };
                        let read = zone.read(Wall::containing(civil)).unwrap();
                        assert_eq!(read, expected, "{civil} in {name}");
                    }
                }
            }
        }
    }
}
