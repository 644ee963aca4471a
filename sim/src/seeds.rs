//! Which worlds are played: a fixed set, and a set that every commit has of its own, so that each
//! change meets worlds that nobody has seen before and can still be played again.

use std::env;
use std::fmt;
use std::num::ParseIntError;
use std::ops::Range;
use std::process::Command;

use crate::named::{self, UnknownName};
use crate::profile::Kind;

/// Worlds of the fixed set, from seed 0.
pub const FIXED: u64 = 2_000;
/// Worlds of each commit.
pub const OF_COMMIT: u64 = 1_000;

/// A wish for seeds that cannot be met.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SeedsError {
    /// It is no number.
    #[error("`{text}` is no seed ({source}): write a whole number, or a range such as 1000..2000")]
    NoNumber {
        /// What was written.
        text: String,
        /// Why it is none.
        source: ParseIntError,
    },
    /// There is nothing between its ends.
    #[error("{first}..{end} is empty: write the smaller seed first; the last one is not played")]
    Empty {
        /// The first seed.
        first: u64,
        /// The seed after the last.
        end: u64,
    },
    /// It is no kind of world.
    #[error(transparent)]
    Kind(#[from] UnknownName),
}

/// Worlds to play, and how they were chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seeds {
    /// Each world's kind and seed.
    pub worlds: Vec<(Kind, u64)>,
    /// How they were chosen, for people.
    pub chosen: String,
}

impl Seeds {
    /// What the environment asks for (`SIM_SEED`, `SIM_SEEDS`, `SIM_KIND`), or else the whole
    /// batch.
    pub fn from_environment() -> Result<Self, SeedsError> {
        let kind = env::var("SIM_KIND").ok().map(|name| kind(&name)).transpose()?;
        if let Ok(seed) = env::var("SIM_SEED") {
            return Ok(Self::one(kind.unwrap_or_default(), seed_of(&seed)?));
        }
        match env::var("SIM_SEEDS") {
            Ok(text) => Ok(Self::range(kind, range(&text)?)),
            Err(_) => Ok(Self::whole_batch(kind)),
        }
    }

    /// One world.
    pub fn one(kind: Kind, seed: u64) -> Self {
        Self { worlds: vec![(kind, seed)], chosen: format!("the {kind} world of seed {seed}") }
    }

    /// A range of seeds, all of one kind or each of the kind that a batch plays with it.
    pub fn range(kind: Option<Kind>, range: Range<u64>) -> Self {
        let chosen = format!("the seeds {}..{}", range.start, range.end);
        Self { worlds: range.map(|seed| of_kind(kind, seed)).collect(), chosen }
    }

    /// The fixed set and that of the commit.
    pub fn whole_batch(kind: Option<Kind>) -> Self {
        let mut worlds = Self::range(kind, 0..FIXED).worlds;
        let (first, origin) = match commit() {
            Some(commit) => (seed_of_commit(&commit), format!("of commit {commit:.12}")),
            None => (FIXED, String::from("that follow, for there is no commit to ask")),
        };
        worlds.extend((0..OF_COMMIT).map(|index| of_kind(kind, first.wrapping_add(index))));
        let chosen = format!("the fixed seeds 0..{FIXED} and {OF_COMMIT} {origin}, from {first}");
        Self { worlds, chosen }
    }
}

impl fmt::Display for Seeds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.chosen)
    }
}

fn of_kind(kind: Option<Kind>, seed: u64) -> (Kind, u64) {
    (kind.unwrap_or_else(|| Kind::in_batch(seed)), seed)
}

/// The kind of this name.
pub fn kind(name: &str) -> Result<Kind, UnknownName> {
    named::find("kind of world", Kind::ALL, |kind| named::name(&kind), name)
}

/// A seed as people write it.
pub fn seed_of(text: &str) -> Result<u64, SeedsError> {
    let text = text.trim();
    text.parse().map_err(|source| SeedsError::NoNumber { text: text.to_owned(), source })
}

/// Seeds as people write them: `1000..2000`, or how many from 0.
pub fn range(text: &str) -> Result<Range<u64>, SeedsError> {
    let (first, end) = match text.split_once("..") {
        Some((first, end)) => (seed_of(first)?, seed_of(end)?),
        None => (0, seed_of(text)?),
    };
    if first < end { Ok(first..end) } else { Err(SeedsError::Empty { first, end }) }
}

/// The commit that is checked out, if git knows one.
pub fn commit() -> Option<String> {
    let asked = Command::new("git").args(["rev-parse", "HEAD"]).output().ok()?;
    let text = String::from_utf8(asked.stdout).ok()?;
    let is_hash = text.trim().len() >= 16 && text.trim().bytes().all(|it| it.is_ascii_hexdigit());
    (asked.status.success() && is_hash).then(|| text.trim().to_owned())
}

fn seed_of_commit(commit: &str) -> u64 {
    let digits = commit.get(..16).unwrap_or_default();
    u64::from_str_radix(digits, 16).unwrap_or(FIXED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_what_people_write() {
        assert_eq!(range("7"), Ok(0..7));
        assert_eq!(range("3..9"), Ok(3..9));
    }

    #[test]
    fn an_empty_range_says_what_to_write() {
        let error = range("9..3").unwrap_err().to_string();
        assert_eq!(
            error,
            "9..3 is empty: write the smaller seed first; the last one is not played"
        );
        assert!(range("0").is_err());
    }

    #[test]
    fn what_is_no_seed_is_told_so() {
        let error = range("x..3").unwrap_err().to_string();
        assert!(error.starts_with("`x` is no seed"), "{error}");
        assert!(seed_of("-1").is_err());
        assert!(seed_of("99999999999999999999").is_err());
    }

    #[test]
    fn two_commits_have_two_sets() {
        let one = seed_of_commit("8c1e46900000000000000000");
        assert_ne!(one, seed_of_commit("9c1e46900000000000000000"));
        assert_eq!(one, seed_of_commit("8c1e469000000000aaaaaaaa"));
    }
}
