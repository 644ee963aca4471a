//! The name under which the guard knows a job.
//!
//! Promises: a key is one word of visible ASCII, so that it can stand in a protocol line and in
//! the job's mark without quoting.

use std::fmt;

/// One job, for the guard and for the runner: by convention the run's id and its fence. Unique on
/// the whole machine, since what a job detached is known by this alone after its guard was lost.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobKey(Box<str>);

/// A text that is no [`JobKey`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` cannot name a job: use 1 to {} visible ASCII characters and no blanks",
    JobKey::LONGEST
)]
pub struct JobKeyError {
    /// What was given.
    pub text: String,
}

impl JobKey {
    /// The most characters that a key has.
    pub const LONGEST: usize = 120;

    /// The key that `text` writes.
    pub fn new(text: &str) -> Result<Self, JobKeyError> {
        let fits = (1..=Self::LONGEST).contains(&text.len());
        if fits && text.bytes().all(|byte| byte.is_ascii_graphic()) {
            Ok(Self(text.into()))
        } else {
            Err(JobKeyError { text: text.to_owned() })
        }
    }

    /// The key as it was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for JobKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for JobKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_one_visible_word() {
        assert_eq!(JobKey::new("0190-ab.7/3").unwrap().as_str(), "0190-ab.7/3");
        let too_long = "x".repeat(JobKey::LONGEST + 1);
        for text in ["", "a b", "a\n", "\t", "ü", too_long.as_str()] {
            assert!(JobKey::new(text).is_err(), "{text:?}");
        }
    }
}
