//! The names of zones: what a person may write, and what to write instead.
//!
//! Promises: only letters, digits and `_ + - /` reach the look-up, so no name can become a path;
//! old and linked names are accepted and kept; an abbreviation or a bare offset is refused,
//! because it names no region and so no rule for clock changes.

use std::str::FromStr;

use super::Zone;
use super::zone_data::ZoneData;
use super::zone_release::ZoneRelease;

/// The most bytes of a zone name.
const MAX_BYTES: usize = 64;

/// Names of the database that look like a fixed offset and yet follow some region's changes, or
/// the other way round; beside each, what its author probably means.
const ABBREVIATIONS: [(&str, &str); 11] = [
    ("CET", "Europe/Berlin"),
    ("CST6CDT", "America/Chicago"),
    ("EET", "Europe/Athens"),
    ("EST", "America/Panama"),
    ("EST5EDT", "America/New_York"),
    ("HST", "Pacific/Honolulu"),
    ("MET", "Europe/Berlin"),
    ("MST", "America/Phoenix"),
    ("MST7MDT", "America/Denver"),
    ("PST8PDT", "America/Los_Angeles"),
    ("WET", "Europe/Lisbon"),
];

/// A text that names no [`Zone`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ZoneError {
    /// Nothing was given.
    #[error("the time zone is empty: write a region like `Europe/Berlin`, or `UTC`")]
    Empty,
    /// More than 64 bytes.
    #[error("the time zone has {bytes} bytes, more than 64: write a region like `Europe/Berlin`")]
    TooLong {
        /// How many were given.
        bytes: usize,
    },
    /// Something beside letters, digits and `_ + - /`.
    #[error(
        "time zone, column {column}: {character:?} cannot be part of a name: \
         write a region like `Europe/Berlin`"
    )]
    BadCharacter {
        /// The byte's place, from 1.
        column: usize,
        /// What stands there.
        character: char,
    },
    /// `GMT+3`, `UTC-5`, `+0200`.
    #[error(
        "`{text}` is an offset, not a region, and would miss every clock change: write a region \
         like `Europe/Berlin`{fixed}"
    )]
    BareOffset {
        /// What was given.
        text: String,
        /// How a fixed offset is written, where there is a way.
        fixed: String,
    },
    /// `CET`, `PST`.
    #[error("`{text}` is an abbreviation, not a region: write a region like `{region}`")]
    Abbreviation {
        /// What was given.
        text: String,
        /// A region that uses it.
        region: &'static str,
    },
    /// No such name in the database.
    #[error("`{text}` is not a time zone of the IANA database {release}: write {instead}")]
    Unknown {
        /// What was given.
        text: String,
        /// In which release it was looked for.
        release: ZoneRelease,
        /// What to write.
        instead: String,
    },
}

impl ZoneData {
    /// The zone of that name, in whatever case.
    pub fn zone(&self, text: &str) -> Result<Zone, ZoneError> {
        if text.is_empty() {
            return Err(ZoneError::Empty);
        }
        if text.len() > MAX_BYTES {
            return Err(ZoneError::TooLong { bytes: text.len() });
        }
        if let Some(fixed) = bare_offset(text) {
            return Err(ZoneError::BareOffset { text: text.to_owned(), fixed });
        }
        let allowed = |c: char| c.is_ascii_alphanumeric() || "_+-/".contains(c);
        if let Some((at, character)) = text.char_indices().find(|(_, c)| !allowed(*c)) {
            return Err(ZoneError::BadCharacter { column: at + 1, character });
        }
        if let Some((_, region)) =
            ABBREVIATIONS.iter().find(|(name, _)| name.eq_ignore_ascii_case(text))
        {
            return Err(ZoneError::Abbreviation { text: text.to_owned(), region });
        }
        // `Factory` is the database's word for "not set".
        Zone::in_data(self, text).filter(|zone| zone.name() != "Factory").ok_or_else(|| {
            ZoneError::Unknown {
                text: text.to_owned(),
                release: self.release(),
                instead: self.instead_of(text),
            }
        })
    }

    /// For an unknown name: the name of the database that ends like it, or the general advice.
    fn instead_of(&self, text: &str) -> String {
        if text.len() <= 5 && text.bytes().all(|byte| byte.is_ascii_uppercase()) {
            return "a region like `Europe/Berlin`, an abbreviation can stand for several"
                .to_owned();
        }
        let city = |name: &str| name.rsplit('/').next().unwrap_or(name).to_ascii_lowercase();
        let wanted = city(text);
        self.names()
            .into_iter()
            .filter(|name| name.contains('/') && city(name) == wanted)
            .min_by_key(|name| (name.len(), *name))
            .map_or_else(
                || "a region like `Europe/Berlin`, or `UTC`".to_owned(),
                |name| format!("`{name}`"),
            )
    }
}

/// The zone by the compiled-in data. A process that may have others asks those.
impl FromStr for Zone {
    type Err = ZoneError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        ZoneData::bundled().zone(text)
    }
}

/// For `GMT+3` and its like: how the database writes that offset, as the end of a sentence.
fn bare_offset(text: &str) -> Option<String> {
    let prefixed = text.get(..3).is_some_and(|prefix| {
        prefix.eq_ignore_ascii_case("GMT") || prefix.eq_ignore_ascii_case("UTC")
    });
    let offset = if prefixed { &text[3..] } else { text };
    let digits = offset.trim_start_matches(['+', '-']);
    let is_offset = offset.len() - digits.len() <= 1
        && digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.bytes().all(|b| b.is_ascii_digit() || b == b':');
    if !is_offset {
        return None;
    }
    let west = offset.starts_with('-');
    let hours = digits.parse::<u32>().ok().filter(|hours| *hours <= if west { 12 } else { 14 });
    Some(match hours {
        Some(0) => ", or `UTC`".to_owned(),
        Some(hours) => {
            let sign = if west { '+' } else { '-' };
            format!(
                ", or `Etc/GMT{sign}{hours}` (its sign is reversed) for a clock that never changes"
            )
        }
        None => String::new(),
    })
}
