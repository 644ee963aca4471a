//! Instants and durations.
//!
//! Promises: whole microseconds, never a float; arithmetic saturates inside the stated range and
//! never panics; the two clocks of the system have two types that cannot be mixed up. A
//! [`Timestamp`] comes from the store's clock and is what the ledger keeps. A [`Moment`] comes
//! from one machine's boot-time clock and never leaves its process.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// An instant on the store's clock: microseconds since 1970-01-01T00:00:00Z, up to
/// 9999-12-30T22:00:00Z.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Timestamp(i64);

/// Microseconds since the epoch at 9999-12-30T22:00:00Z, where the calendar ends for every
/// zone.
const LAST_MICROSECOND: i64 = 253_402_207_200_000_000;

/// A number of microseconds that is no [`Timestamp`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0} µs is outside the years 1970 to 9999")]
pub struct TimestampOutOfRange(pub i64);

/// A text that is no RFC 3339 instant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not an RFC 3339 instant of the years 1970 to 9999: write it like 2026-11-30T17:00:00Z or 2026-11-30T18:00:00+01:00"
)]
pub struct TimestampParseError {
    /// What was given.
    pub text: String,
}

impl Timestamp {
    /// 1970-01-01T00:00:00Z.
    pub const EPOCH: Self = Self(0);
    /// 9999-12-30T22:00:00Z.
    pub const MAX: Self = Self(LAST_MICROSECOND);

    /// The instant `micros` microseconds after the epoch.
    pub const fn from_micros(micros: i64) -> Result<Self, TimestampOutOfRange> {
        if micros < 0 || micros > LAST_MICROSECOND {
            Err(TimestampOutOfRange(micros))
        } else {
            Ok(Self(micros))
        }
    }

    /// Microseconds since the epoch.
    pub const fn micros(self) -> i64 {
        self.0
    }

    /// Whole milliseconds since the epoch, as a `UUIDv7` carries them.
    #[allow(clippy::cast_sign_loss)] // a Timestamp is never negative
    pub const fn millis(self) -> u64 {
        (self.0 / 1_000) as u64
    }

    /// `self` + `span`, at most [`Timestamp::MAX`].
    #[must_use]
    pub fn plus(self, span: Span) -> Self {
        let span = i64::try_from(span.0).unwrap_or(i64::MAX);
        Self(self.0.saturating_add(span).min(LAST_MICROSECOND))
    }

    /// `self` - `span`, at least [`Timestamp::EPOCH`].
    #[must_use]
    pub fn minus(self, span: Span) -> Self {
        let span = i64::try_from(span.0).unwrap_or(i64::MAX);
        Self(self.0.saturating_sub(span).max(0))
    }

    /// The time from `earlier` to `self`; zero when `earlier` is later (a clock that stepped
    /// back never makes a negative duration).
    pub fn since(self, earlier: Self) -> Span {
        Span(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }
}

impl TryFrom<i64> for Timestamp {
    type Error = TimestampOutOfRange;

    fn try_from(micros: i64) -> Result<Self, Self::Error> {
        Self::from_micros(micros)
    }
}

impl From<Timestamp> for i64 {
    fn from(timestamp: Timestamp) -> Self {
        timestamp.0
    }
}

impl TryFrom<String> for Timestamp {
    type Error = TimestampParseError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Timestamp> for String {
    fn from(timestamp: Timestamp) -> Self {
        timestamp.to_string()
    }
}

/// RFC 3339 in UTC, with a fraction only when there is one.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_microsecond(self.0) {
            Ok(instant) => write!(f, "{instant}"),
            Err(_) => write!(f, "{} µs", self.0),
        }
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Timestamp {
    type Err = TimestampParseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse::<jiff::Timestamp>()
            .ok()
            .and_then(|instant| Self::from_micros(instant.as_microsecond()).ok())
            .ok_or_else(|| TimestampParseError { text: text.to_owned() })
    }
}

/// A duration: whole microseconds, never negative.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Span(u64);

impl Span {
    /// No time at all.
    pub const ZERO: Self = Self(0);

    /// `micros` microseconds.
    pub const fn from_micros(micros: u64) -> Self {
        Self(micros)
    }

    /// `millis` milliseconds.
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis.saturating_mul(1_000))
    }

    /// `secs` seconds.
    pub const fn from_secs(secs: u64) -> Self {
        Self(secs.saturating_mul(1_000_000))
    }

    /// `minutes` minutes.
    pub const fn from_minutes(minutes: u64) -> Self {
        Self::from_secs(minutes.saturating_mul(60))
    }

    /// `hours` hours of 60 minutes.
    pub const fn from_hours(hours: u64) -> Self {
        Self::from_minutes(hours.saturating_mul(60))
    }

    /// `days` days of 24 hours.
    pub const fn from_days(days: u64) -> Self {
        Self::from_hours(days.saturating_mul(24))
    }

    /// Whole microseconds.
    pub const fn micros(self) -> u64 {
        self.0
    }

    /// True for no time at all.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// `self` + `other`, saturating.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// `self` - `other`, at least zero.
    #[must_use]
    pub const fn minus(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// `self` × `factor`, saturating.
    #[must_use]
    pub const fn times(self, factor: u64) -> Self {
        Self(self.0.saturating_mul(factor))
    }

    /// `self` × `numerator` / `denominator`, rounded down, saturating; a zero denominator counts
    /// as one.
    #[must_use]
    pub fn scaled(self, numerator: u64, denominator: u64) -> Self {
        let product = u128::from(self.0) * u128::from(numerator);
        let quotient = product / u128::from(denominator.max(1));
        Self(u64::try_from(quotient).unwrap_or(u64::MAX))
    }
}

