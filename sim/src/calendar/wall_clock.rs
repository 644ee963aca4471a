//! The wall clock of a zone as what it is: stretches in which it runs evenly, one after the other.
//!
//! Times on the wall are told in seconds since 1970 as the clock shows them, instants in seconds
//! since 1970 in UTC.

use jiff::Timestamp;
use jiff::tz::TimeZoneDatabase;

const DAY: i64 = 24 * 60 * 60;
/// How much of the past is known, in seconds before the first question.
const PAST: i64 = 800 * DAY;
/// How much of the future is known: a leap day is at most eight years away.
const FUTURE: i64 = 14 * 365 * DAY;

/// A wall clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WallClock {
    /// Each from its instant until the next begins.
    stretches: Vec<Stretch>,
    until: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stretch {
    from: i64,
    offset: i64,
}

/// A zone that the compiled-in data does not have, or a time outside the calendar.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the zone data has no `{zone}` around second {around}")]
pub struct ZoneUnknown {
    /// Which zone.
    pub zone: String,
    /// Around when.
    pub around: i64,
}

/// Which instants a time on the wall names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// The usual case.
    Once(i64),
    /// The clock was set back over it: the first pass.
    First(i64),
    /// The clock was set forward over it: the instant at which it was.
    GapEnd(i64),
}

impl Reading {
    /// The instant at which a time of day comes due.
    pub const fn instant(self) -> i64 {
        match self {
            Self::Once(at) | Self::First(at) | Self::GapEnd(at) => at,
        }
    }
}

impl WallClock {
    /// The clock of `zone` some years around the instant `around`.
    pub fn around(zone: &str, around: i64) -> Result<Self, ZoneUnknown> {
        let unknown = || ZoneUnknown { zone: zone.to_owned(), around };
        let rules = TimeZoneDatabase::bundled().get(zone).map_err(|_| unknown())?;
        let from = Timestamp::from_second(around - PAST).map_err(|_| unknown())?;
        let until = around + FUTURE;
        let first =
            Stretch { from: from.as_second(), offset: i64::from(rules.to_offset(from).seconds()) };
        let changes = rules
            .following(from)
            .map(|change| Stretch {
                from: change.timestamp().as_second(),
                offset: i64::from(change.offset().seconds()),
            })
            .take_while(|stretch| stretch.from <= until);
        let mut stretches = vec![first];
        stretches.extend(changes);
        Ok(Self { stretches, until })
    }

    /// The last instant that it knows of.
    pub const fn until(&self) -> i64 {
        self.until
    }

    /// What it shows at an instant.
    pub fn shows(&self, at: i64) -> i64 {
        at + self.stretch(at).0
    }

    /// The offset at an instant, and the instant until which it holds.
    pub fn stretch(&self, at: i64) -> (i64, i64) {
        let next = self.stretches.partition_point(|stretch| stretch.from <= at);
        let until = self.stretches.get(next).map_or(i64::MAX, |stretch| stretch.from);
        let offset = self.stretches.get(next.saturating_sub(1)).map_or(0, |found| found.offset);
        (offset, until)
    }

    /// Which instants the clock shows `wall` at.
    pub fn read(&self, wall: i64) -> Reading {
        // No clock is more than two days off.
        let near = self.stretches.partition_point(|stretch| stretch.from < wall - 2 * DAY);
        let mut found = None;
        for index in near.saturating_sub(1)..self.stretches.len() {
            let Some(stretch) = self.stretches.get(index) else { break };
            if stretch.from > wall + 2 * DAY {
                break;
            }
            let end = self.stretches.get(index + 1).map_or(i64::MAX, |next| next.from);
            let at = wall - stretch.offset;
            if stretch.from <= at && at < end {
                if let Some(first) = found {
                    return Reading::First(first);
                }
                found = Some(at);
            } else if found.is_none() && at >= end {
                let after = self.stretches.get(index + 1).map_or(0, |next| next.offset);
                if end + after > wall {
                    return Reading::GapEnd(end);
                }
            }
        }
        Reading::Once(found.unwrap_or(wall))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-03-29T01:00:00Z, when Berlin goes from 02:00 to 03:00.
    const SPRING: i64 = 1_774_746_000;
    /// 2026-10-25T01:00:00Z, when Berlin goes from 03:00 to 02:00.
    const AUTUMN: i64 = 1_792_890_000;

    #[test]
    fn berlin_leaves_out_an_hour_in_spring() {
        let clock = WallClock::around("Europe/Berlin", SPRING).unwrap();
        assert_eq!(clock.shows(SPRING - 1), SPRING - 1 + 3_600);
        assert_eq!(clock.shows(SPRING), SPRING + 7_200);
        assert_eq!(clock.read(SPRING + 3_600 - 1), Reading::Once(SPRING - 1));
        assert_eq!(clock.read(SPRING + 3_600), Reading::GapEnd(SPRING));
        assert_eq!(clock.read(SPRING + 7_199), Reading::GapEnd(SPRING));
        assert_eq!(clock.read(SPRING + 7_200), Reading::Once(SPRING));
    }

    #[test]
    fn berlin_repeats_an_hour_in_autumn() {
        let clock = WallClock::around("Europe/Berlin", AUTUMN).unwrap();
        assert_eq!(clock.read(AUTUMN + 3_600 - 1), Reading::Once(AUTUMN - 3_600 - 1));
        assert_eq!(clock.read(AUTUMN + 3_600), Reading::First(AUTUMN - 3_600));
        assert_eq!(clock.read(AUTUMN + 7_199), Reading::First(AUTUMN - 1));
        assert_eq!(clock.read(AUTUMN + 7_200), Reading::Once(AUTUMN + 3_600));
    }

    #[test]
    fn apia_left_out_a_whole_day() {
        // 2011-12-30T10:00:00Z: the clock went from the 29th's midnight to the 31st.
        let change = 1_325_239_200;
        let clock = WallClock::around("Pacific/Apia", change).unwrap();
        let noon_of_the_30th = change - 10 * 3_600 + 12 * 3_600;
        assert_eq!(clock.read(noon_of_the_30th), Reading::GapEnd(change));
    }

    #[test]
    fn a_zone_that_there_is_not_is_told() {
        let told = WallClock::around("Europe/Atlantis", 0).unwrap_err().to_string();
        assert!(told.contains("`Europe/Atlantis`"), "{told}");
    }
}
