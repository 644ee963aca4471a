//! Attempts and the delay between them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::time::Span;

/// The most attempts that a chain may ever have.
pub const MOST_ATTEMPTS: u8 = 3;
/// No delay between attempts is longer than this, jitter included.
pub const LONGEST_DELAY: Span = Span::from_minutes(30);
/// The jitter's reach to both sides, in thousandths of the delay.
const JITTER_PERMILLE: u64 = 200;

/// Which attempt of a chain: 1 to [`MOST_ATTEMPTS`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub struct Attempt(u8);

/// A number that is no [`Attempt`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0} attempts: a chain has 1 to {MOST_ATTEMPTS}")]
pub struct AttemptOutOfRange(pub u8);

impl Attempt {
    /// The first attempt.
    pub const FIRST: Self = Self(1);
    /// The last attempt that any chain may have.
    pub const LAST: Self = Self(MOST_ATTEMPTS);

    /// The attempt with this number.
    pub const fn new(number: u8) -> Result<Self, AttemptOutOfRange> {
        if number == 0 || number > MOST_ATTEMPTS {
            Err(AttemptOutOfRange(number))
        } else {
            Ok(Self(number))
        }
    }

    /// Its number.
    pub const fn get(self) -> u8 {
        self.0
    }

    /// The attempt after this one, if a chain may have it.
    pub const fn next(self) -> Option<Self> {
        if self.0 < MOST_ATTEMPTS { Some(Self(self.0 + 1)) } else { None }
    }
}

impl TryFrom<u8> for Attempt {
    type Error = AttemptOutOfRange;

    fn try_from(number: u8) -> Result<Self, Self::Error> {
        Self::new(number)
    }
}

impl From<Attempt> for u8 {
    fn from(attempt: Attempt) -> Self {
        attempt.0
    }
}

impl fmt::Display for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl fmt::Debug for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "attempt {}", self.0)
    }
}

/// How the delay grows with the attempts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Backoff {
    /// base × 2^(n-1) after attempt n.
    Exponential,
    /// base × n² after attempt n.
    Quadratic,
}

/// A text that is no [`Backoff`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a backoff: write exponential or quadratic")]
pub struct BackoffParseError {
    /// What was given.
    pub text: String,
}

impl FromStr for Backoff {
    type Err = BackoffParseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "exponential" => Ok(Self::Exponential),
            "quadratic" => Ok(Self::Quadratic),
            _ => Err(BackoffParseError { text: text.to_owned() }),
        }
    }
}

impl fmt::Display for Backoff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Exponential => "exponential",
            Self::Quadratic => "quadratic",
        })
    }
}

/// How often, and how long after a failure, a scheduled run is tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RetryPolicy {
    /// The most attempts of a chain, the first included.
    #[serde(default = "default_attempts")]
    pub max_attempts: Attempt,
    /// How the delay grows.
    #[serde(default = "default_backoff")]
    pub backoff: Backoff,
    /// The delay's base.
    #[serde(default = "default_base")]
    pub base: Span,
}

const fn default_attempts() -> Attempt {
    Attempt::LAST
}

const fn default_backoff() -> Backoff {
    Backoff::Exponential
}

const fn default_base() -> Span {
    Span::from_secs(60)
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self { max_attempts: default_attempts(), backoff: default_backoff(), base: default_base() }
    }
}

impl RetryPolicy {
    /// No retry at all.
    pub const NEVER: Self =
        Self { max_attempts: Attempt::FIRST, backoff: default_backoff(), base: default_base() };

    /// The attempt that follows `attempt`, if the policy allows one more.
    pub fn after(&self, attempt: Attempt) -> Option<Attempt> {
        attempt.next().filter(|next| *next <= self.max_attempts)
    }

    /// The delay after `attempt` failed: the back-off, at most 30 min, with a jitter of ±20 %
    /// drawn from `seed`, and again at most 30 min.
    pub fn delay_after(&self, attempt: Attempt, seed: u64) -> Span {
        let n = u64::from(attempt.get());
        let growth = match self.backoff {
            Backoff::Exponential => 1 << (n - 1),
            Backoff::Quadratic => n * n,
        };
        let plain = self.base.times(growth).min(LONGEST_DELAY);
        let permille = 1_000 - JITTER_PERMILLE + scatter(seed) % (2 * JITTER_PERMILLE + 1);
        plain.scaled(permille, 1_000).min(LONGEST_DELAY)
    }
}

/// Spreads a seed over all 64 bits, so that neighbouring seeds give unrelated draws
/// (the finaliser of `SplitMix64`: Steele, Lea and Flood, 2014).
pub fn scatter(seed: u64) -> u64 {
    let mut bits = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_delay_doubles_from_a_minute_within_its_jitter() {
        let policy = RetryPolicy::default();
        for seed in 0..1_000 {
            for (attempt, low, high) in [(1, 48, 72), (2, 96, 144), (3, 192, 288)] {
                let delay = policy.delay_after(Attempt::new(attempt).unwrap(), seed);
                assert!(delay >= Span::from_secs(low) && delay <= Span::from_secs(high), "{delay}");
            }
        }
    }

    #[test]
    fn no_delay_passes_half_an_hour() {
        for backoff in [Backoff::Exponential, Backoff::Quadratic] {
            let policy = RetryPolicy {
                backoff,
                base: Span::from_micros(u64::MAX),
                ..RetryPolicy::default()
            };
            for seed in 0..1_000 {
                assert!(policy.delay_after(Attempt::LAST, seed) <= LONGEST_DELAY);
            }
        }
    }

    #[test]
    fn jitter_reaches_both_ends() {
        let policy = RetryPolicy::default();
        let delays: Vec<Span> =
            (0..5_000).map(|seed| policy.delay_after(Attempt::FIRST, seed)).collect();
        assert_eq!(delays.iter().min(), Some(&Span::from_secs(48)));
        assert_eq!(delays.iter().max(), Some(&Span::from_secs(72)));
    }

    #[test]
    fn a_policy_gives_at_most_its_attempts() {
        assert_eq!(RetryPolicy::NEVER.after(Attempt::FIRST), None);
        assert_eq!(RetryPolicy::default().after(Attempt::LAST), None);
        assert_eq!(RetryPolicy::default().after(Attempt::FIRST), Attempt::new(2).ok());
    }
}