/// The largest exact units: `1d2h`, `90s` as `1m30s`, `250ms`, `0s`.
impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == 0 {
            return f.write_str("0s");
        }
        let mut rest = self.0;
        for (unit, micros) in [
            ("d", 86_400_000_000),
            ("h", 3_600_000_000),
            ("m", 60_000_000),
            ("s", 1_000_000),
            ("ms", 1_000),
            ("us", 1),
        ] {
            let count = rest / micros;
            rest %= micros;
            if count > 0 {
                write!(f, "{count}{unit}")?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text that is no duration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not a duration: write whole numbers with d, h, m, s, ms or us, like 90s or 1h30m"
)]
pub struct SpanParseError {
    /// What was given.
    pub text: String,
}

impl FromStr for Span {
    type Err = SpanParseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let refused = || SpanParseError { text: text.to_owned() };
        let mut total: u64 = 0;
        let mut rest = text;
        while !rest.is_empty() {
            let digits = rest.find(|c: char| !c.is_ascii_digit()).ok_or_else(refused)?;
            let count: u64 = rest[..digits].parse().map_err(|_| refused())?;
            rest = &rest[digits..];
            let letters = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
            let micros: u64 = match &rest[..letters] {
                "d" => 86_400_000_000,
                "h" => 3_600_000_000,
                "m" => 60_000_000,
                "s" => 1_000_000,
                "ms" => 1_000,
                "us" => 1,
                _ => return Err(refused()),
            };
            rest = &rest[letters..];
            let part = count.checked_mul(micros).ok_or_else(refused)?;
            total = total.checked_add(part).ok_or_else(refused)?;
        }
        if text.is_empty() { Err(refused()) } else { Ok(Self(total)) }
    }
}

impl TryFrom<String> for Span {
    type Error = SpanParseError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Span> for String {
    fn from(span: Span) -> Self {
        span.to_string()
    }
}

/// An instant on one machine's boot-time clock, which counts suspend and never steps back:
/// microseconds since an arbitrary start.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Moment(u64);

impl Moment {
    /// The start of the clock.
    pub const START: Self = Self(0);
    /// Later than every deadline.
    pub const NEVER: Self = Self(u64::MAX);

    /// `micros` microseconds after the start of the clock.
    pub const fn from_micros(micros: u64) -> Self {
        Self(micros)
    }

    /// Microseconds since the start of the clock.
    pub const fn micros(self) -> u64 {
        self.0
    }

    /// `self` + `span`, saturating.
    #[must_use]
    pub const fn plus(self, span: Span) -> Self {
        Self(self.0.saturating_add(span.0))
    }

    /// `self` - `span`, at least the start of the clock.
    #[must_use]
    pub const fn minus(self, span: Span) -> Self {
        Self(self.0.saturating_sub(span.0))
    }

    /// The time from `earlier` to `self`, zero when `earlier` is later.
    pub const fn since(self, earlier: Self) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }
}

impl fmt::Debug for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "+{}", Span(self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_reads_as_it_prints() {
        for text in ["0s", "90us", "1m30s", "1h30m", "2d", "1d2h3m4s5ms6us"] {
            assert_eq!(text.parse::<Span>().unwrap().to_string(), text);
        }
        assert_eq!("90s".parse::<Span>().unwrap().to_string(), "1m30s");
    }

    #[test]
    fn a_malformed_span_is_refused() {
        for text in ["", "5", "m", "5 m", "-5m", "1.5h", "5x", "99999999999999999999d", "5m3"] {
            assert!(text.parse::<Span>().is_err(), "{text}");
        }
    }

    #[test]
    fn timestamps_saturate_at_both_ends() {
        let long = Span::from_micros(u64::MAX);
        assert_eq!(Timestamp::MAX.plus(long), Timestamp::MAX);
        assert_eq!(Timestamp::EPOCH.minus(long), Timestamp::EPOCH);
        assert_eq!(Timestamp::EPOCH.since(Timestamp::MAX), Span::ZERO);
    }

    #[test]
    fn a_timestamp_reads_as_it_prints() {
        for text in ["1970-01-01T00:00:00Z", "2026-11-30T17:00:00.000001Z", "9999-12-30T22:00:00Z"]
        {
            assert_eq!(text.parse::<Timestamp>().unwrap().to_string(), text);
        }
        assert!("yesterday".parse::<Timestamp>().is_err());
        assert!("1969-12-31T23:59:59Z".parse::<Timestamp>().is_err());
    }
}
