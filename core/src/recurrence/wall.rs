//! What a clock on the wall shows.
//!
//! Promises: a [`Wall`] is a real calendar date with a time of day, to the second, in no zone. It
//! says nothing about an instant: in a given zone it may name one, two or none
//! ([`Zone`](super::Zone)).

use std::fmt;
use std::str::FromStr;

use jiff::SignedDuration;
use jiff::civil;
use serde::{Deserialize, Serialize};

/// A civil date and time to the second, without a zone: `2026-03-08T02:30`, or `2026-03-08T02:30:15`
/// where there are seconds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Wall(civil::DateTime); // what is below a second is zero

/// A text that is no [`Wall`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a wall-clock time: write a real date and time like 2026-03-08T02:30")]
pub struct WallParseError {
    /// What was given.
    pub text: String,
}

impl Wall {
    /// The calendar's last second.
    pub(super) const LAST: Self = Self(civil::DateTime::constant(9999, 12, 31, 23, 59, 59, 0));

    /// The second that `civil` lies in.
    pub(super) fn containing(civil: civil::DateTime) -> Self {
        let time = civil::Time::constant(civil.hour(), civil.minute(), civil.second(), 0);
        Self(civil.date().to_datetime(time))
    }

    /// The first second that does not begin before `civil`; `None` past the calendar's end.
    pub(super) fn not_before(civil: civil::DateTime) -> Option<Self> {
        let second = Self::containing(civil);
        if second.0 == civil { Some(second) } else { second.next() }
    }

    /// The first whole minute that does not begin before it; `None` past the calendar's end.
    pub(super) fn whole_minute(self) -> Option<Self> {
        match self.0.second() {
            0 => Some(self),
            second => self.later(60 - i64::from(second)),
        }
    }

    /// One second later; `None` past the calendar's end.
    pub(super) fn next(self) -> Option<Self> {
        self.later(1)
    }

    /// One second earlier; `None` before the calendar's start.
    pub(super) fn previous(self) -> Option<Self> {
        self.later(-1)
    }

    fn later(self, seconds: i64) -> Option<Self> {
        self.0.checked_add(SignedDuration::from_secs(seconds)).ok().map(Self)
    }

    /// The calendar's own type, for arithmetic.
    pub(super) fn civil(self) -> civil::DateTime {
        self.0
    }
}

impl fmt::Display for Wall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}T{:02}:{:02}", self.0.date(), self.0.hour(), self.0.minute())?;
        match self.0.second() {
            0 => Ok(()),
            second => write!(f, ":{second:02}"),
        }
    }
}

impl fmt::Debug for Wall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Wall {
    type Err = WallParseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // Strict, so that equal times have equal texts.
        text.parse::<civil::DateTime>()
            .ok()
            .map(Self)
            .filter(|wall| wall.to_string() == text)
            .ok_or_else(|| WallParseError { text: text.to_owned() })
    }
}

impl TryFrom<String> for Wall {
    type Error = WallParseError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Wall> for String {
    fn from(wall: Wall) -> Self {
        wall.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wall_time_reads_as_it_prints() {
        for text in [
            "2026-03-08T02:30",
            "2026-03-08T02:30:59",
            "1969-12-31T19:00",
            "9999-12-31T23:59",
            "2024-02-29T00:00",
        ] {
            assert_eq!(text.parse::<Wall>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn a_time_that_no_calendar_has_is_refused() {
        for text in [
            "",
            "2026-02-29T00:00",
            "2026-03-08T24:00",
            "2026-03-08 02:30",
            "2026-03-08T02:30:00",
            "2026-03-08T02:30:60",
            "2026-03-08T02:30:1",
            "2026-03-08T02:30Z",
            "2026-3-8T2:30",
            "２026-03-08T02:3",
        ] {
            assert!(text.parse::<Wall>().is_err(), "{text}");
        }
    }
}
