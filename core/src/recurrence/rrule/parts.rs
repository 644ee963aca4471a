//! The parts of an RRULE that passed.
//!
//! Promise: every number is in its range and every combination is one that RFC 5545 allows; what
//! a part means is said elsewhere.

use std::fmt;
use std::ops::RangeInclusive;

use jiff::civil::Weekday;

use crate::words::time::Timestamp;

/// How often a rule's periods come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Frequency {
    /// Calendar years; the years of weeks when BYWEEKNO is given.
    Yearly,
    /// Calendar months.
    Monthly,
    /// Weeks that begin with WKST.
    Weekly,
    /// Days.
    Daily,
    /// Hours of real time.
    Hourly,
    /// Minutes of real time.
    Minutely,
}

/// The name of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RruleKey {
    /// FREQ.
    Freq,
    /// INTERVAL.
    Interval,
    /// COUNT.
    Count,
    /// UNTIL.
    Until,
    /// BYSECOND.
    BySecond,
    /// BYMINUTE.
    ByMinute,
    /// BYHOUR.
    ByHour,
    /// BYDAY.
    ByDay,
    /// BYMONTHDAY.
    ByMonthDay,
    /// BYYEARDAY.
    ByYearDay,
    /// BYWEEKNO.
    ByWeekNo,
    /// BYMONTH.
    ByMonth,
    /// BYSETPOS.
    BySetPos,
    /// WKST.
    Wkst,
}

/// What a rule's text says. A list is empty when its key is not given; one of numbers is sorted.
#[derive(Debug)]
pub(super) struct Parts {
    pub(super) frequency: Frequency,
    /// 1 to 10,000.
    pub(super) interval: u16,
    pub(super) end: End,
    pub(super) second: Option<i16>,
    pub(super) minutes: Vec<i16>,
    pub(super) hours: Vec<i16>,
    pub(super) weekdays: Vec<NthWeekday>,
    pub(super) month_days: Vec<i16>,
    pub(super) year_days: Vec<i16>,
    pub(super) weeks: Vec<i16>,
    pub(super) months: Vec<i16>,
    pub(super) positions: Vec<i16>,
    pub(super) week_start: Weekday,
}

/// When a rule ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Never,
    /// After so many instants.
    Count(u32),
    /// After this instant.
    Until(Timestamp),
}

/// A weekday of BYDAY: every one, or the nth of the month or year, from the end when negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NthWeekday {
    pub(super) nth: Option<i16>,
    pub(super) weekday: Weekday,
}

impl Frequency {
    /// True for the frequencies that follow elapsed time.
    pub(super) const fn is_elapsed(self) -> bool {
        match self {
            Self::Yearly | Self::Monthly | Self::Weekly | Self::Daily => false,
            Self::Hourly | Self::Minutely => true,
        }
    }
}

impl RruleKey {
    const ALL: [Self; 14] = [
        Self::Freq,
        Self::Interval,
        Self::Count,
        Self::Until,
        Self::BySecond,
        Self::ByMinute,
        Self::ByHour,
        Self::ByDay,
        Self::ByMonthDay,
        Self::ByYearDay,
        Self::ByWeekNo,
        Self::ByMonth,
        Self::BySetPos,
        Self::Wkst,
    ];

    /// The key of that name, in any case.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|key| key.name().eq_ignore_ascii_case(name))
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Freq => "FREQ",
            Self::Interval => "INTERVAL",
            Self::Count => "COUNT",
            Self::Until => "UNTIL",
            Self::BySecond => "BYSECOND",
            Self::ByMinute => "BYMINUTE",
            Self::ByHour => "BYHOUR",
            Self::ByDay => "BYDAY",
            Self::ByMonthDay => "BYMONTHDAY",
            Self::ByYearDay => "BYYEARDAY",
            Self::ByWeekNo => "BYWEEKNO",
            Self::ByMonth => "BYMONTH",
            Self::BySetPos => "BYSETPOS",
            Self::Wkst => "WKST",
        }
    }

    /// The numbers that the key takes, and whether they may count from the end too.
    pub(super) const fn numbers(self) -> (RangeInclusive<u32>, bool) {
        match self {
            Self::Interval => (1..=10_000, false),
            Self::Count => (1..=100_000, false),
            Self::BySecond | Self::ByMinute => (0..=59, false),
            Self::ByHour => (0..=23, false),
            Self::ByMonth => (1..=12, false),
            Self::ByMonthDay => (1..=31, true),
            Self::ByWeekNo | Self::ByDay => (1..=53, true),
            Self::ByYearDay | Self::BySetPos => (1..=366, true),
            // They take no number.
            Self::Freq | Self::Until | Self::Wkst => (0..=0, false),
        }
    }
}

impl fmt::Display for Frequency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Yearly => "YEARLY",
            Self::Monthly => "MONTHLY",
            Self::Weekly => "WEEKLY",
            Self::Daily => "DAILY",
            Self::Hourly => "HOURLY",
            Self::Minutely => "MINUTELY",
        })
    }
}

impl fmt::Display for RruleKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
