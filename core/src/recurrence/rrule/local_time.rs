//! The times that a rule starts from, adds and leaves out.
//!
//! Promise: a [`LocalTime`] is a real date and time of the years 1970 to 2200, local to the zone
//! of its rule; it may be written as iCalendar does or as JSON does.

use std::fmt;
use std::str::FromStr;

use crate::recurrence::Wall;

const YEARS: std::ops::RangeInclusive<i16> = 1970..=2200;

/// DTSTART, an RDATE or an EXDATE: a local time of the years 1970 to 2200.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocalTime(Wall);

/// A text that is no [`LocalTime`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no local time: write {remedy}")]
pub struct LocalTimeError {
    /// What was given.
    pub text: String,
    /// What to write.
    pub remedy: &'static str,
}

impl LocalTime {
    /// The wall-clock time.
    pub fn wall(self) -> Wall {
        self.0
    }
}

impl FromStr for LocalTime {
    type Err = LocalTimeError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let refused = |remedy| LocalTimeError { text: text.chars().take(40).collect(), remedy };
        let wall = wall(text).ok_or_else(|| refused(remedy(text)))?;
        if YEARS.contains(&wall.civil().year()) {
            Ok(Self(wall))
        } else {
            Err(refused("a year from 1970 to 2200"))
        }
    }
}

/// `2026-01-01T09:00`, the same with seconds, or `20260101T090000`.
fn wall(text: &str) -> Option<Wall> {
    let digits = |range| text.get(range).filter(|_| text.is_ascii());
    let written = match text.len() {
        15 => format!(
            "{}-{}-{}:{}:{}",
            digits(0..4)?,
            digits(4..6)?,
            digits(6..11)?,
            digits(11..13)?,
            digits(13..15)?
        ),
        16 | 19 => text.to_owned(),
        _ => return None,
    };
    written.strip_suffix(":00").filter(|_| written.len() == 19).unwrap_or(&written).parse().ok()
}

fn remedy(text: &str) -> &'static str {
    let date_alone = matches!(text.len(), 8 | 10);
    if text.ends_with(['Z', 'z']) {
        "it without the Z, as the clock of the rule's zone shows it"
    } else if date_alone && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') {
        "the time of day too, like 2026-01-01T09:00"
    } else {
        "a real date and time like 2026-01-01T09:00 or 20260101T090000"
    }
}

impl fmt::Display for LocalTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for LocalTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_local_time_is_written_in_three_ways() {
        for (text, shown) in [
            ("2026-01-01T09:00", "2026-01-01T09:00"),
            ("2026-01-01T09:00:00", "2026-01-01T09:00"),
            ("20260101T090000", "2026-01-01T09:00"),
            ("20210421T192128", "2021-04-21T19:21:28"),
            ("2200-12-31T23:59:59", "2200-12-31T23:59:59"),
        ] {
            assert_eq!(text.parse::<LocalTime>().unwrap().to_string(), shown);
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for text in [
            "",
            "2026-01-01",
            "20260101",
            "20260230T120000",
            "20260505T240000",
            "20260505T120060",
            "20260505T120000Z",
            "20260505 120000",
            "2026-05-05T12",
            "19691231T235959",
            "22010101T000000",
            "00010101T000000",
            "99999-01-01T00:00",
            "2026-05-05T12:00+02:00",
            "２０２６0505T12",
            "2026-05-05T12:00:00.5",
        ] {
            assert!(text.parse::<LocalTime>().is_err(), "{text}");
        }
    }
}
