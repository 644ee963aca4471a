//! The clocks of a world: true time, which no actor sees; one boot-time clock for each host, fast
//! or slow within ρ; the store's clock, which steps within its bound.

use std::fmt;

use horarium_core::words::{Moment, Span, Timestamp};

const MILLION: u64 = 1_000_000;

/// True time: microseconds since the world began.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Time(u64);

impl Time {
    /// The world's beginning.
    pub const START: Self = Self(0);

    /// `self` + `span`.
    #[must_use]
    pub const fn plus(self, span: Span) -> Self {
        Self(self.0.saturating_add(span.micros()))
    }

    /// The time from `earlier` to `self`.
    pub const fn since(self, earlier: Self) -> Span {
        Span::from_micros(self.0.saturating_sub(earlier.0))
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rest = format!("{:06}", self.0 % MILLION);
        let digits = f.precision().unwrap_or(rest.len()).min(rest.len());
        write!(f, "{:>6}.{}", self.0 / MILLION, &rest[..digits])
    }
}

impl fmt::Debug for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t{}.{:06}", self.0 / MILLION, self.0 % MILLION)
    }
}

/// A host's boot-time clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct HostClock {
    /// What it showed when the world began.
    pub boot: u64,
    /// Its microseconds in a million true ones.
    pub rate: u64,
}

impl HostClock {
    /// What it shows at `time`.
    pub fn at(self, time: Time) -> Moment {
        let run = u128::from(time.0) * u128::from(self.rate) / u128::from(MILLION);
        Moment::from_micros(self.boot.saturating_add(u64::try_from(run).unwrap_or(u64::MAX)))
    }

    /// The first true time at which it shows `moment` or more; none for never.
    pub fn when(self, moment: Moment) -> Option<Time> {
        if moment == Moment::NEVER {
            return None;
        }
        let run = u128::from(moment.micros().saturating_sub(self.boot)) * u128::from(MILLION);
        u64::try_from(run.div_ceil(u128::from(self.rate.max(1)))).ok().map(Time)
    }
}

/// The store's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoreClock {
    /// What a perfect clock would have shown when the world began.
    pub base: Timestamp,
    /// How far it is ahead of a perfect clock; never more than its bound to either side.
    pub ahead: i64,
}

impl StoreClock {
    /// What it shows at `time`.
    pub fn at(self, time: Time) -> Timestamp {
        let perfect = self.base.plus(Span::from_micros(time.0));
        let off = Span::from_micros(self.ahead.unsigned_abs());
        if self.ahead < 0 { perfect.minus(off) } else { perfect.plus(off) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_wakes_neither_early_nor_late() {
        for rate in [991_000, 999_999, MILLION, 1_009_000] {
            let clock = HostClock { boot: 12_345, rate };
            for micros in [12_345, 12_346, 99_999_999] {
                let moment = Moment::from_micros(micros);
                let time = clock.when(moment).unwrap();
                assert!(clock.at(time) >= moment);
                assert!(time == Time::START || clock.at(Time(time.0 - 1)) < moment);
            }
        }
    }
}
